"""Which released row is which original record, kept in the private folder alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.base.errors import InputError
from shoal.data.arrays import I8
from shoal.io.read.cells import cell_texts, normalize_names
from shoal.io.read.files import LIMIT
from shoal.io.read.parquet import read_parquet
from shoal.io.write.table import open_durable

__all__ = [
    "ROWS",
    "number_names",
    "person_names_of",
    "read_names",
    "read_rows",
    "same_names",
    "write_rows",
]


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
    with open_durable(path) as file:
        frame.write_parquet(file)


def read_rows(private: Path) -> I8 | None:
    """The original record behind each released row, from 0, if it is true; None where it was not kept.

    Raises
    ------
    InputError
        The file is not one that `write_rows` wrote.
    """
    frame = _read_row_map(private)
    return None if frame is None else np.asarray(frame["record"].to_numpy() - 1, dtype=np.int64)


def read_names(private: Path) -> list[str] | None:
    """The name of the person behind each released row; None where none was kept."""
    frame = _read_row_map(private)
    return None if frame is None or "person" not in frame.columns else frame["person"].to_list()


def _read_row_map(private: Path) -> pl.DataFrame | None:
    """The file as `write_rows` wrote it; None where there is none."""
    path = private / ROWS
    if not path.is_file():
        return None
    damage_error = InputError(f"{private.name}: {ROWS} is damaged; remove it, or put the right one there")
    try:
        frame = read_parquet(path, LIMIT)
    except OSError:
        raise damage_error from None
    if frame.schema not in (_SCHEMA, _NAMED) or frame.null_count().sum_horizontal().item():
        raise damage_error
    if (frame["row"].to_numpy() != np.arange(1, frame.height + 1)).any():
        raise damage_error
    return frame


def person_names_of(dataset: Any) -> list[str] | None:
    """The name of each record's person: of `person`, or of the first identifier; None where data have none."""
    holder = getattr(dataset, "people", dataset)
    role_by_name, frame = (
        getattr(holder, "given", None),
        getattr(getattr(holder, "source", None), "frame", None),
    )
    if role_by_name is None or not isinstance(frame, pl.DataFrame) or frame.height != dataset.records:
        return None
    persons = getattr(getattr(holder, "table", None), "persons", None)
    for name in frame.columns:
        if role_by_name.get(name, "identifier") != "identifier":
            continue
        cells = normalize_names(cell_texts(frame[name]))
        if not cells.null_count() and (
            cells.n_unique() == len(cells) if persons is None else _are_same_persons(cells, persons)
        ):
            return cells.to_list()
    return None


def same_names(dataset: Any, rows: I8, names: list[str] | None) -> bool:
    """Whether some records of data are the people of these names; where either has no names, nothing contradicts it."""
    own_names = None if names is None else person_names_of(dataset)
    return own_names is None or [own_names[row] for row in rows.tolist()] == names


def number_names(*lists: list[str]) -> list[I8]:
    """Numbers for names, equal where names are, in all lists.

    >>> [numbers.tolist() for numbers in number_names(["Ann", "Bo"], ["Bo", "Cy", "Bo"])]
    [[0, 1], [1, 2, 1]]
    """
    number_of_name: dict[str, int] = {}
    return [
        np.array([number_of_name.setdefault(name, len(number_of_name)) for name in names], dtype=np.int64)
        for names in lists
    ]


def _are_same_persons(cells: pl.Series, persons: I8) -> bool:
    """Whether names and numbers tell the same persons apart."""
    pairs = pl.DataFrame({"name": cells, "person": persons}).unique().height
    return pairs == cells.n_unique() == len(np.unique(persons))
