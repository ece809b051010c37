"""Workbooks in: one sheet of an xlsx file, looked through before the reader unpacks it into memory.

A code book is another sheet that says which word each code of a column stands for.
Offices write them in two ways: a row for each code (sex, 1, male), the name of the column often in the first row of
each alone; or a row for each column, with all its codes in one cell (sex, 1 = male; 2 = female). Nobody says which
columns of the sheet are which: they are those whose names and codes the data have.
"""

import logging
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import IO, Any

import polars as pl
from lxml import etree

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.io.codebooks import Codebook
from shoal.io.labelled import replace_with_labels
from shoal.io.read.cells import cell_texts
from shoal.io.read.delimited import check_header, name_header, refuse_same_names
from shoal.io.read.files import silence_native_output, unpack_limit
from shoal.io.read.layout import (
    SAMPLE,
    VALUES,
    Layout,
    LayoutError,
    find_header,
    join_header,
)
from shoal.io.read.record_rows import count_filled_cells, drop_blank_columns, record_mask

__all__ = ["_code_labels", "read_workbook"]


_MOST = 0.9  # of the different cells of a column have a word in the book
_NAMED = 0.5  # of the names in a book are columns of the data, or it is a book of something else
_LONGEST = 5_000  # rows of a book
_WIDEST = 12  # columns
_CODES = 200  # different cells of a column that has codes
_BETWEEN = re.compile(r"[;\n|]|,(?=\s*[^\s=:;,]{1,12}\s*=)")  # two codes of one cell
_PAIR = re.compile(r"([^\s:;,]{1,12}?)\s*[:–-](.*)", re.DOTALL)
_LONGEST_CODE = 12
_WORD = re.compile(r"[^\W\d_]")


def _code_labels(
    books: Iterable[pl.DataFrame], data: Mapping[str, Iterable[str]]
) -> dict[str, dict[str, str]]:
    """For columns of the data the word of each code, by the first of the sheets that has words for nearly all of them.

    Parameters
    ----------
    books : frames of texts
        The other sheets, all of their rows.
    data : mapping of str to texts
        For each column its different cells.

    >>> book = pl.DataFrame([["variable", "sex", ""], ["code", "1", "2"], ["label", "male", "female"]])
    >>> _code_labels([book], {"sex": ["1", "2"], "age": ["31"]})
    {'sex': {'1': 'male', '2': 'female'}}
    """
    name_of_key = {_normalize_key(name): name for name in data}
    cells = {name: {_normalize_key(cell) for cell in values} - {""} for name, values in data.items()}
    for book in books:
        if book.height > _LONGEST or not 2 <= book.width <= _WIDEST:
            continue
        columns = [[cell.strip() for cell in book.to_series(index)] for index in range(book.width)]
        for position, names in enumerate(columns):
            keys = {_normalize_key(name) for name in names[1:] if name}
            if not keys or len(keys & name_of_key.keys()) < _NAMED * len(keys):
                continue
            other_columns = columns[position + 1 :]
            ways = [_parse_rows(names, *pair) for pair in combinations(other_columns, 2)]
            ways += [_parse_cells(names, column) for column in other_columns]
            label_maps = [
                {
                    name_of_key[name]: words
                    for name, words in way.items()
                    if name in name_of_key and _covers_codes(words, cells[name_of_key[name]])
                }
                for way in ways
            ]
            if best := max(label_maps, key=len, default={}):
                return best
    return {}


def _columns_of_texts(sheet: pl.DataFrame, books: Iterable[pl.DataFrame]) -> dict[str, set[str]]:
    """The columns of a sheet whose header is not known yet: below the row with most of the names in other sheets."""
    known_names = {
        _normalize_key(cell) for book in books if book.height <= _LONGEST for cell in book.to_series(0)
    } - {""}
    rows = sheet.head(50).rows()
    header_row = max(
        range(len(rows)),
        key=lambda row: len({_normalize_key(cell) for cell in rows[row]} & known_names),
        default=0,
    )
    if not rows:
        return {}
    below = sheet.slice(header_row + 1)
    return {name: set(below.to_series(index)) for index, name in enumerate(rows[header_row]) if name.strip()}


