"""Merging clusters seed by seed, measured by what the table loses, and a release after any number of merges.

The cluster that loses least joins the one that suits it best. In Sec. 4 of Poulis et al., Rmerge and Tmerge with the
same rule (R, T or RT) merge the same clusters; they differ only in when they stop. What a table of clusters loses is
the paper's Rum, by any of the measures that `bound` can bound: whole numbers, so that what is added up is exact, of
which `share` makes a loss from 0 to 1.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.constraint import refusal
from shoal.algorithms.local.column_prices import SCALE
from shoal.algorithms.local.local_table import Grid, Partition
from shoal.algorithms.mixed.class_items import ItemRules, Items, generalizer, hierarchy_for
from shoal.algorithms.mixed.clusters import Clusters, MixedRecords, Need, Start, first_clusters, likely
from shoal.data import Mixed
from shoal.data.arrays import B1, F8, I8
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.progress import Progress, Tell, nobody, part, rising, silent
from shoal.release import Claim, RecodedMixed, Result

__all__ = [
    "MEASURES",
    "MergedClusters",
    "Merges",
    "Nearness",
    "Plan",
    "Rule",
    "TableLoss",
    "TableMeasure",
    "above",
    "btd",
    "budget",
    "look_at",
    "merge",
    "share",
    "stops",
    "unmerged",
]


TableLoss = Literal["ncp", "dm", "c_avg"]

_ONE = 1 << 40  # the whole of a loss that is a quotient


class TableMeasure(Protocol):
    """One way to measure what the table loses."""

    def total(self, clusters: Clusters) -> int:
        """What all clusters lose."""

    def own(self, clusters: Clusters) -> tuple[I8, ...]:
        """What each cluster loses by itself: keys, the first counts most."""

    def united(self, clusters: Clusters, c: int, others: I8) -> tuple[I8, ...]:
        """What the union of c and each other would lose by itself: keys, the first counts most."""

    def added(self, clusters: Clusters, c: int, others: I8, united: tuple[I8, ...]) -> I8:
        """By how much the total would grow."""

    def whole(self, n: int) -> int:
        """The total of n records that is a loss of 1."""


class _Ncp:
    """The mean over records of what their cells lose."""

    def total(self, clusters: Clusters) -> int:
        return clusters.total

    def own(self, clusters: Clusters) -> tuple[I8, ...]:
        return (clusters.paid,)

    def united(self, clusters: Clusters, c: int, others: I8) -> tuple[I8, ...]:
        return (clusters.cost(c, others),)

    def added(self, clusters: Clusters, c: int, others: I8, united: tuple[I8, ...]) -> I8:
        return clusters.added(c, others, united[0])

    def whole(self, n: int) -> int:
        return SCALE * n


class _Sizes:
    """Losses of class sizes: small clusters first, and of equal ones those whose cells lose least."""

    def own(self, clusters: Clusters) -> tuple[I8, ...]:
        return clusters.size, clusters.paid

    def united(self, clusters: Clusters, c: int, others: I8) -> tuple[I8, ...]:
        return clusters.size[c] + clusters.size[others], clusters.cost(c, others)


class _Dm(_Sizes):
    """Discernibility, the sum of squares of class sizes, as a share of that of one class of all."""

    def total(self, clusters: Clusters) -> int:
        return int(clusters.size @ clusters.size)

    def added(self, clusters: Clusters, c: int, others: I8, united: tuple[I8, ...]) -> I8:
        return np.asarray(2 * clusters.size[c] * clusters.size[others])

    def whole(self, n: int) -> int:
        return n**2


class _CAvg(_Sizes):
    """The average class size as a share of all records, 1/classes: N/(classes k) as a share of N/k."""

    def total(self, clusters: Clusters) -> int:
        return _ONE // int((clusters.size > 0).sum())

    def added(self, clusters: Clusters, c: int, others: I8, united: tuple[I8, ...]) -> I8:
        many = int((clusters.size > 0).sum())
        return np.full(len(others), _ONE // (many - 1) - _ONE // many)

    def whole(self, n: int) -> int:
        return _ONE


MEASURES: dict[str, TableMeasure] = {"ncp": _Ncp(), "dm": _Dm(), "c_avg": _CAvg()}


def share(loss: TableLoss, total: int, n: int) -> float:
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
        nodes, place = np.unique(node[stays], return_inverse=True)
        return nodes, place.reshape(-1)[self.of]


def unmerged(clusters: Clusters) -> Merges:
    """Return the clusters without any merge."""
    none = np.empty(0, dtype=np.int64)
    total = np.array([clusters.total])
    return Merges(clusters.of, none, none, total, total, 0)


def btd(clusters: Clusters, c: int, others: I8) -> tuple[F8, ...]:
    """The bit-vector transaction distance: of the union, and of equals that of the two clusters to each other."""
    return clusters.union_distances(c, others)


def merge(
    clusters: Clusters,
    rule: Rule,
    need: Need,
    budget: int,
    *,
    nearness: Nearness = btd,
    measure: TableMeasure = MEASURES["ncp"],
    progress: Progress = silent,
) -> Merges:
    """Merge until nothing is left to merge within `budget`, what all records may lose together by `measure`.

    Clusters that lack what `need` asks come first, as long as a partner can be paid. After them the seed is
    the cluster that loses least (Step 2). The R rule stops when the best partner cannot be paid; the
    other rules take the best partner that can be paid (Steps 4-9).
    """
    steps: list[tuple[int, int]] = []
    totals, lost, needed = [clusters.total], [measure.total(clusters)], 0
    tried = np.zeros(len(clusters.size), dtype=bool)
    tell = rising(progress, "bound: merging clusters")
    while (clusters.size > 0).sum() > 1:
        lacking = need.unmet(clusters.counts) & ~tried
        seed = _cheapest(measure.own(clusters), lacking if lacking.any() else clusters.size > 0)
        left = budget - lost[-1]
        partner = _partner(clusters, seed, rule, left, nearness, measure, lacking=bool(lacking.any()))
        if partner is None and not lacking.any():
            break
        tried[seed], sure = partner is None, len(steps)
        while partner is not None:
            clusters.unite(seed, partner)
            steps.append((seed, partner))
            totals.append(clusters.total)
            lost.append(measure.total(clusters))
            partner = clusters.twin(seed)
        if lost[-1] > budget:  # those published alike came along, which costs nothing by `ncp` alone
            del steps[sure:], totals[sure + 1 :], lost[sure + 1 :]
            break
        needed = len(steps) if lacking.any() else needed
        by_budget = (lost[-1] - lost[0]) / max(budget - lost[0], 1)
        tell(max(by_budget, _compared(len(steps), len(clusters.size))))
    pairs = np.array(steps, dtype=np.int64).reshape(-1, 2)
    total, bounded = np.array(totals, dtype=np.int64), np.array(lost, dtype=np.int64)
    return Merges(clusters.of, pairs[:, 0].copy(), pairs[:, 1].copy(), total, bounded, needed)


def _compared(steps: int, clusters: int) -> float:
    """The share of all comparisons that are done after so many steps: each step compares with all clusters left."""
    return 1 - (1 - steps / (clusters - 1)) ** 2


def _cheapest(keys: tuple[I8, ...], among: B1) -> int:
    """The cluster that loses least; of equals the first."""
    found = np.flatnonzero(among)
    for key in keys:
        found = found[key[found] == key[found].min()]
    return int(found[0])


def _partner(
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
    others = clusters.others(seed)
    cost = measure.united(clusters, seed, others)
    payable = measure.added(clusters, seed, others, cost) <= left
    order = _ranked(cost) if rule == "r" else _ranked((*nearness(clusters, seed, others), *cost))
    if rule == "rt":
        place = np.empty((2, len(order)), dtype=np.int64)
        place[0, order], place[1, _ranked(cost)] = np.arange(len(order)), np.arange(len(order))
        order = _ranked((place.sum(axis=0), place[1]))
    elif rule == "r" and not lacking:
        order = order[:1]
    order = order[payable[order]]
    return int(others[order[0]]) if len(order) else None


def _ranked(keys: tuple[NDArray[np.generic], ...]) -> I8:
    """Places by rising keys, the first counting most; of equals the first."""
    return np.lexsort(keys[::-1])


_STOPS = 25
_FIRST_LOOK = 0.65  # of the time that all looks take


@dataclass(frozen=True)
class Plan:
    """What is asked of a table with baskets, in codes and prices."""

    mixed: Mixed
    hierarchies: Hierarchies
    records: MixedRecords
    items: Items
    need: Need
    claim: Claim

    @classmethod
    def of(
        cls,
        method: str,
        mixed: Mixed,
        hierarchies: Hierarchies,
        claim: Claim,
        item_hierarchy: Hierarchy | None,
        *,
        rules: ItemRules,
        recode: str,
        grid: Grid,
    ) -> "Plan":
        """Check what is asked, and code the data."""
        if not isinstance(claim, KKmAnonymity | KLmDiversity):
            raise refusal(method, claim)
        k, l = claim.k, claim.l if isinstance(claim, KLmDiversity) else 0
        if l and not mixed.baskets.sensitive:
            raise InputError(
                f"{method}: l={l} is about sensitive items, and none is named; name them or give k alone"
            )
        hierarchy = hierarchy_for(method, rules, mixed.baskets, item_hierarchy)
        exempt = claim.exempts
        records = MixedRecords.of(
            method, mixed, hierarchies, hierarchy, k=k, exempt=exempt, recode=recode, grid=grid
        )
        way = generalizer(method, rules, mixed.baskets, hierarchy, records.item_codes)
        need, whole = Need(k, l), len(mixed.baskets.values) if hierarchy is None else hierarchy.size
        return cls(mixed, hierarchies, records, Items(records, way, need, claim.m, whole), need, claim)

    def start(self, clusters: Start | None) -> Start:
        """The name of the way in which the first clusters are made: as given, or the default."""
        return clusters or likely(self.records.n, self.need.k, self.hierarchies)

    def clusters(
        self, start: Start, rng: np.random.Generator | None, progress: Progress = silent
    ) -> Clusters:
        """The initial clusters."""
        table, k = self.mixed.table, self.need.k
        of = first_clusters(start, self.records, table, self.hierarchies, k=k, rng=rng, progress=progress)
        return Clusters(self.records, of)


@dataclass(frozen=True)
class MergedClusters:
    """Merges, and what is lost after any number of them."""

    plan: Plan
    merges: Merges
    trace: dict[str, Any] = field(default_factory=dict)
    loss: TableLoss = "ncp"

    def ncp(self, steps: int) -> float:
        """The loss `ncp` of the table."""
        return share("ncp", int(self.merges.total[steps]), self.plan.records.n)

    def lost(self, steps: int) -> float:
        """The loss of the table by the measure that is bounded."""
        return share(self.loss, int(self.merges.lost[steps]), self.plan.records.n)

    def ul(self, steps: int, tell: Tell = nobody) -> float:
        """The loss of the items; `tell` hears how far they are generalized."""
        return self.plan.items.loss(*self.merges.after(steps), tell)

    def release(self, steps: int, tell: Tell = nobody) -> Result[RecodedMixed]:
        """Publish the clusters after so many steps; `tell` hears how far their items are generalized."""
        nodes, of = self.merges.after(steps)
        plan, ul = self.plan, self.ul(steps, tell)
        table = plan.records.local.release(Partition.of(of), plan.claim).release
        baskets = plan.items.release(plan.mixed.baskets, nodes, of)
        trace = {
            "table-ncp": self.ncp(steps),
            f"table-{self.loss}": self.lost(steps),
            "ul": ul,
            "merges": steps,
            "classes": len(nodes),
            **self.trace,
        }
        return Result(RecodedMixed(table, baskets), plan.claim, trace=trace)


def stops(made: MergedClusters, many: int = _STOPS) -> list[int]:
    """Numbers of steps at which the loss of the table has grown evenly, the first and the last among them."""
    lost = made.merges.lost
    marks = np.linspace(lost[0], lost[-1], many)
    return [int(steps) for steps in np.unique(np.searchsorted(lost, marks, side="right") - 1)]


def look_at(tell: Tell, number: int, looks: int) -> Tell:
    """What one of several looks along the merges is told to: the first takes longest, the others know much of it."""
    if looks == 1:
        return tell
    later = (1 - _FIRST_LOOK) / (looks - 1)
    low = _FIRST_LOOK + (number - 1) * later if number else 0.0
    return part(tell, low, low + (later if number else _FIRST_LOOK))


def above(loss: float) -> str:
    """A loss as a bound that can be met: with four digits, rounded up from the very number that is compared.

    >>> above(0.25), above(0.1 + 0.2)
    ('0.2500', '0.3001')
    """
    return str(Decimal(loss).quantize(Decimal("0.0001"), rounding=ROUND_CEILING))
