"""Released files are seen to be written in the one way that they are written in, and in no other."""

from datetime import date, datetime
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.io.write import form
from shoal.io.write.form import (
    Spellings,
    _noncanonical_parquet,
    noncanonical_cells,
    noncanonical_file,
    noncanonical_lists,
)
from shoal.io.write.json_text import read_lists
from shoal.io.write.parquet_layout import read_parquet_layout
from shoal.io.write.table import PieceWriter, write

LETTERS = st.text(st.sampled_from("ab,'\"\n\r\t =-+@5.{}[]\\é\u2028𝄞"), max_size=8)
COLUMNS = {
    pl.String: LETTERS,
    pl.Int64: st.integers(-(2**40), 2**40),
    pl.Float64: st.floats(),
    pl.Boolean: st.booleans(),
    pl.Date: st.dates(date(1900, 1, 1), date(2100, 1, 1)),
    pl.Datetime: st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
    pl.Decimal(10, 2): st.integers(-(10**6), 10**6).map(lambda many: Decimal(many) / 100),
}


@st.composite
def frames(draw):
    kinds = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=4))
    rows = draw(st.integers(0, 6))
    return pl.DataFrame(
        {
            f"c{place}": pl.Series(
                draw(st.lists(st.none() | COLUMNS[kind], min_size=rows, max_size=rows)),
                dtype=kind,
                strict=False,
            )
            for place, kind in enumerate(kinds)
        }
    )


@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
@given(frame=frames())
def test_what_is_written_is_in_its_form(tmp_path_factory, format, frame):
    path = tmp_path_factory.mktemp("made") / f"data.{format}"
    write(frame, path, format)
    assert noncanonical_file(path, format) is None


@given(frame=frames(), size=st.integers(1, 40))
def test_a_large_file_is_looked_at_in_blocks(tmp_path_factory, frame, size):
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(form, "_BLOCK", size)
        for format in ("csv", "ndjson"):
            path = folder / f"data.{format}"
            write(frame, path, format)
            assert noncanonical_file(path, format) is None
            text = path.read_bytes()
            path.write_bytes(text + b" ")
            assert noncanonical_file(path, format) is not None


@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
def test_what_is_written_in_pieces_is_in_its_form(tmp_path, format):
    frame = pl.DataFrame({"a": ["x", "=y", None, "z, "] * 50, "b": [1.5, -0.0, 0.0, float("nan")] * 50})
    writer = PieceWriter(format, frozenset(["b"]))
    path = tmp_path / f"data.{format}"
    writer.whole(iter([writer.form(frame), writer.form(frame)]), path)
    assert noncanonical_file(path, format) is None


def test_types_change_between_blocks(tmp_path, monkeypatch):
    path = tmp_path / "data.ndjson"
    path.write_text('{"a":1}\n{"a":1.0}\n')
    assert noncanonical_file(path, "ndjson") is not None
    monkeypatch.setattr(form, "_BLOCK", 1)
    assert noncanonical_file(path, "ndjson") is not None
    path.write_text('{"a":0.0}\n{"a":-0.0}\n')
    assert noncanonical_file(path, "ndjson") is not None
    path.write_text('{"a":0.5}\n{"a":null}\n')
    assert noncanonical_file(path, "ndjson") is None


@pytest.mark.parametrize(
    "lines",
    [
        '{"items": ["a"], "n": 1}\n{"items": [], "n": 1.0}\n',
        '{"items": ["a"], "n": 0.0}\n{"items": [], "n": -0.0}\n',
        '{"items": ["a"], "n": ""}\n',
        '{"items": ["a"],"n": 1}\n',
        '{"items": ["\\u0061"], "n": 1}\n',
        '{"items": ["a"], "n": 1}',
        '{"items": ["a"], "n": 1, "n": 1}\n',
        '{"items": ["a"], "n": -0}\n',
    ],
)
def test_lists_in_lines(tmp_path, lines):
    path = tmp_path / "data.ndjson"
    path.write_text(lines)
    assert noncanonical_file(path, "ndjson", nested=["items"]) is not None
    path.write_text('{"items": ["a"], "n": 1}\n{"items": [], "n": null}\n')
    assert noncanonical_file(path, "ndjson", nested=["items"]) is None


