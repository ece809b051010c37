"""The privacy/loss front of a lattice, as `pareto` and `poka` hand it over."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.algorithms.lattice._kernels import tick
from shoal.algorithms.lattice.cube import Cube
from shoal.data.types import F8, I8
from shoal.discreet import Discreet
from shoal.errors import InfeasibleError
from shoal.hierarchy.lattice import Lattice, Levels
from shoal.privacy import KAnonymity
from shoal.release import Recoded, Result

__all__ = ["FrontResult", "Point", "undominated"]


@dataclass(frozen=True, slots=True)
class Point:
    """A node, a k it serves, and what that costs with its classes below k suppressed."""

    levels: Levels
    k: int
    loss: float
    suppressed: int


@dataclass(frozen=True, repr=False)
class FrontResult(Discreet):
    """Undominated points by rising k, and how far the search got.

    names       : the quasi-identifiers, in the order of each point's levels
    lattice     : how many nodes there are
    evaluated   : how many of them were looked at
    complete    : whether the front is proven to be the whole lattice's
    proven_from : from this k on every point is proven, and none is missing
    bounds      : for each point, no node of the lattice serves its k at less than this loss
    note        : what whoever reads the front should know, in a sentence; mostly nothing
    """

    names: tuple[str, ...]
    points: tuple[Point, ...]
    lattice: int
    evaluated: int
    complete: bool
    proven_from: int
    bounds: tuple[float, ...]
    maker: str
    cube: Cube = field(repr=False, compare=False)
    note: str = ""

    def pick(self, k: int) -> Point:
        """Return the cheapest point that serves `k`."""
        KAnonymity(k)  # says what is wrong with such a number
        for point in self.points:  # losses rise with k, so the first that serves is the cheapest
            if point.k >= k:
                return point
        raise InfeasibleError(
            f"{self.maker}: k={k} but the largest k on the front is {self.points[-1].k}; "
            "lower k, allow more suppression or add records"
        )

    def release(self, point: Point | Sequence[int], k: int) -> Result[Recoded]:
        """Publish a point's node (or any level vector), its classes below `k` suppressed."""
        levels = point.levels if isinstance(point, Point) else tuple(point)
        return self.cube.release(levels, k, KAnonymity(k), lattice=self.lattice, evaluated=self.evaluated)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "lattice": self.lattice,
            "evaluated": self.evaluated,
            "complete": self.complete,
            "proven_from": self.proven_from,
            "front": [
                {
                    "levels": dict(zip(self.names, point.levels, strict=True)),
                    "k": point.k,
                    "loss": point.loss,
                    "suppressed": point.suppressed,
                    "bound": bound,
                }
                for point, bound in zip(self.points, self.bounds, strict=True)
            ],
            **({"note": self.note} if self.note else {}),
        }


def undominated(lattice: Lattice, least: F8, where: I8, gone: I8) -> tuple[Point, ...]:
    """The front of the best loss of every k (index): from the largest k down, each strictly cheaper than the last."""
    points: list[Point] = []
    for k in np.flatnonzero(np.isfinite(least))[::-1].tolist():
        if not points or tick(least[k]) < tick(points[-1].loss):
            points.append(Point(lattice.levels(int(where[k])), k, float(least[k]), int(gone[k])))
    return tuple(reversed(points))
