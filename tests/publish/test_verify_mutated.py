"""No change to a folder ends in a traceback, and none that takes something away from people ends in a yes.

What is still kept after a change is counted from the definitions, see `naive_folders`.
"""

import json
import random
import shutil
from contextlib import suppress

import pytest

import mutations
import naive_folders
import release_cases as cases
from shoal.errors import ShoalError
from shoal.io.config import load
from shoal.privacy import CLAIMS
from shoal.publish.verify import verify
from shoal.release import Verdict

pytestmark = pytest.mark.usefixtures("bare")

MADE = [
    ("table", "csv"),
    ("table", "parquet"),
    ("table", "ndjson"),
    ("diverse", "csv"),
    ("persons", "csv"),
    ("baskets", "ndjson"),
    ("secret", "parquet"),
    ("vote", "csv"),
    ("mixed", "ndjson"),
    ("mixed", "csv"),
    ("trees", "ndjson"),
    ("trees", "xml"),
    ("trees", "tables"),
    ("trees", "parquet"),
]
TIMES = 16


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    room = tmp_path_factory.mktemp("made")
    cases.write_originals(room)
    for kind, format in MADE:
        cases.make_release(room, kind, format, rows=kind in ("persons", "vote"), seed=7)
    return room


def allowed(made, kind, mode, folder, manifest):
    """What may differ from the true release although the answer is yes.

    Whoever forges data and manifest together is found out by the originals; without them the claim alone can be judged,
    and must be kept by what is there now.
    """
    found = set(mutations.FREE)
    if not mode and kind == "persons":
        found.add("claim")  # a folder alone does not tell that rows are not persons
    if (
        "against" not in mode or manifest["suppressed_items"]
    ):  # else rows.parquet alone tells whose were left out
        kept = naive_folders.keeps_claim(folder, made / f"{kind}.toml", known=bool(mode))
        found |= {"data", "classes"} if kept else set()
    return found


def judged(folder, mode):
    """The verdict; none where the folder is no release at all."""
    with suppress(ShoalError):
        verdict = verify(folder, **mode)[1]
        assert verdict.sentence.encode()
        return verdict
    return None


def mutants(made, room, kind, format, times, mutate=mutations.mutate):
    """Try so many changes of a release in every mode; each answer with how it came about and what differs."""
    source, config = made / f"{kind}-{format}", load(made / f"{kind}.toml")
    manifest = json.loads((source / "manifest.json").read_text())
    rng = random.Random(f"{kind} {format}")
    folder = room / source.name
    for _ in range(times):
        for name in (source.name, f"{source.name}.private"):
            shutil.rmtree(room / name, ignore_errors=True)
            shutil.copytree(made / name, room / name)
        how = mutate(folder, rng)
        for mode in ({}, {"config": config}, {"config": config, "against": made / cases.ORIGINALS[kind]}):
            verdict = judged(folder, mode)
            if verdict is not None and how.endswith(" forged") and mutations.agree(folder, verdict.sentence):
                verdict = judged(folder, mode)
            if verdict:
                differs = mutations.changed(source, folder, manifest["shape"])
                wrong = differs - allowed(made, kind, mode, folder, manifest)
                yield how, sorted(mode), verdict.sentence, wrong


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


@pytest.mark.parametrize(
    ("kind", "format", "model"),
    [
        ("table", "csv", "k-anonymity"),
        ("diverse", "csv", "l-diversity"),
        ("baskets", "ndjson", "k^m-anonymity"),
        ("secret", "parquet", "l^m-diversity"),
        ("mixed", "ndjson", "(k,k^m)-anonymity"),
        ("trees", "tables", "k^(m,n)-anonymity"),  # forged nodes are hardly ever in the one form of kept rows
    ],
)
def test_a_judge_that_says_yes_to_everything_is_found_out(made, tmp_path, monkeypatch, kind, format, model):
    """Without the originals, too: there the claim is all that can be judged."""
    monkeypatch.setattr(CLAIMS[model], "check", lambda claim, seen: Verdict(True, "of course"))
    found = mutants(
        made, tmp_path, kind, format, 2 * TIMES, mutations.forged
    )  # one by one: the first that is enough
    assert any(wrong and "against" not in mode for _, mode, _, wrong in found)
