"""Judging by parts: each part counts what can be known of its records, and tables are merged by key.

The tables, and the scales that weigh them, are those of the judges in memory, so verdicts are the same.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from math import comb
from typing import Any, NamedTuple, Protocol

import numpy as np

from shoal.data.types import B1, I8
from shoal.privacy.combinations import Batch, batches, count_sets, nothing_known
from shoal.privacy.knowledge import Facts
from shoal.privacy.knowledge_tables import KnowledgeTable, among, counted, merged
from shoal.privacy.lookalikes import SHOWN, Ruled

__all__ = ["Asked", "Mapped", "Reading", "Seen", "judge_parts", "surveyed"]

_AT_ONCE = 1 << 22  # pieces of knowledge that the tables of one round may hold

Mapped = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
"""Who runs tasks: one answer per part, in any order; tasks are pickled where they go to other processes."""


class Seen(NamedTuple):
    """What there is in a part.

    entries : values or items that its records hold together
    cells   : pairs of values that one record holds
    longest : the largest number of values of a record
    often   : int64[values]   how many records hold each value
    """

    place: int
    records: int
    entries: int
    cells: int
    longest: int
    often: I8


class Asked(NamedTuple):
    """What an attacker may know.

    m       : up to so many values
    related : whether relations among them can be known
    negated : whether absences can be known
    secrets : whether records that fit must differ in their secrets
    most    : sets of one size beyond which a part counts nothing
    """

    m: int
    related: bool
    negated: bool
    secrets: bool
    most: int


class Reading(Protocol):
    """Reads the released records of a part; it is pickled with tasks."""

    def seen(self, place: int, part: Any) -> Seen:
        """What there is in a part."""

    def facts(self, part: Any, often: I8) -> Facts:
        """What can be known of its records, given how many of all records hold each value."""


class Weighing(Protocol):
    """Says which rows of a table that holds all records break a claim."""

    unseen: str

    def broken(self, table: KnowledgeTable) -> B1:
        """Which rows break it."""


class _Portion(NamedTuple):
    """Sets of `size` values whose rarest one is of number first .. last-1; size 0 is the empty set."""

    size: int
    first: int
    last: int


class _Counted(NamedTuple):
    """Tables by portion, or what was too much to count."""

    tables: dict[_Portion, KnowledgeTable]
    unseen: str


class _Broken(NamedTuple):
    """The records of a part that break the claim: how many, and the first of them, counted from 0."""

    place: int
    number: int
    rows: tuple[int, ...]


def surveyed(reading: Reading, parts: Sequence[Any], mapped: Mapped) -> list[Seen]:
    """What there is in each part, in the order of parts."""
    return sorted(mapped(partial(_survey, reading), list(enumerate(parts))), key=lambda one: one.place)


def judge_parts(
    asked: Asked,
    reading: Reading,
    scales: Weighing,
    seen: Sequence[Seen],
    parts: Sequence[Any],
    mapped: Mapped,
) -> Ruled:
    """Count all that can be known, weigh it on `scales`, and find the records that break the claim."""
    numbered = list(enumerate(parts))
    often: I8 = np.sum([one.often for one in seen], axis=0)
    wrong: dict[_Portion, KnowledgeTable] = {}
    for portions in _rounds(asked, len(often), max(one.longest for one in seen)):
        tables, unseen = _merged(mapped(partial(_count, asked, reading, often, portions), numbered))
        scales.unseen = scales.unseen or unseen
        for portion, table in tables.items():
            broken = scales.broken(table)
            if broken.any():
                wrong[portion] = _rows(table, np.flatnonzero(broken))
    before = list(accumulate((one.records for one in seen), initial=0))
    if not wrong:
        return Ruled(0, before[-1], ())
    answers = mapped(partial(_find, asked, reading, often, wrong), numbered)
    found = sorted(answers, key=lambda one: one.place)
    rows = [before[one.place] + row + 1 for one in found for row in one.rows]
    return Ruled(sum(one.number for one in found), before[-1], tuple(rows[:SHOWN]))


def _survey(reading: Reading, part: tuple[int, Any]) -> Seen:
    return reading.seen(*part)


def _rounds(asked: Asked, values: int, longest: int) -> Iterator[list[_Portion]]:
    """What is counted in each round over the parts, so that the tables of a round are not too large.

    A table has no more rows than there are sets of values, times sets of relations among them.
    """
    width = 2 * values if asked.negated else values
    some: list[_Portion] = [_Portion(0, 0, 0)] if asked.secrets else []
    room = _AT_ONCE
    for size in range(1, min(asked.m, width if asked.negated else longest) + 1):
        shapes = 1 << min(comb(size, 2), 20) if asked.related else 1
        first = 0
        for rank in range(width):
            rows = comb(width - 1 - rank, size - 1) * shapes
            if rows > room and (rank > first or some):
                yield [*some, _Portion(size, first, rank)] if rank > first else some
                some, first, room = [], rank, _AT_ONCE
            room -= rows
        some.append(_Portion(size, first, width))
    if some:
        yield some


def _batches(asked: Asked, told: Facts, portion: _Portion) -> Iterator[Batch]:
    if portion.size == 0:
        yield nothing_known(told)
    else:
        yield from batches(told, portion.size, asked.related, portion.first, portion.last)


def _count(
    asked: Asked, reading: Reading, often: I8, portions: Sequence[_Portion], part: tuple[int, Any]
) -> _Counted:
    """The knowledge of one part's records."""
    told = reading.facts(part[1], often)
    found: dict[_Portion, KnowledgeTable] = {}
    for portion in portions:
        if portion.size and (sets := count_sets(told, portion.size)) > asked.most:
            return _Counted({}, f"some records hold {sets} sets of {portion.size} values")
        some = _batches(asked, told, portion)
        tables = [counted(told, batch, secrets=asked.secrets)[0] for batch in some]
        if tables:
            found[portion] = merged(tables)
    return _Counted(found, "")


def _merged(answers: Iterable[_Counted]) -> _Counted:
    found: dict[_Portion, KnowledgeTable] = {}
    unseen = ""
    for answer in answers:
        unseen = max(unseen, answer.unseen)
        for portion, table in answer.tables.items():
            found[portion] = merged([found[portion], table]) if portion in found else table
    return _Counted({} if unseen else found, unseen)  # without some records, supports would be too small


def _rows(table: KnowledgeTable, rows: I8) -> KnowledgeTable:
    """Some rows of a table, without secrets."""
    none = np.zeros(0, dtype=np.int64)
    values = tuple(column[rows] for column in table.values)
    masks = tuple(column[rows] for column in table.masks)
    return KnowledgeTable(values, masks, table.fits[rows], none, none, none)


def _find(
    asked: Asked,
    reading: Reading,
    often: I8,
    wrong: dict[_Portion, KnowledgeTable],
    part: tuple[int, Any],
) -> _Broken:
    """The records of one part that hold knowledge which breaks the claim."""
    told = reading.facts(part[1], often)
    broken = np.zeros(len(told.weight), dtype=bool)
    for portion, table in wrong.items():
        for batch in _batches(asked, told, portion):
            own, row = counted(told, batch, secrets=False)
            broken[batch.record[among(own, table)[row]]] = True
    rows = np.flatnonzero(broken[told.of])
    return _Broken(part[0], len(rows), tuple(rows[:SHOWN].tolist()))
