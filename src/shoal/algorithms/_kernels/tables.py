"""Loops over tables that several themes share: packed tuples of generalized values, and prices of classes."""

from typing import NamedTuple

import numpy as np

from shoal._kernels import inner, njit, ones, slot
from shoal.data.arrays import I4, I8

__all__ = [
    "CLIMB",
    "NEVER",
    "NODE",
    "RANGE",
    "SET",
    "Rates",
    "TupleLayout",
    "both",
    "climb",
    "cost",
    "enter",
    "fold",
    "label",
    "lift",
    "masked",
    "open_class",
    "price",
    "roll_up",
    "with_record",
]

# Equal tuples, packed: group them, count them, roll them up a lattice of levels.
#
# words  : int64[W, n]  tuple i as bit fields; word 0 holds up to 63 bits, every further word up to 32
# counts : int64[n]     how many records tuple i stands for
#
# Copies are loops: slice assignment compiles ten times as long for the sake of its error message.
# A field holds a *place*: the first leaf of the node that the value was generalized to. One table of places
# a level then serves from every level below it, because a node's first leaf lies inside the node.


class TupleLayout(NamedTuple):
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
def lift(words: I8, column: int, level: int, layout: TupleLayout) -> None:
    """Generalize one column to `level`, in place."""
    word, shift, mask = layout.word[column], layout.shift[column], layout.mask[column]
    start = layout.at[column, level]
    rest = ~(mask << shift)
    for i in range(words.shape[1]):
        key = words[word, i]
        words[word, i] = (key & rest) | (layout.places[start + ((key >> shift) & mask)] << shift)


@inner
def climb(
    words: I8, counts: I8, keep: I8, column: int, level: int, layout: TupleLayout, above: I8, tally: I8
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
    words: I8, counts: I8, keep: I8, column: int, level: int, layout: TupleLayout, above: I8, tally: I8
) -> int:
    for i in range(len(counts)):
        for w in range(words.shape[0]):
            above[w, i] = words[w, i] & keep[w]
        tally[i] = counts[i]
    lift(above, column, level, layout)
    return fold(above, tally)


@njit
def roll_up(words: I8, counts: I8, keep: I8, column: int, level: int, layout: TupleLayout) -> tuple[I8, I8]:
    """The frequency table of a node from that of one below it in `column` and in the columns not in `keep`."""
    above, tally = np.empty_like(words), np.empty_like(counts)
    n = climb(words, counts, keep, column, level, layout, above, tally)
    packed, records = np.empty((words.shape[0], n), dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        for w in range(words.shape[0]):
            packed[w, i] = above[w, i]
        records[i] = tally[i]
    return packed, records


# What a class of records costs: the extent of its values in each column, priced.
#
# codes : int32[n, d]  record i, column j -> place among the values that occur, in leaf order or number order
# low   : int64[d]     the extent of a class: its lowest place; where present values are listed, a bit for each
# high  : int64[d]     its highest place; unused where values are listed
#
# Prices are whole numbers, so that ties are ties on every machine.

NEVER = 1 << 62
"""A price that nothing is worth."""

NODE = 0
"""The closest common node, looked up: table[low * size + high]."""
CLIMB = 1
"""The closest common node, climbed to: `height` + 1 rows of nodes, then as many rows of prices."""
RANGE = 2
"""A range: a row of lower ends, a row of upper ends, a row of prices of single values."""
SET = 3
"""The values present: a price for each number of them; the root's where `gone` is among them."""


class Rates(NamedTuple):
    """For each column: its kind, where its tables begin in `table`, how many values there are, the price of its root.

    height : int64[d]  levels to climb (CLIMB)
    gone   : int64[d]  the bit of a value that goes with no other (SET)
    """

    kind: I8
    at: I8
    size: I8
    root: I8
    height: I8
    gone: I8
    table: I8


@inner
def price(j: int, low: int, high: int, rates: Rates) -> int:
    """The price of one cell of a class with this extent in column j."""
    kind, at, size = rates.kind[j], rates.at[j], rates.size[j]
    if kind == NODE:
        return int(rates.table[at + low * size + high])
    if kind == SET:
        if low & rates.gone[j]:
            return int(rates.root[j])
        return int(rates.table[at + ones(low)])
    if kind == RANGE:
        if low == high:
            return int(rates.table[at + 2 * size + low])
        return int(min(rates.root[j], rates.table[at + size + high] - rates.table[at + low]))
    level = 0
    while rates.table[at + level * size + low] != rates.table[at + level * size + high]:
        level += 1
    return int(rates.table[at + (rates.height[j] + 1 + level) * size + low])


@njit
def open_class(low: I8, high: I8, record: I4, rates: Rates) -> None:
    """Let a class consist of one record."""
    for j in range(len(record)):
        low[j] = high[j] = record[j]
        if rates.kind[j] == SET:
            low[j] = np.int64(1) << record[j]


@njit
def enter(low: I8, high: I8, record: I4, rates: Rates) -> None:
    """Widen a class by one record."""
    for j in range(len(record)):
        if rates.kind[j] == SET:
            low[j] |= np.int64(1) << record[j]
        else:
            low[j], high[j] = min(low[j], record[j]), max(high[j], record[j])


@njit
def cost(low: I8, high: I8, rates: Rates) -> int:
    """What each record of a class pays."""
    total = 0
    for j in range(len(low)):
        total += price(j, low[j], high[j], rates)
    return total


@njit
def with_record(low: I8, high: I8, record: I4, rates: Rates) -> int:
    """What each record would pay if `record` entered.

    It never stops early: a way out of the loop keeps the compiler from dropping reference counts, which costs
    ten times what it saves.
    """
    total = 0
    for j in range(len(low)):
        if rates.kind[j] == SET:
            total += price(j, low[j] | (np.int64(1) << record[j]), 0, rates)
        else:
            total += price(j, min(low[j], record[j]), max(high[j], record[j]), rates)
    return total


@njit
def both(low: I8, high: I8, low2: I8, high2: I8, rates: Rates) -> int:
    """What each record would pay if two classes became one."""
    total = 0
    for j in range(len(low)):
        if rates.kind[j] == SET:
            total += price(j, low[j] | low2[j], 0, rates)
        else:
            total += price(j, min(low[j], low2[j]), max(high[j], high2[j]), rates)
    return total
