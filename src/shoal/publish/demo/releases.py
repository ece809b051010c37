"""The demo's table: invented hospital stays, what every k would cost, a release at k = 5."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shoal.hierarchy import files
from shoal.hierarchy.rules import build
from shoal.io.config import load
from shoal.progress import Progress
from shoal.publish.jobs import front_config, run_config
from shoal.publish.verify import verify
from shoal.report.words import loss_sentence

__all__ = ["show_baskets", "show_mixed", "show_table", "show_trees"]

_STAYS = 2_000

_TABLE = """\
# Invented hospital stays. Change k, or a hierarchy, and run `shoal run` in this folder again.
[data]
path = "patients.csv"

[columns]
patient   = "identifier"
age       = { role = "quasi", hierarchy = "hierarchies/age.csv" }
sex       = { role = "quasi", hierarchy = "hierarchies/sex.csv" }
zip       = { role = "quasi", hierarchy = "hierarchies/zip.csv" }
job       = { role = "quasi", hierarchy = "hierarchies/job.csv" }
diagnosis = "sensitive"

[guarantee]
k = 5

[method]
name = "optimal"  # one level per column, and a rule for new records; without a name, classes are recoded one by one
suppress = 0.02
"""

_SEXES = ["female", "male"]
_ZIPS = [f"{area}{town:02d}" for area in ("811", "812", "804") for town in range(12)]
_JOBS = {
    "care": ["nurse", "physician", "carer"],
    "teaching": ["teacher", "lecturer", "tutor"],
    "craft": ["carpenter", "plumber", "electrician", "mason"],
    "office": ["clerk", "accountant", "lawyer", "programmer"],
    "none": ["student", "retired", "unemployed"],
}
_STAY_DIAGNOSES = ["influenza", "fracture", "asthma", "diabetes", "hypertension", "appendicitis", "migraine"]
_SHARES = [0.24, 0.2, 0.15, 0.15, 0.12, 0.08, 0.06]


def show_table(room: Path, progress: Progress) -> Iterator[str]:
    """Invent data, trace the front, release and verify; yield the lines to print."""
    _write_stays(room / "patients.csv")
    _write_stay_hierarchies(room / "hierarchies")
    (room / "shoal.toml").write_text(_TABLE, encoding="utf-8")
    yield f"Tables    {_STAYS:,} invented hospital stays in {room}"
    front, _ = front_config(room / "shoal.toml", progress=progress)
    points = {point["k"]: point["loss"] for point in front.as_dict()["front"]}
    costs = ", ".join(f"k={k} {_least(points, k):.0%}" for k in (2, 5, 10, 50) if k <= max(points))
    yield f"  front   the least loss (glm) for every k: {costs} ({front.said()})"
    release = run_config(room / "shoal.toml", room / "release", force=True, progress=progress)
    facts = release.manifest
    yield (
        f"  release {facts['records_out']:,} records in {facts['classes']:,} classes of at least "
        f"{facts['claim']['k']}, {facts['suppressed']} suppressed; {loss_sentence(release.loss)}"
    )
    local = _TABLE.partition("[method]")[0]
    (room / "local.toml").write_text(local, encoding="utf-8")
    finer = run_config(room / "local.toml", room / "release-local", force=True, progress=progress)
    yield (
        f"  local   the same claim, each class recoded on its own: {finer.manifest['classes']:,} classes; "
        f"{loss_sentence(finer.loss)}"
    )
    _, verdict = verify(room / "release")
    yield f"  verify  {'yes' if verdict else 'no'}: {verdict.sentence}"
    yield f"  look    {room / 'release' / 'report.html'} may be published"
    yield f"          {room / 'release.private' / 'audit.html'} must not"


def _least(points: dict[int, float], k: int) -> float:
    """The least loss that reaches `k`."""
    return min(loss for reached, loss in points.items() if reached >= k)


def _write_stays(path: Path) -> None:
    """Invent people; the seed only makes every demo the same, it protects nobody."""
    random = np.random.default_rng(7)
    ages = np.clip(random.normal(52, 21, _STAYS), 0, 99).astype(int)
    jobs = random.choice([job for members in _JOBS.values() for job in members], _STAYS)
    jobs = np.where(ages < 20, "student", np.where(ages > 66, "retired", jobs))
    rows = zip(
        (f"P{number:05d}" for number in random.permutation(_STAYS)),
        ages,
        random.choice(_SEXES, _STAYS),
        random.choice(_ZIPS, _STAYS),
        jobs,
        random.choice(_STAY_DIAGNOSES, _STAYS, p=_SHARES),
        strict=True,
    )
    with path.open("w", encoding="utf-8", newline="") as file:
        head = ("patient", "age", "sex", "zip", "job", "diagnosis")
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def _write_stay_hierarchies(folder: Path) -> None:
    """Write hierarchies of all values that could occur, whoever is in the data: that is why they are public."""
    folder.mkdir(exist_ok=True)
    hierarchies = (
        build("age", {"ranges": [5, 10, 20, 40]}, [str(age) for age in range(100)]),
        build("sex", {"fanout": len(_SEXES)}, _SEXES),
        build("zip", {"mask": "right"}, _ZIPS),
        build("job", _JOBS, []),
    )
    for hierarchy in hierarchies:
        files.write(hierarchy, folder / f"{hierarchy.name}.csv")


# The demo's baskets: invented purchases, safe from whoever knows two items, and from whoever knows whole baskets.

_PURCHASES = 1_500

_ITEMS = {
    "bakery": ["bread", "rolls", "bagel", "cake"],
    "dairy": ["milk", "butter", "cheese", "yoghurt"],
    "fruit": ["apples", "pears", "plums", "grapes"],
    "drinks": {"soft": ["cola", "juice", "water"], "alcohol": ["beer", "wine", "gin"]},
    "pharmacy": ["aspirin", "insulin", "nicotine patch", "pregnancy test"],
}

_SOME = """\
# Whoever knows two items of a basket must find it in at least five records.
[data]
path = "purchases.csv"

