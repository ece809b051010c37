"""Which rows of a table are records: blank rows, names of columns again, totals and notes are none.

Nothing is left out by one witness alone. A row is one of totals where two of these speak for it: a word such as
"Total" in front of cells that are empty, numbers that are the sums of those above, its place behind all records.
"""

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.base.errors import ShoalWarning
from shoal.base.naming import resource_table
from shoal.data.arrays import B1, F8, I8
from shoal.io.read.layout import Layout, LayoutError, find_filled_cells, list_rows
from shoal.io.read.notation import is_unit

__all__ = [
    "DoubtfulRowsWarning",
    "count_filled_cells",
    "drop_blank_columns",
    "ends_in_totals",
    "is_total",
    "record_mask",
]

_TAIL = 60  # rows from the end that may be no records
_NUMBERS = 0.9  # of the cells of a column of numbers are some
_NAMES = 2  # cells of a header, at least
_GAPS = 20  # places where blank rows may part tables
_FEW = 3  # records from which sums tell something without a word
_PROSE = 3  # words
_LABELS = 3  # columns among which one says what a row is
_MOST = 1000  # subtotals
_OFTEN = 0.2  # of the rows are subtotals, at most
_OFFICE = 20_000  # rows; larger tables have no means between their records
_WORDS = 2  # cells of a row of totals that are no numbers, at most
_LEAST = 2  # records of a block
_COLUMNS_OF_MEANS = 2
_EXACT = 1e-9
_FIRST = 1000  # cells of a column that are looked at before all of them
_UNITS = 2  # columns whose units a row names, at least
_UNIT = 15  # signs
_IMPORTED = '{"ImportId":'
_ANSWERED = 5  # people for each answer
_COLUMNS = 4  # of which a heading leaves all but one empty
_SIGNS = (",", ".")
"""What may part thousands."""
_ENUMERATED = re.compile(r"[*†‡©#]|\(?\d{1,2}\)|\[\d{1,2}\]")
_RULE = re.compile(r"[\W_]{3,}")  # a line between the table and what is below it
_LEADING = re.compile(r"\W*\d")  # an amount, or how many there are of something
_NUMBERED = re.compile(r"\d(?<!m[23])")  # but for an area or a room
_COUNTED = re.compile(r"[\s.:]*(?:[\d.,]+|of .*|for .*|de .*|der .*|des .*|n\s*=.*)?[\s.:]*")


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
    return frame.select(pl.sum_horizontal(_FILLED).cast(pl.Int64).alias("filled")).to_series()


_FILLED = pl.all().fill_null("").str.strip_chars() != ""


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
    blank = (
        ~frame.select(pl.any_horizontal(_FILLED).alias("filled")).to_series() if frame.width else number > 0
    )
    if frame.width == 1:  # there a blank row is somebody without a value, but not below all others
        blank &= number > shown + max((~blank).arg_true(), default=-1)
    if layout.skip is None:
        _refuse_inner(frame, name, layout, shown, ~blank)
    skipped = number.is_in(sorted(layout.skipped)) & ~blank
    keep = ~blank & ~skipped
    if layout.last is not None:
        keep &= number <= layout.last
        below += int((~blank & (number > layout.last)).sum())
    else:
        _refuse_second_table(frame, name, layout, shown, ~blank)
        _refuse_tail(frame, name, layout, shown, keep, frozenset(ragged))
    inside = keep.arg_true()
    holes = int(blank[: inside[-1]].sum()) if len(inside) else 0
    for count, reason in ((below, f"below row {layout.last}"), (int(skipped.sum()), "that skip names")):
        if count:
            _warn(f"{name}: {_count_phrase(count, 'row')} {reason} left out, no record")
    if holes:
        _warn(f"{name}: {_count_phrase(holes, 'row')} without any cell left out")
    return keep


class DoubtfulRowsWarning(ShoalWarning):
    """Rows were taken for records that may be totals, means or notes."""


