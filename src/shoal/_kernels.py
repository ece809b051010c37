"""What all kernels share: how they are compiled, and loops over arrays, keys and bits.

Compiled code holds no GIL and is cached wherever a cache can be kept. A kernel that Python calls is `njit`; one that
only kernels call is `njit_inner`, which spares the code by which Python would call it. Compiling is what a first run
waits for, so what numpy offers too stands here in plain loops: numpy's own takes numba seconds to compile, and where it
computes, every later run imports SciPy for it.

values : int32 or int64[n], or of any type where nothing is compared
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np

from shoal._numba_internals import save_whole
from shoal.data.arrays import I4, I8

__all__ = [
    "before_compiling",
    "bincount",
    "copy_into",
    "cumulate",
    "find_slot",
    "hash_slot",
    "index_of_smallest",
    "njit",
    "njit_inner",
    "popcount",
    "resize",
    "resize_rows",
    "sort",
    "stable_argsort",
    "sum_values",
]

P = ParamSpec("P")
R = TypeVar("R")

before_compiling: list[Callable[[Any], None]] = []
"""A listener that is told which kernel Python calls, before it is looked for in the cache and compiled."""


def njit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` at its first call; a read-only install with no cache folder compiles every time."""
    kernel = _compile_kernel(function)
    if kernel is not function:
        _announce_compilation(kernel)
    return cast(Callable[P, R], kernel)


def njit_inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` when a kernel that calls it is compiled; Python must not call it."""
    return cast(Callable[P, R], _compile_kernel(function))


def _compile_kernel(function: Callable[..., Any]) -> Any:
    decorate: Any = numba.njit
    try:
        kernel = decorate(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no folder it may write to
        kernel = decorate(nogil=True)(function)
    if kernel is not function:  # as it is where compiling is switched off
        save_whole(kernel)
        _pass_over_unreadable(kernel)
    return kernel


def _pass_over_unreadable(kernel: Any) -> None:
    """Let a kernel be compiled anew where the cache is of another version, whose modules had other names."""
    compile_ = kernel.compile

    def compile_readable(types: Any) -> Any:
        try:
            return compile_(types)
        except (ImportError, AttributeError):
            name = f"{kernel.py_func.__module__.rpartition('.')[2]}.{kernel.py_func.__qualname__}"
            for index in Path(kernel.stats.cache_path or "").glob(f"{name}-*.nbi"):
                index.unlink(missing_ok=True)
            return compile_(types)

    kernel.compile = compile_readable


def _announce_compilation(kernel: Any) -> None:
    compile_ = kernel.compile

    def announce(types: Any) -> Any:
        for tell in before_compiling:
            tell(kernel)
        return compile_(types)

    kernel.compile = announce


@njit_inner
def copy_into(room: Any, at: int, values: Any) -> None:
    """Write `values` to `room` from place `at` on."""
    for i in range(len(values)):
        room[at + i] = values[i]


@njit_inner
def resize(values: Any, length: int) -> Any:
    """`values` with room behind them, `length` in all; what stands there is left open."""
    wide = np.empty(length, dtype=values.dtype)
    copy_into(wide, 0, values)
    return wide


@njit_inner
def resize_rows(values: Any, length: int) -> Any:
    """The rows of `values` with room behind them, `length` in all."""
    wide = np.empty((length, values.shape[1]), dtype=values.dtype)
    for i in range(len(values)):
        for j in range(values.shape[1]):
            wide[i, j] = values[i, j]
    return wide


@njit_inner
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
    for index in range(len(values) // 2 - 1, -1, -1):
        _sink(values, index, len(values))
    for end in range(len(values) - 1, 0, -1):
        values[0], values[end] = values[end], values[0]
        _sink(values, 0, end)


@njit
def stable_argsort(values: Any) -> I8:
    """Where the rising values stand, equal ones as they come: runs of 1, 2, 4, ... places are merged."""
    n = len(values)
    order, buffer = np.arange(n), np.empty(n, dtype=np.int64)
    run = 1
    while run < n:
        for begin in range(0, n, 2 * run):
            middle, end = min(begin + run, n), min(begin + 2 * run, n)
            left_index, right_index = begin, middle
            for index in range(begin, end):
                if right_index == end or (
                    left_index < middle and values[order[left_index]] <= values[order[right_index]]
                ):
                    buffer[index] = order[left_index]
                    left_index += 1
                else:
                    buffer[index] = order[right_index]
                    right_index += 1
        order, buffer = buffer, order
        run *= 2
    return order


@njit_inner
def bincount(values: I8, count: int) -> I8:
    """How often each of 0 .. count-1 is among `values`."""
    times = np.zeros(count, dtype=np.int64)
    for i in range(len(values)):
        times[values[i]] += 1
    return times


@njit_inner
def sum_values(values: Any) -> int:
    """The sum of whole numbers."""
    total = 0
    for i in range(len(values)):
        total += values[i]
    return total


@njit_inner
def cumulate(values: I8) -> None:
    """Add to each value all before it, in place."""
    for i in range(1, len(values)):
        values[i] += values[i - 1]


@njit_inner
def index_of_smallest(values: I8) -> int:
    """Where the first of the smallest values stands."""
    least = 0
    for i in range(1, len(values)):
        if values[i] < values[least]:
            least = i
    return least


@njit
def hash_slot(key: int, last: int) -> int:
    """The first slot to look in, of a table with `last` + 1 = 2^b; both products stay below 2^63.

    Callers number keys as they first appear, so slots change no result.
    """
    mixed_key = (key & 0xFFFFFFFF) * 0x4F1BBCDD ^ (key >> 32) * 0x6C8E9CF5
    return (
        mixed_key ^ (mixed_key >> 29)
    ) & last  # keys that differ in high bits only must not share their slots


@njit_inner
def find_slot(keys: I8, key: int) -> int:
    """The slot of a table of keys (-1: empty) that holds a key, or the empty one where it belongs."""
    last_slot = len(keys) - 1
    s = hash_slot(key, last_slot)
    while keys[s] >= 0 and keys[s] != key:
        s = (s + 1) & last_slot
    return s


@njit
def popcount(word: int | np.uint64) -> int:
    """Count the bits of 64, or of a whole number from 0; the compiler knows this idiom."""
    x = np.uint64(word)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))
