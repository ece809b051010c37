"""A stored rule for other records leaves out classes by whom the claim counts."""

import json

import polars as pl
import pytest

import shoal
from shoal.anonymization.run import apply_recoding
from shoal.base.errors import UnkeptError
from shoal.hierarchy import Hierarchy

RULE = {"shape": "table", "levels": {"age": 0}}


def visits(*ages):
    """Each person came three times; the last one alone is of the last age."""
    rows = [(f"p{place}", age) for place, age in enumerate(ages) for _ in range(3)]
    frame = pl.DataFrame(rows, schema=["who", "age"], orient="row")
    return shoal.read(frame, roles={"age": "quasi"}, person="who", hierarchies={"age": {"ranges": [10]}})


def test_a_class_of_many_rows_and_few_people_is_left_out():
    made = apply_recoding(visits("31", "31", "31", "52"), RULE, k=3, suppress=0.25)
    assert made.data["age"].to_list() == ["31"] * 9


def test_a_class_of_few_people_is_refused_where_nobody_may_be_left_out():
    with pytest.raises(UnkeptError, match="refused"):
        apply_recoding(visits("31", "31", "31", "52"), RULE, k=3)


AGES = [[str(age), f"{age // 10}*", "young" if age < 40 else "old", "*"] for age in range(20, 60)]


def aged(*ages):
    tree = Hierarchy.from_paths("age", AGES)
    return shoal.read(
        pl.DataFrame({"age": list(map(str, ages))}), roles={"age": "quasi"}, hierarchies={"age": tree}
    )


def test_groups_of_different_width_are_a_rule_for_other_records():
    made = shoal.anonymize(aged(*[21] * 3, *[22] * 3, *range(40, 59, 6)), k=3, method="column-cut", seed=1)
    rule = json.loads(json.dumps(made.recoding))
    assert sorted(rule["cuts"]["age"]) == ["21", "22", "old"]
    again = apply_recoding(aged(*[22] * 4, 41, 53, 55), rule, k=3, seed=1)
    assert sorted(again.data["age"].to_list()) == [*["22"] * 4, *["old"] * 3]
    assert again.recoding["cuts"] == rule["cuts"]
    few = apply_recoding(aged(*[22] * 4, 41, 53), rule, k=3, suppress=0.4, seed=1)
    assert few.data["age"].to_list() == ["22"] * 4
    with pytest.raises(UnkeptError):
        apply_recoding(aged(*[22] * 4, 41, 53), rule, k=3, seed=1)


def test_values_below_no_group_are_in_the_widest_node_that_holds_none():
    rule = {"shape": "table", "cuts": {"age": ["21", "3*"]}}
    again = apply_recoding(aged(*[21] * 2, *[25] * 2, *[31, 37], *[45, 59]), rule, k=2, seed=1)
    assert sorted(set(again.data["age"].to_list())) == ["21", "25", "3*", "old"]


@pytest.mark.parametrize("cuts", [[], {"age": "21"}, {"age": [1]}, {"town": ["a"]}])
def test_cuts_that_are_none_are_refused(cuts):
    with pytest.raises(shoal.InputError, match="recoding: its c"):
        apply_recoding(aged(21, 21), {"cuts": cuts}, k=2)
