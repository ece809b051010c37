"""A floor under the loss `ncp` of a table with baskets, whatever its classes are.

A class is written as a box, one node per column. An item is published in it as a node that k records of the class hold,
and with another item of its record as two nodes that k of them hold together; so at least k records of the whole *box*
do. What the items of a record cost in a box is thus no less than what they would cost if all that are in the box stood
in its class, and every record pays at least what its cheapest box costs it, for its cells and for its items. A large
box costs many cells, a small one many items. That is the floor of both *together*.

Of each part alone more is known: the table is k-anonymous; and the occurrences that become one node in one class are k
or more, a class of a table with the item as its only column. The larger of the two floors is told.
"""

from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from shoal.algorithms.itemsets.item_cuts import code_items
from shoal.algorithms.local.boxes import build_axes, group_levels, loss_floor
from shoal.algorithms.local.column_prices import SCALE, shares_of
from shoal.algorithms.mixed._kernels import HeldNodes, lower_least_costs
from shoal.data import Column, Mixed, Table
from shoal.data.arrays import I4, I8, prefix_sums, row_of_entry
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.release import Claim

__all__ = ["mixed_floor"]

_MixedClaim = KKmAnonymity | KLmDiversity

WORK = 1 << 23  # records in boxes to look at: some ten seconds
_NODES = 1 << 10  # of the items, of which each two are counted
_NEAR = [2.0**power for power in range(-8, 1)]  # levels whose prices differ by no more are taken for one


class MixedFloor(NamedTuple):
    """What the table and what the items lose at least, each alone; and the mean of both where they are one release."""

    table: float
    items: float
    together: float

    @property
    def ncp(self) -> float:
        """The floor of the loss that counts both alike."""
        return max((self.table + self.items) / 2, self.together)


def mixed_floor(
    mixed: Mixed, hierarchies: Hierarchies, item_hierarchy: Hierarchy, claim: Claim, *, work: int = WORK
) -> MixedFloor:
    """Losses that every recoding of `mixed` along the hierarchies that keeps the k and m of `claim` has at least.

    It holds where a class is written as one node per column and its items as nodes of which none stands above another;
    whatever is left out. `work` is how many records in boxes are looked at: with less, levels of similar price are
    taken for one, which has the price of the lowest and the records of the highest, and the floor is lower.

    Examples
    --------
    >>> from shoal.data import Baskets
    >>> from shoal.privacy import KKmAnonymity
    >>> sex = Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]])
    >>> food = Hierarchy.from_paths("food", [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "pie", "*"]])
    >>> people = Table((Column.of("sex", "quasi", list("ffmm")),))
    >>> sold = Mixed(people, Baskets.of("food", [["ale"], ["rum"], ["pie", "rum"], ["pie", "rum"]]))
    >>> found = mixed_floor(sold, {"sex": sex}, food, KKmAnonymity(2, 2))
    >>> round(found.table, 4), round(found.items, 4)  # without ale
    (0.0, 0.1667)
    >>> round(found.together, 4)  # ale and the rum beside it are drinks: 2 of 6 items lose 2/3
    0.1111
    """
    assert isinstance(claim, _MixedClaim)
    name, coded = mixed.baskets.name, code_items("bound", mixed.baskets, item_hierarchy, exempt=claim.exempts)
    is_counted = coded.items < coded.width
    items, start = coded.items[is_counted], prefix_sums(is_counted)[coded.start]
    use = np.bincount(items, minlength=coded.width)
    used_items = np.flatnonzero(use).astype(np.int32)
    item_table = Table((Column(name, "quasi", item_hierarchy.leaves, used_items),), None, use[used_items])
    items_floor = loss_floor(item_table, {name: item_hierarchy}, claim.crowd) if len(used_items) else 0.0
    joint_floor = _measure_joint_floor(
        mixed.table, hierarchies, _find_held_nodes(start, items, item_hierarchy), claim, work
    )
    return MixedFloor(loss_floor(mixed.table, hierarchies, claim.crowd), items_floor, joint_floor)


def _find_held_nodes(start: I8, items: I4, hierarchy: Hierarchy) -> HeldNodes:
    """Which nodes the records hold, on as many rungs as can be counted two by two."""
    node_codes = hierarchy.up[: hierarchy.size].T.astype(np.int64)
    widths = np.stack(
        [np.diff(span)[:, 0][node] for span, node in zip(hierarchy.spans, node_codes, strict=True)]
    )
    prices = np.where(widths > 1, widths / hierarchy.size, 0.0)
    for near in _NEAR:
        rungs = group_levels(node_codes, prices, near)
        if sum(len(np.unique(rung.high)) for rung in rungs) <= _NODES:
            break
    nodes, node_count = np.empty((len(rungs), hierarchy.size), dtype=np.int64), 0
    for number, rung in enumerate(rungs):
        nodes[number] = node_count + np.unique(rung.high, return_inverse=True)[1].reshape(-1)
        node_count = int(nodes[number].max()) + 1
    pairs = np.unique(row_of_entry(start) * node_count + nodes[:, items])
    begins = np.searchsorted(pairs, np.arange(len(start)) * node_count)
    low, price = np.stack([rung.low for rung in rungs]), np.stack([rung.price for rung in rungs])
    return HeldNodes(start, items.astype(np.int64), begins, pairs % node_count, nodes, low, price)


def _measure_joint_floor(
    table: Table, hierarchies: Hierarchies, given: HeldNodes, claim: _MixedClaim, work: int
) -> float:
    """The mean over cells and items of what every record pays in its cheapest box."""
    trees = [hierarchies[column.name] for column in table.quasi]
    leaves = np.stack([tree.encode(column) for tree, column in zip(trees, table.quasi, strict=True)], axis=1)
    axes = build_axes(trees, leaves, shares_of(table))
    n = len(leaves)
    for near in _NEAR:
        rungs = [group_levels(axis.places, axis.prices / SCALE, near) for axis in axes]
        if prod(map(len, rungs)) * n <= work:
            break
    share = n / max(len(given.items), 1)  # of one item, beside all cells of a record
    lowest_costs = 1 + share * np.diff(given.start)  # what a record that is left out costs
    counts = np.zeros((int(given.nodes.max()) + 1,) * 2, dtype=np.int32)
    vectors = sorted(product(*rungs), key=lambda boxes: sum(rung.price.mean() for rung in boxes))
    for boxes in vectors:
        key, cell_costs = np.zeros(n, dtype=np.int64), np.zeros(n)
        for axis, rung in zip(axes, boxes, strict=True):
            key = np.unique(key * len(rung.high) + rung.high[axis.of], return_inverse=True)[1].reshape(-1)
            cell_costs += rung.price[axis.of]
        order = np.argsort(key, kind="stable")
        bounds = prefix_sums(np.bincount(key))
        lower_least_costs(
            order, bounds, cell_costs, given, claim.crowd, claim.m > 1, share, counts, lowest_costs
        )
    return float(lowest_costs.mean()) / 2
