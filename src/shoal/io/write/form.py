"""Whether released files are written in the one way in which shoal writes them.

Whoever forges a release could mark rows by blanks, quotes, escapes, the order of items or another form of a number:
every reader sees such marks, and no judge of the content does. So the content is written again, piece by piece, and
must give the same bytes. The bytes of parquet depend on who packed them, so of them what they tell is looked at.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl
import scipy  # its parts come when they are used

from shoal.base.errors import InputError
from shoal.data.arrays import prefix_sums, row_of_entry
from shoal.io.codebooks import FIRST, NO_BOOKS, Codebook
from shoal.io.formats import LABELLED
from shoal.io.labelled import encode_labelled
from shoal.io.read.files import silence_native_output
from shoal.io.read.table import read
from shoal.io.write.json_text import Entry, dump_json, is_canonical_json, parse_json, read_lists
from shoal.io.write.parquet_layout import BrokenPagesError, Chunk, ParquetLayout, read_parquet_layout
from shoal.io.write.table import csv_cells, unescape_cells

__all__ = [
    "FORM",
    "ComparingFile",
    "Spellings",
    "_noncanonical_parquet",
    "csv_blocks",
    "is_ascending",
    "noncanonical_cells",
    "noncanonical_file",
    "noncanonical_json",
    "noncanonical_lists",
]

_BLOCK = 1 << 24  # bytes that are written again at once
_TROUBLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, RecursionError)
FORM = "text that is not in the one form in which shoal writes it"
"""What is said of content that is another when it is written again."""


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
_FIELD = ("name", "type", "nullable", "metadata")


class ComparingFile(BytesIO):
    """Takes what is written in place of a file, and compares it with the file; `same` says whether it is all of it."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file, self._same = file, True

    def write(self, content: Any, /) -> int:
        """Compare the next bytes; none of them is kept."""
        self._same = self._same and self._file.read(len(content)) == bytes(content)
        return len(content)

    @property
    def same(self) -> bool:
        """Whether the file holds what was written, and nothing behind it."""
        return self._same and not self._file.read(1)


def noncanonical_file(
    path: Path,
    format: str,
    *,
    nested: Collection[str] = (),
    old: bool = False,
    books: Mapping[str, Codebook] | None = NO_BOOKS,
) -> str | None:
    """What a file of cells has that no release has, in words; None where it is as `write` writes it.

    `nested` names columns whose cells are JSON values in ndjson; `old` is passed on to `_noncanonical_parquet`. `books`
    are the public codebooks of the columns of a file with labels; None where an earlier version wrote it.
    """
    try:
        with silence_native_output():
            if format == "parquet":
                return _noncanonical_parquet(path, old=old)
            if format in LABELLED:
                source = read(path, released=books or NO_BOOKS)
                first_code = FIRST if books is not None else 1
                rewritten = encode_labelled(source.frame, format, source.variables, first=first_code)
                return None if rewritten == path.read_bytes() else FORM
            with path.open("rb") as file:
                if format == "csv":
                    is_same = all(_is_canonical_csv(header, block) for header, block in _iter_records(file))
                else:
                    is_same = _are_canonical_records(file) if nested else _are_canonical_lines(file)
    except BrokenPagesError:
        return "pages that cannot be read"
    except _TROUBLE:
        return FORM
    return None if is_same else FORM


def csv_blocks(path: Path, size: int) -> Iterator[pl.DataFrame]:
    """A csv file as text columns, about so many bytes at once, first its header alone; missing cells are null.

    Raises
    ------
    InputError
        A block cannot be read.
    """
    with path.open("rb") as file:
        for header, block in _iter_records(file, size):
            try:
                with silence_native_output():
                    cells = _csv_cells(header, block)
            except _TROUBLE:
                raise InputError(f"{path.name}: not a csv file; give it as it was released") from None
            yield cells


def _iter_records(file: BinaryIO, size: int = _BLOCK) -> Iterator[tuple[bytes, bytes]]:
    """The header of a csv file and some whole records, until all were given; a record ends outside of quotes."""
    buffer = file.readline()
    while buffer.count(b'"') % 2 and (line := file.readline()):
        buffer += line
    header, buffer = buffer, b""
    yield header, b""
    while block := file.read(size):
        buffer += block
        end = len(buffer)
        while (end := buffer.rfind(b"\n", 0, end)) >= 0 and buffer.count(b'"', 0, end) % 2:
            pass
        if end >= 0:
            yield header, buffer[: end + 1]
            buffer = buffer[end + 1 :]
    if buffer:
        yield header, buffer


