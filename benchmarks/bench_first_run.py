"""What the first run costs: the demo and every method with an empty cache of compiled kernels, and again.

Run `python benchmarks/bench_first_run.py [demo] [MAKER ...]`; without a name, all. The data is the demo's. Every run is
a process of its own, and its CPU time counts those it started. `adds` is what compiling adds to the wait.

`people` and `retail` are whole runs alone, three times with warm kernels: a table of 2,000 people, and as many baskets
as the retail data set has, drawn in its shape (88,162, 16,470 items). Where `OTHER` names the `src` of another
checkout, each is run in turn with it.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from shoal.algorithms import METHODS

COMMAND = [sys.executable, "-c", "from shoal.__main__ import main; main()"]
ROOMS = {"table": "table/shoal", "baskets": "baskets/some", "mixed": "mixed/shoal", "trees": "trees/shoal"}
LIMIT_DEMO, LIMIT_ADDED = 40, 12


def timed(arguments: list[str], cache: Path) -> tuple[float, float]:
    """Wall and CPU seconds of one command, whose kernels are kept in `cache`."""
    start = time.perf_counter()
    child = subprocess.Popen(
        [*COMMAND, *arguments], env={**os.environ, "NUMBA_CACHE_DIR": str(cache)}, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(arguments)}: exit code {child.returncode}")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime


def configured(name: str, demo: Path) -> Path:
    """The demo's configuration of the method's shape, for this method."""
    shape = METHODS[name].shape
    whole = name in ("nonreciprocal", "cahd")
    text = (demo / f"{'baskets/whole' if whole else ROOMS[shape]}.toml").read_text(encoding="utf-8")
    if name == "cahd":
        _label(demo / "baskets" / "purchases.csv")
        text = text.replace("purchases.csv", "labelled.csv").replace("k = 5", "l = 3")
        text = text.replace("[guarantee]", 'label = "sensitive"\n\n[guarantee]')
    if name == "acs":  # it looks at every cut, and years of birth have too many
        text = text.replace('drop = ["patient"]', 'drop = ["patient", "born"]').replace("born  ", "# born  ")
    if name == "core":
        for column in ("job", "zip"):
            text = re.sub(rf'({column} .*)"quasi"', r'\1"known"', text)
        text = text.replace("[guarantee]", "[guarantee]\nl = 2\nknown_at_once = 1")
    head, _, rest = text.partition("[method]\n")
    kept = "" if name not in ("optimal", "incognito", "poka", "pareto", "bound") else rest
    keep = "".join(line for line in kept.splitlines(keepends=True) if not line.startswith("name"))
    if METHODS[name].public:  # all people but one are the population
        lines = (demo / "table" / "patients.csv").read_text(encoding="utf-8").splitlines(keepends=True)
        (demo / "table" / "public.csv").write_text("".join(lines[:-1]), encoding="utf-8")
        head += '[population]\npath = "public.csv"\n'
    path = demo / shape / f"{name}.toml"
    path.write_text(f'{head}\n[method]\nname = "{name}"\n{keep}', encoding="utf-8")
    return path


def _label(purchases: Path) -> None:
    """The same purchases, each with a label, for the method that keeps labels diverse."""
    head, *rows = purchases.read_text(encoding="utf-8").splitlines()
    lines = [f"{head},label", *(f"{row},{'abcdefg'[number % 7]}" for number, row in enumerate(rows))]
    purchases.with_name("labelled.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def measure(name: str, arguments: list[str], work: Path) -> None:
    """One line: cold, warm, what compiling adds, and how many functions were compiled."""
    cache = work / "cache" / name
    cold, cold_cpu = timed(arguments, cache)
    kept = sum(1 for _ in cache.rglob("*.nbc"))
    warm, warm_cpu = timed(arguments, cache)
    late = cold > LIMIT_DEMO if name == "demo" else cold - warm > LIMIT_ADDED
    print(
        f"{name:<14} {cold:7.1f} {cold_cpu:7.1f} {warm:7.1f} {warm_cpu:7.1f} {cold - warm:7.1f} {kept:6}"
        f"{'  too long' if late else ''}",
        flush=True,
    )


def drawn(name: str, folder: Path) -> Path:
    """A configuration, with data drawn beside it."""
    random = np.random.default_rng(1)
    folder.mkdir()
    if name == "people":
        columns = {
            "age": random.integers(18, 90, 2_000),
            "sex": random.choice(["f", "m"], 2_000),
            "zip": random.integers(10_000, 10_400, 2_000),
            "job": random.choice(["nurse", "clerk", "cook", "guard", "smith"], 2_000),
            "disease": random.choice(["flu", "gout", "asthma", "none"], 2_000),
        }
        lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
        roles = 'age = "quasi"\nsex = "quasi"\nzip = "quasi"\njob = "quasi"\ndisease = "sensitive"'
        asked = "k = 11\nl = 3"
    else:
        often = 1 / np.arange(1, 16_471) ** 0.9
        sizes = np.minimum(random.geometric(1 / 10.3, 88_162), 76)
        items = random.choice(16_470, sizes.sum(), p=often / often.sum())
        baskets = np.split(items, np.cumsum(sizes)[:-1])
        lines = ["items", *(" ".join(map(str, np.unique(basket))) for basket in baskets)]
        roles, asked = 'items = { role = "items", separator = " " }', "k = 5\nm = 2"
    (folder / "data.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = folder / "shoal.toml"
    path.write_text(
        f'[data]\npath = "data.csv"\n\n[columns]\n{roles}\n\n[guarantee]\n{asked}\n', encoding="utf-8"
    )
    return path


def measure_whole(name: str, work: Path) -> None:
    """Wall and CPU seconds of whole runs, the first of which only compiles."""
    config, other = drawn(name, work / name), os.environ.get("OTHER")
    ours = os.environ.get("PYTHONPATH", "")
    for turn in range(4):
        for whose, sources in (("this", ours), *([("other", other)] if other else [])):
            os.environ["PYTHONPATH"] = sources
            out = work / f"{name}-{whose}"
            wall, used = timed(["run", str(config), "--out", str(out), "--force"], work / f"cache-{whose}")
            if turn:
                print(f"{name:<14} {whose:<6} wall {wall:6.2f}  cpu {used:6.2f}", flush=True)
    os.environ["PYTHONPATH"] = ours


def main() -> None:
    names = sys.argv[1:] or ["demo", *METHODS]
    print(f"{'':<14} {'cold':>7} {'cpu':>7} {'warm':>7} {'cpu':>7} {'adds':>7} {'kept':>6}")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        demo = work / "demo"
        if "demo" in names:
            measure("demo", ["demo", "--out", str(demo), "--force"], work)
        else:
            timed(["demo", "--out", str(demo)], work / "cache")
        for name in names:
            if name in ("people", "retail"):
                measure_whole(name, work)
            if name in METHODS:
                out = work / "out" / name
                out.parent.mkdir(exist_ok=True)
                measure(name, ["run", str(configured(name, demo)), "--out", str(out), "--force"], work)


if __name__ == "__main__":
    main()
