"""First clusters by the quasi-identifiers, merged: what `bound` stops along and `tradeoff` traces."""

from typing import Literal, NamedTuple

import numpy as np

from shoal.algorithms.mixed.clusters import Clusters
from shoal.algorithms.mixed.first_clusters import Start
from shoal.algorithms.mixed.merge_plan import Made, Plan, above
from shoal.algorithms.mixed.merging import Nearness, Rule, btd
from shoal.algorithms.mixed.merging import merge as merge_clusters
from shoal.algorithms.mixed.table_measures import MEASURES, TableLoss, budget, share
from shoal.errors import InfeasibleError, InputError
from shoal.naming import offered
from shoal.progress import Progress

__all__ = ["MergeWays", "check_ways", "merged"]

_UNBOUNDED = 2**62


class MergeWays(NamedTuple):
    """How clusters are formed and merged, as the user asks for it; see `bound`."""

    merge: Rule
    loss: TableLoss
    clusters: Start | None
    nearness: Literal["btd", "exact"]


def merged(
    plan: Plan,
    ways: MergeWays,
    delta: float | None,
    rng: np.random.Generator | None,
    progress: Progress,
) -> Made:
    """The clusters merged as far as a loss `delta` of the table allows; None is no bound."""
    start, measure = plan.start(ways.clusters), MEASURES[ways.loss]
    begun = plan.clusters(start, rng, progress)
    total, n = measure.total(begun), plan.records.n
    most = _UNBOUNDED if delta is None else budget(ways.loss, delta, n)
    if total > most:
        least = share(ways.loss, total, n)
        raise InfeasibleError(
            f"bound: delta={delta} but the clusters already lose {above(least)} of the table; give "
            f"delta={above(least)} or more, a smaller k or other clusters"
        )
    many = len(begun.size)
    near = btd if ways.nearness == "btd" else _exact(plan)
    merges = merge_clusters(
        begun, ways.merge, plan.need, most, nearness=near, measure=measure, progress=progress
    )
    return Made(plan, merges, {"start": start, "clusters": many}, ways.loss)


def _exact(plan: Plan) -> Nearness:
    """The loss of the items itself instead of the BTD: every union is generalized to see what it costs."""

    def near(clusters: Clusters, c: int, others: np.ndarray) -> tuple[np.ndarray, ...]:
        own = clusters.members(c)
        unions = [np.sort(np.r_[own, clusters.members(int(o))]) for o in others]
        return (np.array([plan.items.together(rows) / len(rows) for rows in unions]),)

    return near


def check_ways(bound: str, ways: MergeWays) -> None:
    """Refuse a word that none of the ways to merge has."""
    known = {
        "bound": (bound, ("table", "items")),
        "merge": (ways.merge, ("r", "t", "rt")),
        "loss": (ways.loss, tuple(MEASURES)),
        "clusters": (ways.clusters, (None, "paper", "kmember", "mstk")),
        "nearness": (ways.nearness, ("btd", "exact")),
    }
    for name, (value, words) in known.items():
        if value not in words:
            there = offered(value, filter(None, words), "use one of")
            raise InputError(f"bound: {name}={value!r}; {there}")
