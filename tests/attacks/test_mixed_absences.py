"""Whoever knows what a person of a table with baskets lacks, held against a twin that plays person by person."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_table_attacks as naive
from shoal.attacks import mixed_absences
from shoal.attacks.mixed import players
from shoal.privacy import KKmAnonymity
from table_attack_cases import ITEMS, THINGS, mixed_games


@settings(deadline=None)
@given(mixed_games(), st.sampled_from(["items", "groups"]))
def test_knowing_what_a_person_lacks_is_what_the_definition_says(game, kind):
    found = {one.name: one for one in players(game.seat(), KKmAnonymity(2, ITEMS))}
    table = game.table.records, game.table.rows, game.table.own
    if not any(form <= thing for thing in THINGS[kind] for row in game.shown for form in row):
        assert f"absent-{kind}-1" not in found
        return
    expected = naive.whole_basket_but(*table, game.baskets, game.shown, THINGS[kind])
    assert found[f"absent-{kind}-1"].chances.tolist() == pytest.approx([float(chance) for chance in expected])
    chances = [found[f"absent-{kind}-{many}"].chances for many in range(1, 5)]
    assert all((more >= less).all() for less, more in pairwise([found["m-items"].chances, *chances]))
    assert not found[f"absent-{kind}-1"].inside


@settings(deadline=None, max_examples=20)
@given(mixed_games())
def test_fewer_people_are_played_where_many_rows_fit(game):
    seat = game.seat()
    rows = [np.arange(len(game.table.rows))] * len(game.table.own)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixed_absences, "PAIRS", 1)
        found = list(
            mixed_absences.left_over(
                seat.absent["items"], np.arange(len(rows)), rows, np.random.default_rng(0)
            )
        )
    assert all(len(chances) == 1 for chances in found)
