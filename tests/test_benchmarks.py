"""Every benchmark imports, and what it asks shoal for is there."""

import ast
import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(ROOT.glob("benchmarks/**/*.py"))
SCRIPTS = (
    "benchmarks/gallery/*/*.py",
    "benchmarks/peers/workers/*.py",
)  # they work as soon as they are imported
IMPORT_ALL = """
import importlib, json, sys
failed = {}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in ("shoal", "benchmarks"):  # else an extra that is not installed
            failed[name] = repr(error)
    except BaseException as error:
        failed[name] = repr(error)
print(json.dumps(failed))
"""

pytestmark = pytest.mark.skipif(not FILES, reason="the benchmarks are not here")


def imports_of_shoal(path):
    """(module, name) of whatever a file imports from shoal, inside functions too; the name of a module is None."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("shoal."):
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names if f"{alias.name}.".startswith("shoal."))


def is_there(module, name):
    if find_spec(module) is None:
        return False
    return name is None or hasattr(import_module(module), name) or find_spec(f"{module}.{name}") is not None


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_benchmark_asks_shoal_for_is_there(path):
    assert [pair for pair in imports_of_shoal(path) if not is_there(*pair)] == []


def test_every_benchmark_imports():
    scripts = {path for pattern in SCRIPTS for path in ROOT.glob(pattern)}
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in FILES if path not in scripts]
    found = [str(ROOT), str(ROOT / "benchmarks"), str(ROOT / "tests" / "support"), *sys.path]
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, *names],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(found)},
    )
    assert json.loads(done.stdout.splitlines()[-1]) == {}
