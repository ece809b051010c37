"""Rows published by bit voting, over windows of a ring, over the edges of a graph, or over blocks."""

from collections.abc import Iterator

import numpy as np

from shoal.algorithms.ring._kernels.bitmaps import vote
from shoal.data import Baskets
from shoal.data.lists import owners, take
from shoal.data.types import I4, I8
from shoal.progress import Progress, rising, silent
from shoal.release import Bitmaps

__all__ = ["vote_blocks", "vote_edges", "vote_ring"]


_AT_ONCE = 1 << 17  # preimages listed at once


def vote_ring(baskets: Baskets, order: I8, k: int, rows: I8, progress: Progress = silent) -> Bitmaps:
    """Row j is voted by the k places of the order that end with j; `rows` tells whose label each row carries."""
    tell = rising(progress, "voting")

    def windows() -> Iterator[I8]:
        n = baskets.n
        step = max(1, _AT_ONCE // k)
        for at in range(0, n, step):
            tell(at / n)
            yield order[(np.arange(at, min(at + step, n))[:, None] - np.arange(k)) % n]

    return _bitmaps(baskets, windows(), rows)


def vote_edges(baskets: Baskets, order: I8, edges: I4, rows: I8) -> Bitmaps:
    """Row j is voted by the places u of the order with j among edges[u]."""
    n, k = edges.shape
    into = np.argsort(edges.ravel(), kind="stable").reshape(n, k) // k
    return _bitmaps(baskets, iter([order[into]]), rows)


def vote_blocks(baskets: Baskets, order: I8, start: I8, place: I8, rows: I8) -> Bitmaps:
    """Every row of a block is voted by the whole block; row place[u] stands for place u of the order."""
    shown, items, doubted, maybe, errors = vote(
        baskets.start, baskets.items, len(baskets.values), start, order
    )
    block = np.empty(baskets.n, dtype=np.int64)
    block[place] = owners(start)
    return Bitmaps(
        baskets.values,
        *take(shown, items, block),
        *take(doubted, maybe, block),
        errors[block],
        rows,
        baskets.n,
    )


def _bitmaps(baskets: Baskets, windows: Iterator[I8], rows: I8) -> Bitmaps:
    """Vote over the rows of int64[m, k] arrays of records, and join what comes out."""
    parts = []
    for window in windows:
        starts = np.arange(0, window.size + 1, window.shape[1])
        parts.append(vote(baskets.start, baskets.items, len(baskets.values), starts, window.ravel()))
    shown, items, doubted, maybe, errors = zip(*parts, strict=True)
    return Bitmaps(
        baskets.values,
        _chained(shown),
        np.concatenate(items),
        _chained(doubted),
        np.concatenate(maybe),
        np.concatenate(errors),
        rows,
        baskets.n,
    )


def _chained(starts: tuple[I8, ...]) -> I8:
    """The starts of lists one behind the other."""
    return np.cumsum(np.concatenate([[0], *map(np.diff, starts)]))
