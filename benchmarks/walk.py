"""The walk through the sources that one job takes: modules it enters, who calls whom, and how often it climbs.

Run `python benchmarks/walk.py` for the four jobs people read first, or name some: `run`, `verify`, `init`, `pareto`.
`--climbs` lists the calls that go up. Every function is visited once, where it is first called, as somebody does who
reads one path; generated functions and what runs while modules are imported do not count.

modules : how many modules have a function that runs
functions : how many functions run
pairs   : how many times one module calls another, each pair once
depth   : the longest chain of calls from module to module
climbs  : first calls from a room to one that stands above it in the layers of pyproject.toml
returns : how often the reader comes back to a room that was left
"""

import sys
import tempfile
import tomllib
from contextlib import chdir
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

from click.testing import CliRunner

import shoal
from shoal.cli import shoal as command

SOURCES = Path(shoal.__file__).parent
ROWS = 60
PEOPLE = "age,zip,disease\n" + "".join(
    f"{20 + 7 * i % 50},{8000 + i % 6},{'abc'[i % 3]}\n" for i in range(ROWS)
)
JOBS = {
    "init": ["init", "people.csv", "--force"],
    "run": ["run", "shoal.toml", "--out", "out", "--as-proposed"],
    "verify": ["verify", "out", "--config", "shoal.toml", "--against", "people.csv"],
    "pareto": ["pareto", "shoal.toml", "--out", "front.json"],
}


def read_layers() -> dict[str, int]:
    """The layer of each room, the topmost being 0, as the contracts draw them."""
    settings = tomllib.loads((SOURCES.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return {room.strip(): depth for depth, rooms in enumerate(layers) for room in rooms.split("|")}


@dataclass
class Walk:
    """What one job visits, as a profiler of Python tells it."""

    layers: dict[str, int]
    functions: set[tuple[str, str]] = field(default_factory=set)
    pairs: set[tuple[str, str]] = field(default_factory=set)
    climbs: list[tuple[str, str]] = field(default_factory=list)
    rooms: list[str] = field(default_factory=list)
    depth: int = 0

    def visit(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a function that is called for the first time, and from where."""
        if event != "call" or (callee := self._place(frame)) is None:
            return
        chain = [callee]
        caller = frame.f_back
        while caller is not None:
            place = self._place(caller)
            if place is not None:
                chain.append(place)
            elif "importlib" in caller.f_code.co_filename:
                return  # a module is being imported
            caller = caller.f_back
        self.depth = max(self.depth, 1 + sum(a[0] != b[0] for a, b in pairwise(chain)))
        caller_place = chain[1] if len(chain) > 1 else callee
        if caller_place[0] != callee[0]:
            self.pairs.add((caller_place[0], callee[0]))
        if callee in self.functions:
            return
        self.functions.add(callee)
        self.rooms.append(_room(callee[0]))
        if self._layer(callee[0]) < self._layer(caller_place[0]):
            self.climbs.append((".".join(caller_place), ".".join(callee)))

    @staticmethod
    def _place(frame: FrameType) -> tuple[str, str] | None:
        """The module and the function of a frame; None where it is none of ours."""
        code = frame.f_code
        path = Path(code.co_filename)
        if code.co_name.startswith("<") or not path.is_relative_to(SOURCES):
            return None
        return ".".join(path.relative_to(SOURCES).with_suffix("").parts), code.co_qualname

    def _layer(self, module: str) -> int:
        return self.layers.get(_room(module), -1)

    def row(self, name: str) -> dict[str, Any]:
        """The figures of the walk."""
        left, returns = set[str](), 0
        for before, room in pairwise(self.rooms):
            if before != room:
                left.add(before)
                returns += room in left
        return {
            "job": name,
            "modules": len({module for module, _ in self.functions}),
            "functions": len(self.functions),
            "pairs": len(self.pairs),
            "depth": self.depth,
            "climbs": len(self.climbs),
            "returns": returns,
        }


def _room(module: str) -> str:
    return module.split(".")[0]


def walk(name: str, layers: dict[str, int]) -> Walk:
    """Follow one job, which must succeed."""
    steps = Walk(layers)
    sys.setprofile(steps.visit)
    try:
        result = CliRunner().invoke(command, JOBS[name])
    finally:
        sys.setprofile(None)
    if result.exit_code:
        sys.exit(f"{name}: {result.output}")
    return steps


def main() -> None:
    """Walk the jobs that are named, or all."""
    names = [name for name in sys.argv[1:] if not name.startswith("-")] or ["run", "verify", "init", "pareto"]
    layers = read_layers()
    walks = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("people.csv").write_text(PEOPLE, encoding="utf-8")
        for job in JOBS:  # in the order in which one needs the other; the second time nothing is imported
            warm = [word.replace("out", "warm") if word == "out" else word for word in JOBS[job]]
            CliRunner().invoke(command, warm)
            walks[job] = walk(job, layers)
    rows = [walks[name].row(name) for name in names]
    print(*(f"{key:>10}" for key in rows[0]))
    for row in rows:
        print(*(f"{value:>10}" for value in row.values()))
    if "--climbs" in sys.argv:
        for name in names:
            print(
                f"\n{name}:", *(f"{caller} -> {callee}" for caller, callee in walks[name].climbs), sep="\n  "
            )


if __name__ == "__main__":
    main()
