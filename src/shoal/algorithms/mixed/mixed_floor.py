"""A floor under the loss `ncp` of a table with baskets: no release that recodes along the hierarchies loses less.

Whatever the classes are, the table is k-anonymous, so it loses at least the floor of the table. In a class an item is
published as a node that at least k records hold there. So the occurrences that are published as one node in one class
are at least k, all lie below the node and pay its price: they are a class of a table that has the item as its only
column and a row per occurrence, and the floor of this table is one of the items. Both hold at once.
"""

from typing import NamedTuple

import numpy as np

from shoal.algorithms.itemsets.item_codes import code_items
from shoal.algorithms.local.loss_floor import loss_floor
from shoal.data import Column, Mixed, Table
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Claim

__all__ = ["MixedFloor", "mixed_floor"]


class MixedFloor(NamedTuple):
    """What the table and what the items lose at least, and so both together."""

    table: float
    items: float

    @property
    def ncp(self) -> float:
        """The floor of the loss that counts both alike."""
        return (self.table + self.items) / 2


def mixed_floor(
    mixed: Mixed, hierarchies: Hierarchies, item_hierarchy: Hierarchy, claim: Claim
) -> MixedFloor:
    """Losses that every recoding of `mixed` along the hierarchies that keeps the k of `claim` has at least.

    Examples
    --------
    >>> from shoal.data import Baskets
    >>> from shoal.privacy import KKmAnonymity
    >>> sex = Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]])
    >>> food = Hierarchy.from_paths("food", [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "pie", "*"]])
    >>> people = Table((Column.of("sex", "quasi", list("ffmm")),))
    >>> sold = Mixed(people, Baskets.of("food", [["ale"], ["rum"], ["pie", "rum"], ["pie", "rum"]]))
    >>> [round(part, 4) for part in mixed_floor(sold, {"sex": sex}, food, KKmAnonymity(2, 2))]  # without ale
    [0.0, 0.1667]
    """
    name, found = mixed.baskets.name, code_items("bound", mixed.baskets, item_hierarchy, exempt=claim.exempts)
    use = np.bincount(found.items[found.items < found.width], minlength=found.width)
    held = np.flatnonzero(use).astype(np.int32)
    items = Table((Column(name, "quasi", item_hierarchy.leaves, held),), None, use[held])
    lost = loss_floor(items, {name: item_hierarchy}, claim.crowd) if len(held) else 0.0
    return MixedFloor(loss_floor(mixed.table, hierarchies, claim.crowd), lost)
