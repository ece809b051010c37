"""Record trees from tables, and from bulk FHIR: what belongs to whom follows foreign keys from the table of persons.

A table that refers to one already reached adds a list of objects to its rows; a table that one refers to adds one
object. From what is only referred to, the way leads on to what that refers to, not to other tables that refer to it:
their rows belong to others as well. Columns of keys carry no value and are left out.

Bulk FHIR, a folder of ndjson files with a resource a line, becomes one nested record per patient along the same keys:
a resource hangs below the one that it refers to, in an array that has its type's name, wherever in which file it
stands. Types and ids say nothing but which resource it is, and are left out, as are the references that were followed;
the id of the person stays, to say who a record is.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.base.errors import InputError
from shoal.base.naming import did_you_mean, nearest, suggest_name
from shoal.data import Trees
from shoal.data.arrays import I4, I8, prefix_sums
from shoal.data.trees import LinkedTable, Nesting, find_lists, parents_from_rows
from shoal.io.config import TreeSpec
from shoal.io.formats import FileFormat, ending_of, format_of
from shoal.io.read.cells import cell_texts, clean_cells, factorize, normalize_names, refuse_same, warn_repeats
from shoal.io.read.files import unzip
from shoal.io.read.layout import Layout, LayoutError
from shoal.io.read.nested_records import iter_raw_lines, parse_line
from shoal.io.read.table import read

__all__ = [
    "NDJSON",
    "Key",
    "Resources",
    "files_of",
    "is_bulk_fhir",
    "join_tables",
    "keys_of",
    "patient_records",
    "pop_field",
    "read_folder",
    "read_resources",
    "read_table",
    "set_table_formats",
    "sort_by_record",
]


@dataclass(frozen=True, slots=True)
class Key:
    """A foreign key: columns of a table, and the columns of another that they refer to."""

    table: str
    columns: tuple[str, ...]
    to: str
    to_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """A table on its way into the trees: its dotted path, the key that leads there, and from which branch."""

    path: str
    table: str
    key: Key | None
    over: int
    many: bool


def read_folder(
    folder: Path,
    spec: TreeSpec,
    missing: Sequence[str],
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Trees:
    """Read the tables of a folder, one per file, as record trees; the keys must be given.

    Raises
    ------
    InputError
        No table is there or one cannot be read, or `person` or `keys` are not given or name what is not there.
    """
    files = files_of(folder)

    def load(table: str, columns: Sequence[str]) -> pl.DataFrame:
        frame = read_table(files[table], delimiter=delimiter, encoding=encoding)
        for name in columns:
            if name not in frame.columns:
                advice = _suggest_column(name, frame.columns)
                raise InputError(f"{files[table].name}: no column '{name}', which a key names; {advice}")
        return frame

    columns = {table: () for table in files}
    if spec.person is None or (not spec.keys and len(files) > 1):
        raise InputError(
            f"{folder.name}: name the table of persons in tree.person, and in [tree.keys] how tables refer to others"
        )
    trees = join_tables(folder.name, spec, keys_of(folder.name, spec.keys, columns), columns, load, missing)
    return set_table_formats(trees, {table: ending_of(file.name) for table, file in files.items()})


def set_table_formats(trees: Trees, endings: Mapping[str, str]) -> Trees:
    """The same trees, whose tables came in files with such endings: those of parquet files are to go out as such."""
    if trees.nesting is None:
        return trees
    tables = tuple(
        replace(table, format="parquet" if endings[table.name] == ".parquet" else "csv")
        for table in trees.nesting.tables
    )
    return replace(trees, nesting=replace(trees.nesting, tables=tables))


def read_table(path: Path, *, delimiter: str | None = None, encoding: str | None = None) -> pl.DataFrame:
    """Read one table of a folder; no key of a configuration says where in its file it stands.

    Raises
    ------
    InputError
        It cannot be read, or stands below a title or above totals or notes.
    """
    try:
        return read(path, delimiter=delimiter, encoding=encoding, layout=Layout()).frame
    except LayoutError as error:
        why = "; ".join(error.layout.why.values())
        raise InputError(
            f"{path.name}: {why}; save the table alone, with the names of columns in the first row"
        ) from None


def files_of(folder: Path) -> dict[str, Path]:
    """The files of a folder that hold a table each, by the table's name.

    These are its csv and parquet files; where it has none, its workbooks, or the only file that can be read at all.
    What else lies there is passed over, as are hidden files and those by which office programs lock others.

    Raises
    ------
    InputError
        There is none, or two have one name.
    """
    formats = _formats_in(folder)
    table_files = [file for file, format in formats.items() if format.in_folder]
    table_files = table_files or [file for file, format in formats.items() if format.reader == "xlsx"]
    if not table_files:
        table_files = [file for file in formats if ending_of(file.name) != ".txt"]
        if len(table_files) != 1:
            raise InputError(f"{folder.name}: no csv or parquet file in it; put one table in each file")
    files: dict[str, Path] = {}
    for file in table_files:
        stem = file.name[: file.name.lower().rindex(ending_of(file.name))]
        if stem in files:
            raise InputError(f"{folder.name}: two files hold a table '{stem}'; keep one")
        files[stem] = file
    return files


def _formats_in(folder: Path) -> dict[Path, FileFormat]:
    """The files of a folder that are of some format; hidden ones and locks are passed over."""
    files = (file for file in sorted(folder.iterdir()) if file.is_file())
    visible_files = [file for file in files if not file.name.startswith((".", "~$"))]
    return {file: format for file in visible_files if (format := format_of(file.name)) is not None}


def keys_of(where: str, given: Mapping[str, str], tables: Mapping[str, Sequence[Any]]) -> list[Key]:
    """Foreign keys as a configuration gives them: "table.column" = "table.column"."""
    keys = []
    for source, target in given.items():
        (table, column), (to_table, to_column) = (_parse_end(where, end, tables) for end in (source, target))
        keys.append(Key(table, (column,), to_table, (to_column,)))
    return keys


def _parse_end(where: str, end: str, tables: Mapping[str, Sequence[Any]]) -> tuple[str, str]:
    """The table and the column of one end of a key; either name may hold dots."""
    dots = [index for index, sign in enumerate(end) if sign == "."]
    ways = [(end[:dot], end[dot + 1 :]) for dot in reversed(dots) if 0 < dot < len(end) - 1]
    if not ways:
        raise InputError(f'{where}: tree.keys: write "table.column" = "table.column"')
    table, column = next((way for way in ways if way[0] in tables), ways[0])
    if table not in tables:
        raise InputError(f"{where}: tree.keys: no table '{table}'; {suggest_name(table, tables)}")
    return table, column


def join_tables(
    where: str,
    spec: TreeSpec,
    keys: Sequence[Key],
    tables: Mapping[str, Sequence[str]],
    load: Callable[[str, Sequence[str]], pl.DataFrame],
    missing: Sequence[str],
) -> Trees:
    """Join tables into record trees.

    Parameters
    ----------
    where
        What messages call the source.
    spec
        Which table is that of persons, what to drop, and so on; a table's dotted path is the way to it.
    keys, tables
        The foreign keys, and all tables.
    load
        Reads a table, which must have certain columns.
    missing
        Texts that stand for an absent value.

    Raises
    ------
    InputError
        A table is not there, keys are cyclic or lead to a table in several ways, a row refers to no row or to
        several, or nothing is left to publish.
    """
    person = spec.person
    if person is None or person not in tables:
        suggestion = suggest_name(person, tables)
        raise InputError(f"{where}: no table '{person}' for tree.person; {suggestion}")
    branches, skipped = _find_branches(where, person, keys, spec.left_out)
    rows = _BranchRows(where, spec, missing)
    rows.known |= skipped
    keyed = {(key.table, column) for key in keys for column in key.columns}
    keyed |= {(key.to, column) for key in keys for column in key.to_columns}
    for branch in branches:
        required_columns = (
            [] if branch.key is None else [*(branch.key.columns if branch.many else branch.key.to_columns)]
        )
        frame = load(branch.table, required_columns)
        rows.hang(branch, frame, {column for table, column in keyed if table == branch.table})
    rows.require()
    texts = {path: rows.texts.get(path, 0) for path in spec.text}
    return replace(rows.trees(), nesting=replace(rows.nesting(branches), texts=texts))


def _find_branches(
    where: str, person: str, keys: Sequence[Key], drop: Collection[str]
) -> tuple[list[Branch], set[str]]:
    """Every table that the keys lead to, parents first; and the paths where the way was dropped."""
    branches = [Branch("", person, None, -1, True)]
    skipped = set[str]()
    reached = {person: "as the table of persons"}
    for index, branch in enumerate(branches):  # grows as it is read
        for key in keys:
            if key == branch.key:
                continue
            ways = []
            if key.table == key.to == branch.table:
                raise InputError(
                    f"{where}: table '{branch.table}' refers to itself, so its trees have no end; "
                    "give [tree.keys] without that"
                )
            if key.to == branch.table and branch.many:
                ways.append((key.table, True))
            if key.table == branch.table:
                ways.append((key.to, False))
            for table, is_many in ways:
                path = f"{branch.path}.{table}" if branch.path else table
                if path in drop:
                    skipped.add(path)
                    continue
                way = f"as {path} by {key.table}.{', '.join(key.columns)}"
                if table in reached:
                    raise InputError(
                        f"{where}: keys lead to table '{table}' in two ways, {reached[table]} and {way}; put one of "
                        "them in tree.drop, or give [tree.keys] with the ones to follow"
                    )
                reached[table] = way
                branches.append(Branch(path, table, key, index, is_many))
    return branches, skipped


class _BranchRows:
    """The rows of each branch so far: whose they are, and the node that what belongs to them hangs below."""

    def __init__(self, where: str, spec: TreeSpec, missing: Sequence[str]) -> None:
        self.where, self.spec, self.missing = where, spec, missing
        self.drop, self.heads, self.identifier = spec.left_out, spec.heads, spec.identifier
        self.keeps = spec.keeps(rows=True)
        self.columns: list[list[str]] = []  # of each branch, what is read and what is a key
        self.over: list[I8] = []  # where rows are kept: for each row the one above it; then `top` holds rows
        self.frames: list[pl.DataFrame] = []
        self.whole: list[pl.DataFrame] = []  # before rows that belong to nobody were left out
        self.record: list[I8] = []
        self.top: list[I8] = []
        self.pairs: list[tuple[str, str]] = []
        self.nodes: list[tuple[I8, I8, I4]] = []
        self.number = 0
        self.known: set[str] = set()
        self.texts: dict[str, int] = {}  # how many cells columns have that are left out

    def hang(self, branch: Branch, frame: pl.DataFrame, keyed: set[str]) -> None:
        """Hang the rows of a table below those that they belong to."""
        self.known.add(branch.path)
        self.whole.append(frame)
        if branch.key is None:
            self._check_persons(branch.table, frame)
            record, top = np.arange(frame.height), np.full(frame.height, -1, dtype=np.int64)
        else:
            rows, parent_rows = self._join_rows(branch, frame)
            frame = frame[rows]
            record, top = self.record[branch.over][parent_rows], self.top[branch.over][parent_rows]
            if self.keeps:
                first_row = sum(map(len, self.over))
                self.over.append(top)
                top = np.arange(first_row, first_row + len(top))
        columns = [name for name in frame.columns if name not in keyed]
        paths = {name: f"{branch.path}.{name}" if branch.path else name for name in columns}
        self.known.update(paths.values())
        self.texts |= {
            path: frame.height - frame[name].null_count() for name, path in paths.items() if path in self.drop
        }
        columns = [
            name for name in columns if paths[name] not in self.drop and paths[name] != self.identifier
        ]
        self.columns.append([name for name in frame.columns if name in columns or name in keyed])
        head = None
        if branch.key is not None and not self.keeps:
            head = self.heads.get(branch.path, columns[0] if columns else None)
            if head in columns:
                top = self._hang_column(frame[head], paths[head], record, top)
        for name in columns:
            if name != head:
                self._hang_column(frame[name], paths[name], record, top)
        self.frames.append(frame)
        self.record.append(record)
        self.top.append(top)

    def _check_persons(self, table: str, frame: pl.DataFrame) -> None:
        """Refuse persons who share an identifier; tell where a column that is dropped looks like one."""
        label = f"{self.where}, table '{table}'"
        if self.identifier is None:
            for name in [name for name in frame.columns if name in self.drop]:
                warn_repeats(label, name, self._names(frame[name]), f'say identifier = "{name}"')
        elif self.identifier not in frame.columns:
            raise InputError(
                f"{label}: no column '{self.identifier}' for tree.identifier; "
                f"{_suggest_column(self.identifier, frame.columns)}"
            )
        else:
            names = self._names(frame[self.identifier])
            refuse_same(f"{label}, column '{self.identifier}'", names, "give every person one row")

    def _names(self, column: pl.Series) -> pl.Series:
        return normalize_names(clean_cells(cell_texts(column), self.missing))

    def _hang_column(self, column: pl.Series, path: str, record: I8, top: I8) -> I8:
        """Hang the values of a column; return for each row the node that what belongs to it should now hang below."""
        values, codes = factorize(clean_cells(cell_texts(column), self.missing))
        is_present = np.array([value is not None for value in values], dtype=bool)[codes]
        base = len(self.pairs)
        self.pairs += [(path, value) for value in values if value is not None]  # None stands last
        numbers = self.number + np.cumsum(is_present) - 1
        self.number += int(is_present.sum())
        self.nodes.append((record[is_present], top[is_present], (base + codes[is_present]).astype(np.int32)))
        return np.where(is_present, numbers, top)

    def _join_rows(self, branch: Branch, frame: pl.DataFrame) -> tuple[I8, I8]:
        """Rows of a table and, for each, the row of the branch above that it belongs to; without a key, to none."""
        key = branch.key
        assert key is not None
        if branch.many:
            self._require_keys(key, frame, self.whole[branch.over])
            child_columns, parent_columns = key.columns, key.to_columns
        else:
            self._require_keys(key, self.frames[branch.over], frame)
            child_columns, parent_columns = key.to_columns, key.columns
        child_keys = _key_cells(frame, child_columns).with_row_index("row")
        parent_keys = _key_cells(self.frames[branch.over], parent_columns).with_row_index("over")
        row_pairs = child_keys.join(parent_keys, on=_key_names(key), how="inner", maintain_order="left")
        return row_pairs["row"].to_numpy().astype(np.int64), row_pairs["over"].to_numpy().astype(np.int64)

    def _require_keys(self, key: Key, low: pl.DataFrame, high: pl.DataFrame) -> None:
        """Every key that is referred to must be there exactly once."""
        names = _key_names(key)
        upper = _key_cells(high, key.to_columns)
        repeated_count = int(upper.drop_nulls().is_duplicated().sum())
        if repeated_count:
            raise InputError(
                f"{self.where}: {repeated_count} rows of table '{key.to}' share a key that table '{key.table}' "
                "refers to; "
                "a key must name one row"
            )
        lower = _key_cells(low, key.columns).with_row_index("row").drop_nulls()
        astray = lower.join(upper, on=names, how="anti", maintain_order="left")
        if astray.height:
            raise InputError(
                f"{self.where}: {astray.height} rows of table '{key.table}', first row {astray['row'][0] + 1}, refer "
                f"to no row of table '{key.to}'; add what is missing or remove these rows"
            )

    def require(self) -> None:
        """Refuse names in the configuration that never occur: they are slips."""
        heads = {f"{path}.{head}" for path, head in self.heads.items()}
        for setting, names in (("drop", self.drop), ("heads", heads)):
            for name in sorted(names - self.known):
                hint = did_you_mean(name, self.known)
                raise InputError(
                    f"{self.where}: tree.{setting} names '{name}', which never occurs; correct it{hint}"
                )

    def trees(self) -> Trees:
        """Sort the nodes by record and hand them over."""
        records = len(self.record[0])
        if not records:
            raise InputError(f"{self.where}: no records; the table of persons is empty")
        record = np.concatenate([part[0] for part in self.nodes] or [np.zeros(0, dtype=np.int64)])
        if not len(record):
            raise InputError(
                f"{self.where}: no record holds a value that is not dropped; nothing is left to publish"
            )
        top = np.concatenate([part[1] for part in self.nodes])
        items = np.concatenate([part[2] for part in self.nodes])
        if self.keeps:
            kinds = list(dict.fromkeys(kind for kind, _ in self.pairs))
            fields = np.array([kinds.index(kind) for kind, _ in self.pairs], dtype=np.int64)[items]
            row_parents = np.concatenate([np.zeros(0, dtype=np.int64), *self.over])
            top = parents_from_rows(
                top, fields, row_parents, find_lists(top, fields, np.zeros(len(kinds), dtype=bool))
            )
        placed = sort_by_record(np.argsort(record, kind="stable"), record, items, top, records)
        pairs = self.spec.spelled(self.pairs)
        return Trees.build(pairs, *placed, self.spec.sensitive, repeats=self.keeps)

    def nesting(self, branches: Sequence[Branch]) -> Nesting:
        """How rows belong to each other, and the tables that they are in."""
        keys = {(key.table, name) for entry in branches if (key := entry.key) for name in key.columns}
        keys |= {(key.to, name) for entry in branches if (key := entry.key) for name in key.to_columns}
        order: dict[str, int] = {}
        heads, tables = dict[str, str](), list[LinkedTable]()
        unusual_name = None
        for branch, frame, columns in zip(branches, self.frames, self.columns, strict=True):
            paths = {name: f"{branch.path}.{name}" if branch.path else name for name in frame.columns}
            value_columns = [name for name in columns if (branch.table, name) not in keys]
            value_columns = [
                name
                for name in value_columns
                if paths[name] not in self.drop and paths[name] != self.identifier
            ]
            for path in (branch.path, *(paths[name] for name in value_columns)):
                order.setdefault(path, len(order))
            if branch.key is not None and value_columns:
                heads[branch.path] = self.heads.get(branch.path, value_columns[0])
            unusual_names = (entry for entry in (branch.table, *value_columns) if not entry or "." in entry)
            unusual_name = unusual_name or next(unusual_names, None)
            linked_columns = tuple(
                name for name in columns if name in value_columns or (branch.table, name) in keys
            )
            tables.append(_linked_table(branch, branches, linked_columns))
        lists = frozenset(branch.path for branch in branches if branch.many and branch.path)
        return Nesting(
            {} if self.keeps else heads, lists, order, unusual_name, tuple(tables) if self.keeps else ()
        )


def sort_by_record(order: I8, record: I8, items: I4 | I8, parents: I8, records: int) -> tuple[I8, I4, I4]:
    """Nodes in an order that keeps those of a record together: where records start, items, and parents within records.

    `parents` are places among the nodes as they came; -1 stays.
    """
    new_position = np.empty(len(order), dtype=np.int64)
    new_position[order] = np.arange(len(order))
    start = prefix_sums(np.bincount(record, minlength=records))
    local = np.where(parents < 0, -1, new_position[parents] - start[record])
    return start, items[order].astype(np.int32), local[order].astype(np.int32)


def _linked_table(
    branch: Branch, branches: Sequence[Branch], columns: tuple[str, ...], format: str = "csv"
) -> LinkedTable:
    """A branch as a table, and how it and the table that leads there refer to each other."""
    if branch.key is None:
        return LinkedTable("", branch.table, columns, format=format)
    low, high = branch.key.columns, branch.key.to_columns
    own_columns, parent_columns = (low, high) if branch.many else (high, low)
    parent_path = branches[branch.over].path
    return LinkedTable(
        branch.path, branch.table, columns, parent_path, own_columns, parent_columns, branch.many, format
    )


def _key_cells(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Key columns as text: values are compared as everywhere else."""
    return pl.DataFrame([cell_texts(frame[name]).alias(f"k{index}") for index, name in enumerate(columns)])


