"""Baskets and record trees in parts, each where it lies, coded alike. No kernels: whoever opens data imports this.

A part of baskets is a folder with the arrays start and items, in codes of the items that all parts share
(`shoal.data.table`); what is published is written beside them as out_start and out_items, places in the published
forms, and gone, how many items were left out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.data import Baskets, Trees
from shoal.engines import Mapper
from shoal.io.read.parts import open_arrays, save_arrays
from shoal.release import RecodedBaskets, RecodedTrees

__all__ = [
    "BasketParts",
    "PublishedParts",
    "RecodedParts",
    "TreeParts",
    "basket_part",
    "merged_parts",
    "published_part",
    "trees_of",
]


Outline = TypeVar("Outline")


@dataclass(frozen=True, slots=True, repr=False)
class _Parts(SafeRepr, Generic[Outline]):
    """Records in parts.

    outline : all but the records
    n       : how many records there are
    parts   : the folders of the parts
    map     : calls a task for each part
    """

    outline: Outline
    n: int
    parts: tuple[Path, ...]
    map: Mapper


class BasketParts(_Parts[Baskets]):
    """Baskets in parts, see the head of the file."""

    __slots__ = ()

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and in how many parts."""
        return {"records": self.n, "parts": len(self.parts), "items": len(self.outline.values)}


class TreeParts(_Parts[Trees]):
    """Record trees in parts: the arrays start, items and parents, in codes that all parts share."""

    __slots__ = ()

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and in how many parts."""
        return {"records": self.n, "parts": len(self.parts), "classes": ", ".join(self.outline.classes)}


Published = TypeVar("Published", RecodedBaskets, RecodedTrees)


@dataclass(frozen=True, slots=True, repr=False)
class _PublishedParts(SafeRepr, Generic[Published]):
    """Published records in parts.

    outline : what they are written in, rule, how many records came in and how much was left out; no record
    parts   : folders with what is published beside the original records, one to one
    """

    outline: Published
    parts: tuple[Path, ...]

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and in how many parts."""
        return {"records": self.outline.records, "parts": len(self.parts)}

    @property
    def rule(self) -> Mapping[str, Any]:
        """What turns new records into the same form."""
        return self.outline.rule


class PublishedParts(_PublishedParts[RecodedBaskets]):
    """Published baskets in parts: the arrays out_start and out_items."""

    __slots__ = ()


class RecodedParts(_PublishedParts[RecodedTrees]):
    """Published record trees in parts: the arrays out_start, out_items and out_parents."""

    __slots__ = ()

    def trees(self, part: Path) -> Trees:
        """The published records of one part."""
        return trees_of(self.outline.trees, part, "out_")

    def __iter__(self) -> Iterator[Trees]:
        """The published records, part by part."""
        return map(self.trees, self.parts)


def basket_part(outline: Baskets, part: Path) -> Baskets:
    """The records of one part."""
    start, items = open_arrays(part, "start", "items")
    return replace(outline, start=start, items=items)


def published_part(outline: RecodedBaskets, part: Path) -> RecodedBaskets:
    """What one part publishes."""
    start, items, gone = open_arrays(part, "out_start", "out_items", "gone")
    n = len(start) - 1
    return replace(outline, start=start, items=items, rows=np.arange(n), records=n, suppressed=int(gone[0]))


def merged_parts(trees: TreeParts) -> TreeParts:
    """The same records, equal siblings merged, in folders inside those of their parts."""
    if not trees.outline.repeats:
        return trees
    merged = tuple(trees.map(partial(_merge, trees.outline), trees.parts))
    return TreeParts(trees.outline.merged(), trees.n, tuple(sorted(merged)), trees.map)


def _merge(outline: Trees, part: Path) -> Path:
    trees, place = trees_of(outline, part).merged(), part / "merged"
    place.mkdir(exist_ok=True)
    save_arrays(place, start=trees.start, items=trees.items, parents=trees.parents)
    return place


def trees_of(outline: Trees, part: Path, which: str = "") -> Trees:
    """The records of one part; `which` begins the names of their arrays."""
    start, items, parents = open_arrays(part, f"{which}start", f"{which}items", f"{which}parents")
    return replace(outline, start=start, items=items, parents=parents)
