"""Whether a released table can stem from given originals, when nobody knows any more which row from which record."""

from collections.abc import Sequence

import numpy as np

from shoal.data.types import B1, I4, I8
from shoal.privacy.lookalikes import ruling
from shoal.release import Verdict

__all__ = ["covering"]


def covering(forms: I4, values: I4, covers: Sequence[B1]) -> Verdict:
    """Judge that every combination of published forms lies over at least as many originals as it has records.

    Where forms do not overlap this is the whole truth; where they do it is a necessary condition.

    Parameters
    ----------
    forms : int32[rows, d]
        The published form of each row in each column.
    values : int32[records, d]
        The value of each original in each column.
    covers : for each column bool[forms, values]
        Which form covers which value.
    """
    rows, where, wanted = np.unique(forms, axis=0, return_inverse=True, return_counts=True)
    originals, weight = np.unique(values, axis=0, return_counts=True)
    short = _owned(rows, originals, weight, covers) < wanted
    for row in np.flatnonzero(short):  # a record may also lie under a wider form than its narrowest
        inside = np.logical_and.reduce([c[rows[row, j], originals[:, j]] for j, c in enumerate(covers)])
        short[row] = weight[inside].sum() < wanted[row]
    broken = short[where.reshape(-1)]
    if broken.any():
        return ruling(broken, f"{broken.sum()} released records fit too few originals", {})
    return Verdict(True, "every released record fits enough originals")


def _owned(
    rows: I4,
    originals: I4,
    weight: I8,
    covers: Sequence[B1],
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
