"""Background knowledge: what an attacker may know of a record, listed, counted and merged.

Facts are the distinct values of a record, and which of them share a path. Classes of record trees stand in one order,
so of two values in one path it is always the same one that stands above: a relation is a pair of values. Records that
are equal in values and relations are held once.

Every set of values that some record holds is listed in batches of bounded size, by its rarest value, so that all the
records that hold it meet in one batch. Tables hold such sets with how many records fit them; they are made of some
records, and merged by key.

Whoever counts a person's rows knows a few nodes of a record, of which several may have one value, and some of the
relations "one stands above the other" among them. A record fits it where its nodes can be found among the record's own,
each another one, with the same values and at least these relations. So such knowledge is a multiset of values with a
set of pairs of its places, whatever the order of places that hold equal values. Every set of nodes of a record is
listed likewise, and each record counts once for whatever its sets show.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product
from math import comb, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data import Trees
from shoal.data.arrays import (
    B1,
    I4,
    I8,
    chunk_rows,
    number_rows,
    owners_by_size,
    prefix_sums,
    row_of_entry,
    take_rows,
)
from shoal.data.spelling import unify_spellings
from shoal.data.trees import CHUNK, ancestry
from shoal.privacy.equivalence_class import group

__all__ = [
    "CrowdScales",
    "Facts",
    "KnowledgeBatch",
    "KnowledgeTable",
    "TooManySetsError",
    "among",
    "batches",
    "broken_by_nodes",
    "count_knowledge",
    "count_sets",
    "facts",
    "item_facts",
    "known_relations",
    "largest_batch",
    "merge_tables",
    "no_knowledge",
    "pairs_of_values",
    "values_of_records",
]

_BATCH = 1 << 19  # sets held at once, but for a single value that makes more
_ALL = 1 << 31
_WORD = 62  # relations in one word of a mask


@dataclass(frozen=True, slots=True)
class Facts:
    """Distinct records as far as can be known, the values of each from the rarest to the commonest.

    of     : int64[n]           the distinct record behind each record
    weight : int64[distinct]    how many records it stands for
    start  : int64[distinct+1]  its values are items[start[i] : start[i + 1]]
    own    : int64[distinct]    so many of them, the first, are present; those behind are absences
    items  : int32              numbers of values; those of absences are larger than all others
    square : int64[distinct]    related[square[i] + p * own[i] + q]: whether its values p and q share a path
    secret_start, secrets       its sensitive values, likewise
    """

    of: I8
    weight: I8
    start: I8
    own: I8
    items: I4
    square: I8
    related: B1
    secret_start: I8
    secrets: I8


def pairs_of_values(trees: Trees) -> int:
    """How many cells the relation matrices of all records take."""
    width = max(len(trees.values), 1)
    cells = 0
    for at in range(0, trees.n, CHUNK):
        some = trees.start[at : at + CHUNK + 1]
        record = row_of_entry(some)
        held = np.unique(record * width + trees.items[some[0] : some[-1]])
        cells += int((np.bincount(held // width) ** 2).sum())
    return cells


def values_of_records(trees: Trees) -> tuple[I8, I8]:
    """How many different values each record holds, and how many records hold each value."""
    width = max(len(trees.values), 1)
    held = np.unique(row_of_entry(trees.start) * width + trees.items)
    return np.bincount(held // width, minlength=trees.n), np.bincount(held % width, minlength=width)


def facts(
    trees: Trees,
    exempt: str | None,
    negations: tuple[str, ...],
    paths: bool,
    often: I8 | None = None,
    *,
    nodes: bool = False,
) -> Facts:
    """Collect what can be known of a release.

    Values of the class `exempt` are secrets, absences of values of the classes `negations` can be known;
    `paths` False leaves relations out. Where the trees are some of many records, `often` says how many of all of them
    hold each value. With `nodes` a value stands once for each of its nodes.
    """
    width = max(len(trees.values), 1)
    hidden = _of_classes(trees, () if exempt is None else (exempt,))
    held = np.unique(row_of_entry(trees.start) * width + trees.items)
    often = np.bincount(held % width, minlength=width) if often is None else often
    rank = _rank(often)
    seen, secret = _seen_and_secret(held, hidden, rank)
    del held  # as large as the data
    shown = np.zeros(0, dtype=np.int64)
    if nodes and len(trees.items):
        shown = np.flatnonzero(~hidden[trees.items])
        seen = row_of_entry(trees.start)[shown] * width + rank[trees.items[shown]]
        order = np.argsort(seen, kind="stable")
        seen, shown = seen[order], shown[order]
    secret = np.unique(secret // width * width + _one_spelling(trees, hidden)[secret % width])
    start = _starts(seen // width, trees.n)
    place = np.empty(len(trees.items) if nodes else 0, dtype=np.int64)
    place[shown] = np.arange(len(shown)) - start[seen[: len(shown)] // width]

    def placed(some: I8, whose: I8) -> I8:
        if nodes:
            return place[some]
        return np.asarray(np.searchsorted(seen, whose * width + rank[trees.items[some]]) - start[whose])

    square = prefix_sums(np.diff(start) ** 2) if paths else np.zeros(trees.n + 1, dtype=np.int64)
    related = np.zeros(int(square[-1]), dtype=bool)
    if paths:
        _relate(related, trees, hidden, np.diff(start), square, placed)
    denied = np.flatnonzero(_of_classes(trees, negations)[np.argsort(rank)] & (np.sort(often) > 0))
    return _facts(seen, secret, width, trees.n, square, related, denied)


def item_facts(start: I8, items: I8, hidden: B1, often: I8) -> Facts:
    """Collect what can be known of baskets: items that are not hidden, and no relations; hidden ones are secrets.

    `hidden` and `often` say of each item whether it is, and how many records hold it, in these baskets and others.
    """
    width, n, nothing = max(len(often), 1), len(start) - 1, np.zeros(0, dtype=np.int64)
    seen, secret = _seen_and_secret(np.unique(row_of_entry(start) * width + items), hidden, _rank(often))
    square, related = np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=bool)
    return _facts(seen, secret, width, n, square, related, nothing)


def _facts(seen: I8, secret: I8, width: int, n: int, square: I8, related: B1, denied: I8) -> Facts:
    """Facts of n records, from keys record * width + value of what is seen and of what is secret, both rising."""
    start, ends = _starts(seen // width, n), _starts(secret // width, n)
    parts = (start, seen % width), (ends, secret % width), (square, related)
    of, heads = group([number_rows(*part) for part in parts])
    own = np.diff(start)[heads]
    all_start, items = _with_absences(own, _taken(seen % width, start, heads), denied, width)
    return Facts(
        of,
        np.bincount(of, minlength=len(heads)),
        all_start,
        own,
        items.astype(np.int32),
        np.cumsum(np.r_[0, np.diff(square)[heads]])[:-1],
        _taken(related, square, heads),
        prefix_sums(np.diff(ends)[heads]),
        _taken(secret % width, ends, heads),
    )


def _rank(often: I8) -> I8:
    """The place of each value from the rarest to the commonest; there is one value more where there is none."""
    rank = np.empty(max(len(often), 1), dtype=np.int64)
    rank[np.argsort(often, kind="stable")] = np.arange(len(often))
    return rank


def _seen_and_secret(held: I8, hidden: B1, rank: I8) -> tuple[I8, I8]:
    """Keys record * width + value parted: those that are not hidden, by the value's rank and rising, and the others."""
    width = len(rank)
    seen = held[~hidden[held % width]]
    return np.sort(seen // width * width + rank[seen % width]), held[hidden[held % width]]


def _one_spelling(trees: Trees, hidden: B1) -> I8:
    """For each hidden value, the first that is the same, however spelled; for others themselves."""
    first: dict[str, int] = {}
    same = np.arange(len(hidden))
    codes = np.flatnonzero(hidden[: len(trees.values)]).tolist()
    for code, spelling in zip(codes, unify_spellings(trees.values[code] for code in codes), strict=True):
        same[code] = first.setdefault(spelling, code)
    return same


def _of_classes(trees: Trees, names: tuple[str, ...]) -> B1:
    """For each value, whether its class is one of these; there is one value more where there is none."""
    chosen = np.array([name in names for name in trees.classes], dtype=bool)
    return chosen[trees.kinds] if len(trees.values) else np.zeros(1, dtype=bool)


def _starts(rows: I8, n: int) -> I8:
    starts: I8 = prefix_sums(np.bincount(rows, minlength=n))
    return starts


def _relate(
    related: B1, trees: Trees, hidden: B1, sizes: I8, square: I8, placed: Callable[[I8, I8], I8]
) -> None:
    """For each record, fill in a matrix over its values: whether one stands above the other.

    `placed` tells the places of some nodes among the values of their records.
    """
    for at in range(0, trees.n, CHUNK):
        some = trees.start[at : at + CHUNK + 1]
        for low, high in ancestry(some, trees.parents):
            shown = ~(hidden[trees.items[low]] | hidden[trees.items[high]])
            low, high = low[shown], high[shown]
            whose = np.searchsorted(some, low, side="right") - 1 + at
            p, q = placed(low, whose), placed(high, whose)
            related[square[whose] + p * sizes[whose] + q] = True
            related[square[whose] + q * sizes[whose] + p] = True


def _taken(cells: NDArray[Any], start: I8, rows: I8) -> NDArray[Any]:
    """All cells that belong to some rows, row by row; in parts, for places take more room than cells."""
    parts = [take_rows(start, cells, rows[at : at + CHUNK])[1] for at in range(0, len(rows), CHUNK)]
    return np.concatenate([cells[:0], *parts])


def _with_absences(own: I8, items: I8, denied: I8, width: int) -> tuple[I8, I8]:
    """Behind each record's values, those of `denied` that it lacks."""
    record = owners_by_size(own)
    lacks = np.ones((len(own), len(denied)), dtype=bool)
    place = np.full(width, -1, dtype=np.int64)
    place[denied] = np.arange(len(denied))
    known = place[items] >= 0
    lacks[record[known], place[items[known]]] = False
    rows, columns = np.nonzero(lacks)
    order = np.argsort(np.r_[record, rows], kind="stable")
    return _starts(np.r_[record, rows], len(own)), np.r_[items, denied[columns] + width][order]


# --- sets of values -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KnowledgeBatch:
    """For each row, a set of values, a record that holds it, and which of the values share a path there.

    values : by place in the set, the number of the value
    masks  : words of bits, one bit per pair of places; no words where relations are left out
    record : the distinct record
    """

    values: tuple[I4, ...]
    masks: tuple[I8, ...]
    record: I4


def no_knowledge(told: Facts) -> KnowledgeBatch:
    """The empty set of values, which every distinct record holds."""
    return KnowledgeBatch((), (), np.arange(len(told.weight), dtype=np.int32))


def count_sets(told: Facts, size: int) -> int:
    """How many sets of `size` values the distinct records hold, each counted once per record."""
    counts = np.bincount(np.diff(told.start), minlength=1)
    return sum(int(count) * comb(values, size) for values, count in enumerate(counts))


def largest_batch(told: Facts, size: int) -> int:
    """How many sets of `size` values have one and the same rarest value, at most: they are held at once."""
    if not len(told.items):
        return 0
    record = row_of_entry(told.start)
    behind = told.start[record + 1] - np.arange(len(record)) - 1
    made = np.array([float(comb(rest, size - 1)) for rest in range(int(behind.max()) + 1)])[behind]
    return int(np.bincount(told.items, weights=made).max())


def batches(
    told: Facts, size: int, related: bool, first: int = 0, last: int | None = None
) -> Iterator[KnowledgeBatch]:
    """List every set of `size` values of every distinct record; equal sets never stand in two batches.

    Only sets whose rarest value has a number of `first` .. `last`-1 are listed.
    """
    record = row_of_entry(told.start).astype(np.int32)
    behind = (told.start[record + 1] - np.arange(len(record)) - 1).astype(
        np.int32
    )  # commoner values beside it
    made = np.array([comb(rest, size - 1) for rest in range(int(behind.max(initial=0)) + 1)])[behind]
    spots = np.argsort(told.items, kind="stable")
    rarest = told.items[spots]
    spots = spots[(made[spots] > 0) & (rarest >= first) & (rarest < (_ALL if last is None else last))]
    edges = np.flatnonzero(np.diff(told.items[spots], prepend=-1, append=-1))
    sets = np.diff(prefix_sums(made[spots])[edges])
    del made  # as large as the data
    for low, high in chunk_rows(sets, _BATCH):
        yield _batch(told, size, related, spots[edges[low] : edges[high]], record, behind)


def _batch(told: Facts, size: int, related: bool, spots: I8, record: I4, behind: I4) -> KnowledgeBatch:
    """The sets whose rarest value stands at one of the `spots` of `told.items`."""
    parts = []
    if size == 1:  # then what stands behind a value makes no difference
        behind = np.zeros_like(behind)
    spots = spots[np.argsort(behind[spots], kind="stable")]
    rests, first = np.unique(behind[spots], return_index=True)
    for rest, some in zip(rests.tolist(), np.split(spots, first[1:]), strict=True):
        steps = _steps(rest, size)
        places = (some[:, None] + steps[:, None, :]).reshape(size, -1)
        whose = np.repeat(record[some], steps.shape[1])
        masks = _masks(told, places, whose) if related else ()
        parts.append((*told.items[places], *masks, whose))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return KnowledgeBatch(tuple(columns[:size]), tuple(columns[size:-1]), columns[-1])


def _steps(rest: int, size: int) -> I8:
    """From a value to the others of each set: 0, then every choice of size - 1 of the `rest` behind it; by column."""
    number = comb(rest, size - 1)
    others = chain.from_iterable(combinations(range(1, rest + 1), size - 1))
    steps = np.zeros((size, number), dtype=np.int64)
    steps[1:] = np.fromiter(others, np.int64, number * (size - 1)).reshape(number, size - 1).T
    return steps


def _masks(told: Facts, places: I8, whose: I4) -> tuple[I8, ...]:
    """For each set, which pairs of its values share a path; an absent value shares none."""
    pairs = list(combinations(places - told.start[whose], 2))
    own, base = told.own[whose], told.square[whose]
    masks = [np.zeros(len(whose), dtype=np.int64) for _ in range(0, len(pairs), _WORD)]
    for bit, (p, q) in enumerate(pairs):
        there = (
            slice(None) if len(told.items) == told.own.sum() else q < own
        )  # absences stand behind, and q behind p
        masks[bit // _WORD][there] |= told.related[(base + p * own + q)[there]].astype(np.int64) << (
            bit % _WORD
        )
    return tuple(masks)


# --- tables -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KnowledgeTable:
    """Sets of values with the relations that records show among them, each once.

    values, masks : columns as in `KnowledgeBatch`; the key of a row
    fits    : int64[rows]      records that hold these values and show exactly these relations
    row, secret, having : of these records, how many hold each secret; by row
    """

    values: tuple[I4, ...]
    masks: tuple[I8, ...]
    fits: I8
    row: I8
    secret: I8
    having: I8

    @property
    def key(self) -> tuple[NDArray[Any], ...]:
        """The columns that tell rows apart; one column of zeros where nothing is known."""
        return (*self.values, *self.masks) or (np.zeros(len(self.fits), dtype=np.int64),)

    @property
    def sets(self) -> I8:
        """Number the rows so that those of one set of values, whatever its relations, have one number."""
        return group(self.values or (np.zeros(len(self.fits), dtype=np.int64),))[0]


def count_knowledge(told: Facts, batch: KnowledgeBatch, *, secrets: bool) -> tuple[KnowledgeTable, I8]:
    """Count the sets of one batch: the table, and the row in it of each entry of the batch."""
    weight = told.weight[batch.record]
    of, heads = group((*batch.values, *batch.masks) or (np.zeros(len(weight), dtype=np.int64),))
    fits = np.bincount(of, weights=weight, minlength=len(heads)).astype(np.int64)
    none = np.zeros(0, dtype=np.int64)
    row, secret, having = none, none, none
    if secrets:
        start, held = take_rows(told.secret_start, told.secrets, batch.record)
        entry = row_of_entry(start)
        row, secret, having = _added(of[entry], held, weight[entry])
    values = tuple(column[heads] for column in batch.values)
    masks = tuple(column[heads] for column in batch.masks)
    return KnowledgeTable(values, masks, fits, row, secret, having), of


def merge_tables(tables: Sequence[KnowledgeTable]) -> KnowledgeTable:
    """One table of several about different records: equal keys become one, and their records are added."""
    if len(tables) == 1:
        return tables[0]
    key = [np.concatenate(column) for column in zip(*(table.key for table in tables), strict=True)]
    of, heads = group(key)
    fits = np.concatenate([table.fits for table in tables])
    first = np.cumsum([0, *(len(table.fits) for table in tables)])
    rows = np.concatenate([table.row + at for table, at in zip(tables, first[:-1], strict=True)])
    secret = np.concatenate([table.secret for table in tables])
    having = np.concatenate([table.having for table in tables])
    size = len(tables[0].values)
    return KnowledgeTable(
        tuple(column[heads] for column in key[:size]),
        tuple(column[heads] for column in key[size : size + len(tables[0].masks)]),
        np.bincount(of, weights=fits, minlength=len(heads)).astype(np.int64),
        *_added(of[rows], secret, having),
    )


def among(table: KnowledgeTable, chosen: KnowledgeTable) -> B1:
    """Which rows of a table have the key of a row of another one."""
    both = [np.concatenate(column) for column in zip(table.key, chosen.key, strict=True)]
    of, _ = group(both)
    return np.isin(of[: len(table.fits)], of[len(table.fits) :])


def _added(row: I8, secret: I8, having: I8) -> tuple[I8, I8, I8]:
    """Add what is counted for one row and secret."""
    if not len(row):
        return row, secret, having
    of, heads = group((row, secret))
    return row[heads], secret[heads], np.bincount(of, weights=having, minlength=len(heads)).astype(np.int64)


# --- nodes --------------------------------------------------------------------------------------------------


MOST_NODES = 8  # that may be known: the orders of equal ones are tried one by one
_MOST_HELD = 1 << 27  # numbers of sets that are held at once
_MOST_RELATION_SETS = 1 << 12


class TooManySetsError(Exception):
    """More sets of relations among nodes than are looked at, or of more nodes; in words."""


def broken_by_nodes(
    told: Facts, k: int, m: int, n: int, l: int | None, most: int
) -> tuple[B1, "CrowdScales"]:
    """Count the records that fit whatever is known of up to m nodes and n relations of each, and weigh the counts.

    Returns which distinct records are broken, and the scales, which know how many fit the rarest knowledge.
    """
    scales = CrowdScales(k, l, int(told.weight.sum()))
    broken = np.zeros(len(told.weight), dtype=bool)
    try:
        for batch in _all_batches(told, m, n, l, most):
            shown = known_relations(batch, n, every=l is not None)
            table, row = count_knowledge(told, shown, secrets=l is not None)
            broken[shown.record[scales.broken(table)[row]]] = True
    except TooManySetsError as error:
        scales.unseen = str(error)
    return broken, scales


def _all_batches(told: Facts, m: int, n: int, l: int | None, most: int) -> Iterator[KnowledgeBatch]:
    """Every set of up to m nodes, in batches: first of an attacker who knows nothing, if that matters."""
    if l is not None:
        yield no_knowledge(told)
    left = most
    for size in range(1, min(m, int(np.diff(told.start).max(initial=0))) + 1):
        left -= count_sets(told, size)
        if size <= MOST_NODES and (left < 0 or largest_batch(told, size) * (size + 1) > _MOST_HELD):
            raise TooManySetsError(f"the records hold more than {most} sets of up to {m} nodes")
        yield from batches(told, size, n > 0 and size > 1)


class CrowdScales:
    """Weighs what is known where more of it fits no more records: too few fit, or too many of these share a secret.

    Who knows nothing finds everybody, and so k records as well, unless `nothing` says that they must be k.
    """

    def __init__(self, k: int, l: int | None, records: int, *, nothing: bool = False) -> None:
        self.k, self.l, self.nothing = k, l, nothing
        self.least, self.diversity, self.unseen = records, inf, ""

    def broken(self, table: KnowledgeTable) -> B1:
        """Which rows of a table that holds all records break the claim."""
        wrong = np.zeros(len(table.fits), dtype=bool)
        if (table.values or self.nothing) and len(table.fits):
            self.least = min(self.least, int(table.fits.min()))
            wrong |= table.fits < self.k
        if self.l is not None and len(table.row):
            fits = table.fits[table.row]
            wrong[table.row[table.having * self.l > fits]] = True
            self.diversity = min(self.diversity, float((fits / table.having).min()))
        return wrong


def known_relations(batch: KnowledgeBatch, n: int, *, every: bool) -> KnowledgeBatch:
    """What may be known of the nodes of a batch: up to n relations, as one number; a record stands once for each.

    Without `every`, only the largest sets of relations that occur in this batch: smaller ones fit no fewer records.
    Equal knowledge never stands in two batches.

    Raises
    ------
    TooManySetsError
        There are too many.
    """
    if len(batch.values) > MOST_NODES:
        raise TooManySetsError(f"the claim speaks of more than {MOST_NODES} nodes at once")
    parts = list(_shown(batch, n, every=every))
    record = np.concatenate([batch.record[rows] for rows, _ in parts])
    code = np.concatenate([code for _, code in parts])
    values = [np.concatenate([column[rows] for rows, _ in parts]) for column in batch.values]
    _, once = group((*values, code, record))  # a record fits in many ways, and counts once
    return KnowledgeBatch(tuple(column[once] for column in values), (code[once],), record[once])


def _shown(batch: KnowledgeBatch, n: int, *, every: bool) -> Iterator[tuple[I8, I8]]:
    """Rows of a batch, and a number for the relations that are known of the row's nodes; a row stands for each set."""
    rows = np.arange(len(batch.record))
    if not batch.masks:
        yield rows, np.zeros(len(rows), dtype=np.int64)
        return
    (mask,) = batch.masks  # MOST_NODES have fewer pairs than a word has bits
    size = len(batch.values)
    chosen: set[int] = set()
    for shows in np.unique(mask).tolist():
        bits = [bit for bit in range(comb(size, 2)) if shows >> bit & 1]
        fewest = 0 if every else min(n, len(bits))
        for some in range(fewest, min(n, len(bits)) + 1):
            if comb(len(bits), some) + len(chosen) > _MOST_RELATION_SETS:
                raise TooManySetsError(f"records show sets of up to {n} relations")
            chosen.update(sum(1 << bit for bit in bits_) for bits_ in combinations(bits, some))
    ties = np.zeros(len(rows), dtype=np.int64)
    for place in range(size - 1):
        ties |= (batch.values[place] == batch.values[place + 1]).astype(np.int64) << place
    for tie in np.unique(ties).tolist():
        own = np.flatnonzero(ties == tie)
        orders = list(_orders(size, tie))
        for some in sorted(chosen):
            shows = own[(mask[own] & some) == some]
            if len(shows):
                yield shows, np.full(len(shows), min(_moved(some, order) for order in orders), dtype=np.int64)


def _orders(size: int, tie: int) -> Iterator[tuple[int, ...]]:
    """Every order of places that leaves the values as they are; bit p of `tie`: places p and p + 1 have one value."""
    runs, run = [], [0]
    for place in range(1, size):
        if not tie >> (place - 1) & 1:
            runs.append(run)
            run = []
        run.append(place)
    for some in product(*(permutations(run) for run in [*runs, run])):
        yield tuple(place for part in some for place in part)


def _moved(mask: int, order: tuple[int, ...]) -> int:
    """The relations of a mask, one bit per pair of places, once place p is order[p]."""
    pairs = {pair: bit for bit, pair in enumerate(combinations(range(len(order)), 2))}
    moved = 0
    for (p, q), bit in pairs.items():
        if mask >> bit & 1:
            moved |= 1 << pairs[min(order[p], order[q]), max(order[p], order[q])]
    return moved
