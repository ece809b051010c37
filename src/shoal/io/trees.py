"""Record trees in: nested ndjson and json, xml, a folder of tables, a database; files may be gzipped."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.data import Trees
from shoal.errors import InputError
from shoal.io.grow import Grower
from shoal.io.sql import read_database
from shoal.io.tree_spec import TreeSpec
from shoal.io.tree_tables import read_folder
from shoal.io.unpack import LIMIT, require_file, unzipped, utf8
from shoal.io.xml import records as xml_records

__all__ = ["TreeSpec", "add_record", "grow_records", "read_trees", "rows_of"]

_LONGEST = 64 * 2**20  # bytes of one line


def read_trees(
    source: str | Path,
    spec: TreeSpec | None = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
    limit: int = LIMIT,
) -> Trees:
    """Read record trees.

    Parameters
    ----------
    source : str or Path
        A file .ndjson, .jsonl, .json (an array of objects) or .xml (an element a record below the root), each also
        with .gz behind it; a folder of csv or parquet tables; or a database as a URL.
    spec : TreeSpec, optional
        How to read it; see there.
    delimiter, encoding : str, optional
        Of text files, as `read` takes them.
    missing : sequence of str
        Texts that stand for an absent value.
    limit : int
        How many bytes a compressed file may unpack to.

    Raises
    ------
    InputError
        The source cannot be had or is not what it should be; the sentence names the line where it can.
    ExtraError
        A database, without the packages it needs.
    """
    spec = spec or TreeSpec()
    if "://" in str(source):
        return read_database(str(source), spec, missing)
    path = Path(source)
    if path.is_dir():
        return read_folder(path, spec, missing, delimiter, encoding)
    require_file(path)
    if spec.person is not None or spec.keys:
        raise InputError(
            f"{path.name}: tree.person and tree.keys are for tables; a nested file needs neither"
        )
    grower = Grower(spec.drop, spec.heads, missing, spec.identifier)
    try:
        with unzipped(path, limit) as plain:
            _add(grower, rows_of(plain, path.name, encoding), path.name)
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read ({error.strerror}); check disk and file") from None
    return grower.trees(path.name, spec)


def grow_records(
    records: Iterable[Mapping[str, Any]], spec: TreeSpec, missing: Sequence[str] = ("",)
) -> Trees:
    """Make trees of nested records that are in memory, as `json.loads` gives them.

    Raises
    ------
    InputError
        A record is no mapping, or as `read_trees` does.
    """
    grower = Grower(spec.drop, spec.heads, missing, spec.identifier)
    _add(grower, ((f"record {number}", record) for number, record in enumerate(records, 1)), "records")
    return grower.trees("records", spec)


def rows_of(plain: Path, name: str, encoding: str | None) -> Iterator[tuple[str, Any]]:
    """The records of a file that is not packed, each with its place; `name` is the file's own."""
    kind = Path(name.lower().removesuffix(".gz")).suffix
    if kind == ".xml":
        return xml_records(plain, name)
    if kind in (".ndjson", ".jsonl"):
        return _lines(plain, name, encoding)
    if kind == ".json":
        return _array(plain, name, encoding)
    raise InputError(
        f"{name}: no reader of record trees for this; give .ndjson, .json, .xml, a folder of tables or a database"
    )


def _add(grower: Grower, rows: Iterable[tuple[str, Any]], name: str) -> None:
    """Take records."""
    for place, record in rows:
        add_record(grower, record, f"{name}, {place}")


def add_record(grower: Grower, record: Any, where: str) -> None:
    """Take one record; a fault names its place."""
    if not isinstance(record, Mapping):
        raise InputError(f"{where}: not an object; give one object per record")
    try:
        grower.add(record)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _lines(plain: Path, name: str, encoding: str | None) -> Iterator[tuple[str, Any]]:
    """The records of an ndjson file, each with its line."""
    with utf8(plain, name, encoding) as path, path.open("rb") as file:
        number = 0
        while line := file.readline(_LONGEST + 1):
            number += 1
            if len(line) > _LONGEST:
                raise InputError(
                    f"{name}, line {number}: longer than {_LONGEST} bytes; write one record per line"
                )
            if line.strip():
                yield f"line {number}", _parsed(line, name, number)


def _parsed(line: bytes, name: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{name}, line {number}: not JSON; write one object per line, in UTF-8") from None


def _array(plain: Path, name: str, encoding: str | None) -> Iterator[tuple[str, Any]]:
    """The records of a json file, an array of objects."""
    with utf8(plain, name, encoding) as path:
        try:
            whole = json.loads(path.read_bytes())
        except json.JSONDecodeError as error:
            raise InputError(f"{name}, line {error.lineno}: not JSON; write an array of objects") from None
        except (ValueError, RecursionError):
            raise InputError(
                f"{name}: not JSON in UTF-8, or nested too deeply; write an array of objects"
            ) from None
    if not isinstance(whole, list):
        raise InputError(f"{name}: not an array; write an array of objects, one per record, or ndjson")
    yield from ((f"record {number}", record) for number, record in enumerate(whole, 1))
