"""Record trees in: nested ndjson and json, xml, a folder of tables, a database; files may be gzipped.

There is one reading rule for JSON, XML and whatever else nests. A class is the dotted path of a field. Fields of the
person stand under the root. In a nested object the head is a node, its other fields are the head's children, and deeper
objects hang under the head; an object without its head hangs its fields on the parent. Values are text; null is absent.
Where objects are kept as rows, as they are by default if some came in arrays, they hang as `data.trees` says.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.base.errors import InputError
from shoal.base.naming import did_you_mean
from shoal.data import Trees
from shoal.data.arrays import B1, I4, I8
from shoal.data.trees import Nesting, find_lists, parents_from_heads, parents_from_rows, require_few_fields
from shoal.io.config import TreeSpec
from shoal.io.formats import format_of, is_database
from shoal.io.read.cells import is_identifier_name, normalize_names, refuse_same, warn_repeats
from shoal.io.read.files import LIMIT, require_file, unzip, utf8_copy
from shoal.io.read.nested_records import iter_raw_lines, load_records, parse_line, xml_records
from shoal.io.read.sql import read_database, url_of_file
from shoal.io.read.tree_tables import Resources, is_bulk_fhir, patient_records, read_folder, read_resources

__all__ = [
    "DEEPEST",
    "RawRecords",
    "TreeBuilder",
    "TreeSpec",
    "add_record",
    "open_records",
    "read_trees",
    "trees_of_records",
    "trees_of_resources",
]

DEEPEST = 400
"""How many objects and lists may lie within each other."""

_LONGEST_VALUE = 1 << 24  # characters of a value, as of a line of a table


class _Field:
    """What is known of one dotted path: its fields, the head of its objects, the codes of its values."""

    __slots__ = ("codes", "dropped", "fields", "head", "inside", "lists", "name", "seen")

    def __init__(self, name: str, head: str | None, dropped: bool) -> None:
        self.name = name
        self.head = head
        self.dropped = dropped
        self.fields: dict[str, _Field] = {}
        self.codes: dict[str, int] = {}
        self.lists = self.inside = self.seen = 0  # lists, what was in them, and all that was no list


class RawRecords(NamedTuple):
    """Records as they were taken: where each starts, the items of nodes, the object of each node, that of each object.

    The object is -1 where it is the person; `tops` holds the node of each object's head, -1 where it has none.
    """

    start: I8
    items: I4
    rows: I8
    over: I8
    tops: I8


class TreeBuilder:
    """Takes nested records one by one and hands over the trees.

    Parameters
    ----------
    spec
        What is left out, with all that is below it; the heads of objects, else the first scalar field seen; and the
        field that says who a record is, which is left out as well.
    missing
        Texts that stand for an absent value.
    """

    def __init__(self, spec: TreeSpec, missing: Sequence[str]) -> None:
        self.spec = spec
        self.drop, self.heads, self.missing = set(spec.left_out), dict(spec.heads), set(missing)
        self.texts = dict.fromkeys(spec.text, 0)
        self.root = _Field("", None, False)
        self.known: dict[str, _Field] = {}
        self.pairs: list[tuple[str, str]] = []
        self._reset_arrays()
        self.arrays = False  # whether an object came in an array
        self.several: set[str] = set()  # fields of which an object that was handed over has several values
        self.identifier = spec.identifier
        self.strange: str | None = None
        self.who: dict[str, list[str | None]] = {}
        self.done = 0  # records that were handed over

    def _reset_arrays(self) -> None:
        """Hold no record; the arrays are those of `RawRecords`."""
        self.start, self.items, self.rows = array("q", [0]), array("i"), array("q")
        self.over, self.tops = array("q"), array("q")

    @property
    def keeps(self) -> bool:
        """Whether objects are kept as rows."""
        return self.spec.keeps(self.arrays)

    @property
    def records(self) -> int:
        """How many records were taken."""
        return self.done + len(self.start) - 1

    def add(self, record: Mapping[str, Any]) -> None:
        """Take one record.

        Raises
        ------
        InputError
            It is nested too deeply, or holds something that is no text, number, truth value or null.
        """
        for name, value in record.items():
            self._put_value(value, self._find_field(self.root, name), -1, 1)
        self.start.append(len(self.items))
        for names in self.who.values():
            names += [None] * (self.records - len(names))

    def trees(self, where: str) -> Trees:
        """Hand over what was taken.

        Raises
        ------
        InputError
            There are no records or no values, a dropped path, a head or the sensitive class never occurs, or the
            trees are not of the kind that can be published.
        """
        self.require(where)
        raw = self.handed_over()
        require_few_fields({kind for kind, _ in self.pairs})  # before each of them is looked at
        pairs = self.spec.spelled(self.pairs)
        built = Trees.build(
            pairs, raw.start, raw.items, self.hung(raw), self.spec.sensitive, repeats=self.keeps
        )
        return replace(built, nesting=self.nesting())

    def handed_over(self) -> RawRecords:
        """The records taken since the last time, in codes of `pairs`."""
        self.done = self.records
        raw = RawRecords(
            np.frombuffer(self.start, dtype=np.int64),
            np.frombuffer(self.items, dtype=np.int32),
            np.frombuffer(self.rows, dtype=np.int64),
            np.frombuffer(self.over, dtype=np.int64),
            np.frombuffer(self.tops, dtype=np.int64),
        )
        names, _, fields = self._fields()
        field_of_item = fields[raw.items]
        has_several = find_lists(raw.rows, field_of_item, np.zeros(len(names), dtype=bool))
        self.several.update(name for name, is_list in zip(names, has_several, strict=True) if is_list)
        self._reset_arrays()
        return raw

    def hung(self, raw: RawRecords) -> I4:
        """The places of parents within their records, once all records were handed over."""
        if self.keeps:
            _, lists, fields = self._fields()
            parents = parents_from_rows(raw.rows, fields[raw.items], raw.over, lists)
        else:
            parents = parents_from_heads(raw.rows, raw.over, raw.tops)
        local = np.where(parents < 0, -1, parents - np.repeat(raw.start[:-1], np.diff(raw.start)))
        return local.astype(np.int32)

    def _fields(self) -> tuple[list[str], B1, I8]:
        """The fields in the order in which they stand in rows, which of them are lists, and that of each of `pairs`."""
        heads = {f"{field.name}.{field.head}" for field in self.known.values() if field.head is not None}
        names = sorted(self.known, key=lambda name: name not in heads)
        number = {name: rank for rank, name in enumerate(names)}
        lists = np.array([self.known[name].lists > 0 or name in self.several for name in names], dtype=bool)
        return names, lists, np.array([number[kind] for kind, _ in self.pairs], dtype=np.int64)

    def require(self, where: str) -> None:
        """Refuse records that cannot be published, once all were taken; see `trees`."""
        if not self.records:
            raise InputError(f"{where}: no records; give at least one")
        if not self.pairs:
            raise InputError(
                f"{where}: no record holds a value that is not dropped; nothing is left to publish"
            )
        self._require_names(where)
        self._check_persons(where)

    def nesting(self) -> Nesting:
        """How the records were nested; what a few of them did otherwise does not show."""
        fields = [field for field in self.known.values() if not field.dropped]
        mostly = [field.name for field in fields if field.lists and field.lists >= field.seen - field.inside]
        if self.keeps:
            names, lists, _ = self._fields()
            mostly = [name for name, is_list in zip(names, lists, strict=True) if is_list]
        return Nesting(
            {field.name: field.head for field in fields if field.head is not None},
            frozenset(mostly),
            {field.name: position for position, field in enumerate(fields)},
            self.strange,
            texts=self.texts,
        )

    def _require_names(self, where: str) -> None:
        """Refuse names in the configuration that never occur: they are slips."""
        field_of_path = self.known
        identifiers = [] if self.identifier is None else [self.identifier]
        for setting, names in (("drop", self.drop), ("heads", self.heads), ("identifier", identifiers)):
            for name in sorted(names):
                if name not in field_of_path:
                    raise InputError(
                        f"{where}: tree.{setting} names '{name}', which never occurs; correct it or leave it out"
                        f"{did_you_mean(name, field_of_path)}"
                    )
        for name, head in self.heads.items():
            if f"{name}.{head}" not in field_of_path:
                raise InputError(
                    f"{where}: tree.heads names '{head}' in '{name}', which never occurs; correct it"
                    f"{did_you_mean(head, (field.removeprefix(f'{name}.') for field in field_of_path))}"
                )

    def _check_persons(self, where: str) -> None:
        """Refuse records that share an identifier; tell where a field that was dropped looks like one."""
        for name, texts in self.who.items():
            names = normalize_names(pl.Series(texts, dtype=pl.String))
            if name == self.identifier:
                refuse_same(
                    f"{where}, field '{name}'", names, "put what belongs to one person into one record"
                )
            elif self.identifier is None:
                warn_repeats(
                    where, name, names, f'say identifier = "{name}" and put a person into one record'
                )

    def _find_field(self, over: _Field, name: str) -> _Field:
        field = over.fields.get(name)
        if field is None:
            path = f"{over.name}.{name}" if over.name else name
            _require_text(path, over.name)
            dropped = over.dropped or path in self.drop or path == self.identifier
            if not dropped and (not name or "." in name):
                self.strange = self.strange or path
            fresh = _Field(path, self.heads.get(path), dropped)
            if path == self.identifier or (dropped and not over.name and is_identifier_name(path)):
                self.who[path] = []
            field = over.fields[name] = self.known.setdefault(path, fresh)  # names may hold dots themselves
        return field

    def _put_value(self, value: Any, field: _Field, row: int, depth: int) -> None:
        """Take a value, or all of an object or a list, of an object."""
        if depth > DEEPEST:
            raise InputError(
                f"field '{field.name[:60]}': nested more than {DEEPEST} deep; flatten the records"
            )
        if field.dropped:
            if field.name in self.texts and value not in (None, ""):
                self.texts[field.name] += len(value) if isinstance(value, list) else 1
            if field.name in self.who:
                self._note(value, field)
            return
        field.seen += not isinstance(value, list)
        if isinstance(value, dict):
            self._put_object(value, field, row, depth)
        elif isinstance(value, list):
            field.lists, field.inside = field.lists + 1, field.inside + len(value)
            self.arrays = self.arrays or any(isinstance(entry, dict) for entry in value)
            for entry in value:
                self._put_value(entry, field, row, depth + 1)
        elif (text := self._value_text(value, field)) is not None:
            self._add_node(text, field, row)

    def _put_object(self, record: dict[str, Any], field: _Field, over: int, depth: int) -> None:
        """Take an object that is within another."""
        if field.head is None:
            field.head = self._first(record, field)
        self.over.append(over)
        self.tops.append(-1)
        row = len(self.over) - 1
        for name, value in record.items():
            before = len(self.items)
            self._put_value(value, self._find_field(field, name), row, depth + 1)
            if name == field.head and not isinstance(value, dict | list) and len(self.items) > before:
                self.tops[row] = before

    def _note(self, value: Any, field: _Field) -> None:
        """Remember who a record is; several values of one record are one name."""
        names = self.who[field.name]
        if isinstance(value, dict | list):
            if field.name == self.identifier:
                raise InputError(
                    f"field '{field.name}': an identifier is a text or a number; name a single field"
                )
            return
        text = self._value_text(value, field)
        record = self.records
        names += [None] * (record - len(names))
        if len(names) == record:
            names.append(text)
        elif text is not None:
            names[record] = f"{names[record] or ''}, {text}"

    def _first(self, record: dict[str, Any], field: _Field) -> str | None:
        """The first scalar field of an object that is there and not dropped."""
        for name, value in record.items():
            if not isinstance(value, dict | list):
                below = self._find_field(field, name)
                if not below.dropped and self._value_text(value, below) is not None:
                    return name
        return None

    def _value_text(self, value: Any, field: _Field) -> str | None:
        """A value as text; None where it is absent."""
        if value is None:
            return None
        if isinstance(value, bool):
            text = "true" if value else "false"
        elif isinstance(value, str | int):
            text = str(value)
        elif isinstance(value, float):
            text = "" if not isfinite(value) else str(int(value)) if value == int(value) else repr(value)
        else:
            raise InputError(
                f"field '{field.name}': a value is not a text, a number, true, false or null; correct it, or drop "
                "the field"
            )
        return None if text == "" or text in self.missing else text

    def _add_node(self, text: str, field: _Field, row: int) -> None:
        code = field.codes.get(text)
        if code is None:
            _require_text(text, field.name)
            if len(text) > _LONGEST_VALUE:
                raise InputError(
                    f"field '{field.name}': a value of more than {_LONGEST_VALUE} characters; shorten it"
                )
            code = field.codes[text] = len(self.pairs)
            self.pairs.append((field.name, text))
        self.items.append(code)
        self.rows.append(row)


def _require_text(text: str, field: str) -> None:
    """JSON can escape half of a character, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        location = f"in field '{field}'" if field else "in a field's name"
        raise InputError(
            f"{location}: half of a character that has two parts; write the whole character"
        ) from None


