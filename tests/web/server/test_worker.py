"""Kernels are compiled beside the server, quietly, and the process that does so never outlives it."""

import os
import subprocess
import sys
import time

import pytest

from shoal.algorithms import METHODS, precompile
from shoal.web.server import worker as warmed
from web_cases import WHERE


@pytest.fixture
def asked(monkeypatch):
    """The methods whose kernels are asked for, in order."""
    names = []
    monkeypatch.setattr(precompile, "compile_listed", lambda *methods, share, of: names.extend(methods))
    monkeypatch.setattr(precompile, "keeps", lambda: True)
    return names


def test_what_is_used_most_is_compiled_first_and_then_all(asked):
    warmed.warm()
    assert asked[0] == "pareto"
    assert asked[: len(warmed.FIRST)] == list(warmed.FIRST)
    assert sorted(asked) == sorted(METHODS)


def test_nothing_is_compiled_that_nobody_would_find(asked, monkeypatch):
    monkeypatch.setattr(precompile, "keeps", lambda: False)
    warmed.warm()
    assert asked == []


@pytest.mark.skipif(not hasattr(os, "nice"), reason="the system has no such priorities")
def test_every_other_process_comes_first(tmp_path):
    code = "import os; from shoal.web.server.worker import _step_back; _step_back(); print(os.nice(0))"
    got = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=WHERE,
        start_new_session=True,
    )
    assert got.stdout == "19\n"


SERVER = """
import os, sys, time
from pathlib import Path
from shoal.web.server.worker import warming
with warming(Path(sys.argv[1])) as process:
    print(process.pid, flush=True)
    if sys.argv[2] == "killed":
        os.kill(os.getpid(), 9)
    time.sleep(float(sys.argv[2]))
"""


def lives(pid):
    """Whether a process runs; one that has ended, and that nobody has asked for, does not."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.process
@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="processes are looked up in /proc")
@pytest.mark.parametrize("how", ["killed", "0.01", "1"])
def test_it_ends_with_the_server_and_says_nothing(tmp_path, how):
    """In its beginning, and in the midst of compiling too."""
    place = {**WHERE, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    code = [sys.executable, "-c", SERVER, tmp_path, how]
    got = subprocess.run(code, capture_output=True, text=True, timeout=60, env=place)
    pid, *more = got.stdout.splitlines()
    assert (more, got.stderr) == ([], "")
    deadline = time.monotonic() + 10
    while lives(pid):
        assert time.monotonic() < deadline, "the process has outlived its server"
        time.sleep(0.05)
    assert not [path for path in tmp_path.rglob("*") if ".tmp." in path.name]
