"""Which tests run which lines, and whether some of them notice a mutant.

Everything happens in a room: a copy of the project that keeps its place, so that kernels are compiled only once.
Tests run in forks of this process, which has the large libraries loaded; a fork imports shoal anew, and thus a mutant.
"""

import ast
import gc
import hashlib
import importlib
import importlib.util
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
ROOM = Path(os.environ.get("SHOAL_ROOM", Path(tempfile.gettempdir()) / "shoal-mutants"))
MEASURED = ROOM / "measured.json"
FIRST = 3  # processor seconds of the tests that are tried before all others
MEMORY = 8 << 30
LIBRARIES = (
    *(
        "_hypothesis_pytestplugin",
        "hypothesis.strategies",
        "lxml.etree",
        "narwhals",
        "numba",
        "pandas",
        "polars",
    ),
    *("pyarrow", "pytest", "scipy.sparse.csgraph", "xdist.plugin"),
)

NEAR = {
    "src/shoal/publish/door.py": "tests/publish/test_door.py",
    "src/shoal/publish/writing.py": "tests/publish/test_door.py",
    "src/shoal/publish/part_writing.py": "tests/publish/large/test_parts.py",
    "src/shoal/publish/files.py": "tests/publish/test_writing.py",
    "src/shoal/publish/row_map.py": "tests/publish/test_writing.py",
    "src/shoal/publish/preset.py": "tests/publish/test_presets.py",
    "src/shoal/publish/verify.py": "tests/publish/test_verify_by_hand.py",
}
"""The tests of files that have none of the same name, or quicker ones."""


class Lines(NamedTuple):
    """The tests that run each line of the code, and how long each test takes."""

    tests: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def of(self, file: str, lines: Iterable[int]) -> list[str]:
        """The tests that run one of the lines; of none, all that run anything of the file, and all of its own."""
        known = self.tests.get(file, {})
        mirrored = file.replace("src/shoal", "tests").replace(Path(file).name, f"test_{Path(file).name}")
        own = NEAR.get(file, mirrored)
        found = {test for line in lines for test in known.get(line, ())}
        if not found:
            found = {test for tests in known.values() for test in tests}
            found |= {test for test in self.seconds if test.startswith(own)}
        return sorted(found, key=lambda test: (not test.startswith(own), self.seconds[test], test))


