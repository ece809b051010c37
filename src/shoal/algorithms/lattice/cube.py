"""The lattice of a table, and the frequency table of its bottom node: distinct tuples, packed and counted once.

Losses as lattice search prices them: whole sums per column, class sizes, labels (design section 5).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._kernels import TupleLayout, generalize_column, mask_words, merge_tuples, number_tuples
from shoal.algorithms.knobs import OneOf
from shoal.algorithms.lattice import _kernels as measure
from shoal.algorithms.lattice._kernels import Extras, Prices
from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.data import Table
from shoal.data.arrays import B1, F8, I4, I8, count_codes
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Claim, Recoded, Result

__all__ = [
    "LOSSES",
    "Cube",
    "Lattice",
    "Levels",
    "Loss",
    "LossOfFronts",
    "check_loss",
    "floors_of",
    "labels_of",
    "prices_of",
    "terms_of",
]


# --- The lattice of level vectors: a node publishes every column at one level of its hierarchy.

Levels = tuple[int, ...]


_MOST_NODES = 2**62  # a node's number, and sums of two strides, are 64-bit integers


@dataclass(frozen=True)
class Lattice:
    """All vectors of levels up to `heights`; a node's number orders nodes as their level vectors do.

    >>> lattice = Lattice((2, 1))
    >>> lattice.size, lattice.number((1, 0)), lattice.levels(3)
    (6, 2, (1, 1))
    >>> list(lattice.above((1, 0)))
    [(2, 0), (1, 1)]
    """

    heights: Levels

    @classmethod
    def of(cls, hierarchies: Sequence[Hierarchy]) -> "Lattice":
        """Span the lattice of some columns' hierarchies.

        Raises
        ------
        InputError
            It has so many nodes that their numbers are no 64-bit integers.
        """
        lattice = cls(tuple(hierarchy.height for hierarchy in hierarchies))
        if lattice.size > _MOST_NODES:
            raise InputError(
                f"method: the levels of {len(lattice.heights)} quasi-identifiers combine in more than 2^62 ways, too "
                "many for a search of one level per column; give fewer quasi-identifiers, or take method mondrian"
            )
        return lattice

    @cached_property
    def size(self) -> int:
        """How many nodes there are."""
        return prod(height + 1 for height in self.heights)

    @cached_property
    def ranks(self) -> tuple[float, ...]:
        """How many nodes have each sum of levels, from 0 on; there are as many from the top down.

        >>> Lattice((2, 1)).ranks
        (1.0, 2.0, 2.0, 1.0)
        """
        counts = np.ones(1)
        for height in self.heights:
            counts = np.convolve(counts, np.ones(height + 1))
        return tuple(counts.tolist())

    @cached_property
    def stride(self) -> Levels:
        """What one level of each column adds to a node's number."""
        return tuple(prod(h + 1 for h in self.heights[j + 1 :]) for j in range(len(self.heights)))

    @property
    def bottom(self) -> Levels:
        """The node that generalizes nothing."""
        return (0,) * len(self.heights)

    @property
    def top(self) -> Levels:
        """The node that publishes roots only."""
        return self.heights

    def number(self, levels: Levels) -> int:
        """Return the place of a node among all level vectors in lexicographic order."""
        return sum(level * step for level, step in zip(levels, self.stride, strict=True))

    def levels(self, number: int) -> Levels:
        """Return the level vector of a node's number."""
        return tuple(
            number // step % (height + 1) for step, height in zip(self.stride, self.heights, strict=True)
        )

    def nodes(self) -> Iterator[Levels]:
        """Every node, in the order of their numbers."""
        return product(*(range(height + 1) for height in self.heights))

    def above(self, levels: Levels) -> Iterator[Levels]:
        """Direct generalizations: one column one level up."""
        for j, level in enumerate(levels):
            if level < self.heights[j]:
                yield (*levels[:j], level + 1, *levels[j + 1 :])

    def below(self, levels: Levels) -> Iterator[Levels]:
        """Direct specializations: one column one level down."""
        for j, level in enumerate(levels):
            if level > 0:
                yield (*levels[:j], level - 1, *levels[j + 1 :])

    def column(self, nodes: I8, j: int) -> I8:
        """Each numbered node's level in column j."""
        return nodes // self.stride[j] % (self.heights[j] + 1)

    def next_below(self, nodes: I8, reach: I8) -> tuple[I8, I8]:
        """Go one rank down: every node all of whose direct generalizations are in `nodes`, and their least `reach`.

        `nodes` are rising numbers of one rank. A node below is made once, from the one above it in which the
        last column that is not at its root is raised.
        """
        parts = []
        roots_behind = np.ones(len(nodes), dtype=bool)
        for j in reversed(range(len(self.heights))):
            level = self.column(nodes, j)
            parts.append(nodes[roots_behind & (level > 0)] - self.stride[j])
            roots_behind &= level == self.heights[j]
        candidates = np.sort(np.concatenate(parts))
        least = np.full(len(candidates), np.iinfo(np.int64).max)
        for j, step in enumerate(self.stride):
            raised = np.flatnonzero(self.column(candidates, j) < self.heights[j])
            index = np.minimum(np.searchsorted(nodes, candidates[raised] + step), len(nodes) - 1)
            above = np.where(nodes[index] == candidates[raised] + step, reach[index], -1)
            least[raised] = np.minimum(least[raised], above)
        return candidates[least >= 0], least[least >= 0]


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
        ordered = tuple(_require_hierarchy(method, hierarchies, column.name) for column in table.quasi)
        if not ordered:
            raise InputError(
                f"{method}: the table has no quasi-identifiers; give at least one column the role quasi"
            )
        if table.n == 0:
            raise InputError(f"{method}: the table has no records; give at least one")
        leaves = np.stack([t.encode(c) for t, c in zip(ordered, table.quasi, strict=True)], axis=1)
        occurrence = [np.bincount(codes) > 0 for codes in leaves.T]
        level_start, places = _layout_places(ordered, [np.flatnonzero(occurs) for occurs in occurrence])
        quasi = [
            places[level_start[j, 0] + (np.cumsum(occurs) - 1)[leaves[:, j]]]
            for j, occurs in enumerate(occurrence)
        ]
        persons = _number_persons(table.persons)
        packed, word, shift, mask = _pack_columns([*quasi, *([] if persons is None else [persons]), *labels])
        d = len(ordered)
        words = packed.copy()
        counts = np.ones(table.n, dtype=np.int64) if table.counts is None else table.counts.astype(np.int64)
        distinct_count = merge_tuples(words, counts)
        bits = np.zeros((len(word), len(packed)), dtype=np.int64)
        bits[np.arange(len(word)), word] = mask << shift
        return cls(
            names=tuple(column.name for column in table.quasi),
            hierarchies=ordered,
            leaves=leaves,
            times=table.counts,
            packed=packed,
            words=words[:, :distinct_count].copy(),
            counts=counts[:distinct_count].copy(),
            persons=persons,
            bits=bits,
            layout=TupleLayout(word[:d], shift[:d], mask[:d], level_start, places),
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
                of_nodes(j, level)[hierarchy.up[used_leaves, level]]
                for j, hierarchy in enumerate(self.hierarchies)
                for used_leaves in [np.flatnonzero(np.bincount(self.leaves[:, j]))]
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
        words = mask_words(self.packed, self.quasi)
        for j, level in enumerate(levels):
            generalize_column(words, j, level, self.layout)
        class_of_row, class_count = number_tuples(words)
        if self.persons is None:
            return class_of_row, count_codes(class_of_row, self.times, class_count)
        pairs = np.unique(class_of_row * self.heads + self.persons)
        return class_of_row, np.bincount(pairs // self.heads, minlength=class_count)

    def release(self, levels: Levels, k: int, claim: Claim, **trace: object) -> Result[Recoded]:
        """Publish a node, its classes below k suppressed."""
        class_of_row, heads = self.classes(levels)
        return self.publish(levels, heads[class_of_row] >= k, claim, **trace)

    def publish(self, levels: Levels, kept: B1, claim: Claim, **trace: object) -> Result[Recoded]:
        """Publish the rows `kept` of a node."""
        hierarchies = dict(zip(self.names, self.hierarchies, strict=True))
        recoded = Recoded.of_levels(
            self.names, hierarchies, self.leaves, levels, np.flatnonzero(kept), self.times
        )
        return Result(recoded, claim, trace=trace)


def _require_hierarchy(method: str, hierarchies: Hierarchies, name: str) -> Hierarchy:
    if name not in hierarchies:
        raise InputError(f"{method}: quasi-identifier '{name}' has no hierarchy; give it one")
    return hierarchies[name]


def _pack_columns(fields: Sequence[NDArray[np.integer]]) -> tuple[I8, I8, I8, I8]:
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


def _number_persons(persons: I8 | None) -> I8 | None:
    """Persons numbered from 0; None when nobody has a second record."""
    if persons is None:
        return None
    names, numbers = np.unique(persons, return_inverse=True)
    return None if len(names) == len(persons) else numbers.astype(np.int64)


def _layout_places(hierarchies: Sequence[Hierarchy], seen: Sequence[I8]) -> tuple[I8, I8]:
    """The tables `at` and `places` of a `Layout`, over the leaves that occur."""
    tallest = max(hierarchy.height for hierarchy in hierarchies)
    level_start = np.zeros((len(hierarchies), tallest + 1), dtype=np.int64)
    parts: list[I8] = []
    used = 0
    for j, (hierarchy, codes) in enumerate(zip(hierarchies, seen, strict=True)):
        for level in range(hierarchy.height + 1):
            nodes = hierarchy.up[codes, level]
            # A root that comes a level early stands for missing cells, too.
            if hierarchy.labels[level][0] == hierarchy.root:
                nodes = np.zeros_like(nodes)
            _, first, group = np.unique(nodes, return_index=True, return_inverse=True)
            parts.append(first[group])
            level_start[j, level:] = used
            used += len(codes)
    return level_start, np.concatenate(parts).astype(np.int64)


class NodeCosts(NamedTuple):
    """What records pay by column and node, in whole numbers; see `Prices`, which takes these over."""

    cost: I8
    total: I8
    top: I8
    share: F8


def check_loss(method: str, loss: str, target: str | None, without: tuple[str, ...] = ()) -> None:
    """Refuse a loss that does not exist, one in `without` (it divides by k), and `ce` without a target."""
    names = [name for name in LOSSES if name not in without]
    if loss in without:
        raise InputError(
            f"{method}: {loss} divides by k, so it does not compare different k; there are {', '.join(names)}"
        )
    if loss not in names:
        raise InputError(f"{method}: no loss of that name; {suggest_name(loss, names)}", value=loss)
    if loss == "ce" and target is None:
        raise InputError(f"{method}: loss ce needs target; name the column to predict")


def labels_of(table: Table, loss: str, target: str | None) -> tuple[I4, ...]:
    """Return what must stay in a tuple beside the quasi-identifiers: the codes that `ce` predicts."""
    return (table.column(target).codes,) if loss == "ce" and target is not None else ()


def prices_of(loss: str, cube: Cube, table: Table, k: int = 1) -> Prices:
    """The loss named `loss` as numbers the kernels can price a node with."""
    kind, cost_function = LOSSES[loss]
    return Prices(kind, cube.n, k, *cost_function(cube, table))


def _glm(cube: Cube, table: Table) -> NodeCosts:
    """(leaves-1) of (D-1), the mean over columns; a column of one leaf costs nothing."""
    top = [max(hierarchy.size - 1, 1) for hierarchy in cube.hierarchies]
    return _node_costs(
        cube, lambda j, level: _count_leaves(cube, j, level) - 1, top, np.full(len(top), 1.0 / len(top))
    )


def _ncp(cube: Cube, table: Table) -> NodeCosts:
    """Leaves of D, 0 for a leaf, weighted."""
    weight = np.array([column.weight for column in table.quasi])
    top = [hierarchy.size for hierarchy in cube.hierarchies]

    def cost(j: int, level: int) -> I8:
        return np.where((leaves := _count_leaves(cube, j, level)) > 1, leaves, 0)

    return _node_costs(cube, cost, top, weight / weight.sum())


def _il(cube: Cube, table: Table) -> NodeCosts:
    """(leaves-1) of D, the sum over columns."""
    top = [hierarchy.size for hierarchy in cube.hierarchies]
    return _node_costs(cube, lambda j, level: _count_leaves(cube, j, level) - 1, top, np.ones(len(top)))


def _precision(cube: Cube, table: Table) -> NodeCosts:
    """The level of the height, the mean over columns; a column of one level costs nothing."""
    top = [max(hierarchy.height, 1) for hierarchy in cube.hierarchies]

    def cost(j: int, level: int) -> I8:
        return np.full(len(cube.hierarchies[j].spans[level]), level)

    return _node_costs(cube, cost, top, np.full(len(top), 1.0 / len(top)))


def _entropy(cube: Cube, table: Table) -> NodeCosts:
    """Bits that are missing to tell a value, log2(records under its node / records with it), of all bits there are.

    A suppressed record misses log2(N / records with its value), which depends on its own value. But what
    suppressing it adds, log2(N / records under its node), is the same for all records of a class. The kernels let a
    suppressed record pay `top` instead of `cost`: so `cost` is `top` minus what suppressing adds, and `total` is
    counted by itself.
    """
    n, columns = cube.n, range(len(cube.hierarchies))
    # So that n log2(n) units fit in 62 bits.
    unit = 2.0 ** (61 - n.bit_length() - n.bit_length().bit_length())

    def bits(records: I8) -> I8:
        return np.rint(unit * np.log2(n / np.maximum(records, 1))).astype(np.int64)

    value_counts = [
        count_codes(np.unique(cube.leaves[:, j], return_inverse=True)[1], cube.times) for j in columns
    ]
    total_bits = np.array([count @ bits(count) for count in value_counts])
    top = np.maximum(total_bits // n, 1)
    added = cube.costs(lambda j, level: bits(_count_records(cube, j, level)))
    cost = cube.costs(lambda j, level: top[j] - bits(_count_records(cube, j, level)))
    share = top * (n / max(sum(total_bits.tolist()), 1))
    return NodeCosts(cost, total_bits[:, None] - cube.totals(added), top, share)


def _node_costs(cube: Cube, of_nodes: Callable[[int, int], I8], top: Sequence[int], share: F8) -> NodeCosts:
    cost = cube.costs(of_nodes)
    return NodeCosts(cost, cube.totals(cost), np.array(top, dtype=np.int64), share)


def _count_leaves(cube: Cube, j: int, level: int) -> I8:
    """How many leaves each node of a level covers."""
    spans = cube.hierarchies[j].spans[level].astype(np.int64)
    return np.asarray(spans[:, 1] - spans[:, 0])


def _count_records(cube: Cube, j: int, level: int) -> I8:
    """How many records have a value under each node of a level; the root, where missing cells wait, is over all."""
    hierarchy = cube.hierarchies[j]
    counts = count_codes(hierarchy.up[cube.leaves[:, j], level], cube.times, len(hierarchy.labels[level]))
    return np.where([label == hierarchy.root for label in hierarchy.labels[level]], cube.n, counts)


LOSSES: dict[str, tuple[int, Callable[[Cube, Table], NodeCosts]]] = {
    "glm": (measure.ARITHMETIC, _glm),
    "glm-geometric": (measure.GEOMETRIC, _glm),
    "ncp": (measure.ARITHMETIC, _ncp),
    "il": (measure.ARITHMETIC, _il),
    "entropy": (measure.ARITHMETIC, _entropy),
    "precision": (measure.ARITHMETIC, _precision),
    "height": (measure.HEIGHT, _glm),  # levels and classes are priced by the kernels, whatever cells cost
    "dm": (measure.DM, _glm),
    "dm-star": (measure.DM_STAR, _glm),
    "aecs": (measure.AECS, _glm),
    "c_avg": (measure.C_AVG, _glm),
    "ce": (measure.CE, _glm),
}

Loss = Annotated[str, OneOf(tuple(LOSSES))]
LossOfFronts = Annotated[str, OneOf(tuple(name for name in LOSSES if name != "c_avg"))]
"""A front compares different k, and c_avg divides by k."""


def terms_of(prices: Prices) -> F8 | None:
    """What column j at a level costs with nothing suppressed, float64[d, levels]; None for losses of classes."""
    if prices.kind > measure.HEIGHT:
        return None
    if prices.kind == measure.HEIGHT:
        return np.tile(np.arange(prices.total.shape[1], dtype=np.float64), (len(prices.total), 1))
    means = prices.total / prices.top[:, None] / prices.n
    return means if prices.kind == measure.GEOMETRIC else means * prices.share[:, None]


def floors_of(prices: Prices, lattice: Lattice) -> Callable[[I8], F8]:
    """Return what numbered nodes cost with nothing suppressed, as ticks: no k costs less.

    Losses that depend on the classes are not known before a node is evaluated: their floor is 0.
    """
    terms, geometric = terms_of(prices), prices.kind == measure.GEOMETRIC
    if terms is None:
        return lambda nodes: np.zeros(len(nodes))

    def floors(nodes: I8) -> F8:
        loss = np.full(len(nodes), 1.0 if geometric else 0.0)
        for j, term in enumerate(terms):  # in the order of `price`, so that equal sums are equal bits
            cost = term[lattice.column(nodes, j)]
            loss = loss * (1.0 + cost) if geometric else loss + cost
        return np.floor((loss ** (1.0 / len(terms)) - 1.0 if geometric else loss) * 1e12 + 0.5)

    return floors
