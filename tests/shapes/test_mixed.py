"""A released table with baskets from its folder or beside originals: both parts of every row."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.io.config import check
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.shapes import mixed
from shoal.shapes.dataset import JudgingContext

VERIFICATION = mixed.MixedVerification()

ITEMS = "ale;drink;*\nrum;drink;*\npie;food;*\nHIV;ill;*\n"
AGES = "1;young;*\n2;young;*\n3;old;*\n"
ROLES = {"age": "quasi", "bought": "items", "ward": "plain"}
PEOPLE = {
    "age": ["1", "2", "3"],
    "bought": [["ale"], ["rum", "pie"], ["HIV", "pie"]],
    "ward": ["a", "b", "a"],
}


def rows(ages, lists, wards):
    return pl.DataFrame({"age": ages, "bought": [str(one).replace("'", '"') for one in lists], "ward": wards})


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "items.csv").write_text(ITEMS)
    (tmp_path / "age.csv").write_text(AGES)
    columns = {
        "age": {"role": "quasi", "hierarchy": "age.csv"},
        "bought": {"role": "items", "hierarchy": "items.csv", "sensitive": ["HIV"]},
        "ward": "plain",
    }
    return check({"data": {"path": "x.csv"}, "columns": columns}, folder=tmp_path)


@pytest.fixture
def originals(settings, tmp_path):
    trees = {"age": tmp_path / "age.csv", "bought": tmp_path / "items.csv"}
    return shoal.read(pl.DataFrame(PEOPLE), roles=ROLES, hierarchies=trees, sensitive={"bought": ["HIV"]})


def test_what_is_known(settings, originals, tmp_path):
    assert VERIFICATION.make_context(ROLES, None, None) == JudgingContext(ROLES, {}, None)
    told = VERIFICATION.make_context(ROLES, settings, None)
    assert set(told.hierarchies) == {"age", "bought"}
    assert told.hierarchies["bought"].places["drink"]
    assert told.secrets == {"HIV"}
    beside = VERIFICATION.make_context(ROLES, settings, originals)
    assert beside.hierarchies == {**originals.people.hierarchies, "bought": originals.hierarchy}
    assert beside.secrets == {"HIV"}
    assert beside.originals is originals
    columns = {"age": {"role": "quasi", "hierarchy": "age.csv"}, "bought": "items", "ward": "plain"}
    bare = check({"data": {"path": "x.csv"}, "columns": columns}, folder=tmp_path)
    assert set(VERIFICATION.make_context(ROLES, bare, None).hierarchies) == {"age"}


def test_both_parts_are_seen(settings):
    frame = rows(["old", "3", "young"], [["food"], ["pie"], ["HIV"]], ["a", "b", "c"])
    for known, ages, items, secrets in (
        (VERIFICATION.make_context(ROLES, settings, None), 3, 2, 1),
        (JudgingContext(ROLES), 3, 3, 0),
    ):
        seen = VERIFICATION.view_for_judge(frame, known, KKmAnonymity(2, 1))
        assert list(seen.table.quasi) == ["age"]
        assert len(set(seen.table.quasi["age"].tolist())) == ages
        assert len(set(seen.baskets.items.tolist())) == items
        assert len(seen.baskets.sensitive) == secrets


def test_what_stands_for_nothing(settings):
    known = VERIFICATION.make_context(ROLES, settings, None)
    good = rows(["old"], [["food"]], ["a"])
    assert VERIFICATION.find_unexpected(good, known, settings) is None
    said = VERIFICATION.find_unexpected(rows(["old"], [["food", "x"]], ["a"]), known, settings)
    assert said == "column 'bought': 1 items stand for nothing in the hierarchy of the configuration"
    assert "column 'age': 1 labels" in VERIFICATION.find_unexpected(
        rows(["x"], [["food"]], ["a"]), known, settings
    )


@pytest.mark.parametrize(
    ("ages", "lists", "wards", "left_out", "fits"),
    [
        (["young", "old"], [["drink"], ["food", "HIV"]], ["a", "a"], 0, True),
        (["young", "old"], [["drink"], ["food", "HIV"]], ["b", "a"], 0, False),
        (["young", "old"], [["drink"], ["food", "HIV"]], ["b", "a"], 1, True),
        (["old", "young"], [["drink"], ["food"]], ["a", "a"], 1, False),
        (["young", "young"], [["drink"], ["drink"]], ["a", "a"], 1, False),
        (["*", "*", "*"], [["drink"], ["drink"], ["drink"]], ["a", "b", "a"], 9, False),
    ],
)
def test_rows_that_originals_can_have_given(originals, settings, ages, lists, wards, left_out, fits):
    known = VERIFICATION.make_context(ROLES, settings, originals)
    assert bool(VERIFICATION.judge_provenance(rows(ages, lists, wards), known, left_out)) is fits


def test_rows_that_are_true_of_the_named_originals(originals, settings):
    known = replace(VERIFICATION.make_context(ROLES, settings, originals), rows=np.array([2, 0]))
    claim, secret = KKmAnonymity(2, 1), KLmDiversity(2, 2, 1)
    good = rows(["old", "young"], [["food", "HIV"], ["drink"]], ["a", "a"])
    for asked in (claim, secret):
        assert VERIFICATION.judge_rows(good, known, asked, 0)
        assert not VERIFICATION.judge_rows(good, replace(known, rows=np.array([2, 1])), asked, 0)
        assert not VERIFICATION.judge_rows(
            good.with_columns(age=pl.Series(["young", "young"])), known, asked, 0
        )
        assert not VERIFICATION.judge_rows(good.with_columns(ward=pl.Series(["a", "b"])), known, asked, 0)
        assert not VERIFICATION.judge_rows(good, known, asked, 1)
    hidden = rows(["old", "young"], [[["HIV", "pie"]], ["drink"]], ["a", "a"])
    assert VERIFICATION.judge_rows(hidden, known, claim, 0)
    assert not VERIFICATION.judge_rows(hidden, known, secret, 0)


def test_items_have_the_name_of_their_column():
    assert mixed._items_name(ROLES) == "bought"
    assert mixed._items_name({"age": "quasi"}) == "items"
