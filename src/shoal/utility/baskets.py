"""What released baskets cost: baskets of generalized items, and below them those published by vote.

N      : records that came in
|g|    : items that a generalized item may stand for; 1 where it is the item itself
domain : items there are: leaves of the whole hierarchy, or without one the vocabulary
w(g)   : importance of a generalized item, 0 to 1: the mean of its items' weights, 1 unless given

The two forms of utility loss, `ul` and `ul_coat`, share a name in the literature and nothing else: their values
must not be compared.
"""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy  # its parts come when they are used

from shoal.base.errors import InputError
from shoal.data import Baskets
from shoal.data.arrays import B1, F8, I4, I8, index_of, row_of_entry, sum_rows, take_rows
from shoal.hierarchy import Hierarchy
from shoal.release import PublishedValues, RecodedBaskets, VotedBaskets

__all__ = [
    "ABSENT",
    "Band",
    "_draw_item_queries",
    "_find_covering_forms",
    "count_flips",
    "er",
    "er_by_frequency",
    "estimate_supports",
    "find_open_forms",
    "form_sizes",
    "has_lost_items",
    "item_count_error",
    "ncp_by_item",
    "ncp_items",
    "ncp_published",
    "qe",
    "qe_absent",
    "qe_present",
    "split_into_bands",
    "support_bounds",
    "ul",
    "ul_coat",
    "vote_support_bounds",
]


def form_sizes(forms: PublishedValues, hierarchy: Hierarchy | None = None) -> I8:
    """How many items each form may stand for: leaves of its node, or the members that it lists."""
    listed_sizes = np.diff(forms.start)
    if hierarchy is None:
        return listed_sizes
    spans = [hierarchy.places.get(label, (0, 0)) if label is not None else (0, 0) for label in forms.labels]
    leaves = np.array([hi - lo for lo, hi in spans], dtype=np.int64)
    return np.where(leaves > 0, leaves, listed_sizes)


def _find_covering_forms(recoded: RecodedBaskets, baskets: Baskets) -> I8:
    """The form that covers each original item of the released records, row by row; -1 where it was left out."""
    start, item = take_rows(baskets.start, baskets.items, recoded.rows)
    row = row_of_entry(start)
    forms = max(len(recoded.forms.labels), 1)
    published = np.sort(row_of_entry(recoded.start) * forms + recoded.items)
    of_item = np.argsort(recoded.forms.leaves, kind="stable")
    member = row_of_entry(recoded.forms.start)[of_item]
    begin, end = np.searchsorted(recoded.forms.leaves[of_item], [item, item + 1])
    form_of_item = np.full(len(item), -1, dtype=np.int64)
    for step in range(int((end - begin).max(initial=0))):  # an item is in as many forms as there are cuts
        entries = np.flatnonzero(begin + step < end)
        form = member[begin[entries] + step]
        key = row[entries] * forms + form
        hit = index_of(published, key) >= 0
        form_of_item[entries[hit]] = form[hit]
    return form_of_item


def has_lost_items(recoded: RecodedBaskets, baskets: Baskets, exempt: Collection[int] = ()) -> B1:
    """Of which released records items were left out, those that are exempt aside; rows may have any order."""
    start, item = take_rows(baskets.start, baskets.items, recoded.rows)
    is_lost = (_find_covering_forms(recoded, baskets) < 0) & ~np.isin(item, list(exempt))
    return np.bincount(row_of_entry(start)[is_lost], minlength=len(recoded.rows)) > 0


def ncp_items(
    recoded: RecodedBaskets, baskets: Baskets, sizes: I8, domain: int, *, exempt: Collection[int] = ()
) -> float:
    """Normalized certainty penalty: mean over original item occurrences of 0 for itself, else |g|/domain.

    An item left out, and every item of a suppressed record, counts 1. From 0 to 1. It needs the originals: two
    items of a record that became one are published once and paid twice.
    """
    penalties, occurrences = ncp_by_item(recoded, baskets, sizes, domain, exempt=exempt)
    return float(penalties.sum() / occurrences.sum()) if occurrences.any() else 0.0


def ncp_by_item(
    recoded: RecodedBaskets, baskets: Baskets, sizes: I8, domain: int, *, exempt: Collection[int] = ()
) -> tuple[F8, I8]:
    """For each item of the vocabulary, what its occurrences pay for `ncp_items`, and how many there are."""
    form = _find_covering_forms(recoded, baskets)
    item = take_rows(baskets.start, baskets.items, recoded.rows)[1]
    price = np.r_[np.where(sizes > 1, sizes / domain, 0.0), 1.0]  # form -1 is the last
    value_count = len(baskets.values)
    occurrences = np.bincount(baskets.items, minlength=value_count)
    suppressed = occurrences - np.bincount(item, minlength=value_count)  # with their records
    penalties: F8 = np.bincount(item, weights=price[form], minlength=value_count) + suppressed
    penalties[list(exempt)], occurrences[list(exempt)] = 0, 0
    return penalties, occurrences


