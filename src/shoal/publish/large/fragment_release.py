"""A released table in fragments: each as it was staged, and all of them by class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.data import Column, Table
from shoal.data.arrays import I4
from shoal.io.read.parts import open_arrays
from shoal.parts.draws import RecordHasher
from shoal.parts.judging import CountedRows
from shoal.parts.persons import persons_of
from shoal.parts.records import Dictionary, Records
from shoal.publish.large.parts import TableOrigin
from shoal.release import ColumnTelling, PublishedValues, Recoded

__all__ = ["StagedTableFragment", "TableInFragments", "columns_of_codes", "sort_records", "table_of_codes"]


def columns_of_codes(dictionary: Dictionary, origin: TableOrigin, codes: I4) -> tuple[Column, ...]:
    """Records in the codes of the dictionary as columns."""
    return tuple(
        Column(
            name,
            origin.columns[name].role,
            values,
            np.ascontiguousarray(codes[:, j]),
            origin.columns[name].weight,
            origin.columns[name].importance,
        )
        for j, (name, values) in enumerate(zip(dictionary.names, dictionary.values, strict=True))
    )


def table_of_codes(dictionary: Dictionary, origin: TableOrigin, codes: I4) -> Table:
    """Records in the codes of the dictionary as a table, with their persons if there are any."""
    persons = None if origin.person is None else np.unique(persons_of(codes), return_inverse=True)[1]
    return Table(columns_of_codes(dictionary, origin, codes), persons)


def sort_records(hasher: RecordHasher, origin: TableOrigin, codes: I4) -> I4:
    """The same records in one order, wherever they lay."""
    hashes = hasher(codes)
    if origin.person is None:
        return codes[np.argsort(hashes, kind="stable")]
    return codes[np.lexsort((persons_of(codes), hashes))]


@dataclass(frozen=True, slots=True, repr=False)
class StagedTableFragment(SafeRepr):
    """A fragment as it will be published.

    number  : which of the fragments it is
    folder  : private: the arrays codes, int32[n, columns], whose quasi-identifiers are places in `forms`, and originals
    records : how many records it has
    forms   : what each quasi-identifier publishes
    sizes   : how many groups of equal originals there are of each size
    telling : what published columns tell beyond k; None where it was not measured
    trace   : how the search went
    """

    number: int
    folder: Path
    records: int
    forms: tuple[PublishedValues, ...]
    sizes: Mapping[int, int]
    telling: Sequence[ColumnTelling] | None
    trace: Mapping[str, Any]

    def facts(self) -> dict[str, object]:
        """What may be shown: counts."""
        return {"records": self.records}

    def codes(self) -> I4:
        """The released records."""
        (codes,) = open_arrays(self.folder, "codes")
        return np.array(codes)

    def originals(self) -> I4:
        """The records that came in, row for row."""
        (codes,) = open_arrays(self.folder, "originals")
        return np.array(codes)

    def read_originals(self) -> Records:
        """The same, with their items where there are any."""
        return Records(self.originals())


@dataclass(frozen=True, repr=False)
class TableInFragments(Recoded):
    """A release whose rows are its classes, each with its number of records.

    staged : the fragments
    places : by fragment and quasi-identifier, the place in `forms` of each of the fragment's own
    seen   : the different rows of quasi-identifiers and sensitive columns
    sizes  : how many groups of equal originals there are of each size, those who were left out among them
    data   : the table of those who are kept, whom the release is made of; None where nobody was left out
    """

    staged: tuple[StagedTableFragment, ...] = ()
    places: tuple[tuple[I4, ...], ...] = ()
    seen: CountedRows | None = None
    sizes: Mapping[int, int] = field(default_factory=dict)
    data: Any = None

    def facts(self) -> dict[str, object]:
        """What may be shown: counts."""
        return {"records": self.records, "fragments": len(self.staged), "classes": len(self.rows)}

    def class_table(self) -> Recoded:
        """The classes alone."""
        return Recoded(**{own.name: getattr(self, own.name) for own in fields(Recoded)})

    def codes_of(self, number: int) -> I4:
        """The records of one fragment, quasi-identifiers as places in `forms`."""
        codes = self.staged[number].codes()
        for j, place in enumerate(self.places[number]):
            codes[:, j] = place[codes[:, j]]
        return codes
