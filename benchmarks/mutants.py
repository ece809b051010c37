"""Mutants: small changes of the code that guards people, each of which some test must notice.

Run `python benchmarks/mutants.py [privacy] [door] [--number 300] [--seconds S]`; it needs `pip install cosmic-ray`. So
many mutants are drawn from each package and tried one after the other: first by the test file of the same name, then by
all that look at the package. A mutant that no test notices is kept with its change. Results are added
to `benchmarks/results/mutants.json`; mutants that were tried are not tried again while the code is the same.
"""

import argparse
import difflib
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "mutants.json"
LONGEST = 300  # seconds for one run of tests; a mutant that takes longer hangs
DULL = ("core/RemoveDecorator", "core/VariableInserter", "core/VariableReplacer", "core/NoOp")
"""Operators that need arguments, change nothing, or break the import of a dataclass, which tells nothing of tests."""


class Package(NamedTuple):
    """Files of which mutants are drawn, and the tests that look at them beside the one of the same name."""

    files: tuple[str, ...]
    tests: tuple[str, ...]


PACKAGES = {
    "privacy": Package(("src/shoal/privacy/*.py",), ("tests/privacy", "tests/laws/test_judges.py", "tests/papers")),
    "door": Package(
        (
            "src/shoal/publish/door.py",
            "src/shoal/publish/draft.py",
            "src/shoal/publish/guards.py",
            "src/shoal/publish/writing.py",
            "src/shoal/publish/manifests.py",
            "src/shoal/publish/verify.py",
        ),
        ("tests/publish/test_door.py", "tests/publish/test_guards.py", "tests/publish/test_verify.py",
         "tests/publish/test_guarantees.py", "tests/publish/test_judge.py", "tests/publish/test_verify_mutated.py",
         "tests/cli/test_commands.py"),
    ),
}  # fmt: skip


class Mutant(NamedTuple):
    """One change of one file."""

    file: str
    operator: str
    occurrence: int
    code: str
    change: str

    @property
    def key(self) -> str:
        """What tells it from others."""
        return hashlib.sha256(f"{self.file}\n{self.change}".encode()).hexdigest()[:16]


def mutants(package: Package) -> Iterator[Mutant]:
    """All mutants of a package, in random order of files and places; the same change is given once."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    places = [
        (path, name)
        for pattern in package.files
        for path in sorted(ROOT.glob(pattern))
        for name in operator_names()
        if not name.startswith(DULL)
    ]
    random.shuffle(places)
    left = [(path, name, occurrence) for occurrence in range(400) for path, name in places]
    random.shuffle(left)
    ended: dict[tuple[Path, str], int] = {}
    for path, name, occurrence in left:
        if occurrence >= ended.get((path, name), 400):
            continue
        before = path.read_text(encoding="utf-8")
        try:
            after = mutate_code(before, get_operator(name)(), occurrence)
        except TypeError:  # an operator that wants arguments
            after = None
        if after is None or after == before:
            ended[path, name] = min(occurrence, ended.get((path, name), 400))
            continue
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
        change = "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))
        if _unseen(change):
            continue
        yield Mutant(str(path.relative_to(ROOT)), name, occurrence, after, change)


def _unseen(change: str) -> bool:
    """Whether only annotations or __all__ change, which no test can see."""
    return all("->" in line or "__all__" in line for line in change.splitlines())


def survived(room: Path, mutant: Mutant, package: Package) -> str | None:
    """How a mutant got away: None where a test noticed it."""
    place = room / mutant.file
    before = place.read_text(encoding="utf-8")
    place.write_text(mutant.code, encoding="utf-8")
    own = ROOT / mutant.file.replace("src/shoal", "tests").replace(place.name, f"test_{place.name}")
    try:
        for tests in ([str(own.relative_to(ROOT))] if own.exists() else [], list(package.tests)):
            if not tests:
                continue
            said = _tested(room, tests)
            if said != 0:
                return None
        return "no test noticed it"
    except subprocess.TimeoutExpired:
        return None  # a program that never ends is noticed
    finally:
        place.write_text(before, encoding="utf-8")


def _tested(room: Path, tests: list[str]) -> int:
    """The exit code of some tests, the first failure of which ends them."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    command += ["--hypothesis-profile=steady", *tests]
    paths = os.pathsep.join(str(room / name) for name in ("src", "tests"))
    done = subprocess.run(
        command,
        cwd=room,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )
    return done.returncode


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=", ".join(PACKAGES))
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    asked = parser.parse_args()
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with tempfile.TemporaryDirectory() as place:
        room = Path(place)
        for name in ("src", "tests", "docs", "pyproject.toml", "README.md", "mkdocs.yml"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, room / name)
        end = time.monotonic() + asked.seconds
        for name in asked.packages or PACKAGES:
            package, found = PACKAGES[name], kept.setdefault(name, {"killed": [], "survived": {}})
            for mutant in mutants(package):
                tried = len(found["killed"]) + len(found["survived"])
                if tried >= asked.number or time.monotonic() > end:
                    break
                if mutant.key in found["killed"] or mutant.key in found["survived"]:
                    continue
                if survived(room, mutant, package) is None:
                    found["killed"].append(mutant.key)
                else:
                    found["survived"][mutant.key] = f"{mutant.file}\n{mutant.change}"
                    print(f"  survived: {mutant.file} ({mutant.operator})\n{mutant.change}", flush=True)
                RESULTS.parent.mkdir(exist_ok=True)
                RESULTS.write_text(json.dumps(kept, indent=2) + "\n")
            killed, lived = len(found["killed"]), len(found["survived"])
            print(f"  {name}: {killed} of {killed + lived} killed", flush=True)


if __name__ == "__main__":
    main()
