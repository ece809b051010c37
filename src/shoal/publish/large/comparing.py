"""What is asked of every batch of a large release: a digest of its rows, and how many cells were changed.

Both are plain objects that can be sent to wherever records lie.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from shoal.io.read.cells import clean_cells, text
from shoal.io.write.table import as_csv

__all__ = ["Changed", "Digest"]

_TIMES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%.f")


@dataclass(frozen=True, slots=True)
class Digest:
    """A sum over rows, the same for equal rows in whatever order.

    key     : a random number, so that nobody can make other rows with the same sum
    columns : what of a batch is looked at, each with its public name; None takes all
    escape  : whether the cells are still to be escaped as they are in a csv file
    """

    key: int
    columns: Mapping[str, str] | None = None
    escape: bool = False

    def __call__(self, batch: pl.DataFrame) -> int:
        """The sum of one batch, modulo 2^64."""
        if self.columns is not None:
            batch = batch.select(pl.col(own).alias(name) for own, name in self.columns.items())
        cells = as_csv(batch) if self.escape else batch
        texts = pl.DataFrame([_as_text(column) for column in cells])
        return int(texts.with_columns(pl.all().replace("", None)).hash_rows(self.key).sum()) % 2**64


@dataclass(frozen=True, slots=True)
class Changed:
    """How many cells that should be published as they came are not.

    pairs   : by the name of the original, the name of what is published of it
    missing : texts that stand for a missing cell
    """

    pairs: Mapping[str, str]
    missing: tuple[str, ...]

    def __call__(self, batch: pl.DataFrame) -> int:
        """The changed cells of one batch."""
        return sum(self._changed(batch[own], batch[shown]) for own, shown in self.pairs.items())

    def _changed(self, own: pl.Series, shown: pl.Series) -> int:
        own = clean_cells(own, self.missing)
        if own.dtype.is_temporal() and shown.dtype == pl.String:
            return int(min((~way.eq_missing(shown)).sum() for way in _ways(own)))
        return int((~_as_text(own).eq_missing(_as_text(shown))).sum())


def _ways(times: pl.Series) -> list[pl.Series]:
    """How times may be written: where all of them are midnight, as dates."""
    match times.dtype:
        case pl.Datetime(time_zone=None):
            return [times.dt.strftime(way) for way in _TIMES]
        case _:
            return [text(times)]


def _as_text(cells: pl.Series) -> pl.Series:
    """A cell as text, whatever else stands in its batch."""
    if cells.dtype.is_temporal():
        return cells.to_physical().cast(pl.String)
    return text(cells.cast(pl.String) if isinstance(cells.dtype, pl.Categorical | pl.Enum) else cells)
