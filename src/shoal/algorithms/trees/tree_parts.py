"""Parts of record trees: coded alike, and recoded where they lie."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from shoal.algorithms.trees.parted_records import TreeParts
from shoal.algorithms.trees.recode_trees import apply, published_outline
from shoal.data import Trees
from shoal.data.preorder import ordered
from shoal.data.types import I4
from shoal.discreet import Discreet
from shoal.engines.parts import Mapper
from shoal.hierarchy import Hierarchies
from shoal.io.array_files import keep, opened
from shoal.io.tree_parts import RawTrees
from shoal.release import RecodedTrees

__all__ = ["RecodedParts", "coded_parts", "recode_parts", "trees_of"]


@dataclass(frozen=True, slots=True, repr=False)
class RecodedParts(Discreet):
    """Published record trees in parts.

    outline : classes, values, spans, rule, how many records came in and how many values were left out; no record
    parts   : folders with the arrays out_start, out_items, out_parents beside the original records, one to one
    """

    outline: RecodedTrees
    parts: tuple[Path, ...]

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and in how many parts."""
        return {"records": self.outline.records, "parts": len(self.parts)}

    def trees(self, part: Path) -> Trees:
        """The published records of one part."""
        return trees_of(self.outline.trees, part, "out_")


def coded_parts(raw: RawTrees, mapper: Mapper) -> TreeParts:
    """Give the records of all parts the codes and the order that they would have in memory.

    Raises
    ------
    InputError
        Two classes stand above each other.
    """
    names = sorted({kind for kind, _ in raw.pairs})
    above = np.zeros((len(names), len(names)), dtype=bool)
    for high, low in raw.over:
        above[names.index(high), names.index(low)] = True
    classes = tuple(names[place] for place in ordered(names, above))
    outline = replace(_outline(raw, classes), nesting=raw.nesting)
    for _ in mapper(partial(_code, raw.pairs, classes), raw.parts):
        pass
    return TreeParts(outline, raw.n, raw.parts, mapper)


def _outline(raw: RawTrees, classes: tuple[str, ...]) -> Trees:
    none = np.zeros(0, dtype=np.int32)
    return Trees.build(raw.pairs, np.zeros(1, dtype=np.int64), none, none, raw.sensitive, classes=classes)


def _code(pairs: tuple[tuple[str, str], ...], classes: tuple[str, ...], part: Path) -> None:
    start, items, parents = opened(part, "raw_start", "raw_items", "raw_parents")
    trees = Trees.build(pairs, start, items, parents, classes=classes)
    keep(part, start=trees.start, items=trees.items, parents=trees.parents)


def trees_of(outline: Trees, part: Path, which: str = "") -> Trees:
    """The records of one part; `which` begins the names of their arrays."""
    start, items, parents = opened(part, f"{which}start", f"{which}items", f"{which}parents")
    return replace(outline, start=start, items=items, parents=parents)


def recode_parts(
    maker: str, trees: TreeParts, hierarchies: Hierarchies, rule: Mapping[str, Any], tree: tuple[I4, I4]
) -> RecodedParts:
    """Apply a recoding to each part: its published records are written beside it.

    `tree` holds every distinct path of all records: the path that it prolongs, and its item.
    """
    outline = published_outline(maker, trees.outline, hierarchies, rule, tree)
    task = partial(_recode, maker, trees.outline, hierarchies, rule, outline.trees)
    suppressed = sum(trees.map(task, trees.parts))
    return RecodedParts(replace(outline, records=trees.n, suppressed=suppressed), trees.parts)


def _recode(
    maker: str, outline: Trees, hierarchies: Hierarchies, rule: Mapping[str, Any], shown: Trees, part: Path
) -> int:
    """Write what a part publishes, and say how many values were left out."""
    made = apply(maker, trees_of(outline, part), hierarchies, rule, outline=shown)
    trees = made.trees
    keep(part, out_start=trees.start, out_items=trees.items, out_parents=trees.parents)
    return made.suppressed
