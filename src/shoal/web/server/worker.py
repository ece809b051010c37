"""One job in a process of its own: `python -m shoal.web.server.worker FOLDER`.

It is told what to do by the spec in FOLDER, tells on standard output, one JSON object a line, what it is at, and
leaves what it found in FOLDER. Its standard input ends with the server, however that ends, and then it ends too.

Without a folder it warms kernels, at low priority. The first run of a method compiles its kernels, for 10 to 17
seconds, and numba keeps what it compiled. So when a server starts, a process beside it compiles them all, first what a
table's front and the default methods need. A job never waits for it: it compiles what is not there yet by itself. Two
that compile the same kernel write the same file, each as a whole.
"""

import json
import os
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from shoal.stopping import end, end_with_input, heed

__all__ = ["FIRST", "warm", "warming", "work"]

_CRASH = 70


def work(folder: Path) -> int:
    """Do the job of a folder and return the exit code of its command."""
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever prints must not disturb the lines

    def say(**facts: Any) -> None:
        lines.write(f"{json.dumps(facts)}\n")

    def progress(what: str, share: float | None = None) -> None:
        say(what=what, share=None if share is None else float(share))

    progress("starting")
    from shoal.errors import ShoalWarning, message_and_exit_code

    def show(message: Warning | str, category: type[Warning], *_place: Any, **_more: Any) -> None:
        if issubclass(category, ShoalWarning):
            say(note=str(message))

    warnings.simplefilter("always", ShoalWarning)
    warnings.showwarning = show
    try:
        code = _done(folder, progress)
    except BaseException as error:  # a panic of polars is no Exception
        sentence, code = message_and_exit_code(error)
        if code == _CRASH and os.environ.get("SHOAL_DEBUG"):
            traceback.print_exc()
        say(sentence=sentence)
    say(exit=code)
    return code


def _done(folder: Path, progress: Any) -> int:
    """Do the job, pack what it wrote, and leave its facts: they are there only where all went well."""
    from shoal.stopping import in_one_piece
    from shoal.web.server.artifacts import pack
    from shoal.web.server.handlers import HANDLERS
    from shoal.web.server.job_spec import RESULT, WORK, JobSpec, Task

    spec = JobSpec.read(folder)
    done = HANDLERS[spec.kind](Task(spec, folder / WORK, progress, folder if spec.shown else None))
    progress("packing")
    pack(spec.kind, folder / WORK, folder)
    with in_one_piece(folder / RESULT) as part:
        part.write_text(json.dumps(done.facts, ensure_ascii=False), encoding="utf-8")
    return done.exit


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
    from shoal.web.server.jobs import environment  # a job's process has no use for it

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
    if sys.argv[1:]:
        end(work(Path(sys.argv[1])))  # without taking everything down first, which nobody needs any more
    else:
        _step_back()
        warm()