def read_trees(
    source: str | Path,
    spec: TreeSpec | None = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
    limit: int = LIMIT,
    records: str | None = None,
) -> Trees:
    """Read record trees.

    Parameters
    ----------
    source : str or Path
        A file .ndjson, .jsonl, .json (an array of objects) or .xml (an element a record below the root), each also
        with .gz behind it; a folder of csv or parquet tables, or of FHIR resources in ndjson; or a database as a URL
        or a file.
    spec : TreeSpec, optional
        How to read it; see there.
    delimiter, encoding : str, optional
        Of text files, as `read` takes them.
    missing : sequence of str
        Texts that stand for an absent value.
    limit : int
        How many bytes a compressed file may unpack to.
    records : str, optional
        Of json, the dotted path of the array, where it is not the file itself.

    Raises
    ------
    LayoutError
        The array of a json file is within an object, and nobody says where.
    InputError
        The source cannot be had or is not what it should be; the sentence names the line where it can.
    ExtraError
        A database, without the packages it needs.
    """
    spec = spec or TreeSpec()
    if "://" in str(source):
        return read_database(str(source), spec, missing)
    path = Path(source)
    if is_database(path.name) and not path.is_dir():
        return read_database(url_of_file(path), spec, missing)
    if path.is_dir():
        if is_bulk_fhir(path):
            return trees_of_resources(path.name, read_resources(path), spec, missing)
        return read_folder(path, spec, missing, delimiter, encoding)
    require_file(path)
    if spec.person is not None or spec.keys:
        raise InputError(
            f"{path.name}: tree.person and tree.keys are for tables; a nested file needs neither"
        )
    builder = TreeBuilder(spec, missing)
    try:
        with unzip(path, limit) as plain:
            _add_records(builder, open_records(plain, path.name, encoding, records), path.name)
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read ({error.strerror}); check disk and file") from None
    return builder.trees(path.name)


