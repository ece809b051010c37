"""What the demo shows of each shape: people are invented (people.toml), released, judged, and reported on.

The seeds only make every demo the same; they protect nobody.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shoal.base.progress import Progress
from shoal.hierarchy import files
from shoal.hierarchy.rules import build
from shoal.io.config import load
from shoal.jobs.configured import front_config, run_config
from shoal.jobs.demo.example import list_leaves, load_invented, write_rows, write_stays, zip_codes
from shoal.publish.verify import verify
from shoal.report.words import loss_sentence

__all__ = ["show_baskets", "show_mixed", "show_table", "show_trees"]


def show_table(room: Path, progress: Progress) -> Iterator[str]:
    """Hospital stays, what every k would cost, a release at k = 5; yield the lines to print."""
    facts = load_invented("table")
    write_stays(room / "patients.csv")
    _write_hierarchies(
        room / "hierarchies",
        age=({"ranges": [5, 10, 20, 40]}, [str(age) for age in range(100)]),
        sex=({"fanout": len(facts["sexes"])}, facts["sexes"]),
        zip=({"mask": "right"}, zip_codes()),
        job=(facts["jobs"], []),
    )
    config = room / "shoal.toml"
    config.write_text(facts["config"], encoding="utf-8")
    yield f"Tables    {facts['records']:,} invented hospital stays in {room}"
    front, _ = front_config(config, progress=progress)
    points = {point["k"]: point["loss"] for point in front.as_dict()["front"]}
    costs = ", ".join(f"k={k} {_least_loss(points, k):.0%}" for k in (2, 5, 10, 50) if k <= max(points))
    yield f"  front   the least loss (glm) for every k, with one level per column: {costs} ({front.summary()})"
    release = run_config(config, room / "release", force=True, progress=progress)
    manifest = release.manifest
    yield (
        f"  release {manifest['records_out']:,} records in {manifest['classes']:,} classes of at least "
        f"{manifest['claim']['k']}, {manifest['suppressed']} suppressed; {loss_sentence(release.loss)}"
    )
    (room / "local.toml").write_text(facts["config"].partition("[method]")[0], encoding="utf-8")
    finer = run_config(room / "local.toml", room / "release-local", force=True, progress=progress)
    yield (
        f"  local   the same claim, each class recoded on its own: {finer.manifest['classes']:,} classes; "
        f"{loss_sentence(finer.loss)}"
    )
    yield _verify_release(room / "release")
    yield f"  look    {room / 'release' / 'report.html'} may be published"
    yield f"          {room / 'release.private' / 'audit.html'} must not"


def show_baskets(room: Path, progress: Progress) -> Iterator[str]:
    """Purchases, safe from whoever knows two items, and from whoever knows whole baskets; yield the lines to print."""
    facts, data = load_invented("baskets"), room / "purchases.csv"
    _write_purchases(data)
    _write_hierarchies(room, items=(facts["items"], []))
    yield f"Baskets   {facts['records']:,} invented purchases in {room}"
    for name in ("some", "whole"):
        config, out = room / f"{name}.toml", room / f"release-{name}"
        config.write_text(facts[name], encoding="utf-8")
        release = run_config(config, out, force=True, progress=progress)
        manifest = release.manifest
        yield (
            f"  {name:<7} {manifest['claim']['model']}: {manifest['records_out']:,} records; "
            f"{loss_sentence(release.loss)}"
        )
        yield _verify_release(out, config, data)


def show_mixed(room: Path, progress: Progress) -> Iterator[str]:
    """Patients and their diagnoses; yield the lines to print."""
    facts, config = load_invented("mixed"), room / "shoal.toml"
    _write_patients(room / "patients.csv")
    _write_hierarchies(
        room,
        age=({"ranges": [5, 10, 20, 40]}, [str(age) for age in range(100)]),
        sex=({"fanout": 2}, ["female", "male"]),
        diagnoses=(facts["diagnoses"], []),
    )
    config.write_text(facts["config"], encoding="utf-8")
    yield f"Both      {facts['records']:,} invented patients with diagnoses in {room}"
    front, _ = front_config(config, progress=progress)
    points = front.as_dict()["front"]
    costs = ", ".join(
        f"{point['table-ncp']:.0%} and {point['ul']:.2f}" for point in points[:: max(len(points) // 3, 1)]
    )
    yield f"  front   what the table and the items lose (table-ncp and ul): {costs}"
    release = run_config(config, room / "release", force=True, progress=progress)
    manifest = release.manifest
    yield (
        f"  release {manifest['records_out']:,} records in {manifest['classes']:,} classes; "
        f"{loss_sentence(release.loss)}"
    )
    yield _verify_release(room / "release")


def show_trees(room: Path, progress: Progress) -> Iterator[str]:
    """Patients, their stays in hospitals, what was found and what was done; yield the lines to print."""
    facts, config, data = load_invented("trees"), room / "shoal.toml", room / "patients.ndjson"
    write_trees(data)
    _write_tree_hierarchies(room / "hierarchies")
    config.write_text(facts["config"], encoding="utf-8")
    yield f"Trees     {facts['records']:,} invented patients with stays, findings and treatments in {room}"
    release = run_config(config, room / "release", force=True, progress=progress)
    manifest, rule = release.manifest, release.recoding
    values = sum(len(labels or ()) for labels in rule["cut"].values())
    yield (
        f"  release {manifest['records_out']:,} records, {manifest['classes']:,} different trees with {values} values, "
        f"{len(rule['disassociations'])} relations cut; {loss_sentence(release.loss)}"
    )
    yield _verify_release(room / "release", config, data)


def _verify_release(folder: Path, config: Path | None = None, against: Path | None = None) -> str:
    """What a judge says of a release that was written."""
    _, verdict = verify(folder, config=None if config is None else load(config), against=against)
    return f"  verify  {'yes' if verdict else 'no'}: {verdict.sentence}"


def _least_loss(points: dict[int, float], k: int) -> float:
    """The least loss that reaches `k`."""
    return min(loss for reached, loss in points.items() if reached >= k)


def _write_hierarchies(folder: Path, **specs: tuple[dict[str, Any], list[str]]) -> None:
    """Write hierarchies of all values that could occur, whoever is in the data: that is why they are public."""
    folder.mkdir(exist_ok=True)
    for name, (spec, values) in specs.items():
        files.write(build(name, spec, values), folder / f"{name}.csv")


def _write_purchases(path: Path) -> None:
    """Invent people, each with a taste, and what they bought."""
    facts = load_invented("baskets")
    random = np.random.default_rng(facts["seed"])
    items = np.array(sorted(list_leaves(facts["items"])))
    common = random.permutation(1 / np.arange(1, len(items) + 1))
    lines = ["items"]
    for _ in range(facts["records"]):
        taste = common * random.gamma(0.5, 1, len(items))
        size = min(1 + random.poisson(2), 8)
        lines.append(";".join(random.choice(items, size, replace=False, p=taste / taste.sum())))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_patients(path: Path) -> None:
    """Invent patients with several diagnoses each."""
    facts = load_invented("mixed")
    random = np.random.default_rng(facts["seed"])
    codes = np.array(sorted(list_leaves(facts["diagnoses"])))
    shares = random.dirichlet(np.full(len(codes), 2.0))
    rows: list[tuple[Any, ...]] = [("patient", "age", "sex", "diagnoses")]
    for number in random.permutation(facts["records"]):
        diagnoses = random.choice(codes, min(1 + random.poisson(1), 4), replace=False, p=shares)
        age = int(np.clip(random.normal(52, 21), 0, 99))
        rows.append((f"P{number:05d}", age, random.choice(["female", "male"]), ";".join(diagnoses)))
    write_rows(path, rows)


def write_trees(path: Path) -> None:
    """Invent patients with stays, findings and treatments."""
    facts = load_invented("trees")
    random = np.random.default_rng(facts["seed"])
    people = [_make_patient(random, int(number)) for number in random.permutation(facts["records"])]
    path.write_text("".join(f"{json.dumps(person)}\n" for person in people), encoding="utf-8")


def _make_patient(random: np.random.Generator, number: int) -> dict[str, Any]:
    hospitals = list_leaves(load_invented("trees")["hospitals"])
    places = random.choice(len(hospitals), 1 + int(random.poisson(1)))
    stays = [
        {"hospital": hospitals[hospital], "findings": _draw_findings(random, int(hospital))}
        for hospital in places
    ]
    return {"patient": f"P{number:05d}", "born": int(random.integers(1930, 2010)), "stays": stays}


def _draw_findings(random: np.random.Generator, hospital: int) -> list[dict[str, Any]]:
    """Hospitals have different patients, and diagnoses their usual treatments."""
    facts = load_invented("trees")
    group = int(random.choice(3, p=np.roll([0.6, 0.2, 0.2], hospital // 2)))
    diagnosis = list_leaves(facts["diagnoses"])[3 * group + int(random.integers(3))]
    rare = random.random() < facts["rarely"]
    treatment = "painkiller" if rare else str(random.choice(facts["usual"][group]))
    return [{"diagnosis": diagnosis, "treatments": [treatment]}]


def _write_tree_hierarchies(folder: Path) -> None:
    """Write the hierarchies of the fields of record trees."""
    facts = load_invented("trees")
    _write_hierarchies(
        folder,
        born=({"ranges": [5, 10, 50]}, [str(year) for year in range(1920, 2020)]),
        hospital=(facts["hospitals"], []),
        diagnosis=(facts["diagnoses"], []),
        treatment=(facts["treatments"], []),
    )
