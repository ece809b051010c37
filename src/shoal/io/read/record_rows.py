"""Which rows of a table are records: blank rows, names of columns again, totals and notes are none.

Nothing is left out by one witness alone. A row is one of totals where two of these speak for it: a word such as
"Total" in front of cells that are empty, numbers that are the sums of those above, its place behind all records.
"""

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import polars as pl

from shoal.base.errors import ShoalWarning
from shoal.io.read.layout import Layout, LayoutError, find_filled_cells, list_rows
from shoal.io.read.notation import is_unit
from shoal.io.read.tail_rows import TailRows, find_tail_rows
from shoal.io.read.total_rows import THOUSANDS_SIGNS, count_filled_in_row, find_subtotals, parse_numbers

__all__ = ["DoubtfulRowsWarning", "count_filled_cells", "drop_blank_columns", "record_mask"]

_MIN_HEADER_CELLS = 2
_MAX_GAPS = 20  # places where blank rows may part tables
_MIN_RECORDS = 3  # from which cells tell something of a column
_MIN_PROSE_WORDS = 3
_LABEL_COLUMNS = 3  # among which one says what a row is
_MAX_HEADING_SHARE = 0.2  # of the rows
_SAMPLE_CELLS = 1000  # of a column
_MIN_UNIT_COLUMNS = 2
_MAX_UNIT_LENGTH = 15
_QUALTRICS_IMPORT = '{"ImportId":'
_PEOPLE_PER_ANSWER = 5
_MIN_HEADING_COLUMNS = 4  # of which a heading leaves all but one empty
_NUMBERED = re.compile(r"\d(?<!m[23])")  # but for an area or a room


def drop_blank_columns(
    frame: pl.DataFrame, names: Sequence[str], name: str
) -> tuple[pl.DataFrame, list[str]]:
    """The columns that have a name or a cell, and their names; `frame` has its columns in the order of `names`."""
    blank = [
        column
        for column, header in zip(frame.columns, names, strict=True)
        if not header.strip() and frame[column].fill_null("").str.strip_chars().eq("").all()
    ]
    if not blank or len(blank) == len(names):
        return frame, list(names)
    _warn(f"{name}: {_count_phrase(len(blank), 'column')} without a name and without a cell left out")
    headers = [header for column, header in zip(frame.columns, names, strict=True) if column not in blank]
    return frame.drop(blank), headers


def count_filled_cells(frame: pl.DataFrame) -> pl.Series:
    """How many cells of each row are not blank.

    >>> count_filled_cells(pl.DataFrame({"a": ["x", " "], "b": ["y", None]})).to_list()
    [2, 0]
    """
    if not frame.width:  # nobody ever wrote into it
        return pl.Series([0] * frame.height, dtype=pl.Int64)
    return frame.select(pl.sum_horizontal(_IS_FILLED).cast(pl.Int64).alias("filled")).to_series()


_IS_FILLED = pl.all().fill_null("").str.strip_chars() != ""


class DoubtfulRowsWarning(ShoalWarning):
    """Rows were taken for records that may be totals, means or notes."""


def _warn(sentence: str, kind: type[ShoalWarning] = ShoalWarning) -> None:
    warnings.warn(sentence, kind, stacklevel=3)


