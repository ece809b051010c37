"""Baskets that do not fit in memory: published by one cut, or in fragments, written and judged where they lie.

In fragments each is made, written and judged by itself. That the union of all fragments keeps the claim which each of
them keeps is proved in docs/inside/fragments.md.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import polars as pl

from shoal.algorithms import METHODS
from shoal.algorithms.parts import (
    BasketParts,
    PublishedParts,
    basket_part,
    coded_basket_parts,
    published_part,
)
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.base.stopping import atomic_write
from shoal.data import Baskets, Column, Role, Table
from shoal.engines import Mapper, cores, in_threads
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.rules import fanout
from shoal.io.config import Config
from shoal.io.read.parts import PART, RawBaskets, open_arrays, read_basket_parts
from shoal.io.read.source import Source
from shoal.io.write.groups import Groups, name_groups
from shoal.io.write.json_text import Entry, read_lists
from shoal.io.write.table import line_pieces
from shoal.parts.folder import PrivateFolder
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.privacy.nonreciprocal import Nonreciprocal
from shoal.privacy.support_counting import check_basket_parts
from shoal.publish.large.parts import (
    BasketCounts,
    DistinctCounter,
    InParts,
    LossSums,
    PartCounts,
    joint_verdict,
    list_hashes,
)
from shoal.publish.part_writing import PartWriting, other_records_error
from shoal.release import Claim, PublishedBaskets, RecodedBaskets, Result, Verdict
from shoal.shapes.baskets.data import BasketData
from shoal.shapes.baskets.verification import item_cells, item_truth, judge_basket_parts
from shoal.shapes.hierarchies import hierarchy_of
from shoal.shapes.in_memory import counts_of
from shoal.shapes.released_values import entry_words, histogram
from shoal.shapes.untold import find_uninformative_baskets
from shoal.shapes.votes import VoteData, published_bits
from shoal.utility import BasketCase
from shoal.utility.baskets import count_flips

if TYPE_CHECKING:
    from shoal.algorithms.basket_files import BasketFragments

__all__ = [
    "FRAGMENT",
    "BasketsAside",
    "FragmentWriting",
    "FragmentedBaskets",
    "FragmentedRelease",
    "LargeBasketWriting",
    "LargeBaskets",
    "StagedFragment",
    "fragmented_baskets",
    "large_baskets",
    "published_of",
    "staged_fragments",
]


@dataclass(frozen=True, repr=False)
class BasketsAside(InParts, BasketData):
    """Baskets in files of their own; `baskets` has their items, and no record."""

    def without_traces(self, result: Result[Any], remake: object = None) -> tuple[Self, Result[Any]]:
        """Both as they are: nothing was left out."""
        return self, result

    def spell_groups_out(self, result: Result[Any]) -> Result[Any]:
        """The same: methods of parts publish values of the hierarchy, and no groups."""
        return result

    def noted(self, shown: int) -> list[dict[str, Any]]:
        """Whether only one item is published; `shown` is how many different ones are."""
        few = shown <= 1 and self.records > 1
        return [{"kind": "one value", "column": "items", "count": self.records}] if few else []


# --- baskets in parts


def large_baskets(config: Config) -> "LargeBaskets":
    """Read the baskets that a configuration names into parts, which go when the dataset goes."""
    raw, told = _read(config)
    parts = coded_basket_parts(raw, in_threads(os.cpu_count() or 1))
    return LargeBaskets(baskets=parts.outline, parts=parts, **told)


def _read(config: Config) -> tuple[RawBaskets, dict[str, Any]]:
    """The records as they were read, and what a dataset of them is told whatever becomes of them."""
    path = config.data.path
    assert path is not None
    given: dict[str, Role] = {name: spec.role for name, spec in config.columns.items()}
    name = next(column for column, role in given.items() if role == "items")
    label = next((column for column, role in given.items() if role == "sensitive"), None)
    spec, missing, room = config.columns[name], tuple(config.data.missing), PrivateFolder()
    raw = read_basket_parts(
        path, room.path, name, label=label, separator=spec.separator, missing=missing, records=PART
    )
    if not raw.n:
        raise InputError(f"{path.name}: no records; give at least one")
    return raw, {
        "source": Source(pl.DataFrame(), name=path.name, missing=config.data.missing),
        "table": _labels(raw),
        "hierarchy": hierarchy_of(
            name, {"fanout": 2} if spec.hierarchy is None else spec.hierarchy, raw.values
        ),
        "given": given,
        "allow": frozenset(column for column, spec in config.columns.items() if spec.allow),
        "ruled": spec.hierarchy is not None,
        "held": int(raw.counts.sum()),
        "room": room,
    }


def published_of(release: Any) -> PublishedParts:
    """The release of parts."""
    assert isinstance(release, PublishedParts)
    return release


# --- their way through the door


class LargeBasketWriting(PartWriting):
    """What the door asks of baskets in parts: they are judged by sums over what was read back."""

    nested = ("items",)

    def of_parts(self) -> Iterator[pl.DataFrame]:
        """The cells of each part."""
        values = self._data.baskets.values
        for part in self._release.parts:
            yield pl.DataFrame([item_cells("items", published_part(self._outline, part), values)])

    def of_file(self) -> Iterator[pl.DataFrame]:
        """The cells of the public file, in pieces; their lists are kept in places of the release's forms."""
        for cells in line_pieces(self.place, self.nested, records=PART):
            start, items, entries = read_lists(cells["items"])
            own = np.array([self._code.get(entry, -1) for entry in entries], dtype=np.int32)
            if (own < 0).any():
                raise other_records_error()
            self._kept(start=start, items=own[items])
            yield cells

    def verdict(self) -> Verdict:
        """Judge the claim on the pieces that were read back."""
        claim, data = self.draft.claim, self._data
        assert isinstance(claim, KmAnonymity | LmDiversity)
        return judge_basket_parts(
            claim, self._pieces, list(self._code), data.hierarchy, frozenset(), data.parts.map
        )

    @cached_property
    def _code(self) -> dict[Entry, int]:
        return {str(label): place for place, label in enumerate(self._outline.forms.labels)}

    @property
    def _outline(self) -> RecodedBaskets:
        return published_of(self._release).outline


