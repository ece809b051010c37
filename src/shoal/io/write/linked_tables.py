"""Published trees that keep rows, out and back as the tables that they came from: a folder with one file for each.

Tables that came as parquet go out as parquet, resources as ndjson, others as csv.
Tables and columns have their own names, and cells that are left out are empty. Keys are new: they number the rows of a
table in the order in which they stand there, which is that of the shuffled records and says nothing else. Rows of a
table that others only refer to stand there once if they are equal. The file keys.json says which table is that of
persons, and which columns refer to which; a key of several columns keeps all of them.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any, BinaryIO

import polars as pl

from shoal.base.errors import InputError
from shoal.base.stopping import fsync_path
from shoal.data import Trees
from shoal.data.trees import LinkedTable
from shoal.io.config import TreeSpec
from shoal.io.read.tree_tables import NDJSON, Key, join_tables, pop_field, set_table_formats
from shoal.io.write.form import ComparingFile, noncanonical_file
from shoal.io.write.json_text import dump_json, parse_json_or_none
from shoal.io.write.nested_trees import nested_objects, parse_record, record_error, trees_from_lines
from shoal.io.write.table import csv_cells, open_durable, read_back, write

__all__ = ["has_noncanonical_tables", "read_linked_tables", "require_linked_tables", "write_linked_tables"]

_KEYS = "keys.json"
_ENDINGS = (".csv", ".parquet", f".{NDJSON}")
_PLAIN = re.compile(r"^[^\W_](?:[\w .()&-]{0,98}[\w)])?$")
_TAKEN = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$")
_NAMES = ("table", "columns", "to", "to_columns")


def require_linked_tables(trees: Trees) -> tuple[LinkedTable, ...]:
    """The tables of trees; refuse those whose names could not all be names of files, or whose keys cannot be made anew.

    Raises
    ------
    InputError
        There are none, a name does not fit, or one column refers to two tables.
    """
    tables = () if trees.nesting is None else trees.nesting.tables
    if not tables:
        raise InputError("release.format: these records did not come from tables; say nested or nodes")
    files = set[str]()
    for table in tables:
        if not _PLAIN.match(table.name) or _TAKEN.match(table.name.lower()) or table.name.lower() in files:
            raise _format_error(f"table '{table.name[:60]}' cannot name a file")
        files.add(table.name.lower())
        for child in tables[1:]:
            if child.over == table.path and child.name in table.columns:
                raise _format_error(f"a column of table '{table.name[:60]}' is called like a table")
        key_columns = [table.here] if table.many and table.path else []
        key_columns += [child.there for child in tables[1:] if child.over == table.path and not child.many]
        flat = [column for key in key_columns for column in key]
        if len(set(flat)) < len(flat):
            raise _format_error(f"a column of table '{table.name[:60]}' refers to two tables")
    return tables


def _format_error(what: str) -> InputError:
    return InputError(f'release.format: {what}; say format = "nested" or "nodes"')


def write_linked_tables(trees: Trees, path: Path) -> None:
    """Write the trees into the new folder `path`, and wait until they are on disk.

    Raises
    ------
    InputError
        They did not come from tables, or relations were given up so that no rows tell how they hang.
    """
    tables = require_linked_tables(trees)
    if _are_resources(tables):
        _write_resources(trees, [table.name for table in tables], path)
    else:
        frames = _build_frames(trees, tables)
        path.mkdir()
        for table in tables:
            write(frames[table.name], path / f"{table.name}.{table.format}", table.format)
    with open_durable(path / _KEYS) as file:
        _write_keys(tables, file)
    fsync_path(path)


def _are_resources(tables: Sequence[LinkedTable]) -> bool:
    return any(table.format == NDJSON for table in tables)


def _write_resources(trees: Trees, names: Sequence[str], path: Path) -> None:
    """Write the file of each type; where they cannot be written, none is left."""
    path.mkdir()
    try:
        with ExitStack() as stack:
            files = {name: stack.enter_context(open_durable(path / f"{name}.{NDJSON}")) for name in names}
            _write_resource_lines(trees, files)
    except InputError:
        rmtree(path)
        raise


def has_noncanonical_tables(trees: Trees, path: Path) -> bool:
    """Whether files are not those that would be written of the trees which were read from them."""
    try:
        tables = require_linked_tables(trees)
        resources = _are_resources(tables)
        frames = {} if resources else _build_frames(trees, tables)
    except InputError:
        return True
    files = {path / f"{table.name}.{table.format}": table for table in tables}
    if {_KEYS, *(file.name for file in files)} != {file.name for file in path.iterdir()}:
        return True
    with (path / _KEYS).open("rb") as file:
        keys_comparison = ComparingFile(file)
        _write_keys(tables, keys_comparison)
        if not keys_comparison.same:
            return True
    if resources:
        with ExitStack() as stack:
            comparison_of_table = {
                table.name: ComparingFile(stack.enter_context(file.open("rb")))
                for file, table in files.items()
            }
            try:
                _write_resource_lines(trees, comparison_of_table)
            except InputError:
                return True
            return not all(comparison.same for comparison in comparison_of_table.values())
    return any(_is_noncanonical(frames[table.name], file, table.format) for file, table in files.items())


def _is_noncanonical(frame: pl.DataFrame, place: Path, format: str) -> bool:
    """Whether a file is not the one that would be written of its rows."""
    if format == "parquet":
        return noncanonical_file(place, format) is not None or not pl.read_parquet(place, glob=False).equals(
            frame
        )
    with place.open("rb") as file:
        comparing_file = ComparingFile(file)
        csv_cells(frame).write_csv(comparing_file)
        return not comparing_file.same


def _write_keys(tables: Sequence[LinkedTable], file: BinaryIO) -> None:
    person, *children = tables
    name = {table.path: table.name for table in tables}
    key_ends = [
        (child.name, child.here, name[child.over], child.there)
        if child.many
        else (name[child.over], child.there, child.name, child.here)
        for child in children
    ]
    keys = [
        dict(zip(_NAMES, (low, list(low_columns), high, list(high_columns)), strict=True))
        for low, low_columns, high, high_columns in key_ends
    ]
    content = {"person": person.name, "keys": keys}
    file.write(f"{json.dumps(content, indent=1, ensure_ascii=False)}\n".encode())


# --- out: rows from objects, with numbers for keys


def _build_frames(trees: Trees, tables: Sequence[LinkedTable]) -> dict[str, pl.DataFrame]:
    """The rows of each table, by its name."""
    rows = {table.path: _LinkedRows(table) for table in tables}
    for linked_rows in rows.values():
        if linked_rows.table.path:
            (
                rows[linked_rows.table.over].many
                if linked_rows.table.many
                else rows[linked_rows.table.over].one
            ).append(linked_rows)
    for record in nested_objects(trees, rows=True):
        rows[""].add(record, {})
    return {linked_rows.table.name: linked_rows.frame() for linked_rows in rows.values()}


class _LinkedRows:
    """The rows of a table so far.

    many, one : the tables whose rows refer to one of these, and those that rows of these refer to
    """

    def __init__(self, table: LinkedTable) -> None:
        self.table = table
        self.many: list[_LinkedRows] = []
        self.one: list[_LinkedRows] = []
        self.cells: list[tuple[str | None, ...]] = []
        self.known: dict[tuple[str | None, ...], int] = {}
        self.keys: set[tuple[str | None, ...]] = set()

    def add(self, row: Mapping[str, Any], given: Mapping[str, str | None]) -> dict[str, str | None]:
        """Add a row, and what belongs to it; `given` are cells of keys. Return all its cells."""
        cells = {**given, **self._own_cells(row)}
        for linked_rows in self.one:
            cells |= self._add_referred_row(linked_rows, row.get(linked_rows.table.name, {}))
        row_number = self._number_row(cells)
        cells |= {name: str(row_number) for name in self._key_columns if name not in cells}
        if row_number > len(self.cells):
            self.cells.append(tuple(cells.get(name) for name in self.table.columns))
        for linked_rows in self.many:
            self._add_referring_rows(linked_rows, row.get(linked_rows.table.name, []), cells)
        return cells

    def _own_cells(self, row: Mapping[str, Any]) -> dict[str, str]:
        """The cells of a row that belong to this table."""
        linked_names = {linked_rows.table.name for linked_rows in (*self.many, *self.one)}
        own_cells = {name: value for name, value in row.items() if name not in linked_names}
        if not all(isinstance(value, str) for value in own_cells.values()):
            raise _format_error(f"a row of table '{self.table.name[:60]}' has several values in a column")
        return own_cells

    def _number_row(self, cells: Mapping[str, str | None]) -> int:
        """The number of a row, from 1; rows that nothing refers to are written once."""
        if self.table.many:
            return len(self.cells) + 1
        row_cells = tuple(cells.get(name) for name in self.table.columns)
        return self.known.setdefault(row_cells, len(self.known) + 1)

    def _add_referred_row(self, linked_rows: "_LinkedRows", entry: Any) -> dict[str, str | None]:
        """Add the row that a row refers to, and return the cells by which it does."""
        if isinstance(entry, list):
            raise _format_error(f"a row of table '{self.table.name[:60]}' refers to several rows")
        referred_cells = linked_rows.add(entry, {}) if entry else {}
        return {
            low: referred_cells.get(high)
            for low, high in zip(linked_rows.table.there, linked_rows.table.here, strict=True)
        }

    def _add_referring_rows(
        self, linked_rows: "_LinkedRows", entries: Any, cells: Mapping[str, str | None]
    ) -> None:
        """Add the rows that refer to a row by its key."""
        key_cells = tuple(cells[high] for high in linked_rows.table.there)
        key = (linked_rows.table.name, *key_cells)
        if entries and key in self.keys:
            raise _format_error(f"rows of table '{self.table.name[:60]}' have no key of their own")
        self.keys.add(key)
        for entry in entries if isinstance(entries, list) else [entries]:
            linked_rows.add(entry, dict(zip(linked_rows.table.here, key_cells, strict=True)))

    @property
    def _key_columns(self) -> Sequence[str]:
        """The columns that say which row this is."""
        columns = [] if self.table.many else [*self.table.here]
        return [*columns, *(name for linked_rows in self.many for name in linked_rows.table.there)]

    def frame(self) -> pl.DataFrame:
        """All rows, cells as text."""
        columns = zip(*self.cells, strict=True) if self.cells else ([] for _ in self.table.columns)
        schema = dict.fromkeys(self.table.columns, pl.String)
        return pl.DataFrame(dict(zip(self.table.columns, map(list, columns), strict=True)), schema=schema)


# --- back


def read_linked_tables(path: Path) -> Trees:
    """Read back what `write_linked_tables` wrote; the files may be anyone's.

    Raises
    ------
    InputError
        A file is missing or is not as it would be written.
    """
    person, keys = _read_keys(path)
    files = {file.stem: file for file in _list_table_files(path)}
    for table in (person, *(end for key in keys for end in (key.table, key.to))):
        if table not in files:
            raise InputError(f"{path.name}: no table '{table[:60]}', which {_KEYS} names; give all of them")
    are_resources = [file.suffix == f".{NDJSON}" for file in files.values()]
    belonging = {person, *(key.table for key in keys)}
    if all(are_resources) and are_resources and len(files) == len(belonging):
        return _read_resource_files(path, person, keys, files)
    if any(are_resources):
        raise InputError(
            f"{path.name}: resources besides the tables, or that belong to no person; it was changed"
        )

    def load(table: str, columns: Sequence[str]) -> pl.DataFrame:
        frame = _read_table(files[table])
        if set(columns) - set(frame.columns):
            raise InputError(f"{path.name}: table '{table[:60]}' lacks a key; give it as it was released")
        return frame

    spec = TreeSpec(person, repeats="keep", notation=None)
    trees = join_tables(path.name, spec, keys, dict.fromkeys(files, ()), load, ("",))
    if trees.nesting is not None and len(trees.nesting.tables) != len(files):
        raise InputError(f"{path.name}: a table belongs to no person; it was changed")
    return set_table_formats(trees, {table: file.suffix for table, file in files.items()})


def _read_table(file: Path) -> pl.DataFrame:
    """A table, which may have no row: all of its cells may have been left out."""
    try:
        if file.suffix == ".parquet":
            rows = pl.scan_parquet(file, glob=False, hive_partitioning=False)
            if rows.select(pl.len()).collect().item():
                return read_back(file, "parquet")
            return pl.DataFrame(schema=dict.fromkeys(rows.collect_schema(), pl.String))
        with file.open("rb") as stream:
            header, next_byte = stream.readline(), stream.read(1)
        return read_back(file, "csv") if next_byte else pl.read_csv(header, infer_schema=False)
    except pl.exceptions.PolarsError:
        raise InputError(f"{file.name}: not a table; give it as it was released") from None


def _read_keys(path: Path) -> tuple[str, list[Key]]:
    error = InputError(f"{path.name}: {_KEYS} does not say how tables belong together; it was changed")
    keys_path = path / _KEYS
    content = parse_json_or_none(keys_path.read_text(encoding="utf-8")) if keys_path.is_file() else None
    if (
        not isinstance(content, dict)
        or set(content) != {"person", "keys"}
        or not isinstance(content["person"], str)
    ):
        raise error
    if not isinstance(content["keys"], list) or not all(map(_is_key, content["keys"])):
        raise error
    keys = [
        Key(entry["table"], tuple(entry["columns"]), entry["to"], tuple(entry["to_columns"]))
        for entry in content["keys"]
    ]
    return content["person"], keys


def _is_key(told: Any) -> bool:
    if not isinstance(told, dict) or tuple(told) != _NAMES:
        return False
    column_lists = (told["columns"], told["to_columns"])
    are_texts = all(
        isinstance(columns, list) and columns and all(isinstance(column, str) for column in columns)
        for columns in column_lists
    )
    return (
        are_texts
        and isinstance(told["table"], str)
        and isinstance(told["to"], str)
        and len(column_lists[0]) == len(column_lists[1])
    )


def _list_table_files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.iterdir()):
        if not file.is_file() or file.is_symlink() or (file.suffix not in _ENDINGS and file.name != _KEYS):
            raise InputError(
                f"{folder.name}: not a folder of csv or parquet tables and {_KEYS} alone; it was changed"
            )
        if file.name != _KEYS:
            yield file


# --- Published trees that came as FHIR resources, out and back as such: an ndjson file for each type.
#
# Ids are new: they number the resources of a type in the order in which they stand there, which is that of the shuffled
# records, and references are to these.


def _write_resource_lines(trees: Trees, files: Mapping[str, BinaryIO]) -> None:
    """Write each record as a resource and those that belong to it, one on each line of the file of its type.

    Raises
    ------
    InputError
        No rows tell how nodes hang, or a field that is published stands where a reference must.
    """
    assert trees.nesting is not None
    below: dict[str, list[LinkedTable]] = defaultdict(list)
    for table in trees.nesting.tables[1:]:
        below[table.over].append(table)
    numbers = Counter[str]()

    def put(table: LinkedTable, row: Mapping[str, Any], owner: str) -> None:
        numbers[table.name] += 1
        resource_id = str(numbers[table.name])
        inner = {child.name for child in below[table.path]}
        fields = {name: value for name, value in row.items() if name not in inner}
        if table.here:
            fields = _add_reference(fields, table.here[0].split("."), owner)
        line = dump_json({"resourceType": table.name, "id": resource_id, **fields})
        files[table.name].write(f"{line}\n".encode())
        for child in below[table.path]:
            entries = row.get(child.name, [])
            for entry in entries if isinstance(entries, list) else [entries]:
                put(child, entry, f"{table.name}/{resource_id}")

    for record in nested_objects(trees, rows=True):
        put(trees.nesting.tables[0], record, "")


def _add_reference(fields: dict[str, Any], steps: Sequence[str], reference: str) -> dict[str, Any]:
    """Fields, and a reference before them, inside the object where it belongs."""
    inside = fields.pop(steps[0], {})
    if not isinstance(inside, dict) or (len(steps) == 1 and inside):
        raise InputError(
            f"release.format: '{steps[0]}' stands where a reference must; drop it, or say format = \"nested\""
        )
    return {steps[0]: _add_reference(inside, steps[1:], reference) if len(steps) > 1 else reference, **fields}


def _read_resource_files(path: Path, person: str, keys: Sequence[Key], files: Mapping[str, Path]) -> Trees:
    """Read back what `_write_resource_lines` wrote; the files may be anyone's.

    Whether numbers and references are those that would be written is for whoever compares the files.

    Raises
    ------
    InputError
        A line is not as it would be written.
    """
    tables = [LinkedTable("", person, (), format=NDJSON)]
    for key in keys:
        parent = next((candidate for candidate in tables if candidate.name == key.to), None)
        if parent is None or len(key.columns) > 1 or any(candidate.name == key.table for candidate in tables):
            raise InputError(
                f"{path.name}: keys.json does not say how resources belong together; it was changed"
            )
        resource_path = f"{parent.path}.{key.table}" if parent.path else key.table
        tables.append(
            LinkedTable(resource_path, key.table, (), parent.path, key.columns, key.to_columns, format=NDJSON)
        )
    record_of_path: dict[str, dict[str, Any]] = {}
    for table in tables:
        parent = next((candidate for candidate in tables if candidate.path == table.over), tables[0])
        with files[table.name].open("rb") as file:
            for number, line in enumerate(file, 1):
                label = f"{files[table.name].name}, line {number}"
                record = parse_record(line, label)
                resource_path = f"{record.pop('resourceType', '')}/{record.pop('id', '')}"
                if resource_path in record_of_path or any(
                    candidate.over == table.path and candidate.name in record for candidate in tables[1:]
                ):
                    raise record_error(label)
                record_of_path[resource_path] = record
                if table.here:
                    reference = pop_field(record, table.here[0].split("."))
                    if not isinstance(reference, str) or reference not in record_of_path:
                        raise record_error(label)
                    record_of_path[reference].setdefault(table.name, []).append(record)
    people = (
        record for resource_path, record in record_of_path.items() if resource_path.startswith(f"{person}/")
    )
    lines = ((number, json.dumps(record).encode()) for number, record in enumerate(people, 1))
    trees = trees_from_lines(lines, path.name, {table.path for table in tables[1:]})
    assert trees.nesting is not None
    return replace(trees, nesting=replace(trees.nesting, tables=tuple(tables)))
