"""Cells to leave out by the count of mu-Argus and sdcMicro, for comparison: cells fit if equal, or if one is blank.

It promises nothing: a row that is blank fits everybody, though whoever knows what the blank hides finds nobody else.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.algorithms.cells.blanking import Blanked, Known
from shoal.data.arrays import I4, I8
from shoal.errors import InputError
from shoal.utility.individual_risk import count_fits

__all__ = ["blank_by_argus", "fitting_rows"]

_WIDEST = 14  # columns, of all sets of which the fits are counted


def fitting_rows(codes: I4, columns: Sequence[int], weight: I8) -> I8:
    """For every row, how many rows fit it in some columns, if a blank fits everything on either side.

    >>> fitting_rows(np.array([[0], [2], [2], [3]], dtype=np.int32), [0], np.ones(4, dtype=np.int64)).tolist()
    [4, 3, 3, 2]
    """
    shown = [codes[:, j] for j in columns]
    of, _, fits = count_fits(shown, [cells == 0 for cells in shown], weight.astype(np.float64))
    return np.rint(fits[of]).astype(np.int64)


def blank_by_argus(original: I4, known: Known) -> Blanked:
    """Leave cells out until at least k rows fit every row in every set, those with the fewest first.

    Of these, whoever has too few in more sets comes first: an order that was picked by trying three of them.
    A row loses the cheapest columns such that enough rows fit in what is left of every set. Its blanks help others, who
    are counted anew when it is their turn.
    """
    n, d = original.shape
    if d > _WIDEST:
        raise InputError(
            f'blank: count = "argus" compares up to {_WIDEST} columns, and here are {d}; name fewer'
        )
    fits = np.array([fitting_rows(original, one, known.weight) for one in known.sets])
    fewest, many = fits.min(axis=0), (fits < known.k).sum(axis=0)
    rows = np.flatnonzero(fewest < known.k)
    choices = _Choices.of(original[rows], known)
    codes, tuples = original.copy(), _Tuples.of(original, known.weight, len(rows))
    for row in rows[np.lexsort((-many[rows], fewest[rows]))].tolist():
        mask = choices.cheapest(tuples.fits(codes[row], d), known.k)
        if mask:
            lost = np.where(mask >> np.arange(d) & 1 == 1, 0, codes[row])
            tuples.change(row, lost, int(known.weight[row]))
            codes[row] = lost
    return Blanked(codes, np.ones(n, dtype=bool), 0.0)


class _Tuples:
    """The different rows, with how many each stands for; a row that loses cells becomes a new one."""

    def __init__(self, cells: I4, size: I8, of: I8, used: int) -> None:
        self._cells, self._size, self._of, self._used = cells, size, of, used

    @classmethod
    def of(cls, codes: I4, weight: I8, more: int) -> "_Tuples":
        """Number the rows, with room for some more tuples."""
        cells, of = np.unique(codes, axis=0, return_inverse=True)
        size = np.bincount(of.reshape(-1), weights=weight, minlength=len(cells) + more).astype(np.int64)
        room = np.zeros((more, codes.shape[1]), dtype=codes.dtype)
        return cls(
            np.asfortranarray(np.concatenate([cells, room])),
            size,
            of.reshape(-1).astype(np.int64),
            len(cells),
        )

    def fits(self, row: I4, d: int) -> I8:
        """How many rows fit one in each set of columns, by its mask."""
        cells = self._cells[: self._used]
        mask = np.zeros(self._used, dtype=np.int64)
        for j in range(d):
            fit = (cells[:, j] == row[j]) | (cells[:, j] == 0) if row[j] else np.ones(self._used, dtype=bool)
            mask |= fit.astype(np.int64) << j
        found = np.bincount(mask, weights=self._size[: self._used], minlength=1 << d)
        for j in range(d):  # what fits in more columns fits in these
            pairs = found.reshape(-1, 2, 1 << j)
            pairs[:, 0] += pairs[:, 1]
        return found.astype(np.int64)

    def change(self, row: int, cells: I4, weight: int) -> None:
        """Give a row other cells."""
        self._size[self._of[row]] -= weight
        self._cells[self._used], self._size[self._used], self._of[row] = cells, weight, self._used
        self._used += 1


class _Choices(NamedTuple):
    """All choices of columns, the cheapest first, and what is left of every set by each, as masks."""

    masks: I8
    left: I8

    @classmethod
    def of(cls, rows: I4, known: Known) -> "_Choices":
        """Of equally cheap ones, those come first whose columns have more values."""
        d = len(known.importance)
        masks = np.arange(1 << d, dtype=np.int64)
        inside = (masks[:, None] >> np.arange(d)) & 1
        values = np.array([len(np.unique(rows[:, j])) for j in range(d)])
        rank = np.argsort(np.argsort(-values, kind="stable"))
        masks = masks[np.lexsort((inside @ rank, inside.sum(axis=1), np.round(inside @ known.importance, 9)))]
        sets = np.array([sum(1 << j for j in one) for one in known.sets], dtype=np.int64)
        return cls(masks, sets[:, None] & ~masks)

    def cheapest(self, fits: I8, k: int) -> int:
        """The first choice that leaves every set with k rows that fit."""
        return int(self.masks[np.argmax((fits[self.left] >= k).all(axis=0))])
