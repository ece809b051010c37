"""Rum-bound and Tum-bound: one part's loss bounded, the other's as small as merging makes it (Poulis et al.)."""

from typing import Literal

import numpy as np

from shoal.algorithms.local.local_table import Grid
from shoal.algorithms.mixed.class_items import Way
from shoal.algorithms.mixed.clusters import Clusters
from shoal.algorithms.mixed.first_clusters import Start
from shoal.algorithms.mixed.merge_plan import Made, Plan, above, stops
from shoal.algorithms.mixed.merging import Nearness, Rule, btd
from shoal.algorithms.mixed.merging import merge as merge_clusters
from shoal.data import Mixed
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.progress import Progress, silent
from shoal.release import RecodedMixed, Result

__all__ = ["bound", "check_ways", "merged"]

_UNBOUNDED = 2**62
_LOOKS = 8


def bound(
    mixed: Mixed,
    hierarchies: Hierarchies,
    claim: KKmAnonymity | KLmDiversity,
    item_hierarchy: Hierarchy | None = None,
    *,
    bound: Literal["table", "items"] = "table",
    merge: Rule = "r",
    delta: float = 0.65,
    clusters: Start | None = None,
    items: Way | None = None,
    nearness: Literal["btd", "exact"] = "btd",
    recode: str = "hierarchy",
    grid: Grid = None,
    rng: np.random.Generator | None = None,
    progress: Progress = silent,
) -> Result[RecodedMixed]:
    """Publish a table with baskets so that all quasi-identifiers and `m` items leave `k` records to choose from.

    Three phases: k-anonymous clusters by the quasi-identifiers; clusters merged, since larger ones lose less of
    their items and more of their quasi-identifiers; the items of every cluster generalized on their own.

    Parameters
    ----------
    mixed, hierarchies
        The records, and a hierarchy for each quasi-identifier.
    claim
        `KKmAnonymity`: the attacker knows all quasi-identifiers and up to m items, and at least k records match; all
        items count, sensitive ones too. `KLmDiversity`: moreover, no sensitive item may be in more than 1 of l of the
        records that match. Sensitive items then are published as they are, never enter a generalized item, and k
        counts the others only.
    item_hierarchy
        A tree over the items, for `apriori`; it builds one with a fanout where none is given.
    bound, delta
        `table`: the loss `ncp` of the table is at most delta, and the items lose as little as that allows
        (Rum-bound). `items`: the loss `ul` of the items is at most delta, and the table is merged no further
        (Tum-bound). delta is from 0 to 1; `tradeoff` looks at all of them.
    merge
        Whom the cluster that loses least is merged with: `r` the one with the most similar quasi-identifiers,
        `t` the one with the most similar items, `rt` by the sum of its ranks in both. `r` lost least in our trials.
    clusters
        How the first clusters come about: `mstk` and `kmember` by the makers of that name, `paper` by the paper's
        own way. Those of `mstk` lose least and are the default, unless the records times the level vectors of
        their hierarchies are more than 2^27 and more than n^2 / k: `paper` is then far faster. The trace tells.
    items
        The maker of k^m-anonymity inside a class: `apriori` along the hierarchy, the default where one is given,
        or `pcta` by sets of items, the default where none is.
    nearness
        How `t` and `rt` measure items: `btd` by the bit-vector transaction distance, `exact` by generalizing
        every union, which is what BTD stands for and far slower.
    recode, grid
        How a class is written; see `mstk`.
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
        Fewer than k records, or no release meets delta; the message names the smallest delta that can.
    InputError
        An option is none of those above, or l is given and no item is sensitive.

    Notes
    -----
    *Guarantee*  The claim, by construction: clusters have k records
    or more, and each is k^m-anonymous (l^m-diverse) in itself; clusters that are published alike keep that
    together, as counts add up.

    *Left out*  A class in which 1 to k-1 records have items cannot be k^m-anonymous. Such classes are merged
    first, as long as the bound allows; what remains of them is published without items. With l, so are classes
    with too frequent a sensitive item, and that item is left out. The release counts what was left out.

    *Departures*  With a bounded table we look back at some earlier numbers of merges and take the one after which
    the items lose least: merging on need not help them, though the paper has it so. The printed steps of Tmerge
    change the clusters only where the bound is met, so they would never merge twice; we merge until it is met. UL
    is not computed after each merge but searched for by bisection, as the order of merges does not depend on it.
    Clusters that come to be published alike are merged at once. Ties: by BTD, the lesser distance between the two
    clusters, then the lesser loss of the table, then the first cluster. The incremental NCP is as it must be, not
    as it is printed. See the errata.

    *Complexity*  O(n^2 / k) for `paper` clusters, O(c^2) prices and few basket comparisons for merges, c being
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
    check_ways(bound, merge, clusters, nearness)
    _check_delta(delta)
    plan = Plan.of("bound", mixed, hierarchies, claim, item_hierarchy, items=items, recode=recode, grid=grid)
    bounded = bound == "table"
    made = merged(plan, merge, clusters, nearness, delta if bounded else None, rng, progress)
    return made.release(_best(made, progress) if bounded else _fewest(made, delta, progress))


def merged(
    plan: Plan,
    merge: Rule,
    clusters: Start | None,
    nearness: Literal["btd", "exact"],
    delta: float | None,
    rng: np.random.Generator | None,
    progress: Progress,
) -> Made:
    """The clusters merged as far as a loss `delta` of the table allows; None is no bound."""
    progress("bound: clusters by the quasi-identifiers")
    start = plan.start(clusters)
    begun = plan.clusters(start, rng)
    least = plan.records.share(begun.total)
    budget = _UNBOUNDED if delta is None else plan.records.budget(delta)
    if begun.total > budget:
        raise InfeasibleError(
            f"bound: delta={delta} but the clusters already lose {above(least)} of the table; give "
            f"delta={above(least)} or more, a smaller k or other clusters"
        )
    many = len(begun.size)
    near = btd if nearness == "btd" else _exact(plan)
    merges = merge_clusters(begun, merge, plan.need, budget, nearness=near, progress=progress)
    return Made(plan, merges, {"start": start, "clusters": many})


def _exact(plan: Plan) -> Nearness:
    """The loss of the items itself instead of the BTD: every union is generalized to see what it costs."""

    def near(clusters: Clusters, c: int, others: np.ndarray) -> tuple[np.ndarray, ...]:
        own = clusters.members(c)
        unions = [np.sort(np.r_[own, clusters.members(int(o))]) for o in others]
        return (np.array([plan.items.together(rows) / len(rows) for rows in unions]),)

    return near


def _best(made: Made, progress: Progress) -> int:
    """Of some numbers of merges within the bound, the one after which the items lose least; of equals the fewest.

    Merges for clusters that lack something are kept. Sums differ in their last digits with the order of records.
    """
    losses = {}
    for steps in {max(steps, made.merges.needed) for steps in stops(made, _LOOKS)}:
        progress("bound: items")
        losses[steps] = round(made.ul(steps), 9)
    return min(losses, key=lambda steps: (losses[steps], steps))


def _fewest(made: Made, delta: float, progress: Progress) -> int:
    """The fewest merges after which the items lose at most delta, as far as a bisection sees.

    Merging is expected to lower the loss of the items, not certain to; what is returned meets delta.
    """
    few, many = made.merges.needed, len(made.merges)
    progress("bound: items")
    if made.ul(few) <= delta:
        return few
    if made.ul(many) > delta:
        losses = {steps: made.ul(steps) for steps in stops(made) if steps >= few}
        many = next((steps for steps, loss in losses.items() if loss <= delta), -1)
        if many < 0:
            least = above(min(losses.values()))
            raise InfeasibleError(
                f"bound: delta={delta} but the items lose at least {least}, however the clusters are merged; give "
                f"delta={least} or more, or a smaller k or m"
            )
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if made.ul(middle) <= delta else (middle, many)
        progress("bound: items")
    return many


def check_ways(bound: str, merge: str, clusters: str | None, nearness: str) -> None:
    """Refuse a word that none of the ways to merge has."""
    known = {
        "bound": (bound, ("table", "items")),
        "merge": (merge, ("r", "t", "rt")),
        "clusters": (clusters, (None, "paper", "kmember", "mstk")),
        "nearness": (nearness, ("btd", "exact")),
    }
    for name, (value, words) in known.items():
        if value not in words:
            raise InputError(f"bound: {name}={value!r}; use one of {', '.join(filter(None, words))}")


def _check_delta(delta: float) -> None:
    if isinstance(delta, bool) or not isinstance(delta, int | float) or not 0 <= delta <= 1:
        raise InputError(
            f"bound: delta={delta!r}; give a loss from 0 to 1, or trace all of them with `shoal pareto`"
        )
