"""Every method under every law: parametrized from the table of methods, so a new one is tested by being listed."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import strategies
from shoal.algorithms import METHODS
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import POPULATION_KEYS
from shoal.utility import _table_losses
from table_cases import fit, make, seen, true, written

TABLE_MAKERS = [name for name, found in METHODS.items() if found.shape == "table" and name != "core"]
"""All but one that needs known columns: `test_known_columns.py` has its laws."""
LOCAL = [name for name, found in METHODS.items() if found.kind in ("local", "cells")]
MANY_INFEASIBLE = [HealthCheck.filter_too_much, HealthCheck.too_slow]

ASKED = {
    "k-anonymity": [{}],
    "l-diversity": [
        {"l": l, "diversity": kind} for l in (2, 3) for kind in ("distinct", "entropy", "recursive")
    ],
    "t-closeness": [{"t": t, "distance": kind} for t in (0.1, 0.3, 0.6) for kind in ("equal", "ordered")],
    "beta-likeness": [
        {"beta": beta, "likeness": kind} for beta in (0.5, 2) for kind in ("basic", "enhanced")
    ],
    "delta-disclosure privacy": [{"disclosure": 0.7}, {"disclosure": 2}],
    "(alpha,k)-anonymity": [
        {"alpha": 0.5},
        {"alpha": 0.8},
        {"alpha": 0.75, "beta": 2, "disclosure": 1.4},
        {"alpha": 0.75, "beta": 3, "l": 2, "t": 0.6},
    ],
    "hidden values": [
        {"hidden": {"s0": ["flu"]}},
        {"hidden": {"s0": ["flu", "hiv"]}, "alpha": 0.8},
        {"hidden": {"s0": ["gout"]}, "alpha": 0.75, "beta": 3, "t": 0.6},
    ],
    "average risk": [{"average_risk": 0.5}, {"average_risk": 0.25}],
    "k-map": [{"k_map": 2}, {"k_map": 5}],
    "delta-presence": [{"presence": [0, 0.5]}, {"presence": [0.3, 0.9]}],
    "k-anonymity of known subsets": [{"subsets": 1}, {"subsets": 3}],
    "k-anonymity of linked rows": [{"linked": True}],
}
"""For each claim about a table what is asked for beside k."""

COVERED = [(name, model) for name in TABLE_MAKERS for model in METHODS[name].claims if model in ASKED]
"""Which method stands under these laws with which claim."""


def attempt(name, table, trees, k, **options):
    """The result, or a discarded example where the method finds no release."""
    try:
        return make(name, table, trees, k=k, **options)
    except InfeasibleError:
        assume(False)


@pytest.mark.parametrize("name", TABLE_MAKERS)
@settings(max_examples=15)
@given(case=strategies.cases(min_rows=2), k=st.integers(1, 3), data=st.data())
def test_shuffled_rows_give_the_same_release_up_to_order(name, case, k, data):
    table, trees = fit(name, *case)
    order = np.array(data.draw(st.permutations(range(table.n))))
    moved = Table(tuple(Column(c.name, c.role, c.values, c.codes[order], c.weight) for c in table.columns))
    first = attempt(name, table, trees, k, suppress=0.3).release
    second = make(name, moved, trees, k=k, suppress=0.3).release
    assert first.rule == second.rule
    if name in LOCAL:  # equal records may change places
        assert written(first, table) == written(second, moved)
        return
    assert sorted(first.rows) == sorted(order[second.rows])
    back = {int(order[row]): tuple(codes) for row, codes in zip(second.rows, second.codes, strict=True)}
    assert all(back[int(row)] == tuple(codes) for row, codes in zip(first.rows, first.codes, strict=True))


@pytest.mark.parametrize("name", TABLE_MAKERS)
@settings(max_examples=10)
@given(case=strategies.cases())
def test_inputs_stay_as_they_are(name, case):
    table, trees = fit(name, *case)
    before = [column.codes.copy() for column in table.columns]
    shapes = {name: tree.up.copy() for name, tree in trees.items()}
    attempt(name, table, trees, 2, suppress=0.3)
    assert all((old == column.codes).all() for old, column in zip(before, table.columns, strict=True))
    assert all((shapes[name] == tree.up).all() for name, tree in trees.items())


@pytest.mark.parametrize("name", TABLE_MAKERS)
def test_identical_records_lose_nothing(name):
    table = Table((Column.of("a", "quasi", ["x"] * 6), Column.of("b", "quasi", ["y"] * 6)))
    trees = {
        "a": Hierarchy.from_paths("a", [["x", "*"], ["z", "*"]]),
        "b": Hierarchy.from_paths("b", [["y", "+", "*"], ["z", "+", "*"]]),
    }
    if name == "blind":
        pytest.skip(
            "blind does not see that records are identical, and so publishes no value that few may have"
        )
    if name == "poka":
        pytest.skip("poka steps from one node's k to a smaller one, and here every node has k = 6")
    table, trees = fit(name, table, trees)
    recoded = make(name, table, trees, k=6).release
    assert _table_losses(recoded, trees)["glm"] == 0
    assert recoded.suppressed == 0


@pytest.mark.parametrize("name", TABLE_MAKERS)
def test_k_beyond_the_records_is_infeasible(name):
    table = Table((Column.of("a", "quasi", list("xyxyxyx")),))
    trees = {"a": Hierarchy.from_paths("a", [["x", "*"], ["y", "*"]])}
    with pytest.raises(InfeasibleError, match="k=50"):
        make(name, *fit(name, table, trees), k=50)


@pytest.mark.parametrize("name", TABLE_MAKERS)
@pytest.mark.parametrize("wrong", [-0.1, 1.0, 2.0, float("nan")])
def test_suppression_outside_its_range_is_refused(name, wrong):
    table = Table((Column.of("a", "quasi", ["x", "y"]),))
    trees = {"a": Hierarchy.from_paths("a", [["x", "*"], ["y", "*"]])}
    with pytest.raises(InputError, match="suppress"):
        make(name, *fit(name, table, trees), k=1, suppress=wrong)


@pytest.mark.parametrize(("name", "model"), COVERED)
@settings(max_examples=40, suppress_health_check=MANY_INFEASIBLE)
@given(
    case=strategies.cases(min_sensitive=1, max_sensitive=2) | strategies.cases(min_sensitive=1, persons=True),
    k=st.integers(1, 4),
    suppress=st.sampled_from([0.0, 0.2, 0.5]),
    data=st.data(),
)
def test_every_claim_is_kept_and_the_truth_holds(name, model, case, k, suppress, data):
    table, trees = fit(name, *case)
    asked = dict(data.draw(st.sampled_from(ASKED[model])))
    assume("linked" not in asked or table.persons is not None)
    if not asked.keys().isdisjoint(POPULATION_KEYS):
        twice = np.array(
            data.draw(st.lists(st.integers(0, table.n - 1), min_size=3, max_size=20)), dtype=np.int64
        )
        public = Table(table.some(np.r_[np.arange(table.n), twice]).quasi)
        result = attempt(name, table, trees, k, suppress=suppress, public=public, **asked)
        beside = next(part for part in result.claim.parts if part.named == model)
        assert beside.check(seen(result.release, table, trees, public))
    else:
        result = attempt(name, table, trees, k, suppress=suppress, **asked)
        assert result.claim.check(seen(result.release, table))
    assert model in [part.named for part in result.claim.parts]
    assert result.claim.crowd == k
    assert result.release.suppressed <= int(suppress * table.n)
    assert true(result.release, table, trees)


@pytest.mark.parametrize("name", TABLE_MAKERS)
@settings(max_examples=15)
@given(case=strategies.cases(), k=st.integers(1, 3))
def test_losses_stay_in_their_range(name, case, k):
    table, trees = fit(name, *case)
    release = attempt(name, table, trees, k, suppress=0.3).release
    found = _table_losses(release, trees, k=k)
    n, d = table.n, len(table.quasi)
    for loss in {"glm", "glm-geometric", "ncp", "precision"} & found.keys():
        assert -1e-12 <= found[loss] <= 1 + 1e-12
    assert 0 <= found["il"] <= d + 1e-12
    assert found.get("height", 0) <= sum(tree.height for tree in trees.values())
    assert n <= found["dm"] <= n * n
    assert 1 <= found["aecs"] <= n
    assert 1 / k <= found["c_avg"] <= n / k


@pytest.mark.parametrize("name", TABLE_MAKERS)
def test_a_claim_that_it_does_not_keep_is_told(name):
    table = Table((Column.of("a", "quasi", list("xyxy")), Column.of("s", "sensitive", list("fgfg"))))
    trees = {"a": Hierarchy.from_paths("a", [["x", "*"], ["y", "*"]])}
    for model in ASKED.keys() - set(METHODS[name].claims):
        if METHODS[name].kind == "cells" and model == "k-anonymity":
            continue  # of k alone `make` makes the claim that it keeps
        if not METHODS[name].fronts:  # which are asked for no claim
            with pytest.raises(InputError, match=f"{name}: it cannot make a release that keeps"):
                make(name, table, trees, k=2, **ASKED[model][0])


@settings(max_examples=30)
@given(
    case=strategies.cases(),
    k=st.integers(1, 4),
    loss=st.sampled_from(["glm", "ncp", "il", "precision", "dm"]),
)
def test_no_full_domain_maker_beats_the_optimum(case, k, loss):
    table, trees = case
    best = attempt("optimal", table, trees, k, suppress=0.3, loss=loss).release
    least = _table_losses(best, trees, weights={c.name: c.weight for c in table.quasi})[loss]
    for name in (name for name in TABLE_MAKERS if name not in LOCAL):  # which may lose less
        try:
            other = make(name, table, trees, k=k, suppress=0.3, loss=loss).release
        except InfeasibleError:
            continue
        assert (
            _table_losses(other, trees, weights={c.name: c.weight for c in table.quasi})[loss]
            >= least - 1e-12
        )
    assert _table_losses(make("pareto", table, trees, k=k, suppress=0.3, loss=loss).release, trees)[
        loss
    ] == pytest.approx(least, abs=1e-12)
