"""Where the table stands in a file: its sheet, its header, rows that are no records, its last row, its array.

Offices write titles above a header, headers over two rows, totals and notes below the records. A file is read by what
its `Layout` says. Where it says nothing and the rows speak against what is usual, `LayoutError` tells in one sentence
what to write, and holds the layout that says so: `shoal init` takes it, everybody else shows the sentence. Rows are
counted from 1, as a spreadsheet program shows them; a record over several lines is one row.

Nothing is left out by one witness alone. A row is one of totals where two of these speak for it: a word such as
"Total" in front of cells that are empty, numbers that are the sums of those above, its place behind all records.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from shoal.errors import InputError, ShoalWarning
from shoal.io.settings import toml_value
from shoal.resources import resource_table

__all__ = [
    "KEYS",
    "SAMPLE",
    "Layout",
    "LayoutError",
    "find_header",
    "join_header",
    "kept_rows",
    "without_blank_columns",
]

KEYS = ("sheet", "header", "skip", "last", "records")
"""The keys of [data] that say where the table is."""
SAMPLE = 200
"""How many rows from the beginning are looked at for the header."""

_TAIL = 60  # rows from the end that may be no records
_LISTED = 5
_FULL = 0.8  # of the columns are named in a header, at least
_NUMBERS = 0.9  # of the cells of a column of numbers are some
_FEW = 3  # records from which sums tell something without a word
_DATA = re.compile(r"[\d\s.,:;/+\-()]*\d[\d\s.,:;/+\-()TZ%€$£]*|.*@.*|.{121,}", re.S)
_YEAR = re.compile(r"(?:19|20)\d\d")
_PROSE = 3  # words
_FIRST = 1000  # cells of a column that are looked at before all of them
_SIGNS = (",", ".")
"""What may part thousands."""
_ENUMERATED = re.compile(r"[*†‡©#]|\(?\d{1,2}\)|\[\d{1,2}\]")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a table stands in its file, by the keys of [data]; what is not given is as usual.

    sheet   : of a workbook; else the first
    header  : the rows with the names of columns; else the first row that is not blank
    skip    : how many rows at the beginning, or which rows anywhere, are no records
    last    : the last row of the table
    records : of json, the dotted path of the array; "." is the outermost object itself
    why     : by key, what speaks for it
    """

    sheet: str | None = None
    header: tuple[int, ...] = ()
    skip: int | tuple[int, ...] = ()
    last: int | None = None
    records: str | None = None
    why: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __bool__(self) -> bool:
        return self != Layout()

    @property
    def skipped(self) -> frozenset[int]:
        """The rows that are named one by one as no records."""
        return frozenset() if isinstance(self.skip, int) else frozenset(self.skip)

    @property
    def above(self) -> int:
        """How many rows at the beginning are left out unseen."""
        return self.skip if isinstance(self.skip, int) else 0

    def given(self) -> dict[str, Any]:
        """What it says, as it stands in [data].

        >>> Layout(header=(3,), skip=(9, 12)).given()
        {'header': 3, 'skip': [9, 12]}
        """
        values = {key: getattr(self, key) for key in KEYS}
        if len(self.header) == 1:
            values["header"] = self.header[0]
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
        return {key: value for key, value in plain.items() if value not in (None, [])}

    def lines(self) -> Iterator[str]:
        """The keys for shoal.toml, each below what speaks for it."""
        for key, value in self.given().items():
            if key in self.why:
                yield f"# {''.join(sign if sign.isprintable() else ' ' for sign in self.why[key])}."
            yield f"{key} = {toml_value(value)}"


class LayoutError(InputError):
    """A table does not stand where it is looked for; `layout` says where it does, as far as the rows tell."""

    def __init__(self, name: str, layout: Layout, key: str, besides: str = "") -> None:
        value = toml_value(layout.given()[key])
        super().__init__(
            f"{name}: {layout.why[key]}; write {key} = {value} into [data]{besides}, or let `shoal init` look at it"
        )
        self.layout = layout


