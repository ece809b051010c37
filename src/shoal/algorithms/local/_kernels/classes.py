"""Classes: whether they keep a claim, and merging them until all do."""

from typing import NamedTuple

import numpy as np

from shoal._kernels import copy_into, inner, njit, sort
from shoal.algorithms._kernels import NEVER, SET, Rates, both, cost, enter, open_class
from shoal.data.types import F8, I4, I8

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
    "absorb",
    "add",
    "extents",
    "fits",
    "meets",
    "merge_small",
    "remove",
    "repair",
    "tally_of",
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


# Merge classes that are too small, or break a claim, with the class where that adds least.
#
# codes  : int32[n, d]  see `rates`
# walk, starts          class c is walk[starts[c] : starts[c + 1]]
# low, high, size       int64[classes, d] twice and int64[classes]: extents and records; no record is no class
# into   : int64[classes]  the class that each class has become a part of


@njit
def extents(codes: I4, walk: I8, starts: I8, rates: Rates) -> tuple[I8, I8]:
    """The extent of every class."""
    low, high = np.empty((2, len(starts) - 1, codes.shape[1]), dtype=np.int64)
    for c in range(len(low)):
        open_class(low[c], high[c], codes[walk[starts[c]]], rates)
        for i in range(starts[c] + 1, starts[c + 1]):
            enter(low[c], high[c], codes[walk[i]], rates)
    return low, high


@inner
def _added(low: I8, high: I8, size: I8, paid: I8, c: int, o: int, rates: Rates) -> int:
    """What the union of two classes costs more than both: CDist, when the price of a cell is its level."""
    return int((size[c] + size[o]) * both(low[c], high[c], low[o], high[o], rates) - paid[c] - paid[o])


@inner
def _nearest(
    low: I8, high: I8, size: I8, paid: I8, c: int, first: int, last: int, rates: Rates
) -> tuple[int, int]:
    """The class from `first` to `last` - 1 that adds least to class c, and how much; (-1, NEVER) if there is none."""
    least, found = NEVER, -1
    for o in range(first, last):
        if o != c and size[o] > 0:
            added = _added(low, high, size, paid, c, o, rates)
            if added < least:
                least, found = added, o
    return found, least


@inner
def _paid(low: I8, high: I8, size: I8, rates: Rates) -> I8:
    """What all records of each class pay together."""
    paid = np.empty(len(size), dtype=np.int64)
    for c in range(len(size)):
        paid[c] = size[c] * cost(low[c], high[c], rates)
    return paid


@inner
def absorb(low: I8, high: I8, size: I8, into: int, other: int, rates: Rates) -> None:
    """Widen class `into` by class `other`, which has no record afterwards."""
    for j in range(low.shape[1]):
        if rates.kind[j] == SET:
            low[into, j] |= low[other, j]
        else:
            low[into, j] = min(low[into, j], low[other, j])
            high[into, j] = max(high[into, j], high[other, j])
    size[into] += size[other]
    size[other] = 0


@njit
def merge_small(low: I8, high: I8, size: I8, k: int, rates: Rates) -> I8:
    """Unite classes below k, the closest two first, until at most one of them is left; return `into`.

    A union that reaches k takes no further part. Of equal distances the smaller pair goes first.
    """
    count = len(size)
    into = np.arange(count)
    near, gap = np.full(count, -1, dtype=np.int64), np.full(count, NEVER, dtype=np.int64)
    size, low, high = size.copy(), low.copy(), high.copy()
    paid = _paid(low, high, size, rates)
    for c in range(count):
        near[c], gap[c] = _nearest(low, high, size, paid, c, 0, count, rates)
    while True:
        least = int(np.argmin(gap))
        if gap[least] == NEVER:
            return into
        c, o = min(least, near[least]), max(least, near[least])
        absorb(low, high, size, c, o, rates)
        into[o], gap[o] = c, NEVER
        paid[c] = size[c] * cost(low[c], high[c], rates)
        if size[c] >= k:
            gap[c], size[c] = NEVER, 0
        for x in range(count):
            if size[x] > 0 and x != c:
                if near[x] == c or near[x] == o:
                    near[x], gap[x] = _nearest(low, high, size, paid, x, 0, count, rates)
                elif size[c] > 0:
                    added = _added(low, high, size, paid, x, c, rates)
                    if added < gap[x]:
                        near[x], gap[x] = c, added
        if size[c] > 0:
            near[c], gap[c] = _nearest(low, high, size, paid, c, 0, count, rates)


@inner
def _gather(head: I8, after: I8, c: int, room: I8) -> I8:
    """The records of a class, in the order in which they came together."""
    used, record = 0, head[c]
    while record >= 0:
        room[used] = record
        used += 1
        record = after[record]
    return room[:used]


@njit
def repair(
    codes: I4, walk: I8, starts: I8, reach: int, rates: Rates, ask: Ask, tally: ClassTally | None
) -> tuple[I8, I8, int]:
    """Merge every class that breaks the claim with the class, at most `reach` away, where that adds least.

    A class is merged until it keeps the claim; one class of all records is the end. Returns the classes as
    walk and starts, and how many mergers there were.
    """
    n, count = len(walk), len(starts) - 1
    low, high = extents(codes, walk, starts, rates)
    size = starts[1:] - starts[:-1]
    paid = _paid(low, high, size, rates)
    head, tail = walk[starts[:-1]], walk[starts[1:] - 1]
    after, room = np.full(n, -1, dtype=np.int64), np.empty(n, dtype=np.int64)
    for c in range(count):
        for i in range(starts[c], starts[c + 1] - 1):
            after[walk[i]] = walk[i + 1]
    merged = 0
    for c in range(count):
        while size[c] > 0 and not fits(_gather(head, after, c, room), ask, tally):
            o, _ = _nearest(low, high, size, paid, c, max(0, c - reach), min(count, c + reach + 1), rates)
            if o < 0:
                o, _ = _nearest(low, high, size, paid, c, 0, count, rates)
            if o < 0:
                break
            absorb(low, high, size, c, o, rates)
            paid[c] = size[c] * cost(low[c], high[c], rates)
            after[tail[c]], tail[c] = head[o], tail[o]
            merged += 1
    new_walk, new_starts = np.empty_like(walk), np.zeros(count + 1, dtype=np.int64)
    at, made = 0, 0
    for c in range(count):
        if size[c] > 0:
            records = _gather(head, after, c, room)
            copy_into(new_walk, at, records)
            at += len(records)
            made += 1
            new_starts[made] = at
    return new_walk, new_starts[: made + 1].copy(), merged
