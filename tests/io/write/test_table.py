"""What is written is what is read back, in every format."""

import csv
import datetime as dt
import decimal
import errno
import math
import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.base.stopping import fsync_path
from shoal.io.read.cells import cell_texts
from shoal.io.write import table as module
from shoal.io.write.table import PieceWriter, csv_cells, read_back, write, write_text

FORMATS = ["csv", "parquet", "ndjson"]

nasty = st.one_of(
    st.none(),
    st.text(alphabet="'=+-@\t\r\n,;\" 1.eéx\0\u2028\ufeff", max_size=6),
    st.text(max_size=6),
    st.sampled_from(
        ["-5", "+1.5e3", "'-5", "''=1", "=cmd|' /C calc'!A0", "@x", "\t1", "-", "+-1", "-1\n", "null"]
    ),
)


@settings(max_examples=150)
@given(st.lists(st.tuples(nasty, nasty), max_size=6), nasty.filter(bool))
def test_pieces_are_quoted_as_polars_quotes(rows, name):
    """Whether their cells are texts or places in a list of labels."""
    frame = pl.DataFrame(rows, schema={f"{name}1": pl.String, "two": pl.String}, orient="row")
    labels = pl.Enum(frame["two"].drop_nulls().unique())
    whole = BytesIO()
    csv_cells(frame).write_csv(whole)
    writer, labelled = PieceWriter("csv", frozenset()), frame.cast({"two": labels})
    with TemporaryDirectory() as folder:
        place, pieces = Path(folder, "data.csv"), [Path(folder, "a"), Path(folder, "b")]
        writer.write_piece(labelled[:2], pieces[0])
        writer.write_piece(labelled[2:], pieces[1])
        writer.join_pieces(labelled[:0], pieces, place)
        assert place.read_bytes() == whole.getvalue()


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=150)
@given(st.integers(1, 3).flatmap(lambda d: st.lists(st.tuples(*[nasty] * d), min_size=1, max_size=6)))
@example([(None,), ("x",), ("",)])
@example([("\ufeff",)])
def test_any_text_comes_back(format, rows):
    """Empty text alone does not: it counts as missing."""
    names = [f"c{j}" for j in range(len(rows[0]))]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    with TemporaryDirectory() as folder:
        path = Path(folder, f"data.{format}")
        write(frame, path, format)
        back = read_back(path, format)
    assert back.columns == names
    assert set(back.dtypes) == {pl.String}
    assert back.rows() == [tuple(cell or None for cell in row) for row in rows]


@settings(max_examples=150)
@given(st.lists(nasty, min_size=1, max_size=6))
def test_no_cell_of_a_csv_file_runs_as_a_formula(cells):
    with TemporaryDirectory() as folder:
        path = Path(folder, "data.csv")
        write(pl.DataFrame({"a": cells, "b": "x"}, schema={"a": pl.String, "b": pl.String}), path, "csv")
        with path.open(encoding="utf-8", newline="") as file:
            written = [row[0] for row in csv.reader(file, strict=True)][1:]
    assert len(written) == len(cells)
    for cell in written:
        assert not re.match(r"[=@\t\r]", cell)
        assert not re.match(r"[+-]", cell) or isinstance(float(cell), float)


def test_csv_as_the_contract_says(tmp_path):
    frame = pl.DataFrame(
        {
            "age": ["[20, 30)", None, "-5", "*"],
            "=x": ['a"b', "=1+1", "'=1", "l\nm"],
            "n": [1.0, 2.5, None, 3.0],
            "in": [True, False, None, True],
        }
    )
    write(frame, tmp_path / "data.csv", "csv")
    assert (tmp_path / "data.csv").read_bytes() == (
        b'age,\'=x,n,in\n"[20, 30)","a""b",1,true\n,\'=1+1,2.5,false\n-5,\'\'=1,,\n*,"l\nm",3,true\n'
    )
    assert read_back(tmp_path / "data.csv", "csv").columns == frame.columns


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_reads_back_the_same_text(tmp_path, format):
    frame = pl.DataFrame({"a": ["x", "", "007"], "n": [1.0, 2.5, None], "gone": [None, None, None]})
    write(frame, tmp_path / f"data.{format}", format)
    back = read_back(tmp_path / f"data.{format}", format)
    assert back.rows() == [("x", "1", None), (None, "2.5", None), ("007", None, None)]


def test_ndjson_is_one_object_a_record(tmp_path):
    write(pl.DataFrame({"age": ["*", None], "sex": ["é", "M"]}), tmp_path / "data.ndjson", "ndjson")
    lines = (tmp_path / "data.ndjson").read_text(encoding="utf-8").splitlines()
    assert lines == ['{"age":"*","sex":"é"}', '{"age":null,"sex":"M"}']


