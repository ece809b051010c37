"""Losses as lattice search prices them: whole sums per column, class sizes, labels (design section 5)."""

from collections.abc import Callable

import numpy as np

from shoal.algorithms.lattice.cube import Cube
from shoal.data import Table
from shoal.data.types import F8, I4, I8
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.lattice import Lattice
from shoal.kernels.lattice import node_measures as measure
from shoal.kernels.lattice.node_measures import Prices

__all__ = ["LOSSES", "check_loss", "floors_of", "labels_of", "prices_of", "terms_of"]


LOSSES = {
    "glm": measure.ARITHMETIC,
    "glm-geometric": measure.GEOMETRIC,
    "ncp": measure.ARITHMETIC,
    "precision": measure.ARITHMETIC,
    "height": measure.HEIGHT,
    "dm": measure.DM,
    "dm-star": measure.DM_STAR,
    "aecs": measure.AECS,
    "c_avg": measure.C_AVG,
    "ce": measure.CE,
}


def check_loss(maker: str, loss: str, target: str | None, without: tuple[str, ...] = ()) -> None:
    """Refuse a loss that does not exist, one in `without` (it divides by k), and `ce` without a target."""
    known = [name for name in LOSSES if name not in without]
    if loss in without:
        raise InputError(
            f"{maker}: {loss} divides by k, so it does not compare different k; there are {', '.join(known)}"
        )
    if loss not in known:
        raise InputError(f"{maker}: no loss of that name; there are {', '.join(known)}", value=loss)
    if loss == "ce" and target is None:
        raise InputError(f"{maker}: loss ce needs target; name the column to predict")


def labels_of(table: Table, loss: str, target: str | None) -> tuple[I4, ...]:
    """Return what must stay in a tuple beside the quasi-identifiers: the codes that `ce` predicts."""
    return (table.column(target).codes,) if loss == "ce" and target is not None else ()


def prices_of(loss: str, cube: Cube, table: Table, k: int = 1) -> Prices:
    """The loss named `loss` as numbers the kernels can price a node with.

    A record costs leaves-1 of D-1 (glm), leaves of D unless it is a leaf (ncp), or its level of the height
    (precision); a column in which nothing can be lost costs nothing.
    """
    d = len(cube.hierarchies)
    share = np.full(d, 1.0 / d)
    if loss == "ncp":
        weight = np.array([column.weight for column in table.quasi])
        share = weight / weight.sum()
        top = [tree.size for tree in cube.hierarchies]
        cost = cube.costs(lambda tree, level: np.where((n := _leaves(tree, level)) > 1, n, 0))
    elif loss == "precision":
        top = [max(tree.height, 1) for tree in cube.hierarchies]
        cost = cube.costs(lambda tree, level: np.full(len(tree.spans[level]), level))
    else:
        top = [max(tree.size - 1, 1) for tree in cube.hierarchies]
        cost = cube.costs(lambda tree, level: _leaves(tree, level) - 1)
    return Prices(LOSSES[loss], cube.n, k, cost, cube.totals(cost), np.array(top, dtype=np.int64), share)


def _leaves(tree: Hierarchy, level: int) -> I8:
    """How many leaves each node of a level covers."""
    spans = tree.spans[level].astype(np.int64)
    return spans[:, 1] - spans[:, 0]


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
