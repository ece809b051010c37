"""Look at a release, or at what a method made, before anything leaves: some records before and after, and what is lost.

One object serves the terminal, the notebook and the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.former_names import FormerName
from shoal.data.arrays import I8, index_of
from shoal.publish.draft import Draft
from shoal.release import Result
from shoal.report.facts import to_json_value
from shoal.report.words import NONE, SHAPE_WORDS
from shoal.shapes.dataset import Dataset

__all__ = ["ROWS", "Pair", "Preview", "_spread_rows", "preview", "preview_of"]

_LEFT_OUT = "(left out)"
"""What is written in the place of a record that would not be released."""


@dataclass(frozen=True, slots=True, repr=False)
class Pair(SafeRepr):
    """One record: its number among the originals, from 1, and its cells before and after; None where it is left out."""

    record: int
    before: tuple[str | None, ...]
    after: tuple[str | None, ...] | None


@dataclass(frozen=True, repr=False)
class Preview(SafeRepr):
    """What a release would look like: `table()` has its cells, `printable_table()` the same for people.

    It shows originals, so it stays where they are. Identifiers are not in it.

    shape      : table, baskets, mixed or trees
    method     : the method and its parameters, as in the manifest
    claim      : what would be promised, as in the manifest
    chosen     : what else tells the choice: the levels of a table's columns, say
    records    : how many there are
    suppressed : how many of them would be left out
    loss       : losses by name, the headline loss first
    part       : what `loss_by` tells of: column, item or field
    loss_by    : the headline loss of each part alone; of baskets those items that lose most in all
    columns    : the columns that would be released
    rows       : some records, spread over the data
    """

    shape: str
    method: Mapping[str, Any]
    claim: Mapping[str, Any]
    chosen: Mapping[str, Any]
    records: int
    suppressed: int
    loss: Mapping[str, float]
    part: str
    loss_by: Mapping[str, float]
    columns: tuple[str, ...]
    rows: Sequence[Pair]

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and what is lost."""
        losses = ", ".join(f"{name} {value:.4g}" for name, value in self.loss.items())
        counts = {"records": self.records, "suppressed": self.suppressed, "shown": len(self.rows)}
        return {"shape": self.shape, "method": self.method["name"], **counts, "loss": losses}

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `shoal run --preview --json` prints it."""
        return dict(to_json_value(self))

    def table(self) -> pl.DataFrame:
        """One row per record and column: its cell before, its cell after, and whether the record is left out."""
        cells = [
            (row.record, name, original, released, row.after is None)
            for row in self.rows
            for name, original, released in zip(
                self.columns, row.before, row.after or (None,) * len(self.columns), strict=True
            )
        ]
        kinds = (pl.Int64, pl.String, pl.String, pl.String, pl.Boolean)
        names = ("record", "column", "before", "after", "left_out")
        return pl.DataFrame(cells, schema=dict(zip(names, kinds, strict=True)), orient="row")

    def printable_table(self) -> tuple[str, list[str], list[list[object]]]:
        """The records as a table for people: its title, its head, its rows; changed cells show both sides."""
        title = f"{len(self.rows)} of {self.records:,} records, before and after"
        if SHAPE_WORDS[self.shape].nested:
            head = ["record", "before", "after"]
            return title, head, [[r.record, *r.before, *(r.after or (_LEFT_OUT,))] for r in self.rows]
        return (
            title,
            ["record", *self.columns],
            [[row.record, *_cells_before_and_after(row)] for row in self.rows],
        )

    shown = FormerName("printable_table")


def _cells_before_and_after(row: Pair) -> list[str]:
    if row.after is None:
        return [f"{_cell(original)} {_LEFT_OUT}" for original in row.before]
    return [
        _cell(released) if original == released else f"{_cell(original)} → {_cell(released)}"
        for original, released in zip(row.before, row.after, strict=True)
    ]


def _cell(cell: str | None) -> str:
    return NONE if cell is None else cell


ROWS = 20
"""How many records are shown."""


def preview(draft: Draft, *, rows: int = ROWS) -> Preview:
    """Some records of a judged release before and after, with all that is lost."""
    return preview_of(draft.dataset, draft.result, draft.method, draft.loss, draft.claimed, rows=rows)


def preview_of(
    dataset: Dataset,
    result: Result[Any],
    method: Mapping[str, Any],
    loss: Mapping[str, float],
    claim: Mapping[str, Any],
    *,
    rows: int = ROWS,
) -> Preview:
    """The same of whatever a method made; nobody has judged it, so nothing of it may leave."""
    release = result.release
    record_of_row: I8 = np.asarray(getattr(release, "table", release).rows)
    records = _spread_rows(dataset.records, rows)
    order = np.argsort(record_of_row, kind="stable")
    row_of_record = np.append(order, -1)[
        index_of(record_of_row[order], records)
    ]  # -1 where a record is left out
    released_cells = dataset.released_cells(result, row_of_record[row_of_record >= 0])
    columns = tuple(released_cells)
    original_cells = dataset.original_cells(columns, records)
    released_rows = zip(*released_cells.values(), strict=True)
    pairs = [
        Pair(int(record) + 1, cells, next(released_rows) if released_row >= 0 else None)
        for record, released_row, cells in zip(
            records, row_of_record, zip(*original_cells.values(), strict=True), strict=True
        )
    ]
    part, losses = dataset.loss_by_part(result)
    counts = (dataset.records, dataset.records - len(record_of_row))
    rule = getattr(release, "rule", {})
    chosen_levels = {"levels": rule["levels"]} if "levels" in rule else {}
    return Preview(dataset.shape, method, claim, chosen_levels, *counts, loss, part, losses, columns, pairs)


def _spread_rows(many: int, some: int) -> I8:
    """The numbers of `some` records that lie evenly over all of them, the first and the last among them.

    >>> _spread_rows(7, 3).tolist(), _spread_rows(2, 3).tolist()
    ([0, 3, 6], [0, 1])
    """
    if many <= some:
        return np.arange(many)
    return np.linspace(0, many - 1, some).round().astype(np.int64)
