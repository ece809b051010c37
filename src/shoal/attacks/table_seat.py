"""A released table beside its originals, as whoever attacks it sees both: which rows fit what is known of a person."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.data.types import B1, I4, I8
from shoal.discreet import Discreet

__all__ = ["Beside", "Expected", "Lookup", "TableSeat", "fitting"]

_BLOCK = 1 << 22  # pairs of a record and a class that are compared at once


@dataclass(frozen=True, slots=True, repr=False)
class Beside(Discreet):
    """A column that is published as it is: equal numbers are equal values, -1 is an empty cell.

    original : int64[n], of each record
    released : int64[rows], of each released row
    """

    name: str
    original: I8
    released: I8


@dataclass(frozen=True, slots=True, repr=False)
class Expected(Discreet):
    """A rule that leads from quasi-identifiers to what columns beside them show.

    shown : int64[n], what the columns of each record show, as a number
    low   : int64[n], the number that whoever knows the quasi-identifiers of a record expects; or the next one, where a
            rule is not `exact`
    shows : bool[n], whether a record shows a number
    known : bool[n], whether one is expected of it
    exact : whether one number is expected
    """

    shown: I8
    low: I8
    shows: B1
    known: B1
    exact: bool

    @property
    def kept(self) -> B1:
        """bool[n]: whether a record keeps the rule."""
        over = self.shown - self.low
        return np.asarray(self.shows & self.known & (over >= 0) & (over <= (not self.exact)))

    def some(self, rows: I8) -> "Expected":
        """What is expected of some records."""
        return Expected(self.shown[rows], self.low[rows], self.shows[rows], self.known[rows], self.exact)


@dataclass(frozen=True, repr=False)
class TableSeat(Discreet):
    """A released table beside its originals.

    values    : int32[n, d]: each record's leaf code in each quasi-identifier
    covers    : for each quasi-identifier bool[forms, leaves]: whether a published form stands for a leaf
    forms     : int32[rows, d]: the form that each released row publishes
    own       : int64[n]: the released row of each record, or one that equals it in every cell; -1 if it was suppressed
    persons   : int64[n]: whom each record belongs to; None when every record is a person
    plain     : the columns that are published as they are
    sensitive : likewise those that are sensitive
    rules     : what follows from quasi-identifiers, as somebody found out
    """

    values: I4
    covers: tuple[B1, ...]
    forms: I4
    own: I8
    persons: I8 | None = None
    plain: tuple[Beside, ...] = ()
    sensitive: tuple[Beside, ...] = ()
    rules: tuple[Expected, ...] = ()

    @cached_property
    def _classes(self) -> tuple[I4, I8]:
        labels, of = np.unique(self.forms, axis=0, return_inverse=True)
        return labels, of.reshape(-1).astype(np.int64)

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

    def records_of(self, people: I8) -> I8:
        """The records of some people, ascending."""
        return (
            np.flatnonzero(np.isin(self.person, people))
            if len(people) < self.people
            else np.arange(len(self.own))
        )


class Lookup:
    """How often two numbers stand together; negative ones stand with nobody.

    >>> times = Lookup(np.array([0, 0, 1]), np.array([7, 7, -1]))
    >>> times(np.array([0, 0, 1, 5]), np.array([7, 6, -1, 7])).tolist()
    [2, 0, 0, 0]
    """

    def __init__(self, first: I8, second: I8) -> None:
        known = (first >= 0) & (second >= 0)
        self._width = int(second.max(initial=0)) + 1
        self._keys, self._counts = np.unique(first[known] * self._width + second[known], return_counts=True)

    def __call__(self, first: I8, second: I8) -> I8:
        """How often each pair was seen."""
        if not len(self._keys):
            return np.zeros(len(first), dtype=np.int64)
        keys = np.where(
            (first >= 0) & (second >= 0) & (second < self._width), first * self._width + second, -1
        )
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[place] == keys, self._counts[place], 0)


def fitting(seat: TableSeat, records: I8) -> Iterator[tuple[slice, I8, I8]]:
    """Which classes fit the quasi-identifiers of some records.

    Yields
    ------
    some : slice
        The places in `records` that are looked at.
    who, which : int64
        The pairs that fit: a place among those, from 0, and a class; places ascending.
    """
    classes = len(seat.labels)
    tables = [
        _packed(cover, seat.labels[:, j], seat.values[records, j]) for j, cover in enumerate(seat.covers)
    ]
    step = max(_BLOCK // max(classes, 1), 1)
    for a in range(0, len(records), step):
        some = slice(a, min(a + step, len(records)))
        fits = np.bitwise_and.reduce([bits[place[some]] for bits, place in tables])
        who, which = np.nonzero(np.unpackbits(fits, axis=1, count=classes))
        yield some, who.astype(np.int64), which.astype(np.int64)


def _packed(cover: B1, labels: I4, values: I4) -> tuple[NDArray[np.uint8], I8]:
    """For each leaf that occurs, one bit per class whose form stands for it; and which of those each record has."""
    leaves, place = np.unique(values, return_inverse=True)
    step = max(_BLOCK // max(len(labels), 1), 1)
    parts = [
        np.packbits(cover[labels][:, leaves[a : a + step]].T, axis=1) for a in range(0, len(leaves), step)
    ]
    bits = np.concatenate(parts) if parts else np.empty((0, (len(labels) + 7) // 8), dtype=np.uint8)
    return bits, place.reshape(-1).astype(np.int64)
