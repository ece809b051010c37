"""From a table that is scanned to parts: every column's distinct cells first, then its records batch by batch."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl

from shoal.base.errors import InputError
from shoal.data.arrays import I4, I8
from shoal.engines import COUNT, Frame, TooManyError
from shoal.engines.local import Local
from shoal.io.read.cells import clean_cells, factorize, text_column
from shoal.io.read.source import Source
from shoal.parts.draws import RunKey
from shoal.parts.records import Dictionary, Parts, write_run

__all__ = ["TooManyValuesError", "build_dictionary", "read_parts"]

_MOST_VALUES = 2_000_000  # of a column: their texts are held
_BATCH = 1 << 18  # records that are coded together


class TooManyValuesError(InputError):
    """A column has more distinct cells than are held."""


def build_dictionary(frame: Frame, name: str, missing: Sequence[str], records: int) -> Dictionary:
    """Find the distinct cells of every column of a frame of polars; `name` is what messages call it.

    Cells become text as they do in memory, with all distinct ones at hand.

    Raises
    ------
    TooManyValuesError
        A column has more distinct cells than are held.
    """
    names = tuple(frame.collect_schema().names())
    columns = [_distinct_cells(frame, name, column, records, missing) for column in names]
    values, cells, counts = zip(*columns, strict=True)
    return Dictionary(names, values, cells, counts)


def _distinct_cells(
    frame: Frame, name: str, column: str, records: int, missing: Sequence[str]
) -> tuple[tuple[str | None, ...], pl.Series, I8]:
    try:
        found = Local().tally(frame, [column], _MOST_VALUES, records)
    except TooManyError:
        raise TooManyValuesError(
            f"{name}, column '{column}': it has more than {_MOST_VALUES:,} different values, too many to be held; give "
            "it the role drop, or coarsen it before"
        ) from None
    source = Source(found.select(column), "polars", name, tuple(missing))
    values, codes = factorize(text_column(source, column))
    first = np.empty(len(values), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    is_missing = pl.Series([value is None for value in values], dtype=pl.Boolean)
    cells = found[column].gather(pl.Series(first)).set(is_missing, None)
    many = np.bincount(codes, weights=found[COUNT].to_numpy(), minlength=len(values)).astype(np.int64)
    return values, cells, many


def read_parts(
    frame: Frame, dictionary: Dictionary, missing: Sequence[str], records: int, size: int, folder: Path
) -> Parts:
    """Read records into parts of about `size` below `folder`: equal records are in one part.

    Parts are ranges of a hash with a key of their own, so where a record stood in the source tells nothing.
    """
    parts = max(-(-records // size), 1)
    hasher = dictionary.hasher(RunKey.of(None).derive("part"))
    coders = [
        _Coder(cells, values) for cells, values in zip(dictionary.cells, dictionary.values, strict=True)
    ]
    runs: list[Path] = []
    sizes = np.zeros(parts, dtype=np.int64)
    for batch in _batches(frame):
        codes = np.stack(
            [
                coder(clean_cells(batch[name], missing))
                for name, coder in zip(dictionary.names, coders, strict=True)
            ],
            axis=1,
        )
        part = (hasher(codes) >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)
        runs.append(folder / f"{len(runs):06}")
        sizes += write_run(runs[-1], codes, part.astype(np.int64), parts)
    return Parts(tuple(runs), tuple(sizes.tolist()))


def _batches(frame: Frame) -> Iterator[pl.DataFrame]:
    lazy: pl.LazyFrame = nw.to_native(frame)
    yield from lazy.collect_batches(chunk_size=_BATCH, maintain_order=False, engine="streaming")


class _Coder:
    """Codes the clean cells of one column: texts by a list that polars looks them up in, others by a join."""

    def __init__(self, cells: pl.Series, values: Sequence[str | None]) -> None:
        self._missing = len(values) - 1  # the last value, where any cell is missing
        self._codes = pl.Series(np.arange(len(cells), dtype=np.uint32)).filter(cells.is_not_null())
        self._cells = cells.drop_nulls()
        self._kind = pl.Enum(self._cells) if cells.dtype == pl.String else None

    def __call__(self, cells: pl.Series) -> I4:
        if self._kind is not None:
            codes = cells.cast(self._kind).to_physical().cast(pl.UInt32)
        elif len(self._cells):
            codes = cells.replace_strict(self._cells, self._codes, default=None, return_dtype=pl.UInt32)
        else:
            codes = pl.Series(cells.name, [None], dtype=pl.UInt32).new_from_index(0, len(cells))
        return codes.fill_null(self._missing).to_numpy().astype(np.int32)
