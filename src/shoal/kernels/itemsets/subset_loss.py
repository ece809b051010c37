"""Utility loss: of the sets of items that a published record may stand for, how many one item leaves open.

start, items : int64[n + 1], int32  the baskets; items are codes 0 .. width-1
form         : int32[width]         what each item is published as; -1 not at all
size         : int64[width]         how many items the form of each item stands for
worth        : float64[width]       how much the form of each item matters, 0 to 1
"""

import numpy as np

from shoal.kernels.jit import njit
from shoal.kernels.types import F8, I4, I8

__all__ = ["subset_loss"]


@njit
def subset_loss(start: I8, items: I4, form: I4, size: I8, worth: F8, forms: int, whole: int) -> float:
    """The sum over all records of UL: sum over forms g of (2^|g| - 1) w(g) / (2^s - 1).

    s is the sum of |g| over all forms of the record. Written as 2^(|g| - s) (1 - 2^-|g|) / (1 - 2^-s), so that
    nothing overflows. What is not published of a record counts as one form of weight 1 that may be any of the `whole`
    of all items: a record none of whose items is published loses 1.
    """
    seen = np.full(forms, -1, dtype=np.int64)
    total = 0.0
    for i in range(len(start) - 1):
        begin, end = start[i], start[i + 1]
        s, gone = 0, 0
        for p in range(begin, end):
            f = form[items[p]]
            if f < 0:
                gone = whole
            elif seen[f] != i:
                seen[f] = i
                s += size[items[p]]
        s += gone
        if gone:
            total += 2.0 ** (gone - s) * (1 - 2.0**-gone) / (1 - 2.0**-s)
        for p in range(begin, end):
            f, g = form[items[p]], size[items[p]]
            if f >= 0 and seen[f] == i:
                seen[f] = -1
                total += worth[items[p]] * 2.0 ** (g - s) * (1 - 2.0**-g) / (1 - 2.0**-s)
    return total
