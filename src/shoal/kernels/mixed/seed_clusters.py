"""Clusters of the records nearest to a seed, by what the two would pay together.

codes     : int32[n, d]  see `rates`; records stand in an order that no file decides, and of equals the first wins
beside    : int64        column by column and place by place, what a seed's place and each other pay together
cells     : int32[n, d]  where in `beside` each record's places stand; its end, a price beyond all, if it has a cluster
"""

import numpy as np

from shoal.kernels.jit import inner, njit
from shoal.kernels.local.class_prices import CLIMB, SET, Rates, both, price
from shoal.kernels.local.merge_classes import absorb, extents
from shoal.kernels.types import F8, I4, I8

__all__ = ["gather"]


_NEVER = 2**62
_GONE = 2**40
"""What a record pays that has a cluster: more than any other."""
_BATCH = 16
"""How many clusters leave before the records still there close up: to copy all cells for each took half the time."""


@inner
def _sink(cost: I8, who: I8, many: int) -> None:
    """Restore a heap whose top was replaced: the dearest on top, of equals the later record."""
    i = 0
    while True:
        top = i
        for child in (2 * i + 1, 2 * i + 2):
            if child < many and (
                cost[child] > cost[top] or (cost[child] == cost[top] and who[child] > who[top])
            ):
                top = child
        if top == i:
            return
        cost[i], cost[top] = cost[top], cost[i]
        who[i], who[top] = who[top], who[i]
        i = top


@inner
def _climbed(at: int, size: int, height: int, seed: int, table: I8, found: I8) -> None:
    """What the closest common node of the seed and each place costs: it only rises as one walks away."""
    for step in (-1, 1):
        level, place = 0, seed
        while 0 <= place < size:
            while table[at + level * size + seed] != table[at + level * size + place]:
                level += 1
            found[place] = table[at + (height + 1 + level) * size + seed]
            place += step


@inner
def _look(codes: I4, seed: int, rates: Rates, beside: I8) -> None:
    """Fill `beside` for one seed."""
    begin = 0
    for j in range(codes.shape[1]):
        own, size = int(codes[seed, j]), int(rates.size[j])
        found = beside[begin : begin + size]
        if rates.kind[j] == CLIMB:
            _climbed(rates.at[j], size, rates.height[j], own, rates.table, found)
        elif rates.kind[j] == SET:
            for place in range(size):
                found[place] = price(j, (1 << own) | (1 << place), 0, rates)
        else:
            for place in range(size):
                found[place] = price(j, min(own, place), max(own, place), rates)
        begin += size


@inner
def _nearest(cells: I4, seed: int, beside: I8, cost: I8, who: I8) -> None:
    """Fill `who` with the places in `cells` of the records that pay least with the seed; it is none of them.

    From the seed outwards: records stand in order, so the first met are among the nearest, and few replace them.
    """
    cost[:] = _NEVER
    who[:] = len(cells)
    for step in (1, -1):
        i = seed + step
        while 0 <= i < len(cells):
            paid = 0
            for j in range(cells.shape[1]):
                paid += beside[cells[i, j]]
            if paid < cost[0] or (paid == cost[0] and i < who[0]):
                cost[0], who[0] = paid, i
                _sink(cost, who, len(who))
            i += step


@inner
def _free(of: I8, left: I8, rank: int) -> int:
    """The place in `left` of the record that `rank` others without a cluster precede."""
    for i in range(len(left)):
        if of[left[i]] < 0:
            if rank == 0:
                return i
            rank -= 1
    return -1


@inner
def _close_up(of: I8, left: I8, cells: I4) -> int:
    """Move those without a cluster to the front, in their order; how many they are."""
    kept = 0
    for i in range(len(left)):
        if of[left[i]] < 0:
            left[kept] = left[i]
            for j in range(cells.shape[1]):
                cells[kept, j] = cells[i, j]
            kept += 1
    return kept


@inner
def _settle(codes: I4, clusters: int, of: I8, rates: Rates) -> None:
    """Let every record that is a class of its own enter the cluster whose records then pay least."""
    starts = np.zeros(len(of) + 1, dtype=np.int64)
    groups = 0
    for i in range(len(of)):
        starts[of[i] + 1] += 1
        groups = max(groups, of[i] + 1)
    starts, size = starts[: groups + 1], starts[1 : groups + 1].copy()
    for c in range(groups):
        starts[c + 1] += starts[c]
    fill, walk = starts.copy(), np.empty(len(of), dtype=np.int64)
    for i in range(len(of)):
        walk[fill[of[i]]] = i
        fill[of[i]] += 1
    low, high = extents(codes, walk, starts, rates)
    for o in range(clusters, groups):
        least, found = _NEVER, 0
        for c in range(clusters):
            paid = both(low[c], high[c], low[o], high[o], rates)
            if paid < least:
                least, found = paid, c
        of[walk[starts[o]]] = found
        absorb(low, high, size, found, o, rates)


@njit
def gather(codes: I4, draws: F8, k: int, rates: Rates, done: I8) -> I8:
    """Number every record's cluster: k records each, the last few where they fit best.

    draws : float64[n // k], uniform in [0, 1): the seed of each cluster among the records still left
    done  : int64[1], shows how many clusters there are already
    """
    n, clusters = len(codes), len(codes) // k
    of = np.full(n, -1, dtype=np.int64)
    cost, who = np.empty(k - 1, dtype=np.int64), np.empty(k - 1, dtype=np.int64)
    beside, left, cells = np.empty(rates.size.sum() + 1, dtype=np.int64), np.arange(n), codes.copy()
    beside[-1] = _GONE
    before = np.int64(0)
    for j in range(1, codes.shape[1]):
        before += rates.size[j - 1]
        for record in range(n):
            cells[record, j] += before
    for c in range(clusters):
        if c % _BATCH == 0:
            rest = _close_up(of, left, cells)
            left, cells = left[:rest], cells[:rest]
        seed = _free(of, left, int(draws[c] * (n - c * k)))
        of[left[seed]] = c
        cells[seed, 0] = len(beside) - 1
        if k > 1:
            _look(codes, left[seed], rates, beside)
            _nearest(cells, seed, beside, cost, who)
        for i in who:
            of[left[i]] = c
            cells[i, 0] = len(beside) - 1
        done[0] = c + 1
    rest = _close_up(of, left, cells)
    for place in range(rest):
        of[left[place]] = clusters + place
    _settle(codes, clusters, of, rates)
    return of
