"""Guarantees about shares from a configuration to the written folder and back."""

import json

import pytest
from click.testing import CliRunner

from shoal.cli import shoal
from shoal.errors import InfeasibleError
from shoal.io.config import load
from shoal.privacy import claim_from_dict
from shoal.publish.jobs import run_config
from shoal.publish.verify import verify

pytestmark = pytest.mark.usefixtures("bare")

GUARANTEES = {
    "beta": 'beta = 3\nlikeness = "enhanced"\nk = 2',
    "disclosure": "disclosure = 2.5\nk = 2",
    "(alpha,k)-anonymity": "alpha = 0.8\nk = 3",
    "all": 'beta = 4\nlikeness = "basic"\ndisclosure = 3\nalpha = 0.8\nk = 2',
}


def configured(people, guarantee, more=""):
    path = people / "shoal.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("k = 3", guarantee) + more, encoding="utf-8")
    return path


@pytest.mark.parametrize("asked", GUARANTEES)
def test_a_configured_guarantee_is_kept_and_verified(people, asked):
    config = configured(people, GUARANTEES[asked])
    release = run_config(config, people / "out")
    said = json.loads((people / "out" / "manifest.json").read_text(encoding="utf-8"))["claim"]
    assert said["model"] == ("all" if asked != "(alpha,k)-anonymity" else asked)
    assert claim_from_dict(said) == release.claim
    assert verify(people / "out")[1]
    assert verify(people / "out", config=load(config), against=people / "people.csv")[1]


@pytest.mark.parametrize("method", ["mstk", "mondrian", "kmember", "boxes"])
def test_local_makers_keep_it_too(people, method):
    config = configured(people, GUARANTEES["all"], f'name = "{method}"\n')
    run_config(config, people / "out")
    assert verify(people / "out")[1]


def test_a_share_below_that_of_the_whole_is_infeasible(people):
    with pytest.raises(InfeasibleError, match=r"alpha=0\.1"):
        run_config(configured(people, "alpha = 0.1\nk = 2"), people / "out")
    assert not (people / "out").exists()


@pytest.mark.parametrize(
    ("guarantee", "says"),
    [
        ('beta = 1\nlikeness = "strong"', "likeness must be one of basic, enhanced"),
        ("alpha = 0.5", "alpha goes with k; give both"),
        ('k = 2\nlikeness = "basic"', "likeness belongs to a claim that is not asked for"),
        ("disclose = 1", "did you mean 'disclosure'?"),
        ("beta = -1", "beta must be a number above 0"),
        ("disclosure = 0", "disclosure must be a number above 0"),
    ],
)
def test_a_wrong_word_is_one_sentence(people, monkeypatch, guarantee, says):
    configured(people, guarantee)
    monkeypatch.chdir(people)
    result = CliRunner().invoke(shoal, ["run"], catch_exceptions=False)
    assert result.exit_code == 2
    assert result.stderr.startswith("shoal: ")
    assert result.stderr.count("\n") == 1
    assert says in result.stderr


def test_alpha_of_cahd_is_its_own(tmp_path):
    rows = [f"{item},{label}" for item in ("a", "b", "c") for label in "wxyz"]
    (tmp_path / "b.csv").write_text("\n".join(["items,label", *rows]) + "\n", encoding="utf-8")
    config = tmp_path / "shoal.toml"
    config.write_text(
        '[data]\npath = "b.csv"\n[columns]\nitems = { role = "items", separator = ";" }\nlabel = "sensitive"\n'
        '[guarantee]\nl = 2\n[method]\nname = "cahd"\nalpha = 2\n',
        encoding="utf-8",
    )
    assert run_config(config, tmp_path / "out").claim.l == 2
