"""A table that is not in memory: its frequency table, with roles and hierarchies, beside the frame that it counts.

On its way through the door it is staged, written in random order, and judged where it lies.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
import polars as pl

from shoal.base.errors import InputError, RefusedError
from shoal.data import Column, Role
from shoal.data.arrays import I8
from shoal.engines import COUNT, Frame, TooManyError, ValueRule
from shoal.engines.local import Local
from shoal.io.read.cells import cell_texts, clean_cells, factorize
from shoal.io.write.table import PieceWriter, unescape_cells
from shoal.privacy.truth import truth_of_table
from shoal.publish.draft import Draft, refuse_unless
from shoal.publish.large.parts import MOST_TUPLES, TableOrigin, bind_rows, columns_of_method, count_tuples
from shoal.publish.notes import notes_of
from shoal.publish.part_writing import RowDigest, cells_to_text
from shoal.release import Claim, Recoded, Result, Verdict
from shoal.report.facts import Audit
from shoal.risks.dependencies import find_dependencies, find_sums
from shoal.risks.matching import measure_telling
from shoal.shapes.guards import (
    find_telling_columns,
    guard_claim,
    guard_column,
    guard_released,
    guard_telling,
)
from shoal.shapes.hierarchies import hierarchy_of
from shoal.shapes.table.data import TableData
from shoal.shapes.table.verification import published_table, resolve

__all__ = ["SAMPLE", "ChangedCells", "Former", "LargeTable", "LargeTableWriting"]

SAMPLE = 200_000  # records; guards count all of them only where so many leave a doubt


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
        return claim.check(published_table(frame, roles, counts=counts))

    def guard(self, claim: Claim | None) -> None:
        """Refuse what is refused of any table; all records are counted only where a sample leaves a doubt."""
        guard_claim(set(self.published.values()), claim)
        for name in self._as_they_are():
            if not _clear(self._sampled, name):
                self._guard_exactly(name)

    def guard_released(self, result: Result[Recoded]) -> None:
        """Refuse plain columns that follow from quasi-identifiers and tell look-alikes apart."""
        some = self._sampled
        found = find_dependencies(
            some.table, some.leaves, [some.table.column(name) for name in self._as_they_are()]
        )
        if found:
            quasi = [column.name for column in self.table.quasi]
            told = list(dict.fromkeys(name for link in found for name in link.shown))
            whole = bind_rows(self.origin, self._counts([*quasi, *told]), self.hierarchies)
            release = self._again(whole, result.release)
            guard_released(whole.table, whole.leaves, release, self.allow, result.claim, found)
        self._guard_telling(result)

    def _guard_telling(self, result: Result[Recoded]) -> None:
        """Refuse columns that match too many rows with their persons; those that tell nothing in a sample are clear.

        Of a column of so many values that its tuples cannot be counted, nobody says what it tells.
        """
        some, quasi = self._sampled, [column.name for column in self.table.quasi]
        columns = [some.table.column(name) for name in self._as_they_are()]
        sums, release = find_sums(some.table, columns), self._again(some, result.release)
        for telling in measure_telling(some.table, some.leaves, release, result.claim, columns, sums):
            try:
                tuples = self.origin.tally([*quasi, *telling.shown])
            except TooManyError:
                continue
            whole = bind_rows(self.origin, tuples, self.hierarchies)
            there = [link for link in sums if set(link.shown) <= set(telling.shown)]
            shown = [whole.table.column(name) for name in telling.shown]
            made = self._again(whole, result.release)
            refused = find_telling_columns(whole.table, whole.leaves, made, shown, result.claim, there)
            if refused is not None:
                raise InputError(refused.sentence)

    def _sensitive_columns(self) -> tuple[Column, ...]:
        """Refuse: not all sensitive columns are counted.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError(
            "hidden: these records are too many for it; ask for l or alpha, or take some of the records"
        )

    def _as_they_are(self) -> list[str]:
        """The columns that go out as they are, unless their owner lets them."""
        fixed = ("plain", "sensitive")
        return [name for name, role in self.published.items() if role in fixed and name not in self.allow]

    @cached_property
    def _sampled(self) -> TableData:
        """Some of the records."""
        origin, engine = self.origin, self.origin.engine
        return bind_rows(origin, engine.sample(origin.frame, SAMPLE, self.records), self.hierarchies)

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


