"""Grouping equal rows, exactly and with numpy alone; what every judge of a table starts from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.release import Published, Verdict

__all__ = ["SHOWN", "Classes", "classes", "empty", "group", "ruling"]

SHOWN = 100
"""How many witnesses a verdict names."""

_WIDEST = 2**62


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of records whose quasi-identifiers are equal.

    of      : int64[n]        the class of each row
    size    : int64[classes]  persons in each class: distinct ones where rows name them, else rows
    persons : int64[n]        who each row belongs to
    word    : what `size` counts, for sentences
    """

    of: NDArray[np.int64]
    size: NDArray[np.int64]
    persons: NDArray[np.int64] | None
    word: str


def classes(published: Published) -> Classes:
    """Group the rows of a release by equality of all quasi-identifiers."""
    _one_length(published)
    of, heads = group(list(published.quasi.values()))
    if published.persons is None:
        return Classes(of, np.bincount(of, minlength=len(heads)), None, "records")
    _, first = group([of, published.persons])
    return Classes(of, np.bincount(of[first], minlength=len(heads)), published.persons, "persons")


def group(columns: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the rows so that equal rows get equal numbers 0, 1, ...

    Returns the number of each row and, by number, one row that has it. Columns are packed into one mixed-radix
    64-bit key; a key that would overflow is first renumbered, so the answer is exact whatever the columns hold.
    """
    key, width = _dense(columns[0])
    for column in columns[1:]:
        digit, radix = _dense(column)
        if width * radix > _WIDEST:
            key, width = _renumber(key, width)
        key, width = key * radix + digit, width * radix
    key, width = _renumber(key, width)
    heads = np.empty(width, dtype=np.int64)
    heads[key] = np.arange(len(key))
    return key, heads


def _dense(column: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Numbers 0 .. width-1 that are equal where the column's are; width is at most a few times n."""
    if not len(column):
        return column.astype(np.int64), 1
    low, high = int(column.min()), int(column.max())
    if high - low < 4 * len(column) + 1024:
        return column.astype(np.int64) - low, high - low + 1
    return _renumber(column, _WIDEST)


def _renumber(key: NDArray[np.int64], width: int) -> tuple[NDArray[np.int64], int]:
    """Close the gaps: by counting where the key space is small, by sorting where it is not."""
    if width <= 4 * len(key) + 1024:
        used = np.bincount(key, minlength=width) > 0
        place = np.cumsum(used) - 1
        return place[key], int(used.sum())
    values, place = np.unique(key, return_inverse=True)
    return place.astype(np.int64), len(values)


def empty(published: Published) -> Verdict | None:
    """Say no to a claim that would hold for want of anything to break it."""
    if not published.quasi:
        return Verdict(False, "no quasi-identifier is given, so the claim is empty")
    if not len(next(iter(published.quasi.values()))):
        return Verdict(False, "the release holds no record, so the claim is empty")
    return None


def ruling(broken: NDArray[np.bool_], sentence: str, reached: dict[str, float]) -> Verdict:
    """Turn the rows that break a claim into a verdict."""
    rows = np.flatnonzero(broken)
    witnesses = tuple((rows[:SHOWN] + 1).tolist())
    return Verdict(not len(rows), sentence, True, len(rows), witnesses, reached)


def _one_length(published: Published) -> None:
    columns = {name: len(codes) for name, codes in published.quasi.items()}
    columns |= {name: len(column.codes) for name, column in published.sensitive.items()}
    rows = next(iter(columns.values()))
    for name, length in columns.items():
        if length != rows:
            raise InputError(f"judge: column '{name}' has {length} cells where others have {rows}")
    if published.persons is not None and len(published.persons) != rows:
        raise InputError(f"judge: {len(published.persons)} persons are given for {rows} records")
