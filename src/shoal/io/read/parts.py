"""Data in parts: folders of arrays, and files of baskets that are read in pieces and never held as a whole.

Each array of a part is a private file in the part's folder, opened where it lies. Files appear whole or not at all, so
a task that runs twice, or is killed in the middle, leaves nothing half done.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.io.formats import ENDINGS, ending_of, format_of
from shoal.io.read.baskets import parse_fimi_lines
from shoal.io.read.files import unzip
from shoal.io.read.parquet import ParquetError, scan_parquet

__all__ = [
    "drop_arrays",
    "open_arrays",
    "save_arrays",
    "scan_baskets",
    "scan_columns",
]

PART = 1 << 18
"""Records of one part: enough that a task is worth its start, few enough for any memory."""
_SCANS: dict[str, Callable[[Path], pl.LazyFrame]] = {
    "csv": partial(pl.scan_csv, infer_schema=False, glob=False),
    "ndjson": partial(pl.scan_ndjson, infer_schema_length=None),
    "parquet": scan_parquet,
}


def save_arrays(part: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays by name into the folder of a part."""
    for name, array in arrays.items():
        aside = part / f".{name}-{uuid4().hex}"
        with aside.open("wb") as file:
            np.save(file, array, allow_pickle=False)
        os.replace(aside, part / f"{name}.npy")


def open_arrays(part: Path, *names: str) -> tuple[NDArray[Any], ...]:
    """Some arrays of a part; only what is touched is read, and what is written to them stays in memory."""
    return tuple(_map_file(part / f"{name}.npy") for name in names)


def drop_arrays(part: Path, *names: str) -> None:
    """Remove arrays of a part that are there."""
    for name in names:
        (part / f"{name}.npy").unlink(missing_ok=True)


_HEADERS = Lock()


_SMALL_FILE = 1 << 16  # bytes that are read as fast as mapped
_HEAD = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][a-z]\d+)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n",
    re.DOTALL,
)
"""The head of a file that `np.save` wrote of a plain array."""


def _map_file(path: Path) -> NDArray[Any]:
    if path.stat().st_size <= _SMALL_FILE:
        content = bytearray(path.read_bytes())
        if head := _HEAD.match(content):
            shape = tuple(int(length) for length in head[2].split(b",") if length.strip())
            return np.ndarray(shape, head[1].decode(), content, head.end())
    # numpy has Python parse the head of a file, and the parser of Python 3.11 fails now and then in several threads
    # (SystemError, python/cpython#106905)
    with _HEADERS:
        try:
            return np.asarray(np.load(path, mmap_mode="c", allow_pickle=False))
        except ValueError:  # an empty array has nothing to map
            return np.asarray(np.load(path, allow_pickle=False))


def scan_baskets(path: Path, records: int = PART) -> Iterator[pl.DataFrame]:
    """Read a .dat (FIMI), csv, ndjson or parquet file of baskets in frames of about so many records.

    Raises
    ------
    InputError
        The file is none of these, or cannot be read.
    """
    format = format_of(path.name)
    if format is None or not format.in_parts:
        known = [ending for ending, one in ENDINGS.items() if one.in_parts]
        raise InputError(
            f"{path.name}: large baskets are read from {suggest_name(ending_of(path.name), known)}"
        )
    with unzip(path) as plain:
        if format.reader == "fimi":
            yield from _fimi_pieces(plain, path.name, records)
            return
        try:
            scanned = _SCANS[format.reader](plain)
            yield from scanned.collect_batches(chunk_size=records, maintain_order=True, engine="streaming")
        except (pl.exceptions.PolarsError, ParquetError):
            raise InputError(f"{path.name}: it cannot be read as {format.reader}; check the file") from None


def scan_columns(path: Path, names: Sequence[str]) -> pl.LazyFrame:
    """Some columns of a file that `scan_baskets` reads, other than a .dat file, where they lie."""
    format = format_of(path.name)
    assert format is not None
    return _SCANS[format.reader](path).select(names)


def _fimi_pieces(path: Path, name: str, records: int) -> Iterator[pl.DataFrame]:
    before = 0
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        while lines := [line.rstrip("\n") for line in islice(file, records)]:
            yield parse_fimi_lines(lines, name, before)
            before += len(lines)
