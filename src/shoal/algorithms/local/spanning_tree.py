"""The minimum spanning tree of a table's distinct tuples under the hierarchical distance.

HDist is a sum of ultrametrics: the distance of two tuples is the height of the lowest level vector on which they are
equal. So Kruskal's edges of one weight join the tuples that become equal on the level vectors of that weight. They are
found by rolling tables up the lattice; no pair is ever looked at.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import islice, takewhile
from math import lcm, log

import numpy as np

from shoal.algorithms._kernels.tables import TupleLayout
from shoal.algorithms.local._kernels.spanning_tree import distance, join_rest, meet, unite
from shoal.data.arrays import I4, I8
from shoal.hierarchy import Hierarchy
from shoal.progress import Tell, nobody

__all__ = ["Spanning", "spanning_tree", "steps_of"]


WORK = 1 << 28  # table rows to roll up before another way is sought: some ten seconds
HELD = 1 << 25  # table rows held at once: half a gigabyte
SOON = 1 << 22  # table rows that are not worth another way: a tenth of a second
A_TABLE = 2000  # rows that could be rolled up in the time that any table takes, however small
A_PAIR = 2  # rows that could be rolled up in the time that the distance of two tuples takes


@dataclass(frozen=True, slots=True)
class Spanning:
    """A spanning tree by rising weight.

    edges  : int32[m - 1, 2]  pairs of tuples, the smaller one first
    weight : int64[m - 1]     HDist times `scale`
    how    : "lattice", "search" (the last edges found tuple by tuple) or "bounded"
    bound  : the tree weighs at most so many times the lightest; 1 unless bounded
    nodes  : level vectors looked at
    """

    edges: I4
    weight: I8
    scale: int
    how: str
    bound: int
    nodes: int

    @property
    def total(self) -> float:
        """The tree's HDist."""
        return float(self.weight.sum() / self.scale)


