"""Merging step by step against a twin that recomputes everything: whom, in which order, and what it costs."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import mixed_cases
import naive_mixed
from mixed_cases import records_of, rows_and_columns
from shoal.algorithms.itemsets.item_cuts import SupportRequirement, count_holders
from shoal.algorithms.mixed.clusters import MEASURES, Clusters, merge


@pytest.mark.parametrize("rule", ["r", "t", "rt"])
@pytest.mark.parametrize("loss", ["ncp", "dm", "c_avg"])
@settings(max_examples=30)
@given(
    case=mixed_cases.cases(min_rows=8, max_rows=8),
    k=st.integers(1, 3),
    share=st.floats(0, 1),
    numbers=st.permutations([0, 1, 2, 3, 4, 5, 5, 4]),
)
def test_merges_are_the_papers_with_nothing_carried_over(rule, loss, case, k, share, numbers):
    mixed, trees, items = case
    records = records_of(mixed, trees, items)
    clusters = Clusters(records, np.unique(numbers[: mixed.n], return_inverse=True)[1])
    rows, columns = rows_and_columns(records, mixed, trees)
    baskets = [frozenset(mixed.baskets.basket(row).tolist()) for row in records.local.rows]
    start = [np.flatnonzero(clusters.of == c).tolist() for c in range(len(clusters.size))]
    assume(len(start) > 2)
    least = MEASURES[loss].total(clusters)
    most = {"ncp": mixed.n * naive_mixed.price(rows, columns), "dm": mixed.n**2, "c_avg": 2**40}[loss]
    budget = int(least + share * (most - least))
    steps, totals = naive_mixed.merge(rows, baskets, columns, start, rule, budget, k, loss)
    found = merge(clusters, rule, SupportRequirement(k), budget, measure=MEASURES[loss])
    assert list(zip(found.into.tolist(), found.gone.tolist(), strict=True)) == steps
    assert found.lost.tolist() == totals
    assert loss != "ncp" or found.total.tolist() == totals
    assert totals == sorted(totals)
    for step in range(len(steps) + 1):
        assert_after(found, start, steps, step)


def assert_after(found, start, steps, many):
    """The clusters after some steps are those of the steps, each under a number of its own."""
    live = dict(enumerate(map(frozenset, start)))
    for seed, other in steps[:many]:
        live[seed] |= live.pop(other)
    nodes, of = found.after(many)
    assert {frozenset(np.flatnonzero(of == place).tolist()) for place in range(len(nodes))} == set(
        live.values()
    )
    assert len(nodes) == len(live)


@settings(max_examples=60)
@given(case=mixed_cases.cases(sensitive=True), k=st.integers(1, 3), l=st.integers(0, 3), data=st.data())
def test_needs_are_what_one_form_for_all_items_fulfils(case, k, l, data):
    mixed, trees, items = case
    records = records_of(mixed, trees, items, exempt=bool(l))
    of = np.array(data.draw(st.lists(st.integers(0, 2), min_size=mixed.n, max_size=mixed.n)))
    of = np.unique(of, return_inverse=True)[1]
    lacking = SupportRequirement(k, l).unmet(count_holders(records.item_codes, of))
    secret = mixed.baskets.sensitive if l else frozenset()
    for c in range(of.max() + 1):
        baskets = [
            frozenset(mixed.baskets.basket(records.local.rows[i]).tolist()) for i in np.flatnonzero(of == c)
        ]
        one = [(basket & secret) | ({"all"} if basket - secret else set()) for basket in baskets]
        single = [(0,)] * len(one)
        if l:
            broken = naive_mixed.klm(
                single, [{str(i) for i in b} for b in one], {str(s) for s in secret}, 1, l, 1
            )
            rare = 0 < sum("all" in basket for basket in one) < k
            assert lacking[c] == bool(broken or rare)
        else:
            assert lacking[c] == (0 < sum("all" in basket for basket in one) < k)
