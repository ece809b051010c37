"""Whoever knows the method, held against possible worlds counted one by one."""

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks.method import CellReplay, Replay, _arrangements, play_cell_replay, play_known_method


@given(st.lists(st.integers(0, 3), max_size=6))
def test_every_order_comes_once(values):
    found = list(_arrangements(values))
    assert len(found) == len(set(found))
    assert set(found) == set(permutations(values))


@st.composite
def replays(draw):
    """People in classes, and a method that shows something of their values."""
    values = np.array(draw(st.lists(st.integers(0, 2), min_size=1, max_size=5)))
    of = np.array(draw(st.lists(st.integers(-1, 1), min_size=len(values), max_size=len(values))))
    weights = np.array(draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values))))
    return Replay(values, of, lambda spread: int(weights @ spread) % 3)


def _share(replay, person):
    """Of all worlds in which only the values of the person's class lie differently, and that show the same."""
    own = replay.of[person]
    if own < 0:
        return 0.0
    members = np.flatnonzero(replay.of == own)
    right = []
    for spread in set(permutations(replay.values[members].tolist())):
        world = replay.values.copy()
        world[members] = spread
        if replay.shown(world) == replay.shown(replay.values):
            right.append(world[person] == replay.values[person])
    return sum(right) / len(right)


@given(replays())
def test_the_chance_is_that_of_all_worlds_that_show_the_same(replay):
    found = play_known_method(replay, 10**6, rng=np.random.default_rng(0))
    expected = [_share(replay, person) for person in range(len(replay.values))]
    assert found.people == found.played == len(expected)
    assert np.allclose(sorted(found.chances), sorted(expected))
    assert not found.inside
    assert found.bound is None


def test_many_ways_are_drawn_and_tries_end():
    values = np.arange(40) % 9
    tried = []
    replay = Replay(values, np.repeat(np.arange(4), 10), lambda spread: tried.append(spread) or 0)
    found = play_known_method(replay, 150, rng=np.random.default_rng(0))
    assert 100 < len(tried) < 400
    assert 0 < found.played < 40
    assert found.success < 0.3


@st.composite
def cell_replays(draw):
    """People with one leaf of four each, labels over some leaves, and a release that shows a sum of all."""
    values = np.array(draw(st.lists(st.integers(0, 3), min_size=1, max_size=5)), dtype=np.int32)[:, None]
    under = {
        (i, 0): np.array(sorted({own, *draw(st.sets(st.integers(0, 3), min_size=2))}))
        for i, own in enumerate(values[:, 0].tolist())
        if draw(st.booleans())
    }
    weights = np.array(draw(st.lists(st.integers(0, 2), min_size=4, max_size=4)))
    return values, under, lambda leaves: int(weights[leaves].sum()) % 3


@given(cell_replays())
def test_the_chance_of_a_cell_is_that_of_all_values_that_show_the_same(case):
    values, under, shown = case

    def world(record, leaf):
        return [leaf if i == record else own for i, own in enumerate(values[:, 0].tolist())]

    def same(record, column, leaf):
        assert leaf != values[record, column]
        return shown(world(record, leaf)) == shown(values[:, 0].tolist())

    found = play_cell_replay(CellReplay(values, under, same), 10**6, rng=np.random.default_rng(0))
    after, before = [], []
    for (record, _), leaves in under.items():
        others = [own for i, own in enumerate(values[:, 0].tolist()) if i != record]
        weight = {leaf: others.count(leaf) + 1 for leaf in leaves.tolist()}
        left = [leaf for leaf in weight if shown(world(record, leaf)) == shown(values[:, 0].tolist())]
        own = weight[int(values[record, 0])]
        after.append(own / sum(weight[leaf] for leaf in left))
        before.append(own / sum(weight.values()))
    assert found.played == found.people == len(under)
    assert np.allclose(sorted(found.chances), sorted(after))
    assert not under or np.isclose(found.figures["prior"], np.mean(before))