def _warn(sentence: str, kind: type[ShoalWarning] = ShoalWarning) -> None:
    warnings.warn(sentence, kind, stacklevel=3)


def _refuse_inner(frame: pl.DataFrame, name: str, layout: Layout, shown: int, there: pl.Series) -> None:
    """Refuse names of columns that are written again, and subtotals, between records."""
    repeated_headers = _find_repeated_headers(frame) if frame.width > 1 else []
    sums, doubtful = _find_subtotals(frame, there)
    units = _find_units(frame)
    question_rows, sections = _find_questions(frame), _find_sections(frame, there)
    findings = (
        (units, "units of numbers in row {}"),
        (question_rows, "questions in row {}"),
        (sections, "headings in row {}, alone in their rows"),
        (repeated_headers, "names of columns again in row {}"),
        (sums, "totals or means in row {}, by their numbers"),
    )
    descriptions = [
        template.format(_list_row_numbers(indices, shown)) for indices, template in findings if indices
    ]
    if descriptions:
        rows = tuple(
            sorted(index + shown for index in {*units, *question_rows, *sections, *repeated_headers, *sums})
        )
        new_layout = replace(
            layout,
            skip=rows,
            why={**layout.why, "skip": f"among the records stand {' and '.join(descriptions)}"},
        )
        raise LayoutError(name, new_layout, "skip", " (or skip = [] if all of them are records)")
    if doubtful:
        _warn(
            f"{name}: row {_list_row_numbers(doubtful, shown)} may be subtotals, by a word alone; they are "
            "taken for records; if "
            "they are not, list them in skip",
            DoubtfulRowsWarning,
        )


def _refuse_second_table(
    frame: pl.DataFrame, name: str, layout: Layout, shown: int, there: pl.Series
) -> None:
    """Refuse what stands behind blank rows under names of its own: another table.

    Where blank rows part all records, as in a list with wide lines, none of them is looked at.
    """
    rows = there.arg_true().cast(pl.Int64)
    gaps = (rows.diff() > 1).arg_true()
    for gap in gaps if len(gaps) <= _GAPS else ():
        before, begin = rows[gap - 1], rows[gap]
        if not _is_header(frame, begin):
            continue
        why = f"below the records in row {before + shown} and blank rows, another table begins in row {begin + shown}"
        new_layout = replace(layout, last=before + shown, why={**layout.why, "last": why})
        raise LayoutError(
            name, new_layout, "last", f" (or last = {shown + frame.height - 1} if all of them are records)"
        )


def _is_header(frame: pl.DataFrame, place: int) -> bool:
    """Whether a row names columns: no row above has its words, and some column has numbers only above or only below."""
    row = [str(cell or "").strip() for cell in frame.row(place)]
    filled = find_filled_cells(row)
    if len(filled) < _NAMES or any(_NUMBERED.search(row[column]) for column in filled):
        return False
    changed = 0
    for column in filled:
        cells = frame[frame.columns[column]].fill_null("").str.strip_chars()
        above, below = (part.filter(part != "") for part in (cells[:place], cells[place + 1 :]))
        if row[column] in above or len(below) < _FEW:
            return False
        changed += len(above) >= _FEW and _shows_numbers(above) != _shows_numbers(below)
    return changed > 0


def _find_repeated_headers(frame: pl.DataFrame) -> list[int]:
    conditions = (pl.col(name).str.strip_chars() == name.strip() for name in frame.columns)
    return (
        frame.select(pl.all_horizontal(*conditions).fill_null(value=False)).to_series().arg_true().to_list()
    )


