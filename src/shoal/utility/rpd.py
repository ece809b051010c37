"""Reverse path domain of record trees: how little a path tells, the chance to guess it within its domain."""

import numpy as np

from shoal.data import Trees
from shoal.data.lists import owners
from shoal.data.preorder import CHUNK
from shoal.data.types import F8, I4
from shoal.hierarchy.nodes import Nodes
from shoal.release import RecodedTrees
from shoal.utility.tree_values import published_nodes

__all__ = ["reverse_path_domain", "rpd", "rpd_original", "total_rpd"]


def rpd(release: RecodedTrees, original: Trees, nodes: Nodes) -> float:
    """RPD of a release, over all records that came in; one that is suppressed tells nothing and counts 1.

    `nodes` are those of the original's classes. It is not zero-based: compare it with `rpd_original`.
    """
    there = published_nodes(release, original, nodes)
    kept = reverse_path_domain(release.trees, _sizes(release.trees, there, nodes))
    return float((kept.sum() + release.records - len(kept)) / max(release.records, 1))


def total_rpd(release: RecodedTrees, original: Trees, nodes: Nodes) -> tuple[float, float]:
    """The sum of the RPD of some original records, and of what was released of them."""
    there = published_nodes(release, original, nodes)
    before = reverse_path_domain(original, _sizes(original, nodes.leaf, nodes)).sum()
    after = reverse_path_domain(release.trees, _sizes(release.trees, there, nodes)).sum()
    return float(before), float(after)


def rpd_original(original: Trees, nodes: Nodes) -> float:
    """RPD of the records as they came in."""
    values = reverse_path_domain(original, _sizes(original, nodes.leaf, nodes))
    return float(values.mean()) if len(values) else 1.0


def reverse_path_domain(trees: Trees, sizes: F8) -> F8:
    """RPD of each tree: the mean over its leaves of 1 / prod(d(u) |C(u)|) along the path u_1, ..., u_n.

    d(u) is the depth of a node, 1 under the root; |C(u)| the number of values on the level of u in its class, here
    by value in `sizes`. A tree without nodes has one path, the empty one: 1.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Eq. 1 to 3.

    Examples
    --------
    >>> trees = Trees.of([[("hospital", "H1", ("ill", "flu"))], [("hospital", "H1"), ("ill", "flu")]])
    >>> reverse_path_domain(trees, np.array([4.0, 5.0])).tolist()  # 1/(1*4*2*5) and (1/4 + 1/5)/2
    [0.025, 0.225]
    """
    parts = [_chunk(trees, at, sizes) for at in range(0, trees.n, CHUNK)]
    return np.concatenate([np.zeros(0), *parts])


def _sizes(trees: Trees, there: I4, nodes: Nodes) -> F8:
    """|C(u)| of each value; of a sensitive one, how many values its class has here."""
    own = np.bincount(trees.kinds, minlength=len(trees.classes))[trees.kinds].astype(np.float64)
    return np.where(there < 0, own, np.r_[nodes.size, 0.0][there])


def _chunk(trees: Trees, at: int, sizes: F8) -> F8:
    start = trees.start[at : at + CHUNK + 1]
    inside = slice(int(start[0]), int(start[-1]))
    record = owners(start)
    over = np.where(trees.parents[inside] < 0, -1, trees.parents[inside] + (start[:-1] - start[0])[record])
    depth = np.ones(len(record))
    up = over.copy()
    while (on := up >= 0).any():
        depth[on] += 1
        up[on] = over[up[on]]
    own = depth * sizes[trees.items[inside]]
    domain, up = own.copy(), over.copy()
    with np.errstate(over="ignore"):  # a very long path has a domain beyond all numbers, and tells it all
        while (on := up >= 0).any():
            domain[on] *= own[up[on]]
            up[on] = over[up[on]]
    leaf = np.ones(len(record), dtype=bool)
    leaf[over[over >= 0]] = False
    sums = np.bincount(record[leaf], weights=1 / domain[leaf], minlength=len(start) - 1)
    leaves = np.bincount(record[leaf], minlength=len(start) - 1)
    return np.where(leaves == 0, 1.0, sums / np.maximum(leaves, 1))
