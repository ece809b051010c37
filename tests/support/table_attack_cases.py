"""Small releases beside their originals, as attackers take them and as their slow twins do."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from shoal.attacks.engine import Absences
from shoal.attacks.view_items import MixedView
from shoal.attacks.view_table import Dependency, PublishedColumn, TableView

LEAVES, ITEMS, VALUES = 3, 4, 3
THINGS = {
    "items": [frozenset([item]) for item in range(ITEMS)],
    "groups": [frozenset([0, 1]), frozenset([2, 3])],
}


@dataclass
class TableGame:
    """Records and rows as tuples of leaves and of sets of leaves; own as row numbers or None; columns as lists."""

    records: list
    rows: list
    own: list
    persons: list
    plain: list = field(default_factory=list)
    sensitive: list = field(default_factory=list)
    several: bool = False
    rules: list = field(default_factory=list)

    def view(self) -> TableView:
        columns = range(len(self.records[0]))
        forms = [sorted({row[j] for row in self.rows}, key=sorted) for j in columns]
        codes = [[forms[j].index(row[j]) for j in columns] for row in self.rows]
        covers = tuple(
            np.array([[leaf in form for leaf in range(LEAVES)] for form in forms[j]], dtype=bool).reshape(
                -1, LEAVES
            )
            for j in columns
        )
        return TableView(
            np.array(self.records, dtype=np.int32),
            covers,
            np.array(codes, dtype=np.int32).reshape(len(self.rows), len(columns)),
            np.array([-1 if row is None else row for row in self.own], dtype=np.int64),
            np.array(self.persons, dtype=np.int64) if self.several else None,
            tuple(_beside(f"plain{i}", *one) for i, one in enumerate(self.plain)),
            tuple(_beside(f"secret{i}", *one) for i, one in enumerate(self.sensitive)),
            tuple(_expected(*rule) for rule in self.rules),
        )


@dataclass
class MixedGame:
    """A table's game, and the baskets of records (sets of items) and rows (lists of sets of items)."""

    table: TableGame
    baskets: list
    shown: list
    sensitive: frozenset
    left_out: bool
    column: list = field(default_factory=list)
    tells: dict = field(default_factory=dict)

    def follows(self):
        """What follows from each item of each record, as `MixedSeat` takes it: the column shows what the item tells."""
        if not self.tells:
            return None
        of = [
            item if item in self.tells and self.column[record] in self.tells[item] else -1
            for record, basket in enumerate(self.baskets)
            for item in sorted(basket)
        ]
        record_of = {row: record for record, row in enumerate(self.table.own) if row is not None}
        lists = [
            [r for r in range(len(self.shown)) if self.column[record_of[r]] in self.tells.get(item, ())]
            for item in range(ITEMS)
        ]
        return np.array(of, dtype=np.int64), _lists(lists)

    def view(self) -> MixedView:
        words = sorted({form for row in self.shown for form in row}, key=sorted)
        covers = np.array([[item in form for item in range(ITEMS)] for form in words], dtype=bool)
        start = np.cumsum([0, *(len(basket) for basket in self.baskets)])
        shown = np.cumsum([0, *(len(row) for row in self.shown)])
        return MixedView(
            self.table.view(),
            start.astype(np.int64),
            np.array([item for basket in self.baskets for item in sorted(basket)], dtype=np.int32),
            shown.astype(np.int64),
            np.array([words.index(form) for row in self.shown for form in row], dtype=np.int32),
            covers.reshape(-1, ITEMS),
            self.sensitive,
            self.left_out,
            {kind: self._absent(things) for kind, things in THINGS.items()},
            self.follows(),
        )

    def _absent(self, things) -> Absences:
        """What people may be known not to have: rows show a thing where a form stands for nothing else."""
        shown = [
            {i for i, thing in enumerate(things) if any(form <= thing for form in row)} for row in self.shown
        ]
        has = [{i for i, thing in enumerate(things) if basket & thing} for basket in self.baskets]
        return Absences(_lists(shown), _lists(has), len(things))


def _lists(sets):
    start = np.cumsum([0, *(len(some) for some in sets)]).astype(np.int64)
    return start, np.array([one for some in sets for one in sorted(some)], dtype=np.int64)


def _beside(name, original, released) -> PublishedColumn:
    return PublishedColumn(
        name,
        *(np.array([-1 if v is None else v for v in part], dtype=np.int64) for part in (original, released)),
        ("a", "b", "c"),
    )


def _expected(shown, low, width) -> Dependency:
    sides = (shown, low)
    numbers = (np.array([one or 0 for one in side], dtype=np.int64) for side in sides)
    present = (np.array([one is not None for one in side], dtype=bool) for side in sides)
    return Dependency(*numbers, *present, width)


@st.composite
def table_games(draw, *, several=None, true=False, columns=2, rules=0):
    """Tables of up to 7 records; forms hold the record's own leaf, now and then not."""
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 2))
    leaf, several = st.integers(0, LEAVES - 1), draw(st.booleans()) if several is None else several
    records = [tuple(draw(leaf) for _ in range(d)) for _ in range(n)]
    kept = draw(st.permutations(range(n)))[: draw(st.integers(1, n))]
    sets = st.frozensets(leaf, max_size=LEAVES)
    rows = []
    for record in kept:
        own = true or draw(st.integers(0, 9)) > 0
        rows.append(
            tuple(draw(sets) | (frozenset([value]) if own else frozenset()) for value in records[record])
        )
    place = {record: row for row, record in enumerate(kept)}
    persons = [draw(st.integers(0, 3)) if several else i for i in range(n)]

    def column():
        original = [draw(st.one_of(st.none(), st.integers(0, VALUES - 1))) for _ in range(n)]
        return original, [original[record] for record in kept]

    many = [draw(st.integers(0, columns)) for _ in range(2)]
    plain, secret = ([column() for _ in range(count)] for count in many)

    def rule():
        number = st.one_of(st.none(), st.integers(0, 2))
        return [draw(number) for _ in range(n)], [draw(number) for _ in range(n)], draw(st.integers(1, 3))

    follow = [rule() for _ in range(draw(st.integers(0, rules)))]
    own = [place.get(i) for i in range(n)]
    return TableGame(records, rows, own, persons, plain, secret, several, follow)


@st.composite
def mixed_games(draw, *, rules=0):
    """Tables with baskets of up to 4 items; forms may overlap, and items may be left out."""
    table = draw(table_games(several=False, columns=1, rules=rules))
    baskets = [draw(st.frozensets(st.integers(0, ITEMS - 1))) for _ in table.records]
    record_of = {row: record for record, row in enumerate(table.own) if row is not None}
    left_out = draw(st.booleans())
    sensitive = draw(st.frozensets(st.integers(0, ITEMS - 1), max_size=2))
    shown = []
    for row in range(len(table.rows)):
        forms = set()
        for item in sorted(baskets[record_of[row]]):
            if left_out and draw(st.integers(0, 4)) == 0:
                continue
            more = draw(st.frozensets(st.integers(0, ITEMS - 1), max_size=2)) - sensitive
            forms.add(frozenset([item]) if item in sensitive else frozenset([item]) | more)
        shown.append(sorted(forms, key=sorted))
    value = st.integers(0, VALUES - 1)
    column = [draw(value) for _ in table.records] if rules else []
    told = st.dictionaries(st.integers(0, ITEMS - 1), st.frozensets(value, min_size=1), max_size=ITEMS)
    return MixedGame(table, list(baskets), shown, sensitive, left_out, column, draw(told) if rules else {})
