"""Support counting for k^m over parts: each part counts what can be known of its records, and tables are merged by key.

The tables, and the scales that weigh them, are those of the judges in memory, so verdicts are the same.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from math import comb
from typing import Any, NamedTuple, Protocol

import numpy as np

from shoal.data import Trees
from shoal.data.arrays import B1, I8, row_of_entry
from shoal.privacy.background_knowledge import (
    CrowdScales,
    Facts,
    KnowledgeBatch,
    KnowledgeTable,
    TooManySetsError,
    choose_relations,
    contains_keys,
    count_knowledge,
    count_sets,
    empty_batch,
    facts,
    item_facts,
    list_batches,
    merge_tables,
    values_of_records,
)
from shoal.privacy.claim import SHOWN, Breaches
from shoal.privacy.itemsets import MOST, KmAnonymity, LmDiversity
from shoal.privacy.trees import MOST_SETS, KMNAnonymity, KnowledgeScales, refuse_size
from shoal.release import PublishedBaskets, Verdict

__all__ = [
    "AttackerKnowledge",
    "Mapper",
    "check_basket_parts",
    "check_tree_parts",
]

_AT_ONCE = 1 << 22  # pieces of knowledge that the tables of one round may hold

Mapper = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
"""Who runs tasks: one answer per part, in any order; tasks are pickled where they go to other processes."""


class PartSurvey(NamedTuple):
    """What there is in a part.

    entries : values or items that its records hold together
    cells   : pairs of values that one record holds
    longest : the largest number of values, or nodes, of a record
    often   : int64[values]   how many records hold each value
    """

    place: int
    records: int
    entries: int
    cells: int
    longest: int
    often: I8


class AttackerKnowledge(NamedTuple):
    """What an attacker may know.

    m       : up to so many values
    related : whether relations among them can be known
    negated : whether absences can be known
    secrets : whether records that fit must differ in their secrets
    most    : sets of one size beyond which a part counts nothing
    nodes   : where nodes are known, of which several may have one value: up to so many relations among them
    """

    m: int
    related: bool
    negated: bool
    secrets: bool
    most: int
    nodes: int | None = None


class PartReader(Protocol):
    """Reads the released records of a part; it is pickled with tasks."""

    def survey(self, place: int, part: Any) -> PartSurvey:
        """What there is in a part."""

    def facts(self, part: Any, often: I8) -> Facts:
        """What can be known of its records, given how many of all records hold each value."""


class PartQuestion(NamedTuple):
    """What an attacker may know, who reads it of a part, and what weighs it."""

    asked: AttackerKnowledge
    reading: PartReader
    scales: CrowdScales | KnowledgeScales


class _Portion(NamedTuple):
    """Sets of `size` values whose rarest one is of number first .. last-1; size 0 is the empty set."""

    size: int
    first: int
    last: int


class _PartTables(NamedTuple):
    """Tables by portion, or what was too much to count."""

    tables: dict[_Portion, KnowledgeTable]
    unseen: str


class _PartBreaches(NamedTuple):
    """The records of a part that break the claim: how many, and the first of them, counted from 0."""

    place: int
    number: int
    rows: tuple[int, ...]


def _survey_parts(reading: PartReader, parts: Sequence[Any], mapped: Mapper) -> list[PartSurvey]:
    """What there is in each part, in the order of parts."""
    return sorted(mapped(partial(_survey, reading), list(enumerate(parts))), key=lambda one: one.place)


def _judge_parts(
    questions: Sequence[PartQuestion], seen: Sequence[PartSurvey], parts: Sequence[Any], mapped: Mapper
) -> Breaches:
    """Count all that can be known, weigh it, and find the records that break the claim in any of these ways."""
    numbered = list(enumerate(parts))
    often: I8 = np.sum([one.often for one in seen], axis=0)
    longest = max(one.longest for one in seen)
    wrongs = []
    for asked, reading, scales in questions:
        wrong: dict[_Portion, KnowledgeTable] = {}
        for portions in _rounds(asked, len(often), longest):
            tables, unseen = _merge_parts(mapped(partial(_count, asked, reading, often, portions), numbered))
            scales.unseen = scales.unseen or unseen
            for portion, table in tables.items():
                broken = scales.find_broken_rows(table)
                if broken.any():
                    wrong[portion] = _rows(table, np.flatnonzero(broken))
        wrongs += [(asked, reading, wrong)] if wrong else []
    before = list(accumulate((one.records for one in seen), initial=0))
    if not wrongs:
        return Breaches(0, before[-1], ())
    answers = mapped(partial(_find, wrongs, often), numbered)
    found = sorted(answers, key=lambda one: one.place)
    rows = [before[one.place] + row + 1 for one in found for row in one.rows]
    return Breaches(sum(one.number for one in found), before[-1], tuple(rows[:SHOWN]))


def _survey(reading: PartReader, part: tuple[int, Any]) -> PartSurvey:
    return reading.survey(*part)


def _rounds(asked: AttackerKnowledge, values: int, longest: int) -> Iterator[list[_Portion]]:
    """What is counted in each round over the parts, so that the tables of a round are not too large.

    A table has no more rows than there are sets of values, times sets of relations among them.
    """
    width = 2 * values if asked.negated else values
    some: list[_Portion] = [_Portion(0, 0, 0)] if asked.secrets else []
    room = _AT_ONCE
    again = asked.nodes is not None  # a value may stand twice in a set
    for size in range(1, min(asked.m, width + longest * again if asked.negated else longest) + 1):
        shapes = 1 << min(comb(size, 2), 20) if asked.related else 1
        first = 0
        for rank in range(width):
            rows = comb(width - 1 - rank + (size - 1) * again, size - 1) * shapes
            if rows > room and (rank > first or some):
                yield [*some, _Portion(size, first, rank)] if rank > first else some
                some, first, room = [], rank, _AT_ONCE
            room -= rows
        some.append(_Portion(size, first, width))
    if some:
        yield some


def _batches(asked: AttackerKnowledge, told: Facts, portion: _Portion) -> Iterator[KnowledgeBatch]:
    some = iter([empty_batch(told)])
    if portion.size:
        related = asked.related and (asked.nodes is None or portion.size > 1)
        some = list_batches(told, portion.size, related, portion.first, portion.last)
    if asked.nodes is None:
        yield from some
    else:
        yield from (choose_relations(batch, asked.nodes, every=True) for batch in some)


def _count(
    asked: AttackerKnowledge,
    reading: PartReader,
    often: I8,
    portions: Sequence[_Portion],
    part: tuple[int, Any],
) -> _PartTables:
    """The knowledge of one part's records."""
    told = reading.facts(part[1], often)
    found: dict[_Portion, KnowledgeTable] = {}
    for portion in portions:
        if portion.size and (sets := count_sets(told, portion.size)) > asked.most:
            return _PartTables({}, f"some records hold {sets} sets of {portion.size} values")
        some = _batches(asked, told, portion)
        try:
            tables = [count_knowledge(told, batch, secrets=asked.secrets)[0] for batch in some]
        except TooManySetsError as error:
            return _PartTables({}, str(error))
        if tables:
            found[portion] = merge_tables(tables)
    return _PartTables(found, "")


