"""The sensitive values of each class, as claims about them count: what whoever finds a person's class is told."""

from dataclasses import dataclass

import numpy as np

from shoal.attacks.table_seat import Beside, Lookup, TableSeat
from shoal.data.types import F8, I8
from shoal.discreet import Discreet

__all__ = ["ClassValues", "class_values"]


@dataclass(frozen=True, slots=True, repr=False)
class ClassValues(Discreet):
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


def class_values(seat: TableSeat, column: Beside, records: I8) -> ClassValues:
    """Look at one sensitive column in the classes of some records."""
    told = records[(seat.of_record[records] >= 0) & (column.original[records] >= 0)]
    of, value, person = _rows(seat, column)
    triples = np.unique(np.stack([of, value + 1, person], axis=1), axis=0)
    pairs, count = np.unique(triples[:, :2], axis=0, return_counts=True)
    everywhere = np.unique(np.stack([value + 1, person], axis=1), axis=0)[:, 0]
    per_class, own = len(seat.labels), seat.of_record[told]
    entries = np.bincount(pairs[:, 0], weights=count, minlength=per_class).astype(np.int64)
    share = count / np.maximum(entries[pairs[:, 0]], 1)
    entropy = np.bincount(pairs[:, 0], weights=-share * np.log(share), minlength=per_class)
    persons = np.bincount(np.unique(np.stack([of, person], axis=1), axis=0)[:, 0], minlength=per_class)
    different = np.bincount(pairs[pairs[:, 1] > 0, 0], minlength=per_class)
    held = column.original[told]
    return ClassValues(
        told,
        Lookup(triples[:, 0], triples[:, 1])(own, held + 1),
        persons[own],
        entries[own],
        different[own],
        np.bincount(everywhere, minlength=int(column.original.max(initial=-1)) + 2)[held + 1],
        len(np.unique(person)),
        len(everywhere),
        len(np.unique(everywhere)),
        np.asarray(entropy[own], dtype=np.float64),
    )


def _rows(seat: TableSeat, column: Beside) -> tuple[I8, I8, I8]:
    """Class, value and person of every released row; where persons are told, of the records behind them."""
    if seat.persons is None:
        return seat.of_row, column.released, np.arange(len(seat.of_row), dtype=np.int64)
    held = np.flatnonzero(seat.own >= 0)
    return seat.of_record[held], column.original[held], seat.person[held]
