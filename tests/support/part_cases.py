"""Records split into parts at random, as a file that is read in pieces would be."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from shoal.algorithms.parts import BasketParts, TreeParts
from shoal.data import Trees
from shoal.data.arrays import take_rows
from shoal.io.read.parts import open_arrays, save_arrays
from shoal.parts.trees import gather_trees


def tree_parts(trees, folder, cuts, mapper):
    """Trees in parts that end before the records `cuts`; each piece comes in codes of its own."""
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < trees.n}), trees.n]
    pieces = (
        replace(Trees.of(list(trees.take(np.arange(first, last)).nested())), nesting=trees.nesting)
        for first, last in pairwise(bounds)
    )
    read = gather_trees(pieces, folder, mapper, trees.sensitive)
    return TreeParts(read.outline, read.parts.n, read.parts.runs, mapper)


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
