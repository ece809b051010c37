"""Released tables written piece by piece: the same bytes as `write` makes of the whole, without holding it."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import polars as pl
from polars.io.plugins import register_io_source

from shoal.io.cells import cleaned, json_cells, text
from shoal.io.write import as_csv, on_disk, one_spelling, sync

__all__ = ["Pieces"]


@dataclass(frozen=True, slots=True)
class Pieces:
    """How a release is written in one format, whichever piece of it is at hand.

    format  : csv, parquet or ndjson
    kept    : the columns that are published as they came; the others hold labels
    missing : texts that stand for a missing cell, beside the empty one
    dates   : kept columns of times that are all midnight, in the whole: they are written as dates
    texts   : kept columns of numbers of which some are infinite, in the whole: JSON holds them as text
    """

    format: str
    kept: frozenset[str]
    missing: tuple[str, ...] = ()
    dates: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()

    def form(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The cells as they are written, a column each; what is not kept stays as it is."""
        formed = frame.with_columns(self._formed(frame[name]) for name in frame.columns if name in self.kept)
        return one_spelling(formed)

    def lines(self, frame: pl.DataFrame, *, header: bool) -> bytes:
        """A piece of a text file."""
        with BytesIO() as file:
            self._append(frame, file, header=header)
            return file.getvalue()

    def whole(self, pieces: Iterator[pl.DataFrame], path: Path) -> None:
        """Write pieces as one file, and wait until it is on disk.

        Raises
        ------
        InputError
            The file cannot be written: the disk is full, say.
        """
        if self.format == "parquet":
            with on_disk(path):
                _parquet(pieces, path)
            sync(path)
            return
        with on_disk(path) as file:
            for number, piece in enumerate(pieces):
                self._append(piece, file, header=not number)

    def _append(self, frame: pl.DataFrame, file: BinaryIO, *, header: bool) -> None:
        if self.format == "csv":
            as_csv(frame).write_csv(file, include_header=header)
        else:
            frame.write_ndjson(file)

    def _formed(self, cells: pl.Series) -> pl.Series:
        cells = cleaned(cells, self.missing)
        name = cells.name
        if name in self.dates:
            dates = cells.dt.strftime("%Y-%m-%d")
            return cells if self.format == "parquet" else dates
        if self.format == "csv":
            return _timed(cells) if cells.dtype.is_temporal() else text(cells)
        if self.format == "ndjson":
            if name in self.texts or cells.dtype.is_temporal():
                return _timed(cells) if cells.dtype.is_temporal() else text(cells)
            return json_cells(cells)
        return cells.cast(pl.String) if isinstance(cells.dtype, pl.Categorical | pl.Enum) else cells


def _timed(cells: pl.Series) -> pl.Series:
    """Times as text, although those of this piece may all be midnight."""
    match cells.dtype:
        case pl.Datetime(time_zone=None):
            return cells.dt.strftime("%Y-%m-%dT%H:%M:%S%.f")
        case _:
            return text(cells)


def _parquet(pieces: Iterator[pl.DataFrame], path: Path) -> None:
    """Hand the pieces to polars one by one, which writes row groups as they come."""
    first = _plain(next(pieces))

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for piece in chain([first], map(_plain, pieces)):
            yield piece if with_columns is None else piece.select(with_columns)

    register_io_source(source, schema=first.schema).sink_parquet(path, engine="streaming")


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Labels as text: their lists may name what no record holds."""
    named = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Categorical | pl.Enum)]
    return frame.with_columns(pl.col(named).cast(pl.String))
