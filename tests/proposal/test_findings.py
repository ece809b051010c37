"""What names do not say: other numbers and answers beside the facts that anybody has of a person."""

import numpy as np
import polars as pl
import pytest

import shoal

N = 300
DRAW = np.random.default_rng(5)
ASKED = "only these data tell"


def people(**columns):
    drawn = {"age": DRAW.integers(18, 90, N), "sex": DRAW.choice(["f", "m"], N)}
    return pl.DataFrame({**drawn, **columns})


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("nodes", DRAW.integers(0, 30, N)),
        ("hormon", DRAW.integers(0, 2, N)),
        ("spiders", DRAW.choice(["yes", "no"], N)),
        ("premi", DRAW.choice(["y", "n", "nk"], N)),  # not known is an answer, too
        ("angryracism", DRAW.integers(1, 6, N)),
        ("gonorrhea", DRAW.choice(["Yes", "No "], N)),  # a blank behind an answer
        ("swab", DRAW.choice(["negativ", "positiv", "unklar"], N)),  # what a test showed
        ("gemuese", DRAW.choice(["nunca", "a veces", "siempre"], N)),  # a scale
    ],
)
def test_numbers_and_answers_beside_age_and_sex_are_found_out(name, values):
    proposal = shoal.propose(people(**{name: values}))
    assert proposal[name].role == "sensitive"
    assert "beside age it looks like what these data found out" in proposal[name].why
    assert ASKED in proposal[name].undecided


def test_one_question_names_all_of_them():
    columns = {name: DRAW.integers(0, 30, N) for name in ("nodes", "spiders", "oocytes")}
    (asked,) = [why for why in shoal.propose(people(**columns)).undecided.values() if ASKED in why]
    assert asked.startswith("it and spiders and oocytes look like")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("wrkstat", DRAW.integers(1, 9, N)),  # a fact that anybody has, shortened
        ("nchildren", DRAW.integers(0, 5, N)),
        ("heducation", DRAW.integers(8, 20, N)),
        ("ptyear", DRAW.integers(1990, 2010, N)),
        ("dxy", DRAW.integers(1970, 2010, N)),  # years by their values
        ("sic", DRAW.integers(100, 999, N)),  # as long as codes are
        ("x7", DRAW.integers(0, 30, N)),  # may be anything
        ("colour", DRAW.choice(["red", "blue", "green"], N)),  # words
        ("nonwhite", DRAW.integers(0, 2, N)),  # what everybody sees
        ("fsize", DRAW.integers(1, 9, N)),
        ("father", np.round(DRAW.normal(69, 2, N) * 2) / 2),  # his height
        ("lycee", DRAW.choice(["collège", "lycée technologique", "lycée général"], N)),  # a scale of schools
    ],
)
def test_what_may_be_known_to_anybody_stays_a_quasi_identifier(name, values):
    assert shoal.propose(people(**{name: values}))[name].role == "quasi"


def test_without_facts_of_persons_everything_stays_known():
    table = pl.DataFrame({"nodes": DRAW.integers(0, 30, N), "spiders": DRAW.integers(0, 2, N)})
    assert {shoal.propose(table)[name].role for name in table.columns} == {"quasi"}


def test_numbers_of_persons_are_no_findings():
    person = np.repeat(np.arange(N // 3), 3)
    table = pl.DataFrame({
        "lfd": person + 1, "sex": np.array(["f", "m"])[person % 2], "age": 20 + person * 7 % 60,
        "visit": np.tile([1, 2, 3], N // 3), "nodes": DRAW.integers(0, 30, N),
    })  # fmt: skip
    assert shoal.propose(table)["lfd"].role != "sensitive"


def test_a_stated_role_stands():
    stated = shoal.propose(people(nodes=DRAW.integers(0, 30, N)), roles={"nodes": "quasi"})
    assert stated["nodes"].role == "quasi"
    assert not stated.undecided


def test_whether_somebody_died_is_an_outcome():
    proposal = shoal.propose(people(death=DRAW.integers(0, 2, N)))
    assert proposal["death"].role == "sensitive"
    assert "outcome" in proposal["death"].why


def test_what_follows_from_a_known_column_is_known():
    """Causes of death, where there is one, tell who died: such a column is no secret beside them."""
    died = DRAW.integers(0, 2, N)
    causes = np.where(died == 1, DRAW.choice(["heart", "cancer", "other"], N), None)
    table = people(chapter=causes.tolist(), death=died)
    proposal = shoal.propose(table)
    assert proposal["death"].role == "quasi"
    assert "anyone who knows chapter of a person knows it, too" in proposal["death"].why
    assert shoal.propose(table, roles={"death": "sensitive"})["death"].role == "sensitive"
    assert shoal.propose(table.drop("chapter"))["death"].role == "sensitive"


def test_three_facts_of_persons_make_rows_people_without_age_and_sex():
    facts = {
        "job": DRAW.choice(["cook", "nurse", "clerk"], N),
        "marital_status": DRAW.choice(["single", "married"], N),
        "state": DRAW.choice(["NJ", "HI", "WI"], N),
    }
    inquiries = {"inquiries": DRAW.integers(0, 20, N)}
    assert shoal.propose(pl.DataFrame({**facts, **inquiries}))["inquiries"].role == "sensitive"
    del facts["job"]
    assert shoal.propose(pl.DataFrame({**facts, **inquiries}))["inquiries"].role == "quasi"


def test_two_letters_are_a_word_where_numbers_are_too_many_for_ages():
    proposal = shoal.propose(people(hr=DRAW.permutation(N) // 2 + 30, hc=DRAW.integers(0, 2, N)))
    assert proposal["hr"].role == "sensitive"
    assert proposal["hc"].role == "quasi"


def test_the_number_of_a_mother_is_that_of_a_household():
    mothers = np.repeat(np.arange(1, N // 2 + 1), 2)
    assert shoal.propose(people(mom=mothers))["mom"].role == "household"
    assert shoal.propose(people(mom=DRAW.integers(8, 20, N)))["mom"].role == "quasi"  # years of school


def test_findings_and_hidden_values_are_one_question_about_the_least_certain_column():
    columns = {"nodes": DRAW.integers(0, 30, N), "spiders": np.arange(N) % 5 == 0}
    undecided = shoal.propose(people(**columns)).undecided
    assert [*undecided] == ["spiders"]
    assert "it and nodes look like what only these data tell" in undecided["spiders"]
    assert "the rarer value of spiders is hidden" in undecided["spiders"]


def test_how_long_ago_is_no_date():
    proposal = shoal.propose(people(months_since_last_claim=DRAW.integers(0, 90, N)))
    assert proposal["months_since_last_claim"].role == "sensitive"
    assert [*proposal.undecided] == ["months_since_last_claim"]
    assert ASKED in proposal["months_since_last_claim"].undecided


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("frac_owners_zip", DRAW.random(N).round(4)),  # of the people of a place
    ],
)
def test_a_quasi_identifier_whose_name_says_something_else_is_not_asked_about(name, values):
    """It is protected whatever the answer."""
    proposal = shoal.propose(people(**{name: values}))
    assert proposal[name].role == "quasi"
    assert "but its values are" in proposal[name].why
    assert "most likely" not in proposal[name].undecided
