"""Readers in a process of their own: what reads a foreign file is no Python, and a hostile file may end it."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from shoal.base.stopping import cleanup_on_stop

__all__ = ["MEMORY", "run_reader"]

MEMORY = 4 * 2**30
"""How many bytes a reader may always take."""

_SECONDS, _BYTES_A_SECOND = 600, 100_000  # what a reader may take that some file has sent in circles
_EXHAUSTED = (b"memory allocation of", b"MemoryError", b"bad_alloc", b"std::bad_alloc")


def run_reader(script: Path, arguments: Sequence[str], folder: Path, *, size: int, memory: int) -> str | None:
    """Run a script that reads a file of `size` bytes into a folder; None where it did.

    Else it is one word of what went wrong: what the script wrote to `wrong.txt`, `memory` where it took more than
    `memory` bytes, or `broken`. The memory is limited on Linux alone; elsewhere a process of its own is all there is.
    """
    errors = folder / "errors.txt"
    with (
        errors.open("wb") as stderr,
        subprocess.Popen(
            [sys.executable, "-P", str(script), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        ) as process,
        cleanup_on_stop(process.kill),
    ):
        try:
            _limit_memory(process.pid, memory)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_SECONDS + size / _BYTES_A_SECOND)
        finally:
            process.kill()
    wrong = folder / "wrong.txt"
    if wrong.is_file():
        return wrong.read_text()
    if not process.returncode:
        return None
    told = errors.read_bytes()
    return "memory" if any(word in told for word in _EXHAUSTED) else "broken"


def _limit_memory(process: int, memory: int) -> None:
    """Limit what a process may allocate; files that it maps do not count."""
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):  # it has ended, or the limit is lower already
            resource.prlimit(process, resource.RLIMIT_DATA, (memory, memory))
