"""What single nodes give: their frequency tables, which classes must go, and what is then left to pay."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shoal.algorithms._kernels import Ask, ClassTally, label, lift, masked, roll_up, tally_of
from shoal.algorithms.constraint import (
    SLACK,
    Constraint,
    SensitiveCells,
    Whole,
    counted_columns,
    hides,
    mean_risk,
)
from shoal.algorithms.lattice._kernels import CE, Prices, classes, ladder, meeting, reached
from shoal.algorithms.lattice.cube import Cube, Levels
from shoal.data import Column, Table
from shoal.data.arrays import B1, F8, I4, I8, holders, prefix_sums
from shoal.hierarchy import Hierarchies

__all__ = ["ConstraintEvaluator", "Evaluator", "PopulationTables", "Rungs"]


HELD = 1 << 21  # tuples held at once, two words each: 32 MB; of larger tables eight, at most 256 MB


class Rungs(NamedTuple):
    """What a node gives: the k that no specialization of it exceeds, and by rising k what serving it takes."""

    reach: int
    ks: I8
    gone: I8
    loss: F8


class Tables:
    """Frequency tables of nodes, each rolled up from the longest way to it that is still held.

    The way to a node raises columns to their roots first, in two steps: this makes a table smallest, and many
    nodes have the same columns at their roots. The other columns follow one by one. Columns with the most values
    come first.
    """

    def __init__(self, cube: Cube) -> None:
        self._cube = cube
        self._order: list[int] = np.argsort(-cube.layout.mask, kind="stable").tolist()
        self._held: dict[Levels, tuple[I8, I8]] = {}
        self._most = max(HELD, min(8 * len(cube.counts), 8 * HELD))
        self._tuples = 0

    def get(self, levels: Levels) -> tuple[I8, I8]:
        """The packed tuples of a node and how many records each stands for."""
        table, at = (self._cube.words, self._cube.counts), [0] * len(levels)
        for stride in filter(None, self._strides(levels)):
            for j in stride:
                at[j] = levels[j]
            way = tuple(at)
            held = self._held.pop(way, None)
            if held is None:
                keep = ~np.bitwise_or.reduce(self._cube.bits[stride[1:]], axis=0)
                held = roll_up(*table, keep, stride[0], levels[stride[0]], self._cube.layout)
                self._tuples += len(held[1])
            table = self._held[way] = held  # the last one used stands last
            while self._tuples > self._most:
                self._tuples -= len(self._held.pop(next(iter(self._held)))[1])
        return table

    def _strides(self, levels: Levels) -> Iterator[list[int]]:
        """The columns to raise, by step."""
        roots, middle = self._cube.lattice.heights, (len(levels) + 1) // 2
        for half in (self._order[:middle], self._order[middle:]):
            yield [j for j in half if levels[j] == roots[j] > 0]
        for j in self._order:
            yield [j] if 0 < levels[j] < roots[j] else []


class Evaluator:
    """What nodes give under one loss and allowance; with `per_node` only at the largest k each reaches."""

    def __init__(self, cube: Cube, prices: Prices, allowed: int, *, per_node: bool = False) -> None:
        self._cube, self._prices, self._allowed, self._per_node = cube, prices, allowed, per_node
        self._tables, self._extras = Tables(cube), cube.extras(target=prices.kind == CE)

    def __call__(self, levels: Levels) -> Rungs:
        """Evaluate one node."""
        table = classes(*self._tables.get(levels), self._extras)
        ks, gone, loss = ladder(table, np.array(levels), self._allowed, self._cube.layout, self._prices)
        first = len(ks) - 1 if self._per_node else 0
        return Rungs(int(ks[-1]), ks[first:], gone[first:], loss[first:])


@dataclass(frozen=True)
class _Entries:
    """A node's tuples: class, person (None when every record is one) and number of records of each."""

    of: I8
    person: I8 | None
    counts: I8
    found: int

    @cached_property
    def by_class(self) -> I8:
        """The tuples, class by class."""
        return np.argsort(self.of, kind="stable")

    def heads(self) -> I8:
        """How many records, or distinct persons, each class has."""
        return holders(self.of, self.person, self.counts, self.found)


