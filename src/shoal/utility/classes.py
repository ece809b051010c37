"""Classes of a released table: rows that share every label."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.base.errors import InputError
from shoal.data.arrays import I8
from shoal.release import Recoded

__all__ = ["class_ids", "class_of_rows", "number_values"]


_ROOM = 2**62


def class_ids(columns: Sequence[NDArray[np.integer]]) -> I8:
    """Number the records so that equal tuples get equal numbers, 0 .. classes-1 in tuple order.

    Parameters
    ----------
    columns
        One integer array a column, all of one length n.

    Returns
    -------
    int64[n]

    Raises
    ------
    InputError
        There is no column: then nothing tells records apart, and nothing says how many there are.

    Examples
    --------
    >>> class_ids([np.array([7, 7, 3, 7]), np.array([1, 1, 1, 0])]).tolist()
    [2, 2, 0, 1]
    """
    if not columns:
        raise InputError("classes: no columns to group by; give at least one quasi-identifier")
    key, span = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        digit, width = _as_digits(column)
        if span * width > _ROOM:  # the packed key is full: number the tuples so far, then go on
            key, span = number_values(key)
        key, span = key * width + digit, span * width
    return number_values(key)[0]


def class_of_rows(recoded: Recoded) -> I8:
    """Give each released row its class: a blank cell and the root stand for the same, and readers tell them apart."""
    seen = recoded.only(recoded.core) if recoded.core else recoded
    return class_ids([forms.texts()[seen.codes[:, j]] for j, forms in enumerate(seen.forms)])


def _as_digits(column: NDArray[np.integer]) -> tuple[I8, int]:
    """The column as numbers 0 .. width-1 in the same order, and the width, at most 2^31 or the length."""
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
    if high - low < 2**31:
        return column.astype(np.int64) - low, high - low + 1
    return number_values(column)


def number_values(column: NDArray[np.integer]) -> tuple[I8, int]:
    """The column as numbers 0 .. width-1 in the same order, each of which occurs, and the width."""
    distinct, rank = np.unique(column, return_inverse=True)
    return rank.astype(np.int64), len(distinct)
