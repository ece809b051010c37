"""Baskets that do not fit in memory: read into parts, published by one cut, written and judged where they lie."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from itertools import islice
from pathlib import Path
from typing import Any, Self

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
from shoal.data.lists import take
from shoal.data.types import I4, I8, U8
from shoal.engines.parts import in_threads
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import Config
from shoal.io.read.parts import PART, open_arrays, read_basket_parts, save_arrays
from shoal.io.read.source import Source
from shoal.io.write.json_text import read_lists
from shoal.io.write.table import on_disk, read_back, write
from shoal.privacy.support_counting import check_basket_parts
from shoal.publish.draft import Draft, refuse_unless
from shoal.publish.hierarchies import hierarchy_of
from shoal.publish.large.parts import (
    LossSums,
    PartWriting,
    Room,
    list_hashes,
    other_records,
    random_numbers,
    together,
)
from shoal.publish.shapes.baskets.data import BasketData
from shoal.publish.shapes.baskets.verification import item_cells, item_truth, judge_parts
from shoal.release import Claim, PublishedBaskets, RecodedBaskets, Result, Verdict
from shoal.report.facts import Audit
from shoal.utility import BasketCase, ranked

__all__ = [
    "BasketCounts",
    "BasketsAside",
    "LargeBasketWriting",
    "LargeBaskets",
    "added",
    "counted",
    "large_baskets",
    "published_of",
]


@dataclass(frozen=True, repr=False)
class BasketsAside(BasketData):
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

    @cached_property
    def key(self) -> int:
        """A random number that records are hashed with."""
        return int.from_bytes(os.urandom(8))

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[RecodedBaskets]:
        """Refuse: a stored recoding is applied to records in memory."""
        raise InputError(
            "recoding: the records are too many to be held in memory; recode them in several files"
        )

    def without_traces(self, result: Result[Any], remake: object = None) -> tuple[Self, Result[Any]]:
        """Both as they are: nothing was left out."""
        return self, result

    def size(self, release: Any) -> int:
        """Say none: records are shuffled when they are written."""
        return 0

    def shuffled(self, result: Result[Any], order: I8) -> Result[Any]:
        """The same: records are shuffled when they are written."""
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
        return together(said, f"{said[0].sentence}, in all {self.records} records")

    @cached_property
    def _counted(self) -> list[tuple[Any, Any]]:
        return []  # of each release what was counted; a number such as id(release) may be another's later

    def counted(self, release: Any) -> Any:
        """What is counted of the records, before and after (`BasketCounts`); once for each release."""
        for known, counts in self._counted:
            if known is release:
                return counts
        task = partial(_count, self.baskets, published_of(release).outline, self.hierarchy, self.key)
        found = added(self.parts.map(task, self.parts.parts))
        self._counted.append((release, found))
        return found

    def counts(self, release: Any) -> dict[str, int]:
        """Records in and out; the classes are the different baskets published."""
        return {
            "records_in": self.records,
            "records_out": self.records,
            "suppressed": 0,
            "suppressed_items": int(published_of(release).outline.suppressed),
            "classes": len(self.counted(release).kinds),
        }

    def losses(self, result: Result[Any], method: Mapping[str, Any], *, public: bool) -> dict[str, float]:
        """The losses that are means over records or items; queries are not asked of so many records."""
        found = self.counted(result.release).sums.means(public=public)
        return ranked(found, method["parameters"].get("loss"))

    def notes(self, release: Any) -> list[dict[str, Any]]:
        """Whether only one item is published."""
        return self.noted(int((self.counted(release).after > 0).sum()))

    def audit(self, draft: Draft) -> Audit:
        """The facts that the report and the audit tell, from counts; what needs all records at once is not told."""
        from shoal.publish.shapes.baskets.audit import audit_of, by_frequency, guesses_of

        made = published_of(draft.result.release)
        counts = self.counted(made)
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


def _count(outline: Baskets, release: RecodedBaskets, hierarchy: Hierarchy, key: int, part: Path) -> Any:

    return counted(basket_part(outline, part), published_part(release, part), hierarchy, key)


# --- what is counted of each part, for pages, manifest and door


@dataclass(frozen=True, slots=True)
class BasketCounts:
    """Counts of some records.

    before, after : for each item, or published form, how many records hold it
    lengths : for each number of published items, how many records have it
    sums    : what they lose
    kinds   : uint64, a hash of each different released basket
    digest  : the sum of the hashes of all released baskets, modulo 2^64
    """

    before: I8
    after: I8
    lengths: Counter[int]
    sums: LossSums
    kinds: U8
    digest: int


def counted(baskets: Baskets, release: RecodedBaskets, hierarchy: Hierarchy, key: int) -> BasketCounts:
    """Count the records of one part; `key` is a random number that hashes are made with."""
    sizes, times = np.unique(np.diff(release.start), return_counts=True)
    hashes = list_hashes(release.start, release.items, key)
    return BasketCounts(
        np.bincount(baskets.items, minlength=len(baskets.values)),
        np.bincount(release.items, minlength=len(release.forms.labels)),
        Counter(dict(zip(sizes.tolist(), times.tolist(), strict=True))),
        LossSums.of(
            BasketCase(release, baskets, hierarchy),
            items=len(baskets.items),
            records=release.records,
            shown=len(release.items),
        ),
        np.unique(hashes),
        int(hashes.sum(dtype=np.uint64)),
    )


def added(parts: Iterable[BasketCounts]) -> BasketCounts:
    """The counts of all parts."""
    return reduce(_both, parts)


def _both(one: BasketCounts, other: BasketCounts) -> BasketCounts:
    return BasketCounts(
        one.before + other.before,
        one.after + other.after,
        one.lengths + other.lengths,
        one.sums + other.sums,
        np.union1d(one.kinds, other.kinds),
        (one.digest + other.digest) % 2**64,
    )


# --- their way through the door: written in random order, read back in pieces, judged by counts


@dataclass(frozen=True)
class LargeBasketWriting(PartWriting):
    """What the door asks of large baskets, which are written as ndjson."""

    def write(self) -> None:
        """Write what the parts publish in random order: records go to random buckets, which are shuffled one by one."""
        many = -(-self._data.records // PART)
        pieces: list[list[Path]] = [[] for _ in range(many)]
        for number, part in enumerate(published_of(self._release).parts):
            made = published_part(self._outline, part)
            bucket = random_numbers(len(made.rows)) % np.uint64(many)
            for place in range(many):
                some = take(made.start, made.items, np.flatnonzero(bucket == place))
                pieces[place].append(_kept(self.stage / f"bucket-{place:05}" / f"{number:05}", *some))
        with on_disk(self.place) as file:
            for paths in pieces:
                file.write(self._lines(*_joined(paths)))

    def _lines(self, start: I8, items: I4) -> bytes:
        """Records in random order as they are written."""
        order = np.argsort(random_numbers(len(start) - 1), kind="stable")
        begins, moved = take(start, items, order)
        made = replace(self._outline, start=begins, items=moved)
        piece = self.stage / "piece.ndjson"
        frame = pl.DataFrame([item_cells("items", made, self._data.baskets.values)])
        write(frame, piece, "ndjson", nested=["items"])
        return piece.read_bytes()

    def judge(self) -> None:
        """Judge what was written by counts of its own, and its truth by what lies beside the originals.

        Raises
        ------
        RefusedError
            The file does not keep the claim, does not tell the truth, or is not what the parts publish.
        """
        parts, records, digest = [], 0, 0
        for number, (start, items) in enumerate(self._read()):
            parts.append(_kept(self.stage / f"read-{number:05}", start, items))
            hashes = list_hashes(start, items, self._data.key)
            records, digest = records + len(start) - 1, digest + int(hashes.sum(dtype=np.uint64))
        if (records, digest % 2**64) != (self._data.records, self._data.counted(self._release).digest):
            raise other_records()
        claim: Any = self.draft.claim
        labels = [str(label) for label in self._outline.forms.labels]
        judged = judge_parts(claim, parts, labels, self._data.hierarchy, frozenset(), self._data.parts.map)
        refuse_unless(judged, self.draft.truth(self.draft.frame))

    def _read(self) -> Iterator[tuple[I8, I4]]:
        """The records of the public file in pieces, in places of the release's forms, ascending."""
        code = {label: place for place, label in enumerate(self._outline.forms.labels)}
        piece = self.stage / "read.ndjson"
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
                yield start, own[items]

    @property
    def _data(self) -> LargeBaskets:
        assert isinstance(self.draft.dataset, LargeBaskets)
        return self.draft.dataset

    @property
    def _outline(self) -> RecodedBaskets:
        return published_of(self._release).outline


def _kept(folder: Path, start: I8, items: I4) -> Path:
    """Write baskets into a folder of their own."""
    folder.mkdir(parents=True, mode=0o700)
    save_arrays(folder, start=start, items=items)
    return folder


def _joined(parts: list[Path]) -> tuple[I8, I4]:
    """The baskets of several folders behind each other."""
    found = [open_arrays(part, "start", "items") for part in parts]
    sizes = np.concatenate([np.diff(start) for start, _ in found])
    return np.r_[0, np.cumsum(sizes)].astype(np.int64), np.concatenate([items for _, items in found])
