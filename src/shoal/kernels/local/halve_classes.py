"""Halve classes column by column, as Mondrian does.

codes : int32[n, d]  see `rates`
joint : int64[...]   column j from `begin[j]`: the level on which value v and value v + 1 meet; where values are not
                     published as nodes all are equal
"""

import numpy as np

from shoal.kernels.arrays import copy_into, ranked
from shoal.kernels.jit import inner, njit
from shoal.kernels.local.class_prices import Rates, enter, open_class, price
from shoal.kernels.local.keeps_claim import Ask, Tally, fits
from shoal.kernels.types import I4, I8

__all__ = ["halve"]


@inner
def _by_price(codes: I4, records: I8, rates: Rates) -> I8:
    """Columns in which the records differ, the most expensive first."""
    d = codes.shape[1]
    low, high = np.empty((2, d), dtype=np.int64)
    open_class(low, high, codes[records[0]], rates)
    differs = np.zeros(d, dtype=np.bool_)
    for i in range(1, len(records)):
        enter(low, high, codes[records[i]], rates)
        for j in range(d):
            differs[j] |= codes[records[i], j] != codes[records[0], j]
    paid = np.empty(d, dtype=np.int64)
    for j in range(d):
        paid[j] = price(j, low[j], high[j], rates)
    columns = ranked(-paid)  # stable: of equal prices the first column
    different: I8 = columns[differs[columns]]
    return different


@inner
def _evenest(values: I8, joint: I8) -> int:
    """How many of the rising `values` lie left of the most even cut between children of their common node."""
    widest = 0
    for v in range(values[0], values[-1]):
        widest = max(widest, joint[v])
    best = 0
    for i in range(1, len(values)):
        if values[i] != values[i - 1] and abs(len(values) - 2 * i) < abs(len(values) - 2 * best):
            for v in range(values[i - 1], values[i]):
                if joint[v] == widest:
                    best = i
                    break
    return best


@inner
def _halved(
    codes: I4, records: I8, rates: Rates, begin: I8, joint: I8, strict: bool, ask: Ask, tally: Tally | None
) -> int:
    """Order `records` so that its first so many are one half; 0 where no column can be cut."""
    columns = _by_price(codes, records, rates)
    values = np.empty(len(records), dtype=np.int64)
    for q in range(len(columns)):
        j = columns[q]
        for i in range(len(records)):
            values[i] = codes[records[i], j]
        order = ranked(values)
        left = _evenest(values[order], joint[begin[j] :]) if strict else len(records) // 2
        sorted_records = records[order]
        if left > 0 and fits(sorted_records[:left], ask, tally) and fits(sorted_records[left:], ask, tally):
            copy_into(records, 0, sorted_records)
            return left
    return 0


@njit
def halve(
    codes: I4, rates: Rates, begin: I8, joint: I8, strict: bool, ask: Ask, tally: Tally | None, done: I8
) -> tuple[I8, I8]:
    """Classes that no cut can divide further: (walk, starts).

    The most expensive column is tried first. A strict cut lies between two values, as near to the median as the
    children of the class's node allow; a relaxed one at the median, equal values going to both sides. `done`, int64[1],
    shows how many records are in such classes already.
    """
    n = len(codes)
    walk, starts = np.arange(n), np.zeros(n + 1, dtype=np.int64)
    open_end = np.empty(n + 1, dtype=np.int64)  # a stack: the part from `at` to its top is the next to halve
    open_end[0], depth, at, made = n, 1, 0, 0
    while depth > 0:
        end = open_end[depth - 1]
        left = 0
        if end - at >= 2 * ask.k:
            left = _halved(codes, walk[at:end], rates, begin, joint, strict, ask, tally)
        if left > 0:
            open_end[depth] = at + left
            depth += 1
        else:
            depth -= 1
            made += 1
            at = starts[made] = done[0] = end
    return walk, starts[: made + 1].copy()
