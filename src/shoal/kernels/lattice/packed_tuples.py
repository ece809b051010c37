"""Equal tuples, packed: group them, count them, roll them up a lattice of levels.

words  : int64[W, n]  tuple i as bit fields; word 0 holds up to 63 bits, every further word up to 32
counts : int64[n]     how many records tuple i stands for

Copies are loops: slice assignment compiles ten times as long for the sake of its error message.
A field holds a *place*: the first leaf of the node that the value was generalized to. One table of places
a level then serves from every level below it, because a node's first leaf lies inside the node.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.hashing import slot
from shoal.kernels.jit import inner, njit
from shoal.kernels.types import I4, I8

__all__ = ["Layout", "climb", "fold", "label", "lift", "masked", "roll_up"]


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


@inner
def _slots(n: int) -> I4:
    """An empty table, at most half of it to be filled by n keys."""
    size = 16
    while size < 2 * n:
        size *= 2
    return np.full(size, -1, dtype=np.int32)


@inner
def _number(keys: I8, numbers: I8) -> int:
    """Write each key's number in order of first appearance, in place if asked; return how many there are."""
    slots = _slots(len(keys))
    last = len(slots) - 1
    distinct = np.empty(len(keys), dtype=np.int64)
    found = 0
    for i in range(len(keys)):
        key = keys[i]
        s = slot(key, last)
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
        for i in range(len(numbers)):
            numbers[i] = numbers[i] << 32 | words[w, i]
        found = _number(numbers, numbers)
    return numbers, found


@njit
def fold(words: I8, counts: I8) -> int:
    """Unite equal tuples in place, adding up their counts; return how many are left in front."""
    numbers, found = label(words)
    filled = 0
    for i in range(len(counts)):  # filled <= i: what is overwritten has been read
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


@inner
def climb(
    words: I8, counts: I8, keep: I8, column: int, level: int, layout: Layout, above: I8, tally: I8
) -> int:
    """Write the table with `column` generalized to `level` to `above` and `tally`; return its length.

    Only the bits of `keep`, int64[W], stay: leaving out a column's bits is to raise it to its root, whose
    place is 0. Generalizing, hashing and counting take one pass: this is where a search spends its time.
    """
    if words.shape[0] > 1:
        return _climb_wide(words, counts, keep, column, level, layout, above, tally)
    shift, mask, start = layout.shift[column], layout.mask[column], layout.at[column, level]
    rest = keep[0] & ~(mask << shift)
    keys, united = words[0], above[0]
    slots = _slots(len(counts))
    last = len(slots) - 1
    found = 0
    for i in range(len(counts)):
        key = (keys[i] & rest) | (layout.places[start + ((keys[i] >> shift) & mask)] << shift)
        s = slot(key, last)
        g = slots[s]
        while g >= 0 and united[g] != key:
            s = (s + 1) & last
            g = slots[s]
        if g < 0:
            slots[s] = found
            united[found] = key
            tally[found] = counts[i]
            found += 1
        else:
            tally[g] += counts[i]
    return found


@inner
def _climb_wide(
    words: I8, counts: I8, keep: I8, column: int, level: int, layout: Layout, above: I8, tally: I8
) -> int:
    for i in range(len(counts)):
        for w in range(words.shape[0]):
            above[w, i] = words[w, i] & keep[w]
        tally[i] = counts[i]
    lift(above, column, level, layout)
    return fold(above, tally)


@njit
def roll_up(words: I8, counts: I8, keep: I8, column: int, level: int, layout: Layout) -> tuple[I8, I8]:
    """The frequency table of a node from that of one below it in `column` and in the columns not in `keep`."""
    above, tally = np.empty_like(words), np.empty_like(counts)
    n = climb(words, counts, keep, column, level, layout, above, tally)
    packed, records = np.empty((words.shape[0], n), dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        for w in range(words.shape[0]):
            packed[w, i] = above[w, i]
        records[i] = tally[i]
    return packed, records
