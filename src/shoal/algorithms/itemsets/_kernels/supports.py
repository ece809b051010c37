"""Supports of itemsets: which are rare, which baskets decide it, and a cut through a tree that leaves none rare."""

from typing import NamedTuple

import numpy as np

from shoal._kernels import find_slot, index_of_smallest, njit, njit_inner, sum_values
from shoal.data.arrays import B1, I4, I8

__all__ = [
    "CutState",
    "PublishedItems",
    "Tree",
    "WeightedBaskets",
    "find_needed_rows",
    "find_next_rare",
    "invert_index",
    "is_crowded",
    "mend_itemsets",
    "number_distinct_rows",
    "publish_items",
    "start_walk",
]

# Itemsets that too few records hold: walked depth first, counting per prefix, never listing all.
#
# start  : int64[n + 1]  row i holds items[start[i] : start[i + 1]]; its open items end, its secrets begin, at mid[i]
# items  : int32         ascending within a row; secrets are numbered behind all open items
# weight : int64[n]      how many records look like row i
#
# Open items may be published in another form: `PublishedItems` holds the rows as they are published now.


class WeightedBaskets(NamedTuple):
    """Distinct baskets. `width` open items are numbered 0 .. width-1, secrets width .. width+secrets-1."""

    start: I8
    mid: I8
    items: I4
    weight: I8
    width: int
    secrets: int


class PublishedItems(NamedTuple):
    """Open items as they are published: row i holds items[start[i] : start[i + 1]], ascending.

    row        : int32         the row of each place in `items`
    post_start : int64[p + 1]  published item a stands at the places post[post_start[a] : post_start[a + 1]]
    """

    start: I8
    items: I4
    row: I4
    post_start: I8
    post: I4


@njit_inner
def _hash_row(items: I4, begin: int, end: int) -> int:
    """Mix a row; every product stays below 2^63, so nothing overflows."""
    mixed = end - begin
    for p in range(begin, end):
        mixed = ((mixed & 0x7FFFFFFF) * 0x4F1BBCDD) ^ (mixed >> 31) ^ items[p]
    return mixed ^ (mixed >> 29)


@njit_inner
def _is_same_row(items: I4, a: int, b: int, length: int) -> bool:
    for i in range(length):
        if items[a + i] != items[b + i]:
            return False
    return True


@njit
def number_distinct_rows(start: I8, items: I4) -> tuple[I8, I8]:
    """Number equal rows alike, in order of first appearance: (int64[n], one row of each number)."""
    n = len(start) - 1
    size = 16
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, dtype=np.int64)
    number_of_row, heads = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    distinct_count = 0
    for i in range(n):
        length = start[i + 1] - start[i]
        s = _hash_row(items, start[i], start[i + 1]) & (size - 1)
        while slots[s] >= 0:
            row = heads[slots[s]]
            if start[row + 1] - start[row] == length and _is_same_row(items, start[i], start[row], length):
                break
            s = (s + 1) & (size - 1)
        if slots[s] < 0:
            slots[s] = distinct_count
            heads[distinct_count] = i
            distinct_count += 1
        number_of_row[i] = slots[s]
    return number_of_row, heads[:distinct_count].copy()


@njit
def invert_index(items: I4, width: int) -> tuple[I8, I4]:
    """For each item, the places where it stands, ascending."""
    begin = np.zeros(width + 1, dtype=np.int64)
    for p in range(len(items)):
        begin[items[p] + 1] += 1
    for a in range(width):
        begin[a + 1] += begin[a]
    fill = begin[:-1].copy()
    places = np.empty(len(items), dtype=np.int32)
    for p in range(len(items)):
        places[fill[items[p]]] = p
        fill[items[p]] += 1
    return begin, places


@njit_inner
def _sort_first(items: I4, n: int) -> None:
    """Sort the first n in place by shrinking gaps: most rows are short, and numpy's sort compiles for seconds."""
    gap = 1
    while 9 * gap < n:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            a, q = items[i], i
            while q >= gap and items[q - gap] > a:
                items[q] = items[q - gap]
                q -= gap
            items[q] = a
        gap //= 3


