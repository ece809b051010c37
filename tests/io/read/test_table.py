"""Files by extension, and every way in which one can be wrong."""

import datetime as dt
import gzip
import io
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter

from shoal.base.errors import ExtraError, InputError
from shoal.io.read import table as module
from shoal.io.read.table import read

SHARED = Path(__file__).parents[3].parent / "shared" / "data"


@pytest.fixture
def file(tmp_path):
    def write(name: str, content: bytes) -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """Where temporary files go; a test says that none is left."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def xlsx(rows, sheet=None) -> bytes:
    content = io.BytesIO()
    with xlsxwriter.Workbook(content) as book:
        page = book.add_worksheet(sheet)
        date = book.add_format({"num_format": "yyyy-mm-dd"})
        for i, row in enumerate(rows):
            for j, cell in enumerate(row):
                page.write(i, j, cell, *([date] if isinstance(cell, dt.date) else []))
    return content.getvalue()


def parquet(**columns) -> bytes:
    content = io.BytesIO()
    pl.DataFrame(columns).write_parquet(content)
    return content.getvalue()


FILES = {
    "x.csv": b"age,name\n31,Ann\n47,Bo\n",
    "x.tsv": b"age\tname\n31\tAnn\n47\tBo\n",
    "x.parquet": parquet(age=[31, 47], name=["Ann", "Bo"]),
    "x.ndjson": b'{"age":31,"name":"Ann"}\n{"name":"Bo","age":47}\n',
    "x.JSONL": b'{"age":31,"name":"Ann"}\n{"age":47,"name":"Bo"}',
    "x.json": b'[{"age":31,"name":"Ann"},{"age":47,"name":"Bo"}]',
    "x.xlsx": xlsx([["age", "name"], [31, "Ann"], [47, "Bo"]]),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_every_extension_also_packed(file, scratch, name, packed):
    path = file(name + ".gz", gzip.compress(FILES[name], mtime=0)) if packed else file(name, FILES[name])
    source = read(path, missing=("?",))
    assert (source.kind, source.name, source.missing) == ("polars", path.name, ("?",))
    assert source.frame.cast({"age": pl.Int64}).rows() == [(31, "Ann"), (47, "Bo")]
    assert not any(scratch.iterdir())


def test_xlsx_keeps_types(file):
    frame = read(file("x.xlsx", xlsx([["d", "id"], [dt.date(2020, 1, 2), "007"]]))).frame
    assert frame["d"].dt.date().to_list() == [dt.date(2020, 1, 2)]
    assert frame["id"].to_list() == ["007"]


def test_fields_absent_from_a_json_object_are_null(file):
    frame = read(file("x.ndjson", b'{"a":1}\n{"b":"x"}\n')).frame
    assert frame.rows() == [(1, None), (None, "x")]


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("name,x\né,1\n".encode(), {}),
        ("\ufeffname,x\né,1\n".encode(), {}),
        ("\ufeffname,x\né,1\n".encode(), {"encoding": "utf-8"}),
        ("name,x\né,1\n".encode("utf-16"), {}),
        ("\ufeffname,x\né,1\n".encode("utf-16-be"), {}),
        ("\ufeffname,x\né,1\n".encode("utf-16-le"), {"encoding": "utf-16-le"}),
        ("name,x\né,1\n".encode("cp1252"), {"encoding": "cp1252"}),
        ("name,x\né,1\n".encode("latin-1"), {"encoding": "Latin-1"}),
    ],
)
def test_encodings(file, scratch, content, options):
    frame = read(file("x.csv", content), **options).frame
    assert frame.columns == ["name", "x"]
    assert frame.rows() == [("é", "1")]
    assert not any(scratch.iterdir())


def test_a_byte_order_mark_before_json_is_no_data(file):
    assert read(file("x.ndjson", b'\xef\xbb\xbf{"a":1}\n')).frame.rows() == [(1,)]


def lying_archive() -> bytes:
    """A workbook whose largest member states that it has 10 bytes, in both of its headers."""
    content = bytearray(xlsx([["a"], *[["x" * 100]] * 200, *[[i] for i in range(2000)]]))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = max(info.file_size for info in archive.infolist())
    stated = size.to_bytes(4, "little")
    assert stated in content
    return bytes(content.replace(stated, (10).to_bytes(4, "little")))


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("x.csv", b"a,b\n", "x.csv: no records; give at least one below the header"),
        ("x.csv", b"", "x.csv: the file is empty"),
        ("x.csv", b"a\0,\0b\0\n\0", "x.csv: holds NUL bytes, so it is not UTF-8 text; give its encoding"),
        ("x.csv", b"\xff\xfea\0,\0b", "x.csv: the bytes are not utf-16 text; give the file's own encoding"),
        ("x.csv.gz", b"s3cret", "x.csv.gz: the gzip data are broken or cut short; pack the file again"),
        ("x.csv.gz", gzip.compress(b"a,b\ns3cret,2\n", mtime=0)[:-6], "x.csv.gz: the gzip data are broken"),
        (
            "x.csv.gz",
            gzip.compress(b"a,b\n" + b"1,2\n" * 50_000, mtime=0),
            "x.csv.gz: unpacks to more than 100000 bytes",
        ),
        ("x.xlsx", xlsx([["a"], *[[i] for i in range(9000)]]), "x.xlsx: unpacks to more than 100000 bytes"),
        ("x.xlsx", lying_archive(), "x.xlsx: unpacks to more than 100000 bytes"),
        ("x.xlsx", b"s3cret", "x.xlsx: not an xlsx file, or a broken one; save it again"),
        ("x.xlsx", xlsx([]), "x.xlsx: the file is empty"),
        ("x.xlsx", xlsx([["a", "b"]]), "x.xlsx: no records"),
        ("x.xlsx", xlsx([["a", None, "c"], [1, 2, 3]]), "x.xlsx, line 1: column 2 has no name"),
        ("x.xlsx", xlsx([["a", "a"], [1, 2]]), "x.xlsx, line 1: columns 1 and 2 have the same name"),
        ("x.parquet", b"s3cret", "x.parquet: not a parquet file, or a broken one; write it again"),
        ("x.parquet", parquet(a=[1])[:-9] + b"\0" * 9, "x.parquet: not a parquet file, or a broken one"),
        ("x.parquet", parquet(a=[["s3cret"]]), "x.parquet, column 'a': nested or binary values are not read"),
        ("x.parquet", parquet(a=[b"s3cret"]), "x.parquet, column 'a': nested or binary values are not read"),
        (
            "x.parquet",
            parquet(a=pl.repeat(0, 20_000, eager=True)),
            "x.parquet: 20000 records of 1 columns; that is",
        ),
        ("x.ndjson", b'{"a":1}\n{"a":"s3cret"\n', "x.ndjson, line 2: not JSON; write one object per line"),
        ("x.ndjson", b'{"a":1}\n["s3cret"]\n', "x.ndjson, line 2: not an object; write one object per line"),
        ("x.ndjson", b'{"a":1}\n{"a":["s3cret"]}\n', "x.ndjson, line 2: nested values are not read"),
        ("x.ndjson", b'{"a":["s3cret"]}\n', "x.ndjson, column 'a': nested or binary values are not read"),
        ("x.ndjson", b'{"a":1.5}\n{"a":true}\n', "x.ndjson: no records, or a field that mixes types"),
        ("x.ndjson", b'{"a":"\xff"}\n', "x.ndjson, line 1: not JSON; write one object per line, in UTF-8"),
        ("x.ndjson", b'{"a":' + b"[" * 100_000, "x.ndjson, line 1: not JSON"),
        ("x.ndjson", b"", "x.ndjson: no records"),
        ("x.ndjson", b"{}\n", "x.ndjson: the file is empty"),
        ("x.json", b"[" * 100_000, "x.json: not an array of flat objects"),
        ("x.json", b'[{"a":"s3cret"}', "x.json: not an array of flat objects"),
        ("x.json", b"[1, 2]", "x.json: not an array of flat objects"),
        (
            "x.json",
            json.dumps([{"a": {"b": "s3cret"}}]).encode(),
            "x.json, column 'a': nested or binary values",
        ),
        (
            "x.ods",
            b"1 2\n",
            "x.ods: no reader for this extension; open it in a spreadsheet program and save it as .xlsx",
        ),
        ("x", b"1 2\n", "x: no reader for this extension"),
        ("x.gz", b"1 2\n", "x.gz: no reader for this extension"),
    ],
)
def test_bad_files_are_one_sentence_without_a_cell(file, scratch, name, content, sentence):
    with pytest.raises(InputError, match=f"^{sentence}") as caught:
        read(file(name, content), limit=100_000)
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert not any(scratch.iterdir())


@pytest.mark.parametrize("encoding", ["nope", "hex", "rot13"])
def test_an_unknown_encoding_is_told(file, encoding):
    with pytest.raises(InputError, match=f"^encoding: '{encoding}' is unknown; use a name such as utf-8"):
        read(file("x.csv", b"a,b\n1,2\n"), encoding=encoding)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Path.mkdir, "a directory where a file is expected"),
        (Path.exists, "not found in .*; check the path$"),
        (os.mkfifo, "not a regular file"),
    ],
)
def test_what_is_no_file(tmp_path, make, said):
    make(tmp_path / "x.csv")
    with pytest.raises(InputError, match=f"^x.csv: {said}"):
        read(tmp_path / "x.csv")


@pytest.mark.parametrize("name", ["x.csv", "x.parquet"])
def test_no_permission(file, monkeypatch, name):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match=rf"^{name}: no permission to read it; ask its owner$"):
        read(file(name, FILES[name]))


def test_the_system_says_no(file, monkeypatch):
    def refuse(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(module._READERS, "csv", refuse)
    with pytest.raises(
        InputError, match=r"^x.csv: cannot be read \(No space left on device\); check the disk"
    ):
        read(file("x.csv", b"a,b\n1,2\n"))


def test_xlsx_without_fastexcel(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(ExtraError, match=r'^x.xlsx: .* fastexcel, .* pip install "shoal-privacy\[excel\]"$'):
        read(file("x.xlsx", FILES["x.xlsx"]))


def test_a_name_with_wildcards_is_a_name(file):
    file("x1.csv", b"a,b\n5,6\n")
    assert read(file("x*.csv", b"a,b\n1,2\n")).frame.rows() == [("1", "2")]
    file("y1.parquet", parquet(a=[5]))
    assert read(file("y*.parquet", parquet(a=[1]))).frame.rows() == [(1,)]
    file("z1.ndjson", b'{"a":5}\n')
    assert read(file("z*.ndjson", b'{"a":1}\n')).frame.rows() == [(1,)]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data sets are not here")
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("adult/adult.csv", (30_162, 9)),
        ("mach2019/mach2019_int.csv.gz", (73_489, 16)),
        ("informs2005/informs2005_rt.csv.gz", (26_854, 10)),
    ],
)
def test_real_files(name, shape):
    assert read(SHARED / name).frame.shape == shape
