"""Methods at work: anonymize a dataset, trace its front, apply a stored recoding, and see what another one loses."""

import inspect
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from shoal.algorithms import METHODS, Method, find_method, methods_for
from shoal.algorithms import find_method as method_named
from shoal.anonymization.compiling import is_compiled
from shoal.anonymization.front import Front, MixedFront
from shoal.anonymization.release import Release
from shoal.base.arguments import check_options, check_seed, check_whole
from shoal.base.errors import InputError, ShoalError, ShoalWarning, UnkeptError
from shoal.base.naming import suggest_name
from shoal.base.progress import Progress, StepTimer, no_progress, with_prefix
from shoal.io.config import Config
from shoal.privacy import (
    GUARANTEE,
    METHOD_KEYS,
    KAnonymity,
    LinkedAnonymity,
    needs_population,
    require_protection,
)
from shoal.publish.draft import Choices, draft
from shoal.release import Claim, Result
from shoal.shapes.base import SHAPES, bind_to_claim, shape_with_front
from shoal.shapes.dataset import Dataset
from shoal.shapes.mixed import MixedData
from shoal.shapes.table.data import TableData
from shoal.utility import find_headline

__all__ = [
    "_cheaper_method",
    "anonymize",
    "anonymize_only",
    "apply_recoding",
    "check_parameters",
    "claim_from_options",
    "explain_mismatch",
    "k_for_front",
    "make_result",
    "make_trial",
    "require_dataset",
    "split_options",
    "trace_front",
]

# What another method would lose, found out where it takes no time: a release can be true, judged and needlessly coarse.
#
# It needs the originals, so it is for its owner alone: terminal and audit. `shoal compare` looks at every method and k.

_QUICK = 300_000  # cells or items, which the others take about a second for


def _cheaper_method(
    dataset: Dataset, name: str, claim: Claim, result: Result[Any], make: Callable[[str], Result[Any]]
) -> dict[str, float]:
    """The method, if there is one, that loses less than half of what `result` does, and its headline loss."""
    finer_method = METHODS[name].finer
    if (
        not finer_method
        or dataset.cells > _QUICK
        or not is_compiled(finer_method)
        or hasattr(result.release, "parts")
    ):
        return {}  # records in parts are not in memory, where the other method would need them
    if any(part.named not in METHODS[finer_method].claims for part in claim.parts):
        return {}
    try:
        finer_result = make(finer_method)
    except ShoalError:  # what it cannot do is not worth a word
        return {}
    loss, finer_loss = (_headline_loss(dataset, candidate) for candidate in (result, finer_result))
    return {finer_method: finer_loss} if 2 * finer_loss < loss else {}


def _headline_loss(dataset: Dataset, result: Result[Any]) -> float:
    """The headline loss of a release."""
    name_and_loss = find_headline(dataset.losses(result, {"parameters": {}}, public=False))
    return 0.0 if name_and_loss is None else name_and_loss[1]


# Methods at work: anonymize a dataset, trace its front, apply a stored recoding.

_CLAIMED = {key: key for key in GUARANTEE} | METHOD_KEYS
"""The options that make the claim, and what the claim calls them."""
_AUDIT_LATTICE = 50_000
_AUDIT_SECONDS = 10.0
_AUDIT_RECORDS = 10_000
_REHEARSAL = 0  # a seed, so that what is measured is the same each time; what it makes is never published


def anonymize(
    dataset: Dataset,
    *,
    method: str | None = None,
    seed: int | None = None,
    allow_empty: bool = False,
    progress: Progress = no_progress,
    **options: Any,
) -> Release:
    """Make a release of `dataset` and judge it, as `shoal.anonymize` says of data without earlier releases.

    Raises
    ------
    InfeasibleError
        No release can meet the guarantee; the message says what would help.
    RefusedError
        The method's result failed its judge.
    """
    return _anonymize_and_judge(dataset, method, seed, progress, options, look=True, allow_empty=allow_empty)