def trees_of_records(
    records: Iterable[Mapping[str, Any]], spec: TreeSpec, missing: Sequence[str] = ("",)
) -> Trees:
    """Make trees of nested records that are in memory, as `json.loads` gives them.

    Raises
    ------
    InputError
        A record is no mapping, or as `read_trees` does.
    """
    builder = TreeBuilder(spec, missing)
    _add_records(
        builder, ((f"record {number}", record) for number, record in enumerate(records, 1)), "records"
    )
    return builder.trees("records")


def trees_of_resources(
    where: str, resources: Resources, spec: TreeSpec, missing: Sequence[str] = ("",)
) -> Trees:
    """Make trees of FHIR resources: one for each person, with what refers to it.

    Raises
    ------
    InputError
        As `patient_records` and `read_trees` do.
    """
    records, tables = patient_records(where, resources, spec)
    builder = TreeBuilder(spec, missing)
    for location, record in records:
        add_record(builder, record, location)
    trees = builder.trees(where)
    assert trees.nesting is not None
    return replace(trees, nesting=replace(trees.nesting, tables=tables))


def open_records(
    plain: Path, name: str, encoding: str | None, records: str | None = None
) -> Iterator[tuple[str, Any]]:
    """The records of a file that is not packed, each with its place; `name` is the file's own."""
    format = format_of(name)
    if format is None or not format.nested:
        raise InputError(
            f"{name}: no reader of record trees for this; give .ndjson, .json, .xml, a folder of tables or a database"
        )
    match format.reader:
        case "xml":
            return xml_records(plain, name)
        case "ndjson":
            return (
                (f"line {number}", parse_line(line, name, number))
                for number, line in iter_raw_lines(plain, name, encoding)
            )
        case _:
            return _iter_array(plain, name, encoding, records)


def _add_records(builder: TreeBuilder, rows: Iterable[tuple[str, Any]], name: str) -> None:
    """Take records."""
    for location, record in rows:
        add_record(builder, record, f"{name}, {location}")


def add_record(builder: TreeBuilder, record: Any, where: str) -> None:
    """Take one record; a fault names its place."""
    if not isinstance(record, Mapping):
        raise InputError(f"{where}: not an object; give one object per record")
    try:
        builder.add(record)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _iter_array(
    plain: Path, name: str, encoding: str | None, records: str | None
) -> Iterator[tuple[str, Any]]:
    """The records of a json file."""
    with utf8_copy(plain, name, encoding) as path:
        rows = load_records(path, name, records)
    yield from ((f"record {number}", record) for number, record in enumerate(rows, 1))
