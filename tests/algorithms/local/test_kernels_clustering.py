from itertools import permutations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_local as naive
from local_cases import cases, partitions, plain_ask
from shoal.algorithms._kernels import (
    NEVER,
    price_class,
    price_union,
    price_with_record,
    would_keep_constraint,
)
from shoal.algorithms.local._kernels.clustering import (
    class_costs,
    cut_walk,
    exchange_records,
    extents,
    grow_clusters,
    halve,
    regroup,
)
from shoal.algorithms.local.column_prices import SCALE, range_costs, rates_of
from shoal.hierarchy import Hierarchy


def exact(case, rows):
    """A class's cost in the kernels' whole numbers."""
    d = len(case.paths)
    return sum(
        round(float(naive.node_cost([row[j] for row in rows], paths)) / d * SCALE)
        for j, paths in enumerate(case.paths)
    )


@given(case=cases(), k=st.integers(1, 4), data=st.data())
@settings(max_examples=60)
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
@settings(max_examples=40)
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
@settings(max_examples=40)
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


def halved(local, k, strict):
    begin = np.cumsum([0, *(len(scale.joint) for scale in local.scales)])[:-1].astype(np.int64)
    joint = np.concatenate([scale.joint for scale in local.scales])
    ask, tally = plain_ask(k)
    return halve(local.codes, local.rates, begin, joint, strict, ask, tally, np.zeros(1, dtype=np.int64))


@given(case=cases(), k=st.integers(1, 4), strict=st.booleans())
@settings(max_examples=80)
def test_classes_hold_k_and_everybody(case, k, strict):
    local = case.local
    walk, starts = halved(local, k, strict)
    assert sorted(walk.tolist()) == list(range(local.n))
    sizes = np.diff(starts)
    assert sizes.min() >= min(k, local.n)
    if strict:  # equal records stay together
        of = {i: c for c, part in enumerate(partitions(walk, starts)) for i in part}
        assert all(len({of[i] for i in range(local.n) if case.rows[i] == row}) == 1 for row in case.rows)
    else:  # while records differ anywhere, a class of 2k can be halved
        for part in partitions(walk, starts):
            assert len(part) < 2 * k or len({case.rows[i] for i in part}) == 1


@given(case=cases(max_quasi=1, missing=False), k=st.integers(1, 3))
@settings(max_examples=60)
def test_a_strict_cut_lies_between_children(case, k):
    """In one column: no class can be cut further between two children of its closest common node."""
    local, paths = case.local, case.paths[0]
    walk, starts = halved(local, k, True)
    ask, tally = plain_ask(k)
    for part in partitions(walk, starts):
        cells = {case.rows[i][0] for i in part}
        if len(cells) == 1:
            continue
        top = next(l for l in range(9) if len({paths[cell][l] for cell in cells}) == 1)
        children = list(
            dict.fromkeys(paths[leaf][top - 1] for leaf in local.hierarchies[0].leaves if leaf in cells)
        )
        for cut in range(1, len(children)):
            left = [i for i in part if paths[case.rows[i][0]][top - 1] in children[:cut]]
            right = sorted(part - set(left))
            assert not (
                would_keep_constraint(np.array(left), ask, tally)
                and would_keep_constraint(np.array(right), ask, tally)
            )


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
@settings(max_examples=60)
def test_clusters_cost_what_the_definition_s_cost(case, k):
    local = case.local
    which, where, many = grow_clusters(local.codes, local.first.copy(), local.counts.copy(), k, local.rates)
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
@settings(max_examples=60)
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


@given(case=cases(min_rows=4, max_rows=14), k=st.integers(2, 3), near=st.sampled_from([1, 20]))
@settings(max_examples=60, deadline=None)
def test_records_are_exchanged_until_no_exchange_costs_less(case, k, near):
    """Sizes stay at k and above, costs only fall, and with all classes near no exchange is left that costs less."""
    n = case.local.n
    assume(n >= 2 * k)
    walk, starts = np.arange(n), np.array([*range(0, n - k + 1, k), n])
    rates, codes = case.local.rates, case.local.codes
    before = class_costs(codes, walk, starts, rates).sum()
    found = exchange_records(codes, walk, starts, k, near, 50, rates, np.zeros(1, dtype=np.int64))
    parts = partitions(*found)
    assert sorted(record for part in parts for record in part) == list(range(n))
    assert min(map(len, parts)) >= k
    after = sum(cost(case, part) for part in parts)
    assert class_costs(codes, *found, rates).sum() == after <= before
    room = max(2 * k, int(np.diff(starts).max()))
    for a, b in permutations(range(len(parts)), 2) if near > 1 else ():
        for record in parts[a]:
            rest = [one for one in parts[a] if one != record]
            for other in parts[b]:
                swapped = cost(case, [*rest, other]) + cost(
                    case, [record, *(one for one in parts[b] if one != other)]
                )
                assert swapped >= cost(case, parts[a]) + cost(case, parts[b])
            if len(rest) >= k and len(parts[b]) < room:
                moved = cost(case, rest) + cost(case, [*parts[b], record])
                assert moved >= cost(case, parts[a]) + cost(case, parts[b])


def cost(case, records):
    return len(records) * exact(case, [case.rows[i] for i in records])


PLACES = st.lists(st.integers(0, 5), min_size=1, max_size=8)


@given(PLACES, PLACES)
def test_extents_remember_missing_cells_beside_others(first, second):
    """Place 5 is that of missing cells: the lowest and highest other place stay known, one by one and together."""
    numbers = Hierarchy.from_paths("number", [[str(value), "*"] for value in (0, 1, 3, 6, 10)])
    scale = range_costs(numbers, np.arange(6, dtype=np.int32), None).join_missing(numbers)
    rates = rates_of([scale])

    def extent(places):
        codes = np.array(places, dtype=np.int32)[:, None]
        low, high = extents(codes, np.arange(len(places)), np.array([0, len(places)]), rates)
        assert [low[0], high[0]] == [
            end.tolist() for end in scale.join_places(codes[:, 0], np.array([0, len(places)]))
        ]
        return low[0], high[0]

    def price(places):
        values, extra = [(0, 1, 3, 6, 10)[place] for place in places if place < 5], 5 in places
        if not values:
            return 0
        share = (max(values) - min(values)) / 10
        return min(share + (1 if share else 2) * extra / 5, 1)

    both = price_union(*extent(first), *extent(second), rates)
    assert abs(both / SCALE - price(first + second)) < 1e-6
    assert abs(price_class(*extent(first), rates) / SCALE - price(first)) < 1e-6
    record = np.array([second[0]], dtype=np.int32)
    assert abs(price_with_record(*extent(first), record, rates) / SCALE - price([*first, second[0]])) < 1e-6
    assert price_class(*extent(first + second), rates) == both
