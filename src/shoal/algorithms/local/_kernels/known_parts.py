"""Known columns in classes: rows that groups of k rows leave over are the rest of their class.

parts  : int32[n]     the part of its class that a row belongs to in the column that is placed; 0 is the rest
labels : int32[g, n]  by what may be known beside the column, the label of each row, numbered from 0 in its class
starts : int64[c + 1] class i is the rows starts[i] .. starts[i + 1] - 1, in an order drawn at random
sizes  : int32[g, c]  labels of each class, by what may be known
"""

import numpy as np

from shoal._kernels import bincount, cumulate, njit, njit_inner
from shoal.algorithms._kernels import ClassConstraint, ClassTally, would_keep_constraint
from shoal.data.arrays import I4, I8

__all__ = ["empty_breaking_groups", "settle_rest"]

_DRAWN = 24  # rows that are compared where one more goes to the rest
_CELLS = 1 << 26  # of a class's table of counts


@njit_inner
def _move_to_rest(i: int, parts: I4, labels: I4, first: I8, width: int, counts: I4) -> None:
    """Take a row out of its part, and count it in the rest."""
    for g in range(len(labels)):
        at = (first[g] + labels[g, i]) * width
        counts[at + parts[i]] -= 1
        counts[at] += 1
    parts[i] = 0


@njit_inner
def _empty_small_groups(
    begin: int, end: int, k: int, parts: I4, labels: I4, first: I8, width: int, counts: I4
) -> int:
    """Put rows of groups under k to the rest as long as there are any; return how many there were."""
    moved, found = 0, 1
    while found:
        found = 0
        for i in range(begin, end):
            if not parts[i]:
                continue
            for g in range(len(labels)):
                if counts[(first[g] + labels[g, i]) * width + parts[i]] < k:
                    _move_to_rest(i, parts, labels, first, width, counts)
                    found += 1
                    break
        moved += found
    return moved


@njit_inner
def _find_filler(
    begin: int,
    end: int,
    start: int,
    asked: int,
    label: int,
    k: int,
    parts: I4,
    labels: I4,
    first: I8,
    width: int,
    counts: I4,
) -> int:
    """Of the next rows with a label, the one that helps the rest most and harms parts least; -1 where there is none."""
    best, best_gain, seen = -1, 0, 0
    for step in range(end - begin):
        i = start + step
        if i >= end:
            i -= end - begin
        if not parts[i] or labels[asked, i] != label:
            continue
        gain = 0
        for g in range(len(labels)):
            at = (first[g] + labels[g, i]) * width
            if counts[at] == 0:
                gain -= k - 1  # so many more must follow it
            elif counts[at] < k:
                gain += 1
            if counts[at + parts[i]] == k:
                gain -= k - 1
        if best < 0 or gain > best_gain:
            best, best_gain = i, gain
        seen += 1
        if seen == _DRAWN:
            break
    return best


@njit
def settle_rest(parts: I4, labels: I4, starts: I8, sizes: I4, widths: I8, most: I8, k: int) -> None:
    """Put rows to the rest until every group of a part, and every group of the rest, has k rows or none.

    A class that would have more than `most` rows in the rest has all its rows there.
    """
    first = np.empty(len(labels), dtype=np.int64)
    for c in range(len(starts) - 1):
        begin, end, width, total = starts[c], starts[c + 1], widths[c], 0
        for g in range(len(labels)):
            first[g] = total
            total += sizes[g, c]
        if width < 2 or total * width > _CELLS:
            parts[begin:end] = 0
            continue
        counts = np.zeros(total * width, dtype=np.int32)
        blank = 0
        for i in range(begin, end):
            blank += parts[i] == 0
            for g in range(len(labels)):
                counts[(first[g] + labels[g, i]) * width + parts[i]] += 1
        cursor = begin
        while blank <= most[c]:
            blank += _empty_small_groups(begin, end, k, parts, labels, first, width, counts)
            filled = 0
            for g in range(len(labels)):
                for label in range(sizes[g, c]):
                    at = (first[g] + label) * width
                    while 0 < counts[at] < k and blank <= most[c]:
                        i = _find_filler(begin, end, cursor, g, label, k, parts, labels, first, width, counts)
                        if i < 0:
                            break
                        cursor = i
                        _move_to_rest(i, parts, labels, first, width, counts)
                        blank += 1
                        filled += 1
            if not filled:
                break
        if blank > most[c]:
            parts[begin:end] = 0


@njit
def empty_breaking_groups(
    parts: I4,
    labels: I4,
    starts: I8,
    sizes: I4,
    widths: I8,
    records: I8,
    ask: ClassConstraint,
    tally: ClassTally,
) -> int:
    """Put to the rest what breaks a claim about sensitive values; return how many rows went there.

    Of a part it is the group that breaks it, of the rest all rows that share its label: these keep it together.
    `records` are the rows as `ask` numbers them.
    """
    moved = 0
    for c in range(len(starts) - 1):
        begin, end, width = starts[c], starts[c + 1], widths[c]
        is_whole = True
        for i in range(begin, end):
            if parts[i]:
                is_whole = False
                break
        if is_whole:
            continue
        group = np.empty(end - begin, dtype=np.int64)
        order = np.empty(end - begin, dtype=np.int64)
        members = np.empty(end - begin, dtype=np.int64)
        for g in range(len(labels)):
            for i in range(begin, end):
                group[i - begin] = labels[g, i] * width + parts[i]
            ends = bincount(group, sizes[g, c] * width)
            cumulate(ends)
            first = ends.copy()
            for i in range(end - begin - 1, -1, -1):
                first[group[i]] -= 1
                order[first[group[i]]] = begin + i
            for key in range(len(ends)):
                if first[key] == ends[key]:
                    continue
                for j in range(first[key], ends[key]):
                    members[j] = records[order[j]]
                if would_keep_constraint(members[first[key] : ends[key]], ask, tally):
                    continue
                upper = ends[key] if key % width else ends[key + width - 1]
                for j in range(first[key], upper):
                    if parts[order[j]]:
                        parts[order[j]] = 0
                        moved += 1
    return moved
