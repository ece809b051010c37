import ast
import os
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import _kernels
from shoal._kernels import (
    bincount,
    copy_into,
    cumulate,
    hash_slot,
    index_of_smallest,
    njit,
    popcount,
    resize,
    resize_rows,
    sort,
    stable_argsort,
    sum_values,
)

SOURCE = Path(shoal.__file__).parent
KERNELS = [*SOURCE.glob("**/_kernels.py"), *SOURCE.glob("**/_kernels/*.py")]


def test_without_a_cache_folder_kernels_still_compile(monkeypatch):
    real = numba.njit

    def locked(*args, cache=False, **kwargs):
        if cache:
            raise RuntimeError("no locator available")
        return real(*args, **kwargs)

    monkeypatch.setattr(numba, "njit", locked)
    assert njit(lambda x: x + 1)(2) == 3


def inner_kernels():
    """(module, name) of every kernel that only kernels may call."""
    for path in KERNELS:
        module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(mark, ast.Name) and mark.id == _kernels.njit_inner.__name__
                for mark in node.decorator_list
            ):
                yield module, node.name


SHARED = """
import numpy as np
from shoal._kernels import njit, njit_inner

@njit_inner
def _drawn(n):
    if n < 0:
        raise ValueError("fewer than none", n)
    return np.arange(n).astype(np.float64)

@njit
def first(n):
    return _drawn(n).sum()

@njit
def second(n):
    return _drawn(n)[-1] if n else 0.0
"""
ASKED = """
import sys
import shared
kernel = getattr(shared, sys.argv[1])
assert kernel(4) == float(sys.argv[2])
try:
    kernel(-1)
except ValueError as error:
    print(error.args, shared._drawn.stats.cache_hits, sum(kernel.stats.cache_hits.values()))
"""


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="compiling is switched off")
def test_what_kernels_share_is_found_in_the_cache_and_still_fails_in_its_own_words(tmp_path):
    (tmp_path / "shared.py").write_text(SHARED, encoding="utf-8")
    told = []
    for name, result in (("first", "6"), ("second", "3"), ("first", "6")):
        done = subprocess.run(
            [sys.executable, "-c", ASKED, name, result], cwd=tmp_path, capture_output=True, text=True, check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(["", *sys.path])},
        )  # fmt: skip
        told.append(done.stdout)
    assert all(line.startswith("('fewer than none', -1)") for line in told), told
    assert [line.strip()[-1] for line in told] == ["0", "0", "1"]
    assert "1})" in told[1]  # the second kernel found what the first one compiled


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="compiling is switched off")
def test_a_cache_of_a_version_whose_modules_had_other_names_is_passed_over(tmp_path):
    (tmp_path / "shared.py").write_text(SHARED, encoding="utf-8")
    command = [sys.executable, "-c", ASKED, "first", "6"]
    place = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(["", *sys.path])}
    subprocess.run(command, cwd=tmp_path, check=True, env=place, stdout=subprocess.DEVNULL)
    indices = [*tmp_path.rglob("shared.*.nbi")]
    assert len(indices) == 2
    for index in indices:
        index.write_bytes(pickle.dumps(numba.__version__, protocol=-1) + b"cno_such_module\nName\n.")
    done = subprocess.run(command, cwd=tmp_path, check=True, env=place, capture_output=True, text=True)
    assert done.stdout.startswith("('fewer than none', -1) Counter()")


def test_only_kernels_call_inner_kernels():
    hidden = set(inner_kernels())
    assert hidden
    for path in SOURCE.rglob("*.py"):
        if path in KERNELS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not hidden & {(node.module, name.name) for name in node.names}, path


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_every_inner_kernel_is_called_by_a_kernel():
    used = set()
    for path in KERNELS:
        module = import_module(".".join(path.relative_to(SOURCE.parent).with_suffix("").parts))
        for kernel in vars(module).values():
            if hasattr(kernel, "py_func"):
                called = (vars(module).get(name) for name in kernel.py_func.__code__.co_names)
                used |= {(k.py_func.__module__, k.py_func.__name__) for k in called if hasattr(k, "py_func")}
    assert set(inner_kernels()) <= used


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@given(values=st.lists(st.integers(-9, 9), max_size=40))
@settings(max_examples=60)
def test_sorting_sorts(values, dtype):
    found = np.array(values, dtype=dtype)
    sort(found)
    assert found.tolist() == sorted(values)


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@given(values=st.lists(st.integers(-9, 9), max_size=40))
@settings(max_examples=60)
def test_ranking_keeps_equals_in_order(values, dtype):
    assert stable_argsort(np.array(values, dtype=dtype)).tolist() == sorted(
        range(len(values)), key=values.__getitem__
    )


@njit
def _counts(values, count):
    return bincount(values, count)


def test_counting_counts_what_is_absent_too():
    assert _counts(np.array([3, 1, 3]), 5).tolist() == [0, 1, 0, 2, 0]
    assert _counts(np.array([0])[:0], 2).tolist() == [0, 0]


@njit
def _summed(values):
    found = sum_values(values), index_of_smallest(values)
    cumulate(values)
    return found


def test_sums_and_the_first_of_the_smallest():
    values = np.array([3, 1, 4, 1])
    assert _summed(values) == (9, 1)
    assert values.tolist() == [3, 4, 8, 9]


@njit
def _wider(values, rows):
    copy_into(values, 1, values[2:].copy())
    return resize(values, 6), resize_rows(rows, 4)


def test_growing_keeps_what_was_there():
    wide, tall = _wider(np.array([5, 6, 7, 8]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert wide[:4].tolist() == [5, 7, 8, 8]
    assert len(wide) == 6
    assert tall[:2].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert tall.shape == (4, 2)


@given(st.integers(0, 2**63 - 1), st.integers(4, 30))
def test_a_slot_lies_in_the_table_and_no_product_overflows(key, bits):
    last = 2**bits - 1
    mixed = (key & 0xFFFFFFFF) * 0x4F1BBCDD ^ (key >> 32) * 0x6C8E9CF5
    assert mixed < 2**63
    assert hash_slot(key, last) == (mixed ^ mixed >> 29) & last


@pytest.mark.parametrize("step", [1, 1 << 10, 1 << 20, 1 << 28, 1 << 31, 1 << 32, 1 << 40])
def test_keys_in_a_row_and_keys_that_differ_in_high_bits_spread(step):
    assert len({hash_slot(key * step, 4095) for key in range(1024)}) > 768
    assert len({hash_slot(key * step, 15) for key in range(8)}) > 4


@pytest.mark.parametrize("word", [0, 1, 2**64 - 1, 0x8000000000000001, 0x123456789ABCDEF])
def test_the_bits_of_a_word_are_counted(word):
    assert popcount(np.uint64(word)) == word.bit_count()


@given(st.integers(0, 2**63 - 1))
def test_the_bits_of_a_whole_number_are_counted(number):
    assert popcount(number) == number.bit_count()
