"""How far nodes reach, against plain counting of their classes."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.lattice.direct_counts import reaches

ROWS = 5


@st.composite
def counted(draw):
    tuples = draw(st.lists(st.tuples(*[st.integers(0, 6)] * ROWS), min_size=1, max_size=9))
    counts = draw(st.lists(st.integers(1, 4), min_size=len(tuples), max_size=len(tuples)))
    node = st.lists(st.integers(-1, ROWS - 1), min_size=4, max_size=4)
    nodes = draw(st.lists(node, min_size=1, max_size=8))
    return tuples, counts, draw(st.sampled_from([nodes, sorted(nodes)]))


def plain(tuples, counts, node, allowed):
    """The largest k whose classes below k hold at most `allowed` records."""
    sizes = Counter()
    for values, count in zip(tuples, counts, strict=True):
        sizes[tuple(values[row] for row in node if row >= 0)] += count
    served = [k for k in range(max(sizes.values()) + 1) if sum(s for s in sizes.values() if s < k) <= allowed]
    return max(served)


@given(case=counted(), allowed=st.integers(0, 5))
@settings(max_examples=150, deadline=None)
def test_every_node_reaches_what_its_classes_allow(case, allowed):
    tuples, counts, nodes = case
    allowed = min(allowed, sum(counts) - 1)  # somebody stays
    codes = np.array(tuples, dtype=np.int32).T.copy()
    width = codes.max(axis=1).astype(np.int64) + 1
    found = reaches(codes, width, np.array(counts), np.array(nodes), allowed)
    assert found.tolist() == [plain(tuples, counts, node, allowed) for node in nodes]