[columns]
items = { role = "items", separator = ";", hierarchy = "items.csv" }

[guarantee]
k = 5
m = 2

[release]
format = "ndjson"
"""

_WHOLE = """\
# Whoever knows a whole basket must find five rows that may be it. No hierarchy is used.
[data]
path = "purchases.csv"

[columns]
items = { role = "items", separator = ";" }

[guarantee]
k = 5

[release]
format = "ndjson"
"""


def show_baskets(room: Path, progress: Progress) -> Iterator[str]:
    """Invent data, release it both ways and verify it; yield the lines to print."""
    _write_purchases(room / "purchases.csv")
    files.write(build("items", _ITEMS, []), room / "items.csv")
    yield f"Baskets   {_PURCHASES:,} invented purchases in {room}"
    for name, text in (("some", _SOME), ("whole", _WHOLE)):
        config, out = room / f"{name}.toml", room / f"release-{name}"
        config.write_text(text, encoding="utf-8")
        release = run_config(config, out, force=True, progress=progress)
        facts = release.manifest
        yield f"  {name:<7} {facts['claim']['model']}: {facts['records_out']:,} records; {loss_sentence(release.loss)}"
        _, verdict = verify(out, config=load(config), against=room / "purchases.csv")
        yield f"  verify  {'yes' if verdict else 'no'}: {verdict.sentence}"


def _write_purchases(path: Path) -> None:
    """Invent people, each with a taste; the seed only makes every demo the same, it protects nobody."""
    random = np.random.default_rng(11)
    items = np.array(sorted(_basket_items(_ITEMS)))
    common = random.permutation(1 / np.arange(1, len(items) + 1))
    lines = ["items"]
    for _ in range(_PURCHASES):
        taste = common * random.gamma(0.5, 1, len(items))
        size = min(1 + random.poisson(2), 8)
        lines.append(";".join(random.choice(items, size, replace=False, p=taste / taste.sum())))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _basket_items(groups: dict[str, object] | list[str] | object) -> Iterator[str]:
    if isinstance(groups, dict):
        for group in groups.values():
            yield from _basket_items(group)
    elif isinstance(groups, list):
        yield from groups


# The demo's table with baskets: invented patients and their diagnoses.

_PATIENTS = 1_200
_ILLNESSES = {
    "metabolic": ["diabetes", "gout", "obesity"],
    "heart": ["hypertension", "angina", "arrhythmia"],
    "lung": ["asthma", "bronchitis", "pneumonia"],
    "mind": ["depression", "anxiety", "insomnia"],
}

_MIXED = """\
# Whoever knows age, sex and any two diagnoses of a person must find at least ten records that fit.
[data]
path = "patients.csv"

