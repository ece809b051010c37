"""What single nodes give: their frequency tables, which classes must go, and what is then left to pay.

A constraint on sensitive values is looked at in tables of counts, while the judges look at records; the definitions are
those of the judges.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from shoal.algorithms._kernels import generalize_column, mask_words, number_tuples, roll_up
from shoal.algorithms.constraint import SLACK, Bound, Constraint, claim_covers, parse_float
from shoal.algorithms.lattice._kernels import CE, Prices, list_k_steps, node_classes
from shoal.algorithms.lattice.cube import Cube, Levels
from shoal.data import Column, Table
from shoal.data.arrays import B1, F8, I4, I8
from shoal.data.spelling import normalize_value, unify_spellings
from shoal.hierarchy import Hierarchies
from shoal.privacy import LDiversity, TCloseness

__all__ = ["ConstraintEvaluator", "Evaluator", "KSteps", "PopulationTables", "Tables", "label_codes"]


_HELD = 1 << 21  # tuples held at once, two words each: 32 MB; of larger tables eight, at most 256 MB


class KSteps(NamedTuple):
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
        self._most = max(_HELD, min(8 * len(cube.counts), 8 * _HELD))
        self._tuples = 0

    def get(self, levels: Levels) -> tuple[I8, I8]:
        """The packed tuples of a node and how many records each stands for."""
        table, current = (self._cube.words, self._cube.counts), [0] * len(levels)
        for stride in filter(None, self._strides(levels)):
            for j in stride:
                current[j] = levels[j]
            way = tuple(current)
            rolled_up = self._held.pop(way, None)
            if rolled_up is None:
                keep = ~np.bitwise_or.reduce(self._cube.bits[stride[1:]], axis=0)
                rolled_up = roll_up(*table, keep, stride[0], levels[stride[0]], self._cube.layout)
                self._tuples += len(rolled_up[1])
            table = self._held[way] = rolled_up  # the last one used stands last
            while self._tuples > self._most:
                self._tuples -= len(self._held.pop(next(iter(self._held)))[1])
        return table

    def _strides(self, levels: Levels) -> Iterator[list[int]]:
        """The columns to raise, by step."""
        roots, middle = self._cube.lattice.heights, (len(levels) + 1) // 2
        for columns in (self._order[:middle], self._order[middle:]):
            yield [j for j in columns if levels[j] == roots[j] > 0]
        for j in self._order:
            yield [j] if 0 < levels[j] < roots[j] else []


class Evaluator:
    """What nodes give under one loss and allowance; with `per_node` only at the largest k each reaches."""

    def __init__(self, cube: Cube, prices: Prices, allowed: int, *, per_node: bool = False) -> None:
        self._cube, self._prices, self._allowed, self._per_node = cube, prices, allowed, per_node
        self._tables, self._extras = Tables(cube), cube.extras(target=prices.kind == CE)

    def __call__(self, levels: Levels) -> KSteps:
        """Evaluate one node."""
        table = node_classes(*self._tables.get(levels), self._extras)
        ks, gone, loss = list_k_steps(table, np.array(levels), self._allowed, self._cube.layout, self._prices)
        first = len(ks) - 1 if self._per_node else 0
        return KSteps(int(ks[-1]), ks[first:], gone[first:], loss[first:])


_CELLS = 1 << 22  # of a class x value matrix at once


@dataclass(frozen=True, slots=True)
class _Entries:
    """A node's tuples: class, person (None when every record is one) and number of records of each."""

    of: I8
    person: I8 | None
    counts: I8
    found: int

    def some(self, keep: B1) -> "_Entries":
        """Some of the tuples."""
        person = None if self.person is None else self.person[keep]
        return _Entries(self.of[keep], person, self.counts[keep], self.found)

    def together(self) -> "_Entries":
        """The same tuples as one class."""
        return _Entries(np.zeros_like(self.of), self.person, self.counts, 1)

    def heads(self) -> I8:
        """How many records, or distinct persons, each class has."""
        if self.person is None:
            return _sum_groups(self.of, self.counts, self.found)
        _, once = _find_firsts(self.of * (int(self.person.max(initial=0)) + 1) + self.person)
        return np.bincount(self.of[once], minlength=self.found)

    def tally(self, value: I8) -> tuple[I8, I8, I8]:
        """Count, for each class and value, records or distinct persons: (class, value, count)."""
        number, first = _find_firsts(self.of * (int(value.max()) + 1) + value)
        if self.person is None:
            count = _sum_groups(number, self.counts, len(first))
        else:
            _, once = _find_firsts(number * (int(self.person.max()) + 1) + self.person)
            count = np.bincount(number[once], minlength=len(first))
        return self.of[first], value[first], count


