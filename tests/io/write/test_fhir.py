"""FHIR resources in, out and back: whose resource is whose."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.io.config import TreeSpec
from shoal.io.read.trees import read_trees
from shoal.io.write.nested_trees import nested_objects
from shoal.io.write.trees import noncanonical_trees, read_released, write_trees

KEYS = {"Encounter.subject.reference": "Patient.id", "Condition.encounter.reference": "Encounter.id"}
SPEC = TreeSpec("Patient", KEYS, drop=("id",), notation=None)
CODES = st.lists(st.sampled_from("xyz"), max_size=3)


def lines(people: list[list[list[str]]]) -> str:
    """One patient for each list, an encounter for each list in it, and a condition with so many codes."""
    made: list[dict] = []
    for person, visits in enumerate(people):
        made.append({"resourceType": "Patient", "id": f"p{person}", "gender": "f"})
        for place, codes in enumerate(visits):
            own = f"{person}-{place}"
            subject = {"reference": f"Patient/p{person}", "display": "her"}
            made.append({"resourceType": "Encounter", "id": own, "status": "done", "subject": subject})
            coding = [{"system": "s", "code": code} for code in codes]
            to = {"reference": f"Encounter/{own}"}
            made.append({"resourceType": "Condition", "id": own, "encounter": to, "code": {"coding": coding}})
    made.append({"resourceType": "Condition", "id": "nobody's"})
    return "".join(f"{json.dumps(one)}\n" for one in made)


@settings(max_examples=25)
@given(
    st.lists(st.lists(CODES, max_size=3), min_size=1, max_size=3).filter(lambda people: any(map(len, people)))
)
def test_what_is_written_is_read_back_and_in_one_form(people: list[list[list[str]]]) -> None:
    with TemporaryDirectory() as place:
        bulk, out = Path(place) / "bulk", Path(place) / "out"
        bulk.mkdir()
        out.mkdir()
        (bulk / "all.ndjson").write_text(lines(people), encoding="utf-8")
        trees = read_trees(bulk, SPEC)
        write_trees(trees, out)
        assert {file.name for file in (out / "tables").iterdir()} == {
            *("Patient.ndjson", "Encounter.ndjson", "Condition.ndjson", "keys.json")
        }
        back = read_released(out, "linked tables")
        assert back.values == trees.values
        assert back.items.tolist() == trees.items.tolist()
        assert back.parents.tolist() == trees.parents.tolist()
        assert noncanonical_trees([back], out, "linked tables") is None


def released(tmp_path: Path) -> Path:
    (tmp_path / "all.ndjson").write_text(lines([[["x"], ["y", "z"]], [["x"]]]), encoding="utf-8")
    out = tmp_path / "out"
    out.mkdir()
    write_trees(read_trees(tmp_path, SPEC), out)
    return out


def test_ids_are_new_and_references_follow_them(tmp_path: Path) -> None:
    folder = released(tmp_path) / "tables"
    rows = {file.stem: file.read_text().splitlines() for file in folder.glob("*.ndjson")}
    assert [json.loads(row) for row in rows["Encounter"]][1] == {
        **{"resourceType": "Encounter", "id": "2"},
        **{"subject": {"reference": "Patient/1", "display": "her"}, "status": "done"},
    }
    assert json.loads(rows["Condition"][2])["encounter"] == {"reference": "Encounter/3"}
    assert "p0" not in "".join(map(str, rows.values()))


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("Encounter", '"id": "2"', '"id": "7"'),
        ("Encounter", "Patient/1", "Patient/2"),
        ("Encounter", "Patient/1", "Patient/9"),
        ("Encounter", '{"reference": "Patient/1", "display": "her"}', '"Patient/1"'),
        ("Patient", '"gender"', '"Encounter"'),
        ("Patient", '"id": "2"', '"id": "1"'),
        ("Condition", '"resourceType": "Condition"', '"resourceType": "Patient"'),
        ("Condition", "{", "["),
        ("keys", '"to": "Encounter"', '"to": "Nobody"'),
    ],
)
def test_a_changed_file_is_refused_or_odd(file: str, old: str, new: str, tmp_path: Path) -> None:
    out = released(tmp_path)
    place = next((out / "tables").glob(f"{file}.*"))
    before = place.read_text()
    assert old in before
    place.write_text(before.replace(old, new, 1))
    try:
        back = read_released(out, "linked tables")
    except InputError:
        return
    assert noncanonical_trees([back], out, "linked tables") is not None


# Whose resource is whose.

FLU = {"Condition": [{"code": {"coding": [{"code": "flu"}]}}]}
BY_ID = TreeSpec("Patient", KEYS, identifier="id")


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
    trees = read_trees(folder, BY_ID)
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
