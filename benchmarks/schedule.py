"""What data in parts would take on 64 and 1,000 cores: measured tasks, scheduled by a program.

Run `python benchmarks/schedule.py [table] [mixed] [trees]`; without words, all. Two sizes of each are
released on this machine, one task at a time, and every task's CPU seconds and the bytes that it writes are kept. What
runs between tasks is the driver's, one core's alone, by the step that `run` names. Then so many tasks as ten times,
a hundred times more records need are handed to cores as they become free. Nothing of that is run: the results, in
`benchmarks/results/schedule.json` and on `docs/evidence/growth.md`, are marked as simulated. Baskets are left out:
`part` does not put those of `apriori` into parts, only their size does.
"""

import heapq
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import growth_page
from bench_large import configured, people
from bench_parts import COLUMNS, ITEMS, with_baskets
from common import DATA
from shoal.engines import local
from shoal.jobs.configured import run_config
from shoal.parts import folder
from shoal.shapes import in_memory

RESULTS = growth_page.RESULTS.with_name("schedule.json")
PART = 1 << 15
CORES = (64, 1_000)
MACHINE, LINK = 32, 1.25e9  # cores of a machine, and the bytes a second that it sends: ten gigabits
SIZES = {
    "table": (250_000, 500_000),
    "mixed": (100_000, 200_000),
    "trees": (50_000, 100_000),
}
GOALS = {"table": 10**9, "mixed": 10**8, "trees": 10**8}
METHODS = {"table": "mondrian", "mixed": "bound", "trees": "gcs"}


@dataclass
class Recording:
    """What one run did: the seconds and bytes of each task by stage, and the driver's seconds by step."""

    records: int
    tasks: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    driver: dict[str, float] = field(default_factory=dict)


class Recorder:
    """A mapper that works on one part after the other and keeps what each task took."""

    def __init__(self, records: int) -> None:
        self.recording = Recording(records)
        self._step, self._since = "starting", time.process_time()

    def __call__(self, task: Callable[[Any], Any], parts: Sequence[Any], /) -> Iterator[Any]:
        """Yield the answers."""
        stage = name_of(task)
        for part in parts:
            self._charge()
            written = bytes_written()
            answer = task(part)
            seconds, self._since = time.process_time() - self._since, time.process_time()
            self.recording.tasks.setdefault(stage, []).append((seconds, bytes_written() - written))
            yield answer

    def begin_step(self, message: str, share: float | None = None) -> None:
        """Count what follows to another step of the driver."""
        self._charge()
        self._step = message.partition(":")[0].partition(",")[0]

    def _charge(self) -> None:
        now = time.process_time()
        driver = self.recording.driver
        driver[self._step] = driver.get(self._step, 0.0) + now - self._since
        self._since = now


def name_of(task: Any) -> str:
    """The name of a task's function, without what is bound to it."""
    while hasattr(task, "func"):
        task = task.func
    name = getattr(task, "__qualname__", None) or type(task).__qualname__
    return str(name).removesuffix(".<locals>").strip("_").replace("_", " ")


def bytes_written() -> int:
    """How many bytes this process has written."""
    return next(
        int(line.split()[1])
        for line in Path("/proc/self/io").read_text().splitlines()
        if line.startswith("wchar")
    )


def configuration(shape: str, records: int, folder: Path) -> Path:
    """The configuration of a release, and its data, drawn."""
    config, engine = folder / "shoal.toml", f"[engine]\npart = {PART}\n"
    if shape == "table":
        data = folder / "people.parquet"
        people(records, 0).write_parquet(data)
        config = configured(folder, data)
        text = config.read_text().replace('name = "optimal"\nsuppress = 0.01\n', 'name = "mondrian"\n')
        config.write_text(text + engine)
    elif shape == "mixed":
        data, poka, tree = with_baskets(folder, records), DATA / "adult" / "poka", folder / "items.csv"
        tree.write_text("".join(f"{item};g{item // 10};h{item // 100};*\n" for item in range(ITEMS)))
        columns = "".join(
            f'"{name}" = {{ role = "quasi", hierarchy = "{poka / name}.csv" }}\n' for name in COLUMNS
        )
        config.write_text(
            f'[data]\npath = "{data}"\n[columns]\n{columns}items = {{ role = "items", hierarchy = "{tree}" }}\n'
            f'[guarantee]\nk = 5\nm = 2\n[method]\nname = "bound"\n[release]\nformat = "parquet"\n{engine}'
        )
    else:
        random, data = np.random.default_rng(0), folder / "people.ndjson"
        with data.open("w") as file:
            for _ in range(records):
                visits = [
                    {"ward": f"w{ward}", "ill": f"i{min(random.zipf(1.6), 20)}"}
                    for ward in random.integers(6, size=random.integers(1, 4)).tolist()
                ]
                file.write(json.dumps({"town": f"t{random.integers(12)}", "visits": visits}) + "\n")
        classes = "".join(f'"{name}" = {{ fanout = 4 }}\n' for name in ("town", "visits.ward", "visits.ill"))
        config.write_text(
            f'[data]\npath = "{data}"\n[tree]\n[tree.hierarchies]\n{classes}[guarantee]\nk = 5\nm = 2\nn = 1\n{engine}'
        )
    return config


