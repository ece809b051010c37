"""A column as local methods price it: the values that occur, by place, and what a class of them costs.

A class is published, and so priced, as the closest common node of its values, as a range of numbers, or as
the set of values present. Prices are those of the loss `ncp`, weighted and scaled to whole numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

import numpy as np

from shoal.algorithms._kernels import CLIMB, NODE, RANGE, SET, Rates
from shoal.data import Column, Table
from shoal.data.arrays import B1, F8, I4, I8, count_codes
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.labels import can_say_missing, numbers_of, open_sides, tail_of

__all__ = [
    "NO_PLACE",
    "SCALE",
    "ColumnCosts",
    "count_lost_leaves",
    "default_grid",
    "node_costs",
    "places_from_leaves",
    "price_order",
    "proportional_levels",
    "range_costs",
    "rates_of",
    "set_costs",
    "shares_of",
    "sort_records",
]

SCALE = 1 << 30
"""The price of a record that loses everything."""
NO_PLACE = 1 << 40
"""Beyond all places of a column."""
_TABLED = 256
_LISTED = 62
_CROWD = 5
_STEPS = 100
_ENDLESS = Decimal("Infinity")


@dataclass(frozen=True, slots=True)
class ColumnCosts:
    """One column's places and prices.

    leaf   : int32[v]   the leaf at each place, in leaf order or in number order
    kind, table, root, height, gone : see `shoal.algorithms._kernels`
    joint  : int64[v]   the level on which a place and the next one meet; equal where nodes do not matter
    unnamed : bool[v]   the places that no set of values may list; empty where no sets are written
    missing : the place of missing cells, the last one, where a label may stand for them beside others; else `NO_PLACE`
    extra   : what such a label costs more
    keys   : falling    (price, int64[v]): what two records pay at least whose keys differ
    ends   : by place, the ends of a range that holds its number, infinite where it is open; None where there are none
    """

    leaf: I4
    kind: int
    table: I8
    root: int
    joint: I8
    keys: tuple[tuple[float, I8], ...]
    height: int = 0
    gone: int = 0
    ends: tuple[tuple[Decimal, Decimal] | None, ...] | None = None
    unnamed: B1 = field(default_factory=lambda: np.zeros(0, dtype=bool))
    missing: int = NO_PLACE
    extra: int = 0

    def join_places(self, places: I4, starts: I8) -> tuple[I8, I8]:
        """The extents of classes, as the kernels have them; class c is places[starts[c] : starts[c + 1]]."""
        low = np.minimum.reduceat(places, starts[:-1]).astype(np.int64)
        is_missing = places >= self.missing
        high = np.maximum.reduceat(np.where(is_missing, -1, places), starts[:-1]).astype(np.int64)
        return low, high + np.where(np.logical_or.reduceat(is_missing, starts[:-1]), self.missing + 1, 0)

    def join_missing(self, hierarchy: Hierarchy) -> "ColumnCosts":
        """The same prices where a label may stand for missing cells beside others, if there are both."""
        place = len(self.leaf) - 1
        if place == 0 or int(self.leaf[place]) != hierarchy.size or not can_say_missing(hierarchy):
            return self
        joint = self.joint.copy()
        joint[place - 1] = 0  # what is cut off with missing cells is no node for itself
        return replace(self, joint=joint, missing=place, extra=round(self.root / hierarchy.size))


def shares_of(table: Table) -> F8:
    """float64[d]: what each quasi-identifier weighs in the loss; the sum is 1."""
    weights = np.array([column.weight for column in table.quasi], dtype=np.float64)
    return weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))


def rates_of(scales: Sequence[ColumnCosts]) -> Rates:
    """All columns' prices as the kernels take them."""
    table_starts = np.cumsum([0, *(len(scale.table) for scale in scales)])[:-1]
    by_column = np.array(
        [(s.kind, len(s.leaf), s.root, s.height, s.gone, s.missing, s.extra) for s in scales], dtype=np.int64
    )
    kind, size, root, height, gone, missing, extra = by_column.T.copy()
    return Rates(
        kind,
        table_starts.astype(np.int64),
        size,
        root,
        height,
        gone,
        missing,
        extra,
        np.concatenate([s.table for s in scales]),
    )


def places_from_leaves(scales: Sequence[ColumnCosts], leaves: I4) -> I4:
    """int32[n, d]: records given as leaf codes, as places."""
    codes = np.empty_like(leaves, order="C")
    for j, scale in enumerate(scales):
        place_of_leaf = np.empty(int(scale.leaf.max()) + 1, dtype=np.int32)
        place_of_leaf[scale.leaf] = np.arange(len(scale.leaf))
        codes[:, j] = place_of_leaf[leaves[:, j]]
    return codes


