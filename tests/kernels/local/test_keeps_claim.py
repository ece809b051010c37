import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import strategies
from shoal.algorithms.demand import Demand
from shoal.algorithms.local.class_demand import ask_of
from shoal.errors import InfeasibleError
from shoal.kernels.local.keeps_claim import fits
from shoal.privacy import claim_of


def asked(table, **claim):
    """What is asked, or None where the whole table cannot give it."""
    try:
        return ask_of("test", table, np.arange(table.n), Demand.of("test", claim_of("table", **claim), table))
    except InfeasibleError:
        return None


tables = st.booleans().flatmap(lambda named: strategies.tables(max_sensitive=2, persons=named))


@given(
    table=tables,
    data=st.data(),
    kind=st.sampled_from(["distinct", "entropy", "recursive"]),
    l=st.integers(1, 4),
)
@settings(max_examples=150, deadline=None)
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
    assert fits(np.array(records), *ask) == expected
    assert not any(
        array.any() for array in ask[1][:-1]
    )  # the tally is empty again; its last array is scratch


@given(table=tables, data=st.data(), distance=st.sampled_from(["equal", "ordered"]), numbers=st.booleans())
@settings(max_examples=100, deadline=None)
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
            assert fits(np.array(records), *ask) == (t >= away - 1e-9)


@given(table=strategies.tables(persons=True), data=st.data(), k=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_k_counts_persons(table, data, k):
    ask = asked(table, k=k)
    if ask is not None:
        records = data.draw(st.lists(st.integers(0, table.n - 1), min_size=1, unique=True))
        assert fits(np.array(records), *ask) == (len({int(table.persons[i]) for i in records}) >= k)
