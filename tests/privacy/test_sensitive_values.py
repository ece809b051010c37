"""Claims about sensitive values against their definitions: diversity, and closeness to the whole release."""

from dataclasses import replace
from fractions import Fraction
from math import exp, inf, log, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import claim_cases
import naive
import naive_claims
import strategies
from claim_cases import release, undiverse
from shoal.base.errors import InputError
from shoal.privacy import AlphaKAnonymity, BetaLikeness, DeltaDisclosure, LDiversity, TCloseness, make_claim
from shoal.release import Published, Sensitive

KINDS = ("distinct", "entropy", "recursive")
SALARIES = [3, 4, 5, 6, 7, 8, 9, 10, 11]


@pytest.mark.parametrize(
    ("claim", "arguments", "message"),
    [
        (LDiversity, {"l": 0}, "l=0: l must be a whole number of at least 1"),
        (LDiversity, {"l": True}, "l must be a whole number"),
        (LDiversity, {"l": 2, "diversity": "fuzzy"}, "diversity must be one of distinct, entropy, recursive"),
        (LDiversity, {"l": 2, "c": 0}, "c=0: c must be a number above 0"),
        (LDiversity, {"l": 2, "c": inf}, "c must be a number above 0"),
        *(
            (AlphaKAnonymity, {"alpha": alpha, "k": 2}, "alpha must be a number above 0 and at most 1")
            for alpha in (0, 1.1, nan)
        ),
        *((AlphaKAnonymity, {"alpha": 0.5, "k": k}, "k must be a whole number") for k in (0, 1.5)),
        (TCloseness, {"t": -0.1}, "t=-0.1: t must be a number from 0 to 1"),
        *((TCloseness, {"t": t}, "t must be a number from 0 to 1") for t in (1.5, True, nan)),
        (TCloseness, {"t": 0.1, "distance": "far"}, "distance must be one of equal, ordered"),
        *((BetaLikeness, {"beta": beta}, "beta must be a number above 0") for beta in (0, -1, inf, True)),
        (BetaLikeness, {"beta": 1, "likeness": "strong"}, "likeness must be one of basic, enhanced"),
        (BetaLikeness, {"beta": 1, "columns": "ill"}, "columns"),
        *(
            (DeltaDisclosure, {"disclosure": delta}, "disclosure must be a number above 0")
            for delta in (0, -1, nan, inf, exp(8), True, "1")
        ),
    ],
)
def test_numbers_are_checked(claim, arguments, message):
    with pytest.raises(InputError, match=message):
        claim(**arguments)


# --- diversity ---


@pytest.mark.parametrize("kind", KINDS)
@given(strategies.published(max_rows=8, min_sensitive=1, missing=False, persons=True), st.integers(1, 4))
@settings(max_examples=100)
def test_agrees_with_the_definition_on_persons(kind, published, l):
    assert list(LDiversity(l, kind).check(published).witnesses) == undiverse(published, l, kind, 3.0)


@pytest.mark.parametrize("kind", KINDS)
@given(strategies.published(max_rows=6, min_sensitive=1, persons=True), st.integers(1, 3))
@settings(max_examples=100)
def test_a_yes_is_right_whatever_empty_cells_of_persons_hide(kind, published, l):
    broken, judged = undiverse(published, l, kind, 3.0), LDiversity(l, kind).check(published).witnesses
    assert set(broken) <= set(judged)
    if kind == "distinct":
        assert broken == list(judged)


def test_entropy_of_equally_frequent_values_passes_exactly():
    for l in range(1, 40):
        even = release([str(i) for i in range(l)] * 7)
        assert LDiversity(l, "entropy").check(even), l
        assert not LDiversity(l + 1, "entropy").check(even), l


def test_three_kinds_on_one_class():
    # counts 5, 2, 1: entropy 0.9003 = log 2.46; (c, 2): 5 < 3c; (c, 3): 5 < c
    skewed = release(["a"] * 5 + ["b"] * 2 + ["c"])
    assert LDiversity(3).check(skewed).reached == {"l": 3}
    assert LDiversity(2, "entropy").check(skewed).reached["l"] == pytest.approx(2.4602, abs=5e-5)
    assert LDiversity(2, "recursive", c=2).check(skewed)
    assert not LDiversity(2, "recursive", c=5 / 3).check(skewed)
    assert not LDiversity(3, "recursive", c=5).check(skewed)
    assert LDiversity(3, "recursive", c=5.01).check(skewed)


def test_a_strict_inequality_is_not_won_by_rounding():
    # 2.2 * 25 is 55.00000000000001 in floating point: 55 < 55 must stay false
    assert 2.2 * 25 > 55
    assert not LDiversity(2, "recursive", c=2.2).check(release(["a"] * 55 + ["b"] * 25))
    assert LDiversity(2, "recursive", c=2.2).check(release(["a"] * 55 + ["b"] * 26))


