"""Supports of itemsets: which are rare, and which baskets decide it."""

from typing import NamedTuple

import numpy as np

from shoal._kernels import inner, njit, slot
from shoal.data.arrays import B1, I4, I8

__all__ = [
    "PublishedItems",
    "Walk",
    "WeightedBaskets",
    "crowded",
    "distinct",
    "hold",
    "invert",
    "needed",
    "next_rare",
    "walk_from",
]

# Itemsets that too few records hold: walked depth first, counting per prefix, never listing all.
#
# start  : int64[n + 1]  row i holds items[start[i] : start[i + 1]]; its open items end, its secrets begin, at mid[i]
# items  : int32         ascending within a row; secrets are numbered behind all open items
# weight : int64[n]      how many records look like row i
#
# Open items may be published in another form: `Held` holds the rows as they are published now.


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


@inner
def _hash(items: I4, begin: int, end: int) -> int:
    """Mix a row; every product stays below 2^63, so nothing overflows."""
    mixed = end - begin
    for p in range(begin, end):
        mixed = ((mixed & 0x7FFFFFFF) * 0x4F1BBCDD) ^ (mixed >> 31) ^ items[p]
    return mixed ^ (mixed >> 29)


@inner
def _same(items: I4, a: int, b: int, length: int) -> bool:
    for i in range(length):
        if items[a + i] != items[b + i]:
            return False
    return True


@njit
def distinct(start: I8, items: I4) -> tuple[I8, I8]:
    """Number equal rows alike, in order of first appearance: (int64[n], one row of each number)."""
    n = len(start) - 1
    size = 16
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, dtype=np.int64)
    of, heads = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    found = 0
    for i in range(n):
        length = start[i + 1] - start[i]
        s = _hash(items, start[i], start[i + 1]) & (size - 1)
        while slots[s] >= 0:
            other = heads[slots[s]]
            if start[other + 1] - start[other] == length and _same(items, start[i], start[other], length):
                break
            s = (s + 1) & (size - 1)
        if slots[s] < 0:
            slots[s] = found
            heads[found] = i
            found += 1
        of[i] = slots[s]
    return of, heads[:found].copy()


@njit
def invert(items: I4, width: int) -> tuple[I8, I4]:
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


@inner
def _sort(items: I4, n: int) -> None:
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
def hold(baskets: WeightedBaskets, form: I4, forms: int) -> PublishedItems:
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
        _sort(items[begin:end], end - begin)
        last, end = end, begin
        for p in range(begin, last):
            if end == begin or items[p] != items[end - 1]:
                items[end] = items[p]
                row[end] = i
                end += 1
        start[i + 1] = end
    items = items[:end].copy()
    post_start, post = invert(items, forms)
    return PublishedItems(start, items, row[:end].copy(), post_start, post)


@inner
def crowded(baskets: WeightedBaskets, rows: I4, n: int, l: int, support: int, tally: I8) -> bool:
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


@inner
def _open(
    held: PublishedItems, weight: I8, places: I4, listed: bool, num: I8, sup: I8, begin: I8, seen: I4, at: I4
) -> int:
    """Count every item behind `places`, and list where it stands; return how many there are.

    num, sup, begin : int64[p]  how many places, records, and where the places of each item begin in `at`
    """
    found = 0
    for p in places:
        r = held.row[p]
        for q in range(p + 1, held.start[r + 1]):
            b = held.items[q]
            if num[b] == 0:
                seen[found] = b
                sup[b] = 0
                found += 1
            num[b] += 1
            sup[b] += weight[r]
    _sort(seen, found)
    if listed:
        total = 0
        for i in range(found):
            begin[seen[i]] = total
            total += num[seen[i]]
        for p in places:
            for q in range(p + 1, held.start[held.row[p] + 1]):
                b = held.items[q]
                at[begin[b]] = q
                begin[b] += 1
        for i in range(found):
            begin[seen[i]] -= num[seen[i]]
    return found


@inner
def _next(d: int, itemset: I4, alive: B1, found: I8, look: I8, seen: I4, num: I8) -> int:
    """Put the next living item behind the longest living prefix; return its depth, 0 when there is none.

    Levels 1 .. d are open: they list the items that stand behind the prefix itemset[: level].
    """
    keep = 0
    while keep < d and alive[itemset[keep]]:
        keep += 1
    while d > 0:
        if d <= keep and look[d] < found[d]:
            itemset[d] = seen[d, look[d]]
            look[d] += 1
            if alive[itemset[d]]:
                return d
        else:
            for i in range(found[d]):
                num[d, seen[d, i]] = 0
            d -= 1
    return 0


