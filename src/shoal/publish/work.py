"""The jobs: anonymize a dataset, trace its front, apply a stored recoding."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_type_hints

import numpy as np

from shoal.algorithms import METHODS, Method, method
from shoal.errors import InputError, UnkeptError
from shoal.privacy import claim_of
from shoal.progress import Progress, silent
from shoal.publish.draft import draft
from shoal.publish.release import Release
from shoal.publish.table.dataset import TableData
from shoal.publish.table.front import Front
from shoal.release import Recoded, Result
from shoal.utility import class_ids

__all__ = ["anonymize", "apply", "trace_front"]

_GUARANTEE = ("k", "l", "t", "diversity", "c", "distance")
_FRONTS = ("pareto", "poka")
_AUDIT_LATTICE = 50_000
_AUDIT_SECONDS = 10.0


def anonymize(
    dataset: TableData,
    *,
    method: str | None = None,
    seed: int | None = None,
    progress: Progress = silent,
    **options: Any,
) -> Release:
    """Make a release of `dataset` and judge it.

    Parameters
    ----------
    method
        The maker's name; by default the best there is for the data's shape.
    seed
        For papers and tests only: the release is then a rehearsal and says so.
    options
        The guarantee (k, l, t, diversity, c, distance) and the maker's own parameters.

    Raises
    ------
    InfeasibleError
        No release can meet the guarantee; the message says what would help.
    RefusedError
        The maker's result failed its judge.
    """
    name = method or "optimal"
    stated = {key: options[key] for key in _GUARANTEE if key in options}
    claim_of(**stated)  # wrong numbers are told before any work
    dataset.guard(options)
    if name in _FRONTS:
        rest = {key: value for key, value in options.items() if key not in stated}
        front = trace_front(dataset, method=name, progress=progress, **rest)
        return front.pick(_only_k(name, stated), seed=seed)
    maker = _maker(name, options)
    result: Result[Recoded] = maker(dataset.table, dataset.trees, progress=progress, **options)
    whole = _front_for_audit(dataset, options, progress)
    described = {"name": name, "parameters": options}
    return draft(dataset, result, method=described, seed=seed, front=whole, kind=Release)


def trace_front(
    dataset: TableData, *, method: str = "pareto", progress: Progress = silent, **options: Any
) -> Front:
    """Trace the least loss for every k at once."""
    dataset.guard({})
    maker = _maker(method, options)
    result = maker(dataset.table, dataset.trees, progress=progress, **options)
    return Front(dataset, result, {"name": method, "parameters": options})


def apply(
    dataset: TableData,
    recoding: Mapping[str, Any],
    *,
    seed: int | None = None,
    suppress: float = 0.0,
    **guarantee: Any,
) -> Release:
    """Recode new records by a stored rule, leave out small classes within the allowance, and judge the outcome.

    Raises
    ------
    UnkeptError
        The new records do not meet the guarantee under this rule.
    """
    dataset.guard(guarantee)
    claim = claim_of(**guarantee)
    names = [column.name for column in dataset.table.quasi]
    levels = _levels(recoding, names, dataset)
    everybody = np.arange(dataset.table.n)
    whole = Recoded.of_levels(names, dataset.trees, dataset.leaves, levels, everybody)
    classes = class_ids(list(whole.codes.T))
    small = np.bincount(classes)[classes] < guarantee.get("k", 1)
    rows = everybody[~small] if small.sum() <= int(suppress * dataset.table.n) else everybody
    recoded = Recoded.of_levels(names, dataset.trees, dataset.leaves, levels, rows)
    described = {"name": "recoding", "parameters": {**guarantee, "suppress": suppress}}
    made = Result(recoded, claim)
    return draft(dataset, made, method=described, seed=seed, kind=Release, refusal=UnkeptError)


def _levels(recoding: Mapping[str, Any], names: list[str], dataset: TableData) -> list[int]:
    """The rule's level for each quasi-identifier, checked against the hierarchies."""
    levels = recoding.get("levels")
    if not isinstance(levels, dict) or set(levels) != set(names):
        raise InputError(
            f"recoding: its columns are not the quasi-identifiers {', '.join(names)}; use the file of a like run"
        )
    for name in names:
        height = dataset.trees[name].height
        if not isinstance(levels[name], int) or not 0 <= levels[name] <= height:
            raise InputError(f"recoding: the level of column '{name}' is not between 0 and {height}")
    return [levels[name] for name in names]


def _only_k(name: str, options: Mapping[str, Any]) -> int:
    """The k to pick from a front; a front knows no other guarantee."""
    if options.get("l") is not None or options.get("t") is not None:
        raise InputError(f"{name}: a front trades k alone; use method optimal for l or t")
    return int(options["k"])


def _front_for_audit(
    dataset: TableData, options: Mapping[str, Any], progress: Progress
) -> dict[str, Any] | None:
    """The whole trade-off, for the audit, where tracing it is cheap beside the run."""
    if np.prod([tree.height + 1.0 for tree in dataset.trees.values()]) > _AUDIT_LATTICE:
        return None
    shared = {key: options[key] for key in ("suppress", "loss", "target") if key in options}
    return trace_front(dataset, progress=progress, seconds=_AUDIT_SECONDS, **shared).as_dict()


def _maker(name: str, options: Mapping[str, Any]) -> Callable[..., Any]:
    """Load a maker and check the options' names and types against its signature."""
    found: Method = method(name)
    if found.shape != "table":
        fitting = ", ".join(other.name for other in METHODS.values() if other.shape == "table")
        raise InputError(f"method: {name} takes {found.shape}, and this is a table; use one of {fitting}")
    maker = found.load()
    known = [p.name for p in inspect.signature(maker).parameters.values() if p.kind is p.KEYWORD_ONLY]
    hints = get_type_hints(maker)
    for key, value in options.items():
        if key not in known or key == "progress":
            offered = ", ".join(key for key in known if key != "progress")
            raise InputError(f"method {name}: no parameter '{key}'; there are {offered}")
        if not _fits(value, hints[key]):
            raise InputError(
                f"method {name}: parameter '{key}' has the wrong type; its docstring says what it takes"
            )
    return maker


def _fits(value: object, hint: Any) -> bool:
    """Whether a value from a configuration file is of a parameter's type; whole numbers count as real ones."""
    kinds = get_args(hint) or (hint,)
    if isinstance(value, bool):
        return bool in kinds
    return any(isinstance(value, kind) for kind in kinds if isinstance(kind, type)) or (
        isinstance(value, int) and float in kinds
    )
