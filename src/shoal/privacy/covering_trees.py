"""Whether released trees can have come from originals, without being told which from which."""

import numpy as np

from shoal.data import Trees
from shoal.data.lists import owners, take
from shoal.data.preorder import CHUNK, ancestry
from shoal.data.types import I8
from shoal.hierarchy import Hierarchies
from shoal.release import Verdict

__all__ = ["covering_trees"]

Words = tuple[I8, I8]
"""For each item of record trees, the published values that stand for it: where they start, and their numbers."""


def covering_trees(released: Trees, original: Trees, hierarchies: Hierarchies) -> Verdict:
    """Judge that no published value, and no relation of two, is in more records than originals that may show it.

    It is what must hold, not all: which record comes from which original only the data holder knows.
    """
    width = len(released.values)
    shown = _supports(released, (np.arange(width + 1), np.arange(width)), width)
    there = _supports(original, _words(released, original, hierarchies), width)
    over = [key for key, records in shown.items() if records > there.get(key, 0)]
    if over:
        return Verdict(
            False, f"{len(over)} published values or relations are in more records than originals have them"
        )
    return Verdict(True, "no published value or relation is in more records than originals have it")


def _words(released: Trees, original: Trees, hierarchies: Hierarchies) -> Words:
    published: dict[tuple[str, object], list[int]] = {}
    for code, (kind, value) in enumerate(zip(released.kinds, released.values, strict=True)):
        name = released.classes[kind]
        tree = hierarchies.get(name)
        if tree is None:
            published.setdefault((name, value), []).append(code)
        else:
            for leaf in range(*tree.places.get(value, (0, 0))):
                published.setdefault((name, leaf), []).append(code)
    found = []
    for kind, value in zip(original.kinds, original.values, strict=True):
        name = original.classes[kind]
        meant: object = hierarchies[name].look_up([value]).item() if name in hierarchies else value
        found.append(published.get((name, meant), []))
    return np.cumsum([0, *map(len, found)]), np.array(
        [code for codes in found for code in codes], dtype=np.int64
    )


def _supports(trees: Trees, words: Words, width: int) -> dict[int, int]:
    """How many records show each value v as v, and each relation of a over b as width * (a + 1) + b."""
    found: dict[int, int] = {}
    for at in range(0, trees.n, CHUNK):
        start = trees.start[at : at + CHUNK + 1]
        record = owners(start)
        node = np.arange(start[0], start[-1])
        parts = [_keyed(trees, words, record, node)]
        for low, high in ancestry(start, trees.parents):
            whose, below = _keyed(trees, words, np.arange(len(low)), low)
            pair, above = _keyed(trees, words, np.arange(len(whose)), high[whose])
            parts.append((record[low[whose[pair]] - start[0]], width * (above + 1) + below[pair]))
        most = width * (width + 1)
        keys = np.concatenate([whose * most + key for whose, key in parts])
        for key, count in zip(*np.unique(np.unique(keys) % max(most, 1), return_counts=True), strict=True):
            found[int(key)] = found.get(int(key), 0) + int(count)
    return found


def _keyed(trees: Trees, words: Words, owner: I8, node: I8) -> tuple[I8, I8]:
    """Each of some nodes as the published values that stand for it, with the node's owner."""
    start, codes = take(*words, trees.items[node])
    return owner[owners(start)], codes
