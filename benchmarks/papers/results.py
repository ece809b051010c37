"""Result files: rows of one experiment as csv, written when it has ended and read back as they are."""

import csv
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

Row = dict[str, str | int | float]
Rows = list[Row]
Results = dict[str, Rows]

KEPT = Path(__file__).parents[1] / "results" / "papers"


@dataclass(frozen=True)
class Experiment:
    """One figure or table of a paper: its name, and what yields its rows; `quick` asks for small, drawn data."""

    name: str
    rows: Callable[[bool], Iterable[Row]]


def run(experiments: Sequence[Experiment], folder: Path, quick: bool, again: bool = False) -> None:
    """Run what has no file in `folder`, or everything `again`; each file is written when its experiment is done.

    The small runs come first, unmeasured, so that no figure holds the time in which kernels are compiled.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for experiment in experiments:
        file = folder / f"{experiment.name}.csv"
        if again or not file.exists():
            if not quick:
                deque(experiment.rows(True), maxlen=0)
            write(file, _watched(experiment, quick))


def _watched(experiment: Experiment, quick: bool) -> Rows:
    """The rows, while the screen says how far it is: a line every two seconds at most."""
    found: Rows = []
    began = told = time.monotonic()
    for row in experiment.rows(quick):
        found.append({key: _tidy(value) for key, value in row.items()})
        if time.monotonic() - told > 2:
            told = time.monotonic()
            print(f"{experiment.name}: {len(found)} runs, {told - began:.0f} s", file=sys.stderr, flush=True)
    print(f"{experiment.name}: {len(found)} runs, done", file=sys.stderr, flush=True)
    return found


def write(file: Path, rows: Rows) -> None:
    """Write rows, all columns of any of them, whole or not at all."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    part = file.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    part.replace(file)


def read(folder: Path) -> Results:
    """All results of a folder by name."""
    found = {}
    for file in sorted(folder.glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            found[file.stem] = [
                {name: _number(cell) for name, cell in row.items()} for row in csv.DictReader(lines)
            ]
    return found


def some(rows: Rows, **where: str | int | float) -> Rows:
    """The rows with these values."""
    return [row for row in rows if all(row.get(name) == value for name, value in where.items())]


def column(rows: Rows, name: str) -> list[float]:
    """One column as numbers."""
    return [float(row[name]) for row in rows]


def values(rows: Rows, name: str) -> list:
    """The values of a column, each once, in their order."""
    return list(dict.fromkeys(row[name] for row in rows))


def one(rows: Rows, name: str, **where: str | int | float) -> float:
    """A number of the only row with these values."""
    (row,) = some(rows, **where)
    return float(row[name])


def _tidy(value: str | int | float) -> str | int | float:
    """A number without digits that say nothing."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _number(cell: str) -> str | int | float:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell
