"""The trade-off between what the table and what the items lose, along the merges of clusters.

`bound` stops along these merges, and `tradeoff` traces them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np

from shoal.algorithms.knobs import Share
from shoal.algorithms.local.local_table import Grid
from shoal.algorithms.mixed.class_items import ItemRules, Way
from shoal.algorithms.mixed.clusters import Clusters, Start
from shoal.algorithms.mixed.merging import (
    MEASURES,
    MergedClusters,
    Nearness,
    Plan,
    Rule,
    TableLoss,
    above,
    btd,
    budget,
    look_at,
    share,
    stops,
)
from shoal.algorithms.mixed.merging import merge as merge_clusters
from shoal.data import Mixed
from shoal.discreet import Discreet
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.naming import offered
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.progress import Progress, rising, silent
from shoal.release import RecodedMixed, Result

__all__ = [
    "MergeWays",
    "TradeoffFront",
    "TradeoffPoint",
    "check_ways",
    "knee",
    "merge_to_bound",
    "traced",
    "tradeoff",
]


_UNBOUNDED = 2**62


class MergeWays(NamedTuple):
    """How clusters are formed and merged, as the user asks for it; see `bound`."""

    merge: Rule
    loss: TableLoss
    clusters: Start | None
    nearness: Literal["btd", "exact"]


def merge_to_bound(
    plan: Plan,
    ways: MergeWays,
    delta: float | None,
    rng: np.random.Generator | None,
    progress: Progress,
) -> MergedClusters:
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
    return MergedClusters(plan, merges, {"start": start, "clusters": many}, ways.loss)


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


@dataclass(frozen=True, slots=True)
class TradeoffPoint:
    """A release: what its table loses, what its items lose, how many classes it has, after how many merges.

    bounded : what the table loses by the loss that is bounded, where that is another one than `ncp`
    """

    ncp: float
    ul: float
    classes: int
    merges: int
    bounded: float | None = None

    @property
    def table(self) -> float:
        """What the table loses by the loss that is bounded."""
        return self.ncp if self.bounded is None else self.bounded


@dataclass(frozen=True, repr=False)
class TradeoffFront(Discreet):
    """Undominated points by rising loss of the table and falling loss of the items; without `look_back` all points.

    bound : which of the two losses `pick` bounds
    """

    points: tuple[TradeoffPoint, ...]
    bound: Literal["table", "items"]
    made: MergedClusters = field(repr=False, compare=False)

    def pick(self, delta: float) -> TradeoffPoint:
        """The point that loses least in one part and at most `delta` in the other."""
        if self.bound == "table":
            fit = [point for point in self.points if point.table <= delta + 1e-9]
            least = self.points[0].table
        else:
            fit = [point for point in self.points[::-1] if point.ul <= delta + 1e-9]
            least = min(point.ul for point in self.points)
        if not fit:
            raise InfeasibleError(
                f"bound: delta={delta} but no point of the trade-off loses less than {above(least)} of the "
                f"{self.bound}; give delta={above(least)} or more"
            )
        return fit[-1]

    def release(self, point: TradeoffPoint) -> Result[RecodedMixed]:
        """Publish a point."""
        return self.made.release(point.merges)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "bound": self.bound,
            "front": [
                {
                    "table-ncp": p.ncp,
                    f"table-{self.made.loss}": p.table,
                    "ul": p.ul,
                    "classes": p.classes,
                    "merges": p.merges,
                }
                for p in self.points
            ],
        }


def tradeoff(
    mixed: Mixed,
    hierarchies: Hierarchies,
    claim: KKmAnonymity | KLmDiversity,
    item_hierarchy: Hierarchy | None = None,
    *,
    bound: Literal["table", "items"] = "table",
    merge: Rule = "r",
    loss: TableLoss = "ncp",
    look_back: bool = True,
    clusters: Start | None = None,
    items: Way | None = None,
    utility: Sequence[Sequence[str]] | None = None,
    suppress: Share = 0.0,
    weights: Mapping[str, float] | None = None,
    nearness: Literal["btd", "exact"] = "btd",
    recode: str = "hierarchy",
    grid: Grid = None,
    rng: np.random.Generator | None = None,
    progress: Progress = silent,
) -> TradeoffFront:
    """Trace what the table and what the items lose along the merges that `bound` makes, for every delta at once.

    Parameters and errors are those of `bound`. `bound` tells which loss `Tradeoff.pick` bounds. Without `look_back`
    the points at which the items lose more again are there, too.
    """
    ways, rules = MergeWays(merge, loss, clusters, nearness), ItemRules(items, utility, suppress, weights)
    check_ways(bound, ways)
    plan = Plan.of("bound", mixed, hierarchies, claim, item_hierarchy, rules=rules, recode=recode, grid=grid)
    made = merge_to_bound(plan, ways, None, rng, progress)
    return TradeoffFront(traced(made, progress, every=not look_back), bound, made)


def traced(made: MergedClusters, progress: Progress, *, every: bool = False) -> tuple[TradeoffPoint, ...]:
    """Generalize the items at some stops along the merges, and keep what nothing beats, or every point."""
    found: list[TradeoffPoint] = []
    places, tell = stops(made), rising(progress, "bound: trade-off")
    for number, steps in enumerate(places):
        ul = made.ul(steps, look_at(tell, number, len(places)))
        if ul == inf:
            continue
        bounded = None if made.loss == "ncp" else made.lost(steps)
        point = TradeoffPoint(made.ncp(steps), ul, len(made.merges.after(steps)[0]), steps, bounded)
        if every or not found or point.ul < found[-1].ul:
            found.append(point)
    if not found:
        made.release(places[-1])  # which says why nothing can be published
    return tuple(found)


def knee(points: Sequence[TradeoffPoint]) -> TradeoffPoint:
    """The point farthest below the line between the ends, both losses scaled to 0 .. 1.

    Of equals, as of two points or of all on a line, the one that loses least in both parts together; then the first.

    >>> knee([TradeoffPoint(0.0, 1.0, 9, 0), TradeoffPoint(0.1, 0.2, 5, 4), TradeoffPoint(1.0, 0.0, 1, 8)]).ncp
    0.1
    >>> knee([TradeoffPoint(0.02, 0.84, 9, 0), TradeoffPoint(0.06, 0.55, 5, 4)]).ul
    0.55
    """
    first, last = points[0], min(points, key=lambda point: point.ul)
    wide, high = last.table - first.table, first.ul - last.ul
    if not wide or not high:
        return first

    def below(point: TradeoffPoint) -> float:
        return round((first.table - point.table) / wide + (first.ul - point.ul) / high, 9)

    return max(points, key=lambda point: (below(point), -point.table - point.ul))
