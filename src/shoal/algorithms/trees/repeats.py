"""Equal nodes of a record, told apart: how many of each value may be shown, so that whoever counts them finds nobody.

Whoever knows up to m nodes of a record and one relation among them knows how often it has some values at least, and
that one of them stands above another. A release that keeps the claim about values keeps this claim as well once all
such knowledge with some value twice fits enough records or none. Where it fits too few, all records show fewer nodes
of a value, and what they show of its relations is counted anew; where these are rare then, fewer nodes still, and in
the end none. These are rules for all records: a row that shows one of its cells no more may be noticed, but fits as
many records as the claim asks for.

A limit on a value changes knowledge of this value alone: what stands below a node that is left out moves up, so all
other nodes keep their relations. With at most two nodes known there is one relation, whatever n is; with more nodes and
more relations it matters which of equal nodes has both: then all sets of nodes are listed, see `node_sets`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.algorithms.trees.node_sets import Atom, rank_of_equals, rare_sets, require_few_sets
from shoal.data import Trees
from shoal.data.arrays import I8, U8, owners, prefix_sums
from shoal.data.trees import ancestry
from shoal.errors import InputError
from shoal.privacy.trees import KMNAnonymity

__all__ = ["limit_nodes", "limits_needed", "require_countable"]

_PAIR = 2  # nodes that have one relation
_MOST_WORDS = 1 << 28  # of bits that are held at once
_MOST_LOOKS = 1 << 36  # at words of bits

Limits = Sequence[Sequence[object]]
"""As plain JSON data: [[field, label], how many nodes of it a record shows at most]."""


def require_countable(trees: Trees, claim: KMNAnonymity) -> None:
    """Refuse records of which more can be known than is counted here."""
    if _matters_which(claim):
        hidden = np.array([name == trees.sensitive for name in trees.classes], dtype=bool)[trees.kinds]
        seen = owners(trees.start)[~hidden[trees.items]] if len(trees.items) else trees.start[:0]
        require_few_sets(np.bincount(seen, minlength=trees.n), claim)


def _matters_which(claim: KMNAnonymity) -> bool:
    """Whether it matters which of equal nodes has which relations."""
    return claim.counts_nodes and claim.m > _PAIR and claim.n > 1


def limits_needed(parts: Iterable[Trees], claim: KMNAnonymity) -> list[list[object]]:
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
        if _matters_which(claim):
            rare = list(rare_sets(parts, claim, limits))
        else:
            found = [_NodeBits.of(trees, claim, limits) for trees in parts]
            rare = list(_Knowledge(_joined(found), claim, limits).rare())
        if not rare:
            return [[list(pairs[item]), most] for item, most in sorted(limits.items())]
        for item, known in _cover(rare):
            limits[item] = min(limits.get(item, known), known - 1)


def _cover(rare: list[tuple[Atom, ...]]) -> Iterator[Atom]:
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
    record = owners(trees.start)
    kept = rank_of_equals(record, trees.items.astype(np.int64)) < room[trees.items]
    base = np.repeat(trees.start[:-1], np.diff(trees.start))
    parent = np.where(trees.parents < 0, -1, base + trees.parents)
    while (gone := (parent >= 0) & ~kept[parent]).any():
        parent[gone] = parent[parent[gone]]
    place = np.cumsum(kept) - 1
    start = prefix_sums(kept)[trees.start]
    local = np.where(parent < 0, -1, place[parent] - start[record])[kept].astype(np.int32)
    if codes:
        arrays = start, trees.items[kept], local
        return Trees.build(trees.pairs, *arrays, trees.sensitive, classes=trees.classes, repeats=True)
    used, items = np.unique(trees.items[kept], return_inverse=True)
    pairs = [trees.pairs[item] for item in used.tolist()]
    secret = trees.sensitive if any(kind == trees.sensitive for kind, _ in pairs) else None
    return Trees.build(pairs, start, items.astype(np.int32), local, secret, repeats=True)


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
        record, items = owners(trees.start), trees.items.astype(np.int64)
        width = max(len(trees.values), 1)
        room = np.array([limits.get(item, claim.m) for item in range(width)], dtype=np.int64)
        rank = rank_of_equals(record, items)
        hidden = np.array([name == trees.sensitive for name in trees.classes], dtype=bool)[trees.kinds]
        secret = hidden[items] if len(items) else np.zeros(0, dtype=bool)
        most = np.array([limits.get(item, len(items)) for item in range(width)], dtype=np.int64)
        left = ~secret & (rank < most[items])
        known = left & (rank < room[items])
        if claim.m <= _PAIR:
            known &= rank > 0  # of the first nodes alone the claim about values tells
        atoms, holders = _rows(items[known] * (claim.m + 1) + rank[known] + 1, record[known], trees.n)
        steps = list(ancestry(trees.start, trees.parents)) if claim.n and claim.m > 1 else []
        none = np.zeros(0, dtype=np.int64)
        low = np.concatenate([none, *(some for some, _ in steps)])
        high = np.concatenate([none, *(some for _, some in steps)])
        shown = left[low] & left[high]
        if claim.m <= _PAIR:
            limited = np.zeros(width, dtype=bool)
            limited[list(limits)] = True
            shown &= limited[items[low]] | limited[items[high]]
        low, high = low[shown], high[shown]
        links, linked = _rows(items[high] * width + items[low], record[low], trees.n)
        absent, secrets = (
            np.zeros((0, holders.shape[1]), np.uint64),
            np.zeros((0, holders.shape[1]), np.uint64),
        )
        if claim.negations and claim.m > _PAIR:
            absent = _absent(trees, claim, limits)
        if claim.l is not None:
            secrets = _rows(items[secret], record[secret], trees.n, np.flatnonzero(hidden))[1]
        return cls(
            {(key // (claim.m + 1), key % (claim.m + 1)): row for row, key in enumerate(atoms)},
            holders,
            {(key // width, key % width): row for row, key in enumerate(links)},
            linked,
            absent,
            secrets,
        )


def _absent(trees: Trees, claim: KMNAnonymity, limits: Mapping[int, int]) -> U8:
    """For each published value whose absence may be known, the records that lack it."""
    named = [trees.classes.index(name) for name in claim.negations if name in trees.classes]
    items = [item for item in np.flatnonzero(np.isin(trees.kinds, named)).tolist() if limits.get(item, 1)]
    every = np.arange(trees.n)
    whole = _rows(np.zeros(trees.n, dtype=np.int64), every, trees.n)[1]
    has = _rows(trees.items.astype(np.int64), owners(trees.start), trees.n, np.array(items, dtype=np.int64))[
        1
    ]
    return np.asarray(whole & ~has)


def _rows(keys: I8, records: I8, n: int, wanted: I8 | None = None) -> tuple[list[int], U8]:
    """The different keys, or those that are wanted, and for each a row of bits of the records that have it."""
    found = np.unique(keys) if wanted is None else wanted
    words = -(-n // 64)
    if len(found) * words > _MOST_WORDS:
        raise _too_much()
    bits = np.zeros(len(found) * words, dtype=np.uint64)
    order = np.argsort(found, kind="stable")
    spot = np.minimum(np.searchsorted(found[order], keys), max(len(found) - 1, 0))
    there = found[order][spot] == keys if len(found) else np.zeros(len(keys), dtype=bool)
    place = order[spot[there]] * words + records[there] // 64 if len(found) else keys[:0]
    one = np.uint64(1) << (records[there] % 64).astype(np.uint64)
    by = np.argsort(place, kind="stable")
    first = np.flatnonzero(np.r_[True, np.diff(place[by]) != 0]) if len(by) else by
    if len(by):
        bits[place[by][first]] = np.bitwise_or.reduceat(one[by], first)
    return found.tolist(), bits.reshape(len(found), words)


def _joined(parts: list[_NodeBits]) -> _NodeBits:
    """The bits of all parts beside each other."""
    if len(parts) == 1:
        return parts[0]

    def beside(keys: list[dict[Atom, int]], tables: list[U8]) -> tuple[dict[Atom, int], U8]:
        place = {key: row for row, key in enumerate(sorted(set().union(*keys)))}
        if len(place) * sum(table.shape[1] for table in tables) > _MOST_WORDS:
            raise _too_much()
        whole = [np.zeros((len(place), table.shape[1]), dtype=np.uint64) for table in tables]
        for own, table, wide in zip(keys, tables, whole, strict=True):
            wide[[place[key] for key in own]] = table
        return place, np.concatenate(whole, axis=1)

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
        once = sorted(item for item, known in self.bits.atoms if known == 1)
        self.once = {item: place for place, item in enumerate(once)}
        rows = [self.bits.atoms[item, 1] for item in once]
        self.singles = np.concatenate([self.bits.holders[rows], self.bits.absent])
        self.often = sorted(atom for atom in self.bits.atoms if atom[1] > 1)

    def rare(self) -> Iterator[tuple[Atom, ...]]:
        """What too few records fit: atoms of which one has to be known less often."""
        m = self.claim.m
        for place, atom in enumerate(self.often):
            if atom[1] <= m:
                yield from self._with(
                    place, self.bits.holders[self.bits.atoms[atom]], {atom[0]: atom[1]}, m - atom[1], ()
                )
        for (high, low), row in self.bits.links.items():
            fits = self.bits.linked[row]
            some = {high: 1, low: 1}
            changed = tuple((item, self.limits[item]) for item in (high, low) if item in self.limits)
            if changed:
                yield from self._weighed(fits, changed)
                yield from self._filled(0, fits, some, m - _PAIR, changed)
            for place, (item, known) in enumerate(self.often):
                left = m - _PAIR - known + some.get(item, 0)
                if left >= 0:
                    more = fits & self.bits.holders[self.bits.atoms[item, known]]
                    yield from self._with(place, more, {**some, item: known}, left, ())

    def _with(
        self, place: int, fits: U8, some: Mapping[int, int], left: int, blame: tuple[Atom, ...]
    ) -> Iterator[tuple[Atom, ...]]:
        """Weigh records that fit so many nodes of some values, the last being that of `often[place]`, and go on."""
        blame = (*blame, self.often[place])
        broken = list(self._weighed(fits, blame))
        yield from broken
        if broken or not fits.any():
            return
        for other in range(place + 1, len(self.often)):
            item, known = self.often[other]
            if item != self.often[place][0] and known - some.get(item, 0) <= left:
                more = fits & self.bits.holders[self.bits.atoms[item, known]]
                yield from self._with(
                    other, more, {**some, item: known}, left - known + some.get(item, 0), blame
                )
        yield from self._filled(0, fits, some, left, blame)

    def _filled(
        self, first: int, fits: U8, some: Mapping[int, int], left: int, blame: tuple[Atom, ...]
    ) -> Iterator[tuple[Atom, ...]]:
        """The same with more values, each known once, or known to be absent."""
        if left < 1 or first >= len(self.singles):
            return
        self.looks += (len(self.singles) - first) * self.singles.shape[1]
        if self.looks > _MOST_LOOKS:
            raise _too_much()
        both = self.singles[first:] & fits
        counts = np.bitwise_count(both).sum(axis=1, dtype=np.int64)
        counts[[self.once[item] - first for item in some if self.once.get(item, -1) >= first]] = 0
        if ((counts > 0) & (counts < self.claim.k)).any():
            yield blame
            return
        for place in np.flatnonzero(counts).tolist():
            if self.claim.l is not None and any(True for _ in self._weighed(both[place], blame)):
                yield blame
                return
            yield from self._filled(first + place + 1, both[place], some, left - 1, blame)

    def _weighed(self, fits: U8, blame: tuple[Atom, ...]) -> Iterator[tuple[Atom, ...]]:
        """Say whom to blame where records that fit are too few, or too many of them share a secret."""
        many = int(np.bitwise_count(fits).sum())
        if many and many < self.claim.k:
            yield blame
        elif many and self.claim.l is not None and len(self.bits.secrets):
            often = np.bitwise_count(self.bits.secrets & fits).sum(axis=1, dtype=np.int64).max()
            if often * self.claim.l > many:
                yield blame


def _too_much() -> InputError:
    return InputError(
        "repeats = 'keep': too much can be known of so many nodes to count it; lower m, or say repeats = 'merge'"
    )
