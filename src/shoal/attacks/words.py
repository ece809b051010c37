"""What published words stand for, read from hierarchies anew: an attack that shares a judge's code proves little."""

import numpy as np

from shoal.data.lists import owners
from shoal.data.types import I8
from shoal.hierarchy import Hierarchy

__all__ = ["Entry", "Lists", "covering", "groups", "leaves_under", "turned"]

Entry = str | tuple[str, ...]
"""A published word: a value, a label over values, or the list of the values it may stand for."""

Lists = tuple[I8, I8]
"""Ragged lists: where each starts, and their numbers."""


def covering(entries: tuple[Entry, ...], values: tuple[str, ...], hierarchy: Hierarchy | None) -> Lists:
    """For each value, the entries that may stand for it.

    >>> tree = Hierarchy.from_paths("ill", [["flu", "lung", "*"], ["gout", "gout", "*"]])
    >>> start, found = covering(("*", "lung", ("gout", "flu")), ("flu", "gout", "pox"), tree)
    >>> start.tolist(), found.tolist()
    ([0, 3, 5, 5], [0, 1, 2, 0, 2])
    """
    place = {value: code for code, value in enumerate(values)}
    meant = [[place[word] for word in leaves_under(entry, hierarchy) if word in place] for entry in entries]
    start = np.cumsum([0, *map(len, meant)], dtype=np.int64)
    return turned((start, np.array([code for codes in meant for code in codes], dtype=np.int64)), len(values))


def leaves_under(entry: Entry, hierarchy: Hierarchy | None) -> tuple[str, ...]:
    """The values that an entry may stand for: those on whose way to the root it lies; a strange word only itself."""
    if isinstance(entry, tuple):
        return tuple(dict.fromkeys(leaf for word in entry for leaf in leaves_under(word, hierarchy)))
    if hierarchy is None:
        return (entry,)
    for level, labels in enumerate(hierarchy.labels):
        if entry in labels:
            below = np.flatnonzero(hierarchy.up[: hierarchy.size, level] == labels.index(entry))
            if len(below):
                return tuple(hierarchy.leaves[leaf] for leaf in below.tolist())
    return (entry,)


def groups(values: tuple[str, ...], hierarchy: Hierarchy | None) -> tuple[str | None, ...]:
    """For each value the next label above it; None where nothing stands above it but all values, or nothing is known.

    >>> groups(("flu", "gout"), Hierarchy.from_paths("ill", [["flu", "lung", "*"], ["gout", "gout", "*"]]))
    ('lung', None)
    """
    if hierarchy is None:
        return (None,) * len(values)
    place = {leaf: code for code, leaf in enumerate(hierarchy.leaves)}
    return tuple(_above(place.get(value), hierarchy) for value in values)


def _above(leaf: int | None, hierarchy: Hierarchy) -> str | None:
    if leaf is None:
        return None
    way = [labels[hierarchy.up[leaf, level]] for level, labels in enumerate(hierarchy.labels)]
    return next((label for label in way if label not in (way[0], way[-1])), None)


def turned(lists: Lists, width: int) -> Lists:
    """Lists of numbers below `width` the other way round: for each number, the lists that hold it, ascending.

    >>> start, rows = turned((np.array([0, 2, 3]), np.array([1, 0, 1])), 3)
    >>> start.tolist(), rows.tolist()
    ([0, 1, 3, 3], [0, 0, 1])
    """
    start, numbers = lists
    order = np.argsort(numbers, kind="stable")
    ends = (
        np.cumsum(np.bincount(numbers, minlength=width)) if len(numbers) else np.zeros(width, dtype=np.int64)
    )
    return np.r_[0, ends].astype(np.int64), owners(start)[order]
