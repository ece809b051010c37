from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_local as naive
from local_cases import cases
from shoal.algorithms.local._kernels.spanning_tree import (
    cut_tree,
    distance,
    find_root,
    join_by_edges,
    join_components,
    line_along_tree,
    roll_up_table,
    root_tree,
)
from shoal.algorithms.local.mstk import _steps_of, _unpack_values, spanning_tree


@given(case=cases(max_rows=8))
@settings(max_examples=50)
def test_distance_is_hdist(case):
    local, rows = case.local, case.distinct()
    step, scale = _steps_of(local.hierarchies)
    values, places = _unpack_values(local.words, local.layout)
    for a in range(len(rows)):
        for b in range(len(rows)):
            assert distance(values, a, b, places, step) == naive.hdist(rows[a], rows[b], case.paths) * scale


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12))
@settings(max_examples=60)
def test_unite_keeps_the_edges_that_join(edges):
    parent = np.arange(7, dtype=np.int32)
    kept = join_by_edges(np.array(edges, dtype=np.int32), parent)
    roots = [find_root(parent, i) for i in range(7)]
    for part in naive.components(7, edges):
        assert len({roots[i] for i in part}) == 1
    assert len(kept) == 7 - len(naive.components(7, edges))
    assert all(edge in edges for edge in map(tuple, kept.tolist()))


@given(case=cases(max_rows=8), data=st.data())
@settings(max_examples=60)
def test_the_rest_is_joined_as_kruskal_joins_it(case, data):
    local, rows = case.local, case.distinct()
    m = len(rows)
    pairs = st.lists(st.tuples(st.integers(0, m - 1), st.integers(0, m - 1)), max_size=3)
    parent = np.arange(m, dtype=np.int32)
    joined = data.draw(pairs)
    if joined:
        join_by_edges(np.array(joined, dtype=np.int32), parent)
    step, scale = _steps_of(local.hierarchies)
    values, places = _unpack_values(local.words, local.layout)
    component = np.array([find_root(parent, i) for i in range(m)], dtype=np.int64)
    edges, weight = join_components(values, component, places, step)
    ways = sorted(
        (naive.hdist(rows[a], rows[b], case.paths) * scale, a, b) for a in range(m) for b in range(a + 1, m)
    )
    expected, done = [], list(joined)
    for way in ways:
        if len(naive.components(m, [*done, way[1:]])) < len(naive.components(m, done)):
            expected.append(way)
            done.append(way[1:])
    found = sorted((w, a, b) for w, (a, b) in zip(weight.tolist(), edges.tolist(), strict=True))
    assert found == expected


@given(case=cases(max_rows=10), data=st.data())
@settings(max_examples=40)
def test_meet_finds_the_smallest_pairs_that_become_equal(case, data):
    local, rows = case.local, case.distinct()
    j = data.draw(st.integers(0, len(local.hierarchies) - 1))
    level = data.draw(st.integers(0, local.hierarchies[j].height))
    m = len(rows)
    parent, first = np.arange(m, dtype=np.int32), np.arange(m, dtype=np.int32)
    words, heads, edges = roll_up_table(
        local.words, first, np.array([j]), np.array([level]), local.layout, parent
    )
    groups = {}
    for i, row in enumerate(rows):
        alike = next(
            (
                g
                for g in groups
                if all(
                    a == b if q != j else naive.level(a, b, case.paths[j]) <= level
                    for q, (a, b) in enumerate(zip(rows[g], row, strict=True))
                )
            ),
            i,
        )
        groups.setdefault(alike, []).append(i)
    assert heads.tolist() == list(groups)
    assert words.shape[1] == len(groups)
    star = sorted((head, other) for head, group in groups.items() for other in group[1:])
    assert sorted(map(tuple, edges.tolist())) == star


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
    return cut_tree(*root_tree(shaped, weight), count, k)


@given(trees())
@settings(max_examples=60)
def test_rooting_keeps_every_edge(tree):
    edges, weights, counts = tree
    above, up, order = root_tree(*arrays(*tree)[:2])
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
@settings(max_examples=150)
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
@settings(max_examples=50)
def test_the_line_holds_every_tuple_once(case):
    local = case.local
    tree = spanning_tree(local.words, local.layout, local.hierarchies)
    line = line_along_tree(tree.edges, local.tuples, local.rates)
    assert sorted(line.tolist()) == list(range(len(local.tuples)))
    steps = sum(
        naive.hdist(case.distinct()[a], case.distinct()[b], case.paths) for a, b in pairwise(line.tolist())
    )
    assert steps >= tree.total - 1e-9  # a line is a spanning tree too
