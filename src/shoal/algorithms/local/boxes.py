"""Boxes: close boxes of hierarchy nodes by rising cost, each with at least k records.

A box is closed as soon as it is the cheapest one for all that are free in it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from shoal.algorithms._kernels import NEVER
from shoal.algorithms.constraint import OverallCounts, keeps_average
from shoal.algorithms.knobs import Share
from shoal.algorithms.local._kernels.boxes import Ladder, cheapest_boxes
from shoal.algorithms.local._kernels.clustering import class_costs
from shoal.algorithms.local.column_prices import SCALE, count_lost_leaves, proportional_levels, shares_of
from shoal.algorithms.local.local_table import Partition, prepare_classes
from shoal.base.progress import Progress, Tell, no_progress, start_step
from shoal.data import Table
from shoal.data.arrays import F8, I4, I8, count_codes
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Claim, Recoded, Result

__all__ = [
    "_BITS",
    "Axis",
    "Filling",
    "PriceRung",
    "SpareRecords",
    "_boxes_at_node",
    "_build_ladder",
    "_bundle_axes",
    "boxes",
    "build_axes",
    "group_levels",
    "loss_floor",
]


_BITS = 62
"""What the tuples of a ladder may take."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One column, or several that climb together, over the distinct values that occur.

    of     : int64[n]          each row's value
    places : int64[levels, v]  each value's node on each level, as the first value in it
    prices : int64[levels, v]  what it costs there, rounded down
    """

    of: I8
    places: I8
    prices: I8

    @property
    def top(self) -> int:
        """The highest level."""
        return len(self.places) - 1

    @property
    def bits(self) -> int:
        """What a value takes in a packed tuple."""
        return max(int(self.places[0].max()).bit_length(), 1)


def build_axes(hierarchies: Sequence[Hierarchy], leaves: I4, shares: F8) -> list[Axis]:
    """Every column by itself.

    Parameters
    ----------
    hierarchies
        The hierarchy of each column.
    leaves
        int32[n, d]: the rows as leaf codes.
    shares
        float64[d]: the weight of each column in the loss; their sum is 1.
    """
    axes = []
    for hierarchy, column, share in zip(hierarchies, leaves.T, shares.tolist(), strict=True):
        codes, value_of_row = np.unique(column, return_inverse=True)
        prices = np.floor(SCALE * share * count_lost_leaves(hierarchy, codes) / hierarchy.size).astype(
            np.int64
        )
        axes.append(_drop_redundant_levels(value_of_row, hierarchy.up[codes].T.astype(np.int64), prices))
    return axes


def _bundle_axes(axes: Sequence[Axis], many: int) -> list[Axis]:
    """Axes of `many` columns each, which climb together."""
    return [_combine_axes(axes[begin : begin + many]) for begin in range(0, len(axes), many)]


def _drop_idle_levels(axis: Axis) -> Axis:
    """Without levels that join no two values that occur: a box of the level below holds the same records for less."""
    kept_levels = [0]
    for level in range(1, len(axis.places)):
        if (axis.places[level] != axis.places[kept_levels[-1]]).any():
            kept_levels.append(level)
    return Axis(axis.of, axis.places[kept_levels], axis.prices[kept_levels])


def _combine_axes(axes: Sequence[Axis]) -> Axis:
    if len(axes) == 1:
        return axes[0]
    rows, value_of_row = np.unique(np.stack([axis.of for axis in axes]), axis=1, return_inverse=True)
    nodes, prices = [], []
    for levels in proportional_levels([axis.top for axis in axes]):
        level_nodes = [axis.places[level, row] for axis, level, row in zip(axes, levels, rows, strict=True)]
        nodes.append(np.unique(np.stack(level_nodes), axis=1, return_inverse=True)[1].reshape(-1))
        prices.append(
            sum(axis.prices[level, row] for axis, level, row in zip(axes, levels, rows, strict=True))
        )
    return _drop_redundant_levels(value_of_row.reshape(-1), np.array(nodes), np.array(prices))


def _drop_redundant_levels(of: I8, nodes: I8, prices: I8) -> Axis:
    """Without levels that cost what the next one does: a box of the next one holds as many records or more."""
    kept_levels = [
        level
        for level in range(len(nodes))
        if level + 1 == len(nodes) or (prices[level] < prices[level + 1]).any()
    ]
    places = np.empty((len(kept_levels), nodes.shape[1]), dtype=np.int64)
    for row, level in enumerate(kept_levels):
        _, first, group = np.unique(nodes[level], return_index=True, return_inverse=True)
        places[row] = first[group.reshape(-1)]
    return Axis(places[0][of.reshape(-1)], places, prices[kept_levels])


class PriceRung(NamedTuple):
    """Levels of similar price as one: nodes on the lowest and on the highest, and what the lowest cost."""

    low: I8
    high: I8
    price: F8


def group_levels(places: I8, prices: F8, near: float) -> list[PriceRung]:
    """Runs of levels whose prices differ by at most `near`; `places` and `prices` have a row for each level."""
    rungs, first = [], 0
    for level in range(1, len(places) + 1):
        if level == len(places) or (prices[level] - prices[first]).max() > near:
            rungs.append(PriceRung(places[first], places[level - 1], prices[first]))
            first = level
    return rungs


def _build_ladder(axes: Sequence[Axis]) -> tuple[I8, Ladder]:
    """All rows as packed tuples, and the ladder of the axes; they may take `_BITS` together."""
    bits = np.array([axis.bits for axis in axes], dtype=np.int64)
    shift = np.cumsum(bits) - bits
    tuples = sum((axis.of << int(offset) for axis, offset in zip(axes, shift, strict=True)), np.int64(0))
    top = np.array([axis.top for axis in axes], dtype=np.int64)
    level_starts = np.zeros((len(axes), int(top.max()) + 1), dtype=np.int64)
    entry_count = 0
    for j, axis in enumerate(axes):
        level_starts[j] = (
            entry_count + np.minimum(np.arange(level_starts.shape[1]), axis.top) * axis.places.shape[1]
        )
        entry_count += axis.places.size
    stride = np.array([prod((top[j + 1 :] + 1).tolist()) for j in range(len(axes))], dtype=np.int64)
    places = np.concatenate([axis.places.ravel() for axis in axes])
    prices = np.concatenate([axis.prices.ravel() for axis in axes])
    order = np.argsort(-bits, kind="stable")
    return np.asarray(tuples), Ladder(
        shift, (1 << bits) - 1, level_starts, places, prices, top, stride, order
    )


def _boxes_at_node(tuples: I8, node: I8, ladder: Ladder) -> tuple[I8, I8]:
    """Each tuple's box at its own node of the lattice, packed, and the price of the box."""
    boxes, prices = np.zeros_like(tuples), np.zeros_like(tuples)
    for j in range(len(ladder.top)):
        level = node // ladder.stride[j] % (ladder.top[j] + 1)
        entries = ladder.at[j, level] + ((tuples >> ladder.shift[j]) & ladder.mask[j])
        boxes |= ladder.places[entries] << ladder.shift[j]
        prices += ladder.prices[entries]
    return boxes, prices


