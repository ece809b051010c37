"""Baskets from a long table, and several items columns as one."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data import Baskets
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.read.baskets import join_baskets, prefix_hierarchy, prefix_items
from shoal.io.read.source import Source

PEOPLE = Source(pl.DataFrame({"id": [30, 10, 20], "age": [1, 2, 3]}), name="people.csv")


def long(who, code, missing=()):
    return Source(pl.DataFrame({"who": who, "code": code}), name="visits.csv", missing=missing)


def texts(baskets):
    return [[baskets.values[code] for code in baskets.basket(row)] for row in range(baskets.n)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([30, 10, 20]), st.sampled_from("abc")), min_size=1))
def test_entries_come_to_their_people(pairs):
    baskets = join_baskets(PEOPLE, "id", long(*map(list, zip(*pairs, strict=True))), "who", "code")
    assert texts(baskets) == [sorted({item for who, item in pairs if who == key}) for key in (30, 10, 20)]
    assert baskets.values == tuple(sorted({item for _, item in pairs}))


def test_whole_floats_and_texts_are_one_key_and_missing_items_are_none():
    baskets = join_baskets(PEOPLE, "id", long([10.0, 20.0, 20.0], ["a", None, "?"], ("?",)), "who", "code")
    assert texts(baskets) == [[], ["a"], []]


def test_sensitive_items_have_codes_even_when_they_do_not_occur():
    baskets = join_baskets(PEOPLE, "id", long([10], ["b"]), "who", "code", sensitive=["HIV", "b"])
    assert baskets.values == ("HIV", "b")
    assert baskets.sensitive == {0, 1}


def test_keys_that_nobody_has_are_counted_and_not_shown():
    with pytest.raises(InputError, match=r"2 of 4 entries, first in row 2, name a key that nobody") as caught:
        join_baskets(PEOPLE, "id", long(["10", "999", "20", None], list("abcd")), "who", "code")
    assert "999" not in str(caught.value)
    assert "999" in caught.value.value


def test_people_need_one_key_each():
    with pytest.raises(InputError, match="2 records share a key"):
        join_baskets(Source(pl.DataFrame({"id": [1, 1, 2]})), "id", long([1], ["a"]), "who", "code")
    with pytest.raises(InputError, match=r"1 record\(s\) have no key"):
        join_baskets(Source(pl.DataFrame({"id": [1, None]})), "id", long([1], ["a"]), "who", "code")


@pytest.mark.parametrize(
    ("key", "owner", "item"), [("x", "who", "code"), ("id", "x", "code"), ("id", "who", "x")]
)
def test_columns_must_be_there(key, owner, item):
    with pytest.raises(InputError, match="no column 'x'"):
        join_baskets(PEOPLE, key, long([10], ["a"]), owner, item)


baskets = st.lists(st.frozensets(st.sampled_from("abc")), min_size=3, max_size=3)


@settings(max_examples=30, deadline=None)
@given(baskets, baskets)
def test_columns_become_one(left, right):
    one = prefix_items([Baskets.of("t", left, sensitive="a"), Baskets.of("s", right)], "both")
    expected = [
        sorted([f"t.{x}" for x in mine] + [f"s.{x}" for x in yours])
        for mine, yours in zip(left, right, strict=True)
    ]
    assert texts(one) == expected
    assert list(one.values) == sorted(one.values)
    assert [one.values[code] for code in one.sensitive] == ["t.a"]
    assert one.name == "both"


def test_columns_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="different length"):
        prefix_items([Baskets.of("t", [[]]), Baskets.of("s", [[], []])])
    with pytest.raises(InputError, match="different length"):
        prefix_items([])
    with pytest.raises(InputError, match="the same name"):
        prefix_items([Baskets.of("t", [[]]), Baskets.of("t", [[]])])


def test_hierarchies_of_several_columns_stand_side_by_side():
    deep = Hierarchy.from_paths("t", [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
    flat = Hierarchy.from_paths("s", [["a", "*"], ["b", "*"]], public=False)
    tree = prefix_hierarchy({"t": deep, "s": flat})
    assert tree.leaves == ("t.a", "t.b", "t.c", "s.a", "s.b")
    assert tree.root == "*"
    assert not tree.public
    assert tree.places["t.ab"] == (0, 2)
    assert tree.places["t.*"] == (0, 3)
    assert tree.places["s.*"] == (3, 5)
    assert tree.places["*"] == (0, 5)
