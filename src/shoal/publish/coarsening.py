"""Columns that are published as they are, made coarser before anything else looks at them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.data import Column
from shoal.data.arrays import I8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import ColumnSpec
from shoal.io.read.cells import clean_cells, factorize, text
from shoal.io.read.source import Source
from shoal.publish.hierarchies import Spec, hierarchy_of, is_built

__all__ = ["Coarse", "coarsened"]


@dataclass(frozen=True, slots=True, repr=False)
class Coarse(Discreet):
    """A plain or sensitive column that is published at a fixed level of its hierarchy.

    cells : every record's cell as it came, as text; missing ones are null
    lost  : the share of the detail that is lost
    """

    name: str
    spec: Spec
    level: int
    cells: pl.Series
    missing: tuple[str, ...]
    lost: float = 0.0

    @property
    def built(self) -> bool:
        """Whether its labels depend on which values there are."""
        return is_built(self.spec)

    def labels(self, rows: I8 | None = None, *, anew: bool = True) -> pl.Series:
        """The label that stands for each cell; missing cells stay missing.

        A hierarchy that is built is made of the values of some `rows` alone, where it is made `anew`; else its nodes
        are named by them. What nobody of them holds is its root.

        Raises
        ------
        InputError
            The level is higher than the hierarchy of all values.
        """
        values, codes = factorize(self.cells)
        held = values if rows is None else factorize(self.cells.gather(pl.Series(rows)))[0]
        hierarchy = self._hierarchy(held if self.built and anew else values)
        if rows is not None:
            hierarchy = hierarchy.named_by(np.isin(np.arange(hierarchy.size), hierarchy.look_up(held)))
        elif not 0 <= self.level <= hierarchy.height:
            raise InputError(
                f"column '{self.name}': level={self.level}; give one of the levels 0 to {hierarchy.height} of its "
                "hierarchy"
            )
        level = min(self.level, hierarchy.height)
        if rows is None:  # a value that its hierarchy lacks is an error
            leaves = hierarchy.encode(Column(self.name, "plain", values, codes))
        else:  # and here it is one that is not published
            found = hierarchy.look_up(values)
            leaves = np.where(found < 0, hierarchy.size, found)[codes]
        nodes = hierarchy.up[leaves, level]
        labels = pl.Series(self.name, hierarchy.labels[level], dtype=pl.String).gather(pl.Series(nodes))
        return labels.set(self.cells.is_null(), None)

    def loss(self) -> float:
        """The share of the detail that is lost: what a label may stand for beside the cell (ncp), on average."""
        values, codes = factorize(self.cells.drop_nulls())
        hierarchy = self._hierarchy(values)
        if hierarchy.size < 2 or not len(codes):
            return 0.0
        nodes = hierarchy.up[:, min(self.level, hierarchy.height)]
        wide = (np.bincount(nodes[: hierarchy.size]) - 1) / (hierarchy.size - 1)
        return float(wide[nodes[hierarchy.look_up(values)[codes]]].mean())

    def _hierarchy(self, values: tuple[str | None, ...]) -> Hierarchy:
        return hierarchy_of(self.name, self.spec, values).covering(self.missing)


def coarsened(source: Source, columns: Mapping[str, ColumnSpec]) -> tuple[Source, dict[str, Coarse]]:
    """The records, every plain or sensitive column that has a fixed level at that level; and those columns.

    Raises
    ------
    InputError
        A level without a hierarchy, for a role that has none, or higher than its hierarchy; or a value that its
        file lacks.
    """
    found = {}
    for name, spec in columns.items():
        _check(name, spec)
        if spec.level is not None and spec.hierarchy is not None and name in source.frame.columns:
            cells = clean_cells(text(source.frame[name]), source.missing)
            found[name] = Coarse(name, spec.hierarchy, spec.level, cells, source.missing)
    if not found:
        return source, found
    frame = source.frame.with_columns(c.labels() for c in found.values())
    return replace(source, frame=frame), {name: replace(one, lost=one.loss()) for name, one in found.items()}


def _check(name: str, spec: ColumnSpec) -> None:
    fixed = spec.role in ("plain", "sensitive")
    if fixed and (spec.hierarchy is None) != (spec.level is None):
        raise InputError(
            f"column '{name}': a {spec.role} column takes a hierarchy and a level together, or neither"
        )
    if spec.level is not None and not fixed:
        raise InputError(
            f"column '{name}': level is for plain and sensitive columns; of a column that is {spec.role} the method "
            "chooses it"
        )
