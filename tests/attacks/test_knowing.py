"""What attackers pick to know, beside all that they could."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks import knowing
from shoal.attacks.knowing import Knowable, affordable, everything, fewest, picked_by_share
from shoal.attacks.row_bits import bits_of, stacked

N = 9
some_facts = st.lists(st.sets(st.integers(1, N - 1)).map(lambda rows: rows | {0}), min_size=1, max_size=6)


def told(facts):
    """One person, whose row is the first, and of whom all facts but the last can be known."""
    row = np.array([r for one in facts for r in sorted(one)], dtype=np.int64)
    fact = np.repeat(np.arange(len(facts)), [len(one) for one in facts])
    many = len(facts) - 1
    return Knowable(np.array([0, many]), np.arange(many), stacked([bits_of(row, fact, len(facts), N)], N))


def left(facts, some):
    return set(range(N)).intersection(*(facts[fact] for fact in some))


@given(some_facts, st.integers(1, 3))
def test_the_fewest_rows_of_any_choice(facts, m):
    known, person = told(facts), np.zeros(1, dtype=np.int64)
    picked = fewest(known, person, m)
    choices = [left(facts, some) for some in combinations(range(len(facts) - 1), min(m, len(facts) - 1))]
    assert picked.rows.tolist() == [min(map(len, choices))]
    assert len(left(facts, [fact for fact in picked.keys[0] if fact >= 0])) == picked.rows[0]
    assert picked.whole.all()
    assert left(facts, [fact for fact in everything(known, person)[0] if fact >= 0]) == left(
        facts, range(len(facts) - 1)
    )


@given(some_facts, st.integers(1, 3))
def test_the_highest_share_of_any_choice(facts, m):
    secret = len(facts) - 1
    picked, having = picked_by_share(told(facts), np.zeros(1, dtype=np.int64), np.array([secret]), m)
    choices = [left(facts, some) for size in range(m + 1) for some in combinations(range(secret), size)]
    assert having[0] / picked.rows[0] == max(len(rows & facts[secret]) / len(rows) for rows in choices)


def test_of_many_values_only_the_rarest_are_combined(monkeypatch):
    monkeypatch.setattr(knowing, "_EACH", 3)
    facts = [{0, 1, 2}, {0, 3, 4}, {0, 1, 3, 5}, {0, 5}, set()]
    picked = fewest(told(facts), np.zeros(1, dtype=np.int64), 2)
    assert not picked.whole.any()
    assert picked.rows.tolist() == [1]


def test_fewer_people_are_played_where_each_takes_long(monkeypatch):
    known = told([{0}, {0, 1}, set()])
    assert affordable(known, 2) > 10**6
    monkeypatch.setattr(knowing, "_WORDS", 10)
    assert affordable(known, 2) == 200
