"""Sampling weights as they are published: rounded, in a few classes, or calibrated to the margins of the release.

All are made of released records alone, after their classes: no weight steers which classes there are.

- *Rounded* and *in classes*: each weight becomes the nearest of some values, the multiples of a base or a few that lie
  among the weights. Among look-alikes a value must be that of enough people to keep the claim by themselves; values of
  fewer are taken together with the next ones, and become the value that is nearest to their mean.
- *Calibrated*: equal weights are raked until they sum to the weighted total of each published value of some
  quasi-identifiers, so a weight is a function of its row's labels and of these totals.
"""

from collections.abc import Callable, Iterator

import numpy as np

from shoal.algorithms._kernels import would_keep_constraint
from shoal.algorithms.constraint import SLACK, Constraint, compile_constraint, count_people, number_persons
from shoal.base.errors import InfeasibleError
from shoal.data import Table
from shoal.data.arrays import F8, I8
from shoal.data.raking import rake
from shoal.io.weight_release import WeightRelease
from shoal.release import Claim, Recoded
from shoal.utility import class_ids, class_of_rows

__all__ = ["publish_weights"]

_TOLERANCE, _SWEEPS = 1e-9, 2000  # of raking: shares of a total, and how often margins are gone through
_SETTLED = 1e-6  # what raking may leave, as a share of a total
_DIGITS, _CLASS_DIGITS = 6, 3  # of a calibrated weight, and of one that stands for a class of them

Nearest = Callable[[F8], F8]
"""From weights to the nearest of the values that are published."""


def publish_weights(how: WeightRelease, name: str, table: Table, release: Recoded, claim: Claim) -> F8:
    """The weight of each released record as it is published.

    Parameters
    ----------
    how
        What is done to the weights of column `name`.
    table
        All records, with their weights and sensitive columns.
    release
        Those that are released.
    claim
        What the classes of the release keep, and must keep where records of one weight are told from the others.

    Raises
    ------
    InfeasibleError
        The margins cannot be met.
    """
    assert table.weights is not None
    weights = table.weights[release.rows]
    if not len(weights):
        return weights
    if how.total is not None:
        weights = weights * (how.total / weights.sum())
    if how.way == "calibrated":
        return _calibrate(how, name, weights, release)
    nearest = _multiples_of(how.base) if how.way == "rounded" else _class_values(weights, how.classes)
    return _share_values(weights, nearest, table, release, claim)


# --- rounded, and in classes


def _multiples_of(base: float) -> Nearest:
    """The nearest multiple of a base, at least once the base.

    >>> _multiples_of(50)(np.array([3.0, 74.9, 75.0])).tolist()
    [50.0, 50.0, 100.0]
    """

    def nearest(weights: F8) -> F8:
        return np.asarray(np.round(np.maximum(np.floor(weights / base + 0.5), 1) * base, 10))

    return nearest


def _class_values(weights: F8, classes: int) -> Nearest:
    """The nearest of the means of so many equal parts of the weights, by size, each rounded to three digits.

    >>> _class_values(np.array([1.0, 2.0, 9.0, 10.0]), 2)(np.array([1.0, 4.0, 8.0])).tolist()
    [1.5, 1.5, 9.5]
    """
    parts = np.array_split(np.sort(weights), min(classes, len(weights)))
    values = np.unique(_round_to_digits(np.array([part.mean() for part in parts]), _CLASS_DIGITS))
    between = (values[1:] + values[:-1]) / 2
    return lambda some: values[np.searchsorted(between, some, side="right")]


def _round_to_digits(numbers: F8, digits: int) -> F8:
    """Numbers with so many significant digits."""
    return np.array([float(f"{number:.{digits - 1}e}") for number in numbers.tolist()])


def _share_values(weights: F8, nearest: Nearest, table: Table, release: Recoded, claim: Claim) -> F8:
    """Give each record the nearest value, and few ones of a class the nearest value to the mean of more of them."""
    constraint = Constraint.of("weights", claim, table)
    published, keeps = np.empty(len(weights)), _class_test(table, release, claim, constraint)
    groups = 0
    for rows in _rows_by_class(class_of_rows(release), weights):
        for part in _merge_runs(rows, nearest(weights[rows]), keeps):
            published[part] = nearest(weights[part].mean(keepdims=True))[0]
            groups += 1
    if constraint.average is not None and groups > (constraint.average + SLACK) * _count_people(
        table, release
    ):
        for rows in _rows_by_class(class_of_rows(release), weights):
            published[rows] = nearest(weights[rows].mean(keepdims=True))[0]
    return published


def _count_people(table: Table, release: Recoded) -> int:
    """How many people are released."""
    return count_people(number_persons(table, release.rows), len(release.rows))[0]


def _class_test(table: Table, release: Recoded, claim: Claim, constraint: Constraint) -> Callable[[I8], bool]:
    """Whether some released records keep by themselves what the claim asks of a class."""
    if len(claim.parts) == 1 and table.persons is None:
        return lambda rows: len(rows) >= claim.crowd
    asked, tally = compile_constraint("weights", table, release.rows, constraint)
    return lambda rows: bool(would_keep_constraint(rows, asked, tally))


def _rows_by_class(classes: I8, weights: F8) -> Iterator[I8]:
    """The rows of each class, by weight."""
    order = np.lexsort((weights, classes))
    bounds = np.flatnonzero(np.diff(classes[order])) + 1
    yield from np.split(order, bounds)


def _merge_runs(rows: I8, values: F8, keeps: Callable[[I8], bool]) -> list[I8]:
    """Rows by weight, cut where the value changes and both sides keep the claim."""
    runs = np.split(rows, np.flatnonzero(np.diff(values)) + 1)
    parts: list[I8] = []
    pending = runs[0][:0]
    for run in runs:
        pending = np.concatenate([pending, run])
        if keeps(pending):
            parts.append(pending)
            pending = pending[:0]
    if len(pending):
        parts[-1:] = [np.concatenate([*parts[-1:], pending])]
    return parts


# --- calibrated


def _calibrate(how: WeightRelease, name: str, weights: F8, release: Recoded) -> F8:
    """Rake equal weights to the weighted totals of the released labels."""
    label_of_row = {
        column: forms.texts()[release.codes[:, j]]
        for j, (column, forms) in enumerate(zip(release.names, release.forms, strict=True))
    }
    margins = how.margins or tuple((column,) for column in release.names)
    groups = [class_ids([label_of_row[column] for column in margin]) for margin in margins]
    cell_of_row = class_ids(groups)
    first_row = np.unique(cell_of_row, return_index=True)[1]
    counts = np.bincount(cell_of_row).astype(np.float64)
    totals = [(group[first_row], np.bincount(group, weights=weights).astype(np.float64)) for group in groups]
    fitted, distance = rake(counts * (weights.sum() / len(weights)), totals, _TOLERANCE, _SWEEPS)
    if distance > _SETTLED:
        raise InfeasibleError(
            f"column '{name}': weights could not be calibrated to all margins within {_SWEEPS:,} rounds; name fewer "
            "margins"
        )
    return _round_to_digits(fitted / counts, _DIGITS)[cell_of_row]
