"""Labels dealt to blocks: what is kept, and that nothing is told."""

from collections import Counter, defaultdict
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms.ring.nonreciprocal import _deal_blocks, _segment_starts
from shoal.attacks.method import _arrangements


@st.composite
def dealings(draw):
    """Blocks, at most how often a label may be in one, and labels that have room."""
    blocks, size, most = draw(st.integers(1, 12)), draw(st.integers(1, 5)), draw(st.integers(1, 2))
    n = blocks * size + draw(st.integers(0, size - 1))
    labels = list[int]()
    while len(labels) < n:
        labels += [len(labels)] * draw(st.integers(1, most * blocks))
    order = np.array(draw(st.permutations(range(n))))
    return order, np.arange(blocks + 1) * n // blocks, np.array(labels[:n]), most


@given(dealings(), st.randoms())
def test_no_label_is_too_often_in_a_block(dealing, chance):
    order, start, labels, most = dealing
    _, labels = np.unique(labels, return_inverse=True)
    drawn = np.array(chance.sample(range(len(order)), len(order)))
    found, where = _deal_blocks(order, start, labels, most, drawn)
    assert sorted(found.tolist()) == list(range(len(order)))
    assert sorted(np.diff(where)) == sorted(np.diff(start))
    for first, last in pairwise(where.tolist()):
        assert max(Counter(labels[found[first:last]].tolist()).values()) <= most


@given(dealings())
def test_a_record_stays_in_its_segment(dealing):
    order, start, labels, most = dealing
    _, labels = np.unique(labels, return_inverse=True)
    first = _segment_starts(labels[order], start, most)
    found, where = _deal_blocks(order, start, labels, most, np.arange(len(order)))
    for a, b in pairwise(first.tolist()):
        assert set(found[where[a] : where[b]].tolist()) == set(order[start[a] : start[b]].tolist())
        assert max(Counter(labels[order[start[a] : start[b]]].tolist()).values()) <= most * (b - a)


@pytest.mark.parametrize(
    ("labels", "blocks", "most"), [([0, 0, 1, 1], 2, 1), ([0, 0, 1, 1, 2], 2, 1), ([0, 0, 0, 1, 1], 2, 2)]
)
def test_blocks_tell_nothing_of_their_labels(labels, blocks, most):
    """Of all ways in which its labels could be spread over a block, each leads to these blocks as often."""
    n = len(labels)
    order, start = np.arange(n), np.arange(blocks + 1) * n // blocks
    often = defaultdict(Counter)
    for spread in _arrangements(labels):
        here = np.array(spread)
        for drawn in permutations(range(n)):
            found, where = _deal_blocks(order, start, here, most, np.array(drawn))
            parts = [found[a:b] for a, b in pairwise(where.tolist())]
            shown = tuple((frozenset(part.tolist()), tuple(sorted(here[part].tolist()))) for part in parts)
            often[shown][spread] += 1
    assert len(often) > 1
    for shown, ways in often.items():
        possible = [spread for spread in _arrangements(labels) if _fits(spread, shown)]
        assert set(possible) == set(ways)
        assert len(set(ways.values())) == 1


def _fits(spread, shown):
    return all(tuple(sorted(spread[i] for i in who)) == had for who, had in shown)


def test_rare_labels_are_dealt_to_few_blocks_and_frequent_ones_to_many():
    random = np.random.default_rng(0)
    start = np.arange(201) * 5
    rare, frequent = random.permutation(np.arange(1000) % 100), random.permutation(np.arange(1000) % 6)
    assert len(_segment_starts(rare, start, 1)) > len(_segment_starts(frequent, start, 1))
