"""Tables of text cells, RFC 4180 with any delimiter: proven tidy and read by polars, else by the csv module.

polars is an order of magnitude faster, but pads short rows in silence and leaves the meaning of stray
quotes open. So a vectorized pass over the bytes proves that every record has the header's width and every
quote its place; a file that is not so tidy is read record by record, which either copes or names the line.

Of a file as offices have them, what stands above the header or below the last row may be anything: the rows between are
read in the same two ways.
"""

import csv
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.base.errors import EncodingError, InputError
from shoal.data.arrays import I8
from shoal.io.read.layout import SAMPLE, Layout, find_header, join_header
from shoal.io.read.record_rows import drop_blank_columns, record_mask

__all__ = [
    "STATED",
    "check_header",
    "detect_delimiter",
    "guess_delimiter",
    "is_tidy",
    "iter_records",
    "name_header",
    "parse_header",
    "read_delimited",
    "read_text_table",
    "refuse_columns",
    "refuse_same_names",
    "refuse_wide",
]


_ROW = "row"
"""What a first column without a name is called."""

STATED = re.compile(rb"(?i:sep)=([,;\t|])\r?\n")
"""The line by which a file states its delimiter; it is no row."""
_DELIMITERS = ",;\t|"
_BLOCK = 1 << 22
_SAMPLE = 1 << 16
_COLUMNS = 10_000
_LINE = 1 << 24  # no honest record has a longer line
_BATCH = 1 << 16
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'


def read_delimited(path: Path, name: str, delimiter: str | None = None) -> pl.DataFrame:
    """Read a UTF-8 file without byte order mark, every cell as text, an empty cell as empty text.

    Parameters
    ----------
    path : Path
    name : str
        What messages call the file.
    delimiter : str, optional
        Else the first lines decide among `,` `;` tab and `|`; a first line such as `sep=;` decides alone.

    Raises
    ------
    InputError
        Not UTF-8, broken quotes, records of unequal width, a header with repeated names, or empty ones but the first.
    """
    with _report_decoding_errors(path, name):
        separator = _check_delimiter(delimiter) or detect_delimiter(path)
        with closing(iter_records(path, name, separator)) as rows:
            file_header = next(rows, [])
            header = name_header(file_header)
            check_header(header, name)
            if is_tidy(path, ord(separator), len(header)):
                frame = _read_with_polars(path, separator)
                if frame is not None and frame.columns == file_header:
                    return frame.rename(dict(zip(file_header, header, strict=True)))
            return _frame_from_records(rows, header)


def _check_delimiter(delimiter: str | None) -> str | None:
    """The delimiter that somebody gave, if any; refused where it can be none."""
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
        raise InputError("delimiter: give one ASCII character that is neither a quote nor a line end")
    return delimiter


@contextmanager
def _report_decoding_errors(path: Path, name: str) -> Iterator[None]:
    """Tell with its line where bytes are not UTF-8."""
    try:
        yield
    except UnicodeDecodeError:
        raise EncodingError(
            f"{name}, line {_find_bad_line(path)}: the bytes are not UTF-8 text; give the file's encoding, such "
            "as cp1252, or save it as UTF-8"
        ) from None


def detect_delimiter(path: Path) -> str:
    """The delimiter that gives the first records one width; the widest header if none or several do."""
    stated = _read_stated_delimiter(path)[0]
    if stated is not None:
        return stated
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        return guess_delimiter(file.read(_SAMPLE), whole=not file.read(1))


def _read_stated_delimiter(path: Path) -> tuple[str | None, int]:
    """The delimiter that a first line such as `sep=;` states, and how many bytes that line has."""
    with path.open("rb") as file:
        match = STATED.match(file.read(16))
    return (None, 0) if match is None else (match[1].decode(), match.end())


def guess_delimiter(text: str, *, whole: bool) -> str:
    """The delimiter of a file that begins with this text; `whole` says that nothing follows."""
    sample = text[:_SAMPLE]
    whole = whole and len(text) <= _SAMPLE

    def score(delimiter: str) -> tuple[bool, float, int]:
        rows = list(csv.reader(StringIO(sample, newline=""), delimiter=delimiter))
        widths = [len(row) for row in (rows if whole else rows[:-1]) if row] or [0]
        usual = max({*widths}, key=widths.count)  # titles and notes have other widths
        share = widths.count(usual) / len(widths)
        steady = usual > 1 and 2 * widths.count(usual) > len(widths)
        return min(widths) == max(widths) > 1, share if steady else 0.0, widths[0]

    return max(_DELIMITERS, key=score)


