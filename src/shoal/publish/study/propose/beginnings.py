"""The first records of a file, read without reading all of it where that can be."""

import csv
import gzip
import json
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import InputError
from shoal.io.delimited import delimiter_of, numbered
from shoal.io.parquet_pages import scan_parquet
from shoal.io.quiet import quiet
from shoal.io.read import read
from shoal.io.unpack import unzipped
from shoal.io.xml import records as xml_records
from shoal.publish.study.propose.encodings import encoding_of

__all__ = ["Record", "first_records"]

Record = Mapping[str, Any]

_SOME = 1 << 20  # bytes of a text file that are looked at
_MARKS = {BOM_UTF8: "utf-8-sig", BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}


def first_records(path: Path, most: int) -> list[Record]:
    """At most so many records of a file, each by the names of its fields; its extension says how it is read.

    Raises
    ------
    InputError
        The file cannot be had, or nothing in it can be read.
    """
    if not path.is_file():
        raise InputError(f"{path.name}: not found, or not a file; check the path")
    kind = Path(path.name.lower().removesuffix(".gz")).suffix
    reader = _READERS.get(kind, _any)
    try:
        return list(islice(reader(path), most))
    except (OSError, EOFError, zlib.error, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise InputError(f"{path.name}: cannot be read; check the file") from None


def _text(path: Path) -> tuple[str, bool]:
    """The beginning of a text file, and whether that is all of it."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        some = file.read(_SOME)
        whole = not file.read(1)
    codec = next((codec for mark, codec in _MARKS.items() if some.startswith(mark)), "utf-8")
    try:
        return _decoded(some, codec, whole), whole
    except UnicodeDecodeError:
        return _decoded(some, encoding_of(path), whole), whole


def _decoded(some: bytes, codec: str, whole: bool) -> str:
    """Bytes as text; a sign that was cut at their end is left out."""
    return getincrementaldecoder(codec)().decode(some, whole)


def _lines(path: Path) -> Iterator[str]:
    """Whole lines of the beginning that are not empty."""
    text, whole = _text(path)
    lines = text.splitlines()
    return (line for line in (lines if whole else lines[:-1]) if line.strip())


def _csv(path: Path, delimiter: str | None = None) -> Iterator[Record]:
    text, whole = _text(path)
    found = csv.reader(StringIO(text, newline=""), delimiter=delimiter or delimiter_of(text, whole=whole))
    rows = (row for row in _until_broken(found) if row)
    names = numbered(next(rows, []))
    return (dict(zip(names, row, strict=False)) for row in (rows if whole else _but_last(rows)))


def _tsv(path: Path) -> Iterator[Record]:
    return _csv(path, "\t")


def _until_broken(rows: Iterable[list[str]]) -> Iterator[list[str]]:
    try:
        yield from rows
    except csv.Error:  # whoever reads all of it tells where
        return


def _but_last(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """All but the last, which may be cut short."""
    before = next(rows, None)
    for row in rows:
        assert before is not None
        yield before
        before = row


def _ndjson(path: Path) -> Iterator[Record]:
    for line in _lines(path):
        try:
            yield _object(json.loads(line))
        except (ValueError, RecursionError):
            return


def _json(path: Path) -> Iterator[Record]:
    """The objects of an array one by one, as far as the beginning goes."""
    text = _text(path)[0]
    decoder, at = json.JSONDecoder(), text.find("[") + 1
    while at:
        at += len(text[at:]) - len(text[at:].lstrip(" \t\r\n,"))
        try:
            found, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield _object(found)


def _object(found: Any) -> Record:
    return found if isinstance(found, dict) else {"value": found}


def _fimi(path: Path) -> Iterator[Record]:
    return ({"items": line.split()} for line in _lines(path))


def _xml(path: Path) -> Iterator[Record]:
    with unzipped(path) as plain:
        for _, record in xml_records(plain, path.name):
            yield record


def _parquet(path: Path) -> Iterator[Record]:
    with unzipped(path) as plain, quiet():
        rows = scan_parquet(plain).head(100).collect()
    yield from rows.iter_rows(named=True)


def _any(path: Path) -> Iterator[Record]:
    """Whatever else a table may be in; only the whole of it can be read."""
    return iter(read(path).frame.head(100).iter_rows(named=True))


_READERS: dict[str, Callable[[Path], Iterator[Record]]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".txt": _csv,
    ".ndjson": _ndjson,
    ".jsonl": _ndjson,
    ".json": _json,
    ".dat": _fimi,
    ".xml": _xml,
    ".parquet": _parquet,
}
