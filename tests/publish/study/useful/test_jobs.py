"""A run whose configuration names a target."""

import json

import pytest

from shoal.errors import ExtraError, InputError
from shoal.publish import jobs
from shoal.publish.study.useful import measuring


def asked(people, target):
    path = people / "shoal.toml"
    path.write_text(path.read_text() + f'\n[audit]\ntarget = "{target}"\n', encoding="utf-8")
    return path


def test_the_audit_tells_how_well_the_target_is_predicted(people):
    head, *rows = (people / "people.csv").read_text().splitlines()
    many = [f"again{time}{row}" for time in range(3) for row in rows]  # names stand first
    (people / "people.csv").write_text("\n".join([head, *many]) + "\n", encoding="utf-8")
    jobs.run_config(asked(people, "ward"), people / "out")
    audit = json.loads((people / "out.private" / "audit.json").read_text())
    assert audit["useful"]["notes"] == []
    assert (audit["useful"]["prediction"]["target"], audit["useful"]["prediction"]["tested"]) == ("ward", 54)
    assert "target" not in (people / "out" / "manifest.json").read_text()


def test_too_few_records_to_test_on_are_a_note(people):
    jobs.run_config(asked(people, "ward"), people / "out")
    told = json.loads((people / "out.private" / "audit.json").read_text())["useful"]
    assert told["prediction"] is None
    assert told["notes"][0].startswith("no model was trained for ward: ")
    assert "18 records are left to test on; at least 20" in told["notes"][0]


def test_a_wrong_target_is_told_before_anything_is_made(people, monkeypatch):
    monkeypatch.setattr(jobs, "anonymize", None)
    with pytest.raises(InputError, match="target: no published column 'wart'"):
        jobs.run_config(asked(people, "wart"), people / "out")


def test_a_missing_package_is_told_before_anything_is_made(people, monkeypatch):
    def missing():
        raise ExtraError.of("target", "scikit-learn", "ml")

    monkeypatch.setattr(jobs, "anonymize", None)
    monkeypatch.setattr(measuring, "require_models", missing)
    with pytest.raises(ExtraError, match=r'pip install "shoal-privacy\[ml\]"'):
        jobs.run_config(asked(people, "ward"), people / "out")