class PopulationTables:
    """Counts the people of a population, of whom there are `n`, in the classes of nodes.

    Its frequency tables are over the tuples of the data as well, which count for nobody.

    Parameters
    ----------
    table, public
        The data, and the people of the population with the same quasi-identifiers.
    """

    def __init__(self, method: str, table: Table, public: Table, hierarchies: Hierarchies) -> None:
        both = tuple(_concatenate_columns(column, public.column(column.name)) for column in table.quasi)
        counts = np.repeat([0, 1], [table.n, public.n]).astype(np.int64)
        self._cube = Cube.of(method, Table(both, counts=counts), hierarchies)
        self._tables = Tables(self._cube)
        self._seen = [np.unique(leaves) for leaves in self._cube.leaves.T]
        self.n = public.n

    def __call__(self, levels: Levels, leaves: I4) -> I8:
        """The people in the class of each of some records of the data, given by their leaf codes."""
        words, counts = self._tables.get(levels)
        layout = self._cube.layout
        queries = np.zeros((len(words), len(leaves)), dtype=np.int64)
        for j, level in enumerate(levels):
            leaf_index = np.searchsorted(self._seen[j], leaves[:, j])
            queries[layout.word[j]] |= leaf_index.astype(np.int64) << layout.shift[j]
            generalize_column(queries, j, level, layout)
        class_of_row, class_count = number_tuples(np.concatenate([words, queries], axis=1))
        people = np.zeros(class_count, dtype=np.int64)
        people[class_of_row[: len(counts)]] = counts
        return np.asarray(people[class_of_row[len(counts) :]])


def _concatenate_columns(one: Column, other: Column) -> Column:
    """The cells of two columns, one behind the other."""
    codes = np.concatenate([one.codes, other.codes + len(one.values)]).astype(np.int32)
    return replace(one, values=(*one.values, *other.values), codes=codes)


