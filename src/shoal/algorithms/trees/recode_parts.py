"""Parts of record trees recoded where they lie."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from shoal.algorithms.trees.recode_trees import apply, published_outline
from shoal.algorithms.trees.tree_parts import RecodedParts, TreeParts, trees_of
from shoal.data import Trees
from shoal.data.types import I4
from shoal.hierarchy import Hierarchies
from shoal.io.array_files import keep

__all__ = ["recode_parts"]


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
