"""Short paths by a genetic algorithm: greedy subtour crossover, and 2-opt as mutation.

distance : int32[s, s]   symmetric
pool     : int64[p, s]   paths from place 0 to place s - 1, both fixed
state    : see `chance`
"""

import numpy as np

from shoal.kernels.arrays import ranked
from shoal.kernels.chance import below, shuffled
from shoal.kernels.jit import inner, njit
from shoal.kernels.ring.short_tour import length, two_opt
from shoal.kernels.types import I4, I8

__all__ = ["evolve"]


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
