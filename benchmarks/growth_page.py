"""`docs/evidence/growth.md`, written from `benchmarks/results/growth.json`, and what changed since that was kept."""

import json
from collections.abc import Iterator, Mapping, Sequence
from math import exp, log
from pathlib import Path
from typing import Any

__all__ = ["compared", "keep", "keep_large", "kept", "page", "slope", "write"]

RESULTS = Path(__file__).with_name("results") / "growth.json"
LARGE = RESULTS.with_name("growth_large.json")
PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "growth.md"
SLOWER, STEEPER = 1.5, 0.3  # what is called a regression: as many times the seconds, so much more slope
TOO_FAST = 0.02  # seconds, below which a time says nothing
HEAD = """# How methods grow

<!-- Below this line everything is written by benchmarks/growth.py, from what was measured. -->

How time and memory of every method grow with the number of records, columns, k, m and n:
`python -m benchmarks.growth`. One thing at a time varies, on drawn data. A slope of 1 means in proportion, 2 the
square, 0 not at all; it is fitted on logarithms (of n + 1 for n) and left out if all times are below a fiftieth of
a second. Times are CPU seconds of the method alone, with compiled kernels, on a busy machine; memory is how much the
process grew. `nonreciprocal` has no m, for `cahd` k is its l, and fronts have every k at once. `acs` stops
after 300 cuts in a row without improvement, and `acs` and `miracle` have a quarter of the records. This page is
written from `benchmarks/results/growth.json`, and a test compares the two. The next run of the program shows what has
become slower or steeper.
"""
PAST = """## Past this machine

What data would cost that no machine here can hold, by the growth of data in parts (`python benchmarks/bench_large.py`
for tables, `python benchmarks/bench_merged.py trees baskets` for the others). Each step was measured on two cores at
the sizes in the table, and the best-fitting power law is extrapolated: **the figures to the right of *prolonged to*
were computed, not run.** Steps work part by part and add up, so more cores can share them. This was never tried on
more than two: hours on many cores are the CPU hours divided by the cores, without the time for moving data between
machines. Memory is that of one process; it depends on the size of a part, not on the number of records.
"""
SIMULATED = """## On 64 and 1,000 cores, simulated

`python benchmarks/schedule.py` releases data of two sizes on this machine, one task over one part at a time, and keeps
how long each task took and how many bytes it wrote. A program then hands as many tasks as the records to the right need
to 64 and to 1,000 cores, each to the core that is free first, with times drawn from the measured ones, stragglers
among them; what tasks send to each other goes through ten gigabits a second for every 32 cores. What the driver does
between tasks is one core's work, prolonged by a straight line through both sizes. **Nothing in the columns of hours was
run.** The last column names the step that takes longest, and its share; more cores do not help where it is the driver.
"""
SCHEDULE = RESULTS.with_name("schedule.json")
ASKED = {"tables, optimal": 10**9, "baskets, apriori": 10**8, "trees, gcs": 10**8}
CORES = (2, 32, 256)
AXES = {"records": "Records", "columns": "Columns", "k": "k", "m": "m", "n": "n"}


def kept(path: Path = RESULTS) -> dict[str, Any]:
    """What was measured before."""
    return (
        json.loads(path.read_text(encoding="utf-8"))
        if path.exists()
        else {"machine": "", "makers": {}, "missing": []}
    )


def keep(found: Mapping[str, Any]) -> None:
    """Write down what was measured."""
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def write(found: Mapping[str, Any]) -> None:
    """Keep it, and write the page."""
    keep(found)
    PAGE.write_text(page(kept()), encoding="utf-8")


def keep_large(what: str, step: str, records: int, cpu: float, gb: float) -> None:
    """Write down one step of data in parts, in place of what was measured at this size before."""
    found = kept_large()
    points = [point for point in found.setdefault(what, {}).get(step, []) if point["at"] != records]
    points.append({"at": records, "seconds": round(cpu, 2), "gb": round(gb, 2)})
    found[what][step] = sorted(points, key=lambda point: point["at"])
    LARGE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def kept_large() -> dict[str, Any]:
    """The steps of data in parts, by what was done."""
    return json.loads(LARGE.read_text(encoding="utf-8")) if LARGE.exists() else {}


def past(found: Mapping[str, Mapping[str, Sequence[Mapping[str, float]]]]) -> str:
    """The table of what many records would cost, from what fewer did."""
    head = ("data and method", "step", "records: CPU s", "slope", "prolonged to", "CPU hours",
            *(f"hours on {cores} cores" for cores in CORES), "GB of a process")  # fmt: skip
    rows = [_prolonged(what, step, points) for what, steps in found.items() for step, points in steps.items()]
    return _lines(head, rows)


