"""l-diversity and t-closeness of a node: which classes must go, and what is then left to pay.

Written for tables of counts, where the judges look at records; the definitions are the judges'.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from shoal.algorithms.lattice.cube import Cube
from shoal.algorithms.lattice.node_tables import Rungs, Tables
from shoal.data import Column
from shoal.data.types import B1, F8, I8
from shoal.hierarchy.lattice import Levels
from shoal.kernels.lattice.node_measures import CE, Prices, classes, ladder
from shoal.kernels.lattice.packed_tuples import label, masked

__all__ = ["Demand", "DiverseEvaluator", "label_codes"]

_SLACK = 1e-9  # as the judges': exactly l, exactly t pass
_CELLS = 1 << 22  # of a class x value matrix at once


@dataclass(frozen=True, slots=True)
class Demand:
    """What every class must meet; `l` and `t` may be None."""

    k: int
    l: int | None
    t: float | None
    diversity: str
    c: float
    distance: str


@dataclass(frozen=True, slots=True)
class _Entries:
    """A node's tuples: class, person (None when every record is one) and number of records of each."""

    of: I8
    person: I8 | None
    counts: I8
    found: int

    def tally(self, value: I8, keep: B1 | None = None) -> tuple[I8, I8, I8]:
        """Count, by class and value, records or distinct persons: (class, value, count)."""
        of, counts, person = self.of, self.counts, self.person
        if keep is not None:
            of, value, counts, person = (
                of[keep],
                value[keep],
                counts[keep],
                None if person is None else person[keep],
            )
        number, first = _firsts(of * (int(value.max()) + 1) + value)
        if person is not None:
            _, once = _firsts(number * (int(person.max()) + 1) + person)
            return of[first], value[first], np.bincount(number[once], minlength=len(first))
        return of[first], value[first], _sums(number, counts, len(first))