def _find_units(frame: pl.DataFrame) -> list[int]:
    """The place of the first row where it names the units of the numbers below it, as "cm" or "mg/l".

    Over other columns it may say something that is no value of theirs.
    """
    if frame.height < _FEW:
        return []
    row = [str(cell or "").strip() for cell in frame.row(0)]
    filled = find_filled_cells(row)
    cells = [row[column].strip("()[]") for column in filled]
    if any(len(cell) > _UNIT or _NUMBERED.search(cell) for cell in cells):
        return []
    below = [frame[frame.columns[column]][1:_FIRST].fill_null("").str.strip_chars() for column in filled]
    numbers = [_shows_numbers(values.filter(values != "")) for values in below]
    units = sum(is_unit(cell) for cell, is_numeric in zip(cells, numbers, strict=True) if is_numeric)
    if units < max(_UNITS, len(cells) / 2):
        return []
    other_cells = (
        row[column] in values
        for column, values, is_numeric in zip(filled, below, numbers, strict=True)
        if not is_numeric
    )
    return [] if any(other_cells) else [0]  # "m/f" over sexes, which nobody is


def _find_questions(frame: pl.DataFrame) -> list[int]:
    """The places of the first rows where they ask what the rows below answer, as exports of questionnaires do.

    Qualtrics writes the questions below the names of columns, and below those, in each cell, by what it imports them.
    """
    first_rows = [[str(cell or "").strip() for cell in row] for row in frame[:2].rows()]
    for index, row in enumerate(first_rows):
        if find_filled_cells(row) and all(
            row[column].startswith(_IMPORTED) for column in find_filled_cells(row)
        ):
            return list(range(index + 1))
    asking = answering = 0
    for column in find_filled_cells(first_rows[0]) if first_rows else ():
        below = frame[frame.columns[column]][1:_FIRST].drop_nulls().str.strip_chars()
        if below.n_unique() * _ANSWERED <= len(below):  # answers to choose from
            answering += 1
            asking += len(first_rows[0][column].split()) >= _PROSE and first_rows[0][column] not in below
    return [0] if asking >= _FEW and 2 * asking > answering else []


def _find_sections(frame: pl.DataFrame, there: pl.Series) -> list[int]:
    """The places of rows that are alone with one cell, of which the first stands above all records.

    A row of which only one cell is known may be somebody's. But where the first row is one, and more follow, each says
    what the rows below it have in common.
    """
    begin = next(iter(there.arg_true()), None)
    if begin is None or frame.width < _COLUMNS or _count_cells_in_row(frame, begin) != 1:
        return []
    counts = count_filled_cells(frame)
    lone = (counts == 1).arg_true().to_list()
    (column,) = find_filled_cells([str(cell or "") for cell in frame.row(begin)])
    alike = all(str(frame.row(index)[column] or "").strip() for index in lone)
    records = counts.filter(there & (counts > 1))
    are_mostly_full = 2 * int((2 * records > frame.width).sum()) > len(records)
    return (
        lone
        if alike and are_mostly_full and 1 < len(lone) <= _OFTEN * frame.height and column < _LABELS
        else []
    )


def _shows_numbers(cells: pl.Series) -> bool:
    """Whether most cells are numbers; some may be words for no value, or lie below what can be measured."""
    return any(2 * len(_parse_numbers(cells, sign).drop_nulls()) > len(cells) for sign in _SIGNS)


