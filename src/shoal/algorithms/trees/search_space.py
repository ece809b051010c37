"""Record trees made ready for a search: their synopsis tree, and for every value in play the records that hold it."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shoal.data import Trees
from shoal.data.lists import owners_by_size
from shoal.data.types import B1, I4, I8, U8
from shoal.hierarchy.published_nodes import Nodes
from shoal.kernels.trees.memo import empty, recall, remember
from shoal.kernels.trees.record_bits import clash, holders, mark
from shoal.kernels.trees.synopsis import paths, project, supports, thin

__all__ = ["Space", "Synopsis"]


@dataclass(frozen=True, slots=True)
class Synopsis:
    """The synopsis tree of a cut.

    nodes : int64[v]   the published values, rising; below they are known by their place here
    up, ends : int32[S]   each path here: the one it prolongs (-1: the root), the value it ends in
    start, path : record i shows the paths path[start[i] : start[i + 1]] of a finer synopsis tree, each once
    spot  : int32[T]   where each of those finer paths stands here, -1: nowhere
    changed : whether relations were cut
    """

    nodes: I8
    up: I4
    ends: I4
    start: I8
    path: I4
    spot: I4
    changed: bool = False

    def relations(self) -> tuple[I8, I8]:
        """Every path with each value above its end: paths, and the relation as above * v + below."""
        here, over = np.arange(len(self.up)), self.up.astype(np.int64)
        places, codes = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        while len(here):
            here, over = here[over >= 0], over[over >= 0]
            places.append(here)
            codes.append(self.ends[over].astype(np.int64) * len(self.nodes) + self.ends[here])
            over = self.up[over].astype(np.int64)
        return np.concatenate(places), np.concatenate(codes)

    def rehung(self, below: I4) -> "Synopsis":
        """The tree once the end of each path hangs below another: `below` holds that path's place, -1: the root."""
        v = len(self.nodes)
        to, up, ends = project(below, self.ends, np.arange(v, dtype=np.int32), v)
        spot = np.r_[to, np.int32(-1)][self.spot]
        return Synopsis(self.nodes, up, ends, self.start, self.path, spot, changed=True)


def _coarsened(tree: Synopsis, cut: I8, labels: I4) -> Synopsis:
    """Project a synopsis tree to a cut; `labels` hold for each node of the tree its place in the cut, or -1."""
    spot, up, ends = project(tree.up, tree.ends, labels, max(len(cut), 1))
    return Synopsis(cut, up, ends, tree.start, tree.path, np.r_[spot, np.int32(-1)][tree.spot])


