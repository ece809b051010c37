"""Clusters of records with baskets: what they pay, what they need, and two becoming one."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.algorithms.local._kernels.classes import extents
from shoal.algorithms.mixed._kernels import (
    ClusterBaskets,
    alike,
    chain,
    distances,
    members,
    prices,
    unions,
    unite,
    within,
)
from shoal.algorithms.mixed.mixed_records import Records
from shoal.data.types import B1, F8, I8

__all__ = ["Clusters", "Counts", "Need", "counted"]


class Counts(NamedTuple):
    """The numbers that a claim needs of each cluster.

    size    : int64[c]     records
    holding : int64[c]     records with items that may be known
    secret  : int64[c, s]  records with each sensitive item
    beside  : int64[c, s]  those of them with items that may be known
    """

    size: I8
    holding: I8
    secret: I8
    beside: I8


@dataclass(frozen=True, slots=True)
class Need:
    """What a cluster must have so that its items can be generalized to the claim.

    It must have at least k records with items that may be known, or none. No sensitive item may be in more than 1 of l
    records, nor in more than 1 of l of the records with items that may be known. Then publishing all these items as
    one item keeps the claim; otherwise no generalization keeps it. l = 0 asks for no diversity.
    """

    k: int
    l: int = 0

    def unmet(self, counts: Counts) -> B1:
        """For each cluster, whether it lacks something."""
        size, holding, secret, beside = counts
        few = (holding > 0) & (holding < self.k)
        many = (self.l * secret > size[:, None]) | (self.l * beside > holding[:, None])
        return np.asarray(few | many.any(axis=1))


def counted(records: Records, of: I8) -> Counts:
    """Count what each cluster 0, 1, ... holds; `of` is the cluster of each record."""
    c, s = int(of.max()) + 1, records.secrets
    has = np.diff(records.known[0]) > 0
    row, item = records.sensitive
    key, also = of[row] * s + item, has[row]
    return Counts(
        np.bincount(of, minlength=c),
        np.bincount(of[has], minlength=c),
        np.bincount(key, minlength=c * s).reshape(c, s),
        np.bincount(key[also], minlength=c * s).reshape(c, s),
    )


class Clusters:
    """All clusters of `records`, those published alike made one; what became part of another holds nothing.

    of     : int64[n]  the cluster of each record at first
    counts : what each cluster holds now
    paid   : int64[c]  what each of its records pays, in `SCALE`
    """

    def __init__(self, records: Records, of: I8) -> None:
        self._rates = records.local.rates
        walk, starts = _walk(of)
        low, high = extents(records.local.codes, walk, starts, self._rates)
        self.of = alike(low, high, self._rates)[of]
        walk, starts = _walk(self.of)
        self._low, self._high = extents(records.local.codes, walk, starts, self._rates)
        self.paid = prices(self._low, self._high, self._rates)
        start, items = records.known
        order = np.argsort(-np.diff(start), kind="stable")
        self.counts = counted(records, self.of)
        first, after = chain(self.of, order, len(self.size))
        self._baskets = ClusterBaskets(start, items, first, after)
        self._widths: F8 | None = None

    @property
    def size(self) -> I8:
        """How many records each cluster has."""
        return self.counts.size

    @property
    def total(self) -> int:
        """What all records pay."""
        return int(self.size @ self.paid)

    def members(self, c: int) -> I8:
        """The records of c."""
        return np.asarray(members(self._baskets, c, int(self.size[c])))

    def others(self, c: int) -> I8:
        """Every cluster but c."""
        alive = np.flatnonzero(self.size)
        return np.asarray(alive[alive != c])

    def cost(self, c: int, others: I8) -> I8:
        """What each record of the union of c and each other would pay."""
        return unions(self._low, self._high, c, others, self._rates)

    def added(self, c: int, others: I8, cost: I8) -> I8:
        """By how much the total would grow."""
        both = (self.size[c] + self.size[others]) * cost
        return np.asarray(both - self.size[c] * self.paid[c] - self.size[others] * self.paid[others])

    def union_distances(self, c: int, others: I8) -> tuple[F8, F8]:
        """The BTD of the union of c and each other, and the largest of a record of c and one of the other."""
        if self._widths is None:
            self._widths = within(self._baskets)
        across = distances(self._baskets, c, others)
        return np.maximum(np.maximum(across, self._widths[others]), self._widths[c]), across

    def twin(self, c: int) -> int | None:
        """A cluster that is published as c is, so that the two cannot be told apart anyway."""
        others = self.others(c)
        same = (self.cost(c, others) == self.paid[c]) & (self.paid[others] == self.paid[c])
        return int(others[np.argmax(same)]) if same.any() else None

    def unite(self, c: int, o: int) -> None:
        """Make o a part of c."""
        cost = self.cost(c, np.array([o]))[0]
        if self._widths is not None:
            self._widths[c] = self.union_distances(c, np.array([o]))[0][0]
        unite(self._low, self._high, self.size, self._baskets, c, o, self._rates)
        self.paid[c] = cost
        for held in self.counts[1:]:
            held[c] += held[o]
            held[o] = 0


def _walk(of: I8) -> tuple[I8, I8]:
    """Records by cluster, and where each cluster begins; numbers are 0, 1, ... without gaps."""
    return np.argsort(of, kind="stable"), np.r_[0, np.cumsum(np.bincount(of))].astype(np.int64)
