"""The minimum spanning tree of a table, and cutting it into subtrees."""

import numpy as np

from shoal._kernels import bincount, cumulate, njit, njit_inner
from shoal.algorithms._kernels import (
    NEVER,
    Rates,
    TupleLayout,
    generalize_column,
    number_tuples,
    open_class,
    price_with_record,
)
from shoal.data.arrays import B1, F8, I4, I8

__all__ = [
    "cut_tree",
    "distance",
    "find_root",
    "join_by_edges",
    "join_components",
    "line_along_tree",
    "roll_up_table",
    "root_tree",
]

# Minimum spanning tree over hierarchical distances, never holding the n x n matrix.
#
# words  : int64[W, m]    distinct tuples as bit fields (see `group`); of two tuples the smaller number comes first
# first  : int32[rows]    the smallest tuple that was generalized to each row of a table, rising
# parent : int32[m]       several trees over all tuples: equal roots are one component
# edges  : int32[e, 2]    pairs of tuples, the smaller one first
# places : int64[d, h, v] place of a value at every level, equal where nodes are; short hierarchies repeat their root
# values : int32[m, d]    tuple i, column j -> value
# component : int64[m]    the component of tuple i, a number below m
# step   : int64[d]       the price of one level in column j, scaled to an integer


@njit
def find_root(parent: I4, i: int) -> int:
    """The component of tuple i; paths are halved on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit
def roll_up_table(
    words: I8, first: I4, columns: I8, levels: I8, layout: TupleLayout, parent: I4
) -> tuple[I8, I4, I4]:
    """Lift `columns` of a table to `levels` and unite the rows that become equal.

    Returns the new table, and the smallest tuples of any two rows that met and are not of one component yet.
    Rows stand by rising `first`, so the earliest of equal rows holds the smallest tuple of all. Only its pairs
    with the others' smallest can enter the tree: among pairs of one weight they come first, and they join
    the same components.
    """
    words = words.copy()
    for q in range(len(columns)):
        generalize_column(words, columns[q], levels[q], layout)
    n = words.shape[1]
    numbers, group_count = number_tuples(words)
    head = np.full(group_count, -1, dtype=np.int32)
    edges = np.empty((n - group_count, 2), dtype=np.int32)
    edge_count = 0
    for i in range(n):
        g = numbers[i]
        if head[g] < 0:  # numbers rise as they appear, so g <= i: what is overwritten has been read
            head[g] = first[i]
            for w in range(words.shape[0]):
                words[w, g] = words[w, i]
        elif find_root(parent, head[g]) != find_root(parent, first[i]):
            edges[edge_count, 0], edges[edge_count, 1] = head[g], first[i]
            edge_count += 1
    return words[:, :group_count].copy(), head, edges[:edge_count].copy()


@njit
def join_by_edges(edges: I4, parent: I4) -> I4:
    """Join the components along `edges`, in their order; return those that joined any: the tree's."""
    tree = np.empty_like(edges)
    edge_count = 0
    for i in range(len(edges)):
        a, b = find_root(parent, edges[i, 0]), find_root(parent, edges[i, 1])
        if a != b:
            parent[max(a, b)] = min(a, b)
            tree[edge_count, 0], tree[edge_count, 1] = edges[i, 0], edges[i, 1]
            edge_count += 1
    return tree[:edge_count].copy()


@njit
def distance(values: I4, a: int, b: int, places: I8, step: I8) -> int:
    """HDist of two tuples: up to the closest common node in each column and down again."""
    total = 0
    for j in range(values.shape[1]):
        x, y = values[a, j], values[b, j]
        level = 0
        while places[j, level, x] != places[j, level, y]:
            level += 1
        total += level * step[j]
    return total


