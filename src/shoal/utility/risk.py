"""Equivalence classes, and how exposed they leave people to someone who knows all quasi-identifiers of a person.

What a few known things tell of a sensitive value without finding anybody: what those have who fit the knowledge.

Of a table everybody has one class of look-alikes. Of baskets and trees everybody has many, which overlap: one for each
choice of known items or values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.arrays import I8, holders, how_many, owners, runs, times
from shoal.errors import InputError
from shoal.release import Recoded

__all__ = [
    "KnowledgeFits",
    "SensitiveValues",
    "attribute_disclosure",
    "class_ids",
    "class_of_rows",
    "crowds",
    "knowledge_fits",
    "risk",
    "sensitive_values_of",
    "smallest_of",
]


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


@dataclass(frozen=True, slots=True)
class KnowledgeFits:
    """Who fits which knowledge: int64[entries], record[e] fits the knowledge of[e]; each pair stands once."""

    of: I8
    record: I8


@dataclass(frozen=True, slots=True)
class SensitiveValues:
    """The sensitive values of each record, each once: codes[start[i] : start[i + 1]]; -1 alone means none."""

    start: I8
    codes: I8


def sensitive_values_of(record: I8, codes: I8, n: int) -> SensitiveValues:
    """The values of n records, from pairs of a record and a code; a record without any gets -1.

    >>> sensitive_values_of(np.array([0, 0, 2, 0]), np.array([7, 3, 3, 7]), 3)
    SensitiveValues(start=array([0, 2, 3, 4]), codes=array([ 3,  7, -1,  3]))
    """
    without = np.setdiff1d(np.arange(n), record)
    record, codes = np.r_[record, without], np.r_[codes, np.full(len(without), -1)]
    _, first = np.unique(class_ids([record, codes]), return_index=True)  # by record, then by code
    return SensitiveValues(np.searchsorted(record[first], np.arange(n + 1)), codes[first])


def knowledge_fits(
    start: I8, items: NDArray[np.integer], m: int, classes: NDArray[np.integer] | None = None, *, most: int
) -> KnowledgeFits | None:
    """Who fits each choice of up to m items (1 or 2), nothing known among them; None where there are too many pairs.

    `items` are different from each other within a record, ascending. `classes` are known beside them.

    >>> found = knowledge_fits(np.array([0, 2, 3, 3]), np.array([4, 5, 4]), 2, most=99)
    >>> list(zip(found.of.tolist(), found.record.tolist()))
    [(0, 0), (0, 1), (0, 2), (1, 0), (3, 0), (1, 1), (2, 0)]
    """
    n, size = len(start) - 1, np.diff(start)
    pairs = int((size * (size - 1) // 2).sum()) if m > 1 else 0
    if n + len(items) + pairs > most:
        return None
    owner, one = owners(start), items.astype(np.int64)
    none = np.full(n + len(items), -1)
    first, second, record = np.r_[none[:n], one], none, np.r_[np.arange(n), owner]
    if pairs:
        later = start[owner + 1] - np.arange(len(items)) - 1
        first = np.r_[first, np.repeat(one, later)]
        second = np.r_[second, one[runs(np.arange(1, len(items) + 1), later)]]
        record = np.r_[record, np.repeat(owner, later)]
    beside = [] if classes is None else [classes[record]]
    return KnowledgeFits(class_ids([*beside, first, second]), record)


def attribute_disclosure(
    fitting: KnowledgeFits, held: SensitiveValues
) -> tuple[dict[str, float], NDArray[np.bool_]]:
    """What is reached in all knowledge, and which knowledge tells a value for certain.

    l     : the fewest different values among those who fit
    t     : how far the spread of their values is from that of all, at most; half the sum of differences
    share : the largest share of them that has one value

    >>> labels = sensitive_values_of(np.arange(4), np.array([0, 0, 0, 1]), 4)
    >>> attribute_disclosure(KnowledgeFits(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3])), labels)
    ({'l': 1.0, 't': 0.25, 'share': 1.0}, array([ True, False]))
    """
    many = int(fitting.of.max(initial=-1)) + 1
    each = np.diff(held.start)[fitting.record]
    of, value = np.repeat(fitting.of, each), held.codes[runs(held.start[fitting.record], each)]
    wide = int(held.codes.max(initial=-1)) + 2
    pair, count = np.unique(of * wide + value + 1, return_counts=True)
    of, value = pair // wide, pair % wide - 1
    some = value >= 0
    codes, often = np.unique(held.codes, return_counts=True)
    whole = (often / often.sum())[np.searchsorted(codes, value)]
    spread = count / np.bincount(of, weights=count, minlength=many)[of]
    far = np.bincount(of, weights=np.maximum(spread - whole, 0), minlength=many)
    share = count[some] / np.bincount(fitting.of, minlength=many)[of[some]]
    certain = np.zeros(many, dtype=bool)
    certain[of[some][share == 1]] = True
    distinct = np.bincount(of[some], minlength=many)
    return {
        "l": float(distinct.min()),
        "t": float(far.max()),
        "share": float(share.max(initial=0)),
    }, certain
