"""Blocks of equal rows: a person in a block may be behind any of its rows, whatever is known of the others.

Labels keep a gap along an order, so that they stay different wherever they travel, or are dealt to blocks by chance, so
that whoever knows the method learns nothing from who shares a block with whom. Moving records until labels differ tells
of the labels: a record that lies far from its like was moved, and the record whose place it left has the label that
stood in the way. So the order is cut in segments of several blocks without a look at labels, and inside a segment the
records of each label are dealt to blocks in random order. Of all ways in which a block's labels could be spread over
its people, each is then as likely as every other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # its parts come when they are used

from shoal.algorithms.ring._kernels.bitmaps import shuffled, vote
from shoal.algorithms.ring._kernels.labels import arranged, dealt, inserted, is_spaced, queued
from shoal.data import Baskets, Column
from shoal.data.arrays import F8, I4, I8, owners, prefix_sums, take
from shoal.errors import InfeasibleError, InputError
from shoal.privacy.nonreciprocal import Nonreciprocal
from shoal.progress import Progress, rising, silent
from shoal.release import Bitmaps, Result

__all__ = [
    "Blocks",
    "blocks",
    "chained",
    "check_baskets",
    "check_labels",
    "dealt_blocks",
    "labels_of",
    "release_blocks",
    "segments",
    "spaced_order",
    "spread",
    "vote_edges",
    "vote_ring",
]


def check_baskets(method: str, baskets: Baskets) -> None:
    """Refuse data that a vote cannot publish."""
    if not baskets.n:
        raise InputError(f"{method}: there are no records; give at least one basket")
    if baskets.sensitive:
        raise InputError(
            f"{method}, column '{baskets.name}': it names sensitive items, which a vote publishes like all others; "
            "make them a label column, or use a method for l^m-diversity"
        )


def labels_of(method: str, label: Column, n: int) -> I8:
    """The label of each record as codes 0, 1, ... that all occur, in the order of their texts and not of the file."""
    if len(label.codes) != n:
        raise InputError(f"{method}: {len(label.codes)} labels for {n} records; give every record one")
    gone = np.array([value is None for value in label.values], dtype=bool)[label.codes]
    if gone.any():
        raise InputError(
            f"{method}, column '{label.name}': {gone.sum()} records, first record {gone.argmax() + 1}, have no label, "
            "which counts as no label of its own; give them one, such as 'unknown', or leave them out"
        )
    present = np.unique(label.codes).tolist()
    place = np.zeros(len(label.values), dtype=np.int64)
    place[sorted(present, key=lambda code: str(label.values[code]))] = np.arange(len(present))
    return np.asarray(place[label.codes])


def check_labels(method: str, labels: I8, l: int, allowed: int) -> None:
    """Refuse labels that are too few or too frequent; the message names numbers, never a label."""
    count = np.bincount(labels)
    if l > len(count):
        raise InfeasibleError(f"{method}: l={l} but there are {len(count)} different labels; lower l")
    if count.max() > allowed:
        raise InfeasibleError(
            f"{method}: the most frequent label is on {count.max()} of {len(labels)} records, and at most {allowed} "
            "may have one label; lower k, l or insiders, or leave some of these records out"
        )


def spread(k: int, l: int) -> int:
    """The gap that equal labels must keep on rows so that of any k neighbours at most k // l have one label."""
    return -(-k // (k // l))


def spaced_order(order: I8, labels: I8, gap: int) -> I8:
    """The order with as few records moved as needed so that equal labels keep the gap around the circle.

    A record waits until the last record with its label is far enough behind. Records that find no place go to gaps
    further back. If that fails too, records are placed label by label, even far from similar ones. No label may be on
    more than n // gap records.
    """
    here = labels[order]
    count = int(labels.max()) + 1
    places, left = queued(here, count, gap)
    for label in np.unique(here[left]):
        if len(places):
            places = inserted(here, places, left[here[left] == label], gap)
    if len(places) < len(here) or not is_spaced(here[places], gap):
        places, _ = dealt(here, count, len(here) // gap)
    return np.asarray(order[places])


_LEAST = 4  # blocks of a segment
_RARE = 0.01  # the chance that a segment has too many of one label


def dealt_blocks(order: I8, start: I8, labels: I8, most: int, chance: I8) -> tuple[I8, I8]:
    """Deal records to blocks: the order by blocks, and where blocks start.

    Parameters
    ----------
    order, start : int64[n], int64[blocks + 1]
        Blocks along an order that does not depend on labels; only their number and places are used.
    labels : int64[n]
        The label of each record.
    most : int
        A label is on at most so many records of a block; on at most most * blocks in all.
    chance : int64[n]
        A uniform permutation of the records.

    Examples
    --------
    >>> order, start = dealt_blocks(np.arange(4), np.array([0, 2, 4]), np.array([0, 0, 1, 1]), 1, np.arange(4))
    >>> order.tolist(), start.tolist()
    ([0, 2, 1, 3], [0, 2, 4])
    """
    here = labels[order]
    first = segments(here, start, most)
    of = owners(start[first])
    by_label = np.lexsort((chance[order], here, of))  # segment by segment, label by label, then by chance
    turn = np.arange(len(order)) - start[first][of]
    block = first[of] + turn % np.diff(first)[of]
    inside = by_label[np.argsort(block, kind="stable")]
    return order[inside], prefix_sums(np.bincount(block, minlength=len(start) - 1))


def segments(labels: I8, start: I8, most: int) -> I8:
    """The first blocks of segments, and behind them the number of blocks: int64[segments + 1].

    How many blocks a segment has follows from how frequent labels are, which is public. A segment in which a label is
    on more than most * blocks records is joined with its neighbour.
    """
    blocks, count = len(start) - 1, int(labels.max()) + 1
    many = _many(np.bincount(labels) / len(labels), len(labels) / blocks, most, blocks)
    first: I8 = np.r_[np.arange(max(blocks // many, 1)) * many, blocks]
    while True:
        sizes, of = np.diff(first), owners(start[first])
        pair, found = np.unique(of * count + labels, return_counts=True)
        crowded = np.unique(pair[found > most * sizes[pair // count]] // count)
        if not len(crowded):
            return first
        first = np.delete(first, np.where(crowded + 1 < len(sizes), crowded + 1, crowded))


def _many(share: F8, size: float, most: int, blocks: int) -> int:
    """The blocks of a segment: so many that a label is seldom on more records than it has room for."""
    many = _LEAST
    while many < blocks:
        if scipy.special.bdtrc(most * many, int(size * many), share).sum() <= _RARE:
            return many
        many *= 2
    return blocks


# Rows published by bit voting, over windows of a ring, over the edges of a graph, or over blocks.

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


def _vote_blocks(baskets: Baskets, order: I8, start: I8, place: I8, rows: I8) -> Bitmaps:
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
        chained(shown),
        np.concatenate(items),
        chained(doubted),
        np.concatenate(maybe),
        np.concatenate(errors),
        rows,
        baskets.n,
    )


def chained(starts: Sequence[I8]) -> I8:
    """The starts of lists one behind the other."""
    return np.cumsum(np.concatenate([[0], *map(np.diff, starts)]), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Blocks:
    """An order cut in blocks: `order` int64[n], block b is order[start[b] : start[b + 1]]."""

    order: I8
    start: I8


def blocks(order: I8, size: int, labels: I8 | None, most: int, gap: int, chance: I8 | None = None) -> Blocks:
    """Cut the order in blocks of `size` records or a few more, with no label on more than `most` of any block.

    Around the circle of a block, equal labels keep the `gap`. The caller has made sure that such blocks exist:
    no label is on more than most * (n // size) records. By `chance`, a uniform permutation of the records, labels are
    dealt so that blocks tell nothing of them; None moves as few records as needed, which does.
    """
    n = len(order)
    start = _even(n, n // size)
    if labels is None:
        return Blocks(order, start)
    count, largest = int(labels.max()) + 1, int(np.diff(start).max())
    distance = -(-largest // most)  # in so many places in a row a label then is at most `most` times
    if chance is not None:
        order, start = dealt_blocks(order, start, labels, most, chance)
    elif np.bincount(labels).max() * distance <= n:
        order = spaced_order(order, labels, distance)
    else:
        places, start = dealt(labels[order], count, n // size)
        order = order[places]
    return Blocks(order[arranged(labels[order], count, start, gap)], start)


def _even(n: int, parts: int) -> I8:
    """Starts of so many parts of sizes that differ by one at most."""
    return np.arange(parts + 1) * n // parts


def release_blocks(
    baskets: Baskets, parts: Blocks, claim: Nonreciprocal, state: I8, trace: dict[str, Any]
) -> Result[Bitmaps]:
    """Publish blocks of equal rows, each voted by its whole block, its labels under a uniform permutation.

    The k assignments of the proof rotate each block, whose order keeps the gap between equal labels.
    """
    n, order, start = baskets.n, parts.order, parts.start
    block = owners(start)
    drawn = shuffled(state, n)
    place = drawn[
        np.argsort(block[drawn], kind="stable")
    ]  # uniform in each block: where each place's row stands
    rows = np.empty(n, dtype=np.int64)
    rows[place] = order
    first, size = start[block], np.diff(start)[block]
    turns = first + (np.arange(n) - first + np.arange(claim.k)[:, None]) % size
    proof = np.empty((claim.k, n), dtype=np.int32)
    proof[:, order] = place[turns]
    return Result(_vote_blocks(baskets, order, start, place, rows), claim, proof, trace)
