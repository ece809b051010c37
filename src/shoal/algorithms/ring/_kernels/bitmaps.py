"""Baskets as bitmaps: distances, votes, and random assignments of records to published rows.

Random choices inside kernels: the ChaCha8 stream cipher, keyed by the caller.

state : int64[17 + 256]   sixteen 32-bit words of input (constants, key, counter, nonce), how many words of output are
                          used up, and sixteen blocks of output, word by word

The draw hides who is who, so it must not be guessed from its outcome: a cipher's output, unlike that of the
usual fast generators, gives away neither its past nor its future.
"""

import os

import numpy as np

from shoal._kernels import njit, njit_inner, popcount, resize, sort
from shoal.data.arrays import B1, I4, I8

__all__ = [
    "BACKTRACK",
    "CLOSED",
    "PAPER",
    "below",
    "distances",
    "extract",
    "greedy_assignments",
    "hamming",
    "hops",
    "random_permutation",
    "randomness",
    "split_edges",
    "vote",
]


SEED = 40
"""How many bytes of true randomness a state takes: a key of 32 and a nonce of 8."""

_LOW = 0xFFFFFFFF
_TWICE = 4  # double rounds
_BLOCKS = 16  # made at once
_USED, _OUT = 16, 17


def chance(seed: bytes) -> I8:
    """A state from SEED random bytes."""
    state = np.zeros(_OUT + 16 * _BLOCKS, dtype=np.int64)
    state[:4] = np.frombuffer(b"expand 32-byte k", dtype="<u4")
    state[4:12] = np.frombuffer(seed[:32], dtype="<u4")
    state[14:16] = np.frombuffer(seed[32:SEED], dtype="<u4")
    state[_USED] = 16 * _BLOCKS
    return state


def randomness(rng: np.random.Generator | None) -> I8:
    """A random state for kernels, keyed by the operating system unless a generator is given for tests and papers."""
    return chance(os.urandom(SEED) if rng is None else rng.bytes(SEED))


@njit_inner
def _mix(x: I8, a: int, b: int, c: int, d: int) -> None:
    """A quarter round on four words of every block."""
    for i in range(_BLOCKS):
        p = (x[a, i] + x[b, i]) & _LOW
        s = x[d, i] ^ p
        s = ((s << 16) | (s >> 16)) & _LOW
        r = (x[c, i] + s) & _LOW
        q = x[b, i] ^ r
        q = ((q << 12) | (q >> 20)) & _LOW
        p = (p + q) & _LOW
        s ^= p
        s = ((s << 8) | (s >> 24)) & _LOW
        r = (r + s) & _LOW
        q ^= r
        x[a, i], x[b, i], x[c, i], x[d, i] = p, ((q << 7) | (q >> 25)) & _LOW, r, s


@njit
def refill(state: I8) -> None:
    """Make the next blocks, and count on."""
    x = np.empty((16, _BLOCKS), dtype=np.int64)
    for w in range(16):
        x[w] = state[w]
    count = state[12] + (state[13] << 32)
    for i in range(_BLOCKS):
        x[12, i], x[13, i] = (count + i) & _LOW, (count + i) >> 32
    made = x.copy()
    for _ in range(_TWICE):
        _mix(x, 0, 4, 8, 12)
        _mix(x, 1, 5, 9, 13)
        _mix(x, 2, 6, 10, 14)
        _mix(x, 3, 7, 11, 15)
        _mix(x, 0, 5, 10, 15)
        _mix(x, 1, 6, 11, 12)
        _mix(x, 2, 7, 8, 13)
        _mix(x, 3, 4, 9, 14)
    for w in range(16):
        for i in range(_BLOCKS):
            state[_OUT + w * _BLOCKS + i] = (x[w, i] + made[w, i]) & _LOW
    state[12], state[13] = (count + _BLOCKS) & _LOW, (count + _BLOCKS) >> 32
    state[_USED] = 0


