"""Baskets in parts, each where it lies, coded alike. No kernels: whoever opens data imports this.

A part is a folder with the arrays start and items, in codes of the items that all parts share (`shoal.data.baskets`);
what is published is written beside them as out_start and out_items, places in the published forms, and gone, how many
items were left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data import Baskets
from shoal.data.arrays import I4, owners
from shoal.discreet import Discreet
from shoal.engines import Mapper
from shoal.io.read.parts import RawBaskets, open_arrays, save_arrays
from shoal.release import RecodedBaskets

__all__ = ["BasketParts", "PublishedParts", "basket_part", "coded_parts", "published_part"]


@dataclass(frozen=True, slots=True, repr=False)
class BasketParts(Discreet):
    """Baskets in parts.

    outline : their name, items and which of these are sensitive, without any record
    n       : how many records there are
    parts   : the folders, see the head of the file
    map     : calls a task for each part
    """

    outline: Baskets
    n: int
    parts: tuple[Path, ...]
    map: Mapper

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and in how many parts."""
        return {"records": self.n, "parts": len(self.parts), "items": len(self.outline.values)}


@dataclass(frozen=True, slots=True, repr=False)
class PublishedParts(Discreet):
    """Published baskets in parts.

    outline : forms, rule, how many records came in and how many items were left out; no record
    parts   : folders with the arrays out_start, out_items beside the original records, one to one
    """

    outline: RecodedBaskets
    parts: tuple[Path, ...]

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and in how many parts."""
        return {"records": self.outline.records, "parts": len(self.parts)}

    @property
    def rule(self) -> Mapping[str, Any]:
        """What turns new records into the same form."""
        return self.outline.rule


def basket_part(outline: Baskets, part: Path) -> Baskets:
    """The records of one part."""
    start, items = open_arrays(part, "start", "items")
    return replace(outline, start=start, items=items)


def published_part(outline: RecodedBaskets, part: Path) -> RecodedBaskets:
    """What one part publishes."""
    start, items, gone = open_arrays(part, "out_start", "out_items", "gone")
    n = len(start) - 1
    return replace(outline, start=start, items=items, rows=np.arange(n), records=n, suppressed=int(gone[0]))


def coded_parts(raw: RawBaskets, mapper: Mapper) -> BasketParts:
    """Give the records of all parts the codes that they would have in memory."""
    for _ in mapper(partial(_code, raw.place), raw.parts):
        pass
    nothing = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return BasketParts(Baskets(raw.name, raw.values, *nothing, raw.sensitive), raw.n, raw.parts, mapper)


def _code(place: I4, part: Path) -> None:
    start, items = open_arrays(part, "raw_start", "raw_items")
    width = max(len(place), 1)
    key = owners(start) * width + place[items]
    key.sort()
    save_arrays(part, start=start, items=(key % width).astype(np.int32))
