"""The kinds of jobs: each calls the function that its command calls, and gives the facts that `--json` prints.

Where paths lead is looked at before anything heavy is imported, so that a hostile spec ends at once.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.io.config import load
from shoal.io.write.folders import check_place
from shoal.publish.options import group_stated
from shoal.web.server.artifacts import (
    COMPARED,
    FRONT,
    RISK,
    audit_listener,
    show_figures,
    show_front,
    show_release,
    show_sample,
)
from shoal.web.server.job_spec import TOML, Task

__all__ = ["HANDLERS", "JobOutcome"]


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """The facts that a job found, and the exit code of its command."""

    facts: Mapping[str, Any]
    exit: int = 0


def _propose(task: Task) -> JobOutcome:
    options = task.options()
    data = options.pop("data")
    from shoal.publish.study.propose.proposal import check_free
    from shoal.publish.study.propose.propose import propose

    check_free(task.folder, force=False)
    show_sample(task, data, options.get("settings"))
    proposal = propose(data, progress=task.progress, **options)
    proposal.save(task.folder)
    return JobOutcome(proposal.as_dict())


def _risk(task: Task) -> JobOutcome:
    options = task.options()
    page = options.pop("page", False)
    data = options.pop("data", None) or task.config()
    from shoal.publish.study.risk import risk

    found = risk(data, progress=task.progress, **options)
    if page:
        task.progress("drawing")
        (task.folder / RISK).mkdir()
        found.save(task.folder / RISK / "risk.html")
    facts = found.as_dict()
    show_figures(task, "risk", facts)
    return JobOutcome(facts)


def _run(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    from shoal.publish.jobs import run_config

    release = run_config(
        config, task.out, progress=task.progress, audited=audit_listener(task), **group_stated(options)
    )
    show_release(task, release)
    return JobOutcome(json.loads((task.out / "manifest.json").read_text(encoding="utf-8")))


def _preview(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    pick, seconds = options.pop("pick", None), options.pop("seconds", None)
    from shoal.publish.jobs import front_config, preview_config

    if pick is None:
        found = preview_config(config, progress=task.progress, **group_stated(options))
    else:
        front, _ = front_config(config, seconds=seconds, progress=task.progress)
        found = front.pick(pick, seed=options.get("seed")).preview()
    return JobOutcome(found.as_dict())


def _pareto(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    pick, seed, page = (options.pop(name, None) for name in ("pick", "seed", "page"))
    if pick is not None:
        check_place(task.out, False)
    from shoal.publish.jobs import front_config

    front, how = front_config(config, progress=task.progress, **options)
    if pick is not None:
        task.progress("judging")
        release = front.pick(pick, seed=seed)
        release.save(task.out, **how, audited=audit_listener(task), progress=task.progress)
        show_release(task, release)
    else:
        show_front(task, front)
    if page:
        task.progress("drawing")
        (task.folder / FRONT).mkdir()
        front.plot(pick).write_html(task.folder / FRONT / "front.html")
    return JobOutcome(front.as_dict())


def _verify(task: Task) -> JobOutcome:
    options = task.options()
    described = task.spec.configuration is not None or (task.folder / TOML).exists()
    config = load(task.config()) if described else None
    from shoal.publish.verify import verify

    claim, verdict = verify(task.out, config=config, **options)
    return JobOutcome({"claim": claim, **verdict.as_dict()}, 0 if verdict else 1 if verdict.judged else 5)


def _attack(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    against, chance = (options.pop(name, None) for name in ("against", "fail_above"))
    from shoal.publish.study.attack import attack

    found = attack(task.out, against, config=config, progress=task.progress, **options)
    return JobOutcome(found.as_dict(), found.exit_code(chance))


def _compare(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    from shoal.publish.study.compare.comparing import compare_config

    facts = compare_config(config, task.folder / COMPARED, progress=task.progress, **options).as_dict()
    show_figures(task, "compare", facts)
    return JobOutcome(facts)


def _count(task: Task) -> JobOutcome:
    config, options = task.config(), task.options()
    from shoal.publish.study.counts import count

    return JobOutcome(count(config, progress=task.progress, **options).as_dict(values=True))


HANDLERS: Mapping[str, Callable[[Task], JobOutcome]] = {
    "propose": _propose,
    "risk": _risk,
    "run": _run,
    "preview": _preview,
    "pareto": _pareto,
    "verify": _verify,
    "attack": _attack,
    "compare": _compare,
    "count": _count,
}
"""Every kind of job by its name; `propose` is the command `init`, `count` is `hierarchy count --show-values`."""
