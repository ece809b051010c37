"""Every benchmark imports, and what it asks shoal for is there."""

import ast
import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
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


def test_an_analyst_draws_what_a_cell_allows_and_combines_by_rubins_rules():
    pandas = pytest.importorskip("pandas")
    sys.path.insert(0, str(ROOT))
    try:
        analyst = import_module("benchmarks.real.analyst")
    finally:
        sys.path.remove(str(ROOT))
    ages = ["[20, 29]", "25", "< 20", "*", ">= 30", "31", "[20, 30)", "19"] * 20
    sexes = ['["f", "m"]', "f", "m", "*", "f", "m", "x", "f"] * 20
    released = pandas.DataFrame({"age": ages, "sex": sexes})
    tables = analyst.complete_tables(released, {"age": "whole"}, {}, 3, seed=1)
    assert len(tables) == 3
    allowed = {"[20, 29]": (20, 29), "[20, 30)": (20, 29), "< 20": (0, 19), ">= 30": (30, 31), "*": (0, 31)}
    allowed |= {age: (int(age), int(age)) for age in ("19", "25", "31")}
    for table in tables:
        for label, age in zip(ages, table["age"], strict=True):
            low, high = allowed[label]
            assert age in range(low, high + 1)
        assert set(table["sex"][[label == '["f", "m"]' for label in sexes]]) <= {"f", "m"}
        assert all(drawn == label for label, drawn in zip(sexes, table["sex"], strict=True) if label in "fmx")
    values, errors = analyst.combine_estimates(
        [np.array([1.0]), np.array([3.0])], [np.array([2.0]), np.array([2.0])]
    )
    assert values == [2.0]
    assert errors == pytest.approx([np.sqrt(4 + 1.5 * 2)])
