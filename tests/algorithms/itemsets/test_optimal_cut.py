"""The best cut of all: nothing that brute force finds loses less, and where time ends the floor is told."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import itemset_cases
from itemset_cases import TREE
from shoal.algorithms.itemsets.apriori import apriori
from shoal.algorithms.itemsets.optimal_cut import optimal_cut
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Baskets
from shoal.hierarchy import Hierarchy
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.utility import BasketCase, case_losses

SOLD = Baskets.of(
    "items", [["ale", "jam"], ["rum", "jam"], ["rum", "pie"], ["ale", "pie"], ["ale", "pie"], ["ale"]]
)


def lost(result, baskets, tree):
    return case_losses(BasketCase(result.release, baskets, tree))["ncp"]


@given(itemset_cases.cases(), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=50)
def test_no_cut_loses_less_and_its_judge_agrees(case, k, m):
    baskets, tree = case
    best = itemset_cases.optimum(baskets, tree, k, m)
    try:
        made = optimal_cut(baskets, tree, KmAnonymity(k, m))
    except (InfeasibleError, InputError):  # too few records, or none with an item
        assume(False)
    assert made.trace["proven"]
    assert lost(made, baskets, tree) == pytest.approx(float(best), abs=1e-9)
    assert made.claim.check(itemset_cases.seen(made.release, baskets))
    assert made.trace["floor"] == pytest.approx(float(best), abs=1e-5)


def test_where_no_time_is_left_it_is_the_cut_of_apriori_and_says_that_nothing_is_proven():
    made = optimal_cut(SOLD, TREE, KmAnonymity(2, 2), seconds=0)
    assert not made.trace["proven"]
    assert made.release.rule == apriori(SOLD, TREE, KmAnonymity(2, 2)).release.rule


def test_it_beats_one_replacement_after_the_other():
    """Pies are rare beside hats and caps; the cheapest single replacement makes food of them first."""
    tree = Hierarchy.from_paths("items", [*itemset_cases.GOODS, ["hat", "wear", "*"], ["cap", "wear", "*"]])
    rows = ["cap hat jam", "hat", "ale cap jam", "cap jam rum", "ale cap pie", "pie rum", "hat pie rum"]
    sold, claim = Baskets.of("items", [row.split() for row in rows]), KmAnonymity(2, 2)
    made = [act(sold, tree, claim) for act in (optimal_cut, apriori)]
    assert [lost(one, sold, tree) for one in made] == pytest.approx([4 / 18, 6 / 18])


def test_other_claims_and_numbers_are_refused():
    with pytest.raises(InputError, match="l"):
        optimal_cut(SOLD, TREE, LmDiversity(2, 2, 2))
    with pytest.raises(InputError, match="seconds"):
        optimal_cut(SOLD, TREE, KmAnonymity(2, 2), seconds=-1)
