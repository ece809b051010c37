"""Counting rows that may each stand for several records: a table can be given as its frequency table."""

import numpy as np
from numpy.typing import NDArray

from shoal.data.types import I8

__all__ = ["holders", "how_many", "times"]


def times(codes: NDArray[np.integer], counts: I8 | None, width: int = 0) -> I8:
    """How many records have each code; `counts` says how many each row stands for, None means one.

    >>> times(np.array([0, 2, 0]), np.array([5, 1, 2]), 4).tolist()
    [7, 0, 1, 0]
    """
    if counts is None:
        return np.bincount(codes, minlength=width)
    found = np.bincount(codes, weights=counts, minlength=width)  # exact: no table has 2^53 records
    return np.asarray(found, dtype=np.int64)


def holders(codes: NDArray[np.integer], persons: I8 | None, counts: I8 | None = None) -> I8:
    """How many people hold each code; several rows may be one person's, or one row may stand for several records.

    >>> holders(np.array([0, 0, 1]), np.array([7, 7, 8])).tolist()
    [1, 1]
    """
    if persons is None:
        return times(codes, counts)
    pairs = np.unique(np.stack([codes, persons], axis=1), axis=0)
    return np.bincount(pairs[:, 0], minlength=int(np.max(codes, initial=-1)) + 1)


def how_many(rows: NDArray[np.bool_], counts: I8 | None) -> int:
    """How many records the picked rows stand for."""
    return int(rows.sum() if counts is None else counts[rows].sum())