def _key_names(key: Key) -> list[str]:
    return [f"k{place}" for place in range(len(key.columns))]


def _suggest_column(name: str, there: Sequence[str]) -> str:
    """The name that was meant, and no other: the first line of a file without a header is somebody's record."""
    nearest_name = nearest(name, there, 0.8)
    question = "" if nearest_name is None else f"did you mean '{nearest_name}'? "
    return f"{question}check the spelling, and that the first line holds the names of the columns"


NDJSON = "ndjson"
_TYPE = "resourceType"

Resources = Mapping[str, list[tuple[str, bytes]]]
"""By type, the resources as they are written, each with its place."""


def is_bulk_fhir(folder: Path) -> bool:
    """Whether a folder holds FHIR: the first line of one of its ndjson files is a resource."""
    for file in _ndjson_files(folder):
        with unzip(file) as plain:
            for number, line in iter_raw_lines(plain, file.name):
                record = parse_line(line, file.name, number)
                return isinstance(record, dict) and isinstance(record.get(_TYPE), str)
    return False


def _ndjson_files(folder: Path) -> list[Path]:
    return [file for file, format in _formats_in(folder).items() if format.reader == NDJSON]


def read_resources(folder: Path) -> Resources:
    """All resources of a folder; several files may hold one type, and a file several types.

    Raises
    ------
    InputError
        A line is no resource.
    """
    resources_of_type: dict[str, list[tuple[str, bytes]]] = defaultdict(list)
    for file in _ndjson_files(folder):
        with unzip(file) as plain:
            for number, line in iter_raw_lines(plain, file.name):
                location = f"{file.name}, line {number}"
                record = parse_line(line, file.name, number)
                kind = record.get(_TYPE) if isinstance(record, dict) else None
                if not isinstance(kind, str) or not kind.isalpha():
                    raise InputError(f"{location}: no FHIR resource; give resources alone, one per line")
                resources_of_type[kind].append((location, line))
    return dict(resources_of_type)


