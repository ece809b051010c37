"""Core: classes by what everybody knows, and in each class the labels of columns of which somebody may know a few.

A class is a table of its own. At first every known column has one label in it, which tells nobody apart. Then one
column after the other gets several labels, as narrow as all groups allow that somebody could tell apart together with
the columns before it. A row whose own group would be too small goes to the *rest* of its class, which has a label, too.

parts : int64[n]   the part of its class that a row belongs to in a column; 0 is the rest
group : int64[n]   rows of one class that are in the same part in some known columns have equal numbers
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from typing import Annotated

import numpy as np

from shoal.algorithms._kernels import RANGE, SET, ClassConstraint, ClassTally
from shoal.algorithms.constraint import (
    Constraint,
    compile_constraint,
    count_people,
    number_persons,
    refusal,
    refuse_crowd,
)
from shoal.algorithms.knobs import Many, OneOf, Share, Within, suppression_limit
from shoal.algorithms.local._kernels.known_parts import empty_breaking_groups, settle_rest
from shoal.algorithms.local.column_prices import ColumnCosts
from shoal.algorithms.local.local_table import (
    Grid,
    LocalTable,
    prepare_classes,
    without_outliers,
    write_nodes,
    write_ranges,
    write_sets,
)
from shoal.algorithms.local.mondrian import cluster_records, exchange_neighbours, halve_classes
from shoal.base.arguments import check_whole, is_number
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.progress import Progress, Tell, no_progress, no_share, start_step
from shoal.data import Table
from shoal.data.arrays import F8, I4, I8, prefix_sums
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import AllOf, AverageRisk, CoreAnonymity, KAnonymity
from shoal.privacy.claim import BaseClaim
from shoal.privacy.core import core_claim
from shoal.release import Claim, Recoded, Result

__all__ = ["core", "estimate_losses"]

_SIZES = (1, 4, 10, 30, 100, 300)  # times k: rows of a class
_BINS = (2, 3, 4, 6, 9, 14, 20, 40, 100)  # parts that numbers of a class are cut into
_TURNS = 6  # that rows are put to the rest for the sake of sensitive values
_COUNTED = 4  # times the rows: keys up to that are counted, others sorted first
_SETS = 50_000  # sets of known columns that groups are counted by
_TAKEN_OUT = (0.8, 0.5)  # of the columns, which are placed anew
_TRIED, _TRIED_ROUNDS = 1_000, 5  # rows of some classes, by which ways to make classes are compared
_FINALISTS = 3  # ways that are looked at more closely, and tried with records left out
_TRIED_WORK = 50_000_000  # counts of a quick look that takes half a second
_WORK = 600_000_000  # counts of a method that takes some ten seconds
_LEAST_ROUNDS, _MOST_ROUNDS = 6, 40
_BY_CORE, _BY_ALL, _CLUSTERS = "classes by the core", "classes by all columns", "clusters by all columns"
_COMPARED = 1_200_000_000  # records times records times columns: some seconds of `kmember`

Balance = Annotated[float, Within(0, 1)]
_LEAST_BALANCE = 0.25
Recode = Annotated[str, OneOf(("hierarchy", "range"))]


@dataclass(frozen=True)
class _KnownColumn:
    """A known column of some rows.

    places : int32[n], places of `scale`
    """

    hierarchy: Hierarchy
    scale: ColumnCosts
    places: I4
    weight: float

    def price(self, low: I8, high: I8) -> F8:
        """What a row loses that is published with a label of this extent, 0 to 1; missing cells count as in kernels."""
        scale, hierarchy = self.scale, self.hierarchy
        if scale.kind == SET:
            price = scale.table[np.bitwise_count(low)] / max(scale.root, 1)
            return np.asarray(np.where(low & scale.gone, 1.0, price))
        has_missing = high > scale.missing
        high = np.where(has_missing, high - scale.missing - 1, high)
        if scale.kind == RANGE:
            bottom, top, alone = scale.table.reshape(3, -1)
            width = np.minimum(top[high] - bottom[low], scale.root)
            price = np.where(low == high, alone[low], width) / max(scale.root, 1)
        else:
            first, last = scale.leaf[low], scale.leaf[high]
            level = np.zeros(len(low), dtype=np.int64)
            for l in range(hierarchy.height):
                level += hierarchy.up[first, l] != hierarchy.up[last, l]
            leaves = _node_sizes(hierarchy)[level, hierarchy.up[first, level]]
            price = np.where(leaves > 1, np.minimum(leaves / max(hierarchy.domain, 1), 1.0), 0.0)
            price[low == scale.missing] = 0.0
        if has_missing.any():
            extra = scale.extra / max(scale.root, 1) * np.where(price > 0, 1, 2)
            price = np.where(has_missing, np.minimum(price + extra, 1.0), price)
        return np.asarray(price)

    def ways(self, class_of_row: I8) -> Iterator[I8]:
        """Ways to cut every class in parts, numbered from 0: nodes of each level, or ranges of about as many rows."""
        if self.scale.kind != RANGE:
            leaves = self.scale.leaf[self.places]
            for level in range(self.hierarchy.height):
                yield self.hierarchy.up[leaves, level].astype(np.int64)
            return
        yield self.places.astype(np.int64)
        order = np.lexsort((self.places, class_of_row))
        sizes = np.bincount(class_of_row)
        starts = np.cumsum(sizes) - sizes
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - starts[class_of_row[order]]
        pair = class_of_row * len(self.scale.leaf) + self.places
        _, run, counts = np.unique(pair, return_inverse=True, return_counts=True)
        first = np.full(len(counts), len(order), dtype=np.int64)
        np.minimum.at(first, run.reshape(-1), rank)
        middle = (first + counts / 2)[run.reshape(-1)]
        is_number = np.array([end is not None for end in self.scale.ends or ()], dtype=bool)[self.places]
        for bins in _BINS:
            yield np.where(is_number, (middle * bins / sizes[class_of_row]).astype(np.int64), bins)


def _node_sizes(hierarchy: Hierarchy) -> I8:
    """int64[levels, nodes]: how many leaves each node covers; the root all of them."""
    widest = max(len(spans) for spans in hierarchy.spans)
    sizes = np.full((hierarchy.height + 1, widest + 1), hierarchy.domain, dtype=np.int64)
    for level, spans in enumerate(hierarchy.spans):
        sizes[level, : len(spans)] = spans[:, 1] - spans[:, 0]
    return sizes


@dataclass(frozen=True)
class _ColumnParts:
    """The parts that rows belong to in a column, and what each row loses there."""

    parts: I8
    cost: F8

    def replace_rows(self, rows: np.ndarray, other: "_ColumnParts") -> "_ColumnParts":
        """The same with other parts in some rows."""
        return _ColumnParts(np.where(rows, other.parts, self.parts), np.where(rows, other.cost, self.cost))


def _number(*keys: I8) -> tuple[I8, int]:
    """Number rows so that equal ones have equal numbers, and how many numbers there may be."""
    number, width = keys[0], int(keys[0].max(initial=0)) + 1
    for key in keys[1:]:
        radix = int(key.max(initial=0)) + 1
        number, width = number * radix + key, width * radix
        if width > _COUNTED * len(number) + 1024:
            distinct, number = np.unique(number, return_inverse=True)
            number, width = number.reshape(-1).astype(np.int64), len(distinct)
    return number, width


def _close_gaps(number: I8, width: int) -> tuple[I8, int]:
    """The same numbers without gaps, and how many there are."""
    is_used = np.bincount(number, minlength=width) > 0
    return (np.cumsum(is_used) - 1)[number], int(is_used.sum())


@dataclass(frozen=True)
class _Classes:
    """Classes of rows, and what must hold in them.

    class_of_row : int64[n], rising from 0 without gaps; the rows of a class are in an order drawn at random
    records      : int64[n], rows as `ask` numbers them
    sets         : closed sets of known columns, by their places
    ask, tally   : what every group must keep of sensitive values, and room to count; a tally of None asks nothing
    """

    k: int
    class_of_row: I8
    records: I8
    columns: tuple[_KnownColumn, ...]
    sets: tuple[frozenset[int], ...]
    ask: ClassConstraint
    tally: ClassTally | None
    rng: np.random.Generator

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.class_of_row)

    @cached_property
    def sizes(self) -> I8:
        """The rows of each class."""
        return np.bincount(self.class_of_row)

    @cached_property
    def starts(self) -> I8:
        """Where the rows of each class begin, and where all end."""
        return np.asarray(prefix_sums(self.sizes), dtype=np.int64)

    @cached_property
    def whole(self) -> list[_ColumnParts]:
        """Every column with one label in each class."""
        nothing = np.zeros(self.n, dtype=np.int64)
        return [_ColumnParts(nothing, self._price_parts(column, nothing)) for column in self.columns]

    def sum_by_class(self, cost: F8) -> F8:
        """What rows cost together, by class."""
        return np.bincount(self.class_of_row, cost, len(self.sizes)).astype(np.float64)

    def some(self, classes: I8) -> "_Classes":
        """Some of the classes."""
        is_kept = np.zeros(len(self.sizes), dtype=bool)
        is_kept[classes] = True
        rows = np.flatnonzero(is_kept[self.class_of_row])
        columns = tuple(replace(column, places=column.places[rows]) for column in self.columns)
        number = np.cumsum(is_kept) - 1
        return replace(
            self, class_of_row=number[self.class_of_row[rows]], records=self.records[rows], columns=columns
        )

    def extents(self, column: _KnownColumn, parts: I8) -> tuple[I8, I8, I8]:
        """The label of each row, by part of its class, and the extent of each label, as kernels have it."""
        label, count = _close_gaps(*_number(self.class_of_row, parts))
        if column.scale.kind == SET:
            values = np.zeros(count, dtype=np.int64)
            np.bitwise_or.at(values, label, np.left_shift(1, column.places, dtype=np.int64))
            return label, values, np.zeros(count, dtype=np.int64)
        low = np.full(count, np.iinfo(np.int32).max, dtype=np.int64)
        high = np.full(count, -1, dtype=np.int64)
        np.minimum.at(low, label, column.places)
        is_missing = column.places >= column.scale.missing
        np.maximum.at(high, label, np.where(is_missing, -1, column.places))
        if is_missing.any():
            has_missing = np.bincount(label[is_missing], minlength=count) > 0
            high[has_missing] += column.scale.missing + 1
        return label, low, high

    def _price_parts(self, column: _KnownColumn, parts: I8) -> F8:
        label, low, high = self.extents(column, parts)
        return column.price(low, high)[label]

    @cached_property
    def _cuts(self) -> list[list[tuple[I4, I8]]]:
        """By column the ways to cut classes into parts of at least k rows each, and how many each class has."""
        cuts = []
        for column in self.columns:
            different: dict[bytes, tuple[I4, I8]] = {}
            for node in column.ways(self.class_of_row):
                parts = self._number_parts(node)
                if parts.any():
                    widths = np.maximum.reduceat(parts, self.starts[:-1]).astype(np.int64) + 1
                    different.setdefault(parts.tobytes(), (parts, widths))
            cuts.append(list(different.values()))
        return cuts

    def _number_parts(self, node: I8) -> I4:
        """Parts numbered from 1 within their class; those of fewer than k rows are the rest, 0."""
        pair, count = _close_gaps(*_number(self.class_of_row, node))
        is_part = np.bincount(pair, minlength=count) >= self.k
        class_of_pair = np.empty(count, dtype=np.int64)
        class_of_pair[pair] = self.class_of_row
        before = prefix_sums(is_part)
        first = before[np.searchsorted(class_of_pair, np.arange(len(self.sizes)))]
        number = np.where(is_part, before[1:] - first[class_of_pair], 0)
        return number[pair].astype(np.int32)

    def groups_beside(
        self, column: int, placed: frozenset[int], labels: Sequence[_ColumnParts]
    ) -> tuple[I4, I4]:
        """By set of placed columns that may be known beside one: labels of rows, from 0 in each class, and how many."""
        beside = {(known & placed) - {column} for known in self.sets if column in known}
        largest: list[frozenset[int]] = []
        for known in sorted(beside, key=lambda one: (-len(one), sorted(one))):
            if not any(len(known) < len(larger) and known <= larger for larger in largest):
                largest.append(known)
        numbers: list[I4] = []
        sizes: list[I4] = []
        for known in largest:
            telling = [labels[j].parts for j in sorted(known) if labels[j].parts.any()]
            if telling or not numbers:
                group, _ = _close_gaps(*_number(self.class_of_row, *telling))
                first = group[self.starts[:-1]].copy()
                np.minimum.at(first, self.class_of_row, group)
                number = group - first[self.class_of_row]
                numbers.append(number.astype(np.int32))
                sizes.append(np.maximum.reduceat(number, self.starts[:-1]).astype(np.int32) + 1)
        if not numbers:  # nobody knows the column
            return np.zeros((0, self.n), dtype=np.int32), np.zeros((0, len(self.sizes)), dtype=np.int32)
        return np.stack(numbers), np.stack(sizes)

    def cut_column(
        self,
        column: int,
        placed: frozenset[int],
        labels: Sequence[_ColumnParts],
        before: _ColumnParts,
    ) -> _ColumnParts:
        """The cheapest parts of a column beside the placed ones, in each class in one way; else those of `before`."""
        groups, group_counts = self.groups_beside(column, placed, labels)
        best, best_cost = before, self.sum_by_class(before.cost)
        whole_cost = self.sum_by_class(self.whole[column].cost)
        for parts, widths in self._cuts[column]:
            share = best_cost / np.maximum(whole_cost, 1e-12)
            most = np.where(best_cost > 1e-9, np.ceil(share * self.sizes), -1).astype(np.int64)
            kept = parts.copy()
            settle_rest(kept, groups, self.starts, group_counts, widths, most, self.k)
            if not kept.any():
                continue
            made = self._make_parts(column, kept)
            made_cost = self.sum_by_class(made.cost)
            if self.tally is not None:  # what loses more anyway is not asked what it tells
                kept[~(made_cost < best_cost - 1e-9)[self.class_of_row]] = 0
                self._keep_claim(kept, groups, group_counts, widths, most)
                made = self._make_parts(column, kept)
                made_cost = self.sum_by_class(made.cost)
            better = made_cost < best_cost - 1e-9
            best = best.replace_rows(better[self.class_of_row], made)
            best_cost = np.where(better, made_cost, best_cost)
        return best

    def _make_parts(self, column: int, kept: I4) -> _ColumnParts:
        numbers = kept.astype(np.int64)
        return _ColumnParts(numbers, self._price_parts(self.columns[column], numbers))

    def _keep_claim(self, parts: I4, groups: I4, group_counts: I4, widths: I8, most: I8) -> None:
        """Put rows to the rest until every group keeps what is claimed of sensitive values; all if that takes long."""
        assert self.tally is not None
        for _ in range(_TURNS):
            if not empty_breaking_groups(
                parts, groups, self.starts, group_counts, widths, self.records, self.ask, self.tally
            ):
                return
            settle_rest(parts, groups, self.starts, group_counts, widths, most, self.k)
        parts[:] = 0

    def sum_costs(self, labels: Sequence[_ColumnParts]) -> F8:
        """What all known columns cost, by class and weight."""
        cost = np.zeros(len(self.sizes))
        for column, made in zip(self.columns, labels, strict=True):
            cost += column.weight * self.sum_by_class(made.cost)
        return cost

    def place(self, order: Sequence[int], labels: Sequence[_ColumnParts]) -> list[_ColumnParts]:
        """Take some columns out, and place them anew one after the other, in an order, beside all others."""
        made = list(labels)
        for column in order:
            made[column] = self.whole[column]
        placed = frozenset(range(len(made))) - set(order)
        for column in order:
            made[column] = self.cut_column(column, placed, made, self.whole[column])
            placed |= {column}
        return made

    @property
    def work(self) -> int:
        """About how many counts it takes to place all columns once."""
        counted = 1 + 4 * len(self.ask.what)
        return (
            counted * self.n * len(self.sets) * sum(map(len, self._cuts)) * 2 // max(len(self.columns), 1) + 1
        )


def _list_orders(classes: _Classes) -> list[list[int]]:
    """Orders in which columns are placed: those that gain much first, and those that gain little first."""
    gain = []
    for column, whole in enumerate(classes.whole):
        alone = classes.cut_column(column, frozenset(), classes.whole, whole)
        gain.append(float(whole.cost.sum() - alone.cost.sum()))
    falling = np.argsort(-np.array(gain), kind="stable").tolist()
    return [falling, falling[::-1]]


def _find_parts(classes: _Classes, rounds: int | None) -> tuple[list[_ColumnParts], float]:
    """The parts that lose least, class by class, of some tries; and what they lose together, by weight.

    Columns are placed in two orders. Then some, drawn at random, are taken out and placed anew, again and again; a
    class keeps what came of it where that loses less.
    """
    best = list(classes.whole)
    best_cost = classes.sum_costs(best)
    many = len(best)
    orders = _list_orders(classes)
    if rounds is None:
        rounds = int(
            np.clip(_WORK // classes.work, 1 if classes.tally is not None else _LEAST_ROUNDS, _MOST_ROUNDS)
        )
    for turn in range(len(orders) + rounds if many > 1 else 1):
        if turn < len(orders):
            made = classes.place(orders[turn], classes.whole)
        else:
            share = _TAKEN_OUT[turn % len(_TAKEN_OUT)]
            order = classes.rng.permutation(many)[: max(2, round(share * many))].tolist()
            made = classes.place(order, best)
        cost = classes.sum_costs(made)
        better = cost < best_cost - 1e-9
        best = [
            old.replace_rows(better[classes.class_of_row], new) for old, new in zip(best, made, strict=True)
        ]
        best_cost = np.where(better, cost, best_cost)
    return best, float(best_cost.sum())


@dataclass(frozen=True)
class _Scene:
    """All records as places of every column that others may know.

    places : int32[n, d]
    ask, tally : what every group must keep of sensitive values; None where nothing
    core   : bool[d], which columns everybody knows
    weight : float64[d], what each column counts where ways to make classes are compared; the sum is 1
    """

    claim: CoreAnonymity
    names: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    scales: tuple[ColumnCosts, ...]
    places: I4
    core: np.ndarray
    weight: F8
    sets: tuple[frozenset[int], ...]
    ask: ClassConstraint
    tally: ClassTally | None
    rng: np.random.Generator

    @classmethod
    def of(
        cls,
        table: Table,
        hierarchies: Hierarchies,
        claim: CoreAnonymity,
        others: Claim,
        recode: str,
        grid: Grid,
        balance: float | None,
        rng: np.random.Generator,
    ) -> "_Scene":
        ways = ("hierarchy", "range")
        local = LocalTable.of(
            "core", table, hierarchies, recode=recode, grid=grid, mix=False, k=claim.k, recodes=ways
        )
        is_core = np.array([column.role == "quasi" for column in table.quasi])
        weight = np.array([column.weight for column in table.quasi], dtype=np.float64)
        if balance is None:
            balance = max(_LEAST_BALANCE, float(weight[is_core].sum() / max(weight.sum(), 1e-12)))
        for part, share in ((is_core, balance), (~is_core, 1 - balance)):
            total = weight[part].sum()
            weight[part] = share * (weight[part] / total if total > 0 else 1 / max(part.sum(), 1))
        known = [column.name for column in table.role("known")]
        constraint = Constraint.of("core", others, table)
        ask, tally = compile_constraint("core", table, np.arange(table.n), constraint)
        return cls(
            claim,
            local.names,
            local.hierarchies,
            local.scales,
            local.codes[np.argsort(local.rows)],
            is_core,
            weight,
            _list_sets(claim, known),
            ask,
            tally if constraint.sensitive else None,
            rng,
        )

    def column(self, j: int, rows: I8) -> _KnownColumn:
        """A column of some records."""
        return _KnownColumn(self.hierarchies[j], self.scales[j], self.places[rows, j], float(self.weight[j]))

    def classes(self, rows: I8, class_of_row: I8) -> _Classes:
        """Classes of some records, with their known columns."""
        columns = tuple(self.column(j, rows) for j in np.flatnonzero(~self.core).tolist())
        return _Classes(self.claim.k, class_of_row, rows, columns, self.sets, self.ask, self.tally, self.rng)

    def mix_rows(self, choice: "_MadeClasses") -> "_MadeClasses":
        """The same classes one after the other, each in an order drawn at random."""
        order = np.lexsort((self.rng.random(len(choice.rows)), choice.class_of_row))
        return replace(choice, rows=choice.rows[order], class_of_row=choice.class_of_row[order])

    def core_cost(self, rows: I8, classes: _Classes) -> F8:
        """What rows lose of the core, by class and weight."""
        cost = np.zeros(len(classes.sizes))
        nothing = np.zeros(classes.n, dtype=np.int64)
        for j in np.flatnonzero(self.core).tolist():
            column = self.column(j, rows)
            label, low, high = classes.extents(column, nothing)
            cost += column.weight * classes.sum_by_class(column.price(low, high)[label])
        return cost

    def write(self, rows: I8, classes: _Classes, labels: Sequence[_ColumnParts], records: int) -> Recoded:
        """The release: the core by class, known columns by class and part."""
        forms, codes = [], []
        nothing = np.zeros(classes.n, dtype=np.int64)
        number_of_column = np.cumsum(~self.core) - 1
        for j in range(len(self.names)):
            column = self.column(j, rows)
            parts = nothing if self.core[j] else labels[number_of_column[j]].parts
            label, low, high = classes.extents(column, parts)
            if len(column.scale.unnamed):
                by_label = np.argsort(label, kind="stable")
                starts = np.asarray(prefix_sums(np.bincount(label)), dtype=np.int64)
                values, form = write_sets(column.hierarchy, column.scale, column.places[by_label], starts)
            else:
                write = write_ranges if column.scale.kind == RANGE else write_nodes
                values, form = write(column.hierarchy, column.scale, low, high)
            forms.append(values)
            codes.append(form[label].astype(np.int32))
        order = np.argsort(rows)
        stacked = np.ascontiguousarray(np.stack(codes, axis=1)[order])
        core = tuple(name for name, is_core in zip(self.names, self.core, strict=True) if is_core)
        return Recoded(self.names, tuple(forms), stacked, rows[order], records, core=core)


@dataclass(frozen=True)
class _MadeClasses:
    """Classes that may be taken: how they were made, the records in them, and the class of each, from 0."""

    words: str
    rows: I8
    class_of_row: I8


def core(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    recode: Recode = "range",
    grid: Grid = None,
    size: Many | None = None,
    balance: Balance | None = None,
    sweeps: Annotated[int, Within(0)] | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Publish `table` in classes by its core, and in each class known columns as fine as groups of k allow.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier and each known column.
    claim
        k-anonymity with known columns, and beside it what is claimed of sensitive columns, but no average risk.
    suppress
        The share of records that may be left out, 0 <= suppress < 1. Whoever stands out in a known column only loses
        that cell to the rest of the class; a record is left out only where it stands out in what classes are made by,
        and where the release seems to lose less without it.
    recode, grid
        As in `mstk`.
    size
        The least number of rows of a class. Where it is not given several are tried, from k to 300 k.
    balance
        How much the quasi-identifiers weigh where ways to make classes are compared, from 0 to 1: the larger classes
        are, the less is left of these, and the more of the known columns. Where it is not given, what they weigh among
        all columns, but at least a quarter.
    sweeps
        How often some known columns, drawn at random, are taken out and placed anew. Where it is not given, as often as
        takes some seconds.
    rng
        Draws the rows that go to the rest so that it is not too small, and an order of columns; tests give one.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result[Recoded]
        The trace tells how classes were made, and how many cells of known columns are in the rest of their class.

    Raises
    ------
    InfeasibleError
        k exceeds the number of records.
    InputError
        The claim is one it does not keep, or there are too many sets of known columns.

    Notes
    -----
    *Guarantee.* Classes hold k rows or more. A known column is cut into parts only as every group keeps k that
    somebody can tell apart by it and by the columns placed before; a set of known columns is closed under what follows
    from them. So the claim holds after each step. Where a group breaks what is claimed of sensitive columns, it joins
    the rest, or all rows join it that share its label: what holds in two groups holds in both together. Labels depend
    on class and part alone, so that equal labels of two classes only unite groups.

    *Method.* Classes are made by the core (`mondrian`), and by all columns (`kmember`, or `mondrian` where that would
    take long), of several least sizes; those are taken that lose least, as a look at some of the rows tells. With
    `suppress` the best of them are also made without those who stand out, as in `mstk`. In each class every known
    column has one label at first. Columns are placed one after the other, cut at a level of their hierarchy or into
    ranges of about as many rows, whatever costs least. Rows whose groups would be too small are the rest of their
    class. Where a group of the rest is too small, others join it that fill most groups and break none. Columns are
    placed in two orders, those first that gain much, or little. Then half of them or more are taken out and placed anew
    in an order drawn at random, many times, and a class keeps what came of it if that loses less.

    *Complexity.* For m = 2 and d known columns O(n d^2) for each cut and each time that columns are placed.

    *Departures.* None: no paper has this method.

    *Randomness.* Which rows join the rest although their own groups are large enough, which columns are placed anew
    and in which order, and the classes in which ways to make them are compared.

    References
    ----------
    .. [1] Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data. PVLDB 1(1), 2008, on
       attackers who know a few things of many.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> flat = Hierarchy.from_paths("visits", [[text, "*"] for text in ("none", "one", "many")])
    >>> town = Hierarchy.from_paths("town", [["Bonn", "*"], ["Oslo", "*"]])
    >>> visits = Column.of("visits", "known", ["none", "none", "one", "one", "many", "many"])
    >>> people = Table((Column.of("town", "quasi", ["Bonn"] * 6), visits))
    >>> release = core(people, {"town": town, "visits": flat}, CoreAnonymity(2, 1)).release
    >>> [release.forms[1].labels[code] for code in release.codes[:, 1]]
    ['none', 'none', 'one', 'one', 'many', 'many']
    """
    knowledge = core_claim(claim)
    if knowledge is None:
        raise refusal("core", claim)
    others = _claims_beside(claim, knowledge)
    if balance is not None and (not is_number(balance) or not 0 <= balance <= 1):
        raise InputError("core: balance must be a number from 0 to 1")
    if size is not None:
        check_whole("core", "size", size)
    if sweeps is not None and (isinstance(sweeps, bool) or not isinstance(sweeps, int) or sweeps < 0):
        raise InputError("core: sweeps must be a whole number of at least 0")
    rng = np.random.default_rng() if rng is None else rng
    refuse_crowd("core", knowledge.k, *count_people(number_persons(table), table.n))
    suppression_limit("core", suppress, table.n)
    scene = _Scene.of(table, hierarchies, knowledge, others, recode, grid, balance, rng)
    classifier = _Classifier(table, hierarchies, scene, others, recode, grid)
    choice, losses = classifier.choose(size, suppress, start_step(progress, "comparing classes"))
    progress("placing known columns")
    kept = np.sort(choice.rows)
    if len(kept) < table.n:  # nothing is taken from who is left out
        scene = _Scene.of(table.only(kept), hierarchies, knowledge, others, recode, grid, balance, rng)
        choice = replace(choice, rows=np.searchsorted(kept, choice.rows))
    choice = scene.mix_rows(choice)
    classes = scene.classes(choice.rows, choice.class_of_row)
    labels, known_cost = _find_parts(classes, sweeps)
    core_cost = float(scene.core_cost(choice.rows, classes).sum())
    trace = {
        "classes": choice.words,
        "loss of the core, weighed": core_cost / classes.n,
        "loss of known columns, weighed": known_cost / classes.n,
        "cells in the rest": sum(int((made.parts == 0).sum()) for made in labels),
        **losses,
    }
    made = scene.write(choice.rows, classes, labels, table.n)
    return Result(replace(made, rows=kept[made.rows]), claim, trace=trace)


