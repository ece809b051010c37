from fractions import Fraction

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
from shoal.privacy import AlphaKAnonymity, KAnonymity, claim_from_dict, claim_of
from shoal.release import Published, Sensitive

ALPHAS = [Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(3, 4), Fraction(1)]


@given(strategies.published(min_sensitive=1, max_rows=9), st.sampled_from(ALPHAS), st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_agrees_with_the_definition_whatever_empty_cells_hide(published, alpha, k):
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


def test_rows_of_one_person_are_counted_once():
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


def test_text_decides_what_is_equal():
    twice = Published({"q": np.zeros(2, np.int64)}, {"s": Sensitive(np.array([0, 1]), ("flu", "flu"))})
    blank = Published({"q": np.zeros(2, np.int64)}, {"s": Sensitive(np.array([0, 1]), ("flu", ""))})
    assert not AlphaKAnonymity(0.5, 2).check(twice)
    assert not AlphaKAnonymity(0.5, 2).check(blank)


def test_each_column_is_judged_on_its_own():
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
        assert "so the claim is empty" in verdict.sentence
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
def test_numbers_are_checked(arguments, message):
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
