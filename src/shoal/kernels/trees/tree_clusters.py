"""Clusters of record trees, each with the tree that generalizes all its members.

start, values, parents : tree i's nodes are start[i] .. start[i + 1] - 1 in preorder: a hierarchy's node, and the place
                         of the parent within the tree, -1 under the root
up, kind, width, loss  : by hierarchy's node its parent, class, number of leaves, and what publishing it costs, 0 to 1

Two trees are matched from the root down: children of one class are paired, the cheapest pair (a node of theirs) first.
A pair costs both their nodes the loss of the value over both; what stays without a partner costs 1 a node.
"""

import numpy as np

from shoal.kernels.arrays import copy_into, grown, ranked
from shoal.kernels.jit import inner, njit
from shoal.kernels.types import F8, I4, I8

__all__ = ["adopt", "stream"]


@inner
def _over(x: int, y: int, up: I4, width: I4) -> int:
    """The lowest node over both."""
    while x != y:
        if width[x] <= width[y]:
            x = up[x]
        else:
            y = up[y]
    return x


@inner
def _kin(parents: I4) -> tuple[I4, I4, I4]:
    """First child (of the root at [0], of node i at [i + 1]), next sibling, nodes of each subtree."""
    n = len(parents)
    first = np.full(n + 1, -1, dtype=np.int32)
    following = np.full(n, -1, dtype=np.int32)
    size = np.ones(n, dtype=np.int32)
    for node in range(n - 1, -1, -1):
        following[node] = first[parents[node] + 1]
        first[parents[node] + 1] = node
        if parents[node] >= 0:
            size[parents[node]] += size[node]
    return first, following, size


@inner
def _pairs(
    a: int, b: int, kin_a: tuple[I4, I4, I4], kin_b: tuple[I4, I4, I4], cost: F8, pairs: I8
) -> tuple[int, float]:
    """Match the children of two nodes (-1: of the roots); write the pairs; return how many, and what it costs."""
    first_a, next_a, size_a = kin_a
    first_b, next_b, size_b = kin_b
    total = 0.0
    number = 0
    x = first_a[a + 1]
    while x >= 0:
        total += size_a[x]
        y = first_b[b + 1]
        while y >= 0:
            if cost[x, y] >= 0:
                number += 1
            y = next_b[y]
        x = next_a[x]
    y = first_b[b + 1]
    while y >= 0:
        total += size_b[y]
        y = next_b[y]
    if number == 0:
        return 0, total
    left = np.empty(number, dtype=np.int64)
    right = np.empty(number, dtype=np.int64)
    each = np.empty(number)
    at = 0
    x = first_a[a + 1]
    while x >= 0:
        y = first_b[b + 1]
        while y >= 0:
            if cost[x, y] >= 0:
                left[at], right[at] = x, y
                each[at] = cost[x, y] / (size_a[x] + size_b[y])
                at += 1
            y = next_b[y]
        x = next_a[x]
    used_a = np.zeros(len(size_a), dtype=np.bool_)
    used_b = np.zeros(len(size_b), dtype=np.bool_)
    matched = 0
    for pair in ranked(each):
        x, y = left[pair], right[pair]
        if not used_a[x] and not used_b[y]:
            used_a[x] = used_b[y] = True
            pairs[matched, 0], pairs[matched, 1] = x, y
            matched += 1
            total += cost[x, y] - size_a[x] - size_b[y]
    return matched, total


@inner
def _match(
    values_a: I4, parents_a: I4, values_b: I4, parents_b: I4, up: I4, kind: I4, width: I4, loss: F8
) -> tuple[float, F8, tuple[I4, I4, I4], tuple[I4, I4, I4]]:
    """What it costs per node to publish two trees as one, and what matching each pair of their nodes costs."""
    kin_a, kin_b = _kin(parents_a), _kin(parents_b)
    cost = np.full((len(values_a), len(values_b)), -1.0)
    pairs = np.empty((min(len(values_a), len(values_b)) + 1, 2), dtype=np.int64)
    for a in range(len(values_a) - 1, -1, -1):
        for b in range(len(values_b) - 1, -1, -1):
            if kind[values_a[a]] == kind[values_b[b]]:
                _, below = _pairs(a, b, kin_a, kin_b, cost, pairs)
                cost[a, b] = below + 2 * loss[_over(values_a[a], values_b[b], up, width)]
    _, total = _pairs(-1, -1, kin_a, kin_b, cost, pairs)
    return total / max(1, len(values_a) + len(values_b)), cost, kin_a, kin_b


