"""Labels of built hierarchies from some of the leaves alone, so that what is left out of a release leaves no trace.

A mask is as long as the longest value, groups are numbered, and round bounds lie between values: each tells something
of values that nobody may see. After records were left out, nodes get the labels that the values still there call for.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.data.types import B1

if TYPE_CHECKING:
    from shoal.hierarchy.tree import Hierarchy

__all__ = ["Grouped", "Listed", "Masked", "Naming", "Numbered"]

Labels = tuple[tuple[str, ...], ...]


class Naming(Protocol):
    """How a hierarchy's nodes are named by its leaves."""

    def labels(self, hierarchy: "Hierarchy", held: B1) -> Labels:
        """The labels by level where only the leaves `held` may be seen; what the others are called does not matter."""


@dataclass(frozen=True, slots=True)
class Masked(Naming):
    """Stars up to the longest value, at one end."""

    side: str

    def labels(self, hierarchy: "Hierarchy", held: B1) -> Labels:
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

    def labels(self, hierarchy: "Hierarchy", held: B1) -> Labels:
        """The groups in which somebody is, numbered anew."""
        found = [list(level) for level in hierarchy.labels]
        for level in range(1, hierarchy.height):
            inside = _inside(hierarchy, level, held)
            for place, node in enumerate(inside, start=1):
                found[level][node] = f"group {place} of {len(inside)}"
        return tuple(map(tuple, found))


@dataclass(frozen=True, slots=True)
class Listed(Naming):
    """Groups of which some values are named and the others counted, as `tea, milk and 3 others`."""

    def labels(self, hierarchy: "Hierarchy", held: B1) -> Labels:
        """The same names, and how many of the others are held."""
        found = [list(level) for level in hierarchy.labels]
        for level in range(1, hierarchy.height):
            for node in _inside(hierarchy, level, held):
                low, high = hierarchy.spans[level][node].tolist()
                gone = int((~held[low:high]).sum())
                found[level][node] = self.recounted(found[level][node], gone)
        return tuple(map(tuple, found))

    @staticmethod
    def recounted(label: str, gone: int) -> str:
        """The label, where so many values are gone.

        >>> Listed.recounted("tea, milk and 3 others", 2), Listed.recounted("7 rare values, A to C", 1)
        ('tea, milk and 1 other', '6 rare values, A to C')
        """
        told = _COUNTED.fullmatch(label)
        if told is None or not gone:
            return label
        left = int(told["others"] or told["rare"]) - gone
        if told["rare"]:
            return f"{max(left, 1)} rare value{'s' if left > 1 else ''}, {told['letters']}"
        return told["names"] if left < 1 else f"{told['names']} and {left} other{'s' if left > 1 else ''}"

    @staticmethod
    def stem(label: str) -> str:
        """What a label says without its number."""
        told = _COUNTED.fullmatch(label)
        return label if told is None else told["names"] or f"rare {told['letters']}"


_COUNTED = re.compile(
    r"(?P<names>.+) and (?P<others>[0-9]+) others?|(?P<rare>[0-9]+) rare values?, (?P<letters>.+)", re.S
)


@dataclass(frozen=True, slots=True)
class Numbered(Naming):
    """Groups of numbers between round bounds."""

    def labels(self, hierarchy: "Hierarchy", held: B1) -> Labels:
        """Bounds between and around the numbers that are held."""
        from shoal.hierarchy.number_ranges import bounds_around

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


def _inside(hierarchy: "Hierarchy", level: int, held: B1) -> list[int]:
    """The nodes of a level that have a leaf which is held."""
    nodes: list[int] = np.unique(hierarchy.up[: hierarchy.size, level][held]).tolist()
    return [node for node in nodes if hierarchy.labels[level][node] != hierarchy.root]


def _held_leaves(hierarchy: "Hierarchy", level: int, node: int, held: B1) -> list[str]:
    """The leaves of a node that are held."""
    lo, hi = hierarchy.spans[level][node].tolist()
    return [hierarchy.leaves[code] for code in range(lo, hi) if held[code]]