def _is_canonical_csv(header: bytes, block: bytes) -> bool:
    with BytesIO() as output:
        csv_cells(_csv_cells(header, block)).write_csv(output)
        return output.getvalue() == header + block


def _csv_cells(header: bytes, block: bytes) -> pl.DataFrame:
    cells = unescape_cells(pl.read_csv(BytesIO(header + block), infer_schema=False))
    return cells.with_columns(pl.all().replace("", None))


def _are_canonical_lines(file: BinaryIO) -> bool:
    """Whether lines are as polars writes them, all cells of a column of one type."""
    kinds: dict[str, pl.DataType] = {}
    spelled = Spellings()
    while block := b"".join(file.readlines(_BLOCK)):
        cells = pl.read_ndjson(BytesIO(block), infer_schema_length=None)
        if cells.write_ndjson().encode() != block:
            return False
        kind_of_column = {name: kind for name, kind in cells.schema.items() if kind != pl.Null}
        if any(kinds.setdefault(name, kind) != kind for name, kind in kind_of_column.items()):
            return False
        if any(spelled.several(cells[name]) for name in kind_of_column):
            return False
    return True


def _are_canonical_records(file: BinaryIO) -> bool:
    """Whether lines are as `write_nested` writes them, all cells of a column of one type."""
    kinds: dict[str, type] = {}
    zeros: dict[str, str] = {}
    for line in file:
        record = parse_json(line)
        if f"{dump_json(record)}\n".encode() != line:
            return False
        for name, value in record.items():
            if value == "" or (value is not None and kinds.setdefault(name, type(value)) is not type(value)):
                return False
            if isinstance(value, float) and not value and zeros.setdefault(name, str(value)) != str(value):
                return False
    return True


def noncanonical_cells(frame: pl.DataFrame, nested: Collection[str]) -> str | None:
    """What columns of JSON lists have that no release has; None where they are as `write_lists` writes them."""
    return noncanonical_json(frame, nested) or noncanonical_lists(
        [read_lists(frame[name]) for name in nested]
    )


def noncanonical_json(frame: pl.DataFrame, nested: Collection[str]) -> str | None:
    """What the text of JSON cells has that no release has; None where it is as `write_lists` writes it."""
    return None if all(is_canonical_json(frame[name]) for name in nested) else FORM


def noncanonical_lists(lists: Collection[tuple[Any, Any, tuple[Entry, ...]]]) -> str | None:
    """What lists of items have that no release has: repeats, sets out of order, and items in no one order.

    A release names items in the order of its own vocabulary, which nobody else knows. But it is one order: where one
    list has a before b, none has b before a.

    >>> from shoal.io.write.json_text import read_lists
    >>> noncanonical_lists([read_lists(pl.Series(['["a", "b"]', '["b", "c"]']))]) is None
    True
    >>> noncanonical_lists([read_lists(pl.Series(['["a", "b"]', '["b", "a"]']))])
    'items that stand in another order in some rows than in others, or twice in one'
    """
    code: dict[Entry, int] = {}
    pairs = []
    for start, items, entries in lists:
        if any(isinstance(entry, tuple) and not is_ascending(entry) for entry in entries):
            return "sets whose items are out of order"
        codes = np.array([code.setdefault(entry, len(code)) for entry in entries], dtype=np.int64)
        moved, row = codes[items] if len(items) else np.zeros(0, dtype=np.int64), row_of_entry(start)
        is_same_row = row[1:] == row[:-1]
        pairs.append(np.unique(moved[:-1][is_same_row] << 32 | moved[1:][is_same_row]))
    before, after = np.divmod(np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *pairs])), 1 << 32)
    if (before == after).any() or not _has_one_order(before, after, len(code)):
        return "items that stand in another order in some rows than in others, or twice in one"
    return None


def is_ascending(entry: tuple[str, ...]) -> bool:
    """Whether a set of items is as it is written: at least two, ascending."""
    return len(entry) > 1 and all(a < b for a, b in pairwise(entry))