@njit_inner
def _word(state: I8) -> int:
    """The next 32 bits."""
    if state[_USED] == 16 * _BLOCKS:
        refill(state)
    state[_USED] += 1
    return int(state[_USED + state[_USED]])


@njit
def below(state: I8, bound: int) -> int:
    """A uniform number from 0 to bound - 1, for a bound of at most 2^31.

    The high half of word * bound; words whose low half would favour some numbers are thrown away.
    """
    bound = int(bound)  # a narrower number would overflow where nothing is compiled
    product = _word(state) * bound
    if product & _LOW < bound:
        least = (_LOW + 1 - bound) % bound
        while product & _LOW < least:
            product = _word(state) * bound
    return product >> 32


@njit
def random_permutation(state: I8, n: int) -> I8:
    """A uniform permutation of 0 .. n-1."""
    order = np.arange(n)
    for i in range(n - 1, 0, -1):
        j = below(state, i + 1)
        order[i], order[j] = order[j], order[i]
    return order


# Baskets as bitmaps that are never dense: Hamming distances, and rows voted over groups of baskets.
#
# start, items : int64[n + 1], int32   basket i holds items[start[i] : start[i + 1]], ascending, without repeats
# width        : int                   items are numbered 0 .. width-1
# order        : int64[n]              baskets in the order in which they are visited

_BITS = 63  # of an int64 word: without the sign bit, shifts and sums stay plain


@njit
def hamming(start: I8, items: I4, a: int, b: int) -> int:
    """In how many items two baskets differ."""
    i, j = start[a], start[b]
    common = 0
    while i < start[a + 1] and j < start[b + 1]:
        if items[i] == items[j]:
            common += 1
            i += 1
            j += 1
        elif items[i] < items[j]:
            i += 1
        else:
            j += 1
    return int(start[a + 1] - start[a] + start[b + 1] - start[b]) - 2 * common


@njit
def hops(start: I8, items: I4, order: I8) -> I8:
    """The distance from each basket of an order to the next, the last to the first."""
    n = len(order)
    found = np.empty(n, dtype=np.int64)
    for i in range(n):
        found[i] = hamming(start, items, order[i], order[(i + 1) % n])
    return found


