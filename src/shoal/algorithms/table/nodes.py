"""Single nodes on demand: their frequency tables, and what they give."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.table.cube import Cube
from shoal.hierarchy.lattice import Levels
from shoal.kernels.group import roll_up
from shoal.kernels.measure import CE, Prices, classes, ladder

__all__ = ["Evaluator", "Rungs", "Tables"]

I8 = NDArray[np.int64]
F8 = NDArray[np.float64]
HELD = 1 << 24  # tuples held at once, two words each: 256 MB


class Rungs(NamedTuple):
    """What a node gives: the k that no specialization of it exceeds, and by rising k what serving it takes."""

    reach: int
    ks: I8
    gone: I8
    loss: F8


class Tables:
    """Frequency tables of nodes, each rolled up from the longest way to it that is still held.

    The way to a node raises columns to their roots first, then the others, each time those with the most
    values first: few and soon small tables serve many nodes.
    """

    def __init__(self, cube: Cube) -> None:
        self._cube = cube
        self._order = np.argsort(-cube.layout.mask, kind="stable").tolist()
        self._held: dict[Levels, tuple[I8, I8]] = {}
        self._tuples = 0

    def get(self, levels: Levels) -> tuple[I8, I8]:
        """The packed tuples of a node and how many records each stands for."""
        roots = self._cube.lattice.heights
        table, at = (self._cube.words, self._cube.counts), [0] * len(levels)
        for j in sorted(self._order, key=lambda j: levels[j] < roots[j]):
            if levels[j] == 0:
                continue
            at[j] = levels[j]
            way = tuple(at)
            if way in self._held:
                table = self._held[way]
                continue
            table = roll_up(*table, j, levels[j], self._cube.layout)
            if way != levels:
                self._hold(way, table)
        return table

    def _hold(self, way: Levels, table: tuple[I8, I8]) -> None:
        self._held[way] = table
        self._tuples += len(table[1])
        while self._tuples > HELD:
            oldest = next(iter(self._held))
            self._tuples -= len(self._held.pop(oldest)[1])


class Evaluator:
    """What nodes give under one loss and allowance; with `per_node` only at the largest k each reaches."""

    def __init__(self, cube: Cube, prices: Prices, allowed: int, *, per_node: bool = False) -> None:
        self._cube, self._prices, self._allowed, self._per_node = cube, prices, allowed, per_node
        self._tables, self._extras = Tables(cube), cube.extras(target=prices.kind == CE)

    def __call__(self, levels: Levels) -> Rungs:
        """Evaluate one node."""
        table = classes(*self._tables.get(levels), self._extras)
        ks, gone, loss = ladder(table, np.array(levels), self._allowed, self._cube.layout, self._prices)
        first = len(ks) - 1 if self._per_node else 0
        return Rungs(int(ks[-1]), ks[first:], gone[first:], loss[first:])
