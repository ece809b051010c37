"""Loops over tables that several themes share: constraints on classes, packed tuples, and prices of classes."""

from typing import NamedTuple

import numpy as np

from shoal._kernels import hash_slot, njit, njit_inner, popcount, sort
from shoal.data.arrays import F8, I4, I8

__all__ = [
    "CLIMB",
    "CLOSE",
    "DISTINCT",
    "DIVERSE",
    "ENTROPY",
    "NEVER",
    "NODE",
    "RANGE",
    "RECURSIVE",
    "SET",
    "SHARES",
    "TOP",
    "ClassConstraint",
    "ClassTally",
    "Rates",
    "TupleLayout",
    "empty_slots",
    "empty_tally",
    "generalize_column",
    "generalize_table",
    "join_high",
    "keeps_constraint",
    "mask_words",
    "merge_tuples",
    "number_tuples",
    "open_class",
    "price_cell",
    "price_class",
    "price_union",
    "price_with_record",
    "roll_up",
    "tally_record",
    "untally_record",
    "widen_class",
    "would_keep_constraint",
]


# Whether a class of records keeps a claim: persons for k, sensitive values for all else.
#
# who    : int64[n]     the person of each record; empty where every record is a person
# value  : int64[s, n]  by counted column, each record's value; the last number of the column is the empty cell
# pair   : int64[s, n]  (person, value) as one number; empty where every record is a person
#
# A sensitive column is counted once for each part of the claim, because an order may take for one value what texts
# tell apart. Counts are of distinct persons, as the judges count.

DISTINCT, ENTROPY, RECURSIVE = 0, 1, 2
CLOSE, DIVERSE, SHARES, TOP = 0, 1, 2, 3
SLACK = 1e-9  # sums of fractions and logarithms: exactly l or t must pass


class ClassConstraint(NamedTuple):
    """What is asked of every class.

    k        : persons
    l, kind, c : well-represented values, by which reading
    t        : the largest distance from the whole
    ordered  : whether values are as far apart as their places in order
    what     : int64[s]     what the column is counted for: CLOSE to the whole, DIVERSE, values within SHARES, or the
               TOP one, which empty cells may hide
    values   : int64[s]     how many values the column has, the empty cell not counted
    empties  : int64[s]     1 where any record of the whole has an empty cell
    share    : float64[s, values + 1]  the whole's shares, for t
    low, high : float64[s, values + 1]  the least and the largest share of each value; of the TOP the first counts
    """

    k: int
    l: int
    kind: int
    c: float
    t: float
    ordered: int
    who: I8
    value: I8
    pair: I8
    what: I8
    values: I8
    empties: I8
    share: F8
    low: F8
    high: F8


class ClassTally(NamedTuple):
    """Counts of one class, kept while records enter and leave.

    size   : int64[2]      records, persons
    times  : int64[s, values + 1]  persons with each value
    empty  : int64[s]      records with an empty cell
    person, couple : int64[...]    records of each person, of each (person, value)
    mark   : int64[persons]        0 between uses
    work   : int64[values + 1]     room to sort in
    """

    size: I8
    times: I8
    empty: I8
    person: I8
    couple: I8
    mark: I8
    work: I8


def empty_tally(ask: ClassConstraint) -> ClassTally | None:
    """An empty tally with room for what `ask` counts; None where it only asks for k records.

    None is a type of its own to the compiler, which leaves out what a plain k does not need.
    """
    if len(ask.who) == 0 and len(ask.what) == 0:
        return None
    columns = len(ask.what)
    widest = int(ask.values.max(initial=0)) + 1
    persons = int(ask.who.max(initial=-1)) + 1
    pairs = int(ask.pair.max(initial=-1)) + 1
    return ClassTally(
        np.zeros(2, dtype=np.int64),
        np.zeros((columns, widest), dtype=np.int64),
        np.zeros(columns, dtype=np.int64),
        np.zeros(persons, dtype=np.int64),
        np.zeros((columns, pairs), dtype=np.int64),
        np.zeros(persons, dtype=np.int64),
        np.zeros(widest, dtype=np.int64),
    )


