"""The records of nested files, one at a time where that can be: JSON and XML.

A json file holds an array, an array within objects, one object per id, or one object per line. Most programs wrap the
array (`{"data": {"items": [...]}, "count": 2}`). Where it is stands in `records` of [data], as a dotted path; where
nobody says it, the objects are looked through and `LayoutError` tells what to write.

Of XML there are no entities, no network, no document type, bounded depth and size.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lxml import etree

from shoal.base.errors import InputError
from shoal.io.read.files import utf8_copy
from shoal.io.read.layout import Layout, LayoutError

__all__ = ["iter_raw_lines", "load_records", "parse_line", "xml_elements", "xml_records"]


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
    content = _parse_file(path, name)
    if isinstance(content, dict) and content.get("resourceType") == "Bundle":
        raise InputError(
            f"{name}: a FHIR bundle, whose entries are resources and no people; write them as ndjson, one per line, "
            "into a folder, and give the folder"
        )
    if records is not None:
        value = next(_find_values(content, records), None)
        rows = _extract_records(value)
        if rows is None:
            raise InputError(
                f"{name}: at '{records}' is neither an array of objects nor an object of objects; correct records"
            )
        return rows
    if isinstance(content, list):
        return content
    count_of_path = dict(_find_arrays(content, "", 0)) if isinstance(content, dict) else {}
    if not count_of_path:
        raise InputError(f"{name}: not an array; write an array of objects, one per record, or ndjson")
    choice = max(count_of_path, key=lambda place: count_of_path[place])
    others = [
        f"'{dotted_path}' ({count})" for dotted_path, count in count_of_path.items() if dotted_path != choice
    ]
    why = f"{count_of_path[choice]} records are inside an object"
    if others:
        why += f", more than in {', '.join(others[:_LISTED])}{' and others' if len(others) > _LISTED else ''}"
    raise LayoutError(name, replace(Layout(), records=choice, why={"records": why}), "records")


def _parse_file(path: Path, name: str) -> Any:
    if path.stat().st_size > _MOST:
        raise InputError(f"{name}: more than {_MOST} bytes of json; write ndjson, one object per line")
    text = path.read_bytes()
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        lines = _parse_lines(text) if error.msg == "Extra data" else None
        if lines is not None:
            return lines
        raise InputError(f"{name}, line {error.lineno}: not JSON; write an array of objects") from None
    except (ValueError, RecursionError):
        raise InputError(
            f"{name}: not JSON in UTF-8, or nested too deeply; write an array of objects"
        ) from None


def _parse_lines(text: bytes) -> list[Any] | None:
    """The records of a file with one object per line, whatever its ending is; None if it is none."""
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def _find_values(value: Any, path: str) -> Iterator[Any]:
    """What stands at a dotted path; names may hold dots themselves."""
    if path in ("", _ITSELF):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if path == name or path.startswith(f"{name}."):
                yield from _find_values(inner, path[len(name) + 1 :])


def _extract_records(value: Any) -> list[Any] | None:
    """The records that an array or objects by id are."""
    if isinstance(value, list):
        return value
    if (
        not isinstance(value, dict)
        or not value
        or not all(isinstance(entry, dict) for entry in value.values())
    ):
        return None
    names = {field for entry in value.values() for field in entry}
    if any(entry.get("id") == key for key, entry in value.items()):
        return list(value.values())
    field = next((field for field in _KEYS if field not in names), None)
    return list(value.values()) if field is None else [{field: key, **entry} for key, entry in value.items()]


def _find_arrays(value: Mapping[str, Any], path: str, depth: int) -> Iterator[tuple[str, int]]:
    """Where arrays of objects, and objects by id, stand below an object, and how many there are."""
    if _are_by_id(value):
        yield path or _ITSELF, len(value)
        return  # what is within them belongs to one record each
    if depth == _DEEPEST or len(value) > _WIDEST:
        return
    for name, inner in value.items():
        inner_path = f"{path}.{name}" if path else name
        if isinstance(inner, list) and inner and all(isinstance(entry, dict) for entry in inner):
            yield inner_path, len(inner)
        elif isinstance(inner, dict):
            yield from _find_arrays(inner, inner_path, depth + 1)


def _are_by_id(value: Mapping[str, Any]) -> bool:
    """Whether an object holds records by their ids: objects alone, which have fields in common, none being a column."""
    if len(value) < _FEW or not all(isinstance(entry, dict) and entry for entry in value.values()):
        return False
    first_fields, *other_fields = (set(entry) for entry in value.values())
    if not all(2 * len(first_fields & fields) >= len(first_fields | fields) for fields in other_fields):
        return False
    columns = all(map(_NUMBER.fullmatch, first_fields)) and not any(map(_NUMBER.fullmatch, value))
    return not columns


def iter_raw_lines(plain: Path, name: str, encoding: str | None = None) -> Iterator[tuple[int, bytes]]:
    """The lines of an ndjson file that are not blank, each with its number."""
    with utf8_copy(plain, name, encoding) as path, path.open("rb") as file:
        number = 0
        while line := file.readline(_LONGEST + 1):
            number += 1
            if len(line) > _LONGEST:
                raise InputError(
                    f"{name}, line {number}: longer than {_LONGEST} bytes; write one record per line"
                )
            if line.strip():
                yield number, line


def parse_line(line: bytes, name: str, number: int) -> Any:
    """One line as JSON gives it."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{name}, line {number}: not JSON; write one object per line, in UTF-8") from None