def parse_header(text: str, delimiter: str) -> list[str]:
    """The first record of a text.

    >>> parse_header('"last, first";age', ";")
    ['last, first', 'age']
    """
    return next(csv.reader(StringIO(text, newline=""), delimiter=delimiter), [])


def name_header(header: list[str]) -> list[str]:
    """The header; where pandas and R wrote the numbers of rows and no name above them, it is `row`."""
    if len(header) > 1 and not header[0].strip() and _ROW not in header:
        return [_ROW, *header[1:]]
    return header


def check_header(header: Sequence[str], name: str, row: int = 1) -> None:
    """Refuse a header, which stands in this row, that does not give every column a name of its own."""
    # A header of cells is what a file without header looks like: names are told by place only.
    if not header:
        raise InputError(f"{name}: the file is empty; give a header line and records")
    refuse_columns(header, name)
    header_label = "first line" if row == 1 else "header"
    for position, column in enumerate(header, 1):
        if not column.strip():
            raise InputError(
                f"{name}, line {row}: column {position} has no name; name every column in the {header_label}"
            )
    refuse_same_names(header, name, row)


def refuse_same_names(header: Sequence[str], name: str, row: int = 1) -> None:
    """Refuse a header, which stands in this row, of which two names are the same; columns without one are counted."""
    position_of: dict[str, int] = {}
    for position, column in enumerate(header, 1):
        first_position = position_of.setdefault(column, position)
        if first_position < position and column.strip():
            raise InputError(
                f"{name}, line {row}: columns {first_position} and {position} have the same name; give every "
                "column its own",
                value=column,
            )


def refuse_wide(columns: int, name: str) -> None:
    """Refuse more columns than any table about people has: each is looked at alone and beside others."""
    if columns > _COLUMNS:
        raise InputError(f"{name}: more than {_COLUMNS} columns; leave out those that nobody needs")


def refuse_columns(columns: Sequence[str], name: str) -> None:
    """Refuse too many columns, and names that frames read as a pattern of names."""
    refuse_wide(len(columns), name)
    for position, column in enumerate(columns, 1):
        if column == "*" or (column.startswith("^") and column.endswith("$")):
            raise InputError(
                f"{name}: the name of column {position} is written like a pattern of names; rename the column",
                value=column,
            )


def _read_with_polars(path: Path, separator: str, **how: Any) -> pl.DataFrame | None:
    try:
        frame = pl.read_csv(path, separator=separator, infer_schema=False, glob=False, **how)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    return frame.with_columns(pl.all().fill_null(""))


def _frame_from_records(records: Iterator[list[str]], header: list[str]) -> pl.DataFrame:
    schema = dict.fromkeys(header, pl.String)
    parts = [pl.DataFrame(schema=schema)]
    while batch := list(islice(records, _BATCH)):
        parts.append(pl.DataFrame(batch, schema=schema, orient="row"))
    return pl.concat(parts)


def iter_records(path: Path, name: str, separator: str) -> Generator[list[str], None, None]:
    """Every record, header first, blank lines left out; whatever is wrong is told with its line."""
    width = 0
    with closing(_iter_text_rows(path, name, separator)) as rows:
        for line, record in rows:
            width = width or len(record)
            if record and len(record) != width:
                raise _width_error(name, line, len(record), width)
            if record:
                yield record


def _width_error(name: str, line: int, cells: int, width: int) -> InputError:
    """The fault that a record has more or fewer cells than the header."""
    return InputError(
        f"{name}, line {line}: {cells} cells, but the header has {width}; give every "
        "record as many cells as the header, and quote cells that hold the delimiter"
    )


def _iter_text_rows(
    path: Path, name: str, separator: str, start: int = 0, above: int = 0
) -> Generator[tuple[int, list[str]], None, None]:
    """Every row as it is, with its line; `start` bytes are passed over, which are so many lines `above`."""
    with path.open(encoding="utf-8", newline="") as file:
        file.seek(start)
        reader = csv.reader(_iter_text_lines(file, name), delimiter=separator, strict=True)
        while True:
            line = above + reader.line_num + 1
            try:
                record = next(reader, None)
            except csv.Error:
                raise InputError(
                    f"{name}, line {line}: a quote is not closed, text follows a closing quote, or a cell is "
                    f"longer than {csv.field_size_limit()} characters; quote cells as RFC 4180 says"
                ) from None
            if record is None:
                return
            yield line, record


