"""Which maker to take: the one that loses least where it counts, and how far the next one is."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shoal.publish.study.compare.making import MADE
from shoal.publish.study.compare.sweeps import Numbers, crossed
from shoal.report.words import number, percent

__all__ = ["Recommendation", "recommended", "reference", "rows_at", "told_point"]

_USUAL = {"k": 5}
"""The number to look at where none is configured."""
_FASTER, _SLOW = 10, 1.0
"""The next maker is worth a word if it is so many times faster than one that takes so many seconds at least."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The maker to take, and why; `maker` is None where none made a release."""

    maker: str | None
    sentence: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return asdict(self)

    def __str__(self) -> str:
        return self.sentence


def reference(
    sweeps: Mapping[str, Numbers], options: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> dict[str, int | float]:
    """The point that counts: of each sweep the number nearest to the configured one, the smaller of two.

    Where none is configured it is the k nearest to 5; of other numbers the first with which a release was made.
    """
    wanted = {name: options.get(name, _USUAL.get(name)) for name in sweeps}
    few = {
        name: [_nearest(numbers, wanted[name])] if _is_given(wanted[name]) else numbers
        for name, numbers in sweeps.items()
    }
    points = crossed(few)
    there = (at for at in points if any(row["status"] == MADE for row in rows_at(rows, at)))
    return next(there, points[0])


def _is_given(wanted: Any) -> bool:
    return isinstance(wanted, int | float)


def _nearest(numbers: Numbers, wanted: Any) -> int | float:
    return min(numbers, key=lambda one: (abs(one - wanted), one))


def rows_at(rows: Sequence[Mapping[str, Any]], at: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows of one point."""
    return [row for row in rows if all(row[name] == value for name, value in at.items())]


def recommended(rows: Sequence[Mapping[str, Any]], at: Mapping[str, Any], loss: str | None) -> Recommendation:
    """The maker of least headline loss at a point among those that made a release there; of equal ones the fastest."""
    there, where = rows_at(rows, at), told_point(at)
    held = [row for row in there if row["status"] == MADE and loss is not None and row.get(loss) is not None]
    if not held or loss is None:
        return Recommendation(None, f"no maker made a release{where}; the holes say why")
    held = sorted(held, key=lambda row: (round(row[loss], 9), row["cpu_seconds"]))
    best, *others = held
    first = (
        f"use {best['maker']}{where}: it loses least, {percent(best[loss])} of the detail ({loss}), in "
        f"{_seconds(best['cpu_seconds'])}"
    )
    if not others:
        why = "and no other maker was asked" if len(there) == 1 else "and no other maker made a release there"
        return Recommendation(best["maker"], f"{first}, {why}")
    return Recommendation(best["maker"], f"{first}; {_next(best, others, loss)}")


def _next(best: Mapping[str, Any], others: Sequence[Mapping[str, Any]], loss: str) -> str:
    """How far the next maker is, and one that is much faster."""
    second = others[0]
    same = round(second[loss], 9) == round(best[loss], 9)
    lost = "the same" if same else percent(second[loss])
    said = f"the next, {second['maker']}, loses {lost} in {_seconds(second['cpu_seconds'])}"
    fast = [row for row in others[1:] if _much_faster(row, best)]
    if _much_faster(second, best) or not fast:
        return said
    return (
        f"{said}; {fast[0]['maker']} takes only {_seconds(fast[0]['cpu_seconds'])} and loses "
        f"{percent(fast[0][loss])}"
    )


def _much_faster(row: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
    return bool(best["cpu_seconds"] >= _SLOW and row["cpu_seconds"] * _FASTER <= best["cpu_seconds"])


def _seconds(seconds: float) -> str:
    """A time in words.

    >>> _seconds(0.04), _seconds(12.34), _seconds(600)
    ('0.04 s', '12.3 s', '10 min')
    """
    if seconds >= 120:
        return f"{number(round(seconds / 60, 1))} min"
    return f"{number(seconds) if seconds >= 10 else f'{seconds:.2g}'} s"


def told_point(at: Mapping[str, Any]) -> str:
    """A point in words, to stand behind something.

    >>> told_point({"k": 5, "m": 2})
    ' at k=5, m=2'
    """
    return f" at {', '.join(f'{name}={value:g}' for name, value in at.items())}" if at else ""
