"""Records in parts, and their exchange.

A part is read from *runs*: files whose records lie in the order of the parts, so that each part is one piece of every
run. An exchange writes one run for each part that sends records; nothing is gathered before somebody reads it. Runs
appear whole or not at all, so a task that runs twice, or is killed, leaves nothing half done.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.data.arrays import I4, I8, prefix_sums, take_rows
from shoal.engines import Mapper
from shoal.io.read.cells import factorize
from shoal.io.read.parts import open_arrays, save_arrays
from shoal.parts.draws import RecordHasher

__all__ = [
    "BASKETS",
    "TREES",
    "Dictionary",
    "ItemDictionary",
    "Parts",
    "Records",
    "RunParts",
    "exchange",
    "write_run",
]

BASKETS = "start", "items"
TREES = "start", "items", "parents"
_NO_ITEMS = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, repr=False)
class ItemDictionary(SafeRepr):
    """The distinct items of baskets.

    values : the texts that codes stand for, sorted
    counts : int64[values], how many records hold each
    """

    values: tuple[str, ...] = ()
    counts: I8 = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def facts(self) -> dict[str, object]:
        """What may be shown: how many items there are."""
        return {"items": len(self.values)}


@dataclass(frozen=True, slots=True, repr=False)
class Dictionary(SafeRepr):
    """The distinct cells of every column, in one order.

    names  : the columns
    values : by column the texts that codes stand for, sorted; None is a missing cell and, where there is one, the last
    cells  : by column the cell behind each code as it came, a missing one null
    counts : by column int64[values], how many records hold each
    items  : those of the baskets next to the columns; none where there are no baskets
    """

    names: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]
    cells: tuple[pl.Series, ...]
    counts: tuple[I8, ...]
    items: ItemDictionary = field(default_factory=ItemDictionary)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many columns and values there are."""
        return {"columns": len(self.names), "values": sum(map(len, self.values))}

    def relabel(self, name: str, labels: pl.Series) -> "Dictionary":
        """The same with other texts in a column: the label of each of its values, equal ones as one."""
        j = self.names.index(name)
        new, codes = factorize(labels)
        counts = np.bincount(codes, weights=self.counts[j], minlength=len(new)).astype(np.int64)
        cells = pl.Series(name, new, dtype=pl.String)
        return replace(
            self,
            values=(*self.values[:j], new, *self.values[j + 1 :]),
            cells=(*self.cells[:j], cells, *self.cells[j + 1 :]),
            counts=(*self.counts[:j], counts, *self.counts[j + 1 :]),
        )

    def hasher(self, key: bytes) -> RecordHasher:
        """What hashes records in the codes of this dictionary."""
        return RecordHasher.of(key, self.values, self.items.values)


@dataclass(frozen=True, slots=True, repr=False)
class Records(SafeRepr):
    """Some records in codes: those of their columns, and of baskets or of the nodes of trees where there are any.

    codes   : int32[n, columns]
    start   : int64[n + 1], items: int32[start[n]]: record i holds items[start[i] : start[i + 1]]; None of columns alone
    parents : int32[start[n]], of trees the place of each node's parent within its record, -1 for none; else None
    """

    codes: I4
    start: I8 | None = None
    items: I4 = field(default_factory=lambda: _NO_ITEMS)
    parents: I4 | None = None

    @classmethod
    def of_trees(cls, start: I8, items: I4, parents: I4) -> "Records":
        """Record trees, which have no columns."""
        return cls(np.empty((len(start) - 1, 0), dtype=np.int32), start, items, parents)

    @classmethod
    def join(cls, pieces: "Sequence[Records]") -> "Records":
        """The records of several pieces, one after the other."""
        codes = np.concatenate([piece.codes for piece in pieces])
        sizes = [np.diff(piece.start) for piece in pieces if piece.start is not None]
        if not sizes:
            return cls(codes)
        start = prefix_sums(np.concatenate(sizes)).astype(np.int64)
        parents = [piece.parents for piece in pieces if piece.parents is not None]
        items = np.concatenate([piece.items for piece in pieces])
        return cls(codes, start, items, np.concatenate(parents) if parents else None)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are."""
        return {"records": len(self)}

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: I8) -> "Records":
        """Return some of the records, in that order."""
        if self.start is None:
            return Records(self.codes[rows])
        start, items = take_rows(self.start, self.items, rows)
        parents = None if self.parents is None else take_rows(self.start, self.parents, rows)[1]
        return Records(self.codes[rows], start, items, parents)


@dataclass(frozen=True, repr=False)
class Parts(SafeRepr):
    """Records in parts: part p is piece p of every run, run after run.

    runs   : folders with the arrays codes, int32[n, columns], and bounds, int64[parts + 1]: where each piece begins
    sizes  : how many records each part has
    nested : the arrays that runs have besides: `BASKETS`, `TREES`, or none; see `Records`
    """

    runs: tuple[Path, ...]
    sizes: tuple[int, ...]
    nested: tuple[str, ...] = ()

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records and parts there are."""
        return {"records": self.n, "parts": len(self)}

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def n(self) -> int:
        """How many records there are."""
        return sum(self.sizes)

    def read(self, first: int, last: int | None = None) -> I4:
        """Read the columns of a part, or of the parts first .. last - 1 as one: int32[n, columns]."""
        last = first + 1 if last is None else last
        pieces = []
        for run in self.runs:
            codes, bounds = open_arrays(run, "codes", "bounds")
            pieces.append(np.array(codes[bounds[first] : bounds[last]]))
        return np.concatenate(pieces)

    def read_records(self, first: int, last: int | None = None) -> Records:
        """Read the same records with their items or nodes, if they hold any."""
        if not self.nested:
            return Records(self.read(first, last))
        return Records.join(
            [self._read_piece(run, first, first + 1 if last is None else last) for run in self.runs]
        )

    def _read_piece(self, run: Path, first: int, last: int) -> Records:
        (bounds,) = open_arrays(run, "bounds")
        return _read_rows(run, self.nested, int(bounds[first]), int(bounds[last]))


