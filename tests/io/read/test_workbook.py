"""Sheets that say what codes mean: the words are taken where they are of the data's own columns and codes."""

from pathlib import Path

import polars as pl
import pytest

import shoal
from office_files import write_workbook
from shoal.io.read.layout import Layout
from shoal.io.read.table import read
from shoal.io.read.workbook import _code_labels

pytestmark = pytest.mark.usefixtures("untried")

DATA = {"sex": ["1", "2"], "job": ["1", "2", "9"], "age": ["31", "42", "53"]}


def book(*rows: tuple[str, ...]) -> pl.DataFrame:
    return pl.DataFrame(rows, orient="row")


@pytest.mark.parametrize(
    "sheet",
    [
        book(
            ("variable", "code", "label"),
            ("SEX", "1", "male"),
            ("SEX", "2.0", "female"),
            ("age", "", "in years"),
        ),
        book(
            ("Name", "About", "Code", "Word"), ("sex", "sex at birth", "1", "male"), ("", "", "2", "female")
        ),
        book(("column", "values"), ("sex", "1 = male; 2 = female"), ("age", "years")),
        book(("column", "about", "values"), ("sex", "-", "1=male, 2=female"), ("age", "years", "")),
        book(("column", "values"), ("sex", "1: male\n2: female")),
    ],
)
def test_words_are_found_in_both_ways_of_writing(sheet: pl.DataFrame) -> None:
    assert _code_labels([sheet], DATA) == {"sex": {"1": "male", "2": "female"}}


@pytest.mark.parametrize(
    "sheet",
    [
        book(("sex", "n"), ("1", "40"), ("2", "41")),  # a sum of the data
        book(("variable", "code", "label"), ("town", "1", "Ulm"), ("town", "2", "Bonn")),
        book(("variable", "code", "label"), ("job", "7", "clerk"), ("job", "8", "nurse")),  # of other codes
    ],
)
def test_other_sheets_are_no_code_books(sheet: pl.DataFrame) -> None:
    assert _code_labels([sheet], DATA) == {}


def test_init_takes_the_words_and_says_so_and_codes_can_be_kept(tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    path = tmp_path / "survey.xlsx"
    people = [[i, 1 + i % 2, (1, 2, 3, 9)[i % 4], 20 + i % 50] for i in range(120)]
    codes = [
        ["sex", 1, "male"],
        ["sex", 2, "female"],
        *(["educ", i, w] for i, w in ((1, "low"), (2, "mid"), (3, "high"))),
    ]
    sheets = {"codes": [["variable", "code", "label"], *codes, ["educ", 9, "refused"]]}
    write_workbook(path, {**sheets, "data": [["id", "sex", "educ", "age"], *people]})
    found = shoal.propose(path)
    assert found.data.layout.values == "labels"
    assert "sheet 'codes' says what the codes of sex, educ mean" in found.data.layout.why["values"]
    assert found.data.layout.why["sheet"].endswith("; 'codes' is its code book")
    assert found.columns["sex"].hierarchy.labels[0][:2] == ("female", "male")
    assert "refused" in found.data.missing
    frame = read(path, layout=found.data.layout).frame
    assert frame["educ"].to_list()[:4] == ["low", "mid", "high", "refused"]
    codes_kept = read(path, layout=Layout(sheet="data")).frame
    assert codes_kept["sex"].to_list()[:2] == [1, 2]


@pytest.mark.parametrize(
    "text", ["a-" + "b " * 15_000 + "=", "ab- " * 8_000 + "=", ", " * 15_000, "1=" * 15_000]
)
def test_a_long_text_beside_a_name_is_no_book_and_is_read_once(text):
    assert _code_labels([book(("variable", "notes"), ("sex", text))], DATA) == {}