def anonymize_only(
    dataset: Dataset,
    *,
    method: str,
    seed: int | None = None,
    allow_empty: bool = False,
    progress: Progress = no_progress,
    **options: Any,
) -> Release:
    """Make the release that `anonymize` makes, and look at no other choice beside it: its time is the method's own."""
    return _anonymize_and_judge(dataset, method, seed, progress, options, look=False, allow_empty=allow_empty)


def claim_from_options(dataset: Dataset, method: str | None, options: Mapping[str, Any]) -> Claim:
    """The claim that these options make for a dataset; `find_method` takes those that are its own parameters.

    Raises
    ------
    InputError
        They make none, or promise nobody anything.
    """
    return require_protection(dataset.claim(split_options(options, method)[0]))


def explain_mismatch(method: Method, dataset: Dataset, claim: Claim | None) -> str | None:
    """Why a method cannot do what is asked of it, in a sentence; None where it can."""
    if method.shape != dataset.shape:
        names = ", ".join(candidate.name for candidate in methods_for(dataset.shape))
        return f"method: {method.name} is made for {method.shape}, not {dataset.shape}; use one of {names}"
    if dataset.shape == "table" and not dataset.in_memory and not method.theme.counts:
        names = ", ".join(
            candidate.name for candidate in methods_for(dataset.shape) if candidate.theme.counts
        )
        return f"method: {method.name} needs all records in memory, and this table is too large; use one of {names}"
    if method.public and isinstance(dataset, TableData) and dataset.public is None:
        built = [name for name, hierarchy in dataset.hierarchies.items() if not hierarchy.public]
        if built:
            return (
                f"method: {method.name} needs hierarchies that are not made of the data, and that of '{built[0]}' is; "
                "give files, or other people as [population]"
            )
    for part in claim.parts if claim is not None else ():
        if part.named not in method.claims:
            names = " or ".join(candidate.name for candidate in methods_for(dataset.shape, (part.named,)))
            return (
                f"method: {method.name} cannot make a release that keeps {part.named}; use {names}, or ask for "
                "another guarantee"
            )
    return None


def _anonymize_and_judge(
    dataset: Dataset,
    method: str | None,
    seed: int | None,
    progress: Progress,
    options: dict[str, Any],
    *,
    look: bool,
    allow_empty: bool,
) -> Release:
    """Make a release and judge it; with `look` its audit tells what other choices would cost."""
    dataset, name, claim, method_options = prepare_run(dataset, method, seed, options)
    if method_named(name).fronts:
        front = trace_front(dataset, method=name, progress=progress, **method_options)
        again = partial(make_trial, method=name, **options)
        k = k_for_front(name, claim)
        return replace(front.pick(k, seed=seed, allow_empty=allow_empty), again=again)
    for key, usual in method_named(name).defaults.items():
        options.setdefault(key, usual)
    clock = StepTimer(no_progress)  # methods that nobody listens to shall not be slowed down by a listener
    clock(f"making the release ({name})")
    result: Result[Any] = make_result(name, dataset, claim, method_options, progress, seed)
    method_facts = {"name": name, "parameters": options}
    progress("judging")
    clock("judging")
    all_stay = {**method_options, "suppress": 0.0}
    draft_options: dict[str, Any] = {
        "allow_empty": allow_empty,
        "remake": None
        if method_named(name).public  # its hierarchies tell nothing of anybody
        else lambda kept: make_result(name, kept, claim, all_stay, progress, seed),
    }
    if look:
        draft_options["look"] = partial(
            _compare_choices, name, dataset, claim, result, options, progress, seed
        )
    release = draft(dataset, result, method=method_facts, seed=seed, kind=Release, **draft_options)
    return replace(release, again=partial(make_trial, method=name, **options), spent=clock.seconds())


