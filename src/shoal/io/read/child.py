"""Readers in processes of their own: what reads a foreign file is no Python, and a hostile file may end it.

A reader runs one script, which takes a job from each line of its input: a list of arguments as json. It says `done`
after each, and ends with its input. One that a file has ended, sent in circles or made large is not asked again.
"""

import atexit
import json
import os
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from shoal.base.stopping import cleanup_on_stop

__all__ = ["MEMORY", "run_reader"]

MEMORY = 4 * 2**30
"""How many bytes a reader may always take."""

_SECONDS, _BYTES_A_SECOND = 600, 100_000  # what a reader may take that some file has sent in circles
_SMALL = 2**24  # bytes of a file after which a reader is kept: a larger one leaves memory behind
_EXHAUSTED = (b"memory allocation of", b"MemoryError", b"bad_alloc", b"std::bad_alloc")


class _Reader:
    """A process that waits for jobs of one script."""

    def __init__(self, script: Path) -> None:
        self.errors = TemporaryFile()  # it lives as long as the process
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            bufsize=0,
        )

    def run(self, arguments: Sequence[str], seconds: float, memory: int) -> bool:
        """Run one job; whether the script came to its end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        _limit_memory(self.process.pid, memory)
        timer = threading.Timer(seconds, self.process.kill)
        timer.daemon = True
        timer.start()
        try:
            with cleanup_on_stop(self.process.kill), suppress(BrokenPipeError):
                self.process.stdin.write(json.dumps(list(arguments)).encode() + b"\n")
                return any(line.strip() == b"done" for line in self.process.stdout)
        finally:
            timer.cancel()
        return False

    def end(self) -> bytes:
        """End the process; what it said of errors."""
        self.process.kill()
        with self.errors:
            with self.process:  # its pipes are closed, and it is waited for
                pass
            self.errors.seek(0)
            return self.errors.read()


_waiting: defaultdict[tuple[int, Path], list[_Reader]] = defaultdict(list)
"""The readers that wait for a job, by the process that started them, for a fork must not share them, and the script."""


def run_reader(script: Path, arguments: Sequence[str], folder: Path, *, size: int, memory: int) -> str | None:
    """Run a script that reads a file of `size` bytes into a folder; None where it did.

    Else it is one word of what went wrong: what the script wrote to `wrong.txt`, `memory` where it took more than
    `memory` bytes, or `broken`. The memory is limited on Linux alone; elsewhere a process of its own is all there is.
    Paths among the arguments are absolute: a reader stays in the folder in which it was started.
    """
    waiting = _waiting[os.getpid(), script]
    reader = _take_reader(waiting) or _Reader(script)
    wrong, finished, errors = folder / "wrong.txt", False, b""
    try:
        finished = reader.run(arguments, _SECONDS + size / _BYTES_A_SECOND, memory)
    finally:
        if finished and size <= _SMALL and not wrong.is_file():
            waiting.append(reader)
        else:
            errors = reader.end()
    if wrong.is_file():
        return wrong.read_text()
    if finished:
        return None
    return "memory" if any(word in errors for word in _EXHAUSTED) else "broken"


def _take_reader(waiting: list[_Reader]) -> _Reader | None:
    """A reader that waits and lives; None where there is none."""
    while True:
        try:
            reader = waiting.pop()  # one step: no other thread can take the same one
        except IndexError:
            return None
        if reader.process.poll() is None:
            return reader
        reader.end()


@atexit.register
def _end_readers() -> None:
    for (process, _), waiting in _waiting.items():
        while process == os.getpid() and waiting:
            waiting.pop().end()


def _limit_memory(process: int, memory: int) -> None:
    """Limit what a process may allocate; files that it maps do not count."""
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):  # it has ended, or the limit is lower already
            _, hard = resource.prlimit(process, resource.RLIMIT_DATA)
            resource.prlimit(process, resource.RLIMIT_DATA, (memory, hard))
