import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.arrays import copy_into, counted, grown, grown_rows, ranked, sort
from shoal.kernels.jit import njit


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@given(values=st.lists(st.integers(-9, 9), max_size=40))
@settings(max_examples=60, deadline=None)
def test_sorting_sorts(values, dtype):
    found = np.array(values, dtype=dtype)
    sort(found)
    assert found.tolist() == sorted(values)


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@given(values=st.lists(st.integers(-9, 9), max_size=40))
@settings(max_examples=60, deadline=None)
def test_ranking_keeps_equals_in_order(values, dtype):
    assert ranked(np.array(values, dtype=dtype)).tolist() == sorted(
        range(len(values)), key=values.__getitem__
    )


@njit
def _counts(values, count):
    return counted(values, count)


def test_counting_counts_what_is_absent_too():
    assert _counts(np.array([3, 1, 3]), 5).tolist() == [0, 1, 0, 2, 0]
    assert _counts(np.array([0])[:0], 2).tolist() == [0, 0]


@njit
def _wider(values, rows):
    copy_into(values, 1, values[2:].copy())
    return grown(values, 6), grown_rows(rows, 4)


def test_growing_keeps_what_was_there():
    wide, tall = _wider(np.array([5, 6, 7, 8]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert wide[:4].tolist() == [5, 7, 8, 8]
    assert len(wide) == 6
    assert tall[:2].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert tall.shape == (4, 2)