def prepare_run(
    dataset: Dataset, method: str | None, seed: int | None, options: dict[str, Any]
) -> tuple[Dataset, str, Claim, dict[str, Any]]:
    """The dataset as it is to be released, the method, the claim and the method's options; `options` gets usual ones.

    Raises
    ------
    InputError
        It may not be released, or not so: all that is wrong is told before any work.
    """
    require_dataset("anonymize", dataset)
    check_seed(seed)
    for key, usual in dataset.options.items():
        options.setdefault(key, usual)
    stated, method_options = split_options(options, method)
    name = method or dataset.default({**stated, **method_options})
    claim = require_protection(dataset.claim(stated))
    _refuse_rehearsed(name, method_options)
    if method_named(name).public and isinstance(dataset, TableData):
        dataset = dataset.by_public()
    _check_target(dataset, method_options.get("target"))
    dataset = bind_to_claim(dataset.seeing(claim, method_options.get("target")), claim)
    dataset.guard(claim)
    return dataset, name, claim, method_options


def _compare_choices(
    name: str,
    dataset: Dataset,
    claim: Claim,
    result: Result[Any],
    options: Mapping[str, Any],
    progress: Progress,
    seed: int | None,
) -> Choices:
    """What other choices would cost: only an audit tells it, so that nobody else waits for it."""
    front = _front_for_audit(name, dataset, options, with_prefix(progress, "for the audit"))
    aside = with_prefix(progress, "to compare")
    return front, _cheaper_method(
        dataset, name, claim, result, lambda other: make_result(other, dataset, claim, {}, aside, seed)
    )


def _refuse_rehearsed(name: str, options: Mapping[str, Any]) -> None:
    """Refuse to release what a method makes for comparison alone."""
    for key, values in method_named(name).rehearsed.items():
        if options.get(key) in values:
            raise InputError(
                f"method {name}: {key} = {options[key]} is a rehearsal, for comparison with other tools, and is never "
                "published; leave it out"
            )


def make_trial(dataset: Dataset, *, method: str, **options: Any) -> Result[Any]:
    """Make a release as `anonymize` does, to be measured and thrown away: it is not judged and nothing of it leaves.

    Raises
    ------
    InfeasibleError
        No release of these records can meet the guarantee.
    """
    stated, method_options = split_options(options, method)
    claim = require_protection(
        dataset.claim(stated)
    )  # no guard: whatever it refuses to publish is not published here
    dataset = bind_to_claim(dataset, claim)
    if method_named(method).fronts:
        return (
            trace_front(dataset, method=method, **method_options)
            .pick(k_for_front(method, claim), seed=_REHEARSAL, allow_empty=True)
            .result
        )
    result: Result[Any] = make_result(method, dataset, claim, method_options, no_progress, _REHEARSAL)
    return result


def trace_front(
    dataset: Dataset, *, method: str | None = None, progress: Progress = no_progress, **options: Any
) -> Front | MixedFront:
    """Trace the least loss of a table for every k at once, or of a table with baskets what its two parts lose."""
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
    if isinstance(dataset, TableData) and dataset.linked:
        raise InputError(
            "pareto: a front counts rows one by one, and a pseudonym links those of a person; take the column out, or "
            "use `shoal run`"
        )
    if isinstance(dataset, TableData):
        dataset.guard(None)
        result = make_result(name, dataset, None, options, progress, None)
        front = Front(dataset, result, method_facts, clock.seconds())
        if front.result.note and len(front.result.points) == 1:  # with more of them it is enough to note it
            warnings.warn(front.result.note, ShoalWarning, stacklevel=2)
        return front
    assert isinstance(dataset, MixedData)
    stated, method_options = split_options(options, name)
    claim = require_protection(dataset.claim(stated))
    dataset.guard(claim)
    every = (method_named(name).front, "fragment")  # what is traced, over all records
    method_options = {key: value for key, value in method_options.items() if key not in every}
    from shoal.algorithms.mixed.bound import tradeoff  # kernels are heavy, and only this job needs them

    tradeoff_front = _run_algorithm(tradeoff, name, dataset, claim, method_options, progress, None)
    return MixedFront(dataset, tradeoff_front, method_facts, clock.seconds())


