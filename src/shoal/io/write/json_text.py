"""JSON in releases: read strictly, lists in cells, and ndjson whose columns hold lists or trees.

What two readers could understand differently is not read at all. In a frame a cell such as
`["milk", ["bread", "rolls"]]` is JSON text, in an ndjson file it is a JSON value; it holds names and sets of names, and
every distinct entry is coded once.
"""

import json
import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from shoal.data.arrays import I4, I8
from shoal.errors import InputError
from shoal.io.read.cells import json_cells, text

__all__ = [
    "Entry",
    "TwiceError",
    "json_or_none",
    "list_texts",
    "read_lists",
    "read_nested",
    "strict_json",
    "write_lists",
    "write_nested",
]

_LONE = re.compile(r"\\u[dD][89a-fA-F]")  # half of a character: no file and no terminal takes it


Entry = str | tuple[str, ...]
# An entry of a list, not the list itself; of cells without escapes, and a bracket inside a name cuts an entry short.
_ENTRY = re.compile(r'"[^"]*"|\[[^\[\]]*\](?!$)')


class TwiceError(ValueError):
    """A key occurs twice in one object."""


def strict_json(text: str | bytes) -> Any:
    """Read JSON; a key that occurs twice in one object, NaN, and half a character are faults.

    Raises
    ------
    ValueError, RecursionError
        It is not JSON, or not JSON of which everybody reads the same.

    Examples
    --------
    >>> strict_json('{"k": 5}')
    {'k': 5}
    >>> strict_json('{"k": 5, "k": 2}')
    Traceback (most recent call last):
    ...
    shoal.io.write.json_text.TwiceError: a key occurs twice
    """
    whole = text if isinstance(text, str) else text.decode("utf-8")  # bytes alone may be guessed to be UTF-16
    found = json.loads(whole, object_pairs_hook=_object, parse_constant=_refuse)
    if _LONE.search(whole):
        json.dumps(found, ensure_ascii=False).encode("utf-8")
    return found


def json_or_none(text: str | bytes) -> Any:
    """The same, None in place of a fault."""
    try:
        return strict_json(text)
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise TwiceError("a key occurs twice")
    return found


def _refuse(word: str) -> None:
    raise ValueError("not a number")


def write_lists(name: str, start: I8, items: I4, entries: Sequence[Entry]) -> pl.Series:
    """One JSON list per row: row i holds entries[c] for c in items[start[i] : start[i + 1]].

    >>> write_lists("items", np.array([0, 2, 2]), np.array([1, 0]), ["milk", ("bread", "rolls")]).to_list()
    ['[["bread", "rolls"], "milk"]', '[]']
    """
    texts = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    words = [texts[code] for code in items.tolist()]
    ends = start.tolist()
    cells = [f"[{', '.join(words[a:b])}]" for a, b in pairwise(ends)]
    return pl.Series(name, cells, dtype=pl.String)


def read_lists(cells: pl.Series) -> tuple[I8, I4, tuple[Entry, ...]]:
    """The inverse: where each row starts, codes in the order written, and the distinct entries.

    An empty cell is an empty list.

    Raises
    ------
    InputError
        A cell is no JSON list of texts and lists of texts; the message names its row.

    Examples
    --------
    >>> start, items, entries = read_lists(pl.Series('items', ['["b", ["a", "b"], "b"]']))
    >>> start.tolist(), items.tolist(), entries
    ([0, 3], [0, 1, 0], ('b', ('a', 'b')))
    """
    codes: dict[Entry, int] = {}
    known: dict[str | None, list[int]] = {}  # released baskets repeat: each text is parsed once
    words: dict[str, int] = {}  # and so do their entries
    items: list[int] = []
    ends = [0]
    for row, cell in enumerate(cells):
        if cell not in known:
            texts = _split(cell)
            for text in texts:
                if text not in words:
                    (entry,) = _parsed(f"[{text}]", cells.name, row)
                    words[text] = codes.setdefault(entry, len(codes))
            known[cell] = [words[text] for text in texts]
            if not texts:
                found = _parsed(cell, cells.name, row)
                known[cell] = [codes.setdefault(entry, len(codes)) for entry in found]
        items.extend(known[cell])
        ends.append(len(items))
    return np.array(ends, dtype=np.int64), np.array(items, dtype=np.int32), tuple(codes)


