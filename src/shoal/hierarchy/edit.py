"""A hierarchy that is being edited: every edit gives another tree, so that the earlier one is there to go back to.

labels : the label of each node, by its number; a node keeps its number from edit to edit
up     : int32[D, height + 1]   leaf, level -> number of the node; a node that stands straight up a row is one node

Whatever is done, the values stay, every label stands for one node, and each row ends in the root. A group that has
lost its last value is gone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self
from unicodedata import category

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.base.errors import HierarchyError
from shoal.data import Column
from shoal.data.arrays import B1, I4
from shoal.hierarchy.files import MAX_CELLS, MAX_COLUMNS, MAX_LENGTH, quote_label
from shoal.hierarchy.suggest import BY_FREQUENCY, is_by_frequency
from shoal.hierarchy.tree import Hierarchy

__all__ = ["Editable", "Fit", "problems", "show"]

_UNSEEN = ("Cc", "Cs", "Zl", "Zp")  # control signs, halves of signs, ends of lines and paragraphs


@dataclass(frozen=True, slots=True)
class NodeList:
    """All nodes, the root first and each group before what is in it.

    ids     : the number of each node
    levels  : the lowest level on which it stands; 0 is a value
    depths  : how many nodes stand above it
    parents : the number of the node above it, -1 for the root
    low     : it covers the values low .. high - 1
    high    : see `low`
    """

    ids: I4
    levels: I4
    depths: I4
    parents: I4
    low: I4
    high: I4


@dataclass(frozen=True, eq=False, repr=False)
class Editable(SafeRepr):
    """A tree whose edits are trees.

    >>> sea = Editable.of(Hierarchy.from_paths("sea", [["cod", "*"], ["eel", "*"], ["kelp", "*"]]))
    >>> fish = sea.group([sea.find("cod"), sea.find("eel")], "fish")
    >>> fish.rows()
    [['cod', 'fish', '*'], ['eel', 'fish', '*'], ['kelp', 'kelp', '*']]
    >>> fish.ungroup([fish.find("fish")]).without_level(1).rows() == sea.rows()
    True
    """

    name: str
    labels: tuple[str, ...]
    up: I4

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> Self:
        """The tree of a hierarchy."""
        number_of_label: dict[str, int] = {}
        node_of_row = np.empty((hierarchy.size, hierarchy.height + 1), dtype=np.int32)
        for level, labels in enumerate(hierarchy.labels):
            numbers = [number_of_label.setdefault(label, len(number_of_label)) for label in labels]
            node_of_row[:, level] = np.array(numbers, dtype=np.int32)[hierarchy.up[:-1, level]]
        return cls(hierarchy.name, tuple(number_of_label), node_of_row)

    @classmethod
    def from_nodes(
        cls, name: str, labels: Sequence[str], levels: Sequence[int], depths: Sequence[int], height: int
    ) -> Self:
        """The tree whose nodes are listed as `Nodes` lists them: label, level and depth of each tell all.

        >>> Editable.from_nodes("sea", ["*", "fish", "cod", "kelp"], [2, 1, 0, 0], [0, 1, 2, 1], 2).rows()
        [['cod', 'fish', '*'], ['kelp', 'kelp', '*']]
        """
        rows: list[list[int]] = []
        path = [0] * (height + 1)
        ends = [height + 1] * (max(depths) + 2)
        for number, (level, depth) in enumerate(zip(levels, depths, strict=True)):
            path[level : ends[depth]] = [number] * (ends[depth] - level)
            ends[depth + 1] = level
            if level == 0:
                rows.append(path.copy())
        return cls(name, tuple(labels), np.array(rows, dtype=np.int32))

    def hierarchy(self, *, public: bool = True) -> Hierarchy:
        """The hierarchy that it has become."""
        return Hierarchy.from_paths(self.name, self.rows(), public=public)

    def rows(self) -> list[list[str]]:
        """The rows of its file."""
        labels = np.array(self.labels, dtype=object)
        rows: list[list[str]] = labels[self.up].tolist()
        return rows

    def text(self) -> str:
        """Its file, as `files.write` would write it."""
        cells = np.array([quote_label(label) for label in self.labels], dtype=object)
        return "".join([";".join(row) + "\n" for row in cells[self.up].tolist()])

    @property
    def height(self) -> int:
        """The level of the root."""
        return int(self.up.shape[1]) - 1

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.up)

    @property
    def root(self) -> int:
        """The number of the root."""
        return int(self.up[0, -1])

    @cached_property
    def begins(self) -> I4:
        """The lowest level on which each node stands, by number; -1 where it is gone."""
        begins = np.full(len(self.labels), -1, dtype=np.int32)
        for level in range(self.height, -1, -1):
            begins[self.up[:, level]] = level
        return begins

    @cached_property
    def nodes(self) -> NodeList:
        """All nodes in the order in which people read them."""
        low, high, depths, parents = (np.full(len(self.labels), -1, dtype=np.int32) for _ in range(4))
        rows = np.arange(self.size, dtype=np.int32)
        depth = np.zeros(self.size, dtype=np.int32)
        for level in range(self.height, -1, -1):
            level_nodes = self.up[:, level]
            if level < self.height:
                is_boundary = level_nodes != self.up[:, level + 1]
                depth = depth + is_boundary
                parents[level_nodes[is_boundary]] = self.up[is_boundary, level + 1]
            depths[level_nodes] = depth
            low[level_nodes[::-1]] = rows[::-1]
            high[level_nodes] = rows + 1
        existing_nodes = np.flatnonzero(self.begins >= 0).astype(np.int32)
        ids = existing_nodes[np.lexsort((-self.begins[existing_nodes], low[existing_nodes]))]
        return NodeList(ids, self.begins[ids], depths[ids], parents[ids], low[ids], high[ids])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {self.labels[node]: node for node in np.flatnonzero(self.begins >= 0).tolist()}

    def find(self, label: str) -> int:
        """The number of the node of that label.

        Raises
        ------
        HierarchyError
            There is none.
        """
        node = self._numbers.get(label)
        if node is None:
            raise HierarchyError(
                f"hierarchy '{self.name}': it has no such label; `shoal hierarchy show` prints those that it has",
                value=label,
            )
        return node

    def rename(self, node: int, label: str) -> Self:
        """Give a group, or the root, another label.

        Raises
        ------
        HierarchyError
            The node is a value of the data, or the label cannot be one or is taken.
        """
        self._check_nodes([node])
        if self.begins[node] == 0:
            raise self._edit_error("a value of the data keeps its name; group it under the name you want")
        if label == self.labels[node]:
            return self
        self._check_label(label)
        return replace(self, labels=(*self.labels[:node], label, *self.labels[node + 1 :]))

    def move(self, nodes: Sequence[int], under: int) -> Self:
        """Put nodes, with all that is in them, under another one; they come last there.

        Raises
        ------
        HierarchyError
            One of them does not stand lower than what it is to stand under.
        """
        self._check_nodes(nodes)
        self._check_nodes([under])
        chosen_node, level = self._topmost_nodes(nodes), int(self.begins[under])
        rows = chosen_node >= 0
        if (self.begins[chosen_node[rows]] >= level).any():
            raise self._edit_error(
                "what is moved must stand on a lower level than the group it goes to; choose a higher group, or group "
                "the two under a new name"
            )
        if (self._parents(chosen_node[rows]) == under).all():
            return self
        path = self.up[np.argmax((self.up == under).any(axis=1)), level:]
        new_up = _raise_nodes(self.up, chosen_node, self.begins, level)
        new_up[rows, level:] = path
        return replace(self, up=_sort_together(np.concatenate([new_up[~rows], new_up[rows]])))

    def group(self, nodes: Sequence[int], label: str) -> Self:
        """Put nodes under a new group, which stands as low as can be under what they have in common.

        Where there is no level left for the group, one is added.

        Raises
        ------
        HierarchyError
            The label cannot be one or is taken, the root is among the nodes, or there are too many levels.
        """
        self._check_nodes(nodes)
        self._check_label(label)
        chosen_node = self._topmost_nodes(nodes)
        rows = chosen_node >= 0
        level = int(self.begins[chosen_node[rows]].max()) + 1
        common = (self.up[rows] == self.up[np.argmax(rows)]).all(axis=0)
        common[:level] = False
        top = int(np.argmax(common & ~np.isin(self.up[np.argmax(rows)], chosen_node[rows])))
        top = int(self.begins[self.up[np.argmax(rows), top]])
        tree = self if level < top else self.with_level(top - 1)
        top = max(top, level + 1)
        new_up = _raise_nodes(tree.up, chosen_node, self.begins, level)
        new_up[rows, level:top] = len(self.labels)
        return replace(self, labels=(*self.labels, label), up=_sort_together(new_up))

    def ungroup(self, nodes: Sequence[int]) -> Self:
        """Take groups away; what is in them stands where they stood.

        Raises
        ------
        HierarchyError
            One of them is the root or a value.
        """
        self._check_nodes(nodes)
        if self.root in nodes or (self.begins[list(nodes)] == 0).any():
            raise self._edit_error(
                "only a group can be taken away, neither a value nor the root; choose groups"
            )
        return replace(self, up=_fill_gaps(self.up, np.isin(self.up, list(nodes))))

    def with_level(self, above: int) -> Self:
        """Add a level above one: there each node stands as it is, until nodes are grouped.

        Raises
        ------
        HierarchyError
            There is no such level below the root, or there are as many as a file may have.
        """
        if not 0 <= above < self.height:
            raise self._edit_error(
                f"a level can be added above the levels 0 to {self.height - 1}; 0 are the values"
            )
        if self.up.shape[1] >= MAX_COLUMNS or self.up.size + self.size > MAX_CELLS:
            raise self._edit_error("it has as many levels as a file may have; take one away first")
        return replace(self, up=np.insert(self.up, above + 1, self.up[:, above], axis=1))

    def without_level(self, level: int) -> Self:
        """Take a level away; groups that stand on it alone are gone.

        Raises
        ------
        HierarchyError
            There is no such level between the values and the root.
        """
        if not 0 < level < self.height:
            level_words = f"the levels 1 to {self.height - 1}" if self.height > 1 else "no level between them"
            raise self._edit_error(
                f"values and root stay, and there {'are' if self.height > 1 else 'is'} {level_words}; choose "
                "another level"
            )
        return replace(self, up=np.delete(self.up, level, axis=1))

    def _topmost_nodes(self, nodes: Sequence[int]) -> I4:
        """By row, the highest of some nodes that stands above it, -1 where none does."""
        if self.root in nodes:
            raise self._edit_error("the root stays where it is; choose groups or values below it")
        is_wanted = np.zeros(len(self.labels), dtype=bool)
        is_wanted[list(nodes)] = True
        chosen_node = np.full(self.size, -1, dtype=np.int32)
        for level in range(self.height + 1):
            level_nodes = self.up[:, level]
            chosen_node = np.where(is_wanted[level_nodes], level_nodes, chosen_node)
        return chosen_node

    def _parents(self, ids: I4) -> I4:
        parents = np.full(len(self.labels), -1, dtype=np.int32)
        parents[self.nodes.ids] = self.nodes.parents
        return parents[ids]

    def _check_nodes(self, nodes: Sequence[int]) -> None:
        if (
            not nodes
            or min(nodes) < 0
            or max(nodes) >= len(self.labels)
            or (self.begins[list(nodes)] < 0).any()
        ):
            raise self._edit_error("what was chosen is not there any more; choose again")

    def _check_label(self, label: str) -> None:
        if label in self._numbers:
            raise self._edit_error("another group or value has this label; choose one that is not taken")
        if not label.strip() or len(label) > MAX_LENGTH or any(category(sign) in _UNSEEN for sign in label):
            raise self._edit_error(
                f"a label needs letters or signs that can be seen, at most {MAX_LENGTH:,} of them; choose another one"
            )

    def _edit_error(self, what: str) -> HierarchyError:
        return HierarchyError(f"hierarchy '{self.name}': {what}")


def _raise_nodes(up: I4, chosen: I4, begins: I4, below: int) -> I4:
    """A copy in which the chosen node of each row stands on all levels up to `below`."""
    up = up.copy()
    rows = chosen >= 0
    first_level = begins[chosen]
    for level in range(below):
        is_raised = rows & (first_level < level)
        up[is_raised, level] = chosen[is_raised]
    return up


def _fill_gaps(up: I4, gone: B1) -> I4:
    """A copy in which cells that are gone hold what stands below them."""
    up = up.copy()
    for level in range(1, up.shape[1]):
        up[:, level] = np.where(gone[:, level], up[:, level - 1], up[:, level])
    return up


def _sort_together(up: I4) -> I4:
    """The rows in an order that keeps the values of each node together, else in order of appearance."""
    first_row = np.empty(int(up.max()) + 1, dtype=np.int32)
    keys = []
    for level in range(up.shape[1]):
        level_nodes = up[:, level]
        first_row[level_nodes[::-1]] = np.arange(len(up) - 1, -1, -1, dtype=np.int32)
        keys.append(first_row[level_nodes])
    return np.asarray(up[np.lexsort(keys)])


# --- What there is to say about a hierarchy, alone and beside its column: facts in numbers, and a picture.


@dataclass(frozen=True, slots=True, repr=False)
class Fit(SafeRepr):
    """The shape of a hierarchy, and how a column fits it.

    `nodes` counts the nodes of each level, leaves first. `uncovered` are the values of the column that are
    no leaves, separate from the facts because they are cells; `uncovered_records` is how many records
    hold them and `first` the first of those records, counted from 1. `unused` counts leaves that do not
    occur. `missing` counts records without a value, and `missing_covered` says whether a leaf stands for them.
    """

    name: str
    nodes: tuple[int, ...]
    uncovered: tuple[str, ...] = ()
    uncovered_records: int = 0
    first: int | None = None
    unused: int = 0
    missing: int = 0
    missing_covered: bool = False

    def __bool__(self) -> bool:
        return not self.uncovered

    def as_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Return plain JSON data; the uncovered values themselves only where asked for."""
        facts: dict[str, Any] = {
            "hierarchy": self.name,
            "fits": bool(self),
            "leaves": self.nodes[0],
            "height": len(self.nodes) - 1,
            "nodes": list(self.nodes),
            "uncovered": len(self.uncovered),
            "uncovered_records": self.uncovered_records,
            "first": self.first,
            "unused": self.unused,
            "missing": self.missing,
            "missing_covered": self.missing_covered,
        }
        return facts | {"uncovered_values": list(self.uncovered)} if values else facts


