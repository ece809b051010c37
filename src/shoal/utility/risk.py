"""Equivalence classes, and how exposed they leave people to someone who knows all quasi-identifiers of a person."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.arrays import I8, holders, how_many, times
from shoal.errors import InputError
from shoal.release import Recoded

__all__ = ["class_ids", "class_of_rows", "crowds", "risk", "smallest_of"]

_ROOM = 2**62
_THRESHOLDS = (2, 5, 10, 20)


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
        digit, width = _digits(column)
        if span * width > _ROOM:  # the packed key is full: number the tuples so far, then go on
            key, span = _numbered(key)
        key, span = key * width + digit, span * width
    return _numbered(key)[0]


def class_of_rows(recoded: Recoded) -> I8:
    """Give each released row its class; forms are equal when their leaf sets are, whatever their labels."""
    return class_ids([forms.sets()[recoded.codes[:, j]] for j, forms in enumerate(recoded.forms)])


def _digits(column: NDArray[np.integer]) -> tuple[I8, int]:
    """The column as numbers 0 .. width-1 in the same order, and the width, at most 2^31 or the length."""
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
    if high - low < 2**31:
        return column.astype(np.int64) - low, high - low + 1
    return _numbered(column)


def _numbered(column: NDArray[np.integer]) -> tuple[I8, int]:
    distinct, place = np.unique(column, return_inverse=True)
    return place.astype(np.int64), len(distinct)


def risk(
    classes: NDArray[np.integer],
    persons: NDArray[np.integer] | None = None,
    *,
    below: Sequence[int] = _THRESHOLDS,
    counts: I8 | None = None,
) -> dict[str, Any]:
    """Describe the classes of a table, before (original quasi-identifiers) or after (released ones).

    A class's size is how many persons it holds. A person with rows in several classes is as exposed as the
    row in the smallest of them. The risk of a person is 1/size: the odds with which someone who knows the
    person's quasi-identifiers, and that the person is in the table, picks the right record (the prosecutor).

    Parameters
    ----------
    classes
        int[n], the class of each row, as `class_ids` gives it.
    persons
        int[n], whom each row belongs to; None when every row is a person.
    below
        Thresholds, each at least 1.
    counts
        int64[n], how many records each row stands for, each a person; None when each is one. Not with `persons`.

    Returns
    -------
    dict
        `records` (persons) and `classes`, how many; `unique`, how many records are alone in their class;
        `below`, by threshold the share of records in classes smaller than it; `highest` and `average` risk
        (without `persons` the average is classes/records); `smallest` and `median` class
        size. All 0 without rows.

    Raises
    ------
    InputError
        `persons` is not as long as `classes`.

    Examples
    --------
    >>> after = risk(np.array([0, 0, 0, 1, 1, 2]), below=[2, 3])
    >>> after["unique"], after["below"], after["average"]
    (1, {'2': 0.16666666666666666, '3': 0.5}, 0.5)
    """
    ids = class_ids([classes])
    if counts is None:
        sizes, exposed = crowds(ids, persons)
        average = float(np.mean(1 / exposed)) if len(exposed) else 0.0
    else:
        sizes = times(ids, counts)
        exposed, average = sizes[ids], len(sizes) / max(int(counts.sum()), 1)
    n = len(exposed) if counts is None else int(counts.sum())
    return {
        "records": n,
        "classes": len(sizes),
        "unique": how_many(exposed == 1, counts),
        "below": {str(limit): how_many(exposed < limit, counts) / max(n, 1) for limit in below},
        "highest": float(1 / exposed.min()) if n else 0.0,
        "average": average,
        "smallest": int(sizes.min()) if n else 0,
        "median": float(np.median(sizes)) if n else 0.0,
    }


def crowds(ids: I8, persons: NDArray[np.integer] | None) -> tuple[I8, I8]:
    """The persons in each class, and for each person the persons in the smallest of their classes.

    `ids` numbers the classes as `class_ids` does. Without `persons` every row is one.
    """
    if persons is not None and len(persons) != len(ids):
        raise InputError(f"risk: {len(persons)} persons for {len(ids)} rows; give one per row")
    sizes = holders(ids, persons)
    return sizes, sizes[ids] if persons is None else smallest_of(sizes[ids], persons)


def smallest_of(numbers: I8, persons: NDArray[np.integer]) -> I8:
    """For each person, the smallest number of their rows.

    >>> smallest_of(np.array([4, 2, 3]), np.array([7, 7, 9])).tolist()
    [2, 3]
    """
    who = class_ids([persons])
    smallest = np.full(int(who.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(smallest, who, numbers)
    return smallest
