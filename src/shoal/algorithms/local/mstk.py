"""MSTK: k-anonymity by cutting a minimum spanning tree (Ramana & Kumari), and by walking it."""

from itertools import product
from typing import Annotated

import numpy as np

from shoal.algorithms._kernels import Rates
from shoal.algorithms.demand import Demand
from shoal.algorithms.knobs import OneOf, Share
from shoal.algorithms.local._kernels.classes import Ask, Tally, extents, merge_small, repair, tally_of
from shoal.algorithms.local._kernels.clustering import regroup
from shoal.algorithms.local._kernels.spanning_tree import cut_tree, path, rooted
from shoal.algorithms.local.class_demand import Whole, ask_for_k, ask_of
from shoal.algorithms.local.classes_along_line import classes_along, split_large
from shoal.algorithms.local.column_prices import as_nodes, places_of, rates_of
from shoal.algorithms.local.local_table import Classes, Grid, Local, Recode
from shoal.algorithms.local.outliers import without_outliers
from shoal.algorithms.local.record_order import price_order
from shoal.algorithms.local.spanning_tree import Spanning, spanning_tree, steps_of
from shoal.data import Table
from shoal.data.types import I4, I8
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies
from shoal.naming import hint
from shoal.progress import Progress, Tell, rising, silent
from shoal.release import Claim, Recoded, Result

__all__ = ["mstk"]

_RULES = ("walk", "paper")


_WIDTHS = (2, 3, 4)  # classes that are clustered anew together
_LARGEST = 4_096  # records that are clustered anew together
_CUTTING = 0.15  # of the time that classes take
_POOL = 4_000  # small classes among which the closest two are sought


def mstk(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    recode: Recode = "hierarchy",
    grid: Grid = None,
    rule: Annotated[str, OneOf(_RULES)] = "walk",
    resplit: bool = True,
    whole: Whole | None = None,
    progress: Progress = silent,
) -> Result[Recoded]:
    """Publish `table` in classes cut from a minimum spanning tree of its records.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier.
    claim
        What every class must keep: k-anonymity, l-diversity, t-closeness, beta-likeness, delta-disclosure privacy,
        (alpha,k)-anonymity, or several of them.
    suppress
        The share of records that may be left out, 0 <= suppress < 1. A record is left out only where that
        lowers the loss `ncp`.
    recode
        How a class is written: "hierarchy", the closest common node of its values; or "span", a range of
        numbers and the set of values present in other columns.
    grid
        With "span", the step that ends of ranges are rounded outward to: one number, or one for each column. Without
        it, the numbers of declared hierarchies stand as they are, and those of built ones get a step that
        hides them.
    rule
        "walk" cuts a line of all records at the least loss; "paper" cuts the tree's edges.
    resplit
        With "paper", whether classes that have 2k records or more in the end are split along the line. The paper
        leaves them.
    whole
        What t-closeness and the like compare classes with, where `table` is only a part of all records.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result[Recoded]
        The trace tells how the tree was found, its weight, and what the rule did.

    Raises
    ------
    InfeasibleError
        k exceeds the number of records, or l exceeds what a sensitive column allows; the message says how much that is.
    InputError, HierarchyError
        An argument or a hierarchy is wrong.

    Notes
    -----
    *Guarantee.* k holds by construction: every class of either rule has at least k records. A class that breaks the
    claim, or holds fewer than k persons, is merged with the class where that adds least loss, until there is no such
    class.

    *Rule "walk".* Two lines are tried: one that joins its pieces as the tree joined its subtrees, and the order of
    `price_order`. Dynamic programming cuts both into classes of k to 2k-1 records, and the cheaper one is kept.
    Then neighbouring classes are clustered anew, two to four at a time, along the tree and along each column, and the
    new classes are kept where they are cheaper. For k alone no class exceeds 2k-1 records.

    *Rule "paper".* Edges heavier than the mean plus the sample deviation are cut, again in every subtree of 2k
    records or more. Classes below k are merged by CDist; the closest two come first.

    *Complexity.* The tree takes one roll-up per level vector until one component is left, and O(n) memory; the paper's
    n x n matrix is never built. The line takes O(n k d) for small k and O(n d) beyond.

    *Departures.* The paper's line 17 asks for |st| > k, its text for >= k; the text is followed. If no edge of a
    subtree exceeds the threshold, the heaviest edge that leaves k records on both sides is cut; if there is none, the
    subtree is cut along the line. Unions below k are merged again, one that is left over is merged with the nearest
    class, and a class that then has 2k records or more is split again, unless `resplit` is false. HDist has no
    weights, but the loss has. In a tie the smaller record comes first, by code.

    *Randomness.* None.

    References
    ----------
    .. [1] Ramana, Kumari. Achieving k-anonymity using Minimum Spanning Tree based Partitioning. Sec. 5-6.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> from shoal.privacy import KAnonymity
    >>> ages = Table((Column.of("age", "quasi", ["21", "26", "33", "37"]),))
    >>> tens = [[age, f"{age[0]}*", "*"] for age in ("21", "26", "33", "37")]
    >>> release = mstk(ages, {"age": Hierarchy.from_paths("age", tens)}, KAnonymity(2)).release
    >>> [release.forms[0].labels[code] for code in release.codes[:, 0]]
    ['2*', '2*', '3*', '3*']
    """
    demand = Demand.of("mstk", claim, table)
    if rule not in _RULES:
        raise InputError(f"mstk: rule must be walk or paper{hint(rule, _RULES)}", value=rule)
    local = Local.of("mstk", table, hierarchies, recode=recode, grid=grid, mix=demand.sensitive, k=demand.k)
    local = without_outliers(local, table, demand.k, suppress)
    ask, tally = ask_of("mstk", table, local.rows, demand, whole)
    tell = rising(progress, "spanning the tree")
    tree = spanning_tree(local.words, local.layout, local.hierarchies, tell=tell)
    if rule == "walk":
        classes, trace = _by_walk(local, tree, ask, tally, rising(progress, "forming classes"))
    else:
        progress("forming classes")
        classes, trace = _by_paper(local, tree, ask, tally, resplit=resplit)
    classes, merged = local.settle(classes, ask, tally)
    known = {"tree": tree.how, "nodes": tree.nodes, "weight": tree.total, "edges": len(tree.edges)}
    if tree.bound > 1:
        known["bound"] = tree.bound
    return local.release(classes, claim, rule=rule, **known, **trace, merged=merged)


