"""MSTK: k-anonymity by cutting a minimum spanning tree (Ramana & Kumari), and by walking it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice, product, takewhile
from math import lcm, log
from typing import Annotated

import numpy as np

from shoal.algorithms._kernels import NEVER, ClassConstraint, ClassTally, Rates, TupleLayout, empty_tally
from shoal.algorithms.constraint import OverallCounts, constraint_for_k, keeps_average
from shoal.algorithms.knobs import OneOf, Share
from shoal.algorithms.local._kernels.clustering import (
    class_costs,
    cut_walk,
    extents,
    merge_small,
    regroup,
    repair,
)
from shoal.algorithms.local._kernels.spanning_tree import (
    cut_tree,
    distance,
    join_by_edges,
    join_components,
    line_along_tree,
    roll_up_table,
    root_tree,
)
from shoal.algorithms.local.column_prices import (
    node_costs,
    places_from_leaves,
    price_order,
    proportional_levels,
    rates_of,
)
from shoal.algorithms.local.local_table import Grid, LocalTable, Partition, TableRecode, prepare_classes
from shoal.base.errors import InputError
from shoal.base.naming import did_you_mean
from shoal.base.progress import Progress, Tell, no_progress, no_share, start_step
from shoal.data import Table
from shoal.data.arrays import I4, I8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Claim, Recoded, Result

__all__ = ["Spanning", "_steps_of", "mstk", "spanning_tree"]


# The minimum spanning tree of a table's distinct tuples under the hierarchical distance.
#
# HDist is a sum of ultrametrics: the distance of two tuples is the height of the lowest level vector on which they are
# equal. So Kruskal's edges of one weight join the tuples that become equal on the level vectors of that weight. They
# are found by rolling tables up the lattice; no pair is ever looked at.

WORK = 1 << 28  # table rows to roll up before another way is sought: some ten seconds
_HELD = 1 << 25  # table rows held at once: half a gigabyte
_SOON = 1 << 22  # table rows that are not worth another way: a tenth of a second
_A_TABLE = 2000  # rows that could be rolled up in the time that any table takes, however small
_A_PAIR = 2  # rows that could be rolled up in the time that the distance of two tuples takes


@dataclass(frozen=True, slots=True)
class Spanning:
    """A spanning tree by rising weight.

    edges  : int32[m - 1, 2]  pairs of tuples, the smaller one first
    weight : int64[m - 1]     HDist times `scale`
    how    : "lattice", "search" (the last edges found tuple by tuple) or "bounded"
    bound  : the tree weighs at most so many times the lightest; 1 unless bounded
    nodes  : level vectors looked at
    """

    edges: I4
    weight: I8
    scale: int
    how: str
    bound: int
    nodes: int

    @property
    def total(self) -> float:
        """The tree's HDist."""
        return float(self.weight.sum() / self.scale)


