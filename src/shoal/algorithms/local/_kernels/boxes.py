"""Boxes, of one extent per column: the cheapest to fill with k records, and those that are cut by what is public."""

from typing import NamedTuple

import numpy as np

from shoal._kernels import copy_into, hash_slot, njit, njit_inner
from shoal.algorithms._kernels import empty_slots
from shoal.data.arrays import F8, I4, I8

__all__ = [
    "ALONE",
    "NONE",
    "Ladder",
    "Policy",
    "PublicShares",
    "Regions",
    "cheapest_boxes",
    "cut_regions",
    "sweep",
]


# For every tuple the box of hierarchy nodes that is cheapest to fill with k records, in one sweep over a lattice.
#
# A *box* is one node per column; it holds the tuples whose values all lie below its nodes. At a node of the lattice the
# equal tuples are the boxes of these levels. The walk is the one of `shoal.algorithms.lattice._kernels`: depth first,
# each table rolled up from the one below it. On the way back every box learns the cheapest one that lies above it, and
# so at last every tuple does.
#
# tuples : int64[n]     the tuples to place, packed as `Ladder` says
# counts : int64[n]     how many records each stands for
# others : int64[3, s]  further records that may fill a box: packed tuple, how many, what each has paid, which falls
# limit                 boxes that cost more are not looked at
#
# A box of price p with u records to place, u < k, is filled with the k - u others in it that have paid most. Then each
# of the u has to pay (k p - what those have paid) / u, rounded down. Where u >= k each of them pays p.

NONE = 1 << 62
"""What a tuple pays that no box can be filled for."""

_KEY, _PRICE, _COUNT, _PAYS, _NODE, _HOLDS, _TO = range(7)
_START, _BOXES, _ROWS, _CAME, _TURN = range(5)


class Ladder(NamedTuple):
    """Where columns lie in a packed tuple, and what each level of them makes of a value and costs.

    shift, mask : int64[d]   column j is (tuple >> shift[j]) & mask[j]: a *place*, the first of its node's values
    at     : int64[d, levels]   where column j's tables of a level begin in `places` and `prices`
    places : int64[...]      the place of a value at that level
    prices : int64[...]      its price at that level
    top    : int64[d]        the highest level of each column
    stride : int64[d]        a node's number is sum(levels * stride)
    order  : int64[d]        columns, the one raised in the outermost loop first
    """

    shift: I8
    mask: I8
    at: I8
    places: I8
    prices: I8
    top: I8
    stride: I8
    order: I8


@njit_inner
def _widen_rows(rows: I8, needed: int) -> I8:
    """The same rows with room for `needed` numbers in each."""
    if needed <= rows.shape[1]:
        return rows
    widened_rows = np.empty((rows.shape[0], 2 * needed), dtype=np.int64)
    for r in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            widened_rows[r, i] = rows[r, i]
    return widened_rows


@njit_inner
def _collect_needy(rows: I8, a: int, m: int, k: int, fixed: int) -> I4:
    """A hash table of the `m` boxes from `a` on that need further records, one for each key in the bits of `fixed`."""
    slots = empty_slots(m)
    for i in range(a, a + m):
        if rows[_COUNT, i] < k:
            slots[_find_needy(rows, a, slots, rows[_KEY, i] & fixed, fixed)] = i - a
    return slots


@njit_inner
def _find_needy(rows: I8, a: int, slots: I4, key: int, fixed: int) -> int:
    """The slot of the box from `a` on that has a key in the bits of `fixed`, or the empty one where it would be."""
    slot_mask = len(slots) - 1
    slot = hash_slot(key, slot_mask)
    while slots[slot] >= 0 and rows[_KEY, a + slots[slot]] & fixed != key:
        slot = (slot + 1) & slot_mask
    return slot


