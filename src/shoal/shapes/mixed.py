"""A table with baskets at the door: how it is read, released, judged, shown and told of."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.algorithms import METHODS, Method
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Baskets, Mixed
from shoal.data.arrays import I8
from shoal.hierarchy import Hierarchy
from shoal.io.config import Config
from shoal.io.read.records import read_records, settle_roles
from shoal.io.read.source import Source
from shoal.io.write.groups import Groups
from shoal.release import Claim, PublishedMixed, RecodedMixed, Result, Verdict
from shoal.risks.dependencies import ItemSources
from shoal.shapes.baskets.data import bind_items, has_rule
from shoal.shapes.baskets.verification import (
    drop_basket_groups,
    exempt_items,
    item_cells,
    item_fits,
    item_truth,
    item_weights,
    name_basket_groups,
    published_baskets,
    read_item_settings,
    reorder_baskets,
    unexpected_items,
)
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.guards import guard_items, guard_released, guard_secrets
from shoal.shapes.hierarchies import hierarchies_in_files, relabel_items
from shoal.shapes.in_memory import InMemory
from shoal.shapes.released_values import (
    Cells,
    item_words,
    source_words,
    uses_only_nodes,
)
from shoal.shapes.shape import Shape, Verification, find_quasi_fault
from shoal.shapes.table.data import TableData, table_from_config
from shoal.shapes.table.verification import (
    TableVerification,
    fits_of,
    judge_fits,
    judge_truth,
    published_table,
    unexpected_cells,
)
from shoal.utility import BasketCase, MixedCase
from shoal.utility.baskets import ncp_items
from shoal.utility.queries import Query, draw_mixed_workload, mixed_are

__all__ = [
    "MixedData",
    "MixedShape",
    "MixedVerification",
]


@dataclass(frozen=True, repr=False)
class MixedData(InMemory):
    """A table and baskets of the same records, ready to be anonymized.

    people : the table, without its items columns
    baskets : the baskets by record
    hierarchy : the items' hierarchy
    before : the columns that the items stand behind; by default all
    ruled : whether the items' hierarchy was given; else items become sets
    listed : the columns of items as they came in
    """

    shape: ClassVar[str] = "mixed"

    source: Source
    people: TableData
    baskets: Baskets
    hierarchy: Hierarchy
    before: tuple[str, ...] | None = None
    ruled: bool = True
    listed: tuple[str, ...] = ()

    def facts(self) -> dict[str, object]:
        """What may be shown of both parts."""
        return {**self.people.facts(), **self.baskets.facts(), "shape": self.shape}

    @cached_property
    def mixed(self) -> Mixed:
        """Both parts as methods take them."""
        return Mixed(self.people.table, self.baskets)

    @property
    def table_part(self) -> TableData:
        """The table, without its items columns."""
        return self.people

    @property
    def basket_part(self) -> Baskets:
        """The baskets by record."""
        return self.baskets

    @property
    def allow(self) -> frozenset[str]:
        """The columns that their owner publishes knowingly."""
        return self.people.allow

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.baskets.n

    @property
    def cells(self) -> int:
        """How many cells or items a method looks at."""
        return self.people.cells + len(self.baskets.items)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What methods of tables with baskets take."""
        rule = self.hierarchy if self.ruled else None
        return {"mixed": self.mixed, "hierarchies": self.people.hierarchies, "item_hierarchy": rule}

    @property
    def secrets(self) -> frozenset[str]:
        """The sensitive items."""
        return frozenset(self.baskets.values[code] for code in self.baskets.sensitive)

    def guard(self, claim: Claim | None) -> None:
        """Refuse what a table refuses, and l without a sensitive item."""
        self.people.guard(None)
        guarded_columns = [c for c in self.people.table.role("plain") if c.name not in self.people.allow]
        guard_items(self.baskets, guarded_columns)  # but not what their owner lets out whatever it tells
        guard_secrets(self.baskets)
        if claim is not None and claim.exempts and not self.baskets.sensitive:
            raise InputError(
                "guarantee: l is about sensitive items, and none is named; set sensitive = [...]"
            )

    def guard_released(self, result: Result[RecodedMixed]) -> None:
        """Refuse columns that tell look-alikes apart, and a claim about sensitive items that are all left out."""
        baskets = result.release.baskets
        cells = item_cells("items", baskets, self.baskets.values)
        secrets = published_baskets(cells, None, self.secrets, baskets.groups)
        if result.claim.exempts and not np.isin(secrets.items, list(secrets.sensitive)).any():
            raise InfeasibleError(
                f"{result.claim.named}: every sensitive item had to be left out, so the claim would promise "
                "nothing; lower l, "
                "or let the table lose more (delta)"
            )
        people, table = self.people, result.release.table
        item_sources = ItemSources(self.baskets, baskets)
        guard_released(people.table, people.leaves, table, self.allow, result.claim, held=item_sources)

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[RecodedMixed]:
        """Refuse to apply a recoding, because every class has a recoding of its own."""
        raise InputError(
            "recoding: tables with baskets are recoded separately for each class; run a method on the new records"
        )

    def without_traces(
        self, result: Result[RecodedMixed], maker: object = None
    ) -> tuple["MixedData", Result[RecodedMixed]]:
        """The same data and release, in labels that tell nothing of records and items that were left out."""
        people, table = self.people.without_traces(Result(result.release.table, result.claim))
        relabelled, baskets = relabel_items(self.baskets, self.hierarchy, result.release.baskets)
        named_baskets = name_basket_groups(baskets, self.baskets.values)
        relabelled_result = replace(result, release=RecodedMixed(table.release, named_baskets))
        return replace(self, people=people, hierarchy=relabelled), relabelled_result

    def groups(self, release: RecodedMixed) -> Groups:
        """The groups of items that rows publish under a short name."""
        return release.baskets.groups

    def spell_groups_out(self, result: Result[RecodedMixed]) -> Result[RecodedMixed]:
        """The same release, its groups spelled out in every row."""
        release = result.release
        return replace(result, release=replace(release, baskets=drop_basket_groups(release.baskets)))

    def size(self, release: RecodedMixed) -> int:
        """How many records a release has."""
        return len(release.table.rows)

    def shuffle_rows(self, result: Result[RecodedMixed], order: I8) -> Result[RecodedMixed]:
        """The same release, its rows in another order."""
        table, baskets = result.release.table, result.release.baskets
        reordered_release = RecodedMixed(
            replace(table, codes=table.codes[order], rows=table.rows[order]), reorder_baskets(baskets, order)
        )
        return replace(result, release=reordered_release)

    def assemble(self, release: RecodedMixed) -> pl.DataFrame:
        """The table's cells, and the items under their column's name, where they stood."""
        cells = self.people.assemble(release.table)
        preceding_names = cells.columns if self.before is None else self.before
        position = sum(name in preceding_names for name in cells.columns)
        return cells.insert_column(
            position, item_cells(self.baskets.name, release.baskets, self.baskets.values)
        )

    def roles(self, frame: pl.DataFrame) -> dict[str, str]:
        """The released columns' roles."""
        return {
            name: "items" if name == self.baskets.name else self.people.given[name] for name in frame.columns
        }

    def judge(self, frame: pl.DataFrame, result: Result[RecodedMixed]) -> Verdict:
        """Judge the claim on released cells."""
        table = published_table(frame, self.people.roles(frame.drop(self.baskets.name)))
        cells, groups = frame[self.baskets.name], self.groups(result.release)
        lists = published_baskets(cells, self.hierarchy, self.secrets, groups)
        return result.claim.check(PublishedMixed(table, lists))

    def truth(self, frame: pl.DataFrame, result: Result[RecodedMixed]) -> Verdict:
        """Check every cell against the record it stems from."""
        people, release = self.people, result.release
        verdict = judge_truth(frame, people.table, people.hierarchies, people.leaves, release.table.rows)
        if not verdict:
            return verdict
        baskets = release.baskets
        exempt = exempt_items(self.baskets, result.claim)
        cells = frame[self.baskets.name]
        basket_facts = (baskets.rows, baskets.suppressed, exempt, baskets.groups)
        return item_truth(cells, self.baskets, self.hierarchy, *basket_facts)

    def counts(self, release: RecodedMixed) -> dict[str, int]:
        """Records in and out, classes, and items left out."""
        return self.people.counts(release.table) | {"suppressed_items": int(release.baskets.suppressed)}

    def losses_by_column(
        self, result: Result[RecodedMixed], losses: Mapping[str, float]
    ) -> dict[str, float | None]:
        """What every column that came in lost, the items as one of them; None where it is left out."""
        table = self.people.losses_by_column(Result(result.release.table, result.claim), losses)
        return table | {self.baskets.name: losses.get("items-ncp", 0.0)}

    def case(self, result: Result[RecodedMixed], method: Mapping[str, Any]) -> MixedCase:
        """The release beside all that its owner knows."""
        release = result.release
        exempt = exempt_items(self.baskets, result.claim)
        return MixedCase(
            release,
            self.mixed,
            self.people.case(Result(release.table, result.claim), method),
            BasketCase(
                release.baskets, self.baskets, self.hierarchy, item_weights(self.baskets, method), exempt
            ),
        )

    def workload(
        self, *, seed: int, queries: int = 100, values: int = 2, items: int = 2
    ) -> tuple[Query, ...]:
        """Draw queries for `are`: of so many quasi-identifiers and items each, and somebody fits every one."""
        return draw_mixed_workload(self.mixed, seed=seed, queries=queries, values=values, items=items)

    def are(self, release: Any, queries: Collection[Query]) -> float:
        """The average relative error of counting queries on a release of these records."""
        return mixed_are(queries, release.result.release, self.mixed, self.people.hierarchies, self.hierarchy)

    def original_cells(self, columns: Sequence[str], rows: I8) -> dict[str, Cells]:
        """The same columns of some originals."""
        items = self.baskets.name
        return {
            name: item_words(self.baskets, rows)
            if name == items
            else source_words(self.people.source, name, rows)
            for name in columns
        }

    def loss_by_part(self, result: Result[RecodedMixed]) -> tuple[str, dict[str, float]]:
        """The loss of each column alone, the items as one of them."""
        case = self.case(result, {"parameters": {}})
        items = case.items
        items_loss = ncp_items(items.recoded, self.baskets, items.sizes, items.domain, exempt=items.exempt)
        column_losses = self.losses_by_column(result, {"items-ncp": items_loss})
        return "column", {name: 1.0 if share is None else share for name, share in column_losses.items()}

    def find_floor(
        self,
        methods: Sequence[Method],
        claim: Claim,
        asked: Mapping[str, Any],
        made: RecodedMixed | None = None,
    ) -> float | None:
        """What no recoding along hierarchies loses less than; None where cells or items are more than nodes."""
        if not (_asks_for_nodes(self, asked) if made is None else _all_nodes(self, claim, made)):
            return None
        from shoal.algorithms.mixed.mixed_floor import mixed_floor  # kernels are heavy

        return mixed_floor(self.mixed, self.people.hierarchies, self.hierarchy, claim).ncp


