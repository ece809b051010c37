"""One column's tree while it is edited: what was done and undone, and the people of each node."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from shoal.data.types import I8, U8
from shoal.errors import HierarchyError
from shoal.hierarchy.edit import Editable

__all__ = ["Desk"]

_MOST = 200  # edits that can be undone


class Desk:
    """A tree and its earlier forms.

    Parameters
    ----------
    facts
        A column as the job `count` tells of it.
    spec
        Its hierarchy as the configuration names it, None where it names none.
    source
        The job that proposed it: in the folder of another one the same name may stand for another tree.

    Attributes
    ----------
    changes
        Goes up with every edit, so that a second page sees it.
    """

    def __init__(self, facts: Mapping[str, Any], spec: Any = None, source: object = None) -> None:
        self.facts = facts
        self.column: str = facts["column"]
        self.proposed = _tree(facts)
        self.tree = self.proposed
        self.changes = 0
        self._before: list[Editable] = []
        self._after: list[Editable] = []
        self._known: dict[int, int] = {}
        self.propose(facts, spec, source)

    def propose(self, facts: Mapping[str, Any], spec: Any, source: object) -> None:
        """Take what was proposed and counted; where that is another tree than before, nothing is left of the edits."""
        if not self.is_proposed(facts):
            self.proposed = self.tree = _tree(facts)
            self._before, self._after = [], []
        self.facts, self.spec, self.source = facts, spec, source
        nodes = facts["nodes"]
        self._held = {
            label: people
            for label, level, people in zip(nodes["label"], nodes["level"], nodes["people"], strict=True)
            if level == 0
        }
        self.count(facts)

    def count(self, facts: Mapping[str, Any]) -> None:
        """Take note of counted people; they hold for every node of the same values, wherever it stands."""
        if not facts["adds_up"]:
            tree = _tree(facts)
            self._known |= dict(zip(_marks(tree).tolist(), facts["nodes"]["people"], strict=True))
        self.changes += 1

    def is_proposed(self, facts: Mapping[str, Any]) -> bool:
        """Whether counted facts are of the tree that was proposed."""
        return all(facts["nodes"][key] == self.facts["nodes"][key] for key in ("label", "level", "depth"))

    @property
    def is_edited(self) -> bool:
        """Whether it differs from what was proposed."""
        return self.tree is not self.proposed

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to undo."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether an edit was undone."""
        return bool(self._after)

    def do(self, edit: Callable[[Editable], Editable]) -> bool:
        """Edit the tree; tell whether that changed something."""
        tree = edit(self.tree)
        if tree is self.tree:
            return False
        self._before = [*self._before[1 - _MOST :], self.tree]
        self._after = []
        self._take(tree)
        return True

    def undo(self) -> None:
        """Go back by one edit."""
        if self._before:
            self._after.append(self.tree)
            self._take(self._before.pop())

    def redo(self) -> None:
        """Do again what was undone."""
        if self._after:
            self._before.append(self.tree)
            self._take(self._after.pop())

    def replace(self, tree: Editable, name: str) -> None:
        """Take another tree, which somebody sent as a file of that name.

        Raises
        ------
        HierarchyError
            It does not cover the values that people have.
        """
        there = {tree.labels[node] for node in tree.up[:, 0].tolist()}
        lacking = sum(1 for label, people in self._held.items() if people and label and label not in there)
        if lacking:
            raise HierarchyError(
                f"hierarchy '{name}': {lacking:,} value(s) of '{self.column}' are not in it; add a row for each"
            )
        self.do(lambda before: _numbered_as(before, tree))

    @property
    def is_rough(self) -> bool:
        """Whether of some nodes it is only known that they have at most so many people."""
        return not self.facts["adds_up"] and bool((self.people() < 0).any())

    def people(self) -> I8:
        """The people of each node, in the order of `tree.nodes`; negative where they are at most so many."""
        nodes = self.tree.nodes
        labels = self.tree.labels
        values = np.array([self._held.get(labels[node], 0) for node in self.tree.up[:, 0].tolist()])
        before = np.r_[0, np.cumsum(values)]
        sums: I8 = np.minimum(before[nodes.high] - before[nodes.low], self.facts["people"])
        sums[0] = self.facts["nodes"]["people"][0]
        if self.facts["adds_up"]:
            return sums
        known = [self._known.get(mark, -1) for mark in _marks(self.tree).tolist()]
        found = np.array(known, dtype=np.int64)
        found[0] = sums[0]
        return np.asarray(np.where(found < 0, -sums, found))

    def listed(self) -> dict[str, Any]:
        """All nodes for the list on the page."""
        nodes = self.tree.nodes
        return {
            "id": nodes.ids.tolist(),
            "label": [self.tree.labels[node] for node in nodes.ids.tolist()],
            "depth": nodes.depths.tolist(),
            "level": nodes.levels.tolist(),
            "leaves": (nodes.high - nodes.low).tolist(),
            "people": self.people().tolist(),
        }

    def levels(self) -> Any:
        """How many nodes stand on each level, values first."""
        up = self.tree.up  # the values of a node stand together
        return (np.count_nonzero(up[1:] != up[:-1], axis=0) + 1).tolist()

    def _take(self, tree: Editable) -> None:
        self.tree = tree
        self.changes += 1


def _tree(facts: Mapping[str, Any]) -> Editable:
    nodes = facts["nodes"]
    return Editable.from_nodes(
        facts["column"], nodes["label"], nodes["level"], nodes["depth"], facts["height"]
    )


def _numbered_as(before: Editable, tree: Editable) -> Editable:
    """A tree in which nodes have the numbers that nodes of their labels had before: what was open stays open."""
    nodes = before.nodes.ids.tolist()
    place = {before.labels[node]: node for node in nodes}
    labels = list(before.labels)
    numbers = []
    for label in tree.labels:
        if label not in place:
            place[label] = len(labels)
            labels.append(label)
        numbers.append(place[label])
    return Editable(before.name, tuple(labels), np.array(numbers, dtype=np.int32)[tree.up])


def _marks(tree: Editable) -> U8:
    """A number for each node's set of values, the same in every tree of this process."""
    marks = np.array([hash(tree.labels[node]) for node in tree.up[:, 0].tolist()], dtype=np.int64)
    before = np.r_[np.zeros(1, dtype=np.uint64), np.cumsum(marks.view(np.uint64), dtype=np.uint64)]
    return np.asarray(before[tree.nodes.high] - before[tree.nodes.low], dtype=np.uint64)
