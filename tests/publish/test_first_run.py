import numba
import pytest

from shoal.kernels import ahead
from shoal.publish.first_run import first_run


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_first_run_says_that_it_compiles_and_then_what_it_does(monkeypatch):
    monkeypatch.setattr(ahead, "_can_help", lambda: False)
    heard = []
    with first_run("demo", lambda what, share=None: heard.append((what, share))) as tell:
        tell("merging", 0.5)
        assert numba.njit(lambda x: x + 1)(1) == 2
        tell("writing")
    assert heard == [("merging", 0.5), ("compiling, once", None), ("merging", 0.5), ("writing", None)]
