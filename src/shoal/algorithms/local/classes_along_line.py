"""Classes along a line of records: cut at the least cost, or one class divided again."""

import numpy as np

from shoal.algorithms._kernels import NEVER
from shoal.algorithms.local._kernels.classes import Ask, Tally, tally_of
from shoal.algorithms.local._kernels.clustering import class_costs, cut_walk
from shoal.algorithms.local.class_demand import ask_for_k
from shoal.algorithms.local.local_table import Classes, Local
from shoal.data.types import I8

__all__ = ["classes_along", "split_large"]


_FINE = 64  # a class of k is built of about so many pieces at least


def classes_along(local: Local, walk: I8, ask: Ask, tally: Tally | None) -> tuple[Classes, int]:
    """The cheapest classes of consecutive records that keep the claim, and what they cost.

    For k alone a class has at most 2k-1 records. For l, t and persons it may need more: the limit is doubled until
    the line can be cut, and it is doubled once more if that is cheaper.
    """
    if not len(ask.who) and not len(ask.what):
        piece = max(1, ask.k // _FINE)
        most = 2 * ask.k - 1 if piece == 1 else 2 * ask.k + 4 * piece
        classes, _ = _cut(local, walk, piece, most, ask, tally)
        classes = split_large(local, classes, np.argsort(walk), ask.k)
        return classes, int(class_costs(local.codes, classes.walk, classes.starts, local.rates).sum())
    most, best = max(2 * ask.k - 1, 2 * ask.l, 8), None
    while True:
        found, paid = _cut(local, walk, max(1, most // (2 * _FINE)), most, ask, tally)
        if best is not None:
            return (found, paid) if paid < best[1] else best
        if paid < NEVER:
            best = found, paid
        if best is not None and most >= local.n:
            return best
        most *= 2


def _cut(local: Local, walk: I8, piece: int, most: int, ask: Ask, tally: Tally | None) -> tuple[Classes, int]:
    """Cut between pieces of the walk; the last piece takes the rest."""
    bounds = np.r_[np.arange(max(local.n // piece, 1)) * piece, local.n].astype(np.int64)
    best, behind = cut_walk(local.codes, walk, bounds, most, NEVER, local.rates, ask, tally)
    starts, at = [local.n], len(bounds) - 1
    while at > 0 and best[-1] < NEVER:
        at = int(behind[at])
        starts.append(int(bounds[at]))
    return Classes(walk, np.array(starts[::-1], dtype=np.int64)), int(best[-1])


def split_large(local: Local, classes: Classes, rank: I8, k: int) -> Classes:
    """Divide every class of 2k records or more that costs anything into classes of k to 2k-1, along the line.

    `rank` is each record's place in the line.
    """
    ask = ask_for_k(k)
    paid = class_costs(local.codes, classes.walk, classes.starts, local.rates)
    large = np.flatnonzero((classes.sizes >= 2 * k) & (paid > 0))
    if not len(large):
        return classes
    walk, starts = classes.walk.copy(), [classes.starts]
    for c in large.tolist():
        begin, end = classes.starts[c : c + 2].tolist()
        inside = walk[begin:end]
        inside = inside[np.argsort(rank[inside])]
        bounds = np.arange(len(inside) + 1)
        _, behind = cut_walk(local.codes, inside, bounds, 2 * k - 1, NEVER, local.rates, ask, tally_of(ask))
        at = int(behind[-1])
        while at > 0:
            starts.append(np.array([begin + at]))
            at = int(behind[at])
        walk[begin:end] = inside
    return Classes(walk, np.sort(np.concatenate(starts)))
