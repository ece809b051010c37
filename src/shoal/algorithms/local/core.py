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
from itertools import product
from math import comb
from typing import Annotated, Any

import numpy as np

from shoal.algorithms._kernels import RANGE
from shoal.algorithms.constraint import constraint_for_k, count_people, number_persons, refusal, refuse_crowd
from shoal.algorithms.knobs import Many, OneOf, Share, Within
from shoal.algorithms.local.column_prices import ColumnCosts
from shoal.algorithms.local.local_table import Grid, LocalTable, prepare_classes, write_nodes, write_ranges
from shoal.algorithms.local.mondrian import cluster_records, halve_classes
from shoal.base.arguments import check_whole, is_number
from shoal.base.errors import InputError
from shoal.base.progress import Progress, no_progress, no_share, start_step
from shoal.data import Table
from shoal.data.arrays import F8, I4, I8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import CoreAnonymity, KAnonymity
from shoal.release import Claim, Recoded, Result

__all__ = ["core"]

_SIZES = (1, 2, 4, 10, 30, 100)  # times k: rows of a class
_BINS = (2, 3, 4, 6, 9, 14, 20, 40, 100)  # parts that numbers of a class are cut into
_COUNTED = 4  # times the rows: keys up to that are counted, others sorted first
_SETS = 50_000  # sets of known columns that groups are counted by
_TRIED = 1_200  # rows of some classes, by which ways to make classes are compared
_COMPARED = 2_000_000_000  # records times records times columns: some seconds of `kmember`