def _find_agreed_boxes(
    tuples: I8, counts: I8, found: tuple[I8, I8, I8], limit: int, ladder: Ladder
) -> tuple[I8, I8]:
    """The boxes that are the cheapest one for all tuples in them, and cost each of them at most `limit`.

    Where boxes are closed by rising cost, nothing that comes before such a box touches it: all of them are next.

    Parameters
    ----------
    tuples, counts, found
        What `cheapest_boxes` was asked about, and what it found.
    limit
        The limit it was given.
    ladder
        The columns.

    Returns
    -------
    places, starts
        Box b holds the tuples places[starts[b] : starts[b + 1]].
    """
    pays, node, holds = found
    entries = np.flatnonzero(pays <= limit)
    boxes, _ = _boxes_at_node(tuples[entries], node[entries], ladder)
    order = np.lexsort((boxes, node[entries]))
    entries, boxes = entries[order], boxes[order]
    is_first = np.ones(len(entries), dtype=bool)
    is_first[1:] = (np.diff(boxes) != 0) | (np.diff(node[entries]) != 0)
    box = np.cumsum(is_first) - 1
    is_complete = np.bincount(box, weights=counts[entries])[box] == holds[entries]
    starts = np.r_[np.flatnonzero(is_first[is_complete]), is_complete.sum()]
    return entries[is_complete], starts.astype(np.int64)


