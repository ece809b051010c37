"""Records as bits, one row for each relation or path, and answers that are remembered."""

import numpy as np

from shoal._kernels import find_slot, njit, njit_inner, popcount
from shoal.data.arrays import B1, F8, I4, I8, U8

__all__ = [
    "ONE",
    "count_fitting",
    "count_fitting_by_secret",
    "disassociate_paths",
    "drop_relation",
    "empty_memory",
    "has_clash",
    "list_holders",
    "mark_records",
    "recall_values",
    "remember_values",
    "sum_chances",
    "thin_paths",
]

# Records as bits: which records hold a value, which show a relation, how many do all of it.
#
# bits  : uint64[rows, words]   bit r % 64 of word r // 64 of a row: whether record r holds the row's value
# start, items : record i's nodes are start[i] .. start[i + 1] - 1; what each is
# held_ends, records : which records, rising, hold each path of a synopsis tree, as `list_holders` gives them
# asked : int32[Q, width]       all that a query asks for: a relation j >= 0, a row of `bits` as -2 - row, -1: no more

_BLOCK = 64  # words of records looked at together: rows of them stay in the cache
_ROOM = 1 << 20  # words that show relations, at most, if one block has room there
_FIRST = 8 * _BLOCK  # words looked at before it is asked which relations still matter


@njit
def list_holders(start: I8, items: I4, width: int) -> tuple[I8, I4]:
    """For each item (below `width`) the records that hold it, rising: bounds and record numbers."""
    last_record = np.full(width, -1, dtype=np.int64)
    ends = np.zeros(width + 1, dtype=np.int64)
    for record in range(len(start) - 1):
        for node in range(start[record], start[record + 1]):
            if last_record[items[node]] != record:
                last_record[items[node]] = record
                ends[items[node] + 1] += 1
    for item in range(width):
        ends[item + 1] += ends[item]
    last_record[:] = -1
    filled = ends[:-1].copy()
    records = np.empty(ends[-1], dtype=np.int32)
    for record in range(len(start) - 1):
        for node in range(start[record], start[record + 1]):
            item = items[node]
            if last_record[item] != record:
                last_record[item] = record
                records[filled[item]] = record
                filled[item] += 1
    return ends, records


@njit
def mark_records(items: I8, ends: I8, records: I4, row: U8) -> int:
    """Set the bits of all records that hold one of the items; return how many there are."""
    row[:] = 0
    for item in items:
        for index in range(ends[item], ends[item + 1]):
            record = records[index]
            row[record >> 6] |= np.uint64(1) << np.uint64(record & 63)
    total = 0
    for word in row:
        total += popcount(word)
    return total


@njit
def has_clash(bits: U8, rows: I8, group: I8, m: int, k: int) -> bool:
    """Whether 1 to k-1 records hold some set of at most m rows with at least one of each group.

    `group` numbers 0, 1, ... the group of each row, rising. Sets that lack a group are known to be well held.
    """
    groups = group[-1] + 1
    words = bits.shape[1]
    both, word_index = np.empty((m + 1, words), dtype=np.uint64), np.empty((m + 1, words), dtype=np.int64)
    size, row_index = np.empty(m + 1, dtype=np.int64), np.empty(m, dtype=np.int64)
    for word in range(words):
        both[0, word], word_index[0, word] = ~np.uint64(0), word
    depth, size[0], row_index[0] = 0, words, -1
    while depth >= 0:
        row_index[depth] += 1
        j = row_index[depth]
        previous = group[row_index[depth - 1]] if depth else -1
        if j >= len(rows) or group[j] > previous + 1:
            depth -= 1
            continue
        if groups - 1 - group[j] > m - 1 - depth:
            continue  # the groups behind would not fit
        row = bits[rows[j]]
        deeper = depth + 1 < m and j + 1 < len(rows)
        record_count, word_count = 0, 0
        for i in range(size[depth]):  # the words, not empty, of what holds all rows so far
            now = both[depth, i] & row[word_index[depth, i]]
            if now:
                record_count += popcount(now)
                both[depth + 1, word_count], word_index[depth + 1, word_count] = now, word_index[depth, i]
                word_count += 1
                if record_count >= k and not deeper:
                    break
        if record_count == 0:
            continue
        if group[j] == groups - 1 and record_count < k:
            return True
        if deeper:
            depth += 1
            size[depth], row_index[depth] = word_count, j
    return False