@njit
def join_components(values: I4, component: I8, places: I8, step: I8) -> tuple[I4, I8]:
    """The edges that make one tree of several components: (edges, weights), by Prim's rule.

    The largest component grows by its lightest edge out, of equal weights the smaller pair, and takes in the whole
    component that it reaches. Each tuple outside is compared once with every tuple that enters.
    """
    m = len(values)
    lowest_weight, partner = np.full(m, 2**63 - 1), np.full(m, -1)
    outside, entered = np.arange(m), np.empty(m, dtype=np.int64)
    outside_count, tree_component, sizes = m, 0, bincount(component, m)
    for c in range(m):
        if sizes[c] > sizes[tree_component]:
            tree_component = c
    edges, weights = np.empty((m, 2), dtype=np.int32), np.empty(m, dtype=np.int64)
    edge_count = 0
    while True:
        kept_count, entered_count = 0, 0
        for q in range(outside_count):
            i = outside[q]
            if component[i] == tree_component:
                entered[entered_count] = i
                entered_count += 1
            else:
                outside[kept_count] = i
                kept_count += 1
        outside_count = kept_count
        if outside_count == 0:
            return edges[:edge_count].copy(), weights[:edge_count].copy()
        nearest = -1
        for q in range(outside_count):
            candidate = outside[q]
            for e in range(entered_count):
                i = entered[e]
                weight = distance(values, i, candidate, places, step)
                if weight < lowest_weight[candidate] or (
                    weight == lowest_weight[candidate]
                    and _is_pair_before(i, candidate, partner[candidate], candidate)
                ):
                    lowest_weight[candidate], partner[candidate] = weight, i
            if nearest < 0 or lowest_weight[candidate] < lowest_weight[nearest]:
                nearest = candidate
            elif lowest_weight[candidate] == lowest_weight[nearest] and _is_pair_before(
                candidate, partner[candidate], nearest, partner[nearest]
            ):
                nearest = candidate
        edges[edge_count, 0], edges[edge_count, 1] = (
            min(nearest, partner[nearest]),
            max(nearest, partner[nearest]),
        )
        weights[edge_count] = lowest_weight[nearest]
        edge_count += 1
        tree_component = component[nearest]


@njit_inner
def _is_pair_before(a: int, b: int, c: int, d: int) -> bool:
    """Whether the pair a, b comes before c, d: by its smaller tuple, then by its larger one."""
    low, other_low = min(a, b), min(c, d)
    return low < other_low or (low == other_low and max(a, b) < max(c, d))


# Cut a spanning tree into subtrees by the rule of the MST paper, and walk over it.
#
# edges  : int32[m - 1, 2]  the tree, by rising weight
# weight : int64[m - 1]     of each edge
# count  : int64[m]         how many equal records a tuple stands for; between them lie edges of weight 0
# above  : int64[m]         the next tuple on the way to tuple 0, -1 for itself: the tree, rooted
# order  : int64[m]         tuples, every one behind the one above it


@njit
def root_tree(edges: I4, weight: I8) -> tuple[I8, I8, I8]:
    """Root the tree at tuple 0: (above, weight of the edge up, order)."""
    m = len(weight) + 1
    start = np.zeros(m + 1, dtype=np.int64)
    for e in range(m - 1):
        start[edges[e, 0] + 1] += 1
        start[edges[e, 1] + 1] += 1
    cumulate(start)
    fill, neighbours, link_weights = (
        start[:-1].copy(),
        np.empty(2 * (m - 1), np.int64),
        np.empty(2 * (m - 1), np.int64),
    )
    for e in range(m - 1):
        a, b = edges[e, 0], edges[e, 1]
        neighbours[fill[a]], link_weights[fill[a]] = b, weight[e]
        neighbours[fill[b]], link_weights[fill[b]] = a, weight[e]
        fill[a] += 1
        fill[b] += 1
    above, up, order = np.full(m, -1, dtype=np.int64), np.zeros(m, np.int64), np.zeros(m, np.int64)
    reached_count = 1
    for i in range(m):
        v = order[i]
        for q in range(start[v], start[v + 1]):
            if neighbours[q] != above[v]:
                above[neighbours[q]], up[neighbours[q]] = v, link_weights[q]
                order[reached_count] = neighbours[q]
                reached_count += 1
    return above, up, order


@njit_inner
def _find_subtrees(above: I8, order: I8, whole: B1, count: I8) -> tuple[I8, I8]:
    """For each tuple, the top of its subtree, the records from it downward, and whether its edge up is whole."""
    top, records_below = np.arange(len(order)), count.copy()
    for i in range(len(order)):
        v = order[i]
        if whole[v]:
            top[v] = top[above[v]]
    for i in range(len(order) - 1, -1, -1):
        v = order[i]
        if whole[v]:
            records_below[above[v]] += records_below[v]
    return top, records_below


