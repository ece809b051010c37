import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_local as naive
from local_cases import cases
from shoal.algorithms.local.spanning_tree import _values, steps_of
from shoal.kernels.local.spanning import distance, join_rest, meet, root_of, unite


@given(case=cases(max_rows=8))
@settings(max_examples=50, deadline=None)
def test_distance_is_hdist(case):
    local, rows = case.local, case.distinct()
    step, scale = steps_of(local.hierarchies)
    values, places = _values(local.words, local.layout)
    for a in range(len(rows)):
        for b in range(len(rows)):
            assert distance(values, a, b, places, step) == naive.hdist(rows[a], rows[b], case.paths) * scale


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_unite_keeps_the_edges_that_join(edges):
    parent = np.arange(7, dtype=np.int32)
    kept = unite(np.array(edges, dtype=np.int32), parent)
    roots = [root_of(parent, i) for i in range(7)]
    for part in naive.components(7, edges):
        assert len({roots[i] for i in part}) == 1
    assert len(kept) == 7 - len(naive.components(7, edges))
    assert all(edge in edges for edge in map(tuple, kept.tolist()))


@given(case=cases(max_rows=8), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_rest_is_joined_as_kruskal_joins_it(case, data):
    local, rows = case.local, case.distinct()
    m = len(rows)
    pairs = st.lists(st.tuples(st.integers(0, m - 1), st.integers(0, m - 1)), max_size=3)
    parent = np.arange(m, dtype=np.int32)
    joined = data.draw(pairs)
    if joined:
        unite(np.array(joined, dtype=np.int32), parent)
    step, scale = steps_of(local.hierarchies)
    values, places = _values(local.words, local.layout)
    component = np.array([root_of(parent, i) for i in range(m)], dtype=np.int64)
    edges, weight = join_rest(values, component, places, step)
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
@settings(max_examples=40, deadline=None)
def test_meet_finds_the_smallest_pairs_that_become_equal(case, data):
    local, rows = case.local, case.distinct()
    j = data.draw(st.integers(0, len(local.hierarchies) - 1))
    level = data.draw(st.integers(0, local.hierarchies[j].height))
    m = len(rows)
    parent, first = np.arange(m, dtype=np.int32), np.arange(m, dtype=np.int32)
    words, heads, edges = meet(local.words, first, np.array([j]), np.array([level]), local.layout, parent)
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
