"""How a table with baskets in parts is made fragment by fragment, and how fragments become one release."""

from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from shoal.algorithms.fragments import Fragment, make_one, unite_forms
from shoal.base.errors import RefusedError
from shoal.data import Baskets, Mixed, Table
from shoal.data.arrays import I8
from shoal.engines import Mapper
from shoal.hierarchy import Hierarchy
from shoal.io.read.parts import save_arrays
from shoal.parts.judging import ClassBuckets
from shoal.parts.records import BASKETS, Parts, Records, RunParts, exchange, write_run
from shoal.publish.large.fragment_making import FragmentTask, Span, count_group_sizes, unite_fragments
from shoal.publish.large.fragment_release import StagedTableFragment, columns_of_codes
from shoal.publish.large.mixed_release import ItemFigures, MixedInFragments, StagedMixedFragment
from shoal.publish.large.parts import LossSums
from shoal.release import (
    RecodedBaskets,
    RecodedMixed,
)
from shoal.risks.dependencies import ItemSources
from shoal.shapes.baskets.verification import (
    exempt_items,
    item_weights,
)
from shoal.shapes.untold import count_untold
from shoal.utility import BasketCase

__all__ = ["MixedFragmentTask", "unite_mixed_fragments"]


@dataclass(frozen=True, slots=True, repr=False)
class MixedFragmentTask(FragmentTask):
    """Makes a fragment of a table with baskets.

    baskets : the name, the values and the sensitive ones of the items, of no record
    rule    : the hierarchy of the items that the method takes; None where it takes none
    tree    : the one by which items are counted
    """

    baskets: Baskets
    rule: Hierarchy | None
    tree: Hierarchy

    def __call__(self, sent: tuple[int, Span]) -> tuple[int, StagedTableFragment | str]:
        """Make the fragment of that number; say why where nothing could be made of it."""
        number, span = sent
        records = self.fragments.read_records(span.first, span.last)
        hashes = self.hasher(records.codes, records.start, records.items)
        records = records.take(np.argsort(hashes, kind="stable"))  # in one order, wherever they lay
        assert records.start is not None
        table = Table(columns_of_codes(self.dictionary, self.origin, records.codes))
        baskets = replace(self.baskets, start=records.start, items=records.items)
        _, made = make_one(
            self.method,
            {"hierarchies": self.hierarchies, "item_hierarchy": self.rule},
            self.claim,
            self.options,
            Fragment(number, {"mixed": Mixed(table, baskets)}, (self.seed, span.first, span.last)),
        )
        if isinstance(made, str):
            return number, made
        release: RecodedMixed = made.release
        if not np.array_equal(release.table.rows, np.arange(len(records))):
            raise RefusedError(
                f"method {self.method}: it left out records that it must keep; nothing was written"
            )
        leaves = np.stack([self.hierarchies[column.name].encode(column) for column in table.quasi], axis=1)
        held = ItemSources(baskets, release.baskets)
        measured = span.first in self.measured
        telling = self._guard(table, leaves, release.table, measured=measured, held=held)
        place = self.folder / f"{span.first:06}-{span.last:06}"
        place.mkdir(mode=0o700, exist_ok=True)
        released = np.concatenate([release.table.codes, records.codes[:, len(release.table.names) :]], axis=1)
        save_arrays(place, codes=released, originals=records.codes)
        save_arrays(place, start=release.baskets.start, items=release.baskets.items)
        save_arrays(place, original_start=records.start, original_items=records.items)
        forms = release.baskets.forms
        staged = StagedMixedFragment(
            number, place, len(records), release.table.forms, count_group_sizes(leaves), telling,
            dict(made.trace), forms, np.bincount(release.baskets.items, minlength=len(forms.labels)),
            self._count_items(release, baskets),
        )  # fmt: skip
        return number, staged

    def _count_items(self, release: RecodedMixed, baskets: Baskets) -> ItemFigures:
        exempt = exempt_items(baskets, self.claim)
        weights = item_weights(baskets, {"parameters": self.options})
        case = BasketCase(release.baskets, baskets, self.tree, weights, exempt)
        counted = int((~np.isin(baskets.items, list(exempt))).sum())
        people = SimpleNamespace(hierarchies=self.hierarchies)
        own = SimpleNamespace(people=people, baskets=baskets, hierarchy=self.tree)
        shown = int(case.counted[release.baskets.items].sum()) + release.baskets.suppressed
        losses = LossSums.of(case, items=counted, records=baskets.n, shown=shown)
        return ItemFigures(release.baskets.suppressed, count_untold(own, release)[0], losses)


def unite_mixed_fragments(
    people: Any, staged: tuple[StagedMixedFragment, ...], mapper: Mapper
) -> MixedInFragments:
    """Make one release of all fragments, and send its records to buckets by class."""
    table = unite_fragments(people, staged, mapper)
    forms, places = unite_forms([part.items for part in staged])
    counts = np.zeros(len(forms.labels), dtype=np.int64)
    for place, part in zip(places, staged, strict=True):
        np.add.at(counts, place, part.counts)
    shown = np.flatnonzero(counts).astype(np.int32)
    figures: ItemFigures = reduce(add, (part.figures for part in staged))
    baskets = RecodedBaskets(
        forms,
        np.array([0, len(shown)]),
        shown,
        np.zeros(1, dtype=np.int64),
        people.records,
        figures.suppressed,
    )
    release = MixedInFragments(table, baskets, counts, tuple(places), figures, Parts((), (), BASKETS))
    folder = people.room.make("released")
    for _ in mapper(partial(_send_released, release, folder), range(len(staged))):
        pass
    runs = tuple(folder / f"{number:06}" for number in range(len(staged)))
    parts = RunParts(runs, tuple(part.records for part in staged), BASKETS)
    key = ClassBuckets(tuple(form.texts() for form in table.forms), max(-(-parts.n // people.part_size), 1))
    classes = exchange(parts, key, key.buckets, people.room.make("classes"), mapper)
    people.room.drop("released")
    return replace(release, classes=classes)


def _send_released(release: MixedInFragments, folder: Path, number: int) -> I8:
    """The task: write the quasi-identifiers and items of a fragment's released records as a run of its own."""
    codes = np.ascontiguousarray(release.table.codes_of(number)[:, : len(release.table.names)])
    baskets = release.baskets_of(number)
    records = Records(codes, baskets.start, baskets.items)
    return write_run(folder / f"{number:06}", records, np.zeros(len(codes), dtype=np.int64), 1)