def patient_records(
    where: str, resources: Resources, spec: TreeSpec
) -> tuple[Iterator[tuple[str, dict[str, Any]]], tuple[LinkedTable, ...]]:
    """One record for each person, with its place, and the types of resources as tables that refer to each other.

    Raises
    ------
    InputError
        `person` or a key names what is not there, two resources share an id, or one refers to nobody.
    """
    if spec.person is None or spec.person not in resources:
        raise InputError(f"{where}: no resources of the type in tree.person; say Patient, and give its file")
    branches, _ = _find_branches(where, spec.person, keys_of(where, spec.keys, resources), ())
    if any(not branch.many for branch in branches):
        raise InputError(
            f"{where}: tree.keys follows a reference from a person; only what refers to one is read"
        )
    known_ids: list[set[str]] = []
    below: dict[tuple[int, str], list[tuple[str, bytes]]] = defaultdict(list)
    for branch in branches:
        known_ids.append(set())
        for location, line in resources[branch.table]:
            record = json.loads(line)
            resource_id = record.get("id")
            if not isinstance(resource_id, str) or resource_id in known_ids[-1]:
                raise InputError(
                    f"{where}: {location}: no id, or one that another {branch.table} has; correct it"
                )
            known_ids[-1].add(resource_id)
            if branch.key is not None:
                owner = _find_owner_id(record, branch, location)
                if owner is None:
                    continue
                if owner not in known_ids[branch.over]:
                    raise InputError(
                        f"{where}: {location}: refers to no {branch.key.to} that is there; add it or remove the line"
                    )
                below[len(known_ids) - 1, owner].append((location, line))
    inner = {
        location: [index for index, child_branch in enumerate(branches) if child_branch.over == location]
        for location in range(len(branches))
    }

    def whole(at: int, line: bytes) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(line)
        resource_id, branch = record["id"], branches[at]
        del record[_TYPE]
        if branch.key is not None:
            del record["id"]
            pop_field(record, branch.key.columns[0].split("."))
        for child in inner[at]:
            if rows := below.get((child, resource_id)):
                record[branches[child].table] = [whole(child, line) for _, line in rows]
        return record

    records = ((location, whole(0, line)) for location, line in resources[spec.person])
    return records, tuple(_linked_table(child_branch, branches, (), NDJSON) for child_branch in branches)


