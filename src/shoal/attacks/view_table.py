"""A released table beside its originals, as whoever attacks it sees both: which rows fit what is known of a person."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.base.discreet import SafeRepr
from shoal.data.arrays import B1, F8, I4, I8, index_of, persons_per_code, take_rows

__all__ = [
    "ALL",
    "ENDS",
    "TWO",
    "ClassValues",
    "Dependency",
    "LabelParts",
    "Linkage",
    "PublishedColumn",
    "Register",
    "TableView",
    "count_class_values",
    "find_fitting_classes",
    "link_records",
]

_BLOCK = 1 << 22  # pairs of a record and a class that are compared at once


@dataclass(frozen=True, slots=True, repr=False)
class PublishedColumn(SafeRepr):
    """A column that is published as it is: equal numbers are equal values, -1 is an empty cell.

    original : int64[n], of each record
    released : int64[rows], of each released row
    spellings : what each number is, in the one spelling of `normalize_value`; empty where nobody asks
    """

    name: str
    original: I8
    released: I8
    spellings: tuple[str, ...] = ()

    def only_whether(self, hidden: Collection[str]) -> "PublishedColumn":
        """The column that tells only whether a value is a hidden one or empty: 0 where it is, -1 elsewhere."""
        is_hidden = np.array([*(text in hidden for text in self.spellings), True], dtype=bool)  # -1 is empty
        original, released = (np.where(is_hidden[codes], 0, -1) for codes in (self.original, self.released))
        return PublishedColumn(self.name, original, released)


@dataclass(frozen=True, slots=True, repr=False)
class Dependency(SafeRepr):
    """A rule that leads from quasi-identifiers to what columns beside them show.

    shown : int64[n], what the columns of each record show, as a number
    low   : int64[n], the lowest number that whoever knows the quasi-identifiers of a record expects
    shows : bool[n], whether a record shows a number
    known : bool[n], whether one is expected of it
    width : how many numbers are expected: `low`, and so many less one above it
    """

    shown: I8
    low: I8
    shows: B1
    known: B1
    width: int = 1

    @property
    def is_kept(self) -> B1:
        """bool[n]: whether a record keeps the rule."""
        return self.shows & self.known & self.expects(self.shown, self.low)

    def expects(self, shown: I8, low: I8) -> B1:
        """Whether each number is expected where `low` is the lowest that is."""
        excess = shown - low
        return np.asarray((excess >= 0) & (excess < self.width))

    def some(self, rows: I8) -> "Dependency":
        """What is expected of some records."""
        return Dependency(self.shown[rows], self.low[rows], self.shows[rows], self.known[rows], self.width)


TWO, ALL, ENDS = range(3)
"""What a label says that is as narrow as possible: two of its parts are inhabited, all of them, the first and last."""


@dataclass(frozen=True, slots=True, repr=False)
class LabelParts(SafeRepr):
    """The parts of the labels of one column.

    part : int64[forms, leaves]   the part, from 0, in which each leaf lies; -1 where the label does not stand for it
    says : int64[forms]           TWO, ALL or ENDS; of a label with one part nothing is said
    """

    part: I8
    says: I8


@dataclass(frozen=True, slots=True, repr=False)
class Register(SafeRepr):
    """People of whom those of the data are some.

    values : int32[people, d]: each one's code in each quasi-identifier, a leaf code where the data have that leaf
    covers : for each quasi-identifier bool[forms, codes]: whether a published form stands for a code
    parts  : likewise the parts of labels, where labels are as narrow as possible; -1 under a label may be in any part
    """

    values: I4
    covers: tuple[B1, ...]
    parts: tuple[LabelParts, ...] = ()


@dataclass(frozen=True, repr=False)
class TableView(SafeRepr):
    """A released table beside its originals.

    values    : int32[n, d]: each record's leaf code in each quasi-identifier
    covers    : for each quasi-identifier bool[forms, leaves]: whether a published form stands for a leaf
    forms     : int32[rows, d]: the form that each released row publishes
    own       : int64[n]: the released row of each record, or one that equals it in every cell; -1 if it was suppressed
    persons   : int64[n]: whom each record belongs to; None when every record is a person
    plain     : the columns that are published as they are
    sensitive : likewise those that are sensitive
    rules     : what follows from quasi-identifiers, as somebody found out
    parts     : of each quasi-identifier the parts of its labels, where labels are as narrow as possible
    public    : int32[people, d]: other people, as leaf codes; -1 where no leaf has the value
    others    : the same of a control group, of whom no attacker knows
    row_person : int64[rows]: whom each released row belongs to, where these records are not behind them; None: they are
    register  : people of whom those of the data may be some; None where none are given
    names     : the quasi-identifiers, where somebody must tell them apart
    """

    values: I4
    covers: tuple[B1, ...]
    forms: I4
    own: I8
    persons: I8 | None = None
    plain: tuple[PublishedColumn, ...] = ()
    sensitive: tuple[PublishedColumn, ...] = ()
    rules: tuple[Dependency, ...] = ()
    parts: tuple[LabelParts, ...] = ()
    public: I4 | None = None
    others: I4 | None = None
    row_person: I8 | None = None
    register: Register | None = None
    names: tuple[str, ...] = ()

    @cached_property
    def _classes(self) -> tuple[I4, I8]:
        labels, class_of_row = np.unique(self.forms, axis=0, return_inverse=True)
        return labels, class_of_row.reshape(-1).astype(np.int64)

    @property
    def labels(self) -> I4:
        """int32[classes, d]: the forms of each class of equal rows."""
        return self._classes[0]

    @property
    def of_row(self) -> I8:
        """int64[rows]: the class of each released row."""
        return self._classes[1]

    @cached_property
    def size(self) -> I8:
        """int64[classes]: how many rows each class has."""
        return np.bincount(self.of_row, minlength=len(self.labels))

    @cached_property
    def of_record(self) -> I8:
        """int64[n]: the class of each record's own row, -1 where it was suppressed."""
        if not len(self.forms):
            return np.full(len(self.own), -1, dtype=np.int64)
        return np.where(self.own >= 0, self.of_row[np.maximum(self.own, 0)], -1)

    @cached_property
    def person(self) -> I8:
        """int64[n]: the number, from 0, of the person whom each record belongs to."""
        if self.persons is None:
            return np.arange(len(self.own), dtype=np.int64)
        return np.unique(self.persons, return_inverse=True)[1].reshape(-1).astype(np.int64)

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.person.max(initial=-1)) + 1

    @cached_property
    def _rows_of_persons(self) -> tuple[I8, I8]:
        """The class and the person of every row whose person is known."""
        if self.row_person is not None:
            return self.of_row, self.row_person
        released = np.flatnonzero(self.of_record >= 0)
        return self.of_record[released], self.person[released]

    @cached_property
    def persons_of_classes(self) -> tuple[I8, I8]:
        """Every class with each person who has rows in it, in this order, both once."""
        pairs = np.unique(np.stack(self._rows_of_persons, axis=1), axis=0)
        return pairs[:, 0], pairs[:, 1]

    @property
    def people_per_class(self) -> I8:
        """int64[classes]: how many people have rows in each class; without persons every row is one."""
        if self.persons is None:
            return self.size
        return persons_per_code(*self._rows_of_persons, width=len(self.labels))

    def restrict_to(self, columns: Sequence[int]) -> "TableView":
        """The same, of which only some quasi-identifiers are looked at, and nothing beside them."""
        selected = list(columns)
        covers = tuple(self.covers[j] for j in selected)
        return TableView(self.values[:, selected], covers, self.forms[:, selected], self.own, self.persons)

    def records_of(self, people: I8) -> I8:
        """The records of some people, ascending."""
        return (
            np.flatnonzero(np.isin(self.person, people))
            if len(people) < self.people
            else np.arange(len(self.own))
        )

    def highest_by_person(self, records: I8, chances: F8) -> F8:
        """For each person who has some of these records, the highest chance of them."""
        _, person_index = np.unique(self.person[records], return_inverse=True)
        highest = np.zeros(int(person_index.max(initial=-1)) + 1)
        np.maximum.at(highest, person_index.reshape(-1), chances)
        return highest

    def as_if_inside(self, inside: "TableView", rng: np.random.Generator) -> "TableView":
        """The same people, who are not in the release, each with a row that could have been theirs.

        It is one whose labels stand for all quasi-identifiers; of several, one is drawn evenly. Whoever fits none has
        none, as if the record had been suppressed. The row only says what may be known and where to look: whether a
        guess about a sensitive value is right is told by the person's own value. `inside` is the same release beside
        those who are in it.
        """
        own_row = np.full(len(self.own), -1, dtype=np.int64)
        rows_by_class = np.argsort(self.of_row, kind="stable")
        class_start = np.cumsum(self.size) - self.size
        for pairs in find_fitting_classes(self, np.arange(len(own_row), dtype=np.int64)):
            # The class of a record whose wait is shortest is drawn with a chance proportional to its size.
            wait = rng.exponential(size=len(pairs.class_id)) / self.size[pairs.class_id]
            order = np.lexsort((wait, pairs.record_index))
            is_first = np.diff(pairs.record_index[order], prepend=-1) > 0
            drawn = order[is_first]
            class_id = pairs.class_id[drawn]
            offset = (rng.random(len(drawn)) * self.size[class_id]).astype(np.int64)
            record = pairs.block.start + pairs.record_index[drawn]
            own_row[record] = rows_by_class[class_start[class_id] + offset]
        return replace(self, own=own_row, row_person=inside.person_of_row)

    @property
    def person_of_row(self) -> I8 | None:
        """Whom each released row belongs to, where persons have several."""
        if self.persons is None:
            return None
        released = np.flatnonzero(self.own >= 0)
        # nobody knows whose the others are: somebody else's each
        owner = self.people + np.arange(len(self.forms), dtype=np.int64)
        owner[self.own[released]] = self.person[released]
        return owner


