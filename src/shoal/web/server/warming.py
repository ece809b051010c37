"""Warm kernels: a process of low priority compiles what jobs will need, before somebody waits for it.

The first run of a method compiles its kernels, for 10 to 17 seconds, and numba keeps what it compiled. So when a server
starts, a process beside it compiles them all, first what a table's front and the default methods need. Where they are
kept already they are only looked at. A job never waits for this process: it compiles what is not there yet by itself,
and takes what is there by then. Two that compile the same kernel write the same file, each as a whole.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.stopping import end_with_input, heed
from shoal.web.server.jobs import environment

__all__ = ["FIRST", "warm", "warming"]

FIRST = ("pareto", "boxes", "mstk", "mondrian", "pcta", "apriori", "bound", "gcs", "nonreciprocal")
"""The methods that are used most, the most used first; all others come after them."""

_LOW = 19  # added to the priority: every other process comes first
_PATIENCE = 2.0  # seconds that it has to end


@contextmanager
def warming(folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Compile in a process of its own while the block runs.

    The process ends with the block, or with this process, however that ends: its standard input ends then.

    Parameters
    ----------
    folder
        A private folder, for its temporary files.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment(folder),
        start_new_session=True,
    )
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()  # it ends by itself then, with no half-written file in the cache
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def warm(share: int = 0, of: int = 1) -> None:
    """Compile what every method needs, or find that it is there; with `of` processes, each its own share."""
    from shoal.algorithms import METHODS  # heavy, and the server imports this module
    from shoal.algorithms.precompile import compile_listed, keeps

    if keeps():
        compile_listed(*dict.fromkeys([*FIRST, *METHODS]), share=share, of=of)


def _step_back() -> None:
    """Let every other process come first."""
    with suppress(OSError, AttributeError):  # Windows has no such call
        os.nice(_LOW)
    with suppress(OSError):  # Linux may weigh sessions against each other, and this one is alone in its own
        Path("/proc/self/autogroup").write_text(str(_LOW))


if __name__ == "__main__":
    heed()
    end_with_input()
    _step_back()
    warm()
