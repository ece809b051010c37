from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import arrays
from shoal.data.arrays import concatenate_ranges, number_rows, row_of_entry, take_rows

LISTS = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=8)


def _flat(lists):
    start = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return start, np.array([item for some in lists for item in some], dtype=np.int32)


@given(LISTS, st.data())
def test_rows_are_taken_as_lists_are(lists, data):
    rows = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=9)) if lists else []
    start, items = take_rows(*_flat(lists), np.array(rows, dtype=np.int64))
    assert [items[a:b].tolist() for a, b in pairwise(start)] == [lists[i] for i in rows]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64, bool])
@pytest.mark.parametrize("rows", [[], [1], [1, 0, 1]])
def test_taken_entries_keep_their_type_and_starts_are_of_64_bits(dtype, rows):
    start, items = take_rows(
        np.array([0, 1, 3]), np.array([1, 0, 1], dtype=dtype), np.array(rows, dtype=np.int64)
    )
    assert (start.dtype, items.dtype) == (np.int64, dtype)


@given(LISTS)
def test_every_entry_has_the_row_that_holds_it(lists):
    assert row_of_entry(_flat(lists)[0]).tolist() == [row for row, some in enumerate(lists) for _ in some]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4))))
def test_runs_stand_one_behind_the_other(pairs):
    first, size = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    assert concatenate_ranges(first, size).tolist() == [a + i for a, many in pairs for i in range(many)]


@given(st.lists(st.lists(st.integers(0, 2), max_size=3), max_size=12), st.sampled_from([1, 2, 1 << 16]))
def test_equal_rows_have_one_number_as_they_come(rows, at_once):
    start, items = (
        np.cumsum([0, *map(len, rows)]),
        np.array([item for row in rows for item in row], dtype=np.int32),
    )
    different = list(dict.fromkeys(map(tuple, rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_ROWS", at_once)
        assert number_rows(start, items).tolist() == [different.index(tuple(row)) for row in rows]