def _has_one_order(before: Any, after: Any, size: int) -> bool:
    """Whether there is an order in which each stands before what comes after it: no way leads back."""
    if not len(before):
        return True
    ways = scipy.sparse.coo_matrix((np.ones(len(before), dtype=np.int8), (before, after)), shape=(size, size))
    return bool(
        scipy.sparse.csgraph.connected_components(ways, connection="strong", return_labels=False) == size
    )


def _noncanonical_parquet(path: Path, *, old: bool = False) -> str | None:
    """What a file holds that polars, or Spark, does not write for these records; None where there is nothing.

    Looked at is all that any reader shows: names, texts about the file and its columns, dictionaries, the least and
    the largest values. `old` lets a dictionary stand beside values outside it, as Spark wrote in version 0.2.

    Raises
    ------
    BrokenPagesError
        It is no parquet file, or a broken one.
    """
    layout = read_parquet_layout(path)
    frame = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    return next(_find_faults(layout, frame, old), None)


def _find_faults(layout: ParquetLayout, frame: pl.LazyFrame, old: bool) -> Iterator[str]:
    schema = frame.collect_schema()
    if not layout.whole:
        yield "bytes that belong to no column"
    if not _has_plain_metadata(layout.described, schema):
        yield "metadata that no release has"
    begins = prefix_sums(layout.rows).tolist()
    spelled = Spellings()
    for chunk in layout.chunks:
        if chunk.column not in schema:
            yield "a column that readers do not see"
            return
        chunk_rows = frame.select(chunk.column).slice(begins[chunk.group], layout.rows[chunk.group])
        cells = chunk_rows.collect().to_series()
        yield from _find_chunk_faults(chunk, cells, old)
        if spelled.several(cells):
            yield "a number, or a missing one, that is written in several ways"


def _has_plain_metadata(described: dict[int, Any], schema: pl.Schema) -> bool:
    """Whether all that is said of the file and its columns follows from the names and types of the columns."""
    names = [name.encode() for name in schema]
    root, *columns = described[_SCHEMA]
    texts = {pair.get(1): pair.get(2) for pair in described.get(_TEXTS, [])}
    writer = described.get(_WRITER, b"")
    plain = root.get(_NAME) in _ROOTS and [column.get(_NAME) for column in columns] == names
    plain = plain and not any(_find_blobs([_drop_fields(column, _NAME) for column in described[_SCHEMA]]))
    plain = plain and len(texts) == len(described.get(_TEXTS, []))
    other_structs = [_drop_fields(described, _SCHEMA, _GROUPS, _TEXTS, _WRITER)]
    other_structs += [_drop_fields(group, _COLUMNS) for group in described.get(_GROUPS, [])]
    if any(_find_blobs(other_structs)):
        return False
    if _POLARS.fullmatch(writer):
        return plain and texts == _polars_metadata(schema)
    return plain and _SPARK.fullmatch(writer) is not None and _is_spark_metadata(texts, names)


def _polars_metadata(schema: pl.Schema) -> dict[bytes, bytes]:
    """The texts that polars writes for such columns."""
    with BytesIO() as file:
        pl.DataFrame(schema=schema).write_parquet(file)
        file.seek(0)
        return {key.encode(): value.encode() for key, value in pl.read_parquet_metadata(file).items()}


def _is_spark_metadata(texts: dict[bytes, bytes], names: list[bytes]) -> bool:
    """Whether Spark's texts name the columns and their types alone."""
    if set(texts) - {_ROW, _VERSION} or not re.fullmatch(rb"[0-9.]{1,20}", texts.get(_VERSION, b"1")):
        return False
    if _ROW not in texts:
        return True
    try:
        spark_schema = json.loads(texts[_ROW])
        fields = [
            (field["name"].encode(), field["metadata"], re.fullmatch(r"[a-z0-9_(),]{1,20}", field["type"]))
            for field in spark_schema["fields"]
        ]
    except (ValueError, TypeError, LookupError, AttributeError):
        return False
    expected = {
        "type": "struct",
        "fields": [{key: field[key] for key in _FIELD} for field in spark_schema["fields"]],
    }
    exact = json.dumps(expected, separators=(",", ":"), ensure_ascii=False).encode() == texts[_ROW]
    return (
        exact
        and [name for name, _, _ in fields] == names
        and all(not metadata and kind for _, metadata, kind in fields)
    )


