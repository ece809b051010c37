"""Faults: a run is killed, starved or disturbed, and what is left is looked at.

Run `python benchmarks/faults.py FAULT ...`, faults as listed at the end, with `--times N` each so often; without words,
all of them, `kill` 200 times. Results are added to `benchmarks/results/faults.json`.

After each fault these must hold, else it is counted as broken and kept by its name:

* there is no release, or a whole one that `shoal verify` says yes to, its private folder beside it;
* the input files are as they were, to the byte;
* nothing unjudged can be read by others: what is left of a killed run is hidden and closed to everybody else;
* the program ended by itself with a sentence and no traceback (unless it was killed);
* the next run into the same place succeeds and leaves nothing of the dead one.
"""

import argparse
import contextlib
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

RESULTS = Path(__file__).with_name("results") / "faults.json"
RECORDS = 4_000
SHOAL = [sys.executable, "-m", "shoal"]
CONFIG = """
[data]
path = "people.csv"
[columns]
name = "identifier"
age = {{ role = "quasi", hierarchy = {{ ranges = [10, 20, 40] }} }}
zip = {{ role = "quasi", hierarchy = {{ mask = "right" }} }}
ill = "sensitive"
[guarantee]
k = 5
[method]
name = "{method}"
[release]
format = "{format}"
"""
PARTS = "[engine]\npart = 500\n"
MAKERS = (("optimal", "csv"), ("mstk", "parquet"), ("mondrian", "ndjson"))


def prepared(folder: Path, chance: random.Random, *, parts: bool = False) -> Path:
    """A folder with people and a configuration; with `parts` a table is worked on in parts, whatever its size."""
    with (folder / "people.csv").open("w") as file:
        file.write("name,age,zip,ill\n")
        for at in range(RECORDS):
            ill = chance.choice(["flu", "gout", "cold", "none"])
            file.write(f"p{at},{chance.randint(18, 90)},{chance.randint(10000, 10999)},{ill}\n")
    method, format = chance.choice(MAKERS[1:] if parts else MAKERS)
    (folder / "shoal.toml").write_text(CONFIG.format(method=method, format=format) + (PARTS if parts else ""))
    return folder


def started(
    folder: Path, *more: str, limit: Callable[[], None] | None = None, **env: str
) -> subprocess.Popen[str]:
    """A run into `release`, in a process group of its own; it heeds Ctrl-C, also where this program must not."""

    def begin() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if limit is not None:
            limit()

    return subprocess.Popen(
        [*SHOAL, "run", "shoal.toml", *more],
        cwd=folder,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=begin,
        start_new_session=True,
    )


def inputs(folder: Path) -> dict[str, str]:
    """What the input files hold."""
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("people.csv", "shoal.toml")
    }


def faults_of(folder: Path, before: dict[str, str]) -> Iterator[str]:
    """What is wrong with what a disturbed run left."""
    release, private = folder / "release", folder / "release.private"
    if inputs(folder) != before:
        yield "an input was changed"
    if release.exists():
        said = subprocess.run([*SHOAL, "verify", "release"], cwd=folder, capture_output=True, check=False)
        if said.returncode:
            yield "a release stands that does not verify"
        if not (private / "recoding.json").is_file():
            yield "a release stands without its private folder"
    for left in folder.glob(".release.shoal-*"):
        if stat.S_IMODE(left.stat().st_mode) & 0o077:
            yield "what is left can be read by others"


def ended(process: subprocess.Popen[str], allowed: tuple[int, ...], patience: int = 120) -> Iterator[str]:
    """What is wrong with how a run ended by itself."""
    _, said = process.communicate(timeout=patience)
    if process.returncode not in allowed:
        yield f"exit code {process.returncode}"
    if "Traceback" in said:
        yield "a traceback"
    elif process.returncode and not said.strip():
        yield "no sentence"


