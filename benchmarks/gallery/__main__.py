"""Follow the data sets, keep what came out, and write the page: `python -m benchmarks.gallery [NAME ...]`."""

import csv
import gzip
import io
import json
import re
import resource
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common import DATA, need

from shoal.utility import LOSSES

from .page import KEPT, write_page
from .sets import SETS, Set

ROWS = 5
LONGEST = 110


def main(names: list[str]) -> None:
    """Run what has no result, or what is named, then write the page."""
    unknown = sorted({*names} - {one.name for one in SETS})
    if unknown:
        sys.exit(
            f"gallery: there is no {', '.join(unknown)}; there are {', '.join(one.name for one in SETS)}"
        )
    KEPT.mkdir(parents=True, exist_ok=True)
    for one in SETS:
        file = KEPT / f"{one.name}.json"
        if one.name in names or not (names or file.exists()):
            print(f"{one.name}: begun", file=sys.stderr, flush=True)
            found = followed(one)
            file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            print(f"{one.name}: {found['cpu']:.0f} CPU s", file=sys.stderr, flush=True)
    write_page()


def followed(one: Set) -> dict[str, Any]:
    """What comes out where somebody types the commands of a data set."""
    began = _cpu()
    with TemporaryDirectory() as name:
        room = Path(name)
        shutil.copytree(one.folder, room, dirs_exist_ok=True)
        for own, shared in one.files.items():
            need(DATA / shared)
            whole = shared.endswith(".gz") and not own.endswith(".gz")
            content = (DATA / shared).read_bytes()
            (room / own).write_bytes(gzip.decompress(content) if whole else content)
        printed = {_kind(command): _typed(command, room) for command in one.commands}
        found = {"before": _rows(room / one.data), **_of_folder(room / "release"), **_measured(printed)}
    return {**found, "cpu": _cpu() - began}


def _kind(command: str) -> str:
    return command.split()[1]


def _typed(command: str, room: Path) -> str:
    """What a command prints; commands of shoal whose facts are used print them as JSON."""
    words = shlex.split(command)
    if words[0] == "shoal":
        words = ["python", "-m", *words]
    if {"compare", "run", "verify", "attack"} & {*words}:
        words.append("--json")
    if "compare" in words:
        words += ["--jobs", "1", "--no-attackers"]
    words[0] = sys.executable
    ended = subprocess.run(words, cwd=room, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{command}: {ended.stderr}")
    return ended.stdout


def _measured(printed: dict[str, str]) -> dict[str, Any]:
    """The figures of the commands."""
    compared, verified, attacked = (json.loads(printed[kind]) for kind in ("compare", "verify", "attack"))
    points = compared["points"]
    loss = compared["loss"]
    return {
        "found": re.findall(r"^found +(.+)$", printed["risk"], re.MULTILINE),
        "loss": loss,
        "curve": {point["k"]: point[loss] for point in points},
        "losses": {
            point["k"]: {name: value for name, value in point.items() if name in LOSSES and value is not None}
            for point in points
        },
        "columns": {
            point["k"]: {name: share for name, share in point["columns"].items() if share is not None}
            for point in points
        },
        "holds": verified["holds"],
        "verdict": verified["sentence"],
        "attackers": attacked["attackers"],
        "not_played": attacked["not_played"],
        "analysis": [
            [row["what"], float(row["before"]), float(row["after"])]
            for row in csv.DictReader(io.StringIO(printed["analyse.py"]))
        ],
    }


def _of_folder(release: Path) -> dict[str, Any]:
    """What the folder of a release says."""
    manifest = json.loads((release / "manifest.json").read_text(encoding="utf-8"))
    (data,) = release.glob("data.*")
    names = ("records_in", "records_out", "suppressed", "classes", "claim", "method")
    found = {name: manifest[name] for name in names}
    groups = release / "groups.json"
    if groups.exists():
        found["groups"] = dict(list(json.loads(groups.read_text(encoding="utf-8")).items())[:3])
    return {**found, "after": _rows(data)}


def _rows(path: Path) -> list[list[str]]:
    """The names of the columns and the first rows of a file, long cells cut."""
    with path.open(encoding="utf-8") as lines:
        if path.suffix == ".csv":
            head = lines.readline()
            mark = ";" if head.count(";") > head.count(",") else ","
            found = [next(csv.reader([head], delimiter=mark)), *csv.reader(lines, delimiter=mark)]
        else:
            found = [["record" if path.suffix == ".ndjson" else "items"], *([line.strip()] for line in lines)]
    return [[_cut(cell) for cell in row] for row in found[: ROWS + 1]]


def _cut(cell: str) -> str:
    if cell.startswith("[") and cell.endswith("]") and '"' in cell:
        cell = ", ".join(json.loads(cell))
    return cell if len(cell) <= LONGEST else cell[:LONGEST].rstrip() + " …"


def _cpu() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    main(sys.argv[1:])
