"""Recoding items until no itemset is rare: by generalizing along a hierarchy, or by uniting them."""

from typing import NamedTuple

import numpy as np

from shoal._kernels import inner, njit, smallest, sum_of
from shoal.algorithms.itemsets._kernels.supports import (
    PublishedItems,
    WeightedBaskets,
    crowded,
    next_rare,
    walk_from,
)
from shoal.algorithms.itemsets._kernels.unions import (
    ALL,
    GroupOrder,
    Groups,
    Scratch,
    choose,
    drop_anchor,
    forget,
    held_by,
    tell_union,
)
from shoal.data.arrays import B1, I4, I8

__all__ = ["CutState", "Tree", "climb", "collect", "held_by_node", "lift", "satisfy"]

# Generalize along a tree until no itemset is rare: the cheapest replacement of each rare itemset.
#
# Node a covers the leaf codes lo[a] .. hi[a]-1, no two nodes the same. A record holds a node when it holds a leaf
# below it. The last node is the root.
#
# parent : int32[nodes]   the node above; the root's is itself
# form   : int32[leaves]  the node that each leaf is published as: the cut; -1 where it is left out
# alive  : bool[nodes]    whether a node is in the cut
# used   : int64[nodes]   item occurrences below a node
# paid   : int64[nodes]   what the cut costs below a node: the sum of occurrences x leaves of what they stand for;
# an occurrence left out costs all leaves, one published as it is nothing

TRIED = 4096
DONE = 2**62


class Tree(NamedTuple):
    """A hierarchy; see the head of the file."""

    parent: I4
    lo: I4
    hi: I4


class CutState(NamedTuple):
    """Where the search stands, changed in place.

    uses             : int64[leaves], occurrences of each leaf
    spare            : int64[1], occurrences that may still be left out
    post_start, post : by leaf code, the rows that hold it
    stamp            : int64[rows + 1]; scratch to visit a row once, its last cell counting the visits
    """

    form: I4
    alive: B1
    used: I8
    paid: I8
    uses: I8
    spare: I8
    post_start: I8
    post: I4
    stamp: I8


@inner
def lift(tree: Tree, cut: CutState, node: int) -> None:
    """Publish every leaf below `node` as that node."""
    for leaf in range(tree.lo[node], tree.hi[node]):
        if cut.form[leaf] < 0:
            cut.spare[0] += cut.uses[leaf]
        else:
            cut.alive[cut.form[leaf]] = False
        cut.form[leaf] = node
    cut.alive[node] = True
    _pay(tree, cut, node, _price(tree, cut, node))


@inner
def _leave_out(tree: Tree, cut: CutState, node: int) -> None:
    """Publish nothing of what stands below a node of the cut."""
    cut.alive[node] = False
    for leaf in range(tree.lo[node], tree.hi[node]):
        cut.form[leaf] = -1
    cut.spare[0] -= cut.used[node]
    _pay(tree, cut, node, cut.used[node] * len(cut.form))


@inner
def _pay(tree: Tree, cut: CutState, node: int, price: int) -> None:
    more = price - cut.paid[node]
    cut.paid[node] += more
    while tree.parent[node] != node:
        node = tree.parent[node]
        cut.paid[node] += more


@inner
def _price(tree: Tree, cut: CutState, node: int) -> int:
    """What publishing all below as `node` costs; a leaf published as itself costs nothing."""
    leaves = tree.hi[node] - tree.lo[node]
    return cut.used[node] * leaves if leaves > 1 else 0


@inner
def _holds(baskets: WeightedBaskets, r: int, lo: int, hi: int) -> bool:
    """Whether row r has an item between lo and hi-1."""
    left, right = baskets.start[r], baskets.mid[r]
    while left < right:
        middle = (left + right) // 2
        if baskets.items[middle] < lo:
            left = middle + 1
        else:
            right = middle
    return bool(left < baskets.mid[r] and baskets.items[left] < hi)


@inner
def held_by_node(
    baskets: WeightedBaskets, tree: Tree, cut: CutState, nodes: I4, enough: int, rows: I4
) -> tuple[int, int]:
    """Records that hold all `nodes`, counted until `enough`: (support, how many of `rows` were filled)."""
    best, fewest = 0, np.int64(2**62)
    for i in range(len(nodes)):
        many = cut.post_start[tree.hi[nodes[i]]] - cut.post_start[tree.lo[nodes[i]]]
        if many < fewest:
            best, fewest = i, many
    begin, end = cut.post_start[tree.lo[nodes[best]]], cut.post_start[tree.hi[nodes[best]]]
    cut.stamp[-1] += 1
    visit = cut.stamp[-1]
    support, found = 0, 0
    for p in range(begin, end):
        r = cut.post[p]
        if cut.stamp[r] == visit:
            continue
        cut.stamp[r] = visit
        every = True
        for i in range(len(nodes)):
            every = every and (i == best or _holds(baskets, r, tree.lo[nodes[i]], tree.hi[nodes[i]]))
        if every:
            rows[found] = r
            found += 1
            support += baskets.weight[r]
            if support >= enough:
                break
    return support, found


