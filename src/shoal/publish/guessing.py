"""How well cells are guessed from what is known, and whether that is a rule or chance."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.data.arrays import I4, I8, times

__all__ = ["FEW", "Guess", "among_equal", "is_rule", "lambda_of", "neighbours"]

FEW = 10
"""Wrong guesses; fewer of them may be chance."""

_CELLS = 8  # of a table of counts for each record, at most
_DEALT, _BEYOND = 20, 5.0  # times that cells are dealt out anew; deviations that a rule lies beyond them

Guess = Callable[[I8], tuple[float, float, float]]
"""From cells: how many are guessed right, how many without knowing anything, and how many are guessed at all."""


def lambda_of(told: object, given: object, counts: I8 | None = None) -> float:
    """Goodman and Kruskal's lambda: the share of wrong guesses of `told` that knowing `given` avoids.

    >>> lambda_of([0, 0, 1, 1], [5, 5, 7, 7])
    1.0
    >>> lambda_of([0, 0, 1, 1], [5, 7, 5, 7])
    0.0
    """
    given, told = (_packed(np.asarray(codes)) for codes in (given, told))
    if not len(told):
        return 0.0
    width = int(told.max()) + 1
    pairs = given * width + told
    if (int(given.max()) + 1) * width <= _CELLS * len(told):
        best = times(pairs, counts, (int(given.max()) + 1) * width).reshape(-1, width).max(axis=1)
    else:
        pairs, place = np.unique(pairs, return_inverse=True)
        best = np.zeros(int(given.max()) + 1, dtype=np.int64)
        np.maximum.at(best, pairs // width, times(place, counts))
    held = times(told, counts)
    blind, all_of_them = int(held.max()), int(held.sum())
    return float((best.sum() - blind) / (all_of_them - blind)) if blind < all_of_them else 0.0


def _packed(codes: NDArray[np.integer]) -> I8:
    """Codes as numbers from 0 that are not much larger than there are."""
    if len(codes) and (codes.min() < 0 or codes.max() > _CELLS * len(codes)):
        codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return np.asarray(codes, dtype=np.int64)


def is_rule(guess: Guess, codes: I8, sure: float) -> bool:
    """Whether cells are guessed right so often that it is a rule, and far more often than by chance."""
    right, blind, all_of_them = guess(codes)
    if all_of_them - blind < FEW / 2 or right - blind < sure * (all_of_them - blind):
        return False
    deal = np.random.default_rng(1)
    dealt = np.array([guess(deal.permutation(codes))[0] for _ in range(_DEALT)])
    return bool(right >= dealt.mean() + _BEYOND * max(float(dealt.std()), 1.0))


def among_equal(groups: I4 | I8) -> Guess:
    """Guess each person's cell from the others in the same group; whoever is alone in one is not guessed."""
    _, group = np.unique(groups, return_inverse=True)
    group = group.reshape(-1).astype(np.int64)
    shared = np.bincount(group)[group] > 1

    def guess(codes: I8) -> tuple[float, float, float]:
        there = codes[shared]
        if not len(there):
            return 0.0, 0.0, 0.0
        width = int(there.max()) + 1
        pairs, many = np.unique(group[shared] * width + there, return_counts=True)
        of = pairs // width
        order = np.lexsort((many, of))
        of, many = of[order], many[order]
        last = np.r_[of[1:] != of[:-1], True]
        second = np.where(np.r_[False, of[1:] == of[:-1]], np.r_[0, many[:-1]], 0)[last]
        first = many[last]
        right = first * ((first - 1 > second) + 0.5 * (first - 1 == second))
        return float(right.sum()), float(np.bincount(there).max()), float(len(there))

    return guess


def neighbours(order: I8, groups: I8 | None = None) -> Guess:
    """Guess each person's cell from the next below and above in an order, of the same group where groups are given."""
    beside = np.zeros(len(order), dtype=np.int64) if groups is None else groups
    line = np.lexsort((order, beside))
    near = np.diff(beside[line]) == 0
    below, above = np.r_[False, near], np.r_[near, False]

    def guess(codes: I8) -> tuple[float, float, float]:
        cells = codes[line]
        equal = cells[1:] == cells[:-1]
        like_below, like_above = np.r_[False, equal] & below, np.r_[equal, False] & above
        right = (like_below + 0.0 + like_above) / np.maximum(below + 0 + above, 1)
        there = below | above
        return float(right.sum()), float(np.bincount(cells).max()), float(there.sum())

    return guess
