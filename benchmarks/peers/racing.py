"""One run of one racer: its own environment, its own process, CPU seconds and memory limited and measured.

ARX and sdcMicro do not install from PyPI. `ARX` in the environment is a Java class path with ARX and its libraries,
`SDCMICRO` a folder that R takes as a library and that has sdcMicro. Without one of them its rows say `not here`.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

__all__ = ["NOT_HERE", "RACERS", "Racer", "environment", "read", "run"]

WORKERS = Path(__file__).with_name("workers")
MEMORY = 6 * 2**30
NOT_HERE = {"ended": "not here"}


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
    "ARX": Racer("ARX", "Arx.java", "optimum", "one level per column, 5% may be left out"),
    "ARX local": Racer("ARX", "Arx.java", "local", "records by levels of their own (local recoding)"),
    "anjana": Racer("anjana", "anjana_worker.py", "", "one level per column, 5% may be left out"),
    "crowds": Racer("crowds", "crowds_worker.py", "", "one level per column (OLA), 5% may be left out"),
    "anonypy": Racer("anonypy", "anonypy_worker.py", "", "each class by itself (Mondrian)"),
}


def environment(racer: Racer, cache: Path) -> tuple[list[str], str] | None:
    """How the worker of a racer is started, its environment made where there is none, and its version; or not here."""
    worker = str(WORKERS / racer.worker)
    if racer.package == "ARX":
        return _java(worker, cache / "arx")
    if racer.package == "sdcMicro":
        return _r(worker)
    if not racer.package:
        return [sys.executable, worker], ""
    home = cache / racer.package
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, racer.package, *_BESIDE.get(racer.package, ())], check=True)
    asked = f"import importlib.metadata as m; print(m.version({racer.package!r}))"
    return [str(python), worker], _said([str(python), "-c", asked])


def _java(worker: str, home: Path) -> tuple[list[str], str] | None:
    """ARX: our worker is compiled against it once."""
    path = os.environ.get("ARX")
    if not (path and shutil.which("javac")):
        return None
    subprocess.run(["javac", "-cp", path, "-d", str(home), worker], check=True)
    start = ["java", "-Xmx4g", "-cp", os.pathsep.join((str(home), path)), "Arx"]
    return start, _said(start)


def _r(worker: str) -> tuple[list[str], str] | None:
    """sdcMicro: R finds it in the folder that is named."""
    folder = os.environ.get("SDCMICRO")
    if not (folder and shutil.which("Rscript")):
        return None
    os.environ["R_LIBS"] = folder
    return ["Rscript", worker], _said(["Rscript", "-e", "cat(as.character(packageVersion('sdcMicro')))"])


def _said(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


_BESIDE = {"crowds": ("pandas",), "anonypy": ("pandas",)}  # what they import and do not ask for


def run(command: list[str], job: Mapping[str, Any], folder: Path, seconds: int) -> dict[str, Any]:
    """Start a racer's process; what it said, or why there is no release."""
    file = folder / "job.json"
    file.write_text(json.dumps(job), encoding="utf-8")
    Path(job["out"]).unlink(missing_ok=True)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))

    asked = _arguments(job) if command[0] == "java" else [str(file)]
    done = subprocess.run([*command, *asked], capture_output=True, text=True, preexec_fn=limit)
    if done.returncode in (-24, -9, 152, 137):
        return {"ended": f"not done in {seconds} CPU s"}
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no word"]
        return {"ended": f"failed: {said[-1][:80]}"}
    return json.loads(done.stdout.strip().splitlines()[-1])


def _arguments(job: Mapping[str, Any]) -> list[str]:
    """A job as `Arx.java` takes it: Java reads no json by itself."""
    trees = [f"{name}={job['hierarchies'][name]}" for name in job["quasi"]]
    given = [str(job.get(name, 0)) for name in ("k", "suppress", "fraction")]
    return [job["maker"], job["small"], job["data"], job["out"], *given, *trees]


def read(job: Mapping[str, Any]) -> pl.DataFrame:
    """What a racer wrote, as text."""
    return pl.read_csv(job["out"], separator=";", infer_schema=False)
