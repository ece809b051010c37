"""The share of detail that record trees lost, against its definition node by node."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from shoal.algorithms.trees.gcs import gcs
from shoal.algorithms.trees.recoding import apply
from shoal.data import Trees
from shoal.errors import InfeasibleError
from shoal.hierarchy.nodes import Nodes
from shoal.privacy import claim_of
from shoal.release import RecodedTrees
from shoal.utility.tree_ncp import tree_ncp
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
@settings(max_examples=150, deadline=None)
def test_agrees_with_its_definition(records, secret, data):
    trees, nodes, secret = originals(records, secret)
    published = [data.draw(st.none() | locally(record, secret)) for record in records]
    rows = [place for place, shown in enumerate(published) if shown is not None]
    release = recoded([published[row] for row in rows], len(records), rows, secret)
    expected = naive.ncp(records, published, covering(HIERARCHIES, secret), price(secret))
    assert tree_ncp(release, trees, nodes) == pytest.approx(expected)


@given(strategies.trees(min_records=3), st.integers(1, 3), st.sampled_from(["class", "pair"]))
@settings(max_examples=30, deadline=None)
def test_agrees_on_what_makers_publish(records, k, scope):
    trees, nodes, _ = originals(records, None)
    try:
        release = gcs(trees, HIERARCHIES, claim=claim_of("trees", k=k, m=2, n=1), scope=scope).release
    except InfeasibleError:
        return
    published = dict(zip(release.rows.tolist(), release.trees.nested(), strict=True))
    shown = [published.get(row) for row in range(len(records))]
    expected = naive.ncp(records, shown, covering(HIERARCHIES), price(None))
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
    release = apply("test", trees, HIERARCHIES, {"cut": cut, "disassociations": [["A", "B"]]})
    whole = tree_ncp(release, trees, nodes)
    assert 0 < whole < 1
    monkeypatch.setattr(sys.modules[tree_ncp.__module__], "CHUNK", 1)
    assert tree_ncp(release, trees, nodes) == pytest.approx(whole)
