"""The whole lattice in one pass: every node's table is rolled up from the node one level below it.

The walk goes depth first and raises columns in a fixed order, so only the tables on the way from the
bottom to the current node are held: memory is bounded by their sizes, not by the lattice.

heights : int64[d]      level of each column's root
stride  : int64[d]      a node's number is sum(levels * stride); smaller numbers are smaller level vectors
order   : int64[d]      columns, the one raised in the outermost loop first
"""

import numpy as np

from shoal.kernels.jit import inner, njit
from shoal.kernels.lattice.node_measures import Extras, Prices, classes, ladder, tick
from shoal.kernels.lattice.packed_tuples import Layout, climb
from shoal.kernels.types import F8, I8

__all__ = ["offer", "sweep"]


@njit
def offer(rungs: tuple[I8, I8, F8], first: int, node: int, least: F8, where: I8, gone: I8) -> None:
    """Note each rung from `first` on that is the cheapest of its k so far; of equal losses the smaller node stays."""
    ks, suppressed, loss = rungs
    for i in range(first, len(ks)):
        k = ks[i]
        new, old = tick(loss[i]), tick(least[k])
        if new < old or (new == old and node < where[k]):
            least[k], where[k], gone[k] = loss[i], node, suppressed[i]


@inner
def _room(flat: I8, needed: int) -> I8:
    """The same numbers with room for `needed`."""
    if needed <= len(flat):
        return flat
    wider = np.empty(2 * needed, dtype=np.int64)
    for i in range(len(flat)):
        wider[i] = flat[i]
    return wider


@inner
def _close_up(flat: I8, start: int, wide: int, narrow: int, rows: int) -> None:
    """Move rows of length `wide` together so that each holds its first `narrow` numbers."""
    for w in range(1, rows):
        for i in range(narrow):
            flat[start + w * narrow + i] = flat[start + w * wide + i]


@njit
def sweep(
    words: I8,
    counts: I8,
    lattice: tuple[I8, I8, I8],
    layout: Layout,
    extras: Extras,
    prices: Prices,
    allowance: int,
    per_node: bool,
    done: I8,
) -> tuple[F8, I8, I8]:
    """The cheapest node for every k: (loss, node, suppressed), each indexed by k = 0 .. n, inf where none.

    `done`, int64[1], shows how many nodes are evaluated already.
    """
    heights, stride, order = lattice
    d, rows, n = len(heights), words.shape[0], len(counts)
    least = np.full(prices.n + 1, np.inf)
    where = np.full(prices.n + 1, np.iinfo(np.int64).max, dtype=np.int64)
    gone = np.zeros(prices.n + 1, dtype=np.int64)
    deepest = heights.sum() + 1
    size, start = np.zeros(deepest, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    came, turn = np.zeros(deepest, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    levels, keep = np.zeros(d, dtype=np.int64), np.full(rows, -1, dtype=np.int64)
    flat, tally = np.empty(4 * rows * n, dtype=np.int64), np.empty(4 * n, dtype=np.int64)
    for i in range(n):
        for w in range(rows):
            flat[w * n + i] = words[w, i]
        tally[i] = counts[i]
    size[0] = n
    depth, node, fresh = 0, 0, True
    while depth >= 0:
        m, a = size[depth], start[depth]
        if fresh:
            table = classes(flat[rows * a : rows * (a + m)].reshape((rows, m)), tally[a : a + m], extras)
            rungs = ladder(table, levels, allowance, layout, prices)
            offer(rungs, len(rungs[0]) - 1 if per_node else 0, node, least, where, gone)
            done[0] += 1
        p = turn[depth]
        while p < d and levels[order[p]] == heights[order[p]]:
            p += 1
        if p == d:
            if depth > 0:
                levels[order[came[depth]]] -= 1
                node -= stride[order[came[depth]]]
            depth -= 1
            fresh = False
            continue
        turn[depth] = p + 1
        depth += 1
        came[depth] = turn[depth] = p
        levels[order[p]] += 1
        node += stride[order[p]]
        b = a + m
        flat, tally = _room(flat, rows * (b + m)), _room(tally, b + m)
        below = flat[rows * a : rows * b].reshape((rows, m))
        above = flat[rows * b : rows * (b + m)].reshape((rows, m))
        g = climb(below, tally[a:b], keep, order[p], levels[order[p]], layout, above, tally[b : b + m])
        _close_up(flat, rows * b, m, g, rows)
        start[depth], size[depth] = b, g
        fresh = True
    return least, where, gone
