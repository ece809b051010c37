"""Record trees that do not fit in memory: read into parts, recoded, written and judged where they lie."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

from shoal.algorithms.parts import RecodedParts, TreeParts, trees_of
from shoal.base.stopping import atomic_write
from shoal.data import Trees
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.io.config import Config
from shoal.io.formats import TREE_FILES
from shoal.io.read.parts import PART
from shoal.io.write.nested_trees import write_lines, write_nested_records
from shoal.io.write.table import open_durable
from shoal.io.write.trees import read_pieces
from shoal.parts.draws import RecordHasher, RunKey
from shoal.parts.folder import PrivateFolder
from shoal.parts.records import Parts
from shoal.parts.trees import Shuffling, gather_trees, hash_trees, read_nested_parts, tree_hasher
from shoal.privacy.support_counting import check_tree_parts
from shoal.publish.large.parts import (
    DistinctCounter,
    InParts,
    LossSums,
    PartCounts,
    joint_verdict,
)
from shoal.publish.part_writing import PartWriting, other_records_error
from shoal.release import RecodedTrees, Result, Verdict
from shoal.shapes.trees.data import TreeData, spec_of, tree_data
from shoal.shapes.trees.verification import judge_tree_parts, tree_truth
from shoal.shapes.untold import find_uninformative_trees
from shoal.utility import TreeCase

__all__ = [
    "LargeTreeWriting",
    "LargeTrees",
    "large_trees",
    "parts_of",
]


_WRITERS = {
    "nested": partial(write_nested_records, rows=False),
    "nested rows": partial(write_nested_records, rows=True),
}


def large_trees(config: Config, room: PrivateFolder) -> "LargeTrees":
    """Read the trees that a configuration names into parts inside `room`."""
    assert config.tree is not None
    path = config.data.path
    assert path is not None
    encoding, missing, folder = config.data.encoding, config.data.missing, room.make("read")
    size = config.part or PART
    read = read_nested_parts(
        path, folder, room.mapper, spec_of(config), size, encoding=encoding, missing=missing
    )
    made = tree_data(path.name, read.outline, config.tree.hierarchies, config.tree.negations)
    parts = TreeParts(read.outline, read.parts.n, read.parts.runs, room.mapper)
    return LargeTrees(
        made.source, made.trees, made.hierarchies, made.negations, parts=parts, held=read.nodes, room=room
    )


def parts_of(release: Any) -> RecodedParts:
    """The release of parts."""
    assert isinstance(release, RecodedParts)
    return release


# --- their way through the door


class LargeTreeWriting(PartWriting):
    """What the door asks of large record trees: they are mixed, written and judged by tasks."""

    def write(self) -> None:
        """Write what the parts publish in random order: each bucket by a task, and all of them behind each other."""
        data, (outline, pieces, prefix) = self._data, self._shown
        shuffling = Shuffling(outline, self._hasher, RunKey.of(None), data.buckets, self.stage / "spread")
        shuffling.folder.mkdir(mode=0o700, parents=True)
        load = partial(_open_published, outline, prefix)
        buckets, self._staged = shuffling.run(load, pieces, data.room.mapper)
        task = partial(_write_bucket, shuffling, buckets, data.trees.nesting, self._format, self.stage)
        for _ in data.room.mapper(task, range(len(buckets))):
            pass
        with open_durable(self.place) as file:
            for number in range(len(buckets)):
                lines = _lines_of(self.stage, number)
                with lines.open("rb") as written:
                    shutil.copyfileobj(written, file)
                lines.unlink()

    def read_back(self) -> tuple[int, int]:
        """Count and digest the records of the public file, in the codes of the release, and keep them."""
        shown, records, digest = self._outline, 0, 0
        code = {pair: place for place, pair in enumerate(shown.pairs)}
        for piece in read_pieces(self.place.parent, self._format, PART):
            own = np.array([code.get(pair, -1) for pair in piece.pairs], dtype=np.int32)
            if (own < 0).any():
                raise other_records_error()
            arrays = piece.start, own[piece.items], piece.parents
            trees = Trees.build(
                shown.pairs, *arrays, shown.sensitive, classes=shown.classes, repeats=shown.repeats
            )
            self._kept(start=trees.start, items=trees.items, parents=trees.parents)
            records, digest = records + trees.n, digest + int(hash_trees(self._hasher, trees).sum())
        return records, digest % 2**64

    def verdict(self) -> Verdict:
        """Judge the claim on the pieces that were read back."""
        claim: Any = self.draft.claim
        return judge_tree_parts(
            claim, self._outline, self._pieces, self._data.hierarchies, self._data.parts.map
        )

    @cached_property
    def _hasher(self) -> RecordHasher:
        return tree_hasher(RunKey.of(None).derive("digest"), self._outline)

    @property
    def _outline(self) -> Trees:
        return self._shown[0]

    @cached_property
    def _shown(self) -> tuple[Trees, Sequence[Path], str]:
        """The published records in the codes of those who read the file: outline, folders, and how arrays are called.

        Where numbers of nodes were limited, some values may be gone, and codes tell in which order siblings stand.
        """
        release = parts_of(self._release)
        if not release.rule.get("limits"):
            return release.outline.trees, release.parts, "out_"
        sensitive = release.outline.trees.sensitive
        read = gather_trees(release, self.stage / "limited", self._data.room.mapper, sensitive)
        return read.outline, read.parts.runs, ""

    @property
    def _format(self) -> str:
        return next(format for format, name in TREE_FILES.items() if name == self.place.name)


def _open_published(outline: Trees, prefix: str, part: Path) -> Trees:
    return trees_of(outline, part, prefix)


def _lines_of(stage: Path, number: int) -> Path:
    return stage / f"lines-{number:06}"


def _write_bucket(
    shuffling: Shuffling, buckets: Parts, nesting: Any, format: str, stage: Path, number: int
) -> None:
    """The task: write the records of a bucket as they stand in the public file."""
    trees = replace(shuffling.read(buckets, number), nesting=nesting)
    with atomic_write(_lines_of(stage, number)) as aside, aside.open("wb") as file:
        _WRITERS.get(format, write_lines)(trees, file)


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
        hasher = tree_hasher(RunKey.of(None).derive("kinds"), made.outline.trees)
        task = partial(_count, self.trees, made.outline, self.hierarchies, self.nodes, hasher)
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
    outline: Trees,
    release: RecodedTrees,
    hierarchies: Hierarchies,
    nodes: Nodes,
    hasher: RecordHasher,
    part: Path,
) -> PartCounts:
    from shoal.shapes.trees.counts import count_trees  # kernels are heavy, and verifying needs none

    original, shown = trees_of(outline, part), trees_of(release.trees, part, "out_")
    made = replace(release, trees=shown, rows=np.arange(original.n), records=original.n)
    declared = all(tree.public for tree in hierarchies.values())
    return PartCounts(
        count_trees(original, shown, hierarchies, release.rule),
        LossSums.of(TreeCase(made, original, nodes, declared), items=len(original.items), records=shown.n),
        DistinctCounter.of(hash_trees(hasher, shown)),
    )
