"""How time and memory of every method grow with records, columns, k, m and n.

Run `python -m benchmarks.growth [MAKER ...]`. One thing at a time is varied around a centre of each shape, on drawn
data. Times are CPU seconds of the method alone, the least of two runs, with compiled kernels; memory is how far the
process grew above what it had. A slope is fitted on logarithms of both: 1 is in proportion, 2 is the square. The
results are compared with those kept in `benchmarks/results/growth.json` and replace them;
`docs/evidence/growth.md` is written from them.
"""

import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from benchmarks import growth_page as page

import shoal
from shoal.algorithms import METHODS
from shoal.anonymization.methods import make_result
from shoal.base.errors import ShoalError
from shoal.base.progress import no_progress

ENOUGH = 20.0  # CPU seconds, after which nothing larger is tried
CENTRES: dict[str, dict[str, int]] = {
    "table": {"records": 4_000, "columns": 4, "k": 5},
    "baskets": {"records": 4_000, "k": 5, "m": 2},
    "mixed": {"records": 1_000, "columns": 3, "k": 5, "m": 2},
    "trees": {"records": 1_000, "k": 5, "m": 2, "n": 1},
}
VARIED = {
    "records": (0.25, 1, 4, 16),
    "columns": (2, 4, 6),
    "k": (2, 5, 20, 80),
    "m": (1, 2, 3),
    "n": (0, 1, 2),
}
LARGE = ("miracle", "acs")  # looks at each pair of records, at each cut: fewer records
OPTIONS: dict[str, dict[str, Any]] = {"acs": {"patience": 300}, "bound": {"delta": 0.5}}


def drawn(shape: str, records: int, columns: int) -> Any:
    """Data of a shape, the same whenever it is drawn."""
    random = np.random.default_rng(0)
    names = [f"c{j}" for j in range(columns)]
    cells = {name: [f"{value:02}" for value in np.minimum(random.zipf(1.5, records), 16)] for name in names}
    items = [sorted({f"i{item:03}" for item in np.minimum(random.zipf(1.4, 6), 200)}) for _ in range(records)]
    even = {"fanout": 2}
    if shape == "trees":
        people = [
            {
                "town": f"{random.integers(12):02}",
                "visits": [
                    {"ward": f"{ward:02}", "ill": f"{min(random.zipf(1.6), 20):02}"}
                    for ward in random.integers(6, size=random.integers(1, 4))
                ],
            }
            for _ in range(records)
        ]
        classes = ("town", "visits.ward", "visits.ill")
        return shoal.read_trees(people, hierarchies=dict.fromkeys(classes, even))
    frame = pl.DataFrame(
        {**(cells if shape != "baskets" else {}), **({"items": items} if shape != "table" else {})}
    )
    roles = {name: "items" if name == "items" else "quasi" for name in frame.columns}
    trees = dict.fromkeys(frame.columns, even)
    return shoal.read(frame, roles=roles, hierarchies=trees)


def labelled(records: int) -> Any:
    """Baskets with a label each, for the method that keeps labels apart."""
    random = np.random.default_rng(0)
    items = [sorted({f"i{item:03}" for item in np.minimum(random.zipf(1.4, 6), 200)}) for _ in range(records)]
    label = [f"{value:02}" for value in random.integers(200, size=records)]
    return shoal.read(
        pl.DataFrame({"items": items, "label": label}), roles={"items": "items", "label": "sensitive"}
    )


def measure(name: str, at: dict[str, int]) -> dict[str, float]:
    """CPU seconds and MB of one method at one point."""
    found = METHODS[name]
    data = (
        labelled(at["records"]) if name == "cahd" else drawn(found.shape, at["records"], at.get("columns", 0))
    )
    asked = {key: at[key] for key in ("k", "m", "n") if key in at}
    if name in ("nonreciprocal", "cahd"):
        asked = {"l" if name == "cahd" else "k": at["k"]}
    claim = None if found.fronts else data.claim(asked)
    least, grown = float("inf"), 0.0
    for _ in range(2):
        before = _reset()
        start = time.process_time()
        make_result(name, data, claim, OPTIONS.get(name, {}), no_progress, 0)
        least = min(least, time.process_time() - start)
        grown = max(grown, _status("VmHWM") - before)
        if least > ENOUGH / 4:
            break
    return {"seconds": least, "mb": max(grown, 0.0)}


def _reset() -> float:
    """Forget the peak of memory; what is in use now, in MB."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _status("VmRSS")


def _status(what: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) / 1024


def grow(name: str) -> Iterator[tuple[str, list[dict[str, float]]]]:
    """What a method takes along each thing that it knows."""
    shape = METHODS[name].shape
    centre = dict(CENTRES[shape])
    if name in LARGE:
        centre["records"] //= 4
    if name in ("nonreciprocal", "cahd"):
        del centre["m"]
    if METHODS[name].fronts:
        del centre["k"]
    measure(name, {**centre, "records": 200})  # compiles
    for along in centre:
        points: list[dict[str, float]] = []
        for step in VARIED[along]:
            at = {**centre, along: int(step * centre["records"]) if along == "records" else int(step)}
            if along == "columns" and shape == "mixed" and step > 4:
                continue
            try:
                points.append({"at": at[along], **measure(name, at)})
            except ShoalError as error:
                print(name, along, step, error, file=sys.stderr)
                continue
            if points[-1]["seconds"] > ENOUGH / 4:
                break
        yield along, points


def main() -> None:
    before = page.kept()
    found = {**before, "machine": f"{os.cpu_count()} cores, {platform.machine()}"}
    found["makers"] = dict(before["makers"])
    for name in sys.argv[1:] or METHODS:
        found["makers"][name] = dict(grow(name))
        for line in page.compared(name, before["makers"].get(name, {}), found["makers"][name]):
            print(line, flush=True)
        found["missing"] = [other for other in METHODS if other not in found["makers"]]
        page.keep(found)
    page.write(found)


if __name__ == "__main__":
    main()