@njit_inner
def _roll_up(
    rows: I8,
    a: int,
    m: int,
    n: int,
    j: int,
    level: int,
    k: int,
    limit: int,
    node: int,
    fixed: int,
    ladder: Ladder,
) -> tuple[int, int]:
    """Roll up the `n` rows from `a` on, `m` boxes and then others, column `j` to `level`, behind themselves.

    Returns how many boxes and how many rows there are. Others that no box needs, at this node or above it, are left
    out: a box above it has at least as many records to place and needs no more; and where columns are not raised any
    more, whose bits are `fixed`, an other must agree in them with a box that needs some.
    """
    slots = empty_slots(n)
    slot_mask = len(slots) - 1
    keys, missing_counts, paid_sums = (
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
    )
    shift, mask = ladder.shift[j], ladder.mask[j]
    level_start, lower_start = ladder.at[j, level], ladder.at[j, max(level - 1, 0)]
    other_columns = ~(mask << shift)
    first_new, box_count, group_count, row_count = a + n, 0, 0, 0
    is_narrowed = False
    needy = slots[:0]
    for i in range(a, a + n):
        if i == a + m:
            box_count = row_count = group_count
            is_narrowed = fixed != 0 and n - m > box_count
            if is_narrowed:
                needy = _collect_needy(rows, first_new, box_count, k, fixed)
        value = (rows[_KEY, i] >> shift) & mask
        price = rows[_PRICE, i] + ladder.prices[level_start + value] - ladder.prices[lower_start + value]
        rows[_TO, i] = -1
        if price > limit:
            continue
        key = (rows[_KEY, i] & other_columns) | (ladder.places[level_start + value] << shift)
        if is_narrowed and needy[_find_needy(rows, first_new, needy, key & fixed, fixed)] < 0:
            continue
        slot = hash_slot(key, slot_mask)
        g = slots[slot]
        while g >= 0 and keys[g] != key:
            slot = (slot + 1) & slot_mask
            g = slots[slot]
        if g < 0:
            g = slots[slot] = group_count
            keys[g], missing_counts[g], paid_sums[g] = key, k, 0
            group_count += 1
            if i < a + m:
                rows[_KEY, first_new + g], rows[_PRICE, first_new + g], rows[_COUNT, first_new + g] = (
                    key,
                    price,
                    0,
                )
        if i < a + m:
            rows[_COUNT, first_new + g] += rows[_COUNT, i]
            missing_counts[g] -= rows[_COUNT, i]
            rows[_TO, i] = first_new + g
        elif missing_counts[g] > 0:
            fill_count = min(missing_counts[g], rows[_COUNT, i])
            missing_counts[g] -= fill_count
            paid_sums[g] += fill_count * rows[_PAYS, i]
            rows[_KEY, first_new + row_count], rows[_PRICE, first_new + row_count] = key, price
            rows[_COUNT, first_new + row_count], rows[_PAYS, first_new + row_count] = (
                fill_count,
                rows[_PAYS, i],
            )
            row_count += 1
    if m == n:
        box_count = row_count = group_count
    for g in range(box_count):
        count, price = rows[_COUNT, first_new + g], rows[_PRICE, first_new + g]
        rows[_NODE, first_new + g], rows[_HOLDS, first_new + g], rows[_PAYS, first_new + g] = (
            node,
            count,
            NONE,
        )
        if count >= k:
            rows[_PAYS, first_new + g] = price
        elif missing_counts[g] == 0:
            rows[_PAYS, first_new + g] = (k * price - paid_sums[g]) // count
    return box_count, row_count


@njit_inner
def _has_open_box(rows: I8, a: int, m: int, k: int) -> bool:
    """Whether any of the `m` boxes from `a` on holds fewer than k records to place: others above it may cost less."""
    for i in range(a, a + m):
        if rows[_COUNT, i] < k:
            return True
    return False


@njit_inner
def _adopt_cheaper_boxes(rows: I8, a: int, m: int) -> None:
    """Let boxes take the cheapest box above them where it is cheaper; of equal ones the smaller node."""
    for i in range(a, a + m):
        target = rows[_TO, i]
        if target < 0 or rows[_PAYS, target] > rows[_PAYS, i]:
            continue
        if rows[_PAYS, target] < rows[_PAYS, i] or rows[_NODE, target] < rows[_NODE, i]:
            rows[_PAYS, i], rows[_NODE, i], rows[_HOLDS, i] = (
                rows[_PAYS, target],
                rows[_NODE, target],
                rows[_HOLDS, target],
            )


