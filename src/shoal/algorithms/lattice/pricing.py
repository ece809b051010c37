"""Losses as lattice search prices them: whole sums per column, class sizes, labels (design section 5)."""

from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple

import numpy as np

from shoal.algorithms.knobs import OneOf
from shoal.algorithms.lattice import _kernels as measure
from shoal.algorithms.lattice._kernels import Prices
from shoal.algorithms.lattice.cube import Cube, Lattice
from shoal.data import Table
from shoal.data.arrays import F8, I4, I8, times
from shoal.errors import InputError
from shoal.naming import offered

__all__ = ["LOSSES", "Loss", "LossOfFronts", "check_loss", "floors_of", "labels_of", "prices_of", "terms_of"]


class Bill(NamedTuple):
    """What records pay by column and node, in whole numbers; see `Prices`, which takes these over."""

    cost: I8
    total: I8
    top: I8
    share: F8


def check_loss(method: str, loss: str, target: str | None, without: tuple[str, ...] = ()) -> None:
    """Refuse a loss that does not exist, one in `without` (it divides by k), and `ce` without a target."""
    known = [name for name in LOSSES if name not in without]
    if loss in without:
        raise InputError(
            f"{method}: {loss} divides by k, so it does not compare different k; there are {', '.join(known)}"
        )
    if loss not in known:
        raise InputError(f"{method}: no loss of that name; {offered(loss, known)}", value=loss)
    if loss == "ce" and target is None:
        raise InputError(f"{method}: loss ce needs target; name the column to predict")


def labels_of(table: Table, loss: str, target: str | None) -> tuple[I4, ...]:
    """Return what must stay in a tuple beside the quasi-identifiers: the codes that `ce` predicts."""
    return (table.column(target).codes,) if loss == "ce" and target is not None else ()


def prices_of(loss: str, cube: Cube, table: Table, k: int = 1) -> Prices:
    """The loss named `loss` as numbers the kernels can price a node with."""
    kind, bill = LOSSES[loss]
    return Prices(kind, cube.n, k, *bill(cube, table))


def _glm(cube: Cube, table: Table) -> Bill:
    """(leaves-1) of (D-1), the mean over columns; a column of one leaf costs nothing."""
    top = [max(hierarchy.size - 1, 1) for hierarchy in cube.hierarchies]
    return _bill(cube, lambda j, level: _leaves(cube, j, level) - 1, top, np.full(len(top), 1.0 / len(top)))


def _ncp(cube: Cube, table: Table) -> Bill:
    """Leaves of D, 0 for a leaf, weighted."""
    weight = np.array([column.weight for column in table.quasi])
    top = [hierarchy.size for hierarchy in cube.hierarchies]

    def cost(j: int, level: int) -> I8:
        return np.where((leaves := _leaves(cube, j, level)) > 1, leaves, 0)

    return _bill(cube, cost, top, weight / weight.sum())


def _il(cube: Cube, table: Table) -> Bill:
    """(leaves-1) of D, the sum over columns."""
    top = [hierarchy.size for hierarchy in cube.hierarchies]
    return _bill(cube, lambda j, level: _leaves(cube, j, level) - 1, top, np.ones(len(top)))


def _precision(cube: Cube, table: Table) -> Bill:
    """The level of the height, the mean over columns; a column of one level costs nothing."""
    top = [max(hierarchy.height, 1) for hierarchy in cube.hierarchies]

    def cost(j: int, level: int) -> I8:
        return np.full(len(cube.hierarchies[j].spans[level]), level)

    return _bill(cube, cost, top, np.full(len(top), 1.0 / len(top)))


