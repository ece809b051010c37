"""The demo's record trees: invented patients, their stays in hospitals, what was found and what was done."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shoal.hierarchy import files
from shoal.hierarchy.rules import build
from shoal.io.config import load
from shoal.progress import Progress
from shoal.publish.jobs import run_config
from shoal.publish.verify import verify
from shoal.report.words import lost

__all__ = ["show_trees"]

_RECORDS = 1_000

_HOSPITALS = {"coast": ["Alder", "Birch"], "hills": ["Cedar", "Maple"], "plain": ["Rowan", "Willow"]}
_DIAGNOSES = {
    "lung": ["asthma", "bronchitis", "pneumonia"],
    "heart": ["angina", "arrhythmia", "hypertension"],
    "bones": ["fracture", "gout", "sprain"],
}
_TREATMENTS = {"drugs": ["inhaler", "antibiotic", "beta blocker", "painkiller"], "other": ["cast", "stent"]}
_USUAL = (("inhaler", "antibiotic"), ("beta blocker", "stent"), ("cast", "painkiller"))
_RARELY = 0.005  # of the findings are treated by a painkiller where it is not usual

_CONFIG = """\
# Whoever knows two values of a patient, and that one stands below the other, must find at least five records that fit.
[data]
path = "patients.ndjson"

[tree]
drop = ["patient"]

[tree.hierarchies]
born                         = "hierarchies/born.csv"
"stays.hospital"             = "hierarchies/hospital.csv"
"stays.findings.diagnosis"   = "hierarchies/diagnosis.csv"
"stays.findings.treatments"  = "hierarchies/treatment.csv"

[guarantee]
k = 5
m = 2
n = 1
"""


def show_trees(room: Path, progress: Progress) -> Iterator[str]:
    """Invent data, release it and verify it; yield the lines to print."""
    _write_patients(room / "patients.ndjson")
    _write_hierarchies(room / "hierarchies")
    (room / "shoal.toml").write_text(_CONFIG, encoding="utf-8")
    yield f"Trees     {_RECORDS:,} invented patients with stays, findings and treatments in {room}"
    release = run_config(room / "shoal.toml", room / "release", force=True, progress=progress)
    facts, rule = release.manifest, release.recoding
    values = sum(len(labels or ()) for labels in rule["cut"].values())
    yield (
        f"  release {facts['records_out']:,} records, {facts['classes']:,} different trees with {values} values, "
        f"{len(rule['disassociations'])} relations cut; {lost(release.loss)}"
    )
    _, verdict = verify(room / "release", config=load(room / "shoal.toml"), against=room / "patients.ndjson")
    yield f"  verify  {'yes' if verdict else 'no'}: {verdict.sentence}"


def _write_patients(path: Path) -> None:
    """Invent people; the seed only makes every demo the same, it protects nobody."""
    random = np.random.default_rng(3)
    people = [_patient(random, int(number)) for number in random.permutation(_RECORDS)]
    path.write_text("".join(f"{json.dumps(person)}\n" for person in people), encoding="utf-8")


def _patient(random: np.random.Generator, number: int) -> dict[str, Any]:
    hospitals = _leaves(_HOSPITALS)
    places = random.choice(len(hospitals), 1 + int(random.poisson(1)))
    stays = [{"hospital": hospitals[place], "findings": _findings(random, int(place))} for place in places]
    return {"patient": f"P{number:05d}", "born": int(random.integers(1930, 2010)), "stays": stays}


def _findings(random: np.random.Generator, hospital: int) -> list[dict[str, Any]]:
    """Hospitals have different patients, and diagnoses their usual treatments."""
    group = int(random.choice(3, p=np.roll([0.6, 0.2, 0.2], hospital // 2)))
    diagnosis = _leaves(_DIAGNOSES)[3 * group + int(random.integers(3))]
    rare = random.random() < _RARELY
    return [
        {"diagnosis": diagnosis, "treatments": ["painkiller" if rare else str(random.choice(_USUAL[group]))]}
    ]


def _leaves(groups: dict[str, list[str]]) -> list[str]:
    return [leaf for group in groups.values() for leaf in group]


def _write_hierarchies(folder: Path) -> None:
    """Write hierarchies of all values that could occur, whoever is in the data."""
    folder.mkdir(exist_ok=True)
    years = [str(year) for year in range(1920, 2020)]
    trees = (
        build("born", {"ranges": [5, 10, 50]}, years),
        build("hospital", _HOSPITALS, []),
        build("diagnosis", _DIAGNOSES, []),
        build("treatment", _TREATMENTS, []),
    )
    for tree in trees:
        files.write(tree, folder / f"{tree.name}.csv")
