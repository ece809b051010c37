"""Nested files: json as programs write it (wrapped arrays, one object per id, one object per line), and xml."""

import json
from pathlib import Path
from typing import Any

import pytest

from office_files import NAMES, PEOPLE, people
from shoal.base.errors import InputError
from shoal.io.config import check
from shoal.io.read.layout import Layout, LayoutError
from shoal.io.read.nested_records import load_records
from shoal.io.read.table import read
from shoal.io.read.trees import TreeSpec, read_trees
from shoal.proposal.source_detection import detect_source
from shoal.shapes.trees.data import trees_of

ROWS: list[dict[str, Any]] = [dict(zip(NAMES, row, strict=True)) for row in people()]
BARE = [{name: row[name] for name in NAMES if name != "id"} for row in ROWS]
WRAPPED: dict[str, tuple[Any, str | None]] = {
    "an array": (ROWS, None),
    "data": ({"count": PEOPLE, "next": None, "data": ROWS}, "data"),
    "any key": ({"Mitarbeiter": ROWS}, "Mitarbeiter"),
    "two levels": ({"meta": {"page": 1}, "result": {"items": ROWS}}, "result.items"),
    "beside a smaller one": ({"columns": [{"name": name} for name in NAMES], "rows": ROWS}, "rows"),
    "a name with a dot": ({"v1.0": {"rows": ROWS}}, "v1.0.rows"),
    "one per id": ({str(row["id"]): bare for row, bare in zip(ROWS, BARE, strict=True)}, "."),
    "one per id within": (
        {"ok": True, "staff": {str(row["id"]): bare for row, bare in zip(ROWS, BARE, strict=True)}},
        "staff",
    ),
}


@pytest.mark.parametrize("case", WRAPPED)
def test_the_array_is_found_and_then_read(case: str, tmp_path: Path) -> None:
    value, place = WRAPPED[case]
    path = tmp_path / "staff.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    found = detect_source(path)
    assert found.source is not None
    assert found.data.layout.records == place
    assert set(found.source.frame.columns) == set(NAMES)
    assert [str(cell) for cell in found.source.frame["id"]] == [str(row["id"]) for row in ROWS]
    if place is not None:
        assert f"{PEOPLE} records" in found.data.layout.why["records"]
        with pytest.raises(LayoutError, match="write records = "):
            read(path, layout=Layout())
    keys = {} if place is None else {"records": place}
    layout = check(
        {"data": {"path": "staff.json", **keys}, "columns": {"id": "quasi"}}, folder=tmp_path
    ).data.layout
    assert read(path, layout=layout).frame.equals(found.source.frame)


def test_lines_in_a_file_that_is_called_json(tmp_path: Path) -> None:
    path = tmp_path / "staff.json"
    path.write_text("\n".join(map(json.dumps, ROWS)) + "\n", encoding="utf-8")
    found = detect_source(path)
    assert found.source is not None
    assert found.source.frame.shape == (PEOPLE, 4)
    assert not found.data.layout


def test_nested_records_in_a_wrapped_array(tmp_path: Path) -> None:
    path = tmp_path / "staff.json"
    deep = [{**row, "visits": [{"ward": "A", "ill": ["flu"]}]} for row in ROWS]
    path.write_text(json.dumps({"entry": deep}), encoding="utf-8")
    found = detect_source(path)
    assert found.trees is not None
    assert found.trees.n == PEOPLE
    assert found.data.layout.records == "entry"
    with pytest.raises(LayoutError, match='write records = "entry"'):
        read_trees(path)
    keys = {"data": {"path": "staff.json", "records": "entry"}, "tree": {}}
    assert trees_of(check(keys, folder=tmp_path)).n == PEOPLE


