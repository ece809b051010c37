"""Itemsets of baskets: k^m-anonymity and l^m-diversity, an attacker who knows up to m items, and listed itemsets.

Combinations are counted exactly, with numpy alone and bounded memory:

start  : int64[rows + 1]   row i holds items[start[i] : start[i + 1]]
items  : int64             numbers 0 .. width-1, ascending and without repeats within a row
weight : int64[rows]       how many records look like row i
of     : int64[n]          the row of each record
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb, inf
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.base.errors import InputError
from shoal.data.arrays import (
    B1,
    I8,
    chunk_rows,
    number_rows,
    prefix_sums,
    row_of_entry,
    rows_by_size,
    sum_rows,
    take_rows,
)
from shoal.privacy.claim import (
    LACKED_ITEMS,
    LEAST_SHARE,
    MINIMALITY,
    NARROW,
    SENSITIVE_ITEMS,
    SEVERAL_RECORDS,
    SEVERAL_RELEASES,
    BaseClaim,
    Breaches,
    verdict_from_rows,
)
from shoal.privacy.equivalence_class import number_groups
from shoal.release import PublishedBaskets, Verdict

__all__ = [
    "MOST",
    "ItemsetAnonymity",
    "ItemsetBatch",
    "ItemsetWeights",
    "KmAnonymity",
    "LmDiversity",
    "distinct_baskets",
    "itemset_budget",
    "itemsets_up_to",
    "refuse_too_many_itemsets",
    "weigh_itemsets",
]

MOST = 2**32
"""Combinations beyond which a judge says that it cannot judge rather than run for hours."""

_ALWAYS, _EACH = 2**26, 2**12  # combinations that are looked at in any case, and for each item or value
_AT_ONCE = 2**19  # combinations held at once for each size, unless one itemset alone extends to more

_NOT_COVERED = (SEVERAL_RELEASES, MINIMALITY, NARROW, SEVERAL_RECORDS, LACKED_ITEMS)
_KM_NOT_COVERED = (
    *_NOT_COVERED,
    "what can be inferred about a person's other items: records that share known items may share more",
)
"""What claims about some items do not promise."""


@dataclass(frozen=True, slots=True)
class KmAnonymity(BaseClaim):
    """Every combination of up to `m` published items that occurs, occurs in at least `k` records.

    All items count, sensitive ones too. Sizes below m are judged as well: a small basket has no combination
    of m items. Items are compared by the leaf sets they stand for, so one known item always falls into one
    or another published item of its owner's record, and the records that match what is known are at least
    those that share these published items.

    A release without records or without any item does not pass: nothing in it could break the claim.

    References
    ----------
    .. [1] Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data. PVLDB 1, 2008.

    Examples
    --------
    >>> baskets = PublishedBaskets(np.array([0, 2, 4, 5]), np.array([7, 8, 7, 8, 7]))
    >>> bool(KmAnonymity(2, 2).check(baskets)), KmAnonymity(3, 1).check(baskets).witnesses
    (True, (1, 2))
    """

    model: ClassVar[str] = "k^m-anonymity"
    shape: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    keys: ClassVar[tuple[str, ...]] = ("k", "m")
    rises: ClassVar[tuple[str, ...]] = ("k", "m")

    k: int
    m: int

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            f"anyone who knows up to {self.m} items of a person cannot tell that person's record "
            f"from those of at least {self.k - 1} others"
        )

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return (*_KM_NOT_COVERED, f"an attacker who knows more than {self.m} items of a person")

    def check(self, published: PublishedBaskets) -> Verdict:
        """Judge a release: count the records of every combination that occurs."""
        if len(published.start) < 2 or not len(published.items):
            return Verdict(False, "the release holds no record with an item, so the claim promises nothing")
        baskets = distinct_baskets(published.start, published.items.astype(np.int64))
        beyond = refuse_too_many_itemsets(baskets, self.m)
        if beyond is not None:
            return beyond
        weights = weigh_itemsets(itemsets_up_to(self.m, baskets), baskets, self.k)
        return self.verdict(Breaches.of(weights.broken), weights.k)

    def verdict(self, found: Breaches, least: int) -> Verdict:
        """Say what was found; the rarest combination is in `least` records."""
        sentence = f"every combination of up to m={self.m} items is in at least k={self.k} records"
        if found.broken:
            breaking = f"{found.broken} of {found.records} records"
            sentence = (
                f"{breaking} hold a combination of up to m={self.m} items that is in fewer than k={self.k}"
            )
        sentence += f"; the rarest is in {least}"
        return found.verdict(sentence, {"k": least})


@dataclass(frozen=True, slots=True)
class LmDiversity(BaseClaim):
    """No sensitive item is in more than 1/l of the records that share up to `m` other published items.

    With sup(X) the number of records that hold all of X: for every set J of at most m items that are not
    sensitive (the empty set too), and every sensitive item s, l sup(J + s) <= sup(J). A combination of
    sensitive items is in no more records than any one of them, so it is bounded too. With `k`, every such J
    also occurs in at least k records: sensitive items count neither as known nor as telling.

    A release without records, or one in which no sensitive item occurs, does not pass.

    References
    ----------
    .. [1] Terrovitis, Mamoulis, Kalnis. Local and global recoding methods for anonymizing set-valued data.
       VLDB Journal 20(1), 2011.
    .. [2] Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction
       attributes. ECML PKDD 2013, Sec. 5.

    Examples
    --------
    >>> baskets = PublishedBaskets(np.array([0, 2, 3, 4]), np.array([1, 9, 1, 2]), frozenset([9]))
    >>> bool(LmDiversity(2, 1).check(baskets)), LmDiversity(3, 1).check(baskets).witnesses
    (True, (1, 2))
    """

    model: ClassVar[str] = "l^m-diversity"
    shape: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    keys: ClassVar[tuple[str, ...]] = ("l", "m", "k")
    rises: ClassVar[tuple[str, ...]] = ("l", "m", "k")
    meanings: ClassVar[Mapping[str, str]] = {"l": LEAST_SHARE}
    exempts: ClassVar[bool] = True

    l: int
    m: int
    k: int = 1

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        crowd = f"cannot tell that person's record from those of at least {self.k - 1} others, and "
        return (
            f"anyone who knows up to {self.m} items of a person, none of them sensitive, "
            f"{crowd if self.k > 1 else ''}finds no combination of sensitive items in more than "
            f"1 of {self.l} of the records that match"
        )

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return (*_NOT_COVERED, SENSITIVE_ITEMS, f"an attacker who knows more than {self.m} items of a person")

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words; `k` only where it says something."""
        return {**({"k": self.k} if self.k > 1 else {}), "l": self.l, "m": self.m}

    def check(self, published: PublishedBaskets) -> Verdict:
        """Judge a release: weigh every sensitive item in the records of every combination of others."""
        if len(published.start) < 2:
            return Verdict(False, "the release holds no record, so the claim promises nothing")
        if not np.isin(published.items, list(published.sensitive)).any():
            return Verdict(False, "no sensitive item occurs, so the claim promises nothing")
        baskets = distinct_baskets(published.start, published.items.astype(np.int64))
        hidden = np.isin(np.unique(published.items), list(published.sensitive))[baskets.items]
        open_part, secret = baskets.part(~hidden), baskets.part(hidden)
        beyond = refuse_too_many_itemsets(open_part, self.m, np.diff(secret.start))
        if beyond is not None:
            return beyond
        weights = weigh_itemsets(_itemsets_with_empty(open_part, self.m), secret, self.k, self.l)
        return self.verdict(Breaches.of(weights.broken), weights.k, weights.l)

    def verdict(self, found: Breaches, k_least: int, l_least: float) -> Verdict:
        """Say what was found, and the smallest crowd and diversity of all combinations."""
        reached: dict[str, float] = {} if l_least == inf else {"l": l_least}
        if self.k > 1:
            reached = {"k": k_least, **reached}
        return found.verdict(self._sentence(found, l_least), reached)

    def _sentence(self, found: Breaches, l_least: float) -> str:
        frequency = f"the most frequent is in 1 of {l_least:.4g}" if l_least < inf else "none occurs"
        shared = f"records that share up to m={self.m} other items"
        if not found.broken:
            return f"no sensitive item is in more than 1 of l={self.l} {shared}; {frequency}"
        crowd_clause = f", or share them with fewer than k={self.k}" if self.k > 1 else ""
        among = (
            f"{found.broken} of {found.records} are among {shared}, and more than 1 of l={self.l} of "
            "these hold the same sensitive item"
        )
        return f"{among}{crowd_clause}; {frequency}"