def _merge_parts(answers: Iterable[_PartTables]) -> _PartTables:
    found: dict[_Portion, KnowledgeTable] = {}
    unseen = ""
    for answer in answers:
        unseen = max(unseen, answer.unseen)
        for portion, table in answer.tables.items():
            found[portion] = merge_tables([found[portion], table]) if portion in found else table
    return _PartTables({} if unseen else found, unseen)  # without some records, supports would be too small


def _rows(table: KnowledgeTable, rows: I8) -> KnowledgeTable:
    """Some rows of a table, without secrets."""
    none = np.zeros(0, dtype=np.int64)
    values = tuple(column[rows] for column in table.values)
    masks = tuple(column[rows] for column in table.masks)
    return KnowledgeTable(values, masks, table.fits[rows], none, none, none)


def _find(
    wrongs: Sequence[tuple[AttackerKnowledge, PartReader, dict[_Portion, KnowledgeTable]]],
    often: I8,
    part: tuple[int, Any],
) -> _PartBreaches:
    """The records of one part that hold knowledge which breaks the claim."""
    found: list[I8] = []
    for asked, reading, wrong in wrongs:
        told = reading.facts(part[1], often)
        broken = np.zeros(len(told.weight), dtype=bool)
        for portion, table in wrong.items():
            for batch in _batches(asked, told, portion):
                own, row = count_knowledge(told, batch, secrets=False)
                broken[batch.record[contains_keys(own, table)[row]]] = True
        found.append(np.flatnonzero(broken[told.of]))
    rows = np.unique(np.concatenate(found))
    return _PartBreaches(part[0], len(rows), tuple(rows[:SHOWN].tolist()))


# --- k^m-anonymity and l^m-diversity of baskets ------------------------------------------------------------