@dataclass(frozen=True, repr=False)
class LargeBaskets(BasketsAside):
    """Baskets in parts, without sensitive items or columns beside them."""

    parts: BasketParts = field(kw_only=True)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What methods of baskets take."""
        return {"baskets": self.parts, "hierarchy": self.hierarchy}

    def groups(self, release: Any) -> Groups:
        """None but for items that are spelled like one: one cut publishes values of the hierarchy."""
        counts, labels = self.count_once(release).facts.after, published_of(release).outline.forms.labels
        shown = (str(label) for label, many in zip(labels, counts.tolist(), strict=True) if many)
        return name_groups((), shown)

    def assemble(self, release: Any) -> pl.DataFrame:
        """The released column, without any record."""
        return pl.DataFrame({"items": []}, schema={"items": pl.String})

    def judge(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Judge the claim on what the parts publish; forms of one cut stand for different leaves."""
        made = published_of(result.release)
        load = partial(_seen, made.outline)
        width = len(made.outline.forms.labels)
        claim: Any = result.claim
        return check_basket_parts(claim, made.parts, load, width, frozenset(), self.parts.map)

    def truth(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Check every item against the record that it stems from, part by part."""
        said = [
            *self.over(partial(_truth, self.baskets, published_of(result.release).outline, self.hierarchy))
        ]
        return joint_verdict(said, f"{said[0].sentence}, in all {self.records} records")

    def count_release(self, release: Any) -> PartCounts:
        """Count the records, before and after."""
        task = partial(_count, self.baskets, published_of(release).outline, self.hierarchy, self.key)
        return reduce(add, self.over(task))

    def count_untold(self, release: Any) -> tuple[int, int]:
        """How many released records tell nothing, and how many there are."""
        task = partial(_count_untold, self.baskets, published_of(release).outline, self.hierarchy)
        return sum(self.over(task)), self.records

    def notes(self, release: Any) -> list[dict[str, Any]]:
        """Whether only one item is published."""
        return self.noted(int((self.count_once(release).facts.after > 0).sum()))


def _count_untold(outline: Baskets, shown: RecodedBaskets, hierarchy: Hierarchy, part: Path) -> int:
    nothing = find_uninformative_baskets(basket_part(outline, part), published_part(shown, part), hierarchy)
    return int(nothing.sum())


def _seen(outline: RecodedBaskets, part: Path) -> PublishedBaskets:
    made = published_part(outline, part)
    return PublishedBaskets(made.start, made.items.astype(np.int64))


def _truth(outline: Baskets, release: RecodedBaskets, hierarchy: Hierarchy, part: Path) -> Verdict:
    made, baskets = published_part(release, part), basket_part(outline, part)
    cells = item_cells("items", made, outline.values)
    return item_truth(cells, baskets, hierarchy, made.rows, made.suppressed, frozenset())


def _count(outline: Baskets, shown: RecodedBaskets, hierarchy: Hierarchy, key: int, part: Path) -> PartCounts:
    baskets, release = basket_part(outline, part), published_part(shown, part)
    return PartCounts(
        BasketCounts(
            np.bincount(baskets.items, minlength=len(baskets.values)),
            np.bincount(release.items, minlength=len(release.forms.labels)),
            Counter(histogram(np.diff(release.start))),
        ),
        LossSums.of(
            BasketCase(release, baskets, hierarchy),
            items=len(baskets.items),
            records=release.records,
            shown=len(release.items),
        ),
        DistinctCounter.of(list_hashes(release.start, release.items, key)),
    )


# --- baskets in fragments

FRAGMENT = 100_000
"""Records of a fragment, where nothing else is asked for."""


def fragmented_baskets(config: Config) -> "FragmentedBaskets":
    """Read the baskets that a configuration names into parts, which go when the dataset goes."""
    raw, told = _read(config)
    nothing = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return FragmentedBaskets(baskets=Baskets(raw.name, raw.values, *nothing), parts=raw, **told)


def _labels(raw: RawBaskets) -> Table:
    """A row for each different label, and how many records have it."""
    if raw.label is None:
        return Table(())
    many = len(raw.labels)
    times = sum(
        (np.bincount(open_arrays(part, "raw_label")[0], minlength=many) for part in raw.parts),
        np.zeros(many, int),
    )
    column = Column(raw.label, "sensitive", raw.labels, np.arange(many, dtype=np.int32))
    return Table((column,), counts=np.asarray(times, dtype=np.int64))


class FragmentedRelease(NamedTuple):
    """A release in fragments.

    parts : what was staged of each fragment
    total : what was counted of all of them
    votes : whether baskets are published by vote
    """

    parts: tuple[Any, ...]
    total: Any
    votes: bool


# --- their way through the door: mixed at random, written, read back and compared

_PIECE = 1 << 15  # lines that are read back together: parsed, they are objects of Python


class FragmentWriting(PartWriting):
    """What the door asks of baskets in fragments; every fragment was judged as staged."""

    nested = ("items", "uncertain")

    def of_parts(self) -> Iterator[pl.DataFrame]:
        """The cells of each fragment."""
        return (pl.read_parquet(part.path) for part in self._release.parts)

    def of_file(self) -> Iterator[pl.DataFrame]:
        """The cells of the public file, in pieces."""
        for cells in line_pieces(self.place, self.nested, records=_PIECE):
            if cells.columns != self.draft.frame.columns:
                raise other_records_error()
            yield cells

    def verdict(self) -> Verdict:
        """What was said of the fragments."""
        return self.draft.judge(self.draft.frame)


@dataclass(frozen=True, repr=False)
class FragmentedBaskets(BasketsAside):
    """Baskets in files, with a label or none."""

    parts: RawBaskets = field(kw_only=True)

    @cached_property
    def inputs(self) -> Mapping[str, Any]:
        """What methods of baskets take; none of it holds a record."""
        return {"baskets": self.baskets, "hierarchy": self.hierarchy, "label": self.label}

    def guard(self, claim: Claim | None) -> None:
        """Refuse also labels that are missing: a method, who sees one fragment, cannot tell where."""
        super().guard(claim)
        counts = self.table.counts
        if self.label is not None and counts is not None and getattr(claim, "l", None) is not None:
            gone = sum(
                int(many) for value, many in zip(self.label.values, counts, strict=True) if value is None
            )
            if gone:
                raise InputError(
                    f"column '{self.label.name}': {gone} records have no label, which counts as no label of its own; "
                    "give them one, such as 'unknown', or leave them out"
                )

    def guard_released(self, result: Result[Any]) -> None:
        """Let all pass: labels that follow from items were looked for in each fragment as it was made."""

    @property
    def options(self) -> Mapping[str, Any]:
        """What a method of such data is asked for, unless somebody asks otherwise: to work on fragments."""
        return {"fragment": FRAGMENT}

    def in_fragments(
        self, method: str, inputs: Mapping[str, Any], claim: Claim, options: Mapping[str, Any], **more: Any
    ) -> Result[FragmentedRelease]:
        """Have a method work on fragments of the records; each is written aside and judged at once."""
        from shoal.algorithms.basket_files import in_basket_files  # kernels are heavy

        every, progress = in_threads(cores()), more["progress"]
        shared = {key: value for key, value in inputs.items() if key == "hierarchy"}
        folder, stage = (self._folder(name) for name in ("made", "staged"))
        found = in_basket_files(
            method, self.parts, shared, claim, options, folder=folder, mapper=every, **more
        )
        progress("judging fragments")
        rule = self.hierarchy if "hierarchy" in shared else None
        staged = sorted(
            staged_fragments(found, rule, stage, self.key, every, self.allow), key=lambda one: one.number
        )
        release = FragmentedRelease(
            tuple(staged), reduce(add, (one.counts for one in staged)), METHODS[method].theme.votes
        )
        return Result(release, claim, None, {"fragments": len(staged)})

    def _folder(self, name: str) -> Path:
        folder = self.room.path / name
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def assemble(self, release: Any) -> pl.DataFrame:
        """The released columns, without any record."""
        return pl.read_parquet(release.parts[0].path, n_rows=0)

    def judge(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Judge the claim: if every fragment keeps it, their union does (docs/inside/fragments.md)."""
        said = [part.claim for part in result.release.parts]
        return joint_verdict(
            said, f"each of {len(said)} fragments keeps the claim, and so do all: {said[0].sentence}"
        )

    def truth(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Check every cell against the record that it stems from, fragment by fragment."""
        said = [part.truth for part in result.release.parts]
        return joint_verdict(said, f"{said[0].sentence}, in all {self.records} records")

    def groups(self, release: Any) -> Groups:
        """None but for items that are spelled like one: methods of fragments publish values of the hierarchy."""
        return {} if release.votes else name_groups((), release.total.facts.after)

    def counts(self, release: Any) -> dict[str, int]:
        """Records in and out; the classes are the different baskets published."""
        kept = sum(part.records for part in release.parts)
        gone = sum(part.suppressed for part in release.parts)
        return counts_of(self.records, kept, len(release.total.kinds), gone)

    def count_release(self, release: Any) -> PartCounts:
        """What was counted when the fragments were made."""
        total: PartCounts = release.total
        return total

    def count_untold(self, release: Any) -> tuple[int, int]:
        """What was counted when the fragments were made."""
        return sum(part.untold for part in release.parts), sum(part.records for part in release.parts)

    def notes(self, release: Any) -> list[dict[str, Any]]:
        """Whether only one item is published."""
        return self.noted(len(release.total.facts.after))


# --- what is counted of each fragment, for pages, manifest and door


def _count_fragment(data: BasketData, cells: pl.DataFrame, result: Result[Any], key: int) -> PartCounts:
    """Count the records of one fragment; `key` is a random number that hashes are made with."""
    release = result.release
    start, items, entries = read_lists(cells["items"])
    held = np.bincount(items, minlength=len(entries)).tolist()
    return PartCounts(
        BasketCounts(
            np.bincount(data.baskets.items, minlength=len(data.baskets.values)),
            Counter(dict(zip(entry_words(entries), held, strict=True))),
            Counter(histogram(np.diff(start))),
            count_flips(release, data.baskets) if data.votes else None,
        ),
        LossSums.of(
            data.case(result, {"parameters": {}}),
            items=len(data.baskets.items),
            records=release.records,
            shown=len(release.items),
        ),
        DistinctCounter.of(cells["items"].hash(key).to_numpy()),
    )


# --- cells of each fragment: written aside, read back, and judged where they lie


@dataclass(frozen=True, slots=True, repr=False)
class StagedFragment(SafeRepr):
    """A fragment as it will be published.

    number     : which of the fragments it is
    path       : a private parquet file of its released cells, in an order that tells whose they are
    records    : how many records it has
    suppressed : how many items were left out of them
    untold     : how many records tell nothing
    claim, truth : what the judges say of the file
    counts     : what is counted of it for pages, manifest and door
    """

    number: int
    path: Path
    records: int
    suppressed: int
    untold: int
    claim: Verdict
    truth: Verdict
    counts: PartCounts

    def facts(self) -> dict[str, object]:
        """What may be shown: counts and verdicts."""
        return {"records": self.records, "claim": self.claim.word, "truth": self.truth.word}


def staged_fragments(
    found: "BasketFragments",
    hierarchy: Hierarchy | None,
    folder: Path,
    key: int,
    mapper: Mapper,
    allow: frozenset[str] = frozenset(),
) -> Iterator[StagedFragment]:
    """Write the released cells of every fragment to a private file below `folder`, and judge each file.

    Parameters
    ----------
    found
        What `in_basket_files` returned.
    hierarchy
        Of the items, where the method used one.
    folder
        A private folder, which goes when the door closes.
    key
        A random number that records are hashed with.
    mapper
        What runs the tasks; answers come in its order.
    allow
        Columns to publish whatever they tell.

    Raises
    ------
    InputError
        The label follows from an item and leaves somebody of a fragment too few look-alikes.
    """
    return mapper(partial(_staged, found, hierarchy, allow, folder, key), range(len(found.lots)))


def _staged(
    found: "BasketFragments",
    hierarchy: Hierarchy | None,
    allow: frozenset[str],
    folder: Path,
    key: int,
    number: int,
) -> StagedFragment:
    """The task: one fragment."""
    originals, result = found.open(number)
    data = _bound(originals, hierarchy, allow, result.claim.votes)
    data.guard_released(result)
    path = folder / f"{number:06}.parquet"
    with atomic_write(path) as aside:
        data.assemble(result.release).write_parquet(aside)
    cells = pl.read_parquet(path)
    return StagedFragment(
        number,
        path,
        cells.height,
        getattr(result.release, "suppressed", 0),
        data.count_untold(result.release)[0],
        _claimed(data, cells, result),
        data.truth(cells, result),
        _count_fragment(data, cells, result, key),
    )


def _bound(
    originals: dict[str, Any], hierarchy: Hierarchy | None, allow: frozenset[str], votes: bool
) -> BasketData:
    """The originals of a fragment as the door knows baskets."""
    baskets, label = originals["baskets"], originals.get("label")
    labels = () if label is None else (label,)
    frame = pl.DataFrame([pl.Series(column.name, column.cells(), dtype=pl.String) for column in labels])
    kind = VoteData if votes else BasketData
    return kind(
        Source(frame),
        baskets,
        Table(labels),
        hierarchy or fanout(baskets.name, 2, baskets.values),
        {column.name: "sensitive" for column in labels},
        allow,
    )


def _claimed(data: BasketData, cells: pl.DataFrame, result: Result[Any]) -> Verdict:
    """What the judge says; baskets by vote are judged by the method's proof, which needs no possible worlds."""
    if not data.votes:
        return data.judge(cells, result)
    assert isinstance(result.claim, Nonreciprocal)
    label = data.label
    seen = published_bits(cells, data.baskets, label, None if label is None else label.name)
    return result.claim.prove(seen, np.asarray(result.proof))
