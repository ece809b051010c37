"""Methods at work: anonymize a dataset, trace its front, apply a stored recoding, and see what another one loses."""

import inspect
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from shoal.algorithms import METHODS, Method, method, methods_for
from shoal.algorithms import method as method_named
from shoal.anonymization.compiling import compiled
from shoal.anonymization.front import Front, MixedFront
from shoal.anonymization.release import Release
from shoal.base.arguments import check_options, check_seed, check_whole
from shoal.base.errors import InputError, ShoalError, ShoalWarning, UnkeptError
from shoal.base.naming import suggest_name
from shoal.base.progress import Progress, Timed, no_progress, with_prefix
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
from shoal.shapes.base import SHAPES, as_claimed, with_front
from shoal.shapes.dataset import Dataset
from shoal.shapes.mixed import MixedData
from shoal.shapes.table.data import TableData
from shoal.utility import headline

__all__ = [
    "anonymize",
    "anonymize_only",
    "apply",
    "cheaper_method",
    "check_parameters",
    "claim_asked",
    "explain_mismatch",
    "make_result",
    "make_trial",
    "only_k_of",
    "require_dataset",
    "split_options",
    "trace_front",
]

# What another method would lose, found out where it takes no time: a release can be true, judged and needlessly coarse.
#
# It needs the originals, so it is for its owner alone: terminal and audit. `shoal compare` looks at every method and k.

_QUICK = 300_000  # cells or items, which the others take about a second for


def cheaper_method(
    dataset: Dataset, name: str, claim: Claim, result: Result[Any], make: Callable[[str], Result[Any]]
) -> dict[str, float]:
    """The method, if there is one, that loses less than half of what `result` does, and its headline loss."""
    other = METHODS[name].finer
    if not other or dataset.cells > _QUICK or not compiled(other) or hasattr(result.release, "parts"):
        return {}  # records in parts are not in memory, where the other method would need them
    if any(part.named not in METHODS[other].claims for part in claim.parts):
        return {}
    try:
        made = make(other)
    except ShoalError:  # what it cannot do is not worth a word
        return {}
    own, less = (_share(dataset, one) for one in (result, made))
    return {other: less} if 2 * less < own else {}


def _share(dataset: Dataset, result: Result[Any]) -> float:
    """The headline loss of a release."""
    found = headline(dataset.losses(result, {"parameters": {}}, public=False))
    return 0.0 if found is None else found[1]


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
    return _anonymized(dataset, method, seed, progress, options, look=True, allow_empty=allow_empty)


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
    return _anonymized(dataset, method, seed, progress, options, look=False, allow_empty=allow_empty)


def claim_asked(dataset: Dataset, method: str | None, options: Mapping[str, Any]) -> Claim:
    """The claim that these options make for a dataset; `method` takes those that are its own parameters.

    Raises
    ------
    InputError
        They make none, or promise nobody anything.
    """
    return require_protection(dataset.claim(split_options(options, method)[0]))


def explain_mismatch(method: Method, dataset: Dataset, claim: Claim | None) -> str | None:
    """Why a method cannot do what is asked of it, in a sentence; None where it can."""
    if method.shape != dataset.shape:
        others = ", ".join(other.name for other in methods_for(dataset.shape))
        return f"method: {method.name} is made for {method.shape}, not {dataset.shape}; use one of {others}"
    if dataset.shape == "table" and not dataset.in_memory and not method.theme.counts:
        others = ", ".join(other.name for other in methods_for(dataset.shape) if other.theme.counts)
        return f"method: {method.name} needs all records in memory, and this table is too large; use one of {others}"
    if method.public and isinstance(dataset, TableData) and dataset.public is None:
        built = [name for name, hierarchy in dataset.hierarchies.items() if not hierarchy.public]
        if built:
            return (
                f"method: {method.name} needs hierarchies that are not made of the data, and that of '{built[0]}' is; "
                "give files, or other people as [population]"
            )
    for part in claim.parts if claim is not None else ():
        if part.named not in method.claims:
            others = " or ".join(other.name for other in methods_for(dataset.shape, (part.named,)))
            return (
                f"method: {method.name} cannot make a release that keeps {part.named}; use {others}, or ask for "
                "another guarantee"
            )
    return None


