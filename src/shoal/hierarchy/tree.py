"""A hierarchy as a level matrix whose leaves stand in an order that makes every node an interval.

leaves : D leaf labels; the place of a leaf is its code, and every node covers codes lo .. hi-1
labels : labels[level][node]; labels[0] are the leaves, labels[height] is the root alone
up     : int32[D + 1, height + 1]   leaf code, level -> node of that level

Row D of `up` is the missing value of a column whose hierarchy does not cover it. It may be published at
the root only, so on every level whose nodes are not the root already one more node stands behind the
others: the root itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.base.errors import HierarchyError
from shoal.data import Column
from shoal.data.arrays import B1, I4, I8

__all__ = ["Hierarchy", "Labels", "Naming", "fixed_column"]

Labels = tuple[tuple[str, ...], ...]
"""For each level, the labels of its nodes."""


class Naming(Protocol):
    """How the nodes of a hierarchy that was built are named by its leaves."""

    def labels(self, hierarchy: "Hierarchy", held: B1) -> Labels:
        """The labels by level where only the leaves `held` may be seen; what the others are called does not matter."""


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy(SafeRepr):
    """The values of one column, and how each can be made coarser, level by level, up to one root.

    `public` says whether the user declared it (a file): only then may its leaves be named in a release.
    `ordered` says that the leaves stand in a meaningful order (numbers, dates). `missing` is the code of
    the leaf that covers missing cells, None where no leaf does. `naming` says how nodes that were built
    got their labels, where these depend on other leaves than their own. `strangers` is how many of the last leaves
    are beside the hierarchy: it was not made of them, and they are never published.
    """

    name: str
    labels: Labels
    up: I4
    public: bool = True
    ordered: bool = False
    missing: int | None = None
    naming: Naming | None = None
    strangers: int = 0

    @classmethod
    def from_paths(
        cls,
        name: str,
        paths: Sequence[Sequence[str]],
        *,
        lines: Sequence[int] | None = None,
        public: bool = True,
        ordered: bool = False,
        naming: Naming | None = None,
    ) -> Self:
        """Build from one path per leaf, leaf first and root last, all of one length.

        Leaves stand in order of first appearance, as far as keeping every node together allows. A label
        repeated straight up a path is one node; an identical path may stand twice. `lines` says where each
        path was read; an error names the first line at which the paths so far contradict each other.

        Raises
        ------
        HierarchyError
            The roots differ, a label has two parents or stands for two different sets of leaves, or an
            empty label stands for more than an empty cell.

        Examples
        --------
        >>> paths = [["1230", "123*", "*"], ["1240", "124*", "*"], ["1231", "123*", "*"]]
        >>> h = Hierarchy.from_paths("zip", paths)
        >>> h.leaves, h.height
        (('1230', '1231', '1240'), 2)
        >>> h.up.tolist()
        [[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 2, 0]]
        """
        if not paths:
            raise HierarchyError(
                f"hierarchy '{name}': no rows; give one row per value, leaf first, root last"
            )
        location = _PathLocation(name, lines)
        names, codes = _code_paths(location, paths)
        _refuse_other_roots(location, codes)
        _refuse_empty_groups(location, names, codes)
        _refuse_two_parents(location, names, codes)
        _refuse_two_meanings(location, names, codes)
        order = np.lexsort(codes.T)  # lexsort's last key, the root's, is its first
        leaves = codes[order, 0]
        keep = order[np.r_[True, leaves[1:] != leaves[:-1]]]
        node_of_leaf, nodes = _build_levels(codes[keep])
        labels = tuple(tuple(names[code] for code in level.tolist()) for level in nodes)
        return cls(name, labels, node_of_leaf, public, ordered, naming=naming)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many leaves and levels there are, no label."""
        return {"name": self.name, "leaves": self.size, "height": self.height, "declared public": self.public}

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The leaf labels in leaf order."""
        return self.labels[0][: self.size]

    @property
    def size(self) -> int:
        """The number of all leaves."""
        return len(self.up) - 1

    @property
    def domain(self) -> int:
        """The number of leaves that the hierarchy was made of: what losses call D."""
        return self.size - self.strangers

    @property
    def height(self) -> int:
        """The level of the root; leaves are level 0."""
        return int(self.up.shape[1]) - 1

    @property
    def root(self) -> str:
        """The root's label."""
        return self.labels[-1][0]

    @cached_property
    def spans(self) -> tuple[I4, ...]:
        """For each level, int32[nodes, 2]: the codes lo .. hi-1 that each node covers."""
        return tuple(self._level_spans(level) for level in range(self.height + 1))

    def _level_spans(self, level: int) -> I4:
        nodes = self.up[: self.size, level]
        lo = np.flatnonzero(np.r_[True, nodes[1:] != nodes[:-1]])
        spans = np.stack([lo, np.r_[lo[1:], self.size]], axis=1)
        if len(spans) < len(self.labels[level]):  # the root, waiting for missing cells
            spans = np.r_[spans, [[0, self.size]]]
        return spans.astype(np.int32)

    @cached_property
    def places(self) -> dict[str, tuple[int, int]]:
        """Each label's interval of leaf codes."""
        return {
            label: (lo, hi)
            for labels, spans in zip(self.labels, self.spans, strict=True)
            for label, (lo, hi) in zip(labels, spans.tolist(), strict=True)
        }

    def relabel(self, held: B1) -> "Hierarchy":
        """Return the same hierarchy, with labels that tell of the leaves `held` alone.

        >>> from shoal.hierarchy.rules import mask
        >>> import numpy as np
        >>> mask("zip", "right", ["12", "1345"]).relabel(np.array([True, False])).labels[3]
        ('1*', '*')
        """
        if self.naming is None or held.all() or not held.any():
            return self
        visible_labels = [list(labels) for labels in self.naming.labels(self, held)]
        for level in range(1, self.height):
            empty = np.setdiff1d(self.up[: self.size, level], self.up[: self.size, level][held])
            # Never published; a name of its own, so that no other is mistaken for it.
            for node in empty.tolist():
                visible_labels[level][node] = f"\0{level}.{node}"
        return replace(self, labels=tuple(map(tuple, visible_labels)))

    def beside(self, values: Sequence[str]) -> "Hierarchy":
        r"""Return the same hierarchy with more leaves, which nothing but the root covers.

        >>> from shoal.hierarchy.rules import mask
        >>> mask("zip", "right", ["12", "13"]).beside(["4567"]).labels
        (('12', '13', '4567', '*'), ('1*', '\x00', '*'), ('*',))
        """
        if not values:
            return self
        own_paths = [
            [labels[node] for labels, node in zip(self.labels, nodes, strict=True)]
            for nodes in self.up[: self.size].tolist()
        ]
        stranger_paths = [[value, *["\0"] * (self.height - 1), self.root] for value in values]
        wider = Hierarchy.from_paths(
            self.name,
            own_paths + stranger_paths,
            public=self.public,
            ordered=self.ordered,
            naming=self.naming,
        )
        return replace(wider, missing=self.missing, strangers=len(values))

    def covering(self, markers: Sequence[str]) -> "Hierarchy":
        """Return the same hierarchy, its leaf named as one of `markers` (or empty) covering missing cells."""
        for code, leaf in enumerate(self.leaves):
            if leaf == "" or leaf in markers:
                return replace(self, missing=code)
        return self

    def look_up(self, values: Sequence[str | None]) -> I4:
        """Give every value its leaf code: a missing value that no leaf covers D, a stranger -1."""
        missing_code = self.size if self.missing is None else self.missing
        code_of_leaf = self._codes
        codes = [missing_code if value is None else code_of_leaf.get(value, -1) for value in values]
        return np.array(codes, dtype=np.int32)

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {leaf: code for code, leaf in enumerate(self.leaves)}

    def encode(self, column: Column) -> I4:
        """Give every record of `column` its leaf code; a missing cell that no leaf covers is D.

        Raises
        ------
        HierarchyError
            Values of the column are not leaves; they travel in the error's `value`.
        """
        codes = self.look_up(column.values)[column.codes]
        strange = np.flatnonzero(codes < 0)
        if len(strange):
            values = tuple(column.values[code] for code in np.unique(column.codes[strange]))
            raise HierarchyError(
                f"column '{column.name}': {len(values)} distinct value(s) in {len(strange)} record(s), first "
                f"in record {strange[0] + 1}, are not in hierarchy '{self.name}'; add them to the hierarchy "
                "or correct the data",
                value=values,
            )
        return codes


