"""Which cells to leave out so that rows look the same in every set of columns that may be known.

codes : int32[n, d]   the cells; 0 is blank
sets  : the sets of columns, by their numbers; none is a part of another
mask  : columns as bits

Where fewer than k rows show what a row shows in a set, that row must lose a cell of the set: blanks of others never
make rows equal to it, unless it was blank there from the start. So every row loses at least the cheapest columns that
meet all of these sets: a floor for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from shoal.data.arrays import B1, F8, I4, I8, U8

__all__ = [
    "Blanked",
    "Hitting",
    "KnownColumns",
    "blank_in_rounds",
    "blank_masks",
    "families",
    "group_codes",
    "price",
]

_MASKS = 1 << 13  # choices of columns that are looked at for each row
_SPACE = 4  # times the rows: keys up to that are counted, others sorted first


@dataclass(frozen=True, slots=True)
class KnownColumns:
    """What may be known, and what is asked for.

    sets       : the columns that are known together
    k          : how many rows must look the same
    importance : float64[d], what a cell of each column costs
    weight     : int64[n], 1 for a row that counts; of several rows of one person one does
    """

    sets: Sequence[tuple[int, ...]]
    k: int
    importance: F8
    weight: I8


@dataclass(frozen=True, slots=True)
class Blanked:
    """Cells after some were left out, the records that are kept, and what no choice of cells is cheaper than."""

    codes: I4
    kept: B1
    floor: float


def group_codes(codes: I4, columns: Sequence[int]) -> tuple[I8, int]:
    """Number the rows so that equal ones, in these columns, have equal numbers; and how many numbers there may be."""
    key, width = np.zeros(len(codes), dtype=np.int64), 1
    for j in columns:
        radix = int(codes[:, j].max(initial=0)) + 1
        key, width = key * radix + codes[:, j], width * radix
        if width > _SPACE * len(codes) + 1024:
            found, key = np.unique(key, return_inverse=True)
            key, width = key.reshape(-1).astype(np.int64), len(found)
    return key, width


def class_sizes(codes: I4, columns: Sequence[int], weight: I8) -> I8:
    """For every row, how many rows look the same in some columns."""
    key, width = group_codes(codes, columns)
    return np.bincount(key, weights=weight, minlength=width)[key].astype(np.int64)


def blank_masks(codes: I4) -> I8:
    """The columns in which every row is blank."""
    return np.asarray((codes == 0).astype(np.int64) @ (1 << np.arange(codes.shape[1], dtype=np.int64)))


def price(before: I4, after: I4, kept: B1, importance: F8) -> float:
    """What cells cost that were left out; a record that is left out loses all of its cells."""
    gone = (before > 0) & ((after == 0) | ~kept[:, None])
    return float(gone.sum(axis=0) @ importance)


def families(small: Sequence[B1]) -> U8:
    """uint64[n, words]: for every row, the sets in which it is among too few, as bits."""
    packed = np.packbits(np.stack(small, axis=1), axis=1, bitorder="little")
    wide = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    wide[:, : packed.shape[1]] = packed
    return wide.view("<u8").astype(np.uint64)


class Hitting:
    """The cheapest columns that meet some sets, for many rows at once."""

    def __init__(self, sets: Sequence[tuple[int, ...]], importance: F8, first: I8) -> None:
        """Of equally cheap columns those that stand `first` are taken: blanks in the same columns are alike."""
        d = len(importance)
        self._sets = np.array([sum(1 << j for j in one) for one in sets], dtype=np.int64)
        sizes = [sum(comb(d, i) for i in range(size + 1)) for size in range(d + 1)]
        largest = max((size for size in range(d + 1) if sizes[size] <= _MASKS), default=1) or 1
        masks = [one for size in range(1, largest + 1) for one in combinations(range(d), size)]
        rank = np.empty(d)
        rank[first] = np.arange(d)
        cost = np.array([importance[list(one)].sum() for one in masks])
        order = np.lexsort(([rank[list(one)].sum() for one in masks], np.round(cost, 9)))
        self._cost = cost[order]
        self._masks = np.array([sum(1 << j for j in masks[place]) for place in order], dtype=np.int64)
        self._beyond = float(np.sort(importance)[: largest + 1].sum())  # of rows that need more columns
        self._columns = d

    def cheapest(self, family: U8, blank: I8) -> tuple[I8, F8]:
        """For every row a mask of columns that meets its sets, in none of which it is blank, and a floor of its cost.

        Sets in which a row is blank altogether cannot be met, and are passed over.
        """
        lines, of = np.unique(np.column_stack([family, blank.astype(np.uint64)]), axis=0, return_inverse=True)
        wanted, gone = lines[:, :-1].copy(), lines[:, -1].astype(np.int64)
        lost = self._words(gone[:, None] & self._sets == self._sets)
        wanted &= ~lost
        mask, cost = np.zeros(len(lines), dtype=np.int64), np.zeros(len(lines))
        left = np.flatnonzero(wanted.any(axis=1))
        for chosen, paid in zip(self._masks.tolist(), self._cost.tolist(), strict=True):
            if not len(left):
                break
            missed = self._words((self._sets & chosen == 0)[None, :])
            met = ~(wanted[left] & missed).any(axis=1) & (gone[left] & chosen == 0)
            mask[left[met]], cost[left[met]] = chosen, paid
            left = left[~met]
        mask[left], cost[left] = ~gone[left] & ((1 << self._columns) - 1), self._beyond
        of = of.reshape(-1)
        return mask[of], cost[of]

    @staticmethod
    def _words(bits: NDArray[np.bool_]) -> U8:
        return families(list(bits.T))


def blank_in_rounds(original: I4, known: KnownColumns, allowed: int) -> Blanked:
    """Leave cells out, round by round, until at least k rows look the same in every set; then take back what can be.

    In each round every row that is among too few in some sets loses the cheapest columns that meet all of them. That
    makes others few, and so on; rounds end, for nothing is as blank as everything. `allowed` records may be left out.
    """
    codes, kept = original.copy(), np.ones(len(original), dtype=bool)
    small = _too_few(codes, kept, known)
    first = np.argsort([-sum(int(few.sum()) for one, few in zip(known.sets, small, strict=True) if j in one)
                        for j in range(codes.shape[1])], kind="stable")  # fmt: skip
    hitting = Hitting(known.sets, known.importance, first)
    shown = [few & (codes[:, list(one)] > 0).all(axis=1) for one, few in zip(known.sets, small, strict=True)]
    floor = float(hitting.cheapest(families(shown), blank_masks(codes))[1].sum())
    while any(few.any() for few in small):
        rows = np.flatnonzero(np.any(small, axis=0))
        mask, _ = hitting.cheapest(families([few[rows] for few in small]), blank_masks(codes[rows]))
        if not mask.any():
            allowed -= _join(codes, kept, known, small, allowed)
        for j in range(codes.shape[1]):
            codes[rows[mask >> j & 1 == 1], j] = 0
        empty = rows[(codes[rows] == 0).all(axis=1) & (mask > 0)]
        allowed -= _leave_out(kept, empty[:allowed], known)
        small = _too_few(codes, kept, known)
    _take_back(codes, original, kept, known, np.lexsort((-np.argsort(first), -known.importance)))
    return Blanked(codes, kept, floor)


def _too_few(codes: I4, kept: B1, known: KnownColumns) -> list[B1]:
    """For every set, the rows that are among fewer than k in it."""
    weight = known.weight * kept
    return [kept & (class_sizes(codes, one, weight) < known.k) for one in known.sets]


def _leave_out(kept: B1, rows: I8, known: KnownColumns) -> int:
    """Leave records out, unless fewer than k would be left; how many were."""
    if (known.weight * kept).sum() - known.weight[rows].sum() < known.k:
        return 0
    kept[rows] = False
    return len(rows)


def _join(codes: I4, kept: B1, known: KnownColumns, small: Sequence[B1], allowed: int) -> int:
    """Help rows that are blank in a whole set and among too few: they are left out, or others become blank, too."""
    stuck = np.flatnonzero(np.any(small, axis=0))
    gone = _leave_out(kept, stuck[:allowed], known) if allowed else 0
    if gone:
        return gone
    columns = next(list(one) for one, few in zip(known.sets, small, strict=True) if few.any())
    shown = (codes[:, columns] > 0) @ known.importance[columns]
    blank = (shown == 0) & kept
    others = np.flatnonzero(~blank & kept & (known.weight > 0))
    lacking = known.k - int(known.weight[blank].sum())
    joining = others[np.argsort(shown[others], kind="stable")][:lacking]
    for j in columns:
        codes[joining, j] = 0
    return 0


def _take_back(codes: I4, original: I4, kept: B1, known: KnownColumns, order: I8) -> None:
    """Show cells again, column by column, as far as k rows go on looking the same.

    All blanks of a column are shown at first. Whoever is then among too few, and whoever would leave too few blank rows
    behind, becomes blank again; that goes on until it concerns nobody.
    """
    weight = known.weight * kept
    for c in order.tolist():
        sets = [one for one in known.sets if c in one]
        back = (codes[:, c] == 0) & (original[:, c] > 0) & kept
        before = [group_codes(codes, one) for one in sets]
        gone = back
        while gone.any():
            codes[:, c] = np.where(back, original[:, c], np.where(gone, 0, codes[:, c]))
            bad = np.zeros(len(codes), dtype=bool)
            for one, (key, width) in zip(sets, before, strict=True):
                few = kept & (class_sizes(codes, one, weight) < known.k)
                left = np.zeros(width, dtype=bool)
                left[key[few & ~back]] = True
                bad |= few | left[key]
            gone = back & bad
            back = back & ~bad
