"""The trade-offs of data, any point of them releasable: every k of a table, every bound of a table with baskets."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.algorithms.lattice.frontier import FrontResult
from shoal.algorithms.mixed.tradeoff import Tradeoff
from shoal.errors import InputError
from shoal.privacy import KAnonymity, promised
from shoal.publish.draft import draft
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.options import is_number
from shoal.publish.release import Release
from shoal.publish.table.dataset import TableData

__all__ = ["Front", "MixedFront"]


@dataclass(frozen=True)
class Front:
    """The least loss for every k: `table()` to read it, `plot()` to see it, `pick(k=...)` to release a point."""

    dataset: TableData
    result: FrontResult
    method: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `shoal pareto --json` prints it."""
        return self.result.as_dict()

    def table(self) -> Any:
        """One row per point, in the kind of frame that came in."""
        points = self.as_dict()["front"]
        rows = [{**point.pop("levels"), **point} for point in points]  # a column named k must not hide k
        return self.dataset.source.like(pl.DataFrame(rows))

    def plot(self, picked: float | None = None) -> Any:
        """Draw the front; `picked` marks the point for that k."""
        from shoal.report.figures import front

        return front(self.as_dict()["front"], None if picked is None else _whole(picked))

    def shown(self) -> tuple[str, list[str], list[list[object]]]:
        """The points as a table for people: its title, its head, its rows."""
        points = self.as_dict()["front"]
        names = list(points[0]["levels"]) if points else []
        rows: list[list[object]] = [
            [p["k"], float(p["loss"]), p["suppressed"], *p["levels"].values()] for p in points
        ]
        return "The least loss for every k", ["k", "loss", "suppressed", *names], rows

    def said(self) -> str:
        """How much of the lattice was looked at, and what is proven, in one sentence."""
        found = self.result
        looked = f"{found.evaluated:,} of {found.lattice:,} nodes evaluated"
        if found.complete:
            return f"{looked}; the front is complete and proven"
        return f"{looked}; proven for k >= {found.proven_from:,}, below that the best found so far"

    def pick(self, k: float, *, seed: int | None = None) -> Release:
        """Release the cheapest point that reaches `k`.

        Raises
        ------
        InfeasibleError
            No point reaches `k`.
        """
        k = _whole(k)
        promised(KAnonymity(k))
        result = self.result.release(self.result.pick(k), k)
        method = {**self.method, "parameters": {**self.method["parameters"], "k": k}}
        return draft(self.dataset, result, method=method, seed=seed, front=self.as_dict(), kind=Release)


@dataclass(frozen=True)
class MixedFront:
    """What table and items lose: `table()` to read it, `plot()` to see it, `pick(delta=...)` to release a point."""

    dataset: MixedData
    result: Tradeoff
    method: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `shoal pareto --json` prints it."""
        return self.result.as_dict()

    def table(self) -> Any:
        """One row per point, in the kind of frame that came in."""
        return self.dataset.source.like(pl.DataFrame(self.as_dict()["front"]))

    def plot(self, picked: float | None = None) -> Any:
        """Draw the trade-off; `picked` marks the point for that delta."""
        from shoal.report.tradeoff_figure import figure

        point = None if picked is None else self.result.pick(_share(picked))
        return figure(self.as_dict()["front"], None if point is None else (point.ncp, point.ul))

    def shown(self) -> tuple[str, list[str], list[list[object]]]:
        """The points as a table for people: its title, its head, its rows."""
        rows: list[list[object]] = [[p.ncp, p.ul, p.classes, p.merges] for p in self.result.points]
        return (
            "What the table and what the items lose",
            ["table (ncp)", "items (ul)", "classes", "merges"],
            rows,
        )

    def said(self) -> str:
        """What `pick` bounds, in one sentence."""
        return f"{len(self.result.points)} points; pick one by the loss that you allow for the {self.result.bound}"

    def pick(self, delta: float, *, seed: int | None = None) -> Release:
        """Release the point that loses least in one part and at most `delta` in the other, as `bound` says which.

        Raises
        ------
        InfeasibleError
            No point loses so little; the message names the smallest delta.
        """
        result = self.result.release(self.result.pick(_share(delta)))
        method = {**self.method, "parameters": {**self.method["parameters"], "delta": delta}}
        return draft(self.dataset, result, method=method, seed=seed, front=self.as_dict(), kind=Release)


def _whole(k: float) -> int:
    if not is_number(k) or k != int(k):
        raise InputError(f"pick: k={k}; give a whole number")
    return int(k)


def _share(delta: float) -> float:
    if not is_number(delta) or not 0 <= delta <= 1:
        raise InputError(f"pick: delta={delta}; give a loss from 0 to 1")
    return delta
