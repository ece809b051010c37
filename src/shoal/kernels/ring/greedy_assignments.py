"""The paper's greedy assignments out of the complete graph: near rows first, no label twice for a record.

start, items : baskets in the given order: basket i stands at place i of the circle (see `bits`)
labels       : int64[n]      the label of each record before any assignment
taken        : int32[l, n]   rows that earlier assignments gave to each record
"""

import numpy as np

from shoal.kernels.chance import shuffled
from shoal.kernels.jit import inner, njit
from shoal.kernels.ring.bitmaps import hamming
from shoal.kernels.ring.closed_walk import adopt
from shoal.kernels.types import I4, I8

__all__ = ["greedy_assignments"]


@njit
def greedy_assignments(start: I8, items: I4, labels: I8, l: int, state: I8) -> I4:
    """Find l disjoint assignments by walks that pick greedily: int32[l, n]."""
    n = len(labels)
    taken = np.empty((l, n), dtype=np.int32)
    entered = np.full(n, -1, dtype=np.int64)  # the walk that entered a row last
    head = np.full(n, -1, dtype=np.int64)  # the last hop of a record in its walk; `walked` says which walk
    walked = np.full(n, -1, dtype=np.int64)
    choice = np.zeros(n, dtype=np.int32)
    for r in range(l):
        post, owner = np.arange(n).astype(np.int32), np.arange(n).astype(np.int32)
        settled = np.zeros(n, dtype=np.bool_)
        for first in shuffled(state, n):
            if settled[first]:
                continue
            walk = r * n + first
            hops, before, made = np.empty(64, dtype=np.int32), np.empty(64, dtype=np.int64), 0
            u = first
            while True:
                if walked[u] != walk:
                    walked[u], head[u] = walk, -1
                v = _pick(start, items, labels, u, taken[:r], entered, walk, hops, before, head[u])
                if made == len(hops):
                    hops, before = np.append(hops, hops), np.append(before, before)
                hops[made], before[made], head[u] = v, head[u], made
                made += 1
                entered[v], choice[u] = walk, v
                if v == post[first]:
                    break
                u = owner[v]
            adopt(first, choice, post, owner, settled)
        taken[r] = post
    return taken


@inner
def _pick(
    start: I8,
    items: I4,
    labels: I8,
    u: int,
    taken: I4,
    entered: I8,
    walk: int,
    hops: I4,
    before: I8,
    last: int,
) -> int:
    """The nearest row along the circle that is allowed, of two equally near the more similar (Algorithm 2).

    Rows that the walk has not entered are preferred, however far. If labels forbid every row, they are ignored:
    the paper does not say what happens then, and the walk must go on.
    """
    n = len(labels)
    resort = careless = -1
    for j in range(n // 2 + 1):
        best = -1
        for v in ((u + j) % n, (u - j) % n):
            if _used(u, v, taken, hops, before, last):
                continue
            careless = v if careless < 0 else careless
            if _repeats(labels, u, v, taken):
                continue
            if best < 0 or hamming(start, items, u, v) < hamming(start, items, u, best):
                best = v
        if best >= 0:
            if entered[best] != walk:
                return best
            resort = best if resort < 0 else resort
    return resort if resort >= 0 else careless


@inner
def _used(u: int, v: int, taken: I4, hops: I4, before: I8, last: int) -> bool:
    """Whether record u was given row v by an earlier assignment, or went there in this walk."""
    for r in range(len(taken)):
        if taken[r, u] == v:
            return True
    while last >= 0:
        if hops[last] == v:
            return True
        last = before[last]
    return False


@inner
def _repeats(labels: I8, u: int, v: int, taken: I4) -> bool:
    """Whether record u already has a row of the label that row v has now."""
    for r in range(len(taken)):
        if labels[taken[r, u]] == labels[v]:
            return True
    return False
