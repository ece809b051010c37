"""Published trees out and back: JSON text, XML, or one table a class with keys.

JSON and XML nest nodes as they hang: {"class": ..., "value": ..., "children": [...]}, and <node class= value=>. A table
of a class has the columns record, node, parent, value: numbers that run through all tables, the parent empty under the
root; a table `records` numbers the records, those without nodes too.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO
from xml.sax.saxutils import quoteattr

import numpy as np
import polars as pl

from shoal.data import Forest
from shoal.errors import InputError
from shoal.io.grow import DEEPEST
from shoal.io.xml import records as xml_records

__all__ = ["forest_of_tables", "forest_of_texts", "node_texts", "read_xml", "tables_of", "write_xml"]


def node_texts(trees: Forest) -> Iterator[str]:
    """The nodes of each record as JSON text.

    >>> list(node_texts(Forest.of([[("ward", "A", ("ill", "flu"))], []])))[1]
    '[]'
    """
    names = [trees.classes[kind] for kind in trees.kinds]
    heads = [
        f'{{"class": {_json(name)}, "value": {_json(value)}, "children": ['
        for name, value in zip(names, trees.values, strict=True)
    ]
    for parts in _nested(trees, heads, "]}", ", "):
        yield f"[{''.join(parts)}]"


def forest_of_texts(texts: Iterable[str | None], name: str, sensitive: str | None = None) -> Forest:
    """Read nodes back; the text may be anyone's, so nothing is trusted.

    Raises
    ------
    InputError
        A record is not a list of nodes, or the trees are not of the kind that can be judged; the message names the
        record.
    """
    return _forest((_parsed(text, name, number) for number, text in enumerate(texts, 1)), name, sensitive)


def write_xml(trees: Forest, file: BinaryIO) -> None:
    """Write the trees as XML."""
    names = [trees.classes[kind] for kind in trees.kinds]
    heads = [
        f"<node class={_attribute(name)} value={_attribute(value)}>"
        for name, value in zip(names, trees.values, strict=True)
    ]
    file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<records>\n')
    for parts in _nested(trees, heads, "</node>", ""):
        file.write(f"<record>{''.join(parts)}</record>\n".encode())
    file.write(b"</records>\n")


def read_xml(path: Path, sensitive: str | None = None) -> Forest:
    """Read back what `write_xml` wrote; the file may be anyone's.

    Raises
    ------
    InputError
        It is not well-formed, or not made of records and nodes.
    """
    rows = (_unwrapped(record, f"{path.name}, {place}") for place, record in xml_records(path, path.name))
    return _forest(rows, path.name, sensitive)


def tables_of(trees: Forest) -> dict[str, pl.DataFrame]:
    """One table a class, and one of all records."""
    record = np.repeat(np.arange(trees.n), np.diff(trees.start))
    base = np.repeat(trees.start[:-1], np.diff(trees.start))
    parent = np.where(trees.parents < 0, 0, base + trees.parents + 1)
    whole = pl.DataFrame(
        {
            "record": record + 1,
            "node": np.arange(1, len(record) + 1),
            "parent": pl.Series(parent).replace(0, None),
            "value": pl.Series(trees.values, dtype=pl.String).gather(trees.items),
        }
    )
    kinds = trees.kinds[trees.items]
    found = {name: whole.filter(pl.Series(kinds == kind)) for kind, name in enumerate(trees.classes)}
    return {"records": pl.DataFrame({"record": np.arange(1, trees.n + 1)}), **found}


def forest_of_tables(tables: Mapping[str, pl.DataFrame], name: str, sensitive: str | None = None) -> Forest:
    """Put the tables of classes together again; they may be anyone's.

    Raises
    ------
    InputError
        A table lacks a column, a number is none, or a node stands twice, in no record or below no other of its record.
    """
    records = tables.get("records")
    if records is None or "record" not in records.columns:
        raise InputError(f"{name}: no table 'records' with a column 'record'; give all tables of the release")
    number = {one: place for place, one in enumerate(_whole(records["record"], name, "records"))}
    nodes: dict[int, tuple[int, int | None, str, str]] = {}
    for table, frame in tables.items():
        if table == "records":
            continue
        missing = {"record", "node", "parent", "value"} - set(frame.columns)
        if missing:
            raise InputError(
                f"{name}: table '{table}' has no column '{min(missing)}'; give it as it was released"
            )
        columns = [_whole(frame[column], name, table) for column in ("record", "node", "parent")]
        for whose, node, parent, value in zip(
            *columns, frame["value"].cast(pl.String).to_list(), strict=True
        ):
            if whose not in number or node is None or node in nodes or value is None:
                raise InputError(
                    f"{name}: table '{table}': a node without record, number or value, or one that stands twice"
                )
            nodes[node] = number[whose], parent, table, value
    return _forest(_hung(nodes, len(number), name), name, sensitive)


def _nested(trees: Forest, heads: list[str], close: str, between: str) -> Iterator[list[str]]:
    """By record the opening text of each node in preorder, and what closes it."""
    items, parents = trees.items.tolist(), trees.parents.tolist()
    for first, last in pairwise(trees.start.tolist()):
        parts: list[str] = []
        open_: list[int] = []
        for place, (item, parent) in enumerate(zip(items[first:last], parents[first:last], strict=True)):
            closed = False
            while open_ and open_[-1] != parent:
                open_.pop()
                parts.append(close)
                closed = True
            parts.append(between + heads[item] if closed else heads[item])
            open_.append(place)
        yield parts + [close] * len(open_)


Node = tuple[str, str, int]
"""A class, a value, and the place of the parent among the nodes of the record, -1 under the root."""


def _forest(records: Iterable[list[Node]], name: str, sensitive: str | None) -> Forest:
    place: dict[tuple[str, str], int] = {}
    start, items, parents = [0], list[int](), list[int]()
    for nodes in records:
        for kind, value, parent in nodes:
            items.append(place.setdefault((kind, value), len(place)))
            parents.append(parent)
        start.append(len(items))
    arrays = (
        np.array(start, dtype=np.int64),
        np.array(items, dtype=np.int32),
        np.array(parents, dtype=np.int32),
    )
    try:
        return Forest.build(
            tuple(place), *arrays, sensitive if sensitive in {kind for kind, _ in place} else None
        )
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _parsed(text: str | None, name: str, number: int) -> list[Node]:
    try:
        nodes = json.loads(text or "")
    except (ValueError, RecursionError):
        nodes = None
    where = f"{name}, record {number}"
    return _listed(nodes, where)


def _listed(nodes: Any, where: str) -> list[Node]:
    """Nested nodes in one list, parents first."""
    found: list[Node] = []
    queue = [(nodes, -1, 1)]
    while queue:
        some, parent, depth = queue.pop()
        if not isinstance(some, list) or depth > DEEPEST:
            raise InputError(
                f"{where}: not a list of nodes, or nested too deeply; give it as it was released"
            )
        for node in some:
            match node:
                case {"class": str(kind), "value": str(value), "children": children, **rest} if not rest:
                    found.append((kind, value, parent))
                    queue.append((children, len(found) - 1, depth + 1))
                case _:
                    raise InputError(
                        f"{where}: a node is not a class, a value and children; give it as it was released"
                    )
    return found


def _unwrapped(record: Mapping[str, Any], where: str) -> list[Node]:
    """The nodes of an XML record."""

    def children(element: Mapping[str, Any]) -> list[Any]:
        nodes = element.get("node", [])
        return nodes if isinstance(nodes, list) else [nodes]

    found: list[Node] = []
    queue = [(record, -1)]
    while queue:
        element, parent = queue.pop()
        for node in children(element):
            if not isinstance(node, Mapping) or not all(
                isinstance(node.get(key), str) for key in ("class", "value")
            ):
                raise InputError(
                    f"{where}: a node is not a class, a value and nodes; give it as it was released"
                )
            found.append((node["class"], node["value"], parent))
            queue.append((node, len(found) - 1))
    return found


def _hung(
    nodes: dict[int, tuple[int, int | None, str, str]], records: int, name: str
) -> Iterator[list[Node]]:
    """Nodes of tables by record, parents first."""
    below: dict[int | None, list[int]] = {}
    for node, (_, parent, _, _) in nodes.items():
        below.setdefault(parent, []).append(node)
    trees: list[list[Node]] = [[] for _ in range(records)]
    placed = 0
    queue = [(node, -1) for node in below.get(None, [])]
    while queue:
        node, parent = queue.pop()
        record, over, kind, value = nodes[node]
        if over is not None and nodes[over][0] != record:
            raise InputError(f"{name}: a node of record {record + 1} hangs below one of another record")
        trees[record].append((kind, value, parent))
        placed += 1
        queue += [(child, len(trees[record]) - 1) for child in below.get(node, [])]
    if placed < len(nodes):
        raise InputError(
            f"{name}: {len(nodes) - placed} nodes hang below none that is there; give all tables of the release"
        )
    return iter(trees)


def _whole(column: pl.Series, name: str, table: str) -> list[int | None]:
    try:
        return column.cast(pl.String).cast(pl.Int64).to_list()
    except pl.exceptions.PolarsError:
        raise InputError(f"{name}: table '{table}', column '{column.name}': not a whole number") from None


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _attribute(text: str) -> str:
    """Text as an attribute; what XML cannot hold is a fault of the data."""
    if any(ord(sign) < 32 and sign not in "\t\n\r" for sign in text):
        raise InputError("xml: a published value has a control character; write ndjson instead", value=text)
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
