"""The trade-off between what the table and what the items lose, along the merges of clusters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

import numpy as np

from shoal.algorithms.knobs import Share
from shoal.algorithms.local.local_table import Grid
from shoal.algorithms.mixed.class_items import ItemRules, Way
from shoal.algorithms.mixed.first_clusters import Start
from shoal.algorithms.mixed.merge_plan import Made, Plan, above, look_at, stops
from shoal.algorithms.mixed.merged_clusters import MergeWays, check_ways, merged
from shoal.algorithms.mixed.merging import Rule
from shoal.algorithms.mixed.table_measures import TableLoss
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
    """A release: what its table loses, what its items lose, how many classes it has, after how many merges.

    bounded : what the table loses by the loss that is bounded, where that is another one than `ncp`
    """

    ncp: float
    ul: float
    classes: int
    merges: int
    bounded: float | None = None

    @property
    def table(self) -> float:
        """What the table loses by the loss that is bounded."""
        return self.ncp if self.bounded is None else self.bounded


@dataclass(frozen=True, repr=False)
class Tradeoff(Discreet):
    """Undominated points by rising loss of the table and falling loss of the items; without `look_back` all points.

    bound : which of the two losses `pick` bounds
    """

    points: tuple[Point, ...]
    bound: Literal["table", "items"]
    made: Made = field(repr=False, compare=False)

    def pick(self, delta: float) -> Point:
        """The point that loses least in one part and at most `delta` in the other."""
        if self.bound == "table":
            fit = [point for point in self.points if point.table <= delta + 1e-9]
            least = self.points[0].table
        else:
            fit = [point for point in self.points[::-1] if point.ul <= delta + 1e-9]
            least = min(point.ul for point in self.points)
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
                {
                    "table-ncp": p.ncp,
                    f"table-{self.made.loss}": p.table,
                    "ul": p.ul,
                    "classes": p.classes,
                    "merges": p.merges,
                }
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
    loss: TableLoss = "ncp",
    look_back: bool = True,
    clusters: Start | None = None,
    items: Way | None = None,
    utility: Sequence[Sequence[str]] | None = None,
    suppress: Share = 0.0,
    weights: Mapping[str, float] | None = None,
    nearness: Literal["btd", "exact"] = "btd",
    recode: str = "hierarchy",
    grid: Grid = None,
    rng: np.random.Generator | None = None,
    progress: Progress = silent,
) -> Tradeoff:
    """Trace what the table and what the items lose along the merges that `bound` makes, for every delta at once.

    Parameters and errors are those of `bound`. `bound` tells which loss `Tradeoff.pick` bounds. Without `look_back`
    the points at which the items lose more again are there, too.
    """
    ways, rules = MergeWays(merge, loss, clusters, nearness), ItemRules(items, utility, suppress, weights)
    check_ways(bound, ways)
    plan = Plan.of("bound", mixed, hierarchies, claim, item_hierarchy, rules=rules, recode=recode, grid=grid)
    made = merged(plan, ways, None, rng, progress)
    return Tradeoff(traced(made, progress, every=not look_back), bound, made)


def traced(made: Made, progress: Progress, *, every: bool = False) -> tuple[Point, ...]:
    """Generalize the items at some stops along the merges, and keep what nothing beats, or every point."""
    found: list[Point] = []
    places, tell = stops(made), rising(progress, "bound: trade-off")
    for number, steps in enumerate(places):
        ul = made.ul(steps, look_at(tell, number, len(places)))
        if ul == inf:
            continue
        bounded = None if made.loss == "ncp" else made.lost(steps)
        point = Point(made.ncp(steps), ul, len(made.merges.after(steps)[0]), steps, bounded)
        if every or not found or point.ul < found[-1].ul:
            found.append(point)
    if not found:
        made.release(places[-1])  # which says why nothing can be published
    return tuple(found)


def knee(points: Sequence[Point]) -> Point:
    """The point farthest below the line between the ends, both losses scaled to 0 .. 1.

    Of equals, as of two points or of all on a line, the one that loses least in both parts together; then the first.

    >>> knee([Point(0.0, 1.0, 9, 0), Point(0.1, 0.2, 5, 4), Point(1.0, 0.0, 1, 8)]).ncp
    0.1
    >>> knee([Point(0.02, 0.84, 9, 0), Point(0.06, 0.55, 5, 4)]).ul
    0.55
    """
    first, last = points[0], min(points, key=lambda point: point.ul)
    wide, high = last.table - first.table, first.ul - last.ul
    if not wide or not high:
        return first

    def below(point: Point) -> float:
        return round((first.table - point.table) / wide + (first.ul - point.ul) / high, 9)

    return max(points, key=lambda point: (below(point), -point.table - point.ul))
