"""Which released row is which original record: kept only on request, in the private folder."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from shoal.data.types import I8
from shoal.errors import InputError
from shoal.io.parquet_pages import scan_parquet
from shoal.io.quiet import quiet
from shoal.io.write import on_disk

__all__ = ["ROWS", "read_names", "read_rows", "write_rows"]

ROWS = "rows.parquet"
"""The file's name: columns `row` and `record`, both counted from 1, and `person` where the originals name people."""
_SCHEMA = pl.Schema({"row": pl.Int64, "record": pl.Int64})
_NAMED = pl.Schema({"row": pl.Int64, "record": pl.Int64, "person": pl.String})


def write_rows(path: Path, rows: I8, names: Sequence[str] | None = None) -> None:
    """Write the original record behind each released row; nobody but the owner may read the file.

    `names` are those of the originals' people, record by record: by them a person is known again in a later release
    of other data.
    """
    path.touch(mode=0o600)
    frame = pl.DataFrame({"row": np.arange(1, len(rows) + 1), "record": rows + 1})
    if names is not None:
        frame = frame.with_columns(person=pl.Series(names, dtype=pl.String).gather(pl.Series(rows)))
    with on_disk(path) as file:
        frame.write_parquet(file)


def read_rows(private: Path) -> I8 | None:
    """The original record behind each released row, from 0, if it is true; None where it was not kept.

    Raises
    ------
    InputError
        The file is not one that `write_rows` wrote.
    """
    frame = _read(private)
    return None if frame is None else np.asarray(frame["record"].to_numpy() - 1, dtype=np.int64)


def read_names(private: Path) -> list[str] | None:
    """The name of the person behind each released row; None where none was kept."""
    frame = _read(private)
    return None if frame is None or "person" not in frame.columns else frame["person"].to_list()


def _read(private: Path) -> pl.DataFrame | None:
    """The file as `write_rows` wrote it; None where there is none."""
    path = private / ROWS
    if not path.is_file():
        return None
    wrong = InputError(f"{private.name}: {ROWS} is damaged; remove it, or put the right one there")
    try:
        with quiet():
            frame = scan_parquet(path).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise wrong from None
    if frame.schema not in (_SCHEMA, _NAMED) or frame.null_count().sum_horizontal().item():
        raise wrong
    if (frame["row"].to_numpy() != np.arange(1, frame.height + 1)).any():
        raise wrong
    return frame
