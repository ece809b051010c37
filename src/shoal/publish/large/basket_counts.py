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
from shoal.utility import BasketCase, losses_of

__all__ = ["BasketCounts", "added", "counted"]

_BY = {"ncp": "items", "ul": "records", "ncp-published": "shown"}
"""The losses that are means, and what each is a mean over."""


@dataclass(frozen=True, slots=True)
class BasketCounts:
    """Counts of some records.

    before, after : for each item, or published form, how many records hold it
    lengths : for each number of published items, how many records have it
    losses  : by name, the sum that a loss is the mean of; of these, `public` anybody can compute
    over    : how many items, records and published items these are sums over
    kinds   : uint64, a hash of each different released basket
    digest  : the sum of the hashes of all released baskets, modulo 2^64
    """

    before: I8
    after: I8
    lengths: Counter[int]
    losses: Counter[str]
    public: frozenset[str]
    over: Counter[str]
    kinds: U8
    digest: int

    def mean_losses(self, *, public: bool) -> dict[str, float]:
        """The losses by name."""
        names = [name for name in self.losses if name in self.public or not public]
        return {name: self.losses[name] / max(self.over[_BY[name]], 1) for name in names}


def counted(baskets: Baskets, release: RecodedBaskets, hierarchy: Hierarchy, key: int) -> BasketCounts:
    """Count the records of one part; `key` is a random number that hashes are made with."""
    case = BasketCase(release, baskets, hierarchy)
    over = Counter(items=len(baskets.items), records=release.records, shown=len(release.items))
    found = {name: loss for name, loss in losses_of(case).items() if name in _BY}
    sizes, times = np.unique(np.diff(release.start), return_counts=True)
    hashes = hashed_lists(release.start, release.items, key)
    return BasketCounts(
        np.bincount(baskets.items, minlength=len(baskets.values)),
        np.bincount(release.items, minlength=len(release.forms.labels)),
        Counter(dict(zip(sizes.tolist(), times.tolist(), strict=True))),
        Counter({name: loss * over[_BY[name]] for name, loss in found.items()}),
        frozenset(losses_of(case.public())),
        over,
        np.unique(hashes),
        int(hashes.sum(dtype=np.uint64)),
    )


def added(parts: Iterable[BasketCounts]) -> BasketCounts:
    """The counts of all parts."""
    return reduce(_both, parts)


def _both(one: BasketCounts, other: BasketCounts) -> BasketCounts:
    losses = Counter(one.losses)
    losses.update(other.losses)
    return BasketCounts(
        one.before + other.before,
        one.after + other.after,
        one.lengths + other.lengths,
        losses,
        one.public | other.public,
        one.over + other.over,
        np.union1d(one.kinds, other.kinds),
        (one.digest + other.digest) % 2**64,
    )
