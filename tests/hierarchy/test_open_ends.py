"""Numbers that are only an end, 95+ or <20: every label above them is true, however far beyond they are."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.algorithms.local.mdav import mdav
from shoal.algorithms.local.mondrian import mondrian
from shoal.algorithms.local.mstk import mstk
from shoal.base.errors import HierarchyError, InputError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.labels import leaves_of, refuse_lookalikes
from shoal.hierarchy.rules import build
from shoal.hierarchy.suggest import number_hierarchy, word_hierarchy
from shoal.privacy import KAnonymity

ANY = (-math.inf, math.inf)
PLAIN = st.integers(0, 120).map(str)
ABOVE, BELOW = ("{}+", "{} and over", "> {}"), ("<{}", "{} or less")
ENDS = st.one_of(  # mostly where no other number is beyond: else a rule refuses them
    st.builds(str.format, st.sampled_from(ABOVE), st.integers(110, 130)),
    st.builds(str.format, st.sampled_from(BELOW), st.integers(-10, 10)),
    st.builds(str.format, st.sampled_from(ABOVE + BELOW), st.integers(0, 120)),
)
VALUES = st.tuples(
    st.lists(PLAIN, min_size=1, max_size=25), st.lists(ENDS, min_size=1, max_size=2)
).map(lambda both: list(dict.fromkeys([*both[0], *both[1]])))  # fmt: skip
RULES = st.sampled_from(
    [
        {"ranges": [10]}, {"ranges": [5, 20, 100]}, {"ranges": [10, 50], "top": 90}, {"ranges": [10], "bottom": 20},
        {"ranges": [5], "top": 100, "bottom": 15}, {"fanout": 2}, {"fanout": 5},
    ]
)  # fmt: skip


def meant(value):
    """The least and the largest whole number that a value may be."""
    for words, of in (
        ((" or less",), lambda n: (-math.inf, n)),
        (("+", " and over"), lambda n: (n, math.inf)),
    ):
        for word in words:
            if value.endswith(word):
                return of(int(value.removesuffix(word)))
    if value.startswith("<"):
        return -math.inf, int(value[1:]) - 1
    return (int(value[2:]) + 1, math.inf) if value.startswith("> ") else (int(value), int(value))


def told(label):
    """The least and the largest whole number that a label allows."""
    if label is None or label == "*":
        return ANY
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return int(low), int(high) - label.endswith(")")
    if label.startswith(">= "):
        return int(label[3:]), math.inf
    if label.startswith("<= "):
        return -math.inf, int(label[3:])
    return (-math.inf, int(label[2:]) - 1) if label.startswith("< ") else meant(label)


def is_true(label, value):
    (low, high), (least, most) = told(label), meant(value)
    return low <= least and most <= high


def every_label_is_true(hierarchy, held):
    return all(
        is_true(hierarchy.labels[level][node], hierarchy.leaves[code])
        for code in np.flatnonzero(held).tolist()
        for level, node in enumerate(hierarchy.up[code].tolist())
    )


def built(rule, values):
    """The hierarchy, or why it is refused."""
    try:
        return build("age", rule, values), ""
    except HierarchyError as refused:
        return None, str(refused)


@given(VALUES, RULES, st.data())
def test_every_label_of_a_rule_is_true_of_every_value_below_it(values, rule, data):
    made, why = built(rule, values)
    if made is None:
        assert "only an end" in why
        return
    assert every_label_is_true(made, np.ones(made.size, dtype=bool))
    held = np.array(data.draw(st.lists(st.booleans(), min_size=made.size, max_size=made.size)))
    renamed = made.relabel(held)  # after records were left out
    assert every_label_is_true(renamed, held)
    for level in range(1, made.height) if held.any() else ():
        for code in np.flatnonzero(held).tolist():
            label = renamed.labels[level][renamed.up[code, level]]
            assert code in leaves_of(label, made)


@given(VALUES, st.integers(1, 40))
def test_every_label_of_a_proposed_hierarchy_is_true(values, holders):
    made = number_hierarchy("age", values, np.full(len(values), holders))
    assert made is None or every_label_is_true(made, np.ones(made.size, dtype=bool))


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["17", "23", "85", "95+"], ("[10, 20)", "[20, 30)", "[80, 90)", ">= 90", "*")),
        (["17", "23", "85", "95+", "97"], ("[10, 20)", "[20, 30)", "[80, 90)", ">= 90", "*")),
        (["<20", "23", "31"], ("< 20", "[20, 30)", "[30, 40)", "*")),
        (["<20", "25", "31 and over"], ("< 20", "[20, 30)", ">= 30", "*")),
    ],
)
def test_a_class_that_holds_an_end_is_open(values, labels):
    assert build("age", {"ranges": [10]}, values).labels[1] == labels


def test_classes_are_open_on_every_level_up_to_the_root():
    ages = build("age", {"ranges": [10, 20, 100]}, ["<20", "45", "95+"])
    assert ages.labels[1:] == (
        ("< 20", "[40, 50)", ">= 90", "*"),
        ("< 20", "[40, 60)", ">= 80", "*"),
        ("*",),
        ("*",),
    )


def test_groups_of_neighbours_are_open_too():
    ages = build("age", {"fanout": 2}, ["21", "24", "35", "38", "95+"])
    assert [ages.labels[level][ages.up[ages.size - 1, level]] for level in (1, 2)] == [">= 50", ">= 50"]
    assert ages.labels[1][0] == "[20, 30)"


@pytest.mark.parametrize(
    ("rule", "values", "remedy"),
    [
        ({"ranges": [10]}, ["17", "95+", "103"], "set top no higher than the least of them"),
        ({"ranges": [10], "top": 100}, ["17", "95+", "103"], "set top no higher than the least of them"),
        ({"ranges": [10]}, ["7", "<20", "33"], "set bottom above the largest of them"),
        ({"fanout": 2}, ["17", "18", "50+", "81", "82", "83"], "set ranges in place of fanout"),
    ],
)
def test_numbers_beyond_an_end_are_refused_with_what_to_do(rule, values, remedy):
    with pytest.raises(HierarchyError, match=remedy) as refused:
        build("age", rule, values)
    assert not any(value in str(refused.value) for value in values)


def test_what_the_refusal_says_helps():
    assert build("age", {"ranges": [10], "top": 90}, ["17", "95+", "103"]).labels[1][1] == ">= 90"
    assert build("age", {"ranges": [10], "bottom": 20}, ["7", "<20", "33"]).labels[1][0] == "< 20"


def test_a_range_that_is_closed_does_not_stand_for_an_end():
    ages = Hierarchy.from_paths("age", [["80", "*"], ["90", "*"], ["95+", "*"]])
    assert leaves_of("[80, 95]", ages).tolist() == [0, 1]
    assert leaves_of(">= 80", ages).tolist() == [0, 1, 2]
    told_wrong = Hierarchy.from_paths(
        "age", [["80", "[80, 95]", "*"], ["95+", "[80, 95]", "*"], ["99", "99", "*"]]
    )
    with pytest.raises(HierarchyError, match="reads like a written range"):
        refuse_lookalikes(told_wrong)


def test_bands_that_go_beyond_their_group_are_listed():
    bands = ["18-29", "30+", "40-49", "50-59", "60-69", "70-79"]
    made = word_hierarchy("age", bands, np.full(6, 30))
    assert made.labels[1] == ("18-29, 30+ or 40-49", "50-79", "*")


AGES = ["20", "31", "47", "58", "80", "90", "95+", "97", "103", "<25"]
ROWS = st.lists(st.sampled_from(AGES), min_size=6, max_size=24)


@given(ROWS, st.sampled_from([mondrian, mstk]), st.booleans(), st.integers(2, 3))
def test_every_range_of_a_class_is_true_of_everybody_in_it(values, method, public, k):
    order = sorted(set(values), key=lambda value: (max(meant(value)[0], 0) or meant(value)[1], value))
    assume(len(order) > 1)
    ages = Hierarchy.from_paths("age", [[value, "*"] for value in order], public=public, ordered=True)
    table = Table((Column.of("age", "quasi", values),))
    made = method(table, {"age": ages}, KAnonymity(k), recode="span").release
    shown = [made.forms[0].labels[code] for code in made.codes[:, 0]]
    assert all(is_true(label, values[row]) for row, label in zip(made.rows.tolist(), shown, strict=True))


@pytest.mark.parametrize("recode", ["mean", "median"])
@pytest.mark.parametrize("method", [mdav, mstk])
def test_ends_have_no_mean(method, recode):
    values = ["21", "24", "33", "95+"]
    table = Table((Column.of("age", "quasi", values),))
    with pytest.raises(InputError, match="only an end, as in n\\+ or <n, of which there is no"):
        method(table, {"age": build("age", {"ranges": [10]}, values)}, KAnonymity(2), recode=recode)
