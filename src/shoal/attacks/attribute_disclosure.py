"""Attackers who find nobody, but are told something sensitive.

The rows that fit what they know tell it, or a naive Bayes guess that is learned from the release alone.
"""

from dataclasses import dataclass

import numpy as np

from shoal.attacks.background import Background, Lists, affordable, how_many, most_telling, transpose
from shoal.attacks.engine import Chances, FactGame, Secrets, draw_people
from shoal.data.arrays import B1, F8, I8, U8, owners, prefix_sums, take

__all__ = ["AttributeDisclosure", "one_of_many", "yes_or_no"]


@dataclass(frozen=True)
class AttributeDisclosure:
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
    def on(cls, game: FactGame) -> "AttributeDisclosure | None":
        """Look for what the claim's attackers can be told; None where nothing sensitive is shown."""
        secrets = game.view.secrets
        if secrets is None:
            return None
        told, everyone = secrets.told, np.unique(secrets.person)
        cheap = affordable(told, game.m, game.n) // 2
        most = cheap if game.most is None else min(cheap, game.most)
        holders = everyone[draw_people(len(everyone), most, game.rng)]
        mine = np.isin(secrets.person, holders)
        person, fact = secrets.person[mine], secrets.fact[mine]
        share, whole = _highest_share(game, told, person, fact)
        by_form = game.view.secrets_by_form if "m" in game.claim else None
        if by_form is not None:  # the claim covers whoever knows forms, too
            more, looked = _highest_share(game, by_form.told, person, by_form.fact[mine])
            share, whole = np.maximum(share, more), whole & looked
        prior = how_many(told.bits, fact[:, None]) / max(int(np.bitwise_count(told.bits[-1]).sum()), 1)
        of = np.searchsorted(holders, person)
        return cls(secrets, holders, len(everyone), of, fact, share, prior, whole)

    def certain(self) -> Chances:
        """Play whoever is told it for certain: all rows that fit have it."""
        return self._best((self.share >= 1 - 1e-9).astype(np.float64))

    def gained(self) -> Chances:
        """Play whoever gives it more chance than the whole release does."""
        return self._best(np.maximum(self.share - self.prior, 0.0))

    def shared(self) -> Chances:
        """Play whoever gives it the share of rows that have it."""
        most = None if self.whole.all() else self._highest(np.where(self.whole, self.share, 1.0))
        return Chances(self._highest(self.share), self.people, most)

    def predicted(self) -> Chances:
        """Play whoever learns from the release which rows have it, and knows all else of a person."""
        told, n = self.secrets.told, int(np.bitwise_count(self.secrets.told.bits[-1]).sum())
        open_facts = np.unique(told.facts)
        kinds, secret = np.unique(self.fact, return_inverse=True)
        learned, having = _rows_of(told.bits[open_facts], n), _rows_of(told.bits[kinds], n)
        start, facts = take(told.start, told.facts, self.holders[self.of])
        people = start, np.searchsorted(open_facts, facts)
        return self._best(
            yes_or_no(transpose(learned, n), having, people, secret.astype(np.int64), len(open_facts))
        )

    def _best(self, chances: F8) -> Chances:
        return Chances(self._highest(chances), self.people)

    def _highest(self, chances: F8) -> F8:
        """For each holder, the chance of the thing that is told best."""
        found = np.zeros(len(self.holders))
        np.maximum.at(found, self.of, chances)
        return found


def _highest_share(game: FactGame, told: Background, person: I8, fact: I8) -> tuple[F8, B1]:
    """The highest share of rows that have each sensitive thing, and whether every choice was looked at."""
    picked, having = most_telling(told, person, fact, game.m, game.n)
    shown = game.view.own[person] >= 0
    return np.where(shown, having / np.maximum(picked.rows, 1), 0.0), picked.whole


def _rows_of(bits: U8, n: int) -> Lists:
    """For each line, the rows that fit it."""
    line, row = np.nonzero(np.unpackbits(bits.view(np.uint8), axis=1, count=n, bitorder="little"))
    return prefix_sums(np.bincount(line, minlength=len(bits))), row


def yes_or_no(rows: Lists, having: Lists, people: Lists, secrets: I8, width: int) -> F8:
    """How likely each person has the secret beside it, to whoever learns from the release who has it.

    Parameters
    ----------
    rows
        For each released row, the facts (numbers below `width`) that it fits.
    having
        For each secret, the rows that have it.
    people
        For each person, the facts that are known.
    secrets
        int64[people], the secret that is asked about.

    Notes
    -----
    Facts count as independent given the secret. Half a row is added to every count, so that no chance is 0 or 1.

    >>> rows, people = (np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 1])), (np.array([0, 1]), np.array([0]))
    >>> having = np.array([0, 2]), np.array([0, 1])
    >>> yes_or_no(rows, having, people, np.array([0]), 2).round(2).tolist()
    [0.96]
    """
    n, chances = len(rows[0]) - 1, np.zeros(len(secrets))
    every = np.bincount(rows[1], minlength=width)
    for secret in np.unique(secrets).tolist():
        some = having[1][having[0][secret] : having[0][secret + 1]]
        with_it = np.bincount(take(*rows, some)[1], minlength=width)
        yes, no = _weights(with_it, len(some), n), _weights(every - with_it, n - len(some), n)
        asked = np.flatnonzero(secrets == secret)
        odds = _told(people, asked, *yes) - _told(people, asked, *no)
        chances[asked] = 1 / (1 + np.exp(-np.clip(odds, -500, 500)))
    return chances


def one_of_many(rows: Lists, label: I8, people: Lists, own: I8, width: int) -> F8:
    """How likely each person's own label (int64[people]) is, to whoever learns labels from the release.

    `label` is int64[rows], -1 where a row has none; the rest is as in `yes_or_no`.

    >>> rows, people = (np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 1])), (np.array([0, 1]), np.array([0]))
    >>> one_of_many(rows, np.array([0, 0, 1, 1]), people, np.array([0]), 2).round(2).tolist()
    [0.96]
    """
    n, everybody = len(rows[0]) - 1, np.arange(len(own))
    labels = np.unique(label[label >= 0])
    logs = np.empty((len(labels), len(own)))
    for line, value in enumerate(labels.tolist()):
        some = np.flatnonzero(label == value)
        counts = np.bincount(take(*rows, some)[1], minlength=width)
        logs[line] = _told(people, everybody, *_weights(counts, len(some), n))
    if not len(labels):
        return np.zeros(len(own))
    logs = np.exp(logs - logs.max(axis=0))
    place = np.searchsorted(labels, own)
    there = (place < len(labels)) & (labels[np.minimum(place, len(labels) - 1)] == own)
    share = logs[np.minimum(place, len(labels) - 1), everybody] / logs.sum(axis=0)
    return np.where(there, share, 0.0)


def _weights(counts: I8, some: int, n: int) -> tuple[float, F8]:
    """What some of n rows weigh where no fact is known, and what each fact adds to it; logarithms."""
    share = (counts + 0.5) / (some + 1)
    return float(np.log((some + 0.5) / (n + 1)) + np.log1p(-share).sum()), np.log(share) - np.log1p(-share)


def _told(people: Lists, asked: I8, nothing: float, facts: F8) -> F8:
    start, known = take(*people, asked)
    return np.asarray(nothing + np.bincount(owners(start), weights=facts[known], minlength=len(asked)))
