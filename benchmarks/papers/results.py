"""Result files: rows of one experiment as csv, written point by point or at its end, and read back as they are."""

import csv
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

Row = dict[str, str | int | float]
Rows = list[Row]
Results = dict[str, Rows]

KEPT = Path(__file__).parents[1] / "results" / "papers"


@dataclass(frozen=True)
class Point:
    """One measurement of an experiment: what tells it from the others, and what makes its rows."""

    key: Row
    make: Callable[[], Iterable[Row]]


@dataclass(frozen=True)
class Experiment:
    """One figure or table of a paper: its name, and what yields its rows, or its points, which are measured one by one.

    `quick` asks for small, drawn data.
    """

    name: str
    rows: Callable[[bool], Iterable[Row | Point]]


def run(experiments: Sequence[Experiment], folder: Path, quick: bool, again: bool = False) -> None:
    """Run what has no rows in `folder`, or everything `again`; what was stopped goes on at the point where it was.

    The small runs come first, unmeasured, so that no figure holds the time in which kernels are compiled.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for experiment in experiments:
        file = folder / f"{experiment.name}.csv"
        if again:
            file.unlink(missing_ok=True)
        known = read_file(file) if file.exists() else []
        todo = list(_missing(experiment, quick, known)) if known else [experiment]
        if todo and not quick:
            for made in experiment.rows(True):
                deque(made.make() if isinstance(made, Point) else (), maxlen=0)
        if todo:
            write(file, _watched(experiment, quick, file, known))


def _missing(experiment: Experiment, quick: bool, known: Rows) -> Iterator[Point]:
    """Points that have no row yet; an experiment without points is whole where it has any row."""
    for made in experiment.rows(quick):
        if not isinstance(made, Point):
            return
        if not some(known, **_tidied(made.key)):
            yield made


def _watched(experiment: Experiment, quick: bool, file: Path, known: Rows) -> Rows:
    """The rows, while the screen says how far it is: a line every two seconds at most; each new point is written."""
    found: Rows = []
    began = told = time.monotonic()
    for made in experiment.rows(quick):
        if isinstance(made, Point):
            there = some(known, **_tidied(made.key))
            found += there or [_tidied(row) for row in made.make()]
            if not there:
                waiting = [row for row in known if row not in found]
                write(file, found + waiting)
        else:
            found.append(_tidied(made))
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
    return {file.stem: read_file(file) for file in sorted(folder.glob("*.csv"))}


def read_file(file: Path) -> Rows:
    """The rows of one experiment."""
    with file.open(encoding="utf-8", newline="") as lines:
        return [{name: _number(cell) for name, cell in row.items()} for row in csv.DictReader(lines)]


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


def _tidied(row: Row) -> Row:
    return {name: _tidy(value) for name, value in row.items()}


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
