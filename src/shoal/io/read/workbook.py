"""Workbooks in: the first sheet of an xlsx file, looked through before the reader unpacks it into memory."""

import logging
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import polars as pl
from lxml import etree

from shoal.errors import InputError
from shoal.io.read.delimited import check_header
from shoal.io.read.files import room_for, silence_native_output

__all__ = ["read_workbook"]

_EMPTY = 16_000_000  # places of a sheet that may be empty, whatever it holds
_SPARSE = 10  # places for each cell of a larger one
_BLOCK = 1 << 20
_TAG = 32  # bytes: a tag that is looked for is shorter
_CELL = re.compile(rb"[<:]c(?=[\s/>])")
_PLACED = re.compile(rb'[<:]c r="([A-Z]{1,3})([0-9]{1,7})"')  # as every spreadsheet program writes a cell
_PLACE = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")
_OF_ZIPFILE = (EOFError, NotImplementedError, RuntimeError, ValueError, LookupError, OverflowError)
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, etree.XMLSyntaxError, *_OF_ZIPFILE)


def read_workbook(path: Path, name: str, limit: int) -> pl.DataFrame:
    """Read the first sheet; at most `limit` bytes are unpacked.

    Raises
    ------
    InputError
        It is no workbook, its header does not name every column, or it would take far more memory than it holds.
    """
    import fastexcel  # an extra: the table of formats says so, and whoever reads by it has looked

    _refuse_bomb(path, name, limit)
    with _silent():
        try:
            book = fastexcel.read_excel(path)
            header = book.load_sheet(0, header_row=None, n_rows=1, dtypes="string").to_polars()
            frame: pl.DataFrame = book.load_sheet(0).to_polars()
        except (fastexcel.FastExcelError, pl.exceptions.PolarsError, OSError):
            raise _broken(name) from None
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # its class has no name in any module
                raise
            raise _broken(name) from None
    check_header(["" if cell is None else cell for cell in header.row(0)] if header.height else [], name)
    return frame


@contextmanager
def _silent() -> Iterator[None]:
    """Keep what the reader says of types and cells from logs and the terminal."""
    speaker = logging.getLogger("fastexcel")  # what its parts say passes here
    before = speaker.handlers, speaker.propagate
    speaker.handlers, speaker.propagate = [logging.NullHandler()], False
    try:
        with silence_native_output():
            yield
    finally:
        speaker.handlers, speaker.propagate = before


def _broken(name: str) -> InputError:
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
                max(int(row) for _, row in placed), max(map(_column, {letters for letters, _ in placed}))
            )

    @property
    def hollow(self) -> bool:
        """Whether hardly any of its places is filled."""
        return self.rows * self.columns > max(_EMPTY, _SPARSE * self.cells)


def _refuse_bomb(path: Path, name: str, limit: int) -> None:
    """Unpack every member to nowhere, believing none of the sizes that the archive states."""
    room = left = room_for(path, limit)
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                honest = copy(info)
                honest.file_size, honest.CRC = limit + 1, None  # type: ignore[assignment]
                with archive.open(honest) as member:
                    left, sheet = _looked_through(member, left)  # no parser is as fast
                if left < 0:
                    raise InputError(f"{name}: unpacks to more than {room} bytes; save fewer records in it")
                if sheet.is_sheet and sheet.unplaced:
                    with archive.open(honest) as member:
                        sheet = _parsed(member)
                if sheet.hollow:
                    raise InputError(
                        f"{name}: a cell stands far away from all others; save the table alone, or as csv"
                    )
    except InputError:  # a ValueError as well
        raise
    except _BROKEN:
        raise _broken(name) from None


def _looked_through(member: IO[bytes], left: int) -> tuple[int, _Sheet]:
    """How many bytes are left to unpack, and how far cells reach that say where they are."""
    sheet, rest = _Sheet(), b""
    while left >= 0 and (block := member.read(_BLOCK)):
        left -= len(block)
        data = rest + block
        cut = max(data.rfind(b"<", -_TAG), data.rfind(b":", -_TAG))  # a tag may go on in the next block
        sheet.look(data[:cut] if cut >= 0 else data)
        rest = data[cut:] if cut >= 0 else b""
    sheet.look(rest)
    return left, sheet


def _parsed(member: IO[bytes]) -> _Sheet:
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
            at = _PLACE.fullmatch(element.get("r") or "")
            column = _column(at[1].encode()) if at else column + 1
            sheet.reach(int(at[2]) if at else row, column)
            sheet.cells += 1
    return sheet


def _column(letters: bytes) -> int:
    """The number of a column.

    >>> _column(b"A"), _column(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number