@njit
def distances(start: I8, items: I4, members: I8, scratch: I4) -> I4:
    """Hamming distances between all pairs of `members`: int32[s, s].

    An item that many members hold is a bit of every member's bitmap; pairs that share a rare item are told
    from the item's list of holders. `scratch` is int32[width], all zero before and after.
    """
    s = len(members)
    common = np.zeros((s, s), dtype=np.int32)
    for a in members:
        for at in range(start[a], start[a + 1]):
            scratch[items[at]] += 1
    often = max(s // 8, 2)
    bits, lists, held = _shelves(start, items, members, scratch, often)
    words = np.zeros((s, (bits + _BITS - 1) // _BITS), dtype=np.int64)
    first = np.zeros(lists + 1, dtype=np.int32)
    holders = np.empty(held, dtype=np.int32)
    for place in range(s):
        a = members[place]
        for at in range(start[a], start[a + 1]):
            shelf = int(scratch[items[at]])
            if shelf > 0:
                words[place, (shelf - 1) // _BITS] |= 1 << (shelf - 1) % _BITS
            elif shelf < 0:
                first[-shelf] += 1
    _pair_up(start, items, members, scratch, first, holders, common)
    sizes = np.empty(s, dtype=np.int32)
    for place in range(s):
        a = members[place]
        sizes[place] = start[a + 1] - start[a]
        for at in range(start[a], start[a + 1]):
            scratch[items[at]] = 0
    for i in range(s):
        for j in range(i + 1, s):
            both = common[i, j]
            for w in range(words.shape[1]):
                both += popcount(words[i, w] & words[j, w])
            common[i, j] = common[j, i] = sizes[i] + sizes[j] - 2 * both
    return common


@njit_inner
def _shelves(start: I8, items: I4, members: I8, scratch: I4, often: int) -> tuple[int, int, int]:
    """Replace the counts in `scratch` by shelves: b + 1 means bit b, -c - 1 means list c, 0 means held once, no shelf.

    Returns how many bits and lists there are, and how many places in lists. Counts are marked as done by
    adding a large number, since an item is met once per holder.
    """
    done = 1 << 30
    bits = lists = held = 0
    for a in members:
        for at in range(start[a], start[a + 1]):
            count = scratch[items[at]]
            if count <= 0 or count >= done:
                continue
            if count >= often:
                bits += 1
                scratch[items[at]] = done + bits
            elif count > 1:
                lists += 1
                held += count
                scratch[items[at]] = -lists
            else:
                scratch[items[at]] = 0
    for a in members:
        for at in range(start[a], start[a + 1]):
            if scratch[items[at]] > done:
                scratch[items[at]] -= done
    return bits, lists, held


@njit_inner
def _pair_up(start: I8, items: I4, members: I8, scratch: I4, first: I4, holders: I4, common: I4) -> None:
    """Count, above the diagonal of `common`, the rare items that pairs share.

    `first` comes in as the length of each list, one place later.
    """
    for c in range(1, len(first)):
        first[c] += first[c - 1]
    filled = first[:-1].copy()
    for place in range(len(members)):
        a = members[place]
        for at in range(start[a], start[a + 1]):
            shelf = int(scratch[items[at]])
            if shelf < 0:
                c = -shelf - 1
                for other in range(first[c], filled[c]):
                    common[holders[other], place] += 1
                holders[filled[c]] = place
                filled[c] += 1


@njit
def vote(start: I8, items: I4, width: int, groups: I8, members: I8) -> tuple[I8, I4, I8, I4, I4]:
    """Publish one row per group: the majority of each item, the items in doubt, the largest distance to a member.

    groups, members : int64[g + 1], int64   group i is members[groups[i] : groups[i + 1]], none empty

    An item that exactly half of a group holds is not published: a tie is settled by the group alone.
    Returns the rows' starts and items, the starts and items of what is uncertain, and the errors.
    """
    count = np.zeros(width, dtype=np.int32)
    shown = np.zeros(len(groups), dtype=np.int64)
    doubted = np.zeros(len(groups), dtype=np.int64)
    for g in range(len(groups) - 1):
        size = groups[g + 1] - groups[g]
        for m in members[groups[g] : groups[g + 1]]:
            for at in range(start[m], start[m + 1]):
                count[items[at]] += 1
        for m in members[groups[g] : groups[g + 1]]:
            for at in range(start[m], start[m + 1]):
                votes = count[items[at]]
                if votes:
                    shown[g + 1] += 2 * votes > size
                    doubted[g + 1] += votes < size
                    count[items[at]] = 0
    for g in range(1, len(groups)):
        shown[g] += shown[g - 1]
        doubted[g] += doubted[g - 1]
    base = np.empty(shown[-1], dtype=np.int32)
    maybe = np.empty(doubted[-1], dtype=np.int32)
    errors = np.zeros(len(groups) - 1, dtype=np.int32)
    for g in range(len(groups) - 1):
        _fill(start, items, count, members[groups[g] : groups[g + 1]], base[shown[g] :], maybe[doubted[g] :])
        sort(base[shown[g] : shown[g + 1]])
        sort(maybe[doubted[g] : doubted[g + 1]])
        errors[g] = _farthest(
            start, items, count, members[groups[g] : groups[g + 1]], base[shown[g] : shown[g + 1]]
        )
    return shown, base, doubted, maybe, errors


@njit_inner
def _fill(start: I8, items: I4, count: I4, members: I8, base: I4, maybe: I4) -> None:
    """Write one group's row and doubts, unsorted, in front of `base` and `maybe`."""
    for m in members:
        for at in range(start[m], start[m + 1]):
            count[items[at]] += 1
    shown = doubted = 0
    for m in members:
        for at in range(start[m], start[m + 1]):
            votes = count[items[at]]
            count[items[at]] = 0
            if 2 * votes > len(members):
                base[shown] = items[at]
                shown += 1
            if 0 < votes < len(members):
                maybe[doubted] = items[at]
                doubted += 1


@njit_inner
def _farthest(start: I8, items: I4, count: I4, members: I8, base: I4) -> int:
    """The largest distance from a row to a member of its group."""
    for item in base:
        count[item] = 1
    most = 0
    for m in members:
        common = 0
        for at in range(start[m], start[m + 1]):
            common += count[items[at]]
        most = max(most, len(base) + start[m + 1] - start[m] - 2 * common)
    for item in base:
        count[item] = 0
    return most


# Disjoint assignments out of a regular graph, by random closed walks along its edges.
#
# edges : int32[n, d]   original u may be assigned the rows edges[u]; every row stands in d places in all
# post  : int32[n]      the row that each original holds; `owner` is its inverse
# state : see `chance`
#
# An assignment starts as u holding row u, fit or not, nobody *settled*. A walk enters original u, leaves along an
# edge u -> v, and enters owner[v], whom v is taken from. It may end when it takes a row whose owner is not settled:
# that owner gets the row that the walk's first original held. So nobody is ever without a row, and each walk
# settles one more. As many edges enter an original as leave it, so a walk along fresh edges always gets home.

CLOSED, PAPER, BACKTRACK = range(3)
"""How a walk goes on and ends: see `extract`."""

_TRIES = 4  # draws before the edges of an original are counted


@njit
def extract(edges: I4, state: I8, walk: int) -> tuple[I4, I4, int]:
    """Draw one assignment; return it, the edges that are left, and how many steps were walked.

    A walk that is CLOSED ends at any original that is not settled, that of the PAPER only at its first one. BACKTRACK
    ends there too, never enters an original twice in one walk, and turns back where it cannot go on.
    """
    n = len(edges)
    edges = edges.copy()
    post, owner = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for u in range(n):
        post[u] = owner[u] = u
    settled, elsewhere = np.zeros(n, dtype=np.bool_), np.ones(n, dtype=np.bool_)
    seen, used, choice = (
        np.full(n, -1, dtype=np.int64),
        np.zeros(n, dtype=np.int32),
        np.zeros(n, dtype=np.int32),
    )
    steps = 0
    for first in random_permutation(state, n):
        if not settled[first]:
            if walk == BACKTRACK:
                steps += turning_walk(edges, first, post, owner, seen, choice, state)
            else:
                elsewhere[first] = False
                through = elsewhere if walk == PAPER else settled
                steps += closed_walk(edges, first, post, owner, through, seen, used, choice, state)
                elsewhere[first] = True
            adopt(first, choice, post, owner, settled)
    return post, _without(edges, post), steps


@njit
def adopt(first: int, choice: I4, post: I4, owner: I4, settled: B1) -> None:
    """Hand rows on along the last choices from `first`: detours that led back drop out."""
    goal, u = post[first], first
    while True:
        v = choice[u]
        following = owner[v]
        post[u], owner[v], settled[u] = v, u, True
        if v == goal:
            return
        u = following


@njit_inner
def _without(edges: I4, post: I4) -> I4:
    """The edges but for those of an assignment."""
    n, d = edges.shape
    left = np.empty((n, d - 1), dtype=np.int32)
    for u in range(n):
        kept = 0
        for e in range(d):
            if edges[u, e] != post[u]:
                left[u, kept] = edges[u, e]
                kept += 1
    return left


@njit_inner
def _pick(edges: I4, u: int, open_: int, goal: int, stamp: int, owner: I4, seen: I8, state: I8) -> int:
    """The place of a random one of the first `open_` edges of u that lead home or where the walk was not; -1: none."""
    for _ in range(_TRIES):
        e = below(state, open_)
        if edges[u, e] == goal or seen[owner[edges[u, e]]] != stamp:
            return e
    fresh = 0
    for e in range(open_):
        fresh += edges[u, e] == goal or seen[owner[edges[u, e]]] != stamp
    if fresh == 0:
        return -1
    nth = below(state, fresh)
    e = -1
    while nth >= 0:
        e += 1
        nth -= edges[u, e] == goal or seen[owner[edges[u, e]]] != stamp
    return e


@njit
def closed_walk(
    edges: I4, first: int, post: I4, owner: I4, through: B1, seen: I8, used: I4, choice: I4, state: I8
) -> int:
    """Walk from `first` until it gets home, and leave the last choice of each original behind; count the steps.

    It goes on wherever it may go `through`, and ends at an original where it may not. Where the walk was not yet is
    preferred; where there is no such way it goes where it was, on an edge that it has not used. The unused edges of u
    are its first d - used[u].
    """
    u, steps = first, 0
    while True:
        if seen[u] != first:
            seen[u] = first
            used[u] = 0
        open_ = edges.shape[1] - used[u]
        e = _pick(edges, u, open_, post[first], first, owner, seen, state)
        if e < 0:
            e = below(state, open_)
        v = edges[u, e]
        edges[u, e], edges[u, open_ - 1] = edges[u, open_ - 1], v
        used[u] += 1
        choice[u] = v
        steps += 1
        u = owner[v]
        if not through[u]:
            break
    # a record that is not settled and loses its row gets that of the first; nothing changes if it is the first itself
    goal = post[first]
    post[u], owner[goal] = goal, u
    post[first], owner[v] = v, first
    return steps


@njit
def turning_walk(edges: I4, first: int, post: I4, owner: I4, seen: I8, choice: I4, state: I8) -> int:
    """As `closed_walk`, but turn back where all ways lead to where it was; turning back is a step.

    What the walk turned back from leads nowhere, and stays closed for this walk.
    """
    u, steps, depth = first, 0, 1
    seen[u] = first
    came = np.full(16, first, dtype=np.int32)
    while True:
        e = _pick(edges, u, edges.shape[1], post[first], first, owner, seen, state)
        steps += 1
        if e < 0:
            depth -= 1
            u = came[depth - 1]
            continue
        choice[u] = edges[u, e]
        if choice[u] == post[first]:
            return steps
        u = owner[choice[u]]
        seen[u] = first
        if depth == len(came):
            came = resize(came, 2 * len(came))
        came[depth] = u
        depth += 1


@njit
def split_edges(edges: I4, state: I8) -> tuple[I4, I4]:
    """Split a graph of even degree in two of half its degree, at random.

    At every original and at every row the edges are paired at random. Going from edge to edge by pairs, at a
    row and at an original in turn, is a closed walk; its edges go to the one half and the other by turns.
    """
    n, d = edges.shape
    by_original, by_row = _pairs(edges, state)
    half = np.full(n * d, -1, dtype=np.int8)
    for start in range(n * d):
        if half[start] < 0:
            side, e = below(state, 2), start
            while half[e] < 0:
                half[e] = side
                half[by_row[e]] = 1 - side
                e = by_original[by_row[e]]
    parts = np.empty((2, n, d // 2), dtype=np.int32)
    for u in range(n):
        filled = np.zeros(2, dtype=np.int64)
        for e in range(d):
            side = half[u * d + e]
            parts[side, u, filled[side]] = edges[u, e]
            filled[side] += 1
    return parts[0], parts[1]


@njit_inner
def _pairs(edges: I4, state: I8) -> tuple[I4, I4]:
    """The partner of each edge (its number is u * d + place) at its original and at its row, drawn at random."""
    n, d = edges.shape
    into, filled = np.empty((n, d), dtype=np.int32), np.zeros(n, dtype=np.int32)
    for u in range(n):
        for e in range(d):
            v = edges[u, e]
            into[v, filled[v]] = u * d + e
            filled[v] += 1
    by_original, by_row = np.empty(n * d, dtype=np.int32), np.empty(n * d, dtype=np.int32)
    out = np.empty(d, dtype=np.int32)
    for u in range(n):
        for e in range(d):
            out[e] = u * d + e
        _pair(out, by_original, state)
        _pair(into[u], by_row, state)
    return by_original, by_row


@njit_inner
def _pair(ends: I4, partner: I4, state: I8) -> None:
    """Pair the edges that meet here at random."""
    for i in range(len(ends) - 1, 0, -2):
        j = below(state, i)
        ends[i - 1], ends[j] = ends[j], ends[i - 1]
        partner[ends[i]], partner[ends[i - 1]] = ends[i - 1], ends[i]


# The paper's greedy assignments out of the complete graph: near rows first, no label twice for a record.
#
# start, items : baskets in the given order: basket i stands at place i of the circle (see above)
# labels       : int64[n]      the label of each record before any assignment
# taken        : int32[l, n]   rows that earlier assignments gave to each record


@njit
def greedy_assignments(start: I8, items: I4, labels: I8, l: int, state: I8) -> I4:
    """Find l disjoint assignments by walks that pick greedily: int32[l, n]."""
    n = len(labels)
    taken = np.empty((l, n), dtype=np.int32)
    entered = np.full(n, -1, dtype=np.int64)  # the walk that entered a row last
    head = np.full(n, -1, dtype=np.int64)  # the last hop of a record in its walk; `walked` says which walk
    walked = np.full(n, -1, dtype=np.int64)
    choice = np.zeros(n, dtype=np.int32)
    for r in range(l):
        post, owner = np.arange(n).astype(np.int32), np.arange(n).astype(np.int32)
        settled = np.zeros(n, dtype=np.bool_)
        for first in random_permutation(state, n):
            if settled[first]:
                continue
            walk = r * n + first
            hops, before, made = np.empty(64, dtype=np.int32), np.empty(64, dtype=np.int64), 0
            u = first
            while True:
                if walked[u] != walk:
                    walked[u], head[u] = walk, -1
                v = _pick_nearest(start, items, labels, u, taken[:r], entered, walk, hops, before, head[u])
                if made == len(hops):
                    hops, before = np.append(hops, hops), np.append(before, before)
                hops[made], before[made], head[u] = v, head[u], made
                made += 1
                entered[v], choice[u] = walk, v
                if v == post[first]:
                    break
                u = owner[v]
            adopt(first, choice, post, owner, settled)
        taken[r] = post
    return taken


@njit_inner
def _pick_nearest(
    start: I8,
    items: I4,
    labels: I8,
    u: int,
    taken: I4,
    entered: I8,
    walk: int,
    hops: I4,
    before: I8,
    last: int,
) -> int:
    """The nearest row along the circle that is allowed, of two equally near the more similar (Algorithm 2).

    Rows that the walk has not entered are preferred, however far. If labels forbid every row, they are ignored:
    the paper does not say what happens then, and the walk must go on.
    """
    n = len(labels)
    resort = careless = -1
    for j in range(n // 2 + 1):
        best = -1
        for v in ((u + j) % n, (u - j) % n):
            if _is_used(u, v, taken, hops, before, last):
                continue
            careless = v if careless < 0 else careless
            if _repeats(labels, u, v, taken):
                continue
            if best < 0 or hamming(start, items, u, v) < hamming(start, items, u, best):
                best = v
        if best >= 0:
            if entered[best] != walk:
                return best
            resort = best if resort < 0 else resort
    return resort if resort >= 0 else careless


@njit_inner
def _is_used(u: int, v: int, taken: I4, hops: I4, before: I8, last: int) -> bool:
    """Whether record u was given row v by an earlier assignment, or went there in this walk."""
    for r in range(len(taken)):
        if taken[r, u] == v:
            return True
    while last >= 0:
        if hops[last] == v:
            return True
        last = before[last]
    return False


@njit_inner
def _repeats(labels: I8, u: int, v: int, taken: I4) -> bool:
    """Whether record u already has a row of the label that row v has now."""
    for r in range(len(taken)):
        if labels[taken[r, u]] == labels[v]:
            return True
    return False
