"""The numbers that a proposal promises, and what they cost."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.proposal import propose as proposing

pytestmark = pytest.mark.usefixtures("untried")

RECORDS = 200
DRAWN = np.random.default_rng(5).integers(0, 5, RECORDS).tolist()
PEOPLE = pl.DataFrame(
    {
        "age": [20 + i % 40 for i in range(RECORDS)],
        "sex": ["f", "m"] * (RECORDS // 2),
        "diagnosis": [("flu", "asthma", "angina", "gout", "none")[draw] for draw in DRAWN],
    }
)


@pytest.mark.parametrize(("audience", "k"), [("public", 11), ("partner", 5), ("team", 3)])
def test_k_follows_from_who_gets_the_release(audience, k):
    found = shoal.propose(PEOPLE.select("age", "sex"), audience=audience)
    assert found.guarantee == {"k": k}


def test_l_is_proposed_where_a_column_is_sensitive_and_never_above_its_values():
    assert shoal.propose(PEOPLE).guarantee == {"k": 11, "l": 3}
    two = PEOPLE.with_columns(hiv=pl.Series(["yes", "no", "no", "no"] * (RECORDS // 4)))
    found = shoal.propose(two, roles={"hiv": "sensitive"})
    assert found.guarantee == {"k": 11, "l": 2}


@pytest.mark.parametrize(
    ("labels", "asked"),
    [
        (["flu", "gout", "none"], {"k": 11, "l": 2}),
        (["flu", "none", "none"], {"k": 11, "m": 2}),  # more than every third row would carry one label
    ],
)
def test_l_of_a_label_is_proposed_where_labels_can_be_apart(labels, asked):
    baskets = [["milk", "tea", "nuts"][: 1 + i % 3] for i in range(90)]
    found = shoal.propose(pl.DataFrame({"items": baskets, "diagnosis": labels * 30}))
    assert found.shape == "baskets"
    assert found.guarantee == asked


@pytest.mark.parametrize(("ill", "l"), [(["flu", "gout", "none"], {"l": 2}), (["flu", "flu", "none"], {})])
def test_l_of_record_trees_is_proposed_where_no_value_is_too_frequent(ill, l):
    people = [
        {"age": 20 + i % 4, "visits": [{"ward": "ABC"[i % 3], "diagnosis": ill[i // 3 % 3]}]}
        for i in range(90)
    ]
    found = shoal.propose(people)
    assert found["visits.diagnosis"].role == "sensitive"
    assert found.guarantee == {"k": 11, "m": 2, "n": 1, **l}


def test_a_table_with_baskets_has_no_l():
    frame = PEOPLE.with_columns(
        items=pl.Series([["milk", "tea", "nuts"][: 1 + i % 3] for i in range(RECORDS)])
    )
    found = shoal.propose(frame)
    assert found.shape == "mixed"
    assert found.guarantee == {"k": 11, "m": 2}


def test_an_audience_that_nobody_knows_is_refused():
    with pytest.raises(InputError, match=r"for: 'publik' is not an audience; did you mean 'public'"):
        shoal.propose(PEOPLE, audience="publik")


def test_what_k_and_l_cost_is_tried_on_a_sample(monkeypatch):
    monkeypatch.setattr(proposing, "is_compiled", lambda method: True)
    (said,) = shoal.propose(PEOPLE).costs
    assert said.startswith("tried on 200 of 200 records: k = 11 cost ")
    assert ", k = 11 and l = 3 cost " in said


def test_nothing_is_compiled_to_tell_a_price(monkeypatch):
    monkeypatch.setattr(proposing, "is_compiled", lambda method: False)
    assert shoal.propose(PEOPLE).costs == (
        "shoal compare --methods default --k 2:20 shows what each k costs",
    )