def _find_chunk_faults(chunk: Chunk, cells: pl.Series, old: bool) -> Iterator[str]:
    """What a column chunk tells beside its cells."""
    meta = chunk.told[_META]
    if _FILE in chunk.told or any(key in chunk.told for key in _CRYPTO):
        yield "a column that lies elsewhere"
    if _OWN_TEXTS in meta or any(key in meta for key in _BLOOM):
        yield "metadata of a column that no release has"
    descriptions = [_drop_fields(chunk.told, _META), _drop_fields(meta, _PATH), *chunk.heads, *chunk.indices]
    blobs = {blob for part in descriptions for blob in _find_blobs(part)}
    if not _are_cell_values(blobs, cells):
        yield "a least or largest value that no record has"
    if cells.dtype == pl.String and (cells == "").any():
        yield "empty texts where cells are missing"
    if not _is_dictionary_used(chunk, cells.drop_nulls().unique(), old):
        yield "values that no record has"


def _are_cell_values(blobs: set[bytes], cells: pl.Series) -> bool:
    """Whether the texts are cells, or the beginnings of long ones; of numbers, whether they are no longer than one."""
    if cells.dtype != pl.String:
        return all(len(blob) <= 16 for blob in blobs)
    encoded_cells = {cell.encode() for cell in cells.unique() if cell is not None}
    prefixes = {cell[: _LONG - 1] for cell in encoded_cells if len(cell) >= _LONG}
    return all(
        blob in encoded_cells or not blob or _is_prefix(blob, encoded_cells, prefixes) for blob in blobs
    )


def _is_prefix(blob: bytes, known: set[bytes], cut: set[bytes]) -> bool:
    """Whether a text is how a longer one begins; its last character may be the next one."""
    if blob[: _LONG - 1] in cut:
        return len(blob) <= _LONG
    # a character of several bytes is not cut through
    is_cut = len(blob) >= _LONG - 4 and len(blob) <= _LONG
    return is_cut and any(cell.startswith(blob[:-4]) for cell in known if len(cell) >= _LONG)


def _is_dictionary_used(chunk: Chunk, values: pl.Series, old: bool) -> bool:
    """Whether every value of a dictionary is one that a record has."""
    tables = [head for head in chunk.heads if head[1] == _DICTIONARY]
    if not tables:
        return True
    encodings = [head[5][2] for head in chunk.heads if head[1] == _DATA]
    encodings += [head[8][4] for head in chunk.heads if head[1] == _DATA_2]
    if len(tables) > 1:
        return False
    value_count, size = tables[0][7].get(1, 0), tables[0][2]
    if not all(coded in _CODED for coded in encodings):
        return bool(old and value_count <= len(values))
    kind = chunk.told[_META][_KIND]
    if kind == _BYTES:
        expected = int(values.str.len_bytes().sum()) + 4 * len(values) if values.dtype == pl.String else size
    else:
        expected = _WIDTH[kind] * len(values) if kind in _WIDTH else size
    return bool(value_count == len(values) and size == expected)


class Spellings:
    """How columns of numbers write what is missing, and zero: as text each is one thing, in bits it may be several."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], set[int | None]] = {}

    def several(self, cells: pl.Series) -> bool:
        """Whether these cells, with those of the same column before them, write one thing in several ways."""
        if not cells.dtype.is_float():
            return False
        numbers = cells.drop_nulls().to_numpy()
        bits = numbers.view(f"u{numbers.dtype.itemsize}")
        nan_bits = self._seen.setdefault((cells.name, "gone"), set())
        nan_bits.update([None] * bool(cells.null_count()), np.unique(bits[np.isnan(numbers)]).tolist())
        zero_bits = self._seen.setdefault((cells.name, "zero"), set())
        zero_bits.update(np.unique(bits[numbers == 0]).tolist())
        return len(nan_bits) > 1 or len(zero_bits) > 1


def _drop_fields(struct: dict[int, Any], *fields: int) -> dict[int, Any]:
    return {key: value for key, value in struct.items() if key not in fields}


def _find_blobs(part: Any) -> Iterator[bytes]:
    """Every text in a description."""
    if isinstance(part, bytes):
        yield part
    elif isinstance(part, dict | list):
        for inner in part.values() if isinstance(part, dict) else part:
            yield from _find_blobs(inner)
