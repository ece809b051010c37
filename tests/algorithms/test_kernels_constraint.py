import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import strategies
from local_cases import cases, partitions, plain_ask
from shoal.algorithms._kernels import would_keep_constraint
from shoal.algorithms.constraint import Constraint, compile_constraint
from shoal.algorithms.local._kernels.clustering import class_costs, extents, merge_small, repair
from shoal.base.errors import InfeasibleError
from shoal.privacy import make_claim


def asked(table, **claim):
    """What is asked, or None where the whole table cannot give it."""
    try:
        return compile_constraint(
            "test", table, np.arange(table.n), Constraint.of("test", make_claim("table", **claim), table)
        )
    except InfeasibleError:
        return None


tables = st.booleans().flatmap(lambda named: strategies.tables(max_sensitive=2, persons=named))


@given(
    table=tables,
    data=st.data(),
    kind=st.sampled_from(["distinct", "entropy", "recursive"]),
    l=st.integers(1, 4),
)
@settings(max_examples=150)
def test_l_diversity_as_the_definitions_say(table, data, kind, l):
    columns = table.role("sensitive")
    c = data.draw(st.sampled_from([0.5, 1.0, 3.0]))
    ask = asked(table, l=l, diversity=kind, c=c) if columns else None
    if ask is None:
        return
    records = data.draw(st.lists(st.integers(0, table.n - 1), min_size=1, unique=True))
    persons = None if table.persons is None else [int(table.persons[i]) for i in records]
    expected = all(
        naive.diverse([column.cells()[i] for i in records], l, kind, c, persons) for column in columns
    )
    assert would_keep_constraint(np.array(records), *ask) == expected
    assert not any(
        array.any() for array in ask[1][:-1]
    )  # the tally is empty again; its last array is scratch


@given(table=tables, data=st.data(), distance=st.sampled_from(["equal", "ordered"]), numbers=st.booleans())
@settings(max_examples=100)
def test_t_closeness_as_the_definitions_say(table, data, distance, numbers):
    columns = table.role("sensitive")
    if not columns:
        return
    records = data.draw(st.lists(st.integers(0, table.n - 1), min_size=1, unique=True))
    persons = None if table.persons is None else table.persons.tolist()
    away = max(naive.closeness(records, column.cells(), distance, persons) for column in columns)
    for t in (away, away - 1e-6, away + 1e-6):
        if 0 <= t <= 1:
            ask = asked(table, t=t, distance=distance)
            assert would_keep_constraint(np.array(records), *ask) == (t >= away - 1e-9)


@given(table=strategies.tables(persons=True), data=st.data(), k=st.integers(1, 4))
@settings(max_examples=40)
def test_k_counts_persons(table, data, k):
    ask = asked(table, k=k)
    if ask is not None:
        records = data.draw(st.lists(st.integers(0, table.n - 1), min_size=1, unique=True))
        assert would_keep_constraint(np.array(records), *ask) == (
            len({int(table.persons[i]) for i in records}) >= k
        )


def cost(local, records):
    walk = np.array(sorted(records), dtype=np.int64)
    return int(class_costs(local.codes, walk, np.array([0, len(walk)]), local.rates)[0])


def added(local, a, b):
    return cost(local, a | b) - cost(local, a) - cost(local, b)


def closest_first(local, classes, k):
    """Unite the two closest classes below k until at most one is left."""
    pool = dict(enumerate(classes))
    done = []
    while len(pool) > 1:
        a, b = min(
            ((x, y) for x in pool for y in pool if x < y),
            key=lambda pair: (added(local, pool[pair[0]], pool[pair[1]]), pair),
        )
        pool[a] = pool[a] | pool.pop(b)
        if len(pool[a]) >= k:
            done.append(pool.pop(a))
    return done + list(pool.values())


@st.composite
def classes(draw, local, most):
    """Any classes of at most `most` records."""
    walk = draw(st.permutations(range(local.n)))
    starts = [0]
    while starts[-1] < local.n:
        starts.append(min(local.n, starts[-1] + draw(st.integers(1, most))))
    return np.array(walk, dtype=np.int64), np.array(starts, dtype=np.int64)


@given(case=cases(), k=st.integers(2, 5), data=st.data())
@settings(max_examples=60)
def test_small_classes_merge_closest_first(case, k, data):
    local = case.local
    walk, starts = data.draw(classes(local, k - 1))
    low, high = extents(local.codes, walk, starts, local.rates)
    into = merge_small(low, high, np.diff(starts), k, local.rates)
    while (into != into[into]).any():
        into = into[into]
    parts = partitions(walk, starts)
    found = {frozenset().union(*(parts[c] for c in np.flatnonzero(into == g))) for g in set(into.tolist())}
    expected = closest_first(local, parts, k)
    assert sorted(map(len, found)) == sorted(map(len, expected))
    assert sum(cost(local, part) for part in found) == sum(cost(local, part) for part in expected)
    assert sum(len(part) < k for part in found) <= 1


@given(case=cases(persons=True), k=st.integers(1, 4), reach=st.integers(0, 5), data=st.data())
@settings(max_examples=60)
def test_repair_ends_with_every_class_keeping_the_claim(case, k, reach, data):
    local = case.local
    who = np.unique(case.table.persons[local.rows], return_inverse=True)[1]
    walk, starts = data.draw(classes(local, 3))
    ask, tally = plain_ask(k, who)
    new_walk, new_starts, merged = repair(local.codes, walk, starts, reach, local.rates, ask, tally)
    parts = partitions(new_walk, new_starts)
    assert sorted(new_walk.tolist()) == list(range(local.n))
    assert len(parts) == len(starts) - 1 - merged
    old = partitions(walk, starts)
    assert all(sum(part <= whole for whole in parts) == 1 for part in old)
    if len(set(who.tolist())) >= k:
        assert all(len({int(who[i]) for i in part}) >= k for part in parts)
    else:
        assert len(parts) == 1
    if all(len({int(who[i]) for i in part}) >= k for part in old):
        assert merged == 0
