"""Published trees that keep rows, out and back as nested records: ndjson, one object per record.

An object holds the fields of a row. Fields that are lists stand in lists even where there is one value, so that what is
read back hangs as it did: see `object_rows`.
"""

import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from shoal.data import Trees
from shoal.data.trees import Nesting
from shoal.errors import InputError
from shoal.io.read.object_rows import hang_rows, lists_among
from shoal.io.write.nested_trees import NestingReader, parsed_record, require_nesting, strange_record

__all__ = ["read_nested_rows", "row_objects", "rows_of_lines", "write_nested_rows"]

_DEEPEST = 800


def write_nested_rows(trees: Trees, file: BinaryIO) -> None:
    """Write the trees as nested records, one on each line.

    Raises
    ------
    InputError
        They did not come nested.
    """
    for record in row_objects(trees):
        file.write(f"{json.dumps(record, ensure_ascii=False)}\n".encode())


def row_objects(trees: Trees) -> Iterator[dict[str, Any]]:
    """Each record as JSON takes it: an object per row.

    Raises
    ------
    InputError
        They did not come nested, or no rows tell how their nodes hang.
    """
    nesting = require_nesting(trees)
    names = [trees.classes[kind] for kind in trees.kinds.tolist()]
    forms = dict[tuple[str, ...], list[tuple[str, bool]]]()
    for record in range(trees.n):
        inside = slice(int(trees.start[record]), int(trees.start[record + 1]))
        made = _Rows(nesting, forms)
        for item, parent in zip(trees.items[inside].tolist(), trees.parents[inside].tolist(), strict=True):
            made.add(names[item], trees.values[item], parent)
        made.require()
        yield made.whole()


