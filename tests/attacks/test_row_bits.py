"""Rows as bits, beside sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks.row_bits import all_of, any_of, bits_of, fits, how_many, pairs, stacked

rows = st.integers(0, 129)
some_facts = st.lists(st.sets(rows), min_size=1, max_size=5)


def lines(facts, n=130):
    row = np.array([r for one in facts for r in sorted(one)], dtype=np.int64)
    fact = np.repeat(np.arange(len(facts)), [len(one) for one in facts])
    return stacked([bits_of(row, fact, len(facts), n)], n)


def places(bits):
    return [set(np.flatnonzero(np.unpackbits(line.view(np.uint8), bitorder="little"))) for line in bits]


@given(some_facts)
def test_bits_hold_their_rows_and_the_last_line_all(facts):
    assert places(lines(facts)) == [*facts, set(range(130))]


@given(some_facts, st.data())
def test_facts_together_leave_the_rows_that_fit_all(facts, data):
    number = st.integers(-1, len(facts) - 1)
    keys = np.array(data.draw(st.lists(st.tuples(number, number), min_size=1, max_size=6)), dtype=np.int64)
    wanted = [
        set(range(130)).intersection(*(facts[fact] for fact in key if fact >= 0)) for key in keys.tolist()
    ]
    bits = lines(facts)
    assert places(all_of(bits, keys)) == wanted
    assert how_many(bits, keys).tolist() == [len(one) for one in wanted]
    assert how_many(bits, keys[None]).tolist() == [[len(one) for one in wanted]]
    found = [(int(p), int(r)) for place, row in pairs(bits, keys) for p, r in zip(place, row, strict=True)]
    assert found == [(p, r) for p, one in enumerate(wanted) for r in sorted(one)]


@given(some_facts, st.data())
def test_any_of_some_facts_and_single_rows(facts, data):
    number = st.integers(0, len(facts) - 1)
    lists = data.draw(st.lists(st.lists(number, max_size=3), min_size=1, max_size=5))
    start = np.cumsum([0, *map(len, lists)])
    flat = np.array([fact for one in lists for fact in one], dtype=np.int64)
    wanted = [set().union(*(facts[fact] for fact in one)) for one in lists]
    assert places(any_of(lines(facts)[:-1], start, flat)) == wanted
    fact, row = np.repeat(np.arange(len(facts)), 130), np.tile(np.arange(130), len(facts))
    assert fits(lines(facts), fact, row).tolist() == [r in one for one in facts for r in range(130)]


def test_whoever_knows_nothing_finds_all_rows():
    assert how_many(lines([set()]), np.full((2, 1), -1)).tolist() == [130, 130]
