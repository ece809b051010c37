"""Methods that keep claims about shares: what they release, their judges and the twins say yes to."""

from dataclasses import replace
from fractions import Fraction
from math import log

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import claim_cases
import shoal
import strategies
from shoal.algorithms import METHODS
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import AllOf, AlphaKAnonymity, BetaLikeness, DeltaDisclosure
from table_cases import make, seen

CHOSEN = [  # core keeps these beside known columns alone
    name
    for name, found in METHODS.items()
    if "beta-likeness" in found.claims and not found.numbers and name != "core"
]

ASKED = {
    "basic": {"beta": Fraction(1, 2)},
    "enhanced": {"beta": Fraction(1), "likeness": "enhanced"},
    "disclosure": {"factor": Fraction(3)},
    "half": {"alpha": Fraction(1, 2), "k": 2},
    "with k": {"beta": Fraction(1), "k": 3},
    "all": {"beta": Fraction(2), "factor": Fraction(4), "alpha": Fraction(3, 4), "k": 2},
}
few = settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
every_method = pytest.mark.parametrize("name", CHOSEN)


def tables(rows, secrets):
    """Tables with sensitive columns, with and without persons who have several rows."""
    return strategies.cases(min_rows=rows, min_sensitive=1, max_sensitive=secrets) | strategies.cases(
        min_rows=rows, min_sensitive=1, persons=True
    )


def options(asked):
    """What is asked for, as a configuration says it."""
    found = {key: float(value) if isinstance(value, Fraction) else value for key, value in asked.items()}
    if "factor" in found:
        found["disclosure"] = log(found.pop("factor"))
    return found


def broken(published, asked):
    """The rows that break what is asked for, by the twins."""
    rows = set()
    if "beta" in asked:
        rows |= set(claim_cases.unlike(published, asked["beta"], asked.get("likeness", "basic")))
    if "factor" in asked:
        rows |= set(claim_cases.telling(published, asked["factor"]))
    return rows | set(claim_cases.frequent(published, asked.get("alpha", 1), asked.get("k", 1)))


@every_method
@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@few
@given(case=tables(2, 2))
def test_what_all_records_as_one_class_keep_is_always_reached(name, asked, case):
    """One class of all records gains nothing and tells nothing: only alpha and k can be too much.

    Persons who stand in several classes may show a value in one of them and hide it in another, so that a finer
    release keeps what the whole does not.
    """
    table, trees = case
    published = seen(make("optimal", table, trees, k=1).release, table)
    whole = replace(published, quasi={name: codes * 0 for name, codes in published.quasi.items()})
    if not broken(whole, asked):
        assert make(name, table, trees, **options(asked))
    elif table.persons is None:
        with pytest.raises(InfeasibleError):
            make(name, table, trees, **options(asked))


@every_method
@few
@given(case=tables(4, 1))
def test_the_largest_disclosure_still_asks_for_every_value(name, case):
    table, trees = case
    published = seen(make(name, table, trees, disclosure=1000).release, table)
    assert not claim_cases.telling(published, Fraction(10) ** 9)


SIX = Table(
    (
        Column.of("q", "quasi", list("aabbcc")),
        Column.of("ill", "sensitive", ["flu", "flu", "flu", "gout", "gout", "hiv"]),
        Column.of("pay", "sensitive", list("xxxxxy")),
    )
)
TREES = {"q": Hierarchy.from_paths("q", [["a", "*"], ["b", "*"], ["c", "*"]])}


@every_method
def test_a_share_that_is_too_small_for_the_whole_is_infeasible(name):
    with pytest.raises(InfeasibleError, match=r"alpha=0\.4") as caught:
        make(name, Table(SIX.columns[:2]), TREES, alpha=0.4, k=2)
    assert "\n" not in str(caught.value)
    assert "flu" not in str(caught.value)
    assert caught.value.exit_code == 3
    assert make(name, Table(SIX.columns[:2]), TREES, alpha=0.5, k=2)


@every_method
def test_hidden_values_that_are_too_frequent_are_infeasible(name):
    hidden = {"hidden": {"ill": ["gout", "HIV"]}, "k": 2}
    assert make(name, Table(SIX.columns[:2]), TREES, alpha=0.5, **hidden)
    for alpha, words in ((0.4, r"alpha=0\.4 is below 1/k=0\.5"), (0.45, "below 1/k")):
        with pytest.raises(InfeasibleError, match=words):
            make(name, Table(SIX.columns[:2]), TREES, alpha=alpha, **hidden)
    hidden["hidden"]["ill"].append("flu ")
    with pytest.raises(InfeasibleError, match="column 'ill' 1 of all records have a hidden value") as caught:
        make(name, Table(SIX.columns[:2]), TREES, alpha=0.9, **hidden)
    assert caught.value.exit_code == 3
    assert "flu" not in str(caught.value)


@every_method
@few
@given(case=tables(4, 2), k=st.integers(1, 3), values=st.sampled_from([["flu"], ["hiv", "gout"]]))
def test_hidden_values_are_kept_where_all_records_as_one_class_keep_them(name, case, k, values):
    table, trees = case
    alpha = Fraction(2, 3)
    published = seen(make("optimal", table, trees, k=1).release, table)
    whole = replace(published, quasi={name: codes * 0 for name, codes in published.quasi.items()})
    asked = {"alpha": float(alpha), "hidden": {"s0": values}, "k": k}
    heads = table.n if table.persons is None else len(np.unique(table.persons))
    if k > heads or claim_cases.exposing(whole, alpha, asked["hidden"]) or alpha < Fraction(1, k):
        with pytest.raises(InfeasibleError):
            make(name, table, trees, **asked)
        return
    made = seen(make(name, table, trees, **asked).release, table)
    assert not claim_cases.exposing(made, alpha, asked["hidden"])


@every_method
def test_columns_that_are_not_meant_are_left_alone(name):
    method = METHODS[name].load()
    assert method(SIX, TREES, AlphaKAnonymity(0.5, 2, ("ill",)))
    with pytest.raises(InfeasibleError, match=r"alpha=0\.5"):
        method(SIX, TREES, AlphaKAnonymity(0.5, 2))
    mixed = method(SIX, TREES, AllOf((BetaLikeness(1, columns=("ill",)), DeltaDisclosure(9, ("ill",)))))
    published = seen(mixed.release, SIX)
    assert mixed.claim.check(published)
    with pytest.raises(InputError, match="names column 'gone'"):
        method(SIX, TREES, BetaLikeness(1, columns=("gone",)))
    with pytest.raises(InputError, match="sensitive column"):
        method(Table(SIX.columns[:1]), TREES, DeltaDisclosure(1))


# Classes that do not follow sensitive values.

STEERED = [method.name for method in METHODS.values() if method.is_steered]
STEERING = [
    {"l": 2},
    {"t": 0.4},
    {"beta": 1.5},
    {"disclosure": 2.0},
    {"alpha": 0.7},
]


def _data(ages, ills):
    frame = pl.DataFrame({"age": ages, "ill": ills})
    roles = {"age": "quasi", "ill": "sensitive"}
    return shoal.read(frame, roles=roles, hierarchies={"age": {"ranges": [5, 10, 20]}})


@st.composite
def people(draw):
    rows = draw(st.integers(6, 20))
    several = strategies.several
    return draw(several(tuple(range(20, 60)), rows)), draw(several("abc", rows))


@pytest.mark.parametrize("method", STEERED)
@settings(max_examples=15)
@given(people(), st.sampled_from(STEERING))
def test_the_claim_is_kept_and_classes_are_those_of_k_alone(method, people, asked):
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