class RunParts(Parts):
    """Records in parts of which each is one run."""

    def read(self, first: int, last: int | None = None) -> I4:
        """Read the columns of a part, or of several as one."""
        last = first + 1 if last is None else last
        return np.concatenate([np.array(open_arrays(run, "codes")[0]) for run in self.runs[first:last]])

    def read_records(self, first: int, last: int | None = None) -> Records:
        """Read the same records with their items or nodes, if they hold any."""
        if not self.nested:
            return Records(self.read(first, last))
        last = first + 1 if last is None else last
        return Records.join(
            [
                _read_rows(run, self.nested, 0, self.sizes[first + at])
                for at, run in enumerate(self.runs[first:last])
            ]
        )


def _read_rows(run: Path, nested: tuple[str, ...], first: int, last: int) -> Records:
    """Read the records first .. last - 1 of a run, with their items or nodes."""
    codes, start, *entries = open_arrays(run, "codes", *nested)
    own = np.array(start[first : last + 1])
    held = [np.array(array[own[0] : own[-1]]) for array in entries]
    return Records(np.array(codes[first:last]), own - own[0], *held)


def write_run(run: Path, records: I4 | Records, part: I8, parts: int) -> I8:
    """Write records as a run, given the part that each belongs to; return how many each part has: int64[parts]."""
    sizes = np.bincount(part, minlength=parts)
    run.mkdir(mode=0o700, exist_ok=True)
    whole = records if isinstance(records, Records) else Records(records)
    ordered = whole.take(np.argsort(part, kind="stable"))
    save_arrays(run, codes=ordered.codes, bounds=prefix_sums(sizes))
    if ordered.start is not None:
        save_arrays(run, start=ordered.start, items=ordered.items)
    if ordered.parents is not None:
        save_arrays(run, parents=ordered.parents)
    return sizes


def exchange(
    parts: Parts,
    key: Callable[[I4], I8] | Callable[[Records], I8],
    buckets: int,
    folder: Path,
    mapper: Mapper,
    *,
    by_items: bool = False,
) -> Parts:
    """Send every record to the bucket that `key` says; buckets are the new parts, and runs lie below `folder`.

    `key` is given the codes of one part, int32[n, columns], and says a bucket for each record, int64[n]; `by_items` it
    is given the `Records`.
    """
    task = partial(_send, parts, key, buckets, folder, by_items)
    sizes = sum((found for found in mapper(task, range(len(parts)))), np.zeros(buckets, dtype=np.int64))
    runs = tuple(_run_of(folder, number) for number in range(len(parts)))
    return Parts(runs, tuple(sizes.tolist()), parts.nested)


def _send(
    parts: Parts, key: Callable[[Any], I8], buckets: int, folder: Path, by_items: bool, number: int
) -> I8:
    """The task: write the records of one part by bucket."""
    records = parts.read_records(number)
    return write_run(_run_of(folder, number), records, key(records if by_items else records.codes), buckets)


def _run_of(folder: Path, number: int) -> Path:
    return folder / f"{number:06}"
