"""No change to a folder ends in a traceback, and none that takes something away from people ends in a yes.

What is still kept after a change is counted from the definitions, see `naive_folders`.
"""

import random
import shutil

import pytest

import mutations
import naive_folders
import release_cases as cases
from folder_holes import MADE, judged, make, mutants
from shoal.io.config import load
from shoal.privacy import CLAIMS
from shoal.release import Verdict

pytestmark = pytest.mark.usefixtures("bare")

TIMES = 8
MORE = 32


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("made"))


@pytest.mark.parametrize(("kind", "format"), MADE)
def test_the_twin_says_yes_to_what_nobody_changed(made, kind, format):
    """But not to baskets by vote, which nobody can judge without the originals."""
    for known in (False, True):
        folder, place = made / f"{kind}-{format}", made / f"{kind}.toml"
        assert naive_folders.keeps_claim(folder, place, known=known) == (kind != "vote")


@pytest.mark.parametrize(("kind", "format"), MADE)
def test_mutated_folders(made, tmp_path, kind, format):
    for *how, wrong in mutants(made, tmp_path, kind, format, TIMES):
        assert not wrong, how


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "format"), MADE)
def test_more_mutated_folders(made, tmp_path, kind, format):
    for *how, wrong in mutants(made, tmp_path, kind, format, MORE, seed=" more"):
        assert not wrong, how


@pytest.mark.parametrize("how", mutations.FORMLESS)
@pytest.mark.parametrize("format", ["csv", "ndjson"])
def test_no_file_of_groups(made, tmp_path, format, how):
    """Whatever digest stands in the manifest: names that stand for nothing, or for two things, are no release."""
    name = f"groups-{format}"
    for folder in (name, f"{name}.private"):
        shutil.copytree(made / folder, tmp_path / folder)
    rng = random.Random(1)
    while not mutations.grouped(tmp_path / name, rng, how).endswith("forged"):
        shutil.copy(made / name / "groups.json", tmp_path / name)
    config = load(made / "groups.toml")
    for mode in ({}, {"config": config}, {"config": config, "against": made / cases.ORIGINALS["groups"]}):
        assert not judged(tmp_path / name, mode), mode


@pytest.mark.parametrize(
    ("kind", "format", "model"),
    [
        ("table", "csv", "k-anonymity"),
        ("diverse", "csv", "l-diversity"),
        ("groups", "ndjson", "k^m-anonymity"),
        ("secret", "parquet", "l^m-diversity"),
        ("mixed", "ndjson", "(k,k^m)-anonymity"),
        ("trees", "tables", "k^(m,n)-anonymity"),  # forged nodes are hardly ever in the one form of kept rows
    ],
)
def test_a_judge_that_says_yes_to_everything_is_found_out(made, tmp_path, monkeypatch, kind, format, model):
    """Without the originals, too: there the claim is all that can be judged."""
    monkeypatch.setattr(CLAIMS[model], "check", lambda claim, seen: Verdict(True, "of course"))
    found = mutants(
        made, tmp_path, kind, format, 8 * TIMES, mutations.forged
    )  # one by one: the first that is enough
    assert any(wrong and "against" not in mode for _, mode, _, wrong in found)
