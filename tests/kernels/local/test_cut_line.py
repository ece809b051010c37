import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_local as naive
from local_cases import cases, partitions, plain_ask
from shoal.algorithms.local.column_prices import SCALE
from shoal.kernels.local.cut_line import NEVER, class_costs, cut_walk


def exact(case, rows):
    """A class's cost in the kernels' whole numbers."""
    d = len(case.paths)
    return sum(
        round(float(naive.node_cost([row[j] for row in rows], paths)) / d * SCALE)
        for j, paths in enumerate(case.paths)
    )


@given(case=cases(), k=st.integers(1, 4), data=st.data())
@settings(max_examples=60, deadline=None)
def test_no_way_to_cut_the_walk_is_cheaper(case, k, data):
    walk = np.array(data.draw(st.permutations(range(case.local.n))), dtype=np.int64)
    most = data.draw(st.integers(k, 2 * k))
    ask, tally = plain_ask(k)
    best, behind = cut_walk(
        case.local.codes, walk, np.arange(case.local.n + 1), most, NEVER, case.local.rates, ask, tally
    )
    rows = [case.rows[i] for i in walk.tolist()]
    least = naive.cheapest_cuts(lambda a, b: (b - a) * exact(case, rows[a:b]), len(rows), k, most)
    assert (None if best[-1] == NEVER else best[-1]) == least
    if least is not None:
        starts = [len(rows)]
        while starts[-1] > 0:
            starts.append(int(behind[starts[-1]]))
        starts = np.array(starts[::-1])
        assert class_costs(case.local.codes, walk, starts, case.local.rates).sum() == least
        assert all(k <= len(part) <= most for part in partitions(walk, starts))


@given(case=cases(min_rows=2), k=st.integers(1, 3), data=st.data())
@settings(max_examples=40, deadline=None)
def test_records_are_left_out_where_that_is_cheaper(case, k, data):
    n, price = case.local.n, data.draw(st.sampled_from([0, SCALE // 2, SCALE, 3 * SCALE]))
    walk, (ask, tally) = np.arange(n), plain_ask(k)
    best, _ = cut_walk(case.local.codes, walk, np.arange(n + 1), 2 * k, price, case.local.rates, ask, tally)
    cheapest = [0] * (n + 1)
    for end in range(1, n + 1):
        ways = [cheapest[end - 1] + price]
        for begin in range(max(0, end - 2 * k), end - k + 1):
            ways.append(cheapest[begin] + (end - begin) * exact(case, case.rows[begin:end]))
        cheapest[end] = min(ways)
    assert best.tolist() == cheapest


@given(case=cases(persons=True), k=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_persons_are_counted(case, k):
    who = case.table.persons[case.local.rows]
    ask, tally = plain_ask(k, np.unique(who, return_inverse=True)[1])
    n = case.local.n
    best, _ = cut_walk(
        case.local.codes, np.arange(n), np.arange(n + 1), n, NEVER, case.local.rates, ask, tally
    )

    def cost(a, b):
        return (b - a) * exact(case, case.rows[a:b]) if len(set(who[a:b].tolist())) >= k else None

    least = naive.cheapest_cuts(cost, n, 1, n)
    assert (None if best[-1] == NEVER else best[-1]) == least
    assert not any(array.any() for array in tally)  # everybody who entered left again
