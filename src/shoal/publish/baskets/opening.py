"""Baskets as a configuration describes them."""

from dataclasses import replace

from shoal.data import Role, Sets, Table
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy, build, files
from shoal.io.baskets import grouped, sets_of
from shoal.io.config import ColumnSpec, Config
from shoal.io.mixed import prefixed, prefixed_tree
from shoal.io.source import Source
from shoal.io.tables import refuse_repeats, table
from shoal.publish.baskets.dataset import BasketData

__all__ = ["baskets_from_config", "items_of"]

_FANOUT = 5


def baskets_from_config(config: Config, source: Source) -> BasketData:
    """Read the items, their hierarchy and the columns beside them."""
    given: dict[str, Role] = {name: spec.role for name, spec in config.columns.items()}
    sets, tree, beside = items_of(config, source)
    allow = frozenset(name for name, spec in config.columns.items() if spec.allow)
    return BasketData(beside, sets, _table(config, beside, given), tree, given, allow)


def items_of(config: Config, source: Source) -> tuple[Sets, Hierarchy, Source]:
    """The items columns as one, their hierarchy, and the columns beside them, one row a basket.

    Several items columns get their names before their items. Where the data says who a row belongs to, the rows of
    one person make one basket.
    """
    specs = {name: spec for name, spec in config.columns.items() if spec.role == "items"}
    person = config.data.person
    if person is not None and len(specs) == 1:
        ((name, spec),) = specs.items()
        one, beside = grouped(source, name, person, separator=spec.separator, sensitive=spec.sensitive)
        return one, _tree(name, spec, one), beside
    sets = {
        name: sets_of(source, name, separator=spec.separator, sensitive=spec.sensitive)
        for name, spec in specs.items()
    }
    trees = {name: _tree(name, spec, sets[name]) for name, spec in specs.items()}
    beside = replace(source, frame=source.frame.drop(list(specs)))
    if len(specs) == 1:
        return next(iter(sets.values())), next(iter(trees.values())), beside
    return prefixed(list(sets.values())), prefixed_tree(trees), beside


def _tree(name: str, spec: ColumnSpec, sets: Sets) -> Hierarchy:
    """The hierarchy given for an items column; without one, neighbours in order are grouped."""
    if spec.hierarchy is None:
        return build.build(name, {"fanout": _FANOUT}, sets.values)
    if isinstance(spec.hierarchy, dict):
        return build.build(name, spec.hierarchy, sets.values)
    return files.read(spec.hierarchy)


def _table(config: Config, beside: Source, given: dict[str, Role]) -> Table:
    """The labels and plain columns; identifiers are checked and left out."""
    person = config.data.person
    roles = {name: role for name, role in given.items() if role != "items"}
    if person is not None:
        roles = {person: "identifier", **roles}
    for name in roles:
        if name not in beside.frame.columns:
            raise InputError(
                f"{beside.name}: no column '{name}'; there are {', '.join(beside.frame.columns)}"
            )
    if set(beside.frame.columns) <= {name for name, role in roles.items() if role == "identifier"}:
        refuse_repeats(beside, list(beside.frame.columns))
        return Table(())
    return table(beside, roles)
