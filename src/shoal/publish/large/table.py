"""A table that is not in memory: its frequency table, with roles and hierarchies, beside the frame that it counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.data import Role
from shoal.engines import TooManyError
from shoal.errors import InputError
from shoal.publish.draft import Draft
from shoal.publish.following import links
from shoal.publish.guards import guard_claim, guard_column, guard_released, guard_telling
from shoal.publish.large.parts import TableOrigin, bind_rows, columns_of_method, count_tuples
from shoal.publish.large.table_writing import LargeTableWriting
from shoal.publish.shapes.table.data import TableData
from shoal.publish.shapes.table.verification import judge_frame
from shoal.release import Claim, Recoded, Result, Verdict

__all__ = ["LargeTable"]

_SAMPLE = 200_000  # records; guards count all of them only where so many leave a doubt


@dataclass(frozen=True, repr=False)
class LargeTable(TableData):
    """A table whose rows are the different tuples of what a method looks at, each with its number of records.

    `tuples` holds them as they came, row for row.
    """

    in_memory: ClassVar[bool] = False

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

    def in_all_columns(self) -> TableData | None:
        """The different rows of all columns that are published, each with its number; None where they are too many."""
        try:
            return bind_rows(self.origin, self.origin.tally(list(self.published)), self.hierarchies)
        except TooManyError:
            return None

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

    def writing(
        self, draft: Draft, public: Path, stage: Path, files: Mapping[str, str], format: str | None
    ) -> LargeTableWriting:
        """How a release of this table is written and judged: where it lies."""
        format = format or next(iter(files))
        return LargeTableWriting(draft, public / files[format], stage, format)

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
                f"column '{names[-1]}': it has so many values, alone or together with the quasi-identifiers, that it "
                "may show who people are; make it quasi, drop it, coarsen it with a hierarchy and a level, or set "
                "allow = true"
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
