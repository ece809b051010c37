"""Whether released records can stem from given originals, when nobody knows any more which row from which record."""

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.data.types import B1, I4, I8
from shoal.privacy.lookalikes import ruling
from shoal.privacy.matching import largest_flow
from shoal.release import Verdict

__all__ = ["Covers", "covering"]

Covers = B1 | None
"""bool[forms, values]: which form covers which value; None where a form covers the value of its own number alone."""

_MOST_CELLS = 1 << 28  # forms compared with values
_MOST_FITS = 1 << 21  # pairs in a matching


def covering(forms: I4, values: I4, covers: Sequence[Covers]) -> Verdict:
    """Judge that the released records can be matched with originals that they cover, no original taken twice.

    Of very large data it is only judged that every combination of published forms lies over at least as many originals
    as it has records, which must hold then; the sentence says which.

    Parameters
    ----------
    forms : int32[rows, d]
        The published form of each row in each column; equal leaf sets have one number.
    values : int32[records, d]
        The value of each original in each column.
    covers : for each column
        Which form covers which value.
    """
    rows, where, wanted = np.unique(forms, axis=0, return_inverse=True, return_counts=True)
    originals, weight = np.unique(values, axis=0, return_counts=True)
    where = where.reshape(-1)
    short = _owned(rows, originals, weight, covers) < wanted
    if not short.any():
        return Verdict(True, _ALL)
    if len(rows) * len(originals) > _MOST_CELLS:
        return _enough(rows, originals, weight, covers, wanted, short, where)
    fits = _fits(rows, originals, covers)
    if fits is None:
        return _enough(rows, originals, weight, covers, wanted, short, where)
    return _matched(*fits, weight, wanted, where)


_ALL = "every released record can be matched with an original of its own"


def _matched(row: I8, original: I8, weight: I8, wanted: I8, where: I8) -> Verdict:
    """Judge by a largest matching."""
    flow = largest_flow(original, row, weight, wanted)
    found = np.bincount(row, weights=flow, minlength=len(wanted)).astype(np.int64)
    left = int((wanted - found).sum())
    if not left:
        return Verdict(True, _ALL)
    return ruling((found < wanted)[where], f"{left} released records fit too few originals", {})


def _fits(rows: I4, originals: I4, covers: Sequence[Covers]) -> tuple[I8, I8] | None:
    """Every pair of a combination of forms and one of values under it; None when there are too many to hold."""
    parts, held = [], 0
    for row, inside in enumerate(_inside(rows, originals, covers)):
        found = np.flatnonzero(inside)
        parts.append((np.full(len(found), row), found))
        held += len(found)
        if held > _MOST_FITS:
            return None
    row_of, original = (np.concatenate(part) for part in zip(*parts, strict=True))
    return row_of, original


def _inside(rows: I4, originals: I4, covers: Sequence[Covers]) -> Iterator[B1]:
    """For each combination of forms, which combinations of values it covers."""
    for row in rows:
        yield np.logical_and.reduce(
            [
                originals[:, j] == row[j] if cover is None else cover[row[j], originals[:, j]]
                for j, cover in enumerate(covers)
            ]
        )


def _enough(
    rows: I4, originals: I4, weight: I8, covers: Sequence[Covers], wanted: I8, short: B1, where: I8
) -> Verdict:
    """Judge that every combination of forms lies over enough originals, whichever else they lie under."""
    few = np.flatnonzero(short)
    for row, inside in zip(few, _inside(rows[few], originals, covers), strict=True):
        short[row] = weight[inside].sum() < wanted[row]
    broken = short[where]
    if broken.any():
        return ruling(broken, f"{broken.sum()} released records fit too few originals", {})
    return Verdict(True, "every released record fits enough originals")


def _owned(rows: I4, originals: I4, weight: I8, covers: Sequence[Covers]) -> I8:
    """For each combination of forms, the originals whose narrowest forms it is made of; no original has two."""
    owner = np.empty_like(originals)
    for j, table in enumerate(covers):
        if table is None:
            owner[:, j] = originals[:, j]
            continue
        width = np.where(table, table.sum(axis=1)[:, None], table.shape[1] + 1)
        narrowest = np.where(table.any(axis=0), width.argmin(axis=0), -1)
        owner[:, j] = narrowest[originals[:, j]]
    together, where = np.unique(np.r_[rows, owner], axis=0, return_inverse=True)
    where = where.reshape(-1)
    counts = np.bincount(where[len(rows) :], weights=weight, minlength=len(together)).astype(np.int64)
    return np.asarray(counts[where[: len(rows)]], dtype=np.int64)
