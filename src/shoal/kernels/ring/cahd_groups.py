"""CAHD's groups: each record with similar ones near it in an order, no label twice.

start, items : baskets in the given order (see `bits`)
labels       : int64[n]   0 .. count-1
group        : int64[n]   the number of each record's group
"""

import numpy as np

from shoal.kernels.arrays import counted, ranked
from shoal.kernels.jit import inner, njit
from shoal.kernels.ring.bitmaps import hamming
from shoal.kernels.types import I4, I8

__all__ = ["cahd_groups"]


_FARTHEST = 64  # times as many records looked at, on either side, as candidates are wanted


@njit
def cahd_groups(start: I8, items: I4, labels: I8, count: int, p: int, alpha: int, done: I8) -> tuple[I8, int]:
    """Group the records; the last group holds whoever is left over. Returns groups, and how many.

    Requires that no label is on more than n / p records. `done`, int64[1], shows how far in the order it is.
    """
    n = len(labels)
    group = np.full(n, -1, dtype=np.int64)
    before, after = np.arange(-1, n - 1), np.arange(1, n + 1)
    left = counted(labels, count)
    having = counted(left, n + 1)  # how many labels are on so many records that are left
    used = np.full(count, -1, dtype=np.int64)
    most, remaining, made = left.max(), n, 0
    for t in range(n):
        done[0] = t
        if group[t] >= 0:
            continue
        members = _members(start, items, labels, used, t, p, alpha, before, after)
        if members[-1] < 0:
            continue
        _count(labels, members, left, having, -1)
        fewer = most - (having[most] == 0)
        if fewer * p > remaining - p:  # what is left over must still be a group
            _count(labels, members, left, having, 1)
            continue
        for m in members:
            group[m] = made
            if before[m] >= 0:
                after[before[m]] = after[m]
            if after[m] < n:
                before[after[m]] = before[m]
        most = fewer
        remaining -= p
        made += 1
    for t in range(n):
        if group[t] < 0:
            group[t] = made
    return group, made + (remaining > 0)


@inner
def _count(labels: I8, members: I8, left: I8, having: I8, change: int) -> None:
    """Take the labels of a group, each there once, from what is left, or give them back."""
    for m in members:
        having[left[labels[m]]] -= 1
        left[labels[m]] += change
        having[left[labels[m]]] += 1


@inner
def _members(
    start: I8, items: I4, labels: I8, used: I8, t: int, p: int, alpha: int, before: I8, after: I8
) -> I8:
    """Record t and the p - 1 candidates that share most items with it; the last is -1 if there are too few.

    Candidates are the nearest on either side of which no two have one label; `used` marks labels with t.
    """
    members = np.full(p, -1, dtype=np.int64)
    members[0] = t
    candidates, common = np.empty(2 * alpha * p, dtype=np.int64), np.empty(2 * alpha * p, dtype=np.int64)
    used[labels[t]] = t
    found = 0
    for step in range(2):
        beside, wanted = t, found + alpha * p
        for _ in range(_FARTHEST * alpha * p):
            beside = before[beside] if step == 0 else after[beside]
            if found == wanted or not 0 <= beside < len(labels):
                break
            if used[labels[beside]] != t:
                used[labels[beside]] = t
                sizes = start[t + 1] - start[t] + start[beside + 1] - start[beside]
                candidates[found], common[found] = beside, sizes - hamming(start, items, t, beside)
                found += 1
    for m, c in enumerate(ranked(-common[:found])[: p - 1]):
        members[m + 1] = candidates[c]
    return members
