from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.base.errors import HierarchyError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.labels import interval, leaves_of, numbers_of, read_range, refuse_lookalikes, set_label
from shoal.hierarchy.rules import build

AGES = Hierarchy.from_paths("age", [["7", "*"], ["20", "*"], ["20.5", "*"], ["34", "*"]])
NAMES = Hierarchy.from_paths("name", [['a "b"', "*"], ["c, d", "*"], ["é]", "*"], ["", "*"]]).covering(())

decimals = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9)


@given(st.tuples(decimals, decimals).map(sorted))
@settings(max_examples=80)
def test_ranges_come_back_as_they_went(ends):
    assert read_range(interval(*ends, closed=True)) == tuple(ends)


@given(low=decimals, high=decimals)
@settings(max_examples=80)
def test_a_range_stands_for_the_numbers_in_it(low, high):
    low, high = sorted((low / 10**7, high / 10**7))
    inside = [code for code, leaf in enumerate(AGES.leaves) if low <= Decimal(leaf) <= high]
    assert leaves_of(interval(low, high, closed=True), AGES).tolist() == inside


@given(st.sets(st.integers(0, 3), min_size=2))
@settings(max_examples=20)
def test_sets_come_back_as_they_went(codes):
    label = set_label(NAMES.leaves[code] for code in codes)
    assert leaves_of(label, NAMES).tolist() == sorted(codes)


def test_nodes_come_first_and_the_root_stands_for_missing_cells():
    assert leaves_of("20", AGES).tolist() == [1]
    assert leaves_of("*", AGES).tolist() == [0, 1, 2, 3, 4]
    assert leaves_of(None, AGES).tolist() == []
    assert leaves_of(None, NAMES).tolist() == [3]
    odd = Hierarchy.from_paths("q", [["1", "[1, 2]", "*"], ["2", "[1, 2]", "*"], ["3", "3", "*"]])
    assert leaves_of("[1, 2]", odd).tolist() == [0, 1]


HOSTILE = [
    "", "[", "[]", "[1, 2", "[2, 1]", "[1,2]", "[1, 2]]", "[nan, inf]", "[1e99, 1e999]", "[1, 2, 3]", "[0x1, 0x2]",
    "[1_0, 2_0]", '["', '["a"', '["7", 20]', '["7", ["20"]]', '["7", null]', '{"7": 1}', '["nobody"]', "['7', '20']",
    "[" * 5000, '["' + "x" * 2_000_000 + '"]', '[["' * 3000, "__import__('os')", "[1, 2]\n", "[٣, ٤]",
    "[" + "9" * 200 + ", " + "9" * 201 + "]",
]  # fmt: skip


@pytest.mark.parametrize("label", HOSTILE, ids=range(len(HOSTILE)))
def test_what_cannot_be_read_stands_for_no_leaf(label):
    assert leaves_of(label, AGES).tolist() == []
    assert leaves_of(label, NAMES).tolist() in ([], [3])  # the empty label is NAMES' leaf for missing cells


@given(st.text(max_size=30) | st.text('["], 0123456789.e+-', max_size=30))
@settings(max_examples=300)
def test_any_text_is_read_without_a_crash(label):
    for tree in (AGES, NAMES):
        codes = leaves_of(label, tree)
        assert codes.dtype == np.int32
        assert (np.diff(codes) > 0).all()


def test_numbers_rise_in_leaf_order_and_have_no_leading_zeros():
    def numbers(*leaves, missing=()):
        return numbers_of(Hierarchy.from_paths("q", [[leaf, "*"] for leaf in leaves]).covering(missing))

    assert numbers("1", "2.5", "10") == (Decimal(1), Decimal("2.5"), Decimal(10))
    assert numbers("0", "0.5", "1") is not None
    assert numbers("1", "?", "3", missing=("?",)) == (Decimal(1), None, Decimal(3))
    assert numbers("1", "10", "2") is None
    assert numbers("01069", "01070") is None
    assert numbers("1", "two") is None
    assert numbers("?", missing=("?",)) is None


def test_labels_that_read_like_other_leaves_are_refused():
    refuse_lookalikes(AGES)
    refuse_lookalikes(NAMES)
    refuse_lookalikes(
        Hierarchy.from_paths("q", [["1", "[1, 2]", "*"], ["2", "[1, 2]", "*"], ["3", "3", "*"]])
    )
    for label in ("[1, 3]", '["1", "3"]'):
        tree = Hierarchy.from_paths("q", [["1", label, "*"], ["2", label, "*"], ["3", "3", "*"]])
        with pytest.raises(HierarchyError, match="hierarchy 'q': a label reads like"):
            refuse_lookalikes(tree)


numbers = st.lists(st.integers(-500, 5000).map(str), min_size=2, max_size=30, unique=True)
codes = st.lists(st.text("ABC1", min_size=1, max_size=6), min_size=2, max_size=20, unique=True)


@pytest.mark.parametrize(
    ("values", "rule"),
    [(numbers, {"fanout": 3}), (codes, {"fanout": 3}), (codes, {"mask": "right"}), (codes, {"mask": "left"})],
    ids=["numbers", "groups", "right", "left"],
)
@given(data=st.data())
@settings(max_examples=60)
def test_labels_tell_of_what_is_held_alone_and_still_tell_the_truth(values, rule, data):
    found = data.draw(values)
    hierarchy = build("c", rule, found)
    held = np.array(data.draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found))))
    named = hierarchy.relabel(held)
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
            assert (values is codes and "fanout" in rule) or code in leaves_of(
                label, hierarchy
            )  # numbered groups
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
    shown = zips.relabel(np.array([leaf != "80123456" for leaf in zips.leaves]))
    assert {label for level in shown.labels for label in level} >= {"800*", "80**", "8***"}
    assert without.labels[1][0] == "800*"
    towns = build("town", {"fanout": 2}, list("abcdef"))
    shown = towns.relabel(np.array([True, True, False, False, True, True]))
    assert [shown.labels[1][node] for node in shown.up[[0, 1, 4, 5], 1]] == ["group 1 of 2"] * 2 + [
        "group 2 of 2"
    ] * 2


def test_groups_of_numbers_just_below_the_root_are_named_by_what_is_held():
    """One level between leaves and root is enough to tell of a number that is left out, by its bounds."""
    ages = build("age", {"fanout": 4}, ["11", "12", "13", "14", "998"])
    assert ages.height == 2
    assert ages.labels[1][:2] == ("[0, 500)", "[500, 1000)")
    shown = ages.relabel(np.array([leaf != "998" for leaf in ages.leaves]))
    assert shown.labels[1][0] == "[10, 20)"