def _check_target(dataset: Dataset, target: object) -> None:
    """Refuse a target that is no published column: the name of any other is nobody's business."""
    if target is None or not isinstance(dataset, TableData):
        return
    names = [name for name, role in dataset.given.items() if role in ("quasi", "sensitive", "plain")]
    if target not in names:
        raise InputError(f"target: no published column '{target}'; {suggest_name(target, names)}")


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
    remake = partial(_recode_everybody, recoding=recoding, claim=claim)
    draft_options: dict[str, Any] = {"refusal": UnkeptError, "remake": remake, "allow_empty": allow_empty}
    release = draft(dataset, result, method=method_facts, seed=seed, kind=Release, **draft_options)
    return replace(release, spent=clock.seconds())


def _recode_everybody(dataset: TableData, *, recoding: Mapping[str, Any], claim: Claim) -> Result[Any]:
    """The same rule for records of whom nobody more is left out; their hierarchies may be lower."""
    heights = {name: hierarchy.height for name, hierarchy in dataset.hierarchies.items()}
    levels = {name: min(level, heights[name]) for name, level in recoding["levels"].items()}
    return dataset.recode({**recoding, "levels": levels}, claim, 0.0)


def require_dataset(job: str, dataset: object) -> None:
    """Refuse anything that was not returned by `shoal.read` or `shoal.read_trees`."""
    if getattr(dataset, "shape", None) not in SHAPES:
        kind = type(dataset).__name__
        raise InputError(
            f"{job}: a {kind} has no roles yet; give what shoal.read or shoal.read_trees returns"
        )


