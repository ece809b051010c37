"""From a table that is scanned to parts: every column's distinct cells first, then its records batch by batch.

Where records hold items, too, a `BasketReader` says those of each batch.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl

from shoal.base.errors import InputError
from shoal.data import Baskets
from shoal.data.arrays import I4, I8, U8
from shoal.engines import COUNT, Frame, TooManyError
from shoal.engines.local import Local
from shoal.io.read.cells import clean_cells, factorize, text_column
from shoal.io.read.source import Source
from shoal.parts.draws import RunKey, scale_hashes
from shoal.parts.persons import add_persons
from shoal.parts.records import BASKETS, Dictionary, ItemDictionary, Parts, Records, write_run

__all__ = [
    "BasketReader",
    "TooManyValuesError",
    "batches_of",
    "build_dictionary",
    "count_items",
    "read_parts",
]

BasketReader = Callable[[pl.DataFrame], Baskets]
"""What reads the baskets of some records: one for each row of a batch, in codes of the batch's own."""

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


def count_items(batches: Iterable[pl.DataFrame], baskets: BasketReader) -> tuple[ItemDictionary, int]:
    """The distinct items of records, with those that the reader calls sensitive, and how many records there are."""
    counts, records = Counter[str](), 0
    for batch in batches:
        found = baskets(batch)
        held = np.bincount(found.items, minlength=len(found.values))
        counts.update(dict(zip(found.values, held.tolist(), strict=True)))
        records += found.n
    values = tuple(sorted(counts))
    held = np.array([counts[value] for value in values], dtype=np.int64)
    return ItemDictionary(values, held), records


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
    frame: Frame | Iterable[pl.DataFrame],
    dictionary: Dictionary,
    missing: Sequence[str],
    records: int,
    size: int,
    folder: Path,
    baskets: BasketReader | None = None,
    coarse: Mapping[str, tuple[Dictionary, I4]] = {},
    person: Callable[[pl.DataFrame], I8] | None = None,
    *,
    at_random: bool = False,
) -> Parts:
    """Read records into parts of about `size` below `folder`: equal records are in one part, or all are `at_random`.

    Where `person` says whom the records of a batch belong to, codes have the columns of `shoal.parts.persons`, and all
    records of a person are in one part instead.

    Of the columns of `coarse` cells are looked up in a finer dictionary, whose codes become those of this one. Parts
    are ranges of a hash with a key of their own, so where a record stood in the source tells nothing.
    """
    code_of_item = {value: code for code, value in enumerate(dictionary.items.values)}
    parts = max(-(-records // size), 1)
    key = RunKey.of(None)
    hasher = dictionary.hasher(key.derive("part"))
    coders = [
        _coder_of(name, *coarse[name])
        if name in coarse
        else _Coder(dictionary.cells[j], dictionary.values[j])
        for j, name in enumerate(dictionary.names)
    ]
    runs: list[Path] = []
    sizes = np.zeros(parts, dtype=np.int64)
    for batch in batches_of(frame):
        columns = [
            coder(clean_cells(batch[name], missing))
            for name, coder in zip(dictionary.names, coders, strict=True)
        ]
        codes = np.stack(columns, axis=1) if columns else np.empty((batch.height, 0), dtype=np.int32)
        whose = None if person is None else person(batch)
        codes = codes if whose is None else add_persons(codes, whose)
        read = Records(codes) if baskets is None else _with_items(codes, baskets(batch), code_of_item)
        if at_random:
            hashes = _draw_numbers(len(read))
        elif whose is None:
            hashes = hasher(read.codes, read.start, read.items)
        else:
            hashes = key.draw("part", whose.view(np.uint64), np.zeros(len(whose), dtype=np.int64))
        runs.append(folder / f"{len(runs):06}")
        sizes += write_run(runs[-1], read, scale_hashes(hashes, parts), parts)
    return Parts(tuple(runs), tuple(sizes.tolist()), () if baskets is None else BASKETS)


def _draw_numbers(records: int) -> U8:
    """A number for each record, drawn from the operating system: uint64[n]."""
    return np.frombuffer(os.urandom(4 * records), dtype=np.uint32).astype(np.uint64) << np.uint64(32)


def _coder_of(name: str, finer: Dictionary, code_of: I4) -> Callable[[pl.Series], I4]:
    """What codes cells by a finer dictionary, given the code that each of its own becomes."""
    j = finer.names.index(name)
    coder = _Coder(finer.cells[j], finer.values[j])
    return lambda cells: code_of[coder(cells)]


def _with_items(codes: I4, baskets: Baskets, code_of_item: Mapping[str, int]) -> Records:
    """Records with their baskets in the codes of the dictionary, which rise in each basket as those of the batch do."""
    own = np.array([code_of_item[value] for value in baskets.values], dtype=np.int32)
    return Records(codes, baskets.start, own[baskets.items])


def batches_of(frame: Frame | Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The records of a frame of polars, batch by batch; or batches as they are."""
    if isinstance(frame, nw.LazyFrame):
        lazy: pl.LazyFrame = nw.to_native(frame)
        yield from lazy.collect_batches(chunk_size=_BATCH, maintain_order=False, engine="streaming")
    else:
        yield from frame


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