_NO_END = 1 << 62


class Filling:
    """Tuples that are free, and classes that hold the others. A *piece* is so many records of one tuple in one class.

    counts : int64[m]         how many records each tuple stands for
    free   : int64[...]       the tuples in no class
    of, into, many : int64[pieces]   tuple, class and records of each piece
    prices : int64[classes]   the price of each class's box
    filled : how many boxes were filled with spare records
    """

    def __init__(self, axes: Sequence[Axis], counts: I8, k: int) -> None:
        self._tuples, self._ladder = _build_ladder(axes)
        self.counts, self._k = counts, k
        self.free = np.arange(len(counts))
        self.of = self.into = self.many = self.prices = np.empty(0, dtype=np.int64)
        self.filled = 0

    def close(self, limit: int) -> int:
        """Close every box that is next and costs its free records at most `limit` each; return how many tuples it took.

        Where fewer than k are free in a box, it is filled with spare records, those that pay most first.
        """
        spare = self._collect_spare_records()
        tuples, counts, done = self._tuples[self.free], self.counts[self.free], np.zeros(1, dtype=np.int64)
        cheapest = cheapest_boxes(tuples, counts, spare.others, self._k, limit, self._ladder, _NO_END, done)
        positions, starts = _find_agreed_boxes(tuples, counts, cheapest, limit, self._ladder)
        if not len(positions):
            return 0
        first, tuple_counts = positions[starts[:-1]], np.diff(starts)
        size = np.add.reduceat(counts[positions], starts[:-1])
        pays, node = cheapest[0][first], cheapest[1][first]
        boxes, prices = _boxes_at_node(tuples[first], node, self._ladder)
        is_closed = size >= self._k
        for b in np.flatnonzero(~is_closed)[np.argsort(pays[~is_closed], kind="stable")].tolist():
            # What was found, rounded down.
            budget = self._k * int(prices[b]) - (int(pays[b]) + 1) * int(size[b])
            is_closed[b] = spare.lend(b, int(node[b]), int(boxes[b]), self._k - int(size[b]), budget)
        self.filled += int((is_closed & (size < self._k)).sum())
        class_ids = len(self.prices) + np.cumsum(is_closed) - 1
        closed_tuples = self.free[positions[np.repeat(is_closed, tuple_counts)]]
        piece, box, lent_counts = spare.lent()
        np.subtract.at(self.many, piece, lent_counts)
        self.of = np.r_[self.of, closed_tuples, self.of[piece]]
        self.into = np.r_[self.into, np.repeat(class_ids, tuple_counts * is_closed), class_ids[box]]
        self.many = np.r_[self.many, self.counts[closed_tuples], lent_counts]
        self.prices = np.r_[self.prices, prices[is_closed]]
        self.free = np.setdiff1d(self.free, closed_tuples)
        return len(closed_tuples)

    def _collect_spare_records(self) -> "SpareRecords":
        """The spare records: as many as each class has beyond k, of its largest pieces; those that pay most first."""
        surplus = (
            np.bincount(self.into, weights=self.many, minlength=len(self.prices)).astype(np.int64) - self._k
        )
        order = np.lexsort((-self.many, self.into))
        order = order[surplus[self.into[order]] > 0]
        class_of_piece, piece_sizes = self.into[order], self.many[order]
        records_before = np.cumsum(piece_sizes) - piece_sizes
        records_before -= records_before[np.searchsorted(class_of_piece, class_of_piece)]  # in the same class
        spare_counts = np.minimum(piece_sizes, surplus[class_of_piece] - records_before)
        order, spare_counts = order[spare_counts > 0], spare_counts[spare_counts > 0]
        order_by_price = np.argsort(-self.prices[self.into[order]], kind="stable")
        piece = order[order_by_price]
        entries = np.stack(
            [self._tuples[self.of[piece]], spare_counts[order_by_price], self.prices[self.into[piece]]]
        )
        return SpareRecords(piece, entries, self._ladder)


