"""Groups of items that are published as one, united until no itemset is rare: the cheapest union of two groups."""

from math import frexp, inf, ldexp
from typing import NamedTuple

import numpy as np

from shoal._kernels import njit, njit_inner
from shoal.algorithms.itemsets._kernels.supports import (
    PublishedItems,
    WeightedBaskets,
    find_next_rare,
    is_crowded,
    start_walk,
)
from shoal.data.arrays import B1, F8, I4, I8

__all__ = ["FOCUSED", "NCP", "THOROUGH", "UL", "GroupOrder", "Groups", "collect_rare", "repair_rare_itemsets"]

# Groups of items as the search for unions keeps them, and the rows that hold them.
#
# of      : int32[items]   the group that each item is published as, named by one of its members; -1 left out
# next    : int32[items]   the group's next member, in a ring
# size    : int32[items]   how many members the group of that name has
# worth   : float64[items] the sum of their weights
# support : int64[items]   records that hold one of them
# ward    : int32[items]   only groups of one ward may be united; -1 none with it

ALL = 2**62


class Groups(NamedTuple):
    """Where the search stands, changed in place; see the head of the file.

    alive            : bool[items], whether an item names a group
    used             : int64[items], occurrences of the items of a group
    spare            : int64[1], occurrences that may still be left out
    post_start, post : by item, the rows that hold it
    stamp            : int64[rows + 1]; scratch to visit a row once, its last cell counting the visits
    """

    of: I4
    next: I4
    size: I4
    worth: F8
    support: I8
    ward: I4
    alive: B1
    used: I8
    spare: I8
    post_start: I8
    post: I4
    stamp: I8


# Arrays are taken out of their tuples before a loop: each look into a tuple counts who holds the array.


@njit_inner
def _list_rows(groups: Groups, group: int, rows: I4) -> int:
    """List the rows that hold a group; return how many."""
    stamp, post_start, post, following = groups.stamp, groups.post_start, groups.post, groups.next
    stamp[-1] += 1
    visit = stamp[-1]
    row_count = 0
    item = group
    while True:
        for p in range(post_start[item], post_start[item + 1]):
            r = post[p]
            if stamp[r] != visit:
                stamp[r] = visit
                rows[row_count] = r
                row_count += 1
        item = following[item]
        if item == group:
            return row_count


@njit_inner
def _row_holds_group(items: I4, of: I4, first: int, last: int, group: int) -> bool:
    """Whether a row, whose items stand between two places, holds a group."""
    for p in range(first, last):
        if of[items[p]] == group:
            return True
    return False


@njit_inner
def _list_holding_rows(
    baskets: WeightedBaskets, groups: Groups, itemset: I4, n: int, without: int, enough: int, rows: I4
) -> tuple[int, int]:
    """List the rows that hold the first n groups of an itemset, the place `without` aside: (how many, records).

    The count ends when it is `enough`.
    """
    start, mid, items, weight, group_of = baskets.start, baskets.mid, baskets.items, baskets.weight, groups.of
    best, records, support = -1, 0, groups.support
    for i in range(n):
        if i != without and (best < 0 or support[itemset[i]] < support[itemset[best]]):
            best = i
    row_count = 0
    for j in range(_list_rows(groups, itemset[best], rows)):
        r, every = rows[j], True
        for i in range(n):
            every = every and (
                i == best or i == without or _row_holds_group(items, group_of, start[r], mid[r], itemset[i])
            )
        if every:
            rows[row_count] = r
            row_count += 1
            records += weight[r]
            if records >= enough:
                break
    return row_count, records


@njit_inner
def _count_cooccurring(
    baskets: WeightedBaskets, groups: Groups, rows: I4, n: int, lacking: int, count: I8, seen: I4, last: I8
) -> int:
    """Count per group the records of `rows` that hold it, but not `lacking`; return how many were seen."""
    start, mid, items, weight, group_of = baskets.start, baskets.mid, baskets.items, baskets.weight, groups.of
    stamp, group_count = groups.stamp, 0
    for j in range(n):
        r = rows[j]
        if lacking >= 0 and _row_holds_group(items, group_of, start[r], mid[r], lacking):
            continue
        stamp[-1] += 1
        visit = stamp[-1]
        for p in range(start[r], mid[r]):
            g = group_of[items[p]]
            if g < 0 or last[g] == visit:
                continue
            last[g] = visit
            if count[g] == 0:
                seen[group_count] = g
                group_count += 1
            count[g] += weight[r]
    return group_count


