import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.arrays import copy_into, grown, grown_rows, sort
from shoal.kernels.jit import njit


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@given(values=st.lists(st.integers(-9, 9), max_size=40))
@settings(max_examples=60, deadline=None)
def test_sorting_sorts(values, dtype):
    found = np.array(values, dtype=dtype)
    sort(found)
    assert found.tolist() == sorted(values)


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
