"""What a comparison found: its rows, its table for people, and what it recommends."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from shoal import __version__
from shoal.algorithms import METHODS
from shoal.discreet import Discreet, html_table
from shoal.publish.study.compare.measures import COLUMN, MADE, SWEPT, Numbers, crossed
from shoal.report.compare import compare_figure, compare_html
from shoal.report.figures import as_plotly
from shoal.report.words import SHAPE_WORDS, at_least, number, percent
from shoal.stopping import in_one_piece
from shoal.utility import headline

__all__ = ["Comparison", "Recommendation", "recommended", "reference", "rows_at", "told_point"]

# Which method to take: the one that loses least where it counts, and how far the next one is.

_USUAL = {"k": 5}
"""The number to look at where none is configured."""
_FASTER, _SLOW = 10, 1.0
"""The next method is worth a word if it is so many times faster than one that takes so many seconds at least."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The method to take, and why; `method` is None where none made a release."""

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
    """The method of least headline loss at a point among those that made a release there; of equal ones the fastest."""
    there, where = rows_at(rows, at), told_point(at)
    held = [row for row in there if row["status"] == MADE and loss is not None and row.get(loss) is not None]
    if not held or loss is None:
        return Recommendation(None, f"no method made a release{where}; the missing points say why")
    held = sorted(held, key=lambda row: (round(row[loss], 9), row["cpu_seconds"]))
    best, *others = held
    first = (
        f"use {best['maker']}{where}: it loses least, {percent(best[loss])} of the detail ({loss}), in "
        f"{_seconds(best['cpu_seconds'])}"
    )
    if not others:
        why = (
            "and no other method was compared"
            if len(there) == 1
            else "and no other method made a release there"
        )
        return Recommendation(best["maker"], f"{first}, {why}")
    return Recommendation(best["maker"], f"{first}; {_next(best, others, loss)}")


def _next(best: Mapping[str, Any], others: Sequence[Mapping[str, Any]], loss: str) -> str:
    """How far the next method is, and one that is much faster."""
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


# What a comparison found: to read, to draw, and as plain data.


@dataclass(frozen=True, repr=False)
class Comparison(Discreet):
    """Methods at the points of a sweep: `table()` to read them, `plot()` to see them, `recommendation` to choose.

    It shows figures of the originals, so it stays where they are.

    rows     : one per point, in the order asked: the method, its numbers, status and message, losses, times, risks
    at       : the point that the recommendation is about
    sample   : how many records were drawn; None where all were taken
    floor    : what every recoding of a kind loses there at least (`ncp`); None where it was not sought
    left_out : methods that would fit and were not compared, with the reason
    notes    : what to know before figures are believed
    """

    shape: str
    records: int
    makers: tuple[str, ...]
    sweeps: Mapping[str, Numbers]
    at: Mapping[str, int | float]
    rows: Sequence[Mapping[str, Any]]
    sample: int | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    floor: float | None = None

    @cached_property
    def loss(self) -> str | None:
        """The headline loss that the methods are compared by; None where no release was made."""
        told = [found[0] for row in [*rows_at(self.rows, self.at), *self.rows] if (found := _headline(row))]
        return told[0] if told else None

    @cached_property
    def recommendation(self) -> Recommendation:
        """The method to take, and why."""
        return recommended(self.rows, self.at, self.loss)

    @property
    def floor_said(self) -> str:
        """What no release of this kind loses less than, and how many times that methods lose; or why it is not told."""
        words = SHAPE_WORDS[self.shape]
        if self.floor is None:
            return words.without_floor
        times = ", ".join(f"{name} {many:.2f} times that" for name, many in self.times_floor.items())
        beside = f"; {times}" if times else ""
        return f"{words.floor} loses less than {at_least(self.floor)}{told_point(self.at)} (ncp){beside}"

    @cached_property
    def times_floor(self) -> dict[str, float]:
        """By method of which there is a floor, how many times the floor its release loses at the point that counts."""
        made = {
            row["maker"]: row.get("ncp")
            for row in rows_at(self.rows, self.at)
            if METHODS[row["maker"]].floored
        }
        return {name: lost / self.floor for name, lost in made.items() if self.floor and lost is not None}

    @property
    def holes(self) -> list[Mapping[str, Any]]:
        """The points without a release; `message` says why."""
        return [row for row in self.rows if row["status"] != MADE]

    def facts(self) -> dict[str, object]:
        """What may be shown: how many methods and points there are, and what to take."""
        return {
            "shape": self.shape,
            "methods": ", ".join(self.makers),
            "points": len(self.rows),
            "holes": len(self.holes),
            "recommendation": self.recommendation.sentence,
        }

    def _repr_html_(self) -> str:
        head = ["method", *self.sweeps, self.loss or "loss", "seconds", "status"]
        names = ["maker", *self.sweeps, self.loss or "", "cpu_seconds", "status"]
        cells = "".join(
            f"<tr>{''.join(f'<td>{_shown(row.get(name))}</td>' for name in names)}</tr>" for row in self.rows
        )
        table = f"<table><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>{cells}</table>"
        return html_table("Comparison of methods (private)", self.facts(), table)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `shoal compare --json` prints it."""
        return {
            "shoal": __version__,
            "shape": self.shape,
            "records": self.records,
            "sample": self.sample,
            "makers": list(self.makers),
            "swept": {name: list(numbers) for name, numbers in self.sweeps.items()},
            "numbers": list(SWEPT),
            "at": dict(self.at),
            "loss": self.loss,
            "floor": {"ncp": self.floor, "sentence": self.floor_said, "times": self.times_floor},
            "recommendation": self.recommendation.as_dict(),
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
            "points": [_point(row) for row in self.rows],
        }

    def table(self) -> pl.DataFrame:
        """One row per point; what a row has no figure of is missing."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        return pl.DataFrame(
            [{name: row.get(name) for name in names} for row in self.rows],
            infer_schema_length=None,
            strict=False,
        )

    def plot(self, measure: str | None = None, over: str | None = None) -> Any:
        """Draw a measure against a number that was swept, a line per method; by default the headline loss against k."""
        return as_plotly(compare_figure(self.as_dict(), measure, over))

    @property
    def html(self) -> str:
        """The page, one offline file; it must not be published."""
        return compare_html(self.as_dict())

    def save(self, path: str | Path) -> Path:
        """Write the page; it must not be published."""
        with in_one_piece(Path(path)) as part:
            part.write_text(self.html, encoding="utf-8")
        return Path(path)


def _headline(row: Mapping[str, Any]) -> tuple[str, float] | None:
    return headline({name: value for name, value in row.items() if value is not None and name not in SWEPT})


def _point(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as plain data; what columns lost stands in an object of its own, null where one is left out."""
    plain = {name: value for name, value in row.items() if not name.startswith(COLUMN)}
    lost = {name.removeprefix(COLUMN): value for name, value in row.items() if name.startswith(COLUMN)}
    return plain | {"columns": lost if row["status"] == MADE else {}}


def _shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