def proportional_levels(heights: Sequence[int]) -> list[list[int]]:
    """The levels of columns that climb together: they stand at the same share of their heights, rounded down.

    >>> proportional_levels([1, 2])
    [[0, 0], [0, 1], [1, 2]]
    """
    shares = {Fraction(level, max(height, 1)) for height in heights for level in range(height + 1)}
    return [[int(share * height) for height in heights] for share in sorted(shares)]


def count_lost_leaves(hierarchy: Hierarchy, leaves: I4) -> I8:
    """int64[levels, v]: how many leaves the node above each of some leaves covers; 0 where it is the leaf alone."""
    leaf_counts = [
        (spans[:, 1] - spans[:, 0])[nodes]
        for spans, nodes in zip(hierarchy.spans, hierarchy.up[leaves].T, strict=True)
    ]
    return np.where(np.array(leaf_counts) > 1, leaf_counts, 0).astype(np.int64)


def node_costs(
    hierarchy: Hierarchy, codes: I4, of_level: I8 | None = None, weight: float = 1.0
) -> ColumnCosts:
    """A column that is published as nodes; `codes` are all records' leaves.

    `of_level` prices a node by its level instead of its leaves.
    """
    leaf, counts = np.unique(codes, return_counts=True)
    nodes = hierarchy.up[leaf].T.astype(np.int64)  # [level, place]
    if of_level is None:
        prices = _scale_price(weight * count_lost_leaves(hierarchy, leaf) / hierarchy.size)
    else:
        prices = np.repeat(of_level[:, None], len(leaf), axis=1)
    joint = np.zeros(len(leaf), dtype=np.int64)
    for level in range(hierarchy.height):
        joint[:-1] += nodes[level, 1:] != nodes[level, :-1]
    keys = tuple(
        (float(prices[level] @ counts / counts.sum()), nodes[level - 1])
        for level in range(hierarchy.height, 0, -1)
    )
    if len(leaf) > _TABLED:
        table, kind = np.concatenate([nodes.ravel(), prices.ravel()]), CLIMB
    else:
        table, kind = _pair_prices(nodes, prices).ravel(), NODE
    return ColumnCosts(leaf, kind, table, int(prices.max()), joint, keys, hierarchy.height)


def set_costs(hierarchy: Hierarchy, codes: I4, weight: float = 1.0, k: int = 1) -> ColumnCosts:
    """A column that is published as sets of values.

    If the hierarchy was declared, its values are named already. If it was built from the data, values that fewer than
    k records hold are not listed: a class that holds such a value among others is published at the root. Beyond so many
    values as a kernel counts by bits, a class is priced as its closest common node, and published as that node where
    it holds such a value.
    """
    leaf, counts = np.unique(codes, return_counts=True)
    is_missing = leaf == hierarchy.size
    unnamed = np.where(is_missing, not can_say_missing(hierarchy), (not hierarchy.public) & (counts < k))
    if len(leaf) > _LISTED:
        return replace(node_costs(hierarchy, codes, weight=weight), unnamed=unnamed | is_missing)
    prices = _scale_price(weight * np.minimum(np.arange(len(leaf) + 1) / hierarchy.size, 1))
    prices[:2] = 0
    unnamed_bits = sum(1 << index for index in np.flatnonzero(unnamed).tolist())
    lowest_price = float(prices[2]) if len(leaf) > 1 else 0.0
    key = (lowest_price, np.arange(len(leaf)))
    ones = np.ones(len(leaf), dtype=np.int64)
    return ColumnCosts(
        leaf, SET, prices, int(_scale_price(weight)), ones, (key,), gone=unnamed_bits, unnamed=unnamed
    )


