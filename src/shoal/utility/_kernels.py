"""Loops over trees and baskets that losses need: paths of trees, frequent subtrees, supports of rarest itemsets."""

import numpy as np

from shoal._kernels import hash_slot, njit, njit_inner, popcount, resize, resize_rows
from shoal.data.arrays import F8, I4, I8, U8

__all__ = [
    "count_supports",
    "lower_least",
    "mine_frequent_sets",
    "number_paths",
    "project_paths",
    "set_record_bits",
]

# The synopsis tree: every distinct path of all records, projected to a cut, counted.
#
# start, items, parents : record i's nodes are start[i] .. start[i + 1] - 1, parents (places within it, -1: root) first
# up, ends : int32[T]   a path: the path it prolongs (-1: the root) and the item, or value, that it ends in
# path     : int32[N]   the path that each node of the data ends
# labels   : int32[items]   the published value of an item, 0 .. v-1; -1: left out, what is below joins what is above
#
# Paths stand behind those they prolong, in every tree here.


@njit_inner
def _find_key_slot(key: int, keys: I8, slots: I4) -> int:
    """The slot that holds a key, or the empty one where it belongs."""
    last = len(slots) - 1
    s = hash_slot(key, last)
    while slots[s] >= 0 and keys[slots[s]] != key:
        s = (s + 1) & last
    return s


@njit_inner
def _grow_table(keys: I8, slots: I4, found: int) -> tuple[I8, I4]:
    """Room for twice as many keys, the first `found` in place."""
    wide = resize(keys, 2 * len(keys))
    fresh = np.full(2 * len(slots), -1, dtype=np.int32)
    for index in range(found):
        fresh[_find_key_slot(wide[index], wide, fresh)] = index
    return wide, fresh


@njit_inner
def _split_keys(keys: I8, found: int, width: int) -> tuple[I4, I4]:
    """Keys (up + 1) * width + ends back into the two."""
    up = np.empty(found, dtype=np.int32)
    ends = np.empty(found, dtype=np.int32)
    for index in range(found):
        up[index] = keys[index] // width - 1
        ends[index] = keys[index] % width
    return up, ends


@njit
def number_paths(start: I8, items: I4, parents: I4, width: int) -> tuple[I4, I4, I4]:
    """Number the distinct paths of all records; items are below `width`. Returns path, up, ends."""
    path = np.empty(len(items), dtype=np.int32)
    keys = np.empty(1024, dtype=np.int64)
    slots = np.full(2048, -1, dtype=np.int32)
    path_count = 0
    for record in range(len(start) - 1):
        first = start[record]
        for node in range(first, start[record + 1]):
            parent_path = path[first + parents[node]] if parents[node] >= 0 else -1
            key = np.int64(parent_path + 1) * width + items[node]
            s = _find_key_slot(key, keys, slots)
            if slots[s] < 0:
                if path_count == len(keys):
                    keys, slots = _grow_table(keys, slots, path_count)
                    s = _find_key_slot(key, keys, slots)
                keys[path_count] = key
                slots[s] = path_count
                path_count += 1
            path[node] = slots[s]
    up, ends = _split_keys(keys, path_count, width)
    return path, up, ends


@njit
def project_paths(up: I4, ends: I4, labels: I4, width: int) -> tuple[I4, I4, I4]:
    """Replace items by their values (below `width`) and merge siblings that became equal.

    Returns by path the projected one, -1 where it ends in an item that is left out, and the projected tree.
    """
    nearest = np.empty(len(up), dtype=np.int32)  # the projected path, of a path left out the one above
    projected = np.empty(len(up), dtype=np.int32)
    keys = np.empty(1024, dtype=np.int64)
    slots = np.full(2048, -1, dtype=np.int32)
    path_count = 0
    for index in range(len(up)):
        parent = nearest[up[index]] if up[index] >= 0 else -1
        value = labels[ends[index]]
        if value < 0:
            nearest[index], projected[index] = parent, -1
            continue
        key = np.int64(parent + 1) * width + value
        s = _find_key_slot(key, keys, slots)
        if slots[s] < 0:
            if path_count == len(keys):
                keys, slots = _grow_table(keys, slots, path_count)
                s = _find_key_slot(key, keys, slots)
            keys[path_count] = key
            slots[s] = path_count
            path_count += 1
        nearest[index] = projected[index] = slots[s]
    new_up, new_ends = _split_keys(keys, path_count, width)
    return projected, new_up, new_ends


@njit
def count_supports(start: I8, path: I4, spot: I4, found: int) -> I8:
    """How many records hold each of `found` spots; `spot` is where a path stands, -1: nowhere."""
    counts = np.zeros(found, dtype=np.int64)
    last_record = np.full(found, -1, dtype=np.int64)
    for record in range(len(start) - 1):
        for node in range(start[record], start[record + 1]):
            position = spot[path[node]]
            if position >= 0 and last_record[position] != record:
                last_record[position] = record
                counts[position] += 1
    return counts


