"""The points of a comparison: one maker at one choice of the numbers that are swept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

from shoal.algorithms import METHODS, method
from shoal.errors import InputError
from shoal.naming import offered
from shoal.privacy import GUARANTEE
from shoal.publish.making import claim_asked, unfit
from shoal.publish.protocols import Dataset
from shoal.publish.study.compare.sweeps import SWEPT, Numbers, crossed

__all__ = ["USUAL", "Point", "fitting", "points_of"]

USUAL = "default"
"""The word for the maker that `shoal run` takes where none is named."""

_CLAIMED = (*GUARANTEE, "insiders", "privacy")
"""Options that make the claim, so that every maker is held to them."""

_LEFT_OUT = {  # where nobody names them
    "poka": "it searches for what optimal finds",
    "pareto": "at one k it finds what optimal finds",
}


@dataclass(frozen=True, slots=True)
class Point:
    """One maker, and all that it is asked for.

    options : what `anonymize` is given: the claim's numbers and the maker's parameters
    """

    maker: str
    options: Mapping[str, Any]
    seed: int | None = None

    @property
    def numbers(self) -> dict[str, Any]:
        """What can be swept, as it is at this point; None where the maker takes no such number or chooses it."""
        return {name: self.options.get(name) for name in SWEPT}

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells this point from others of the same data and configuration."""
        return (self.maker, *self.numbers.values())


def points_of(
    makers: Sequence[str], sweeps: Mapping[str, Numbers], options: Mapping[str, Any], seed: int | None = None
) -> list[Point]:
    """Every maker at every point, a point at a time, so that makers take turns.

    A maker is given what of `options` makes the claim, and those parameters that it has.
    """
    takes = {name: _parameters(name) for name in makers}
    return [
        Point(name, _taken({**options, **chosen}, takes[name]), seed)
        for chosen in crossed(sweeps)
        for name in makers
    ]


def _taken(options: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key in _CLAIMED or key in own}


def fitting(
    dataset: Dataset,
    methods: Sequence[str] | None,
    sweeps: Mapping[str, Numbers],
    options: Mapping[str, Any],
) -> tuple[list[str], dict[str, str]]:
    """The makers to compare, and those that are left out with the reason; named ones are never left out.

    The word `default` names the maker that `shoal run` would take.

    Raises
    ------
    InputError
        A named maker is unknown or cannot do what is asked; none can; or the numbers make no claim.
    """
    _require_known(dataset.shape, options)
    claims = [
        claim_asked(dataset, None, {**_claimed(options), **_claimed(chosen)}) for chosen in crossed(sweeps)
    ]
    if methods is not None:
        methods = [dataset.default({**options, **sweeps}) if name == USUAL else name for name in methods]
        for name in methods:
            why = _unfit(name, dataset, claims, sweeps)
            if why is not None:
                raise InputError(why)
        if not methods:
            raise InputError("compare: no maker is named; leave --methods out, and all that fit are compared")
        return list(dict.fromkeys(methods)), {}
    able = [name for name in METHODS if _unfit(name, dataset, claims, sweeps) is None]
    makers = [name for name in able if name not in _LEFT_OUT]
    if not able:
        raise InputError(
            "compare: no maker takes all that is asked for; sweep fewer numbers, or name makers in --methods"
        )
    return (makers, {name: why for name, why in _LEFT_OUT.items() if name in able}) if makers else (able, {})


def _require_known(shape: str, options: Mapping[str, Any]) -> None:
    """Refuse a parameter that no maker of such data has: it is a slip."""
    suited = [found for found in METHODS.values() if found.shape == shape]
    own = dict.fromkeys(
        key for found in suited for key, p in _parameters(found.name).items() if p.kind is p.KEYWORD_ONLY
    )
    for key in options:
        if key not in own and key not in _CLAIMED:
            raise InputError(f"compare: no maker of such data has a parameter '{key}'; {offered(key, own)}")


def _parameters(name: str) -> Mapping[str, Any]:
    return signature(method(name).load()).parameters


def _claimed(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key in _CLAIMED}


def _unfit(name: str, dataset: Dataset, claims: Sequence[Any], sweeps: Mapping[str, Numbers]) -> str | None:
    """Why a maker cannot be compared, in a sentence."""
    found = method(name)
    for claim in claims:
        if (why := unfit(found, dataset, claim)) is not None:
            return f"compare: {why.removeprefix('method: ')}"
    own = _parameters(name)
    for swept in sweeps:
        if swept not in own and swept not in _CLAIMED:
            return f"compare: {name} takes no {swept}; leave {name} out of --methods, or sweep something else"
    return None