def test_empty_cells_count_for_the_most_frequent_value():
    assert LDiversity(2, "recursive", c=2).check(release(["a", "b", "c"]))
    assert LDiversity(2, "recursive", c=2).check(release(["a", "b", "c", None, None]))  # 1 + 2 < 2 * 2
    assert not LDiversity(2, "recursive", c=2).check(release(["a", "b", "c", None, None, None]))
    reached = LDiversity(2, "entropy").check(release(["a", "b", None, None])).reached["l"]
    assert reached == pytest.approx(np.exp(-0.75 * np.log(0.75) - 0.25 * np.log(0.25)))


def test_text_decides_what_is_equal():
    twice = Published({"q": np.zeros(2, np.int64)}, {"s": Sensitive(np.array([0, 1]), ("flu", "flu"))})
    blank = Published({"q": np.zeros(2, np.int64)}, {"s": Sensitive(np.array([0, 1]), ("flu", ""))})
    for shown in (twice, blank):
        assert LDiversity(2).check(shown).reached == {"l": 1}
        assert not AlphaKAnonymity(0.5, 2).check(shown)


def test_rows_of_one_person_are_counted_once():
    cells = ["flu", "flu", "flu", "gout", "hiv"]
    assert not LDiversity(2, "recursive", c=1.5).check(release(cells))
    assert LDiversity(2, "recursive", c=1.5).check(release(cells, persons=np.array([0, 0, 0, 1, 2])))


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_that_everybody_has_is_given_away(kind):
    # two values, but both persons have both of them
    cells, persons = ["flu", "gout", "flu", "gout"], np.array([0, 0, 1, 1])
    assert LDiversity(2, kind).check(release(cells))
    assert LDiversity(2, kind).check(release(cells, persons=persons)).witnesses == (1, 2, 3, 4)


def test_a_value_that_all_but_one_have_leaves_little_doubt():
    """Four values, but three of four persons have `a`: only one lacks it."""
    people = np.array([1, 1, 2, 2, 3, 4])
    shown = release(["a", "b", "a", "c", "a", "d"], persons=people)
    assert LDiversity(2).check(shown).reached == {"l": 2}
    assert not LDiversity(3).check(shown)


def test_an_empty_cell_may_be_the_value_that_everybody_has():
    cells, persons = ["flu", "gout", None], np.array([0, 0, 1])
    assert not LDiversity(2).check(release(cells, persons=persons))
    assert LDiversity(2).check(release([*cells, "hiv"], persons=np.array([0, 0, 1, 2])))


def test_a_person_with_a_value_and_an_empty_cell_is_one_person():
    # flu: persons 0 and 1 may have it; gout: 0 and 2; hiv: 0 and 3; so two always lack it
    cells, persons = ["flu", None, "flu", "gout", "hiv"], np.array([0, 0, 1, 2, 3])
    assert LDiversity(3).check(release(cells, persons=persons)).reached == {"l": 3}


def two_columns():
    """In `good` every class holds both values as often as all do; in `bad` the second holds y alone."""
    good, bad = Sensitive(np.array([0, 1, 0, 1]), ("x", "y")), Sensitive(np.array([0, 1, 1, 1]), ("x", "y"))
    return Published({"q": np.array([0, 0, 1, 1])}, {"good": good, "bad": bad})


@pytest.mark.parametrize(
    ("claim", "witnesses"),
    [
        (LDiversity(2), (3, 4)),
        (AlphaKAnonymity(0.5, 2), (3, 4)),
        (BetaLikeness(0.5), (1, 2)),
        (DeltaDisclosure(1), (3, 4)),
    ],
)
def test_each_column_is_judged_on_its_own(claim, witnesses):
    assert claim.check(two_columns()).witnesses == witnesses
    assert replace(claim, columns=("bad",)).check(two_columns()).witnesses == witnesses
    assert replace(claim, columns=("good",)).check(two_columns())


def test_what_is_said_of_each_column():
    assert LDiversity(2).check(two_columns()).sentence == (
        "column 'good': every class is at least l=2 diverse (distinct); the least diverse class reaches 2; "
        "column 'bad': 2 of 4 records are in classes under l=2 (distinct); the least diverse class reaches 1"
    )


@given(strategies.published(min_sensitive=1, max_rows=9))
@settings(max_examples=60)
def test_what_is_reached_is_told(published):
    rows, columns, who = claim_cases.plain(published)
    largest = max(
        naive_claims.top_share(members, cells, who) for members in naive.classes(rows) for cells in columns
    )
    reached = AlphaKAnonymity(1, 1).check(published).reached
    assert reached["alpha"] == pytest.approx(float(largest))
    assert reached["k"] == naive.anonymity(rows, who)


