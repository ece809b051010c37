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
from shoal.io.read.tree_tables import NDJSON, Key, in_files, join_tables, take_out
from shoal.io.write.form import ComparingFile, noncanonical_file
from shoal.io.write.json_text import dumped, json_or_none
from shoal.io.write.nested_trees import nested_objects, parsed_record, rows_of_lines, strange_record
from shoal.io.write.table import as_csv, on_disk, read_back, write

__all__ = ["odd_linked_tables", "read_linked_tables", "require_linked_tables", "write_linked_tables"]

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
            raise _unfit(f"table '{table.name[:60]}' cannot name a file")
        files.add(table.name.lower())
        for other in tables[1:]:
            if other.over == table.path and other.name in table.columns:
                raise _unfit(f"a column of table '{table.name[:60]}' is called like a table")
        ends = [table.here] if table.many and table.path else []
        ends += [other.there for other in tables[1:] if other.over == table.path and not other.many]
        flat = [column for end in ends for column in end]
        if len(set(flat)) < len(flat):
            raise _unfit(f"a column of table '{table.name[:60]}' refers to two tables")
    return tables


def _unfit(what: str) -> InputError:
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
        frames = _frames_of(trees, tables)
        path.mkdir()
        for table in tables:
            write(frames[table.name], path / f"{table.name}.{table.format}", table.format)
    with on_disk(path / _KEYS) as file:
        _write_keys(tables, file)
    fsync_path(path)


def _are_resources(tables: Sequence[LinkedTable]) -> bool:
    return any(table.format == NDJSON for table in tables)


def _write_resources(trees: Trees, names: Sequence[str], path: Path) -> None:
    """Write the file of each type; where they cannot be written, none is left."""
    path.mkdir()
    try:
        with ExitStack() as stack:
            files = {name: stack.enter_context(on_disk(path / f"{name}.{NDJSON}")) for name in names}
            write_resource_lines(trees, files)
    except InputError:
        rmtree(path)
        raise


def odd_linked_tables(trees: Trees, path: Path) -> bool:
    """Whether files are not those that would be written of the trees which were read from them."""
    try:
        tables = require_linked_tables(trees)
        resources = _are_resources(tables)
        frames = {} if resources else _frames_of(trees, tables)
    except InputError:
        return True
    files = {path / f"{table.name}.{table.format}": table for table in tables}
    if {_KEYS, *(file.name for file in files)} != {file.name for file in path.iterdir()}:
        return True
    with (path / _KEYS).open("rb") as file:
        again = ComparingFile(file)
        _write_keys(tables, again)
        if not again.same:
            return True
    if resources:
        with ExitStack() as stack:
            same = {
                table.name: ComparingFile(stack.enter_context(file.open("rb")))
                for file, table in files.items()
            }
            try:
                write_resource_lines(trees, same)
            except InputError:
                return True
            return not all(one.same for one in same.values())
    return any(_is_odd(frames[table.name], file, table.format) for file, table in files.items())


def _is_odd(frame: pl.DataFrame, place: Path, format: str) -> bool:
    """Whether a file is not the one that would be written of its rows."""
    if format == "parquet":
        return noncanonical_file(place, format) is not None or not pl.read_parquet(place, glob=False).equals(
            frame
        )
    with place.open("rb") as file:
        again = ComparingFile(file)
        as_csv(frame).write_csv(again)
        return not again.same


def _write_keys(tables: Sequence[LinkedTable], file: BinaryIO) -> None:
    person, *others = tables
    name = {table.path: table.name for table in tables}
    ends = [
        (one.name, one.here, name[one.over], one.there)
        if one.many
        else (name[one.over], one.there, one.name, one.here)
        for one in others
    ]
    keys = [dict(zip(_NAMES, (low, list(own), high, list(to)), strict=True)) for low, own, high, to in ends]
    told = {"person": person.name, "keys": keys}
    file.write(f"{json.dumps(told, indent=1, ensure_ascii=False)}\n".encode())


