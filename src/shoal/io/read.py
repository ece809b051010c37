"""Table files in: csv, tsv, txt, parquet, ndjson, json, xlsx, FIMI's dat, each also gzipped."""

import json
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from shoal.errors import InputError
from shoal.io.baskets import fimi
from shoal.io.delimited import read_delimited, refuse_wide
from shoal.io.json_fields import look_through
from shoal.io.parquet_pages import pages_of
from shoal.io.quiet import quiet
from shoal.io.source import Source, refuse_nested
from shoal.io.unpack import LIMIT, require_file, unzipped, utf8
from shoal.io.workbooks import read_workbook
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
_FREE = 2**30  # bytes that a file may always take
_RATIO = 1000  # bytes for each byte of a larger file: a bit for each cell is far less, and shuffled records need more
_LONGEST = 1 << 24  # bytes of a cell, as of a line
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
    require_file(path)
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


def _check(frame: pl.DataFrame, name: str, nested: Container[str]) -> None:
    if not frame.width:
        raise InputError(f"{name}: the file is empty; give named columns and records")
    if not frame.height:
        raise InputError(f"{name}: no records; give at least one below the header")
    refuse_wide(frame.width, name)
    refuse_nested(frame, name, nested)
    _refuse_endless(frame, name)


def _refuse_endless(frame: pl.DataFrame, name: str) -> None:
    """Refuse a text that no cell of a table is."""
    longest = frame.select(pl.col(pl.String).str.len_bytes().max())
    for column in longest.columns:
        if (longest[column].item() or 0) > _LONGEST:
            raise InputError(f"{name}, column '{column}': a cell of more than {_LONGEST} bytes; shorten it")


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
        pages = pages_of(file.path)
        scan = pl.scan_parquet(file.path, glob=False, hive_partitioning=False)
        width = len(scan.collect_schema())
        records = scan.select(pl.len()).collect().item()  # from the footer alone
        room = max(_CELL * records * width, _CELL * pages.values, pages.unpacked)
        if room > min(file.limit, max(_FREE, _RATIO * file.path.stat().st_size)):
            raise InputError(
                f"{file.name}: {records} records of {width} columns; that is more than is read at once; give fewer "
                "records or columns"
            )
        return scan.collect()
    except _TROUBLE:
        raise InputError(f"{file.name}: not a parquet file, or a broken one; write it again") from None


def _ndjson(file: _File) -> pl.DataFrame:
    with utf8(file.path, file.name, file.encoding) as path:
        look_through(path, file.name)
        with path.open("rb") as lines:  # of a path, polars would take * and ? for wildcards
            try:
                return pl.read_ndjson(lines, infer_schema_length=None)
            except _TROUBLE:
                lines.seek(0)
                raise _json_fault(file.name, lines) from None


def _json(file: _File) -> pl.DataFrame:
    with utf8(file.path, file.name, file.encoding) as path:
        look_through(path, file.name)
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
    return read_workbook(file.path, file.name, file.limit)


def _dat(file: _File) -> pl.DataFrame:
    return fimi(file.path, file.name)


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
