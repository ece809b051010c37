"""Equal tuples, packed: group them, count them, roll them up a lattice of levels.

words  : int64[W, n]  tuple i as bit fields; word 0 holds up to 63 bits, every further word up to 32
counts : int64[n]     how many records tuple i stands for

A field holds a *place*: the first leaf of the node that the value was generalized to. One table of places
a level then serves from every level below it, because a node's first leaf lies inside the node.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import njit

__all__ = ["Layout", "fold", "label", "lift", "masked", "roll_up"]

I8 = NDArray[np.int64]


class Layout(NamedTuple):
    """Where the columns lie in a packed tuple, and what generalizing does to them.

    word, shift, mask : int64[d]   column j is (words[word[j]] >> shift[j]) & mask[j]
    at     : int64[d, levels]      where column j's table of a level begins in `places`; short ones repeat their root
    places : int64[...]            place of a leaf at that level
    """

    word: I8
    shift: I8
    mask: I8
    at: I8
    places: I8


@njit
def _slot(key: int, last: int) -> int:
    """A slot of a table with `last` + 1 = 2^b slots; both products stay below 2^63, so nothing overflows."""
    mixed = (key & 0xFFFFFFFF) * 0x4F1BBCDD ^ (key >> 32) * 0x6C8E9CF5
    return (mixed ^ (mixed >> 29) ^ (mixed >> 47)) & last


@njit
def _slots(n: int) -> NDArray[np.int32]:
    """An empty table, at most half of it to be filled by n keys."""
    size = 16
    while size < 2 * n:
        size *= 2
    return np.full(size, -1, dtype=np.int32)


@njit
def _number(keys: I8, numbers: I8) -> int:
    """Write each key's number in order of first appearance; return how many there are."""
    slots = _slots(len(keys))
    last = len(slots) - 1
    distinct = np.empty(len(keys), dtype=np.int64)
    found = 0
    for i in range(len(keys)):
        key = keys[i]
        s = _slot(key, last)
        while slots[s] >= 0 and distinct[slots[s]] != key:
            s = (s + 1) & last
        if slots[s] < 0:
            slots[s] = found
            distinct[found] = key
            found += 1
        numbers[i] = slots[s]
    return found


@njit
def label(words: I8) -> tuple[I8, int]:
    """Number the tuples so that equal ones share a number, in order of first appearance: (int64[n], how many)."""
    numbers = np.empty(words.shape[1], dtype=np.int64)
    found = _number(words[0], numbers)
    for w in range(1, words.shape[0]):
        found = _number((numbers << 32) | words[w], numbers)
    return numbers, found


@njit
def fold(words: I8, counts: I8) -> int:
    """Unite equal tuples in place, adding up their counts; return how many are left in front."""
    if words.shape[0] > 1:
        return _fold_wide(words, counts)
    n = len(counts)
    keys = words[0]
    slots = _slots(n)
    last = len(slots) - 1
    found = 0
    for i in range(n):  # found <= i: what is overwritten has been read
        key = keys[i]
        s = _slot(key, last)
        g = slots[s]
        while g >= 0 and keys[g] != key:
            s = (s + 1) & last
            g = slots[s]
        if g < 0:
            slots[s] = found
            keys[found] = key
            counts[found] = counts[i]
            found += 1
        else:
            counts[g] += counts[i]
    return found


@njit
def _fold_wide(words: I8, counts: I8) -> int:
    numbers, found = label(words)
    filled = 0
    for i in range(len(counts)):
        g = numbers[i]
        if g == filled:
            for w in range(words.shape[0]):
                words[w, g] = words[w, i]
            counts[g] = counts[i]
            filled += 1
        else:
            counts[g] += counts[i]
    return found


@njit
def masked(words: I8, mask: I8) -> I8:
    """A copy with only the bits of `mask`, int64[W]."""
    copy = np.empty_like(words)
    for w in range(words.shape[0]):
        for i in range(words.shape[1]):
            copy[w, i] = words[w, i] & mask[w]
    return copy


@njit
def lift(words: I8, column: int, level: int, layout: Layout) -> None:
    """Generalize one column to `level`, in place."""
    word, shift, mask = layout.word[column], layout.shift[column], layout.mask[column]
    start = layout.at[column, level]
    rest = ~(mask << shift)
    for i in range(words.shape[1]):
        key = words[word, i]
        words[word, i] = (key & rest) | (layout.places[start + ((key >> shift) & mask)] << shift)


@njit
def roll_up(words: I8, counts: I8, below: I8, levels: I8, layout: Layout) -> tuple[I8, I8]:
    """The frequency table of node `levels` from that of `below`, a node under it."""
    words, counts = words.copy(), counts.copy()
    for j in range(len(levels)):
        if levels[j] != below[j]:
            lift(words, j, levels[j], layout)
    n = fold(words, counts)
    return words[:, :n].copy(), counts[:n].copy()
