"""Table files in: csv, tsv, txt, parquet, ndjson, json, xlsx, FIMI's dat, each also gzipped."""

import json
import os
import zipfile
import zlib
from collections.abc import Callable, Container, Iterable
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from shoal.errors import ExtraError, InputError
from shoal.io.baskets import fimi
from shoal.io.delimited import check_header, read_delimited
from shoal.io.quiet import quiet
from shoal.io.source import Source, refuse_nested
from shoal.io.unpack import LIMIT, unzipped, utf8
from shoal.naming import offered

__all__ = ["read"]


@dataclass(frozen=True, slots=True)
class _File:
    """A plain file on its way in, under the name that messages use."""

    path: Path
    name: str
    delimiter: str | None
    encoding: str | None
    limit: int


_TROUBLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
_CELL = 8  # bytes: what a cell takes at the very least once it is read
_SCALARS = (str, int, float, bool, type(None))


def read(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: tuple[str, ...] = ("",),
    nested: Container[str] = (),
    limit: int = LIMIT,
) -> Source:
    """Read a table file; its extension says how.

    Parameters
    ----------
    path : str or Path
        .csv, .txt, .tsv, .parquet, .ndjson or .jsonl, .json (an array of flat objects), .xlsx (first sheet), .dat
        (FIMI: one column `items`), each also with .gz behind it.
    delimiter : str, optional
        Of csv files; else the first lines decide.
    encoding : str, optional
        Of text files; else UTF-8, or what a byte order mark says.
    missing : tuple of str
        Texts that stand for a missing cell.
    nested : container of str
        Columns whose cells may be lists, or whatever else where they are left out.
    limit : int
        How many bytes a compressed file may unpack to.

    Raises
    ------
    InputError
        The file cannot be had or is not what its extension says; the sentence names the line where it can.
    ExtraError
        An .xlsx file without fastexcel.
    """
    path = Path(path)
    _require_file(path)
    reader = _reader(path)
    try:
        with unzipped(path, limit) as plain:
            frame = reader(_File(plain, path.name, delimiter, encoding, limit))
    except OSError as error:
        why = error.strerror or "input/output error"
        raise InputError(
            f"{path.name}: cannot be read ({why}); check the disk and the temporary folder"
        ) from None
    _check(frame, path.name, nested)
    return Source(frame, "polars", path.name, missing)


def _require_file(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path.name}: a directory where a file is expected; give a file in it")
    if not path.exists():
        raise InputError(f"{path.name}: not found in {path.parent.resolve()}; check the path")
    if not path.is_file():
        raise InputError(f"{path.name}: not a regular file; copy the data to one")
    if not os.access(path, os.R_OK):
        raise InputError(f"{path.name}: no permission to read it; ask its owner")


def _check(frame: pl.DataFrame, name: str, nested: Container[str]) -> None:
    if not frame.width:
        raise InputError(f"{name}: the file is empty; give named columns and records")
    if not frame.height:
        raise InputError(f"{name}: no records; give at least one below the header")
    refuse_nested(frame, name, nested)


def _csv(file: _File) -> pl.DataFrame:
    with utf8(file.path, file.name, file.encoding) as path:
        return read_delimited(path, file.name, file.delimiter)


def _tsv(file: _File) -> pl.DataFrame:
    return _csv(replace(file, delimiter=file.delimiter or "\t"))


def _parquet(file: _File) -> pl.DataFrame:
    with quiet():
        return _read_parquet(file)


def _read_parquet(file: _File) -> pl.DataFrame:
    try:
        scan = pl.scan_parquet(file.path, glob=False, hive_partitioning=False)
        width = len(scan.collect_schema())
        records = scan.select(pl.len()).collect().item()  # from the footer alone
        if records * width * _CELL > file.limit:
            raise InputError(
                f"{file.name}: {records} records of {width} columns; that is more than is read at once"
            )
        return scan.collect()
    except _TROUBLE:
        raise InputError(f"{file.name}: not a parquet file, or a broken one; write it again") from None


def _ndjson(file: _File) -> pl.DataFrame:
    with utf8(file.path, file.name, file.encoding) as path:
        with path.open("rb") as lines:  # of a path, polars would take * and ? for wildcards
            try:
                return pl.read_ndjson(lines, infer_schema_length=None)
            except _TROUBLE:
                lines.seek(0)
                raise _json_fault(file.name, lines) from None


def _json(file: _File) -> pl.DataFrame:
    with utf8(file.path, file.name, file.encoding) as path:
        try:
            return pl.read_json(path, infer_schema_length=None)
        except _TROUBLE:
            raise InputError(
                f"{file.name}: not an array of flat objects of which each field has one type; write one "
                "object per record, or ndjson"
            ) from None


def _json_fault(name: str, lines: Iterable[bytes]) -> InputError:
    """Find the first line that polars could not take, and say why."""
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError):
            return InputError(f"{name}, line {number}: not JSON; write one object per line, in UTF-8")
        if not isinstance(record, dict):
            return InputError(f"{name}, line {number}: not an object; write one object per line")
        if not all(isinstance(value, _SCALARS) for value in record.values()):
            return InputError(
                f"{name}, line {number}: nested values are not read from table files; give every field one "
                "text, number or date"
            )
    return InputError(f"{name}: no records, or a field that mixes types; give each field one type")


def _xlsx(file: _File) -> pl.DataFrame:
    try:
        import fastexcel
    except ImportError:
        raise ExtraError.of(file.name, "fastexcel", "excel") from None
    _refuse_bomb(file)
    try:
        book = fastexcel.read_excel(file.path)
        header = book.load_sheet(0, header_row=None, n_rows=1, dtypes="string").to_polars()
        frame: pl.DataFrame = book.load_sheet(0).to_polars()
    except (fastexcel.FastExcelError, *_TROUBLE):
        raise InputError(f"{file.name}: not an xlsx file, or a broken one; save it again") from None
    check_header(["" if cell is None else cell for cell in header.row(0)] if header.height else [], file.name)
    return frame


def _dat(file: _File) -> pl.DataFrame:
    return fimi(file.path, file.name)


def _refuse_bomb(file: _File) -> None:
    """Unpack every member to nowhere, believing none of the sizes that the archive states."""
    left = file.limit
    try:
        with zipfile.ZipFile(file.path) as archive:
            for info in archive.infolist():
                honest = copy(info)
                honest.file_size, honest.CRC = file.limit + 1, None  # type: ignore[assignment]
                with archive.open(honest) as member:
                    while left >= 0 and (block := member.read(1 << 20)):
                        left -= len(block)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise InputError(f"{file.name}: not an xlsx file, or a broken one; save it again") from None
    if left < 0:
        raise InputError(f"{file.name}: unpacks to more than {file.limit} bytes; save fewer records in it")


_READERS: dict[str, Callable[[_File], pl.DataFrame]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".txt": _csv,
    ".parquet": _parquet,
    ".ndjson": _ndjson,
    ".jsonl": _ndjson,
    ".json": _json,
    ".xlsx": _xlsx,
    ".dat": _dat,
}


def _reader(path: Path) -> Callable[[_File], pl.DataFrame]:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    extension = "".join(suffixes[-2:-1] if suffixes[-1:] == [".gz"] else suffixes[-1:])
    if extension not in _READERS:
        raise InputError(
            f"{path.name}: no reader for this extension; {offered(extension, _READERS)}, each also with .gz"
        )
    return _READERS[extension]
