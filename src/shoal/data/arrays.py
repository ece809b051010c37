"""The arrays that everything is made of, by kind and bytes per number, and what is done with them everywhere.

Ragged lists: row i holds the entries start[i] .. start[i + 1] - 1 of a flat array. Rows that may each stand for several
records are counted with `counts`: a table can be given as its frequency table.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "B1",
    "F8",
    "I4",
    "I8",
    "U8",
    "chunk_rows",
    "concatenate_ranges",
    "count_codes",
    "distinct_per_code",
    "hash_u64",
    "index_of",
    "is_group_start",
    "number_rows",
    "persons_per_code",
    "prefix_sums",
    "row_of_entry",
    "rows_by_size",
    "sort_distinct",
    "sum_counts",
    "sum_rows",
    "take_rows",
]

# The arrays that everything is made of, by kind and bytes per number.

B1 = NDArray[np.bool_]
F8 = NDArray[np.float64]
I4 = NDArray[np.int32]
I8 = NDArray[np.int64]
U8 = NDArray[np.uint64]

# Ragged lists, row i holding the entries start[i] .. start[i + 1] - 1 of a flat array, and sorted keys.

Number = TypeVar("Number", bound=np.generic)

_ROWS = 1 << 16  # turned into text at once


def row_of_entry(start: I8) -> I8:
    """The row that each entry belongs to.

    >>> row_of_entry(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    return rows_by_size(np.diff(start))


def rows_by_size(size: I8) -> I8:
    """The row that each entry belongs to, where row i has size[i] entries."""
    return np.repeat(np.arange(len(size)), size)


def concatenate_ranges(first: I8, size: I8) -> I8:
    """The numbers first[i] .. first[i] + size[i] - 1, one run behind the other.

    >>> concatenate_ranges(np.array([7, 3, 5]), np.array([2, 0, 3])).tolist()
    [7, 8, 5, 6, 7]
    """
    ends = np.cumsum(size)
    return np.asarray(np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - (ends - size), size))


def prefix_sums(numbers: ArrayLike) -> NDArray[Any]:
    """What is summed up before each number, and in all: of the sizes of rows, where each row starts.

    >>> prefix_sums([2, 0, 1]).tolist(), prefix_sums(np.array([True, False, True])).tolist()
    ([0, 2, 2, 3], [0, 1, 1, 2])
    """
    values = np.asarray(numbers)
    dtype = np.float64 if values.dtype.kind == "f" else np.int64
    totals = np.zeros(len(values) + 1, dtype=dtype)
    np.cumsum(values, dtype=dtype, out=totals[1:])
    return totals