def again(folder: Path) -> Iterator[str]:
    """What is wrong with the next run into the same place."""
    done = subprocess.run(
        [*SHOAL, "run", "shoal.toml", "--force"], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        yield f"the next run ended with {done.returncode}"
    if list(folder.glob(".release.shoal-*")):
        yield "the next run left what the dead one left"


# --- the faults ---------------------------------------------------------------------------------------------


@cache
def usual() -> float:
    """Seconds that a run takes here."""
    with tempfile.TemporaryDirectory() as room:
        folder = prepared(Path(room), random.Random(0))
        started(folder, "--force").communicate()  # kernels are compiled
        begun = time.monotonic()
        started(folder, "--force").communicate()
        return time.monotonic() - begun


def kill(folder: Path, chance: random.Random) -> Iterator[str]:
    """Kill -9 at a random moment."""
    yield from _signalled(folder, chance, signal.SIGKILL, ())


def term(folder: Path, chance: random.Random) -> Iterator[str]:
    """SIGTERM at a random moment."""
    yield from _signalled(folder, chance, signal.SIGTERM, (0, 143))


def interrupt(folder: Path, chance: random.Random) -> Iterator[str]:
    """Ctrl-C at a random moment."""
    yield from _signalled(folder, chance, signal.SIGINT, (0, 130))


def _signalled(folder: Path, chance: random.Random, which: int, allowed: tuple[int, ...]) -> Iterator[str]:
    process = started(folder)
    time.sleep(chance.random() * usual())
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(which)
    if allowed:
        early = not (folder / "release").exists()
        for wrong in ended(process, allowed):
            if not (
                early and wrong in (f"exit code {-which}", "no sentence")
            ):  # Python itself was still starting
                yield wrong
    else:
        process.communicate(timeout=120)


def full(folder: Path, chance: random.Random) -> Iterator[str]:
    """No file may grow beyond some size, as on a full disk or under a quota."""
    size = chance.randint(1, 200) * 1024

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    yield from ended(started(folder, limit=limit), (0, 2, 70))


def readonly(folder: Path, chance: random.Random) -> Iterator[str]:
    """The place of the release takes no files."""
    if os.geteuid() == 0:
        place = folder / "closed"
        place.mkdir()
        if subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "ro", "none", str(place)], capture_output=True, check=False
        ).returncode:
            raise UnplayedError("a folder that is read-only for everybody needs mount")
        try:
            yield from ended(started(folder, "--out", "closed/release"), (2,))
        finally:
            subprocess.run(["umount", str(place)], check=True)
        return
    folder.chmod(0o500)
    try:
        yield from ended(started(folder), (2,))
    finally:
        folder.chmod(0o700)


def memory(folder: Path, chance: random.Random) -> Iterator[str]:
    """The address space ends somewhere (`ulimit -v`)."""
    most = chance.randint(600, 4_000) * 2**20

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    process = started(folder, limit=limit, OPENBLAS_NUM_THREADS="1", POLARS_MAX_THREADS="1")
    try:  # a library that finds no memory may end the process on the spot; what counts is what is left
        process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        yield "it did not end"


def two(folder: Path, chance: random.Random) -> Iterator[str]:
    """Two runs into one place at the same time."""
    first = started(folder)
    time.sleep(chance.random())
    second = started(folder)
    codes = []
    for process in (first, second):
        yield from ended(process, (0, 2))
        codes.append(process.returncode)
    if sorted(codes) != [0, 2]:
        yield f"the two ended with {sorted(codes)}"


def database(folder: Path, chance: random.Random) -> Iterator[str]:
    """The database goes away while it is read."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
    import postgres  # the tests' own server

    try:
        server = postgres.running()
        url = server.__enter__()
    except BaseException as error:  # what pytest raises to skip is none of Exception
        raise UnplayedError("PostgreSQL is not installed") from error
    try:
        from sqlalchemy import create_engine, text

        engine = create_engine(url)
        with engine.begin() as link:
            link.execute(text("create table people (name text, age int, zip text, ill text)"))
            link.execute(
                text(
                    "insert into people select 'p'||i, 18 + i % 70, (10000 + i % 900)::text, 'flu' "
                    "from generate_series(1, 200000) i"
                )
            )
        config = (
            (folder / "shoal.toml")
            .read_text()
            .replace('path = "people.csv"', f'url = "{url}"\ntable = "people"')
        )
        (folder / "shoal.toml").write_text(config)
        before = inputs(folder)
        process = started(folder)
        time.sleep(0.5 + chance.random() * 2)
        with engine.begin() as link:
            link.execute(
                text("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()")
            )
        yield from ended(process, (0, 2, 3))
        yield from faults_of(folder, before)
    finally:
        server.__exit__(None, None, None)


def clock(folder: Path, chance: random.Random) -> Iterator[str]:
    """The clock jumps, back and forth, whenever it is asked."""
    patch = folder / "jumps"
    patch.mkdir()
    (patch / "sitecustomize.py").write_text(
        "import random, time\nreal = time.time\ntime.time = lambda: real() + random.uniform(-1e8, 1e8)\n"
    )
    path = os.pathsep.join(filter(None, [str(patch), os.environ.get("PYTHONPATH", "")]))
    yield from ended(started(folder, PYTHONPATH=path), (0,))


# --- tasks over parts, that run twice and late, and those of Spark --------------------------------------------

_LATE = """
import random, sys, threading, time
from shoal.parts import folder

