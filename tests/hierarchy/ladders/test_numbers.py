"""Ages and amounts in round steps: nested, round, with open classes at the ends."""

from decimal import Decimal
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy.ladders.numbers import classes_of_numbers, number_ladder
from shoal.hierarchy.ladders.round_numbers import roundest, spelled

NUMBERS = st.dictionaries(
    st.decimals(-10_000, 1_000_000, places=2), st.integers(1, 500), min_size=4, max_size=80
)


@given(NUMBERS)
def test_every_level_joins_classes_of_the_one_below(held):
    values = sorted(held)
    made = number_ladder("x", [spelled(v) for v in values], np.array([held[v] for v in values]))
    if made is None:
        return
    for level in range(1, made.height):
        assert 1 < len(made.labels[level]) <= len(made.labels[level - 1])
    assert made.leaves == tuple(spelled(v) for v in values)
    assert not made.public


@given(NUMBERS)
def test_every_number_lies_within_its_label(held):
    values = sorted(held)
    made = number_ladder("x", [spelled(v) for v in values], np.array([held[v] for v in values]))
    if made is None:
        return
    for code, value in enumerate(values):
        for level in range(1, made.height):
            label = made.labels[level][made.up[code, level]]
            assert _holds(label, value), (label, value)


def _holds(label, value):
    if label.startswith(">= "):
        return value >= Decimal(label[3:])
    if label.startswith("< "):
        return value < Decimal(label[2:])
    low, high = label[1:-1].split(", ")
    return Decimal(low) <= value < Decimal(high)


@given(NUMBERS)
def test_bounds_of_a_level_are_among_those_of_the_level_below(held):
    values = sorted(held)
    levels = classes_of_numbers(values, np.array([held[v] for v in values]))
    for fine, coarse in pairwise(levels):
        assert set(coarse[1:-1]) <= set(fine)


@given(st.decimals(-1000, 1000, places=3), st.decimals(-1000, 1000, places=3))
def test_the_roundest_number_lies_above_the_one_and_not_above_the_other(a, b):
    low, high = sorted((a, b))
    if low < high:
        assert low < roundest(low, high) <= high


def test_ages_come_in_five_year_steps_with_a_top_class():
    rng = np.random.default_rng(4)
    ages, held = np.unique(np.clip(rng.normal(45, 18, 5000), 0, 104).astype(int), return_counts=True)
    made = number_ladder("age", [str(age) for age in ages], held)
    assert made.labels[1][:3] == ("[0, 5)", "[5, 10)", "[10, 15)")
    assert made.labels[1][-2].startswith(">= ")
    assert made.labels[2][:3] == ("[0, 10)", "[10, 20)", "[20, 30)")
    people = np.bincount(made.up[:-1, 3], held)
    assert people.max() < 2.5 * people.min(), "above steps of ten years, classes hold about as many people"


def test_amounts_that_few_have_come_by_quantile_with_round_bounds():
    rng = np.random.default_rng(5)
    amounts, held = np.unique(
        np.r_[np.zeros(3000), rng.lognormal(10, 1, 9000)].astype(int), return_counts=True
    )
    made = number_ladder("income", [str(amount) for amount in amounts], held)
    people = np.bincount(made.up[:-1, 1], held)
    assert 10 <= len(people) <= 16
    assert people.max() < 0.3 * held.sum()
    bounds = {int(end) for label in made.labels[1][:-1] for end in label.strip("[)>=< ").split(", ")}
    assert all(bound % 100 == 0 for bound in bounds)


def test_three_numbers_need_no_ladder():
    assert number_ladder("x", ["1", "2", "3"], np.array([5, 5, 5])) is None