Balance = Annotated[float, Within(0, 1)]
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

    def price(self, low: I4, high: I4) -> F8:
        """What a row loses that is published with a label from one place to another, 0 to 1."""
        scale, hierarchy = self.scale, self.hierarchy
        if scale.kind == RANGE:
            bottom, top, alone = scale.table.reshape(3, -1)
            width = np.minimum(top[high] - bottom[low], scale.root)
            return np.asarray(np.where(low == high, alone[low], width) / max(scale.root, 1))
        first, last = scale.leaf[low], scale.leaf[high]
        level = np.zeros(len(low), dtype=np.int64)
        for l in range(hierarchy.height):
            level += hierarchy.up[first, l] != hierarchy.up[last, l]
        sizes = _node_sizes(hierarchy)
        leaves = sizes[level, hierarchy.up[first, level]]
        return np.asarray(np.where(leaves > 1, np.minimum(leaves / max(hierarchy.domain, 1), 1.0), 0.0))

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

    class_of_row : int64[n], from 0 without gaps
    sets         : closed sets of known columns, by their places
    """

    k: int
    class_of_row: I8
    columns: tuple[_KnownColumn, ...]
    sets: tuple[frozenset[int], ...]
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
        return replace(self, class_of_row=number[self.class_of_row[rows]], columns=columns)

    def extents(self, column: _KnownColumn, parts: I8) -> tuple[I8, I4, I4]:
        """The label of each row, by part of its class, and the lowest and the highest place of each label."""
        label, count = _close_gaps(*_number(self.class_of_row, parts))
        low = np.full(count, np.iinfo(np.int32).max, dtype=np.int32)
        high = np.full(count, -1, dtype=np.int32)
        order = np.lexsort((column.places, label))
        starts = np.flatnonzero(np.r_[True, np.diff(label[order]) > 0])
        low[:] = column.places[order[starts]]
        high[:] = column.places[order[np.r_[starts[1:] - 1, len(order) - 1]]]
        return label, low, high

    def _price_parts(self, column: _KnownColumn, parts: I8) -> F8:
        label, low, high = self.extents(column, parts)
        return column.price(low, high)[label]

    @cached_property
    def _cuts(self) -> list[list[tuple[I8, int]]]:
        """By column the ways to cut classes into parts, numbered from 1, of at least k rows each; the rest is 0."""
        cuts = []
        for column in self.columns:
            different: dict[bytes, tuple[I8, int]] = {}
            for node in column.ways(self.class_of_row):
                parts, width = self._number_parts(node)
                if parts.any():
                    different.setdefault(parts.astype(np.int32).tobytes(), (parts, width))
            cuts.append(list(different.values()))
        return cuts

    def _number_parts(self, node: I8) -> tuple[I8, int]:
        """Parts numbered from 1 within their class; those of fewer than k rows are the rest."""
        pair, width = _number(self.class_of_row, node)
        counts = np.bincount(pair, minlength=width)
        rows = np.flatnonzero(counts[pair] >= self.k)
        parts = np.zeros(self.n, dtype=np.int64)
        if not len(rows):
            return parts, 1
        distinct, place = np.unique(pair[rows], return_inverse=True)
        place = place.reshape(-1)
        class_of_pair = np.zeros(len(distinct), dtype=np.int64)
        class_of_pair[place] = self.class_of_row[rows]
        order = np.argsort(class_of_pair, kind="stable")
        starts = np.r_[0, np.flatnonzero(np.diff(class_of_pair[order])) + 1]
        rank = np.empty(len(distinct), dtype=np.int64)
        rank[order] = np.arange(len(distinct)) - np.repeat(starts, np.diff(np.r_[starts, len(distinct)]))
        parts[rows] = rank[place] + 1
        return parts, int(rank.max()) + 2

    def groups_beside(
        self, column: int, placed: frozenset[int], labels: Sequence[_ColumnParts]
    ) -> list[tuple[I8, int]]:
        """By set of placed columns that may be known beside one: the groups of rows, and how many there are."""
        beside = {(known & placed) - {column} for known in self.sets if column in known}
        largest: list[frozenset[int]] = []
        for known in sorted(beside, key=lambda one: (-len(one), sorted(one))):
            if not any(len(known) < len(larger) and known <= larger for larger in largest):
                largest.append(known)
        found = []
        for known in largest:
            telling = [labels[j].parts for j in sorted(known) if labels[j].parts.any()]
            if telling:
                found.append(_close_gaps(*_number(self.class_of_row, *telling)))
        return found or [(self.class_of_row, len(self.sizes))] * bool(largest)

    def cut_column(
        self, column: int, placed: frozenset[int], labels: Sequence[_ColumnParts], before: _ColumnParts
    ) -> _ColumnParts:
        """The cheapest parts of a column beside the placed ones, in each class in one way; else those of `before`."""
        groups = self.groups_beside(column, placed, labels)
        best, best_cost = before, self.sum_by_class(before.cost)
        for parts, width in self._cuts[column]:
            rows = np.flatnonzero(((best_cost > 1e-9) & (self._most_parts(parts) > 0))[self.class_of_row])
            if not len(rows):
                continue
            kept = np.zeros(self.n, dtype=np.int64)
            kept[rows] = self._join_small(
                parts[rows], width, [(number[rows], size) for number, size in groups]
            )
            made = _ColumnParts(kept, self._price_parts(self.columns[column], kept))
            made_cost = self.sum_by_class(made.cost)
            better = made_cost < best_cost - 1e-9
            best = best.replace_rows(better[self.class_of_row], made)
            best_cost = np.where(better, made_cost, best_cost)
        return best

    def _most_parts(self, parts: I8) -> I8:
        """Whether a class has parts at all, as a number by class."""
        return np.bincount(self.class_of_row, parts > 0, len(self.sizes)).astype(np.int64)

    def _join_small(self, parts: I8, width: int, groups: Sequence[tuple[I8, int]]) -> I8:
        """Put rows to the rest until every group of a part, and every group of the rest, has k rows or none."""
        k, parts, quiet, turn = self.k, parts.copy(), 0, 0
        while quiet < len(groups):
            group, size = groups[turn % len(groups)]
            turn += 1
            key, space = _number(group, parts)
            counts = np.bincount(key, minlength=space)
            is_small = (counts[key] < k) & (parts > 0)
            has_small = bool(is_small.any())
            if has_small:
                parts[is_small] = 0
            rest = np.bincount(group[parts == 0], minlength=size)
            lacking = np.where((rest > 0) & (rest < k), k - rest, 0)
            if lacking.any():
                fill = np.flatnonzero((lacking[group] > 0) & (parts > 0))
                is_tight = counts[key[fill]] < k + lacking[group[fill]]
                order = fill[np.lexsort((self.rng.random(len(fill)), is_tight, group[fill]))]
                is_first = np.r_[True, np.diff(group[order]) > 0][: len(order)]
                first = np.maximum.accumulate(np.where(is_first, np.arange(len(order)), 0))
                parts[order[np.arange(len(order)) - first < lacking[group[order]]]] = 0
            quiet = 0 if has_small or lacking.any() else quiet + 1
        return parts


def _cut_columns(classes: _Classes, order: Sequence[int], sweeps: int) -> list[_ColumnParts]:
    """Parts of all known columns, placed in an order; then each is placed anew beside all others."""
    everything, whole = frozenset(range(len(classes.columns))), classes.whole
    labels, placed = list(whole), frozenset[int]()
    for column in order:
        labels[column] = classes.cut_column(column, placed, labels, whole[column])
        placed |= {column}
    for _ in range(sweeps):
        for column in order:
            labels[column] = classes.cut_column(column, everything - {column}, labels, labels[column])
    return labels


def _list_orders(classes: _Classes) -> list[list[int]]:
    """Orders in which columns are placed: those that gain little first, those that gain much first, and by chance."""
    gain = []
    for column, whole in enumerate(classes.whole):
        alone = classes.cut_column(column, frozenset(), classes.whole, whole)
        gain.append(float(whole.cost.sum() - alone.cost.sum()))
    rising = np.argsort(gain, kind="stable").tolist()
    return [rising, rising[::-1], classes.rng.permutation(len(gain)).tolist()]


def _find_parts(classes: _Classes, orders: int, sweeps: int) -> tuple[list[_ColumnParts], float]:
    """The parts that lose least, class by class, of some orders; and what they lose together, by weight."""
    best: list[_ColumnParts] = []
    best_cost = np.full(len(classes.sizes), np.inf)
    for order in _list_orders(classes)[:orders]:
        labels = _cut_columns(classes, order, sweeps)
        cost = np.zeros(len(classes.sizes))
        for column, made in zip(classes.columns, labels, strict=True):
            cost += column.weight * classes.sum_by_class(made.cost)
        better = (cost < best_cost)[classes.class_of_row]
        best = (
            [old.replace_rows(better, new) for old, new in zip(best, labels, strict=True)] if best else labels
        )
        best_cost = np.minimum(best_cost, cost)
    return best, float(best_cost.sum())


@dataclass(frozen=True)
class _Scene:
    """All records as places of every column that others may know.

    places : int32[n, d]
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
    rng: np.random.Generator

    @classmethod
    def of(
        cls,
        table: Table,
        hierarchies: Hierarchies,
        claim: CoreAnonymity,
        recode: str,
        grid: Grid,
        balance: float,
        rng: np.random.Generator,
    ) -> "_Scene":
        ways = ("hierarchy", "range")
        local = LocalTable.of(
            "core", table, hierarchies, recode=recode, grid=grid, mix=False, k=claim.k, recodes=ways
        )
        is_core = np.array([column.role == "quasi" for column in table.quasi])
        weight = np.array([column.weight for column in table.quasi], dtype=np.float64)
        for part, share in ((is_core, balance), (~is_core, 1 - balance)):
            total = weight[part].sum()
            weight[part] = share * (weight[part] / total if total > 0 else 1 / max(part.sum(), 1))
        known = [column.name for column in table.role("known")]
        return cls(
            claim,
            local.names,
            local.hierarchies,
            local.scales,
            local.codes[np.argsort(local.rows)],
            is_core,
            weight,
            _list_sets(claim, known),
            rng,
        )

    def column(self, j: int, rows: I8) -> _KnownColumn:
        """A column of some records."""
        return _KnownColumn(self.hierarchies[j], self.scales[j], self.places[rows, j], float(self.weight[j]))

    def classes(self, rows: I8, class_of_row: I8) -> _Classes:
        """Classes of some records, with their known columns."""
        columns = tuple(self.column(j, rows) for j in np.flatnonzero(~self.core).tolist())
        return _Classes(self.claim.k, class_of_row, columns, self.sets, self.rng)

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
            write = write_ranges if column.scale.kind == RANGE else write_nodes
            values, form = write(column.hierarchy, column.scale, low, high)
            forms.append(values)
            codes.append(form[label].astype(np.int32))
        stacked = np.ascontiguousarray(np.stack(codes, axis=1))
        core = tuple(name for name, is_core in zip(self.names, self.core, strict=True) if is_core)
        return Recoded(self.names, tuple(forms), stacked, rows, records, core=core)


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
    balance: Balance = 0.5,
    sweeps: Annotated[int, Within(0)] = 1,
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Publish `table` in classes by its core, and in each class known columns as fine as groups of k allow.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier and each known column.
    claim
        k-anonymity with known columns, and nothing else.
    suppress
        The share of records that may be left out: 0, for this method leaves out none.
    recode, grid
        As in `mstk`.
    size
        The least number of rows of a class. Where it is not given several are tried, from k to 100 k.
    balance
        How much the quasi-identifiers weigh where ways to make classes are compared, from 0 to 1: the larger classes
        are, the less is left of these, and the more of the known columns.
    sweeps
        How often each known column is placed anew beside all others.
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
        The claim is another one, or there are too many sets of known columns.

    Notes
    -----
    *Guarantee.* Classes hold k rows or more. A known column is cut into parts only as every group keeps k that
    somebody can tell apart by it and by the columns placed before; a set of known columns is closed under what follows
    from them. So the claim holds after each step. Labels depend on class and part alone, so that equal labels of two
    classes only unite groups.

    *Method.* Classes are made by the core alone (`mondrian`), and by all columns (`mondrian`, and `kmember` where that
    is quick), of several least sizes; those are taken that lose least in some of the rows. In each class every known
    column has one label at first. Columns are placed one after the other, cut at a level of their hierarchy or into
    ranges of about as many rows, whatever costs least. Rows whose groups would be too small are the rest of their
    class, and where the rest is too small itself others are drawn to join it. Then each column is placed anew beside
    all others. Three orders are tried; of these the cheapest is taken in each class.

    *Complexity.* For m = 2 and d known columns O(n d^2) for each cut, order and sweep.

    *Departures.* None: no paper has this method.

    *Randomness.* Which rows join the rest although their own groups are large enough, one order of columns, and the
    classes in which ways to make them are compared.

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
    if not isinstance(claim, CoreAnonymity):
        raise refusal("core", claim)
    if suppress:
        raise InputError("core: it leaves out no records; leave suppress out")
    if not is_number(balance) or not 0 <= balance <= 1:
        raise InputError("core: balance must be a number from 0 to 1")
    if size is not None:
        check_whole("core", "size", size)
    if isinstance(sweeps, bool) or not isinstance(sweeps, int) or sweeps < 0:
        raise InputError("core: sweeps must be a whole number of at least 0")
    rng = np.random.default_rng() if rng is None else rng
    refuse_crowd("core", claim.k, *count_people(number_persons(table), table.n))
    scene = _Scene.of(table, hierarchies, claim, recode, grid, balance, rng)
    options = {"suppress": 0.0, "recode": recode, "grid": grid}
    tell = start_step(progress, "comparing classes")
    best: tuple[float, _MadeClasses] | None = None
    losses = {}
    for done, choice in _list_choices(table, hierarchies, scene, options, size):
        loss = _estimate_loss(scene, choice, table.n)
        losses[choice.words] = round(loss, 4)
        if best is None or loss < best[0]:
            best = loss, choice
        tell(done)
    assert best is not None
    progress("placing known columns")
    choice = best[1]
    classes = scene.classes(choice.rows, choice.class_of_row)
    labels, known_cost = _find_parts(classes, 3, sweeps)
    core_cost = float(scene.core_cost(choice.rows, classes).sum())
    trace = {
        "classes": choice.words,
        "loss of the core, weighed": core_cost / classes.n,
        "loss of known columns, weighed": known_cost / classes.n,
        "cells in the rest": sum(int((made.parts == 0).sum()) for made in labels),
        **losses,
    }
    return Result(scene.write(choice.rows, classes, labels, table.n), claim, trace=trace)


