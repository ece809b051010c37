"""How few rows hold some itemset of a row: what the row gives away to whoever knows few of its items.

start : int64[n + 1]  row i holds items[start[i] : start[i + 1]], ascending
items : int32         numbers 0 .. width-1
least : int64[n]      the fewest rows found so far that hold something of row i, itself among them; changed in place

Itemsets grow by items behind their last one. What holds only rows that are alone already (least 1) is not grown.
"""

import numpy as np

from shoal.kernels.jit import inner, njit
from shoal.kernels.types import I4, I8

__all__ = ["lower_least"]


@njit
def lower_least(
    group_start: I8, group_rows: I8, start: I8, items: I4, width: int, more: int, least: I8
) -> None:
    """Lower `least` by what is known: that a row belongs to a group, and up to `more` of its items, at most 3.

    Group g holds the rows group_rows[group_start[g] : group_start[g + 1]].
    """
    one, two, three = (
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
    )
    for g in range(len(group_start) - 1):
        rows = group_rows[group_start[g] : group_start[g + 1]]
        for row in rows:
            least[row] = min(least[row], len(rows))
        if more > 0 and not _settled(rows, least):
            at = np.empty(len(rows), dtype=np.int64)
            for i in range(len(rows)):
                at[i] = start[rows[i]]
            if more == 1:
                _last(rows, at, start, items, one, least)
            elif more == 2:
                _second(rows, at, start, items, one, two, least)
            else:
                _third(rows, at, start, items, one, two, three, least)


@inner
def _settled(rows: I8, least: I8) -> bool:
    """Whether every row is known to be alone."""
    for row in rows:
        if least[row] > 1:
            return False
    return True


@inner
def _count(rows: I8, at: I8, start: I8, items: I4, count: I8, least: I8) -> int:
    """Count in how many of the rows each item stands, from the places `at` on, and lower `least` by it.

    Returns how many places there are; `count` is not cleared.
    """
    places = 0
    for i in range(len(rows)):
        places += start[rows[i] + 1] - at[i]
        for p in range(at[i], start[rows[i] + 1]):
            count[items[p]] += 1
    for i in range(len(rows)):
        low = least[rows[i]]
        for p in range(at[i], start[rows[i] + 1]):
            low = min(low, count[items[p]])
        least[rows[i]] = low
    return places


@inner
def _clear(rows: I8, at: I8, start: I8, items: I4, count: I8) -> None:
    for i in range(len(rows)):
        for p in range(at[i], start[rows[i] + 1]):
            count[items[p]] = 0


@inner
def _last(rows: I8, at: I8, start: I8, items: I4, count: I8, least: I8) -> None:
    """Grow by one item."""
    _count(rows, at, start, items, count, least)
    _clear(rows, at, start, items, count)


@inner
def _grouped(rows: I8, at: I8, start: I8, items: I4, count: I8, places: int) -> tuple[I8, I8, I8]:
    """The rows of each item in turn: where each item's begin, the rows, the places behind the item; clears `count`."""
    ends = np.empty(places + 1, dtype=np.int64)
    held, behind = np.empty(places, dtype=np.int64), np.empty(places, dtype=np.int64)
    found, total = 0, 0
    for i in range(len(rows)):
        for p in range(at[i], start[rows[i] + 1]):
            if (
                count[items[p]] > 0
            ):  # met first: from now on minus the place where its next row goes, minus one
                ends[found] = total
                found += 1
                size = count[items[p]]
                count[items[p]] = -total - 1
                total += size
            put = -count[items[p]] - 1
            held[put], behind[put] = rows[i], p + 1
            count[items[p]] -= 1
    ends[found] = total
    _clear(rows, at, start, items, count)
    return ends[: found + 1], held, behind


@inner
def _second(rows: I8, at: I8, start: I8, items: I4, count: I8, inside: I8, least: I8) -> None:
    """Grow by one item, and by one more."""
    places = _count(rows, at, start, items, count, least)
    ends, held, behind = _grouped(rows, at, start, items, count, places)
    for g in range(len(ends) - 1):
        some = held[ends[g] : ends[g + 1]]
        if not _settled(some, least):
            _last(some, behind[ends[g] : ends[g + 1]], start, items, inside, least)


@inner
def _third(rows: I8, at: I8, start: I8, items: I4, count: I8, inside: I8, inmost: I8, least: I8) -> None:
    """Grow by one item, by one more, and by a third."""
    places = _count(rows, at, start, items, count, least)
    ends, held, behind = _grouped(rows, at, start, items, count, places)
    for g in range(len(ends) - 1):
        some = held[ends[g] : ends[g + 1]]
        if not _settled(some, least):
            _second(some, behind[ends[g] : ends[g + 1]], start, items, inside, inmost, least)
