"""How the column of items of a large file is read batch by batch, as it would be in memory."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.data import Baskets
from shoal.io.config import Config
from shoal.io.read.cells import cell_texts, clean_cells
from shoal.io.read.source import Source
from shoal.shapes.baskets.data import baskets_by_column

__all__ = ["ItemReader"]


@dataclass(frozen=True, slots=True, repr=False)
class ItemReader(SafeRepr):
    """Reads the baskets of a batch.

    config  : with the column of items alone
    name    : of that column
    file    : what messages call the file
    missing : texts that stand for a missing cell
    """

    config: Config
    name: str
    file: str
    missing: tuple[str, ...]

    @classmethod
    def of(
        cls,
        config: Config,
        name: str,
        file: str,
        missing: tuple[str, ...],
        batches: Callable[[], Iterator[pl.DataFrame]],
    ) -> "ItemReader":
        """Find out how items are separated, which the whole column tells."""
        spec = config.columns[name]
        if spec.separator is None and not all(_holds_json(batch[name], missing) for batch in batches()):
            spec = replace(spec, separator=" ")
        return cls(replace(config, columns={name: spec}), name, file, missing)

    def facts(self) -> dict[str, object]:
        """What may be shown: the column."""
        return {"column": self.name}

    def __call__(self, batch: pl.DataFrame) -> Baskets:
        """Read the basket of each row."""
        source = Source(batch.select(self.name), "polars", self.file, self.missing)
        return baskets_by_column(self.config, source)[0][self.name]


def _holds_json(cells: pl.Series, missing: tuple[str, ...]) -> bool:
    """Whether all cells are lists, as such or as JSON."""
    if cells.dtype.is_nested():
        return True
    return bool(clean_cells(cell_texts(cells), missing).drop_nulls().str.starts_with("[").all())
