"""What whoever knows all quasi-identifiers of a person sees in a released table."""

from dataclasses import dataclass

import numpy as np

from shoal.attacks.table_seat import Lookup, TableSeat, fitting
from shoal.data.types import B1, F8, I8
from shoal.discreet import Discreet

__all__ = ["Looked", "look"]


@dataclass(frozen=True, slots=True, repr=False)
class Looked(Discreet):
    """The rows that fit the quasi-identifiers of some records, counted; every array has one number per record.

    seat    : the release beside its originals
    records : int64, which records were looked at
    crowd   : how many rows fit
    mine    : how many of them belong to the same person
    persons : how many different persons they belong to
    fits    : whether the record's own row is among them
    same    : for each column beside the quasi-identifiers, by name: how many rows that fit have the record's value
    own     : likewise, how many of those belong to the same person
    """

    seat: TableSeat
    records: I8
    crowd: I8
    mine: I8
    persons: I8
    fits: B1
    same: dict[str, I8]
    own: dict[str, I8]

    def by_person(self, chances: F8) -> F8:
        """For each person who was looked at, the highest chance of all records of that person."""
        _, who = np.unique(self.seat.person[self.records], return_inverse=True)
        found = np.zeros(int(who.max(initial=-1)) + 1)
        np.maximum.at(found, who.reshape(-1), chances)
        return found


def look(seat: TableSeat, records: I8) -> Looked:
    """Count the rows that fit each record."""
    columns = (*seat.plain, *seat.sensitive)
    n, whose = len(records), seat.person[records]
    crowd, mine, persons = (np.zeros(n, dtype=np.int64) for _ in range(3))
    fits = np.zeros(n, dtype=bool)
    same, own = ({column.name: np.zeros(n, dtype=np.int64) for column in columns} for _ in range(2))
    holders = Lookup(seat.of_record, seat.person)
    values = {column.name: Lookup(seat.of_row, column.released) for column in columns}
    together = {column.name: Lookup(seat.of_record, _both(seat, column.original)) for column in columns}
    for some, who, which in fitting(seat, records):
        wide = some.stop - some.start
        crowd[some] = _sums(who, seat.size[which], wide)
        mine[some] = _sums(who, holders(which, whose[some][who]), wide)
        persons[some] = _different(seat, who, which, wide)
        fits[some][who[seat.of_record[records[some]][who] == which]] = True
        for column in columns:
            own_value = column.original[records[some]]
            same[column.name][some] = _sums(who, values[column.name](which, own_value[who]), wide)
            pair = _both(seat, column.original)[records[some]]
            own[column.name][some] = _sums(who, together[column.name](which, pair[who]), wide)
    return Looked(seat, records, crowd, mine, persons, fits, same, own)


def _both(seat: TableSeat, values: I8) -> I8:
    """One number for each value of each person; -1 where the cell is empty."""
    return np.where(values >= 0, values * seat.people + seat.person, -1)


def _sums(who: I8, counts: I8, wide: int) -> I8:
    return np.bincount(who, weights=counts, minlength=wide).astype(np.int64)


def _different(seat: TableSeat, who: I8, which: I8, wide: int) -> I8:
    """How many different persons have rows in the classes that fit each record."""
    if seat.persons is None:
        return _sums(who, seat.size[which], wide)
    held = np.flatnonzero(seat.of_record >= 0)
    pairs = np.unique(seat.of_record[held] * seat.people + seat.person[held])
    start = np.searchsorted(pairs, np.arange(len(seat.labels) + 1) * seat.people)
    size = np.diff(start)[which]
    ends = np.cumsum(size)
    places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(start[which] - (ends - size), size)
    found = np.unique(np.repeat(who, size) * seat.people + pairs[places] % seat.people)
    return np.bincount(found // seat.people, minlength=wide)
