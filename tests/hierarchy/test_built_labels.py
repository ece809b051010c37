import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.hierarchy.build import build
from shoal.hierarchy.wording import leaves_of

numbers = st.lists(st.integers(-500, 5000).map(str), min_size=2, max_size=30, unique=True)
codes = st.lists(st.text("ABC1", min_size=1, max_size=6), min_size=2, max_size=20, unique=True)


@pytest.mark.parametrize(
    ("values", "rule"),
    [(numbers, {"fanout": 3}), (codes, {"fanout": 3}), (codes, {"mask": "right"}), (codes, {"mask": "left"})],
    ids=["numbers", "groups", "right", "left"],
)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_labels_tell_of_what_is_held_alone_and_still_tell_the_truth(values, rule, data):
    found = data.draw(values)
    hierarchy = build("c", rule, found)
    held = np.array(data.draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found))))
    named = hierarchy.named_by(held)
    for level, labels in enumerate(named.labels):
        inside = {
            label
            for label, node in zip(labels, range(len(labels)), strict=True)
            if held[hierarchy.up[: hierarchy.size, level] == node].any()
        }
        for code in np.flatnonzero(held):
            label = labels[hierarchy.up[code, level]]
            assert label in inside
            assert code in leaves_of(label, named)
    if rule == {"mask": "right"} and held.any():
        longest = max(len(leaf) for leaf, seen in zip(hierarchy.leaves, held, strict=True) if seen)
        shown = {
            labels[hierarchy.up[code, level]]
            for level, labels in enumerate(named.labels)
            for code in np.flatnonzero(held)
        }
        assert max(map(len, shown)) <= longest


def test_what_is_left_out_leaves_no_trace_in_labels():
    zips = build("zip", {"mask": "right"}, ["8001", "8002", "80123456"])
    without = build("zip", {"mask": "right"}, ["8001", "8002"])
    shown = zips.named_by(np.array([leaf != "80123456" for leaf in zips.leaves]))
    assert {label for level in shown.labels for label in level} >= {"800*", "80**", "8***"}
    assert without.labels[1][0] == "800*"
    towns = build("town", {"fanout": 2}, list("abcdef"))
    shown = towns.named_by(np.array([True, True, False, False, True, True]))
    assert [shown.labels[1][node] for node in shown.up[[0, 1, 4, 5], 1]] == ["group 1 of 2"] * 2 + [
        "group 2 of 2"
    ] * 2


@pytest.mark.parametrize(
    ("values", "rule"), [(numbers, {"fanout": 3}), (codes, {"mask": "right"}), (codes, {"mask": "left"})]
)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_who_has_all_leaves_reads_the_labels_of_some(values, rule, data):
    found = data.draw(values)
    hierarchy = build("c", rule, found)
    held = np.array(data.draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found))))
    named = hierarchy.named_by(held)
    for level, labels in enumerate(named.labels):
        for code in np.flatnonzero(held):
            assert code in leaves_of(labels[hierarchy.up[code, level]], hierarchy)


def test_groups_of_numbers_just_below_the_root_are_named_by_what_is_held():
    """One level between leaves and root is enough to tell of a number that is left out, by its bounds."""
    ages = build("age", {"fanout": 4}, ["11", "12", "13", "14", "998"])
    assert ages.height == 2
    assert ages.labels[1][:2] == ("[0, 500)", "[500, 1000)")
    shown = ages.named_by(np.array([leaf != "998" for leaf in ages.leaves]))
    assert shown.labels[1][0] == "[10, 20)"
