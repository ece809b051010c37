"""Baskets as methods of k^m-anonymity see them, and cuts through their hierarchy: found by Apriori, and applied.

Leaf codes stand in hierarchy order, sensitive items behind all others. `find_cut` takes plain arrays and is cheap on
few baskets, so that a method may call it once per cluster.

start : int64[n + 1]   record i holds items[start[i] : start[i + 1]]
items : int32          open items 0 .. width-1, then secrets width .. width+secrets-1; ascending in a record
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import comb
from typing import Any, NamedTuple, Self

import numpy as np

from shoal.algorithms.constraint import refusal
from shoal.algorithms.itemsets._kernels.supports import (
    CutState,
    PublishedItems,
    Tree,
    WeightedBaskets,
    invert_index,
    mend_itemsets,
    number_distinct_rows,
    publish_items,
)
from shoal.algorithms.knobs import suppression_limit
from shoal.base.errors import HierarchyError, InfeasibleError, InputError
from shoal.base.progress import Progress, Tell, no_progress, no_share, poll_kernel, round_shares, start_step
from shoal.data import Baskets
from shoal.data.arrays import (
    B1,
    F8,
    I4,
    I8,
    is_group_start,
    prefix_sums,
    row_of_entry,
    rows_by_size,
    sum_rows,
    take_rows,
)
from shoal.hierarchy import Hierarchy
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.release import Claim, PublishedValues, RecodedBaskets

__all__ = [
    "CutSearch",
    "HolderCounts",
    "ItemCodes",
    "SupportRequirement",
    "Taxonomy",
    "apply_cut",
    "claim_numbers",
    "code_items",
    "code_vocabulary",
    "count_holders",
    "count_open_items",
    "cut_forms",
    "find_cut",
    "list_open_items",
    "not_in_hierarchy_error",
    "publish_cut",
    "publish_cuts",
    "ranges_with_progress",
    "recode_items",
    "require_countable",
    "require_support",
    "unite_baskets",
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
        return cls.join(named)

    @classmethod
    def join(cls, named: Mapping[tuple[int, int], str]) -> Self:
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

    def allowance(self, method: str, suppress: float) -> int:
        """How many occurrences of open items a share allows to leave out."""
        return suppression_limit(method, suppress, int((self.items < self.width).sum()), "item occurrences")

    def distinct(self) -> WeightedBaskets:
        """The records as distinct baskets."""
        return unite_baskets(self.start, self.items, self.width, self.secrets)

    def take(self, rows: I8) -> "ItemCodes":
        """Some records, in the order they are named."""
        start, items = take_rows(self.start, self.items, rows)
        return replace(self, start=start, items=items)

    def where(self, some: B1) -> "ItemCodes":
        """The same records with some of their items only."""
        return replace(self, start=prefix_sums(some)[self.start], items=self.items[some])


def code_items(method: str, baskets: Baskets, hierarchy: Hierarchy | None, *, exempt: bool) -> ItemCodes:
    """Give every item its leaf code, or without a hierarchy its own code; with `exempt`, sensitive items come last.

    Raises
    ------
    HierarchyError
        Items that occur, and are not exempt, are not in the hierarchy; they travel in the error's `value`.
    """
    code_of_item, width = code_vocabulary(baskets, hierarchy, exempt=exempt)
    items = code_of_item[baskets.items]
    strange = np.flatnonzero(items < 0)
    if len(strange):
        first = np.searchsorted(baskets.start, strange[0], side="right")
        raise not_in_hierarchy_error(
            method, baskets, np.unique(baskets.items[strange]).tolist(), f", first in record {first},"
        )
    secrets = int((code_of_item >= width).sum())
    total = width + secrets
    key = row_of_entry(baskets.start) * total + items
    key.sort()
    return ItemCodes(
        baskets.start.copy(), (key % max(total, 1)).astype(np.int32), width, secrets, code_of_item
    )


def code_vocabulary(baskets: Baskets, hierarchy: Hierarchy | None, *, exempt: bool) -> tuple[I4, int]:
    """The code of every item of the vocabulary, as `ItemCodes` has it, and how many open items there are codes for."""
    secret = np.zeros(len(baskets.values), dtype=bool)
    secret[list(baskets.sensitive) if exempt else []] = True
    width = len(baskets.values) if hierarchy is None else hierarchy.size
    leaf_codes = np.arange(width, dtype=np.int32)
    code_of_item = (leaf_codes if hierarchy is None else hierarchy.look_up(baskets.values)).copy()
    code_of_item[secret] = width + np.arange(secret.sum())
    return code_of_item, width


def not_in_hierarchy_error(
    method: str, baskets: Baskets, codes: Sequence[int], where: str = ""
) -> HierarchyError:
    """The error for items that occur and have no place; they travel in its `value`."""
    return HierarchyError(
        f"{method}: column '{baskets.name}': {len(codes)} distinct item(s){where} are not in the hierarchy; add them "
        "to it or correct the data",
        value=tuple(baskets.values[code] for code in codes),
    )


def unite_baskets(
    start: I8, items: I4, width: int, secrets: int = 0, weight: I8 | None = None
) -> WeightedBaskets:
    """Unite equal baskets, each one record or as many as `weight` says; they come in order of first appearance."""
    basket_of_row, first_rows = number_distinct_rows(start, items)
    begin, distinct_items = take_rows(start, items, first_rows)
    opens = prefix_sums(distinct_items < width)
    mid = begin[:-1] + opens[begin[1:]] - opens[begin[:-1]]
    weights = np.bincount(basket_of_row, minlength=len(first_rows))
    if weight is not None:
        weights = np.bincount(basket_of_row, weights=weight, minlength=len(first_rows)).astype(np.int64)
    return WeightedBaskets(begin, mid, distinct_items, weights, width, secrets)


def list_open_items(weighted: WeightedBaskets) -> tuple[I4, I4]:
    """Every open item of every row: (its row, the item)."""
    row = rows_by_size(weighted.mid - weighted.start[:-1]).astype(np.int32)
    return row, weighted.items[weighted.items < weighted.width] if weighted.secrets else weighted.items


def count_open_items(weighted: WeightedBaskets) -> I8:
    """How many records hold each open item."""
    row, opens = list_open_items(weighted)
    return np.bincount(opens, weights=weighted.weight[row], minlength=weighted.width).astype(np.int64)


def claim_numbers(method: str, claim: Claim) -> tuple[int, int, int]:
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


class HolderCounts(NamedTuple):
    """How many records, of each of some parts of them, hold what a claim asks for.

    size    : int64[parts]           records
    holding : int64[parts]           records with open items
    secret  : int64[parts, secrets]  records with each sensitive item
    beside  : int64[parts, secrets]  those of them with open items
    """

    size: I8
    holding: I8
    secret: I8
    beside: I8


def count_holders(coded: ItemCodes, of: I8 | None = None) -> HolderCounts:
    """Count what each part 0, 1, ... of the records holds; `of` is the part of each, None: all are one."""
    of = np.zeros(coded.n, dtype=np.int64) if of is None else of
    part_count, secret_count = int(of.max(initial=0)) + 1, coded.secrets
    is_secret = coded.items >= coded.width
    has_open = sum_rows(coded.start, ~is_secret) > 0
    row = row_of_entry(coded.start)[is_secret]
    secret = coded.items[is_secret].astype(np.int64) - coded.width
    part_and_secret = of[row] * secret_count + secret

    def count_by_secret(keys: I8) -> I8:
        counts = np.bincount(keys, minlength=part_count * secret_count)
        return counts.reshape(part_count, secret_count)

    return HolderCounts(
        size=np.bincount(of, minlength=part_count),
        holding=np.bincount(of[has_open], minlength=part_count),
        secret=count_by_secret(part_and_secret),
        beside=count_by_secret(part_and_secret[has_open[row]]),
    )


@dataclass(frozen=True, slots=True)
class SupportRequirement:
    """What records must have so that their items can be generalized to a claim.

    At least k of them must have open items, or none. No sensitive item may be in more than 1 of l of them, nor in more
    than 1 of l of those with open items. Then publishing all open items as one item keeps the claim; otherwise no
    generalization keeps it. l = 0 asks for no diversity.
    """

    k: int
    l: int = 0

    def unmet(self, counts: HolderCounts) -> B1:
        """For each part of the records, whether it lacks something."""
        size, holding, secret, secret_and_open = counts
        too_few = (holding > 0) & (holding < self.k)
        too_frequent = (self.l * secret > size[:, None]) | (self.l * secret_and_open > holding[:, None])
        return np.asarray(too_few | too_frequent.any(axis=1))


def require_support(method: str, counts: HolderCounts, k: int, l: int) -> None:
    """Refuse a claim that no generalization of these records can keep (`SupportRequirement`).

    Raises
    ------
    InputError
        l is asked for, and no item is sensitive; or no record has an item.
    InfeasibleError
        Too few records, too few with items, or a sensitive item is too frequent.
    """
    n, with_items = int(counts.size[0]), int(counts.holding[0])
    most_overall, most_with_items = int(counts.secret.max(initial=0)), int(counts.beside.max(initial=0))
    if k > n:
        raise InfeasibleError(f"{method}: k={k} but there are {n} records; lower k or add records")
    if l and not counts.secret.size:
        raise InputError(
            f"{method}: l={l} is about sensitive items, and none is named; name them or give k alone"
        )
    if not l and not with_items:
        raise InputError(f"{method}: none of the {n} records has an item; there is nothing to publish")
    if 0 < with_items < k:
        raise InfeasibleError(
            f"{method}: k={k} but only {with_items} records have items to count; lower k or add records"
        )
    if l * most_overall > n:
        raise InfeasibleError(
            f"{method}: a sensitive item is in {most_overall} of {n} records, more than 1 of l={l}; "
            "lower l or leave the item out"
        )
    if l * most_with_items > with_items:
        raise InfeasibleError(
            f"{method}: a sensitive item is in {most_with_items} of the {with_items} records that have other "
            "items, more than 1 of "
            f"l={l}, and no generalization changes that; lower l or leave the item out"
        )


def recode_items(
    baskets: Baskets, form: I8, forms: PublishedValues, rule: Mapping[str, Any] | None = None
) -> RecodedBaskets:
    """Publish every item occurrence as a form (-1: it is left out); equal forms in a record become one."""
    row = row_of_entry(baskets.start)
    is_published = form >= 0
    width = max(len(forms.labels), 1)
    keys = np.sort(row[is_published] * width + form[is_published])
    keys = keys[is_group_start(keys)]
    start = np.searchsorted(keys // width, np.arange(baskets.n + 1)).astype(np.int64)
    items = (keys % width).astype(np.int32)
    gone = int(len(form) - is_published.sum())
    return RecodedBaskets(
        forms, start, items, np.arange(baskets.n), baskets.n, gone, {} if rule is None else rule
    )


MOST = 2**31  # combinations of one size that are counted; a judge takes as long for as many
AT_ONCE = 2**26  # combinations counted in one call of a kernel


def find_cut(
    weighted: WeightedBaskets,
    taxonomy: Taxonomy,
    *,
    k: int,
    m: int,
    l: int = 0,
    form: I4 | None = None,
    top: bool = True,
    spare: int = 0,
    method: str = "apriori",
    progress: Progress = no_progress,
) -> "CutSearch":
    """Generalize from a cut (the leaves unless given) until no itemset of at most m nodes is rare or crowded.

    Parameters
    ----------
    weighted
        What `unite_baskets` returned; its open items are leaf codes of the taxonomy. With l it has secrets.
    taxonomy, k, m, l
        The nodes, and the claim; l = 0 asks for no diversity.
    form
        int32[leaves], the cut to start from.
    top
        Whether the root may be used. If so, the caller made sure that the root keeps the claim (`require_support`), and
        so does the result. If not, itemsets that only the root would repair are left as they are.
    spare
        Item occurrences that may be left out where only the root would do otherwise.
    method, progress
        The name for errors, and a listener that is told how far the work is.

    Raises
    ------
    InfeasibleError
        The records are so long that their combinations cannot be counted.
    """
    search = CutSearch(
        taxonomy, count_open_items(weighted), form=form, spare=spare, method=method, progress=progress
    )
    search.look_at(weighted)
    search.settle_sizes(m, k=k, l=l, top=top)
    return search


class CutSearch:
    """Raises a cut, one size of itemsets after the other, on baskets that are given; counts what it `mended`.

    Parameters
    ----------
    use
        int64[leaves]: how many records hold each leaf, of all records there are.
    form, spare, method, progress
        As in `find_cut`.
    """

    def __init__(
        self,
        taxonomy: Taxonomy,
        use: I8,
        *,
        form: I4 | None = None,
        spare: int = 0,
        method: str = "apriori",
        progress: Progress = no_progress,
    ) -> None:
        self.mended = self.passes = 0
        self._taxonomy, self._method, self._progress = taxonomy, method, progress
        self._spare = spare
        self._turns: dict[int, Iterator[Tell]] = {}
        form = taxonomy.leaves if form is None else form
        self._tree, self._cut, self._node_of_number = _start_cut(use, taxonomy, form, spare)

    def look_at(self, weighted: WeightedBaskets) -> None:
        """Take these baskets from now on."""
        row, opens = list_open_items(weighted)
        post_start, post = invert_index(opens, weighted.width)
        stamp = np.zeros(len(weighted.weight) + 1, dtype=np.int64)
        self._weighted = weighted
        self._cut = self._cut._replace(post_start=post_start, post=row[post], stamp=stamp)

    def settle_sizes(
        self,
        m: int,
        *,
        k: int,
        l: int = 0,
        top: bool = True,
        baskets: Callable[[int], WeightedBaskets] | None = None,
    ) -> None:
        """Mend itemsets of all sizes; where `baskets` are given, those of each size are taken for it.

        Supports only grow as items generalize, but shares of secrets may too; and what was left out comes back under
        a node above it, in combinations that no smaller size has looked at. So with l, and where items may be left
        out, all sizes are gone through again until nothing changes.
        """
        before = -1
        while self.mended != before:
            before = self.mended
            for size in range(1, m + 1):
                if baskets is not None:
                    self.look_at(baskets(size))
                if self.settle(size, k=k, l=l, top=top):  # larger itemsets around those left are as rare
                    break
            if not (l or self._spare):
                return

    def settle(self, size: int, *, k: int, l: int = 0, top: bool = True) -> int:
        """Mend every itemset of a size that is rare or crowded; return how many only the root would mend."""
        fixed, unmended = -1, 0
        itemset = np.zeros(size, dtype=np.int32)
        if size not in self._turns:
            self._turns[size] = round_shares(
                start_step(self._progress, f"{self._method}: combinations of {size} items")
            )
        tree, cut, weighted = self._tree, self._cut, self._weighted
        while fixed:
            published = publish_items(weighted, cut.form, len(tree.parent))
            fixed = unmended = 0
            for first, last in ranges_with_progress(
                self._method, published, itemset, next(self._turns[size])
            ):
                done, undone = mend_itemsets(weighted, published, tree, cut, itemset, k, l, first, last, top)
                fixed, unmended = fixed + done, unmended + undone
            self.mended, self.passes = self.mended + fixed, self.passes + 1
        return unmended

    @property
    def canon(self) -> I4:
        """For each leaf the first one that is published as the same node; a leaf that is left out stands for itself."""
        form = self._cut.form
        leaf_codes = np.arange(len(form), dtype=np.int32)
        return np.where(form < 0, leaf_codes, self._tree.lo[form]).astype(np.int32)

    @property
    def form(self) -> I4:
        """The cut as it stands: for each leaf a node of the taxonomy, -1 where it is left out."""
        form = self._cut.form
        return np.where(form < 0, np.int32(-1), self._node_of_number[form])


def ranges_with_progress(
    method: str, held: PublishedItems, itemset: I4, tell: Tell
) -> Iterator[tuple[int, int]]:
    """Yield the ranges of first items; as long as each is worked on, tell how far `itemset` shows the kernel to be."""
    parts = _split_ranges(method, held, len(itemset))
    if tell is no_share:
        yield from parts
        return
    work = _count_combinations(held, len(itemset))
    total_work = max(float(work[-1]), 1.0)
    for first, last in parts:
        itemset[0] = first
        with poll_kernel(tell, lambda: float(work[itemset[0]]) / total_work):
            yield first, last
        tell(float(work[last]) / total_work)


def _start_cut(leaf_use: I8, taxonomy: Taxonomy, form: I4, spare: int) -> tuple[Tree, CutState, I4]:
    """The tree with nodes by rising use, so that rare ones are mended first, the cut, and the node of each number.

    The cut has no baskets yet.
    """
    use_before = prefix_sums(leaf_use)
    use = use_before[taxonomy.hi] - use_before[taxonomy.lo]
    leaf_count = taxonomy.hi - taxonomy.lo
    node_of_number = np.lexsort((taxonomy.lo, leaf_count, use)).astype(np.int32)
    number_of_node = np.empty_like(node_of_number)
    number_of_node[node_of_number] = np.arange(len(node_of_number))
    tree = Tree(
        number_of_node[taxonomy.parent[node_of_number]],
        taxonomy.lo[node_of_number],
        taxonomy.hi[node_of_number],
    )
    cut_nodes = number_of_node[form]
    alive = np.zeros(len(node_of_number), dtype=np.bool_)
    alive[cut_nodes] = True
    published_leaves = leaf_count[form].astype(np.int64)  # how many leaves each leaf's node stands for
    paid_before = prefix_sums(np.where(published_leaves > 1, leaf_use * published_leaves, 0))
    paid_below = paid_before[tree.hi] - paid_before[tree.lo]
    cut = CutState(
        cut_nodes,
        alive,
        use[node_of_number],
        paid_below,
        leaf_use,
        np.array([spare], dtype=np.int64),
        post_start=np.zeros(1, dtype=np.int64),
        post=np.zeros(0, dtype=np.int32),
        stamp=np.zeros(1, dtype=np.int64),
    )
    return tree, cut, node_of_number


def _split_ranges(method: str, held: PublishedItems, size: int) -> Iterator[tuple[int, int]]:
    """Split the published items so that the combinations beginning in each range are few enough to wait for.

    Raises
    ------
    InfeasibleError
        There are too many to be counted at all.
    """
    width = len(held.post_start) - 1
    total = require_countable(method, np.diff(held.start), size)
    if total <= AT_ONCE:
        if total:
            yield 0, width
        return
    edges = np.searchsorted(_count_combinations(held, size)[1:], np.arange(AT_ONCE, total, AT_ONCE))
    bounds = np.unique(np.r_[0, edges + 1, width]).tolist()
    yield from pairwise(bounds)


def require_countable(method: str, lengths: I8, size: int) -> int:
    """How many combinations of a size baskets of these lengths hold.

    Raises
    ------
    InfeasibleError
        There are too many to be counted at all.
    """
    each, rows = np.unique(lengths, return_counts=True)
    total = 0
    for length, count in zip(each.tolist(), rows.tolist(), strict=True):
        total += count * comb(length, size)
    if total > MOST:
        raise InfeasibleError(
            f"{method}: records of up to {each[-1]} items hold {total:.1e} combinations of {size} items, more than "
            "can be counted; lower m or leave the longest records out"
        )
    return total


def _count_combinations(held: PublishedItems, size: int) -> F8:
    """How many combinations of a size begin with an item before each one: float64[items + 1]."""
    width = len(held.post_start) - 1
    behind = held.start[held.row + 1] - np.arange(len(held.row)) - 1
    table = np.array([float(comb(length, size - 1)) for length in range(int(behind.max(initial=0)) + 1)])
    counts = np.bincount(held.items, weights=table[behind], minlength=width)
    return np.concatenate([[0.0], np.cumsum(counts)])


def _node_forms(baskets: Baskets, taxonomy: Taxonomy, place: I4, nodes: I4) -> PublishedValues:
    """The forms of some nodes, then of every exempt item; a node stands for the vocabulary's items below it."""
    width = int(taxonomy.hi[0])
    open_items = np.flatnonzero((place >= 0) & (place < width))
    items_by_code = open_items[np.argsort(place[open_items], kind="stable")]
    first, end = (np.searchsorted(place[items_by_code], bound[nodes]) for bound in (taxonomy.lo, taxonomy.hi))
    exempt = np.flatnonzero(place >= width)
    item_sets = [np.sort(items_by_code[a:b]) for a, b in zip(first, end, strict=True)]
    labels = (*(taxonomy.labels[node] for node in nodes), *(baskets.values[code] for code in exempt))
    return PublishedValues.of_sets(
        labels, [items.astype(np.int32) for items in (*item_sets, *exempt[:, None])]
    )


