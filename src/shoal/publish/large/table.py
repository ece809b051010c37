"""A table that is not in memory, from which a method needs no more than counts: its records lie in parts.

A method sees the different rows of what it looks at, each with its number of records, counted part by part. A release
is one label for each code, so its records are written from the parts that were read, in random order, and checked
there; the file that was written is counted and judged anew.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError, RefusedError
from shoal.base.stopping import atomic_write
from shoal.data import Column, Role, Table
from shoal.data.arrays import B1, I4, I8
from shoal.engines import COUNT, Frame, TooManyError
from shoal.engines.local import Local
from shoal.io.config import ColumnSpec
from shoal.io.read.cells import cell_texts, clean_cells, factorize
from shoal.io.read.source import Source
from shoal.io.write.table import PieceWriter, unescape_cells
from shoal.parts.counting import count_codes
from shoal.parts.folder import PrivateFolder
from shoal.parts.reading import build_dictionary, read_parts
from shoal.parts.records import Dictionary, Parts
from shoal.privacy.equivalence_class import number_groups
from shoal.privacy.truth import truth_of_table
from shoal.publish.draft import Draft, refuse_unless
from shoal.publish.large.parts import MOST_TUPLES, TableOrigin, TupleSource, columns_of_method
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
from shoal.shapes.hierarchies import Coarse, coarsen_columns, hierarchy_of
from shoal.shapes.table.data import TableData, bind
from shoal.shapes.table.verification import published_table, resolve

__all__ = [
    "COUNTED_PART",
    "SAMPLE",
    "ChangedCells",
    "CountedTable",
    "CountedTableWriting",
    "bind_cells",
    "coarsen_cells",
    "count_marginal",
    "order_columns",
    "read_counted_table",
]

COUNTED_PART = 1 << 19
"""Records of a part that is counted: a task holds their codes, and their cells while it writes them."""

SAMPLE = 200_000  # records; guards count all of them only where so many leave a doubt
_FEW_LABELS = 1 << 14  # different cells that are written as places in a list of them
_FEW_PAIRS = 1 << 22  # pairs of a code and a label that are counted by place


def read_counted_table(
    origin: TableOrigin, room: PrivateFolder, size: int, claim: Claim | None, target: str | None
) -> "CountedTable":
    """Read a table into parts of about `size` records inside `room`, and count what a method must see of it.

    Raises
    ------
    InputError
        A column has too many different values, a hierarchy is wrong, or there is nothing to count.
    """
    frame = origin.frame.select(*order_columns(origin.columns))
    dictionary = build_dictionary(frame, origin.name, origin.missing, origin.records)
    hierarchies, rules = bind_cells(origin, dictionary)
    levelled = coarsen_cells(origin, dictionary)
    folder = room.make("read")
    parts = read_parts(frame, dictionary, origin.missing, origin.records, size, folder, at_random=True)
    nothing = Source(pl.DataFrame(), "polars", origin.name, origin.missing)
    empty = CountedTable(
        nothing, Table(()), hierarchies, origin.roles, origin.allow, rules,
        hidden={name: spec.hidden for name, spec in origin.columns.items() if spec.hidden},
        origin=origin, dictionary=dictionary, parts=parts, room=room, part_size=size, levelled=levelled,
        tuples=np.empty((0, 0), dtype=np.int32),
    )  # fmt: skip
    table = empty.seeing(claim, target)
    _ = table.leaves  # an uncovered value is told now, before any search starts
    return table


def order_columns(columns: Mapping[str, ColumnSpec]) -> list[str]:
    """The order of columns in a dictionary: quasi-identifiers come first."""
    return sorted(columns, key=lambda name: columns[name].role != "quasi")


def bind_cells(origin: TableOrigin, dictionary: Dictionary) -> tuple[dict[str, Any], dict[str, Any]]:
    """The hierarchies of the columns of a dictionary, and how each is given."""
    hierarchies: dict[str, Any] = {}
    rules: dict[str, Any] = {}
    for name, cells in zip(dictionary.names, dictionary.cells, strict=True):
        if origin.columns[name].level is not None:
            continue  # which has its labels already
        alone = Source(cells.alias(name).to_frame(), "polars", origin.name, origin.missing)
        made = bind(alone, {name: origin.columns[name]})
        hierarchies |= made.hierarchies
        rules |= made.rules
    return hierarchies, rules


def coarsen_cells(origin: TableOrigin, dictionary: Dictionary) -> dict[str, tuple[Coarse, pl.Series]]:
    """The columns at a fixed level over their distinct cells, each with the label of every cell."""
    made: dict[str, tuple[Coarse, pl.Series]] = {}
    for name, cells, counts in zip(dictionary.names, dictionary.cells, dictionary.counts, strict=True):
        alone = Source(cells.alias(name).to_frame(), "polars", origin.name, origin.missing)
        for column in coarsen_columns(alone, {name: origin.columns[name]})[1].values():
            labels = clean_cells(column.labels(), origin.missing)
            made[name] = replace(column, lost=column.loss(counts)), labels
    return made


@dataclass(frozen=True, repr=False)
class CountedTable(TableData):
    """A table in parts whose rows are the different tuples of what a method looks at, each with its number of records.

    origin     : what it is
    dictionary : the distinct cells of every column, as they came
    parts      : the records
    room       : the private folder of the parts; it goes with the dataset
    part_size  : about how many records a part has
    levelled   : the columns at a fixed level over the cells of the dictionary, and the label of each
    tuples     : int32[rows, columns of the table], the rows in codes of the dictionary
    """

    in_memory: ClassVar[bool] = False

    origin: TableOrigin = field(kw_only=True)
    dictionary: Dictionary = field(kw_only=True)
    parts: Parts = field(kw_only=True)
    room: PrivateFolder = field(kw_only=True)
    part_size: int = field(kw_only=True)
    levelled: Mapping[str, tuple[Coarse, pl.Series]] = field(default_factory=dict, kw_only=True)
    tuples: I4 = field(kw_only=True)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was found on the way: tasks need none of it."""
        return {own.name: getattr(self, own.name) for own in fields(self)}

    def seeing(self, claim: Claim | None, target: str | None) -> "CountedTable":
        """The same table, counted by all that a claim speaks of and a loss predicts.

        Raises
        ------
        InputError
            There is nothing to count, or nearly every record is different.
        """
        names = columns_of_method(self.published, claim, target)
        if not names:
            raise InputError(
                "columns: no quasi-identifier, so a claim would promise nothing; give at least one column the role "
                "quasi"
            )
        if {*names} <= {column.name for column in self.table.columns}:
            return self
        try:
            codes, counts = self.count(names)
        except TooManyError:
            raise InputError(
                f"{self.origin.name}: the columns that a method looks at have more than {MOST_TUPLES:,} different rows "
                "together, so nearly everybody is alone and counting is of no use; coarsen those with the most values "
                "before, or drop them"
            ) from None
        rows = self.select(names, codes, counts)
        return replace(self, source=rows.source, table=rows.table, coarse=rows.coarse, tuples=codes)

    def in_all_columns(self) -> TableData | None:
        """The different rows of all columns that are published, each with its number; None where they are too many."""
        try:
            return self.select(list(self.published), *self.count(list(self.published)))
        except TooManyError:
            return None

    def count(self, names: Sequence[str]) -> tuple[I4, I8]:
        """The different rows of some columns in codes of the dictionary, and how many records have each.

        Raises
        ------
        TooManyError
            They are too many to be held.
        """
        columns = [self.dictionary.names.index(name) for name in names]
        return count_codes(self.parts, columns, MOST_TUPLES, self.room.mapper)

    def select(self, names: Sequence[str], codes: I4, counts: I8 | None = None) -> TableData:
        """Rows of some columns, in codes of the dictionary, as a table with roles and hierarchies."""
        cells, columns, coarse = [], [], {}
        for i, name in enumerate(names):
            j, own = self.dictionary.names.index(name), np.ascontiguousarray(codes[:, i])
            values, shown = self.dictionary.values[j], self.dictionary.cells[j]
            if name in self.levelled:
                column, shown = self.levelled[name]
                coarse[name] = replace(column, cells=column.cells.gather(pl.Series(own)))
                values, code_of_cell = factorize(shown)
                cells.append(shown.gather(pl.Series(own)).alias(name))
                own = code_of_cell[own]
            else:
                cells.append(shown.gather(pl.Series(own)).alias(name))
            spec = self.origin.columns[name]
            columns.append(Column(name, spec.role, values, own, spec.weight, spec.importance))
        kind = Source if counts is None else TupleSource
        return TableData(
            kind(pl.DataFrame(cells), "polars", self.origin.name, self.origin.missing),
            Table(tuple(columns), counts=counts),
            {name: tree for name, tree in self.hierarchies.items() if name in names},
            {name: self.published[name] for name in names},
            self.allow,
            {name: rule for name, rule in self.rules.items() if name in names},
            coarse,
        )

    def default(self, asked: Mapping[str, Any]) -> str:
        """Full-domain recoding: what else there is needs records."""
        return "optimal"

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records, in how many parts, and how many different tuples they are."""
        return {**super().facts(), **self.parts.facts(), "tuples": self.table.n}

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
            whole = self._counted([*quasi, *told])
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
            names = [*quasi, *telling.shown]
            try:
                whole = self.select(names, *self.count(names))
            except TooManyError:
                continue
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
        return self.select(self.dictionary.names, self.sample_codes(SAMPLE))

    def sample_codes(self, records: int) -> I4:
        """About so many records in codes of the dictionary: every part holds records at random."""
        last = int(np.searchsorted(np.cumsum(self.parts.sizes), records)) + 1
        return self.parts.read(0, min(last, len(self.parts)))[:records]

    def _guard_exactly(self, name: str) -> None:
        alone = self._counted([name]).table
        guard_column(alone.columns[0], counts=alone.counts)
        for quasi in self.table.quasi:
            pair = self._counted([name, quasi.name])
            guard_telling(pair.table.column(name), pair.table, pair.leaves)

    def _counted(self, names: list[str]) -> TableData:
        try:
            return self.select(names, *self.count(names))
        except TooManyError:
            raise InputError(
                f"column '{names[-1]}': it has so many values, alone or together with the quasi-identifiers, that it "
                "may show who people are; make it quasi, drop it, coarsen it with a hierarchy and a level, or set "
                "allow = true"
            ) from None

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


# --- what is done to each part: plain objects that can be sent to wherever it lies


@dataclass(frozen=True, slots=True, repr=False)
class _KeptRows(SafeRepr):
    """Says which records of a part are released.

    labels : by quasi-identifier int64[codes]: equal numbers are labels of equal text
    places : by quasi-identifier, which column of codes it is
    gone   : int64[m, quasi-identifiers], the labels of classes that are left out, as these numbers
    """

    labels: tuple[I8, ...]
    places: tuple[int, ...]
    gone: I8

    def __call__(self, codes: I4) -> B1:
        """Return whether each record is released: bool[n]."""
        if not len(self.gone):
            return np.ones(len(codes), dtype=bool)
        shown = [
            np.concatenate([labels[codes[:, place]], self.gone[:, j]])
            for j, (labels, place) in enumerate(zip(self.labels, self.places, strict=True))
        ]
        group, _ = number_groups(shown)
        is_gone = np.zeros(len(group), dtype=bool)
        is_gone[group[len(codes) :]] = True
        return ~is_gone[group[: len(codes)]]


def _find_held(parts: Parts, kept: _KeptRows, sizes: Sequence[int], number: int) -> list[B1]:
    """The task: which codes of each column the released records of a part hold."""
    codes = parts.read(number)
    codes = codes[kept(codes)]
    return [np.bincount(codes[:, j], minlength=size) > 0 for j, size in enumerate(sizes)]


class _WrittenPart(NamedTuple):
    """What a task says of a part that it wrote.

    number  : which part it is
    records : how many it has that are released
    digest  : of their cells
    changed : how many different cells that should be published as they came are not
    pairs   : by column that holds labels, the codes of originals and what is published of them
    """

    number: int
    records: int
    digest: int
    changed: int
    pairs: dict[int, tuple[I4, pl.Series]]


@dataclass(frozen=True, slots=True, repr=False)
class _PartWriter(SafeRepr):
    """Writes the released records of a part in random order to a file of its own, and looks at what it wrote.

    places : by published column, which column of codes it is
    cells  : by published column, the cell that each code becomes, as it is written
    own    : by published column the cells that came in, where they are published as they are; else None
    """

    parts: Parts
    kept: _KeptRows
    names: tuple[str, ...]
    places: tuple[int, ...]
    cells: tuple[pl.Series, ...]
    own: tuple[pl.Series | None, ...]
    missing: tuple[str, ...]
    writer: PieceWriter
    digest: RowDigest
    folder: Path

    def __call__(self, number: int) -> _WrittenPart:
        codes = self.parts.read(number)
        codes = codes[np.argsort(np.frombuffer(os.urandom(8 * len(codes)), dtype=np.uint64))]
        codes = codes[self.kept(codes)]
        written = self.gather(codes)
        with atomic_write(piece_of(self.folder, number)) as aside:
            self.writer.write_piece(written, aside)
        changed, pairs = 0, {}
        for i, place in enumerate(self.places):
            held, shown = _pair(codes[:, place], written.to_series(i), len(self.cells[i]))
            own = self.own[i]
            if own is None:
                pairs[i] = held, shown
                continue
            both = pl.DataFrame([own.gather(pl.Series(held)).alias("own"), shown.alias("shown")])
            changed += ChangedCells({"own": "shown"}, self.missing)(both)
        return _WrittenPart(number, len(codes), self.digest(written), changed, pairs)

    def gather(self, codes: I4) -> pl.DataFrame:
        """The cells of some records, under their public names."""
        columns = zip(self.names, self.places, self.cells, strict=True)
        return pl.DataFrame(
            [cells.gather(pl.Series(codes[:, place])).alias(name) for name, place, cells in columns]
        )


def piece_of(folder: Path, number: int) -> Path:
    """Where the records of a part are written."""
    return folder / f"piece-{number:06}"


def _pair(codes: I4, shown: pl.Series, width: int) -> tuple[I4, pl.Series]:
    """The different pairs of a code, of which there are `width`, and what stands beside it."""
    if isinstance(shown.dtype, pl.Enum):
        labels = pl.Series([*shown.dtype.categories, None], dtype=pl.String)
        if width * len(labels) <= _FEW_PAIRS:
            label = shown.to_physical().cast(pl.Int64).fill_null(len(labels) - 1).to_numpy()
            pair = np.flatnonzero(np.bincount(codes.astype(np.int64) * len(labels) + label))
            return (pair // len(labels)).astype(np.int32), labels.gather(pl.Series(pair % len(labels)))
    both = pl.DataFrame({"code": codes, "shown": shown}).unique()
    texts = both["shown"]
    return both["code"].to_numpy(), texts.cast(pl.String) if isinstance(texts.dtype, pl.Enum) else texts


# --- the way through the door


@dataclass
class CountedTableWriting:
    """What the door asks of a table in parts.

    place  : the public file
    stage  : a private folder for its pieces; it goes when the door closes
    format : of the public file
    """

    draft: Draft
    place: Path
    stage: Path
    format: str
    _staged: int = field(default=-1, init=False)
    _whole: pl.DataFrame | None = field(default=None, init=False)  # the rows of the public file, counted
    _parts: list[_WrittenPart] = field(default_factory=list, init=False)

    def write(self) -> None:
        """Write the released records of each part, checked beside their originals, and join them to one file."""
        data = self._data
        folder = data.room.make("pieces")
        own = [
            None if name in self._labels else data.dictionary.cells[data.dictionary.names.index(name)]
            for name in self._names
        ]
        places = tuple(data.dictionary.names.index(name) for name in self._names)
        digest = replace(self._digest, escape=self.format == "csv")
        task = _PartWriter(
            data.parts, self._kept, tuple(self._names), places, self._cells, tuple(own),
            self._origin.missing, self._writer, digest, folder,
        )  # fmt: skip
        self._parts = list(data.room.mapper(task, range(len(data.parts))))
        self._staged = sum(part.digest for part in self._parts) % 2**64
        pieces = [piece_of(folder, number) for number in range(len(data.parts))]
        none = task.gather(np.empty((0, len(data.dictionary.names)), dtype=np.int32))
        self._writer.join_pieces(none, pieces, self.place)
        data.room.drop("pieces")

    def judge(self) -> None:
        """Judge what was written by counts of its own, and its truth by what stood beside its originals.

        Raises
        ------
        RefusedError
            The file does not keep the claim, does not tell the truth, or is not what was checked.
        """
        counts = self._counts
        released = sum(part.records for part in self._parts)
        if not int(counts[COUNT].sum()) == released == self._release.kept:
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

    # --- what becomes of each code ------------------------------------------------------------------------

    @cached_property
    def _quasi(self) -> dict[str, pl.Series]:
        """For each quasi-identifier the label of each code at the level of the release."""
        data, release = self._data, self._release
        columns = [column.name for column in data.table.columns]
        made = {}
        for j, name in enumerate(release.names):
            tree, place = data.hierarchies[name], data.dictionary.names.index(name)
            leaf_of_code = np.zeros(len(data.dictionary.values[place]), dtype=np.int64)
            leaf_of_code[data.tuples[:, columns.index(name)]] = data.leaves[:, j]
            nodes = tree.up[leaf_of_code, release.rule["levels"][name]]
            made[name] = pl.Series(release.forms[j].labels, dtype=pl.String).gather(pl.Series(nodes))
        return made

    @cached_property
    def _labels(self) -> dict[str, pl.Series]:
        """The same, and for columns of a fixed level too."""
        return {**self._quasi, **{name: self._fixed(name) for name in self._data.levelled}}

    def _fixed(self, name: str) -> pl.Series:
        data: CountedTable = self._data
        coarse, labels = data.levelled[name]
        if not (self._release.suppressed and coarse.built):
            return labels
        return coarse.labels(np.flatnonzero(self._held[data.dictionary.names.index(name)]))

    @cached_property
    def _kept(self) -> _KeptRows:
        """What says which records are released."""
        data, release = self._data, self._release
        out = np.ones(data.table.n, dtype=bool)
        out[release.rows] = False
        columns = [column.name for column in data.table.columns]
        numbers = tuple(factorize(labels)[1].astype(np.int64) for labels in self._quasi.values())
        gone = [
            labels[data.tuples[out, columns.index(name)]]
            for name, labels in zip(self._quasi, numbers, strict=True)
        ]
        places = tuple(data.dictionary.names.index(name) for name in self._quasi)
        return _KeptRows(numbers, places, np.unique(np.stack(gone, axis=1), axis=0))

    @cached_property
    def _held(self) -> list[B1]:
        """By column of codes, which values anyone holds who is released."""
        data: CountedTable = self._data
        sizes = [len(values) for values in data.dictionary.values]
        task = partial(_find_held, data.parts, self._kept, sizes)
        found = list(data.room.mapper(task, range(len(data.parts))))
        return [np.logical_or.reduce(held) for held in zip(*found, strict=True)]

    # --- what is written ----------------------------------------------------------------------------------

    @cached_property
    def _writer(self) -> PieceWriter:
        return self._cell_writer

    @property
    def _cell_writer(self) -> PieceWriter:
        """How cells are written, as far as only the whole column tells."""
        dictionary: Dictionary = self._data.dictionary
        kept, dates, texts = set(), set(), set()
        for j, (name, cells) in enumerate(zip(dictionary.names, dictionary.cells, strict=True)):
            place = f"c{self._names.index(name)}"
            if name in self._release.names or name in self._data.levelled:
                continue
            kept.add(place)
            if isinstance(cells.dtype, pl.Datetime) and cells.dtype.time_zone is None:
                if self._all_held(j, cells, cells.dt.truncate("1d") == cells):
                    dates.add(place)
            elif cells.dtype.is_float() and not self._all_held(j, cells, cells.is_finite() | cells.is_nan()):
                texts.add(place)
        return PieceWriter(
            self.format, frozenset(kept), self._origin.missing, frozenset(dates), frozenset(texts)
        )

    def _all_held(self, j: int, cells: pl.Series, is_so: pl.Series) -> bool:
        """Whether something is so of all cells of a column that are released."""
        if bool(is_so.all()) or not self._some_left_out:
            return bool(is_so.all())
        return bool(is_so.filter(pl.Series(self._held[j])).all())

    @property
    def _some_left_out(self) -> bool:
        """Whether the parts have records that are not released."""
        return self._release.suppressed > 0

    @cached_property
    def _cells(self) -> tuple[pl.Series, ...]:
        """By published column the cell that each code becomes, as it is written; few texts as places in a list."""
        made = []
        for i, name in enumerate(self._names):
            cells = self._labels.get(name)
            if cells is None:
                j = self._data.dictionary.names.index(name)
                own = self._data.dictionary.cells[j]
                if self._some_left_out and own.dtype.is_float() and not own.is_finite().all():
                    own = own.set(
                        pl.Series(~self._held[j]), None
                    )  # one endless number makes all of them text
                cells = self._writer.form(own.alias(f"c{i}").to_frame()).to_series()
            if cells.dtype == pl.String and cells.n_unique() <= _FEW_LABELS:
                cells = cells.cast(pl.Enum(cells.drop_nulls().unique(maintain_order=True)))
            made.append(cells)
        return tuple(made)

    @cached_property
    def _raw(self) -> Frame:
        """The cells of the public file, formulas in it still escaped."""
        return Local().opened(self.place, self.format)

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
        """The digest of the public file; where it holds nothing but texts that were counted, counts tell it."""
        found = self._whole
        if found is None or any(kind != pl.String for kind in found.drop(COUNT).dtypes):
            return Local().summed(self._raw, self._digest)
        return self._digest(found.select(self._names), _times(found))

    def _tally(self, names: list[str]) -> pl.DataFrame:
        """Count what was written: another count than the method's, of other files."""
        written, found = self._written, None
        whole = set(names) == set(self._names)
        if whole and self.format == "csv":
            found = Local().tally_lines(self.place, self._names, self._release.kept)
        if found is None:
            found = Local().tally(written, names, MOST_TUPLES, self._release.kept)
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
        return {name: count_marginal(counts[name], _times(counts)) for name, counts in self._beside.items()}

    # --- truth --------------------------------------------------------------------------------------------

    def _truth(self) -> Verdict:
        """Check originals against what stood beside them, by the judge's own reading of labels."""
        changed = sum(part.changed for part in self._parts)
        if changed:
            return Verdict(
                False, f"{changed} cells that are published as they are were changed", True, changed
            )
        for name in self._labels:
            i, j = self._names.index(name), self._data.dictionary.names.index(name)
            codes = pl.Series(np.concatenate([part.pairs[i][0] for part in self._parts]))
            shown = pl.concat([part.pairs[i][1] for part in self._parts])
            pairs = pl.DataFrame({"code": codes, "shown": shown}).unique()
            own = cell_texts(self._data.dictionary.cells[j].gather(pairs["code"]))
            said = self._covered(name, clean_cells(own, self._origin.missing), pairs["shown"])
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


def count_marginal(cells: pl.Series, counts: I8) -> list[tuple[str | None, int]]:
    """How often each of some cells occurs, given how many records each stands for; most frequent first."""
    frame = pl.DataFrame({"value": cells, COUNT: counts})
    found = frame.group_by("value").agg(pl.col(COUNT).sum()).sort("value", nulls_last=True)
    ordered = found.sort(COUNT, descending=True, maintain_order=True)
    return [(value, int(many)) for value, many in ordered.iter_rows()]


def _strange() -> RefusedError:
    return RefusedError("refused: the data reads back with other columns or records; nothing was written")


def _times(counts: pl.DataFrame) -> I8:
    return counts[COUNT].to_numpy().astype(np.int64)