@njit
def sweep(rows: I8, path: I8, levels: I8, k: int, limit: int, ladder: Ladder, most: int, done: I8) -> I8:
    """Go over the lattice from the tuples and others that begin `rows`; return `rows`, in which they have learnt.

    path : int64[5, depth]  the way from the tuples to the present node: where the table of each step begins in `rows`,
                            how many boxes and how many rows it has, what was raised last, and what to raise next
    """
    d = len(ladder.top)
    # The bottom of the lattice is rolled up from the tuples: nothing is raised.
    depth, node, raise_position = 0, 0, 0
    fixed = np.zeros(d, dtype=np.int64)  # by position, the bits of the columns before it
    for position in range(1, d):
        before = ladder.order[position - 1]
        fixed[position] = fixed[position - 1] | (ladder.mask[before] << ladder.shift[before])
    while done[0] <= most:
        a, m, n = path[_START, depth], path[_BOXES, depth], path[_ROWS, depth]
        rows = _widen_rows(rows, a + 2 * n)
        depth += 1
        path[_START, depth], path[_CAME, depth], path[_TURN, depth] = a + n, raise_position, raise_position
        j = ladder.order[raise_position]
        box_count, row_count = _roll_up(
            rows, a, m, n, j, levels[j], k, limit, node, fixed[raise_position], ladder
        )
        path[_BOXES, depth], path[_ROWS, depth] = box_count, row_count
        done[0] += n
        if not _has_open_box(rows, a + n, box_count, k):
            path[_TURN, depth] = d
        position = _next_raise(path, depth, levels, ladder)
        while position == d:
            _adopt_cheaper_boxes(rows, path[_START, depth - 1], path[_BOXES, depth - 1])
            if depth == 1:
                return rows
            j = ladder.order[path[_CAME, depth]]
            levels[j] -= 1
            node -= ladder.stride[j]
            depth -= 1
            position = _next_raise(path, depth, levels, ladder)
        path[_TURN, depth], raise_position = position + 1, position
        levels[ladder.order[position]] += 1
        node += ladder.stride[ladder.order[position]]
    return rows


@njit_inner
def _next_raise(path: I8, depth: int, levels: I8, ladder: Ladder) -> int:
    """The place in `ladder.order` of the column to raise next from this depth; d where there is none."""
    position = path[_TURN, depth]
    while position < len(levels) and levels[ladder.order[position]] == ladder.top[ladder.order[position]]:
        position += 1
    return int(position)


def cheapest_boxes(
    tuples: I8, counts: I8, others: I8, k: int, limit: int, ladder: Ladder, most: int, done: I8
) -> tuple[I8, I8, I8]:
    """For each tuple what it pays in its cheapest box, that box's node, and how many records to place the box holds.

    `done`, int64[1], shows how many boxes and others were rolled up; beyond `most` the sweep stops, unfinished.
    """
    m, n = len(tuples), len(tuples) + others.shape[1]
    rows = np.empty((7, 4 * n), dtype=np.int64)
    rows[_KEY, :n], rows[_COUNT, :n] = np.r_[tuples, others[0]], np.r_[counts, others[1]]
    entries = (rows[_KEY, :n, None] >> ladder.shift & ladder.mask) + ladder.at[:, 0]
    rows[_PRICE, :n] = ladder.prices[entries].sum(axis=1)
    rows[_PAYS, :m], rows[_PAYS, m:n], rows[_NODE, :m] = NONE, others[2], NONE
    path, levels = np.zeros((5, int(ladder.top.sum()) + 2), dtype=np.int64), np.zeros_like(ladder.top)
    path[_BOXES, 0], path[_ROWS, 0] = m, n
    rows = sweep(rows, path, levels, k, limit, ladder, most, done)
    return rows[_PAYS, :m], rows[_NODE, :m], rows[_HOLDS, :m]


