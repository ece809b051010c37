import numpy as np
import pytest

from shoal.hierarchy import Hierarchy
from shoal.release import PublishedValues
from shoal.shapes.released_values import guess_leaf_counts, levels_of, places_of, sort_values

ZIP = Hierarchy.from_paths("zip", [[f"8{town}", f"8{town // 2}x", "8**", "*"] for town in (3, 2, 1, 0)])


def test_a_node_has_the_lowest_level_that_tells_as_much():
    """The root stands behind the nodes of every level, for missing cells; that is not where its label is."""
    counts = {"80": 4, "81": 1, "80x": 3, "8**": 5, "{80, 83}": 2, None: 9}
    found = levels_of("zip", counts, ZIP)
    assert (found.values, found.height) == (4, 3)
    assert found.found == [(0, 5, ["80", "81"]), (1, 3, ["80x"]), (2, 5, ["8**"]), (None, 2, ["{80, 83}"])]


def test_values_beside_a_hierarchy_are_not_counted():
    """They may be of people who were left out: no number and no level of a label depends on them."""
    counts = {"80": 4, "8**": 5, "*": 2}
    assert levels_of("zip", counts, ZIP.beside(["99", "7"])) == levels_of("zip", counts, ZIP)


def test_values_stand_in_the_order_of_their_hierarchy():
    forms = PublishedValues.of_level(ZIP, 1)
    told = sort_values({"80x": 9, "81x": 1}, places_of(forms, ZIP))
    assert [label for label, _ in told] == list(ZIP.labels[1][:2])
    assert [label for label, _ in sort_values({"80x": 9, "81x": 1})] == ["80x", "81x"]


@pytest.mark.parametrize(
    ("counts", "order"),
    [
        ({"100": 1, "20": 2, "-3.5": 3}, ["-3.5", "20", "100"]),
        ({"b": 1, "a": 1, "c": 5}, ["c", "b", "a"]),
        ({"3": 1, "unknown": 5}, ["unknown", "3"]),
        ({"*": 3}, ["*"]),
        ({None: 3}, [None]),
        ({}, []),
    ],
)
def test_without_a_hierarchy_numbers_stand_in_their_order_and_words_by_frequency(counts, order):
    assert [label for label, _ in sort_values(counts)] == order


def test_a_reader_guesses_that_all_leaves_are_equally_likely():
    forms = PublishedValues.of_sets(
        ["a", "b or c"], [np.array([0], dtype=np.int32), np.array([1, 2], dtype=np.int32)]
    )
    assert guess_leaf_counts(forms, np.array([3, 4]), 4).tolist() == [3, 2, 2, 0]
