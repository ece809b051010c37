"""A table with baskets that is not in memory: its records lie in parts, and go to fragments of similar ones.

What holds of a table in fragments holds here; the claim is judged on whole classes, bucket by bucket, and again on the
file that was written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Baskets
from shoal.engines import Frame
from shoal.io.config import Config
from shoal.io.write.table import PieceWriter, scan_nested_lines
from shoal.parts.draws import RunKey
from shoal.parts.folder import PrivateFolder
from shoal.parts.reading import batches_of
from shoal.parts.records import Records
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.publish.draft import refuse_unless
from shoal.publish.large.fragment_release import TableInFragments, columns_of_codes
from shoal.publish.large.item_reading import ItemReader
from shoal.publish.large.mixed_release import MixedInFragments
from shoal.publish.large.parts import TableOrigin, TupleSource
from shoal.publish.large.reading import CellParts
from shoal.publish.large.table_fragments import FragmentedTable, FragmentTableWriting, read_fragmented_table
from shoal.publish.notes import _note
from shoal.publish.part_writing import other_records_error
from shoal.release import Claim, Result, Verdict
from shoal.shapes.baskets.data import NEIGHBOURS, has_rule
from shoal.shapes.baskets.verification import (
    drop_basket_groups,
    exempt_items,
    item_cells,
    item_truth,
    name_basket_groups,
)
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.guards import guard_items, guard_secrets
from shoal.shapes.hierarchies import hierarchy_of, relabel_items, warn_unlisted
from shoal.shapes.mixed import MixedData
from shoal.utility import LOSSES, TableCase, case_losses, sort_losses

__all__ = ["FragmentedMixed", "MixedFragmentWriting", "read_fragmented_mixed"]

FRAGMENT = 1 << 14
"""Records of a fragment, where nothing else is asked for: of more of them, each costs more."""

_SAMPLE = 200_000  # records in which guards look whether plain columns tell items


# --- reading


def read_fragmented_mixed(
    config: Config, origin: TableOrigin, room: PrivateFolder, size: int
) -> "FragmentedMixed":
    """Read a table with baskets into parts of about `size` records inside `room`, and bind it to its hierarchies.

    `origin` has the columns that are no items; its frame has those of items, too.

    Raises
    ------
    InputError
        A column has too many different values, a cell is no basket, or a hierarchy is wrong.
    """
    (name,) = (name for name, spec in config.columns.items() if spec.role == "items")
    batches = partial(batches_of, origin.frame.select(name))
    reader = ItemReader.of(config, name, origin.name, origin.missing, batches)
    people = read_fragmented_table(origin, room, size, reader)
    values = people.dictionary.items.values
    spec = NEIGHBOURS if config.columns[name].hierarchy is None else config.columns[name].hierarchy
    assert spec is not None
    warn_unlisted(name, spec, values)
    secret = frozenset(values.index(item) for item in config.columns[name].sensitive)
    nothing = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    names = origin.frame.collect_schema().names()
    return FragmentedMixed(
        TupleSource(pl.DataFrame(), "polars", origin.name, origin.missing),
        people,
        Baskets(name, values, *nothing, secret),
        hierarchy_of(name, spec, values),
        tuple(takewhile(lambda column: column != name, names)),
        has_rule(config),
        (name,),
    )


# --- the dataset


@dataclass(frozen=True, repr=False)
class FragmentedMixed(MixedData):
    """A table with baskets in parts.

    people  : the columns that are no items; its parts hold the items, too
    baskets : the name, the values and the sensitive ones of the items, of no record
    """

    in_memory: ClassVar[bool] = False

    people: FragmentedTable

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and in how many parts."""
        return {"shape": self.shape, **self.people.parts.facts()}

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.people.records

    @property
    def cells(self) -> int:
        """How many cells or items a method looks at."""
        return self.people.cells + int(self.people.dictionary.items.counts.sum())

    @property
    def options(self) -> Mapping[str, Any]:
        """What a method is asked for, unless somebody asks otherwise: to work on fragments."""
        return {"fragment": FRAGMENT}

    def guard(self, claim: Claim | None) -> None:
        """Refuse what is refused in memory; whether plain columns tell items is looked for in some of the records."""
        self.people.guard(None)
        plain = [
            j
            for j, name in enumerate(self.people.dictionary.names)
            if self.people.published[name] == "plain" and name not in self.allow
        ]
        if plain:
            some = self._sampled
            columns = columns_of_codes(self.people.dictionary, self.people.origin, some.codes)
            assert some.start is not None
            baskets = replace(self.baskets, start=some.start, items=some.items)
            guard_items(baskets, [columns[j] for j in plain])
        held = np.flatnonzero(self.people.dictionary.items.counts).astype(np.int32)
        guard_secrets(replace(self.baskets, start=np.array([0, len(held)]), items=held))
        if claim is not None and claim.exempts and not self.baskets.sensitive:
            raise InputError(
                "guarantee: l is about sensitive items, and none is named; set sensitive = [...]"
            )

    @property
    def _sampled(self) -> Records:
        """The records of the first parts: parts are drawn by a hash of the record."""
        parts = self.people.parts
        before = np.cumsum([0, *parts.sizes[:-1]])
        return parts.read_records(0, int((before < _SAMPLE).sum()))

    def in_fragments(
        self, method: str, inputs: Mapping[str, Any], claim: Claim, options: Mapping[str, Any], **more: Any
    ) -> Result[MixedInFragments]:
        """Have a method work on fragments of the records; `more` are their size, randomness and a listener."""
        from shoal.publish.large.fragment_making import make_fragments  # kernels are heavy
        from shoal.publish.large.mixed_making import MixedFragmentTask, unite_mixed_fragments

        mapper, progress, people = self.people.room.mapper, more["progress"], self.people
        kind = partial(
            MixedFragmentTask,
            baskets=self.baskets,
            rule=inputs.get("item_hierarchy"),
            tree=self.hierarchy,
        )
        asked = dict(options)
        staged = make_fragments(
            people, method, claim, asked, more["size"], RunKey.of(more["rng"]), mapper, progress, kind
        )
        progress("counting classes")
        release = unite_mixed_fragments(people, staged, mapper)
        largest = max(part.records for part in staged)
        means = {
            key: float(
                np.average([part.trace[key] for part in staged], weights=[part.records for part in staged])
            )
            for key in ("table-ncp", "ul")
        }
        return Result(release, claim, trace={"fragments": len(staged), "largest fragment": largest, **means})

    def without_traces(
        self, result: Result[Any], maker: object = None
    ) -> tuple["FragmentedMixed", Result[Any]]:
        """The same data and release, in labels that tell nothing of items that were left out."""
        baskets, hierarchy = result.release.baskets, self.hierarchy
        if baskets.suppressed:
            hierarchy, baskets = relabel_items(self.baskets, hierarchy, baskets)
        named = name_basket_groups(baskets, self.baskets.values)
        release = replace(result.release, baskets=named)
        return replace(self, hierarchy=hierarchy), replace(result, release=release)

    def spell_groups_out(self, result: Result[Any]) -> Result[Any]:
        """The same release, its groups spelled out in every row."""
        release = result.release
        return replace(result, release=replace(release, baskets=drop_basket_groups(release.baskets)))

    def guard_released(self, result: Result[Any]) -> None:
        """Refuse what is refused of a table, and a claim about sensitive items that are all left out."""
        release = result.release
        if result.claim.exempts and not (self._published_leaves(release) & self.baskets.sensitive):
            raise InfeasibleError(
                f"{result.claim.named}: every sensitive item had to be left out, so the claim would promise "
                "nothing; lower l, or let the table lose more (delta)"
            )
        self.people.guard_released(Result(release.table, result.claim))

    def _published_leaves(self, release: MixedInFragments) -> frozenset[int]:
        """The items that are published as themselves."""
        forms = release.baskets.forms
        alone = np.flatnonzero(np.diff(forms.start) == 1)
        shown = np.intersect1d(alone, release.baskets.items)
        return frozenset(forms.leaves[forms.start[shown]].tolist())

    def size(self, release: Any) -> int:
        """Say none: records are shuffled when they are written."""
        return 0

    def shuffle_rows(self, result: Result[Any], order: Any) -> Result[Any]:
        """The same: records are shuffled when they are written."""
        return result

    def count_untold(self, release: Any) -> tuple[int, int]:
        """How many released records tell nothing, and how many there are."""
        return release.figures.untold, self.records

    def assemble(self, release: Any) -> pl.DataFrame:
        """The labels of every class, without items."""
        return self.people.assemble(release.table)

    def roles(self, frame: pl.DataFrame) -> dict[str, str]:
        """The roles of all columns that are published, the items where they stood."""
        people = list(self.people.published)
        place = sum(name in (self.before or ()) for name in people)
        names = [*people[:place], self.baskets.name, *people[place:]]
        return {name: self.people.published.get(name, "items") for name in names}

    def judge(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Judge the claim on whole classes, bucket by bucket."""
        claim, release = result.claim, result.release
        assert isinstance(claim, KKmAnonymity | KLmDiversity)
        return claim.check_lots(release.lots(self.baskets.values, self.hierarchy, self.secrets))

    def truth(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Say yes: fragments are checked beside their originals when they are written."""
        return self.people.truth(frame, result)

    def losses(self, result: Result[Any], method: Mapping[str, Any], *, public: bool) -> dict[str, float]:
        """The losses that classes tell, and of items those that are means."""
        release, options = result.release, method["parameters"]
        case: TableCase = self.people.case(Result(release.table, result.claim), method)
        table = case_losses(case.public() if public else case)
        items = release.figures.losses.means(public=public)
        if public and (release.figures.suppressed or options.get("weights")):
            items.pop("ul", None)  # of what is left out, and of weights, readers know nothing
        told = {name: loss for name, loss in table.items() if "mixed" not in LOSSES[name].ways}
        told |= {f"table-{name}": table[name] for name in ("ncp",) if name in table}
        told |= {name: items[name] for name in ("ul",) if name in items}
        told |= {f"items-{name}": items[name] for name in ("ncp", "ncp-published") if name in items}
        if {"table-ncp", "items-ncp"} <= told.keys() and not public:
            told["ncp"] = (told["table-ncp"] + told["items-ncp"]) / 2
        return sort_losses({name: told[name] for name in LOSSES if name in told}, options.get("loss"))

    def find_floor(self, *_: Any, **__: Any) -> float | None:
        """None: it would need all records at once."""
        return None


# --- their way through the door


@dataclass(frozen=True, slots=True, repr=False)
class _ItemLists(SafeRepr):
    """Writes the lists of items of fragments, and checks them beside their originals."""

    place: int
    data: FragmentedMixed
    release: MixedInFragments
    claim: Claim

    def facts(self) -> dict[str, object]:
        """What may be shown: counts."""
        return self.release.facts()

    def cells(self, number: int) -> pl.Series:
        """The lists of a fragment."""
        outline = self.data.baskets
        return item_cells(outline.name, self.release.baskets_of(number), outline.values)

    def judge(self, number: int, cells: pl.Series) -> Verdict:
        """Check the lists that were written."""
        staged, data = self.release.staged[number], self.data
        records = staged.read_originals()
        originals = replace(data.baskets, start=records.start, items=records.items)
        exempt, groups = exempt_items(data.baskets, self.claim), self.release.baskets.groups
        rows = np.arange(len(records))
        return item_truth(cells, originals, data.hierarchy, rows, staged.figures.suppressed, exempt, groups)


@dataclass
class MixedFragmentWriting(FragmentTableWriting):
    """What the door asks of a table with baskets in fragments: what it asks of a table, and the same of items."""

    def judge(self) -> None:
        """Judge what was written on whole classes, and its truth by what was staged.

        Raises
        ------
        RefusedError
            The file does not keep the claim, does not tell the truth, or is not what was staged.
        """
        mixed = self._mixed
        known = JudgingContext(
            mixed.roles(self.draft.frame),
            {**mixed.people.hierarchies, mixed.baskets.name: mixed.hierarchy},
            mixed.secrets,
            groups=self.draft.groups,
        )
        read = CellParts.read(self.place, known, None, False)
        if read is None or read.records != mixed.records:
            raise other_records_error()
        refuse_unless(read.check(self.draft.claim))
        super().judge()

    def judge_classes(self) -> Verdict:
        """Say yes: classes were judged with their items."""
        return Verdict(True, "classes were judged with their items")

    @property
    def _mixed(self) -> FragmentedMixed:
        dataset: Any = self.draft.dataset
        assert isinstance(dataset, FragmentedMixed)
        return dataset

    @property
    def _data(self) -> FragmentedTable:
        return self._mixed.people

    @property
    def _release(self) -> TableInFragments:
        release: MixedInFragments = self.draft.result.release
        return release.table

    @cached_property
    def _names(self) -> list[str]:
        return list(self._mixed.roles(self.draft.frame))

    @property
    def _lists(self) -> _ItemLists:
        place = self._names.index(self._mixed.baskets.name)
        return _ItemLists(place, self._mixed, self.draft.result.release, self.draft.claim)

    @cached_property
    def _writer(self) -> PieceWriter:
        return replace(self._cell_writer, nested=frozenset({self._mixed.baskets.name}))

    @cached_property
    def _raw(self) -> Frame:
        """The cells of the public file, lists as text."""
        if self.format != "ndjson":
            return super()._raw
        return nw.from_native(scan_nested_lines(self.place, self._names, [self._mixed.baskets.name]))

    @cached_property
    def _notes(self) -> list[dict[str, Any]]:
        """Notes on what was written: those on a table, and whether only one item is published."""
        baskets, name = self.draft.result.release.baskets, self._mixed.baskets.name
        beside = {"one sensitive value": "one sensitive value beside items"}
        notes = [{**note, "kind": beside.get(note["kind"], note["kind"])} for note in super()._notes]
        one = len(baskets.items) == 1 and self._mixed.records > 1
        return [*notes, *([_note("one value", name, self._mixed.records)] if one else [])]
