"""How far known rows unravel the others: the best guess of whoever knows all baskets and whose rows some are.

All matchings of people and rows, one to one, are equally likely to such an attacker. How many of them give a person a
certain row is a permanent, which nobody can compute; messages between people and rows approximate it (Bethe's
permanent), and are exact where the graph of possible matches has no cycles.
"""

import numpy as np

from shoal.attacks.words import Lists
from shoal.data.lists import take
from shoal.data.types import F8, I8

__all__ = ["best_guesses", "nearest"]

_ROUNDS = 80
_TINY = 1e-9
_EQUAL = 1e-6


def best_guesses(person: I8, row: I8, asked: I8, own: I8) -> F8:
    """The chance that the best guess at each asked person's row is right: 1 over the number of equally good guesses.

    Parameters
    ----------
    person, row
        Every person with every row that may be theirs; whoever is known is left out, and so is the known row.
    asked
        The people asked about.
    own
        int64[people], the true row of everybody.

    >>> person, row = np.array([0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 2])
    >>> best_guesses(person, row, np.array([0, 1, 2]), np.array([0, 1, 2])).tolist()
    [1.0, 1.0, 1.0]
    """
    likely = _likely(person, row)
    mine = np.isin(person, asked)
    who, where, chance = person[mine], row[mine], likely[mine]
    best = np.zeros(int(max(asked.max(initial=-1), who.max(initial=-1))) + 1)
    np.maximum.at(best, who, chance)
    good = chance >= best[who] * (1 - _EQUAL)
    many = np.bincount(who[good], minlength=len(best))
    right = np.bincount(who[good & (where == own[who])], minlength=len(best)) > 0
    return np.where(right[asked], 1 / np.maximum(many[asked], 1), 0.0)


def nearest(rows: Lists, people: Lists, asked: I8, many: int) -> I8:
    """int64[asked, many]: those people who may have most of the rows that each asked person may have; -1: nobody.

    `rows` are for each person the rows that may be theirs, `people` for each row those whose it may be.
    """
    found = np.full((len(asked), many), -1, dtype=np.int64)
    for place, one in enumerate(asked.tolist()):
        mine = rows[1][rows[0][one] : rows[0][one + 1]]
        names, shared = np.unique(take(*people, mine)[1], return_counts=True)
        shared, names = shared[names != one], names[names != one]
        close = names[np.argsort(-shared, kind="stable")][:many]
        found[place, : len(close)] = close
    return found


def _likely(person: I8, row: I8) -> F8:
    """For each possible match, roughly the share of matchings that it is part of."""
    _, person = np.unique(person, return_inverse=True)
    _, row = np.unique(row, return_inverse=True)
    to_row = np.ones(len(person))
    to_person = np.ones(len(person))
    for _ in range(_ROUNDS):
        to_row = np.sqrt(to_row * _others(person, to_person))
        to_person = np.sqrt(to_person * _others(row, to_row))
    total = np.bincount(person, weights=to_person)
    return np.asarray(to_person / total[person])


def _others(of: I8, told: F8) -> F8:
    """One over what all others of the same person, or row, are told."""
    rest = np.bincount(of, weights=told)[of] - told
    return np.asarray(1 / np.clip(rest, _TINY, 1 / _TINY))
