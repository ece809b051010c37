"""All values of a column grouped by a rule: the trees, and the words that name the buttons."""

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.base.errors import HierarchyError
from shoal.hierarchy import rules
from shoal.privacy import safe_harbor
from shoal.proposal import hierarchies as proposed
from shoal.web.pages import grouping
from shoal.web.pages.grouping import WAYS, list_ways, name_buttons

DAYS = [(date(2015, 1, 1) + timedelta(days=day)).isoformat() for day in range(1240)]
AGES = [str(age) for age in range(18, 91)]


def labels_of(tree, level):
    """The label of each value on a level."""
    return {row[0]: row[level] for row in tree.rows()}


def test_dates_become_months_quarters_and_years():
    made = grouping.group_by_calendar("admitted", DAYS, ["year", "month"])
    assert made.rule == {"dates": ["month", "year"]}
    assert labels_of(made.tree, 1) == {day: day[:7] for day in DAYS}
    assert labels_of(made.tree, 2) == {day: day[:4] for day in DAYS}
    assert set(labels_of(grouping.group_by_calendar("x", DAYS, ["quarter"]).tree, 1).values()) >= {"2015-Q1"}
    early = grouping.group_by_calendar("x", DAYS, ["year"], bottom=2017)
    assert set(labels_of(early.tree, 1).values()) == {"< 2017", "2017", "2018"}


def test_written_dates_keep_their_format_in_the_rule():
    made = grouping.group_by_calendar("x", ["31.12.1999", "05.03.2020"], ["year"])
    assert made.rule == {"dates": {"format": "%d.%m.%Y", "levels": ["year"]}}


@given(
    st.sets(st.integers(0, 300), min_size=2),
    st.sampled_from([(5,), (5, 10), (5, 10, 100), (7,)]),
    st.none() | st.integers(100, 200),
)
def test_ranges_hold_each_number(numbers, widths, top):
    made = grouping.group_by_ranges("n", [str(number) for number in numbers], widths, top=top)
    assert made.rule["ranges"] == list(widths)
    for level, width in enumerate(widths, start=1):
        for value, label in labels_of(made.tree, level).items():
            if top is not None and int(value) >= top:
                assert label == f">= {top}"
            else:
                low, high = map(int, label.strip("[)").split(", "))
                assert low <= int(value) < high
                assert low == int(value) // width * width
                assert high == (low + width if top is None else min(low + width, top))


def test_codes_are_ranges_only_where_somebody_says_so():
    made = grouping.group_by_ranges("zip", ["01067", "04103"], [1000])
    assert made.rule == {"ranges": [1000], "numbers": True}


def test_first_digits_keep_what_was_asked_for():
    codes = ["01067", "01069", "80331"]
    made = grouping.group_by_digits("zip", codes, [3, 1])
    assert made.tree.rows()[0] == ["01067", "010**", "0****", "*"]
    assert made.rule is None
    assert grouping.group_by_digits("zip", codes, [4, 3, 2, 1]).rule == {"mask": "right"}
    for wrong in ([], [5], [0], [1.5]):
        with pytest.raises(HierarchyError, match="from 1 to 4"):
            grouping.group_by_digits("zip", codes, wrong)


def test_quantiles_have_round_bounds_and_are_public():
    holders = {age: 10 for age in AGES}
    made = grouping.group_by_quantiles("age", holders, 4)
    assert made.public
    assert made.rule is None
    people = {}
    for value, label in labels_of(made.tree, 1).items():
        people[label] = people.get(label, 0) + holders.get(value, 0)
    assert len(people) == 4
    assert max(people.values()) <= 2 * min(people.values())
    assert all(int(bound) % 5 == 0 for label in people for bound in re.findall(r"\d+", label))
    with pytest.raises(HierarchyError, match="use ranges"):
        grouping.group_by_quantiles("age", {"1": 3, "2": 4}, 4)
    with pytest.raises(HierarchyError, match="use ranges"):
        grouping.group_by_quantiles("word", {"a": 3, "b": 4}, 4)


def test_what_a_public_hierarchy_lists_does_not_tell_who_is_in_the_data():
    holders = {age: 10 for age in AGES}
    values = {row[0] for row in grouping.group_by_quantiles("age", holders, 4).tree.rows()}
    assert values == set(map(str, range(100)))
    fewer = {age: people for age, people in holders.items() if age != "47"}
    assert {row[0] for row in grouping.group_by_quantiles("age", fewer, 4).tree.rows()} == values
    for numbers in (
        ["1.5", "2", "3", "4", "7.5"],
        [str(7919 * n) for n in range(40)],
        ["01", "02", "30", "44"],
    ):
        made = grouping.group_by_quantiles("n", dict.fromkeys(numbers, 10), 2)
        assert not made.public
        assert {row[0] for row in made.tree.rows()} == set(numbers)


def test_answers_stand_in_their_order():
    holders = dict.fromkeys(["Often", "Never", "Sometimes", "Always"], 30)
    order = grouping.propose_order("smoke", list(holders))
    assert order == ["Never", "Sometimes", "Often", "Always"]
    made = grouping.group_by_order("smoke", holders, order[::-1])
    assert [row[0] for row in made.tree.rows()] == order[::-1]
    assert not made.public
    for wrong in (order[:-1], [*order, "x"], [*order, "Never"]):
        with pytest.raises(HierarchyError, match="stand in the order once"):
            grouping.group_by_order("smoke", holders, wrong)


def test_a_vocabulary_says_what_it_does_not_know():
    made = grouping.group_by_vocabulary("icd", ["E11.9", "I10", "?"], "icd10")
    assert made.rule == {"vocabulary": "icd10"}
    assert "1 of 3 distinct values" in made.note
    fitting, others = grouping.list_vocabularies("icd", ["E11.9", "I10.0", "J45.1"])
    assert list(fitting) == ["icd10"]
    assert {"isco", "countries"} <= set(others)


def test_every_way_is_offered_where_it_fits():
    offered = {
        way
        for values in (DAYS, AGES, ["01067", "04103", "04109"], ["low", "mid", "high"])
        for way in list_ways(values)
    }
    assert offered == set(WAYS)
    assert list_ways([]) == []


@pytest.mark.parametrize(
    "module", [safe_harbor, proposed, rules], ids=["safe_harbor", "hierarchies", "rules"]
)
def test_no_rule_of_a_configuration_is_left_in_a_sentence(module):
    source = Path(module.__file__).read_text(encoding="utf-8")
    for quoted in re.findall(r"hierarchy = \{+ .*? \}+(?= |'|\"|$)", source):
        sentence = name_buttons(quoted.replace("{{", "{").replace("}}", "}"))
        assert "hierarchy =" not in sentence
        assert "under Hierarchies" in sentence


def test_rules_in_braces_become_buttons():
    text = 'a: hierarchy = { dates = { format = "%d.%m.%Y", levels = ["month", "year"] } } (or %m); b: x'
    assert name_buttons(text) == "a: “Months, quarters, years” under Hierarchies (or %m); b: x"
    assert name_buttons("hierarchy = { ranges = [1, 5], top = 90 }.") == (
        "“Ranges” under Hierarchies (1, 5, top = 90)."
    )
