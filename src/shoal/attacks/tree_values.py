"""Values of record trees: by record, by field, and which stand above which."""

import numpy as np

from shoal.attacks.words import Lists
from shoal.data import Trees
from shoal.data.lists import owners
from shoal.data.preorder import ancestry
from shoal.data.spelling import alike
from shoal.data.types import I8

__all__ = ["held", "lists_of", "numbers", "of_class", "relations", "words"]


def relations(trees: Trees) -> tuple[I8, I8, I8]:
    """Records, each with every two values of which the first stands above the second."""
    record = owners(trees.start)
    none = np.zeros(0, dtype=np.int64)
    found = [(none, none, none)]
    if len(trees.items):
        for low, high in ancestry(trees.start, trees.parents):
            found.append((record[low], trees.items[high].astype(np.int64), trees.items[low].astype(np.int64)))
    who, over, under = (np.concatenate(part) for part in zip(*found, strict=True))
    return who, over, under


def of_class(trees: Trees, name: str) -> tuple[I8, tuple[str, ...]]:
    """The values of one field: their numbers and their texts."""
    if name not in trees.classes:
        return np.zeros(0, dtype=np.int64), ()
    items = np.flatnonzero(trees.kinds == trees.classes.index(name))
    return items, tuple(trees.values[item] for item in items.tolist())


def words(trees: Trees, name: str | None) -> dict[int, str]:
    """The values of one field in one spelling, by their numbers."""
    items, texts = of_class(trees, name) if name is not None else (np.zeros(0, dtype=np.int64), ())
    return dict(zip(items.tolist(), map(alike, texts), strict=True))


def numbers(values: int, words: dict[int, str], place: dict[str, int]) -> I8:
    """For each of so many values the number of its word, -1 where it has none."""
    found = np.full(values, -1, dtype=np.int64)
    for item, word in words.items():
        found[item] = place.get(word, -1)
    return found


def held(trees: Trees, of_value: I8) -> tuple[I8, I8]:
    """Records, ascending, each with the numbers of its values, each once; values without a number are left out."""
    numbers = of_value[trees.items]
    kept = numbers >= 0
    width = max(int(of_value.max(initial=-1)) + 1, 1)
    keys = np.unique(owners(trees.start)[kept] * width + numbers[kept])
    return keys // width, keys % width


def lists_of(trees: Trees, of_value: I8) -> Lists:
    """For each record the numbers of its values, each once; see `held`."""
    record, numbers = held(trees, of_value)
    return np.r_[0, np.cumsum(np.bincount(record, minlength=trees.n))].astype(np.int64), numbers
