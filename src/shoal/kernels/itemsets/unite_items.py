"""Unite items into groups until no itemset of groups is rare: the cheapest union for each rare itemset."""

import numpy as np

from shoal.kernels.itemsets.cheapest_union import Order, Scratch, choose, drop_anchor, forget, tell_union
from shoal.kernels.itemsets.item_groups import ALL, Groups, held_by
from shoal.kernels.itemsets.rare_itemsets import Held, WeightedBaskets, crowded, next_rare, walk_from
from shoal.kernels.jit import inner, njit
from shoal.kernels.types import I4, I8

__all__ = ["collect", "satisfy"]


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
    baskets: WeightedBaskets,
    groups: Groups,
    order: Order,
    itemsets: I4,
    k: int,
    l: int,
    style: int,
    loss: int,
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
        np.zeros(width, dtype=np.int64),
        np.empty(width, dtype=np.int32),
        np.array([-1, 0]),
        np.empty(width, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        np.zeros(width, dtype=np.bool_),
    )
    current, steps = np.empty(size, dtype=np.int32), 0
    for t in range(len(itemsets)):
        n = _distinct(groups, itemsets[t], size, current)
        while n > 0:
            if n == 2 and not l:
                at = drop_anchor(baskets, groups, current, n, room)
                held = records = room.near[current[1 - at]]
            else:
                held, records = held_by(baskets, groups, current, n, -1, ALL if l else k, room.rows)
            if held == 0 or (
                records >= k and not (l and crowded(baskets, room.rows, held, l, records, room.tally))
            ):
                break
            a, b, both = choose(baskets, groups, order, current, n, k, records, style, loss, room)
            if a >= 0:
                tell_union(baskets, groups, a, b, both, room)
                _unite(groups, a, b, both)
            else:
                forget(room)
                excess = _leave_out(groups, current, n)
                if excess:
                    return steps, excess
            steps += 1
            n = _distinct(groups, current, n, current)
    return steps, 0
