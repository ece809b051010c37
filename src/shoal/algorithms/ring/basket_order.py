"""Orders in which neighbouring baskets are alike: Gray, Gray-TSP, band matrix."""

from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from shoal.algorithms.ring._kernels.bitmaps import distances, hops, random_permutation
from shoal.algorithms.ring._kernels.orders import cuts, evolve, improve, nearest_tour, neighbours
from shoal.base.errors import InputError
from shoal.base.progress import Progress, no_progress, start_step
from shoal.data import Baskets
from shoal.data.arrays import I4, I8, row_of_entry

__all__ = ["DIGITS", "band_order", "gray_order", "gray_tsp_order", "rank_by_evenness", "rank_digits"]

DIGITS = ("even", "frequent", "rare", "numbered")


_PAIRS = 100_000_000  # pairs of records sharing an item that a band matrix may hold


def rank_digits(baskets: Baskets, digits: str = "even") -> I8:
    """The rank of each item as a digit: by default items that divide the records most evenly come first.

    Records that agree in the first digits stay together in the order, so these digits should tell as much as a bit can.

    >>> drinks = Baskets.of("drinks", [["ale", "tea"], ["rum", "tea"], ["tea"], ["ale", "tea"], ["tea"]])
    >>> {digits: rank_digits(drinks, digits).tolist() for digits in DIGITS}
    {'even': [0, 1, 2], 'frequent': [1, 2, 0], 'rare': [1, 0, 2], 'numbered': [0, 1, 2]}
    """
    count = np.bincount(baskets.items, minlength=len(baskets.values))
    if digits == "even":
        return rank_by_evenness(count, baskets.n)
    return _rank_items({"frequent": -count, "rare": count, "numbered": np.zeros_like(count)}[digits])


def rank_by_evenness(count: I8, n: int) -> I8:
    """The same from how many of n records hold each item."""
    return _rank_items(np.abs(2 * count - n))


def _rank_items(key: I8) -> I8:
    """The place of each item by its key; of equals the first as numbered."""
    order = np.argsort(key, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def gray_order(baskets: Baskets, rank: I8 | None = None, first: I8 | None = None) -> I8:
    """Sort the records by the rank of their bitmaps in the reflected binary code.

    The first item in which two bitmaps differ decides which one comes first: the one without it if the number of items
    before it is even, the other one if it is odd. So the rank compares like the text b-i1, i2, b-i3, ... of a basket's
    items i1 < i2 < ... below b, ended by a letter that lies below all others or above them all.

    Parameters
    ----------
    baskets : Baskets
    rank : int64[items], optional
        Which digit of the code each item is, 0 the most significant; by default items are taken as numbered.
    first : int64[n], optional
        A permutation of the records that settles the order of equal ones.

    Examples
    --------
    >>> sports = Baskets.of("likes", [["jogging", "swimming"], [], ["swimming"], ["jogging"]])
    >>> gray_order(sports).tolist()  # 00, 01, 11, 10
    [1, 2, 0, 3]
    """
    n, width = baskets.n, len(baskets.values)
    size = np.diff(baskets.start)
    record = row_of_entry(baskets.start)
    digit = baskets.items.astype(np.int64)
    if rank is not None:
        digit = np.sort(record * width + rank[digit]) - record * width
    position = np.arange(len(digit)) - baskets.start[record]
    letters = np.empty(len(digit) + n, dtype=">u4")
    letters[np.arange(len(digit)) + record] = np.where(position % 2 == 0, width - digit, digit)
    ends = baskets.start[1:] + np.arange(n)
    letters[ends] = np.where(size % 2 == 0, 0, width)
    text = letters.tobytes()
    bounds = np.r_[0, 4 * (ends + 1)].tolist()
    keys = [text[bounds[i] : bounds[i + 1]] for i in range(n)]
    return np.array(sorted(range(n) if first is None else first, key=keys.__getitem__), dtype=np.int64)


def _cut_segments(gaps: I8, least: int, most: int) -> I8:
    """Cut an order where the hops are short: int64[s + 1] starts, segments of `least` to `most` records.

    `gaps` holds the hops from each record to the next. Where no such sizes add up, segments may be shorter.

    >>> _cut_segments(np.array([9, 1, 9, 9, 9]), 2, 3).tolist()
    [0, 2, 5]
    """
    n = len(gaps)
    parts = -(-n // most)
    return cuts(gaps, min(least, n // parts), most)


def gray_tsp_order(
    baskets: Baskets,
    state: I8,
    *,
    tsp: str = "greedy",
    segment: int = 300,
    digits: str = "even",
    progress: Progress = no_progress,
) -> I8:
    """The Gray order, in which the records inside each segment are reordered to shorten the hops.

    Equal baskets are ordered at random, so that the file's order tells nothing. By `tsp` records are reordered by
    nearest neighbour, then 2-opt and Or-opt; by the paper's genetic algorithm; or not. The other options are those of
    `nonreciprocal`.
    """
    progress("sorting baskets by their Gray code")
    order = gray_order(baskets, rank_digits(baskets, digits), random_permutation(state, baskets.n))
    if tsp == "none":
        return order
    starts = _cut_segments(hops(baskets.start, baskets.items, order), segment, segment + max(segment // 6, 1))
    scratch = np.zeros(len(baskets.values), dtype=np.int32)
    tell = start_step(progress, "shortening the hops")
    for lo, hi in pairwise(starts.tolist()):
        tell(lo / baskets.n)
        members = order[lo:hi].copy()
        distance = distances(baskets.start, baskets.items, members, scratch)
        order[lo:hi] = members[_find_path(distance, tsp, state)]
    return order


def _find_path(distance: I4, tsp: str, state: I8) -> I8:
    near = neighbours(distance)
    if tsp == "genetic":
        return evolve(distance, near, state)
    path = nearest_tour(distance)
    improve(distance, near, path, True)
    return path


def band_order(baskets: Baskets) -> I8:
    """Bring records that share items near the diagonal: reverse Cuthill-McKee on the records' common items.

    Raises
    ------
    InputError
        More pairs of records share items than can be held.
    """
    count = np.bincount(baskets.items, minlength=len(baskets.values))
    pairs = float(np.square(count, dtype=np.float64).sum())
    if pairs > _PAIRS:
        raise InputError(
            f"order 'band': some {pairs:.0f} pairs of records share items, more than {_PAIRS}; use order 'gray'"
        )
    shape = (baskets.n, len(baskets.values))
    item_matrix = sparse.csr_array(
        (np.ones(len(baskets.items), dtype=np.int32), baskets.items, baskets.start), shape=shape
    )
    common = sparse.csr_matrix(item_matrix @ item_matrix.T)
    return np.asarray(csgraph.reverse_cuthill_mckee(common, symmetric_mode=True), dtype=np.int64)