@pytest.mark.parametrize("format", FORMATS)
def test_a_broken_release_is_one_sentence(tmp_path, format):
    (tmp_path / f"data.{format}").write_bytes(b'"s3cret\n')
    with pytest.raises(InputError, match=f"^data.{format}") as caught:
        read_back(tmp_path / f"data.{format}", format)
    assert "s3cret" not in str(caught.value)


def test_the_format_and_the_name_must_agree(tmp_path):
    with pytest.raises(
        InputError,
        match=r"^release.format: 'xls' is unknown; there are csv, parquet, ndjson, sav, zsav, dta$",
    ):
        write(pl.DataFrame({"a": ["x"]}), tmp_path / "data.xls", "xls")
    assert not any(tmp_path.iterdir())
    with pytest.raises(InputError, match=r"^data.csv: does not end in .parquet"):
        read_back(tmp_path / "data.csv", "parquet")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("size", [1, 100_000])
def test_a_full_disk_is_one_sentence(format, size):
    with pytest.raises(InputError, match=r"^full: the disk is full; free some space and run again$"):
        write(pl.DataFrame({"a": ["s3cret"] * size}), Path("/dev/full"), format)


def test_a_full_disk_is_seen_by_the_last_sync(tmp_path, monkeypatch):
    def full(_handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(InputError, match=r"^report.html: the disk is full"):
        write_text(tmp_path / "report.html", "x")


LIMITED = """
import resource, sys
from pathlib import Path
import polars as pl
from shoal.base.errors import InputError
from shoal.io.write.table import write
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for format in sys.argv[2:]:
    try:
        write(pl.DataFrame({"a": [str(i) for i in range(10000)]}), Path(sys.argv[1], f"data.{format}"), format)
    except InputError as error:
        print(error)
"""


def test_a_file_that_may_not_grow_is_one_sentence(tmp_path):
    command = [sys.executable, "-c", LIMITED, str(tmp_path), *FORMATS]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    why = "it cannot be written; check disk and permissions and run again"
    assert said.splitlines() == [f"data.{format}: {why}" for format in FORMATS]


def test_text_is_utf8_with_plain_newlines(tmp_path):
    write_text(tmp_path / "x", "é\n")
    assert (tmp_path / "x").read_bytes() == b"\xc3\xa9\n"


def test_files_and_folders_can_be_synced(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(module.os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    (tmp_path / "x").write_text("x")
    fsync_path(tmp_path / "x")
    fsync_path(tmp_path)
    assert synced == [(tmp_path / "x").stat().st_ino, tmp_path.stat().st_ino]


D = decimal.Decimal
MOMENTS = [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2, 3, 4, 5, 678900)]
TYPES = {
    "midnights": pl.Series(MOMENTS[:1] * 2),
    "datetimes": pl.Series(MOMENTS),
    "milliseconds": pl.Series(MOMENTS).cast(pl.Datetime("ms")),
    "nanoseconds": pl.Series(MOMENTS).cast(pl.Datetime("ns")),
    "zones": pl.Series(MOMENTS).dt.replace_time_zone("Europe/Berlin"),
    "dates": pl.Series([dt.date(1, 1, 1), dt.date(9999, 12, 31)]),
    "times": pl.Series([dt.time(1, 2, 3), dt.time(0, 0, 0, 5)]),
    "durations": pl.Series([dt.timedelta(days=-1, microseconds=3), dt.timedelta(days=11)]),
    "decimals": pl.Series([D("100.00"), D("0.10")]),
    "infinite": pl.Series([math.inf, -math.inf, 1.0]),
    "not numbers": pl.Series([math.nan, 1.5]),
    "float32": pl.Series([123456789.0, 0.1]).cast(pl.Float32),
    "large": pl.Series([2**64 - 1, 3], dtype=pl.UInt64),
    "larger": pl.Series([2**100, 3], dtype=pl.Int128),
    "truth": pl.Series([True, False, None]),
    "categories": pl.Series(["a", None]).cast(pl.Categorical),
    "missing": pl.Series([None, None]),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("nested", [(), ("items",)])
@pytest.mark.parametrize("kind", TYPES)
def test_cells_of_every_type_read_back_as_the_text_they_are(tmp_path, kind, nested, format):
    frame = pl.DataFrame({"x": TYPES[kind]}).with_columns(sex=pl.lit("f"))
    path = tmp_path / f"data.{format}"
    write(frame.with_columns(items=pl.lit('["a"]')) if nested else frame, path, format, nested=nested)
    assert read_back(path, format, nested=nested)["x"].to_list() == cell_texts(frame["x"]).to_list()
    if format == "ndjson":
        for line in path.read_text().splitlines():
            assert "NaN" not in line
            assert "Infinity" not in line