def _find_subtotals(frame: pl.DataFrame, there: pl.Series) -> tuple[list[int], list[int]]:
    """The rows between records that hold totals or means, by a word or not and by their numbers; others by a word.

    A row without a word is one where its numbers can hardly be those of a record: fractions among whole numbers.
    """
    words = "|".join(map(re.escape, resource_table("shoal.io.read", "layout.toml")["totals"]))
    word = re.compile(rf"(?i)(?:^|[\W_])(?:{words})(?:$|[\W_])")
    candidates: set[int] = set()
    for column in frame.columns[:_LABELS]:
        candidates |= {*frame[column].fill_null("").str.contains(word.pattern).arg_true().to_list()}
    if len(candidates) > min(_MOST, _OFTEN * frame.height):
        candidates = set()
    if not candidates and not _FEW < frame.height <= _OFFICE:
        return [], []
    rows = {row_index: [str(cell or "").strip() for cell in frame.row(row_index)] for row_index in candidates}
    labels = {row_index: row[find_filled_cells(row)[0]] for row_index, row in rows.items()}
    worded = [row_index for row_index in sorted(candidates) if word.search(labels[row_index])]
    last_record = frame.height - 1
    while last_record > frame.height - _TAIL and last_record >= 0:  # below it stand totals and notes alone
        if (
            last_record not in worded
            and there[last_record]
            and 2 * _count_cells_in_row(frame, last_record) > frame.width
        ):
            break
        last_record -= 1
    sums: list[int] = []
    doubtful: list[int] = []
    numbers = _NumberColumns(frame, there, worded)
    start = 0
    for position, row_index in enumerate(worded):
        filled = find_filled_cells(rows[row_index])
        numeric = [column for column in filled if _is_number(rows[row_index][column])]
        begins_with_word = _begins_with(
            labels[row_index], "totals"
        )  # not "Subtotal Rome", of which only its numbers tell
        if (row_index > last_record and begins_with_word) or not 0 < len(filled) - len(numeric) <= _WORDS:
            continue
        end = worded[position + 1] if position + 1 < len(worded) else frame.height
        blocks = ((start, row_index), (row_index + 1, end), (0, row_index), (0, frame.height))
        matched = max((numbers.summed_up(rows[row_index], numeric, *block) for block in blocks), default=0)
        if matched and 2 * matched >= len(numeric):
            sums.append(row_index)
        elif begins_with_word and len(filled) - len(numeric) == 1:
            doubtful.append(row_index)
        else:
            continue
        start = row_index + 1
    unnamed = numbers.find_means(sums) if frame.height <= _OFFICE else []
    return sorted({*sums, *unnamed}), doubtful


class _NumberColumns:
    """The columns of a table as numbers, in both ways of writing them, with sums over blocks of rows.

    Rows of totals count for nothing in them.
    """

    def __init__(self, frame: pl.DataFrame, there: pl.Series, totals: Sequence[int]) -> None:
        self.frame, self.counted = frame, there.to_numpy().copy()
        self.counted[list(totals)] = False
        self._known: dict[tuple[int, str], tuple[F8, F8, I8]] = {}

    def _load_column(self, column: int, sign: str) -> tuple[F8, F8, I8]:
        """The numbers of a column (NaN where there is none), their sums and how many there are up to each row."""
        if (column, sign) not in self._known:
            cells = self.frame[self.frame.columns[column]].fill_null("")
            numbers = _parse_numbers(cells, sign).to_numpy().astype(np.float64)
            is_counted = self.counted & np.isfinite(numbers)
            total = np.r_[0.0, np.cumsum(np.where(is_counted, numbers, 0.0))]
            self._known[column, sign] = numbers, total, np.r_[0, np.cumsum(is_counted)]
        return self._known[column, sign]

    def summed_up(self, row: Sequence[str], numeric: Sequence[int], begin: int, end: int) -> int:
        """How many cells of a row are the sum, the mean or the number of the records in a block."""
        records = int(self.counted[begin:end].sum())
        return sum(
            row[column] == str(records)
            or any(self._is_summary(row[column], column, sign, begin, end) for sign in _SIGNS)
            for column in numeric
        )

    def _is_summary(self, own: str, column: int, sign: str, begin: int, end: int) -> bool:
        number = _parse_numbers(pl.Series([own]), sign)[0]
        _, total, count = self._load_column(column, sign)
        record_count = int(count[end] - count[begin])
        if number is None or record_count < _LEAST:
            return False
        block_sum = float(total[end] - total[begin])
        rounded = 0.5 * 10.0 ** -_count_decimals(own, sign) + _EXACT
        return _is_rounded_sum(number, block_sum, record_count) or (
            record_count > 1 and abs(number - block_sum / record_count) <= rounded
        )

    def find_means(self, totals: Sequence[int]) -> list[int]:
        """The rows of which two cells or more are means, with decimals, of the whole numbers since the last totals."""
        fractions = [
            (column, sign, decimals)
            for column in range(self.frame.width)
            for sign in _SIGNS
            if (decimals := self._decimals_of_few(column, sign)) is not None
        ]
        total_rows = {*totals}
        mean_rows: list[int] = []
        while len(fractions) >= _COLUMNS_OF_MEANS:
            begin = np.zeros(self.frame.height, dtype=np.int64)
            for index in total_rows:
                begin[index + 1 :] = np.maximum(begin[index + 1 :], index + 1)
            agree = np.sum([self._are_means(*fraction, begin) for fraction in fractions], axis=0)
            indices = np.flatnonzero((agree >= _COLUMNS_OF_MEANS) & self.counted)
            if not len(indices):
                break
            index = int(indices[0])
            mean_rows.append(index)
            total_rows.add(index)
            self.counted[index] = False
            self._known.clear()
        return mean_rows

    def _decimals_of_few(self, column: int, sign: str) -> I8 | None:
        """How many decimals each number of a column has; None where not just a few have any."""
        numbers, _, count = self._load_column(column, sign)
        cells = self.frame[self.frame.columns[column]].fill_null("").str.strip_chars()
        behind = cells.str.extract(rf"[{'.' if sign == ',' else ','}](\d+)$").str.len_chars().fill_null(0)
        decimals = np.where(np.isfinite(numbers), behind.to_numpy(), 0).astype(np.int64)
        return decimals if 0 < (decimals > 0).sum() <= _OFTEN * count[-1] else None

    def _are_means(self, column: int, sign: str, decimals: I8, begin: I8) -> B1:
        """Which rows hold a number with decimals that is the mean of those since the row where theirs `begin`."""
        numbers, total, count = self._load_column(column, sign)
        block_counts = count[:-1] - count[begin]
        mean = (total[:-1] - total[begin]) / np.maximum(block_counts, 1)
        close = np.abs(numbers - mean) <= 0.5 * 10.0**-decimals + _EXACT
        return np.asarray((decimals > 0) & (block_counts >= _FEW) & close)