class _BasketReader(NamedTuple):
    """Reads the baskets of a part; their items are below `width`."""

    load: Callable[[Any], PublishedBaskets]
    hidden: B1

    def survey(self, place: int, part: Any) -> PartSurvey:
        """What there is in a part."""
        baskets = self.load(part)
        width = len(self.hidden)
        held = np.unique(row_of_entry(baskets.start) * width + baskets.items)
        n = len(baskets.start) - 1
        shown = held[~self.hidden[held % width]]
        longest = int(np.bincount(shown // width, minlength=1).max())
        return PartSurvey(place, n, len(held), 0, longest, np.bincount(held % width, minlength=width))

    def facts(self, part: Any, often: I8) -> Facts:
        """What can be known of its records."""
        baskets = self.load(part)
        return item_facts(baskets.start, baskets.items.astype(np.int64), self.hidden, often)


def check_basket_parts(
    claim: KmAnonymity | LmDiversity,
    parts: Sequence[Any],
    load: Callable[[Any], PublishedBaskets],
    width: int,
    sensitive: frozenset[int],
    mapped: Mapper,
) -> Verdict:
    """Judge a release whose records lie in parts; the verdict is that of `claim.check` on all of them together.

    Parameters
    ----------
    claim
        What to judge.
    parts
        What `load` makes the baskets of; equal numbers are equal leaf sets in all parts.
    load
        It is handed to `mapped`.
    width, sensitive
        All numbers are below `width`; these are sensitive items.
    mapped
        Who runs tasks: `mapped(task, parts)` gives one answer per part, in any order.
    """
    diverse = isinstance(claim, LmDiversity)
    hidden = np.zeros(max(width, 1), dtype=bool)
    hidden[list(sensitive) if diverse else []] = True
    reading = _BasketReader(load, hidden)
    seen = _survey_parts(reading, parts, mapped)
    records, entries = sum(one.records for one in seen), sum(one.entries for one in seen)
    if not records or (not diverse and not entries):
        what = "no record" if diverse else "no record with an item"
        return Verdict(False, f"the release holds {what}, so the claim promises nothing")
    if diverse and not sum(int(one.often[hidden].sum()) for one in seen):
        return Verdict(False, "no sensitive item occurs, so the claim promises nothing")
    scales = CrowdScales(claim.k, claim.l if isinstance(claim, LmDiversity) else None, records, nothing=True)
    asked = AttackerKnowledge(claim.m, related=False, negated=False, secrets=diverse, most=MOST)
    found = _judge_parts([PartQuestion(asked, reading, scales)], seen, parts, mapped)
    if scales.unseen:
        return Verdict(False, f"not judged: {scales.unseen}; lower m", judged=False)
    if isinstance(claim, LmDiversity):
        return claim.verdict(found, scales.least, scales.diversity)
    return claim.verdict(found, scales.least)


# --- k^(m,n)-anonymity of record trees ----------------------------------------------------------------------


class _TreeReader(NamedTuple):
    """Reads the trees of a part: their values, or their nodes."""

    claim: KMNAnonymity
    load: Callable[[Any], Trees]
    nodes: bool = False

    def survey(self, place: int, part: Any) -> PartSurvey:
        """What there is in a part."""
        trees = self.load(part)
        each, often = values_of_records(trees)
        each = np.diff(trees.start) if self.nodes else each
        cells = int((each**2).sum()) if self.claim.n else 0
        return PartSurvey(place, trees.n, len(trees.items), cells, int(each.max(initial=0)), often)

    def facts(self, part: Any, often: I8) -> Facts:
        """What can be known of its records."""
        claim, trees = self.claim, self.load(part)
        return facts(trees, claim.sensitive, claim.negations, claim.n > 0, often, nodes=self.nodes)


def check_tree_parts(
    claim: KMNAnonymity, outline: Trees, parts: Sequence[Any], load: Callable[[Any], Trees], mapped: Mapper
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
        The first is handed to the second, who runs tasks: `mapped(task, parts)` gives one answer per part.
    """
    reading = _TreeReader(claim, load, claim.counts_nodes)
    seen = _survey_parts(reading, parts, mapped)
    refusal = claim.refusal(outline, sum(one.entries for one in seen), sum(one.cells for one in seen))
    if refusal is not None:
        return refusal
    records = sum(one.records for one in seen)
    asked = AttackerKnowledge(claim.m, claim.n > 0, bool(claim.negations), claim.l is not None, MOST_SETS)
    weighed: list[KnowledgeScales | CrowdScales] = [KnowledgeScales(claim, records)]
    questions = [PartQuestion(asked, reading._replace(nodes=False), weighed[0])]
    if claim.counts_nodes:
        weighed.append(CrowdScales(claim.k, claim.l, records))
        questions.append(PartQuestion(asked._replace(nodes=claim.n), reading, weighed[1]))
    found = _judge_parts(questions, seen, parts, mapped)
    unseen = next((scales.unseen for scales in weighed if scales.unseen), "")
    if unseen and not found.broken:
        return refuse_size(unseen)
    return claim.verdict(found, min(scales.least for scales in weighed))
