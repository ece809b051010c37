"""What must be asked of a cut: how many records fit each piece of knowledge that holds one of its new values.

A piece of knowledge is a set of values, rising, and a mask of relations among them: bit b(b-1)/2 + a (a < b places
in the set) says that the first of the two stands above the second. Answers are remembered: they depend on the values
alone, whatever else a cut holds, as long as nothing is disassociated.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations
from math import comb

import numpy as np

from shoal.algorithms.trees._kernels.record_bits import empty, recall, remember
from shoal.algorithms.trees.held_records import Question
from shoal.algorithms.trees.search_space import Space, Synopsis
from shoal.data.types import B1, I8
from shoal.errors import InfeasibleError

__all__ = ["Asked", "Asking", "pairs_of"]


_KEY = 2**62
_ENOUGH = 1 << 21  # sets looked at together
_MOST = 1 << 24  # sets that are listed at all
_SPARE = 2  # times k records: a set of more than two values is counted so far, and no further


@dataclass(frozen=True, slots=True)
class Asked:
    """Pieces of knowledge, and how many records fit them.

    values : int64[Q, m]   nodes, rising, negated ones behind; -1 behind the last
    mask   : int64[Q]
    held   : int64[Q]      of more than two values, 2 k or more may stand for any larger number
    often  : int64[Q]      how many of these records share one secret, at most; 0 where nobody asks
    """

    values: I8
    mask: I8
    held: I8
    often: I8

    @classmethod
    def none(cls, m: int) -> "Asked":
        """Return an `Asked` without any piece of knowledge."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(np.zeros((0, m), dtype=np.int64), nothing, nothing, nothing)

    def where(self, chosen: B1) -> "Asked":
        """Return only the chosen pieces of knowledge."""
        return Asked(self.values[chosen], self.mask[chosen], self.held[chosen], self.often[chosen])

    def __add__(self, other: "Asked") -> "Asked":
        return Asked(
            np.concatenate([self.values, other.values]),
            np.concatenate([self.mask, other.mask]),
            np.concatenate([self.held, other.held]),
            np.concatenate([self.often, other.often]),
        )

    def without(self, node: int, negated: int) -> "Asked":
        """The pieces of knowledge that hold neither a node nor its absence."""
        return self.where(~((self.values == node) | (self.values == negated)).any(axis=1))


