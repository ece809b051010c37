"""Which records to leave out: those that make the other records lose more than leaving them out costs."""

import numpy as np

from shoal.algorithms._kernels import NEVER
from shoal.algorithms.allowance import allowance
from shoal.algorithms.local._kernels.classes import Ask, tally_of
from shoal.algorithms.local._kernels.clustering import cut_walk
from shoal.algorithms.local.class_demand import ask_for_k, persons_of
from shoal.algorithms.local.local_table import Local
from shoal.algorithms.local.record_order import price_order
from shoal.data import Table
from shoal.data.types import I8

__all__ = ["without_outliers"]


_LARGEST_K = 200  # a record that is far from 200 others is far from more
_ROUNDS = 12


def without_outliers(local: Local, table: Table, k: int, suppress: float) -> Local:
    """Leave out at most the share `suppress` of the records, and only where that lowers the loss `ncp`.

    The records are cut into classes along the price order, and leaving a record out costs what it counts in the loss:
    all of its columns. If more records would be left out at this price than are allowed, the price is raised until
    they are few enough.
    """
    allowed = allowance(local.maker, suppress, local.records)
    ask = ask_for_k(min(k, _LARGEST_K), persons_of(table, local.rows))
    heads = local.n if not len(ask.who) else int(ask.who.max()) + 1
    if allowed == 0 or heads <= k:
        return local
    walk = local.along(price_order(local.scales, local.tuples))
    gone = _worth_leaving(local, walk, ask, min(allowed, heads - k))
    return local.keeping(np.setdiff1d(np.arange(local.n), gone)) if len(gone) else local


def _worth_leaving(local: Local, walk: I8, ask: Ask, most: int) -> I8:
    """At most `most` records whose absence lowers the cost of the walk."""
    bounds, tally = np.arange(local.n + 1), tally_of(ask)
    rows = int(np.bincount(ask.who).max()) if len(ask.who) else 1  # a class of k persons may need more rows

    def left_out(price: int) -> I8:
        best, behind = cut_walk(local.codes, walk, bounds, 2 * ask.k * rows, price, local.rates, ask, tally)
        return _skipped(walk, behind) if best[-1] < NEVER else walk[:0]

    low = int(local.rates.root.sum())
    gone = left_out(low)
    if len(gone) <= most:
        return gone
    high, gone = 2 * low * ask.k * rows, walk[:0]
    for _ in range(_ROUNDS):  # the higher the price, the fewer are worth it
        middle = (low + high) // 2
        fewer = left_out(middle)
        if len(fewer) > most:
            low = middle
        else:
            high, gone = middle, fewer
    return gone


def _skipped(walk: I8, behind: I8) -> I8:
    """The records that no class of the cheapest way holds."""
    gone, at = [], len(behind) - 1
    while at > 0:
        if behind[at] < 0:
            gone.append(int(walk[at - 1]))
            at -= 1
        else:
            at = int(behind[at])
    return np.array(gone, dtype=np.int64)
