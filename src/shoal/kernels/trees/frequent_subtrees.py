"""Frequent subtrees: sets of paths that hold each path's beginnings, found in enough records.

rows  : uint64[F, words]   bit r % 64 of word r // 64: whether record r holds path f
up    : int32[F]           the path that f prolongs, -1: none; paths stand behind those they prolong
gains : float64[F, 4]      what path f adds to a subtree: see `frequent`
keys  : uint64[F]          a number for each path; subtrees are told apart by the sum of theirs
"""

import numpy as np

from shoal.kernels.arrays import grown, grown_rows
from shoal.kernels.jit import njit
from shoal.kernels.popcount import ones
from shoal.kernels.types import F8, I4, I8, U8

__all__ = ["frequent", "hold"]


@njit
def hold(start: I8, path: I4, spot: I4, ends: I8, shows: I4, record: I8, rows: U8) -> None:
    """Set in `rows` the bits of all that records show; their nodes' paths stand at spots, spot s shows its rows.

    Spot s shows the rows shows[ends[s] : ends[s + 1]]; `record` is the bit of each record.
    """
    for one in range(len(start) - 1):
        word = record[one] >> 6
        bit = np.uint64(1) << np.uint64(record[one] & 63)
        for node in range(start[one], start[one + 1]):
            s = spot[path[node]]
            if s >= 0:
                for at in range(ends[s], ends[s + 1]):
                    rows[shows[at], word] |= bit


@njit
def frequent(rows: U8, up: I4, least: int, gains: F8, keys: U8, most: int) -> tuple[U8, F8]:
    """Every set of paths, with their beginnings, that at least `least` records hold: its key, and its gains summed.

    A set grows by one of the paths that may still join: those behind the last in line, and what prolongs it. So each
    set is met once. At most `most` sets are found; one more says that there are others.
    """
    number, words = rows.shape
    deep = 64
    both = np.empty((deep, words), dtype=np.uint64)
    held = np.zeros(deep, dtype=np.uint64)
    sums = np.zeros((deep, gains.shape[1]))
    # the paths that may still join at each depth, in line, all depths on one stack
    stack = np.empty(max(64, 4 * number), dtype=np.int32)
    end = np.zeros(deep + 1, dtype=np.int64)
    at = np.zeros(deep + 1, dtype=np.int64)
    out_keys = np.empty(1024, dtype=np.uint64)
    out_sums = np.empty((1024, gains.shape[1]))
    found = 0
    for f in range(number):
        if up[f] < 0:
            stack[end[0]] = f
            end[0] += 1
    depth = 0
    while depth >= 0:
        if at[depth] >= end[depth]:
            depth -= 1
            continue
        f = stack[at[depth]]
        at[depth] += 1
        row = rows[f]
        total = 0
        if depth:
            before = both[depth - 1]
            for word in range(words):
                total += ones(before[word] & row[word])
        else:
            for word in range(words):
                total += ones(row[word])
        if total < least:
            continue
        if found == len(out_keys):
            out_keys = grown(out_keys, 2 * found)
            out_sums = grown_rows(out_sums, 2 * found)
        held[depth] = keys[f] + (held[depth - 1] if depth else np.uint64(0))
        out_keys[found] = held[depth]
        for j in range(gains.shape[1]):
            sums[depth, j] = gains[f, j] + (sums[depth - 1, j] if depth else 0.0)
            out_sums[found, j] = sums[depth, j]
        found += 1
        if found > most:
            break
        if depth + 1 == deep:
            deep *= 2
            both, held, sums = grown_rows(both, deep), grown(held, deep), grown_rows(sums, deep)
            end, at = grown(end, deep + 1), grown(at, deep + 1)
        for word in range(words):
            both[depth, word] = row[word] if depth == 0 else both[depth - 1, word] & row[word]
        first = end[depth]
        last = first
        if first + number > len(stack):
            stack = grown(stack, 2 * len(stack) + number)
        for place in range(at[depth], end[depth]):  # those that may still join, and what prolongs f
            stack[last] = stack[place]
            last += 1
        for child in range(f + 1, number):
            if up[child] == f:
                stack[last] = child
                last += 1
        depth += 1
        at[depth], end[depth] = first, last
    return out_keys[:found], out_sums[:found]