# --- out: rows from objects, with numbers for keys


def _frames_of(trees: Trees, tables: Sequence[LinkedTable]) -> dict[str, pl.DataFrame]:
    """The rows of each table, by its name."""
    rows = {table.path: _LinkedRows(table) for table in tables}
    for own in rows.values():
        if own.table.path:
            (rows[own.table.over].many if own.table.many else rows[own.table.over].one).append(own)
    for record in nested_objects(trees, rows=True):
        rows[""].add(record, {})
    return {own.table.name: own.frame() for own in rows.values()}


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
        cells: dict[str, str | None] = {**given}
        below = {own.table.name: own for own in (*self.many, *self.one)}
        for name, value in row.items():
            if name in below:
                continue
            if not isinstance(value, str):
                raise _unfit(f"a row of table '{self.table.name[:60]}' has several values in a column")
            cells[name] = value
        for own in self.one:
            entries = row.get(own.table.name, {})
            if isinstance(entries, list):
                raise _unfit(f"a row of table '{self.table.name[:60]}' refers to several rows")
            there = own.add(entries, {}) if entries else {}
            cells |= {low: there.get(high) for low, high in zip(own.table.there, own.table.here, strict=True)}
        if not self.table.many:
            whole = tuple(cells.get(name) for name in self.table.columns)
            number = self.known.setdefault(whole, len(self.known) + 1)
            fresh = number > len(self.cells)
        else:
            number, fresh = len(self.cells) + 1, True
        cells |= {name: str(number) for name in self._numbered if name not in cells}
        if fresh:
            self.cells.append(tuple(cells.get(name) for name in self.table.columns))
        for own in self.many:
            ends = tuple(cells[high] for high in own.table.there)
            entries = row.get(own.table.name, [])
            if entries and (own.table.name, *ends) in self.keys:
                raise _unfit(f"rows of table '{self.table.name[:60]}' have no key of their own")
            self.keys.add((own.table.name, *ends))
            for one in entries if isinstance(entries, list) else [entries]:
                own.add(one, dict(zip(own.table.here, ends, strict=True)))
        return cells

    @property
    def _numbered(self) -> Sequence[str]:
        """The columns that say which row this is."""
        own = [] if self.table.many else [*self.table.here]
        return [*own, *(name for one in self.many for name in one.table.there)]

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
    files = {file.stem: file for file in _inside(path)}
    for table in (person, *(end for key in keys for end in (key.table, key.to))):
        if table not in files:
            raise InputError(f"{path.name}: no table '{table[:60]}', which {_KEYS} names; give all of them")
    resources = {file.suffix == f".{NDJSON}" for file in files.values()}
    if resources == {True} and len(files) == len({person, *(key.table for key in keys)}):
        return read_resource_files(path, person, keys, files)
    if True in resources:
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
    return in_files(trees, {table: file.suffix for table, file in files.items()})


def _read_table(file: Path) -> pl.DataFrame:
    """A table, which may have no row: all of its cells may have been left out."""
    try:
        if file.suffix == ".parquet":
            rows = pl.scan_parquet(file, glob=False, hive_partitioning=False)
            if rows.select(pl.len()).collect().item():
                return read_back(file, "parquet")
            return pl.DataFrame(schema=dict.fromkeys(rows.collect_schema(), pl.String))
        with file.open("rb") as opened:
            header, more = opened.readline(), opened.read(1)
        return read_back(file, "csv") if more else pl.read_csv(header, infer_schema=False)
    except pl.exceptions.PolarsError:
        raise InputError(f"{file.name}: not a table; give it as it was released") from None


def _read_keys(path: Path) -> tuple[str, list[Key]]:
    strange = InputError(f"{path.name}: {_KEYS} does not say how tables belong together; it was changed")
    place = path / _KEYS
    told = json_or_none(place.read_text(encoding="utf-8")) if place.is_file() else None
    if not isinstance(told, dict) or set(told) != {"person", "keys"} or not isinstance(told["person"], str):
        raise strange
    if not isinstance(told["keys"], list) or not all(map(_is_key, told["keys"])):
        raise strange
    found = [
        Key(one["table"], tuple(one["columns"]), one["to"], tuple(one["to_columns"])) for one in told["keys"]
    ]
    return told["person"], found