def _steps_of(hierarchies: Sequence[Hierarchy]) -> tuple[I8, int]:
    """What one level costs in each column, both tuples climbing it, as whole numbers; and their scale."""
    heights = [max(tree.height, 1) for tree in hierarchies]
    scale = lcm(*heights)
    return np.array([2 * scale // height for height in heights], dtype=np.int64), scale


def spanning_tree(
    words: I8, layout: TupleLayout, hierarchies: Sequence[Hierarchy], work: int = WORK, tell: Tell = no_share
) -> Spanning:
    """The minimum spanning tree; if weights are equal, the smaller pair of tuples comes first.

    The lattice may have too many level vectors to finish within `work` table rows, or within what comparing all pairs
    of tuples would cost. The components left are then joined by comparing tuples, which is exact too. Where even that
    is too much, columns climb in bundles of b: there are few level vectors then, and the tree weighs at most
    b times as much as the lightest one.

    Parameters
    ----------
    words, layout
        The distinct tuples, packed; the smaller one comes first.
    hierarchies
        The hierarchy of each column.
    work
        How many table rows to roll up at most.
    tell
        Hears how far the components have become one.
    """
    step, scale = _steps_of(hierarchies)
    heights = [tree.height for tree in hierarchies]
    growing = _SpanningForest(words, layout, step, tell)
    if growing.climb(_bundle_axes(heights, 1), work):
        return growing.tree(scale, "lattice", 1)
    if growing.search(work):
        return growing.tree(scale, "search", 1)
    bundle = 2
    while bundle < len(heights) and not growing.climb(_bundle_axes(heights, bundle), work):
        bundle *= 2
    bundle = min(bundle, len(heights))
    growing.climb(_bundle_axes(heights, bundle), None)
    return growing.tree(scale, "bounded" if bundle > 1 else "lattice", bundle)


@dataclass(frozen=True, slots=True)
class _Axis:
    """Columns that climb together: `levels` int64[rungs, columns], none to all of the way up."""

    columns: I8
    levels: I8


def _bundle_axes(heights: Sequence[int], bundle: int) -> list[_Axis]:
    """The axes of the lattice, `bundle` columns each.

    If two tuples differ up to a share f in one column of a bundle, the bundle costs at most `bundle` times as much as
    this column.
    """
    axes = []
    for begin in range(0, len(heights), bundle):
        columns = [j for j in range(begin, min(begin + bundle, len(heights))) if heights[j] > 0]
        levels = proportional_levels([heights[j] for j in columns])
        if columns:
            axes.append(_Axis(np.array(columns, dtype=np.int64), np.array(levels, dtype=np.int64)))
    return axes


class _SpanningForest:
    """Several trees that become one."""

    def __init__(self, words: I8, layout: TupleLayout, step: I8, tell: Tell) -> None:
        self._words, self._layout, self._step, self._tell = words, layout, step, tell
        self._m = words.shape[1]
        self._parent = np.arange(self._m, dtype=np.int32)
        self._edges: list[I4] = []
        self._weights: list[I8] = []
        self._left = self._m
        self._nodes = 0

    def climb(self, axes: Sequence[_Axis], work: int | None) -> bool:
        """Kruskal over level vectors by rising weight; False if `work` did not suffice."""
        bottom = (self._words, np.arange(self._m, dtype=np.int32))
        tables = _LevelTables(axes, bottom, self._layout, self._step)
        for weight, vectors in tables.by_weight():
            if self._left == 1:
                return True
            work_spent = tables.rows + _A_TABLE * self._nodes
            if work is not None and work_spent > min(work, max(_SOON, _A_PAIR * self._m * self._m)):
                return False
            pairs = [tables.raise_to(vector, self._parent) for vector in vectors]
            self._nodes += len(vectors)
            self._add_edges(np.concatenate(pairs), weight)
            self._tell(1 - log(self._left) / log(self._m))  # the last few components take longest
            tables.forget(weight)
        return True

    def search(self, work: int) -> bool:
        """Join the components left, looking at pairs; False if too many tuples lie outside the largest."""
        component = self._parent.astype(np.int64)
        while (parents := component[component]).tobytes() != component.tobytes():
            component = parents
        outside = self._m - int(np.bincount(component).max())
        if _A_PAIR * outside * self._m > 4 * work:
            return False
        values, places = _unpack_values(self._words, self._layout)
        edges, weights = join_components(values, component, places, self._step)
        for weight in np.unique(weights).tolist():
            self._add_edges(edges[weights == weight], weight)
        return True

    def _add_edges(self, edges: I4, weight: int) -> None:
        edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
        tree_edges = join_by_edges(edges, self._parent)
        self._left -= len(tree_edges)
        self._edges.append(tree_edges)
        self._weights.append(np.full(len(tree_edges), weight, dtype=np.int64))

    def tree(self, scale: int, how: str, bound: int) -> Spanning:
        """The finished tree, weighed by distance."""
        edges = np.concatenate([np.empty((0, 2), dtype=np.int32), *self._edges])
        weight = np.concatenate([np.empty(0, dtype=np.int64), *self._weights])
        if how == "bounded":
            values, places = _unpack_values(self._words, self._layout)
            weight = np.array(
                [distance(values, a, b, places, self._step) for a, b in edges.tolist()], dtype=np.int64
            )
        order = np.lexsort((edges[:, 1], edges[:, 0], weight))
        return Spanning(edges[order], weight[order], scale, how, bound, self._nodes)


class _LevelTables:
    """Tables of level vectors, each made from the smallest one below it that is still held."""

    def __init__(self, axes: Sequence[_Axis], bottom: tuple[I8, I4], layout: TupleLayout, step: I8) -> None:
        self._axes, self._layout = axes, layout
        self._weights = [axis.levels @ step[axis.columns] for axis in axes]
        self._highest = max((int(np.diff(w).max()) for w in self._weights if len(w) > 1), default=0)
        self._bottom = (0,) * len(axes)
        self._held: dict[tuple[int, ...], tuple[I8, I4]] = {self._bottom: bottom}
        self._size = 0
        self.rows = 0

    def _weight(self, vector: Sequence[int]) -> int:
        return sum(int(w[rung]) for w, rung in zip(self._weights, vector, strict=True))

    def by_weight(self) -> Iterator[tuple[int, list[tuple[int, ...]]]]:
        """All level vectors above the bottom, those of one weight together, by rising weight.

        Each vector is made once: from the vector below it along its last axis that is not at the bottom.
        """
        heap = [(self._weight(vector), vector) for vector in self._next(self._bottom)]
        heap.sort()
        while heap:
            weight, vectors = heap[0][0], []
            while heap and heap[0][0] == weight:
                _, vector = heappop(heap)
                vectors.append(vector)
                for above in self._next(vector):
                    heappush(heap, (self._weight(above), above))
            yield weight, vectors

    def _next(self, vector: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        last_raised = max((j for j, rung in enumerate(vector) if rung), default=0)
        for j in range(last_raised, len(vector)):
            if vector[j] + 1 < len(self._axes[j].levels):
                yield (*vector[:j], vector[j] + 1, *vector[j + 1 :])

    def raise_to(self, vector: tuple[int, ...], parent: I4) -> I4:
        """Make the vector's table; return the pairs that meet in it."""
        candidates = [
            (below, [j])
            for j, rung in enumerate(vector)
            if rung and (below := (*vector[:j], rung - 1, *vector[j + 1 :])) in self._held
        ]
        below, raised_axes = min(
            candidates,
            key=lambda way: len(self._held[way[0]][1]),
            default=(self._bottom, [j for j, rung in enumerate(vector) if rung]),
        )
        columns = np.concatenate([self._axes[j].columns for j in raised_axes])
        levels = np.concatenate([self._axes[j].levels[vector[j]] for j in raised_axes])
        words, first = self._held[below]
        self.rows += len(first)
        words, first, pairs = roll_up_table(words, first, columns, levels, self._layout, parent)
        if self._size + len(first) <= _HELD:
            self._held[vector] = (words, first)
            self._size += len(first)
        return pairs

    def forget(self, weight: int) -> None:
        """Drop tables with no vector straight above them still to come; the bottom stays. The lightest came first."""
        outdated = [
            *takewhile(lambda v: self._weight(v) + self._highest < weight, islice(self._held, 1, None))
        ]
        for vector in outdated:
            self._size -= len(self._held.pop(vector)[1])


def _unpack_values(words: I8, layout: TupleLayout) -> tuple[I4, I8]:
    """The tuples as values, int32[m, d], and the place of a value at every level, int64[d, levels, values]."""
    d, levels = layout.at.shape
    values = np.stack(
        [(words[layout.word[j]] >> layout.shift[j]) & layout.mask[j] for j in range(d)], axis=1
    ).astype(np.int32)
    places = np.zeros((d, levels, int(values.max(initial=0)) + 1), dtype=np.int64)
    for j in range(d):
        value_count = int(values[:, j].max(initial=0)) + 1
        for level in range(levels):
            start = int(layout.at[j, level])
            places[j, level, :value_count] = layout.places[start : start + value_count]
    return values, places


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
    whole: OverallCounts | None = None,
    progress: Progress = no_progress,
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
        How a class is written: "hierarchy", the closest common node of its values; "range", a range of numbers where
        their hierarchy was built from the data, and else the node; "span", a range of numbers and the set of values
        present in other columns; "mean" or "median", that of the numbers, and sets in other columns.
    grid
        With "range" and "span", the step that ends of ranges are rounded outward to: one number, or one for each
        column. Without it, the numbers of built hierarchies get a step that hides them; those of declared ones
        are written as nodes with "range" and stand as they are with "span".
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
    if rule not in _RULES:
        raise InputError(f"mstk: rule must be walk or paper{did_you_mean(rule, _RULES)}", value=rule)
    local, ask, tally = prepare_classes(
        "mstk", table, hierarchies, claim, suppress=suppress, recode=recode, grid=grid, mix=True, whole=whole
    )
    tell = start_step(progress, "spanning the tree")
    tree = spanning_tree(local.words, local.layout, local.hierarchies, tell=tell)
    if rule == "walk":
        classes, trace = _partition_by_walk(local, tree, ask, tally, start_step(progress, "forming classes"))
    else:
        progress("forming classes")
        classes, trace = _partition_by_paper(local, tree, ask, tally, resplit=resplit)
    tree_trace = {"tree": tree.how, "nodes": tree.nodes, "weight": tree.total, "edges": len(tree.edges)}
    if tree.bound > 1:
        tree_trace["bound"] = tree.bound
    return local.publish(classes, ask, tally, claim, rule=rule, **tree_trace, **trace)


def _partition_by_walk(
    local: LocalTable, tree: Spanning, ask: ClassConstraint, tally: ClassTally | None, tell: Tell
) -> tuple[Partition, dict[str, object]]:
    """The cheaper of two lines, cut at the least cost; then neighbouring classes are clustered again."""
    lines = {
        "tree": line_along_tree(tree.edges, local.tuples, local.rates),
        "price": price_order(local.scales, local.tuples),
    }
    cuts = {}
    for name, line in lines.items():
        cuts[name] = _cut_line(local, local.along(line), ask, tally)
        tell(_CUTTING * len(cuts) / len(lines))
    name = min(cuts, key=lambda name: cuts[name][1])
    classes, cost = cuts[name]
    rank = np.argsort(lines["tree"])
    turns = list(product(_WIDTHS if cost else (), (None, *range(len(local.scales)))))
    total_width, done = float(sum(width for width, _ in turns)), 0.0
    for width, column in turns:
        done += width  # what a record is compared with
        middle = classes.walk[(classes.starts[:-1] + classes.starts[1:]) // 2]
        if column is None:
            turn = np.argsort(rank[local.tuple_of[middle]], kind="stable")
        else:
            turn = price_order(local.scales, local.codes[middle], last=column)
        state = local.codes, local.tuple_of, classes.walk, classes.starts
        classes = Partition(*regroup(*state, turn, width, _LARGEST, local.rates, ask, tally))
        tell(_CUTTING + (1 - _CUTTING) * done / total_width)
    return classes, {"line": name}


def _partition_by_paper(
    local: LocalTable, tree: Spanning, ask: ClassConstraint, tally: ClassTally | None, *, resplit: bool
) -> tuple[Partition, dict[str, object]]:
    """The paper's cuts and mergers, certain to end; what l and t ask for is left to the end."""
    above, up, order = root_tree(tree.edges, tree.weight)
    top, _ = cut_tree(above, up, order, local.counts, ask.k)
    codes, effort = _effort_rates(local)
    rank = np.argsort(line_along_tree(tree.edges, codes[local.first], effort))[local.tuple_of]
    classes = Partition.of(top[local.tuple_of])
    subtrees, small = len(classes), int((classes.sizes < ask.k).sum())
    number = _pool_small_classes(classes, codes, effort, rank, ask.k)
    for_k = constraint_for_k(ask.k)
    classes = Partition.of(number[classes.of_records()]).sort_classes()
    walk, starts, _ = repair(codes, classes.walk, classes.starts, _POOL, effort, for_k, empty_tally(for_k))
    classes = Partition(walk, starts)
    if resplit:
        classes = _split_large_classes(local, classes, rank, ask.k)
    return classes, {"subtrees": subtrees, "small": small}


def _effort_rates(local: LocalTable) -> tuple[I4, Rates]:
    """Codes and prices under which a class costs its generalization effort: a cell its level over the height."""
    step, _ = _steps_of(local.hierarchies)
    leaves = local.leaves
    scales = [
        node_costs(hierarchy, leaves[:, j], of_level=np.arange(hierarchy.height + 1) * step[j] // 2)
        for j, hierarchy in enumerate(local.hierarchies)
    ]
    return places_from_leaves(scales, leaves), rates_of(scales)


def _pool_small_classes(classes: Partition, codes: I4, effort: Rates, rank: I8, k: int) -> I8:
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


def _cut_line(
    local: LocalTable, walk: I8, ask: ClassConstraint, tally: ClassTally | None
) -> tuple[Partition, int]:
    """The cheapest classes of consecutive records that keep the claim, and what they cost.

    For k alone a class has at most 2k-1 records. For l, t and persons it may need more: the limit is doubled until
    the line can be cut, and it is doubled once more if that is cheaper.
    """
    if not len(ask.who) and not len(ask.what):
        piece = max(1, ask.k // _FINE)
        max_size = 2 * ask.k - 1 if piece == 1 else 2 * ask.k + 4 * piece
        classes, _ = _cut_pieces(local, walk, piece, max_size, ask, tally)
        classes = _split_large_classes(local, classes, np.argsort(walk), ask.k)
        return classes, int(class_costs(local.codes, classes.walk, classes.starts, local.rates).sum())
    max_size, best = max(2 * ask.k - 1, 2 * ask.l, 8), None
    while True:
        candidate, cost = _cut_pieces(local, walk, max(1, max_size // (2 * _FINE)), max_size, ask, tally)
        if best is not None:
            return (candidate, cost) if cost < best[1] else best
        if cost < NEVER:
            best = candidate, cost
        if best is not None and max_size >= local.n:
            return best
        max_size *= 2


def _cut_pieces(
    local: LocalTable, walk: I8, piece: int, most: int, ask: ClassConstraint, tally: ClassTally | None
) -> tuple[Partition, int]:
    """Cut between pieces of the walk; the last piece takes the rest."""
    bounds = np.r_[np.arange(max(local.n // piece, 1)) * piece, local.n].astype(np.int64)
    best, class_begin = cut_walk(local.codes, walk, bounds, most, NEVER, local.rates, ask, tally)
    starts, bound_index = [local.n], len(bounds) - 1
    while bound_index > 0 and best[-1] < NEVER:
        bound_index = int(class_begin[bound_index])
        starts.append(int(bounds[bound_index]))
    return Partition(walk, np.array(starts[::-1], dtype=np.int64)), int(best[-1])


def _split_large_classes(local: LocalTable, classes: Partition, rank: I8, k: int) -> Partition:
    """Divide every class of 2k records or more that costs anything into classes of k to 2k-1, along the line.

    `rank` is each record's place in the line.
    """
    ask = constraint_for_k(k)
    costs = class_costs(local.codes, classes.walk, classes.starts, local.rates)
    large = np.flatnonzero((classes.sizes >= 2 * k) & (costs > 0))
    if not len(large):
        return classes
    walk, starts = classes.walk.copy(), [classes.starts]
    for c in large.tolist():
        begin, end = classes.starts[c : c + 2].tolist()
        class_records = walk[begin:end]
        class_records = class_records[np.argsort(rank[class_records])]
        bounds = np.arange(len(class_records) + 1)
        _, class_begin = cut_walk(
            local.codes, class_records, bounds, 2 * k - 1, NEVER, local.rates, ask, empty_tally(ask)
        )
        bound_index = int(class_begin[-1])
        while bound_index > 0:
            starts.append(np.array([begin + bound_index]))
            bound_index = int(class_begin[bound_index])
        walk[begin:end] = class_records
    return Partition(walk, np.sort(np.concatenate(starts)))