def ncp_published(recoded: RecodedBaskets, sizes: I8, domain: int, *, counted: B1 | None = None) -> float:
    """The same mean over published items: 0 for one that is itself, else |g|/domain; items left out count 1.

    Readers can compute it. It flatters a release in which many items of a record became one.
    """
    items = recoded.items if counted is None else recoded.items[counted[recoded.items]]
    price = np.where(sizes > 1, sizes / domain, 0.0)
    total = len(items) + recoded.suppressed
    return float((price[items].sum() + recoded.suppressed) / total) if total else 0.0


def ul(
    recoded: RecodedBaskets,
    sizes: I8,
    domain: int,
    *,
    weights: F8 | None = None,
    counted: B1 | None = None,
    lost: B1 | None = None,
) -> float:
    """Utility loss of the relational-transaction paper: mean over records of sum_g (2^|g| - 1) w(g) / (2^s - 1).

    s is the sum of |g| over the record. From 0 to 1, but not 0 for an untouched record: one of s items has
    s / (2^s - 1), because every item is a generalized item of size 1. A record whose items became one has 1.

    Parameters
    ----------
    recoded, sizes, domain
        The release, |g| of every form, and the number of items.
    weights
        float64[values], the importance of every item.
    counted
        bool[forms], the forms that count; all unless given.
    lost
        bool[rows], released records of which items were left out: those items count as one generalized item
        that may be anything. A suppressed record costs 1. (The paper suppresses nothing; the reading is ours.)

    Notes
    -----
    2^|g| overflows from |g| = 1024 on; each term is computed as 2^(|g|-s) (1 - 2^-|g|) / (1 - 2^-s) instead.

    References
    ----------
    .. [1] Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction
       attributes. ECML PKDD 2013, Sec. 5.
    """
    n = len(recoded.rows)
    row = row_of_entry(recoded.start)
    size: F8 = sizes[recoded.items].astype(np.float64)
    weight = _mean_weights(recoded.forms, weights)[recoded.items]
    if counted is not None:
        is_counted = counted[recoded.items]
        row, size, weight = row[is_counted], size[is_counted], weight[is_counted]
    if lost is not None:
        row = np.r_[row, np.flatnonzero(lost)]
        size = np.r_[size, np.full(int(lost.sum()), float(domain))]
        weight = np.r_[weight, np.ones(int(lost.sum()))]
    total: F8 = np.asarray(np.bincount(row, weights=size, minlength=n)[row], dtype=np.float64)
    terms = weight * np.exp2(size - total) * _one_minus_exp2(size) / _one_minus_exp2(total)
    suppressed = recoded.records - n
    return float((terms.sum() + suppressed) / recoded.records) if recoded.records else 0.0


def ul_coat(
    recoded: RecodedBaskets,
    sizes: I8,
    domain: int,
    *,
    weights: F8 | None = None,
    counted: B1 | None = None,
) -> float:
    """Utility loss of COAT: sum over generalized g of (2^|g| - 1)/(2^domain - 1) w(g) sup(g)/N.

    Untouched items cost nothing; an occurrence left out costs 1/N, as if it might be anything. Where |g| is far
    below the domain the loss is too small for a float and shows as 0.

    Notes
    -----
    Known from descriptions, not from the paper's text; the term for items left out is our reading.

    References
    ----------
    .. [1] Loukides, Gkoulalas-Divanis, Malin. COAT: constraint-based anonymization of transactions. KAIS 28, 2011.
    """
    support = np.bincount(recoded.items, minlength=len(sizes))
    is_generalized = (sizes > 1) if counted is None else (sizes > 1) & counted
    size: F8 = sizes[is_generalized].astype(np.float64)
    share = np.exp2(size - domain) * _one_minus_exp2(size) / _one_minus_exp2(np.float64(domain))
    paid = (share * _mean_weights(recoded.forms, weights)[is_generalized] * support[is_generalized]).sum()
    return float((paid + recoded.suppressed) / recoded.records) if recoded.records else 0.0


def _one_minus_exp2(size: F8 | np.float64) -> F8:
    """1 - 2^-size, exact where 2^-size is tiny or near 1."""
    return np.asarray(-np.expm1(-np.log(2) * size))


def _mean_weights(forms: PublishedValues, weights: F8 | None) -> F8:
    """The mean weight of each form's items."""
    if weights is None:
        return np.ones(len(forms.labels))
    if not (weights >= 0).all() or not (weights <= 1).all():
        raise InputError("ul: every item's weight must be a number from 0 to 1")
    return np.asarray(sum_rows(forms.start, weights[forms.leaves]) / np.maximum(np.diff(forms.start), 1))


