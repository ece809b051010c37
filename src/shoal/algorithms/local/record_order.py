"""Records by rising code, and tuples in a line in which neighbours are alike."""

from collections.abc import Sequence

import numpy as np

from shoal.algorithms.local.column_prices import Scale
from shoal.data import Column, Table
from shoal.data.types import F8, I4, I8

__all__ = ["price_order", "sort_records"]


def sort_records(packed: I8, table: Table, *, mix: bool) -> tuple[I8, I8, I8]:
    """All records by rising tuple: their rows, each one's tuple 0, 1, ..., and the distinct tuples, packed.

    Equal tuples are sorted by what else is published about them, never by their order in the file. With `mix` their
    sensitive values take turns, each as often as it is frequent, so that neighbours are diverse.
    """
    other = _other_cells(table)
    order = np.lexsort((other, *packed))
    if mix:
        turn = _turns(packed[:, order], other[order])
        order = order[np.lexsort((other[order], turn, *packed[:, order]))]
    new = np.r_[True, (np.diff(packed[:, order], axis=1) != 0).any(axis=0)]
    return order, np.cumsum(new) - 1, np.ascontiguousarray(packed[:, order[new]])


def _other_cells(table: Table) -> I8:
    """Numbers in the order of the sensitive and plain cells, then of the persons."""
    key = np.zeros(table.n, dtype=np.int64)
    for column in (*table.role("sensitive"), *table.role("plain")):
        key = np.unique(key * len(column.values) + _ranked(column), return_inverse=True)[1]
    if table.persons is not None:
        persons = np.unique(table.persons, return_inverse=True)[1]
        key = np.unique(key * (persons.max() + 1) + persons, return_inverse=True)[1]
    return key.astype(np.int64)


def _ranked(column: Column) -> I8:
    """Each record's cell by its place among the texts in order, the missing one first."""
    order = sorted(
        range(len(column.values)),
        key=lambda code: (column.values[code] is not None, column.values[code] or ""),
    )
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[column.codes]


def _turns(packed: I8, other: I8) -> F8:
    """When each record's turn is among those of its tuple: the i-th of c equal ones at (i + 1/2) / c."""
    new = np.r_[True, (np.diff(packed, axis=1) != 0).any(axis=0) | (np.diff(other) != 0)]
    first = np.flatnonzero(new)
    run = np.cumsum(new) - 1
    size = np.diff(np.r_[first, len(other)])
    return np.asarray((np.arange(len(other)) - first[run] + 0.5) / size[run])


def price_order(scales: Sequence[Scale], tuples: I4, last: int = -1) -> I8:
    """All tuples in a line, sorted by what a difference costs: the difference that costs most comes first.

    A sort key is a level of a column (or the column, where it is written as ranges or sets). Its price is what two
    records pay at least if their keys differ. Every other group of equal keys runs backwards, so that
    neighbours at the border of two groups are close in the next key too. Column `last` is the last sort key.
    """
    keys = [
        ((j == last, -price, j), key[tuples[:, j]])
        for j, scale in enumerate(scales)
        for price, key in scale.keys
    ]
    place = np.zeros(len(tuples), dtype=np.int64)
    for _, key in sorted(keys, key=lambda pair: pair[0]):
        turned = np.where(place % 2 == 1, key.max() - key, key)
        place = np.unique(place * (key.max() + 1) + turned, return_inverse=True)[1]
    return np.argsort(place, kind="stable")
