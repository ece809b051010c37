"""Published trees out and back as text that nests: nodes as they hang, or records in the nesting that they came in.

A node is {"class": ..., "value": ..., "children": [...]}, or <node class= value=> around its children.

Nested records are ndjson, one object per record. The first field of an object is its head, null where it is absent. An
object whose first field is a list or an object has no head at all. Without a head, the fields of an object hang on what
is above it, as where nested records are read.

Where rows are kept, an object holds the fields of a row. Fields that are lists stand in lists even where there is one
value, so that what is read back hangs as it did: see `data.trees`.
"""

import json
import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np

from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.data.arrays import I4, I8
from shoal.data.trees import CHUNK, Nesting, ancestry, find_lists, parents_from_heads, parents_from_rows
from shoal.io.read.nested_records import xml_elements
from shoal.io.read.trees import DEEPEST
from shoal.io.write.json_text import dump_json, parse_json, parse_json_or_none

__all__ = [
    "Node",
    "_code_trees",
    "code_pieces",
    "line_rows",
    "nested_objects",
    "node_texts",
    "parse_record",
    "read_nested_records",
    "record_error",
    "require_nesting",
    "trees_from_lines",
    "trees_of_texts",
    "write_lines",
    "write_nested_records",
    "write_xml",
    "xml_rows",
]


_FIRST, _OPEN, _CLOSE, _MORE, _LAST = b'{"nodes": [', b'{"class": ', b"]}", b", ", b"]}\n"
_TEXT = rb'"(?:[^"\\]|\\.)*"'
_PIECE = re.compile(rb"(%s), \"value\": (%s), \"children\": \[((?:\]\})*?)(|, |\]\}\n)" % (_TEXT, _TEXT))
_DEEPEST_XML = 250  # lxml reads 256 elements within each other
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what XML cannot hold


T = TypeVar("T")
Node = tuple[str, str, int]
"""A class, a value, and the place of the parent among the nodes of the record, -1 under the root."""


def node_texts(trees: Trees) -> Iterator[str]:
    """The nodes of each record as JSON text.

    >>> list(node_texts(Trees.of([[("ward", "A", ("ill", "flu"))], []])))[1]
    '[]'
    """
    names = [trees.classes[kind] for kind in trees.kinds]
    heads = [
        f'{{"class": {dump_json(name)}, "value": {dump_json(value)}, "children": ['
        for name, value in zip(names, trees.values, strict=True)
    ]
    for parts in _iter_parts(trees, heads, "]}", ", "):
        yield f"[{''.join(parts)}]"


def trees_of_texts(texts: Iterable[str | None], name: str) -> Trees:
    """Read nodes back; the text may be anyone's, so nothing is trusted.

    Raises
    ------
    InputError
        A record is not a list of nodes, or the trees are not of the kind that can be judged; the message names the
        record.
    """
    return _code_trees(_parse_texts(texts, name), name)


def _parse_texts(texts: Iterable[str | None], name: str) -> Iterator[list[Node]]:
    """The nodes of each text."""
    segments = _Segments()
    for row, text in enumerate((text or "" for text in texts), 1):
        yield segments.nodes(b'{"nodes": %s}\n' % text.encode()) or _flatten_nodes(
            parse_json_or_none(text), f"{name}, record {row}"
        )


def write_lines(trees: Trees, file: BinaryIO) -> None:
    """Write the trees as ndjson: {"nodes": [...]} on each line."""
    for text in node_texts(trees):
        file.write(f'{{"nodes": {text}}}\n'.encode())


def line_rows(path: Path) -> Iterator[list[Node]]:
    """The nodes of each line that `write_lines` wrote; the file may be anyone's.

    Raises
    ------
    InputError
        A line is not {"nodes": [...]}, or as `trees_of_texts` does; the message names the line.
    """
    segments = _Segments()
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            yield segments.nodes(line) or _parse_line(line, f"{path.name}, line {number}")


