"""Counting queries over a table, and how far off a reader of its release counts: ARE.

A query is a list of (column, low, high): how many records have a leaf code low .. high - 1 in each of these columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.types import F8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.utility.column_cells import Cells

__all__ = ["QueryErrors", "TableQuery", "draw_queries", "query_counts", "table_are"]

TableQuery = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, repr=False)
class QueryErrors(Discreet):
    """How far off counts are.

    queries : how many were asked
    mean    : the mean over queries of |true - estimate| / max(true, bound): the average relative error, ARE
    median  : the median of the same
    bound   : the sanity bound: a smaller true count is taken for this
    """

    queries: int
    mean: float
    median: float
    bound: float


def draw_queries(
    columns: Sequence[Cells], *, seed: int, queries: int = 500, most: int = 3
) -> list[TableQuery]:
    """Draw queries from original records, so that somebody fits each.

    A query asks for one to `most` columns, any equally likely. In a column whose values have an order it asks for a
    range around the record's value: half as many places to each side as a number drawn from 0 to a third of the
    column says. In other columns it asks for the value itself. A missing cell is never asked for.

    Parameters
    ----------
    columns
        The originals.
    seed
        The same seed draws the same queries. It protects nothing.
    """
    rng = np.random.default_rng(seed)
    n = len(columns[0].codes) if columns else 0
    drawn: list[TableQuery] = []
    for _ in range(queries if n else 0):
        record = int(rng.integers(n))
        known = [j for j, cells in enumerate(columns) if cells.codes[record] < cells.size]
        if not known:
            continue
        many = int(rng.integers(1, min(most, len(known)) + 1))
        asked = []
        for j in np.sort(rng.choice(known, size=many, replace=False)).tolist():
            leaf, size = int(columns[j].codes[record]), columns[j].size
            reach = int(rng.integers(0, size // 3 + 1)) // 2 if columns[j].ordered else 0
            asked.append((j, max(0, leaf - reach), min(size, leaf + reach + 1)))
        drawn.append(tuple(asked))
    return drawn


def query_counts(queries: Sequence[TableQuery], columns: Sequence[Cells]) -> F8:
    """The expected number of rows that fit each query: a cell is any of its leaves, all equally likely.

    Columns are independent within a row. A missing cell fits nothing.
    """
    widths = [np.maximum(cells.counts(), 1) for cells in columns]
    found = []
    for query in queries:
        chance = None
        for j, low, high in query:
            forms = columns[j].forms
            before = np.r_[0, np.cumsum((forms.leaves >= low) & (forms.leaves < high))]
            share = ((before[forms.start[1:]] - before[forms.start[:-1]]) / widths[j])[columns[j].codes]
            chance = share if chance is None else chance * share
        found.append(0.0 if chance is None else float(chance.sum()))
    return np.array(found)


def table_are(
    queries: Sequence[TableQuery], originals: Sequence[Cells], released: Sequence[Cells]
) -> QueryErrors:
    """How far off a release's counts are, as a share of the true ones.

    A true count below the sanity bound, one record in a thousand and at least one, is taken for the bound: or a few
    questions about almost nobody would decide the mean. What is suppressed fits nothing.

    Raises
    ------
    InputError
        There is no query.

    References
    ----------
    .. [1] Garofalakis, Kumar. Wavelet synopses for general error metrics. ACM TODS 30, 2005 (the sanity bound).
    .. [2] LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006.
    """
    if not queries:
        raise InputError("are: no query is given; draw some from the originals")
    bound = max(1.0, len(originals[0].codes) / 1000)
    true, guess = query_counts(queries, originals), query_counts(queries, released)
    errors = np.abs(true - guess) / np.maximum(true, bound)
    return QueryErrors(len(queries), float(errors.mean()), float(np.median(errors)), bound)
