"""Baskets in, part by part: a file becomes folders of arrays, and is never held as a whole."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from shoal.data.types import I4, I8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.io.array_files import keep
from shoal.io.baskets import baskets_of, fimi_lines
from shoal.io.cells import cleaned, text
from shoal.io.headers import no_column
from shoal.io.parquet_pages import scan_parquet
from shoal.io.source import Source
from shoal.io.unpack import LIMIT, unzipped
from shoal.naming import offered

__all__ = ["RawBaskets", "read_basket_parts"]

PART = 1 << 18
"""Records of one part: enough that a task is worth its start, few enough for any memory."""

_SCANS: dict[str, Callable[[Path], pl.LazyFrame]] = {
    ".csv": partial(pl.scan_csv, infer_schema=False, glob=False),
    ".ndjson": partial(pl.scan_ndjson, infer_schema_length=None),
    ".parquet": scan_parquet,
}


@dataclass(frozen=True, slots=True, repr=False)
class RawBaskets(Discreet):
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
    limit: int = LIMIT,
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
    with unzipped(path, limit) as plain:
        for frame in _pieces(plain, path.name, records):
            source = Source(frame, name=path.name, missing=missing)
            found = baskets_of(source, column, separator=separator)
            codes = np.array([items.setdefault(value, len(items)) for value in found.values], dtype=np.int32)
            times = np.r_[times, np.zeros(len(items) - len(times), dtype=np.int64)]
            times[codes] += np.bincount(found.items, minlength=len(codes))
            part = folder / f"part-{len(parts):05}"
            part.mkdir(parents=True, mode=0o700)
            keep(part, raw_start=found.start, raw_items=codes[found.items])
            if label is not None:
                keep(part, raw_label=_labels(source, label, labels))
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
    kind = Path(name.removesuffix(".gz")).suffix.lower()
    if kind == ".dat":
        yield from _fimi_pieces(path, name, records)
    elif kind in _SCANS:
        try:
            scanned = _SCANS[kind](path)
            yield from scanned.collect_batches(chunk_size=records, maintain_order=True, engine="streaming")
        except pl.exceptions.PolarsError:
            raise InputError(f"{name}: it cannot be read as {kind[1:]}; check the file") from None
    else:
        raise InputError(f"{name}: large baskets are read from {offered(kind, ('.dat', *_SCANS))}")


def _fimi_pieces(path: Path, name: str, records: int) -> Iterator[pl.DataFrame]:
    before = 0
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        while lines := [line.rstrip("\n") for line in islice(file, records)]:
            yield fimi_lines(lines, name, before)
            before += len(lines)


def _labels(source: Source, column: str, seen: dict[str | None, int]) -> I4:
    """The label of each record, as places in what was seen."""
    if column not in source.frame.columns:
        raise no_column(source, column, [column])
    cells = cleaned(text(source.frame[column]), source.missing)
    return np.array([seen.setdefault(cell, len(seen)) for cell in cells], dtype=np.int32)
