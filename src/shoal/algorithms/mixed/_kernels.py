"""Clusters of records with a table part and baskets: the first ones, and fusing them."""

from typing import NamedTuple

import numpy as np

from shoal._kernels import njit, njit_inner, sum_of
from shoal.algorithms._kernels import CLIMB, NEVER, SET, Rates, both, cost, price
from shoal.algorithms.local._kernels.clustering import absorb, extents
from shoal.data.arrays import F8, I4, I8

__all__ = [
    "ClusterBaskets",
    "HeldNodes",
    "alike",
    "chain",
    "cheapen",
    "distances",
    "gather",
    "members",
    "prices",
    "subset_loss",
    "unions",
    "unite",
    "within",
]

# Clusters of the records nearest to a seed, by what the two would pay together.
#
# codes     : int32[n, d]  see `rates`; records stand in an order that no file decides, and of equals the first wins
# beside    : int64        column by column and place by place, what a seed's place and each other pay together
# cells     : int32[n, d]  where in `beside` each record's places stand; its end, a price beyond all, if in a cluster

_GONE = 2**40
"""What a record pays that has a cluster: more than any other."""
_BATCH = 16
"""How many clusters leave before the records still there close up: to copy all cells for each took half the time."""


@njit_inner
def _sink(cost: I8, who: I8, many: int) -> None:
    """Restore a heap whose top was replaced: the dearest on top, of equals the later record."""
    i = 0
    while True:
        top = i
        for child in (2 * i + 1, 2 * i + 2):
            if child < many and (
                cost[child] > cost[top] or (cost[child] == cost[top] and who[child] > who[top])
            ):
                top = child
        if top == i:
            return
        cost[i], cost[top] = cost[top], cost[i]
        who[i], who[top] = who[top], who[i]
        i = top


@njit_inner
def _climbed(at: int, size: int, height: int, seed: int, table: I8, found: I8) -> None:
    """What the closest common node of the seed and each place costs: it only rises as one walks away."""
    for step in (-1, 1):
        level, place = 0, seed
        while 0 <= place < size:
            while table[at + level * size + seed] != table[at + level * size + place]:
                level += 1
            found[place] = table[at + (height + 1 + level) * size + seed]
            place += step


@njit_inner
def _look(codes: I4, seed: int, rates: Rates, beside: I8) -> None:
    """Fill `beside` for one seed."""
    begin = 0
    for j in range(codes.shape[1]):
        own, size = int(codes[seed, j]), int(rates.size[j])
        found = beside[begin : begin + size]
        if rates.kind[j] == CLIMB:
            _climbed(rates.at[j], size, rates.height[j], own, rates.table, found)
        elif rates.kind[j] == SET:
            for place in range(size):
                found[place] = price(j, (1 << own) | (1 << place), 0, rates)
        else:
            for place in range(size):
                found[place] = price(j, min(own, place), max(own, place), rates)
        begin += size


@njit_inner
def _nearest(cells: I4, seed: int, beside: I8, cost: I8, who: I8) -> None:
    """Fill `who` with the places in `cells` of the records that pay least with the seed; it is none of them.

    From the seed outwards: records stand in order, so the first met are among the nearest, and few replace them.
    """
    cost[:] = NEVER
    who[:] = len(cells)
    for step in (1, -1):
        i = seed + step
        while 0 <= i < len(cells):
            paid = 0
            for j in range(cells.shape[1]):
                paid += beside[cells[i, j]]
            if paid < cost[0] or (paid == cost[0] and i < who[0]):
                cost[0], who[0] = paid, i
                _sink(cost, who, len(who))
            i += step


@njit_inner
def _free(of: I8, left: I8, rank: int) -> int:
    """The place in `left` of the record that `rank` others without a cluster precede."""
    for i in range(len(left)):
        if of[left[i]] < 0:
            if rank == 0:
                return i
            rank -= 1
    return -1


@njit_inner
def _close_up(of: I8, left: I8, cells: I4) -> int:
    """Move those without a cluster to the front, in their order; how many they are."""
    kept = 0
    for i in range(len(left)):
        if of[left[i]] < 0:
            left[kept] = left[i]
            for j in range(cells.shape[1]):
                cells[kept, j] = cells[i, j]
            kept += 1
    return kept


