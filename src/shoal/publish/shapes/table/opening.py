"""A table with its roles and hierarchies, as a configuration or a caller describes it."""

import warnings
from collections.abc import Mapping, Sequence

from shoal.data import Column, Role
from shoal.errors import InputError, ShoalWarning
from shoal.hierarchy.suggest import fitting_rule, wants_groups
from shoal.io.config import Config
from shoal.io.read.cells import table
from shoal.io.read.records import records_of, settle_roles
from shoal.io.read.source import Source
from shoal.publish.coarsening import Coarse, coarsened
from shoal.publish.hierarchies import Spec, hierarchy_over
from shoal.publish.shapes.table.dataset import TableData

__all__ = ["bind", "from_config", "open_config"]

_GROUPS = "a hierarchy file, or groups of values"


def open_config(config: Config) -> TableData:
    """Read the records and bind them to their hierarchies."""
    return from_config(config, records_of(config))


def bind(
    source: Source,
    roles: Mapping[str, Role],
    specs: Mapping[str, Spec],
    *,
    weights: Mapping[str, float] | None = None,
    person: str | None = None,
    allow: frozenset[str] = frozenset(),
    coarse: Mapping[str, Coarse] | None = None,
) -> TableData:
    """Code the cells, read or build a hierarchy for every quasi-identifier, and check that each covers its column."""
    coded = table(source, roles, weights=weights or {}, person=person)
    for name in specs:
        if roles.get(name) != "quasi":
            raise InputError(
                f"column '{name}': only quasi-identifiers have a hierarchy; give it the role quasi, a "
                "fixed level, or leave the hierarchy out"
            )
    _tell_bare(source, [column for column in coded.quasi if column.name not in specs])
    given = {column.name: specs.get(column.name) for column in coded.quasi}
    hierarchies = {
        column.name: hierarchy_over(column, given[column.name], source.missing) for column in coded.quasi
    }
    dataset = TableData(source, coded, hierarchies, dict(roles), allow, given, coarse or {})
    _ = dataset.leaves  # an uncovered value is told now, before any search starts
    return dataset


def from_config(config: Config, source: Source) -> TableData:
    """Bind the table and hierarchies a configuration describes."""
    config, source = settle_roles(config, source)
    columns = config.columns
    source, coarse = coarsened(source, columns)
    return bind(
        source,
        {name: spec.role for name, spec in columns.items()},
        {name: spec.recoded_by for name, spec in columns.items() if spec.recoded_by is not None},
        weights={name: spec.weight for name, spec in columns.items()},
        person=config.data.person,
        allow=frozenset(name for name, spec in columns.items() if spec.allow),
        coarse=coarse,
    )


def _tell_bare(source: Source, columns: Sequence[Column]) -> None:
    """Name the rules that fit columns of many values which have none: all that is not kept of them becomes `*`."""
    bare = {
        column.name: rule
        for column in columns
        if not wants_groups(column.values) and (rule := fitting_rule(column.values)) is not None
    }
    if bare:
        told = "; ".join(f"'{name}': {rule or _GROUPS}" for name, rule in bare.items())
        warnings.warn(
            f"{source.name}: without a rule, values of these quasi-identifiers are published as they are or as *; what "
            f"fits them: {told}",
            ShoalWarning,
            stacklevel=2,
        )