# Frequent subtrees: sets of paths that hold each path's beginnings, found in enough records.
#
# rows  : uint64[F, words]   bit r % 64 of word r // 64: whether record r holds path f
# up    : int32[F]           the path that f prolongs, -1: none; paths stand behind those they prolong
# gains : float64[F, 4]      what path f adds to a subtree: see `mine_frequent_sets`
# keys  : uint64[F]          a number for each path; subtrees are told apart by the sum of theirs


@njit
def set_record_bits(start: I8, path: I4, spot: I4, ends: I8, shows: I4, record: I8, rows: U8) -> None:
    """Set in `rows` the bits of all that records show; their nodes' paths stand at spots, spot s shows its rows.

    Spot s shows the rows shows[ends[s] : ends[s + 1]]; `record` is the bit of each record.
    """
    for tree in range(len(start) - 1):
        word = record[tree] >> 6
        bit = np.uint64(1) << np.uint64(record[tree] & 63)
        for node in range(start[tree], start[tree + 1]):
            s = spot[path[node]]
            if s >= 0:
                for entry in range(ends[s], ends[s + 1]):
                    rows[shows[entry], word] |= bit


@njit
def mine_frequent_sets(rows: U8, up: I4, least: int, gains: F8, keys: U8, most: int) -> tuple[U8, F8]:
    """Every set of paths, with their beginnings, that at least `least` records hold: its key, and its gains summed.

    A set grows by one of the paths that may still join: those behind the last in line, and what prolongs it. So each
    set is met once. At most `most` sets are found; one more says that there are others.
    """
    number, words = rows.shape
    deep = 64
    common = np.empty((deep, words), dtype=np.uint64)
    set_keys = np.zeros(deep, dtype=np.uint64)
    sums = np.zeros((deep, gains.shape[1]))
    # the paths that may still join at each depth, in line, all depths on one stack
    stack = np.empty(max(64, 4 * number), dtype=np.int32)
    end = np.zeros(deep + 1, dtype=np.int64)
    next_index = np.zeros(deep + 1, dtype=np.int64)
    out_keys = np.empty(1024, dtype=np.uint64)
    out_sums = np.empty((1024, gains.shape[1]))
    set_count = 0
    for f in range(number):
        if up[f] < 0:
            stack[end[0]] = f
            end[0] += 1
    depth = 0
    while depth >= 0:
        if next_index[depth] >= end[depth]:
            depth -= 1
            continue
        f = stack[next_index[depth]]
        next_index[depth] += 1
        row = rows[f]
        total = 0
        if depth:
            prefix_bits = common[depth - 1]
            for word in range(words):
                total += popcount(prefix_bits[word] & row[word])
        else:
            for word in range(words):
                total += popcount(row[word])
        if total < least:
            continue
        if set_count == len(out_keys):
            out_keys = resize(out_keys, 2 * set_count)
            out_sums = resize_rows(out_sums, 2 * set_count)
        set_keys[depth] = keys[f] + (set_keys[depth - 1] if depth else np.uint64(0))
        out_keys[set_count] = set_keys[depth]
        for j in range(gains.shape[1]):
            sums[depth, j] = gains[f, j] + (sums[depth - 1, j] if depth else 0.0)
            out_sums[set_count, j] = sums[depth, j]
        set_count += 1
        if set_count > most:
            break
        if depth + 1 == deep:
            deep *= 2
            common, set_keys, sums = (
                resize_rows(common, deep),
                resize(set_keys, deep),
                resize_rows(sums, deep),
            )
            end, next_index = resize(end, deep + 1), resize(next_index, deep + 1)
        for word in range(words):
            common[depth, word] = row[word] if depth == 0 else common[depth - 1, word] & row[word]
        first = end[depth]
        last = first
        if first + number > len(stack):
            stack = resize(stack, 2 * len(stack) + number)
        for entry in range(next_index[depth], end[depth]):  # those that may still join, and what prolongs f
            stack[last] = stack[entry]
            last += 1
        for child in range(f + 1, number):
            if up[child] == f:
                stack[last] = child
                last += 1
        depth += 1
        next_index[depth], end[depth] = first, last
    return out_keys[:set_count], out_sums[:set_count]


# How few rows hold some itemset of a row: what the row gives away to whoever knows few of its items.
#
# start : int64[n + 1]  row i holds items[start[i] : start[i + 1]], ascending
# items : int32         numbers 0 .. width-1
# least : int64[n]      the fewest rows found so far that hold something of row i, itself among them; changed in place
#
# Itemsets grow by items behind their last one. What holds only rows that are alone already (least 1) is not grown.