def write_xml(pieces: Iterable[Trees], file: BinaryIO) -> None:
    """Write trees as XML, one piece of them behind the other."""
    file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<records>\n')
    for trees in pieces:
        _write_elements(trees, file)
    file.write(b"</records>\n")


def _write_elements(trees: Trees, file: BinaryIO) -> None:
    if len(trees.classes) > _DEEPEST_XML and len(list(ancestry(trees.start, trees.parents))) >= _DEEPEST_XML:
        raise InputError(
            f"xml: trees more than {_DEEPEST_XML} deep, which readers refuse; write ndjson instead"
        )
    names = [trees.classes[kind] for kind in trees.kinds]
    heads = [
        f"<node class={_quote_attribute(name)} value={_quote_attribute(value)}>"
        for name, value in zip(names, trees.values, strict=True)
    ]
    for parts in _iter_parts(trees, heads, "</node>", ""):
        file.write(f"<record>{''.join(parts)}</record>\n".encode())


def xml_rows(path: Path) -> Iterator[list[Node]]:
    """The nodes of each record that `write_xml` wrote; the file may be anyone's.

    Raises
    ------
    InputError
        It is not well-formed, or not made of records and nodes.
    """
    for line, record in xml_elements(path, path.name, bare="records"):
        yield _xml_nodes(record, f"{path.name}, {line}")


def _iter_parts(trees: Trees, heads: list[str], close: str, between: str) -> Iterator[list[str]]:
    """For each record, the opening text of each node in preorder, and what closes it."""
    for begin in range(0, trees.n, CHUNK):
        start = trees.start[begin : begin + CHUNK + 1]
        inside = slice(int(start[0]), int(start[-1]))
        items, parents = trees.items[inside].tolist(), trees.parents[inside].tolist()
        for first_node, end_node in pairwise((start - start[0]).tolist()):
            yield _record_parts(
                items[first_node:end_node], parents[first_node:end_node], heads, close, between
            )


def _record_parts(
    items: list[int], parents: list[int], heads: list[str], close: str, between: str
) -> list[str]:
    """The same of one record."""
    parts: list[str] = []
    open_: list[int] = []
    for index, (item, parent) in enumerate(zip(items, parents, strict=True)):
        closed = False
        while open_ and open_[-1] != parent:
            open_.pop()
            parts.append(close)
            closed = True
        parts.append(between + heads[item] if closed else heads[item])
        open_.append(index)
    return parts + [close] * len(open_)


def _code_trees(records: Iterable[list[Node]], name: str) -> Trees:
    """Trees of nodes, those of each record in a list, parents first; `name` is what messages call their file."""
    code_of_node: dict[tuple[str, str], int] = {}
    start, items, parents = array("q", [0]), array("i"), array("i")
    for nodes in records:
        for kind, value, parent in nodes:
            items.append(code_of_node.setdefault((kind, value), len(code_of_node)))
            parents.append(parent)
        start.append(len(items))
    arrays = np.array(start), np.array(items, dtype=np.int32), np.array(parents, dtype=np.int32)
    try:
        return Trees.build(tuple(code_of_node), *arrays, repeats=True).as_found()
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def code_pieces(records: Iterable[list[Node]], name: str, size: int | None) -> Iterator[Trees]:
    """The same, so many records at once (None: all), each piece in codes of its own; of no record one empty piece."""
    for batch in _iter_batches(iter(records), size):
        yield _code_trees(batch, name)


def _iter_batches(rows: Iterator[T], size: int | None) -> Iterator[Iterator[T]]:
    """So many rows at once (None: all); of no row one empty piece."""
    has_batch = False
    while (first_row := list(islice(rows, 1))) or not has_batch:
        yield chain(first_row, islice(rows, size and size - 1))
        has_batch = True


