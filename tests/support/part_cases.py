"""Records split into parts at random, as a file that is read in pieces would be."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from shoal.algorithms.parts import BasketParts, coded_tree_parts
from shoal.data.arrays import take_rows
from shoal.io.read.parts import RawTrees, open_arrays, save_arrays


def raw_trees(trees, folder, cuts):
    """Trees in parts that end before the records `cuts`; codes and the order of nodes are not those of the whole."""
    pairs = [(trees.classes[kind], value) for kind, value in zip(trees.kinds, trees.values, strict=True)]
    order = np.random.default_rng(len(pairs)).permutation(len(pairs))
    code = np.argsort(order).astype(np.int32)
    over, parts = set(), []
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < trees.n}), trees.n]
    for number, (first, last) in enumerate(pairwise(bounds)):
        some = trees.take(np.arange(first, last))
        part = folder / f"part-{number:05}"
        part.mkdir(parents=True)
        save_arrays(part, raw_start=some.start, raw_items=code[some.items], raw_parents=some.parents)
        parts.append(part)
        base = np.repeat(some.start[:-1], np.diff(some.start))
        up = np.where(some.parents < 0, -1, base + some.parents)
        for node in range(len(up)):
            above = up[node]
            while above >= 0:
                over.add(tuple(trees.classes[some.kinds[some.items[at]]] for at in (above, node)))
                above = up[above]
    shuffled = tuple(pairs[place] for place in order)
    return RawTrees(
        tuple(parts), trees.n, len(trees.items), shuffled, frozenset(over), trees.sensitive, trees.nesting
    )


def tree_parts(trees, folder, cuts, mapper):
    """The same, coded as the whole is."""
    return coded_tree_parts(raw_trees(trees, folder, cuts), mapper)


def basket_parts(baskets, folder, cuts, mapper):
    """Baskets in parts that end before the records `cuts`."""
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < baskets.n}), baskets.n]
    parts = []
    for number, (first, last) in enumerate(pairwise(bounds)):
        part = folder / f"part-{number:05}"
        part.mkdir(parents=True)
        start, items = take_rows(baskets.start, baskets.items, np.arange(first, last))
        save_arrays(part, start=start, items=items)
        parts.append(part)
    none = np.zeros(0, dtype=np.int32)
    outline = replace(baskets, start=np.zeros(1, dtype=np.int64), items=none)
    return BasketParts(outline, baskets.n, tuple(parts), mapper)


def joined_baskets(parts):
    """What parts publish, behind each other."""
    found = [open_arrays(part, "out_start", "out_items") for part in parts]
    size = np.concatenate([np.diff(start) for start, _ in found])
    return np.r_[0, np.cumsum(size)].tolist(), np.concatenate([items for _, items in found]).tolist()
