"""The exact privacy/loss front of a lattice: the least loss of any node, for every k at once."""

import numpy as np

from shoal.algorithms.table.cube import Cube, allowance
from shoal.algorithms.table.front import FrontResult, undominated
from shoal.algorithms.table.losses import check_loss, labels_of, prices_of
from shoal.data import Table
from shoal.hierarchy import Hierarchies
from shoal.kernels.sweep import sweep
from shoal.progress import Progress, silent

__all__ = ["pareto"]


def pareto(
    table: Table,
    hierarchies: Hierarchies,
    *,
    suppress: float = 0.0,
    loss: str = "glm",
    target: str | None = None,
    per_node: bool = False,
    seconds: float | None = None,
    progress: Progress = silent,
) -> FrontResult:
    """Find, for every k, the least loss of any full-domain recoding of `table`."""
    check_loss("pareto", loss, target, without=("c_avg",))
    cube = Cube.of("pareto", table, hierarchies, labels_of(table, loss, target))
    allowed = allowance("pareto", suppress, cube.n)
    prices = prices_of(loss, cube, table)
    lattice = cube.lattice
    shape = (np.array(lattice.heights), np.array(lattice.stride), np.arange(len(lattice.heights)))
    progress("evaluating the lattice")
    best = sweep(cube.words, cube.counts, shape, cube.layout, cube.extras, prices, allowed, per_node)
    points = undominated(cube, *best)
    bounds = tuple(point.loss for point in points)
    return FrontResult(cube.names, points, lattice.size, lattice.size, True, 1, bounds, "pareto", cube)
