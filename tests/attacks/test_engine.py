"""Absences that are known, one after the other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from item_attack_cases import lists
from shoal.attacks.engine import _rule_out, draw_people

THINGS = 4
things = st.lists(st.sets(st.integers(0, THINGS - 1)), min_size=1, max_size=6)


@given(things, things, st.data())
def test_each_absence_rules_out_most_of_what_is_left(rows, people, data):
    """Rows that show only what a person has are never ruled out; of ties the smallest thing is taken."""
    fitting = [data.draw(st.sets(st.integers(0, len(rows) - 1))) for _ in people]
    place = np.array([p for p, some in enumerate(fitting) for _ in some], dtype=np.int64)
    row = np.array([r for some in fitting for r in sorted(some)], dtype=np.int64)
    found = [left.tolist() for left in _rule_out(place, row, lists(rows), lists(people), THINGS, 3)]
    left = [set(some) for some in fitting]
    for step in range(3):
        for person, has in enumerate(people):
            lacks = [thing for thing in range(THINGS) if thing not in has]
            out = [{r for r in left[person] if thing in rows[r]} for thing in lacks]
            left[person] -= max(out, key=len, default=set())
        assert found[step] == [len(some) for some in left]


# Who is played.


def test_everybody_is_played_where_there_are_few() -> None:
    assert draw_people(5, 5).tolist() == [0, 1, 2, 3, 4]
    assert draw_people(0, 5).tolist() == []


def test_some_are_drawn_without_repeats_and_evenly() -> None:
    rng = np.random.default_rng(1)
    counts = np.zeros(10)
    for _ in range(500):
        some = draw_people(10, 4, rng)
        assert len(set(some.tolist())) == 4
        counts[some] += 1
    assert counts.min() > 150
    assert counts.max() < 250


def test_somebody_is_always_played() -> None:
    assert len(draw_people(10, 0)) == 1


def test_the_same_generator_draws_the_same_people_and_no_generator_others() -> None:
    first, second = (draw_people(1000, 30, np.random.default_rng(7)).tolist() for _ in range(2))
    assert first == second
    assert draw_people(1000, 30).tolist() != draw_people(1000, 30).tolist()
