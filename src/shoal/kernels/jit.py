"""`njit` as every kernel uses it: no GIL, compiled code cached wherever a cache can be kept."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

__all__ = ["njit"]

P = ParamSpec("P")
R = TypeVar("R")


def njit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` at its first call; a read-only install with no cache folder compiles every time."""
    try:
        return cast(Callable[P, R], numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # numba found no folder it may write to
        return cast(Callable[P, R], numba.njit(nogil=True)(function))