# --- counting ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DistinctBaskets:
    """Distinct baskets with their multiplicity."""

    start: I8
    items: I8
    weight: I8
    of: I8
    width: int

    def part(self, picked: B1) -> "DistinctBaskets":
        """The same rows with some of their items."""
        return replace(self, start=prefix_sums(picked)[self.start], items=self.items[picked])


@dataclass(frozen=True, slots=True)
class ItemsetBatch:
    """Some itemsets of one size with every row that holds them.

    rows    : int64[entries]   a row
    at      : int64[entries]   the place of the itemset's last item in that row
    of      : int64[entries]   an itemset the row holds, ascending
    support : int64[itemsets]  records that hold it
    """

    rows: I8
    at: I8
    of: I8
    support: I8


def distinct_baskets(start: I8, items: I8) -> DistinctBaskets:
    """Renumber the items, drop repeats within a row, and count equal rows once."""
    if len(start) < 1 or start[0] != 0 or start[-1] != len(items) or (np.diff(start) < 0).any():
        raise InputError("judge: the baskets' offsets do not fit their items; give one basket per record")
    lengths = np.diff(start)
    values, codes = np.unique(items, return_inverse=True)
    width = max(len(values), 1)
    keys = np.sort(rows_by_size(lengths) * width + codes)
    keys = keys[np.r_[True, keys[1:] != keys[:-1]][: len(keys)]]
    row, codes = keys // width, keys % width
    ends = np.searchsorted(row, np.arange(len(lengths) + 1))
    basket_of_row = number_rows(ends, codes.astype(np.int32))
    heads = np.unique(basket_of_row, return_index=True)[1]
    return DistinctBaskets(*take_rows(ends, codes, heads), np.bincount(basket_of_row), basket_of_row, width)