def list_texts(cells: pl.Series) -> pl.Series:
    """Cells that may be lists as JSON text; text stays as it is.

    >>> list_texts(pl.Series("items", [["milk"], None])).to_list()
    ['["milk"]', None]
    """
    if not cells.dtype.is_nested():
        return cells
    texts = [None if cell is None else json.dumps(cell, ensure_ascii=False) for cell in cells.to_list()]
    return pl.Series(cells.name, texts, dtype=pl.String)


def _split(cell: str | None) -> list[str]:
    """The texts of a list's entries where it is plainly as `write_lists` writes it; none where it is not.

    An entry that was cut short, inside a name, has an odd number of quotes.
    """
    if cell is None or "\\" in cell:
        return []
    texts: list[str] = _ENTRY.findall(cell)
    whole = f"[{', '.join(texts)}]" == cell and not any(text.count('"') % 2 for text in texts)
    return texts if whole else []


def _parsed(cell: str | None, name: str, row: int) -> list[Entry]:
    if cell is None:
        return []
    found = json_or_none(cell)
    if not isinstance(found, list):
        raise _wrong(name, row)
    return [_entry(item, name, row) for item in found]


def _entry(item: object, name: str, row: int) -> Entry:
    if isinstance(item, str):
        return item
    if isinstance(item, list) and item and all(isinstance(member, str) for member in item):
        return tuple(item)
    raise _wrong(name, row)


def _wrong(name: str, row: int) -> InputError:
    return InputError(
        f"column '{name}', row {row + 1}: not a JSON list of texts; write it as shoal writes items"
    )


def write_nested(frame: pl.DataFrame, file: BinaryIO, nested: Collection[str]) -> None:
    """One object per record; the cells of `nested` columns are JSON already and go in as they are."""
    heads = [json.dumps(name, ensure_ascii=False) for name in frame.columns]
    cells = [_json(frame[name], name in nested) for name in frame.columns]
    for row in zip(*cells, strict=True):
        parts = ", ".join(f"{head}: {cell}" for head, cell in zip(heads, row, strict=True))
        file.write(f"{{{parts}}}\n".encode())


def _json(column: pl.Series, ready: bool) -> list[str]:
    if ready:
        return [cell if cell is not None else "null" for cell in column]
    return [json.dumps(cell, ensure_ascii=False) for cell in json_cells(column)]


def read_nested(path: Path, nested: Collection[str]) -> pl.DataFrame:
    """The inverse, every column text; the file may be anyone's, so nothing is trusted.

    Raises
    ------
    InputError
        A line is no JSON object of the same keys, each of them once, or nests a value elsewhere; the message names
        the line.
    """
    names: list[str] = []
    rows: list[list[str | None]] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            found = _line_object(line, path.name, number)
            names = names or list(found)
            if list(found) != names:
                raise InputError(
                    f"{path.name}, line {number}: other keys than in the first line; write the file again"
                )
            rows.append([_cell(value, name in nested, path.name, number) for name, value in found.items()])
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def _line_object(line: bytes, name: str, number: int) -> dict[str, Any]:
    found = json_or_none(line)
    if not isinstance(found, dict):
        raise InputError(
            f"{name}, line {number}: not a JSON object with every key once; write one object per line"
        )
    return found


def _cell(value: Any, nested: bool, name: str, number: int) -> str | None:
    if value is None:
        return None
    if nested:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict | list):
        raise InputError(
            f"{name}, line {number}: a nested value where a single one is expected; write the file again"
        )
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _real(value)


@lru_cache(maxsize=1 << 16)
def _real(value: float) -> str | None:
    """A number as the cells of a table are written."""
    shown: str | None = text(pl.Series([value])).item()
    return shown
