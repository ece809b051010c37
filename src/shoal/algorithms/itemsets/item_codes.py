"""Baskets as methods of k^m-anonymity see them: leaf codes in hierarchy order, sensitive items behind all others.

start : int64[n + 1]   record i holds items[start[i] : start[i + 1]]
items : int32          open items 0 .. width-1, then secrets width .. width+secrets-1; ascending in a record
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from shoal.algorithms.constraint import refusal
from shoal.algorithms.itemsets._kernels.supports import WeightedBaskets, distinct
from shoal.algorithms.knobs import allowance
from shoal.data import Baskets
from shoal.data.arrays import B1, I4, I8, owners, owners_by_size, prefix_sums, take
from shoal.errors import HierarchyError, InfeasibleError, InputError
from shoal.hierarchy import Hierarchy
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.release import Claim, Forms, RecodedBaskets

__all__ = [
    "ItemCodes",
    "Taxonomy",
    "code_items",
    "gather",
    "not_in_hierarchy",
    "numbers_of",
    "open_items",
    "open_use",
    "places_of",
    "recode_items",
    "require",
    "require_root",
    "root_is_good",
    "unite_parts",
]


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Nodes in preorder: 0 is the root, and a node stands before everything below it.

    lo, hi : int32[nodes]  node a covers the leaf codes lo[a] .. hi[a]-1, no two nodes the same
    parent : int32[nodes]  the node above; the root's is itself
    labels : a node that stands on several levels has its lowest label
    """

    lo: I4
    hi: I4
    parent: I4
    labels: tuple[str, ...]

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> Self:
        """Take the nodes of a hierarchy.

        >>> hierarchy = Hierarchy.from_paths("x", [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c+", "*"]])
        >>> Taxonomy.of(hierarchy).labels
        ('*', 'ab', 'a', 'b', 'c')
        """
        named: dict[tuple[int, int], str] = {}
        for labels, spans in zip(hierarchy.labels, hierarchy.spans, strict=True):
            for label, (lo, hi) in zip(labels, spans.tolist(), strict=True):
                named.setdefault((lo, -hi), label)
        return cls.joined(named)

    @classmethod
    def joined(cls, named: Mapping[tuple[int, int], str]) -> Self:
        """Put nodes in order: (lo, -hi) of each, and its label."""
        nodes = sorted(named)
        parent, above = np.zeros(len(nodes), dtype=np.int32), [0]
        for node, (lo, _) in enumerate(nodes):
            while -nodes[above[-1]][1] <= lo:
                above.pop()
            parent[node] = above[-1]
            above.append(node)
        spans = np.array(nodes, dtype=np.int32)
        return cls(spans[:, 0].copy(), -spans[:, 1], parent, tuple(named[node] for node in nodes))

    @cached_property
    def leaves(self) -> I4:
        """The node of every leaf code: the cut that changes nothing."""
        single = np.flatnonzero(self.hi - self.lo == 1)
        nodes = np.empty(int(self.hi[0]), dtype=np.int32)
        nodes[self.lo[single]] = single
        return nodes


@dataclass(frozen=True, slots=True)
class ItemCodes:
    """Baskets in codes of a method.

    place : int32[values]  the code of every item of the vocabulary; -1 where it has none and does not occur
    """

    start: I8
    items: I4
    width: int
    secrets: int
    place: I4

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.start) - 1

    def allowance(self, method: str, suppress: float, rows: I8 | None = None) -> int:
        """How many occurrences of open items, of all records or some, a share allows to leave out."""
        items = self.items if rows is None else take(self.start, self.items, rows)[1]
        return allowance(method, suppress, int((items < self.width).sum()), "item occurrences")

    def weighted(self, rows: I8 | None = None) -> WeightedBaskets:
        """All records, or some, as distinct baskets."""
        if rows is None:
            return gather(self.start, self.items, self.width, self.secrets)
        return gather(*take(self.start, self.items, rows), self.width, self.secrets)


def code_items(method: str, baskets: Baskets, hierarchy: Hierarchy | None, *, exempt: bool) -> ItemCodes:
    """Give every item its leaf code, or without a hierarchy its own code; with `exempt`, sensitive items come last.

    Raises
    ------
    HierarchyError
        Items that occur, and are not exempt, are not in the hierarchy; they travel in the error's `value`.
    """
    place, width = places_of(baskets, hierarchy, exempt=exempt)
    items = place[baskets.items]
    strange = np.flatnonzero(items < 0)
    if len(strange):
        first = np.searchsorted(baskets.start, strange[0], side="right")
        raise not_in_hierarchy(
            method, baskets, np.unique(baskets.items[strange]).tolist(), f", first in record {first},"
        )
    secrets = int((place >= width).sum())
    total = width + secrets
    key = owners(baskets.start) * total + items
    key.sort()
    return ItemCodes(baskets.start.copy(), (key % max(total, 1)).astype(np.int32), width, secrets, place)


def places_of(baskets: Baskets, hierarchy: Hierarchy | None, *, exempt: bool) -> tuple[I4, int]:
    """The code of every item of the vocabulary, as `ItemCodes` has it, and how many open items there are codes for."""
    secret = np.zeros(len(baskets.values), dtype=bool)
    secret[list(baskets.sensitive) if exempt else []] = True
    width = len(baskets.values) if hierarchy is None else hierarchy.size
    own = np.arange(width, dtype=np.int32)
    place = (own if hierarchy is None else hierarchy.look_up(baskets.values)).copy()
    place[secret] = width + np.arange(secret.sum())
    return place, width


def not_in_hierarchy(method: str, baskets: Baskets, codes: Sequence[int], where: str = "") -> HierarchyError:
    """The error for items that occur and have no place; they travel in its `value`."""
    return HierarchyError(
        f"{method}: column '{baskets.name}': {len(codes)} distinct item(s){where} are not in the hierarchy; add them "
        "to it or correct the data",
        value=tuple(baskets.values[code] for code in codes),
    )


