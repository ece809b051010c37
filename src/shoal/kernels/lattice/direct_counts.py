"""How far nodes reach, each counted straight from the tuples: one pass a node, and no table of a node is kept.

codes  : int32[r, n]   row r holds one column at one level: the group of every tuple, numbered from 0
width  : int64[r]      how many groups row r has
counts : int64[n]      how many records each tuple stands for
nodes  : int64[m, d]   the rows that make up a node, -1 for a column at its root; nodes that begin alike in a row
"""

import numpy as np

from shoal.kernels.jit import inner, njit
from shoal.kernels.lattice.node_measures import reach_of
from shoal.kernels.types import I4, I8

__all__ = ["reaches"]


@inner
def _split(cells: I4, codes: I4, width: int, finer: I4) -> None:
    """Number the cells of one more column."""
    wide = np.int32(width)
    for i in range(len(cells)):
        finer[i] = cells[i] * wide + codes[i]


@inner
def _close_ranks(cells: I4, numbers: I8) -> int:
    """Number cells anew, in place, without those that no tuple is in; return how many are left."""
    for c in range(len(numbers)):
        numbers[c] = -1
    found = 0
    for i in range(len(cells)):
        if numbers[cells[i]] < 0:
            numbers[cells[i]] = found
            found += 1
        cells[i] = numbers[cells[i]]
    return found


@njit
def reaches(codes: I4, width: I8, counts: I8, nodes: I8, allowance: int) -> I8:
    """The largest k that each node serves with at most `allowance` records suppressed, int64[m].

    A node splits the cells of the columns that it shares with the node before it. Cells are numbered without gaps
    once there are more than two for a tuple.
    """
    (m, d), n = nodes.shape, len(counts)
    cells, held = np.zeros((d + 1, n), dtype=np.int32), np.zeros(d + 1, dtype=np.int64)
    many = np.ones(d + 1, dtype=np.int64)
    sizes, found = np.empty(2 * n, dtype=np.int64), np.empty(m, dtype=np.int64)
    for i in range(m):
        same = 0
        while i > 0 and same < d and nodes[i, same] == nodes[i - 1, same]:
            same += 1
        for c in range(same, d):
            row, held[c + 1], many[c + 1] = nodes[i, c], held[c], many[c]
            if row >= 0:
                held[c + 1], many[c + 1] = c + 1, many[c] * width[row]
                _split(cells[held[c]], codes[row], width[row], cells[c + 1])
            if many[c + 1] > 2 * n:
                if many[c + 1] > len(sizes):
                    sizes = np.empty(many[c + 1], dtype=np.int64)
                many[c + 1] = _close_ranks(cells[c + 1], sizes[: many[c + 1]])
        filled, of = sizes[: many[d]], cells[held[d]]
        for c in range(len(filled)):
            filled[c] = 0
        for t in range(n):
            filled[of[t]] += counts[t]
        found[i] = reach_of(filled, filled, allowance)
    return found
