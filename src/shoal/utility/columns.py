"""Columns as an analyst reads them: a cell stands for some values of the column, all equally likely.

An original value stands for itself, a released one for the leaves under it, `*` for all. So originals and a release are
read in the same way, and what is computed of one can be set beside the other: how strongly columns hang together
(Cramer's V for each pair, correlation for pairs of numbers), and between which numbers a mean, a quantile or a group's
size lies.

Such a statistic of the originals is not known, but it lies between two numbers: as if every cell had its lowest, and as
if every cell had its highest value. A suppressed record, and a cell that may be a missing one, could have any value of
its column or none, so it counts with the column's lowest and highest.

groups : int32[leaves]        the group that each leaf falls into where single values would be too many
shares : float64[n, groups]   how much of each group of a column's values the cell of a row stands for, in all 1
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.base.discreet import SafeRepr
from shoal.data.arrays import B1, F8, I4, I8, row_of_entry, take_rows
from shoal.release import PublishedValues

__all__ = [
    "Association",
    "Cells",
    "StatisticInterval",
    "_cramers_v",
    "cell_middles",
    "correlations",
    "group_in_order",
    "group_sizes",
    "mean",
    "measure_associations",
    "number_bounds",
    "quantile",
    "single_leaf_forms",
    "sort_known_numbers",
]


_VALUES = 4_000_000  # shares of cells held at once


@dataclass(frozen=True, slots=True, repr=False)
class Cells(SafeRepr):
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
    forms: PublishedValues
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
        owner = row_of_entry(self.forms.start)[inside]
        key = owner * len(self.names) + self.groups[self.forms.leaves[inside]]
        leaf_counts = np.bincount(key, minlength=len(self.forms.labels) * len(self.names)).astype(np.float64)
        table = leaf_counts.reshape(len(self.forms.labels), len(self.names))
        table[self.counts() == 0] = np.bincount(self.groups, minlength=len(self.names))
        return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1))

    def ends(self) -> tuple[F8, F8]:
        """The smallest and the largest number that each form stands for; nan where it stands for none."""
        assert self.numbers is not None, "names have no ends"
        numbers = np.r_[self.numbers, np.nan][np.minimum(self.forms.leaves, self.size)]
        is_number = ~np.isnan(numbers)
        owner = row_of_entry(self.forms.start)[is_number]
        low, high = np.full(len(self.forms.labels), np.inf), np.full(len(self.forms.labels), -np.inf)
        np.minimum.at(low, owner, numbers[is_number])
        np.maximum.at(high, owner, numbers[is_number])
        empty = low > high
        return np.where(empty, np.nan, low), np.where(empty, np.nan, high)

    def domain(self) -> tuple[float, float]:
        """The smallest and the largest number of the column; 0 and 0 where it has none."""
        assert self.numbers is not None, "names have no domain"
        numbers = self.numbers[~np.isnan(self.numbers)]
        return (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 0.0)

    def may_be_missing(self) -> B1:
        """Whether a form stands for missing cells too."""
        leaves = np.minimum(self.forms.leaves, self.size)
        is_missing = np.r_[
            np.zeros(self.size, dtype=bool) if self.numbers is None else np.isnan(self.numbers), True
        ]
        owner = row_of_entry(self.forms.start)
        covers_missing = np.bincount(owner, weights=is_missing[leaves], minlength=len(self.forms.labels)) > 0
        return np.asarray(covers_missing | (np.diff(self.forms.start) == 0))

    def some(self, rows: I8) -> "Cells":
        """Some of the rows, in that order."""
        return replace(self, codes=self.codes[rows])

    def used(self) -> "Cells":
        """The same cells without the forms that no row has: of a million values a sample has few."""
        used_forms, codes = np.unique(self.codes, return_inverse=True)
        start, leaves = take_rows(self.forms.start, self.forms.leaves, used_forms)
        labels = tuple(self.forms.labels[form] for form in used_forms.tolist())
        return replace(self, codes=codes.astype(np.int32), forms=PublishedValues(labels, start, leaves))


def single_leaf_forms(labels: Iterable[str | None], size: int) -> PublishedValues:
    """Forms that stand for one leaf each, 0 .. size - 1, and behind them the missing cell."""
    return PublishedValues(
        (*labels, None), np.r_[np.arange(size + 1), size].astype(np.int64), np.arange(size, dtype=np.int32)
    )


def group_in_order(size: int, most: int) -> NDArray[np.int32]:
    """Leaves in at most so many groups of neighbours, as even as can be.

    >>> group_in_order(7, 3).tolist(), group_in_order(2, 3).tolist()
    ([0, 0, 0, 1, 1, 2, 2], [0, 1])
    """
    return (np.arange(size) * min(most, size) // max(size, 1)).astype(np.int32)


# --- associations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Association(SafeRepr):
    """How strongly two columns hang together.

    first, second : the columns
    measure       : "cramers-v", from 0 (not at all) to 1, or "correlation", from -1 to 1
    before, after : in the originals and in the release
    """

    first: str
    second: str
    measure: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """How far it moved."""
        return abs(self.after - self.before)


def measure_associations(before: Sequence[Cells], after: Sequence[Cells]) -> list[Association]:
    """Every pair of columns, the largest change first; of two columns of numbers both measures.

    Parameters
    ----------
    before, after
        The same columns in the same order, with the same groups, of the originals and of the release.

    Returns
    -------
    list
        Of equal changes the columns that stand first come first.
    """
    v_matrices = [_cramers_v_matrix(cells) for cells in (before, after)]
    pairs = [
        Association(a.name, b.name, "cramers-v", float(v_matrices[0][i, j]), float(v_matrices[1][i, j]))
        for i, a in enumerate(before)
        for j, b in enumerate(before[i + 1 :], start=i + 1)
    ]
    numeric_columns = [j for j, cells in enumerate(before) if cells.numbers is not None]
    lines = [correlations([cell_middles(cells[j]) for j in numeric_columns]) for cells in (before, after)]
    pairs += [
        Association(
            before[i].name, before[j].name, "correlation", float(lines[0][x, y]), float(lines[1][x, y])
        )
        for x, i in enumerate(numeric_columns)
        for y, j in enumerate(numeric_columns[x + 1 :], start=x + 1)
    ]
    return sorted(pairs, key=lambda pair: -pair.change)


def _cramers_v(table: F8) -> float:
    """Cramer's V of a table of counts, corrected for its bias as Bergsma does; 0 where a side has one value only.

    Without the correction, tables with many values and few records look as if the columns hung together.

    References
    ----------
    .. [1] Bergsma. A bias-correction for Cramer's V and Tschuprow's T. J. Korean Statistical Society 42, 2013.

    Examples
    --------
    >>> round(_cramers_v(np.array([[50.0, 0.0], [0.0, 50.0]])), 4), _cramers_v(np.array([[25.0, 25.0], [25.0, 25.0]]))
    (1.0, 0.0)
    """
    rows, columns, n = table.sum(axis=1), table.sum(axis=0), float(table.sum())
    table = table[np.ix_(rows > 0, columns > 0)]
    rows, columns = rows[rows > 0], columns[columns > 0]
    r, c = table.shape
    if n <= 1 or r < 2 or c < 2:
        return 0.0
    square = float(((table * table) / np.outer(rows, columns)).sum()) - 1.0  # chi squared over n
    corrected = max(0.0, square - (r - 1) * (c - 1) / (n - 1))
    smaller = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return float(np.sqrt(min(1.0, corrected / smaller))) if smaller > 0 else 0.0


def correlations(columns: Sequence[F8]) -> F8:
    """Pearson's correlation of every pair, over the rows where both are known; 0 where one of them does not vary.

    >>> correlations([np.array([1.0, 2.0, 3.0, np.nan]), np.array([2.0, 4.0, 6.0, 0.0])])[0, 1].round(6).item()
    1.0
    """
    if not columns:
        return np.zeros((0, 0))
    scaled = np.stack([_center_and_scale(column) for column in columns], axis=1)
    is_known = (~np.isnan(scaled)).astype(np.float64)
    x = np.nan_to_num(scaled)
    pair_counts, sums, squares, products = (
        is_known.T @ is_known,
        x.T @ is_known,
        (x * x).T @ is_known,
        x.T @ x,
    )
    rows = np.maximum(pair_counts, 1)
    spread = np.maximum(squares - sums * sums / rows, 0.0)
    # what is left of equal numbers when their mean is taken away is rounding
    varies = (spread > 1e-12 * np.maximum(squares, 1e-300)) & (spread > 1e-20 * rows)
    both_vary = varies & varies.T
    coefficients = (products - sums * sums.T / rows) / np.sqrt(np.where(both_vary, spread * spread.T, 1.0))
    return np.where(both_vary, np.clip(coefficients, -1.0, 1.0), 0.0)


def _center_and_scale(column: F8) -> F8:
    """A column moved and scaled to -1 .. 1, so that no square overflows, vanishes or drowns."""
    finite = column[~np.isnan(column)]
    if not len(finite):
        return column
    middle = finite.min() / 2 + finite.max() / 2
    centered = column - middle
    return np.asarray(centered / (np.nanmax(np.abs(centered)) or 1.0))


def _cramers_v_matrix(columns: Sequence[Cells]) -> F8:
    """Cramer's V of every pair, from one product of all columns' shares."""
    columns = [cells.used() for cells in columns]
    widths = np.cumsum([0, *(len(cells.names) for cells in columns)])
    cross_table = np.zeros((widths[-1], widths[-1]))
    shares = [cells.shares() for cells in columns]
    n = len(columns[0].codes) if columns else 0
    step = max(1, _VALUES // max(int(widths[-1]), 1))
    for begin in range(0, n, step):
        block = np.hstack(
            [s[cells.codes[begin : begin + step]] for s, cells in zip(shares, columns, strict=True)]
        )
        cross_table += block.T @ block
    matrix = np.zeros((len(columns), len(columns)))
    spans = list(pairwise(widths.tolist()))
    for i, (a, b) in enumerate(spans):
        for j, (c, d) in enumerate(spans[i + 1 :], start=i + 1):
            matrix[i, j] = _cramers_v(cross_table[a:b, c:d])
    return matrix


def cell_middles(cells: Cells) -> F8:
    """The middle of every cell; nan where it stands for no number."""
    low, high = cells.ends()
    return np.asarray(((low + high) / 2)[cells.codes])


# --- intervals --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class StatisticInterval(SafeRepr):
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


def sort_known_numbers(originals: Cells) -> F8:
    """The numbers of the original cells that are not missing, rising."""
    low, _ = originals.ends()
    numbers = low[originals.codes]
    return np.sort(numbers[~np.isnan(numbers)])


def number_bounds(released: Cells, left_out: int) -> tuple[F8, F8]:
    """The least and the largest number of every cell, each rising; `left_out` records were suppressed.

    Cells that are missing for certain are not among them.
    """
    low, high = released.ends()
    least, most = released.domain()
    optional, is_missing = released.may_be_missing(), np.isnan(low)
    low, high = np.where(optional, least, low), np.where(optional, most, high)
    is_present = ~is_missing[released.codes]
    ends = (low[released.codes][is_present], least), (high[released.codes][is_present], most)
    lows, highs = (np.sort(np.r_[numbers, np.full(left_out, fill)]) for numbers, fill in ends)
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
    index = max(int(np.ceil(share * len(rising) - 1e-9)) - 1, 0)
    return float(rising[index]) if len(rising) else float("nan")


def group_sizes(cells: Cells, left_out: int = 0) -> tuple[I8, I8]:
    """For each group of a column's values, how many records are in it for certain, and how many may be.

    A missing cell is in no group; whatever may be missing is in none for certain.
    """
    leaves, size = cells.forms.leaves, cells.size
    groups = len(cells.names)
    owner = row_of_entry(cells.forms.start)
    real = leaves < size
    pairs = np.unique(owner[real] * groups + cells.groups[leaves[real]])
    form, group = pairs // groups, pairs % groups
    rows = np.bincount(cells.codes, minlength=len(cells.forms.labels))
    is_only_group = (np.bincount(form, minlength=len(rows)) == 1) & (
        cells.counts() == np.diff(cells.forms.start)
    )
    certain = np.bincount(group, weights=rows[form] * is_only_group[form], minlength=groups)
    possible = np.bincount(group, weights=rows[form], minlength=groups) + left_out
    return certain.astype(np.int64), possible.astype(np.int64)
