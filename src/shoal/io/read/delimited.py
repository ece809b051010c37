"""Tables of text cells, RFC 4180 with any delimiter: proven tidy and read by polars, else by the csv module.

polars is an order of magnitude faster, but pads short rows in silence and leaves the meaning of stray
quotes open. So a vectorized pass over the bytes proves that every record has the header's width and every
quote its place; a file that is not so tidy is read record by record, which either copes or names the line.
"""

import csv
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.arrays import I8
from shoal.errors import EncodingError, InputError

__all__ = [
    "check_header",
    "delimiter_of",
    "detect_delimiter",
    "header_of",
    "is_tidy",
    "name_header",
    "read_delimited",
    "records",
    "refuse_wide",
]

ROW = "row"
"""What a first column without a name is called."""

_DELIMITERS = ",;\t|"
_BLOCK = 1 << 24
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
        Else the first lines decide among `,` `;` tab and `|`.

    Raises
    ------
    InputError
        Not UTF-8, broken quotes, records of unequal width, a header with repeated names, or empty ones but the first.
    """
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
        raise InputError("delimiter: give one ASCII character that is neither a quote nor a line end")
    try:
        separator = delimiter or detect_delimiter(path)
        with closing(records(path, name, separator)) as found:
            written = next(found, [])
            header = name_header(written)
            check_header(header, name)
            if is_tidy(path, ord(separator), len(header)):
                frame = _fast(path, separator)
                if frame is not None and frame.columns == written:
                    return frame.rename(dict(zip(written, header, strict=True)))
            return _slow(found, header)
    except UnicodeDecodeError:
        raise EncodingError(
            f"{name}, line {_bad_line(path)}: the bytes are not UTF-8 text; give the file's encoding, such "
            "as cp1252, or save it as UTF-8"
        ) from None


def detect_delimiter(path: Path) -> str:
    """The delimiter that gives the first records one width; the widest header if none or several do."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        return delimiter_of(file.read(_SAMPLE), whole=not file.read(1))


def delimiter_of(text: str, *, whole: bool) -> str:
    """The delimiter of a file that begins with this text; `whole` says that nothing follows."""
    sample = text[:_SAMPLE]
    whole = whole and len(text) <= _SAMPLE

    def score(delimiter: str) -> tuple[bool, int]:
        rows = list(csv.reader(StringIO(sample, newline=""), delimiter=delimiter))
        widths = [len(row) for row in (rows if whole else rows[:-1]) if row] or [0]
        return min(widths) == max(widths) > 1, widths[0]

    return max(_DELIMITERS, key=score)


def header_of(text: str, delimiter: str) -> list[str]:
    """The first record of a text.

    >>> header_of('"last, first";age', ";")
    ['last, first', 'age']
    """
    return next(csv.reader(StringIO(text, newline=""), delimiter=delimiter), [])


def name_header(header: list[str]) -> list[str]:
    """The header; where pandas and R wrote the numbers of rows and no name above them, it is `row`."""
    if len(header) > 1 and not header[0].strip() and ROW not in header:
        return [ROW, *header[1:]]
    return header


def check_header(header: Sequence[str], name: str) -> None:
    """Refuse a header that does not give every column a name of its own."""
    # A header of cells is what a file without header looks like: names are told by place only.
    if not header:
        raise InputError(f"{name}: the file is empty; give a header line and records")
    refuse_wide(len(header), name)
    places: dict[str, int] = {}
    for place, column in enumerate(header, 1):
        if not column.strip():
            raise InputError(
                f"{name}, line 1: column {place} has no name; name every column in the first line"
            )
        first = places.setdefault(column, place)
        if first < place:
            raise InputError(
                f"{name}, line 1: columns {first} and {place} have the same name; give every column its own",
                value=column,
            )


def refuse_wide(columns: int, name: str) -> None:
    """Refuse more columns than any table about people has: each is looked at alone and beside others."""
    if columns > _COLUMNS:
        raise InputError(f"{name}: more than {_COLUMNS} columns; leave out those that nobody needs")


