"""What attackers share who know a few facts of a person: baskets and trees differ only in what a fact is."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from shoal.attacks.absences import ruled_out
from shoal.attacks.drawing import drawn
from shoal.attacks.knowing import Knowable, Picked, affordable, everything, fewest
from shoal.attacks.played import Played
from shoal.attacks.row_bits import how_many, pairs
from shoal.attacks.words import Lists
from shoal.data.lists import take
from shoal.data.types import F8, I8, U8

__all__ = ["ABSENCES", "PAIRS", "Absent", "Board", "Seat", "Secrets"]

ABSENCES = 4
"""How many things a person may be known not to have."""

PAIRS = 500_000
"""How many pairs of a person and a row are looked at one by one."""


@dataclass(frozen=True, slots=True)
class Absent:
    """What people may be known not to have.

    shown : for each row, the things (numbers below `width`) that it shows for certain
    has   : for each person, the things that the person has
    """

    shown: Lists
    has: Lists
    width: int


@dataclass(frozen=True, slots=True)
class Secrets:
    """Who has something sensitive.

    told   : what else can be known of each person; nothing of it is sensitive
    person : int64, ascending: a person who has something sensitive, once for each such thing
    fact   : int64, the line of `told.bits` that says which rows show it for certain
    """

    told: Knowable
    person: I8
    fact: I8


class Seat(Protocol):
    """A release of baskets or trees beside its originals, as attackers see both."""

    @property
    def own(self) -> I8:
        """int64[people]: the released row of each person, or one that equals it; -1 where it was suppressed."""

    @property
    def told(self) -> Knowable:
        """What the attackers of the claim can know of each person."""

    @property
    def secrets(self) -> Secrets | None:
        """Who has something sensitive; None where nobody has, or no row shows it."""

    def absent(self, *, generalized: bool) -> Absent:
        """What people may be known not to have: values as they are, or groups of values."""


@dataclass(frozen=True)
class Board:
    """Attackers against one release.

    claim : what it claims, as the manifest holds it
    m, n  : how many values of a person, and relations among them, the claim allows to be known
    most  : how many people are played at most; None means as many as a few seconds allow
    rng   : who is drawn; None means randomness of the operating system
    """

    seat: Seat
    claim: Mapping[str, Any]
    m: int
    n: int = 0
    most: int | None = None
    rng: np.random.Generator | None = None

    @property
    def everybody(self) -> int:
        """How many people there are."""
        return len(self.seat.own)

    def some(self, cheap: int) -> I8:
        """The people who are played where `cheap` of them can be."""
        return drawn(self.everybody, cheap if self.most is None else min(cheap, self.most), self.rng)

    def inside(self, name: str, sentence: str, bound: float | None) -> Played:
        """Play whoever knows as much as the claim allows."""
        return self._found(name, self.seat.told, *self._best, sentence, bound)

    def knowing(self, name: str, sentence: str, m: int, n: int = 0, told: Knowable | None = None) -> Played:
        """Play whoever knows the m values and n relations of a person that leave fewest rows; of `told`, if given."""
        told = self.seat.told if told is None else told
        people = self.some(affordable(told, m, n))
        return self._found(name, told, people, fewest(told, people, m, n), sentence, None)

    def knowing_beside(self, name: str, sentence: str, *besides: tuple[U8, I8]) -> Played:
        """Play whoever knows as much as the claim allows, and one fact more: the one that leaves fewest rows.

        A fact is the rows that fit each of its values, as bits, and int64[people], the value of each person.
        """
        told = self.seat.told
        people = self.some(affordable(told, self.m, self.n) // len(besides))
        best = self._found(name, told, people, fewest(told, people, self.m, self.n), sentence, None)
        for lines, value in besides:
            bits = np.concatenate([told.bits[:-1], lines, told.bits[-1:]])
            more = replace(told, bits=bits, beside=value + len(told.bits) - 1)
            found = self._found(name, more, people, fewest(more, people, self.m, self.n), sentence, None)
            most = None if found.most is None or best.most is None else np.maximum(best.most, found.most)
            best = replace(best, chances=np.maximum(best.chances, found.chances), most=most)
        return best

    def knowing_all(self, name: str, sentence: str) -> Played:
        """Play whoever knows all of a person that a row can show."""
        told = self.seat.told
        people = self.some(self.everybody)
        return self._played(name, people, how_many(told.bits, everything(told, people)), sentence)

    def one_identity(self, name: str, sentence: str) -> Played:
        """Play whoever also knows that one of the rows that fit is somebody else's."""
        people, picked = self._best
        return self._played(name, people, np.maximum(picked.rows - 1, 1), sentence)

    def absences(self, name: str, sentence: str, many: int, *, generalized: bool) -> Played | None:
        """Play whoever also knows `many` things that the person does not have."""
        people, left = self._groups_left if generalized else self._values_left
        return self._played(name, people, left[many - 1], sentence) if left else None

    @cached_property
    def _best(self) -> tuple[I8, Picked]:
        told = self.seat.told
        people = self.some(affordable(told, self.m, self.n))
        return people, fewest(told, people, self.m, self.n)

    @cached_property
    def _values_left(self) -> tuple[I8, list[I8]]:
        return self._left(self.seat.absent(generalized=False))

    @cached_property
    def _groups_left(self) -> tuple[I8, list[I8]]:
        return self._left(self.seat.absent(generalized=True))

    def _left(self, absent: Absent) -> tuple[I8, list[I8]]:
        """The people who are played, and how many rows fit them where 1, 2, .. absences are known."""
        people, picked = self._best
        if not len(absent.shown[1]):
            return people, []
        cheap = int(PAIRS / max(float(picked.rows.mean()), 1.0)) if len(people) else 0
        place = drawn(len(people), cheap, self.rng)
        found = list(pairs(self.seat.told.bits, picked.keys[place]))
        who, row = (np.concatenate(part) for part in zip(*found, strict=True))
        has = take(*absent.has, people[place])
        return people[place], list(ruled_out(who, row, absent.shown, has, absent.width, ABSENCES))

    def _found(
        self, name: str, told: Knowable, people: I8, picked: Picked, sentence: str, bound: float | None
    ) -> Played:
        most = None
        if not picked.whole.all():
            least = np.minimum(how_many(told.bits, everything(told, people)), picked.rows)
            most = self._chances(people, np.where(picked.whole, picked.rows, least))
        chances = self._chances(people, picked.rows)
        return Played(name, bound is not None, bound, chances, self.everybody, sentence, most=most)

    def _played(self, name: str, people: I8, rows: I8, sentence: str) -> Played:
        return Played(name, False, None, self._chances(people, rows), self.everybody, sentence)

    def _chances(self, people: I8, rows: I8) -> F8:
        """An even guess among so many rows; nobody is found whose row was suppressed."""
        return np.where((self.seat.own[people] >= 0) & (rows > 0), 1 / np.maximum(rows, 1), 0.0)
