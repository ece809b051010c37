"""A table that is not in memory, recoded locally: its records lie in parts, and go to fragments of similar ones.

Each fragment is made by the method as in memory, written aside, and checked beside its originals. The claim is judged
on counts of classes over all fragments, and again on the file that was written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from shoal.algorithms import METHODS, default_method
from shoal.base.errors import InputError, RefusedError
from shoal.base.stopping import atomic_write
from shoal.data import Column, Table
from shoal.data.arrays import I4, I8
from shoal.engines.local import Local, shuffled_buckets, spread_records
from shoal.io.write.table import PieceWriter
from shoal.parts.draws import RecordHasher, RunKey, scale_hashes
from shoal.parts.folder import PrivateFolder
from shoal.parts.judging import code_sensitive, view_rows
from shoal.parts.persons import HOUSEHOLD, PERSON, WIDTH, hash_persons, persons_of
from shoal.parts.reading import BasketReader, batches_of, build_dictionary, count_items, read_parts
from shoal.parts.records import Dictionary, Parts, Records, exchange
from shoal.privacy import GUARANTEE, HOUSEHOLDS, HiddenValues
from shoal.privacy.truth import truth_of_table
from shoal.publish.draft import refuse_unless
from shoal.publish.large.fragment_release import TableInFragments, columns_of_codes, table_of_codes
from shoal.publish.large.parts import TableOrigin, TupleSource, joint_verdict
from shoal.publish.large.table import (
    SAMPLE,
    ChangedCells,
    CountedTable,
    CountedTableWriting,
    bind_cells,
    coarsen_cells,
    count_marginal,
    order_columns,
)
from shoal.publish.large.table_counts import TableCounts
from shoal.publish.notes import _note, notes_of
from shoal.publish.part_writing import other_records_error
from shoal.release import Claim, ColumnTelling, Published, Result, Verdict
from shoal.risks.dependencies import Link, find_dependencies
from shoal.risks.matching import is_too_much
from shoal.shapes.guards import guard_column, guard_telling, telling_sentence
from shoal.shapes.hierarchies import Coarse, is_built
from shoal.shapes.table.data import TableData
from shoal.shapes.table.verification import resolve
from shoal.utility import TableCase, class_ids, ncp_by_column

if TYPE_CHECKING:
    from shoal.publish.large.suppression import KeptRecords

__all__ = [
    "PART",
    "FragmentTableWriting",
    "FragmentedTable",
    "StagedLists",
    "read_for_method",
    "read_fragmented_table",
]

PART = 1 << 18
"""Records of a part, and about as many of a fragment, where nothing else is asked for."""


def read_fragmented_table(
    origin: TableOrigin, room: PrivateFolder, size: int, baskets: BasketReader | None = None
) -> "FragmentedTable":
    """Read a table into parts of about `size` records inside `room`, and bind it to its hierarchies.

    Where `baskets` reads items of its frame, too, parts hold them.

    Raises
    ------
    InputError
        A column has too many different values, or a hierarchy is wrong.
    """
    frame = origin.frame.select(*order_columns(origin.columns))
    dictionary = build_dictionary(frame, origin.name, origin.missing, origin.records)
    person = None if origin.person is None else partial(_persons_in_batch, origin, origin.person)
    if baskets is not None or person is not None:
        frame = origin.frame
    if baskets is not None:
        dictionary = replace(dictionary, items=count_items(batches_of(frame), baskets)[0])
    bound = bind_cells(origin, dictionary)
    finer, coarse = dictionary, coarsen_cells(origin, dictionary)
    for name, (_, labels) in coarse.items():
        dictionary = dictionary.relabel(name, labels)
    code_of = {
        name: (finer, _codes_in(labels, dictionary.values[dictionary.names.index(name)]))
        for name, (_, labels) in coarse.items()
    }
    folder = room.make("read")
    parts = read_parts(
        frame, dictionary, origin.missing, origin.records, size, folder, baskets, code_of, person
    )
    labelled = {name: column for name, (column, _) in coarse.items()}
    return _make_table(origin, dictionary, bound, parts, room, size, labelled)


def _make_table(
    origin: TableOrigin,
    dictionary: Dictionary,
    bound: tuple[Mapping[str, Any], Mapping[str, Any]],
    parts: Parts,
    room: PrivateFolder,
    size: int,
    coarse: Mapping[str, Coarse],
) -> "FragmentedTable":
    """The dataset of some parts; `bound` are hierarchies, and how each is given."""
    none = np.empty((0, len(dictionary.names)), dtype=np.int32)
    return FragmentedTable(
        TupleSource(pl.DataFrame(), "polars", origin.name, origin.missing),
        Table(
            columns_of_codes(dictionary, origin, none),
            counts=np.empty(0, dtype=np.int64),  # which says that records are not at hand
        ),
        bound[0],
        origin.roles,
        origin.allow,
        bound[1],
        coarse,
        counted=origin.counted,
        hidden={name: spec.hidden for name, spec in origin.columns.items() if spec.hidden},
        origin=origin,
        tuples=none,
        dictionary=dictionary,
        parts=parts,
        room=room,
        part_size=size,
    )


def _persons_in_batch(origin: TableOrigin, name: str, batch: pl.DataFrame) -> I8:
    what = HOUSEHOLD if origin.counted == HOUSEHOLDS else PERSON
    return hash_persons(batch[name], origin.missing, f"{origin.name}, column '{name}'", what)


def _codes_in(labels: pl.Series, values: Sequence[str | None]) -> I4:
    """The code of each label in a list of values."""
    code_of = {value: code for code, value in enumerate(values)}
    return np.array([code_of[label] for label in labels.to_list()], dtype=np.int32)


@dataclass(frozen=True, slots=True)
class _HashRanges:
    """Says in which range of their hashes records lie, so that equal ones are together."""

    hasher: RecordHasher
    buckets: int

    def __call__(self, codes: I4) -> I8:
        return scale_hashes(self.hasher(codes), self.buckets)


def _exchange_by_content(data: CountedTable) -> "FragmentedTable":
    """The same table in parts in which equal records lie together."""
    buckets = max(-(-data.parts.n // PART), 1)
    key = _HashRanges(data.dictionary.hasher(RunKey.of(None).derive("part")), buckets)
    parts = exchange(data.parts, key, buckets, data.room.make("by content"), data.room.mapper)
    bound = data.hierarchies, data.rules
    return _make_table(data.origin, data.dictionary, bound, parts, data.room, PART, {})


@dataclass(frozen=True, repr=False)
class FragmentedTable(CountedTable):
    """A table in parts in which equal records lie together; `table` has its columns and no record.

    dictionary : the distinct cells of every column, and of one at a fixed level its labels
    whole      : the same with those who were left out, who are not in `parts`; None where nobody was
    whole_sizes : how many groups of equal originals there were of each size before; empty where nobody was left out
    """

    whole: "FragmentedTable | None" = field(default=None, kw_only=True)
    whole_sizes: Mapping[int, int] = field(default_factory=dict, kw_only=True)

    def size(self, release: Any) -> int:
        """Say none: records are shuffled when they are written."""
        return 0

    @property
    def records(self) -> int:
        """How many records there are, those who were left out among them."""
        return self.parts.n if self.whole is None else self.whole.parts.n

    @property
    def left_values(self) -> dict[str, list[str]]:
        """Of each column whose labels are made of its values, those that only people who were left out hold."""
        if self.whole is None:
            return {}
        left: dict[str, list[str]] = {}
        for j, name in enumerate(self.dictionary.names):
            if name in self.hierarchies and is_built(self.rules[name]):
                kept = set(self.dictionary.values[j])
                values = [value for value in self.whole.dictionary.values[j] if value not in kept]
                left |= {name: [value for value in values if value is not None]} if values else {}
        return left

    @property
    def counts_persons(self) -> bool:
        """Whether several rows may be one person's, and only the originals tell which."""
        return self.origin.person is not None

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

    def losses_by_column(self, result: Result[Any], losses: Mapping[str, float]) -> dict[str, float | None]:
        """What every column that came in lost; None where it is left out."""
        lost = ncp_by_column(result.release, self.hierarchies)
        lost |= {name: coarse.lost for name, coarse in self.coarse.items()}
        return {name: lost.get(name, 0.0) for name in self.published} | dict.fromkeys(self.origin.dropped)

    def seeing(self, claim: Claim | None, target: str | None) -> "FragmentedTable":
        """The same: all columns are at hand."""
        return self

    def sample_codes(self, records: int) -> I4:
        """About so many records in codes of the dictionary, drawn from all parts."""
        from shoal.publish.large.fragment_making import draw_sample  # kernels are heavy

        key = RunKey.of(None)
        return draw_sample(
            self.parts, self.dictionary.hasher(key.derive("record")), key, records, self.room.mapper
        )

    def without_traces(
        self, result: Result[Any], maker: object = None
    ) -> tuple["FragmentedTable", Result[Any]]:
        """The records that are kept: the release was made of them alone."""
        return (self if result.release.data is None else result.release.data), result

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
        suppress = asked.pop("suppress", 0)
        from shoal.publish.large.fragment_making import make_fragments, unite_fragments  # kernels are heavy
        from shoal.publish.large.suppression import keep_records

        mapper, progress = self.room.mapper, more["progress"]
        size, key = more["size"], RunKey.of(more["rng"])
        if size == self.part_size:  # nobody asked for another
            size = min(size, METHODS[method].fragment or size)
        kept = keep_records(self, method, claim, suppress, asked, size, key, mapper, progress)
        data = self if kept is None else self._keeping(kept)
        staged = make_fragments(data, method, claim, asked, size, key, mapper, progress)
        progress("counting classes")
        release = unite_fragments(data, staged, mapper)
        largest = max(part.records for part in staged)
        if kept is not None:
            release = replace(release, data=data)
        return Result(release, claim, trace={"fragments": len(staged), "largest fragment": largest})

    def _keeping(self, kept: "KeptRecords") -> "FragmentedTable":
        """The same table of the kept alone: what is made of values is made of theirs."""
        from shoal.publish.large.suppression import hierarchies_of_kept  # kernels are heavy

        bound, _ = bind_cells(self.origin, kept.dictionary)
        none = np.empty((0, len(kept.dictionary.names)), dtype=np.int32)
        return replace(
            self,
            table=replace(self.table, columns=columns_of_codes(kept.dictionary, self.origin, none)),
            hierarchies=hierarchies_of_kept(kept.dictionary, self.hierarchies, self.rules, bound),
            dictionary=kept.dictionary,
            parts=kept.parts,
            whole=self,
            whole_sizes=kept.sizes,
        )

    @cached_property
    def links(self) -> Sequence[Link]:
        """The rules that bind published columns to quasi-identifiers, found in some of the records."""
        some = self._sampled
        return find_dependencies(
            some.table, some.leaves, [some.table.column(name) for name in self._as_they_are()]
        )

    def _sensitive_columns(self) -> tuple[Column, ...]:
        """The sensitive columns, with every value of the dictionary."""
        return tuple(
            replace(column, codes=np.arange(len(column.values), dtype=np.int32))
            for column in self.table.role("sensitive")
        )

    def restrict_claim(self, frame: pl.DataFrame, claim: Claim) -> Claim:
        """The claim as a release states it: of hidden values only those that occur in it."""
        if not any(isinstance(part, HiddenValues) for part in claim.parts):
            return claim
        columns = {
            column.name: code_sensitive(column.codes, column.values) for column in self._sensitive_columns()
        }
        return claim.restrict_to(Published({}, columns))

    @property
    def sensitive_places(self) -> dict[str, int]:
        """The sensitive columns, and which column of codes each is."""
        roles = self.published
        return {name: j for j, name in enumerate(self.dictionary.names) if roles[name] == "sensitive"}

    @cached_property
    def _sampled(self) -> TableData:
        """Some of the records; where rows belong to persons, all rows of some persons."""
        if self.origin.person is None:
            return super()._sampled
        share = min(SAMPLE / max(self.parts.n, 1), 1.0)
        task = partial(_persons_drawn, self.parts, RunKey.of(None), share)
        codes = np.concatenate(list(self.room.mapper(task, range(len(self.parts)))))
        return replace(self, table=table_of_codes(self.dictionary, self.origin, codes))

    def _guard_exactly(self, name: str) -> None:
        """Refuse a column that gives people away, counted over all records."""
        if self.origin.person is None:
            super()._guard_exactly(name)
            return
        for quasi in self.table.quasi:
            whole = self._with_columns([quasi.name, name])
            guard_column(whole.table.column(name), whole.table.persons)
            guard_telling(whole.table.column(name), whole.table, whole.leaves)

    def _with_columns(self, names: Sequence[str]) -> TableData:
        """All records in some columns, with their persons: a few bytes for each are held."""
        places = [self.dictionary.names.index(name) for name in names]
        task = partial(_read_columns, self.parts, [*places, *range(-WIDTH, 0)])
        codes = np.concatenate(list(self.room.mapper(task, range(len(self.parts)))))
        columns = tuple(
            replace(self.table.column(name), codes=np.ascontiguousarray(codes[:, at]))
            for at, name in enumerate(names)
        )
        return replace(self, table=Table(columns, persons_of(codes)))

    def view_originals(self) -> Published:
        """The records as they came in, as the judges of tables see them: rows of equal leaves, and their persons."""
        whole = self if self.whole is None else self.whole
        names = [column.name for column in self.table.quasi]
        secret = list(whole.sensitive_places)
        found = whole._with_columns([*names, *secret])
        return Published(
            {"all": class_ids(list(found.leaves.T))},
            {
                name: code_sensitive(found.table.column(name).codes, found.table.column(name).values)
                for name in secret
            },
            found.table.persons,
        )

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