class SpareRecords:
    """Spare records, and who gets them.

    piece  : int64[s]     the piece each entry is a part of
    others : int64[3, s]  see `cheapest_boxes`
    """

    def __init__(self, piece: I8, others: I8, ladder: Ladder) -> None:
        self._piece, self.others, self._ladder = piece, others, ladder
        self._left = others[1].copy()
        self._at: dict[int, tuple[I8, I8]] = {}
        self._lent: list[tuple[I8, I8, I8]] = []

    def lend(self, box: int, node: int, packed: int, need: int, room: int) -> bool:
        """Fill a box with records that have paid more than `room` together; False where there are none any more."""
        if node not in self._at:
            boxes, _ = _boxes_at_node(self.others[0], np.full(len(self._left), node), self._ladder)
            order = np.argsort(boxes, kind="stable")
            self._at[node] = (boxes[order], order)
        boxes, order = self._at[node]
        entries = order[np.searchsorted(boxes, packed) : np.searchsorted(boxes, packed, side="right")]
        available_counts = self._left[entries]
        counts = np.clip(need - (np.cumsum(available_counts) - available_counts), 0, available_counts)
        if counts.sum() < need or counts @ self.others[2, entries] <= room:
            return False
        entries, counts = entries[counts > 0], counts[counts > 0]
        self._left[entries] -= counts
        self._lent.append((self._piece[entries], np.full(len(entries), box), counts))
        return True

    def lent(self) -> tuple[I8, I8, I8]:
        """What was lent: the piece, the box, how many records."""
        empty = np.empty(0, dtype=np.int64)
        piece, box, counts = (
            np.concatenate(part) for part in zip((empty, empty, empty), *self._lent, strict=True)
        )
        return piece, box, counts


LARGEST = 1 << 15  # level vectors to sweep, some thirty times
_FIRST = 64  # the first boxes cost at most so small a part of the price of all roots
_FEW = 10  # where fewer than one tenth of the tuples find a class, dearer boxes are closed
_TRIED = 256  # where no more tuples are free, it is tried what it costs to let each join a class