def _count_decimals(text: str, thousands: str) -> int:
    """How many digits stand behind the decimal sign."""
    match = re.search(rf"[{'.' if thousands == ',' else ','}](\d+)$", text.strip())
    return 0 if match is None else len(match[1])


def _count_cells_in_row(frame: pl.DataFrame, place: int) -> int:
    return len(find_filled_cells([str(cell or "") for cell in frame.row(place)]))


def _refuse_tail(
    frame: pl.DataFrame, name: str, layout: Layout, shown: int, keep: pl.Series, ragged: frozenset[int]
) -> None:
    """Refuse rows behind the records that are none, where two witnesses say so; tell what is in doubt."""
    tail = _Tail(frame, keep, {row - shown for row in ragged})
    last_record, totals, notes = tail.last, tail.totals, tail.notes
    if totals or notes:
        descriptions = []
        if totals:
            rows = _list_row_numbers(totals, shown)
            descriptions.append(
                f"row {rows} holds totals ({tail.witnesses})"
                if len(totals) == 1
                else f"rows {rows} hold totals ({tail.witnesses})"
            )
        if notes:
            rows = _list_row_numbers(notes, shown)
            descriptions.append(f"row {rows} is a note" if len(notes) == 1 else f"rows {rows} are notes")
        why = f"below the records in row {last_record + shown}, {' and '.join(descriptions)}"
        new_layout = replace(layout, last=last_record + shown, why={**layout.why, "last": why})
        raise LayoutError(
            name, new_layout, "last", f" (or last = {shown + frame.height - 1} if all of them are records)"
        )
    if tail.doubtful:
        _warn(
            f"{name}: row {_list_row_numbers(tail.doubtful, shown)} may be a total or a note, but only one sign "
            "says so; it is "
            f"taken for a record; if it is not, write last = {tail.doubtful[0] + shown - 1} into [data]",
            DoubtfulRowsWarning,
        )


