"""A table and its baskets belong together; spellings of one value are one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_written
from shoal.base.errors import InputError
from shoal.data import Baskets, Column, Mixed, Table
from shoal.data.spelling import normalize_value
from strategies import UNSEEN, decorated

AGES = Column.of("age", "quasi", ["20", "30"])


def test_a_record_has_a_row_and_a_basket():
    assert Mixed(Table((AGES,)), Baskets.of("items", [["a"], []])).n == 2


def test_a_record_without_a_basket_is_refused():
    with pytest.raises(InputError, match="1 baskets for 2 records"):
        Mixed(Table((AGES,)), Baskets.of("items", [["a"]]))


def test_a_person_has_one_record():
    baskets = Baskets.of("items", [["a"], ["b"]])
    assert Mixed(Table((AGES,), np.array([4, 9])), baskets).n == 2
    with pytest.raises(InputError, match="1 of 2 rows repeat a person"):
        Mixed(Table((AGES,), np.array([4, 4])), baskets)


@pytest.mark.parametrize(
    "texts",
    [
        ("HIV", "hiv", " hiv ", "Hiv"),
        ("1", "1.0", "1e0", "+1", "1."),
        ("0", "-0", "0.0"),
        ("a  b", "A b", "a\u00a0b", "a\u2800b", "a\u2003\tb"),
        ("HIV", *(f"H{sign}IV{sign}" for sign in UNSEEN)),
        ("12", "1\u200b2", "\ufeff12.0"),
        ("é", "e\u0301", "e\u034f\u0301"),
        ("", " ", "\u200b", "\x00 \u00ad"),
    ],
)
def test_spellings_of_one_value_are_alike(texts):
    assert len({normalize_value(text) for text in texts}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("HIV1", "HIV2"), ("007", "7"), ("1.5", "15"), ("infinity", "inf"), ("a b", "ac")]
)
def test_other_values_are_not(one, other):
    assert normalize_value(one) != normalize_value(other)


@given(text=st.text(max_size=8), data=st.data())
def test_what_nobody_sees_makes_no_other_value(text, data):
    assert normalize_value(data.draw(decorated(text))) == normalize_value(text)
    assert normalize_value(normalize_value(text)) == normalize_value(text)


def test_the_slow_twin_leaves_out_the_same_characters():
    """Of all characters there are."""
    signs = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    left_out = [sign for sign in signs if normalize_value.__wrapped__(f"1{sign}2#") == "12#"]
    assert left_out == [sign for sign in signs if naive_written.unseen(sign)]
    assert set(UNSEEN) <= set(left_out)


def test_a_column_in_one_spelling_keeps_its_records():
    column = Column.of("ill", "sensitive", ["HIV", "flu", " hiv", None, "  ", "FLU", "\u200bflu"])
    assert column.in_one_spelling().cells() == ["HIV", "flu", "HIV", None, None, "flu", "flu"]
    plain = Column.of("ill", "sensitive", ["a", "b"])
    assert plain.in_one_spelling() is plain
