"""Bulk FHIR: a folder of ndjson files, a resource a line, as one nested record per patient.

A resource hangs below the one that it refers to, in an array that has its type's name, wherever in which file it
stands. Types and ids say nothing but which resource it is, and are left out, as are the references that were followed;
the id of the person stays, to say who a record is.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.data.trees import LinkedTable
from shoal.errors import InputError
from shoal.io.config import TreeSpec
from shoal.io.formats import format_of
from shoal.io.read.files import unzip
from shoal.io.read.nested_records import parsed_line, raw_lines
from shoal.io.read.tree_tables import Branch, branches_of, keys_of

__all__ = ["NDJSON", "Resources", "is_bulk_fhir", "patient_records", "read_resources", "referred_id"]

NDJSON = "ndjson"
_TYPE = "resourceType"

Resources = Mapping[str, list[tuple[str, bytes]]]
"""By type, the resources as they are written, each with its place."""


def is_bulk_fhir(folder: Path) -> bool:
    """Whether a folder holds FHIR: the first line of one of its ndjson files is a resource."""
    for file in _files(folder):
        with unzip(file) as plain:
            for number, line in raw_lines(plain, file.name):
                record = parsed_line(line, file.name, number)
                return isinstance(record, dict) and isinstance(record.get(_TYPE), str)
    return False


def _files(folder: Path) -> list[Path]:
    return [
        file
        for file in sorted(folder.iterdir())
        if file.is_file()
        and not file.name.startswith((".", "~$"))
        and (format := format_of(file.name)) is not None
        and format.reader == NDJSON
    ]


def read_resources(folder: Path) -> Resources:
    """All resources of a folder; several files may hold one type, and a file several types.

    Raises
    ------
    InputError
        A line is no resource.
    """
    found: dict[str, list[tuple[str, bytes]]] = defaultdict(list)
    for file in _files(folder):
        with unzip(file) as plain:
            for number, line in raw_lines(plain, file.name):
                place = f"{file.name}, line {number}"
                record = parsed_line(line, file.name, number)
                kind = record.get(_TYPE) if isinstance(record, dict) else None
                if not isinstance(kind, str) or not kind.isalpha():
                    raise InputError(f"{place}: no FHIR resource; give resources alone, one per line")
                found[kind].append((place, line))
    return dict(found)


def patient_records(
    where: str, resources: Resources, spec: TreeSpec
) -> tuple[Iterator[tuple[str, dict[str, Any]]], tuple[LinkedTable, ...]]:
    """One record for each person, with its place, and the types of resources as tables that refer to each other.

    Raises
    ------
    InputError
        `person` or a key names what is not there, two resources share an id, or one refers to nobody.
    """
    if spec.person is None or spec.person not in resources:
        raise InputError(f"{where}: no resources of the type in tree.person; say Patient, and give its file")
    branches, _ = branches_of(where, spec.person, keys_of(where, spec.keys, resources), set())
    if any(not branch.many for branch in branches):
        raise InputError(
            f"{where}: tree.keys follows a reference from a person; only what refers to one is read"
        )
    known: list[set[str]] = []
    below: dict[tuple[int, str], list[tuple[str, bytes]]] = defaultdict(list)
    for branch in branches:
        known.append(set())
        for place, line in resources[branch.table]:
            record = json.loads(line)
            own = record.get("id")
            if not isinstance(own, str) or own in known[-1]:
                raise InputError(
                    f"{where}: {place}: no id, or one that another {branch.table} has; correct it"
                )
            known[-1].add(own)
            if branch.key is not None:
                owner = _referred(record, branch, place)
                if owner is None:
                    continue
                if owner not in known[branch.over]:
                    raise InputError(
                        f"{where}: {place}: refers to no {branch.key.to} that is there; add it or remove the line"
                    )
                below[len(known) - 1, owner].append((place, line))
    inner = {
        place: [at for at, one in enumerate(branches) if one.over == place] for place in range(len(branches))
    }

    def whole(at: int, line: bytes) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(line)
        own, branch = record["id"], branches[at]
        del record[_TYPE]
        if branch.key is not None:
            del record["id"]
            _forget(record, branch.key.columns[0].split("."))
        for child in inner[at]:
            if rows := below.get((child, own)):
                record[branches[child].table] = [whole(child, line) for _, line in rows]
        return record

    records = ((place, whole(0, line)) for place, line in resources[spec.person])
    tables = tuple(
        LinkedTable(one.path, one.table, (), format=NDJSON)
        if one.key is None
        else LinkedTable(
            one.path,
            one.table,
            (),
            branches[one.over].path,
            one.key.columns,
            one.key.to_columns,
            format=NDJSON,
        )
        for one in branches
    )
    return records, tables


def _referred(record: Mapping[str, Any], branch: Branch, place: str) -> str | None:
    """The id that a resource refers to; None where it refers to nothing, or to something of another type."""
    assert branch.key is not None
    value: Any = record
    for step in branch.key.columns[0].split("."):
        if isinstance(value, list):
            raise InputError(
                f"{place}: '{step}' is in a list, so it may refer to several; follow another field"
            )
        value = value.get(step) if isinstance(value, Mapping) else None
    return referred_id(value, branch.key.to) if isinstance(value, str) else None


def referred_id(reference: str, kind: str) -> str | None:
    """The id in a reference to a resource of a type; None where it is to another type.

    >>> referred_id("https://h.org/fhir/Patient/7/_history/2", "Patient"), referred_id("urn:uuid:7", "Patient")
    ('7', '7')
    >>> referred_id("Group/7", "Patient") is None
    True
    """
    if reference.startswith("urn:"):
        return reference.rpartition(":")[2]
    before, _, own = reference.partition("/_history/")[0].rpartition("/")
    return own if before.rpartition("/")[2] in ("", kind) else None


def _forget(record: dict[str, Any], steps: list[str]) -> None:
    """Leave a field out, and objects that only held it."""
    inside = record.get(steps[0])
    if len(steps) > 1 and isinstance(inside, dict):
        _forget(inside, steps[1:])
    if len(steps) == 1 or not inside:
        record.pop(steps[0], None)
