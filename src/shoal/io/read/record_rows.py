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
from shoal.io.read.layout import Layout, LayoutError, filled_cells, listed_rows
from shoal.io.read.notation import is_unit

__all__ = [
    "DoubtfulRowsWarning",
    "ends_in_totals",
    "filled_counts",
    "is_total",
    "kept_rows",
    "without_blank_columns",
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


def without_blank_columns(
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
    _tell(f"{name}: {_counted(len(blank), 'column')} without a name and without a cell left out")
    kept = [header for column, header in zip(frame.columns, names, strict=True) if column not in blank]
    return frame.drop(blank), kept


def filled_counts(frame: pl.DataFrame) -> pl.Series:
    """How many cells of each row are not blank.

    >>> filled_counts(pl.DataFrame({"a": ["x", " "], "b": ["y", None]})).to_list()
    [2, 0]
    """
    if not frame.width:  # nobody ever wrote into it
        return pl.Series([0] * frame.height, dtype=pl.Int64)
    return frame.select(pl.sum_horizontal(_FILLED).cast(pl.Int64).alias("filled")).to_series()


_FILLED = pl.all().fill_null("").str.strip_chars() != ""


def kept_rows(
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
    for count, what in ((below, f"below row {layout.last}"), (int(skipped.sum()), "that skip names")):
        if count:
            _tell(f"{name}: {_counted(count, 'row')} {what} left out, no record")
    if holes:
        _tell(f"{name}: {_counted(holes, 'row')} without any cell left out")
    return keep


class DoubtfulRowsWarning(ShoalWarning):
    """Rows were taken for records that may be totals, means or notes."""


def _tell(sentence: str, kind: type[ShoalWarning] = ShoalWarning) -> None:
    warnings.warn(sentence, kind, stacklevel=3)


def _refuse_inner(frame: pl.DataFrame, name: str, layout: Layout, shown: int, there: pl.Series) -> None:
    """Refuse names of columns that are written again, and subtotals, between records."""
    again = _repeated_headers(frame) if frame.width > 1 else []
    sums, doubtful = _subtotals(frame, there)
    units = _units(frame)
    asked, sections = _questions(frame), _sections(frame, there)
    found = (
        (units, "units of numbers in row {}"),
        (asked, "questions in row {}"),
        (sections, "headings in row {}, alone in their rows"),
        (again, "names of columns again in row {}"),
        (sums, "totals or means in row {}, by their numbers"),
    )
    what = [said.format(_listed(places, shown)) for places, said in found if places]
    if what:
        rows = tuple(sorted(place + shown for place in {*units, *asked, *sections, *again, *sums}))
        told = replace(
            layout, skip=rows, why={**layout.why, "skip": f"among the records stand {' and '.join(what)}"}
        )
        raise LayoutError(name, told, "skip", " (or skip = [] if all of them are records)")
    if doubtful:
        _tell(
            f"{name}: row {_listed(doubtful, shown)} may be subtotals, by a word alone; they are taken for records; if "
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
    for at in gaps if len(gaps) <= _GAPS else ():
        before, begin = rows[at - 1], rows[at]
        if not _is_header(frame, begin):
            continue
        why = f"below the records in row {before + shown} and blank rows, another table begins in row {begin + shown}"
        told = replace(layout, last=before + shown, why={**layout.why, "last": why})
        raise LayoutError(
            name, told, "last", f" (or last = {shown + frame.height - 1} if all of them are records)"
        )


def _is_header(frame: pl.DataFrame, place: int) -> bool:
    """Whether a row names columns: no row above has its words, and some column has numbers only above or only below."""
    row = [str(cell or "").strip() for cell in frame.row(place)]
    filled = filled_cells(row)
    if len(filled) < _NAMES or any(_NUMBERED.search(row[at]) for at in filled):
        return False
    changed = 0
    for at in filled:
        cells = frame[frame.columns[at]].fill_null("").str.strip_chars()
        above, below = (part.filter(part != "") for part in (cells[:place], cells[place + 1 :]))
        if row[at] in above or len(below) < _FEW:
            return False
        changed += len(above) >= _FEW and _shows_numbers(above) != _shows_numbers(below)
    return changed > 0


def _repeated_headers(frame: pl.DataFrame) -> list[int]:
    same = (pl.col(name).str.strip_chars() == name.strip() for name in frame.columns)
    return frame.select(pl.all_horizontal(*same).fill_null(value=False)).to_series().arg_true().to_list()


def _units(frame: pl.DataFrame) -> list[int]:
    """The place of the first row where it names the units of the numbers below it, as "cm" or "mg/l".

    Over other columns it may say something that is no value of theirs.
    """
    if frame.height < _FEW:
        return []
    row = [str(cell or "").strip() for cell in frame.row(0)]
    filled = filled_cells(row)
    cells = [row[at].strip("()[]") for at in filled]
    if any(len(cell) > _UNIT or _NUMBERED.search(cell) for cell in cells):
        return []
    below = [frame[frame.columns[at]][1:_FIRST].fill_null("").str.strip_chars() for at in filled]
    numbers = [_shows_numbers(values.filter(values != "")) for values in below]
    units = sum(is_unit(cell) for cell, over in zip(cells, numbers, strict=True) if over)
    if units < max(_UNITS, len(cells) / 2):
        return []
    others = (row[at] in values for at, values, over in zip(filled, below, numbers, strict=True) if not over)
    return [] if any(others) else [0]  # "m/f" over sexes, which nobody is


def _questions(frame: pl.DataFrame) -> list[int]:
    """The places of the first rows where they ask what the rows below answer, as exports of questionnaires do.

    Qualtrics writes the questions below the names of columns, and below those, in each cell, by what it imports them.
    """
    first = [[str(cell or "").strip() for cell in row] for row in frame[:2].rows()]
    for place, row in enumerate(first):
        if filled_cells(row) and all(row[at].startswith(_IMPORTED) for at in filled_cells(row)):
            return list(range(place + 1))
    asking = answering = 0
    for at in filled_cells(first[0]) if first else ():
        below = frame[frame.columns[at]][1:_FIRST].drop_nulls().str.strip_chars()
        if below.n_unique() * _ANSWERED <= len(below):  # answers to choose from
            answering += 1
            asking += len(first[0][at].split()) >= _PROSE and first[0][at] not in below
    return [0] if asking >= _FEW and 2 * asking > answering else []


def _sections(frame: pl.DataFrame, there: pl.Series) -> list[int]:
    """The places of rows that are alone with one cell, of which the first stands above all records.

    A row of which only one cell is known may be somebody's. But where the first row is one, and more follow, each says
    what the rows below it have in common.
    """
    begin = next(iter(there.arg_true()), None)
    if begin is None or frame.width < _COLUMNS or _filled_of(frame, begin) != 1:
        return []
    many = filled_counts(frame)
    lone = (many == 1).arg_true().to_list()
    (own,) = filled_cells([str(cell or "") for cell in frame.row(begin)])
    alike = all(str(frame.row(place)[own] or "").strip() for place in lone)
    records = many.filter(there & (many > 1))
    full = 2 * int((2 * records > frame.width).sum()) > len(records)
    return lone if alike and full and 1 < len(lone) <= _OFTEN * frame.height and own < _LABELS else []


def _shows_numbers(cells: pl.Series) -> bool:
    """Whether most cells are numbers; some may be words for no value, or lie below what can be measured."""
    return any(2 * len(_numbers(cells, sign).drop_nulls()) > len(cells) for sign in _SIGNS)


def _subtotals(frame: pl.DataFrame, there: pl.Series) -> tuple[list[int], list[int]]:
    """The rows between records that hold totals or means, by a word or not and by their numbers; others by a word.

    A row without a word is one where its numbers can hardly be those of a record: fractions among whole numbers.
    """
    words = "|".join(map(re.escape, resource_table("shoal.io.read", "layout.toml")["totals"]))
    word = re.compile(rf"(?i)(?:^|[\W_])(?:{words})(?:$|[\W_])")
    found: set[int] = set()
    for column in frame.columns[:_LABELS]:
        found |= {*frame[column].fill_null("").str.contains(word.pattern).arg_true().to_list()}
    if len(found) > min(_MOST, _OFTEN * frame.height):
        found = set()
    if not found and not _FEW < frame.height <= _OFFICE:
        return [], []
    rows = {place: [str(cell or "").strip() for cell in frame.row(place)] for place in found}
    labels = {place: row[filled_cells(row)[0]] for place, row in rows.items()}
    worded = [place for place in sorted(found) if word.search(labels[place])]
    last = frame.height - 1
    while last > frame.height - _TAIL and last >= 0:  # below it stand totals and notes alone
        if last not in worded and there[last] and 2 * _filled_of(frame, last) > frame.width:
            break
        last -= 1
    sums: list[int] = []
    doubtful: list[int] = []
    numbers = _NumberColumns(frame, there, worded)
    start = 0
    for at, place in enumerate(worded):
        filled = filled_cells(rows[place])
        numeric = [column for column in filled if _is_number(rows[place][column])]
        alone = _begins(labels[place], "totals")  # not "Subtotal Rome", of which only its numbers tell
        if (place > last and alone) or not 0 < len(filled) - len(numeric) <= _WORDS:
            continue
        end = worded[at + 1] if at + 1 < len(worded) else frame.height
        blocks = ((start, place), (place + 1, end), (0, place), (0, frame.height))
        matched = max((numbers.summed_up(rows[place], numeric, *block) for block in blocks), default=0)
        if matched and 2 * matched >= len(numeric):
            sums.append(place)
        elif alone and len(filled) - len(numeric) == 1:
            doubtful.append(place)
        else:
            continue
        start = place + 1
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

    def _column(self, column: int, sign: str) -> tuple[F8, F8, I8]:
        """The numbers of a column (NaN where there is none), their sums and how many there are up to each row."""
        if (column, sign) not in self._known:
            cells = self.frame[self.frame.columns[column]].fill_null("")
            numbers = _numbers(cells, sign).to_numpy().astype(np.float64)
            counted = self.counted & np.isfinite(numbers)
            total = np.r_[0.0, np.cumsum(np.where(counted, numbers, 0.0))]
            self._known[column, sign] = numbers, total, np.r_[0, np.cumsum(counted)]
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
        number = _numbers(pl.Series([own]), sign)[0]
        _, total, count = self._column(column, sign)
        many = int(count[end] - count[begin])
        if number is None or many < _LEAST:
            return False
        whole = float(total[end] - total[begin])
        rounded = 0.5 * 10.0 ** -_decimals(own, sign) + _EXACT
        return _rounds(number, whole, many) or (many > 1 and abs(number - whole / many) <= rounded)

    def find_means(self, totals: Sequence[int]) -> list[int]:
        """The rows of which two cells or more are means, with decimals, of the whole numbers since the last totals."""
        fractions = [
            (column, sign, decimals)
            for column in range(self.frame.width)
            for sign in _SIGNS
            if (decimals := self._decimals_of_few(column, sign)) is not None
        ]
        ends = {*totals}
        found: list[int] = []
        while len(fractions) >= _COLUMNS_OF_MEANS:
            begin = np.zeros(self.frame.height, dtype=np.int64)
            for place in ends:
                begin[place + 1 :] = np.maximum(begin[place + 1 :], place + 1)
            agree = np.sum([self._are_means(*one, begin) for one in fractions], axis=0)
            places = np.flatnonzero((agree >= _COLUMNS_OF_MEANS) & self.counted)
            if not len(places):
                break
            place = int(places[0])
            found.append(place)
            ends.add(place)
            self.counted[place] = False
            self._known.clear()
        return found

    def _decimals_of_few(self, column: int, sign: str) -> I8 | None:
        """How many decimals each number of a column has; None where not just a few have any."""
        numbers, _, count = self._column(column, sign)
        cells = self.frame[self.frame.columns[column]].fill_null("").str.strip_chars()
        behind = cells.str.extract(rf"[{'.' if sign == ',' else ','}](\d+)$").str.len_chars().fill_null(0)
        decimals = np.where(np.isfinite(numbers), behind.to_numpy(), 0).astype(np.int64)
        return decimals if 0 < (decimals > 0).sum() <= _OFTEN * count[-1] else None

    def _are_means(self, column: int, sign: str, decimals: I8, begin: I8) -> B1:
        """Which rows hold a number with decimals that is the mean of those since the row where theirs `begin`."""
        numbers, total, count = self._column(column, sign)
        many = count[:-1] - count[begin]
        mean = (total[:-1] - total[begin]) / np.maximum(many, 1)
        close = np.abs(numbers - mean) <= 0.5 * 10.0**-decimals + _EXACT
        return np.asarray((decimals > 0) & (many >= _FEW) & close)


def _decimals(text: str, thousands: str) -> int:
    """How many digits stand behind the decimal sign."""
    found = re.search(rf"[{'.' if thousands == ',' else ','}](\d+)$", text.strip())
    return 0 if found is None else len(found[1])


def _filled_of(frame: pl.DataFrame, place: int) -> int:
    return len(filled_cells([str(cell or "") for cell in frame.row(place)]))


def _refuse_tail(
    frame: pl.DataFrame, name: str, layout: Layout, shown: int, keep: pl.Series, ragged: frozenset[int]
) -> None:
    """Refuse rows behind the records that are none, where two witnesses say so; tell what is in doubt."""
    tail = _Tail(frame, keep, {row - shown for row in ragged})
    last, totals, notes = tail.last, tail.totals, tail.notes
    if totals or notes:
        what = []
        if totals:
            rows = _listed(totals, shown)
            what.append(
                f"row {rows} holds totals ({tail.witnesses})"
                if len(totals) == 1
                else f"rows {rows} hold totals ({tail.witnesses})"
            )
        if notes:
            rows = _listed(notes, shown)
            what.append(f"row {rows} is a note" if len(notes) == 1 else f"rows {rows} are notes")
        why = f"below the records in row {last + shown}, {' and '.join(what)}"
        told = replace(layout, last=last + shown, why={**layout.why, "last": why})
        raise LayoutError(
            name, told, "last", f" (or last = {shown + frame.height - 1} if all of them are records)"
        )
    if tail.doubtful:
        _tell(
            f"{name}: row {_listed(tail.doubtful, shown)} may be a total or a note, but only one sign says so; it is "
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
        self.rows = {start + at: [str(cell).strip() for cell in row] for at, row in enumerate(cells)}
        self.last = frame.height - 1
        place = frame.height - 1
        while place > max(start, 0):
            filled = filled_cells(self.rows[place])
            if filled and keep[place]:
                if self._is_note(place, filled):
                    self.notes.insert(0, place)
                elif self._is_total(place, filled):
                    self.totals.insert(0, place)
                else:
                    break
            place -= 1
        self.last = place

    def _is_note(self, place: int, filled: list[int]) -> bool:
        """Whether a row of few cells is one, by a second sign beside that."""
        wide, row = self.frame.width, self.rows[place]
        if 2 * len(filled) > wide or _begins(row[filled[0]], "totals"):
            return False
        text = row[filled[0]]
        prose = len(text.split()) >= _PROSE
        word = (
            _begins(text, "notes") or _ENUMERATED.match(text) is not None or _RULE.fullmatch(text) is not None
        )
        parted = self._parted(place)
        if len(filled) == 1:
            signs = parted + prose + word + (place in self.ragged) + (wide > 2)
            if signs > 1:
                return True
            if signs == 1 and (parted or prose or word):
                self.doubtful.insert(0, place)
            return False
        return parted and (prose or word or place in self.ragged)

    def _parted(self, place: int) -> bool:
        """Whether a blank row stands between a row and the records above it."""
        above = place - 1
        while above in self.rows and 2 * len(filled_cells(self.rows[above])) <= self.frame.width:
            if not filled_cells(self.rows[above]):
                return True
            above -= 1
        return False

    def _is_total(self, place: int, filled: list[int]) -> bool:
        row = self.rows[place]
        label = filled[0]
        word = _begins(row[label], "totals") and not self._occurs_above(place, label)
        if not word and int(self.keep[:place].sum()) < _FEW:
            return False
        matched, numeric = self._sums(place, filled)
        sparse = 2 * len(filled) <= self.frame.width
        text = [
            at
            for at in filled
            if not (at in numeric and _is_number(row[at])) and not (sparse and _LEADING.match(row[at]))
        ]
        sums = 0 < len(matched) and 2 * len(matched) >= len([at for at in filled if at in numeric])
        means = word and not sums and self._are_means(place, filled)
        if word and (sums or means or text == [label]):
            said = "a word says so" + (
                f", and its numbers are the {'sums' if sums else 'means'} of those above"
                if sums or means
                else ", it is the last and names nobody"
            )
        elif sums and len(text) <= 1:
            said = "it is the last, and its numbers are the sums of those above"
        else:
            if word or sums:
                self.doubtful.insert(0, place)
            return False
        self.witnesses = self.witnesses or said
        return True

    def _are_means(self, place: int, filled: list[int]) -> bool:
        """Whether half of the numbers of a row sum up all records above it, or those since the last row of totals."""
        row, gone = self.rows[place], (~self.keep[:place]).arg_true()
        numeric = [at for at in filled if _is_number(row[at])]
        numbers = _NumberColumns(self.frame, self.keep, [])
        begins = {0, *(gone[-1:] + 1).to_list()}
        matched = max(numbers.summed_up(row, numeric, begin, place) for begin in begins)
        return 0 < matched and 2 * matched >= len(numeric)

    def _occurs_above(self, place: int, column: int) -> bool:
        cells = self.frame[self.frame.columns[column]][:place].filter(self.keep[:place]).fill_null("")
        cells = cells.str.strip_chars()
        return bool((cells == self.rows[place][column]).any())

    def _sums(self, place: int, filled: list[int]) -> tuple[list[int], set[int]]:
        """The filled columns whose number is the sum of those above, and all columns of numbers.

        A few cells tell of most columns that they are none, or that the number is no sum: it is among the others.
        """
        matched, numeric = [], set()
        for at in range(self.frame.width):
            for sign in _SIGNS:
                if not self._are_numbers(place, at, sign, _FIRST):
                    continue
                numeric.add(at)
                own = _numbers(pl.Series([self.rows[place][at]]), sign)[0] if at in filled else None
                if own is None or not self._is_above(own, self._above(place, at, sign, _FIRST)):
                    continue
                numbers = self._above(place, at, sign)
                if self._is_above(own, numbers) and _rounds(own, float(numbers.sum()), len(numbers)):
                    matched.append(at)
                    break
        return matched, numeric

    def _cells(self, place: int, column: int, most: int | None = None) -> pl.Series:
        """The cells above a row that are not empty, or some of them."""
        end = place if most is None else min(place, most)
        cells = self.frame[self.frame.columns[column]][:end].filter(self.keep[:end]).fill_null("")
        return cells.filter(cells.str.strip_chars() != "")

    def _above(self, place: int, column: int, sign: str, most: int | None = None) -> pl.Series:
        return _numbers(self._cells(place, column, most), sign).drop_nulls()

    def _are_numbers(self, place: int, column: int, sign: str, most: int) -> bool:
        cells = self._cells(place, column, most)
        return len(cells) > 0 and len(_numbers(cells, sign).drop_nulls()) >= _NUMBERS * len(cells)

    @staticmethod
    def _is_above(own: float, numbers: pl.Series) -> bool:
        return len(numbers) > 1 and own > float(numbers.max() or 0)  # type: ignore[arg-type]


def _rounds(own: float, total: float, count: int) -> bool:
    """Whether a number is a sum, but for how its parts were rounded."""
    return abs(own - total) <= max(0.006, min(0.005 * count, 1e-3 * abs(total)))


def _numbers(cells: pl.Series, thousands: str) -> pl.Series:
    """Cells as numbers, where this sign parts thousands; what is no number is null."""
    bare = cells.str.replace_all(r"[\s' €$£%]|CHF|kr|EUR|USD", "").str.replace_all(
        thousands, "", literal=True
    )
    if thousands == ".":
        bare = bare.str.replace_all(",", ".", literal=True)
    return bare.cast(pl.Float64, strict=False)


def _is_number(text: str) -> bool:
    return any(_numbers(pl.Series([text]), sign)[0] is not None for sign in _SIGNS)


def ends_in_totals(rows: pl.LazyFrame) -> bool:
    """Whether the last rows of a table that is not read yet hold a word for totals before other cells, or no cell."""
    last = rows.tail(_TAIL).collect().fill_null("").rows()
    return any(
        not filled or _begins(row[filled[0]], "totals") for row in last for filled in [filled_cells(row)]
    )


def is_total(text: str) -> bool:
    """Whether a text is a word for totals or means, alone or with a number behind it.

    >>> is_total("Gesamt"), is_total("Total (n=12)"), is_total("Total Care")
    (True, True, False)
    """
    return _begins(text, "totals")


def _begins(text: str, kind: str) -> bool:
    """Whether a cell begins with one of the words for totals or notes, or is one."""
    words: list[str] = resource_table("shoal.io.read", "layout.toml")[kind]
    low = text.strip().casefold().lstrip("*-=–— ")
    for word in words:
        if low == word:
            return True
        if low.startswith(word):
            rest = low[len(word) :]
            if rest.lstrip().startswith((":", "(", "=", "-")) or (
                kind == "totals" and _COUNTED.fullmatch(rest)
            ):
                return True
    return False


def _listed(places: Sequence[int], shown: int) -> str:
    """The numbers of rows at some places, the first of which is `shown`."""
    return listed_rows([place + shown for place in places])


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
