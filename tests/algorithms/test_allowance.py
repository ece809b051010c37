from fractions import Fraction
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.allowance import allowance
from shoal.errors import InputError


@given(st.integers(0, 999), st.integers(0, 10**9))
def test_a_share_is_read_as_it_was_written(thousandths, whole):
    assert allowance("test", thousandths / 1000, whole) == int(Fraction(thousandths, 1000) * whole)


@pytest.mark.parametrize("wrong", [-0.1, 1, 1.5, nan])
def test_what_is_no_share_is_refused(wrong):
    with pytest.raises(
        InputError, match=r"^test: suppress=.*; give a share of item occurrences from 0 to below 1$"
    ):
        allowance("test", wrong, 10, "item occurrences")
