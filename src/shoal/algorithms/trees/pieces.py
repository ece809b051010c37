"""The pieces of knowledge that somebody can have of a cut: sets of values, and relations among them.

A piece is a set of places, rising, and a mask: bit b(b-1)/2 + a (a < b places in the set) says that the first of the
two stands above the second. Pieces grow from their relations, one place at a time: relations are few, sets of values
without any are listed apart, and what nobody fits is not grown. So what a cut costs depends on what is known of it,
not on all sets of its values.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np

from shoal.data.arrays import B1, I8
from shoal.errors import InfeasibleError

__all__ = ["Growth", "Pieces", "fresh_sets", "mask_numbers", "masks_without", "pairs_of"]


_ENOUGH = 1 << 21  # pieces looked at together
_MOST = 1 << 24  # pieces, or sets, that are held at all


class Pieces(NamedTuple):
    """Pieces of knowledge, all of equally many places.

    places : int64[Q, size]
    mask   : int64[Q]
    ends   : int64[Q, n, 2]   the places of each relation, the upper one first; -1 behind the last
    last   : int64[Q]         the turn of the place that was added last, -1: none was
    """

    places: I8
    mask: I8
    ends: I8
    last: I8

    def where(self, chosen: B1) -> "Pieces":
        """Only the chosen ones."""
        return Pieces(*(column[chosen] for column in self))


class Growth:
    """Lists the pieces with relations, by their size, from those of the size before that are to grow.

    Parameters
    ----------
    n
        The largest number of relations of a piece.
    fresh
        By place, whether a piece may begin with any relations if this place is added to them.
    related
        The possible relations: int64[R, 2]. The upper place is the lower number.
    new
        By relation, whether a piece may begin with it and any others.
    """

    def __init__(self, n: int, fresh: B1, related: I8, new: B1) -> None:
        self.n, self.size = n, 0
        self._turns = np.r_[
            np.flatnonzero(fresh), np.flatnonzero(~fresh)
        ]  # fresh places have the first turns
        self._fresh, self._new = int(fresh.sum()), int(new.sum())
        self._related = np.concatenate([related[new], related[~new]])
        self._growing: list[Pieces] = []

    def give_up(self, gone: I8) -> None:
        """Begin no more pieces with these relations."""
        width = len(self._turns)
        stay = ~np.isin(self._related[:, 0] * width + self._related[:, 1], gone[:, 0] * width + gone[:, 1])
        self._new, self._related = int(stay[: self._new].sum()), self._related[stay]

    def grow(self, some: Pieces) -> None:
        """Let these be part of larger pieces."""
        self._growing.append(some)
        held = sum(len(one.mask) for one in self._growing)
        if held > _MOST:
            raise InfeasibleError(
                f"trees: there are more than {_MOST} sets of {self.size} values with relations, too many to check; "
                "lower m or n"
            )

    def larger(self) -> Iterator[Pieces]:
        """All pieces with one more place, mostly at once."""
        self.size += 1
        before, self._growing = self._growing, []
        return _together(chain(self._begun(), *map(self._added, before)))

    def _begun(self) -> Iterator[Pieces]:
        """Relations between all places of a piece; or between all but one, which is fresh."""
        for number in range(1, min(self.n, comb(self.size, 2)) + 1):
            for ends, places in self._relation_sets(0, self._new, number, self.size):
                yield self._piece(places, ends, np.full(len(ends), -1))
            for ends, places in self._relation_sets(self._new, len(self._related), number, self.size - 1):
                turn = np.tile(np.arange(self._fresh), len(ends))
                yield self._beside(places, ends, turn, np.full(len(ends), self._fresh))

    def _added(self, some: Pieces) -> Iterator[Pieces]:
        """Each piece with each place whose turn comes later, in parts."""
        step = max(1, _ENOUGH // len(self._turns))
        for at in range(0, len(some.mask), step):
            part = Pieces(*(column[at : at + step] for column in some))
            left = len(self._turns) - 1 - part.last
            turn = np.arange(left.sum()) - np.repeat(np.cumsum(left) - left - part.last - 1, left)
            yield self._beside(part.places, part.ends, turn, left)

    def _beside(self, places: I8, ends: I8, turn: I8, times: I8) -> Pieces:
        """Places with one more, the next `times` turns for each of them, unless it is there already."""
        own, place = np.repeat(np.arange(len(places)), times), self._turns[turn]
        apart = np.flatnonzero((places[own] != place[:, None]).all(axis=1))
        own = own[apart]
        wide = np.sort(np.concatenate([places[own], place[apart, None]], axis=1), axis=1)
        return self._piece(wide, ends[own], turn[apart])

    def _piece(self, places: I8, ends: I8, last: I8) -> Pieces:
        """Relations become bits, and room is left for as many as there can be."""
        wide = np.full((len(ends), self.n, 2), -1, dtype=np.int64)
        wide[:, : ends.shape[1]] = ends
        mask = np.zeros(len(ends), dtype=np.int64)
        for number in range(self.n):
            upper, lower = ((places < wide[:, number, end, None]).sum(axis=1) for end in (0, 1))
            mask |= np.where(wide[:, number, 0] < 0, 0, 1 << (lower * (lower - 1) // 2 + upper))
        return Pieces(places, mask, wide, last)

    def _relation_sets(self, first: int, end: int, number: int, size: int) -> Iterator[tuple[I8, I8]]:
        """Sets of so many relations that stand between exactly `size` places, with these places, in parts.

        The first relation is one of `first` to `end`-1; the others come behind it.
        """
        if first == end or size < 2:
            return
        parts: Iterable[I8] = [np.arange(first, end)[:, None]]
        for _ in range(number - 1):
            parts = (more for some in parts for more in _one_more(some, self._related, size))
        for some in parts:
            ends = self._related[some]
            flat, own = _own_places(ends)
            whole = own.sum(axis=1) == size
            if whole.any():
                yield ends[whole], flat[whole][own[whole]].reshape(-1, size)


def _one_more(some: I8, related: I8, size: int) -> Iterator[I8]:
    """Each set of relations with each that comes behind them, if they have at most `size` places, in parts."""
    step = max(1, _ENOUGH // max(len(related), 1))
    for at in range(0, len(some), step):
        part = some[at : at + step]
        left = len(related) - 1 - part[:, -1]
        own = np.repeat(np.arange(len(part)), left)
        behind = np.arange(len(own)) - np.repeat(np.cumsum(left) - left - part[:, -1] - 1, left)
        more = np.concatenate([part[own], behind[:, None]], axis=1)
        yield more[_own_places(related[more])[1].sum(axis=1) <= size]


def _own_places(ends: I8) -> tuple[I8, B1]:
    """The places of relations, rising, and which of them is the first of equal ones."""
    flat = np.sort(ends.reshape(len(ends), 2 * ends.shape[1]), axis=1)
    return flat, np.diff(flat, axis=1, prepend=-1) > 0


def _together(parts: Iterator[Pieces]) -> Iterator[Pieces]:
    found: list[Pieces] = []
    listed = 0
    for part in parts:
        found.append(part)
        listed += len(part.mask)
        if listed > _ENOUGH:
            yield Pieces(*map(np.concatenate, zip(*found, strict=True)))
            found, listed = [], 0
    if listed:
        yield Pieces(*map(np.concatenate, zip(*found, strict=True)))


def fresh_sets(size: int, fresh: B1) -> Iterator[I8]:
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
            f"trees: {n} published values make {number} sets of {size}, too many to check; lower m"
        )
    each = chain.from_iterable(combinations(range(n), size))
    return np.fromiter(each, np.int64, number * size).reshape(number, size)


def pairs_of(size: int) -> list[tuple[int, int]]:
    """The pairs of places of a set, in the order of the bits of a mask."""
    return [(a, b) for b in range(size) for a in range(b)]


@lru_cache(maxsize=8)
def mask_numbers(size: int, n: int) -> I8:
    """By mask its number among those of at most n relations, -1 for all others."""
    bits = len(pairs_of(size))
    few = [
        sum(1 << bit for bit in some) for number in range(n + 1) for some in combinations(range(bits), number)
    ]
    numbers = np.full(1 << bits, -1, dtype=np.int64)
    numbers[few] = np.arange(len(few))
    return numbers


@lru_cache(maxsize=8)
def masks_without(size: int) -> I8:
    """For each place of a set every mask as it is without the place: int64[size, masks]; -1 if it is in a relation."""
    pairs = pairs_of(size)
    masks = np.arange(1 << len(pairs))
    fewer = np.zeros((size, len(masks)), dtype=np.int64)
    for place in range(size):
        kept = 0
        for bit, pair in enumerate(pairs):
            on = (masks >> bit) & 1
            if place in pair:
                fewer[place, on == 1] = -1
            else:
                fewer[place] |= on << kept
                kept += 1
    return fewer
