from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import claim_cases
import naive
import naive_claims
import strategies
from claim_cases import release
from shoal.errors import InputError
from shoal.privacy import BetaLikeness, DeltaDisclosure, TCloseness
from shoal.release import Published, Sensitive

SALARIES = [3, 4, 5, 6, 7, 8, 9, 10, 11]


def release_of(cells, quasi):
    texts = [None if cell is None else str(cell) for cell in cells]
    values = tuple(sorted({text for text in texts if text is not None}))
    codes = np.array([-1 if text is None else values.index(text) for text in texts])
    return Published({"q": np.array(quasi)}, {"salary": Sensitive(codes, values)})


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30)), min_size=1, max_size=30))
@settings(max_examples=100)
def test_the_crossing_of_many_ordered_values(rows):
    quasi, cells = zip(*rows, strict=True)
    every = sorted(set(cells))
    furthest = 0.0
    for members in naive.classes(quasi):
        inside = [cells[place] for place in members]
        gaps = [
            abs(sum(c <= value for c in inside) / len(inside) - sum(c <= value for c in cells) / len(cells))
            for value in every
        ]
        furthest = max(furthest, sum(gaps) / max(len(every) - 1, 1))
    verdict = TCloseness(1, "ordered").check(release_of(cells, quasi))
    assert verdict.reached["t"] == pytest.approx(furthest, abs=1e-9)


def test_the_salaries_of_li_et_al():
    # Li, Li, Venkatasubramanian 2007, Sec. 4: {3k, 4k, 5k} is 0.375 and {6k, 8k, 11k} 0.167 from 3k .. 11k
    published = release_of(SALARIES, [0, 0, 0, 1, 2, 1, 2, 2, 1])
    first, second = TCloseness(0.3749, "ordered"), TCloseness(0.375, "ordered")
    assert first.check(published).witnesses == (1, 2, 3)
    assert second.check(published)
    assert TCloseness(0.1667, "ordered").check(published).witnesses == (1, 2, 3, 5, 7, 8)
    assert TCloseness(0.1666, "ordered").check(published).witnesses == tuple(range(1, 10))


def test_numbers_stand_in_order_of_number_and_equal_numbers_are_one():
    # as text 10 stands before 9; the class {9} is a neighbour of {10}, not two places away
    published = release_of([8, 9, 10, "10.0"], [0, 1, 1, 1])
    assert TCloseness(1, "ordered").check(published).reached["t"] == pytest.approx((3 / 4 + 1 / 2) / 2)


def test_words_stand_in_order_of_text():
    published = release_of(["low", "mid", "top"], [0, 1, 1])
    assert TCloseness(1, "ordered").check(published).reached["t"] == pytest.approx((2 / 3 + 1 / 3) / 2)


def test_empty_cells_as_frequent_as_elsewhere_tell_nothing():
    published = release_of([1, None, 2, 1, None, 2], [0, 0, 0, 1, 1, 1])
    assert TCloseness(0, "equal").check(published)
    assert TCloseness(0, "ordered").check(published)


def test_empty_cells_stand_at_the_end_that_is_further():
    # class {empty} against {empty, 1, 1, 1}: the order empty, 1, 2 or 1, 2, empty
    published = release_of([None, 1, 1, 2], [0, 1, 1, 1])
    before = (3 / 4 + 1 / 4) / 2
    behind = (2 / 4 + 3 / 4) / 2
    assert TCloseness(1, "ordered").check(published).reached["t"] == pytest.approx(max(before, behind))


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_nothing_but_empty_cells_or_one_value_is_at_distance_0(distance):
    assert TCloseness(0, distance).check(release_of([None, None], [0, 1]))
    assert TCloseness(0, distance).check(release_of([5, 5], [0, 1]))


def test_exactly_t_passes():
    # a is 0.4 of one class, 0.2 of the other, 0.3 of the whole; 0.4 - 0.3 exceeds 0.1 in floating point
    published = release_of(["a"] * 4 + ["b"] * 6 + ["a"] * 2 + ["b"] * 8, [0] * 10 + [1] * 10)
    assert 0.4 - 0.3 > 0.1
    assert TCloseness(0.1).check(published)
    assert not TCloseness(0.0999).check(published)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"t": -0.1}, "t=-0.1: t must be a number from 0 to 1"),
        ({"t": 1.5}, "t must be a number from 0 to 1"),
        ({"t": True}, "t must be a number from 0 to 1"),
        ({"t": float("nan")}, "t must be a number from 0 to 1"),
        ({"t": 0.1, "distance": "far"}, "distance must be one of equal, ordered"),
    ],
)
def test_numbers_are_checked(arguments, message):
    with pytest.raises(InputError, match=message):
        TCloseness(**arguments)


@given(strategies.published(min_sensitive=1))
@settings(max_examples=60)
def test_the_largest_gain_is_told(published):
    rows, columns, who = claim_cases.plain(published)
    largest = max(
        naive_claims.gain(members, range(len(rows)), cells, who)
        for members in naive.classes(rows)
        for cells in columns
    )
    assert BetaLikeness(1).check(published).reached["beta"] == pytest.approx(float(largest), abs=1e-12)