class PairCounts:
    """How often two numbers stand together; negative ones stand with nobody.

    >>> times = PairCounts(np.array([0, 0, 1]), np.array([7, 7, -1]))
    >>> times(np.array([0, 0, 1, 5]), np.array([7, 6, -1, 7])).tolist()
    [2, 0, 0, 0]
    """

    def __init__(self, first: I8, second: I8) -> None:
        is_present = (first >= 0) & (second >= 0)
        self._width = int(second.max(initial=0)) + 1
        self._keys, self._counts = np.unique(
            first[is_present] * self._width + second[is_present], return_counts=True
        )

    def __call__(self, first: I8, second: I8) -> I8:
        """How often each pair was seen."""
        is_present = (first >= 0) & (second >= 0) & (second < self._width)
        keys = np.where(is_present, first * self._width + second, -1)
        return np.append(self._counts, 0)[index_of(self._keys, keys)]


class FittingPairs(NamedTuple):
    """The pairs of a record and a class that fits its quasi-identifiers, of a block of records.

    block        : which records were looked at together: records[block]
    record_index : int64[pairs], the record, as an index into records[block], ascending
    class_id     : int64[pairs], the class
    """

    block: slice
    record_index: I8
    class_id: I8

    @property
    def record_count(self) -> int:
        """How many records the block has."""
        return int(self.block.stop - self.block.start)

    def sum_by_record(self, counts: I8 | B1) -> I8:
        """int64[records of the block]: the sum of the counts of each record's pairs."""
        return np.bincount(self.record_index, weights=counts, minlength=self.record_count).astype(np.int64)