# --- what is asked of every batch: plain objects that can be sent to wherever records lie


@dataclass(frozen=True, slots=True)
class Former:
    """Records as they are published.

    writer : how their cells are written
    gone   : the labels of classes that are left out, by the columns of the stage
    """

    writer: PieceWriter
    gone: pl.DataFrame

    def __call__(self, batch: pl.DataFrame) -> pl.DataFrame:
        """The records of a batch that are kept, their cells as they are written."""
        if self.gone.height:
            names = self.gone.columns
            seen = batch.select(names)
            gone = self.gone.cast(seen.schema)
            doubt = seen.hash_rows().is_in(gone.hash_rows().implode())  # a join of all would cost more
            left = batch.filter(doubt).join(gone, on=names, how="anti", nulls_equal=True)
            batch = pl.concat([batch.filter(~doubt), left])
        return self.writer.form(batch)


_TIMES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%.f")


@dataclass(frozen=True, slots=True)
class ChangedCells:
    """How many cells that should be published as they came are not.

    pairs   : by the name of the original, the name of what is published of it
    missing : texts that stand for a missing cell
    """

    pairs: Mapping[str, str]
    missing: tuple[str, ...]

    def __call__(self, batch: pl.DataFrame) -> int:
        """The changed cells of one batch."""
        return sum(self._changed(batch[own], batch[shown]) for own, shown in self.pairs.items())

    def _changed(self, own: pl.Series, shown: pl.Series) -> int:
        own = clean_cells(own, self.missing)
        if own.dtype.is_temporal() and shown.dtype == pl.String:
            return int(min((~way.eq_missing(shown)).sum() for way in _ways(own)))
        return int((~cells_to_text(own).eq_missing(cells_to_text(shown))).sum())


def _ways(times: pl.Series) -> list[pl.Series]:
    """How times may be written: where all of them are midnight, as dates."""
    match times.dtype:
        case pl.Datetime(time_zone=None):
            return [times.dt.strftime(way) for way in _TIMES]
        case _:
            return [cell_texts(times)]


# --- the way through the door