def test_exactly_beta_passes():
    # a: 3 of 10 in the whole, 6 of 10 and 0 of 10 in the classes; (0.6 - 0.3) / 0.3 is 1
    published = release(["a"] * 6 + ["b"] * 4 + ["b"] * 10, [0] * 10 + [1] * 10)
    assert BetaLikeness(1).check(published)
    assert BetaLikeness(1 - 1e-6).check(published).witnesses == tuple(range(1, 11))
    # 1/3 and 2/3 of thirds: a gain of exactly a third
    thirds = release(["a", "a", "b", "b", "b", "a"], [0, 0, 0, 1, 1, 1])
    assert BetaLikeness(1 / 3).check(thirds)
    assert not BetaLikeness(0.33333).check(thirds)


def test_a_frequent_value_may_not_become_certain():
    # a: 3 of 4 in the whole and certain in a class: a gain of 1/3, above -ln 3/4 = 0.2877
    published = release(list("aaaaaabb"), [0, 0, 0, 0, 1, 1, 1, 1])
    assert -log(3 / 4) < 1 / 3
    assert BetaLikeness(1).check(published)
    assert BetaLikeness(1, "enhanced").check(published).witnesses == (1, 2, 3, 4)
    assert not BetaLikeness(1 / 4).check(published)


def test_text_decides_what_is_equal():
    quasi = {"q": np.array([0, 0, 1, 1])}
    twice = Published(quasi, {"s": Sensitive(np.array([0, 1, 2, 2]), ("a", "b", "b"))})
    assert BetaLikeness(1).check(twice).reached["beta"] == pytest.approx(1)
    empty = Published(quasi, {"s": Sensitive(np.array([0, -1, 0, 1]), ("a", ""))})
    assert BetaLikeness(0.01).check(empty)


@pytest.mark.parametrize("kind", [BetaLikeness, DeltaDisclosure])
def test_shares_are_of_persons_who_have_the_value(kind):
    # person 0 has a three times: 1 of 2 persons of the class has a, and 2 of 4 of all
    cells, quasi = list("aaabab"), [0, 0, 0, 0, 1, 1]
    persons = np.array([0, 0, 0, 1, 2, 3])
    assert kind(0.01).check(release(cells, quasi, persons))
    assert not kind(0.01).check(release(cells, quasi))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"beta": 0}, "beta must be a number above 0"),
        ({"beta": -1}, "beta must be a number above 0"),
        ({"beta": float("inf")}, "beta must be a number above 0"),
        ({"beta": True}, "beta must be a number above 0"),
        ({"beta": 1, "likeness": "strong"}, "likeness must be one of basic, enhanced"),
        ({"beta": 1, "columns": "ill"}, "columns"),
    ],
)
def test_beta_is_checked(arguments, message):
    with pytest.raises(InputError, match=message):
        BetaLikeness(**arguments)


FACTORS = [Fraction(11, 10), Fraction(4, 3), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(12)]


@given(st.lists(st.sampled_from("ab"), min_size=2, max_size=5), st.integers(1, 5), st.sampled_from(FACTORS))
@settings(max_examples=60)
def test_agrees_where_no_class_lacks_a_value(more, times, factor):
    """Random classes mostly lack one, and break the claim for that alone."""
    cells = ["a", "b", *more, *"ab" * times]
    published = release(cells, [0] * (2 + len(more)) + [1] * 2 * times)
    verdict = DeltaDisclosure(log(factor)).check(published)
    assert list(verdict.witnesses) == claim_cases.telling(published, factor)


def test_exactly_delta_fails():
    # a: 1/3 of the whole, 2/3 of the first class: a ratio of exactly 2; b: 2/3 and 1/3, exactly 1/2
    cells = ["a", "a", "b"] + ["a"] * 2 + ["b"] * 7
    published = release(cells, [0] * 3 + [1] * 9)
    assert DeltaDisclosure(log(2)).check(published).witnesses == (1, 2, 3)
    assert DeltaDisclosure(log(2) + 1e-6).check(published)
    assert DeltaDisclosure(1).check(published).reached["disclosure"] == pytest.approx(log(2))


def test_a_value_may_not_become_much_rarer_either():
    # b: 1/2 of the whole and 1/6 of the first class, a third; a: 5/6, less than twice
    published = release(["a"] * 5 + ["b"] + ["a"] + ["b"] * 5, [0] * 6 + [1] * 6)
    assert DeltaDisclosure(log(3)).check(published).witnesses == tuple(range(1, 13))
    assert DeltaDisclosure(log(3.01)).check(published)


def test_a_value_that_a_class_lacks_breaks_any_delta():
    published = release(list("ababa"), [0, 0, 1, 1, 2])
    verdict = DeltaDisclosure(1000).check(published)
    assert verdict.witnesses == (5,)
    assert "a class lacks a value" in verdict.sentence
    assert verdict.reached == {}


def test_values_that_nobody_has_are_not_asked_for():
    q, codes = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert DeltaDisclosure(0.01).check(Published({"q": q}, {"s": Sensitive(codes, ("a", "b", "never"))}))


def test_a_person_in_several_classes_is_one_of_all():
    # persons 0 and 1 stand in both classes with a: 2 of 2 have a everywhere, 1 of 2 has b in the second alone
    cells, quasi, persons = list("aaaab"), [0, 0, 1, 1, 1], np.array([0, 1, 0, 1, 1])
    assert DeltaDisclosure(9).check(release(cells, quasi, persons)).witnesses == (1, 2)
    assert DeltaDisclosure(0.01).check(release([*cells, "b"], [*quasi, 0], np.r_[persons, 1]))


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf"), exp(8), True, "1"])
def test_delta_is_checked(wrong):
    with pytest.raises(InputError, match="disclosure must be a number above 0"):
        DeltaDisclosure(wrong)
