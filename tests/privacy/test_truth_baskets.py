"""Truth of generalized baskets, against its definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.privacy.truth import truth_of_baskets
from shoal.release import Forms

ITEMS = range(5)


def csr(rows, dtype=np.int32):
    start = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return start, np.array([item for row in rows for item in row], dtype=dtype)


def forms(baskets):
    start, leaves = csr([sorted(members) for members in baskets])
    return Forms(tuple(str(i) for i in range(len(baskets))), start, leaves)


def by_definition(lists, released, baskets, rows):
    """Each form meets its record; how many items of the record no form covers."""
    meets, lost = True, 0
    for row, published in zip(rows, released, strict=True):
        covered = set().union(*(baskets[form] for form in published)) if published else set()
        meets &= all(baskets[form] & lists[row] for form in published)
        lost += len(lists[row] - covered)
    return meets, lost


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_agrees_with_the_definition(data):
    lists = data.draw(st.lists(st.sets(st.sampled_from(ITEMS)), min_size=1, max_size=5))
    baskets = data.draw(st.lists(st.sets(st.sampled_from(ITEMS), min_size=1), min_size=1, max_size=4))
    rows = data.draw(st.permutations(range(len(lists))))[: data.draw(st.integers(1, len(lists)))]
    released = [sorted(data.draw(st.sets(st.integers(0, len(baskets) - 1)))) for _ in rows]
    told = data.draw(st.integers(0, 3))
    meets, lost = by_definition(lists, released, baskets, rows)
    original = csr([sorted(basket) for basket in lists])
    verdict = truth_of_baskets(original, csr(released), forms(baskets), np.array(rows), suppressed=told)
    assert bool(verdict) == (meets and lost == told)
    if not meets:
        assert verdict.witnesses


def test_blocks_of_rows_change_nothing(monkeypatch):
    original, published = csr([[0, 1], [2], [3, 4]]), csr([[0], [1], [0, 1]])
    baskets = forms([{0, 1, 3}, {2, 4}])
    for pairs in (1, 4, 1 << 23):
        monkeypatch.setattr("shoal.privacy.truth._PAIRS", pairs)
        assert truth_of_baskets(original, published, baskets, np.arange(3))


@pytest.mark.parametrize("row", [-1, 1])
def test_a_record_that_is_not_there_is_refused(row):
    """An empty basket publishes no item that could be false; the record it names must still exist."""
    assert truth_of_baskets(csr([[0]]), csr([[]]), forms([{0}]), np.array([0]), suppressed=1)
    assert not truth_of_baskets(csr([[0]]), csr([[]]), forms([{0}]), np.array([row]), suppressed=1)


def test_a_record_behind_two_rows_is_refused():
    original, published = csr([[0]]), csr([[0], [0]])
    assert not truth_of_baskets(original, published, forms([{0}]), np.array([0, 0]))
