from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import claim_cases
import naive
import naive_claims
import strategies
from claim_cases import release, undiverse
from shoal.errors import InputError
from shoal.privacy import AlphaKAnonymity, KAnonymity, LDiversity, claim_from_dict, claim_of
from shoal.release import Published, Sensitive

KINDS = ("distinct", "entropy", "recursive")


def release_of(cells, quasi=None, persons=None):
    values = tuple(dict.fromkeys(cell for cell in cells if cell is not None))
    codes = np.array([-1 if cell is None else values.index(cell) for cell in cells])
    quasi = np.zeros(len(cells), np.int64) if quasi is None else np.array(quasi)
    return Published({"q": quasi}, {"disease": Sensitive(codes, values)}, persons)


@pytest.mark.parametrize("kind", KINDS)
@given(strategies.published(max_rows=7, min_sensitive=1, persons=False), st.integers(1, 4), st.data())
@settings(max_examples=100, deadline=None)
def test_agrees_with_the_definition_whatever_empty_cells_hide(kind, published, l, data):
    c = data.draw(st.sampled_from([0.5, 1.0, 2.0, 3.0]))
    verdict = LDiversity(l, kind, c).check(published)
    assert list(verdict.witnesses) == undiverse(published, l, kind, c)
    assert bool(verdict) == (not verdict.witnesses)


@pytest.mark.parametrize("kind", KINDS)
@given(strategies.published(max_rows=8, min_sensitive=1, missing=False, persons=True), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_agrees_with_the_definition_on_persons(kind, published, l):
    assert list(LDiversity(l, kind).check(published).witnesses) == undiverse(published, l, kind, 3.0)


@pytest.mark.parametrize("kind", KINDS)
@given(strategies.published(max_rows=6, min_sensitive=1, persons=True), st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_a_yes_is_right_whatever_empty_cells_of_persons_hide(kind, published, l):
    broken, judged = undiverse(published, l, kind, 3.0), LDiversity(l, kind).check(published).witnesses
    assert set(broken) <= set(judged)
    if kind == "distinct":
        assert broken == list(judged)


def test_entropy_of_equally_frequent_values_passes_exactly():
    for l in range(1, 40):
        even = release_of([str(i) for i in range(l)] * 7)
        assert LDiversity(l, "entropy").check(even), l
        assert not LDiversity(l + 1, "entropy").check(even), l


def test_three_kinds_on_one_class():
    # counts 5, 2, 1: entropy 0.9003 = log 2.46; (c, 2): 5 < 3c; (c, 3): 5 < c
    skewed = release_of(["a"] * 5 + ["b"] * 2 + ["c"])
    assert LDiversity(3).check(skewed).reached == {"l": 3}
    assert LDiversity(2, "entropy").check(skewed).reached["l"] == pytest.approx(2.4602, abs=5e-5)
    assert LDiversity(2, "recursive", c=2).check(skewed)
    assert not LDiversity(2, "recursive", c=5 / 3).check(skewed)
    assert not LDiversity(3, "recursive", c=5).check(skewed)
    assert LDiversity(3, "recursive", c=5.01).check(skewed)


def test_a_strict_inequality_is_not_won_by_rounding():
    # 2.2 * 25 is 55.00000000000001 in floating point: 55 < 55 must stay false
    assert 2.2 * 25 > 55
    assert not LDiversity(2, "recursive", c=2.2).check(release_of(["a"] * 55 + ["b"] * 25))
    assert LDiversity(2, "recursive", c=2.2).check(release_of(["a"] * 55 + ["b"] * 26))


@pytest.mark.parametrize("kind", KINDS)
def test_empty_cells_are_no_value(kind):
    assert LDiversity(2, kind).check(release_of(["flu", "gout", "flu", "gout"]))
    assert not LDiversity(2, kind).check(release_of(["flu", None, None, None]))
    nothing = LDiversity(1, kind).check(release_of([None, None]))
    assert nothing.witnesses == (1, 2)
    assert nothing.reached == {"l": 0}


def test_empty_cells_count_for_the_most_frequent_value():
    assert LDiversity(2, "recursive", c=2).check(release_of(["a", "b", "c"]))
    assert LDiversity(2, "recursive", c=2).check(release_of(["a", "b", "c", None, None]))  # 1 + 2 < 2 * 2
    assert not LDiversity(2, "recursive", c=2).check(release_of(["a", "b", "c", None, None, None]))
    reached = LDiversity(2, "entropy").check(release_of(["a", "b", None, None])).reached["l"]
    assert reached == pytest.approx(np.exp(-0.75 * np.log(0.75) - 0.25 * np.log(0.25)))


def test_text_decides_what_is_equal():
    twice = Published({"q": np.zeros(2, np.int64)}, {"s": Sensitive(np.array([0, 1]), ("flu", "flu"))})
    blank = Published({"q": np.zeros(2, np.int64)}, {"s": Sensitive(np.array([0, 1]), ("flu", ""))})
    assert LDiversity(2).check(twice).reached == {"l": 1}
    assert LDiversity(2).check(blank).reached == {"l": 1}


def test_rows_of_one_person_are_counted_once():
    cells = ["flu", "flu", "flu", "gout", "hiv"]
    assert not LDiversity(2, "recursive", c=1.5).check(release_of(cells))
    assert LDiversity(2, "recursive", c=1.5).check(release_of(cells, persons=np.array([0, 0, 0, 1, 2])))


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_that_everybody_has_is_given_away(kind):
    # two values, but both persons have both of them
    cells, persons = ["flu", "gout", "flu", "gout"], np.array([0, 0, 1, 1])
    assert LDiversity(2, kind).check(release_of(cells))
    assert LDiversity(2, kind).check(release_of(cells, persons=persons)).witnesses == (1, 2, 3, 4)


def test_a_value_that_all_but_one_have_leaves_little_doubt():
    """Four values, but three of four persons have `a`: only one lacks it."""
    people = np.array([1, 1, 2, 2, 3, 4])
    shown = release_of(["a", "b", "a", "c", "a", "d"], persons=people)
    assert LDiversity(2).check(shown).reached == {"l": 2}
    assert not LDiversity(3).check(shown)


def test_an_empty_cell_may_be_the_value_that_everybody_has():
    cells, persons = ["flu", "gout", None], np.array([0, 0, 1])
    assert not LDiversity(2).check(release_of(cells, persons=persons))
    assert LDiversity(2).check(release_of([*cells, "hiv"], persons=np.array([0, 0, 1, 2])))


def test_a_person_with_a_value_and_an_empty_cell_is_one_person():
    # flu: persons 0 and 1 may have it; gout: 0 and 2; hiv: 0 and 3; so two always lack it
    cells, persons = ["flu", None, "flu", "gout", "hiv"], np.array([0, 0, 1, 2, 3])
    assert LDiversity(3).check(release_of(cells, persons=persons)).reached == {"l": 3}


def test_each_column_is_judged_on_its_own():
    q = np.array([0, 0, 1, 1])
    good = Sensitive(np.array([0, 1, 0, 1]), ("x", "y"))
    bad = Sensitive(np.array([0, 1, 1, 1]), ("x", "y"))
    published = Published({"q": q}, {"good": good, "bad": bad})
    verdict = LDiversity(2).check(published)
    assert verdict.witnesses == (3, 4)
    assert verdict.sentence == (
        "column 'good': every class is at least l=2 diverse (distinct); the least diverse class reaches 2; "
        "column 'bad': 2 of 4 records are in classes under l=2 (distinct); the least diverse class reaches 1"
    )
    assert LDiversity(2, columns=("good",)).check(published)


def test_a_column_that_is_not_there_is_not_judged():
    verdict = LDiversity(1, columns=("gone",)).check(release_of(["flu"]))
    assert not verdict.judged
    assert not verdict


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"l": 0}, "l=0: l must be a whole number of at least 1"),
        ({"l": True}, "l must be a whole number"),
        ({"l": 2, "diversity": "fuzzy"}, "diversity must be one of distinct, entropy, recursive"),
        ({"l": 2, "c": 0}, "c=0: c must be a number above 0"),
        ({"l": 2, "c": float("inf")}, "c must be a number above 0"),
    ],
)
def test_numbers_are_checked(arguments, message):
    with pytest.raises(InputError, match=message):
        LDiversity(**arguments)


