"""Attackers who find nobody, but are told something sensitive by the rows that fit what they know."""

from dataclasses import dataclass

import numpy as np

from shoal.attacks.board import Board, Secrets
from shoal.attacks.drawing import drawn
from shoal.attacks.inferring import yes_or_no
from shoal.attacks.knowing import affordable, picked_by_share
from shoal.attacks.played import Played
from shoal.attacks.row_bits import how_many
from shoal.attacks.words import Lists, turned
from shoal.data.lists import take
from shoal.data.types import B1, F8, I8, U8

__all__ = ["Telling"]


@dataclass(frozen=True)
class Telling:
    """What rows give away of those people who have something sensitive.

    holders : int64, the people who have something sensitive and are played
    people  : how many have
    of      : int64, for each sensitive thing of theirs, its owner's place among `holders`
    fact    : int64, the thing
    share   : float64, the highest share of rows that have it, of those that fit what is known
    prior   : float64, the share of all rows that have it
    whole   : bool, whether every choice of what is known was looked at
    """

    secrets: Secrets
    holders: I8
    people: int
    of: I8
    fact: I8
    share: F8
    prior: F8
    whole: B1

    @classmethod
    def on(cls, board: Board) -> "Telling | None":
        """Look for what the claim's attackers can be told; None where nothing sensitive is shown."""
        secrets = board.seat.secrets
        if secrets is None:
            return None
        told, everyone = secrets.told, np.unique(secrets.person)
        cheap = affordable(told, board.m, board.n) // 2
        most = cheap if board.most is None else min(cheap, board.most)
        holders = everyone[drawn(len(everyone), most, board.rng)]
        mine = np.isin(secrets.person, holders)
        person, fact = secrets.person[mine], secrets.fact[mine]
        picked, having = picked_by_share(told, person, fact, board.m, board.n)
        shown = board.seat.own[person] >= 0
        share = np.where(shown, having / np.maximum(picked.rows, 1), 0.0)
        prior = how_many(told.bits, fact[:, None]) / max(int(np.bitwise_count(told.bits[-1]).sum()), 1)
        of = np.searchsorted(holders, person)
        return cls(secrets, holders, len(everyone), of, fact, share, prior, picked.whole)

    def certain(self, name: str, sentence: str) -> Played:
        """Play whoever is told it for certain: all rows that fit have it."""
        return self._played(name, (self.share >= 1 - 1e-9).astype(np.float64), sentence)

    def gained(self, name: str, sentence: str) -> Played:
        """Play whoever gives it more chance than the whole release does."""
        return self._played(name, np.maximum(self.share - self.prior, 0.0), sentence)

    def shared(self, name: str, sentence: str, bound: float | None = None) -> Played:
        """Play whoever gives it the share of rows that have it."""
        most = None if self.whole.all() else self._highest(np.where(self.whole, self.share, 1.0))
        chances = self._highest(self.share)
        return Played(name, bound is not None, bound, chances, self.people, sentence, most=most)

    def predicted(self, name: str, sentence: str) -> Played:
        """Play whoever learns from the release which rows have it, and knows all else of a person."""
        told, n = self.secrets.told, int(np.bitwise_count(self.secrets.told.bits[-1]).sum())
        open_facts = np.unique(told.facts)
        kinds, secret = np.unique(self.fact, return_inverse=True)
        learned, having = _rows_of(told.bits[open_facts], n), _rows_of(told.bits[kinds], n)
        start, facts = take(told.start, told.facts, self.holders[self.of])
        people = start, np.searchsorted(open_facts, facts)
        guess = yes_or_no(turned(learned, n), having, people, secret.astype(np.int64), len(open_facts))
        return self._played(name, guess, sentence)

    def _played(self, name: str, chances: F8, sentence: str) -> Played:
        return Played(name, False, None, self._highest(chances), self.people, sentence)

    def _highest(self, chances: F8) -> F8:
        """For each holder, the chance of the thing that is told best."""
        found = np.zeros(len(self.holders))
        np.maximum.at(found, self.of, chances)
        return found


def _rows_of(bits: U8, n: int) -> Lists:
    """For each line, the rows that fit it."""
    line, row = np.nonzero(np.unpackbits(bits.view(np.uint8), axis=1, count=n, bitorder="little"))
    return np.r_[0, np.cumsum(np.bincount(line, minlength=len(bits)))].astype(np.int64), row
