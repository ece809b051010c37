"""Equal nodes of a record, told apart: how many of each value may be shown, so that whoever counts them finds nobody.

Whoever knows up to m nodes of a record and one relation among them knows how often it has some values at least, and
that one of them stands above another. A release that keeps the claim about values keeps this claim as well once all
such knowledge with some value twice fits enough records or none. Where it fits too few, all records show fewer nodes
of a value, and what they show of its relations is counted anew; where these are rare then, fewer nodes still, and in
the end none. These are rules for all records: a row that shows one of its cells no more may be noticed, but fits as
many records as the claim asks for.

A limit on a value changes knowledge of this value alone: what stands below a node that is left out moves up, so all
other nodes keep their relations. With at most two nodes known there is one relation, whatever n is; with more nodes and
more relations it matters which of equal nodes has both, so counts of values and of single relations do not tell which
records fit. Then every set of nodes of every record is listed, with the relations among them; sets that differ only in
the order of equal nodes are one. After nodes were left out, sets of values are listed in the same way, for their
relations may have become rare as well.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise, permutations, product
from math import comb
from typing import NamedTuple

import numpy as np

from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.data.arrays import (
    B1,
    I4,
    I8,
    U8,
    chunk_rows,
    concatenate_ranges,
    is_group_start,
    prefix_sums,
    row_of_entry,
    take_rows,
)
from shoal.data.arrays import index_of as places_among
from shoal.data.trees import ancestry
from shoal.privacy.trees import KMNAnonymity

__all__ = ["find_kept_parents", "find_limits", "limit_nodes", "number_kept_nodes", "require_countable_nodes"]

_PAIR = 2  # nodes that have one relation
_MOST_WORDS = 1 << 28  # of bits that are held at once
_MOST_LOOKS = 1 << 36  # at words of bits
MOST_SETS = 1 << 25
"""How many sets of nodes are listed at most, each once for every choice of relations: some seconds for each round."""
_AT_ONCE = 1 << 21
_LARGEST = 1 << 62  # of a key

Atom = tuple[int, int]
"""An item, and how many nodes of it are known."""

Limits = Sequence[Sequence[object]]
"""As plain JSON data: [[field, label], how many nodes of it a record shows at most]."""


def require_countable_nodes(trees: Trees, claim: KMNAnonymity) -> None:
    """Refuse records of which more can be known than is counted here."""
    if _distinguishes_equal_nodes(claim):
        record = row_of_entry(trees.start)[~_sensitive_items(trees)[trees.items]]
        _require_few_sets(np.bincount(record, minlength=trees.n), claim)


def _distinguishes_equal_nodes(claim: KMNAnonymity) -> bool:
    """Whether it matters which of equal nodes has which relations."""
    return claim.counts_nodes and claim.m > _PAIR and claim.n > 1


def find_limits(parts: Iterable[Trees], claim: KMNAnonymity) -> list[list[object]]:
    """How many nodes may be shown of values, so that trees that keep the claim about values keep that about nodes.

    `parts` hold all records, in codes that they share, and may be gone through several times.

    Raises
    ------
    InputError
        There is too much to count.
    """
    limits: dict[int, int] = {}
    pairs: list[tuple[str, str]] = []
    for trees in parts:
        pairs = trees.pairs
    while True:
        if _distinguishes_equal_nodes(claim):
            rare = list(_find_rare_sets(parts, claim, limits))
        else:
            node_bits = [_NodeBits.of(trees, claim, limits) for trees in parts]
            rare = list(_Knowledge(_join_bits(node_bits), claim, limits).rare())
        if not rare:
            return [[list(pairs[item]), most] for item, most in sorted(limits.items())]
        for item, count in _choose_atoms(rare):
            limits[item] = min(limits.get(item, count), count - 1)


def _choose_atoms(rare: list[tuple[Atom, ...]]) -> Iterator[Atom]:
    """Atoms, one of each rare knowledge at least; what is in most knowledge comes first."""
    while rare:
        blame = Counter(atom for atoms in rare for atom in atoms)
        chosen = max(blame, key=lambda atom: (blame[atom], atom[1], -atom[0]))
        yield chosen
        rare = [atoms for atoms in rare if chosen not in atoms]


def limit_nodes(trees: Trees, limits: Limits, *, codes: bool = False) -> Trees:
    """Show at most so many nodes of some values, the first of each record; what stood below the others moves up.

    Values that no record shows then are not named, unless `codes` shall stay as they are: these may be some records
    of many.
    """
    most: Mapping[tuple[str, ...], object] = {tuple(pair): most for pair, most in limits}  # type: ignore[arg-type]
    room = np.array([most.get(pair, len(trees.items)) for pair in trees.pairs], dtype=np.int64)
    is_kept = _rank_equal_nodes(row_of_entry(trees.start), trees.items.astype(np.int64)) < room[trees.items]
    start, local = number_kept_nodes(trees, is_kept, find_kept_parents(trees, is_kept))
    if codes:
        arrays = start, trees.items[is_kept], local
        return Trees.build(trees.pairs, *arrays, trees.sensitive, classes=trees.classes, repeats=True)
    used, items = np.unique(trees.items[is_kept], return_inverse=True)
    pairs = [trees.pairs[item] for item in used.tolist()]
    secret = trees.sensitive if any(kind == trees.sensitive for kind, _ in pairs) else None
    return Trees.build(pairs, start, items.astype(np.int32), local, secret, repeats=True)


def find_kept_parents(trees: Trees, kept: B1) -> I8:
    """For each node the nearest one above it that is kept, by its place among all nodes; -1: there is none."""
    base = np.repeat(trees.start[:-1], np.diff(trees.start))
    parent = np.where(trees.parents < 0, -1, base + trees.parents)
    while (gone := (parent >= 0) & ~kept[parent]).any():
        parent[gone] = parent[parent[gone]]
    return parent


def number_kept_nodes(trees: Trees, kept: B1, parent: I8) -> tuple[I8, I4]:
    """Where records start once only some nodes are kept, and of each the place of its parent within the record.

    `parent` is the node that each hangs below then, by its place among all nodes, -1: the root.
    """
    start = prefix_sums(kept)[trees.start]
    first = np.repeat(start[:-1], np.diff(trees.start))
    new_index = np.cumsum(kept) - 1
    return start, np.where(parent < 0, -1, new_index[parent] - first)[kept].astype(np.int32)


class _LimitedNodes(NamedTuple):
    """The nodes of records, and which of them limits leave.

    record, items : of each node its record and its item
    rank          : how many nodes of its record that stand before it have its value
    secret, left  : whether its value is sensitive; whether it is not, and is shown
    """

    record: I8
    items: I8
    rank: I8
    secret: B1
    left: B1

    @classmethod
    def of(cls, trees: Trees, limits: Mapping[int, int]) -> "_LimitedNodes":
        record, items = row_of_entry(trees.start), trees.items.astype(np.int64)
        most = np.array([limits.get(item, len(items)) for item in range(len(trees.values))], dtype=np.int64)
        rank, secret = _rank_equal_nodes(record, items), _sensitive_items(trees)[items]
        return cls(record, items, rank, secret, ~secret & (rank < most[items]))


def _sensitive_items(trees: Trees) -> B1:
    """Whether each item is a sensitive value."""
    return np.array([name == trees.sensitive for name in trees.classes], dtype=bool)[trees.kinds]


def _deniable_items(trees: Trees, claim: KMNAnonymity, limits: Mapping[int, int]) -> list[int]:
    """The published values whose absence may be known."""
    named = [trees.classes.index(name) for name in claim.negations if name in trees.classes]
    return [item for item in np.flatnonzero(np.isin(trees.kinds, named)).tolist() if limits.get(item, 1)]


@dataclass(slots=True)
class _NodeBits:
    """Which records hold what, one bit per record; the records of a part fill whole words.

    atoms   : for each item, known so many times, its row of `holders`
    links   : for each two items of which the first stands above the second in some record, its row of `linked`
    absent  : rows of what records do not have, for items whose absence may be known
    secrets : rows of sensitive values
    """

    atoms: dict[Atom, int]
    holders: U8
    links: dict[Atom, int]
    linked: U8
    absent: U8
    secrets: U8

    @classmethod
    def of(cls, trees: Trees, claim: KMNAnonymity, limits: Mapping[int, int]) -> "_NodeBits":
        """Look at the nodes that limits leave."""
        record, items, rank, secret, is_left = _LimitedNodes.of(trees, limits)
        width = max(len(trees.values), 1)
        is_known = is_left & (rank < claim.m)
        if claim.m <= _PAIR:
            is_known &= rank > 0  # of the first nodes alone the claim about values tells
        atoms, holders = _set_bits(
            items[is_known] * (claim.m + 1) + rank[is_known] + 1, record[is_known], trees.n
        )
        steps = list(ancestry(trees.start, trees.parents)) if claim.n and claim.m > 1 else []
        none = np.zeros(0, dtype=np.int64)
        low = np.concatenate([none, *(nodes for nodes, _ in steps)])
        high = np.concatenate([none, *(nodes for _, nodes in steps)])
        is_shown = is_left[low] & is_left[high]
        if claim.m <= _PAIR:
            limited = np.zeros(width, dtype=bool)
            limited[list(limits)] = True
            is_shown &= limited[items[low]] | limited[items[high]]
        low, high = low[is_shown], high[is_shown]
        links, linked = _set_bits(items[high] * width + items[low], record[low], trees.n)
        absent = secrets = np.zeros((0, holders.shape[1]), np.uint64)
        if claim.negations and claim.m > _PAIR:
            absent = _find_absent(trees, claim, limits)
        if claim.l is not None:
            secrets = _set_bits(
                items[secret], record[secret], trees.n, np.flatnonzero(_sensitive_items(trees))
            )[1]
        return cls(
            {(key // (claim.m + 1), key % (claim.m + 1)): row for row, key in enumerate(atoms)},
            holders,
            {(key // width, key % width): row for row, key in enumerate(links)},
            linked,
            absent,
            secrets,
        )


def _find_absent(trees: Trees, claim: KMNAnonymity, limits: Mapping[int, int]) -> U8:
    """For each published value whose absence may be known, the records that lack it."""
    items = np.array(_deniable_items(trees, claim, limits), dtype=np.int64)
    every_record = _set_bits(np.zeros(trees.n, dtype=np.int64), np.arange(trees.n), trees.n)[1]
    has = _set_bits(trees.items.astype(np.int64), row_of_entry(trees.start), trees.n, items)[1]
    return np.asarray(every_record & ~has)


def _set_bits(keys: I8, records: I8, n: int, wanted: I8 | None = None) -> tuple[list[int], U8]:
    """The different keys, or those that are wanted, rising, and for each a row of bits of the records that have it."""
    distinct_keys = np.unique(keys) if wanted is None else wanted
    words = -(-n // 64)
    if len(distinct_keys) * words > _MOST_WORDS:
        raise _too_much_error()
    bits = np.zeros(len(distinct_keys) * words, dtype=np.uint64)
    spot = places_among(distinct_keys, keys)
    spot, records = spot[spot >= 0], records[spot >= 0]
    word_index, bit = spot * words + records // 64, np.uint64(1) << (records % 64).astype(np.uint64)
    order = np.argsort(word_index, kind="stable")
    first = np.flatnonzero(is_group_start(word_index[order]))
    bits[word_index[order][first]] = np.bitwise_or.reduceat(bit[order], first)
    return distinct_keys.tolist(), bits.reshape(len(distinct_keys), words)


def _join_bits(parts: list[_NodeBits]) -> _NodeBits:
    """The bits of all parts beside each other."""
    if len(parts) == 1:
        return parts[0]

    def beside(keys: list[dict[Atom, int]], tables: list[U8]) -> tuple[dict[Atom, int], U8]:
        row_of_key = {key: row for row, key in enumerate(sorted(set().union(*keys)))}
        if len(row_of_key) * sum(table.shape[1] for table in tables) > _MOST_WORDS:
            raise _too_much_error()
        blocks = [np.zeros((len(row_of_key), table.shape[1]), dtype=np.uint64) for table in tables]
        for part_keys, table, wide in zip(keys, tables, blocks, strict=True):
            wide[[row_of_key[key] for key in part_keys]] = table
        return row_of_key, np.concatenate(blocks, axis=1)

    return _NodeBits(
        *beside([part.atoms for part in parts], [part.holders for part in parts]),
        *beside([part.links for part in parts], [part.linked for part in parts]),
        np.concatenate([part.absent for part in parts], axis=1),
        np.concatenate([part.secrets for part in parts], axis=1),
    )


@dataclass
class _Knowledge:
    """Goes through all knowledge with some value twice, or with a relation of a value that is limited."""

    bits: _NodeBits
    claim: KMNAnonymity
    limits: Mapping[int, int]
    often: list[Atom] = field(init=False)
    looks: int = 0

    def __post_init__(self) -> None:
        once = sorted(item for item, count in self.bits.atoms if count == 1)
        self.once = {item: index for index, item in enumerate(once)}
        rows = [self.bits.atoms[item, 1] for item in once]
        self.singles = np.concatenate([self.bits.holders[rows], self.bits.absent])
        self.often = sorted(atom for atom in self.bits.atoms if atom[1] > 1)

    def rare(self) -> Iterator[tuple[Atom, ...]]:
        """What too few records fit: atoms of which one has to be known less often."""
        m = self.claim.m
        for index, atom in enumerate(self.often):
            if atom[1] <= m:
                yield from self._search_from(
                    index, self.bits.holders[self.bits.atoms[atom]], {atom[0]: atom[1]}, m - atom[1], ()
                )
        for (high, low), row in self.bits.links.items():
            fits = self.bits.linked[row]
            known_counts = {high: 1, low: 1}
            changed = tuple((item, self.limits[item]) for item in (high, low) if item in self.limits)
            if changed:
                yield from self._weigh_records(fits, changed)
                yield from self._add_singles(0, fits, known_counts, m - _PAIR, changed)
            for index, (item, count) in enumerate(self.often):
                remaining = m - _PAIR - count + known_counts.get(item, 0)
                if remaining >= 0:
                    fitting = fits & self.bits.holders[self.bits.atoms[item, count]]
                    yield from self._search_from(index, fitting, {**known_counts, item: count}, remaining, ())

    def _search_from(
        self, place: int, fits: U8, some: Mapping[int, int], left: int, blame: tuple[Atom, ...]
    ) -> Iterator[tuple[Atom, ...]]:
        """Weigh records that fit so many nodes of some values, the last being that of `often[place]`, and go on."""
        blame = (*blame, self.often[place])
        broken = list(self._weigh_records(fits, blame))
        yield from broken
        if broken or not fits.any():
            return
        for next_index in range(place + 1, len(self.often)):
            item, count = self.often[next_index]
            if item != self.often[place][0] and count - some.get(item, 0) <= left:
                fitting = fits & self.bits.holders[self.bits.atoms[item, count]]
                yield from self._search_from(
                    next_index, fitting, {**some, item: count}, left - count + some.get(item, 0), blame
                )
        yield from self._add_singles(0, fits, some, left, blame)

    def _add_singles(
        self, first: int, fits: U8, some: Mapping[int, int], left: int, blame: tuple[Atom, ...]
    ) -> Iterator[tuple[Atom, ...]]:
        """The same with more values, each known once, or known to be absent."""
        if left < 1 or first >= len(self.singles):
            return
        self.looks += (len(self.singles) - first) * self.singles.shape[1]
        if self.looks > _MOST_LOOKS:
            raise _too_much_error()
        both = self.singles[first:] & fits
        counts = np.bitwise_count(both).sum(axis=1, dtype=np.int64)
        counts[[self.once[item] - first for item in some if self.once.get(item, -1) >= first]] = 0
        if ((counts > 0) & (counts < self.claim.k)).any():
            yield blame
            return
        for index in np.flatnonzero(counts).tolist():
            if self.claim.l is not None and any(True for _ in self._weigh_records(both[index], blame)):
                yield blame
                return
            yield from self._add_singles(first + index + 1, both[index], some, left - 1, blame)

    def _weigh_records(self, fits: U8, blame: tuple[Atom, ...]) -> Iterator[tuple[Atom, ...]]:
        """Say whom to blame where records that fit are too few, or too many of them share a secret."""
        record_count = int(np.bitwise_count(fits).sum())
        if record_count and record_count < self.claim.k:
            yield blame
        elif record_count and self.claim.l is not None and len(self.bits.secrets):
            often = np.bitwise_count(self.bits.secrets & fits).sum(axis=1, dtype=np.int64).max()
            if often * self.claim.l > record_count:
                yield blame


def _too_much_error() -> InputError:
    return InputError(
        "repeats = 'keep': too much can be known of so many nodes to count it; lower m, or say repeats = 'merge'"
    )


# Sets of nodes with several relations among them, counted one by one.
#
# codes : a published value's code, or width + code where it is known to be absent
# mask  : one bit for each two of a set's nodes, in the order of `combinations`, where one stands above the other


def _require_few_sets(own: I8, claim: KMNAnonymity) -> None:
    """Refuse records of so many nodes each (`own`) that hold more sets than are listed.

    Raises
    ------
    InputError
        There are more.
    """
    often = np.bincount(own, minlength=1)
    sets = sum(
        int(record_count) * comb(nodes, size)
        for nodes, record_count in enumerate(often.tolist())
        for size in range(1, claim.m + 1)
        if record_count
    )
    most = max(comb(comb(claim.m, 2), min(claim.n, comb(claim.m, 2))), 1)
    if sets * most > MOST_SETS:
        raise InputError(
            f"repeats = 'keep', m={claim.m} and n={claim.n}: the records hold {sets} sets of up to {claim.m} nodes, "
            f"and {MOST_SETS // most} are checked; give m of at most 2, n of at most 1, or repeats = 'merge'"
        )


def _find_rare_sets(
    parts: Iterable[Trees], claim: KMNAnonymity, limits: Mapping[int, int]
) -> Iterator[tuple[Atom, ...]]:
    """What too few records fit, or too many that share a secret: atoms, one of which must be known less often.

    `limits` say how many nodes of an item are left.
    """
    for merged in (False, True) if limits else (False,):
        knowledge = [_NodeKnowledge.of(trees, claim, limits, merged=merged) for trees in parts]
        _require_few_sets(np.concatenate([part.own for part in knowledge]), claim)
        repeated = frozenset().union(*(part.repeated for part in knowledge))
        for size in range(1, claim.m + 1):
            for codes in _find_rare_codes(knowledge, claim, size):
                yield _limitable_atoms(codes.tolist(), knowledge[0].width, repeated)


def _limitable_atoms(codes: Sequence[int], width: int, repeated: frozenset[int]) -> tuple[Atom, ...]:
    """What can be shown less often: values that are known several times, or stand there several times, or any."""
    items = [code % width for code in codes]
    several = {(item, items.count(item)) for item in items if items.count(item) > 1}
    apart = {(item, 2) for item in items if item in repeated}
    return tuple(sorted(several or apart or {(item, 1) for item in items}))


@dataclass(frozen=True, slots=True)
class _NodeKnowledge:
    """What can be known of records.

    own, start, codes : how many codes each record has, where they begin, and the codes, ascending
    square, related   : related[square[r] + a * own[r] + b]: one of the codes a and b of record r stands above the other
    secrets           : ragged lists, the sensitive values of each record
    repeated          : items of which a record shows several nodes
    """

    width: int
    own: I8
    start: I8
    codes: I8
    square: I8
    related: B1
    secrets: tuple[I8, I8]
    repeated: frozenset[int]

    @classmethod
    def of(
        cls, trees: Trees, claim: KMNAnonymity, limits: Mapping[int, int], *, merged: bool
    ) -> "_NodeKnowledge":
        record, items, rank, secret, is_shown = _LimitedNodes.of(trees, limits)
        width, shown_nodes = max(len(trees.values), 1), np.flatnonzero(is_shown)
        repeated = frozenset(np.unique(items[shown_nodes[rank[shown_nodes] > 0]]).tolist())
        keys = record[shown_nodes] * width + items[shown_nodes]
        entry_of_node = np.arange(len(keys))
        if merged:
            keys, entry_of_node = np.unique(keys, return_inverse=True)
        lacking_record, lacked_item = _list_absences(
            keys, width, trees.n, _deniable_items(trees, claim, limits)
        )
        owner = np.r_[keys // width, lacking_record]
        codes = np.r_[keys % width, lacked_item + width]
        order = np.lexsort((codes, owner))
        code_counts = np.bincount(owner, minlength=trees.n).astype(np.int64)
        start = prefix_sums(code_counts)
        place = np.empty(len(order), dtype=np.int64)  # of each entry among the codes of its record
        place[order] = np.arange(len(order)) - start[owner[order]]
        place_of_node = np.full(len(items), -1, dtype=np.int64)
        place_of_node[shown_nodes] = place[entry_of_node] if len(shown_nodes) else shown_nodes

        square = np.cumsum(code_counts**2) - code_counts**2
        related = np.zeros(int((code_counts**2).sum()), dtype=bool)
        for low, high in ancestry(trees.start, trees.parents) if claim.n else ():
            is_pair = (place_of_node[low] >= 0) & (place_of_node[high] >= 0)
            lower, upper, whose = (
                place_of_node[low[is_pair]],
                place_of_node[high[is_pair]],
                record[low[is_pair]],
            )
            related[square[whose] + lower * code_counts[whose] + upper] = True
            related[square[whose] + upper * code_counts[whose] + lower] = True
        secret_keys = np.unique(record[secret] * width + items[secret]) if claim.l else items[:0]
        secret_start = prefix_sums(np.bincount(secret_keys // width, minlength=trees.n))
        return cls(
            width,
            own=code_counts,
            start=start,
            codes=codes[order],
            square=square,
            related=related,
            secrets=(secret_start, secret_keys % width),
            repeated=repeated,
        )

    def sets(self, size: int) -> Iterator[tuple[I8, list[I8]]]:
        """Every set of so many codes, by their places: the record of each, and its places, ascending."""
        set_counts = np.array(
            [comb(code_count, size) for code_count in range(int(self.own.max(initial=0)) + 1)]
        )[self.own]
        for low, high in chunk_rows(set_counts, _AT_ONCE):
            record = np.repeat(np.arange(low, high), self.own[low:high])
            places = [concatenate_ranges(np.zeros(high - low, dtype=np.int64), self.own[low:high])]
            for _ in range(size - 1):
                later_count = self.own[record] - 1 - places[-1]
                set_of_row = np.repeat(np.arange(len(record)), later_count)
                behind = concatenate_ranges(places[-1] + 1, later_count)
                record, places = record[set_of_row], [*(column[set_of_row] for column in places), behind]
            yield record, places


def _list_absences(keys: I8, width: int, records: int, deniable: Sequence[int]) -> tuple[I8, I8]:
    """Every record with each deniable item that it lacks; `keys` are record * width + item of what it holds."""
    has = np.zeros((records, len(deniable)), dtype=bool)
    for number, item in enumerate(deniable):
        has[keys[keys % width == item] // width, number] = True
    record, lacked = np.nonzero(~has)
    return record, np.array(deniable, dtype=np.int64)[lacked]


def _rank_equal_nodes(record: I8, items: I8) -> I8:
    """For each node, how many nodes of its record that stand before it have its value."""
    order = np.lexsort((items, record))
    first, position = is_group_start(record[order], items[order]), np.arange(len(order))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = position - np.maximum.accumulate(np.where(first, position, 0))
    return rank


def _find_rare_codes(shown: Sequence[_NodeKnowledge], claim: KMNAnonymity, size: int) -> Iterator[I8]:
    """The codes of sets of one size that break the claim with some of their relations."""
    base, masks = 2 * shown[0].width, 1 << comb(size, 2)
    if base**size * masks > _LARGEST:
        raise InputError(
            f"repeats = 'keep', m={claim.m} and n={claim.n}: there are {shown[0].width} values, too many to count "
            f"sets of {size}; lower m, or say repeats = 'merge'"
        )
    tally = _Tally()
    for part in shown:
        for record, places in part.sets(size):
            tally.add(*_set_keys(part, claim, record, places, base, masks))
    key, secret, count = tally.sums()
    is_total = secret < 0
    fits, sets = count[is_total], key[is_total]
    wrong = fits < claim.k
    if claim.l is not None:
        set_of_key = np.searchsorted(sets, key[~is_total])
        wrong[set_of_key[count[~is_total] * claim.l > fits[set_of_key]]] = True
    codes = np.unique(sets[wrong] // masks)
    yield from np.stack([codes // base**position % base for position in range(size)], axis=1)


def _set_keys(
    shown: _NodeKnowledge, claim: KMNAnonymity, record: I8, places: list[I8], base: int, masks: int
) -> tuple[I8, I8]:
    """A number for each set of a record with each choice of relations, once; beside it -1, or a secret of its."""
    columns = [shown.codes[shown.start[record] + column] for column in places]
    mask, tie, key = (np.zeros(len(record), dtype=np.int64) for _ in range(3))
    for bit, (a, b) in enumerate(combinations(places, 2)):
        mask |= shown.related[shown.square[record] + a * shown.own[record] + b].astype(np.int64) << bit
    for position, column in enumerate(columns):
        key += column * base**position
        if position:
            is_equal = column == columns[position - 1]
            tie |= is_equal.astype(np.int64) << (position - 1)
    # Sets with the same relations between equally placed equal codes have the same choices.
    kinds, kind_of_set = np.unique(tie * masks + mask, return_inverse=True)
    by_kind = np.argsort(kind_of_set, kind="stable")
    ends = np.cumsum(np.bincount(kind_of_set, minlength=len(kinds)))
    key_parts, owner_parts = [record[:0]], [record[:0]]
    for kind, rows in zip(kinds.tolist(), np.split(by_kind, ends), strict=False):
        for relations in _relation_sets(len(places), kind // masks, kind % masks, claim):
            key_parts.append(key[rows] * masks + relations)
            owner_parts.append(record[rows])
    keys, owner = np.concatenate(key_parts), np.concatenate(owner_parts)
    order = np.lexsort((owner, keys))
    once = order[is_group_start(keys[order], owner[order])]
    keys, owner = keys[once], owner[once]
    no_secret = np.full(len(keys), -1, dtype=np.int64)
    if claim.l is None:
        return keys, no_secret
    secret_start, secrets = take_rows(*shown.secrets, owner)
    return np.r_[keys, keys[row_of_entry(secret_start)]], np.r_[no_secret, secrets]


def _relation_sets(size: int, tie: int, mask: int, claim: KMNAnonymity) -> set[int]:
    """Relations that may be known of a set: as many as the claim allows, or with l any; equal nodes in any order."""
    pairs = list(combinations(range(size), 2))
    bits = [bit for bit in range(len(pairs)) if mask >> bit & 1]
    most = min(claim.n, len(bits))
    run_ends = [0, *(position + 1 for position in range(size - 1) if not tie >> position & 1), size]
    equal_runs = [range(low, high) for low, high in pairwise(run_ends)]  # places of one code each
    orders = [sum(selection, ()) for selection in product(*(permutations(run) for run in equal_runs))]
    bit_of_pair = {pair: bit for bit, pair in enumerate(pairs)}
    moved_bits = [  # by order, and by bit, where the bit goes
        [1 << bit_of_pair[min(order[a], order[b]), max(order[a], order[b])] for a, b in pairs]
        for order in orders
    ]
    return {
        min(sum(moved[bit] for bit in selection) for moved in moved_bits)
        for count in range(most if claim.l is None else 0, most + 1)
        for selection in combinations(bits, count)
    }


class _Tally:
    """Sums of pairs of numbers that come in pieces."""

    def __init__(self) -> None:
        none = np.zeros(0, dtype=np.int64)
        self.pieces: list[tuple[I8, I8, I8]] = [(none, none, none)]
        self.waiting = 0

    def add(self, key: I8, secret: I8) -> None:
        """Count each pair once more."""
        self.pieces.append((key, secret, np.ones(len(key), dtype=np.int64)))
        self.waiting += len(key)
        if self.waiting > 2 * _AT_ONCE:
            self.pieces, self.waiting = [self.sums()], 0

    def sums(self) -> tuple[I8, I8, I8]:
        """The pairs, ascending, and how often each was counted."""
        key, secret, count = (np.concatenate(part) for part in zip(*self.pieces, strict=True))
        order = np.lexsort((secret, key))
        key, secret, count = key[order], secret[order], count[order]
        first = np.flatnonzero(is_group_start(key, secret))
        return key[first], secret[first], np.add.reduceat(count, first)
