"""The newcomer's first minute: invented people, a front, a judged release, its report."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from shoal.progress import Progress, silent
from shoal.publish.configured import front_config, refuse_existing, run_config
from shoal.publish.verify import verify

__all__ = ["demonstrate"]

_RECORDS = 2_000

_CONFIG = """\
# Invented hospital stays. Change k, or a hierarchy, and run `shoal run` in this folder again.
[data]
path = "patients.csv"

[columns]
patient   = "identifier"
age       = { role = "quasi", hierarchy = { ranges = [5, 10, 20, 40] } }
sex       = "quasi"
zip       = { role = "quasi", hierarchy = { mask = "right" } }
job       = { role = "quasi", hierarchy = "hierarchies/job.csv" }
diagnosis = "sensitive"

[guarantee]
k = 5

[method]
suppress = 0.02
"""

_JOBS = {
    "care": ["nurse", "physician", "carer"],
    "teaching": ["teacher", "lecturer", "tutor"],
    "craft": ["carpenter", "plumber", "electrician", "mason"],
    "office": ["clerk", "accountant", "lawyer", "programmer"],
    "none": ["student", "retired", "unemployed"],
}
_DIAGNOSES = ["influenza", "fracture", "asthma", "diabetes", "hypertension", "appendicitis", "migraine"]


def demonstrate(folder: Path, *, force: bool = False, progress: Progress = silent) -> Iterator[str]:
    """Run the demo in a new `folder`; yield what to tell, line by line."""
    refuse_existing(folder, force)
    room = folder / "table"
    room.mkdir(parents=True, exist_ok=True)
    yield f"Tables    {_RECORDS:,} invented hospital stays in {room}"
    _write_table(room)
    yield from _show_table(room, progress)


def _show_table(room: Path, progress: Progress) -> Iterator[str]:
    """Trace, release and verify the table."""
    config, out = room / "shoal.toml", room / "release"
    front, _ = front_config(config, progress=progress)
    points = {point["k"]: point["loss"] for point in front.as_dict()["front"]}
    picked = ", ".join(f"k={k} {_least(points, k):.0%}" for k in (2, 5, 10, 50) if k <= max(points))
    yield f"  front   what privacy costs, at its least: {picked} ({front.said()})"
    release = run_config(config, out, force=True, progress=progress)
    facts = release.manifest
    yield (
        f"  release {facts['records_out']:,} records in {facts['classes']:,} classes of at least "
        f"{facts['claim']['k']}, {facts['suppressed']} suppressed, loss {release.loss['glm']:.0%}"
    )
    _, verdict = verify(out)
    yield f"  verify  {'yes' if verdict else 'no'}: {verdict.sentence}"
    yield f"  look    {out / 'report.html'} may be published, {out}.private/audit.html must not"


def _least(points: dict[int, float], k: int) -> float:
    """The least loss that reaches `k`."""
    return min(loss for reached, loss in points.items() if reached >= k)


def _write_table(room: Path) -> None:
    """Invented people: the seed only fixes what is invented, it protects nobody."""
    random = np.random.default_rng(7)
    ages = np.clip(random.normal(52, 21, _RECORDS), 0, 99).astype(int)
    jobs = [job for group in _JOBS.values() for job in group]
    zips = random.choice(
        [f"{area}{town:02d}" for area in ("811", "812", "804") for town in range(12)], _RECORDS
    )
    rows = zip(
        (f"P{number:05d}" for number in random.permutation(_RECORDS)),
        ages,
        random.choice(["female", "male"], _RECORDS),
        zips,
        (_job(age, random.choice(jobs)) for age in ages),
        random.choice(_DIAGNOSES, _RECORDS, p=[0.24, 0.2, 0.15, 0.15, 0.12, 0.08, 0.06]),
        strict=True,
    )
    head = ("patient", "age", "sex", "zip", "job", "diagnosis")
    _write_rows(room / "patients.csv", [head, *rows], ",")
    (room / "hierarchies").mkdir(exist_ok=True)
    tree = [(job, group, "*") for group, members in _JOBS.items() for job in members]
    _write_rows(room / "hierarchies" / "job.csv", tree, ";")
    (room / "shoal.toml").write_text(_CONFIG, encoding="utf-8")


def _job(age: int, drawn: str) -> str:
    return "student" if age < 20 else "retired" if age > 66 else drawn


def _write_rows(path: Path, rows: Sequence[tuple[object, ...]], delimiter: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
