"""Cut a table into boxes by what is public: a box's own count, k, and how people are spread over values elsewhere.

A *box* is a run of leaves per column. Whether and where it is cut is decided from the number of people in it and public
shares alone. Where its people are inside it decides nothing, and how many of them fall into each piece decides only
which pieces are left out, being below k.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels import inner, njit
from shoal.data.arrays import F8, I4, I8

__all__ = ["ALONE", "Policy", "PublicShares", "Regions", "cut_regions"]


ALONE = 1 << 20
"""More levels than any hierarchy has: what lies beside such a leaf is cut off before anything else."""


class PublicShares(NamedTuple):
    """What is known of such people from elsewhere, and how columns may be cut.

    at     : int64[d + 1]   the leaves of column j are at[j] : at[j + 1] of the arrays below
    share  : float64[...]   the share of the people who have each leaf
    apart  : int64[...]     on how many levels each leaf lies in another node than the leaf before it
    people : int32[m, d]    some such people, as leaf codes; may be none, and then columns are taken as independent
    """

    at: I8
    share: F8
    apart: I8
    people: I4


class Policy(NamedTuple):
    """How eagerly boxes are cut.

    k       : people that each published box holds
    anywhere : 1 where a cut may lie between any two leaves, 0 where a node is cut into all of its children
    price   : float64[d]    the share of each column in the loss
    spread  : how much a cut that spreads people over many pieces is avoided; the power of its entropy
    fear    : what a person who is left out counts
    """

    k: int
    anywhere: int
    price: F8
    spread: float
    fear: float


class Regions(NamedTuple):
    """The boxes that are published.

    of        : int64[n]      the box of each record; -1 where it is left out
    low, high : int64[boxes, d]   its leaves, `high` excluded
    """

    of: I8
    low: I8
    high: I8


_PRIOR = 20.0  # people of the whole that join those of a box, where there are few public ones


@inner
def _lost(n: int, q: float, k: int) -> float:
    """How many of n people are expected in a piece of the share q and there left out, for fewer than k are."""
    if q <= 0.0:
        return 0.0
    if q >= 1.0:
        return float(n) if n < k else 0.0
    mean = n * q
    if mean > k + 8.0 * np.sqrt(mean + 1.0) + 8.0:
        return 0.0
    # E[N; N < k] = n q P(N' <= k - 2), where N' counts n - 1 people.
    odds = q / (1.0 - q)
    log = (n - 1) * np.log1p(-q)
    total = 0.0
    for i in range(min(k - 1, n)):
        if i > 0:
            log += np.log(odds * (n - i) / i)
        total += np.exp(log)
    return mean * min(total, 1.0)


@inner
def _entropy(q: float) -> float:
    return -q * np.log2(q) if q > 0.0 else 0.0


@inner
def _width(leaves: int, size: int) -> float:
    return 0.0 if leaves <= 1 else leaves / size


@njit
def cut_regions(codes: I4, who: I8, shares: PublicShares, policy: Policy, done: I8) -> Regions:
    """Cut the box of all leaves, and every piece of it that holds k people, until no cut is worth its price.

    Parameters
    ----------
    codes
        int32[n, d]: leaf codes; one beyond a column's last leaf stands for any of them, and is left out by every cut.
    who
        int64[n]: whom each record belongs to, numbered from 0; empty where every record is a person.
    shares, policy
        What is public.
    done
        int64[1]: how many records are settled.
    """
    n, d = codes.shape
    k, at, people = policy.k, shares.at, shares.people
    size = np.diff(at)
    room = n // k + 2
    of = np.full(n, -1, dtype=np.int64)
    rows, public = np.arange(n), np.arange(len(people))
    spare, public_spare = np.empty(n, dtype=np.int64), np.empty(len(people), dtype=np.int64)
    low, high = np.empty((room, d), dtype=np.int64), np.empty((room, d), dtype=np.int64)  # published
    todo = np.empty(
        (room, 4), dtype=np.int64
    )  # where the records and the public people of a box begin and end
    todo_low, todo_high = np.zeros((room, d), dtype=np.int64), np.empty((room, d), dtype=np.int64)
    todo[0] = np.array([0, n, 0, len(people)])
    todo_high[0] = size
    left, boxes = 1, 0
    widest = int(size.max())
    piece = np.empty(widest + 1, dtype=np.int64)  # of each leaf of the column that is cut, and of no leaf
    cumulated = np.empty(widest + 1)
    starts, public_starts = np.empty(widest + 2, dtype=np.int64), np.empty(widest + 2, dtype=np.int64)
    stamp, turn = np.full(int(who.max()) + 1 if len(who) else 0, -1, dtype=np.int64), 0
    while left > 0:
        left -= 1
        first, last, public_first, public_last = todo[left]
        box_low, box_high = todo_low[left].copy(), todo_high[left].copy()
        heads = last - first
        if len(who):
            heads, turn = 0, turn + 1
            for i in range(first, last):
                if stamp[who[rows[i]]] != turn:
                    stamp[who[rows[i]]] = turn
                    heads += 1
        if heads < k:
            done[0] += last - first
            continue
        whole = 0.0
        for j in range(d):
            whole += policy.price[j] * _width(box_high[j] - box_low[j], size[j])
        best, column, cut = 0.0, -1, 0
        for j in range(d):
            a, b = box_low[j], box_high[j]
            if b - a < 2:
                continue
            _cumulate(cumulated, a, b, j, shares, public[public_first:public_last])
            most = 0
            for x in range(a + 1, b):
                most = max(most, shares.apart[at[j] + x])
            rest = whole - policy.price[j] * _width(b - a, size[j])
            gain, bits, begin = 0.0, 0.0, a
            for x in range(a + 1, b + 1):
                if x < b and shares.apart[at[j] + x] < (most if most >= ALONE or not policy.anywhere else 0):
                    continue
                if policy.anywhere:
                    if x == b:
                        break
                    gain, bits, begin = 0.0, 0.0, a
                for end in (x, b):
                    q = cumulated[end - a] - cumulated[begin - a]
                    costs = rest + policy.price[j] * _width(end - begin, size[j])
                    gain += heads * q * (whole - costs) - policy.fear * _lost(heads, q, k) * (1.0 - costs)
                    bits += _entropy(q)
                    begin = end
                    if not policy.anywhere:
                        break
                if (policy.anywhere or x == b) and gain > 0.0:
                    score = gain / max(bits, 1e-3) ** policy.spread
                    if score > best:
                        best, column, cut = score, j, x
        if column < 0:
            for i in range(first, last):
                of[rows[i]] = boxes
            low[boxes], high[boxes] = box_low, box_high
            boxes += 1
            done[0] += last - first
            continue
        a, b = box_low[column], box_high[column]
        most, pieces = 0, 0
        for x in range(a + 1, b):
            most = max(most, shares.apart[at[column] + x])
        for x in range(a, b):
            if x > a and (x == cut if policy.anywhere else shares.apart[at[column] + x] == most):
                pieces += 1
            piece[x - a] = pieces
        pieces += 1
        piece[b - a] = pieces
        _spread(rows, spare, first, last, codes, column, a, piece, pieces, starts)
        _spread(
            public, public_spare, public_first, public_last, people, column, a, piece, pieces, public_starts
        )
        done[0] += last - starts[pieces]  # cells that stand for any leaf
        begin = a
        for p in range(pieces):
            end = begin
            while end < b and piece[end - a] == p:
                end += 1
            if starts[p + 1] - starts[p] >= k:
                todo[left] = np.array([starts[p], starts[p + 1], public_starts[p], public_starts[p + 1]])
                todo_low[left], todo_high[left] = box_low, box_high
                todo_low[left, column], todo_high[left, column] = begin, end
                left += 1
            else:
                done[0] += starts[p + 1] - starts[p]
            begin = end
    return Regions(of, low[:boxes].copy(), high[:boxes].copy())


@inner
def _cumulate(cumulated: F8, a: int, b: int, j: int, shares: PublicShares, public: I8) -> None:
    """The shares of a box's leaves a to b of column j, summed from a on."""
    at = shares.at[j]
    total = 0.0
    for x in range(a, b):
        total += shares.share[at + x]
    cumulated[: b - a + 1] = 0.0
    inside = 0
    for i in public:
        x = shares.people[i, j]
        if a <= x < b:
            cumulated[x - a + 1] += 1.0
            inside += 1
    for x in range(a, b):
        own = shares.share[at + x] / total
        if len(public):
            own = (cumulated[x - a + 1] + _PRIOR * own) / (inside + _PRIOR)
        cumulated[x - a + 1] = cumulated[x - a] + own


@inner
def _spread(
    rows: I8,
    spare: I8,
    first: int,
    last: int,
    codes: I4,
    column: int,
    a: int,
    piece: I8,
    pieces: int,
    starts: I8,
) -> None:
    """Sort rows[first:last] by the piece their leaf is in; piece p begins at starts[p], rows in none come last."""
    starts[: pieces + 2] = 0
    for i in range(first, last):
        starts[piece[codes[rows[i], column] - a] + 1] += 1
    starts[0] = first
    for p in range(pieces + 1):
        starts[p + 1] += starts[p]
    for i in range(first, last):
        p = piece[codes[rows[i], column] - a]
        spare[starts[p]] = rows[i]
        starts[p] += 1
    rows[first:last] = spare[first:last]
    for p in range(pieces, 0, -1):
        starts[p] = starts[p - 1]
    starts[0] = first