@njit_inner
def _count_record(record: int, step: int, ask: ClassConstraint, tally: ClassTally | None) -> None:
    """Let a record enter, which is a `step` of 1, or leave, which is one of -1."""
    if tally is None:
        return
    # What a count of records is that has just become, or ceased to be, one of a person.
    once = (1 + step) // 2
    tally.size[0] += step
    named = len(ask.who) > 0
    if named:
        tally.person[ask.who[record]] += step
        tally.size[1] += step * (tally.person[ask.who[record]] == once)
    else:
        tally.size[1] += step
    for s in range(len(ask.what)):
        value = ask.value[s, record]
        tally.empty[s] += step * (value == ask.values[s])
        if named:
            tally.couple[s, ask.pair[s, record]] += step
            tally.times[s, value] += step * (tally.couple[s, ask.pair[s, record]] == once)
        else:
            tally.times[s, value] += step


@njit_inner
def tally_record(record: int, ask: ClassConstraint, tally: ClassTally | None) -> None:
    """Let a record enter."""
    _count_record(record, 1, ask, tally)


@njit_inner
def untally_record(record: int, ask: ClassConstraint, tally: ClassTally | None) -> None:
    """Let a record leave."""
    _count_record(record, -1, ask, tally)


@njit_inner
def _is_diverse(s: int, ask: ClassConstraint, tally: ClassTally) -> bool:
    """l-diversity of sensitive column s: empty cells may hide the most frequent value, and never are one."""
    value_count = ask.values[s]
    distinct, highest, total = 0, 0, 0
    for v in range(value_count):
        times = tally.times[s, v]
        distinct += times > 0
        highest = max(highest, times)
        total += times
    if distinct == 0 or (ask.kind == DISTINCT and distinct < ask.l):
        return False
    if ask.kind == DISTINCT:
        return True
    total += tally.empty[s]
    if ask.kind == RECURSIVE:
        counts = tally.work[:value_count]
        for v in range(value_count):
            counts[v] = tally.times[s, v]
        sort(counts)
        tail = 0
        for i in range(value_count - ask.l + 1):  # all but the l - 1 largest, which stand last
            tail += counts[i]
        if ask.l == 1:
            tail += tally.empty[s]
        return bool(highest + tally.empty[s] < ask.c * tail - SLACK)
    share = (highest + tally.empty[s]) / total
    entropy = -share * np.log(share)
    is_highest_counted = False  # it is, once, with the empty cells
    for v in range(value_count):
        times = tally.times[s, v]
        if times == highest and not is_highest_counted:
            is_highest_counted = True
        elif times > 0:
            entropy -= times / total * np.log(times / total)
    return bool(np.exp(entropy) >= ask.l * (1 - SLACK))


@njit_inner
def _distance_to_overall(s: int, ask: ClassConstraint, tally: ClassTally) -> float:
    """How far the column's values lie from the whole's."""
    values = ask.values[s]
    total = 0
    for v in range(values + 1):
        total += tally.times[s, v]
    far = 0.0
    if not ask.ordered:
        for v in range(values + 1):
            far += max(0.0, tally.times[s, v] / total - ask.share[s, v])
        return far
    steps = values - 1 + ask.empties[s]
    if steps == 0:
        return 0.0
    ahead = tally.times[s, values] / total - ask.share[s, values]
    sum_empty_first, sum_empty_last = abs(ahead), 0.0  # empty cells before all values, or behind all
    reached = 0.0
    for v in range(values):
        reached += tally.times[s, v] / total - ask.share[s, v]
        sum_empty_first += abs(reached + ahead)
        sum_empty_last += abs(reached)
    return float(max(sum_empty_first, sum_empty_last) / steps)