class DiverseEvaluator:
    """What nodes give when every class must also be diverse or close; sensitive columns are labels of the cube.

    Parameters
    ----------
    columns
        The sensitive columns; their codes (see `label_codes`) are the cube's last labels.
    demand
        What every class must meet.
    """

    def __init__(
        self, cube: Cube, prices: Prices, allowed: int, columns: Sequence[Column], demand: Demand
    ) -> None:
        self._cube, self._prices, self._allowed, self._demand = cube, prices, allowed, demand
        self._tables, self._extras = Tables(cube), cube.extras(target=prices.kind == CE)
        self._columns = columns
        # Merging classes keeps each demand met when nothing is suppressed, and distinct values and k even then;
        # persons who stand in several classes break this.
        self._monotone = cube.persons is None and (
            allowed == 0 or (demand.t is None and demand.diversity == "distinct")
        )

    def __call__(self, levels: Levels) -> Rungs:
        """Evaluate one node: its single rung is at k, if what must be suppressed is within the allowance."""
        words, counts = self._tables.get(levels)
        united, sizes, heads, errors = classes(words, counts, self._extras)
        reach = int(self._ladder((united, sizes, heads, errors), levels)[0][-1])
        nothing = np.empty(0, dtype=np.int64)
        none = Rungs(reach, nothing, nothing, np.empty(0))
        if reach < self._demand.k:
            return none
        kept = self._kept(self._entries(words, counts), heads >= self._demand.k, words)
        marks, gone, loss = self._ladder((united, sizes, kept.astype(np.int64), errors), levels)
        if marks[-1] == 0:
            return none._replace(reach=0) if self._monotone else none
        return Rungs(reach, np.array([self._demand.k]), gone[-1:], loss[-1:])

    def kept(self, levels: Levels) -> B1:
        """Which records of the table a node keeps."""
        words = self._cube.packed
        every = np.ones(words.shape[1], dtype=np.int64)
        of, heads = self._cube.classes(levels)
        person = self._cube.persons
        entries = _Entries(of, person, every, len(heads))
        return self._kept(entries, heads >= self._demand.k, words)[of]

    def reached(self, levels: Levels) -> float:
        """The largest l of which all classes of a node are, over all sensitive columns."""
        words, counts = self._tables.get(levels)
        entries = self._entries(words, counts)
        return min(
            float(self._diversity(entries, self._value(i, words)).min()) for i in range(len(self._columns))
        )

    def _ladder(self, table: tuple[I8, I8, I8, I8], levels: Levels) -> tuple[I8, I8, F8]:
        return ladder(table, np.array(levels), self._allowed, self._cube.layout, self._prices)

    def _entries(self, words: I8, counts: I8) -> _Entries:
        of, found = label(masked(words, self._cube.quasi))
        person = None if self._cube.persons is None else _field(words, self._cube.person)
        return _Entries(of, person, counts, found)

    def _value(self, i: int, words: I8) -> I8:
        """Each tuple's value of the i-th sensitive column; 0 is an empty cell."""
        return _field(words, self._cube.bits[len(self._cube.bits) - len(self._columns) + i])

    def _kept(self, entries: _Entries, kept: B1, words: I8) -> B1:
        """Which classes stay: those below l go, then those far from what is left, until none is."""
        demand = self._demand
        values = [self._value(i, words) for i in range(len(self._columns))]
        if demand.l is not None:
            for value in values:
                kept = kept & (self._diversity(entries, value) >= demand.l * (1 - _SLACK))
        while demand.t is not None and kept.any():
            far = np.zeros(entries.found, dtype=bool)
            for column, value in zip(self._columns, values, strict=True):
                far |= self._distance(entries, column, value, kept) > demand.t + _SLACK
            if not (far & kept).any():
                break
            kept = kept & ~far
        return kept

    def _diversity(self, entries: _Entries, value: I8) -> F8:
        """By class, the largest l it reaches (recursive: 0 or the l asked for)."""
        empty = value == 0
        nulls = _sums(entries.of[empty], entries.counts[empty], entries.found)
        of, _, count = entries.tally(value, ~empty) if not empty.all() else (entries.of[:0],) * 3
        if self._demand.diversity == "distinct":
            reached = np.bincount(of, minlength=entries.found).astype(np.float64)
        elif self._demand.diversity == "entropy":
            reached = _entropy(of, count, nulls)
        else:
            reached = _recursive(of, count, nulls, self._demand.l or 1, self._demand.c)
        return reached if entries.person is None else np.minimum(reached, _lacking(entries, value) + 1.0)

    def _distance(self, entries: _Entries, column: Column, value: I8, kept: B1) -> F8:
        """By class, how far the kept ones are from all that is kept; 0 for the others."""
        inside = kept[entries.of]
        if self._demand.distance == "equal":
            return _spread(entries, value, inside, ordered=False)
        rank, empty = _ranks(column, value, inside)
        if not empty:
            return _spread(entries, rank, inside, ordered=True)
        last = np.where(
            rank == 0, int(rank.max()) + 1, rank
        )  # empty cells have no place: the worse end counts
        return np.maximum(
            _spread(entries, rank, inside, ordered=True), _spread(entries, last - 1, inside, ordered=True)
        )


def label_codes(column: Column) -> I8:
    """A sensitive column as numbers from 1, 0 for an empty cell."""
    place = {text: code for code, text in enumerate((v for v in column.values if v), start=1)}
    return np.array([place[v] if v else 0 for v in column.values], dtype=np.int64)[column.codes]


def _field(words: I8, bits: I8) -> I8:
    """Read one field out of packed tuples."""
    word = int(np.argmax(bits != 0))
    mask = int(bits[word])
    return np.asarray((words[word] & mask) >> ((mask & -mask).bit_length() - 1))


def _firsts(keys: I8) -> tuple[I8, I8]:
    """Number equal keys alike, and say where each number is first met."""
    number, found = label(keys[None, :])
    first = np.empty(found, dtype=np.int64)
    first[number[::-1]] = np.arange(len(keys))[::-1]
    return number, first


def _sums(of: I8, counts: I8, found: int) -> I8:
    """Add up whole numbers by group."""
    sums = np.zeros(found, dtype=np.int64)
    np.add.at(sums, of, counts)
    return sums


