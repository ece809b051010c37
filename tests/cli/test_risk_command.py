"""`shoal risk` as a person runs it."""

import json

import pytest

import shoal
from cli_cases import command, failed


def test_it_tells_who_is_found_and_by_what(go):
    result = go("risk")
    assert result.exit_code == 0, result.output
    for words in ("any 1 column", "all 3 columns", "fewer than 5", "a prosecutor", "give --population"):
        assert words in result.output
    assert "without a rule" not in result.stderr  # nothing is recoded


def test_json_is_what_python_gives(go, people):
    result = go("risk", "shoal.toml", "--k", 3, "--population", "1,000", "--json")
    assert json.loads(result.stdout) == shoal.risk(people / "shoal.toml", k=3, population=1000).as_dict()
    of_file = go("risk", "--population", "people.csv", "--json")
    assert json.loads(of_file.stdout)["population"]["source"] == "records"
    sampled = go("risk", "--fraction", 0.5, "--sample", 30, "--json")
    assert json.loads(sampled.stdout)["population"] == pytest.approx(
        json.loads(sampled.stdout)["population"] | {"size": 120, "fraction": 0.25}
    )


def test_data_that_nobody_has_described(go):
    result = go("risk", "people.csv")
    assert result.exit_code == 0, result.output
    assert "so that was guessed" in result.output


def test_fields_of_trees_are_told(go, people):
    (people / "trees.ndjson").write_text('{"ill": "flu"}\n{"ill": "gout"}\n')
    (people / "trees.toml").write_text(
        '[data]\npath = "trees.ndjson"\n[tree]\nhierarchies = { ill = { fanout = 2 } }\n'
    )
    result = go("risk", "trees.toml")
    assert "What one value of each field reveals" in result.output
    assert "for 2 people (100%) one value of it belongs to nobody else" in result.output


def test_a_page_is_private(go, people):
    assert "must not be published" in go("risk", "--html", "risk.html").output
    assert "Private: do not publish" in (people / "risk.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--population", "nobody.csv"], "nobody.csv: not found"),
        (["gone.toml"], "gone.toml: not found"),
        (["gone.csv"], "gone.csv: not found"),
    ],
)
def test_what_is_wrong_is_one_sentence(go, words, said):
    assert failed(go("risk", *words), 2, said)


def test_the_risk_of_each_record_is_a_file_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text("age,wt\n30,4\n30,6\n40,2\n")
    (tmp_path / "shoal.toml").write_text(
        '[data]\npath = "p.csv"\n[columns]\nage = "quasi"\nwt = "weight"\n[guarantee]\nk = 2\n'
    )
    for force in ([], ["--force"]):
        made = command("risk", "--records", "r.csv", *force)
        assert made.exit_code == 0, made.output
    assert (tmp_path / "r.csv").read_text().splitlines()[0] == "record,look_alikes,risk,people,score"
    assert command("risk", "--records", "p.csv", "--force").exit_code == 2
    assert command("risk", "--missing", "some").exit_code == 2