@njit
def publish_items(baskets: WeightedBaskets, form: I4, forms: int) -> PublishedItems:
    """Publish every open item as its form, -1 not at all; equal forms of a row become one."""
    n = len(baskets.weight)
    start = np.zeros(n + 1, dtype=np.int64)
    items = np.empty(len(baskets.items), dtype=np.int32)
    row = np.empty(len(baskets.items), dtype=np.int32)
    end = 0
    for i in range(n):
        begin = end
        for p in range(baskets.start[i], baskets.mid[i]):
            if form[baskets.items[p]] >= 0:
                items[end] = form[baskets.items[p]]
                end += 1
        _sort_first(items[begin:end], end - begin)
        last, end = end, begin
        for p in range(begin, last):
            if end == begin or items[p] != items[end - 1]:
                items[end] = items[p]
                row[end] = i
                end += 1
        start[i + 1] = end
    items = items[:end].copy()
    post_start, post = invert_index(items, forms)
    return PublishedItems(start, items, row[:end].copy(), post_start, post)


@njit_inner
def is_crowded(baskets: WeightedBaskets, rows: I4, n: int, l: int, support: int, tally: I8) -> bool:
    """Whether a secret is in more than 1/l of the records of the first n `rows`; `tally`, int64[secrets], is zero."""
    over = False
    for i in range(n):
        r = rows[i]
        for p in range(baskets.mid[r], baskets.start[r + 1]):
            s = baskets.items[p] - baskets.width
            tally[s] += baskets.weight[r]
            over = over or tally[s] * l > support
    for i in range(n):
        r = rows[i]
        for p in range(baskets.mid[r], baskets.start[r + 1]):
            tally[baskets.items[p] - baskets.width] = 0
    return over


@njit_inner
def _open_level(held: PublishedItems, weight: I8, places: I4, listed: bool, d: int, walk: "Walk") -> int:
    """Count every item behind `places` on level d, and list where it stands; return how many there are."""
    num, sup, begin, items = walk.num[d], walk.sup[d], walk.begin[d], walk.seen[d]
    item_places = walk.at[d if listed else 0]
    item_count = 0
    for p in places:
        r = held.row[p]
        for q in range(p + 1, held.start[r + 1]):
            b = held.items[q]
            if num[b] == 0:
                items[item_count] = b
                sup[b] = 0
                item_count += 1
            num[b] += 1
            sup[b] += weight[r]
    _sort_first(items, item_count)
    if listed:
        total = 0
        for i in range(item_count):
            begin[items[i]] = total
            total += num[items[i]]
        for p in places:
            for q in range(p + 1, held.start[held.row[p] + 1]):
                b = held.items[q]
                item_places[begin[b]] = q
                begin[b] += 1
        for i in range(item_count):
            begin[items[i]] -= num[items[i]]
    return item_count


@njit_inner
def _next_itemset(d: int, itemset: I4, alive: B1, walk: "Walk") -> int:
    """Put the next living item behind the longest living prefix; return its depth, 0 when there is none.

    Levels 1 .. d are open: they list the items that stand behind the prefix itemset[: level].
    """
    item_counts, look, items, num = walk.found, walk.look, walk.seen, walk.num
    keep = 0
    while keep < d and alive[itemset[keep]]:
        keep += 1
    while d > 0:
        if d <= keep and look[d] < item_counts[d]:
            itemset[d] = items[d, look[d]]
            look[d] += 1
            if alive[itemset[d]]:
                return d
        else:
            for i in range(item_counts[d]):
                num[d, items[d, i]] = 0
            d -= 1
    return 0


class Walk(NamedTuple):
    """Where a walk over itemsets stands, changed in place; levels are as deep as itemsets are long.

    here  : int64[2]       the first item, and the level; -1 where the walk below that item has not begun
    num, sup, begin : int64[levels, items]  how many places, records, and where the places of each item begin in `at`
    seen, at  : int32[levels, ...]          the items behind each prefix, and their places
    found, look : int64[levels]             how many they are, and how many were looked at
    tally, rows : room to count secrets in
    """

    here: I8
    num: I8
    sup: I8
    begin: I8
    seen: I4
    at: I4
    found: I8
    look: I8
    tally: I8
    rows: I4


