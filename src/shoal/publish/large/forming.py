"""What is staged of each batch of a large release; it travels to wherever records lie."""

from dataclasses import dataclass

import polars as pl

from shoal.io.write.table import Pieces

__all__ = ["Forming"]


@dataclass(frozen=True, slots=True)
class Forming:
    """Records as they are published.

    writer : how their cells are written
    gone   : the labels of classes that are left out, by the columns of the stage
    """

    writer: Pieces
    gone: pl.DataFrame

    def __call__(self, batch: pl.DataFrame) -> pl.DataFrame:
        """The records of a batch that are kept, their cells as they are written."""
        if self.gone.height:
            names = self.gone.columns
            gone = self.gone.select(pl.col(name).cast(batch.schema[name]) for name in names)
            batch = batch.join(gone, on=names, how="anti", nulls_equal=True)
        return self.writer.form(batch)