def _persons_drawn(parts: Parts, key: RunKey, share: float, number: int) -> I4:
    """The task: all rows of about a share of the persons of one part."""
    codes = parts.read(number)
    whose = persons_of(codes)
    draws = key.draw("persons", whose.view(np.uint64), np.zeros(len(whose), dtype=np.int64))
    return np.asarray(codes[draws <= np.uint64(min(int(share * 2.0**64), 2**64 - 1))])


def _read_columns(parts: Parts, columns: Sequence[int], number: int) -> I4:
    """The task: some columns of one part."""
    return np.ascontiguousarray(parts.read(number)[:, columns])


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


# roles, and what is asked for, that fragments of a table do not lose
_IN_FRAGMENTS = frozenset({"quasi", "sensitive", "plain"})
_BY_FRAGMENTS = frozenset(
    {"k", "risk", "l", "diversity", "c", "t", "distance", "beta", "likeness", "disclosure", "alpha"}
)


def read_for_method(dataset: Any, method: str | None, asked: Mapping[str, Any]) -> Any:
    """A table that was counted is exchanged, where a method is named that needs records; else it stays as it is.

    It stays, too, where `asked`, the guarantee and the method's parameters, has something that fragments would lose.
    """
    if type(dataset) is not CountedTable or method not in METHODS or METHODS[method].fragments != "table":
        return dataset
    specs = dataset.origin.columns.values()
    plain = all(spec.role in _IN_FRAGMENTS and spec.level is None for spec in specs)
    keys = {key for key in GUARANTEE if asked.get(key) is not None}
    fits = plain and keys <= _BY_FRAGMENTS and asked.get("recode") not in ("mean", "median")
    return _exchange_by_content(dataset) if fits else dataset