def _find_owner_id(record: Mapping[str, Any], branch: Branch, place: str) -> str | None:
    """The id that a resource refers to; None where it refers to nothing, or to something of another type."""
    assert branch.key is not None
    value: Any = record
    for step in branch.key.columns[0].split("."):
        if isinstance(value, list):
            raise InputError(
                f"{place}: '{step}' is in a list, so it may refer to several; follow another field"
            )
        value = value.get(step) if isinstance(value, Mapping) else None
    return _parse_reference(value, branch.key.to) if isinstance(value, str) else None


def _parse_reference(reference: str, kind: str) -> str | None:
    """The id in a reference to a resource of a type; None where it is to another type.

    >>> _parse_reference("https://h.org/fhir/Patient/7/_history/2", "Patient")
    '7'
    >>> _parse_reference("urn:uuid:7", "Patient")
    '7'
    >>> _parse_reference("Group/7", "Patient") is None
    True
    """
    if reference.startswith("urn:"):
        return reference.rpartition(":")[2]
    before, _, resource_id = reference.partition("/_history/")[0].rpartition("/")
    return resource_id if before.rpartition("/")[2] in ("", kind) else None


def pop_field(record: dict[str, Any], steps: Sequence[str]) -> Any:
    """Take a field out of a record, and objects that only held it; None where there is no such field.

    >>> visit = {"subject": {"reference": "Patient/7"}, "status": "done"}
    >>> pop_field(visit, ["subject", "reference"]), visit
    ('Patient/7', {'status': 'done'})
    """
    inside = record.get(steps[0])
    if len(steps) == 1:
        return record.pop(steps[0], None)
    value = pop_field(inside, steps[1:]) if isinstance(inside, dict) else None
    if not inside:
        record.pop(steps[0], None)
    return value
