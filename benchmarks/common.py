"""What the benchmarks share: the data beside the checkout, CPU time, and a plain table."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from shoal.shapes.table.data import TableData

DATA = Path(__file__).parents[1].parent / "shared" / "data"


def adult(names: Sequence[str], folder: Path, rows: int | None = None, seed: int = 0) -> TableData:
    """Adult's columns `names` as quasi-identifiers; more rows than there are come from sampling each with noise.

    A drawn row takes each cell from its own record, or, one time in ten, from any record: more distinct tuples.
    """
    frame = pl.read_csv(DATA / "adult" / "adult.csv", separator=";", infer_schema=False).select(names)
    if rows is not None:
        own = frame.sample(rows, with_replacement=True, seed=seed)
        other = [
            frame[name].sample(rows, with_replacement=True, seed=seed + j + 1) for j, name in enumerate(names)
        ]
        swap = pl.int_range(rows, eager=True).hash(seed) % 10
        frame = own.select(
            pl.when((swap + j) % 10 == 0).then(other[j]).otherwise(pl.col(name)).alias(name)
            for j, name in enumerate(names)
        )
    return shoal.read(frame, roles=dict.fromkeys(names, "quasi"), hierarchies=folder)


def cpu(act: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of one call, and what it gave."""
    start = time.process_time()
    found = act()
    return time.process_time() - start, found


def need(path: Path) -> None:
    """Leave, saying so, where the data is not beside the checkout."""
    if not path.exists():
        sys.exit(f"{path.name} is not beside the checkout; see CONTRIBUTING.md")


def show(title: str, rows: Sequence[tuple[str, str, str]]) -> None:
    """Print measured figures beside their targets."""
    print(f"\n{title}")
    for what, measured, target in rows:
        print(f"  {what:<62} {measured:>16}   {target}")
