"""A first look at data that nobody has described: some records as they are, for their owner alone."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.io.cells import text
from shoal.io.source import from_frame
from shoal.io.sql import read_rows, tables_of
from shoal.io.tree_tables import files_of
from shoal.publish.study.propose.beginnings import Record, first_records
from shoal.report.words import short

__all__ = ["Part", "Sample", "look"]

_RECORDS = 20
_SIGNS = 80  # of a cell
_COLUMNS = 500
_TABLES = 20
_ENTRIES = 20  # of a list in a cell
_DEEPEST = 5


class _Anything:
    """Every name: what stands in a column is not refused here."""

    def __contains__(self, name: object) -> bool:
        return True


@dataclass(frozen=True, slots=True, repr=False)
class Part(Discreet):
    """Records of one table: its columns, cells as text (None where there is none), and whether more records follow."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str | None, ...]]
    more: bool


@dataclass(frozen=True, repr=False)
class Sample(Discreet):
    """Some records: of a file one part, of a folder or a database one for each table. It shows originals."""

    parts: tuple[Part, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "parts": [
                {
                    "name": part.name,
                    "columns": list(part.columns),
                    "rows": [list(row) for row in part.rows],
                    "more": part.more,
                }
                for part in self.parts
            ]
        }


def look(data: Any, *, rows: int = _RECORDS) -> Sample:
    """The first records of a file, a folder of tables, a database, a frame or nested records, whatever they are.

    Nothing is proposed, and most files are not read to their end. Long cells are cut; what is nested is told in words.

    Raises
    ------
    InputError
        It cannot be had, or is nothing that can be read.

    Examples
    --------
    >>> sample = look([{"name": "Ann", "visits": [{"ward": "A", "ill": ["flu", "gout"]}, {"ward": "B"}]}])
    >>> sample.parts[0].columns, sample.parts[0].rows[0]
    (('name', 'visits'), ('Ann', 'ward: A, ill: (flu, gout); ward: B'))
    """
    if isinstance(data, str) and "://" in data:
        return Sample(tuple(_table_of(data, name, rows) for name in islice(tables_of(data)[0], _TABLES)))
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        files = files_of(path) if path.is_dir() else {path.name: path}
        found = islice(files.items(), _TABLES)
        return Sample(tuple(_part(name, first_records(file, rows + 1), rows) for name, file in found))
    if isinstance(data, list) and all(isinstance(record, Mapping) for record in data):
        return Sample((_part("records", data, rows),))
    return Sample((_frame("frame", from_frame(data).frame.head(rows + 1), rows),))


def _table_of(url: str, table: str, rows: int) -> Part:
    try:
        source = read_rows(url, table, nested=_Anything(), most=rows + 1)
    except InputError:  # a table without rows, say
        return Part(table, (), (), more=False)
    return _frame(table, source.frame, rows)


def _frame(name: str, frame: pl.DataFrame, rows: int) -> Part:
    plain = [column if column.dtype.is_nested() else text(column) for column in _readable(frame)]
    return _part(name, list(pl.DataFrame(plain).iter_rows(named=True)), rows)


def _readable(frame: pl.DataFrame) -> Iterable[pl.Series]:
    kinds = (pl.Binary, pl.Object)
    return (column for column in frame.iter_columns() if column.dtype not in kinds)


def _part(name: str, records: Sequence[Record], rows: int) -> Part:
    some = records[:rows]
    columns = tuple(islice(dict.fromkeys(key for record in some for key in record), _COLUMNS))
    cells = [tuple(_cell(record.get(column)) for column in columns) for record in some]
    return Part(name, columns, cells, more=len(records) > rows)


def _cell(value: Any) -> str | None:
    return None if value is None else short(_words(value), _SIGNS)


def _words(value: Any, deep: int = 0) -> str:
    """A value in words: fields with their names, lists with commas, inner ones in brackets."""
    if deep > _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        told = ", ".join(f"{key}: {_inner(part, deep + 1)}" for key, part in value.items())
    elif isinstance(value, list | tuple):
        between = "; " if any(isinstance(part, Mapping) for part in value) else ", "
        cut = ["…"] if len(value) > _ENTRIES else []
        told = between.join([*(_words(part, deep + 1) for part in value[:_ENTRIES]), *cut])
    elif isinstance(value, bool):
        told = "true" if value else "false"
    elif isinstance(value, float):
        told = str(value).removesuffix(".0")  # Excel has no whole numbers; they are published without it too
    else:
        told = "" if value is None else str(value)
    return told


def _inner(value: Any, deep: int) -> str:
    told = _words(value, deep)
    return f"({told})" if isinstance(value, Mapping | list | tuple) else told