def _entropy(cube: Cube, table: Table) -> Bill:
    """Bits that are missing to tell a value, log2(records under its node / records with it), of all bits there are.

    A suppressed record misses log2(N / records with its value), which depends on its own value. But what
    suppressing it adds, log2(N / records under its node), is the same for all records of a class. The kernels let a
    suppressed record pay `top` instead of `cost`: so `cost` is `top` minus what suppressing adds, and `total` is
    counted by itself.
    """
    n, columns = cube.n, range(len(cube.hierarchies))
    unit = 2.0 ** (
        61 - n.bit_length() - n.bit_length().bit_length()
    )  # so that n log2(n) units fit in 62 bits

    def bits(records: I8) -> I8:
        return np.rint(unit * np.log2(n / np.maximum(records, 1))).astype(np.int64)

    held = [times(np.unique(cube.leaves[:, j], return_inverse=True)[1], cube.times) for j in columns]
    whole = np.array([count @ bits(count) for count in held])
    top = np.maximum(whole // n, 1)
    added = cube.costs(lambda j, level: bits(_records(cube, j, level)))
    cost = cube.costs(lambda j, level: top[j] - bits(_records(cube, j, level)))
    share = top * (n / max(sum(whole.tolist()), 1))
    return Bill(cost, whole[:, None] - cube.totals(added), top, share)


def _bill(cube: Cube, of_nodes: Callable[[int, int], I8], top: Sequence[int], share: F8) -> Bill:
    cost = cube.costs(of_nodes)
    return Bill(cost, cube.totals(cost), np.array(top, dtype=np.int64), share)


def _leaves(cube: Cube, j: int, level: int) -> I8:
    """How many leaves each node of a level covers."""
    spans = cube.hierarchies[j].spans[level].astype(np.int64)
    return np.asarray(spans[:, 1] - spans[:, 0])


def _records(cube: Cube, j: int, level: int) -> I8:
    """How many records have a value under each node of a level; the root, where missing cells wait, is over all."""
    hierarchy = cube.hierarchies[j]
    found = times(hierarchy.up[cube.leaves[:, j], level], cube.times, len(hierarchy.labels[level]))
    return np.where([label == hierarchy.root for label in hierarchy.labels[level]], cube.n, found)


LOSSES: dict[str, tuple[int, Callable[[Cube, Table], Bill]]] = {
    "glm": (measure.ARITHMETIC, _glm),
    "glm-geometric": (measure.GEOMETRIC, _glm),
    "ncp": (measure.ARITHMETIC, _ncp),
    "il": (measure.ARITHMETIC, _il),
    "entropy": (measure.ARITHMETIC, _entropy),
    "precision": (measure.ARITHMETIC, _precision),
    "height": (measure.HEIGHT, _glm),  # levels and classes are priced by the kernels, whatever cells cost
    "dm": (measure.DM, _glm),
    "dm-star": (measure.DM_STAR, _glm),
    "aecs": (measure.AECS, _glm),
    "c_avg": (measure.C_AVG, _glm),
    "ce": (measure.CE, _glm),
}

Loss = Annotated[str, OneOf(tuple(LOSSES))]
LossOfFronts = Annotated[str, OneOf(tuple(name for name in LOSSES if name != "c_avg"))]
"""A front compares different k, and c_avg divides by k."""


def terms_of(prices: Prices) -> F8 | None:
    """What column j at a level costs with nothing suppressed, float64[d, levels]; None for losses of classes."""
    if prices.kind > measure.HEIGHT:
        return None
    if prices.kind == measure.HEIGHT:
        return np.tile(np.arange(prices.total.shape[1], dtype=np.float64), (len(prices.total), 1))
    means = prices.total / prices.top[:, None] / prices.n
    return means if prices.kind == measure.GEOMETRIC else means * prices.share[:, None]


def floors_of(prices: Prices, lattice: Lattice) -> Callable[[I8], F8]:
    """Return what numbered nodes cost with nothing suppressed, as ticks: no k costs less.

    Losses that depend on the classes are not known before a node is evaluated: their floor is 0.
    """
    terms, geometric = terms_of(prices), prices.kind == measure.GEOMETRIC
    if terms is None:
        return lambda nodes: np.zeros(len(nodes))

    def floors(nodes: I8) -> F8:
        loss = np.full(len(nodes), 1.0 if geometric else 0.0)
        for j, term in enumerate(terms):  # in the order of `price`, so that equal sums are equal bits
            at = term[lattice.column(nodes, j)]
            loss = loss * (1.0 + at) if geometric else loss + at
        return np.floor((loss ** (1.0 / len(terms)) - 1.0 if geometric else loss) * 1e12 + 0.5)

    return floors
