"""Counting combinations of items, exactly, with numpy alone and bounded memory; for the judges of baskets.

start  : int64[rows + 1]   row i holds items[start[i] : start[i + 1]]
items  : int64             numbers 0 .. width-1, ascending and without repeats within a row
weight : int64[rows]       how many records look like row i
of     : int64[n]          the row of each record
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import numpy as np

from shoal.data.lists import owners, owners_by_size
from shoal.data.types import I8
from shoal.errors import InputError
from shoal.privacy.lookalikes import group
from shoal.release import Verdict

__all__ = [
    "MOST",
    "DistinctBaskets",
    "Found",
    "budget",
    "count_within",
    "distinct_baskets",
    "hopeless",
    "itemsets",
]


MOST = 2**32
"""Combinations beyond which a judge says that it cannot judge rather than run for hours."""

_ALWAYS, _EACH = 2**26, 2**12  # combinations that are looked at in any case, and for each item or value
_AT_ONCE = 2**19  # combinations held at once for each size, unless one itemset alone extends to more


@dataclass(frozen=True, slots=True)
class DistinctBaskets:
    """Distinct baskets with their multiplicity."""

    start: I8
    items: I8
    weight: I8
    of: I8
    width: int

    @property
    def row(self) -> I8:
        """The row of every place in `items`."""
        return owners(self.start)


@dataclass(frozen=True, slots=True)
class Found:
    """Some itemsets of one size with every row that holds them.

    rows    : int64[entries]   a row
    at      : int64[entries]   the place of the itemset's last item in that row
    of      : int64[entries]   an itemset the row holds, ascending
    support : int64[itemsets]  records that hold it
    """

    rows: I8
    at: I8
    of: I8
    support: I8


def distinct_baskets(start: I8, items: I8) -> DistinctBaskets:
    """Renumber the items, drop repeats within a row, and count equal rows once."""
    if len(start) < 1 or start[0] != 0 or start[-1] != len(items) or (np.diff(start) < 0).any():
        raise InputError("judge: the baskets' offsets do not fit their items; give one basket per record")
    lengths = np.diff(start)
    values, codes = np.unique(items, return_inverse=True)
    width = max(len(values), 1)
    keys = np.sort(owners_by_size(lengths) * width + codes)
    keys = keys[np.r_[True, keys[1:] != keys[:-1]][: len(keys)]]
    row, codes = keys // width, keys % width
    ends = np.searchsorted(row, np.arange(len(lengths) + 1))
    seen: dict[bytes, int] = {}
    text = codes.astype(np.int32).tobytes()
    spans = zip((4 * ends[:-1]).tolist(), (4 * ends[1:]).tolist(), strict=True)
    of = np.fromiter((seen.setdefault(text[a:b], len(seen)) for a, b in spans), np.int64, len(lengths))
    heads = np.frombuffer(b"".join(seen), dtype=np.int32).astype(np.int64)
    bounds = np.cumsum([0, *(len(part) // 4 for part in seen)], dtype=np.int64)
    return DistinctBaskets(bounds, heads, np.bincount(of, minlength=len(seen)), of, width)


def budget(entries: int, most: int = MOST) -> int:
    """How many combinations, `most`, a judge looks at in distinct records that hold so many items or values together.

    Little data shall not ask for hours of work and gigabytes of memory: whoever verifies a folder has it from anybody.
    """
    return min(most, _ALWAYS + _EACH * entries)


def hopeless(held: DistinctBaskets, m: int, beside: I8 | None = None) -> Verdict | None:
    """Say that there are too many combinations of 1 to m items to look at; None where they are few enough.

    With so many items `beside` each row, which are weighed with every combination of it, these count as well.
    """
    most = budget(len(held.items) + (0 if beside is None else int(beside.sum())))
    weighed = np.zeros(len(held.weight), dtype=np.int64) if beside is None else beside
    kinds, rows = np.unique(np.stack([np.diff(held.start), weighed], axis=1), axis=0, return_counts=True)
    total = 0
    for (length, more), count in zip(kinds.tolist(), rows.tolist(), strict=True):
        for size in range(1, min(m, length) + 1):
            total += count * (1 + more) * comb(length, size)
            if total > most:  # those that are left may be too many to be added up
                longest = int(np.diff(held.start).max())
                return Verdict(
                    False,
                    f"not judged: records of up to {longest} items hold more than {most} combinations of up to m={m}, "
                    "too many to look at; lower m",
                    judged=False,
                )
    return None


def itemsets(found: DistinctBaskets, m: int) -> Iterator[Found]:
    """Yield every itemset of 1 to m items that occurs, in portions of bounded size.

    An itemset is grown by items that stand behind its last one, so each is met once; a portion holds whole
    itemsets, so its supports are final.
    """
    row = found.row
    if not len(row):
        return
    yield from _grown(found, row, np.arange(len(row)), np.zeros(len(row), np.int64), m)


def _grown(found: DistinctBaskets, row: I8, last: I8, of: I8, more: int) -> Iterator[Found]:
    """Number the itemsets that end at places `last` and begin as `of` says, then grow them."""
    number, heads = group((of, found.items[last]))
    order = np.argsort(number, kind="stable")
    number, last = number[order], last[order]
    rows = row[last]
    support = np.bincount(number, weights=found.weight[rows], minlength=len(heads)).astype(np.int64)
    yield Found(rows, last, number, support)
    if more == 1:
        return
    room = found.start[rows + 1] - last - 1
    for some in _portions(number, room):
        entry, step = _spread(room[some])
        if len(entry):
            yield from _grown(found, row, last[some][entry] + 1 + step, number[some][entry], more - 1)


def count_within(found: Found, start: I8, items: I8, weight: I8) -> Iterator[tuple[I8, I8]]:
    """For every itemset and every item of another list that rows hold beside: (itemset, records with both).

    `start` and `items` are that other list by row, as in `Baskets`.
    """
    room = np.diff(start)[found.rows]
    for some in _portions(found.of, room):
        entry, step = _spread(room[some])
        if not len(entry):
            continue
        rows, of = found.rows[some][entry], found.of[some][entry]
        number, heads = group((of, items[start[rows] + step]))
        both = np.bincount(number, weights=weight[rows], minlength=len(heads)).astype(np.int64)
        yield of[heads], both


def _portions(of: I8, room: I8) -> Iterator[slice]:
    """Cut entries, sorted by itemset, between itemsets so that each portion extends to few combinations."""
    edges = np.flatnonzero(np.r_[of[1:] != of[:-1], True][: len(of)]) + 1
    total = np.cumsum(room)[edges - 1]
    begin, first, done = 0, 0, 0
    while first < len(edges):
        last = max(first, int(np.searchsorted(total, done + _AT_ONCE, side="right")) - 1)
        yield slice(begin, int(edges[last]))
        begin, first, done = int(edges[last]), last + 1, int(total[last])


def _spread(room: I8) -> tuple[I8, I8]:
    """Repeat each entry as often as it has room, and number the repeats 0, 1, ..."""
    entry = owners_by_size(room)
    step = np.arange(len(entry)) - (np.cumsum(room) - room)[entry]
    return entry, step
