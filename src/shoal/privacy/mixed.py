"""A table with baskets: (k,k^m)-anonymity and (k,l^m)-diversity, whose attacker knows all columns and up to m items."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from shoal.base.errors import InputError
from shoal.data.arrays import I8
from shoal.privacy.claim import (
    LACKED_ITEMS,
    LEAST_SHARE,
    MINIMALITY,
    NARROW,
    PUBLISHED_VALUES,
    SENSITIVE_ITEMS,
    SEVERAL_RELEASES,
    SHOWN,
    BaseClaim,
    Breaches,
    join_names,
)
from shoal.privacy.equivalence_class import equivalence_classes, explain_vacuous
from shoal.privacy.itemsets import (
    ItemsetBatch,
    ItemsetWeights,
    distinct_baskets,
    itemsets_up_to,
    refuse_too_many_itemsets,
    weigh_itemsets,
)
from shoal.release import PublishedMixed, Verdict

__all__ = ["KKmAnonymity", "KLmDiversity"]

_NOT_COVERED = (SEVERAL_RELEASES, MINIMALITY, NARROW, LACKED_ITEMS, PUBLISHED_VALUES)
_OTHER_ITEMS = (
    "what can be inferred about a person's other items: records that share all that is known may share more"
)


class _MixedClaim(BaseClaim):
    """A claim about the items of every class."""

    __slots__ = ()

    shape: ClassVar[str] = "mixed"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "items")
    k: int
    m: int

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return the claim as one sentence for people, about columns of these names."""
        words = BaseClaim.headline(self)  # names of columns say more than the word for them
        return words.replace("all quasi-identifiers", join_names(list(quasi))) if quasi else words

    @property
    def _diversity_limit(self) -> int | None:
        """Of l-diversity, its l; None where no sensitive item is weighed."""
        return None

    def check(self, published: PublishedMixed) -> Verdict:
        """Judge a release: in every class, weigh every combination of items that occurs."""
        return self.check_lots([(published, np.arange(len(published.baskets.start) - 1))])

    def check_lots(self, lots: Iterable[tuple[PublishedMixed, I8]]) -> Verdict:
        """Judge a release whose classes lie in lots, each class whole; the verdict is that on all records together.

        Parameters
        ----------
        lots
            Some records, and the number of each of them in the whole release, from 0; no lot is empty unless the
            release is.
        """
        weights: list[ItemsetWeights] = []
        broken: list[I8] = [np.zeros(0, dtype=np.int64)]
        unjudged, secret, records = None, False, 0
        for published, rows in lots:
            unfit = _refuse_unfit(published)
            if unfit is not None:
                return unfit
            sensitive = published.baskets.sensitive if self._diversity_limit else frozenset[int]()
            secret = secret or bool(np.isin(published.baskets.items, list(sensitive)).any())
            weighed = _weigh_classes(published, sensitive, self.m, self.k, self._diversity_limit)
            if isinstance(weighed, Verdict):
                unjudged = unjudged or weighed
                continue
            weights.append(weighed)
            broken.append(rows[weighed.broken])
            records += len(rows)
        if self._diversity_limit and not secret:
            return Verdict(False, "no sensitive item occurs, so the claim promises nothing")
        if unjudged is not None:
            return unjudged
        wrong = np.sort(np.concatenate(broken))
        breaches = Breaches(len(wrong), records, tuple((wrong[:SHOWN] + 1).tolist()))
        k, l = (
            min(item_weights.k for item_weights in weights),
            min(item_weights.l for item_weights in weights),
        )
        return breaches.verdict(self._sentence(breaches, k, l), {"k": k} | ({"l": l} if l < inf else {}))

    def _sentence(self, found: Breaches, k: int, l: float) -> str:
        """What was found, and the smallest crowd and diversity of all combinations."""
        raise NotImplementedError


def _weigh_classes(
    published: PublishedMixed, sensitive: frozenset[int], m: int, k: int, l: int | None
) -> ItemsetWeights | Verdict:
    """Weigh every combination of items of every class, those that are not sensitive; or say why not."""
    rows = _ClassRows(published, sensitive)
    beyond = refuse_too_many_itemsets(rows.open, m, np.diff(rows.secret.start))
    return weigh_itemsets(rows.itemsets(m), rows.secret, k, l) if beyond is None else beyond


@dataclass(frozen=True, slots=True)
class KKmAnonymity(_MixedClaim):
    """Whatever up to `m` items of a record are looked at, `k` records of its class hold them.

    A class is the records with equal quasi-identifiers. Every combination of up to m published items that
    occurs in a class occurs in at least k of its records, and so does the empty one: the class has k records.
    All items count, sensitive ones too.

    This is more than any m values, of columns and items together, being shared by k records: that weaker
    reading limits an attacker who knows little of everything, not one who knows all quasi-identifiers.

    A release without quasi-identifiers or without records does not pass. One without items is judged by its
    classes alone.

    References
    ----------
    .. [1] Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction
       attributes. ECML PKDD 2013, Def. 1-2.

    Examples
    --------
    >>> from shoal.release import Published, PublishedBaskets
    >>> zips = Published({"zip": np.array([7, 7, 8, 8])})
    >>> items = PublishedBaskets(np.array([0, 1, 2, 3, 3]), np.array([5, 5, 5]))
    >>> KKmAnonymity(2, 1).check(PublishedMixed(zips, items)).witnesses
    (3,)
    """

    model: ClassVar[str] = "(k,k^m)-anonymity"
    keys: ClassVar[tuple[str, ...]] = ("k", "m")
    rises: ClassVar[tuple[str, ...]] = ("k", "m")

    k: int
    m: int

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            f"anyone who knows all quasi-identifiers of a person and up to {self.m} items cannot tell that "
            f"person's record from those of at least {self.k - 1} others"
        )

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return (*_NOT_COVERED, _OTHER_ITEMS, f"an attacker who knows more than {self.m} items of a person")

    def _sentence(self, found: Breaches, k: int, l: float) -> str:
        if not found.broken:
            return (
                f"every record shares its quasi-identifiers and any up to m={self.m} of its items with at least "
                f"k={self.k} records; the fewest are {k}"
            )
        return (
            f"{found.broken} of {found.records} records share their quasi-identifiers and some up to m={self.m} of "
            f"their items with fewer than k={self.k} records; the fewest are {k}"
        )