class _Segments:
    """Reads lines that are exactly as `write_lines` writes them, several times faster than a reader of any JSON.

    A line is cut where nodes open. A piece is one node's class and value and how many nodes close behind it; few
    pieces are different, and each is understood once.
    """

    def __init__(self) -> None:
        self.known: dict[bytes, tuple[str, str, int, bytes] | None] = {}

    def nodes(self, line: bytes) -> list[Node]:
        """The nodes of a line; none where it is written in any other way."""
        opening, *pieces = line.split(_OPEN)
        flat_nodes: list[Node] = []
        ancestors: list[int] = []
        if opening != _FIRST:
            return []
        for index, piece in enumerate(pieces):
            if piece not in self.known:
                self.known[piece] = _parse_piece(piece)
            node = self.known[piece]
            if node is None or len(ancestors) == DEEPEST:
                return []
            kind, value, closing, suffix = node
            flat_nodes.append((kind, value, ancestors[-1] if ancestors else -1))
            ancestors.append(index)
            expected = _LAST if index + 1 == len(pieces) else _MORE if closing else b""
            if suffix != expected or closing > len(ancestors):
                return []
            del ancestors[len(ancestors) - closing :]
        return [] if ancestors else flat_nodes


def _parse_piece(piece: bytes) -> tuple[str, str, int, bytes] | None:
    """Class, value, how many nodes close, and what follows."""
    parts = _PIECE.fullmatch(piece)
    if parts is None:
        return None
    try:
        kind, value = (parse_json(text.decode()) for text in parts.group(1, 2))
    except ValueError:
        return None
    return kind, value, len(parts[3]) // len(_CLOSE), parts[4]


def _parse_line(line: bytes, where: str) -> list[Node]:
    record = parse_json_or_none(line)
    if not isinstance(record, dict) or list(record) != ["nodes"]:
        raise InputError(f"{where}: not an object with nodes alone; give it as it was released")
    return _flatten_nodes(record["nodes"], where)


def _flatten_nodes(nodes: Any, where: str) -> list[Node]:
    """Nested nodes in one list, parents first."""
    flat_nodes: list[Node] = []
    queue = [(nodes, -1, 1)]
    while queue:
        siblings, parent, depth = queue.pop()
        if not isinstance(siblings, list) or depth > DEEPEST:
            raise InputError(
                f"{where}: not a list of nodes, or nested too deeply; give it as it was released"
            )
        for node in siblings:
            match node:
                case {"class": str(kind), "value": str(value), "children": children, **rest} if not rest:
                    flat_nodes.append((kind, value, parent))
                    queue.append((children, len(flat_nodes) - 1, depth + 1))
                case _:
                    raise InputError(
                        f"{where}: a node is not a class, a value and children; give it as it was released"
                    )
    return flat_nodes


def _xml_nodes(record: Any, where: str) -> list[Node]:
    """The nodes of an XML record."""
    error = InputError(
        f"{where}: a record holds more than nodes of class and value; give it as it was released"
    )
    if record.tag != "record" or record.attrib or record.nsmap or any(t.strip() for t in record.itertext()):
        raise error
    nodes: list[Node] = []
    index_of_element = {record: -1}
    for element in record.iterdescendants():
        kind, value = element.get("class"), element.get("value")
        if element.tag != "node" or kind is None or value is None or len(element.attrib) > 2 or element.nsmap:
            raise error
        index_of_element[element] = len(nodes)
        nodes.append((kind, value, index_of_element[element.getparent()]))
    return nodes


def _quote_attribute(text: str) -> str:
    """Text as an attribute; what XML cannot hold is a fault of the data."""
    if _UNFIT.search(text):
        raise InputError("xml: a published value has a control character; write ndjson instead", value=text)
    from xml.sax.saxutils import quoteattr  # it imports what speaks to the network

    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


_DEEPEST = 2 * DEEPEST  # what came single may go out in a list


