"""Methods of record trees under their claim, on small random trees."""

import pytest

from shoal.algorithms.trees.gcs import gcs
from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.nodes import Nodes
from shoal.privacy.trees import KMNAnonymity
from shoal.utility.trees import tree_ncp


def test_the_price_of_detail_is_the_loss_of_the_release():
    records = [[("ward", w, ("ill", i))] for w in "AB" for i in ("flu", "cough", "gout", "gout")]
    trees = Trees.of([*records, [("ward", "A")], [("ward", "A")]])
    hierarchies = {
        "ward": Hierarchy.from_paths("ward", [["A", "*"], ["B", "*"]]),
        "ill": Hierarchy.from_paths(
            "ill", [["flu", "lung", "*"], ["cough", "lung", "*"], ["gout", "gout", "*"]]
        ),
    }
    made = gcs(trees, hierarchies, KMNAnonymity(2, 2, 1), cost="ncp")
    nodes = Nodes.of("test", trees, hierarchies)
    assert made.trace["cost"] == pytest.approx(tree_ncp(made.release, trees, nodes))
    assert 0 < made.trace["cost"] < 1