def prepare(below: Sequence[str]) -> None:
    """Make the room, or bring it up to date; load what no mutant can change: libraries, and modules of ours `below`."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOM / "kernels"))
    os.environ["PYTHONPATH"] = os.pathsep.join(str(ROOM / name) for name in ("src", "tests/support"))
    ROOM.mkdir(exist_ok=True)
    for name in ("src", "tests", "docs", "pyproject.toml", "README.md", "mkdocs.yml", "CHANGELOG.md"):
        if (ROOT / name).is_dir():
            shutil.rmtree(ROOM / name, ignore_errors=True)
            shutil.copytree(ROOT / name, ROOM / name)
        else:
            shutil.copy2(ROOT / name, ROOM / name)
    sys.path[:0] = [str(ROOM / "src"), str(ROOM / "tests" / "support")]
    os.chdir(ROOM)
    for name in (*LIBRARIES, *below):
        importlib.import_module(name)
    gc.freeze()


def measure(files: Sequence[str], tests: Sequence[str]) -> Lines:
    """Note which lines each test runs; files of tests that were run before on the same code are not run again."""
    kept = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    code = "".join((ROOT / file).read_text(encoding="utf-8") for file in files)
    for pattern in tests:
        for path in sorted(ROOT.glob(pattern)):
            name = str(path.relative_to(ROOT))
            place = f"{name} {hashlib.sha256(''.join(files).encode()).hexdigest()[:8]}"
            key = hashlib.sha256((code + path.read_text(encoding="utf-8")).encode()).hexdigest()
            if kept.get(place, {}).get("key") == key:
                continue
            started = time.monotonic()
            _forked(lambda name=name: _measured(name, files, ROOM / "measuring.json"), 1200)
            kept[place] = {"key": key, **json.loads((ROOM / "measuring.json").read_text())}
            MEASURED.write_text(json.dumps(kept))
            seconds, passed = time.monotonic() - started, len(kept[place]["seconds"])
            print(f"  measured {name}: {passed} tests pass ({seconds:.0f} s)", flush=True)
    return _lines(kept, {str(path.relative_to(ROOT)) for pattern in tests for path in ROOT.glob(pattern)})


def _lines(kept: Mapping[str, Any], names: set[str]) -> Lines:
    found = Lines({}, {})
    for place, measured in kept.items():
        if place.split()[0] in names:
            found.seconds.update(measured["seconds"])
            for file, lines in measured["lines"].items():
                for line, tests in lines.items():
                    passed = [test for test in tests if test in measured["seconds"]]
                    found.tests.setdefault(file, {}).setdefault(int(line), []).extend(passed)
    return found


def _measured(name: str, files: Sequence[str], result: Path) -> int:
    """Run one file of tests; write which lines each test runs, and the seconds of those that pass."""
    import coverage
    import pytest

    cover = coverage.Coverage(data_file=None, include=[str(ROOM / file) for file in files], config_file=False)
    watch = _Watch(cover)
    cover.start()
    code = pytest.main(_options(name), plugins=[watch])
    cover.stop()
    data = cover.get_data()
    lines = {
        str(Path(file).relative_to(ROOM)): {
            line: [test for test in tests if test] for line, tests in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    result.write_text(json.dumps({"seconds": watch.seconds, "lines": lines}))
    return int(code)


class _Watch:
    """Tells coverage which test runs, and notes the processor time of those that pass."""

    def __init__(self, cover: Any) -> None:
        self.cover = cover
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.cover.switch_context(nodeid)
        self.started = time.process_time()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            self.seconds[report.nodeid] = time.process_time() - self.started

    def pytest_runtest_logfinish(self) -> None:
        self.cover.switch_context("")


def noticed(file: str, before: str, after: str, lines: Lines, patience: float) -> str | None:
    """The test that runs the changed line and fails on the changed code, or does not end; None where there is none.

    The tests, fastest first, may usually take so many seconds of the processor.
    """
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    changed = next(line for line, (old, new) in enumerate(pairs, 1) if old != new)
    tests = lines.of(file, _statement(before, changed))
    place = ROOM / file
    compiled = Path(importlib.util.cache_from_source(str(place)))
    compiled.unlink(missing_ok=True)
    place.write_text(after, encoding="utf-8")
    try:
        turns = _in_turn(tests, lines.seconds, patience)
        return next((test for some in turns if (test := _failing(some, lines.seconds)) is not None), None)
    finally:
        compiled.unlink(missing_ok=True)  # a mutant of the same second and size would be taken for this one
        shutil.copy2(ROOT / file, place)


def _statement(code: str, line: int) -> range:
    """The lines of the smallest statement around a line, of a loop or a branch of its head; none outside functions.

    What stands outside runs once, when a file is imported, whichever test comes first: all tests must look at it.
    """
    around, within, least = range(0), False, len(code)
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = max(body[0].lineno - 1 if body else node.end_lineno or 0, node.lineno)
            if node.lineno <= line <= last and last - node.lineno < least:
                around, least = range(node.lineno, last + 1), last - node.lineno
            within |= isinstance(node, ast.FunctionDef) and node.body[0].lineno <= line <= (
                node.end_lineno or 0
            )
    return around if within else range(0)


def _in_turn(tests: list[str], seconds: Mapping[str, float], patience: float) -> list[list[str]]:
    """The tests to try first, and those to try then; what is slow altogether is left out.

    Tests of one file stay together, so that what they share is made once.
    """
    turns: list[list[str]] = [[], []]
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    spent = 0.0
    for test in tests:
        spent += seconds[test]
        if spent <= patience or not turns[0]:
            turns[spent > FIRST and bool(turns[0])].append(test)
    return [sorted(turn, key=lambda test: files.index(test.split("::")[0])) for turn in turns if turn]


def _failing(tests: list[str], seconds: Mapping[str, float]) -> str | None:
    """The one of the tests that fails; where they take far longer than usual or break altogether, the last begun."""
    limit = 20 + 4 * sum(seconds[test] for test in tests)
    begun = ROOM / "begun.txt"
    begun.write_text(tests[0], encoding="utf-8")
    return begun.read_text(encoding="utf-8") if _forked(lambda: _failed(tests, begun), limit) != 0 else None


def _failed(tests: list[str], begun: Path) -> int:
    import pytest

    files = sorted({test.split("::")[0] for test in tests})
    return int(pytest.main(["-x", *_options(*files)], plugins=[_Only(tests, begun)]))


class _Only:
    """Runs some tests in a given order, and writes down which one begins.

    Hypothesis shall find a failure, but need not make it small.
    """

    def __init__(self, tests: Sequence[str], begun: Path) -> None:
        self.order = {test: place for place, test in enumerate(tests)}
        self.begun = begun

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.begun.write_text(nodeid, encoding="utf-8")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        from hypothesis import Phase, settings

        items[:] = [item for item in items if item.nodeid in self.order]
        items.sort(key=lambda item: self.order[item.nodeid])
        for item in items:
            own = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
            if own is not None:
                phases = (Phase.explicit, Phase.generate)
                item.obj._hypothesis_internal_use_settings = settings(own, phases=phases)


def _options(*files: str) -> list[str]:
    """How tests are run: by few plugins, since each fork loads them anew, and without a word."""
    quiet = (
        "-q",
        "--tb=no",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    )  # hypothesis is loaded already
    alone = ("-o", "addopts=", "--import-mode=importlib", "-p", "no:doctest", "-p", "no:cacheprovider")
    return [*quiet, *alone, "-p", "_hypothesis_pytestplugin", "--hypothesis-profile=steady", *files]


def _forked(work: Callable[[], int], seconds: float) -> int:
    """What some work in a process of its own ends with; not zero where it takes more seconds of the processor."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        with open(ROOM / "said.txt", "w") as said:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            code = 1
            try:
                code = work()
            finally:  # also where a mutant raises something that nobody catches
                sys.stdout.flush()
                os._exit(code)
    end = time.monotonic() + 20 * seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 1
