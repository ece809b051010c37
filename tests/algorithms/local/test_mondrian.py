import numpy as np
import pytest

from claiming import claimed
from shoal.algorithms.local import mondrian as module
from shoal.algorithms.local.mondrian import kmember, mondrian
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import make_claim
from shoal.utility import _table_losses, class_of_rows

AGES = [str(age) for age in (20, 20, 20, 20, 20, 30, 40, 50)]
TREES = {"age": Hierarchy.from_paths("age", [[age, "*"] for age in ("20", "30", "40", "50")])}


def classes(**options):
    recoded = claimed(
        mondrian, Table((Column.of("age", "quasi", AGES),)), TREES, recode="span", **options
    ).release
    return [recoded.forms[0].labels[code] for code in recoded.codes[:, 0]]


def test_strict_cuts_keep_equal_values_together():
    assert classes(k=3) == ["20"] * 5 + ["[30, 50]"] * 3
    assert classes(k=4) == ["[20, 50]"] * 8


def test_relaxed_cuts_divide_them():
    assert classes(k=4, strict=False) == ["20"] * 4 + ["[20, 50]"] * 4


def test_both_halves_must_be_diverse():
    ill = Column.of("ill", "sensitive", list("xxxxxyxy"))
    table = Table((Column.of("age", "quasi", AGES), ill))
    recoded = mondrian(table, TREES, claim=make_claim("table", k=3, l=2), recode="span").release
    assert {recoded.forms[0].labels[code] for code in recoded.codes[:, 0]} == {"[20, 50]"}


def table_of(n, seed=0):
    random = np.random.default_rng(seed)
    names = [f"v{i:02d}" for i in range(20)]
    cells = random.choice(names, (2, n))
    paths = [[v, v[:2], "*"] for v in names]
    table = Table(tuple(Column.of(f"q{j}", "quasi", cells[j].tolist()) for j in range(2)))
    return table, {f"q{j}": Hierarchy.from_paths(f"q{j}", paths) for j in range(2)}


def test_clusters_hold_k_and_are_as_many_as_can_be():
    table, trees = table_of(100)
    for k in (1, 3, 7, 33, 100):
        result = kmember(table, trees, claim=make_claim("table", k=k))
        assert result.trace["classes"] == 100 // k
        assert result.trace["blocks"] == 1
        assert np.bincount(class_of_rows(result.release)).min() >= k


@pytest.mark.parametrize("k", [2, 9, 40])
def test_large_tables_are_clustered_in_blocks_and_say_so(monkeypatch, k):
    table, trees = table_of(300)
    whole = _table_losses(kmember(table, trees, claim=make_claim("table", k=k)).release, trees)["ncp"]
    monkeypatch.setattr(module, "WORK", 30_000)
    result = kmember(table, trees, claim=make_claim("table", k=k))
    assert result.trace["blocks"] > 1
    assert np.bincount(class_of_rows(result.release)).min() >= k
    assert _table_losses(result.release, trees)["ncp"] < 2 * whole + 0.05
