"""Record trees bound to the hierarchies of their classes: everything a method, a judge and the door need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.algorithms import Method
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.base.naming import nearest, suggest_name
from shoal.data import Trees
from shoal.data.arrays import I8
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.io.config import Config, TreeSpec
from shoal.io.read.records import describe_text_column
from shoal.io.read.trees import read_trees
from shoal.io.write.trees import frame_of, require_form
from shoal.privacy import make_claim
from shoal.privacy.claim import check_choice
from shoal.privacy.trees import REPEATS, KMNAnonymity
from shoal.release import Claim, RecodedTrees, Result, Verdict
from shoal.shapes.guards import guard_spelling
from shoal.shapes.hierarchies import Spec, hierarchy_of, warn_unlisted
from shoal.shapes.in_memory import InMemory, counts_of
from shoal.shapes.recoding import recode_trees
from shoal.shapes.released_values import Cells, tree_words
from shoal.shapes.trees.verification import Judge, tree_truth
from shoal.utility import TreeCase
from shoal.utility.trees import tree_ncp_by_class

__all__ = [
    "TreeData",
    "TreeSource",
    "spec_of",
    "tree_data",
    "trees_from_config",
    "trees_of",
    "values_of",
]


@dataclass(frozen=True, slots=True, repr=False)
class TreeSource(SafeRepr):
    """Where trees came from: no frame, so they are handed over as one of JSON text."""

    name: str = "trees"
    dropped: tuple[str, ...] = ()

    def like(self, frame: Trees) -> pl.DataFrame:
        """Released trees as a frame of one column, `nodes`."""
        return frame_of(frame)


@dataclass(frozen=True, repr=False)
class TreeData(InMemory):
    """Record trees, ready to be anonymized.

    trees      : one tree per person
    hierarchies : by class a tree over its values; the sensitive class has none
    negations   : classes whose absence the attacker may know
    """

    shape: ClassVar[str] = "trees"

    source: TreeSource
    trees: Trees
    hierarchies: Hierarchies
    negations: tuple[str, ...] = ()

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records and nodes there are, and which classes."""
        return {"shape": self.shape, **self.trees.facts()}

    @property
    def allow(self) -> frozenset[str]:
        """Return nothing: record trees carry no columns beside what is recoded."""
        return frozenset()

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.trees.n

    @property
    def cells(self) -> int:
        """How many cells or items a method looks at."""
        return len(self.trees.items)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What methods of record trees take."""
        return {"trees": self.trees, "hierarchies": self.hierarchies}

    @cached_property
    def nodes(self) -> Nodes:
        """Every value that these trees may be published with."""
        return Nodes.of(self.source.name, self.trees, self.hierarchies)

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.hierarchies)

    def claim(self, guarantee: Mapping[str, Any]) -> Claim:
        """The claim these numbers make: m values and n relations among them are known."""
        facts = {"sensitive": self.trees.sensitive, "negations": self.negations or None}
        repeats = "keep" if self.trees.repeats else "merge"
        requested_repeats = guarantee.get("repeats", repeats)
        if requested_repeats in REPEATS and requested_repeats != repeats:
            raise InputError(
                f'repeats: the records were read with "{repeats}"; say "{requested_repeats}" where they are read, as '
                "read_trees(repeats=...)"
            )
        return make_claim(self.shape, **{"repeats": repeats, **guarantee}, **facts)

    def guard(self, claim: Claim | None) -> None:
        """Refuse negations of classes that are not there."""
        for name in self.negations:
            if name not in self.trees.classes:
                suggestion = suggest_name(name, self.trees.classes)
                raise InputError(f"tree.negations: no field '{name}'; {suggestion}")
        guard_spelling(self.trees)

    def guard_released(self, result: Result[RecodedTrees]) -> None:
        """Let all pass: record trees carry no column beside what the attacker may know."""

    def without_traces(
        self, result: Result[RecodedTrees], maker: object = None
    ) -> tuple["TreeData", Result[RecodedTrees]]:
        """Return both as they are: no record of trees is left out."""
        return self, result

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[RecodedTrees]:
        """Apply a stored cut and its disassociations to these trees."""
        if suppress:
            raise InputError(
                "recoding: its rule leaves out the values that it names and no others; take suppress out of [method]"
            )
        return Result(recode_trees(recoding, self.trees, self.hierarchies), claim)

    def shuffle_rows(self, result: Result[RecodedTrees], order: I8) -> Result[RecodedTrees]:
        """The same release, its records in another order."""
        release = result.release
        reordered_release = replace(release, trees=release.trees.take(order), rows=release.rows[order])
        return replace(result, release=reordered_release)

    def assemble(self, release: RecodedTrees) -> Trees:
        """The trees as they are, for they need no cells, and how they were nested where they came in."""
        return replace(release.trees, nesting=self.trees.nesting)

    def roles(self, frame: Trees) -> dict[str, str]:
        """One column, the nodes under the root."""
        return {"nodes": "tree"}

    def judge(self, frame: Trees, result: Result[RecodedTrees]) -> Verdict:
        """Judge the claim on released trees."""
        return self._judge.check(result.claim, frame)

    def truth(self, frame: Trees, result: Result[RecodedTrees]) -> Verdict:
        """Check every path against the record it stems from."""
        return tree_truth(frame, self.trees, self.hierarchies, result.release.rows)

    def counts(self, release: RecodedTrees) -> dict[str, int]:
        """Records in and out, values left out; the classes are the different trees published."""
        trees = release.trees
        nodes = np.stack([trees.items, trees.parents], axis=1)
        different = {
            nodes[node_start:node_end].tobytes() for node_start, node_end in pairwise(trees.start.tolist())
        }
        return counts_of(release.records, trees.n, len(different), int(release.suppressed))

    def losses_by_column(
        self, result: Result[RecodedTrees], losses: Mapping[str, float]
    ) -> dict[str, float | None]:
        """What every field that came in lost; None where it is left out."""
        loss_by_class = tree_ncp_by_class(result.release, self.trees, self.nodes)
        return {kind: loss_by_class.get(kind, 0.0) for kind in self.trees.classes} | dict.fromkeys(
            self.source.dropped
        )

    def case(self, result: Result[RecodedTrees], method: Mapping[str, Any]) -> TreeCase:
        """The release beside all that its owner knows; a built hierarchy is not public, nor is what is told by it."""
        is_declared = all(tree.public for tree in self.hierarchies.values())
        return TreeCase(result.release, self.trees, self.nodes, is_declared)

    def released_cells(self, result: Result[RecodedTrees], places: I8) -> dict[str, Cells]:
        """Some released trees."""
        return {_RECORD: tree_words(result.release.trees.take(places))}

    def original_cells(self, columns: Sequence[str], rows: I8) -> dict[str, Cells]:
        """Some original trees."""
        return {_RECORD: tree_words(self.trees.take(rows))}

    def loss_by_part(self, result: Result[RecodedTrees]) -> tuple[str, dict[str, float]]:
        """The loss of each field alone."""
        return "field", tree_ncp_by_class(result.release, self.trees, self.nodes)

    def find_floor(
        self, methods: Sequence[Method], claim: Claim, asked: Mapping[str, Any], made: Any = None
    ) -> float | None:
        """What no cut for all records loses less than; None where no method publishes one, or it takes too long."""
        if not any(method.has_floor for method in methods):
            return None
        from shoal.algorithms.trees.search_space import tree_floor  # kernels are heavy

        assert isinstance(claim, KMNAnonymity)
        return tree_floor(self.trees, self.nodes, claim)


# --- as a configuration describes them


def trees_from_config(config: Config) -> TreeData:
    """Read the trees and the hierarchies of their classes."""
    assert config.tree is not None
    trees = trees_of(config)
    if config.format is not None:
        require_form(trees, config.format)
    name = "database" if config.data.path is None else config.data.path.name
    data = tree_data(name, trees, config.tree.hierarchies, config.tree.negations)
    spec = config.tree
    texts = {} if trees.nesting is None else trees.nesting.texts
    dropped_names = [
        *spec.drop,
        *(describe_text_column(name, text_count) for name, text_count in texts.items()),
    ]
    dropped_names += [] if spec.identifier is None else [spec.identifier]
    return replace(data, source=replace(data.source, dropped=tuple(dropped_names)))


def trees_of(config: Config) -> Trees:
    """Read the trees that a configuration names."""
    assert config.tree is not None
    data = config.data
    source = data.url if data.path is None else data.path
    assert source is not None
    return read_trees(
        source,
        spec_of(config),
        delimiter=data.delimiter,
        encoding=data.encoding,
        missing=data.missing,
        records=data.layout.records,
    )


def spec_of(config: Config) -> TreeSpec:
    """How a configuration has record trees read."""
    assert config.tree is not None
    repeats = config.parameters.get("repeats")
    if repeats is not None:
        check_choice("method: repeats", repeats, REPEATS)
    return replace(config.tree, notation=config.data.notation, repeats=repeats)


def tree_data(name: str, trees: Trees, specs: Mapping[str, Spec], negations: Sequence[str]) -> TreeData:
    """Give every class of record trees its hierarchy; one for a class that does not occur is not needed.

    Raises
    ------
    InputError
        A class has no hierarchy, is not dropped and is not the sensitive one.
    """
    kinds = [kind for kind in trees.classes if kind != trees.sensitive]
    bare = [kind for kind in kinds if specs.get(kind) is None]
    if bare:
        unused_names = [kind for kind in specs if kind not in trees.classes]
        suggestions = [(kind, nearest(kind, unused_names)) for kind in bare]
        slips = "".join(
            f"; is '{suggested}' meant for '{kind}'?"
            for kind, suggested in suggestions
            if suggested is not None
        )
        raise InputError(
            f"{name}: no hierarchy for {', '.join(map(repr, bare))}; give each one in tree.hierarchies, "
            f"put it in tree.drop, or make it sensitive{slips}"
        )
    for kind in kinds:
        warn_unlisted(kind, specs[kind], values_of(trees, kind))
    hierarchies = {kind: hierarchy_of(kind, specs[kind], values_of(trees, kind)) for kind in kinds}
    return TreeData(TreeSource(name), trees, hierarchies, tuple(negations))


def values_of(trees: Trees, kind: str) -> list[str]:
    """The values of a class."""
    number = trees.classes.index(kind)
    return [
        value for value, value_kind in zip(trees.values, trees.kinds, strict=True) if value_kind == number
    ]


# --- before and after, and what each field loses

_RECORD = "record"
"""The one column: the whole tree."""
