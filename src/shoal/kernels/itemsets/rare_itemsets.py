"""Itemsets that too few records hold: walked depth first, counting per prefix, never listing all.

start  : int64[n + 1]  row i holds items[start[i] : start[i + 1]]; its open items end, its secrets begin, at mid[i]
items  : int32         ascending within a row; secrets are numbered behind all open items
weight : int64[n]      how many records look like row i

Open items may be published in another form: `Held` holds the rows as they are published now.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numba
import numpy as np

from shoal.kernels.jit import inner, njit
from shoal.kernels.types import B1, I4, I8

__all__ = ["Held", "WeightedBaskets", "crowded", "distinct", "hold", "invert", "rare"]


class WeightedBaskets(NamedTuple):
    """Distinct baskets. `width` open items are numbered 0 .. width-1, secrets width .. width+secrets-1."""

    start: I8
    mid: I8
    items: I4
    weight: I8
    width: int
    secrets: int


class Held(NamedTuple):
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
def hold(baskets: WeightedBaskets, form: I4, forms: int) -> Held:
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
    return Held(start, items, row[:end].copy(), post_start, post)


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
    held: Held, weight: I8, places: I4, listed: bool, num: I8, sup: I8, begin: I8, seen: I4, at: I4
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


# Not cached: numba cannot build a new caller around a generator that comes from a cache.
@numba.njit(nogil=True)
def rare(
    baskets: WeightedBaskets,
    held: Held,
    size: int,
    k: int,
    l: int,
    first: int,
    last: int,
    alive: B1,
    itemset: I4,
) -> Iterator[int]:
    """Yield the support of every occurring itemset of `size` that is held by fewer than k, or crowded under l.

    The itemset stands in `itemset` while the caller looks. Only itemsets that begin with first .. last-1
    are walked. The caller may declare items dead in `alive` at any time: itemsets with them are passed
    over, the walk going back to the longest prefix that lives. l = 0 asks for no diversity.
    """
    width = len(alive)
    lists = size if l else size - 1  # levels from 1 on whose places are listed end before this
    num, sup = np.zeros((size, width), dtype=np.int64), np.zeros((size, width), dtype=np.int64)
    begin, seen = np.zeros((size, width), dtype=np.int64), np.zeros((size, width), dtype=np.int32)
    at = np.empty((max(lists, 1), len(held.items) if lists > 1 else 0), dtype=np.int32)
    found, look = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    tally, rows = np.zeros(baskets.secrets, dtype=np.int64), np.empty(len(baskets.weight), dtype=np.int32)
    for a in range(first, last):
        places = held.post[held.post_start[a] : held.post_start[a + 1]]
        if not alive[a] or not len(places):
            continue
        itemset[0] = a
        d, support = 0, 0
        for p in places:
            support += baskets.weight[held.row[p]]
        while True:
            if d == size - 1:
                bad = support < k
                if l and not bad:
                    for i in range(len(places)):
                        rows[i] = held.row[places[i]]
                    bad = crowded(baskets, rows, len(places), l, support, tally)
                if bad:
                    yield support
            else:
                d += 1
                listed = d < lists
                to = at[d if listed else 0]
                found[d] = _open(held, baskets.weight, places, listed, num[d], sup[d], begin[d], seen[d], to)
                look[d] = 0
            d = _next(d, itemset, alive, found, look, seen, num)
            if d == 0:
                break
            support = sup[d, itemset[d]]
            if d < lists:
                where = begin[d, itemset[d]]
                places = at[d, where : where + num[d, itemset[d]]]
