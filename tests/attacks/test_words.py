"""What published words stand for."""

import numpy as np
import pytest
from hypothesis import given

import strategies
from shoal.attacks.words import covering, groups, leaves_under, turned
from shoal.hierarchy import Hierarchy

ILL = [["flu", "lung", "*"], ["cold", "lung", "*"], ["gout", "gout", "*"]]
TREE = Hierarchy.from_paths("ill", ILL)


@pytest.mark.parametrize(
    ("entry", "leaves"),
    [
        ("flu", {"flu"}),
        ("lung", {"flu", "cold"}),
        ("gout", {"gout"}),
        ("*", {"flu", "cold", "gout"}),
        ("strange", {"strange"}),
        (("flu", "gout"), {"flu", "gout"}),
    ],
)
def test_an_entry_stands_for_the_values_below_it(entry, leaves):
    assert set(leaves_under(entry, TREE)) == leaves


def test_without_a_hierarchy_a_word_stands_for_itself():
    assert leaves_under("flu", None) == ("flu",)
    assert groups(("flu",), None) == (None,)


@given(strategies.hierarchies())
def test_labels_stand_for_what_the_hierarchy_says(paths):
    tree = Hierarchy.from_paths("q", paths)
    for label, (low, high) in tree.places.items():
        assert set(leaves_under(label, tree)) == set(tree.leaves[low:high])
    labels = tuple(tree.places)
    start, found = covering(labels, tree.leaves, tree)
    for code, leaf in enumerate(tree.leaves):
        over = {labels[entry] for entry in found[start[code] : start[code + 1]]}
        assert over == set(next(path for path in paths if path[0] == leaf))


def test_the_next_group_is_no_root():
    assert groups(("flu", "gout", "strange"), TREE) == ("lung", None, None)


def test_lists_turn_round_and_back():
    lists = np.array([0, 2, 2, 3]), np.array([0, 1, 1])
    start, rows = turned(turned(lists, 2), 3)
    assert (start.tolist(), rows.tolist()) == ([0, 2, 2, 3], [0, 1, 1])