class Walk(NamedTuple):
    """Where a walk over itemsets stands, changed in place; levels are as deep as itemsets are long.

    here  : int64[2]       the first item, and the level; -1 where the walk below that item has not begun
    num, sup, begin : int64[levels, items]  see `_open`
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


@inner
def walk_from(
    baskets: WeightedBaskets, held: PublishedItems, size: int, l: int, first: int, width: int
) -> Walk:
    """A walk over itemsets of `size` that begins with item `first` of `width`; l is that of `next_rare`."""
    lists = _lists(size, l)
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


@inner
def _lists(size: int, l: int) -> int:
    """Levels from 1 on whose places are listed end before this."""
    return size if l else size - 1


@inner
def next_rare(
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
    lists = _lists(size, l)
    a, d = walk.here[0], walk.here[1]
    places, support = held.post[:0], 0
    while True:
        if d >= 0:
            d = _next(d, itemset, alive, walk.found, walk.look, walk.seen, walk.num)
            if d == 0:
                a, d = a + 1, -1
                continue
            support = walk.sup[d, itemset[d]]
            if d < lists:
                where = walk.begin[d, itemset[d]]
                places = walk.at[d, where : where + walk.num[d, itemset[d]]]
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
            listed = d < lists
            to = walk.at[d if listed else 0]
            walk.found[d] = _open(
                held,
                baskets.weight,
                places,
                listed,
                walk.num[d],
                walk.sup[d],
                walk.begin[d],
                walk.seen[d],
                to,
            )
            walk.look[d] = 0
        elif support < k or (l and _crowded_at(baskets, held, places, l, support, walk)):
            walk.here[0], walk.here[1] = a, d
            return support


@inner
def _crowded_at(
    baskets: WeightedBaskets, held: PublishedItems, places: I4, l: int, support: int, walk: Walk
) -> bool:
    """Whether a secret is in more than 1/l of the records that `places` stand in."""
    for i in range(len(places)):
        walk.rows[i] = held.row[places[i]]
    return crowded(baskets, walk.rows, len(places), l, support, walk.tally)


# Which baskets are needed to tell the rare combinations of items from the others.
#
# start  : int64[n + 1]  row i holds items[start[i] : start[i + 1]]
# items  : int32         ascending within a row, below `width`
# weight : int64[n]      how many records look like row i


@inner
def _first(places: I8, size: int) -> None:
    for i in range(size):
        places[i] = i


@inner
def _next_places(places: I8, size: int, length: int) -> bool:
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


@inner
def _key(items: I4, begin: int, places: I8, size: int, width: int) -> int:
    key = 0
    for i in range(size):
        key = key * (width + 1) + int(items[begin + places[i]]) + 1  # items are int32, and a key is wider
    return key


@inner
def _find(keys: I8, key: int) -> int:
    """The slot that holds a key, or the empty one where it belongs."""
    last = len(keys) - 1
    s = slot(key, last)
    while keys[s] >= 0 and keys[s] != key:
        s = (s + 1) & last
    return s


@inner
def _wider(keys: I8, counts: I8) -> tuple[I8, I8]:
    wide, many = np.full(2 * len(keys), -1, dtype=np.int64), np.zeros(2 * len(keys), dtype=np.int64)
    for s in range(len(keys)):
        if keys[s] >= 0:
            at = _find(wide, keys[s])
            wide[at], many[at] = keys[s], counts[s]
    return wide, many


@njit
def needed(
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
        taken = min(size, length)
        if taken == 0:
            continue
        _first(places, taken)
        while True:
            s = _find(keys, _key(items, start[row], places, taken, width))
            if keys[s] < 0 or counts[s] < k:
                marked[row] = True
                break
            if not _next_places(places, taken, length):
                break
        if not marked[row]:
            continue
        _first(places, taken)
        while True:
            key = _key(items, start[row], places, taken, width)
            s = _find(keys, key)
            if keys[s] < 0 and 2 * used >= len(keys) and 2 * len(keys) <= most:
                keys, counts = _wider(keys, counts)
                s = _find(keys, key)
            if keys[s] < 0 and 2 * used < len(keys):
                keys[s] = key
                used += 1
            if keys[s] >= 0:
                counts[s] += weight[row]
            if not _next_places(places, taken, length):
                break
    return marked, keys, counts, used
