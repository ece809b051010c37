"""A table bound to its hierarchies: everything a maker, a judge and the door need, read and checked once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data import Column, Role, Table
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies, Hierarchy, build, files
from shoal.io.config import Config
from shoal.io.read import read
from shoal.io.source import Source
from shoal.io.tables import table

__all__ = ["Dataset", "Spec", "bind", "from_config", "open_source"]

Spec = Path | Hierarchy | Mapping[str, Any] | None


@dataclass(frozen=True)
class Dataset:
    """People's data with roles and hierarchies, ready to be anonymized.

    `allow` names plain columns the user publishes knowingly, whatever they give away.
    """

    source: Source
    table: Table
    trees: Hierarchies
    roles: Mapping[str, Role]
    allow: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def leaves(self) -> NDArray[np.int32]:
        """int32[n, d]: each record's leaf code in each quasi-identifier."""
        codes = [self.trees[column.name].encode(column) for column in self.table.quasi]
        return np.stack(codes, axis=1) if codes else np.empty((self.table.n, 0), dtype=np.int32)

    @property
    def weights(self) -> dict[str, float]:
        """The quasi-identifiers' weights."""
        return {column.name: column.weight for column in self.table.quasi}


def bind(
    source: Source,
    roles: Mapping[str, Role],
    specs: Mapping[str, Spec],
    *,
    weights: Mapping[str, float] | None = None,
    person: str | None = None,
    allow: frozenset[str] = frozenset(),
) -> Dataset:
    """Code the cells, read or build a hierarchy for every quasi-identifier, and check that each covers its column."""
    coded = table(source, roles, weights=weights or {}, person=person)
    for name in specs:
        if roles.get(name) != "quasi":
            raise InputError(
                f"column '{name}': a hierarchy needs role quasi; change the role or leave it out"
            )
    trees = {column.name: _tree(column, specs.get(column.name), source.missing) for column in coded.quasi}
    dataset = Dataset(source, coded, trees, dict(roles), allow)
    _ = dataset.leaves  # an uncovered value is told now, before any search starts
    return dataset


def from_config(config: Config) -> Dataset:
    """Read the data and hierarchies a configuration file names."""
    if config.shape != "table":
        raise InputError(
            f"configuration: the {config.shape} shape is not built yet; this version takes tables"
        )
    columns = config.columns
    return bind(
        open_source(config),
        {name: spec.role for name, spec in columns.items()},
        {name: spec.hierarchy for name, spec in columns.items() if spec.hierarchy is not None},
        weights={name: spec.weight for name, spec in columns.items()},
        person=config.data.person,
        allow=frozenset(name for name, spec in columns.items() if spec.allow),
    )


def open_source(config: Config) -> Source:
    """Read the data file a configuration names."""
    data = config.data
    if data.path is None:
        raise InputError("configuration: [data] needs a path; reading a url is not built yet")
    return read(data.path, delimiter=data.delimiter, encoding=data.encoding, missing=data.missing)


def _tree(column: Column, spec: Spec, missing: tuple[str, ...]) -> Hierarchy:
    """The column's hierarchy: as given, read from its file, or built."""
    if isinstance(spec, Hierarchy):
        tree = spec
    elif isinstance(spec, Path):
        tree = files.read(spec)
    elif spec is None:
        tree = build.flat(column.name, column.values)
    else:
        tree = build.build(column.name, spec, column.values)
    return tree.covering(missing)
