"""What a cut costs: how little its trees tell, in two measures; small is good."""

from collections.abc import Callable

import numpy as np

from shoal.algorithms.trees._kernels.record_bits import ONE
from shoal.algorithms.trees.search_space import Space, Synopsis
from shoal.data.types import F8

__all__ = ["PRICES", "rpd", "rpd_a"]


def rpd(space: Space, tree: Synopsis) -> float:
    """RPD of the records themselves (equations 1 to 3): the mean over records of the mean over their leaves."""
    domain, _ = _along(space, tree, np.zeros(len(tree.up)))
    return space.records.chance(tree.shown, tree.spot, tree.up, 1 / domain) / ONE / space.n


def rpd_a(space: Space, tree: Synopsis) -> float:
    """RPD_a of a synopsis tree (equations 6 and 7): the paper's stand-in for RPD, from supports of paths alone."""
    domain, support = _along(space, tree, space.supports(tree).astype(np.float64))
    leaf = np.ones(len(tree.up), dtype=bool)
    leaf[tree.up[tree.up >= 0]] = False
    terms = np.sort(support[leaf] / domain[leaf])  # sorted: the sum must not depend on the order of records
    return float(terms.sum() / len(tree.up) / leaf.sum())


PRICES: dict[str, Callable[[Space, Synopsis], float]] = {"rpd": rpd, "rpd-a": rpd_a}


def _along(space: Space, tree: Synopsis, held: F8) -> tuple[F8, F8]:
    """For each path, the size of its domain, prod(d(u) |C(u)|), and the sum of what its nodes hold."""
    over = tree.up.astype(np.int64)
    depth = np.ones(len(over))
    at = over.copy()
    while (on := at >= 0).any():
        depth[on] += 1
        at[on] = over[at[on]]
    own = depth * space.values.size[tree.nodes][tree.ends]
    domain, total, at = own.copy(), held.copy(), over.copy()
    with np.errstate(over="ignore"):  # a very long path has a domain beyond all numbers
        while (on := at >= 0).any():
            domain[on] *= own[at[on]]
            total[on] += held[at[on]]
            at[on] = over[at[on]]
    return domain, total