def _parse_rows(names: list[str], codes: list[str], words: list[str]) -> dict[str, dict[str, str]]:
    """A row for each code; where no column is named it is that of the row above."""
    words_of_column: dict[str, dict[str, str]] = {}
    column_name = ""
    for name, code, word in zip(names, codes, words, strict=True):
        column_name = _normalize_key(name) or column_name
        if column_name and code and _WORD.search(word):
            words_of_column.setdefault(column_name, {})[_normalize_key(code)] = word
    return words_of_column


def _parse_cells(names: list[str], lists: list[str]) -> dict[str, dict[str, str]]:
    """A row for each column, all codes in one cell."""
    pairs = {
        _normalize_key(name): dict(filter(None, map(_parse_pair, _BETWEEN.split(cell))))
        for name, cell in zip(names, lists, strict=True)
        if name
    }
    return {name: words for name, words in pairs.items() if len(words) > 1}


def _parse_pair(text: str) -> tuple[str, str] | None:
    """A code and its word; a cell may be a long text of anything, so nothing here looks at it twice.

    >>> _parse_pair("1 = male"), _parse_pair("Sex: 2 = female"), _parse_pair("3 - other"), _parse_pair("see the notes")
    (('1', 'male'), ('2', 'female'), ('3', 'other'), None)
    """
    before, sign, word = text.rpartition("=")
    if sign:
        code = re.split(r"[\s:,]", before.strip())[-1]
    elif match := _PAIR.match(text.strip()):
        code, word = match.groups()
    else:
        return None
    if not 0 < len(code) <= _LONGEST_CODE or "=" in code or not _WORD.search(word):
        return None
    return _normalize_key(code), word.strip()


def _covers_codes(words: Mapping[str, str], cells: set[str]) -> bool:
    """Whether nearly all cells of a column have a word, and it is more than the cell itself."""
    if not 1 < len(cells) <= _CODES or all(cell == _normalize_key(word) for cell, word in words.items()):
        return False
    return len(cells & words.keys()) >= _MOST * len(cells)


def _normalize_key(cell: str) -> str:
    """A name or a code as it is compared: 1.0 is 1."""
    return cell.strip().casefold().removesuffix(".0")


_SHEETS = 100  # that are looked at
_FIRST = 20  # rows of a sheet among which its header is compared
_EMPTY = 16_000_000  # places of a sheet that may be empty, whatever it holds
_SPARSE = 10  # places for each cell of a larger one
_BLOCK = 1 << 20
_TAG = 32  # bytes: a tag that is looked for is shorter
_CELL = re.compile(rb"[<:]c(?=[\s/>])")
_PLACED = re.compile(rb'[<:]c r="([A-Z]{1,3})([0-9]{1,7})"')  # as every spreadsheet program writes a cell
_PLACE = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")
_MERGED = re.compile(rb'mergeCell ref="([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})"')
_INDEX = ("workbook.xml", "_rels/workbook.xml.rels")  # names of sheets, and where they are
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_OF_ZIPFILE = (EOFError, NotImplementedError, RuntimeError, ValueError, LookupError, OverflowError)
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, etree.XMLSyntaxError, *_OF_ZIPFILE)


def read_workbook(path: Path, name: str, limit: int, layout: Layout | None = None) -> pl.DataFrame:
    """Read one sheet, the first if none is named; at most `limit` bytes are unpacked.

    Raises
    ------
    LayoutError
        The table is in another sheet, or elsewhere in this one.
    InputError
        It is no workbook, its header does not name every column, or it would take far more memory than it holds.
    """
    import fastexcel  # an extra: the table of formats says so, and whoever reads by it has looked

    _refuse_bomb(path, name, limit)
    with _silence_reader():
        try:
            book = fastexcel.read_excel(path)
            if layout is not None:
                return _read_table(book, path, name, layout)
            header = book.load_sheet(0, header_row=None, n_rows=1, dtypes="string").to_polars()
            frame: pl.DataFrame = book.load_sheet(0).to_polars()
        except (fastexcel.FastExcelError, pl.exceptions.PolarsError, OSError):
            raise _file_error(name) from None
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # its class has no name in any module
                raise
            raise _file_error(name) from None
    check_header(["" if cell is None else cell for cell in header.row(0)] if header.height else [], name)
    return frame