def _list_choices(
    table: Table, hierarchies: Hierarchies, scene: _Scene, options: dict[str, Any], size: int | None
) -> Iterator[tuple[float, _MadeClasses]]:
    """The classes that are compared, and what share of them is made."""
    k, n = scene.claim.k, table.n
    weight = dict(zip(scene.names, scene.weight.tolist(), strict=True))
    columns = tuple(replace(column, weight=weight[column.name]) for column in table.quasi)
    sizes = [max(size, k)] if size is not None else list(dict.fromkeys(min(k * times, n) for times in _SIZES))
    ways = ["classes by the core", "classes by all columns"]
    if n * n * len(columns) <= _COMPARED:
        ways.append("clusters by all columns")
    for turn, (way, rows) in enumerate(product(ways, sizes)):
        if rows == sizes[0] and way != "clusters by all columns":
            seen = table.core if way == "classes by the core" else columns
            part = replace(table, columns=seen, persons=None)
            local, _, tally = prepare_classes("core", part, hierarchies, KAnonymity(k), **options)
        least = min(rows, local.n)
        if way == "clusters by all columns":
            classes, _ = cluster_records(local, least, no_share)
        else:
            classes = halve_classes(local, constraint_for_k(least), tally, no_share)
        records = np.argsort(local.rows)
        choice = _MadeClasses(f"{way}, {rows} rows", local.rows[records], classes.of_records()[records])
        yield (turn + 1) / (len(ways) * len(sizes)), choice


