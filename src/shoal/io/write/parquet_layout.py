"""All that a released parquet file says beside its records, where a forger could hide a mark.

It serves the judge of the written form alone; how foreign files are read is in `shoal.io.read.parquet`. No library
serves: pyarrow is an extra, and neither it nor polars shows the heads of pages and the size of dictionaries. Writing a
release again and comparing its bytes does not either: they differ from one polars to the next, and on Spark.

A file ends with a description of its column chunks. Each chunk is a row of pages, and each page has a head. Both are
structs of thrift's compact protocol, which are read here as field numbers with their values.
"""

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["BrokenPagesError", "Chunk", "ParquetLayout", "read_parquet_layout"]

_MAGIC, _TAIL = b"PAR1", 8
_DEEPEST = 16  # structs within structs; a file has five
_DATA, _INDEX, _DICTIONARY, _DATA_2 = range(4)
_HEAD = {_DATA: 5, _INDEX: 6, _DICTIONARY: 7, _DATA_2: 8}  # the field that holds the counts of a kind of page
_SCHEMA, _RECORDS, _ROW_GROUPS = 2, 3, 4
_COLUMNS, _META, _PATH, _ROWS = 1, 3, 3, 3
_INDICES = (4, 5), (6, 7)  # of a column chunk: where a description of its pages begins, and how long it is
_VALUES, _FIRST_DATA, _FIRST_DICTIONARY = 5, 9, 11
_WHOLE = (3, 4, 5, 6)  # types: byte, i16, i32, i64
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12


class BrokenPagesError(OSError):
    """The file is no parquet file, or its pages are not what it says of them."""


class Chunk(NamedTuple):
    """A column chunk: the name of its column, the row group, all that is said of it, and the heads of its pages."""

    column: str
    group: int
    told: dict[int, Any]
    heads: list[dict[int, Any]]
    indices: list[dict[int, Any]]


class ParquetLayout(NamedTuple):
    """How a file is laid out.

    described : the description at its end, by the numbers of thrift's fields
    rows      : how many rows each row group has
    whole     : whether pages and descriptions fill the file, so that nothing lies between them
    """

    described: dict[int, Any]
    rows: list[int]
    chunks: list[Chunk]
    whole: bool


def read_parquet_layout(path: Path) -> ParquetLayout:
    """Read all that a file says of itself beside its records.

    Raises
    ------
    BrokenPagesError
        A count is negative or larger than the file says elsewhere, or the file ends within a page.
    """
    with _map_file(path) as data:
        return _read_layout(data)


@contextmanager
def _map_file(path: Path) -> Iterator[mmap.mmap]:
    """The bytes of a file; whatever goes wrong in their midst is a fault of the file."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data
    except (ValueError, LookupError, TypeError, AttributeError, struct.error) as error:
        raise BrokenPagesError("the pages of the file cannot be read") from error


def _read_layout(data: mmap.mmap) -> ParquetLayout:
    described, begin, end = _read_description(data)
    groups = described.get(_ROW_GROUPS, [])
    chunks: list[Chunk] = []
    filled = [(0, 4), (begin, len(data))] if end == len(data) - _TAIL else []
    for number, group in enumerate(groups):
        for column_chunk in group[_COLUMNS]:
            meta = column_chunk[_META]
            heads = []
            for head, page_begin, stop in _read_heads(data, meta):
                heads.append(head)
                filled.append((page_begin, stop))
            filled.append(_find_copy(data, meta, filled[-1][1] if heads else -1))
            indices = []
            for offset_field, size in _INDICES:
                if offset_field in column_chunk:
                    index, stop = _read_struct(data, column_chunk[offset_field], 0)
                    _require(stop == column_chunk[offset_field] + column_chunk[size])
                    indices.append(index)
                    filled.append((column_chunk[offset_field], stop))
            chunks.append(Chunk(b".".join(meta[_PATH]).decode(), number, column_chunk, heads, indices))
    filled = sorted(span for span in filled if span[0] < span[1])
    is_complete = bool(filled) and all(a[1] == b[0] for a, b in pairwise(filled))
    return ParquetLayout(described, [group[_ROWS] for group in groups], chunks, is_complete)


def _find_copy(data: mmap.mmap, meta: dict[int, Any], at: int) -> tuple[int, int]:
    """Where a copy of what the file's end says of a chunk stands behind the chunk; nowhere where there is none."""
    try:
        copy, stop = _read_struct(data, at, 0)
    except (ValueError, LookupError, TypeError, OSError):
        return 0, 0
    return (at, stop) if at > 0 and copy == meta else (0, 0)


