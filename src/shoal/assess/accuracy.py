"""How far means, counts and relations of a released table are off, as anybody may know it.

It compares what is released with what the same people had; nobody else's cells are looked at. Every figure is a sum
over all of them, and it is told in steps so wide that k people together cannot move it from one to the next but one:
of few people nothing is told.

kept   : Spearman's correlation of a column's middles with the numbers behind them, squared; of names the mean chance
         to draw the right one from a cell
mean   : how far the mean of all middles is off, in standard deviations
counts : how far the counts of the larger groups are off, as a share of the true count, on average
"""

from collections.abc import Sequence
from itertools import combinations
from math import floor

import numpy as np

from shoal.assess.prediction import PUBLISHED, read_originals, read_release
from shoal.base.naming import RECODED
from shoal.data.arrays import F8
from shoal.release import Recoded
from shoal.report.facts import Accuracy, ColumnAccuracy, PairAccuracy
from shoal.shapes.table.data import TableData
from shoal.utility.columns import Cells, cell_middles, correlations

__all__ = ["measure_accuracy"]

_STEPS = (0.05, 0.1, 0.2)
_LEVERAGE = 12  # what one person's ranks, or a value three deviations off, do to a sum of squares, in people
_GROUPS, _SHARE = (
    12,
    0.05,
)  # groups of a column, and the share of people that a group has whose count is compared
_MOST_CELLS, _MOST_COLUMNS = 20_000_000, 100
_STRONG = 0.1  # a relation that is worth a word


def measure_accuracy(people: TableData, release: Recoded, k: int) -> Accuracy | None:
    """What analyses of the release can rely on; None where the people are too few, or too many to look at.

    Parameters
    ----------
    people
        The originals.
    release
        What was made of them.
    k
        How many people together must not be told by any figure.
    """
    columns = [column for column in people.table.columns if column.role in PUBLISHED]
    if people.table.counts is not None or people.table.n * len(columns) > _MOST_CELLS:
        return None
    step = _widest_needed_step(people, release, k)
    if step is None or not any(column.role in RECODED for column in columns):
        return None
    originals = read_originals(people, _GROUPS)
    before = [cells.some(release.rows) for cells in originals]
    after = read_release(release, originals)
    recoded = {column.name for column in columns if column.role in RECODED}
    measured = [
        _column_accuracy(old, new, step)
        for old, new in zip(before, after, strict=True)
        if old.name in recoded
    ]
    return Accuracy(step, measured, _pair_accuracies(before, after, recoded, step))


def _widest_needed_step(people: TableData, release: Recoded, k: int) -> float | None:
    """The smallest step that k people cannot pass; None where even the widest is too narrow for them."""
    n = len(release.rows)
    rows_of_one = 1 if people.table.persons is None or not n else int(np.bincount(people.table.persons).max())
    weight = _LEVERAGE * max(k, 2) * rows_of_one
    return next((step for step in _STEPS if weight <= step * n), None)


def _column_accuracy(old: Cells, new: Cells, step: float) -> ColumnAccuracy:
    if old.numbers is not None:
        true, middle = cell_middles(old), cell_middles(new)
        is_known = ~np.isnan(true) & ~np.isnan(middle)
        true, middle = true[is_known], middle[is_known]
        if len(true) < 2 or true.std() == 0:
            return ColumnAccuracy(old.name, 1.0)
        # of numbers far from all others one person may have most of the deviation
        reach = max(true.max() - true.mean(), true.mean() - true.min()) / true.std()
        off = float(abs(middle.mean() - true.mean()) / true.std())
        correlation = float(correlations([_rank(true), _rank(middle)])[0, 1])
        return ColumnAccuracy(
            old.name,
            _round_down(max(correlation, 0.0) ** 2, step),
            mean=_round_up(_round_up(off, step * max(1.0, reach / 3)) - 1e-9, _STEPS[0]),
        )
    shares = new.shares()
    group = np.where(old.codes < old.size, old.groups[np.minimum(old.codes, old.size - 1)], -1)
    rows = np.flatnonzero(group >= 0)
    if not len(rows):
        return ColumnAccuracy(old.name, 1.0)
    kept = float(shares[new.codes[rows], group[rows]].mean())
    counted = np.bincount(group[rows], minlength=len(old.names)).astype(float)
    guessed = np.bincount(new.codes[rows], minlength=len(shares)) @ shares
    large = counted >= _SHARE * len(rows)
    off = float(np.mean(np.abs(guessed[large] - counted[large]) / counted[large])) if large.any() else 0.0
    return ColumnAccuracy(old.name, _round_down(kept, step), counts=_round_up(off, step))


def _pair_accuracies(
    before: Sequence[Cells], after: Sequence[Cells], recoded: set[str], step: float
) -> list[PairAccuracy]:
    """The pairs of columns with a sign that are related, the strongest first."""
    names: list[str] = []
    old_columns: list[F8] = []
    new_columns: list[F8] = []
    for old, new in zip(before, after, strict=True):
        if old.numbers is not None:
            ranks = _rank(cell_middles(old)), _rank(cell_middles(new))
        elif len(old.names) == 2 or old.ordered:  # few answers in order, by their places
            places = np.arange(len(old.names), dtype=np.float64)
            ranks = (old.shares() @ places)[old.codes], (new.shares() @ places)[new.codes]
        else:
            continue
        if len(names) < _MOST_COLUMNS:
            names.append(old.name)
            old_columns.append(ranks[0])
            new_columns.append(ranks[1])
    matrices = correlations(old_columns), correlations(new_columns)
    pairs = [
        PairAccuracy(names[i], names[j], *(_round(float(matrix[i, j]), step) for matrix in matrices))
        for i, j in combinations(range(len(names)), 2)
        if names[i] in recoded or names[j] in recoded
    ]
    related = [pair for pair in pairs if abs(pair.before) >= _STRONG - 1e-9 or pair.is_turned]
    return sorted(related, key=lambda pair: -abs(pair.before))


def _rank(numbers: F8) -> F8:
    """Ranks, the mean of equal ones; nan stays."""
    ranks = np.full(len(numbers), np.nan)
    is_known = ~np.isnan(numbers)
    _, place, counts = np.unique(numbers[is_known], return_inverse=True, return_counts=True)
    ranks[is_known] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def _round(value: float, step: float) -> float:
    return round(round(value / step) * step, 10)


def _round_up(value: float, step: float) -> float:
    """At most so much: a step more where it lies on one, so that exact is not told from nearly exact."""
    return round((floor(value / step) + 1) * step, 10)


def _round_down(value: float, step: float) -> float:
    return round(floor(value / step + 1e-9) * step, 10)