# Which union of two groups is cheapest for a rare itemset, without a look at all groups.
#
# Groups beside which something stands are counted from rows. Of all others only the first of each size can be cheapest:
#
# order   : int32[n]   groups by ward, size, support and name, as they were when the order was made
# sizes   : int32[n]   their sizes then: a group that was united since has a larger one; empty where items have weights,
# for no order then holds beside all groups, and each is looked at
# supports: int64[n]   their supports then
# fresh   : int32[...] groups that were united since

THOROUGH, FOCUSED = 0, 1
UL, NCP = 0, 1


class GroupOrder(NamedTuple):
    """Groups in the order of what they cost; see the head of the file."""

    order: I4
    sizes: I4
    supports: I8


class Scratch(NamedTuple):
    """Room to count in: int64[items] all zero but for `last`, int32[items], int32[rows], int64[secrets].

    near, nearby, anchor : for one group, the anchor, the records that it shares with each group, kept as groups unite:
                           rare itemsets that follow each other mostly share their first group.
                           int64[items]; int32[items], the groups that share some; int64[2], the anchor (-1: none) and
                           how many stand in `nearby`
    fresh, freshly       : see the head of the file, each once; int64[1], how many there are
    is_fresh             : bool[items]
    """

    both: I8
    gain: I8
    last: I8
    seen: I4
    gained: I4
    rows: I4
    tally: I8
    near: I8
    nearby: I4
    anchor: I8
    fresh: I4
    freshly: I8
    is_fresh: B1


class BestUnion(NamedTuple):
    """The cheapest union so far: its price as tier, exponent and mantissa, the two groups, records with both."""

    tier: int
    exponent: int
    mantissa: float
    one: int
    other: int
    common: int


@njit_inner
def _forget_anchor(room: Scratch) -> None:
    """Have no anchor."""
    for j in range(room.anchor[1]):
        room.near[room.nearby[j]] = 0
    room.anchor[0], room.anchor[1] = -1, 0


@njit_inner
def _set_anchor(baskets: WeightedBaskets, groups: Groups, current: I4, n: int, room: Scratch) -> int:
    """Make the first group of an itemset the anchor, unless one of its groups is; return the anchor's place."""
    for i in range(n):
        if current[i] == room.anchor[0]:
            return i
    _forget_anchor(room)
    rows = _list_rows(groups, current[0], room.rows)
    room.anchor[1] = _count_cooccurring(
        baskets, groups, room.rows, rows, -1, room.near, room.nearby, room.last
    )
    room.anchor[0] = current[0]
    return 0


@njit_inner
def _update_anchor(
    baskets: WeightedBaskets, groups: Groups, a: int, b: int, both: int, room: Scratch
) -> None:
    """Keep what is known of the anchor true when b will become a part of a."""
    if not room.is_fresh[a]:
        room.is_fresh[a] = True
        room.fresh[room.freshly[0]] = a
        room.freshly[0] += 1
    p = room.anchor[0]
    if p < 0:
        return
    listed = room.anchor[1]
    if p == a or p == b:
        partner = a + b - p
        if groups.support[partner] > groups.support[p]:
            _forget_anchor(room)
            return
        rows = _list_rows(groups, partner, room.rows)
        room.anchor[1] += _count_cooccurring(
            baskets, groups, room.rows, rows, p, room.near, room.nearby[listed:], room.last
        )
        room.anchor[0] = a
        return
    shared_by_all = 0
    if both > 0 and room.near[a] > 0 and room.near[b] > 0:
        small = a if groups.support[a] < groups.support[b] else b
        start, mid, items, group_of = baskets.start, baskets.mid, baskets.items, groups.of
        for j in range(_list_rows(groups, small, room.rows)):
            r = room.rows[j]
            if _row_holds_group(items, group_of, start[r], mid[r], a + b - small) and _row_holds_group(
                items, group_of, start[r], mid[r], p
            ):
                shared_by_all += baskets.weight[r]
    if room.near[a] == 0 and room.near[b] > 0:
        room.nearby[listed] = a
        room.anchor[1] += 1
    room.near[a] += room.near[b] - shared_by_all
    room.near[b] = 0


