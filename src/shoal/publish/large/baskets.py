"""Baskets that do not fit in memory: published by one cut, or in fragments, written and judged where they lie.

In fragments each is made, written and judged by itself. That the union of all fragments keeps the claim which each of
them keeps is proved in docs/inside/fragments.md.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from operator import add
from pathlib import Path
from typing import Any, NamedTuple, Self

import narwhals as nw
import numpy as np
import polars as pl

from shoal.algorithms import METHODS
from shoal.algorithms.parts import (
    BasketParts,
    PublishedParts,
    basket_part,
    published_part,
)
from shoal.base.errors import InputError
from shoal.data import Baskets, Column, Role, Table
from shoal.hierarchy import Hierarchy
from shoal.io.config import Config
from shoal.io.read.parts import PART, scan_baskets, scan_columns
from shoal.io.read.source import Source, column_error
from shoal.io.write.groups import Groups, name_groups
from shoal.io.write.json_text import Entry, read_lists
from shoal.io.write.table import line_pieces
from shoal.parts.draws import RecordHasher, RunKey
from shoal.parts.folder import PrivateFolder
from shoal.parts.reading import build_dictionary, count_items, read_parts
from shoal.parts.records import Dictionary, Parts
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.privacy.support_counting import check_basket_parts
from shoal.publish.large.item_reading import ItemReader
from shoal.publish.large.parts import (
    BasketCounts,
    DistinctCounter,
    InParts,
    LossSums,
    PartCounts,
    joint_verdict,
    list_hashes,
)
from shoal.publish.part_writing import CellWriting, other_records_error
from shoal.release import Claim, PublishedBaskets, RecodedBaskets, Result, Verdict
from shoal.shapes.baskets.data import BasketData
from shoal.shapes.baskets.verification import item_cells, item_truth, judge_basket_parts
from shoal.shapes.hierarchies import hierarchy_of
from shoal.shapes.in_memory import counts_of
from shoal.shapes.released_values import histogram
from shoal.shapes.untold import find_uninformative_baskets
from shoal.utility import BasketCase

__all__ = [
    "FRAGMENT",
    "BasketsAside",
    "FragmentWriting",
    "FragmentedBaskets",
    "FragmentedRelease",
    "LargeBasketWriting",
    "LargeBaskets",
    "fragmented_baskets",
    "large_baskets",
    "published_of",
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


def large_baskets(config: Config, room: PrivateFolder) -> "LargeBaskets":
    """Read the baskets that a configuration names into parts inside `room`."""
    _, parts, told = _read(config, room)
    folders = BasketParts(told["baskets"], parts.n, parts.runs, room.mapper)
    return LargeBaskets(parts=folders, **told)


def _read(config: Config, room: PrivateFolder) -> tuple[Dictionary, Parts, dict[str, Any]]:
    """The items and labels, the records, and what a dataset of them is told whatever becomes of them."""
    path = config.data.path
    assert path is not None
    given: dict[str, Role] = {name: spec.role for name, spec in config.columns.items()}
    name = next(column for column, role in given.items() if role == "items")
    labels = [column for column, role in given.items() if role == "sensitive"]
    spec, missing = config.columns[name], tuple(config.data.missing)
    size = config.part or PART
    batches = partial(scan_baskets, path, size)
    for column in (name, *labels):
        if column not in (names := next(batches(), pl.DataFrame()).columns):
            raise column_error(
                Source(pl.DataFrame(schema=dict.fromkeys(names)), name=path.name), column, [name]
            )
    reader = ItemReader.of(config, name, path.name, missing, batches)
    items, records = count_items(batches(), reader)
    if not records:
        raise InputError(f"{path.name}: no records; give at least one")
    dictionary = Dictionary((), (), (), (), items)
    if labels:
        frame = nw.from_native(scan_columns(path, labels))
        dictionary = replace(build_dictionary(frame, path.name, missing, records), items=items)
    parts = read_parts(batches(), dictionary, missing, records, size, room.make("read"), reader)
    nothing = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    columns = tuple(
        Column(column, "sensitive", values, np.arange(len(values), dtype=np.int32))
        for column, values in zip(dictionary.names, dictionary.values, strict=True)
    )
    table = Table(columns, counts=dictionary.counts[0]) if columns else Table(())
    told = {
        "source": Source(pl.DataFrame(), name=path.name, missing=config.data.missing),
        "baskets": Baskets(name, items.values, *nothing),
        "table": table,
        "hierarchy": hierarchy_of(
            name, {"fanout": 2} if spec.hierarchy is None else spec.hierarchy, items.values
        ),
        "given": given,
        "allow": frozenset(column for column, spec in config.columns.items() if spec.allow),
        "ruled": spec.hierarchy is not None,
        "held": int(items.counts.sum()),
        "room": room,
    }
    return dictionary, parts, told


def published_of(release: Any) -> PublishedParts:
    """The release of parts."""
    assert isinstance(release, PublishedParts)
    return release


# --- their way through the door


class LargeBasketWriting(CellWriting):
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


def fragmented_baskets(config: Config, room: PrivateFolder) -> "FragmentedBaskets":
    """Read the baskets that a configuration names into parts inside `room`."""
    dictionary, parts, told = _read(config, room)
    return FragmentedBaskets(parts=parts, dictionary=dictionary, **told)


class FragmentedRelease(NamedTuple):
    """A release in fragments.

    parts  : what was staged of each fragment
    total  : what was counted of all of them
    votes  : whether baskets are published by vote
    hasher : what the digests of the fragments were made with
    """

    parts: tuple[Any, ...]
    total: Any
    votes: bool
    hasher: RecordHasher


# --- their way through the door: mixed at random, written, read back and compared

_PIECE = 1 << 15  # lines that are read back together: parsed, they are objects of Python


class FragmentWriting(CellWriting):
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
    """Baskets in parts, with a label or none.

    dictionary : the items, and the distinct labels
    """

    parts: Parts = field(kw_only=True)
    dictionary: Dictionary = field(kw_only=True)

    @property
    def buckets(self) -> int:
        """In how many pieces records are shuffled."""
        return len(self.parts)

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
        from shoal.publish.large.basket_making import make_basket_fragments  # kernels are heavy

        shared = {key: value for key, value in inputs.items() if key == "hierarchy"}
        asked = more["size"], more["rng"], self.room.mapper, more["progress"]
        hasher = self.dictionary.hasher(RunKey.of(None).derive("digest"))
        staged = make_basket_fragments(self, method, shared, claim, options, *asked, hasher)
        total = reduce(add, (part.counts for part in staged))
        release = FragmentedRelease(staged, total, METHODS[method].theme.votes, hasher)
        return Result(release, claim, None, {"fragments": len(staged)})

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
        if not self._holds_all(result.release):
            return Verdict(False, "the fragments have other records than were read")
        return joint_verdict(said, f"{said[0].sentence}, in all {self.records} records")

    def _holds_all(self, release: FragmentedRelease) -> bool:
        """Whether the originals of all fragments are those that were read, by a keyed sum."""
        total = 0
        for number in range(len(self.parts)):
            records = self.parts.read_records(number)
            total += int(release.hasher(records.codes, records.start, records.items).sum(dtype=np.uint64))
        return bool((total - sum(part.digest for part in release.parts)) % 2**64 == 0)

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
