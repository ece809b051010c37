import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from shoal.data import Trees
from shoal.utility._kernels import mine_frequent_sets, number_paths, set_record_bits


@given(strategies.trees(max_records=6), st.integers(1, 4))
@settings(max_examples=40)
def test_every_frequent_subtree_is_found_once(records, least):
    if max(len(naive.paths(one)) for one in records) > 9:
        return  # the twin lists every set of paths
    trees = Trees.of(records)
    path, up, _ = number_paths(trees.start, trees.items, trees.parents, max(len(trees.values), 1))
    rows = np.zeros((len(up), 1), dtype=np.uint64)
    each = np.arange(len(up), dtype=np.int32)
    set_record_bits(trees.start, path, each, np.arange(len(up) + 1), each, np.arange(trees.n), rows)
    keys = np.array([1 << place for place in range(len(up))], dtype=np.uint64)
    gains = np.ones((len(up), 1))
    found, sums = mine_frequent_sets(rows, up, least, gains, keys, 1 << 20)
    expected = naive.subtrees(records, least)
    assert len(set(found.tolist())) == len(found) == len(expected)
    assert sorted(int(key).bit_count() for key in found) == sorted(map(len, expected))
    assert sums[:, 0].tolist() == [int(key).bit_count() for key in found]


@pytest.mark.parametrize("most", [1, 6])
def test_it_stops_when_there_are_too_many(most):
    rows = np.ones((10, 1), dtype=np.uint64)
    found, _ = mine_frequent_sets(
        rows, np.full(10, -1, dtype=np.int32), 1, np.zeros((10, 1)), np.arange(10).astype(np.uint64), most
    )
    assert len(found) == most + 1


def test_a_chain_deeper_than_the_first_room():
    n = 70
    found, _ = mine_frequent_sets(
        np.ones((n, 1), dtype=np.uint64),
        np.arange(-1, n - 1, dtype=np.int32),
        1,
        np.zeros((n, 1)),
        np.ones(n, dtype=np.uint64),
        1 << 20,
    )
    assert sorted(found.tolist()) == list(range(1, n + 1))
