"""What tables larger than memory cost: from a file to two judged folders, in seconds and in memory.

Run `python benchmarks/bench_large.py [FOLDER] [1m] [3m] [10m] [30m] [100m] [spark]`; without a size, 1m and 10m.
People are drawn from Adult, eight quasi-identifiers and a sensitive column; one cell in ten comes from another record,
so that there are more different tuples. FOLDER keeps what was generated for the next time. Each run is a process of
its own with warm kernels: its CPU time, wall time and largest memory are those that the operating system counts.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

import growth_page
from common import DATA, need, show

QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
SIZES = {"1m": 1_000_000, "3m": 3_000_000, "10m": 10_000_000, "30m": 30_000_000, "100m": 100_000_000}
TARGETS = {"1m": "8 CPU s, 600 MB", "10m": "80 CPU s, 2 GB", "100m": "600 s, 6 GB"}
CHUNK = 1_000_000


def people(rows: int, seed: int) -> pl.DataFrame:
    """So many people like those of Adult."""
    frame = pl.read_csv(DATA / "adult" / "adult.csv", separator=";", infer_schema=False)
    frame = frame.select(*QUASI, "salary-class")
    own = frame.sample(rows, with_replacement=True, seed=seed)
    swap = pl.int_range(rows, eager=True).hash(seed) % 10
    for j, name in enumerate(QUASI):
        other = frame[name].sample(rows, with_replacement=True, seed=seed + j + 1)
        own = own.with_columns(pl.when((swap + j) % 10 == 0).then(other).otherwise(pl.col(name)).alias(name))
    return own


def generated(folder: Path, size: str) -> Path:
    """The file of a size; a million are csv, more are parquet."""
    path = folder / f"{size}.{'csv' if size == '1m' else 'parquet'}"
    if path.exists():
        return path
    if size == "1m":
        people(SIZES[size], 0).write_csv(path)
        return path
    chunks = []
    for number in range(SIZES[size] // CHUNK):
        chunks.append(folder / f"chunk-{number}.parquet")
        people(CHUNK, 100 * number).write_parquet(chunks[-1])
    pl.scan_parquet(chunks).sink_parquet(path)
    for chunk in chunks:
        chunk.unlink()
    return path


def configured(folder: Path, data: Path) -> Path:
    """A configuration that asks `optimal` for k = 5."""
    poka = DATA / "adult" / "poka"
    known = {name: poka / f"{name}.csv" for name in QUASI}
    known["occupation"] = DATA / "adult" / "adult_hierarchy_occupation.csv"
    lines = [f'"{name}" = {{ role = "quasi", hierarchy = "{path}" }}' for name, path in known.items()]
    config = folder / f"{data.stem}.toml"
    config.write_text(
        f'[data]\npath = "{data}"\n[columns]\n' + "\n".join(lines) + '\nsalary-class = "sensitive"\n'
        '[guarantee]\nk = 5\n[method]\nname = "optimal"\nsuppress = 0.01\n'
        f'[release]\nformat = "{"csv" if data.suffix == ".csv" else "parquet"}"\n'
    )
    return config


def run(config: Path, out: Path, *options: str) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and the largest memory in MB of `shoal run`, of its children too."""
    command = [sys.executable, "-m", "shoal", "run", str(config), "--out", str(out), "--force", *options]
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"shoal run ended with {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Run the sizes that are asked for."""
    need(DATA / "adult" / "adult.csv")
    asked = sys.argv[1:]
    kept = [Path(word) for word in asked if Path(word).is_dir()]
    folder = kept[0] if kept else Path(tempfile.mkdtemp(prefix="shoal-large-"))
    options = ("--engine", "spark") if "spark" in asked else ()
    sizes = [size for size in SIZES if size in asked] or ["1m", "10m"]
    rows = []
    for size in sizes:
        config = configured(folder, generated(folder, size))
        wall, seconds, memory = run(config, folder / "out", *options)
        told = f"{wall:.0f} s, {seconds:.1f} CPU s, {memory:.0f} MB"
        rows.append(
            (
                f"{size} rows x 8, to two judged folders{', spark' if options else ''}",
                told,
                TARGETS.get(size, ""),
            )
        )
        print(*rows[-1], sep="  ", flush=True)
        if not options and size != "1m":  # csv is another reader
            growth_page.keep_large(
                "tables, optimal", "from a file to two judged folders", SIZES[size], seconds, memory / 1024
            )
        for place in (folder / "out", folder / "out.private"):
            shutil.rmtree(place, ignore_errors=True)
    show("Tables larger than memory", rows)
    if not kept:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