class ConstraintEvaluator:
    """What nodes give when something is asked of sensitive values; sensitive columns are labels of the cube.

    Parameters
    ----------
    columns
        The sensitive columns; their codes (see `label_codes`) are the cube's last labels.
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
        self._hidden_codes = {
            column.name: _hidden_codes(bound, column)
            for bound in constraint.bounds
            for column in columns
            if column.name in bound.hidden
        }
        self._seen = [np.unique(leaves) for leaves in cube.leaves.T] if people is not None else []
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

    def __call__(self, levels: Levels) -> KSteps:
        """Evaluate one node: its single rung is at k, if what must be suppressed is within the allowance."""
        words, counts = self._tables.get(levels)
        united, sizes, heads, errors = node_classes(words, counts, self._extras)
        reach = int(self._ladder((united, sizes, heads, errors), levels)[0][-1])
        nothing = np.empty(0, dtype=np.int64)
        none = KSteps(reach, nothing, nothing, np.empty(0))
        if reach < self._constraint.k:
            return none
        is_kept = self._find_kept_classes(
            self._build_entries(words, counts), heads >= self._constraint.k, words, levels
        )
        marks, gone, loss = self._ladder((united, sizes, is_kept.astype(np.int64), errors), levels)
        if marks[-1] == 0:
            return none._replace(reach=0) if self._monotone else none
        return KSteps(reach, np.array([self._constraint.k]), gone[-1:], loss[-1:])

    def find_rows(self, levels: Levels) -> B1:
        """Which rows of the table a node keeps."""
        words = self._cube.packed
        counts = np.ones(words.shape[1], dtype=np.int64) if self._cube.times is None else self._cube.times
        class_of_row, heads = self._cube.classes(levels)
        person = self._cube.persons
        entries = _Entries(class_of_row, person, counts, len(heads))
        return self._find_kept_classes(entries, heads >= self._constraint.k, words, levels)[class_of_row]

    def describe_reach(self, levels: Levels) -> str:
        """What all classes of a node reach in every sensitive column that is meant, in words."""
        words, counts = self._tables.get(levels)
        entries, constraint = self._build_entries(words, counts), self._constraint
        clauses = []
        if constraint.diversity is not None:
            low = [
                self._diversity(entries, constraint.diversity, value)
                for _, value in self._columns_of(constraint.diversity, words)
            ]
            clauses.append(f"l={min(float(l.min()) for l in low):.4g}")
        for bound in constraint.bounds:
            if bound.hidden:
                top = max(
                    float(_hidden_share(entries, is_hidden).max())
                    for is_hidden in self._hidden_tuples(bound, words)
                )
                clauses.append(f"a largest share of hidden values of {top:.4g}")
            if bound.any_value:
                top = max(
                    float(_top_share(entries, value).max()) for _, value in self._columns_of(bound, words)
                )
                clauses.append(f"a largest share of {top:.4g}")
        if constraint.average is not None:
            clauses.append(
                f"an average risk of {_average_risk(entries, np.ones(entries.found, dtype=bool)):.4g}"
            )
        if constraint.mapped:
            clauses.append(f"k_map={self._fitting(entries, words, levels).min()}")
        if constraint.presence is not None:
            shares = entries.heads() / np.maximum(self._fitting(entries, words, levels), 1)
            clauses.append(f"shares in the data from {shares.min():.4g} to {shares.max():.4g}")
        return " and ".join(clauses)

    def _ladder(self, table: tuple[I8, I8, I8, I8], levels: Levels) -> tuple[I8, I8, F8]:
        return list_k_steps(table, np.array(levels), self._allowed, self._cube.layout, self._prices)

    def _build_entries(self, words: I8, counts: I8) -> _Entries:
        class_of_row, class_count = number_tuples(mask_words(words, self._cube.quasi))
        person = None if self._cube.persons is None else _read_field(words, self._cube.person)
        return _Entries(class_of_row, person, counts, class_count)

    def _read_values(self, i: int, words: I8) -> I8:
        """Each tuple's value of the i-th sensitive column; 0 is an empty cell."""
        return _read_field(words, self._cube.bits[len(self._cube.bits) - len(self._columns) + i])

    def _columns_of(self, part: LDiversity | TCloseness | Bound, words: I8) -> Iterator[tuple[Column, I8]]:
        """The sensitive columns that a part of the constraint speaks of, each with its tuples' values."""
        for i, column in enumerate(self._columns):
            if claim_covers(part.columns, column):
                yield column, self._read_values(i, words)

    def _hidden_tuples(self, bound: Bound, words: I8) -> Iterator[B1]:
        """For each column with hidden values, which tuples have one, or an empty cell."""
        for column, value in self._columns_of(bound, words):
            yield self._hidden_codes[column.name][value]

    def _fitting(self, entries: _Entries, words: I8, levels: Levels) -> I8:
        """How many people of the population are in each class."""
        assert self._people is not None
        first = np.empty(entries.found, dtype=np.int64)
        first[entries.of] = np.arange(len(entries.of))
        fields = (_read_field(words, bits)[first] for bits in self._cube.bits)
        return self._people(
            levels, np.stack([s[f] for s, f in zip(self._seen, fields, strict=False)], axis=1)
        )

    def _present(self, entries: _Entries, people: I8, low: float, high: float) -> B1:
        """Of which classes the share in the data is as asked; of none where a class of the population has nobody."""
        assert self._people is not None
        heads = entries.heads()
        fit = (heads <= (high + SLACK) * people) & (heads >= (low - SLACK) * people)
        return fit & (low <= 0 or int(people.sum()) == self._people.n)

    def _find_kept_classes(self, entries: _Entries, kept: B1, words: I8, levels: Levels) -> B1:
        """Which classes stay: those below l or above alpha go, then, until none is left, those unlike the rest.

        With the first go those that fit too few people of a population; with the latter go the smallest ones, all of
        one size, while the average risk of all is too high.
        """
        constraint = self._constraint
        if constraint.mapped:
            kept = kept & (self._fitting(entries, words, levels) >= constraint.mapped)
        if constraint.presence is not None:
            kept = kept & self._present(entries, self._fitting(entries, words, levels), *constraint.presence)
        if constraint.diversity is not None:
            for _, value in self._columns_of(constraint.diversity, words):
                reached = self._diversity(entries, constraint.diversity, value)
                kept = kept & (reached >= constraint.diversity.l * (1 - SLACK))
        for bound in (bound for bound in constraint.bounds if bound.hidden):
            for is_hidden in self._hidden_tuples(bound, words):
                kept = kept & (_hidden_share(entries, is_hidden) <= bound.most + SLACK)
        for bound in (bound for bound in constraint.bounds if bound.any_value):
            for _, value in self._columns_of(bound, words):
                kept = kept & (_top_share(entries, value) <= bound.limits(np.ones(1))[1][0])
        while kept.any():
            far = self._find_far_classes(entries, kept, words)
            if not (far & kept).any():
                break
            kept = kept & ~far
        return kept

    def _find_far_classes(self, entries: _Entries, kept: B1, words: I8) -> B1:
        """Which classes are too far from all that is kept, or hold a value too often or too rarely beside it."""
        far, constraint = np.zeros(entries.found, dtype=bool), self._constraint
        if constraint.closeness is not None:
            for column, value in self._columns_of(constraint.closeness, words):
                distance = _class_distances(entries, column, value, kept, constraint.closeness.distance)
                far |= distance > constraint.closeness.t + SLACK
        for bound in (bound for bound in constraint.bounds if not bound.any_value and not bound.hidden):
            for _, value in self._columns_of(bound, words):
                far |= _outside_bound(entries, value, kept, bound)
        if constraint.average is not None and _average_risk(entries, kept) > constraint.average + SLACK:
            heads = entries.heads()
            far |= heads == heads[kept].min()
        return far

    def _diversity(self, entries: _Entries, asked: LDiversity, value: I8) -> F8:
        """For each class, the largest l it reaches (recursive: 0 or the l asked for)."""
        empty = value == 0
        nulls = _sum_groups(entries.of[empty], entries.counts[empty], entries.found)
        class_id, _, count = (
            entries.some(~empty).tally(value[~empty]) if not empty.all() else (entries.of[:0],) * 3
        )
        if asked.diversity == "distinct":
            reached = np.bincount(class_id, minlength=entries.found).astype(np.float64)
        elif asked.diversity == "entropy":
            reached = _entropy_diversity(class_id, count, nulls)
        else:
            reached = _recursive_diversity(class_id, count, nulls, asked.l, asked.c)
        return (
            reached if entries.person is None else np.minimum(reached, _count_lacking(entries, value) + 1.0)
        )