@njit_inner
def _widen_int(number: int) -> int:
    """A number of 64 bits, as compiled code has it, whatever it had before."""
    return number + 0


@njit_inner
def _union_price(size: int, worth: float, support: int, loss: int) -> tuple[int, float]:
    """What a union would cost, as exponent and mantissa: 2^|g| overflows.

    UL: (2^|g| - 1) w sup(g).  NCP: |g| w sup(g).
    """
    paid = worth / size * support
    if paid == 0.0:
        return -ALL, 0.0
    if loss == NCP:
        mantissa, exponent = frexp(paid * size)
        return _widen_int(exponent), mantissa
    mantissa, exponent = frexp(paid * (1.0 - ldexp(1.0, -int(size))))
    return _widen_int(exponent) + _widen_int(size), mantissa


@njit_inner
def _cheaper_union(best: BestUnion, tier: int, e: int, m: float, a: int, b: int, both: int) -> BestUnion:
    """The better of two unions; of equal ones the group of the itemset that came first, then the smaller name."""
    if tier == best.tier:
        if e > best.exponent or (e == best.exponent and m > best.mantissa):
            return best
        if e == best.exponent and m == best.mantissa and (a != best.one or b > best.other):
            return best
    return BestUnion(_widen_int(tier), e, m, _widen_int(a), _widen_int(b), _widen_int(both))


@njit_inner
def _try_union(groups: Groups, best: BestUnion, a: int, b: int, both: int, tier: int, loss: int) -> BestUnion:
    """The better one of the best union and that of two groups."""
    if not groups.alive[b] or b == a or groups.ward[b] != groups.ward[a] or tier > best.tier:
        return best
    e, m = _union_price(
        groups.size[a] + groups.size[b],
        groups.worth[a] + groups.worth[b],
        groups.support[a] + groups.support[b] - both,
        loss,
    )
    return _cheaper_union(best, tier, e, m, a, b, both)


@njit_inner
def _choose_union(
    baskets: WeightedBaskets,
    groups: Groups,
    order: GroupOrder,
    current: I4,
    n: int,
    k: int,
    records: int,
    style: int,
    loss: int,
    room: Scratch,
) -> tuple[int, int, int]:
    """The cheapest union of a group of the itemset with any other: (the one, the other, records with both).

    THOROUGH looks at every group of the itemset, at unions that lift its support to k first, then at those that
    lift it at all. FOCUSED looks at its rarest group that may be united, and at nothing but the price.
    """
    _set_anchor(baskets, groups, current, n, room)
    best = BestUnion(ALL, 0, inf, -1, -1, 0)
    if style == THOROUGH and n > 1 and records < k:
        for i in range(n):
            best = _try_lifting_unions(baskets, groups, current, n, i, k, records, loss, best, room)
    if best.one < 0:  # no union lifts the support, or each does
        for i in range(n):
            a, tier = current[i], 0
            if style == FOCUSED:
                tier = groups.support[a]
            elif n > 1 and records < k:
                tier = 2
            if groups.ward[a] >= 0 and tier <= best.tier:
                enough = k - records if style == THOROUGH and n == 1 else 0
                best = _try_all_unions(baskets, groups, order, a, enough, tier, loss, best, room)
    return best.one, best.other, best.common


