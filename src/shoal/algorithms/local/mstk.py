"""MSTK: k-anonymity by cutting a minimum spanning tree (Ramana & Kumari), and by walking it."""

from itertools import product
from typing import Annotated

import numpy as np

from shoal.algorithms._kernels.constraint import Ask, ClassTally, tally_of
from shoal.algorithms._kernels.tables import NEVER, Rates
from shoal.algorithms.constraint import Constraint, Whole, ask_for_k, ask_of, keeps_average
from shoal.algorithms.knobs import OneOf, Share
from shoal.algorithms.local._kernels.clustering import (
    class_costs,
    cut_walk,
    extents,
    merge_small,
    regroup,
    repair,
)
from shoal.algorithms.local._kernels.spanning_tree import cut_tree, path, rooted
from shoal.algorithms.local.column_prices import as_nodes, places_of, price_order, rates_of
from shoal.algorithms.local.local_table import Grid, LocalTable, Partition, TableRecode, without_outliers
from shoal.algorithms.local.spanning_tree import Spanning, spanning_tree, steps_of
from shoal.data import Table
from shoal.data.arrays import I4, I8
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


@keeps_average
def mstk(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    recode: TableRecode = "hierarchy",
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
        How a class is written: "hierarchy", the closest common node of its values; "span", a range of numbers and the
        set of values present in other columns; "mean" or "median", that of the numbers, and sets in other columns.
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
    constraint = Constraint.of("mstk", claim, table)
    if rule not in _RULES:
        raise InputError(f"mstk: rule must be walk or paper{hint(rule, _RULES)}", value=rule)
    local = LocalTable.of(
        "mstk", table, hierarchies, recode=recode, grid=grid, mix=constraint.sensitive, k=constraint.k
    )
    local = without_outliers(local, table, constraint.k, suppress)
    ask, tally = ask_of("mstk", table, local.rows, constraint, whole)
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
    local: LocalTable, tree: Spanning, ask: Ask, tally: ClassTally | None, tell: Tell
) -> tuple[Partition, dict[str, object]]:
    """The cheaper of two lines, cut at the least cost; then neighbouring classes are clustered again."""
    lines = {
        "tree": path(tree.edges, local.tuples, local.rates),
        "price": price_order(local.scales, local.tuples),
    }
    cut = {}
    for name, line in lines.items():
        cut[name] = _classes_along(local, local.along(line), ask, tally)
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
    local: LocalTable, classes: Partition, turn: I8, width: int, ask: Ask, tally: ClassTally | None
) -> Partition:
    """Cluster the classes again, `width` at a time, in the order of `turn`."""
    codes, tuple_of, walk, starts = local.codes, local.tuple_of, classes.walk, classes.starts
    return Partition(*regroup(codes, tuple_of, walk, starts, turn, width, _LARGEST, local.rates, ask, tally))


def _by_paper(
    local: LocalTable, tree: Spanning, ask: Ask, tally: ClassTally | None, *, resplit: bool
) -> tuple[Partition, dict[str, object]]:
    """The paper's cuts and mergers, certain to end; what l and t ask for is left to the end."""
    above, up, order = rooted(tree.edges, tree.weight)
    top, _ = cut_tree(above, up, order, local.counts, ask.k)
    codes, effort = _efforts(local)
    rank = np.argsort(path(tree.edges, codes[local.first], effort))[local.tuple_of]
    classes = Partition.of(top[local.tuple_of])
    subtrees, small = len(classes), int((classes.sizes < ask.k).sum())
    number = _pooled(classes, codes, effort, rank, ask.k)
    for_k = ask_for_k(ask.k)
    classes = Partition.of(number[classes.of_records()]).sorted()
    walk, starts, _ = repair(codes, classes.walk, classes.starts, _POOL, effort, for_k, tally_of(for_k))
    classes = Partition(walk, starts)
    if resplit:
        classes = _split_large(local, classes, rank, ask.k)
    return classes, {"subtrees": subtrees, "small": small}


def _efforts(local: LocalTable) -> tuple[I4, Rates]:
    """Codes and prices under which a class costs its generalization effort: a cell its level over the height."""
    step, _ = steps_of(local.hierarchies)
    leaves = local.leaves
    scales = [
        as_nodes(hierarchy, leaves[:, j], of_level=np.arange(hierarchy.height + 1) * step[j] // 2)
        for j, hierarchy in enumerate(local.hierarchies)
    ]
    return places_of(scales, leaves), rates_of(scales)


def _pooled(classes: Partition, codes: I4, effort: Rates, rank: I8, k: int) -> I8:
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


# Classes along a line of records: cut at the least cost, or one class divided again.

_FINE = 64  # a class of k is built of about so many pieces at least


def _classes_along(local: LocalTable, walk: I8, ask: Ask, tally: ClassTally | None) -> tuple[Partition, int]:
    """The cheapest classes of consecutive records that keep the claim, and what they cost.

    For k alone a class has at most 2k-1 records. For l, t and persons it may need more: the limit is doubled until
    the line can be cut, and it is doubled once more if that is cheaper.
    """
    if not len(ask.who) and not len(ask.what):
        piece = max(1, ask.k // _FINE)
        most = 2 * ask.k - 1 if piece == 1 else 2 * ask.k + 4 * piece
        classes, _ = _cut(local, walk, piece, most, ask, tally)
        classes = _split_large(local, classes, np.argsort(walk), ask.k)
        return classes, int(class_costs(local.codes, classes.walk, classes.starts, local.rates).sum())
    most, best = max(2 * ask.k - 1, 2 * ask.l, 8), None
    while True:
        found, paid = _cut(local, walk, max(1, most // (2 * _FINE)), most, ask, tally)
        if best is not None:
            return (found, paid) if paid < best[1] else best
        if paid < NEVER:
            best = found, paid
        if best is not None and most >= local.n:
            return best
        most *= 2


def _cut(
    local: LocalTable, walk: I8, piece: int, most: int, ask: Ask, tally: ClassTally | None
) -> tuple[Partition, int]:
    """Cut between pieces of the walk; the last piece takes the rest."""
    bounds = np.r_[np.arange(max(local.n // piece, 1)) * piece, local.n].astype(np.int64)
    best, behind = cut_walk(local.codes, walk, bounds, most, NEVER, local.rates, ask, tally)
    starts, at = [local.n], len(bounds) - 1
    while at > 0 and best[-1] < NEVER:
        at = int(behind[at])
        starts.append(int(bounds[at]))
    return Partition(walk, np.array(starts[::-1], dtype=np.int64)), int(best[-1])


def _split_large(local: LocalTable, classes: Partition, rank: I8, k: int) -> Partition:
    """Divide every class of 2k records or more that costs anything into classes of k to 2k-1, along the line.

    `rank` is each record's place in the line.
    """
    ask = ask_for_k(k)
    paid = class_costs(local.codes, classes.walk, classes.starts, local.rates)
    large = np.flatnonzero((classes.sizes >= 2 * k) & (paid > 0))
    if not len(large):
        return classes
    walk, starts = classes.walk.copy(), [classes.starts]
    for c in large.tolist():
        begin, end = classes.starts[c : c + 2].tolist()
        inside = walk[begin:end]
        inside = inside[np.argsort(rank[inside])]
        bounds = np.arange(len(inside) + 1)
        _, behind = cut_walk(local.codes, inside, bounds, 2 * k - 1, NEVER, local.rates, ask, tally_of(ask))
        at = int(behind[-1])
        while at > 0:
            starts.append(np.array([begin + at]))
            at = int(behind[at])
        walk[begin:end] = inside
    return Partition(walk, np.sort(np.concatenate(starts)))