def require_nesting(trees: Trees) -> Nesting:
    """The nesting of trees; refuse trees that did not come nested, or whose fields' names hold dots."""
    nesting = trees.nesting
    if nesting is None:
        raise InputError(
            "release.format: nested is for records that came nested, as json, ndjson or xml; write ndjson or tables"
        )
    if nesting.strange is not None:
        raise InputError(
            f"release.format: field '{nesting.strange[:60]}' has no name or a dot in its name, so it would look like "
            "another field; rename it or write ndjson"
        )
    return nesting


def write_nested_records(trees: Trees, file: BinaryIO, *, rows: bool) -> None:
    """Write the trees as nested records, one on each line; errors are those of `nested_objects`."""
    for record in nested_objects(trees, rows=rows):
        file.write(f"{dump_json(record)}\n".encode())


def nested_objects(trees: Trees, *, rows: bool) -> Iterator[dict[str, Any]]:
    """Each record as JSON takes it, its nodes put into objects that are rows, or have heads.

    Raises
    ------
    InputError
        They did not come nested, or no rows tell how their nodes hang.
    """
    nesting = require_nesting(trees)
    heads = {path: head for path, head in nesting.heads.items() if f"{path}.{head}" in trees.classes}
    forms = dict[tuple[str, ...], list[tuple[str, bool]]]()
    names = [trees.classes[kind] for kind in trees.kinds.tolist()]
    for record in range(trees.n):
        inside = slice(int(trees.start[record]), int(trees.start[record + 1]))
        objects = _ObjectRows(nesting, forms) if rows else _HeadedObjects(nesting, heads)
        for item, parent in zip(trees.items[inside].tolist(), trees.parents[inside].tolist(), strict=True):
            objects.add(names[item], trees.values[item], parent)
        yield objects.whole()


class _Object:
    """An object on its way out: the values and objects of each field; `bare` are those that only hold others.

    head  : the value of its head, where objects have heads
    last  : where they are rows, the node of the last field that is no list: all that belongs to the row hangs below it
    final : the object as JSON takes it
    """

    __slots__ = ("bare", "entries", "final", "head", "last", "path")

    def __init__(self, path: str, head: str | None = None) -> None:
        self.path, self.head, self.last = path, head, -1
        self.entries: dict[str, list[str | _Object]] = {}
        self.bare: dict[str, _Object] = {}
        self.final: dict[str, Any] = {}

    def put(self, name: str, entry: "str | _Object") -> None:
        self.entries.setdefault(name, []).append(entry)

    def finals(self, name: str) -> list[Any]:
        """The entries of a field as JSON takes them."""
        return [entry if isinstance(entry, str) else entry.final for entry in self.entries[name]]


class _Objects(ABC):
    """Puts the nodes of one record into objects, parents first."""

    def __init__(self, nesting: Nesting) -> None:
        self.nesting = nesting
        self.root = _Object("")
        self.objects = [self.root]

    @abstractmethod
    def add(self, kind: str, value: str, parent: int) -> None:
        """Put a node into the object of its parent, or into one inside that."""

    @abstractmethod
    def finish(self, one: _Object) -> None:
        """Make the final form of an object; that of objects inside it may still be empty."""

    def whole(self) -> dict[str, Any]:
        """The record as JSON takes it."""
        for entry in self.objects:
            self.finish(entry)
        return self.root.final

    def steps(self, inside: _Object, over: str) -> list[str] | None:
        """The names from an object to the one at another path; None where that is not inside it."""
        if not f"{over}.".startswith(f"{inside.path}." if inside.path else ""):
            return None
        return over[len(inside.path) :].strip(".").split(".") if over != inside.path else []

    def inner(self, inside: _Object, name: str, head: str | None = None) -> _Object:
        """A new object inside another."""
        child = _Object(_join_path(inside.path, name), head)
        self.objects.append(child)
        inside.put(name, child)
        return child

    def bare(self, inside: _Object, names: Iterable[str]) -> _Object:
        """The object along some names that only holds others."""
        for name in names:
            if name not in inside.bare:
                inside.bare[name] = self.inner(inside, name)
            inside = inside.bare[name]
        return inside

    def place(self, one: _Object, name: str) -> int:
        """Where a field stands among all, in the order in which they came."""
        return self.nesting.order.get(_join_path(one.path, name), len(self.nesting.order))


