"""Many nodes at once: how far each reaches, counted straight from the distinct tuples.

Rolling up tables is cheaper where they are small. In a large lattice most nodes that matter have nearly as many
classes as there are tuples, and hold their columns in ever new combinations, so that no table serves twice.
"""

import numpy as np

from shoal.algorithms.lattice._kernels import HEIGHT, Prices, reaches
from shoal.algorithms.lattice.branch_and_bound import Count
from shoal.algorithms.lattice.cube import Cube
from shoal.data.types import I4, I8

__all__ = ["counter"]

LARGE = 1 << 16  # nodes; in a smaller lattice the kernel is not worth compiling
TUPLES = 1 << 18  # with more of them, tables of nodes are much smaller
CELLS = 1 << 24  # that tuples times values of a column may come to: cells are 256 MB at most


def counter(cube: Cube, prices: Prices, allowed: int) -> Count | None:
    """What counts nodes; None where it does not pay, or more than records must be counted."""
    tuples, widest = len(cube.counts), int(cube.layout.mask.max()) + 1
    small = cube.lattice.size < LARGE or tuples > TUPLES or tuples * widest > CELLS
    every = prices.kind > HEIGHT  # nodes without a floor are all evaluated
    return None if small or every or len(cube.extras().quasi) else _Counter(cube, allowed)


class _Counter:
    """The tuples as groups of every column and level; columns with the most values come first."""

    def __init__(self, cube: Cube, allowed: int) -> None:
        layout, self._lattice = cube.layout, cube.lattice
        self._counts, self._allowed = cube.counts, allowed
        self._order = np.argsort(-layout.mask, kind="stable").tolist()
        self._row = np.full(layout.at.shape, -1)  # roots split nothing
        codes: list[I4] = []
        for j, height in enumerate(self._lattice.heights):
            places = (cube.words[layout.word[j]] >> layout.shift[j]) & layout.mask[j]
            for level in range(height):
                self._row[j, level] = len(codes)
                groups = np.unique(layout.places[layout.at[j, level] + places], return_inverse=True)[1]
                codes.append(groups.astype(np.int32))
        self._codes = np.stack(codes)
        self._width = self._codes.max(axis=1).astype(np.int64) + 1

    def __call__(self, nodes: I8) -> I8:
        rows = np.stack([self._row[j][self._lattice.column(nodes, j)] for j in self._order], axis=1)
        order = np.lexsort(rows.T[::-1])
        found = np.empty(len(nodes), dtype=np.int64)
        found[order] = reaches(self._codes, self._width, self._counts, rows[order], self._allowed)
        return found
