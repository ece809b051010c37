"""Clusters of records with a table part and baskets: the first ones, and fusing them."""

from typing import NamedTuple

import numpy as np

from shoal._kernels import njit, njit_inner, sum_values
from shoal.algorithms._kernels import CLIMB, NEVER, SET, Rates, price_cell, price_class, price_union
from shoal.algorithms.local._kernels.clustering import absorb, extents
from shoal.data.arrays import F8, I4, I8

__all__ = [
    "ClusterBaskets",
    "HeldNodes",
    "chain_records",
    "cluster_diameters",
    "cluster_distances",
    "cluster_prices",
    "cluster_records",
    "form_clusters",
    "lower_least_costs",
    "number_alike",
    "subset_loss",
    "union_prices",
    "unite_clusters",
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
def _sift_down(cost: I8, who: I8, many: int) -> None:
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
def _fill_node_prices(at: int, size: int, height: int, seed: int, table: I8, found: I8) -> None:
    """What the closest common node of the seed and each place costs: it only rises as one walks away."""
    for step in (-1, 1):
        level, value = 0, seed
        while 0 <= value < size:
            while table[at + level * size + seed] != table[at + level * size + value]:
                level += 1
            found[value] = table[at + (height + 1 + level) * size + seed]
            value += step


@njit_inner
def _fill_pair_prices(codes: I4, seed: int, rates: Rates, beside: I8) -> None:
    """Fill `beside` for one seed."""
    begin = 0
    for j in range(codes.shape[1]):
        seed_value, size = int(codes[seed, j]), int(rates.size[j])
        column_prices = beside[begin : begin + size]
        if rates.kind[j] == CLIMB and rates.missing[j] >= size:
            _fill_node_prices(rates.at[j], size, rates.height[j], seed_value, rates.table, column_prices)
        elif rates.kind[j] == SET:
            for value in range(size):
                column_prices[value] = price_cell(j, (1 << seed_value) | (1 << value), 0, rates)
        else:
            for value in range(size):
                column_prices[value] = price_cell(j, min(seed_value, value), max(seed_value, value), rates)
        begin += size


@njit_inner
def _find_nearest(cells: I4, seed: int, beside: I8, cost: I8, who: I8) -> None:
    """Fill `who` with the places in `cells` of the records that pay least with the seed; it is none of them.

    From the seed outwards: records stand in order, so the first met are among the nearest, and few replace them.
    """
    cost[:] = NEVER
    who[:] = len(cells)
    for step in (1, -1):
        i = seed + step
        while 0 <= i < len(cells):
            total = 0
            for j in range(cells.shape[1]):
                total += beside[cells[i, j]]
            if total < cost[0] or (total == cost[0] and i < who[0]):
                cost[0], who[0] = total, i
                _sift_down(cost, who, len(who))
            i += step


@njit_inner
def _find_free_record(of: I8, left: I8, rank: int) -> int:
    """The place in `left` of the record that `rank` others without a cluster precede."""
    for i in range(len(left)):
        if of[left[i]] < 0:
            if rank == 0:
                return i
            rank -= 1
    return -1


@njit_inner
def _remove_clustered(of: I8, left: I8, cells: I4) -> int:
    """Move those without a cluster to the front, in their order; how many they are."""
    count = 0
    for i in range(len(left)):
        if of[left[i]] < 0:
            left[count] = left[i]
            for j in range(cells.shape[1]):
                cells[count, j] = cells[i, j]
            count += 1
    return count


@njit_inner
def _absorb_rest(codes: I4, clusters: int, of: I8, rates: Rates) -> None:
    """Let every record that is a class of its own enter the cluster whose records then pay least.

    The first classes are the `clusters`, all others have one record; `of` is the class of each record, and changed.
    """
    starts = np.zeros(len(of) + 1, dtype=np.int64)
    class_count = 0
    for i in range(len(of)):
        starts[of[i] + 1] += 1
        class_count = max(class_count, of[i] + 1)
    starts, size = starts[: class_count + 1], starts[1 : class_count + 1].copy()
    for c in range(class_count):
        starts[c + 1] += starts[c]
    free, walk = (
        starts.copy(),
        np.empty(len(of), dtype=np.int64),
    )  # the records by class, and where the next goes
    for i in range(len(of)):
        walk[free[of[i]]] = i
        free[of[i]] += 1
    low, high = extents(codes, walk, starts, rates)
    for single in range(clusters, class_count):
        lowest_price, nearest = NEVER, 0
        for c in range(clusters):
            union_price = price_union(low[c], high[c], low[single], high[single], rates)
            if union_price < lowest_price:
                lowest_price, nearest = union_price, c
        of[walk[starts[single]]] = nearest
        absorb(low, high, size, nearest, single, rates)


@njit
def form_clusters(codes: I4, draws: F8, k: int, rates: Rates, done: I8) -> I8:
    """Number every record's cluster: k records each, the last few where they fit best.

    draws : float64[n // k], uniform in [0, 1): the seed of each cluster among the records still left
    done  : int64[1], shows how many clusters there are already
    """
    n, clusters = len(codes), len(codes) // k
    cluster_of_record = np.full(n, -1, dtype=np.int64)
    costs, nearest = np.empty(k - 1, dtype=np.int64), np.empty(k - 1, dtype=np.int64)
    pair_prices, free_records, cells = (
        np.empty(sum_values(rates.size) + 1, dtype=np.int64),
        np.arange(n),
        codes.copy(),
    )
    pair_prices[-1] = _GONE
    offset = np.int64(0)
    for j in range(1, codes.shape[1]):
        offset += rates.size[j - 1]
        for record in range(n):
            cells[record, j] += offset
    for c in range(clusters):
        if c % _BATCH == 0:
            free_count = _remove_clustered(cluster_of_record, free_records, cells)
            free_records, cells = free_records[:free_count], cells[:free_count]
        seed = _find_free_record(cluster_of_record, free_records, int(draws[c] * (n - c * k)))
        cluster_of_record[free_records[seed]] = c
        cells[seed, 0] = len(pair_prices) - 1
        if k > 1:
            _fill_pair_prices(codes, free_records[seed], rates, pair_prices)
            _find_nearest(cells, seed, pair_prices, costs, nearest)
        for i in nearest:
            cluster_of_record[free_records[i]] = c
            cells[i, 0] = len(pair_prices) - 1
        done[0] = c + 1
    free_count = _remove_clustered(cluster_of_record, free_records, cells)
    for index in range(free_count):
        cluster_of_record[free_records[index]] = clusters + index
    _absorb_rest(codes, clusters, cluster_of_record, rates)
    return cluster_of_record


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
def chain_records(of: I8, order: I8, clusters: int) -> tuple[I8, I8]:
    """Link the records of every cluster in the given order: (first, after)."""
    first, after = np.full(clusters, -1, dtype=np.int64), np.full(len(of), -1, dtype=np.int64)
    for i in range(len(order) - 1, -1, -1):
        record = order[i]
        after[record] = first[of[record]]
        first[of[record]] = record
    return first, after


@njit
def cluster_records(baskets: ClusterBaskets, c: int, size: int) -> I8:
    """The records of a cluster."""
    records = np.empty(size, dtype=np.int64)
    record = baskets.first[c]
    for i in range(size):
        records[i] = record
        record = baskets.after[record]
    return records


@njit
def cluster_prices(low: I8, high: I8, rates: Rates) -> I8:
    """What each record of every cluster pays."""
    costs = np.empty(len(low), dtype=np.int64)
    for c in range(len(low)):
        costs[c] = price_class(low[c], high[c], rates)
    return costs


@njit
def number_alike(low: I8, high: I8, rates: Rates) -> I8:
    """Number the clusters 0, 1, ..., equal where they are published alike: their union costs no more than either."""
    costs = cluster_prices(low, high, rates)
    number = np.full(len(low), -1, dtype=np.int64)
    group_count = 0
    for c in range(len(low)):
        if number[c] >= 0:
            continue
        number[c] = group_count
        for o in range(c + 1, len(low)):
            if (
                number[o] < 0
                and costs[o] == costs[c]
                and price_union(low[c], high[c], low[o], high[o], rates) == costs[c]
            ):
                number[o] = group_count
        group_count += 1
    return number


@njit_inner
def _count_common_items(start: I8, items: I4, a: int, b: int, most: int) -> int:
    """How many items two records share, `most` if more."""
    i, j, count = start[a], start[b], 0
    while count < most and i < start[a + 1] and j < start[b + 1]:
        if items[i] == items[j]:
            count += 1
        step = items[i] <= items[j]
        j += items[j] <= items[i]
        i += step
    return count


@njit_inner
def _btd(total: int, shared: int) -> float:
    """The BTD of two records by the items that they have together and in common."""
    return (total - 2 * shared + 1) / (shared + 1) * (total - shared)


@njit_inner
def _largest_btd(baskets: ClusterBaskets, c: int, o: int) -> float:
    """The largest BTD of a record of c and one of o.

    Records stand by falling size, and with every item that two of them share their distance falls: a pair is given
    up at the first that puts it below the best.
    """
    start, items, first, after = baskets
    best = 0.0
    a = first[c]
    while a >= 0:
        basket_size = start[a + 1] - start[a]
        b = first[o]
        if b < 0 or _btd(basket_size + start[b + 1] - start[b], 0) <= best:
            return best
        while b >= 0:
            total = basket_size + start[b + 1] - start[b]
            if _btd(total, 0) <= best:
                break
            needed_items = 1
            while 2 * needed_items <= total and _btd(total, needed_items) > best:
                needed_items += 1
            shared = _count_common_items(start, items, a, b, needed_items)
            best = max(best, _btd(total, shared))
            b = after[b]
        a = after[a]
    return best


@njit
def cluster_distances(baskets: ClusterBaskets, c: int, others: I8) -> F8:
    """The largest BTD of a record of c and one of each other cluster."""
    btds = np.empty(len(others))
    for i in range(len(others)):
        btds[i] = _largest_btd(baskets, c, others[i])
    return btds


@njit
def cluster_diameters(baskets: ClusterBaskets) -> F8:
    """The BTD of every cluster: the largest of two of its records."""
    diameters = np.empty(len(baskets.first))
    for c in range(len(diameters)):
        diameters[c] = _largest_btd(baskets, c, c)
    return diameters


@njit
def union_prices(low: I8, high: I8, c: int, others: I8, rates: Rates) -> I8:
    """What each record would pay if c and each other cluster became one."""
    costs = np.empty(len(others), dtype=np.int64)
    for i in range(len(others)):
        costs[i] = price_union(low[c], high[c], low[others[i]], high[others[i]], rates)
    return costs


@njit
def unite_clusters(
    low: I8, high: I8, size: I8, baskets: ClusterBaskets, c: int, o: int, rates: Rates
) -> None:
    """Make cluster o a part of cluster c, their records by falling size of basket again."""
    absorb(low, high, size, c, o, rates)
    start, first, after = baskets.start, baskets.first, baskets.after
    a, b, last = first[c], first[o], -1
    while a >= 0 or b >= 0:
        is_from_c = a >= 0 and (b < 0 or start[a + 1] - start[a] >= start[b + 1] - start[b])
        record = a if is_from_c else b
        if is_from_c:
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
    record_of_form = np.full(forms, -1, dtype=np.int64)
    total = 0.0
    for i in range(len(start) - 1):
        begin, end = start[i], start[i + 1]
        s, hidden_count = 0, 0
        for p in range(begin, end):
            f = form[items[p]]
            if f < 0:
                hidden_count = whole
            elif record_of_form[f] != i:
                record_of_form[f] = i
                s += size[items[p]]
        s += hidden_count
        if hidden_count:
            total += 2.0 ** (hidden_count - s) * (1 - 2.0**-hidden_count) / (1 - 2.0**-s)
        for p in range(begin, end):
            f, g = form[items[p]], size[items[p]]
            if f >= 0 and record_of_form[f] == i:
                record_of_form[f] = -1
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
def _item_cost(leaf: int, given: HeldNodes, k: int, counts: I4) -> float:
    """What an item costs by itself: its lowest node that k records hold, or 1 left out."""
    for rung in range(len(given.nodes)):
        node = given.nodes[rung, leaf]
        if counts[node, node] >= k:
            return float(given.price[rung, leaf])
    return 1.0


@njit_inner
def _pair_cost(p: int, q: int, given: HeldNodes, k: int, counts: I4) -> float:
    """What two items of a record cost: their cheapest nodes that k records hold together, or one is left out.

    One of them cannot be published as a node over both while the other is published as less.
    """
    lowest_cost = 1.0 + min(_item_cost(p, given, k, counts), _item_cost(q, given, k, counts))
    for i in range(len(given.nodes)):
        a, first_price = given.nodes[i, p], given.price[i, p]
        if first_price >= lowest_cost:
            break
        if counts[a, a] < k:
            continue
        for j in range(len(given.nodes)):
            b, pair_price = given.nodes[j, q], first_price + given.price[j, q]
            top = max(i, j)
            if pair_price >= lowest_cost:
                break
            if i != j and given.low[top, p] == given.low[top, q]:
                continue
            if counts[min(a, b), max(a, b)] >= k:
                lowest_cost = pair_price
                break
    return lowest_cost


@njit_inner
def _any_pays_less(records: I8, paid: F8, least: F8) -> bool:
    """Whether some record's cells cost less than what it pays at least so far."""
    for i in range(len(records)):
        if least[records[i]] > paid[records[i]]:
            return True
    return False


@njit
def lower_least_costs(
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
            nodes = given.held[given.begins[r] : given.begins[r + 1]]
            for x in range(len(nodes)):
                for y in range(x, len(nodes) if two else x + 1):
                    counts[nodes[x], nodes[y]] += 1
        for r in records:
            if least[r] <= paid[r]:
                continue
            items, item_loss = given.items[given.start[r] : given.start[r + 1]], 0.0
            if two and len(items) > 1:
                for x in range(len(items)):
                    for y in range(x):
                        item_loss += _pair_cost(items[x], items[y], given, k, counts) / (len(items) - 1)
            else:
                for leaf in items:
                    item_loss += _item_cost(leaf, given, k, counts)
            least[r] = min(least[r], paid[r] + share * item_loss)
        for r in records:
            nodes = given.held[given.begins[r] : given.begins[r + 1]]
            for x in range(len(nodes)):
                for y in range(x, len(nodes) if two else x + 1):
                    counts[nodes[x], nodes[y]] = 0