def record(shape: str, records: int) -> Recording:
    """Make a release, one task at a time."""
    recorder = Recorder(records)
    for module in (folder, local, in_memory):  # wherever work over parts begins
        module.in_threads = lambda threads: recorder
    with tempfile.TemporaryDirectory(prefix="shoal-schedule-") as name:
        config = configuration(shape, records, Path(name))
        recorder.begin_step("starting")
        recorder.recording.driver.clear()
        run_config(config, Path(name) / "out", progress=recorder.begin_step)
        recorder.begin_step("ended")
    return recorder.recording


def record_apart(shape: str, records: int) -> dict[str, Any]:
    """Record in a process of its own."""
    words = [sys.executable, __file__, "record", shape, str(records)]
    ran = subprocess.run(words, check=True, capture_output=True, text=True)
    recording: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return recording


def prolong(small: Mapping[str, Any], large: Mapping[str, Any], records: int, cores: int) -> dict[str, Any]:
    """Schedule a run of so many records on so many cores; hours by stage, and the stage that takes longest."""
    random, hours = np.random.default_rng(0), {}
    for stage, tasks in large["tasks"].items():
        few = small["tasks"].get(stage, tasks)
        grows = len(tasks) > 1.3 * len(few)
        count = max(round(len(tasks) * records / large["records"]), 1) if grows else len(tasks)
        seconds = np.array([task[0] for task in tasks])
        if not grows:  # as many tasks of more records each
            seconds = seconds * _growth(
                sum(task[0] for task in few), float(seconds.sum()), small, large, records
            )
        drawn = random.choice(seconds, count) if grows else seconds
        sent = sum(task[1] for task in tasks) * records / large["records"] * 2  # written, and read elsewhere
        moving = sent / (LINK * max(cores / MACHINE, 1))
        hours[f"tasks: {stage}"] = max(busy(drawn, cores), moving) / 3600
    for step, seconds_large in large["driver"].items():
        scale = _growth(small["driver"].get(step, seconds_large), seconds_large, small, large, records)
        hours[f"driver: {step}"] = seconds_large * scale / 3600
    longest = max(hours, key=lambda stage: hours[stage])
    cpu = (
        sum(sum(task[0] for task in tasks) for tasks in large["tasks"].values())
        * records
        / large["records"]
        / 3600
    )
    return {
        "hours": sum(hours.values()),
        "driver": sum(hours[stage] for stage in hours if stage.startswith("driver")),
        "bottleneck": longest,
        "share": hours[longest] / sum(hours.values()),
        "task_hours": cpu,
    }


def _growth(
    few: float, many: float, small: Mapping[str, Any], large: Mapping[str, Any], records: int
) -> float:
    """How many times as long a step takes at `records`, by a straight line through two sizes; never less than once."""
    rise = max(many - few, 0.0) / (large["records"] - small["records"])
    return 1.0 + rise * (records - large["records"]) / max(many, 1e-9)


def busy(seconds: np.ndarray, cores: int) -> float:
    """How long cores take for tasks that are handed out in turn, each to the core that is free first.

    >>> busy(np.array([3.0, 1.0, 1.0, 1.0]), 2)
    3.0
    """
    free = [0.0] * min(cores, len(seconds))
    for task in seconds.tolist():
        heapq.heapreplace(free, free[0] + task)
    return max(free, default=0.0)


def main() -> None:
    """Record each size in a process of its own, and schedule."""
    words = sys.argv[1:]
    if words[:1] == ["record"]:
        print(json.dumps(asdict(record(words[1], int(words[2])))))
        return
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for shape in words or SIZES:
        small, large = (
            json.loads(
                subprocess.run(
                    [sys.executable, __file__, "record", shape, str(records)],
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout.splitlines()[-1]
            )
            for records in SIZES[shape]
        )
        kept[shape] = {
            "method": METHODS[shape],
            "measured": [small["records"], large["records"]],
            "tasks": {stage: len(tasks) for stage, tasks in large["tasks"].items()},
            "driver": large["driver"],
            "records": GOALS[shape],
            "cores": {str(cores): prolong(small, large, GOALS[shape], cores) for cores in CORES},
        }
        print(shape, json.dumps(kept[shape], indent=1), flush=True)
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