@dataclass
class Space:
    """What a search over cuts looks things up in.

    Negated values are numbered behind all others: node + len(values.names) says that the node is absent.

    base   : the synopsis tree of the data themselves, `nodes` by item; `path` holds the path that each node ends
    middle : that of the coarsest cut that is as fine as every cut asked for so far: mostly much smaller
    """

    trees: Trees
    values: Nodes
    bits: U8 = field(init=False)
    base: Synopsis = field(init=False)
    middle: Synopsis = field(init=False)
    held: dict[int, int] = field(init=False, default_factory=dict)
    row: dict[int, int] = field(init=False, default_factory=dict)
    seen: dict[tuple[int, int], int] = field(init=False, default_factory=dict)
    counted: I8 = field(init=False, default_factory=empty)

    def __post_init__(self) -> None:
        trees = self.trees
        path, up, ends = paths(trees.start, trees.items, trees.parents, max(len(trees.values), 1))
        everywhere = np.arange(len(up), dtype=np.int32)
        self.base = Synopsis(self.values.leaf.astype(np.int64), up, ends, trees.start, path, everywhere)
        self._refine(np.array(self.values.roots, dtype=np.int64))
        self.bits = np.zeros((16, (trees.n + 63) // 64), dtype=np.uint64)

    @cached_property
    def _holders(self) -> tuple[I8, I4]:
        return holders(self.trees.start, self.trees.items, max(len(self.trees.values), 1))

    @cached_property
    def most(self) -> int:
        """The largest number of distinct values of a record, sensitive ones left out."""
        ends, records = self._holders
        shown = np.repeat(self.values.leaf >= 0, np.diff(ends)[: len(self.values.leaf)])
        return int(np.bincount(records[shown], minlength=1).max())

    def classes_above(self) -> list[list[int]]:
        """For each field, the fields that stand above it somewhere, or above one that does; the highest comes first."""
        kind = self.trees.kinds[self.base.ends]
        found: list[set[int]] = [set() for _ in self.trees.classes]
        here, over = np.arange(len(kind)), self.base.up.astype(np.int64)
        while len(here := here[over >= 0]):
            over = over[over >= 0]
            for high, low in np.unique(np.stack([kind[over], kind[here]], axis=1), axis=0).tolist():
                found[low].add(high)
            over = self.base.up[over].astype(np.int64)
        for low in range(len(found)):  # classes above have smaller numbers, so theirs are complete
            found[low] |= {higher for high in tuple(found[low]) for higher in found[high]}
        return [sorted(some) for some in found]

    def rows(self, nodes: tuple[int, ...]) -> I8:
        """The rows of `bits` that say which records hold each node, or with a negated one do not."""
        return np.array([self._row(node) for node in nodes], dtype=np.int64)

    def support(self, node: int) -> int:
        """How many records hold a node."""
        self._row(node)
        return self.held[node]

    def _row(self, node: int) -> int:
        if node not in self.row:
            if len(self.row) == len(self.bits):
                self.bits = np.concatenate([self.bits, np.zeros_like(self.bits)])
            place = len(self.row)
            self.held[node] = self._fill(node, place)
            self.row[node] = place
        return self.row[node]

    def _fill(self, node: int, place: int) -> int:
        nodes = len(self.values.names)
        if node >= nodes:
            there = self._row(node - nodes)
            self.bits[place] = ~self.bits[there]
            if self.trees.n % 64:
                self.bits[place, -1] &= np.uint64((1 << self.trees.n % 64) - 1)
            return self.trees.n - self.held[node - nodes]
        ends, records = self._holders
        return mark(self._items(node), ends, records, self.bits[place])

    def _items(self, node: int) -> I8:
        """The items of the trees that a node stands for."""
        lo, hi = self.values.span[node]
        leaf = self.values.leaf
        low = self.values.span[leaf, 0]
        inside = (leaf >= 0) & (self.values.kind[leaf] == self.values.kind[node]) & (low >= lo) & (low < hi)
        return np.flatnonzero(inside)

    def children(self, node: int) -> tuple[int, ...]:
        """The children of a node that occur."""
        return tuple(child for child in self.values.children[node] if self.support(child))

    def clashes(self, groups: tuple[tuple[int, ...], ...], m: int, k: int) -> bool:
        """Whether 1 to k-1 records hold some set of at most m values with one of each group."""
        rows = self.rows(tuple(node for group in groups for node in group))
        group = owners_by_size(np.array([len(nodes) for nodes in groups], dtype=np.int64))
        return bool(clash(self.bits, rows, group, m, k))

    def synopsis(self, nodes: tuple[int, ...]) -> Synopsis:
        """The synopsis tree of a cut; fields of which it holds no node are left out."""
        cut = np.array(sorted(nodes), dtype=np.int64)
        labels = self._labels(self.middle, cut)
        kinds = self.values.kind
        coarse = (labels < 0) & np.isin(kinds[self.middle.nodes], kinds[cut])
        if coarse.any():
            self._refine(
                np.union1d(self.middle.nodes[~coarse], cut[self._under(cut, self.middle.nodes[coarse])])
            )
            labels = self._labels(self.middle, cut)
        return _coarsened(self.middle, cut, labels)

    def _refine(self, nodes: I8) -> None:
        tree = _coarsened(self.base, nodes, self._labels(self.base, nodes))
        start, path = thin(tree.start, tree.path, tree.spot, len(tree.up))
        everywhere = np.arange(len(tree.up), dtype=np.int32)
        self.middle = Synopsis(nodes, tree.up, tree.ends, start, path, everywhere)

    def _labels(self, tree: Synopsis, cut: I8) -> I4:
        """For each node of a tree, the place in a cut of the node over it; -1: there is none."""
        place = np.full(len(self.values.names) + 1, -1, dtype=np.int32)
        place[cut] = np.arange(len(cut))
        at = tree.nodes.copy()
        while (higher := (at >= 0) & (place[at] < 0)).any():
            at[higher] = self.values.up[at[higher]]
        return place[at]

    def _under(self, nodes: I8, over: I8) -> B1:
        """Whether each node stands under one of the others."""
        at = nodes.copy()
        while (higher := (at >= 0) & ~np.isin(at, over)).any():
            at[higher] = self.values.up[at[higher]]
        return at >= 0

    def supports(self, tree: Synopsis) -> I8:
        """How many records hold each path of a synopsis tree; of paths met in other cuts this is known."""
        if tree.changed:
            return supports(tree.start, tree.path, tree.spot, len(tree.up))
        numbers = self._numbers(tree)
        held = recall(self.counted, numbers)
        if (held < 0).any():
            new = held < 0
            held = supports(tree.start, tree.path, tree.spot, len(tree.up))
            self.counted = remember(self.counted, len(self.seen), numbers[new], held[new])
        return held

    def _numbers(self, tree: Synopsis) -> I8:
        """Number the paths of a synopsis tree so that a path has one number in all cuts."""
        numbers = np.empty(len(tree.up), dtype=np.int64)
        for place, (over, value) in enumerate(
            zip(tree.up.tolist(), tree.nodes[tree.ends].tolist(), strict=True)
        ):
            key = (int(numbers[over]) if over >= 0 else -1, value)
            numbers[place] = self.seen.setdefault(key, len(self.seen))
        return numbers
