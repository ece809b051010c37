"""Baskets as a configuration describes them."""

from dataclasses import replace

from shoal.data import Baskets, Role, Table
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import ColumnSpec, Config
from shoal.io.read.baskets import baskets_of, group_baskets, join_baskets, prefix_hierarchy, prefix_items
from shoal.io.read.cells import refuse_repeats, table
from shoal.io.read.records import entries_of, records_of, settle_roles
from shoal.io.read.source import Source, no_column
from shoal.publish.coarsening import coarsened
from shoal.publish.hierarchies import hierarchy_of
from shoal.publish.shapes.baskets.dataset import BasketData

__all__ = ["NEIGHBOURS", "baskets_by_column", "from_config", "has_rule", "items_of", "open_config"]

NEIGHBOURS = {"fanout": 5}
"""Where no hierarchy is given, neighbours in order are grouped."""


def open_config(config: Config) -> BasketData:
    """Read the records and bind them to their item hierarchy."""
    return from_config(config, records_of(config))


def from_config(config: Config, source: Source) -> BasketData:
    """Read the items, their hierarchy and the columns beside them."""
    config, source = settle_roles(config, source)
    source, _ = coarsened(source, config.columns)  # no basket is left out
    given: dict[str, Role] = {name: spec.role for name, spec in config.columns.items()}
    baskets, hierarchy, beside = items_of(config, source)
    allow = frozenset(name for name, spec in config.columns.items() if spec.allow)
    return BasketData(
        beside, baskets, _table(config, beside, given), hierarchy, given, allow, has_rule(config)
    )


def has_rule(config: Config) -> bool:
    """Whether a hierarchy of the items is given."""
    return all(spec.hierarchy is not None for spec in config.columns.values() if spec.role == "items")


def items_of(config: Config, source: Source) -> tuple[Baskets, Hierarchy, Source]:
    """The items columns as one, their hierarchy, and the columns beside them, one row per basket.

    Several items columns get their names before their items. Where the data says whom a row belongs to, the rows of
    one person make one basket. Items of a long table come to the row that has their key.
    """
    specs = _items_columns(config)
    baskets, beside = baskets_by_column(config, source)
    given = {name: NEIGHBOURS if spec.hierarchy is None else spec.hierarchy for name, spec in specs.items()}
    hierarchies = {name: hierarchy_of(name, spec, baskets[name].values) for name, spec in given.items()}
    one = len(specs) == 1
    items = next(iter(baskets.values())) if one else prefix_items(list(baskets.values()))
    if items.name in beside.frame.columns:
        raise InputError(
            f"{beside.name}: the items are published as '{items.name}', and a column has that name; rename it"
        )
    return items, next(iter(hierarchies.values())) if one else prefix_hierarchy(hierarchies), beside


def baskets_by_column(config: Config, source: Source) -> tuple[dict[str, Baskets], Source]:
    """The baskets of each items column, and the columns beside them, one row per basket."""
    specs = _items_columns(config)
    inside = [name for name, spec in specs.items() if not spec.in_long_table]
    beside = _beside(config, source, inside)
    baskets = {
        name: _entries(config, name, spec, beside)
        if spec.in_long_table
        else _inside(config, source, name, inside)
        for name, spec in specs.items()
    }
    return baskets, beside


def _items_columns(config: Config) -> dict[str, ColumnSpec]:
    return {name: spec for name, spec in config.columns.items() if spec.role == "items"}


def _beside(config: Config, source: Source, inside: list[str]) -> Source:
    """The columns that are no items, one row per basket."""
    person = config.data.person
    if person is None or not inside:
        return replace(source, frame=source.frame.drop(inside, strict=False))
    return group_baskets(_only(source, inside[0], inside), inside[0], person)[1]


def _inside(config: Config, source: Source, name: str, inside: list[str]) -> Baskets:
    """The items of a column that stands among the records."""
    spec, person = config.columns[name], config.data.person
    if person is None:
        return baskets_of(source, name, separator=spec.separator, sensitive=spec.sensitive)
    alone = _only(source, name, inside)
    return group_baskets(alone, name, person, separator=spec.separator, sensitive=spec.sensitive)[0]


def _only(source: Source, name: str, inside: list[str]) -> Source:
    """The records without their other items columns."""
    return replace(
        source, frame=source.frame.drop([other for other in inside if other != name], strict=False)
    )


def _entries(config: Config, name: str, spec: ColumnSpec, people: Source) -> Baskets:
    """The items of a long table, whose owners are named by `person`, or by a column named as there."""
    key = config.data.person or str(spec.key)
    entries = entries_of(config, name, spec)
    held = join_baskets(people, key, entries, str(spec.key), str(spec.item), sensitive=spec.sensitive)
    return replace(held, name=name)


def _table(config: Config, beside: Source, given: dict[str, Role]) -> Table:
    """The labels and plain columns; identifiers are left out, checked first where no person is named."""
    person = config.data.person
    roles = {name: role for name, role in given.items() if role != "items"}
    if person is not None:
        roles = {person: "identifier", **roles}
    for name in roles:
        if name not in beside.frame.columns:
            raise no_column(beside, name, roles)
    identifiers = [name for name, role in roles.items() if role == "identifier"]
    if person is None:
        refuse_repeats(beside, identifiers)
    if set(beside.frame.columns) <= set(identifiers):
        return Table(())
    kept = replace(beside, frame=beside.frame.drop(identifiers))
    return table(kept, {name: role for name, role in roles.items() if role != "identifier"})
