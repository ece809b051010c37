"""mstk: sizes of classes, large k, the trace, and the paper's comparison on real data."""

from pathlib import Path

import numpy as np
import pytest

from shoal.algorithms.lattice.optimal import optimal
from shoal.algorithms.local.mondrian import mondrian
from shoal.algorithms.local.mstk import mstk
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy, files
from shoal.privacy import make_claim
from shoal.utility import _table_losses, class_of_rows

ADULT = Path(__file__).parents[3].parent / "shared" / "data" / "adult"


def spread(n, values=40, columns=3, seed=1):
    random = np.random.default_rng(seed)
    names = [f"v{i:02d}" for i in range(values)]
    cells = random.choice(names, (columns, n))
    table = Table(tuple(Column.of(f"q{j}", "quasi", cells[j].tolist()) for j in range(columns)))
    paths = [[v, v[:2], "*"] for v in names]
    return table, {f"q{j}": Hierarchy.from_paths(f"q{j}", paths) for j in range(columns)}


@pytest.mark.parametrize("rule", ["walk", "paper"])
@pytest.mark.parametrize("k", [2, 3, 10, 130, 300, 599, 600])
def test_classes_hold_k_to_2k_less_1(rule, k):
    table, trees = spread(600)
    result = mstk(table, trees, claim=make_claim("table", k=k), rule=rule)
    assert 600 // (2 * k - 1) <= result.trace["classes"] <= 600 // k
    assert np.bincount(class_of_rows(result.release)).min() >= k


@pytest.mark.parametrize("k", [2, 3, 10])
def test_without_splitting_again_large_classes_stay_as_the_paper_leaves_them(k):
    table, trees = spread(600)
    split, left = (
        mstk(table, trees, make_claim("table", k=k), rule="paper", resplit=again) for again in (True, False)
    )
    assert np.bincount(class_of_rows(left.release)).min() >= k
    assert left.trace["classes"] < split.trace["classes"]


def test_the_trace_tells_how():
    table, trees = spread(60)
    trace = mstk(table, trees, claim=make_claim("table", k=3)).trace
    assert trace.keys() == {"rule", "tree", "nodes", "weight", "edges", "line", "merged", "classes"}
    assert (trace["rule"], trace["tree"], trace["merged"]) == ("walk", "lattice", 0)
    paper = mstk(table, trees, claim=make_claim("table", k=3), rule="paper").trace
    assert {"subtrees", "small"} <= paper.keys()
    assert paper["weight"] == trace["weight"]


@pytest.mark.parametrize("rule", ["walk", "paper"])
def test_large_t_classes_are_found(rule):
    table, trees = spread(300)
    ill = Column.of("ill", "sensitive", np.random.default_rng(2).choice(list("abcdef"), 300).tolist())
    result = mstk(Table((*table.columns, ill)), trees, claim=make_claim("table", k=2, t=0.1), rule=rule)
    assert result.trace["classes"] >= 2


def adult(names):
    lines = (ADULT / "adult.csv").read_text(encoding="utf-8").splitlines()
    head, rows = lines[0].split(";"), [line.split(";") for line in lines[1:]]
    columns = [Column.of(name, "quasi", [row[head.index(name)] for row in rows]) for name in names]
    return Table(tuple(columns)), {name: files.read(ADULT / f"adult_hierarchy_{name}.csv") for name in names}


@pytest.mark.skipif(not ADULT.is_dir(), reason="the Adult data is not there")
def test_it_loses_less_than_mondrian_and_full_domain_recoding_on_adult():
    """The paper's projection at one of its k. No full-domain method undercuts the optimum, so Incognito does not."""
    table, trees = adult(["age", "workclass", "sex", "education", "race", "occupation"])
    ours = {
        rule: _table_losses(mstk(table, trees, claim=make_claim("table", k=9), rule=rule).release, trees, k=9)
        for rule in ("walk", "paper")
    }
    halved = _table_losses(mondrian(table, trees, claim=make_claim("table", k=9)).release, trees, k=9)
    assert ours["walk"]["ncp"] < halved["ncp"]
    for loss, method_loss in (("il", "ncp"), ("dm", "dm"), ("c_avg", "c_avg")):
        full = _table_losses(
            optimal(table, trees, claim=make_claim("table", k=9), loss=method_loss).release, trees, k=9
        )
        assert ours["walk"][loss] < full[loss]
        assert ours["paper"][loss] < full[loss]
    assert ours["walk"]["ncp"] < ours["paper"]["ncp"]