def itemset_budget(entries: int, most: int = MOST) -> int:
    """How many combinations, `most`, a judge looks at in distinct records that hold so many items or values together.

    Little data shall not ask for hours of work and gigabytes of memory: whoever verifies a folder has it from anybody.
    """
    return min(most, _ALWAYS + _EACH * entries)


def refuse_too_many_itemsets(held: DistinctBaskets, m: int, beside: I8 | None = None) -> Verdict | None:
    """Say that there are too many combinations of 1 to m items to look at; None where they are few enough.

    With so many items `beside` each row, which are weighed with every combination of it, these count as well.
    """
    limit = itemset_budget(len(held.items) + (0 if beside is None else int(beside.sum())))
    weighed = np.zeros(len(held.weight), dtype=np.int64) if beside is None else beside
    kinds, rows = np.unique(np.stack([np.diff(held.start), weighed], axis=1), axis=0, return_counts=True)
    total = 0
    for (length, secret_count), count in zip(kinds.tolist(), rows.tolist(), strict=True):
        for size in range(1, min(m, length) + 1):
            total += count * (1 + secret_count) * comb(length, size)
            if total > limit:  # those that are left may be too many to be added up
                longest = int(np.diff(held.start).max())
                return Verdict(
                    False,
                    f"not judged: records of up to {longest} items hold more than {limit} combinations of up to m={m}, "
                    "too many to check; lower m",
                    judged=False,
                )
    return None


def itemsets_up_to(m: int, held: DistinctBaskets) -> Iterator[ItemsetBatch]:
    """Yield every itemset of 1 to m items that occurs, in portions of bounded size.

    An itemset is grown by items that stand behind its last one, so each is met once; a portion holds whole
    itemsets, so its supports are final.
    """
    row = row_of_entry(held.start)
    if len(row):
        yield from _grow_itemsets(held, row, np.arange(len(row)), np.zeros(len(row), np.int64), m)


def _grow_itemsets(held: DistinctBaskets, row: I8, last: I8, of: I8, more: int) -> Iterator[ItemsetBatch]:
    """Number the itemsets that end at places `last` and begin as `of` says, then grow them."""
    number, heads = number_groups((of, held.items[last]))
    order = np.argsort(number, kind="stable")
    number, last = number[order], last[order]
    rows = row[last]
    support = np.bincount(number, weights=held.weight[rows], minlength=len(heads)).astype(np.int64)
    yield ItemsetBatch(rows, last, number, support)
    if more == 1:
        return
    room = held.start[rows + 1] - last - 1
    for portion in _cut_portions(number, room):
        entry, step = _repeat_entries(room[portion])
        if len(entry):
            yield from _grow_itemsets(
                held, row, last[portion][entry] + 1 + step, number[portion][entry], more - 1
            )


class ItemsetWeights(NamedTuple):
    """Which records hold an itemset that breaks a claim, and the largest k and l that all itemsets keep.

    l is infinite where no itemset occurs with a sensitive item.
    """

    broken: B1
    k: int
    l: float


