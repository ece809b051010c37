"""Baskets that do not fit in memory: read into parts, published by one cut, written and judged where they lie."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from operator import add
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl

from shoal.algorithms.parts import (
    BasketParts,
    PublishedParts,
    basket_part,
    coded_basket_parts,
    published_part,
)
from shoal.data import Baskets, Table
from shoal.engines import in_threads
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import Config
from shoal.io.read.parts import PART, read_basket_parts, save_arrays
from shoal.io.read.source import Source
from shoal.io.write.groups import Groups, name_groups
from shoal.io.write.json_text import Entry, read_lists
from shoal.io.write.table import line_pieces
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.privacy.support_counting import check_basket_parts
from shoal.publish.draft import Draft
from shoal.publish.hierarchies import hierarchy_of
from shoal.publish.large.parts import (
    Different,
    InParts,
    LossSums,
    PartCounts,
    Room,
    joint_verdict,
    list_hashes,
)
from shoal.publish.shapes.baskets.data import BasketData
from shoal.publish.shapes.baskets.verification import item_cells, item_truth, judge_basket_parts
from shoal.publish.writing import CellWriting, other_records
from shoal.release import PublishedBaskets, RecodedBaskets, Result, Verdict
from shoal.report.facts import Audit
from shoal.utility import BasketCase

__all__ = [
    "BasketsAside",
    "LargeBasketWriting",
    "LargeBaskets",
    "large_baskets",
    "published_of",
]


@dataclass(frozen=True, repr=False)
class BasketsAside(InParts, BasketData):
    """Baskets in files of their own; `baskets` has their items, and no record.

    held : how many items the records hold together
    room : the folder of the files; it goes with the dataset
    """

    held: int = field(kw_only=True)
    room: Room = field(kw_only=True)

    @property
    def cells(self) -> int:
        """How many items a method looks at."""
        return self.held

    def without_traces(self, result: Result[Any], remake: object = None) -> tuple[Self, Result[Any]]:
        """Both as they are: nothing was left out."""
        return self, result

    def spelled_out(self, result: Result[Any]) -> Result[Any]:
        """The same: methods of parts publish values of the hierarchy, and no groups."""
        return result

    def noted(self, shown: int) -> list[dict[str, Any]]:
        """Whether only one item is published; `shown` is how many different ones are."""
        few = shown <= 1 and self.records > 1
        return [{"kind": "one value", "column": "items", "count": self.records}] if few else []


# --- baskets in parts


def large_baskets(config: Config) -> "LargeBaskets":
    """Read the baskets that a configuration names into parts, which go when the dataset goes."""
    path = config.data.path
    assert path is not None
    ((name, spec),) = config.columns.items()
    room = Room()
    raw = read_basket_parts(
        path, room.path, name, separator=spec.separator, missing=tuple(config.data.missing), records=PART
    )
    if not raw.n:
        raise InputError(f"{path.name}: no records; give at least one")
    parts = coded_basket_parts(raw, in_threads(os.cpu_count() or 1))
    assert spec.hierarchy is not None
    source = Source(pl.DataFrame(), name=path.name, missing=config.data.missing)
    hierarchy = hierarchy_of(name, spec.hierarchy, raw.values)
    held = int(raw.counts.sum())
    return LargeBaskets(
        source, parts.outline, Table(()), hierarchy, {name: "items"}, parts=parts, held=held, room=room
    )


def published_of(release: Any) -> PublishedParts:
    """The release of parts."""
    assert isinstance(release, PublishedParts)
    return release


# --- their way through the door


class LargeBasketWriting(CellWriting):
    """What the door asks of baskets in parts: they are judged by sums over what was read back."""

    nested = ("items",)

    @property
    def at_once(self) -> int:
        """How many records are shuffled together."""
        return PART

    def of_parts(self) -> Iterator[pl.DataFrame]:
        """The cells of each part."""
        values = self._data.baskets.values
        for part in self._release.parts:
            yield pl.DataFrame([item_cells("items", published_part(self._outline, part), values)])

    def of_file(self) -> Iterator[pl.DataFrame]:
        """The cells of the public file, in pieces."""
        return line_pieces(self.place, self.stage, self.nested, records=PART)

    def keep_piece(self, records: pl.DataFrame, place: Path) -> None:
        """Keep the lists of a piece, in places of the release's forms."""
        start, items, entries = read_lists(records["items"])
        own = np.array([self._code.get(entry, -1) for entry in entries], dtype=np.int32)
        if (own < 0).any():
            raise other_records()
        place.mkdir(mode=0o700)
        save_arrays(place, start=start, items=own[items])

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

    way = LargeBasketWriting

    parts: BasketParts = field(kw_only=True)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records, items and parts there are, no item."""
        return {"shape": self.shape, **self.parts.facts()}

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.parts.n

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What methods of baskets take."""
        return {"baskets": self.parts, "hierarchy": self.hierarchy}

    def groups(self, release: Any) -> Groups:
        """None but for items that are spelled like one: one cut publishes values of the hierarchy."""
        counts, labels = self.count_once(release).after, published_of(release).outline.forms.labels
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
        task = partial(_truth, self.baskets, published_of(result.release).outline, self.hierarchy)
        said = list(self.parts.map(task, self.parts.parts))
        return joint_verdict(said, f"{said[0].sentence}, in all {self.records} records")

    def count_release(self, release: Any) -> PartCounts:
        """Count the records, before and after."""
        task = partial(_count, self.baskets, published_of(release).outline, self.hierarchy, self.key)
        return reduce(add, self.parts.map(task, self.parts.parts))

    def notes(self, release: Any) -> list[dict[str, Any]]:
        """Whether only one item is published."""
        return self.noted(int((self.count_once(release).after > 0).sum()))

    def audit(self, draft: Draft) -> Audit:
        """The facts that the report and the audit tell, from counts; what needs all records at once is not told."""
        from shoal.publish.shapes.baskets.audit import audit_of, by_frequency, guesses_of

        made = published_of(draft.result.release)
        counts = self.count_once(made)
        labels = [str(label) for label in made.outline.forms.labels]
        before = by_frequency(counts.before, self.baskets.values)
        guess = guesses_of(made.outline.forms, counts.after, self.baskets.values)
        return audit_of(
            draft, before, by_frequency(counts.after, labels), guess, counts.lengths, self.hierarchy
        )


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
        np.bincount(baskets.items, minlength=len(baskets.values)),
        np.bincount(release.items, minlength=len(release.forms.labels)),
        PartCounts.of_lengths(release.start),
        LossSums.of(
            BasketCase(release, baskets, hierarchy),
            items=len(baskets.items),
            records=release.records,
            shown=len(release.items),
        ),
        Different.of(list_hashes(release.start, release.items, key)),
    )