def _average_risk(entries: _Entries, kept: B1) -> float:
    """The mean over the persons of the kept classes of 1 / (persons in the smallest of theirs)."""
    heads = entries.heads()
    if entries.person is None:
        return float(kept.sum() / heads[kept].sum())
    inside = kept[entries.of]
    risk = np.zeros(int(entries.person.max()) + 1)
    np.maximum.at(risk, entries.person[inside], 1 / heads[entries.of[inside]])
    return float(risk[risk > 0].mean())


def _class_distances(entries: _Entries, column: Column, value: I8, kept: B1, distance: str) -> F8:
    """For each class how far it is from all that is kept, if it is kept itself; 0 for the others."""
    inside = kept[entries.of]
    if distance == "equal":
        return _earth_mover_distance(entries, value, inside, ordered=False)
    rank, empty = _rank_values(column, value, inside)
    if not empty:
        return _earth_mover_distance(entries, rank, inside, ordered=True)
    last = np.where(rank == 0, int(rank.max()) + 1, rank)  # empty cells have no place: the worse end counts
    return np.maximum(
        _earth_mover_distance(entries, rank, inside, ordered=True),
        _earth_mover_distance(entries, last - 1, inside, ordered=True),
    )


def _outside_bound(entries: _Entries, value: I8, kept: B1, bound: Bound) -> B1:
    """Which of the kept classes hold a value with a share that is too large or too small."""
    inside = kept[entries.of]
    kept_entries = entries.some(inside)
    class_id, value_code, count = kept_entries.tally(value[inside])
    share = count / np.maximum(kept_entries.heads(), 1)[class_id]
    overall = np.zeros(int(value.max()) + 1)
    _, codes, totals = kept_entries.together().tally(value[inside])
    overall[codes] = totals / kept_entries.together().heads()[0]
    low, high = bound.limits(overall)
    bad = np.zeros(entries.found, dtype=bool)
    bad[class_id[(share > high[value_code]) | (share < low[value_code])]] = True
    needed = low > 0
    return np.asarray(
        bad | (kept & (np.bincount(class_id[needed[value_code]], minlength=len(kept)) < int(needed.sum())))
    )


