"""Checks of what somebody gives a function: each says in one sentence what it was given and what it takes."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name

__all__ = [
    "check_arguments",
    "check_control",
    "check_options",
    "check_seed",
    "check_whole",
    "is_number",
]


_OURS = ("progress", "rng", "whole", "public")


_MOST = 2**31 - 1
"""The largest whole number that counts anything here."""


def check_options(
    name: str, algorithm: Callable[..., Any], options: Mapping[str, Any], known: Sequence[str]
) -> None:
    """Refuse an option that the method does not have, or that is of another type."""
    hints = get_type_hints(algorithm)
    allowed = [key for key in known if key not in _OURS]
    for key, value in options.items():
        if key not in allowed:
            raise InputError(f"method {name}: no parameter '{key}'; {suggest_name(key, allowed)}")
        if not _has_type(value, hints[key]):
            raise InputError(f"method {name}: parameter '{key}' must be {_describe_type(hints[key])}")


def check_arguments(name: str, hints: Mapping[str, Any], **given: Any) -> None:
    """Refuse an argument of a function of ours that is of another type."""
    for key, value in given.items():
        if not _has_type(value, hints[key]):
            raise InputError(f"{name}: '{key}' must be {_describe_type(hints[key])}")


def check_control(job: str, share: object) -> None:
    """Refuse a control group that is no share of the people."""
    if share is not None and not (is_number(share) and 0 < float(str(share)) < 1):
        raise InputError(
            f"{job}: control is not a share of the people; give one above 0 and below 1, such as 0.3"
        )


def check_seed(seed: object) -> None:
    """Refuse a seed that is no whole number from 0 on."""
    if seed is not None and (not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0):
        raise InputError("seed: it must be a whole number, 0 or more")


def check_whole(name: str, key: str, value: object) -> None:
    """Refuse a parameter of a method that is no whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"method {name}: parameter '{key}' must be a whole number of at least 1")


def is_number(value: object) -> bool:
    """Whether a value is a number that can be counted with.

    >>> [is_number(value) for value in (1, 0.5, float("nan"), float("inf"), True, "1", 10**400)]
    [True, True, False, False, False, False, False]
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return isfinite(value)
    except OverflowError:
        return False


def _has_type(value: object, hint: Any) -> bool:
    """Whether a value is of a type; whole numbers count as real ones, lists as tuples."""
    parts = get_args(hint)
    match get_origin(hint) or hint:
        case kind if kind in (Union, UnionType):
            return any(_has_type(value, part) for part in parts)
        case kind if kind is Literal:
            return isinstance(value, str) and value in parts
        case kind if kind is bool:
            return isinstance(value, bool)
        case kind if kind is int:
            return isinstance(value, Integral) and not isinstance(value, bool) and abs(int(value)) <= _MOST
        case kind if kind is float:
            return is_number(value)
        case kind if kind in (str, NoneType):
            return isinstance(value, kind)
        case kind if kind is Mapping:
            return isinstance(value, Mapping) and all(
                _has_type(key, parts[0]) and _has_type(item, parts[1]) for key, item in value.items()
            )
        case kind if kind in (Sequence, tuple):
            return isinstance(value, list | tuple) and all(_has_type(item, parts[0]) for item in value)
        case _:
            return True


_WORDS = {
    bool: ("true or false", "truth values"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("a text", "texts"),
}


def _describe_type(hint: Any, many: bool = False) -> str:
    """A type in words.

    >>> _describe_type(Mapping[str, float] | None), _describe_type(Sequence[Sequence[str]])
    ('a table of names and numbers', 'a list of lists of texts')
    """
    parts = [part for part in get_args(hint) if part is not NoneType]
    match get_origin(hint) or hint:
        case kind if kind in (Union, UnionType):
            return " or ".join(_describe_type(part, many) for part in parts)
        case kind if kind is Literal:
            return f"one of {', '.join(parts)}" if len(parts) > 1 else f"'{parts[0]}'"
        case kind if kind is Mapping:
            return f"{'tables' if many else 'a table'} of names and {_describe_type(parts[1], many=True)}"
        case kind if kind in (Sequence, tuple):
            return f"{'lists' if many else 'a list'} of {_describe_type(parts[0], many=True)}"
        case kind:
            return _WORDS[kind][many] if kind in _WORDS else "something else"
