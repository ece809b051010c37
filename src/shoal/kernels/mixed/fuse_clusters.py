"""Clusters of records with baskets that become one: what their records pay, how different their baskets are.

start, items : int64[n + 1], int32  the baskets; items ascend within a record
low, high    : int64[c, d]          the extent of every cluster; see `rates`
size         : int64[c]             its records; 0 once it is part of another
first, after : int64[c], int64[n]   its records by falling size of basket: first[c], after[first[c]], ... until -1
others       : int64                some clusters

BTD is the bit-vector transaction distance of two records, (xor + 1) / (and + 1) x or, of a cluster the largest of two
of its records.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import inner, njit
from shoal.kernels.local.class_prices import Rates, both, cost
from shoal.kernels.local.merge_classes import absorb
from shoal.kernels.types import F8, I4, I8

__all__ = ["ClusterBaskets", "alike", "chain", "distances", "members", "prices", "unions", "unite", "within"]


class ClusterBaskets(NamedTuple):
    """Baskets, and the records of every cluster; see the head of the file."""

    start: I8
    items: I4
    first: I8
    after: I8


@njit
def chain(of: I8, order: I8, clusters: int) -> tuple[I8, I8]:
    """Link the records of every cluster in the given order: (first, after)."""
    first, after = np.full(clusters, -1, dtype=np.int64), np.full(len(of), -1, dtype=np.int64)
    for i in range(len(order) - 1, -1, -1):
        record = order[i]
        after[record] = first[of[record]]
        first[of[record]] = record
    return first, after


@njit
def members(baskets: ClusterBaskets, c: int, size: int) -> I8:
    """The records of a cluster."""
    found = np.empty(size, dtype=np.int64)
    record = baskets.first[c]
    for i in range(size):
        found[i] = record
        record = baskets.after[record]
    return found


@njit
def prices(low: I8, high: I8, rates: Rates) -> I8:
    """What each record of every cluster pays."""
    found = np.empty(len(low), dtype=np.int64)
    for c in range(len(low)):
        found[c] = cost(low[c], high[c], rates)
    return found


@njit
def alike(low: I8, high: I8, rates: Rates) -> I8:
    """Number the clusters 0, 1, ..., equal where they are published alike: their union costs no more than either."""
    paid = prices(low, high, rates)
    number = np.full(len(low), -1, dtype=np.int64)
    found = 0
    for c in range(len(low)):
        if number[c] >= 0:
            continue
        number[c] = found
        for o in range(c + 1, len(low)):
            if (
                number[o] < 0
                and paid[o] == paid[c]
                and both(low[c], high[c], low[o], high[o], rates) == paid[c]
            ):
                number[o] = found
        found += 1
    return number


@inner
def _common(start: I8, items: I4, a: int, b: int, most: int) -> int:
    """How many items two records share, `most` if more."""
    i, j, found = start[a], start[b], 0
    while found < most and i < start[a + 1] and j < start[b + 1]:
        if items[i] == items[j]:
            found += 1
        step = items[i] <= items[j]
        j += items[j] <= items[i]
        i += step
    return found


@inner
def _btd(total: int, shared: int) -> float:
    """The BTD of two records by the items that they have together and in common."""
    return (total - 2 * shared + 1) / (shared + 1) * (total - shared)


@inner
def _farthest(baskets: ClusterBaskets, c: int, o: int) -> float:
    """The largest BTD of a record of c and one of o.

    Records stand by falling size, and with every item that two of them share their distance falls: a pair is given
    up at the first that puts it below the best.
    """
    start, items, first, after = baskets
    best = 0.0
    a = first[c]
    while a >= 0:
        mine = start[a + 1] - start[a]
        b = first[o]
        if b < 0 or _btd(mine + start[b + 1] - start[b], 0) <= best:
            return best
        while b >= 0:
            total = mine + start[b + 1] - start[b]
            if _btd(total, 0) <= best:
                break
            most = 1
            while 2 * most <= total and _btd(total, most) > best:
                most += 1
            shared = _common(start, items, a, b, most)
            best = max(best, _btd(total, shared))
            b = after[b]
        a = after[a]
    return best


@njit
def distances(baskets: ClusterBaskets, c: int, others: I8) -> F8:
    """The largest BTD of a record of c and one of each other cluster."""
    found = np.empty(len(others))
    for i in range(len(others)):
        found[i] = _farthest(baskets, c, others[i])
    return found


@njit
def within(baskets: ClusterBaskets) -> F8:
    """The BTD of every cluster: the largest of two of its records."""
    found = np.empty(len(baskets.first))
    for c in range(len(found)):
        found[c] = _farthest(baskets, c, c)
    return found


@njit
def unions(low: I8, high: I8, c: int, others: I8, rates: Rates) -> I8:
    """What each record would pay if c and each other cluster became one."""
    found = np.empty(len(others), dtype=np.int64)
    for i in range(len(others)):
        found[i] = both(low[c], high[c], low[others[i]], high[others[i]], rates)
    return found


@njit
def unite(low: I8, high: I8, size: I8, baskets: ClusterBaskets, c: int, o: int, rates: Rates) -> None:
    """Make cluster o a part of cluster c, their records by falling size of basket again."""
    absorb(low, high, size, c, o, rates)
    start, first, after = baskets.start, baskets.first, baskets.after
    a, b, last = first[c], first[o], -1
    while a >= 0 or b >= 0:
        mine = a >= 0 and (b < 0 or start[a + 1] - start[a] >= start[b + 1] - start[b])
        record = a if mine else b
        if mine:
            a = after[a]
        else:
            b = after[b]
        if last < 0:
            first[c] = record
        else:
            after[last] = record
        last = record
    first[o] = -1
