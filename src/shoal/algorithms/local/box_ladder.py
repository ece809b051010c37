"""The columns of a table as the sweep over boxes takes them: levels that are worth a look, and what each costs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from shoal.algorithms.local._kernels.boxes import Ladder
from shoal.algorithms.local.column_prices import SCALE
from shoal.data.types import F8, I4, I8
from shoal.hierarchy import Hierarchy

__all__ = ["BITS", "Axis", "agreed", "at_node", "axes_of", "bundled", "ladder_of"]

BITS = 62
"""What the tuples of a ladder may take."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One column, or several that climb together, over the distinct values that occur.

    of     : int64[n]          each row's value
    places : int64[levels, v]  each value's node on each level, as the first value in it
    prices : int64[levels, v]  what it costs there, rounded down
    """

    of: I8
    places: I8
    prices: I8

    @property
    def top(self) -> int:
        """The highest level."""
        return len(self.places) - 1

    @property
    def bits(self) -> int:
        """What a value takes in a packed tuple."""
        return max(int(self.places[0].max()).bit_length(), 1)


def axes_of(hierarchies: Sequence[Hierarchy], leaves: I4, shares: F8) -> list[Axis]:
    """Every column by itself.

    Parameters
    ----------
    hierarchies
        The hierarchy of each column.
    leaves
        int32[n, d]: the rows as leaf codes.
    shares
        float64[d]: the weight of each column in the loss; their sum is 1.
    """
    axes = []
    for hierarchy, column, share in zip(hierarchies, leaves.T, shares.tolist(), strict=True):
        codes, of = np.unique(column, return_inverse=True)
        nodes = hierarchy.up[codes].T.astype(np.int64)
        wide = [spans[node, 1] - spans[node, 0] for spans, node in zip(hierarchy.spans, nodes, strict=True)]
        prices = np.floor(SCALE * share * np.array(wide) / hierarchy.size).astype(np.int64)
        axes.append(_worth_a_look(of, nodes, np.where(np.array(wide) > 1, prices, 0)))
    return axes


def bundled(axes: Sequence[Axis], many: int) -> list[Axis]:
    """Axes of `many` columns each: its columns stand at the same share of their heights, rounded down."""
    return [_together(axes[at : at + many]) for at in range(0, len(axes), many)]


def _together(axes: Sequence[Axis]) -> Axis:
    if len(axes) == 1:
        return axes[0]
    rows, of = np.unique(np.stack([axis.of for axis in axes]), axis=1, return_inverse=True)
    shares = sorted({Fraction(level, max(axis.top, 1)) for axis in axes for level in range(axis.top + 1)})
    nodes, prices = [], []
    for share in shares:
        levels = [int(share * axis.top) for axis in axes]
        at = [axis.places[level, row] for axis, level, row in zip(axes, levels, rows, strict=True)]
        nodes.append(np.unique(np.stack(at), axis=1, return_inverse=True)[1].reshape(-1))
        prices.append(
            sum(axis.prices[level, row] for axis, level, row in zip(axes, levels, rows, strict=True))
        )
    return _worth_a_look(of.reshape(-1), np.array(nodes), np.array(prices))


def _worth_a_look(of: I8, nodes: I8, prices: I8) -> Axis:
    """Without levels that cost what the next one does: a box of the next one holds as many records or more."""
    kept = [
        level
        for level in range(len(nodes))
        if level + 1 == len(nodes) or (prices[level] < prices[level + 1]).any()
    ]
    places = np.empty((len(kept), nodes.shape[1]), dtype=np.int64)
    for row, level in enumerate(kept):
        _, first, group = np.unique(nodes[level], return_index=True, return_inverse=True)
        places[row] = first[group.reshape(-1)]
    return Axis(places[0][of.reshape(-1)], places, prices[kept])


def ladder_of(axes: Sequence[Axis]) -> tuple[I8, Ladder]:
    """All rows as packed tuples, and the ladder of the axes; they may take `BITS` together."""
    bits = np.array([axis.bits for axis in axes], dtype=np.int64)
    shift = np.cumsum(bits) - bits
    tuples = sum((axis.of << int(by) for axis, by in zip(axes, shift, strict=True)), np.int64(0))
    top = np.array([axis.top for axis in axes], dtype=np.int64)
    at = np.zeros((len(axes), int(top.max()) + 1), dtype=np.int64)
    used = 0
    for j, axis in enumerate(axes):
        at[j] = used + np.minimum(np.arange(at.shape[1]), axis.top) * axis.places.shape[1]
        used += axis.places.size
    stride = np.array([prod((top[j + 1 :] + 1).tolist()) for j in range(len(axes))], dtype=np.int64)
    places, prices = (np.concatenate([part.ravel() for part in parts]) for parts in _tables(axes))
    order = np.argsort(-bits, kind="stable")
    return np.asarray(tuples), Ladder(shift, (1 << bits) - 1, at, places, prices, top, stride, order)


def _tables(axes: Sequence[Axis]) -> Iterable[list[I8]]:
    return [axis.places for axis in axes], [axis.prices for axis in axes]


def at_node(tuples: I8, node: I8, ladder: Ladder) -> tuple[I8, I8]:
    """Each tuple's box at its own node of the lattice, packed, and the price of the box."""
    boxes, prices = np.zeros_like(tuples), np.zeros_like(tuples)
    for j in range(len(ladder.top)):
        level = node // ladder.stride[j] % (ladder.top[j] + 1)
        place = ladder.at[j, level] + ((tuples >> ladder.shift[j]) & ladder.mask[j])
        boxes |= ladder.places[place] << ladder.shift[j]
        prices += ladder.prices[place]
    return boxes, prices


def agreed(tuples: I8, counts: I8, found: tuple[I8, I8, I8], limit: int, ladder: Ladder) -> tuple[I8, I8]:
    """The boxes that are the cheapest one for all tuples in them, and cost each of them at most `limit`.

    Where boxes are closed by rising cost, nothing that comes before such a box touches it: all of them are next.

    Parameters
    ----------
    tuples, counts, found
        What `cheapest_boxes` was asked about, and what it found.
    limit
        The limit it was given.
    ladder
        The columns.

    Returns
    -------
    places, starts
        Box b holds the tuples places[starts[b] : starts[b + 1]].
    """
    pays, node, holds = found
    close = np.flatnonzero(pays <= limit)
    boxes, _ = at_node(tuples[close], node[close], ladder)
    order = np.lexsort((boxes, node[close]))
    close, boxes = close[order], boxes[order]
    new = np.ones(len(close), dtype=bool)
    new[1:] = (np.diff(boxes) != 0) | (np.diff(node[close]) != 0)
    box = np.cumsum(new) - 1
    whole = np.bincount(box, weights=counts[close])[box] == holds[close]
    starts = np.r_[np.flatnonzero(new[whole]), whole.sum()]
    return close[whole], starts.astype(np.int64)
