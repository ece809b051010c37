"""The records of a json file: an array, an array within objects, one object per id, or one object per line.

Most programs wrap the array (`{"data": {"items": [...]}, "count": 2}`). Where it is stands in `records` of [data], as a
dotted path; where nobody says it, the objects are looked through and `LayoutError` tells what to write.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.io.read.files import utf8
from shoal.io.read.layout import Layout, LayoutError

__all__ = ["load_records", "parsed_line", "raw_lines"]

_MOST = 2**31  # bytes that are parsed at once
_LONGEST = 64 * 2**20  # bytes of one line
_DEEPEST = 3  # objects above the array
_FEW = 2  # objects by id, at least
_WIDEST = 1000  # fields of an object that are looked into
_ITSELF = "."
_NUMBER = re.compile(r"[0-9]+")
_KEYS = ("id", "key", "record id")
_LISTED = 5


def load_records(path: Path, name: str, records: str | None) -> list[Any]:
    """Read the records of a UTF-8 file, each as JSON gives it; of one object per id the id is a field, too.

    Parameters
    ----------
    path : Path
    name : str
        What messages call the file.
    records : str, optional
        The dotted path of the array or of the objects by id; "." is the outermost object itself.

    Raises
    ------
    LayoutError
        The array is within an object, and nobody says where.
    InputError
        The file is no JSON, or there are no records where they should be.
    """
    whole = _parsed(path, name)
    if isinstance(whole, dict) and whole.get("resourceType") == "Bundle":
        raise InputError(
            f"{name}: a FHIR bundle, whose entries are resources and no people; write them as ndjson, one per line, "
            "into a folder, and give the folder"
        )
    if records is not None:
        found = next(_at(whole, records), None)
        taken = _taken(found)
        if taken is None:
            raise InputError(
                f"{name}: at '{records}' is neither an array of objects nor an object of objects; correct records"
            )
        return taken
    if isinstance(whole, list):
        return whole
    places = dict(_places(whole, "", 0)) if isinstance(whole, dict) else {}
    if not places:
        raise InputError(f"{name}: not an array; write an array of objects, one per record, or ndjson")
    choice = max(places, key=lambda place: places[place])
    others = [f"'{place}' ({count})" for place, count in places.items() if place != choice]
    why = f"{places[choice]} records are inside an object"
    if others:
        why += f", more than in {', '.join(others[:_LISTED])}{' and others' if len(others) > _LISTED else ''}"
    raise LayoutError(name, replace(Layout(), records=choice, why={"records": why}), "records")


def _parsed(path: Path, name: str) -> Any:
    if path.stat().st_size > _MOST:
        raise InputError(f"{name}: more than {_MOST} bytes of json; write ndjson, one object per line")
    text = path.read_bytes()
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        lines = _lines(text) if error.msg == "Extra data" else None
        if lines is not None:
            return lines
        raise InputError(f"{name}, line {error.lineno}: not JSON; write an array of objects") from None
    except (ValueError, RecursionError):
        raise InputError(
            f"{name}: not JSON in UTF-8, or nested too deeply; write an array of objects"
        ) from None


def _lines(text: bytes) -> list[Any] | None:
    """The records of a file with one object per line, whatever its ending is; None if it is none."""
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def _at(value: Any, path: str) -> Iterator[Any]:
    """What stands at a dotted path; names may hold dots themselves."""
    if path in ("", _ITSELF):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if path == name or path.startswith(f"{name}."):
                yield from _at(inner, path[len(name) + 1 :])


def _taken(value: Any) -> list[Any] | None:
    """The records that an array or objects by id are."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict) or not value or not all(isinstance(one, dict) for one in value.values()):
        return None
    names = {field for one in value.values() for field in one}
    if any(one.get("id") == key for key, one in value.items()):
        return list(value.values())
    field = next((field for field in _KEYS if field not in names), None)
    return list(value.values()) if field is None else [{field: key, **one} for key, one in value.items()]


def _places(value: Mapping[str, Any], path: str, depth: int) -> Iterator[tuple[str, int]]:
    """Where arrays of objects, and objects by id, stand below an object, and how many there are."""
    if _are_by_id(value):
        yield path or _ITSELF, len(value)
        return  # what is within them belongs to one record each
    if depth == _DEEPEST or len(value) > _WIDEST:
        return
    for name, inner in value.items():
        place = f"{path}.{name}" if path else name
        if isinstance(inner, list) and inner and all(isinstance(one, dict) for one in inner):
            yield place, len(inner)
        elif isinstance(inner, dict):
            yield from _places(inner, place, depth + 1)


def _are_by_id(value: Mapping[str, Any]) -> bool:
    """Whether an object holds records by their ids: objects alone, which have fields in common, none being a column."""
    if len(value) < _FEW or not all(isinstance(one, dict) and one for one in value.values()):
        return False
    first, *rest = (set(one) for one in value.values())
    if not all(2 * len(first & fields) >= len(first | fields) for fields in rest):
        return False
    columns = all(map(_NUMBER.fullmatch, first)) and not any(map(_NUMBER.fullmatch, value))
    return not columns


def raw_lines(plain: Path, name: str, encoding: str | None = None) -> Iterator[tuple[int, bytes]]:
    """The lines of an ndjson file that are not blank, each with its number."""
    with utf8(plain, name, encoding) as path, path.open("rb") as file:
        number = 0
        while line := file.readline(_LONGEST + 1):
            number += 1
            if len(line) > _LONGEST:
                raise InputError(
                    f"{name}, line {number}: longer than {_LONGEST} bytes; write one record per line"
                )
            if line.strip():
                yield number, line


def parsed_line(line: bytes, name: str, number: int) -> Any:
    """One line as JSON gives it."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{name}, line {number}: not JSON; write one object per line, in UTF-8") from None
