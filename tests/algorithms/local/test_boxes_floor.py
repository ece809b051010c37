from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_boxes
import strategies
from local_cases import cases
from shoal.algorithms import METHODS
from shoal.algorithms.local import boxes as module
from shoal.algorithms.local.boxes import loss_floor
from shoal.algorithms.local.column_prices import SCALE
from shoal.base.errors import InfeasibleError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.utility import _table_losses
from table_cases import make

TABLE_MAKERS = [
    name for name, found in METHODS.items() if found.shape == "table" and not found.numbers and name != "core"
]
ROUNDING = 1e-7  # prices are rounded down to whole numbers


def plain(case):
    """Rows and levels as the naive twins take them, priced by hand."""
    rows, levels = [tuple(map(str, row)) for row in case.rows], []
    for tree in case.local.hierarchies:
        column = []
        for level in range(tree.height + 1):
            nodes = tree.up[:, level].tolist()
            width = [
                1 if leaf == tree.size else nodes[: tree.size].count(nodes[leaf])
                for leaf in range(len(nodes))
            ]
            if nodes[-1] not in nodes[:-1] or level == tree.height:  # a missing cell stands at the root
                width[-1] = tree.size
            price = [wide / tree.size / len(case.local.hierarchies) if wide > 1 else 0.0 for wide in width]
            names = [*tree.leaves, "None"]
            column.append({name: (node, cost) for name, node, cost in zip(names, nodes, price, strict=True)})
        levels.append(column)
    return rows, levels


@given(case=cases(min_rows=3), k=st.integers(1, 4))
@settings(max_examples=60)
def test_without_work_it_is_the_mean_of_the_cheapest_boxes(case, k):
    rows, levels = plain(case)
    assume(len(rows) >= k)
    wanted = [0.0] * len(rows)
    for i in range(len(rows)):
        wanted[i] = min(
            price
            for price, inside in naive_boxes.boxes(rows, levels).values()
            if i in inside and len(inside) >= k
        )
    assert loss_floor(case.table, case.trees, k, work=0) == pytest.approx(
        sum(wanted) / len(rows), abs=ROUNDING
    )


@given(case=cases(min_rows=3, max_rows=7), k=st.integers(1, 3), work=st.sampled_from([0, 30, 1 << 20]))
@settings(max_examples=60)
def test_no_classes_at_all_lose_less(case, k, work):
    rows, levels = plain(case)
    assume(len(rows) >= k)
    least = naive_boxes.least_loss(rows, levels, k) / len(rows)
    floor = loss_floor(case.table, case.trees, k, work=work)
    assert floor <= least + ROUNDING / 100
    if work > 30:
        assert floor >= loss_floor(case.table, case.trees, k, work=0) - ROUNDING


@pytest.mark.parametrize("name", TABLE_MAKERS)
@given(case=strategies.cases(min_rows=2), k=st.integers(1, 4), suppress=st.sampled_from([0.0, 0.3]))
@settings(max_examples=20)
def test_no_method_loses_less(name, case, k, suppress):
    table, trees = case
    try:
        recoded = make(name, table, trees, k=k, suppress=suppress).release
    except InfeasibleError:
        assume(False)
    assert loss_floor(table, trees, k) <= _table_losses(recoded, trees)["ncp"] + ROUNDING / 100


@given(case=cases(min_rows=3, max_rows=7), k=st.integers(1, 3))
@settings(max_examples=30)
def test_blocks_of_columns_are_a_floor_too(case, k):
    rows, levels = plain(case)
    assume(len(rows) >= k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LARGEST_BLOCK", 1)
        floor = loss_floor(case.table, case.trees, k)
    assert floor <= naive_boxes.least_loss(rows, levels, k) / len(rows) + ROUNDING / 100


def corner(n):
    """Many alike, and one who is not."""
    ages = [*["21"] * (n - 1), "26"]
    paths = [[age, f"{age[0]}*", "*"] for age in ("21", "26", "33", "37")]
    return Table((Column.of("age", "quasi", ages),)), {"age": Hierarchy.from_paths("age", paths)}


def test_who_is_alone_pays_for_whoever_is_taken_along():
    table, trees = corner(20)
    assert loss_floor(table, trees, 5, work=0) == pytest.approx(0.5 / 20, abs=ROUNDING)
    assert loss_floor(table, trees, 2) == pytest.approx(2 * 0.5 / 20, abs=ROUNDING)
    assert loss_floor(table, trees, 5) == pytest.approx(1 / 20, abs=ROUNDING)  # or is left out, which costs 1


def test_rows_that_stand_for_many_records_count_as_many():
    table, trees = corner(20)
    counted = Table((Column.of("age", "quasi", ["21", "26"]),), None, np.array([19, 1]))
    assert loss_floor(counted, trees, 2) == loss_floor(table, trees, 2)


def test_weights_are_those_of_the_loss():
    names = ["a", "b"]
    trees = {name: Hierarchy.from_paths(name, [["x", "*"], ["y", "*"]]) for name in names}
    cells = list(product("xy", "xy"))
    table = Table(
        tuple(
            Column.of(name, "quasi", [row[j] for row in cells], weight=weight)
            for j, (name, weight) in enumerate(zip(names, (3.0, 1.0), strict=True))
        )
    )
    assert loss_floor(table, trees, 2) == pytest.approx(0.25, abs=d_rounding(2))


def d_rounding(columns):
    return columns / SCALE
