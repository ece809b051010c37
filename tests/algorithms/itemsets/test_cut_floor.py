from itertools import combinations

import pytest
import scipy.optimize
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import itemset_cases
from claiming import claimed
from itemset_cases import TREE
from shoal.algorithms import METHODS
from shoal.algorithms.itemsets import optimal_cut as module
from shoal.algorithms.itemsets.optimal_cut import cut_floor
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Baskets
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.utility import BasketCase, case_losses

ROUNDING = 2 * module._ROUNDING
PAIRS = [["ale", "jam"], ["rum", "jam"], ["rum", "pie"]]
ALONE = Baskets.of("items", [*PAIRS, ["ale", "pie"], ["ale", "pie"], ["ale"], ["ale"], ["ale"], ["rum"]])


def best(baskets, tree, k, m, spare=0):
    """The least loss of any cut that keeps the claim when items with at most so many occurrences are left out."""
    rows = itemset_cases.baskets(baskets)
    many = {item: sum(item in row for row in rows) for item in baskets.values}
    total, least = sum(many.values()), 1.0
    for size in range(len(many) + 1):
        for gone in combinations(many, size):
            away = sum(many[item] for item in gone)
            if away <= spare:
                left = Baskets.of("items", [row - set(gone) for row in rows])
                lost = itemset_cases.optimum(left, tree, k, m)
                if lost is not None and total:
                    least = min(least, (float(lost) * (total - away) + away) / total)
    return least if total else 0.0


@given(itemset_cases.cases(), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=60)
def test_it_is_the_loss_of_the_best_cut(case, k, m):
    baskets, tree = case
    assert cut_floor(baskets, tree, KmAnonymity(k, m)) == pytest.approx(
        best(baskets, tree, k, m), abs=ROUNDING
    )


@given(itemset_cases.cases(max_rows=6), st.integers(1, 3), st.integers(1, 2), st.sampled_from([0.1, 0.3]))
@settings(max_examples=30)
def test_it_holds_whatever_is_left_out(case, k, m, suppress):
    baskets, tree = case
    spare = int(suppress * 10) * len(baskets.items) // 10
    floor = cut_floor(baskets, tree, KmAnonymity(k, m), suppress=suppress)
    assert floor <= best(baskets, tree, k, m, spare) + 1e-12


@given(
    itemset_cases.cases(), st.integers(1, 4), st.integers(1, 3), st.integers(0, 60), st.sampled_from([1, 2])
)
@settings(max_examples=60)
def test_it_holds_where_the_search_is_cut_short(case, k, m, work, choices):
    baskets, tree = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHOICES", choices)
        floor = cut_floor(baskets, tree, KmAnonymity(k, m), work=work)
    assert floor is None or floor <= best(baskets, tree, k, m) + 1e-12


@pytest.mark.parametrize("name", ["apriori", "vpa"])
@given(itemset_cases.cases(sensitive=True), st.integers(1, 4), st.integers(1, 2), st.booleans())
@settings(max_examples=30)
def test_no_method_of_one_cut_loses_less(name, case, k, l, leaves_out):
    baskets, tree = case
    numbers = {"k": k, "m": 2, **({"l": l} if l > 1 else {})}
    suppress = 0.2 if leaves_out else 0.0
    try:
        result = claimed(METHODS[name].load(), baskets, tree, suppress=suppress, **numbers)
    except (InfeasibleError, InputError):
        assume(False)
    exempt = baskets.sensitive if result.claim.exempts else ()
    lost = case_losses(BasketCase(result.release, baskets, tree, exempt=exempt))["ncp"]
    assert cut_floor(baskets, tree, result.claim, suppress=suppress) <= lost + 1e-12


def test_one_of_two_nodes_is_closed_and_the_cheaper_one_is_taken():
    """Food would mend all pairs for 5 occurrences, drink for 9."""
    assert cut_floor(ALONE, TREE, KmAnonymity(2, 2)) == pytest.approx(5 / 14 / 2, abs=ROUNDING)


def test_what_the_search_proved_is_kept_where_it_found_no_cut(monkeypatch):
    search = scipy.optimize.milp

    def ended(*given, **options):
        found = search(*given, **options)
        found.status, found.x = 1, None
        return found

    monkeypatch.setattr(scipy.optimize, "milp", ended)
    assert cut_floor(ALONE, TREE, KmAnonymity(2, 2)) == pytest.approx(5 / 14 / 2, abs=ROUNDING)


def test_items_that_may_all_be_gone_demand_nothing():
    sold = Baskets.of("items", [["ale"]] * 9 + [["rum"]])
    assert cut_floor(sold, TREE, KmAnonymity(2, 1)) == 0.5
    assert cut_floor(sold, TREE, KmAnonymity(2, 1), suppress=0.1) == 0
    assert cut_floor(sold, TREE, KmAnonymity(2, 1), suppress=0.09) == 0.5


def test_sensitive_items_demand_nothing_where_the_claim_exempts_them():
    sold = Baskets.of("items", [["ale", "pie"], ["ale", "jam"], ["ale"]], ["pie", "jam"])
    assert cut_floor(sold, TREE, KmAnonymity(2, 2)) == 2 / 5 / 2
    assert cut_floor(sold, TREE, LmDiversity(2, 2, 2)) == 0


def test_where_no_cut_keeps_the_claim_everything_is_lost():
    assert cut_floor(Baskets.of("items", [["ale"], []]), TREE, KmAnonymity(2, 1)) == 1


def test_without_items_nothing_is_lost():
    assert cut_floor(Baskets.of("items", [[], []]), TREE, KmAnonymity(2, 2)) == 0


def test_it_is_not_told_where_combinations_of_m_items_are_too_many():
    sold = Baskets.of("items", [["ale", "rum", "pie"]] * 3)
    assert cut_floor(sold, TREE, KmAnonymity(2, 2), work=17) is None
    assert cut_floor(sold, TREE, KmAnonymity(2, 2), work=18) == 0
