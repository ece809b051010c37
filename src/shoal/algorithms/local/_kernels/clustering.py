"""Classes from records: cutting a line of records, halving classes, growing clusters, merging classes."""

import numpy as np

from shoal._kernels import copy_into, njit, njit_inner, smallest, sort, stable_argsort, sum_of
from shoal.algorithms._kernels import (
    NEVER,
    SET,
    ClassConstraint,
    ClassTally,
    Rates,
    add,
    both,
    cost,
    enter,
    fits,
    meets,
    open_class,
    price,
    remove,
    with_record,
)
from shoal.data.arrays import I4, I8

__all__ = [
    "absorb",
    "class_costs",
    "cut_walk",
    "extents",
    "halve",
    "members",
    "merge_small",
    "regroup",
    "repair",
]

# Cut an order of records into classes at the least cost.
#
# codes  : int32[n, d]   see `rates`
# walk   : int64[n]      records in an order in which neighbours are alike
# bounds : int64[b + 1]  the only places where the walk may be cut, from 0 to n


@njit
def cut_walk(
    codes: I4,
    walk: I8,
    bounds: I8,
    most: int,
    skip: int,
    rates: Rates,
    ask: ClassConstraint,
    tally: ClassTally | None,
) -> tuple[I8, I8]:
    """The cheapest classes of consecutive records that keep the claim, of at most `most` records each.

    One record may be left out for the price `skip`. Dynamic programming: the best way to end at a bound is a
    class behind the best way to end where the class begins. Of equal costs the shorter class wins.

    Returns
    -------
    best : int64[b + 1]
        The least cost of the walk up to each bound; `NEVER` where there is none.
    behind : int64[b + 1]
        The bound at which the class that ends here begins; -1 where a record is left out.
    """
    best = np.full(len(bounds), NEVER, dtype=np.int64)
    behind = np.full(len(bounds), -1, dtype=np.int64)
    low, high = np.empty((2, codes.shape[1]), dtype=np.int64)
    best[0] = 0
    for end in range(1, len(bounds)):
        stop = bounds[end]
        open_class(low, high, codes[walk[stop - 1]], rates)
        at = stop
        for begin in range(end - 1, -1, -1):
            if stop - bounds[begin] > most:
                break
            while at > bounds[begin]:
                at -= 1
                enter(low, high, codes[walk[at]], rates)
                add(walk[at], ask, tally)
            if best[begin] == NEVER or stop - at < ask.k:
                continue
            paid = best[begin] + (stop - at) * cost(low, high, rates)
            if paid < best[end] and meets(walk[at:stop], ask, tally):
                best[end], behind[end] = paid, begin
        for i in range(at, stop):
            remove(walk[i], ask, tally)
        if best[end - 1] != NEVER and best[end - 1] + skip < best[end]:
            best[end], behind[end] = best[end - 1] + skip, -1
    return best, behind


@njit
def class_costs(codes: I4, walk: I8, starts: I8, rates: Rates) -> I8:
    """What all records of each class pay together; class c is walk[starts[c] : starts[c + 1]]."""
    low, high = extents(codes, walk, starts, rates)
    return _paid(low, high, starts[1:] - starts[:-1], rates)


# Halve classes column by column, as Mondrian does.
#
# codes : int32[n, d]  see `rates`
# joint : int64[...]   column j from `begin[j]`: the level on which value v and value v + 1 meet; where values are not
# published as nodes all are equal


@njit_inner
def _by_price(codes: I4, records: I8, rates: Rates) -> I8:
    """Columns in which the records differ, the most expensive first."""
    d = codes.shape[1]
    low, high = np.empty((2, d), dtype=np.int64)
    open_class(low, high, codes[records[0]], rates)
    differs = np.zeros(d, dtype=np.bool_)
    for i in range(1, len(records)):
        enter(low, high, codes[records[i]], rates)
        for j in range(d):
            differs[j] |= codes[records[i], j] != codes[records[0], j]
    paid = np.empty(d, dtype=np.int64)
    for j in range(d):
        paid[j] = price(j, low[j], high[j], rates)
    columns = stable_argsort(-paid)  # stable: of equal prices the first column
    different: I8 = columns[differs[columns]]
    return different


@njit_inner
def _evenest(values: I8, joint: I8) -> int:
    """How many of the rising `values` lie left of the most even cut between children of their common node."""
    widest = 0
    for v in range(values[0], values[-1]):
        widest = max(widest, joint[v])
    best = 0
    for i in range(1, len(values)):
        if values[i] != values[i - 1] and abs(len(values) - 2 * i) < abs(len(values) - 2 * best):
            for v in range(values[i - 1], values[i]):
                if joint[v] == widest:
                    best = i
                    break
    return best


