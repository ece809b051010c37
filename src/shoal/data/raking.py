"""Iterative proportional fitting: cells that sum to given totals, in as many ways of adding them up as one likes."""

from collections.abc import Sequence

import numpy as np

from shoal.data.arrays import F8, I8

__all__ = ["Margin", "rake"]

Margin = tuple[I8, F8]
"""int64[cells], the group of each cell, and float64[groups], what the cells of each group shall sum to."""


def rake(cells: F8, margins: Sequence[Margin], tolerance: float, sweeps: int) -> tuple[F8, float]:
    """Scale cells, margin by margin, until each group of each margin sums to its total (Deming and Stephan 1940).

    What comes out is the start times one factor for each group, so it tells nothing but the start and the totals. A
    cell of a group whose total is 0 becomes 0.

    Parameters
    ----------
    cells
        float64[cells], what to start from; none below 0.
    margins
        Groups of cells, and their totals.
    tolerance
        It ends after a sweep in which no sum differed from its total by more than this share of the largest total of
        its margin.
    sweeps
        How often all margins are gone through at most.

    Returns
    -------
    cells : float64[cells]
    distance : float
        The largest difference from a total that the last sweep met, as a share of the largest total of its margin.

    Examples
    --------
    >>> rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> margins = [(rows, np.array([30.0, 10.0])), (columns, np.array([20.0, 20.0]))]
    >>> rake(np.ones(4), margins, 1e-9, 50)[0].tolist()
    [15.0, 15.0, 5.0, 5.0]
    """
    fitted, distance = np.array(cells, dtype=np.float64), 0.0
    for _ in range(sweeps):
        distance = 0.0
        for group, totals in margins:
            sums = np.bincount(group, weights=fitted, minlength=len(totals))
            distance = max(
                distance, float(np.abs(sums - totals).max(initial=0)) / float(totals.max(initial=1))
            )
            fitted *= np.divide(totals, sums, out=np.zeros_like(sums), where=sums > 0)[group]
        if distance <= tolerance:
            break
    return fitted, distance
