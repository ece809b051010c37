"""Background knowledge of nodes: what an attacker may know who counts a person's rows.

Knowledge is a few nodes of a record, of which several may have one value, and some of the relations "one stands above
the other" among them. A record fits it where its nodes can be found among the record's own, each another one, with
the same values and at least these relations. So knowledge is a multiset of values with a set of pairs of its places,
whatever the order of places that hold equal values.

Every set of nodes of a record is listed, as `background_knowledge` lists sets of values, and each record counts once
for whatever its sets show.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations, product
from math import comb

import numpy as np

from shoal.data import Trees
from shoal.data.arrays import B1, I8, owners, prefix_sums, take
from shoal.data.trees import CHUNK, ancestry
from shoal.privacy.background_knowledge import (
    Facts,
    KnowledgeBatch,
    KnowledgeTable,
    batches,
    count_knowledge,
    count_sets,
    facts,
    largest_batch,
    no_knowledge,
    values_of_records,
)
from shoal.privacy.equivalence_class import group

__all__ = [
    "MOST_NODES",
    "NodeCounts",
    "NodeScales",
    "TooManySetsError",
    "broken_by_nodes",
    "known_relations",
    "node_facts",
]

MOST_NODES = 8
"""How many nodes may be known: the orders of equal ones are tried one by one."""

_MOST_HELD = 1 << 27  # numbers of sets that are held at once
_MOST_RELATION_SETS = 1 << 12


@dataclass
class NodeCounts:
    """What counting found: the broken records, how many fit the rarest knowledge, and what was too much to look at."""

    broken: B1
    least: int
    unseen: str = ""


class TooManySetsError(Exception):
    """More sets of relations among nodes than are looked at, or of more nodes; in words."""


def node_facts(
    trees: Trees, exempt: str | None, negations: tuple[str, ...], paths: bool, often: I8 | None = None
) -> Facts:
    """Collect what can be known of a release, node by node: as `facts`, but a value stands once for each of its nodes.

    Absences and secrets are those of values. Equal records are held once each.
    """
    by_value = facts(trees, exempt, negations, False, often)
    width = max(len(trees.values), 1)
    hidden = np.array([name == exempt for name in trees.classes], dtype=bool)[trees.kinds]
    seen = ~hidden[trees.items] if len(trees.items) else np.zeros(0, dtype=bool)
    record = owners(trees.start)
    often = values_of_records(trees)[1] if often is None else often
    rank = np.empty(width, dtype=np.int64)
    rank[np.argsort(often, kind="stable")] = np.arange(width)
    nodes = np.flatnonzero(seen)
    nodes = nodes[np.lexsort((rank[trees.items[nodes]], record[nodes]))]
    own = np.bincount(record[nodes], minlength=trees.n).astype(np.int64)
    first = np.cumsum(own) - own
    square = np.cumsum(own**2) - own**2 if paths else np.zeros(trees.n, dtype=np.int64)
    related = np.zeros(int((own**2).sum()) if paths else 0, dtype=bool)
    if paths:
        place = np.empty(len(trees.items), dtype=np.int64)
        place[nodes] = np.arange(len(nodes)) - first[record[nodes]]
        for at in range(0, trees.n, CHUNK):
            for low, high in ancestry(trees.start[at : at + CHUNK + 1], trees.parents):
                shown = seen[low] & seen[high]
                low, high = low[shown], high[shown]
                whose = record[low]
                related[square[whose] + place[low] * own[whose] + place[high]] = True
                related[square[whose] + place[high] * own[whose] + place[low]] = True
    absent = by_value.own[by_value.of], np.diff(by_value.start)[by_value.of]
    start = prefix_sums(own + absent[1] - absent[0])
    items = np.empty(int(start[-1]), dtype=np.int32)
    items[start[record[nodes]] + np.arange(len(nodes)) - first[record[nodes]]] = rank[trees.items[nodes]]
    for row in np.flatnonzero(absent[1] > absent[0]).tolist():
        behind = by_value.start[by_value.of[row]] + absent[0][row]
        items[start[row] + own[row] : start[row + 1]] = by_value.items[
            behind : by_value.start[by_value.of[row] + 1]
        ]
    secret_start, secrets = take(by_value.secret_start, by_value.secrets, by_value.of)
    every = np.arange(trees.n)
    one = np.ones(trees.n, dtype=np.int64)
    return Facts(every, one, start, own, items, square, related, secret_start, secrets)


def broken_by_nodes(told: Facts, k: int, m: int, n: int, l: int | None, most: int) -> NodeCounts:
    """Count the records that fit whatever is known of up to m nodes and n relations of each, and weigh the counts."""
    scales = NodeScales(k, l, int(told.weight.sum()))
    found = NodeCounts(np.zeros(len(told.weight), dtype=bool), 0)
    try:
        for batch in _all_batches(told, m, n, l, most):
            shown = known_relations(batch, n, every=l is not None)
            table, row = count_knowledge(told, shown, secrets=l is not None)
            found.broken[shown.record[scales.broken(table)[row]]] = True
    except TooManySetsError as error:
        found.unseen = str(error)
    found.least = scales.least
    return found


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


class NodeScales:
    """Weighs what is known of nodes: too few records fit it, or too many of these share a secret."""

    def __init__(self, k: int, l: int | None, records: int) -> None:
        self.k, self.l, self.least, self.unseen = k, l, records, ""

    def broken(self, table: KnowledgeTable) -> B1:
        """Which rows of a table that holds all records break the claim; who knows nothing finds everybody."""
        wrong = np.zeros(len(table.fits), dtype=bool)
        if table.values and len(table.fits):
            self.least = min(self.least, int(table.fits.min()))
            wrong |= table.fits < self.k
        if self.l is not None:
            wrong[table.row[table.having * self.l > table.fits[table.row]]] = True
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
