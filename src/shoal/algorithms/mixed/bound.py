"""Rum-bound and Tum-bound: one part's loss bounded, the other's as small as merging makes it (Poulis et al.).

Rfirst and Tfirst are the baselines that the paper measures it against: the table first, and the items first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Annotated, Any, Literal

import numpy as np

from shoal.algorithms.knobs import Many, Share, Within
from shoal.algorithms.local.local_table import Grid, Recode
from shoal.algorithms.mixed.class_items import ItemRules, Way
from shoal.algorithms.mixed.clusters import Clusters, Start, counts_of
from shoal.algorithms.mixed.merging import (
    MergedClusters,
    Plan,
    Rule,
    TableLoss,
    above,
    look_at,
    stops,
    unmerged,
)
from shoal.algorithms.mixed.tradeoff import MergeWays, check_ways, knee, merge_to_bound, traced
from shoal.algorithms.ring.basket_order import gray_order
from shoal.data import Baskets, Mixed
from shoal.data.arrays import I8
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.progress import Progress, rising, rounds, silent
from shoal.release import RecodedMixed, Result

__all__ = ["bound", "rfirst", "tfirst"]

_LOOKS = 8
_SAMPLE = 10_000  # records on which the knee is found where there are more


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
    progress: Progress = silent,
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
    ways = MergeWays(merge, loss, clusters, nearness)
    check_ways(bound, ways)
    _check_delta(delta)
    told: dict[str, Any] = {}
    planned = partial(
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
        some = _some(mixed, rng)
        made = merge_to_bound(planned(mixed=some), ways, None, rng, progress)
        found = knee(traced(made, progress))
        told = {"knee": found.table, "sample": some.n}
        if some is mixed:
            return _telling(made.release(found.merges), told)
        bound, delta = "table", found.table
    plan = planned(mixed=mixed)
    bounded = bound == "table"
    made = merge_to_bound(plan, ways, delta if bounded else None, rng, progress)
    if not bounded:
        steps = _fewest(made, delta, progress)
    else:
        steps = _best(made, progress) if look_back else len(made.merges)
    return _telling(made.release(steps), told)


def _some(mixed: Mixed, rng: np.random.Generator | None) -> Mixed:
    """The records, or a sample where there are many: enough to see how steeply both losses rise."""
    if mixed.n <= _SAMPLE:
        return mixed
    drawn = (rng or np.random.default_rng()).choice(mixed.n, _SAMPLE, replace=False)
    return mixed.some(np.sort(drawn))


def _telling(result: Result[RecodedMixed], told: dict[str, Any]) -> Result[RecodedMixed]:
    """The same release, with more to tell of how it came about."""
    return replace(result, trace={**result.trace, **told})


def _best(made: MergedClusters, progress: Progress) -> int:
    """Of some numbers of merges within the bound, the one after which the items lose least; of equals the fewest.

    Merges for clusters that lack something are kept. The last digits of sums depend on the order of records.
    """
    losses, tell = {}, rising(progress, "bound: items")
    looks = sorted({max(steps, made.merges.needed) for steps in stops(made, _LOOKS)})
    for number, steps in enumerate(looks):
        losses[steps] = round(made.ul(steps, look_at(tell, number, len(looks))), 9)
    return min(losses, key=lambda steps: (losses[steps], steps))


def _fewest(made: MergedClusters, delta: float, progress: Progress) -> int:
    """The fewest merges after which the items lose at most delta, as far as a bisection sees.

    Merging is expected to lower the loss of the items, but this is not certain; what is returned meets delta.
    """
    few, many = made.merges.needed, len(made.merges)
    turns = rounds(rising(progress, "bound: items"))
    if made.ul(few, next(turns)) <= delta:
        return few
    if made.ul(many) > delta:
        losses = {steps: made.ul(steps) for steps in stops(made) if steps >= few}
        many = next((steps for steps, loss in losses.items() if loss <= delta), -1)
        if many < 0 and min(losses.values()) == inf:
            return max(losses)  # publishing it says why nothing can be published
        if many < 0:
            least = above(min(losses.values()))
            raise InfeasibleError(
                f"bound: delta={delta} but the items lose at least {least}, however the clusters are merged; give "
                f"delta={least} or more, or a smaller k or m"
            )
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if made.ul(middle, next(turns)) <= delta else (middle, many)
    return many


def _check_delta(delta: float | str) -> None:
    if delta == "knee":
        return
    if isinstance(delta, bool) or not isinstance(delta, int | float) or not 0 <= delta <= 1:
        raise InputError(
            f"bound: delta={delta!r}; give a loss from 0 to 1 or knee, or see all of them with `shoal pareto`"
        )


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
    progress: Progress = silent,
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
    made = MergedClusters(plan, unmerged(plan.clusters(start, rng, progress)), {"start": start})
    return made.release(0, rising(progress, "rfirst: items"))


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
    progress: Progress = silent,
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
    if isinstance(parts, bool) or parts < 1:
        raise InputError(f"tfirst: parts={parts}; give a whole number of at least 1")
    rules = ItemRules(items, utility, suppress, weights)
    plan = Plan.of("tfirst", mixed, hierarchies, claim, item_hierarchy, rules=rules, recode=recode, grid=grid)
    progress("tfirst: parts by the items")
    made = MergedClusters(plan, unmerged(Clusters(plan.records, _parts(plan, parts))))
    return made.release(0, rising(progress, "tfirst: items"))


def _parts(plan: Plan, parts: int) -> I8:
    """The part of each record."""
    records, n = plan.records, plan.records.n
    start, items = records.known
    of = np.empty(n, dtype=np.int64)
    many = min(parts, n // plan.need.k)
    of[gray_order(Baskets("items", ("",) * records.item_codes.width, start, items))] = (
        np.arange(n) * many // n
    )
    while of.max() > 0:
        lacking = plan.need.unmet(counts_of(records, of))
        if not lacking.any():
            break
        first = int(np.argmax(lacking))
        of -= of > min(first, of.max() - 1)  # the next part joins it, or it the one before
    return of
