"""A stored rule for other records leaves out classes by whom the claim counts."""

import polars as pl
import pytest

import shoal
from shoal.anonymization.run import apply_recoding
from shoal.base.errors import UnkeptError

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