# Cut a table into boxes by what is public: a box's own count, k, and how people are spread over values elsewhere.
#
# A *box* is here a run of leaves per column. Whether and where it is cut is decided from the number of people in it and
# public shares alone. Where its people are inside it decides nothing, and how many of them fall into each piece decides
# only which pieces are left out, being below k.


ALONE = 1 << 20
"""More levels than any hierarchy has: what lies beside such a leaf is cut off before anything else."""


class PublicShares(NamedTuple):
    """What is known of such people from elsewhere, and how columns may be cut.

    at     : int64[d + 1]   the leaves of column j are at[j] : at[j + 1] of the arrays below
    share  : float64[...]   the share of the people who have each leaf
    apart  : int64[...]     on how many levels each leaf lies in another node than the leaf before it
    people : int32[m, d]    some such people, as leaf codes; may be none, and then columns are taken as independent
    """

    at: I8
    share: F8
    apart: I8
    people: I4


class Policy(NamedTuple):
    """How eagerly boxes are cut.

    k       : people that each published box holds
    anywhere : 1 where a cut may lie between any two leaves, 0 where a node is cut into all of its children
    price   : float64[d]    the share of each column in the loss
    spread  : how much a cut that spreads people over many pieces is avoided; the power of its entropy
    fear    : what a person who is left out counts
    """

    k: int
    anywhere: int
    price: F8
    spread: float
    fear: float


class Regions(NamedTuple):
    """The boxes that are published.

    of        : int64[n]      the box of each record; -1 where it is left out
    low, high : int64[boxes, d]   its leaves, `high` excluded
    """

    of: I8
    low: I8
    high: I8


_PRIOR = 20.0  # people of the whole that join those of a box, where there are few public ones


@njit_inner
def _expect_left_out(n: int, q: float, k: int) -> float:
    """How many of n people are expected in a piece of the share q and there left out, for fewer than k are."""
    if q <= 0.0:
        return 0.0
    if q >= 1.0:
        return float(n) if n < k else 0.0
    mean = n * q
    if mean > k + 8.0 * np.sqrt(mean + 1.0) + 8.0:
        return 0.0
    # E[N; N < k] = n q P(N' <= k - 2), where N' counts n - 1 people.
    odds = q / (1.0 - q)
    log = (n - 1) * np.log1p(-q)
    total = 0.0
    for i in range(min(k - 1, n)):
        if i > 0:
            log += np.log(odds * (n - i) / i)
        total += np.exp(log)
    return mean * min(total, 1.0)


@njit_inner
def _entropy(q: float) -> float:
    return -q * np.log2(q) if q > 0.0 else 0.0


@njit_inner
def _relative_width(leaves: int, size: int) -> float:
    return 0.0 if leaves <= 1 else leaves / size


