import json
import os
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import numba
import numpy as np
import pytest

from shoal._kernels import njit
from shoal.algorithms import METHODS, precompile

NEEDED = json.loads(Path(precompile.__file__).with_suffix(".json").read_text(encoding="utf-8"))
COMPILED = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def test_every_method_has_its_list():
    assert set(NEEDED["methods"]) == set(METHODS)
    assert {name for names in NEEDED["methods"].values() for name in names} == set(NEEDED["kernels"])


@COMPILED
@pytest.mark.parametrize("name", NEEDED["kernels"])
def test_the_list_names_kernels_and_types_that_are_there(name):
    module, _, function = name.rpartition(".")
    kernel = getattr(import_module(f"shoal.{module}"), function)
    arguments = kernel.py_func.__code__.co_argcount
    for signature in NEEDED["kernels"][name]:
        assert len(signature) == arguments
        for said in signature:
            for class_, parts in said.items() if isinstance(said, dict) else ():
                assert class_ == "tuple" or len(parts) == len(kernel.py_func.__globals__[class_]._fields)
        types = [precompile._parse_type(said, kernel.py_func.__globals__) for said in signature]
        assert [precompile.spell_type(type) for type in types] == signature


def test_a_read_only_array_stays_one():
    values = np.zeros((2, 3), dtype=np.int32)
    values.flags.writeable = False
    assert precompile.spell_type(numba.typeof(values)) == ["int32", 2, "C", True]
    assert precompile._parse_type(["int32", 2, "C", True], {}) == numba.typeof(values)


@COMPILED
def test_compiling_is_told_once_and_only_where_something_compiles(monkeypatch):
    monkeypatch.setattr(precompile, "_can_help", lambda: False)
    told = []
    inside = numba.njit(lambda x: x + 1)
    fresh = numba.njit(lambda x: inside(x) + 1)
    for _ in range(2):
        with precompile.watch_compiling("mstk", lambda: told.append("begun"), lambda: told.append("done")):
            assert fresh(1) == 3
    assert told == ["begun", "done"]


def quiet():
    """Tell nobody."""


@COMPILED
def test_one_helper_at_a_time_and_none_left(monkeypatch):
    started = []

    class Helper(precompile._Helper):
        def __init__(self, method):
            super().__init__("nothing")
            started.append(self)

    monkeypatch.setattr(precompile, "_can_help", lambda: True)
    monkeypatch.setattr(precompile, "_Helper", Helper)
    with precompile.watch_compiling("mstk", quiet, quiet), precompile.watch_compiling("mstk", quiet, quiet):
        numba.njit(lambda x: x + 1)(1)
    assert [helper.process.returncode for helper in started] == [0]


@COMPILED
def test_a_run_waits_for_what_the_helper_is_at():
    helper = precompile._Helper("nothing")
    told = []
    watch = precompile._Watch("nothing", lambda: told.append("begun"), lambda: told.append("done"))
    watch.helper = helper

    @njit
    def kernel(x):
        return x

    helper.at = precompile._kernel_name(kernel)  # until it ends, which it does at once: it has nothing to do
    watch.wait(kernel)
    watch.stop()
    assert helper.at == ""
    assert told in (["begun", "done"], [])


@pytest.mark.parametrize(("place", "kept"), [({}, True), ({"NUMBA_DISABLE_JIT": "1"}, False)])
def test_it_is_known_whether_anything_is_kept(tmp_path, place, kept):
    code = "from shoal.algorithms.precompile import keeps; print(keeps())"
    found = {**os.environ, "NUMBA_DISABLE_JIT": "0", "NUMBA_CACHE_DIR": str(tmp_path), **place}
    found["PYTHONPATH"] = os.pathsep.join(sys.path)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=found)
    assert said.stdout == f"{kept}\n"


@pytest.mark.process
def test_a_helper_ends_with_its_input(tmp_path):
    code = "from shoal.algorithms.precompile import compile_all; compile_all('mstk')"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    time.sleep(2)
    process.stdin.close()
    assert process.wait(60) == 0
    assert not [path for path in tmp_path.rglob("*") if ".tmp." in path.name]


def test_no_kernel_is_compiled_twice_for_arrays_that_differ_in_who_may_write_them():
    def types(said):
        return said[:3] if isinstance(said, list) else said

    for name, signatures in NEEDED["kernels"].items():
        told = [json.dumps([types(said) for said in signature]) for signature in signatures]
        assert len(set(told)) == len(told), name
