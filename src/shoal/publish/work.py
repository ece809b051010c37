"""The jobs: anonymize a dataset, trace its front, apply a stored recoding."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_type_hints

import numpy as np

from shoal.algorithms import METHODS, method
from shoal.errors import InputError, UnkeptError
from shoal.progress import Progress, silent
from shoal.publish.draft import draft
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.mixed.front import MixedFront
from shoal.publish.release import Release
from shoal.publish.shape import Dataset
from shoal.publish.table.dataset import TableData
from shoal.publish.table.front import Front
from shoal.release import Result

__all__ = ["anonymize", "apply", "trace_front"]

_GUARANTEE = ("k", "m", "n", "l", "t", "diversity", "c", "distance")
_FRONTS = ("pareto", "poka")
_SWEEP = "sweep"
_OURS = ("progress", "rng")
_AUDIT_LATTICE = 50_000
_AUDIT_SECONDS = 10.0
_AUDIT_RECORDS = 10_000


def anonymize(
    dataset: Dataset,
    *,
    method: str | None = None,
    seed: int | None = None,
    progress: Progress = silent,
    **options: Any,
) -> Release:
    """Make a release of `dataset` and judge it.

    Parameters
    ----------
    dataset
        What `read` returned.
    method
        The maker's name; by default the best there is for the data's shape.
    seed
        For papers and tests only: the release is then a rehearsal and says so.
    progress
        Who hears how far the work is.
    options
        The guarantee (k, l, t, m, n, diversity, c, distance) and the maker's own parameters.

    Raises
    ------
    InfeasibleError
        No release can meet the guarantee; the message says what would help.
    RefusedError
        The maker's result failed its judge.
    """
    stated = {key: options[key] for key in _GUARANTEE if key in options}
    name = method or dataset.default(stated)
    dataset.claim(stated)  # wrong numbers are told before any work
    dataset.guard(stated)
    if name in _FRONTS and isinstance(dataset, TableData):
        rest = {key: value for key, value in options.items() if key not in stated}
        front = trace_front(dataset, method=name, progress=progress, **rest)
        return front.pick(_only_k(name, stated), seed=seed)
    if options.get("delta") == _SWEEP:
        raise InputError(
            f"{name}: delta='sweep' traces the whole trade-off, and a release is one point of it; give a number, or "
            "see the points with `shoal pareto`"
        )
    result: Result[Any] = _make(name, dataset, options, progress, seed)
    whole = _front_for_audit(name, dataset, options, progress)
    described = {"name": name, "parameters": options}
    return draft(dataset, result, method=described, seed=seed, front=whole, kind=Release)


def trace_front(
    dataset: TableData | MixedData, *, method: str | None = None, progress: Progress = silent, **options: Any
) -> Front | MixedFront:
    """Trace the least loss of a table for every k at once, or of a table with baskets what its two parts lose."""
    mixed = isinstance(dataset, MixedData)
    name, fronts = method or ("bound" if mixed else "pareto"), ("bound",) if mixed else _FRONTS
    if name not in fronts:
        raise InputError(f"method: {name} traces no front of such data; there are {', '.join(fronts)}")
    if isinstance(dataset, TableData):
        dataset.guard({})
        result = _make(name, dataset, options, progress, None)
        return Front(dataset, result, {"name": name, "parameters": options})
    stated = {key: options[key] for key in _GUARANTEE if key in options}
    dataset.claim(stated)
    dataset.guard(stated)
    result = _make(name, dataset, {**options, "delta": _SWEEP}, progress, None)
    return MixedFront(dataset, result, {"name": name, "parameters": options})


def apply(
    dataset: Dataset,
    recoding: Mapping[str, Any],
    *,
    seed: int | None = None,
    suppress: float = 0.0,
    **guarantee: Any,
) -> Release:
    """Recode new records by a stored rule and judge the outcome.

    Raises
    ------
    UnkeptError
        The new records do not meet the guarantee under this rule.
    """
    dataset.guard(guarantee)
    claim = dataset.claim(guarantee)
    described = {"name": "recoding", "parameters": {**guarantee, "suppress": suppress}}
    made = dataset.recode(recoding, claim, suppress)
    return draft(dataset, made, method=described, seed=seed, kind=Release, refusal=UnkeptError)


def _only_k(name: str, stated: Mapping[str, Any]) -> int:
    """The k to pick from a front; a front knows no other guarantee."""
    if set(stated) != {"k"}:
        raise InputError(f"{name}: a front trades k alone; use method optimal for l or t")
    return int(stated["k"])


def _front_for_audit(
    name: str, dataset: Dataset, options: Mapping[str, Any], progress: Progress
) -> dict[str, Any] | None:
    """The whole trade-off, for the audit, where tracing it is cheap beside the run."""
    if isinstance(dataset, MixedData) and name == "bound" and dataset.baskets.n <= _AUDIT_RECORDS:
        return trace_front(dataset, progress=progress, **options).as_dict()
    if not isinstance(dataset, TableData) or options.get("loss") == "c_avg":  # which no front can compare
        return None
    if np.prod([tree.height + 1.0 for tree in dataset.hierarchies.values()]) > _AUDIT_LATTICE:
        return None
    shared = {key: options[key] for key in ("suppress", "loss", "target") if key in options}
    return trace_front(dataset, progress=progress, seconds=_AUDIT_SECONDS, **shared).as_dict()


def _make(
    name: str, dataset: Dataset, options: Mapping[str, Any], progress: Progress, seed: int | None
) -> Any:
    """Run a maker on what it asks for by name, its options checked against its signature."""
    found = method(name)
    if found.shape != dataset.shape:
        fitting = ", ".join(other.name for other in METHODS.values() if other.shape == dataset.shape)
        raise InputError(
            f"method: {name} is made for {found.shape}, not {dataset.shape}; use one of {fitting}"
        )
    maker = found.load()
    taken = inspect.signature(maker).parameters
    inputs = {key: value for key, value in dataset.inputs.items() if key in taken}
    own = [p.name for p in taken.values() if p.kind is p.KEYWORD_ONLY and p.name not in inputs]
    _check_options(name, maker, options, own)
    given = {"rng": np.random.default_rng(seed)} if seed is not None and "rng" in taken else {}
    return maker(**inputs, progress=progress, **given, **options)


def _check_options(
    name: str, maker: Callable[..., Any], options: Mapping[str, Any], known: list[str]
) -> None:
    """Refuse an option that the maker does not have, or of another type."""
    hints = get_type_hints(maker)
    offered = [key for key in known if key not in _OURS]
    for key, value in options.items():
        if key not in offered:
            raise InputError(f"method {name}: no parameter '{key}'; there are {', '.join(offered)}")
        if not _fits(value, hints[key]):
            raise InputError(
                f"method {name}: parameter '{key}' has the wrong type; its documentation says what it takes"
            )


def _fits(value: object, hint: Any) -> bool:
    """Whether a value from a configuration file is of a parameter's type; whole numbers count as real ones."""
    kinds = get_args(hint) or (hint,)
    if isinstance(value, bool):
        return bool in kinds
    if isinstance(value, int) and float in kinds:
        return True
    plain = [kind for kind in kinds if isinstance(kind, type)]
    return len(plain) < len(kinds) or any(isinstance(value, kind) for kind in plain)
