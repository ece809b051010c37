"""Columns that only those near a person may know: proposed for partners and teams, and priced."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.proposal import known_columns

N = 300


@pytest.fixture(scope="module")
def people():
    random = np.random.default_rng(4)
    topics = {f"topic {letter}": random.choice(["red", "blue", "green"], N) for letter in "abcdefghij"}
    return pl.DataFrame(
        {
            "age": random.integers(20, 70, N),
            "sex": random.choice(["f", "m"], N),
            "city": random.choice(["Bonn", "Oslo", "Rome"], N),
            **topics,
        }
    )


def known_names(proposal):
    return [column.name for column in proposal.columns.values() if column.role == "known"]


@pytest.mark.parametrize(("audience", "at_once"), [("partner", 2), ("team", 1)])
def test_partners_and_teams_are_taken_to_know_few_columns(people, audience, at_once, monkeypatch):
    monkeypatch.setattr(known_columns, "is_compiled", lambda method: False)
    proposal = shoal.propose(people, audience=audience)
    assert proposal.guarantee["known_at_once"] == at_once
    assert known_names(proposal) == [f"topic {letter}" for letter in "abcdefghij"]
    assert any(note.startswith(f"known_at_once = {at_once} assumes that nobody") for note in proposal.notes)
    assert shoal.anonymize(proposal.read(), **proposal.guarantee, seed=1).verdict


def test_a_column_that_tells_who_somebody_is_stays_known_to_everybody(people, monkeypatch):
    monkeypatch.setattr(known_columns, "is_compiled", lambda method: False)
    place = {"Bonn": "red", "Oslo": "blue", "Rome": "green"}
    told = people.with_columns(pl.col("city").replace_strict(place).alias("topic a"))
    proposal = shoal.propose(told, audience="team", roles={"topic a": "quasi"})
    assert "topic a" not in known_names(proposal)


@pytest.mark.parametrize("prices", [(0.6, 0.2, 0.4), (0.4, 0.1, 0.2), (0.6, 0.5, 0.6)])
def test_all_columns_are_known_to_the_public_whatever_that_costs(people, monkeypatch, prices):
    monkeypatch.setattr(known_columns, "_estimate_prices", lambda *given: prices)
    proposal = shoal.propose(people)
    assert "known_at_once" not in proposal.guarantee
    (told,) = [
        note for note in proposal.notes if note.startswith("estimated on 300 of 300 records, k = 11: ")
    ]
    assert f"{prices[0]:.0%} of the detail" in told


@pytest.mark.parametrize(("prices", "at_once"), [((0.6, 0.2, 0.4), 2), ((0.3, 0.1, 0.3), None)])
def test_a_partner_is_promised_less_only_where_that_saves(people, monkeypatch, prices, at_once):
    monkeypatch.setattr(known_columns, "_estimate_prices", lambda *given: prices)
    assert shoal.propose(people, audience="partner").guarantee.get("known_at_once") == at_once


def test_prices_fall_with_what_is_known(people):
    proposal = shoal.propose(people)
    dataset = proposal.read()
    names = tuple(f"topic {letter}" for letter in "abcdefghij")
    method = dataset.choose_method({"k": 5, "recode": "range"}, 1_000)
    everything = known_columns._price_all_known(dataset, method, {"recode": "range"}, 5)
    one, two = known_columns._price_known(dataset.table, dataset.hierarchies, names, 5)
    assert 0 < one <= two < 1
    assert 0 < everything < 1
    assert known_columns._price_known(dataset.table, dataset.hierarchies, names[:1], 5)[1] is not None


def test_pairs_of_very_many_columns_are_not_priced(people, monkeypatch):
    monkeypatch.setattr(known_columns, "_PAIRED", 3)
    dataset = shoal.propose(people).read()
    names = tuple(f"topic {letter}" for letter in "abcdefghij")
    assert known_columns._price_known(dataset.table, dataset.hierarchies, names, 5)[1] is None
    monkeypatch.setattr(known_columns, "_estimate_prices", lambda *given: (0.6, 0.2, None))
    (told,) = [note for note in shoal.propose(people).notes if note.startswith("estimated on")]
    assert told.endswith("20%; of so many columns any two are not estimated")
    assert "known_at_once" not in shoal.propose(people, audience="partner").guarantee
