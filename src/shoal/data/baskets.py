"""Baskets of items, sparse: nothing of size records x items is ever held; alone, or beside a table.

start  : int64[n + 1]   record i holds items[start[i] : start[i + 1]]
items  : int32          item codes, ascending and without repeats within a record
values : tuple of str   the item behind each code, sorted as text
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.data.arrays import I4, I8, prefix_sums, take
from shoal.data.table import Table
from shoal.discreet import Discreet
from shoal.errors import InputError

__all__ = ["Baskets", "Mixed"]


@dataclass(frozen=True, slots=True, repr=False)
class Baskets(Discreet):
    """One basket per record; `sensitive` holds the codes of items that must not be linked to anybody."""

    name: str
    values: tuple[str, ...]
    start: I8
    items: I4
    sensitive: frozenset[int] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        self.start.flags.writeable = False
        self.items.flags.writeable = False

    @classmethod
    def of(cls, name: str, baskets: Iterable[Iterable[str]], sensitive: Iterable[str] = ()) -> "Baskets":
        """Code baskets of texts: for tests, examples and small inputs; repeats collapse.

        >>> baskets = Baskets.of("items", [["b", "a", "b"], [], ["c"]])
        >>> baskets.values, baskets.start.tolist(), baskets.items.tolist()
        (('a', 'b', 'c'), [0, 2, 2, 3], [0, 1, 2])
        """
        sorts = [sorted(set(basket)) for basket in baskets]
        secret = set(sensitive)
        values = tuple(sorted({item for basket in sorts for item in basket} | secret))
        place = {value: code for code, value in enumerate(values)}
        start = np.cumsum([0, *map(len, sorts)], dtype=np.int64)
        items = np.array([place[item] for basket in sorts for item in basket], dtype=np.int32)
        return cls(name, values, start, items, frozenset(place[item] for item in secret))

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.start) - 1

    def some(self, rows: I8) -> "Baskets":
        """Some of the records, in that order, in the same codes."""
        start, items = take(self.start, self.items, rows)
        return replace(self, start=start, items=items)

    def without(self, gone: frozenset[int]) -> "Baskets":
        """The same baskets without some items."""
        if not gone:
            return self
        kept = ~np.isin(self.items, list(gone))
        return replace(self, start=prefix_sums(kept)[self.start].astype(np.int64), items=self.items[kept])

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records and how many different items, no item."""
        held = {"records": self.n, "items": len(self.values), "items held": len(self.items)}
        return {"name": self.name, **held, "sensitive items": len(self.sensitive)}

    def basket(self, record: int) -> I4:
        """The item codes of one record."""
        return self.items[self.start[record] : self.start[record + 1]]

    def code(self, item: str) -> int:
        """The code of an item by its text."""
        if item not in self.values:
            raise InputError(
                f"column '{self.name}': a named item does not occur in the data; correct it or leave it out",
                value=item,
            )
        return self.values.index(item)


@dataclass(frozen=True, slots=True, repr=False)
class Mixed(Discreet):
    """A table with baskets: record i is row i of `table` with basket i of `baskets`.

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
