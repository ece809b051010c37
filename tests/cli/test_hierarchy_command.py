"""`shoal hierarchy` as a person runs it."""

import json
from functools import partial

import pytest


@pytest.fixture
def go(go):
    return partial(go, "hierarchy")


@pytest.mark.parametrize(
    ("column", "rule"),
    [
        ("age", ["--ranges", "10,20"]),
        ("age", ["--fanout", "4"]),
        ("job", ["--mask", "right"]),
        ("ward", ["--fanout", "2"]),
    ],
)
def test_a_built_file_covers_its_column(go, people, column, rule):
    made = go("build", "people.csv", column, *rule, "--out", "made.csv")
    assert made.exit_code == 0, made.output
    checked = go("check", "made.csv", "people.csv", column, "--json")
    assert checked.exit_code == 0
    assert json.loads(checked.stdout)["uncovered"] == 0
    assert go("build", "people.csv", column, *rule, "--out", "made.csv").exit_code == 2


def test_a_mapping_is_built(go, people):
    (people / "groups.json").write_text(
        json.dumps({"care": ["nurse", "doctor"], "office": ["clerk", "lawyer"]})
    )
    assert go("build", "people.csv", "job", "--mapping", "groups.json", "--out", "made.csv").exit_code == 0
    assert "care (2 leaves)" in go("show", "made.csv").output


def test_a_vocabulary_is_built_and_what_it_does_not_know_is_counted(go, people):
    (people / "visits.csv").write_text("icd\nE11.9\nE10.1\nI10\nunclear\n")
    made = go("build", "visits.csv", "icd", "--vocabulary", "icd10", "--out", "made.csv")
    assert made.exit_code == 0, made.output
    assert "E10-E14 (2 leaves)" in go("show", "made.csv").output
    assert go("build", "people.csv", "job", "--vocabulary", "icd10", "--out", "other.csv").exit_code == 2
    assert not (people / "other.csv").exists()


def test_show_says_where_groups_are_by_frequency(go, people):
    (people / "jobs.csv").write_text("nurse;nurse or clerk;*\nclerk;nurse or clerk;*\njudge;judge;*\n")
    assert go("show", "jobs.csv").output.splitlines()[-1].startswith("grouped by frequency, not by meaning")
    assert "frequency" not in go("show", "hierarchies/job.csv").output


def test_one_rule_is_wanted(go):
    for rules in ([], ["--fanout", "3", "--mask", "left"]):
        result = go("build", "people.csv", "age", *rules, "--out", "made.csv")
        assert result.exit_code == 2
        assert "give one of" in result.stderr


def test_check_counts_uncovered_values_and_shows_them_only_on_demand(go, people):
    (people / "short.csv").write_text("nurse;care;*\ndoctor;care;*\nclerk;office;*\n")
    result = go("check", "short.csv", "people.csv", "job")
    assert result.exit_code == 2
    assert "1 value(s)" in result.stderr
    assert "lawyer" not in result.output
    assert "lawyer" in go("check", "short.csv", "people.csv", "job", "--show-values").output


def test_show_draws_the_tree(go):
    assert go("show", "hierarchies/job.csv").output.splitlines()[:2] == ["* (4 leaves)", "  care (2 leaves)"]


def test_words_that_are_wrong(go):
    assert go("check", "nowhere.csv").exit_code == 2
    assert go("check", "hierarchies/job.csv", "people.csv").exit_code == 2
    assert go("build", "people.csv", "shoe", "--fanout", "3", "--out", "x.csv").exit_code == 2
    assert go("build", "people.csv", "age", "--ranges", "ten", "--out", "x.csv").exit_code == 2
    assert go("build", "people.csv", "job", "--ranges", "10", "--out", "x.csv").exit_code == 2


