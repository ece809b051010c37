"""Needed baskets keep every support below k."""

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.itemsets.needed_baskets import needed


def marked(start, items, weight, width, size, k, most, cut=None):
    """The rows that are needed, looked at in one go or in two."""
    table = np.full(1024, -1, dtype=np.int64), np.zeros(1024, dtype=np.int64), 0
    bounds = [0, len(weight)] if cut is None else [0, cut, len(weight)]
    found = []
    for first, last in pairwise(bounds):
        begins = start[first : last + 1] - start[first]
        some = items[start[first] : start[last]]
        kept, *table = needed(begins, some, weight[first:last], width, size, k, most, *table)
        found.append(kept)
    return np.concatenate(found)


rows = st.lists(st.lists(st.integers(0, 6), max_size=6, unique=True).map(sorted), min_size=1, max_size=30)


def supports(lists, weight, size):
    found = Counter()
    for row, many in zip(lists, weight, strict=True):
        for one in range(1, size + 1):
            found.update({itemset: many for itemset in combinations(row, one)})
    return found


@settings(deadline=None)
@given(
    rows,
    st.integers(1, 4),
    st.integers(1, 4),
    st.lists(st.integers(1, 3), min_size=30, max_size=30),
    st.sampled_from([1 << 10, 1 << 20]),
    st.integers(0, 30),
)
def test_supports_below_k_stay_and_others_stay_at_least_k(lists, size, k, weight, most, cut):
    start = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    items = np.array([item for row in lists for item in row], dtype=np.int32)
    weight = weight[: len(lists)]
    kept = marked(start, items, np.array(weight, dtype=np.int64), 7, size, k, most, min(cut, len(lists)))
    some = [row for row, keep in zip(lists, kept, strict=True) if keep]
    whole = supports(lists, weight, size)
    left = supports(some, [many for many, keep in zip(weight, kept, strict=True) if keep], size)
    for itemset, many in whole.items():
        assert left[itemset] == many if many < k else left[itemset] >= k


def test_of_many_equal_baskets_few_are_needed():
    start = np.arange(0, 202, 2)
    kept = marked(
        start, np.tile(np.array([0, 1], dtype=np.int32), 100), np.ones(100, dtype=np.int64), 2, 2, 5, 1 << 10
    )
    assert kept.sum() == 5


def test_a_full_table_keeps_what_it_cannot_count():
    many = 3000
    start = np.arange(2 * many + 1)
    items = np.tile(np.arange(many, dtype=np.int32), 2)
    kept = marked(start, items, np.ones(2 * many, dtype=np.int64), many, 1, 1, 1024)
    assert kept[:many].all()
    assert many - 512 == kept[many:].sum()
