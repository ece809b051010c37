"""Merge classes that are too small, or break a claim, with the class where that adds least.

codes  : int32[n, d]  see `rates`
walk, starts          class c is walk[starts[c] : starts[c + 1]]
low, high, size       int64[classes, d] twice and int64[classes]: extents and records; no record is no class
into   : int64[classes]  the class that each class has become a part of
"""

import numpy as np

from shoal.kernels.arrays import copy_into
from shoal.kernels.jit import inner, njit
from shoal.kernels.local.class_prices import SET, Rates, both, cost, enter, open_class
from shoal.kernels.local.cut_line import NEVER
from shoal.kernels.local.keeps_claim import Ask, Tally, fits
from shoal.kernels.types import I4, I8

__all__ = ["absorb", "extents", "merge_small", "repair"]


@njit
def extents(codes: I4, walk: I8, starts: I8, rates: Rates) -> tuple[I8, I8]:
    """The extent of every class."""
    low, high = np.empty((2, len(starts) - 1, codes.shape[1]), dtype=np.int64)
    for c in range(len(low)):
        open_class(low[c], high[c], codes[walk[starts[c]]], rates)
        for i in range(starts[c] + 1, starts[c + 1]):
            enter(low[c], high[c], codes[walk[i]], rates)
    return low, high


@inner
def _added(low: I8, high: I8, size: I8, paid: I8, c: int, o: int, rates: Rates) -> int:
    """What the union of two classes costs more than both: CDist, when the price of a cell is its level."""
    return int((size[c] + size[o]) * both(low[c], high[c], low[o], high[o], rates) - paid[c] - paid[o])


@inner
def _nearest(
    low: I8, high: I8, size: I8, paid: I8, c: int, first: int, last: int, rates: Rates
) -> tuple[int, int]:
    """The class from `first` to `last` - 1 that adds least to class c, and how much; (-1, NEVER) if there is none."""
    least, found = NEVER, -1
    for o in range(first, last):
        if o != c and size[o] > 0:
            added = _added(low, high, size, paid, c, o, rates)
            if added < least:
                least, found = added, o
    return found, least


@inner
def _paid(low: I8, high: I8, size: I8, rates: Rates) -> I8:
    """What all records of each class pay together."""
    paid = np.empty(len(size), dtype=np.int64)
    for c in range(len(size)):
        paid[c] = size[c] * cost(low[c], high[c], rates)
    return paid


@inner
def absorb(low: I8, high: I8, size: I8, into: int, other: int, rates: Rates) -> None:
    """Widen class `into` by class `other`, which has no record afterwards."""
    for j in range(low.shape[1]):
        if rates.kind[j] == SET:
            low[into, j] |= low[other, j]
        else:
            low[into, j] = min(low[into, j], low[other, j])
            high[into, j] = max(high[into, j], high[other, j])
    size[into] += size[other]
    size[other] = 0


@njit
def merge_small(low: I8, high: I8, size: I8, k: int, rates: Rates) -> I8:
    """Unite classes below k, the closest two first, until at most one of them is left; return `into`.

    A union that reaches k takes no further part. Of equal distances the smaller pair goes first.
    """
    count = len(size)
    into = np.arange(count)
    near, gap = np.full(count, -1, dtype=np.int64), np.full(count, NEVER, dtype=np.int64)
    size, low, high = size.copy(), low.copy(), high.copy()
    paid = _paid(low, high, size, rates)
    for c in range(count):
        near[c], gap[c] = _nearest(low, high, size, paid, c, 0, count, rates)
    while True:
        least = int(np.argmin(gap))
        if gap[least] == NEVER:
            return into
        c, o = min(least, near[least]), max(least, near[least])
        absorb(low, high, size, c, o, rates)
        into[o], gap[o] = c, NEVER
        paid[c] = size[c] * cost(low[c], high[c], rates)
        if size[c] >= k:
            gap[c], size[c] = NEVER, 0
        for x in range(count):
            if size[x] > 0 and x != c:
                if near[x] == c or near[x] == o:
                    near[x], gap[x] = _nearest(low, high, size, paid, x, 0, count, rates)
                elif size[c] > 0:
                    added = _added(low, high, size, paid, x, c, rates)
                    if added < gap[x]:
                        near[x], gap[x] = c, added
        if size[c] > 0:
            near[c], gap[c] = _nearest(low, high, size, paid, c, 0, count, rates)


@inner
def _gather(head: I8, after: I8, c: int, room: I8) -> I8:
    """The records of a class, in the order in which they came together."""
    used, record = 0, head[c]
    while record >= 0:
        room[used] = record
        used += 1
        record = after[record]
    return room[:used]


@njit
def repair(
    codes: I4, walk: I8, starts: I8, reach: int, rates: Rates, ask: Ask, tally: Tally | None
) -> tuple[I8, I8, int]:
    """Merge every class that breaks the claim with the class, at most `reach` away, where that adds least.

    A class is merged until it keeps the claim; one class of all records is the end. Returns the classes as
    walk and starts, and how many mergers there were.
    """
    n, count = len(walk), len(starts) - 1
    low, high = extents(codes, walk, starts, rates)
    size = starts[1:] - starts[:-1]
    paid = _paid(low, high, size, rates)
    head, tail = walk[starts[:-1]], walk[starts[1:] - 1]
    after, room = np.full(n, -1, dtype=np.int64), np.empty(n, dtype=np.int64)
    for c in range(count):
        for i in range(starts[c], starts[c + 1] - 1):
            after[walk[i]] = walk[i + 1]
    merged = 0
    for c in range(count):
        while size[c] > 0 and not fits(_gather(head, after, c, room), ask, tally):
            o, _ = _nearest(low, high, size, paid, c, max(0, c - reach), min(count, c + reach + 1), rates)
            if o < 0:
                o, _ = _nearest(low, high, size, paid, c, 0, count, rates)
            if o < 0:
                break
            absorb(low, high, size, c, o, rates)
            paid[c] = size[c] * cost(low[c], high[c], rates)
            after[tail[c]], tail[c] = head[o], tail[o]
            merged += 1
    new_walk, new_starts = np.empty_like(walk), np.zeros(count + 1, dtype=np.int64)
    at, made = 0, 0
    for c in range(count):
        if size[c] > 0:
            records = _gather(head, after, c, room)
            copy_into(new_walk, at, records)
            at += len(records)
            made += 1
            new_starts[made] = at
    return new_walk, new_starts[: made + 1].copy(), merged
