import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_votes
import vote_cases
from shoal.algorithms.ring._kernels.bitmaps import chance, distances, greedy_assignments, hamming, hops, vote
from shoal.algorithms.ring._kernels.orders import cahd_groups

few = settings(max_examples=60)
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


cases = st.lists(
    st.tuples(st.frozensets(st.integers(0, 5), max_size=4), st.integers(0, 4)), min_size=1, max_size=16
)


def parts(case):
    start, items = vote_cases.flat([basket for basket, _ in case])
    return start, items.astype(np.int32), np.array([label for _, label in case])


@given(cases, st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=150)
def test_groups_have_p_records_and_p_labels_and_the_rest_is_one_too(case, p, alpha):
    labels = [label for _, label in case]
    assume(max(labels.count(label) for label in labels) * p <= len(labels))
    group, count = cahd_groups(*parts(case), 5, p, alpha, np.zeros(1, dtype=np.int64))
    members = [[labels[i] for i in np.flatnonzero(group == g)] for g in range(count)]
    assert sum(map(len, members)) == len(case)
    for inside in members[:-1]:
        assert len(inside) == len(set(inside)) == p
    last = members[-1]
    assert max(last.count(label) for label in last) * p <= len(last)


def test_what_remains_is_tested_after_the_group_is_taken():
    """The printed test passes the group {t1, t4} and leaves two records of one label."""
    case = [({0}, 0), ({1}, 1), ({2}, 1), ({0}, 2)]
    group, _ = cahd_groups(*parts(case), 3, 2, 2, np.zeros(1, dtype=np.int64))
    assert group[1] != group[2]


def test_similar_records_are_grouped():
    case = [({0, 1}, 0), ({5}, 1), ({0, 1, 2}, 2), ({5, 4}, 3)]
    group, _ = cahd_groups(*parts(case), 4, 2, 2, np.zeros(1, dtype=np.int64))
    assert group[0] == group[2]
    assert group[1] == group[3]


@given(cases, st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=100)
def test_greedy_assignments_are_perfect_and_disjoint(case, l, seed):
    assume(l <= len(case))
    taken = greedy_assignments(*parts(case), l, chance(seed.to_bytes(40, "little")))
    assert (np.sort(taken, axis=1) == np.arange(len(case))).all()
    assert all(len(set(rows)) == l for rows in taken.T.tolist())


def test_greedy_assignments_give_different_labels_before_any_transfer():
    random = np.random.default_rng(0)
    case = [(frozenset(random.choice(6, 2).tolist()), int(random.integers(12))) for _ in range(200)]
    start, items, labels = parts(case)
    taken = greedy_assignments(start, items, labels, 3, chance(bytes(40)))
    different = [len(set(labels[rows].tolist())) == 3 for rows in taken.T]
    assert np.mean(different) > 0.98
    assert (taken[0] == np.arange(200)).all()  # nobody is nearer than the record itself
