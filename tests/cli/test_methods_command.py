"""`shoal methods`: methods, their parameters, attackers."""

import json
from functools import partial

import pytest

from cli_cases import command, failed
from shoal.algorithms import METHODS
from shoal.algorithms.knobs import knobs
from shoal.privacy.attackers import ATTACKERS

go = partial(command, "methods")


@pytest.fixture(scope="module")
def listed():
    return json.loads(go("--json").stdout)


def test_every_maker_is_listed(listed):
    assert [row["name"] for row in listed] == list(METHODS)
    assert all(name in go("--all").output for name in METHODS)


def test_four_are_shown_first_one_for_each_kind_of_data(monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    printed = go().output
    assert [name for name in METHODS if f" {name} " in printed] == ["boxes", "pcta", "bound", "gcs"]
    assert "a table with baskets" in printed
    assert "--all" in printed


@pytest.mark.parametrize("name", METHODS)
def test_a_maker_tells_its_parameters(name, listed):
    said, printed = json.loads(go(name, "--json").stdout), go(name).output
    assert said in listed
    assert [one["name"] for one in said["parameters"]] == [knob.name for knob in knobs(name)]
    assert all(knob.name in printed for knob in knobs(name))


def test_a_default_stands_as_in_a_configuration():
    assert "true" in go("mondrian").output
    assert "None" not in go("pareto").output.split("seconds")[0]


def test_attackers_are_listed_with_what_they_ask_for(monkeypatch):
    said = json.loads(go("--attackers", "--json").stdout)
    assert {shape: [one["name"] for one in several] for shape, several in said.items()} == {
        shape: [one.name for one in several] for shape, several in ATTACKERS.items()
    }
    assert said["trees"][1]["fixed"] == {"n": 0}
    monkeypatch.setenv("COLUMNS", "300")
    printed = go("--attackers").output
    for several in ATTACKERS.values():
        for one in several:
            assert one.sentence in " ".join(printed.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [(["mstkk"], "did you mean 'mstk'"), (["mstk", "--attackers"], "attackers belong to a shape of data")],
)
def test_what_there_is_not_is_one_sentence(words, said):
    assert failed(go(*words), 2, said)
