"""A hierarchy as a level matrix whose leaves stand in an order that makes every node an interval.

leaves : D leaf labels; the place of a leaf is its code, and every node covers codes lo .. hi-1
labels : labels[level][node]; labels[0] are the leaves, labels[height] is the root alone
up     : int32[D + 1, height + 1]   leaf code, level -> node of that level

Row D of `up` is the missing value of a column whose hierarchy does not cover it. It may be published at
the root only, so on every level below the top one more node stands behind the others: the root itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from shoal.data import Column
from shoal.errors import HierarchyError

__all__ = ["Hierarchy"]


@dataclass(frozen=True)
class Hierarchy:
    """A tree over the values of one column.

    `public` says whether the user declared it (a file): only then may its leaves be named in a release.
    `ordered` says that the leaves stand in a meaningful order (numbers, dates). `missing` is the code of
    the leaf that covers missing cells, None where no leaf does.
    """

    name: str
    labels: tuple[tuple[str, ...], ...]
    up: NDArray[np.int32]
    public: bool = True
    ordered: bool = False
    missing: int | None = None

    @classmethod
    def from_paths(
        cls,
        name: str,
        paths: Sequence[Sequence[str]],
        *,
        lines: Sequence[int] | None = None,
        public: bool = True,
        ordered: bool = False,
    ) -> Self:
        """Build from one path a leaf, leaf first and root last, all of one length.

        Raises
        ------
        HierarchyError
            A label has two parents, or stands for two different sets of leaves, or the roots differ.

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
            raise HierarchyError(f"hierarchy '{name}': no rows; give one row a value, leaf first, root last")
        where = lines if lines is not None else range(1, len(paths) + 1)
        rank = _ranks(name, paths, where)
        order = np.lexsort(rank.T)  # lexsort's last key, the root's, is its first
        keep = order[np.r_[True, np.any(rank[order][1:] != rank[order][:-1], axis=1)]]
        up, labels = _levels(paths, keep, rank[keep])
        tree = cls(name, labels, up, public, ordered)
        tree._refuse_two_meanings()
        return tree

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The leaf labels in leaf order."""
        return self.labels[0][: self.size]

    @property
    def size(self) -> int:
        """D, the number of leaves of the whole hierarchy."""
        return len(self.up) - 1

    @property
    def height(self) -> int:
        """The level of the root; leaves are level 0."""
        return int(self.up.shape[1]) - 1

    @property
    def root(self) -> str:
        """The root's label."""
        return self.labels[-1][0]

    @cached_property
    def spans(self) -> tuple[NDArray[np.int32], ...]:
        """By level, int32[nodes, 2]: the codes lo .. hi-1 that each node covers."""
        return tuple(self._spans(level) for level in range(self.height + 1))

    def _spans(self, level: int) -> NDArray[np.int32]:
        nodes = self.up[: self.size, level]
        lo = np.flatnonzero(np.r_[True, nodes[1:] != nodes[:-1]])
        hi = np.r_[lo[1:], self.size]
        spans = np.stack([lo, hi], axis=1)
        if level < self.height:
            spans = np.r_[spans, [[0, self.size]]]
        return spans.astype(np.int32)

    @cached_property
    def places(self) -> dict[str, tuple[int, int]]:
        """Each label's interval of leaf codes."""
        return {
            label: (int(lo), int(hi))
            for labels, spans in zip(self.labels, self.spans, strict=True)
            for label, (lo, hi) in zip(labels, spans, strict=True)
        }

    def covering(self, markers: Sequence[str]) -> "Hierarchy":
        """Return the same tree, its leaf named as one of `markers` (or empty) covering missing cells."""
        for code, leaf in enumerate(self.leaves):
            if leaf == "" or leaf in markers:
                return replace(self, missing=code)
        return self

    def encode(self, column: Column) -> NDArray[np.int32]:
        """Give every record of `column` its leaf code; a missing cell that no leaf covers is D.

        Raises
        ------
        HierarchyError
            Values of the column are not leaves; they travel in the error's `value`.
        """
        place = {leaf: code for code, leaf in enumerate(self.leaves)}
        gone = self.size if self.missing is None else self.missing
        codes = np.array([gone if v is None else place.get(v, -1) for v in column.values], dtype=np.int32)
        strange = np.flatnonzero(codes < 0)
        if len(strange):
            hit = np.isin(column.codes, strange)
            if hit.any():
                values = tuple(column.values[code] for code in np.unique(column.codes[hit]))
                raise HierarchyError(
                    f"column '{column.name}': {len(values)} distinct value(s) in {int(hit.sum())} record(s), first in "
                    f"record {int(np.argmax(hit)) + 1}, are not in hierarchy '{self.name}'; add them to the "
                    "hierarchy or correct the data",
                    value=values,
                )
        return codes[column.codes]

    def _refuse_two_meanings(self) -> None:
        """One label may not stand for two different sets of leaves, on whatever levels."""
        seen: dict[str, tuple[int, int]] = {}
        for level, (labels, spans) in enumerate(zip(self.labels, self.spans, strict=True)):
            for label, span in zip(labels, spans.tolist(), strict=True):
                if seen.setdefault(label, tuple(span)) != tuple(span):
                    raise HierarchyError(
                        f"hierarchy '{self.name}': one label of level {level} stands for two different sets "
                        "of leaves; give each set a label of its own",
                        value=label,
                    )


def _ranks(name: str, paths: Sequence[Sequence[str]], lines: Sequence[int]) -> NDArray[np.int64]:
    """Each label's order of first appearance on its level: int64[rows, levels]. Refuses two parents."""
    height = len(paths[0]) - 1
    rank = np.empty((len(paths), height + 1), dtype=np.int64)
    parents: list[dict[str, str]] = [{} for _ in range(height)]
    first: list[dict[str, int]] = [{} for _ in range(height + 1)]
    for row, (path, line) in enumerate(zip(paths, lines, strict=True)):
        if path[-1] != paths[0][-1]:
            raise HierarchyError(
                f"hierarchy '{name}', line {line}: the row does not end in the root of line {lines[0]}; "
                "every row must end in the same label"
            )
        for level, label in enumerate(path):
            rank[row, level] = first[level].setdefault(label, len(first[level]))
            if level < height and parents[level].setdefault(label, path[level + 1]) != path[level + 1]:
                raise HierarchyError(
                    f"hierarchy '{name}', line {line}: the label of level {level} has two parents at level "
                    f"{level + 1}; each value must have one",
                    value=label,
                )
    return rank


def _levels(
    paths: Sequence[Sequence[str]], keep: NDArray[np.int64], rank: NDArray[np.int64]
) -> tuple[NDArray[np.int32], tuple[tuple[str, ...], ...]]:
    """The level matrix and the labels of rows `keep`, already in leaf order."""
    rows, levels = rank.shape
    up = np.zeros((rows + 1, levels), dtype=np.int32)
    labels: list[tuple[str, ...]] = []
    root = paths[0][-1]
    for level in range(levels):
        new = np.r_[True, rank[1:, level] != rank[:-1, level]]
        up[:rows, level] = np.cumsum(new) - 1
        named = tuple(paths[keep[row]][level] for row in np.flatnonzero(new))
        labels.append(named if level == levels - 1 else (*named, root))
        up[rows, level] = len(labels[-1]) - 1
    return up, tuple(labels)
