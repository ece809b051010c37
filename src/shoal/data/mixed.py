"""A table with baskets: every record has quasi-identifiers and a set of items."""

from dataclasses import dataclass

import numpy as np

from shoal.data.baskets import Baskets
from shoal.data.table import Table
from shoal.data.types import I8
from shoal.discreet import Discreet
from shoal.errors import InputError

__all__ = ["Mixed"]


@dataclass(frozen=True, slots=True, repr=False)
class Mixed(Discreet):
    """A table and baskets by row: record i is row i of `table` with basket i of `baskets`.

    A record is a person. Several rows of one person would each count as somebody who hides the others.
    """

    table: Table
    baskets: Baskets

    def __post_init__(self) -> None:
        if self.table.n != self.baskets.n:
            raise InputError(
                f"mixed: {self.baskets.n} baskets for {self.table.n} records; give every record one, empty or not"
            )
        persons = self.table.persons
        if persons is not None and len(np.unique(persons)) < len(persons):
            rows = len(persons) - len(np.unique(persons))
            raise InputError(
                f"mixed: {rows} of {len(persons)} rows repeat a person; give every person one row, with all items "
                "in its basket"
            )

    def some(self, rows: I8) -> "Mixed":
        """Some of the records, in that order."""
        return Mixed(self.table.some(rows), self.baskets.some(rows))

    def facts(self) -> dict[str, object]:
        """What may be shown of both parts."""
        return {**self.table.facts(), **self.baskets.facts()}

    @property
    def n(self) -> int:
        """The number of records."""
        return self.table.n
