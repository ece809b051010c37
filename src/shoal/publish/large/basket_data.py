"""Baskets that do not fit in memory: read into parts, published by one cut and judged where they lie."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

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
from shoal.engines.parts import in_threads
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import Config
from shoal.io.read.parts import PART, read_basket_parts
from shoal.io.read.source import Source
from shoal.privacy.support_counting import check_basket_parts
from shoal.publish.baskets.item_cells import item_cells, item_truth
from shoal.publish.draft import Draft
from shoal.publish.hierarchies import hierarchy_of
from shoal.publish.large.baskets_aside import BasketsAside
from shoal.publish.large.room import Room
from shoal.publish.large.tree_data import together
from shoal.release import PublishedBaskets, RecodedBaskets, Result, Verdict
from shoal.report.facts import Audit
from shoal.utility import ranked

__all__ = ["LargeBaskets", "large_baskets", "published_of"]


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
        """What makers of baskets take."""
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
        from shoal.publish.large.basket_counts import added  # not needed to open data

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
        from shoal.publish.baskets.audit import audit_of, by_frequency, guesses_of

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
    from shoal.publish.large.basket_counts import counted

    return counted(basket_part(outline, part), published_part(release, part), hierarchy, key)
