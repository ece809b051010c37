"""A floor under the loss `ncp`: no release that recodes along the hierarchies loses less, whatever its classes are.

Let every record have a number such that in every box, which is one node per column, the k largest numbers add up to
at most k times the box's price. A class of a release lies in the box that it is written as, and has at least k records.
Its numbers average at most the price: the k largest ones do, and the others are no larger than those. So the numbers
of a class add up to no more than the class pays, and the numbers of all records to no more than the release loses.
A record that is left out pays for all roots, so no number may exceed that.

Numbers that add up to much are found as follows. All numbers rise together. When a box becomes tight, the numbers in it
stop. A record that is alone in its box with others that stopped early rises above the price of the box: it pays
for taking them along.
"""

from collections.abc import Sequence
from math import prod

import numpy as np

from shoal.algorithms.local._kernels.boxes import cheapest_boxes
from shoal.algorithms.local.boxes import BITS, Axis, agreed, axes_of, ladder_of
from shoal.algorithms.local.column_prices import SCALE, shares_of
from shoal.data import Table
from shoal.data.arrays import I8, times
from shoal.hierarchy import Hierarchies

__all__ = ["loss_floor"]


WORK = 1 << 25  # boxes to roll up before the numbers are left as they are: some second
LAST = 1 << 26  # of the last sweep
LARGEST = 1 << 16  # level vectors of one block of columns
_FIRST = 64  # the first limit is so small a part of the price of all roots
_FEW = 10  # where fewer than one tenth of the numbers stop, the limit is raised


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
    blocks = _blocks(axes_of(trees, leaves, shares_of(table)))
    paid = sum(_paid(block, table.counts, k, work // len(blocks)) for block in blocks)
    records = len(leaves) if table.counts is None else int(table.counts.sum())
    return paid / SCALE / records


def _blocks(axes: Sequence[Axis]) -> list[list[Axis]]:
    """As few blocks of columns as can be swept, about equally large."""
    for many in range(1, len(axes)):
        blocks: list[list[Axis]] = [[] for _ in range(many)]
        for axis in sorted(axes, key=lambda axis: -axis.top):
            min(blocks, key=_vectors).append(axis)
        if all(_vectors(block) <= LARGEST and sum(axis.bits for axis in block) <= BITS for block in blocks):
            return blocks
    return [[axis] for axis in axes]


def _vectors(block: Sequence[Axis]) -> int:
    return prod(axis.top + 1 for axis in block)


def _paid(axes: Sequence[Axis], of_rows: I8 | None, k: int, work: int) -> int:
    """The sum of all records' numbers."""
    numbers = _Numbers(axes, of_rows, k)
    limit, left = numbers.whole // _FIRST, work
    while len(numbers.rising) and left > 0:
        before = len(numbers.rising)
        left -= numbers.rise(limit, left)
        stopped = before - len(numbers.rising)
        if not stopped and limit == numbers.whole:
            return numbers.total
        if stopped * _FEW < before:
            limit = min(limit * 3 // 2 + 1, numbers.whole)
    if len(numbers.rising):
        numbers.rise(numbers.whole, max(work, LAST))
    return numbers.total


class _Numbers:
    """The numbers of all tuples; those that are still `rising` are what they are in the cheapest box of each."""

    def __init__(self, axes: Sequence[Axis], of_rows: I8 | None, k: int) -> None:
        rows, self._ladder = ladder_of(axes)
        self._tuples, of = np.unique(rows, return_inverse=True)
        self._counts, self._k = times(of.reshape(-1), of_rows, len(self._tuples)), k
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
        stopped = np.setdiff1d(np.arange(len(self._tuples)), self.rising)
        stopped = stopped[np.argsort(-self._number[stopped], kind="stable")]
        others = np.stack([self._tuples[stopped], self._counts[stopped], self._number[stopped]])
        tuples, counts, done = (
            self._tuples[self.rising],
            self._counts[self.rising],
            np.zeros(1, dtype=np.int64),
        )
        found = cheapest_boxes(tuples, counts, others, self._k, limit, self._ladder, most, done)
        if done[0] <= most:
            self._number[self.rising] = np.minimum(found[0], limit)
            tight, _ = agreed(tuples, counts, found, limit, self._ladder)
            self.rising = np.delete(self.rising, tight)
        return int(done[0])