@dataclass(frozen=True, slots=True)
class KLmDiversity(_MixedClaim):
    """`KKmAnonymity` of the items that are not sensitive, and no sensitive one likelier than 1/l.

    With sup(X) the records of a class that hold all of X: for every set J of at most `m` items that are not
    sensitive (the empty set too) that occurs in a class, sup(J) >= k, and l sup(J + s) <= sup(J) for every
    sensitive item s. A combination of sensitive items is in no more records than any one of them.

    A release in which no sensitive item occurs does not pass.

    References
    ----------
    .. [1] Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction
       attributes. ECML PKDD 2013, Sec. 5.

    Examples
    --------
    >>> from shoal.release import Published, PublishedBaskets
    >>> zips = Published({"zip": np.array([7, 7, 8, 8])})
    >>> items = PublishedBaskets(np.array([0, 2, 3, 4, 4]), np.array([5, 9, 5, 9]), frozenset([9]))
    >>> bool(KLmDiversity(2, 2, 1).check(PublishedMixed(zips, items)))
    True
    >>> KLmDiversity(2, 3, 1).check(PublishedMixed(zips, items)).broken
    4
    """

    model: ClassVar[str] = "(k,l^m)-diversity"
    keys: ClassVar[tuple[str, ...]] = ("l", "k", "m")
    rises: ClassVar[tuple[str, ...]] = ("k", "l", "m")
    meanings: ClassVar[Mapping[str, str]] = {"l": LEAST_SHARE}
    exempts: ClassVar[bool] = True

    k: int
    l: int
    m: int

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            f"anyone who knows all quasi-identifiers of a person and up to {self.m} items, none of them "
            f"sensitive, cannot tell that person's record from those of at least {self.k - 1} others, and finds no "
            f"combination of sensitive items in more than 1 of {self.l} of the records that match"
        )

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return (*_NOT_COVERED, SENSITIVE_ITEMS, f"an attacker who knows more than {self.m} items of a person")

    @property
    def _diversity_limit(self) -> int | None:
        return self.l

    def _sentence(self, found: Breaches, k: int, l: float) -> str:
        likely = f"the most frequent is in 1 of {l:.4g}" if l < inf else "none occurs"
        if not found.broken:
            return (
                f"every record shares its quasi-identifiers and any up to m={self.m} items that are not sensitive "
                f"with at least k={self.k} records, the fewest are {k}, and no sensitive item is in more than "
                f"1 of l={self.l} of them; {likely}"
            )
        return (
            f"{found.broken} of {found.records} records share their quasi-identifiers and some up to "
            f"m={self.m} items that are not sensitive with fewer than k={self.k} records, the fewest are {k}, "
            f"or with records of which more than 1 of l={self.l} hold a sensitive item; {likely}"
        )


class _ClassRows:
    """A release as distinct rows, class by class: items to combine, items to weigh.

    Every item is numbered anew in each class, so a combination never reaches beyond one, and every row
    starts with a mark of its class, so that empty baskets keep theirs.
    """

    def __init__(self, published: PublishedMixed, sensitive: frozenset[int]) -> None:
        groups, baskets = equivalence_classes(published.table), published.baskets
        items, dense = np.unique(baskets.items, return_inverse=True)
        width = len(items) + 1
        marks = np.arange(len(groups.size)) * width
        numbers = np.repeat(marks[groups.of], np.diff(baskets.start)) + 1 + dense
        start = baskets.start + np.arange(len(baskets.start))
        rows = distinct_baskets(start, np.insert(numbers, baskets.start[:-1], marks[groups.of]))
        item_codes = np.unique(np.r_[marks, numbers]) % width
        secret = np.r_[False, np.isin(items, list(sensitive))][item_codes][rows.items]
        mark = (item_codes == 0)[rows.items]
        self.of_class, self.size = np.cumsum(item_codes == 0)[rows.items[mark]] - 1, groups.size
        self.open, self.secret = rows.part(~secret & ~mark), rows.part(secret)

    def itemsets(self, m: int) -> Iterator[ItemsetBatch]:
        """The empty itemset of every class, then all others of up to m items."""
        rows = np.argsort(self.of_class, kind="stable")
        yield ItemsetBatch(rows, rows, self.of_class[rows], self.size)
        yield from itemsets_up_to(m, self.open)


def _refuse_unfit(published: PublishedMixed) -> Verdict | None:
    """Return a verdict where the claim is empty or cannot be judged; otherwise None."""
    vacuous = explain_vacuous(published.table)
    if vacuous is not None:
        return vacuous
    n = len(next(iter(published.table.quasi.values())))
    if len(published.baskets.start) != n + 1:
        raise InputError(
            f"judge: {len(published.baskets.start) - 1} baskets are given for {n} records; give one basket per record"
        )
    persons = published.table.persons
    if persons is not None and len(np.unique(persons)) < len(persons):
        return Verdict(
            False,
            "not judged: several records belong to one person; give every person one record",
            judged=False,
        )
    return None
