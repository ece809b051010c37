"""The demo's table: invented hospital stays, what every k would cost, a release at k = 5."""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from shoal.hierarchy import files
from shoal.hierarchy.rules import build
from shoal.progress import Progress
from shoal.publish.jobs import front_config, run_config
from shoal.publish.verify import verify
from shoal.report.words import lost

__all__ = ["show_table"]

_RECORDS = 2_000

_CONFIG = """\
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
_DIAGNOSES = ["influenza", "fracture", "asthma", "diabetes", "hypertension", "appendicitis", "migraine"]
_SHARES = [0.24, 0.2, 0.15, 0.15, 0.12, 0.08, 0.06]


def show_table(room: Path, progress: Progress) -> Iterator[str]:
    """Invent data, trace the front, release and verify; yield the lines to print."""
    _write_patients(room / "patients.csv")
    _write_hierarchies(room / "hierarchies")
    (room / "shoal.toml").write_text(_CONFIG, encoding="utf-8")
    yield f"Tables    {_RECORDS:,} invented hospital stays in {room}"
    front, _ = front_config(room / "shoal.toml", progress=progress)
    points = {point["k"]: point["loss"] for point in front.as_dict()["front"]}
    costs = ", ".join(f"k={k} {_least(points, k):.0%}" for k in (2, 5, 10, 50) if k <= max(points))
    yield f"  front   the least loss (glm) for every k: {costs} ({front.said()})"
    release = run_config(room / "shoal.toml", room / "release", force=True, progress=progress)
    facts = release.manifest
    yield (
        f"  release {facts['records_out']:,} records in {facts['classes']:,} classes of at least "
        f"{facts['claim']['k']}, {facts['suppressed']} suppressed; {lost(release.loss)}"
    )
    local = _CONFIG.partition("[method]")[0]
    (room / "local.toml").write_text(local, encoding="utf-8")
    finer = run_config(room / "local.toml", room / "release-local", force=True, progress=progress)
    yield (
        f"  local   the same claim, each class recoded on its own: {finer.manifest['classes']:,} classes; "
        f"{lost(finer.loss)}"
    )
    _, verdict = verify(room / "release")
    yield f"  verify  {'yes' if verdict else 'no'}: {verdict.sentence}"
    yield f"  look    {room / 'release' / 'report.html'} may be published"
    yield f"          {room / 'release.private' / 'audit.html'} must not"


def _least(points: dict[int, float], k: int) -> float:
    """The least loss that reaches `k`."""
    return min(loss for reached, loss in points.items() if reached >= k)


def _write_patients(path: Path) -> None:
    """Invent people; the seed only makes every demo the same, it protects nobody."""
    random = np.random.default_rng(7)
    ages = np.clip(random.normal(52, 21, _RECORDS), 0, 99).astype(int)
    jobs = random.choice([job for members in _JOBS.values() for job in members], _RECORDS)
    jobs = np.where(ages < 20, "student", np.where(ages > 66, "retired", jobs))
    rows = zip(
        (f"P{number:05d}" for number in random.permutation(_RECORDS)),
        ages,
        random.choice(_SEXES, _RECORDS),
        random.choice(_ZIPS, _RECORDS),
        jobs,
        random.choice(_DIAGNOSES, _RECORDS, p=_SHARES),
        strict=True,
    )
    with path.open("w", encoding="utf-8", newline="") as file:
        head = ("patient", "age", "sex", "zip", "job", "diagnosis")
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def _write_hierarchies(folder: Path) -> None:
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