@inner
def _maximal(tree: Tree, nodes: I4, kept: I4) -> int:
    """Drop every node that lies below, or equals, another one; return how many are kept."""
    found = 0
    for i in range(len(nodes)):
        under = False
        for j in range(len(nodes)):
            inside = tree.lo[nodes[j]] <= tree.lo[nodes[i]] and tree.hi[nodes[i]] <= tree.hi[nodes[j]]
            under = under or (inside and (nodes[j] != nodes[i] or j < i))
        if not under:
            kept[found] = nodes[i]
            found += 1
    return found


@inner
def _replacements(tree: Tree, itemset: I4) -> I4:
    """Every way to put items or nodes above them for an itemset, the nearest first.

    Where these are more than TRIED, only those that replace one item.
    """
    size = len(itemset)
    height, total, one_by_one = np.ones(size, dtype=np.int64), 1, False
    for i in range(size):
        a = itemset[i]
        while tree.parent[a] != a:
            a = tree.parent[a]
            height[i] += 1
        total = min(total * height[i], TRIED + 1)
    if total > TRIED:
        total = sum_of(height) - size + 1
        one_by_one = True
    ways = np.empty((total, size), dtype=np.int32)
    for w in range(total):
        rest = w
        for i in range(size - 1, -1, -1):
            up = rest % height[i]
            if one_by_one:
                up = rest if rest < height[i] else 0
                rest = 0 if rest < height[i] else rest - height[i] + 1
            else:
                rest //= height[i]
            a = itemset[i]
            for _ in range(up):
                a = tree.parent[a]
            ways[w, i] = a
    return ways


@inner
def _mend(
    baskets: WeightedBaskets,
    tree: Tree,
    cut: CutState,
    itemset: I4,
    k: int,
    l: int,
    top: bool,
    rows: I4,
    tally: I8,
) -> bool:
    """Apply the cheapest replacement of an itemset that enough records hold; False if there is none.

    Where only the root would do, the itemset's first and rarest node is left out instead while that may be.
    """
    ways = _replacements(tree, itemset)
    kept = np.empty(len(itemset), dtype=np.int32)
    cost = np.empty(len(ways), dtype=np.int64)
    for w in range(len(ways)):
        cost[w] = 0
        for i in range(_maximal(tree, ways[w], kept)):
            cost[w] += _price(tree, cut, kept[i]) - cut.paid[kept[i]]
    root = len(tree.parent) - 1
    cost[0] = DONE  # the itemset itself
    for _ in range(1, len(ways)):
        w = smallest(cost)  # of equal costs the nearest; few are looked at, so none are sorted
        cost[w] = DONE
        found = _maximal(tree, ways[w], kept)
        if kept[0] == root and not top:
            continue
        if kept[0] == root:  # good, the caller made sure of that
            if cut.used[itemset[0]] <= cut.spare[0]:
                _leave_out(tree, cut, itemset[0])
                return True
        else:
            support, many = held_by_node(baskets, tree, cut, kept[:found], 2**62 if l else k, rows)
            if support < k or (l and crowded(baskets, rows, many, l, support, tally)):
                continue
        for i in range(found):
            if not cut.alive[kept[i]]:
                lift(tree, cut, kept[i])
        return True
    return False


@njit
def climb(
    baskets: WeightedBaskets,
    held: PublishedItems,
    tree: Tree,
    cut: CutState,
    itemset: I4,
    k: int,
    l: int,
    first: int,
    last: int,
    top: bool,
) -> tuple[int, int]:
    """Mend every rare itemset that begins with nodes first .. last-1; return how many were, how many not.

    Itemsets have the size of `itemset`, which shows the one that is looked at.

    `held` are the baskets under the cut as it was; itemsets whose nodes have left the cut since are passed
    over, and what replaced them is met when `held` is made anew. With `top` false nothing becomes the root, and
    what only the root would mend is left.
    """
    rows = np.empty(len(baskets.weight), dtype=np.int32)
    tally = np.zeros(baskets.secrets, dtype=np.int64)
    mended, left = 0, 0
    walk = walk_from(baskets, held, len(itemset), l, first, len(cut.alive))
    while next_rare(baskets, held, k, l, last, cut.alive, itemset, walk) >= 0:
        if _mend(baskets, tree, cut, itemset, k, l, top, rows, tally):
            mended += 1
        else:
            left += 1
    return mended, left


