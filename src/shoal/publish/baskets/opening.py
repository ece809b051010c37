"""Baskets as a configuration describes them."""

from shoal.data import Role, Sets, Table
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy, build, files
from shoal.io.baskets import sets_of
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
    sets, tree = items_of(config, source)
    allow = frozenset(name for name, spec in config.columns.items() if spec.allow)
    return BasketData(source, sets, _beside(config, source, given), tree, given, allow)


def items_of(config: Config, source: Source) -> tuple[Sets, Hierarchy]:
    """The items columns as one, with their hierarchy; several columns get their names before their items."""
    specs = {name: spec for name, spec in config.columns.items() if spec.role == "items"}
    sets = {
        name: sets_of(source, name, separator=spec.separator, sensitive=spec.sensitive)
        for name, spec in specs.items()
    }
    trees = {name: _tree(name, spec, sets[name]) for name, spec in specs.items()}
    if len(specs) == 1:
        return next(iter(sets.values())), next(iter(trees.values()))
    return prefixed(list(sets.values())), prefixed_tree(trees)


def _tree(name: str, spec: ColumnSpec, sets: Sets) -> Hierarchy:
    """The hierarchy given for an items column; without one, neighbours in order are grouped."""
    if spec.hierarchy is None:
        return build.build(name, {"fanout": _FANOUT}, sets.values)
    if isinstance(spec.hierarchy, dict):
        return build.build(name, spec.hierarchy, sets.values)
    return files.read(spec.hierarchy)


def _beside(config: Config, source: Source, given: dict[str, Role]) -> Table:
    """The labels and plain columns; identifiers are checked and left out."""
    if config.data.person is not None:
        given = {config.data.person: "identifier", **given}
    items = [name for name, role in given.items() if role == "items"]
    rest = Source(source.frame.drop(items), source.kind, source.name, source.missing)
    roles = {name: role for name, role in given.items() if role != "items"}
    missing = [name for name in roles if name not in rest.frame.columns]
    if missing:
        raise InputError(
            f"{source.name}: no column '{missing[0]}'; there are {', '.join(source.frame.columns)}"
        )
    if set(rest.frame.columns) <= {name for name, role in roles.items() if role == "identifier"}:
        refuse_repeats(rest, list(rest.frame.columns))
        return Table(())
    return table(rest, roles)
