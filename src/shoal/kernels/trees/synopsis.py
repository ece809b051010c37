"""The synopsis tree: every distinct path of all records, projected to a cut, its relations cut, counted.

start, items, parents : record i's nodes are start[i] .. start[i + 1] - 1, parents (places within it, -1: root) first
up, ends : int32[T]   a path: the path it prolongs (-1: the root) and the item, or value, that it ends in
path     : int32[N]   the path that each node of the data ends
labels   : int32[items]   the published value of an item, 0 .. v-1; -1: left out, what is below joins what is above

Paths stand behind those they prolong, in every tree here.
"""

import numpy as np

from shoal.kernels.arrays import grown
from shoal.kernels.hashing import slot
from shoal.kernels.jit import inner, njit
from shoal.kernels.types import B1, F8, I4, I8

__all__ = ["chance", "loosen", "part", "paths", "project", "supports", "thin"]


ONE = 1 << 36
"""What `chance` counts for a record without a node. Whole numbers: their sum does not depend on the order."""


@inner
def _find(key: int, keys: I8, slots: I4) -> int:
    """The slot that holds a key, or the empty one where it belongs."""
    last = len(slots) - 1
    s = slot(key, last)
    while slots[s] >= 0 and keys[slots[s]] != key:
        s = (s + 1) & last
    return s


@inner
def _grown(keys: I8, slots: I4, found: int) -> tuple[I8, I4]:
    """Room for twice as many keys, the first `found` in place."""
    wide = grown(keys, 2 * len(keys))
    fresh = np.full(2 * len(slots), -1, dtype=np.int32)
    for place in range(found):
        fresh[_find(wide[place], wide, fresh)] = place
    return wide, fresh


@inner
def _parted(keys: I8, found: int, width: int) -> tuple[I4, I4]:
    """Keys (up + 1) * width + ends back into the two."""
    up = np.empty(found, dtype=np.int32)
    ends = np.empty(found, dtype=np.int32)
    for place in range(found):
        up[place] = keys[place] // width - 1
        ends[place] = keys[place] % width
    return up, ends


@njit
def paths(start: I8, items: I4, parents: I4, width: int) -> tuple[I4, I4, I4]:
    """Number the distinct paths of all records; items are below `width`. Returns path, up, ends."""
    path = np.empty(len(items), dtype=np.int32)
    keys = np.empty(1024, dtype=np.int64)
    slots = np.full(2048, -1, dtype=np.int32)
    found = 0
    for record in range(len(start) - 1):
        first = start[record]
        for node in range(first, start[record + 1]):
            over = path[first + parents[node]] if parents[node] >= 0 else -1
            key = np.int64(over + 1) * width + items[node]
            s = _find(key, keys, slots)
            if slots[s] < 0:
                if found == len(keys):
                    keys, slots = _grown(keys, slots, found)
                    s = _find(key, keys, slots)
                keys[found] = key
                slots[s] = found
                found += 1
            path[node] = slots[s]
    up, ends = _parted(keys, found, width)
    return path, up, ends


@njit
def project(up: I4, ends: I4, labels: I4, width: int) -> tuple[I4, I4, I4]:
    """Replace items by their values (below `width`) and merge siblings that became equal.

    Returns by path the projected one, -1 where it ends in an item that is left out, and the projected tree.
    """
    to = np.empty(len(up), dtype=np.int32)  # the projected path, of a path left out the one above
    own = np.empty(len(up), dtype=np.int32)
    keys = np.empty(1024, dtype=np.int64)
    slots = np.full(2048, -1, dtype=np.int32)
    found = 0
    for place in range(len(up)):
        over = to[up[place]] if up[place] >= 0 else -1
        value = labels[ends[place]]
        if value < 0:
            to[place], own[place] = over, -1
            continue
        key = np.int64(over + 1) * width + value
        s = _find(key, keys, slots)
        if slots[s] < 0:
            if found == len(keys):
                keys, slots = _grown(keys, slots, found)
                s = _find(key, keys, slots)
            keys[found] = key
            slots[s] = found
            found += 1
        to[place] = own[place] = slots[s]
    over_, value_ = _parted(keys, found, width)
    return own, over_, value_


@njit
def loosen(up: I4, ends: I4, loose: B1) -> I4:
    """For each path, the one that its end is below once the loose values are under the root: -1, or an ancestor."""
    below = np.empty(len(up), dtype=np.int32)
    for place in range(len(up)):
        over = up[place]
        while over >= 0 and loose[ends[over]]:
            over = up[over]
        below[place] = -1 if loose[ends[place]] else over
    return below


@njit
def part(up: I4, ends: I4, rule: I4) -> I4:
    """For each path, the one that its end hangs below once the relations a ~> b with rule[a, b] >= 0 are disassociated.

    The rule with the smallest number goes first (Definition 2): b hangs below what a hangs below, and what hung
    below b hangs below what b hung below.
    """
    below = np.empty(len(up), dtype=np.int32)
    for place in range(len(up)):
        size = 0
        over = place
        while over >= 0:
            size += 1
            over = up[over]
        chain = np.empty(size, dtype=np.int32)
        over = place
        for at in range(size - 1, -1, -1):
            chain[at] = over
            over = up[over]
        hangs = np.arange(-1, size - 1)
        while True:
            best, high, low = -1, -1, -1
            for at in range(1, size):
                above = hangs[at]
                while above >= 0:
                    number = rule[ends[chain[above]], ends[chain[at]]]
                    if number >= 0 and (best < 0 or number < best):
                        best, high, low = number, above, at
                    above = hangs[above]
            if best < 0:
                break
            for at in range(low + 1, size):
                if hangs[at] == low:
                    hangs[at] = hangs[low]
            hangs[low] = hangs[high]
        last = hangs[size - 1]
        below[place] = chain[last] if last >= 0 else -1
    return below


@njit
def thin(start: I8, path: I4, spot: I4, found: int) -> tuple[I8, I4]:
    """Where each record's nodes stand among `found` spots, each spot once per record, those left out dropped."""
    seen = np.full(found, -1, dtype=np.int64)
    begins = np.zeros(len(start), dtype=np.int64)
    kept = np.empty(len(path), dtype=np.int32)
    filled = 0
    for record in range(len(start) - 1):
        for node in range(start[record], start[record + 1]):
            at = spot[path[node]]
            if at >= 0 and seen[at] != record:
                seen[at] = record
                kept[filled] = at
                filled += 1
        begins[record + 1] = filled
    return begins, kept[:filled].copy()


@njit
def chance(start: I8, path: I4, spot: I4, up: I4, share: F8) -> int:
    """Sum over records of the mean share of their leaves, times `ONE`; `share` is that of the path to each spot.

    A spot is a leaf of a record until one below it is met; nodes above stand before those below.
    """
    seen = np.full(len(up), -1, dtype=np.int32)
    inner = np.full(len(up), -1, dtype=np.int32)
    total = 0
    for record in range(len(start) - 1):
        shares, leaves = 0.0, 0
        for node in range(start[record], start[record + 1]):
            at = spot[path[node]]
            if at < 0 or seen[at] == record:
                continue
            seen[at] = record
            shares += share[at]
            leaves += 1
            over = up[at]
            if over >= 0 and inner[over] != record:
                inner[over] = record
                shares -= share[over]
                leaves -= 1
        total += int(ONE * shares / leaves) if leaves else ONE
    return total


@njit
def supports(start: I8, path: I4, spot: I4, found: int) -> I8:
    """How many records hold each of `found` spots; `spot` is where a path stands, -1: nowhere."""
    held = np.zeros(found, dtype=np.int64)
    seen = np.full(found, -1, dtype=np.int64)
    for record in range(len(start) - 1):
        for node in range(start[record], start[record + 1]):
            at = spot[path[node]]
            if at >= 0 and seen[at] != record:
                seen[at] = record
                held[at] += 1
    return held
