"""A table with baskets as its methods see it, and clusters of its records: what they pay, what they need, merged."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from math import prod
from typing import Literal, NamedTuple

import numpy as np

from shoal.algorithms.itemsets.item_codes import ItemCodes, code_items
from shoal.algorithms.local._kernels.clustering import extents
from shoal.algorithms.local.local_table import LABELS, Grid, LocalTable
from shoal.algorithms.mixed._kernels import (
    ClusterBaskets,
    alike,
    chain,
    distances,
    gather,
    members,
    prices,
    unions,
    unite,
    within,
)
from shoal.data import Baskets, Mixed, Table
from shoal.data.arrays import B1, F8, I4, I8, U8, owners, prefix_sums, take
from shoal.errors import InfeasibleError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KAnonymity
from shoal.progress import Progress, rising, watching
from shoal.release import Recoded, Result
from shoal.utility import class_of_rows

__all__ = [
    "ClusterCounts",
    "Clusters",
    "MixedRecords",
    "Need",
    "Start",
    "counts_of",
    "first_clusters",
    "likely",
    "part_of",
    "where",
]


@dataclass(frozen=True)
class MixedRecords:
    """Records by rising quasi-identifiers, those alike in them by their baskets: file order decides nothing.

    local : the quasi-identifiers, priced by `ncp`; local.rows is the original record behind each
    coded : the baskets of the same records in the same order; codes from `width` on are sensitive and exempt
    """

    local: LocalTable
    item_codes: ItemCodes

    @classmethod
    def of(
        cls,
        method: str,
        mixed: Mixed,
        hierarchies: Hierarchies,
        items: Hierarchy | None,
        *,
        k: int,
        exempt: bool,
        recode: str,
        grid: Grid,
    ) -> "MixedRecords":
        """Sort and price the table, code the items; with `exempt`, sensitive items are coded behind the others.

        Raises
        ------
        InfeasibleError
            There are fewer than k records.
        """
        if k > mixed.n:
            raise InfeasibleError(f"{method}: k={k} but there are {mixed.n} records; lower k or add records")
        local = LocalTable.of(
            method, mixed.table, hierarchies, recode=recode, recodes=LABELS, grid=grid, mix=False, k=k
        )
        order = np.lexsort((_mixed_up(mixed.baskets)[local.rows], local.tuple_of))
        local = replace(local, rows=local.rows[order])  # within a tuple only, so nothing else moves
        return cls(local, part_of(code_items(method, mixed.baskets, items, exempt=exempt), local.rows))

    @property
    def n(self) -> int:
        """The number of records."""
        return self.local.n

    @property
    def secrets(self) -> int:
        """How many items are sensitive and exempt."""
        return self.item_codes.secrets

    @cached_property
    def known(self) -> tuple[I8, I4]:
        """The baskets without exempt items: (start, items)."""
        known = where(self.item_codes, self.item_codes.items < self.item_codes.width)
        return known.start, known.items

    @cached_property
    def sensitive(self) -> tuple[I8, I8]:
        """Every exempt item of a record: (record, which of them)."""
        secret = self.item_codes.items >= self.item_codes.width
        record = owners(self.item_codes.start)
        return record[secret], self.item_codes.items[secret].astype(np.int64) - self.item_codes.width


def _mixed_up(baskets: Baskets) -> U8:
    """A number for every basket, a function of its items alone: a sum of well mixed codes, modulo 2^64."""
    code = np.arange(1, len(baskets.values) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    code = (code ^ (code >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    code = (code ^ (code >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    before = np.r_[np.uint64(0), np.cumsum((code ^ (code >> np.uint64(31)))[baskets.items])]
    return np.asarray(before[baskets.start[1:]] - before[baskets.start[:-1]], dtype=np.uint64)


def part_of(found: ItemCodes, rows: I8) -> ItemCodes:
    """The baskets of some records, in the order they are named."""
    start, items = take(found.start, found.items, rows)
    return replace(found, start=start, items=items)


def where(found: ItemCodes, some: B1) -> ItemCodes:
    """The same records with some of their items only."""
    before = prefix_sums(some)
    return replace(found, start=before[found.start], items=found.items[some])


class ClusterCounts(NamedTuple):
    """The numbers that a claim needs of each cluster.

    size    : int64[c]     records
    holding : int64[c]     records with items that may be known
    secret  : int64[c, s]  records with each sensitive item
    beside  : int64[c, s]  those of them with items that may be known
    """

    size: I8
    holding: I8
    secret: I8
    beside: I8


@dataclass(frozen=True, slots=True)
class Need:
    """What a cluster must have so that its items can be generalized to the claim.

    It must have at least k records with items that may be known, or none. No sensitive item may be in more than 1 of l
    records, nor in more than 1 of l of the records with items that may be known. Then publishing all these items as
    one item keeps the claim; otherwise no generalization keeps it. l = 0 asks for no diversity.
    """

    k: int
    l: int = 0

    def unmet(self, counts: ClusterCounts) -> B1:
        """For each cluster, whether it lacks something."""
        size, holding, secret, beside = counts
        few = (holding > 0) & (holding < self.k)
        many = (self.l * secret > size[:, None]) | (self.l * beside > holding[:, None])
        return np.asarray(few | many.any(axis=1))


def counts_of(records: MixedRecords, of: I8) -> ClusterCounts:
    """Count what each cluster 0, 1, ... holds; `of` is the cluster of each record."""
    c, s = int(of.max()) + 1, records.secrets
    has = np.diff(records.known[0]) > 0
    row, item = records.sensitive
    key, also = of[row] * s + item, has[row]
    return ClusterCounts(
        np.bincount(of, minlength=c),
        np.bincount(of[has], minlength=c),
        np.bincount(key, minlength=c * s).reshape(c, s),
        np.bincount(key[also], minlength=c * s).reshape(c, s),
    )


class Clusters:
    """All clusters of `records`, those published alike made one; what became part of another holds nothing.

    of     : int64[n]  the cluster of each record at first
    counts : what each cluster holds now
    paid   : int64[c]  what each of its records pays, in `SCALE`
    """

    def __init__(self, records: MixedRecords, of: I8) -> None:
        self._rates = records.local.rates
        walk, starts = _walk(of)
        low, high = extents(records.local.codes, walk, starts, self._rates)
        self.of = alike(low, high, self._rates)[of]
        walk, starts = _walk(self.of)
        self._low, self._high = extents(records.local.codes, walk, starts, self._rates)
        self.paid = prices(self._low, self._high, self._rates)
        start, items = records.known
        order = np.argsort(-np.diff(start), kind="stable")
        self.counts = counts_of(records, self.of)
        first, after = chain(self.of, order, len(self.size))
        self._baskets = ClusterBaskets(start, items, first, after)
        self._widths: F8 | None = None

    @property
    def size(self) -> I8:
        """How many records each cluster has."""
        return self.counts.size

    @property
    def total(self) -> int:
        """What all records pay."""
        return int(self.size @ self.paid)

    def members(self, c: int) -> I8:
        """The records of c."""
        return np.asarray(members(self._baskets, c, int(self.size[c])))

    def others(self, c: int) -> I8:
        """Every cluster but c."""
        alive = np.flatnonzero(self.size)
        return np.asarray(alive[alive != c])

    def cost(self, c: int, others: I8) -> I8:
        """What each record of the union of c and each other would pay."""
        return unions(self._low, self._high, c, others, self._rates)

    def added(self, c: int, others: I8, cost: I8) -> I8:
        """By how much the total would grow."""
        both = (self.size[c] + self.size[others]) * cost
        return np.asarray(both - self.size[c] * self.paid[c] - self.size[others] * self.paid[others])

    def union_distances(self, c: int, others: I8) -> tuple[F8, F8]:
        """The BTD of the union of c and each other, and the largest of a record of c and one of the other."""
        if self._widths is None:
            self._widths = within(self._baskets)
        across = distances(self._baskets, c, others)
        return np.maximum(np.maximum(across, self._widths[others]), self._widths[c]), across

    def twin(self, c: int) -> int | None:
        """A cluster that is published as c is, so that the two cannot be told apart anyway."""
        others = self.others(c)
        same = (self.cost(c, others) == self.paid[c]) & (self.paid[others] == self.paid[c])
        return int(others[np.argmax(same)]) if same.any() else None

    def unite(self, c: int, o: int) -> None:
        """Make o a part of c."""
        cost = self.cost(c, np.array([o]))[0]
        if self._widths is not None:
            self._widths[c] = self.union_distances(c, np.array([o]))[0][0]
        unite(self._low, self._high, self.size, self._baskets, c, o, self._rates)
        self.paid[c] = cost
        for held in self.counts[1:]:
            held[c] += held[o]
            held[o] = 0


def _walk(of: I8) -> tuple[I8, I8]:
    """Records by cluster, and where each cluster begins; numbers are 0, 1, ... without gaps."""
    return np.argsort(of, kind="stable"), prefix_sums(np.bincount(of))


# The first phase: k-anonymous clusters by the quasi-identifiers alone.

Start = Literal["paper", "kmember", "mstk"]

_ROWS = 1 << 27  # table rows that mstk rolls up in some four seconds


def likely(n: int, k: int, hierarchies: Hierarchies) -> Start:
    """The default for the first clusters: `mstk`, or `paper` where `mstk` would take far longer.

    `mstk` rolls the n records up to every level vector of the hierarchies; `paper` looks at all of them for each of
    n/k seeds.
    """
    rows = n * prod(hierarchy.height + 1 for hierarchy in hierarchies.values())
    return "mstk" if rows <= max(_ROWS, n * n // k) else "paper"


def first_clusters(
    start: Start,
    records: MixedRecords,
    table: Table,
    hierarchies: Hierarchies,
    *,
    k: int,
    rng: np.random.Generator | None,
    progress: Progress,
) -> I8:
    """The cluster of each record, 0, 1, ...; every cluster has at least k.

    `paper` is Cluster of Poulis et al.: it takes a random record and the k-1 that pay least with it, again and again.
    The records left over go where they make the cluster pay least. The other ways are the methods of that name.
    Clusters that are published alike are one, however they were formed; `Clusters` makes sure of that.
    """
    if start == "paper":
        draws, done = (rng or np.random.default_rng()).random(records.n // k), np.zeros(1, dtype=np.int64)
        tell = rising(progress, "clusters by the quasi-identifiers")
        with watching(tell, lambda: 1 - (1 - done[0] / len(draws)) ** 2):  # each looks at all that are left
            return gather(records.local.codes, draws, k, records.local.rates, done)
    cluster: Callable[..., Result[Recoded]] = getattr(import_module(f"shoal.algorithms.local.{start}"), start)
    rows = records.local.rows  # whom the method puts where, of equals, must not depend on the file
    moved = Table(tuple(replace(column, codes=column.codes[rows]) for column in table.quasi))
    made = cluster(moved, hierarchies, KAnonymity(k), recode=records.local.recode, progress=progress)
    return class_of_rows(made.release)