ALPHAS = [Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(3, 4), Fraction(1)]


@given(strategies.published(min_sensitive=1, max_rows=9), st.sampled_from(ALPHAS), st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_alpha_agrees_with_the_definition_whatever_empty_cells_hide(published, alpha, k):
    verdict = AlphaKAnonymity(float(alpha), k).check(published)
    assert list(verdict.witnesses) == claim_cases.frequent(published, alpha, k)
    assert bool(verdict) == (not verdict.witnesses)
    assert verdict.broken == len(verdict.witnesses)


@given(strategies.published(min_sensitive=1, max_rows=9))
@settings(max_examples=60, deadline=None)
def test_what_is_reached_is_told(published):
    rows, columns, who = claim_cases.plain(published)
    largest = max(
        naive_claims.top_share(members, cells, who) for members in naive.classes(rows) for cells in columns
    )
    reached = AlphaKAnonymity(1, 1).check(published).reached
    assert reached["alpha"] == pytest.approx(float(largest))
    assert reached["k"] == naive.anonymity(rows, who)


@given(strategies.published(min_sensitive=1), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_any_share_allowed_leaves_k(published, k):
    assert AlphaKAnonymity(1, k).check(published).witnesses == KAnonymity(k).check(published).witnesses


def test_exactly_alpha_passes():
    thirds = release(["a", "b", "c"] * 2, [0, 0, 0, 1, 1, 1])
    assert AlphaKAnonymity(1 / 3, 3).check(thirds)
    assert AlphaKAnonymity(0.3333, 3).check(thirds).witnesses == (1, 2, 3, 4, 5, 6)
    assert AlphaKAnonymity(1 / 3, 4).check(thirds).witnesses == (1, 2, 3, 4, 5, 6)


def test_only_the_broken_class_is_named():
    published = release(list("abbba"), [0, 0, 1, 1, 2])
    assert AlphaKAnonymity(0.5, 2).check(published).witnesses == (3, 4, 5)
    assert AlphaKAnonymity(1, 2).check(published).witnesses == (5,)


def test_an_empty_cell_may_hide_any_value():
    assert AlphaKAnonymity(0.5, 4).check(release(["a", "b", "c", None]))
    assert not AlphaKAnonymity(0.49, 4).check(release(["a", "b", "c", None]))
    assert not AlphaKAnonymity(0.5, 4).check(release(["a", "b", None, None]))
    assert AlphaKAnonymity(0.99, 1).check(release([None, None])).reached["alpha"] == 1


def test_a_person_has_a_value_when_any_row_has_it():
    # of three persons, 0 and 1 have a
    cells, persons = list("abac"), np.array([0, 0, 1, 2])
    assert AlphaKAnonymity(0.5, 3).check(release(cells))
    assert not AlphaKAnonymity(0.5, 3).check(release(cells, persons=persons))
    assert AlphaKAnonymity(2 / 3, 3).check(release(cells, persons=persons))


def test_rows_of_one_person_are_counted_once_for_alpha():
    cells, persons = list("aaab"), np.array([0, 0, 0, 1])
    assert AlphaKAnonymity(0.5, 2).check(release(cells, persons=persons))
    assert not AlphaKAnonymity(0.5, 2).check(release(cells))


def test_a_person_with_a_value_and_an_empty_cell_is_counted_once():
    # b: person 1 has it and person 0 may; a: person 0 alone
    cells, persons = ["a", None, "b", "c", "d"], np.array([0, 0, 1, 2, 3])
    assert AlphaKAnonymity(0.5, 4).check(release(cells, persons=persons)).reached["alpha"] == 0.5


def test_an_empty_cell_elsewhere_hides_nothing_here():
    cells, quasi, persons = ["a", "b", None, "b"], [0, 0, 1, 1], np.array([0, 1, 0, 2])
    assert AlphaKAnonymity(0.5, 2).check(release(cells, quasi, persons)).witnesses == (3, 4)


def test_text_decides_what_is_equal_for_alpha():
    twice = Published({"q": np.zeros(2, np.int64)}, {"s": Sensitive(np.array([0, 1]), ("flu", "flu"))})
    blank = Published({"q": np.zeros(2, np.int64)}, {"s": Sensitive(np.array([0, 1]), ("flu", ""))})
    assert not AlphaKAnonymity(0.5, 2).check(twice)
    assert not AlphaKAnonymity(0.5, 2).check(blank)


def test_each_column_is_judged_on_its_own_for_alpha():
    q = np.array([0, 0, 1, 1])
    good, bad = np.array([0, 1, 0, 1]), np.array([0, 1, 1, 1])
    values = ("x", "y")
    published = Published({"q": q}, {"good": Sensitive(good, values), "bad": Sensitive(bad, values)})
    assert AlphaKAnonymity(0.5, 2).check(published).witnesses == (3, 4)
    assert AlphaKAnonymity(0.5, 2, ("good",)).check(published)


def test_empty_claims_do_not_hold():
    nothing = np.empty(0, dtype=np.int64)
    for vacuous in (
        Published({}, {"s": Sensitive(np.array([0]), ("a",))}),
        Published({"q": nothing}, {"s": Sensitive(nothing, ("a",))}),
        Published({"q": np.array([0])}),
    ):
        verdict = AlphaKAnonymity(1, 1).check(vacuous)
        assert not verdict
        assert "so the claim promises nothing" in verdict.sentence
    gone = AlphaKAnonymity(1, 1, ("gone",)).check(release(["a"]))
    assert not gone
    assert not gone.judged


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"alpha": 0, "k": 2}, "alpha must be a number above 0 and at most 1"),
        ({"alpha": 1.1, "k": 2}, "alpha must be a number above 0 and at most 1"),
        ({"alpha": float("nan"), "k": 2}, "alpha must be a number above 0 and at most 1"),
        ({"alpha": 0.5, "k": 0}, "k must be a whole number"),
        ({"alpha": 0.5, "k": 1.5}, "k must be a whole number"),
    ],
)
def test_alpha_and_k_are_checked(arguments, message):
    with pytest.raises(InputError, match=message):
        AlphaKAnonymity(**arguments)


@pytest.mark.parametrize("claim", [AlphaKAnonymity(0.5, 3), AlphaKAnonymity(0.2, 2, ("ill",))])
def test_claims_come_back_from_a_manifest(claim):
    said = claim.as_dict()
    assert claim_from_dict(said) == claim
    assert said["model"] == "(alpha,k)-anonymity"
    with pytest.raises(InputError):
        claim_from_dict({key: value for key, value in said.items() if key != "k"})


def test_k_stands_in_the_claim_once():
    assert claim_of("table", alpha=0.5, k=3) == AlphaKAnonymity(0.5, 3)