def weigh_itemsets(
    batches: Iterable[ItemsetBatch], secret: DistinctBaskets, k: int, l: int | None = None
) -> ItemsetWeights:
    """Weigh itemsets: fewer than `k` records hold one, or more than 1 of `l` of these hold one sensitive item.

    `secret` holds the sensitive items of each row; without `l` nobody looks at its items.
    """
    broken, k_least, l_least = np.zeros(len(secret.weight), dtype=bool), len(secret.of), inf
    for batch in batches:
        bad = batch.support < k
        k_least = min(k_least, int(batch.support.min()))
        if l is not None:
            for itemset, joint_counts in _count_with_secrets(batch, secret):
                bad[itemset[l * joint_counts > batch.support[itemset]]] = True
                l_least = min(l_least, float((batch.support[itemset] / joint_counts).min()))
        broken[batch.rows[bad[batch.of]]] = True
    return ItemsetWeights(broken[secret.of], k_least, l_least)


def _count_with_secrets(found: ItemsetBatch, secret: DistinctBaskets) -> Iterator[tuple[I8, I8]]:
    """For every itemset and every sensitive item that rows hold beside it: (itemset, records with both)."""
    room = np.diff(secret.start)[found.rows]
    for portion in _cut_portions(found.of, room):
        entry, step = _repeat_entries(room[portion])
        if not len(entry):
            continue
        rows, itemset = found.rows[portion][entry], found.of[portion][entry]
        number, heads = number_groups((itemset, secret.items[secret.start[rows] + step]))
        joint_counts = np.bincount(number, weights=secret.weight[rows], minlength=len(heads)).astype(np.int64)
        yield itemset[heads], joint_counts


def _itemsets_with_empty(held: DistinctBaskets, m: int) -> Iterator[ItemsetBatch]:
    """The empty itemset, which every record holds, then those of 1 to m items."""
    rows = np.arange(len(held.weight))
    yield ItemsetBatch(rows, rows, np.zeros_like(rows), np.array([held.weight.sum()]))
    yield from itemsets_up_to(m, held)


def _cut_portions(of: I8, room: I8) -> Iterator[slice]:
    """Cut entries, sorted by itemset, between itemsets so that each portion extends to few combinations."""
    edges = np.r_[0, np.flatnonzero(np.r_[of[1:] != of[:-1], True][: len(of)]) + 1]
    for low, high in chunk_rows(np.diff(prefix_sums(room)[edges]), _AT_ONCE):
        yield slice(int(edges[low]), int(edges[high]))


def _repeat_entries(room: I8) -> tuple[I8, I8]:
    """Repeat each entry as often as it has room, and number the repeats 0, 1, ..."""
    entry = rows_by_size(room)
    step = np.arange(len(entry)) - (np.cumsum(room) - room)[entry]
    return entry, step


# --- listed itemsets ----------------------------------------------------------------------------------------


_MOST_LOOKS = 1 << 36  # at items, or at pairs of records


