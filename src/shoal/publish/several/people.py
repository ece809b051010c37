"""Who is who in several releases: by the names that data have for people, or by the number of a record in one file."""

from typing import Any

import numpy as np
import polars as pl

from shoal.data.types import I8
from shoal.io.cells import text
from shoal.io.persons import named

__all__ = ["names_of", "numbered", "same_names"]


def names_of(dataset: Any) -> list[str] | None:
    """The name of each record's person: of `person`, or of the first identifier; None where data have none."""
    holder = getattr(dataset, "people", dataset)
    given, frame = getattr(holder, "given", None), getattr(getattr(holder, "source", None), "frame", None)
    if given is None or not isinstance(frame, pl.DataFrame) or frame.height != dataset.records:
        return None
    persons = getattr(getattr(holder, "table", None), "persons", None)
    for name in frame.columns:
        if given.get(name, "identifier") != "identifier":
            continue
        cells = named(text(frame[name]))
        if not cells.null_count() and (
            cells.n_unique() == len(cells) if persons is None else _same(cells, persons)
        ):
            return cells.to_list()
    return None


def same_names(dataset: Any, rows: I8, names: list[str] | None) -> bool:
    """Whether some records of data are the people of these names; where either has no names, nothing contradicts it."""
    own = None if names is None else names_of(dataset)
    return own is None or [own[row] for row in rows.tolist()] == names


def numbered(*lists: list[str]) -> list[I8]:
    """Numbers for names, equal where names are, in all lists.

    >>> [numbers.tolist() for numbers in numbered(["Ann", "Bo"], ["Bo", "Cy", "Bo"])]
    [[0, 1], [1, 2, 1]]
    """
    seen: dict[str, int] = {}
    return [np.array([seen.setdefault(name, len(seen)) for name in names], dtype=np.int64) for names in lists]


def _same(cells: pl.Series, persons: I8) -> bool:
    """Whether names and numbers tell the same persons apart."""
    pairs = pl.DataFrame({"name": cells, "person": persons}).unique().height
    return pairs == cells.n_unique() == len(np.unique(persons))
