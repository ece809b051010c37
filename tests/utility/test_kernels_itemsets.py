"""The rarest itemsets of rows, by hand and against counting all of them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_risk as naive
from shoal.utility._kernels import lower_least

ROWS = st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=9)


def lowered(rows, more, ends=None, of=None, least=None):
    start = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    items = np.array([item for row in rows for item in sorted(row)], dtype=np.int32)
    found = np.full(len(rows), len(rows)) if least is None else least
    everybody = np.array([0, len(rows)]), np.arange(len(rows))
    lower_least(*(everybody if ends is None else (ends, of)), start, items, 6, more, found)
    return found.tolist()


@settings(max_examples=150)
@given(ROWS, st.integers(0, 3))
def test_agrees_with_counting_every_itemset(rows, more):
    assert lowered(rows, more) == naive.least([(0, row) for row in rows], more)


def test_groups_may_overlap():
    """Rows 0 and 1 share one thing, rows 1 and 2 another; row 1 is alone with either and item 5."""
    rows = [{1}, {1, 5}, {1, 2}]
    ends, of = np.array([0, 2, 4]), np.array([0, 1, 1, 2])
    assert lowered(rows, 0, ends, of) == [2, 2, 2]
    assert lowered(rows, 1, ends, of) == [2, 1, 1]


def test_what_is_known_already_is_kept():
    assert lowered([{1}, {1}, {2}], 1, least=np.array([1, 3, 3])) == [1, 2, 1]
