"""Baskets from wherever people keep them."""

import gzip

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.data import Baskets
from shoal.hierarchy import Hierarchy
from shoal.io.read.baskets import group_baskets, join_baskets, prefix_hierarchy, prefix_items, read_baskets
from shoal.io.read.source import Source
from shoal.io.read.table import read

words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=3)
baskets = st.lists(st.lists(words, max_size=4), min_size=1, max_size=6)


def same(found: Baskets, expected: Baskets) -> bool:
    return (
        found.values == expected.values
        and found.start.tolist() == expected.start.tolist()
        and found.items.tolist() == expected.items.tolist()
        and found.sensitive == expected.sensitive
    )


@settings(max_examples=60)
@given(rows=baskets, separator=st.sampled_from([None, " ", ";", ", "]))
def test_text_and_lists_give_the_same_baskets(rows, separator):
    expected = Baskets.of("i", rows, ["zz"])
    text = pl.DataFrame({"i": [(separator or "\t ").join(row) for row in rows]})
    lists = pl.DataFrame({"i": pl.Series(rows, dtype=pl.List(pl.String))})
    assert same(read_baskets(Source(text), "i", separator=separator, sensitive=["zz"]), expected)
    assert same(read_baskets(Source(lists), "i", sensitive=["zz"]), expected)


def test_json_lists_in_text_are_read():
    frame = pl.DataFrame({"i": ['["a b", "c"]', None, "[]"]})
    assert same(read_baskets(Source(frame), "i"), Baskets.of("i", [["a b", "c"], [], []]))
    with pytest.raises(InputError, match="not a JSON list"):
        read_baskets(Source(pl.DataFrame({"i": ["[a", "[]"]})), "i")


def test_fimi_files_hold_one_basket_a_line(tmp_path):
    plain, packed = tmp_path / "x.dat", tmp_path / "y.dat.gz"
    plain.write_text("3 1 2 \n\n2 2\n")
    packed.write_bytes(gzip.compress(b"3 1 2\n\n2 2"))
    for file in (plain, packed):
        found = read_baskets(read(file), "items")
        assert found.start.tolist() == [0, 3, 3, 4]
        assert found.values == ("1", "2", "3")


def test_garbage_in_a_fimi_file_is_named_by_its_line(tmp_path):
    path = tmp_path / "x.dat"
    path.write_text("1 2\n3 x4\n")
    with pytest.raises(InputError, match=r"x\.dat, line 2: a .dat file holds whole numbers") as caught:
        read(path)
    assert "x4" not in str(caught.value)


@pytest.mark.parametrize("format", ["parquet", "ndjson"])
def test_lists_in_files_are_read_where_asked_for(tmp_path, format):
    path = tmp_path / f"x.{format}"
    frame = pl.DataFrame({"i": [["a", "b"], []], "n": [1, 2]})
    getattr(frame, f"write_{format}")(path)
    assert same(read_baskets(read(path, nested=["i"]), "i"), Baskets.of("i", [["a", "b"], []]))
    with pytest.raises(InputError, match="nested"):
        read(path)


def test_wrong_columns_are_refused():
    with pytest.raises(InputError, match="no column 'x'"):
        read_baskets(Source(pl.DataFrame({"i": ["a"]})), "x")
    with pytest.raises(InputError, match="lists in a list"):
        read_baskets(Source(pl.DataFrame({"i": [[["a"]]]})), "i")
    with pytest.raises(InputError, match="separator is empty"):
        read_baskets(Source(pl.DataFrame({"i": ["a"]})), "i", separator="")


@settings(max_examples=40)
@given(rows=st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("abcd ")), min_size=1, max_size=8))
def test_a_long_table_gives_one_basket_a_person(rows):
    frame = pl.DataFrame(
        {"who": [who for who, _ in rows], "what": [what for _, what in rows], "at": ["x"] * len(rows)}
    )
    people = list(dict.fromkeys(who for who, _ in rows))
    expected = [[what for name, what in rows if name == who and what != " "] for who in people]
    found, beside = group_baskets(Source(frame), "what", "who", sensitive=["zz"])
    assert same(found, Baskets.of("what", expected, ["zz"]))
    assert beside.frame.rows() == [(who, "x") for who in people]


def test_long_tables_that_contradict_themselves_are_refused():
    frame = pl.DataFrame({"who": ["p", "p", None], "what": ["a", "b", "c"], "sex": ["f", "m", "f"]})
    with pytest.raises(InputError, match="first record 3, name no person"):
        group_baskets(Source(frame), "what", "who")
    with pytest.raises(InputError, match="column 'sex': rows of one person differ"):
        group_baskets(Source(frame[:2]), "what", "who")
    with pytest.raises(InputError, match="no column 'x'"):
        group_baskets(Source(frame), "what", "x")


def test_a_basket_of_a_hundred_thousand_items(tmp_path):
    path = tmp_path / "x.dat"
    path.write_text("1\n" + " ".join(map(str, range(100_000))) + "\n")
    assert read_baskets(read(path), "items").start.tolist() == [0, 1, 100_001]


# Baskets from a long table, and several items columns as one.

PEOPLE = Source(pl.DataFrame({"id": [30, 10, 20], "age": [1, 2, 3]}), name="people.csv")


def long(who, code, missing=()):
    return Source(pl.DataFrame({"who": who, "code": code}), name="visits.csv", missing=missing)


def texts(baskets):
    return [[baskets.values[code] for code in baskets.basket(row)] for row in range(baskets.n)]


@settings(max_examples=40)
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


baskets_of_long_items = st.lists(st.frozensets(st.sampled_from("abc")), min_size=3, max_size=3)


@settings(max_examples=30)
@given(baskets_of_long_items, baskets_of_long_items)
def test_columns_become_one(left, right):
    one = prefix_items([Baskets.of("t", left, sensitive="a"), Baskets.of("s", right)])
    expected = [
        sorted([f"t.{x}" for x in mine] + [f"s.{x}" for x in yours])
        for mine, yours in zip(left, right, strict=True)
    ]
    assert texts(one) == expected
    assert list(one.values) == sorted(one.values)
    assert [one.values[code] for code in one.sensitive] == ["t.a"]
    assert one.name == "items"


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


@pytest.mark.parametrize(
    "cells", [["tea;n/a", "n/a", "ale; n/a;rum"], [["tea", "n/a"], ["n/a"], ["ale", "n/a", "rum"]]]
)
def test_what_means_no_value_is_no_item(cells):
    source = Source(pl.DataFrame({"bought": cells}), missing=("rum",))
    baskets = read_baskets(source, "bought", separator=";", missing=("n/a",))
    assert baskets.values == ("ale", "rum", "tea"), "what means no value in other columns may be an item"
    assert baskets.start.tolist() == [0, 1, 1, 3]
