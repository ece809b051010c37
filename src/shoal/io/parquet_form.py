"""A released parquet file, looked at for what it says beside its records: no release says more than its columns."""

import json
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.io.parquet_pages import Chunk, Layout, layout_of

__all__ = ["Spellings", "odd_parquet"]

# Who wrote the file: polars, or of large releases Spark; nobody's name fits in between.
_POLARS = re.compile(rb"Polars( \(\w{1,10}\))?( version [0-9.]{1,20}( \(build [0-9a-f]{7,40}\))?)?")
_SPARK = re.compile(rb"parquet-mr version [0-9.]{1,20}(-\w{1,10})? \(build [0-9a-f]{7,40}\)")
_ROOTS = {b"root", b"spark_schema"}
_ARROW, _ROW, _VERSION = (
    b"ARROW:schema",
    b"org.apache.spark.sql.parquet.row.metadata",
    b"org.apache.spark.version",
)
_SCHEMA, _GROUPS, _TEXTS, _WRITER = 2, 4, 5, 6  # of the description at the end
_COLUMNS = 1  # of a row group
_NAME = 4  # of a column there
_META, _FILE, _CRYPTO = 3, 1, (8, 9)  # of a column chunk
_KIND, _PATH, _OWN_TEXTS, _BLOOM = 1, 3, 8, (14, 15)  # of what is said about its content
_DICTIONARY, _DATA, _DATA_2 = 2, 0, 3  # kinds of pages
_CODED = (2, 8)  # encodings of pages whose values are places in a dictionary
_BYTES = 6  # the physical type of texts
_WIDTH = {1: 4, 2: 8, 4: 4, 5: 8}  # bytes of numbers
_LONG = 64  # bytes of the least and the largest text of a page that are told; the last may be counted up


def odd_parquet(path: Path, *, old: bool = False) -> str | None:
    """What a file holds that polars, or Spark, does not write for these records; None where there is nothing.

    Looked at is all that any reader shows: names, texts about the file and its columns, dictionaries, the least and
    the largest values. `old` lets a dictionary stand beside values outside it, as Spark wrote in version 0.2.

    Raises
    ------
    BrokenPagesError
        It is no parquet file, or a broken one.
    """
    layout = layout_of(path)
    frame = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    return next(_odd(layout, frame, old), None)


def _odd(layout: Layout, frame: pl.LazyFrame, old: bool) -> Iterator[str]:
    schema = frame.collect_schema()
    if not layout.whole:
        yield "bytes that belong to no column"
    if not _plain_texts(layout.described, schema):
        yield "metadata that no release has"
    begins = np.r_[0, np.cumsum(layout.rows)].tolist()
    spelled = Spellings()
    for chunk in layout.chunks:
        if chunk.column not in schema:
            yield "a column that readers do not see"
            return
        some = frame.select(chunk.column).slice(begins[chunk.group], layout.rows[chunk.group])
        cells = some.collect().to_series()
        yield from _odd_chunk(chunk, cells, old)
        if spelled.several(cells):
            yield "a number, or a missing one, that is written in several ways"


def _plain_texts(described: dict[int, Any], schema: pl.Schema) -> bool:
    """Whether all that is said of the file and its columns follows from the names and types of the columns."""
    names = [name.encode() for name in schema]
    root, *columns = described[_SCHEMA]
    texts = {pair.get(1): pair.get(2) for pair in described.get(_TEXTS, [])}
    writer = described.get(_WRITER, b"")
    plain = root.get(_NAME) in _ROOTS and [column.get(_NAME) for column in columns] == names
    plain = plain and not any(_blobs([_without(column, _NAME) for column in described[_SCHEMA]]))
    plain = plain and len(texts) == len(described.get(_TEXTS, []))
    rest = [_without(described, _SCHEMA, _GROUPS, _TEXTS, _WRITER)]
    rest += [_without(group, _COLUMNS) for group in described.get(_GROUPS, [])]
    if any(_blobs(rest)):
        return False
    if _POLARS.fullmatch(writer):
        return plain and texts == _written_for(schema)
    return plain and _SPARK.fullmatch(writer) is not None and _of_spark(texts, names)


def _written_for(schema: pl.Schema) -> dict[bytes, bytes]:
    """The texts that polars writes for such columns."""
    with BytesIO() as file:
        pl.DataFrame(schema=schema).write_parquet(file)
        file.seek(0)
        return {key.encode(): value.encode() for key, value in pl.read_parquet_metadata(file).items()}


