"""Published trees out and back as JSON and XML, which nest nodes as they hang.

A node is {"class": ..., "value": ..., "children": [...]}, or <node class= value=> around its children.
"""

import json
import re
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from shoal.data import Trees
from shoal.data.trees import CHUNK, ancestry
from shoal.errors import InputError
from shoal.io.read.trees import DEEPEST
from shoal.io.read.xml import elements
from shoal.io.write.json_text import json_or_none, strict_json

__all__ = [
    "Node",
    "coded_pieces",
    "coded_trees",
    "line_rows",
    "node_texts",
    "text_rows",
    "trees_of_texts",
    "write_lines",
    "write_xml",
    "xml_rows",
]

_FIRST, _OPEN, _CLOSE, _MORE, _LAST = b'{"nodes": [', b'{"class": ', b"]}", b", ", b"]}\n"
_TEXT = rb'"(?:[^"\\]|\\.)*"'
_PIECE = re.compile(rb"(%s), \"value\": (%s), \"children\": \[((?:\]\})*?)(|, |\]\}\n)" % (_TEXT, _TEXT))
_DEEPEST_XML = 250  # lxml reads 256 elements within each other
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what XML cannot hold


Node = tuple[str, str, int]
"""A class, a value, and the place of the parent among the nodes of the record, -1 under the root."""


def node_texts(trees: Trees) -> Iterator[str]:
    """The nodes of each record as JSON text.

    >>> list(node_texts(Trees.of([[("ward", "A", ("ill", "flu"))], []])))[1]
    '[]'
    """
    names = [trees.classes[kind] for kind in trees.kinds]
    heads = [
        f'{{"class": {_json(name)}, "value": {_json(value)}, "children": ['
        for name, value in zip(names, trees.values, strict=True)
    ]
    for parts in _nested(trees, heads, "]}", ", "):
        yield f"[{''.join(parts)}]"


def trees_of_texts(texts: Iterable[str | None], name: str) -> Trees:
    """Read nodes back; the text may be anyone's, so nothing is trusted.

    Raises
    ------
    InputError
        A record is not a list of nodes, or the trees are not of the kind that can be judged; the message names the
        record.
    """
    return coded_trees(text_rows(texts, name), name)


def text_rows(texts: Iterable[str | None], name: str) -> Iterator[list[Node]]:
    """The nodes of each text; errors are those of `trees_of_texts`."""
    known = _Segments()
    for row, text in enumerate((text or "" for text in texts), 1):
        yield known.nodes(b'{"nodes": %s}\n' % text.encode()) or _list_nodes(
            json_or_none(text), f"{name}, record {row}"
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
    known = _Segments()
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            yield known.nodes(line) or _line(line, f"{path.name}, line {number}")


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
        f"<node class={_attribute(name)} value={_attribute(value)}>"
        for name, value in zip(names, trees.values, strict=True)
    ]
    for parts in _nested(trees, heads, "</node>", ""):
        file.write(f"<record>{''.join(parts)}</record>\n".encode())


def xml_rows(path: Path) -> Iterator[list[Node]]:
    """The nodes of each record that `write_xml` wrote; the file may be anyone's.

    Raises
    ------
    InputError
        It is not well-formed, or not made of records and nodes.
    """
    for place, record in elements(path, path.name, bare="records"):
        yield _xml_nodes(record, f"{path.name}, {place}")


def _nested(trees: Trees, heads: list[str], close: str, between: str) -> Iterator[list[str]]:
    """For each record, the opening text of each node in preorder, and what closes it."""
    for at in range(0, trees.n, CHUNK):
        start = trees.start[at : at + CHUNK + 1]
        inside = slice(int(start[0]), int(start[-1]))
        items, parents = trees.items[inside].tolist(), trees.parents[inside].tolist()
        for first, last in pairwise((start - start[0]).tolist()):
            yield _parts(items[first:last], parents[first:last], heads, close, between)


def _parts(items: list[int], parents: list[int], heads: list[str], close: str, between: str) -> list[str]:
    """The same of one record."""
    parts: list[str] = []
    open_: list[int] = []
    for place, (item, parent) in enumerate(zip(items, parents, strict=True)):
        closed = False
        while open_ and open_[-1] != parent:
            open_.pop()
            parts.append(close)
            closed = True
        parts.append(between + heads[item] if closed else heads[item])
        open_.append(place)
    return parts + [close] * len(open_)