def _estimate_loss(scene: _Scene, choice: _MadeClasses, n: int) -> float:
    """What a release of these classes would lose, by a quick look at some of them; who is left out loses all."""
    order = scene.rng.permutation(int(choice.class_of_row.max()) + 1)
    sizes = np.bincount(choice.class_of_row)
    picked = order[: int(np.searchsorted(np.cumsum(sizes[order]), _TRIED)) + 1]
    rows = choice.rows[np.isin(choice.class_of_row, picked)]
    some = scene.classes(choice.rows, choice.class_of_row).some(picked)
    _, cost = _find_parts(some, 1, 0)
    kept_loss = (cost + float(scene.core_cost(rows, some).sum())) / max(some.n, 1)
    return kept_loss * len(choice.rows) / n + (n - len(choice.rows)) / n


def _list_sets(claim: CoreAnonymity, names: Sequence[str]) -> tuple[frozenset[int], ...]:
    """The closed sets of known columns that may be known at once, by their places."""
    if comb(len(names), min(claim.m, len(names))) > _SETS:
        raise InputError(
            f"core: there are too many sets of {claim.m} of {len(names)} known columns; let fewer be known at once"
        )
    place = {name: j for j, name in enumerate(names)}
    return tuple(frozenset(place[name] for name in known) for known in claim.list_sets(names))
