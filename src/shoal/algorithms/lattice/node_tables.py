"""Single nodes on demand: their frequency tables, and what they give."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shoal.algorithms._kernels import roll_up
from shoal.algorithms.lattice._kernels import CE, Prices, classes, ladder
from shoal.algorithms.lattice.cube import Cube
from shoal.data.types import F8, I8
from shoal.hierarchy.lattice import Levels

__all__ = ["Evaluator", "Rungs", "Tables"]

HELD = 1 << 24  # tuples held at once, two words each: 256 MB


class Rungs(NamedTuple):
    """What a node gives: the k that no specialization of it exceeds, and by rising k what serving it takes."""

    reach: int
    ks: I8
    gone: I8
    loss: F8


class Tables:
    """Frequency tables of nodes, each rolled up from the longest way to it that is still held.

    The way to a node raises columns to their roots first, in two steps: this makes a table smallest, and many
    nodes have the same columns at their roots. The other columns follow one by one. Columns with the most values
    come first.
    """

    def __init__(self, cube: Cube) -> None:
        self._cube = cube
        self._order: list[int] = np.argsort(-cube.layout.mask, kind="stable").tolist()
        self._held: dict[Levels, tuple[I8, I8]] = {}
        self._tuples = 0

    def get(self, levels: Levels) -> tuple[I8, I8]:
        """The packed tuples of a node and how many records each stands for."""
        table, at = (self._cube.words, self._cube.counts), [0] * len(levels)
        for stride in filter(None, self._strides(levels)):
            for j in stride:
                at[j] = levels[j]
            way = tuple(at)
            held = self._held.pop(way, None)
            if held is None:
                keep = ~np.bitwise_or.reduce(self._cube.bits[stride[1:]], axis=0)
                held = roll_up(*table, keep, stride[0], levels[stride[0]], self._cube.layout)
                self._tuples += len(held[1])
            table = self._held[way] = held  # the last one used stands last
            while self._tuples > HELD:
                self._tuples -= len(self._held.pop(next(iter(self._held)))[1])
        return table

    def _strides(self, levels: Levels) -> Iterator[list[int]]:
        """The columns to raise, by step."""
        roots, middle = self._cube.lattice.heights, (len(levels) + 1) // 2
        for half in (self._order[:middle], self._order[middle:]):
            yield [j for j in half if levels[j] == roots[j] > 0]
        for j in self._order:
            yield [j] if 0 < levels[j] < roots[j] else []


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
