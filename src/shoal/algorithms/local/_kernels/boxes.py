"""For every tuple the box of hierarchy nodes that is cheapest to fill with k records, in one sweep over a lattice.

A *box* is one node per column; it holds the tuples whose values all lie below its nodes. At a node of the lattice the
equal tuples are the boxes of these levels. The walk is the one of `shoal.algorithms.lattice._kernels`: depth first,
each table rolled up from the one below it. On the way back every box learns the cheapest one that lies above it, and so
at last every tuple does.

tuples : int64[n]     the tuples to place, packed as `Ladder` says
counts : int64[n]     how many records each stands for
others : int64[3, s]  further records that may fill a box: packed tuple, how many, what each has paid, which falls
limit                 boxes that cost more are not looked at

A box of price p with u records to place, u < k, is filled with the k - u others in it that have paid most. Then each
of the u has to pay (k p - what those have paid) / u, rounded down. Where u >= k each of them pays p.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels import inner, njit, slot
from shoal.data.arrays import I8

__all__ = ["NONE", "Ladder", "cheapest_boxes", "sweep"]


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


@inner
def _wider(rows: I8, needed: int) -> I8:
    """The same rows with room for `needed` numbers in each."""
    if needed <= rows.shape[1]:
        return rows
    wide = np.empty((rows.shape[0], 2 * needed), dtype=np.int64)
    for r in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            wide[r, i] = rows[r, i]
    return wide


@inner
def _climb(
    rows: I8, a: int, m: int, n: int, j: int, level: int, k: int, limit: int, node: int, ladder: Ladder
) -> tuple[int, int]:
    """Roll up the `n` rows from `a` on, `m` boxes and then others, column `j` to `level`, behind themselves.

    Returns how many boxes and how many rows there are. Others that no box needs, at this node or above it, are left
    out: a box above it has at least as many records to place and needs no more.
    """
    size = 16
    while size < 2 * n:
        size *= 2
    slots, last = np.empty(size, dtype=np.int32), size - 1
    for q in range(size):
        slots[q] = -1
    keys, need, paid = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    shift, mask = ladder.shift[j], ladder.mask[j]
    at, under = ladder.at[j, level], ladder.at[j, max(level - 1, 0)]
    hole = ~(mask << shift)
    b, groups, found, kept = a + n, 0, 0, 0
    for i in range(a, a + n):
        if i == a + m:
            groups = kept = found
        place = (rows[_KEY, i] >> shift) & mask
        price = rows[_PRICE, i] + ladder.prices[at + place] - ladder.prices[under + place]
        rows[_TO, i] = -1
        if price > limit:
            continue
        key = (rows[_KEY, i] & hole) | (ladder.places[at + place] << shift)
        q = slot(key, last)
        g = slots[q]
        while g >= 0 and keys[g] != key:
            q = (q + 1) & last
            g = slots[q]
        if g < 0:
            g = slots[q] = found
            keys[g], need[g], paid[g] = key, k, 0
            found += 1
            if i < a + m:
                rows[_KEY, b + g], rows[_PRICE, b + g], rows[_COUNT, b + g] = key, price, 0
        if i < a + m:
            rows[_COUNT, b + g] += rows[_COUNT, i]
            need[g] -= rows[_COUNT, i]
            rows[_TO, i] = b + g
        elif need[g] > 0:
            taken = min(need[g], rows[_COUNT, i])
            need[g] -= taken
            paid[g] += taken * rows[_PAYS, i]
            rows[_KEY, b + kept], rows[_PRICE, b + kept] = key, price
            rows[_COUNT, b + kept], rows[_PAYS, b + kept] = taken, rows[_PAYS, i]
            kept += 1
    if m == n:
        groups = kept = found
    for g in range(groups):
        count, price = rows[_COUNT, b + g], rows[_PRICE, b + g]
        rows[_NODE, b + g], rows[_HOLDS, b + g], rows[_PAYS, b + g] = node, count, NONE
        if count >= k:
            rows[_PAYS, b + g] = price
        elif need[g] == 0:
            rows[_PAYS, b + g] = (k * price - paid[g]) // count
    return groups, kept


@inner
def _open_boxes(rows: I8, a: int, m: int, k: int) -> bool:
    """Whether any of the `m` boxes from `a` on holds fewer than k records to place: others above it may cost less."""
    for i in range(a, a + m):
        if rows[_COUNT, i] < k:
            return True
    return False


@inner
def _learn(rows: I8, a: int, m: int) -> None:
    """Let boxes take the cheapest box above them where it is cheaper; of equal ones the smaller node."""
    for i in range(a, a + m):
        t = rows[_TO, i]
        if t < 0 or rows[_PAYS, t] > rows[_PAYS, i]:
            continue
        if rows[_PAYS, t] < rows[_PAYS, i] or rows[_NODE, t] < rows[_NODE, i]:
            rows[_PAYS, i], rows[_NODE, i], rows[_HOLDS, i] = rows[_PAYS, t], rows[_NODE, t], rows[_HOLDS, t]


@njit
def sweep(rows: I8, path: I8, levels: I8, k: int, limit: int, ladder: Ladder, most: int, done: I8) -> I8:
    """Go over the lattice from the tuples and others that begin `rows`; return `rows`, in which they have learnt.

    path : int64[5, depth]  the way from the tuples to the present node: where the table of each step begins in `rows`,
                            how many boxes and how many rows it has, what was raised last, and what to raise next
    """
    d = len(ladder.top)
    depth, node, raising = (
        0,
        0,
        0,
    )  # the bottom of the lattice is rolled up from the tuples: nothing is raised
    while done[0] <= most:
        a, m, n = path[_START, depth], path[_BOXES, depth], path[_ROWS, depth]
        rows = _wider(rows, a + 2 * n)
        depth += 1
        path[_START, depth], path[_CAME, depth], path[_TURN, depth] = a + n, raising, raising
        j = ladder.order[raising]
        groups, kept = _climb(rows, a, m, n, j, levels[j], k, limit, node, ladder)
        path[_BOXES, depth], path[_ROWS, depth] = groups, kept
        done[0] += n
        if not _open_boxes(rows, a + n, groups, k):
            path[_TURN, depth] = d
        p = _next(path, depth, levels, ladder)
        while p == d:
            _learn(rows, path[_START, depth - 1], path[_BOXES, depth - 1])
            if depth == 1:
                return rows
            j = ladder.order[path[_CAME, depth]]
            levels[j] -= 1
            node -= ladder.stride[j]
            depth -= 1
            p = _next(path, depth, levels, ladder)
        path[_TURN, depth], raising = p + 1, p
        levels[ladder.order[p]] += 1
        node += ladder.stride[ladder.order[p]]
    return rows


@inner
def _next(path: I8, depth: int, levels: I8, ladder: Ladder) -> int:
    """The place in `ladder.order` of the column to raise next from this depth; d where there is none."""
    p = path[_TURN, depth]
    while p < len(levels) and levels[ladder.order[p]] == ladder.top[ladder.order[p]]:
        p += 1
    return int(p)


def cheapest_boxes(
    tuples: I8, counts: I8, others: I8, k: int, limit: int, ladder: Ladder, most: int, done: I8
) -> tuple[I8, I8, I8]:
    """For each tuple what it pays in its cheapest box, that box's node, and how many records to place the box holds.

    `done`, int64[1], shows how many boxes and others were rolled up; beyond `most` the sweep stops, unfinished.
    """
    m, n = len(tuples), len(tuples) + others.shape[1]
    rows = np.empty((7, 4 * n), dtype=np.int64)
    rows[_KEY, :n], rows[_COUNT, :n] = np.r_[tuples, others[0]], np.r_[counts, others[1]]
    place = (rows[_KEY, :n, None] >> ladder.shift & ladder.mask) + ladder.at[:, 0]
    rows[_PRICE, :n] = ladder.prices[place].sum(axis=1)
    rows[_PAYS, :m], rows[_PAYS, m:n], rows[_NODE, :m] = NONE, others[2], NONE
    path, levels = np.zeros((5, int(ladder.top.sum()) + 2), dtype=np.int64), np.zeros_like(ladder.top)
    path[_BOXES, 0], path[_ROWS, 0] = m, n
    rows = sweep(rows, path, levels, k, limit, ladder, most, done)
    return rows[_PAYS, :m], rows[_NODE, :m], rows[_HOLDS, :m]
