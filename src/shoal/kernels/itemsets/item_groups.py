"""Groups of items as the search for unions keeps them, and the rows that hold them.

of      : int32[items]   the group that each item is published as, named by one of its members; -1 left out
next    : int32[items]   the group's next member, in a ring
size    : int32[items]   how many members the group of that name has
worth   : float64[items] the sum of their weights
support : int64[items]   records that hold one of them
ward    : int32[items]   only groups of one ward may be united; -1 none with it
"""

from typing import NamedTuple

from shoal.kernels.itemsets.rare_itemsets import WeightedBaskets
from shoal.kernels.jit import inner
from shoal.kernels.types import B1, F8, I4, I8

__all__ = ["ALL", "Groups", "beside", "held_by", "holds", "rows_of"]


ALL = 2**62


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


# Arrays are taken out of their tuples before a loop: each look into a tuple counts who holds the array.


@inner
def rows_of(groups: Groups, group: int, rows: I4) -> int:
    """List the rows that hold a group; return how many."""
    stamp, post_start, post, following = groups.stamp, groups.post_start, groups.post, groups.next
    stamp[-1] += 1
    visit = stamp[-1]
    found = 0
    item = group
    while True:
        for p in range(post_start[item], post_start[item + 1]):
            r = post[p]
            if stamp[r] != visit:
                stamp[r] = visit
                rows[found] = r
                found += 1
        item = following[item]
        if item == group:
            return found


@inner
def holds(items: I4, of: I4, first: int, last: int, group: int) -> bool:
    """Whether a row, whose items stand between two places, holds a group."""
    for p in range(first, last):
        if of[items[p]] == group:
            return True
    return False


@inner
def held_by(
    baskets: WeightedBaskets, groups: Groups, itemset: I4, n: int, without: int, enough: int, rows: I4
) -> tuple[int, int]:
    """List the rows that hold the first n groups of an itemset, the place `without` aside: (how many, records).

    The count ends when it is `enough`.
    """
    start, mid, items, weight, of = baskets.start, baskets.mid, baskets.items, baskets.weight, groups.of
    best, records, support = -1, 0, groups.support
    for i in range(n):
        if i != without and (best < 0 or support[itemset[i]] < support[itemset[best]]):
            best = i
    found = 0
    for j in range(rows_of(groups, itemset[best], rows)):
        r, every = rows[j], True
        for i in range(n):
            every = every and (i == best or i == without or holds(items, of, start[r], mid[r], itemset[i]))
        if every:
            rows[found] = r
            found += 1
            records += weight[r]
            if records >= enough:
                break
    return found, records


@inner
def beside(
    baskets: WeightedBaskets, groups: Groups, rows: I4, n: int, lacking: int, count: I8, seen: I4, last: I8
) -> int:
    """Count per group the records of `rows` that hold it, but not `lacking`; return how many were seen."""
    start, mid, items, weight, of = baskets.start, baskets.mid, baskets.items, baskets.weight, groups.of
    stamp, found = groups.stamp, 0
    for j in range(n):
        r = rows[j]
        if lacking >= 0 and holds(items, of, start[r], mid[r], lacking):
            continue
        stamp[-1] += 1
        visit = stamp[-1]
        for p in range(start[r], mid[r]):
            g = of[items[p]]
            if g < 0 or last[g] == visit:
                continue
            last[g] = visit
            if count[g] == 0:
                seen[found] = g
                found += 1
            count[g] += weight[r]
    return found
