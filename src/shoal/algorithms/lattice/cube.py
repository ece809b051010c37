"""A table ready for lattice search: its distinct quasi-identifier tuples, packed and counted once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._kernels.tables import TupleLayout, fold, label, lift, masked
from shoal.algorithms.lattice._kernels import Extras
from shoal.data import Table
from shoal.data.arrays import B1, I4, I8, times
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.lattice import Lattice, Levels
from shoal.release import Claim, Recoded, Result

__all__ = ["Cube"]

FIRST, FURTHER = 63, 32  # bits that the first word of a packed tuple and each further one may hold


@dataclass(frozen=True)
class Cube:
    """The frequency table of the lattice's bottom node, with what a search needs to go up from there.

    names        : the quasi-identifiers, in table order
    hierarchies  : theirs, in the same order
    leaves       : int32[n, d]   leaf codes of all rows of the table
    times        : int64[n]      how many records each row stands for; None when each is one
    packed       : int64[W, n]   all rows as packed tuples (see `shoal.algorithms._kernels`): the
                                 quasi-identifiers, then the person, then further labels
    words        : int64[W, m]   the distinct ones
    counts       : int64[m]      how many records each stands for
    persons      : int64[n]      whom each record belongs to, numbered from 0; None when every record is a person
    bits         : int64[fields, W]   where each field lies in a packed tuple
    """

    names: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    leaves: I4
    times: I8 | None
    packed: I8
    words: I8
    counts: I8
    persons: I8 | None
    bits: I8
    layout: TupleLayout

    @classmethod
    def of(
        cls, method: str, table: Table, hierarchies: Hierarchies, labels: Sequence[NDArray[np.integer]] = ()
    ) -> "Cube":
        """Pack the quasi-identifiers of `table`, and beside them its persons and further `labels`."""
        ordered = tuple(_tree(method, hierarchies, column.name) for column in table.quasi)
        if not ordered:
            raise InputError(
                f"{method}: the table has no quasi-identifiers; give at least one column the role quasi"
            )
        if table.n == 0:
            raise InputError(f"{method}: the table has no records; give at least one")
        leaves = np.stack([t.encode(c) for t, c in zip(ordered, table.quasi, strict=True)], axis=1)
        seen = [np.unique(leaves[:, j], return_inverse=True) for j in range(len(ordered))]
        at, places = _places(ordered, [codes for codes, _ in seen])
        quasi = [places[at[j, 0] + place] for j, (_, place) in enumerate(seen)]
        persons = _numbered(table.persons)
        packed, word, shift, mask = _pack([*quasi, *([] if persons is None else [persons]), *labels])
        d = len(ordered)
        words = packed.copy()
        counts = np.ones(table.n, dtype=np.int64) if table.counts is None else table.counts.astype(np.int64)
        found = fold(words, counts)
        bits = np.zeros((len(word), len(packed)), dtype=np.int64)
        bits[np.arange(len(word)), word] = mask << shift
        return cls(
            names=tuple(column.name for column in table.quasi),
            hierarchies=ordered,
            leaves=leaves,
            times=table.counts,
            packed=packed,
            words=words[:, :found].copy(),
            counts=counts[:found].copy(),
            persons=persons,
            bits=bits,
            layout=TupleLayout(word[:d], shift[:d], mask[:d], at, places),
        )

    @property
    def quasi(self) -> I8:
        """The bits of the quasi-identifiers, int64[W]."""
        return np.asarray(np.bitwise_or.reduce(self.bits[: len(self.hierarchies)]))

    @property
    def person(self) -> I8:
        """The bits of the person; no bits where every record is a person."""
        return np.asarray(self.bits[len(self.hierarchies)] if self.persons is not None else 0 * self.bits[0])

    def label(self, i: int) -> I8:
        """The bits of the i-th further label."""
        return np.asarray(self.bits[len(self.hierarchies) + (self.persons is not None) + i])

    def extras(self, *, target: bool = False) -> Extras:
        """What the kernels must tell apart; with `target` the first label is the one to predict."""
        none = np.empty(0, dtype=np.int64)
        return Extras(
            self.quasi if len(self.bits) > len(self.hierarchies) else none,
            self.quasi | self.person if self.persons is not None else none,
            self.quasi | self.label(0) if target else none,
        )

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.leaves) if self.times is None else int(self.times.sum())

    @cached_property
    def heads(self) -> int:
        """How many people there are: the largest k any release can reach."""
        return self.n if self.persons is None else int(self.persons.max()) + 1

    @cached_property
    def lattice(self) -> Lattice:
        """The lattice of level vectors."""
        return Lattice.of(self.hierarchies)

    def costs(self, of_nodes: Callable[[int, int], I8]) -> I8:
        """Lay out what the nodes of a column and level cost as `layout.places`: one number per leaf that occurs."""
        return np.concatenate(
            [
                of_nodes(j, level)[hierarchy.up[np.unique(self.leaves[:, j]), level]]
                for j, hierarchy in enumerate(self.hierarchies)
                for level in range(hierarchy.height + 1)
            ]
        )

    def totals(self, cost: I8) -> I8:
        """`cost` summed over all records: int64[d, levels]."""
        layout = self.layout
        total = np.zeros(layout.at.shape, dtype=np.int64)
        for j, hierarchy in enumerate(self.hierarchies):
            places = (self.words[layout.word[j]] >> layout.shift[j]) & layout.mask[j]
            records = np.zeros(int(layout.mask[j]) + 1, dtype=np.int64)
            np.add.at(records, places, self.counts)
            used = int(places.max()) + 1
            for level in range(layout.at.shape[1]):
                start = layout.at[j, min(level, hierarchy.height)]
                total[j, level] = records[:used] @ cost[start : start + used]
        return total

    def classes(self, levels: Levels) -> tuple[I8, I8]:
        """The class of each row at a node, int64[n], and the people in each class."""
        words = masked(self.packed, self.quasi)
        for j, level in enumerate(levels):
            lift(words, j, level, self.layout)
        of, found = label(words)
        if self.persons is None:
            return of, times(of, self.times, found)
        pairs = np.unique(of * self.heads + self.persons)
        return of, np.bincount(pairs // self.heads, minlength=found)

    def release(self, levels: Levels, k: int, claim: Claim, **trace: object) -> Result[Recoded]:
        """Publish a node, its classes below k suppressed."""
        of, heads = self.classes(levels)
        return self.publish(levels, heads[of] >= k, claim, **trace)

    def publish(self, levels: Levels, kept: B1, claim: Claim, **trace: object) -> Result[Recoded]:
        """Publish the rows `kept` of a node."""
        hierarchies = dict(zip(self.names, self.hierarchies, strict=True))
        recoded = Recoded.of_levels(
            self.names, hierarchies, self.leaves, levels, np.flatnonzero(kept), self.times
        )
        return Result(recoded, claim, trace=trace)


def _tree(method: str, hierarchies: Hierarchies, name: str) -> Hierarchy:
    if name not in hierarchies:
        raise InputError(f"{method}: quasi-identifier '{name}' has no hierarchy; give it one")
    return hierarchies[name]


def _pack(fields: Sequence[NDArray[np.integer]]) -> tuple[I8, I8, I8, I8]:
    """Put columns of small numbers into words: packed int64[W, n], and each column's word, shift and mask."""
    width = [max(1, int(field.max()).bit_length()) for field in fields]
    word, shift = np.zeros((2, len(fields)), dtype=np.int64)
    filled = [0]
    for j, bits in enumerate(width):
        if filled[-1] + bits > (FIRST if len(filled) == 1 else FURTHER):
            filled.append(0)
        word[j], shift[j] = len(filled) - 1, filled[-1]
        filled[-1] += bits
    packed = np.zeros((len(filled), len(fields[0])), dtype=np.int64)
    for j, field in enumerate(fields):
        packed[word[j]] |= field.astype(np.int64) << shift[j]
    return packed, word, shift, np.array([(1 << bits) - 1 for bits in width], dtype=np.int64)


def _numbered(persons: I8 | None) -> I8 | None:
    """Persons numbered from 0; None when nobody has a second record."""
    if persons is None:
        return None
    names, numbers = np.unique(persons, return_inverse=True)
    return None if len(names) == len(persons) else numbers.astype(np.int64)


def _places(hierarchies: Sequence[Hierarchy], seen: Sequence[I4]) -> tuple[I8, I8]:
    """The tables `at` and `places` of a `Layout`, over the leaves that occur."""
    tallest = max(hierarchy.height for hierarchy in hierarchies)
    at = np.zeros((len(hierarchies), tallest + 1), dtype=np.int64)
    parts: list[I8] = []
    used = 0
    for j, (hierarchy, codes) in enumerate(zip(hierarchies, seen, strict=True)):
        for level in range(hierarchy.height + 1):
            nodes = hierarchy.up[codes, level]
            if (
                hierarchy.labels[level][0] == hierarchy.root
            ):  # the root a level early stands for missing cells too
                nodes = np.zeros_like(nodes)
            _, first, group = np.unique(nodes, return_index=True, return_inverse=True)
            parts.append(first[group])
            at[j, level:] = used
            used += len(codes)
    return at, np.concatenate(parts).astype(np.int64)
