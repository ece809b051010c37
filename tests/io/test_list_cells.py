"""Lists in cells: what was written comes back, however it is spaced; what is no list of texts is refused."""

import json
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.io.write.json_text import read_lists, write_lists

words = st.text(alphabet='ab"\\[], \né{', max_size=4)
lists = st.lists(st.lists(words | st.lists(words, min_size=1, max_size=3).map(tuple), max_size=4), max_size=6)


def read(cells):
    start, items, entries = read_lists(pl.Series("items", cells, dtype=pl.String))
    return [[entries[code] for code in items[a:b]] for a, b in pairwise(start)]


@settings(max_examples=150, deadline=None)
@given(lists, st.sampled_from([(", ", ": "), (",", ":"), (" , ", ": ")]), st.booleans())
def test_lists_come_back_however_they_are_spaced(rows, separators, ascii_only):
    cells = [json.dumps(row, separators=separators, ensure_ascii=ascii_only) for row in rows]
    assert read(cells) == rows


@settings(max_examples=50, deadline=None)
@given(lists)
def test_what_is_written_is_read(rows):
    entries = sorted({entry for row in rows for entry in row}, key=repr)
    start = np.cumsum([0, *map(len, rows)])
    items = np.array([entries.index(entry) for row in rows for entry in row], dtype=np.int32)
    assert read(write_lists("items", start, items, entries).to_list()) == rows


def test_names_may_hold_what_lists_are_written_with():
    rows = [[("a], [b", "c")], ["a]"], [("[", "]")], ["], ["], [("a", "b]"), "c"]]
    assert read([json.dumps(row) for row in rows]) == rows


def test_an_empty_cell_is_an_empty_list():
    assert read([None, "[]", " [ ] "]) == [[], [], []]


@pytest.mark.parametrize(
    "wrong",
    ["", "x", "{}", "3", '"a"', "[1]", '["a", 3]', '["a" "b"]', '["a", ]', '["a"', '[["a", ["b"]]]', "[" * 9_999,
     "[[]]", '["\\ud800"]'],
)  # fmt: skip
def test_what_is_no_list_of_texts_is_named_by_its_row(wrong):
    with pytest.raises(InputError, match="column 'items', row 2: not a JSON list of texts"):
        read(['["a"]', wrong])