@dataclass(frozen=True, slots=True)
class _TableRows:
    """The rows of a table below its header, and how messages call them.

    frame     : all rows as text, blank ones too
    name      : what messages call the file
    layout    : where the table stands, as far as it is known
    first     : the number of the first row; the others are called by their index from 0
    is_filled : which rows are not blank
    """

    frame: pl.DataFrame
    name: str
    layout: Layout
    first: int
    is_filled: pl.Series

    def read_row(self, index: int) -> list[str]:
        """The cells of a row, without blanks around them."""
        return [str(cell or "").strip() for cell in self.frame.row(index)]

    def read_column(self, column: int, begin: int = 0, end: int | None = None) -> pl.Series:
        """The cells of a column from one row to another, without blanks around them."""
        return self.frame[self.frame.columns[column]][begin:end].fill_null("").str.strip_chars()

    def list_numbers(self, indices: Sequence[int]) -> str:
        """The numbers of some rows, in words."""
        return list_rows([index + self.first for index in indices])

    def error_of_last(self, last_record: int, reason: str) -> LayoutError:
        """The refusal of a table whose records end above its last row."""
        last = last_record + self.first
        layout = replace(self.layout, last=last, why={**self.layout.why, "last": reason})
        number = self.first + self.frame.height - 1
        return LayoutError(self.name, layout, "last", f" (or last = {number} if all of them are records)")

    def error_of_skip(self, indices: Iterable[int], reason: str) -> LayoutError:
        """The refusal of a table with rows between its records that are none."""
        numbers = tuple(sorted(index + self.first for index in indices))
        layout = replace(self.layout, skip=numbers, why={**self.layout.why, "skip": reason})
        return LayoutError(self.name, layout, "skip", " (or skip = [] if all of them are records)")


def record_mask(
    frame: pl.DataFrame, name: str, layout: Layout, shown: int, below: int = 0, *, ragged: Iterable[int] = ()
) -> pl.Series:
    """Which rows are records, as truth values; what is left out is counted and told.

    Parameters
    ----------
    frame : pl.DataFrame
        All rows below the header as text, blank ones too.
    name : str
        What messages call the file.
    layout : Layout
    shown : int
        The number of the first row of `frame`.
    below : int
        How many rows below the last one were not even read.
    ragged : iterable of int
        Rows with too few or too many cells: no records, wherever else they stand.

    Raises
    ------
    LayoutError
        There are totals or notes below the records, or totals between them.
    """
    number = pl.Series(range(shown, shown + frame.height), dtype=pl.Int64)
    is_blank = _find_blank_rows(frame)
    rows = _TableRows(frame, name, layout, shown, ~is_blank)
    if layout.skip is None:
        _refuse_inner_rows(rows)
    is_skipped = number.is_in(sorted(layout.skipped)) & ~is_blank
    is_record = ~is_blank & ~is_skipped
    if layout.last is not None:
        is_below = number > layout.last
        below += int((~is_blank & is_below).sum())
        is_record &= ~is_below
    else:
        _refuse_second_table(rows)
        _refuse_tail(rows, find_tail_rows(frame, is_record, {row - shown for row in ragged}))
    if below:
        _warn(f"{name}: {_count_phrase(below, 'row')} below row {layout.last} left out, no record")
    if skipped_count := int(is_skipped.sum()):
        _warn(f"{name}: {_count_phrase(skipped_count, 'row')} that skip names left out, no record")
    if blank_count := int(is_blank[: max(_find_last(is_record), 0)].sum()):
        _warn(f"{name}: {_count_phrase(blank_count, 'row')} without any cell left out")
    return is_record


def _find_blank_rows(frame: pl.DataFrame) -> pl.Series:
    """Which rows have no cell; of a single column, where somebody may have no value, those below all others."""
    if not frame.width:
        return pl.repeat(value=True, n=frame.height, eager=True)
    is_filled = frame.select(pl.any_horizontal(_IS_FILLED).alias("filled")).to_series()
    if frame.width == 1:
        return pl.Series(range(frame.height), dtype=pl.Int64) > _find_last(is_filled)
    return ~is_filled


def _find_last(mask: pl.Series) -> int:
    """The last index that is true, -1 where none is."""
    indices = mask.arg_true()
    return int(indices[-1]) if len(indices) else -1


# --- rows between records


class _RowFinding(NamedTuple):
    """Rows that are no records, and the words for them, with a place for their numbers."""

    indices: list[int]
    words: str


