"""What numpy offers too, in plain loops: numpy's own takes numba seconds to compile, and a first run waits for it.

values : int32 or int64[n], or of any type where nothing is compared
"""

from typing import Any

import numpy as np

from shoal.kernels.jit import inner, njit
from shoal.kernels.types import I4, I8

__all__ = ["copy_into", "counted", "grown", "grown_rows", "ranked", "sort"]


@inner
def copy_into(room: Any, at: int, values: Any) -> None:
    """Write `values` to `room` from place `at` on."""
    for i in range(len(values)):
        room[at + i] = values[i]


@inner
def grown(values: Any, length: int) -> Any:
    """`values` with room behind them, `length` in all; what stands there is left open."""
    wide = np.empty(length, dtype=values.dtype)
    copy_into(wide, 0, values)
    return wide


@inner
def grown_rows(values: Any, length: int) -> Any:
    """The rows of `values` with room behind them, `length` in all."""
    wide = np.empty((length, values.shape[1]), dtype=values.dtype)
    for i in range(len(values)):
        for j in range(values.shape[1]):
            wide[i, j] = values[i, j]
    return wide


@inner
def _sink(values: I4 | I8, at: int, end: int) -> None:
    """Let the value at `at` sink below larger ones, in the heap of the first `end` values."""
    value = values[at]
    while 2 * at + 1 < end:
        child = 2 * at + 1
        if child + 1 < end and values[child + 1] > values[child]:
            child += 1
        if values[child] <= value:
            break
        values[at] = values[child]
        at = child
    values[at] = value


@njit
def sort(values: I4 | I8) -> None:
    """Sort `values` in place, rising."""
    for at in range(len(values) // 2 - 1, -1, -1):
        _sink(values, at, len(values))
    for end in range(len(values) - 1, 0, -1):
        values[0], values[end] = values[end], values[0]
        _sink(values, 0, end)


@njit
def ranked(values: Any) -> I8:
    """Where the rising values stand, equal ones as they come: runs of 1, 2, 4, ... places are merged."""
    n = len(values)
    order, other = np.arange(n), np.empty(n, dtype=np.int64)
    run = 1
    while run < n:
        for begin in range(0, n, 2 * run):
            middle, end = min(begin + run, n), min(begin + 2 * run, n)
            left, right = begin, middle
            for at in range(begin, end):
                if right == end or (left < middle and values[order[left]] <= values[order[right]]):
                    other[at] = order[left]
                    left += 1
                else:
                    other[at] = order[right]
                    right += 1
        order, other = other, order
        run *= 2
    return order


@inner
def counted(values: I8, count: int) -> I8:
    """How often each of 0 .. count-1 is among `values`."""
    times = np.zeros(count, dtype=np.int64)
    for i in range(len(values)):
        times[values[i]] += 1
    return times
