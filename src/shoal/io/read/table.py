"""Table files in, read at once or scanned: the table of formats says which ending is read how.

A scan is what `read` would read, as a lazy frame, where a file allows that.
"""

import codecs
import json
import re
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from shoal.base.errors import ExtraError, InputError
from shoal.base.naming import suggest_name
from shoal.io.codebooks import Codebook
from shoal.io.formats import ENDINGS, FileFormat, ending_of, format_of
from shoal.io.labelled import read_labelled
from shoal.io.read import delimited
from shoal.io.read.baskets import read_fimi
from shoal.io.read.delimited import read_delimited, read_text_table, refuse_columns, refuse_wide
from shoal.io.read.files import LIMIT, require_file, silence_native_output, unzip, utf8_copy
from shoal.io.read.layout import Layout
from shoal.io.read.nested_records import load_records, parse_line
from shoal.io.read.parquet import ParquetError, read_parquet, scan_parquet
from shoal.io.read.source import Source, Variable, refuse_nested
from shoal.io.read.tail_rows import ends_in_totals
from shoal.io.read.workbook import read_workbook

__all__ = ["TROUBLE", "read", "scan_table"]

TROUBLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What polars raises where a file is not what it seemed."""
_CELL = 8  # bytes: what a cell takes at the very least once it is read
_FREE = 2**30  # bytes that a file may always take
_RATIO = 1000  # bytes for each byte of a larger file: a bit for each cell is far less, and shuffled records need more
_LONGEST = 1 << 24  # bytes of a cell, as of a line
_SCALARS = (str, int, float, bool, type(None))
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BLOCK = 1 << 20
_TAIL = 1 << 12  # bytes that are looked at again: a name may go on in the next block
_FIELD_NAME = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*:')
_HALF = re.compile(
    rb"(?<!\\)(?:\\\\)*+\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])(?=.{6})", re.S
)  # a reader makes NUL of it
_FREE_PLACES = 2**27
_PLACES_RATIO = 100  # bytes for each byte of a larger file


@dataclass(frozen=True, slots=True)
class _File:
    """A plain file on its way in, under the name that messages use; its reader may say more of its `variables`."""

    path: Path
    name: str
    delimiter: str | None
    encoding: str | None
    limit: int
    layout: Layout | None
    released: Mapping[str, Codebook] | None = None
    variables: dict[str, Variable] = field(default_factory=dict)


def read(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: tuple[str, ...] = ("",),
    nested: Container[str] = (),
    limit: int = LIMIT,
    layout: Layout | None = None,
    released: Mapping[str, Codebook] | None = None,
) -> Source:
    """Read a table file; its extension says how.

    Parameters
    ----------
    path : str or Path
        With one of `ENDINGS`, also with .gz behind it; of .json an array of flat objects, of .xlsx a sheet,
        of .dat (FIMI) one column `items`.
    delimiter : str, optional
        Of csv files; else the first lines decide.
    encoding : str, optional
        Of text files; else UTF-8, or what a byte order mark says.
    missing : tuple of str
        Texts that stand for a missing cell.
    nested : container of str
        Columns whose cells may be lists, or whatever else where they are left out.
    limit : int
        How many bytes a compressed file may unpack to.
    layout : Layout, optional
        Where the table stands in a file as offices have them. Without one the file is taken for what a program wrote:
        a header, and nothing but records below it.
    released : mapping of str to Codebook, optional
        Of a released file with labels, the public codebooks of its columns.

    Raises
    ------
    LayoutError
        The rows say that the table stands elsewhere.
    InputError
        The file cannot be had or is not what its extension says; the sentence names the line where it can.
    ExtraError
        The package that reads such a file is not installed: fastexcel for .xlsx, pyreadstat for files with labels.
    """
    path = Path(path)
    require_file(path)
    format = _find_format(path.name)
    try:
        with unzip(path, limit) as plain:
            file = _File(plain, path.name, delimiter or format.delimiter, encoding, limit, layout, released)
            frame = _READERS[format.reader](file)
    except OSError as error:
        why = error.strerror or "input/output error"
        raise InputError(
            f"{path.name}: cannot be read ({why}); check the disk and the temporary folder"
        ) from None
    _check_frame(frame, path.name, nested)
    inferred = format.reader in _UNTYPED
    return Source(frame, "polars", path.name, missing, variables=file.variables, inferred=inferred)


def _check_frame(frame: pl.DataFrame, name: str, nested: Container[str]) -> None:
    if not frame.width:
        raise InputError(f"{name}: the file is empty; give named columns and records")
    if not frame.height:
        raise InputError(f"{name}: no records; give at least one below the header")
    refuse_columns(frame.columns, name)
    refuse_nested(frame, name, nested)
    _refuse_endless(frame, name)


def _refuse_endless(frame: pl.DataFrame, name: str) -> None:
    """Refuse a text that no cell of a table is."""
    longest = frame.select(pl.col(pl.String).str.len_bytes().max())
    for column in longest.columns:
        if (longest[column].item() or 0) > _LONGEST:
            raise InputError(f"{name}, column '{column}': a cell of more than {_LONGEST} bytes; shorten it")


def _read_csv(file: _File) -> pl.DataFrame:
    with utf8_copy(file.path, file.name, file.encoding) as path:
        if file.layout is None:
            return read_delimited(path, file.name, file.delimiter)
        return read_text_table(path, file.name, file.delimiter, file.layout)


def _read_parquet(file: _File) -> pl.DataFrame:
    room = min(file.limit, max(_FREE, _RATIO * file.path.stat().st_size))
    try:
        return read_parquet(file.path, room)
    except ParquetError as error:
        facts = error.facts
        if facts is not None:
            raise InputError(
                f"{file.name}: {facts.records} records of {facts.width} columns; that is more than is read at once; "
                "give fewer records or columns"
            ) from None
        if error.reason == "memory":
            raise InputError(
                f"{file.name}: more memory than it may take is needed to read it; give fewer records or columns"
            ) from None
    raise InputError(f"{file.name}: not a parquet file, or a broken one; write it again")


def _read_ndjson(file: _File) -> pl.DataFrame:
    with utf8_copy(file.path, file.name, file.encoding) as path:
        _check_file(path, file.name)
        with path.open("rb") as lines:  # of a path, polars would take * and ? for wildcards
            try:
                return pl.read_ndjson(lines, infer_schema_length=None)
            except TROUBLE:
                lines.seek(0)
                raise _json_fault(file.name, lines) from None


def _read_json(file: _File) -> pl.DataFrame:
    with utf8_copy(file.path, file.name, file.encoding) as path:
        if file.layout is not None and not (_is_array(path) and file.layout.records is None):
            return _frame_from_records(load_records(path, file.name, file.layout.records), file.name)
        _check_file(path, file.name)
        try:
            return pl.read_json(path, infer_schema_length=None)
        except TROUBLE:
            raise InputError(
                f"{file.name}: not an array of flat objects of which each field has one type; write one "
                "object per record, or ndjson"
            ) from None


def _is_array(path: Path) -> bool:
    """Whether a file begins as a json array does."""
    with path.open("rb") as file:
        return file.read(_TAIL).lstrip().startswith(b"[")


def _frame_from_records(records: list[Any], name: str) -> pl.DataFrame:
    lines = [json.dumps(record).encode() for record in records]
    text = b"\n".join(lines)
    _check_fields(BytesIO(text), len(text), name)
    try:
        return pl.read_ndjson(text, infer_schema_length=None)
    except TROUBLE:
        raise _json_fault(name, lines) from None


def _json_fault(name: str, lines: Iterable[bytes]) -> InputError:
    """Find the first line that polars could not take, and say why."""
    for number, line in enumerate(lines, 1):
        try:
            record = parse_line(line, name, number) if line.strip() else {}
        except InputError as error:
            return error
        if not isinstance(record, dict):
            return InputError(f"{name}, line {number}: not an object; write one object per line")
        if not all(isinstance(value, _SCALARS) for value in record.values()):
            return InputError(
                f"{name}, line {number}: nested values are not read from table files; give every field one "
                "text, number or date"
            )
    return InputError(f"{name}: no records, or a field that mixes types; give each field one type")


def _read_labelled_file(file: _File) -> pl.DataFrame:
    layout = file.layout or Layout()
    room = min(file.limit, max(_FREE, _RATIO * file.path.stat().st_size))
    frame, variables = read_labelled(
        file.path,
        file.name,
        file.encoding,
        room,
        codes=layout.values == "codes",
        codebook=layout.codebook,
        released=file.released,
    )
    file.variables.update(variables)
    return frame


_READERS: dict[str, Callable[[_File], pl.DataFrame]] = {
    "csv": _read_csv,
    "parquet": _read_parquet,
    "ndjson": _read_ndjson,
    "json": _read_json,
    "xlsx": lambda file: read_workbook(file.path, file.name, file.limit, file.layout),
    "labelled": _read_labelled_file,
    "fimi": lambda file: read_fimi(file.path, file.name),
}


_UNTYPED = ("ndjson", "json", "labelled")
"""Readers that give a column the type that fits all of its values."""

_SHEET = "open it in a spreadsheet program and save it as .xlsx"
_SAVED = {
    ".xls": _SHEET,
    ".ods": _SHEET,
    ".xlsb": _SHEET,
    ".numbers": _SHEET,
    ".zip": "unpack it, and give the file",
}
"""How what people have becomes what can be read."""


def _find_format(name: str) -> FileFormat:
    """The format of a table file; the package that reads it is there."""
    format = format_of(name)
    if format is None or not format.table:
        if advice := _SAVED.get(ending_of(name)):
            raise InputError(f"{name}: no reader for this extension; {advice}")
        endings = [ending for ending, file_format in ENDINGS.items() if file_format.table]
        raise InputError(
            f"{name}: no reader for this extension; {suggest_name(ending_of(name), endings)}, each also with .gz"
        )
    if format.needs is not None:
        package, extra = format.needs
        try:
            import_module(package)
        except ImportError:
            raise ExtraError.of(name, package, extra) from None
    return format


def scan_table(
    path: Path, *, delimiter: str | None = None, encoding: str | None = None, layout: Layout | None = None
) -> pl.LazyFrame | None:
    """The records of a file, none of them read yet; None where the file must be read at once to be read right.

    Parquet and ndjson are scanned as they are; a table that is only a part of its file by its `layout` is not. A text
    file is scanned if it is UTF-8 without a mark and tidy:
    every record as wide as the header, every quote in its place. Its cells are text, an empty cell is empty text.

    Raises
    ------
    InputError
        The header of a text file does not name every column.
    """
    format = ENDINGS.get(path.suffix.lower())
    if format is None or not path.is_file() or layout:
        return None  # `read` says what is wrong
    if format.reader == "parquet":
        return _try_scan(lambda: scan_parquet(path))
    if encoding is not None and encoding.lower() not in ("utf-8", "utf8"):
        return None
    if format.reader == "ndjson":
        return _scan_lines(path)
    if format.reader != "csv":
        return None
    rows = _scan_delimited(path, delimiter or format.delimiter)
    if rows is None or layout is None or not ends_in_totals(rows):
        return rows
    return None  # all of it must be read to see whether that row is one of totals


def _try_scan(begin: Callable[[], pl.LazyFrame]) -> pl.LazyFrame | None:
    """A scan whose columns can be told."""
    try:
        with silence_native_output():
            rows = begin()
            rows.collect_schema()
        return rows
    except TROUBLE:
        return None


def _scan_lines(path: Path) -> pl.LazyFrame | None:
    try:
        _check_file(path, path.name)
    except InputError:
        return None
    return _try_scan(lambda: pl.scan_ndjson(path, infer_schema_length=None))


def _scan_delimited(path: Path, delimiter: str | None) -> pl.LazyFrame | None:
    with path.open("rb") as file:
        if file.read(4).startswith(_MARKS):
            return None
    try:
        separator = delimiter or delimited.detect_delimiter(path)
        with closing(delimited.iter_records(path, path.name, separator)) as rows:
            file_header = next(rows, [])
    except (UnicodeDecodeError, InputError):
        return None
    header = delimited.name_header(file_header)
    delimited.check_header(header, path.name)
    if not delimited.is_tidy(path, ord(separator), len(header)):
        return None
    frame = _try_scan(lambda: pl.scan_csv(path, separator=separator, infer_schema=False, glob=False))
    if frame is None or frame.collect_schema().names() != file_header:
        return None
    return frame.rename(dict(zip(file_header, header, strict=True))).with_columns(pl.all().fill_null(""))


def _check_file(path: Path, name: str) -> None:
    with path.open("rb") as file:
        _check_fields(file, path.stat().st_size, name)


def _check_fields(file: BinaryIO, size: int, name: str) -> None:
    """Refuse half a character, more fields than a table has columns, or records that have nearly none of them."""
    names: set[bytes] = set()
    records, tail = 0, b""
    while block := file.read(_BLOCK):
        data = tail + block
        names.update(_FIELD_NAME.findall(data))
        records += block.count(b"{")
        tail = block[-_TAIL:]
        refuse_wide(len(names), name)
        if b"\\u" in data and _HALF.search(data if len(block) == _BLOCK else data + b" " * 6):
            raise InputError(f"{name}: half of a character that has two parts; write the whole character")
    if records * len(names) * _CELL > max(_FREE_PLACES, _PLACES_RATIO * size):
        raise InputError(
            f"{name}: {len(names)} different fields, of which most are absent from nearly all records; give each "
            "record the same fields"
        )
