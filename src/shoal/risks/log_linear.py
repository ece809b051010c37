"""How many people who are alone in a sample are alone in its population, by log-linear models of the population.

The records are a sample; cells are combinations of key values. The number of people of the population in cell k is
taken to be Poisson with mean L(k), where log L is a sum of main effects, or of these and all interactions of two
columns. L is fitted by iterative proportional fitting to the margins of the weighted counts (pseudo maximum likelihood,
which is maximum likelihood where all weights are equal). Of a cell with one record, drawn with probability
p = 1 / weight, the people who were not drawn are Poisson with mean m = (1 - p) L, so

- the record is alone in the population with the chance exp(-m); the sum over all such records is tau 1,
- matched with somebody of its cell it is the right one with the chance (1 - exp(-m)) / m; the sum is tau 2.

Only cells whose pairs of values all occur can have a fitted mean above 0. These alone are listed, so large and sparse
tables take no more room than they need.

References
----------
.. [1] Elamir, Skinner. Record level measures of disclosure risk for survey microdata. J. of Official Statistics 22(3),
   2006.
.. [2] Skinner, Shlomo. Assessing identification risk in survey microdata using log-linear models. J. of the American
   Statistical Association 103, 2008.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shoal.data import Table
from shoal.data.arrays import F8, I8
from shoal.data.raking import Margin, rake
from shoal.utility.classes import class_ids

__all__ = ["ModelledRisk", "model_population", "model_table"]

_WORK = 10_000_000  # cells times margins of a model, at most
_TOLERANCE, _SWEEPS = 1e-5, 60


@dataclass(frozen=True, slots=True)
class ModelledRisk:
    """What a model of the population says of the records that are alone in the sample.

    model   : "main effects", or "two-way" with all interactions of two columns
    alone   : how many records are alone in the sample
    unique  : how many of them are expected to be alone in the population, too (tau 1)
    matches : how many of them are expected to be matched rightly with a person of the population (tau 2)
    """

    model: str
    alone: int
    unique: float
    matches: float


def model_population(columns: Sequence[NDArray[np.integer]], weights: F8) -> list[ModelledRisk]:
    """Fit the models that say more than the counts themselves, the simplest first.

    Main effects need two columns, interactions three. Interactions are left out where too many cells may be inhabited.

    Parameters
    ----------
    columns
        The codes of each key column, one for each record.
    weights
        float64[n], how many people each record stands for.

    Examples
    --------
    >>> sexes, ages = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 1])
    >>> found = model_population([sexes, ages], np.full(5, 4.0))[0]
    >>> found.model, found.alone, round(found.unique, 6), round(found.matches, 6)
    ('main effects', 3, 0.145365, 0.919243)
    """
    if len(columns) < 2 or not len(weights):
        return []
    codes = [np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.int64) for column in columns]
    cell = class_ids(codes)
    first = np.unique(cell, return_index=True)[1]
    cells = np.stack([column[first] for column in codes], axis=1)
    people: F8 = np.asarray(np.bincount(cell, weights=weights), dtype=np.float64)
    is_alone = np.bincount(cell) == 1
    models = [("main effects", _fit_main_effects(cells, people))]
    if len(columns) > 2 and (means := _fit_two_way(cells, people)) is not None:
        models.append(("two-way", means))
    return [_summarize(name, means[is_alone], people[is_alone]) for name, means in models]


def model_table(table: Table, population: int | None = None) -> list[ModelledRisk]:
    """The same of the quasi-identifiers of a table, by its weights, or as if drawn at random from so many people.

    Nothing where neither is known, or where a person has several rows.
    """
    if table.persons is not None or table.counts is not None or not table.n:
        return []
    weights = table.weights
    if weights is None and population is not None:
        weights = np.full(table.n, max(population / table.n, 1.0))
    return [] if weights is None else model_population([column.codes for column in table.quasi], weights)


def _summarize(model: str, means: F8, weights: F8) -> ModelledRisk:
    """Tau 1 and tau 2 of the cells of records who are alone, with these fitted means and weights."""
    others = np.maximum(1 - 1 / np.maximum(weights, 1.0), 0.0) * means
    chances = np.divide(-np.expm1(-others), others, out=np.ones_like(others), where=others > 0)
    return ModelledRisk(model, len(means), float(np.exp(-others).sum()), float(chances.sum()))


def _fit_main_effects(cells: I8, people: F8) -> F8:
    """The means of independent columns: products of shares."""
    whole = float(people.sum())
    means = np.full(len(cells), whole)
    for column in cells.T:
        means *= np.bincount(column, weights=people)[column] / whole
    return means


def _fit_two_way(cells: I8, people: F8) -> F8 | None:
    """The means of a model with all interactions of two columns, of the cells of the sample; None where too large."""
    pairs = list(combinations(range(cells.shape[1]), 2))
    listed = _list_cells(cells, _WORK // len(pairs))
    if listed is None:
        return None
    widths = cells.max(axis=0) + 1
    margins: list[Margin] = []
    for i, j in pairs:
        size = int(widths[i] * widths[j])
        totals = np.bincount(cells[:, i] * widths[j] + cells[:, j], weights=people, minlength=size)
        margins.append((listed[:, i] * widths[j] + listed[:, j], totals.astype(np.float64)))
    fitted, _ = rake(np.full(len(listed), people.sum() / len(listed)), margins, _TOLERANCE, _SWEEPS)
    number = class_ids(list(np.concatenate([listed, cells]).T))
    mean_of_number = np.zeros(int(number.max()) + 1)
    mean_of_number[number[: len(listed)]] = fitted
    return mean_of_number[number[len(listed) :]]


def _list_cells(cells: I8, most: int) -> I8 | None:
    """All cells whose pairs of values all occur in some cell; None where there are more than `most`."""
    widths = cells.max(axis=0) + 1
    order = np.argsort(widths, kind="stable")
    listed = np.arange(widths[order[0]])[:, None]
    for place, column in enumerate(order[1:], start=1):
        if len(listed) * int(widths[column]) > 8 * most:
            return None
        occurs = np.ones((len(listed), int(widths[column])), dtype=bool)
        for earlier in range(place):
            is_pair = np.zeros((int(widths[order[earlier]]), int(widths[column])), dtype=bool)
            is_pair[cells[:, order[earlier]], cells[:, column]] = True
            occurs &= is_pair[listed[:, earlier]]
        rows, values = np.nonzero(occurs)
        if len(rows) > most:
            return None
        listed = np.concatenate([listed[rows], values[:, None]], axis=1)
    restored = np.empty_like(listed)
    restored[:, order] = listed
    return restored
