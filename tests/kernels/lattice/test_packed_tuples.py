from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.lattice.packed_tuples import Layout, fold, label, lift, masked, roll_up

rows = st.lists(
    st.tuples(st.integers(0, 2**63 - 1) | st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40
)


def pack(rows, wide):
    words = np.array(rows, dtype=np.int64).T
    return np.ascontiguousarray(words if wide else words[:1])


@pytest.mark.parametrize("wide", [False, True])
@given(rows=rows)
@settings(max_examples=30, deadline=None)
def test_fold_counts_equal_tuples(wide, rows):
    words, counts = pack(rows, wide), np.arange(1, len(rows) + 1)
    expected = Counter()
    for i, column in enumerate(words.T.tolist()):
        expected[tuple(column)] += i + 1
    n = fold(words, counts)
    assert dict(zip(map(tuple, words[:, :n].T.tolist()), counts[:n].tolist(), strict=True)) == expected
    assert [tuple(c) for c in words[:, :n].T.tolist()] == list(expected)  # order of first appearance


@pytest.mark.parametrize("wide", [False, True])
@given(rows=rows)
@settings(max_examples=30, deadline=None)
def test_label_numbers_equal_tuples_alike(wide, rows):
    words = pack(rows, wide)
    numbers, found = label(words)
    place = {}
    assert numbers.tolist() == [place.setdefault(tuple(c), len(place)) for c in words.T.tolist()]
    assert found == len(place)


LAYOUT = Layout(  # two columns of four leaves: one in word 0 at bit 3, one in word 1 at bit 0
    word=np.array([0, 1]),
    shift=np.array([3, 0]),
    mask=np.array([3, 3]),
    at=np.array([[0, 4, 8], [0, 8, 8]]),
    places=np.array([0, 1, 2, 3, 0, 0, 2, 2, 0, 0, 0, 0]),
)


def test_lift_touches_one_column():
    words = np.array([[0 << 3 | 7, 1 << 3 | 7, 2 << 3, 3 << 3], [3, 2, 1, 0]])
    lift(words, 0, 1, LAYOUT)
    assert words.tolist() == [[7, 7, 2 << 3, 2 << 3], [3, 2, 1, 0]]


@pytest.mark.parametrize("wide", [True, False])
def test_roll_up_leaves_its_source_alone_and_may_skip_levels(wide):
    words = np.array([[0, 1 << 3, 2 << 3, 3 << 3], [3, 3, 3, 1]])[: 1 + wide].copy()
    counts = np.array([1, 2, 4, 8])
    every = np.full(1 + wide, -1)
    halves = roll_up(words, counts, every, 0, 1, LAYOUT)
    assert halves[0].tolist() == ([[0, 2 << 3, 2 << 3], [3, 3, 1]] if wide else [[0, 2 << 3]])
    assert halves[1].tolist() == ([3, 4, 8] if wide else [3, 12])
    top = roll_up(*halves, every, 0, 2, LAYOUT)
    assert top[0].tolist() == ([[0, 0], [3, 1]] if wide else [[0]])
    assert top[1].tolist() == ([7, 8] if wide else [15])
    assert counts.tolist() == [1, 2, 4, 8]
    assert words[0].tolist() == [0, 8, 16, 24]


def test_roll_up_raises_columns_that_are_not_kept_to_their_roots():
    words, counts = np.array([[0, 1 << 3, 2 << 3, 3 << 3], [3, 3, 3, 1]]), np.array([1, 2, 4, 8])
    rooted = roll_up(words, counts, np.array([-1, ~3]), 0, 1, LAYOUT)
    assert rooted[0].tolist() == [[0, 2 << 3], [0, 0]]
    assert rooted[1].tolist() == [3, 12]


def test_masked_copies():
    words = np.array([[7, 12]])
    assert masked(words, np.array([5])).tolist() == [[5, 4]]
    assert words.tolist() == [[7, 12]]
