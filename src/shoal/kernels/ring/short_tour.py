"""Short paths through a segment: from its first place to its last, both fixed, through all others.

distance : int32[s, s]   symmetric
path     : int64[s]      places in the order in which they are visited; path[0] = 0, path[s - 1] = s - 1
"""

import numpy as np

from shoal.kernels.jit import inner, njit
from shoal.kernels.types import I4, I8

__all__ = ["improve", "length", "nearest", "neighbours", "two_opt"]


_LOOK = 10  # neighbours of a place that are tried


@njit
def length(distance: I4, path: I8) -> int:
    """The length of a path."""
    total = 0
    for i in range(len(path) - 1):
        total += distance[path[i], path[i + 1]]
    return total


@njit
def nearest(distance: I4) -> I8:
    """Go on to the nearest place not yet visited, the smallest of several, and to the last one at the end."""
    s = len(distance)
    path = np.arange(s)
    for i in range(1, s - 1):
        best = i
        for j in range(i, s - 1):
            gap = distance[path[i - 1], path[j]] - distance[path[i - 1], path[best]]
            if gap < 0 or (gap == 0 and path[j] < path[best]):
                best = j
        path[i], path[best] = path[best], path[i]
    return path


@njit
def neighbours(distance: I4) -> I4:
    """The nearest places of each place, near ones first: int32[s, at most _LOOK]."""
    s = len(distance)
    look = min(_LOOK, s - 1)
    near = np.empty((s, look), dtype=np.int32)
    for a in range(s):
        held = 0
        for b in range(s):
            if b == a or (held == look and distance[a, b] >= distance[a, near[a, held - 1]]):
                continue
            place = min(held, look - 1)
            while place > 0 and distance[a, near[a, place - 1]] > distance[a, b]:
                near[a, place] = near[a, place - 1]
                place -= 1
            near[a, place] = b
            held = min(held + 1, look)
    return near


@njit
def improve(distance: I4, near: I4, path: I8) -> None:
    """Shorten a path in place by 2-opt and Or-opt moves until none of those looked at helps."""
    _descend(distance, near, path, True)


@njit
def two_opt(distance: I4, near: I4, path: I8) -> None:
    """Shorten a path in place by 2-opt moves alone."""
    _descend(distance, near, path, False)


@inner
def _descend(distance: I4, near: I4, path: I8, both: bool) -> None:
    """Look at every place, and again at those beside which something changed, until nothing does."""
    s = len(path)
    at = np.empty(s, dtype=np.int64)
    for i in range(s):
        at[path[i]] = i
    queue = path.copy()
    queued = np.ones(s, dtype=np.bool_)
    head, waiting = 0, s
    while waiting:
        a = queue[head]
        head = (head + 1) % s
        waiting -= 1
        queued[a] = False
        lo, hi = _two_opt(distance, near, path, at, a)
        if both and hi < 0:
            lo, hi = _or_opt(distance, near, path, at, a)
        if hi < 0:
            continue
        for i in (lo - 1, lo, lo + 1, hi - 1, hi, hi + 1, at[a] - 1, at[a], at[a] + 1):
            if 0 <= i < s and not queued[path[i]]:
                queued[path[i]] = True
                queue[(head + waiting) % s] = path[i]
                waiting += 1


@inner
def _turn(path: I8, at: I8, lo: int, hi: int) -> None:
    """Reverse path[lo .. hi]."""
    while lo < hi:
        path[lo], path[hi] = path[hi], path[lo]
        at[path[lo]], at[path[hi]] = lo, hi
        lo += 1
        hi -= 1
    if lo == hi:
        at[path[lo]] = lo


@inner
def _two_opt(distance: I4, near: I4, path: I8, at: I8, a: int) -> tuple[int, int]:
    """Join `a` to a near place by reversing what lies between; return what was reversed, (0, -1) if nothing."""
    s = len(path)
    for step in (1, -1):
        i = at[a]
        if not 0 <= i + step < s:
            continue
        b = path[i + step]
        for c in near[a]:
            if distance[a, c] >= distance[a, b]:
                break
            j = at[c]
            if not 0 <= j + step < s:
                continue
            d = path[j + step]
            if distance[a, c] + distance[b, d] < distance[a, b] + distance[c, d]:
                # a-b ... c-d becomes a-c ... b-d, whichever way round it is read
                lo, hi = min(i, j), max(i, j)
                if step == 1:
                    lo += 1
                else:
                    hi -= 1
                _turn(path, at, lo, hi)
                return lo, hi
    return 0, -1


@inner
def _or_opt(distance: I4, near: I4, path: I8, at: I8, a: int) -> tuple[int, int]:
    """Move `a`, with up to two places beside it, next to a place near it; return the span touched."""
    s = len(path)
    for size in range(1, 4):
        for side in (-1, 1):
            # the piece ends in a: `side` says on which side of a the rest of it lies
            i, far = at[a], at[a] + side * (size - 1)
            lo, hi = min(i, far), max(i, far)
            if lo < 1 or hi > s - 2:
                continue
            before, after, end = path[lo - 1], path[hi + 1], path[far]
            gain = distance[before, path[lo]] + distance[path[hi], after] - distance[before, after]
            for c in near[a]:
                if distance[a, c] >= gain:
                    break
                j = at[c]
                if lo <= j <= hi:
                    continue
                for step in (-1, 1):
                    d = j + step
                    if not 0 <= d < s or lo <= d <= hi:
                        continue
                    cost = distance[c, a] + distance[end, path[d]] - distance[c, path[d]]
                    if cost < gain:
                        _move(path, at, lo, hi, min(j, d), (side == 1) != (step == 1))
                        return min(lo, min(j, d)), max(hi, max(j, d))
            if size == 1:
                break
    return 0, -1


@inner
def _move(path: I8, at: I8, lo: int, hi: int, gap: int, turn: bool) -> None:
    """Move path[lo .. hi] between what stands at `gap` and `gap` + 1, turned round or not, by reversals."""
    size = hi - lo + 1
    if gap > hi:
        _turn(path, at, lo, gap)
        _turn(path, at, lo, gap - size)
        if not turn:
            _turn(path, at, gap - size + 1, gap)
    else:
        _turn(path, at, gap + 1, hi)
        _turn(path, at, gap + 1 + size, hi)
        if not turn:
            _turn(path, at, gap + 1, gap + size)
