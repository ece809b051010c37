"""Short tours through all baskets: nearest neighbours, two-opt, a genetic search, and where to cut an order."""

import numpy as np

from shoal._kernels import inner, njit, ranked
from shoal.algorithms.ring._kernels.bitmaps import below, shuffled
from shoal.data.arrays import I4, I8

__all__ = ["cuts", "evolve", "improve", "length", "nearest", "neighbours", "two_opt"]

# Short paths through a segment: from its first place to its last, both fixed, through all others.
#
# distance : int32[s, s]   symmetric
# path     : int64[s]      places in the order in which they are visited; path[0] = 0, path[s - 1] = s - 1

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


# Short paths by a genetic algorithm: greedy subtour crossover, and 2-opt as mutation.
#
# distance : int32[s, s]   symmetric
# pool     : int64[p, s]   paths from place 0 to place s - 1, both fixed
# state    : see `chance`

_POOL = 20
_DIE = 6  # paths replaced a generation
_MUTATE = 4  # paths mutated a generation
_LONGEST = 200  # generations
_PATIENCE = 40  # generations without a shorter path before the end


@njit
def evolve(distance: I4, near: I4, state: I8) -> I8:
    """The shortest path after paths have been crossed and mutated for a while.

    Each generation the longest paths, and those as long as another, give way to children of two others.
    """
    s = len(distance)
    pool = np.empty((_POOL, s), dtype=np.int64)
    lengths = np.empty(_POOL, dtype=np.int64)
    for p in range(_POOL):
        pool[p] = _random(state, s)
        lengths[p] = length(distance, pool[p])
    best, idle = lengths.min(), 0
    for _ in range(_LONGEST):
        order = _ranked(lengths)
        pool, lengths = pool[order], lengths[order]
        for p in range(_POOL - _DIE, _POOL):
            pool[p] = cross(pool[below(state, _POOL - _DIE)], pool[below(state, _POOL - _DIE)], state)
            lengths[p] = length(distance, pool[p])
        for _ in range(_MUTATE):
            p = below(state, _POOL)
            two_opt(distance, near, pool[p])
            lengths[p] = length(distance, pool[p])
        idle = 0 if lengths.min() < best else idle + 1
        best = min(best, lengths.min())
        if idle == _PATIENCE:
            break
    best_path: I8 = pool[lengths.argmin()]
    return best_path


@inner
def _random(state: I8, s: int) -> I8:
    path = np.arange(s)
    if s > 2:
        path[1:-1] = 1 + shuffled(state, s - 2)
    return path


@inner
def _ranked(lengths: I8) -> I8:
    """Short paths first; a path as long as one before it goes behind all others."""
    order = ranked(lengths)
    again = np.zeros(len(order), dtype=np.int64)
    for i in range(1, len(order)):
        again[i] = lengths[order[i]] == lengths[order[i - 1]]
    by_rank: I8 = order[ranked(again)]
    return by_rank


@njit
def cross(mother: I8, father: I8, state: I8) -> I8:
    """A child: from a random place on, what comes before in one parent and behind in the other, until they collide.

    The rest follows in random order, in front and behind by turns.
    """
    s = len(mother)
    child = np.empty(s, dtype=np.int64)
    child[0], child[s - 1] = 0, s - 1
    if s <= 2:
        return child
    row = np.empty(2 * s, dtype=np.int64)  # what is joined so far is row[lo .. hi]
    taken = np.zeros(s, dtype=np.bool_)
    taken[0] = taken[s - 1] = True
    lo = hi = s
    row[s] = 1 + below(state, s - 2)
    taken[row[s]] = True
    i, j = np.argmax(mother == row[s]) - 1, np.argmax(father == row[s]) + 1
    while not taken[mother[i]] or not taken[father[j]]:
        if not taken[mother[i]]:
            lo -= 1
            row[lo] = mother[i]
            taken[mother[i]] = True
            i -= 1
        if not taken[father[j]]:
            hi += 1
            row[hi] = father[j]
            taken[father[j]] = True
            j += 1
    for place in shuffled(state, s):
        if not taken[place]:
            if below(state, 2):
                hi += 1
                row[hi] = place
            else:
                lo -= 1
                row[lo] = place
    child[1 : s - 1] = row[lo : hi + 1]
    return child


# The cheapest way to cut an order in segments of bounded size, by dynamic programming.


@njit
def cuts(gaps: I8, least: int, most: int) -> I8:
    """Starts of the segments, and the end, that cost the smallest sum of gaps cut: Equation 1 of the paper.

    gaps : int64[n]   the hop from each place to the next; a cut in front of place j costs gaps[j - 1]

    Sizes from `least` to `most` must be able to add up to n. Of equal sums the one with longer last segments
    wins.
    """
    n = len(gaps)
    never = 2**63 - 1
    cost = np.full(n + 1, never)  # of the cheapest way to cut the first i places, and the cut behind them
    came = np.zeros(n + 1, dtype=np.int64)
    cost[0] = 0
    for i in range(least, n + 1):
        for j in range(max(i - most, 0), i - least + 1):
            if cost[j] < cost[i]:
                cost[i], came[i] = cost[j], j
        if cost[i] < never and i < n:
            cost[i] += gaps[i - 1]
    parts, i = 0, n
    while i > 0:
        i = came[i]
        parts += 1
    starts = np.empty(parts + 1, dtype=np.int64)
    i = n
    for part in range(parts, -1, -1):
        starts[part] = i
        i = came[i]
    return starts
