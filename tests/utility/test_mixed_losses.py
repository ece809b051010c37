"""Losses of a table with baskets against sums over possible worlds, and workloads that come back as they went."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import mixed_cases
from shoal.algorithms.mixed.bound import bound
from shoal.data import Baskets, Column, Mixed, Table
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.privacy import claim_of
from shoal.utility import ncp
from shoal.utility.item_losses import item_losses
from shoal.utility.mixed_losses import (
    mixed_are,
    mixed_losses,
    mixed_ul,
    mixed_workload,
    public_mixed_losses,
    read_workload,
    workload_text,
)
from shoal.utility.queries import Query


def released(case, k=2, **options):
    mixed, trees, items = case
    return bound(
        mixed,
        trees,
        item_hierarchy=items,
        claim=claim_of("mixed", k=k),
        delta=1,
        rng=np.random.default_rng(3),
        **options,
    ).release


def subsets(members):
    parts = chain.from_iterable(combinations(members, size) for size in range(1, len(members) + 1))
    return list(map(set, parts))


def expected(query, recoded, mixed, trees):
    """The expected count: leaves of a cell and non-empty subsets of an item are equally likely, all independent."""
    total = 0.0
    values = mixed.baskets.values
    wanted = set(query.items)
    for row, forms in enumerate(mixed_cases.baskets(recoded)):
        chance = 1.0
        for j, name in enumerate(recoded.table.names):
            if name in query.where:
                form = recoded.table.codes[row, j]
                cells = recoded.table.forms[j]
                leaves = cells.leaves[cells.start[form] : cells.start[form + 1]]
                texts = [trees[name].leaves[leaf] for leaf in leaves if leaf < trees[name].size]
                chance *= sum(text in query.where[name] for text in texts) / max(len(texts), 1)
        worlds = [set()]
        for form in forms:
            worlds = [world | part for world in worlds for part in subsets({values[code] for code in form})]
        total += chance * sum(wanted <= world for world in worlds) / len(worlds)
    return total


def actual(query, mixed):
    cells = {column.name: column.cells() for column in mixed.table.quasi}
    return sum(
        set(query.items) <= {mixed.baskets.values[code] for code in mixed.baskets.basket(row)}
        and all(cells[name][row] in wanted for name, wanted in query.where.items())
        for row in range(mixed.n)
    )


@settings(max_examples=25, deadline=None)
@given(mixed_cases.cases(min_rows=2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 9))
def test_queries_are_answered_by_possible_worlds(case, values, items, seed):
    mixed, trees, _ = case
    recoded = released(case, items="pcta")
    asked = mixed_workload(mixed, seed=seed, queries=3, values=values, items=items)
    assume(asked)
    off = [
        abs(actual(query, mixed) - expected(query, recoded, mixed, trees)) / actual(query, mixed)
        for query in asked
    ]
    assert mixed_are(asked, recoded, mixed, trees) == pytest.approx(np.mean(off))
    assert all(len(query.items) == items for query in asked)
    assert all(len(query.where) == min(values, len(mixed.table.quasi)) for query in asked)


@settings(max_examples=15, deadline=None)
@given(mixed_cases.cases(min_rows=2))
def test_all_losses_lie_side_by_side(case):
    mixed, trees, items = case
    recoded = released(case)
    found = mixed_losses(recoded, mixed, trees, items)
    assert found["ncp"] == ncp(recoded.table, trees)
    assert found["ul"] == mixed_ul(recoded, mixed, items)
    assert 0 <= found["ncp"] <= 1
    assert 0 <= found["ul"] <= 1 + 1e-12
    assert ("are" in found) == bool(mixed_workload(mixed, seed=0))
    public = public_mixed_losses(recoded, mixed, trees, items)
    told = (
        {"ncp", "items-ncp-published"} if recoded.baskets.suppressed else {"ncp", "ul", "items-ncp-published"}
    )
    assert public == {name: found[name] for name in told}
    assert found["items-ncp"] == item_losses(recoded.baskets, mixed.baskets, items)["ncp"]
    assert found["items-ncp-published"] == item_losses(recoded.baskets, mixed.baskets, items)["ncp-published"]


def weighed():
    ages = Hierarchy.from_paths("age", [["1", "*"], ["2", "*"]], public=False)
    sex = Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]])
    columns = (Column.of("age", "quasi", ["1", "2"], 3.0), Column.of("sex", "quasi", ["f", "f"]))
    mixed = Mixed(Table(columns), Baskets.of("items", [["a"], ["a", "b"]]))
    return mixed, {"age": ages, "sex": sex}, None


def test_columns_weigh_what_they_are_told():
    mixed, trees, _ = weighed()
    assert mixed_losses(released(weighed()), mixed, trees)["ncp"] == 0.75


def test_what_counts_built_leaves_is_not_public():
    mixed, trees, _ = weighed()
    assert set(public_mixed_losses(released(weighed()), mixed, trees)) == {"ul", "items-ncp-published"}
    tree = Hierarchy.from_paths("items", [["a", "*"], ["b", "*"]], public=False)
    assert not public_mixed_losses(released((mixed, trees, tree)), mixed, trees, tree)


def test_items_left_out_count_as_anything_unless_they_are_exempt():
    tree = {"age": Hierarchy.from_paths("age", [["1", "*"], ["2", "*"]])}
    table = Table((Column.of("age", "quasi", ["1", "1", "2", "2"]),))
    mixed = Mixed(table, Baskets.of("items", [["a"], [], ["s"], ["s"]], ["s"]))
    recoded = bound(
        mixed, tree, claim=claim_of("mixed", k=2, l=2), delta=0, rng=np.random.default_rng(3)
    ).release
    assert recoded.baskets.suppressed == 3
    assert mixed_ul(recoded, mixed, exempt=mixed.baskets.sensitive) == 1 / 4
    assert mixed_ul(recoded, mixed) == 3 / 4


def test_workloads_are_seeded_saved_and_edited():
    mixed, _, _ = weighed()
    drawn = mixed_workload(mixed, seed=4, queries=5)
    assert drawn == mixed_workload(mixed, seed=4, queries=5)
    assert read_workload(workload_text(drawn)) == drawn
    edited = workload_text(drawn).replace('"age": ["2"]', '"age": ["1", "2"]', 1)
    assert read_workload(edited)[0].where["age"] == ("1", "2")
    assert read_workload(workload_text(())) == ()
    assert read_workload(workload_text([Query(("é",))])) == (Query(("é",)),)


@pytest.mark.parametrize("wrong", ["", "{}", "[1]", '[{"items": 3}]', '[{"where": []}]', "[" * 5000])
def test_what_is_no_workload_is_refused(wrong):
    with pytest.raises(InputError):
        read_workload(wrong)