def split_options(options: Mapping[str, Any], method: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split options in two: those that make the claim, under its own names, and the method's, `alpha` of cahd too."""
    parameters = set() if method is None else set(inspect.signature(method_named(method).load()).parameters)
    claimed = {key for key in options if key in _CLAIMED and key not in parameters}
    stated = {_CLAIMED[key]: options[key] for key in options if key in claimed}
    return stated, {key: value for key, value in options.items() if key not in claimed}


def k_for_front(name: str, claim: Claim) -> int:
    """The k to pick from a front; a front knows no other guarantee."""
    if not isinstance(claim, KAnonymity):
        raise InputError(
            f"{name}: a front trades k alone; use method {METHODS[name].point} for {claim.parts[-1].named}"
        )
    return claim.k


def _front_for_audit(
    name: str, dataset: Dataset, options: Mapping[str, Any], progress: Progress
) -> dict[str, Any] | None:
    """The whole trade-off, for the audit, where tracing it is cheap beside the run."""
    if isinstance(dataset, MixedData) and method_named(name).front and dataset.baskets.n <= _AUDIT_RECORDS:
        return trace_front(dataset, progress=progress, **options).as_dict()
    if (
        not isinstance(dataset, TableData) or dataset.linked or options.get("loss") == "c_avg"
    ):  # which no front can compare
        return None
    if dataset.table.counts is not None or KAnonymity.model not in METHODS[name].claims:
        return None  # the records are many: whoever wants the front asks for it
    if np.prod([hierarchy.height + 1.0 for hierarchy in dataset.hierarchies.values()]) > _AUDIT_LATTICE:
        return None
    if method_named(name).theme.local and not is_compiled(SHAPES[dataset.shape].fronts[0]):
        return None  # the method needs other kernels, and compiling these takes far longer than it
    shared = {key: options[key] for key in ("suppress", "loss", "target") if key in options}
    return trace_front(dataset, progress=progress, seconds=_AUDIT_SECONDS, **shared).as_dict()


def make_result(
    name: str,
    dataset: Dataset,
    claim: Claim | None,
    options: Mapping[str, Any],
    progress: Progress,
    seed: int | None,
) -> Any:
    """Run a method that suits the data and the claim."""
    entry = method_named(name)
    if (why := explain_mismatch(entry, dataset, claim)) is not None:
        raise InputError(why)
    options = _drop_audit_options(entry, options)
    if "minimal" in options and entry.steered and claim is not None:
        method_options = {key: value for key, value in options.items() if key != "minimal"}
        make = partial(make_result, name, dataset, options=method_options, progress=progress, seed=seed)
        return _run_unsteered(make, entry, dataset, claim, options["minimal"])
    if "fragment" not in options or not entry.fragments or claim is None:
        return _run_algorithm(entry.load(), name, dataset, claim, options, progress, seed)
    check_whole(name, "fragment", options["fragment"])
    if isinstance(claim, LinkedAnonymity):
        raise InputError(
            f"method {name}: rows of a person that can be linked are not worked on in fragments; leave 'fragment' out"
        )
    method_options = {key: value for key, value in options.items() if key != "fragment"}
    inputs, _ = _select_inputs(entry.load(), name, dataset, claim, method_options)
    del inputs["claim"]
    run_options = {"rng": None if seed is None else np.random.default_rng(seed), "progress": progress}
    return dataset.in_fragments(name, inputs, claim, method_options, size=options["fragment"], **run_options)


def _drop_audit_options(method: Method, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are the method's own; what the audit asks is none of them."""
    for key in method.theme.audit:
        if key in options:
            check_whole(method.name, key, options[key])
    return {key: value for key, value in options.items() if key not in method.theme.audit}


def _run_unsteered(
    make: Callable[..., Result[Any]], found: Method, dataset: Dataset, claim: Claim, minimal: object
) -> Result[Any]:
    """Run a method that does not see sensitive values, unless it may steer by them."""
    if not isinstance(minimal, bool):
        raise InputError(f"method {found.name}: parameter 'minimal' must be true or false")
    if minimal or isinstance(claim, KAnonymity | LinkedAnonymity):
        return make(claim=claim)
    if needs_population(claim):
        raise InputError(
            f"method {found.name}: with minimal = false it sees k alone, and no population; leave it out"
        )
    if not isinstance(dataset, TableData) or dataset.table.counts is not None:
        raise InputError(
            f"method {found.name}: minimal = false needs all records in memory, and these are too many; leave it out"
        )
    from shoal.algorithms.constraint import anonymize_without_sensitive  # its kernels are heavy

    return anonymize_without_sensitive(
        found.name, dataset.inputs["table"], claim, lambda only_k: make(claim=only_k)
    )


def _run_algorithm(
    algorithm: Callable[..., Any],
    name: str,
    dataset: Dataset,
    claim: Claim | None,
    options: Mapping[str, Any],
    progress: Progress,
    seed: int | None,
) -> Any:
    """Give a method what it asks for by name, its options checked against its signature."""
    inputs, parameters = _select_inputs(algorithm, name, dataset, claim, options)
    rng_option = {"rng": np.random.default_rng(seed)} if seed is not None and "rng" in parameters else {}
    return algorithm(**inputs, progress=progress, **rng_option, **options)


def _select_inputs(
    algorithm: Callable[..., Any],
    name: str,
    dataset: Dataset,
    claim: Claim | None,
    options: Mapping[str, Any],
) -> tuple[dict[str, Any], Collection[str]]:
    """What of the data and the claim a method takes, and the names of all that it takes.

    Raises
    ------
    InputError
        It has not these options.
    """
    parameters = inspect.signature(algorithm).parameters
    at_hand = {**dataset.inputs, "claim": claim, "public": getattr(dataset, "public", None)}
    inputs = {key: value for key, value in at_hand.items() if key in parameters}
    option_names = [p.name for p in parameters.values() if p.kind is p.KEYWORD_ONLY and p.name not in inputs]
    check_options(name, algorithm, options, option_names)
    return inputs, parameters.keys()


# --- a first run: it says that it compiles and has a second process compile ahead, or, for a demo, does without

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
