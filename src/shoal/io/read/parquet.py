"""Foreign parquet files: polars reads them in a process of its own, for it believes what they say of themselves.

What is read at once comes back as Arrow. What is scanned is read once in that process, batch by batch, and then again
in this one, where it streams: the same polars reads the same bytes, and has shown that it can. Copies of large files
would take many times their size on disk. Files that shoal wrote itself and just now are not looked at.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from shoal.io.read import _polars_parquet
from shoal.io.read.child import MEMORY, run_reader
from shoal.io.read.files import scratch_folder

__all__ = ["ParquetError", "ParquetFacts", "examine_parquet", "read_head", "read_parquet", "scan_parquet"]

_TIMES = (
    4  # bytes of memory for each byte of cells that are copied: polars has several forms of them for a while
)
_MEMORY_EACH = 16  # bytes of memory for each byte of a file that is scanned: batches of several row groups
_UNLIMITED = 2**62


class ParquetFacts(NamedTuple):
    """What a file holds: records, columns, and values, those in lists one by one."""

    records: int
    width: int
    values: int


class ParquetError(OSError):
    """A file that polars cannot read, or only in more memory than it may take.

    reason : `broken`, `memory`, or `large` with the facts that the file states
    """

    def __init__(self, reason: str, facts: ParquetFacts | None = None) -> None:
        super().__init__(f"the parquet file cannot be read ({reason})")
        self.reason, self.facts = reason, facts


def read_parquet(path: Path, room: int) -> pl.DataFrame:
    """Read all records, whose values may take `room` bytes.

    Raises
    ------
    ParquetError
        It is no parquet file, a broken one, or one that holds more.
    """
    return _read_in_child(path, "copy", room, MEMORY + _TIMES * room)[1]


def read_head(path: Path, records: int) -> pl.DataFrame:
    """Read the first records.

    Raises
    ------
    ParquetError
        As `read_parquet` does.
    """
    return _read_in_child(path, "head", records, _memory_to_scan(path))[1]


def scan_parquet(path: Path) -> pl.LazyFrame:
    """The records of a file, none of them read into this process yet.

    Raises
    ------
    ParquetError
        As `read_parquet` does.
    """
    examine_parquet(path)
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


def examine_parquet(path: Path, most: int = _UNLIMITED) -> ParquetFacts:
    """Read a file once, keep nothing, and count what it holds; one that states more than `most` cells is not read.

    Raises
    ------
    ParquetError
        As `read_parquet` does.
    """
    status = path.stat()
    return _examine(path.absolute(), (status.st_ino, status.st_size, status.st_mtime_ns), most)


@lru_cache(maxsize=1024)
def _examine(path: Path, version: tuple[int, int, int], most: int) -> ParquetFacts:
    """Examine one version of a file."""
    return _read_in_child(path, "examine", most, _memory_to_scan(path))[0]


def _memory_to_scan(path: Path) -> int:
    return max(MEMORY, _MEMORY_EACH * path.stat().st_size)


def _read_in_child(path: Path, task: str, limit: int, memory: int) -> tuple[ParquetFacts, pl.DataFrame]:
    """What a file holds, and the records that the task leaves."""
    size = path.stat().st_size
    with scratch_folder() as folder:
        script = Path(_polars_parquet.__file__)
        reason = run_reader(
            script,
            [str(path.absolute()), str(folder.absolute()), task, str(limit)],
            folder,
            size=size,
            memory=memory,
        )
        facts_file, cells = folder / "facts.json", folder / "cells.arrow"
        facts = ParquetFacts(**json.loads(facts_file.read_text())) if facts_file.is_file() else None
        if reason is not None or facts is None:
            raise ParquetError(reason or "broken", facts)
        if not cells.is_file():
            return facts, pl.DataFrame()
        with cells.open("rb") as file:  # of a path it would map a file that is about to go
            return facts, pl.read_ipc(file)
