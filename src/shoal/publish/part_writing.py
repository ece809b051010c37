"""How records in parts are written, mixed at random, read back and compared."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.base.errors import RefusedError
from shoal.data.arrays import I8
from shoal.engines.local import shuffled_buckets, spread_records
from shoal.io.read.cells import cell_texts
from shoal.io.read.parts import save_arrays
from shoal.io.write.table import append, csv_cells, open_durable
from shoal.publish.draft import Draft, refuse_unless
from shoal.release import Verdict
from shoal.report.facts import Audit

__all__ = [
    "CellWriting",
    "PartWriting",
    "RowDigest",
    "cells_to_text",
    "other_records_error",
]


@dataclass
class PartWriting(ABC):
    """What the door asks of records that are not in memory: as many of them are held as one part has.

    place : the public file
    stage : a private folder; it goes when the door closes
    """

    draft: Draft
    place: Path
    stage: Path
    _staged: int = field(default=-1, init=False)  # the digest of what the parts publish

    @abstractmethod
    def write(self) -> None:
        """Write what the parts publish in random order, and note its digest."""

    @abstractmethod
    def read_back(self) -> tuple[int, int]:
        """Count and digest the records of the public file; what the judge needs of them is kept in the stage."""

    @abstractmethod
    def verdict(self) -> Verdict:
        """Judge the claim on the pieces that were read back and kept."""

    def judge(self) -> None:
        """Judge what was written by counts of its own, and its truth by what lies beside the originals.

        Raises
        ------
        RefusedError
            The file does not keep the claim, does not tell the truth, or is not what the parts publish.
        """
        if self.read_back() != (self._data.records, self._staged):
            raise other_records_error()
        refuse_unless(self.verdict(), self.draft.check_truth(self.draft.frame))

    def complete(self, audit: Audit) -> Audit:
        """The same facts beside the manifest of what was written."""
        return replace(audit, report=replace(audit.report, manifest=self.manifest()))

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""
        return {**self.draft.manifest, "notes": self._data.notes(self._release)}

    def _kept(self, **arrays: NDArray[Any]) -> None:
        """Keep arrays of a piece that was read back, for the judge."""
        piece_folder = self.stage / f"read-{len(self._pieces):05}"
        piece_folder.mkdir(mode=0o700)
        save_arrays(piece_folder, **arrays)

    @property
    def _pieces(self) -> list[Path]:
        return sorted(self.stage.glob("read-*"))

    @property
    def _data(self) -> Any:
        return self.draft.dataset

    @property
    def _release(self) -> Any:
        return self.draft.result.release


class CellWriting(PartWriting):
    """Records that are written as lines of cells."""

    nested: ClassVar[tuple[str, ...]] = ()
    """Those of the columns whose cells are JSON."""

    @abstractmethod
    def of_parts(self) -> Iterator[pl.DataFrame]:
        """What each part publishes, a row for each record."""

    @abstractmethod
    def of_file(self) -> Iterator[pl.DataFrame]:
        """The records of the public file, in pieces; what the judge needs of them is kept in the stage."""

    def write(self) -> None:
        """Write what the parts publish in random order: records go to random buckets, which are shuffled one by one."""
        digest = RowDigest(self._data.key)
        self._staged = 0

        def seen() -> Iterator[pl.DataFrame]:
            for records in self.of_parts():
                self._staged = (self._staged + digest(records)) % 2**64
                yield records

        spread_records(seen(), self.stage, self._data.buckets)
        with open_durable(self.place) as file:
            for records in shuffled_buckets(self.stage):
                append(records, file, "ndjson", nested=self.nested)

    def read_back(self) -> tuple[int, int]:
        """Count and digest the records of the public file."""
        digest = RowDigest(self._data.key)
        record_count = digest_sum = 0
        for records in self.of_file():
            record_count, digest_sum = record_count + records.height, digest_sum + digest(records)
        return record_count, digest_sum % 2**64


@dataclass(frozen=True, slots=True)
class RowDigest:
    """A sum over rows, the same for equal rows in whatever order.

    key     : a random number, so that nobody can make other rows with the same sum
    columns : what of a batch is looked at, each with its public name; None takes all
    escape  : whether the cells are still to be escaped as they are in a csv file
    """

    key: int
    columns: Mapping[str, str] | None = None
    escape: bool = False

    def __call__(self, batch: pl.DataFrame, times: I8 | None = None) -> int:
        """The sum of one batch, modulo 2^64; of different rows, with how many `times` there is each."""
        if self.columns is not None:
            batch = batch.select(
                pl.col(original_name).alias(name) for original_name, name in self.columns.items()
            )
        cells = csv_cells(batch) if self.escape else batch
        numbers = [self._hash_cells(column.alias("cell")).alias(column.name) for column in cells]
        hashes = pl.DataFrame(numbers).hash_rows(self.key).to_numpy()
        return int((hashes if times is None else hashes * times.astype(np.uint64)).sum(dtype=np.uint64))

    def _hash_cells(self, cells: pl.Series) -> pl.Series:
        """A number for each cell, the same for equal texts; of a list of labels each is looked at once."""
        if isinstance(cells.dtype, pl.Enum):
            labels = pl.Series("cell", [*cells.dtype.categories, None], dtype=pl.String)
            label_indices = cells.to_physical().cast(pl.UInt32).fill_null(len(labels) - 1)
            return self._hash_cells(labels).gather(label_indices)
        cell = pl.when(pl.col("cell") != "").then(pl.col("cell"))
        return cells_to_text(cells).to_frame().select(cell.hash(self.key)).to_series()


def cells_to_text(cells: pl.Series) -> pl.Series:
    """A cell as text, whatever else stands in its batch."""
    if cells.dtype.is_temporal():
        return cells.to_physical().cast(pl.String)
    return cell_texts(cells.cast(pl.String) if isinstance(cells.dtype, pl.Categorical | pl.Enum) else cells)


def other_records_error() -> RefusedError:
    """Why a file is refused that does not hold what was staged."""
    return RefusedError(
        "refused: the data reads back with other records than were staged; nothing was written"
    )