def _of_spark(texts: dict[bytes, bytes], names: list[bytes]) -> bool:
    """Whether Spark's texts name the columns and their types alone."""
    if set(texts) - {_ROW, _VERSION} or not re.fullmatch(rb"[0-9.]{1,20}", texts.get(_VERSION, b"1")):
        return False
    if _ROW not in texts:
        return True
    try:
        told = json.loads(texts[_ROW])
        fields = [
            (field["name"].encode(), field["metadata"], re.fullmatch(r"[a-z0-9_(),]{1,20}", field["type"]))
            for field in told["fields"]
        ]
    except (ValueError, TypeError, LookupError, AttributeError):
        return False
    known = {"type": "struct", "fields": [{key: field[key] for key in _FIELD} for field in told["fields"]]}
    exact = json.dumps(known, separators=(",", ":"), ensure_ascii=False).encode() == texts[_ROW]
    return (
        exact
        and [name for name, _, _ in fields] == names
        and all(not more and kind for _, more, kind in fields)
    )


_FIELD = ("name", "type", "nullable", "metadata")


def _odd_chunk(chunk: Chunk, cells: pl.Series, old: bool) -> Iterator[str]:
    """What a column chunk tells beside its cells."""
    meta = chunk.told[_META]
    if _FILE in chunk.told or any(key in chunk.told for key in _CRYPTO):
        yield "a column that lies elsewhere"
    if _OWN_TEXTS in meta or any(key in meta for key in _BLOOM):
        yield "metadata of a column that no release has"
    said = [_without(chunk.told, _META), _without(meta, _PATH), *chunk.heads, *chunk.indices]
    blobs = {blob for part in said for blob in _blobs(part)}
    if not _all_told(blobs, cells):
        yield "a least or largest value that no record has"
    if cells.dtype == pl.String and (cells == "").any():
        yield "empty texts where cells are missing"
    if not _all_used(chunk, cells.drop_nulls().unique(), old):
        yield "values that no record has"


def _all_told(blobs: set[bytes], cells: pl.Series) -> bool:
    """Whether the texts are cells, or the beginnings of long ones; of numbers, whether they are no longer than one."""
    if cells.dtype != pl.String:
        return all(len(blob) <= 16 for blob in blobs)
    known = {cell.encode() for cell in cells.unique() if cell is not None}
    cut = {cell[: _LONG - 1] for cell in known if len(cell) >= _LONG}
    return all(blob in known or not blob or _begins(blob, known, cut) for blob in blobs)


def _begins(blob: bytes, known: set[bytes], cut: set[bytes]) -> bool:
    """Whether a text is how a longer one begins; its last character may be the next one."""
    if blob[: _LONG - 1] in cut:
        return len(blob) <= _LONG
    # a character of several bytes is not cut through
    short = len(blob) >= _LONG - 4 and len(blob) <= _LONG
    return short and any(cell.startswith(blob[:-4]) for cell in known if len(cell) >= _LONG)


def _all_used(chunk: Chunk, values: pl.Series, old: bool) -> bool:
    """Whether every value of a dictionary is one that a record has."""
    tables = [head for head in chunk.heads if head[1] == _DICTIONARY]
    if not tables:
        return True
    encodings = [head[5][2] for head in chunk.heads if head[1] == _DATA]
    encodings += [head[8][4] for head in chunk.heads if head[1] == _DATA_2]
    if len(tables) > 1:
        return False
    held, size = tables[0][7].get(1, 0), tables[0][2]
    if not all(coded in _CODED for coded in encodings):
        return bool(old and held <= len(values))
    kind = chunk.told[_META][_KIND]
    if kind == _BYTES:
        expected = int(values.str.len_bytes().sum()) + 4 * len(values) if values.dtype == pl.String else size
    else:
        expected = _WIDTH[kind] * len(values) if kind in _WIDTH else size
    return bool(held == len(values) and size == expected)


class Spellings:
    """How columns of numbers write what is missing, and zero: as text each is one thing, in bits it may be several."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], set[int | None]] = {}

    def several(self, cells: pl.Series) -> bool:
        """Whether these cells, with those of the same column before them, write one thing in several ways."""
        if not cells.dtype.is_float():
            return False
        there = cells.drop_nulls().to_numpy()
        bits = there.view(f"u{there.dtype.itemsize}")
        gone = self._seen.setdefault((cells.name, "gone"), set())
        gone.update([None] * bool(cells.null_count()), np.unique(bits[np.isnan(there)]).tolist())
        zero = self._seen.setdefault((cells.name, "zero"), set())
        zero.update(np.unique(bits[there == 0]).tolist())
        return len(gone) > 1 or len(zero) > 1


def _without(struct: dict[int, Any], *fields: int) -> dict[int, Any]:
    return {key: value for key, value in struct.items() if key not in fields}


def _blobs(part: Any) -> Iterator[bytes]:
    """Every text in a description."""
    if isinstance(part, bytes):
        yield part
    elif isinstance(part, dict | list):
        for inner in part.values() if isinstance(part, dict) else part:
            yield from _blobs(inner)
