"""Guarantees about shares from a configuration to the written folder and back."""

import json

import pytest

from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.privacy import claim_from_dict
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