def test_exactly_alpha_passes():
    thirds = release(["a", "b", "c"] * 2, [0, 0, 0, 1, 1, 1])
    assert AlphaKAnonymity(1 / 3, 3).check(thirds)
    assert AlphaKAnonymity(0.3333, 3).check(thirds).witnesses == (1, 2, 3, 4, 5, 6)
    assert AlphaKAnonymity(1 / 3, 4).check(thirds).witnesses == (1, 2, 3, 4, 5, 6)


def test_a_person_has_a_value_when_any_row_has_it():
    # of three persons, 0 and 1 have a
    cells, persons = list("abac"), np.array([0, 0, 1, 2])
    assert AlphaKAnonymity(0.5, 3).check(release(cells))
    assert not AlphaKAnonymity(0.5, 3).check(release(cells, persons=persons))
    assert AlphaKAnonymity(2 / 3, 3).check(release(cells, persons=persons))


def test_a_person_with_a_value_and_an_empty_cell_is_counted_once():
    # b: person 1 has it and person 0 may; a: person 0 alone
    cells, persons = ["a", None, "b", "c", "d"], np.array([0, 0, 1, 2, 3])
    assert AlphaKAnonymity(0.5, 4).check(release(cells, persons=persons)).reached["alpha"] == 0.5


def test_an_empty_cell_elsewhere_hides_nothing_here():
    cells, quasi, persons = ["a", "b", None, "b"], [0, 0, 1, 1], np.array([0, 1, 0, 2])
    assert AlphaKAnonymity(0.5, 2).check(release(cells, quasi, persons)).witnesses == (3, 4)


def test_k_stands_in_the_claim_once():
    assert make_claim("table", alpha=0.5, k=3) == AlphaKAnonymity(0.5, 3)


# --- closeness ---


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
    verdict = TCloseness(1, "ordered").check(release([str(cell) for cell in cells], quasi))
    assert verdict.reached["t"] == pytest.approx(furthest, abs=1e-9)


def test_the_salaries_of_li_et_al():
    # Li, Li, Venkatasubramanian 2007, Sec. 4: {3k, 4k, 5k} is 0.375 and {6k, 8k, 11k} 0.167 from 3k .. 11k
    published = release([str(salary) for salary in SALARIES], [0, 0, 0, 1, 2, 1, 2, 2, 1])
    first, second = TCloseness(0.3749, "ordered"), TCloseness(0.375, "ordered")
    assert first.check(published).witnesses == (1, 2, 3)
    assert second.check(published)
    assert TCloseness(0.1667, "ordered").check(published).witnesses == (1, 2, 3, 5, 7, 8)
    assert TCloseness(0.1666, "ordered").check(published).witnesses == tuple(range(1, 10))


def test_numbers_stand_in_order_of_number_and_equal_numbers_are_one():
    # as text 10 stands before 9; the class {9} is a neighbour of {10}, not two places away
    published = release(["8", "9", "10", "10.0"], [0, 1, 1, 1])
    assert TCloseness(1, "ordered").check(published).reached["t"] == pytest.approx((3 / 4 + 1 / 2) / 2)


def test_words_stand_in_order_of_text():
    published = release(["low", "mid", "top"], [0, 1, 1])
    assert TCloseness(1, "ordered").check(published).reached["t"] == pytest.approx((2 / 3 + 1 / 3) / 2)


def test_empty_cells_as_frequent_as_elsewhere_tell_nothing():
    published = release(["1", None, "2", "1", None, "2"], [0, 0, 0, 1, 1, 1])
    assert TCloseness(0, "equal").check(published)
    assert TCloseness(0, "ordered").check(published)


def test_empty_cells_stand_at_the_end_that_is_further():
    # class {empty} against {empty, 1, 1, 1}: the order empty, 1, 2 or 1, 2, empty
    published = release([None, "1", "1", "2"], [0, 1, 1, 1])
    before = (3 / 4 + 1 / 4) / 2
    behind = (2 / 4 + 3 / 4) / 2
    assert TCloseness(1, "ordered").check(published).reached["t"] == pytest.approx(max(before, behind))


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_nothing_but_empty_cells_or_one_value_is_at_distance_0(distance):
    assert TCloseness(0, distance).check(release([None, None], [0, 1]))
    assert TCloseness(0, distance).check(release(["5", "5"], [0, 1]))


def test_exactly_t_passes():
    # a is 0.4 of one class, 0.2 of the other, 0.3 of the whole; 0.4 - 0.3 exceeds 0.1 in floating point
    published = release(["a"] * 4 + ["b"] * 6 + ["a"] * 2 + ["b"] * 8, [0] * 10 + [1] * 10)
    assert 0.4 - 0.3 > 0.1
    assert TCloseness(0.1).check(published)
    assert not TCloseness(0.0999).check(published)


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


def test_text_decides_what_becomes_likelier():
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