@njit
def lower_least(
    group_start: I8, group_rows: I8, start: I8, items: I4, width: int, more: int, least: I8
) -> None:
    """Lower `least` by what is known: that a row belongs to a group, and up to `more` of its items, at most 3.

    Group g holds the rows group_rows[group_start[g] : group_start[g + 1]].
    """
    item_counts, pair_counts, triple_counts = (
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
    )
    for g in range(len(group_start) - 1):
        rows = group_rows[group_start[g] : group_start[g + 1]]
        for row in rows:
            least[row] = min(least[row], len(rows))
        if more > 0 and not _are_all_alone(rows, least):
            positions = np.empty(len(rows), dtype=np.int64)
            for i in range(len(rows)):
                positions[i] = start[rows[i]]
            if more == 1:
                _extend_by_one(rows, positions, start, items, item_counts, least)
            elif more == 2:
                _extend_by_two(rows, positions, start, items, item_counts, pair_counts, least)
            else:
                _extend_by_three(
                    rows, positions, start, items, item_counts, pair_counts, triple_counts, least
                )


@njit_inner
def _are_all_alone(rows: I8, least: I8) -> bool:
    """Whether every row is known to be alone."""
    for row in rows:
        if least[row] > 1:
            return False
    return True


@njit_inner
def _count_items(rows: I8, at: I8, start: I8, items: I4, count: I8, least: I8) -> int:
    """Count in how many of the rows each item stands, from the places `at` on, and lower `least` by it.

    Returns how many places there are; `count` is not cleared.
    """
    entry_count = 0
    for i in range(len(rows)):
        entry_count += start[rows[i] + 1] - at[i]
        for p in range(at[i], start[rows[i] + 1]):
            count[items[p]] += 1
    for i in range(len(rows)):
        low = least[rows[i]]
        for p in range(at[i], start[rows[i] + 1]):
            low = min(low, count[items[p]])
        least[rows[i]] = low
    return entry_count


@njit_inner
def _clear_counts(rows: I8, at: I8, start: I8, items: I4, count: I8) -> None:
    for i in range(len(rows)):
        for p in range(at[i], start[rows[i] + 1]):
            count[items[p]] = 0


@njit_inner
def _extend_by_one(rows: I8, at: I8, start: I8, items: I4, count: I8, least: I8) -> None:
    """Grow by one item."""
    _count_items(rows, at, start, items, count, least)
    _clear_counts(rows, at, start, items, count)


@njit_inner
def _group_by_item(rows: I8, at: I8, start: I8, items: I4, count: I8, places: int) -> tuple[I8, I8, I8]:
    """The rows of each item in turn: where each item's begin, the rows, the places behind the item; clears `count`."""
    ends = np.empty(places + 1, dtype=np.int64)
    grouped_rows, next_positions = np.empty(places, dtype=np.int64), np.empty(places, dtype=np.int64)
    group_count, total = 0, 0
    for i in range(len(rows)):
        for p in range(at[i], start[rows[i] + 1]):
            if (
                count[items[p]] > 0
            ):  # met first: from now on minus the place where its next row goes, minus one
                ends[group_count] = total
                group_count += 1
                size = count[items[p]]
                count[items[p]] = -total - 1
                total += size
            slot = -count[items[p]] - 1
            grouped_rows[slot], next_positions[slot] = rows[i], p + 1
            count[items[p]] -= 1
    ends[group_count] = total
    _clear_counts(rows, at, start, items, count)
    return ends[: group_count + 1], grouped_rows, next_positions


@njit_inner
def _extend_by_two(rows: I8, at: I8, start: I8, items: I4, count: I8, inside: I8, least: I8) -> None:
    """Grow by one item, and by one more."""
    entry_count = _count_items(rows, at, start, items, count, least)
    ends, grouped_rows, next_positions = _group_by_item(rows, at, start, items, count, entry_count)
    for g in range(len(ends) - 1):
        group = grouped_rows[ends[g] : ends[g + 1]]
        if not _are_all_alone(group, least):
            _extend_by_one(group, next_positions[ends[g] : ends[g + 1]], start, items, inside, least)


@njit_inner
def _extend_by_three(
    rows: I8, at: I8, start: I8, items: I4, count: I8, inside: I8, inmost: I8, least: I8
) -> None:
    """Grow by one item, by one more, and by a third."""
    entry_count = _count_items(rows, at, start, items, count, least)
    ends, grouped_rows, next_positions = _group_by_item(rows, at, start, items, count, entry_count)
    for g in range(len(ends) - 1):
        group = grouped_rows[ends[g] : ends[g + 1]]
        if not _are_all_alone(group, least):
            _extend_by_two(group, next_positions[ends[g] : ends[g + 1]], start, items, inside, inmost, least)
