"""What a comparison found: to read, to draw, and as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from shoal import __version__
from shoal.discreet import Discreet, html_table
from shoal.publish.study.compare.making import MADE
from shoal.publish.study.compare.recommending import Recommendation, recommended, rows_at, told_point
from shoal.publish.study.compare.sweeps import SWEPT, Numbers
from shoal.report.compare_page import compare_figure, compare_html
from shoal.report.words import at_least
from shoal.stopping import in_one_piece
from shoal.utility import headline

__all__ = ["Comparison"]

_KINDS = {
    "table": "no recoding along these hierarchies",
    "baskets": "no cut of this hierarchy for all records",
    "mixed": "no recoding along these hierarchies",
}
"""Which releases a floor is about, by shape."""


@dataclass(frozen=True, repr=False)
class Comparison(Discreet):
    """Makers at the points of a sweep: `table()` to read them, `plot()` to see them, `recommendation` to choose.

    It shows figures of the originals, so it stays where they are.

    rows     : one per point, in the order asked: the maker, its numbers, status and message, losses, times, risks
    at       : the point that the recommendation is about
    sample   : how many records were drawn; None where all were taken
    floor    : what every recoding of a kind loses there at least (`ncp`); None where it was not sought
    left_out : makers that would fit and were not compared, with the reason
    notes    : what to know before figures are believed
    """

    shape: str
    records: int
    makers: tuple[str, ...]
    sweeps: Mapping[str, Numbers]
    at: Mapping[str, int | float]
    rows: Sequence[Mapping[str, Any]]
    sample: int | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    floor: float | None = None

    @cached_property
    def loss(self) -> str | None:
        """The headline loss that the makers are compared by; None where no release was made."""
        told = [found[0] for row in [*rows_at(self.rows, self.at), *self.rows] if (found := _headline(row))]
        return told[0] if told else None

    @cached_property
    def recommendation(self) -> Recommendation:
        """The maker to take, and why."""
        return recommended(self.rows, self.at, self.loss)

    @property
    def floor_said(self) -> str:
        """What no release of this kind loses less than, in words; nothing where it was not sought."""
        if self.floor is None:
            return ""
        where = told_point(self.at)
        return f"{_KINDS[self.shape]} loses less than {at_least(self.floor)}{where} (ncp)"

    @property
    def holes(self) -> list[Mapping[str, Any]]:
        """The points without a release; `message` says why."""
        return [row for row in self.rows if row["status"] != MADE]

    def facts(self) -> dict[str, object]:
        """What may be shown: how many makers and points there are, and what to take."""
        return {
            "shape": self.shape,
            "makers": ", ".join(self.makers),
            "points": len(self.rows),
            "holes": len(self.holes),
            "recommendation": self.recommendation.sentence,
        }

    def _repr_html_(self) -> str:
        head = ["maker", *self.sweeps, self.loss or "loss", "seconds", "status"]
        names = ["maker", *self.sweeps, self.loss or "", "cpu_seconds", "status"]
        cells = "".join(
            f"<tr>{''.join(f'<td>{_shown(row.get(name))}</td>' for name in names)}</tr>" for row in self.rows
        )
        table = f"<table><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>{cells}</table>"
        return html_table("Comparison of makers (private)", self.facts(), table)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `shoal compare --json` prints it."""
        return {
            "shoal": __version__,
            "shape": self.shape,
            "records": self.records,
            "sample": self.sample,
            "makers": list(self.makers),
            "swept": {name: list(numbers) for name, numbers in self.sweeps.items()},
            "numbers": list(SWEPT),
            "at": dict(self.at),
            "loss": self.loss,
            "floor": None if self.floor is None else {"ncp": self.floor, "sentence": self.floor_said},
            "recommendation": self.recommendation.as_dict(),
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
            "points": [dict(row) for row in self.rows],
        }

    def table(self) -> pl.DataFrame:
        """One row per point; what a row has no figure of is missing."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        return pl.DataFrame(
            [{name: row.get(name) for name in names} for row in self.rows],
            infer_schema_length=None,
            strict=False,
        )

    def plot(self, measure: str | None = None, over: str | None = None) -> Any:
        """Draw a measure against a number that was swept, a line per maker; by default the headline loss against k."""
        return compare_figure(self.as_dict(), measure, over)

    @property
    def html(self) -> str:
        """The page, one offline file; it must not be published."""
        return compare_html(self.as_dict())

    def save(self, path: str | Path) -> Path:
        """Write the page; it must not be published."""
        with in_one_piece(Path(path)) as part:
            part.write_text(self.html, encoding="utf-8")
        return Path(path)


def _headline(row: Mapping[str, Any]) -> tuple[str, float] | None:
    return headline({name: value for name, value in row.items() if value is not None and name not in SWEPT})


def _shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
