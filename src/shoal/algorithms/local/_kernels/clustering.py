"""Classes from records: cutting a line of records, halving classes, growing clusters, merging classes."""

from typing import NamedTuple

import numpy as np

from shoal._kernels import copy_into, index_of_smallest, njit, njit_inner, sort, stable_argsort, sum_values
from shoal.algorithms._kernels import (
    NEVER,
    SET,
    ClassConstraint,
    ClassTally,
    Rates,
    join_high,
    keeps_constraint,
    open_class,
    price_cell,
    price_class,
    price_union,
    price_with_record,
    tally_record,
    untally_record,
    widen_class,
    would_keep_constraint,
)
from shoal.data.arrays import I4, I8

__all__ = [
    "absorb",
    "class_costs",
    "cut_walk",
    "exchange_records",
    "extents",
    "grow_clusters",
    "halve",
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
    class_begin = np.full(len(bounds), -1, dtype=np.int64)
    low, high = np.empty((2, codes.shape[1]), dtype=np.int64)
    best[0] = 0
    for end in range(1, len(bounds)):
        stop = bounds[end]
        open_class(low, high, codes[walk[stop - 1]], rates)
        position = stop
        for begin in range(end - 1, -1, -1):
            if stop - bounds[begin] > most:
                break
            while position > bounds[begin]:
                position -= 1
                widen_class(low, high, codes[walk[position]], rates)
                tally_record(walk[position], ask, tally)
            if best[begin] == NEVER or stop - position < ask.k:
                continue
            total = best[begin] + (stop - position) * price_class(low, high, rates)
            if total < best[end] and keeps_constraint(walk[position:stop], ask, tally):
                best[end], class_begin[end] = total, begin
        for i in range(position, stop):
            untally_record(walk[i], ask, tally)
        if best[end - 1] != NEVER and best[end - 1] + skip < best[end]:
            best[end], class_begin[end] = best[end - 1] + skip, -1
    return best, class_begin


@njit
def class_costs(codes: I4, walk: I8, starts: I8, rates: Rates) -> I8:
    """What all records of each class pay together; class c is walk[starts[c] : starts[c + 1]]."""
    low, high = extents(codes, walk, starts, rates)
    return _costs_of_extents(low, high, starts[1:] - starts[:-1], rates)


# Halve classes column by column, as Mondrian does.
#
# codes : int32[n, d]  see `rates`
# joint : int64[...]   column j from `begin[j]`: the level on which value v and value v + 1 meet; where values are not
# published as nodes all are equal


@njit_inner
def _columns_by_price(codes: I4, records: I8, rates: Rates) -> I8:
    """Columns in which the records differ, the most expensive first."""
    d = codes.shape[1]
    low, high = np.empty((2, d), dtype=np.int64)
    open_class(low, high, codes[records[0]], rates)
    differs = np.zeros(d, dtype=np.bool_)
    for i in range(1, len(records)):
        widen_class(low, high, codes[records[i]], rates)
        for j in range(d):
            differs[j] |= codes[records[i], j] != codes[records[0], j]
    prices = np.empty(d, dtype=np.int64)
    for j in range(d):
        prices[j] = price_cell(j, low[j], high[j], rates)
    columns = stable_argsort(-prices)  # stable: of equal prices the first column
    differing_columns: I8 = columns[differs[columns]]
    return differing_columns


@njit_inner
def _find_even_cut(values: I8, joint: I8) -> int:
    """How many of the rising `values` lie left of the most even cut between children of their common node."""
    highest_level = 0
    for v in range(values[0], values[-1]):
        highest_level = max(highest_level, joint[v])
    best = 0
    for i in range(1, len(values)):
        if values[i] != values[i - 1] and abs(len(values) - 2 * i) < abs(len(values) - 2 * best):
            for v in range(values[i - 1], values[i]):
                if joint[v] == highest_level:
                    best = i
                    break
    return best


@njit_inner
def _cut_in_half(
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
    columns = _columns_by_price(codes, records, rates)
    values = np.empty(len(records), dtype=np.int64)
    for q in range(len(columns)):
        j = columns[q]
        for i in range(len(records)):
            values[i] = codes[records[i], j]
        order = stable_argsort(values)
        first_size = _find_even_cut(values[order], joint[begin[j] :]) if strict else len(records) // 2
        sorted_records = records[order]
        if (
            first_size > 0
            and would_keep_constraint(sorted_records[:first_size], ask, tally)
            and would_keep_constraint(sorted_records[first_size:], ask, tally)
        ):
            copy_into(records, 0, sorted_records)
            return first_size
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
    open_end[0], depth, position, class_count = n, 1, 0, 0
    while depth > 0:
        end = open_end[depth - 1]
        first_size = 0
        if end - position >= 2 * ask.k:
            first_size = _cut_in_half(codes, walk[position:end], rates, begin, joint, strict, ask, tally)
        if first_size > 0:
            open_end[depth] = position + first_size
            depth += 1
        else:
            depth -= 1
            class_count += 1
            position = starts[class_count] = done[0] = end
    return walk, starts[: class_count + 1].copy()


# Greedy k-member clustering, and the regrouping of a few neighbouring classes by it.
#
# codes : int32[n, d]  see `rates`
# tuple_of : int64[n]  equal where records are; records stand by rising tuple, so equal ones are neighbours
# unit  : int64[u]     the first record of each distinct tuple, rising: of two units the smaller one comes first
# left  : int64[u]     how many records of the tuple are still without a class
# walk, starts         class c is walk[starts[c] : starts[c + 1]]


@njit_inner
def _find_furthest_unit(codes: I4, unit: I8, alive: I8, seed: int, rates: Rates) -> int:
    """The unit that would pay most in one class with `seed`."""
    low, high = np.empty((2, codes.shape[1]), dtype=np.int64)
    open_class(low, high, codes[unit[seed]], rates)
    highest_price, furthest = -1, -1
    for i in range(len(alive)):
        class_price = price_with_record(low, high, codes[unit[alive[i]]], rates)
        if class_price > highest_price:
            highest_price, furthest = class_price, alive[i]
    return furthest


@njit_inner
def _find_cheapest_unit(codes: I4, unit: I8, left: I8, alive: I8, low: I8, high: I8, rates: Rates) -> int:
    """The unit whose entry makes the class cost least."""
    lowest_price, cheapest = NEVER, -1
    for i in range(len(alive)):
        if left[alive[i]] > 0:
            class_price = price_with_record(low, high, codes[unit[alive[i]]], rates)
            if class_price < lowest_price:
                lowest_price, cheapest = class_price, alive[i]
    return cheapest


@njit_inner
def _find_class_adding_least(low: I8, high: I8, size: I8, record: I4, many: int, rates: Rates) -> int:
    """The class to which so many equal records add least."""
    lowest_cost, class_id = NEVER, 0
    for c in range(len(low)):
        old_cost = size[c] * price_class(low[c], high[c], rates)
        added_cost = (size[c] + many) * price_with_record(low[c], high[c], record, rates) - old_cost
        if added_cost < lowest_cost:
            lowest_cost, class_id = added_cost, c
    return class_id


@njit_inner
def _select_units_with_records(alive: I8, left: I8) -> I8:
    """Those units that have records left, moved to the front."""
    count = 0
    for i in range(len(alive)):
        if left[alive[i]] > 0:
            alive[count] = alive[i]
            count += 1
    return alive[:count]


@njit
def grow_clusters(codes: I4, unit: I8, left: I8, k: int, rates: Rates) -> tuple[I8, I8, I8]:
    """Group all records: (unit, class, how many of the unit's records) as three arrays of one length.

    A class starts with the record furthest from the last one's start and takes the record that makes it
    cost least until it has k; fewer than k that remain each go where they add least. `left` is used up.
    """
    d, total = codes.shape[1], sum_values(left)
    classes = max(total // k, 1)
    low, high = np.empty((2, classes, d), dtype=np.int64)
    size = np.zeros(classes, dtype=np.int64)
    unit_of_part, class_of_part, part_sizes = np.empty((3, len(unit) + classes), dtype=np.int64)
    alive = np.arange(len(unit))
    part_count, class_count, seed = 0, 0, 0
    while total >= k or class_count == 0:
        seed = u = _find_furthest_unit(codes, unit, alive, seed, rates)
        open_class(low[class_count], high[class_count], codes[unit[seed]], rates)
        while True:
            count = min(left[u], k - size[class_count])
            unit_of_part[part_count], class_of_part[part_count], part_sizes[part_count] = (
                u,
                class_count,
                count,
            )
            part_count += 1
            left[u] -= count
            total -= count
            size[class_count] += count
            widen_class(low[class_count], high[class_count], codes[unit[u]], rates)
            if size[class_count] == k or total == 0:
                break
            u = _find_cheapest_unit(codes, unit, left, alive, low[class_count], high[class_count], rates)
        class_count += 1
        alive = _select_units_with_records(alive, left)
    for i in range(len(alive)):
        u = alive[i]
        c = _find_class_adding_least(
            low[:class_count], high[:class_count], size, codes[unit[u]], left[u], rates
        )
        unit_of_part[part_count], class_of_part[part_count], part_sizes[part_count] = u, c, left[u]
        part_count += 1
        size[c] += left[u]
        left[u] = 0
        widen_class(low[c], high[c], codes[unit[u]], rates)
    return unit_of_part[:part_count], class_of_part[:part_count], part_sizes[:part_count]


@njit_inner
def _cluster_records(codes: I4, tuple_of: I8, records: I8, k: int, rates: Rates) -> tuple[I8, I8]:
    """Greedy classes of rising `records`: the records by class, and where each class starts."""
    next_record, unit_sizes = np.empty(len(records), dtype=np.int64), np.zeros(len(records), dtype=np.int64)
    units = 0
    for i in range(len(records)):
        if i == 0 or tuple_of[records[i]] != tuple_of[records[i - 1]]:
            next_record[units] = i
            units += 1
        unit_sizes[units - 1] += 1
    unit_codes = codes[records[next_record[:units]]]  # read again and again: together
    unit_of_part, class_of_part, part_sizes = grow_clusters(
        unit_codes, np.arange(units), unit_sizes[:units], k, rates
    )
    starts = np.zeros(max(len(records) // k, 1) + 1, dtype=np.int64)
    for i in range(len(class_of_part)):
        starts[class_of_part[i] + 1] += part_sizes[i]
    for c in range(1, len(starts)):
        starts[c] += starts[c - 1]
    fill = starts.copy()
    walk = np.empty_like(records)
    for i in range(len(unit_of_part)):
        u, c = unit_of_part[i], class_of_part[i]
        for _ in range(part_sizes[i]):
            walk[fill[c]] = records[next_record[u]]
            fill[c] += 1
            next_record[u] += 1
    return walk, starts


@njit_inner
def _all_fit(walk: I8, starts: I8, ask: ClassConstraint, tally: ClassTally | None) -> bool:
    """Whether every class keeps the claim."""
    for c in range(len(starts) - 1):
        if not would_keep_constraint(walk[starts[c] : starts[c + 1]], ask, tally):
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
    costs = class_costs(codes, walk, starts, rates)
    new_walk, new_starts = np.empty_like(walk), np.zeros(len(walk) + 1, dtype=np.int64)
    position, class_count = 0, 0
    for begin in range(0, len(turn), width):
        end = min(begin + width, len(turn))
        old_cost, group_start = 0, position
        for q in range(begin, end):
            c = turn[q]
            old_cost += costs[c]
            for i in range(starts[c], starts[c + 1]):
                new_walk[position] = walk[i]
                position += 1
            new_starts[class_count + q - begin + 1] = position
        if old_cost > 0 and position - group_start <= largest:
            sorted_records = new_walk[group_start:position].copy()
            sort(sorted_records)
            records, group_starts = _cluster_records(codes, tuple_of, sorted_records, ask.k, rates)
            new_cost = sum_values(class_costs(codes, records, group_starts, rates))
            if new_cost < old_cost and _all_fit(records, group_starts, ask, tally):
                copy_into(new_walk, group_start, records)
                for c in range(1, len(group_starts)):
                    new_starts[class_count + c] = group_start + group_starts[c]
                class_count += len(group_starts) - 1
                continue
        class_count += end - begin
    return new_walk, new_starts[: class_count + 1].copy()


# Exchange records between classes of at least k as long as that costs less.
#
# codes   : int32[n, d]  see `rates`
# members : int64[classes, room]  the records of each class, its first `size` ones
# low, high, price       the extent of each class, and what each of its records pays
# low_without, high_without, price_without  the same of the class of each record, without that record


class _Exchange(NamedTuple):
    """Classes between which records go to and fro."""

    class_of_record: I8
    members: I8
    size: I8
    low: I8
    high: I8
    price: I8
    low_without: I8
    high_without: I8
    price_without: I8


@njit_inner
def _measure_class(codes: I4, c: int, classes: _Exchange, rates: Rates) -> None:
    """Measure a class again, with all its records and without each of them."""
    members = classes.members[c, : classes.size[c]]
    open_class(classes.low[c], classes.high[c], codes[members[0]], rates)
    for record in members:
        widen_class(classes.low[c], classes.high[c], codes[record], rates)
        classes.class_of_record[record] = c
        low, high = classes.low_without[record], classes.high_without[record]
        open_class(low, high, codes[members[1] if record == members[0] else members[0]], rates)
        for other in members:
            if other != record:
                widen_class(low, high, codes[other], rates)
        classes.price_without[record] = price_class(low, high, rates)
    classes.price[c] = price_class(classes.low[c], classes.high[c], rates)


@njit_inner
def _find_nearest_classes(codes: I4, record: int, classes: _Exchange, near: I8, rates: Rates) -> int:
    """Fill `near` with the other classes that pay least for the record, the first one least; how many there are."""
    costs = np.full(len(near), NEVER, dtype=np.int64)
    own_class, count = classes.class_of_record[record], 0
    for c in range(len(classes.size)):
        if c == own_class:
            continue
        cost = price_with_record(classes.low[c], classes.high[c], codes[record], rates) - classes.price[c]
        if cost >= costs[-1]:
            continue
        position = len(near) - 1
        while position > 0 and costs[position - 1] > cost:
            costs[position], near[position] = costs[position - 1], near[position - 1]
            position -= 1
        costs[position], near[position] = cost, c
        count = min(count + 1, len(near))
    return count


@njit_inner
def _find_exchange(
    codes: I4, record: int, k: int, classes: _Exchange, near: I8, rates: Rates
) -> tuple[int, int]:
    """The class to which the record should go, and the place there of the record that comes instead.

    The class is -1 where nothing costs less, the place -1 where the record goes and none comes.
    """
    own, best_gain, best_class, best_place = classes.class_of_record[record], 0, -1, -1
    own_size, own_cost = classes.size[own], classes.size[own] * classes.price[own]
    for c in near[: _find_nearest_classes(codes, record, classes, near, rates)]:
        size = classes.size[c]
        cost = own_cost + size * classes.price[c]
        if own_size > k and size < classes.members.shape[1]:
            joined_price = price_with_record(classes.low[c], classes.high[c], codes[record], rates)
            gain = cost - (own_size - 1) * classes.price_without[record] - (size + 1) * joined_price
            if gain > best_gain:
                best_gain, best_class, best_place = gain, c, -1
        for place in range(size):
            other = classes.members[c, place]
            gain = cost - size * classes.price_without[other]
            gain -= own_size * price_with_record(
                classes.low_without[record], classes.high_without[record], codes[other], rates
            )
            if gain <= best_gain:
                continue
            gain += size * classes.price_without[other]
            gain -= size * price_with_record(
                classes.low_without[other], classes.high_without[other], codes[record], rates
            )
            if gain > best_gain:
                best_gain, best_class, best_place = gain, c, place
    return best_class, best_place


@njit
def exchange_records(
    codes: I4, walk: I8, starts: I8, k: int, near: int, rounds: int, rates: Rates, done: I8
) -> tuple[I8, I8]:
    """Classes of at least k between which no record is exchanged with one of the `near` classes: (walk, starts).

    A record changes places with one of another class, or goes there from a class of more than k, where both classes
    together pay less. All records have their turn in each of the `rounds`, until nothing is exchanged; `done`,
    int64[1], counts the turns. Classes need two records or more.
    """
    (n, d), count = codes.shape, len(starts) - 1
    size = starts[1:] - starts[:-1]
    room = 2 * k
    for c in range(count):
        room = max(room, size[c])
    low, high = np.empty((2, count, d), dtype=np.int64)
    low_without, high_without = np.empty((2, n, d), dtype=np.int64)
    classes = _Exchange(
        np.empty(n, dtype=np.int64),
        np.empty((count, room), dtype=np.int64),
        size,
        low,
        high,
        np.empty(count, dtype=np.int64),
        low_without,
        high_without,
        np.empty(n, dtype=np.int64),
    )
    for c in range(count):
        copy_into(classes.members[c], 0, walk[starts[c] : starts[c + 1]])
        _measure_class(codes, c, classes, rates)
    nearest_classes = np.empty(min(near, max(count - 1, 1)), dtype=np.int64)
    for _ in range(rounds):
        exchange_count = 0
        for record in range(n):
            done[0] += 1
            c, place = _find_exchange(codes, record, k, classes, nearest_classes, rates)
            if c < 0:
                continue
            own, own_place = classes.class_of_record[record], 0
            while classes.members[own, own_place] != record:
                own_place += 1
            if place >= 0:
                classes.members[own, own_place] = classes.members[c, place]
                classes.members[c, place] = record
            else:
                size[own] -= 1
                classes.members[own, own_place] = classes.members[own, size[own]]
                classes.members[c, size[c]] = record
                size[c] += 1
            _measure_class(codes, own, classes, rates)
            _measure_class(codes, c, classes, rates)
            exchange_count += 1
        if exchange_count == 0:
            break
    new_walk, new_starts = np.empty_like(walk), np.zeros_like(starts)
    for c in range(count):
        copy_into(new_walk, new_starts[c], classes.members[c, : size[c]])
        new_starts[c + 1] = new_starts[c] + size[c]
    return new_walk, new_starts


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
            widen_class(low[c], high[c], codes[walk[i]], rates)
    return low, high


@njit_inner
def _union_cost(low: I8, high: I8, size: I8, paid: I8, c: int, o: int, rates: Rates) -> int:
    """What the union of two classes costs more than both: CDist, when the price of a cell is its level."""
    return int((size[c] + size[o]) * price_union(low[c], high[c], low[o], high[o], rates) - paid[c] - paid[o])


@njit_inner
def _find_nearest_class(
    low: I8, high: I8, size: I8, paid: I8, c: int, first: int, last: int, rates: Rates
) -> tuple[int, int]:
    """The class from `first` to `last` - 1 that adds least to class c, and how much; (-1, NEVER) if there is none."""
    lowest_cost, nearest = NEVER, -1
    for o in range(first, last):
        if o != c and size[o] > 0:
            added_cost = _union_cost(low, high, size, paid, c, o, rates)
            if added_cost < lowest_cost:
                lowest_cost, nearest = added_cost, o
    return nearest, lowest_cost


@njit_inner
def _costs_of_extents(low: I8, high: I8, size: I8, rates: Rates) -> I8:
    """What all records of each class pay together."""
    costs = np.empty(len(size), dtype=np.int64)
    for c in range(len(size)):
        costs[c] = size[c] * price_class(low[c], high[c], rates)
    return costs


@njit_inner
def absorb(low: I8, high: I8, size: I8, into: int, other: int, rates: Rates) -> None:
    """Widen class `into` by class `other`, which has no record afterwards."""
    for j in range(low.shape[1]):
        if rates.kind[j] == SET:
            low[into, j] |= low[other, j]
        else:
            low[into, j] = min(low[into, j], low[other, j])
            high[into, j] = join_high(high[into, j], high[other, j], rates.missing[j])
    size[into] += size[other]
    size[other] = 0


@njit
def merge_small(low: I8, high: I8, size: I8, k: int, rates: Rates) -> I8:
    """Unite classes below k, the closest two first, until at most one of them is left; return `into`.

    A union that reaches k takes no further part. Of equal distances the smaller pair goes first.
    """
    count = len(size)
    into = np.arange(count)
    nearest_class, gap = np.full(count, -1, dtype=np.int64), np.full(count, NEVER, dtype=np.int64)
    size, low, high = size.copy(), low.copy(), high.copy()
    costs = _costs_of_extents(low, high, size, rates)
    for c in range(count):
        nearest_class[c], gap[c] = _find_nearest_class(low, high, size, costs, c, 0, count, rates)
    while True:
        closest = index_of_smallest(gap)
        if gap[closest] == NEVER:
            return into
        c, o = min(closest, nearest_class[closest]), max(closest, nearest_class[closest])
        absorb(low, high, size, c, o, rates)
        into[o], gap[o] = c, NEVER
        costs[c] = size[c] * price_class(low[c], high[c], rates)
        if size[c] >= k:
            gap[c], size[c] = NEVER, 0
        for x in range(count):
            if size[x] > 0 and x != c:
                if nearest_class[x] == c or nearest_class[x] == o:
                    nearest_class[x], gap[x] = _find_nearest_class(low, high, size, costs, x, 0, count, rates)
                elif size[c] > 0:
                    added_cost = _union_cost(low, high, size, costs, x, c, rates)
                    if added_cost < gap[x]:
                        nearest_class[x], gap[x] = c, added_cost
        if size[c] > 0:
            nearest_class[c], gap[c] = _find_nearest_class(low, high, size, costs, c, 0, count, rates)


@njit_inner
def _collect_records(head: I8, after: I8, c: int, room: I8) -> I8:
    """The records of a class, in the order in which they came together."""
    record_count, record = 0, head[c]
    while record >= 0:
        room[record_count] = record
        record_count += 1
        record = after[record]
    return room[:record_count]


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
    costs = _costs_of_extents(low, high, size, rates)
    head, tail = walk[starts[:-1]], walk[starts[1:] - 1]
    after, buffer = np.full(n, -1, dtype=np.int64), np.empty(n, dtype=np.int64)
    for c in range(count):
        for i in range(starts[c], starts[c + 1] - 1):
            after[walk[i]] = walk[i + 1]
    merger_count = 0
    for c in range(count):
        while size[c] > 0 and not would_keep_constraint(_collect_records(head, after, c, buffer), ask, tally):
            o, _ = _find_nearest_class(
                low, high, size, costs, c, max(0, c - reach), min(count, c + reach + 1), rates
            )
            if o < 0:
                o, _ = _find_nearest_class(low, high, size, costs, c, 0, count, rates)
            if o < 0:
                break
            absorb(low, high, size, c, o, rates)
            costs[c] = size[c] * price_class(low[c], high[c], rates)
            after[tail[c]], tail[c] = head[o], tail[o]
            merger_count += 1
    new_walk, new_starts = np.empty_like(walk), np.zeros(count + 1, dtype=np.int64)
    position, class_count = 0, 0
    for c in range(count):
        if size[c] > 0:
            records = _collect_records(head, after, c, buffer)
            copy_into(new_walk, position, records)
            position += len(records)
            class_count += 1
            new_starts[class_count] = position
    return new_walk, new_starts[: class_count + 1].copy(), merger_count