draws, late = random.Random(int(sys.argv.pop())), []


def again(task, part):
    time.sleep(draws.random() * 2)
    try:
        task(part)
    except OSError:
        pass  # its folder is gone


def mapped(task, parts):
    for part in draws.sample(list(parts), len(parts)):
        answer = task(part)
        if draws.random() < 0.3:
            answer = task(part)
        if draws.random() < 0.3:
            late.append(threading.Thread(target=again, args=(task, part)))
            late[-1].start()
        yield answer


folder.in_threads = lambda number: mapped
rooms = []
make = folder.PrivateFolder.__init__
folder.PrivateFolder.__init__ = lambda self, *given: (make(self, *given), rooms.append(self.path))[0]

from shoal.jobs.configured import run_config
from pathlib import Path

run_config(Path("shoal.toml"), Path("release"))
import gc
gc.collect()
for thread in late:
    thread.join()
assert rooms and late, "no task was late"
left = [path for room in rooms for path in room.parent.glob(room.name + "*")]
print(len(late), "late;", "left:", *left)
"""


def late(folder: Path, chance: random.Random) -> Iterator[str]:
    """Tasks over parts run in any order, some of them twice, and some again seconds later."""
    done = subprocess.run(
        [sys.executable, "-c", _LATE, str(chance.getrandbits(32))],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        yield f"the run ended with {done.returncode}: {done.stderr.strip()[-200:]}"
    elif not done.stdout.strip().endswith("left:"):
        yield f"a late task left something: {done.stdout.strip()[-200:]}"


def ancestry() -> dict[int, int]:
    """Of every process, which one started it."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            pid, _, rest = path.read_text().partition(" ")
            parents[int(pid)] = int(rest.rpartition(")")[2].split()[1])
    return parents


def descendants(of: int) -> set[int]:
    """All processes that one started, and those that they did."""
    parents, found, seen = ancestry(), {of}, 0
    while len(found) > seen:
        seen = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return found - {of}


def python_workers(of: int) -> list[int]:
    """The processes of Python in which tasks of Spark run."""
    workers = []
    for pid in descendants(of):
        with contextlib.suppress(OSError):
            told, parent = Path(f"/proc/{pid}/cmdline").read_bytes(), ancestry().get(pid, 0)
            if (
                b"pyspark.daemon" in told
                and b"pyspark.daemon" in Path(f"/proc/{parent}/cmdline").read_bytes()
            ):
                workers.append(pid)
    return workers


@cache
def on_spark() -> float:
    """Seconds from the first task to the end of a run on Spark."""
    if shutil.which("java") is None:
        raise UnplayedError("there is no Java")
    with tempfile.TemporaryDirectory() as room:
        folder = prepared(Path(room), random.Random(0), parts=True)
        process = started(folder, "--engine", "spark")
        begun = _first_task(process)
        process.communicate(timeout=_PATIENCE)
        return time.monotonic() - begun


_PATIENCE = 600  # seconds


def _first_task(process: subprocess.Popen[str]) -> float:
    while process.poll() is None and not python_workers(process.pid):
        time.sleep(0.1)
    return time.monotonic()


