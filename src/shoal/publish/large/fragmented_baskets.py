"""Baskets that do not fit in memory, for makers that work on fragments: each is made, written and judged by itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.data import Baskets, Column, Role, Table
from shoal.data.types import I8
from shoal.engines.parts import cores, in_threads
from shoal.errors import InputError
from shoal.hierarchy.rules import fanout
from shoal.io.config import Config
from shoal.io.read.parts import RawBaskets, open_arrays, read_basket_parts
from shoal.io.read.source import Source
from shoal.progress import Progress
from shoal.publish.draft import Draft
from shoal.publish.hierarchies import hierarchy_of
from shoal.publish.large.baskets_aside import BasketsAside
from shoal.publish.large.room import Room
from shoal.publish.large.tree_data import together
from shoal.release import Claim, Result, Verdict
from shoal.report.facts import Audit
from shoal.utility import ranked

__all__ = ["FRAGMENT", "FragmentedBaskets", "FragmentedRelease", "fragmented_baskets"]

FRAGMENT = 100_000
"""Records of a fragment, where nothing else is asked for."""


def fragmented_baskets(config: Config) -> "FragmentedBaskets":
    """Read the baskets that a configuration names into parts, which go when the dataset goes."""
    path = config.data.path
    assert path is not None
    given: dict[str, Role] = {name: spec.role for name, spec in config.columns.items()}
    name = next(column for column, role in given.items() if role == "items")
    label = next((column for column, role in given.items() if role == "sensitive"), None)
    spec, missing, room = config.columns[name], tuple(config.data.missing), Room()
    raw = read_basket_parts(path, room.path, name, label=label, separator=spec.separator, missing=missing)
    if not raw.n:
        raise InputError(f"{path.name}: no records; give at least one")
    rule = (
        fanout(name, 2, raw.values)
        if spec.hierarchy is None
        else hierarchy_of(name, spec.hierarchy, raw.values)
    )
    return FragmentedBaskets(
        Source(pl.DataFrame(), name=path.name, missing=config.data.missing),
        Baskets(name, raw.values, np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)),
        _labels(raw),
        rule,
        given,
        frozenset(column for column, spec in config.columns.items() if spec.allow),
        spec.hierarchy is not None,
        raw=raw,
        held=int(raw.counts.sum()),
        room=room,
    )


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


@dataclass(frozen=True, repr=False)
class FragmentedBaskets(BasketsAside):
    """Baskets in files, with a label or none."""

    raw: RawBaskets = field(kw_only=True)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records, items and parts there are, no item."""
        return {"shape": self.shape, **self.raw.facts()}

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.raw.n

    @cached_property
    def inputs(self) -> Mapping[str, Any]:
        """What makers of baskets take; none of it holds a record."""
        return {"baskets": self.baskets, "hierarchy": self.hierarchy, "label": self.label}

    def guard(self, claim: Claim | None) -> None:
        """Refuse also labels that are missing: a maker, who sees one fragment, cannot tell where."""
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

    def made(
        self,
        maker: str,
        shared: Mapping[str, Any],
        claim: Claim,
        options: Mapping[str, Any],
        size: int,
        rng: np.random.Generator | None,
        progress: Progress,
    ) -> Result[FragmentedRelease]:
        """Have a maker work on fragments of about so many records; each is written aside and judged at once."""
        from shoal.algorithms.fragments.basket_files import in_basket_files  # kernels are heavy
        from shoal.publish.large.fragment_counts import added
        from shoal.publish.large.fragment_stage import staged_fragments

        every = in_threads(cores())
        folder, stage = (self._folder(name) for name in ("made", "staged"))
        found = in_basket_files(
            maker,
            self.raw,
            shared,
            claim,
            options,
            size=size,
            folder=folder,
            mapper=every,
            rng=rng,
            progress=progress,
        )
        progress("judging fragments")
        rule = self.hierarchy if "hierarchy" in shared else None
        staged = sorted(
            staged_fragments(found, rule, stage, self.key, every, self.allow), key=lambda one: one.number
        )
        release = FragmentedRelease(
            tuple(staged), added(one.counts for one in staged), maker == "nonreciprocal"
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
        """Judge the claim: kept by every fragment, all fragments together keep it, as docs/fragments.md proves."""
        said = [part.claim for part in result.release.parts]
        return together(
            said, f"each of {len(said)} fragments keeps the claim, and so do all: {said[0].sentence}"
        )

    def truth(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Check every cell against the record that it stems from, fragment by fragment."""
        said = [part.truth for part in result.release.parts]
        return together(said, f"{said[0].sentence}, in all {self.records} records")

    def counts(self, release: Any) -> dict[str, int]:
        """Records in and out; the classes are the different baskets published."""
        kept = sum(part.records for part in release.parts)
        return {
            "records_in": self.records,
            "records_out": kept,
            "suppressed": self.records - kept,
            "suppressed_items": sum(part.suppressed for part in release.parts),
            "classes": len(release.total.kinds),
        }

    def losses(self, result: Result[Any], method: Mapping[str, Any], *, public: bool) -> dict[str, float]:
        """The losses that are means over records or items; queries are not asked of so many records."""
        return ranked(result.release.total.sums.means(public=public), method["parameters"].get("loss"))

    def notes(self, release: Any) -> list[dict[str, Any]]:
        """Whether only one item is published."""
        return self.noted(len(release.total.after))

    def audit(self, draft: Draft) -> Audit:
        """The facts that the report and the audit tell, from counts; what needs all records at once is not told."""
        from shoal.publish.baskets.audit import audit_of, by_frequency, wrong_items
        from shoal.utility.votes import bands

        total = draft.result.release.total
        before = by_frequency(self.raw.counts, self.raw.values)
        after = {name: many for name, many in total.after.most_common() if many}
        made = audit_of(draft, before, after, after, total.lengths)
        flips: tuple[I8, I8, I8] | None = total.flips
        return made if flips is None else replace(made, charts=wrong_items(bands(flips, self.records)))
