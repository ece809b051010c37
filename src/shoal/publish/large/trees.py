"""Record trees that do not fit in memory: read into parts, recoded, written and judged where they lie."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import pairwise
from operator import add
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from shoal.algorithms.parts import RecodedParts, TreeParts, coded_tree_parts, trees_of
from shoal.data import Trees
from shoal.data.arrays import prefix_sums
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.io.config import Config
from shoal.io.formats import TREE_FILES
from shoal.io.read.parts import PART, read_tree_parts
from shoal.io.write.nested_trees import write_lines, write_nested_records
from shoal.io.write.trees import read_pieces
from shoal.parts.folder import PrivateFolder
from shoal.privacy.support_counting import check_tree_parts
from shoal.publish.large.parts import (
    DistinctCounter,
    InParts,
    LossSums,
    PartCounts,
    joint_verdict,
    tree_hashes,
)
from shoal.publish.part_writing import PartWriting, other_records_error
from shoal.release import RecodedTrees, Result, Verdict
from shoal.shapes.trees.data import TreeData, spec_of, tree_data
from shoal.shapes.trees.verification import judge_tree_parts, tree_truth, value_pairs
from shoal.shapes.untold import find_uninformative_trees
from shoal.utility import TreeCase

__all__ = [
    "LargeTreeWriting",
    "LargeTrees",
    "large_trees",
    "parts_of",
]


_NODE = 8  # bytes
_WRITERS = {
    "nested": partial(write_nested_records, rows=False),
    "nested rows": partial(write_nested_records, rows=True),
}


def large_trees(config: Config, room: PrivateFolder) -> "LargeTrees":
    """Read the trees that a configuration names into parts inside `room`."""
    assert config.tree is not None
    path = config.data.path
    assert path is not None
    encoding, missing = config.data.encoding, config.data.missing
    raw = read_tree_parts(path, room.path, spec_of(config), records=PART, encoding=encoding, missing=missing)
    parts = coded_tree_parts(raw, room.mapper)
    made = tree_data(path.name, parts.outline, config.tree.hierarchies, config.tree.negations)
    return LargeTrees(
        made.source, made.trees, made.hierarchies, made.negations, parts=parts, held=raw.nodes, room=room
    )


def parts_of(release: Any) -> RecodedParts:
    """The release of parts."""
    assert isinstance(release, RecodedParts)
    return release


# --- their way through the door


class LargeTreeWriting(PartWriting):
    """What the door asks of large record trees; a row has the nodes of a record as bytes."""

    def of_parts(self) -> Iterator[pl.DataFrame]:
        """What each part publishes."""
        return map(_packed, self._release)

    def of_file(self) -> Iterator[pl.DataFrame]:
        """The records of the public file in pieces, in the codes of the release."""
        shown = self._outline
        known = value_pairs(shown)
        code = {pair: place for place, pair in enumerate(known)}
        for piece in read_pieces(self.place.parent, self._format, PART):
            own = np.array([code.get(pair, -1) for pair in value_pairs(piece)], dtype=np.int32)
            if (own < 0).any():
                raise other_records_error()
            arrays = piece.start, own[piece.items], piece.parents
            trees = Trees.build(known, *arrays, shown.sensitive, classes=shown.classes, repeats=shown.repeats)
            self._kept(start=trees.start, items=trees.items, parents=trees.parents)
            yield _packed(trees)

    def append(self, records: pl.DataFrame, file: BinaryIO) -> None:
        """Write records behind those of the public file."""
        both = np.frombuffer(b"".join(records["nodes"]), dtype=np.int32).reshape(-1, 2)
        start = prefix_sums(records["nodes"].bin.size().to_numpy() // _NODE)
        trees = replace(self._outline, start=start, items=both[:, 0].copy(), parents=both[:, 1].copy())
        write = _WRITERS.get(self._format, write_lines)
        write(replace(trees, nesting=self._data.trees.nesting), file)

    def verdict(self) -> Verdict:
        """Judge the claim on the pieces that were read back."""
        claim: Any = self.draft.claim
        return judge_tree_parts(
            claim, self._outline, self._pieces, self._data.hierarchies, self._data.parts.map
        )

    @property
    def _outline(self) -> Trees:
        return parts_of(self._release).outline.trees

    @property
    def _format(self) -> str:
        return next(format for format, name in TREE_FILES.items() if name == self.place.name)


def _packed(trees: Trees) -> pl.DataFrame:
    """The nodes of each record as bytes: of every node its item and its parent."""
    nodes = np.stack([trees.items, trees.parents], axis=1).astype(np.int32).tobytes()
    cells = [nodes[first:last] for first, last in pairwise((_NODE * trees.start).tolist())]
    return pl.DataFrame({"nodes": pl.Series(cells, dtype=pl.Binary)})


@dataclass(frozen=True, repr=False)
class LargeTrees(InParts, TreeData):
    """Record trees in parts; `trees` has their classes and values, and no record."""

    parts: TreeParts = field(kw_only=True)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What methods of record trees take."""
        return {"trees": self.parts, "hierarchies": self.hierarchies}

    def assemble(self, release: Any) -> Trees:
        """What is published, without any record."""
        return parts_of(release).outline.trees

    def judge(self, frame: Trees, result: Result[Any]) -> Verdict:
        """Judge the claim on what the parts publish."""
        made = parts_of(result.release)
        return check_tree_parts(result.claim, made.outline.trees, made.parts, made.trees, self.parts.map)  # type: ignore[arg-type]

    def truth(self, frame: Trees, result: Result[Any]) -> Verdict:
        """Check every path against the record that it stems from, part by part."""
        made = parts_of(result.release)
        said = self.over(partial(_truth, self.trees, made.outline.trees, self.hierarchies))
        many = f"all {self.records} records are true"
        return joint_verdict([*said], f"{many}: every published path lies over a path of its original")

    def count_release(self, release: Any) -> PartCounts:
        """Count the records, before and after."""
        made = parts_of(release)
        task = partial(_count, self.trees, made.outline, self.hierarchies, self.nodes, self.key)
        return reduce(add, self.over(task))

    def count_untold(self, release: Any) -> tuple[int, int]:
        """How many released records tell nothing, and how many there are."""
        made = parts_of(release)
        return sum(self.over(partial(_count_untold, made.outline.trees, self.hierarchies))), self.records

    def notes(self, release: Any) -> list[dict[str, Any]]:
        """Fields of which only one value is published."""
        shown, after = parts_of(release).outline.trees, self.count_once(release).facts.after
        values = np.bincount(shown.kinds[after > 0], minlength=len(shown.classes))
        return [
            {"kind": "one value", "column": name, "count": int(after[shown.kinds == kind].sum())}
            for kind, name in enumerate(shown.classes)
            if values[kind] == 1 and name != shown.sensitive
        ]


def _count_untold(outline: Trees, hierarchies: Hierarchies, part: Path) -> int:
    return int(find_uninformative_trees(trees_of(outline, part, "out_"), hierarchies).sum())


def _truth(outline: Trees, shown: Trees, hierarchies: Hierarchies, part: Path) -> Verdict:
    original, released = trees_of(outline, part), trees_of(shown, part, "out_")
    return tree_truth(released, original, hierarchies, np.arange(original.n))


def _count(
    outline: Trees, release: RecodedTrees, hierarchies: Hierarchies, nodes: Nodes, key: int, part: Path
) -> PartCounts:
    from shoal.shapes.trees.counts import count_trees  # kernels are heavy, and verifying needs none

    original, shown = trees_of(outline, part), trees_of(release.trees, part, "out_")
    made = replace(release, trees=shown, rows=np.arange(original.n), records=original.n)
    declared = all(tree.public for tree in hierarchies.values())
    return PartCounts(
        count_trees(original, shown, hierarchies, release.rule),
        LossSums.of(TreeCase(made, original, nodes, declared), items=len(original.items), records=shown.n),
        DistinctCounter.of(tree_hashes(shown, key)),
    )
