"""What a table publishes: forms by column, and a release as a judge sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from shoal.data.types import I4, I8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies, Hierarchy

__all__ = ["Forms", "Published", "Recoded", "Sensitive"]


@dataclass(frozen=True, slots=True, repr=False)
class Forms(Discreet):
    """The distinct published forms of one column, and the leaves each stands for.

    labels : what is written; None is an empty cell
    start  : int64[forms + 1]; form f stands for leaves[start[f] : start[f + 1]]
    leaves : int32, ascending within a form: leaf codes of the column's hierarchy

    A form with the code D among its leaves also stands for a missing cell that no leaf covers.
    """

    labels: tuple[str | None, ...]
    start: I8
    leaves: I4

    @classmethod
    def of_level(cls, hierarchy: Hierarchy, level: int) -> "Forms":
        """Return every node of one level as a form; the root always stands for missing cells too."""
        return cls.of_spans(hierarchy, hierarchy.labels[level], hierarchy.spans[level])

    @classmethod
    def of_spans(cls, hierarchy: Hierarchy, labels: Sequence[str | None], spans: I4) -> "Forms":
        """Return forms that are intervals lo .. hi-1 of leaf codes."""
        gone = hierarchy.missing
        named = tuple(
            None if gone is not None and (lo, hi) == (gone, gone + 1) else label
            for label, (lo, hi) in zip(labels, spans.tolist(), strict=True)
        )
        root = np.array([label == hierarchy.root for label in labels], dtype=bool)
        ends = spans[:, 1] + (root & (spans[:, 1] - spans[:, 0] == hierarchy.size))
        start = np.r_[0, np.cumsum(ends - spans[:, 0])].astype(np.int64)
        leaves = np.concatenate(
            [np.arange(lo, hi, dtype=np.int32) for lo, hi in zip(spans[:, 0], ends, strict=True)]
        )
        return cls(named, start, leaves)

    @classmethod
    def of_sets(cls, labels: Sequence[str | None], sets: Sequence[I4]) -> "Forms":
        """Return forms that are any sets of leaf codes, each ascending."""
        start = np.cumsum([0, *map(len, sets)]).astype(np.int64)
        return cls(tuple(labels), start, np.concatenate([np.empty(0, dtype=np.int32), *sets]))

    def counts(self, size: int) -> I8:
        """How many of the hierarchy's `size` leaves each form stands for; the missing value is no leaf."""
        inside = np.r_[0, np.cumsum(self.leaves < size)]
        return np.asarray(inside[self.start[1:]] - inside[self.start[:-1]], dtype=np.int64)

    def sets(self) -> I8:
        """Number the forms so that equal leaf sets, whatever their labels, get equal numbers."""
        seen: dict[bytes, int] = {}
        parts = (self.leaves[a:b].tobytes() for a, b in zip(self.start[:-1], self.start[1:], strict=True))
        return np.array([seen.setdefault(part, len(seen)) for part in parts], dtype=np.int64)


@dataclass(frozen=True, slots=True, repr=False)
class Recoded(Discreet):
    """A table's quasi-identifiers as a maker recoded them.

    names   : the quasi-identifiers, in table order
    forms   : what each column publishes
    codes   : int32[kept, d]; row i, column j -> place in forms[j]
    rows    : int64[kept]: the original record of each row, ascending until shuffled; the others are suppressed
    records : how many records came in
    rule    : what turns new records into the same form, as plain JSON data; empty for local recodings
    counts  : int64[kept]: how many records each row stands for; None when each is one
    """

    names: tuple[str, ...]
    forms: tuple[Forms, ...]
    codes: I4
    rows: I8
    records: int
    rule: Mapping[str, Any] = field(default_factory=dict)
    counts: I8 | None = None

    @classmethod
    def of_levels(
        cls,
        names: Sequence[str],
        hierarchies: Hierarchies,
        leaves: I4,
        levels: Sequence[int],
        rows: I8,
        counts: I8 | None = None,
    ) -> "Recoded":
        """Publish every column at one level.

        `leaves` is int32[n, d], the leaf codes of all rows; `counts` says how many records each of them stands for.
        """
        picked = [hierarchies[name] for name in names]
        codes = [
            hierarchy.up[leaves[rows, j], level]
            for j, (hierarchy, level) in enumerate(zip(picked, levels, strict=True))
        ]
        return cls(
            tuple(names),
            tuple(Forms.of_level(hierarchy, level) for hierarchy, level in zip(picked, levels, strict=True)),
            np.stack(codes, axis=1).astype(np.int32),
            rows,
            len(leaves) if counts is None else int(counts.sum()),
            {"levels": {name: int(level) for name, level in zip(names, levels, strict=True)}},
            None if counts is None else counts[rows],
        )

    def taken(self, order: I8) -> "Recoded":
        """The same release, its rows in another order."""
        counts = None if self.counts is None else self.counts[order]
        return replace(self, codes=self.codes[order], rows=self.rows[order], counts=counts)

    @property
    def kept(self) -> int:
        """How many records are released."""
        return len(self.rows) if self.counts is None else int(self.counts.sum())

    @property
    def suppressed(self) -> int:
        """How many records were left out."""
        return self.records - self.kept


@dataclass(frozen=True, slots=True, repr=False)
class Sensitive(Discreet):
    """One sensitive column as released: codes into `values`, -1 for an empty cell."""

    codes: I8
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Published(Discreet):
    """A released table as a judge sees it: nothing but numbers that are equal where readers see equal.

    quasi     : by column int64[n]; equal numbers are equal labels, and empty cells are equal too
    sensitive : by column, values that are compared as text
    persons   : int64[n], whom each row belongs to; None when every row is a person
    counts    : int64[n], how many records each row stands for; None when each is one. Not together with persons
    """

    quasi: Mapping[str, I8]
    sensitive: Mapping[str, Sensitive] = field(default_factory=dict)
    persons: I8 | None = None
    counts: I8 | None = None

    def __post_init__(self) -> None:
        if self.persons is not None and self.counts is not None:
            raise InputError(
                "judge: rows that stand for several records cannot name persons; give one of them"
            )
