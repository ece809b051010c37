"""The share of detail that record trees lost, against its definition node by node."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from claiming import claimed
from shoal.algorithms.trees.gcs import gcs
from shoal.algorithms.trees.recoding import apply_tree_recoding
from shoal.base.errors import InfeasibleError
from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.nodes import Nodes
from shoal.release import RecodedTrees
from shoal.utility import trees as module
from shoal.utility.trees import _reverse_path_domain, rpd, rpd_original, tree_ncp
from tree_cases import covering

HIERARCHIES = strategies.hierarchies()


def price(secret):
    """0 for a leaf and a sensitive value, else leaves/D."""

    def of(label):
        if label[0] == secret:
            return 0
        low, high = HIERARCHIES[label[0]].places[label[1]]
        return (high - low) / 3 if high - low > 1 else 0

    return of


def recoded(published, records, rows, secret=None):
    trees = Trees.of(published)
    spans = [
        (-1, -1) if trees.classes[kind] == secret else HIERARCHIES[trees.classes[kind]].places[value]
        for kind, value in zip(trees.kinds, trees.values, strict=True)
    ]
    return RecodedTrees(
        trees, np.array(spans, dtype=np.int32).reshape(-1, 2), np.array(rows, dtype=np.int64), records
    )


def originals(records, secret):
    """The trees, their nodes, and the class that is sensitive, if it occurs."""
    there = any(label[0] == secret for record in records for label in naive.labels(record))
    secret = secret if there else None
    trees = Trees.of(records, secret)
    return trees, Nodes.of("test", trees, HIERARCHIES), secret


@st.composite
def locally(draw, record, secret):
    """A record every path of which is recoded by itself: values raised or left out anywhere."""
    found = set()
    for path in sorted(naive.paths(record)):
        some = []
        for kind, value in path:
            ways = {value} if kind == secret else {value, f"{kind}01" if value[1] in "01" else value, "*"}
            some += [(kind, word)] if (word := draw(st.sampled_from([*sorted(ways), None]))) else []
        found |= {tuple(some[:size]) for size in range(1, len(some) + 1)}
    return naive.record(found)


@given(strategies.trees(max_records=5), st.sampled_from(["C", "D", None]), st.data())
@settings(max_examples=150)
def test_agrees_with_its_definition(records, secret, data):
    trees, nodes, secret = originals(records, secret)
    published = [data.draw(st.none() | locally(record, secret)) for record in records]
    rows = [place for place, shown in enumerate(published) if shown is not None]
    release = recoded([published[row] for row in rows], len(records), rows, secret)
    expected = naive.ncp(records, published, covering(HIERARCHIES, secret), price(secret))
    assert tree_ncp(release, trees, nodes) == pytest.approx(expected)


RECORD = (("A", "a0", ("B", "b0", ("C", "c0"))),)


@pytest.mark.parametrize(
    ("published", "loss"),
    [
        (RECORD, 0),
        ((("A", "A01", ("B", "b0", ("C", "*"))),), (2 / 3 + 0 + 1) / 3),
        ((("A", "a0", ("B", "b0")),), 1 / 3),  # c0 is left out
        ((("A", "a0", ("C", "c0")),), 1 / 3),  # b0 is, and c0 is still shown to stand under a0
        ((("A", "a0", ("C", "c0")), ("B", "b0")), 2 / 3),  # b0 was cut from a0, and c0 from b0
        ((("A", "a0"), ("B", "b0", ("C", "c0"))), 2 / 3),  # both were cut from a0
        ((("B", "b0", ("C", "c0")),), 1 / 3),  # a0 is left out, and nothing is cut
        ((("A", "*", ("B", "b0")), ("A", "a0", ("B", "b0", ("C", "c0")))), 0),  # the nearer one counts
        ((), 1),
        (None, 1),
    ],
)
def test_what_is_left_out_or_cut_costs_everything(published, loss):
    trees, nodes, _ = originals([RECORD], None)
    release = recoded([] if published is None else [published], 1, [] if published is None else [0])
    assert tree_ncp(release, trees, nodes) == pytest.approx(loss)


def test_without_nodes_nothing_is_lost():
    trees, nodes, _ = originals([(), ()], None)
    assert tree_ncp(recoded([()], 2, [0]), trees, nodes) == 0


def test_in_small_parts_it_is_the_same(monkeypatch):
    records = [RECORD, (("A", "a1"),), (("C", "c2"),), RECORD]
    trees, nodes, _ = originals(records, None)
    cut = {"A": ["A01", "a2"], "B": ["*"], "C": None}
    release = apply_tree_recoding("test", trees, HIERARCHIES, {"cut": cut, "disassociations": [["A", "B"]]})
    whole = tree_ncp(release, trees, nodes)
    assert 0 < whole < 1
    monkeypatch.setattr(sys.modules[tree_ncp.__module__], "CHUNK", 1)
    assert tree_ncp(release, trees, nodes) == pytest.approx(whole)


@given(strategies.trees(), st.lists(st.integers(1, 9), min_size=12, max_size=12))
@settings(max_examples=60)
def test_agrees_with_the_definition(records, sizes):
    trees = Trees.of(records)
    pairs = [(trees.classes[k], value) for k, value in zip(trees.kinds, trees.values, strict=True)]
    size = dict(zip(pairs, sizes, strict=False))
    found = _reverse_path_domain(trees, np.array([size[pair] for pair in pairs], dtype=np.float64))
    assert found == pytest.approx([naive.rpd(one, size) for one in records])


@given(strategies.trees(min_records=3), st.integers(1, 3), st.sampled_from(["class", "pair"]))
@settings(max_examples=40)
def test_of_a_release_counts_the_values_on_each_level(records, k, scope):
    trees, hierarchies = Trees.of(records), strategies.hierarchies()
    try:
        result = claimed(gcs, trees, hierarchies, k=k, scope=scope, cost="rpd")
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
    whole = apply_tree_recoding(
        "test", trees, hierarchies, {"cut": {"A": ["a0", "a1", "a2", "a3"]}, "disassociations": []}
    )
    assert rpd(whole, trees, nodes) == rpd_original(trees, nodes) == pytest.approx((1 / 4 + 1 / 4 + 1) / 3)
    fewer = RecodedTrees(Trees.of([[("A", "a0")]]), np.array([[0, 1]], dtype=np.int32), np.array([0]), 3)
    assert rpd(fewer, trees, nodes) == pytest.approx((1 / 4 + 1 + 1) / 3)


def test_no_record_has_lost_everything():
    trees = Trees.of([])
    assert rpd_original(trees, Nodes.of("test", trees, {})) == 1


def test_in_small_parts_rpd_is_the_same(monkeypatch):
    trees = Trees.of([[("A", "a", ("B", "b"))], [], [("B", "b")], [("A", "a")]])
    whole = _reverse_path_domain(trees, np.array([2.0, 3.0]))
    monkeypatch.setattr(module, "CHUNK", 1)
    assert _reverse_path_domain(trees, np.array([2.0, 3.0])).tolist() == whole.tolist()


def test_a_path_beyond_all_numbers_tells_everything():
    node = ("K200", "x")
    for depth in range(199, -1, -1):
        node = (f"K{depth}", "x", node)
    assert _reverse_path_domain(Trees.of([[node]]), np.full(201, 100.0)).tolist() == [0]


def test_giving_up_a_relation_may_lower_it():
    # The paper holds that it always rises. With a leaf that tells little beside it, the mean over leaves falls
    size = np.array([10.0, 10.0, 2.0])
    before = Trees.of([[("A", "a", ("B", "b")), ("C", "c")]])
    after = Trees.of([[("A", "a"), ("B", "b"), ("C", "c")]])
    assert _reverse_path_domain(before, size)[0] == pytest.approx((1 / 200 + 1 / 2) / 2)
    assert _reverse_path_domain(after, size)[0] == pytest.approx((1 / 10 + 1 / 10 + 1 / 2) / 3)
    assert _reverse_path_domain(after, size)[0] < _reverse_path_domain(before, size)[0]


def test_cells_of_rows_that_are_missing_from_a_release_that_keeps_rows_are_lost():
    row = ("A", "a0", ("B", "b0"))
    original = Trees.of([[row, row, ("A", "a0")]], repeats=True)
    hierarchies = {name: tree for name, tree in strategies.hierarchies().items() if name in "AB"}
    nodes = Nodes.of("test", original, hierarchies)
    spans = np.array([[0, 1], [0, 1]], dtype=np.int32)
    for shown, lost in (([row, row, ("A", "a0")], 0.0), ([row, ("A", "a0")], 2 / 5), ([row], 3 / 5)):
        release = RecodedTrees(Trees.of([shown], repeats=True), spans, np.arange(1), 1)
        assert tree_ncp(release, original, nodes) == pytest.approx(lost)
