import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.popcount import ones


@pytest.mark.parametrize("word", [0, 1, 2**64 - 1, 0x8000000000000001, 0x123456789ABCDEF])
def test_the_bits_of_a_word_are_counted(word):
    assert ones(np.uint64(word)) == word.bit_count()


@given(st.integers(0, 2**63 - 1))
@settings(deadline=None)  # the first call compiles
def test_the_bits_of_a_whole_number_are_counted(number):
    assert ones(number) == number.bit_count()
