"""The order of answers, by numbers in front of them, by the amounts they are about, by words in seven languages."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy.answers import are_amounts, order_answers
from shoal.hierarchy.suggest import kind_of, word_hierarchy
from shoal.hierarchy.vocabularies import vocabularies

_ORDERED = [
    ["1. < Primary", "2. Primary", "3. Some college", "10. Other degree"],
    ["1) Daily", "2) Weekly", "3) I never did"],
    ["1 - Stimme zu", "2 - Teils", "3 - Stimme nicht zu", "weiß nicht"],
    ["less than 1", "1", "2 or more"],
    ["<18", "18 to 24", "25-34", "35+"],
    ["less than 1 hour", "1 hour", "2 hours", "3 or more hours", "don't know"],
    ["never", "1-4 per day", "5-9 per day", "10+ per day"],
    ["do not smoke", "1-9", "10-19", "20 or more"],
    ["within 6 months", "1 to 2 years ago", "3 to 5 years ago"],
    ["Under 2,600", "2,600 to 5,200", "5,200 to 10,400", "Above 10,400", "Refused"],
    ["[0,18)", "[18,65)", "[65,inf)"],
    ["y_lt_1", "y_1", "y_2", "y_ge_3", "y_unk"],
    ["keine", "1 bis 2 Stunden", "3 bis 5 Stunden", "mehr als 5 Stunden"],
    ["aucun", "1 à 2 jours", "3 à 5 jours", "plus de 5 jours"],
    ["ninguno", "1 a 2", "3 a 5", "más de 5"],
    ["nessuno", "1 a 2", "3 a 5", "oltre 5"],
    ["yok", "1-2", "3-5", "5 ve üzeri"],
    ["无", "1-2", "3-5", "6以上"],
    ["StronglyDisagree", "Disagree", "Neutral", "Agree", "StronglyAgree"],
    ["1-9km/h", "10-24", "25-39", "40+"],  # a unit once
    ["0", "0.5", "1", "2", "some"],
    ["< 0.5 km", "0.5-1.5 km", "1.5-2.25 km", "2.25+ km"],
    ["1st grade", "2nd grade", "3rd grade"],
    ["never", "sometimes", "often"],
    ["nie", "manchmal", "oft"],
    ["jamais", "parfois", "souvent"],
    ["nunca", "a veces", "a menudo"],
    ["mai", "a volte", "spesso"],
    ["asla", "bazen", "sık sık"],
    ["从不", "有时", "经常"],
    ["low risk", "medium risk", "high risk"],
    ["not too happy", "pretty happy", "very happy"],
    ["did not ride", "never", "rarely", "most of the time", "always"],
    ["Never", "Former", "Current"],
    ["Hauptschule", "Realschule", "Gymnasium"],
    ["école primaire", "collège", "lycée"],
    ["scuola media", "istituto tecnico", "liceo"],
    ["eso", "formación profesional", "bachillerato"],
    ["ortaokul", "meslek lisesi", "fen lisesi"],
    ["小学", "初中", "高中"],
    ["vmbo", "havo", "vwo"],
    ["hs drop out", "hs", "some college", "bachelor"],
    ["viel schlechter", "schlechter", "gleich", "besser"],
]


@pytest.mark.parametrize("answers", _ORDERED, ids=lambda answers: answers[-1])
def test_answers_keep_their_order(answers):
    shuffled = Random(1).sample(answers, len(answers))
    assert order_answers(shuffled) == answers
    assert kind_of(answers).name == "word"
    hierarchy = word_hierarchy("answer", shuffled, np.full(len(answers), 30))
    assert hierarchy.ordered
    assert list(hierarchy.leaves) == answers


@pytest.mark.parametrize(
    "values",
    [
        ["red", "green", "blue"],
        ["never", "sometimes", "blue"],
        ["often", "never"],  # of two, either order is as good
        ["2 apples", "3 pears", "5 plums"],
        ["1. a", "1. b", "2. c"],  # numbers that repeat number something else
        ["3B", "2B", "1B", "C"],
        ["10-20", "15-25", "20-30"],  # they overlap
        ["5-1", "9-3", "8-2"],
        ["12.5 mg", "25 ml", "3 g"],
        ["2020-01-05", "2021-03-07", "2022-05-09"],
        ["555-1234", "555-4321", "444-9876"],
        ["Anna", "never", "Bob"],
        ["", " ", "1"],
    ],
)
def test_what_has_no_order_gets_none(values):
    assert order_answers(values) is None


def test_numbers_in_front_of_names_are_no_order_where_somebody_says_so():
    towns = ["1. Bern", "2. Chur", "3. Genf"]
    assert order_answers(towns) == towns
    assert order_answers(towns, numbered=False) is None


def test_a_collège_is_no_college():
    read = vocabularies()["education"].read
    college, collège = read("College"), read("Collège")
    assert college is not None
    assert collège is not None
    assert college[1][0].startswith("ISCED 6")
    assert collège[1][0].startswith("ISCED 2")


def test_bands_with_units_are_words_and_codes_are_none():
    assert are_amounts(["10-14y", "15-19y", "20y+"])
    assert not are_amounts(["A10", "B11", "C12"])
    assert kind_of(["10-14y", "15-19y", "20-24y", "25y+"]).name == "word"
    assert kind_of(["E11", "E12", "I10", "J45"]).name == "code"


@given(st.lists(st.text(max_size=12), max_size=8))
def test_an_order_holds_every_answer_once(values):
    order = order_answers(values)
    assert order is None or sorted(order) == sorted(value for value in values if value.strip())
    are_amounts(values)


@given(
    st.lists(st.integers(1, 1000), min_size=3, max_size=12, unique=True),
    st.sampled_from(["days", "", "per day"]),
)
def test_bands_are_sorted_as_their_numbers_are(numbers, unit):
    ends = sorted(numbers)
    bands = [f"{low} to {high - 1} {unit}".strip() for low, high in pairwise(ends) if low < high - 1]
    bands = [f"less than {ends[0]} {unit}".strip(), *bands, f"{ends[-1]} or more {unit}".strip()]
    if len(bands) >= 3:
        assert order_answers(Random(3).sample(bands, len(bands))) == bands
