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
from shoal.utility import BasketCase, MixedCase, TableCase, losses_of, ncp
from shoal.utility.mixed_losses import (
    mixed_are,
    mixed_workload,
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
    found = losses_of(whole(recoded, mixed, trees, items))
    alone = losses_of(BasketCase(recoded.baskets, mixed.baskets, items))
    assert found["table-ncp"] == ncp(recoded.table, trees)
    assert found["items-ncp"] == alone["ncp"]
    assert found["items-ncp-published"] == alone["ncp-published"]
    assert found["ncp"] == (found["table-ncp"] + found["items-ncp"]) / 2
    assert next(iter(found)) == "ncp"
    assert found["ul"] == alone["ul"]
    assert 0 <= found["ncp"] <= 1
    assert 0 <= found["ul"] <= 1 + 1e-12
    assert ("are" in found) == bool(mixed_workload(mixed, seed=0))
    public = losses_of(whole(recoded, mixed, trees, items).public())
    told = {"table-ncp", "items-ncp-published"} | (set() if recoded.baskets.suppressed else {"ul"})
    table = set(losses_of(TableCase(recoded.table, trees).public())) - {"ncp"}
    assert public == {name: found[name] for name in told | table}


def whole(recoded, mixed, trees, items=None):
    """A release beside all that its owner knows."""
    weights = {column.name: column.weight for column in mixed.table.quasi}
    leaves = np.stack([trees[column.name].encode(column) for column in mixed.table.quasi], axis=1)
    table = TableCase(recoded.table, trees, weights, leaves=leaves)
    return MixedCase(recoded, mixed, table, BasketCase(recoded.baskets, mixed.baskets, items))


def weighed():
    ages = Hierarchy.from_paths("age", [["1", "*"], ["2", "*"]], public=False)
    sex = Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]])
    columns = (Column.of("age", "quasi", ["1", "2"], 3.0), Column.of("sex", "quasi", ["f", "f"]))
    mixed = Mixed(Table(columns), Baskets.of("items", [["a"], ["a", "b"]]))
    return mixed, {"age": ages, "sex": sex}, None


def test_columns_weigh_what_they_are_told():
    mixed, trees, _ = weighed()
    assert losses_of(whole(released(weighed()), mixed, trees))["table-ncp"] == 0.75


def test_what_counts_built_leaves_is_not_public():
    mixed, trees, _ = weighed()
    built = {"dm", "dm-star", "aecs"}
    told = losses_of(whole(released(weighed()), mixed, trees).public())
    assert set(told) == {"ul", "items-ncp-published"} | built
    tree = Hierarchy.from_paths("items", [["a", "*"], ["b", "*"]], public=False)
    told = losses_of(whole(released((mixed, trees, tree)), mixed, trees, tree).public())
    assert set(told) == built


def test_items_left_out_count_as_anything_unless_they_are_exempt():
    tree = {"age": Hierarchy.from_paths("age", [["1", "*"], ["2", "*"]])}
    table = Table((Column.of("age", "quasi", ["1", "1", "2", "2"]),))
    mixed = Mixed(table, Baskets.of("items", [["a"], [], ["s"], ["s"]], ["s"]))
    recoded = bound(
        mixed, tree, claim=claim_of("mixed", k=2, l=2), delta=0, rng=np.random.default_rng(3)
    ).release
    assert recoded.baskets.suppressed == 3
    exempt = mixed.baskets.sensitive
    assert losses_of(BasketCase(recoded.baskets, mixed.baskets, exempt=exempt))["ul"] == 1 / 4
    assert losses_of(BasketCase(recoded.baskets, mixed.baskets))["ul"] == 3 / 4


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
