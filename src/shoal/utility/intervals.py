"""What a release allows to be said for certain: between which numbers a mean, a quantile or a group's size lies.

A released cell stands for some values, so a statistic of the originals is not known, but it lies between two numbers:
as if every cell had its lowest, and as if every cell had its highest value. A suppressed record, and a cell that may
be a missing one, could have any value of its column or none, so it counts with the column's lowest and highest.
"""

from dataclasses import dataclass

import numpy as np

from shoal.data.types import F8, I8
from shoal.discreet import Discreet
from shoal.utility.column_cells import Cells

__all__ = ["Between", "group_sizes", "known_numbers", "mean", "possible_numbers", "quantile"]


@dataclass(frozen=True, slots=True, repr=False)
class Between(Discreet):
    """A statistic of a column: what it is in the originals, and the interval that the release allows.

    column : the column
    what   : the statistic in words, such as "mean", or the group whose size it is
    low    : the least that the release allows
    high   : the most that it allows
    true   : what it is in the originals; for the owner alone
    """

    column: str
    what: str
    low: float
    high: float
    true: float


def known_numbers(originals: Cells) -> F8:
    """The numbers of the original cells that are not missing, rising."""
    low, _ = originals.ends()
    found = low[originals.codes]
    return np.sort(found[~np.isnan(found)])


def possible_numbers(released: Cells, left_out: int) -> tuple[F8, F8]:
    """The least and the largest number of every cell, each rising; `left_out` records were suppressed.

    Cells that are missing for certain are not among them.
    """
    low, high = released.ends()
    least, most = released.domain()
    optional, gone = released.may_be_missing(), np.isnan(low)
    low, high = np.where(optional, least, low), np.where(optional, most, high)
    kept = ~gone[released.codes]
    ends = (low[released.codes][kept], least), (high[released.codes][kept], most)
    lows, highs = (np.sort(np.r_[found, np.full(left_out, fill)]) for found, fill in ends)
    return lows, highs


def mean(numbers: F8) -> float:
    """The mean, nan without numbers."""
    return float(np.mean(numbers)) if len(numbers) else float("nan")


def quantile(rising: F8, share: float) -> float:
    """The smallest number that at least this share of all do not exceed; nan without numbers.

    It is always one of the numbers, so lower cells never give a higher quantile.

    >>> quantile(np.array([1.0, 2.0, 3.0, 10.0]), 0.5)
    2.0
    """
    place = max(int(np.ceil(share * len(rising) - 1e-9)) - 1, 0)
    return float(rising[place]) if len(rising) else float("nan")


def group_sizes(cells: Cells, left_out: int = 0) -> tuple[I8, I8]:
    """For each group of a column's values, how many records are in it for certain, and how many may be.

    A missing cell is in no group; whatever may be missing is in none for certain.
    """
    leaves, size = cells.forms.leaves, cells.size
    groups = len(cells.names)
    owner = np.repeat(np.arange(len(cells.forms.labels)), np.diff(cells.forms.start))
    real = leaves < size
    pairs = np.unique(owner[real] * groups + cells.groups[leaves[real]])
    form, group = pairs // groups, pairs % groups
    rows = np.bincount(cells.codes, minlength=len(cells.forms.labels))
    only = (np.bincount(form, minlength=len(rows)) == 1) & (cells.counts() == np.diff(cells.forms.start))
    certain = np.bincount(group, weights=rows[form] * only[form], minlength=groups)
    possible = np.bincount(group, weights=rows[form], minlength=groups) + left_out
    return certain.astype(np.int64), possible.astype(np.int64)
