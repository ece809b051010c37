from fractions import Fraction
from math import log

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import claim_cases
import naive
import naive_claims
import strategies
from claim_cases import release
from shoal.errors import InputError
from shoal.privacy import BetaLikeness, claim_from_dict
from shoal.release import Published, Sensitive

BETAS = [Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(3)]


@pytest.mark.parametrize("likeness", ["basic", "enhanced"])
@given(strategies.published(min_sensitive=1), st.sampled_from(BETAS))
@example(release(list("aabb"), [0, 0, 0, 1]), Fraction(1))
@settings(max_examples=150, deadline=None)
def test_agrees_with_the_definition(likeness, published, beta):
    verdict = BetaLikeness(float(beta), likeness).check(published)
    assert list(verdict.witnesses) == claim_cases.unlike(published, beta, likeness)
    assert bool(verdict) == (not verdict.witnesses)
    assert verdict.broken == len(verdict.witnesses)


@given(strategies.published(min_sensitive=1))
@settings(max_examples=60, deadline=None)
def test_the_largest_gain_is_told(published):
    rows, columns, who = claim_cases.plain(published)
    largest = max(
        naive_claims.gain(members, range(len(rows)), cells, who)
        for members in naive.classes(rows)
        for cells in columns
    )
    assert BetaLikeness(1).check(published).reached["beta"] == pytest.approx(float(largest), abs=1e-12)


@given(strategies.published(min_sensitive=1), st.sampled_from(BETAS))
@settings(max_examples=60, deadline=None)
def test_enhanced_likeness_implies_the_basic_one(published, beta):
    basic, enhanced = (BetaLikeness(float(beta), kind).check(published) for kind in ("basic", "enhanced"))
    assert set(basic.witnesses) <= set(enhanced.witnesses)


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


def test_what_becomes_rarer_is_not_bounded():
    # c is missing from the second class, and nothing there is likelier by more than a quarter
    published = release(list("abcc") * 4 + list("ab") * 8, [0] * 16 + [1] * 16)
    gains = {"c": (Fraction(1, 2) - Fraction(1, 4)) / Fraction(1, 4), "a": Fraction(1, 8) / Fraction(3, 8)}
    assert BetaLikeness(float(gains["c"])).check(published)
    assert BetaLikeness(float(gains["a"])).check(published).witnesses == tuple(range(1, 17))


def test_one_value_in_all_records_is_no_news():
    assert BetaLikeness(0.01, "enhanced").check(release(["a", "a", "a"], [0, 0, 1]))


def test_an_empty_cell_is_a_value_of_its_own():
    published = release(["a", None, "a", None], [0, 0, 1, 1])
    assert BetaLikeness(0.01).check(published)
    assert BetaLikeness(0.9).check(release(["a", None, None, "a"], [0, 1, 1, 0])).witnesses == (1, 2, 3, 4)


def test_text_decides_what_is_equal():
    quasi = {"q": np.array([0, 0, 1, 1])}
    twice = Published(quasi, {"s": Sensitive(np.array([0, 1, 2, 2]), ("a", "b", "b"))})
    assert BetaLikeness(1).check(twice).reached["beta"] == pytest.approx(1)
    empty = Published(quasi, {"s": Sensitive(np.array([0, -1, 0, 1]), ("a", ""))})
    assert BetaLikeness(0.01).check(empty)


def test_shares_are_of_persons_who_have_the_value():
    # person 0 has a three times: 1 of 2 persons of the class has a, and 2 of 4 of all
    cells, quasi = list("aaabab"), [0, 0, 0, 0, 1, 1]
    persons = np.array([0, 0, 0, 1, 2, 3])
    assert BetaLikeness(0.01).check(release(cells, quasi, persons))
    assert not BetaLikeness(0.01).check(release(cells, quasi))


def test_each_column_is_judged_on_its_own():
    q = np.array([0, 0, 1, 1])
    good, bad = np.array([0, 1, 0, 1]), np.array([0, 1, 1, 1])
    values = ("x", "y")
    published = Published({"q": q}, {"good": Sensitive(good, values), "bad": Sensitive(bad, values)})
    assert BetaLikeness(0.5).check(published).witnesses == (1, 2)
    assert BetaLikeness(0.5, columns=("good",)).check(published)
    assert BetaLikeness(0.5, columns=("bad",)).check(published).witnesses == (1, 2)


def test_empty_claims_do_not_hold():
    nothing = np.empty(0, dtype=np.int64)
    claim = BetaLikeness(1)
    for vacuous in (
        Published({}, {"s": Sensitive(np.array([0]), ("a",))}),
        Published({"q": nothing}, {"s": Sensitive(nothing, ("a",))}),
        Published({"q": np.array([0])}),
    ):
        verdict = claim.check(vacuous)
        assert not verdict
        assert "so the claim is empty" in verdict.sentence
    gone = BetaLikeness(1, columns=("gone",)).check(release(["a"]))
    assert not gone
    assert not gone.judged


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
def test_numbers_are_checked(arguments, message):
    with pytest.raises(InputError, match=message):
        BetaLikeness(**arguments)


@pytest.mark.parametrize("claim", [BetaLikeness(0.5), BetaLikeness(2, "enhanced", ("ill",))])
def test_claims_come_back_from_a_manifest(claim):
    said = claim.as_dict()
    assert claim_from_dict(said) == claim
    assert said["model"] == "beta-likeness"
    with pytest.raises(InputError):
        claim_from_dict(said | {"likeness": "none"})
