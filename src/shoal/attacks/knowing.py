"""What an attacker picks to know of a person: the few facts that leave fewest rows, or give most of a secret away.

Facts are values, or items, and relations of two values. They are true of the person, and the person's own row shows
them: whatever was left out of a row does not help to find it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from shoal.attacks.row_bits import how_many
from shoal.data.lists import runs
from shoal.data.types import B1, I8, U8

__all__ = ["Knowable", "Picked", "affordable", "everything", "fewest", "picked_by_share"]

_EACH = 5_000  # choices that are looked at for each person
_ENTRIES = 1 << 18  # choices that are looked at together
_WORDS = 3 << 27  # words of bits that one attacker looks at
_LEAST = 200  # people who are played at least


@dataclass(frozen=True, slots=True)
class Knowable:
    """What can be known of each person.

    start, facts : the values of person i are facts[start[i] : start[i + 1]], from the rarest to the commonest
    bits         : the rows that fit each fact, as in `row_bits`
    square       : int64[people], related[square[i] + p * values + q], p < q, is the relation of the values p and q of
                   person i, which has so many `values`: a fact, -1 where there is none
    beside       : int64[people], a fact that is known of each person in any case, -1 where there is none
    """

    start: I8
    facts: I8
    bits: U8
    square: I8 | None = None
    related: I8 | None = None
    beside: I8 | None = None

    @property
    def sizes(self) -> I8:
        """How many values of each person can be known."""
        return np.diff(self.start)


@dataclass(frozen=True, slots=True)
class Picked:
    """The best choice for each of some people.

    rows  : int64[some], how many rows fit it
    keys  : int64[some, width], the facts, -1 where there are fewer
    whole : bool[some], whether every choice was looked at; else only those of the person's rarest values
    """

    rows: I8
    keys: I8
    whole: B1


def affordable(told: Knowable, m: int, n: int = 0) -> int:
    """How many people can be played in a few seconds by whoever knows m values and n relations."""
    if not len(told.sizes):
        return 0
    each = np.array([comb(min(size, _widest(m)), min(m, size)) for size in told.sizes.tolist()], dtype=float)
    price = float(each.mean()) * len(_patterns(m, n)) * (m + n + 1) * told.bits.shape[1]
    return max(int(_WORDS / max(price, 1.0)), _LEAST)


def fewest(told: Knowable, people: I8, m: int, n: int = 0) -> Picked:
    """For each of some people, the choice of m values and n relations among them that the fewest rows fit.

    Whoever has fewer is known whole. Fewer facts never leave fewer rows, so smaller choices are not looked at.
    """
    rows = np.full(len(people), int(np.bitwise_count(told.bits[-1]).sum()), dtype=np.int64)
    keys = np.full((len(people), m + n + 1), -1, dtype=np.int64)
    for place, choices in _choices(told, people, m, n):
        counts = how_many(told.bits, choices)
        best = counts.argmin(axis=1)
        line = np.arange(len(place))
        better = counts[line, best] <= rows[place]
        rows[place[better]] = counts[line, best][better]
        keys[place[better]] = choices[line, best][better]
    return Picked(rows, keys, _all_looked_at(told, people, m))


def picked_by_share(told: Knowable, people: I8, secrets: I8, m: int, n: int = 0) -> tuple[Picked, I8]:
    """For each of some people, the choice that gives most of a secret away, and how many rows that fit it have it.

    `secrets` is int64[some], a fact of each of these people. All choices of up to m values and n relations are looked
    at, for the share of rows that have a secret may rise or fall with each.
    """
    everybody = int(np.bitwise_count(told.bits[-1]).sum())
    rows = np.full(len(people), everybody, dtype=np.int64)
    having = how_many(told.bits, secrets[:, None])
    keys = np.full((len(people), m + n + 1), -1, dtype=np.int64)
    for size, links in ((size, links) for size in range(m + 1) for links in range(n + 1)):
        if links > comb(size, 2):
            continue
        for place, choices in _choices(told, people, size, links, exactly=True):
            counts = how_many(told.bits, choices)
            wanted = np.broadcast_to(secrets[place][:, None, None], (*choices.shape[:2], 1))
            both = how_many(told.bits, np.concatenate([choices, wanted], axis=2))
            share = np.where(counts > 0, both / np.maximum(counts, 1), 0.0)
            best, line = share.argmax(axis=1), np.arange(len(place))
            better = share[line, best] > having[place] / np.maximum(rows[place], 1)
            at, best, line = place[better], best[better], line[better]
            rows[at], having[at] = counts[line, best], both[line, best]
            keys[at] = -1
            keys[at, : choices.shape[2]] = choices[line, best]
    return Picked(rows, keys, _all_looked_at(told, people, m)), having


def everything(told: Knowable, people: I8) -> I8:
    """All that can be known of each of some people, as keys: values, relations, and what is known beside them."""
    sizes = told.sizes[people]
    keys = np.full((len(people), int(sizes.max(initial=0)) + 1), -1, dtype=np.int64)
    line = np.repeat(np.arange(len(people)), sizes)
    keys[line, runs(np.zeros_like(sizes), sizes)] = told.facts[runs(told.start[people], sizes)]
    if told.beside is not None:
        keys[:, -1] = told.beside[people]
    if told.square is None or told.related is None:
        return keys
    cells = sizes**2
    more = np.full((len(people), int(cells.max(initial=0))), -1, dtype=np.int64)
    line = np.repeat(np.arange(len(people)), cells)
    more[line, runs(np.zeros_like(cells), cells)] = told.related[runs(told.square[people], cells)]
    return np.concatenate([keys, more], axis=1)


def _all_looked_at(told: Knowable, people: I8, m: int) -> B1:
    return np.asarray(told.sizes[people] <= _widest(m))


def _widest(m: int) -> int:
    """How many values of a person are combined, the rarest, so that the choices stay few."""
    size = m
    while comb(size + 1, m) <= _EACH and size < _EACH:
        size += 1
    return size


def _patterns(m: int, n: int) -> list[tuple[tuple[int, int], ...]]:
    """The pairs of m values of which relations may be known; of pairs that have none, nothing is."""
    every = list(combinations(range(m), 2))
    return list(combinations(every, min(n, len(every))))


def _choices(told: Knowable, people: I8, m: int, n: int, *, exactly: bool = False) -> Iterator[tuple[I8, I8]]:
    """Places of people who have equally many values, and their choices: int64[some, choices, m + n + 1].

    Whoever has fewer than m values is known whole, or left out where `exactly` m are wanted.
    """
    sizes = np.minimum(told.sizes[people], _widest(m))
    for size in np.unique(sizes).tolist():
        place = np.flatnonzero(sizes == size)
        if size < m and exactly:
            continue
        all_picks = list(combinations(range(size), min(m, size)))
        picks = np.array(all_picks, dtype=np.int64).reshape(len(all_picks), min(m, size))
        patterns = _patterns(min(m, size), n)
        step = max(1, _ENTRIES // max(len(picks), 1))
        for at in range(0, len(place), step):
            some = place[at : at + step]
            for pattern in patterns:
                yield some, _keys(told, people[some], picks, pattern, m + n + 1)


def _keys(told: Knowable, people: I8, picks: I8, pattern: tuple[tuple[int, int], ...], width: int) -> I8:
    """The facts of every choice `picks` of each person's values, with relations of those in `pattern`."""
    keys = np.full((len(people), len(picks), width), -1, dtype=np.int64)
    for column, pick in enumerate(picks.T):
        keys[:, :, column] = told.facts[told.start[people][:, None] + pick]
    if told.square is not None and told.related is not None:
        own = told.sizes[people]
        for column, (p, q) in enumerate(pattern, picks.shape[1]):
            cell = told.square[people][:, None] + picks[:, p] * own[:, None] + picks[:, q]
            keys[:, :, column] = told.related[cell]
    if told.beside is not None:
        keys[:, :, -1] = told.beside[people][:, None]
    return keys
