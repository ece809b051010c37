"""What is counted of many parts."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.publish.large.parts import Different


@given(st.lists(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9)), max_size=12), st.integers(0, 12))
def test_different_ones_are_counted_whatever_part_they_come_in(parts, cut):
    def added(some):
        return sum((Different.of(np.array(part, dtype=np.uint64)) for part in some), Different())

    found = added(parts[:cut]) + added(parts[cut:])
    assert len(found) == len({number for part in parts for number in part})
    sizes = [len(run) for run in found.runs]
    assert all(2 * small <= large for large, small in pairwise(sizes))
