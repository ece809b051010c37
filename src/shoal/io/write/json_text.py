"""JSON in releases: read strictly, lists in cells, and ndjson whose columns hold lists or trees.

What two readers could understand differently is not read at all. In a frame a cell such as
`["milk", ["bread", "rolls"]]` is JSON text, in an ndjson file it is a JSON value; it holds names and sets of names, and
every distinct entry is coded once.
"""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from shoal.base.errors import InputError
from shoal.data.arrays import I4, I8, prefix_sums
from shoal.io.read.cells import cell_texts, json_cells

__all__ = [
    "Entry",
    "TwiceError",
    "dump_json",
    "frame_of_lines",
    "is_canonical_json",
    "list_texts",
    "parse_json",
    "parse_json_or_none",
    "read_lists",
    "read_nested",
    "write_lists",
    "write_nested",
]

_LONE = re.compile(r"\\u[dD][89a-fA-F]")  # half of a character: no file and no terminal takes it


Entry = str | tuple[str, ...]
# An entry of a list without escapes: a quote ends a name wherever it stands, so a name may hold brackets and commas.
_ENTRY = r'"[^"]*"|\["[^"]*"(?:, "[^"]*")*\]'


class TwiceError(ValueError):
    """A key occurs twice in one object."""


def parse_json(text: str | bytes) -> Any:
    """Read JSON; a key that occurs twice in one object, NaN, and half a character are faults.

    Raises
    ------
    ValueError, RecursionError
        It is not JSON, or not JSON of which everybody reads the same.

    Examples
    --------
    >>> parse_json('{"k": 5}')
    {'k': 5}
    >>> parse_json('{"k": 5, "k": 2}')
    Traceback (most recent call last):
    ...
    shoal.io.write.json_text.TwiceError: a key occurs twice
    """
    content = (
        text if isinstance(text, str) else text.decode("utf-8")
    )  # bytes alone may be guessed to be UTF-16
    value = json.loads(content, object_pairs_hook=_build_object, parse_constant=_refuse_constant)
    if _LONE.search(content):
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def parse_json_or_none(text: str | bytes) -> Any:
    """The same, None in place of a fault."""
    try:
        return parse_json(text)
    except (ValueError, RecursionError):
        return None


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise TwiceError("a key occurs twice")
    return fields


def _refuse_constant(word: str) -> None:
    raise ValueError("not a number")


def write_lists(name: str, start: I8, items: I4, entries: Sequence[Entry]) -> pl.Series:
    """One JSON list per row: row i holds entries[c] for c in items[start[i] : start[i + 1]].

    >>> write_lists("items", np.array([0, 2, 2]), np.array([1, 0]), ["milk", ("bread", "rolls")]).to_list()
    ['[["bread", "rolls"], "milk"]', '[]']
    """
    texts = [dump_json(entry) for entry in entries]
    words = [texts[code] for code in items.tolist()]
    bounds = start.tolist()
    cells = [f"[{', '.join(words[a:b])}]" for a, b in pairwise(bounds)]
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
    lists = _entry_texts(cells)
    flat = lists.explode(empty_as_null=False)
    words = flat.unique(maintain_order=True)
    codes: dict[Entry, int] = {}
    word_codes: list[int] = []
    for word in words:
        parsed_entries = _parse_list(f"[{word}]")
        if parsed_entries is None:
            raise _list_error(cells)
        word_codes.append(codes.setdefault(parsed_entries[0], len(codes)))
    items = flat.replace_strict(words, pl.Series(word_codes, dtype=pl.Int32), return_dtype=pl.Int32)
    return prefix_sums(lists.list.len()), items.to_numpy().astype(np.int32), tuple(codes)


def list_texts(cells: pl.Series) -> pl.Series:
    """Cells that may be lists as JSON text; text stays as it is.

    >>> list_texts(pl.Series("items", [["milk"], None])).to_list()
    ['["milk"]', None]
    """
    if not cells.dtype.is_nested():
        return cells
    texts = [None if cell is None else dump_json(cell) for cell in cells.to_list()]
    return pl.Series(cells.name, texts, dtype=pl.String)


def is_canonical_json(cells: pl.Series) -> bool:
    """Whether every cell is JSON, and spaced and escaped as `json.dumps` does it."""
    cells = cells.unique()
    lists, plain = _cut_lists(cells)
    words = lists.filter(plain).explode(empty_as_null=False).unique()
    texts = chain(words, cells.filter(~plain))
    return all(text is not None and dump_json(parse_json_or_none(text)) == text for text in texts)


