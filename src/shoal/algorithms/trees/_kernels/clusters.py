"""Clusters of record trees, each with the tree that generalizes all its members.

start, values, parents : tree i's nodes are start[i] .. start[i + 1] - 1 in preorder: a hierarchy's node, and the place
                         of the parent within the tree, -1 under the root
up, kind, width, loss  : by hierarchy's node its parent, class, number of leaves, and what publishing it costs, 0 to 1

Two trees are matched from the root down: children of one class are paired, the cheapest pair (a node of theirs) first.
A pair costs both their nodes the loss of the value over both; what stays without a partner costs 1 a node.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels import copy_into, njit, njit_inner, resize
from shoal.data.arrays import B1, F8, I4, I8

__all__ = ["adopt_trees", "assign_clusters"]

_MOST = 2048  # nodes of hierarchies of which each pair's price is kept


class NodePrices(NamedTuple):
    """What publishing nodes of hierarchies costs, see the head of the file; `shared` is what `_node_prices` adds."""

    up: I4
    kind: I4
    width: I4
    loss: F8
    shared: F8


class ClusterTrees(NamedTuple):
    """The trees of clusters: that of cluster c begins at begins[c] and has sizes[c] nodes: values and parents."""

    begins: I8
    sizes: I8
    values: I4
    parents: I4


class MatchRoom(NamedTuple):
    """Room to match any two of the trees: kin of both, costs, which nodes have a partner, pairs."""

    kin: I4
    other: I4
    cost: F8
    used: B1
    pairs: I8


@njit_inner
def _lowest_common_node(x: int, y: int, up: I4, width: I4) -> int:
    """The lowest node over both."""
    while x != y:
        if width[x] <= width[y]:
            x = up[x]
        else:
            y = up[y]
    return x


@njit_inner
def _node_prices(up: I4, kind: I4, width: I4, loss: F8) -> NodePrices:
    """With, by two nodes of one class, twice what the lowest node over both costs; empty where nodes are many."""
    n = len(up) if len(up) <= _MOST else 0
    shared = np.empty((n, n))
    for x in range(n):
        for y in range(n):
            if kind[x] == kind[y]:
                shared[x, y] = 2 * loss[_lowest_common_node(x, y, up, width)]
    return NodePrices(up, kind, width, loss, shared)


@njit_inner
def _make_room(start: I8, kind: I4) -> tuple[MatchRoom, I4]:
    """Room for any two of the trees, and for values by class."""
    most = classes = 0
    for tree in range(len(start) - 1):
        most = max(most, start[tree + 1] - start[tree])
    for class_id in kind:
        classes = max(classes, class_id + 1)
    room = MatchRoom(
        np.empty((4, most + 1), dtype=np.int32),
        np.empty((4, most + 1), dtype=np.int32),
        np.empty((most, most)),
        np.empty((2, most), dtype=np.bool_),
        np.empty((most + 1, 2), dtype=np.int64),
    )
    return room, np.empty(classes, dtype=np.int32)


@njit_inner
def _fill_kin(parents: I4, kin: I4) -> None:
    """Fill in first children (of the root at [0, 0], of node i at [0, i + 1]), next siblings, nodes of each subtree.

    The last row is left for the partner that `_pair_children` looks for.
    """
    n = len(parents)
    kin[0, : n + 1] = -1
    kin[2, :n] = 1
    for node in range(n - 1, -1, -1):
        over = parents[node]
        kin[1, node] = kin[0, over + 1]
        kin[0, over + 1] = node
        if over >= 0:
            kin[2, over] += kin[2, node]


@njit_inner
def _nearest_sibling(x: int, first: int, kin_a: I4, kin_b: I4, cost: F8, used: B1) -> int:
    """Of `first` and its next siblings without a partner, the one whose pair with x is cheapest; -1: there is none."""
    nearest, least = -1, np.inf
    y = first
    while y >= 0:
        if cost[x, y] >= 0 and not used[1, y]:
            cost_per_node = cost[x, y] / (kin_a[2, x] + kin_b[2, y])
            if cost_per_node < least:
                nearest, least = y, cost_per_node
        y = kin_b[1, y]
    return nearest


@njit_inner
def _pair_children(a: int, b: int, kin_a: I4, kin_b: I4, cost: F8, used: B1, pairs: I8) -> tuple[int, float]:
    """Match the children of two nodes (-1: of the roots); write the pairs; return how many, and what it costs."""
    first_a, first_b = kin_a[0, a + 1], kin_b[0, b + 1]
    total = 0.0
    alone_a = alone_b = 0
    x = first_a
    while x >= 0:
        total += kin_a[2, x]
        used[0, x] = False
        alone_a += 1
        x = kin_a[1, x]
    y = first_b
    while y >= 0:
        total += kin_b[2, y]
        used[1, y] = False
        alone_b += 1
        y = kin_b[1, y]
    x = first_a
    while x >= 0:
        kin_a[3, x] = _nearest_sibling(x, first_b, kin_a, kin_b, cost, used)
        x = kin_a[1, x]
    for matched in range(min(alone_a, alone_b)):
        best_a, best_b, least = -1, -1, np.inf
        x = first_a
        while x >= 0:
            if not used[0, x] and kin_a[3, x] >= 0:
                if used[1, kin_a[3, x]]:
                    kin_a[3, x] = _nearest_sibling(x, first_b, kin_a, kin_b, cost, used)
                y = kin_a[3, x]
                if y >= 0:
                    cost_per_node = cost[x, y] / (kin_a[2, x] + kin_b[2, y])
                    if cost_per_node < least:
                        best_a, best_b, least = x, y, cost_per_node
            x = kin_a[1, x]
        if best_a < 0:
            return matched, total
        used[0, best_a] = used[1, best_b] = True
        pairs[matched, 0], pairs[matched, 1] = best_a, best_b
        total += cost[best_a, best_b] - kin_a[2, best_a] - kin_b[2, best_b]
    return min(alone_a, alone_b), total


@njit_inner
def _match_trees(values_a: I4, values_b: I4, prices: NodePrices, room: MatchRoom) -> float:
    """What it costs per node to publish two trees as one, whose kin are `room.other` and `room.kin`.

    `room.cost` is filled: what matching each pair of nodes costs.
    """
    kin_b, kin_a, cost, used, pairs = room
    up, kind, width, loss, shared = prices
    for a in range(len(values_a) - 1, -1, -1):
        kind_a = kind[values_a[a]]
        for b in range(len(values_b) - 1, -1, -1):
            cost[a, b] = -1.0
            if kind_a == kind[values_b[b]]:
                below = 0.0
                if kin_a[0, a + 1] >= 0 or kin_b[0, b + 1] >= 0:
                    _, below = _pair_children(a, b, kin_a, kin_b, cost, used, pairs)
                if len(shared):
                    cost[a, b] = below + shared[values_a[a], values_b[b]]
                else:
                    cost[a, b] = below + 2 * loss[_lowest_common_node(values_a[a], values_b[b], up, width)]
    _, total = _pair_children(-1, -1, kin_a, kin_b, cost, used, pairs)
    return total / max(1, len(values_a) + len(values_b))


@njit_inner
def _common_tree(values_a: I4, values_b: I4, prices: NodePrices, room: MatchRoom) -> tuple[I4, I4]:
    """The tree that generalizes both, in preorder; `room.cost` is as `_match_trees` left it."""
    kin_b, kin_a, cost, used, pairs = room
    up, width = prices.up, prices.width
    most = min(len(values_a), len(values_b))
    values = np.empty(most, dtype=np.int32)
    parents = np.empty(most, dtype=np.int32)
    stack = np.empty((most + 1, 3), dtype=np.int64)  # nodes that are matched, and the place of the parent
    height, node_count = 1, 0
    stack[0, 0], stack[0, 1], stack[0, 2] = -1, -1, -2
    while height:
        height -= 1
        a, b, over = stack[height]
        index = -1
        if over != -2:
            index = node_count
            values[node_count] = _lowest_common_node(values_a[a], values_b[b], up, width)
            parents[node_count] = over
            node_count += 1
        number, _ = _pair_children(a, b, kin_a, kin_b, cost, used, pairs)
        for pair in range(number - 1, -1, -1):
            stack[height, 0], stack[height, 1], stack[height, 2] = pairs[pair, 0], pairs[pair, 1], index
            height += 1
    return values[:node_count].copy(), parents[:node_count].copy()


@njit_inner
def _count_classes(values: I4, kind: I4, count: I4) -> None:
    """How many values of each class a tree has."""
    count[:] = 0
    for value in values:
        count[kind[value]] += 1


@njit_inner
def _least_cost(one: I4, other: I4, nodes: int) -> float:
    """What two trees cost per node at least: of each class, what one has more than the other has no partner."""
    alone = 0
    for class_id in range(len(one)):
        alone += abs(one[class_id] - other[class_id])
    return alone / max(1, nodes)


@njit_inner
def _cheapest_cluster(
    mine: I4, count: I4, clusters: I8, counts: I4, trees: ClusterTrees, prices: NodePrices, room: MatchRoom
) -> tuple[int, float]:
    """The place among some clusters of the one that a tree joins at the least price, and this price; -1: there is none.

    counts[i] is how many values of each class clusters[i] has. Of equal prices the first is taken, but one looks at the
    last clusters first: trees come in their order, so these are mostly the nearest.
    """
    best, least = -1, np.inf
    begins, sizes, values, parents = trees
    for index in range(len(clusters) - 1, -1, -1):
        c = clusters[index]
        if _least_cost(counts[index], count, sizes[c] + len(mine)) > least:
            continue
        first, last = begins[c], begins[c] + sizes[c]
        _fill_kin(parents[first:last], room.other)
        price = _match_trees(values[first:last], mine, prices, room)
        if price <= least:
            best, least = index, price
    return best, least


@njit_inner
def _join_cluster(
    c: int, mine: I4, count: I4, trees: ClusterTrees, prices: NodePrices, room: MatchRoom
) -> None:
    """Put the tree that generalizes a cluster and one tree more in the cluster's place, and count its values."""
    begins, sizes, values, parents = trees
    first, last = begins[c], begins[c] + sizes[c]
    _fill_kin(parents[first:last], room.other)
    _match_trees(values[first:last], mine, prices, room)
    joined, below = _common_tree(values[first:last], mine, prices, room)
    copy_into(values, first, joined)
    copy_into(parents, first, below)
    sizes[c] = len(joined)
    _count_classes(joined, prices.kind, count)


