"""A large released table as `verify` sees it: its different rows and how many records each stands for."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import narwhals as nw
import numpy as np
import polars as pl

from shoal.data.types import I8
from shoal.engines import COUNT, TooManyError
from shoal.engines.local import Local
from shoal.io.read.cells import text
from shoal.io.read.files import silence_native_output
from shoal.io.read.parquet import BrokenPagesError, pages_of, scan_parquet
from shoal.io.read.table import TROUBLE, scan
from shoal.io.write.table import plain_text
from shoal.publish.large.dataset import MOST_TUPLES

__all__ = ["Counted", "counted_release", "too_much"]

_FEW_BYTES = 64 * 2**20  # of a file: a smaller one is read at once
_FEW_CELLS = 1 << 24  # of a parquet file, which may hold millions in each kilobyte: fewer are read at once
_CELLS, _CELLS_EACH = 1 << 26, 8  # cells that are read at once in any case, and for each byte of a file
_TEXT, _TEXT_EACH = 1 << 28, 64  # bytes of text, likewise


class Counted(NamedTuple):
    """The columns of a released table, its different rows of those that a judge looks at, and their counts."""

    columns: list[str]
    frame: pl.DataFrame
    counts: I8


def counted_release(path: Path, roles: Mapping[str, str], seen: frozenset[str]) -> Counted | None:
    """Count a released table; None where it is small, or must be read at once to be read right.

    `seen` names columns that are looked at although they are neither quasi-identifiers nor sensitive.
    """
    files = _files(path)
    if _size(files) < _FEW_BYTES and _cells(files) < _FEW_CELLS:
        return None
    cells = _scanned(files, "," if path.suffix == ".csv" else None)
    if cells is None:
        return None
    header = cells.collect_schema().names()
    columns = header
    if path.suffix == ".csv":
        columns = plain_text(pl.DataFrame(schema=dict.fromkeys(header, pl.String))).columns
    names = [name for name in columns if roles.get(name) in ("quasi", "sensitive") or name in seen]
    if not names or len(set(columns)) < len(columns):
        return None
    frame, engine = nw.from_native(cells.rename(dict(zip(header, columns, strict=True)))), Local()
    try:
        with silence_native_output():
            found = engine.tally(frame, names, MOST_TUPLES, engine.total(frame))
    except (TooManyError, *TROUBLE):  # whoever reads it at once says what is wrong
        return None
    texts = pl.DataFrame([text(found[name]) for name in names]).with_columns(pl.all().replace("", None))
    meant = plain_text(texts) if path.suffix == ".csv" else texts
    meant.columns = names
    return Counted(columns, meant, found[COUNT].to_numpy().astype(np.int64))


def too_much(path: Path) -> str | None:
    """Why a data file is not read at once: it holds far more than its size tells; None where it may be read.

    Of parquet a kilobyte may hold millions of equal cells, and as many long texts. Other files are no smaller than what
    they hold.
    """
    files = _files(path)
    size, cells = _size(files), _cells(files)
    most = _CELLS + _CELLS_EACH * size
    if cells > most:
        return f"{path.name} holds {cells} cells in {size} bytes, and no more than {most} are looked at"
    most = _TEXT + _TEXT_EACH * size
    if path.suffix == ".parquet" and cells and (told := _text_bytes(files)) > most:
        return f"{path.name} holds {told} bytes of text in {size}, and no more than {most} are looked at"
    return None


def _files(path: Path) -> list[Path]:
    return sorted(path.iterdir()) if path.is_dir() else [path]


def _size(files: list[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def _cells(files: list[Path]) -> int:
    """How many cells parquet files state to hold; 0 of others, and of broken ones."""
    try:
        return sum(pages_of(file).values for file in files if file.suffix == ".parquet")
    except BrokenPagesError:
        return 0


def _text_bytes(files: list[Path]) -> int:
    """How many bytes all texts of parquet files take; 0 where they cannot be read."""
    try:
        with silence_native_output():
            total = 0
            for file in files:
                cells = scan_parquet(file).select(pl.col(pl.String).str.len_bytes().cast(pl.UInt64).sum())
                total += sum(int(many or 0) for many in cells.collect(engine="streaming").row(0))
            return total
    except TROUBLE:
        return 0


def _scanned(files: list[Path], delimiter: str | None) -> pl.LazyFrame | None:
    """The records of all files; None where one must be read at once, or has other columns than the first."""
    parts: list[pl.LazyFrame] = []
    for file in files:
        part = scan(file, delimiter=delimiter, encoding="utf-8")
        if part is None or (parts and part.collect_schema() != parts[0].collect_schema()):
            return None
        parts.append(part)
    return pl.concat(parts)