def _read_table(book: Any, path: Path, name: str, layout: Layout) -> pl.DataFrame:
    """The records of a sheet, wherever the table stands in it.

    All cells are read as text first: only then is known which rows are records, and these are read again with the types
    that they have without titles, totals and notes.
    """
    layout = _choose_sheet(book, name, layout)
    merged = _find_merged_cells(path, layout.sheet or book.sheet_names[0])
    rows = _fill_merged_cells(_read_texts(book, layout.sheet), merged, 1)
    sample = rows.head(max(SAMPLE, *layout.header, layout.above + 1, 1)).rows()
    layout = find_header([list(row) for row in sample], name, layout)
    if not layout.header:
        check_header([], name)
    names = join_header([list(rows.row(row - 1)) for row in layout.header])
    refuse_same_names(names, name, layout.header[-1])
    body, column_names = drop_blank_columns(rows.slice(layout.header[-1]), names, name)
    header = name_header(column_names)
    check_header(header, name, layout.header[-1])
    keep = record_mask(
        body.rename(dict(zip(body.columns, header, strict=True))), name, layout, layout.header[-1] + 1
    )
    reach = 1 + max(keep.arg_true(), default=-1)
    typed: pl.DataFrame = book.load_sheet(
        0 if layout.sheet is None else layout.sheet,
        header_row=None,
        column_names=list(rows.columns),
        skip_rows=layout.header[-1],
        n_rows=reach,
    ).to_polars()
    records = _fill_merged_cells(typed, merged, layout.header[-1] + 1).filter(keep[:reach])
    table = records.select(
        pl.col(column).alias(name_in_header)
        for column, name_in_header in zip(body.columns, header, strict=True)
    )
    return _apply_labels(book, layout.sheet, table) if layout.values == VALUES[0] else table


def _apply_labels(book: Any, sheet: str | None, records: pl.DataFrame) -> pl.DataFrame:
    """The records with words for the codes of which another sheet says what they mean."""
    other_frames = [
        _read_texts(book, candidate)
        for candidate in book.sheet_names[:_SHEETS]
        if candidate != (sheet or book.sheet_names[0])
    ]
    cells = {
        name: cell_texts(column).drop_nulls().unique()
        for name, column in zip(records.columns, records, strict=True)
    }
    labels = _code_labels([candidate for candidate in other_frames if candidate.width], cells)
    return records.with_columns(
        replace_with_labels(records[name], Codebook({code: word for code, word in words.items() if word}))
        for name, words in labels.items()
    )


def _find_merged_cells(path: Path, sheet: str) -> list[tuple[int, int, int]]:
    """The cells of a sheet that reach over several rows of one column: its place, the first and the last row."""
    with zipfile.ZipFile(path) as archive:
        try:
            parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
            books, links = (etree.fromstring(archive.read(f"xl/{part}"), parser) for part in _INDEX)
            target = {link.get("Id"): link.get("Target") or "" for link in links}
            keys = {element.get("name"): element.get(_LINK) for element in books.iter("{*}sheet")}
            cells = archive.read(f"xl/{target[keys[sheet]].removeprefix('/xl/')}")
        except (KeyError, etree.XMLSyntaxError):
            return []  # another program's names; cells that reach over others are then empty below the first
    cell_ranges = [
        (_column_number(first_column) - 1, int(first_row), _column_number(last_column) - 1, int(last_row))
        for first_column, first_row, last_column, last_row in _MERGED.findall(cells)
    ]
    return [
        (first_column, first_row, last_row)
        for first_column, first_row, last_column, last_row in cell_ranges
        if first_column == last_column and first_row < last_row
    ]