@dataclass
class Asking:
    """Asks a space about cuts, for one claim.

    k, m, n, l : the claim's numbers; l = 0 where no diversity is asked for
    denied     : the fields whose absence can be known, as the trees number them
    """

    space: Space
    k: int
    m: int
    n: int
    l: int
    denied: tuple[int, ...]
    memory: dict[int, I8] = field(init=False, default_factory=dict)
    known: dict[int, int] = field(init=False, default_factory=dict)

    def broken(self, cut: Synopsis, new: tuple[int, ...]) -> Asked:
        """Knowledge that holds one of the `new` values of a cut and fits too few records, or too similar ones.

        Larger sets are not asked for a relation that is too rare by itself.
        """
        everything, possible = self.everything(cut)
        fresh = np.isin(everything % len(self.space.values.names), new)
        found = Asked.none(self.m)
        v = len(cut.nodes)
        for size in range(1, min(self.m, len(everything)) + 1):
            for places, mask in self.knowledge(size, v, fresh, possible):
                asked = self.ask(cut, everything, places, mask)
                found += asked.where(self.wrong(asked))
            if size == 2:
                rare = found.values[(found.mask == 1) & (found.values[:, 2:] < 0).all(axis=1)]
                spot = np.searchsorted(cut.nodes, rare[:, :2])
                possible[spot[:, 0], spot[:, 1]] = False
        return found

    def everything(self, cut: Synopsis) -> tuple[I8, B1]:
        """What can be known of a cut: its values, then those that can be denied; and which pairs share a path."""
        denied = np.isin(self.space.values.kind[cut.nodes], self.denied)
        known = np.r_[cut.nodes, cut.nodes[denied] + len(self.space.values.names)]
        possible = np.zeros((len(known), len(known)), dtype=bool)
        high, low = np.divmod(cut.relations()[1], max(len(cut.nodes), 1))
        possible[high, low] = True
        return known, possible

    def wrong(self, asked: Asked) -> B1:
        """Whether too few records fit, or too many of them share a secret."""
        rare = (asked.held > 0) & (asked.held < self.k)
        return rare | (asked.often * self.l > asked.held)

    def knowledge(self, size: int, v: int, fresh: B1, possible: B1) -> Iterator[tuple[I8, I8]]:
        """Sets of `size` values with a fresh one, as places, each with every allowed mask of possible relations.

        If none of the values of a set is negated, it is known already that k records hold them. Mostly all sets come
        at once.
        """
        pairs = pairs_of(size)
        found: list[tuple[I8, I8]] = []
        for places in _sets(size, fresh):
            can = np.zeros(len(places), dtype=np.int64)
            for bit, (a, b) in enumerate(pairs):
                can |= possible[places[:, a], places[:, b]].astype(np.int64) << bit
            for mask in _masks(len(pairs), self.n):
                chosen = (can & mask) == mask
                if mask == 0 and not self.l:
                    chosen &= places[:, -1] >= v
                if chosen.any():
                    found.append((places[chosen], np.full(int(chosen.sum()), mask, dtype=np.int64)))
            if sum(len(mask) for _, mask in found) > _ENOUGH:
                yield _joined(found)
                found = []
        if found:
            yield _joined(found)

    def ask(
        self,
        cut: Synopsis,
        everything: I8,
        places: I8,
        mask: I8,
        *,
        anew: bool = False,
        enough: int | None = None,
    ) -> Asked:
        """Count the records that fit; `anew` neither recalls nor remembers, for trees whose relations were cut.

        What has `enough` records is counted no further; None means: as far as other cuts may need to know it.
        """
        size = places.shape[1]
        base = 2 * len(self.space.values.names) + 1
        bits = len(pairs_of(size))
        values = everything[places]
        short = not anew and base**size << bits < _KEY
        key = np.zeros(len(places), dtype=np.int64)
        if short:
            for column in values.T:
                key = key * base + column
            key = (key << bits) | mask
        told = (
            recall(self.memory.setdefault(size, empty()), key)
            if short
            else np.full(len(places), -1, dtype=np.int64)
        )
        missing = told < 0
        if missing.any():
            told[missing] = self._count(cut, everything, places[missing], mask[missing], enough)
            if short:
                held = self.known.get(size, 0)
                self.memory[size] = remember(self.memory[size], held, key[missing], told[missing])
                self.known[size] = held + int(missing.sum())
        wide = np.full((len(values), self.m), -1, dtype=np.int64)
        wide[:, :size] = values
        return Asked(wide, mask, told & 0xFFFFFFFF, told >> 32)

    def _count(self, cut: Synopsis, everything: I8, places: I8, mask: I8, enough: int | None) -> I8:
        """How many records fit, and, shifted by 32 bits, how many of them share one secret at most."""
        v = len(cut.nodes)
        where, codes = cut.relations()
        asked = np.full((len(places), places.shape[1] + self.n), -1, dtype=np.int64)
        width = np.zeros(len(places), dtype=np.int64)
        bare = np.ones(places.shape, dtype=bool)
        each = np.arange(len(places))
        for bit, (a, b) in enumerate(pairs_of(places.shape[1])):
            on = each[(mask >> bit) & 1 == 1]
            asked[on, width[on]] = places[on, a] * v + places[on, b]
            width[on] += 1
            bare[on, a] = bare[on, b] = False
        spot = np.full(v * v, -1, dtype=np.int32)  # by relation its number among those asked for
        spot[asked[asked >= 0]] = 0
        relations = np.flatnonzero(spot == 0)
        spot[relations] = np.arange(len(relations))
        asked[asked >= 0] = spot[asked[asked >= 0]]
        for place in range(places.shape[1]):  # a value in a relation need not be asked for again
            on = each[bare[:, place]]
            asked[on, width[on]] = -2 - everything[places[on, place]]
            width[on] += 1
        shown = spot[codes] >= 0
        order = np.argsort(where[shown], kind="stable")
        ends = np.searchsorted(where[shown][order], np.arange(len(cut.up) + 1))
        shows = spot[codes[shown][order]]
        wide = asked[:, : int(width.max(initial=1))].astype(np.int32)
        question = Question(cut.spot, ends, shows, len(relations), wide)
        if not self.l:
            usual = _SPARE * self.k if places.shape[1] > 2 else self.space.n + 1
            return self.space.records.fit(cut.shown, question, usual if enough is None else enough)
        held, often = self.space.records.fit_with_secrets(cut.shown, question)
        return held | (often << 32)


def _masks(bits: int, n: int) -> Iterator[int]:
    """Every mask of at most n of so many bits."""
    for number in range(min(n, bits) + 1):
        for some in combinations(range(bits), number):
            yield sum(1 << bit for bit in some)


def pairs_of(size: int) -> list[tuple[int, int]]:
    """The pairs of places of a set, in the order of the bits of a mask."""
    return [(a, b) for b in range(size) for a in range(b)]


def _joined(found: list[tuple[I8, I8]]) -> tuple[I8, I8]:
    return np.concatenate([places for places, _ in found]), np.concatenate([mask for _, mask in found])


def _sets(size: int, fresh: B1) -> Iterator[I8]:
    """Every set of `size` places that holds a fresh one, rising within a set, in parts."""
    new, old = np.flatnonzero(fresh), np.flatnonzero(~fresh)
    for number in range(1, min(size, len(new)) + 1):
        if size - number <= len(old):
            left = new[_combinations(len(new), number)]
            right = old[_combinations(len(old), size - number)]
            step = max(1, _ENOUGH // len(right))
            for at in range(0, len(left), step):
                some = left[at : at + step]
                both = [np.repeat(some, len(right), axis=0), np.tile(right, (len(some), 1))]
                yield np.sort(np.concatenate(both, axis=1), axis=1)


@lru_cache(maxsize=64)
def _combinations(n: int, size: int) -> I8:
    number = comb(n, size)
    if number > _MOST:
        raise InfeasibleError(
            f"trees: {n} published values make {number} sets of {size}, too many to look at; lower m"
        )
    each = chain.from_iterable(combinations(range(n), size))
    return np.fromiter(each, np.int64, number * size).reshape(number, size)
