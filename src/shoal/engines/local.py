"""The engine of one machine: frames of polars, or of what polars can take over, and threads.

Records that are spread at random lie in files, so memory does not grow with the data.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from shoal.engines import COUNT, Frame, Mapper, Repeats, TooManyError, cores, in_threads

__all__ = ["Local", "shuffled_buckets", "spread_records"]

_BATCH = 100_000  # records that are in memory together
_FOREIGN = 500_000  # records that another library hands over together
_LINES = 1_000_000  # different ones that are parsed at once
ORDER = "shoal order"
"""The column of spread records that puts them in a random order, drawn from the operating system."""

_BLANKS = r"[\s\u200b\u2060\ufeff]+"


class Local:
    """Frames of polars, or of what polars can take over batch by batch."""

    name = "local"

    def collected(self, frame: Frame) -> pl.DataFrame:
        """Run it."""
        return _collected(_lazy(frame))

    def tally(self, frame: Frame, by: Sequence[str], limit: int, records: int) -> pl.DataFrame:
        """Count equal rows; of many records an estimate comes first, for polars would hold all that it finds.

        Rows of another library are counted where they are, and those that were found before any is collected.
        """
        counted = frame.group_by(*by).agg(nw.len().alias(COUNT))
        if not isinstance(frame.to_native(), pl.LazyFrame):
            if self.total(counted) > limit:
                raise TooManyError
            return _whole(counted)
        if records > limit:
            different = pl.struct(pl.all()).hash().approx_n_unique()
            if int(_collected(_lazy(frame.select(*by)).select(different)).item()) > limit:
                raise TooManyError
        found = self.collected(counted)
        if found.height > limit:
            raise TooManyError
        named = [name for name, kind in found.schema.items() if isinstance(kind, pl.Categorical | pl.Enum)]
        return found.with_columns(pl.col(named).cast(pl.String))

    def total(self, frame: Frame) -> int:
        """Count the records."""
        return int(self.collected(frame.select(nw.len())).item())

    def repeats(self, frame: Frame, column: str) -> Repeats:
        """Compare hashes, eight bytes for each record, and then the few records whose hashes are equal."""
        cell = pl.col(column).cast(pl.String).str.replace_all(_BLANKS, "")
        bare = _lazy(frame.select(column)).select(pl.when(cell != "").then(cell).alias(column))
        hashes = _collected(
            bare.filter(pl.col(column).is_not_null()).select(pl.col(column).hash())
        ).to_series()
        missing = int(_collected(bare.select(pl.col(column).is_null().sum())).item())
        ordered = np.sort(hashes.to_numpy())
        twice = pl.Series(np.unique(ordered[1:][ordered[1:] == ordered[:-1]]))
        if not len(twice):
            return Repeats(0, missing)
        same = _collected(bare.filter(pl.col(column).hash().is_in(twice.implode())))
        return Repeats(int(same.to_series().is_duplicated().sum()), missing)

    def copy_records(self, frame: Frame, folder: Path) -> Frame:
        """Write them to one file, in which each text of a column stands once; a frame is run once for it."""
        folder.mkdir(mode=0o700)
        place = folder / "records.parquet"
        _lazy(frame).sink_parquet(place, engine="streaming")
        return nw.from_native(pl.scan_parquet(place, glob=False, hive_partitioning=False))

    @property
    def map(self) -> Mapper:
        """Threads, one for each core."""
        return in_threads(cores())

    def find_shared_place(self, beside: Path | None) -> Path | None:
        """Say none: everything is on this machine."""
        return None

    def opened(self, place: Path, format: str) -> Frame:
        """Scan the file that was written."""
        if format == "csv":
            return nw.from_native(_cells(pl.scan_csv(place, infer_schema=False, glob=False)))
        if format == "parquet":
            return nw.from_native(pl.scan_parquet(place, glob=False, hive_partitioning=False))
        return nw.from_native(pl.scan_ndjson(place, infer_schema_length=None))

    def tally_lines(self, place: Path, names: Sequence[str], records: int) -> pl.DataFrame | None:
        """Count equal rows of a csv file that was written: equal ones are equal lines, so that few are parsed.

        None where they are many, or where a cell holds a line end: then some line holds an odd number of quotes.
        """
        with place.open(encoding="utf-8", newline="\n") as file:
            header = file.readline().removesuffix("\n")
        line, many, lines = pl.col("line"), pl.col(COUNT), pl.scan_lines(place, name="line", glob=False)
        try:
            found = self.tally(nw.from_native(lines), ["line"], _LINES, records)
        except TooManyError:
            return None
        if (found["line"].str.count_matches('"', literal=True) % 2 == 1).any():
            return None
        found = found.with_columns(many.cast(pl.Int64) - (line == header)).filter(many > 0)
        text = "\n".join([header, *found["line"], ""]).encode()
        rows = _cells(pl.scan_csv(text, infer_schema=False)).collect()
        rows.columns = list(names)
        return rows.with_columns(found[COUNT]).group_by(*names).agg(many.sum())

    def summed(self, frame: Frame, seen: Callable[[pl.DataFrame], int]) -> int:
        """The sum, modulo 2^64, of what `seen` says of all batches of a frame."""
        return sum(seen(batch) for batch in self._batches(frame, _BATCH)) % 2**64

    def _batches(self, frame: Frame, size: int) -> Iterator[pl.DataFrame]:
        yield from _lazy(frame).collect_batches(chunk_size=size, maintain_order=False, engine="streaming")


def spread_records(pieces: Iterable[pl.DataFrame], folder: Path, buckets: int) -> None:
    """Throw the records of each piece into buckets at random: a private file for each piece and bucket."""
    edges = [int(edge) for edge in np.linspace(-(2**63), 2**63 - 1, buckets + 1)[1:-1]]
    folder.mkdir(mode=0o700)
    for number, piece in enumerate(pieces):
        order = np.frombuffer(os.urandom(8 * piece.height), dtype=np.int64)
        mixed, drawn = piece.with_columns(pl.Series(ORDER, order)), np.searchsorted(edges, order)
        for bucket in range(buckets):  # whose records are sorted when all of them are there
            part = mixed.filter(pl.Series(drawn == bucket))
            part.write_ipc(folder / f"{bucket:05}-{number:06}.arrow", compression="lz4")


def shuffled_buckets(folder: Path, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
    """The records that were spread, bucket after bucket, each in its random order; by default all their columns."""
    files = sorted(folder.glob("*.arrow"))
    wanted = None if columns is None else [*columns, ORDER]
    for _, parts in groupby(files, key=lambda file: file.name.partition("-")[0]):
        yield pl.concat([pl.read_ipc(file, columns=wanted) for file in parts]).sort(ORDER).drop(ORDER)


def _cells(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Cells of csv as anybody reads them: an empty one is missing."""
    return frame.with_columns(pl.when(pl.all() != "").then(pl.all()))


def _lazy(frame: Frame) -> pl.LazyFrame:
    """The frame as polars runs it; records of a foreign one come a batch at a time, where its library can do so."""
    native: Any = frame.to_native()
    if isinstance(native, pl.LazyFrame):
        return native
    if not hasattr(native, "to_arrow_reader"):
        return _whole(frame).lazy()

    def batches(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for batch in native.to_arrow_reader(_FOREIGN):
            part = pl.from_arrow(batch)
            assert isinstance(part, pl.DataFrame)
            picked = part if with_columns is None else part.select(with_columns)
            yield picked if predicate is None else picked.filter(predicate)

    return register_io_source(batches, schema=_whole(frame.head(0)).schema)


def _whole(frame: Frame) -> pl.DataFrame:
    """All of a frame, collected by its own library."""
    found: pl.DataFrame = frame.collect("polars").to_native()
    return found


def _collected(frame: pl.LazyFrame) -> pl.DataFrame:
    return frame.collect(engine="streaming")
