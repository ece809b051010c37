"""Incognito against every node of small lattices."""

from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from shoal.algorithms.lattice.cube import Lattice
from shoal.algorithms.lattice.incognito import incognito
from shoal.algorithms.lattice.optimal import optimal
from shoal.base.errors import InfeasibleError
from shoal.privacy import make_claim
from shoal.utility import _table_losses


@settings(max_examples=80)
@given(case=strategies.cases(), k=st.integers(1, 4), suppress=st.sampled_from([0.0, 0.25]))
def test_finds_exactly_the_minimal_nodes(case, k, suppress):
    table, trees = case
    lattice = Lattice.of([trees[column.name] for column in table.quasi])
    leaves = [trees[column.name].encode(column) for column in table.quasi]

    def under(levels):
        rows = list(
            zip(*(trees[c.name].up[leaves[j], levels[j]] for j, c in enumerate(table.quasi)), strict=True)
        )
        return sum(1 for row in rows if rows.count(row) < k)

    passing = {node for node in lattice.nodes() if under(node) <= int(suppress * table.n)}
    minimal = sorted(node for node in passing if not any(below in passing for below in lattice.below(node)))
    try:
        found = incognito(table, trees, claim=make_claim("table", k=k), suppress=suppress)
    except InfeasibleError:
        assert not passing or k > table.n
        return
    assert found.trace["minimal"] == minimal
    assert tuple(found.release.rule["levels"].values()) in minimal
    assert found.trace["evaluated"] <= lattice.size


@settings(max_examples=40)
@given(case=strategies.cases(), k=st.integers(1, 4))
def test_without_suppression_the_cheapest_minimal_node_is_the_optimum(case, k):
    table, trees = case
    try:
        best = optimal(table, trees, claim=make_claim("table", k=k))
    except InfeasibleError:
        return
    found = incognito(table, trees, claim=make_claim("table", k=k))
    assert abs(_table_losses(found.release, trees)["glm"] - _table_losses(best.release, trees)["glm"]) < 1e-12
