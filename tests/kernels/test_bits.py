import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import bits
import naive_bits
from shoal.kernels.bits import distances, hamming, hops, vote

few = settings(max_examples=60, deadline=None)
baskets = st.lists(st.frozensets(st.integers(0, 70), max_size=12), min_size=1, max_size=20)


def flat(sets):
    start, items = bits.flat(sets)
    return start, items.astype(np.int32)


@given(baskets, st.data())
@few
def test_distances_are_hamming_distances(sets, data):
    members = np.array(data.draw(st.lists(st.integers(0, len(sets) - 1), min_size=1, max_size=12)))
    scratch = np.zeros(71, dtype=np.int32)
    found = distances(*flat(sets), members, scratch)
    assert found.tolist() == [[len(sets[a] ^ sets[b]) for b in members] for a in members]
    assert not scratch.any()
    assert hamming(*flat(sets), members[0], members[-1]) == len(sets[members[0]] ^ sets[members[-1]])


def test_distances_of_many_baskets_with_common_and_rare_items():
    random = np.random.default_rng(0)
    sets = [set(np.flatnonzero(random.random(300) < random.random()).tolist()) for _ in range(90)]
    found = distances(*flat(sets), np.arange(90), np.zeros(300, dtype=np.int32))
    assert found.tolist() == [[len(a ^ b) for b in sets] for a in sets]


@given(baskets, st.randoms())
@few
def test_hops_go_round(sets, random):
    order = random.sample(range(len(sets)), len(sets))
    assert hops(*flat(sets), np.array(order)).tolist() == naive_bits.hops([sets[i] for i in order])


@given(baskets, st.data())
@few
def test_votes_agree_with_the_definition(sets, data):
    group = st.lists(st.integers(0, len(sets) - 1), min_size=1, max_size=6)
    groups = data.draw(st.lists(group, min_size=1, max_size=5))
    start = np.cumsum([0, *map(len, groups)])
    members = np.array([m for group in groups for m in group])
    shown, base, doubted, maybe, errors = vote(*flat(sets), 71, start, members)
    for g, group in enumerate(groups):
        items, doubt, most = naive_bits.vote([sets[m] for m in group])
        assert base[shown[g] : shown[g + 1]].tolist() == sorted(items)
        assert maybe[doubted[g] : doubted[g + 1]].tolist() == sorted(doubt)
        assert errors[g] == most


def test_a_tie_is_settled_by_the_group_alone():
    for group in ([0, 1], [1, 0]):
        _, base, _, maybe, _ = vote(*flat([{3}, set()]), 4, np.array([0, 2]), np.array(group))
        assert (base.tolist(), maybe.tolist()) == ([], [3])
