"""The attackers of a table with baskets, held against twins that play person by person."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_table_attacks as naive
from item_attack_cases import near
from shoal.attacks import engine
from shoal.attacks.players_mixed import MIXED_PLAYERS, _count_fewest_rows, play_mixed
from shoal.attacks.players_table import TABLE_PLAYERS
from shoal.privacy import KKmAnonymity, KLmDiversity
from table_attack_cases import ITEMS, THINGS, MixedGame, TableGame, mixed_games


@given(mixed_games(), st.integers(1, 3))
def test_knowing_items_is_what_the_definitions_say(game, m):
    found = {one.name: one for one in play_mixed(game.view(), KKmAnonymity(2, m))}
    table = game.table.records, game.table.rows, game.table.own
    assert near(found["m-items"], naive.some_items(*table, game.baskets, game.shown, m))
    fits = [
        row is not None and row in naive.fitting(record, table[1])
        for record, row in zip(*table[::2], strict=True)
    ]
    own = naive.own_class_items(*table[1:], game.shown, m)
    assert near(
        found["own-class-m-items"], [chance if fit else 0 for chance, fit in zip(own, fits, strict=True)]
    )
    assert near(found["one-more-item"], naive.some_items(*table, game.baskets, game.shown, m + 1))
    assert near(found["whole-basket"], naive.some_items(*table, game.baskets, game.shown, 9))
    assert near(found["record-size"], naive.basket_size(*table, game.baskets, game.shown, game.left_out, m))
    assert (found["m-items"].inside, found["m-items"].bound) == (True, 0.5)
    assert not found["one-more-item"].inside


@given(mixed_games(), st.integers(1, 2))
def test_sensitive_items_are_no_knowledge_under_l(game, m):
    found = {one.name: one for one in play_mixed(game.view(), KLmDiversity(2, 3, m))}
    table = game.table.records, game.table.rows, game.table.own
    assert near(found["m-items"], naive.some_items(*table, game.baskets, game.shown, m, game.sensitive))
    expected = naive.sensitive_items(
        game.table.rows, game.table.own, game.shown, game.baskets, game.sensitive, m
    )
    covered = [
        row is not None and row in naive.fitting(record, game.table.rows)
        for record, row in zip(*table[::2], strict=True)
    ]
    assert near(
        found["sensitive-items-within-l"],
        [c if fits else 0 for c, fits in zip(expected, covered, strict=True)],
    )
    assert found["sensitive-items-within-l"].bound == pytest.approx(1 / 3)
    if game.sensitive:
        others = frozenset(range(9)) - game.sensitive
        assert near(found["sensitive-item"], naive.some_items(*table, game.baskets, game.shown, 1, others))


@given(mixed_games(rules=2), st.integers(1, 3), st.booleans())
def test_what_follows_from_items_is_used_as_the_definitions_say(game, m, exempt):
    claim = KLmDiversity(2, 2, m) if exempt else KKmAnonymity(2, m)
    found = {one.name: one for one in play_mixed(game.view(), claim)}
    if not (game.tells or game.table.rules):
        assert "columns-that-follow" not in found
        return
    unknown = game.sensitive if exempt else frozenset()
    table = game.table.records, game.table.rows, game.table.own
    known = (game.table.rules, game.column, game.tells, unknown)
    assert near(
        found["columns-that-follow"], naive.items_that_follow(*table, game.baskets, game.shown, m, *known)
    )
    assert not found["columns-that-follow"].inside
    less = found["own-class-m-items"].chances
    assert (found["columns-that-follow"].chances >= less - 1e-12).all()


@given(mixed_games(rules=1), st.integers(1, 2))
def test_items_that_tell_what_every_row_shows_tell_nothing(game, m):
    values = frozenset(game.column)
    table = replace(game.table, rules=[])
    game = replace(game, table=table, tells={item: values for item in range(ITEMS)})
    found = {one.name: one for one in play_mixed(game.view(), KKmAnonymity(2, m))}
    assert found["columns-that-follow"].chances.tolist() == found["own-class-m-items"].chances.tolist()


def _four(shown):
    table = TableGame([(0,)] * 4, [(frozenset([0]),)] * 4, [0, 1, 2, 3], [0, 1, 2, 3])
    baskets = [frozenset().union(*row) for row in shown]
    return MixedGame(table, baskets, shown, frozenset([3]), False, [0, 0, 0, 1], {0: {0}})


def test_every_player_of_a_table_with_baskets_is_played_somewhere():
    one = frozenset([0])
    found = [
        player.name
        for player in play_mixed(_four([[one], [one], [one], [one]]).view(), KLmDiversity(2, 2, 2))
    ]
    assert {one.name for one in MIXED_PLAYERS} <= {*found}
    assert "all-quasi-identifiers" in {one.name for one in TABLE_PLAYERS}
    assert "all-quasi-identifiers" in found


def test_one_rare_item_is_above_the_bound():
    one, two = frozenset([0]), frozenset([1])
    found = {
        player.name: player
        for player in play_mixed(_four([[one], [one], [one], [two]]).view(), KKmAnonymity(3, 1))
    }
    assert found["m-items"].kept is False
    assert found["m-items"].certain == 1
    assert found["all-quasi-identifiers"].kept is True


def test_of_very_many_choices_some_are_drawn_and_the_interval_says_so():
    held = np.random.default_rng(3).random((40, 30)) < 0.9
    held[:, 0] = True
    fewest, least = _count_fewest_rows(held, 4, np.random.default_rng(1))
    assert least <= fewest
    exact = _count_fewest_rows(held[:8], 4, np.random.default_rng(1))
    assert exact[0] == exact[1]


# Whoever knows what a person of a table with baskets lacks, held against a twin that plays person by person.


@given(mixed_games(), st.sampled_from(["items", "groups"]))
def test_knowing_what_a_person_lacks_is_what_the_definition_says(game, kind):
    found = {one.name: one for one in play_mixed(game.view(), KKmAnonymity(2, ITEMS))}
    table = game.table.records, game.table.rows, game.table.own
    if not any(form <= thing for thing in THINGS[kind] for row in game.shown for form in row):
        assert f"absent-{kind}-1" not in found
        return
    expected = naive.whole_basket_but(*table, game.baskets, game.shown, THINGS[kind])
    assert found[f"absent-{kind}-1"].chances.tolist() == pytest.approx([float(chance) for chance in expected])
    chances = [found[f"absent-{kind}-{many}"].chances for many in range(1, 5)]
    assert all((more >= less).all() for less, more in pairwise([found["m-items"].chances, *chances]))
    assert not found[f"absent-{kind}-1"].inside


@settings(max_examples=20)
@given(mixed_games())
def test_fewer_people_are_played_where_many_rows_fit(game):
    view = game.view()
    rows = [np.arange(len(game.table.rows))] * len(game.table.own)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_PAIRS", 1)
        people, left = engine.count_after_absences(
            view.absent["items"],
            np.arange(len(rows)),
            np.array(list(map(len, rows))),
            lambda place: (np.repeat(np.arange(len(place)), len(rows[0])), np.tile(rows[0], len(place))),
            np.random.default_rng(0),
        )
    assert all(len(some) == len(people) == 1 for some in left)
