"""Labels of built hierarchies from some of the leaves alone, so that what is left out of a release leaves no trace.

A mask is as long as the longest value, groups are numbered, and round bounds lie between values: each tells something
of values that nobody may see. After records were left out, nodes get the labels that the values still there call for.
"""

from dataclasses import dataclass

import numpy as np

from shoal.data.types import B1
from shoal.hierarchy.number_ranges import bounds_around
from shoal.hierarchy.tree import Hierarchy, Labels, Naming

__all__ = ["Grouped", "Masked", "Numbered"]


@dataclass(frozen=True, slots=True)
class Masked(Naming):
    """Stars up to the longest value, at one end."""

    side: str

    def labels(self, hierarchy: Hierarchy, held: B1) -> Labels:
        """The same masks, as long as the longest value that is held."""
        lengths = [len(leaf) for leaf in hierarchy.leaves]
        spare = max(lengths) - max(length for length, seen in zip(lengths, held, strict=True) if seen)

        def shorter(label: str) -> str:
            if label == hierarchy.root or "*" not in label:
                return label
            return label[: len(label) - spare] if self.side == "right" else label[spare:]

        return tuple(tuple(map(shorter, level)) for level in hierarchy.labels)


@dataclass(frozen=True, slots=True)
class Grouped(Naming):
    """Groups that are numbered in order."""

    def labels(self, hierarchy: Hierarchy, held: B1) -> Labels:
        """The groups in which somebody is, numbered anew."""
        found = [list(level) for level in hierarchy.labels]
        for level in range(1, hierarchy.height):
            inside = _inside(hierarchy, level, held)
            for place, node in enumerate(inside, start=1):
                found[level][node] = f"group {place} of {len(inside)}"
        return tuple(map(tuple, found))


@dataclass(frozen=True, slots=True)
class Numbered(Naming):
    """Groups of numbers between round bounds."""

    def labels(self, hierarchy: Hierarchy, held: B1) -> Labels:
        """Bounds between and around the numbers that are held."""
        found = [list(level) for level in hierarchy.labels]
        if hierarchy.height < 2:
            return hierarchy.labels
        lowest = _inside(hierarchy, 1, held)
        bound = bounds_around([_held_leaves(hierarchy, 1, node, held) for node in lowest])
        first = {node: place for place, node in enumerate(lowest)}
        for level in range(1, hierarchy.height):
            for node in _inside(hierarchy, level, held):
                lo, hi = hierarchy.spans[level][node].tolist()
                under = [first[n] for n in np.unique(hierarchy.up[lo:hi, 1]).tolist() if n in first]
                found[level][node] = bound(under[0], under[-1] + 1)
        return tuple(map(tuple, found))


def _inside(hierarchy: Hierarchy, level: int, held: B1) -> list[int]:
    """The nodes of a level that have a leaf which is held."""
    nodes: list[int] = np.unique(hierarchy.up[: hierarchy.size, level][held]).tolist()
    return [node for node in nodes if hierarchy.labels[level][node] != hierarchy.root]


def _held_leaves(hierarchy: Hierarchy, level: int, node: int, held: B1) -> list[str]:
    """The leaves of a node that are held."""
    lo, hi = hierarchy.spans[level][node].tolist()
    return [hierarchy.leaves[code] for code in range(lo, hi) if held[code]]
