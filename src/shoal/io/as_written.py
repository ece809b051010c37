"""Whether released files are written in the one way in which shoal writes them.

Whoever forges a release could mark rows by blanks, quotes, escapes, the order of items or another form of a number:
every reader sees such marks, and no judge of the content does. So the content is written again, piece by piece, and
must give the same bytes. The bytes of parquet depend on who packed them, so of them what they tell is looked at.
"""

import json
from collections.abc import Collection, Iterator
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl
import scipy  # its parts come when they are used

from shoal.data.lists import owners
from shoal.io.list_cells import Entry, read_lists
from shoal.io.parquet_form import Spellings, odd_parquet
from shoal.io.parquet_pages import BrokenPagesError
from shoal.io.quiet import quiet
from shoal.io.strict_json import strict_json
from shoal.io.write import as_csv, plain_text

__all__ = ["Comparing", "odd_cells", "odd_file", "odd_lists"]

_BLOCK = 1 << 24  # bytes that are written again at once
_TROUBLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, RecursionError)
_FORM = "text that is not in the one form in which shoal writes it"


class Comparing(BytesIO):
    """Takes what is written in place of a file, and compares it with the file; `same` says whether it is all of it."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file, self._same = file, True

    def write(self, content: Any, /) -> int:
        """Compare the next bytes; none of them is kept."""
        self._same = self._same and self._file.read(len(content)) == bytes(content)
        return len(content)

    @property
    def same(self) -> bool:
        """Whether the file holds what was written, and nothing behind it."""
        return self._same and not self._file.read(1)


def odd_file(path: Path, format: str, *, nested: Collection[str] = (), old: bool = False) -> str | None:
    """What a file of cells has that no release has, in words; None where it is as `write` writes it.

    `nested` names columns whose cells are JSON values in ndjson; `old` is passed on to `odd_parquet`.
    """
    try:
        with quiet():
            if format == "parquet":
                return odd_parquet(path, old=old)
            with path.open("rb") as file:
                if format == "csv":
                    same = all(_same_csv(header, block) for header, block in _records(file))
                else:
                    same = _same_nested(file) if nested else _same_lines(file)
    except BrokenPagesError:
        return "pages that cannot be read"
    except _TROUBLE:
        return _FORM
    return None if same else _FORM


def _records(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """The header of a csv file and some whole records, until all were given; a record ends outside of quotes."""
    kept = file.readline()
    while kept.count(b'"') % 2 and (more := file.readline()):
        kept += more
    header, kept = kept, b""
    yield header, b""
    while block := file.read(_BLOCK):
        kept += block
        end = len(kept)
        while (end := kept.rfind(b"\n", 0, end)) >= 0 and kept.count(b'"', 0, end) % 2:
            pass
        if end >= 0:
            yield header, kept[: end + 1]
            kept = kept[end + 1 :]
    if kept:
        yield header, kept


def _same_csv(header: bytes, block: bytes) -> bool:
    cells = plain_text(pl.read_csv(BytesIO(header + block), infer_schema=False))
    with BytesIO() as again:
        as_csv(cells.with_columns(pl.all().replace("", None))).write_csv(again)
        return again.getvalue() == header + block


def _same_lines(file: BinaryIO) -> bool:
    """Whether lines are as polars writes them, all cells of a column of one type."""
    kinds: dict[str, pl.DataType] = {}
    spelled = Spellings()
    while block := b"".join(file.readlines(_BLOCK)):
        cells = pl.read_ndjson(BytesIO(block), infer_schema_length=None)
        if cells.write_ndjson().encode() != block:
            return False
        found = {name: kind for name, kind in cells.schema.items() if kind != pl.Null}
        if any(kinds.setdefault(name, kind) != kind for name, kind in found.items()):
            return False
        if any(spelled.several(cells[name]) for name in found):
            return False
    return True


def _same_nested(file: BinaryIO) -> bool:
    """Whether lines are as `write_nested` writes them, all cells of a column of one type."""
    kinds: dict[str, type] = {}
    zeros: dict[str, str] = {}
    for line in file:
        record = strict_json(line)
        if f"{json.dumps(record, ensure_ascii=False)}\n".encode() != line:
            return False
        for name, value in record.items():
            if value == "" or (value is not None and kinds.setdefault(name, type(value)) is not type(value)):
                return False
            if isinstance(value, float) and not value and zeros.setdefault(name, str(value)) != str(value):
                return False
    return True


def odd_cells(frame: pl.DataFrame, nested: Collection[str]) -> str | None:
    """What columns of JSON lists have that no release has; None where they are as `write_lists` writes them."""
    if not all(_as_dumped(cell) for name in nested for cell in frame[name].unique()):
        return _FORM
    return odd_lists([read_lists(frame[name]) for name in nested])


def _as_dumped(cell: str | None) -> bool:
    try:
        return cell is not None and json.dumps(strict_json(cell), ensure_ascii=False) == cell
    except (ValueError, RecursionError):
        return False


def odd_lists(lists: Collection[tuple[Any, Any, tuple[Entry, ...]]]) -> str | None:
    """What lists of items have that no release has: repeats, sets out of order, and items in no one order.

    A release names items in the order of its own vocabulary, which nobody else knows. But it is one order: where one
    list has a before b, none has b before a.

    >>> from shoal.io.list_cells import read_lists
    >>> odd_lists([read_lists(pl.Series(['["a", "b"]', '["b", "c"]']))]) is None
    True
    >>> odd_lists([read_lists(pl.Series(['["a", "b"]', '["b", "a"]']))])
    'items that stand in another order in some rows than in others, or twice in one'
    """
    code: dict[Entry, int] = {}
    pairs = []
    for start, items, entries in lists:
        if any(isinstance(entry, tuple) and not _rising(entry) for entry in entries):
            return "sets whose items are out of order"
        own = np.array([code.setdefault(entry, len(code)) for entry in entries], dtype=np.int64)
        moved, row = own[items] if len(items) else np.zeros(0, dtype=np.int64), owners(start)
        beside = row[1:] == row[:-1]
        pairs.append(np.unique(np.stack([moved[:-1][beside], moved[1:][beside]]), axis=1))
    before, after = np.concatenate([np.zeros((2, 0), dtype=np.int64), *pairs], axis=1)
    if (before == after).any() or not _one_order(before, after, len(code)):
        return "items that stand in another order in some rows than in others, or twice in one"
    return None


def _rising(entry: tuple[str, ...]) -> bool:
    return len(entry) > 1 and all(a < b for a, b in pairwise(entry))


def _one_order(before: Any, after: Any, size: int) -> bool:
    """Whether there is an order in which each stands before what comes after it: no way leads back."""
    if not len(before):
        return True
    ways = scipy.sparse.coo_matrix((np.ones(len(before), dtype=np.int8), (before, after)), shape=(size, size))
    return bool(
        scipy.sparse.csgraph.connected_components(ways, connection="strong", return_labels=False) == size
    )