def _iter_text_lines(file: TextIO, name: str) -> Iterator[str]:
    """The lines of a text file; one without an end is refused."""
    number = 0
    while line := file.readline(_LINE):
        number += 1
        if len(line) == _LINE:
            raise InputError(
                f"{name}, line {number}: longer than {_LINE} characters; is this a table of records?"
            )
        yield line


def _find_bad_line(path: Path) -> int:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1


def is_tidy(path: Path, separator: int, width: int, start: int = 0, most: int | None = None) -> bool:
    """Whether the whole file, from a byte on, is RFC 4180 with `width` cells per record and no blank line.

    Of a table that has at most so many rows, what stands below does not matter.
    """
    with path.open("rb") as file:
        file.seek(start)
        rest = b""
        while block := file.read(_BLOCK):
            rest += block
            end, rows = _find_tidy_end(rest, separator, width, most)
            if end == 0:
                return False
            most = None if most is None else most - rows
            if most == 0:
                return True
            rest = rest[end:]
    if not rest:
        return True
    # The last line end may be absent; what then looks like a carriage return before it is none.
    whole = rest + b"\n"
    return not rest.endswith(b"\r") and _find_tidy_end(whole, separator, width, most)[0] == len(whole)


def _find_tidy_end(block: bytes, separator: int, width: int, most: int | None) -> tuple[int, int]:
    """The end of the last whole record of a block that starts with one, and how many there are; 0 if any is untidy."""
    if width > 1 and most is None and _QUOTE not in block:
        return _find_unquoted_end(block, separator, width)
    data = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(data == _QUOTE)
    marks = _drop_quoted(np.flatnonzero((data == _NEWLINE) | (data == separator)), quotes)
    line_ends = marks[data[marks] == _NEWLINE][:most]
    if not len(line_ends):
        return 0, 0
    end = int(line_ends[-1]) + 1
    marks = marks[marks < end]
    # Delimiters and line ends must take turns: width - 1 of the one, then one of the other.
    in_order = (
        len(marks) == width * len(line_ends)
        and bool((marks[width - 1 :: width] == line_ends).all())
        and _has_valid_quotes(data, quotes[quotes < end], separator)
        and _has_valid_returns(data[:end], quotes)
        and (width > 1 or _has_no_blank_line(data, line_ends))
    )
    return (end, len(line_ends)) if in_order else (0, 0)


def _find_unquoted_end(block: bytes, separator: int, width: int) -> tuple[int, int]:
    """The same where nothing is quoted: what is left without the cells must be the marks of whole records."""
    data = block[: block.rfind(b"\n") + 1]
    marks = data.translate(None, bytes({*range(256)} - {separator, _NEWLINE}))
    rows = len(marks) // width
    in_order = marks == (bytes([separator]) * (width - 1) + b"\n") * rows
    returned = _RETURN not in data or data.count(b"\r") == data.count(b"\r\n")
    return (len(data), rows) if in_order and returned else (0, 0)


def _drop_quoted(places: I8, quotes: I8) -> I8:
    """Those places before which an even number of quotes stands."""
    return places[np.searchsorted(quotes, places) % 2 == 0] if len(quotes) else places


def _has_valid_quotes(data: NDArray[np.uint8], quotes: I8, separator: int) -> bool:
    """A quote opens at a cell's start and closes at its end; a doubled one closes and opens at once."""
    opening, closing = quotes[::2], quotes[1::2]
    before = data[opening[opening > 0] - 1]
    after, later = data[closing + 1], data[np.minimum(closing + 2, len(data) - 1)]
    starts = (before == separator) | (before == _NEWLINE) | (before == _QUOTE)
    stops = (after == separator) | (after == _NEWLINE) | (after == _QUOTE)
    stops |= (after == _RETURN) & (later == _NEWLINE)
    return bool(starts.all() and stops.all())


def _has_valid_returns(data: NDArray[np.uint8], quotes: I8) -> bool:
    """Outside quotes a carriage return stands before a newline only; `data` ends in a newline."""
    returns = _drop_quoted(np.flatnonzero(data == _RETURN), quotes)
    return bool((data[returns + 1] == _NEWLINE).all())


def _has_no_blank_line(data: NDArray[np.uint8], ends: I8) -> bool:
    starts = np.r_[0, ends[:-1] + 1]
    return not bool(((data[starts] == _NEWLINE) | (data[starts] == _RETURN)).any())


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
        has_names = all(name.strip() for name in self.names[1:])
        return has_names and is_tidy(self.path, ord(self.separator), len(self.names), self.start, self.most)


