"""One job in a process of its own: `python -m shoal.web.server.worker FOLDER`.

It is told what to do by the spec in FOLDER, tells on standard output, one JSON object a line, what it is at, and
leaves what it found in FOLDER. Its standard input ends with the server, however that ends, and then it ends too.
"""

import json
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

from shoal.stopping import end, end_with_input, heed

__all__ = ["work"]

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
    from shoal.errors import ShoalWarning, told

    def show(message: Warning | str, category: type[Warning], *_place: Any, **_more: Any) -> None:
        if issubclass(category, ShoalWarning):
            say(note=str(message))

    warnings.simplefilter("always", ShoalWarning)
    warnings.showwarning = show
    try:
        code = _done(folder, progress)
    except BaseException as error:  # a panic of polars is no Exception
        sentence, code = told(error)
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


if __name__ == "__main__":
    heed()
    end_with_input()
    end(work(Path(sys.argv[1])))  # without taking everything down first, which nobody needs any more