def coded_trees(records: Iterable[list[Node]], name: str) -> Trees:
    """Trees of nodes, those of each record in a list, parents first; `name` is what messages call their file."""
    place: dict[tuple[str, str], int] = {}
    start, items, parents = array("q", [0]), array("i"), array("i")
    for nodes in records:
        for kind, value, parent in nodes:
            items.append(place.setdefault((kind, value), len(place)))
            parents.append(parent)
        start.append(len(items))
    arrays = np.array(start), np.array(items, dtype=np.int32), np.array(parents, dtype=np.int32)
    try:
        return Trees.build(tuple(place), *arrays, repeats=True).as_found()
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def coded_pieces(records: Iterable[list[Node]], name: str, size: int | None) -> Iterator[Trees]:
    """The same, so many records at once (None: all), each piece in codes of its own; of no record one empty piece."""
    rows, done = iter(records), False
    while (first := list(islice(rows, 1))) or not done:
        yield coded_trees(chain(first, islice(rows, size and size - 1)), name)
        done = True


class _Segments:
    """Reads lines that are exactly as `write_lines` writes them, several times faster than a reader of any JSON.

    A line is cut where nodes open. A piece is one node's class and value and how many nodes close behind it; few
    pieces are different, and each is understood once.
    """

    def __init__(self) -> None:
        self.known: dict[bytes, tuple[str, str, int, bytes] | None] = {}

    def nodes(self, line: bytes) -> list[Node]:
        """The nodes of a line; none where it is written in any other way."""
        first, *pieces = line.split(_OPEN)
        found: list[Node] = []
        above: list[int] = []
        if first != _FIRST:
            return []
        for place, piece in enumerate(pieces):
            if piece not in self.known:
                self.known[piece] = _parse_piece(piece)
            node = self.known[piece]
            if node is None or len(above) == DEEPEST:
                return []
            kind, value, closing, rest = node
            found.append((kind, value, above[-1] if above else -1))
            above.append(place)
            wanted = _LAST if place + 1 == len(pieces) else _MORE if closing else b""
            if rest != wanted or closing > len(above):
                return []
            del above[len(above) - closing :]
        return [] if above else found


def _parse_piece(piece: bytes) -> tuple[str, str, int, bytes] | None:
    """Class, value, how many nodes close, and what follows."""
    parts = _PIECE.fullmatch(piece)
    if parts is None:
        return None
    try:
        kind, value = (strict_json(text.decode()) for text in parts.group(1, 2))
    except ValueError:
        return None
    return kind, value, len(parts[3]) // len(_CLOSE), parts[4]


def _line(line: bytes, where: str) -> list[Node]:
    record = json_or_none(line)
    if not isinstance(record, dict) or list(record) != ["nodes"]:
        raise InputError(f"{where}: not an object with nodes alone; give it as it was released")
    return _list_nodes(record["nodes"], where)


def _list_nodes(nodes: Any, where: str) -> list[Node]:
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


def _xml_nodes(record: Any, where: str) -> list[Node]:
    """The nodes of an XML record."""
    strange = InputError(
        f"{where}: a record holds more than nodes of class and value; give it as it was released"
    )
    if record.tag != "record" or record.attrib or record.nsmap or any(t.strip() for t in record.itertext()):
        raise strange
    found: list[Node] = []
    place = {record: -1}
    for element in record.iterdescendants():
        kind, value = element.get("class"), element.get("value")
        if element.tag != "node" or kind is None or value is None or len(element.attrib) > 2 or element.nsmap:
            raise strange
        place[element] = len(found)
        found.append((kind, value, place[element.getparent()]))
    return found


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _attribute(text: str) -> str:
    """Text as an attribute; what XML cannot hold is a fault of the data."""
    if _UNFIT.search(text):
        raise InputError("xml: a published value has a control character; write ndjson instead", value=text)
    from xml.sax.saxutils import quoteattr  # it imports what speaks to the network

    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
