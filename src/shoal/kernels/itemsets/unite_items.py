"""Unite items into groups until no itemset of groups is rare: the cheapest union for each rare itemset.

of      : int32[items]   the group that each item is published as, named by one of its members; -1 left out
next    : int32[items]   the group's next member, in a ring
size    : int32[items]   how many members the group of that name has
worth   : float64[items] the sum of their weights
support : int64[items]   records that hold one of them
ward    : int32[items]   only groups of one ward may be united; -1 none with it
"""

from math import frexp, inf
from typing import NamedTuple

import numpy as np

from shoal.kernels.itemsets.rare_itemsets import Held, WeightedBaskets, crowded, next_rare, walk_from
from shoal.kernels.jit import inner, njit
from shoal.kernels.types import B1, F8, I4, I8

__all__ = ["FOCUSED", "NCP", "THOROUGH", "UL", "Groups", "collect", "satisfy"]


ALL = 2**62
THOROUGH, FOCUSED = 0, 1
UL, NCP = 0, 1


class Groups(NamedTuple):
    """Where the search stands, changed in place; see the head of the file.

    alive            : bool[items], whether an item names a group
    used             : int64[items], occurrences of the items of a group
    spare            : int64[1], occurrences that may still be left out
    post_start, post : by item, the rows that hold it
    stamp            : int64[rows + 1]; scratch to visit a row once, its last cell counting the visits
    """

    of: I4
    next: I4
    size: I4
    worth: F8
    support: I8
    ward: I4
    alive: B1
    used: I8
    spare: I8
    post_start: I8
    post: I4
    stamp: I8


@njit
def collect(
    baskets: WeightedBaskets,
    held: Held,
    groups: Groups,
    itemset: I4,
    k: int,
    l: int,
    first: int,
    last: int,
    itemsets: I4,
    supports: I8,
) -> int:
    """Write rare itemsets that begin with groups first .. last-1, as many as there is room for.

    They have the size of `itemset`, which shows the one that is looked at.
    """
    walk = walk_from(baskets, held, len(itemset), l, first, len(groups.alive))
    found = 0
    while found < len(supports):
        support = next_rare(baskets, held, k, l, last, groups.alive, itemset, walk)
        if support < 0:
            break
        for i in range(len(itemset)):
            itemsets[found, i] = itemset[i]
        supports[found] = support
        found += 1
    return found


@inner
def _rows(groups: Groups, group: int, rows: I4) -> int:
    """List the rows that hold a group; return how many."""
    groups.stamp[-1] += 1
    visit = groups.stamp[-1]
    found = 0
    item = group
    while True:
        for p in range(groups.post_start[item], groups.post_start[item + 1]):
            r = groups.post[p]
            if groups.stamp[r] != visit:
                groups.stamp[r] = visit
                rows[found] = r
                found += 1
        item = groups.next[item]
        if item == group:
            return found


@inner
def _holds(baskets: WeightedBaskets, groups: Groups, r: int, group: int) -> bool:
    for p in range(baskets.start[r], baskets.mid[r]):
        if groups.of[baskets.items[p]] == group:
            return True
    return False


@inner
def _held_by(
    baskets: WeightedBaskets, groups: Groups, itemset: I4, n: int, without: int, enough: int, rows: I4
) -> tuple[int, int]:
    """List the rows that hold the first n groups of an itemset, the place `without` aside: (how many, records).

    The count ends when it is `enough`.
    """
    best, records = -1, 0
    for i in range(n):
        if i != without and (best < 0 or groups.support[itemset[i]] < groups.support[itemset[best]]):
            best = i
    found = 0
    for j in range(_rows(groups, itemset[best], rows)):
        every = True
        for i in range(n):
            every = every and (i == best or i == without or _holds(baskets, groups, rows[j], itemset[i]))
        if every:
            rows[found] = rows[j]
            found += 1
            records += baskets.weight[rows[j]]
            if records >= enough:
                break
    return found, records


@inner
def _beside(
    baskets: WeightedBaskets, groups: Groups, rows: I4, n: int, lacking: int, count: I8, seen: I4, last: I8
) -> int:
    """Count per group the records of `rows` that hold it, but not `lacking`; return how many were seen."""
    found = 0
    for j in range(n):
        r = rows[j]
        if lacking >= 0 and _holds(baskets, groups, r, lacking):
            continue
        groups.stamp[-1] += 1
        visit = groups.stamp[-1]
        for p in range(baskets.start[r], baskets.mid[r]):
            g = groups.of[baskets.items[p]]
            if g < 0 or last[g] == visit:
                continue
            last[g] = visit
            if count[g] == 0:
                seen[found] = g
                found += 1
            count[g] += baskets.weight[r]
    return found


@inner
def _unite(groups: Groups, a: int, b: int, both: int) -> None:
    """Make one group of two that `both` records hold together."""
    groups.support[a] += groups.support[b] - both
    groups.size[a] += groups.size[b]
    groups.worth[a] += groups.worth[b]
    groups.used[a] += groups.used[b]
    item = b
    while True:
        groups.of[item] = a
        item = groups.next[item]
        if item == b:
            break
    groups.next[a], groups.next[b] = groups.next[b], groups.next[a]
    groups.alive[b] = False


