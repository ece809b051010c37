"""Record trees, flat: a node is an item code and the place of its parent within the record.

start   : int64[n + 1]   record i holds the nodes start[i] .. start[i + 1] - 1
items   : int32[N]       item of each node
parents : int32[N]       place of the parent within the record, -1 under the root; parents come first
values  : tuple of str   the value behind each item; an item is a value of a class
kinds   : int32[V]       the class of each item

Nodes stand in preorder, siblings by rising item, and no two siblings are equal: equal trees are equal arrays.
Classes stand so that ancestors come before descendants, and items follow their classes: an ancestor's item
is smaller than its descendants'.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.data.lists import take
from shoal.data.nesting import Nesting
from shoal.data.preorder import CHUNK, class_order, preorder
from shoal.data.types import I4, I8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.naming import offered

__all__ = ["Trees"]


@dataclass(frozen=True, slots=True, repr=False)
class Trees(Discreet):
    """One tree per record; `sensitive` is the class whose values must not be linked to anybody.

    `nesting` tells how they were nested where they came in; None where they were not.
    """

    classes: tuple[str, ...]
    values: tuple[str, ...]
    kinds: I4
    start: I8
    items: I4
    parents: I4
    sensitive: str | None = None
    nesting: Nesting | None = None

    def __post_init__(self) -> None:
        for array in (self.kinds, self.start, self.items, self.parents):
            array.flags.writeable = False
        if self.sensitive is not None and self.sensitive not in self.classes:
            raise InputError(
                f"trees: the sensitive field '{self.sensitive}' does not occur; {offered(self.sensitive, self.classes)}"
            )

    @classmethod
    def of(cls, trees: Iterable[Sequence[Any]], sensitive: str | None = None) -> "Trees":
        """Code nested trees, a record the nodes under its root, a node (class, value, *children): for small inputs.

        >>> trees = Trees.of([[("ward", "A", ("ill", "flu"), ("ill", "flu"))], [], [("ill", "gout")]])
        >>> trees.classes, trees.values, trees.start.tolist(), trees.parents.tolist()
        (('ward', 'ill'), ('A', 'flu', 'gout'), [0, 2, 2, 3], [-1, 0, -1])
        """
        place: dict[tuple[str, str], int] = {}
        start, items, parents = [0], list[int](), list[int]()
        for tree in trees:
            queue = [(node, -1) for node in tree]
            for (kind, value, *children), parent in queue:  # the queue grows as it is read
                queue += [(child, len(items) - start[-1]) for child in children]
                items.append(place.setdefault((kind, value), len(place)))
                parents.append(parent)
            start.append(len(items))
        return cls.build(
            tuple(place),
            np.array(start, dtype=np.int64),
            np.array(items, dtype=np.int32),
            np.array(parents, dtype=np.int32),
            sensitive,
        )

    @classmethod
    def build(
        cls,
        pairs: Sequence[tuple[str, str]],
        start: I8,
        items: I4,
        parents: I4,
        sensitive: str | None = None,
        *,
        classes: Sequence[str] | None = None,
    ) -> "Trees":
        """Bring nodes in any order (parents first) into the form above, equal siblings merged.

        `pairs` are the class and the value behind each code of `items`; one that stands twice is one item. Where
        `classes` are given, classes stand in their order: these may be some records of many.

        Raises
        ------
        InputError
            A class stands twice on a path, or two classes stand above each other.
        """
        names = sorted({kind for kind, _ in pairs}) if classes is None else list(classes)
        number = {name: place for place, name in enumerate(names)}
        raw = np.array([number[kind] for kind, _ in pairs], dtype=np.int32)
        order = range(len(names)) if classes is not None else class_order(names, raw[items], start, parents)
        rank = {names[place]: level for level, place in enumerate(order)}
        sort = sorted(set(pairs), key=lambda pair: (rank[pair[0]], pair[1]))
        codes = {pair: code for code, pair in enumerate(sort)}
        coded = np.array([codes[pair] for pair in pairs], dtype=np.int32)[items]
        parts = [
            preorder(start[at : at + CHUNK + 1], coded, parents, len(sort))
            for at in range(0, len(start) - 1, CHUNK)
        ]
        sizes = np.concatenate([np.zeros(1, dtype=np.int64), *(part[0] for part in parts)])
        return cls(
            tuple(names[place] for place in order),
            tuple(value for _, value in sort),
            np.array([rank[kind] for kind, _ in sort], dtype=np.int32),
            np.cumsum(sizes),
            np.concatenate([np.zeros(0, dtype=np.int32), *(part[1] for part in parts)]),
            np.concatenate([np.zeros(0, dtype=np.int32), *(part[2] for part in parts)]),
            sensitive,
        )

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.start) - 1

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records, nodes and different values, and which classes there are."""
        held = {"records": self.n, "nodes": len(self.items), "values": len(self.values)}
        secret = {} if self.sensitive is None else {"sensitive": self.sensitive}
        return {**held, "classes": ", ".join(self.classes), **secret}

    def take(self, rows: I8) -> "Trees":
        """Some records, in this order.

        >>> list(Trees.of([[("ill", "flu")], [], [("ill", "gout")]]).take(np.array([2, 1])).nested())
        [(('ill', 'gout'),), ()]
        """
        start, items = take(self.start, self.items, rows)
        return replace(self, start=start, items=items, parents=take(self.start, self.parents, rows)[1])

    def same(self, other: "Trees") -> bool:
        """Whether both hold the same trees in the same order; which class is sensitive is not compared."""
        words = (self.classes, self.values) == (other.classes, other.values)
        arrays = ("kinds", "start", "items", "parents")
        return words and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)

    def tree(self, record: int) -> tuple[Any, ...]:
        """One record as `of` takes it."""
        made: list[list[Any]] = []
        tops: list[list[Any]] = []
        for place in range(self.start[record], self.start[record + 1]):
            item, parent = int(self.items[place]), int(self.parents[place])
            node = [self.classes[self.kinds[item]], self.values[item]]
            (tops if parent < 0 else made[parent]).append(node)
            made.append(node)
        return tuple(_frozen(tops))

    def nested(self) -> Iterator[tuple[Any, ...]]:
        """Every record as `of` takes it."""
        return (self.tree(record) for record in range(self.n))


def _frozen(nodes: list[list[Any]]) -> list[tuple[Any, ...]]:
    """Nested lists as nested tuples, without recursion: a tree may be deep."""
    made: dict[int, tuple[Any, ...]] = {}
    stack = [(node, False) for node in nodes]
    while stack:
        node, done = stack.pop()
        if done:
            made[id(node)] = (node[0], node[1], *(made.pop(id(child)) for child in node[2:]))
        else:
            stack.append((node, True))
            stack += [(child, False) for child in node[2:]]
    return [made[id(node)] for node in nodes]
