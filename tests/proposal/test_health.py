"""Bulk FHIR and OMOP's tables: known for what they are, published as they came, without an edit."""

import json
from pathlib import Path

import polars as pl
import pytest

from shoal.base.naming import resource_table
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.proposal.health import fhir_form, omop_form
from shoal.proposal.propose import propose
from shoal.publish.verify import verify

pytestmark = pytest.mark.usefixtures("bare")

N = 30
FORMS = resource_table("shoal.proposal", "health.toml")
ICD = ("E11.9", "E10.1", "I10", "I11.0", "J45.0", "J44.1")


def bulk(folder: Path) -> Path:
    folder.mkdir()
    people, found = [], []
    for own in range(N):
        people.append(
            {
                **{"resourceType": "Patient", "id": f"p{own}", "gender": ("male", "female")[own % 2]},
                **{"name": [{"family": f"Secret{own}"}], "birthDate": f"{1950 + own % 3}-01-01"},
                "text": {"status": "generated", "div": f"<div>Secret{own}</div>"},
                "extension": [{"url": "maiden", "valueString": f"Secret{own}"}],
            }
        )
        for one in range(2):
            coding = {"system": "http://hl7.org/fhir/sid/icd-10-cm", "code": ICD[(own + one) % 6]}
            found.append(
                {
                    **{
                        "resourceType": "Condition",
                        "id": f"c{own}-{one}",
                        "onsetDateTime": f"202{one}-05-05",
                    },
                    **{
                        "subject": {"reference": f"Patient/p{own}"},
                        "code": {"coding": [coding], "text": "Secret"},
                    },
                }
            )
    for name, lines in {
        "Patient": people,
        "Condition": found,
        "Organization": [{"resourceType": "Organization"}],
    }.items():
        (folder / f"{name}.ndjson").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return folder


def omop(folder: Path) -> Path:
    """Names of columns in capitals, keys with gaps: as databases and pandas hand them over."""
    folder.mkdir()
    who = [float(1000 + own) for own in range(N)]
    pl.DataFrame(
        {
            "PERSON_ID": who,
            "GENDER_CONCEPT_ID": [(8507, 8532)[own % 2] for own in range(N)],
            "YEAR_OF_BIRTH": [1950 + own % 3 for own in range(N)],
            "BIRTH_DATETIME": [f"{1950 + own % 3}-02-{1 + own % 28:02}" for own in range(N)],
            "PERSON_SOURCE_VALUE": [f"Secret{own}" for own in range(N)],
            "LOCAL_NOTE": [f"Secret{own}" for own in range(N)],
        }
    ).write_parquet(folder / "PERSON.parquet")
    pl.DataFrame(
        {
            "CONDITION_OCCURRENCE_ID": range(2 * N),
            "PERSON_ID": [1000 + place // 2 for place in range(2 * N)],
            "CONDITION_CONCEPT_ID": [201820 + (place // 2 + place % 2) % 6 for place in range(2 * N)],
            "CONDITION_SOURCE_VALUE": [ICD[(place // 2 + place % 2) % 6] for place in range(2 * N)],
            "CONDITION_START_DATE": [f"202{place % 2}-05-05" for place in range(2 * N)],
        }
    ).write_parquet(folder / "CONDITION_OCCURRENCE.parquet")
    pl.DataFrame({"CONCEPT_ID": [1], "CONCEPT_NAME": ["x"]}).write_parquet(folder / "CONCEPT.parquet")
    return folder


@pytest.mark.parametrize(
    ("make", "codes", "table", "left"),
    [
        (bulk, "Condition.code.coding.code", "Condition.ndjson", "Organization"),
        (omop, "CONDITION_OCCURRENCE.CONDITION_CONCEPT_ID", "CONDITION_OCCURRENCE.parquet", "CONCEPT"),
    ],
)
def test_three_commands_without_an_edit(make, codes: str, table: str, left: str, tmp_path: Path) -> None:
    data = make(tmp_path / "data")
    proposal = propose(data)
    assert any(left in note for note in proposal.notes)
    assert not proposal.undecided
    assert "E10-E14" in proposal[codes].levels or "I10-I16" in proposal[codes].levels
    proposal.guarantee = {"k": 3, "m": 1, "n": 0}
    toml = proposal.save(tmp_path)
    release = run_config(toml, tmp_path / "release")
    assert verify(tmp_path / "release", config=load(toml))[1]
    assert release.verdict
    out = tmp_path / "release" / "tables"
    rows = (
        pl.read_parquet(out / table).height
        if table.endswith("parquet")
        else len((out / table).read_text().splitlines())
    )
    assert rows == 2 * N, "a row stays a row"
    for file in (*out.iterdir(), toml, *(tmp_path / "hierarchies").iterdir()):
        assert b"Secret" not in file.read_bytes()


def test_every_field_is_listed_once_and_every_vocabulary_has_a_name() -> None:
    for form in FORMS.values():
        assert form["source"].count("https://")
        for name, table in form["tables"].items():
            kinds = ("identifiers", "texts", "codes", "dates", "numbers")
            fields = [path for kind in kinds for path in table.get(kind, ())]
            assert len({*fields}) == len(fields), name
            assert name == form["person"] or ("refers" in table) != ("owns" in table)
            assert {*table.get("same", {})} <= {*table.get("codes", ())}


def test_what_is_not_listed_is_left_out_with_all_that_is_below_it() -> None:
    more = {"name": [{"family": "x"}], "address": [{"line": ["x"], "postalCode": "1"}], "text": {"div": "x"}}
    whole = {"resourceType": "Patient", "id": "1", "gender": "f", "deep": {"er": [{"field": 1}]}, **more}
    form = fhir_form({"Patient": [("", json.dumps(whole).encode())]})
    assert {*form.kinds} == {"gender", "address.postalCode"}
    assert {*form.left} == {"name", "address.line", "deep"}
    assert form.texts == ("text",)
    assert fhir_form({"Observation": []}) is None
    assert omop_form({"person": pl.DataFrame({"person_id": [1], "age": [3]})}) is None
