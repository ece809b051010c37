"""Classes that do not follow sensitive values."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import METHODS
from shoal.errors import InfeasibleError, InputError

STEERED = [method.name for method in METHODS.values() if method.steered]
ASKED = [{"l": 2}, {"t": 0.4}, {"beta": 1.5}, {"disclosure": 2.0}, {"alpha": 0.7}]


def _data(ages, ills):
    frame = pl.DataFrame({"age": ages, "ill": ills})
    roles = {"age": "quasi", "ill": "sensitive"}
    return shoal.read(frame, roles=roles, hierarchies={"age": {"ranges": [5, 10, 20]}})


@st.composite
def people(draw):
    ages = draw(st.lists(st.integers(20, 59), min_size=6, max_size=20))
    ills = draw(st.lists(st.sampled_from("abc"), min_size=len(ages), max_size=len(ages)))
    return ages, ills


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("method", STEERED)
@settings(max_examples=12)
@given(people())
def test_the_claim_is_kept_and_classes_are_those_of_k_alone(method, asked, people):
    data = _data(*people)
    try:
        made = shoal.anonymize(data, method=method, k=2, minimal=False, **asked)
    except InfeasibleError:
        return
    assert made.verdict  # the door's own judge
    k = made.result.trace["k that was asked of the method"]
    alone = shoal.anonymize(data, method=method, k=k)
    assert sorted(map(str, made.frame["age"])) == sorted(map(str, alone.frame["age"]))


def test_it_is_off_by_default_and_steers_only_what_it_must():
    ages, ills = [*range(20, 28)], ["a", "a", "a", "a", "b", "b", "c", "c"]
    steered = shoal.anonymize(_data(ages, ills), method="mondrian", k=2, l=2)
    told = shoal.anonymize(_data(ages, ills), method="mondrian", k=2, l=2, minimal=True)
    assert sorted(steered.frame["age"]) == sorted(told.frame["age"])
    plain = shoal.anonymize(_data(ages, ills), method="mondrian", k=2, minimal=False)
    assert "k that was asked of the method" not in plain.result.trace


def test_what_cannot_be_is_said():
    same = _data([*range(20, 28)], ["a"] * 8)
    with pytest.raises(InfeasibleError):
        shoal.anonymize(same, method="mstk", k=2, l=2, minimal=False)
    with pytest.raises(InputError, match="'minimal' must be true or false"):
        shoal.anonymize(same, method="mstk", k=2, t=0.5, minimal=1)
    with pytest.raises(InputError, match="minimal"):
        shoal.anonymize(same, method="incognito", k=2, minimal=False)


def test_suppressed_records_count_for_nothing():
    ages, ills = [20, 20, 21, 21, 59], ["a", "b", "a", "b", "a"]
    made = shoal.anonymize(_data(ages, ills), method="optimal", k=2, l=2, suppress=0.2, minimal=False)
    assert made.result.release.suppressed == 1
    assert np.array_equal(np.sort(made.rows), np.arange(4))
