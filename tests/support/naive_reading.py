"""Released files read with the plainest of readers; nothing here may import shoal.

A row is a dict of texts, None where a cell is empty; a column of lists holds tuples of texts and of tuples of texts.
A record tree is a tuple of nodes, each (class, value, *children).
"""

import csv
import json
import re
from xml.etree import ElementTree

import pyarrow.parquet

_ESCAPED = re.compile(r"'+[=+\-@\t\r]")
LISTS = ("items", "uncertain")
FILES = {
    "csv": "data.csv",
    "parquet": "data.parquet",
    "ndjson": "data.ndjson",
    "xml": "data.xml",
    "tables": "data",
    "nested": "data.nested.ndjson",
}
"""For each format the file or folder that holds the data."""


def read_rows(folder, format, lists=LISTS):
    """The rows of a released table or of baskets, groups as their items; `lists` are the columns of lists."""
    path, groups = folder / FILES[format], read_groups(folder)
    if format == "csv":
        return [_row(row, lists, groups) for row in _csv(path)]
    if format == "parquet":
        return [_row(row, lists, groups) for row in pyarrow.parquet.read_table(path).to_pylist()]
    lines = path.read_text(encoding="utf-8").split("\n")
    return [_row(json.loads(line), lists, groups) for line in lines if line]


def read_groups(folder):
    """By its name the items of each group of a release."""
    path = folder / "groups.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def read_owners(private):
    """The place of the original behind each released row, from 0, as the private folder of a release keeps it."""
    rows = pyarrow.parquet.read_table(private / "rows.parquet").to_pylist()
    assert [row["row"] for row in rows] == list(range(1, len(rows) + 1))
    return [row["record"] - 1 for row in rows]


def rows_of(frame, groups=None):
    """The rows of a frame of polars, before anything is written."""
    return [_row(row, LISTS, groups or {}) for row in frame.to_dicts()]


def _csv(path):
    """The rows of a csv file; an apostrophe before a formula is taken off."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        names, *rows = csv.reader(file)
    names = [_unescaped(name) for name in names]
    return [dict(zip(names, map(_unescaped, row), strict=True)) for row in rows]


def _unescaped(cell):
    return cell[1:] if _ESCAPED.match(cell) else cell


def _row(row, lists, groups):
    return {name: _list(cell, groups) if name in lists else _text(cell) for name, cell in row.items()}


def _list(cell, groups):
    items = json.loads(cell) if isinstance(cell, str) else cell or []
    meant = [groups.get(item, [item]) if isinstance(item, str) else item for item in items]
    return tuple(item[0] if len(item) == 1 else tuple(item) for item in meant)


def _text(cell):
    return None if cell is None or cell == "" else str(cell)


def read_trees(folder, format, heads):
    """The record trees of a release; `heads` says which field of an object is above the others."""
    if format == "xml":
        root = ElementTree.parse(folder / "data.xml").getroot()  # our own file, written a moment ago
        return [tuple(_element(node) for node in record) for record in root]
    if format == "tables":
        return _tables(folder / "data")
    if format == "nested":
        lines = (folder / "data.nested.ndjson").read_text(encoding="utf-8").split("\n")[:-1]
        return [grown(json.loads(line), heads) for line in lines]
    lines = (folder / "data.ndjson").read_text(encoding="utf-8").split("\n")[:-1]
    return [tuple(map(_node, json.loads(line)["nodes"])) for line in lines]


def trees_of(rows):
    """The record trees of rows that hold them as JSON text."""
    return [tuple(map(_node, json.loads(row["nodes"]))) for row in rows]


def _node(node):
    return (node["class"], node["value"], *map(_node, node["children"]))


def _element(node):
    return (node.get("class"), node.get("value"), *map(_element, node))


def _tables(folder):
    below = {}
    for path in folder.glob("*.csv"):
        for row in _csv(path) if path.name != "records.csv" else ():
            place = (row["record"], row["parent"])
            below.setdefault(place, []).append((row["node"], path.name.removesuffix(".csv"), row["value"]))

    def grow(record, parent):
        return tuple(
            (kind, value, *grow(record, node)) for node, kind, value in below.get((record, parent), ())
        )

    return [grow(row["record"], "") for row in _csv(folder / "records.csv")]


def grown(record, heads):
    """The nodes of a nested record: scalars, and of each object its head above its other fields."""
    return tuple(_fields(record, "", heads))


def _fields(found, path, heads):
    nodes = []
    for name, value in found.items():
        here = f"{path}.{name}" if path else name
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                nodes += _object(one, here, heads)
            elif one is not None and one != "":
                nodes.append((here, str(one)))
    return nodes


def _object(found, path, heads):
    head = heads.get(path)
    rest = _fields({name: value for name, value in found.items() if name != head}, path, heads)
    top = found.get(head)
    return rest if top is None or top == "" else [(f"{path}.{head}", str(top), *rest)]
