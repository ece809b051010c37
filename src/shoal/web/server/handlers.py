"""The kinds of jobs: each calls the function that its command calls, and gives the facts that `--json` prints.

Where paths lead is looked at before anything heavy is imported, so that a hostile order ends at once.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.io.config import load
from shoal.io.settings import toml_words
from shoal.io.write.folders import check_place
from shoal.progress import Progress
from shoal.stopping import in_one_piece
from shoal.web.server.artifacts import (
    audit_listener,
    show_comparison,
    show_front,
    show_release,
    show_risk,
    show_sample,
)
from shoal.web.server.job_spec import Bounds, JobSpec

__all__ = ["HANDLERS", "Outcome", "Task"]

TOML, RELEASE, RISK, COMPARED, FRONT = (
    "shoal.toml",
    "release",
    "risk.private",
    "compare.private",
    "front.private",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The facts that a job found, and the exit code of its command."""

    facts: Mapping[str, Any]
    exit: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """A job that is under way: what is asked, where its data are, who is told how far it is.

    `shown` is where it leaves what a page shows beside the result; None where no page will.
    """

    order: JobSpec
    folder: Path
    progress: Progress
    shown: Path | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The options that were given."""
        return {name: value for name, value in self.order.options.items() if value is not None}

    @property
    def bounds(self) -> Bounds:
        """What it may read."""
        return Bounds(self.folder, self.order.allowed)

    @property
    def out(self) -> Path:
        """Where a release goes."""
        return self.folder / RELEASE

    def config(self) -> Path:
        """The configuration as a file, after a look at where its paths lead."""
        path = self.folder / TOML
        if self.order.configuration is not None:
            path.unlink(missing_ok=True)  # it may be an earlier job's as well
            path.write_text(toml_words(self.order.configuration), encoding="utf-8")
        self.bounds.check(load(path))
        return path

    def leave(self, name: str, facts: Mapping[str, Any]) -> None:
        """Leave a JSON file for the page."""
        assert self.shown is not None
        with in_one_piece(self.shown / name) as part:
            part.write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")

    def file(self, name: str) -> Path | None:
        """A file that an option names."""
        given = self.options.get(name)
        return None if given is None else self.bounds.file(Path(given))


def _propose(task: Task) -> Outcome:
    options = task.options
    data = task.bounds.source(options.pop("data"))
    mappings = [task.bounds.file(Path(name)) for name in options.pop("mappings", ())]
    from shoal.publish.study.propose.proposal import check_free
    from shoal.publish.study.propose.propose import propose

    check_free(task.folder, force=False)
    show_sample(task, data)
    proposal = propose(data, mappings=mappings, progress=task.progress, **options)
    proposal.save(task.folder)
    return Outcome(proposal.as_dict())


def _risk(task: Task) -> Outcome:
    options = task.options
    named, page = options.pop("data", None), options.pop("page", False)
    if isinstance(options.get("population"), str):
        options["population"] = task.file("population")
    data = task.config() if named is None else task.bounds.source(named)
    from shoal.publish.study.risk import risk

    found = risk(data, progress=task.progress, **options)
    if page:
        task.progress("drawing")
        (task.folder / RISK).mkdir()
        found.save(task.folder / RISK / "risk.html")
    facts = found.as_dict()
    show_risk(task, facts)
    return Outcome(facts)


def _run(task: Task) -> Outcome:
    config, recoding, options = task.config(), task.file("recoding"), task.options
    stated = {name: value for name, value in options.items() if name not in ("recoding", "seed")}
    from shoal.publish.jobs import run_config

    release = run_config(
        config,
        task.out,
        stated=stated,
        recoding=recoding,
        seed=options.get("seed"),
        progress=task.progress,
        audited=audit_listener(task),
    )
    show_release(task, release)
    return Outcome(json.loads((task.out / "manifest.json").read_text(encoding="utf-8")))


def _preview(task: Task) -> Outcome:
    config, recoding, options = task.config(), task.file("recoding"), task.options
    pick, seed, seconds = (options.pop(name, None) for name in ("pick", "seed", "seconds"))
    options.pop("recoding", None)
    from shoal.publish.jobs import front_config, preview_config

    if pick is None:
        found = preview_config(config, stated=options, recoding=recoding, seed=seed, progress=task.progress)
    else:
        front, _ = front_config(config, seconds=seconds, progress=task.progress)
        found = front.pick(pick, seed=seed).preview()
    return Outcome(found.as_dict())


def _pareto(task: Task) -> Outcome:
    config, pick, seed = task.config(), task.options.get("pick"), task.options.get("seed")
    if pick is not None:
        check_place(task.out, False)
    from shoal.publish.jobs import front_config

    front, how = front_config(config, seconds=task.options.get("seconds"), progress=task.progress)
    if pick is not None:
        task.progress("judging")
        release = front.pick(pick, seed=seed)
        release.save(task.out, **how, audited=audit_listener(task), progress=task.progress)
        show_release(task, release)
    else:
        show_front(task, front)
    if task.options.get("page"):
        task.progress("drawing")
        (task.folder / FRONT).mkdir()
        front.plot(pick).write_html(task.folder / FRONT / "front.html")
    return Outcome(front.as_dict())


def _verify(task: Task) -> Outcome:
    named = task.options.get("against")
    against = None if named is None else task.bounds.source(named)
    described = task.order.configuration is not None or (task.folder / TOML).exists()
    config = load(task.config()) if described else None
    from shoal.publish.verify import verify

    claim, verdict = verify(task.out, config=config, against=against)
    return Outcome({"claim": claim, **verdict.as_dict()}, 0 if verdict else 1 if verdict.judged else 5)


def _attack(task: Task) -> Outcome:
    options, config = task.options, task.config()
    against = task.bounds.source(options.pop("against"))
    chance, attacker = (options.pop(name, None) for name in ("fail_above", "attacker"))
    from shoal.publish.study.attack import attack, check_attacker

    if attacker is not None:
        check_attacker(attacker)
    found = attack(task.out, against, config=config, progress=task.progress, **options)
    found = found if attacker is None else found.only(attacker)
    return Outcome(found.as_dict(), found.exit_code(chance))


def _compare(task: Task) -> Outcome:
    config = task.config()
    from shoal.publish.study.compare.comparing import compare_config

    found = compare_config(config, task.folder / COMPARED, progress=task.progress, **task.options)
    facts = found.as_dict()
    show_comparison(task, facts)
    return Outcome(facts)


def _count(task: Task) -> Outcome:
    config = task.config()
    from shoal.publish.study.counts import count

    return Outcome(count(config, progress=task.progress, **task.options).as_dict(values=True))


HANDLERS: Mapping[str, Callable[[Task], Outcome]] = {
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
