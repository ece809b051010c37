"""What a layer below the door keeps by shape has an entry for every shape that the door knows."""

from typing import get_args

import pytest

from shoal.algorithms import METHODS
from shoal.assess import attack
from shoal.data import Role
from shoal.privacy import CLAIMS, GUARANTEE, SENSITIVE_KEYS, SHAPE_CLAIMS
from shoal.privacy.attackers import ATTACKERS, make_guarantee
from shoal.report.words import NUMBERS, ROLE_WORDS, SHAPE_WORDS
from shoal.shapes.registry import SHAPES


@pytest.mark.parametrize("kept", [SHAPE_CLAIMS, SHAPE_WORDS, ATTACKERS, attack.ATTACKERS])
def test_every_shape_is_there_and_no_other(kept):
    assert [*kept] == [*SHAPES]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_usual_guarantee_makes_a_claim_of_the_shape(shape):
    claim = SHAPE_CLAIMS[shape].make(make_guarantee(shape, ATTACKERS[shape][0].name))
    assert claim.shape == shape
    assert claim.crowd == 5  # as the sentence beside a proposal says


@pytest.mark.parametrize("shape", SHAPES)
def test_both_sentences_about_a_floor_are_there_or_none(shape):
    words = SHAPE_WORDS[shape]
    assert bool(words.floor) == bool(words.kind)
    assert SHAPE_CLAIMS[shape].words == words.name == SHAPES[shape].words


def test_every_role_of_a_column_is_explained():
    assert [role for role, words in ROLE_WORDS.items() if words.chosen] == [*get_args(Role)]
    assert all(words.about for words in ROLE_WORDS.values() if words.chosen)


def test_roles_of_releases_are_known_to_reports():
    assert all(ROLE_WORDS[role].released for spec in SHAPES.values() for role in spec.roles)


def test_fronts_are_those_that_methods_declare():
    assert {shape: spec.fronts for shape, spec in SHAPES.items()} == {
        "table": ["pareto", "poka"],
        "baskets": [],
        "mixed": ["bound"],
        "trees": [],
    }
    assert {name for name, found in METHODS.items() if found.fronts} == {"pareto", "poka"}


def test_every_key_of_a_guarantee_is_explained_in_reports():
    assert all(NUMBERS[key] for key in GUARANTEE)


def test_people_can_ask_for_every_claim_about_sensitive_values_of_a_table():
    every = ATTACKERS["table"][0].protections
    offered = {one.name: one.claim for one in every if one.needs == "sensitive column"}
    assert offered == {CLAIMS[model].keys[0]: model for model in offered.values()}
    assert [*offered, "hidden"] == [*SENSITIVE_KEYS]  # which a column names
