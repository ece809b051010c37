"""Baskets from wherever people keep them."""

import gzip

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data import Baskets
from shoal.errors import InputError
from shoal.io.read.baskets import baskets_of, group_baskets
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


@settings(max_examples=60, deadline=None)
@given(rows=baskets, separator=st.sampled_from([None, " ", ";", ", "]))
def test_text_and_lists_give_the_same_baskets(rows, separator):
    expected = Baskets.of("i", rows, ["zz"])
    text = pl.DataFrame({"i": [(separator or "  ").join(row) for row in rows]})
    lists = pl.DataFrame({"i": pl.Series(rows, dtype=pl.List(pl.String))})
    assert same(baskets_of(Source(text), "i", separator=separator, sensitive=["zz"]), expected)
    assert same(baskets_of(Source(lists), "i", sensitive=["zz"]), expected)


def test_json_lists_in_text_are_read():
    frame = pl.DataFrame({"i": ['["a b", "c"]', None, "[]"]})
    assert same(baskets_of(Source(frame), "i"), Baskets.of("i", [["a b", "c"], [], []]))
    with pytest.raises(InputError, match="not a JSON list"):
        baskets_of(Source(pl.DataFrame({"i": ["[a", "[]"]})), "i")


def test_fimi_files_hold_one_basket_a_line(tmp_path):
    plain, packed = tmp_path / "x.dat", tmp_path / "y.dat.gz"
    plain.write_text("3 1 2 \n\n2 2\n")
    packed.write_bytes(gzip.compress(b"3 1 2\n\n2 2"))
    for file in (plain, packed):
        found = baskets_of(read(file), "items")
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
    assert same(baskets_of(read(path, nested=["i"]), "i"), Baskets.of("i", [["a", "b"], []]))
    with pytest.raises(InputError, match="nested"):
        read(path)


def test_wrong_columns_are_refused():
    with pytest.raises(InputError, match="no column 'x'"):
        baskets_of(Source(pl.DataFrame({"i": ["a"]})), "x")
    with pytest.raises(InputError, match="lists in a list"):
        baskets_of(Source(pl.DataFrame({"i": [[["a"]]]})), "i")
    with pytest.raises(InputError, match="separator is empty"):
        baskets_of(Source(pl.DataFrame({"i": ["a"]})), "i", separator="")


@settings(max_examples=40, deadline=None)
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
    assert baskets_of(read(path), "items").start.tolist() == [0, 1, 100_001]


def test_tabs_and_runs_of_blanks_separate_items():
    assert same(
        baskets_of(Source(pl.DataFrame({"i": ["a\t b ", "  "]})), "i"), Baskets.of("i", [["a", "b"], []])
    )
