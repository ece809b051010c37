"""Columns that are published as they are, made coarser before anything else looks at them."""

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from shoal.data import Column
from shoal.errors import InputError
from shoal.io.cells import cleaned, factorize, text
from shoal.io.config import ColumnSpec
from shoal.io.source import Source
from shoal.publish.hierarchies import hierarchy_of

__all__ = ["coarsened"]


def coarsened(source: Source, columns: Mapping[str, ColumnSpec]) -> Source:
    """The records, every plain or sensitive column that has a fixed level at that level; missing cells stay missing.

    Raises
    ------
    InputError
        A level without a hierarchy, for a role that has none, or higher than its hierarchy.
    """
    for name, spec in columns.items():
        _check(name, spec)
    levels = {name: spec for name, spec in columns.items() if spec.level is not None}
    changed = [_at_level(source, name, spec) for name, spec in levels.items() if name in source.frame.columns]
    return replace(source, frame=source.frame.with_columns(changed)) if changed else source


def _check(name: str, spec: ColumnSpec) -> None:
    fixed = spec.role in ("plain", "sensitive")
    if fixed and (spec.hierarchy is None) != (spec.level is None):
        raise InputError(
            f"column '{name}': a {spec.role} column takes a hierarchy and a level together, or neither"
        )
    if spec.level is not None and not fixed:
        raise InputError(
            f"column '{name}': level is for plain and sensitive columns; of a column that is {spec.role} the maker "
            "chooses it"
        )


def _at_level(source: Source, name: str, spec: ColumnSpec) -> pl.Series:
    """A column as text, each cell the label that stands for it."""
    cells = cleaned(text(source.frame[name]), source.missing)
    values, codes = factorize(cells)
    assert spec.hierarchy is not None
    assert spec.level is not None
    hierarchy = hierarchy_of(name, spec.hierarchy, values)
    if not 0 <= spec.level <= hierarchy.height:
        raise InputError(
            f"column '{name}': level={spec.level}; give one of the levels 0 to {hierarchy.height} of its hierarchy"
        )
    hierarchy = hierarchy.covering(source.missing)
    nodes = hierarchy.up[hierarchy.encode(Column(name, spec.role, values, codes)), spec.level]
    labels = pl.Series(name, hierarchy.labels[spec.level], dtype=pl.String).gather(pl.Series(nodes))
    return labels.set(cells.is_null(), None)