def _claims_beside(claim: Claim, knowledge: CoreAnonymity) -> Claim:
    """What every group must keep, as a claim about classes."""
    claims = [part for part in claim.parts if isinstance(part, BaseClaim) and part is not knowledge]
    if any(isinstance(part, AverageRisk) for part in claims):
        raise refusal("core", AverageRisk(1.0))
    return AllOf((KAnonymity(knowledge.k), *claims)) if claims else KAnonymity(knowledge.k)


@dataclass(frozen=True)
class _Classifier:
    """Makes classes of records in several ways, and takes those that lose least."""

    table: Table
    hierarchies: Hierarchies
    scene: _Scene
    others: Claim
    recode: str
    grid: Grid

    def choose(
        self, size: int | None, suppress: float, tell: Tell
    ) -> tuple["_MadeClasses", dict[str, float]]:
        """The classes that seem to lose least, and by their words what those that were compared seem to lose."""
        ways = self._list_ways(size)
        left_out = min(len(ways), _FINALISTS) if suppress else 0
        compared: list[tuple[float, int, _MadeClasses]] = []
        losses = {}

        def compare(choice: _MadeClasses) -> None:
            loss = _estimate_loss(self.scene, choice, self.table.n, _TRIED)
            losses[choice.words] = round(loss, 4)
            compared.append((loss, len(compared), choice))
            tell(len(compared) / (len(ways) + left_out))

        for way, rows in ways:
            compare(self._make(way, rows))
        for _, place, choice in sorted(compared)[:left_out]:
            try:
                without_some = self._make(*ways[place], suppress)
            except InfeasibleError:  # too few are left of a sensitive value
                continue
            if len(without_some.rows) < len(choice.rows):
                compare(without_some)
        if len(compared) == 1:
            return compared[0][2], losses
        best = [choice for *_, choice in sorted(compared)[:_FINALISTS]]  # of which a larger part is looked at
        tried = _FINALISTS * _TRIED
        return min(best, key=lambda choice: _estimate_loss(self.scene, choice, self.table.n, tried)), losses

    def _list_ways(self, size: int | None) -> list[tuple[str, int]]:
        """How classes are made, and their least sizes."""
        k, n = self.scene.claim.k, self.table.n
        sizes = (
            [max(size, k)] if size is not None else list(dict.fromkeys(min(k * times, n) for times in _SIZES))
        )
        sizes = [rows for rows in sizes if 2 * rows <= n or rows == sizes[0]]
        if self.scene.tally is not None and len(sizes) > 3:  # each takes long
            sizes = [sizes[0], *sizes[2::2]]
        clustered = sizes[: _COMPARED // (n * n * len(self.table.quasi))]
        ways = [(_BY_CORE, rows) for rows in sizes]
        ways += (
            [(_CLUSTERS, rows) for rows in clustered] if clustered else [(_BY_ALL, rows) for rows in sizes]
        )
        return ways

    @cached_property
    def _views(self) -> dict[bool, tuple[Table, LocalTable, ClassConstraint, ClassTally | None, float]]:
        """By whether classes are made by the core alone: what they are made of, and its share of the loss."""
        weight = dict(zip(self.scene.names, self.scene.weight.tolist(), strict=True))
        every = tuple(replace(column, weight=weight[column.name]) for column in self.table.quasi)
        views = {}
        for by_core, columns in ((True, self.table.core), (False, every)):
            seen = replace(self.table, columns=(*columns, *self.table.role("sensitive")), persons=None)
            made = prepare_classes(
                "core", seen, self.hierarchies, self.others, suppress=0.0, recode=self.recode, grid=self.grid
            )
            views[by_core] = seen, *made, sum(weight[column.name] for column in columns)
        return views

    def _make(self, way: str, rows: int, suppress: float = 0.0) -> "_MadeClasses":
        """Classes of at least so many rows; with `suppress` without those who stand out."""
        seen, local, ask, tally, share = self._views[way == _BY_CORE]
        words = f"{way}, {rows} rows"
        if suppress and share > 0:
            local = without_outliers(local, seen, rows, suppress, share=share)
            ask, tally = compile_constraint(
                "core", seen, local.rows, Constraint.of("core", self.others, seen)
            )
            words = f"{words}, {self.table.n - local.n} records left out"
        if way == _CLUSTERS:
            clusters = exchange_neighbours(local, cluster_records(local, rows, no_share)[0], rows, no_share)
            classes, _ = local.settle(clusters, ask, tally)
        else:
            classes = halve_classes(local, ask._replace(k=rows), tally, no_share)
        records = np.argsort(local.rows)
        return _MadeClasses(words, local.rows[records], classes.of_records()[records])


def _estimate_loss(scene: _Scene, choice: _MadeClasses, n: int, tried: int) -> float:
    """What a release of these classes would lose: known columns by a quick look at `tried` rows in some classes."""
    choice = scene.mix_rows(choice)
    classes = scene.classes(choice.rows, choice.class_of_row)
    order = scene.rng.permutation(len(classes.sizes))
    picked = order[: int(np.searchsorted(np.cumsum(classes.sizes[order]), tried)) + 1]
    some = classes.some(picked)
    _, cost = _find_parts(some, int(np.clip(_TRIED_WORK // some.work, 1, _TRIED_ROUNDS)))
    kept_loss = cost / max(some.n, 1) + float(scene.core_cost(choice.rows, classes).sum()) / max(classes.n, 1)
    return kept_loss * len(choice.rows) / n + (n - len(choice.rows)) / n


def estimate_losses(
    table: Table,
    hierarchies: Hierarchies,
    choices: Sequence[tuple[CoreAnonymity, Sequence[int]]],
    recode: str = "range",
    rng: np.random.Generator | None = None,
) -> list[float]:
    """About the mean `ncp` over all columns, by weight, of a release of each claim: the least of some sizes of classes.

    Claims differ in how many columns are known at once. Classes are made by the core, and known columns placed in some
    of them, not as often as a release does. Columns are read and priced once for all.
    """
    rng = np.random.default_rng(0) if rng is None else rng
    total = sum(column.weight for column in table.quasi)
    balance = sum(column.weight for column in table.core) / total if total > 0 else _LEAST_BALANCE
    others = KAnonymity(choices[0][0].k)
    scene = _Scene.of(table, hierarchies, choices[0][0], others, recode, None, balance, rng)
    known = [column.name for column in table.role("known")]
    part = replace(table, columns=table.core, persons=None)
    local, ask, tally = prepare_classes("core", part, hierarchies, others, suppress=0.0, recode=recode)
    records = np.argsort(local.rows)
    losses = []
    for claim, sizes in choices:
        seen = replace(scene, claim=claim, sets=_list_sets(claim, known))
        ways = (
            halve_classes(local, ask._replace(k=rows), tally, no_share).of_records()[records]
            for rows in dict.fromkeys(sizes)
        )
        made = (_MadeClasses("", local.rows[records], class_of_row) for class_of_row in ways)
        losses.append(min(_estimate_loss(seen, choice, table.n, 2 * _TRIED) for choice in made))
    return losses


def _list_sets(claim: CoreAnonymity, names: Sequence[str]) -> tuple[frozenset[int], ...]:
    """The closed sets of known columns that may be known at once, by their places."""
    if comb(len(names), min(claim.m, len(names))) > _SETS:
        raise InputError(
            f"core: there are too many sets of {claim.m} of {len(names)} known columns; let fewer be known at once"
        )
    place = {name: j for j, name in enumerate(names)}
    return tuple(frozenset(place[name] for name in known) for known in claim.list_sets(names))
