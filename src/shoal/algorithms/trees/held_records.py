"""Record trees as a search asks them: how many records hold values, show relations, or are told apart by a cut.

Every answer is a sum over records. So records in memory give it at once, and parts of records one by one.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from shoal.algorithms.trees._kernels.record_bits import (
    chance,
    clash,
    fit,
    fit_with_secrets,
    holders,
    mark,
    thin,
)
from shoal.data import Trees
from shoal.data.lists import owners, owners_by_size
from shoal.data.types import F8, I4, I8, U8
from shoal.hierarchy.nodes import Nodes
from shoal.utility._kernels import paths, supports

__all__ = ["Groups", "HeldRecords", "Question", "Records", "Shown", "items_of", "secrets_of", "showing"]

Groups = tuple[tuple[int, ...], ...]
"""Values in groups; a set of values is looked at when it holds one of each group."""


class Question(NamedTuple):
    """Queries about values and relations.

    spot   : int32[T]   for each path that records show, where it stands in the tree that is asked about, -1: nowhere
    ends, shows : the path at spot s shows the relations shows[ends[s] : ends[s + 1]]
    number : how many relations there are
    asked  : int32[Q, width]   all that a query asks for: a relation j >= 0, a value as -2 - node, -1: no more
    """

    spot: I4
    ends: I8
    shows: I4
    number: int
    asked: I4


class Shown(NamedTuple):
    """The paths that records in memory show.

    start, path : record i shows the paths path[start[i] : start[i + 1]]
    held_ends, records : path p is shown by the records records[held_ends[p] : held_ends[p + 1]], rising
    """

    start: I8
    path: I4
    held_ends: I8
    records: I4


class Records(Protocol):
    """What a search asks of records.

    Negated values are numbered behind all others: node + len(values.names) says that the node is absent. `shown` is
    what `thinned` gave.
    """

    @property
    def n(self) -> int:
        """How many records there are."""

    @property
    def tree(self) -> tuple[I4, I4]:
        """Every distinct path of all records: the one it prolongs, the item it ends in."""

    @property
    def most(self) -> int:
        """The largest number of distinct values of a record, sensitive ones left out."""

    @property
    def often(self) -> int:
        """How many records hold the commonest secret."""

    def thinned(self, spot: I4, found: int) -> Any:
        """What records show where path t is looked at as spot[t], one of `found`, or -1: not at all."""

    def support(self, node: int) -> int:
        """How many records hold a value, or do not hold a negated one."""

    def clashing(self, sets: Sequence[Groups], m: int, k: int) -> Iterator[bool]:
        """For each choice of groups, whether 1 to k-1 records hold some set of at most m values, one of each group."""

    def fit(self, shown: Any, question: Question, enough: int) -> I8:
        """How many records fit each query; a number of at least `enough` need not be exact."""

    def fit_with_secrets(self, shown: Any, question: Question) -> tuple[I8, I8]:
        """How many records fit each query, and how many of them share one secret at most."""

    def chance(self, shown: Any, spot: I4, up: I4, share: F8) -> int:
        """The sum over records that `shoal.algorithms.trees._kernels.record_bits.chance` describes."""

    def supports(self, shown: Any, spot: I4, found: int) -> I8:
        """How many records hold each of `found` spots."""


def items_of(values: Nodes, node: int) -> I8:
    """The items of the trees that a node stands for."""
    lo, hi = values.span[node]
    leaf = values.leaf
    low = values.span[leaf, 0]
    inside = (leaf >= 0) & (values.kind[leaf] == values.kind[node]) & (low >= lo) & (low < hi)
    return np.flatnonzero(inside)


def secrets_of(start: I8, items: I4, leaf: I4) -> tuple[I8, I4]:
    """The secrets of each record, each once: where they start, and their places among all sensitive items."""
    hidden = leaf[items] < 0
    record = owners(start)[hidden]
    width = max(len(leaf), 1)
    held = np.unique(record * width + items[hidden])
    place = np.cumsum(leaf < 0) - 1
    begins = np.r_[0, np.cumsum(np.bincount(held // width, minlength=len(start) - 1))]
    return begins.astype(np.int64), place[held % width].astype(np.int32)


def showing(start: I8, path: I4, found: int) -> tuple[I8, I4]:
    """Which records show each of `found` paths, as `holders` says it."""
    both = start.view(), path.view()
    for array in both:
        array.flags.writeable = False  # as those of trees, so that the kernel is compiled once
    return holders(*both, found)


class HeldRecords:
    """Record trees in memory."""

    def __init__(self, trees: Trees, values: Nodes) -> None:
        self.trees, self.values = trees, values
        path, up, ends = paths(trees.start, trees.items, trees.parents, max(len(trees.values), 1))
        self._path, self.tree = path, (up, ends)
        self._bits: U8 = np.zeros((16, (trees.n + 63) // 64), dtype=np.uint64)
        self._held: dict[int, int] = {}
        self._places: dict[int, int] = {}

    @property
    def n(self) -> int:
        """How many records there are."""
        return self.trees.n

    @cached_property
    def _holders(self) -> tuple[I8, I4]:
        return holders(self.trees.start, self.trees.items, max(len(self.trees.values), 1))

    @cached_property
    def _secrets(self) -> tuple[I8, I4]:
        return secrets_of(self.trees.start, self.trees.items, self.values.leaf)

    @cached_property
    def most(self) -> int:
        """The largest number of distinct values of a record, sensitive ones left out."""
        ends, records = self._holders
        shown = np.repeat(self.values.leaf >= 0, np.diff(ends)[: len(self.values.leaf)])
        return int(np.bincount(records[shown], minlength=1).max())

    @property
    def often(self) -> int:
        """How many records hold the commonest secret."""
        return int(np.bincount(self._secrets[1], minlength=1).max())

    def thinned(self, spot: I4, found: int) -> Shown:
        """Each path once per record."""
        start, path = thin(self.trees.start, self._path, spot, found)
        return Shown(start, path, *showing(start, path, found))

    def support(self, node: int) -> int:
        """How many records hold a node."""
        self._row(node)
        return self._held[node]

    def clashing(self, sets: Sequence[Groups], m: int, k: int) -> Iterator[bool]:
        """Look at one choice of groups after the other, when the caller asks for it."""
        for groups in sets:
            rows = np.array([self._row(node) for group in groups for node in group], dtype=np.int64)
            group = owners_by_size(np.array([len(nodes) for nodes in groups], dtype=np.int64))
            yield bool(clash(self._bits, rows, group, m, k))

    def fit(self, shown: Shown, question: Question, enough: int) -> I8:
        """How many records fit each query."""
        asked = self._rows_asked(question.asked)
        spot, ends, shows, number, _ = question
        return fit(self._bits, shown.held_ends, shown.records, spot, ends, shows, number, asked, enough)

    def fit_with_secrets(self, shown: Shown, question: Question) -> tuple[I8, I8]:
        """How many records fit each query, and how many of them share one secret at most."""
        asked = self._rows_asked(question.asked)
        spot, ends, shows, number, _ = question
        of = self._bits, shown.held_ends, shown.records, spot, ends, shows, number, asked
        start, secrets = self._secrets
        return fit_with_secrets(*of, start, secrets, int(secrets.max(initial=-1)) + 1)

    def chance(self, shown: Shown, spot: I4, up: I4, share: F8) -> int:
        """Sum over all records."""
        return chance(shown.start, shown.path, spot, up, share)

    def supports(self, shown: Shown, spot: I4, found: int) -> I8:
        """How many records hold each spot."""
        return supports(shown.start, shown.path, spot, found)

    def _rows_asked(self, asked: I4) -> I4:
        """Queries with rows of bits in place of values."""
        at = asked <= -2
        nodes = -2 - asked[at]
        rows = np.zeros(int(nodes.max(initial=0)) + 1, dtype=np.int32)
        rows[nodes] = 1
        for node in np.flatnonzero(rows).tolist():
            rows[node] = self._row(node)
        by_row = asked.copy()
        by_row[at] = -2 - rows[nodes]
        return by_row

    def _row(self, node: int) -> int:
        """The row of bits that says which records hold a node."""
        if node not in self._places:
            if len(self._places) == len(self._bits):
                self._bits = np.concatenate([self._bits, np.zeros_like(self._bits)])
            place = len(self._places)
            self._held[node] = self._fill(node, place)
            self._places[node] = place
        return self._places[node]

    def _fill(self, node: int, place: int) -> int:
        nodes = len(self.values.names)
        if node >= nodes:
            there = self._row(node - nodes)
            self._bits[place] = ~self._bits[there]
            if self.n % 64:
                self._bits[place, -1] &= np.uint64((1 << self.n % 64) - 1)
            return self.n - self._held[node - nodes]
        return mark(items_of(self.values, node), *self._holders, self._bits[place])