@keeps_average
def boxes(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    whole: OverallCounts | None = None,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Publish `table` in boxes of hierarchy nodes that hold k records, the cheapest box first.

    Parameters
    ----------
    table, hierarchies, claim, suppress, whole, progress
        As in `mstk`.

    Returns
    -------
    Result[Recoded]
        The trace tells how many level vectors were swept, how many columns climb together, how many boxes were filled
        with records of other classes, and how many tuples found no box.

    Raises
    ------
    InfeasibleError, InputError, HierarchyError
        As in `mstk`.

    Notes
    -----
    *Guarantee.* k holds by construction: a box is closed only with k records. A class that breaks the claim, holds
    fewer than k persons, or is a tuple that found no box, is merged with the class where that adds least loss, until
    there is no such class.

    *Method.* A box is one node per column, and every record in it pays its price. Where only u < k records of a box are
    free, k - u spare ones fill it up: records of classes that have more than k, those first that pay most. The u then
    also pay for what the spare ones lose by it. Boxes are closed by rising pay, each with all that is free in it. One
    sweep over the lattice finds the cheapest box of every tuple. Boxes that are the cheapest one for every free tuple
    in them are closed together: none of them takes what another one needs, unless both want the same spare record.

    Near the end, when few tuples are free, it is tried what it costs to let each of them join a class. The cheapest
    classes are kept.

    *Complexity.* Some thirty sweeps; the early ones look only at cheap boxes, the late ones only at the few tuples that
    are left. Beyond `LARGEST` level vectors two columns or more climb together, at the same share of their heights.

    *Departures.* None: no paper has this method.

    *Randomness.* None.

    References
    ----------
    .. [1] Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. KDD 2006. (The loss.)

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> from shoal.privacy import KAnonymity
    >>> ages = Table((Column.of("age", "quasi", ["21", "21", "21", "26", "33", "37"]),))
    >>> tens = [[age, f"{age[0]}*", "*"] for age in ("21", "26", "33", "37")]
    >>> release = boxes(ages, {"age": Hierarchy.from_paths("age", tens)}, KAnonymity(2)).release
    >>> [release.forms[0].labels[code] for code in release.codes[:, 0]]
    ['21', '21', '2*', '2*', '3*', '3*']
    """
    local, ask, tally = prepare_classes(
        "boxes", table, hierarchies, claim, suppress=suppress, mix=True, whole=whole
    )
    columns = build_axes(local.hierarchies, local.leaves[local.first], shares_of(table))
    axes, bundle_size = _choose_bundles([_drop_idle_levels(axis) for axis in columns])
    filling = Filling(axes, local.counts, ask.k)
    lowest_cost = NEVER
    for free_count in _fill_boxes(filling, start_step(progress, "filling boxes")):
        candidate, mergers = local.settle(_partition_records(filling), ask, tally)
        cost = int(class_costs(local.codes, candidate.walk, candidate.starts, local.rates).sum())
        if cost < lowest_cost:
            lowest_cost, classes = cost, candidate
            trace = {"filled": filling.filled, "alone": free_count, "merged": mergers}
    return local.release(classes, claim, lattice=_count_vectors(axes), together=bundle_size, **trace)


def _choose_bundles(axes: Sequence[Axis]) -> tuple[list[Axis], int]:
    """The columns, in bundles that climb together where there are too many level vectors; and how many in each."""
    for bundle_size in range(1, len(axes) + 1):
        bundles = _bundle_axes(axes, bundle_size)
        if _can_sweep(bundles, LARGEST):
            break
    return bundles, bundle_size


def _count_vectors(axes: Sequence[Axis]) -> int:
    return prod(axis.top + 1 for axis in axes)


def _can_sweep(axes: Sequence[Axis], vectors: int) -> bool:
    """Whether axes have at most so many level vectors, and a packed tuple has room for them."""
    return _count_vectors(axes) <= vectors and sum(axis.bits for axis in axes) <= _BITS


def _fill_boxes(filling: Filling, tell: Tell) -> Iterator[int]:
    """Close boxes by rising price up to that of all roots; stop to tell how many tuples are free once they are few."""
    limit, last_count = SCALE // _FIRST, len(filling.free) + 1
    while (count_before := len(filling.free)) and limit <= 2 * SCALE:
        closed_count = filling.close(limit)
        tell(1 - len(filling.free) / len(filling.counts))
        if closed_count * _FEW < count_before:
            limit = limit * 3 // 2
            if len(filling.free) <= min(_TRIED, last_count - 1):
                last_count = len(filling.free)
                yield last_count
    if len(filling.free) < last_count:
        yield len(filling.free)


def _partition_records(filling: Filling) -> Partition:
    """The classes of all records, and a class for each tuple that is in none."""
    tuple_of_piece = np.r_[filling.of, filling.free]
    class_of_piece = np.r_[filling.into, len(filling.prices) + np.arange(len(filling.free))]
    piece_sizes = np.r_[filling.many, filling.counts[filling.free]]
    order = np.argsort(tuple_of_piece, kind="stable")
    return Partition.of(np.repeat(class_of_piece[order], piece_sizes[order]))


# A floor under the loss `ncp`: no release that recodes along the hierarchies loses less, whatever its classes are.
#
# Let every record have a number such that in every box, which is one node per column, the k largest numbers add up to
# at most k times the box's price. A class of a release lies in the box that it is written as, and has at least k
# records. Its numbers average at most the price: the k largest ones do, and the others are no larger than those. So the
# numbers of a class add up to no more than the class pays, and the numbers of all records to no more than the release
# loses. A record that is left out pays for all roots, so no number may exceed that.
#
# Numbers that add up to much are found as follows. All numbers rise together. When a box becomes tight, the numbers in
# it stop. A record that is alone in its box with others that stopped early rises above the price of the box: it pays
# for taking them along.


WORK = 1 << 25  # boxes to roll up before the numbers are left as they are: some second
_LAST = 1 << 26  # of the last sweep
_LARGEST_BLOCK = 1 << 16  # level vectors of one block of columns


def loss_floor(table: Table, hierarchies: Hierarchies, k: int, *, work: int = WORK) -> float:
    """A loss that every k-anonymous recoding of `table` along `hierarchies` has at least.

    It holds for local and for full-domain recodings, for all that is asked beside k, and whatever is left out. It does
    not hold for ranges and sets that are no nodes of the hierarchies.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier; the columns have the weights of the loss.
    k
        How many records a class has at least.
    work
        About how many boxes may be rolled up. With 0 every record's number is the price of the cheapest box that
        holds it and k - 1 others.

    Notes
    -----
    Where the level vectors are too many, the columns are parted into blocks. What a release loses in the columns of a
    block is at least the floor of the block alone, so the floors of all blocks are added.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> ages = Table((Column.of("age", "quasi", ["21", "21", "26", "33", "37"]),))
    >>> tens = [[age, f"{age[0]}*", "*"] for age in ("21", "26", "33", "37")]
    >>> round(loss_floor(ages, {"age": Hierarchy.from_paths("age", tens)}, 2, work=0), 4)  # 0, 0, 1/2, 1/2, 1/2
    0.3
    >>> round(loss_floor(ages, {"age": Hierarchy.from_paths("age", tens)}, 2), 4)  # 26 takes somebody along who is 21
    0.4
    """
    trees = [hierarchies[column.name] for column in table.quasi]
    leaves = np.stack([tree.encode(column) for tree, column in zip(trees, table.quasi, strict=True)], axis=1)
    blocks = _form_blocks(build_axes(trees, leaves, shares_of(table)))
    total = sum(_sum_numbers(block, table.counts, k, work // len(blocks)) for block in blocks)
    records = len(leaves) if table.counts is None else int(table.counts.sum())
    return total / SCALE / records


def _form_blocks(axes: Sequence[Axis]) -> list[list[Axis]]:
    """As few blocks of columns as can be swept, about equally large."""
    for block_count in range(1, len(axes)):
        blocks: list[list[Axis]] = [[] for _ in range(block_count)]
        for axis in sorted(axes, key=lambda axis: -axis.top):
            min(blocks, key=_count_vectors).append(axis)
        if all(_can_sweep(block, _LARGEST_BLOCK) for block in blocks):
            return blocks
    return [[axis] for axis in axes]


def _sum_numbers(axes: Sequence[Axis], of_rows: I8 | None, k: int, work: int) -> int:
    """The sum of all records' numbers."""
    numbers = _Numbers(axes, of_rows, k)
    limit, work_left = numbers.whole // _FIRST, work
    while len(numbers.rising) and work_left > 0:
        count_before = len(numbers.rising)
        work_left -= numbers.rise(limit, work_left)
        stop_count = count_before - len(numbers.rising)
        if not stop_count and limit == numbers.whole:
            return numbers.total
        if stop_count * _FEW < count_before:
            limit = min(limit * 3 // 2 + 1, numbers.whole)
    if len(numbers.rising):
        numbers.rise(numbers.whole, max(work, _LAST))
    return numbers.total


class _Numbers:
    """The numbers of all tuples; those that are still `start_step` are what they are in the cheapest box of each."""

    def __init__(self, axes: Sequence[Axis], of_rows: I8 | None, k: int) -> None:
        rows, self._ladder = _build_ladder(axes)
        self._tuples, tuple_of_row = np.unique(rows, return_inverse=True)
        self._counts, self._k = count_codes(tuple_of_row.reshape(-1), of_rows, len(self._tuples)), k
        self._number, self.rising = np.zeros_like(self._tuples), np.arange(len(self._tuples))
        self.whole = int(sum(axis.prices[-1].max() for axis in axes))  # what all roots cost

    @property
    def total(self) -> int:
        """The sum over all records."""
        return int(self._number @ self._counts)

    def rise(self, limit: int, most: int) -> int:
        """Let numbers rise, at most to `limit`, and stop those of tight boxes; return how many boxes that took.

        Beyond `most` boxes all is left as it was.
        """
        stopped_tuples = np.setdiff1d(np.arange(len(self._tuples)), self.rising)
        stopped_tuples = stopped_tuples[np.argsort(-self._number[stopped_tuples], kind="stable")]
        entries = np.stack(
            [self._tuples[stopped_tuples], self._counts[stopped_tuples], self._number[stopped_tuples]]
        )
        tuples, counts, done = (
            self._tuples[self.rising],
            self._counts[self.rising],
            np.zeros(1, dtype=np.int64),
        )
        cheapest = cheapest_boxes(tuples, counts, entries, self._k, limit, self._ladder, most, done)
        if done[0] <= most:
            self._number[self.rising] = np.minimum(cheapest[0], limit)
            tight_tuples, _ = _find_agreed_boxes(tuples, counts, cheapest, limit, self._ladder)
            self.rising = np.delete(self.rising, tight_tuples)
        return int(done[0])
