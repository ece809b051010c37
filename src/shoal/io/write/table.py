"""Released tables out, on disk for certain, and back as text: what is judged is what was written.

`PieceWriter` writes a table piece by piece: the same bytes as `write` makes of the whole, without holding it.
"""

import errno
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

import polars as pl
from polars.io.plugins import register_io_source

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.base.stopping import fsync_path
from shoal.io.codebooks import Codebook
from shoal.io.formats import FORMATS, LABELLED
from shoal.io.labelled import encode_labelled
from shoal.io.read.cells import cell_texts, clean_cells, json_cells
from shoal.io.read.source import Variable
from shoal.io.read.table import read, scan_table
from shoal.io.write.json_text import frame_of_lines, read_nested, write_nested

__all__ = [
    "PieceWriter",
    "append",
    "cell_pieces",
    "csv_cells",
    "line_pieces",
    "open_durable",
    "read_back",
    "scan_nested_lines",
    "unescape_cells",
    "write",
    "write_text",
]

# A spreadsheet runs cells that start like this; a number with a sign is a number.
_FORMULA = r"^'*[=+\-@\t\r]"
_ESCAPED = r"^'+[=+\-@\t\r]"
_LINES = 1 << 15  # parsed together: they are objects of Python
_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def write(
    frame: pl.DataFrame,
    path: Path,
    format: str,
    *,
    nested: Collection[str] = (),
    variables: Mapping[str, Variable] | None = None,
) -> None:
    """Write a release as csv, parquet, ndjson or a file with labels, and wait until it is on disk.

    csv is UTF-8 without byte order mark, comma, header, RFC 4180 quotes, newline line ends, missing as an
    empty cell. A cell that a spreadsheet would run as a formula, apostrophes before it or not, gets one
    apostrophe more; `read_back` takes it off. Empty text, and a number that is none, count as missing in every
    format. Columns named in `nested` hold JSON text, which ndjson takes in as values. `variables` say what a file with
    labels tells of columns.

    Raises
    ------
    InputError
        The format is unknown or cannot hold the cells, or the file cannot be written: the disk is full, say.
    """
    if format in LABELLED:
        if nested:
            raise InputError(
                f"release.format: '{format}' holds one value in a cell, and '{next(iter(nested))}' has lists; write "
                "csv, parquet or ndjson"
            )
        content = encode_labelled(_normalize_numbers(frame), format, variables or {})
        with open_durable(path) as file:
            file.write(content)
        return
    _find_writer(format)
    with open_durable(path) as file:
        append(frame, file, format, nested=nested)


def append(frame: pl.DataFrame, file: BinaryIO, format: str, *, nested: Collection[str] = ()) -> None:
    """Write records into a file that is open, as `write` does; of ndjson behind those that it holds."""
    cells = _normalize_numbers(frame.with_columns(pl.col(pl.String).replace("", None)))
    if nested and format == "ndjson":
        write_nested(cells, file, nested)
    else:
        _find_writer(format)(cells, file)


def _normalize_numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """The same cells, numbers that are none as missing ones and zero without a sign: as text they are the same."""
    zero = {name: pl.lit(0, dtype=kind) for name, kind in frame.schema.items() if kind.is_float()}
    return frame.with_columns(
        pl.when(pl.col(name) == 0).then(nothing).otherwise(pl.col(name)).fill_nan(None).alias(name)
        for name, nothing in zero.items()
    )


def write_text(path: Path, content: str) -> None:
    """Write a text file as UTF-8, and wait until it is on disk."""
    with open_durable(path) as file:
        file.write(content.encode("utf-8"))


def read_back(
    path: Path,
    format: str,
    *,
    nested: Collection[str] = (),
    books: Mapping[str, Codebook] | None = None,
) -> pl.DataFrame:
    """Read a release as text columns, missing cells null; the file may be anyone's, so nothing is trusted.

    `books` are the public codebooks of columns of a file with labels.

    Raises
    ------
    InputError
        As `read` does.
    """
    if format not in LABELLED:
        _find_writer(format)
    if not path.name.endswith((f".{format}", f".{format}.gz")):
        raise InputError(f"{path.name}: does not end in .{format} as its format says; rename it")
    if format == "ndjson" and path.suffix == ".ndjson":
        return read_nested(path, nested)
    source = read(path, delimiter=",", encoding="utf-8", released=books)
    return _decode_cells(source.frame, format)


def _decode_cells(frame: pl.DataFrame, format: str) -> pl.DataFrame:
    cells = pl.DataFrame([cell_texts(column) for column in frame]).with_columns(pl.all().replace("", None))
    return unescape_cells(cells) if format == "csv" else cells


def line_pieces(
    path: Path, nested: Collection[str], *, records: int = 0, size: int = 0
) -> Iterator[pl.DataFrame]:
    """Read a release of lines piece by piece, as `read_back` reads all of it.

    A piece has so many `records`, or lines of about `size` bytes together.
    """
    before = 0
    with path.open("rb") as file:
        while lines := list(islice(file, records)) if records else file.readlines(size):
            yield frame_of_lines(lines, path.name, nested, before)
            before += len(lines)


