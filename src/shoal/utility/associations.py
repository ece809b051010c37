"""How strongly columns hang together, before and after: Cramer's V for each pair, correlation for pairs of numbers.

shares : float64[n, groups]   how much of each group of a column's values the cell of a row stands for, in all 1
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.data.types import F8
from shoal.discreet import Discreet
from shoal.utility.column_cells import Cells

__all__ = ["Association", "associations", "correlations", "cramers_v"]

_VALUES = 4_000_000
"""How many shares of cells are held at once."""


@dataclass(frozen=True, slots=True, repr=False)
class Association(Discreet):
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


def associations(before: Sequence[Cells], after: Sequence[Cells]) -> list[Association]:
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
    both = [_v_matrix(cells) for cells in (before, after)]
    found = [
        Association(a.name, b.name, "cramers-v", float(both[0][i, j]), float(both[1][i, j]))
        for i, a in enumerate(before)
        for j, b in enumerate(before[i + 1 :], start=i + 1)
    ]
    places = [j for j, cells in enumerate(before) if cells.numbers is not None]
    lines = [correlations([_numbers(cells[j]) for j in places]) for cells in (before, after)]
    found += [
        Association(
            before[i].name, before[j].name, "correlation", float(lines[0][x, y]), float(lines[1][x, y])
        )
        for x, i in enumerate(places)
        for y, j in enumerate(places[x + 1 :], start=x + 1)
    ]
    return sorted(found, key=lambda pair: -pair.change)


def cramers_v(table: F8) -> float:
    """Cramer's V of a table of counts, corrected for its bias as Bergsma does; 0 where a side has one value only.

    Without the correction, tables with many values and few records look as if the columns hung together.

    References
    ----------
    .. [1] Bergsma. A bias-correction for Cramer's V and Tschuprow's T. J. Korean Statistical Society 42, 2013.

    Examples
    --------
    >>> round(cramers_v(np.array([[50.0, 0.0], [0.0, 50.0]])), 4), cramers_v(np.array([[25.0, 25.0], [25.0, 25.0]]))
    (1.0, 0.0)
    """
    rows, columns, n = table.sum(axis=1), table.sum(axis=0), float(table.sum())
    table = table[np.ix_(rows > 0, columns > 0)]
    rows, columns = rows[rows > 0], columns[columns > 0]
    r, c = table.shape
    if n <= 1 or r < 2 or c < 2:
        return 0.0
    square = float(((table * table) / np.outer(rows, columns)).sum()) - 1.0  # chi squared over n
    left = max(0.0, square - (r - 1) * (c - 1) / (n - 1))
    smaller = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return float(np.sqrt(min(1.0, left / smaller))) if smaller > 0 else 0.0


def correlations(columns: Sequence[F8]) -> F8:
    """Pearson's correlation of every pair, over the rows where both are known; 0 where one of them does not vary.

    >>> correlations([np.array([1.0, 2.0, 3.0, np.nan]), np.array([2.0, 4.0, 6.0, 0.0])])[0, 1].round(6).item()
    1.0
    """
    if not columns:
        return np.zeros((0, 0))
    scaled = np.stack([_around_zero(column) for column in columns], axis=1)
    known = (~np.isnan(scaled)).astype(np.float64)
    x = np.nan_to_num(scaled)
    many, sums, squares, products = known.T @ known, x.T @ known, (x * x).T @ known, x.T @ x
    rows = np.maximum(many, 1)
    spread = np.maximum(squares - sums * sums / rows, 0.0)
    # what is left of equal numbers when their mean is taken away is rounding
    varies = (spread > 1e-12 * np.maximum(squares, 1e-300)) & (spread > 1e-20 * rows)
    both = varies & varies.T
    found = (products - sums * sums.T / rows) / np.sqrt(np.where(both, spread * spread.T, 1.0))
    return np.where(both, np.clip(found, -1.0, 1.0), 0.0)


def _around_zero(column: F8) -> F8:
    """A column moved and scaled to -1 .. 1, so that no square overflows, vanishes or drowns."""
    known = column[~np.isnan(column)]
    if not len(known):
        return column
    middle = known.min() / 2 + known.max() / 2
    moved = column - middle
    return np.asarray(moved / (np.nanmax(np.abs(moved)) or 1.0))


def _v_matrix(columns: Sequence[Cells]) -> F8:
    """Cramer's V of every pair, from one product of all columns' shares."""
    columns = [cells.used() for cells in columns]
    widths = np.cumsum([0, *(len(cells.names) for cells in columns)])
    whole = np.zeros((widths[-1], widths[-1]))
    shares = [cells.shares() for cells in columns]
    n = len(columns[0].codes) if columns else 0
    step = max(1, _VALUES // max(int(widths[-1]), 1))
    for at in range(0, n, step):
        some = np.hstack([s[cells.codes[at : at + step]] for s, cells in zip(shares, columns, strict=True)])
        whole += some.T @ some
    found = np.zeros((len(columns), len(columns)))
    spans = list(pairwise(widths.tolist()))
    for i, (a, b) in enumerate(spans):
        for j, (c, d) in enumerate(spans[i + 1 :], start=i + 1):
            found[i, j] = cramers_v(whole[a:b, c:d])
    return found


def _numbers(cells: Cells) -> F8:
    """The middle of every cell; nan where it stands for no number."""
    low, high = cells.ends()
    return np.asarray(((low + high) / 2)[cells.codes])
