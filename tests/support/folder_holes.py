"""Folders that anybody may have changed, judged in every mode: one machine for tests and `benchmarks/holes.py`.

What is still kept after a change is counted from the definitions, see `naive_folders`.
"""

import json
import random
import shutil
from contextlib import suppress

import mutations
import naive_folders
import release_cases as cases
from shoal.base.errors import ShoalError
from shoal.io.config import load
from shoal.publish.verify import verify

MADE = [
    ("table", "csv"),
    ("table", "parquet"),
    ("table", "ndjson"),
    ("diverse", "csv"),
    ("persons", "csv"),
    ("baskets", "ndjson"),
    ("groups", "csv"),
    ("groups", "ndjson"),
    ("secret", "parquet"),
    ("vote", "csv"),
    ("mixed", "ndjson"),
    ("mixed", "csv"),
    ("trees", "ndjson"),
    ("trees", "xml"),
    ("trees", "tables"),
]


def make(room):
    """A release of every kind and format in a room."""
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
    # With items left out, rows.parquet alone tells whose they were; and no row of these trees says whose it is, so
    # that a finer one, which is true of somebody and keeps the claim, is a release, too.
    if "against" not in mode or manifest["suppressed_items"] or kind == "trees":
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


def mutants(made, room, kind, format, times, mutate=mutations.mutate, seed="", every=False):
    """Try so many changes of a release in every mode; each yes with how it came about and what differs.

    With `every`, each no is told, too: None differs then.
    """
    source, config = made / f"{kind}-{format}", load(made / f"{kind}.toml")
    manifest = json.loads((source / "manifest.json").read_text())
    rng = random.Random(f"{kind} {format}{seed}")
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
            elif every:
                yield how, sorted(mode), "" if verdict is None else verdict.sentence, None
