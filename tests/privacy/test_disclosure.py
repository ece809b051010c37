from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import claim_cases
import strategies
from claim_cases import release
from shoal.errors import InputError
from shoal.privacy import DeltaDisclosure, claim_from_dict
from shoal.release import Published, Sensitive

FACTORS = [Fraction(11, 10), Fraction(4, 3), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(12)]


@given(strategies.published(min_sensitive=1), st.sampled_from(FACTORS))
@settings(max_examples=200, deadline=None)
def test_agrees_with_the_definition(published, factor):
    verdict = DeltaDisclosure(log(factor)).check(published)
    assert list(verdict.witnesses) == claim_cases.telling(published, factor)
    assert bool(verdict) == (not verdict.witnesses)
    assert verdict.broken == len(verdict.witnesses)


@given(st.lists(st.sampled_from("ab"), min_size=2, max_size=5), st.integers(1, 5), st.sampled_from(FACTORS))
@settings(max_examples=60, deadline=None)
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


def test_an_empty_cell_is_a_value_of_its_own():
    assert DeltaDisclosure(0.01).check(release(["a", None, "a", None], [0, 0, 1, 1]))
    assert DeltaDisclosure(5).check(release(["a", None, "a", "a"], [0, 0, 1, 1])).witnesses == (3, 4)


def test_shares_are_of_persons_who_have_the_value():
    cells, quasi = list("aaabab"), [0, 0, 0, 0, 1, 1]
    persons = np.array([0, 0, 0, 1, 2, 3])
    assert DeltaDisclosure(0.01).check(release(cells, quasi, persons))
    assert not DeltaDisclosure(0.01).check(release(cells, quasi))


def test_a_person_in_several_classes_is_one_of_all():
    # persons 0 and 1 stand in both classes with a: 2 of 2 have a everywhere, 1 of 2 has b in the second alone
    cells, quasi, persons = list("aaaab"), [0, 0, 1, 1, 1], np.array([0, 1, 0, 1, 1])
    assert DeltaDisclosure(9).check(release(cells, quasi, persons)).witnesses == (1, 2)
    assert DeltaDisclosure(0.01).check(release([*cells, "b"], [*quasi, 0], np.r_[persons, 1]))


def test_each_column_is_judged_on_its_own():
    q = np.array([0, 0, 1, 1])
    good, bad = np.array([0, 1, 0, 1]), np.array([0, 1, 1, 1])
    values = ("x", "y")
    published = Published({"q": q}, {"good": Sensitive(good, values), "bad": Sensitive(bad, values)})
    assert DeltaDisclosure(1).check(published).witnesses == (3, 4)
    assert DeltaDisclosure(1, columns=("good",)).check(published)


def test_empty_claims_do_not_hold():
    nothing = np.empty(0, dtype=np.int64)
    for vacuous in (
        Published({}, {"s": Sensitive(np.array([0]), ("a",))}),
        Published({"q": nothing}, {"s": Sensitive(nothing, ("a",))}),
        Published({"q": np.array([0])}),
    ):
        verdict = DeltaDisclosure(1).check(vacuous)
        assert not verdict
        assert "so the claim is empty" in verdict.sentence
    gone = DeltaDisclosure(1, columns=("gone",)).check(release(["a"]))
    assert not gone
    assert not gone.judged


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf"), exp(8), True, "1"])
def test_numbers_are_checked(wrong):
    with pytest.raises(InputError, match="disclosure must be a number above 0"):
        DeltaDisclosure(wrong)


@pytest.mark.parametrize("claim", [DeltaDisclosure(0.5), DeltaDisclosure(2, ("ill",))])
def test_claims_come_back_from_a_manifest(claim):
    said = claim.as_dict()
    assert claim_from_dict(said) == claim
    assert said["model"] == "delta-disclosure privacy"
    with pytest.raises(InputError):
        claim_from_dict(said | {"disclosure": 0})
