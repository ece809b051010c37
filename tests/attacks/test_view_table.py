"""People who are not in a release, played as if they were: held against twins that look at one person at a time."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_table_attacks as naive
from shoal.attacks.players_table import play_table
from shoal.attacks.result import CRITERIA
from shoal.attacks.view_items import ItemView
from shoal.data import Baskets
from shoal.privacy import KAnonymity
from table_attack_cases import LEAVES, VALUES, TableGame, table_games


@st.composite
def _both_groups(draw):
    """A release beside those who are in it, and as many others as one likes; their own rows are not known."""
    game = draw(table_games())
    many, width = draw(st.integers(1, 5)), len(game.records[0])
    cell = st.integers(0, LEAVES - 1)
    records = draw(st.lists(st.tuples(*[cell] * width), min_size=many, max_size=many))
    value = st.none() | st.integers(0, VALUES - 1)
    held = [draw(st.lists(value, min_size=many, max_size=many)) for _ in (*game.plain, *game.sensitive)]
    columns = [(mine, shown) for mine, (_, shown) in zip(held, (*game.plain, *game.sensitive), strict=True)]
    cut = len(game.plain)
    others = replace(
        game,
        records=records,
        own=[None] * many,
        persons=list(range(100, 100 + many)),
        plain=columns[:cut],
        sensitive=columns[cut:],
        rules=[],
    )
    return game, others


@given(_both_groups(), st.integers(0, 9))
def test_others_are_looked_for_where_their_row_would_be(groups, seed):
    game, others = groups
    view = others.view().as_if_inside(game.view(), np.random.default_rng(seed))
    own = [None if row < 0 else row for row in view.own.tolist()]
    whose = naive._whose(game.rows, game.own, game.persons)
    whose = [("nobody", r) if person is None else person for r, person in enumerate(whose)]
    found = {one.name: one.chances.tolist() for one in play_table(view, KAnonymity(2))}
    linked, alike = [], []
    for record, row in zip(others.records, own, strict=True):
        fits = [
            r
            for r, labels in enumerate(game.rows)
            if all(v in s for v, s in zip(record, labels, strict=True))
        ]
        assert row in fits if fits else row is None
        people = {whose[r] for r in fits} if game.several else fits
        linked.append(Fraction(1, len(people)) if fits else Fraction(0))
        same = [r for r in fits if game.rows[r] == game.rows[row]] if fits else []
        alike.append(
            Fraction(1, len({whose[r] for r in same} if game.several else same)) if fits else Fraction(0)
        )
    assert found["all-quasi-identifiers"] == pytest.approx([float(chance) for chance in linked])
    assert found["own-class"] == pytest.approx([float(chance) for chance in alike])
    if game.sensitive:
        assert found["inference"] == pytest.approx(_inferred(game, others, own, whose))


def _inferred(game: TableGame, others: TableGame, own, whose):
    """The share of people of the class in which somebody would be who have that person's own value."""
    chances = []
    for i, row in enumerate(own):
        best = 0.0
        for original, released in others.sensitive:
            if row is None or original[i] is None:
                continue
            rows = [r for r in range(len(game.rows)) if game.rows[r] == game.rows[row]]
            people = {whose[r] for r in rows} if game.several else rows
            having = {whose[r] if game.several else r for r in rows if released[r] == original[i]}
            best = max(best, len(having) / len(people))
        chances.append(best)
    return chances


def test_the_row_that_shows_most_of_a_basket_stands_in():
    people = Baskets.of("items", [["ale", "pie", "hiv"], ["tea"], ["gin"]], sensitive=["hiv"])
    rows = Baskets.of("items", [["ale", "pie"], ["ale", "hiv"], ["tea"], ["tea", "ale"]])
    view = ItemView(people, rows.start, rows.items, rows.values, None, np.full(3, -1))
    drawn = [view.as_if_inside(view, np.random.default_rng(seed)).own.tolist() for seed in range(20)]
    assert {own[0] for own in drawn} == {0}  # what is sensitive does not count
    assert {own[1] for own in drawn} == {2, 3}
    assert {own[2] for own in drawn} == {-1}


def test_who_has_no_control_says_why():
    assert all(one.alone == one.alone.strip(". ") for one in CRITERIA.values())
    assert CRITERIA["skewness"].alone
    assert not CRITERIA["inference"].alone
