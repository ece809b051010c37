"""One job in a process of its own: `python -m shoal.web.server.worker FOLDER`.

It is told what to do by the spec in FOLDER, tells on standard output, one JSON object a line, what it is at, and
leaves what it found in FOLDER. Each kind of job calls the function that its command calls, and gives the facts that
`--json` prints; where paths lead is looked at before anything heavy is imported, so that a hostile spec ends at once.
Its standard input ends with the server, however that ends, and then it ends too.

Without a folder it warms kernels, at low priority. The first run of a method compiles its kernels, for 10 to 17
seconds, and numba keeps what it compiled. So when a server starts, a process beside it compiles them all, first what a
table's front and the default methods need. A job never waits for it: it compiles what is not there yet by itself. Two
that compile the same kernel write the same file, each as a whole.
"""

import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.base.errors import ShoalError, ShoalWarning, message_and_exit_code
from shoal.base.stopping import end_process, end_with_input, install_signal_handlers
from shoal.jobs.options import group_stated
from shoal.web.server.job_folder import (
    COMPARED,
    FRONT,
    PREVIEW,
    RESULT,
    RISK,
    SAMPLE,
    TOML,
    WORK,
    JobSpec,
    Task,
    audit_listener,
    pack,
    show_figures,
    show_front,
    write_facts,
)

__all__ = ["FIRST", "_HANDLERS", "warm", "work"]

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

    def show(message: Warning | str, category: type[Warning], *_place: Any, **_more: Any) -> None:
        if issubclass(category, ShoalWarning):
            say(note=str(message))

    warnings.simplefilter("always", ShoalWarning)
    warnings.showwarning = show
    try:
        code = _do_job(folder, progress)
    except BaseException as error:  # a panic of polars is no Exception
        sentence, code = message_and_exit_code(error)
        if code == _CRASH and os.environ.get("SHOAL_DEBUG"):
            traceback.print_exc()
        say(sentence=sentence)
    say(exit=code)
    return code


def _do_job(folder: Path, progress: Any) -> int:
    """Do the job, pack what it wrote, and leave its facts: they are there only where all went well."""
    spec = JobSpec.read(folder)
    outcome = _HANDLERS[spec.kind](Task(spec, folder / WORK, progress, folder if spec.shown else None))
    progress("packing")
    pack(spec.kind, folder / WORK, folder)
    write_facts(folder / RESULT, outcome.facts)
    return outcome.exit


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """The facts that a job found, and the exit code of its command."""

    facts: Mapping[str, Any]
    exit: int = 0


def _propose(task: Task) -> JobOutcome:
    options = task.options()
    data = options.pop("data")
    from shoal.proposal.look import sample_records
    from shoal.proposal.proposal import check_free
    from shoal.proposal.propose import propose

    check_free(task.folder, force=False)
    with suppress(ShoalError):  # whoever reads all of the data tells what is wrong
        task.leave(SAMPLE, lambda: sample_records(data, settings=options.get("settings")).as_dict())
    proposal = propose(data, progress=task.progress, **options)
    proposal.save(task.folder)
    return JobOutcome(proposal.as_dict())


def _risk(task: Task) -> JobOutcome:
    options = task.options()
    page = options.pop("page", False)
    data = options.pop("data", None) or task.config()
    from shoal.jobs.risk import risk

    result = risk(data, progress=task.progress, **options)
    if page:
        task.progress("drawing")
        (task.folder / RISK).mkdir()
        result.save(task.folder / RISK / "risk.html")
    facts = result.as_dict()
    show_figures(task, "risk", facts)
    return JobOutcome(facts)


def _run(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    from shoal.jobs.configured import run_config

    release = run_config(
        config, task.out, progress=task.progress, audited=audit_listener(task), **group_stated(options)
    )
    task.leave(PREVIEW, lambda: release.preview().as_dict())
    return JobOutcome(json.loads((task.out / "manifest.json").read_text(encoding="utf-8")))


def _preview(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    pick, seconds = options.pop("pick", None), options.pop("seconds", None)
    from shoal.jobs.configured import front_config, preview_config

    if pick is None:
        preview = preview_config(config, progress=task.progress, **group_stated(options))
    else:
        front, _ = front_config(config, seconds=seconds, progress=task.progress)
        pick_options = {"seed": options.get("seed"), "allow_empty": options.get("allow_empty", False)}
        preview = front.pick(pick, **pick_options).preview()
    return JobOutcome(preview.as_dict())


def _pareto(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    pick, seed, page, allow_empty = (
        options.pop(name, None) for name in ("pick", "seed", "page", "allow_empty")
    )
    from shoal.io.write.folders import check_place

    if pick is not None:
        check_place(task.out, False)
    from shoal.jobs.configured import front_config

    front, save_options = front_config(config, picked=pick is not None, progress=task.progress, **options)
    if pick is not None:
        task.progress("judging")
        release = front.pick(pick, seed=seed, allow_empty=bool(allow_empty))
        release.save(task.out, **save_options, audited=audit_listener(task), progress=task.progress)
        task.leave(PREVIEW, lambda: release.preview().as_dict())
    else:
        show_front(task, front)
    if page:
        task.progress("drawing")
        (task.folder / FRONT).mkdir()
        front.plot(pick).write_html(task.folder / FRONT / "front.html")
    return JobOutcome(front.as_dict())


def _verify(task: Task) -> JobOutcome:
    options = task.options()
    has_config = task.spec.configuration is not None or (task.folder / TOML).exists()
    from shoal.io.config import load

    config = load(task.config()) if has_config else None
    from shoal.publish.verify import verify

    claim, verdict = verify(task.out, config=config, **options)
    return JobOutcome({"claim": claim, **verdict.as_dict()}, verdict.exit_code)


def _attack(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    against, chance = (options.pop(name, None) for name in ("against", "fail_above"))
    from shoal.jobs.attack import attack

    result = attack(task.out, against, config=config, progress=task.progress, **options)
    return JobOutcome(result.as_dict(), result.exit_code(chance))


def _compare(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    from shoal.comparison.comparison import compare_config

    facts = compare_config(config, task.folder / COMPARED, progress=task.progress, **options).as_dict()
    show_figures(task, "compare", facts)
    return JobOutcome(facts)


def _prices(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    from shoal.jobs.column_prices import price_columns

    return JobOutcome(price_columns(config, progress=task.progress, **options).as_dict())


def _count(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    from shoal.jobs.risk_counts import count

    return JobOutcome(count(config, progress=task.progress, **options).as_dict(values=True))


_HANDLERS: Mapping[str, Callable[[Task], JobOutcome]] = {
    "propose": _propose,
    "risk": _risk,
    "run": _run,
    "preview": _preview,
    "pareto": _pareto,
    "verify": _verify,
    "attack": _attack,
    "compare": _compare,
    "prices": _prices,
    "count": _count,
}
"""Every kind of job by its name; `propose` is the command `init`, `count` is `hierarchy count --show-values`."""


FIRST = ("pareto", "boxes", "mstk", "mondrian", "pcta", "apriori", "bound", "gcs", "nonreciprocal")
"""The methods that are used most, the most used first; all others come after them."""

_LOW = 19  # added to the priority: every other process comes first


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
    install_signal_handlers()
    end_with_input()
    if sys.argv[1:]:
        end_process(
            work(Path(sys.argv[1]))
        )  # without taking everything down first, which nobody needs any more
    else:
        _step_back()
        warm()
