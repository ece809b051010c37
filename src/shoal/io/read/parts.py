"""Data in parts: a file of baskets or record trees becomes folders of arrays, and is never held as a whole.

Each array of a part is a private file in the part's folder, opened where it lies. Files appear whole or not at all, so
a task that runs twice, or is killed in the middle, leaves nothing half done.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.data.trees import Nesting, ancestor_classes
from shoal.io.config import TreeSpec
from shoal.io.formats import ENDINGS, ending_of, format_of
from shoal.io.read.baskets import parse_fimi_lines
from shoal.io.read.files import unzip
from shoal.io.read.parquet import ParquetError, scan_parquet
from shoal.io.read.trees import RawRecords, TreeBuilder, add_record, open_records

__all__ = [
    "RawTrees",
    "drop_arrays",
    "open_arrays",
    "read_tree_parts",
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


@dataclass(frozen=True, slots=True, repr=False)
class RawTrees(SafeRepr):
    """Records as they were read, in parts.

    parts : folders with the arrays raw_start, raw_items, raw_parents: codes are places in `pairs`
    n     : how many records there are
    nodes : how many nodes they have
    pairs : class and value behind each code
    over  : pairs of classes of which the first stands above the second somewhere
    repeats : whether equal siblings stay apart
    """

    parts: tuple[Path, ...]
    n: int
    nodes: int
    pairs: tuple[tuple[str, str], ...]
    over: frozenset[tuple[str, str]]
    sensitive: str | None
    nesting: Nesting
    repeats: bool = False

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and in how many parts."""
        return {"records": self.n, "parts": len(self.parts)}


def read_tree_parts(
    path: Path,
    folder: Path,
    spec: TreeSpec | None = None,
    *,
    records: int = PART,
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
) -> RawTrees:
    """Read a file of nested records into parts of at most so many records below `folder`.

    Parameters and errors are those of `read_trees`; names of persons are held until all were compared.
    """
    spec = spec or TreeSpec()
    builder = TreeBuilder(spec, missing)
    parts: list[Path] = []
    with unzip(path) as plain:
        for place, record in open_records(plain, path.name, encoding):
            add_record(builder, record, f"{path.name}, {place}")
            if builder.records - builder.done == records:
                parts.append(_write_part(builder, folder, len(parts)))
    if builder.records > builder.done:
        parts.append(_write_part(builder, folder, len(parts)))
    builder.require(path.name)
    over: set[tuple[str, str]] = set()
    nodes = before = 0
    for part in parts:  # whether rows are kept, and which fields are lists, is known once all was read
        found = _hang_part(builder, part, before, over)
        nodes, before = nodes + found[1], before + found[0]
    pairs = tuple(spec.spelled(builder.pairs))
    told = frozenset(over), spec.sensitive, builder.nesting(), builder.keeps
    return RawTrees(tuple(parts), builder.done, nodes, pairs, *told)


def _write_part(builder: TreeBuilder, folder: Path, number: int) -> Path:
    """Write the records that a builder holds."""
    part = folder / f"part-{number:05}"
    part.mkdir(parents=True)
    save_arrays(part, **{f"raw_{name}": array for name, array in builder.handed_over()._asdict().items()})
    return part


def _hang_part(builder: TreeBuilder, part: Path, before: int, over: set[tuple[str, str]]) -> tuple[int, int]:
    """Hang the nodes of a part, note which classes stand above which, and count its records and nodes."""
    raw = RawRecords(*open_arrays(part, *(f"raw_{name}" for name in RawRecords._fields)))
    parents = builder.hung(raw)
    names = sorted({kind for kind, _ in builder.pairs})
    place = {name: code for code, name in enumerate(names)}
    kinds = np.array([place[kind] for kind, _ in builder.pairs], dtype=np.int32)
    above = ancestor_classes(names, kinds[raw.items], raw.start, parents, before)
    over.update((names[high], names[low]) for high, low in np.argwhere(above).tolist())
    save_arrays(part, raw_parents=parents)
    return len(raw.start) - 1, len(raw.items)