@inner
def _common(
    values_a: I4, parents_a: I4, values_b: I4, parents_b: I4, up: I4, kind: I4, width: I4, loss: F8
) -> tuple[I4, I4]:
    """The tree that generalizes both, in preorder."""
    _, cost, kin_a, kin_b = _match(values_a, parents_a, values_b, parents_b, up, kind, width, loss)
    most = min(len(values_a), len(values_b))
    values = np.empty(most, dtype=np.int32)
    parents = np.empty(most, dtype=np.int32)
    pairs = np.empty((most + 1, 2), dtype=np.int64)
    stack = np.empty((most + 1, 3), dtype=np.int64)  # nodes that are matched, and the place of the parent
    height, found = 1, 0
    stack[0, 0], stack[0, 1], stack[0, 2] = -1, -1, -2
    while height:
        height -= 1
        a, b, over = stack[height]
        place = -1
        if over != -2:
            place = found
            values[found] = _over(values_a[a], values_b[b], up, width)
            parents[found] = over
            found += 1
        number, _ = _pairs(a, b, kin_a, kin_b, cost, pairs)
        for pair in range(number - 1, -1, -1):
            stack[height, 0], stack[height, 1], stack[height, 2] = pairs[pair, 0], pairs[pair, 1], place
            height += 1
    return values[:found].copy(), parents[:found].copy()


@njit
def stream(
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
    cluster = np.empty(n, dtype=np.int64)
    members = np.zeros(n, dtype=np.int64)
    begins = np.zeros(n + 1, dtype=np.int64)
    sizes = np.zeros(n, dtype=np.int64)
    room_values = np.empty(1024, dtype=np.int32)
    room_parents = np.empty(1024, dtype=np.int32)
    open_ = np.empty(climit, dtype=np.int64)
    opened = made = filled = 0
    for tree in order:
        mine, hung = values[start[tree] : start[tree + 1]], parents[start[tree] : start[tree + 1]]
        best, least = -1, np.inf
        for place in range(opened):
            c = open_[place]
            first, last = begins[c], begins[c] + sizes[c]
            price, _, _, _ = _match(
                room_values[first:last], room_parents[first:last], mine, hung, up, kind, width, loss
            )
            if price < least:
                best, least = place, price
        if best < 0 or (least > threshold and opened < climit):
            while filled + len(mine) > len(room_values):
                room_values = grown(room_values, 2 * len(room_values))
                room_parents = grown(room_parents, 2 * len(room_parents))
            copy_into(room_values, filled, mine)
            copy_into(room_parents, filled, hung)
            begins[made], sizes[made], members[made] = filled, len(mine), 1
            filled += len(mine)
            cluster[tree] = made
            open_[opened] = made
            best = opened
            opened += 1
            made += 1
        else:
            c = open_[best]
            first, last = begins[c], begins[c] + sizes[c]
            joined, below = _common(
                room_values[first:last], room_parents[first:last], mine, hung, up, kind, width, loss
            )
            copy_into(room_values, first, joined)
            copy_into(room_parents, first, below)
            sizes[c] = len(joined)
            members[c] += 1
            cluster[tree] = c
        if members[open_[best]] >= k:
            opened -= 1
            open_[best] = open_[opened]
        done[0] += 1
    return cluster, members[:made], begins[:made], room_values[:filled], room_parents[:filled], sizes[:made]


@njit
def adopt(
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
    for tree in trees:
        mine, hung = values[start[tree] : start[tree + 1]], parents[start[tree] : start[tree + 1]]
        best, least = -1, np.inf
        for c in clusters:
            first, last = begins[c], begins[c] + sizes[c]
            price, _, _, _ = _match(
                room_values[first:last], room_parents[first:last], mine, hung, up, kind, width, loss
            )
            if price < least:
                best, least = c, price
        first, last = begins[best], begins[best] + sizes[best]
        joined, below = _common(
            room_values[first:last], room_parents[first:last], mine, hung, up, kind, width, loss
        )
        copy_into(room_values, first, joined)
        copy_into(room_parents, first, below)
        sizes[best] = len(joined)
        cluster[tree] = best
