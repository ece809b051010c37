import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import vote_cases
from shoal.kernels.chance import chance
from shoal.kernels.ring.cahd_groups import cahd_groups
from shoal.kernels.ring.greedy_assignments import greedy_assignments

cases = st.lists(
    st.tuples(st.frozensets(st.integers(0, 5), max_size=4), st.integers(0, 4)), min_size=1, max_size=16
)


def parts(case):
    start, items = vote_cases.flat([basket for basket, _ in case])
    return start, items.astype(np.int32), np.array([label for _, label in case])


@given(cases, st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=150, deadline=None)
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
@settings(max_examples=100, deadline=None)
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
