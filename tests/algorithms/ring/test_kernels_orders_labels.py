import itertools

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_votes
from shoal.algorithms.ring._kernels.orders import (
    dealt,
    insert_apart,
    is_spaced,
    queue_apart,
    rearrange_blocks,
)

few = settings(max_examples=150)
labels = st.lists(st.integers(0, 5), min_size=1, max_size=25)


@given(labels, st.integers(1, 6))
@few
def test_spacing_is_told_as_defined(tags, gap):
    assert is_spaced(np.array(tags), gap) == naive_votes.spaced(tags, gap)


@given(labels, st.booleans(), st.integers(1, 6))
@few
def test_a_queue_keeps_distance_and_loses_nobody(tags, ordered, gap):
    tags = np.array(sorted(tags) if ordered else tags)
    order, left = queue_apart(tags, 6, gap)
    assert sorted([*order, *left]) == list(range(len(tags)))
    assert naive_votes.spaced(tags[order].tolist(), gap) if len(order) else True
    assert (np.diff(tags[left]) >= 0).all()


def test_a_queue_moves_nobody_without_need():
    tags = np.array([0, 1, 2, 0, 1, 2, 3])
    assert queue_apart(tags, 4, 3)[0].tolist() == list(range(7))
    order, left = queue_apart(np.array([0, 0, 1, 2, 3]), 4, 2)
    assert order.tolist() == [0, 2, 1, 3, 4]  # the second waits one slot
    assert not len(left)


@given(labels, st.integers(1, 6))
@few
def test_insertions_keep_distance(tags, gap):
    tags = np.array(tags)
    order, left = queue_apart(tags, 6, gap)
    assume(len(left) and len(order))
    places = left[tags[left] == tags[left[0]]]
    longer = insert_apart(tags, order, places, gap)
    assert naive_votes.spaced(tags[longer].tolist(), gap)
    assert [place for place in longer if place in order] == order.tolist()
    assert set(longer.tolist()) <= {*order.tolist(), *places.tolist()}
    assert len(set(longer.tolist())) == len(longer)


def test_insertions_find_a_gap_where_one_label_is_rare():
    tags = np.array([0, 1, 2, 1, 2, 1, 2, 0])
    longer = insert_apart(tags, np.array([0, 1, 2, 3, 4, 5, 6]), np.array([7]), 2)
    assert len(longer) == 8
    assert naive_votes.spaced(tags[longer].tolist(), 2)


@given(labels, st.integers(1, 6))
@few
def test_dealing_keeps_every_distance_that_can_be_kept(tags, gap):
    assume(max(tags.count(tag) for tag in tags) * gap <= len(tags))
    order, start = dealt(np.array(tags), 6, len(tags) // gap)
    assert sorted(order.tolist()) == list(range(len(tags)))
    assert naive_votes.spaced([tags[i] for i in order], gap)
    assert np.diff(start).min() >= gap


@given(labels, st.integers(1, 8))
@few
def test_dealing_spreads_every_label_evenly(tags, parts):
    assume(parts <= len(tags))
    order, start = dealt(np.array(tags), 6, parts)
    for a, b in itertools.pairwise(start):
        inside = [tags[i] for i in order[a:b]]
        assert all(inside.count(tag) <= -(-tags.count(tag) // parts) for tag in tags)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=8), min_size=1, max_size=4), st.integers(1, 3)
)
@few
def test_blocks_are_arranged_each_by_itself(parts, gap):
    assume(all(max(part.count(tag) for tag in part) * gap <= len(part) for part in parts))
    tags = np.array([tag for part in parts for tag in part])
    start = np.cumsum([0, *map(len, parts)])
    order = rearrange_blocks(tags, 4, start, gap)
    for a, b in itertools.pairwise(start):
        assert sorted(order[a:b].tolist()) == list(range(a, b))
        assert naive_votes.spaced(tags[order[a:b]].tolist(), gap)
