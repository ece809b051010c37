"""Whether a class of records keeps a claim: persons for k, sensitive values for all else.

who    : int64[n]     the person of each record; empty where every record is a person
value  : int64[s, n]  by counted column, each record's value; the last number of the column is the empty cell
pair   : int64[s, n]  (person, value) as one number; empty where every record is a person

A sensitive column is counted once for each part of the claim, because an order may take for one value what texts
tell apart. Counts are of distinct persons, as the judges count.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels import inner, njit, sort
from shoal.data.arrays import F8, I8

__all__ = [
    "CLOSE",
    "DISTINCT",
    "DIVERSE",
    "ENTROPY",
    "RECURSIVE",
    "SHARES",
    "TOP",
    "Ask",
    "ClassTally",
    "add",
    "fits",
    "meets",
    "remove",
    "tally_of",
]

DISTINCT, ENTROPY, RECURSIVE = 0, 1, 2
CLOSE, DIVERSE, SHARES, TOP = 0, 1, 2, 3
SLACK = 1e-9  # sums of fractions and logarithms: exactly l or t must pass


class Ask(NamedTuple):
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


def tally_of(ask: Ask) -> ClassTally | None:
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


@inner
def add(record: int, ask: Ask, tally: ClassTally | None) -> None:
    """Let a record enter."""
    if tally is None:
        return
    tally.size[0] += 1
    named = len(ask.who) > 0
    if named:
        tally.person[ask.who[record]] += 1
        tally.size[1] += tally.person[ask.who[record]] == 1
    else:
        tally.size[1] += 1
    for s in range(len(ask.what)):
        value = ask.value[s, record]
        tally.empty[s] += value == ask.values[s]
        if named:
            tally.couple[s, ask.pair[s, record]] += 1
            tally.times[s, value] += tally.couple[s, ask.pair[s, record]] == 1
        else:
            tally.times[s, value] += 1


@inner
def remove(record: int, ask: Ask, tally: ClassTally | None) -> None:
    """Let a record leave."""
    if tally is None:
        return
    tally.size[0] -= 1
    named = len(ask.who) > 0
    if named:
        tally.person[ask.who[record]] -= 1
        tally.size[1] -= tally.person[ask.who[record]] == 0
    else:
        tally.size[1] -= 1
    for s in range(len(ask.what)):
        value = ask.value[s, record]
        tally.empty[s] -= value == ask.values[s]
        if named:
            tally.couple[s, ask.pair[s, record]] -= 1
            tally.times[s, value] -= tally.couple[s, ask.pair[s, record]] == 0
        else:
            tally.times[s, value] -= 1


@inner
def _diverse(s: int, ask: Ask, tally: ClassTally) -> bool:
    """l-diversity of one column: empty cells may hide the most frequent value, and never are one."""
    values = ask.values[s]
    found, top, total = 0, 0, 0
    for v in range(values):
        r = tally.times[s, v]
        found += r > 0
        top = max(top, r)
        total += r
    if found == 0 or (ask.kind == DISTINCT and found < ask.l):
        return False
    if ask.kind == DISTINCT:
        return True
    total += tally.empty[s]
    if ask.kind == RECURSIVE:
        counts = tally.work[:values]
        for v in range(values):
            counts[v] = tally.times[s, v]
        sort(counts)
        tail = 0
        for i in range(values - ask.l + 1):  # all but the l - 1 largest, which stand last
            tail += counts[i]
        if ask.l == 1:
            tail += tally.empty[s]
        return bool(top + tally.empty[s] < ask.c * tail - SLACK)
    share = (top + tally.empty[s]) / total
    entropy = -share * np.log(share)
    skipped = False
    for v in range(values):
        r = tally.times[s, v]
        if r == top and not skipped:
            skipped = True
        elif r > 0:
            entropy -= r / total * np.log(r / total)
    return bool(np.exp(entropy) >= ask.l * (1 - SLACK))


@inner
def _away(s: int, ask: Ask, tally: ClassTally) -> float:
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
    first, last = abs(ahead), 0.0  # empty cells before all values, or behind all
    reached = 0.0
    for v in range(values):
        reached += tally.times[s, v] / total - ask.share[s, v]
        first += abs(reached + ahead)
        last += abs(reached)
    return float(max(first, last) / steps)


@inner
def _lacking(s: int, records: I8, ask: Ask, tally: ClassTally) -> int:
    """How many persons surely lack the value that most may have; an empty cell may be it."""
    having = np.zeros(ask.values[s] + 1, dtype=np.int64)
    unsure, most = 0, 0
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
            most = max(most, having[value])
    for i in range(len(records)):
        pair = ask.pair[s, records[i]]
        tally.couple[s, pair] = abs(tally.couple[s, pair])
        tally.mark[ask.who[records[i]]] = 0
    return int(tally.size[1] - unsure - most)


@inner
def _within(s: int, ask: Ask, tally: ClassTally) -> bool:
    """Whether every value, an empty cell being one, has a share that is neither too small nor too large."""
    for v in range(ask.values[s] + 1):
        share = tally.times[s, v] / tally.size[1]
        if share < ask.low[s, v] or share > ask.high[s, v]:
            return False
    return True


@inner
def _top(s: int, records: I8, ask: Ask, tally: ClassTally) -> float:
    """The largest share of persons who may have one and the same value; an empty cell may be it."""
    if len(ask.who) > 0:
        return float(1 - _lacking(s, records, ask, tally) / tally.size[1])
    top = 0
    for v in range(ask.values[s]):
        top = max(top, tally.times[s, v])
    return float((top + tally.empty[s]) / tally.size[1])


@inner
def meets(records: I8, ask: Ask, tally: ClassTally | None) -> bool:
    """Whether the class of `records`, which is what the tally holds, keeps the claim."""
    if tally is None:
        return len(records) >= ask.k
    if tally.size[1] < ask.k:
        return False
    for s in range(len(ask.what)):
        what = ask.what[s]
        if what == DIVERSE:
            if not _diverse(s, ask, tally):
                return False
            if len(ask.who) > 0 and _lacking(s, records, ask, tally) < ask.l - 1:
                return False
        elif what == SHARES:
            if not _within(s, ask, tally):
                return False
        elif what == TOP:
            if _top(s, records, ask, tally) > ask.high[s, 0]:
                return False
        elif _away(s, ask, tally) > ask.t + SLACK:
            return False
    return True


@njit
def fits(records: I8, ask: Ask, tally: ClassTally | None) -> bool:
    """Whether a class of these records would keep the claim; the tally is empty before and after."""
    if tally is None:
        return len(records) >= ask.k
    for i in range(len(records)):
        add(records[i], ask, tally)
    kept = meets(records, ask, tally)
    for i in range(len(records)):
        remove(records[i], ask, tally)
    return kept
