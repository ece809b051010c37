"""Classes from boxes by rising cost: a box is closed as soon as it is the cheapest one for all that are free in it."""

from collections.abc import Sequence

import numpy as np

from shoal.algorithms.local._kernels.boxes import Ladder, cheapest_boxes
from shoal.algorithms.local.box_ladder import Axis, agreed, at_node, ladder_of
from shoal.data.types import I8

__all__ = ["Filling", "Lender"]


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
        self._tuples, self._ladder = ladder_of(axes)
        self.counts, self._k = counts, k
        self.free = np.arange(len(counts))
        self.of = self.into = self.many = self.prices = np.empty(0, dtype=np.int64)
        self.filled = 0

    def close(self, limit: int) -> int:
        """Close every box that is next and costs its free records at most `limit` each; return how many tuples it took.

        Where fewer than k are free in a box, it is filled with spare records, those that pay most first.
        """
        lender = self._lender()
        tuples, counts, done = self._tuples[self.free], self.counts[self.free], np.zeros(1, dtype=np.int64)
        found = cheapest_boxes(tuples, counts, lender.others, self._k, limit, self._ladder, _NO_END, done)
        places, starts = agreed(tuples, counts, found, limit, self._ladder)
        if not len(places):
            return 0
        first, inside = places[starts[:-1]], np.diff(starts)
        size = np.add.reduceat(counts[places], starts[:-1])
        pays, node = found[0][first], found[1][first]
        boxes, prices = at_node(tuples[first], node, self._ladder)
        closed = size >= self._k
        for b in np.flatnonzero(~closed)[np.argsort(pays[~closed], kind="stable")].tolist():
            room = self._k * int(prices[b]) - (int(pays[b]) + 1) * int(
                size[b]
            )  # what was found, rounded down
            closed[b] = lender.lend(b, int(node[b]), int(boxes[b]), self._k - int(size[b]), room)
        self.filled += int((closed & (size < self._k)).sum())
        number = len(self.prices) + np.cumsum(closed) - 1
        taken = self.free[places[np.repeat(closed, inside)]]
        piece, box, lent = lender.lent()
        np.subtract.at(self.many, piece, lent)
        self.of = np.r_[self.of, taken, self.of[piece]]
        self.into = np.r_[self.into, np.repeat(number, inside * closed), number[box]]
        self.many = np.r_[self.many, self.counts[taken], lent]
        self.prices = np.r_[self.prices, prices[closed]]
        self.free = np.setdiff1d(self.free, taken)
        return len(taken)

    def _lender(self) -> "Lender":
        """The spare records: as many as each class has beyond k, of its largest pieces; those that pay most first."""
        beyond = (
            np.bincount(self.into, weights=self.many, minlength=len(self.prices)).astype(np.int64) - self._k
        )
        order = np.lexsort((-self.many, self.into))
        order = order[beyond[self.into[order]] > 0]
        into, many = self.into[order], self.many[order]
        before = np.cumsum(many) - many
        before -= before[np.searchsorted(into, into)]  # in the same class
        spare = np.minimum(many, beyond[into] - before)
        order, spare = order[spare > 0], spare[spare > 0]
        falling = np.argsort(-self.prices[self.into[order]], kind="stable")
        piece = order[falling]
        others = np.stack([self._tuples[self.of[piece]], spare[falling], self.prices[self.into[piece]]])
        return Lender(piece, others, self._ladder)


class Lender:
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
            boxes, _ = at_node(self.others[0], np.full(len(self._left), node), self._ladder)
            order = np.argsort(boxes, kind="stable")
            self._at[node] = (boxes[order], order)
        boxes, order = self._at[node]
        inside = order[np.searchsorted(boxes, packed) : np.searchsorted(boxes, packed, side="right")]
        left = self._left[inside]
        taken = np.clip(need - (np.cumsum(left) - left), 0, left)
        if taken.sum() < need or taken @ self.others[2, inside] <= room:
            return False
        inside, taken = inside[taken > 0], taken[taken > 0]
        self._left[inside] -= taken
        self._lent.append((self._piece[inside], np.full(len(inside), box), taken))
        return True

    def lent(self) -> tuple[I8, I8, I8]:
        """What was lent: the piece, the box, how many records."""
        none = np.empty(0, dtype=np.int64)
        piece, box, many = (
            np.concatenate(part) for part in zip((none, none, none), *self._lent, strict=True)
        )
        return piece, box, many
