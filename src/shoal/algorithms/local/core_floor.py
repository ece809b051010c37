"""A floor under the loss `ncp` of a table with known columns, whatever its classes and labels are.

A row is published as a node in every column. At least k rows show the same in all quasi-identifiers and in what may be
known at once of the known columns, and the values of all these rows lie in its nodes. So every row pays at least what
its cheapest nodes cost under which k rows *lie*: for each box of the quasi-identifiers, the price of the box, and for
known columns that may be known together the cheapest nodes that hold k rows of the box. Known columns are parted into
such groups, whose prices add up. A row that is left out pays for all roots, and they hold all rows.

Of the quasi-identifiers alone more is known: the table is k-anonymous. The larger of the two floors is told.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod

import numpy as np

from shoal.algorithms.local.boxes import PriceRung, build_axes, group_levels, loss_floor
from shoal.algorithms.local.column_prices import SCALE, shares_of
from shoal.data import Table
from shoal.data.arrays import F8, I8
from shoal.hierarchy import Hierarchies
from shoal.privacy import CoreAnonymity
from shoal.privacy.core import close_set

__all__ = ["core_floor"]

WORK = 1 << 27  # rows to count, in boxes and known columns: some seconds
_TOGETHER = 3  # known columns that are looked at together
_NEAR = [
    0.0,
    *(2.0**power for power in range(-8, 1)),
]  # levels whose prices differ by no more are taken for one


def core_floor(table: Table, hierarchies: Hierarchies, claim: CoreAnonymity, *, work: int = WORK) -> float:
    """A loss that every recoding of `table` along `hierarchies` has at least that keeps k and m of `claim`.

    It holds where all cells are nodes, for all that is asked beside, and whatever is left out. `work` is about how many
    rows are counted: with less, levels of similar price are taken for one, which has the price of the lowest and the
    rows of the highest, and the floor is lower.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> cells = {"sex": "ffff", "ill": "nnyy", "ate": "nyny"}
    >>> roles = {"sex": "quasi", "ill": "known", "ate": "known"}
    >>> people = Table(tuple(Column.of(name, roles[name], list(text)) for name, text in cells.items()))
    >>> trees = {name: Hierarchy.from_paths(name, [[text, "*"] for text in "fny"]) for name in cells}
    >>> [round(core_floor(people, trees, CoreAnonymity(2, m)), 4) for m in (1, 2)]
    [0.0, 0.3333]
    """
    trees = [hierarchies[column.name] for column in table.quasi]
    leaves = np.stack([tree.encode(column) for tree, column in zip(trees, table.quasi, strict=True)], axis=1)
    shares = shares_of(table)
    axes = build_axes(trees, leaves, shares)
    is_core = [column.role == "quasi" for column in table.quasi]
    place = {column.name: j for j, column in enumerate(table.quasi)}
    groups = _group_columns(claim, [column.name for column in table.role("known")])
    for near in _NEAR:
        rungs = [group_levels(axis.places, axis.prices / SCALE, near) for axis in axes]
        labels = sum(prod(len(rungs[place[name]]) for name in group) for group in groups)
        boxes = prod(len(column) for column, core in zip(rungs, is_core, strict=True) if core)
        if boxes * labels * table.n <= work:
            break
    columns = [_Column(axis.of, tuple(column)) for axis, column in zip(axes, rungs, strict=True)]
    core = [column for column, is_one in zip(columns, is_core, strict=True) if is_one]
    search = _BoxSearch(
        claim.k, table.counts, core, [[columns[place[name]] for name in group] for group in groups]
    )
    known_costs, costs = search.run()
    core_table = replace(table, columns=table.core, persons=None)
    core_share = sum(share for share, is_one in zip(shares.tolist(), is_core, strict=True) if is_one)
    alone = core_share * loss_floor(core_table, hierarchies, claim.k) if core_share > 0 else 0.0
    return max(
        float(np.average(costs, weights=table.counts)),
        alone + float(np.average(known_costs, weights=table.counts)),
    )


def _group_columns(claim: CoreAnonymity, names: Sequence[str]) -> list[list[str]]:
    """Known columns in groups that may be known at once, each in one; there may be other ways.

    >>> _group_columns(CoreAnonymity(2, 1, ((("a",), "c"),)), ["a", "b", "c"])
    [['a', 'c'], ['b']]
    """
    left, groups = list(names), []
    while left:
        group = [left.pop(0)]
        for name in list(left):
            if len(group) < _TOGETHER and _may_be_known(claim, [*group, name]):
                group.append(name)
                left.remove(name)
        groups.append(group)
    return groups


def _may_be_known(claim: CoreAnonymity, names: Sequence[str]) -> bool:
    """Whether somebody may know these columns, by knowing `m` of them and what follows."""
    known = combinations(names, min(claim.m, len(names)))
    return any(close_set(some, claim.follows).issuperset(names) for some in known)


@dataclass(frozen=True)
class _Column:
    """The value of each row, and the rungs of its column."""

    of: I8
    rungs: tuple[PriceRung, ...]


@dataclass(frozen=True)
class _BoxSearch:
    """What each row pays at least, for boxes of the core and groups of known columns."""

    k: int
    counts: I8 | None
    core: Sequence[_Column]
    groups: Sequence[Sequence[_Column]]

    def run(self) -> tuple[F8, F8]:
        """What each row pays at least for known columns, among all rows; and for all columns, in its cheapest box."""
        n = len(self.core[0].of)
        rows = np.arange(n)
        known_costs = self._price_known(rows, np.zeros(n, dtype=np.int64))
        lowest = known_costs + sum(column.rungs[-1].price[column.of] for column in self.core)
        vectors = sorted(
            product(*(column.rungs for column in self.core)),
            key=lambda boxes: sum(float(rung.price.mean()) for rung in boxes),
        )
        for boxes in vectors:
            key, prices = np.zeros(n, dtype=np.int64), np.zeros(n)
            for column, rung in zip(self.core, boxes, strict=True):
                key = np.unique(key * len(rung.high) + rung.high[column.of], return_inverse=True)[1].reshape(
                    -1
                )
                prices += rung.price[column.of]
            may_gain = (self._count(key) >= self.k) & (prices + known_costs < lowest)
            inside = np.zeros(int(key.max()) + 1, dtype=bool)
            inside[key[may_gain]] = True
            rows = np.flatnonzero(inside[key])
            if len(rows):
                costs = prices[rows] + self._price_known(rows, key[rows])
                lowest[rows] = np.minimum(lowest[rows], costs)
        return known_costs, lowest

    def _price_known(self, rows: I8, box: I8) -> F8:
        """What known columns of some rows cost at least, where labels hold k rows of the box that each row is in."""
        total = np.zeros(len(rows))
        counts = None if self.counts is None else self.counts[rows]
        for group in self.groups:
            lowest = np.full(len(rows), np.inf)
            for labels in product(*(column.rungs for column in group)):
                key, prices = box, np.zeros(len(rows))
                for column, rung in zip(group, labels, strict=True):
                    value = column.of[rows]
                    key = key * len(rung.high) + rung.high[value]
                    if int(key.max()) > 4 * len(rows) + 1024:
                        key = np.unique(key, return_inverse=True)[1].reshape(-1)
                    prices += rung.price[value]
                cheaper = prices < lowest
                if cheaper.any():
                    holds = cheaper & (self._count(key, counts) >= self.k)
                    lowest[holds] = prices[holds]
            total += lowest  # infinite in boxes of fewer than k rows
        return total

    def _count(self, key: I8, counts: I8 | None = None) -> I8:
        """How many records have the key of each row."""
        weights = self.counts if counts is None else counts
        return np.asarray(np.bincount(key, weights)[key], dtype=np.int64)