@pytest.mark.parametrize(
    ("text", "records", "said"),
    [
        ('{"a": 1}', None, "not an array"),
        (
            '{"age": {"0": 1, "1": 2}, "town": {"0": "x", "1": "y"}}',
            None,
            "not an array",
        ),  # columns, not people
        ('{"a": [1, 2]}', None, "not an array"),
        ('{"a": [{"b": 1}]}', "c", "correct records"),
        ('{"a": {"b": 1}}', "a", "correct records"),
        ("[" * 100_000, None, "not JSON"),
        ('{"a": ' * 50_000, None, "not JSON"),
        ('{"a": [1}', None, "line 1: not JSON"),
    ],
)
def test_what_holds_no_records_is_refused(text: str, records: str | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "staff.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        load_records(path, path.name, records)


@pytest.mark.parametrize("records", [None, "entry"])
def test_resources_in_a_bundle_are_not_taken_for_people(records: str | None, tmp_path: Path) -> None:
    path = tmp_path / "bundle.json"
    entry = [
        {"resource": {"resourceType": "Patient", "id": "p1"}},
        {"resource": {"resourceType": "Condition"}},
    ]
    path.write_text(json.dumps({"resourceType": "Bundle", "entry": entry}))
    with pytest.raises(InputError, match=r"a FHIR bundle, .* give the folder"):
        load_records(path, path.name, records)


def test_more_people_than_a_table_has_columns(tmp_path: Path) -> None:
    path = tmp_path / "staff.json"
    path.write_text(
        json.dumps({str(i): {"age": i % 90, "town": "x"} for i in range(12_000)}), encoding="utf-8"
    )
    assert read(path, layout=Layout(records=".")).frame.shape == (12_000, 3)


def test_half_a_character_in_a_wrapped_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "staff.json"
    path.write_text('{"data": [{"town": "\\ud800"}, {"town": "x"}]}', encoding="utf-8")
    with pytest.raises(InputError, match="half of a character"):
        read(path, layout=Layout(records="data"))


PATIENTS = """<?xml version="1.0"?>
<!-- two patients -->
<patients xmlns="urn:x">
  <patient id="1"><sex>F</sex>
    <visit><hospital>H1</hospital><ill severity="2">flu</ill><ill>gout</ill></visit>
    <visit><hospital>H2</hospital></visit>
  </patient>
  <patient id="2"><sex/></patient>
</patients>
"""


@pytest.fixture
def read_xml(tmp_path):
    def run(text, **spec):
        path = tmp_path / "patients.xml"
        path.write_text(text, encoding="utf-8")
        return read_trees(path, TreeSpec(**spec))

    return run


def test_elements_and_attributes_are_fields(read_xml):
    trees = read_xml(PATIENTS, drop=["id"])
    assert trees.n == 2
    assert trees.tree(0) == (
        ("sex", "F"),
        (
            "visit.hospital",
            "H1",
            ("visit.ill", "gout"),
            ("visit.ill.severity", "2", ("visit.ill.text", "flu")),
        ),
        ("visit.hospital", "H2"),
    )
    assert trees.tree(1) == ()


def test_bombs_and_files_of_the_machine_stay_outside(read_xml, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret", encoding="utf-8")
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<!DOCTYPE p [<!ENTITY l0 "ha">{laughs}]><p><q><a>&l9;</a></q></p>'
    outside = f'<!DOCTYPE p [<!ENTITY x SYSTEM "file://{secret}">]><p><q><a>&x;</a></q></p>'
    for text in (bomb, outside, "<!DOCTYPE p><p><q><a>1</a></q></p>"):
        with pytest.raises(InputError, match="document type declaration"):
            read_xml(text)


def test_faults_name_the_line(read_xml):
    with pytest.raises(InputError, match=r"patients.xml, line 3: not well-formed") as caught:
        read_xml("<p>\n<q><a>1</a></q>\n<q><a>secret</b></q>\n</p>")
    assert "secret" not in str(caught.value)
    for text in ("<p><q><a>&nothere;</a></q></p>", "", "<p>" + "<n>" * 5000 + "</n>" * 5000 + "</p>"):
        with pytest.raises(InputError, match="not well-formed"):
            read_xml(text)


def test_a_file_of_many_records_is_streamed(read_xml):
    trees = read_xml("<p>" + "<q><a>1</a><b><c>2</c></b></q>" * 3000 + "</p>")
    assert trees.n == 3000
    assert trees.tree(2999) == (("a", "1"), ("b.c", "2"))


def test_depth_200(read_xml):
    text = "x"
    for _ in range(200):
        text = f"<n>{text}</n>"
    assert len(read_xml(f"<p><q>{text}</q></p>").items) == 1
