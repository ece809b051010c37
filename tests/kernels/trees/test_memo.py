import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.trees.memo import empty, recall, remember


@given(st.lists(st.dictionaries(st.integers(0, 2**62), st.integers(0, 2**62), max_size=20), max_size=4))
@settings(max_examples=40, deadline=None)
def test_a_memory_is_a_dictionary(parts):
    slots, held = empty(16), {}
    for part in parts:
        new = {key: value for key, value in part.items() if key not in held}
        keys = np.array(list(new), dtype=np.int64)
        slots = remember(slots, len(held), keys, np.array(list(new.values()), dtype=np.int64))
        held |= new
    asked = np.array([*held, 5, 2**61 + 3], dtype=np.int64)
    assert recall(slots, asked).tolist() == [held.get(key, -1) for key in asked.tolist()]
    assert slots.shape[1] >= 2 * len(held)