class PopulationTables:
    """Counts the people of a population, of whom there are `n`, in the classes of nodes.

    Its frequency tables are over the tuples of the data as well, which count for nobody.

    Parameters
    ----------
    table, public
        The data, and the people of the population with the same quasi-identifiers.
    """

    def __init__(self, method: str, table: Table, public: Table, hierarchies: Hierarchies) -> None:
        both = tuple(_joined(column, public.column(column.name)) for column in table.quasi)
        counts = np.repeat([0, 1], [table.n, public.n]).astype(np.int64)
        self._cube = Cube.of(method, Table(both, counts=counts), hierarchies)
        self._tables = Tables(self._cube)
        self._seen = [np.unique(leaves) for leaves in self._cube.leaves.T]
        self.n = public.n

    def __call__(self, levels: Levels, leaves: I4) -> I8:
        """The people in the class of each of some records of the data, given by their leaf codes."""
        words, counts = self._tables.get(levels)
        layout = self._cube.layout
        asked = np.zeros((len(words), len(leaves)), dtype=np.int64)
        for j, level in enumerate(levels):
            place = np.searchsorted(self._seen[j], leaves[:, j])
            asked[layout.word[j]] |= place.astype(np.int64) << layout.shift[j]
            lift(asked, j, level, layout)
        of, found = label(np.concatenate([words, asked], axis=1))
        people = np.zeros(found, dtype=np.int64)
        people[of[: len(counts)]] = counts
        return np.asarray(people[of[len(counts) :]])


def _joined(one: Column, other: Column) -> Column:
    """The cells of two columns, one behind the other."""
    codes = np.concatenate([one.codes, other.codes + len(one.values)]).astype(np.int32)
    return replace(one, values=(*one.values, *other.values), codes=codes)