_ELEMENTS = 1_000_000  # elements of one record
_ATTRIBUTES = 1_000  # of one element: each is looked for among all of them
_BESIDE = "{}: it holds something besides records, which no release does; it was changed"


def xml_records(plain: Path, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give each element below the root as a nested record, with its line; errors are those of `xml_elements`.

    Attributes and elements are fields by their names, without namespaces. An element with neither attributes nor
    elements is a value; text beside others is the field `text`. Elements of one name are a list.
    """
    for line, element in xml_elements(plain, name):
        value = _element_value(element)
        yield line, value if isinstance(value, dict) else {_local_name(element.tag): value}


def xml_elements(plain: Path, name: str, *, bare: str | None = None) -> Iterator[tuple[str, Any]]:
    """Give each element below the root, with its line; it is gone once the next is asked for.

    Where the name of a `bare` root is given, nothing may stand beside the elements: no comment, no processing
    instruction, and at the root no other name, no attribute and no text.

    Raises
    ------
    InputError
        The file is not well-formed, or it holds a document type declaration: with it come entities, and with those
        come bombs.
    """
    with plain.open("rb") as file:
        context = etree.iterparse(
            file,
            events=("start", "end") if bare is None else ("start", "end", "comment", "pi"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=bare is None,
            remove_pis=bare is None,
        )
        try:
            yield from _iter_elements(context, name, bare is not None)
            if bare is not None:
                _require_bare(context.root, bare, name)
        except etree.XMLSyntaxError as error:
            raise InputError(
                f"{name}, line {error.lineno}: not well-formed XML, or nested too deeply; write it again"
            ) from None


def _iter_elements(context: Any, name: str, bare: bool) -> Iterator[tuple[str, Any]]:
    """The elements below the root as they end, each let go once it was read; `bare` ones have no text between them."""
    depth = size = 0
    for event, element in context:
        if event in ("comment", "pi"):
            raise InputError(
                f"{name}: holds a comment or a processing instruction, which no release does; it was changed"
            )
        if event == "start":
            if depth == 0 and element.getroottree().docinfo.doctype:
                raise InputError(
                    f"{name}: holds a document type declaration; remove it, entities are not read"
                )
            if len(element.attrib) > _ATTRIBUTES:
                raise InputError(
                    f"{name}, line {element.sourceline}: an element with more than {_ATTRIBUTES} attributes; write "
                    "them as elements"
                )
            depth, size = depth + 1, size + 1
            if size > _ELEMENTS:
                raise InputError(
                    f"{name}: a record with more than {_ELEMENTS} elements; write smaller records"
                )
            continue
        depth -= 1
        if depth == 1:
            yield f"line {element.sourceline}", element
            size = 0
            element.clear(keep_tail=True)
            while (before := element.getprevious()) is not None:
                if bare and before.tail and before.tail.strip():
                    raise InputError(_BESIDE.format(name))
                element.getparent().remove(before)


def _require_bare(root: Any, tag: str, name: str) -> None:
    """Refuse a root that says anything itself."""
    texts = (root.text, *(child.tail for child in root))
    siblings = [*root.itersiblings(), *root.itersiblings(preceding=True)]
    if (
        root.tag != tag
        or root.attrib
        or root.nsmap
        or siblings
        or any(text and text.strip() for text in texts)
    ):
        raise InputError(_BESIDE.format(name))


def _element_value(top: Any) -> Any:
    """An element as text, or as an object of its attributes, elements and text; without recursion."""
    value_of_element: dict[Any, Any] = {}
    for element in top.iter():
        value_of_element[element] = None
    for element in reversed(list(value_of_element)):  # children come before their parents
        value_of_element[element] = _element_object(element, value_of_element)
    return value_of_element[top]


def _element_object(element: Any, made: dict[Any, Any]) -> Any:
    text = (element.text or "").strip()
    lists: dict[str, list[Any]] = {_local_name(key): [value] for key, value in element.attrib.items()}
    for child in element:
        lists.setdefault(_local_name(child.tag), []).append(made[child])
    fields = {key: values[0] if len(values) == 1 else values for key, values in lists.items()}
    tails = [text, *((child.tail or "").strip() for child in element)]
    joined_text = " ".join(part for part in tails if part)
    if not fields:
        return joined_text or None
    return {**fields, **({"text": joined_text} if joined_text and "text" not in fields else {})}


def _local_name(tag: str) -> str:
    """The name of an element or attribute, without its namespace."""
    return tag.rpartition("}")[2]
