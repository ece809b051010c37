"""Records split into parts at random, as a file that is read in pieces would be."""

import json
from itertools import pairwise

import numpy as np

from shoal.algorithms.trees.tree_parts import coded_parts
from shoal.io.array_files import keep
from shoal.io.tree_parts import RawTrees


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
        keep(part, raw_start=some.start, raw_items=code[some.items], raw_parents=some.parents)
        parts.append(part)
        base = np.repeat(some.start[:-1], np.diff(some.start))
        up = np.where(some.parents < 0, -1, base + some.parents)
        for node in range(len(up)):
            above = up[node]
            while above >= 0:
                over.add(tuple(trees.classes[some.kinds[some.items[at]]] for at in (above, node)))
                above = up[above]
    shuffled = tuple(pairs[place] for place in order)
    return RawTrees(tuple(parts), trees.n, shuffled, frozenset(over), trees.sensitive, trees.nesting)


def tree_parts(trees, folder, cuts, mapper):
    """The same, coded as the whole is."""
    return coded_parts(raw_trees(trees, folder, cuts), mapper)


def joined_trees(outline, parts):
    """Trees of all parts behind each other, as `nested` gives them."""
    return [tree for part in parts for tree in outline(part).nested()]


def write_ndjson(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path