def find_header(rows: Sequence[Sequence[str]], name: str, layout: Layout, shown: int = 1) -> Layout:
    """The layout with its rows of names, `rows` being the first of the file.

    Parameters
    ----------
    rows : sequence of rows of cells
        Blank ones too.
    name : str
        What messages call the file.
    layout : Layout
        What is known already.
    shown : int
        The number of the first of `rows`.

    Raises
    ------
    LayoutError
        The names stand below a title, or in two rows.
    InputError
        A row that is said to hold names is not there.
    """
    if layout.header:
        if layout.header[-1] - shown >= len(rows) or layout.header[0] < shown:
            raise InputError(
                f"{name}: there is no row {layout.header[-1]} with names of columns; correct header"
            )
        return layout
    there = [place for place, row in enumerate(rows) if _filled(row) and place + shown > layout.above]
    if not there:
        return layout
    usual = replace(layout, header=(there[0] + shown,))
    wide = max(len(_filled(rows[place])) for place in there)
    found = _named_rows(rows, there, wide)
    if found is None or found == (there[0],):
        return usual
    header = tuple(place + shown for place in found)
    above = [place for place in there if place < found[0]]
    why = []
    if above:
        one = len(above) == 1
        why.append(
            f"{'row' if one else 'rows'} {_listed([place + shown for place in above])} above the names of columns "
            f"{'is' if one else 'are'} a title, {'it fills' if one else 'they fill'} few of the {wide} columns"
        )
    if len(found) > 1:
        why.append(
            f"rows {header[0]} and {header[1]} name the columns together, the upper has cells that reach over several"
        )
    told = replace(layout, header=header, why={**layout.why, "header": "; ".join(why)})
    raise LayoutError(name, told, "header")


def _named_rows(rows: Sequence[Sequence[str]], there: Sequence[int], wide: int) -> tuple[int, ...] | None:
    """The places of the rows with names; None where nothing tells."""
    for place in there:
        row = rows[place]
        if wide > 1 and place + 1 < len(rows) and _over_two(row, rows[place + 1], wide):
            return (place, place + 1)
        if _is_title(row, wide):
            continue
        if place == there[0]:
            return (place,)
        fits = len(_filled(row)) >= _FULL * wide and _are_names(row) and _is_unlike(rows, place, there)
        return (place,) if fits else None
    return None


def _filled(row: Sequence[str]) -> list[int]:
    return [place for place, cell in enumerate(row) if cell.strip()]


def _is_title(row: Sequence[str], wide: int) -> bool:
    """Whether a row fills hardly any column: one, or of many columns two beside each other ("Date: 1 May")."""
    filled = _filled(row)
    if len(filled) == 1:
        return wide > 2 or (wide == 2 and filled == [0])
    return len(filled) == 2 and wide > 3 and filled[1] == filled[0] + 1


def _are_names(row: Sequence[str]) -> bool:
    cells = [row[place].strip() for place in _filled(row)]
    if not cells or _DATA.fullmatch(cells[0]) or len({*cells}) < len(cells):
        return False
    return not any(_DATA.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in cells)


def _is_unlike(rows: Sequence[Sequence[str]], place: int, there: Sequence[int]) -> bool:
    """Whether a row below a title is unlike the records: another kind of cells, or parted from a title of words."""
    title = next(place for place in there)
    if place - title > 1 or any(len(cell.split()) > 1 for cell in rows[title]):
        return True
    below = [rows[other] for other in there if other > place]
    return any(
        below
        and all(len(row) > at and (not row[at].strip() or _DATA.fullmatch(row[at].strip())) for row in below)
        for at in _filled(rows[place])
    )


def _over_two(upper: Sequence[str], lower: Sequence[str], wide: int) -> bool:
    """Whether two rows name columns only together: the upper has gaps for the lower, or repeats a name."""
    over, under = _filled(upper), _filled(lower)
    if len(over) < 2 or not under or len({*over, *under}) < _FULL * wide:
        return False
    names = [upper[place].strip() for place in over]
    repeated = any(upper[place].strip() == upper[place + 1].strip() != "" for place in range(len(upper) - 1))
    within = [place for place in range(over[0], over[-1]) if place not in over and place in under]
    behind = [place for place in under if place > over[-1]]
    whole_below = len(under) >= len({*over, *under})
    gaps = bool(within) or (bool(behind) and not whole_below)
    if not gaps and not (repeated and len({*names}) < len(names)):
        return False
    joined = [name for name in join_header([upper, lower]) if name]
    cells = [cell.strip() for cell in (*upper, *lower)]
    words = not any(_DATA.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in cells)
    return words and len({*joined}) == len(joined)


