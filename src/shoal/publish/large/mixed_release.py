"""A released table with baskets in fragments: each as it was staged, and all of them by class."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.data.arrays import I4, I8
from shoal.hierarchy import Hierarchy
from shoal.io.read.parts import open_arrays
from shoal.parts.records import Parts, Records
from shoal.publish.large.fragment_release import StagedTableFragment, TableInFragments
from shoal.publish.large.parts import LossSums
from shoal.release import Published, PublishedBaskets, PublishedMixed, PublishedValues, RecodedBaskets
from shoal.shapes.baskets.verification import list_published_entries, number_entries

__all__ = ["ItemFigures", "MixedInFragments", "StagedMixedFragment"]


@dataclass(frozen=True, slots=True)
class ItemFigures:
    """What is counted of the items of some records; figures are added.

    suppressed : how many items were left out
    untold     : how many records tell nothing
    losses     : what their items lose
    """

    suppressed: int
    untold: int
    losses: LossSums

    def __add__(self, other: "ItemFigures") -> "ItemFigures":
        """Return the figures of both."""
        return ItemFigures(
            self.suppressed + other.suppressed, self.untold + other.untold, self.losses + other.losses
        )


@dataclass(frozen=True, slots=True, repr=False)
class StagedMixedFragment(StagedTableFragment):
    """A fragment as it will be published: `folder` holds its items, too, and those of its originals.

    items   : what its items publish
    counts  : int64[items], how many records hold each of these
    figures : what is counted of its items
    """

    items: PublishedValues
    counts: I8
    figures: ItemFigures

    def read_items(self) -> tuple[I8, I4]:
        """The released baskets, as places in `items`."""
        start, items = open_arrays(self.folder, "start", "items")
        return np.array(start), np.array(items)

    def read_originals(self) -> Records:
        """The records that came in, row for row."""
        start, items = open_arrays(self.folder, "original_start", "original_items")
        return Records(self.originals(), np.array(start), np.array(items))


@dataclass(frozen=True, repr=False)
class MixedInFragments(SafeRepr):
    """A released table with baskets in fragments.

    table   : the table, whose rows are its classes
    baskets : what items publish, each published form once, all in one row
    held    : int64[forms], how many records hold each of these
    places  : by fragment, the place in the forms of each of its own
    figures : what is counted of all items
    classes : the released records by class, each class whole in one part; items are places in the forms
    """

    table: TableInFragments
    baskets: RecodedBaskets
    held: I8
    places: tuple[I4, ...]
    figures: ItemFigures
    classes: Parts

    def facts(self) -> dict[str, object]:
        """What may be shown: counts."""
        return self.table.facts()

    @property
    def staged(self) -> tuple[Any, ...]:
        """The fragments."""
        return self.table.staged

    @property
    def counts(self) -> I8:
        """How many records each class has."""
        assert self.table.counts is not None
        return self.table.counts

    def baskets_of(self, number: int) -> RecodedBaskets:
        """The released baskets of one fragment."""
        start, items = self.staged[number].read_items()
        place, n = self.places[number], len(start) - 1
        return replace(
            self.baskets, start=start, items=place[items], rows=np.arange(n), records=n, suppressed=0
        )

    def lots(
        self, values: tuple[str, ...], tree: Hierarchy, secrets: frozenset[str]
    ) -> Iterator[tuple[PublishedMixed, I8]]:
        """The records bucket by bucket as judges see them, and their numbers."""
        entries = list_published_entries(self.baskets, values)
        numbers, secret = number_entries(entries, tree, secrets)
        texts = [forms.texts() for forms in self.table.forms]
        first = 0
        for bucket, size in enumerate(self.classes.sizes):
            if not size:
                continue
            records = self.classes.read_records(bucket)
            assert records.start is not None
            items = numbers[records.items] if len(records.items) else records.items.astype(np.int64)
            quasi = {
                name: labels[records.codes[:, j]].astype(np.int64)
                for j, (name, labels) in enumerate(zip(self.table.names, texts, strict=True))
            }
            yield (
                PublishedMixed(Published(quasi), PublishedBaskets(records.start, items, secret)),
                np.arange(first, first + size),
            )
            first += size