def _fill_merged_cells(frame: pl.DataFrame, merged: list[tuple[int, int, int]], shown: int) -> pl.DataFrame:
    """The frame, whose first row has the number `shown`, with what cells hold that reach over several rows in each."""
    sources: dict[int, list[int]] = {}
    for column, top, end in merged:
        if column >= frame.width or top < shown:
            continue
        source_rows = sources.setdefault(column, list(range(frame.height)))
        for row in range(top - shown, min(end - shown + 1, frame.height)):
            source_rows[row] = top - shown
    return frame.with_columns(
        frame.to_series(column).gather(source_rows) for column, source_rows in sources.items()
    )


def _read_texts(book: Any, sheet: str | None) -> pl.DataFrame:
    """All cells of a sheet as text, rows from the first one on, blank ones too."""
    frame: pl.DataFrame = book.load_sheet(
        0 if sheet is None else sheet, header_row=None, skip_rows=0, dtypes="string"
    ).to_polars()
    return frame.with_columns(pl.all().fill_null(""))


def _choose_sheet(book: Any, name: str, layout: Layout) -> Layout:
    """The layout with the sheet that holds the table; of several, the one with most cells in columns beside each other.

    Raises
    ------
    LayoutError
        That is not the first sheet.
    InputError
        There is no sheet of the name that is given.
    """
    sheet_names = list(book.sheet_names)
    if layout.sheet is not None:
        if layout.sheet not in sheet_names:
            raise InputError(f"{name}: no sheet '{layout.sheet}'; {suggest_name(layout.sheet, sheet_names)}")
        return layout
    if len(sheet_names) < 2:
        return layout
    frames = {sheet: _read_texts(book, sheet) for sheet in sheet_names[:_SHEETS]}
    cells = {sheet: _count_table_cells(frame) for sheet, frame in frames.items()}
    if sum(count > 0 for count in cells.values()) < 2 and cells[sheet_names[0]]:
        return layout  # the others are empty
    choice = max(cells, key=lambda sheet: cells[sheet])
    books = {sheet: frame for sheet, frame in frames.items() if sheet != choice and frame.width}
    data = _columns_of_texts(frames[choice], books.values()) if layout.values is None else {}
    words, codebook_sheet = next(
        ((labels, sheet) for sheet, book in books.items() if (labels := _code_labels([book], data))), ({}, "")
    )
    other_names = ", ".join(repr(sheet) for sheet in sheet_names if sheet not in (choice, codebook_sheet))
    alike = [
        sheet for sheet in frames if sheet != choice and _have_same_header(frames[sheet], frames[choice])
    ]
    why = f"of {len(sheet_names)} sheets this one holds the most cells of a table"
    why += f"; {codebook_sheet!r} is its code book" if words else ""
    why += f"; not read: {other_names}" if other_names else ""
    if alike:
        why += f"; {', '.join(map(repr, alike))} begin with the same rows, so there may be more people there"
    new_layout = replace(layout, sheet=choice, why={**layout.why, "sheet": why})
    if words:
        why = (
            f'sheet {codebook_sheet!r} says what the codes of {", ".join(words)} mean; values = "codes" '
            "leaves them as they are"
        )
        new_layout = replace(new_layout, values=VALUES[0], why={**new_layout.why, "values": why})
    raise LayoutError(name, new_layout, "sheet")


def _count_table_cells(frame: pl.DataFrame) -> int:
    """How many cells a table in a sheet has at most: those of rows that fill more than one column."""
    filled = count_filled_cells(frame)
    return int(filled.filter(filled > 1).sum())