def problems(hierarchy: Hierarchy, column: Column | None = None) -> Fit:
    """Find what would keep `column` from being published through `hierarchy`; truthy when nothing does.

    >>> hierarchy = Hierarchy.from_paths("sex", [["F", "*"], ["M", "*"]])
    >>> fit = problems(hierarchy, Column.of("sex", "quasi", ["F", "x", None, "x"]))
    >>> bool(fit), fit.uncovered_records, fit.first, fit.unused, fit.missing
    (False, 2, 2, 1, 1)
    """
    nodes = tuple(int(count) for count in hierarchy.up[:-1].max(axis=0) + 1)
    if column is None:
        return Fit(hierarchy.name, nodes)
    codes = hierarchy.look_up(column.values)[column.codes]
    strange = np.flatnonzero(codes < 0)
    cells = (column.values[code] for code in np.unique(column.codes[strange]))
    missing_codes = [code for code, value in enumerate(column.values) if value is None]
    return Fit(
        hierarchy.name,
        nodes,
        tuple(cell for cell in cells if cell is not None),
        len(strange),
        int(strange[0]) + 1 if len(strange) else None,
        hierarchy.size - len(np.unique(codes[(codes >= 0) & (codes < hierarchy.size)])),
        int(np.isin(column.codes, missing_codes).sum()),
        hierarchy.missing is not None,
    )