@njit_inner
def start_walk(
    baskets: WeightedBaskets, held: PublishedItems, size: int, l: int, first: int, width: int
) -> Walk:
    """A walk over itemsets of `size` that begins with item `first` of `width`; l is that of `find_next_rare`."""
    lists = size if l else size - 1  # levels from 1 on whose places are listed end before this
    here = np.full(2, -1, dtype=np.int64)
    here[0] = first
    return Walk(
        here,
        np.zeros((size, width), dtype=np.int64),
        np.zeros((size, width), dtype=np.int64),
        np.zeros((size, width), dtype=np.int64),
        np.zeros((size, width), dtype=np.int32),
        np.empty((max(lists, 1), len(held.items) if lists > 1 else 0), dtype=np.int32),
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
        np.zeros(baskets.secrets, dtype=np.int64),
        np.empty(len(baskets.weight), dtype=np.int32),
    )


@njit_inner
def find_next_rare(
    baskets: WeightedBaskets,
    held: PublishedItems,
    k: int,
    l: int,
    last: int,
    alive: B1,
    itemset: I4,
    walk: Walk,
) -> int:
    """The support of the next occurring itemset that is held by fewer than k, or crowded under l; -1 at the end.

    The itemset stands in `itemset` then. Only itemsets that begin with an item before `last` are walked. The caller may
    declare items dead in `alive` at any time: itemsets with them are passed over, the walk going back to the
    longest prefix that lives. l = 0 asks for no diversity.

    It is no generator: what a generator of numba was given is never freed.
    """
    size = len(itemset)
    lists = size if l else size - 1  # levels from 1 on whose places are listed end before this
    a, d = walk.here[0], walk.here[1]
    places, support = held.post[:0], 0
    while True:
        if d >= 0:
            d = _next_itemset(d, itemset, alive, walk)
            if d == 0:
                a, d = a + 1, -1
                continue
            support = walk.sup[d, itemset[d]]
            if d < lists:
                first_place = walk.begin[d, itemset[d]]
                places = walk.at[d, first_place : first_place + walk.num[d, itemset[d]]]
        elif a < last:
            places = held.post[held.post_start[a] : held.post_start[a + 1]]
            if not alive[a] or not len(places):
                a += 1
                continue
            itemset[0] = a
            d, support = 0, 0
            for p in places:
                support += baskets.weight[held.row[p]]
        else:
            walk.here[0], walk.here[1] = a, -1
            return -1
        if d < size - 1:
            d += 1
            walk.found[d] = _open_level(held, baskets.weight, places, d < lists, d, walk)
            walk.look[d] = 0
        elif support < k or (l and _is_crowded_at(baskets, held, places, l, support, walk)):
            walk.here[0], walk.here[1] = a, d
            return support


@njit_inner
def _is_crowded_at(
    baskets: WeightedBaskets, held: PublishedItems, places: I4, l: int, support: int, walk: Walk
) -> bool:
    """Whether a secret is in more than 1/l of the records that `places` stand in."""
    for i in range(len(places)):
        walk.rows[i] = held.row[places[i]]
    return is_crowded(baskets, walk.rows, len(places), l, support, walk.tally)


# Which baskets are needed to tell the rare combinations of items from the others.
#
# start  : int64[n + 1]  row i holds items[start[i] : start[i + 1]]
# items  : int32         ascending within a row, below `width`
# weight : int64[n]      how many records look like row i


@njit_inner
def _advance_places(places: I8, size: int, length: int) -> bool:
    """Step to the next combination of places; False behind the last."""
    i = size - 1
    while i >= 0 and places[i] == length - size + i:
        i -= 1
    if i < 0:
        return False
    places[i] += 1
    for j in range(i + 1, size):
        places[j] = places[j - 1] + 1
    return True


@njit_inner
def _combination_key(items: I4, begin: int, places: I8, size: int, width: int) -> int:
    key = 0
    for i in range(size):
        key = key * (width + 1) + int(items[begin + places[i]]) + 1  # items are int32, and a key is wider
    return key


@njit_inner
def _widen_table(keys: I8, counts: I8) -> tuple[I8, I8]:
    wide, wide_counts = np.full(2 * len(keys), -1, dtype=np.int64), np.zeros(2 * len(keys), dtype=np.int64)
    for s in range(len(keys)):
        if keys[s] >= 0:
            slot = find_slot(wide, keys[s])
            wide[slot], wide_counts[slot] = keys[s], counts[s]
    return wide, wide_counts


