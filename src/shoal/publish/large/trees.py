"""Record trees that do not fit in memory: read into parts, recoded, written and judged where they lie."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.algorithms.trees.tree_parts import RecodedParts, TreeParts, coded_parts, trees_of
from shoal.data import Trees
from shoal.data.types import I8, U8
from shoal.engines.parts import in_threads
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.io.config import Config
from shoal.io.read.parts import PART, read_tree_parts, save_arrays
from shoal.io.write.table import on_disk
from shoal.io.write.tree_nodes import read_pieces, write_lines
from shoal.privacy.support_counting import check_tree_parts
from shoal.publish.draft import Draft, refuse_unless
from shoal.publish.large.parts import (
    LossSums,
    PartWriting,
    Room,
    other_records,
    random_numbers,
    together,
    tree_hashes,
)
from shoal.publish.shapes.trees.data import TreeData, tree_data
from shoal.publish.shapes.trees.verification import judge_parts, tree_truth, value_pairs
from shoal.release import Claim, RecodedTrees, Result, Verdict
from shoal.report.facts import Audit, CutRelation
from shoal.utility import TreeCase, ranked

if TYPE_CHECKING:
    from shoal.publish.shapes.trees.audit import TreeCounts

__all__ = [
    "LargeTreeWriting",
    "LargeTrees",
    "PartCounts",
    "added",
    "counted",
    "large_trees",
    "parts_of",
]


def large_trees(config: Config) -> "LargeTrees":
    """Read the trees that a configuration names into parts, which go when the dataset goes."""
    assert config.tree is not None
    path = config.data.path
    assert path is not None
    room = Room()
    spec = replace(config.tree, decimal=config.data.decimal)
    encoding, missing = config.data.encoding, config.data.missing
    raw = read_tree_parts(path, room.path, spec, records=PART, encoding=encoding, missing=missing)
    parts = coded_parts(raw, in_threads(os.cpu_count() or 1))
    made = tree_data(path.name, parts.outline, config.tree.hierarchies, config.tree.negations)
    return LargeTrees(
        made.source, made.trees, made.hierarchies, made.negations, parts=parts, nodes_in=raw.nodes, room=room
    )


def parts_of(release: Any) -> RecodedParts:
    """The release of parts."""
    assert isinstance(release, RecodedParts)
    return release


@dataclass(frozen=True, repr=False)
class LargeTrees(TreeData):
    """Record trees in parts; `trees` has their classes and values, and no record.

    room : the folder of the parts; it goes with the dataset
    """

    parts: TreeParts = field(kw_only=True)
    nodes_in: int = field(kw_only=True)
    room: Room = field(kw_only=True)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records and parts there are, and which classes."""
        return {"shape": self.shape, **self.parts.facts()}

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.parts.n

    @property
    def cells(self) -> int:
        """How many nodes a method looks at."""
        return self.nodes_in

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What methods of record trees take."""
        return {"trees": self.parts, "hierarchies": self.hierarchies}

    @cached_property
    def key(self) -> int:
        """A random number that trees are hashed with."""
        return int.from_bytes(os.urandom(8))

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[RecodedTrees]:
        """Refuse: a stored recoding is applied to records in memory."""
        raise InputError(
            "recoding: the records are too many to be held in memory; recode them in several files"
        )

    def size(self, release: Any) -> int:
        """Say none: records are shuffled when they are written."""
        return 0

    def shuffled(self, result: Result[Any], order: I8) -> Result[Any]:
        """The same: records are shuffled when they are written."""
        return result

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
        task = partial(_truth, self.trees, made.outline.trees, self.hierarchies)
        many = f"all {self.records} records are true"
        said = list(self.parts.map(task, self.parts.parts))
        return together(said, f"{many}: every published path lies over a path of its original")

    @cached_property
    def _counted(self) -> list[tuple[Any, Any]]:
        return []  # of each release what was counted; a number such as id(release) may be another's later

    def counted(self, release: Any) -> Any:
        """What is counted of the records, before and after (`PartCounts`); once for each release."""
        for known, counts in self._counted:
            if known is release:
                return counts
        made = parts_of(release)
        task = partial(_count, self.trees, made.outline, self.hierarchies, self.nodes, self.key)
        found = added(self.parts.map(task, self.parts.parts))
        self._counted.append((release, found))
        return found

    def counts(self, release: Any) -> dict[str, int]:
        """Records in and out, values left out; the classes are the different trees published."""
        return {
            "records_in": self.records,
            "records_out": self.records,
            "suppressed": 0,
            "suppressed_items": int(parts_of(release).outline.suppressed),
            "classes": len(self.counted(release).kinds),
        }

    def losses(self, result: Result[Any], method: Mapping[str, Any], *, public: bool) -> dict[str, float]:
        """The losses that are means over nodes or records; frequent subtrees are not mined of so many records."""
        return ranked(self.counted(result.release).sums.means(public=public))

    def notes(self, release: Any) -> list[dict[str, Any]]:
        """Fields of which only one value is published."""
        shown, after = parts_of(release).outline.trees, self.counted(release).after
        values = np.bincount(shown.kinds[after > 0], minlength=len(shown.classes))
        return [
            {"kind": "one value", "column": name, "count": int(after[shown.kinds == kind].sum())}
            for kind, name in enumerate(shown.classes)
            if values[kind] == 1 and name != shown.sensitive
        ]

    def audit(self, draft: Draft) -> Audit:
        """The facts that the report and the audit tell, from counts; what needs all records at once is not told."""
        from shoal.publish.shapes.trees.audit import audit_of  # kernels are heavy, and verifying needs none

        made = parts_of(draft.result.release)
        counts = self.counted(made).facts(made.outline.trees.classes)
        return replace(audit_of(draft, self.trees, self.hierarchies, made.outline, counts), beyond={})


def _truth(outline: Trees, shown: Trees, hierarchies: Hierarchies, part: Path) -> Verdict:
    original, released = trees_of(outline, part), trees_of(shown, part, "out_")
    return tree_truth(released, original, hierarchies, np.arange(original.n))


def _count(
    outline: Trees, release: RecodedTrees, hierarchies: Hierarchies, nodes: Nodes, key: int, part: Path
) -> Any:

    original = trees_of(outline, part)
    every = np.arange(original.n)
    shown = replace(release, trees=trees_of(release.trees, part, "out_"), rows=every, records=original.n)
    return counted(original, shown, hierarchies, nodes, release.rule, key)


# --- what is counted of each part, for pages, manifest and door


@dataclass(frozen=True, slots=True)
class PartCounts:
    """Counts of some records.

    before, after, under, nodes, sizes, cut : as in `TreeCounts`
    sums   : what they lose
    kinds  : uint64, a hash of each different released tree
    digest : the sum of the hashes of all released trees, modulo 2^64
    """

    records: int
    nodes_in: int
    before: I8
    after: I8
    under: I8
    nodes: I8
    sizes: Counter[int]
    cut: tuple[CutRelation, ...]
    sums: LossSums
    kinds: U8
    digest: int

    def facts(self, classes: tuple[str, ...]) -> "TreeCounts":
        """As the pages take them."""
        from shoal.publish.shapes.trees.audit import (
            TreeCounts,  # kernels are heavy, and verifying needs none
            told_of,
        )

        return TreeCounts(
            self.before, self.after, told_of(classes, self.under, self.nodes), self.sizes, self.cut
        )


def counted(
    original: Trees,
    released: RecodedTrees,
    hierarchies: Hierarchies,
    nodes: Nodes,
    rule: Mapping[str, Any],
    key: int,
) -> PartCounts:
    """Count the records of one part; `key` is a random number that hashes are made with."""
    from shoal.publish.shapes.trees.audit import (
        hanging,
        records_by_value,  # kernels are heavy, and verifying needs none
        relations_cut,
    )

    shown, declared = released.trees, all(tree.public for tree in hierarchies.values())
    hashes = tree_hashes(shown, key)
    under, each = hanging(shown)
    sizes, times = np.unique(np.diff(shown.start), return_counts=True)
    return PartCounts(
        shown.n,
        len(original.items),
        records_by_value(original),
        records_by_value(shown),
        under,
        each,
        Counter(dict(zip(sizes.tolist(), times.tolist(), strict=True))),
        tuple(relations_cut(original, hierarchies, rule)),
        LossSums.of(
            TreeCase(released, original, nodes, declared), items=len(original.items), records=shown.n
        ),
        np.unique(hashes),
        int(hashes.sum(dtype=np.uint64)),
    )


def added(parts: Iterable[PartCounts]) -> PartCounts:
    """The counts of all parts."""
    return reduce(_both, parts)


def _both(one: PartCounts, other: PartCounts) -> PartCounts:
    return PartCounts(
        one.records + other.records,
        one.nodes_in + other.nodes_in,
        one.before + other.before,
        one.after + other.after,
        one.under + other.under,
        one.nodes + other.nodes,
        one.sizes + other.sizes,
        tuple(
            CutRelation(a.above, a.below, a.records + b.records)
            for a, b in zip(one.cut, other.cut, strict=True)
        ),
        one.sums + other.sums,
        np.union1d(one.kinds, other.kinds),
        (one.digest + other.digest) % 2**64,
    )


# --- their way through the door: written in random order, read back in pieces, judged by counts


@dataclass(frozen=True)
class LargeTreeWriting(PartWriting):
    """What the door asks of large record trees."""

    def write(self) -> None:
        """Write what the parts publish in random order: records go to random buckets, which are shuffled one by one."""
        many = -(-self._data.records // PART)
        pieces: list[list[Path]] = [[] for _ in range(many)]
        for number, part in enumerate(parts_of(self._release).parts):
            trees = trees_of(self._outline.trees, part, "out_")
            bucket = random_numbers(trees.n) % np.uint64(many)
            for place in range(many):
                some = trees.take(np.flatnonzero(bucket == place))
                pieces[place].append(_kept(self.stage / f"bucket-{place:05}" / f"{number:05}", some))
        with on_disk(self.place) as file:
            for paths in pieces:
                trees = _joined(self._outline.trees, paths)
                write_lines(trees.take(np.argsort(random_numbers(trees.n), kind="stable")), file)

    def judge(self) -> None:
        """Judge what was written by counts of its own, and its truth by what lies beside the originals.

        Raises
        ------
        RefusedError
            The file does not keep the claim, does not tell the truth, or is not what the parts publish.
        """
        parts, records, digest = [], 0, 0
        for number, trees in enumerate(self._read()):
            parts.append(_kept(self.stage / f"read-{number:05}", trees))
            records, digest = (
                records + trees.n,
                digest + int(tree_hashes(trees, self._data.key).sum(dtype=np.uint64)),
            )
        if (records, digest % 2**64) != (self._data.records, self._data.counted(self._release).digest):
            raise other_records()
        claim: Any = self.draft.claim
        data = self._data
        judged = judge_parts(claim, self._outline.trees, parts, data.hierarchies, data.parts.map)
        refuse_unless(judged, self.draft.truth(self.draft.frame))

    def _read(self) -> Iterator[Trees]:
        """The records of the public file in pieces, in the codes of the release."""
        shown = self._outline.trees
        known = value_pairs(shown)
        code = {pair: place for place, pair in enumerate(known)}
        for piece in read_pieces(self.place, PART):
            own = np.array([code.get(pair, -1) for pair in value_pairs(piece)], dtype=np.int32)
            if (own < 0).any():
                raise other_records()
            items = own[piece.items]
            yield Trees.build(
                known, piece.start, items, piece.parents, shown.sensitive, classes=shown.classes
            )

    @property
    def _data(self) -> LargeTrees:
        assert isinstance(self.draft.dataset, LargeTrees)
        return self.draft.dataset

    @cached_property
    def _outline(self) -> RecodedTrees:
        return parts_of(self._release).outline


def _kept(folder: Path, trees: Trees) -> Path:
    """Write trees into a folder of their own."""
    folder.mkdir(parents=True, mode=0o700)
    save_arrays(folder, start=trees.start, items=trees.items, parents=trees.parents)
    return folder


def _joined(outline: Trees, parts: list[Path]) -> Trees:
    """The trees of several folders behind each other."""
    found = [trees_of(outline, part) for part in parts]
    sizes: I8 = np.concatenate([np.diff(trees.start) for trees in found])
    return replace(
        outline,
        start=np.r_[0, np.cumsum(sizes)].astype(np.int64),
        items=np.concatenate([trees.items for trees in found]),
        parents=np.concatenate([trees.parents for trees in found]),
    )