def find_open_forms(forms: PublishedValues, exempt: Collection[int]) -> B1:
    """Forms that stand for more than an exempt item."""
    other_counts = sum_rows(forms.start, ~np.isin(forms.leaves, list(exempt)))
    return np.asarray((other_counts > 0) | (np.diff(forms.start) == 0))


# --- how many people hold an item, for certain and at most ------------------------------------------------------------


def support_bounds(release: RecodedBaskets, sizes: I8, width: int) -> tuple[I8, I8]:
    """For each of `width` items, how many records hold it for certain, and how many at most.

    A published item that stands for one item alone is held for certain. Whoever publishes one that stands for it and
    for others may hold it, and so may every suppressed record and every record that an item was left out of.

    Parameters
    ----------
    release
        Generalized baskets.
    sizes
        int64[forms]: how many items each form may stand for; see `form_sizes`.
    """
    forms = release.forms
    rows = np.bincount(release.items, minlength=len(forms.labels))
    owner = row_of_entry(forms.start)
    is_single = (sizes[owner] == 1) & (np.diff(forms.start)[owner] == 1)
    certain = np.bincount(forms.leaves, weights=rows[owner] * is_single, minlength=width)
    possible = np.bincount(forms.leaves, weights=rows[owner], minlength=width)
    unseen = release.records - len(release.rows) + release.suppressed
    return certain.astype(np.int64), np.minimum(possible + unseen, release.records).astype(np.int64)


def item_count_error(estimated: F8, baskets: Baskets) -> float | None:
    """The mean over all items that occur of |count - estimate| / count; None where no item occurs."""
    true_counts = np.bincount(baskets.items, minlength=len(baskets.values))
    occurs = true_counts > 0
    return (
        float(np.mean(np.abs(estimated - true_counts)[occurs] / true_counts[occurs]))
        if occurs.any()
        else None
    )


def estimate_supports(release: RecodedBaskets, sizes: I8, width: int) -> F8:
    """For each item the number of records that hold it, as one expects it of generalized baskets.

    A published item that stands for n items is any non-empty subset of them, all equally likely, so each is in it with
    probability 2^(n-1) / (2^n - 1). What is suppressed holds nothing.
    """
    forms = release.forms
    rows = np.bincount(release.items, minlength=len(forms.labels))
    chance = 0.5 / -np.expm1(-np.log(2) * np.maximum(sizes, 1))
    owner = row_of_entry(forms.start)
    supports: F8 = np.bincount(forms.leaves, weights=(rows * chance)[owner], minlength=width).astype(
        np.float64
    )
    return supports


def vote_support_bounds(release: VotedBaskets, width: int) -> tuple[I8, I8]:
    """The same of baskets by vote: an item that is not uncertain in a row is as it stands there."""
    keys = row_of_entry(release.start) * width + release.items
    uncertain_keys = row_of_entry(release.maybe_start) * width + release.maybe
    certain = np.bincount(np.setdiff1d(keys, uncertain_keys) % width, minlength=width)
    return certain, np.bincount(np.union1d(keys, uncertain_keys) % width, minlength=width)


# --- baskets published by vote: flipped items, and counts that go wrong -------------------------------------


ABSENT = 4
"""How many items are absent that a query of the audit asks for, unless it is said."""
_BOUNDS = (0.0, 0.001, 0.01, 0.1, 0.5, 1.0)  # shares of the records that hold an item
_QUERIES = 500
_SEED = 20120812  # of the workloads; what is asked is no secret


@dataclass(frozen=True, slots=True)
class Band:
    """Items of like frequency, and what became of them.

    low, high : the items are in more than `low` and at most `high` of the records
    items     : how many items
    held      : how often originals hold one
    lost      : how often a row lacks one that its original holds
    added     : how often a row has one that its original lacks
    """

    low: float
    high: float
    items: int
    held: int
    lost: int
    added: int

    @property
    def er(self) -> float:
        """Flips by what originals hold."""
        return (self.lost + self.added) / self.held


def er(release: VotedBaskets, baskets: Baskets) -> float:
    """Error rate: the mean over records of items flipped in the row by items in the original.

    An empty basket counts as one item, so that its flips can be divided.

    References
    ----------
    .. [1] Xue, Karras, Raissi, Vaidya, Tan. Anonymizing set-valued data by nonreciprocal recoding. KDD 2012, Sec. 5.1.
    """
    original, published = _item_matrices(release, baskets)
    common = np.diff(original.multiply(published).tocsr().indptr)
    size = np.diff(original.indptr)
    flips = size + np.diff(published.indptr) - 2 * common
    return float((flips / np.maximum(size, 1)).mean())


