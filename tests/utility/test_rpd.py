import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from claiming import claimed
from shoal.algorithms.trees.gcs import gcs
from shoal.algorithms.trees.recoding import apply
from shoal.data import Trees
from shoal.errors import InfeasibleError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.nodes import Nodes
from shoal.release import RecodedTrees
from shoal.utility import rpd as module
from shoal.utility.rpd import reverse_path_domain, rpd, rpd_original


@given(strategies.trees(), st.lists(st.integers(1, 9), min_size=12, max_size=12))
@settings(max_examples=60, deadline=None)
def test_agrees_with_the_definition(records, sizes):
    trees = Trees.of(records)
    pairs = [(trees.classes[k], value) for k, value in zip(trees.kinds, trees.values, strict=True)]
    size = dict(zip(pairs, sizes, strict=False))
    found = reverse_path_domain(trees, np.array([size[pair] for pair in pairs], dtype=np.float64))
    assert found == pytest.approx([naive.rpd(one, size) for one in records])


@given(strategies.trees(min_records=3), st.integers(1, 3), st.sampled_from(["class", "pair"]))
@settings(max_examples=40, deadline=None)
def test_of_a_release_counts_the_values_on_each_level(records, k, scope):
    trees, hierarchies = Trees.of(records), strategies.hierarchies()
    try:
        result = claimed(gcs, trees, hierarchies, k=k, scope=scope)
    except InfeasibleError:
        return
    nodes = Nodes.of("test", trees, hierarchies)
    out = result.release.trees
    on_level = {0: 3, 1: 2, 2: 1}  # three leaves, two groups, one root; a group of one leaf is that leaf
    size = {}
    for kind, value, (lo, hi) in zip(out.kinds, out.values, result.release.spans.tolist(), strict=True):
        size[out.classes[kind], value] = on_level[{1: 0, 2: 1, 3: 2}[hi - lo]]
    expected = np.mean([naive.rpd(one, size) for one in out.nested()])
    assert rpd(result.release, trees, nodes) == pytest.approx(expected)
    assert result.trace["cost"] == pytest.approx(expected, abs=1e-9)  # the search prices by what is reported


def test_a_suppressed_record_tells_nothing():
    hierarchies = {"A": Hierarchy.from_paths("A", [[f"a{i}", "*"] for i in range(4)])}
    trees = Trees.of([[("A", "a0")], [("A", "a1")], []])
    nodes = Nodes.of("test", trees, hierarchies)
    whole = apply("test", trees, hierarchies, {"cut": {"A": ["a0", "a1", "a2", "a3"]}, "disassociations": []})
    assert rpd(whole, trees, nodes) == rpd_original(trees, nodes) == pytest.approx((1 / 4 + 1 / 4 + 1) / 3)
    fewer = RecodedTrees(Trees.of([[("A", "a0")]]), np.array([[0, 1]], dtype=np.int32), np.array([0]), 3)
    assert rpd(fewer, trees, nodes) == pytest.approx((1 / 4 + 1 + 1) / 3)


def test_no_record_has_lost_everything():
    trees = Trees.of([])
    assert rpd_original(trees, Nodes.of("test", trees, {})) == 1


def test_in_small_parts_it_is_the_same(monkeypatch):
    trees = Trees.of([[("A", "a", ("B", "b"))], [], [("B", "b")], [("A", "a")]])
    whole = reverse_path_domain(trees, np.array([2.0, 3.0]))
    monkeypatch.setattr(module, "CHUNK", 1)
    assert reverse_path_domain(trees, np.array([2.0, 3.0])).tolist() == whole.tolist()


def test_a_path_beyond_all_numbers_tells_everything():
    node = ("K200", "x")
    for depth in range(199, -1, -1):
        node = (f"K{depth}", "x", node)
    assert reverse_path_domain(Trees.of([[node]]), np.full(201, 100.0)).tolist() == [0]


def test_giving_up_a_relation_may_lower_it():
    # The paper holds that it always rises. With a leaf that tells little beside it, the mean over leaves falls
    size = np.array([10.0, 10.0, 2.0])
    before = Trees.of([[("A", "a", ("B", "b")), ("C", "c")]])
    after = Trees.of([[("A", "a"), ("B", "b"), ("C", "c")]])
    assert reverse_path_domain(before, size)[0] == pytest.approx((1 / 200 + 1 / 2) / 2)
    assert reverse_path_domain(after, size)[0] == pytest.approx((1 / 10 + 1 / 10 + 1 / 2) / 3)
    assert reverse_path_domain(after, size)[0] < reverse_path_domain(before, size)[0]
