"""Whether released records can stem from given originals, when nobody knows any more which from which."""

import numpy as np
import polars as pl

from shoal.data import Column
from shoal.data.lists import owners
from shoal.data.types import B1, I4, I8
from shoal.io.cells import factorize, text
from shoal.publish.table.dataset import TableData
from shoal.publish.table.judging import resolve
from shoal.release import Verdict

__all__ = ["covered"]


def covered(frame: pl.DataFrame, dataset: TableData) -> Verdict:
    """Every combination of published forms must lie over at least as many originals as it has records.

    Where forms do not overlap this is the whole truth; where they do it is a necessary condition.
    """
    columns = dataset.table.columns
    fits = [_fits(text(frame[column.name]), column, dataset) for column in columns]
    rows, where, wanted = np.unique(
        np.stack([codes for codes, _, _ in fits], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    originals, weight = np.unique(
        np.stack([values for _, values, _ in fits], axis=1), axis=0, return_counts=True
    )
    covers = [table for _, _, table in fits]
    short = _owned(rows, originals, weight, covers) < wanted
    for row in np.flatnonzero(short):  # a record may also lie under a wider form than its narrowest
        inside = np.logical_and.reduce([c[rows[row, j], originals[:, j]] for j, c in enumerate(covers)])
        short[row] = weight[inside].sum() < wanted[row]
    bad = np.flatnonzero(short[where.reshape(-1)])
    if len(bad):
        witnesses = tuple(int(row) + 1 for row in bad[:100])
        return Verdict(
            False, f"{len(bad)} released records lie over too few originals", True, len(bad), witnesses
        )
    return Verdict(True, "every released record lies over enough originals")


def _fits(cells: pl.Series, column: Column, dataset: TableData) -> tuple[I4, I4, B1]:
    """Each row's form, each original's value, and bool[forms, values]: which form covers which value."""
    if column.role == "quasi":
        tree = dataset.hierarchies[column.name]
        forms, codes = resolve(cells, tree)
        covers = np.zeros((len(forms.labels), tree.size + 1), dtype=bool)
        covers[owners(forms.start), forms.leaves] = True
        return codes, tree.encode(column), covers
    published, codes = factorize(cells)
    place = {value: code for code, value in enumerate(published)}
    same = np.zeros((len(published), len(column.values)), dtype=bool)
    for value, text_of_value in enumerate(column.values):
        if text_of_value in place:
            same[place[text_of_value], value] = True
    return codes, column.codes, same


def _owned(
    rows: I4,
    originals: I4,
    weight: I8,
    covers: list[B1],
) -> I8:
    """For each combination of forms, the originals whose narrowest forms it is made of."""
    owner = np.empty_like(originals)
    for j, table in enumerate(covers):
        width = np.where(table, table.sum(axis=1)[:, None], table.shape[1] + 1)
        narrowest = np.where(table.any(axis=0), width.argmin(axis=0), -1)
        owner[:, j] = narrowest[originals[:, j]]
    together, where = np.unique(np.r_[rows, owner], axis=0, return_inverse=True)
    where = where.reshape(-1)
    counts = np.bincount(where[len(rows) :], weights=weight, minlength=len(together)).astype(np.int64)
    return np.asarray(counts[where[: len(rows)]], dtype=np.int64)
