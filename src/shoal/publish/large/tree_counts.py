"""What is counted of each part of record trees for pages, manifest and door; parts are added."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data import Trees
from shoal.data.types import I8, U8
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.publish.large.basket_counts import Sums
from shoal.publish.large.record_hashes import hashed
from shoal.release import RecodedTrees
from shoal.report.facts import CutRelation
from shoal.utility import TreeCase

if TYPE_CHECKING:
    from shoal.publish.trees.audit import TreeCounts

__all__ = ["PartCounts", "added", "counted"]


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
    sums: Sums
    kinds: U8
    digest: int

    def facts(self, classes: tuple[str, ...]) -> "TreeCounts":
        """As the pages take them."""
        from shoal.publish.trees.audit import TreeCounts  # kernels are heavy, and verifying needs none
        from shoal.publish.trees.relations import told_of

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
    from shoal.publish.trees.audit import records_by_value  # kernels are heavy, and verifying needs none
    from shoal.publish.trees.relations import hanging, relations_cut

    shown, declared = released.trees, all(tree.public for tree in hierarchies.values())
    hashes = hashed(shown, key)
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
        Sums.of(TreeCase(released, original, nodes, declared), items=len(original.items), records=shown.n),
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