@dataclass
class LargeTableWriting:
    """What the door asks of a large release.

    place  : the public file, or folder of files
    stage  : a private folder for original beside released cells; it goes when the door closes
    format : of the public file
    """

    draft: Draft
    place: Path
    stage: Path
    format: str
    _staged: int = field(default=-1, init=False)
    _whole: pl.DataFrame | None = field(default=None, init=False)  # the rows of the public file, counted

    def write(self) -> None:
        """Stage every record once, original beside released, and write the released cells in random order."""
        engine, rules = self._origin.engine, self._rules
        released = engine.map_columns(self._origin.frame, rules)
        ours = [nw.col(name).alias(f"o{i}") for i, name in enumerate(self._names)]
        theirs = [
            nw.col(f"c{i}" if f"c{i}" in rules else name).alias(f"c{i}") for i, name in enumerate(self._names)
        ]
        engine.stage(
            released.select(*ours, *theirs), self.stage, self._data.records, Former(self._writer, self._gone)
        )
        columns = {f"c{i}": name for i, name in enumerate(self._names)}
        seen = replace(self._digest, columns=columns, escape=self.format == "csv")
        self._staged = engine.write(self.stage, columns, self.place, self._writer, seen)

    def judge(self) -> None:
        """Judge what was written by counts of its own, and its truth by what was staged.

        Raises
        ------
        RefusedError
            The files do not keep the claim, do not tell the truth, or are not what was staged.
        """
        counts = self._counts
        if int(counts[COUNT].sum()) != self._release.kept:
            raise _strange()
        refuse_unless(
            self._data.judge_counts(counts.drop(COUNT), _times(counts), self.draft.claim), self._truth()
        )
        if self._read_back() != self._staged:
            raise RefusedError(
                "refused: the data reads back with other cells than were staged; nothing was written"
            )

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""
        return {**self.draft.manifest, "notes": self._notes}

    def complete(self, audit: Audit) -> Audit:
        """The same facts, with the counts of all columns that were written."""
        told = audit.report.marginals
        more = {name: counts for name, counts in self._marginals.items() if name not in told}
        report = replace(audit.report, manifest=self.manifest(), marginals={**told, **more})
        return replace(audit, report=report)

    @property
    def _data(self) -> Any:
        return self.draft.dataset

    @property
    def _origin(self) -> TableOrigin:
        found: TableOrigin = self._data.origin
        return found

    @property
    def _release(self) -> Recoded:
        found: Recoded = self.draft.result.release
        return found

    @cached_property
    def _names(self) -> list[str]:
        return list(self._data.published)

    @cached_property
    def _digest(self) -> RowDigest:
        return RowDigest(int.from_bytes(os.urandom(8)))

    # --- what becomes of each value -----------------------------------------------------------------------

    @cached_property
    def _quasi(self) -> dict[str, ValueRule]:
        """For each quasi-identifier, what its values become at the level of the release."""
        return {
            f"c{self._names.index(name)}": self._rule(j, name) for j, name in enumerate(self._release.names)
        }

    @cached_property
    def _rules(self) -> dict[str, ValueRule]:
        """The same, and for columns of a fixed level too."""
        fixed = {name for name, spec in self._origin.columns.items() if spec.level is not None}
        return {**self._quasi, **{f"c{self._names.index(name)}": self._fixed(name) for name in sorted(fixed)}}

    def _labels(self, j: int, name: str) -> pl.Series:
        """The label of every tuple in one column, those of suppressed tuples too."""
        nodes = self._data.hierarchies[name].up[self._data.leaves[:, j], self._release.rule["levels"][name]]
        return pl.Series("label", self._release.forms[j].labels, dtype=pl.String).gather(pl.Series(nodes))

    def _rule(self, j: int, name: str) -> ValueRule:
        return _rule(name, self._data.tuples[name], self._labels(j, name))

    def _fixed(self, name: str) -> ValueRule:
        found = self._origin.tally([name])
        coarse = bind_rows(self._origin, found).coarse[name]
        held = None
        if self._release.suppressed and coarse.built:
            kept = self._data.kept_values(name, self._release)
            held = np.flatnonzero(coarse.cells.is_in(kept.implode(), nulls_equal=True).to_numpy())
        return _rule(name, found[name], coarse.labels(held).alias("label"))

    @cached_property
    def _gone(self) -> pl.DataFrame:
        """The released labels of suppressed tuples."""
        out = np.ones(self._data.table.n, dtype=bool)
        out[self._release.rows] = False
        labels = {
            f"c{self._names.index(name)}": self._labels(j, name) for j, name in enumerate(self._release.names)
        }
        return pl.DataFrame(labels).filter(pl.Series(out)).unique()

    # --- what is written ----------------------------------------------------------------------------------

    @cached_property
    def _writer(self) -> PieceWriter:
        """How cells are written, as far as only the whole column tells."""
        frame, missing = self._origin.frame, self._origin.missing
        kinds = frame.collect_schema()
        kept = {name: f"c{i}" for i, name in enumerate(self._names) if f"c{i}" not in self._rules}
        asked: dict[str, Any] = {}
        for name, place in kept.items():
            if kinds[name] == nw.Datetime and kinds[name].time_zone is None:  # type: ignore[attr-defined]
                asked[place] = nw.col(name) == nw.col(name).dt.truncate("1d")
            elif kinds[name].is_float():
                asked[place] = nw.col(name).is_finite() | nw.col(name).is_nan()
        told: dict[str, bool] = {}
        if asked:
            told = self._origin.engine.collected(frame.select(**{c: a.all() for c, a in asked.items()})).row(
                0, named=True
            )
            told |= self._told_of_kept({place: asked[place] for place, true in told.items() if true is False})
        times = {place for name, place in kept.items() if kinds[name] == nw.Datetime and told.get(place)}
        texts = {place for name, place in kept.items() if kinds[name].is_float() and told.get(place) is False}
        return PieceWriter(self.format, frozenset(kept.values()), missing, frozenset(times), frozenset(texts))

    def _told_of_kept(self, asked: Mapping[str, Any]) -> dict[str, bool]:
        """What is true of all cells of the records that are released, where some are left out."""
        if not asked or not self._gone.height:
            return {}
        engine, labels = self._origin.engine, list(self._quasi)
        frame = engine.map_columns(self._origin.frame, self._quasi)
        cells = frame.select(*labels, *(cell.alias(f"{place}?") for place, cell in asked.items()))
        found = engine.tally(cells, cells.columns, MOST_TUPLES, self._data.records)
        kept = found.join(self._gone, on=labels, how="anti", nulls_equal=True)
        return {place: bool(kept[f"{place}?"].all()) for place in asked}

    @cached_property
    def _raw(self) -> Frame:
        """The cells of the public file, formulas in it still escaped."""
        return self._origin.engine.opened(self.place, self.format)

    @cached_property
    def _written(self) -> Frame:
        """What was written, its columns as they are called."""
        header = self._raw.collect_schema().names()
        plain = header
        if self.format == "csv":
            plain = unescape_cells(pl.DataFrame(schema=dict.fromkeys(header, pl.String))).columns
        if plain != self._names:
            raise _strange()
        return self._raw.rename(dict(zip(header, plain, strict=True)))

    def _read_back(self) -> int:
        """The digest of the public file; where it holds nothing but texts that were counted, counts tell it.

        Machines may hash differently, so what a cluster staged is summed there too.
        """
        engine, found = self._origin.engine, self._whole
        texts = found is not None and all(kind == pl.String for kind in found.drop(COUNT).dtypes)
        if found is None or not texts or not isinstance(engine, Local):
            return engine.summed(self._raw, self._digest)
        return self._digest(found.select(self._names), _times(found))

    def _tally(self, names: list[str]) -> pl.DataFrame:
        """Count what was written: another count than the method's, of other files."""
        engine, written, found = self._origin.engine, self._written, None
        whole = set(names) == set(self._names)
        if whole and self.format == "csv" and isinstance(engine, Local):
            found = engine.tally_lines(self.place, self._names, self._release.kept)
        if found is None:
            found = engine.tally(written, names, MOST_TUPLES, self._release.kept)
        if whole:
            self._whole = found
        cells = pl.DataFrame([cell_texts(found[name]) for name in names])
        plain = unescape_cells(cells) if self.format == "csv" else cells
        plain.columns = names
        return plain.with_columns(found[COUNT])

    @cached_property
    def _counts(self) -> pl.DataFrame:
        """The different rows of what the claim speaks of, and of all sensitive columns where they are few."""
        roles = self._data.published
        try:
            return self._tally([name for name, role in roles.items() if role in ("quasi", "sensitive")])
        except TooManyError:
            return self._tally(self.draft.claim.sees(roles))

    @cached_property
    def _beside(self) -> dict[str, pl.DataFrame]:
        """For each sensitive column, its values beside the quasi-identifiers."""
        roles = self._data.published
        quasi = [name for name, role in roles.items() if role == "quasi"]
        known = self._counts.columns
        return {
            name: self._counts if name in known else self._tally([*quasi, name])
            for name, role in roles.items()
            if role == "sensitive"
        }

    @cached_property
    def _notes(self) -> list[dict[str, Any]]:
        """Notes on what was written, from its counts."""
        roles = self._data.published
        quasi = {name: role for name, role in roles.items() if role == "quasi"}
        found = notes_of(self._counts, quasi, counts=_times(self._counts))
        for name, counts in self._beside.items():
            notes = notes_of(counts, {**quasi, name: "sensitive"}, counts=_times(counts))
            found += [note for note in notes if note["column"] == name]
        allowed = [
            name for name in roles if name in self._data.allow and roles[name] in ("plain", "sensitive")
        ]
        for name in allowed:
            counts = self._tally([name])
            found += notes_of(counts, {name: "plain"}, {name}, _times(counts))
        return found

    @cached_property
    def _marginals(self) -> dict[str, list[tuple[str | None, int]]]:
        """How often each released value of a sensitive column occurs, most frequent first."""
        told = {}
        for name, counts in self._beside.items():
            found = counts.group_by(name).agg(pl.col(COUNT).sum()).sort(name, nulls_last=True)
            ordered = found.sort(COUNT, descending=True, maintain_order=True)
            told[name] = [(value, int(many)) for value, many in ordered.iter_rows()]
        return told

    # --- truth --------------------------------------------------------------------------------------------

    def _truth(self) -> Verdict:
        """Check originals against what stands beside them in the stage, by the judge's own reading of labels."""
        origin = self._origin
        engine = origin.engine
        staged = engine.staged(self.stage)
        pairs = {f"o{i}": f"c{i}" for i in range(len(self._names)) if f"c{i}" not in self._rules}
        changed = 0
        if pairs:
            asked = staged.select(*pairs, *pairs.values())
            changed = engine.summed(asked, ChangedCells(pairs, origin.missing))
        if changed:
            return Verdict(
                False, f"{changed} cells that are published as they are were changed", True, changed
            )
        for place in self._rules:
            name = self._names[int(place[1:])]
            found = engine.tally(staged, [f"o{place[1:]}", place], MOST_TUPLES, self._release.kept)
            said = self._covered(
                name,
                clean_cells(cell_texts(found[f"o{place[1:]}"]), origin.missing),
                cell_texts(found[place]),
            )
            if not said:
                return said
        many = f"all {self._release.kept} records are true"
        return Verdict(True, f"{many}: every published form covers its original value")

    def _covered(self, name: str, own: pl.Series, shown: pl.Series) -> Verdict:
        """Whether each label covers the value beside it."""
        values, codes = factorize(own)
        spec = self._origin.columns[name]
        if spec.level is not None:
            there = (own.is_not_null() | shown.is_not_null()).to_numpy()
            own, shown = own.filter(there), shown.filter(there)
            values, codes = factorize(own)
            assert spec.hierarchy is not None
            hierarchy = hierarchy_of(name, spec.hierarchy, values).covering(self._origin.missing)
        else:
            hierarchy = self._data.hierarchies[name]
        leaves = hierarchy.encode(Column(name, spec.role, values, codes))
        rows = np.arange(len(shown), dtype=np.int64)
        return truth_of_table({name: leaves}, {name: resolve(shown, hierarchy)}, rows)


def _strange() -> RefusedError:
    return RefusedError("refused: the data reads back with other columns or records; nothing was written")


def _rule(name: str, cells: pl.Series, labels: pl.Series) -> ValueRule:
    """What each value becomes, from every tuple's value and label."""
    both = pl.DataFrame({"value": cells, "label": labels}).unique("value")
    known = both.filter(pl.col("value").is_not_null()).sort("value")
    null = both.filter(pl.col("value").is_null())["label"].to_list()
    return ValueRule(name, known["value"], known["label"].to_list(), null[0] if null else None)


def _times(counts: pl.DataFrame) -> I8:
    return counts[COUNT].to_numpy().astype(np.int64)
