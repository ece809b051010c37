"""A table that is not in memory: its frequency table, with roles and hierarchies, beside the frame that it counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from shoal.data import Role
from shoal.discreet import Discreet
from shoal.engines import COUNT, Engine, Frame, TooManyError
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies
from shoal.io.config import ColumnSpec
from shoal.io.read.source import Source
from shoal.publish.coarsening import coarsened
from shoal.publish.following import links
from shoal.publish.guards import guard_claim, guard_column, guard_released, guard_telling
from shoal.publish.shapes.table.data import TableData, bind
from shoal.publish.shapes.table.verification import judge_frame
from shoal.release import Claim, Recoded, Result, Verdict

__all__ = ["MOST_TUPLES", "LargeTable", "TableOrigin", "bind_rows", "columns_of_method", "count_tuples"]

MOST_TUPLES = 5_000_000
"""Different tuples that are held: about a gigabyte."""

_SAMPLE = 200_000  # records; guards count all of them only where so many leave a doubt


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
    """

    engine: Engine
    frame: Frame
    name: str
    missing: tuple[str, ...]
    records: int
    columns: Mapping[str, ColumnSpec]
    dropped: tuple[str, ...] = ()

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
            "columns: no quasi-identifier, so a claim would be empty; give at least one column the role quasi"
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


@dataclass(frozen=True, repr=False)
class LargeTable(TableData):
    """A table whose rows are the different tuples of what a method looks at, each with its number of records.

    `tuples` holds them as they came, row for row.
    """

    origin: TableOrigin = field(kw_only=True)
    tuples: pl.DataFrame = field(kw_only=True)

    def seeing(self, claim: Claim | None, target: str | None) -> "LargeTable":
        """The same table, counted by all that a claim speaks of and a loss predicts."""
        names = columns_of_method(self.published, claim, target)
        if set(names) <= set(self.tuples.columns):
            return self
        tuples = count_tuples(self.origin, names)
        made = bind_rows(self.origin, tuples, self.hierarchies)
        return replace(self, source=made.source, table=made.table, coarse=made.coarse, tuples=tuples)

    def default(self, asked: Mapping[str, Any]) -> str:
        """Full-domain recoding: what else there is needs all records in memory."""
        return "optimal"

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records, and how many different tuples they are."""
        return {**super().facts(), "engine": self.origin.engine.name, "tuples": self.table.n}

    @property
    def published(self) -> dict[str, Role]:
        """Every column that is published, with its role."""
        return {name: spec.role for name, spec in self.origin.columns.items()}

    def losses_by_column(
        self, result: Result[Recoded], losses: Mapping[str, float]
    ) -> dict[str, float | None]:
        """What every column that came in lost, whether it was counted or not; None where it is left out."""
        counted = super().losses_by_column(result, losses)
        return {name: counted.get(name, 0.0) for name in self.published} | dict.fromkeys(self.origin.dropped)

    def roles(self, frame: pl.DataFrame) -> dict[str, str]:
        """The roles of all columns that are published, whether they were counted or not."""
        return dict(self.published)

    def judge(self, frame: pl.DataFrame, result: Result[Recoded]) -> Verdict:
        """Judge the claim on the counts of released tuples."""
        return self.judge_counts(frame, result.release.counts, result.claim)

    def judge_counts(self, frame: pl.DataFrame, counts: Any, claim: Claim) -> Verdict:
        """Judge a claim on different released rows, each with its number of records."""
        roles = {name: role for name, role in self.published.items() if name in frame.columns}
        return judge_frame(frame, claim, roles, counts=counts)

    def guard(self, claim: Claim | None) -> None:
        """Refuse what is refused of any table; all records are counted only where a sample leaves a doubt."""
        guard_claim(set(self.published.values()), claim)
        for name in self._as_they_are():
            if not _clear(self._sampled, name):
                self._guard_exactly(name)

    def guard_released(self, result: Result[Recoded]) -> None:
        """Refuse plain columns that follow from quasi-identifiers and tell look-alikes apart."""
        some = self._sampled
        found = links(some.table, some.leaves, [some.table.column(name) for name in self._as_they_are()])
        if found:
            quasi = [column.name for column in self.table.quasi]
            told = list(dict.fromkeys(name for link in found for name in link.shown))
            whole = bind_rows(self.origin, self._counts([*quasi, *told]), self.hierarchies)
            release = self._again(whole, result.release)
            guard_released(whole.table, whole.leaves, release, self.allow, result.claim, found)

    def _as_they_are(self) -> list[str]:
        """The columns that go out as they are, unless their owner lets them."""
        fixed = ("plain", "sensitive")
        return [name for name, role in self.published.items() if role in fixed and name not in self.allow]

    @cached_property
    def _sampled(self) -> TableData:
        """Some of the records."""
        origin, engine = self.origin, self.origin.engine
        return bind_rows(origin, engine.sample(origin.frame, _SAMPLE, self.records), self.hierarchies)

    def _guard_exactly(self, name: str) -> None:
        alone = bind_rows(self.origin, self._counts([name])).table
        guard_column(alone.columns[0], counts=alone.counts)
        for quasi in self.table.quasi:
            pair = bind_rows(self.origin, self._counts([name, quasi.name]), self.hierarchies)
            guard_telling(pair.table.column(name), pair.table, pair.leaves)

    def _counts(self, names: list[str]) -> pl.DataFrame:
        try:
            return self.origin.tally(names)
        except TooManyError:
            raise InputError(
                f"column '{names[-1]}': it has so many values, alone or beside the quasi-identifiers, that it may show "
                "who people are; make it quasi, drop it, coarsen it with a hierarchy and a level, or set allow = true"
            ) from None

    def kept_values(self, name: str, release: Recoded) -> pl.Series:
        """The different cells of a column at a fixed level in the records that are released, as they came."""
        quasi = [column.name for column in self.table.quasi]
        whole = bind_rows(self.origin, self._counts([*quasi, name]), self.hierarchies)
        rows = self._again(whole, release).rows
        return whole.coarse[name].cells.gather(pl.Series(rows)).unique()

    def _again(self, whole: TableData, release: Recoded) -> Recoded:
        """The same recoding of a finer frequency table."""
        levels = [release.rule["levels"][name] for name in release.names]
        every = np.arange(whole.table.n)
        again = Recoded.of_levels(
            release.names, self.hierarchies, whole.leaves, levels, every, whole.table.counts
        )
        names = list(release.names)
        kept = pl.DataFrame(release.codes, schema=names).unique()
        found = pl.DataFrame(again.codes, schema=names).with_row_index("row").join(kept, on=names, how="semi")
        return replace(again.taken(found["row"].to_numpy().astype(np.int64)), records=release.records)


def _clear(some: TableData, name: str) -> bool:
    """Whether a sample shows nothing: what gives people away among all does so among a part of them too."""
    column = some.table.column(name)
    try:
        guard_column(column)
        guard_telling(column, some.table, some.leaves)
    except InputError:
        return False
    return True