def _by_walk(
    local: Local, tree: Spanning, ask: Ask, tally: Tally | None, tell: Tell
) -> tuple[Classes, dict[str, object]]:
    """The cheaper of two lines, cut at the least cost; then neighbouring classes are clustered again."""
    lines = {
        "tree": path(tree.edges, local.tuples, local.rates),
        "price": price_order(local.scales, local.tuples),
    }
    cut = {}
    for name, line in lines.items():
        cut[name] = classes_along(local, local.along(line), ask, tally)
        tell(_CUTTING * len(cut) / len(lines))
    name = min(cut, key=lambda name: cut[name][1])
    classes, paid = cut[name]
    rank = np.argsort(lines["tree"])
    turns = list(product(_WIDTHS if paid else (), (None, *range(len(local.scales)))))
    whole, done = float(sum(width for width, _ in turns)), 0.0
    for width, column in turns:
        done += width  # what a record is compared with
        middle = classes.walk[(classes.starts[:-1] + classes.starts[1:]) // 2]
        if column is None:
            turn = np.argsort(rank[local.tuple_of[middle]], kind="stable")
        else:
            turn = price_order(local.scales, local.codes[middle], last=column)
        classes = _regrouped(local, classes, turn, width, ask, tally)
        tell(_CUTTING + (1 - _CUTTING) * done / whole)
    return classes, {"line": name}


def _regrouped(
    local: Local, classes: Classes, turn: I8, width: int, ask: Ask, tally: Tally | None
) -> Classes:
    """Cluster the classes again, `width` at a time, in the order of `turn`."""
    codes, tuple_of, walk, starts = local.codes, local.tuple_of, classes.walk, classes.starts
    return Classes(*regroup(codes, tuple_of, walk, starts, turn, width, _LARGEST, local.rates, ask, tally))


def _by_paper(
    local: Local, tree: Spanning, ask: Ask, tally: Tally | None, *, resplit: bool
) -> tuple[Classes, dict[str, object]]:
    """The paper's cuts and mergers, certain to end; what l and t ask for is left to the end."""
    above, up, order = rooted(tree.edges, tree.weight)
    top, _ = cut_tree(above, up, order, local.counts, ask.k)
    codes, effort = _efforts(local)
    rank = np.argsort(path(tree.edges, codes[local.first], effort))[local.tuple_of]
    classes = Classes.of(top[local.tuple_of])
    subtrees, small = len(classes), int((classes.sizes < ask.k).sum())
    number = _pooled(classes, codes, effort, rank, ask.k)
    for_k = ask_for_k(ask.k)
    classes = Classes.of(number[classes.of_records()]).sorted()
    walk, starts, _ = repair(codes, classes.walk, classes.starts, _POOL, effort, for_k, tally_of(for_k))
    classes = Classes(walk, starts)
    if resplit:
        classes = split_large(local, classes, rank, ask.k)
    return classes, {"subtrees": subtrees, "small": small}


def _efforts(local: Local) -> tuple[I4, Rates]:
    """Codes and prices under which a class costs its generalization effort: a cell its level over the height."""
    step, _ = steps_of(local.hierarchies)
    leaves = local.leaves
    scales = [
        as_nodes(hierarchy, leaves[:, j], of_level=np.arange(hierarchy.height + 1) * step[j] // 2)
        for j, hierarchy in enumerate(local.hierarchies)
    ]
    return places_of(scales, leaves), rates_of(scales)


def _pooled(classes: Classes, codes: I4, effort: Rates, rank: I8, k: int) -> I8:
    """For each class, the number of its union: classes below k joined by CDist, in pools of neighbours on the tree."""
    small = np.flatnonzero(classes.sizes < k)
    small = small[np.argsort(rank[classes.walk[classes.starts[small]]])]
    low, high = extents(codes, classes.walk, classes.starts, effort)
    number = np.arange(len(classes))
    for begin in range(0, len(small), _POOL):
        pool = np.sort(small[begin : begin + _POOL])
        into = merge_small(low[pool], high[pool], classes.sizes[pool], k, effort)
        while (into != into[into]).any():
            into = into[into]
        number[pool] = pool[into]
    return number