def is_group_start(*columns: NDArray[Any]) -> B1:
    """Of sorted rows, given by columns, whether each is the first of equal ones.

    >>> is_group_start(np.array([2, 2, 2, 5]), np.array([0, 0, 1, 1])).tolist()
    [True, False, True, True]
    """
    first = np.ones(len(columns[0]), dtype=bool)
    first[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return first


def chunk_rows(size: I8, most: int) -> Iterator[tuple[int, int]]:
    """Rows low .. high-1 that have at most so many entries together; a larger row is a portion of its own.

    >>> list(chunk_rows(np.array([2, 1, 1, 9, 0]), 3))
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    ends = prefix_sums(size)
    low = 0
    while low < len(size):
        high = max(low + 1, int(np.searchsorted(ends, ends[low] + most, side="right")) - 1)
        yield low, high
        low = high


def sum_rows(start: I8, numbers: NDArray[np.generic]) -> NDArray[Any]:
    """The sum of the numbers of each row; of truth values, how many are true.

    >>> sum_rows(np.array([0, 2, 2, 3]), np.array([7, 8, 9])).tolist()
    [15, 0, 9]
    """
    before = prefix_sums(numbers)
    return np.asarray(before[start[1:]] - before[start[:-1]])


def index_of(keys: I8, asked: I8) -> I8:
    """Where each number asked for stands among rising keys; -1 where it does not.

    >>> index_of(np.array([2, 5, 9]), np.array([9, 3, 2])).tolist()
    [2, -1, 0]
    """
    if not len(keys):
        return np.full(len(asked), -1, dtype=np.int64)
    index = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return np.asarray(np.where(keys[index] == asked, index, -1), dtype=np.int64)


def hash_u64(numbers: U8) -> U8:
    """Numbers of which every bit depends on every other: the last steps of splitmix64."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def take_rows(start: I8, items: NDArray[Number], rows: I4 | I8) -> tuple[I8, NDArray[Number]]:
    """Some rows in the order they are named: where each starts, and their entries.

    >>> taken, items = take_rows(np.array([0, 2, 2, 3]), np.array([7, 8, 9]), np.array([2, 1, 0, 2]))
    >>> taken.tolist(), items.tolist()
    ([0, 1, 1, 3, 4], [9, 7, 8, 9])
    """
    size = start[rows + 1] - start[rows]
    return prefix_sums(size), items[concatenate_ranges(start[rows], size)]


def number_rows(start: I8, items: NDArray[Any]) -> I8:
    """Number the rows 0, 1, ... as they come; rows with the same entries in the same order have one number.

    >>> number_rows(np.array([0, 2, 2, 4, 4]), np.array([7, 8, 7, 8])).tolist()
    [0, 1, 0, 1]
    """
    number_of_row: dict[bytes, int] = {}
    numbers, size = np.empty(len(start) - 1, dtype=np.int64), items[:1].nbytes
    for low in range(0, len(numbers), _ROWS):
        starts = start[low : low + _ROWS + 1]
        text = items[starts[0] : starts[-1]].tobytes()
        rows = pairwise((size * (starts - starts[0])).tolist())
        numbers[low : low + _ROWS] = [
            number_of_row.setdefault(text[a:b], len(number_of_row)) for a, b in rows
        ]
    return numbers


# Counting rows that may each stand for several records: a table can be given as its frequency table.


def count_codes(codes: NDArray[np.integer], counts: I8 | None, width: int = 0) -> I8:
    """How many records have each code; `counts` says how many each row stands for, None means one.

    >>> count_codes(np.array([0, 2, 0]), np.array([5, 1, 2]), 4).tolist()
    [7, 0, 1, 0]
    """
    if counts is None:
        return np.bincount(codes, minlength=width)
    totals = np.bincount(codes, weights=counts, minlength=width)  # exact: no table has 2^53 records
    return np.asarray(totals, dtype=np.int64)


def persons_per_code(
    codes: NDArray[np.integer], persons: NDArray[np.integer] | None, counts: I8 | None = None, width: int = 0
) -> I8:
    """How many people hold each code; several rows may be one person's, or one row may stand for several records.

    `shoal.risks.look_alikes`, guards and attackers count the people of a class by this, so that they cannot differ.

    >>> persons_per_code(np.array([0, 0, 1]), np.array([7, 7, 8])).tolist()
    [1, 1]
    """
    if persons is None:
        return count_codes(codes, counts, width)
    people, person_ids = np.unique(persons, return_inverse=True)
    return distinct_per_code(codes, person_ids.reshape(-1), len(people), width)


def distinct_per_code(
    codes: NDArray[np.integer], ids: NDArray[np.integer], id_count: int, width: int = 0
) -> I8:
    """How many different ids, each below `id_count`, stand with each code.

    >>> distinct_per_code(np.array([0, 0, 1]), np.array([1, 1, 0]), 2).tolist()
    [1, 1]
    """
    id_width = max(id_count, 1)
    pairs = sort_distinct(codes.astype(np.int64) * id_width + ids)
    return np.bincount(pairs // id_width, minlength=width)


def sort_distinct(keys: I8) -> I8:
    """The different numbers, ascending; for many of them sorting is faster than `np.unique`."""
    ranked = np.sort(keys)
    distinct: I8 = ranked[np.r_[True, ranked[1:] != ranked[:-1]][: len(ranked)]]
    return distinct


def sum_counts(rows: NDArray[np.bool_], counts: I8 | None) -> int:
    """How many records the picked rows stand for."""
    return int(rows.sum() if counts is None else counts[rows].sum())