[columns]
patient   = "identifier"
age       = { role = "quasi", hierarchy = "age.csv" }
sex       = { role = "quasi", hierarchy = "sex.csv" }
diagnoses = { role = "items", separator = ";", hierarchy = "diagnoses.csv" }

[guarantee]
k = 10
m = 2

[method]
delta = 0.3  # how much the table may lose; `shoal pareto` shows what that buys
"""


def show_mixed(room: Path, progress: Progress) -> Iterator[str]:
    """Invent data, release it and verify it; yield the lines to print."""
    _write_patients(room / "patients.csv")
    files.write(build("age", {"ranges": [5, 10, 20, 40]}, [str(age) for age in range(100)]), room / "age.csv")
    files.write(build("sex", {"fanout": 2}, ["female", "male"]), room / "sex.csv")
    files.write(build("diagnoses", _ILLNESSES, []), room / "diagnoses.csv")
    (room / "shoal.toml").write_text(_MIXED, encoding="utf-8")
    yield f"Both      {_PATIENTS:,} invented patients with diagnoses in {room}"
    front, _ = front_config(room / "shoal.toml", progress=progress)
    points = front.as_dict()["front"]
    costs = ", ".join(
        f"{point['table-ncp']:.0%} and {point['ul']:.2f}" for point in points[:: max(len(points) // 3, 1)]
    )
    yield f"  front   what the table and the items lose (table-ncp and ul): {costs}"
    release = run_config(room / "shoal.toml", room / "release", force=True, progress=progress)
    facts = release.manifest
    yield f"  release {facts['records_out']:,} records in {facts['classes']:,} classes; {loss_sentence(release.loss)}"
    _, verdict = verify(room / "release")
    yield f"  verify  {'yes' if verdict else 'no'}: {verdict.sentence}"


def _write_patients(path: Path) -> None:
    """Invent people; the seed only makes every demo the same, it protects nobody."""
    random = np.random.default_rng(5)
    codes = np.array(sorted(code for group in _ILLNESSES.values() for code in group))
    shares = random.dirichlet(np.full(len(codes), 2.0))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("patient", "age", "sex", "diagnoses"))
        for number in random.permutation(_PATIENTS):
            held = random.choice(codes, min(1 + random.poisson(1), 4), replace=False, p=shares)
            age = int(np.clip(random.normal(52, 21), 0, 99))
            writer.writerow((f"P{number:05d}", age, random.choice(["female", "male"]), ";".join(held)))


# The demo's record trees: invented patients, their stays in hospitals, what was found and what was done.

_TREES = 1_000

_HOSPITALS = {"coast": ["Alder", "Birch"], "hills": ["Cedar", "Maple"], "plain": ["Rowan", "Willow"]}
_DIAGNOSES = {
    "lung": ["asthma", "bronchitis", "pneumonia"],
    "heart": ["angina", "arrhythmia", "hypertension"],
    "bones": ["fracture", "gout", "sprain"],
}
_TREATMENTS = {"drugs": ["inhaler", "antibiotic", "beta blocker", "painkiller"], "other": ["cast", "stent"]}
_USUAL = (("inhaler", "antibiotic"), ("beta blocker", "stent"), ("cast", "painkiller"))
_RARELY = 0.005  # of the findings are treated by a painkiller where it is not usual

_TREE = """\
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
    _write_tree_patients(room / "patients.ndjson")
    _write_tree_hierarchies(room / "hierarchies")
    (room / "shoal.toml").write_text(_TREE, encoding="utf-8")
    yield f"Trees     {_TREES:,} invented patients with stays, findings and treatments in {room}"
    release = run_config(room / "shoal.toml", room / "release", force=True, progress=progress)
    facts, rule = release.manifest, release.recoding
    values = sum(len(labels or ()) for labels in rule["cut"].values())
    yield (
        f"  release {facts['records_out']:,} records, {facts['classes']:,} different trees with {values} values, "
        f"{len(rule['disassociations'])} relations cut; {loss_sentence(release.loss)}"
    )
    _, verdict = verify(room / "release", config=load(room / "shoal.toml"), against=room / "patients.ndjson")
    yield f"  verify  {'yes' if verdict else 'no'}: {verdict.sentence}"


def _write_tree_patients(path: Path) -> None:
    """Invent people; the seed only makes every demo the same, it protects nobody."""
    random = np.random.default_rng(3)
    people = [_patient(random, int(number)) for number in random.permutation(_TREES)]
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


def _write_tree_hierarchies(folder: Path) -> None:
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