def _anonymized(
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
    dataset, name, claim, rest = prepare(dataset, method, seed, options)
    if method_named(name).fronts:
        front = trace_front(dataset, method=name, progress=progress, **rest)
        again = partial(make_trial, method=name, **options)
        k = only_k_of(name, claim)
        return replace(front.pick(k, seed=seed, allow_empty=allow_empty), again=again)
    for key, usual in method_named(name).defaults.items():
        options.setdefault(key, usual)
    clock = Timed(no_progress)  # methods that nobody listens to shall not be slowed down by a listener
    clock(f"making the release ({name})")
    result: Result[Any] = make_result(name, dataset, claim, rest, progress, seed)
    described = {"name": name, "parameters": options}
    progress("judging")
    clock("judging")
    all_stay = {**rest, "suppress": 0.0}
    told: dict[str, Any] = {
        "allow_empty": allow_empty,
        "remake": None
        if method_named(name).public  # its hierarchies tell nothing of anybody
        else lambda kept: make_result(name, kept, claim, all_stay, progress, seed),
    }
    if look:
        told["look"] = partial(_choices, name, dataset, claim, result, options, progress, seed)
    made = draft(dataset, result, method=described, seed=seed, kind=Release, **told)
    return replace(made, again=partial(make_trial, method=name, **options), spent=clock.seconds())


def prepare(
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
    stated, rest = split_options(options, method)
    name = method or dataset.default({**stated, **rest})
    claim = require_protection(dataset.claim(stated))
    _refuse_rehearsed(name, rest)
    if method_named(name).public and isinstance(dataset, TableData):
        dataset = dataset.by_public()
    _check_target(dataset, rest.get("target"))
    dataset = as_claimed(dataset.seeing(claim, rest.get("target")), claim)
    dataset.guard(claim)
    return dataset, name, claim, rest


def _choices(
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
    return front, cheaper_method(
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
    stated, rest = split_options(options, method)
    claim = require_protection(
        dataset.claim(stated)
    )  # no guard: whatever it refuses to publish is not published here
    dataset = as_claimed(dataset, claim)
    if method_named(method).fronts:
        return (
            trace_front(dataset, method=method, **rest)
            .pick(only_k_of(method, claim), seed=_REHEARSAL, allow_empty=True)
            .result
        )
    made: Result[Any] = make_result(method, dataset, claim, rest, no_progress, _REHEARSAL)
    return made


def trace_front(
    dataset: Dataset, *, method: str | None = None, progress: Progress = no_progress, **options: Any
) -> Front | MixedFront:
    """Trace the least loss of a table for every k at once, or of a table with baskets what its two parts lose."""
    require_dataset("pareto", dataset)
    shape = with_front(dataset.shape)
    name = method or shape.fronts[0]
    if name not in shape.fronts:
        raise InputError(
            f"method: {name} has no front for such data; {suggest_name(name, shape.fronts, 'use one of')}"
        )
    described = {"name": name, "parameters": options}
    _check_target(dataset, options.get("target"))
    dataset = dataset.seeing(None, options.get("target"))
    clock = Timed(no_progress)
    clock(f"tracing the front ({name})")
    if isinstance(dataset, TableData) and dataset.linked:
        raise InputError(
            "pareto: a front counts rows one by one, and a pseudonym links those of a person; take the column out, or "
            "use `shoal run`"
        )
    if isinstance(dataset, TableData):
        dataset.guard(None)
        found = make_result(name, dataset, None, options, progress, None)
        front = Front(dataset, found, described, clock.seconds())
        if front.result.note and len(front.result.points) == 1:  # with more of them it is enough to note it
            warnings.warn(front.result.note, ShoalWarning, stacklevel=2)
        return front
    assert isinstance(dataset, MixedData)
    stated, rest = split_options(options, name)
    claim = require_protection(dataset.claim(stated))
    dataset.guard(claim)
    every = (method_named(name).front, "fragment")  # what is traced, over all records
    rest = {key: value for key, value in rest.items() if key not in every}
    from shoal.algorithms.mixed.bound import tradeoff  # kernels are heavy, and only this job needs them

    traced = _run(tradeoff, name, dataset, claim, rest, progress, None)
    return MixedFront(dataset, traced, described, clock.seconds())


def _check_target(dataset: Dataset, target: object) -> None:
    """Refuse a target that is no published column: the name of any other is nobody's business."""
    if target is None or not isinstance(dataset, TableData):
        return
    names = [name for name, role in dataset.given.items() if role in ("quasi", "sensitive", "plain")]
    if target not in names:
        raise InputError(f"target: no published column '{target}'; {suggest_name(target, names)}")


def apply(
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
    dataset = as_claimed(dataset, claim)
    dataset.guard(claim)
    described = {"name": "recoding", "parameters": {**guarantee, "suppress": suppress}}
    clock = Timed(no_progress)
    clock("recoding")
    made = dataset.recode(recoding, claim, suppress)
    clock("judging")
    remake = partial(_recoded, recoding=recoding, claim=claim)
    more: dict[str, Any] = {"refusal": UnkeptError, "remake": remake, "allow_empty": allow_empty}
    release = draft(dataset, made, method=described, seed=seed, kind=Release, **more)
    return replace(release, spent=clock.seconds())


def _recoded(dataset: TableData, *, recoding: Mapping[str, Any], claim: Claim) -> Result[Any]:
    """The same rule for records of whom nobody more is left out; their hierarchies may be lower."""
    heights = {name: found.height for name, found in dataset.hierarchies.items()}
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
    own = set() if method is None else set(inspect.signature(method_named(method).load()).parameters)
    claimed = {key for key in options if key in _CLAIMED and key not in own}
    stated = {_CLAIMED[key]: options[key] for key in options if key in claimed}
    return stated, {key: value for key, value in options.items() if key not in claimed}


def only_k_of(name: str, claim: Claim) -> int:
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
    if method_named(name).theme.local and not compiled(SHAPES[dataset.shape].fronts[0]):
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
    found = method_named(name)
    if (why := explain_mismatch(found, dataset, claim)) is not None:
        raise InputError(why)
    options = _without_audit(found, options)
    if "minimal" in options and found.steered and claim is not None:
        rest = {key: value for key, value in options.items() if key != "minimal"}
        make = partial(make_result, name, dataset, options=rest, progress=progress, seed=seed)
        return _run_unsteered(make, found, dataset, claim, options["minimal"])
    if "fragment" not in options or not found.fragments or claim is None:
        return _run(found.load(), name, dataset, claim, options, progress, seed)
    check_whole(name, "fragment", options["fragment"])
    if isinstance(claim, LinkedAnonymity):
        raise InputError(
            f"method {name}: rows of a person that can be linked are not worked on in fragments; leave 'fragment' out"
        )
    rest = {key: value for key, value in options.items() if key != "fragment"}
    inputs, _ = _inputs(found.load(), name, dataset, claim, rest)
    del inputs["claim"]
    more = {"rng": None if seed is None else np.random.default_rng(seed), "progress": progress}
    return dataset.in_fragments(name, inputs, claim, rest, size=options["fragment"], **more)


def _without_audit(method: Method, options: Mapping[str, Any]) -> dict[str, Any]:
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


def _run(
    algorithm: Callable[..., Any],
    name: str,
    dataset: Dataset,
    claim: Claim | None,
    options: Mapping[str, Any],
    progress: Progress,
    seed: int | None,
) -> Any:
    """Give a method what it asks for by name, its options checked against its signature."""
    inputs, taken = _inputs(algorithm, name, dataset, claim, options)
    given = {"rng": np.random.default_rng(seed)} if seed is not None and "rng" in taken else {}
    return algorithm(**inputs, progress=progress, **given, **options)


def _inputs(
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
    taken = inspect.signature(algorithm).parameters
    at_hand = {**dataset.inputs, "claim": claim, "public": getattr(dataset, "public", None)}
    inputs = {key: value for key, value in at_hand.items() if key in taken}
    own = [p.name for p in taken.values() if p.kind is p.KEYWORD_ONLY and p.name not in inputs]
    check_options(name, algorithm, options, own)
    return inputs, taken.keys()


# --- a first run: it says that it compiles and has a second process compile ahead, or, for a demo, does without

_ARGUMENTS = tuple(signature(anonymize).parameters)
"""What `anonymize` takes beside the parameters of methods; --seed is for papers and tests."""


def check_parameters(config: Config) -> None:
    """Tell what stands in [method] and belongs elsewhere; a method's own parameters are checked by their types."""
    own = () if config.method is None else signature(method(config.method).load()).parameters
    for key in config.parameters:
        if key in GUARANTEE and key not in own:
            raise InputError(f"[method]: '{key}' is part of what is promised; move it to [guarantee]")
        if key in config.guarantee:
            raise InputError(f"[method]: '{key}' stands in [guarantee] as well; give it once")
        if key in _ARGUMENTS:
            raise InputError(f"[method]: there is no parameter '{key}'; leave it out")