# --- as a configuration describes it


def _mixed_from_config(config: Config, source: Source) -> MixedData:
    """Read the items, and the rest as a table."""
    config, source = settle_roles(config, source)
    baskets, hierarchy, other_columns = bind_items(config, source)
    columns = {name: spec for name, spec in config.columns.items() if spec.role != "items"}
    people = table_from_config(replace(config, columns=columns), other_columns)
    preceding_names = tuple(takewhile(lambda name: name in other_columns.frame.columns, source.frame.columns))
    items_names = tuple(name for name in config.columns if name not in columns)
    return MixedData(
        other_columns, people, baskets, hierarchy, preceding_names, has_rule(config), items_names
    )


# --- before and after, and what each column and the items lose


# --- as its judges see it, from its folder or beside originals


def _items_name(columns: Mapping[str, str]) -> str:
    return next((name for name, role in columns.items() if role == "items"), "items")


# --- what nothing loses less than


def _asks_for_nodes(data: MixedData, asked: Mapping[str, Any]) -> bool:
    way = METHODS.get(asked.get("items") or "apriori")  # the usual one where there is a hierarchy
    is_cut = data.inputs["item_hierarchy"] is not None and way is not None and way.one_cut
    return is_cut and asked.get("recode", "hierarchy") == "hierarchy"


