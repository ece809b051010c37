"""k^(m,n)-anonymity of record trees in parts: each part counts what can be known of its records, keys are merged.

The tables of knowledge are those of the judge in memory, so are the scales that weigh them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from math import comb
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shoal.data import Trees
from shoal.data.types import I8
from shoal.privacy.combinations import Batch, batches, count_sets, nothing_known
from shoal.privacy.kmn import MOST_SETS, KMNAnonymity, Scales, unjudged
from shoal.privacy.knowledge import Facts, facts, holders_of_values, pairs_of_values
from shoal.privacy.knowledge_tables import KnowledgeTable, among, counted, merged
from shoal.privacy.lookalikes import SHOWN
from shoal.release import Verdict

__all__ = ["check_tree_parts"]

_AT_ONCE = 1 << 22  # pieces of knowledge that one table may hold

Part = TypeVar("Part")
Answer = TypeVar("Answer")
Load = Callable[[Any], Trees]
Mapped = Callable[[Callable[[Any], Answer], Sequence[Any]], Iterable[Answer]]


class _Portion(NamedTuple):
    """Sets of `size` values whose rarest one is of number first .. last-1; size 0 is the empty set."""

    size: int
    first: int
    last: int


class _Seen(NamedTuple):
    """What there is in a part; `longest` is the largest number of values of a record."""

    place: int
    records: int
    nodes: int
    cells: int
    longest: int
    often: I8


class _Counted(NamedTuple):
    """Tables by portion, or what was too much to count."""

    tables: dict[_Portion, KnowledgeTable]
    unseen: str


class _Broken(NamedTuple):
    """The records of a part that break the claim: how many, and the first of them, counted from 0."""

    place: int
    number: int
    rows: tuple[int, ...]


def check_tree_parts(
    claim: KMNAnonymity, outline: Trees, parts: Sequence[Part], load: Load, mapped: Mapped[Any]
) -> Verdict:
    """Judge a release whose records lie in parts; the verdict is that of `claim.check` on all of them together.

    Parameters
    ----------
    claim
        What to judge.
    outline
        Classes and values of all records, without any record.
    parts
        What `load` makes the trees of; they have the classes, values and codes of `outline`.
    load, mapped
        The two are handed to whoever runs tasks: `mapped(task, parts)` gives one answer per part, in any order.
    """
    numbered = list(enumerate(parts))
    seen = sorted(mapped(partial(_survey, claim, load), numbered), key=lambda one: one.place)
    records = sum(one.records for one in seen)
    often: I8 = np.sum([one.often for one in seen], axis=0)
    refusal = claim.refusal(outline, sum(one.nodes for one in seen), sum(one.cells for one in seen))
    if refusal is not None:
        return refusal
    scales = Scales(claim, records)
    longest = max(one.longest for one in seen)
    wrong: dict[_Portion, KnowledgeTable] = {}
    for portions in _rounds(claim, len(often), longest):
        tables, unseen = _merged(mapped(partial(_count, claim, load, often, portions), numbered))
        scales.unseen = scales.unseen or unseen
        for portion, table in tables.items():
            broken = scales.broken(table)
            if broken.any():
                wrong[portion] = _rows(table, np.flatnonzero(broken))
    if scales.unseen and not wrong:
        return unjudged(scales.unseen)
    return _verdict(claim, scales, seen, wrong, mapped(partial(_find, claim, load, often, wrong), numbered))


def _survey(claim: KMNAnonymity, load: Load, part: tuple[int, Any]) -> _Seen:
    place, of = part
    trees = load(of)
    cells = pairs_of_values(trees) if claim.n else 0
    width = max(len(trees.values), 1)
    record = np.repeat(np.arange(trees.n), np.diff(trees.start))
    each = np.bincount(np.unique(record * width + trees.items) // width, minlength=1)
    return _Seen(place, trees.n, len(trees.items), cells, int(each.max()), holders_of_values(trees))


def _rounds(claim: KMNAnonymity, width: int, longest: int) -> Iterator[list[_Portion]]:
    """What is counted in each round over the parts, so that the tables of a round are not too large.

    A table has no more rows than there are sets of values, times sets of relations among them.
    """
    denied = width if claim.negations else 0
    some: list[_Portion] = [_Portion(0, 0, 0)] if claim.l is not None else []
    room = _AT_ONCE
    for size in range(1, min(claim.m, longest + denied) + 1):
        shapes = 1 << min(comb(size, 2), 20) if claim.n else 1
        first = 0
        for rank in range(width + denied):
            rows = comb(width + denied - 1 - rank, size - 1) * shapes
            if rows > room and (rank > first or some):
                yield [*some, _Portion(size, first, rank)] if rank > first else some
                some, first, room = [], rank, _AT_ONCE
            room -= rows
        some.append(_Portion(size, first, width + denied))
    if some:
        yield some


def _facts(claim: KMNAnonymity, load: Load, often: I8, part: Any) -> Facts:
    return facts(load(part), claim.sensitive, claim.negations, claim.n > 0, often)


def _batches(claim: KMNAnonymity, told: Facts, portion: _Portion) -> Iterator[Batch]:
    if portion.size == 0:
        yield nothing_known(told)
    else:
        yield from batches(told, portion.size, claim.n > 0, portion.first, portion.last)


def _count(
    claim: KMNAnonymity, load: Load, often: I8, portions: Sequence[_Portion], part: tuple[int, Any]
) -> _Counted:
    """The knowledge of one part's records."""
    told = _facts(claim, load, often, part[1])
    found: dict[_Portion, KnowledgeTable] = {}
    for portion in portions:
        if portion.size and (sets := count_sets(told, portion.size)) > MOST_SETS:
            return _Counted({}, f"some records hold {sets} sets of {portion.size} values")
        some = _batches(claim, told, portion)
        tables = [counted(told, batch, secrets=claim.l is not None)[0] for batch in some]
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
    claim: KMNAnonymity,
    load: Load,
    often: I8,
    wrong: dict[_Portion, KnowledgeTable],
    part: tuple[int, Any],
) -> _Broken:
    """The records of one part that hold knowledge which breaks the claim."""
    if not wrong:
        return _Broken(part[0], 0, ())
    told = _facts(claim, load, often, part[1])
    broken = np.zeros(len(told.weight), dtype=bool)
    for portion, table in wrong.items():
        for batch in _batches(claim, told, portion):
            own, row = counted(told, batch, secrets=False)
            broken[batch.record[among(own, table)[row]]] = True
    rows = np.flatnonzero(broken[told.of])
    return _Broken(part[0], len(rows), tuple(rows[:SHOWN].tolist()))


def _verdict(
    claim: KMNAnonymity,
    scales: Scales,
    seen: Sequence[_Seen],
    wrong: dict[_Portion, KnowledgeTable],
    answers: Iterable[_Broken],
) -> Verdict:
    before = list(accumulate((one.records for one in seen), initial=0))
    found = sorted(answers, key=lambda one: one.place) if wrong else []
    witnesses = [before[one.place] + row + 1 for one in found for row in one.rows]
    number = sum(one.number for one in found)
    return claim.verdict(number, before[-1], witnesses[:SHOWN], scales.least)
