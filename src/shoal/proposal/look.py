"""A first look at data that nobody has described: some records as they are, for their owner alone.

The first records are read without reading all of a file, where that can be.
"""

import csv
import gzip
import json
import os
import re
import warnings
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError, ShoalWarning
from shoal.io.config import parse_reading_keys
from shoal.io.formats import format_of, is_database
from shoal.io.read.cells import cell_texts
from shoal.io.read.delimited import STATED, guess_delimiter, name_header
from shoal.io.read.files import unzip, utf8_copy
from shoal.io.read.layout import SAMPLE, Layout, LayoutError, find_header, join_header
from shoal.io.read.nested_records import load_records, xml_records
from shoal.io.read.parquet import read_head
from shoal.io.read.source import from_frame
from shoal.io.read.sql import read_rows, read_schema, url_of_file
from shoal.io.read.table import read
from shoal.io.read.tree_tables import files_of
from shoal.report.facts import to_json_value
from shoal.report.words import shorten_label

__all__ = ["Sample", "guess_encoding", "sample_records"]

_RUNS = re.compile(rb"[\x80-\xff]+")
_LITTLE = 16  # bytes of different words, from which East Asian encodings cannot be told apart: the most usual is taken
_GUESSED = 500  # lines that are not ASCII show the encoding
_WEST, _TURKISH, _MIDDLE, _BALTIC = "cp1252", "cp1254", "cp1250", "cp1257"
_ALPHABETS = (
    (_WEST, "äöüßéèàçë"), (_WEST, "àâæçèéêëîïôœùûüÿ"), (_WEST, "áéíóúüñ"), (_WEST, "àèéìíîòóùú"), (_WEST, "åäöéü"),
    (_WEST, "æøåäöüéèêóòâô"), (_WEST, "éëïöüáèíóúê"), (_WEST, "àçèéíïòóúüñ"), (_TURKISH, "çğıöşüâîûİ"),
    (_BALTIC, "äöõüšž"), (_MIDDLE, "ąćęłńóśźż"), (_MIDDLE, "áčďéěíňóřšťúůýž"), (_MIDDLE, "áäčďéíĺľňóôŕšťúýž"),
    (_MIDDLE, "áéíóöőúüű"), (_MIDDLE, "ăâîşţ"), (_MIDDLE, "čćđšž"), (_WEST, "ãõáéíóúâêôàçü"), (_WEST, "áéíóúýþæöð"),
    (_BALTIC, "ąčęėįšųūž"), (_BALTIC, "āčēģīķļņšūž"),
)  # fmt: skip
"""Encodings, and the letters beyond ASCII of one language that is written in it; of two that fit, the first counts."""
_SCRIPTS = ("cp1251", "cp1253")  # Cyrillic and Greek
_LIKE_SCRIPTS = (*_SCRIPTS, "mac_cyrillic", "mac_greek", "iso8859_5", "iso8859_7")  # what these are taken for
_SIGNS_OF_ALL = "\xa0\xad«»·°§€£…–—‘’‚“”„•²³½¼¾±×µ№™®©´¿¡ªº"
_BROKEN = re.compile(
    r"[^\W\d_][¹²³¿¡ªº°§±×µ«»·£]|[a-zà-öø-ÿα-ώа-я][A-ZÀ-ÖØ-ÞΑ-ΫА-Я]"
)  # no sign or capital is within a word

Record = Mapping[str, Any]

_SOME = 1 << 20  # bytes of a text file that are looked at
_MARKS = {BOM_UTF8: "utf-8-sig", BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}

_RECORDS = 20
_SIGNS = 80  # of a cell
_COLUMNS = 500
_TABLES = 20
_ENTRIES = 20  # of a list in a cell
_DEEPEST = 5


def guess_encoding(path: Path) -> str:
    """How text that is not UTF-8 was most likely written; latin-1 where the file cannot be had."""
    try:
        return _detect_encoding(_read_beginning(path)[0])
    except (OSError, EOFError, zlib.error):
        return "latin-1"


