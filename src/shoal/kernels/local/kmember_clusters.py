"""Greedy k-member clustering, and the regrouping of a few neighbouring classes by it.

codes : int32[n, d]  see `rates`
tuple_of : int64[n]  equal where records are; records stand by rising tuple, so equal ones are neighbours
unit  : int64[u]     the first record of each distinct tuple, rising: of two units the smaller one comes first
left  : int64[u]     how many records of the tuple are still without a class
walk, starts         class c is walk[starts[c] : starts[c + 1]]
"""

import numpy as np

from shoal.kernels.arrays import copy_into, sort
from shoal.kernels.jit import inner, njit
from shoal.kernels.local.class_prices import Rates, cost, enter, open_class, with_record
from shoal.kernels.local.cut_line import NEVER, class_costs
from shoal.kernels.local.keeps_claim import Ask, Tally, fits
from shoal.kernels.types import I4, I8

__all__ = ["members", "regroup"]


@inner
def _furthest(codes: I4, unit: I8, alive: I8, seed: int, rates: Rates) -> int:
    """The unit that would pay most in one class with `seed`."""
    low, high = np.empty((2, codes.shape[1]), dtype=np.int64)
    open_class(low, high, codes[unit[seed]], rates)
    most, found = -1, -1
    for i in range(len(alive)):
        paid = with_record(low, high, codes[unit[alive[i]]], rates)
        if paid > most:
            most, found = paid, alive[i]
    return found


@inner
def _cheapest(codes: I4, unit: I8, left: I8, alive: I8, low: I8, high: I8, rates: Rates) -> int:
    """The unit whose entry makes the class cost least."""
    least, found = NEVER, -1
    for i in range(len(alive)):
        if left[alive[i]] > 0:
            paid = with_record(low, high, codes[unit[alive[i]]], rates)
            if paid < least:
                least, found = paid, alive[i]
    return found


@inner
def _adds_least(low: I8, high: I8, size: I8, record: I4, many: int, rates: Rates) -> int:
    """The class to which so many equal records add least."""
    least, found = NEVER, 0
    for c in range(len(low)):
        old = size[c] * cost(low[c], high[c], rates)
        added = (size[c] + many) * with_record(low[c], high[c], record, rates) - old
        if added < least:
            least, found = added, c
    return found


@inner
def _with_records(alive: I8, left: I8) -> I8:
    """Those units that have records left, moved to the front."""
    found = 0
    for i in range(len(alive)):
        if left[alive[i]] > 0:
            alive[found] = alive[i]
            found += 1
    return alive[:found]


@njit
def members(codes: I4, unit: I8, left: I8, k: int, rates: Rates) -> tuple[I8, I8, I8]:
    """Group all records: (unit, class, how many of the unit's records) as three arrays of one length.

    A class starts with the record furthest from the last one's start and takes the record that makes it
    cost least until it has k; fewer than k that remain each go where they add least. `left` is used up.
    """
    d, total = codes.shape[1], left.sum()
    classes = max(total // k, 1)
    low, high = np.empty((2, classes, d), dtype=np.int64)
    size = np.zeros(classes, dtype=np.int64)
    which, where, many = np.empty((3, len(unit) + classes), dtype=np.int64)
    alive = np.arange(len(unit))
    used, made, seed = 0, 0, 0
    while total >= k or made == 0:
        seed = u = _furthest(codes, unit, alive, seed, rates)
        open_class(low[made], high[made], codes[unit[seed]], rates)
        while True:
            taken = min(left[u], k - size[made])
            which[used], where[used], many[used] = u, made, taken
            used += 1
            left[u] -= taken
            total -= taken
            size[made] += taken
            enter(low[made], high[made], codes[unit[u]], rates)
            if size[made] == k or total == 0:
                break
            u = _cheapest(codes, unit, left, alive, low[made], high[made], rates)
        made += 1
        alive = _with_records(alive, left)
    for i in range(len(alive)):
        u = alive[i]
        c = _adds_least(low[:made], high[:made], size, codes[unit[u]], left[u], rates)
        which[used], where[used], many[used] = u, c, left[u]
        used += 1
        size[c] += left[u]
        left[u] = 0
        enter(low[c], high[c], codes[unit[u]], rates)
    return which[:used], where[:used], many[:used]


@inner
def _clustered(codes: I4, tuple_of: I8, records: I8, k: int, rates: Rates) -> tuple[I8, I8]:
    """Greedy classes of rising `records`: the records by class, and where each class starts."""
    taken, left = np.empty(len(records), dtype=np.int64), np.zeros(len(records), dtype=np.int64)
    units = 0
    for i in range(len(records)):
        if i == 0 or tuple_of[records[i]] != tuple_of[records[i - 1]]:
            taken[units] = i
            units += 1
        left[units - 1] += 1
    near = codes[records[taken[:units]]]  # read again and again: together
    which, where, many = members(near, np.arange(units), left[:units], k, rates)
    starts = np.zeros(max(len(records) // k, 1) + 1, dtype=np.int64)
    for i in range(len(where)):
        starts[where[i] + 1] += many[i]
    for c in range(1, len(starts)):
        starts[c] += starts[c - 1]
    fill = starts.copy()
    walk = np.empty_like(records)
    for i in range(len(which)):
        u, c = which[i], where[i]
        for _ in range(many[i]):
            walk[fill[c]] = records[taken[u]]
            fill[c] += 1
            taken[u] += 1
    return walk, starts


@inner
def _all_fit(walk: I8, starts: I8, ask: Ask, tally: Tally | None) -> bool:
    """Whether every class keeps the claim."""
    for c in range(len(starts) - 1):
        if not fits(walk[starts[c] : starts[c + 1]], ask, tally):
            return False
    return True


@njit
def regroup(
    codes: I4,
    tuple_of: I8,
    walk: I8,
    starts: I8,
    turn: I8,
    width: int,
    largest: int,
    rates: Rates,
    ask: Ask,
    tally: Tally | None,
) -> tuple[I8, I8]:
    """Cluster the classes again, `width` at a time, in the order of `turn`; keep what became cheaper.

    More than `largest` records together are left alone.
    """
    paid = class_costs(codes, walk, starts, rates)
    new_walk, new_starts = np.empty_like(walk), np.zeros(len(walk) + 1, dtype=np.int64)
    at, made = 0, 0
    for begin in range(0, len(turn), width):
        end = min(begin + width, len(turn))
        old, room = 0, at
        for q in range(begin, end):
            c = turn[q]
            old += paid[c]
            for i in range(starts[c], starts[c + 1]):
                new_walk[at] = walk[i]
                at += 1
            new_starts[made + q - begin + 1] = at
        if old > 0 and at - room <= largest:
            rising = new_walk[room:at].copy()
            sort(rising)
            records, inside = _clustered(codes, tuple_of, rising, ask.k, rates)
            now = class_costs(codes, records, inside, rates).sum()
            if now < old and _all_fit(records, inside, ask, tally):
                copy_into(new_walk, room, records)
                for c in range(1, len(inside)):
                    new_starts[made + c] = room + inside[c]
                made += len(inside) - 1
                continue
        made += end - begin
    return new_walk, new_starts[: made + 1].copy()
