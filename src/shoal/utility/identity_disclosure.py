"""Whom a few known things single out: items of a basket, values and relations of a tree, beside a table or alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from shoal.data import Baskets, Trees
from shoal.data.arrays import I4, I8, owners, prefix_sums
from shoal.utility._kernels import lower_least
from shoal.utility.risk import class_ids

__all__ = [
    "IdentityDisclosure",
    "by_class",
    "by_items",
    "by_values",
    "relations_of",
    "values_of",
    "whole_baskets",
    "whole_trees",
]

MOST_SETS = 1 << 34
"""Sets of items beyond which nothing is counted rather than for hours."""

_MOST_ITEMS = 3


@dataclass(frozen=True, slots=True)
class IdentityDisclosure:
    """What an attacker knows of each record, and how well that hides it.

    items     : how many items, or values of a tree
    relations : how many relations among the values
    least     : int64[n], the fewest records that share some choice of so many with the record, itself among them;
                None where there are too many choices to count
    """

    items: int
    relations: int
    least: I8 | None


def by_items(baskets: Baskets, classes: NDArray[np.integer] | None = None) -> Iterator[IdentityDisclosure]:
    """For 1, 2 and 3 items: how few records share some choice of a record's items.

    A choice has at most so many items, so that a small basket counts as well. `classes` numbers the records by what
    else is known, such as all quasi-identifiers; then only records of one class are alike.

    >>> [found.least.tolist() for found in by_items(Baskets.of("items", [["a", "b"], ["a", "c"], ["b", "a", "c"], []]))]
    [[2, 2, 2, 4], [2, 2, 1, 4], [2, 2, 1, 4]]
    """
    n = baskets.n
    ends, rows = _groups(np.zeros(n, dtype=np.int64) if classes is None else class_ids([classes]))
    least: I8 | None = np.full(n, n, dtype=np.int64)
    rare = _rare_first(baskets.start, baskets.items, len(baskets.values))
    for more in range(1, _MOST_ITEMS + 1):
        if least is not None:
            least = _lowered(ends, rows, baskets.start, rare, len(baskets.values), more, least)
        yield IdentityDisclosure(more, 0, least)


def by_values(trees: Trees) -> Iterator[IdentityDisclosure]:
    """For 1, 2 and 3 values, without a relation among them and with one: how few records share some choice.

    The values of the sensitive class are not known to anybody. A relation is a pair of values of which one stands
    above the other; it may stand anywhere in a record.
    """
    n, width = trees.n, max(len(trees.values), 1)
    start, items = values_of(trees)
    rare = _rare_first(start, items, width)
    ends, rows = relations_of(trees)
    least: I8 | None = np.full(n, n, dtype=np.int64)
    everybody = np.array([0, n]), np.arange(n)
    for more in range(1, _MOST_ITEMS + 1):
        if least is not None:
            least = _lowered(*everybody, start, rare, width, more, least)
        yield IdentityDisclosure(more, 0, least)
        if more > 1:
            with_one = None if least is None else _lowered(ends, rows, start, rare, width, more - 2, least)
            yield IdentityDisclosure(more, 1, with_one)


def values_of(trees: Trees) -> tuple[I8, I4]:
    """The values of each record that may be known, each once, ascending: where they start, and the values."""
    width = max(len(trees.values), 1)
    keys = owners(trees.start) * width + trees.items
    return _lists(keys, _knowable(trees)[trees.items], trees.n, width)


def _knowable(trees: Trees) -> NDArray[np.bool_]:
    """The values that are not of the sensitive class."""
    seen = np.ones(max(len(trees.values), 1), dtype=bool)
    if trees.sensitive is not None:
        seen[: len(trees.kinds)] = trees.kinds != trees.classes.index(trees.sensitive)
    return seen


def by_class(trees: Trees, k: int) -> Iterator[tuple[int, int, int]]:
    """For each class: how many values it has, and how many records one of them leaves alone, and with fewer than k.

    >>> list(by_class(Trees.of([[("ward", "A", ("ill", "flu"))], [("ward", "A"), ("ward", "B")]]), 3))
    [(2, 1, 2), (1, 1, 1)]
    """
    width, kinds = max(len(trees.values), 1), len(trees.classes)
    held = _distinct(owners(trees.start) * width + trees.items)
    record, item = held // width, held % width
    often = np.bincount(item, minlength=width)
    counts = [np.bincount(trees.kinds, minlength=kinds)]
    for most in (1, k - 1):
        rare = often[item] <= most
        found = _distinct(record[rare] * kinds + trees.kinds[item[rare]])
        counts.append(np.bincount(found % max(kinds, 1), minlength=kinds))
    yield from zip(*(count.tolist() for count in counts), strict=True)


def whole_baskets(baskets: Baskets, classes: NDArray[np.integer] | None = None) -> I8:
    """For each record, how many have the same basket, and are in the same class; int64[n]."""
    same = _same(baskets.start, [baskets.items])
    ids = same if classes is None else class_ids([same, classes])
    return np.bincount(ids, minlength=1)[ids]


def whole_trees(trees: Trees) -> I8:
    """For each record, how many have the same tree but for values of the sensitive class; int64[n]."""
    depth = np.zeros(len(trees.items), dtype=np.int32)
    above = np.where(trees.parents < 0, -1, trees.start[owners(trees.start)] + trees.parents)
    at = above.copy()
    while (climbing := at >= 0).any():
        depth[climbing] += 1
        at[climbing] = above[at[climbing]]
    start, shown = trees.start, np.ones(len(trees.items), dtype=bool)
    if trees.sensitive is not None:
        shown = trees.kinds[trees.items] != trees.classes.index(trees.sensitive)
        start = prefix_sums(shown)[trees.start]
    ids = _same(start, [trees.items[shown], depth[shown]])  # in preorder, values and depths are the tree
    return np.bincount(ids, minlength=1)[ids]


def _same(start: I8, parts: list[I4]) -> I8:
    """Number the rows of ragged lists; equal rows get equal numbers."""
    text = np.stack(parts, axis=1).astype(np.int32).tobytes()
    step = 4 * len(parts)
    seen: dict[bytes, int] = {}
    spans = zip((step * start[:-1]).tolist(), (step * start[1:]).tolist(), strict=True)
    return np.fromiter((seen.setdefault(text[a:b], len(seen)) for a, b in spans), np.int64, len(start) - 1)


def _groups(ids: I8) -> tuple[I8, I8]:
    """The rows of each number: where they begin, and the rows."""
    order = np.argsort(ids, kind="stable")
    return prefix_sums(np.bincount(ids, minlength=1)), order


def _lists(keys: I8, shown: NDArray[np.bool_], n: int, width: int) -> tuple[I8, I4]:
    """Keys row * width + item as ragged lists without repeats."""
    held = _distinct(keys[shown])
    return np.searchsorted(held, np.arange(n + 1) * width), (held % width).astype(np.int32)


def _rare_first(start: I8, items: I4, width: int) -> I4:
    """The items renumbered, rare ones first, and sorted in each row: rare items settle most rows early."""
    often = np.bincount(items, minlength=max(width, 1))
    rank = np.empty(len(often), dtype=np.int64)
    rank[np.argsort(often, kind="stable")] = np.arange(len(often))
    keys = np.sort(owners(start) * len(often) + rank[items])
    return (keys % len(often)).astype(np.int32)


def relations_of(trees: Trees) -> tuple[I8, I8]:
    """For each pair of values of which one stands above the other, and both may be known, the records that show it."""
    width, record, seen = max(len(trees.values), 1), owners(trees.start), _knowable(trees)
    above = np.where(trees.parents < 0, -1, trees.start[record] + trees.parents)
    at, nodes = above, np.arange(len(above))
    pairs, records = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    while (climbing := at >= 0).any():
        at, nodes = at[climbing], nodes[climbing]
        both = seen[trees.items[at]] & seen[trees.items[nodes]]
        pairs.append((trees.items[at].astype(np.int64) * width + trees.items[nodes])[both])
        records.append(record[nodes][both])
        at = above[at]
    shown = _distinct(class_ids([np.concatenate(pairs)]) * trees.n + np.concatenate(records))
    edges = np.flatnonzero(np.diff(shown // max(trees.n, 1))) + 1
    return np.r_[0, edges, len(shown)].astype(np.int64), shown % max(trees.n, 1)


def _distinct(keys: I8) -> I8:
    """The different numbers, ascending; sorting beats np.unique here."""
    ranked = np.sort(keys)
    fresh: I8 = ranked[np.r_[True, ranked[1:] != ranked[:-1]][: len(ranked)]]
    return fresh


def _lowered(ends: I8, rows: I8, start: I8, items: I4, width: int, more: int, least: I8) -> I8 | None:
    """What `more` items beside the group leave of each record's crowd; None where there are too many choices."""
    if not (least > 1).any():
        return least
    held = np.bincount(np.diff(start)[rows], minlength=1)
    if sum(int(many) * comb(size, more) for size, many in enumerate(held)) > MOST_SETS:
        return None
    lower, start = least.copy(), np.require(start, requirements="W")  # else the kernel is compiled twice
    lower_least(ends, rows, start, items, max(width, 1), more, lower)
    return lower
