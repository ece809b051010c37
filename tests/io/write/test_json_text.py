"""JSON that everybody reads alike, or none."""

import json
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.io.write.json_text import is_canonical_json, parse_json, parse_json_or_none, read_lists
from shoal.io.write.table import line_pieces, read_back, write


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 1}',
        '[{"a": {"b": 1, "c": 2, "b": 3}}]',
        "[NaN]",
        "-Infinity",
        '["\\ud800"]',
        '{"\\uDFFF": 1}',
        "{",
        b"\xff",
        b'["\xed\xa0\x80"]',
        b"\xef\xbb\xbf[]",
        "[]".encode("utf-16"),
        "9" * 5_000,
    ],
)
def test_what_two_readers_could_read_differently_is_not_read(text):
    with pytest.raises(ValueError):  # noqa: PT011  each fault has words of its own
        parse_json(text)


def test_a_whole_character_in_two_halves_is_read():
    assert parse_json('{"a": ["\\ud83d\\ude00", {"a": 1}]}') == {"a": ["\U0001f600", {"a": 1}]}


# Lists in cells: what was written comes back, however it is spaced; what is no list of texts is refused.

words = st.text(alphabet='ab"\\[], \né{', max_size=4) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=4
)
lists = st.lists(st.lists(words | st.lists(words, min_size=1, max_size=3).map(tuple), max_size=4), max_size=6)


def read(cells):
    start, items, entries = read_lists(pl.Series("items", cells, dtype=pl.String))
    return [[entries[code] for code in items[a:b]] for a, b in pairwise(start)]


@settings(max_examples=150)
@given(lists, st.sampled_from([(", ", ": "), (",", ":"), (" , ", ": ")]), st.booleans())
def test_lists_come_back_however_they_are_spaced(rows, separators, ascii_only):
    cells = [json.dumps(row, separators=separators, ensure_ascii=ascii_only) for row in rows]
    assert read(cells) == rows


@settings(max_examples=150)
@given(
    lists,
    st.sampled_from([", ", ","]),
    st.booleans(),
    st.none() | st.text(alphabet='ab"\\[], \t1', max_size=6),
)
def test_a_text_is_as_dumped_where_dumping_gives_it_again(rows, comma, ascii_only, other):
    cells = [json.dumps(row, separators=(comma, ": "), ensure_ascii=ascii_only) for row in rows] + [other]
    same = [
        cell is not None and json.dumps(parse_json_or_none(cell), ensure_ascii=False) == cell
        for cell in cells
    ]
    assert is_canonical_json(pl.Series(cells, dtype=pl.String)) == all(same)
    assert is_canonical_json(pl.Series(cells[:-1], dtype=pl.String)) == all(same[:-1])


def test_names_may_hold_what_lists_are_written_with():
    rows = [[("a], [b", "c")], ["a]"], [("[", "]")], ["], ["], [("a", "b]"), "c"]]
    assert read([json.dumps(row) for row in rows]) == rows


def test_an_empty_cell_is_an_empty_list():
    assert read([None, "[]", " [ ] "]) == [[], [], []]


@pytest.mark.parametrize(
    "wrong",
    ["", "x", "{}", "3", '"a"', "[1]", '["a", 3]', '["a" "b"]', '["a", ]', '["a"', '[["a", ["b"]]]', "[" * 9_999,
     "[[]]", '["\\ud800"]', '{"a": 1}', '[["a", 1]]'],
)  # fmt: skip
def test_what_is_no_list_of_texts_is_named_by_its_row(wrong):
    with pytest.raises(InputError, match="column 'items', row 2: not a JSON list of texts"):
        read(['["a"]', wrong])


# Lists and nested values out and back, whatever they hold.

words_of_nested = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
entries = st.one_of(words_of_nested, st.lists(words_of_nested, min_size=1, max_size=3).map(tuple))


@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
@settings(max_examples=25)
@given(rows=st.lists(st.lists(entries, max_size=3), min_size=1, max_size=4), data=st.data())
def test_every_format_carries_the_same(tmp_path_factory, format, rows, data):
    path = tmp_path_factory.mktemp("nested") / f"data.{format}"
    labels = data.draw(
        st.lists(st.one_of(st.none(), words_of_nested), min_size=len(rows), max_size=len(rows))
    )
    frame = pl.DataFrame(
        {
            "items": [json.dumps(row, ensure_ascii=False) for row in rows],
            "label": pl.Series(labels, dtype=pl.String),
            "errors": list(range(len(rows))),
        }
    )
    write(frame, path, format, nested=["items"])
    back = read_back(path, format, nested=["items"])
    assert back["items"].to_list() == frame["items"].to_list()
    assert back["label"].to_list() == labels
    assert back["errors"].to_list() == [str(row) for row in range(len(rows))]


def test_ndjson_holds_values_not_text(tmp_path):
    path = tmp_path / "data.ndjson"
    write(
        pl.DataFrame({"items": ['["milk", ["bread", "rolls"]]'], "errors": [2]}),
        path,
        "ndjson",
        nested=["items"],
    )
    assert json.loads(path.read_text()) == {"items": ["milk", ["bread", "rolls"]], "errors": 2}


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("[1]", "not a JSON object"),
        ('{"a": 1}', "other keys"),
        ('{"items": [], "label": [1]}', "nested value"),
        ("{", "not a JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, what):
    path = tmp_path / "data.ndjson"
    path.write_text('{"items": [], "label": "x"}\n' + line + "\n")
    with pytest.raises(InputError, match=f"line 2: .*{what}"):
        read_back(path, "ndjson", nested=["items"])


@pytest.mark.parametrize("piece", [{"records": 2}, {"size": 12}])
def test_a_bad_line_of_a_piece_is_named_as_in_the_whole(tmp_path, piece):
    path = tmp_path / "data.ndjson"
    path.write_text('{"a": "1"}\n' * 6 + "[1]\n")
    with pytest.raises(InputError, match=r"^data\.ndjson, line 7: not a JSON object"):
        list(line_pieces(path, (), **piece))


@pytest.mark.parametrize("line", ['{"a": "1", "a": "2"}', '{"a": NaN}', '{"a": "\\ud800"}'])
def test_what_two_readers_could_read_differently_is_refused(tmp_path, line):
    (tmp_path / "data.ndjson").write_text('{"a": "1"}\n' + line + "\n")
    for nested in ([], ["a"]):
        with pytest.raises(InputError, match="line 2"):
            read_back(tmp_path / "data.ndjson", "ndjson", nested=nested)


def test_numbers_come_back_as_cells_are_written(tmp_path):
    (tmp_path / "data.ndjson").write_text(
        '{"a": 1.0, "b": true, "c": 123456789012345678901234567890, "d": -0.5}\n'
    )
    found = read_back(tmp_path / "data.ndjson", "ndjson")
    assert found.row(0) == ("1", "true", "123456789012345678901234567890", "-0.5")
