"""Bulk FHIR in: whose resource is whose."""

import json
from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.io.config import TreeSpec
from shoal.io.read.trees import read_trees
from shoal.io.write.nested_trees import nested_objects

KEYS = {"Encounter.subject.reference": "Patient.id", "Condition.encounter.reference": "Encounter.id"}
FLU = {"Condition": [{"code": {"coding": [{"code": "flu"}]}}]}
SPEC = TreeSpec("Patient", KEYS, identifier="id")


def write(folder: Path, files: dict[str, list[dict]]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return folder


def patient(own: str, **more: object) -> dict:
    return {"resourceType": "Patient", "id": own, **more}


def visit(own: str, reference: str | None, **more: object) -> dict:
    subject = {} if reference is None else {"subject": {"reference": reference}}
    return {"resourceType": "Encounter", "id": own, "status": "finished", **subject, **more}


def found(condition: str, visit: str) -> dict:
    return {
        "resourceType": "Condition",
        "id": f"c{condition}",
        "encounter": {"reference": visit},
        "code": {"coding": [{"code": condition}]},
    }


def test_resources_hang_below_those_that_they_refer_to_whatever_file_they_stand_in(tmp_path: Path) -> None:
    """Servers split a type over files, and refer to a resource in four ways."""
    folder = write(
        tmp_path / "bulk",
        {
            "0.Patient.ndjson": [
                patient("a", gender="f"),
                visit("1", "https://x.org/fhir/Patient/b/_history/3"),
            ],
            "1.Patient.ndjson": [patient("b", gender="m")],
            "Encounter.ndjson": [visit("2", "Patient/a"), visit("3", "urn:uuid:a"), visit("4", "Group/a")],
            "Condition.ndjson": [
                found("flu", "Encounter/3"),
                found("flock", "Encounter/4"),
                visit("5", None),
            ],
        },
    )
    trees = read_trees(folder, SPEC)
    assert [table.name for table in trees.nesting.tables] == ["Patient", "Encounter", "Condition"]
    assert [*nested_objects(trees, rows=True)] == [
        {"gender": "f", "Encounter": [{"status": "finished", **FLU}, {"status": "finished"}]},
        {"gender": "m", "Encounter": [{"status": "finished"}]},
    ]


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([patient("a"), patient("a")], "line 2: no id, or one that another Patient has"),
        ([patient("a"), visit("1", "Patient/z")], "line 2: refers to no Patient that is there"),
        (
            [patient("a"), {"resourceType": "Encounter", "id": "1", "subject": [{"reference": "Patient/a"}]}],
            "in a list",
        ),
        ([patient("a"), {"id": "b"}], "line 2: no FHIR resource"),
        ([patient("a"), 3], "line 2: no FHIR resource"),
        ([visit("1", "Patient/a")], "no resources of the type in tree.person"),
    ],
)
def test_what_belongs_to_nobody_for_certain_is_refused(lines: list, fault: str, tmp_path: Path) -> None:
    keys = {"Encounter.subject.reference": "Patient.id"} if "Encounter" in str(lines[1:]) else {}
    with pytest.raises(InputError, match=fault):
        read_trees(write(tmp_path / "bulk", {"all.ndjson": lines}), TreeSpec("Patient", keys))