def _all_nodes(data: MixedData, claim: Claim, made: RecodedMixed) -> bool:
    known_labels = {*data.hierarchy.places, *(data.secrets if claim.exempts else ())}
    return known_labels.issuperset(made.baskets.forms.labels) and uses_only_nodes(
        made.table, data.people.hierarchies
    )


class MixedVerification(Verification):
    """How a released table with baskets is judged again."""

    def make_context(
        self, columns: Mapping[str, str], config: Config | None, originals: MixedData | None
    ) -> JudgingContext:
        """What labels and items stand for, and which items are sensitive, as far as anybody tells."""
        items = _items_name(columns)
        hierarchy, secrets = read_item_settings(config)
        if originals is not None:
            hierarchies = {**originals.people.hierarchies, items: originals.hierarchy}
            return JudgingContext(columns, hierarchies, secrets, originals)
        file_hierarchies = {} if config is None else hierarchies_in_files(config)
        return JudgingContext(
            columns,
            file_hierarchies if hierarchy is None else {**file_hierarchies, items: hierarchy},
            secrets,
        )

    def view_for_judge(self, frame: pl.DataFrame, known: JudgingContext, claim: Claim) -> PublishedMixed:
        """Released cells and lists as the judges of tables with baskets see them."""
        items = _items_name(known.columns)
        other_roles = {name: role for name, role in known.columns.items() if role != "items"}
        secrets = known.secrets or frozenset()
        lists = published_baskets(frame[items], known.hierarchies.get(items), secrets, known.groups)
        return PublishedMixed(published_table(frame, other_roles), lists)

    def count_classes(self, frame: pl.DataFrame, known: JudgingContext) -> int:
        """How many different quasi-identifiers there are."""
        return TableVerification().count_classes(frame, known)

    def find_unexpected(self, frame: pl.DataFrame, known: JudgingContext, config: Config) -> str | None:
        """A sentence where a label or an item stands for nothing in its hierarchy, or a column is not at its level."""
        items = _items_name(known.columns)
        sentence = unexpected_items(items, frame[items], known.hierarchies.get(items), known.groups)
        return unexpected_cells(frame, known, config) if sentence is None else sentence

    def judge_provenance(self, frame: pl.DataFrame, known: JudgingContext, left_out: int) -> Verdict:
        """Judge that the originals can have given the release, each row both its parts."""
        originals: MixedData = known.originals
        cells = frame[originals.baskets.name]
        verdict, lists = item_fits(cells, originals.baskets, originals.hierarchy, left_out, known.groups)
        return (
            judge_fits([*fits_of(frame, originals.people.table, originals.people.hierarchies), *lists])
            if verdict
            else verdict
        )

    def judge_rows(self, frame: pl.DataFrame, known: JudgingContext, claim: Claim, left_out: int) -> Verdict:
        """Check both parts of every row against the original that the known rows name."""
        originals: MixedData = known.originals
        people, rows = originals.people, known.rows
        assert rows is not None
        verdict = judge_truth(frame, people.table, people.hierarchies, people.leaves, rows)
        basket_facts = (rows, left_out, exempt_items(originals.baskets, claim), known.groups)
        cells = frame[originals.baskets.name]
        return (
            item_truth(cells, originals.baskets, originals.hierarchy, *basket_facts) if verdict else verdict
        )


class MixedShape(Shape):
    """Tables with baskets."""

    name = "mixed"
    jointly = "both"
    roles = ("quasi", "items", "sensitive", "plain")
    verification = MixedVerification()

    def open_dataset(self, config: Config) -> MixedData:
        """Read the records and bind both parts to their hierarchies."""
        return self.bind_source(config, read_records(config))

    def bind_source(self, config: Config, source: Source) -> MixedData:
        """Bind both parts of records to the hierarchies that a configuration names."""
        return _mixed_from_config(config, source)

    def find_column_fault(self, columns: Mapping[str, str]) -> str:
        """What is wrong with the columns; "" where one is of items, and one a quasi-identifier."""
        items_count = [*columns.values()].count("items")
        if items_count != 1:
            return f"a table with baskets has one column of items, and here are {items_count}"
        return find_quasi_fault(columns)
