"""k-anonymity of listed itemsets: baskets of which an attacker knows items that are listed together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from shoal.data.arrays import B1, I8, sums
from shoal.errors import InputError
from shoal.privacy.claim import BaseClaim, ruling
from shoal.privacy.itemsets import KM_NOT_COVERED
from shoal.release import PublishedBaskets, Verdict

__all__ = ["ItemsetAnonymity"]

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
        self._set(itemsets=_listed(self.itemsets))

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "whoever knows items of a person that stand together in one of the listed itemsets, and no "
            f"others, cannot tell that person's record from those of at least {self.k - 1} others"
        )

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return (*KM_NOT_COVERED, "an attacker who knows items that are not listed together")

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
            return _too_much(f"the listed itemsets ask for {looks} looks at items")
        wrong, least = dict[tuple[str, ...], B1](), n
        for itemset in self.itemsets:
            patterns, counts = _ways_to_match(itemset, parts, load)
            if len(patterns) ** 2 * len(itemset) > _MOST_LOOKS:
                return _too_much(f"the records match a listed itemset in {len(patterns)} ways")
            support = _supersets(patterns, counts)
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
        return ruling(broken, f"{sentence}; the rarest is matched by {least}", {"k": least})


def _too_much(why: str) -> Verdict:
    return Verdict(False, f"not judged: {why}, too many to check; list fewer items together", judged=False)


def _listed(itemsets: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The itemsets sorted and without repeats, so that equal policies are equal claims."""
    if not isinstance(itemsets, list | tuple) or not all(
        isinstance(p, list | tuple) and p and all(isinstance(item, str) for item in p) for p in itemsets
    ):
        raise InputError("itemsets: give a list of lists of items, none of them empty")
    if not itemsets:
        raise InputError("itemsets: none is listed; list at least one")
    return tuple(sorted({tuple(sorted(set(p))) for p in itemsets}))


def _matching(published: PublishedBaskets, itemset: tuple[str, ...]) -> B1:
    """For each record and item of an itemset, whether one of the record's published items may stand for it."""
    hits = (np.isin(published.items, list(published.covers.get(item, ()))) for item in itemset)
    return np.stack([sums(published.start, hit) > 0 for hit in hits], axis=1)


def _ways_to_match(
    itemset: tuple[str, ...], parts: Sequence[Any], load: Callable[[Any], PublishedBaskets]
) -> tuple[B1, I8]:
    """The different ways in which records match an itemset, and how many records match it so."""
    found = [np.unique(_matching(load(part), itemset), axis=0, return_counts=True) for part in parts]
    patterns, of = np.unique(np.concatenate([ways for ways, _ in found]), axis=0, return_inverse=True)
    counts = np.bincount(of.ravel(), weights=np.concatenate([many for _, many in found]))
    return patterns, counts.astype(np.int64)


def _match_any(published: PublishedBaskets, wrong: Mapping[tuple[str, ...], B1]) -> B1:
    """Which records match an itemset in one of these ways."""
    broken = np.zeros(len(published.start) - 1, dtype=bool)
    for itemset, patterns in wrong.items():
        both = np.concatenate([patterns, _matching(published, itemset)])
        of = np.unique(both, axis=0, return_inverse=True)[1].ravel()
        broken |= np.isin(of[len(patterns) :], of[: len(patterns)])
    return broken


def _supersets(patterns: B1, counts: I8) -> I8:
    """For each pattern, the records whose pattern includes it."""
    width = patterns.sum(axis=1)
    as_float = patterns.astype(np.float32)
    step = max(1, 2**24 // max(len(patterns), 1))
    parts = [
        ((as_float[i : i + step] @ as_float.T) == width[i : i + step, None]) @ counts
        for i in range(0, len(patterns), step)
    ]
    return np.concatenate(parts).astype(np.int64)
