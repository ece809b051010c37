"""The optimum for claims about shares, beside a search of the whole lattice written from the definitions."""

from fractions import Fraction
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_claims
import naive_lattice as naive
from claiming import claimed
from lattices import Case, cases, check_cheapest
from shoal.algorithms.lattice.optimal import optimal

CLAIMS = {
    "basic": {"beta": Fraction(1, 2)},
    "enhanced": {"beta": Fraction(1), "likeness": "enhanced"},
    "disclosure": {"factor": Fraction(2)},
    "wide disclosure": {"factor": Fraction(9)},
    "alpha": {"alpha": Fraction(1, 2), "k": 2},
    "large alpha": {"alpha": Fraction(3, 4), "k": 1},
    "beta and k": {"beta": Fraction(1), "k": 2},
    "average": {"average": Fraction(2, 5), "k": 2},
    "average and beta": {"average": Fraction(1, 3), "beta": Fraction(2)},
    "all": {"beta": Fraction(2), "factor": Fraction(4), "alpha": Fraction(2, 3), "k": 2},
}


def kept(case, levels, asked):
    """The records left of a node: classes below k or above alpha go, then, until none is, those that do not fit."""
    cells = case.label
    who = case.persons or list(range(len(case.rows)))

    def wrong(members):
        few = len({who[place] for place in members}) < asked.get("k", 1)
        return few or naive_claims.frequent(members, cells, who, asked.get("alpha", Fraction(1)))

    def unfit(members, whole):
        if "average" in asked:
            there = [some for some in every if some[0] in whole]
            sizes = [len({who[place] for place in some}) for some in there]
            many = len({who[place] for place in members}) == min(sizes)
            if many and naive_claims.average_risk(there, who) > asked["average"]:
                return True
        if "beta" in asked:
            likeness = asked.get("likeness", "basic")
            if naive_claims.unlike(members, whole, cells, who, asked["beta"], likeness):
                return True
        return "factor" in asked and naive_claims.telling(members, whole, cells, who, asked["factor"])

    every = [list(some) for some in naive.groups(case.rows, case.columns, levels).values()]
    return naive_claims.remaining(every, wrong, unfit)


@pytest.mark.parametrize("asked", CLAIMS.values(), ids=CLAIMS)
@given(
    case=cases(empty_labels=True, most=8) | cases(empty_labels=True, persons=True, most=8),
    percent=st.sampled_from([0, 30, 60]),
    loss=st.sampled_from(["glm", "dm"]),
)
@settings(max_examples=40)
def test_no_node_that_keeps_the_claim_is_cheaper(asked, case, percent, loss):
    numbers = {key: value for key, value in asked.items() if key in ("k", "likeness")}
    numbers |= {key: float(asked[key]) for key in ("alpha", "beta") if key in asked}
    if "average" in asked:
        numbers["average_risk"] = float(asked["average"])
    if "factor" in asked:
        numbers["disclosure"] = log(asked["factor"])
    check_cheapest(case, lambda levels: kept(case, levels, asked), percent, loss=loss, **numbers)


def test_what_is_above_alpha_does_not_count_in_the_whole():
    """The class of c goes for alpha; only then are the shares of the others as beta asks."""
    case = Case(
        [("a",)] * 2 + [("b",)] * 2 + [("c",)] * 2,
        [[["a", "*"], ["b", "*"], ["c", "*"]]],
        ["x", "y", "x", "y", "z", "z"],
    )
    found = claimed(optimal, case.table, case.hierarchies, alpha=0.5, k=2, beta=0.4, suppress=0.34)
    assert found.release.rows.tolist() == [0, 1, 2, 3]
