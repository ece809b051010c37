"""Invented records: what a recoding does, shown on nobody."""

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from shoal.algorithms.trees.recoding import apply
from shoal.data import Trees
from shoal.data.lists import owners
from shoal.data.trees import CHUNK
from shoal.hierarchy import Hierarchies
from shoal.report.facts import Example

__all__ = ["invented", "is_real"]

_SECRET = "(a sensitive value)"
_TRIES = 50

Node = list[Any]


def invented(
    trees: Trees,
    hierarchies: Hierarchies,
    rule: Mapping[str, Any],
    *,
    count: int = 3,
    nodes: int = 7,
    rng: random.Random | None = None,
) -> list[Example]:
    """Invent records and recode them.

    A record is grown node by node: classes hang as they mostly do in `trees`, two nodes of a class below one node only
    where that occurs; values are drawn evenly from the leaves of hierarchies, whether or not the data hold them. A
    record that is real is thrown away. A sensitive value is never shown.

    Parameters
    ----------
    trees, trees, rule
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
    below = _schema(trees)
    made: list[tuple[Any, ...]] = []
    for _ in range(_TRIES):
        if len(made) == count:
            break
        tree = Trees.of([_grown(trees, hierarchies, below, nodes, chance)]).tree(0)
        if tree and tree not in made and not is_real(trees, tree):
            made.append(tree)
    return [Example(tree, _recoded(trees, hierarchies, rule, tree)) for tree in made]


def is_real(trees: Trees, tree: tuple[Any, ...]) -> bool:
    """Whether some record of `trees` is this tree."""
    pairs = zip(trees.kinds.tolist(), trees.values, strict=True)
    number = {(trees.classes[kind], value): item for item, (kind, value) in enumerate(pairs)}
    paths = _paths(tree)
    items = np.sort([number.get(path[-1], -1) for path in paths])
    alike = np.flatnonzero(np.diff(trees.start) == len(items))  # as many nodes
    for place in range(len(items)):
        alike = alike[np.isin(trees.items[trees.start[alike] + place], items)]
    return any(_paths(trees.tree(record)) == paths for record in alike.tolist())


def _paths(tree: tuple[Any, ...]) -> set[tuple[tuple[str, str], ...]]:
    """The nodes of a record, each as the values from the root down to it."""
    found: set[tuple[tuple[str, str], ...]] = set()
    stack: list[tuple[Any, tuple[tuple[str, str], ...]]] = [(node, ()) for node in tree]
    while stack:
        (kind, value, *children), above = stack.pop()
        found.add((*above, (kind, value)))
        stack += [(child, (*above, (kind, value))) for child in children]
    return found


def _schema(trees: Trees) -> dict[str, list[str]]:
    """For each class ("" is the root), the classes that are mostly below it; one that repeats is listed twice."""
    width = len(trees.classes)
    times = np.zeros((width + 1) * width, dtype=np.int64)
    several = np.zeros(width, dtype=bool)
    for at in range(0, trees.n, CHUNK):
        start = trees.start[at : at + CHUNK + 1] - trees.start[at]
        inside = slice(int(trees.start[at]), int(trees.start[at]) + int(start[-1]))
        kinds = trees.kinds[trees.items[inside]].astype(np.int64)
        record = owners(start)
        node = trees.parents[inside]
        over = np.where(node < 0, -1 - record, start[:-1][record] + node)  # the parent, or a record's root
        under = np.append(kinds, width)[np.maximum(over, -1)]
        times += np.bincount(under * width + kinds, minlength=len(times))
        hung, often = np.unique(over * width + kinds, return_counts=True)
        several[hung[often > 1] % width] = True
    below: dict[str, list[str]] = {name: [] for name in ("", *trees.classes)}
    for kind, parent in enumerate(times.reshape(width + 1, width).argmax(axis=0).tolist()):
        found = below["" if parent == width else trees.classes[parent]]
        found += [trees.classes[kind]] * (2 if several[kind] else 1)
    return below


def _grown(
    trees: Trees, hierarchies: Hierarchies, below: Mapping[str, list[str]], nodes: int, chance: random.Random
) -> list[Node]:
    """One record: hang nodes, one at a time, where a class may still hang."""
    record: list[Node] = []
    free: list[tuple[list[Any], str]] = [(record, name) for name in below[""]]
    for _ in range(nodes):
        if not free:
            break
        where, name = free.pop(chance.randrange(len(free)))
        node: Node = [name, _SECRET if name == trees.sensitive else chance.choice(hierarchies[name].leaves)]
        where.append(node)
        free += [(node, lower) for lower in below[name]]
    return record


def _recoded(
    trees: Trees, hierarchies: Hierarchies, rule: Mapping[str, Any], tree: tuple[Any, ...]
) -> tuple[Any, ...]:
    held = {path[-1][0] for path in _paths(tree)}
    one = Trees.of([tree], trees.sensitive if trees.sensitive in held else None)
    return apply("report", one, hierarchies, rule).trees.tree(0)