@dataclass(frozen=True, slots=True)
class _PathLocation:
    """Says in an error where the rows of one hierarchy were read."""

    name: str
    lines: Sequence[int] | None

    def line(self, row: int) -> str:
        """Name one row."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def fault(self, row: int, what: str, value: str | None = None) -> HierarchyError:
        """Return the error for one row."""
        return HierarchyError(f"hierarchy '{self.name}', {self.line(row)}: {what}", value=value)


def _code_paths(where: _PathLocation, paths: Sequence[Sequence[str]]) -> tuple[list[str], I4]:
    """Distinct labels in order of first appearance, and the paths as codes: int32[rows, levels]."""
    width = len(paths[0])
    for row, path in enumerate(paths):
        if len(path) != width:
            raise where.fault(row, f"{len(path)} labels, but the first row has {width}; pad the short rows")
    code_of_label: dict[str, int] = {}
    flat = [code_of_label.setdefault(label, len(code_of_label)) for path in paths for label in path]
    return list(code_of_label), np.array(flat, dtype=np.int32).reshape(len(paths), width)


def _refuse_other_roots(where: _PathLocation, codes: I4) -> None:
    """Every path ends in the same label."""
    has_other_root = codes[:, -1] != codes[0, -1]
    if has_other_root.any():
        fault = f"the row does not end in the root of {where.line(0)}; every row must end in the same label"
        raise where.fault(int(np.argmax(has_other_root)), fault)


def _refuse_empty_groups(where: _PathLocation, names: list[str], codes: I4) -> None:
    """An empty label would be read as a missing cell, so it may stand for nothing else."""
    if "" not in names:
        return
    empty = codes == names.index("")
    is_wrong = (empty[:, 1:] & ~empty[:, :-1]).any(axis=1) | empty[:, -1]
    if is_wrong.any():
        fault = "an empty label stands above a value; name the group, only a leaf may be empty"
        raise where.fault(int(np.argmax(is_wrong)), fault)


def _refuse_two_parents(where: _PathLocation, names: list[str], codes: I4) -> None:
    """A label's parent, the next other label up its path, is the same on every row and level."""
    parent = np.full_like(codes, -1)
    for level in range(codes.shape[1] - 2, -1, -1):
        upper_codes = codes[:, level + 1]
        parent[:, level] = np.where(codes[:, level] == upper_codes, parent[:, level + 1], upper_codes)
    _refuse_change(
        where, names, codes, parent, "has two parents, here and on {line}; each label must have one"
    )


