"""Cut an order of records into classes at the least cost.

codes  : int32[n, d]   see `rates`
walk   : int64[n]      records in an order in which neighbours are alike
bounds : int64[b + 1]  the only places where the walk may be cut, from 0 to n
"""

import numpy as np

from shoal.kernels.jit import njit
from shoal.kernels.local.class_prices import Rates, cost, enter, open_class
from shoal.kernels.local.keeps_claim import Ask, Tally, add, meets, remove
from shoal.kernels.types import I4, I8

__all__ = ["NEVER", "class_costs", "cut_walk"]


NEVER = 1 << 62
"""A price that nothing is worth."""


@njit
def cut_walk(
    codes: I4, walk: I8, bounds: I8, most: int, skip: int, rates: Rates, ask: Ask, tally: Tally | None
) -> tuple[I8, I8]:
    """The cheapest classes of consecutive records that keep the claim, of at most `most` records each.

    One record may be left out for the price `skip`. Dynamic programming: the best way to end at a bound is a
    class behind the best way to end where the class begins. Of equal costs the shorter class wins.

    Returns
    -------
    best : int64[b + 1]
        The least cost of the walk up to each bound; `NEVER` where there is none.
    behind : int64[b + 1]
        The bound at which the class that ends here begins; -1 where a record is left out.
    """
    best = np.full(len(bounds), NEVER, dtype=np.int64)
    behind = np.full(len(bounds), -1, dtype=np.int64)
    low, high = np.empty((2, codes.shape[1]), dtype=np.int64)
    best[0] = 0
    for end in range(1, len(bounds)):
        stop = bounds[end]
        open_class(low, high, codes[walk[stop - 1]], rates)
        at = stop
        for begin in range(end - 1, -1, -1):
            if stop - bounds[begin] > most:
                break
            while at > bounds[begin]:
                at -= 1
                enter(low, high, codes[walk[at]], rates)
                add(walk[at], ask, tally)
            if best[begin] == NEVER or stop - at < ask.k:
                continue
            paid = best[begin] + (stop - at) * cost(low, high, rates)
            if paid < best[end] and meets(walk[at:stop], ask, tally):
                best[end], behind[end] = paid, begin
        for i in range(at, stop):
            remove(walk[i], ask, tally)
        if best[end - 1] != NEVER and best[end - 1] + skip < best[end]:
            best[end], behind[end] = best[end - 1] + skip, -1
    return best, behind


@njit
def class_costs(codes: I4, walk: I8, starts: I8, rates: Rates) -> I8:
    """What all records of each class pay together; class c is walk[starts[c] : starts[c + 1]]."""
    paid = np.empty(len(starts) - 1, dtype=np.int64)
    low, high = np.empty((2, codes.shape[1]), dtype=np.int64)
    for c in range(len(paid)):
        open_class(low, high, codes[walk[starts[c]]], rates)
        for i in range(starts[c] + 1, starts[c + 1]):
            enter(low, high, codes[walk[i]], rates)
        paid[c] = (starts[c + 1] - starts[c]) * cost(low, high, rates)
    return paid
