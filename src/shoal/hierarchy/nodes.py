"""Every value that record trees may be published with: the nodes of the hierarchies of all classes, side by side.

A node is a class and a set of leaves: labels that stand for the same leaves are one node, under the name nearest to
the leaves. Nodes of a class follow those of the classes that stand above it, so a descendant's number is the larger.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.base.errors import HierarchyError, InputError
from shoal.data import Trees
from shoal.data.arrays import F8, I4, I8
from shoal.hierarchy.tree import Hierarchy

__all__ = ["Nodes"]


@dataclass(frozen=True, repr=False)
class Nodes(SafeRepr):
    """The nodes of the hierarchies of all classes but the sensitive one.

    names : labels, as published
    kind  : int32[N]      the class, as the trees number it
    span  : int32[N, 2]   leaf codes lo .. hi-1 of the class's hierarchy
    up    : int32[N]      the parent; -1 over a root
    level : int32[N]      the lowest level that it stands on; a root's is the height of its hierarchy
    size  : float64[N]    |C(u)|: how many nodes of the class stand on its level
    leaf  : int32[items]  the node of each item of the trees; -1 for sensitive ones
    """

    names: tuple[str, ...]
    kind: I4
    span: I4
    up: I4
    level: I4
    size: F8
    leaf: I4

    @classmethod
    def of(cls, where: str, trees: Trees, hierarchies: Mapping[str, Hierarchy]) -> "Nodes":
        """Join the hierarchies of the trees' classes.

        Raises
        ------
        InputError
            A class that is not sensitive has no hierarchy.
        HierarchyError
            Values of a class are not leaves of its hierarchy; they travel in the error's `value`.
        """
        by_class = {
            name: _require_hierarchy(where, hierarchies, name)
            for name in trees.classes
            if name != trees.sensitive
        }
        names: list[str] = []
        rows: list[tuple[int, ...]] = []
        leaf = np.full(len(trees.values), -1, dtype=np.int32)
        for kind, name in enumerate(trees.classes):
            if name in by_class:
                node_of_span = _append_nodes(by_class[name], kind, names, rows)
                items = np.flatnonzero(trees.kinds == kind)
                codes = _leaf_codes(where, trees, by_class[name], items)
                leaf[items] = [node_of_span[code, code + 1] for code in codes.tolist()]
        table = np.array(rows, dtype=np.int32).reshape(-1, 6)
        size = table[:, 5].astype(np.float64)
        return cls(tuple(names), table[:, 0], table[:, 1:3], table[:, 3], table[:, 4], size, leaf)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each node."""
        child_lists: list[list[int]] = [[] for _ in self.names]
        for node, parent in enumerate(self.up.tolist()):
            if parent >= 0:
                child_lists[parent].append(node)
        return tuple(map(tuple, child_lists))

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The root of each class that has a hierarchy."""
        return tuple(np.flatnonzero(self.up < 0).tolist())

    @cached_property
    def places(self) -> dict[tuple[int, int, int], int]:
        """The node of each class and span."""
        spans = zip(self.kind.tolist(), *self.span.T.tolist(), strict=True)
        return {key: node for node, key in enumerate(spans)}

    def at_level(self, nodes: I4, level: int) -> I4:
        """The node over each one on a level; one that is higher already stays. -1 stays -1."""
        current = np.asarray(nodes, dtype=np.int32).copy()
        parent = np.r_[self.up, np.int32(-1)]
        low = np.r_[self.level, np.int32(0)]
        while (is_below := (parent[current] >= 0) & (low[parent[current]] <= level)).any():
            current[is_below] = parent[current[is_below]]
        return current

    def over(self, nodes: I4 | I8, chosen: I8) -> I4:
        """The place among some chosen nodes of the nearest one at or above each node; -1: there is none, or no node."""
        index_of_node = np.full(len(self.names) + 1, -1, dtype=np.int32)
        index_of_node[chosen] = np.arange(len(chosen))
        current = nodes.copy()
        while (higher := (current >= 0) & (index_of_node[current] < 0)).any():
            current[higher] = self.up[current[higher]]
        return index_of_node[current]

    @property
    def height(self) -> int:
        """The levels up to one common root above the roots of all classes, which stands for leaving a value out."""
        return int(self.level.max(initial=0)) + 1


def _require_hierarchy(where: str, hierarchies: Mapping[str, Hierarchy], name: str) -> Hierarchy:
    if name not in hierarchies:
        raise InputError(
            f"{where}: field '{name}' has no hierarchy; give it one in tree.hierarchies, drop it, or make it sensitive"
        )
    return hierarchies[name]


def _leaf_codes(where: str, trees: Trees, hierarchy: Hierarchy, items: I8) -> I4:
    """The leaf code of each item of one class."""
    codes = hierarchy.look_up([trees.values[item] for item in items])
    strange = items[codes < 0]
    if len(strange):
        nodes = np.flatnonzero(np.isin(trees.items, strange))
        location = (
            f", first in record {np.searchsorted(trees.start, nodes[0], side='right')}," if len(nodes) else ""
        )
        raise HierarchyError(
            f"{where}: field '{trees.classes[trees.kinds[items[0]]]}': {len(strange)} distinct "
            f"value(s){location} are not "
            f"in hierarchy '{hierarchy.name}'; add them to it or correct the data",
            value=tuple(trees.values[item] for item in strange),
        )
    return codes


def _append_nodes(
    hierarchy: Hierarchy, kind: int, names: list[str], rows: list[tuple[int, ...]]
) -> dict[tuple[int, int], int]:
    """Append the nodes of one hierarchy, root first, and return the place of each span."""
    low: dict[tuple[int, int], tuple[int, str]] = {}
    for level in reversed(range(hierarchy.height + 1)):  # the lowest level of equal spans names the node
        nodes = zip(hierarchy.labels[level], hierarchy.spans[level].tolist(), strict=True)
        low |= {(lo, hi): (level, label) for label, (lo, hi) in nodes}
    root = (0, hierarchy.size)
    if hierarchy.size > 1:  # the root also waits for missing cells on every level, and trees have none
        low[root] = hierarchy.height, hierarchy.root
    widths = (hierarchy.up[: hierarchy.size].max(axis=0) + 1).tolist()
    node_of_span: dict[tuple[int, int], int] = {}
    for span, (level, label) in sorted(low.items(), key=lambda entry: (entry[0][0] - entry[0][1], entry[0])):
        node_of_span[span] = len(names)
        parent = -1 if span == root else node_of_span[_parent_span(hierarchy, span, low)]
        rows.append((kind, *span, parent, level, widths[level]))
        names.append(label)
    return node_of_span


def _parent_span(
    hierarchy: Hierarchy, span: tuple[int, int], low: dict[tuple[int, int], tuple[int, str]]
) -> tuple[int, int]:
    """The next larger span over this one."""
    for level in range(low[span][0], hierarchy.height + 1):
        larger_span = tuple(hierarchy.spans[level][hierarchy.up[span[0], level]].tolist())
        if larger_span != span:
            return larger_span[0], larger_span[1]
    return 0, hierarchy.size
