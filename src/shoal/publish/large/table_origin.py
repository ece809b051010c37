"""Where a large table lies, and its different rows with their counts, bound to roles and hierarchies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from shoal.discreet import Discreet
from shoal.engines import COUNT, Engine, Frame, TooManyError
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies
from shoal.io.config import ColumnSpec
from shoal.io.read.source import Source
from shoal.publish.hierarchies import coarsened
from shoal.publish.large.parts import Room
from shoal.publish.shapes.table.data import TableData, bind
from shoal.release import Claim

__all__ = ["MOST_TUPLES", "TableOrigin", "bind_rows", "columns_of_method", "count_tuples"]

MOST_TUPLES = 5_000_000
"""Different tuples that are held: about a gigabyte."""


class TupleSource(Source):
    """Different rows, which stand for records that are not in memory."""

    __slots__ = ()

    def like(self, frame: pl.DataFrame) -> Any:
        """Released records are too many to hand over."""
        raise InputError("release: too large to be held in memory; save it, and read what was written")


@dataclass(frozen=True, slots=True, repr=False)
class TableOrigin(Discreet):
    """Where a large table lies.

    engine  : what runs its frame
    frame   : the records, with every column that is looked at or published
    name    : what messages call it
    missing : texts that stand for a missing cell
    records : how many there are
    columns : of every published column, in input order, what its owner says of it
    dropped : the columns that came in and are not published
    room    : the private folder in which the records lie, if they were copied
    """

    engine: Engine
    frame: Frame
    name: str
    missing: tuple[str, ...]
    records: int
    columns: Mapping[str, ColumnSpec]
    dropped: tuple[str, ...] = ()
    room: Room | None = None

    def tally(self, by: Sequence[str]) -> pl.DataFrame:
        """Count the different rows of some columns."""
        return self.engine.tally(self.frame, by, MOST_TUPLES, self.records)


def columns_of_method(roles: Mapping[str, str], claim: Claim | None, target: str | None) -> list[str]:
    """What a method must see: quasi-identifiers, sensitive columns that the claim speaks of, what a loss predicts."""
    known = [name for name, role in roles.items() if role == "quasi"]
    told = [] if claim is None else [name for name in claim.sees(roles) if roles[name] == "sensitive"]
    return list(dict.fromkeys([*known, *told, *(name for name in roles if name == target)]))


def count_tuples(origin: TableOrigin, names: Sequence[str]) -> pl.DataFrame:
    """Count the different rows of what a method looks at.

    Raises
    ------
    InputError
        There is nothing to count, or nearly every record is different.
    """
    if not names:
        raise InputError(
            "columns: no quasi-identifier, so a claim would promise nothing; give at least one column the role quasi"
        )
    try:
        return origin.tally(names)
    except TooManyError:
        raise InputError(
            f"{origin.name}: the columns that a method looks at have more than {MOST_TUPLES:,} different rows "
            "together, so nearly everybody is alone and counting is of no use; coarsen those with the most values "
            "before, or drop them"
        ) from None


def bind_rows(origin: TableOrigin, frame: pl.DataFrame, hierarchies: Hierarchies | None = None) -> TableData:
    """Rows of some published columns as a table with roles and hierarchies; a column `COUNT` says what each stands for.

    Hierarchies are read or built, or are those that are given.
    """
    there = {name: spec for name, spec in origin.columns.items() if name in frame.columns}
    source = Source(frame.select(list(there)), "polars", origin.name, origin.missing)
    specs = {name: spec.recoded_by for name, spec in there.items() if spec.recoded_by is not None}
    source, coarse = coarsened(source, there)
    made = bind(
        source,
        {name: spec.role for name, spec in there.items()},
        {**specs, **{name: known for name, known in (hierarchies or {}).items() if name in there}},
        weights={name: spec.weight for name, spec in there.items()},
        coarse=coarse,
    )
    if COUNT not in frame.columns:
        return made
    counts = frame[COUNT].to_numpy().astype(np.int64)
    rows = TupleSource(made.source.frame, "polars", origin.name, origin.missing)
    return replace(made, source=rows, table=replace(made.table, counts=counts))
