"""The work that people ask for: anonymize a dataset, trace its front, apply a stored recoding."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from inspect import signature
from typing import Any

from shoal.algorithms import find_method
from shoal.anonymization.choices import Alternatives
from shoal.anonymization.front import Front, MixedFront
from shoal.anonymization.makers import MethodMaker, RuleMaker, trial_maker
from shoal.anonymization.methods import k_for_front, split_options, trace_points
from shoal.anonymization.release import Release
from shoal.base.arguments import check_seed
from shoal.base.errors import InputError, ShoalWarning, UnkeptError
from shoal.base.naming import suggest_name
from shoal.base.progress import Progress, StepTimer, no_progress
from shoal.io.config import Config
from shoal.privacy import GUARANTEE, require_protection
from shoal.publish.draft import draft
from shoal.publish.large.table_fragments import read_for_method
from shoal.release import Claim
from shoal.shapes.dataset import Dataset
from shoal.shapes.mixed import MixedData
from shoal.shapes.registry import SHAPES, bind_to_claim, shape_with_front
from shoal.shapes.table.data import TableData

__all__ = [
    "anonymize",
    "anonymize_only",
    "apply_recoding",
    "check_parameters",
    "prepare_run",
    "require_dataset",
    "trace_front",
]


def anonymize(
    dataset: Dataset,
    *,
    method: str | None = None,
    seed: int | None = None,
    allow_empty: bool = False,
    claim: Claim | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Release:
    """Make a release of `dataset` and judge it, as `shoal.anonymize` says of data without earlier releases.

    `claim` is the one that the options make, where it was made already.

    Raises
    ------
    InfeasibleError
        No release can meet the guarantee; the message says what would help.
    RefusedError
        The method's result failed its judge.
    """
    return _anonymize_and_judge(
        dataset, method, seed, progress, options, look=True, allow_empty=allow_empty, claim=claim
    )


def anonymize_only(
    dataset: Dataset,
    *,
    method: str,
    seed: int | None = None,
    allow_empty: bool = False,
    claim: Claim | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Release:
    """Make the release that `anonymize` makes, and look at no other choice beside it: its time is the method's own."""
    return _anonymize_and_judge(
        dataset, method, seed, progress, options, look=False, allow_empty=allow_empty, claim=claim
    )


def _anonymize_and_judge(
    dataset: Dataset,
    method: str | None,
    seed: int | None,
    progress: Progress,
    options: dict[str, Any],
    *,
    look: bool,
    allow_empty: bool,
    claim: Claim | None,
) -> Release:
    """Make a release and judge it; with `look` its audit tells what other choices would cost."""
    dataset, name, claim, method_options = prepare_run(dataset, method, seed, options, claim)
    entry = find_method(name)
    if entry.fronts:
        front = trace_front(dataset, method=name, progress=progress, **method_options)
        release = front.pick(k_for_front(name, claim), seed=seed, allow_empty=allow_empty)
        return replace(release, maker=trial_maker(dataset, name, options, claim))
    for key, usual in entry.defaults.items():
        options.setdefault(key, usual)
    clock = StepTimer(no_progress)  # methods that nobody listens to shall not be slowed down by a listener
    clock(f"making the release ({name})")
    maker = MethodMaker(name, claim, method_options, seed, progress)
    result = maker.make(dataset)
    progress("judging")
    clock("judging")
    release = draft(
        dataset,
        result,
        method={"name": name, "parameters": options},
        seed=seed,
        kind=Release,
        maker=maker.keeping_everybody(),
        allow_empty=allow_empty,
    )
    return replace(
        release,
        maker=trial_maker(dataset, name, options, claim),
        alternatives=Alternatives(dataset, result, maker, options) if look else None,
        step_seconds=clock.seconds(),
    )


def prepare_run(
    dataset: Dataset,
    method: str | None,
    seed: int | None,
    options: dict[str, Any],
    claim: Claim | None = None,
) -> tuple[Dataset, str, Claim, dict[str, Any]]:
    """The dataset as it is to be released, the method, the claim and the method's options; `options` gets usual ones.

    `claim` is the one that the options make, where it was made already.

    Raises
    ------
    InputError
        It may not be released, or not so: all that is wrong is told before any work.
    """
    require_dataset("anonymize", dataset)
    check_seed(seed)
    stated, method_options = split_options(options, method)
    dataset = read_for_method(dataset, method, {**stated, **method_options})
    for key, usual in dataset.options.items():
        options.setdefault(key, usual)
    stated, method_options = split_options(options, method)
    name = method or dataset.default({**stated, **method_options})
    claim = claim or require_protection(dataset.claim(stated))
    if isinstance(dataset, TableData):
        claim = dataset.close_claim(claim)
    _refuse_rehearsed(name, method_options)
    if find_method(name).public:
        dataset = dataset.by_public()
    _check_target(dataset, method_options.get("target"))
    dataset = bind_to_claim(dataset.seeing(claim, method_options.get("target")), claim)
    dataset.guard(claim)
    return dataset, name, claim, method_options


