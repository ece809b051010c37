"""Invented records: what a recoding does, shown on nobody."""

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from shoal.algorithms.forest.recode import apply
from shoal.data import Forest
from shoal.data.preorder import CHUNK
from shoal.hierarchy import Hierarchies
from shoal.report.facts import Example

__all__ = ["invented", "is_real"]

_SECRET = "(a sensitive value)"
_TRIES = 50

Node = list[Any]


def invented(
    forest: Forest,
    trees: Hierarchies,
    rule: Mapping[str, Any],
    *,
    count: int = 3,
    nodes: int = 7,
    rng: random.Random | None = None,
) -> list[Example]:
    """Invent records and recode them.

    A record is grown node by node: classes hang as they mostly do in `forest`, two nodes of a class below one node only
    where that occurs; values are drawn evenly from the leaves of hierarchies, whether or not the data hold them. A
    record that is real is thrown away. A sensitive value is never shown.

    Parameters
    ----------
    forest, trees, rule
        The originals, their hierarchies, and the recoding.
    count, nodes
        How many records to invent at most, and of how many nodes at most.
    rng
        By default the operating system's.

    Returns
    -------
    list of Example
        Fewer than `count` where too many inventions were real.
    """
    chance = rng or random.SystemRandom()
    below = _schema(forest)
    made: list[tuple[Any, ...]] = []
    for _ in range(_TRIES):
        if len(made) == count:
            break
        tree = Forest.of([_grown(forest, trees, below, nodes, chance)]).tree(0)
        if tree and tree not in made and not is_real(forest, tree):
            made.append(tree)
    return [Example(tree, _recoded(forest, trees, rule, tree)) for tree in made]


def is_real(forest: Forest, tree: tuple[Any, ...]) -> bool:
    """Whether some record of `forest` is this tree."""
    pairs = zip(forest.kinds.tolist(), forest.values, strict=True)
    number = {(forest.classes[kind], value): item for item, (kind, value) in enumerate(pairs)}
    paths = _paths(tree)
    items = np.sort([number.get(path[-1], -1) for path in paths])
    alike = np.flatnonzero(np.diff(forest.start) == len(items))  # as many nodes
    for place in range(len(items)):
        alike = alike[np.isin(forest.items[forest.start[alike] + place], items)]
    return any(_paths(forest.tree(record)) == paths for record in alike.tolist())


def _paths(tree: tuple[Any, ...]) -> set[tuple[tuple[str, str], ...]]:
    """The nodes of a record, each as the values from the root down to it."""
    found: set[tuple[tuple[str, str], ...]] = set()
    stack: list[tuple[Any, tuple[tuple[str, str], ...]]] = [(node, ()) for node in tree]
    while stack:
        (kind, value, *children), above = stack.pop()
        found.add((*above, (kind, value)))
        stack += [(child, (*above, (kind, value))) for child in children]
    return found


def _schema(forest: Forest) -> dict[str, list[str]]:
    """By class the classes that mostly hang below it, "" for the root; one that hangs there repeatedly stands twice."""
    width = len(forest.classes)
    times = np.zeros((width + 1) * width, dtype=np.int64)
    several = np.zeros(width, dtype=bool)
    for at in range(0, forest.n, CHUNK):
        start = forest.start[at : at + CHUNK + 1] - forest.start[at]
        inside = slice(int(forest.start[at]), int(forest.start[at]) + int(start[-1]))
        kinds = forest.kinds[forest.items[inside]].astype(np.int64)
        record = np.repeat(np.arange(len(start) - 1), np.diff(start))
        node = forest.parents[inside]
        over = np.where(node < 0, -1 - record, start[:-1][record] + node)  # the parent, or a record's root
        under = np.append(kinds, width)[np.maximum(over, -1)]
        times += np.bincount(under * width + kinds, minlength=len(times))
        hung, often = np.unique(over * width + kinds, return_counts=True)
        several[hung[often > 1] % width] = True
    below: dict[str, list[str]] = {name: [] for name in ("", *forest.classes)}
    for kind, parent in enumerate(times.reshape(width + 1, width).argmax(axis=0).tolist()):
        found = below["" if parent == width else forest.classes[parent]]
        found += [forest.classes[kind]] * (2 if several[kind] else 1)
    return below


def _grown(
    forest: Forest, trees: Hierarchies, below: Mapping[str, list[str]], nodes: int, chance: random.Random
) -> list[Node]:
    """One record: hang nodes, one at a time, where a class may still hang."""
    record: list[Node] = []
    free: list[tuple[list[Any], str]] = [(record, name) for name in below[""]]
    for _ in range(nodes):
        if not free:
            break
        where, name = free.pop(chance.randrange(len(free)))
        node: Node = [name, _SECRET if name == forest.sensitive else chance.choice(trees[name].leaves)]
        where.append(node)
        free += [(node, lower) for lower in below[name]]
    return record


def _recoded(
    forest: Forest, trees: Hierarchies, rule: Mapping[str, Any], tree: tuple[Any, ...]
) -> tuple[Any, ...]:
    held = {path[-1][0] for path in _paths(tree)}
    one = Forest.of([tree], forest.sensitive if forest.sensitive in held else None)
    return apply("report", one, trees, rule).trees.tree(0)
