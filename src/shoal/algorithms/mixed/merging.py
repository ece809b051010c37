"""The merging phase: seed by seed, the cluster that loses least joins the one that suits it best.

In Sec. 4 of Poulis et al., Rmerge and Tmerge with the same rule (R, T or RT) merge the same clusters; they differ only
in when they stop.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.mixed.clusters import Clusters, Need
from shoal.algorithms.mixed.table_measures import MEASURES, TableMeasure
from shoal.data.types import B1, F8, I8
from shoal.progress import Progress, rising, silent

__all__ = ["Merges", "Nearness", "Rule", "btd", "merge", "unmerged"]

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
