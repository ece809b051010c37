"""Top and bottom coding in ranges: how far values go beyond is not told, and what is told is true."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.hierarchy import files
from shoal.hierarchy.intervals import interval
from shoal.hierarchy.labels import leaves_of, read_range
from shoal.hierarchy.rules import build

RULE = {"ranges": [10, 20], "top": 90, "bottom": 18}


def released(ages, k, method="mstk"):
    data = shoal.read(pl.DataFrame({"age": ages}), roles={"age": "quasi"}, hierarchies={"age": RULE})
    return shoal.anonymize(data, k=k, method=method, recode="span", grid=1)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 120), min_size=4, max_size=12), st.sampled_from(["mstk", "mondrian"]))
def test_ranges_do_not_tell_how_far_values_go(ages, method):
    release = released(ages, 2, method)  # judged and true, or refused
    for label in release.data["age"]:
        ends = read_range(label)
        if ends is not None and ends[1].is_finite():
            assert ends[1] < 90
        if ends is not None and ends[0].is_finite():
            assert ends[0] >= 18


@pytest.mark.parametrize(
    ("ages", "labels"),
    [
        ([91, 104, 30, 31], {">= 90", "[30, 31]"}),
        ([3, 17, 30, 31], {"< 18", "[30, 31]"}),
        ([85, 104, 30, 31], {">= 85", "[30, 31]"}),
        ([17, 20, 60, 61], {"<= 20", "[60, 61]"}),
        ([3, 104], {"*"}),
    ],
)
def test_what_is_written(ages, labels):
    assert set(released(ages, 2).data["age"]) == labels


def test_open_ranges_are_read_as_they_are_written():
    ages = [str(age) for age in (3, 17, 18, 40, 85, 90, 104)]
    tree = build("age", RULE, ages)
    for label, held in [(">= 85", "85 90 104"), ("<= 18", "3 17 18"), (">= 90", "90 104"), ("< 18", "3 17")]:
        assert [tree.leaves[code] for code in leaves_of(label, tree)] == held.split()
    for ends in [read_range(">= 85"), read_range("<= 17.5")]:
        low, high = (end if end.is_finite() else None for end in ends)
        assert read_range(interval(low, high, closed=True)) == ends
    for strange in (">= ", ">=85", ">= x", "<= 1e999", "> 5", ">= 5 "):
        assert read_range(strange) is None


def test_a_file_may_say_where_values_end(tmp_path):
    ages = [91, 104, 30, 31, 3, 17, 85, 97]
    files.write(build("age", RULE, [str(age) for age in ages]), tmp_path / "age.csv")
    frame = pl.DataFrame({"age": ages})
    data = shoal.read(frame, roles={"age": "quasi"}, hierarchies={"age": tmp_path / "age.csv"})
    assert data.hierarchies["age"].public
    release = shoal.anonymize(data, k=2, method="mondrian", recode="span")
    assert {">= 85", "< 18"} <= set(release.data["age"])
    assert not any("104" in label or "97" in label for label in release.data["age"])