@njit_inner
def _settle(codes: I4, clusters: int, of: I8, rates: Rates) -> None:
    """Let every record that is a class of its own enter the cluster whose records then pay least."""
    starts = np.zeros(len(of) + 1, dtype=np.int64)
    groups = 0
    for i in range(len(of)):
        starts[of[i] + 1] += 1
        groups = max(groups, of[i] + 1)
    starts, size = starts[: groups + 1], starts[1 : groups + 1].copy()
    for c in range(groups):
        starts[c + 1] += starts[c]
    fill, walk = starts.copy(), np.empty(len(of), dtype=np.int64)
    for i in range(len(of)):
        walk[fill[of[i]]] = i
        fill[of[i]] += 1
    low, high = extents(codes, walk, starts, rates)
    for o in range(clusters, groups):
        least, found = NEVER, 0
        for c in range(clusters):
            paid = both(low[c], high[c], low[o], high[o], rates)
            if paid < least:
                least, found = paid, c
        of[walk[starts[o]]] = found
        absorb(low, high, size, found, o, rates)


@njit
def gather(codes: I4, draws: F8, k: int, rates: Rates, done: I8) -> I8:
    """Number every record's cluster: k records each, the last few where they fit best.

    draws : float64[n // k], uniform in [0, 1): the seed of each cluster among the records still left
    done  : int64[1], shows how many clusters there are already
    """
    n, clusters = len(codes), len(codes) // k
    of = np.full(n, -1, dtype=np.int64)
    cost, who = np.empty(k - 1, dtype=np.int64), np.empty(k - 1, dtype=np.int64)
    beside, left, cells = np.empty(sum_of(rates.size) + 1, dtype=np.int64), np.arange(n), codes.copy()
    beside[-1] = _GONE
    before = np.int64(0)
    for j in range(1, codes.shape[1]):
        before += rates.size[j - 1]
        for record in range(n):
            cells[record, j] += before
    for c in range(clusters):
        if c % _BATCH == 0:
            rest = _close_up(of, left, cells)
            left, cells = left[:rest], cells[:rest]
        seed = _free(of, left, int(draws[c] * (n - c * k)))
        of[left[seed]] = c
        cells[seed, 0] = len(beside) - 1
        if k > 1:
            _look(codes, left[seed], rates, beside)
            _nearest(cells, seed, beside, cost, who)
        for i in who:
            of[left[i]] = c
            cells[i, 0] = len(beside) - 1
        done[0] = c + 1
    rest = _close_up(of, left, cells)
    for place in range(rest):
        of[left[place]] = clusters + place
    _settle(codes, clusters, of, rates)
    return of


# Clusters of records with baskets that become one: what their records pay, how different their baskets are.
#
# start, items : int64[n + 1], int32  the baskets; items ascend within a record
# low, high    : int64[c, d]          the extent of every cluster; see `rates`
# size         : int64[c]             its records; 0 once it is part of another
# first, after : int64[c], int64[n]   its records by falling size of basket: first[c], after[first[c]], ... until -1
# others       : int64                some clusters
#
# BTD is the bit-vector transaction distance of two records, (xor + 1) / (and + 1) x or, of a cluster the largest of two
# of its records.


class ClusterBaskets(NamedTuple):
    """Baskets, and the records of every cluster; see the head of the file."""

    start: I8
    items: I4
    first: I8
    after: I8


@njit
def chain(of: I8, order: I8, clusters: int) -> tuple[I8, I8]:
    """Link the records of every cluster in the given order: (first, after)."""
    first, after = np.full(clusters, -1, dtype=np.int64), np.full(len(of), -1, dtype=np.int64)
    for i in range(len(order) - 1, -1, -1):
        record = order[i]
        after[record] = first[of[record]]
        first[of[record]] = record
    return first, after


@njit
def members(baskets: ClusterBaskets, c: int, size: int) -> I8:
    """The records of a cluster."""
    found = np.empty(size, dtype=np.int64)
    record = baskets.first[c]
    for i in range(size):
        found[i] = record
        record = baskets.after[record]
    return found


@njit
def prices(low: I8, high: I8, rates: Rates) -> I8:
    """What each record of every cluster pays."""
    found = np.empty(len(low), dtype=np.int64)
    for c in range(len(low)):
        found[c] = cost(low[c], high[c], rates)
    return found