def cell_pieces(
    path: Path, format: str, nested: Collection[str], *, size: int, records: int
) -> Iterator[pl.DataFrame] | None:
    """Read a release piece by piece, as `read_back` reads all of it; None where it must be read at once.

    Pieces are lines of about `size` bytes together, or so many `records` where cells do not stand in lines.
    """
    if format == "ndjson":
        return line_pieces(path, nested, size=size)
    cells = scan_table(path, delimiter=",", encoding="utf-8")
    if cells is None:
        return None
    pieces = cells.collect_batches(chunk_size=records, maintain_order=True, engine="streaming")
    return (_decode_cells(piece, format) for piece in pieces)


def scan_nested_lines(path: Path, names: Collection[str], nested: Collection[str]) -> pl.LazyFrame:
    """A release of lines whose `nested` columns are lists: its cells as text, read piece by piece where it lies."""

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for piece in line_pieces(path, nested, records=_LINES):
            kept = piece if predicate is None else piece.filter(predicate)
            yield kept if with_columns is None else kept.select(with_columns)

    return register_io_source(source, schema=dict.fromkeys(names, pl.String))


@contextmanager
def open_durable(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write; it is on disk when the block ends.

    Raises
    ------
    InputError
        It cannot be written: the disk is full, say.
    """
    try:
        with path.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except (OSError, pl.exceptions.PolarsError) as error:
        # polars keeps the number of the system's error in the text alone
        is_full = getattr(error, "errno", None) == errno.ENOSPC or f"(os error {errno.ENOSPC})" in str(error)
        why = (
            "the disk is full; free some space"
            if is_full
            else "it cannot be written; check disk and permissions"
        )
        raise InputError(f"{path.name}: {why} and run again") from None


def csv_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """The cells as they stand in a csv file, its header too: as text, formulas escaped."""
    cells = pl.DataFrame(
        [column if isinstance(column.dtype, pl.Enum) else cell_texts(column) for column in frame]
    )
    if cells.width == 1:
        cells = cells.cast(pl.String).fill_null("")  # written as "", since a blank line is no record
    return _change_header(cells.with_columns(_escape_column(column) for column in cells), _escape_cell)


_WRITERS: dict[str, Callable[[pl.DataFrame, BinaryIO], None]] = {
    "csv": lambda frame, file: csv_cells(frame).write_csv(file),
    "parquet": lambda frame, file: _labels_as_text(frame).write_parquet(file),
    "ndjson": lambda frame, file: pl.DataFrame([json_cells(cells) for cells in frame]).write_ndjson(file),
}
"""Those of formats whose records can stand behind each other, as they come."""


def _find_writer(format: str) -> Callable[[pl.DataFrame, BinaryIO], None]:
    if format not in _WRITERS:
        raise InputError(f"release.format: '{format}' is unknown; {suggest_name(format, FORMATS)}")
    return _WRITERS[format]


def unescape_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """The cells of a csv file as they were meant, its header too: apostrophes before formulas are taken off."""
    return _change_header(frame.select(_unescape_cell(pl.all())), _unescape_cell)


def _change_header(frame: pl.DataFrame, change: Callable[[pl.Expr], pl.Expr]) -> pl.DataFrame:
    """The frame, names of columns changed as its cells are."""
    names = pl.Series(frame.columns, dtype=pl.String)
    frame.columns = names.to_frame().select(change(pl.first())).to_series().to_list()
    return frame


def _escape_column(cells: pl.Series) -> pl.Series:
    """Few columns hold a formula; of a list of labels each is looked at once for all cells."""
    labels = cells.dtype.categories if isinstance(cells.dtype, pl.Enum) else cells
    if not labels.str.contains(_FORMULA).any():
        return cells
    return cells.cast(pl.String).to_frame().select(_escape_cell(pl.first())).to_series()


def _escape_cell(cell: pl.Expr) -> pl.Expr:
    runs = cell.str.contains(_FORMULA) & ~cell.str.contains(_NUMBER)
    return pl.when(runs.not_() | cell.is_null()).then(cell).otherwise(pl.lit("'") + cell)


def _unescape_cell(cell: pl.Expr) -> pl.Expr:
    return pl.when(cell.str.contains(_ESCAPED)).then(cell.str.slice(1)).otherwise(cell)


@dataclass(frozen=True, slots=True)
class PieceWriter:
    """How a release is written in one format, whichever piece of it is at hand.

    format  : csv, parquet or ndjson
    kept    : the columns that are published as they came; the others hold labels
    missing : texts that stand for a missing cell, beside the empty one
    dates   : kept columns of times that are all midnight, in the whole: they are written as dates
    texts   : kept columns of numbers of which some are infinite, in the whole: JSON holds them as text
    nested  : columns, by their public names, whose cells are JSON already
    """

    format: str
    kept: frozenset[str]
    missing: tuple[str, ...] = ()
    dates: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    nested: frozenset[str] = frozenset()

    def form(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The cells as they are written, a column each; what is not kept stays as it is."""
        formed = frame.with_columns(
            self._format_column(frame[name]) for name in frame.columns if name in self.kept
        )
        return _normalize_numbers(formed)

    def write_piece(self, frame: pl.DataFrame, path: Path) -> None:
        """Write some formed records to a file that `join_pieces` takes: their lines, or of parquet their cells."""
        if self.format == "parquet":
            _labels_as_text(frame).write_ipc(path, compression="lz4")
            return
        with path.open("wb") as file:
            self._append(frame, file, header=False)

    def join_pieces(self, nothing: pl.DataFrame, pieces: Sequence[Path], path: Path) -> None:
        """Make one file of pieces, and wait until it is on disk; `nothing` has their columns and no record.

        Raises
        ------
        InputError
            The file cannot be written: the disk is full, say.
        """
        if self.format == "parquet":
            self.whole((pl.read_ipc(piece) for piece in pieces), path)
            return
        with open_durable(path) as file:
            self._append(nothing, file, header=True)
            for piece in pieces:
                with piece.open("rb") as lines:
                    shutil.copyfileobj(lines, file, 1 << 20)

    def whole(self, pieces: Iterator[pl.DataFrame], path: Path) -> None:
        """Write pieces as one file, and wait until it is on disk.

        Raises
        ------
        InputError
            The file cannot be written: the disk is full, say.
        """
        if self.format == "parquet":
            with open_durable(path):
                _sink_parquet(pieces, path)
            fsync_path(path)
            return
        with open_durable(path) as file:
            for number, piece in enumerate(pieces):
                self._append(piece, file, header=not number)

    def _append(self, frame: pl.DataFrame, file: BinaryIO, *, header: bool) -> None:
        if self.format == "csv":
            _quote_frame(csv_cells(frame)).write_csv(file, include_header=header, quote_style="never")
        elif self.nested:
            write_nested(frame, file, self.nested)
        else:
            frame.write_ndjson(file)

    def _format_column(self, cells: pl.Series) -> pl.Series:
        cells = clean_cells(cells, self.missing)
        name = cells.name
        if name in self.dates:
            dates = cells.dt.strftime("%Y-%m-%d")
            return cells if self.format == "parquet" else dates
        if self.format == "csv" or (
            self.format == "ndjson" and (name in self.texts or cells.dtype.is_temporal())
        ):
            return _time_text(cells)
        if self.format == "ndjson":
            return json_cells(cells)
        return cells.cast(pl.String) if isinstance(cells.dtype, pl.Categorical | pl.Enum) else cells


def _quote_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Cells of a csv file and its header in their quotes: whoever writes them need not look at each label again."""
    header = _quote_column(pl.Series(frame.columns)).to_list()
    return pl.DataFrame(
        [_quote_column(frame[name]).alias(quoted) for name, quoted in zip(frame.columns, header, strict=True)]
    )


def _quote_column(cells: pl.Series) -> pl.Series:
    if isinstance(cells.dtype, pl.Enum):
        labels = _quote_column(cells.dtype.categories)
        changed = not labels.equals(cells.dtype.categories)
        return labels.cast(pl.Enum(labels)).gather(cells.to_physical()) if changed else cells
    marked = cells.str.contains_any(['"', ",", "\n", "\r"]) | (cells == "")
    if not marked.any():
        return cells
    quoted = pl.format('"{}"', pl.first().str.replace_all('"', '""', literal=True))
    return cells.to_frame().select(pl.when(marked).then(quoted).otherwise(pl.first())).to_series()


def _time_text(cells: pl.Series) -> pl.Series:
    """Cells as text; times of day too, although those of this piece may all be midnight."""
    if isinstance(cells.dtype, pl.Datetime) and cells.dtype.time_zone is None:
        return cells.dt.strftime("%Y-%m-%dT%H:%M:%S%.f")
    return cell_texts(cells)


def _sink_parquet(pieces: Iterator[pl.DataFrame], path: Path) -> None:
    """Hand the pieces to polars one by one, which writes row groups as they come."""
    first_piece = _labels_as_text(next(pieces))

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for piece in chain([first_piece], map(_labels_as_text, pieces)):
            yield piece if with_columns is None else piece.select(with_columns)

    register_io_source(source, schema=first_piece.schema).sink_parquet(path, engine="streaming")


def _labels_as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Labels as text: their lists may name what no record holds."""
    label_columns = [
        name for name, kind in frame.schema.items() if isinstance(kind, pl.Categorical | pl.Enum)
    ]
    return frame.with_columns(pl.col(label_columns).cast(pl.String))
