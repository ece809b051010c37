"""Hierarchy files as ARX writes them: no header, one row per leaf, leaf first and root last.

A file may come from anywhere, so it is read with bounds: on its bytes (after decompression too), rows,
columns, cells and on the length of a cell.
"""

import csv
import gzip
import io
import re
import zlib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from shoal.base.errors import HierarchyError
from shoal.hierarchy.tree import Hierarchy

__all__ = ["BuiltFile", "quote_label", "read", "write"]

_MAX_BYTES = 256 * 2**20
MAX_CELLS = 10_000_000
MAX_COLUMNS = 100
MAX_LENGTH = 10_000

_QUOTED = re.compile(r'(?:^|(?<=[;,\r\n]))"(?:[^"]|"")*"(?=[;,\r\n]|$)')
_SPECIAL = re.compile('[;"\r\n\ufeff]')


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """A hierarchy file that was made from the data, and that nobody has declared public since."""

    path: Path


def read(path: str | PathLike[str], *, encoding: str | None = None, built: bool = False) -> Hierarchy:
    r"""Read one hierarchy; it is public, since its user declared it, and named after the file.

    Cells are separated by `;` if the first line has one, else by `,`, and quoted as in RFC 4180; a name
    ending in `.gz` is decompressed. A short row that ends in the root is padded by repeating its leaf.

    Parameters
    ----------
    path
        The file.
    encoding
        How its text is encoded; UTF-8 unless told, a byte order mark is skipped.
    built
        Whether the file was made from the data, so that it is not public.

    Raises
    ------
    HierarchyError
        The file cannot be read as a hierarchy; the message names file and line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "sea.csv")
    ...     _ = file.write_text("cod;fish;*\nherring;fish;*\nkelp;*\n")
    ...     hierarchy = read(file)
    >>> hierarchy.name, hierarchy.leaves, hierarchy.labels[1]
    ('sea.csv', ('cod', 'herring', 'kelp'), ('fish', 'kelp', '*'))
    """
    file = Path(path)
    rows, lines = _parse_rows(file.name, _read_text(file, encoding))
    if not rows:
        raise HierarchyError(f"hierarchy '{file.name}': the file is empty; give one row per value, root last")
    _pad_rows(file.name, rows, lines)
    return Hierarchy.from_paths(file.name, rows, lines=lines, public=not built)


def write(hierarchy: Hierarchy, path: str | PathLike[str]) -> None:
    """Write `hierarchy` so that `read` gives it back: UTF-8, `;`, one row per leaf; compressed if named `.gz`."""
    file = Path(path)
    cells = [[quote_label(label) for label in labels] for labels in hierarchy.labels]
    nodes = hierarchy.up[: hierarchy.size].T
    columns = (
        [level_cells[node] for node in level.tolist()]
        for level_cells, level in zip(cells, nodes, strict=True)
    )
    data = "".join(";".join(row) + "\n" for row in zip(*columns, strict=True)).encode()
    try:
        file.write_bytes(gzip.compress(data, mtime=0) if file.suffix.lower() == ".gz" else data)
    except OSError as error:
        raise HierarchyError(
            f"hierarchy '{file.name}': cannot be written ({error.strerror}); check the path and your rights"
        ) from error


def quote_label(label: str) -> str:
    """A cell as it stands in a file."""
    return '"' + label.replace('"', '""') + '"' if _SPECIAL.search(label) else label


def _read_text(file: Path, encoding: str | None) -> str:
    """The whole file as text."""
    data = _read_bytes(file)
    try:
        text = data.decode(encoding or "utf-8")
    except LookupError as error:
        raise HierarchyError(
            f"hierarchy '{file.name}': the encoding is unknown; give one such as utf-8 or cp1252",
            value=encoding,
        ) from error
    except UnicodeError as error:
        line = data.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise HierarchyError(
            f"hierarchy '{file.name}', line {line}: not readable as {encoding or 'utf-8'}; "
            "give its encoding or save it as UTF-8"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise HierarchyError(f"hierarchy '{file.name}', line {line}: holds a NUL character; give a text file")
    return text.removeprefix("\ufeff")


def _read_bytes(file: Path) -> bytes:
    """The file's bytes, decompressed, at most MAX_BYTES of them."""
    location = f"hierarchy '{file.name}'"
    try:
        if file.exists() and not file.is_file():
            raise HierarchyError(f"{location}: is a folder or a device; give a file")
        with gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise HierarchyError(f"{location}: there is no such file; correct the path") from error
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise HierarchyError(
            f"{location}: is not a whole gzip file; compress it again or rename it"
        ) from error
    except OSError as error:
        raise HierarchyError(
            f"{location}: cannot be read ({error.strerror}); check the file and your rights"
        ) from error
    if len(data) > _MAX_BYTES:
        raise HierarchyError(f"{location}: holds more than {_MAX_BYTES // 2**20} MiB; give a smaller file")
    return data


def _parse_rows(name: str, text: str) -> tuple[list[list[str]], list[int]]:
    """The rows with the line each begins on, blank ones left out."""
    delimiter = _delimiter(text)
    if sum(map(text.count, (delimiter, "\n", "\r"))) > MAX_CELLS:  # before the parser makes lists of them
        raise HierarchyError(f"hierarchy '{name}': more than {MAX_CELLS} cells; give a smaller hierarchy")
    rows: list[list[str]] = []
    lines: list[int] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if len(row) > 1:
                _refuse_absurd(name, line, row)
                rows.append(row)
                lines.append(line)
            elif row and row[0].strip():
                raise HierarchyError(
                    f"hierarchy '{name}', line {line}: a single cell; a row needs a leaf and the root"
                )
            line = reader.line_num + 1
    except csv.Error as error:
        raise HierarchyError(f"hierarchy '{name}', line {line}: not valid csv; {error}") from error
    return rows, lines


def _delimiter(text: str) -> str:
    """`;` if the first line that is not blank has one outside quotes."""
    bare = _QUOTED.sub("", text[: 2 * MAX_LENGTH].lstrip())
    return ";" if ";" in re.split("[\r\n]", bare, maxsplit=1)[0] else ","


def _refuse_absurd(name: str, line: int, row: list[str]) -> None:
    """Refuse a row that no hierarchy has."""
    if len(row) > MAX_COLUMNS:
        raise HierarchyError(
            f"hierarchy '{name}', line {line}: {len(row)} columns, more than {MAX_COLUMNS}; leave out some levels"
        )
    if max(map(len, row)) > MAX_LENGTH:
        raise HierarchyError(
            f"hierarchy '{name}', line {line}: a cell of more than {MAX_LENGTH} characters; shorten it"
        )


def _pad_rows(name: str, rows: list[list[str]], lines: list[int]) -> None:
    """Repeat the leaf of every short row that ends in the root until all have one length."""
    width = max(map(len, rows))
    if width * len(rows) > MAX_CELLS:
        raise HierarchyError(f"hierarchy '{name}': more than {MAX_CELLS} cells; give a smaller hierarchy")
    longest = next(index for index, row in enumerate(rows) if len(row) == width)
    root = rows[longest][-1]
    for index, row in enumerate(rows):
        if row[-1] != root:
            raise HierarchyError(
                f"hierarchy '{name}', line {lines[index]}: the row does not end in the root of line "
                f"{lines[longest]}, the first of the longest rows; every row must end in the same label"
            )
        if len(row) < width:
            rows[index] = row[:1] * (width - len(row)) + row
