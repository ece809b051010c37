"""A table that is not in memory, recoded locally: its records lie in parts, and go to fragments of similar ones.

Each fragment is made by the method as in memory, written aside, and checked beside its originals. The claim is judged
on counts of classes over all fragments, and again on the file that was written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.algorithms import default_method
from shoal.base.errors import InputError, RefusedError
from shoal.base.stopping import atomic_write
from shoal.data import Column, Table
from shoal.data.arrays import I4, I8
from shoal.engines import COUNT, cores, in_threads
from shoal.engines.local import Local, spread_records
from shoal.io.read.source import Source
from shoal.io.write.table import PieceWriter
from shoal.parts.draws import RecordHasher, RunKey
from shoal.parts.folder import PrivateFolder
from shoal.parts.judging import view_rows
from shoal.parts.reading import build_dictionary, read_parts
from shoal.parts.records import Dictionary, Parts
from shoal.privacy.truth import truth_of_table
from shoal.publish.draft import refuse_unless
from shoal.publish.large.fragment_release import TableInFragments, columns_of_codes
from shoal.publish.large.parts import TableOrigin, TupleSource, joint_verdict
from shoal.publish.large.table import ChangedCells, LargeTable, LargeTableWriting
from shoal.publish.large.table_counts import TableCounts
from shoal.publish.notes import _note, notes_of
from shoal.publish.part_writing import other_records_error
from shoal.release import Claim, ColumnTelling, Published, Result, Verdict
from shoal.risks.dependencies import Link, find_dependencies
from shoal.risks.matching import is_too_much
from shoal.shapes.guards import telling_sentence
from shoal.shapes.table.data import bind
from shoal.shapes.table.verification import resolve
from shoal.utility import TableCase

__all__ = ["PART", "FragmentTableWriting", "FragmentedTable", "read_fragmented_table"]

PART = 1 << 18
"""Records of a part, and about as many of a fragment, where nothing else is asked for."""


def read_fragmented_table(origin: TableOrigin, room: PrivateFolder, size: int) -> "FragmentedTable":
    """Read a table into parts of about `size` records inside `room`, and bind it to its hierarchies.

    Raises
    ------
    InputError
        A column has too many different values, or a hierarchy is wrong.
    """
    columns = origin.columns
    order = sorted(columns, key=lambda name: columns[name].role != "quasi")  # quasi-identifiers come first
    frame = origin.frame.select(*order)
    dictionary = build_dictionary(frame, origin.name, origin.missing, origin.records)
    hierarchies: dict[str, Any] = {}
    rules: dict[str, Any] = {}
    for name, cells in zip(order, dictionary.cells, strict=True):
        alone = Source(cells.alias(name).to_frame(), "polars", origin.name, origin.missing)
        made = bind(alone, {name: columns[name]})
        hierarchies |= made.hierarchies
        rules |= made.rules
    parts = read_parts(frame, dictionary, origin.missing, origin.records, size, room.make("read"))
    return FragmentedTable(
        TupleSource(pl.DataFrame(), "polars", origin.name, origin.missing),
        Table(
            columns_of_codes(dictionary, origin, np.empty((0, len(order)), dtype=np.int32)),
            counts=np.empty(0, dtype=np.int64),  # which says that records are not at hand
        ),
        hierarchies,
        origin.roles,
        origin.allow,
        rules,
        origin=origin,
        tuples=pl.DataFrame(),
        dictionary=dictionary,
        parts=parts,
        room=room,
        part_size=size,
    )


@dataclass(frozen=True, repr=False)
class FragmentedTable(LargeTable):
    """A table in parts; `table` has its columns and no record.

    dictionary : the distinct cells of every column
    parts      : the records
    room       : the private folder of the parts; it goes with the dataset
    part_size  : about how many records a part has
    """

    dictionary: Dictionary = field(kw_only=True)
    parts: Parts = field(kw_only=True)
    room: PrivateFolder = field(kw_only=True)
    part_size: int = field(kw_only=True)

    def size(self, release: Any) -> int:
        """Say none: records are shuffled when they are written."""
        return 0

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.parts.n

    @property
    def cells(self) -> int:
        """How many cells a method looks at."""
        return self.records * len(self.table.quasi)

    @property
    def options(self) -> Mapping[str, Any]:
        """What a method is asked for, unless somebody asks otherwise: to work on fragments."""
        return {"fragment": self.part_size}

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and in how many parts."""
        return {"shape": self.shape, **self.parts.facts()}

    def default(self, asked: Mapping[str, Any]) -> str:
        """The usual method for so many records, among those that work on fragments."""
        return default_method(
            self.shape,
            asked,
            columns=len(self.table.quasi),
            records=self.records,
            vectors=prod(self.hierarchies[column.name].height + 1 for column in self.table.quasi),
            ranged=asked.get("recode") == "range" and self._has_free_numbers,
        )

    def seeing(self, claim: Claim | None, target: str | None) -> "FragmentedTable":
        """The same: all columns are at hand."""
        return self

    def without_traces(
        self, result: Result[Any], maker: object = None
    ) -> tuple["FragmentedTable", Result[Any]]:
        """Both as they are: nobody was left out."""
        return self, result

    def shuffle_rows(self, result: Result[Any], order: I8) -> Result[Any]:
        """The same: records are shuffled when they are written."""
        return result

    def count_untold(self, release: Any) -> tuple[int, int]:
        """How many released records tell nothing, and how many there are."""
        return super().count_untold(release.class_table())

    def assemble(self, release: Any) -> pl.DataFrame:
        """The labels of every class, in the order of the quasi-identifiers."""
        labels = [
            pl.Series(name, forms.labels, dtype=pl.String).gather(pl.Series(release.codes[:, j]))
            for j, (name, forms) in enumerate(zip(release.names, release.forms, strict=True))
        ]
        return pl.DataFrame(labels)

    def case(self, result: Result[Any], method: Mapping[str, Any]) -> TableCase:
        """The release alone: what is lost beside originals is not told of so many."""
        weights = {column.name: column.weight for column in self.table.quasi}
        k = result.claim.crowd if result.claim.crowd > 1 else None
        return TableCase(result.release, self.hierarchies, weights=weights, k=k)

    # --- making

    def in_fragments(
        self, method: str, inputs: Mapping[str, Any], claim: Claim, options: Mapping[str, Any], **more: Any
    ) -> Result[TableInFragments]:
        """Have a method work on fragments of the records; `more` are their size, randomness and a listener."""
        asked = dict(options)
        if asked.pop("suppress", 0):
            raise InputError(
                f"method {method}: in fragments of so many records none is left out; leave suppress out"
            )
        from shoal.publish.large.fragment_making import make_fragments, unite_fragments  # kernels are heavy

        mapper, progress = in_threads(cores()), more["progress"]
        staged = make_fragments(self, method, claim, asked, more["size"], more["rng"], mapper, progress)
        progress("counting classes")
        release = unite_fragments(self, staged, mapper)
        largest = max(part.records for part in staged)
        return Result(release, claim, trace={"fragments": len(staged), "largest fragment": largest})

    @cached_property
    def links(self) -> Sequence[Link]:
        """The rules that bind published columns to quasi-identifiers, found in some of the records."""
        some = self._sampled
        return find_dependencies(
            some.table, some.leaves, [some.table.column(name) for name in self._as_they_are()]
        )

    @property
    def sensitive_places(self) -> dict[str, int]:
        """The sensitive columns, and which column of codes each is."""
        roles = self.published
        return {name: j for j, name in enumerate(self.dictionary.names) if roles[name] == "sensitive"}

    # --- judging

    def judge(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Judge the claim on the counts of released rows."""
        return result.claim.check(self.view_released(result.release))

    def view_released(self, release: Any) -> Published:
        """Released rows as the judges of tables see them, each with its number of records."""
        values = {
            name: (len(release.names) + at, self.dictionary.values[j])
            for at, (name, j) in enumerate(self.sensitive_places.items())
        }
        return view_rows(release.seen, values)

    def truth(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Say yes: fragments are checked beside their originals when they are written."""
        return Verdict(True, "every fragment is checked beside its originals when it is written")

    def guard_released(self, result: Result[Any]) -> None:
        """Refuse columns that match too many rows with their persons; rules were looked for in each fragment."""
        measured = [part.telling for part in result.release.staged if part.telling is not None]
        for telling in _mean_tellings([one for tellings in measured for one in tellings]):
            if is_too_much(telling):
                raise InputError(telling_sentence(telling, result.claim.crowd))


def _mean_tellings(tellings: Sequence[ColumnTelling]) -> Iterator[ColumnTelling]:
    """What columns tell in several fragments, as means over people."""
    by_columns: dict[tuple[str, ...], list[ColumnTelling]] = {}
    for telling in tellings:
        by_columns.setdefault(tuple(telling.shown), []).append(telling)
    for same in by_columns.values():
        people = np.array([telling.people for telling in same])
        shares = np.array([(one.mean, one.alone, one.above, one.dealt) for one in same])
        mean, alone, above, dealt = (people @ shares / people.sum()).tolist()
        worst = max(same, key=lambda telling: telling.above)
        asked = sum(telling.asked for telling in same)
        yield replace(
            worst, people=int(people.sum()), asked=asked, mean=mean, alone=alone, above=above, dealt=dealt
        )


# --- their way through the door


@dataclass
class FragmentTableWriting(LargeTableWriting):
    """What the door asks of a table in fragments: written in random order, counted anew, and judged where it lies."""

    _file: TableCounts | None = field(default=None, init=False)
    _checked: list["_CheckedFragment"] = field(default_factory=list, init=False)

    def write(self) -> None:
        """Write the cells of each fragment to random buckets, checked beside their originals, and then to the file."""
        data = self._data
        spread_records(self._checked_fragments(), self.stage, len(self._release.staged))
        Local().write(self.stage, self._columns, self.place, self._writer, lambda bucket: 0)
        self._file = TableCounts.read(
            self._written, data.published, escaped=self.format == "csv", size=data.part_size, folder=data.room
        )

    def judge(self) -> None:
        """Judge what was written by counts of its own, and its truth by what was staged.

        Raises
        ------
        RefusedError
            The file does not keep the claim, does not tell the truth, or is not what was staged.
        """
        assert self._file is not None
        if self._file.records != self._release.kept or not self._holds_all():
            raise other_records_error()
        truth = joint_verdict(
            [checked.truth for checked in self._checked],
            f"all {self._file.records} records are true: every published form covers its original value",
        )
        refuse_unless(self._file.judge(self.draft.claim), truth)
        if Local().summed(self._raw, self._digest) != self._staged:
            raise RefusedError(
                "refused: the data reads back with other cells than were staged; nothing was written"
            )

    @property
    def _release(self) -> TableInFragments:
        release: TableInFragments = self.draft.result.release
        return release

    def _holds_all(self) -> bool:
        """Whether the originals of all fragments are those that were read, by a keyed sum."""
        parts: Parts = self._data.parts
        total = sum(_sum_hashes(self._hasher, parts.read(number)) for number in range(len(parts)))
        return (total - sum(checked.digest for checked in self._checked)) % 2**64 == 0

    @cached_property
    def _hasher(self) -> RecordHasher:
        hasher: RecordHasher = self._data.dictionary.hasher(RunKey.of(None).derive("digest"))
        return hasher

    def _checked_fragments(self) -> Iterator[pl.DataFrame]:
        """The cells of each fragment as they are written, once they were checked."""
        seen = replace(self._digest, columns=self._columns, escape=self.format == "csv")
        self._staged = 0
        task = partial(_stage_fragment, self._data, self._release, self._writer, self._hasher, self.stage)
        for checked in in_threads(cores())(task, range(len(self._release.staged))):
            self._checked.append(checked)
            path = _cells_of(self.stage, checked.number)
            cells = pl.read_ipc(path)
            self._staged = (self._staged + seen(cells)) % 2**64
            yield cells
            path.unlink()

    @property
    def _columns(self) -> dict[str, str]:
        """The columns of the stage, each with its public name."""
        return {f"c{i}": name for i, name in enumerate(self._names)}

    @cached_property
    def _writer(self) -> PieceWriter:
        """How cells are written, as far as only the whole column tells."""
        dictionary: Dictionary = self._data.dictionary
        quasi = set(self._release.names)
        kept, dates, texts = set(), set(), set()
        for name, cells in zip(dictionary.names, dictionary.cells, strict=True):
            place = f"c{self._names.index(name)}"
            if name in quasi:
                continue
            kept.add(place)
            if isinstance(cells.dtype, pl.Datetime) and cells.dtype.time_zone is None:
                if bool((cells.dt.truncate("1d") == cells).all()):
                    dates.add(place)
            elif cells.dtype.is_float() and not bool((cells.is_finite() | cells.is_nan()).all()):
                texts.add(place)
        return PieceWriter(
            self.format, frozenset(kept), self._origin.missing, frozenset(dates), frozenset(texts)
        )

    @cached_property
    def _notes(self) -> list[dict[str, Any]]:
        """Notes on what was written, from its counts."""
        assert self._file is not None
        data, file = self._data, self._file
        notes = [
            _note("one value", name, file.records)
            for name in self._release.names
            if len(file.values[name]) == 1 and file.records > 1
        ]
        classes = pl.Series("class", file.rows.classes)
        for name in file.sensitive:
            frame = pl.DataFrame([classes, file.cells_of(name)])
            found = notes_of(frame, {"class": "quasi", name: "sensitive"}, counts=file.rows.counts)
            notes += [note for note in found if note["column"] == name]
        for name, counts in zip(data.dictionary.names, data.dictionary.counts, strict=True):
            if name in data.allow and data.published[name] in ("plain", "sensitive"):
                notes.append(_note("allowed", name, int((counts == 1).sum())))
        return notes

    @cached_property
    def _marginals(self) -> dict[str, list[tuple[str | None, int]]]:
        """How often each released value of a sensitive column occurs, most frequent first."""
        assert self._file is not None
        told = {}
        for name in self._file.sensitive:
            cells = self._file.cells_of(name)
            frame = pl.DataFrame({"value": cells, COUNT: self._file.rows.counts})
            found = frame.group_by("value").agg(pl.col(COUNT).sum()).sort("value", nulls_last=True)
            ordered = found.sort(COUNT, descending=True, maintain_order=True)
            told[name] = [(value, int(many)) for value, many in ordered.iter_rows()]
        return told


def _cells_of(stage: Path, number: int) -> Path:
    return stage.with_name(f"cells-{number:06}.arrow")


class _CheckedFragment(NamedTuple):
    """A fragment whose cells are written: what is said of their truth, and the sum of its originals' hashes."""

    number: int
    truth: Verdict
    digest: int


def _stage_fragment(
    data: FragmentedTable,
    release: TableInFragments,
    writer: PieceWriter,
    hasher: RecordHasher,
    stage: Path,
    number: int,
) -> _CheckedFragment:
    """The task: write the cells of a fragment to a private file, and check that file beside the originals."""
    staged, dictionary, names = release.staged[number], data.dictionary, list(data.published)
    codes = staged.codes()
    columns = []
    for i, name in enumerate(names):
        j = dictionary.names.index(name)
        is_label = j < len(release.names)
        cells = pl.Series(staged.forms[j].labels, dtype=pl.String) if is_label else dictionary.cells[j]
        columns.append(cells.gather(pl.Series(codes[:, j])).alias(f"c{i}"))
    path = _cells_of(stage, number)
    with atomic_write(path) as aside:
        writer.form(pl.DataFrame(columns)).write_ipc(aside, compression="lz4")
    originals = staged.originals()
    truth = _judge_truth(data, release.names, originals, pl.read_ipc(path))
    return _CheckedFragment(number, truth, _sum_hashes(hasher, originals))


def _sum_hashes(hasher: RecordHasher, codes: I4) -> int:
    return int(hasher(codes).sum(dtype=np.uint64))


def _judge_truth(data: FragmentedTable, quasi: Sequence[str], originals: I4, shown: pl.DataFrame) -> Verdict:
    """Check the cells of a fragment beside its originals, by the judge's own reading of labels."""
    dictionary, names, rows = data.dictionary, list(data.published), np.arange(len(originals))
    if shown.height != len(originals):
        return Verdict(False, f"{shown.height} records are written of {len(originals)}")
    pairs = {f"o{i}": f"c{i}" for i, name in enumerate(names) if name not in quasi}
    own = [
        dictionary.cells[dictionary.names.index(names[int(place[1:])])]
        .gather(pl.Series(originals[:, dictionary.names.index(names[int(place[1:])])]))
        .alias(place)
        for place in pairs
    ]
    changed = ChangedCells(pairs, data.origin.missing)(shown.with_columns(own))
    if changed:
        return Verdict(False, f"{changed} cells that are published as they are were changed", True, changed)
    leaves, labels = {}, {}
    for j, name in enumerate(quasi):
        hierarchy = data.hierarchies[name]
        column = Column(name, "quasi", dictionary.values[j], np.ascontiguousarray(originals[:, j]))
        leaves[name] = hierarchy.encode(column)
        labels[name] = resolve(shown[f"c{names.index(name)}"], hierarchy)
    return truth_of_table(leaves, labels, rows)
