"""Baskets that do not fit in memory: read into parts, published by one cut, written and judged where they lie."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import islice
from operator import add
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
import polars as pl

from shoal.algorithms.itemsets.basket_parts import (
    BasketParts,
    PublishedParts,
    basket_part,
    coded_parts,
    published_part,
)
from shoal.data import Baskets, Table
from shoal.data.arrays import I8, take
from shoal.engines.parts import in_threads
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import Config
from shoal.io.read.parts import PART, open_arrays, read_basket_parts, save_arrays
from shoal.io.read.source import Source
from shoal.io.write.json_text import read_lists
from shoal.io.write.table import read_back, write
from shoal.privacy.support_counting import check_basket_parts
from shoal.publish.draft import Draft
from shoal.publish.hierarchies import hierarchy_of
from shoal.publish.large.parts import (
    InParts,
    LossSums,
    PartCounts,
    PartWriting,
    Room,
    joint_verdict,
    list_hashes,
    other_records,
)
from shoal.publish.shapes.baskets.data import BasketData
from shoal.publish.shapes.baskets.verification import item_cells, item_truth, judge_basket_parts
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
    parts = coded_parts(raw, in_threads(os.cpu_count() or 1))
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


@dataclass(frozen=True, repr=False)
class LargeBaskets(BasketsAside):
    """Baskets in parts, without sensitive items or columns beside them."""

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
    hashes = list_hashes(release.start, release.items, key)
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
        np.unique(hashes),
        int(hashes.sum(dtype=np.uint64)),
    )


# --- their way through the door


@dataclass(frozen=True)
class LargeBasketWriting(PartWriting[RecodedBaskets]):
    """What the door asks of large baskets, which are written as ndjson."""

    @property
    def at_once(self) -> int:
        """How many records are shuffled together."""
        return PART

    def of_parts(self) -> Iterator[RecodedBaskets]:
        """What each part publishes."""
        return (published_part(self._outline, part) for part in self._release.parts)

    def of_file(self) -> Iterator[RecodedBaskets]:
        """The records of the public file in pieces, in places of the release's forms."""
        code = {label: place for place, label in enumerate(self._outline.forms.labels)}
        piece = self.stage / "piece.ndjson"
        with self.place.open("rb") as file:
            while lines := list(islice(file, PART)):
                piece.write_bytes(b"".join(lines))
                start, items, entries = read_lists(read_back(piece, "ndjson", nested=["items"])["items"])
                own = np.array(
                    [code.get(entry, -1) if isinstance(entry, str) else -1 for entry in entries],
                    dtype=np.int32,
                )
                if (own < 0).any():
                    raise other_records()
                yield replace(self._outline, start=start, items=own[items])

    def number(self, records: RecodedBaskets) -> int:
        """How many there are."""
        return len(records.start) - 1

    def take(self, records: RecodedBaskets, rows: I8) -> RecodedBaskets:
        """Some records, in this order."""
        start, items = take(records.start, records.items, rows)
        return replace(records, start=start, items=items)

    def save(self, records: RecodedBaskets, place: Path) -> None:
        """Write records into a private folder."""
        place.mkdir(mode=0o700)
        save_arrays(place, start=records.start, items=records.items)

    def load(self, places: Sequence[Path]) -> RecodedBaskets:
        """Records that were saved, behind each other."""
        found = [open_arrays(place, "start", "items") for place in places]
        sizes = np.concatenate([np.diff(start) for start, _ in found])
        start = np.r_[0, np.cumsum(sizes)].astype(np.int64)
        return replace(self._outline, start=start, items=np.concatenate([items for _, items in found]))

    def append(self, records: RecodedBaskets, file: BinaryIO) -> None:
        """Write records behind those of the public file."""
        piece = self.stage / "piece.ndjson"
        frame = pl.DataFrame([item_cells("items", records, self._data.baskets.values)])
        write(frame, piece, "ndjson", nested=["items"])
        file.write(piece.read_bytes())

    def digest(self, records: RecodedBaskets) -> int:
        """The sum of the hashes of records."""
        return int(list_hashes(records.start, records.items, self._data.key).sum(dtype=np.uint64))

    def verdict(self) -> Verdict:
        """Judge the claim on the pieces that were read back."""
        claim: Any = self.draft.claim
        labels = [str(label) for label in self._outline.forms.labels]
        data = self._data
        return judge_basket_parts(claim, self._pieces, labels, data.hierarchy, frozenset(), data.parts.map)

    @property
    def _outline(self) -> RecodedBaskets:
        return published_of(self._release).outline
