"""Grouping equal rows, exactly and with numpy alone; what every judge of a table starts from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.data.counting import how_many, times
from shoal.data.types import B1, I8
from shoal.errors import InputError
from shoal.release import Published, Verdict

__all__ = ["NOT_COVERED", "SHOWN", "Classes", "Ruled", "classes", "empty", "group", "merged", "ruling"]

NOT_COVERED = (
    "several releases about the same people: together they may show what each of them hides",
    "an attacker who reasons from how the method picks its release (minimality attacks)",
    "an attacker who knows several records of one person, where the data hold them",
    "an attacker who also knows a person's sensitive values or columns published as they are",
    "what can be inferred about a person's attributes beyond the stated l and t; k alone does not limit this",
)
"""What no claim about a table covers, for the report to print."""

SHOWN = 100
"""How many witnesses a verdict names."""
_WIDEST = 2**62


class Ruled(NamedTuple):
    """How many records break a claim, of how many, and the first of them, counted from 1."""

    broken: int
    records: int
    witnesses: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of records whose quasi-identifiers are equal.

    of      : int64[n]        the class of each row
    size    : int64[classes]  persons in each class: distinct ones where rows name them, else rows
    persons : int64[n]        whom each row belongs to; None when every row is a person
    counts  : int64[n]        how many records each row stands for; None when each is one
    """

    of: I8
    size: I8
    persons: I8 | None
    counts: I8 | None = None

    def share(self, rows: B1) -> str:
        """How many of all records the picked rows stand for, in words."""
        return f"{how_many(rows, self.counts)} of {how_many(np.ones(len(rows), dtype=bool), self.counts)} records"

    @property
    def word(self) -> str:
        """What `size` counts."""
        return "records" if self.persons is None else "persons"


def classes(published: Published) -> Classes:
    """Group the rows of a release by equality of all quasi-identifiers."""
    _refuse_ragged(published)
    of, heads = group(tuple(published.quasi.values()))
    if published.persons is None:
        return Classes(of, times(of, published.counts, len(heads)), None, published.counts)
    _, rows = group((of, published.persons))
    return Classes(of, np.bincount(of[rows], minlength=len(heads)), published.persons)


def group(columns: Sequence[NDArray[np.integer]]) -> tuple[I8, I8]:
    """Number the rows 0, 1, ... so that exactly the equal rows get equal numbers.

    Columns are packed into one mixed-radix 64-bit key; a key that would overflow is renumbered first, so the
    answer is exact whatever the columns hold.

    Returns
    -------
    of : int64[n]
        The number of each row.
    heads : int64[numbers]
        One row of each number.
    """
    key, width = _dense(columns[0])
    for column in columns[1:]:
        digit, radix = _dense(column)
        if width * radix > _WIDEST:
            key, width = _renumber(key, width)
        key, width = key * radix + digit, width * radix
    of, width = _renumber(key, width)
    heads = np.empty(width, dtype=np.int64)
    heads[of] = np.arange(len(of))
    return of, heads


def _dense(column: NDArray[np.integer]) -> tuple[I8, int]:
    """Numbers 0 .. width-1 that are equal where the column's are; width is O(n)."""
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
    if high - low <= _few(column):
        return column.astype(np.int64) - low, high - low + 1
    return _renumber(column, _WIDEST)


def _renumber(key: NDArray[np.integer], width: int) -> tuple[I8, int]:
    """Close the gaps: by counting where the key space is small, by sorting where it is not."""
    if width <= _few(key):
        used = np.bincount(key, minlength=width) > 0
        return (np.cumsum(used) - 1)[key], int(used.sum())
    values, place = np.unique(key, return_inverse=True)
    return place.astype(np.int64), len(values)


def _few(column: NDArray[np.integer]) -> int:
    """The largest key space for which counting beats sorting."""
    return 4 * len(column) + 1024


def empty(published: Published) -> Verdict | None:
    """Say no to a claim that would hold only because nothing could break it."""
    if not published.quasi:
        return Verdict(False, "no quasi-identifier is given, so the claim is empty")
    if not len(next(iter(published.quasi.values()))):
        return Verdict(False, "the release holds no record, so the claim is empty")
    return None


def ruling(broken: B1, sentence: str, reached: dict[str, float], counts: I8 | None = None) -> Verdict:
    """Turn the rows that break a claim into a verdict; rows that stand for several records are no witnesses."""
    rows = np.flatnonzero(broken)
    witnesses = () if counts is not None else tuple((rows[:SHOWN] + 1).tolist())
    return Verdict(not len(rows), sentence, True, how_many(broken, counts), witnesses, reached)


def merged(verdicts: Sequence[Verdict]) -> Verdict:
    """Return several verdicts on one release as one: all must be yes.

    Witnesses are the first hundred of all; `broken` is exact while no verdict has more of them, and else a lower bound.
    """
    witnesses = sorted({row for verdict in verdicts for row in verdict.witnesses})
    return Verdict(
        holds=all(verdict.holds for verdict in verdicts),
        sentence="; ".join(verdict.sentence for verdict in verdicts),
        judged=all(verdict.judged for verdict in verdicts),
        broken=max(len(witnesses), *(verdict.broken for verdict in verdicts)),
        witnesses=tuple(witnesses[:SHOWN]),
        reached={key: value for verdict in verdicts for key, value in verdict.reached.items()},
    )


def _refuse_ragged(published: Published) -> None:
    cells = {f"column '{name}'": len(codes) for name, codes in published.quasi.items()}
    cells |= {f"column '{name}'": len(column.codes) for name, column in published.sensitive.items()}
    if published.persons is not None:
        cells["the person column"] = len(published.persons)
    if published.counts is not None:
        cells["the column of counts"] = len(published.counts)
    rows = next(iter(cells.values()))
    for what, length in cells.items():
        if length != rows:
            raise InputError(
                f"judge: {what} has {length} cells, but others have {rows}; give one cell per record"
            )
