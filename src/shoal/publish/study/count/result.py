"""What was counted: for each column its tree, node by node, with the people that each node covers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.data.types import I8
from shoal.discreet import Discreet
from shoal.hierarchy.editing import Editable

__all__ = ["Counted", "Counts"]


@dataclass(frozen=True, repr=False)
class Counted(Discreet):
    """One column's tree and its people.

    role      : the column's role, `field` for one of record trees
    file      : the hierarchy's file as the configuration names it, None where a rule builds it
    people    : how many people there are
    tree      : None where the hierarchy is wrong; then `error` says how
    counts    : the people of each node, in the order of `tree.nodes`
    public    : whether its labels were declared, not made from the data
    adds_up   : nobody holds two values, so that a group's people are the sum of its values' people
    missing   : how many people have a missing value that no leaf covers; the root counts them
    uncovered : values that occur and are no leaves; `uncovered_people` hold one
    """

    name: str
    role: str
    file: str | None
    people: int
    error: str | None = None
    tree: Editable | None = None
    counts: I8 | None = None
    public: bool = False
    adds_up: bool = True
    missing: int = 0
    uncovered: tuple[str, ...] = ()
    uncovered_people: int = 0

    def with_error(self, sentence: str) -> "Counted":
        """The same column, whose hierarchy is wrong."""
        return replace(self, error=sentence)

    def with_tree(self, tree: Editable, counts: I8, **more: Any) -> "Counted":
        """The same column with its tree and counts."""
        return replace(self, tree=tree, counts=counts, **more)

    def as_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Return plain JSON data; labels that come from cells only where asked for.

        `nodes` has a list for each fact, root first and each group before what is in it.
        """
        facts: dict[str, Any] = {
            "column": self.name,
            "role": self.role,
            "file": self.file,
            "public": self.public,
            "people": self.people,
            "adds_up": self.adds_up,
            "missing": self.missing,
            "uncovered": len(self.uncovered),
            "uncovered_people": self.uncovered_people,
            "error": self.error,
            "height": None,
            "nodes": None,
        }
        if self.tree is None or self.counts is None:
            return facts
        nodes = self.tree.nodes
        named = values or self.public
        labels = [self.tree.labels[node] for node in nodes.ids.tolist()] if named else [None] * len(nodes.ids)
        return facts | {
            "height": self.tree.height,
            "nodes": {
                "label": labels,
                "level": nodes.levels.tolist(),
                "depth": nodes.depths.tolist(),
                "leaves": (nodes.high - nodes.low).tolist(),
                "people": self.counts.tolist(),
            },
        }

    def sentence(self) -> str:
        """The column in one line, without a value."""
        if self.tree is None:
            return f"{self.name}: {self.error}"
        lacking = (
            f"; {len(self.uncovered):,} value(s) of {self.uncovered_people:,} people are not in it"
            if self.uncovered
            else ""
        )
        return f"{self.name}: {self.people:,} people, {self.tree.size:,} leaves, height {self.tree.height}{lacking}"

    def drawn(self, *, limit: int = 40, values: bool = False) -> Iterator[str]:
        """The tree, indented, as deep as fits in about `limit` lines; labels from cells only where asked for."""
        if self.tree is None or self.counts is None:
            return
        nodes = self.tree.nodes
        whole = np.cumsum(np.bincount(nodes.depths)) <= limit
        rows = np.flatnonzero(nodes.depths <= max(int(whole.sum()) - 1, 1))
        for row in rows[:limit].tolist():
            level, many = nodes.levels[row], int(self.counts[row])
            label = self.tree.labels[nodes.ids[row]] or "(empty)"
            shown = label if values or self.public else "group" if level else "value"
            yield f"{'  ' * int(nodes.depths[row])}{shown} ({many:,} {'person' if many == 1 else 'people'})"
        if len(rows) > limit:
            yield f"... {len(rows) - limit:,} more"


@dataclass(frozen=True, repr=False)
class Counts(Discreet):
    """The trees of all columns that have one."""

    columns: tuple[Counted, ...]

    def as_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Return plain JSON data; labels that come from cells only where asked for."""
        return {"columns": [counted.as_dict(values=values) for counted in self.columns]}
