"""Table files that are not read at once: what `read` would read, as a lazy frame, where a file allows that."""

import codecs
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import polars as pl

from shoal.errors import InputError
from shoal.io import delimited
from shoal.io.json_fields import look_through
from shoal.io.parquet_pages import scan_parquet
from shoal.io.quiet import quiet

__all__ = ["TROUBLE", "scan"]

TROUBLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What polars raises where a file is not what it seemed."""

_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DELIMITED = (".csv", ".txt", ".tsv")
_LINES = (".ndjson", ".jsonl")


def scan(path: Path, *, delimiter: str | None = None, encoding: str | None = None) -> pl.LazyFrame | None:
    """The records of a file, none of them read yet; None where the file must be read at once to be read right.

    Parquet and ndjson are scanned as they are. A text file is scanned if it is UTF-8 without a mark and tidy:
    every record as wide as the header, every quote in its place. Its cells are text, an empty cell is empty text.

    Raises
    ------
    InputError
        The header of a text file does not name every column.
    """
    kind = path.suffix.lower()
    if not path.is_file():
        return None  # `read` says what is wrong
    if kind == ".parquet":
        return _tried(lambda: scan_parquet(path))
    if encoding is not None and encoding.lower() not in ("utf-8", "utf8"):
        return None
    if kind in _LINES:
        return _lines(path)
    return _delimited(path, delimiter or ("\t" if kind == ".tsv" else None)) if kind in _DELIMITED else None


def _tried(begin: Callable[[], pl.LazyFrame]) -> pl.LazyFrame | None:
    """A scan whose columns can be told."""
    try:
        with quiet():
            found = begin()
            found.collect_schema()
        return found
    except TROUBLE:
        return None


def _lines(path: Path) -> pl.LazyFrame | None:
    try:
        look_through(path, path.name)
    except InputError:
        return None
    return _tried(lambda: pl.scan_ndjson(path, infer_schema_length=None))


def _delimited(path: Path, delimiter: str | None) -> pl.LazyFrame | None:
    with path.open("rb") as file:
        if file.read(4).startswith(_MARKS):
            return None
    try:
        separator = delimiter or delimited.detected(path)
        with closing(delimited.records(path, path.name, separator)) as found:
            written = next(found, [])
    except (UnicodeDecodeError, InputError):
        return None
    header = delimited.numbered(written)
    delimited.check_header(header, path.name)
    if not delimited.tidy(path, ord(separator), len(header)):
        return None
    frame = _tried(lambda: pl.scan_csv(path, separator=separator, infer_schema=False, glob=False))
    if frame is None or frame.collect_schema().names() != written:
        return None
    return frame.rename(dict(zip(written, header, strict=True))).with_columns(pl.all().fill_null(""))