def _read_description(data: mmap.mmap) -> tuple[dict[int, Any], int, int]:
    """The description at the end of a file, and the places where it begins and ends."""
    size = int.from_bytes(data[-_TAIL:-4], "little")
    begin = len(data) - _TAIL - size
    _require(data[-4:] == _MAGIC == data[:4] and begin >= 4)
    described, end = _read_struct(data, begin, 0)
    _require({_SCHEMA, _RECORDS} <= described.keys())
    return described, begin, end


def _read_heads(data: mmap.mmap, chunk: dict[int, Any]) -> Iterator[tuple[dict[int, Any], int, int]]:
    """The head of each page of a chunk, until all of its values are there, and where the page begins and ends."""
    begin = chunk.get(_FIRST_DICTIONARY) or chunk[_FIRST_DATA]
    position, values, value_count = min(begin, chunk[_FIRST_DATA]), chunk[_VALUES], 0
    _require(position >= 4 and values >= 0)
    while value_count < values:
        begin = position
        head, body = _read_struct(data, position, 0)
        kind, unpacked, packed = head[1], head[2], head[3]
        position = body + packed
        _require(packed >= 0 and unpacked >= 0 and position <= len(data))
        page_values = head[_HEAD[kind]].get(1, 0)
        _require(0 <= page_values <= (unpacked if kind == _DICTIONARY else values - value_count))
        if kind == _DATA_2:
            _require(0 <= head[_HEAD[kind]][2] <= page_values)
        if kind in (_DATA, _DATA_2):
            value_count += page_values
        yield head, begin, position


def _read_struct(data: mmap.mmap, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """A struct by the numbers of its fields, and the place behind it."""
    _require(depth < _DEEPEST)
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _read_signed(data, at)
        kind = head & 15
        if kind in (_TRUE, _FALSE):  # a truth has no value, for its type says it
            fields[number] = kind == _TRUE
        else:
            fields[number], at = _read_value(data, at, kind, depth)
    return fields, at + 1


def _read_value(data: mmap.mmap, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (_TRUE, _FALSE, _BYTE):
        return data[at], at + 1
    if kind in _WHOLE:
        return _read_signed(data, at)
    if kind == _DOUBLE:
        return None, at + 8
    if kind == _BINARY:
        size, at = _read_unsigned(data, at)
        return data[at : at + size], _require_inside(data, at + size)
    if kind in (_LIST, _SET):
        return _read_list(data, at, depth)
    _require(kind == _STRUCT)  # no description has a map
    return _read_struct(data, at, depth + 1)


def _read_list(data: mmap.mmap, at: int, depth: int) -> tuple[list[Any], int]:
    head, at = data[at], at + 1
    size, at = _read_unsigned(data, at) if head >> 4 == 15 else (head >> 4, at)
    _require_inside(data, at + size)  # each takes a byte at least
    entries = []
    for _ in range(size):
        entry, at = _read_value(data, at, head & 15, depth + 1)
        entries.append(entry)
    return entries, at


def _read_signed(data: mmap.mmap, at: int) -> tuple[int, int]:
    """A whole number with a sign."""
    bare, at = _read_unsigned(data, at)
    return (bare >> 1) ^ -(bare & 1), at


def _read_unsigned(data: mmap.mmap, at: int) -> tuple[int, int]:
    """A whole number without a sign: seven bits a byte, the lowest first."""
    number = 0
    for shift in range(0, 70, 7):
        byte, at = data[at], at + 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
    raise BrokenPagesError("a number is too long")


def _require_inside(data: mmap.mmap, at: int) -> int:
    _require(at <= len(data))
    return at


def _require(sound: bool) -> None:
    if not sound:
        raise BrokenPagesError("the pages of the file do not match its description of them")