@njit
def cut_regions(codes: I4, who: I8, shares: PublicShares, policy: Policy, done: I8) -> Regions:
    """Cut the box of all leaves, and every piece of it that holds k people, until no cut is worth its price.

    Parameters
    ----------
    codes
        int32[n, d]: leaf codes; one beyond a column's last leaf stands for any of them, and is left out by every cut.
    who
        int64[n]: whom each record belongs to, numbered from 0; empty where every record is a person.
    shares, policy
        What is public.
    done
        int64[1]: how many records are settled.
    """
    n, d = codes.shape
    k, leaf_start, people = policy.k, shares.at, shares.people
    size, widest = np.empty(d, dtype=np.int64), 0
    for j in range(d):
        size[j] = leaf_start[j + 1] - leaf_start[j]
        widest = max(widest, size[j])
    capacity = n // k + 2
    box_of_record = np.full(n, -1, dtype=np.int64)
    rows, public = np.arange(n), np.arange(len(people))
    spare, public_spare = np.empty(n, dtype=np.int64), np.empty(len(people), dtype=np.int64)
    low, high = np.empty((capacity, d), dtype=np.int64), np.empty((capacity, d), dtype=np.int64)  # published
    # Where the records and the public people of a box begin and end.
    todo = np.empty((capacity, 4), dtype=np.int64)
    todo_low, todo_high = np.zeros((capacity, d), dtype=np.int64), np.empty((capacity, d), dtype=np.int64)
    _push_box(todo, 0, 0, n, 0, len(people))
    copy_into(todo_high[0], 0, size)
    box_low, box_high = np.empty(d, dtype=np.int64), np.empty(d, dtype=np.int64)
    todo_count, boxes = 1, 0
    piece = np.empty(widest + 1, dtype=np.int64)  # of each leaf of the column that is cut, and of no leaf
    cumulated = np.empty(widest + 1)
    starts, public_starts = np.empty(widest + 2, dtype=np.int64), np.empty(widest + 2, dtype=np.int64)
    stamp = np.full(_count_person_ids(who), -1, dtype=np.int64)
    while todo_count > 0:
        todo_count -= 1
        first, last, public_first, public_last = (
            todo[todo_count, 0],
            todo[todo_count, 1],
            todo[todo_count, 2],
            todo[todo_count, 3],
        )
        copy_into(box_low, 0, todo_low[todo_count])
        copy_into(box_high, 0, todo_high[todo_count])
        person_count = _count_persons(rows[first:last], who, stamp)
        if person_count < k:
            done[0] += last - first
            continue
        public_inside = public[public_first:public_last]
        column, cut = _find_best_cut(
            box_low, box_high, size, person_count, shares, policy, public_inside, cumulated
        )
        if column < 0:
            for i in range(first, last):
                box_of_record[rows[i]] = boxes
            copy_into(low[boxes], 0, box_low)
            copy_into(high[boxes], 0, box_high)
            boxes += 1
            done[0] += last - first
            continue
        a, b = box_low[column], box_high[column]
        pieces = _number_pieces(a, b, leaf_start[column], cut, shares.apart, policy.anywhere, piece)
        _sort_by_piece(rows, spare, first, last, codes, column, a, piece, pieces, starts)
        _sort_by_piece(
            public, public_spare, public_first, public_last, people, column, a, piece, pieces, public_starts
        )
        done[0] += last - starts[pieces]  # cells that stand for any leaf
        begin = a
        for p in range(pieces):
            end = begin
            while end < b and piece[end - a] == p:
                end += 1
            if starts[p + 1] - starts[p] >= k:
                _push_box(todo, todo_count, starts[p], starts[p + 1], public_starts[p], public_starts[p + 1])
                copy_into(todo_low[todo_count], 0, box_low)
                copy_into(todo_high[todo_count], 0, box_high)
                todo_low[todo_count, column], todo_high[todo_count, column] = begin, end
                todo_count += 1
            else:
                done[0] += starts[p + 1] - starts[p]
            begin = end
    return Regions(box_of_record, low[:boxes].copy(), high[:boxes].copy())


@njit_inner
def _push_box(todo: I8, at: int, first: int, last: int, public_first: int, public_last: int) -> None:
    todo[at, 0], todo[at, 1], todo[at, 2], todo[at, 3] = first, last, public_first, public_last


@njit_inner
def _count_person_ids(who: I8) -> int:
    size = 0
    for i in range(len(who)):
        size = max(size, who[i] + 1)
    return size


@njit_inner
def _count_persons(rows: I8, who: I8, stamp: I8) -> int:
    """How many persons the rows belong to; `stamp` names, for each, the row it was counted in."""
    if not len(who):
        return len(rows)
    count = 0
    for i in range(len(rows)):
        stamp[who[rows[i]]] = -1
    for i in range(len(rows)):
        if stamp[who[rows[i]]] < 0:
            stamp[who[rows[i]]] = i
            count += 1
    return count


@njit_inner
def _largest_separation(a: int, b: int, at: int, apart: I8) -> int:
    largest = 0
    for x in range(a + 1, b):
        largest = max(largest, apart[at + x])
    return largest