class _Tail:
    """What stands behind the records of a table, from its end upwards."""

    def __init__(self, frame: pl.DataFrame, keep: pl.Series, ragged: set[int]) -> None:
        self.frame, self.keep, self.ragged = frame, keep, ragged
        self.totals: list[int] = []
        self.notes: list[int] = []
        self.doubtful: list[int] = []
        self.witnesses = ""
        start = max(0, frame.height - _TAIL)
        cells = frame.slice(start).fill_null("").rows()
        self.rows = {start + offset: [str(cell).strip() for cell in row] for offset, row in enumerate(cells)}
        self.last = frame.height - 1
        index = frame.height - 1
        while index > max(start, 0):
            filled = find_filled_cells(self.rows[index])
            if filled and keep[index]:
                if self._is_note(index, filled):
                    self.notes.insert(0, index)
                elif self._is_total(index, filled):
                    self.totals.insert(0, index)
                else:
                    break
            index -= 1
        self.last = index

    def _is_note(self, place: int, filled: list[int]) -> bool:
        """Whether a row of few cells is one, by a second sign beside that."""
        width, row = self.frame.width, self.rows[place]
        if 2 * len(filled) > width or _begins_with(row[filled[0]], "totals"):
            return False
        text = row[filled[0]]
        prose = len(text.split()) >= _PROSE
        word = (
            _begins_with(text, "notes")
            or _ENUMERATED.match(text) is not None
            or _RULE.fullmatch(text) is not None
        )
        has_gap = self._has_gap_above(place)
        if len(filled) == 1:
            signs = has_gap + prose + word + (place in self.ragged) + (width > 2)
            if signs > 1:
                return True
            if signs == 1 and (has_gap or prose or word):
                self.doubtful.insert(0, place)
            return False
        return has_gap and (prose or word or place in self.ragged)

    def _has_gap_above(self, place: int) -> bool:
        """Whether a blank row stands between a row and the records above it."""
        above = place - 1
        while above in self.rows and 2 * len(find_filled_cells(self.rows[above])) <= self.frame.width:
            if not find_filled_cells(self.rows[above]):
                return True
            above -= 1
        return False

    def _is_total(self, place: int, filled: list[int]) -> bool:
        row = self.rows[place]
        label = filled[0]
        word = _begins_with(row[label], "totals") and not self._occurs_above(place, label)
        if not word and int(self.keep[:place].sum()) < _FEW:
            return False
        matched, numeric = self._find_sums(place, filled)
        sparse = 2 * len(filled) <= self.frame.width
        text = [
            column
            for column in filled
            if not (column in numeric and _is_number(row[column]))
            and not (sparse and _LEADING.match(row[column]))
        ]
        sums = 0 < len(matched) and 2 * len(matched) >= len(
            [column for column in filled if column in numeric]
        )
        means = word and not sums and self._are_means(place, filled)
        if word and (sums or means or text == [label]):
            reason = "a word says so" + (
                f", and its numbers are the {'sums' if sums else 'means'} of those above"
                if sums or means
                else ", it is the last and names nobody"
            )
        elif sums and len(text) <= 1:
            reason = "it is the last, and its numbers are the sums of those above"
        else:
            if word or sums:
                self.doubtful.insert(0, place)
            return False
        self.witnesses = self.witnesses or reason
        return True

    def _are_means(self, place: int, filled: list[int]) -> bool:
        """Whether half of the numbers of a row sum up all records above it, or those since the last row of totals."""
        row, skipped_rows = self.rows[place], (~self.keep[:place]).arg_true()
        numeric = [column for column in filled if _is_number(row[column])]
        numbers = _NumberColumns(self.frame, self.keep, [])
        begins = {0, *(skipped_rows[-1:] + 1).to_list()}
        matched = max(numbers.summed_up(row, numeric, begin, place) for begin in begins)
        return 0 < matched and 2 * matched >= len(numeric)

    def _occurs_above(self, place: int, column: int) -> bool:
        cells = self.frame[self.frame.columns[column]][:place].filter(self.keep[:place]).fill_null("")
        cells = cells.str.strip_chars()
        return bool((cells == self.rows[place][column]).any())

    def _find_sums(self, place: int, filled: list[int]) -> tuple[list[int], set[int]]:
        """The filled columns whose number is the sum of those above, and all columns of numbers.

        A few cells tell of most columns that they are none, or that the number is no sum: it is among the others.
        """
        matched, numeric = [], set()
        for column in range(self.frame.width):
            for sign in _SIGNS:
                if not self._are_numbers(place, column, sign, _FIRST):
                    continue
                numeric.add(column)
                number = (
                    _parse_numbers(pl.Series([self.rows[place][column]]), sign)[0]
                    if column in filled
                    else None
                )
                if number is None or not self._is_above(number, self._above(place, column, sign, _FIRST)):
                    continue
                numbers = self._above(place, column, sign)
                if self._is_above(number, numbers) and _is_rounded_sum(
                    number, float(numbers.sum()), len(numbers)
                ):
                    matched.append(column)
                    break
        return matched, numeric

    def _cells(self, place: int, column: int, most: int | None = None) -> pl.Series:
        """The cells above a row that are not empty, or some of them."""
        end = place if most is None else min(place, most)
        cells = self.frame[self.frame.columns[column]][:end].filter(self.keep[:end]).fill_null("")
        return cells.filter(cells.str.strip_chars() != "")

    def _above(self, place: int, column: int, sign: str, most: int | None = None) -> pl.Series:
        return _parse_numbers(self._cells(place, column, most), sign).drop_nulls()

    def _are_numbers(self, place: int, column: int, sign: str, most: int) -> bool:
        cells = self._cells(place, column, most)
        return len(cells) > 0 and len(_parse_numbers(cells, sign).drop_nulls()) >= _NUMBERS * len(cells)

    @staticmethod
    def _is_above(own: float, numbers: pl.Series) -> bool:
        return len(numbers) > 1 and own > float(numbers.max() or 0)  # type: ignore[arg-type]


