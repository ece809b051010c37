"""Lists in a cell: JSON text in a column, flat arrays in memory.

A cell such as `["milk", ["bread", "rolls"]]` holds names and sets of names; every distinct entry is coded once.
"""

import json
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from shoal.data.types import I4, I8
from shoal.errors import InputError
from shoal.io.strict_json import strict_json

__all__ = ["Entry", "list_texts", "read_lists", "write_lists"]

Entry = str | tuple[str, ...]

# An entry of a list, not the list itself; of cells without escapes, and a bracket inside a name cuts an entry short.
_ENTRY = re.compile(r'"[^"]*"|\[[^\[\]]*\](?!$)')


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
    try:
        found = strict_json(cell)
    except (ValueError, RecursionError):
        found = None
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