def steps_of(hierarchies: Sequence[Hierarchy]) -> tuple[I8, int]:
    """What one level costs in each column, both tuples climbing it, as whole numbers; and their scale."""
    heights = [max(tree.height, 1) for tree in hierarchies]
    scale = lcm(*heights)
    return np.array([2 * scale // height for height in heights], dtype=np.int64), scale


def spanning_tree(
    words: I8, layout: TupleLayout, hierarchies: Sequence[Hierarchy], work: int = WORK, tell: Tell = nobody
) -> Spanning:
    """The minimum spanning tree; if weights are equal, the smaller pair of tuples comes first.

    The lattice may have too many level vectors to finish within `work` table rows, or within what comparing all pairs
    of tuples would cost. The components left are then joined by comparing tuples, which is exact too. Where even that
    is too much, columns climb in bundles of b: there are few level vectors then, and the tree weighs at most
    b times as much as the lightest one.

    Parameters
    ----------
    words, layout
        The distinct tuples, packed; the smaller one comes first.
    hierarchies
        The hierarchy of each column.
    work
        How many table rows to roll up at most.
    tell
        Hears how far the components have become one.
    """
    step, scale = steps_of(hierarchies)
    heights = [tree.height for tree in hierarchies]
    growing = _Growing(words, layout, step, tell)
    if growing.climb(_axes(heights, 1), work):
        return growing.tree(scale, "lattice", 1)
    if growing.search(work):
        return growing.tree(scale, "search", 1)
    bundle = 2
    while bundle < len(heights) and not growing.climb(_axes(heights, bundle), work):
        bundle *= 2
    bundle = min(bundle, len(heights))
    growing.climb(_axes(heights, bundle), None)
    return growing.tree(scale, "bounded" if bundle > 1 else "lattice", bundle)


@dataclass(frozen=True, slots=True)
class _Axis:
    """Columns that climb together: `levels` int64[rungs, columns], none to all of the way up."""

    columns: I8
    levels: I8


def _axes(heights: Sequence[int], bundle: int) -> list[_Axis]:
    """The axes of the lattice, `bundle` columns each.

    The columns of a bundle stand at the same share of their heights, rounded down. If two tuples differ up to a share
    f in one column of the bundle, the bundle costs at most `bundle` times as much as this column.
    """
    axes = []
    for at in range(0, len(heights), bundle):
        columns = [j for j in range(at, min(at + bundle, len(heights))) if heights[j] > 0]
        shares = sorted({Fraction(level, heights[j]) for j in columns for level in range(heights[j] + 1)})
        levels = [[int(share * heights[j]) for j in columns] for share in shares]
        if columns:
            axes.append(_Axis(np.array(columns, dtype=np.int64), np.array(levels, dtype=np.int64)))
    return axes


class _Growing:
    """Several trees that become one."""

    def __init__(self, words: I8, layout: TupleLayout, step: I8, tell: Tell) -> None:
        self._words, self._layout, self._step, self._tell = words, layout, step, tell
        self._m = words.shape[1]
        self._parent = np.arange(self._m, dtype=np.int32)
        self._edges: list[I4] = []
        self._weights: list[I8] = []
        self._left = self._m
        self._nodes = 0

    def climb(self, axes: Sequence[_Axis], work: int | None) -> bool:
        """Kruskal over level vectors by rising weight; False if `work` did not suffice."""
        bottom = (self._words, np.arange(self._m, dtype=np.int32))
        tables = _LevelTables(axes, bottom, self._layout, self._step)
        for weight, vectors in tables.by_weight():
            if self._left == 1:
                return True
            spent = tables.rows + A_TABLE * self._nodes
            if work is not None and spent > min(work, max(SOON, A_PAIR * self._m * self._m)):
                return False
            met = [tables.raise_to(vector, self._parent) for vector in vectors]
            self._nodes += len(vectors)
            self._join(np.concatenate(met), weight)
            self._tell(1 - log(self._left) / log(self._m))  # the last few components take longest
            tables.forget(weight)
        return True

    def _outside(self) -> tuple[I8, int]:
        """The component of every tuple, and how many tuples lie outside the largest."""
        component = self._parent.astype(np.int64)
        while (above := component[component]).tobytes() != component.tobytes():
            component = above
        return component, self._m - int(np.bincount(component).max())

    def search(self, work: int) -> bool:
        """Join the components left, looking at pairs; False if too many tuples lie outside the largest."""
        component, outside = self._outside()
        if A_PAIR * outside * self._m > 4 * work:
            return False
        values, places = _values(self._words, self._layout)
        edges, weights = join_rest(values, component, places, self._step)
        for one in np.unique(weights).tolist():
            self._join(edges[weights == one], one)
        return True

    def _join(self, edges: I4, weight: int) -> None:
        edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
        kept = unite(edges, self._parent)
        self._left -= len(kept)
        self._edges.append(kept)
        self._weights.append(np.full(len(kept), weight, dtype=np.int64))

    def tree(self, scale: int, how: str, bound: int) -> Spanning:
        """The finished tree, weighed by distance."""
        edges = np.concatenate([np.empty((0, 2), dtype=np.int32), *self._edges])
        weight = np.concatenate([np.empty(0, dtype=np.int64), *self._weights])
        if how == "bounded":
            values, places = _values(self._words, self._layout)
            weight = np.array(
                [distance(values, a, b, places, self._step) for a, b in edges.tolist()], dtype=np.int64
            )
        order = np.lexsort((edges[:, 1], edges[:, 0], weight))
        return Spanning(edges[order], weight[order], scale, how, bound, self._nodes)


class _LevelTables:
    """Tables of level vectors, each made from the smallest one below it that is still held."""

    def __init__(self, axes: Sequence[_Axis], bottom: tuple[I8, I4], layout: TupleLayout, step: I8) -> None:
        self._axes, self._layout = axes, layout
        self._weights = [axis.levels @ step[axis.columns] for axis in axes]
        self._highest = max((int(np.diff(w).max()) for w in self._weights if len(w) > 1), default=0)
        self._bottom = (0,) * len(axes)
        self._held: dict[tuple[int, ...], tuple[I8, I4]] = {self._bottom: bottom}
        self._size = 0
        self.rows = 0

    def _weight(self, vector: Sequence[int]) -> int:
        return sum(int(w[rung]) for w, rung in zip(self._weights, vector, strict=True))

    def by_weight(self) -> Iterator[tuple[int, list[tuple[int, ...]]]]:
        """All level vectors above the bottom, those of one weight together, by rising weight.

        Each vector is made once: from the vector below it along its last axis that is not at the bottom.
        """
        heap = [(self._weight(vector), vector) for vector in self._next(self._bottom)]
        heap.sort()
        while heap:
            weight, vectors = heap[0][0], []
            while heap and heap[0][0] == weight:
                _, vector = heappop(heap)
                vectors.append(vector)
                for above in self._next(vector):
                    heappush(heap, (self._weight(above), above))
            yield weight, vectors

    def _next(self, vector: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        last = max((j for j, rung in enumerate(vector) if rung), default=0)
        for j in range(last, len(vector)):
            if vector[j] + 1 < len(self._axes[j].levels):
                yield (*vector[:j], vector[j] + 1, *vector[j + 1 :])

    def raise_to(self, vector: tuple[int, ...], parent: I4) -> I4:
        """Make the vector's table; return the pairs that meet in it."""
        ways = [
            (below, [j])
            for j, rung in enumerate(vector)
            if rung and (below := (*vector[:j], rung - 1, *vector[j + 1 :])) in self._held
        ]
        below, raised = min(
            ways,
            key=lambda way: len(self._held[way[0]][1]),
            default=(self._bottom, [j for j, rung in enumerate(vector) if rung]),
        )
        columns = np.concatenate([self._axes[j].columns for j in raised])
        levels = np.concatenate([self._axes[j].levels[vector[j]] for j in raised])
        words, first = self._held[below]
        self.rows += len(first)
        words, first, met = meet(words, first, columns, levels, self._layout, parent)
        if self._size + len(first) <= HELD:
            self._held[vector] = (words, first)
            self._size += len(first)
        return met

    def forget(self, weight: int) -> None:
        """Drop tables with no vector straight above them still to come; the bottom stays. The lightest came first."""
        over = [*takewhile(lambda v: self._weight(v) + self._highest < weight, islice(self._held, 1, None))]
        for vector in over:
            self._size -= len(self._held.pop(vector)[1])


def _values(words: I8, layout: TupleLayout) -> tuple[I4, I8]:
    """The tuples as values, int32[m, d], and the place of a value at every level, int64[d, levels, values]."""
    d, levels = layout.at.shape
    values = np.stack(
        [(words[layout.word[j]] >> layout.shift[j]) & layout.mask[j] for j in range(d)], axis=1
    ).astype(np.int32)
    places = np.zeros((d, levels, int(values.max(initial=0)) + 1), dtype=np.int64)
    for j in range(d):
        used = int(values[:, j].max(initial=0)) + 1
        for level in range(levels):
            start = int(layout.at[j, level])
            places[j, level, :used] = layout.places[start : start + used]
    return values, places
