"""What a table of clusters loses, by the measures that `bound` can bound: the paper's Rum.

Each measures clusters in whole numbers, so that what is added up is exact; `share` makes a loss from 0 to 1 of it.
"""

from typing import Literal, Protocol

import numpy as np

from shoal.algorithms.local.column_prices import SCALE
from shoal.algorithms.mixed.clusters import Clusters
from shoal.data.types import I8

__all__ = ["MEASURES", "TableLoss", "TableMeasure", "budget", "share"]

TableLoss = Literal["ncp", "dm", "c_avg"]

_ONE = 1 << 40  # the whole of a loss that is a quotient


class TableMeasure(Protocol):
    """One way to measure what the table loses."""

    def total(self, clusters: Clusters) -> int:
        """What all clusters lose."""

    def own(self, clusters: Clusters) -> tuple[I8, ...]:
        """What each cluster loses by itself: keys, the first counts most."""

    def united(self, clusters: Clusters, c: int, others: I8) -> tuple[I8, ...]:
        """What the union of c and each other would lose by itself: keys, the first counts most."""

    def added(self, clusters: Clusters, c: int, others: I8, united: tuple[I8, ...]) -> I8:
        """By how much the total would grow."""

    def whole(self, n: int) -> int:
        """The total of n records that is a loss of 1."""


class _Ncp:
    """The mean over records of what their cells lose."""

    def total(self, clusters: Clusters) -> int:
        return clusters.total

    def own(self, clusters: Clusters) -> tuple[I8, ...]:
        return (clusters.paid,)

    def united(self, clusters: Clusters, c: int, others: I8) -> tuple[I8, ...]:
        return (clusters.cost(c, others),)

    def added(self, clusters: Clusters, c: int, others: I8, united: tuple[I8, ...]) -> I8:
        return clusters.added(c, others, united[0])

    def whole(self, n: int) -> int:
        return SCALE * n


class _Sizes:
    """Losses of class sizes: small clusters first, and of equal ones those whose cells lose least."""

    def own(self, clusters: Clusters) -> tuple[I8, ...]:
        return clusters.size, clusters.paid

    def united(self, clusters: Clusters, c: int, others: I8) -> tuple[I8, ...]:
        return clusters.size[c] + clusters.size[others], clusters.cost(c, others)


class _Dm(_Sizes):
    """Discernibility, the sum of squares of class sizes, as a share of that of one class of all."""

    def total(self, clusters: Clusters) -> int:
        return int(clusters.size @ clusters.size)

    def added(self, clusters: Clusters, c: int, others: I8, united: tuple[I8, ...]) -> I8:
        return np.asarray(2 * clusters.size[c] * clusters.size[others])

    def whole(self, n: int) -> int:
        return n**2


class _CAvg(_Sizes):
    """The average class size as a share of all records, 1/classes: N/(classes k) as a share of N/k."""

    def total(self, clusters: Clusters) -> int:
        return _ONE // int((clusters.size > 0).sum())

    def added(self, clusters: Clusters, c: int, others: I8, united: tuple[I8, ...]) -> I8:
        many = int((clusters.size > 0).sum())
        return np.full(len(others), _ONE // (many - 1) - _ONE // many)

    def whole(self, n: int) -> int:
        return _ONE


MEASURES: dict[str, TableMeasure] = {"ncp": _Ncp(), "dm": _Dm(), "c_avg": _CAvg()}


def share(loss: TableLoss, total: int, n: int) -> float:
    """A total of n records as a loss from 0 to 1."""
    return total / MEASURES[loss].whole(n)


def budget(loss: TableLoss, delta: float, n: int) -> int:
    """The largest total within a bound; prices are rounded, so a billionth more is no more."""
    return int((delta + 1e-9) * MEASURES[loss].whole(n))