def _detect_encoding(some: bytes) -> str:
    """The encoding by the bytes beyond ASCII; any byte is something in the last one, so there is an answer always.

    Of Latin letters it is one in which all are of one language, and words are whole. Else the guess of a library is
    taken, which is by how often letters stand beside each other, and wants much text.
    """
    lines = list(dict.fromkeys(line for line in some.splitlines() if not line.isascii()))
    complete_lines = lines if len(some) < _SOME else lines[:-1]  # the last one is cut, maybe within a sign
    beyond = b"\n".join(complete_lines[:_GUESSED])
    fits = [encoding for encoding, alphabet in _ALPHABETS if _fits(beyond, encoding, alphabet)]
    if not fits:
        from charset_normalizer import from_bytes  # heavy, and most files are UTF-8

        best = from_bytes(beyond).best()
        guess = _WEST if best is None else best.encoding
        little = sum(map(len, set(_RUNS.findall(beyond)))) < _LITTLE
        guess = "gb18030" if little and guess not in _LIKE_SCRIPTS and _can_decode(some, "gb18030") else guess
        same = beyond.decode(guess, "replace") == beyond.decode(_WEST, "replace")
        fits = [*(_SCRIPTS if guess in _LIKE_SCRIPTS else [] if same else [guess]), _WEST]
    read = [encoding for encoding in fits if _can_decode(some, encoding)]
    return min(
        read, key=lambda encoding: len(_BROKEN.findall(beyond.decode(encoding, "replace"))), default="latin-1"
    )


def _fits(some: bytes, encoding: str, alphabet: str) -> bool:
    """Whether all signs beyond ASCII are of an alphabet, or of all."""
    try:
        signs = {sign for sign in some.decode(encoding) if not sign.isascii()}
    except UnicodeDecodeError:
        return False
    return signs <= {*alphabet, *alphabet.upper(), *_SIGNS_OF_ALL}


