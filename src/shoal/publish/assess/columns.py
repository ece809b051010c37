"""The columns of a table as an analyst reads them, of originals of a release, and the numbers a model learns from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.data import Column
from shoal.data.arrays import F8, I4, I8, owners
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.column_values import are_codes, number_or_end
from shoal.hierarchy.labels import numbers_of
from shoal.publish.shapes.table.data import TableData
from shoal.release import Bitmaps, Recoded, RecodedBaskets
from shoal.utility.columns import Cells, grouped_in_order, ones

__all__ = [
    "F4",
    "cell_features",
    "common_items",
    "drawn_items",
    "drawn_values",
    "held_items",
    "item_features",
    "labels",
    "other_originals",
    "read_originals",
    "read_release",
]

# The columns of a table as an analyst reads them, of originals and of a release of them.

_OTHERS = "all others"
_FEW = 8
"""So many different numbers are more likely codes, 1 for men and 2 for women, than amounts."""


def read_originals(people: TableData, most: int = 50) -> list[Cells]:
    """Every column that is published, in table order, its values in at most `most` groups.

    The groups of a quasi-identifier are the nodes of the lowest level of its hierarchy that has no more, and its values
    themselves where they are few enough; where only the root is small enough, neighbours are put together. Columns that
    are published as they are have their most frequent values, and one group for all others.
    """
    return [_read(people, column, most) for column in people.table.columns if _published(column)]


def other_originals(people: TableData, like: Sequence[Cells]) -> list[Cells]:
    """Other records of the same table, read by the same groups; see `some_records`."""
    return [replace(cells, codes=_codes(people, people.table.column(cells.name))) for cells in like]


def read_release(release: Recoded, originals: Sequence[Cells]) -> list[Cells]:
    """The released cells of the same columns; `release` is of the records that `originals` holds."""
    place = {name: j for j, name in enumerate(release.names)}
    return [
        replace(cells, codes=release.codes[:, place[cells.name]], forms=release.forms[place[cells.name]])
        if cells.name in place
        else cells.some(release.rows)
        for cells in originals
    ]


def _published(column: Column) -> bool:
    return column.role in ("quasi", "sensitive", "plain")


def _read(people: TableData, column: Column, most: int) -> Cells:
    codes = _codes(people, column)
    if column.role == "quasi":
        return _by_hierarchy(column.name, codes, people.hierarchies[column.name], most)
    values = [value for value in column.values if value is not None]
    numbers = _numbers(values)
    if numbers is None:
        names, groups = _frequent(values, codes, most)
        return Cells(column.name, codes, ones(values, len(values)), names, groups)
    rank = np.argsort(np.argsort(numbers, kind="stable"), kind="stable")
    groups = grouped_in_order(len(values), most)[rank]
    order = np.argsort(numbers, kind="stable")
    names = _neighbours([values[place] for place in order], grouped_in_order(len(values), most))
    return Cells(column.name, codes, ones(values, len(values)), names, groups, numbers)


def _codes(people: TableData, column: Column) -> I4:
    """The leaf of each record; the number of leaves where its cell is missing."""
    if column.role == "quasi":
        return np.ascontiguousarray(
            people.leaves[:, [one.name for one in people.table.quasi].index(column.name)]
        )
    if None not in column.values:
        return column.codes
    gone = column.values.index(None)
    moved = np.where(column.codes > gone, column.codes - 1, column.codes)
    return np.where(column.codes == gone, len(column.values) - 1, moved).astype(np.int32)


def _by_hierarchy(name: str, codes: I4, hierarchy: Hierarchy, most: int) -> Cells:
    size, spelled = hierarchy.size, numbers_of(hierarchy)
    level = next(
        (level for level in range(hierarchy.height) if len(np.unique(hierarchy.up[:size, level])) <= most),
        None,
    )
    if level is None:
        groups = grouped_in_order(size, most)
        names = _neighbours(hierarchy.leaves, groups)
    else:
        groups = hierarchy.up[:size, level]
        names = hierarchy.labels[level][: int(groups.max()) + 1]
    numbers = None
    if spelled is not None and size > _FEW:
        numbers = np.array([np.nan if x is None else float(x) for x in spelled])
    ordered = hierarchy.ordered or numbers is not None
    return Cells(name, codes, ones(hierarchy.leaves, size), names, groups, numbers, ordered)


def _neighbours(values: Sequence[str], groups: I4) -> tuple[str, ...]:
    """Groups named by their first and last value."""
    first = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    last = np.r_[first[1:], len(groups)] - 1
    return tuple(
        values[a] if a == b else f"{values[a]} to {values[b]}"
        for a, b in zip(first.tolist(), last.tolist(), strict=True)
    )


def _numbers(values: Sequence[str]) -> F8 | None:
    """The values of a column that is not recoded as numbers; None where they are names or codes, or few."""
    read = [number_or_end(value) for value in values]
    if len(values) <= _FEW or None in read or are_codes(values):
        return None
    return np.array([float(x) for x in read if x is not None])


def _frequent(values: Sequence[str], codes: I4, most: int) -> tuple[tuple[str, ...], I4]:
    """The most frequent values, each a group, and one more for all others."""
    if len(values) <= most:
        return tuple(values), np.arange(len(values), dtype=np.int32)
    counts = Counter(codes[codes < len(values)].tolist())
    kept = sorted(code for code, _ in counts.most_common(most - 1))
    groups = np.full(len(values), len(kept), dtype=np.int32)
    groups[kept] = np.arange(len(kept))
    return (*(values[code] for code in kept), _OTHERS), groups


# How cells and items become the numbers that a model learns from: one feature space for originals and releases.
#
# A released cell is one of the values that it stands for, drawn at random, all equally likely, and a generalized
# item one of its members; an original is what it is. So a model learns from exact values and is tested on exact
# values. Shares of values in place of draws mislead trees: all values of a group then look alike, and a tree takes
# any one of them for all.
#
# numbers and dates : one feature, the number, or of dates the place in their order
# names             : one feature per value or group of values, 1 where the record has it
# items             : one feature per item, 1 where the record holds it

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