# --- their way through the door


@dataclass
class FragmentTableWriting(CountedTableWriting):
    """What the door asks of a table in fragments: written in random order, counted anew, and judged where it lies."""

    _file: TableCounts | None = field(default=None, init=False)
    _checked: list["_CheckedFragment"] = field(default_factory=list, init=False)

    def write(self) -> None:
        """Write the cells of each fragment to random buckets, checked beside their originals, and then to the file."""
        data = self._data
        buckets = max(-(-data.records // data.part_size), 1)
        spread_records(_gather_pieces(self._checked_fragments(), data.part_size), self.stage, buckets)
        buckets_in_order = shuffled_buckets(self.stage, list(self._columns))
        self._writer.whole((bucket.rename(self._columns) for bucket in buckets_in_order), self.place)
        self._file = TableCounts.read(
            self._written,
            data.published,
            escaped=self.format == "csv",
            size=data.part_size,
            folder=data.room,
            persons=self._persons,
        )

    @cached_property
    def _persons(self) -> I8 | None:
        """Whom each record of the file belongs to, in its order; None where every record is a person."""
        if self._origin.person is None:
            return None
        order = pl.concat(shuffled_buckets(self.stage, [_PERSON]))[_PERSON]
        return order.cast(pl.UInt64).to_numpy().view(np.int64)

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
            [*(checked.truth for checked in self._checked), *self._labels_covered()],
            f"all {self._file.records} records are true: every published form covers its original value",
        )
        refuse_unless(self.judge_classes(), truth)
        if self._sum_file() != self._staged:
            raise RefusedError(
                "refused: the data reads back with other cells than were staged; nothing was written"
            )

    def _sum_file(self) -> int:
        """The digest of the file; with persons, of each record beside whom it belongs to."""
        if self._persons is None:
            return Local().summed(self._raw, self._digest)
        found = first = 0
        lazy: pl.LazyFrame = self._raw.to_native()
        for batch in lazy.collect_batches(chunk_size=PART, maintain_order=True, engine="streaming"):
            whose = _name_persons(self._persons[first : first + batch.height])
            found, first = found + self._digest(batch.with_columns(whose)), first + batch.height
        return found % 2**64

    def judge_classes(self) -> Verdict:
        """Judge the claim on the counts of the file."""
        assert self._file is not None
        return self._file.judge(self.draft.claim)

    def _labels_covered(self) -> Iterator[Verdict]:
        """Whether each label of a column at a fixed level covers the cells that it was made of."""
        for name, coarse in self._data.coarse.items():
            yield self._covered(name, coarse.cells, coarse.labels())

    @property
    def _release(self) -> TableInFragments:
        release: TableInFragments = self.draft.result.release
        return release

    def _holds_all(self) -> bool:
        """Whether the originals of all fragments are those that were read, by a keyed sum."""
        parts: Parts = self._data.parts
        total = sum(_sum_hashes(self._hasher, parts.read_records(number)) for number in range(len(parts)))
        return (total - sum(checked.digest for checked in self._checked)) % 2**64 == 0

    @cached_property
    def _hasher(self) -> RecordHasher:
        hasher: RecordHasher = self._data.dictionary.hasher(RunKey.of(None).derive("digest"))
        return hasher

    def _checked_fragments(self) -> Iterator[pl.DataFrame]:
        """The cells of each fragment as they are written, once they were checked."""
        columns = self._columns | ({} if self._origin.person is None else {_PERSON: _PERSON})
        seen = replace(self._digest, columns=columns, escape=self.format == "csv")
        self._staged = 0
        task = partial(
            _stage_fragment, self._data, self._release, self._writer, self._hasher, self.stage, self._lists
        )
        for checked in self._data.room.mapper(task, range(len(self._release.staged))):
            self._checked.append(checked)
            path = _cells_of(self.stage, checked.number)
            cells = pl.read_ipc(path)
            self._staged = (self._staged + seen(cells)) % 2**64
            yield cells
            path.unlink()

    @property
    def _lists(self) -> "StagedLists | None":
        """What writes the column of items; None where there is none."""
        return None

    @property
    def _columns(self) -> dict[str, str]:
        """The columns of the stage, each with its public name."""
        return {f"c{i}": name for i, name in enumerate(self._names)}

    @property
    def _some_left_out(self) -> bool:
        """Say no: parts have the kept alone."""
        return False

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
        counts = self._file.rows.counts
        return {name: count_marginal(self._file.cells_of(name), counts) for name in self._file.sensitive}


def _gather_pieces(pieces: Iterator[pl.DataFrame], size: int) -> Iterator[pl.DataFrame]:
    """The same records in pieces of at least `size`, but for the last: each of them leaves a file in each bucket."""
    waiting = list[pl.DataFrame]()
    for piece in pieces:
        waiting.append(piece)
        if sum(one.height for one in waiting) >= size:
            yield pl.concat(waiting)
            waiting.clear()
    if waiting:
        yield pl.concat(waiting)


def _cells_of(stage: Path, number: int) -> Path:
    return stage.with_name(f"cells-{number:06}.arrow")


_PERSON = "whose"  # the column of a stage with the number of a person, as text


def _name_persons(persons: I8) -> pl.Series:
    return pl.Series(_PERSON, persons.view(np.uint64)).cast(pl.String)


class _CheckedFragment(NamedTuple):
    """A fragment whose cells are written: what is said of their truth, and the sum of its originals' hashes."""

    number: int
    truth: Verdict
    digest: int


class StagedLists(Protocol):
    """What writes the lists of items of fragments, and checks them beside their originals."""

    @property
    def place(self) -> int:
        """Which of the published columns they are."""

    def cells(self, number: int) -> pl.Series:
        """The lists of a fragment."""

    def judge(self, number: int, cells: pl.Series) -> Verdict:
        """Check the lists that were written."""


def _stage_fragment(
    data: FragmentedTable,
    release: TableInFragments,
    writer: PieceWriter,
    hasher: RecordHasher,
    stage: Path,
    lists: StagedLists | None,
    number: int,
) -> _CheckedFragment:
    """The task: write the cells of a fragment to a private file, and check that file beside the originals."""
    staged, dictionary, names = release.staged[number], data.dictionary, list(data.published)
    if lists is not None:
        names.insert(lists.place, "")
    codes = staged.codes()
    columns = []
    for i, name in enumerate(names):
        if lists is not None and i == lists.place:
            columns.append(lists.cells(number).alias(f"c{i}"))
            continue
        j = dictionary.names.index(name)
        is_label = j < len(release.names)
        cells = pl.Series(staged.forms[j].labels, dtype=pl.String) if is_label else dictionary.cells[j]
        columns.append(cells.gather(pl.Series(codes[:, j])).alias(f"c{i}"))
    path = _cells_of(stage, number)
    with atomic_write(path) as aside:
        formed = writer.form(pl.DataFrame(columns))
        if data.origin.person is not None:
            formed = formed.with_columns(_name_persons(persons_of(codes)))
        formed.write_ipc(aside, compression="lz4")
    originals, written = staged.read_originals(), pl.read_ipc(path)
    place = {name: f"c{i}" for i, name in enumerate(names)}
    shown = written.select(pl.col(place[name]).alias(f"c{i}") for i, name in enumerate(data.published))
    truth = _judge_truth(data, release.names, originals.codes, shown)
    if truth and lists is not None:
        truth = lists.judge(number, written[f"c{lists.place}"])
    return _CheckedFragment(number, truth, _sum_hashes(hasher, originals))


def _sum_hashes(hasher: RecordHasher, records: Records) -> int:
    return int(hasher(records.codes, records.start, records.items).sum(dtype=np.uint64))


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
