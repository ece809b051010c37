"""Rows of totals and means: the words that name them, and the numbers that sum up other rows."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.base.naming import resource_table
from shoal.data.arrays import B1, F8, I8
from shoal.io.read.layout import find_filled_cells

__all__ = [
    "THOUSANDS_SIGNS",
    "NumberColumns",
    "Subtotals",
    "begins_with_word",
    "count_filled_in_row",
    "find_subtotals",
    "is_numeric_text",
    "is_rounded_sum",
    "is_total",
    "parse_numbers",
]

THOUSANDS_SIGNS = (",", ".")
"""What may part thousands; the other one stands before decimals."""

_LABEL_COLUMNS = 3  # among which one says what a row is
_MAX_SUBTOTALS = 1000
_MAX_SUBTOTAL_SHARE = 0.2  # of the rows
_MAX_ROWS_WITH_MEANS = 20_000  # larger tables have no means between their records
_MAX_TEXT_CELLS = 2  # of a row of totals
_TAIL_ROWS = 60  # at the end, where totals and notes stand
_MIN_RECORDS = 3  # from which numbers tell something without a word
_MIN_BLOCK_RECORDS = 2
_MIN_MEAN_CELLS = 2  # of a row that holds means and no word
_ROUNDING_SLACK = 1e-9
_COUNTED = re.compile(r"[\s.:]*(?:[\d.,]+|of .*|for .*|de .*|der .*|des .*|n\s*=.*)?[\s.:]*")


# --- words


def is_total(text: str) -> bool:
    """Whether a text is a word for totals or means, alone or with a number behind it.

    >>> is_total("Gesamt"), is_total("Total (n=12)"), is_total("Total Care")
    (True, True, False)
    """
    return begins_with_word(text, "totals")


def begins_with_word(text: str, kind: str) -> bool:
    """Whether a cell begins with one of the words for "totals" or "notes", or is one."""
    words: list[str] = resource_table("shoal.io.read", "layout.toml")[kind]
    folded = text.strip().casefold().lstrip("*-=–— ")
    for word in words:
        if folded == word:
            return True
        if folded.startswith(word):
            remainder = folded[len(word) :]
            if remainder.lstrip().startswith((":", "(", "=", "-")) or (
                kind == "totals" and _COUNTED.fullmatch(remainder)
            ):
                return True
    return False


class _WordedRow(NamedTuple):
    """A row that has a word for totals in its first cell that is not blank.

    cells             : without blanks around them
    numeric           : the columns whose cells are numbers
    text_count        : how many cells are texts
    begins_with_total : whether the word stands first: true of "Total Rome", not of "Subtotal Rome"
    """

    row_index: int
    cells: list[str]
    numeric: list[int]
    text_count: int
    begins_with_total: bool


def _find_worded_rows(frame: pl.DataFrame) -> list[_WordedRow]:
    """The rows with a word for totals in their first cell; none where so many have it that it is a usual word."""
    words = "|".join(map(re.escape, resource_table("shoal.io.read", "layout.toml")["totals"]))
    word = re.compile(rf"(?i)(?:^|[\W_])(?:{words})(?:$|[\W_])")
    candidates: set[int] = set()
    for column in frame.columns[:_LABEL_COLUMNS]:
        candidates |= {*frame[column].fill_null("").str.contains(word.pattern).arg_true().to_list()}
    if len(candidates) > min(_MAX_SUBTOTALS, _MAX_SUBTOTAL_SHARE * frame.height):
        return []
    worded_rows = []
    for index in sorted(candidates):
        cells = [str(cell or "").strip() for cell in frame.row(index)]
        filled = find_filled_cells(cells)
        label = cells[filled[0]]
        if word.search(label):
            numeric = [column for column in filled if is_numeric_text(cells[column])]
            text_count = len(filled) - len(numeric)
            worded_rows.append(_WordedRow(index, cells, numeric, text_count, is_total(label)))
    return worded_rows


# --- numbers


def parse_numbers(cells: pl.Series, thousands: str) -> pl.Series:
    """Cells as numbers, where this sign parts thousands; what is no number is null."""
    bare = cells.str.replace_all(r"[\s' €$£%]|CHF|kr|EUR|USD", "").str.replace_all(
        thousands, "", literal=True
    )
    if thousands == ".":
        bare = bare.str.replace_all(",", ".", literal=True)
    return bare.cast(pl.Float64, strict=False)


def is_numeric_text(text: str) -> bool:
    """Whether a cell is a number, in either way of writing it."""
    return any(parse_numbers(pl.Series([text]), sign)[0] is not None for sign in THOUSANDS_SIGNS)


def is_rounded_sum(number: float, total: float, count: int) -> bool:
    """Whether a number is the `total` of `count` others, but for how these were rounded."""
    return abs(number - total) <= max(0.006, min(0.005 * count, 1e-3 * abs(total)))


@dataclass(frozen=True, slots=True)
class _NumberColumn:
    """A column as numbers, in one way of writing them.

    numbers : float64[rows], NaN where there is none
    sums    : float64[rows + 1], the sum of the records above each row
    counts  : int64[rows + 1], how many records above each row have a number
    """

    numbers: F8
    sums: F8
    counts: I8


class NumberColumns:
    """The columns of a table as numbers, in both ways of writing them, with sums over blocks of rows.

    Rows of totals count for nothing in them.
    """

    def __init__(self, frame: pl.DataFrame, is_record: pl.Series, totals: Sequence[int]) -> None:
        self._frame, self._is_record = frame, is_record.to_numpy().copy()
        self._is_record[list(totals)] = False
        self._loaded: dict[tuple[int, str], _NumberColumn] = {}

    def _load_column(self, column: int, thousands: str) -> _NumberColumn:
        if (column, thousands) not in self._loaded:
            cells = self._frame[self._frame.columns[column]].fill_null("")
            numbers = parse_numbers(cells, thousands).to_numpy().astype(np.float64)
            is_counted = self._is_record & np.isfinite(numbers)
            sums = np.r_[0.0, np.cumsum(np.where(is_counted, numbers, 0.0))]
            counts = np.r_[0, np.cumsum(is_counted)]
            self._loaded[column, thousands] = _NumberColumn(numbers, sums, counts)
        return self._loaded[column, thousands]

    def count_summaries(self, cells: Sequence[str], columns: Sequence[int], begin: int, end: int) -> int:
        """How many cells of a row, of these columns, are the sum, the mean or the number of the records in a block."""
        record_count = str(int(self._is_record[begin:end].sum()))
        return sum(
            cells[column] == record_count
            or any(self._is_sum_or_mean(cells[column], column, sign, begin, end) for sign in THOUSANDS_SIGNS)
            for column in columns
        )

    def _is_sum_or_mean(self, cell: str, column: int, thousands: str, begin: int, end: int) -> bool:
        """Whether a cell is the sum or the mean of its column's numbers in the rows from `begin` to `end`."""
        number = parse_numbers(pl.Series([cell]), thousands)[0]
        block = self._load_column(column, thousands)
        count = int(block.counts[end] - block.counts[begin])
        if number is None or count < _MIN_BLOCK_RECORDS:
            return False
        total = float(block.sums[end] - block.sums[begin])
        half_unit = 0.5 * 10.0 ** -_count_decimals(cell, thousands) + _ROUNDING_SLACK
        return is_rounded_sum(number, total, count) or abs(number - total / count) <= half_unit

    def find_means(self, totals: Sequence[int]) -> list[int]:
        """The rows of which two cells or more are means, with decimals, of the whole numbers since the last totals."""
        columns = list(self._find_columns_with_few_decimals())
        total_rows = {*totals}
        mean_rows: list[int] = []
        while len(columns) >= _MIN_MEAN_CELLS:
            begin_of_block = np.zeros(
                self._frame.height, dtype=np.int64
            )  # by row: the first behind the last totals
            for index in total_rows:
                begin_of_block[index + 1 :] = np.maximum(begin_of_block[index + 1 :], index + 1)
            mean_cells = np.sum([self._are_means(*column, begin_of_block) for column in columns], axis=0)
            new_rows = np.flatnonzero((mean_cells >= _MIN_MEAN_CELLS) & self._is_record)
            if not len(new_rows):
                break
            first = int(new_rows[0])
            mean_rows.append(first)
            total_rows.add(first)
            self._is_record[first] = False
            self._loaded.clear()  # their sums count the row
        return mean_rows

    def _find_columns_with_few_decimals(self) -> Iterator[tuple[int, str, I8]]:
        """Columns of which a few numbers have decimals, with the sign that parts thousands and each row's decimals."""
        for column in range(self._frame.width):
            cells = self._frame[self._frame.columns[column]].fill_null("").str.strip_chars()
            for sign in THOUSANDS_SIGNS:
                block = self._load_column(column, sign)
                digits = cells.str.extract(_decimals_pattern(sign)).str.len_chars().fill_null(0)
                decimals = np.where(np.isfinite(block.numbers), digits.to_numpy(), 0).astype(np.int64)
                if 0 < (decimals > 0).sum() <= _MAX_SUBTOTAL_SHARE * block.counts[-1]:
                    yield column, sign, decimals

    def _are_means(self, column: int, thousands: str, decimals: I8, begin_of_block: I8) -> B1:
        """Which rows hold a number with decimals that is the mean of those between `begin_of_block` and the row."""
        block = self._load_column(column, thousands)
        counts = block.counts[:-1] - block.counts[begin_of_block]
        means = (block.sums[:-1] - block.sums[begin_of_block]) / np.maximum(counts, 1)
        is_close = np.abs(block.numbers - means) <= 0.5 * 10.0**-decimals + _ROUNDING_SLACK
        return np.asarray((decimals > 0) & (counts >= _MIN_RECORDS) & is_close)


