"""Possible worlds of baskets published by vote: which originals a row may stem from, and in which matchings.

An original *fits* a row when flipping at most `errors` of the row's uncertain items turns what the row
publishes into it. A fit *counts* when it lies in some perfect matching of originals and rows, since only such
a fit can be the truth: one matching is found, and a fit counts exactly if both its ends lie in one strongly
connected component of the matching's residual graph.

Equal originals are one node with a multiplicity, and so are equal rows: a million identical baskets are a
graph of one edge. "Matching" then means an integral flow that fills every multiplicity.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy  # its parts come when they are used

from shoal.data.arrays import B1, I8, U8, owners
from shoal.errors import InputError
from shoal.release import PublishedBits

__all__ = [
    "EqualThings",
    "PossibleWorlds",
    "VoteRows",
    "equal_rows",
    "largest_flow",
    "matrix",
    "originals_of",
    "pairs_fit",
    "possible_worlds",
    "width_of",
]

_BYTES = 1 << 26  # of a block of row bitmaps
_RARE = 16  # items of an original that are looked up in bitmaps
_PAIRS = 1 << 21  # pairs compared at once
_MOST = 40_000_000  # fits that are held
_PART = 1 << 31  # parts the two counts of a packed sum; no basket holds so many items


@dataclass(frozen=True, slots=True)
class EqualThings:
    """Classes of equal things: the class of each, one member of each class, and how many there are."""

    of: I8
    heads: I8
    count: I8


@dataclass(frozen=True, slots=True)
class PossibleWorlds:
    """Every fit between classes of equal originals and classes of equal rows, and whether it counts.

    original, row : int64[fits]  classes at the ends of a fit
    counts        : bool[fits]   it lies in a perfect matching
    complete      : whether there is a perfect matching at all
    """

    originals: EqualThings
    rows: EqualThings
    original: I8
    row: I8
    counts: B1
    complete: bool


def possible_worlds(published: PublishedBits) -> PossibleWorlds | None:
    """Find all fits and those that count; None when there are too many to hold.

    Originals must be given, as many as rows.
    """
    originals, rows = _numbered(_slices(*originals_of(published))), equal_rows(published)
    fits = _fits(published, originals, rows)
    if fits is None:
        return None
    flow = largest_flow(*fits, originals.count, rows.count)
    total = int(flow.sum())
    counts = _counting(*fits, flow, len(originals.count), len(rows.count))
    return PossibleWorlds(originals, rows, *fits, counts, total == int(rows.count.sum()))


def originals_of(published: PublishedBits) -> tuple[I8, I8]:
    """The originals, start and items; whoever asks has made sure that there are any."""
    if published.original_start is None or published.original_items is None:
        raise InputError(
            "judge: the originals are not given; nonreciprocal recoding can only be judged together with them"
        )
    return published.original_start, published.original_items


def matrix(start: I8, items: I8, width: int) -> "scipy.sparse.csr_array":
    """Baskets as a 0/1 matrix; repeats within a basket collapse."""
    shape = (len(start) - 1, width)
    found = scipy.sparse.csr_array(
        (np.ones(len(items), dtype=np.int64), items, start), shape=shape, copy=True
    )
    found.sum_duplicates()
    found.data[:] = 1
    return found


@dataclass(frozen=True, slots=True)
class VoteRows:
    """Published rows, ready to be compared with baskets.

    may            : 1 for an item that the row may hold
    core           : 1 for an item that the row shows, and much more where it must hold it
    certain, shown : int64[n]  how many items a row must hold, and shows
    errors         : int64[n]  how many of its uncertain items may be flipped
    """

    may: "scipy.sparse.csr_array"
    core: "scipy.sparse.csr_array"
    certain: I8
    shown: I8
    errors: I8

    @classmethod
    def of(cls, published: PublishedBits, width: int) -> "VoteRows":
        """Take the rows of a release whose items are numbered below `width`."""
        shown = matrix(published.start, published.items, width)
        maybe = matrix(published.maybe_start, published.maybe, width)
        doubted = shown.multiply(maybe)
        certain = (shown - doubted).tocsr()
        may = (maybe + certain).tocsr()
        core = (shown + _PART * certain).tocsr()
        sizes = np.asarray(certain.sum(axis=1)).ravel(), np.diff(shown.indptr).astype(np.int64)
        return cls(may, core, *sizes, published.errors)

    def __getitem__(self, rows: I8) -> "VoteRows":
        return VoteRows(
            self.may[rows], self.core[rows], self.certain[rows], self.shown[rows], self.errors[rows]
        )


def pairs_fit(baskets: "scipy.sparse.csr_array", rows: VoteRows) -> B1:
    """For each pair, whether the basket fits the row."""
    return _near(baskets, rows.core, rows.certain, rows.shown, rows.errors) & _inside(baskets, rows.may)


def _near(
    baskets: "scipy.sparse.csr_array", core: "scipy.sparse.csr_array", certain: I8, shown: I8, errors: I8
) -> B1:
    """For each pair, whether the basket holds what the row must hold, and differs in no more items than allowed."""
    common = np.asarray(baskets.multiply(core).sum(axis=1)).ravel()
    differing = np.diff(baskets.indptr) + shown - 2 * (common % _PART)
    return np.asarray((common // _PART == certain) & (differing <= errors))


def _inside(baskets: "scipy.sparse.csr_array", may: "scipy.sparse.csr_array") -> B1:
    """For each pair, whether the basket holds only what the row may hold."""
    return np.asarray(np.diff(baskets.multiply(may).tocsr().indptr) == np.diff(baskets.indptr))


def width_of(published: PublishedBits) -> int:
    """One more than the largest item number."""
    parts = (published.items, published.maybe, published.original_items)
    return max(int(part.max(initial=-1)) for part in parts if part is not None) + 1


def equal_rows(published: PublishedBits) -> EqualThings:
    """Group rows that publish the same items, doubts and errors."""
    parts = (_slices(published.start, published.items), _slices(published.maybe_start, published.maybe))
    return _numbered(zip(*parts, published.errors.tolist(), strict=True))


def _slices(start: I8, items: I8) -> Iterator[bytes]:
    return (items[a:b].tobytes() for a, b in pairwise(start))


def _numbered(keys: Iterable[object]) -> EqualThings:
    """Group equal keys."""
    seen = dict[object, int]()
    of = np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.int64)
    heads = np.empty(len(seen), dtype=np.int64)
    heads[of[::-1]] = np.arange(len(of))[::-1]
    return EqualThings(of, heads, np.bincount(of, minlength=len(seen)))


def _fits(published: PublishedBits, originals: EqualThings, rows: EqualThings) -> tuple[I8, I8] | None:
    """Every pair of classes that fit, by original."""
    width = width_of(published)
    baskets = matrix(*originals_of(published), width)[originals.heads]
    forms = VoteRows.of(published, width)[rows.heads]
    size = np.diff(baskets.indptr)
    found: list[tuple[I8, I8]] = []
    held = 0
    for a, b in _candidates(baskets, forms.may):
        some = (np.abs(size[a] - forms.shown[b]) <= forms.errors[b]) & (forms.certain[b] <= size[a])
        a, b = a[some], b[some]
        keep = _near(baskets[a], forms.core[b], forms.certain[b], forms.shown[b], forms.errors[b])
        large = np.flatnonzero(keep & (size[a] > _RARE))  # of the others every item was looked up
        keep[large] = _inside(baskets[a[large]], forms.may[b[large]])
        found.append((a[keep], b[keep]))
        held += int(keep.sum())
        if held > _MOST:
            return None
    a, b = (np.concatenate(part) for part in zip(*found, strict=True))
    return a, b


def _candidates(baskets: "scipy.sparse.csr_array", may: "scipy.sparse.csr_array") -> Iterator[tuple[I8, I8]]:
    """Pairs of which the row may hold the basket's rarest items: all fits are among them.

    Rows are taken in blocks; in a block every item has a bitmap of the rows that may hold it.
    """
    rare = _rarest(baskets, np.bincount(may.indices, minlength=may.shape[1]))
    size = max(_BYTES // (may.shape[1] + 1) // 8 * 64, 64)
    pending: list[tuple[I8, I8]] = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))]
    waiting = 0
    for block in range(0, may.shape[0], size):
        bitmaps = _bitmaps(may[block : block + size])
        for a in range(len(rare)):
            places = _places(np.bitwise_and.reduce(bitmaps[rare[a]], axis=0))
            pending.append((np.full(len(places), a), places + block))
            waiting += len(places)
            if waiting > _PAIRS:
                yield _joined(pending)
                pending, waiting = pending[:1], 0
    yield _joined(pending)


def _places(words: U8) -> I8:
    """Where the bits are set; most words are zero and are never unpacked."""
    full = np.flatnonzero(words)
    bits = np.unpackbits(words[full].view(np.uint8), bitorder="little")
    ones = np.flatnonzero(bits)
    return np.asarray(full[ones >> 6] * 64 + (ones & 63))


def _joined(pairs: list[tuple[I8, I8]]) -> tuple[I8, I8]:
    a, b = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return a, b


def _rarest(baskets: "scipy.sparse.csr_array", frequency: I8) -> I8:
    """int64[n, at most _RARE]: each basket's rarest items; the extra item `width` fills up short baskets."""
    order = np.lexsort((frequency[baskets.indices], owners(baskets.indptr)))
    items = baskets.indices[order].astype(np.int64)
    depth = min(_RARE, int(np.diff(baskets.indptr).max(initial=0))) or 1
    place = baskets.indptr[:-1, None].astype(np.int64) + np.arange(depth)
    inside = place < baskets.indptr[1:, None]
    return np.where(inside, np.append(items, 0)[np.where(inside, place, len(items))], baskets.shape[1])


def _bitmaps(may: "scipy.sparse.csr_array") -> U8:
    """For each item, the rows of a block as bits; one item more stands for every row."""
    n, width = may.shape
    words = -(-n // 64)
    bits = np.zeros((width + 1, words * 8), dtype=np.uint8)
    row = owners(may.indptr)
    np.bitwise_or.at(bits, (may.indices, row // 8), (1 << row % 8).astype(np.uint8))
    bits[width] = np.packbits(np.arange(words * 64) < n, bitorder="little")
    return bits.view(np.uint64)


def _counting(original: I8, row: I8, flow: I8, n: int, m: int) -> B1:
    """Whether each fit lies in some matching: its ends lie in one component of the residual graph."""
    used = flow > 0
    tail, head = np.r_[original, n + row[used]], np.r_[n + row, original[used]]
    graph = scipy.sparse.csr_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(n + m, n + m))
    _, part = scipy.sparse.csgraph.connected_components(graph, directed=True, connection="strong")
    return np.asarray(part[original] == part[n + row])


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
