"""Grouping equal tuples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.utility import class_ids

WIDE = st.one_of(st.integers(-2, 2), st.integers(-(2**62), 2**62))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[WIDE] * d), max_size=8)), st.integers(1, 3))
def test_equal_tuples_get_equal_numbers_in_tuple_order(rows, copies):
    rows = rows * copies
    width = len(rows[0]) if rows else 1
    columns = [np.array([row[j] for row in rows], dtype=np.int64) for j in range(width)]
    order = sorted(set(rows))
    assert class_ids(columns).tolist() == [order.index(row) for row in rows]


def test_more_columns_than_a_packed_key_holds():
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 2**30, 40).astype(np.int32) for _ in range(7)]
    twice = [np.r_[column, column] for column in columns]
    ids = class_ids(twice)
    assert np.array_equal(ids[:40], ids[40:])
    assert sorted(ids[:40].tolist()) == list(range(40))


def test_no_columns_are_refused():
    with pytest.raises(InputError, match="no columns to group by"):
        class_ids([])
