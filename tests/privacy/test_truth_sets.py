"""Truth of generalized baskets, against its definition."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.privacy.truth_sets import truth_sets
from shoal.release import Forms

ITEMS = range(5)


def csr(rows, dtype=np.int32):
    start = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return start, np.array([item for row in rows for item in row], dtype=dtype)


def forms(sets):
    start, leaves = csr([sorted(members) for members in sets])
    return Forms(tuple(str(i) for i in range(len(sets))), start, leaves)


def naive(baskets, released, sets, rows):
    """Each form meets its record; how many items of the record no form covers."""
    meets, lost = True, 0
    for row, published in zip(rows, released, strict=True):
        covered = set().union(*(sets[form] for form in published)) if published else set()
        meets &= all(sets[form] & baskets[row] for form in published)
        lost += len(baskets[row] - covered)
    return meets, lost


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_agrees_with_the_definition(data):
    baskets = data.draw(st.lists(st.sets(st.sampled_from(ITEMS)), min_size=1, max_size=5))
    sets = data.draw(st.lists(st.sets(st.sampled_from(ITEMS), min_size=1), min_size=1, max_size=4))
    rows = data.draw(st.permutations(range(len(baskets))))[: data.draw(st.integers(1, len(baskets)))]
    released = [sorted(data.draw(st.sets(st.integers(0, len(sets) - 1)))) for _ in rows]
    told = data.draw(st.integers(0, 3))
    meets, lost = naive(baskets, released, sets, rows)
    original = csr([sorted(basket) for basket in baskets])
    verdict = truth_sets(original, csr(released), forms(sets), np.array(rows), suppressed=told)
    assert bool(verdict) == (meets and lost == told)
    if not meets:
        assert verdict.witnesses


def test_blocks_of_rows_change_nothing(monkeypatch):
    original, published = csr([[0, 1], [2], [3, 4]]), csr([[0], [1], [0, 1]])
    sets = forms([{0, 1, 3}, {2, 4}])
    for pairs in (1, 4, 1 << 23):
        monkeypatch.setattr("shoal.privacy.truth_sets._PAIRS", pairs)
        assert truth_sets(original, published, sets, np.arange(3))


def test_a_record_behind_two_rows_is_refused():
    original, published = csr([[0]]), csr([[0], [0]])
    assert not truth_sets(original, published, forms([{0}]), np.array([0, 0]))