def worker(folder: Path, chance: random.Random) -> Iterator[str]:
    """Kill -9 a worker of Spark at a random moment after the first task began."""
    process, wait = started(folder, "--engine", "spark"), chance.random()
    _first_task(process)
    time.sleep(wait * on_spark())
    for pid in python_workers(process.pid)[:1]:
        os.kill(pid, signal.SIGKILL)
    yield from ended(process, (0,), _PATIENCE)
    if not (folder / "release").exists():
        yield "a lost worker cost the release"
    yield from _left_of(folder)


def driver(folder: Path, chance: random.Random) -> Iterator[str]:
    """Kill -9 a run on Spark, not its cluster, at a random moment after the first task began."""
    process, wait = started(folder, "--engine", "spark"), chance.random()
    _first_task(process)
    time.sleep(wait * on_spark())
    below = descendants(process.pid)
    process.kill()
    process.communicate(timeout=_PATIENCE)
    deadline = time.monotonic() + 60
    while (alive := below & ancestry().keys()) and time.monotonic() < deadline:
        time.sleep(0.2)
    if alive:
        yield "the cluster outlives its driver"


def told(folder: Path, chance: random.Random) -> Iterator[str]:
    """SIGTERM to a run on Spark at a random moment after the first task began."""
    process, wait = started(folder, "--engine", "spark"), chance.random()
    _first_task(process)
    time.sleep(wait * on_spark())
    process.send_signal(signal.SIGTERM)
    yield from ended(process, (0, 143), _PATIENCE)
    yield from _left_of(folder)


def _left_of(folder: Path) -> Iterator[str]:
    if list(folder.glob(".release.shoal-*")):
        yield "something hidden is left"


IN_PARTS = ("late", "worker", "driver", "told")


class UnplayedError(Exception):
    """Something that a fault needs is not on this machine."""


FAULTS: dict[str, tuple[Callable[[Path, random.Random], Iterator[str]], int]] = {
    "kill": (kill, 200),
    "term": (term, 40),
    "interrupt": (interrupt, 40),
    "full": (full, 40),
    "readonly": (readonly, 2),
    "memory": (memory, 20),
    "two": (two, 10),
    "database": (database, 5),
    "clock": (clock, 5),
    "late": (late, 20),
    "worker": (worker, 5),
    "driver": (driver, 5),
    "told": (told, 3),
}
"""For each fault how it is played, and how often."""


def played(name: str, seed: int) -> tuple[list[str], Counter[str]]:
    """What was wrong after one fault, and what was left."""
    chance = random.Random(seed)
    room = Path(tempfile.mkdtemp(prefix="shoal-faults-"))
    try:
        folder = prepared(room, chance, parts=name in IN_PARTS)
        before = inputs(folder)
        wrong = list(FAULTS[name][0](folder, chance))
        if name != "database":
            wrong += faults_of(folder, before)
        left = Counter(
            released=int((folder / "release").exists()), hidden=len(list(folder.glob(".release.shoal-*")))
        )
        if name != "database":
            wrong += again(folder)
        return wrong, left
    finally:
        shutil.rmtree(room, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("faults", nargs="*", choices=[*FAULTS, []], default=[])
    parser.add_argument("--times", type=int)
    asked = parser.parse_args()
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in asked.faults or FAULTS:
        many = asked.times or FAULTS[name][1]
        found, left, wrong = 0, Counter[str](), list[str]()
        for _ in range(many):
            seed = random.SystemRandom().getrandbits(32)
            try:
                broken, rest = played(name, seed)
            except UnplayedError as why:
                print(f"  {name}: not played: {why}")
                break
            found, left = found + 1, left + rest
            wrong += [f"seed {seed}: {what}" for what in broken]
        print(
            f"  {name:<10} {found:>4} times, {left['released']} released, {left['hidden']} hidden left, "
            f"{len(wrong)} broken",
            *wrong,
            sep="\n      ",
            flush=True,
        )
        before = kept.get(name, {"times": 0, "released": 0, "hidden": 0, "broken": []})
        kept[name] = before | {
            "what": FAULTS[name][0].__doc__,
            "times": before["times"] + found,
            "released": before["released"] + left["released"],
            "hidden": before["hidden"] + left["hidden"],
            "broken": before["broken"] + wrong,
        }
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    main()