def _fast(path: Path, separator: str) -> pl.DataFrame | None:
    try:
        frame = pl.read_csv(path, separator=separator, infer_schema=False, glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    return frame.with_columns(pl.all().fill_null(""))


def _slow(records: Iterator[list[str]], header: list[str]) -> pl.DataFrame:
    schema = dict.fromkeys(header, pl.String)
    parts = [pl.DataFrame(schema=schema)]
    while batch := list(islice(records, _BATCH)):
        parts.append(pl.DataFrame(batch, schema=schema, orient="row"))
    return pl.concat(parts)


def records(path: Path, name: str, separator: str) -> Generator[list[str], None, None]:
    """Every record, header first, blank lines left out; whatever is wrong is told with its line."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(_lines(file, name), delimiter=separator, strict=True)
        width = 0
        while True:
            line = reader.line_num + 1
            try:
                record = next(reader, None)
            except csv.Error:
                raise InputError(
                    f"{name}, line {line}: a quote is not closed, text follows a closing quote, or a cell is "
                    f"longer than {csv.field_size_limit()} characters; quote cells as RFC 4180 says"
                ) from None
            if record is None:
                return
            width = width or len(record)
            if record and len(record) != width:
                raise InputError(
                    f"{name}, line {line}: {len(record)} cells, but the header has {width}; give every "
                    "record as many cells as the header, and quote cells that hold the delimiter"
                )
            if record:
                yield record


def _lines(file: TextIO, name: str) -> Iterator[str]:
    number = 0
    while line := file.readline(_LINE):
        number += 1
        if len(line) == _LINE:
            raise InputError(
                f"{name}, line {number}: longer than {_LINE} characters; is this a table of records?"
            )
        yield line


def _bad_line(path: Path) -> int:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1


def is_tidy(path: Path, separator: int, width: int) -> bool:
    """Whether the whole file is RFC 4180 with `width` cells per record and no blank line."""
    with path.open("rb") as file:
        rest = b""
        while block := file.read(_BLOCK):
            rest += block
            end = _tidy_until(np.frombuffer(rest, np.uint8), separator, width)
            if end == 0:
                return False
            rest = rest[end:]
    if not rest:
        return True
    # The last line end may be absent; what then looks like a carriage return before it is none.
    whole = np.frombuffer(rest + b"\n", np.uint8)
    return not rest.endswith(b"\r") and _tidy_until(whole, separator, width) == len(whole)


def _tidy_until(data: NDArray[np.uint8], separator: int, width: int) -> int:
    """The end of the last whole record of `data`, which starts with a record; 0 if any is untidy."""
    quotes = np.flatnonzero(data == _QUOTE)
    marks = _outside(np.flatnonzero((data == _NEWLINE) | (data == separator)), quotes)
    ends = marks[data[marks] == _NEWLINE]
    if not len(ends):
        return 0
    end = int(ends[-1]) + 1
    marks = marks[marks < end]
    # Delimiters and line ends must take turns: width - 1 of the one, then one of the other.
    in_order = (
        len(marks) == width * len(ends)
        and bool((marks[width - 1 :: width] == ends).all())
        and _quotes_in_place(data, quotes[quotes < end], separator)
        and _returns_in_place(data[:end], quotes)
        and (width > 1 or _no_blank(data, ends))
    )
    return end if in_order else 0


def _outside(places: I8, quotes: I8) -> I8:
    """Those places before which an even number of quotes stands."""
    return places[np.searchsorted(quotes, places) % 2 == 0] if len(quotes) else places


def _quotes_in_place(data: NDArray[np.uint8], quotes: I8, separator: int) -> bool:
    """A quote opens at a cell's start and closes at its end; a doubled one closes and opens at once."""
    opening, closing = quotes[::2], quotes[1::2]
    before = data[opening[opening > 0] - 1]
    after, later = data[closing + 1], data[np.minimum(closing + 2, len(data) - 1)]
    starts = (before == separator) | (before == _NEWLINE) | (before == _QUOTE)
    stops = (after == separator) | (after == _NEWLINE) | (after == _QUOTE)
    stops |= (after == _RETURN) & (later == _NEWLINE)
    return bool(starts.all() and stops.all())


def _returns_in_place(data: NDArray[np.uint8], quotes: I8) -> bool:
    """Outside quotes a carriage return stands before a newline only; `data` ends in a newline."""
    returns = _outside(np.flatnonzero(data == _RETURN), quotes)
    return bool((data[returns + 1] == _NEWLINE).all())


def _no_blank(data: NDArray[np.uint8], ends: I8) -> bool:
    starts = np.r_[0, ends[:-1] + 1]
    return not bool(((data[starts] == _NEWLINE) | (data[starts] == _RETURN)).any())
