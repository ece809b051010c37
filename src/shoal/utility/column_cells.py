"""One column as an analyst reads it: a cell stands for some values of the column, all equally likely.

An original value stands for itself, a released one for the leaves under it, `*` for all. So originals and a release are
read in the same way, and what is computed of one can be set beside the other.

groups : int32[leaves]   the group that each leaf falls into where single values would be too many
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.data.lists import take
from shoal.data.types import B1, F8, I4, I8
from shoal.discreet import Discreet
from shoal.release import Forms

__all__ = ["Cells", "grouped_in_order", "ones"]


@dataclass(frozen=True, slots=True, repr=False)
class Cells(Discreet):
    """The cells of one column, row by row.

    name    : the column
    codes   : int32[n]; row i -> place in `forms`
    forms   : what a cell may be, and the leaves it stands for; a leaf code >= `size` is the missing value
    names   : the leaves, or what their groups are called: one text per group
    groups  : int32[leaves]: the group of each leaf, 0 .. len(names) - 1
    numbers : float64[leaves]: the leaves as numbers, nan for one that covers missing cells; None where they are names
    ordered : whether the order of the leaves means something
    """

    name: str
    codes: I4
    forms: Forms
    names: tuple[str, ...]
    groups: I4
    numbers: F8 | None = None
    ordered: bool = False

    @property
    def size(self) -> int:
        """How many leaves the column has."""
        return len(self.groups)

    def counts(self) -> I8:
        """How many leaves each form stands for; a form without any is a missing cell."""
        return self.forms.counts(self.size)

    def shares(self) -> F8:
        """float64[forms, groups]: the share of each group among a form's leaves; a missing cell is like `*`."""
        inside = self.forms.leaves < self.size
        owner = np.repeat(np.arange(len(self.forms.labels)), np.diff(self.forms.start))[inside]
        key = owner * len(self.names) + self.groups[self.forms.leaves[inside]]
        found = np.bincount(key, minlength=len(self.forms.labels) * len(self.names)).astype(np.float64)
        table = found.reshape(len(self.forms.labels), len(self.names))
        table[self.counts() == 0] = np.bincount(self.groups, minlength=len(self.names))
        return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1))

    def ends(self) -> tuple[F8, F8]:
        """The smallest and the largest number that each form stands for; nan where it stands for none."""
        assert self.numbers is not None, "names have no ends"
        numbers = np.r_[self.numbers, np.nan][np.minimum(self.forms.leaves, self.size)]
        known = ~np.isnan(numbers)
        owner = np.repeat(np.arange(len(self.forms.labels)), np.diff(self.forms.start))[known]
        low, high = np.full(len(self.forms.labels), np.inf), np.full(len(self.forms.labels), -np.inf)
        np.minimum.at(low, owner, numbers[known])
        np.maximum.at(high, owner, numbers[known])
        empty = low > high
        return np.where(empty, np.nan, low), np.where(empty, np.nan, high)

    def domain(self) -> tuple[float, float]:
        """The smallest and the largest number of the column; 0 and 0 where it has none."""
        assert self.numbers is not None, "names have no domain"
        known = self.numbers[~np.isnan(self.numbers)]
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)

    def may_be_missing(self) -> B1:
        """Whether a form stands for missing cells too."""
        leaves = np.minimum(self.forms.leaves, self.size)
        gone = np.r_[
            np.zeros(self.size, dtype=bool) if self.numbers is None else np.isnan(self.numbers), True
        ]
        owner = np.repeat(np.arange(len(self.forms.labels)), np.diff(self.forms.start))
        found = np.bincount(owner, weights=gone[leaves], minlength=len(self.forms.labels)) > 0
        return np.asarray(found | (np.diff(self.forms.start) == 0))

    def some(self, rows: I8) -> "Cells":
        """Some of the rows, in that order."""
        return replace(self, codes=self.codes[rows])

    def used(self) -> "Cells":
        """The same cells without the forms that no row has: of a million values a sample has few."""
        kept, codes = np.unique(self.codes, return_inverse=True)
        start, leaves = take(self.forms.start, self.forms.leaves, kept)
        labels = tuple(self.forms.labels[form] for form in kept.tolist())
        return replace(self, codes=codes.astype(np.int32), forms=Forms(labels, start, leaves))


def ones(labels: Iterable[str | None], size: int) -> Forms:
    """Forms that stand for one leaf each, 0 .. size - 1, and behind them the missing cell."""
    return Forms(
        (*labels, None), np.r_[np.arange(size + 1), size].astype(np.int64), np.arange(size, dtype=np.int32)
    )


def grouped_in_order(size: int, most: int) -> NDArray[np.int32]:
    """Leaves in at most so many groups of neighbours, as even as can be.

    >>> grouped_in_order(7, 3).tolist(), grouped_in_order(2, 3).tolist()
    ([0, 0, 0, 1, 1, 2, 2], [0, 1])
    """
    return (np.arange(size) * min(most, size) // max(size, 1)).astype(np.int32)