class _Row:
    """An object on its way out: the values and objects of each field; `bare` are those that only hold others.

    `last` is the node of the last field that is no list: all that belongs to the row hangs below it.
    """

    __slots__ = ("bare", "entries", "last", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.last = -1
        self.entries: dict[str, list[str | _Row]] = {}
        self.bare: dict[str, _Row] = {}


class _Rows:
    """Puts the nodes of one record into objects, parents first.

    `forms` is what all records share: for the path and the fields of a row, those fields in order, and which are lists.
    """

    def __init__(self, nesting: Nesting, forms: dict[tuple[str, ...], list[tuple[str, bool]]]) -> None:
        self.nesting, self.forms = nesting, forms
        self.root = _Row("")
        self.of: list[_Row] = []
        self.hung: list[tuple[_Row, int]] = []  # rows, and the nodes of theirs that others hang below

    def add(self, kind: str, value: str, parent: int) -> None:
        """Put a node into its parent's object, or into one inside that."""
        over, _, name = kind.rpartition(".")
        row = self.root if parent < 0 else self.of[parent]
        single = kind not in self.nesting.lists
        if row.path == over and row is not self.root and single:
            if row.last != parent or name in row.entries:
                raise _unlike_rows(kind)
        else:
            self.hung.append((row, parent))
        if row.path != over:
            if not f"{over}.".startswith(f"{row.path}." if row.path else ""):
                raise _unlike_rows(kind)
            steps = over[len(row.path) :].strip(".").split(".")
            for step in steps[:-1]:
                row = self._bare(row, step)
            if single:
                row.entries.setdefault(steps[-1], []).append(fresh := _Row(over))
                row = fresh
            else:
                row = self._bare(row, steps[-1])
        row.entries.setdefault(name, []).append(value)
        if single and row is not self.root:
            row.last = len(self.of)
        self.of.append(row)

    def require(self) -> None:
        """Refuse nodes that hang below another field than the last one of a row: nobody would read that from rows."""
        for row, parent in self.hung:
            if row.last != parent:
                raise _unlike_rows(row.path)

    def _bare(self, row: _Row, name: str) -> _Row:
        if name not in row.bare:
            row.bare[name] = _Row(_joined(row.path, name))
            row.entries.setdefault(name, []).append(row.bare[name])
        return row.bare[name]

    def whole(self, row: _Row | None = None) -> dict[str, Any]:
        """An object as JSON takes it, fields in the order in which they came."""
        row = self.root if row is None else row
        made: dict[str, Any] = {}
        for name, listed in self._form(row):
            entries = [one if isinstance(one, str) else self.whole(one) for one in row.entries[name]]
            made[name] = entries[0] if len(entries) == 1 and not listed else entries
        return made

    def _form(self, row: _Row) -> list[tuple[str, bool]]:
        key = (row.path, *row.entries)
        if key not in self.forms:
            order, lists = self.nesting.order, self.nesting.lists
            whole = {name: _joined(row.path, name) for name in row.entries}
            names = sorted(whole, key=lambda name: (order.get(whole[name], len(order)), name))
            self.forms[key] = [(name, whole[name] in lists) for name in names]
        return self.forms[key]


def read_nested_rows(path: Path, records: int | None = None) -> Iterator[Trees]:
    """Read back what `write_nested_rows` wrote, so many records at once (None: all), and how all are nested.

    The file may be anyone's. Which fields are lists any record may show, so the file is looked through before where not
    all records are read at once.

    Raises
    ------
    InputError
        A line is not as it would be written; the message names the line.
    """
    seen = NestingReader()
    if records is not None:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                for _ in _cells(line, seen, array("q"), f"{path.name}, line {number}"):
                    pass
    with path.open("rb") as file:
        lines, done = enumerate(file, 1), False
        while (first := list(islice(lines, 1))) or not done:
            yield _read_rows(chain(first, islice(lines, records and records - 1)), seen, path.name)
            done = True


def rows_of_lines(lines: Iterable[tuple[int, bytes]], name: str, lists: Iterable[str]) -> Trees:
    """The trees of lines that are at hand, each with its number; some fields are known to be lists.

    Raises
    ------
    InputError
        As `read_nested_rows` does.
    """
    seen = NestingReader()
    seen.lists.update(lists)
    return _read_rows(lines, seen, name)


def _read_rows(lines: Iterable[tuple[int, bytes]], seen: NestingReader, name: str) -> Trees:
    """The trees of some lines, each with its number."""
    known = dict[tuple[str, str], int]()
    start, items, rows, over = array("q", [0]), array("i"), array("q"), array("q")
    for number, line in lines:
        for kind, value, row in _cells(line, seen, over, f"{name}, line {number}"):
            items.append(known.setdefault((kind, value), len(known)))
            rows.append(row)
        start.append(len(items))
    nesting = seen.nesting()
    kinds = sorted({kind for kind, _ in known}, key=lambda kind: nesting.order.get(kind, 0))
    place = {kind: at for at, kind in enumerate(kinds)}
    codes, bounds = np.array(items, dtype=np.int32), np.array(start, dtype=np.int64)
    fields = np.array([place[kind] for kind, _ in known], dtype=np.int64)[codes]
    came = np.array([kind in nesting.lists for kind in kinds], dtype=bool)
    held = np.array(rows, dtype=np.int64)
    lists = lists_among(held, fields, came)
    parents = hang_rows(held, fields, np.array(over, dtype=np.int64), lists)
    local = np.where(parents < 0, -1, parents - np.repeat(bounds[:-1], np.diff(bounds))).astype(np.int32)
    try:
        trees = Trees.build(tuple(known), bounds, codes, local, repeats=True)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    return replace(trees, nesting=nesting)


def _cells(
    line: bytes, seen: NestingReader, over: "array[int]", where: str
) -> Iterator[tuple[str, str, int]]:
    """The values of a record, each with its field and its row; rows are numbered on in `over`, -1 is the person."""
    record = parsed_record(line, where)
    seen.fields("", list(record))
    queue = [(name, value, -1, 1) for name, value in record.items()]
    for path, value, row, depth in queue:  # it grows as it is read
        if depth > _DEEPEST or not value:
            raise strange_record(where)
        if isinstance(value, str):
            yield path, value, row
        elif isinstance(value, list) and not any(isinstance(one, list) for one in value):
            if len(value) == 1 or any(isinstance(one, str) for one in value):
                seen.lists.add(path)
            queue += [(path, one, row, depth + 1) for one in value]
        elif isinstance(value, dict):
            over.append(row)
            seen.fields(path, list(value))
            own = len(over) - 1
            queue += [(f"{path}.{name}", one, own, depth + 1) for name, one in value.items()]
        else:
            raise strange_record(where)


def _unlike_rows(kind: str) -> InputError:
    return InputError(
        f"release.format: '{kind[:60]}' is not nested as rows are, because relations were cut; write nodes instead"
    )


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
