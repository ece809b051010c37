"""A table as local makers see it: records by rising code, priced by column; and classes of them as a release."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from math import isfinite
from typing import Annotated

import numpy as np

from shoal.algorithms._kernels import Layout, Rates
from shoal.algorithms.knobs import OneOf
from shoal.algorithms.lattice.cube import Cube
from shoal.algorithms.local._kernels.classes import Ask, Tally, repair
from shoal.algorithms.local.class_labels import write
from shoal.algorithms.local.column_prices import (
    Scale,
    as_nodes,
    as_range,
    as_set,
    default_grid,
    places_of,
    rates_of,
    shares_of,
)
from shoal.algorithms.local.record_order import sort_records
from shoal.data import Table
from shoal.data.lists import owners
from shoal.data.types import I4, I8
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.labels import numbers_of, refuse_lookalikes
from shoal.naming import hint
from shoal.release import Claim, Recoded, Result

__all__ = ["Classes", "Grid", "Local"]

Grid = float | Mapping[str, float] | None
Recode = Annotated[str, OneOf(("hierarchy", "span"))]

_REACH = 2_000  # classes on either side among which a class that breaks a claim looks for a partner


@dataclass(frozen=True, slots=True)
class Classes:
    """Records in classes: class c is walk[starts[c] : starts[c + 1]]."""

    walk: I8
    starts: I8

    @classmethod
    def of(cls, number: I8) -> "Classes":
        """Records with equal numbers are a class."""
        walk = np.argsort(number, kind="stable")
        return cls(walk, np.r_[0, np.flatnonzero(np.diff(number[walk])) + 1, len(number)].astype(np.int64))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> I8:
        """The records of each class."""
        return np.diff(self.starts)

    def of_records(self) -> I8:
        """The class of each record."""
        of = np.empty(len(self.walk), dtype=np.int64)
        of[self.walk] = owners(self.starts)
        return of

    def sorted(self) -> "Classes":
        """The same classes by smallest record: their order depends only on which records are together."""
        number = self.of_records()
        first = np.unique(number, return_index=True)[1]
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return Classes.of(rank[number])


@dataclass(frozen=True)
class Local:
    """The records that are kept, by rising code: of two records the smaller one comes first.

    rows     : int64[n]     the original record behind each
    codes    : int32[n, d]  places of `scales`
    tuple_of : int64[n]     0, 1, ... equal where the quasi-identifiers are
    words    : int64[W, m]  the distinct tuples, packed as `layout` says
    recode   : how a class is written
    records  : how many records came in
    scaled   : prices the columns of records given as leaf codes
    """

    maker: str
    names: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    scales: tuple[Scale, ...]
    rows: I8
    codes: I4
    tuple_of: I8
    words: I8
    layout: Layout
    recode: str
    records: int
    scaled: Callable[[I4], tuple[Scale, ...]]

    @classmethod
    def of(
        cls,
        maker: str,
        table: Table,
        hierarchies: Hierarchies,
        *,
        recode: str,
        grid: Grid,
        mix: bool,
        k: int = 1,
    ) -> "Local":
        """Sort and price the quasi-identifiers of `table`."""
        if recode not in ("hierarchy", "span"):
            raise InputError(
                f"{maker}: recode must be hierarchy or span{hint(recode, ('hierarchy', 'span'))}",
                value=recode,
            )
        cube = Cube.of(maker, replace(table, persons=None), hierarchies)
        rows, tuple_of, words = sort_records(cube.packed, table, mix=mix)
        leaves = cube.leaves[rows]
        steps = _steps(maker, dict(zip(cube.names, cube.hierarchies, strict=True)), recode, grid)
        people = 1 if table.persons is None else int(np.bincount(table.persons).max(initial=1))
        shares = shares_of(table)

        def scaled(leaves: I4) -> tuple[Scale, ...]:
            return tuple(
                _scale(hierarchy, leaves[:, j], recode, steps.get(name), float(shares[j]), k * people)
                for j, (name, hierarchy) in enumerate(zip(cube.names, cube.hierarchies, strict=True))
            )

        scales = scaled(leaves)
        return cls(
            maker,
            cube.names,
            cube.hierarchies,
            scales,
            rows,
            places_of(scales, leaves),
            tuple_of,
            words,
            cube.layout,
            recode,
            cube.n,
            scaled,
        )

    @property
    def n(self) -> int:
        """The number of records kept."""
        return len(self.rows)

    @cached_property
    def rates(self) -> Rates:
        """What classes cost."""
        return rates_of(self.scales)

    @cached_property
    def first(self) -> I8:
        """The first record of each tuple."""
        return np.flatnonzero(np.r_[True, np.diff(self.tuple_of) > 0])

    @cached_property
    def tuples(self) -> I4:
        """int32[m, d]: the distinct tuples as places."""
        return np.ascontiguousarray(self.codes[self.first])

    @cached_property
    def counts(self) -> I8:
        """How many records each tuple stands for."""
        return np.asarray(np.diff(np.r_[self.first, self.n]), dtype=np.int64)

    @property
    def leaves(self) -> I4:
        """int32[n, d]: the records as leaf codes."""
        return np.stack([scale.leaf[self.codes[:, j]] for j, scale in enumerate(self.scales)], axis=1)

    def along(self, line: I8) -> I8:
        """The records along a line of tuples."""
        rank = np.empty(len(line), dtype=np.int64)
        rank[line] = np.arange(len(line))
        return np.argsort(rank[self.tuple_of], kind="stable")

    def keeping(self, kept: I8) -> "Local":
        """The same table without the other records."""
        left, tuple_of = np.unique(self.tuple_of[kept], return_inverse=True)
        leaves = self.leaves[kept]
        scales = (
            self.scaled(leaves) if self.recode == "span" else self.scales
        )  # what is left out sets no grid
        return replace(
            self,
            rows=self.rows[kept],
            scales=scales,
            codes=np.ascontiguousarray(places_of(scales, leaves)),
            tuple_of=tuple_of.astype(np.int64),
            words=np.ascontiguousarray(self.words[:, left]),
        )

    def settle(self, classes: Classes, ask: Ask, tally: Tally | None) -> tuple[Classes, int]:
        """Merge classes that break the claim, and count the mergers; classes written alike are one class.

        With k alone, and if every record is a person, classes of at least k keep the claim, and so do their unions.
        """
        plain = not len(ask.who) and not len(ask.what)
        if plain and classes.sizes.min() >= ask.k:
            return classes, 0
        mergers = 0
        while True:
            classes = classes.sorted()
            walk, starts, merged = repair(
                self.codes, classes.walk, classes.starts, _REACH, self.rates, ask, tally
            )
            classes, mergers = Classes(walk, starts), mergers + merged
            alike = self._alike(classes)
            if plain or alike.max() + 1 == len(classes):
                return classes, mergers
            classes = Classes.of(alike[classes.of_records()])

    def _alike(self, classes: Classes) -> I8:
        """Classes whose forms stand for the same leaves get the same number."""
        forms, written = write(
            self.hierarchies, self.scales, self.recode, self.codes, classes.walk, classes.starts
        )
        sets = np.stack([form.sets()[written[:, j]] for j, form in enumerate(forms)], axis=1)
        return np.unique(sets, axis=0, return_inverse=True)[1].reshape(-1)

    def release(self, classes: Classes, claim: Claim, **trace: object) -> Result[Recoded]:
        """Write every class as a release."""
        forms, written = write(
            self.hierarchies, self.scales, self.recode, self.codes, classes.walk, classes.starts
        )
        order = np.argsort(self.rows)
        codes = np.ascontiguousarray(written[classes.of_records()[order]])
        recoded = Recoded(self.names, forms, codes, self.rows[order], self.records)
        return Result(recoded, claim, trace={**trace, "classes": len(classes)})


def _scale(
    hierarchy: Hierarchy, leaves: I4, recode: str, step: Decimal | None, weight: float, k: int
) -> Scale:
    """The column's prices under the way it will be written."""
    if recode == "span":
        grid = default_grid(hierarchy, leaves) if step is None else step
        return as_range(hierarchy, leaves, grid, weight) or as_set(hierarchy, leaves, weight, k)
    return as_nodes(hierarchy, leaves, weight=weight)


def _steps(maker: str, hierarchies: Hierarchies, recode: str, grid: Grid) -> dict[str, Decimal | None]:
    """For each column, the step that ends of ranges lie on."""
    if recode != "span":
        if grid is not None:
            raise InputError(f'{maker}: grid is for recode = "span"; set that or leave grid out')
        return {}
    given = dict(grid) if isinstance(grid, Mapping) else dict.fromkeys(hierarchies, grid)
    for name, step in given.items():
        if name not in hierarchies:
            near = hint(name, hierarchies)
            raise InputError(f"{maker}: grid names '{name}', which is no quasi-identifier{near}")
        if isinstance(grid, Mapping) and numbers_of(hierarchies[name]) is None:
            raise InputError(
                f"{maker}: grid names '{name}', whose values are no numbers; leave it out of grid"
            )
        if step is not None and (isinstance(step, bool) or not isfinite(step) or step <= 0):
            raise InputError(f"{maker}: a grid's step must be a number above 0")
    for hierarchy in hierarchies.values():
        refuse_lookalikes(hierarchy)
    return {name: None if given.get(name) is None else Decimal(str(given[name])) for name in hierarchies}
