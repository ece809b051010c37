"""The demo's table with baskets: invented patients and their diagnoses."""

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

__all__ = ["show_mixed"]

_RECORDS = 1_200
_ITEMS = {
    "metabolic": ["diabetes", "gout", "obesity"],
    "heart": ["hypertension", "angina", "arrhythmia"],
    "lung": ["asthma", "bronchitis", "pneumonia"],
    "mind": ["depression", "anxiety", "insomnia"],
}

_CONFIG = """\
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
    files.write(build("diagnoses", _ITEMS, []), room / "diagnoses.csv")
    (room / "shoal.toml").write_text(_CONFIG, encoding="utf-8")
    yield f"Both      {_RECORDS:,} invented patients with diagnoses in {room}"
    front, _ = front_config(room / "shoal.toml", progress=progress)
    points = front.as_dict()["front"]
    costs = ", ".join(
        f"{point['table-ncp']:.0%} and {point['ul']:.2f}" for point in points[:: max(len(points) // 3, 1)]
    )
    yield f"  front   what the table and the items lose (table-ncp and ul): {costs}"
    release = run_config(room / "shoal.toml", room / "release", force=True, progress=progress)
    facts = release.manifest
    yield f"  release {facts['records_out']:,} records in {facts['classes']:,} classes; {lost(release.loss)}"
    _, verdict = verify(room / "release")
    yield f"  verify  {'yes' if verdict else 'no'}: {verdict.sentence}"


def _write_patients(path: Path) -> None:
    """Invent people; the seed only makes every demo the same, it protects nobody."""
    random = np.random.default_rng(5)
    codes = np.array(sorted(code for group in _ITEMS.values() for code in group))
    shares = random.dirichlet(np.full(len(codes), 2.0))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("patient", "age", "sex", "diagnoses"))
        for number in random.permutation(_RECORDS):
            held = random.choice(codes, min(1 + random.poisson(1), 4), replace=False, p=shares)
            age = int(np.clip(random.normal(52, 21), 0, 99))
            writer.writerow((f"P{number:05d}", age, random.choice(["female", "male"]), ";".join(held)))