def show(hierarchy: Hierarchy, *, limit: int = 40, values: bool = False) -> str:
    """Draw the hierarchy from the root down, as many whole levels as fit in about `limit` lines.

    The labels of a public hierarchy are its user's own words. Those of a built one come from cells, so
    only their leaf counts are shown unless `values` asks for more.

    >>> paths = [["cod", "fish", "*"], ["eel", "fish", "*"], ["kelp", "kelp", "*"]]
    >>> print(show(Hierarchy.from_paths("sea", paths)))
    * (3 leaves)
      fish (2 leaves)
        cod
        eel
      kelp
    """
    with_names = values or hierarchy.public
    level = hierarchy.height
    while (
        level > 0
        and sum(int(hierarchy.up[:-1, upper].max()) + 1 for upper in range(level - 1, hierarchy.height))
        < limit
    ):
        level -= 1
    level = min(level, hierarchy.height - 1)
    lines = list(_outline_lines(hierarchy, hierarchy.height, 0, 0, level, with_names))
    shown_lines = lines[: max(limit, 1)]
    more_lines = [] if len(shown_lines) == len(lines) else [f"... {len(lines) - len(shown_lines)} more"]
    return "\n".join([*shown_lines, *more_lines, *([BY_FREQUENCY] if is_by_frequency(hierarchy) else [])])


def _outline_lines(
    hierarchy: Hierarchy, level: int, node: int, depth: int, lowest: int, named: bool
) -> Iterator[str]:
    """One node and, down to `lowest`, those below it; a label repeated straight down is one node."""
    low, high = hierarchy.spans[level][node].tolist()
    label = hierarchy.labels[level][node]
    while level > 0 and hierarchy.labels[level - 1][hierarchy.up[low, level - 1]] == label:
        level -= 1
    count = f"({high - low} {'leaf' if high - low == 1 else 'leaves'})"
    shown_label = label if named else ("leaf" if level == 0 else "group")
    yield "  " * depth + (shown_label if level == 0 else f"{shown_label} {count}")
    if level > lowest:
        for child in range(int(hierarchy.up[low, level - 1]), int(hierarchy.up[high - 1, level - 1]) + 1):
            yield from _outline_lines(hierarchy, level - 1, child, depth + 1, lowest, named)
