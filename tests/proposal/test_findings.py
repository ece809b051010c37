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
