"""Losses as lattice search prices them: whole sums per column, class sizes, labels (design section 5)."""

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.table.cube import Cube
from shoal.data import Table
from shoal.errors import InputError
from shoal.kernels import measure
from shoal.kernels.measure import Prices

__all__ = ["LOSSES", "check_loss", "labels_of", "prices_of"]

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
    """Refuse a loss that does not exist, one in `without`, and `ce` without a column to predict."""
    known = [name for name in LOSSES if name not in without]
    if loss not in known:
        raise InputError(f"{maker}: no loss of that name here; there are {', '.join(known)}", value=loss)
    if loss == "ce" and target is None:
        raise InputError(f"{maker}: loss ce needs target; name the column to predict")


def labels_of(table: Table, loss: str, target: str | None) -> tuple[NDArray[np.int32], ...]:
    """Return what must stay in a tuple beside the quasi-identifiers: the codes that `ce` predicts."""
    return (table.column(target).codes,) if loss == "ce" and target is not None else ()


def prices_of(loss: str, cube: Cube, table: Table, k: int = 1) -> Prices:
    """The loss named `loss` as numbers the kernels can price a node with.

    A record costs leaves-1 of D-1 (glm), leaves of D unless it is a leaf (ncp), or its level of the
    height (precision); a column in which nothing can be lost costs nothing.
    """
    d = len(cube.trees)
    share = np.full(d, 1.0 / d)
    if loss == "ncp":
        weight = np.array([column.weight for column in table.quasi])
        share = weight / weight.sum()
        of_leaves = [np.where(np.arange(t.size + 1) > 1, np.arange(t.size + 1), 0) for t in cube.trees]
        top = [t.size for t in cube.trees]
    else:
        of_leaves = [np.maximum(np.arange(t.size + 1) - 1, 0) for t in cube.trees]
        top = [max(t.size - 1, 1) for t in cube.trees]
    cost = cube.costs(of_leaves)
    if loss == "precision":
        seen = [len(np.unique(cube.leaves[:, j])) for j in range(d)]
        cost = np.concatenate([np.repeat(np.arange(t.height + 1), seen[j]) for j, t in enumerate(cube.trees)])
        top = [max(t.height, 1) for t in cube.trees]
    total = cube.totals(cost)
    return Prices(LOSSES[loss], cube.n, k, cost, total, np.array(top, dtype=np.int64), share)
