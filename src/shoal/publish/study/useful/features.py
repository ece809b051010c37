"""How cells and items become the numbers that a model learns from: one feature space for originals and releases.

A released cell is one of the values that it stands for, drawn at random, all equally likely, and a generalized item one
of its members; an original is what it is. So a model learns from exact values and is tested on exact values. Shares of
values in place of draws mislead trees: all values of a group then look alike, and a tree takes any one of them for all.

numbers and dates : one feature, the number, or of dates the place in their order
names             : one feature per value or group of values, 1 where the record has it
items             : one feature per item, 1 where the record holds it
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.data.lists import owners
from shoal.data.types import I4, I8
from shoal.release import Bitmaps, RecodedBaskets
from shoal.utility.column_cells import Cells

__all__ = [
    "F4",
    "cell_features",
    "common_items",
    "drawn_items",
    "drawn_values",
    "held_items",
    "item_features",
    "labels",
]

F4 = NDArray[np.float32]
Held = tuple[I8, I4]
"""Record and item code, one entry per item that a record holds."""


def cell_features(columns: Sequence[Cells], rows: int, rng: np.random.Generator) -> F4:
    """float32[rows, features] of some columns."""
    parts = [np.zeros((rows, 0), dtype=np.float32)]
    parts += [_of_values(cells, drawn_values(cells, rng)) for cells in columns]
    return np.hstack(parts)


def drawn_values(cells: Cells, rng: np.random.Generator) -> I8:
    """For each cell one of its leaves, all equally likely; a missing cell is like `*`."""
    if not cells.size:
        return np.zeros(len(cells.codes), dtype=np.int64)
    many, chance = cells.counts()[cells.codes], rng.random(len(cells.codes))
    place = cells.forms.start[:-1][cells.codes] + (chance * many).astype(np.int64)
    own = np.r_[cells.forms.leaves, 0][np.where(many > 0, place, 0)]
    return np.where(many > 0, own, (chance * cells.size).astype(np.int64))


def labels(cells: Cells) -> I4:
    """The value of each cell where it is one value for certain, else -1."""
    single = (cells.counts() == 1) & (np.diff(cells.forms.start) == 1)
    first = np.r_[cells.forms.leaves, 0][cells.forms.start[:-1]]
    return np.where(single, first, -1)[cells.codes].astype(np.int32)


def held_items(start: I8, items: I4) -> Held:
    """The items of baskets, or of rows that were published by vote, as they stand."""
    return owners(start), items


def drawn_items(release: RecodedBaskets | Bitmaps, rng: np.random.Generator) -> Held:
    """Released baskets: of each published item one of its members."""
    if isinstance(release, Bitmaps):
        return held_items(release.start, release.items)
    first, many = release.forms.start[:-1], np.diff(release.forms.start)
    place = first[release.items] + (rng.random(len(release.items)) * many[release.items]).astype(np.int64)
    return owners(release.start), release.forms.leaves[place]


def common_items(held: Held, width: int, most: int = 200) -> I8:
    """The items that most records hold, at most so many; int64, rising."""
    times = np.bincount(held[1], minlength=width)
    return np.sort(np.argsort(-times, kind="stable")[:most])


def item_features(held: Held, items: I8, width: int, rows: I8, records: int) -> F4:
    """float32[rows, items]: 1 where one of these rows, of so many records, holds the item."""
    column, line = np.full(width, -1), np.full(records, -1)
    column[items], line[rows] = np.arange(len(items)), np.arange(len(rows))
    found = np.zeros((len(rows), len(items)), dtype=np.float32)
    kept = (column[held[1]] >= 0) & (line[held[0]] >= 0)
    found[line[held[0][kept]], column[held[1][kept]]] = 1.0
    return found


def _of_values(cells: Cells, leaves: I8) -> F4:
    """float32[rows, features] of one value per row."""
    if cells.numbers is not None:
        known = np.where(np.isnan(cells.numbers), np.mean(cells.domain()), cells.numbers)
        return known[leaves, None].astype(np.float32)
    if cells.ordered:
        return leaves[:, None].astype(np.float32)
    found = np.zeros((len(leaves), len(cells.names)), dtype=np.float32)
    if cells.size:
        found[np.arange(len(leaves)), cells.groups[leaves]] = 1.0
    return found