def _count_decimals(text: str, thousands: str) -> int:
    """How many digits stand behind the decimal sign."""
    match = re.search(_decimals_pattern(thousands), text.strip())
    return 0 if match is None else len(match[1])


def _decimals_pattern(thousands: str) -> str:
    decimal_sign = "." if thousands == "," else ","
    return rf"[{decimal_sign}](\d+)$"


# --- rows of totals between records


class Subtotals(NamedTuple):
    """Rows that sum up others.

    certain  : by their numbers, with a word or without
    doubtful : by a word alone
    """

    certain: list[int]
    doubtful: list[int]


def find_subtotals(frame: pl.DataFrame, is_filled: pl.Series) -> Subtotals:
    """Find the rows between records that hold totals or means.

    A row without a word is one where its numbers can hardly be those of a record: fractions among whole numbers.
    """
    worded_rows = _find_worded_rows(frame)
    worded = [row.row_index for row in worded_rows]
    next_worded = dict(pairwise([*worded, frame.height]))
    last_record = _find_last_full_row(frame, is_filled, worded)
    numbers = NumberColumns(frame, is_filled, worded)
    certain: list[int] = []
    doubtful: list[int] = []
    begin = 0  # behind the last subtotal
    for row in worded_rows:
        is_in_tail = row.row_index > last_record and row.begins_with_total
        if is_in_tail or not 0 < row.text_count <= _MAX_TEXT_CELLS:
            continue
        above, below = (begin, row.row_index), (row.row_index + 1, next_worded[row.row_index])
        blocks = (above, below, (0, row.row_index), (0, frame.height))
        matched = max(numbers.count_summaries(row.cells, row.numeric, *block) for block in blocks)
        if matched and 2 * matched >= len(row.numeric):
            certain.append(row.row_index)
        elif row.begins_with_total and row.text_count == 1:
            doubtful.append(row.row_index)
        else:
            continue
        begin = row.row_index + 1
    means = numbers.find_means(certain) if _MIN_RECORDS < frame.height <= _MAX_ROWS_WITH_MEANS else []
    return Subtotals(sorted({*certain, *means}), doubtful)


def _find_last_full_row(frame: pl.DataFrame, is_filled: pl.Series, worded: Sequence[int]) -> int:
    """The last row that has most of its cells and no word for totals; the one above the tail where none of it is."""
    above_tail = max(frame.height - _TAIL_ROWS, -1)
    for index in range(frame.height - 1, above_tail, -1):
        if index not in worded and is_filled[index] and 2 * count_filled_in_row(frame, index) > frame.width:
            return index
    return above_tail


def count_filled_in_row(frame: pl.DataFrame, index: int) -> int:
    """How many cells of one row are not blank."""
    return len(find_filled_cells([str(cell or "") for cell in frame.row(index)]))
