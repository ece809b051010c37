"""Rum-bound and Tum-bound: one part's loss bounded, the other's as small as merging makes it (Poulis et al.).

`tradeoff` traces what both parts lose along the merges at which `bound` stops. Rfirst and Tfirst are the baselines that
the paper measures it against: the table first, and the items first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from functools import partial
from math import inf
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from shoal.algorithms.constraint import refusal
from shoal.algorithms.itemsets.item_cuts import SupportRequirement, count_holders
from shoal.algorithms.knobs import Many, Share, Within, require_positive
from shoal.algorithms.local.local_table import Grid, Partition, Recode
from shoal.algorithms.mixed.class_items import ItemRules, Items, Way, hierarchy_for, make_generalizer
from shoal.algorithms.mixed.clusters import (
    MEASURES,
    Clusters,
    Merges,
    MixedRecords,
    Nearness,
    Rule,
    Start,
    TableLoss,
    btd,
    budget,
    default_start,
    form_first_clusters,
    loss_share,
    no_merges,
)
from shoal.algorithms.mixed.clusters import merge as merge_clusters
from shoal.algorithms.ring.basket_order import gray_order
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.naming import suggest_name
from shoal.base.progress import Progress, Tell, no_progress, no_share, round_shares, scale_share, start_step
from shoal.data import Baskets, Mixed
from shoal.data.arrays import I8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.release import Claim, RecodedMixed, Result

__all__ = [
    "MergedClusters",
    "Plan",
    "TradeoffFront",
    "TradeoffPoint",
    "_sample_steps",
    "bound",
    "knee",
    "rfirst",
    "tfirst",
    "tradeoff",
]

_LOOKS = 8
_SAMPLE = 10_000  # records on which the knee is found where there are more
_STOPS = 25
_FIRST_LOOK = 0.65  # of the time that all looks take


@dataclass(frozen=True)
class Plan:
    """What is asked of a table with baskets, in codes and prices."""

    mixed: Mixed
    hierarchies: Hierarchies
    records: MixedRecords
    items: Items
    need: SupportRequirement
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
        item_generalizer = make_generalizer(method, rules, mixed.baskets, hierarchy, records.item_codes)
        need, item_count = (
            SupportRequirement(k, l),
            len(mixed.baskets.values) if hierarchy is None else hierarchy.size,
        )
        return cls(
            mixed,
            hierarchies,
            records,
            Items(records, item_generalizer, need, claim.m, item_count),
            need,
            claim,
        )

    def start(self, clusters: Start | None) -> Start:
        """The name of the way in which the first clusters are made: as given, or the default."""
        return clusters or default_start(self.records.n, self.need.k, self.hierarchies)

    def clusters(
        self, start: Start, rng: np.random.Generator | None, progress: Progress = no_progress
    ) -> Clusters:
        """The initial clusters."""
        table, k = self.mixed.table, self.need.k
        cluster_of_record = form_first_clusters(
            start, self.records, table, self.hierarchies, k=k, rng=rng, progress=progress
        )
        return Clusters(self.records, cluster_of_record)


@dataclass(frozen=True)
class MergedClusters:
    """Merges, and what is lost after any number of them."""

    plan: Plan
    merges: Merges
    trace: dict[str, Any] = field(default_factory=dict)
    loss: TableLoss = "ncp"

    def ncp(self, steps: int) -> float:
        """The loss `ncp` of the table."""
        return loss_share("ncp", int(self.merges.total[steps]), self.plan.records.n)

    def lost(self, steps: int) -> float:
        """The loss of the table by the measure that is bounded."""
        return loss_share(self.loss, int(self.merges.lost[steps]), self.plan.records.n)

    def ul(self, steps: int, tell: Tell = no_share) -> float:
        """The loss of the items; `tell` hears how far they are generalized."""
        return self.plan.items.loss(*self.merges.after(steps), tell)

    def release(
        self, steps: int, tell: Tell = no_share, told: Mapping[str, Any] = MappingProxyType({})
    ) -> Result[RecodedMixed]:
        """Publish the clusters after so many steps; `tell` hears how far their items are generalized.

        What is `told` comes into the trace, too.
        """
        nodes, class_of_record = self.merges.after(steps)
        plan, ul = self.plan, self.ul(steps, tell)
        table = plan.records.local.release(Partition.of(class_of_record), plan.claim).release
        baskets = plan.items.release(plan.mixed.baskets, nodes, class_of_record)
        trace = {
            "table-ncp": self.ncp(steps),
            f"table-{self.loss}": self.lost(steps),
            "ul": ul,
            "merges": steps,
            "classes": len(nodes),
            **self.trace,
            **told,
        }
        return Result(RecodedMixed(table, baskets), plan.claim, trace=trace)


def _sample_steps(made: MergedClusters, many: int = _STOPS) -> list[int]:
    """Numbers of steps at which the loss of the table has grown evenly, the first and the last among them."""
    losses = made.merges.lost
    marks = np.linspace(losses[0], losses[-1], many)
    return [int(steps) for steps in np.unique(np.searchsorted(losses, marks, side="right") - 1)]


def _tell_look(tell: Tell, number: int, looks: int) -> Tell:
    """What one of several looks along the merges is told to: the first takes longest, the others know much of it."""
    if looks == 1:
        return tell
    later = (1 - _FIRST_LOOK) / (looks - 1)
    low = _FIRST_LOOK + (number - 1) * later if number else 0.0
    return scale_share(tell, low, low + (later if number else _FIRST_LOOK))


def _round_up_loss(loss: float) -> str:
    """A loss as a bound that can be met: with four digits, rounded up from the very number that is compared.

    >>> _round_up_loss(0.25), _round_up_loss(0.1 + 0.2)
    ('0.2500', '0.3001')
    """
    return str(Decimal(loss).quantize(Decimal("0.0001"), rounding=ROUND_CEILING))


# The trade-off between what the table and what the items lose, along the merges of clusters.

_UNBOUNDED = 2**62


class _MergeWays(NamedTuple):
    """How clusters are formed and merged, as the user asks for it; see `bound`."""

    merge: Rule
    loss: TableLoss
    clusters: Start | None
    nearness: Literal["btd", "exact"]


def _merge_to_bound(
    plan: Plan,
    ways: _MergeWays,
    delta: float | None,
    rng: np.random.Generator | None,
    progress: Progress,
) -> MergedClusters:
    """The clusters merged as far as a loss `delta` of the table allows; None is no bound."""
    start, measure = plan.start(ways.clusters), MEASURES[ways.loss]
    clusters = plan.clusters(start, rng, progress)
    total, n = measure.total(clusters), plan.records.n
    limit = _UNBOUNDED if delta is None else budget(ways.loss, delta, n)
    if total > limit:
        lowest_loss = loss_share(ways.loss, total, n)
        raise InfeasibleError(
            f"bound: delta={delta} but the clusters already lose {_round_up_loss(lowest_loss)} of the table; give "
            f"delta={_round_up_loss(lowest_loss)} or more, a smaller k or other clusters"
        )
    cluster_count = len(clusters.size)
    nearness = btd if ways.nearness == "btd" else _exact_nearness(plan)
    merges = merge_clusters(
        clusters, ways.merge, plan.need, limit, nearness=nearness, measure=measure, progress=progress
    )
    return MergedClusters(plan, merges, {"start": start, "clusters": cluster_count}, ways.loss)


def _exact_nearness(plan: Plan) -> Nearness:
    """The loss of the items itself instead of the BTD: every union is generalized to see what it costs."""

    def near(clusters: Clusters, c: int, others: np.ndarray) -> tuple[np.ndarray, ...]:
        members = clusters.members(c)
        unions = [np.sort(np.r_[members, clusters.members(int(o))]) for o in others]
        return (np.array([plan.items.together(rows) / len(rows) for rows in unions]),)

    return near


def _check_ways(bound: str, ways: _MergeWays) -> None:
    """Refuse a word that none of the ways to merge has."""
    choices = {
        "bound": (bound, ("table", "items")),
        "merge": (ways.merge, ("r", "t", "rt")),
        "loss": (ways.loss, tuple(MEASURES)),
        "clusters": (ways.clusters, (None, "paper", "kmember", "mstk")),
        "nearness": (ways.nearness, ("btd", "exact")),
    }
    for name, (value, words) in choices.items():
        if value not in words:
            suggestion = suggest_name(value, filter(None, words), "use one of")
            raise InputError(f"bound: {name}={value!r}; {suggestion}")


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
class TradeoffFront(SafeRepr):
    """Undominated points by rising loss of the table and falling loss of the items; without `look_back` all points.

    bound : which of the two losses `pick` bounds
    """

    points: tuple[TradeoffPoint, ...]
    bound: Literal["table", "items"]
    made: MergedClusters = field(repr=False, compare=False)

    def pick(self, delta: float) -> TradeoffPoint:
        """The point that loses least in one part and at most `delta` in the other."""
        if self.bound == "table":
            candidates = [point for point in self.points if point.table <= delta + 1e-9]
            lowest_loss = self.points[0].table
        else:
            candidates = [point for point in self.points[::-1] if point.ul <= delta + 1e-9]
            lowest_loss = min(point.ul for point in self.points)
        if not candidates:
            raise InfeasibleError(
                f"bound: delta={delta} but no point of the trade-off loses less than "
                f"{_round_up_loss(lowest_loss)} of the "
                f"{self.bound}; give delta={_round_up_loss(lowest_loss)} or more"
            )
        return candidates[-1]

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
    progress: Progress = no_progress,
) -> TradeoffFront:
    """Trace what the table and what the items lose along the merges that `bound` makes, for every delta at once.

    Parameters and errors are those of `bound`. `bound` tells which loss `TradeoffFront.pick` bounds. Without
    `look_back` the points at which the items lose more again are there, too.
    """
    ways, rules = _MergeWays(merge, loss, clusters, nearness), ItemRules(items, utility, suppress, weights)
    _check_ways(bound, ways)
    plan = Plan.of("bound", mixed, hierarchies, claim, item_hierarchy, rules=rules, recode=recode, grid=grid)
    merged_clusters = _merge_to_bound(plan, ways, None, rng, progress)
    return TradeoffFront(
        _trace_points(merged_clusters, progress, every=not look_back), bound, merged_clusters
    )


def _trace_points(
    made: MergedClusters, progress: Progress, *, every: bool = False
) -> tuple[TradeoffPoint, ...]:
    """Generalize the items at some stops along the merges, and keep what nothing beats, or every point."""
    points: list[TradeoffPoint] = []
    stops, tell = _sample_steps(made), start_step(progress, "bound: trade-off")
    for number, steps in enumerate(stops):
        ul = made.ul(steps, _tell_look(tell, number, len(stops)))
        if ul == inf:
            continue
        bounded = None if made.loss == "ncp" else made.lost(steps)
        point = TradeoffPoint(made.ncp(steps), ul, len(made.merges.after(steps)[0]), steps, bounded)
        if every or not points or point.ul < points[-1].ul:
            points.append(point)
    if not points:
        made.release(stops[-1])  # which says why nothing can be published
    return tuple(points)


def knee(points: Sequence[TradeoffPoint]) -> TradeoffPoint:
    """The point farthest below the line between the ends, both losses scaled to 0 .. 1.

    Of equals, as of two points or of all on a line, the one that loses least in both parts together; then the first.

    >>> knee([TradeoffPoint(0.0, 1.0, 9, 0), TradeoffPoint(0.1, 0.2, 5, 4), TradeoffPoint(1.0, 0.0, 1, 8)]).ncp
    0.1
    >>> knee([TradeoffPoint(0.02, 0.84, 9, 0), TradeoffPoint(0.06, 0.55, 5, 4)]).ul
    0.55
    """
    first, last = points[0], min(points, key=lambda point: point.ul)
    table_range, item_range = last.table - first.table, first.ul - last.ul
    if not table_range or not item_range:
        return first

    def below(point: TradeoffPoint) -> float:
        return round((first.table - point.table) / table_range + (first.ul - point.ul) / item_range, 9)

    return max(points, key=lambda point: (below(point), -point.table - point.ul))


def bound(
    mixed: Mixed,
    hierarchies: Hierarchies,
    claim: KKmAnonymity | KLmDiversity,
    item_hierarchy: Hierarchy | None = None,
    *,
    bound: Literal["table", "items"] = "table",
    merge: Rule = "r",
    loss: TableLoss = "ncp",
    delta: Annotated[float, Within(0, 1)] | Literal["knee"] = "knee",
    look_back: bool = True,
    clusters: Start | None = None,
    items: Way | None = None,
    utility: Sequence[Sequence[str]] | None = None,
    suppress: Share = 0.0,
    weights: Mapping[str, float] | None = None,
    nearness: Literal["btd", "exact"] = "btd",
    recode: Recode = "hierarchy",
    grid: Grid = None,
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
) -> Result[RecodedMixed]:
    """Publish a table with baskets so that all quasi-identifiers and `m` items leave `k` records to choose from.

    There are three phases. Records form k-anonymous clusters by their quasi-identifiers. Clusters are merged, since
    larger ones lose less of their items and more of their quasi-identifiers. The items of every cluster are
    generalized on their own.

    Parameters
    ----------
    mixed, hierarchies
        The records, and a hierarchy for each quasi-identifier.
    claim
        `KKmAnonymity`: the attacker knows all quasi-identifiers and up to m items, and at least k records match; all
        items count, sensitive ones too. `KLmDiversity`: moreover, no sensitive item may be in more than 1 of l of the
        records that match. Sensitive items are then published as they are, they never become part of a generalized
        item, and k counts the other items only.
    item_hierarchy
        A hierarchy of the items, for `apriori`; it builds one with a fanout where none is given.
    bound
        `table`: the loss of the table is at most delta, and the items lose as little as that allows (Rum-bound).
        `items`: the loss `ul` of the items is at most delta, and the table is merged no further (Tum-bound).
    loss
        What the table loses: `ncp`, the detail of its cells; or what follows from the sizes of classes alone, `dm`
        (discernibility) or `c_avg` (the average size). For these delta is a share of what one class of all records
        loses, and of classes of one size those are merged that lose least by `ncp`. Classes that are written alike
        count as several.
    delta
        The loss that `bound` allows, from 0 to 1. `knee` takes the point of the trade-off from which both losses rise
        steeply; with more than 10,000 records it is found on a sample, and the trace says so. `tradeoff` looks at
        every delta.
    look_back
        Whether, with a bounded table, fewer merges than the bound allows are made where the items then lose less. The
        paper makes all of them. Without it the trade-off shows each point that was looked at, also those at which
        the items lose more again.
    merge
        Which cluster the one that loses least is merged with: `r` takes the one with the most similar
        quasi-identifiers, `t` the one with the most similar items, `rt` the one with the least sum of both ranks. `r`
        lost least in our trials.
    clusters
        How the first clusters are formed: `mstk` and `kmember` are the methods of that name, `paper` is the paper's
        own way. The clusters of `mstk` lose least and are the default, unless the records times the level vectors of
        their hierarchies are more than 2^27 and more than n^2 / k: `paper` is then far faster. The trace says which.
    items
        The method of k^m-anonymity inside a class: `apriori` along the hierarchy, the default where one is given,
        `pcta` by sets of items, the default where none is, or `coat` by sets of items too.
    utility
        With `pcta` or `coat`, lists of items that may unite, each item in at most one; items in no list stay as they
        are. None lets all unite.
    suppress
        With `pcta` or `coat`, the share of the item occurrences of a class that may be left out where `utility` allows
        no union, 0 to below 1.
    weights
        For each item, how much its generalization matters in the loss `ul`, 0 to 1; 1 where none is given. A set or
        node weighs the mean of its items. Merges and `apriori` do not look at them; `pcta` and `coat` do.
    nearness
        How `t` and `rt` measure items: `btd` by the bit-vector transaction distance, `exact` by generalizing
        every union, which BTD approximates and which is far slower.
    recode
        How a class is written: "hierarchy", the closest common node of its values; or "span", a range of numbers and
        the set of values present in other columns.
    grid
        The step that ends of ranges lie on; see `mstk`.
    rng
        For tests: the seeds of `paper` clusters; by default the operating system's.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result
        The recoding is local: it has no rule.

    Raises
    ------
    InfeasibleError
        There are fewer than k records, or no release meets delta; the message names the smallest delta that can be met.
        Or what may be united and left out of some class is not enough.
    InputError
        An option is none of those above, `utility` or `weights` names unknown items, or l is given and no item is
        sensitive.

    Notes
    -----
    *Guarantee*  The claim holds by construction: clusters have k records or more, and each is k^m-anonymous
    (l^m-diverse) in itself. Clusters that are published alike keep the claim together, since counts add up.

    *Left out*  A class in which 1 to k-1 records have items cannot be k^m-anonymous. Such classes are merged
    first, as long as the bound allows; those that remain are published without items. With l, classes in which a
    sensitive item is too frequent are merged first, too, and in those that remain this item is left out. The release
    counts what was left out.

    *Departures*  With a bounded table we look back at some earlier numbers of merges and take the one after which the
    items lose least: more merges need not help them, though the paper says so (see `look_back`). The printed steps of
    Tmerge change the clusters only where the bound is met, so they would never merge twice; we merge until it is met.
    UL is not computed after each merge. The right number of merges is found by bisection, since the order of merges
    does not depend on UL. Clusters that become equal as published are merged at once. In a tie by BTD, the smaller
    distance between the two clusters decides, then the smaller loss of the table, then the first cluster. The
    incremental NCP is as it must be, not as it is printed. See the errata.

    *Complexity*  `paper` clusters take O(n^2 / k). Merges take O(c^2) prices and few basket comparisons, where c is
    the number of clusters.

    References
    ----------
    .. [1] Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction
       attributes. ECML PKDD 2013, Sec. 4-5.

    Examples
    --------
    >>> from shoal.data import Column, Baskets, Table
    >>> sex = Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]])
    >>> food = Hierarchy.from_paths("food", [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "pie", "*"]])
    >>> people = Table((Column.of("sex", "quasi", list("ffmm")),))
    >>> sold = Mixed(people, Baskets.of("food", [["ale"], ["rum"], ["pie", "rum"], ["pie", "rum"]]))
    >>> result = bound(sold, {"sex": sex}, KKmAnonymity(2, 2), food, delta=0)
    >>> baskets = result.release.baskets
    >>> [[baskets.forms.labels[form] for form in baskets.items[a:b]] for a, b in zip(baskets.start, baskets.start[1:])]
    [['drink'], ['drink'], ['rum', 'pie'], ['rum', 'pie']]
    """
    ways = _MergeWays(merge, loss, clusters, nearness)
    _check_ways(bound, ways)
    if delta != "knee" and (
        isinstance(delta, bool) or not isinstance(delta, int | float) or not 0 <= delta <= 1
    ):
        raise InputError(
            f"bound: delta={delta!r}; give a loss from 0 to 1 or knee, or see all of them with `shoal pareto`"
        )
    extra_trace: dict[str, Any] = {}
    make_plan = partial(
        Plan.of,
        "bound",
        hierarchies=hierarchies,
        claim=claim,
        item_hierarchy=item_hierarchy,
        rules=ItemRules(items, utility, suppress, weights),
        recode=recode,
        grid=grid,
    )
    if delta == "knee":
        sample = _sample_records(mixed, rng)
        merged_clusters = _merge_to_bound(make_plan(mixed=sample), ways, None, rng, progress)
        point = knee(_trace_points(merged_clusters, progress))
        extra_trace = {"knee": point.table, "sample": sample.n}
        if sample is mixed:
            return merged_clusters.release(point.merges, told=extra_trace)
        bound, delta = "table", point.table
    plan = make_plan(mixed=mixed)
    bounded = bound == "table"
    merged_clusters = _merge_to_bound(plan, ways, delta if bounded else None, rng, progress)
    if not bounded:
        steps = _find_fewest_steps(merged_clusters, delta, progress)
    else:
        steps = _find_best_steps(merged_clusters, progress) if look_back else len(merged_clusters.merges)
    return merged_clusters.release(steps, told=extra_trace)


def _sample_records(mixed: Mixed, rng: np.random.Generator | None) -> Mixed:
    """The records, or a sample where there are many: enough to see how steeply both losses rise."""
    if mixed.n <= _SAMPLE:
        return mixed
    rows = (rng or np.random.default_rng()).choice(mixed.n, _SAMPLE, replace=False)
    return mixed.some(np.sort(rows))


def _find_best_steps(made: MergedClusters, progress: Progress) -> int:
    """Of some numbers of merges within the bound, the one after which the items lose least; of equals the fewest.

    Merges for clusters that lack something are kept. The last digits of sums depend on the order of records.
    """
    losses, tell = {}, start_step(progress, "bound: items")
    candidates = sorted({max(steps, made.merges.needed) for steps in _sample_steps(made, _LOOKS)})
    for number, steps in enumerate(candidates):
        losses[steps] = round(made.ul(steps, _tell_look(tell, number, len(candidates))), 9)
    return min(losses, key=lambda steps: (losses[steps], steps))


def _find_fewest_steps(made: MergedClusters, delta: float, progress: Progress) -> int:
    """The fewest merges after which the items lose at most delta, as far as a bisection sees.

    Merging is expected to lower the loss of the items, but this is not certain; what is returned meets delta.
    """
    low, high = made.merges.needed, len(made.merges)
    turns = round_shares(start_step(progress, "bound: items"))
    if made.ul(low, next(turns)) <= delta:
        return low
    if made.ul(high) > delta:
        losses = {steps: made.ul(steps) for steps in _sample_steps(made) if steps >= low}
        high = next((steps for steps, loss in losses.items() if loss <= delta), -1)
        if high < 0 and min(losses.values()) == inf:
            return max(losses)  # publishing it says why nothing can be published
        if high < 0:
            lowest_loss = _round_up_loss(min(losses.values()))
            raise InfeasibleError(
                f"bound: delta={delta} but the items lose at least {lowest_loss}, however the clusters are "
                "merged; give "
                f"delta={lowest_loss} or more, or a smaller k or m"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if made.ul(middle, next(turns)) <= delta else (middle, high)
    return high


def rfirst(
    mixed: Mixed,
    hierarchies: Hierarchies,
    claim: KKmAnonymity | KLmDiversity,
    item_hierarchy: Hierarchy | None = None,
    *,
    clusters: Start | None = None,
    items: Way | None = None,
    utility: Sequence[Sequence[str]] | None = None,
    suppress: Share = 0.0,
    weights: Mapping[str, float] | None = None,
    recode: Recode = "hierarchy",
    grid: Grid = None,
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
) -> Result[RecodedMixed]:
    """Recode the quasi-identifiers first: form k-anonymous clusters, and generalize the items of each on their own.

    Clusters are small, so their items lose much. If too few records of a cluster have items, its items are
    left out. Parameters, guarantee and errors are those of `bound`, which starts from the same clusters.

    References
    ----------
    .. [1] Poulis et al. Anonymizing data with relational and transaction attributes. ECML PKDD 2013, Sec. 3.
    """
    rules = ItemRules(items, utility, suppress, weights)
    plan = Plan.of("rfirst", mixed, hierarchies, claim, item_hierarchy, rules=rules, recode=recode, grid=grid)
    start = plan.start(clusters)
    merged_clusters = MergedClusters(plan, no_merges(plan.clusters(start, rng, progress)), {"start": start})
    return merged_clusters.release(0, start_step(progress, "rfirst: items"))


def tfirst(
    mixed: Mixed,
    hierarchies: Hierarchies,
    claim: KKmAnonymity | KLmDiversity,
    item_hierarchy: Hierarchy | None = None,
    *,
    parts: Many = 10,
    items: Way | None = None,
    utility: Sequence[Sequence[str]] | None = None,
    suppress: Share = 0.0,
    weights: Mapping[str, float] | None = None,
    recode: Recode = "hierarchy",
    grid: Grid = None,
    progress: Progress = no_progress,
) -> Result[RecodedMixed]:
    """Recode the items first: form parts of similar baskets, as `lra` does; each part is a class.

    Records are sorted by the Gray rank of their baskets and cut into `parts` of the same size, except for rounding;
    each has at least k records. A part whose items cannot be generalized to the claim is united with the next. The
    quasi-identifiers of a part lose what they must. Guarantee and errors are those of `bound`.

    Parameters
    ----------
    parts
        Into how many parts of similar baskets the records are cut.
    mixed, hierarchies, claim, item_hierarchy, items, utility, suppress, weights, recode, grid, progress
        As in `bound`.

    References
    ----------
    .. [1] Poulis et al. Anonymizing data with relational and transaction attributes. ECML PKDD 2013, Sec. 3.
    """
    require_positive("tfirst", parts=parts)
    rules = ItemRules(items, utility, suppress, weights)
    plan = Plan.of("tfirst", mixed, hierarchies, claim, item_hierarchy, rules=rules, recode=recode, grid=grid)
    progress("tfirst: parts by the items")
    merged_clusters = MergedClusters(plan, no_merges(Clusters(plan.records, _form_parts(plan, parts))))
    return merged_clusters.release(0, start_step(progress, "tfirst: items"))


def _form_parts(plan: Plan, parts: int) -> I8:
    """The part of each record."""
    records, n = plan.records, plan.records.n
    start, items = records.open_baskets
    part_of_record = np.empty(n, dtype=np.int64)
    part_count = min(parts, n // plan.need.k)
    part_of_record[gray_order(Baskets("items", ("",) * records.item_codes.width, start, items))] = (
        np.arange(n) * part_count // n
    )
    while part_of_record.max() > 0:
        is_lacking = plan.need.unmet(count_holders(records.item_codes, part_of_record))
        if not is_lacking.any():
            break
        first = int(np.argmax(is_lacking))
        # The next part joins it, or it the one before.
        part_of_record -= part_of_record > min(first, part_of_record.max() - 1)
    return part_of_record
