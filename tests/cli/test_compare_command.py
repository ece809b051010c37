"""`shoal compare` as a person runs it."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from cli_cases import failed, point_by_point

pytestmark = pytest.mark.process


@pytest.fixture
def go(go, monkeypatch):
    """Run a command in the folder of the invented people, its points made in this process."""
    point_by_point(monkeypatch)
    return go


def results(folder):
    with (folder / "compare.private" / "results.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_what_it_prints_and_leaves(go, people):
    result = go("compare", "--methods", "optimal,mondrian", "--k", "2:100")
    assert result.exit_code == 0
    assert "k=2 " in result.output
    assert "k=50 " in result.output
    assert "missing   optimal at k=100: k=100 but the table has 60 records" in result.output
    assert "floor     no recoding along these hierarchies loses less than " in result.output
    assert "advice    use mondrian at k=3: it loses least" in result.output
    assert sorted(path.name for path in (people / "compare.private").iterdir()) == [
        "compare.html",
        "results.csv",
    ]
    rows = results(people)
    assert [row["k"] for row in rows[::2]] == ["2", "3", "5", "10", "20", "50", "100"]
    assert {row["suppress"] for row in rows} == {"0.1"}  # as configured
    assert {row["status"] for row in rows} == {"made", "not possible"}
    assert not (people / "release").exists()


def test_json_prints_the_same_facts(go, people):
    facts = json.loads(go("compare", "--methods", "optimal", "--suppress", "0:0.2:0.1", "--json").stdout)
    assert facts["swept"] == {"suppress": [0.0, 0.1, 0.2]}
    assert [row["suppress"] for row in facts["points"]] == [0.0, 0.1, 0.2]
    assert {row["k"] for row in facts["points"]} == {3}
    assert facts["recommendation"]["maker"] == "optimal"
    assert [str(row["ncp"]) for row in facts["points"]] == [row["ncp"] for row in results(people)]


def test_without_a_sweep_the_configured_numbers_are_compared(go):
    result = go("compare")
    assert result.exit_code == 0
    assert "left out  pareto: at one k it finds what optimal finds; name it with --methods" in result.output
    assert "kmember" in result.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--k", "5:2"], "compare: --k takes whole numbers, such as 2:100"),
        (["--methods", "mondrien"], "did you mean 'mondrian'"),
        (["--methods", "gcs"], "gcs is made for trees, not table"),
        (["--k", "1:3"], "give a k of at least 2"),
        (["--out", "compare"], "ends in .private"),
        (["--out", "nowhere/compare.private"], "not a directory"),
    ],
)
def test_what_is_wrong_is_one_sentence(go, people, words, said):
    assert failed(go("compare", *words), 2, said)
    assert not (people / "compare.private").exists()


def test_a_run_that_could_lose_less_names_the_comparison(go, people, monkeypatch):
    monkeypatch.setattr("shoal.anonymization.choices.is_compiled", lambda maker: True)
    monkeypatch.setattr(
        "shoal.anonymization.choices.Alternatives._find_cheaper_method", lambda _: {"mondrian": 0.01}
    )
    result = go("run", "shoal.toml")
    assert "or see more: shoal compare --methods boxes,mondrian --k 2:100" in result.output
    (people / "shoal.toml").rename(people / "my own.toml")
    result = go("run", "my own.toml", "--force")
    assert "shoal compare 'my own.toml' --methods boxes,mondrian --k 2:100" in result.output


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_an_interrupted_comparison_ends_at_once_and_leaves_nothing(people):
    """It is stopped at some moment in the middle; its processes with it."""
    words = [sys.executable, "-m", "shoal", "compare", "--methods", "mondrian", "--k", "2:20:1"]
    paths = os.pathsep.join(place for place in sys.path if place)
    how = {"cwd": people, "env": {**os.environ, "PYTHONPATH": paths}, "stderr": subprocess.PIPE, "text": True}
    before = sorted(path.name for path in people.iterdir())
    with subprocess.Popen([*words, "--suppress", "0:0.9:0.01"], start_new_session=True, **how) as running:
        time.sleep(5)
        begin = time.monotonic()
        os.killpg(running.pid, signal.SIGINT)
        said = running.communicate(timeout=60)[1]
    assert time.monotonic() - begin < 10
    assert running.returncode == 130
    assert said.endswith("shoal: interrupted; nothing half-written is left\n")
    assert "Traceback" not in said
    assert sorted(path.name for path in people.iterdir()) == before


def test_a_comparison_is_not_replaced_unless_asked(go, people):
    words = ["compare", "--methods", "mondrian", "--k", "3"]
    assert go(*words).exit_code == 0
    assert failed(go(*words), 2, "a comparison is there already, and none is continued since version 0.3.0")
    assert go(*words, "--force").exit_code == 0
