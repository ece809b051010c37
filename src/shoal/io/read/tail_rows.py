"""Rows at the end of a table that are no records: totals and notes below them."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

import polars as pl

from shoal.io.read.layout import find_filled_cells
from shoal.io.read.total_rows import (
    THOUSANDS_SIGNS,
    NumberColumns,
    begins_with_word,
    is_numeric_text,
    is_rounded_sum,
    is_total,
    parse_numbers,
)

__all__ = ["TailRows", "ends_in_totals", "find_tail_rows"]

_TAIL_ROWS = 60  # from the end that may be no records
_MIN_NUMBER_SHARE = 0.9  # of the cells of a column of numbers are some
_MIN_RECORDS = 3  # from which sums tell something without a word
_MIN_PROSE_WORDS = 3
_SAMPLE_CELLS = 1000  # of a column that are looked at before all of them
_ENUMERATED = re.compile(r"[*†‡©#]|\(?\d{1,2}\)|\[\d{1,2}\]")
_RULE = re.compile(r"[\W_]{3,}")  # a line between the table and what is below it
_AMOUNT = re.compile(r"\W*\d")  # or how many there are of something


def ends_in_totals(rows: pl.LazyFrame) -> bool:
    """Whether the last rows of a table that is not read yet hold a word for totals before other cells, or no cell."""
    last_rows = rows.tail(_TAIL_ROWS).collect().fill_null("").rows()
    return any(
        not filled or is_total(row[filled[0]]) for row in last_rows for filled in [find_filled_cells(row)]
    )


@dataclass(slots=True)
class TailRows:
    """What stands below the last record of a table.

    last_record : the last row that is none of these
    totals      : by two witnesses
    notes       : by two witnesses
    witnesses   : what speaks for the lowest total, in words
    is_doubtful : whether one witness says that the last record is a total or a note
    """

    last_record: int
    totals: list[int] = field(default_factory=list)
    notes: list[int] = field(default_factory=list)
    witnesses: str = ""
    is_doubtful: bool = False


class _TailKind(Enum):
    RECORD = auto()
    DOUBTFUL = auto()
    NOTE = auto()
    TOTAL = auto()


class _TailFinding(NamedTuple):
    kind: _TailKind
    witnesses: str = ""


def find_tail_rows(frame: pl.DataFrame, is_kept: pl.Series, ragged: Collection[int]) -> TailRows:
    """Find totals and notes below the records, from the last row upwards to the first that is neither.

    Parameters
    ----------
    frame : pl.DataFrame
        All rows below the header as text.
    is_kept : pl.Series
        Which of them may be records: not blank, and not left out.
    ragged : collection of int
        Those with too few or too many cells.
    """
    judge = _TailJudge(frame, is_kept, ragged)
    tail = TailRows(frame.height - 1)
    while tail.last_record > judge.begin:
        index = tail.last_record
        finding = judge.find_kind(index)
        if finding is not None:
            if finding.kind is _TailKind.NOTE:
                tail.notes.insert(0, index)
            elif finding.kind is _TailKind.TOTAL:
                tail.totals.insert(0, index)
                tail.witnesses = tail.witnesses or finding.witnesses
            else:
                tail.is_doubtful = finding.kind is _TailKind.DOUBTFUL
                break
        tail.last_record -= 1
    return tail


class _SumCells(NamedTuple):
    """The columns of numbers, and those in which a row holds the sum of the numbers above it."""

    sums: list[int]
    numeric: set[int]


class _TailJudge:
    """What speaks for it that a row at the end of a table is a total or a note."""

    def __init__(self, frame: pl.DataFrame, is_kept: pl.Series, ragged: Collection[int]) -> None:
        self._frame, self._is_kept, self._ragged = frame, is_kept, ragged
        self.begin = max(0, frame.height - _TAIL_ROWS)
        cells = frame.slice(self.begin).fill_null("").rows()
        self._cells = {
            self.begin + offset: [str(cell).strip() for cell in row] for offset, row in enumerate(cells)
        }

    def find_kind(self, index: int) -> _TailFinding | None:
        """What a row is; None where it is blank or left out."""
        filled = find_filled_cells(self._cells[index])
        if not filled or not self._is_kept[index]:
            return None
        kind = self._find_note(index, filled)
        if kind is _TailKind.NOTE:
            return _TailFinding(kind)
        finding = self._find_total(index, filled)
        return _TailFinding(kind) if finding.kind is _TailKind.RECORD else finding

    # notes

    def _find_note(self, index: int, filled: list[int]) -> _TailKind:
        """Whether a row of few cells is a note: that it has few is one witness, and another is needed."""
        width = self._frame.width
        text = self._cells[index][filled[0]]
        if 2 * len(filled) > width or is_total(text):
            return _TailKind.RECORD
        is_prose = len(text.split()) >= _MIN_PROSE_WORDS
        is_marked = (
            begins_with_word(text, "notes")
            or _ENUMERATED.match(text) is not None
            or _RULE.fullmatch(text) is not None
        )
        has_gap, is_ragged = self._has_gap_above(index), index in self._ragged
        if len(filled) > 1:
            return _TailKind.NOTE if has_gap and (is_prose or is_marked or is_ragged) else _TailKind.RECORD
        witness_count = has_gap + is_prose + is_marked + is_ragged + (width > 2)
        if witness_count > 1:
            return _TailKind.NOTE
        return _TailKind.DOUBTFUL if has_gap or is_prose or is_marked else _TailKind.RECORD

    def _has_gap_above(self, index: int) -> bool:
        """Whether a blank row stands between a row and the records above it."""
        above = index - 1
        while above in self._cells:
            filled = find_filled_cells(self._cells[above])
            if 2 * len(filled) > self._frame.width:  # a record
                return False
            if not filled:
                return True
            above -= 1
        return False

    # totals

    def _find_total(self, index: int, filled: list[int]) -> _TailFinding:
        """Whether a row holds totals or means, and what speaks for it."""
        label = filled[0]
        has_word = is_total(self._cells[index][label]) and not self._occurs_above(index, label)
        if not has_word and int(self._is_kept[:index].sum()) < _MIN_RECORDS:
            return _TailFinding(_TailKind.RECORD)
        found_sums = self._find_sums(index, filled)
        text_columns = self._find_texts(index, filled, found_sums.numeric)
        number_count = sum(column in found_sums.numeric for column in filled)
        has_sums = 0 < len(found_sums.sums) and 2 * len(found_sums.sums) >= number_count
        if has_sums and (has_word or len(text_columns) <= 1):
            return _TailFinding(
                _TailKind.TOTAL,
                "a word says so, and its numbers are the sums of those above"
                if has_word
                else "it is the last, and its numbers are the sums of those above",
            )
        if has_word and self._are_means(index, filled):
            return _TailFinding(
                _TailKind.TOTAL, "a word says so, and its numbers are the means of those above"
            )
        if has_word and text_columns == [label]:
            return _TailFinding(_TailKind.TOTAL, "a word says so, it is the last and names nobody")
        return _TailFinding(_TailKind.DOUBTFUL if has_word or has_sums else _TailKind.RECORD)

    def _occurs_above(self, index: int, column: int) -> bool:
        """Whether a record above has the same text in a column."""
        cells = self._frame[self._frame.columns[column]][:index].filter(self._is_kept[:index]).fill_null("")
        return bool((cells.str.strip_chars() == self._cells[index][column]).any())

    def _find_texts(self, index: int, filled: list[int], numeric: set[int]) -> list[int]:
        """The filled columns with neither a number under numbers nor, in a row of few cells, an amount in words."""
        row = self._cells[index]
        is_sparse = 2 * len(filled) <= self._frame.width
        return [
            column
            for column in filled
            if not (column in numeric and is_numeric_text(row[column]))
            and not (is_sparse and _AMOUNT.match(row[column]))
        ]

    def _are_means(self, index: int, filled: list[int]) -> bool:
        """Whether half of the numbers of a row sum up all records above it, or those since the last row of totals."""
        row = self._cells[index]
        numeric = [column for column in filled if is_numeric_text(row[column])]
        numbers = NumberColumns(self._frame, self._is_kept, [])
        last_left_out = (~self._is_kept[:index]).arg_true()[-1:]
        begins = {0, *(last_left_out + 1).to_list()}
        matched = max(numbers.count_summaries(row, numeric, begin, index) for begin in begins)
        return 0 < matched and 2 * matched >= len(numeric)

    def _find_sums(self, index: int, filled: list[int]) -> _SumCells:
        """Find the cells of a row that are sums.

        A few cells tell of most columns that they hold no numbers, or that the row's number is no sum: it is among
        the others.
        """
        sums, numeric = [], set()
        for column in range(self._frame.width):
            for sign in THOUSANDS_SIGNS:
                sample = self._cells_above(index, column, _SAMPLE_CELLS)
                sample_numbers = parse_numbers(sample, sign).drop_nulls()
                if not len(sample) or len(sample_numbers) < _MIN_NUMBER_SHARE * len(sample):
                    continue
                numeric.add(column)
                if column not in filled:
                    continue
                number = parse_numbers(pl.Series([self._cells[index][column]]), sign)[0]
                if number is None or not _exceeds_all(number, sample_numbers):
                    continue
                numbers = parse_numbers(self._cells_above(index, column), sign).drop_nulls()
                total = float(numbers.sum())
                if _exceeds_all(number, numbers) and is_rounded_sum(number, total, len(numbers)):
                    sums.append(column)
                    break
        return _SumCells(sums, numeric)

    def _cells_above(self, index: int, column: int, most: int | None = None) -> pl.Series:
        """The cells of records above a row that are not empty, or those among the first so many rows."""
        end = index if most is None else min(index, most)
        cells = self._frame[self._frame.columns[column]][:end].filter(self._is_kept[:end]).fill_null("")
        return cells.filter(cells.str.strip_chars() != "")


def _exceeds_all(number: float, others: pl.Series) -> bool:
    """Whether a number is larger than all of several others."""
    return len(others) > 1 and number > float(others.max() or 0)  # type: ignore[arg-type]
