import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_lattice as naive
from lattices import cases
from shoal.algorithms.table.pareto import pareto

LOSSES = ["glm", "glm-geometric", "ncp", "precision", "height", "dm", "dm-star", "aecs", "ce"]


def seen(front):
    return [(p.levels, p.k, round(p.loss, 12), p.suppressed) for p in front.points]


@pytest.mark.parametrize("loss", LOSSES)
@given(case=cases(weights=True), percent=st.sampled_from([0, 20, 50]), per_node=st.booleans())
@settings(max_examples=25, deadline=None)
def test_front_is_that_of_exhaustive_search(loss, case, percent, per_node):
    front = pareto(
        case.table, case.hierarchies, suppress=percent / 100, loss=loss, target="label", per_node=per_node
    )
    points = naive.candidates(
        loss,
        case.rows,
        case.columns,
        len(case.rows) * percent // 100,
        per_node=per_node,
        weights=case.weights,
        target=case.label,
    )
    assert front.complete
    assert seen(front) == naive.front(points)
