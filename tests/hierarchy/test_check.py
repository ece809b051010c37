"""Facts about a hierarchy beside its column, and its picture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from shoal.data import Column
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.check import problems, show
from shoal.hierarchy.rules import build

SEA = [["cod", "fish", "*"], ["eel", "fish", "*"], ["kelp", "kelp", "*"]]


@given(strategies.hierarchies(), st.lists(st.sampled_from((*strategies.VALUES, "x", "y", None)), max_size=10))
def test_the_facts_are_counts_over_the_cells(paths, cells):
    tree = Hierarchy.from_paths("h", paths)
    fit = problems(tree, Column.of("c", "quasi", cells))
    strange = [cell in ("x", "y") for cell in cells]
    assert fit.nodes == tuple(len({path[level] for path in paths}) for level in range(tree.height + 1))
    assert sorted(fit.uncovered) == sorted({"x", "y"} & set(cells))
    assert fit.uncovered_records == sum(strange)
    assert fit.first == (strange.index(True) + 1 if any(strange) else None)
    assert fit.unused == len(set(strategies.VALUES) - set(cells))
    assert fit.missing == cells.count(None)
    assert bool(fit) is not any(strange)


def test_cells_are_in_the_facts_only_when_asked_for():
    fit = problems(Hierarchy.from_paths("sea", SEA), Column.of("c", "quasi", ["cod", "orca", "orca"]))
    assert fit.as_dict() == {
        "hierarchy": "sea",
        "fits": False,
        "leaves": 3,
        "height": 2,
        "nodes": [3, 2, 1],
        "uncovered": 1,
        "uncovered_records": 2,
        "first": 2,
        "unused": 2,
        "missing": 0,
        "missing_covered": False,
    }
    assert fit.as_dict(values=True)["uncovered_values"] == ["orca"]


def test_a_leaf_that_covers_missing_cells_is_used_by_them():
    tree = Hierarchy.from_paths("x", [["a", "*"], ["?", "*"]]).covering(["?"])
    fit = problems(tree, Column.of("x", "quasi", ["a", None]))
    assert (fit.unused, fit.missing, fit.missing_covered) == (0, 1, True)


def test_a_hierarchy_alone_has_a_shape():
    assert problems(Hierarchy.from_paths("sea", SEA)).nodes == (3, 2, 1)


@pytest.mark.parametrize(
    ("limit", "picture"),
    [
        (6, "* (3 leaves)|  fish (2 leaves)|    cod|    eel|  kelp"),
        (5, "* (3 leaves)|  fish (2 leaves)|  kelp"),
        (2, "* (3 leaves)|  fish (2 leaves)|... 1 more"),
    ],
)
def test_the_picture_has_as_many_whole_levels_as_fit(limit, picture):
    assert show(Hierarchy.from_paths("sea", SEA), limit=limit).split("\n") == picture.split("|")


def test_a_built_hierarchy_shows_its_labels_only_when_asked():
    tree = build("zip", {"mask": "right"}, ["12", "13"])
    assert show(tree).split("\n") == ["group (2 leaves)", "  group (2 leaves)", "    leaf", "    leaf"]
    assert show(tree, values=True).split("\n") == ["* (2 leaves)", "  1* (2 leaves)", "    12", "    13"]


def test_a_single_leaf_that_is_the_root_is_drawn():
    assert show(Hierarchy.from_paths("x", [["*", "*"]])) == "*"
