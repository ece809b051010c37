"""Orders around a circle in which equal labels keep their distance.

labels : int64[n]   the label, 0 .. count-1, of each place of a given order
gap    : int        equal labels must be at least so many places from each other, around the circle too
order  : int64[m]   places of the given order, rearranged
"""

import numpy as np

from shoal._kernels import bincount, cumulate, inner, njit, ranked
from shoal.data.arrays import I8

__all__ = ["arranged", "dealt", "inserted", "is_spaced", "queued"]


@njit
def is_spaced(labels: I8, gap: int) -> bool:
    """Whether labels around a circle keep their distance."""
    n = len(labels)
    last = np.full(labels.max() + 1, -n - gap)
    for i in range(2 * n):
        if i - last[labels[i % n]] < min(gap, n):
            return False
        last[labels[i % n]] = i
    return True


@njit
def queued(labels: I8, count: int, gap: int) -> tuple[I8, I8]:
    """Take the places in order; those whose label was too near wait, and go first once it is not.

    In every slot exactly one label comes free again, that of `gap` slots before, so there is never more than
    one in waiting that may go. Returns the order, and the places that found no slot, by label.
    """
    n = len(labels)
    order = np.empty(n, dtype=np.int64)
    last = np.full(count, -gap)
    head, tail = np.full(count, -1), np.full(count, -1)
    behind = np.full(n, -1)
    slot, front = 0, 0
    while slot < n:
        place = -1
        if slot >= gap:
            free = labels[order[slot - gap]]
            place = head[free]
            if place >= 0:
                head[free] = behind[place]
        while place < 0 and front < n:
            label = labels[front]
            if slot - last[label] >= gap:
                place = front
            else:
                if head[label] < 0:
                    head[label] = front
                else:
                    behind[tail[label]] = front
                tail[label] = front
            front += 1
        if place < 0:
            break
        order[slot] = place
        last[labels[place]] = slot
        slot += 1
    slot = _closing(labels, order, slot, gap)
    return order[:slot], _missing(labels, order[:slot], count)


@inner
def _closing(labels: I8, order: I8, slots: int, gap: int) -> int:
    """How many slots may stay so that the end keeps its distance from the beginning."""
    while slots:
        clash = False
        for back in range(1, min(gap, slots)):
            for i in range(min(gap - back, slots - back)):
                clash |= labels[order[slots - back]] == labels[order[i]]
        if not clash:
            break
        slots -= 1
    return slots


@inner
def _missing(labels: I8, order: I8, count: int) -> I8:
    """The places that are not in an order, by label and then by place."""
    gone = np.ones(len(labels), dtype=np.bool_)
    gone[order] = False
    first = np.zeros(count + 1, dtype=np.int64)
    for place in range(len(gone)):
        first[labels[place] + 1] += gone[place]
    cumulate(first)
    found = np.empty(first[-1], dtype=np.int64)
    for place in range(len(gone)):
        if gone[place]:
            found[first[labels[place]]] = place
            first[labels[place]] += 1
    return found


@njit
def inserted(labels: I8, order: I8, places: I8, gap: int) -> I8:
    """Put `places`, all of one label, in gaps far enough from their like, from the end of the order on backwards.

    Nothing comes nearer to anything by an insertion. What finds no gap is left out.
    """
    m, label = len(order), labels[places[0]]
    before = np.full(m, 2 * m)  # slots from the gap in front of a slot back to the last of its like
    since = 2 * m
    for i in range(2 * m):
        before[i % m] = since
        since = 0 if labels[order[i % m]] == label else since + 1
    longer = np.empty(m + len(places), dtype=np.int64)
    end, left = len(longer), len(places)
    ahead, limit = 0, m  # slots from the gap on to the next of its like, and to the last that was put in
    while ahead < m and labels[order[ahead]] != label:
        ahead += 1
    for i in range(m - 1, -1, -1):
        end -= 1
        longer[end] = order[i]
        ahead = 0 if labels[order[i]] == label else ahead + 1
        if left and ahead >= gap - 1 and before[i] >= gap - 1 and i + limit >= gap - 1:
            left -= 1
            end -= 1
            longer[end] = places[left]
            if limit == m:
                limit = m - i  # the first put in: the circle must not bring another too near to it
            ahead = 0
    return longer[end:]


@njit
def dealt(labels: I8, count: int, parts: int) -> tuple[I8, I8]:
    """Deal the places, the most frequent label first, to so many parts in turn: order, and int64[parts + 1] starts.

    A label of f places is in every part at most ceil(f / parts) times. Where that is once, labels keep a
    distance of the smallest part's size around the circle of all parts.
    """
    n = len(labels)
    frequency = bincount(labels, count)
    first = np.zeros(count, dtype=np.int64)
    rank = 0
    for label in ranked(-frequency):
        first[label] = rank
        rank += frequency[label]
    by_rank = np.empty(n, dtype=np.int64)
    for place in range(n):
        by_rank[first[labels[place]]] = place
        first[labels[place]] += 1
    start = np.zeros(parts + 1, dtype=np.int64)
    order = np.empty(n, dtype=np.int64)
    for part in range(parts):
        size = (n - part + parts - 1) // parts
        start[part + 1] = start[part] + size
        for i in range(size):
            order[start[part] + i] = by_rank[part + i * parts]
    return order, start


@njit
def arranged(labels: I8, count: int, start: I8, gap: int) -> I8:
    """Rearrange the places inside blocks, [start[b], start[b + 1]), so that labels keep their distance in each.

    Around the circle of a block, that is; no label may be on more than size // gap of its places.
    """
    order = np.arange(len(labels))
    met = np.full(count, -1)
    for b in range(len(start) - 1):
        again = False
        for place in range(start[b], start[b + 1]):
            again |= met[labels[place]] == b
            met[labels[place]] = b
        if again:
            size = start[b + 1] - start[b]
            inside, _ = dealt(labels[start[b] : start[b + 1]], count, size // gap)
            for i in range(size):
                order[start[b] + i] = start[b] + inside[i]
    return order