def _refuse_two_meanings(where: _PathLocation, names: list[str], codes: I4) -> None:
    """A label stands for one set of leaves: it begins on the same level wherever it stands.

    With one parent a label, its levels on a row are a run that ends where its parent's begins. Did two rows
    differ in it, some level would have the label over the leaf of one row and not over the other's.
    """
    begins = np.zeros_like(codes)
    for level in range(1, codes.shape[1]):
        is_same = codes[:, level] == codes[:, level - 1]
        begins[:, level] = np.where(is_same, begins[:, level - 1], level)
    _refuse_change(
        where,
        names,
        codes,
        begins,
        "stands on other levels on {line}, so for two different sets of leaves; give each set a label of its own",
    )


def _refuse_change(where: _PathLocation, names: list[str], codes: I4, what: I4, fault: str) -> None:
    """Refuse the first cell with another `what` than its label had at first."""
    flat, flat_values = codes.ravel(), what.ravel()
    # Codes are 0, 1, 2, ..., so `first` is indexed by code.
    _, first_index = np.unique(flat, return_index=True)
    has_changed = flat_values != flat_values[first_index[flat]]
    if has_changed.any():
        cell = int(np.argmax(has_changed))
        row, level = divmod(cell, codes.shape[1])
        first_line = where.line(int(first_index[flat[cell]]) // codes.shape[1])
        raise where.fault(
            row, f"the label of level {level} {fault.format(line=first_line)}", names[flat[cell]]
        )


def _build_levels(codes: I4) -> tuple[I4, list[I4]]:
    """The level matrix of sorted distinct paths, and by level the label codes of its nodes."""
    rows, levels = codes.shape
    level_matrix = np.empty((rows + 1, levels), dtype=np.int32)
    nodes = []
    root = codes[0, -1]
    for level in range(levels):
        labels = codes[:, level]
        new = np.r_[True, labels[1:] != labels[:-1]]
        level_matrix[:rows, level] = np.cumsum(new) - 1
        node_labels = labels[new]
        nodes.append(node_labels if node_labels[-1] == root else np.r_[node_labels, root])
        level_matrix[rows, level] = len(nodes[-1]) - 1
    return level_matrix, nodes


@dataclass(frozen=True, eq=False, repr=False)
class FixedHierarchy(Hierarchy):
    """A hierarchy of one level, of a column that is never made coarser: what it tells is known already.

    Every value is published as itself, and there is no root above them.
    """

    @property
    def root(self) -> str:
        """A label that no value has."""
        return ""


def fixed_column(name: str, numbers: I8) -> tuple[Column, FixedHierarchy]:
    """A quasi-identifier of numbers 0, 1, ... that methods must leave as it is.

    >>> column, hierarchy = fixed_column("earlier", np.array([1, 0, 1]))
    >>> hierarchy.height, hierarchy.encode(column).tolist()
    (0, [1, 0, 1])
    """
    values = tuple(str(number) for number in range(int(numbers.max(initial=0)) + 1))
    node_of_leaf = np.arange(len(values) + 1, dtype=np.int32)[:, None]
    column = Column(name, "quasi", values, numbers.astype(np.int32))
    return column, FixedHierarchy(name, ((*values, ""),), node_of_leaf)