@njit
def alike(low: I8, high: I8, rates: Rates) -> I8:
    """Number the clusters 0, 1, ..., equal where they are published alike: their union costs no more than either."""
    paid = prices(low, high, rates)
    number = np.full(len(low), -1, dtype=np.int64)
    found = 0
    for c in range(len(low)):
        if number[c] >= 0:
            continue
        number[c] = found
        for o in range(c + 1, len(low)):
            if (
                number[o] < 0
                and paid[o] == paid[c]
                and both(low[c], high[c], low[o], high[o], rates) == paid[c]
            ):
                number[o] = found
        found += 1
    return number


@njit_inner
def _common(start: I8, items: I4, a: int, b: int, most: int) -> int:
    """How many items two records share, `most` if more."""
    i, j, found = start[a], start[b], 0
    while found < most and i < start[a + 1] and j < start[b + 1]:
        if items[i] == items[j]:
            found += 1
        step = items[i] <= items[j]
        j += items[j] <= items[i]
        i += step
    return found


@njit_inner
def _btd(total: int, shared: int) -> float:
    """The BTD of two records by the items that they have together and in common."""
    return (total - 2 * shared + 1) / (shared + 1) * (total - shared)


@njit_inner
def _farthest(baskets: ClusterBaskets, c: int, o: int) -> float:
    """The largest BTD of a record of c and one of o.

    Records stand by falling size, and with every item that two of them share their distance falls: a pair is given
    up at the first that puts it below the best.
    """
    start, items, first, after = baskets
    best = 0.0
    a = first[c]
    while a >= 0:
        mine = start[a + 1] - start[a]
        b = first[o]
        if b < 0 or _btd(mine + start[b + 1] - start[b], 0) <= best:
            return best
        while b >= 0:
            total = mine + start[b + 1] - start[b]
            if _btd(total, 0) <= best:
                break
            most = 1
            while 2 * most <= total and _btd(total, most) > best:
                most += 1
            shared = _common(start, items, a, b, most)
            best = max(best, _btd(total, shared))
            b = after[b]
        a = after[a]
    return best


@njit
def distances(baskets: ClusterBaskets, c: int, others: I8) -> F8:
    """The largest BTD of a record of c and one of each other cluster."""
    found = np.empty(len(others))
    for i in range(len(others)):
        found[i] = _farthest(baskets, c, others[i])
    return found


@njit
def within(baskets: ClusterBaskets) -> F8:
    """The BTD of every cluster: the largest of two of its records."""
    found = np.empty(len(baskets.first))
    for c in range(len(found)):
        found[c] = _farthest(baskets, c, c)
    return found


@njit
def unions(low: I8, high: I8, c: int, others: I8, rates: Rates) -> I8:
    """What each record would pay if c and each other cluster became one."""
    found = np.empty(len(others), dtype=np.int64)
    for i in range(len(others)):
        found[i] = both(low[c], high[c], low[others[i]], high[others[i]], rates)
    return found


@njit
def unite(low: I8, high: I8, size: I8, baskets: ClusterBaskets, c: int, o: int, rates: Rates) -> None:
    """Make cluster o a part of cluster c, their records by falling size of basket again."""
    absorb(low, high, size, c, o, rates)
    start, first, after = baskets.start, baskets.first, baskets.after
    a, b, last = first[c], first[o], -1
    while a >= 0 or b >= 0:
        mine = a >= 0 and (b < 0 or start[a + 1] - start[a] >= start[b + 1] - start[b])
        record = a if mine else b
        if mine:
            a = after[a]
        else:
            b = after[b]
        if last < 0:
            first[c] = record
        else:
            after[last] = record
        last = record
    first[o] = -1


# Utility loss: of the sets of items that a published record may stand for, how many one item leaves open.
#
# start, items : int64[n + 1], int32  the baskets; items are codes 0 .. width-1
# form         : int32[width]         what each item is published as; -1 not at all
# size         : int64[width]         how many items the form of each item stands for
# worth        : float64[width]       how much the form of each item matters, 0 to 1


@njit
def subset_loss(start: I8, items: I4, form: I4, size: I8, worth: F8, forms: int, whole: int) -> float:
    """The sum over all records of UL: sum over forms g of (2^|g| - 1) w(g) / (2^s - 1).

    s is the sum of |g| over all forms of the record. Written as 2^(|g| - s) (1 - 2^-|g|) / (1 - 2^-s), so that
    nothing overflows. What is not published of a record counts as one form of weight 1 that may be any of the `whole`
    of all items: a record none of whose items is published loses 1.
    """
    seen = np.full(forms, -1, dtype=np.int64)
    total = 0.0
    for i in range(len(start) - 1):
        begin, end = start[i], start[i + 1]
        s, gone = 0, 0
        for p in range(begin, end):
            f = form[items[p]]
            if f < 0:
                gone = whole
            elif seen[f] != i:
                seen[f] = i
                s += size[items[p]]
        s += gone
        if gone:
            total += 2.0 ** (gone - s) * (1 - 2.0**-gone) / (1 - 2.0**-s)
        for p in range(begin, end):
            f, g = form[items[p]], size[items[p]]
            if f >= 0 and seen[f] == i:
                seen[f] = -1
                total += worth[items[p]] * 2.0 ** (g - s) * (1 - 2.0**-g) / (1 - 2.0**-s)
    return total


