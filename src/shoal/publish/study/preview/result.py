"""Some records before and after, and what each column loses: one object for the terminal, the notebook and the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.discreet import Discreet
from shoal.report.plain_data import plain
from shoal.report.words import NONE

__all__ = ["Pair", "Preview"]

LEFT_OUT = "(left out)"
"""What is written in the place of a record that would not be released."""


@dataclass(frozen=True, slots=True, repr=False)
class Pair(Discreet):
    """One record: its number among the originals, from 1, and its cells before and after; None where it is left out."""

    record: int
    before: tuple[str | None, ...]
    after: tuple[str | None, ...] | None


@dataclass(frozen=True, repr=False)
class Preview(Discreet):
    """What a release would look like: `table()` has its cells, `shown()` the same for people.

    It shows originals, so it stays where they are. Identifiers are not in it.

    shape      : table, baskets, mixed or trees
    method     : the maker and its parameters, as in the manifest
    claim      : what would be promised, as in the manifest
    chosen     : what else tells the choice: the levels of a table's columns, say
    columns    : the columns that would be released
    rows       : some records, spread over the data
    records    : how many there are
    suppressed : how many of them would be left out
    loss       : losses by name, the headline loss first
    part       : what `loss_by` tells of: column, item or field
    loss_by    : the headline loss of each part alone; of baskets those items that lose most in all
    """

    shape: str
    method: Mapping[str, Any]
    claim: Mapping[str, Any]
    chosen: Mapping[str, Any]
    columns: tuple[str, ...]
    rows: Sequence[Pair]
    records: int
    suppressed: int
    loss: Mapping[str, float]
    part: str
    loss_by: Mapping[str, float]

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and what is lost."""
        losses = ", ".join(f"{name} {value:.4g}" for name, value in self.loss.items())
        counts = {"records": self.records, "suppressed": self.suppressed, "shown": len(self.rows)}
        return {"shape": self.shape, "method": self.method["name"], **counts, "loss": losses}

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `shoal run --preview --json` prints it."""
        rows = [{"record": row.record, "before": row.before, "after": row.after} for row in self.rows]
        facts = {
            "shape": self.shape,
            "method": self.method,
            "claim": self.claim,
            "chosen": self.chosen,
            "records": self.records,
            "suppressed": self.suppressed,
            "loss": self.loss,
            "part": self.part,
            "loss_by": self.loss_by,
            "columns": self.columns,
            "rows": rows,
        }
        found: dict[str, Any] = plain(facts)
        return found

    def table(self) -> pl.DataFrame:
        """One row per record and column: its cell before, its cell after, and whether the record is left out."""
        cells = [
            (row.record, name, before, after, row.after is None)
            for row in self.rows
            for name, before, after in zip(
                self.columns, row.before, row.after or (None,) * len(self.columns), strict=True
            )
        ]
        kinds = (pl.Int64, pl.String, pl.String, pl.String, pl.Boolean)
        names = ("record", "column", "before", "after", "left_out")
        return pl.DataFrame(cells, schema=dict(zip(names, kinds, strict=True)), orient="row")

    def shown(self) -> tuple[str, list[str], list[list[object]]]:
        """The records as a table for people: its title, its head, its rows; changed cells show both sides."""
        title = f"{len(self.rows)} of {self.records:,} records, before and after"
        if self.shape == "trees":
            head = ["record", "before", "after"]
            return title, head, [[r.record, *r.before, *(r.after or (LEFT_OUT,))] for r in self.rows]
        return title, ["record", *self.columns], [[row.record, *_both(row)] for row in self.rows]


def _both(row: Pair) -> list[str]:
    if row.after is None:
        return [f"{_cell(before)} {LEFT_OUT}" for before in row.before]
    return [
        _cell(after) if before == after else f"{_cell(before)} → {_cell(after)}"
        for before, after in zip(row.before, row.after, strict=True)
    ]


def _cell(cell: str | None) -> str:
    return NONE if cell is None else cell
