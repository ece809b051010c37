"""Tables and baskets as codes, and which texts are one sensitive value.

Of a table each column is a vocabulary and int32 codes into it.

codes  : int32[n]   record i -> place in `values`
values : tuple      distinct cells as text; None is the missing value, a value of its own

Baskets of items are sparse: nothing of size records x items is ever held; alone, or beside a table.

start  : int64[n + 1]   record i holds items[start[i] : start[i + 1]]
items  : int32          item codes, ascending and without repeats within a record
values : tuple of str   the item behind each code, sorted as text
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import get_args

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.base.naming import RECODED, Role, suggest_name
from shoal.data.arrays import F8, I4, I8, prefix_sums, take_rows
from shoal.data.spelling import normalize_value, unify_spellings

__all__ = ["ROLE_WORDS", "Baskets", "Column", "Mixed", "Role", "Table", "normalize_value"]


ROLE_WORDS: dict[str, str] = {
    **{role: role for role in get_args(Role)},
    "direct identifier": "identifier",
    "personal identifier": "identifier",
    "key": "identifier",
    "quasi identifier": "quasi",
    "indirect identifier": "quasi",
    "qi": "quasi",
    "qid": "quasi",
    "known of some": "known",
    "may be known": "known",
    "basket": "items",
    "set": "items",
    "sampling weight": "weight",
    "survey weight": "weight",
    "household id": "household",
    "family": "household",
    "pseudonymous identifier": "pseudonym",
    "token": "pseudonym",
    "free text": "text",
    "dropped": "drop",
    "remove": "drop",
    "delete": "drop",
    "ignore": "drop",
}
"""What people call a role, and the role: no word leads to a role that publishes more than it says."""


@dataclass(frozen=True, slots=True, repr=False)
class Column(SafeRepr):
    """One column: its role and its cells as codes into `values`.

    Losses count it by its `weight`; a method that leaves cells out spares it by its `importance`.
    """

    name: str
    role: Role
    values: tuple[str | None, ...]
    codes: I4
    weight: float = 1.0
    importance: float = 1.0

    def __post_init__(self) -> None:
        if self.role not in get_args(Role):
            suggestion = suggest_name(self.role, get_args(Role), "use one of", ROLE_WORDS)
            raise InputError(f"column '{self.name}': unknown role; {suggestion}")
        self.codes.flags.writeable = False

    @classmethod
    def of(cls, name: str, role: Role, cells: Sequence[str | None], weight: float = 1.0) -> "Column":
        """Code `cells` in order of first appearance: for tests, examples and small inputs.

        >>> Column.of("sex", "quasi", ["F", "M", "F", None]).codes.tolist()
        [0, 1, 0, 2]
        """
        code_of = {cell: code for code, cell in enumerate(dict.fromkeys(cells))}
        return cls(name, role, tuple(code_of), np.array([code_of[c] for c in cells], dtype=np.int32), weight)

    def in_one_spelling(self) -> "Column":
        """The column with one value for all spellings of it: what claims about sensitive values count.

        >>> Column.of("ill", "sensitive", ["HIV", "flu", " hiv", "  "]).in_one_spelling().values
        ('HIV', 'flu', None)
        """
        pairs = list(zip(unify_spellings(self.values), self.values, strict=True))
        first: dict[str, str | None] = {"": None}
        for spelling, cell in sorted(pairs, key=lambda pair: unify_spellings([pair[1]]) != [pair[0]]):
            first.setdefault(
                spelling, cell
            )  # rather a cell that is spelled so: judges read their order from it
        meant = [first[spelling] for spelling, _ in pairs]
        code_of = {value: code for code, value in enumerate(dict.fromkeys(meant))}
        if len(code_of) == len(self.values):
            return self
        codes = np.array([code_of[value] for value in meant], dtype=np.int32)[self.codes]
        return replace(self, values=tuple(code_of), codes=codes)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records and how many different values, no value."""
        return {"name": self.name, "role": self.role, "records": len(self.codes), "values": len(self.values)}

    def some(self, rows: I8) -> "Column":
        """The cells of some records, in that order, in the same codes."""
        return replace(self, codes=self.codes[rows])

    def only(self, rows: I8) -> "Column":
        """The cells of some records, with no value that only others hold.

        >>> Column.of("sex", "quasi", ["F", "M", "F"]).only(np.array([0, 2])).values
        ('F',)
        """
        old_codes, codes = np.unique(self.codes[rows], return_inverse=True)
        values = tuple(self.values[code] for code in old_codes.tolist())
        return replace(self, values=values, codes=codes.astype(np.int32))

    def cells(self) -> list[str | None]:
        """Every record's cell as text."""
        return [self.values[code] for code in self.codes]


