"""Sets of nodes with several relations among them, counted one by one: what too few records show.

With more than two nodes and more than one relation it matters which of equal nodes has both, so counts of values and
of single relations do not tell which records fit. Here every set of nodes of every record is listed, with the
relations among them; sets that differ only in the order of equal nodes are one. After nodes were left out, sets of
values are listed in the same way, for their relations may have become rare as well.

codes : a published value's code, or width + code where it is known to be absent
mask  : one bit for each two of a set's nodes, in the order of `combinations`, where one stands above the other
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations, product
from math import comb

import numpy as np

from shoal.data import Trees
from shoal.data.arrays import B1, I8, owners, portions, prefix_sums, runs, take
from shoal.data.trees import ancestry
from shoal.errors import InputError
from shoal.privacy.trees import KMNAnonymity

__all__ = ["Atom", "rank_of_equals", "rare_sets", "require_few_sets"]

MOST_SETS = 1 << 25
"""How many sets of nodes are listed at most, each once for every choice of relations: some seconds for each round."""

_AT_ONCE = 1 << 21
_LARGEST = 1 << 62  # of a key

Atom = tuple[int, int]
"""An item, and how many nodes of it are known."""


def require_few_sets(own: I8, claim: KMNAnonymity) -> None:
    """Refuse records of so many nodes each (`own`) that hold more sets than are listed.

    Raises
    ------
    InputError
        There are more.
    """
    often = np.bincount(own, minlength=1)
    sets = sum(
        int(many) * comb(nodes, size)
        for nodes, many in enumerate(often.tolist())
        for size in range(1, claim.m + 1)
        if many
    )
    most = max(comb(comb(claim.m, 2), min(claim.n, comb(claim.m, 2))), 1)
    if sets * most > MOST_SETS:
        raise InputError(
            f"repeats = 'keep', m={claim.m} and n={claim.n}: the records hold {sets} sets of up to {claim.m} nodes, "
            f"and {MOST_SETS // most} are checked; give m of at most 2, n of at most 1, or repeats = 'merge'"
        )


def rare_sets(
    parts: Iterable[Trees], claim: KMNAnonymity, limits: Mapping[int, int]
) -> Iterator[tuple[Atom, ...]]:
    """What too few records fit, or too many that share a secret: atoms, one of which must be known less often.

    `limits` say how many nodes of an item are left.
    """
    for merged in (False, True) if limits else (False,):
        shown = [_NodeKnowledge.of(trees, claim, limits, merged=merged) for trees in parts]
        require_few_sets(np.concatenate([one.own for one in shown]), claim)
        repeated = frozenset().union(*(one.repeated for one in shown))
        for size in range(1, claim.m + 1):
            for codes in _rare(shown, claim, size):
                yield _atoms(codes.tolist(), shown[0].width, repeated)


def _atoms(codes: Sequence[int], width: int, repeated: frozenset[int]) -> tuple[Atom, ...]:
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
        record, items = owners(trees.start), trees.items.astype(np.int64)
        width = max(len(trees.values), 1)
        hidden = np.zeros(width, dtype=bool)
        hidden[: len(trees.kinds)] = [trees.classes[kind] == trees.sensitive for kind in trees.kinds.tolist()]
        most = np.array([limits.get(item, len(items)) for item in range(width)], dtype=np.int64)
        rank = rank_of_equals(record, items)
        left = np.flatnonzero(~hidden[items] & (rank < most[items]))
        repeated = frozenset(np.unique(items[left[rank[left] > 0]]).tolist())
        key = record[left] * width + items[left]
        known, of = np.unique(key, return_inverse=True) if merged else (key, np.arange(len(key)))
        who, codes = known // width, known % width
        absent = _absent(trees, claim, most)
        has = np.zeros((trees.n, len(absent)), dtype=bool)
        for column, item in enumerate(absent):
            has[who[codes == item], column] = True
        lacks, which = np.nonzero(~has)
        lacked = np.array(absent, dtype=np.int64)[which] + width if len(which) else which
        who, codes = np.r_[who, lacks], np.r_[codes, lacked]
        order = np.lexsort((codes, who))
        own = np.bincount(who, minlength=trees.n).astype(np.int64)
        start = prefix_sums(own)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order)) - start[who[order]]
        spot = np.full(len(items), -1, dtype=np.int64)
        spot[left] = place[of] if len(left) else left
        square = np.cumsum(own**2) - own**2
        related = np.zeros(int((own**2).sum()), dtype=bool)
        for low, high in ancestry(trees.start, trees.parents) if claim.n else ():
            both = (spot[low] >= 0) & (spot[high] >= 0)
            one, two, whose = spot[low[both]], spot[high[both]], record[low[both]]
            related[square[whose] + one * own[whose] + two] = True
            related[square[whose] + two * own[whose] + one] = True
        pairs = np.unique(record[hidden[items]] * width + items[hidden[items]]) if claim.l else items[:0]
        ends = np.cumsum(np.bincount(pairs // width, minlength=trees.n))
        return cls(
            width, own, start, codes[order], square, related, (np.r_[0, ends], pairs % width), repeated
        )

    def sets(self, size: int) -> Iterator[tuple[I8, list[I8]]]:
        """Every set of so many codes, by their places: the record of each, and its places, ascending."""
        made = np.array([comb(own, size) for own in range(int(self.own.max(initial=0)) + 1)])[self.own]
        for low, high in portions(made, _AT_ONCE):
            record = np.repeat(np.arange(low, high), self.own[low:high])
            places = [runs(np.zeros(high - low, dtype=np.int64), self.own[low:high])]
            for _ in range(size - 1):
                more = self.own[record] - 1 - places[-1]
                which = np.repeat(np.arange(len(record)), more)
                behind = runs(places[-1] + 1, more)
                record, places = record[which], [*(column[which] for column in places), behind]
            yield record, places


def _absent(trees: Trees, claim: KMNAnonymity, most: I8) -> list[int]:
    """The published values whose absence may be known."""
    named = [trees.classes.index(name) for name in claim.negations if name in trees.classes]
    return [item for item in np.flatnonzero(np.isin(trees.kinds, named)).tolist() if most[item]]


def rank_of_equals(record: I8, items: I8) -> I8:
    """For each node, how many nodes of its record that stand before it have its value."""
    order = np.lexsort((items, record))
    first = np.r_[True, (np.diff(record[order]) != 0) | (np.diff(items[order]) != 0)] if len(order) else order
    rank = np.empty(len(order), dtype=np.int64)
    at = np.arange(len(order))
    rank[order] = at - np.maximum.accumulate(np.where(first, at, 0)) if len(order) else at
    return rank


def _rare(shown: Sequence[_NodeKnowledge], claim: KMNAnonymity, size: int) -> Iterator[I8]:
    """The codes of sets of one size that break the claim with some of their relations."""
    base, masks = 2 * shown[0].width, 1 << comb(size, 2)
    if base**size * masks > _LARGEST:
        raise InputError(
            f"repeats = 'keep', m={claim.m} and n={claim.n}: there are {shown[0].width} values, too many to count "
            f"sets of {size}; lower m, or say repeats = 'merge'"
        )
    tally = _Tally()
    for one in shown:
        for record, places in one.sets(size):
            tally.add(*_keys(one, claim, record, places, base, masks))
    key, secret, count = tally.sums()
    everybody = secret < 0
    fits, sets = count[everybody], key[everybody]
    wrong = fits < claim.k
    if claim.l is not None:
        of = np.searchsorted(sets, key[~everybody])
        wrong[of[count[~everybody] * claim.l > fits[of]]] = True
    codes = np.unique(sets[wrong] // masks)
    yield from np.stack([codes // base**place % base for place in range(size)], axis=1)


def _keys(
    shown: _NodeKnowledge, claim: KMNAnonymity, record: I8, places: list[I8], base: int, masks: int
) -> tuple[I8, I8]:
    """A number for each set of a record with each choice of relations, once; beside it -1, or a secret of its."""
    columns = [shown.codes[shown.start[record] + column] for column in places]
    mask, tie, key = (np.zeros(len(record), dtype=np.int64) for _ in range(3))
    for bit, (a, b) in enumerate(combinations(places, 2)):
        mask |= shown.related[shown.square[record] + a * shown.own[record] + b].astype(np.int64) << bit
    for place, column in enumerate(columns):
        key += column * base**place
        if place:
            tie |= (column == columns[place - 1]).astype(np.int64) << (place - 1)
    kinds, of = np.unique(tie * masks + mask, return_inverse=True)
    order, ends = np.argsort(of, kind="stable"), np.cumsum(np.bincount(of, minlength=len(kinds)))
    found = [(record[:0], record[:0])]
    for kind, low, high in zip(kinds.tolist(), [0, *ends.tolist()], ends.tolist(), strict=False):
        rows = order[low:high]
        for relations in _relation_sets(len(places), kind // masks, kind % masks, claim):
            found.append((key[rows] * masks + relations, record[rows]))
    keys, who = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((who, keys))
    keys, who = keys[order], who[order]
    once = np.r_[True, (np.diff(keys) != 0) | (np.diff(who) != 0)][: len(keys)]
    keys, who = keys[once], who[once]
    if claim.l is None:
        return keys, np.full(len(keys), -1, dtype=np.int64)
    start, secrets = take(*shown.secrets, who)
    return np.r_[keys, keys[owners(start)]], np.r_[np.full(len(keys), -1), secrets]


def _relation_sets(size: int, tie: int, mask: int, claim: KMNAnonymity) -> set[int]:
    """Relations that may be known of a set: as many as the claim allows, or with l any; equal nodes in any order."""
    pairs = list(combinations(range(size), 2))
    bits = [bit for bit in range(len(pairs)) if mask >> bit & 1]
    most = min(claim.n, len(bits))
    ends = [0, *(place + 1 for place in range(size - 1) if not tie >> place & 1), size]
    alike = [range(low, high) for low, high in pairwise(ends)]
    orders = [sum(some, ()) for some in product(*(permutations(run) for run in alike))]
    place = {pair: bit for bit, pair in enumerate(pairs)}
    moved = [[1 << place[min(o[a], o[b]), max(o[a], o[b])] for a, b in pairs] for o in orders]
    return {
        min(sum(to[bit] for bit in some) for to in moved)
        for many in range(most if claim.l is None else 0, most + 1)
        for some in combinations(bits, many)
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
        first = np.flatnonzero(np.r_[True, (np.diff(key) != 0) | (np.diff(secret) != 0)][: len(key)])
        return key[first], secret[first], np.add.reduceat(count, first) if len(first) else count
