"""A method at work on a dataset: whether it suits the data and the claim, what it is given, and what it makes."""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Any

import numpy as np

from shoal.algorithms import Method, find_method, methods_for
from shoal.base.arguments import check_options, check_whole
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.progress import Progress
from shoal.privacy import (
    GUARANTEE,
    METHOD_KEYS,
    CoreAnonymity,
    KAnonymity,
    LinkedAnonymity,
    needs_population,
    require_protection,
)
from shoal.release import Claim, Result
from shoal.risks.individual import RecordRisks
from shoal.shapes.dataset import Dataset
from shoal.shapes.mixed import MixedData
from shoal.shapes.table.data import TableData

__all__ = [
    "claim_from_options",
    "explain_mismatch",
    "k_for_front",
    "make_result",
    "split_options",
    "trace_points",
]

_CLAIMED = {key: key for key in GUARANTEE} | METHOD_KEYS
"""The options that make the claim, and what the claim calls them."""


def explain_mismatch(method: Method, dataset: Dataset, claim: Claim | None) -> str | None:
    """Why a method cannot do what is asked of it, in a sentence; None where it can."""
    if method.shape != dataset.shape:
        names = ", ".join(candidate.name for candidate in methods_for(dataset.shape))
        return f"method: {method.name} is made for {method.shape}, not {dataset.shape}; use one of {names}"
    cuts = method.fragments == "table" and "fragment" in dataset.options
    if dataset.shape == "table" and not dataset.in_memory and not (method.theme.counts or cuts):
        names = ", ".join(
            candidate.name for candidate in methods_for(dataset.shape) if candidate.theme.counts
        )
        why = f" ({method.at_once})" if method.at_once else ""
        return (
            f"method: {method.name} needs all records in memory{why}, and this table is too large; "
            f"use one of {names}"
        )
    if method.public and isinstance(dataset, TableData) and dataset.public is None:
        built = [name for name, hierarchy in dataset.hierarchies.items() if not hierarchy.public]
        if built:
            return (
                f"method: {method.name} needs hierarchies that are not made of the data, and that of '{built[0]}' is; "
                "give files, or other people as [population]"
            )
    for part in claim.parts if claim is not None else ():
        if part.named not in method.claims:
            if CoreAnonymity.model in method.claims:
                return (
                    f"method: {method.name} keeps known_at_once, and {part.named} does not go with it; leave one of "
                    "them out, or give known columns the role quasi"
                )
            names = " or ".join(candidate.name for candidate in methods_for(dataset.shape, (part.named,)))
            return (
                f"method: {method.name} cannot make a release that keeps {part.named}; use {names}, or ask for "
                "another guarantee"
            )
    return None


def split_options(options: Mapping[str, Any], method: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split options in two: those that make the claim, under its own names, and the method's, `alpha` of cahd too."""
    parameters = set() if method is None else set(inspect.signature(find_method(method).load()).parameters)
    claimed = {key for key in options if key in _CLAIMED and key not in parameters}
    stated = {_CLAIMED[key]: options[key] for key in options if key in claimed}
    return stated, {key: value for key, value in options.items() if key not in claimed}


def claim_from_options(dataset: Dataset, method: str | None, options: Mapping[str, Any]) -> Claim:
    """The claim that these options make for a dataset; `find_method` takes those that are its own parameters.

    Raises
    ------
    InputError
        They make none, or promise nobody anything.
    """
    return require_protection(dataset.claim(split_options(options, method)[0]))


def k_for_front(name: str, claim: Claim) -> int:
    """The k to pick from a front; a front knows no other guarantee."""
    if not isinstance(claim, KAnonymity):
        raise InputError(
            f"{name}: a front trades k alone; use method {find_method(name).point} for {claim.parts[-1].named}"
        )
    return claim.k


def trace_points(dataset: Dataset, name: str, options: Mapping[str, Any], progress: Progress) -> Any:
    """The points of a front: every k of a table, or every bound of a table with baskets, and what each loses."""
    if not isinstance(dataset, MixedData):
        return make_result(name, dataset, None, options, progress, None)
    stated, method_options = split_options(options, name)
    claim = require_protection(dataset.claim(stated))
    dataset.guard(claim)
    every = (find_method(name).front, "fragment")  # what is traced, over all records
    method_options = {key: value for key, value in method_options.items() if key not in every}
    from shoal.algorithms.mixed.bound import tradeoff  # kernels are heavy, and only this job needs them

    return _run_algorithm(tradeoff, name, dataset, claim, method_options, progress, None)


def make_result(
    name: str,
    dataset: Dataset,
    claim: Claim | None,
    options: Mapping[str, Any],
    progress: Progress,
    seed: int | None,
) -> Any:
    """Run a method that suits the data and the claim."""
    entry = find_method(name)
    if (why := explain_mismatch(entry, dataset, claim)) is not None:
        raise InputError(why)
    options = _drop_audit_options(entry, options)
    if "individual_risk" in options and entry.lowers_risk and claim is not None:
        method_options = {key: value for key, value in options.items() if key != "individual_risk"}
        make_with = partial(make_result, name, dataset, options=method_options, progress=progress, seed=seed)
        return _lower_individual_risk(make_with, entry, dataset, claim, options["individual_risk"])
    if "minimal" in options and entry.is_steered and claim is not None:
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


def _lower_individual_risk(
    make: Callable[..., Result[Any]], found: Method, dataset: Dataset, claim: Claim, limit: object
) -> Result[Any]:
    """Raise k until no released person has an individual risk above the limit; what is claimed stays as it is.

    A person with f look-alikes has a risk of at most 1 / f, so k never has to be larger than 1 / limit.
    """
    if not isinstance(limit, int | float) or isinstance(limit, bool) or not 0 < limit <= 1:
        raise InputError(
            f"method {found.name}: individual_risk must be a number above 0 and up to 1, such as 0.05"
        )
    if not isinstance(dataset, TableData) or dataset.table.weights is None:
        raise InputError(
            f"method {found.name}: individual_risk is by sampling weights, and no column says how many people a record "
            "stands for; give one column the role weight, or leave individual_risk out"
        )
    if not any(part.named == KAnonymity.model for part in claim.parts):
        raise InputError(
            f"method {found.name}: individual_risk raises k, and the guarantee has none; give k too"
        )
    from shoal.algorithms.constraint import SLACK, raise_k, search_least_k  # its kernels are heavy
    from shoal.assess.table_facts import build_released_table

    table, highest = dataset.table, 0.0

    def run(k: int) -> tuple[Result[Any], bool]:
        nonlocal highest
        result = make(claim=raise_k(claim.parts, k))
        released = build_released_table(table, result.release, dataset.hierarchies)
        highest = float(RecordRisks.of(released, released.quasi, dataset.blanks).risk.max(initial=0.0))
        return result, highest <= limit + SLACK

    people = table.n if table.persons is None else len(np.unique(table.persons))
    result, is_reached = search_least_k(run, claim.crowd, min(ceil(1 / limit - SLACK), people))
    if not is_reached:
        raise InfeasibleError(
            f"method {found.name}: individual_risk = {limit:g} cannot be reached, for {people} people in one class "
            f"have {highest:.2g}; ask for a higher one, or add records"
        )
    return replace(result, claim=claim)


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