def _prolonged(what: str, step: str, points: Sequence[Mapping[str, float]]) -> tuple[str, ...]:
    steep = slope(points) or 0.0
    level = sum(log(point["seconds"]) - steep * log(point["at"]) for point in points) / len(points)
    hours = exp(level + steep * log(ASKED[what])) / 3600
    shown = ", ".join(f"{point['at']:,}: {_short(point['seconds'])}" for point in points)
    most = max(point["gb"] for point in points)
    each = (_short(hours / cores) for cores in CORES)
    return (what, step, shown, f"{steep:.2f}", f"{ASKED[what]:,}", _short(hours), *each, f"{most:.1f}")


def _short(amount: float) -> str:
    if amount < 0.01:
        return "below 0.01"
    return f"{amount:,.0f}" if amount >= 10 else f"{amount:.2g}"


def slope(points: Sequence[Mapping[str, float]], what: str = "seconds") -> float | None:
    """The exponent of the power that fits best; None where times are too short to tell.

    >>> slope([{"at": 1, "seconds": 0.1}, {"at": 2, "seconds": 0.4}, {"at": 4, "seconds": 1.6}])
    2.0
    """
    floor = TOO_FAST if what == "seconds" else 1.0
    if len(points) < 2 or max(point[what] for point in points) < floor:
        return None
    shift = 1 if points[0]["at"] == 0 else 0
    x = [log(point["at"] + shift) for point in points]
    y = [log(max(point[what], floor / 100)) for point in points]
    middle, level = sum(x) / len(x), sum(y) / len(y)
    rise = sum((a - middle) * (b - level) for a, b in zip(x, y, strict=True))
    return round(rise / sum((a - middle) ** 2 for a in x), 2)


def compared(name: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """One line for each thing along which a method grows: slopes and times then and now, and what got worse."""
    for along, points in now.items():
        old = before.get(along, [])
        was, is_ = slope(old), slope(points)
        both = [(a["seconds"], b["seconds"]) for a in old for b in points if a["at"] == b["at"]]
        then, here = sum(a for a, _ in both), sum(b for _, b in both)
        times = here / then if then else None
        slower = times is not None and times > SLOWER and here > TOO_FAST
        steeper = was is not None and is_ is not None and is_ - was > STEEPER
        said = (
            f"{name:<14} {along:<8} slope {_number(was):>6} -> {_number(is_):>6}   time x {_number(times):>6}"
        )
        yield said + ("   SLOWER" if slower else "") + ("   STEEPER" if steeper else "")


def page(found: Mapping[str, Any]) -> str:
    """The whole page."""
    parts = [HEAD, f"Measured on {found['machine']}.\n"]
    if found["missing"]:
        parts.append(f"Not yet measured: {', '.join(f'`{name}`' for name in found['missing'])}.\n")
    for along, title in AXES.items():
        makers = {name: axes[along] for name, axes in found["makers"].items() if axes.get(along)}
        if makers:
            parts += [f"## {title}\n", _table(along, makers)]
    if large := kept_large():
        parts += [PAST, past(large)]
    if SCHEDULE.exists():
        parts += [SIMULATED, simulated(json.loads(SCHEDULE.read_text(encoding="utf-8")))]
    return "\n".join(parts).rstrip() + "\n"


def simulated(found: Mapping[str, Mapping[str, Any]]) -> str:
    """The table of what a program scheduled: hours by cores, and what takes longest on the most of them."""
    cores = [int(number) for number in next(iter(found.values()))["cores"]]
    head = ("data and method", "measured at", "records", "CPU hours of tasks",
            *(f"hours on {number:,} cores" for number in cores), "of it the driver", "longest")  # fmt: skip
    rows = []
    for shape, entry in found.items():
        most = entry["cores"][str(cores[-1])]
        rows.append(
            (
                f"{shape}, {entry['method']}",
                " and ".join(f"{number:,}" for number in entry["measured"]),
                f"{entry['records']:,}",
                _short(most["task_hours"]),
                *(_short(entry["cores"][str(number)]["hours"]) for number in cores),
                f"{most['driver'] / most['hours']:.0%}",
                f"{most['bottleneck']}, {most['share']:.0%}",
            )
        )
    return _lines(head, rows)


def _table(along: str, makers: Mapping[str, Sequence[Mapping[str, float]]]) -> str:
    head = ("method", f"{along}: seconds", "slope of seconds", "most MB", "slope of MB")
    rows = [
        (
            f"`{name}`",
            ", ".join(f"{point['at']:,}: {point['seconds']:.2f}" for point in points),
            _number(slope(points)),
            f"{max(point['mb'] for point in points):.0f}",
            _number(slope(points, "mb")),
        )
        for name, points in makers.items()
    ]
    return _lines(head, rows)


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
