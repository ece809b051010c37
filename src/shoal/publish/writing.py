"""How a release is written and judged as written: at once where its records are in memory, else part by part.

The door asks the same of both (`Writing`), and a dataset says which of them is its own: `InMemory` is what data have in
common whose records are one part that is loaded.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
import polars as pl

from shoal.data.arrays import I8, U8
from shoal.discreet import Discreet
from shoal.engines import cores, in_threads
from shoal.errors import RefusedError
from shoal.io.formats import LABELLED
from shoal.io.read.cells import text
from shoal.io.read.source import Variable
from shoal.io.write.groups import Groups
from shoal.io.write.table import append, as_csv, on_disk
from shoal.publish.data_files import odd_data, outline, read_data, write_data
from shoal.publish.draft import Draft, refuse_unless
from shoal.release import Claim, Result, Verdict
from shoal.report.facts import Audit

__all__ = [
    "CellWriting",
    "InMemory",
    "MemoryWriting",
    "PartWriting",
    "RowDigest",
    "Writing",
    "as_text",
    "other_records",
    "random_numbers",
]


class Writing(Protocol):
    """A release on its way through the door."""

    def write(self) -> None:
        """Write the data, in an order that tells nothing."""

    def audit(self) -> Audit:
        """The facts of the report and the audit."""

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""

    def judge(self) -> None:
        """Judge the claim and the truth of the file itself, not of what was made.

        Raises
        ------
        RefusedError
            It reads back as something else, does not keep the claim, or does not tell the truth.
        """


# --- records in memory: one part, which is loaded, and was shuffled when it was drafted


@dataclass(frozen=True, slots=True)
class MemoryWriting:
    """What the door asks of a release that is in memory.

    public : the folder of the release
    files  : the formats of its shape, each with the name of its file
    format : the one that is written; None is the usual one
    """

    draft: Draft
    public: Path
    files: Mapping[str, str]
    format: str | None

    def write(self) -> None:
        """Write the data."""
        frame, variables = self.draft.frame, None
        if self.format in LABELLED:
            dataset: Any = self.draft.dataset
            frame, variables = dataset.described(frame, self.draft.result.release)
        write_data(frame, self.public, self.format, self.draft.manifest["columns"], variables)

    def audit(self) -> Audit:
        """The facts of the report and the audit."""
        return self.draft.dataset.audit(self.draft)

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""
        return self.draft.manifest

    def judge(self) -> None:
        """Read the file back, and judge its claim and its truth, beside earlier releases too."""
        columns = self.draft.manifest["columns"]
        frame = read_data(self.public, self.files, columns)
        if outline(frame) != outline(self.draft.frame):
            raise RefusedError(
                "refused: the data reads back with other columns or records; nothing was written"
            )
        odd = odd_data(self.public, self.files, columns, frame, groups=self.draft.groups)
        if odd is not None:
            raise RefusedError(f"refused: {odd}; nothing was written; please report this as a bug")
        refuse_unless(self.draft.judge(frame), self.draft.truth(frame), self.draft.together(frame))


class InMemory(Discreet):
    """What data have in common whose records are all in memory."""

    in_memory: ClassVar[bool] = True

    def writing(
        self, draft: Draft, public: Path, stage: Path, files: Mapping[str, str], format: str | None
    ) -> Writing:
        """How a release of these data is written and judged."""
        return MemoryWriting(draft, public, files, format)

    @property
    def options(self) -> Mapping[str, Any]:
        """None: such data ask nothing of a method."""
        return {}

    def seeing(self, claim: Claim | None, target: str | None) -> Self:
        """The same: all is seen that a claim speaks of or a loss predicts."""
        return self

    def in_fragments(
        self, method: str, inputs: Mapping[str, Any], claim: Claim, options: Mapping[str, Any], **more: Any
    ) -> Result[Any]:
        """Have a method work on fragments of the records, on all cores."""
        from shoal.algorithms.fragments.in_fragments import in_fragments  # its kernels are heavy

        return in_fragments(method, inputs, claim, options, mapper=in_threads(cores()), **more)

    def losses_by_column(self, result: Result[Any], losses: Mapping[str, float]) -> dict[str, float | None]:
        """What every column that came in lost; nothing where a shape does not say it."""
        return {}

    def described(self, frame: Any, release: Any) -> tuple[Any, dict[str, Variable]]:
        """Released cells as a file with labels has them, and what it says of columns; only tables have such a file."""
        return frame, {}

    def groups(self, release: Any) -> Groups:
        """None: no shape but baskets has groups of items."""
        return {}

    def spelled_out(self, result: Result[Any]) -> Result[Any]:
        """The same."""
        return result


# --- records in parts: written in random order, read back in pieces, judged by counts

Records = TypeVar("Records")


@dataclass
class PartWriting(ABC, Generic[Records]):
    """What the door asks of records that are not in memory; a shape says how some of its records are handled.

    place : the public file
    stage : a private folder; it goes when the door closes
    """

    draft: Draft
    place: Path
    stage: Path
    _spread: int = field(default=-1, init=False)  # the digest of what the parts publish

    @property
    @abstractmethod
    def at_once(self) -> int:
        """How many records are shuffled together."""

    @abstractmethod
    def of_parts(self) -> Iterator[Records]:
        """What each part publishes."""

    @abstractmethod
    def of_file(self) -> Iterator[Records]:
        """The records of the public file, in pieces."""

    @abstractmethod
    def number(self, records: Records) -> int:
        """How many there are."""

    @abstractmethod
    def take(self, records: Records, rows: I8) -> Records:
        """Some records, in this order."""

    @abstractmethod
    def save(self, records: Records, place: Path) -> None:
        """Write records into a private file or folder that is not there yet."""

    @abstractmethod
    def load(self, places: Sequence[Path]) -> Records:
        """Records that were saved, behind each other."""

    @abstractmethod
    def append(self, records: Records, file: BinaryIO) -> None:
        """Write records behind those of the public file."""

    @abstractmethod
    def digest(self, records: Records) -> int:
        """The sum of the hashes of records, modulo 2^64: the same for equal records in whatever order."""

    @abstractmethod
    def verdict(self) -> Verdict:
        """Judge the claim on the pieces that were read back and kept."""

    def keep_piece(self, records: Records, place: Path) -> None:
        """Keep a piece that was read back, for the judge; here nothing, where the judge looked at it before."""

    def write(self) -> None:
        """Write what the parts publish in random order: records go to random buckets, which are shuffled one by one."""
        many, digest = -(-self._data.records // self.at_once), 0
        buckets = [self.stage / f"bucket-{place:05}" for place in range(many)]
        for bucket in buckets:
            bucket.mkdir(parents=True, mode=0o700)
        for number, records in enumerate(self.of_parts()):
            digest += self.digest(records)
            chosen = random_numbers(self.number(records)) % np.uint64(many)
            for place, bucket in enumerate(buckets):
                self.save(self.take(records, np.flatnonzero(chosen == place)), bucket / f"{number:05}")
        with on_disk(self.place) as file:
            for bucket in buckets:
                records = self.load(sorted(bucket.iterdir()))
                order = np.argsort(random_numbers(self.number(records)), kind="stable")
                self.append(self.take(records, order), file)
        self._spread = digest % 2**64

    def judge(self) -> None:
        """Judge what was written by counts of its own, and its truth by what lies beside the originals.

        Raises
        ------
        RefusedError
            The file does not keep the claim, does not tell the truth, or is not what the parts publish.
        """
        there = digest = 0
        for number, records in enumerate(self.of_file()):
            self.keep_piece(records, self.stage / f"read-{number:05}")
            there, digest = there + self.number(records), digest + self.digest(records)
        if (there, digest % 2**64) != (self._data.records, self._spread):
            raise other_records()
        refuse_unless(self.verdict(), self.draft.truth(self.draft.frame))

    def audit(self) -> Audit:
        """The facts of the report and the audit, from counts alone."""
        found = self.draft.dataset.audit(self.draft)
        return replace(found, report=replace(found.report, manifest=self.manifest()))

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""
        return {**self.draft.manifest, "notes": self._data.notes(self._release)}

    @property
    def _pieces(self) -> list[Path]:
        return sorted(self.stage.glob("read-*"))

    @property
    def _data(self) -> Any:
        return self.draft.dataset

    @property
    def _release(self) -> Any:
        return self.draft.result.release


class CellWriting(PartWriting[pl.DataFrame]):
    """What the door asks of parts whose records are rows of cells, which are written as ndjson."""

    nested: ClassVar[tuple[str, ...]]
    """Those of the columns whose cells are JSON."""

    def number(self, records: pl.DataFrame) -> int:
        """How many there are."""
        return records.height

    def take(self, records: pl.DataFrame, rows: I8) -> pl.DataFrame:
        """Some records, in this order."""
        return records[rows]

    def save(self, records: pl.DataFrame, place: Path) -> None:
        """Write records into a private file."""
        records.write_ipc(place, compression="lz4")

    def load(self, places: Sequence[Path]) -> pl.DataFrame:
        """Records that were saved, behind each other."""
        return pl.concat([pl.read_ipc(place) for place in places])

    def append(self, records: pl.DataFrame, file: BinaryIO) -> None:
        """Write records behind those of the public file."""
        append(records, file, "ndjson", nested=self.nested)

    def digest(self, records: pl.DataFrame) -> int:
        """The sum of the hashes of records."""
        return RowDigest(self._data.key)(records)


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
            batch = batch.select(pl.col(own).alias(name) for own, name in self.columns.items())
        cells = as_csv(batch) if self.escape else batch
        numbers = [self._hashed(column.alias("cell")).alias(column.name) for column in cells]
        hashes = pl.DataFrame(numbers).hash_rows(self.key).to_numpy()
        return int((hashes if times is None else hashes * times.astype(np.uint64)).sum(dtype=np.uint64))

    def _hashed(self, cells: pl.Series) -> pl.Series:
        """A number for each cell, the same for equal texts; of a list of labels each is looked at once."""
        if isinstance(cells.dtype, pl.Enum):
            labels = pl.Series("cell", [*cells.dtype.categories, None], dtype=pl.String)
            places = cells.to_physical().cast(pl.UInt32).fill_null(len(labels) - 1)
            return self._hashed(labels).gather(places)
        cell = pl.when(pl.col("cell") != "").then(pl.col("cell"))
        return as_text(cells).to_frame().select(cell.hash(self.key)).to_series()


def as_text(cells: pl.Series) -> pl.Series:
    """A cell as text, whatever else stands in its batch."""
    if cells.dtype.is_temporal():
        return cells.to_physical().cast(pl.String)
    return text(cells.cast(pl.String) if isinstance(cells.dtype, pl.Categorical | pl.Enum) else cells)


def random_numbers(n: int) -> U8:
    """So many numbers, uint64[n]: randomness that protects is the operating system's alone."""
    return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)


def other_records() -> RefusedError:
    """Why a file is refused that does not hold what was staged."""
    return RefusedError(
        "refused: the data reads back with other records than were staged; nothing was written"
    )