def _is_key(told: Any) -> bool:
    if not isinstance(told, dict) or tuple(told) != _NAMES:
        return False
    ends = (told["columns"], told["to_columns"])
    plain = all(isinstance(end, list) and end and all(isinstance(one, str) for one in end) for end in ends)
    return (
        plain
        and isinstance(told["table"], str)
        and isinstance(told["to"], str)
        and len(ends[0]) == len(ends[1])
    )


def _inside(folder: Path) -> Iterator[Path]:
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


def write_resource_lines(trees: Trees, files: Mapping[str, BinaryIO]) -> None:
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
        own = str(numbers[table.name])
        inner = {one.name for one in below[table.path]}
        fields = {name: value for name, value in row.items() if name not in inner}
        if table.here:
            fields = _with(fields, table.here[0].split("."), owner)
        line = dumped({"resourceType": table.name, "id": own, **fields})
        files[table.name].write(f"{line}\n".encode())
        for one in below[table.path]:
            entries = row.get(one.name, [])
            for entry in entries if isinstance(entries, list) else [entries]:
                put(one, entry, f"{table.name}/{own}")

    for record in nested_objects(trees, rows=True):
        put(trees.nesting.tables[0], record, "")


def _with(fields: dict[str, Any], steps: Sequence[str], reference: str) -> dict[str, Any]:
    """Fields, and a reference before them, inside the object where it belongs."""
    inside = fields.pop(steps[0], {})
    if not isinstance(inside, dict) or (len(steps) == 1 and inside):
        raise InputError(
            f"release.format: '{steps[0]}' stands where a reference must; drop it, or say format = \"nested\""
        )
    return {steps[0]: _with(inside, steps[1:], reference) if len(steps) > 1 else reference, **fields}


def read_resource_files(path: Path, person: str, keys: Sequence[Key], files: Mapping[str, Path]) -> Trees:
    """Read back what `write_resource_lines` wrote; the files may be anyone's.

    Whether numbers and references are those that would be written is for whoever compares the files.

    Raises
    ------
    InputError
        A line is not as it would be written.
    """
    tables = [LinkedTable("", person, (), format=NDJSON)]
    for key in keys:
        over = next((one for one in tables if one.name == key.to), None)
        if over is None or len(key.columns) > 1 or any(one.name == key.table for one in tables):
            raise InputError(
                f"{path.name}: keys.json does not say how resources belong together; it was changed"
            )
        own = f"{over.path}.{key.table}" if over.path else key.table
        tables.append(LinkedTable(own, key.table, (), over.path, key.columns, key.to_columns, format=NDJSON))
    known: dict[str, dict[str, Any]] = {}
    for table in tables:
        over = next((one for one in tables if one.path == table.over), tables[0])
        with files[table.name].open("rb") as file:
            for number, line in enumerate(file, 1):
                where = f"{files[table.name].name}, line {number}"
                record = parsed_record(line, where)
                own = f"{record.pop('resourceType', '')}/{record.pop('id', '')}"
                if own in known or any(one.over == table.path and one.name in record for one in tables[1:]):
                    raise strange_record(where)
                known[own] = record
                if table.here:
                    reference = take_out(record, table.here[0].split("."))
                    if not isinstance(reference, str) or reference not in known:
                        raise strange_record(where)
                    known[reference].setdefault(table.name, []).append(record)
    people = (record for own, record in known.items() if own.startswith(f"{person}/"))
    lines = ((number, json.dumps(record).encode()) for number, record in enumerate(people, 1))
    trees = rows_of_lines(lines, path.name, {table.path for table in tables[1:]})
    assert trees.nesting is not None
    return replace(trees, nesting=replace(trees.nesting, tables=tuple(tables)))
