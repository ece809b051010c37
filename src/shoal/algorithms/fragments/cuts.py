"""Cut records into fragments of similar ones."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.algorithms.constraint import Constraint
from shoal.algorithms.itemsets.item_codes import code_items
from shoal.algorithms.local.local_table import LocalTable
from shoal.algorithms.ring.basket_order import gray_order, significance
from shoal.data import Baskets, Table
from shoal.data.arrays import I4, I8, prefix_sums
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Claim

__all__ = ["CUTS", "first_splits", "rarest_first"]

_LEAST = 64  # a side of a split holds at least one of so many parts of a fragment, if any split does


def first_splits(method: str, table: Table, hierarchies: Hierarchies, size: int, *, mix: bool) -> list[I8]:
    """The records, split as Mondrian splits them until none of the parts holds more than `size`.

    Each split lies between children of the common node of the column in which a part costs most, as near to its median
    as it can. Neighbours in the list are similar. All rows of a person go where the middle one of them is, so that
    parts may become larger. With `mix`, equal records are parted so that both sides hold the same sensitive values.
    """
    local = LocalTable.of(method, table, hierarchies, recode="hierarchy", grid=None, mix=mix)
    parts, waiting = list[I8](), [np.arange(local.n)]
    while waiting:
        part = waiting.pop()
        if len(part) <= size:
            parts.append(part)
        else:
            left, right = _halves(local, part, max(size // _LEAST, 1))
            waiting += [right, left]
    rows = [local.rows[part] for part in parts]
    return rows if table.persons is None else _of_persons(rows, table.persons)


def _halves(local: LocalTable, part: I8, least: int) -> tuple[I8, I8]:
    """Split a part in two: between children of a node, else between two values, else anywhere."""
    codes = local.codes[part]
    spans = [(int(column.min()), int(column.max())) for column in codes.T]
    prices = [_price(local, j, *span) for j, span in enumerate(spans)]
    columns = [j for j in np.argsort(-np.array(prices), kind="stable").tolist() if spans[j][0] < spans[j][1]]
    for strict in (True, False):
        for j in columns:
            place = _evenest(codes[:, j], spans[j], local.scales[j].joint, least, strict)
            if place is not None:
                left = codes[:, j] <= place
                return part[left], part[~left]
    return part[: len(part) // 2], part[len(part) // 2 :]


def _price(local: LocalTable, j: int, low: int, high: int) -> float:
    """What a record pays in column j where all values between two are published as their common node."""
    scale, hierarchy = local.scales[j], local.hierarchies[j]
    level = int(scale.joint[low:high].max(initial=0))
    first, last = hierarchy.spans[level][hierarchy.up[scale.leaf[low], level]]
    return scale.root * float(last - first) / hierarchy.size


def _evenest(values: I4, span: tuple[int, int], joint: I8, least: int, strict: bool) -> int | None:
    """The last value left of the most even split, None where a side would hold fewer than `least`."""
    low, high = span
    before = np.cumsum(np.bincount(values - low, minlength=high - low + 1))[:-1]
    uneven = np.abs(2 * before - len(values)).astype(np.float64)
    if strict:
        uneven[joint[low:high] < joint[low:high].max()] = np.inf
    best = int(uneven.argmin())
    return low + best if least <= before[best] <= len(values) - least else None


def _of_persons(parts: Sequence[I8], persons: I8) -> list[I8]:
    """The same parts, each person in one of them."""
    number = np.empty(len(persons), dtype=np.int64)
    for at, rows in enumerate(parts):
        number[rows] = at
    order = np.lexsort((number, persons))
    _, first, times = np.unique(persons[order], return_index=True, return_counts=True)
    number[order] = np.repeat(number[order[first + times // 2]], times)
    together = np.concatenate(parts)
    together = together[np.argsort(number[together], kind="stable")]
    ends = np.cumsum(np.bincount(number, minlength=len(parts)))[:-1]
    return [rows for rows in np.split(together, ends) if len(rows)]


def _even_runs(order: I8, size: int) -> list[I8]:
    """Cut an order in runs of at most `size`, all of about the same length.

    >>> [run.tolist() for run in _even_runs(np.array([4, 2, 0, 1, 3]), 2)]
    [[4], [2, 0], [1, 3]]
    """
    count = max(-(-len(order) // size), 1)
    return [order[a:b] for a, b in pairwise((np.arange(count + 1) * len(order) // count).tolist())]


def rarest_first(count: I8) -> I8:
    """The rank of each item as a digit of the Gray code: the rarest is the highest, as in `lra`."""
    return np.argsort(np.argsort(count, kind="stable"))


def _of_table(
    method: str, inputs: Mapping[str, Any], claim: Claim, size: int, rng: np.random.Generator
) -> list[I8]:
    table: Table = inputs["table"]
    mix = Constraint.of(method, claim, table).sensitive
    return first_splits(method, table, inputs["hierarchies"], size, mix=mix)


def _of_mixed(
    method: str, inputs: Mapping[str, Any], claim: Claim, size: int, rng: np.random.Generator
) -> list[I8]:
    return first_splits(method, inputs["mixed"].table, inputs["hierarchies"], size, mix=False)


def _of_votes(
    method: str, inputs: Mapping[str, Any], claim: Claim, size: int, rng: np.random.Generator
) -> list[I8]:
    """Equal baskets stand in an order that is drawn: where they lie in the file tells nothing."""
    baskets: Baskets = inputs["baskets"]
    return _even_runs(gray_order(baskets, significance(baskets), rng.permutation(baskets.n)), size)


def _of_items(
    method: str, inputs: Mapping[str, Any], claim: Claim, size: int, rng: np.random.Generator
) -> list[I8]:
    """Records without items to generalize fit anywhere: each run gets as many of them."""
    baskets: Baskets = inputs["baskets"]
    hierarchy: Hierarchy = inputs["hierarchy"]
    found = code_items(method, baskets, hierarchy, exempt=claim.exempts)
    opens = prefix_sums(found.items < found.width)
    order = gray_order(baskets, rarest_first(np.bincount(baskets.items, minlength=len(baskets.values))))
    bare = opens[found.start[order + 1]] == opens[found.start[order]]
    runs = _even_runs(order[~bare], size)
    return [np.r_[run, some] for run, some in zip(runs, np.array_split(order[bare], len(runs)), strict=True)]


Cut = Callable[[str, Mapping[str, Any], Claim, int, np.random.Generator], list[I8]]

CUTS: dict[str, Cut] = {
    "table": _of_table,
    "mixed": _of_mixed,
    "votes": _of_votes,
    "items": _of_items,
}
"""How records are cut into fragments of at most so many, by what a method says of its own.

table, mixed : the first splits of a Mondrian, along the hierarchies of the quasi-identifiers
votes        : runs of the Gray order of all baskets, the items that divide them most evenly first
items        : runs of the Gray order of all baskets, the rarest items first
"""
