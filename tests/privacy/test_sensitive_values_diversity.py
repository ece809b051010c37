from dataclasses import replace

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
from shoal.privacy import AlphaKAnonymity, BetaLikeness, DeltaDisclosure, LDiversity, claim_of
from shoal.release import Published, Sensitive

KINDS = ("distinct", "entropy", "recursive")


def release_of(cells, quasi=None, persons=None):
    values = tuple(dict.fromkeys(cell for cell in cells if cell is not None))
    codes = np.array([-1 if cell is None else values.index(cell) for cell in cells])
    quasi = np.zeros(len(cells), np.int64) if quasi is None else np.array(quasi)
    return Published({"q": quasi}, {"disease": Sensitive(codes, values)}, persons)


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


def test_empty_cells_count_for_the_most_frequent_value():
    assert LDiversity(2, "recursive", c=2).check(release_of(["a", "b", "c"]))
    assert LDiversity(2, "recursive", c=2).check(release_of(["a", "b", "c", None, None]))  # 1 + 2 < 2 * 2
    assert not LDiversity(2, "recursive", c=2).check(release_of(["a", "b", "c", None, None, None]))
    reached = LDiversity(2, "entropy").check(release_of(["a", "b", None, None])).reached["l"]
    assert reached == pytest.approx(np.exp(-0.75 * np.log(0.75) - 0.25 * np.log(0.25)))


def test_text_decides_what_is_equal():
    twice = Published({"q": np.zeros(2, np.int64)}, {"s": Sensitive(np.array([0, 1]), ("flu", "flu"))})
    blank = Published({"q": np.zeros(2, np.int64)}, {"s": Sensitive(np.array([0, 1]), ("flu", ""))})
    for shown in (twice, blank):
        assert LDiversity(2).check(shown).reached == {"l": 1}
        assert not AlphaKAnonymity(0.5, 2).check(shown)


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


def test_k_stands_in_the_claim_once():
    assert claim_of("table", alpha=0.5, k=3) == AlphaKAnonymity(0.5, 3)
