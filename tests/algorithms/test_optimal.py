import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_lattice as naive
from lattices import Case, cases
from shoal.algorithms.table.optimal import optimal
from shoal.algorithms.table.pareto import pareto
from shoal.errors import InfeasibleError, InputError

LOSSES = ["glm", "glm-geometric", "ncp", "precision", "height", "dm", "dm-star", "aecs", "c_avg", "ce"]


def levels_of(result):
    return tuple(result.release.rule["levels"].values())


@pytest.mark.parametrize("loss", LOSSES)
@given(case=cases(weights=True), percent=st.sampled_from([0, 20, 50]), k=st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_no_node_is_cheaper(loss, case, percent, k):
    points = naive.candidates(
        loss,
        case.rows,
        case.columns,
        len(case.rows) * percent // 100,
        weights=case.weights,
        target=case.label,
    )
    at_k = {p[0]: p for p in points if p[1] == k}
    if not at_k:
        with pytest.raises(InfeasibleError):
            optimal(case.table, case.hierarchies, k=k, suppress=percent / 100, loss=loss, target="label")
        return
    result = optimal(case.table, case.hierarchies, k=k, suppress=percent / 100, loss=loss, target="label")
    chosen = at_k[levels_of(result)]
    assert chosen[2] == min(p[2] for p in at_k.values())
    assert result.release.suppressed == chosen[3]
    assert result.release.rows.tolist() == naive.kept_at(case.rows, case.columns, chosen[0], k)


@given(
    case=cases(weights=True, persons=True), percent=st.sampled_from([0, 20, 50]), loss=st.sampled_from(LOSSES)
)
@settings(max_examples=60, deadline=None)
def test_equals_the_front_at_every_k(case, percent, loss):
    if loss == "c_avg":  # no front: it divides by k
        return
    front = pareto(case.table, case.hierarchies, suppress=percent / 100, loss=loss, target="label")
    for k in range(1, front.points[-1].k + 1):
        result = optimal(case.table, case.hierarchies, k=k, suppress=percent / 100, loss=loss, target="label")
        assert levels_of(result) == front.pick(k).levels
        same = front.release(front.pick(k), k)
        assert same.release.rows.tolist() == result.release.rows.tolist()


SIX = Case([("a",)] * 3 + [("b",)] * 4, [[["a", "*"], ["b", "*"]]], ["x"] * 7)


def test_refusals_say_what_would_help():
    table, trees = SIX.table, SIX.hierarchies
    with pytest.raises(InfeasibleError, match="k=50 but the table has 7 records; lower k or add records"):
        optimal(table, trees, k=50)
    with pytest.raises(InputError, match=r"suppress=1\.0 is outside"):
        optimal(table, trees, k=2, suppress=1.0)
    with pytest.raises(InputError, match="there are glm, glm-geometric"):
        optimal(table, trees, k=2, loss="nonsense")
    with pytest.raises(InputError, match="needs target"):
        optimal(table, trees, k=2, loss="ce")
    with pytest.raises(InputError, match="k"):
        optimal(table, trees, k=0)
    with pytest.raises(InputError, match="'q0' has no hierarchy"):
        optimal(table, {}, k=2)
