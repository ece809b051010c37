"""The searches' prices against the definitions in `shoal.utility`, which share no code with them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from lattices import cases
from shoal.algorithms.lattice.cube import LOSSES, Cube, floors_of, labels_of, prices_of
from shoal.algorithms.lattice.evaluation import Evaluator
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import make_claim
from shoal.utility import _table_losses


@pytest.mark.parametrize("loss", LOSSES)
@given(case=cases(weights=True))
@settings(max_examples=15)
def test_every_rung_costs_what_the_definition_says(loss, case):
    check_all_nodes(loss, case.table, case.hierarchies)


def test_nodes_of_numbers_cost_their_leaves():
    leaves = ["1", "2", "4", "9"]
    tree = Hierarchy.from_paths(
        "q0", [[leaf, "low" if i < 2 else "high", "*"] for i, leaf in enumerate(leaves)]
    )
    column = Column.of("q0", "quasi", [leaves[i] for i in (0, 1, 1, 2, 3, 3)])
    label = Column.of("label", "sensitive", list("aabbab"))
    check_all_nodes("ncp", Table((column, label)), {"q0": replace(tree, ordered=True)})


def check_all_nodes(loss, table, trees):
    cube = Cube.of("test", table, trees, labels_of(table, loss, "label"))
    prices = prices_of(loss, cube, table)
    evaluate = Evaluator(cube, prices, table.n // 2)
    floors = floors_of(prices, cube.lattice)
    for number, levels in enumerate(cube.lattice.nodes()):
        rungs = evaluate(levels)
        for k, gone, cost in zip(rungs.ks.tolist(), rungs.gone.tolist(), rungs.loss.tolist(), strict=True):
            recoded = cube.release(levels, k, make_claim("table", k=k)).release
            known = _table_losses(
                recoded,
                trees,
                weights={column.name: column.weight for column in table.quasi},
                k=1,
                target=table.column("label").codes,
                leaves=cube.leaves,
            )
            assert recoded.suppressed == gone
            assert cost == pytest.approx(known[loss], abs=1e-12)
            assert floors(np.array([number]))[0] <= round(cost * 1e12) + 1
