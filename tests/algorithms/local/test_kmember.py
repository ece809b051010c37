import numpy as np
import pytest

from shoal.algorithms.local import mondrian as module
from shoal.algorithms.local.mondrian import kmember
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import claim_of
from shoal.utility import class_of_rows, losses


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
        result = kmember(table, trees, claim=claim_of("table", k=k))
        assert result.trace["classes"] == 100 // k
        assert result.trace["blocks"] == 1
        assert np.bincount(class_of_rows(result.release)).min() >= k


@pytest.mark.parametrize("k", [2, 9, 40])
def test_large_tables_are_clustered_in_blocks_and_say_so(monkeypatch, k):
    table, trees = table_of(300)
    whole = losses(kmember(table, trees, claim=claim_of("table", k=k)).release, trees)["ncp"]
    monkeypatch.setattr(module, "WORK", 10_000)
    result = kmember(table, trees, claim=claim_of("table", k=k))
    assert result.trace["blocks"] > 1
    assert np.bincount(class_of_rows(result.release)).min() >= k
    assert losses(result.release, trees)["ncp"] < 2 * whole + 0.05
