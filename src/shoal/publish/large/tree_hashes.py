"""Record trees as random numbers: equal trees have equal ones, so sets of trees are compared by their sums."""

import numpy as np

from shoal.data import Trees
from shoal.data.types import U8

__all__ = ["hashed"]

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MORE = np.uint64(0xBF58476D1CE4E5B9)
_LESS = np.uint64(0x94D049BB133111EB)


def hashed(trees: Trees, key: int) -> U8:
    """A number for each tree, equal for equal trees: uint64[n]."""
    size = np.diff(trees.start)
    place = np.arange(len(trees.items)) - np.repeat(trees.start[:-1], size)
    node = trees.items.astype(np.uint64) * _ODD + (trees.parents + 2).astype(np.uint64) * _MORE
    mixed = _mixed(node + place.astype(np.uint64) * _LESS + np.uint64(key))
    sums = np.r_[np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)]
    return _mixed(sums[trees.start[1:]] - sums[trees.start[:-1]] + size.astype(np.uint64) * _ODD)


def _mixed(numbers: U8) -> U8:
    """Let every bit depend on every other."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _MORE
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _LESS
    return numbers ^ (numbers >> np.uint64(31))