@njit
def find_needed_rows(
    start: I8,
    items: I4,
    weight: I8,
    width: int,
    size: int,
    k: int,
    most: int,
    keys: I8,
    counts: I8,
    used: int,
) -> tuple[B1, I8, I8, int]:
    """Mark rows so that each combination of at most `size` items is in k marked records, or in all that hold it.

    A row is passed over when every combination of `size` of its items (of all its items, where it has fewer) is in k
    marked records. keys (-1: empty) and counts are a table of combinations with `used` entries, at first none; it is
    returned as it stands then, for the next rows. It has 2^b slots, at most `most`; rows with combinations that found
    no slot are marked. The caller makes sure that (width + 1) ** size is below 2^62.
    """
    marked = np.zeros(len(weight), dtype=np.bool_)
    places = np.zeros(size, dtype=np.int64)
    for row in range(len(weight)):
        length = start[row + 1] - start[row]
        subset_size = min(size, length)
        if subset_size == 0:
            continue
        for i in range(subset_size):
            places[i] = i
        while True:
            s = find_slot(keys, _combination_key(items, start[row], places, subset_size, width))
            if keys[s] < 0 or counts[s] < k:
                marked[row] = True
                break
            if not _advance_places(places, subset_size, length):
                break
        if not marked[row]:
            continue
        for i in range(subset_size):
            places[i] = i
        while True:
            key = _combination_key(items, start[row], places, subset_size, width)
            s = find_slot(keys, key)
            if keys[s] < 0 and 2 * used >= len(keys) and 2 * len(keys) <= most:
                keys, counts = _widen_table(keys, counts)
                s = find_slot(keys, key)
            if keys[s] < 0 and 2 * used < len(keys):
                keys[s] = key
                used += 1
            if keys[s] >= 0:
                counts[s] += weight[row]
            if not _advance_places(places, subset_size, length):
                break
    return marked, keys, counts, used


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


@njit_inner
def _lift_leaves(tree: Tree, cut: CutState, node: int) -> None:
    """Publish every leaf below `node` as that node."""
    for leaf in range(tree.lo[node], tree.hi[node]):
        if cut.form[leaf] < 0:
            cut.spare[0] += cut.uses[leaf]
        else:
            cut.alive[cut.form[leaf]] = False
        cut.form[leaf] = node
    cut.alive[node] = True
    _update_paid(tree, cut, node, _node_price(tree, cut, node))


@njit_inner
def _suppress_node(tree: Tree, cut: CutState, node: int) -> None:
    """Publish nothing of what stands below a node of the cut."""
    cut.alive[node] = False
    for leaf in range(tree.lo[node], tree.hi[node]):
        cut.form[leaf] = -1
    cut.spare[0] -= cut.used[node]
    _update_paid(tree, cut, node, cut.used[node] * len(cut.form))


@njit_inner
def _update_paid(tree: Tree, cut: CutState, node: int, price: int) -> None:
    increase = price - cut.paid[node]
    cut.paid[node] += increase
    while tree.parent[node] != node:
        node = tree.parent[node]
        cut.paid[node] += increase


@njit_inner
def _node_price(tree: Tree, cut: CutState, node: int) -> int:
    """What publishing all below as `node` costs; a leaf published as itself costs nothing."""
    leaves = tree.hi[node] - tree.lo[node]
    return cut.used[node] * leaves if leaves > 1 else 0


@njit_inner
def _row_holds_range(baskets: WeightedBaskets, r: int, lo: int, hi: int) -> bool:
    """Whether row r has an item between lo and hi-1."""
    begin, end = baskets.start[r], baskets.mid[r]
    while begin < end:
        middle = (begin + end) // 2
        if baskets.items[middle] < lo:
            begin = middle + 1
        else:
            end = middle
    return bool(begin < baskets.mid[r] and baskets.items[begin] < hi)


