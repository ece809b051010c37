from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_local as naive
from local_cases import cases
from shoal.algorithms.local.spanning_tree import spanning_tree
from shoal.kernels.local.subtree_cuts import cut_tree, path, rooted


@st.composite
def trees(draw, most=14):
    """A tree of up to `most` tuples: edges by rising weight, weights, counts."""
    m = draw(st.integers(1, most))
    edges = [(draw(st.integers(0, b - 1)), b) for b in range(1, m)]
    weights = draw(st.lists(st.integers(1, 4), min_size=m - 1, max_size=m - 1))
    order = sorted(range(m - 1), key=lambda e: (weights[e], edges[e]))
    counts = draw(st.lists(st.integers(1, 4), min_size=m, max_size=m))
    return [edges[e] for e in order], [weights[e] for e in order], counts


def arrays(edges, weights, counts):
    shaped = np.array(edges, dtype=np.int32).reshape(-1, 2)
    return shaped, np.array(weights, dtype=np.int64), np.array(counts, dtype=np.int64)


def cut(edges, weights, counts, k):
    shaped, weight, count = arrays(edges, weights, counts)
    return cut_tree(*rooted(shaped, weight), count, k)


@given(trees())
@settings(max_examples=60, deadline=None)
def test_rooting_keeps_every_edge(tree):
    edges, weights, counts = tree
    above, up, order = rooted(*arrays(*tree)[:2])
    found = {(min(v, int(a)), max(v, int(a))): int(up[v]) for v, a in enumerate(above) if a >= 0}
    assert found == dict(zip(edges, weights, strict=True))
    place = {int(v): i for i, v in enumerate(order)}
    assert sorted(place) == list(range(len(counts)))
    assert all(place[int(a)] < place[v] for v, a in enumerate(above) if a >= 0)


def first_cut(edges, weights, counts, k):
    """The parts after the first round, from the paper's words."""
    if sum(counts) < 2 * k or not edges:
        return naive.components(len(counts), edges)
    limit = naive.threshold([*weights, *[0] * (sum(counts) - len(counts))])
    kept = [edge for edge, weight in zip(edges, weights, strict=True) if weight <= limit * (1 + 1e-9)]
    return naive.components(len(counts), kept)


@given(trees(), st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_every_subtree_is_cut_as_far_as_it_can_be(tree, k):
    edges, weights, counts = tree
    top, below = cut(*tree, k)
    parts = {}
    for v, t in enumerate(top.tolist()):
        parts.setdefault(t, set()).add(v)
    for t, part in parts.items():
        inside = [(edge, w) for edge, w in zip(edges, weights, strict=True) if set(edge) <= part]
        assert len(inside) == len(part) - 1  # connected
        size = sum(counts[v] for v in part)
        assert below[t] == size
        if size >= 2 * k and inside:  # nothing above the threshold is left, and no edge with k on both sides
            zeros = [0] * (size - len(part))
            assert all(w <= naive.threshold([x for _, x in inside] + zeros) * (1 + 1e-9) for _, w in inside)
            for edge, _ in inside:
                halves = naive.components(len(counts), [other for other, _ in inside if other != edge])
                sizes = [sum(counts[v] for v in half) for half in halves if half <= part]
                assert min(sizes) < k
    for part in first_cut(*tree, k):  # later rounds only cut further
        assert len({next(p for p in map(frozenset, parts.values()) if v in p) <= part for v in part}) <= 1


@pytest.mark.parametrize("m", [2, 7, 64, 501])
def test_a_chain_of_equal_weights_ends_in_classes_of_k_to_2k_less_1(m):
    edges = [(i, i + 1) for i in range(m - 1)]
    top, _ = cut(edges, [3] * (m - 1), [1] * m, 3)
    sizes = np.bincount(top)
    assert sizes[sizes > 0].max() <= 5
    assert m < 3 or sizes[sizes > 0].min() >= 3


def test_a_star_of_equal_weights_stays_whole_and_ends():
    top, below = cut([(0, i) for i in range(1, 40)], [2] * 39, [1] * 40, 5)
    assert set(top.tolist()) == {0}
    assert below[0] == 40


@given(cases(max_rows=12))
@settings(max_examples=50, deadline=None)
def test_the_line_holds_every_tuple_once(case):
    local = case.local
    tree = spanning_tree(local.words, local.layout, local.hierarchies)
    line = path(tree.edges, local.tuples, local.rates)
    assert sorted(line.tolist()) == list(range(len(local.tuples)))
    steps = sum(
        naive.hdist(case.distinct()[a], case.distinct()[b], case.paths) for a, b in pairwise(line.tolist())
    )
    assert steps >= tree.total - 1e-9  # a line is a spanning tree too
