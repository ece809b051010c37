"""k random disjoint assignments of originals to rows, and one of them drawn."""

import os

import numpy as np

from shoal.algorithms.ring._kernels.assignments import BACKTRACK, CLOSED, PAPER, extract, split
from shoal.algorithms.ring._kernels.chance import SEED, chance
from shoal.data.types import I4, I8
from shoal.progress import Progress, rising, silent

__all__ = ["WALKS", "assignments", "randomness", "ring"]

WALKS = {"closed": CLOSED, "paper": PAPER, "backtrack": BACKTRACK}


def randomness(rng: np.random.Generator | None) -> I8:
    """A random state for kernels, keyed by the operating system unless a generator is given for tests and papers."""
    return chance(os.urandom(SEED) if rng is None else rng.bytes(SEED))


def ring(n: int, k: int) -> I4:
    """The k-regular ring: place u of the order is linked to itself and the k - 1 places behind it."""
    return ((np.arange(n)[:, None] + np.arange(k)) % n).astype(np.int32)


def assignments(edges: I4, state: I8, *, walk: str = "closed", progress: Progress = silent) -> I4:
    """Split a k-regular graph in k disjoint assignments at random: int32[k, n].

    Parameters
    ----------
    edges : int32[n, k]
        The rows that each original is linked to; every row occurs k times in all.
    state : int64
        Random state.
    walk : {"closed", "paper", "backtrack"}
        Closed walks take one assignment out of a graph of odd degree and split a graph of even degree in halves,
        so that most edges are walked only once per halving. The paper's closed walks take out one assignment after
        another, and each ends only where it began. Backtracking does that by walks that never enter an original
        twice (WMC). These two are baselines.
    """
    done: list[I4] = []
    waiting, tell = [edges], rising(progress, "drawing assignments")
    while waiting:
        graph = waiting.pop()
        tell(len(done) / edges.shape[1])
        if graph.shape[1] == 1:
            done.append(graph[:, 0])
        elif graph.shape[1] % 2 or walk != "closed":
            found, rest, _ = extract(graph, state, WALKS[walk])
            done.append(found)
            waiting.append(rest)
        else:
            waiting.extend(split(graph, state))
    return np.stack(done)