def _entropy(of: I8, count: I8, nulls: I8) -> F8:
    """By class, exp of the least entropy: with every empty cell given to the most frequent value."""
    top = np.zeros(len(nulls), dtype=np.int64)
    np.maximum.at(top, of, count)
    total = _sums(of, count, len(nulls)) + nulls

    def weigh(x: I8) -> F8:
        return np.asarray(x * np.log(np.maximum(x, 1)), dtype=np.float64)

    logs = np.bincount(of, weights=weigh(count), minlength=len(nulls)) - weigh(top) + weigh(top + nulls)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(top > 0, np.exp(np.log(total) - logs / total), 0.0)


def _recursive(of: I8, count: I8, nulls: I8, l: int, c: float) -> F8:
    """By class, l if r_1 < c (r_l + ... + r_m), else 0; empty cells count for the most frequent value."""
    order = np.lexsort((-count, of))
    of, count = of[order], count[order]
    start = np.r_[True, of[1:] != of[:-1]][: len(of)]
    place = np.arange(len(of)) - np.maximum.accumulate(np.where(start, np.arange(len(of)), 0))
    count = count + np.where(start, nulls[of], 0)
    top, tail = np.zeros(len(nulls)), np.zeros(len(nulls))
    top[of[start]] = count[start]
    np.add.at(tail, of[place >= l - 1], count[place >= l - 1])
    return np.where((tail > 0) & (top < c * tail - _SLACK), float(l), 0.0)


def _lacking(entries: _Entries, value: I8) -> I8:
    """By class, how many persons surely lack the value that most surely have."""
    assert entries.person is not None
    who, first = _firsts(entries.of * (int(entries.person.max()) + 1) + entries.person)
    unsure = np.zeros(len(first), dtype=bool)
    unsure[who[value == 0]] = True
    having = np.zeros(entries.found, dtype=np.int64)
    if not unsure.all():
        of, _, count = entries.tally(value, ~unsure[who])
        np.maximum.at(having, of, count)
    return np.bincount(entries.of[first[~unsure]], minlength=entries.found) - having


def _ranks(column: Column, value: I8, inside: B1) -> tuple[I8, bool]:
    """Values by their place among those kept, from 1; 0 is an empty cell, and whether there is one."""
    texts = [text for text in column.values if text]
    present = np.unique(value[inside])
    known = {int(v): texts[v - 1] for v in present.tolist() if v > 0}
    numbers = {v: _number(text) for v, text in known.items()}
    keys = known if None in numbers.values() else numbers
    order = {key: rank for rank, key in enumerate(sorted(set(keys.values())), start=1)}
    rank = np.zeros(len(texts) + 1, dtype=np.int64)
    for v, key in keys.items():
        rank[v] = order[key]
    empty = bool((present == 0).any())
    return (rank[value] if empty else np.maximum(rank[value] - 1, 0)), empty


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _spread(entries: _Entries, value: I8, inside: B1, *, ordered: bool) -> F8:
    """By class, the earth mover's distance of its kept values from all kept ones."""
    of, at, count = entries.tally(value, inside)
    width = int(value[inside].max()) + 1
    whole = _Entries(np.zeros_like(entries.of), entries.person, entries.counts, 1)
    _, places, totals = whole.tally(value, inside)
    share = np.zeros(width)
    share[places] = totals / totals.sum()
    if not ordered:
        part = count / _sums(of, count, entries.found)[of]
        excess = np.maximum(part - share[at], 0)
        return np.bincount(of, weights=excess, minlength=entries.found).astype(np.float64)
    distance = np.zeros(entries.found)
    step = max(_CELLS // width, 1)
    for low in range(0, entries.found, step):
        here = (of >= low) & (of < low + step)
        part = np.zeros((min(step, entries.found - low), width))
        part[of[here] - low, at[here]] = count[here]
        total = part.sum(axis=1, keepdims=True)
        gap = np.abs(np.cumsum(part / np.maximum(total, 1) - share, axis=1)).sum(axis=1)
        distance[low : low + step] = np.where(total[:, 0] > 0, gap / max(width - 1, 1), 0.0)
    return distance
