"""Knowing what a person does not have: rows that show it for certain are ruled out (the tree paper's Figure 18)."""

from collections.abc import Iterator

import numpy as np

from shoal.attacks.words import Lists
from shoal.data.lists import take
from shoal.data.types import B1, I8

__all__ = ["ruled_out"]


def ruled_out(place: I8, row: I8, shown: Lists, has: Lists, width: int, many: int) -> Iterator[I8]:
    """For 1, 2, .. `many` absences, how many rows still fit each person.

    The absences are picked one after the other; each is the one, of what the person lacks, that rules out most of the
    rows that are left.

    Parameters
    ----------
    place, row
        Every person, by a number from 0, with every row that fits what else is known.
    shown
        For each row, the things (numbers below `width`) that it shows for certain.
    has
        For each person, the things that the person has.
    width
        How many things there are.
    many
        How many absences are known at last.

    >>> place, row = np.array([0, 0, 0]), np.array([0, 1, 2])
    >>> shown, has = (np.array([0, 1, 2, 3]), np.array([0, 1, 1])), (np.array([0, 1]), np.array([0]))
    >>> [left.tolist() for left in ruled_out(place, row, shown, has, 2, 2)]
    [[1], [1]]
    """
    people = len(has[0]) - 1
    width = max(width, 1)
    mine = np.unique(np.repeat(np.arange(people), np.diff(has[0])) * width + has[1])
    pair, thing = _things(row, shown)
    keys = place[pair] * width + thing
    telling = ~_among(keys, mine)
    pair, keys = pair[telling], keys[telling]
    left = np.ones(len(place), dtype=bool)
    for _ in range(many):
        out = _among(keys, _most_telling(keys[left[pair]], width))
        left[pair[out]] = False
        yield np.bincount(place[left], minlength=people)


def _things(row: I8, shown: Lists) -> Lists:
    """Each pair of a person and a row, by its place, with each thing that the row shows."""
    start, things = take(*shown, row)
    return np.repeat(np.arange(len(row)), np.diff(start)), things


def _most_telling(keys: I8, width: int) -> I8:
    """For each person, of the things that rows show the most frequent one, as a key; of ties the smallest."""
    found, counts = np.unique(keys, return_counts=True)
    order = np.lexsort((found, -counts, found // width))
    person = found[order] // width
    first = np.r_[True, person[1:] != person[:-1]][: len(person)]
    return np.sort(found[order][first])


def _among(keys: I8, known: I8) -> B1:
    """Which keys are known; those are ascending."""
    if not len(known):
        return np.zeros(len(keys), dtype=bool)
    return np.asarray(known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys)
