"""Data in parts: a file of baskets or record trees becomes folders of arrays, and is never held as a whole.

Each array of a part is a private file in the part's folder, opened where it lies. Files appear whole or not at all, so
a task that runs twice, or is killed in the middle, leaves nothing half done.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from shoal.data.arrays import I4, I8
from shoal.data.trees import Nesting, ancestor_classes
from shoal.io.config import TreeSpec
from shoal.io.formats import ENDINGS, ending_of, format_of
from shoal.io.read.baskets import parse_fimi_lines, read_baskets
from shoal.io.read.cells import text_column
from shoal.io.read.files import unzip
from shoal.io.read.parquet import ParquetError, scan_parquet
from shoal.io.read.source import Source
from shoal.io.read.trees import RawRecords, TreeBuilder, add_record, open_records

__all__ = [
    "RawBaskets",
    "RawTrees",
    "drop_arrays",
    "open_arrays",
    "read_basket_parts",
    "read_tree_parts",
    "save_arrays",
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


def _map_file(path: Path) -> NDArray[Any]:
    # numpy has Python parse the head of a file, and the parser of Python 3.11 fails now and then in several threads
    # (SystemError, python/cpython#106905)
    with _HEADERS:
        try:
            return np.asarray(np.load(path, mmap_mode="c", allow_pickle=False))
        except ValueError:  # an empty array has nothing to map
            return np.asarray(np.load(path, allow_pickle=False))


@dataclass(frozen=True, slots=True, repr=False)
class RawBaskets(SafeRepr):
    """Baskets as they were read, in parts.

    parts  : folders with the arrays raw_start, raw_items and, where there are labels, raw_label
    n      : how many records there are
    name   : the items column
    values : all items, sorted as text
    place  : int32[values]  the code of an item for each number of raw_items
    counts : int64[values]  how many records hold each item
    label  : the column of labels; None where there is none
    labels : the labels in the order of raw_label
    """

    parts: tuple[Path, ...]
    n: int
    name: str
    values: tuple[str, ...]
    place: I4
    counts: I8
    sensitive: frozenset[int] = frozenset()
    label: str | None = None
    labels: tuple[str | None, ...] = ()

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records and items there are, and in how many parts."""
        return {"name": self.name, "records": self.n, "items": len(self.values), "parts": len(self.parts)}


def read_basket_parts(
    path: Path,
    folder: Path,
    column: str = "items",
    *,
    label: str | None = None,
    separator: str | None = None,
    sensitive: Iterable[str] = (),
    missing: tuple[str, ...] = (),
    records: int = PART,
) -> RawBaskets:
    """Read a .dat (FIMI), csv, ndjson or parquet file of baskets into parts of about so many records below `folder`.

    The texts of items and labels are held, their baskets are not.

    Raises
    ------
    InputError
        The file is none of these, has no such column, or its cells are no baskets.
    """
    items: dict[str, int] = {}
    labels: dict[str | None, int] = {}
    times = np.zeros(0, dtype=np.int64)
    parts: list[Path] = []
    n = 0
    with unzip(path) as plain:
        for frame in _pieces(plain, path.name, records):
            source = Source(frame, name=path.name, missing=missing)
            found = read_baskets(source, column, separator=separator)
            codes = np.array([items.setdefault(value, len(items)) for value in found.values], dtype=np.int32)
            times = np.r_[times, np.zeros(len(items) - len(times), dtype=np.int64)]
            times[codes] += np.bincount(found.items, minlength=len(codes))
            part = folder / f"part-{len(parts):05}"
            part.mkdir(parents=True, mode=0o700)
            save_arrays(part, raw_start=found.start, raw_items=codes[found.items])
            if label is not None:
                save_arrays(part, raw_label=_labels(source, label, labels))
            parts.append(part)
            n += found.n
    secret = sorted(set(sensitive))
    for value in secret:
        items.setdefault(value, len(items))
    times = np.r_[times, np.zeros(len(items) - len(times), dtype=np.int64)]
    values = tuple(sorted(items))
    of = {value: code for code, value in enumerate(values)}
    place = np.array([of[value] for value in items], dtype=np.int32)
    counts = np.zeros(len(values), dtype=np.int64)
    counts[place] = times
    hidden = frozenset(of[value] for value in secret)
    return RawBaskets(tuple(parts), n, column, values, place, counts, hidden, label, tuple(labels))


def _pieces(path: Path, name: str, records: int) -> Iterator[pl.DataFrame]:
    """The file in frames of about so many records; `name` is what messages call it."""
    format = format_of(name)
    if format is None or not format.in_parts:
        known = [ending for ending, one in ENDINGS.items() if one.in_parts]
        raise InputError(f"{name}: large baskets are read from {suggest_name(ending_of(name), known)}")
    if format.reader == "fimi":
        yield from _fimi_pieces(path, name, records)
        return
    try:
        scanned = _SCANS[format.reader](path)
        yield from scanned.collect_batches(chunk_size=records, maintain_order=True, engine="streaming")
    except (pl.exceptions.PolarsError, ParquetError):
        raise InputError(f"{name}: it cannot be read as {format.reader}; check the file") from None


def _fimi_pieces(path: Path, name: str, records: int) -> Iterator[pl.DataFrame]:
    before = 0
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        while lines := [line.rstrip("\n") for line in islice(file, records)]:
            yield parse_fimi_lines(lines, name, before)
            before += len(lines)


def _labels(source: Source, column: str, seen: dict[str | None, int]) -> I4:
    """The label of each record, as places in what was seen."""
    cells = text_column(source, column)
    return np.array([seen.setdefault(cell, len(seen)) for cell in cells], dtype=np.int32)


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