def find_fitting_classes(view: TableView, records: I8) -> Iterator[FittingPairs]:
    """Find the classes that fit the quasi-identifiers of some records, block by block."""
    class_count = len(view.labels)
    columns = [
        _pack_classes(cover, view.labels[:, j], view.values[records, j])
        for j, cover in enumerate(view.covers)
    ]
    step = max(_BLOCK // max(class_count, 1), 1)
    for first in range(0, len(records), step):
        block = slice(first, min(first + step, len(records)))
        fits = np.bitwise_and.reduce(
            [bits_of_leaf[leaf_index[block]] for bits_of_leaf, leaf_index in columns]
        )
        record_index, class_ids = np.nonzero(np.unpackbits(fits, axis=1, count=class_count))
        yield FittingPairs(block, record_index.astype(np.int64), class_ids.astype(np.int64))


def _pack_classes(cover: B1, labels: I4, values: I4) -> tuple[NDArray[np.uint8], I8]:
    """For each leaf that occurs, one bit per class whose form stands for it; and which of those each record has."""
    leaves, leaf_index = np.unique(values, return_inverse=True)
    step = max(_BLOCK // max(len(labels), 1), 1)
    parts = [
        np.packbits(cover[labels][:, leaves[a : a + step]].T, axis=1) for a in range(0, len(leaves), step)
    ]
    bits = np.concatenate(parts) if parts else np.empty((0, (len(labels) + 7) // 8), dtype=np.uint8)
    return bits, leaf_index.reshape(-1).astype(np.int64)


# What whoever knows all quasi-identifiers of a person sees in a released table.


@dataclass(frozen=True, slots=True, repr=False)
class Linkage(SafeRepr):
    """The rows that fit the quasi-identifiers of some records, counted; every array has one number per record.

    view    : the release beside its originals
    records : int64, which records were looked at
    crowd   : how many rows fit
    mine    : how many of them belong to the same person
    persons : how many different persons they belong to
    fits    : whether the record's own row is among them
    same    : for each column beside the quasi-identifiers, by name: how many rows that fit have the record's value
    own     : likewise, how many of those belong to the same person
    """

    view: TableView
    records: I8
    crowd: I8
    mine: I8
    persons: I8
    fits: B1
    same: dict[str, I8]
    own: dict[str, I8]


def link_records(view: TableView, records: I8) -> Linkage:
    """Count the rows that fit each record."""
    columns = (*view.plain, *view.sensitive)
    person_values = {column.name: _pair_with_person(view, column.original) for column in columns}
    rows_of_person = PairCounts(view.of_record, view.person)
    rows_with_value = {column.name: PairCounts(view.of_row, column.released) for column in columns}
    rows_of_person_with_value = {
        name: PairCounts(view.of_record, person_value) for name, person_value in person_values.items()
    }

    crowd, mine, persons = (np.zeros(len(records), dtype=np.int64) for _ in range(3))
    fits = np.zeros(len(records), dtype=bool)
    same, own = (
        {column.name: np.zeros(len(records), dtype=np.int64) for column in columns} for _ in range(2)
    )
    for pairs in find_fitting_classes(view, records):
        block, class_id, record = pairs.block, pairs.class_id, records[pairs.block][pairs.record_index]
        crowd[block] = pairs.sum_by_record(view.size[class_id])
        mine[block] = pairs.sum_by_record(rows_of_person(class_id, view.person[record]))
        persons[block] = _count_different_persons(view, pairs)
        fits[block] = pairs.sum_by_record(view.of_record[record] == class_id) > 0
        for column in columns:
            name = column.name
            rows_with_own_value = rows_with_value[name](class_id, column.original[record])
            own_rows_with_value = rows_of_person_with_value[name](class_id, person_values[name][record])
            same[name][block] = pairs.sum_by_record(rows_with_own_value)
            own[name][block] = pairs.sum_by_record(own_rows_with_value)
    return Linkage(view, records, crowd, mine, persons, fits, same, own)


def _pair_with_person(view: TableView, values: I8) -> I8:
    """One number for each value of each person; -1 where the cell is empty."""
    return np.where(values >= 0, values * view.people + view.person, -1)


def _count_different_persons(view: TableView, pairs: FittingPairs) -> I8:
    """How many different persons have rows in the classes that fit each record of the block."""
    if view.persons is None:
        return pairs.sum_by_record(view.size[pairs.class_id])
    class_of_person, person = view.persons_of_classes
    class_start = np.searchsorted(class_of_person, np.arange(len(view.labels) + 1))
    _, persons_of_pairs = take_rows(class_start, person, pairs.class_id)
    person_count = np.diff(class_start)[pairs.class_id]
    width = int(person.max(initial=0)) + 1
    record_and_person = np.unique(np.repeat(pairs.record_index, person_count) * width + persons_of_pairs)
    return np.bincount(record_and_person // width, minlength=pairs.record_count)


# The sensitive values of each class, as claims about them count: what whoever finds a person's class is told.


@dataclass(frozen=True, slots=True, repr=False)
class ClassValues(SafeRepr):
    """One sensitive column seen from records: how its values lie in a record's class; all arrays are int64[records].

    records   : the records that were not suppressed and have a value
    count     : the persons of the class who have the record's value
    persons   : the persons of the class
    entries   : the counts of all values of the class together; as many as persons where each person has one row
    different : the different values of the class; empty cells are none
    everywhere, everybody, all_entries : the first three of the whole release
    values    : how many different values the whole release has, an empty cell being one
    entropy   : float64, the entropy of the values of the class, an empty cell being one
    """

    records: I8
    count: I8
    persons: I8
    entries: I8
    different: I8
    everywhere: I8
    everybody: int
    all_entries: int
    values: int
    entropy: F8


def count_class_values(view: TableView, column: PublishedColumn, records: I8) -> ClassValues:
    """Look at one sensitive column in the classes of some records."""
    visible = records[(view.of_record[records] >= 0) & (column.original[records] >= 0)]
    own_class, own_value = view.of_record[visible], column.original[visible]
    class_count = len(view.labels)

    # A value is raised by 1, so that an empty cell is value 0; a person counts once for each value of a class.
    rows = _list_rows(view, column)
    entries = np.unique(np.stack([rows.class_id, rows.value + 1, rows.person], axis=1), axis=0)
    entry_class, entry_value = entries[:, 0], entries[:, 1]
    class_values, count = np.unique(entries[:, :2], axis=0, return_counts=True)
    value_class = class_values[:, 0]
    entries_of_class = np.bincount(entry_class, minlength=class_count)
    different = np.bincount(value_class[class_values[:, 1] > 0], minlength=class_count)
    share = count / entries_of_class[value_class]
    entropy = np.bincount(value_class, weights=-share * np.log(share), minlength=class_count)

    # The same of the whole release.
    values_of_people = np.unique(np.stack([rows.value + 1, rows.person], axis=1), axis=0)[:, 0]
    people_with_value = np.bincount(values_of_people, minlength=int(column.original.max(initial=-1)) + 2)
    return ClassValues(
        records=visible,
        count=PairCounts(entry_class, entry_value)(own_class, own_value + 1),
        persons=persons_per_code(rows.class_id, rows.person, width=class_count)[own_class],
        entries=entries_of_class[own_class],
        different=different[own_class],
        everywhere=people_with_value[own_value + 1],
        everybody=len(np.unique(rows.person)),
        all_entries=len(values_of_people),
        values=len(np.unique(values_of_people)),
        entropy=np.asarray(entropy[own_class], dtype=np.float64),
    )


class _RowsOfColumn(NamedTuple):
    """The released rows with one column; where persons are told, the records behind them.

    class_id, value, person : int64[rows]
    """

    class_id: I8
    value: I8
    person: I8


def _list_rows(view: TableView, column: PublishedColumn) -> _RowsOfColumn:
    """List class, value and person of every released row."""
    if view.persons is None:
        return _RowsOfColumn(view.of_row, column.released, np.arange(len(view.of_row), dtype=np.int64))
    if view.row_person is not None:
        return _RowsOfColumn(view.of_row, column.released, view.row_person)
    released = np.flatnonzero(view.own >= 0)
    return _RowsOfColumn(view.of_record[released], column.original[released], view.person[released])
