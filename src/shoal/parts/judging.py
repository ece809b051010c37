"""Classes over parts: records go to buckets by class, so each bucket counts whole classes; the counts are judged.

A claim about classes needs no more than the different rows of quasi-identifiers and sensitive columns and how many
records have each. Judges in memory weigh these, so a verdict is the one that they would give on all records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.data.arrays import I4, I8, U8, hash_u64
from shoal.engines import Mapper
from shoal.parts.draws import scale_hashes
from shoal.parts.persons import persons_of
from shoal.parts.records import Parts, exchange
from shoal.privacy.equivalence_class import number_groups
from shoal.release import Published, Sensitive

__all__ = ["ClassBuckets", "CountedRows", "code_sensitive", "count_rows", "view_rows"]

_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, repr=False)
class CountedRows(SafeRepr):
    """The different rows of some records.

    codes   : int32[m, columns], in no order
    counts  : int64[m], how many records have each row
    classes : int64[m], equal where the labels of all quasi-identifiers are: 0, 1, ...
    persons : int64[m], whom each row belongs to; None where every record is a person
    """

    codes: I4
    counts: I8
    classes: I8
    persons: I8 | None = None

    def by_class(self, columns: int) -> "CountedRows":
        """The same records, counted by the first `columns` alone."""
        group, heads = number_groups((self.classes, *self.codes[:, :columns].T))
        counts = np.bincount(group, weights=self.counts, minlength=len(heads)).astype(np.int64)
        return CountedRows(np.ascontiguousarray(self.codes[heads, :columns]), counts, self.classes[heads])


@dataclass(frozen=True, slots=True)
class ClassBuckets:
    """Says the bucket of each record by its class.

    labels  : by quasi-identifier, which come first, int64[codes]: equal numbers are labels of equal text
    buckets : how many there are
    """

    labels: tuple[I8, ...]
    buckets: int

    def __call__(self, codes: I4) -> I8:
        """Return the bucket of each record: int64[n]."""
        sums: U8 = np.zeros(len(codes), dtype=np.uint64)
        for j, labels in enumerate(self.labels):
            sums = hash_u64(sums + labels[codes[:, j]].astype(np.uint64) + _ODD)
        return scale_hashes(sums, self.buckets)


def count_rows(
    parts: Parts, labels: Sequence[I8], size: int, folder: Path, mapper: Mapper, *, persons: bool = False
) -> CountedRows:
    """Count the different rows of records in parts, whose first columns are the quasi-identifiers.

    Where the last columns tell `persons`, rows of two of them are different.

    Parameters
    ----------
    parts
        Released records as codes.
    labels
        By quasi-identifier, int64[codes]: equal numbers are labels of equal text.
    size
        About how many records a bucket holds.
    folder
        A private folder for the runs of the exchange.
    mapper
        What runs the tasks.
    """
    key = ClassBuckets(tuple(labels), max(-(-parts.n // size), 1))
    buckets = exchange(parts, key, key.buckets, folder, mapper)
    found = sorted(mapper(partial(_count, buckets, key.labels), range(len(buckets))), key=lambda one: one[0])
    before = np.cumsum([0, *(int(rows.classes.max(initial=-1)) + 1 for _, rows in found)])
    codes = np.concatenate([rows.codes for _, rows in found])
    return CountedRows(
        codes,
        np.concatenate([rows.counts for _, rows in found]),
        np.concatenate([rows.classes + first for first, (_, rows) in zip(before[:-1], found, strict=True)]),
        persons_of(codes) if persons else None,
    )


def _count(buckets: Parts, labels: tuple[I8, ...], number: int) -> tuple[int, CountedRows]:
    """The task: the different rows of one bucket, in which classes are whole."""
    codes = buckets.read(number)
    group, heads = number_groups(tuple(codes.T))
    rows = codes[heads]
    classes, _ = number_groups(tuple(column[rows[:, j]] for j, column in enumerate(labels)))
    return number, CountedRows(rows, np.bincount(group, minlength=len(heads)), classes)


def view_rows(rows: CountedRows, sensitive: Mapping[str, tuple[int, Sequence[str | None]]]) -> Published:
    """Counted rows as the judges of tables see them.

    `sensitive` says by name which column of codes it is, and the texts of its codes; None is an empty cell. Rows of
    persons are not counted: each stands there as often as there are records.
    """
    every = slice(None) if rows.persons is None else np.repeat(np.arange(len(rows.codes)), rows.counts)
    return Published(
        {"class": rows.classes[every]},
        {
            name: code_sensitive(rows.codes[every, column], values)
            for name, (column, values) in sensitive.items()
        },
        None if rows.persons is None else rows.persons[every],
        rows.counts if rows.persons is None else None,
    )


def code_sensitive(codes: I4, values: Sequence[str | None]) -> Sensitive:
    """A sensitive column whose empty cells are -1."""
    texts = tuple(value for value in values if value)
    place = {text: code for code, text in enumerate(texts)}
    code_of = np.array([place.get(value, -1) if value else -1 for value in values], dtype=np.int64)
    return Sensitive(code_of[codes], texts)