def _is_rounded_sum(own: float, total: float, count: int) -> bool:
    """Whether a number is a sum, but for how its parts were rounded."""
    return abs(own - total) <= max(0.006, min(0.005 * count, 1e-3 * abs(total)))


def _parse_numbers(cells: pl.Series, thousands: str) -> pl.Series:
    """Cells as numbers, where this sign parts thousands; what is no number is null."""
    bare = cells.str.replace_all(r"[\s' €$£%]|CHF|kr|EUR|USD", "").str.replace_all(
        thousands, "", literal=True
    )
    if thousands == ".":
        bare = bare.str.replace_all(",", ".", literal=True)
    return bare.cast(pl.Float64, strict=False)


def _is_number(text: str) -> bool:
    return any(_parse_numbers(pl.Series([text]), sign)[0] is not None for sign in _SIGNS)


def ends_in_totals(rows: pl.LazyFrame) -> bool:
    """Whether the last rows of a table that is not read yet hold a word for totals before other cells, or no cell."""
    last_rows = rows.tail(_TAIL).collect().fill_null("").rows()
    return any(
        not filled or _begins_with(row[filled[0]], "totals")
        for row in last_rows
        for filled in [find_filled_cells(row)]
    )


def is_total(text: str) -> bool:
    """Whether a text is a word for totals or means, alone or with a number behind it.

    >>> is_total("Gesamt"), is_total("Total (n=12)"), is_total("Total Care")
    (True, True, False)
    """
    return _begins_with(text, "totals")


def _begins_with(text: str, kind: str) -> bool:
    """Whether a cell begins with one of the words for totals or notes, or is one."""
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


def _list_row_numbers(places: Sequence[int], shown: int) -> str:
    """The numbers of rows at some places, the first of which is `shown`."""
    return list_rows([index + shown for index in places])


def _count_phrase(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