@njit_inner
def _try_lifting_unions(
    baskets: WeightedBaskets,
    groups: Groups,
    current: I4,
    n: int,
    i: int,
    k: int,
    records: int,
    loss: int,
    best: BestUnion,
    room: Scratch,
) -> BestUnion:
    """Look at unions of the i-th group that lift the itemset's support."""
    a = current[i]
    if groups.ward[a] < 0:
        return best
    anchored, neighbour_count = a == room.anchor[0], 0
    if not anchored:
        rows = _list_rows(groups, a, room.rows)
        neighbour_count = _count_cooccurring(
            baskets, groups, room.rows, rows, -1, room.both, room.seen, room.last
        )
    # What stands beside the anchor is known: only rows that hold both take from it.
    if n == 2 and not anchored:
        rows, _ = _list_holding_rows(baskets, groups, current, n, -1, ALL, room.rows)
        gain_count = _count_cooccurring(
            baskets, groups, room.rows, rows, -1, room.gain, room.gained, room.last
        )
        best = _try_anchor_unions(groups, a, k - records, loss, best, room)
    else:
        rows, _ = _list_holding_rows(baskets, groups, current, n, i, ALL, room.rows)
        gain_count = _count_cooccurring(
            baskets, groups, room.rows, rows, a, room.gain, room.gained, room.last
        )
        for j in range(gain_count):
            b = room.gained[j]
            both = room.near[b] if anchored else room.both[b]
            best = _try_union(groups, best, a, b, both, 0 if records + room.gain[b] >= k else 1, loss)
    for j in range(neighbour_count):
        room.both[room.seen[j]] = 0
    for j in range(gain_count):
        room.gain[room.gained[j]] = 0
    return best


@njit_inner
def _try_anchor_unions(
    groups: Groups, a: int, enough: int, loss: int, best: BestUnion, room: Scratch
) -> BestUnion:
    """Look at unions of a with what stands beside the anchor in rows without a: a loop over numbers, for it is long."""
    alive, wards, sizes = groups.alive, groups.ward, groups.size
    worths, supports = groups.worth, groups.support
    near, nearby, anchor, both, overlap = room.near, room.nearby, room.anchor, room.both, room.gain
    ward, size, worth, support = wards[a], sizes[a], worths[a], supports[a]
    kept_count = 0
    for j in range(anchor[1]):
        b = nearby[j]
        if not alive[b]:
            near[b] = 0
            continue
        nearby[kept_count] = b
        kept_count += 1
        gain = near[b] - overlap[b]
        tier = 0 if gain >= enough else 1
        if gain > 0 and tier <= best.tier and b != a and wards[b] == ward:
            e, m = _union_price(size + sizes[b], worth + worths[b], support + supports[b] - both[b], loss)
            best = _cheaper_union(best, tier, e, m, a, b, both[b])
    anchor[1] = kept_count
    return best


@njit_inner
def _try_all_unions(
    baskets: WeightedBaskets,
    groups: Groups,
    order: GroupOrder,
    a: int,
    enough: int,
    tier: int,
    loss: int,
    best: BestUnion,
    room: Scratch,
) -> BestUnion:
    """Look at every union of a group; those that bring less than `enough` records come later."""
    anchored, neighbour_count = a == room.anchor[0], 0
    if not anchored:
        rows = _list_rows(groups, a, room.rows)
        neighbour_count = _count_cooccurring(
            baskets, groups, room.rows, rows, -1, room.both, room.seen, room.last
        )
    both = room.near if anchored else room.both
    listed = room.nearby if anchored else room.seen
    for j in range(room.anchor[1] if anchored else neighbour_count):
        b = listed[j]
        best = _try_union(
            groups, best, a, b, both[b], tier + _tiers_later(groups.support[b] - both[b], enough), loss
        )
    best = _try_disjoint_unions(groups, order, a, enough, enough, tier, loss, best, both, room)
    if best.tier > tier and enough > 0:
        best = _try_disjoint_unions(groups, order, a, 0, enough, tier, loss, best, both, room)
    for j in range(neighbour_count):
        room.both[room.seen[j]] = 0
    return best


@njit_inner
def _tiers_later(gain: int, enough: int) -> int:
    """How many tiers a union comes later that brings so many records."""
    return 0 if gain >= enough else 1 if gain > 0 else 2


@njit_inner
def _try_disjoint_unions(
    groups: Groups,
    order: GroupOrder,
    a: int,
    least: int,
    enough: int,
    tier: int,
    loss: int,
    best: BestUnion,
    both: I8,
    room: Scratch,
) -> BestUnion:
    """Look at groups of at least so many records that share none with a: the first of each size is cheapest."""
    if len(order.sizes) == 0:
        return _try_each_union(
            groups, order.order, len(order.order), a, least, enough, tier, loss, best, both
        )
    best = _try_each_union(groups, room.fresh, room.freshly[0], a, least, enough, tier, loss, best, both)
    ward = groups.ward[a]
    start = _find_first(groups, order, ward, 0, 0)
    while start < len(order.order) and groups.ward[order.order[start]] == ward:
        size = order.sizes[start]
        j = _find_first(groups, order, ward, size, least)
        while j < len(order.order) and order.sizes[j] == size and groups.ward[order.order[j]] == ward:
            b = order.order[j]
            if groups.alive[b] and groups.size[b] == size and b != a and both[b] == 0:
                best = _try_union(groups, best, a, b, 0, tier + _tiers_later(groups.support[b], enough), loss)
                break
            j += 1
        start = _find_first(groups, order, ward, size + 1, 0)
    return best