def gather(start: I8, items: I4, width: int, secrets: int = 0, weight: I8 | None = None) -> WeightedBaskets:
    """Unite equal baskets, each one record or as many as `weight` says; they come in order of first appearance."""
    of, heads = distinct(start, items)
    begin, kept = take(start, items, heads)
    opens = prefix_sums(kept < width)
    mid = begin[:-1] + opens[begin[1:]] - opens[begin[:-1]]
    many = np.bincount(of, minlength=len(heads))
    if weight is not None:
        many = np.bincount(of, weights=weight, minlength=len(heads)).astype(np.int64)
    return WeightedBaskets(begin, mid, kept, many, width, secrets)


def unite_parts(parts: Sequence[WeightedBaskets]) -> WeightedBaskets:
    """The distinct baskets of several parts of the records."""
    items = np.concatenate([part.items for part in parts])
    size = np.concatenate([np.diff(part.start) for part in parts])
    weight = np.concatenate([part.weight for part in parts])
    start = prefix_sums(size)
    return gather(start, items, parts[0].width, parts[0].secrets, weight)


def open_items(weighted: WeightedBaskets) -> tuple[I4, I4]:
    """Every open item of every row: (its row, the item)."""
    row = owners_by_size(weighted.mid - weighted.start[:-1]).astype(np.int32)
    return row, weighted.items[weighted.items < weighted.width] if weighted.secrets else weighted.items


def open_use(weighted: WeightedBaskets) -> I8:
    """How many records hold each open item."""
    row, opens = open_items(weighted)
    return np.bincount(opens, weights=weighted.weight[row], minlength=weighted.width).astype(np.int64)


def numbers_of(method: str, claim: Claim) -> tuple[int, int, int]:
    """The k, m and l of a claim about combinations of items; l is 0 where nothing is asked of sensitive ones.

    Raises
    ------
    InputError
        It is another claim, which such methods do not keep.
    """
    if isinstance(claim, KmAnonymity):
        return claim.k, claim.m, 0
    if isinstance(claim, LmDiversity):
        return claim.k, claim.m, claim.l
    raise refusal(method, claim)


def require(method: str, weighted: WeightedBaskets, k: int, l: int) -> None:
    """Refuse a claim that no generalization can keep: publishing everything as the root must keep it.

    Raises
    ------
    InputError
        l is asked for, and no item is sensitive.
    InfeasibleError
        Too few records, too few with items, or a sensitive item is too frequent.
    """
    some, most = _holders(weighted)
    everybody = _most(weighted, np.ones(len(weighted.weight), dtype=bool))
    require_root(method, k, l, int(weighted.weight.sum()), some, everybody, most, weighted.secrets)


def require_root(
    method: str, k: int, l: int, n: int, some: int, everybody: int, most: int, secrets: int
) -> None:
    """Do what `require` does, of `n` records of which `some` hold open items.

    The most frequent of so many `secrets` is in `everybody` records, and in at most `most` of those with open items.
    """
    if k > n:
        raise InfeasibleError(f"{method}: k={k} but there are {n} records; lower k or add records")
    if l and not secrets:
        raise InputError(
            f"{method}: l={l} is about sensitive items, and none is named; name them or give k alone"
        )
    if not l and not some:
        raise InputError(f"{method}: none of the {n} records has an item; there is nothing to publish")
    if 0 < some < k:
        raise InfeasibleError(
            f"{method}: k={k} but only {some} records have items to count; lower k or add records"
        )
    if l * everybody > n:
        raise InfeasibleError(
            f"{method}: a sensitive item is in {everybody} of {n} records, more than 1 of l={l}; "
            "lower l or leave the item out"
        )
    if l * most > some:
        raise InfeasibleError(
            f"{method}: a sensitive item is in {most} of the {some} records that have other items, more than 1 of "
            f"l={l}, and no generalization changes that; lower l or leave the item out"
        )


def root_is_good(weighted: WeightedBaskets, k: int, l: int) -> bool:
    """Whether the claim holds when all open items become one item."""
    some, most = _holders(weighted)
    return some == 0 or (some >= k and l * most <= some)


def _holders(weighted: WeightedBaskets) -> tuple[int, int]:
    """How many records have open items, and how many of these hold the most frequent sensitive item."""
    holding = weighted.mid > weighted.start[:-1]
    return int(weighted.weight[holding].sum()), _most(weighted, holding)


def _most(weighted: WeightedBaskets, rows: B1) -> int:
    """How many of `rows` hold their most frequent sensitive item."""
    row = owners(weighted.start)
    found = (weighted.items >= weighted.width) & rows[row]
    counts = np.bincount(weighted.items[found] - weighted.width, weighted.weight[row[found]])
    return int(counts.max(initial=0))


def recode_items(
    baskets: Baskets, form: I8, forms: Forms, rule: Mapping[str, Any] | None = None
) -> RecodedBaskets:
    """Publish every item occurrence as a form (-1: it is left out); equal forms in a record become one."""
    row = owners(baskets.start)
    kept = form >= 0
    width = max(len(forms.labels), 1)
    keys = np.sort(row[kept] * width + form[kept])
    keys = keys[np.r_[True, keys[1:] != keys[:-1]][: len(keys)]]
    start = np.searchsorted(keys // width, np.arange(baskets.n + 1)).astype(np.int64)
    items = (keys % width).astype(np.int32)
    gone = int(len(form) - kept.sum())
    return RecodedBaskets(
        forms, start, items, np.arange(baskets.n), baskets.n, gone, {} if rule is None else rule
    )
