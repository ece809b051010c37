"""One run of one racer: its own environment, its own process, CPU seconds and memory limited and measured."""

import json
import resource
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

__all__ = ["RACERS", "WORKERS", "Racer", "environment", "read", "run"]

WORKERS = Path(__file__).with_name("workers")
MEMORY = 6 * 2**30


@dataclass(frozen=True)
class Racer:
    """A racer: the package that is installed ('' is what is checked out), its worker, and what it does."""

    package: str
    worker: str
    maker: str
    about: str


RACERS = {
    "shoal optimal": Racer("", "shoal_worker.py", "optimal", "one level per column, 5% may be left out"),
    "shoal mstk": Racer("", "shoal_worker.py", "mstk", "each class by itself"),
    "shoal mstk span": Racer("", "shoal_worker.py", "mstk span", "each class by itself, as ranges and sets"),
    "shoal boxes": Racer("", "shoal_worker.py", "boxes", "each class by itself"),
    "shoal mondrian": Racer("", "shoal_worker.py", "mondrian", "each class by itself"),
    "anjana": Racer("anjana", "anjana_worker.py", "", "one level per column, 5% may be left out"),
    "crowds": Racer("crowds", "crowds_worker.py", "", "one level per column (OLA), 5% may be left out"),
    "anonypy": Racer("anonypy", "anonypy_worker.py", "", "each class by itself (Mondrian)"),
}


def environment(racer: Racer, cache: Path) -> tuple[Path, str]:
    """The interpreter of a racer, made where there is none yet, and the version that it has."""
    if not racer.package:
        return Path(sys.executable), ""
    home = cache / racer.package
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, racer.package, *_BESIDE.get(racer.package, ())], check=True)
    asked = f"import importlib.metadata as m; print(m.version({racer.package!r}))"
    told = subprocess.run([str(python), "-c", asked], check=True, capture_output=True, text=True)
    return python, told.stdout.strip()


_BESIDE = {"crowds": ("pandas",), "anonypy": ("pandas",)}  # what they import and do not ask for


def run(command: list[str], job: Mapping[str, Any], folder: Path, seconds: int) -> dict[str, Any]:
    """Start a racer's process; what it said, or why there is no release."""
    file = folder / "job.json"
    file.write_text(json.dumps(job), encoding="utf-8")
    Path(job["out"]).unlink(missing_ok=True)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))

    done = subprocess.run([*command, str(file)], capture_output=True, text=True, preexec_fn=limit)
    if done.returncode in (-24, -9):
        return {"ended": f"not done in {seconds} CPU s"}
    if done.returncode or not Path(job["out"]).exists():
        said = done.stderr.strip().splitlines() or ["no word"]
        return {"ended": f"failed: {said[-1][:80]}"}
    return json.loads(done.stdout.strip().splitlines()[-1])


def read(job: Mapping[str, Any]) -> pl.DataFrame:
    """What a racer wrote, as text, without rows of nothing but stars where that is how it leaves people out."""
    found = pl.read_csv(job["out"], separator=";", infer_schema=False)
    if not str(job["maker"]).endswith(".jar"):
        return found
    return found.filter(~pl.all_horizontal(pl.col(name) == "*" for name in found.columns))