@njit_inner
def _try_each_union(
    groups: Groups,
    listed: I4,
    n: int,
    a: int,
    least: int,
    enough: int,
    tier: int,
    loss: int,
    best: BestUnion,
    both: I8,
) -> BestUnion:
    """Look at each of n groups that share no record with a."""
    alive, wards, sizes = groups.alive, groups.ward, groups.size
    worths, supports = groups.worth, groups.support
    ward, size, worth, support = wards[a], sizes[a], worths[a], supports[a]
    for j in range(n):
        b = listed[j]
        if not alive[b] or b == a or both[b] > 0 or supports[b] < least or wards[b] != ward:
            continue
        late = tier + _tiers_later(supports[b], enough)
        if late <= best.tier:
            e, m = _union_price(size + sizes[b], worth + worths[b], support + supports[b], loss)
            best = _cheaper_union(best, late, e, m, a, b, 0)
    return best


@njit_inner
def _find_first(groups: Groups, order: GroupOrder, ward: int, size: int, support: int) -> int:
    """The place of the first group that is not before a ward, size and support."""
    names, sizes, supports, wards = order.order, order.sizes, order.supports, groups.ward
    low, high = 0, len(names)
    while low < high:
        middle = (low + high) // 2
        w, s = wards[names[middle]], sizes[middle]
        if w < ward or (w == ward and (s < size or (s == size and supports[middle] < support))):
            low = middle + 1
        else:
            high = middle
    return low


# Unite items into groups until no itemset of groups is rare: the cheapest union for each rare itemset.


@njit
def collect_rare(
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
    walk = start_walk(baskets, held, len(itemset), l, first, len(groups.alive))
    itemset_count = 0
    while itemset_count < len(supports):
        support = find_next_rare(baskets, held, k, l, last, groups.alive, itemset, walk)
        if support < 0:
            break
        for i in range(len(itemset)):
            itemsets[itemset_count, i] = itemset[i]
        supports[itemset_count] = support
        itemset_count += 1
    return itemset_count


@njit_inner
def _unite_groups(groups: Groups, a: int, b: int, both: int) -> None:
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


@njit_inner
def _list_groups(groups: Groups, itemset: I4, n: int, current: I4) -> int:
    """The groups that the first n of an itemset are in by now, each once and those left out dropped."""
    group_count = 0
    for i in range(n):
        g, new = groups.of[itemset[i]], True
        for j in range(group_count):
            new = new and current[j] != g
        if g >= 0 and new:
            current[group_count] = g
            group_count += 1
    return group_count


@njit_inner
def _suppress_group(groups: Groups, current: I4, n: int) -> int:
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
def repair_rare_itemsets(
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
        n = _list_groups(groups, itemsets[t], size, current)
        while n > 0:
            if n == 2 and not l:
                anchor_index = _set_anchor(baskets, groups, current, n, room)
                row_count = records = room.near[current[1 - anchor_index]]
            else:
                row_count, records = _list_holding_rows(
                    baskets, groups, current, n, -1, ALL if l else k, room.rows
                )
            if row_count == 0 or (
                records >= k and not (l and is_crowded(baskets, room.rows, row_count, l, records, room.tally))
            ):
                break
            a, b, both = _choose_union(baskets, groups, order, current, n, k, records, style, loss, room)
            if a >= 0:
                _update_anchor(baskets, groups, a, b, both, room)
                _unite_groups(groups, a, b, both)
            else:
                _forget_anchor(room)
                excess = _suppress_group(groups, current, n)
                if excess:
                    return steps, excess
            steps += 1
            n = _list_groups(groups, current, n, current)
    return steps, 0