class _HeadedObjects(_Objects):
    """Objects of which one field, the head, stands above the others."""

    def __init__(self, nesting: Nesting, heads: dict[str, str]) -> None:
        super().__init__(nesting)
        self.heads = heads
        self.below: list[_Object | None] = []  # for each node, the object that holds what hangs below it

    def add(self, kind: str, value: str, parent: int) -> None:
        inside = self.root if parent < 0 else self.below[parent]
        parent_path, _, name = kind.rpartition(".")
        steps = None if inside is None else self.steps(inside, parent_path)
        if inside is None or steps is None:
            raise InputError(
                f"release.format: '{kind[:60]}' is where nothing was nested; write ndjson instead"
            )
        if steps and self.heads.get(parent_path) == name:
            self.below.append(self.inner(self.bare(inside, steps[:-1]), steps[-1], value))
        else:
            self.bare(inside, steps).put(name, value)
            self.below.append(None)

    def finish(self, one: _Object) -> None:
        """Put the head first, then fields in the order in which they came.

        A field is single where it mostly came so and can be; a value without any head is in a list, not to be one.
        """
        head = self.heads.get(one.path) if one.path else None
        if one.head is not None and head in one.entries:
            raise InputError(
                f"release.format: '{one.path[:60]}' cannot be nested as it came; write ndjson instead"
            )
        if head is not None and head not in one.entries:
            one.final[head] = one.head
        for name in sorted(one.entries, key=lambda name: (name != head, self.place(one, name), name)):
            entries = one.finals(name)
            single = len(entries) == 1 and _join_path(one.path, name) not in self.nesting.lists
            headed = head is not None or not one.path or isinstance(entries[0], dict)
            one.final[name] = entries[0] if single and headed else entries


def _join_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


class NestingReader:
    """How nested records are nested, from those that were read.

    rows  : whether objects are rows; else they have heads
    heads : the head of each object
    lists : the fields that have one value in a list; of rows, also those that have several
    after : for each field, those that stand before it in an object
    """

    def __init__(self, *, rows: bool) -> None:
        self.rows = rows
        self.heads: dict[str, str] = {}
        self.lists: set[str] = set()
        self.after: dict[str, set[str]] = {}

    def fields(self, path: str, names: list[str]) -> None:
        """Note in which order the fields of an object stand."""
        paths = [_join_path(path, name) for name in names]
        for field_path in paths:
            self.after.setdefault(field_path, set())
        for upper, lower in pairwise(paths):
            self.after[lower].add(upper)

    def nesting(self) -> Nesting:
        """What the writer needs; fields that stand in no one order have none."""
        try:
            order = list(TopologicalSorter(self.after).static_order())
        except CycleError:
            order = []
        return Nesting(
            self.heads, frozenset(self.lists), {path: position for position, path in enumerate(order)}
        )

    def cells(self, line: bytes, over: "array[int]", where: str) -> Iterator[tuple[str, str, int, bool]]:
        """The values of a record, each with its field and its object, and whether it is the head of that.

        Objects are numbered on in `over`, -1 is the person.
        """
        record = parse_record(line, where)
        self.fields("", list(record))
        queue = [(name, value, -1, 1) for name, value in record.items()]
        for path, value, row, depth in queue:  # it grows as it is read
            if depth > _DEEPEST or not value:
                raise record_error(where)
            if isinstance(value, str):
                yield path, value, row, False
            elif isinstance(value, list) and not any(isinstance(entry, list) for entry in value):
                if len(value) == 1 or (self.rows and any(isinstance(entry, str) for entry in value)):
                    self.lists.add(path)
                queue += [(path, entry, row, depth + 1) for entry in value]
            elif isinstance(value, dict):
                over.append(row)
                object_number = len(over) - 1
                fields = list(value.items())
                head_name, head = fields[0]
                if not self.rows and (head is None or isinstance(head, str)):
                    del fields[0]
                    if self.heads.setdefault(path, head_name) != head_name or not (
                        head or (head is None and fields)
                    ):
                        raise record_error(where)
                    if head is not None:
                        yield f"{path}.{head_name}", head, object_number, True
                self.fields(path, [name for name, _ in fields])
                queue += [(f"{path}.{name}", entry, object_number, depth + 1) for name, entry in fields]
            else:
                raise record_error(where)