@njit_inner
def _count_sure_lackers(s: int, records: I8, ask: ClassConstraint, tally: ClassTally) -> int:
    """How many persons surely lack the value that most may have; an empty cell may be it."""
    having = np.zeros(ask.values[s] + 1, dtype=np.int64)
    unsure, highest = 0, 0
    for i in range(len(records)):
        person = ask.who[records[i]]
        if ask.value[s, records[i]] == ask.values[s] and tally.mark[person] == 0:
            tally.mark[person] = 1
            unsure += 1
    for i in range(len(records)):
        pair = ask.pair[s, records[i]]
        if tally.mark[ask.who[records[i]]] == 0 and tally.couple[s, pair] > 0:
            tally.couple[s, pair] = -tally.couple[s, pair]  # a pair counts once: its sign marks it
            value = ask.value[s, records[i]]
            having[value] += 1
            highest = max(highest, having[value])
    for i in range(len(records)):
        pair = ask.pair[s, records[i]]
        tally.couple[s, pair] = abs(tally.couple[s, pair])
        tally.mark[ask.who[records[i]]] = 0
    return int(tally.size[1] - unsure - highest)


@njit_inner
def _is_within_shares(s: int, ask: ClassConstraint, tally: ClassTally) -> bool:
    """Whether every value, an empty cell being one, has a share that is neither too small nor too large."""
    for v in range(ask.values[s] + 1):
        share = tally.times[s, v] / tally.size[1]
        if share < ask.low[s, v] or share > ask.high[s, v]:
            return False
    return True


@njit_inner
def _top_share(s: int, records: I8, ask: ClassConstraint, tally: ClassTally) -> float:
    """The largest share of persons who may have one and the same value; an empty cell may be it."""
    if len(ask.who) > 0:
        return float(1 - _count_sure_lackers(s, records, ask, tally) / tally.size[1])
    top = 0
    for v in range(ask.values[s]):
        top = max(top, tally.times[s, v])
    return float((top + tally.empty[s]) / tally.size[1])


@njit_inner
def keeps_constraint(records: I8, ask: ClassConstraint, tally: ClassTally | None) -> bool:
    """Whether the class of `records`, which is what the tally holds, keeps the claim."""
    if tally is None:
        return len(records) >= ask.k
    if tally.size[1] < ask.k:
        return False
    for s in range(len(ask.what)):
        part = ask.what[s]
        if part == DIVERSE:
            if not _is_diverse(s, ask, tally):
                return False
            if len(ask.who) > 0 and _count_sure_lackers(s, records, ask, tally) < ask.l - 1:
                return False
        elif part == SHARES:
            if not _is_within_shares(s, ask, tally):
                return False
        elif part == TOP:
            if _top_share(s, records, ask, tally) > ask.high[s, 0]:
                return False
        elif _distance_to_overall(s, ask, tally) > ask.t + SLACK:
            return False
    return True


@njit
def would_keep_constraint(records: I8, ask: ClassConstraint, tally: ClassTally | None) -> bool:
    """Whether a class of these records would keep the claim; the tally is empty before and after."""
    if tally is None:
        return len(records) >= ask.k
    for i in range(len(records)):
        tally_record(records[i], ask, tally)
    is_kept = keeps_constraint(records, ask, tally)
    for i in range(len(records)):
        untally_record(records[i], ask, tally)
    return is_kept


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


@njit_inner
def empty_slots(n: int) -> I4:
    """An empty table, at most half of it to be filled by n keys."""
    size = 16
    while size < 2 * n:
        size *= 2
    return np.full(size, -1, dtype=np.int32)


@njit_inner
def _number_keys(keys: I8, numbers: I8) -> int:
    """Write each key's number in order of first appearance, in place if asked; return how many there are."""
    slots = empty_slots(len(keys))
    last_slot = len(slots) - 1
    distinct = np.empty(len(keys), dtype=np.int64)
    distinct_count = 0
    for i in range(len(keys)):
        key = keys[i]
        s = hash_slot(key, last_slot)
        while slots[s] >= 0 and distinct[slots[s]] != key:
            s = (s + 1) & last_slot
        if slots[s] < 0:
            slots[s] = distinct_count
            distinct[distinct_count] = key
            distinct_count += 1
        numbers[i] = slots[s]
    return distinct_count


