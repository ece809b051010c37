import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_forest as naive
import strategies_forest as strategies
from shoal.algorithms.forest.makers import gcs
from shoal.algorithms.forest.recode import apply
from shoal.data import Forest
from shoal.errors import InfeasibleError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.nodes import Nodes
from shoal.release import RecodedForest
from shoal.utility import rpd as module
from shoal.utility.rpd import reverse_path_domain, rpd, rpd_original


@given(strategies.forests(), st.lists(st.integers(1, 9), min_size=12, max_size=12))
@settings(max_examples=60, deadline=None)
def test_agrees_with_the_definition(records, sizes):
    forest = Forest.of(records)
    pairs = [(forest.classes[k], value) for k, value in zip(forest.kinds, forest.values, strict=True)]
    size = dict(zip(pairs, sizes, strict=False))
    found = reverse_path_domain(forest, np.array([size[pair] for pair in pairs], dtype=np.float64))
    assert found == pytest.approx([naive.rpd(one, size) for one in records])


@given(strategies.forests(min_records=3), st.integers(1, 3), st.sampled_from(["class", "pair"]))
@settings(max_examples=40, deadline=None)
def test_of_a_release_counts_the_values_on_each_level(records, k, scope):
    forest, trees = Forest.of(records), strategies.hierarchies()
    try:
        result = gcs(forest, trees, k=k, scope=scope)
    except InfeasibleError:
        return
    nodes = Nodes.of("test", forest, trees)
    out = result.release.trees
    on_level = {0: 3, 1: 2, 2: 1}  # three leaves, two groups, one root; a group of one leaf is that leaf
    size = {}
    for kind, value, (lo, hi) in zip(out.kinds, out.values, result.release.spans.tolist(), strict=True):
        size[out.classes[kind], value] = on_level[{1: 0, 2: 1, 3: 2}[hi - lo]]
    expected = np.mean([naive.rpd(one, size) for one in out.trees()])
    assert rpd(result.release, forest, nodes) == pytest.approx(expected)
    assert result.trace["cost"] == pytest.approx(expected, abs=1e-9)  # the search prices by what is reported


def test_a_suppressed_record_tells_nothing():
    trees = {"A": Hierarchy.from_paths("A", [[f"a{i}", "*"] for i in range(4)])}
    forest = Forest.of([[("A", "a0")], [("A", "a1")], []])
    nodes = Nodes.of("test", forest, trees)
    whole = apply("test", forest, trees, {"cut": {"A": ["a0", "a1", "a2", "a3"]}, "disassociations": []})
    assert rpd(whole, forest, nodes) == rpd_original(forest, nodes) == pytest.approx((1 / 4 + 1 / 4 + 1) / 3)
    fewer = RecodedForest(Forest.of([[("A", "a0")]]), np.array([[0, 1]], dtype=np.int32), np.array([0]), 3)
    assert rpd(fewer, forest, nodes) == pytest.approx((1 / 4 + 1 + 1) / 3)


def test_no_record_has_lost_everything():
    forest = Forest.of([])
    assert rpd_original(forest, Nodes.of("test", forest, {})) == 1


def test_in_small_parts_it_is_the_same(monkeypatch):
    forest = Forest.of([[("A", "a", ("B", "b"))], [], [("B", "b")], [("A", "a")]])
    whole = reverse_path_domain(forest, np.array([2.0, 3.0]))
    monkeypatch.setattr(module, "CHUNK", 1)
    assert reverse_path_domain(forest, np.array([2.0, 3.0])).tolist() == whole.tolist()


def test_a_path_beyond_all_numbers_tells_everything():
    node = ("K200", "x")
    for depth in range(199, -1, -1):
        node = (f"K{depth}", "x", node)
    assert reverse_path_domain(Forest.of([[node]]), np.full(201, 100.0)).tolist() == [0]


def test_giving_up_a_relation_may_lower_it():
    # The paper holds that it always rises. With a leaf that tells little beside it, the mean over leaves falls
    size = np.array([10.0, 10.0, 2.0])
    before = Forest.of([[("A", "a", ("B", "b")), ("C", "c")]])
    after = Forest.of([[("A", "a"), ("B", "b"), ("C", "c")]])
    assert reverse_path_domain(before, size)[0] == pytest.approx((1 / 200 + 1 / 2) / 2)
    assert reverse_path_domain(after, size)[0] == pytest.approx((1 / 10 + 1 / 10 + 1 / 2) / 3)
    assert reverse_path_domain(after, size)[0] < reverse_path_domain(before, size)[0]
