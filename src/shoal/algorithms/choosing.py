"""Which makers fit a configuration, and what of its section [method] fits a maker; no maker is imported for it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from shoal.algorithms import Method, fitting
from shoal.algorithms.knobs import Knob, knobs
from shoal.errors import InputError
from shoal.privacy.attackers import claim_in_words

__all__ = ["common_knobs", "fitting_makers", "fitting_method", "serving", "strange_to"]


def fitting_makers(shape: str, configuration: Mapping[str, Any]) -> list[Method]:
    """The makers that keep what a configuration asks for; all of the shape where that makes no sense.

    Parameters
    ----------
    shape
        Of the data: table, baskets, mixed or trees.
    configuration
        As data in the shape of shoal.toml.
    """
    try:
        claim = claim_in_words(shape, configuration)
    except InputError:
        return fitting(shape)
    return fitting(shape, [part.named for part in claim.parts])


def fitting_method(makers: Collection[Method], method: Mapping[str, Any]) -> dict[str, Any]:
    """A section [method] as far as it fits: the maker if it is one of these, and the parameters that it has.

    Where it names none of them, the parameters stay that all of them have.
    """
    name = method.get("name") if method.get("name") in [one.name for one in makers] else None
    known = [knob.name for knob in (common_knobs(makers) if name is None else knobs(name))]
    kept = {key: value for key, value in method.items() if key in known}
    return {**({} if name is None else {"name": name}), **kept}


def common_knobs(makers: Collection[Method]) -> list[Knob]:
    """The parameters that every one of some makers has."""
    every = [{knob.name: knob for knob in knobs(one.name)} for one in makers]
    return [knob for name, knob in every[0].items() if all(name in other for other in every)] if every else []


def strange_to(maker: str, method: Mapping[str, Any]) -> list[str]:
    """The parameters in a section [method] that a maker does not have.

    >>> strange_to("optimal", {"name": "mstk", "suppress": 0.1, "rule": "paper"})
    ['rule']
    """
    own = {knob.name for knob in knobs(maker)}
    return [key for key in method if key != "name" and key not in own]


def serving(front: Sequence[Mapping[str, Any]], k: int) -> int:
    """The place of the cheapest point of a front, as a result writes it, that reaches k; the last where none does.

    >>> serving([{"k": 1}, {"k": 4}, {"k": 9}], 3), serving([{"k": 1}, {"k": 4}], 5)
    (1, 1)
    """
    return next((place for place, point in enumerate(front) if point["k"] >= k), len(front) - 1)
