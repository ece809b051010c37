"""Which released row is which original record: kept only on request, in the private folder."""

from pathlib import Path

import numpy as np
import polars as pl

from shoal.data.types import I8
from shoal.errors import InputError
from shoal.io.quiet import quiet
from shoal.io.write import on_disk

__all__ = ["ROWS", "read_rows", "write_rows"]

ROWS = "rows.parquet"
"""The file's name: columns `row` and `record`, both counted from 1."""


def write_rows(path: Path, rows: I8) -> None:
    """Write the original record behind each released row; nobody but the owner may read the file."""
    path.touch(mode=0o600)
    with on_disk(path) as file:
        pl.DataFrame({"row": np.arange(1, len(rows) + 1), "record": rows + 1}).write_parquet(file)


def read_rows(private: Path) -> I8 | None:
    """The original record behind each released row, from 0, if it is true; None where it was not kept.

    Raises
    ------
    InputError
        The file is not one that `write_rows` wrote.
    """
    path = private / ROWS
    if not path.is_file():
        return None
    wrong = InputError(f"{private.name}: {ROWS} is damaged; take it away or put the right one there")
    try:
        with path.open("rb") as file, quiet():
            frame = pl.read_parquet(file)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise wrong from None
    if (
        frame.schema != pl.Schema({"row": pl.Int64, "record": pl.Int64})
        or frame.null_count().sum_horizontal().item()
    ):
        raise wrong
    if (frame["row"].to_numpy() != np.arange(1, frame.height + 1)).any():
        raise wrong
    return np.asarray(frame["record"].to_numpy() - 1, dtype=np.int64)
