"""Records in parts, and their exchange.

A part is read from *runs*: files whose records lie in the order of the parts, so that each part is one piece of every
run. An exchange writes one run for each part that sends records; nothing is gathered before somebody reads it. Runs
appear whole or not at all, so a task that runs twice, or is killed, leaves nothing half done.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.data.arrays import I4, I8, prefix_sums
from shoal.engines import Mapper
from shoal.io.read.parts import open_arrays, save_arrays
from shoal.parts.draws import RecordHasher

__all__ = ["Dictionary", "Parts", "RunParts", "exchange", "write_run"]


@dataclass(frozen=True, slots=True, repr=False)
class Dictionary(SafeRepr):
    """The distinct cells of every column, in one order.

    names  : the columns
    values : by column the texts that codes stand for, sorted; None is a missing cell and, where there is one, the last
    cells  : by column the cell behind each code as it came, a missing one null
    counts : by column int64[values], how many records hold each
    """

    names: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]
    cells: tuple[pl.Series, ...]
    counts: tuple[I8, ...]

    def facts(self) -> dict[str, object]:
        """What may be shown: how many columns and values there are."""
        return {"columns": len(self.names), "values": sum(map(len, self.values))}

    def hasher(self, key: bytes) -> RecordHasher:
        """What hashes records in the codes of this dictionary."""
        return RecordHasher.of(key, self.values)


@dataclass(frozen=True, repr=False)
class Parts(SafeRepr):
    """Records in parts: part p is piece p of every run, run after run.

    runs  : folders with the arrays codes, int32[n, columns], and bounds, int64[parts + 1]: where each piece begins
    sizes : how many records each part has
    """

    runs: tuple[Path, ...]
    sizes: tuple[int, ...]

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
        """Read a part, or the parts first .. last - 1 as one: int32[n, columns]."""
        last = first + 1 if last is None else last
        pieces = []
        for run in self.runs:
            codes, bounds = open_arrays(run, "codes", "bounds")
            pieces.append(np.array(codes[bounds[first] : bounds[last]]))
        return np.concatenate(pieces)


class RunParts(Parts):
    """Records in parts of which each is one run."""

    def read(self, first: int, last: int | None = None) -> I4:
        """Read a part, or several as one."""
        last = first + 1 if last is None else last
        return np.concatenate([np.array(open_arrays(run, "codes")[0]) for run in self.runs[first:last]])


def write_run(run: Path, codes: I4, part: I8, parts: int) -> I8:
    """Write records as a run, given the part that each belongs to; return how many each part has: int64[parts]."""
    sizes = np.bincount(part, minlength=parts)
    run.mkdir(mode=0o700, exist_ok=True)
    save_arrays(run, codes=codes[np.argsort(part, kind="stable")], bounds=prefix_sums(sizes))
    return sizes


def exchange(parts: Parts, key: Callable[[I4], I8], buckets: int, folder: Path, mapper: Mapper) -> Parts:
    """Send every record to the bucket that `key` says; buckets are the new parts, and runs lie below `folder`.

    `key` is given the codes of one part, int32[n, columns], and says a bucket for each record, int64[n].
    """
    task = partial(_send, parts, key, buckets, folder)
    sizes = sum((found for found in mapper(task, range(len(parts)))), np.zeros(buckets, dtype=np.int64))
    runs = tuple(_run_of(folder, number) for number in range(len(parts)))
    return Parts(runs, tuple(sizes.tolist()))


def _send(parts: Parts, key: Callable[[I4], I8], buckets: int, folder: Path, number: int) -> I8:
    """The task: write the records of one part by bucket."""
    codes = parts.read(number)
    return write_run(_run_of(folder, number), codes, key(codes), buckets)


def _run_of(folder: Path, number: int) -> Path:
    return folder / f"{number:06}"
