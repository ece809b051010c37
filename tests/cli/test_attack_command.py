"""`shoal attack` as a person runs it: what it says, and its exit codes."""

import json
import shutil
from unittest.mock import ANY

import polars as pl
import pytest

import shoal
from cli_cases import command, failed
from release_cases import ORIGINALS, make_release, write_originals
from shoal.attacks.result import ABOUT_CRITERIA

pytestmark = pytest.mark.usefixtures("hasty")


@pytest.fixture(scope="module")
def made(bare, tmp_path_factory):
    """A room with releases of a table, with and without its rows."""
    room = tmp_path_factory.mktemp("attacked")
    write_originals(room)
    make_release(room, "table", rows=True, seed=1)
    make_release(room, "persons", rows=True, seed=1)
    return room


@pytest.fixture
def room(made, tmp_path):
    """A copy to tamper with."""
    shutil.copytree(made, tmp_path / "room")
    return tmp_path / "room"


@pytest.fixture
def go(room, monkeypatch):
    monkeypatch.chdir(room)

    def run(*words, kind="table"):
        given = ("attack", f"{kind}-csv", "--against", ORIGINALS[kind], "--config", f"{kind}.toml", *words)
        return command(*given)

    return run


def test_it_tells_each_attacker_in_words_beside_the_bound(go):
    result = go()
    assert result.exit_code == 0, result.output
    assert result.output.startswith(
        "verdict   yes: no attacker inside the claim is right more often than it allows"
    )
    assert "inside    all-quasi-identifiers: right" in result.output
    assert "the claim allows 25%" in result.output
    for name in ("plain-column", "sensitive-column", "homogeneity", "skewness", "inference"):
        assert f"beyond    {name}: " in result.output


def test_json_is_what_python_gives_and_holds_no_value(go, room):
    result = go("--json")
    found = json.loads(result.stdout)
    same = shoal.attack(room / "table-csv", room / "people.csv", config=room / "table.toml").as_dict()
    for one in (*found["attackers"], *same["attackers"]):
        if one["name"] == "replays-cells":  # its cells are drawn
            one.clear()
    assert found == same
    assert found["holds"] is True
    assert {"name", "inside", "bound", "success", "low", "high"} <= found["attackers"][0].keys()
    everything = result.stdout + go().output
    for word in ("Ann", "flu", "gout", "people.csv", "[20, 29]", str(room)):
        assert word not in everything


def test_persons_are_counted_and_several_rows_are_beyond(go):
    found = {one["name"]: one for one in json.loads(go("--json", kind="persons").stdout)["attackers"]}
    assert found["all-quasi-identifiers"]["people"] == 30
    assert found["several-rows"]["success"] >= found["all-quasi-identifiers"]["success"]


def test_a_pipeline_fails_above_a_chance(go):
    assert go("--fail-above", 0.25).exit_code == 0
    result = go("--fail-above", 0.01)
    assert result.exit_code == 1
    assert "above     all-quasi-identifiers, own-class: may be right more often than 0.01" in result.output


def test_a_pipeline_looks_at_the_attacker_that_is_named(go):
    name = ("--attacker", "sensitive-column")
    assert go(*name, "--fail-above", 1).exit_code == 0
    result = go(*name, "--fail-above", 0.05, "--json")
    assert result.exit_code == 1
    assert [one["name"] for one in json.loads(result.stdout)["attackers"]] == ["sensitive-column"]
    assert go(*name).exit_code == 0


def test_an_attacker_that_has_nothing_to_know_is_not_played(go):
    result = go("--attacker", "several-rows")
    assert result.exit_code == 5
    assert result.output.startswith("verdict   yes: ")
    assert "cannot    several-rows: it was not tried" in result.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--attacker", "nobody"), "no attacker 'nobody'"),
        (("--config", "none.toml"), "none.toml"),
    ],
)
def test_wrong_use_is_told(go, words, said):
    assert failed(go(*words), 2, said)


def test_a_folder_that_is_no_release_is_wrong_input(go, room):
    (room / "table-csv" / "manifest.json").unlink()
    assert go().exit_code == 2


def test_without_rows_and_rule_nobody_can_be_played(go, room):
    (room / "table-csv.private" / "rows.parquet").unlink()
    result = go()
    assert result.exit_code == 5
    assert "cannot    it is not known which row is whose" in result.output
    assert "rows = true in [release]" in result.output
    told = json.loads(go("--json").stdout)
    assert {name: told.pop(name) for name in ("criteria", "not_played")} == {
        "criteria": [
            {"name": name, "about": ABOUT_CRITERIA[name], "attackers": [], "no_control": {}}
            for name in ABOUT_CRITERIA
        ],
        "not_played": [ANY],
    }
    assert told == {
        "holds": False,
        "failed": [],
        "attackers": [],
        "wrong": None,
        "changed": None,
        "control": None,
    }


def test_a_manifest_that_claims_more_than_is_kept_is_caught(go, room):
    path = room / "table-csv" / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"claim": shoal.KAnonymity(50).as_dict()}))
    result = go()
    assert result.exit_code == 1
    assert "a bug to report" in result.output


def test_a_release_of_other_originals_is_a_no(go, room):
    lines = (room / "people.csv").read_text().splitlines()
    (room / "people.csv").write_text("\n".join(lines[:-5]) + "\n")
    result = go()
    assert result.exit_code == 1
    assert "verdict   no: the release states 60 originals, but there are 55" in result.output


def test_the_configuration_is_looked_for_beside_the_originals(go, room):
    shutil.copy(room / "table.toml", room / "shoal.toml")
    words = ("attack", room / "table-csv", "--against", room / "people.csv")
    assert command(*words).exit_code == 0
    (room / "shoal.toml").unlink()
    assert failed(command(*words), 2, "no shoal.toml here or beside the originals")


def test_a_plot_is_private(go, room):
    assert "plot.html: it must not be published" in go("--plot", "plot.html").output
    assert "all-quasi-identifiers" in (room / "plot.html").read_text(encoding="utf-8")


def test_few_people_are_played_where_that_is_asked(go):
    result = go("--people", 10)
    assert "; 10 of 60 people were tried" in result.output


@pytest.fixture
def others(room):
    """People with the same columns who are not in the release."""
    people = pl.read_csv(room / "people.csv", infer_schema=False)
    names = pl.Series("name", [f"other {place}" for place in range(people.height)])
    people.with_columns(names).head(25).write_csv(room / "others.csv")
    return "others.csv"


def test_a_control_group_stands_beside_each_attacker_under_its_criterion(go, others):
    result = go("--control", others)
    assert result.exit_code == 0, result.output
    assert "control   25 records of people who are not in the release" in result.output
    assert result.output.count("in the release, ") >= 3
    for name in ABOUT_CRITERIA:
        assert f"criterion {name}: {ABOUT_CRITERIA[name]}: " in result.output
    assert "skewness has no control: " in result.output
    told = {
        found["name"]: found for found in json.loads(go("--control", others, "--json").stdout)["attackers"]
    }
    assert told["inference"]["control"]["control"]["played"] == 25
    assert told["inference"]["criterion"] == "inference"
    assert told["skewness"]["control"] is None


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda people: people.drop("zip"), "others.csv: no column 'zip'"),
        (lambda people: people, "values of 'name' stand in the control group and in the originals"),
    ],
)
def test_a_control_group_that_is_none_is_one_sentence(go, room, spoil, said):
    spoil(pl.read_csv(room / "people.csv", infer_schema=False)).write_csv(room / "others.csv")
    assert failed(go("--control", "others.csv"), 2, said)
