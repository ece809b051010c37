"""A release that keeps rows: run, written, read back, judged and verified beside its originals."""

import json

import pytest
from click.testing import CliRunner

from shoal.base.errors import InputError
from shoal.cli import shoal
from shoal.jobs.api import anonymize, read_trees

CONFIG = """\
[data]
path = "people"
[tree]
person = "people"
identifier = "name"
keys = { "visits.whose" = "people.id" }
hierarchies = { "visits.ward" = "ward.csv", "visits.ill" = "ill.csv" }
[guarantee]
k = 2
"""
REPEATS = """\
[method]
repeats = "REPEATS"
[release]
format = "FORMAT"
"""
FILES = ("people.csv", "visits.csv", "keys.json")
ROWS = [
    *[(0, "A", "flu")] * 3,
    *[(1, "A", "flu")] * 2,
    *[(p, "B", "gout") for p in (2, 3, 4, 5)],
    (5, "A", "flu"),
]


@pytest.fixture
def room(tmp_path, monkeypatch):
    (tmp_path / "ward.csv").write_text("A;*\nB;*\n")
    (tmp_path / "ill.csv").write_text("flu;*\ngout;*\n")
    (tmp_path / "people").mkdir()
    names = "".join(f"{number},n{number}\n" for number in range(6))
    (tmp_path / "people" / "people.csv").write_text("id,name\n" + names)
    cells = "".join(f"{whose},{ward},{ill}\n" for whose, ward, ill in ROWS)
    (tmp_path / "people" / "visits.csv").write_text("whose,ward,ill\n" + cells)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _go(*words):
    return CliRunner().invoke(shoal, words, catch_exceptions=False)


def test_tables_come_out_as_the_same_tables_unless_told_otherwise(room):
    (room / "shoal.toml").write_text(CONFIG)
    assert _go("run", "--allow-empty").exit_code == 0
    manifest = json.loads((room / "release" / "manifest.json").read_text())
    assert manifest["claim"]["repeats"] == "keep"
    assert set(manifest["sha256"]) == {f"tables/{name}" for name in FILES} | {"report.html"}
    visits = (room / "release" / "tables" / "visits.csv").read_text().splitlines()
    assert visits[0] == "whose,ward,ill"
    whose = [line.split(",")[0] for line in visits[1:]]
    assert sorted(map(whose.count, set(whose))) == [1, 1, 1, 2, 2, 3]
    assert (room / "release" / "tables" / "people.csv").read_text() == "id\n1\n2\n3\n4\n5\n6\n"
    assert _go("verify", "release").exit_code == 0
    assert _go("verify", "release", "--config", "shoal.toml", "--against", "people").exit_code == 0
    text = "\n".join([visits[0], *reversed(visits[1:])]) + "\n"
    (room / "release" / "tables" / "visits.csv").write_text(text)
    assert _go("verify", "release").exit_code == 1


def test_a_merged_release_is_held_against_merged_originals_though_the_configuration_says_nothing(room):
    (room / "shoal.toml").write_text(
        (CONFIG + REPEATS).replace("REPEATS", "merge").replace("FORMAT", "nodes")
    )
    assert _go("run", "--allow-empty").exit_code == 0
    (room / "shoal.toml").write_text(CONFIG)
    assert _go("verify", "release", "--config", "shoal.toml", "--against", "people").exit_code == 0
    assert _go("attack", "release", "--config", "shoal.toml", "--against", "people").exit_code == 0


@pytest.mark.parametrize("format", ["ndjson", "tables", "nested"])
def test_rows_stay_rows_and_the_manifest_says_which_claim(room, format):
    (room / "shoal.toml").write_text((CONFIG + REPEATS).replace("REPEATS", "keep").replace("FORMAT", format))
    assert _go("run", "--allow-empty").exit_code == 0
    manifest = json.loads((room / "release" / "manifest.json").read_text())
    assert manifest["claim"]["repeats"] == "keep"
    assert "as often as" in manifest["claim"]["attacker"]
    assert _go("verify", "release").exit_code == 0
    assert _go("verify", "release", "--config", "shoal.toml", "--against", "people").exit_code == 0
    assert _go("attack", "release", "--config", "shoal.toml", "--against", "people").exit_code == 0
    if format == "ndjson":
        records = [
            json.loads(line)["nodes"] for line in (room / "release/data.ndjson").read_text().splitlines()
        ]
        assert sorted(len(nodes) for nodes in records) == [1, 1, 1, 2, 2, 3]
        (room / "release" / "manifest.json").write_text(
            json.dumps({**manifest, "claim": {**manifest["claim"], "repeats": "merge"}})
        )
        assert _go("verify", "release").exit_code == 1


def test_merged_repeats_are_those_of_the_paper(room):
    (room / "shoal.toml").write_text(
        (CONFIG + REPEATS).replace("REPEATS", "merge").replace("FORMAT", "ndjson")
    )
    assert _go("run", "--allow-empty").exit_code == 0
    manifest = json.loads((room / "release" / "manifest.json").read_text())
    assert "repeats" not in manifest["claim"]
    assert _go("verify", "release", "--config", "shoal.toml", "--against", "people").exit_code == 0


def test_a_word_that_is_none_is_told(room):
    (room / "shoal.toml").write_text(
        (CONFIG + REPEATS).replace("REPEATS", "both").replace("FORMAT", "ndjson")
    )
    result = _go("run")
    assert result.exit_code == 2
    assert "repeats" in result.stderr
    assert result.stderr.count("\n") == 1


def test_repeats_are_asked_for_as_the_records_were_read():
    people = [{"ward": "A", "ill": ["flu", "flu"]} for _ in range(6)]
    rules = {"ward": {"fanout": 2}, "ill": {"fanout": 2}}
    for read, asked in (("merge", "keep"), ("keep", "merge")):
        data = read_trees(people, hierarchies=rules, repeats=read)
        with pytest.raises(InputError, match=f'the records were read with "{read}"; say "{asked}" where'):
            anonymize(data, k=2, m=1, n=0, repeats=asked)
