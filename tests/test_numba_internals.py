"""Private names of numba may be missing: a method gives the same release."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import shoal
from shoal import _numba_internals as internals
from shoal._kernels import hash_slot

NAMES = [name for part in internals.PARTS.values() for name in part.names]
SOURCE = Path(shoal.__file__).parent
COMPILED = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
RELEASE = """
import sys
from shoal import _numba_internals as internals
has_name = internals.has_name
internals.has_name = lambda name, kernel=None: name != sys.argv[1] and has_name(name, kernel)

from shoal.algorithms import precompile
from shoal.algorithms.local.mdav import mdav  # which compiles a single kernel
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import KAnonymity

precompile._can_help = lambda: False
ages = ["21", "26", "33", "37"]
table = Table((Column.of("age", "quasi", ages),))
hierarchies = {"age": Hierarchy.from_paths("age", [[age, f"{age[0]}*", "*"] for age in ages])}
with precompile.watch_compiling("mdav", lambda: None, lambda: None):
    release = mdav(table, hierarchies, KAnonymity(2)).release
print([release.forms[0].labels[code] for code in release.codes[:, 0]])
"""


@COMPILED
@pytest.mark.parametrize("part", internals.PARTS)
def test_this_numba_has_all_names(part):
    assert internals.has_names(part, hash_slot)


@pytest.mark.parametrize(
    "name",
    [
        "numba.core.no_such_module:Listener",
        "numba.core.event:NoSuchListener",
        "numba.core.event:install_listener(kind, listener, more)",
        "kernel:no_such_cache.save_overload(sig, data)",
    ],
)
def test_a_name_that_is_missing_or_has_other_parameters_is_not_there(name):
    assert not internals.has_name(name, hash_slot)


@COMPILED
@pytest.mark.process
@pytest.mark.parametrize("hidden", ["", *NAMES])
def test_without_a_name_a_method_gives_the_same_release(hidden, tmp_path):
    place = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", RELEASE, hidden], capture_output=True, text=True, check=True, env={**os.environ, **place}
    )  # fmt: skip
    assert done.stdout == "['24', '24', '35', '35']\n"


def test_no_other_module_names_private_parts_of_numba():
    for path in SOURCE.rglob("*.py"):
        if path == Path(internals.__file__):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            asked = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            asked += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not [name for name in asked if name.startswith("numba.")], path
            assert not (isinstance(node, ast.Attribute) and node.attr in ("_cache", "_cache_file")), path