@njit_inner
def _count_holders(
    baskets: WeightedBaskets, tree: Tree, cut: CutState, nodes: I4, enough: int, rows: I4
) -> tuple[int, int]:
    """Records that hold all `nodes`, counted until `enough`: (support, how many of `rows` were filled)."""
    best, fewest = 0, np.int64(2**62)
    for i in range(len(nodes)):
        post_count = cut.post_start[tree.hi[nodes[i]]] - cut.post_start[tree.lo[nodes[i]]]
        if post_count < fewest:
            best, fewest = i, post_count
    begin, end = cut.post_start[tree.lo[nodes[best]]], cut.post_start[tree.hi[nodes[best]]]
    cut.stamp[-1] += 1
    visit = cut.stamp[-1]
    support, row_count = 0, 0
    for p in range(begin, end):
        r = cut.post[p]
        if cut.stamp[r] == visit:
            continue
        cut.stamp[r] = visit
        every = True
        for i in range(len(nodes)):
            every = every and (
                i == best or _row_holds_range(baskets, r, tree.lo[nodes[i]], tree.hi[nodes[i]])
            )
        if every:
            rows[row_count] = r
            row_count += 1
            support += baskets.weight[r]
            if support >= enough:
                break
    return support, row_count


@njit_inner
def _keep_maximal(tree: Tree, nodes: I4, kept: I4) -> int:
    """Drop every node that lies below, or equals, another one; return how many are kept."""
    kept_count = 0
    for i in range(len(nodes)):
        under = False
        for j in range(len(nodes)):
            inside = tree.lo[nodes[j]] <= tree.lo[nodes[i]] and tree.hi[nodes[i]] <= tree.hi[nodes[j]]
            under = under or (inside and (nodes[j] != nodes[i] or j < i))
        if not under:
            kept[kept_count] = nodes[i]
            kept_count += 1
    return kept_count


@njit_inner
def _list_replacements(tree: Tree, itemset: I4) -> I4:
    """Every way to put items or nodes above them for an itemset, the nearest first.

    Where these are more than TRIED, only those that replace one item.
    """
    size = len(itemset)
    heights, way_count, one_by_one = np.ones(size, dtype=np.int64), 1, False  # nodes from an item to its root
    for i in range(size):
        node = itemset[i]
        while tree.parent[node] != node:
            node = tree.parent[node]
            heights[i] += 1
        way_count = min(way_count * heights[i], TRIED + 1)
    if way_count > TRIED:
        way_count = sum_values(heights) - size + 1
        one_by_one = True
    ways = np.empty((way_count, size), dtype=np.int32)
    for way in range(way_count):
        # The number of a way says how far up each item goes: its digits do, or the one item that it falls to.
        remainder = way
        for i in range(size - 1, -1, -1):
            steps_up = remainder % heights[i]
            if one_by_one:
                steps_up = remainder if remainder < heights[i] else 0
                remainder = 0 if remainder < heights[i] else remainder - heights[i] + 1
            else:
                remainder //= heights[i]
            node = itemset[i]
            for _ in range(steps_up):
                node = tree.parent[node]
            ways[way, i] = node
    return ways


@njit_inner
def _mend_itemset(
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
    ways = _list_replacements(tree, itemset)
    nodes = np.empty(len(itemset), dtype=np.int32)
    cost = np.empty(len(ways), dtype=np.int64)
    for w in range(len(ways)):
        cost[w] = 0
        for i in range(_keep_maximal(tree, ways[w], nodes)):
            cost[w] += _node_price(tree, cut, nodes[i]) - cut.paid[nodes[i]]
    root = len(tree.parent) - 1
    cost[0] = DONE  # the itemset itself
    for _ in range(1, len(ways)):
        w = index_of_smallest(cost)  # of equal costs the nearest; few are looked at, so none are sorted
        cost[w] = DONE
        node_count = _keep_maximal(tree, ways[w], nodes)
        if nodes[0] == root and not top:
            continue
        if nodes[0] == root:  # good, the caller made sure of that
            if cut.used[itemset[0]] <= cut.spare[0]:
                _suppress_node(tree, cut, itemset[0])
                return True
        else:
            support, row_count = _count_holders(
                baskets, tree, cut, nodes[:node_count], 2**62 if l else k, rows
            )
            if support < k or (l and is_crowded(baskets, rows, row_count, l, support, tally)):
                continue
        for i in range(node_count):
            if not cut.alive[nodes[i]]:
                _lift_leaves(tree, cut, nodes[i])
        return True
    return False


@njit
def mend_itemsets(
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
    mended, unmended = 0, 0
    walk = start_walk(baskets, held, len(itemset), l, first, len(cut.alive))
    while find_next_rare(baskets, held, k, l, last, cut.alive, itemset, walk) >= 0:
        if _mend_itemset(baskets, tree, cut, itemset, k, l, top, rows, tally):
            mended += 1
        else:
            unmended += 1
    return mended, unmended