@njit_inner
def _halved(
    codes: I4,
    records: I8,
    rates: Rates,
    begin: I8,
    joint: I8,
    strict: bool,
    ask: ClassConstraint,
    tally: ClassTally | None,
) -> int:
    """Order `records` so that its first so many are one half; 0 where no column can be cut."""
    columns = _by_price(codes, records, rates)
    values = np.empty(len(records), dtype=np.int64)
    for q in range(len(columns)):
        j = columns[q]
        for i in range(len(records)):
            values[i] = codes[records[i], j]
        order = stable_argsort(values)
        left = _evenest(values[order], joint[begin[j] :]) if strict else len(records) // 2
        sorted_records = records[order]
        if left > 0 and fits(sorted_records[:left], ask, tally) and fits(sorted_records[left:], ask, tally):
            copy_into(records, 0, sorted_records)
            return left
    return 0


@njit
def halve(
    codes: I4,
    rates: Rates,
    begin: I8,
    joint: I8,
    strict: bool,
    ask: ClassConstraint,
    tally: ClassTally | None,
    done: I8,
) -> tuple[I8, I8]:
    """Classes that no cut can divide further: (walk, starts).

    The most expensive column is tried first. A strict cut lies between two values, as near to the median as the
    children of the class's node allow; a relaxed one at the median, equal values going to both sides. `done`, int64[1],
    shows how many records are in such classes already.
    """
    n = len(codes)
    walk, starts = np.arange(n), np.zeros(n + 1, dtype=np.int64)
    open_end = np.empty(n + 1, dtype=np.int64)  # a stack: the part from `at` to its top is the next to halve
    open_end[0], depth, at, made = n, 1, 0, 0
    while depth > 0:
        end = open_end[depth - 1]
        left = 0
        if end - at >= 2 * ask.k:
            left = _halved(codes, walk[at:end], rates, begin, joint, strict, ask, tally)
        if left > 0:
            open_end[depth] = at + left
            depth += 1
        else:
            depth -= 1
            made += 1
            at = starts[made] = done[0] = end
    return walk, starts[: made + 1].copy()


# Greedy k-member clustering, and the regrouping of a few neighbouring classes by it.
#
# codes : int32[n, d]  see `rates`
# tuple_of : int64[n]  equal where records are; records stand by rising tuple, so equal ones are neighbours
# unit  : int64[u]     the first record of each distinct tuple, rising: of two units the smaller one comes first
# left  : int64[u]     how many records of the tuple are still without a class
# walk, starts         class c is walk[starts[c] : starts[c + 1]]


@njit_inner
def _furthest(codes: I4, unit: I8, alive: I8, seed: int, rates: Rates) -> int:
    """The unit that would pay most in one class with `seed`."""
    low, high = np.empty((2, codes.shape[1]), dtype=np.int64)
    open_class(low, high, codes[unit[seed]], rates)
    most, found = -1, -1
    for i in range(len(alive)):
        paid = with_record(low, high, codes[unit[alive[i]]], rates)
        if paid > most:
            most, found = paid, alive[i]
    return found


@njit_inner
def _cheapest(codes: I4, unit: I8, left: I8, alive: I8, low: I8, high: I8, rates: Rates) -> int:
    """The unit whose entry makes the class cost least."""
    least, found = NEVER, -1
    for i in range(len(alive)):
        if left[alive[i]] > 0:
            paid = with_record(low, high, codes[unit[alive[i]]], rates)
            if paid < least:
                least, found = paid, alive[i]
    return found


@njit_inner
def _adds_least(low: I8, high: I8, size: I8, record: I4, many: int, rates: Rates) -> int:
    """The class to which so many equal records add least."""
    least, found = NEVER, 0
    for c in range(len(low)):
        old = size[c] * cost(low[c], high[c], rates)
        added = (size[c] + many) * with_record(low[c], high[c], record, rates) - old
        if added < least:
            least, found = added, c
    return found


@njit_inner
def _with_records(alive: I8, left: I8) -> I8:
    """Those units that have records left, moved to the front."""
    found = 0
    for i in range(len(alive)):
        if left[alive[i]] > 0:
            alive[found] = alive[i]
            found += 1
    return alive[:found]