@inner
def _price(groups: Groups, a: int, b: int, both: int, loss: int) -> tuple[int, float]:
    """What the union of two groups would cost, as exponent and mantissa: 2^|g| overflows.

    UL: (2^|g| - 1) w sup(g).  NCP: |g| w sup(g).
    """
    size = groups.size[a] + groups.size[b]
    paid = (groups.worth[a] + groups.worth[b]) / size * (groups.support[a] + groups.support[b] - both)
    if paid == 0.0:
        return -ALL, 0.0
    if loss == NCP:
        mantissa, exponent = frexp(paid * size)
        return int(exponent), mantissa
    mantissa, exponent = frexp(paid * (1.0 - 2.0**-size))
    return int(exponent) + int(size), mantissa


@inner
def _distinct(groups: Groups, itemset: I4, n: int, current: I4) -> int:
    """The groups that the first n of an itemset are in by now, each once and those left out dropped."""
    found = 0
    for i in range(n):
        g, new = groups.of[itemset[i]], True
        for j in range(found):
            new = new and current[j] != g
        if g >= 0 and new:
            current[found] = g
            found += 1
    return found


class Scratch(NamedTuple):
    """Room to count in: int64[items] all zero but for `last`, int32[items], int32[rows], int64[secrets]."""

    both: I8
    gain: I8
    last: I8
    seen: I4
    gained: I4
    rows: I4
    tally: I8


@inner
def _choose(
    baskets: WeightedBaskets,
    groups: Groups,
    current: I4,
    n: int,
    k: int,
    records: int,
    style: int,
    loss: int,
    room: Scratch,
) -> tuple[int, int, int]:
    """The cheapest union of a group of the itemset with any other: (the one, the other, records with both).

    THOROUGH looks at every group of the itemset, at unions that lift its support to k first, then at those that
    lift it at all. FOCUSED looks at its rarest group that may be united, and at nothing but the price.
    """
    one, other, common = -1, -1, 0
    tier, exponent, mantissa = ALL, 0, inf
    for i in range(n):
        a = current[i]
        if groups.ward[a] < 0:
            continue
        many = _beside(
            baskets, groups, room.rows, _rows(groups, a, room.rows), -1, room.both, room.seen, room.last
        )
        more = 0
        if n > 1 and style == THOROUGH:
            held, _ = _held_by(baskets, groups, current, n, i, ALL, room.rows)
            more = _beside(baskets, groups, room.rows, held, a, room.gain, room.gained, room.last)
        for b in range(len(groups.of)):
            if not groups.alive[b] or b == a or groups.ward[b] != groups.ward[a]:
                continue
            gain = room.gain[b] if n > 1 else groups.support[b] - room.both[b]
            level = groups.support[a] if style == FOCUSED else 0
            if style == THOROUGH and records + gain < k:
                level = 1 if gain > 0 else 2
            e, m = _price(groups, a, b, room.both[b], loss)
            if level < tier or (level == tier and (e < exponent or (e == exponent and m < mantissa))):
                one, other, common = a, b, room.both[b]
                tier, exponent, mantissa = level, e, m
        for j in range(many):
            room.both[room.seen[j]] = 0
        for j in range(more):
            room.gain[room.gained[j]] = 0
    return one, other, common


@inner
def _leave_out(groups: Groups, current: I4, n: int) -> int:
    """Publish nothing of the itemset's least used group; return by how much that exceeds what is allowed."""
    least = current[0]
    for i in range(1, n):
        if groups.used[current[i]] < groups.used[least]:
            least = current[i]
    if groups.used[least] > groups.spare[0]:
        return int(groups.used[least] - groups.spare[0])
    groups.spare[0] -= groups.used[least]
    groups.alive[least] = False
    item = least
    while groups.of[item] >= 0:
        groups.of[item] = -1
        item = groups.next[item]
    return 0


@njit
def satisfy(
    baskets: WeightedBaskets, groups: Groups, itemsets: I4, k: int, l: int, style: int, loss: int
) -> tuple[int, int]:
    """Unite groups until each itemset, as published by then, is neither rare nor crowded.

    Where nothing may be united a group is left out. Returns how many unions and groups left out it took, and how
    many occurrences more than allowed would have to be left out (0: done).
    """
    width, size = len(groups.of), itemsets.shape[1]
    room = Scratch(
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.empty(width, dtype=np.int32),
        np.empty(width, dtype=np.int32),
        np.empty(len(baskets.weight), dtype=np.int32),
        np.zeros(baskets.secrets, dtype=np.int64),
    )
    current, steps = np.empty(size, dtype=np.int32), 0
    for t in range(len(itemsets)):
        n = _distinct(groups, itemsets[t], size, current)
        while n > 0:
            held, records = _held_by(baskets, groups, current, n, -1, ALL if l else k, room.rows)
            if held == 0 or (
                records >= k and not (l and crowded(baskets, room.rows, held, l, records, room.tally))
            ):
                break
            a, b, both = _choose(baskets, groups, current, n, k, records, style, loss, room)
            if a >= 0:
                _unite(groups, a, b, both)
            else:
                excess = _leave_out(groups, current, n)
                if excess:
                    return steps, excess
            steps += 1
            n = _distinct(groups, current, n, current)
    return steps, 0