# What the items of a record cost at least in the classes of a box, see `mixed_floor`.
#
# counts : int32[nodes, nodes]  how many records of a box hold each two nodes, the smaller first; 0 outside of a call


class HeldNodes(NamedTuple):
    """Items, and the nodes over them on some rungs, each a run of levels.

    start, items : int64           record i has the leaves items[start[i] : start[i + 1]]
    begins, held : int64           and holds the nodes held[begins[i] : begins[i + 1]], rising
    nodes        : int64[r, v]     the node over each leaf on the highest level of each rung
    low          : int64[r, v]     that on the lowest
    price        : float64[r, v]   what that costs
    """

    start: I8
    items: I8
    begins: I8
    held: I8
    nodes: I8
    low: I8
    price: F8


@njit_inner
def _one(leaf: int, given: HeldNodes, k: int, counts: I4) -> float:
    """What an item costs by itself: its lowest node that k records hold, or 1 left out."""
    for rung in range(len(given.nodes)):
        node = given.nodes[rung, leaf]
        if counts[node, node] >= k:
            return float(given.price[rung, leaf])
    return 1.0


@njit_inner
def _two(p: int, q: int, given: HeldNodes, k: int, counts: I4) -> float:
    """What two items of a record cost: their cheapest nodes that k records hold together, or one is left out.

    One of them cannot be published as a node over both while the other is published as less.
    """
    least = 1.0 + min(_one(p, given, k, counts), _one(q, given, k, counts))
    for i in range(len(given.nodes)):
        a, paid = given.nodes[i, p], given.price[i, p]
        if paid >= least:
            break
        if counts[a, a] < k:
            continue
        for j in range(len(given.nodes)):
            b, both = given.nodes[j, q], paid + given.price[j, q]
            top = max(i, j)
            if both >= least:
                break
            if i != j and given.low[top, p] == given.low[top, q]:
                continue
            if counts[min(a, b), max(a, b)] >= k:
                least = both
                break
    return least


@njit_inner
def _any_pays_less(records: I8, paid: F8, least: F8) -> bool:
    """Whether some record's cells cost less than what it pays at least so far."""
    for i in range(len(records)):
        if least[records[i]] > paid[records[i]]:
            return True
    return False


@njit
def cheapen(
    order: I8,
    bounds: I8,
    paid: F8,
    given: HeldNodes,
    k: int,
    two: bool,
    share: float,
    counts: I4,
    least: F8,
) -> None:
    """Lower what each record pays at least to what it pays in its box, if k records are in it.

    order[bounds[b] : bounds[b + 1]] are the records of box b, `paid` is what a record pays there for its cells, `share`
    what an item weighs beside them; with `two`, two items may be known.
    """
    for box in range(len(bounds) - 1):
        records = order[bounds[box] : bounds[box + 1]]
        if len(records) < k or not _any_pays_less(records, paid, least):
            continue
        for r in records:
            held = given.held[given.begins[r] : given.begins[r + 1]]
            for x in range(len(held)):
                for y in range(x, len(held) if two else x + 1):
                    counts[held[x], held[y]] += 1
        for r in records:
            if least[r] <= paid[r]:
                continue
            items, lost = given.items[given.start[r] : given.start[r + 1]], 0.0
            if two and len(items) > 1:
                for x in range(len(items)):
                    for y in range(x):
                        lost += _two(items[x], items[y], given, k, counts) / (len(items) - 1)
            else:
                for leaf in items:
                    lost += _one(leaf, given, k, counts)
            least[r] = min(least[r], paid[r] + share * lost)
        for r in records:
            held = given.held[given.begins[r] : given.begins[r + 1]]
            for x in range(len(held)):
                for y in range(x, len(held) if two else x + 1):
                    counts[held[x], held[y]] = 0
