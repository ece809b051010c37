"""Slow twins of local recoding, from the definitions; nothing here may import shoal.

rows  : tuples of leaves, None where a cell is missing and no leaf covers it
paths : by column, {leaf: [leaf, ..., root]}, all of one length
"""

from fractions import Fraction
from itertools import combinations
from math import sqrt


def level(a, b, paths):
    """The lowest level on which two cells are one node; a missing cell stands at the root from the start."""
    top = len(next(iter(paths.values()))) - 1
    up = [paths[cell] if cell is not None else [paths[next(iter(paths))][top]] * (top + 1) for cell in (a, b)]
    if a == b:
        return 0
    return next(l for l in range(top + 1) if up[0][l] == up[1][l])


def hdist(a, b, columns):
    """Definition 5: both tuples climb to their closest common generalization."""
    total = Fraction(0)
    for x, y, paths in zip(a, b, columns, strict=True):
        top = len(next(iter(paths.values()))) - 1
        total += 2 * Fraction(level(x, y, paths), top) if top else 0
    return total


def kruskal(rows, columns):
    """The minimum spanning tree as (weight, a, b); of equal weights the smaller pair first."""
    edges = sorted((hdist(rows[a], rows[b], columns), a, b) for a, b in combinations(range(len(rows)), 2))
    component = list(range(len(rows)))
    tree = []
    for weight, a, b in edges:
        if component[a] != component[b]:
            old, new = component[b], component[a]
            component = [new if c == old else c for c in component]
            tree.append((weight, a, b))
    return tree


def prim(rows, columns):
    """The weight of a minimum spanning tree, another way."""
    outside = {i: hdist(rows[0], rows[i], columns) for i in range(1, len(rows))}
    total = Fraction(0)
    while outside:
        near = min(outside, key=outside.get)
        total += outside.pop(near)
        for i in outside:
            outside[i] = min(outside[i], hdist(rows[near], rows[i], columns))
    return total


def components(n, edges):
    """The sets of nodes that edges (a, b) connect."""
    found = [{i} for i in range(n)]
    for a, b in edges:
        x, y = (next(part for part in found if node in part) for node in (a, b))
        if x is not y:
            found.remove(y)
            x |= y
    return found


def threshold(weights):
    """Mean plus sample deviation."""
    mean = sum(weights) / len(weights)
    if len(weights) < 2:
        return mean
    return mean + sqrt(sum((w - mean) ** 2 for w in weights) / (len(weights) - 1))


def node_cost(cells, paths):
    """ncp of cells published as their closest common node: 0 for a leaf, else leaves/D."""
    top = len(next(iter(paths.values()))) - 1
    root = paths[next(iter(paths))][top]
    if None in cells:
        leaves = len(paths)
    else:
        at = next(l for l in range(top + 1) if len({paths[cell][l] for cell in cells}) == 1)
        node = paths[cells[0]][at]
        leaves = 1 if at == 0 else sum(node in path for path in paths.values())
        leaves = len(paths) if node == root and at == top else leaves
    return Fraction(0) if leaves == 1 else Fraction(leaves, len(paths))


def cheapest_cuts(costs, n, least, most):
    """The least cost of cutting 0 .. n into runs of least to most; costs(a, b) is a run's, None if it may not be."""
    best = {0: 0}
    for end in range(1, n + 1):
        ways = [
            best[begin] + costs(begin, end)
            for begin in range(max(0, end - most), end - least + 1)
            if begin in best and costs(begin, end) is not None
        ]
        if ways:
            best[end] = min(ways)
    return best.get(n)