def _refuse_rehearsed(name: str, options: Mapping[str, Any]) -> None:
    """Refuse to release what a method makes for comparison alone."""
    for key, values in find_method(name).rehearsed.items():
        if options.get(key) in values:
            raise InputError(
                f"method {name}: {key} = {options[key]} is a rehearsal, for comparison with other tools, and is never "
                "published; leave it out"
            )


def trace_front(
    dataset: Dataset, *, method: str | None = None, progress: Progress = no_progress, **options: Any
) -> Front | MixedFront:
    """Trace the least loss of a table for every k, with one level per column; with baskets what its two parts lose."""
    require_dataset("pareto", dataset)
    shape = shape_with_front(dataset.shape)
    name = method or shape.fronts[0]
    if name not in shape.fronts:
        raise InputError(
            f"method: {name} has no front for such data; {suggest_name(name, shape.fronts, 'use one of')}"
        )
    method_facts = {"name": name, "parameters": options}
    _check_target(dataset, options.get("target"))
    dataset = dataset.seeing(None, options.get("target"))
    clock = StepTimer(no_progress)
    clock(f"tracing the front ({name})")
    if dataset.linked:
        raise InputError(
            "pareto: a front counts rows one by one, and a pseudonym links those of a person; take the column out, or "
            "use `shoal run`"
        )
    if isinstance(dataset, TableData):
        dataset.guard(None)
        points = trace_points(dataset, name, options, progress)
        front = Front(dataset, points, method_facts, clock.seconds())
        if front.result.note and len(front.result.points) == 1:  # with more of them it is enough to note it
            warnings.warn(front.result.note, ShoalWarning, stacklevel=2)
        return front
    assert isinstance(dataset, MixedData)
    return MixedFront(dataset, trace_points(dataset, name, options, progress), method_facts, clock.seconds())


def _check_target(dataset: Dataset, target: object) -> None:
    """Refuse a target that is no published column: the name of any other is nobody's business."""
    names = dataset.targets
    if target is not None and names is not None and target not in names:
        raise InputError(f"target: no published column '{target}'; {suggest_name(str(target), names)}")


def apply_recoding(
    dataset: Dataset,
    recoding: Mapping[str, Any],
    *,
    seed: int | None = None,
    suppress: float = 0.0,
    allow_empty: bool = False,
    **guarantee: Any,
) -> Release:
    """Recode new records by a stored rule and judge the outcome.

    Raises
    ------
    UnkeptError
        The new records do not meet the guarantee under this rule.
    """
    claim = require_protection(dataset.claim(guarantee))
    dataset = bind_to_claim(dataset, claim)
    dataset.guard(claim)
    method_facts = {"name": "recoding", "parameters": {**guarantee, "suppress": suppress}}
    clock = StepTimer(no_progress)
    clock("recoding")
    result = dataset.recode(recoding, claim, suppress)
    clock("judging")
    release = draft(
        dataset,
        result,
        method=method_facts,
        seed=seed,
        kind=Release,
        refusal=UnkeptError,
        maker=RuleMaker(recoding, claim),
        allow_empty=allow_empty,
    )
    return replace(release, step_seconds=clock.seconds())


def require_dataset(job: str, dataset: object) -> None:
    """Refuse anything that was not returned by `shoal.read` or `shoal.read_trees`."""
    if getattr(dataset, "shape", None) not in SHAPES:
        kind = type(dataset).__name__
        raise InputError(
            f"{job}: a {kind} has no roles yet; give what shoal.read or shoal.read_trees returns"
        )


_ARGUMENTS = tuple(signature(anonymize).parameters)
"""What `anonymize` takes beside the parameters of methods; --seed is for papers and tests."""


def check_parameters(config: Config) -> None:
    """Tell what stands in [method] and belongs elsewhere; a method's own parameters are checked by their types."""
    method_parameters = (
        () if config.method is None else signature(find_method(config.method).load()).parameters
    )
    for key in config.parameters:
        if key in GUARANTEE and key not in method_parameters:
            raise InputError(f"[method]: '{key}' is part of what is promised; move it to [guarantee]")
        if key in config.guarantee:
            raise InputError(f"[method]: '{key}' stands in [guarantee] as well; give it once")
        if key in _ARGUMENTS:
            raise InputError(f"[method]: there is no parameter '{key}'; leave it out")
