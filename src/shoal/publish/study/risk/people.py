"""The people of a dataset as far as an attacker may know them: quasi-identifiers, items, trees."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.data import Baskets, Table, Trees
from shoal.data.lists import take
from shoal.data.types import I8
from shoal.discreet import Discreet
from shoal.publish.protocols import Dataset

__all__ = ["People"]


@dataclass(frozen=True, repr=False)
class People(Discreet):
    """What can be known of people; a part that the shape does not have is None.

    table   : the quasi-identifiers, one row per record
    baskets : the items, one basket per record
    trees   : one tree per record
    """

    table: Table | None
    baskets: Baskets | None
    trees: Trees | None

    @classmethod
    def of(cls, dataset: Dataset) -> "People":
        """Take from a dataset what its makers take."""
        given: Mapping[str, Any] = dataset.inputs
        if "mixed" in given:
            return cls(_quasi(given["mixed"].table), given["mixed"].baskets, None)
        table = given.get("table")
        return cls(None if table is None else _quasi(table), given.get("baskets"), given.get("trees"))

    @property
    def rows(self) -> int:
        """How many records there are."""
        part = self.table or self.baskets or self.trees
        assert part is not None
        return part.n

    @property
    def persons(self) -> I8 | None:
        """Whom each record belongs to, 0 .. count-1; None where every record is a person."""
        whose = None if self.table is None else self.table.persons
        return None if whose is None else np.unique(whose, return_inverse=True)[1]

    @property
    def count(self) -> int:
        """How many people there are."""
        whose = self.persons
        return self.rows if whose is None else int(whose.max(initial=-1)) + 1

    def some(self, many: int) -> "People":
        """So many people, drawn at random, always the same, with all their records."""
        drawn = np.zeros(self.count, dtype=bool)
        drawn[np.random.default_rng(0).choice(self.count, many, replace=False)] = True
        whose = self.persons
        return self._take(np.flatnonzero(drawn if whose is None else drawn[whose]))

    def _take(self, rows: I8) -> "People":
        table, baskets, trees = self.table, self.baskets, self.trees
        if table is not None:
            columns = tuple(replace(column, codes=column.codes[rows]) for column in table.columns)
            table = Table(columns, None if table.persons is None else table.persons[rows])
        if baskets is not None:
            start, items = take(baskets.start, baskets.items, rows)
            baskets = replace(baskets, start=start, items=items)
        return People(table, baskets, None if trees is None else trees.take(rows))


def _quasi(table: Table) -> Table:
    """The quasi-identifiers alone."""
    return Table(table.quasi, table.persons)
