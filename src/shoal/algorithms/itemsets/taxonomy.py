"""The nodes of a hierarchy, each once, whatever levels it stands on."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from shoal.data.types import I4
from shoal.hierarchy import Hierarchy

__all__ = ["Taxonomy"]


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Nodes in preorder: 0 is the root, and a node stands before everything below it.

    lo, hi : int32[nodes]  node a covers the leaf codes lo[a] .. hi[a]-1, no two nodes the same
    parent : int32[nodes]  the node above; the root's is itself
    labels : a node that stands on several levels has its lowest label
    """

    lo: I4
    hi: I4
    parent: I4
    labels: tuple[str, ...]

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> Self:
        """Take the nodes of a hierarchy.

        >>> hierarchy = Hierarchy.from_paths("x", [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c+", "*"]])
        >>> Taxonomy.of(hierarchy).labels
        ('*', 'ab', 'a', 'b', 'c')
        """
        named: dict[tuple[int, int], str] = {}
        for labels, spans in zip(hierarchy.labels, hierarchy.spans, strict=True):
            for label, (lo, hi) in zip(labels, spans.tolist(), strict=True):
                named.setdefault((lo, -hi), label)
        nodes = sorted(named)
        parent, above = np.zeros(len(nodes), dtype=np.int32), [0]
        for node, (lo, _) in enumerate(nodes):
            while -nodes[above[-1]][1] <= lo:
                above.pop()
            parent[node] = above[-1]
            above.append(node)
        spans = np.array(nodes, dtype=np.int32)
        return cls(spans[:, 0].copy(), -spans[:, 1], parent, tuple(named[node] for node in nodes))

    @cached_property
    def leaves(self) -> I4:
        """The node of every leaf code: the cut that changes nothing."""
        single = np.flatnonzero(self.hi - self.lo == 1)
        nodes = np.empty(int(self.hi[0]), dtype=np.int32)
        nodes[self.lo[single]] = single
        return nodes
