"""A table with baskets as its methods see it, and clusters of its records: what they pay, what they need, merged.

Clusters are merged seed by seed: the cluster that loses least joins the one that suits it best. In Sec. 4 of Poulis et
al., Rmerge and Tmerge with the same rule (R, T or RT) merge the same clusters; they differ only in when they stop. What
a table of clusters loses is the paper's Rum, by any of the measures that `bound` can bound: whole numbers, so that what
is added up is exact, of which `loss_share` makes a loss from 0 to 1.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms import METHODS
from shoal.algorithms.itemsets.item_cuts import ItemCodes, SupportRequirement, code_items, count_holders
from shoal.algorithms.local._kernels.clustering import extents
from shoal.algorithms.local.column_prices import SCALE
from shoal.algorithms.local.local_table import LABELS, Grid, LocalTable
from shoal.algorithms.mixed._kernels import (
    ClusterBaskets,
    chain_records,
    cluster_diameters,
    cluster_distances,
    cluster_prices,
    cluster_records,
    form_clusters,
    number_alike,
    union_prices,
    unite_clusters,
)
from shoal.base.errors import InfeasibleError
from shoal.base.progress import Progress, no_progress, poll_kernel, start_step
from shoal.data import Baskets, Mixed, Table
from shoal.data.arrays import B1, F8, I4, I8, U8, hash_u64, prefix_sums
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KAnonymity
from shoal.release import Recoded, Result
from shoal.utility import class_of_rows

__all__ = [
    "MEASURES",
    "Clusters",
    "Merges",
    "MixedRecords",
    "Nearness",
    "Rule",
    "Start",
    "TableLoss",
    "btd",
    "budget",
    "default_start",
    "form_first_clusters",
    "loss_share",
    "merge",
    "no_merges",
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
        order = np.lexsort((_hash_baskets(mixed.baskets)[local.rows], local.tuple_of))
        local = replace(local, rows=local.rows[order])  # within a tuple only, so nothing else moves
        return cls(local, code_items(method, mixed.baskets, items, exempt=exempt).take(local.rows))

    @property
    def n(self) -> int:
        """The number of records."""
        return self.local.n

    @cached_property
    def open_baskets(self) -> tuple[I8, I4]:
        """The baskets without exempt items: (start, items)."""
        open_codes = self.item_codes.where(self.item_codes.items < self.item_codes.width)
        return open_codes.start, open_codes.items


def _hash_baskets(baskets: Baskets) -> U8:
    """A number for every basket, a function of its items alone: a sum of well mixed codes, modulo 2^64."""
    code = np.arange(1, len(baskets.values) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    sums = np.r_[np.uint64(0), np.cumsum(hash_u64(code)[baskets.items])]
    return np.asarray(sums[baskets.start[1:]] - sums[baskets.start[:-1]], dtype=np.uint64)


class Clusters:
    """All clusters of `records`, those published alike made one; what became part of another holds nothing.

    of     : int64[n]  the cluster of each record at first
    counts : what each cluster holds now
    paid   : int64[c]  what each of its records pays, in `SCALE`
    """

    def __init__(self, records: MixedRecords, of: I8) -> None:
        self._rates = records.local.rates
        walk, starts = _sort_by_cluster(of)
        low, high = extents(records.local.codes, walk, starts, self._rates)
        self.of = number_alike(low, high, self._rates)[of]
        walk, starts = _sort_by_cluster(self.of)
        self._low, self._high = extents(records.local.codes, walk, starts, self._rates)
        self.paid = cluster_prices(self._low, self._high, self._rates)
        start, items = records.open_baskets
        order = np.argsort(-np.diff(start), kind="stable")
        self.counts = count_holders(records.item_codes, self.of)
        first, after = chain_records(self.of, order, len(self.size))
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
        return np.asarray(cluster_records(self._baskets, c, int(self.size[c])))

    def others(self, c: int) -> I8:
        """Every cluster but c."""
        alive = np.flatnonzero(self.size)
        return np.asarray(alive[alive != c])

    def cost(self, c: int, others: I8) -> I8:
        """What each record of the union of c and each other would pay."""
        return union_prices(self._low, self._high, c, others, self._rates)

    def cost_increase(self, c: int, others: I8, cost: I8) -> I8:
        """By how much the total would grow."""
        union_costs = (self.size[c] + self.size[others]) * cost
        return np.asarray(union_costs - self.size[c] * self.paid[c] - self.size[others] * self.paid[others])

    def union_distances(self, c: int, others: I8) -> tuple[F8, F8]:
        """The BTD of the union of c and each other, and the largest of a record of c and one of the other."""
        if self._widths is None:
            self._widths = cluster_diameters(self._baskets)
        across = cluster_distances(self._baskets, c, others)
        return np.maximum(np.maximum(across, self._widths[others]), self._widths[c]), across

    def twin(self, c: int) -> int | None:
        """A cluster that is published as c is, so that the two cannot be told apart anyway."""
        candidates = self.others(c)
        is_twin = (self.cost(c, candidates) == self.paid[c]) & (self.paid[candidates] == self.paid[c])
        return int(candidates[np.argmax(is_twin)]) if is_twin.any() else None

    def unite(self, c: int, o: int) -> None:
        """Make o a part of c."""
        cost = self.cost(c, np.array([o]))[0]
        if self._widths is not None:
            self._widths[c] = self.union_distances(c, np.array([o]))[0][0]
        unite_clusters(self._low, self._high, self.size, self._baskets, c, o, self._rates)
        self.paid[c] = cost
        for counts in self.counts[1:]:
            counts[c] += counts[o]
            counts[o] = 0


def _sort_by_cluster(of: I8) -> tuple[I8, I8]:
    """Records by cluster, and where each cluster begins; numbers are 0, 1, ... without gaps."""
    return np.argsort(of, kind="stable"), prefix_sums(np.bincount(of))


# The first phase: k-anonymous clusters by the quasi-identifiers alone.

Start = Literal["paper", "kmember", "mstk"]

_ROWS = 1 << 27  # table rows that mstk rolls up in some four seconds


def default_start(n: int, k: int, hierarchies: Hierarchies) -> Start:
    """The default for the first clusters: `mstk`, or `paper` where `mstk` would take far longer.

    `mstk` rolls the n records up to every level vector of the hierarchies; `paper` looks at all of them for each of
    n/k seeds.
    """
    rows = n * prod(hierarchy.height + 1 for hierarchy in hierarchies.values())
    return "mstk" if rows <= max(_ROWS, n * n // k) else "paper"


def form_first_clusters(
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
        tell = start_step(progress, "clusters by the quasi-identifiers")
        # Each looks at all that are left.
        with poll_kernel(tell, lambda: 1 - (1 - done[0] / len(draws)) ** 2):
            return form_clusters(records.local.codes, draws, k, records.local.rates, done)
    cluster: Callable[..., Result[Recoded]] = METHODS[start].load()
    rows = records.local.rows  # whom the method puts where, of equals, must not depend on the file
    sorted_table = Table(tuple(replace(column, codes=column.codes[rows]) for column in table.quasi))
    result = cluster(sorted_table, hierarchies, KAnonymity(k), recode=records.local.recode, progress=progress)
    return class_of_rows(result.release)


# The second phase: clusters merged, measured by what the table loses.

TableLoss = Literal["ncp", "dm", "c_avg"]

_ONE = 1 << 40  # the whole of a loss that is a quotient


@dataclass(frozen=True, slots=True)
class TableMeasure:
    """One way to measure what the table loses.

    by_size : whether small clusters lose first, and of equal ones those whose cells lose least; else the cells alone
    total   : what all clusters lose
    added   : by how much that would grow if c and each of some others were one, each of whose records would pay so much
    whole   : the total of n records that is a loss of 1
    """

    by_size: bool
    total: Callable[[Clusters], int]
    added: Callable[[Clusters, int, I8, I8], I8]
    whole: Callable[[int], int]

    def own(self, clusters: Clusters) -> tuple[I8, ...]:
        """What each cluster loses by itself: keys, the first counts most."""
        return (clusters.size, clusters.paid) if self.by_size else (clusters.paid,)

    def measure_unions(self, clusters: Clusters, c: int, others: I8) -> tuple[I8, ...]:
        """What the union of c and each other would lose by itself: keys, the first counts most; last what each pays."""
        costs = clusters.cost(c, others)
        return (clusters.size[c] + clusters.size[others], costs) if self.by_size else (costs,)


def _count_classes(clusters: Clusters) -> int:
    return int((clusters.size > 0).sum())


MEASURES = {
    # the mean over records of what their cells lose
    "ncp": TableMeasure(False, lambda clusters: clusters.total, Clusters.cost_increase, lambda n: SCALE * n),
    # discernibility, the sum of squares of class sizes, as a share of that of one class of all
    "dm": TableMeasure(
        True,
        lambda clusters: int(clusters.size @ clusters.size),
        lambda clusters, c, others, paid: np.asarray(2 * clusters.size[c] * clusters.size[others]),
        lambda n: n**2,
    ),
    # the average class size as a share of all records, 1/classes: N/(classes k) as a share of N/k
    "c_avg": TableMeasure(
        True,
        lambda clusters: _ONE // _count_classes(clusters),
        lambda clusters, c, others, paid: np.full(
            len(others), _ONE // (_count_classes(clusters) - 1) - _ONE // _count_classes(clusters)
        ),
        lambda n: _ONE,
    ),
}


def loss_share(loss: TableLoss, total: int, n: int) -> float:
    """A total of n records as a loss from 0 to 1."""
    return total / MEASURES[loss].whole(n)


def budget(loss: TableLoss, delta: float, n: int) -> int:
    """The largest total within a bound; prices are rounded, so a billionth more is no more."""
    return int((delta + 1e-9) * MEASURES[loss].whole(n))


Rule = Literal["r", "t", "rt"]
Nearness = Callable[[Clusters, int, I8], tuple[F8, ...]]
"""How much the items of the union of a cluster and each of some others would lose: keys, the first counts most."""


@dataclass(frozen=True, slots=True)
class Merges:
    """Clusters and how they were merged, one pair after another.

    of         : int64[n]      the cluster of each record at first
    into, gone : int64[t]      at each step, which cluster stays and which becomes part of it
    total      : int64[t + 1]  what all records pay before the first step and after each, by `ncp`
    lost       : int64[t + 1]  the same by the measure that is bounded
    needed     : how many steps, the first ones, were made for clusters that lacked something
    """

    of: I8
    into: I8
    gone: I8
    total: I8
    lost: I8
    needed: int

    def __len__(self) -> int:
        return len(self.into)

    def after(self, steps: int) -> tuple[I8, I8]:
        """Each record's cluster after so many steps: the clusters as nodes of the tree of merges, and a place each.

        Node c is cluster c as it was at first, and the first clusters + i what step i made.
        """
        clusters = int(self.of.max()) + 1
        stays, node = np.arange(clusters), np.arange(clusters)
        for step in range(steps):
            node[self.into[step]] = clusters + step
        for step in range(steps - 1, -1, -1):
            stays[self.gone[step]] = stays[self.into[step]]
        nodes, index_of_cluster = np.unique(node[stays], return_inverse=True)
        return nodes, index_of_cluster.reshape(-1)[self.of]


def no_merges(clusters: Clusters) -> Merges:
    """Return the clusters without any merge."""
    empty = np.empty(0, dtype=np.int64)
    total = np.array([clusters.total])
    return Merges(clusters.of, empty, empty, total, total, 0)


def btd(clusters: Clusters, c: int, others: I8) -> tuple[F8, ...]:
    """The bit-vector transaction distance: of the union, and of equals that of the two clusters to each other."""
    return clusters.union_distances(c, others)


def merge(
    clusters: Clusters,
    rule: Rule,
    need: SupportRequirement,
    budget: int,
    *,
    nearness: Nearness = btd,
    measure: TableMeasure = MEASURES["ncp"],
    progress: Progress = no_progress,
) -> Merges:
    """Merge until nothing is left to merge within `budget`, what all records may lose together by `measure`.

    Clusters that lack what `need` asks come first, as long as a partner can be paid. After them the seed is
    the cluster that loses least (Step 2). The R rule stops when the best partner cannot be paid; the
    other rules take the best partner that can be paid (Steps 4-9).
    """
    steps: list[tuple[int, int]] = []
    totals, losses, needed = [clusters.total], [measure.total(clusters)], 0
    is_tried = np.zeros(len(clusters.size), dtype=bool)
    tell = start_step(progress, "bound: merging clusters")
    while (clusters.size > 0).sum() > 1:
        is_lacking = need.unmet(clusters.counts) & ~is_tried
        seed = _find_cheapest(measure.own(clusters), is_lacking if is_lacking.any() else clusters.size > 0)
        budget_left = budget - losses[-1]
        partner = _find_partner(
            clusters, seed, rule, budget_left, nearness, measure, lacking=bool(is_lacking.any())
        )
        if partner is None and not is_lacking.any():
            break
        is_tried[seed], step_count = partner is None, len(steps)
        while partner is not None:
            clusters.unite(seed, partner)
            steps.append((seed, partner))
            totals.append(clusters.total)
            losses.append(measure.total(clusters))
            partner = clusters.twin(seed)
        if losses[-1] > budget:  # those published alike came along, which costs nothing by `ncp` alone
            del steps[step_count:], totals[step_count + 1 :], losses[step_count + 1 :]
            break
        needed = len(steps) if is_lacking.any() else needed
        by_budget = (losses[-1] - losses[0]) / max(budget - losses[0], 1)
        tell(max(by_budget, _share_compared(len(steps), len(clusters.size))))
    pairs = np.array(steps, dtype=np.int64).reshape(-1, 2)
    total, bounded = np.array(totals, dtype=np.int64), np.array(losses, dtype=np.int64)
    return Merges(clusters.of, pairs[:, 0].copy(), pairs[:, 1].copy(), total, bounded, needed)


def _share_compared(steps: int, clusters: int) -> float:
    """The share of all comparisons that are done after so many steps: each step compares with all clusters left."""
    return 1 - (1 - steps / (clusters - 1)) ** 2


def _find_cheapest(keys: tuple[I8, ...], among: B1) -> int:
    """The cluster that loses least; of equals the first."""
    candidates = np.flatnonzero(among)
    for key in keys:
        candidates = candidates[key[candidates] == key[candidates].min()]
    return int(candidates[0])


def _find_partner(
    clusters: Clusters,
    seed: int,
    rule: Rule,
    left: int,
    nearness: Nearness,
    measure: TableMeasure,
    *,
    lacking: bool,
) -> int | None:
    """The cluster to merge the seed with, None if there is none that `left` can pay."""
    candidates = clusters.others(seed)
    cost = measure.measure_unions(clusters, seed, candidates)
    payable = measure.added(clusters, seed, candidates, cost[-1]) <= left
    order = (
        _rank_by_keys(cost) if rule == "r" else _rank_by_keys((*nearness(clusters, seed, candidates), *cost))
    )
    if rule == "rt":
        ranks = np.empty((2, len(order)), dtype=np.int64)
        ranks[0, order], ranks[1, _rank_by_keys(cost)] = np.arange(len(order)), np.arange(len(order))
        order = _rank_by_keys((ranks.sum(axis=0), ranks[1]))
    elif rule == "r" and not lacking:
        order = order[:1]
    order = order[payable[order]]
    return int(candidates[order[0]]) if len(order) else None


def _rank_by_keys(keys: tuple[NDArray[np.generic], ...]) -> I8:
    """Places by rising keys, the first counting most; of equals the first."""
    return np.lexsort(keys[::-1])
