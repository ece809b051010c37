"""Matching classes of equal things with each other, as many of each as there are."""

import numpy as np
import scipy  # its parts come when they are used

from shoal.data.types import I8

__all__ = ["largest_flow"]


def largest_flow(left: I8, right: I8, supply: I8, demand: I8) -> I8:
    """The flow on each pair (left, right) of a largest matching that respects the multiplicities of both sides.

    >>> pairs = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> largest_flow(*pairs, np.array([2, 1]), np.array([1, 2])).tolist()
    [1, 1, 1]
    """
    n, m = len(supply), len(demand)
    if not len(left):
        return left
    tail = np.r_[np.full(n, n + m), left, n + np.arange(m)]
    head = np.r_[np.arange(n), n + right, np.full(m, n + m + 1)]
    roof = np.r_[supply, np.minimum(supply[left], demand[right]), demand].astype(np.int32)
    graph = scipy.sparse.csr_array((roof, (tail, head)), shape=(n + m + 2, n + m + 2))
    flow = scipy.sparse.csgraph.maximum_flow(scipy.sparse.csr_matrix(graph), n + m, n + m + 1).flow
    return np.asarray(flow[left, n + right], dtype=np.int64).ravel()
