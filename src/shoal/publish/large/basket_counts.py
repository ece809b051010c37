"""What is counted of each part of baskets for pages, manifest and door; parts are added."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from shoal.data import Baskets
from shoal.data.types import I8, U8
from shoal.hierarchy import Hierarchy
from shoal.publish.large.record_hashes import hashed_lists
from shoal.release import RecodedBaskets
from shoal.utility import LOSSES, BasketCase, TreeCase, VoteCase

__all__ = ["BasketCounts", "Sums", "added", "counted"]

_BY = {
    "ncp": "items",
    "er": "records",
    "ul": "records",
    "ncp-published": "shown",
    "rpd": "records",
    "rpd-original": "records",
}
"""The losses that are means, and what each is a mean over."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Losses of some records, as sums that can be added.

    losses : by name, the sum that a loss is the mean of; of these, `public` anybody can compute
    over   : how many items (of trees: nodes), records and published items these are sums over
    """

    losses: Counter[str]
    public: frozenset[str]
    over: Counter[str]

    @classmethod
    def of(cls, case: BasketCase | VoteCase | TreeCase, **counts: int) -> "Sums":
        """What one part loses; `counts` are how many items, records and published items it has."""
        over = Counter(counts)
        ways = {name: LOSSES[name].ways[case.shape] for name in _BY if case.shape in LOSSES[name].ways}
        found = {name: way.price(case) for name, way in ways.items() if way.needs <= case.has}
        losses = Counter({name: loss * over[_BY[name]] for name, loss in found.items() if loss is not None})
        seen = case.public().has
        return cls(losses, frozenset(name for name in losses if ways[name].needs <= seen), over)

    def __add__(self, other: "Sums") -> "Sums":
        losses = Counter(self.losses)
        losses.update(other.losses)  # which keeps what sums up to nothing
        return Sums(losses, self.public | other.public, self.over + other.over)

    def means(self, *, public: bool) -> dict[str, float]:
        """The losses by name."""
        names = [name for name in self.losses if name in self.public or not public]
        return {name: self.losses[name] / max(self.over[_BY[name]], 1) for name in names}


@dataclass(frozen=True, slots=True)
class BasketCounts:
    """Counts of some records.

    before, after : for each item, or published form, how many records hold it
    lengths : for each number of published items, how many records have it
    sums    : what they lose
    kinds   : uint64, a hash of each different released basket
    digest  : the sum of the hashes of all released baskets, modulo 2^64
    """

    before: I8
    after: I8
    lengths: Counter[int]
    sums: Sums
    kinds: U8
    digest: int


def counted(baskets: Baskets, release: RecodedBaskets, hierarchy: Hierarchy, key: int) -> BasketCounts:
    """Count the records of one part; `key` is a random number that hashes are made with."""
    sizes, times = np.unique(np.diff(release.start), return_counts=True)
    hashes = hashed_lists(release.start, release.items, key)
    return BasketCounts(
        np.bincount(baskets.items, minlength=len(baskets.values)),
        np.bincount(release.items, minlength=len(release.forms.labels)),
        Counter(dict(zip(sizes.tolist(), times.tolist(), strict=True))),
        Sums.of(
            BasketCase(release, baskets, hierarchy),
            items=len(baskets.items),
            records=release.records,
            shown=len(release.items),
        ),
        np.unique(hashes),
        int(hashes.sum(dtype=np.uint64)),
    )


def added(parts: Iterable[BasketCounts]) -> BasketCounts:
    """The counts of all parts."""
    return reduce(_both, parts)


def _both(one: BasketCounts, other: BasketCounts) -> BasketCounts:
    return BasketCounts(
        one.before + other.before,
        one.after + other.after,
        one.lengths + other.lengths,
        one.sums + other.sums,
        np.union1d(one.kinds, other.kinds),
        (one.digest + other.digest) % 2**64,
    )
