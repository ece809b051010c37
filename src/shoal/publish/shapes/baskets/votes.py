"""Baskets published by vote: three columns, and what judges see of them beside the originals."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from shoal.data import Baskets, Column
from shoal.data.arrays import I8, owners, take
from shoal.errors import InputError
from shoal.io.read.cells import text
from shoal.io.write.json_text import Entry, read_lists, write_lists
from shoal.publish.shapes.table.verification import sensitive_of
from shoal.release import Bitmaps, PublishedBits, Result, Sensitive

__all__ = ["bit_cells", "original_label", "published_bits", "reordered_bits", "rows_of_bits"]


def bit_cells(release: Bitmaps) -> list[pl.Series]:
    """The columns items, uncertain and errors."""
    return [
        write_lists("items", release.start, release.items, release.values),
        write_lists("uncertain", release.maybe_start, release.maybe, release.values),
        pl.Series("errors", release.errors),
    ]


def reordered_bits(result: Result[Bitmaps], order: I8) -> Result[Bitmaps]:
    """The same release and its proof, rows in another order."""
    now = np.empty(len(order), dtype=np.int64)
    now[order] = np.arange(len(order))
    return replace(result, release=rows_of_bits(result.release, order), proof=now[np.asarray(result.proof)])


def rows_of_bits(release: Bitmaps, rows: I8) -> Bitmaps:
    """Some rows in the order they are named; without all of them nothing can be judged."""
    start, items = take(release.start, release.items, rows)
    maybe_start, maybe = take(release.maybe_start, release.maybe, rows)
    return replace(
        release,
        start=start,
        items=items,
        maybe_start=maybe_start,
        maybe=maybe,
        errors=release.errors[rows],
        rows=release.rows[rows],
    )


def published_bits(
    frame: pl.DataFrame, baskets: Baskets | None, label: Column | None, label_name: str | None
) -> PublishedBits:
    """See the three columns, and the label, as judges do; beside the originals where they are at hand."""
    codes: dict[str, int] = (
        {} if baskets is None else {value: code for code, value in enumerate(baskets.values)}
    )
    start, items = _numbers(frame["items"], codes)
    maybe_start, maybe = _numbers(frame["uncertain"], codes)
    facts: dict[str, Any] = {}
    if baskets is not None:
        facts = {"original_start": baskets.start, "original_items": baskets.items.astype(np.int64)}
    if label_name is not None:
        facts["label"] = sensitive_of(text(frame[label_name]))
    if label is not None:
        facts["original_label"] = original_label(label)
    return PublishedBits(start, items, maybe_start, maybe, _errors(frame["errors"]), **facts)


def _numbers(cells: pl.Series, codes: dict[str, int]) -> tuple[I8, I8]:
    """Sparse rows of item numbers, ascending; an item that no original has gets a number of its own."""
    start, items, entries = read_lists(cells)
    numbers = np.array([_number(entry, codes, cells.name) for entry in entries], dtype=np.int64)
    found = numbers[items] if len(items) else items.astype(np.int64)
    rows = owners(start)
    return start, found[np.lexsort((found, rows))]


def _number(entry: Entry, codes: dict[str, int], name: str) -> int:
    if not isinstance(entry, str):
        raise InputError(
            f"column '{name}': a list where an item is expected; the file was changed, give it as it was released"
        )
    return codes.setdefault(entry, len(codes))


def _errors(cells: pl.Series) -> I8:
    numbers = cells.cast(pl.Int64, strict=False)
    if numbers.null_count() or (numbers < 0).any():
        raise InputError("column 'errors': a cell is not a whole number of at least 0; the file was changed")
    return numbers.to_numpy().astype(np.int64)


def original_label(label: Column) -> Sensitive:
    """A label column of the originals: -1 where it is missing."""
    known = [code for code, value in enumerate(label.values) if value is not None]
    place = np.full(len(label.values), -1, dtype=np.int64)
    place[known] = np.arange(len(known))
    return Sensitive(place[label.codes], tuple(v for v in label.values if v is not None))
