"""The trade-off between what the table and what the items lose, along the merges of clusters."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from shoal.algorithms.local.local_table import Grid
from shoal.algorithms.mixed.class_items import Way
from shoal.algorithms.mixed.first_clusters import Start
from shoal.algorithms.mixed.merge_plan import Made, Plan, above, look_at, stops
from shoal.algorithms.mixed.merged_clusters import check_ways, merged
from shoal.algorithms.mixed.merging import Rule
from shoal.data import Mixed
from shoal.discreet import Discreet
from shoal.errors import InfeasibleError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.progress import Progress, rising, silent
from shoal.release import RecodedMixed, Result

__all__ = ["Point", "Tradeoff", "knee", "traced", "tradeoff"]


@dataclass(frozen=True, slots=True)
class Point:
    """A release: what its table loses, what its items lose, how many classes it has, after how many merges."""

    ncp: float
    ul: float
    classes: int
    merges: int


@dataclass(frozen=True, repr=False)
class Tradeoff(Discreet):
    """Undominated points by rising loss of the table and falling loss of the items.

    bound : which of the two losses `pick` bounds
    """

    points: tuple[Point, ...]
    bound: Literal["table", "items"]
    made: Made = field(repr=False, compare=False)

    def pick(self, delta: float) -> Point:
        """The point that loses least in one part and at most `delta` in the other."""
        if self.bound == "table":
            fit = [point for point in self.points if point.ncp <= delta + 1e-9]
            least = self.points[0].ncp
        else:
            fit = [point for point in self.points[::-1] if point.ul <= delta + 1e-9]
            least = self.points[-1].ul
        if not fit:
            raise InfeasibleError(
                f"bound: delta={delta} but no point of the trade-off loses less than {above(least)} of the "
                f"{self.bound}; give delta={above(least)} or more"
            )
        return fit[-1]

    def release(self, point: Point) -> Result[RecodedMixed]:
        """Publish a point."""
        return self.made.release(point.merges)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "bound": self.bound,
            "front": [
                {"table-ncp": p.ncp, "ul": p.ul, "classes": p.classes, "merges": p.merges}
                for p in self.points
            ],
        }


def tradeoff(
    mixed: Mixed,
    hierarchies: Hierarchies,
    claim: KKmAnonymity | KLmDiversity,
    item_hierarchy: Hierarchy | None = None,
    *,
    bound: Literal["table", "items"] = "table",
    merge: Rule = "r",
    clusters: Start | None = None,
    items: Way | None = None,
    nearness: Literal["btd", "exact"] = "btd",
    recode: str = "hierarchy",
    grid: Grid = None,
    rng: np.random.Generator | None = None,
    progress: Progress = silent,
) -> Tradeoff:
    """Trace what the table and what the items lose along the merges that `bound` makes, for every delta at once.

    Parameters and errors are those of `bound`. `bound` tells which loss `Tradeoff.pick` bounds.
    """
    check_ways(bound, merge, clusters, nearness)
    plan = Plan.of("bound", mixed, hierarchies, claim, item_hierarchy, items=items, recode=recode, grid=grid)
    made = merged(plan, merge, clusters, nearness, None, rng, progress)
    return Tradeoff(traced(made, progress), bound, made)


def traced(made: Made, progress: Progress) -> tuple[Point, ...]:
    """Generalize the items at some stops along the merges, and keep what nothing beats."""
    found: list[Point] = []
    places, tell = stops(made), rising(progress, "bound: trade-off")
    for number, steps in enumerate(places):
        ul = made.ul(steps, look_at(tell, number, len(places)))
        point = Point(made.ncp(steps), ul, len(made.merges.after(steps)[0]), steps)
        if not found or point.ul < found[-1].ul:
            found.append(point)
    return tuple(found)


def knee(points: Sequence[Point]) -> Point:
    """The point farthest below the line between the ends, both losses scaled to 0 .. 1.

    Of equals, as of two points or of all on a line, the one that loses least in both parts together; then the first.

    >>> knee([Point(0.0, 1.0, 9, 0), Point(0.1, 0.2, 5, 4), Point(1.0, 0.0, 1, 8)]).ncp
    0.1
    >>> knee([Point(0.02, 0.84, 9, 0), Point(0.06, 0.55, 5, 4)]).ul
    0.55
    """
    first, last = points[0], points[-1]
    wide, high = last.ncp - first.ncp, first.ul - last.ul
    if not wide or not high:
        return first

    def below(point: Point) -> float:
        return round((first.ncp - point.ncp) / wide + (first.ul - point.ul) / high, 9)

    return max(points, key=lambda point: (below(point), -point.ncp - point.ul))