@njit
def number_tuples(words: I8) -> tuple[I8, int]:
    """Number the tuples so that equal ones share a number, in order of first appearance: (int64[n], how many)."""
    numbers = np.empty(words.shape[1], dtype=np.int64)
    distinct_count = _number_keys(words[0], numbers)
    for w in range(1, words.shape[0]):
        for i in range(len(numbers)):
            numbers[i] = numbers[i] << 32 | words[w, i]
        distinct_count = _number_keys(numbers, numbers)
    return numbers, distinct_count


@njit
def merge_tuples(words: I8, counts: I8) -> int:
    """Unite equal tuples in place, adding up their counts; return how many are left in front."""
    numbers, distinct_count = number_tuples(words)
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
    return distinct_count


@njit
def mask_words(words: I8, mask: I8) -> I8:
    """A copy with only the bits of `mask`, int64[W]."""
    copy = np.empty_like(words)
    for w in range(words.shape[0]):
        for i in range(words.shape[1]):
            copy[w, i] = words[w, i] & mask[w]
    return copy


@njit
def generalize_column(words: I8, column: int, level: int, layout: TupleLayout) -> None:
    """Generalize one column to `level`, in place."""
    word, shift, mask = layout.word[column], layout.shift[column], layout.mask[column]
    start = layout.at[column, level]
    other_bits = ~(mask << shift)
    for i in range(words.shape[1]):
        key = words[word, i]
        words[word, i] = (key & other_bits) | (layout.places[start + ((key >> shift) & mask)] << shift)


@njit_inner
def generalize_table(
    words: I8, counts: I8, keep: I8, column: int, level: int, layout: TupleLayout, above: I8, tally: I8
) -> int:
    """Write the table with `column` generalized to `level` to `above` and `tally`; return its length.

    Only the bits of `keep`, int64[W], stay: leaving out a column's bits is to raise it to its root, whose
    place is 0. Generalizing, hashing and counting take one pass: this is where a search spends its time.
    """
    if words.shape[0] > 1:
        return _generalize_wide_table(words, counts, keep, column, level, layout, above, tally)
    shift, mask, start = layout.shift[column], layout.mask[column], layout.at[column, level]
    other_bits = keep[0] & ~(mask << shift)
    keys, united = words[0], above[0]
    slots = empty_slots(len(counts))
    last_slot = len(slots) - 1
    length = 0
    for i in range(len(counts)):
        key = (keys[i] & other_bits) | (layout.places[start + ((keys[i] >> shift) & mask)] << shift)
        s = hash_slot(key, last_slot)
        g = slots[s]
        while g >= 0 and united[g] != key:
            s = (s + 1) & last_slot
            g = slots[s]
        if g < 0:
            slots[s] = length
            united[length] = key
            tally[length] = counts[i]
            length += 1
        else:
            tally[g] += counts[i]
    return length


@njit_inner
def _generalize_wide_table(
    words: I8, counts: I8, keep: I8, column: int, level: int, layout: TupleLayout, above: I8, tally: I8
) -> int:
    for i in range(len(counts)):
        for w in range(words.shape[0]):
            above[w, i] = words[w, i] & keep[w]
        tally[i] = counts[i]
    generalize_column(above, column, level, layout)
    return merge_tuples(above, tally)


