"""Tables of text cells as offices have them: where the table stands in its file, and its records.

What stands above the header or below the last row may be anything. The rows between are proven tidy and read by polars,
else one by one.
"""

import csv
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import polars as pl

from shoal.errors import InputError
from shoal.io.read.delimited import (
    check_header,
    checked_delimiter,
    decoding,
    detect_delimiter,
    is_tidy,
    lines_of,
    name_header,
    refuse_same_names,
    rows_from,
    stated_delimiter,
    unequal,
)
from shoal.io.read.layout import SAMPLE, Layout, find_header, join_header
from shoal.io.read.record_rows import kept_rows, without_blank_columns

__all__ = ["TextTable", "locate_table", "read_text_table"]

_BATCH = 1 << 16
_RAGGED = 1000  # rows of another width, none of which is a record
_DEEPEST = 100_000  # rows above a header


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table in a text file: where its records begin, what its columns are called, and how it is laid out.

    start : how many bytes stand before the first record
    lines : how many line ends do
    """

    path: Path
    name: str
    separator: str
    names: list[str]
    layout: Layout
    start: int
    lines: int

    @property
    def first(self) -> int:
        """The number of the first row below the header."""
        return self.layout.header[-1] + 1

    @property
    def most(self) -> int | None:
        """How many rows the table has at most."""
        return None if self.layout.last is None else max(0, self.layout.last - self.layout.header[-1])

    @property
    def is_tidy(self) -> bool:
        """Whether the rows of the table can be read by polars."""
        whole = all(name.strip() for name in self.names[1:])
        return whole and is_tidy(self.path, ord(self.separator), len(self.names), self.start, self.most)


def locate_table(path: Path, name: str, separator: str, layout: Layout) -> TextTable:
    """Find the header, and where the records below it begin.

    Raises
    ------
    LayoutError
        The names of columns are not where they are looked for.
    InputError
        The file is empty, or a column has no name.
    """
    begin = stated_delimiter(path)[1]
    sample = max(SAMPLE, *layout.header, layout.above + 1) if layout.header or layout.above else SAMPLE
    if sample > _DEEPEST:
        raise InputError(f"{name}: no table has its header below row {_DEEPEST}; correct header or skip")
    rows: list[list[str]] = []
    ends: list[tuple[int, int]] = []
    with path.open(encoding="utf-8", newline="") as file:
        file.seek(begin)
        taken = _LineCount(lines_of(file, name), begin)
        reader = csv.reader(taken, delimiter=separator)
        try:
            for row in islice(reader, sample):
                rows.append(row)
                ends.append((taken.bytes, taken.ends))
        except csv.Error:
            pass  # whoever reads all of it tells where
    layout = find_header(rows, name, layout)
    if not layout.header:
        check_header([], name)
    names = join_header([rows[row - 1] for row in layout.header])
    start, lines = ends[layout.header[-1] - 1]
    return TextTable(path, name, separator, names, layout, start, lines + bool(begin))


class _LineCount:
    """Lines, and how many bytes and line ends were taken so far."""

    def __init__(self, lines: Iterator[str], begin: int) -> None:
        self.lines, self.bytes, self.ends = lines, begin, 0

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            self.bytes += len(line.encode())
            self.ends += line.count("\n")
            yield line


def read_text_table(path: Path, name: str, delimiter: str | None, layout: Layout) -> pl.DataFrame:
    """Read the records of a UTF-8 file without byte order mark, wherever the table stands in it, every cell as text.

    Raises
    ------
    LayoutError
        The rows say that the table stands elsewhere.
    InputError
        As `read_delimited` does.
    """
    with decoding(path, name):
        separator = checked_delimiter(delimiter) or detect_delimiter(path)
        return _records(locate_table(path, name, separator, layout))


def _records(table: TextTable) -> pl.DataFrame:
    frame = _fast(table) if table.is_tidy else None
    ragged: dict[int, InputError] = {}
    below = 0
    if frame is None:
        frame, ragged, below = _gathered(table)
    elif table.most is not None:
        below = _count_below(table, table.most)
    refuse_same_names(table.names, table.name, table.layout.header[-1])
    frame, names = without_blank_columns(frame, table.names, table.name)
    header = name_header(names)
    check_header(header, table.name, table.layout.header[-1])
    frame = frame.rename(dict(zip(frame.columns, header, strict=True)))
    keep = kept_rows(frame, table.name, table.layout, table.first, below, ragged=ragged)
    for row, error in ragged.items():
        if row - table.first < len(keep) and keep[row - table.first]:
            raise error
    return frame if keep.all() else frame.filter(keep)


def _fast(table: TextTable) -> pl.DataFrame | None:
    """The rows of a tidy table, its columns called by their places."""
    try:
        frame = pl.read_csv(
            table.path,
            separator=table.separator,
            infer_schema=False,
            has_header=False,
            skip_lines=table.lines,
            n_rows=table.most,
            new_columns=[f"{place}" for place in range(len(table.names))],
            glob=False,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    return frame.with_columns(pl.all().fill_null("")) if frame.width == len(table.names) else None


def _gathered(table: TextTable) -> tuple[pl.DataFrame, dict[int, InputError], int]:
    """All rows below the header, those of another width, and how many stand below the last."""
    width, below = len(table.names), 0
    ragged: dict[int, InputError] = {}
    schema = {f"{place}": pl.String for place in range(width)}
    parts, batch = [pl.DataFrame(schema=schema)], []
    with closing(rows_from(table.path, table.name, table.separator, table.start, table.lines)) as found:
        for row, (line, cells) in enumerate(found, table.first):
            if table.layout.last is not None and row > table.layout.last:
                below += any(cells)
                if below > _BATCH:
                    break
                continue
            if len(cells) != width:
                if len(cells) < width or any(cells[width:]):
                    error = unequal(table.name, line, len(cells), width)
                    if any(cells):
                        ragged[row] = error
                    if len(ragged) > _RAGGED:
                        raise next(iter(ragged.values()))
                cells = [*cells[:width], *[""] * (width - len(cells))]
            batch.append(cells)
            if len(batch) == _BATCH:
                parts.append(pl.DataFrame(batch, schema=schema, orient="row"))
                batch = []
    parts.append(pl.DataFrame(batch, schema=schema, orient="row"))
    return pl.concat(parts), ragged, below


def _count_below(table: TextTable, most: int) -> int:
    """How many rows that are not blank stand below the last, up to a number that nobody needs exactly."""
    with closing(rows_from(table.path, table.name, table.separator, table.start, table.lines)) as found:
        behind = islice(found, most, most + _BATCH)
        return sum(any(cell.strip() for cell in cells) for _, cells in behind)
