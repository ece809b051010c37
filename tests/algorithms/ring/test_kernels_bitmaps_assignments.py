import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.ring._kernels.bitmaps import BACKTRACK, CLOSED, PAPER, chance, extract, split_edges

few = settings(max_examples=80)


@st.composite
def graphs(draw, even=False):
    """A regular graph: some permutations that nowhere agree, with a state."""
    n = draw(st.integers(1, 9))
    degrees = st.integers(1, n).filter(lambda d: d % 2 == 0) if even else st.integers(1, n)
    if even and n < 2:
        n, degrees = 2, st.just(2)
    d = draw(degrees)
    shifts = draw(st.permutations(range(n)))[:d]
    names = np.array(draw(st.permutations(range(n))))
    edges = names[(np.arange(n)[:, None] + np.array(shifts)) % n].astype(np.int32)
    return edges, chance(draw(st.integers(0, 2**64)).to_bytes(40, "little"))


def regular(edges):
    n, d = edges.shape
    return (
        all(len(set(row)) == d for row in edges.tolist())
        and (np.bincount(edges.ravel(), minlength=n) == d).all()
    )


@pytest.mark.parametrize("walk", [CLOSED, PAPER, BACKTRACK])
@given(graphs())
@few
def test_one_assignment_leaves_a_regular_graph(walk, case):
    edges, state = case
    before = edges.copy()
    n, d = edges.shape
    found, rest, steps = extract(edges, state, walk)
    assert (edges == before).all()
    assert sorted(found.tolist()) == list(range(n))
    assert regular(rest)
    assert rest.shape == (n, d - 1)
    assert steps >= 1
    for u in range(n):
        assert sorted([found[u], *rest[u].tolist()]) == sorted(edges[u].tolist())


@given(graphs(even=True))
@few
def test_halves_are_regular_and_together_the_whole(case):
    edges, state = case
    n, d = edges.shape
    halves = split_edges(edges, state)
    for half in halves:
        assert half.shape == (n, d // 2)
        assert regular(half)
    for u in range(n):
        assert sorted([*halves[0][u], *halves[1][u]]) == sorted(edges[u].tolist())


@pytest.mark.parametrize("walk", [CLOSED, PAPER, BACKTRACK])
def test_every_assignment_of_a_small_graph_is_drawn_by_walks(walk):
    edges = np.array([[0, 1, 2]] * 3, dtype=np.int32)
    state = chance(bytes(40))
    seen = {tuple(extract(edges, state, walk)[0].tolist()) for _ in range(200)}
    assert len(seen) == 6


def test_a_walk_that_must_end_where_it_began_takes_more_steps():
    edges = ((np.arange(2000)[:, None] + np.arange(15)) % 2000).astype(np.int32)
    steps = {walk: extract(edges, chance(bytes(40)), walk)[2] for walk in (CLOSED, PAPER)}
    assert steps[PAPER] > 2 * steps[CLOSED]


def test_every_split_of_a_small_graph_is_drawn():
    edges = np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32)
    state = chance(bytes(40))
    seen = {tuple(split_edges(edges, state)[0].ravel().tolist()) for _ in range(50)}
    assert seen == {(0, 1, 2), (1, 2, 0)}