def _describe_cut(baskets: Baskets, taxonomy: Taxonomy, place: I4, form: I4) -> dict[str, Any]:
    """The cut as plain data: by item of the vocabulary that is generalized the label of its node, None if left out."""
    changed = form != taxonomy.leaves
    label = (*taxonomy.labels, None)  # form -1 is the last
    return {
        "cut": {
            value: label[form[code]]
            for value, code in zip(baskets.values, place.tolist(), strict=True)
            if 0 <= code < len(changed) and changed[code]
        }
    }


class CutForms(NamedTuple):
    """What a cut publishes: `by_code` is the place in `forms` of each code of a method, -1 where it is left out."""

    forms: PublishedValues
    by_code: I8
    rule: dict[str, Any]


def cut_forms(baskets: Baskets, taxonomy: Taxonomy, place: I4, form: I4, used: I4 | I8) -> CutForms:
    """The forms of a cut that stand for some `used` items of the vocabulary, and of every exempt item."""
    codes = place[used]
    nodes = np.unique(form[codes[(codes >= 0) & (codes < len(form))]])
    nodes = nodes[nodes >= 0]
    number = np.full(len(taxonomy.lo) + 1, -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    exempt = np.flatnonzero(place >= len(form))
    by_code = np.r_[number[form], len(nodes) + np.arange(len(exempt))]
    return CutForms(
        _node_forms(baskets, taxonomy, place, nodes), by_code, _describe_cut(baskets, taxonomy, place, form)
    )


def publish_cut(baskets: Baskets, taxonomy: Taxonomy, place: I4, form: I4) -> RecodedBaskets:
    """Publish all baskets under one cut."""
    published_forms = cut_forms(baskets, taxonomy, place, form, np.unique(baskets.items))
    return recode_items(
        baskets, published_forms.by_code[place[baskets.items]], published_forms.forms, published_forms.rule
    )


def publish_cuts(baskets: Baskets, taxonomy: Taxonomy, coded: ItemCodes, forms: I4, of: I8) -> RecodedBaskets:
    """Publish baskets under several cuts, record i under forms[of[i]]; exempt items stay, unless theirs is -1 there."""
    code = coded.place[baskets.items]
    node = forms[of[row_of_entry(baskets.start)], code]
    exempt = code >= coded.width
    nodes = np.unique(node[(node >= 0) & ~exempt])
    form_of_entry = np.where(exempt, len(nodes) + code - coded.width, np.searchsorted(nodes, node))
    form_of_entry[node < 0] = -1
    return recode_items(baskets, form_of_entry, _node_forms(baskets, taxonomy, coded.place, nodes))


def apply_cut(
    baskets: Baskets, hierarchy: Hierarchy, cut: Mapping[str, str | None], *, exempt: bool = False
) -> RecodedBaskets:
    """Publish baskets under a stored cut; items that it does not name and no node of it covers stay as they are.

    Parameters
    ----------
    baskets, hierarchy
        Baskets, perhaps others than the cut was made from, and the hierarchy it was made with.
    cut
        For each item, the label of the node it is published as, None where it is left out; all items below a node
        follow it.
    exempt
        Whether sensitive items stay as they are, as under l^m-diversity.

    Raises
    ------
    HierarchyError
        Items are not in the hierarchy.
    InputError
        The cut does not fit the hierarchy: a label is unknown, an item is not below its node, nodes overlap.

    Examples
    --------
    >>> hierarchy = Hierarchy.from_paths("x", [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "pie", "*"]])
    >>> fresh = Baskets.of("items", [["rum", "ale"], ["rum", "pie"]])
    >>> new = apply_cut(fresh, hierarchy, {"ale": "drink"})
    >>> new.forms.labels, new.start.tolist(), new.items.tolist()
    (('drink', 'pie'), [0, 1, 3], [0, 0, 1])
    """
    item_codes = code_items("recoding", baskets, hierarchy, exempt=exempt)
    taxonomy = Taxonomy.of(hierarchy)
    node_at = {
        span: node for node, span in enumerate(zip(taxonomy.lo.tolist(), taxonomy.hi.tolist(), strict=True))
    }
    form = taxonomy.leaves.copy()
    for item, label in cut.items():
        leaf = int(hierarchy.look_up([item])[0])
        lo, hi = (leaf, leaf + 1) if label is None else hierarchy.places.get(label, (0, 0))
        if not 0 <= lo <= leaf < hi:
            raise InputError(
                "recoding: its cut does not fit the hierarchy; use the hierarchy it was made with", value=item
            )
        form[lo:hi] = -1 if label is None else node_at[lo, hi]
    leaf_counts = np.bincount(form[form >= 0], minlength=len(taxonomy.lo))
    if ((leaf_counts > 0) & (leaf_counts < taxonomy.hi - taxonomy.lo)).any():
        raise InputError("recoding: two nodes of its cut overlap; use the file as it was written")
    return publish_cut(baskets, taxonomy, item_codes.place, form)