def _refuse_inner_rows(rows: _TableRows) -> None:
    """Refuse rows between records that are none; warn of those that a word alone calls subtotals."""
    subtotals = find_subtotals(rows.frame, rows.is_filled)
    all_findings = (
        _RowFinding(_find_units(rows), "units of numbers in row {}"),
        _RowFinding(_find_questions(rows), "questions in row {}"),
        _RowFinding(_find_headings(rows), "headings in row {}, alone in their rows"),
        _RowFinding(_find_repeated_headers(rows.frame), "names of columns again in row {}"),
        _RowFinding(subtotals.certain, "totals or means in row {}, by their numbers"),
    )
    findings = [finding for finding in all_findings if finding.indices]
    if findings:
        descriptions = [finding.words.format(rows.list_numbers(finding.indices)) for finding in findings]
        reason = f"among the records stand {' and '.join(descriptions)}"
        raise rows.error_of_skip({index for finding in findings for index in finding.indices}, reason)
    if subtotals.doubtful:
        _warn(
            f"{rows.name}: row {rows.list_numbers(subtotals.doubtful)} may be subtotals, by a word alone; they are "
            "taken for records; if they are not, list them in skip",
            DoubtfulRowsWarning,
        )


def _find_repeated_headers(frame: pl.DataFrame) -> list[int]:
    """The rows that repeat the names of all columns; of a single column they may be somebody's."""
    if frame.width < _MIN_HEADER_CELLS:
        return []
    conditions = (pl.col(name).str.strip_chars() == name.strip() for name in frame.columns)
    return (
        frame.select(pl.all_horizontal(*conditions).fill_null(value=False)).to_series().arg_true().to_list()
    )


def _find_units(rows: _TableRows) -> list[int]:
    """The first row where it names the units of the numbers below it, as "cm" or "mg/l".

    Over other columns it may say something that is no value of theirs.
    """
    if rows.frame.height < _MIN_RECORDS:
        return []
    row = rows.read_row(0)
    filled = find_filled_cells(row)
    units = {column: row[column].strip("()[]") for column in filled}
    if any(len(unit) > _MAX_UNIT_LENGTH or _NUMBERED.search(unit) for unit in units.values()):
        return []
    below = {column: rows.read_column(column, 1, _SAMPLE_CELLS) for column in filled}
    numeric = [column for column, cells in below.items() if _shows_numbers(cells.filter(cells != ""))]
    unit_count = sum(is_unit(units[column]) for column in numeric)
    if unit_count < max(_MIN_UNIT_COLUMNS, len(filled) / 2):
        return []
    names_values = any(row[column] in below[column] for column in filled if column not in numeric)
    return [] if names_values else [0]  # "m/f" over sexes, which nobody is


def _find_questions(rows: _TableRows) -> list[int]:
    """The first rows where they ask what the rows below answer, as exports of questionnaires do.

    Qualtrics writes the questions below the names of columns, and below those, in each cell, by what it imports them.
    """
    first_rows = [rows.read_row(index) for index in range(min(2, rows.frame.height))]
    for index, row in enumerate(first_rows):
        filled = find_filled_cells(row)
        if filled and all(row[column].startswith(_QUALTRICS_IMPORT) for column in filled):
            return list(range(index + 1))
    question_count = choice_count = 0
    for column in find_filled_cells(first_rows[0]) if first_rows else ():
        text = first_rows[0][column]
        answers = rows.frame[rows.frame.columns[column]][1:_SAMPLE_CELLS].drop_nulls().str.strip_chars()
        if answers.n_unique() * _PEOPLE_PER_ANSWER <= len(answers):  # answers to choose from
            choice_count += 1
            question_count += len(text.split()) >= _MIN_PROSE_WORDS and text not in answers
    return [0] if question_count >= _MIN_RECORDS and 2 * question_count > choice_count else []


