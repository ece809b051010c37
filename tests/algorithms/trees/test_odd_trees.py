"""Odd record trees: tiny, huge, deep, and values that share a name."""

import pytest

from claiming import claimed
from shoal.algorithms.trees.gcs import acs, gcs, ocs
from shoal.algorithms.trees.miracle import miracle
from shoal.base.errors import HierarchyError, InfeasibleError, InputError
from shoal.data import Trees
from shoal.hierarchy import Hierarchy

CHOSEN = pytest.mark.parametrize("method", [gcs, acs, ocs, miracle])


def flat(name, values):
    return Hierarchy.from_paths(
        name, [[value, "*"] for value in values] if len(values) > 1 else [[values[0]]]
    )


def judged(result):
    verdict = result.claim.check(result.release.trees)
    assert verdict, verdict.sentence
    return list(result.release.trees.nested())


@CHOSEN
@pytest.mark.parametrize(
    "records", [[[("A", "a")]] * 3 + [[("A", "b")]] * 2, [[], [], [("A", "a")], [("A", "a")]]]
)
def test_records_with_one_node_or_none(method, records):
    trees = Trees.of(records)
    assert sorted(judged(claimed(method, trees, {"A": flat("A", "ab")}, k=2))) == sorted(trees.nested())


@CHOSEN
@pytest.mark.parametrize(
    ("records", "options", "error", "says"),
    [
        ([[], [], []], {"k": 2}, (InfeasibleError, InputError), "."),
        (
            [[("A", "a")]] * 3,
            {"k": 4},
            InfeasibleError,
            "k=4 but there are 3 records; lower k or add records",
        ),
        (
            [[("A", "a")]] * 3,
            {"k": 2, "negations": ("Z",)},
            InputError,
            "negations: no field 'Z'; there are A",
        ),
        ([[("A", "a", ("B", "b"))]] * 2, {"k": 2}, InputError, "field 'B' has no hierarchy; give it one"),
    ],
)
def test_records_that_cannot_be_published_so(method, records, options, error, says):
    with pytest.raises(error, match=says):
        claimed(method, Trees.of(records), {"A": flat("A", "ab")} if any(records) else {}, **options)


@CHOSEN
def test_m_and_n_larger_than_any_record(method):
    trees = Trees.of([[("A", "a", ("B", "b"))]] * 2 + [[("A", "b", ("B", "a"))]] * 2)
    hierarchies = {"A": flat("A", "ab"), "B": flat("B", "ab")}
    assert sorted(judged(claimed(method, trees, hierarchies, k=2, m=50, n=40))) == sorted(trees.nested())


@CHOSEN
def test_a_value_that_its_hierarchy_lacks(method):
    with pytest.raises(HierarchyError, match="1 distinct value") as caught:
        claimed(method, Trees.of([[("A", "a")], [("A", "strange")]]), {"A": flat("A", "ab")}, k=2)
    assert "strange" not in str(caught.value)
    assert caught.value.value == ("strange",)


@pytest.mark.parametrize("method", [gcs, acs, ocs])
def test_a_value_of_two_classes_is_two_values(method):
    # "x" as A is in three records, as B in one: published as A, not as B
    trees = Trees.of([[("A", "x")]] * 3 + [[("A", "y", ("B", "x"))], [("A", "y", ("B", "z"))]])
    hierarchies = {"A": flat("A", "xy"), "B": flat("B", "xz")}
    published = judged(claimed(method, trees, hierarchies, k=2))
    assert sorted(published) == sorted([(("A", "x"),)] * 3 + [(("A", "y", ("B", "*")),)] * 2)


@pytest.mark.parametrize("method", [gcs, ocs])
def test_records_of_5000_nodes(method):
    names = [f"v{i}" for i in range(50)]
    deep = [("A", a, *(("B", b) for b in names)) for a in names]
    wide = [("C", f"c{i}") for i in range(2450)]
    hierarchies = {"A": flat("A", names), "B": flat("B", names), "C": flat("C", [c for _, c in wide])}
    trees = Trees.of([[*deep, *wide]] * 3)
    assert trees.start[1] == 5000
    result = claimed(method, trees, hierarchies, k=3, m=2, n=1, patience=3)
    assert result.claim.check(result.release.trees)


def test_records_of_5000_nodes_clustered():
    names = [f"v{i}" for i in range(50)]
    trees = Trees.of([[(f"K{i}", name) for i in range(100) for name in names]] * 2)
    hierarchies = {kind: flat(kind, names) for kind in trees.classes}
    assert judged(claimed(miracle, trees, hierarchies, k=2, m=1, n=0)) == list(trees.nested())


@CHOSEN
def test_trees_200_deep(method):
    node = ("K199", "x")
    for depth in range(198, -1, -1):
        node = (f"K{depth}", "x", node)
    trees = Trees.of([[node]] * 2)
    hierarchies = {name: flat(name, "x") for name in trees.classes}
    assert judged(claimed(method, trees, hierarchies, k=2, m=2, n=1)) == list(trees.nested())


def test_a_deep_relation_that_is_rare():
    def path(bottom):
        node = ("K79", bottom)
        for depth in range(78, -1, -1):
            node = (f"K{depth}", "x", node)
        return [node]

    trees = Trees.of([path("x"), path("y"), [("K79", "x")], [("K79", "y")]])
    hierarchies = {name: flat(name, "x" if name != "K79" else "xy") for name in trees.classes}
    for scope in ("class", "pair"):
        judged(claimed(gcs, trees, hierarchies, k=2, m=2, n=1, scope=scope))
