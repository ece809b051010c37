"""Told to stop at any moment: one line, the exit code of the signal, nothing left."""

import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from shoal.base.stopping import atomic_write

pytestmark = [pytest.mark.process, pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")]

HEED = """
import sys, time
from pathlib import Path
from shoal.base.stopping import cleanup_on_stop, install_signal_handlers, signals_deferred
install_signal_handlers()
"""
READY = "print('ready', flush=True)\n"
ENDLESS_KERNEL = f"""
from shoal._kernels import njit
def kernel(n):
    x = 0
    while n:
        x += n
    return x
spin = njit(kernel)
spin(0)
{READY}
spin(1)
"""
COMPILING = f"""
import numba
{READY}
while True:
    @numba.njit
    def fresh(x):
        return [str(i) for i in range(x)]
    fresh(3)
"""
STAGED = f"""
from shoal.io.write.folders import stage_release
try:
    with stage_release(Path(sys.argv[1])) as (public, private):
        (public / "manifest.json").write_text("new")
        {READY}
        while True:
            (public / "data.csv").write_text("new")
except OSError:
    with signals_deferred:
        sys.exit("this is not said")
"""
UNPACKING = f"""
from shoal.io.read.files import _scratch
with _scratch() as plain:
    plain.write_text("a person")
    print(plain.parent, flush=True)
    {READY}
    time.sleep(60)
"""


def environment(**more):
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), **more}


def started(code, *words, **options):
    return subprocess.Popen(
        [sys.executable, "-c", HEED + code, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        **options,
    )


def ended(process, number):
    """Send a signal: how the process ended, and what it said."""
    process.send_signal(number)
    try:
        _, said = process.communicate(timeout=5)
    finally:
        process.kill()
    return process.returncode, said


SAYINGS = {
    signal.SIGINT: (130, "shoal: interrupted; nothing half-written is left\n"),
    signal.SIGTERM: (143, "shoal: told to stop; nothing half-written is left\n"),
    signal.SIGHUP: (129, "shoal: the terminal was closed; nothing half-written is left\n"),
}


@pytest.mark.parametrize("number", SAYINGS)
@pytest.mark.parametrize("code", [f"{READY}time.sleep(60)", f"{READY}while True: pass"])
def test_one_line_and_the_exit_code(code, number):
    process = started(code)
    assert process.stdout.readline() == "ready\n"
    assert ended(process, number) == SAYINGS[number]


@pytest.mark.parametrize("code", [ENDLESS_KERNEL, COMPILING], ids=["kernel", "compiling"])
def test_inside_a_kernel_and_the_compiler(code):
    process = started(code)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    assert ended(process, signal.SIGINT) == SAYINGS[signal.SIGINT]


@pytest.mark.parametrize("number", SAYINGS)
def test_while_a_release_is_written(tmp_path, number):
    process = started(STAGED, tmp_path / "out")
    assert process.stdout.readline() == "ready\n"
    assert ended(process, number) == SAYINGS[number]
    assert list(tmp_path.iterdir()) == []


def test_an_unpacked_copy_is_not_left():
    process = started(UNPACKING)
    folder = Path(process.stdout.readline().strip())
    assert process.stdout.readline() == "ready\n"
    assert folder.is_dir()
    assert ended(process, signal.SIGTERM) == SAYINGS[signal.SIGTERM]
    assert not list(folder.parent.glob(f"{folder.name}*"))


def test_what_must_happen_whole_does(tmp_path):
    code = (
        f"with signals_deferred:\n    {READY}    time.sleep(1)\n    Path(sys.argv[1]).touch()\ntime.sleep(60)"
    )
    process = started(code, tmp_path / "done")
    assert process.stdout.readline() == "ready\n"
    assert ended(process, signal.SIGINT) == SAYINGS[signal.SIGINT]
    assert (tmp_path / "done").exists()


def test_the_last_is_undone_first():
    code = (
        "with cleanup_on_stop(lambda: print('first', flush=True)), cleanup_on_stop(lambda: 1 / 0), "
        "cleanup_on_stop(lambda: print('last')):\n"
        f"    {READY}    time.sleep(60)"
    )
    process = started(code)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0].split() == ["last", "first"]


def test_an_ignored_signal_stays_ignored():
    process = started(
        f"{READY}time.sleep(1)", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 0


@pytest.mark.parametrize("fails", [False, True])
def test_a_file_in_one_piece_or_as_it_was(tmp_path, fails):
    path = tmp_path / "plot.html"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError) if fails else nullcontext(), atomic_write(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"
        assert part.suffix == ".html"
        1 / (not fails)
    assert path.read_text() == ("old" if fails else "new")
    assert list(tmp_path.iterdir()) == [path]


LEAVING = """
import atexit
from shoal.base.stopping import exit_immediately
class Slow:
    def __del__(self):
        print("taken apart")
kept = sys.modules["kept"] = Slow()
with exit_immediately():
    atexit.register(lambda: print("registered"))
    print("done")
    sys.exit({code})
"""


@pytest.mark.parametrize(("code", "number"), [("0", 0), ("None", 0), ("3", 3)])
def test_it_leaves_with_its_code_once_all_is_done(code, number):
    process = started(LEAVING.format(code=code))
    assert process.communicate(timeout=60) == ("done\nregistered\n", "")
    assert process.returncode == number


def test_words_instead_of_a_code_are_said():
    process = started(LEAVING.format(code="'why'"))
    assert process.communicate(timeout=60) == ("done\nregistered\ntaken apart\n", "why\n")
    assert process.returncode == 1