def _find_headings(rows: _TableRows) -> list[int]:
    """The rows that are alone with one cell, of which the first stands above all records.

    A row of which only one cell is known may be somebody's. But where the first row is one, and more follow, each says
    what the rows below it have in common.
    """
    frame = rows.frame
    begin = next(iter(rows.is_filled.arg_true()), None)
    if begin is None or frame.width < _MIN_HEADING_COLUMNS or count_filled_in_row(frame, begin) != 1:
        return []
    cell_counts = count_filled_cells(frame)
    headings = (cell_counts == 1).arg_true().to_list()
    (column,) = find_filled_cells(rows.read_row(begin))
    stand_in_one_column = all(rows.read_row(index)[column] for index in headings)
    cells_of_records = cell_counts.filter(rows.is_filled & (cell_counts > 1))
    full_count = int((2 * cells_of_records > frame.width).sum())
    are_headings = (
        stand_in_one_column
        and column < _LABEL_COLUMNS
        and 1 < len(headings) <= _MAX_HEADING_SHARE * frame.height
        and 2 * full_count > len(cells_of_records)
    )
    return headings if are_headings else []


def _shows_numbers(cells: pl.Series) -> bool:
    """Whether most cells are numbers; some may be words for no value, or lie below what can be measured."""
    return any(2 * len(parse_numbers(cells, sign).drop_nulls()) > len(cells) for sign in THOUSANDS_SIGNS)


# --- rows below records


def _refuse_second_table(rows: _TableRows) -> None:
    """Refuse what stands behind blank rows under names of its own: another table.

    Where blank rows part all records, as in a list with wide lines, none of them is looked at.
    """
    filled_rows = rows.is_filled.arg_true().cast(pl.Int64)
    gaps = (filled_rows.diff() > 1).arg_true()
    for gap in gaps if len(gaps) <= _MAX_GAPS else ():
        last_record, begin = filled_rows[gap - 1], filled_rows[gap]
        if _is_header(rows, begin):
            raise rows.error_of_last(
                last_record,
                f"below the records in row {last_record + rows.first} and blank rows, another table begins in row "
                f"{begin + rows.first}",
            )


def _is_header(rows: _TableRows, index: int) -> bool:
    """Whether a row names columns: no row above has its words, and some column has numbers only above or only below."""
    row = rows.read_row(index)
    filled = find_filled_cells(row)
    if len(filled) < _MIN_HEADER_CELLS or any(_NUMBERED.search(row[column]) for column in filled):
        return False
    is_kind_changed = False
    for column in filled:
        above, below = rows.read_column(column, 0, index), rows.read_column(column, index + 1)
        above, below = above.filter(above != ""), below.filter(below != "")
        if row[column] in above or len(below) < _MIN_RECORDS:
            return False
        is_kind_changed |= len(above) >= _MIN_RECORDS and _shows_numbers(above) != _shows_numbers(below)
    return is_kind_changed


def _refuse_tail(rows: _TableRows, tail: TailRows) -> None:
    """Refuse rows behind the records that two witnesses call totals or notes; warn of one that one witness does."""
    descriptions = []
    if tail.totals:
        numbers = rows.list_numbers(tail.totals)
        subject = f"row {numbers} holds" if len(tail.totals) == 1 else f"rows {numbers} hold"
        descriptions.append(f"{subject} totals ({tail.witnesses})")
    if tail.notes:
        numbers = rows.list_numbers(tail.notes)
        descriptions.append(
            f"row {numbers} is a note" if len(tail.notes) == 1 else f"rows {numbers} are notes"
        )
    last_number = tail.last_record + rows.first
    if descriptions:
        reason = f"below the records in row {last_number}, {' and '.join(descriptions)}"
        raise rows.error_of_last(tail.last_record, reason)
    if tail.is_doubtful:
        _warn(
            f"{rows.name}: row {last_number} may be a total or a note, but only one sign says so; it is taken for a "
            f"record; if it is not, write last = {last_number - 1} into [data]",
            DoubtfulRowsWarning,
        )


def _count_phrase(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
