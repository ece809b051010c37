"""The lattice of level vectors: a node publishes every column at one level of its hierarchy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from shoal.data.arrays import I8
from shoal.hierarchy.tree import Hierarchy

__all__ = ["Lattice", "Levels"]

Levels = tuple[int, ...]


@dataclass(frozen=True)
class Lattice:
    """All vectors of levels up to `heights`; a node's number orders nodes as their level vectors do.

    >>> lattice = Lattice((2, 1))
    >>> lattice.size, lattice.number((1, 0)), lattice.levels(3)
    (6, 2, (1, 1))
    >>> list(lattice.above((1, 0)))
    [(2, 0), (1, 1)]
    """

    heights: Levels

    @classmethod
    def of(cls, hierarchies: Sequence[Hierarchy]) -> "Lattice":
        """Span the lattice of some columns' hierarchies."""
        return cls(tuple(hierarchy.height for hierarchy in hierarchies))

    @cached_property
    def size(self) -> int:
        """How many nodes there are."""
        return prod(height + 1 for height in self.heights)

    @cached_property
    def ranks(self) -> tuple[float, ...]:
        """How many nodes have each sum of levels, from 0 on; there are as many from the top down.

        >>> Lattice((2, 1)).ranks
        (1.0, 2.0, 2.0, 1.0)
        """
        found = np.ones(1)
        for height in self.heights:
            found = np.convolve(found, np.ones(height + 1))
        return tuple(found.tolist())

    @cached_property
    def stride(self) -> Levels:
        """What one level of each column adds to a node's number."""
        return tuple(prod(h + 1 for h in self.heights[j + 1 :]) for j in range(len(self.heights)))

    @property
    def bottom(self) -> Levels:
        """The node that generalizes nothing."""
        return (0,) * len(self.heights)

    @property
    def top(self) -> Levels:
        """The node that publishes roots only."""
        return self.heights

    def number(self, levels: Levels) -> int:
        """Return the place of a node among all level vectors in lexicographic order."""
        return sum(level * step for level, step in zip(levels, self.stride, strict=True))

    def levels(self, number: int) -> Levels:
        """Return the level vector of a node's number."""
        return tuple(
            number // step % (height + 1) for step, height in zip(self.stride, self.heights, strict=True)
        )

    def nodes(self) -> Iterator[Levels]:
        """Every node, in the order of their numbers."""
        return product(*(range(height + 1) for height in self.heights))

    def above(self, levels: Levels) -> Iterator[Levels]:
        """Direct generalizations: one column one level up."""
        for j, level in enumerate(levels):
            if level < self.heights[j]:
                yield (*levels[:j], level + 1, *levels[j + 1 :])

    def below(self, levels: Levels) -> Iterator[Levels]:
        """Direct specializations: one column one level down."""
        for j, level in enumerate(levels):
            if level > 0:
                yield (*levels[:j], level - 1, *levels[j + 1 :])

    def column(self, nodes: I8, j: int) -> I8:
        """Each numbered node's level in column j."""
        return nodes // self.stride[j] % (self.heights[j] + 1)

    def next_below(self, nodes: I8, reach: I8) -> tuple[I8, I8]:
        """Go one rank down: every node all of whose direct generalizations are in `nodes`, and their least `reach`.

        `nodes` are rising numbers of one rank. A node below is made once, from the one above it in which the
        last column that is not at its root is raised.
        """
        parts = []
        roots_behind = np.ones(len(nodes), dtype=bool)
        for j in reversed(range(len(self.heights))):
            level = self.column(nodes, j)
            parts.append(nodes[roots_behind & (level > 0)] - self.stride[j])
            roots_behind &= level == self.heights[j]
        found = np.sort(np.concatenate(parts))
        least = np.full(len(found), np.iinfo(np.int64).max)
        for j, step in enumerate(self.stride):
            raised = np.flatnonzero(self.column(found, j) < self.heights[j])
            place = np.minimum(np.searchsorted(nodes, found[raised] + step), len(nodes) - 1)
            above = np.where(nodes[place] == found[raised] + step, reach[place], -1)
            least[raised] = np.minimum(least[raised], above)
        return found[least >= 0], least[least >= 0]
