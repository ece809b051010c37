"""Frames that polars does not run, such as relations of DuckDB: counted where they are, taken over in batches."""

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals as nw
import polars as pl
from polars.io.plugins import register_io_source

from shoal.engines import Frame, TooManyError
from shoal.engines.frames import tallied

__all__ = ["foreign_tally", "is_foreign", "streamed"]

_BATCH = 500_000


def is_foreign(frame: Frame) -> bool:
    """Whether another library than polars runs a frame."""
    return not isinstance(frame.to_native(), pl.LazyFrame)


def foreign_tally(frame: Frame, by: Sequence[str], limit: int) -> pl.DataFrame:
    """Count equal rows where they are; those that were found are counted before any is collected.

    Raises
    ------
    TooManyError
        There are more than `limit`.
    """
    found = tallied(frame, by)
    if int(found.select(nw.len()).collect("polars").item()) > limit:
        raise TooManyError
    tally: pl.DataFrame = found.collect("polars").to_native()
    return tally


def streamed(frame: Frame) -> pl.LazyFrame:
    """The records of a foreign frame for polars, a batch at a time where its library can hand them over so."""
    native: Any = frame.to_native()
    if not hasattr(native, "to_arrow_reader"):
        whole: pl.DataFrame = frame.collect("polars").to_native()
        return whole.lazy()
    first = frame.head(0).collect("polars").to_native()

    def batches(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for batch in native.to_arrow_reader(_BATCH):
            part = pl.from_arrow(batch)
            assert isinstance(part, pl.DataFrame)
            picked = part if with_columns is None else part.select(with_columns)
            yield picked if predicate is None else picked.filter(predicate)

    return register_io_source(batches, schema=first.schema)