@njit
def roll_up(words: I8, counts: I8, keep: I8, column: int, level: int, layout: TupleLayout) -> tuple[I8, I8]:
    """The frequency table of a node from that of one below it in `column` and in the columns not in `keep`."""
    above, tally = np.empty_like(words), np.empty_like(counts)
    n = generalize_table(words, counts, keep, column, level, layout, above, tally)
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
# Where a label may stand for missing cells as well, these have the last place, `missing`. In the extent of a class
# with some of them, low is the lowest other place, and high is `missing` + 1 + the highest other one; both are
# `missing` where there is no other.
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
    missing : int64[d]  the place of missing cells that a label may stand for as well; beyond all places where none may
    extra   : int64[d]  what such a label costs more
    """

    kind: I8
    at: I8
    size: I8
    root: I8
    height: I8
    gone: I8
    missing: I8
    extra: I8
    table: I8


@njit_inner
def join_high(high: int, other: int, missing: int) -> int:
    """The high end of two extents together."""
    beyond, other_beyond = high >= missing, other >= missing
    highest = max(high - beyond * (missing + 1), other - other_beyond * (missing + 1))
    return highest + (beyond | other_beyond) * (missing + 1)


@njit_inner
def price_cell(j: int, low: int, high: int, rates: Rates) -> int:
    """The price of one cell of a class with this extent in column j.

    All in one function: a call that hands `rates` on costs ten times what it computes.
    """
    kind, offset, size, missing = rates.kind[j], rates.at[j], rates.size[j], rates.missing[j]
    extra = 0
    if kind != SET and high >= missing:
        if low < missing:
            extra, high = rates.extra[j], max(low, high - missing - 1)
        else:
            low = high = 0  # missing cells alone, which cost as little as one value
    if kind == NODE:
        price = rates.table[offset + low * size + high]
    elif kind == SET:
        price = rates.root[j] if low & rates.gone[j] else rates.table[offset + popcount(low)]
    elif kind == RANGE:
        if low == high:
            price = rates.table[offset + 2 * size + low]
        else:
            price = rates.table[offset + size + high] - rates.table[offset + low]
    else:
        level = 0
        while rates.table[offset + level * size + low] != rates.table[offset + level * size + high]:
            level += 1
        price = rates.table[offset + (rates.height[j] + 1 + level) * size + low]
    return int(min(rates.root[j], price + (extra if price > 0 else 2 * extra)))


@njit
def open_class(low: I8, high: I8, record: I4, rates: Rates) -> None:
    """Let a class consist of one record."""
    for j in range(len(record)):
        low[j] = high[j] = record[j]
        if rates.kind[j] == SET:
            low[j] = np.int64(1) << record[j]


@njit
def widen_class(low: I8, high: I8, record: I4, rates: Rates) -> None:
    """Widen a class by one record."""
    for j in range(len(record)):
        if rates.kind[j] == SET:
            low[j] |= np.int64(1) << record[j]
        else:
            low[j], high[j] = min(low[j], record[j]), join_high(high[j], record[j], rates.missing[j])


@njit
def price_class(low: I8, high: I8, rates: Rates) -> int:
    """What each record of a class pays."""
    total = 0
    for j in range(len(low)):
        total += price_cell(j, low[j], high[j], rates)
    return total


@njit
def price_with_record(low: I8, high: I8, record: I4, rates: Rates) -> int:
    """What each record would pay if `record` entered.

    It never stops early: a way out of the loop keeps the compiler from dropping reference counts, which costs
    ten times what it saves.
    """
    total = 0
    for j in range(len(low)):
        if rates.kind[j] == SET:
            total += price_cell(j, low[j] | (np.int64(1) << record[j]), 0, rates)
        else:
            joint = join_high(high[j], record[j], rates.missing[j])
            total += price_cell(j, min(low[j], record[j]), joint, rates)
    return total


@njit
def price_union(low: I8, high: I8, low2: I8, high2: I8, rates: Rates) -> int:
    """What each record would pay if two classes became one."""
    total = 0
    for j in range(len(low)):
        if rates.kind[j] == SET:
            total += price_cell(j, low[j] | low2[j], 0, rates)
        else:
            joint = join_high(high[j], high2[j], rates.missing[j])
            total += price_cell(j, min(low[j], low2[j]), joint, rates)
    return total