# Unite items into groups until no itemset of groups is rare: the cheapest union for each rare itemset.


@njit
def collect(
    baskets: WeightedBaskets,
    held: PublishedItems,
    groups: Groups,
    itemset: I4,
    k: int,
    l: int,
    first: int,
    last: int,
    itemsets: I4,
    supports: I8,
) -> int:
    """Write rare itemsets that begin with groups first .. last-1, as many as there is room for.

    They have the size of `itemset`, which shows the one that is looked at.
    """
    walk = walk_from(baskets, held, len(itemset), l, first, len(groups.alive))
    found = 0
    while found < len(supports):
        support = next_rare(baskets, held, k, l, last, groups.alive, itemset, walk)
        if support < 0:
            break
        for i in range(len(itemset)):
            itemsets[found, i] = itemset[i]
        supports[found] = support
        found += 1
    return found


@inner
def _unite(groups: Groups, a: int, b: int, both: int) -> None:
    """Make one group of two that `both` records hold together."""
    groups.support[a] += groups.support[b] - both
    groups.size[a] += groups.size[b]
    groups.worth[a] += groups.worth[b]
    groups.used[a] += groups.used[b]
    item = b
    while True:
        groups.of[item] = a
        item = groups.next[item]
        if item == b:
            break
    groups.next[a], groups.next[b] = groups.next[b], groups.next[a]
    groups.alive[b] = False


@inner
def _distinct(groups: Groups, itemset: I4, n: int, current: I4) -> int:
    """The groups that the first n of an itemset are in by now, each once and those left out dropped."""
    found = 0
    for i in range(n):
        g, new = groups.of[itemset[i]], True
        for j in range(found):
            new = new and current[j] != g
        if g >= 0 and new:
            current[found] = g
            found += 1
    return found


@inner
def _leave_out_group(groups: Groups, current: I4, n: int) -> int:
    """Publish nothing of the itemset's least used group; return by how much that exceeds what is allowed."""
    least = current[0]
    for i in range(1, n):
        if groups.used[current[i]] < groups.used[least]:
            least = current[i]
    if groups.used[least] > groups.spare[0]:
        return int(groups.used[least] - groups.spare[0])
    groups.spare[0] -= groups.used[least]
    groups.alive[least] = False
    item = least
    while groups.of[item] >= 0:
        groups.of[item] = -1
        item = groups.next[item]
    return 0


@njit
def satisfy(
    baskets: WeightedBaskets,
    groups: Groups,
    order: GroupOrder,
    itemsets: I4,
    k: int,
    l: int,
    style: int,
    loss: int,
) -> tuple[int, int]:
    """Unite groups until each itemset, as published by then, is neither rare nor crowded.

    Where nothing may be united a group is left out. Returns how many unions and groups left out it took, and how
    many occurrences more than allowed would have to be left out (0: done).
    """
    width, size = len(groups.of), itemsets.shape[1]
    room = Scratch(
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.empty(width, dtype=np.int32),
        np.empty(width, dtype=np.int32),
        np.empty(len(baskets.weight), dtype=np.int32),
        np.zeros(baskets.secrets, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.empty(width, dtype=np.int32),
        np.array([-1, 0]),
        np.empty(width, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        np.zeros(width, dtype=np.bool_),
    )
    current, steps = np.empty(size, dtype=np.int32), 0
    for t in range(len(itemsets)):
        n = _distinct(groups, itemsets[t], size, current)
        while n > 0:
            if n == 2 and not l:
                at = drop_anchor(baskets, groups, current, n, room)
                held = records = room.near[current[1 - at]]
            else:
                held, records = held_by(baskets, groups, current, n, -1, ALL if l else k, room.rows)
            if held == 0 or (
                records >= k and not (l and crowded(baskets, room.rows, held, l, records, room.tally))
            ):
                break
            a, b, both = choose(baskets, groups, order, current, n, k, records, style, loss, room)
            if a >= 0:
                tell_union(baskets, groups, a, b, both, room)
                _unite(groups, a, b, both)
            else:
                forget(room)
                excess = _leave_out_group(groups, current, n)
                if excess:
                    return steps, excess
            steps += 1
            n = _distinct(groups, current, n, current)
    return steps, 0