def er_by_frequency(release: VotedBaskets, baskets: Baskets) -> list[Band]:
    """What becomes of rare and of frequent items: one band for the items between two bounds; empty ones left out."""
    return split_into_bands(count_flips(release, baskets), baskets.n)


def split_into_bands(flips: tuple[I8, I8, I8], n: int) -> list[Band]:
    """The same of what `count_flips` counted in n records."""
    share = flips[0] / max(n, 1)
    filled_bands = []
    for low, high in pairwise(_BOUNDS):
        inside = (share > low) & (share <= high)
        if inside.any():
            counts = (int(part[inside].sum()) for part in flips)
            filled_bands.append(Band(low, high, int(inside.sum()), *counts))
    return filled_bands


def count_flips(release: VotedBaskets, baskets: Baskets) -> tuple[I8, I8, I8]:
    """For each item: how often originals hold it, how often their row lacks it, how often another row has it."""
    original, published = _item_matrices(release, baskets)
    value_count = len(baskets.values)
    original_counts, published_counts = (
        np.bincount(m.indices, minlength=value_count) for m in (original, published)
    )
    common_counts = np.bincount(original.multiply(published).tocsr().indices, minlength=value_count)
    return original_counts, original_counts - common_counts, published_counts - common_counts


def _draw_item_queries(
    baskets: Baskets, size: int, queries: int = _QUERIES, rng: np.random.Generator | None = None
) -> I8:
    """Random queries: int64[queries, size], each so many different items, all items equally likely.

    Without `rng` the workload is the same for the same number of items.
    """
    if not 1 <= size <= len(baskets.values):
        raise InputError(
            f"workload: queries of {size} items, and there are {len(baskets.values)}; ask for fewer"
        )
    rng = np.random.default_rng(_SEED) if rng is None else rng
    return np.stack([rng.choice(len(baskets.values), size, replace=False) for _ in range(queries)])


def qe(release: VotedBaskets, baskets: Baskets, queries: I8, *, absent: bool = False) -> float:
    """Query error: the mean over queries of |count in originals - count in rows| / n.

    A query counts records that hold all its items (type I), or, with `absent`, none of them (type II).

    References
    ----------
    .. [1] Xue, Karras, Raissi, Vaidya, Tan. Anonymizing set-valued data by nonreciprocal recoding. KDD 2012, Sec. 5.2.
    """
    counts = [_count_matches(matrix.tocsc(), queries, absent) for matrix in _item_matrices(release, baskets)]
    return float(np.abs(counts[0] - counts[1]).mean() / max(baskets.n, 1))


def qe_present(release: VotedBaskets, baskets: Baskets) -> float:
    """`qe` of five hundred queries for items that are present: three of dense baskets, one of sparse ones."""
    if not baskets.values:  # nothing to ask for
        return 0.0
    return qe(release, baskets, _draw_item_queries(baskets, _query_size(baskets)))


def qe_absent(release: VotedBaskets, baskets: Baskets, size: int = ABSENT) -> float:
    """`qe` of five hundred queries for so many items that are absent, or for all items where there are fewer."""
    if not baskets.values:
        return 0.0
    return qe(release, baskets, _draw_item_queries(baskets, min(size, len(baskets.values))), absent=True)


def _query_size(baskets: Baskets) -> int:
    """How many items a query asks for: few enough that some records hold them all, as the paper chooses."""
    dense = len(baskets.items) > 0.1 * baskets.n * len(baskets.values)
    return min(3 if dense else 1, len(baskets.values))


def _count_matches(by_item: "scipy.sparse.csc_array", queries: I8, absent: bool) -> I8:
    """How many records hold all items of each query, or none of them."""
    hits = np.zeros(by_item.shape[0], dtype=np.int64)
    counts = np.empty(len(queries), dtype=np.int64)
    for q, query in enumerate(queries):
        hits[:] = 0
        for item in query:
            hits[by_item.indices[by_item.indptr[item] : by_item.indptr[item + 1]]] += 1
        counts[q] = (hits == (0 if absent else len(query))).sum()
    return counts


def _item_matrices(
    release: VotedBaskets, baskets: Baskets
) -> "tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]":
    """The original behind each row, and the row."""
    width = len(baskets.values)
    return (
        _item_matrix(baskets.start, baskets.items, width)[release.rows],
        _item_matrix(release.start, release.items, width),
    )


def _item_matrix(start: I8, items: I4, width: int) -> "scipy.sparse.csr_array":
    return scipy.sparse.csr_array(
        (np.ones(len(items), dtype=np.int32), items, start), shape=(len(start) - 1, width)
    )
