import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numba
import pytest

import shoal
from shoal.kernels import jit
from shoal.kernels.jit import njit

SOURCE = Path(shoal.__file__).parent


def test_without_a_cache_folder_kernels_still_compile(monkeypatch):
    real = numba.njit

    def locked(*args, cache=False, **kwargs):
        if cache:
            raise RuntimeError("no locator available")
        return real(*args, **kwargs)

    monkeypatch.setattr(numba, "njit", locked)
    assert njit(lambda x: x + 1)(2) == 3


@pytest.mark.parametrize("module", ["shoal.algorithms", "shoal.hierarchy.lattice"])
def test_numba_is_imported_only_by_makers(module):
    code = f"import sys, {module}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def inner_kernels():
    """(module, name) of every kernel that only kernels may call."""
    for path in SOURCE.glob("kernels/**/*.py"):
        module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(mark, ast.Name) and mark.id == jit.inner.__name__ for mark in node.decorator_list
            ):
                yield module, node.name


def test_only_kernels_call_inner_kernels():
    hidden = set(inner_kernels())
    assert hidden
    for path in SOURCE.rglob("*.py"):
        if SOURCE / "kernels" in path.parents:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not hidden & {(node.module, name.name) for name in node.names}, path


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_every_inner_kernel_is_called_by_a_kernel():
    used = set()
    for path in SOURCE.glob("kernels/**/*.py"):
        module = import_module(".".join(path.relative_to(SOURCE.parent).with_suffix("").parts))
        for kernel in vars(module).values():
            if hasattr(kernel, "py_func"):
                called = (vars(module).get(name) for name in kernel.py_func.__code__.co_names)
                used |= {(k.py_func.__module__, k.py_func.__name__) for k in called if hasattr(k, "py_func")}
    assert set(inner_kernels()) <= used
