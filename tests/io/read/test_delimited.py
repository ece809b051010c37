"""Delimited text: the fast reader and the csv module must never disagree."""

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.io.read import delimited
from shoal.io.read.delimited import read_delimited


@pytest.fixture
def file(tmp_path):
    def write(content: bytes) -> Path:
        (tmp_path / "x.csv").write_bytes(content)
        return tmp_path / "x.csv"

    return write


@pytest.mark.parametrize(
    ("content", "records"),
    [
        (b"a,b\n1,007\n", [("1", "007")]),
        (b"a,b\n1,2", [("1", "2")]),
        (b"a,b\r\n1,2\r\n", [("1", "2")]),
        (b"a,b\r1,2\r", [("1", "2")]),
        (b"a,b\n1,2\r", [("1", "2")]),
        (b'a,b\n"x\r\ny","p""q"\n', [("x\r\ny", 'p"q')]),
        (b'a,b\n,""\n', [("", "")]),
        (b"a,b\n\n1,2\n\n", [("1", "2")]),
        (b'a,b\n5" pipe,2\n', [('5" pipe', "2")]),
        (b'"a\nb",c\n1,2\n', [("1", "2")]),
        (b'a\n""\n1\n', [("",), ("1",)]),
        (b"a\n\n1\n\n", [("1",)]),
        ("a,b\né,\u2028\n".encode(), [("é", "\u2028")]),
        (b"a,b\n1,x\0y\n", [("1", "x\0y")]),
    ],
)
def test_cells_are_text_as_written(file, content, records):
    assert read_delimited(file(content), "x.csv", ",").rows() == records


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (b"a,b\n1,2\n", ["a", "b"]),
        (b"a;b\n1,5;2\n1,6;3\n", ["a", "b"]),
        (b"a\tb\n1,2\t3\n", ["a", "b"]),
        (b"a|b\n1|2\n", ["a", "b"]),
        (b'"a,x";b\n"1,2,3";2\n', ["a,x", "b"]),
        (b"a\n1\n2\n", ["a"]),
        (b"a;b,c\n1;2,3\n", ["a;b", "c"]),
    ],
)
def test_the_delimiter_is_found_outside_quotes(file, content, columns):
    assert read_delimited(file(content), "x.csv").columns == columns


def test_a_long_file_is_judged_by_its_whole_first_lines(file):
    content = b"a;b\n" + b"1,5;2\n" * 20_000
    assert read_delimited(file(content), "x.csv").shape == (20_000, 2)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,b\n1,2\ns3cret\n", "x.csv, line 3: 1 cells, but the header has 2; give every record as many"),
        (b"a,b\n1,2,s3cret\n", "x.csv, line 2: 3 cells, but the header has 2"),
        (b'a,b\n"1\n2",3\n4,5,6\n', "x.csv, line 4: 3 cells, but the header has 2"),
        (b'a,b\n1,2\n"s3cret,3\n4,5\n', "x.csv, line 3: a quote is not closed"),
        (b'a,b\n"s3cret"x,2\n', "x.csv, line 2: a quote is not closed, text follows a closing quote"),
        (b"a,b\n1,2\n\xe9,s3cret\n", "x.csv, line 3: the bytes are not UTF-8 text; give the file's encoding"),
        (b"s3cret,s3cret\n1,2\n", "x.csv, line 1: columns 1 and 2 have the same name"),
        (b"a, ,c\n1,2,3\n", "x.csv, line 1: column 2 has no name"),
        (b"", "x.csv: the file is empty"),
        (b"\n\n", "x.csv: the file is empty"),
    ],
)
def test_bad_files_are_one_sentence_without_a_cell(file, content, sentence):
    with pytest.raises(InputError, match=f"^{sentence}") as caught:
        read_delimited(file(content), "x.csv", ",")
    assert "s3cret" not in str(caught.value)


def test_a_line_without_end_is_refused(file, monkeypatch):
    monkeypatch.setattr(delimited, "_LINE", 1000)
    monkeypatch.setattr(delimited, "_BLOCK", 1000)
    with pytest.raises(InputError, match=r"^x.csv, line 2: longer than 1000 characters; is this a table"):
        read_delimited(file(b"a,b\n" + b"1," * 1000), "x.csv", ",")


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "é"])
def test_a_delimiter_is_one_plain_character(file, delimiter):
    with pytest.raises(InputError, match=r"^delimiter: give one ASCII character"):
        read_delimited(file(b"a,b\n1,2\n"), "x.csv", delimiter)


def by_the_book(content: str) -> list[list[str]] | None:
    """What the csv module makes of a text; None where it is no table."""
    try:
        rows = [row for row in csv.reader(io.StringIO(content, newline=""), strict=True) if row]
    except csv.Error:
        return None
    return rows if len({len(row) for row in rows}) == 1 else None


@settings(max_examples=400)
@given(st.text(alphabet='xé,"\n\r', max_size=25), st.sampled_from([3, 7, 1000]))
@example('x,x\n"x,x\n', 3)
@example('x\n""\n"', 1000)
@example('"x"x"\n', 1000)
@example("x\r", 1000)
@example('x"x\n"x,x"\n', 3)
def test_any_text_is_read_as_the_csv_module_reads_it(tail, block):
    """Small blocks put every quote and line end on a border once."""
    content = "p,q\n" + tail
    expected = by_the_book(content)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_BLOCK", block)
        path = Path(folder, "x.csv")
        path.write_bytes(content.encode())
        if expected is None:
            with pytest.raises(InputError, match=r"^x.csv, line \d+: "):
                read_delimited(path, "x.csv", ",")
        else:
            frame = read_delimited(path, "x.csv", ",")
            assert [frame.columns, *map(list, frame.rows())] == expected


@settings(max_examples=200)
@given(st.lists(st.lists(st.text('x,"\n\r', max_size=4), min_size=2, max_size=2), min_size=1, max_size=6))
def test_what_the_csv_module_writes_takes_the_fast_way(rows):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows([["p", "q"], *rows])
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.csv")
        path.write_bytes(text.getvalue().encode())
        assert delimited.is_tidy(path, ord(","), 2)
        fast = delimited._read_with_polars(path, ",")
        assert fast is not None
        assert list(map(list, fast.rows())) == rows


def test_both_ways_give_equal_frames(file):
    """A stray quote in the last record sends an otherwise equal file the slow way."""
    tidy = "p,q\n" + "".join(f'{i},"x, {i}"\n' for i in range(70_000))
    fast = read_delimited(file(tidy.encode()), "x.csv", ",")
    slow = read_delimited(file((tidy + 'a"b,c\n').encode()), "x.csv", ",")
    assert slow.head(-1).equals(fast)
    assert slow.schema == fast.schema == {"p": pl.String, "q": pl.String}


@pytest.mark.parametrize("mess", [b"", b'"x, y",2\n'])
def test_the_numbers_of_rows_that_pandas_and_r_write_have_a_name(tmp_path, mess):
    (tmp_path / "x.csv").write_bytes(b",age\n1,40\n2,50\n" + mess)
    frame = read_delimited(tmp_path / "x.csv", "x.csv")
    assert frame.columns == ["row", "age"]
    assert frame["row"].to_list()[:2] == ["1", "2"]