def _top_share(entries: _Entries, value: I8) -> F8:
    """For each class, the largest share of persons who may have one and the same value."""
    heads = entries.heads()
    if entries.person is not None:
        return np.asarray(1 - _count_lacking(entries, value) / heads)
    empty = value == 0
    top = _sum_groups(entries.of[empty], entries.counts[empty], entries.found)
    if not empty.all():
        class_id, _, count = entries.some(~empty).tally(value[~empty])
        most = np.zeros(entries.found, dtype=np.int64)
        np.maximum.at(most, class_id, count)
        top = top + most
    return np.asarray(top / heads)


def _hidden_share(entries: _Entries, is_hidden: B1) -> F8:
    """For each class, the share of persons of whom any tuple is marked."""
    hidden_heads = entries.some(is_hidden).heads() if is_hidden.any() else np.zeros(entries.found)
    return np.asarray(hidden_heads / entries.heads())


def label_codes(column: Column) -> I8:
    """A sensitive column as numbers from 1, 0 for an empty cell."""
    return _value_codes(column)[column.codes]


def _value_codes(column: Column) -> I8:
    """The number of each value of a sensitive column's vocabulary, from 1; 0 for an empty cell."""
    code_of_text = {text: code for code, text in enumerate((v for v in column.values if v), start=1)}
    return np.array([code_of_text[v] if v else 0 for v in column.values], dtype=np.int64)


def _hidden_codes(bound: Bound, column: Column) -> B1:
    """Which numbers of a sensitive column stand for a hidden value or an empty cell."""
    is_hidden_code = np.zeros(len(column.values) + 1, dtype=bool)
    is_hidden_code[_value_codes(column)[bound.is_hidden(column)]] = True
    is_hidden_code[0] = True
    return is_hidden_code


def _read_field(words: I8, bits: I8) -> I8:
    """Read one field out of packed tuples."""
    word = int(np.argmax(bits != 0))
    mask = int(bits[word])
    return np.asarray((words[word] & mask) >> ((mask & -mask).bit_length() - 1))


def _find_firsts(keys: I8) -> tuple[I8, I8]:
    """Number equal keys alike, and say where each number is first met."""
    number, group_count = number_tuples(keys[None, :])
    first = np.empty(group_count, dtype=np.int64)
    first[number[::-1]] = np.arange(len(keys))[::-1]
    return number, first


def _sum_groups(of: I8, counts: I8, found: int) -> I8:
    """Add up whole numbers for each group."""
    sums = np.zeros(found, dtype=np.int64)
    np.add.at(sums, of, counts)
    return sums


def _entropy_diversity(of: I8, count: I8, nulls: I8) -> F8:
    """For each class, exp of the least entropy: with every empty cell given to the most frequent value."""
    top = np.zeros(len(nulls), dtype=np.int64)
    np.maximum.at(top, of, count)
    total = _sum_groups(of, count, len(nulls)) + nulls

    def weigh(x: I8) -> F8:
        return np.asarray(x * np.log(np.maximum(x, 1)), dtype=np.float64)

    logs = np.bincount(of, weights=weigh(count), minlength=len(nulls)) - weigh(top) + weigh(top + nulls)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(top > 0, np.exp(np.log(total) - logs / total), 0.0)


