from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_lattice as naive
from lattices import LOSSES, Case, cases, clock_that_stops
from shoal.algorithms.lattice import branch_and_bound as search
from shoal.algorithms.lattice import cube
from shoal.algorithms.lattice import optimal as module
from shoal.algorithms.lattice.cube import prices_of
from shoal.algorithms.lattice.optimal import _evaluate_every_node, pareto
from shoal.base.errors import InfeasibleError, InputError


def seen(front):
    return [(p.levels, p.k, round(p.loss, 12), p.suppressed) for p in front.points]


@pytest.mark.parametrize("loss", LOSSES)
@given(
    case=cases(weights=True) | cases(persons=True),
    percent=st.sampled_from([0, 20, 50]),
    per_node=st.booleans(),
)
@settings(max_examples=20)
def test_front_is_that_of_exhaustive_search(loss, case, percent, per_node):
    options = {"suppress": percent / 100, "loss": loss, "target": "label", "per_node": per_node}
    front = pareto(case.table, case.hierarchies, **options)
    with patch.object(module, "PACE", 1e9):  # no loss is evaluated everywhere, and large k come first
        phased = pareto(case.table, case.hierarchies, seconds=1e6, **options)
    with patch.object(module, "PACE", 1e9), patch.object(search, "_LARGE", 0):
        counted = pareto(case.table, case.hierarchies, **options)
        both = pareto(case.table, case.hierarchies, seconds=1e6, **options)
    assert seen(front) == naive.front(case.points(loss, percent, per_node=per_node))
    for other in (phased, counted, both):
        assert seen(other) == seen(front)
        assert other.complete
    assert front.complete
    assert front.evaluated <= front.lattice == len(naive.nodes(case.columns))
    allowed = len(case.rows) * percent // 100
    everywhere = _evaluate_every_node(
        front.cube, prices_of(loss, front.cube, case.table), allowed, per_node=per_node
    )
    assert everywhere == front.points


FOUR = Case(
    [("a", "x")] * 2 + [("b", "x")] + [("c", "y")],
    [[["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]], [["x", "*"], ["y", "*"]]],
    list("1122"),
)


def test_what_a_front_hands_over():
    front = pareto(FOUR.table, FOUR.hierarchies, suppress=0.25)
    assert [(p.k, p.levels, p.suppressed) for p in front.points] == [
        (1, (0, 0), 0),
        (3, (1, 0), 1),
        (4, (2, 1), 0),
    ]
    assert front.pick(2).k == 3
    assert front.as_dict()["front"][1] == {
        "levels": {"q0": 1, "q1": 0},
        "k": 3,
        "loss": pytest.approx(0.4375),
        "suppressed": 1,
        "bound": pytest.approx(0.4375),
    }
    released = front.release(front.pick(2), 2).release
    assert released.rows.tolist() == [0, 1, 2]
    assert front.release((0, 0), 2).release.rows.tolist() == [0, 1]
    with pytest.raises(InfeasibleError, match="k=5 but the largest k on the front is 4"):
        front.pick(5)


@given(case=cases(weights=True) | cases(persons=True), loss=st.sampled_from(LOSSES))
@settings(max_examples=40)
def test_tuples_too_wide_for_one_word_give_the_same(case, loss):
    options = {"suppress": 0.3, "loss": loss, "target": "label"}
    front = pareto(case.table, case.hierarchies, **options)
    with patch.object(cube, "FIRST", 4), patch.object(cube, "FURTHER", 4):
        wide = pareto(case.table, case.hierarchies, **options)
        released = wide.release(wide.points[-1], wide.points[-1].k).release
    assert wide.points == front.points
    assert released.rows.tolist() == front.release(front.points[-1], front.points[-1].k).release.rows.tolist()


@pytest.mark.parametrize("loss", LOSSES)
@given(
    case=cases(weights=True),
    percent=st.sampled_from([0, 20, 50]),
    looks=st.integers(0, 12),
    large=st.sampled_from([0, 1 << 16]),
)
@settings(max_examples=12)
def test_cut_short_it_tells_the_truth(loss, case, percent, looks, large):
    with (
        patch.object(search, "_LARGE", large),
        patch.object(search, "_BATCH", 2),
        patch.object(module, "PACE", 1e9),
        clock_that_stops(looks),
    ):
        front = pareto(
            case.table, case.hierarchies, suppress=percent / 100, loss=loss, target="label", seconds=1.0
        )
    points = case.points(loss, percent)
    true = naive.front(points)
    assert set(seen(front)) <= set(points)
    assert [p for p in seen(front) if p[1] >= front.proven_from] == [
        p for p in true if p[1] >= front.proven_from
    ]
    assert front.complete == (front.proven_from == 1)
    for point, bound in zip(front.points, front.bounds, strict=True):
        assert bound <= min(p[2] for p in true if p[1] >= point.k) + 1e-9 * abs(bound)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"loss": "c_avg"}, r"c_avg divides by k.* there are glm"),
        ({"seconds": 0}, "seconds=0 leaves no time"),
    ],
)
def test_what_makes_no_front_is_refused(options, said):
    with pytest.raises(InputError, match=said):
        pareto(FOUR.table, FOUR.hierarchies, **options)
