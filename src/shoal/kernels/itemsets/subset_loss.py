"""Utility loss: of the sets of items that a published record may stand for, how many one item leaves open.

start, items : int64[n + 1], int32  the baskets; items are codes 0 .. width-1
form         : int32[width]         what each item is published as; -1 not at all
size         : int64[width]         how many items the form of each item stands for
"""

import numpy as np

from shoal.kernels.jit import njit
from shoal.kernels.types import I4, I8

__all__ = ["subset_loss"]


@njit
def subset_loss(start: I8, items: I4, form: I4, size: I8, forms: int) -> float:
    """The sum over all records of UL: sum over forms g of (2^|g| - 1) / (2^s - 1).

    s is the sum of |g| over all forms of the record. Written as 2^(|g| - s) (1 - 2^-|g|) / (1 - 2^-s), so that
    nothing overflows. A record none of whose items is published loses everything: 1.
    """
    seen = np.full(forms, -1, dtype=np.int64)
    total = 0.0
    for i in range(len(start) - 1):
        begin, end = start[i], start[i + 1]
        s = 0
        for p in range(begin, end):
            f = form[items[p]]
            if f >= 0 and seen[f] != i:
                seen[f] = i
                s += size[items[p]]
        if s == 0:
            total += end > begin
            continue
        for p in range(begin, end):
            f, g = form[items[p]], size[items[p]]
            if f >= 0 and seen[f] == i:
                seen[f] = -1
                total += 2.0 ** (g - s) * (1 - 2.0**-g) / (1 - 2.0**-s)
    return total
