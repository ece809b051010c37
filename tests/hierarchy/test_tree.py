"""Hierarchies against their definition: every node is the set of leaves whose path holds its label."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import strategies
from shoal.algorithms.lattice.optimal import optimal
from shoal.base.errors import HierarchyError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.tree import fixed_column
from shoal.privacy import KAnonymity


def leaf_sets(paths):
    """By (level, label): the leaves whose path has that label on that level."""
    found = {}
    for path in paths:
        for level, label in enumerate(path):
            found.setdefault((level, label), set()).add(path[0])
    return found


def two_parents(paths):
    """Some label is followed, straight repetitions aside, by different labels (or by none)."""
    parents = {}
    for path in paths:
        for level, label in enumerate(path):
            above = next((other for other in path[level:] if other != label), None)
            parents.setdefault(label, set()).add(above)
    return any(len(above) > 1 for above in parents.values())


def two_meanings(paths):
    """Some label stands for different sets of leaves on different levels, or a leaf has two rows."""
    if len({path[0] for path in paths}) < len({tuple(path) for path in paths}):
        return True
    meanings = {}
    for (_, label), leaves in leaf_sets(paths).items():
        meanings.setdefault(label, set()).add(frozenset(leaves))
    return any(len(sets) > 1 for sets in meanings.values())


FAULTS = {"two parents": two_parents, "two different sets": two_meanings}


def first_line(wrong, paths):
    """The first row at which the rows so far are wrong, counted from 1."""
    return next(end for end in range(1, len(paths) + 1) if wrong(paths[:end]))


def rows(tree):
    """The path of every leaf, read off the level matrix."""
    return [[labels[node] for labels, node in zip(tree.labels, nodes, strict=True)] for nodes in tree.up[:-1]]


def scrawls():
    """Rows over so few labels that most are no hierarchy."""
    width = st.integers(1, 3)
    return width.flatmap(
        lambda w: st.lists(
            st.lists(st.sampled_from("abcde*"), min_size=w, max_size=w), min_size=1, max_size=5
        )
    ).map(lambda rows: [[*row, "*"] for row in rows])


@given(strategies.hierarchies())
def test_every_node_is_an_interval_and_the_leaves_of_its_label(paths):
    tree = Hierarchy.from_paths("x", paths)
    sets = leaf_sets(paths)
    assert sorted(tree.leaves) == sorted(path[0] for path in paths)
    for level in range(tree.height + 1):
        nodes = tree.up[: tree.size, level]
        assert (np.diff(nodes) >= 0).all()
        for node in np.unique(nodes):
            lo, hi = tree.spans[level][node]
            label = tree.labels[level][node]
            assert np.flatnonzero(nodes == node).tolist() == list(range(lo, hi))
            assert set(tree.leaves[lo:hi]) == sets[level, label]
            assert tree.places[label] == (lo, hi)
    assert sum(len(np.unique(tree.up[: tree.size, level])) for level in range(tree.height + 1)) == len(sets)


@given(strategies.hierarchies())
def test_an_uncovered_missing_value_is_the_root_on_every_level(paths):
    tree = Hierarchy.from_paths("x", paths)
    for level in range(tree.height + 1):
        node = tree.up[tree.size, level]
        assert node == len(tree.labels[level]) - 1
        assert tree.labels[level][node] == tree.root
        assert tree.spans[level][node].tolist() == [0, tree.size]


@settings(max_examples=300)
@given(scrawls())
@example([["a", "a", "*"], ["b", "*", "*"], ["*", "*", "*"]])
@example([["a", "a", "*"], ["a", "*", "*"], ["b", "a", "*"]])
def test_a_fault_is_found_at_the_line_where_the_rows_first_contradict(paths):
    lines = [10 * row for row in range(1, len(paths) + 1)]
    kind = next((kind for kind, wrong in FAULTS.items() if wrong(paths)), None)
    if kind is None:
        tree = Hierarchy.from_paths("x", paths, lines=lines)
        assert {tree.leaves[code]: [*path] for code, path in enumerate(rows(tree))} == {
            p[0]: p for p in paths
        }
        return
    with pytest.raises(HierarchyError, match=kind) as error:
        Hierarchy.from_paths("x", paths, lines=lines)
    assert f"hierarchy 'x', line {10 * first_line(FAULTS[kind], paths)}: " in str(error.value)
    assert error.value.value in {label for path in paths for label in path}


def test_rows_are_named_where_there_are_no_lines():
    with pytest.raises(HierarchyError, match=r"'x', row 2: .* two parents, here and on row 1;"):
        Hierarchy.from_paths("x", [["a", "b", "*"], ["a", "c", "*"]])


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([], "no rows"),
        ([["a", "*"], ["b", "+"]], "row 2: the row does not end in the root of row 1"),
        ([["a", "*"], ["b", "c", "*"]], "row 2: 3 labels, but the first row has 2"),
        ([["a", "b", "*"], ["c", "", "*"]], "row 2: an empty label stands above a value"),
        ([["", ""]], "row 1: an empty label stands above a value"),
        ([["a", ""], ["b", ""]], "row 1: an empty label stands above a value"),
    ],
)
def test_what_is_no_hierarchy_is_refused(paths, message):
    with pytest.raises(HierarchyError, match=message):
        Hierarchy.from_paths("x", paths)


def test_a_level_that_is_the_root_already_takes_the_missing_value():
    tree = Hierarchy.from_paths("x", [["a", "*", "*"], ["b", "*", "*"]])
    assert tree.labels == (("a", "b", "*"), ("*",), ("*",))
    assert tree.up.tolist() == [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    assert [len(spans) for spans in tree.spans] == [3, 1, 1]


def test_identical_rows_are_one():
    assert Hierarchy.from_paths("x", [["a", "*"], ["b", "*"], ["a", "*"]]).leaves == ("a", "b")


@given(strategies.hierarchies(), st.lists(st.sampled_from((*strategies.VALUES, None)), max_size=8))
def test_encoding_gives_each_cell_its_leaf_and_a_missing_one_d(paths, cells):
    tree = Hierarchy.from_paths("x", paths)
    codes = tree.encode(Column.of("x", "quasi", cells))
    assert codes.dtype == np.int32
    assert [(*tree.leaves, None)[code] for code in codes] == cells


def test_a_leaf_may_cover_the_missing_cells():
    tree = Hierarchy.from_paths("x", [["a", "*"], ["?", "*"], ["", "*"]])
    column = Column.of("x", "quasi", ["a", None])
    assert tree.encode(column).tolist() == [0, 3]
    assert tree.covering(["?"]).encode(column).tolist() == [0, 1]
    assert tree.covering([]).encode(column).tolist() == [0, 2]
    assert tree.missing is None


def test_strangers_are_counted_and_never_named():
    tree = Hierarchy.from_paths("x", [["a", "*"], ["b", "*"]])
    column = Column.of("age", "quasi", ["a", "secret", None, "b", "other", "secret"])
    with pytest.raises(
        HierarchyError, match=r"2 distinct value\(s\) in 3 record\(s\), first in record 2"
    ) as error:
        tree.encode(column)
    assert error.value.value == ("secret", "other")
    assert "secret" not in str(error.value)


def test_values_of_the_vocabulary_that_no_record_holds_are_no_fault():
    tree = Hierarchy.from_paths("x", [["a", "*"], ["b", "*"]])
    column = Column("x", "quasi", ("a", "z"), np.array([0, 0], dtype=np.int32))
    assert tree.encode(column).tolist() == [0, 0]


# A column that no method may coarsen.


def test_it_has_one_level_and_no_root():
    column, hierarchy = fixed_column("earlier", np.array([2, 0, 1, 0]))
    assert hierarchy.height == 0
    assert hierarchy.root not in hierarchy.leaves
    assert hierarchy.encode(column).tolist() == [2, 0, 1, 0]


def test_classes_never_cross_it():
    """Without it, level 0 would do; the two earlier classes cut one of its classes in two."""
    ages = Column.of("age", "quasi", ["21", "21", "22", "22"])
    tree = Hierarchy.from_paths("age", [["21", "2x"], ["22", "2x"]])
    column, fixed = fixed_column("earlier", np.array([0, 1, 0, 1]))
    alone = optimal(Table((ages,)), {"age": tree}, KAnonymity(2)).release
    beside = optimal(Table((ages, column)), {"age": tree, "earlier": fixed}, KAnonymity(2)).release
    assert alone.rule["levels"] == {"age": 0}
    assert beside.rule["levels"] == {"age": 1, "earlier": 0}