@dataclass(frozen=True, repr=False)
class Table(SafeRepr):
    """Records by row: columns of one length, and whom each row belongs to.

    persons : int64[n], equal numbers for rows of one person; None when every row is a person
    counts  : int64[n], how many records each row stands for; None when each is one. A table with counts is the
              frequency table of its columns; only methods that count tuples take it
    weights : float64[n], how many people of the population each row stands for; None when it is no survey
    households : int64[n], equal numbers for rows of one household; None when nobody said who lives together
    """

    columns: tuple[Column, ...]
    persons: I8 | None = None
    counts: I8 | None = None
    weights: F8 | None = None
    households: I8 | None = None

    def __post_init__(self) -> None:
        lengths = {len(column.codes) for column in self.columns}
        if len(lengths) > 1:
            raise InputError("table: the columns differ in length; give every column one cell per record")
        names = [column.name for column in self.columns]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"table: column '{name}' occurs twice; rename one")

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.columns[0].codes) if self.columns else 0

    @property
    def records(self) -> int:
        """The number of records: of rows, or of what they stand for."""
        return self.n if self.counts is None else int(self.counts.sum())

    def in_one_spelling(self) -> "Table":
        """The table as methods count it: every sensitive column with one value for all spellings of it."""
        columns = tuple(
            column.in_one_spelling() if column.role == "sensitive" else column for column in self.columns
        )
        return replace(self, columns=columns)

    def some(self, rows: I8) -> "Table":
        """Some of the records, in that order, in the same codes."""
        return replace(self._beside(rows), columns=tuple(column.some(rows) for column in self.columns))

    def _beside(self, rows: I8) -> "Table":
        """What is known of some records beside their columns."""
        return Table(
            (),
            None if self.persons is None else self.persons[rows],
            None if self.counts is None else self.counts[rows],
            None if self.weights is None else self.weights[rows],
            None if self.households is None else self.households[rows],
        )

    def only(self, rows: I8) -> "Table":
        """Some of the records, in that order, as if there were no others."""
        whose = None if self.persons is None else np.unique(self.persons[rows], return_inverse=True)[1]
        persons = None if whose is None else whose.astype(np.int64)
        columns = tuple(column.only(rows) for column in self.columns)
        return replace(self._beside(rows), columns=columns, persons=persons)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records, and which columns have which role."""
        by_role = {role: ", ".join(column.name for column in self.role(role)) for role in get_args(Role)}
        several = {} if self.persons is None else {"persons": len(np.unique(self.persons))}
        return {
            "records": self.records,
            **several,
            **{role: names for role, names in by_role.items() if names},
        }

    def role(self, role: Role) -> tuple[Column, ...]:
        """The columns of one role, in table order."""
        return tuple(column for column in self.columns if column.role == role)

    def column(self, name: str) -> Column:
        """The column called `name`."""
        for column in self.columns:
            if column.name == name:
                return column
        suggestion = suggest_name(name, (column.name for column in self.columns))
        raise InputError(f"table: no column '{name}'; {suggestion}")

    @cached_property
    def quasi(self) -> tuple[Column, ...]:
        """What others may know, in table order: the quasi-identifiers, and the known columns where there are any."""
        return tuple(column for column in self.columns if column.role in RECODED)

    @property
    def core(self) -> tuple[Column, ...]:
        """The columns that everybody knows: the quasi-identifiers alone."""
        return self.role("quasi")


@dataclass(frozen=True, slots=True, repr=False)
class Baskets(SafeRepr):
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
        code_of = {value: code for code, value in enumerate(values)}
        start = np.cumsum([0, *map(len, sorts)], dtype=np.int64)
        items = np.array([code_of[item] for basket in sorts for item in basket], dtype=np.int32)
        return cls(name, values, start, items, frozenset(code_of[item] for item in secret))

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.start) - 1

    def some(self, rows: I8) -> "Baskets":
        """Some of the records, in that order, in the same codes."""
        start, items = take_rows(self.start, self.items, rows)
        return replace(self, start=start, items=items)

    def without(self, gone: frozenset[int]) -> "Baskets":
        """The same baskets without some items."""
        if not gone:
            return self
        mask = ~np.isin(self.items, list(gone))
        return replace(self, start=prefix_sums(mask)[self.start].astype(np.int64), items=self.items[mask])

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records and how many different items, no item."""
        counts = {"records": self.n, "items": len(self.values), "items held": len(self.items)}
        return {"name": self.name, **counts, "sensitive items": len(self.sensitive)}

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
class Mixed(SafeRepr):
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