def _read_beginning(path: Path) -> tuple[bytes, bool]:
    """The first bytes of a text file, and whether that is all of it."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        return file.read(_SOME), not file.read(1)


def _can_decode(some: bytes, encoding: str) -> bool:
    """Whether the bytes are text in an encoding; the last few may be cut short."""
    for cut in range(4):
        try:
            some[: len(some) - cut].decode(encoding)
        except UnicodeDecodeError:
            continue
        return True
    return False


def _read_first_records(path: Path, most: int, layout: Layout | None = None) -> list[Record]:
    """At most so many records of a file, each by the names of its fields; its extension says how it is read.

    `layout` says where the table stands in it, where somebody knows that.

    Raises
    ------
    InputError
        The file cannot be had, or nothing in it can be read.
    """
    if not path.is_file():
        raise InputError(f"{path.name}: not found, or not a file; check the path")
    format = format_of(path.name)
    reader = _read_any_table if format is None else _READERS.get(format.reader, _read_any_table)
    try:
        return list(islice(_read_any_table(path, layout) if layout else reader(path), most))
    except (OSError, EOFError, zlib.error, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise InputError(f"{path.name}: cannot be read; check the file") from None


def _read_text(path: Path) -> tuple[str, bool]:
    """The beginning of a text file, and whether that is all of it."""
    head, is_complete = _read_beginning(path)
    codec = next((codec for mark, codec in _MARKS.items() if head.startswith(mark)), "utf-8")
    try:
        return _decode(head, codec, is_complete), is_complete
    except UnicodeDecodeError:
        return _decode(head, _detect_encoding(head), is_complete), is_complete


def _decode(some: bytes, codec: str, whole: bool) -> str:
    """Bytes as text; a sign that was cut at their end is left out."""
    return getincrementaldecoder(codec)().decode(some, whole)


def _read_lines(path: Path) -> Iterator[str]:
    """Whole lines of the beginning that are not empty."""
    text, is_complete = _read_text(path)
    lines = text.splitlines()
    return (line for line in (lines if is_complete else lines[:-1]) if line.strip())


def _csv(path: Path) -> Iterator[Record]:
    text, is_complete = _read_text(path)
    format = format_of(path.name)
    delimiter = None if format is None else format.delimiter
    line = STATED.match(text[:16].encode())
    if line is not None:
        delimiter, text = line[1].decode(), text[line.end() :]
    reader = csv.reader(
        StringIO(text, newline=""), delimiter=delimiter or guess_delimiter(text, whole=is_complete)
    )
    rows = list(islice(_rows_until_error(reader), SAMPLE))
    layout = _locate_header(rows, path.name)
    names = name_header(join_header([rows[row - 1] for row in layout.header]) if layout.header else [])
    below = iter(rows[layout.header[-1] :] if layout.header else [])
    records = (
        row for row in (below if is_complete and len(rows) < SAMPLE else _drop_last(below)) if any(row)
    )
    return (dict(zip(names, row, strict=False)) for row in records)


def _locate_header(rows: Sequence[list[str]], name: str) -> Layout:
    """Where the names of columns stand, whether somebody has written it or not."""
    try:
        return find_header(rows, name, Layout())
    except LayoutError as error:
        return error.layout


def _rows_until_error(rows: Iterable[list[str]]) -> Iterator[list[str]]:
    try:
        yield from rows
    except csv.Error:  # whoever reads all of it tells where
        return


def _drop_last(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """All but the last, which may be cut short."""
    before = next(rows, None)
    for row in rows:
        assert before is not None
        yield before
        before = row


def _ndjson(path: Path) -> Iterator[Record]:
    for line in _read_lines(path):
        try:
            yield _as_record(json.loads(line))
        except (ValueError, RecursionError):
            return


def _json(path: Path) -> Iterator[Record]:
    """The objects of an array one by one, as far as the beginning goes; of another file, what is found in it."""
    text = _read_text(path)[0]
    if not text.lstrip().startswith("["):
        yield from _json_records(path)
        return
    decoder, position = json.JSONDecoder(), text.find("[") + 1
    while position:
        position += len(text[position:]) - len(text[position:].lstrip(" \t\r\n,"))
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        yield _as_record(value)


def _json_records(path: Path) -> Iterator[Record]:
    """The records of a json file that is no array."""
    with unzip(path) as packed, utf8_copy(packed, path.name) as plain:
        try:
            records = load_records(plain, path.name, None)
        except LayoutError as error:
            records = load_records(plain, path.name, error.layout.records)
    yield from map(_as_record, records)


def _as_record(found: Any) -> Record:
    return found if isinstance(found, dict) else {"value": found}


def _fimi(path: Path) -> Iterator[Record]:
    return ({"items": line.split()} for line in _read_lines(path))


def _xml(path: Path) -> Iterator[Record]:
    with unzip(path) as plain:
        for _, record in xml_records(plain, path.name):
            yield record


def _parquet(path: Path) -> Iterator[Record]:
    with unzip(path) as plain:
        rows = read_head(plain, 100)
    yield from rows.iter_rows(named=True)


def _read_any_table(path: Path, layout: Layout | None = None) -> Iterator[Record]:
    """Whatever else a table may be in; only the whole of it can be read, and where it stands is found on the way."""
    layout = layout or Layout()
    while True:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ShoalWarning)
                return iter(read(path, layout=layout).frame.head(100).iter_rows(named=True))
        except LayoutError as error:
            if error.layout == layout:
                raise
            layout = error.layout


_READERS: dict[str, Callable[[Path], Iterator[Record]]] = {
    "csv": _csv,
    "ndjson": _ndjson,
    "json": _json,
    "fimi": _fimi,
    "xml": _xml,
    "parquet": _parquet,
}


class _Anything:
    """Every name: what stands in a column is not refused here."""

    def __contains__(self, name: object) -> bool:
        return True


@dataclass(frozen=True, slots=True, repr=False)
class SampledRecords(SafeRepr):
    """Records of one table: its columns, cells as text (None where there is none), and whether more records follow."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str | None, ...]]
    more: bool


