import subprocess
import sys

import numba
import pytest

from shoal.kernels.jit import njit


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
