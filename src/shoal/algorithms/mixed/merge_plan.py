"""Clusters of a table with baskets, their merges, and a release after any number of merges."""

from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from typing import Any

import numpy as np

from shoal.algorithms.demand import refusal
from shoal.algorithms.local.local_table import Classes, Grid
from shoal.algorithms.mixed.class_items import ItemRules, Items, generalizer, hierarchy_for
from shoal.algorithms.mixed.clusters import Clusters, Need
from shoal.algorithms.mixed.first_clusters import Start, first_clusters, likely
from shoal.algorithms.mixed.merging import Merges
from shoal.algorithms.mixed.mixed_records import Records
from shoal.algorithms.mixed.table_measures import TableLoss, share
from shoal.data import Mixed
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.progress import Progress, Tell, nobody, part, silent
from shoal.release import Claim, RecodedMixed, Result

__all__ = ["Made", "Plan", "above", "look_at", "stops"]

_STOPS = 25
_FIRST_LOOK = 0.65  # of the time that all looks take


@dataclass(frozen=True)
class Plan:
    """What is asked of a table with baskets, in codes and prices."""

    mixed: Mixed
    hierarchies: Hierarchies
    records: Records
    items: Items
    need: Need
    claim: Claim

    @classmethod
    def of(
        cls,
        maker: str,
        mixed: Mixed,
        hierarchies: Hierarchies,
        claim: Claim,
        item_hierarchy: Hierarchy | None,
        *,
        rules: ItemRules,
        recode: str,
        grid: Grid,
    ) -> "Plan":
        """Check what is asked, and code the data."""
        if not isinstance(claim, KKmAnonymity | KLmDiversity):
            raise refusal(maker, claim)
        k, l = claim.k, claim.l if isinstance(claim, KLmDiversity) else 0
        if l and not mixed.baskets.sensitive:
            raise InputError(
                f"{maker}: l={l} is about sensitive items, and none is named; name them or give k alone"
            )
        hierarchy = hierarchy_for(maker, rules, mixed.baskets, item_hierarchy)
        exempt = claim.exempts
        records = Records.of(
            maker, mixed, hierarchies, hierarchy, k=k, exempt=exempt, recode=recode, grid=grid
        )
        way = generalizer(maker, rules, mixed.baskets, hierarchy, records.coded)
        need, whole = Need(k, l), len(mixed.baskets.values) if hierarchy is None else hierarchy.size
        return cls(mixed, hierarchies, records, Items(records, way, need, claim.m, whole), need, claim)

    def start(self, clusters: Start | None) -> Start:
        """The name of the way in which the first clusters are made: as given, or the default."""
        return clusters or likely(self.records.n, self.need.k, self.hierarchies)

    def clusters(
        self, start: Start, rng: np.random.Generator | None, progress: Progress = silent
    ) -> Clusters:
        """The initial clusters."""
        table, k = self.mixed.table, self.need.k
        of = first_clusters(start, self.records, table, self.hierarchies, k=k, rng=rng, progress=progress)
        return Clusters(self.records, of)


@dataclass(frozen=True)
class Made:
    """Merges, and what is lost after any number of them."""

    plan: Plan
    merges: Merges
    trace: dict[str, Any] = field(default_factory=dict)
    loss: TableLoss = "ncp"

    def ncp(self, steps: int) -> float:
        """The loss `ncp` of the table."""
        return share("ncp", int(self.merges.total[steps]), self.plan.records.n)

    def lost(self, steps: int) -> float:
        """The loss of the table by the measure that is bounded."""
        return share(self.loss, int(self.merges.lost[steps]), self.plan.records.n)

    def ul(self, steps: int, tell: Tell = nobody) -> float:
        """The loss of the items; `tell` hears how far they are generalized."""
        return self.plan.items.loss(*self.merges.after(steps), tell)

    def release(self, steps: int, tell: Tell = nobody) -> Result[RecodedMixed]:
        """Publish the clusters after so many steps; `tell` hears how far their items are generalized."""
        nodes, of = self.merges.after(steps)
        plan, ul = self.plan, self.ul(steps, tell)
        table = plan.records.local.release(Classes.of(of), plan.claim).release
        baskets = plan.items.release(plan.mixed.baskets, nodes, of)
        trace = {
            "table-ncp": self.ncp(steps),
            f"table-{self.loss}": self.lost(steps),
            "ul": ul,
            "merges": steps,
            "classes": len(nodes),
            **self.trace,
        }
        return Result(RecodedMixed(table, baskets), plan.claim, trace=trace)


def stops(made: Made, many: int = _STOPS) -> list[int]:
    """Numbers of steps at which the loss of the table has grown evenly, the first and the last among them."""
    lost = made.merges.lost
    marks = np.linspace(lost[0], lost[-1], many)
    return [int(steps) for steps in np.unique(np.searchsorted(lost, marks, side="right") - 1)]


def look_at(tell: Tell, number: int, looks: int) -> Tell:
    """What one of several looks along the merges is told to: the first takes longest, the others know much of it."""
    if looks == 1:
        return tell
    later = (1 - _FIRST_LOOK) / (looks - 1)
    low = _FIRST_LOOK + (number - 1) * later if number else 0.0
    return part(tell, low, low + (later if number else _FIRST_LOOK))


def above(loss: float) -> str:
    """A loss as a bound that can be met: with four digits, rounded up from the very number that is compared.

    >>> above(0.25), above(0.1 + 0.2)
    ('0.2500', '0.3001')
    """
    return str(Decimal(loss).quantize(Decimal("0.0001"), rounding=ROUND_CEILING))