def _recursive_diversity(of: I8, count: I8, nulls: I8, l: int, c: float) -> F8:
    """For each class, l if r_1 < c (r_l + ... + r_m), else 0; empty cells count for the most frequent value."""
    order = np.lexsort((-count, of))
    of, count = of[order], count[order]
    start = np.r_[True, of[1:] != of[:-1]][: len(of)]
    rank = np.arange(len(of)) - np.maximum.accumulate(np.where(start, np.arange(len(of)), 0))
    count = count + np.where(start, nulls[of], 0)
    top, tail = np.zeros(len(nulls)), np.zeros(len(nulls))
    top[of[start]] = count[start]
    np.add.at(tail, of[rank >= l - 1], count[rank >= l - 1])
    return np.where((tail > 0) & (top < c * tail - SLACK), float(l), 0.0)


def _count_lacking(entries: _Entries, value: I8) -> I8:
    """For each class, how many persons surely lack the value that most surely have."""
    assert entries.person is not None
    person_id, first = _find_firsts(entries.of * (int(entries.person.max()) + 1) + entries.person)
    unsure = np.zeros(len(first), dtype=bool)
    unsure[person_id[value == 0]] = True
    having = np.zeros(entries.found, dtype=np.int64)
    if not unsure.all():
        sure = ~unsure[person_id]
        class_id, _, count = entries.some(sure).tally(value[sure])
        np.maximum.at(having, class_id, count)
    return np.bincount(entries.of[first[~unsure]], minlength=entries.found) - having


def _rank_values(column: Column, value: I8, inside: B1) -> tuple[I8, bool]:
    """Values by their place among those kept, from 1; 0 is an empty cell, and whether there is one."""
    texts = unify_spellings(text for text in column.values if text)
    present = np.unique(value[inside])
    text_of_value = {int(v): texts[v - 1] for v in present.tolist() if v > 0}
    numbers = {v: parse_float(text) for v, text in text_of_value.items()}
    words = None in numbers.values()
    keys: dict[int, Any] = (
        {v: normalize_value(text) for v, text in text_of_value.items()} if words else dict(numbers)
    )
    order = {key: rank for rank, key in enumerate(sorted(set(keys.values())), start=1)}
    rank = np.zeros(len(texts) + 1, dtype=np.int64)
    for v, key in keys.items():
        rank[v] = order[key]
    empty = bool((present == 0).any())
    return (rank[value] if empty else np.maximum(rank[value] - 1, 0)), empty


def _earth_mover_distance(entries: _Entries, value: I8, inside: B1, *, ordered: bool) -> F8:
    """For each class, the earth mover's distance of its kept values from all kept ones."""
    kept_entries, value = entries.some(inside), value[inside]
    class_id, value_code, count = kept_entries.tally(value)
    width = int(value.max()) + 1
    _, codes, totals = kept_entries.together().tally(value)
    share = np.zeros(width)
    share[codes] = totals / totals.sum()
    if not ordered:
        part = count / _sum_groups(class_id, count, entries.found)[class_id]
        excess = np.maximum(part - share[value_code], 0)
        return np.bincount(class_id, weights=excess, minlength=entries.found).astype(np.float64)
    distance = np.zeros(entries.found)
    step = max(_CELLS // width, 1)
    for low in range(0, entries.found, step):
        in_block = (class_id >= low) & (class_id < low + step)
        part = np.zeros((min(step, entries.found - low), width))
        part[class_id[in_block] - low, value_code[in_block]] = count[in_block]
        total = part.sum(axis=1, keepdims=True)
        gap = np.abs(np.cumsum(part / np.maximum(total, 1) - share, axis=1)).sum(axis=1)
        distance[low : low + step] = np.where(total[:, 0] > 0, gap / max(width - 1, 1), 0.0)
    return distance