@njit
def assign_clusters(
    order: I8,
    start: I8,
    values: I4,
    parents: I4,
    up: I4,
    kind: I4,
    width: I4,
    loss: F8,
    k: int,
    climit: int,
    threshold: float,
    done: I8,
) -> tuple[I8, I8, I8, I4, I4, I8]:
    """Give every tree a cluster, in `order`; a cluster of k members takes no more.

    Returns the cluster of each tree, how many members each has, and the clusters' trees: start, nodes each may take,
    values, parents, and how many nodes each has. `done`, int64[1], shows how many trees have a cluster already.
    """
    n = len(order)
    room, count = _make_room(start, kind)
    prices = _node_prices(up, kind, width, loss)
    counts = np.empty((climit, len(count)), dtype=np.int32)
    cluster = np.empty(n, dtype=np.int64)
    members = np.zeros(n, dtype=np.int64)
    begins = np.zeros(n + 1, dtype=np.int64)
    sizes = np.zeros(n, dtype=np.int64)
    room_values = np.empty(1024, dtype=np.int32)
    room_parents = np.empty(1024, dtype=np.int32)
    open_ = np.empty(climit, dtype=np.int64)
    opened = cluster_count = filled = 0
    for tree in order:
        tree_values, tree_parents = (
            values[start[tree] : start[tree + 1]],
            parents[start[tree] : start[tree + 1]],
        )
        _fill_kin(tree_parents, room.kin)
        _count_classes(tree_values, kind, count)
        trees = ClusterTrees(begins, sizes, room_values, room_parents)
        best, least = _cheapest_cluster(tree_values, count, open_[:opened], counts, trees, prices, room)
        if best < 0 or (least > threshold and opened < climit):
            while filled + len(tree_values) > len(room_values):
                room_values = resize(room_values, 2 * len(room_values))
                room_parents = resize(room_parents, 2 * len(room_parents))
            copy_into(room_values, filled, tree_values)
            copy_into(room_parents, filled, tree_parents)
            begins[cluster_count], sizes[cluster_count], members[cluster_count] = filled, len(tree_values), 1
            filled += len(tree_values)
            cluster[tree] = cluster_count
            open_[opened] = cluster_count
            counts[opened] = count
            best = opened
            opened += 1
            cluster_count += 1
        else:
            c = open_[best]
            _join_cluster(c, tree_values, counts[best], trees, prices, room)
            members[c] += 1
            cluster[tree] = c
        if members[open_[best]] >= k:
            opened -= 1
            open_[best] = open_[opened]
            counts[best] = counts[opened]
        done[0] += 1
    return (
        cluster,
        members[:cluster_count],
        begins[:cluster_count],
        room_values[:filled],
        room_parents[:filled],
        sizes[:cluster_count],
    )


@njit
def adopt_trees(
    trees: I8,
    start: I8,
    values: I4,
    parents: I4,
    up: I4,
    kind: I4,
    width: I4,
    loss: F8,
    clusters: I8,
    begins: I8,
    room_values: I4,
    room_parents: I4,
    sizes: I8,
    cluster: I8,
) -> None:
    """Let each of some trees join the cheapest of some clusters, whose trees change accordingly."""
    room, count = _make_room(start, kind)
    prices = _node_prices(up, kind, width, loss)
    counts = np.empty((len(clusters), len(count)), dtype=np.int32)
    for index in range(len(clusters)):
        c = clusters[index]
        _count_classes(room_values[begins[c] : begins[c] + sizes[c]], kind, counts[index])
    cluster_trees = ClusterTrees(begins, sizes, room_values, room_parents)
    for tree in trees:
        tree_values = values[start[tree] : start[tree + 1]]
        _fill_kin(parents[start[tree] : start[tree + 1]], room.kin)
        _count_classes(tree_values, kind, count)
        best, _ = _cheapest_cluster(tree_values, count, clusters, counts, cluster_trees, prices, room)
        c = clusters[best]
        _join_cluster(c, tree_values, counts[best], cluster_trees, prices, room)
        cluster[tree] = c