def range_costs(
    hierarchy: Hierarchy, codes: I4, grid: Decimal | None, weight: float = 1.0
) -> ColumnCosts | None:
    """A column that is published as ranges with ends on a grid; None where its leaves are no numbers.

    A missing cell is no number. A number that is only an end (95+) may be any beyond it, and a value of a tail that is
    coded at top or bottom does not tell how far it goes beyond, so ranges are open from there on.
    """
    numbers = numbers_of(hierarchy)
    sorted_values = sorted(value for value in numbers or () if value is not None)
    if numbers is None or sorted_values[0] == sorted_values[-1]:
        return None
    by_code = (*numbers, None)
    leaf = np.array(
        sorted(np.unique(codes).tolist(), key=lambda code: (by_code[code] is None, by_code[code] or 0, code)),
        dtype=np.int32,
    )
    sides = list(zip(numbers, open_sides(hierarchy), strict=True))
    above = min((value for value, side in sides if value is not None and side > 0), default=_ENDLESS)
    below = max((value for value, side in sides if value is not None and side < 0), default=-_ENDLESS)

    def around(value: Decimal) -> tuple[Decimal, Decimal]:
        low, high = _grid_ends(value, grid)
        return -_ENDLESS if value <= below else low, _ENDLESS if value >= above else high

    ends = tuple(None if (value := by_code[code]) is None else around(value) for code in leaf)
    tails = [
        None if end is None else tail_of(hierarchy, int(code)) for code, end in zip(leaf, ends, strict=True)
    ]
    bottom, top = Fraction(sorted_values[0]), Fraction(sorted_values[-1])
    root = int(_scale_price(weight))
    table = np.zeros((3, len(leaf)), dtype=np.int64)
    for index, end in enumerate(ends):
        if end is None:
            is_untold = leaf[index] == hierarchy.size and not can_say_missing(hierarchy)
            table[:, index] = 0, 3 * root, root if is_untold else 0
        else:
            low, high = Fraction(max(end[0], sorted_values[0])), Fraction(min(end[1], sorted_values[-1]))
            tail = tails[index] or ""
            table[0, index] = 0 if tail.startswith("<") else floor(root * (low - bottom) / (top - bottom))
            table[1, index] = root if tail.startswith(">") else ceil(root * (high - bottom) / (top - bottom))
    ones = np.ones(len(leaf), dtype=np.int64)
    return ColumnCosts(leaf, RANGE, table.ravel(), root, ones, ((0.0, np.arange(len(leaf))),), ends=ends)