@njit_inner
def _mark_relations(
    first: int,
    last: int,
    done: I8,
    held_ends: I8,
    records: I4,
    spot: I4,
    ends: I8,
    shows: I4,
    wanted: B1,
    relations: U8,
) -> None:
    """Set the bits of `wanted` relations that records `first` .. `last`-1 show.

    Spot s shows shows[ends[s] : ends[s + 1]]. Of each path's records, those before done[path] were looked at; what is
    not wanted once is never wanted again.
    """
    relations[:, : (last - first) >> 6] = 0
    for path in range(len(done)):
        s = spot[path]
        matters = False
        if s >= 0:
            for show_index in range(ends[s], ends[s + 1]):
                matters = matters or wanted[shows[show_index]]
        if not matters:
            continue
        index = done[path]
        while index < held_ends[path + 1] and records[index] < last:
            word = (records[index] - first) >> 6
            bit = np.uint64(1) << np.uint64((records[index] - first) & 63)
            for show_index in range(ends[s], ends[s + 1]):
                relations[shows[show_index], word] |= bit
            index += 1
        done[path] = index


@njit
def count_fitting(
    bits: U8, held_ends: I8, records: I4, spot: I4, ends: I8, shows: I4, number: int, asked: I4, enough: int
) -> I8:
    """How many records fit each query; `number` relations are asked for. One with `enough` is counted no further.

    Queries are looked at in the order of what they ask for: those that begin alike share what their beginnings have in
    common, and where no record of a block fits a beginning, all of them are done with it.
    """
    counts = np.zeros(len(asked), dtype=np.int64)
    query_ids = _sort_queries(asked, number, len(bits))
    queries, shared = _order_queries(asked, query_ids), np.zeros(len(asked), dtype=np.int64)
    open_count = _keep_open(queries, shared, query_ids, counts, enough, len(asked))
    done = held_ends[:-1].copy()
    words = bits.shape[1]
    most = min(words, max(1, _ROOM // (_BLOCK * max(number, 1))) * _BLOCK)
    relations = np.empty((number, most), dtype=np.uint64)
    wanted = np.ones(number, dtype=np.bool_)
    begun = np.empty((asked.shape[1] + 1, max(most, _BLOCK)), dtype=np.uint64)
    word_index, size = np.empty(begun.shape, dtype=np.int64), np.empty(len(begun), dtype=np.int64)
    begin, room = 0, min(_FIRST, most)
    while begin < words and open_count > 0:
        end = min(begin + room, words)
        _mark_relations(64 * begin, 64 * end, done, held_ends, records, spot, ends, shows, wanted, relations)
        step = _BLOCK if begin == 0 else room
        for block in range(begin, end, step):
            _add_block(
                queries, shared, query_ids, open_count, bits, relations, block, block - begin, min(step, end - block),
                begun, word_index, size, counts,
            )  # fmt: skip
            open_count = _keep_open(queries, shared, query_ids, counts, enough, open_count)
        wanted[:] = False
        for index in range(open_count):
            for ask in queries[index]:
                if ask >= 0:
                    wanted[ask] = True
        begin, room = end, min(2 * room, most)
    return counts


@njit_inner
def _sort_queries(asked: I4, number: int, rows: int) -> I8:
    """Queries in the order of what they ask for first, then second, ...: counted out by the last of it first."""
    order, next_order = np.arange(len(asked)), np.empty(len(asked), dtype=np.int64)
    for column in range(asked.shape[1] - 1, -1, -1):
        starts = np.zeros(rows + number + 3, dtype=np.int64)
        for query in order:
            starts[asked[query, column] + rows + 3] += 1
        for ask in range(1, len(starts)):
            starts[ask] += starts[ask - 1]
        for query in order:
            ask = asked[query, column] + rows + 2
            next_order[starts[ask]] = query
            starts[ask] += 1
        order, next_order = next_order, order
    return order


@njit_inner
def _order_queries(asked: I4, order: I8) -> I4:
    rows = np.empty_like(asked)
    for index in range(len(order)):
        for column in range(asked.shape[1]):
            rows[index, column] = asked[order[index], column]
    return rows


@njit_inner
def _keep_open(queries: I4, shared: I8, left: I8, held: I8, enough: int, many: int) -> int:
    """Move the queries without `enough` records to the front, and return how many they are.

    All that a query asks for but its last may be `shared` with the one before it.
    """
    kept_count, last = 0, queries.shape[1] - 1
    for index in range(many):
        if held[left[index]] < enough:
            alike = 0
            while kept_count and alike < last and queries[index, alike + 1] != -1:
                if queries[kept_count - 1, alike] != queries[index, alike]:
                    break
                alike += 1
            for column in range(last + 1):
                queries[kept_count, column] = queries[index, column]
            left[kept_count], shared[kept_count] = left[index], alike
            kept_count += 1
    return kept_count


@njit_inner
def _add_block(
    queries: I4,
    shared: I8,
    left: I8,
    many: int,
    bits: U8,
    relations: U8,
    block: int,
    within: int,
    words: int,
    begun: U8,
    place: I8,
    size: I8,
    held: I8,
) -> None:
    """Add the records of a block; `within` is where its bits of relations begin.

    begun[d] are the words, not empty, of what fits the first d asks, place[d] where they stand, size[d] their number.
    """
    full = ~np.uint64(0)
    for word in range(words):
        begun[0, word], place[0, word] = full, word
    size[0], depth = words, 0
    for index in range(many):
        depth = min(depth, shared[index])
        while size[depth]:  # else it begins as one that nobody of this block fits
            ask = queries[index, depth]
            last = depth + 1 == queries.shape[1] or queries[index, depth + 1] == -1
            total, word_count = 0, 0
            for i in range(size[depth]):
                word = place[depth, i]
                now = relations[ask, within + word] if ask >= 0 else bits[-2 - ask, block + word]
                now &= begun[depth, i]
                if last:
                    total += popcount(now)
                elif now:
                    begun[depth + 1, word_count], place[depth + 1, word_count] = now, word
                    word_count += 1
            if last:
                held[left[index]] += total
                break
            depth += 1
            size[depth] = word_count


@njit_inner
def _tally_secrets(query: I4, bits: U8, relations: U8, secret_start: I8, secrets: I4, count: I8) -> int:
    """Count the secrets of all records that fit one query, and return how many these are."""
    record_count = 0
    for word in range(bits.shape[1]):
        both = ~np.uint64(0)
        for ask in query:
            if ask == -1:
                break
            both &= relations[ask, word] if ask >= 0 else bits[-2 - ask, word]
        while both:
            low = both & (~both + np.uint64(1))
            record = 64 * word + popcount(low - np.uint64(1))
            both ^= low
            record_count += 1
            for index in range(secret_start[record], secret_start[record + 1]):
                count[secrets[index]] += 1
    return record_count


@njit
def count_fitting_by_secret(
    bits: U8,
    held_ends: I8,
    records: I4,
    spot: I4,
    ends: I8,
    shows: I4,
    number: int,
    asked: I4,
    secret_start: I8,
    secrets: I4,
    width: int,
) -> I8:
    """How many records fit each query, and behind that how many of them hold each secret: int64[Q, 1 + width]."""
    counts = np.zeros((len(asked), 1 + width), dtype=np.int64)
    relations = np.empty((number, bits.shape[1]), dtype=np.uint64)
    done = held_ends[:-1].copy()
    wanted = np.ones(number, dtype=np.bool_)
    _mark_relations(0, 64 * bits.shape[1], done, held_ends, records, spot, ends, shows, wanted, relations)
    for query in range(len(asked)):
        counts[query, 0] = _tally_secrets(
            asked[query], bits, relations, secret_start, secrets, counts[query, 1:]
        )
    return counts


# What was counted before, by a 64-bit key.
#
# slots : int64[2, 2^b]   keys and what they stand for, -1 where it is empty


def empty_memory(size: int = 1 << 12) -> I8:
    """A memory that holds nothing yet; `size` is a power of 2."""
    return np.full((2, size), -1, dtype=np.int64)


@njit
def recall_values(slots: I8, keys: I8) -> I8:
    """What each key stands for, -1 where it is not known."""
    values = np.empty(len(keys), dtype=np.int64)
    for index in range(len(keys)):
        values[index] = slots[1, find_slot(slots[0], keys[index])]
    return values


@njit
def remember_values(slots: I8, held: int, keys: I8, values: I8) -> I8:
    """Add new keys to the `held` ones; return the memory, which may have grown."""
    while 2 * (held + len(keys)) > slots.shape[1]:
        wide = np.full((2, 2 * slots.shape[1]), -1, dtype=np.int64)
        for index in range(slots.shape[1]):
            if slots[0, index] >= 0:
                s = find_slot(wide[0], slots[0, index])
                wide[0, s], wide[1, s] = slots[0, index], slots[1, index]
        slots = wide
    for index in range(len(keys)):
        s = find_slot(slots[0], keys[index])
        slots[0, s], slots[1, s] = keys[index], values[index]
    return slots


# The synopsis tree of `shoal.utility._kernels` (start, path, up, ends are told there): relations cut, records counted.
#
# spot : int32[T]   where each path stands in a projected tree, -1: nowhere

ONE = 1 << 36
"""What `sum_chances` counts for a record without a node. Whole numbers: their sum does not depend on the order."""


@njit
def drop_relation(up: I4, ends: I4, loose: B1) -> I4:
    """For each path, the one that its end is below once the loose values are under the root: -1, or an ancestor."""
    below = np.empty(len(up), dtype=np.int32)
    for path in range(len(up)):
        over = up[path]
        while over >= 0 and loose[ends[over]]:
            over = up[over]
        below[path] = -1 if loose[ends[path]] else over
    return below


@njit
def disassociate_paths(up: I4, ends: I4, rule: I4) -> I4:
    """For each path, the one that its end hangs below once the relations a ~> b with rule[a, b] >= 0 are disassociated.

    The rule with the smallest number goes first (Definition 2): b hangs below what a hangs below, and what hung
    below b hangs below what b hung below.
    """
    below = np.empty(len(up), dtype=np.int32)
    for path in range(len(up)):
        size = 0
        over = path
        while over >= 0:
            size += 1
            over = up[over]
        chain = np.empty(size, dtype=np.int32)
        over = path
        for position in range(size - 1, -1, -1):
            chain[position] = over
            over = up[over]
        hangs = np.arange(-1, size - 1)
        while True:
            best, high, low = -1, -1, -1
            for position in range(1, size):
                above = hangs[position]
                while above >= 0:
                    number = rule[ends[chain[above]], ends[chain[position]]]
                    if number >= 0 and (best < 0 or number < best):
                        best, high, low = number, above, position
                    above = hangs[above]
            if best < 0:
                break
            for position in range(low + 1, size):
                if hangs[position] == low:
                    hangs[position] = hangs[low]
            hangs[low] = hangs[high]
        last = hangs[size - 1]
        below[path] = chain[last] if last >= 0 else -1
    return below


@njit
def thin_paths(start: I8, path: I4, spot: I4, found: int) -> tuple[I8, I4]:
    """Where each record's nodes stand among `found` spots, each spot once per record, those left out dropped."""
    last_record = np.full(found, -1, dtype=np.int64)
    begins = np.zeros(len(start), dtype=np.int64)
    spots = np.empty(len(path), dtype=np.int32)
    filled = 0
    for record in range(len(start) - 1):
        for node in range(start[record], start[record + 1]):
            target = spot[path[node]]
            if target >= 0 and last_record[target] != record:
                last_record[target] = record
                spots[filled] = target
                filled += 1
        begins[record + 1] = filled
    return begins, spots[:filled].copy()


@njit
def sum_chances(start: I8, path: I4, spot: I4, up: I4, share: F8) -> int:
    """Sum over records of the mean share of their leaves, times `ONE`; `share` is that of the path to each spot.

    A spot is a leaf of a record until one below it is met; nodes above stand before those below.
    """
    last_record = np.full(len(up), -1, dtype=np.int32)
    inner = np.full(len(up), -1, dtype=np.int32)
    total = 0
    for record in range(len(start) - 1):
        shares, leaves = 0.0, 0
        for node in range(start[record], start[record + 1]):
            target = spot[path[node]]
            if target < 0 or last_record[target] == record:
                continue
            last_record[target] = record
            shares += share[target]
            leaves += 1
            over = up[target]
            if over >= 0 and inner[over] != record:
                inner[over] = record
                shares -= share[over]
                leaves -= 1
        total += int(ONE * shares / leaves) if leaves else ONE
    return total