def test_rules_take_their_options(go, people):
    rows = [f"{i};{20 + i},5;{1 + i % 28:02}.03.{1950 + i};{i:05}" for i in range(80)]
    (people / "more.csv").write_text("id;age;born;zip\n" + "\n".join(rows) + "\n")
    built = {
        "age": ["--ranges", "10,20", "--top", "90", "--bottom", "30", "--decimal", ","],
        "born": ["--dates", "year,decade", "--date-format", "%d.%m.%Y"],
        "zip": ["--ranges", "10", "--numbers"],
    }
    for column, rule in built.items():
        made = go("build", "more.csv", column, *rule, "--out", f"{column}.csv")
        assert made.exit_code == 0, made.output
    assert "95.5;>= 90;>= 90;*" in (people / "age.csv").read_text()
    assert "01.03.1950;1950;1950s;*" in (people / "born.csv").read_text()
    for rule, words in [
        (["--ranges", "10"], "look like codes"),
        (["--mask", "right", "--top", "90"], "mask takes no 'top'"),
        (["--mask", "right", "--date-format", "%Y"], "--date-format goes with --dates"),
    ]:
        said = go("build", "more.csv", "zip", *rule, "--out", "no.csv")
        assert said.exit_code == 2
        assert words in said.stderr


def test_people_are_counted(go):
    said = go("count", "--limit", "4")
    assert said.exit_code == 0, said.output
    lines = said.output.splitlines()
    assert lines[0] == "age: 60 people, 27 leaves, height 4"
    assert lines[1] == "  group (60 people)"
    assert "job: 60 people, 4 leaves, height 2" in lines
    assert go("count", "--column", "age", "--show-values").output.splitlines()[1] == "  * (60 people)"
    facts = json.loads(go("count", "--column", "age", "--json").stdout)["columns"][0]
    assert facts["nodes"]["label"][0] is None
    assert facts["nodes"]["people"][0] == 60
    assert go("count", "--column", "shoe").exit_code == 2


# Editing a hierarchy file as a person does it.


JOBS = "nurse;care;*\ndoctor;care;*\nclerk;office;*\nlawyer;office;*\n"


@pytest.mark.parametrize(
    ("words", "written"),
    [
        (["rename", "care", "health care"], JOBS.replace("care", "health care")),
        (
            ["move", "nurse", "--under", "office"],
            "doctor;care;*\nclerk;office;*\nlawyer;office;*\nnurse;office;*\n",
        ),
        (
            ["group", "nurse", "clerk", "--as", "staff"],
            "nurse;staff;*\nclerk;staff;*\ndoctor;care;*\nlawyer;office;*\n",
        ),
        (
            ["ungroup", "care"],
            JOBS.replace("nurse;care", "nurse;nurse").replace("doctor;care", "doctor;doctor"),
        ),
        (["add-level"], "".join(f"{line.split(';')[0]};{line}\n" for line in JOBS.splitlines())),
        (["remove-level", "1"], "nurse;*\ndoctor;*\nclerk;*\nlawyer;*\n"),
    ],
)
def test_an_edit_changes_the_file_or_writes_another_one(go, people, words, written):
    file = people / "hierarchies" / "job.csv"
    edited = [words[0], str(file), *words[1:]]
    said = go(*edited, "--out", "other.csv")
    assert (said.exit_code, file.read_text()) == (0, JOBS)
    assert said.output.startswith("other.csv: 4 leaves, height ")
    assert (people / "other.csv").read_text() == written
    assert go(*edited).exit_code == 0
    assert file.read_text() == written
    assert "exists already" in go(*edited, "--out", "other.csv").stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rename", "cares", "x"], "it has no such label"),
        (["rename", "care", "office"], "another group or value has this label"),
        (["move", "care", "--under", "office"], "must stand on a lower level"),
        (["remove-level", "2"], "choose another level"),
    ],
)
def test_a_refused_edit_leaves_the_file_as_it_is(go, people, words, said):
    file = people / "hierarchies" / "job.csv"
    answer = go(words[0], str(file), *words[1:])
    assert answer.exit_code == 2
    assert said in answer.stderr
    assert file.read_text() == JOBS
    assert sorted(path.name for path in file.parent.iterdir()) == ["job.csv"]
