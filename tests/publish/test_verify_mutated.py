"""No change to a folder ends in a traceback, and none that takes something away from people ends in a yes."""

import json
import random
import shutil
from contextlib import suppress

import pytest

import mutations
import release_cases as cases
from shoal.errors import ShoalError
from shoal.io.config import load
from shoal.publish.verify import verify

MADE = [
    ("table", "csv"),
    ("table", "parquet"),
    ("table", "ndjson"),
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


def allowed(kind, mode, folder, manifest):
    """What may differ from the true release although the answer is yes."""
    found = set(mutations.FREE)
    if manifest["suppressed_items"]:
        found.add("data")  # where items were left out, rows.parquet alone tells whose
    if not mode and kind == "persons":
        found.add("claim")  # a folder alone does not tell that rows are not persons
    if "against" not in mode and (kind != "table" or mutations.keeps_k(folder, ["age", "zip"], 4)):
        found.add("data")  # whoever forges data and sha256 together is found out by the originals
    return found


def judged(folder, mode):
    """The verdict; none where the folder is no release at all."""
    with suppress(ShoalError):
        verdict = verify(folder, **mode)[1]
        assert verdict.sentence.encode()
        return verdict
    return None


@pytest.mark.parametrize(("kind", "format"), MADE)
def test_mutated_folders(made, tmp_path, kind, format):
    source, config = made / f"{kind}-{format}", load(made / f"{kind}.toml")
    manifest = json.loads((source / "manifest.json").read_text())
    rng = random.Random(f"{kind} {format}")
    folder = tmp_path / source.name
    for _ in range(TIMES):
        for name in (source.name, f"{source.name}.private"):
            shutil.rmtree(tmp_path / name, ignore_errors=True)
            shutil.copytree(made / name, tmp_path / name)
        how = mutations.mutate(folder, rng)
        for mode in ({}, {"config": config}, {"config": config, "against": made / cases.ORIGINALS[kind]}):
            verdict = judged(folder, mode)
            if verdict:
                differs = mutations.changed(source, folder, manifest["shape"])
                assert differs <= allowed(kind, mode, folder, manifest), (how, sorted(mode), verdict.sentence)
