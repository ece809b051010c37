"""Which baskets are needed to tell the rare combinations of items from the others.

start  : int64[n + 1]  row i holds items[start[i] : start[i + 1]]
items  : int32         ascending within a row, below `width`
weight : int64[n]      how many records look like row i
"""

import numpy as np

from shoal.kernels.hashing import slot
from shoal.kernels.jit import inner, njit
from shoal.kernels.types import B1, I4, I8

__all__ = ["needed"]


@inner
def _first(places: I8, size: int) -> None:
    for i in range(size):
        places[i] = i


@inner
def _next(places: I8, size: int, length: int) -> bool:
    """Step to the next combination of places; False behind the last."""
    i = size - 1
    while i >= 0 and places[i] == length - size + i:
        i -= 1
    if i < 0:
        return False
    places[i] += 1
    for j in range(i + 1, size):
        places[j] = places[j - 1] + 1
    return True


@inner
def _key(items: I4, begin: int, places: I8, size: int, width: int) -> int:
    key = 0
    for i in range(size):
        key = key * (width + 1) + int(items[begin + places[i]]) + 1  # items are int32, and a key is wider
    return key


@inner
def _find(keys: I8, key: int) -> int:
    """The slot that holds a key, or the empty one where it belongs."""
    last = len(keys) - 1
    s = slot(key, last)
    while keys[s] >= 0 and keys[s] != key:
        s = (s + 1) & last
    return s


@inner
def _wider(keys: I8, counts: I8) -> tuple[I8, I8]:
    wide, many = np.full(2 * len(keys), -1, dtype=np.int64), np.zeros(2 * len(keys), dtype=np.int64)
    for s in range(len(keys)):
        if keys[s] >= 0:
            at = _find(wide, keys[s])
            wide[at], many[at] = keys[s], counts[s]
    return wide, many


@njit
def needed(
    start: I8,
    items: I4,
    weight: I8,
    width: int,
    size: int,
    k: int,
    most: int,
    keys: I8,
    counts: I8,
    used: int,
) -> tuple[B1, I8, I8, int]:
    """Mark rows so that each combination of at most `size` items is in k marked records, or in all that hold it.

    A row is passed over when every combination of `size` of its items (of all its items, where it has fewer) is in k
    marked records. keys (-1: empty) and counts are a table of combinations with `used` entries, at first none; it is
    returned as it stands then, for the next rows. It has 2^b slots, at most `most`; rows with combinations that found
    no slot are marked. The caller makes sure that (width + 1) ** size is below 2^62.
    """
    marked = np.zeros(len(weight), dtype=np.bool_)
    places = np.zeros(size, dtype=np.int64)
    for row in range(len(weight)):
        length = start[row + 1] - start[row]
        taken = min(size, length)
        if taken == 0:
            continue
        _first(places, taken)
        while True:
            s = _find(keys, _key(items, start[row], places, taken, width))
            if keys[s] < 0 or counts[s] < k:
                marked[row] = True
                break
            if not _next(places, taken, length):
                break
        if not marked[row]:
            continue
        _first(places, taken)
        while True:
            key = _key(items, start[row], places, taken, width)
            s = _find(keys, key)
            if keys[s] < 0 and 2 * used >= len(keys) and 2 * len(keys) <= most:
                keys, counts = _wider(keys, counts)
                s = _find(keys, key)
            if keys[s] < 0 and 2 * used < len(keys):
                keys[s] = key
                used += 1
            if keys[s] >= 0:
                counts[s] += weight[row]
            if not _next(places, taken, length):
                break
    return marked, keys, counts, used
