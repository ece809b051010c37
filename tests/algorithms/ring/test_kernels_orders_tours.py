import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_votes
from shoal.algorithms.ring._kernels.bitmaps import chance
from shoal.algorithms.ring._kernels.orders import (
    cross,
    cuts,
    evolve,
    improve,
    length,
    nearest_tour,
    neighbours,
)

few = settings(max_examples=60)


@st.composite
def matrices(draw, max_size=7):
    size = draw(st.integers(2, max_size))
    seed = draw(st.integers(0, 10_000))
    half = np.triu(np.random.default_rng(seed).integers(0, 12, (size, size)), 1)
    return (half + half.T).astype(np.int32)


def is_path(path, size):
    return sorted(path.tolist()) == list(range(size)) and path[0] == 0 and path[-1] == size - 1


@given(matrices())
@few
def test_moves_keep_a_path_and_never_lengthen_it(distance):
    size = len(distance)
    for both in (True, False):
        path = nearest_tour(distance)
        assert is_path(path, size)
        before = length(distance, path)
        improve(distance, neighbours(distance), path, both)
        assert is_path(path, size)
        assert naive_votes.shortest_path(distance.tolist()) <= length(distance, path) <= before


@given(matrices(max_size=40))
@few
def test_long_paths_stay_paths(distance):
    path = nearest_tour(distance)
    improve(distance, neighbours(distance), path, True)
    assert is_path(path, len(distance))


def test_most_short_paths_are_found():
    best = found = first = 0
    for seed in range(80):
        points = np.random.default_rng(seed).random((8, 3)) < 0.5
        distance = (points[:, None] ^ points[None]).sum(axis=2).astype(np.int32)
        path = nearest_tour(distance)
        first += length(distance, path)
        improve(distance, neighbours(distance), path, True)
        found += length(distance, path)
        best += naive_votes.shortest_path(distance.tolist())
    assert best <= found <= 1.01 * best
    assert first > 1.02 * best


@given(matrices(max_size=12))
@few
def test_neighbours_are_the_nearest(distance):
    near = neighbours(distance)
    for a, row in enumerate(near):
        others = sorted(distance[a, b] for b in range(len(distance)) if b != a)
        assert distance[a, row].tolist() == others[: len(row)]
        assert len(set(row.tolist()) - {a}) == len(row)


@given(matrices(), st.integers(0, 99))
@settings(max_examples=20)
def test_evolution_finds_paths(distance, seed):
    state = chance(seed.to_bytes(40, "little"))
    path = evolve(distance, neighbours(distance), state)
    assert is_path(path, len(distance))
    assert length(distance, path) <= naive_votes.shortest_path(distance.tolist()) + 3


def test_a_single_place_has_no_children_beside_itself():
    alone = np.zeros(1, dtype=np.int64)
    assert cross(alone, alone, chance(bytes(40))).tolist() == [0]
    assert evolve(
        np.zeros((1, 1), dtype=np.int32), np.zeros((1, 0), dtype=np.int32), chance(bytes(40))
    ).tolist() == [0]


@given(st.integers(2, 12), st.integers(0, 99))
@few
def test_children_are_paths(size, seed):
    state = chance(seed.to_bytes(40, "little"))
    random = np.random.default_rng(seed)
    parents = [np.r_[0, 1 + random.permutation(size - 2), size - 1] for _ in range(2)]
    assert is_path(cross(*parents, state), size)
    assert cross(parents[0], parents[0], state).tolist() == parents[0].tolist()


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 4), st.integers(0, 3))
@few
def test_cuts_cost_the_least(gaps, least, more):
    most = least + more
    best = naive_votes.cheapest_cut([0, *gaps], len(gaps), least, most)
    if best is None:
        return
    starts = cuts(np.array(gaps), least, most)
    assert starts[0] == 0
    assert starts[-1] == len(gaps)
    assert all(least <= size <= most for size in np.diff(starts))
    assert sum(gaps[cut - 1] for cut in starts[1:-1]) == best


@pytest.mark.parametrize("size", [2, 3, 4])
def test_tiny_segments(size):
    distance = np.ones((size, size), dtype=np.int32) - np.eye(size, dtype=np.int32)
    path = nearest_tour(distance)
    improve(distance, neighbours(distance), path, True)
    assert path.tolist() == list(range(size))
