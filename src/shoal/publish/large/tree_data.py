"""Record trees that do not fit in memory: read into parts, recoded and judged where they lie."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from shoal.algorithms.trees.tree_parts import RecodedParts, TreeParts, coded_parts, trees_of
from shoal.data import Trees
from shoal.data.types import I8
from shoal.engines.parts import in_threads
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.io.config import Config
from shoal.io.read.parts import PART, read_tree_parts
from shoal.privacy.support_counting import check_tree_parts
from shoal.publish.draft import Draft
from shoal.publish.large.room import Room
from shoal.publish.trees.dataset import TreeData
from shoal.publish.trees.judging import tree_truth
from shoal.publish.trees.opening import tree_data
from shoal.release import Claim, RecodedTrees, Result, Verdict
from shoal.report.facts import Audit
from shoal.utility import ranked

__all__ = ["LargeTrees", "large_trees", "parts_of", "together"]


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
        """How many nodes a maker looks at."""
        return self.nodes_in

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What makers of record trees take."""
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
        from shoal.publish.large.tree_counts import added  # kernels are heavy, and verifying needs none

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
        from shoal.publish.trees.audit import audit_of  # kernels are heavy, and verifying needs none

        made = parts_of(draft.result.release)
        counts = self.counted(made).facts(made.outline.trees.classes)
        return replace(audit_of(draft, self.trees, self.hierarchies, made.outline, counts), beyond={})


def _truth(outline: Trees, shown: Trees, hierarchies: Hierarchies, part: Path) -> Verdict:
    original, released = trees_of(outline, part), trees_of(shown, part, "out_")
    return tree_truth(released, original, hierarchies, np.arange(original.n))


def together(said: list[Verdict], sentence: str) -> Verdict:
    """The verdicts on all parts as one; records are not numbered through."""
    wrong = [one for one in said if not one]
    if wrong:
        broken = sum(one.broken for one in wrong)
        return Verdict(False, f"in {len(wrong)} parts: {wrong[0].sentence}", True, broken)
    return Verdict(True, sentence)


def _count(
    outline: Trees, release: RecodedTrees, hierarchies: Hierarchies, nodes: Nodes, key: int, part: Path
) -> Any:
    from shoal.publish.large.tree_counts import counted  # kernels are heavy, and verifying needs none

    original = trees_of(outline, part)
    every = np.arange(original.n)
    shown = replace(release, trees=trees_of(release.trees, part, "out_"), rows=every, records=original.n)
    return counted(original, shown, hierarchies, nodes, release.rule, key)
