"""Equal nodes of a record, told apart: how many of each value may be shown, so that whoever counts them finds nobody.

A release that keeps the claim about values keeps the claim about up to two nodes as well once the records with two
nodes of a value, for every value, are enough or none: two nodes of different values are values, and two nodes of one
value never stand above each other. Where they are too few, all records show one node of that value, and what they show
of its relations is counted anew; where this makes a relation rare, the value is left out. Both are rules for all
records: a row that shows one of its cells no more may be noticed, but fits as many records as the claim asks for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data import Trees
from shoal.data.arrays import B1, I8, owners
from shoal.data.trees import ancestry
from shoal.errors import InputError
from shoal.privacy.trees import KMNAnonymity

__all__ = ["limit_nodes", "limits_needed", "require_countable"]

_MOST_KNOWN = 2

Limits = Sequence[Sequence[object]]
"""As plain JSON data: [[field, label], how many nodes of it a record shows at most]."""


def require_countable(method: str, claim: KMNAnonymity) -> None:
    """Refuse knowledge of more nodes than are counted here."""
    if claim.counts_nodes and claim.m > _MOST_KNOWN:
        raise InputError(
            f"{method}: m={claim.m} with repeats = 'keep'; give m of at most {_MOST_KNOWN}, or repeats = 'merge'"
        )


def limits_needed(trees: Trees, claim: KMNAnonymity) -> list[list[object]]:
    """How many nodes may be shown of values, so that trees that keep the claim about values keep that about nodes."""
    counted = _Countable.of(trees, claim)
    found: list[list[object]] = []
    if claim.m < _MOST_KNOWN:
        return found
    pairs = trees.pairs
    for item in range(len(pairs)):
        if pairs[item][0] == trees.sensitive or counted.enough(counted.twice(item)):
            continue
        counted.keep_first(item, 1)
        most = 1
        if not counted.relations_enough(item, claim.n):
            counted.keep_first(item, 0)
            most = 0
        found.append([list(pairs[item]), most])
    return found


def limit_nodes(trees: Trees, limits: Limits) -> Trees:
    """Show at most so many nodes of some values, the first of each record; what stood below the others moves up."""
    most: Mapping[tuple[str, ...], object] = {tuple(pair): most for pair, most in limits}  # type: ignore[arg-type]
    room = np.array([most.get(pair, len(trees.items)) for pair in trees.pairs], dtype=np.int64)
    record = owners(trees.start)
    kept = _rank_of_equals(record, trees.items.astype(np.int64)) < room[trees.items]
    base = np.repeat(trees.start[:-1], np.diff(trees.start))
    parent = np.where(trees.parents < 0, -1, base + trees.parents)
    while (gone := (parent >= 0) & ~kept[parent]).any():
        parent[gone] = parent[parent[gone]]
    place = np.cumsum(kept) - 1
    start = np.r_[0, np.cumsum(kept)][trees.start]
    local = np.where(parent < 0, -1, place[parent] - start[record])[kept].astype(np.int32)
    used, items = np.unique(trees.items[kept], return_inverse=True)
    pairs = [trees.pairs[item] for item in used.tolist()]
    secret = trees.sensitive if any(kind == trees.sensitive for kind, _ in pairs) else None
    return Trees.build(pairs, start, items.astype(np.int32), local, secret, repeats=True)


def _rank_of_equals(record: I8, items: I8) -> I8:
    """For each node, how many nodes of its record that stand before it have its value."""
    order = np.lexsort((items, record))
    first = np.r_[True, (np.diff(record[order]) != 0) | (np.diff(items[order]) != 0)] if len(order) else order
    rank = np.empty(len(order), dtype=np.int64)
    at = np.arange(len(order))
    rank[order] = at - np.maximum.accumulate(np.where(first, at, 0)) if len(order) else at
    return rank


@dataclass
class _Countable:
    """Nodes that are left as limits are set, and what they show.

    nodes : for each item, its nodes, by rising record
    low, high : nodes with one of their ancestors
    pairs : for each item, where it stands in these
    """

    trees: Trees
    claim: KMNAnonymity
    record: I8
    left: B1
    rank: I8
    nodes: list[I8]
    low: I8
    high: I8
    pairs: list[I8]
    secrets: I8
    secret_of: I8

    @classmethod
    def of(cls, trees: Trees, claim: KMNAnonymity) -> "_Countable":
        record = owners(trees.start)
        items = trees.items.astype(np.int64)
        steps = list(ancestry(trees.start, trees.parents))
        none = np.zeros(0, dtype=np.int64)
        low = np.concatenate([none, *(some for some, _ in steps)])
        high = np.concatenate([none, *(some for _, some in steps)])
        hidden = np.array([name == trees.sensitive for name in trees.classes], dtype=bool)
        secret = hidden[trees.kinds][items] if len(items) else np.zeros(0, dtype=bool)
        shown = ~secret[low] & ~secret[high]
        low, high = low[shown], high[shown]
        both = np.r_[items[low], items[high]]
        at = np.r_[np.arange(len(low)), np.arange(len(low))]
        width = len(trees.values)
        held = np.unique(record[secret] * max(width, 1) + items[secret])
        return cls(
            trees,
            claim,
            record,
            np.ones(len(items), dtype=bool),
            _rank_of_equals(record, items),
            _split(np.arange(len(items)), items, width),
            low,
            high,
            _split(at, both, width),
            held // max(width, 1),
            held % max(width, 1),
        )

    def twice(self, item: int) -> I8:
        """The records with at least two nodes of a value."""
        nodes = self.nodes[item]
        found: I8 = self.record[nodes[(self.rank[nodes] == 1) & self.left[nodes]]]
        return found

    def enough(self, records: I8) -> bool:
        """Whether different records are none, or enough and different enough."""
        if not len(records):
            return True
        if len(records) < self.claim.k:
            return False
        if self.claim.l is None:
            return True
        fits = np.zeros(self.trees.n, dtype=bool)
        fits[records] = True
        often = np.bincount(self.secret_of[fits[self.secrets]], minlength=1).max()
        return bool(often * self.claim.l <= len(records))

    def keep_first(self, item: int, most: int) -> None:
        """Leave so many nodes of a value in every record."""
        nodes = self.nodes[item]
        self.left[nodes[self.rank[nodes] >= most]] = False

    def relations_enough(self, item: int, n: int) -> bool:
        """Whether every relation of a value that is left is shown by enough records."""
        if not n:
            return True
        at = self.pairs[item]
        at = at[self.left[self.low[at]] & self.left[self.high[at]]]
        items = self.trees.items.astype(np.int64)
        other = np.where(items[self.low[at]] == item, items[self.high[at]], items[self.low[at]])
        shown = np.unique(other * self.trees.n + self.record[self.low[at]])
        edges = np.flatnonzero(np.diff(shown // self.trees.n)) + 1
        return all(self.enough(some % self.trees.n) for some in np.split(shown, edges))


def _split(entries: I8, items: I8, width: int) -> list[I8]:
    """The entries of each item, in their order."""
    order = np.argsort(items, kind="stable")
    return np.split(entries[order], np.searchsorted(items[order], np.arange(1, width))) if width else []
