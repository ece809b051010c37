"""Editing a hierarchy file as a person does it."""

from functools import partial

import pytest

JOBS = "nurse;care;*\ndoctor;care;*\nclerk;office;*\nlawyer;office;*\n"


@pytest.fixture
def go(go):
    return partial(go, "hierarchy")


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
