"""The invented people of the demo, whose table the page offers as example data; it imports nothing heavy."""

import csv
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from shoal.base.naming import resource_table

__all__ = ["example_table", "list_leaves", "load_invented", "write_rows", "write_stays", "zip_codes"]


def example_table() -> bytes:
    """The demo's hospital stays, as the bytes of a csv file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "patients.csv")
        write_stays(path)
        return path.read_bytes()


def load_invented(shape: str) -> dict[str, Any]:
    """What the people of one shape are like, and how they are published."""
    facts: dict[str, Any] = resource_table("shoal.jobs.demo", "people.toml")[shape]
    return facts


def zip_codes() -> list[str]:
    """The zip codes of the towns where the invented people live."""
    facts = load_invented("table")
    return [f"{area}{town:02d}" for area in facts["areas"] for town in range(facts["towns"])]


def list_leaves(groups: Any) -> list[str]:
    """Every value in groups of values, however deep they are."""
    if isinstance(groups, list):
        return groups
    return [leaf for group in groups.values() for leaf in list_leaves(group)]


def write_rows(path: Path, rows: Iterable[Iterable[Any]]) -> None:
    """Write rows as csv."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def write_stays(path: Path) -> None:
    """Invent hospital stays."""
    facts = load_invented("table")
    random, n = np.random.default_rng(facts["seed"]), facts["records"]
    ages = np.clip(random.normal(52, 21, n), 0, 99).astype(int)
    jobs = random.choice(list_leaves(facts["jobs"]), n)
    jobs = np.where(ages < 20, "student", np.where(ages > 66, "retired", jobs))
    rows = zip(
        (f"P{number:05d}" for number in random.permutation(n)),
        ages,
        random.choice(facts["sexes"], n),
        random.choice(zip_codes(), n),
        jobs,
        random.choice(facts["diagnoses"], n, p=facts["shares"]),
        strict=True,
    )
    write_rows(path, [("patient", "age", "sex", "zip", "job", "diagnosis"), *rows])
