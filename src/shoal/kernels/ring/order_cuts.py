"""The cheapest way to cut an order in segments of bounded size, by dynamic programming."""

import numpy as np

from shoal.kernels.jit import njit
from shoal.kernels.types import I8

__all__ = ["cuts"]


@njit
def cuts(gaps: I8, least: int, most: int) -> I8:
    """Starts of the segments, and the end, that cost the smallest sum of gaps cut: Equation 1 of the paper.

    gaps : int64[n]   the hop from each place to the next; a cut in front of place j costs gaps[j - 1]

    Sizes from `least` to `most` must be able to add up to n. Of equal sums the one with longer last segments
    wins.
    """
    n = len(gaps)
    never = np.iinfo(np.int64).max
    cost = np.full(n + 1, never)  # of the cheapest way to cut the first i places, and the cut behind them
    came = np.zeros(n + 1, dtype=np.int64)
    cost[0] = 0
    for i in range(least, n + 1):
        for j in range(max(i - most, 0), i - least + 1):
            if cost[j] < cost[i]:
                cost[i], came[i] = cost[j], j
        if cost[i] < never and i < n:
            cost[i] += gaps[i - 1]
    parts, i = 0, n
    while i > 0:
        i = came[i]
        parts += 1
    starts = np.empty(parts + 1, dtype=np.int64)
    i = n
    for part in range(parts, -1, -1):
        starts[part] = i
        i = came[i]
    return starts
