"""The engine of one machine: polars, streaming; what is staged lies in files, so memory does not grow with the data."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from shoal.engines import (
    COUNT,
    ORDER,
    Frame,
    Lookup,
    Repeats,
    TooManyError,
    Writer,
    count_rows,
    foreign_tally,
    is_foreign,
    lookup_expression,
    stream_frame,
)

__all__ = ["Local"]

_BATCH = 100_000  # records that are in memory together, at least
_BUCKET = 500_000  # records that are shuffled together; buckets are drawn at random, so the whole is too
_MOST = 64  # buckets; of more records each of them is larger
# at least, unless they would be too small or too large: each batch leaves a file in each bucket
_BATCHES = 10
_LINES = 1_000_000  # different ones that are parsed at once
_BLANKS = r"[\s\u200b\u2060\ufeff]+"


class Local:
    """Frames of polars, or of what polars can take over batch by batch."""

    name = "local"

    def collected(self, frame: Frame) -> pl.DataFrame:
        """Run it."""
        return _collected(_lazy(frame))

    def coded(self, frame: Frame, values: Mapping[str, pl.Series]) -> Frame:
        """Texts whose values are known become numbers that know their text: a fraction of the memory."""
        frame = nw.from_native(_lazy(frame))
        kinds = frame.collect_schema()
        known = {name: nw.Enum(found.to_list()) for name, found in values.items() if kinds[name] == nw.String}
        return frame.with_columns(nw.col(name).cast(kind) for name, kind in known.items())

    def label_type(self, labels: Sequence[str]) -> Any:
        """Labels are few."""
        return nw.Enum(labels)

    def looked_up(self, frame: Frame, lookups: Mapping[str, Lookup]) -> Frame:
        """Replace values where they stand, a batch at a time: lazily, polars would hold all records for this."""
        replaced = frame.with_columns(
            lookup_expression(lookup).alias(name) for name, lookup in lookups.items()
        )
        native, kinds, made = _lazy(frame), _lazy(replaced).collect_schema(), []
        for name, lookup in lookups.items():
            own, kind = kinds[lookup.column], kinds[name]
            task = partial(_looked_up, lookup)
            if isinstance(own, pl.Enum) and own.categories.equals(lookup.old):
                task = partial(_gathered, pl.Series([*lookup.new, lookup.null], dtype=kind))
            cell = pl.col(lookup.column).map_batches(task, return_dtype=kind, is_elementwise=True)
            made.append(cell.alias(name))
        return nw.from_native(native.with_columns(made))

    def tally(self, frame: Frame, by: Sequence[str], limit: int, records: int) -> pl.DataFrame:
        """Count equal rows; of many records an estimate comes first, for polars would hold all that it finds."""
        if is_foreign(frame):
            return foreign_tally(frame, by, limit)
        if records > limit:
            different = pl.struct(pl.all()).hash().approx_n_unique()
            if int(_collected(_lazy(frame.select(*by)).select(different)).item()) > limit:
                raise TooManyError
        found = _collected(_lazy(count_rows(frame, by)))
        if found.height > limit:
            raise TooManyError
        named = [name for name, kind in found.schema.items() if isinstance(kind, pl.Categorical | pl.Enum)]
        return found.with_columns(pl.col(named).cast(pl.String))

    def total(self, frame: Frame) -> int:
        """Count the records."""
        if is_foreign(frame):
            return int(frame.select(nw.len()).collect("polars").item())
        return int(_collected(_lazy(frame).select(pl.len())).item())

    def sample(self, frame: Frame, records: int, total: int) -> pl.DataFrame:
        """Take every so-manieth record from a random one on."""
        step = max(total // max(records, 1), 1)
        first = int.from_bytes(os.urandom(8)) % step
        picked = _lazy(frame).with_row_index(ORDER).filter(pl.col(ORDER) % step == first)
        return _collected(picked.drop(ORDER))

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

    def stage(
        self, frame: Frame, folder: Path, records: int, form: Callable[[pl.DataFrame], pl.DataFrame]
    ) -> None:
        """Throw the records of each batch into buckets at random: a file for each batch and bucket."""
        buckets = min(max(-(-records // _BUCKET), 1), _MOST)
        size = max(_BATCH, min(records // _BATCHES, 25 * _BATCH))
        edges = [int(edge) for edge in np.linspace(-(2**63), 2**63 - 1, buckets + 1)[1:-1]]
        folder.mkdir(mode=0o700)
        for number, batch in enumerate(self._batches(frame, size)):
            formed = form(batch)
            order = np.frombuffer(os.urandom(8 * formed.height), dtype=np.int64)
            mixed, drawn = formed.with_columns(pl.Series(ORDER, order)), np.searchsorted(edges, order)
            for bucket in range(buckets):  # whose records are sorted when all of them are there
                part = mixed.filter(pl.Series(drawn == bucket))
                part.write_ipc(folder / f"{bucket:03}-{number:06}.arrow", compression="lz4")

    def staged(self, folder: Path) -> Frame:
        """All files of the stage."""
        return nw.from_native(pl.scan_ipc(sorted(folder.glob("*.arrow"))))

    def write(
        self,
        folder: Path,
        columns: Mapping[str, str],
        place: Path,
        writer: Writer,
        seen: Callable[[pl.DataFrame], int],
    ) -> int:
        """Write one file, bucket after bucket, each in its random order."""
        found = 0

        def pieces() -> Iterator[pl.DataFrame]:
            nonlocal found
            for bucket in self._buckets(folder, [*columns, ORDER]):
                found = (found + seen(bucket)) % 2**64
                yield bucket.select(pl.col(own).alias(name) for own, name in columns.items())

        writer.whole(pieces(), place)
        return found

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
        """Look at one batch after the other."""
        return sum(seen(batch) for batch in self._batches(frame, _BATCH)) % 2**64

    def _batches(self, frame: Frame, size: int) -> Iterator[pl.DataFrame]:
        yield from _lazy(frame).collect_batches(chunk_size=size, maintain_order=False, engine="streaming")

    def _buckets(self, folder: Path, columns: list[str]) -> Iterator[pl.DataFrame]:
        files = sorted(folder.glob("*.arrow"))
        for bucket in sorted({file.name[:3] for file in files}):
            parts = [pl.read_ipc(file, columns=columns) for file in files if file.name.startswith(bucket)]
            yield pl.concat(parts).sort(ORDER).drop(ORDER)


def _cells(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Cells of csv as anybody reads them: an empty one is missing."""
    return frame.with_columns(pl.when(pl.all() != "").then(pl.all()))


def _gathered(labels: pl.Series, cells: pl.Series) -> pl.Series:
    """What becomes of cells that are places in a list of known values; the last label is that of a missing one."""
    places = cells.to_physical()
    return labels.gather(places.cast(pl.UInt32).fill_null(len(labels) - 1) if cells.null_count() else places)


def _looked_up(lookup: Lookup, cells: pl.Series) -> pl.Series:
    """What becomes of some cells of a column."""
    frame = nw.from_native(cells.alias(lookup.column).to_frame())
    made: pl.DataFrame = frame.select(lookup_expression(lookup).alias(cells.name)).to_native()
    return made.to_series()


def _lazy(frame: Frame) -> pl.LazyFrame:
    """The frame as polars runs it; records of a foreign one come in batches."""
    native = frame.to_native()
    return native if isinstance(native, pl.LazyFrame) else stream_frame(frame)


def _collected(frame: pl.LazyFrame) -> pl.DataFrame:
    return frame.collect(engine="streaming")
