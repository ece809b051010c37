"""Released trees on disk for certain, and back: what is judged is what was written.

In the form in which they came: nested, or as the same tables. Or, where that is asked for, as nodes in ndjson or xml,
or in a folder with one csv table per class. A table of a class has the columns record, node, parent, value: numbers
that run through all tables, the parent empty under the root. A table `records` numbers the records, those without nodes
too.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.base.stopping import fsync_path
from shoal.data import Trees
from shoal.data.arrays import I8, row_of_entry
from shoal.io.formats import FORMER_TREE_FILES, LINKED_FORMAT, NO_NODES_IN_CELLS, TREE_FILES, TREE_FORMATS
from shoal.io.read.cells import cell_texts, factorize
from shoal.io.read.tree_tables import NDJSON, sort_by_record
from shoal.io.read.trees import DEEPEST
from shoal.io.write.form import ComparingFile, csv_blocks
from shoal.io.write.linked_tables import (
    has_noncanonical_tables,
    read_linked_tables,
    require_linked_tables,
    write_linked_tables,
)
from shoal.io.write.nested_trees import (
    Node,
    code_pieces,
    line_rows,
    node_texts,
    read_nested_records,
    require_nesting,
    write_lines,
    write_nested_records,
    write_xml,
    xml_rows,
)
from shoal.io.write.table import csv_cells, open_durable, read_back, write

__all__ = [
    "_require_table_names",
    "_tables_of",
    "_trees_of_tables",
    "frame_of",
    "noncanonical_trees",
    "read_pieces",
    "read_released",
    "require_form",
    "write_trees",
]

_BATCH = 1 << 16
_BLOCK = 1 << 20  # bytes of a table that are read at once
_MOST_OPEN = 200  # tables that are read side by side


_ODD_RECORDS = "records that are not in the one form in which shoal writes them"
_RECORDS = "records"
_COLUMNS = ("record", "node", "parent", "value")
_NONE = -1
_PLAIN = re.compile(r"^\w[\w.-]{0,99}$", re.ASCII)
_TAKEN = re.compile(r"^(records|con|prn|aux|nul|com\d|lpt\d)(\..*)?$")


def write_trees(trees: Trees, folder: Path, format: str | None = None) -> None:
    """Write released trees into `folder`, and wait until they are on disk; without a format as they came.

    What came nested or from tables and cannot be written so, for relations were given up or names do not allow it, is
    written as nodes. No format holds all the text in memory but tables. There, cells that a spreadsheet would run as a
    formula are escaped, see `write`.

    Raises
    ------
    InputError
        The format is unknown or cannot hold these trees, or the disk is full.
    """
    if format is None:
        *preferred, fallback = _preferred_formats(trees)
        for form in preferred:
            try:
                return _write_format(trees, folder, form)
            except InputError:
                path = folder / TREE_FILES[form]  # a folder of tables is not begun unless they can be had
                path.unlink(missing_ok=True)
        return _write_format(trees, folder, fallback)
    if format not in (*TREE_FORMATS, *FORMER_TREE_FILES):
        raise InputError(f"release.format: '{format}' is unknown; {suggest_name(format, TREE_FORMATS)}")
    form = _choose_format(trees, format)
    if form == "linked tables" and format == LINKED_FORMAT:
        assert trees.nesting is not None
        tables = tuple(replace(table, format="parquet") for table in trees.nesting.tables)
        trees = replace(trees, nesting=replace(trees.nesting, tables=tables))
    return _write_format(trees, folder, form)


def _preferred_formats(trees: Trees) -> Iterator[str]:
    """The formats that show trees as they came, the best first; at last, nodes."""
    if trees.nesting is not None and trees.nesting.strange is None:
        if trees.repeats and trees.nesting.tables:
            yield "linked tables"
        yield _choose_format(trees, "nested")
    yield "ndjson"


def _choose_format(trees: Trees, format: str) -> str:
    """What a format that is asked for means for these trees; refuse nodes in cells."""
    if format == "nested" and trees.repeats:
        return "nested rows"
    tables = trees.nesting.tables if trees.repeats and trees.nesting is not None else ()
    nested = any(table.format == NDJSON for table in tables)  # what parquet cannot hold as it is
    if tables and (format == "tables" or (format == LINKED_FORMAT and not nested)):
        return "linked tables"
    if format in FORMER_TREE_FILES:
        raise InputError(f"release.format: {NO_NODES_IN_CELLS}")
    return format


def require_form(trees: Trees, format: str) -> None:
    """Refuse a format that cannot hold such trees, before anything is made of them."""
    form = _choose_format(trees, format)
    if form in ("nested", "nested rows"):
        require_nesting(trees)
    elif form == "linked tables":
        require_nesting(trees)
        require_linked_tables(trees)
    elif form == "tables":
        _require_table_names(trees.classes)


def _write_format(trees: Trees, folder: Path, format: str) -> None:
    path = folder / TREE_FILES[format]
    if format == "linked tables":
        write_linked_tables(trees, path)
    elif format == "tables":
        _write_tables(trees, path)
    else:
        with open_durable(path) as file:
            _WRITERS[format]([trees], file)


def read_released(folder: Path, format: str) -> Trees:
    """Read released trees; the files may be anyone's, so nothing is trusted.

    Raises
    ------
    InputError
        The files are not what `write_trees` writes; the message names the place.
    """
    return next(read_pieces(folder, format))


def read_pieces(folder: Path, format: str, records: int | None = None) -> Iterator[Trees]:
    """Read released trees, so many records at once (None: all), each piece in codes of its own.

    How nested records are nested is told as far as they were read: by the last piece of all of them.

    Raises
    ------
    InputError
        As `read_released` does. Where records are not read all at once, also where a table does not follow their order.
    """
    path = folder / TREE_FILES[format]
    match format:
        case "nested" | "nested rows":
            yield from read_nested_records(path, records, rows=format == "nested rows")
        case "linked tables":
            yield read_linked_tables(path)
        case "tables" if records is not None:
            yield from _table_pieces(path, records)
        case "tables":
            yield _trees_of_tables(_Tables(path), path.name)
        case _:
            yield from code_pieces(_READERS[format](path), path.name, records)


def noncanonical_trees(pieces: Iterable[Trees], folder: Path, format: str) -> str | None:
    """What files have that no release of the trees, which were read from them, has; None where there is nothing.

    The trees may come in pieces, which have the same classes and values.
    """
    path = folder / TREE_FILES[format]
    if format == "linked tables":
        (trees,) = pieces  # they are read all at once
        return _ODD_RECORDS if has_noncanonical_tables(trees, path) else None
    if format == "tables":
        return None if _are_same_tables(pieces, path) else _ODD_RECORDS
    with path.open("rb") as file:
        comparing_file = ComparingFile(file)
        try:
            _WRITERS[format](pieces, comparing_file)
        except InputError:
            return _ODD_RECORDS
        return None if comparing_file.same else _ODD_RECORDS


def _are_same_tables(pieces: Iterable[Trees], folder: Path) -> bool:
    compared_size: dict[str, int] = {}  # how much of each file was compared
    records = nodes = 0
    for trees in pieces:
        for name, frame in _tables_of(trees, records, nodes).items():
            with BytesIO() as buffer:
                csv_cells(frame).write_csv(buffer, include_header=name not in compared_size)
                text = buffer.getvalue()
            path = folder / f"{name}.csv"
            if not path.is_file() or text != _read_bytes(path, compared_size.get(name, 0), len(text)):
                return False
            compared_size[name] = compared_size.get(name, 0) + len(text)
        records, nodes = records + trees.n, nodes + len(trees.items)
    return {f"{name}.csv": end for name, end in compared_size.items()} == {
        file.name: file.stat().st_size for file in folder.iterdir()
    }


def _read_bytes(path: Path, start: int, size: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read(size)


def frame_of(trees: Trees) -> pl.DataFrame:
    """The trees as a frame of one column, `nodes`, in JSON text."""
    texts, batches = node_texts(trees), [pl.DataFrame(schema={"nodes": pl.String})]
    while batch := list(islice(texts, _BATCH)):  # as objects of Python they are many times larger
        batches.append(pl.DataFrame({"nodes": batch}))
    return pl.concat(batches)


class _Tables(Mapping[str, pl.DataFrame]):
    """The tables of a folder, each read when it is asked for: all together are larger than the trees."""

    def __init__(self, folder: Path) -> None:
        self.files = {file.name.removesuffix(".csv"): file for file in sorted(_list_table_files(folder))}

    def __getitem__(self, name: str) -> pl.DataFrame:
        return read_back(self.files[name], "csv")

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)


def _list_table_files(folder: Path) -> list[Path]:
    """The files of a folder of tables, which holds nothing else."""
    files = list(folder.iterdir()) if folder.is_dir() else []
    if not files or any(file.suffix != ".csv" or not file.is_file() for file in files):
        raise InputError(f"{folder.name}: not a folder of csv tables and nothing else; it was changed")
    return files


_READERS: dict[str, Callable[[Path], Iterator[list[Node]]]] = {
    "ndjson": line_rows,
    "nodes": line_rows,
    "xml": xml_rows,
}
"""The nodes of each record, of files that are made of lines or elements."""


def _write_pieces(write: Callable[[Trees, BinaryIO], None], pieces: Iterable[Trees], file: BinaryIO) -> None:
    for trees in pieces:
        write(trees, file)


_WRITERS: dict[str, Callable[[Iterable[Trees], BinaryIO], None]] = {
    "ndjson": partial(_write_pieces, write_lines),
    "nodes": partial(_write_pieces, write_lines),
    "xml": write_xml,
    "nested": partial(_write_pieces, partial(write_nested_records, rows=False)),
    "nested rows": partial(_write_pieces, partial(write_nested_records, rows=True)),
}


def _write_tables(trees: Trees, path: Path) -> None:
    _require_table_names(trees.classes)
    path.mkdir()
    for name, frame in _tables_of(trees).items():
        write(frame, path / f"{name}.csv", "csv")
    fsync_path(path)


def _require_table_names(classes: Iterable[str]) -> None:
    """Refuse classes whose names could not all be names of files, here or on another system.

    >>> _require_table_names(["visit", "visit.ward"])
    """
    used_names = set[str]()
    for name in classes:
        bare = name.lower()
        if not _PLAIN.match(name) or name.endswith(".") or _TAKEN.match(bare) or bare in used_names:
            raise InputError(
                f"release.format: field '{name[:60]}' cannot name a table's file; rename it or write ndjson"
            )
        used_names.add(bare)


def _tables_of(trees: Trees, records: int = 0, nodes: int = 0) -> dict[str, pl.DataFrame]:
    """One table per class, and one of all records; so many records and nodes stand before them."""
    record = row_of_entry(trees.start) + records
    base = np.repeat(trees.start[:-1], np.diff(trees.start)) + nodes
    parent = np.where(trees.parents < 0, 0, base + trees.parents + 1)
    nodes_frame = pl.DataFrame(
        {
            "record": record + 1,
            "node": np.arange(nodes + 1, nodes + len(record) + 1),
            "parent": pl.Series(parent).replace(0, None),
            "value": pl.Series(trees.values, dtype=pl.String).gather(trees.items),
        }
    )
    kinds = trees.kinds[trees.items]
    table_of_class = {
        name: nodes_frame.filter(pl.Series(kinds == kind)) for kind, name in enumerate(trees.classes)
    }
    return {
        _RECORDS: pl.DataFrame({"record": np.arange(records + 1, records + trees.n + 1)}),
        **table_of_class,
    }


def _trees_of_tables(tables: Mapping[str, pl.DataFrame], name: str) -> Trees:
    """Put the tables of classes together again; they may be anyone's.

    Raises
    ------
    InputError
        A table lacks a column, a number is none, or a node stands twice, in no record or below no other of its record.
    """
    if _RECORDS not in tables:
        raise InputError(f"{name}: no table 'records'; give all tables of the release")
    records = np.sort(_read_numbers(tables[_RECORDS], "record", name, _RECORDS))
    _refuse_other_columns(tables[_RECORDS], _COLUMNS[:1], name, _RECORDS)
    if not _is_consecutive(records):
        raise InputError(f"{name}: table 'records': records are numbered from 1, each once; it was changed")
    pairs: list[tuple[str, str]] = []
    parts = [_read_nodes(tables[kind], kind, name, pairs) for kind in tables if kind != _RECORDS]
    no_nodes = (np.zeros(0, dtype=np.int64),) * 4
    record, node, parent, items = (np.concatenate(columns) for columns in zip(no_nodes, *parts, strict=True))
    record_index = np.minimum(np.searchsorted(records, record), max(len(records) - 1, 0))
    if len(record) and (not len(records) or (records[record_index] != record).any()):
        raise InputError(
            f"{name}: {len(record)} nodes, and some belong to no record; give all tables of the release"
        )
    parent_index = _find_parents(node, parent, record_index, name)
    if not _is_consecutive(np.sort(node)):  # any other numbers could be those of the originals
        raise InputError(f"{name}: nodes are numbered from 1 through all tables; these were changed")
    order = np.lexsort((_count_ancestors(parent_index, name), record_index))
    try:
        placed = sort_by_record(order, record_index, items, parent_index, len(records))
        return Trees.build(pairs, *placed, repeats=True).as_found()
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _table_pieces(folder: Path, records: int) -> Iterator[Trees]:
    """The records of a folder of tables, so many at once: every table is read on as far as they go."""
    tables = {name: _RowReader(file) for name, file in sorted(_Tables(folder).files.items())}
    if len(tables) > _MOST_OPEN:
        raise InputError(f"{folder.name}: more than {_MOST_OPEN} tables; they are read at once")
    before = nodes = 0
    while any(not table.ended for table in tables.values()):
        frame_of_table = {name: table.until(before + records) for name, table in tables.items()}
        piece = _trees_of_tables(
            {name: _renumber_rows(frame, before, nodes) for name, frame in frame_of_table.items()},
            folder.name,
        )
        if not piece.n:
            raise InputError(f"{folder.name}: some nodes belong to no record; give all tables of the release")
        yield piece
        before, nodes = before + piece.n, nodes + len(piece.items)


class _RowReader:
    """The rows of one table, read on as far as they are asked for."""

    def __init__(self, path: Path) -> None:
        self.name, self.blocks = path.name, csv_blocks(path, _BLOCK)
        self.rest: pl.DataFrame = next(self.blocks)
        self.head, self.ended, self.last = self.rest, False, 0
        self._fill_rest()

    def until(self, record: int) -> pl.DataFrame:
        """The next rows, those of records up to this number."""
        frames = [self.head]
        while not self.ended:
            numbers = _read_numbers(self.rest, "record", self.name, self.name)
            if numbers[0] <= self.last or (np.diff(numbers) < 0).any():
                raise InputError(f"{self.name}: records do not stand by their numbers; it was changed")
            row_count = int(np.searchsorted(numbers, record, side="right"))
            frames.append(self.rest[:row_count])
            self.rest = self.rest[row_count:]
            if self.rest.height:
                break
            self._fill_rest()
        self.last = record
        return pl.concat(frames)

    def _fill_rest(self) -> None:
        while not self.rest.height and not self.ended:
            next_block = next(self.blocks, None)
            self.rest, self.ended = (self.rest, True) if next_block is None else (next_block, False)


def _renumber_rows(frame: pl.DataFrame, records: int, nodes: int) -> pl.DataFrame:
    """Rows whose records and nodes are numbered from 1 again."""
    offsets = {"record": records, "node": nodes, "parent": nodes}
    try:
        return frame.with_columns(
            pl.col(name).cast(pl.Int64) - offset for name, offset in offsets.items() if name in frame.columns
        )
    except pl.exceptions.PolarsError:
        raise InputError("a table holds what is not a whole number; give it as it was released") from None


def _read_nodes(
    frame: pl.DataFrame, kind: str, name: str, pairs: list[tuple[str, str]]
) -> tuple[I8, I8, I8, I8]:
    """Records, numbers, parents and items of the nodes of one class; their values are added to `pairs`."""
    record, node, parent = (
        _read_numbers(frame, column, name, kind) for column in ("record", "node", "parent")
    )
    if "value" not in frame.columns:
        raise InputError(f"{name}: table '{kind}' has no column 'value'; give it as it was released")
    _refuse_other_columns(frame, _COLUMNS, name, kind)
    values, codes = factorize(cell_texts(frame["value"]))
    if None in values or (record < 1).any() or (node < 1).any():
        raise InputError(
            f"{name}: table '{kind}': a node has no record, number or value; give it as it was released"
        )
    items = codes.astype(np.int64) + len(pairs)
    pairs += [(kind, value) for value in values if value is not None]
    return record, node, parent, items


def _refuse_other_columns(frame: pl.DataFrame, columns: tuple[str, ...], name: str, table: str) -> None:
    """Refuse columns that no release has: they could hold anything."""
    if set(frame.columns) - set(columns):
        raise InputError(f"{name}: table '{table}' has columns besides {', '.join(columns)}; it was changed")


def _is_consecutive(numbers: I8) -> bool:
    """Whether sorted numbers are 1, 2, 3 and so on."""
    return bool((numbers == np.arange(1, len(numbers) + 1)).all())


def _read_numbers(frame: pl.DataFrame, column: str, name: str, table: str) -> I8:
    """A column of whole numbers; -1 where there is none."""
    if column not in frame.columns:
        raise InputError(f"{name}: table '{table}' has no column '{column}'; give it as it was released")
    try:
        numbers = frame[column].cast(pl.String).cast(pl.Int64)
    except pl.exceptions.PolarsError:
        raise InputError(
            f"{name}: table '{table}', column '{column}': not a whole number; give it as it was released"
        ) from None
    return numbers.fill_null(_NONE).to_numpy().astype(np.int64)


def _find_parents(node: I8, parent: I8, whose: I8, name: str) -> I8:
    """For each node, the place of its parent, -1 under the root."""
    order = np.argsort(node, kind="stable")
    if (np.diff(node[order]) == 0).any():
        raise InputError(f"{name}: a node's number occurs twice; give the tables as they were released")
    rank = np.minimum(np.searchsorted(node[order], parent), max(len(node) - 1, 0))
    parent_index = order[rank] if len(node) else rank
    is_root = parent == _NONE
    is_missing = ~is_root & (node[parent_index] != parent)
    if is_missing.any():
        raise InputError(
            f"{name}: {is_missing.sum()} nodes are below a node that is missing; give all tables of the release"
        )
    if (~is_root & (whose[parent_index] != whose)).any():
        raise InputError(
            f"{name}: a node is below one of another record; give the tables as they were released"
        )
    return np.where(is_root, -1, parent_index)


def _count_ancestors(over: I8, name: str) -> I8:
    """How many nodes stand above each."""
    depth = np.zeros(len(over), dtype=np.int64)
    ancestor = over.copy()
    for _ in range(DEEPEST):
        has_ancestor = ancestor >= 0
        if not has_ancestor.any():
            return depth
        depth[has_ancestor] += 1
        ancestor[has_ancestor] = over[ancestor[has_ancestor]]
    raise InputError(
        f"{name}: nodes are below each other in a circle, or nested too deeply; give the tables as they were released"
    )
