"""The whole trade-off of a table, any point of it releasable."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.algorithms.lattice.frontier import FrontResult
from shoal.errors import InputError
from shoal.publish.draft import draft
from shoal.publish.release import Release
from shoal.publish.table.dataset import TableData

__all__ = ["Front"]


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

        return front(self.as_dict()["front"], None if picked is None else int(picked))

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
        if k != int(k):
            raise InputError(f"pick: k={k}; give a whole number")
        k = int(k)
        result = self.result.release(self.result.pick(k), k)
        method = {**self.method, "parameters": {**self.method["parameters"], "k": k}}
        return draft(self.dataset, result, method=method, seed=seed, front=self.as_dict(), kind=Release)
