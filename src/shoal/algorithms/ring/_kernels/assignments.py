"""Assignments of records to published records: from closed walks, or chosen greedily."""

import numpy as np

from shoal._kernels import grown, inner, njit
from shoal.algorithms.ring._kernels.bitmaps import below, hamming, shuffled
from shoal.data.arrays import B1, I4, I8

__all__ = ["BACKTRACK", "CLOSED", "PAPER", "extract", "greedy_assignments", "split"]

# Disjoint assignments out of a regular graph, by random closed walks along its edges.
#
# edges : int32[n, d]   original u may be assigned the rows edges[u]; every row stands in d places in all
# post  : int32[n]      the row that each original holds; `owner` is its inverse
# state : int64[33]     see `chance`
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
    for first in shuffled(state, n):
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


@inner
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


@inner
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
            came = grown(came, 2 * len(came))
        came[depth] = u
        depth += 1


@njit
def split(edges: I4, state: I8) -> tuple[I4, I4]:
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


@inner
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


@inner
def _pair(ends: I4, partner: I4, state: I8) -> None:
    """Pair the edges that meet here at random."""
    for i in range(len(ends) - 1, 0, -2):
        j = below(state, i)
        ends[i - 1], ends[j] = ends[j], ends[i - 1]
        partner[ends[i]], partner[ends[i - 1]] = ends[i - 1], ends[i]


# The paper's greedy assignments out of the complete graph: near rows first, no label twice for a record.
#
# start, items : baskets in the given order: basket i stands at place i of the circle (see `bits`)
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
        for first in shuffled(state, n):
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


@inner
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
            if _used(u, v, taken, hops, before, last):
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


@inner
def _used(u: int, v: int, taken: I4, hops: I4, before: I8, last: int) -> bool:
    """Whether record u was given row v by an earlier assignment, or went there in this walk."""
    for r in range(len(taken)):
        if taken[r, u] == v:
            return True
    while last >= 0:
        if hops[last] == v:
            return True
        last = before[last]
    return False


@inner
def _repeats(labels: I8, u: int, v: int, taken: I4) -> bool:
    """Whether record u already has a row of the label that row v has now."""
    for r in range(len(taken)):
        if labels[taken[r, u]] == labels[v]:
            return True
    return False
