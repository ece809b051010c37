"""Published trees that came as FHIR resources, out and back as such: an ndjson file for each type.

Ids are new: they number the resources of a type in the order in which they stand there, which is that of the shuffled
records, and references are to these.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from shoal.data import Trees
from shoal.data.trees import LinkedTable
from shoal.errors import InputError
from shoal.io.read.fhir import NDJSON
from shoal.io.read.tree_tables import Key
from shoal.io.write.nested_rows import row_objects, rows_of_lines
from shoal.io.write.nested_trees import parsed_record, strange_record

__all__ = ["read_resource_files", "write_resource_lines"]


def write_resource_lines(trees: Trees, files: Mapping[str, BinaryIO]) -> None:
    """Write each record as a resource and those that belong to it, one on each line of the file of its type.

    Raises
    ------
    InputError
        No rows tell how nodes hang, or a field that is published stands where a reference must.
    """
    assert trees.nesting is not None
    below: dict[str, list[LinkedTable]] = defaultdict(list)
    for table in trees.nesting.tables[1:]:
        below[table.over].append(table)
    numbers = Counter[str]()

    def put(table: LinkedTable, row: Mapping[str, Any], owner: str) -> None:
        numbers[table.name] += 1
        own = str(numbers[table.name])
        inner = {one.name for one in below[table.path]}
        fields = {name: value for name, value in row.items() if name not in inner}
        if table.here:
            fields = _with(fields, table.here[0].split("."), owner)
        line = json.dumps({"resourceType": table.name, "id": own, **fields}, ensure_ascii=False)
        files[table.name].write(f"{line}\n".encode())
        for one in below[table.path]:
            entries = row.get(one.name, [])
            for entry in entries if isinstance(entries, list) else [entries]:
                put(one, entry, f"{table.name}/{own}")

    for record in row_objects(trees):
        put(trees.nesting.tables[0], record, "")


def _with(fields: dict[str, Any], steps: Sequence[str], reference: str) -> dict[str, Any]:
    """Fields, and a reference before them, inside the object where it belongs."""
    inside = fields.pop(steps[0], {})
    if not isinstance(inside, dict) or (len(steps) == 1 and inside):
        raise InputError(
            f"release.format: '{steps[0]}' stands where a reference must; drop it, or say format = \"nested\""
        )
    return {steps[0]: _with(inside, steps[1:], reference) if len(steps) > 1 else reference, **fields}


def read_resource_files(path: Path, person: str, keys: Sequence[Key], files: Mapping[str, Path]) -> Trees:
    """Read back what `write_resource_lines` wrote; the files may be anyone's.

    Whether numbers and references are those that would be written is for whoever compares the files.

    Raises
    ------
    InputError
        A line is not as it would be written.
    """
    tables = [LinkedTable("", person, (), format=NDJSON)]
    for key in keys:
        over = next((one for one in tables if one.name == key.to), None)
        if over is None or len(key.columns) > 1 or any(one.name == key.table for one in tables):
            raise InputError(
                f"{path.name}: keys.json does not say how resources belong together; it was changed"
            )
        own = f"{over.path}.{key.table}" if over.path else key.table
        tables.append(LinkedTable(own, key.table, (), over.path, key.columns, key.to_columns, format=NDJSON))
    known: dict[str, dict[str, Any]] = {}
    for table in tables:
        over = next((one for one in tables if one.path == table.over), tables[0])
        with files[table.name].open("rb") as file:
            for number, line in enumerate(file, 1):
                where = f"{files[table.name].name}, line {number}"
                record = parsed_record(line, where)
                own = f"{record.pop('resourceType', '')}/{record.pop('id', '')}"
                if own in known or any(one.over == table.path and one.name in record for one in tables[1:]):
                    raise strange_record(where)
                known[own] = record
                if table.here:
                    owner = known.get(_without(record, table.here[0].split("."), where))
                    if owner is None:
                        raise strange_record(where)
                    owner.setdefault(table.name, []).append(record)
    people = (record for own, record in known.items() if own.startswith(f"{person}/"))
    trees = rows_of_lines(_lines(people), path.name, {table.path for table in tables[1:]})
    assert trees.nesting is not None
    return replace(trees, nesting=replace(trees.nesting, tables=tuple(tables)))


def _lines(people: Iterable[Mapping[str, Any]]) -> Iterable[tuple[int, bytes]]:
    return ((number, json.dumps(record).encode()) for number, record in enumerate(people, 1))


def _without(record: dict[str, Any], steps: Sequence[str], where: str) -> str:
    """Take a reference out of a record, and objects that only held it."""
    inside = record.get(steps[0])
    if len(steps) == 1:
        if not isinstance(inside, str):
            raise strange_record(where)
        del record[steps[0]]
        return inside
    if not isinstance(inside, dict):
        raise strange_record(where)
    found = _without(inside, steps[1:], where)
    if not inside:
        del record[steps[0]]
    return found