@dataclass(frozen=True, slots=True)
class ItemsetAnonymity(BaseClaim):
    """Whatever part of a listed itemset an attacker knows of a person, at least `k` records match or none.

    A record matches an item when one of its published items may stand for it. Of an itemset p let R be the
    items that a record matches: every R that occurs must be matched by at least k records; smaller parts then
    are matched by as many or more.

    References
    ----------
    .. [1] Loukides, Gkoulalas-Divanis, Malin. COAT: constraint-based anonymization of transactions. KAIS 28, 2011.
    """

    model: ClassVar[str] = "k-anonymity of listed itemsets"
    shape: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    keys: ClassVar[tuple[str, ...]] = ("k",)
    rises: ClassVar[tuple[str, ...]] = ("k",)
    widens: ClassVar[tuple[str, ...]] = ("itemsets",)

    k: int
    itemsets: tuple[tuple[str, ...], ...] = field(repr=False)  # items are cells

    def __post_init__(self) -> None:
        self._set_whole("k")
        self._set(itemsets=_check_itemsets(self.itemsets))

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "anyone who knows items of a person that stand together in one of the listed itemsets, and no "
            f"others, cannot tell that person's record from those of at least {self.k - 1} others"
        )

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return (*_KM_NOT_COVERED, "an attacker who knows items that are not listed together")

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words."""
        return {"k": self.k, "itemsets": [list(itemset) for itemset in self.itemsets]}

    def check(self, published: PublishedBaskets) -> Verdict:
        """Judge a release: match every record against every listed itemset."""
        return self.check_parts([published], lambda baskets: baskets)

    def check_parts(self, parts: Sequence[Any], load: Callable[[Any], PublishedBaskets]) -> Verdict:
        """Judge a release whose records lie in parts: ways to match are counted in each, added, and weighed once."""
        n = sum(len(load(part).start) - 1 for part in parts)
        if n < 1:
            return Verdict(False, "the release holds no record, so the claim promises nothing")
        if not load(parts[0]).covers:
            return Verdict(
                False, "not judged: it is not known what the published items may stand for", judged=False
            )
        looks = sum(map(len, self.itemsets)) * (n + sum(len(load(part).items) for part in parts))
        if looks > _MOST_LOOKS:
            return _refuse_size(f"the listed itemsets ask for {looks} looks at items")
        wrong, least = dict[tuple[str, ...], B1](), n
        for itemset in self.itemsets:
            patterns, counts = _ways_to_match(itemset, parts, load)
            if len(patterns) ** 2 * len(itemset) > _MOST_LOOKS:
                return _refuse_size(f"the records match a listed itemset in {len(patterns)} ways")
            support = _count_supersets(patterns, counts)
            telling = patterns.any(axis=1)
            if (telling & (support < self.k)).any():
                wrong[itemset] = patterns[telling & (support < self.k)]
            least = min(least, int(support[telling].min(initial=n)))
        broken = np.concatenate([_match_any(load(part), wrong) for part in parts])
        sentence = (
            f"{broken.sum()} of {n} records match parts of listed itemsets that fewer than k={self.k} match"
        )
        if not broken.any():
            sentence = f"every part of a listed itemset that occurs is matched by at least k={self.k} records"
        return verdict_from_rows(broken, f"{sentence}; the rarest is matched by {least}", {"k": least})


def _refuse_size(why: str) -> Verdict:
    return Verdict(False, f"not judged: {why}, too many to check; list fewer items together", judged=False)


def _check_itemsets(itemsets: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The itemsets sorted and without repeats, so that equal policies are equal claims."""
    if not isinstance(itemsets, list | tuple) or not all(
        isinstance(p, list | tuple) and p and all(isinstance(item, str) for item in p) for p in itemsets
    ):
        raise InputError("itemsets: give a list of lists of items, none of them empty")
    if not itemsets:
        raise InputError("itemsets: none is listed; list at least one")
    return tuple(sorted({tuple(sorted(set(p))) for p in itemsets}))


def _match_items(published: PublishedBaskets, itemset: tuple[str, ...]) -> B1:
    """For each record and item of an itemset, whether one of the record's published items may stand for it."""
    hits = (np.isin(published.items, list(published.covers.get(item, ()))) for item in itemset)
    return np.stack([sum_rows(published.start, hit) > 0 for hit in hits], axis=1)


def _ways_to_match(
    itemset: tuple[str, ...], parts: Sequence[Any], load: Callable[[Any], PublishedBaskets]
) -> tuple[B1, I8]:
    """The different ways in which records match an itemset, and how many records match it so."""
    pattern_counts = [
        np.unique(_match_items(load(part), itemset), axis=0, return_counts=True) for part in parts
    ]
    patterns, pattern_of = np.unique(
        np.concatenate([ways for ways, _ in pattern_counts]), axis=0, return_inverse=True
    )
    counts = np.bincount(pattern_of.ravel(), weights=np.concatenate([hits for _, hits in pattern_counts]))
    return patterns, counts.astype(np.int64)


def _match_any(published: PublishedBaskets, wrong: Mapping[tuple[str, ...], B1]) -> B1:
    """Which records match an itemset in one of these ways."""
    broken = np.zeros(len(published.start) - 1, dtype=bool)
    for itemset, patterns in wrong.items():
        rows = np.concatenate([patterns, _match_items(published, itemset)])
        pattern_of = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
        broken |= np.isin(pattern_of[len(patterns) :], pattern_of[: len(patterns)])
    return broken


def _count_supersets(patterns: B1, counts: I8) -> I8:
    """For each pattern, the records whose pattern includes it."""
    width = patterns.sum(axis=1)
    as_float = patterns.astype(np.float32)
    step = max(1, 2**24 // max(len(patterns), 1))
    parts = [
        ((as_float[i : i + step] @ as_float.T) == width[i : i + step, None]) @ counts
        for i in range(0, len(patterns), step)
    ]
    return np.concatenate(parts).astype(np.int64)
