"""Orders of baskets: short tours, equal labels that keep their distance, and groups of near neighbours."""

import numpy as np

from shoal._kernels import bincount, cumulate, njit, njit_inner, stable_argsort
from shoal.algorithms.ring._kernels.bitmaps import below, hamming, random_permutation
from shoal.data.arrays import I4, I8

__all__ = [
    "cahd_groups",
    "cuts",
    "dealt",
    "evolve",
    "improve",
    "insert_apart",
    "is_spaced",
    "nearest_tour",
    "neighbours",
    "queue_apart",
    "rearrange_blocks",
]

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
def nearest_tour(distance: I4) -> I8:
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
def improve(distance: I4, near: I4, path: I8, both: bool) -> None:
    """Shorten a path in place by 2-opt moves, and by Or-opt moves with `both`, until none of those looked at helps.

    It looks at every place, and again at those beside which something changed, until nothing does.
    """
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


@njit_inner
def _turn(path: I8, at: I8, lo: int, hi: int) -> None:
    """Reverse path[lo .. hi]."""
    while lo < hi:
        path[lo], path[hi] = path[hi], path[lo]
        at[path[lo]], at[path[hi]] = lo, hi
        lo += 1
        hi -= 1
    if lo == hi:
        at[path[lo]] = lo


@njit_inner
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


@njit_inner
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


@njit_inner
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
        order = _rank_paths(lengths)
        pool, lengths = pool[order], lengths[order]
        for p in range(_POOL - _DIE, _POOL):
            pool[p] = cross(pool[below(state, _POOL - _DIE)], pool[below(state, _POOL - _DIE)], state)
            lengths[p] = length(distance, pool[p])
        for _ in range(_MUTATE):
            p = below(state, _POOL)
            improve(distance, near, pool[p], False)
            lengths[p] = length(distance, pool[p])
        idle = 0 if lengths.min() < best else idle + 1
        best = min(best, lengths.min())
        if idle == _PATIENCE:
            break
    best_path: I8 = pool[lengths.argmin()]
    return best_path


@njit_inner
def _random(state: I8, s: int) -> I8:
    path = np.arange(s)
    if s > 2:
        path[1:-1] = 1 + random_permutation(state, s - 2)
    return path


@njit_inner
def _rank_paths(lengths: I8) -> I8:
    """Short paths first; a path as long as one before it goes behind all others."""
    order = stable_argsort(lengths)
    again = np.zeros(len(order), dtype=np.int64)
    for i in range(1, len(order)):
        again[i] = lengths[order[i]] == lengths[order[i - 1]]
    by_rank: I8 = order[stable_argsort(again)]
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
    for place in random_permutation(state, s):
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


# Orders around a circle in which equal labels keep their distance.
#
# labels : int64[n]   the label, 0 .. count-1, of each place of a given order
# gap    : int        equal labels must be at least so many places from each other, around the circle too
# order  : int64[m]   places of the given order, rearranged


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
def queue_apart(labels: I8, count: int, gap: int) -> tuple[I8, I8]:
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


@njit_inner
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


@njit_inner
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
def insert_apart(labels: I8, order: I8, places: I8, gap: int) -> I8:
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
    for label in stable_argsort(-frequency):
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
def rearrange_blocks(labels: I8, count: int, start: I8, gap: int) -> I8:
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


# CAHD's groups: each record with similar ones near it in an order, no label twice.
#
# start, items : baskets in the given order (see `bitmaps`)
# labels       : int64[n]   0 .. count-1
# group        : int64[n]   the number of each record's group

_FARTHEST = 64  # times as many records looked at, on either side, as candidates are wanted


@njit
def cahd_groups(start: I8, items: I4, labels: I8, count: int, p: int, alpha: int, done: I8) -> tuple[I8, int]:
    """Group the records; the last group holds whoever is left over. Returns groups, and how many.

    Requires that no label is on more than n / p records. `done`, int64[1], shows how far in the order it is.
    """
    n = len(labels)
    group = np.full(n, -1, dtype=np.int64)
    before, after = np.arange(-1, n - 1), np.arange(1, n + 1)
    left = bincount(labels, count)
    having = bincount(left, n + 1)  # how many labels are on so many records that are left
    used = np.full(count, -1, dtype=np.int64)
    most, remaining, made = 0, n, 0
    for label in range(count):
        most = max(most, left[label])
    for t in range(n):
        done[0] = t
        if group[t] >= 0:
            continue
        members = _members(start, items, labels, used, t, p, alpha, before, after)
        if members[-1] < 0:
            continue
        _count(labels, members, left, having, -1)
        fewer = most - (having[most] == 0)
        if fewer * p > remaining - p:  # what is left over must still be a group
            _count(labels, members, left, having, 1)
            continue
        for m in members:
            group[m] = made
            if before[m] >= 0:
                after[before[m]] = after[m]
            if after[m] < n:
                before[after[m]] = before[m]
        most = fewer
        remaining -= p
        made += 1
    for t in range(n):
        if group[t] < 0:
            group[t] = made
    return group, made + (remaining > 0)


@njit_inner
def _count(labels: I8, members: I8, left: I8, having: I8, change: int) -> None:
    """Take the labels of a group, each there once, from what is left, or give them back."""
    for m in members:
        having[left[labels[m]]] -= 1
        left[labels[m]] += change
        having[left[labels[m]]] += 1


@njit_inner
def _members(
    start: I8, items: I4, labels: I8, used: I8, t: int, p: int, alpha: int, before: I8, after: I8
) -> I8:
    """Record t and the p - 1 candidates that share most items with it; the last is -1 if there are too few.

    Candidates are the nearest on either side of which no two have one label; `used` marks labels with t.
    """
    members = np.full(p, -1, dtype=np.int64)
    members[0] = t
    candidates, common = np.empty(2 * alpha * p, dtype=np.int64), np.empty(2 * alpha * p, dtype=np.int64)
    used[labels[t]] = t
    found = 0
    for step in range(2):
        beside, wanted = t, found + alpha * p
        for _ in range(_FARTHEST * alpha * p):
            beside = before[beside] if step == 0 else after[beside]
            if found == wanted or not 0 <= beside < len(labels):
                break
            if used[labels[beside]] != t:
                used[labels[beside]] = t
                sizes = start[t + 1] - start[t] + start[beside + 1] - start[beside]
                candidates[found], common[found] = beside, sizes - hamming(start, items, t, beside)
                found += 1
    for m, c in enumerate(stable_argsort(-common[:found])[: p - 1]):
        members[m + 1] = candidates[c]
    return members