@njit_inner
def _thresholds(up: I8, whole: B1, top: I8, below: I8) -> F8:
    """For each top, mean plus sample deviation of its subtree's edges; those between equal records weigh 0."""
    total, squares = np.zeros((2, len(up)))
    for v in range(len(up)):
        if whole[v]:
            total[top[v]] += up[v]
            squares[top[v]] += up[v] * up[v]
    limit = np.zeros(len(up))
    for v in range(len(up)):
        edges = below[v] - 1
        if top[v] == v and edges > 0:
            mean = total[v] / edges
            spread = (squares[v] - edges * mean * mean) / (edges - 1) if edges > 1 else 0.0
            limit[v] = mean + np.sqrt(max(spread, 0.0))
    return limit


@njit_inner
def _find_halving_edges(up: I8, whole: B1, top: I8, below: I8, k: int) -> I8:
    """For each top, the tuple whose edge up is the heaviest that leaves k on both sides, -1 if none.

    Of equal weights the one that divides most evenly, then the first, so that few rounds suffice.
    """
    cut_of_top = np.full(len(up), -1, dtype=np.int64)
    for v in range(len(up)):
        t = top[v]
        if whole[v] and below[v] >= k and below[t] - below[v] >= k:
            o = cut_of_top[t]
            is_more_even = o >= 0 and abs(below[t] - 2 * below[v]) < abs(below[t] - 2 * below[o])
            if o < 0 or up[v] > up[o] or (up[v] == up[o] and is_more_even):
                cut_of_top[t] = v
    return cut_of_top


@njit
def cut_tree(above: I8, up: I8, order: I8, count: I8, k: int) -> tuple[I8, I8]:
    """For each tuple, the top of its subtree; for each top, its records.

    A subtree of 2k records or more loses every edge above the mean plus the sample deviation of its weights;
    where there is none, the heaviest edge that leaves k on both sides; where there is none either it
    stays as it is. Every round cuts at least one edge, so it ends.
    """
    is_uncut = above >= 0
    while True:
        top, records_below = _find_subtrees(above, order, is_uncut, count)
        limit = _thresholds(up, is_uncut, top, records_below)
        halving = _find_halving_edges(up, is_uncut, top, records_below, k)
        is_torn = np.zeros(len(up), dtype=np.bool_)
        for v in range(len(up)):
            if is_uncut[v] and records_below[top[v]] >= 2 * k and up[v] > limit[top[v]] * (1 + 1e-12):
                is_torn[v] = is_torn[top[v]] = True
        cut_count = 0
        for v in range(len(up)):
            if top[v] == v:
                if not is_torn[v] and records_below[v] >= 2 * k and halving[v] >= 0:
                    is_uncut[halving[v]] = False
                    cut_count += 1
            elif is_torn[v]:
                is_uncut[v] = False
                cut_count += 1
        if cut_count == 0:
            return top, records_below


@njit
def line_along_tree(edges: I4, codes: I4, rates: Rates) -> I8:
    """All tuples in one line, made as the tree was: joining subtrees join their lines at the ends that fit best."""
    m = len(edges) + 1
    parent = np.empty(m, dtype=np.int32)
    neighbours = np.full((m, 2), -1, dtype=np.int64)
    ends = np.empty((m, 2), dtype=np.int64)
    for v in range(m):
        parent[v] = ends[v, 0] = ends[v, 1] = v
    low, high = np.empty((2, codes.shape[1]), dtype=np.int64)
    for e in range(m - 1):
        a, b = find_root(parent, edges[e, 0]), find_root(parent, edges[e, 1])
        a, b = min(a, b), max(a, b)
        lowest_price, best = NEVER, 0
        for q in range(4):
            open_class(low, high, codes[ends[a, q // 2]], rates)
            pair_price = price_with_record(low, high, codes[ends[b, q % 2]], rates)
            if pair_price < lowest_price:
                lowest_price, best = pair_price, q
        x, y = ends[a, best // 2], ends[b, best % 2]
        ends[a, 0], ends[a, 1] = ends[a, 1 - best // 2], ends[b, 1 - best % 2]
        neighbours[x, 0 if neighbours[x, 0] < 0 else 1] = y
        neighbours[y, 0 if neighbours[y, 0] < 0 else 1] = x
        parent[b] = a
    line = np.empty(m, dtype=np.int64)
    previous, v = -1, ends[find_root(parent, 0), 0]
    for i in range(m):
        line[i] = v
        next_tuple = neighbours[v, 0] if neighbours[v, 0] != previous else neighbours[v, 1]
        previous, v = v, next_tuple
    return line
