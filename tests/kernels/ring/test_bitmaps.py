import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_votes
import vote_cases
from shoal.kernels.ring.bitmaps import distances, hamming, hops, vote

few = settings(max_examples=60, deadline=None)
lists = st.lists(st.frozensets(st.integers(0, 70), max_size=12), min_size=1, max_size=20)


def flat(baskets):
    start, items = vote_cases.flat(baskets)
    return start, items.astype(np.int32)


@given(lists, st.data())
@few
def test_distances_are_hamming_distances(baskets, data):
    members = np.array(data.draw(st.lists(st.integers(0, len(baskets) - 1), min_size=1, max_size=12)))
    scratch = np.zeros(71, dtype=np.int32)
    found = distances(*flat(baskets), members, scratch)
    assert found.tolist() == [[len(baskets[a] ^ baskets[b]) for b in members] for a in members]
    assert not scratch.any()
    assert hamming(*flat(baskets), members[0], members[-1]) == len(baskets[members[0]] ^ baskets[members[-1]])


def test_distances_of_many_baskets_with_common_and_rare_items():
    random = np.random.default_rng(0)
    baskets = [set(np.flatnonzero(random.random(300) < random.random()).tolist()) for _ in range(90)]
    found = distances(*flat(baskets), np.arange(90), np.zeros(300, dtype=np.int32))
    assert found.tolist() == [[len(a ^ b) for b in baskets] for a in baskets]


@given(lists, st.randoms())
@few
def test_hops_go_round(baskets, random):
    order = random.sample(range(len(baskets)), len(baskets))
    assert hops(*flat(baskets), np.array(order)).tolist() == naive_votes.hops([baskets[i] for i in order])


@given(lists, st.data())
@few
def test_votes_agree_with_the_definition(baskets, data):
    group = st.lists(st.integers(0, len(baskets) - 1), min_size=1, max_size=6)
    groups = data.draw(st.lists(group, min_size=1, max_size=5))
    start = np.cumsum([0, *map(len, groups)])
    members = np.array([m for group in groups for m in group])
    shown, base, doubted, maybe, errors = vote(*flat(baskets), 71, start, members)
    for g, group in enumerate(groups):
        items, doubt, most = naive_votes.vote([baskets[m] for m in group])
        assert base[shown[g] : shown[g + 1]].tolist() == sorted(items)
        assert maybe[doubted[g] : doubted[g + 1]].tolist() == sorted(doubt)
        assert errors[g] == most


def test_a_tie_is_settled_by_the_group_alone():
    for group in ([0, 1], [1, 0]):
        _, base, _, maybe, _ = vote(*flat([{3}, set()]), 4, np.array([0, 2]), np.array(group))
        assert (base.tolist(), maybe.tolist()) == ([], [3])