def default_grid(hierarchy: Hierarchy, codes: I4, k: int, record_counts: I8 | None = None) -> Decimal | None:
    """The step that ends of ranges lie on where the user sets none.

    The numbers of a declared hierarchy may be named, so there is no step: None. If the hierarchy was built from the
    data, an end must not tell whose value it is. The step is the smallest of 1, 2, 5, 10, ... (times a power of ten)
    with which nine of ten records lie in cells of at least k. None is needed that is coarser than the largest of which
    no cell holds more than five of the numbers, and none is finer than a hundredth of the domain. Numbers that are not
    among `codes`, the leaves of the records kept, do not count; `record_counts` says how many records each stands for.
    """
    numbers = numbers_of(hierarchy)
    if hierarchy.public or numbers is None:
        return None
    is_leaf = codes < hierarchy.size
    counts_of_leaf = count_codes(codes[is_leaf], None if record_counts is None else record_counts[is_leaf])
    leaf = np.flatnonzero(counts_of_leaf)
    records_of_value: dict[Decimal, int] = {}
    for value, count in zip(
        (numbers[code] for code in leaf.tolist()), counts_of_leaf[leaf].tolist(), strict=True
    ):
        if value is not None:
            records_of_value[value] = records_of_value.get(value, 0) + count
    sorted_values = sorted(records_of_value)
    if not sorted_values:
        return None
    decimals = max(max(0, -int(value.as_tuple().exponent)) for value in sorted_values)
    units = [int(Fraction(value) * 10**decimals) for value in sorted_values]
    records = [records_of_value[value] for value in sorted_values]
    domain = units[-1] - units[0]
    steps = [1]
    while steps[-1] < domain:
        steps.append(steps[-1] * 5 // 2 if str(steps[-1])[0] == "2" else steps[-1] * 2)
    finest_step = next(step for step in steps if step * _STEPS >= domain)
    widest_step = max(step for step in steps[:-1] or steps if _is_uncrowded(units, step))
    crowded_step = next((step for step in steps if _is_crowded(units, records, step, k)), widest_step)
    return Decimal(f"{max(finest_step, min(crowded_step, widest_step))}e-{decimals}")


def _is_uncrowded(units: Sequence[int], step: int) -> bool:
    """Whether no cell of a grid holds more than five numbers."""
    return all(a // step != b // step for a, b in zip(units, units[_CROWD:], strict=False))


def _is_crowded(units: Sequence[int], records: Sequence[int], step: int, k: int) -> bool:
    """Whether nine of ten records lie in cells of a grid that hold k of them."""
    cells: dict[int, int] = {}
    for unit, count in zip(units, records, strict=True):
        cells[unit // step] = cells.get(unit // step, 0) + count
    alone = sum(count for count in cells.values() if count < k)
    return 10 * alone <= sum(records)


def _grid_ends(value: Decimal, grid: Decimal | None) -> tuple[Decimal, Decimal]:
    """The grid's numbers on either side; the value itself where there is no grid or it lies on it."""
    if grid is None:
        return value, value
    step = Fraction(grid)
    cells = Fraction(value) / step
    decimals = max(0, -int(grid.as_tuple().exponent))

    def spell_cell(cell: int) -> Decimal:
        return Decimal(f"{int(cell * step * 10**decimals)}e-{decimals}")

    return spell_cell(floor(cells)), spell_cell(ceil(cells))


def _pair_prices(nodes: I8, prices: I8) -> I8:
    """The price of the closest common node of every two places."""
    table = np.zeros((nodes.shape[1], nodes.shape[1]), dtype=np.int64)
    for level in range(len(nodes) - 1, -1, -1):
        same = nodes[level][:, None] == nodes[level][None, :]
        table = np.where(same, prices[level][:, None], table)
    return table


def _scale_price(share: float | F8) -> I8:
    return np.asarray(np.rint(np.asarray(share) * SCALE), dtype=np.int64)


# Records by rising code, and tuples in a line in which neighbours are alike.


def sort_records(packed: I8, table: Table, *, mix: bool) -> tuple[I8, I8, I8]:
    """All records by rising tuple: their rows, each one's tuple 0, 1, ..., and the distinct tuples, packed.

    Equal tuples are sorted by what else is published about them, never by their order in the file. With `mix` their
    sensitive values take turns, each as often as it is frequent, so that neighbours are diverse.
    """
    other_rank = _rank_other_cells(table)
    order = np.lexsort((other_rank, *packed))
    if mix:
        turn = _assign_turns(packed[:, order], other_rank[order])
        order = order[np.lexsort((other_rank[order], turn, *packed[:, order]))]
    is_first = np.r_[True, (np.diff(packed[:, order], axis=1) != 0).any(axis=0)]
    return order, np.cumsum(is_first) - 1, np.ascontiguousarray(packed[:, order[is_first]])


def _rank_other_cells(table: Table) -> I8:
    """Numbers in the order of the sensitive and plain cells, then of the persons."""
    key = np.zeros(table.n, dtype=np.int64)
    for column in (*table.role("sensitive"), *table.role("plain")):
        key = np.unique(key * len(column.values) + _rank_cells(column), return_inverse=True)[1]
    if table.persons is not None:
        persons = np.unique(table.persons, return_inverse=True)[1]
        key = np.unique(key * (persons.max() + 1) + persons, return_inverse=True)[1]
    return key.astype(np.int64)


def _rank_cells(column: Column) -> I8:
    """Each record's cell by its place among the texts in order, the missing one first."""
    order = sorted(
        range(len(column.values)),
        key=lambda code: (column.values[code] is not None, column.values[code] or ""),
    )
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[column.codes]


def _assign_turns(packed: I8, other: I8) -> F8:
    """When each record's turn is among those of its tuple: the i-th of c equal ones at (i + 1/2) / c."""
    is_first = np.r_[True, (np.diff(packed, axis=1) != 0).any(axis=0) | (np.diff(other) != 0)]
    first = np.flatnonzero(is_first)
    run = np.cumsum(is_first) - 1
    size = np.diff(np.r_[first, len(other)])
    return np.asarray((np.arange(len(other)) - first[run] + 0.5) / size[run])


def price_order(scales: Sequence[ColumnCosts], tuples: I4, last: int = -1) -> I8:
    """All tuples in a line, sorted by what a difference costs: the difference that costs most comes first.

    A sort key is a level of a column (or the column, where it is written as ranges or sets). Its price is what two
    records pay at least if their keys differ. Every other group of equal keys runs backwards, so that
    neighbours at the border of two groups are close in the next key too. Column `last` is the last sort key.
    """
    keys = [
        ((j == last, -price, j), key[tuples[:, j]])
        for j, scale in enumerate(scales)
        for price, key in scale.keys
    ]
    group_of_tuple = np.zeros(len(tuples), dtype=np.int64)
    for _, key in sorted(keys, key=lambda pair: pair[0]):
        alternating_key = np.where(group_of_tuple % 2 == 1, key.max() - key, key)
        group_of_tuple = np.unique(group_of_tuple * (key.max() + 1) + alternating_key, return_inverse=True)[1]
    return np.argsort(group_of_tuple, kind="stable")