@pytest.mark.parametrize(
    ("cells", "odd"),
    [
        (["[]", '["a", "b"]', '["b", "c"]', '[["a", "b"], "c"]'], None),
        (['["a", "b"]', '["b", "c"]', '["c", "a"]'], "another order"),
        (['["a", "a"]'], "another order"),
        (['["a", "b", "a"]'], "another order"),
        (['[["b", "a"]]'], "out of order"),
        (['[["a"]]'], "out of order"),
        (['[["a", "a"]]'], "out of order"),
        ([None], "form"),
        (['["a","b"]'], "form"),
        (['["\\u0061"]'], "form"),
        (["["], "form"),
        ([r'["\ud800"]'], "form"),
    ],
)
def test_lists_of_items(cells, odd):
    found = noncanonical_cells(pl.DataFrame({"items": pl.Series(cells, dtype=pl.String)}), ["items"])
    assert found is None if odd is None else odd in found


def test_lists_of_two_columns_share_one_order():
    one, other = read_lists(pl.Series(['["a", "b"]'])), read_lists(pl.Series(['["b", "a"]']))
    assert noncanonical_lists([one]) is None
    assert noncanonical_lists([other]) is None
    assert noncanonical_lists([one, other]) is not None
    assert noncanonical_lists([]) is None


@given(st.lists(st.permutations("abcd").map(lambda some: some[:3]), min_size=1, max_size=4))
def test_one_order_is_found_where_there_is_one(rows):
    from itertools import permutations

    cells = pl.Series([str(row).replace("'", '"') for row in rows])
    fits = any(
        all(list(row) == sorted(row, key=order.index) for row in rows) for order in permutations("abcd")
    )
    assert (noncanonical_lists([read_lists(cells)]) is None) == fits


# Parquet.


@pytest.mark.parametrize("rows", [0, 1, 7])
@pytest.mark.parametrize("size", [1, 3, None])
def test_row_groups(tmp_path, rows, size):
    path = tmp_path / "data.parquet"
    words = ["x" * 300, "y" * 64, "é" * 90, "\U0010ffff" * 40, "a", None, "z" * 63]
    frame = pl.DataFrame({"a": words, "b": [1, 2, None, 4, 5, 6, 7], "c": [True, None] * 3 + [False]})[:rows]
    frame.write_parquet(path, row_group_size=size)
    assert _noncanonical_parquet(path) is None


@given(st.lists(st.none() | st.text(max_size=90).filter(bool), max_size=5))
def test_any_texts(tmp_path_factory, words):
    path = tmp_path_factory.mktemp("made") / "data.parquet"
    pl.DataFrame({"a": words * 3}, schema={"a": pl.String}).write_parquet(path)
    assert _noncanonical_parquet(path) is None


def test_values_of_a_dictionary_that_no_record_has(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "data.parquet"
    for words, used in ((["flu", "gout"], True), (["flu", "gout", "Ann0 Miller"], False)):
        column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(words))
        pq.write_table(pa.table({"ill": column}), path, store_schema=False)
        layout = read_parquet_layout(path)
        (chunk,) = layout.chunks
        from shoal.io.write.form import _is_dictionary_used

        assert _is_dictionary_used(chunk, pl.Series(["flu", "gout"]), False) is used
    assert _noncanonical_parquet(path) is not None


def test_dictionaries_beside_plain_values(tmp_path):
    """Spark goes on without a dictionary where one grows too large; polars does not, and nor does shoal with Spark."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    from shoal.io.write.form import _is_dictionary_used

    path = tmp_path / "data.parquet"
    words = [f"{place:05}" for place in range(5000)]
    pq.write_table(pa.table({"a": words}), path, dictionary_pagesize_limit=1000, write_batch_size=100)
    (chunk,) = read_parquet_layout(path).chunks
    assert not _is_dictionary_used(chunk, pl.Series(words), False)
    assert _is_dictionary_used(chunk, pl.Series(words), True)


def test_forms_of_a_number():
    seen = Spellings()
    assert not seen.several(pl.Series("a", [0.0, None, 1.0]))
    assert not seen.several(pl.Series("b", [-0.0, float("nan")]))
    assert not seen.several(pl.Series("b", ["x"]))
    assert seen.several(pl.Series("a", [-0.0]))
    assert Spellings().several(pl.Series("a", [None, float("nan")]))
