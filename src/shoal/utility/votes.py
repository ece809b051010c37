"""Losses of baskets published by vote: flipped items, and counts that go wrong.

All of them compare the published items with the originals behind the rows, so they are for the audit only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts come when they are used

from shoal.data import Baskets
from shoal.data.arrays import I4, I8
from shoal.errors import InputError
from shoal.release import Bitmaps

__all__ = [
    "ABSENT",
    "Band",
    "bands",
    "er",
    "er_by_frequency",
    "flips_by_item",
    "hop",
    "qe",
    "qe_absent",
    "qe_present",
    "workload",
]


ABSENT = 4
"""How many items are absent that a query of the audit asks for, unless it is said."""
_BOUNDS = (0.001, 0.01, 0.1, 0.5, 1.0)  # shares of the records that hold an item
_QUERIES = 500
_SEED = 20120812  # of the workloads; what is asked is no secret


@dataclass(frozen=True, slots=True)
class Band:
    """Items of like frequency, and what became of them.

    low, high : the items are in more than `low` and at most `high` of the records
    items     : how many items
    held      : how often originals hold one
    lost      : how often a row lacks one that its original holds
    added     : how often a row has one that its original lacks
    """

    low: float
    high: float
    items: int
    held: int
    lost: int
    added: int

    @property
    def er(self) -> float:
        """Flips by what originals hold."""
        return (self.lost + self.added) / self.held


def er(release: Bitmaps, baskets: Baskets) -> float:
    """Error rate: the mean over records of items flipped in the row by items in the original.

    An empty basket counts as one item, so that its flips can be divided.

    References
    ----------
    .. [1] Xue, Karras, Raissi, Vaidya, Tan. Anonymizing set-valued data by nonreciprocal recoding. KDD 2012, Sec. 5.1.
    """
    original, published = _matrices(release, baskets)
    common = np.diff(original.multiply(published).tocsr().indptr)
    size = np.diff(original.indptr)
    flips = size + np.diff(published.indptr) - 2 * common
    return float((flips / np.maximum(size, 1)).mean())


def er_by_frequency(release: Bitmaps, baskets: Baskets, bounds: Sequence[float] = _BOUNDS) -> list[Band]:
    """What becomes of rare and of frequent items: one band for the items between two bounds; empty ones left out."""
    return bands(flips_by_item(release, baskets), baskets.n, bounds)


def bands(flips: tuple[I8, I8, I8], n: int, bounds: Sequence[float] = _BOUNDS) -> list[Band]:
    """The same of what `flips_by_item` counted in n records."""
    share = flips[0] / max(n, 1)
    found = []
    for low, high in zip((0.0, *bounds[:-1]), bounds, strict=True):
        inside = (share > low) & (share <= high)
        if inside.any():
            counts = (int(part[inside].sum()) for part in flips)
            found.append(Band(low, high, int(inside.sum()), *counts))
    return found


def flips_by_item(release: Bitmaps, baskets: Baskets) -> tuple[I8, I8, I8]:
    """For each item: how often originals hold it, how often their row lacks it, how often another row has it."""
    original, published = _matrices(release, baskets)
    many = len(baskets.values)
    held, shown = (np.bincount(m.indices, minlength=many) for m in (original, published))
    both = np.bincount(original.multiply(published).tocsr().indices, minlength=many)
    return held, held - both, shown - both


def workload(
    baskets: Baskets, size: int, queries: int = _QUERIES, rng: np.random.Generator | None = None
) -> I8:
    """Random queries: int64[queries, size], each so many different items, all items equally likely.

    Without `rng` the workload is the same for the same number of items.
    """
    if not 1 <= size <= len(baskets.values):
        raise InputError(
            f"workload: queries of {size} items, and there are {len(baskets.values)}; ask for fewer"
        )
    rng = np.random.default_rng(_SEED) if rng is None else rng
    return np.stack([rng.choice(len(baskets.values), size, replace=False) for _ in range(queries)])


def qe(release: Bitmaps, baskets: Baskets, queries: I8, *, absent: bool = False) -> float:
    """Query error: the mean over queries of |count in originals - count in rows| / n.

    A query counts records that hold all its items (type I), or, with `absent`, none of them (type II).

    References
    ----------
    .. [1] Xue, Karras, Raissi, Vaidya, Tan. Anonymizing set-valued data by nonreciprocal recoding. KDD 2012, Sec. 5.2.
    """
    counts = [_counts(matrix.tocsc(), queries, absent) for matrix in _matrices(release, baskets)]
    return float(np.abs(counts[0] - counts[1]).mean() / max(baskets.n, 1))


def qe_present(release: Bitmaps, baskets: Baskets) -> float:
    """`qe` of five hundred queries for items that are present: three of dense baskets, one of sparse ones."""
    if not baskets.values:  # nothing to ask for
        return 0.0
    return qe(release, baskets, workload(baskets, _present(baskets)))


def qe_absent(release: Bitmaps, baskets: Baskets, size: int = ABSENT) -> float:
    """`qe` of five hundred queries for so many items that are absent, or for all items where there are fewer."""
    if not baskets.values:
        return 0.0
    return qe(release, baskets, workload(baskets, min(size, len(baskets.values))), absent=True)


def hop(baskets: Baskets, order: I8) -> float:
    """The mean Hamming distance from each basket of an order to the next, the last to the first."""
    held = _matrix(baskets.start, baskets.items, len(baskets.values))
    here, there = held[order], held[np.roll(order, -1)]
    common = np.diff(here.multiply(there).tocsr().indptr)
    return float((np.diff(here.indptr) + np.diff(there.indptr) - 2 * common).mean())


def _present(baskets: Baskets) -> int:
    """How many items a query asks for: few enough that some records hold them all, as the paper chooses."""
    dense = len(baskets.items) > 0.1 * baskets.n * len(baskets.values)
    return min(3 if dense else 1, len(baskets.values))


def _counts(by_item: "scipy.sparse.csc_array", queries: I8, absent: bool) -> I8:
    """How many records hold all items of each query, or none of them."""
    held = np.zeros(by_item.shape[0], dtype=np.int64)
    found = np.empty(len(queries), dtype=np.int64)
    for q, query in enumerate(queries):
        held[:] = 0
        for item in query:
            held[by_item.indices[by_item.indptr[item] : by_item.indptr[item + 1]]] += 1
        found[q] = (held == (0 if absent else len(query))).sum()
    return found


def _matrices(release: Bitmaps, baskets: Baskets) -> "tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]":
    """The original behind each row, and the row."""
    width = len(baskets.values)
    return (
        _matrix(baskets.start, baskets.items, width)[release.rows],
        _matrix(release.start, release.items, width),
    )


def _matrix(start: I8, items: I4, width: int) -> "scipy.sparse.csr_array":
    return scipy.sparse.csr_array(
        (np.ones(len(items), dtype=np.int32), items, start), shape=(len(start) - 1, width)
    )
