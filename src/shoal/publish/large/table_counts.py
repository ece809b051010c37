"""A released table counted where it lies: its different rows, by class, whatever its size."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.data.arrays import I4, I8
from shoal.engines import Frame
from shoal.io.read.cells import cell_texts, factorize
from shoal.io.write.table import unescape_cells
from shoal.parts.folder import PrivateFolder
from shoal.parts.judging import CountedRows, count_rows, view_rows
from shoal.parts.persons import add_persons
from shoal.parts.records import RunParts, write_run
from shoal.release import Claim, Verdict

__all__ = ["TableCounts"]

_BATCH = 1 << 17  # records of the file that are read together


@dataclass(frozen=True, repr=False)
class TableCounts(SafeRepr):
    """The different rows of a released file, read batch by batch.

    quasi, sensitive : the columns that were counted
    values  : by column, what its codes stand for
    rows    : the different rows, quasi-identifiers first
    records : how many records the file has
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    values: Mapping[str, tuple[str | None, ...]]
    rows: CountedRows
    records: int

    @classmethod
    def read(
        cls,
        frame: Frame,
        roles: Mapping[str, str],
        *,
        escaped: bool,
        size: int,
        folder: PrivateFolder,
        persons: I8 | None = None,
    ) -> "TableCounts":
        """Count the file that a frame scans, in buckets of about `size` records; csv cells may be `escaped`.

        `persons` says whom each record belongs to, in the order of the file.
        """
        quasi = tuple(name for name, role in roles.items() if role == "quasi")
        sensitive = tuple(name for name, role in roles.items() if role == "sensitive")
        names = [*quasi, *sensitive]
        number: dict[str, dict[str | None, int]] = {name: {} for name in names}
        path = folder.make("file")
        runs, sizes = list[Path](), list[int]()
        for batch in nw.to_native(frame.select(*names)).collect_batches(
            chunk_size=_BATCH, maintain_order=persons is not None, engine="streaming"
        ):
            cells = pl.DataFrame([_texts_of(batch[name]) for name in names])
            plain = unescape_cells(cells) if escaped else cells
            plain.columns = names
            codes = np.stack([_number_texts(plain[name], number[name]) for name in names], axis=1)
            if persons is not None:
                codes = add_persons(codes, persons[sum(sizes) : sum(sizes) + len(codes)])
            runs.append(path / f"{len(runs):06}")
            sizes.append(len(codes))
            write_run(runs[-1], codes, np.zeros(len(codes), dtype=np.int64), 1)
        values = {name: tuple(texts) for name, texts in number.items()}
        labels = [np.arange(len(values[name]), dtype=np.int64) for name in quasi]
        parts = RunParts(tuple(runs), tuple(sizes))
        place, mapper = folder.make("file classes"), folder.mapper
        rows = count_rows(parts, labels, size, place, mapper, persons=persons is not None)
        folder.drop("file")
        folder.drop("file classes")
        return cls(quasi, sensitive, values, rows, sum(sizes))

    def facts(self) -> dict[str, object]:
        """What may be shown: counts."""
        return {"records": self.records, "rows": len(self.rows.codes)}

    def judge(self, claim: Claim) -> Verdict:
        """Judge a claim on the counts."""
        values = {name: (len(self.quasi) + at, self.values[name]) for at, name in enumerate(self.sensitive)}
        return claim.check(view_rows(self.rows, values))

    def cells_of(self, name: str) -> pl.Series:
        """The cells of the different rows in a sensitive column."""
        codes = self.rows.codes[:, len(self.quasi) + self.sensitive.index(name)]
        return pl.Series(name, self.values[name], dtype=pl.String).gather(pl.Series(codes))


def _texts_of(cells: pl.Series) -> pl.Series:
    """Cells as texts that do not depend on what else stands in their batch; an empty one is null."""
    if isinstance(cells.dtype, pl.Datetime) and cells.dtype.time_zone is None:
        return cells.dt.strftime("%Y-%m-%dT%H:%M:%S%.f")
    return cell_texts(cells).replace("", None)


def _number_texts(cells: pl.Series, number: dict[str | None, int]) -> I4:
    """Texts in numbers that all batches share."""
    values, codes = factorize(cells)
    own = np.array([number.setdefault(value, len(number)) for value in values], dtype=np.int32)
    return np.asarray(own[codes], dtype=np.int32)
