"""Baskets as bitmaps: distances, votes, and groups of near neighbours.

Random choices inside kernels: the ChaCha8 stream cipher, keyed by the caller.

state : int64[17 + 256]   sixteen 32-bit words of input (constants, key, counter, nonce), how many words of output are
                          used up, and sixteen blocks of output, word by word

The draw hides who is who, so it must not be guessed from its outcome: a cipher's output, unlike that of the
usual fast generators, gives away neither its past nor its future.
"""

import os

import numpy as np

from shoal._kernels import bincount, inner, njit, ones, ranked, sort
from shoal.data.arrays import I4, I8

__all__ = [
    "below",
    "cahd_groups",
    "chance",
    "distances",
    "hamming",
    "hops",
    "randomness",
    "refill",
    "shuffled",
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


@inner
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


@inner
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
def shuffled(state: I8, n: int) -> I8:
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
                both += ones(words[i, w] & words[j, w])
            common[i, j] = common[j, i] = sizes[i] + sizes[j] - 2 * both
    return common


@inner
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


@inner
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


@inner
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


@inner
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


# CAHD's groups: each record with similar ones near it in an order, no label twice.
#
# start, items : baskets in the given order (see `bits`)
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


@inner
def _count(labels: I8, members: I8, left: I8, having: I8, change: int) -> None:
    """Take the labels of a group, each there once, from what is left, or give them back."""
    for m in members:
        having[left[labels[m]]] -= 1
        left[labels[m]] += change
        having[left[labels[m]]] += 1


@inner
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
    for m, c in enumerate(ranked(-common[:found])[: p - 1]):
        members[m + 1] = candidates[c]
    return members