def _have_same_header(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two sheets have the same header, wherever it stands."""
    header_rows = [row for row in one.head(_FIRST).rows() if sum(map(bool, row)) > 1][:1]
    return header_rows != [] and header_rows[0] in other.head(_FIRST).rows()


@contextmanager
def _silence_reader() -> Iterator[None]:
    """Keep what the reader says of types and cells from logs and the terminal."""
    speaker = logging.getLogger("fastexcel")  # what its parts say passes here
    before = speaker.handlers, speaker.propagate
    speaker.handlers, speaker.propagate = [logging.NullHandler()], False
    try:
        with silence_native_output():
            yield
    finally:
        speaker.handlers, speaker.propagate = before


def _file_error(name: str) -> InputError:
    return InputError(f"{name}: not an xlsx file, or a broken one; save it again")


@dataclass(slots=True)
class _Sheet:
    """How far the cells of a sheet reach: the reader makes room for every place between them.

    `unplaced` says that a cell does not begin with its place; then only a parser tells where it is.
    """

    is_sheet: bool = False
    unplaced: bool = False
    cells: int = 0
    rows: int = 0
    columns: int = 0

    def reach(self, row: int, column: int) -> None:
        self.rows, self.columns = max(self.rows, row), max(self.columns, column)

    def look(self, data: bytes) -> None:
        """Take whole tags; what only looks like one makes the sheet larger, never smaller."""
        if b"<c" not in data and b":c" not in data and b"sheetData" not in data:
            return
        placed = _PLACED.findall(data)
        self.is_sheet = self.is_sheet or b"sheetData" in data
        self.unplaced = self.unplaced or len(_CELL.findall(data)) != len(placed)
        self.cells += len(placed)
        if placed:
            self.reach(
                max(int(row) for _, row in placed),
                max(map(_column_number, {letters for letters, _ in placed})),
            )

    @property
    def hollow(self) -> bool:
        """Whether hardly any of its places is filled."""
        return self.rows * self.columns > max(_EMPTY, _SPARSE * self.cells)


def _refuse_bomb(path: Path, name: str, limit: int) -> None:
    """Unpack every member to nowhere, believing none of the sizes that the archive states."""
    room = bytes_left = unpack_limit(path, limit)
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                honest = copy(info)
                honest.file_size, honest.CRC = limit + 1, None  # type: ignore[assignment]
                with archive.open(honest) as member:
                    bytes_left, sheet = _scan_member(member, bytes_left)  # no parser is as fast
                if bytes_left < 0:
                    raise InputError(f"{name}: unpacks to more than {room} bytes; save fewer records in it")
                if sheet.is_sheet and sheet.unplaced:
                    with archive.open(honest) as member:
                        sheet = _parse_member(member)
                if sheet.hollow:
                    raise InputError(
                        f"{name}: a cell stands far away from all others; save the table alone, or as csv"
                    )
    except InputError:  # a ValueError as well
        raise
    except _BROKEN:
        raise _file_error(name) from None


def _scan_member(member: IO[bytes], left: int) -> tuple[int, _Sheet]:
    """How many bytes are left to unpack, and how far cells reach that say where they are."""
    sheet, tail = _Sheet(), b""
    while left >= 0 and (block := member.read(_BLOCK)):
        left -= len(block)
        data = tail + block
        cut = max(data.rfind(b"<", -_TAG), data.rfind(b":", -_TAG))  # a tag may go on in the next block
        sheet.look(data[:cut] if cut >= 0 else data)
        tail = data[cut:] if cut >= 0 else b""
    sheet.look(tail)
    return left, sheet


def _parse_member(member: IO[bytes]) -> _Sheet:
    """How far all cells reach; one without a place stands behind the one before."""
    sheet, row, column = _Sheet(), 0, 0
    options = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
    tags = ("{*}row", "{*}c")
    for event, element in etree.iterparse(member, ("start", "end"), tag=tags, encoding="utf-8", **options):
        is_row = etree.QName(element).localname == "row"
        if event == "end":
            if is_row:
                element.clear()
        elif is_row:
            row, column = int(element.get("r") or row + 1), 0
        else:
            position = _PLACE.fullmatch(element.get("r") or "")
            column = _column_number(position[1].encode()) if position else column + 1
            sheet.reach(int(position[2]) if position else row, column)
            sheet.cells += 1
    return sheet


def _column_number(letters: bytes) -> int:
    """The number of a column.

    >>> _column_number(b"A"), _column_number(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number
