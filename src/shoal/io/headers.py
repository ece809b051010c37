"""Names of columns in messages: the first line of a file without a header is somebody's record.

A name of the file is told only where the file plainly has a header: it holds at least half of the names that the user
gave, and no name looks like a cell. Otherwise columns are told by their places. What the user wrote is always told.
"""

import re
from collections.abc import Collection

import polars as pl

from shoal.errors import InputError
from shoal.io.source import Source
from shoal.naming import nearest, offered

__all__ = ["no_column", "no_role", "refuse_headless"]

_CELL = re.compile(r"[\d\s.,:;/+\-]*\d[\d\s.,:;/+\-TZ%€$]*|.*@.*|.{61,}", re.S)
"""Numbers, dates, amounts, mail addresses and sentences."""
_NEAR = 0.8
"""How like a name must be to be told all the same: what the user wrote, but for a slip."""


def no_column(source: Source, name: str, wanted: Collection[str]) -> InputError:
    """The fault that a column is not there, `wanted` being all the names that the user gave."""
    if _told(source.frame, wanted):
        return InputError(f"{source.name}: no column '{name}'; {offered(name, source.frame.columns)}")
    near = None if _has_cells(source.frame) else nearest(name, source.frame.columns, _NEAR)
    return InputError(
        f"{source.name}: no column '{name}' among the {source.frame.width} of the first line"
        f"{'' if near is None else f'; did you mean {near!r}?'}; check the spelling, and that the first line holds the "
        "names of the columns"
    )


def no_role(source: Source, bare: Collection[str], wanted: Collection[str], advice: str) -> InputError:
    """The fault that columns have no role; `wanted` are the names that have one."""
    if _told(source.frame, wanted):
        return InputError(f"{source.name}: no role for {', '.join(map(repr, bare))}; {advice}")
    place = source.frame.columns.index(next(iter(bare))) + 1
    return InputError(
        f"{source.name}: no role for {len(bare)} of {source.frame.width} columns, the first is column {place}; "
        f"check that the first line holds the names of the columns, and {advice}"
    )


def refuse_headless(source: Source) -> None:
    """Refuse a file whose first line looks like somebody's record: its names would be cells.

    Raises
    ------
    InputError
        A third of the names, and at least one, look like cells.
    """
    cells = sum(_looks_like_a_cell(source.frame[name]) for name in source.frame.columns)
    if cells and 3 * cells >= source.frame.width:
        raise InputError(
            f"{source.name}: {cells} of the {source.frame.width} cells of the first line look like somebody's record, "
            "not like the names of columns; write the names into the first line"
        )


def _told(frame: pl.DataFrame, wanted: Collection[str]) -> bool:
    """Whether the names of the columns may be told."""
    there = sum(name in frame.columns for name in wanted)
    return there > 0 and 2 * there >= len(wanted) and not _has_cells(frame)


def _has_cells(frame: pl.DataFrame) -> bool:
    return any(_looks_like_a_cell(frame[name]) for name in frame.columns)


def _looks_like_a_cell(column: pl.Series) -> bool:
    """Whether a name looks like data, or stands among the cells below it."""
    if _CELL.fullmatch(column.name):
        return True
    return column.dtype == pl.String and bool((column == column.name).any())
