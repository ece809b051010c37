"""Labels dealt to blocks by chance, so that whoever knows the method learns nothing from who shares a block with whom.

Moving records until labels differ tells of the labels: a record that lies far from its like was moved, and the record
whose place it left has the label that stood in the way. Here the order is cut in segments of several blocks without
a look at labels. Inside a segment the records of each label are dealt to blocks in random order. So of all ways in
which a block's labels could be spread over its people, each is as likely as every other.
"""

import numpy as np
import scipy  # its parts come when they are used

from shoal.data.lists import owners
from shoal.data.types import F8, I8

__all__ = ["dealt_blocks", "segments"]

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
    return order[inside], np.r_[0, np.cumsum(np.bincount(block, minlength=len(start) - 1))]


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
