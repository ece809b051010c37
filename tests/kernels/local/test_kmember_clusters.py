import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from local_cases import cases, partitions, plain_ask
from shoal.kernels.local.cut_line import class_costs
from shoal.kernels.local.kmember_clusters import members, regroup


def price(local, records):
    """What each of these records pays in one class."""
    walk = np.array(sorted(records), dtype=np.int64)
    paid = class_costs(local.codes, walk, np.array([0, len(walk)]), local.rates)
    return int(paid[0]) // len(walk)


def greedy(local, k):
    """k-member record by record, from its definition; of equal ones the smaller record."""
    left, classes, seed = list(range(local.n)), [], 0
    while len(left) >= k or not classes:
        seed = max(left, key=lambda i: (price(local, [seed, i]), -i))
        grown = [seed]
        left.remove(seed)
        while len(grown) < k and left:
            near = min(left, key=lambda i: (price(local, [*grown, i]), i))
            grown.append(near)
            left.remove(near)
        classes.append(grown)
    return classes, left


@given(case=cases(), k=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_clusters_cost_what_the_definition_s_cost(case, k):
    local = case.local
    which, where, many = members(local.codes, local.first.copy(), local.counts.copy(), k, local.rates)
    assert np.bincount(which, weights=many).tolist() == local.counts.tolist()
    sizes = np.bincount(where, weights=many)
    assert sizes.min() >= min(k, local.n)
    grown, left = greedy(local, k)
    assert len(sizes) == len(grown)
    if not left:  # leftovers of one tuple go together here, one by one there
        found = [
            [int(local.first[u]) for u, w in zip(which, where, strict=True) if w == g]
            for g in range(len(sizes))
        ]
        assert [price(local, records) for records in found] == [price(local, records) for records in grown]


@given(case=cases(min_rows=2), k=st.integers(1, 3), width=st.integers(1, 4), data=st.data())
@settings(max_examples=60, deadline=None)
def test_regrouping_never_costs_more_and_keeps_everybody(case, k, width, data):
    local = case.local
    n = local.n
    if n < k:
        return
    ask, tally = plain_ask(k)
    walk = np.array(data.draw(st.permutations(range(n))), dtype=np.int64)
    starts = np.array([*range(0, n - n % k, k), n] if n % k == 0 else [*range(0, n - n % k - k + 1, k), n])
    turn = np.array(data.draw(st.permutations(range(len(starts) - 1))), dtype=np.int64)
    new_walk, new_starts = regroup(
        local.codes, local.tuple_of, walk, starts, turn, width, 100, local.rates, ask, tally
    )
    before = class_costs(local.codes, walk, starts, local.rates).sum()
    assert class_costs(local.codes, new_walk, new_starts, local.rates).sum() <= before
    assert sorted(new_walk.tolist()) == list(range(n))
    assert min(map(len, partitions(new_walk, new_starts))) >= k
    same_walk, same_starts = regroup(
        local.codes, local.tuple_of, walk, starts, turn, width, 0, local.rates, ask, tally
    )
    assert set(partitions(same_walk, same_starts)) == set(partitions(walk, starts))
