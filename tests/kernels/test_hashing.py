import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.hashing import slot


@given(st.integers(0, 2**63 - 1), st.integers(4, 30))
@settings(deadline=None)  # the first call compiles
def test_a_slot_lies_in_the_table_and_no_product_overflows(key, bits):
    last = 2**bits - 1
    mixed = (key & 0xFFFFFFFF) * 0x4F1BBCDD ^ (key >> 32) * 0x6C8E9CF5
    assert mixed < 2**63
    assert slot(key, last) == (mixed ^ mixed >> 29) & last


@pytest.mark.parametrize("step", [1, 1 << 10, 1 << 20, 1 << 28, 1 << 31, 1 << 32, 1 << 40])
def test_keys_in_a_row_and_keys_that_differ_in_high_bits_spread(step):
    assert len({slot(key * step, 4095) for key in range(1024)}) > 768
    assert len({slot(key * step, 15) for key in range(8)}) > 4