def join_header(rows: Sequence[Sequence[str]]) -> list[str]:
    """The names of columns from the rows that hold them, joined as "upper lower".

    A cell of an upper row reaches over blank ones behind it, unless nothing stands below itself.

    >>> join_header([["Person", "", "Address", ""], ["name", "age", "street", "town"]])
    ['Person name', 'Person age', 'Address street', 'Address town']
    >>> join_header([["id", "Address", ""], ["", "street", "town"]])
    ['id', 'Address street', 'Address town']
    """
    if len(rows) == 1:
        return list(rows[0])
    *above, lower = rows
    wide = max(map(len, rows))
    low = [cell.strip() for cell in lower] + [""] * (wide - len(lower))
    upper = join_header(above)
    upper = [cell.strip() for cell in upper] + [""] * (wide - len(upper))
    names, over = [], ""
    for high, name in zip(upper, low, strict=True):
        if high:
            over = high if name else ""
        first = high or (over if name else "")
        names.append(first if first == name else f"{first} {name}".strip())
    return names


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
        frame.select(pl.all_horizontal(pl.all().fill_null("").str.strip_chars() == "").alias("blank"))[
            "blank"
        ]
        if frame.width
        else pl.Series("blank", [True] * frame.height, dtype=pl.Boolean)
    )
    skipped = number.is_in(sorted(layout.skipped)) & ~blank
    keep = ~blank & ~skipped
    if layout.last is not None:
        keep &= number <= layout.last
        below += int((~blank & (number > layout.last)).sum())
    else:
        _refuse_tail(frame, name, layout, shown, keep, frozenset(ragged))
    inside = keep.arg_true()
    holes = int(blank[: inside[-1]].sum()) if len(inside) else 0
    for count, what in ((below, f"below row {layout.last}"), (int(skipped.sum()), "that skip names")):
        if count:
            _tell(f"{name}: {_counted(count, 'row')} {what} left out, no record")
    if holes:
        _tell(f"{name}: {_counted(holes, 'row')} without any cell left out")
    return keep


def _tell(sentence: str) -> None:
    warnings.warn(sentence, ShoalWarning, stacklevel=3)


def _refuse_tail(
    frame: pl.DataFrame, name: str, layout: Layout, shown: int, keep: pl.Series, ragged: frozenset[int]
) -> None:
    """Refuse rows behind the records that are none, where two witnesses say so; tell what is in doubt."""
    tail = _Tail(frame, keep, {row - shown for row in ragged})
    last, totals, notes = tail.last, tail.totals, tail.notes
    if totals or notes:
        what = []
        if totals:
            rows = _listed([place + shown for place in totals])
            what.append(
                f"row {rows} holds totals ({tail.witnesses})"
                if len(totals) == 1
                else f"rows {rows} hold totals ({tail.witnesses})"
            )
        if notes:
            rows = _listed([place + shown for place in notes])
            what.append(f"row {rows} is a note" if len(notes) == 1 else f"rows {rows} are notes")
        why = f"below the records in row {last + shown}, {' and '.join(what)}"
        told = replace(layout, last=last + shown, why={**layout.why, "last": why})
        raise LayoutError(
            name, told, "last", f" (or last = {shown + frame.height - 1} if all of them are records)"
        )
    if tail.doubtful:
        rows = _listed([place + shown for place in tail.doubtful])
        _tell(
            f"{name}: row {rows} may be a total or a note, but only one sign says so; it is taken for a record: where "
            f"it is none, write last = {tail.doubtful[0] + shown - 1} into [data]"
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
            filled = _filled(self.rows[place])
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
        word = _begins(text, "notes") or _ENUMERATED.match(text) is not None
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
        while above in self.rows and 2 * len(_filled(self.rows[above])) <= self.frame.width:
            if not _filled(self.rows[above]):
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
        text = [at for at in filled if at not in numeric or not _is_number(row[at])]
        sums = 0 < len(matched) and 2 * len(matched) >= len([at for at in filled if at in numeric])
        if word and (sums or text == [label]):
            said = "a word says so" + (
                ", and its numbers are the sums of those above"
                if sums
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

    def _occurs_above(self, place: int, column: int) -> bool:
        cells = self.frame[self.frame.columns[column]][:place].fill_null("").str.strip_chars()
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


_COUNTED = re.compile(r"[\s.:]*(?:[\d.,]+|of .*|for .*|de .*|der .*|des .*|n\s*=.*)?[\s.:]*")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _listed(rows: Sequence[int]) -> str:
    """Numbers of rows in words: the first few."""
    shown = ", ".join(map(str, rows[:_LISTED]))
    return shown if len(rows) <= _LISTED else f"{shown} and {len(rows) - _LISTED} more"
