"""Blocks of equal rows: a person in a block may be behind any of its rows, whatever is known of the others."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.algorithms.ring._kernels.chance import shuffled
from shoal.algorithms.ring._kernels.labels import arranged, dealt
from shoal.algorithms.ring.label_dealing import dealt_blocks
from shoal.algorithms.ring.label_spacing import spaced_order
from shoal.algorithms.ring.voting import vote_blocks
from shoal.data import Baskets
from shoal.data.lists import owners
from shoal.data.types import I8
from shoal.privacy.whole_baskets import Nonreciprocal
from shoal.release import Bitmaps, Result

__all__ = ["Blocks", "blocks", "release_blocks"]


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
    return Result(vote_blocks(baskets, order, start, place, rows), claim, proof, trace)
