"""Hidden values: of those who look alike, only a share may have any; an empty cell may hide one."""

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
from shoal.base.errors import InputError
from shoal.privacy import (
    AllOf,
    AlphaKAnonymity,
    HiddenValues,
    KAnonymity,
    LDiversity,
    TCloseness,
    claim_from_dict,
    make_claim,
    require_protection,
)
from shoal.release import Published, Sensitive


@pytest.mark.parametrize(
    ("alpha", "hidden", "message"),
    [
        *((alpha, {"ill": ["a"]}, "alpha must be a number above 0 and at most 1") for alpha in (0, 1.1, "1")),
        (0.5, {}, "names no column"),
        (0.5, {"ill": "a"}, "a list of texts each, such as"),
        (0.5, {"ill": [1]}, "a list of texts each, such as"),
        (0.5, {1: ["a"]}, "a list of values each, such as"),
    ],
)
def test_numbers_and_lists_are_checked(alpha, hidden, message):
    with pytest.raises(InputError, match=message):
        HiddenValues(alpha, hidden)


@given(
    strategies.published(max_rows=9, min_sensitive=1),
    st.sampled_from([["flu"], ["flu", "gout"], ["hiv"], []]),
    st.sampled_from([Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3)]),
)
@settings(max_examples=150)
def test_the_judge_agrees_with_sets_of_persons(published, values, alpha):
    claim = HiddenValues(float(alpha), {"s0": values})
    verdict = claim.check(published)
    assert list(verdict.witnesses) == claim_cases.exposing(published, alpha, claim.hidden)
    rows, columns, who = claim_cases.plain(published)
    largest = max(
        naive_claims.hidden_share(members, columns[0], who, {*values}) for members in naive.classes(rows)
    )
    assert verdict.reached["hidden share"] == pytest.approx(float(largest))


def test_half_one_illness_and_half_another_is_all_ill():
    published = release(["a", "b", "a", "b", "-", "-"], [0, 0, 0, 0, 0, 1])
    assert AlphaKAnonymity(0.5, 1, ("ill",)).check(published).reached["alpha"] == 1  # the class of one
    both = release(["a", "b", "a", "b"])
    assert AlphaKAnonymity(0.5, 1).check(both)
    assert HiddenValues(0.5, {"ill": ["a", "b"]}).check(both).witnesses == (1, 2, 3, 4)
    assert HiddenValues(0.5, {"ill": ["a"]}).check(both)


def test_a_person_with_several_hidden_rows_counts_once_and_an_empty_cell_counts():
    cells, persons = ["a", "a", "-", "-", None], np.array([0, 0, 1, 2, 2])
    claim = HiddenValues(1 / 3, {"ill": ["a"]})
    assert claim.check(release(cells[:4], persons=persons[:4]))
    assert claim.check(release(cells, persons=persons)).reached == {"hidden share": pytest.approx(2 / 3)}


def test_every_spelling_is_the_value_and_blanks_are_empty():
    published = release([" HIV", "hiv", "h\u00adiv", "  ", "no", "no", "no", "no"])
    assert HiddenValues(0.5, {"ill": ["Hiv"]}).check(published).reached == {"hidden share": 0.5}


def test_several_columns_are_judged_one_by_one():
    quasi = {"q": np.zeros(4, dtype=np.int64)}
    ill, pay = Sensitive(np.array([0, 0, 1, 1]), ("a", "-")), Sensitive(np.array([1, 1, 0, 0]), ("0", "9"))
    both = HiddenValues(0.5, {"ill": ["a"], "pay": ["0"]})
    assert both.check(Published(quasi, {"ill": ill, "pay": pay}))  # though everybody has one of them
    assert "in any of several columns" in str(both.not_covered)
    assert "in any of several columns" not in str(HiddenValues(0.5, {"ill": ["a"]}).not_covered)


def test_a_release_lists_what_occurs_in_it_alone():
    published = release([" HIV", "no", None, "", "hiv"])
    claim = HiddenValues(0.5, {"ill": ["hiv", "gout"]})
    stated = claim.restrict_to(published)
    assert stated.hidden == (("ill", (" HIV", "hiv")),)
    assert claim.restrict_to(release(["no"])).hidden == (("ill", ()),)
    together = AllOf((KAnonymity(2), claim)).restrict_to(published)
    assert together == AllOf((KAnonymity(2), stated))
    assert claim_from_dict(together.as_dict()) == together
    assert not {"hiv", "gout", "HIV"} & set(str([together.attacker, together.not_covered]).split())


def test_other_columns_are_under_l_or_else_under_alpha():
    both = {"ill": ["a"], "pay": []}
    assert make_claim("table", k=3, hidden=both) == AllOf((KAnonymity(3), HiddenValues(0.5, {"ill": ["a"]})))
    assert make_claim("table", k=3, hidden=both, l=2, alpha=0.4, t=0.2).parts == (
        KAnonymity(3),
        LDiversity(2, columns=("pay",)),
        TCloseness(0.2),
        HiddenValues(0.4, {"ill": ["a"]}),
    )
    assert make_claim("table", k=3, hidden=both, alpha=0.4).parts == (
        AlphaKAnonymity(0.4, 3, ("pay",)),
        HiddenValues(0.4, {"ill": ["a"]}),
    )
    assert make_claim("table", k=3, hidden={"ill": ["a"]}, alpha=0.4).parts == (
        KAnonymity(3),
        HiddenValues(0.4, {"ill": ["a"]}),
    )
    with pytest.raises(InputError, match="l and hidden values exclude each other"):
        make_claim("table", k=3, hidden={"ill": ["a"]}, l=2)
    with pytest.raises(InputError, match="without a look-alike"):
        require_protection(make_claim("table", hidden=both))
