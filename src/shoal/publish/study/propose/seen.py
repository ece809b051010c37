"""What is seen of a column of a table or a field of record trees: its values, and how many people hold each."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from shoal.data import Trees
from shoal.data.lists import owners
from shoal.data.types import I4, I8
from shoal.discreet import Discreet
from shoal.io.cells import cleaned, factorize, text
from shoal.io.source import Source

__all__ = ["MOST_VALUES", "Seen", "columns_seen", "fields_seen"]


MOST_VALUES = 100_000
"""Of a column with more different values, some are looked at; so many can be grouped by no file."""


@dataclass(frozen=True, slots=True, repr=False)
class Seen(Discreet):
    """One column or field.

    name     : of a field, its dotted path
    values   : its different values, sorted; of very many a random part
    holders  : int64, how many people hold each
    people   : how many people there are
    missing  : in how many records it has no value
    alone    : how many people hold a value that nobody else holds
    distinct : how many different values there are
    codes    : int32[rows], of some records of a table the place of their value; a missing one is len(values)
    """

    name: str
    values: tuple[str, ...]
    holders: I8
    people: int
    missing: int
    alone: int
    distinct: int
    codes: I4 = field(default_factory=lambda: np.empty(0, dtype=np.int32))

    @property
    def nearly_unique(self) -> bool:
        """Whether nearly everybody who has a value has one of their own."""
        present = self.people - self.missing
        return present > 1 and self.distinct > 1 and self.alone >= 0.9 * present


def columns_seen(source: Source, rows: I8) -> Iterator[Seen]:
    """Every column whose cells are single values; records `rows` are those that are looked at one by one."""
    picked = pl.Series(rows)
    for name in source.frame.columns:
        cells = source.frame[name]
        if cells.dtype.is_nested() or cells.dtype in (pl.Binary, pl.Object):
            continue
        texts = cleaned(text(cells), source.missing).rename("value")
        counts = texts.drop_nulls().value_counts()
        distinct, alone = counts.height, int((counts["count"] == 1).sum())
        some = counts.sample(MOST_VALUES) if distinct > MOST_VALUES else counts
        some = some.sort("value")
        values = some["value"].to_list()
        yield Seen(
            name,
            tuple(values),
            some["count"].to_numpy().astype(np.int64),
            len(texts),
            texts.null_count(),
            alone,
            distinct,
            _places(texts.gather(picked), values, whole=distinct == len(values)),
        )


def _places(cells: pl.Series, values: list[str], *, whole: bool) -> I4:
    """The place of each cell among the values; where those are not all, any numbers that tell values apart."""
    known, codes = factorize(cells)
    if not whole:
        return codes
    place = {value: number for number, value in enumerate(values)}
    return np.array([place.get(value or "", len(values)) for value in known], dtype=np.int32)[codes]


def fields_seen(trees: Trees) -> Iterator[Seen]:
    """Every field of record trees; somebody who holds a value several times counts once."""
    record = owners(trees.start)
    pairs = np.unique(np.stack([trees.items.astype(np.int64), record], axis=1), axis=0)
    holders = np.bincount(pairs[:, 0], minlength=len(trees.values))
    kinds = np.array(trees.kinds)
    for number, name in enumerate(trees.classes):
        own = np.flatnonzero(kinds == number)
        order = sorted(own.tolist(), key=lambda code: trees.values[code])
        held = pairs[kinds[pairs[:, 0]] == number]
        having = len(np.unique(held[:, 1]))
        alone = len(np.unique(held[holders[held[:, 0]] == 1, 1]))
        yield Seen(
            name,
            tuple(trees.values[code] for code in order),
            holders[order].astype(np.int64),
            trees.n,
            trees.n - having,
            alone,
            len(order),
        )