@dataclass(frozen=True, repr=False)
class Sample(SafeRepr):
    """Some records: of a file one part, of a folder or a database one for each table. It shows originals."""

    parts: tuple[SampledRecords, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        facts: dict[str, Any] = to_json_value(self)
        return facts


def sample_records(data: Any, *, settings: Mapping[str, Any] | None = None, rows: int = _RECORDS) -> Sample:
    """The first records of a file, a folder of tables, a database, a frame or nested records, whatever they are.

    `settings` are keys of [data] that somebody has stated for one file.
    Nothing is proposed, and most files are not read to their end. Long cells are cut; what is nested is told in words.

    Raises
    ------
    InputError
        It cannot be had, or is nothing that can be read.

    Examples
    --------
    >>> sample = sample_records([{"name": "Ann", "visits": [{"ward": "A", "ill": ["flu", "gout"]}, {"ward": "B"}]}])
    >>> sample.parts[0].columns, sample.parts[0].rows[0]
    (('name', 'visits'), ('Ann', 'ward: A, ill: (flu, gout); ward: B'))
    """
    if isinstance(data, str | os.PathLike) and "://" not in str(data) and is_database(Path(data).name):
        data = url_of_file(Path(data))
    if isinstance(data, str) and "://" in data:
        return Sample(
            tuple(_sample_table(data, name, rows) for name in islice(read_schema(data)[0], _TABLES))
        )
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        files = files_of(path) if path.is_dir() else {path.name: path}
        named_files = islice(files.items(), _TABLES)
        layout = parse_reading_keys(settings, path).layout if settings else None
        return Sample(
            tuple(
                _make_part(name, _read_first_records(file, rows + 1, layout), rows)
                for name, file in named_files
            )
        )
    if isinstance(data, list) and all(isinstance(record, Mapping) for record in data):
        return Sample((_make_part("records", data, rows),))
    return Sample((_sample_frame("frame", from_frame(data).frame.head(rows + 1), rows),))


def _sample_table(url: str, table: str, rows: int) -> SampledRecords:
    try:
        source = read_rows(url, table, nested=_Anything(), most=rows + 1)
    except InputError:  # a table without rows, say
        return SampledRecords(table, (), (), more=False)
    return _sample_frame(table, source.frame, rows)


def _sample_frame(name: str, frame: pl.DataFrame, rows: int) -> SampledRecords:
    readable = (column for column in frame.iter_columns() if column.dtype not in (pl.Binary, pl.Object))
    plain = [column if column.dtype.is_nested() else cell_texts(column) for column in readable]
    return _make_part(name, list(pl.DataFrame(plain).iter_rows(named=True)), rows)


def _make_part(name: str, records: Sequence[Record], rows: int) -> SampledRecords:
    head = records[:rows]
    columns = tuple(islice(dict.fromkeys(key for record in head for key in record), _COLUMNS))
    cells = [
        tuple(
            None if record.get(column) is None else shorten_label(_describe_value(record[column]), _SIGNS)
            for column in columns
        )
        for record in head
    ]
    return SampledRecords(name, columns, cells, more=len(records) > rows)


def _describe_value(value: Any, deep: int = 0) -> str:
    """A value in words: fields with their names, lists with commas, inner ones in brackets."""
    if deep > _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        description = ", ".join(f"{key}: {_inner_words(part, deep + 1)}" for key, part in value.items())
    elif isinstance(value, list | tuple):
        between = "; " if any(isinstance(part, Mapping) for part in value) else ", "
        cut = ["…"] if len(value) > _ENTRIES else []
        description = between.join([*(_describe_value(part, deep + 1) for part in value[:_ENTRIES]), *cut])
    elif isinstance(value, bool):
        description = "true" if value else "false"
    elif isinstance(value, float):
        description = str(value).removesuffix(
            ".0"
        )  # Excel has no whole numbers; they are published without it too
    else:
        description = "" if value is None else str(value)
    return description


def _inner_words(value: Any, deep: int) -> str:
    description = _describe_value(value, deep)
    return f"({description})" if isinstance(value, Mapping | list | tuple) else description
