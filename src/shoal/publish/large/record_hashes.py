"""Records as random numbers: equal ones have equal numbers, so whole releases are compared by their sums."""

import numpy as np

from shoal.data import Trees
from shoal.data.types import I4, I8, U8

__all__ = ["hashed", "hashed_lists"]

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MORE = np.uint64(0xBF58476D1CE4E5B9)
_LESS = np.uint64(0x94D049BB133111EB)


def hashed(trees: Trees, key: int) -> U8:
    """A number for each tree, equal for equal trees: uint64[n]."""
    return _hashed(trees.start, trees.items, trees.parents + 2, key)


def hashed_lists(start: I8, items: I4 | I8, key: int) -> U8:
    """A number for each list, equal for equal lists: uint64[n]; row i holds items[start[i] : start[i + 1]]."""
    return _hashed(start, items, np.zeros(len(items), dtype=np.int32), key)


def _hashed(start: I8, items: I4 | I8, beside: I4, key: int) -> U8:
    size = np.diff(start)
    place = np.arange(len(items)) - np.repeat(start[:-1], size)
    node = items.astype(np.uint64) * _ODD + beside.astype(np.uint64) * _MORE
    mixed = _mixed(node + place.astype(np.uint64) * _LESS + np.uint64(key))
    sums = np.r_[np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)]
    return _mixed(sums[start[1:]] - sums[start[:-1]] + size.astype(np.uint64) * _ODD)


def _mixed(numbers: U8) -> U8:
    """Let every bit depend on every other."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _MORE
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _LESS
    return numbers ^ (numbers >> np.uint64(31))