@njit
def members(codes: I4, unit: I8, left: I8, k: int, rates: Rates) -> tuple[I8, I8, I8]:
    """Group all records: (unit, class, how many of the unit's records) as three arrays of one length.

    A class starts with the record furthest from the last one's start and takes the record that makes it
    cost least until it has k; fewer than k that remain each go where they add least. `left` is used up.
    """
    d, total = codes.shape[1], sum_of(left)
    classes = max(total // k, 1)
    low, high = np.empty((2, classes, d), dtype=np.int64)
    size = np.zeros(classes, dtype=np.int64)
    which, where, many = np.empty((3, len(unit) + classes), dtype=np.int64)
    alive = np.arange(len(unit))
    used, made, seed = 0, 0, 0
    while total >= k or made == 0:
        seed = u = _furthest(codes, unit, alive, seed, rates)
        open_class(low[made], high[made], codes[unit[seed]], rates)
        while True:
            taken = min(left[u], k - size[made])
            which[used], where[used], many[used] = u, made, taken
            used += 1
            left[u] -= taken
            total -= taken
            size[made] += taken
            enter(low[made], high[made], codes[unit[u]], rates)
            if size[made] == k or total == 0:
                break
            u = _cheapest(codes, unit, left, alive, low[made], high[made], rates)
        made += 1
        alive = _with_records(alive, left)
    for i in range(len(alive)):
        u = alive[i]
        c = _adds_least(low[:made], high[:made], size, codes[unit[u]], left[u], rates)
        which[used], where[used], many[used] = u, c, left[u]
        used += 1
        size[c] += left[u]
        left[u] = 0
        enter(low[c], high[c], codes[unit[u]], rates)
    return which[:used], where[:used], many[:used]


@njit_inner
def _clustered(codes: I4, tuple_of: I8, records: I8, k: int, rates: Rates) -> tuple[I8, I8]:
    """Greedy classes of rising `records`: the records by class, and where each class starts."""
    taken, left = np.empty(len(records), dtype=np.int64), np.zeros(len(records), dtype=np.int64)
    units = 0
    for i in range(len(records)):
        if i == 0 or tuple_of[records[i]] != tuple_of[records[i - 1]]:
            taken[units] = i
            units += 1
        left[units - 1] += 1
    near = codes[records[taken[:units]]]  # read again and again: together
    which, where, many = members(near, np.arange(units), left[:units], k, rates)
    starts = np.zeros(max(len(records) // k, 1) + 1, dtype=np.int64)
    for i in range(len(where)):
        starts[where[i] + 1] += many[i]
    for c in range(1, len(starts)):
        starts[c] += starts[c - 1]
    fill = starts.copy()
    walk = np.empty_like(records)
    for i in range(len(which)):
        u, c = which[i], where[i]
        for _ in range(many[i]):
            walk[fill[c]] = records[taken[u]]
            fill[c] += 1
            taken[u] += 1
    return walk, starts


@njit_inner
def _all_fit(walk: I8, starts: I8, ask: ClassConstraint, tally: ClassTally | None) -> bool:
    """Whether every class keeps the claim."""
    for c in range(len(starts) - 1):
        if not fits(walk[starts[c] : starts[c + 1]], ask, tally):
            return False
    return True


@njit
def regroup(
    codes: I4,
    tuple_of: I8,
    walk: I8,
    starts: I8,
    turn: I8,
    width: int,
    largest: int,
    rates: Rates,
    ask: ClassConstraint,
    tally: ClassTally | None,
) -> tuple[I8, I8]:
    """Cluster the classes again, `width` at a time, in the order of `turn`; keep what became cheaper.

    More than `largest` records together are left alone.
    """
    paid = class_costs(codes, walk, starts, rates)
    new_walk, new_starts = np.empty_like(walk), np.zeros(len(walk) + 1, dtype=np.int64)
    at, made = 0, 0
    for begin in range(0, len(turn), width):
        end = min(begin + width, len(turn))
        old, room = 0, at
        for q in range(begin, end):
            c = turn[q]
            old += paid[c]
            for i in range(starts[c], starts[c + 1]):
                new_walk[at] = walk[i]
                at += 1
            new_starts[made + q - begin + 1] = at
        if old > 0 and at - room <= largest:
            rising = new_walk[room:at].copy()
            sort(rising)
            records, inside = _clustered(codes, tuple_of, rising, ask.k, rates)
            now = sum_of(class_costs(codes, records, inside, rates))
            if now < old and _all_fit(records, inside, ask, tally):
                copy_into(new_walk, room, records)
                for c in range(1, len(inside)):
                    new_starts[made + c] = room + inside[c]
                made += len(inside) - 1
                continue
        made += end - begin
    return new_walk, new_starts[: made + 1].copy()


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


@njit_inner
def _added(low: I8, high: I8, size: I8, paid: I8, c: int, o: int, rates: Rates) -> int:
    """What the union of two classes costs more than both: CDist, when the price of a cell is its level."""
    return int((size[c] + size[o]) * both(low[c], high[c], low[o], high[o], rates) - paid[c] - paid[o])


@njit_inner
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


@njit_inner
def _paid(low: I8, high: I8, size: I8, rates: Rates) -> I8:
    """What all records of each class pay together."""
    paid = np.empty(len(size), dtype=np.int64)
    for c in range(len(size)):
        paid[c] = size[c] * cost(low[c], high[c], rates)
    return paid


@njit_inner
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
        least = smallest(gap)
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


@njit_inner
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
    codes: I4, walk: I8, starts: I8, reach: int, rates: Rates, ask: ClassConstraint, tally: ClassTally | None
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
