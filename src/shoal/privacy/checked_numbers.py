"""Checks of the numbers a claim is made of."""

from collections.abc import Sequence

import numpy as np

from shoal.errors import InputError
from shoal.naming import hint

__all__ = ["names", "one_of", "real", "whole"]

_MOST = 2**53  # beyond it floating point, in which some claims are weighed, skips whole numbers


def whole(name: str, value: object) -> int:
    """Return a whole number of at least 1, whatever kind of integer it came as."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and 1 <= value <= _MOST:
        return int(value)
    raise InputError(f"{name}={value!r}: {name} must be a whole number of at least 1, and at most 2**53")


def real(name: str, value: object, low: float, high: float, words: str) -> float:
    """Return a number from `low` to `high`; `words` say what is allowed."""
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        if low <= value <= high:
            return float(value)
    raise InputError(f"{name}={value!r}: {name} must be {words}")


def one_of(name: str, value: object, known: Sequence[str]) -> str:
    """Return one of the known words."""
    if isinstance(value, str) and value in known:
        return value
    raise InputError(f"{name}={value!r}: {name} must be one of {', '.join(known)}{hint(value, known)}")


def names(name: str, value: object) -> tuple[str, ...]:
    """Return a list of names as it is kept."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise InputError(f"{name}: it must be a list of names")