class ConstraintEvaluator:
    """What nodes give when something is asked of sensitive values; sensitive columns are labels of the cube.

    Parameters
    ----------
    columns
        The sensitive columns; their codes are the cube's last labels.
    constraint
        What every class must meet.
    people
        Counts the people of a population, where the constraint asks for them.
    """

    def __init__(
        self,
        cube: Cube,
        prices: Prices,
        allowed: int,
        columns: Sequence[Column],
        constraint: Constraint,
        people: PopulationTables | None = None,
    ) -> None:
        self._cube, self._prices, self._allowed, self._constraint = cube, prices, allowed, constraint
        self._tables, self._extras = Tables(cube), cube.extras(target=prices.kind == CE)
        self._columns, self._people = columns, people
        self._seen = [np.unique(leaves) for leaves in cube.leaves.T] if people is not None else []
        table, bounds = Table(tuple(columns)), constraint.bounds
        self._alone = replace(constraint, closeness=None, bounds=tuple(filter(hides, bounds)))
        self._beside = replace(constraint, diversity=None, bounds=tuple(b for b in bounds if not hides(b)))
        self._counted = {part: counted_columns(table, part) for part in (self._alone, self._beside)}
        # Merging classes keeps each constraint met when nothing is suppressed, and distinct values, k and people of a
        # population even then: a class that meets these stays. (The share of two classes in the data lies between
        # theirs, and with presence nothing is suppressed.) Persons who stand in several classes break this.
        self._monotone = cube.persons is None and (
            allowed == 0
            or (
                constraint.closeness is None
                and constraint.average is None
                and not constraint.bounds
                and (constraint.diversity is None or constraint.diversity.diversity == "distinct")
            )
        )

    def __call__(self, levels: Levels) -> Rungs:
        """Evaluate one node: its single rung is at k, if what must be suppressed is within the allowance."""
        words, counts = self._tables.get(levels)
        united, sizes, heads, errors = classes(words, counts, self._extras)
        reach = int(self._ladder((united, sizes, heads, errors), levels)[0][-1])
        nothing = np.empty(0, dtype=np.int64)
        none = Rungs(reach, nothing, nothing, np.empty(0))
        if reach < self._constraint.k:
            return none
        kept = self._kept(self._entries(words, counts), heads >= self._constraint.k, words, levels)
        marks, gone, loss = self._ladder((united, sizes, kept.astype(np.int64), errors), levels)
        if marks[-1] == 0:
            return none._replace(reach=0) if self._monotone else none
        return Rungs(reach, np.array([self._constraint.k]), gone[-1:], loss[-1:])

    def kept(self, levels: Levels) -> B1:
        """Which rows of the table a node keeps."""
        words = self._cube.packed
        every = np.ones(words.shape[1], dtype=np.int64) if self._cube.times is None else self._cube.times
        of, heads = self._cube.classes(levels)
        person = self._cube.persons
        entries = _Entries(of, person, every, len(heads))
        return self._kept(entries, heads >= self._constraint.k, words, levels)[of]

    def reached(self) -> str:
        """What all records as one class reach in every sensitive column that is meant, in words."""
        levels = self._cube.lattice.top
        words, counts = self._tables.get(levels)
        entries, constraint, found = self._entries(words, counts), self._constraint, []
        if constraint.diversity is not None:
            found.append(f"l={min(self._reached(entries, words, replace(self._alone, bounds=()))):.4g}")
        for bound in self._alone.bounds:
            top = max(self._reached(entries, words, Constraint(bounds=(bound,))))
            found.append(f"a largest share of {top:.4g}")
        if constraint.average is not None:
            found.append(f"an average risk of {mean_risk(entries.of, entries.person, counts):.4g}")
        if constraint.mapped:
            found.append(f"k_map={self._fitting(entries, words, levels).min()}")
        if constraint.presence is not None:
            shares = entries.heads() / np.maximum(self._fitting(entries, words, levels), 1)
            found.append(f"shares in the data from {shares.min():.4g} to {shares.max():.4g}")
        return " and ".join(found)

    def _ladder(self, table: tuple[I8, I8, I8, I8], levels: Levels) -> tuple[I8, I8, F8]:
        return ladder(table, np.array(levels), self._allowed, self._cube.layout, self._prices)

    def _entries(self, words: I8, counts: I8) -> _Entries:
        of, found = label(masked(words, self._cube.quasi))
        person = None if self._cube.persons is None else _field(words, self._cube.person)
        return _Entries(of, person, counts, found)

    def _ask(
        self, entries: _Entries, words: I8, some: I8, constraint: Constraint
    ) -> tuple[I8, Ask, ClassTally]:
        """What some tuples stand for, what is asked of classes of them beside each other, and an empty tally."""
        bits = self._cube.bits[len(self._cube.bits) - len(self._columns) :]
        codes = [_field(words, own)[some].astype(np.int32) for own in bits]
        person = None if entries.person is None else entries.person[some]
        table = Table(
            tuple(replace(column, codes=own) for column, own in zip(self._columns, codes, strict=True)),
            person,
            entries.counts[some] if person is None else None,
        )
        ordered = constraint.closeness is not None and constraint.closeness.distance == "ordered"
        counted = (
            None if ordered else self._counted.get(constraint)
        )  # places in order are those of what is left
        cells = SensitiveCells.of(table, counted or counted_columns(table, constraint))
        ask = Whole.of(cells).ask(cells, constraint)
        tally = tally_of(ask)
        assert tally is not None  # something is asked of sensitive values
        return np.ones(len(some), dtype=np.int64) if table.counts is None else table.counts, ask, tally

    def _reached(self, entries: _Entries, words: I8, constraint: Constraint) -> list[float]:
        """What all tuples as one class reach in every column that the constraint is about."""
        asked = self._ask(entries, words, np.arange(len(entries.of)), constraint)
        return [reached(s, *asked) for s in range(len(asked[1].what))]

    def _meeting(self, entries: _Entries, kept: B1, words: I8, constraint: Constraint) -> B1:
        """Which of the kept classes have the sensitive values that the constraint asks for beside each other."""
        if not constraint.sensitive:
            return kept
        some = entries.by_class[kept[entries.of[entries.by_class]]]
        starts = prefix_sums(np.bincount(entries.of[some], minlength=entries.found))
        return kept & meeting(starts, *self._ask(entries, words, some, constraint))

    def _fitting(self, entries: _Entries, words: I8, levels: Levels) -> I8:
        """How many people of the population are in each class."""
        assert self._people is not None
        first = np.empty(entries.found, dtype=np.int64)
        first[entries.of] = np.arange(len(entries.of))
        fields = (_field(words, bits)[first] for bits in self._cube.bits)
        return self._people(
            levels, np.stack([s[f] for s, f in zip(self._seen, fields, strict=False)], axis=1)
        )

    def _present(self, entries: _Entries, people: I8, low: float, high: float) -> B1:
        """Of which classes the share in the data is as asked; of none where a class of the population has nobody."""
        assert self._people is not None
        heads = entries.heads()
        fit = (heads <= (high + SLACK) * people) & (heads >= (low - SLACK) * people)
        return fit & (low <= 0 or int(people.sum()) == self._people.n)

    def _kept(self, entries: _Entries, kept: B1, words: I8, levels: Levels) -> B1:
        """Which classes stay: those below l or above alpha go, then, until none is left, those unlike the rest.

        With the first go those that fit too few people of a population; with the latter go the smallest ones, all of
        one size, while the average risk of all is too high.
        """
        constraint = self._constraint
        if constraint.mapped:
            kept = kept & (self._fitting(entries, words, levels) >= constraint.mapped)
        if constraint.presence is not None:
            kept = kept & self._present(entries, self._fitting(entries, words, levels), *constraint.presence)
        kept = self._meeting(entries, kept, words, self._alone)
        while kept.any():
            near = self._meeting(entries, kept, words, self._beside)
            if constraint.average is not None:
                inside = kept[entries.of]
                person = None if entries.person is None else entries.person[inside]
                if mean_risk(entries.of[inside], person, entries.counts[inside]) > constraint.average + SLACK:
                    heads = entries.heads()
                    near = near & (heads > heads[kept].min())
            if (near == kept).all():
                break
            kept = near
        return kept


def _field(words: I8, bits: I8) -> I8:
    """Read one field out of packed tuples."""
    word = int(np.argmax(bits != 0))
    mask = int(bits[word])
    return np.asarray((words[word] & mask) >> ((mask & -mask).bit_length() - 1))
