"""What was counted before, by a 64-bit key.

slots : int64[2, 2^b]   keys (-1: empty) and what they stand for
"""

import numpy as np

from shoal.kernels.hashing import slot
from shoal.kernels.jit import njit
from shoal.kernels.types import I8

__all__ = ["empty", "recall", "remember"]


def empty(size: int = 1 << 12) -> I8:
    """A memory that holds nothing yet; `size` is a power of 2."""
    slots = np.full((2, size), -1, dtype=np.int64)
    return slots


@njit
def recall(slots: I8, keys: I8) -> I8:
    """What each key stands for, -1 where it is not known."""
    last = slots.shape[1] - 1
    found = np.full(len(keys), -1, dtype=np.int64)
    for place in range(len(keys)):
        s = slot(keys[place], last)
        while slots[0, s] >= 0:
            if slots[0, s] == keys[place]:
                found[place] = slots[1, s]
                break
            s = (s + 1) & last
    return found


@njit
def remember(slots: I8, held: int, keys: I8, values: I8) -> I8:
    """Add new keys to the `held` ones; return the memory, which may have grown."""
    while 2 * (held + len(keys)) > slots.shape[1]:
        wide = np.full((2, 2 * slots.shape[1]), -1, dtype=np.int64)
        for place in range(slots.shape[1]):
            if slots[0, place] >= 0:
                s = slot(slots[0, place], wide.shape[1] - 1)
                while wide[0, s] >= 0:
                    s = (s + 1) & (wide.shape[1] - 1)
                wide[0, s], wide[1, s] = slots[0, place], slots[1, place]
        slots = wide
    last = slots.shape[1] - 1
    for place in range(len(keys)):
        s = slot(keys[place], last)
        while slots[0, s] >= 0:
            s = (s + 1) & last
        slots[0, s], slots[1, s] = keys[place], values[place]
    return slots