@njit_inner
def _find_best_cut(
    box_low: I8,
    box_high: I8,
    size: I8,
    heads: int,
    shares: PublicShares,
    policy: Policy,
    public: I8,
    cumulated: F8,
) -> tuple[int, int]:
    """The column that is best cut and, where a cut may lie anywhere, its leaf; the column is -1 where none is."""
    k, leaf_start, anywhere = policy.k, shares.at, policy.anywhere
    box_loss = 0.0
    for j in range(len(size)):
        box_loss += policy.price[j] * _relative_width(box_high[j] - box_low[j], size[j])
    best, column, cut = 0.0, -1, 0
    for j in range(len(size)):
        a, b = box_low[j], box_high[j]
        if b - a < 2:
            continue
        _cumulate_shares(cumulated, a, b, j, shares, public)
        separation = _largest_separation(a, b, leaf_start[j], shares.apart)
        other_loss = box_loss - policy.price[j] * _relative_width(b - a, size[j])
        gain, bits, begin = 0.0, 0.0, a
        for x in range(a + 1, b + 1):
            if x < b and shares.apart[leaf_start[j] + x] < (
                separation if separation >= ALONE or not anywhere else 0
            ):
                continue
            if anywhere:
                if x == b:
                    break
                gain, bits, begin = 0.0, 0.0, a
            for side in range(2 if anywhere else 1):
                end = b if side else x
                q = cumulated[end - a] - cumulated[begin - a]
                piece_loss = other_loss + policy.price[j] * _relative_width(end - begin, size[j])
                gain += heads * q * (box_loss - piece_loss) - policy.fear * _expect_left_out(heads, q, k) * (
                    1.0 - piece_loss
                )
                bits += _entropy(q)
                begin = end
            if (anywhere or x == b) and gain > 0.0:
                score = gain / max(bits, 1e-3) ** policy.spread
                if score > best:
                    best, column, cut = score, j, x
    return column, cut


@njit_inner
def _number_pieces(a: int, b: int, at: int, cut: int, apart: I8, anywhere: int, piece: I8) -> int:
    """Write which piece each leaf from a to b is in, and beyond them none; return how many pieces there are."""
    separation, pieces = _largest_separation(a, b, at, apart), 0
    for x in range(a, b):
        if x > a and (x == cut if anywhere else apart[at + x] == separation):
            pieces += 1
        piece[x - a] = pieces
    piece[b - a] = pieces + 1
    return pieces + 1


@njit_inner
def _cumulate_shares(cumulated: F8, a: int, b: int, j: int, shares: PublicShares, public: I8) -> None:
    """The shares of a box's leaves a to b of column j, summed from a on."""
    leaf_start = shares.at[j]
    total = 0.0
    for x in range(a, b):
        total += shares.share[leaf_start + x]
    for x in range(b - a + 1):
        cumulated[x] = 0.0
    person_count = 0
    for i in range(len(public)):
        x = shares.people[public[i], j]
        if a <= x < b:
            cumulated[x - a + 1] += 1.0
            person_count += 1
    for x in range(a, b):
        leaf_share = shares.share[leaf_start + x] / total
        if len(public):
            leaf_share = (cumulated[x - a + 1] + _PRIOR * leaf_share) / (person_count + _PRIOR)
        cumulated[x - a + 1] = cumulated[x - a] + leaf_share


@njit_inner
def _sort_by_piece(
    rows: I8,
    spare: I8,
    first: int,
    last: int,
    codes: I4,
    column: int,
    a: int,
    piece: I8,
    pieces: int,
    starts: I8,
) -> None:
    """Sort rows[first:last] by the piece their leaf is in; piece p begins at starts[p], rows in none come last."""
    for p in range(pieces + 2):
        starts[p] = 0
    for i in range(first, last):
        starts[piece[codes[rows[i], column] - a] + 1] += 1
    starts[0] = first
    for p in range(pieces + 1):
        starts[p + 1] += starts[p]
    for i in range(first, last):
        p = piece[codes[rows[i], column] - a]
        spare[starts[p]] = rows[i]
        starts[p] += 1
    for i in range(first, last):
        rows[i] = spare[i]
    for p in range(pieces, 0, -1):
        starts[p] = starts[p - 1]
    starts[0] = first
