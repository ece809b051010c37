"""Minimum spanning tree over hierarchical distances, never holding the n x n matrix.

words  : int64[W, m]    distinct tuples as bit fields (see `group`); of two tuples the smaller number comes first
first  : int32[rows]    the smallest tuple that was generalized to each row of a table, rising
parent : int32[m]       several trees over all tuples: equal roots are one component
edges  : int32[e, 2]    pairs of tuples, the smaller one first
places : int64[d, h, v] place of a value at every level, equal where the nodes are; short hierarchies repeat their root
values : int32[m, d]    tuple i, column j -> value
component : int64[m]    the component of tuple i, a number below m
step   : int64[d]       the price of one level in column j, scaled to an integer
"""

import numpy as np

from shoal.kernels.arrays import counted
from shoal.kernels.jit import inner, njit
from shoal.kernels.lattice.packed_tuples import Layout, label, lift
from shoal.kernels.types import I4, I8

__all__ = ["distance", "join_rest", "meet", "root_of", "unite"]


@njit
def root_of(parent: I4, i: int) -> int:
    """The component of tuple i; paths are halved on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit
def meet(words: I8, first: I4, columns: I8, levels: I8, layout: Layout, parent: I4) -> tuple[I8, I4, I4]:
    """Lift `columns` of a table to `levels` and unite the rows that become equal.

    Returns the new table, and the smallest tuples of any two rows that met and are not of one component yet.
    Rows stand by rising `first`, so the earliest of equal rows holds the smallest tuple of all. Only its pairs
    with the others' smallest can enter the tree: among pairs of one weight they come first, and they join
    the same components.
    """
    words = words.copy()
    for q in range(len(columns)):
        lift(words, columns[q], levels[q], layout)
    n = words.shape[1]
    numbers, found = label(words)
    head = np.full(found, -1, dtype=np.int32)
    edges = np.empty((n - found, 2), dtype=np.int32)
    used = 0
    for i in range(n):
        g = numbers[i]
        if head[g] < 0:  # numbers rise as they appear, so g <= i: what is overwritten has been read
            head[g] = first[i]
            for w in range(words.shape[0]):
                words[w, g] = words[w, i]
        elif root_of(parent, head[g]) != root_of(parent, first[i]):
            edges[used, 0], edges[used, 1] = head[g], first[i]
            used += 1
    return words[:, :found].copy(), head, edges[:used].copy()


@njit
def unite(edges: I4, parent: I4) -> I4:
    """Join the components along `edges`, in their order; return those that joined any: the tree's."""
    tree = np.empty_like(edges)
    used = 0
    for i in range(len(edges)):
        a, b = root_of(parent, edges[i, 0]), root_of(parent, edges[i, 1])
        if a != b:
            parent[max(a, b)] = min(a, b)
            tree[used, 0], tree[used, 1] = edges[i, 0], edges[i, 1]
            used += 1
    return tree[:used].copy()


@njit
def distance(values: I4, a: int, b: int, places: I8, step: I8) -> int:
    """HDist of two tuples: up to the closest common node in each column and down again."""
    total = 0
    for j in range(values.shape[1]):
        x, y = values[a, j], values[b, j]
        level = 0
        while places[j, level, x] != places[j, level, y]:
            level += 1
        total += level * step[j]
    return total


@njit
def join_rest(values: I4, component: I8, places: I8, step: I8) -> tuple[I4, I8]:
    """The edges that make one tree of several components: (edges, weights), by Prim's rule.

    The largest component grows by its lightest edge out, of equal weights the smaller pair, and takes in the whole
    component that it reaches. Each tuple outside is compared once with every tuple that enters.
    """
    m = len(values)
    least, partner = np.full(m, np.iinfo(np.int64).max), np.full(m, -1)
    outside, entered = np.arange(m), np.empty(m, dtype=np.int64)
    left, grown = m, np.argmax(counted(component, m))
    edges, weights = np.empty((m, 2), dtype=np.int32), np.empty(m, dtype=np.int64)
    used = 0
    while True:
        kept, new = 0, 0
        for q in range(left):
            i = outside[q]
            if component[i] == grown:
                entered[new] = i
                new += 1
            else:
                outside[kept] = i
                kept += 1
        left = kept
        if left == 0:
            return edges[:used].copy(), weights[:used].copy()
        found = -1
        for q in range(left):
            k = outside[q]
            for e in range(new):
                i = entered[e]
                weight = distance(values, i, k, places, step)
                if weight < least[k] or (weight == least[k] and _before(i, k, partner[k], k)):
                    least[k], partner[k] = weight, i
            if found < 0 or least[k] < least[found]:
                found = k
            elif least[k] == least[found] and _before(k, partner[k], found, partner[found]):
                found = k
        edges[used, 0], edges[used, 1] = min(found, partner[found]), max(found, partner[found])
        weights[used] = least[found]
        used += 1
        grown = component[found]


@inner
def _before(a: int, b: int, c: int, d: int) -> bool:
    """Whether the pair a, b comes before c, d: by its smaller tuple, then by its larger one."""
    low, other = min(a, b), min(c, d)
    return low < other or (low == other and max(a, b) < max(c, d))