def parse_record(line: bytes, where: str) -> dict[str, Any]:
    """One line as an object whose names are plain and stand once each."""
    try:
        record = json.loads(line.decode(), object_pairs_hook=_build_object)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise record_error(where)
    return record


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; names that stand twice, are empty or hold dots are a fault."""
    if len({name for name, _ in pairs}) < len(pairs) or any(not name or "." in name for name, _ in pairs):
        raise ValueError
    return dict(pairs)


def record_error(where: str) -> InputError:
    """What to say of a line that no release has."""
    return InputError(f"{where}: not a nested record of texts, lists and objects; give it as it was released")


class _ObjectRows(_Objects):
    """Objects that are rows.

    `forms` is what all records share: for the path and the fields of a row, those fields in order, and which are lists.
    """

    def __init__(self, nesting: Nesting, forms: dict[tuple[str, ...], list[tuple[str, bool]]]) -> None:
        super().__init__(nesting)
        self.forms = forms
        self.of: list[_Object] = []
        self.hung: list[tuple[_Object, int]] = []  # rows, and the nodes of theirs that others hang below

    def add(self, kind: str, value: str, parent: int) -> None:
        parent_path, _, name = kind.rpartition(".")
        row = self.root if parent < 0 else self.of[parent]
        single = kind not in self.nesting.lists
        if row.path == parent_path and row is not self.root and single:
            if row.last != parent or name in row.entries:
                raise _row_error(kind)
        else:
            self.hung.append((row, parent))
        steps = self.steps(row, parent_path)
        if steps is None:
            raise _row_error(kind)
        if steps and single:
            row = self.inner(self.bare(row, steps[:-1]), steps[-1])
        else:
            row = self.bare(row, steps)
        row.put(name, value)
        if single and row is not self.root:
            row.last = len(self.of)
        self.of.append(row)

    def whole(self) -> dict[str, Any]:
        """The record; nodes may hang below the last field of a row alone, for nobody would read another from rows."""
        for row, parent in self.hung:
            if row.last != parent:
                raise _row_error(row.path)
        return super().whole()

    def finish(self, one: _Object) -> None:
        key = (one.path, *one.entries)
        if key not in self.forms:
            names = sorted(one.entries, key=lambda name: (self.place(one, name), name))
            self.forms[key] = [(name, _join_path(one.path, name) in self.nesting.lists) for name in names]
        for name, listed in self.forms[key]:
            entries = one.finals(name)
            one.final[name] = entries[0] if len(entries) == 1 and not listed else entries


def read_nested_records(path: Path, records: int | None = None, *, rows: bool) -> Iterator[Trees]:
    """Read back what `write_nested_records` wrote, so many records at once (None: all), and how all so far are nested.

    The file may be anyone's. Which fields of rows are lists any record may show, so the file is looked through before
    where not all records are read at once.

    Raises
    ------
    InputError
        A line is not as it would be written; the message names the line.
    """
    nesting_reader = NestingReader(rows=rows)
    if rows and records is not None:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                for _ in nesting_reader.cells(line, array("q"), f"{path.name}, line {number}"):
                    pass
    with path.open("rb") as file:
        for lines in _iter_batches(iter(enumerate(file, 1)), records):
            yield _read_lines(lines, nesting_reader, path.name)


def trees_from_lines(lines: Iterable[tuple[int, bytes]], name: str, lists: Iterable[str]) -> Trees:
    """The trees of lines of rows that are at hand, each with its number; some fields are known to be lists.

    Raises
    ------
    InputError
        As `read_nested_records` does.
    """
    nesting_reader = NestingReader(rows=True)
    nesting_reader.lists.update(lists)
    return _read_lines(lines, nesting_reader, name)


def _read_lines(lines: Iterable[tuple[int, bytes]], reader: NestingReader, name: str) -> Trees:
    """The trees of some lines, each with its number."""
    nodes = _LineNodes.of(lines, reader, name)
    nesting = reader.nesting()
    parents = nodes.parents_by_rows(nesting) if reader.rows else nodes.parents_by_heads()
    first_node = np.repeat(nodes.start[:-1], np.diff(nodes.start))  # of each node's tree
    parents_in_tree = np.where(parents < 0, -1, parents - first_node).astype(np.int32)
    try:
        trees = Trees.build(tuple(nodes.values), nodes.start, nodes.codes, parents_in_tree, repeats=True)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    return replace(trees if reader.rows else trees.as_found(), nesting=nesting)


@dataclass(frozen=True, slots=True)
class _LineNodes:
    """The nodes of some lines, in the order in which they are written.

    values      : the different nodes, each a field and a value
    start       : int64[lines + 1], the first node of each line
    codes       : int32[nodes], which of `values` each is
    row         : int64[nodes], the object in which each is written
    parent_rows : int64[objects], the object around each
    heads       : int64, the nodes that stand for their objects
    """

    values: Sequence[tuple[str, str]]
    start: I8
    codes: I4
    row: I8
    parent_rows: I8
    heads: Sequence[int]

    @classmethod
    def of(cls, lines: Iterable[tuple[int, bytes]], reader: NestingReader, name: str) -> "_LineNodes":
        """Read lines, each with its number."""
        code_of_node = dict[tuple[str, str], int]()
        start, codes, rows = array("q", [0]), array("i"), array("q")
        parent_rows, heads = array("q"), array("q")
        for number, line in lines:
            for field, value, row, is_head in reader.cells(line, parent_rows, f"{name}, line {number}"):
                if is_head:
                    heads.append(len(codes))
                codes.append(code_of_node.setdefault((field, value), len(code_of_node)))
                rows.append(row)
            start.append(len(codes))
        return cls(
            tuple(code_of_node),
            np.array(start, dtype=np.int64),
            np.array(codes, dtype=np.int32),
            np.array(rows, dtype=np.int64),
            np.array(parent_rows, dtype=np.int64),
            heads,
        )

    def parents_by_rows(self, nesting: Nesting) -> I8:
        """int64[nodes]: the parent of each, -1 of roots, where objects are rows."""
        fields = sorted({field for field, _ in self.values}, key=lambda field: nesting.order.get(field, 0))
        index_of_field = {field: index for index, field in enumerate(fields)}
        field_of_value = np.array([index_of_field[field] for field, _ in self.values], dtype=np.int64)
        is_list = np.array([field in nesting.lists for field in fields], dtype=bool)
        field_of_node = field_of_value[self.codes]
        lists = find_lists(self.row, field_of_node, is_list)
        return parents_from_rows(self.row, field_of_node, self.parent_rows, lists)

    def parents_by_heads(self) -> I8:
        """int64[nodes]: the parent of each, -1 of roots, where each object has one node that stands for it."""
        head_of_object = np.full(len(self.parent_rows), -1, dtype=np.int64)
        head_of_object[self.row[self.heads]] = self.heads
        return parents_from_heads(self.row, self.parent_rows, head_of_object)


def _row_error(kind: str) -> InputError:
    return InputError(
        f"release.format: '{kind[:60]}' is not nested as rows are, because relations were cut; write nodes instead"
    )
