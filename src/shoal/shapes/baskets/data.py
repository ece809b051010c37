"""Baskets bound to their item hierarchy and labels: everything a method, a judge and the door need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.algorithms import Method, default_method
from shoal.base.errors import InputError
from shoal.data import Baskets, Column, Role, Table
from shoal.data.arrays import F8, I8
from shoal.hierarchy import Hierarchy
from shoal.io.config import ColumnSpec, Config
from shoal.io.read.baskets import group_baskets, join_baskets, prefix_hierarchy, prefix_items, read_baskets
from shoal.io.read.cells import code_table, gather_cells, refuse_repeats
from shoal.io.read.records import read_entries, settle_roles
from shoal.io.read.source import Source, column_error
from shoal.io.write.groups import Groups
from shoal.release import Claim, RecodedBaskets, Result, Verdict
from shoal.risks.dependencies import ItemSources
from shoal.shapes.baskets.verification import (
    basket_truth,
    drop_basket_groups,
    exempt_items,
    item_cells,
    item_weights,
    name_basket_groups,
    published_baskets,
    reorder_baskets,
)
from shoal.shapes.guards import guard_ballot, guard_column, guard_items, guard_released, guard_secrets
from shoal.shapes.hierarchies import Coarse, coarsen_columns, hierarchy_of, relabel_items, warn_unlisted
from shoal.shapes.in_memory import InMemory, counts_of
from shoal.shapes.recoding import recode_baskets
from shoal.shapes.released_values import (
    Cells,
    item_words,
    source_words,
)
from shoal.utility import BasketCase, VoteCase, find_headline
from shoal.utility.baskets import ncp_by_item

__all__ = [
    "NEIGHBOURS",
    "BasketData",
    "baskets_by_column",
    "baskets_from_config",
    "bind_items",
    "has_rule",
    "largest_losses",
    "unbind_votes",
]


@dataclass(frozen=True, repr=False)
class BasketData(InMemory):
    """Baskets with labels and an item hierarchy, ready to be anonymized.

    table : the columns beside the items: labels (sensitive) and plain ones
    hierarchy : the items' hierarchy
    ruled : whether their owner gave it; else it groups neighbours, for methods that need one
    coarse : the columns beside the items that are published at a fixed level
    """

    shape: ClassVar[str] = "baskets"
    votes: ClassVar[bool] = False

    source: Source
    baskets: Baskets
    table: Table
    hierarchy: Hierarchy
    given: Mapping[str, Role]
    allow: frozenset[str] = field(default_factory=frozenset)
    ruled: bool = True
    coarse: Mapping[str, Coarse] = field(default_factory=dict)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records and how many different items there are, no item."""
        return {"shape": self.shape, **self.baskets.facts()}

    @property
    def basket_part(self) -> Baskets:
        """The baskets by record."""
        return self.baskets

    @property
    def listed(self) -> tuple[str, ...]:
        """The columns of items as they came in."""
        return tuple(name for name, role in self.given.items() if role == "items")

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.baskets.n

    @property
    def cells(self) -> int:
        """How many cells or items a method looks at."""
        return len(self.baskets.items)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What methods of baskets take."""
        label = None if self.label is None else self.label.in_one_spelling()
        return {"baskets": self.baskets, "hierarchy": self.hierarchy, "label": label}

    @cached_property
    def label(self) -> Column | None:
        """The label, where there is one."""
        labels = self.table.role("sensitive")
        return labels[0] if labels else None

    @property
    def secrets(self) -> frozenset[str]:
        """The sensitive items."""
        return frozenset(self.baskets.values[code] for code in self.baskets.sensitive)

    def default(self, asked: Mapping[str, Any]) -> str:
        """With m the attacker knows some items, without it whole baskets; without a hierarchy items become sets."""
        return default_method(self.shape, asked, ruled=bool(self.ruled))

    def guard(self, claim: Claim | None) -> None:
        """Refuse several labels, plain columns that tell people apart, and columns that votes cannot carry."""
        guard_secrets(self.baskets)
        labels = len(self.table.role("sensitive"))
        if labels > 1:
            raise InputError(
                f"columns: {labels} sensitive columns; baskets take one label, give the others the role drop"
            )
        if claim is not None and claim.votes:
            guard_ballot(self.table, claim)
        for column in self.table.columns:
            if column.name not in self.allow:
                guard_column(column, counts=self.table.counts)
        guard_items(self.baskets, [c for c in self.table.role("plain") if c.name not in self.allow])

    def guard_released(self, result: Result[Any]) -> None:
        """Refuse columns that follow from items and tell look-alikes apart."""
        leaves = np.empty((self.table.n, 0), dtype=np.int32)
        item_sources = ItemSources(self.baskets, result.release)
        guard_released(self.table, leaves, None, self.allow, result.claim, held=item_sources)

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[RecodedBaskets]:
        """Apply a stored cut, or stored sets of items, to these baskets."""
        if suppress:
            raise InputError(
                "recoding: its rule leaves out the items that it names and no others; take suppress out of [method]"
            )
        return Result(recode_baskets(recoding, self.baskets, self.hierarchy, claim), claim)

    def without_traces(self, result: Result[Any], remake: object = None) -> tuple["BasketData", Result[Any]]:
        """The same data and release, in labels that tell nothing of items that were left out."""
        relabelled, release = relabel_items(self.baskets, self.hierarchy, result.release)
        named_release = name_basket_groups(release, self.baskets.values)
        return replace(self, hierarchy=relabelled), replace(result, release=named_release)

    def groups(self, release: Any) -> Groups:
        """The groups of items that rows publish under a short name."""
        return getattr(release, "groups", {})  # votes have none

    def spell_groups_out(self, result: Result[Any]) -> Result[Any]:
        """The same release, its groups spelled out in every row."""
        if not self.groups(result.release):
            return result
        return replace(result, release=drop_basket_groups(result.release))

    def shuffle_rows(self, result: Result[Any], order: I8) -> Result[Any]:
        """The same release and proof, the rows in another order."""
        return replace(result, release=reorder_baskets(result.release, order))

    def item_columns(self, release: Any) -> list[pl.Series]:
        """The released columns that are made of items."""
        return [item_cells("items", release, self.baskets.values)]

    def assemble(self, release: Any) -> pl.DataFrame:
        """The released cells: items first, then labels and plain columns as they came."""
        cells = self.item_columns(release)
        other_names = [
            name for name in self.source.frame.columns if self.given.get(name) in ("sensitive", "plain")
        ]
        for name in other_names:
            if name in ("items", "uncertain", "errors"):
                raise InputError(f"column '{name}': baskets publish a column of that name; rename yours")
            cells.append(gather_cells(self.source, name, release.rows))
        return pl.DataFrame(cells)

    def roles(self, frame: pl.DataFrame) -> dict[str, str]:
        """The released columns' roles; lists of items are items."""
        item_roles = {"items": "items", "uncertain": "items", "errors": "plain"}
        return {name: item_roles[name] if name in item_roles else self.given[name] for name in frame.columns}

    def judge(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Judge the claim on released cells."""
        groups = self.groups(result.release)
        return result.claim.check(published_baskets(frame["items"], self.hierarchy, self.secrets, groups))

    def truth(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Check every cell against the record it stems from."""
        release, exempt = result.release, exempt_items(self.baskets, result.claim)
        return basket_truth(frame, self, release.rows, release.suppressed, exempt, release.groups)

    def counts(self, release: Any) -> dict[str, int]:
        """Records in and out; the classes are the different baskets published."""
        baskets = {
            release.items[a:b].tobytes() for a, b in zip(release.start[:-1], release.start[1:], strict=True)
        }
        suppressed_count = int(getattr(release, "suppressed", 0))  # votes leave none out
        return counts_of(release.records, len(release.rows), len(baskets), suppressed_count)

    def losses_by_column(self, result: Result[Any], losses: Mapping[str, float]) -> dict[str, float | None]:
        """What every column that came in lost, the items as one of them; None where it is left out."""
        main_loss = find_headline(losses)
        roles = {name: self.given.get(name, "identifier") for name in self.source.frame.columns}
        column_losses = {name: None if role == "identifier" else 0.0 for name, role in roles.items()}
        column_losses |= {name: coarse.lost for name, coarse in self.coarse.items()}
        items_loss = {self.baskets.name: 0.0 if main_loss is None else min(main_loss[1], 1.0)}
        return column_losses | items_loss | dict.fromkeys(self.source.dropped)

    def case(self, result: Result[Any], method: Mapping[str, Any]) -> BasketCase | VoteCase:
        """The release beside all that its owner knows."""
        exempt = exempt_items(self.baskets, result.claim)
        return BasketCase(
            result.release, self.baskets, self.hierarchy, item_weights(self.baskets, method), exempt
        )

    def original_cells(self, columns: Sequence[str], rows: I8) -> dict[str, Cells]:
        """The same columns of some originals; nothing in them is uncertain."""
        item_columns: dict[str, Cells] = {
            "items": item_words(self.baskets, rows),
            **dict.fromkeys(("uncertain", "errors"), [None] * len(rows)),
        }
        return {
            name: item_columns[name] if name in item_columns else source_words(self.source, name, rows)
            for name in columns
        }

    def loss_by_part(self, result: Result[Any]) -> tuple[str, dict[str, float]]:
        """The loss of the items that lose most in all, each as a share of the times that originals hold it."""
        case = self.case(result, {"parameters": {}})
        assert isinstance(case, BasketCase)
        paid, occurrences = ncp_by_item(
            case.recoded, self.baskets, case.sizes, case.domain, exempt=case.exempt
        )
        return "item", largest_losses(self, paid, occurrences)

    def find_floor(
        self, methods: Sequence[Method], claim: Claim, asked: Mapping[str, Any], made: Any = None
    ) -> float | None:
        """What no cut for all records loses less than; None where no method publishes one, or records are in parts."""
        baskets = self.inputs["baskets"]
        one_cut = (
            any(method.has_floor for method in methods)
            if made is None
            else "cut" in getattr(made, "rule", {})
        )
        if not one_cut or not self.in_memory:
            return None
        from shoal.algorithms.itemsets.optimal_cut import cut_floor  # kernels are heavy

        return cut_floor(baskets, self.inputs["hierarchy"], claim, suppress=asked.get("suppress", 0.0))


def unbind_votes(data: BasketData) -> BasketData:
    """Baskets that are no longer to be published by vote: as they are, or generalized."""
    return BasketData(**{attribute.name: getattr(data, attribute.name) for attribute in fields(BasketData)})


# --- as a configuration describes them

NEIGHBOURS = {"fanout": 5}
"""Where no hierarchy is given, neighbours in order are grouped."""


def baskets_from_config(config: Config, source: Source) -> BasketData:
    """Read the items, their hierarchy and the columns beside them."""
    config, source = settle_roles(config, source)
    source, coarse = coarsen_columns(source, config.columns)  # no basket is left out
    role_by_name: dict[str, Role] = {name: spec.role for name, spec in config.columns.items()}
    baskets, hierarchy, other_columns = bind_items(config, source)
    allow = frozenset(name for name, spec in config.columns.items() if spec.allow)
    return BasketData(
        other_columns,
        baskets,
        _bind_table(config, other_columns, role_by_name),
        hierarchy,
        role_by_name,
        allow,
        has_rule(config),
        coarse,
    )


def has_rule(config: Config) -> bool:
    """Whether a hierarchy of the items is given."""
    return all(spec.hierarchy is not None for spec in config.columns.values() if spec.role == "items")


def bind_items(config: Config, source: Source) -> tuple[Baskets, Hierarchy, Source]:
    """The items columns as one, their hierarchy, and the columns beside them, one row per basket.

    Several items columns get their names before their items. Where the data says whom a row belongs to, the rows of
    one person make one basket. Items of a long table come to the row that has their key.
    """
    specs = _items_columns(config)
    baskets, other_columns = baskets_by_column(config, source)
    hierarchy_specs = {
        name: NEIGHBOURS if spec.hierarchy is None else spec.hierarchy for name, spec in specs.items()
    }
    for name, spec in hierarchy_specs.items():
        warn_unlisted(name, spec, baskets[name].values)
    hierarchies = {
        name: hierarchy_of(name, spec, baskets[name].values) for name, spec in hierarchy_specs.items()
    }
    is_single = len(specs) == 1
    items = next(iter(baskets.values())) if is_single else prefix_items(list(baskets.values()))
    if items.name in other_columns.frame.columns:
        raise InputError(
            f"{other_columns.name}: the items are published as '{items.name}', and a column has that name; rename it"
        )
    return (
        items,
        next(iter(hierarchies.values())) if is_single else prefix_hierarchy(hierarchies),
        other_columns,
    )


def baskets_by_column(config: Config, source: Source) -> tuple[dict[str, Baskets], Source]:
    """The baskets of each items column, and the columns beside them, one row per basket."""
    specs = _items_columns(config)
    inline_names = [name for name, spec in specs.items() if not spec.in_long_table]
    other_columns = _other_columns(config, source, inline_names)
    baskets = {
        name: _baskets_from_long_table(config, name, spec, other_columns)
        if spec.in_long_table
        else _baskets_from_column(config, source, name, inline_names)
        for name, spec in specs.items()
    }
    return baskets, other_columns


def _items_columns(config: Config) -> dict[str, ColumnSpec]:
    return {name: spec for name, spec in config.columns.items() if spec.role == "items"}


def _other_columns(config: Config, source: Source, inside: list[str]) -> Source:
    """The columns that are no items, one row per basket."""
    person = config.data.person
    if person is None or not inside:
        return replace(source, frame=source.frame.drop(inside, strict=False))
    return group_baskets(_drop_other_items(source, inside[0], inside), inside[0], person)[1]


def _baskets_from_column(config: Config, source: Source, name: str, inside: list[str]) -> Baskets:
    """The items of a column that stands among the records."""
    spec, person = config.columns[name], config.data.person
    options: dict[str, Any] = {
        "separator": spec.separator,
        "sensitive": spec.sensitive,
        "missing": spec.missing,
    }
    if person is None:
        return read_baskets(source, name, **options)
    return group_baskets(_drop_other_items(source, name, inside), name, person, **options)[0]


def _drop_other_items(source: Source, name: str, inside: list[str]) -> Source:
    """The records without their other items columns."""
    return replace(
        source,
        frame=source.frame.drop([column_name for column_name in inside if column_name != name], strict=False),
    )


def _baskets_from_long_table(config: Config, name: str, spec: ColumnSpec, people: Source) -> Baskets:
    """The items of a long table, whose owners are named by `person`, or by a column named as there."""
    key = config.data.person or str(spec.key)
    entries = read_entries(config, name, spec)
    entries = replace(entries, missing=(*entries.missing, *spec.missing))
    baskets = join_baskets(people, key, entries, str(spec.key), str(spec.item), sensitive=spec.sensitive)
    return replace(baskets, name=name)


def _bind_table(config: Config, beside: Source, given: dict[str, Role]) -> Table:
    """The labels and plain columns; identifiers are left out, checked first where no person is named."""
    person = config.data.person
    roles = {name: role for name, role in given.items() if role != "items"}
    if person is not None:
        roles = {person: "identifier", **roles}
    for name in roles:
        if name not in beside.frame.columns:
            raise column_error(beside, name, roles)
    identifiers = [name for name, role in roles.items() if role == "identifier"]
    if person is None:
        refuse_repeats(beside, identifiers)
    if set(beside.frame.columns) <= set(identifiers):
        return Table(())
    labelled = replace(beside, frame=beside.frame.drop(identifiers))
    return code_table(labelled, {name: role for name, role in roles.items() if role != "identifier"})


# --- before and after, and which items lose most

_MOST = 20  # items are told of


def largest_losses(data: BasketData, paid: F8, held: I8) -> dict[str, float]:
    """What the items that lose most in all lose, each as a share of the times that originals hold it."""
    heavy = np.argsort(-paid, kind="stable")[:_MOST]
    return {data.baskets.values[i]: float(paid[i] / max(held[i], 1)) for i in heavy if paid[i]}