def _locate_table(path: Path, name: str, separator: str, layout: Layout) -> TextTable:
    """Find the header, and where the records below it begin.

    Raises
    ------
    LayoutError
        The names of columns are not where they are looked for.
    InputError
        The file is empty, or a column has no name.
    """
    begin = _read_stated_delimiter(path)[1]
    sample = max(SAMPLE, *layout.header, layout.above + 1) if layout.header or layout.above else SAMPLE
    if sample > _DEEPEST:
        raise InputError(f"{name}: no table has its header below row {_DEEPEST}; correct header or skip")
    rows: list[list[str]] = []
    row_ends: list[tuple[int, int]] = []
    with path.open(encoding="utf-8", newline="") as file:
        file.seek(begin)
        counter = _LineCount(_iter_text_lines(file, name), begin)
        reader = csv.reader(counter, delimiter=separator)
        try:
            for row in islice(reader, sample):
                rows.append(row)
                row_ends.append((counter.bytes, counter.ends))
        except csv.Error:
            pass  # whoever reads all of it tells where
    layout = find_header(rows, name, layout)
    if not layout.header:
        check_header([], name)
    names = join_header([rows[row - 1] for row in layout.header])
    start, lines = row_ends[layout.header[-1] - 1]
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
    with _report_decoding_errors(path, name):
        separator = _check_delimiter(delimiter) or detect_delimiter(path)
        return _read_table_records(_locate_table(path, name, separator, layout))


def _read_table_records(table: TextTable) -> pl.DataFrame:
    frame = None
    if table.is_tidy:
        column_numbers = [f"{number}" for number in range(len(table.names))]
        rows = {"has_header": False, "skip_lines": table.lines, "n_rows": table.most}
        frame = _read_with_polars(table.path, table.separator, new_columns=column_numbers, **rows)
    ragged: dict[int, InputError] = {}
    below = 0
    if frame is None or frame.width != len(table.names):
        frame, ragged, below = _gather_rows(table)
    elif table.most is not None:
        below = _count_below(table, table.most)
    refuse_same_names(table.names, table.name, table.layout.header[-1])
    frame, names = drop_blank_columns(frame, table.names, table.name)
    header = name_header(names)
    check_header(header, table.name, table.layout.header[-1])
    frame = frame.rename(dict(zip(frame.columns, header, strict=True)))
    keep = record_mask(frame, table.name, table.layout, table.first, below, ragged=ragged)
    for row, error in ragged.items():
        if row - table.first < len(keep) and keep[row - table.first]:
            raise error
    return frame if keep.all() else frame.filter(keep)


class _GatheredRows(NamedTuple):
    """The rows below a header, read one by one.

    frame  : all of them, each as wide as the header
    ragged : by their number, those that were of another width, and what is wrong with them
    below  : how many stand below the last row of the table
    """

    frame: pl.DataFrame
    ragged: dict[int, InputError]
    below: int


def _gather_rows(table: TextTable) -> _GatheredRows:
    """Read the rows below the header; where very many are of another width, the first of them is refused."""
    width, below = len(table.names), 0
    ragged: dict[int, InputError] = {}
    schema = {f"{number}": pl.String for number in range(width)}
    frames, batch = [pl.DataFrame(schema=schema)], []
    with closing(_iter_text_rows(table.path, table.name, table.separator, table.start, table.lines)) as rows:
        for number, (line, cells) in enumerate(rows, table.first):
            if table.layout.last is not None and number > table.layout.last:
                below += any(cells)
                if below > _BATCH:
                    break
                continue
            if len(cells) != width:
                if any(cells) and (
                    len(cells) < width or any(cells[width:])
                ):  # blank ones behind a row are nothing
                    ragged[number] = _width_error(table.name, line, len(cells), width)
                    if len(ragged) > _RAGGED:
                        raise next(iter(ragged.values()))
                cells = [*cells[:width], *[""] * (width - len(cells))]
            batch.append(cells)
            if len(batch) == _BATCH:
                frames.append(pl.DataFrame(batch, schema=schema, orient="row"))
                batch = []
    frames.append(pl.DataFrame(batch, schema=schema, orient="row"))
    return _GatheredRows(pl.concat(frames), ragged, below)


def _count_below(table: TextTable, most: int) -> int:
    """How many rows that are not blank stand below the last, up to a number that nobody needs exactly."""
    with closing(_iter_text_rows(table.path, table.name, table.separator, table.start, table.lines)) as rows:
        rows_below = islice(rows, most, most + _BATCH)
        return sum(any(cell.strip() for cell in cells) for _, cells in rows_below)