def _entry_texts(cells: pl.Series) -> pl.Series:
    """The JSON texts of each list's entries."""
    lists, plain = _cut_lists(cells)
    if plain.all():
        return lists
    parsed_lists: list[list[str]] = []
    for cell in cells.filter(~plain):
        entries = _parse_list(cell)
        if entries is None:
            raise _list_error(cells)
        parsed_lists.append([dump_json(entry) for entry in entries])
    order = np.arange(len(cells))
    order[~plain.to_numpy()] = len(cells) + np.arange(len(parsed_lists))
    return pl.concat([lists, pl.Series(lists.name, parsed_lists, dtype=lists.dtype)]).gather(order)


def _cut_lists(cells: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Cells cut into the texts of entries, and which of them are plainly as `write_lists` writes them."""
    lists = cells.str.slice(1).str.head(-1).str.extract_all(_ENTRY)
    plain = ("[" + lists.list.join(", ") + "]" == cells) & ~cells.str.contains("\\", literal=True)
    return lists, plain.fill_null(value=False)


def dump_json(found: object) -> str:
    """JSON text in the one way in which releases have it."""
    return json.dumps(found, ensure_ascii=False)


def _parse_list(cell: str | None) -> list[Entry] | None:
    """The entries of one list; None where it is no list of texts and of lists of texts."""
    value = [] if cell is None else parse_json_or_none(cell)
    if not isinstance(value, list):
        return None
    entries = [tuple(item) if isinstance(item, list) else item for item in value]
    return entries if all(map(_is_entry, entries)) else None


def _is_entry(item: object) -> bool:
    if isinstance(item, tuple):
        return bool(item) and all(isinstance(member, str) for member in item)
    return isinstance(item, str)


def _list_error(cells: pl.Series) -> InputError:
    row = next(row for row, cell in enumerate(cells, start=1) if _parse_list(cell) is None)
    return InputError(
        f"column '{cells.name}', row {row}: not a JSON list of texts; write it as shoal writes items"
    )


def write_nested(frame: pl.DataFrame, file: BinaryIO, nested: Collection[str]) -> None:
    """One object per record; the cells of `nested` columns are JSON already and go in as they are."""
    heads = [dump_json(name) for name in frame.columns]
    cells = [_dump_column(frame[name], name in nested) for name in frame.columns]
    for row in zip(*cells, strict=True):
        parts = ", ".join(f"{head}: {cell}" for head, cell in zip(heads, row, strict=True))
        file.write(f"{{{parts}}}\n".encode())


def _dump_column(column: pl.Series, ready: bool) -> list[str]:
    if ready:
        return [cell if cell is not None else "null" for cell in column]
    return [dump_json(cell) for cell in json_cells(column)]


def read_nested(path: Path, nested: Collection[str]) -> pl.DataFrame:
    """The inverse, every column text; the file may be anyone's, so nothing is trusted.

    Raises
    ------
    InputError
        A line is no JSON object of the same keys, each of them once, or nests a value elsewhere; the message names
        the line.
    """
    with path.open("rb") as file:
        return frame_of_lines(file, path.name, nested)


def frame_of_lines(
    lines: Iterable[bytes], name: str, nested: Collection[str], before: int = 0
) -> pl.DataFrame:
    """The same of some lines of a file called `name`; so many stand before them."""
    names: list[str] = []
    rows: list[list[str | None]] = []
    for number, line in enumerate(lines, start=before + 1):
        record = _line_object(line, name, number)
        names = names or list(record)
        if list(record) != names:
            raise InputError(
                f"{name}, line {number}: other keys than in the first line; write the file again"
            )
        rows.append([_cell_text(value, column in nested, name, number) for column, value in record.items()])
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def _line_object(line: bytes, name: str, number: int) -> dict[str, Any]:
    record = parse_json_or_none(line)
    if not isinstance(record, dict):
        raise InputError(
            f"{name}, line {number}: not a JSON object with every key once; write one object per line"
        )
    return record


def _cell_text(value: Any, nested: bool, name: str, number: int) -> str | None:
    if value is None:
        return None
    if nested:
        return dump_json(value)
    if isinstance(value, dict | list):
        raise InputError(
            f"{name}, line {number}: a nested value where a single one is expected; write the file again"
        )
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _number_text(value)


@lru_cache(maxsize=1 << 16)
def _number_text(value: float) -> str | None:
    """A number as the cells of a table are written."""
    spelling: str | None = cell_texts(pl.Series([value])).item()
    return spelling
