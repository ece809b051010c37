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
    prefix_sums,
    row_of_entry,
    rows_by_size,
    take_rows,
)
from shoal.data.spelling import unify_spellings
from shoal.data.trees import CHUNK, ancestry
from shoal.privacy.equivalence_class import number_groups

__all__ = [
    "CrowdScales",
    "Facts",
    "KnowledgeBatch",
    "KnowledgeTable",
    "TooManySetsError",
    "choose_relations",
    "contains_keys",
    "count_knowledge",
    "count_sets",
    "empty_batch",
    "facts",
    "item_facts",
    "largest_batch",
    "list_batches",
    "merge_tables",
    "pairs_of_values",
    "values_of_records",
    "weigh_node_sets",
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
    for first_tree in range(0, trees.n, CHUNK):
        starts = trees.start[first_tree : first_tree + CHUNK + 1]
        record = row_of_entry(starts)
        keys = np.unique(record * width + trees.items[starts[0] : starts[-1]])
        cells += int((np.bincount(keys // width) ** 2).sum())
    return cells


def values_of_records(trees: Trees) -> tuple[I8, I8]:
    """How many different values each record holds, and how many records hold each value."""
    width = max(len(trees.values), 1)
    keys = np.unique(row_of_entry(trees.start) * width + trees.items)
    return np.bincount(keys // width, minlength=trees.n), np.bincount(keys % width, minlength=width)


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
    hidden = _is_of_classes(trees, () if exempt is None else (exempt,))
    keys = np.unique(row_of_entry(trees.start) * width + trees.items)
    often = np.bincount(keys % width, minlength=width) if often is None else often
    rank = _rank_values(often)
    seen_keys, secret = _split_secrets(keys, hidden, rank)
    del keys  # as large as the data
    open_nodes = np.zeros(0, dtype=np.int64)  # with `nodes`, the node behind each key
    if nodes and len(trees.items):
        open_nodes = np.flatnonzero(~hidden[trees.items])
        node_keys = row_of_entry(trees.start)[open_nodes] * width + rank[trees.items[open_nodes]]
        by_key = np.argsort(node_keys, kind="stable")
        seen_keys, open_nodes = node_keys[by_key], open_nodes[by_key]
    secret = np.unique(secret // width * width + _unify_codes(trees, hidden)[secret % width])
    start = _row_starts(seen_keys // width, trees.n)
    position_of_node = np.empty(len(trees.items) if nodes else 0, dtype=np.int64)
    position_of_node[open_nodes] = np.arange(len(open_nodes)) - start[seen_keys[: len(open_nodes)] // width]

    def locate(some: I8, whose: I8) -> I8:
        if nodes:
            return position_of_node[some]
        return np.asarray(np.searchsorted(seen_keys, whose * width + rank[trees.items[some]]) - start[whose])

    square = prefix_sums(np.diff(start) ** 2) if paths else np.zeros(trees.n + 1, dtype=np.int64)
    related = np.zeros(int(square[-1]), dtype=bool)
    if paths:
        _mark_related(related, trees, hidden, np.diff(start), square, locate)
    denied = np.flatnonzero(_is_of_classes(trees, negations)[np.argsort(rank)] & (np.sort(often) > 0))
    return _distinct_facts(seen_keys, secret, width, trees.n, square, related, denied)


def item_facts(start: I8, items: I8, hidden: B1, often: I8) -> Facts:
    """Collect what can be known of baskets: items that are not hidden, and no relations; hidden ones are secrets.

    `hidden` and `often` say of each item whether it is, and how many records hold it, in these baskets and others.
    """
    width, n, nothing = max(len(often), 1), len(start) - 1, np.zeros(0, dtype=np.int64)
    seen_keys, secret = _split_secrets(
        np.unique(row_of_entry(start) * width + items), hidden, _rank_values(often)
    )
    square, related = np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=bool)
    return _distinct_facts(seen_keys, secret, width, n, square, related, nothing)


def _distinct_facts(seen: I8, secret: I8, width: int, n: int, square: I8, related: B1, denied: I8) -> Facts:
    """Facts of n records, from keys record * width + value of what is seen and of what is secret, both rising."""
    start, ends = _row_starts(seen // width, n), _row_starts(secret // width, n)
    parts = (start, seen % width), (ends, secret % width), (square, related)
    fact_of_record, heads = number_groups([number_rows(*part) for part in parts])
    value_counts = np.diff(start)[heads]
    all_start, items = _append_absences(value_counts, _take_cells(seen % width, start, heads), denied, width)
    return Facts(
        fact_of_record,
        np.bincount(fact_of_record, minlength=len(heads)),
        all_start,
        value_counts,
        items.astype(np.int32),
        np.cumsum(np.r_[0, np.diff(square)[heads]])[:-1],
        _take_cells(related, square, heads),
        prefix_sums(np.diff(ends)[heads]),
        _take_cells(secret % width, ends, heads),
    )


def _rank_values(often: I8) -> I8:
    """The place of each value from the rarest to the commonest; there is one value more where there is none."""
    rank = np.empty(max(len(often), 1), dtype=np.int64)
    rank[np.argsort(often, kind="stable")] = np.arange(len(often))
    return rank


def _split_secrets(held: I8, hidden: B1, rank: I8) -> tuple[I8, I8]:
    """Keys record * width + value parted: those that are not hidden, by the value's rank and rising, and the others."""
    width = len(rank)
    open_keys = held[~hidden[held % width]]
    return np.sort(open_keys // width * width + rank[open_keys % width]), held[hidden[held % width]]


def _unify_codes(trees: Trees, hidden: B1) -> I8:
    """For each hidden value, the first that is the same, however spelled; for others themselves."""
    first_code: dict[str, int] = {}
    unified_codes = np.arange(len(hidden))
    codes = np.flatnonzero(hidden[: len(trees.values)]).tolist()
    for code, spelling in zip(codes, unify_spellings(trees.values[code] for code in codes), strict=True):
        unified_codes[code] = first_code.setdefault(spelling, code)
    return unified_codes


def _is_of_classes(trees: Trees, names: tuple[str, ...]) -> B1:
    """For each value, whether its class is one of these; there is one value more where there is none."""
    is_chosen = np.array([name in names for name in trees.classes], dtype=bool)
    return is_chosen[trees.kinds] if len(trees.values) else np.zeros(1, dtype=bool)


def _row_starts(rows: I8, n: int) -> I8:
    starts: I8 = prefix_sums(np.bincount(rows, minlength=n))
    return starts


def _mark_related(
    related: B1, trees: Trees, hidden: B1, sizes: I8, square: I8, locate: Callable[[I8, I8], I8]
) -> None:
    """For each record, fill in a matrix over its values: whether one stands above the other.

    `locate` tells the places of some nodes among the values of their records.
    """
    for first_tree in range(0, trees.n, CHUNK):
        starts = trees.start[first_tree : first_tree + CHUNK + 1]
        for low, high in ancestry(starts, trees.parents):
            is_open = ~(hidden[trees.items[low]] | hidden[trees.items[high]])
            low, high = low[is_open], high[is_open]
            whose = np.searchsorted(starts, low, side="right") - 1 + first_tree
            p, q = locate(low, whose), locate(high, whose)
            related[square[whose] + p * sizes[whose] + q] = True
            related[square[whose] + q * sizes[whose] + p] = True


def _take_cells(cells: NDArray[Any], start: I8, rows: I8) -> NDArray[Any]:
    """All cells that belong to some rows, row by row; in parts, for places take more room than cells."""
    parts = [
        take_rows(start, cells, rows[first_row : first_row + CHUNK])[1]
        for first_row in range(0, len(rows), CHUNK)
    ]
    return np.concatenate([cells[:0], *parts])


def _append_absences(own: I8, items: I8, denied: I8, width: int) -> tuple[I8, I8]:
    """Behind each record's values, those of `denied` that it lacks."""
    record = rows_by_size(own)
    lacks = np.ones((len(own), len(denied)), dtype=bool)
    index_of_value = np.full(width, -1, dtype=np.int64)
    index_of_value[denied] = np.arange(len(denied))
    is_denied = index_of_value[items] >= 0
    lacks[record[is_denied], index_of_value[items[is_denied]]] = False
    rows, columns = np.nonzero(lacks)
    order = np.argsort(np.r_[record, rows], kind="stable")
    return _row_starts(np.r_[record, rows], len(own)), np.r_[items, denied[columns] + width][order]


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


def empty_batch(told: Facts) -> KnowledgeBatch:
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
    set_counts = np.array(
        [float(comb(behind_count, size - 1)) for behind_count in range(int(behind.max()) + 1)]
    )[behind]
    return int(np.bincount(told.items, weights=set_counts).max())


def list_batches(
    told: Facts, size: int, related: bool, first: int = 0, last: int | None = None
) -> Iterator[KnowledgeBatch]:
    """List every set of `size` values of every distinct record; equal sets never stand in two batches.

    Only sets whose rarest value has a number of `first` .. `last`-1 are listed.
    """
    record = row_of_entry(told.start).astype(np.int32)
    # Commoner values beside it.
    behind = (told.start[record + 1] - np.arange(len(record)) - 1).astype(np.int32)
    set_counts = np.array(
        [comb(behind_count, size - 1) for behind_count in range(int(behind.max(initial=0)) + 1)]
    )[behind]
    spots = np.argsort(told.items, kind="stable")
    rarest = told.items[spots]
    spots = spots[(set_counts[spots] > 0) & (rarest >= first) & (rarest < (_ALL if last is None else last))]
    edges = np.flatnonzero(np.diff(told.items[spots], prepend=-1, append=-1))
    sets = np.diff(prefix_sums(set_counts[spots])[edges])
    del set_counts  # as large as the data
    for low, high in chunk_rows(sets, _BATCH):
        yield _make_batch(told, size, related, spots[edges[low] : edges[high]], record, behind)


def _make_batch(told: Facts, size: int, related: bool, spots: I8, record: I4, behind: I4) -> KnowledgeBatch:
    """The sets whose rarest value stands at one of the `spots` of `told.items`."""
    parts = []
    if size == 1:  # then what stands behind a value makes no difference
        behind = np.zeros_like(behind)
    spots = spots[np.argsort(behind[spots], kind="stable")]
    rests, first_spot = np.unique(behind[spots], return_index=True)
    for behind_count, group_spots in zip(rests.tolist(), np.split(spots, first_spot[1:]), strict=True):
        steps = _steps_to_others(behind_count, size)
        positions = (group_spots[:, None] + steps[:, None, :]).reshape(size, -1)
        whose = np.repeat(record[group_spots], steps.shape[1])
        masks = _relation_masks(told, positions, whose) if related else ()
        parts.append((*told.items[positions], *masks, whose))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return KnowledgeBatch(tuple(columns[:size]), tuple(columns[size:-1]), columns[-1])


def _steps_to_others(rest: int, size: int) -> I8:
    """From a value to the others of each set: 0, then every choice of size - 1 of the `rest` behind it; by column."""
    number = comb(rest, size - 1)
    choices = chain.from_iterable(combinations(range(1, rest + 1), size - 1))
    steps = np.zeros((size, number), dtype=np.int64)
    steps[1:] = np.fromiter(choices, np.int64, number * (size - 1)).reshape(number, size - 1).T
    return steps


def _relation_masks(told: Facts, places: I8, whose: I4) -> tuple[I8, ...]:
    """For each set, which pairs of its values share a path; an absent value shares none."""
    pairs = list(combinations(places - told.start[whose], 2))
    value_counts, base = told.own[whose], told.square[whose]
    masks = [np.zeros(len(whose), dtype=np.int64) for _ in range(0, len(pairs), _WORD)]
    for bit, (p, q) in enumerate(pairs):
        # Absences stand behind, and q behind p.
        has_values = slice(None) if len(told.items) == told.own.sum() else q < value_counts
        masks[bit // _WORD][has_values] |= told.related[(base + p * value_counts + q)[has_values]].astype(
            np.int64
        ) << (bit % _WORD)
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
        return number_groups(self.values or (np.zeros(len(self.fits), dtype=np.int64),))[0]


def count_knowledge(told: Facts, batch: KnowledgeBatch, *, secrets: bool) -> tuple[KnowledgeTable, I8]:
    """Count the sets of one batch: the table, and the row in it of each entry of the batch."""
    weight = told.weight[batch.record]
    set_of_entry, heads = number_groups(
        (*batch.values, *batch.masks) or (np.zeros(len(weight), dtype=np.int64),)
    )
    record_counts = np.bincount(set_of_entry, weights=weight, minlength=len(heads)).astype(np.int64)
    none = np.zeros(0, dtype=np.int64)
    row, secret, having = none, none, none
    if secrets:
        start, secret_values = take_rows(told.secret_start, told.secrets, batch.record)
        entry = row_of_entry(start)
        row, secret, having = _sum_by_secret(set_of_entry[entry], secret_values, weight[entry])
    values = tuple(column[heads] for column in batch.values)
    masks = tuple(column[heads] for column in batch.masks)
    return KnowledgeTable(values, masks, record_counts, row, secret, having), set_of_entry


def merge_tables(tables: Sequence[KnowledgeTable]) -> KnowledgeTable:
    """One table of several about different records: equal keys become one, and their records are added."""
    if len(tables) == 1:
        return tables[0]
    key = [np.concatenate(column) for column in zip(*(table.key for table in tables), strict=True)]
    row_of_key, heads = number_groups(key)
    record_counts = np.concatenate([table.fits for table in tables])
    first_rows = np.cumsum([0, *(len(table.fits) for table in tables)])
    rows = np.concatenate(
        [table.row + first_row for table, first_row in zip(tables, first_rows[:-1], strict=True)]
    )
    secret = np.concatenate([table.secret for table in tables])
    having = np.concatenate([table.having for table in tables])
    size = len(tables[0].values)
    return KnowledgeTable(
        tuple(column[heads] for column in key[:size]),
        tuple(column[heads] for column in key[size : size + len(tables[0].masks)]),
        np.bincount(row_of_key, weights=record_counts, minlength=len(heads)).astype(np.int64),
        *_sum_by_secret(row_of_key[rows], secret, having),
    )


def contains_keys(table: KnowledgeTable, chosen: KnowledgeTable) -> B1:
    """Which rows of a table have the key of a row of another one."""
    keys = [np.concatenate(column) for column in zip(table.key, chosen.key, strict=True)]
    row_of_key, _ = number_groups(keys)
    return np.isin(row_of_key[: len(table.fits)], row_of_key[len(table.fits) :])


def _sum_by_secret(row: I8, secret: I8, having: I8) -> tuple[I8, I8, I8]:
    """Add what is counted for one row and secret."""
    if not len(row):
        return row, secret, having
    group_of_row, heads = number_groups((row, secret))
    return (
        row[heads],
        secret[heads],
        np.bincount(group_of_row, weights=having, minlength=len(heads)).astype(np.int64),
    )


# --- nodes --------------------------------------------------------------------------------------------------


_MOST_NODES = 8  # that may be known: the orders of equal ones are tried one by one
_MOST_HELD = 1 << 27  # numbers of sets that are held at once
_MOST_RELATION_SETS = 1 << 12


class TooManySetsError(Exception):
    """More sets of relations among nodes than are looked at, or of more nodes; in words."""


def weigh_node_sets(
    told: Facts, k: int, m: int, n: int, l: int | None, most: int
) -> tuple[B1, "CrowdScales"]:
    """Count the records that fit whatever is known of up to m nodes and n relations of each, and weigh the counts.

    Returns which distinct records are broken, and the scales, which know how many fit the rarest knowledge.
    """
    scales = CrowdScales(k, l, int(told.weight.sum()))
    broken = np.zeros(len(told.weight), dtype=bool)
    try:
        for batch in _list_all_batches(told, m, n, l, most):
            known_batch = choose_relations(batch, n, every=l is not None)
            table, row = count_knowledge(told, known_batch, secrets=l is not None)
            broken[known_batch.record[scales.find_broken_rows(table)[row]]] = True
    except TooManySetsError as error:
        scales.unseen = str(error)
    return broken, scales


def _list_all_batches(told: Facts, m: int, n: int, l: int | None, most: int) -> Iterator[KnowledgeBatch]:
    """Every set of up to m nodes, in batches: first of an attacker who knows nothing, if that matters."""
    if l is not None:
        yield empty_batch(told)
    remaining = most
    for size in range(1, min(m, int(np.diff(told.start).max(initial=0))) + 1):
        remaining -= count_sets(told, size)
        if size <= _MOST_NODES and (remaining < 0 or largest_batch(told, size) * (size + 1) > _MOST_HELD):
            raise TooManySetsError(f"the records hold more than {most} sets of up to {m} nodes")
        yield from list_batches(told, size, n > 0 and size > 1)


class CrowdScales:
    """Weighs what is known where more of it fits no more records: too few fit, or too many of these share a secret.

    Who knows nothing finds everybody, and so k records as well, unless `nothing` says that they must be k.
    """

    def __init__(self, k: int, l: int | None, records: int, *, nothing: bool = False) -> None:
        self.k, self.l, self.nothing = k, l, nothing
        self.least, self.diversity, self.unseen = records, inf, ""

    def find_broken_rows(self, table: KnowledgeTable) -> B1:
        """Which rows of a table that holds all records break the claim."""
        wrong = np.zeros(len(table.fits), dtype=bool)
        if (table.values or self.nothing) and len(table.fits):
            self.least = min(self.least, int(table.fits.min()))
            wrong |= table.fits < self.k
        if self.l is not None and len(table.row):
            record_counts = table.fits[table.row]
            wrong[table.row[table.having * self.l > record_counts]] = True
            self.diversity = min(self.diversity, float((record_counts / table.having).min()))
        return wrong


def choose_relations(batch: KnowledgeBatch, n: int, *, every: bool) -> KnowledgeBatch:
    """What may be known of the nodes of a batch: up to n relations, as one number; a record stands once for each.

    Without `every`, only the largest sets of relations that occur in this batch: smaller ones fit no fewer records.
    Equal knowledge never stands in two batches.

    Raises
    ------
    TooManySetsError
        There are too many.
    """
    if len(batch.values) > _MOST_NODES:
        raise TooManySetsError(f"the claim speaks of more than {_MOST_NODES} nodes at once")
    parts = list(_rarest_masks(batch, n, every=every))
    record = np.concatenate([batch.record[rows] for rows, _ in parts])
    code = np.concatenate([code for _, code in parts])
    values = [np.concatenate([column[rows] for rows, _ in parts]) for column in batch.values]
    _, heads = number_groups((*values, code, record))  # a record fits in many ways, and counts once
    return KnowledgeBatch(tuple(column[heads] for column in values), (code[heads],), record[heads])


def _rarest_masks(batch: KnowledgeBatch, n: int, *, every: bool) -> Iterator[tuple[I8, I8]]:
    """Rows of a batch, and a number for the relations that are known of the row's nodes; a row stands for each set."""
    rows = np.arange(len(batch.record))
    if not batch.masks:
        yield rows, np.zeros(len(rows), dtype=np.int64)
        return
    (mask,) = batch.masks  # MOST_NODES have fewer pairs than a word has bits
    size = len(batch.values)
    relation_sets: set[int] = set()
    for shows in np.unique(mask).tolist():
        bits = [bit for bit in range(comb(size, 2)) if shows >> bit & 1]
        fewest = 0 if every else min(n, len(bits))
        for count in range(fewest, min(n, len(bits)) + 1):
            if comb(len(bits), count) + len(relation_sets) > _MOST_RELATION_SETS:
                raise TooManySetsError(f"records show sets of up to {n} relations")
            relation_sets.update(sum(1 << bit for bit in bits_) for bits_ in combinations(bits, count))
    ties = np.zeros(len(rows), dtype=np.int64)
    for position in range(size - 1):
        ties |= (batch.values[position] == batch.values[position + 1]).astype(np.int64) << position
    for tie in np.unique(ties).tolist():
        tied_rows = np.flatnonzero(ties == tie)
        orders = list(_tie_orders(size, tie))
        for count in sorted(relation_sets):
            shows = tied_rows[(mask[tied_rows] & count) == count]
            if len(shows):
                yield (
                    shows,
                    np.full(len(shows), min(_permute_mask(count, order) for order in orders), dtype=np.int64),
                )


def _tie_orders(size: int, tie: int) -> Iterator[tuple[int, ...]]:
    """Every order of places that leaves the values as they are; bit p of `tie`: places p and p + 1 have one value."""
    runs, run = [], [0]
    for position in range(1, size):
        if not tie >> (position - 1) & 1:
            runs.append(run)
            run = []
        run.append(position)
    for permuted_runs in product(*(permutations(run) for run in [*runs, run])):
        yield tuple(position for part in permuted_runs for position in part)


def _permute_mask(mask: int, order: tuple[int, ...]) -> int:
    """The relations of a mask, one bit per pair of places, once place p is order[p]."""
    pairs = {pair: bit for bit, pair in enumerate(combinations(range(len(order)), 2))}
    moved = 0
    for (p, q), bit in pairs.items():
        if mask >> bit & 1:
            moved |= 1 << pairs[min(order[p], order[q]), max(order[p], order[q])]
    return moved
