"""Core: classes by what everybody knows, and in each class the labels of columns of which somebody may know a few.

labels : int64[n]   a column's labels within classes; 0 is blank, the root of its hierarchy
groups : int64[n]   rows of one class with equal labels in some known columns have equal numbers

A class is a table of its own. At first every known column is blank in it, which keeps the claim. Then one column after
the other gets labels, as fine as all groups that somebody could tell apart allow, together with the columns before it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from typing import Annotated

import numpy as np

from shoal.algorithms.constraint import count_people, number_persons, refusal, refuse_crowd
from shoal.algorithms.knobs import Many, Share, Within
from shoal.algorithms.local.column_prices import count_lost_leaves
from shoal.algorithms.local.local_table import Grid, Recode
from shoal.algorithms.local.mondrian import mondrian
from shoal.base.errors import InputError
from shoal.base.progress import Progress, no_progress, start_step
from shoal.data import Column, Table
from shoal.data.arrays import B1, F8, I4, I8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import CoreAnonymity, KAnonymity
from shoal.release import Claim, PublishedValues, Recoded, Result

__all__ = ["core"]

_SIZES = (1, 3, 10, 30, 100, 300)  # times k: rows of a class
_COUNTED = 4  # times the rows: keys up to that are counted, others sorted first
_SETS = 50_000  # sets of known columns that groups are counted by

Balance = Annotated[float, Within(0, 1)]


@dataclass(frozen=True)
class _KnownColumn:
    """A known column of the rows of a release.

    nodes : by level int32[n], the node of each row, counted from 1; 0 is the root
    cost  : by level float64[n], what a row loses there
    """

    name: str
    hierarchy: Hierarchy
    weight: float
    nodes: tuple[I8, ...]
    cost: tuple[F8, ...]

    @classmethod
    def of(cls, column: Column, hierarchy: Hierarchy, rows: I8) -> "_KnownColumn":
        leaves = hierarchy.encode(column)[rows]
        shares = count_lost_leaves(hierarchy, np.arange(hierarchy.size + 1, dtype=np.int32))
        nodes, cost = [], []
        for level in range(hierarchy.height):
            labels = hierarchy.labels[level]
            is_root = np.array([label == hierarchy.root for label in labels])
            node = hierarchy.up[leaves, level].astype(np.int64)
            blank = is_root[node]
            nodes.append(np.where(blank, 0, node + 1))
            cost.append(np.where(blank, 1.0, shares[level][leaves] / max(hierarchy.domain, 1)))
        return cls(column.name, hierarchy, column.weight, tuple(nodes), tuple(cost))


@dataclass(frozen=True)
class _Labels:
    """What a column shows in each row: its level there, its node, counted from 1, and what that costs."""

    level: I8
    node: I8
    cost: F8

    @classmethod
    def blank(cls, n: int) -> "_Labels":
        return cls(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.ones(n))

    def replaced(self, rows: B1, other: "_Labels") -> "_Labels":
        """The same with other labels in some rows."""
        return _Labels(
            np.where(rows, other.level, self.level),
            np.where(rows, other.node, self.node),
            np.where(rows, other.cost, self.cost),
        )

    @cached_property
    def codes(self) -> I8:
        """Numbers that are equal where labels are: in one class all rows that are not blank have one level."""
        return self.node


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


@dataclass(frozen=True)
class _Classes:
    """Classes of rows, and what must hold in them.

    class_of_row : int64[n]
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

    def sum_by_class(self, cost: F8) -> F8:
        """What rows cost together, by class."""
        return np.bincount(self.class_of_row, cost, len(self.sizes))

    def sets_beside(self, column: int, placed: frozenset[int]) -> list[tuple[int, ...]]:
        """The largest sets of placed columns that somebody may know together with one."""
        beside = {(known & placed) - {column} for known in self.sets if column in known}
        largest: list[frozenset[int]] = []
        for known in sorted(beside, key=lambda one: (-len(one), sorted(one))):
            if not any(len(known) < len(larger) and known <= larger for larger in largest):
                largest.append(known)
        return [tuple(sorted(known)) for known in largest]

    def groups_beside(
        self, column: int, placed: frozenset[int], labels: Sequence[_Labels]
    ) -> list[tuple[I8, int]]:
        """By set of placed columns that may be known beside one: the groups of rows, and how many there are."""
        found = []
        for known in self.sets_beside(column, placed):
            number, width = _number(self.class_of_row, *(labels[j].codes for j in known))
            distinct = np.flatnonzero(np.bincount(number, minlength=width))
            if known and len(distinct) == len(self.sizes):
                known = ()  # they tell nothing beyond the class
            place = np.zeros(width, dtype=np.int64)
            place[distinct] = np.arange(len(distinct))
            found.append((known, place[number], len(distinct)))
        bare = [(number, size) for known, number, size in found if not known][:1]
        return [(number, size) for known, number, size in found if known] or bare

    def label_column(
        self, column: int, placed: frozenset[int], labels: Sequence[_Labels], before: _Labels
    ) -> _Labels:
        """The cheapest labels of a column beside the placed ones, in each class at one level; else those of `before`.

        Rows whose group would be too small are blank, and so are some others where blank ones are too few.
        """
        groups = self.groups_beside(column, placed, labels)
        best, best_cost = before, self.sum_by_class(before.cost)
        levels = []
        for level, (node, cost) in enumerate(
            zip(self.columns[column].nodes, self.columns[column].cost, strict=True)
        ):
            shown, width = self._blank_rare(node)
            bound = self.sum_by_class(np.where(shown > 0, cost, 1.0))
            levels.append((float(bound.sum()), level, shown, width, bound))
        for _, level, shown, width, bound in sorted(levels, key=lambda one: one[:2]):
            hopeful = bound < best_cost - 1e-9
            rows = np.flatnonzero(hopeful[self.class_of_row])
            if not len(rows):
                continue
            parts = [(number[rows], size) for number, size in groups]
            kept = self._blank_small(shown[rows], width, parts)
            node, cost = self.columns[column].nodes[level], self.columns[column].cost[level]
            is_shown = np.zeros(self.n, dtype=bool)
            is_shown[rows] = kept > 0
            made = _Labels(
                np.full(self.n, level, dtype=np.int64),
                np.where(is_shown, node, 0),
                np.where(is_shown, cost, 1.0),
            )
            made_cost = self.sum_by_class(made.cost)
            better = hopeful & (made_cost < best_cost - 1e-9)
            best = best.replaced(better[self.class_of_row], made)
            best_cost = np.where(better, made_cost, best_cost)
        return best

    def _blank_rare(self, node: I8) -> tuple[I8, int]:
        """Labels numbered from 1 within their class; those that fewer than k of its rows have are blank."""
        pair, width = _number(self.class_of_row, node)
        counts = np.bincount(pair, minlength=width)
        often = (counts[pair] >= self.k) & (node > 0)
        rows = np.flatnonzero(often)
        shown = np.zeros(self.n, dtype=np.int64)
        if not len(rows):
            return shown, 1
        distinct, place = np.unique(pair[rows], return_inverse=True)
        class_of_pair = np.zeros(len(distinct), dtype=np.int64)
        class_of_pair[place.reshape(-1)] = self.class_of_row[rows]
        order = np.argsort(class_of_pair, kind="stable")
        starts = np.r_[0, np.flatnonzero(np.diff(class_of_pair[order])) + 1]
        rank = np.empty(len(distinct), dtype=np.int64)
        rank[order] = np.arange(len(distinct)) - np.repeat(starts, np.diff(np.r_[starts, len(distinct)]))
        shown[rows] = rank[place.reshape(-1)] + 1
        return shown, int(rank.max()) + 2

    def _blank_small(self, shown: I8, width: int, groups: Sequence[tuple[I8, int]]) -> I8:
        """Blank cells until every group that shows a label, and every group of blanks, has k rows or none."""
        k, shown, quiet, turn = self.k, shown.copy(), 0, 0
        while quiet < len(groups):
            group, size = groups[turn % len(groups)]
            turn += 1
            key, space = (
                _number(group, shown)
                if size * width > 8 * len(shown) + 4096
                else (group * width + shown, size * width)
            )
            counts = np.bincount(key, minlength=space)
            is_small = (counts[key] < k) & (shown > 0)
            has_small = bool(is_small.any())
            if has_small:
                shown[is_small] = 0
            blanks = np.bincount(group[shown == 0], minlength=size)
            lacking = np.where((blanks > 0) & (blanks < k), k - blanks, 0)
            if lacking.any():
                fill = np.flatnonzero((lacking[group] > 0) & (shown > 0))
                spare = counts[key[fill]] >= k + lacking[group[fill]]
                order = fill[np.lexsort((self.rng.random(len(fill)), ~spare, group[fill]))]
                start = np.r_[True, np.diff(group[order]) > 0] if len(order) else np.zeros(0, dtype=bool)
                first = np.maximum.accumulate(np.where(start, np.arange(len(order)), 0))
                shown[order[np.arange(len(order)) - first < lacking[group[order]]]] = 0
            quiet = 0 if has_small or lacking.any() else quiet + 1
        return shown


def _label_columns(classes: _Classes, order: Sequence[int], sweeps: int) -> list[_Labels]:
    """Labels of all known columns, placed in an order; then each is placed anew beside all others."""
    everything = frozenset(range(len(classes.columns)))
    blank = _Labels.blank(classes.n)
    labels = [blank] * len(classes.columns)
    placed: frozenset[int] = frozenset()
    for column in order:
        labels[column] = classes.label_column(column, placed, labels, blank)
        placed |= {column}
    for _ in range(sweeps):
        for column in order:
            labels[column] = classes.label_column(column, everything - {column}, labels, labels[column])
    return labels


def _orders(classes: _Classes) -> Iterator[list[int]]:
    """Orders in which columns are placed: those that gain little first, those that gain much first, and by chance."""
    gain = []
    for column in classes.columns:
        costs = [
            classes.sum_by_class(np.where(classes._blank_rare(node)[0] > 0, cost, 1.0))
            for node, cost in zip(column.nodes, column.cost, strict=True)
        ]
        best = np.minimum.reduce([*costs, classes.sizes.astype(np.float64)])
        gain.append(float(classes.n - best.sum()))
    rising = np.argsort(gain, kind="stable").tolist()
    yield rising
    yield rising[::-1]
    yield classes.rng.permutation(len(gain)).tolist()


def _best_labels(classes: _Classes, sweeps: int) -> tuple[list[_Labels], float]:
    """The labels that lose least, class by class, of all orders; and what they lose together, by weight."""
    best: list[_Labels] = []
    best_cost = np.full(len(classes.sizes), np.inf)
    for order in _orders(classes):
        labels = _label_columns(classes, order, sweeps)
        cost = np.zeros(len(classes.sizes))
        for column, made in zip(classes.columns, labels, strict=True):
            cost += column.weight * classes.sum_by_class(made.cost)
        better = (cost < best_cost)[classes.class_of_row]
        best = [old.replaced(better, new) for old, new in zip(best, labels, strict=True)] if best else labels
        best_cost = np.minimum(best_cost, cost)
    return best, float(best_cost.sum())


@dataclass(frozen=True)
class _Made:
    """A release: classes by the core, the labels of known columns, and what both lose on average."""

    rows_per_class: int
    release: Recoded
    labels: list[_Labels]
    columns: tuple[_KnownColumn, ...]
    core_loss: float
    known_loss: float

    def loss(self, balance: float) -> float:
        """What is compared: the core counts with a share of `balance`."""
        return balance * self.core_loss + (1 - balance) * self.known_loss


def _core_cost(release: Recoded, table: Table, hierarchies: Hierarchies) -> float:
    """What the core loses on average, as `ncp` counts it, by weight."""
    total, weight = 0.0, 0.0
    for j, name in enumerate(release.names):
        leaves = release.forms[j].counts(hierarchies[name].size).astype(np.float64)
        share = np.where(leaves > 1, leaves, 0.0) / max(hierarchies[name].domain, 1)
        column = table.column(name)
        total += column.weight * float(np.minimum(share, 1.0)[release.codes[:, j]].mean())
        weight += column.weight
    return total / weight if weight else 0.0


def _class_numbers(release: Recoded) -> I8:
    """The class of each row: equal labels, whatever they stand for, are one."""
    columns = [forms.texts()[release.codes[:, j]] for j, forms in enumerate(release.forms)]
    number, width = _number(*columns)
    distinct = np.flatnonzero(np.bincount(number, minlength=width))
    place = np.zeros(width, dtype=np.int64)
    place[distinct] = np.arange(len(distinct))
    return place[number]


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
        The share of records that may be left out where classes are made, 0 <= suppress < 1.
    recode, grid
        As in `mstk`, for quasi-identifiers; known columns are published as nodes of their hierarchies.
    size
        The least number of rows of a class. Where it is not given several are tried, from k to 300 k.
    balance
        How much the quasi-identifiers weigh where sizes are compared, from 0 to 1: the larger classes are, the less is
        left of these, and the more of the known columns.
    sweeps
        How often each known column is placed anew beside all others.
    rng
        Draws the cells that are blank so that blank ones are not too few, and an order of columns; tests give one.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result[Recoded]
        The trace tells the rows of a class, how many cells of known columns are blank, and what sizes would lose.

    Raises
    ------
    InfeasibleError
        k exceeds the number of records.
    InputError
        The claim is another one, or there are too many sets of known columns.

    Notes
    -----
    *Guarantee.* Classes hold k rows or more. Of each column only cells are blanked that are being placed, and it is
    placed only as every group keeps k that somebody can tell apart by it and by the columns placed before; a set of
    known columns is closed under what follows from them. So the claim holds after each step.

    *Method.* Classes are halved as in `mondrian`, for several least sizes. In each class every known column is `*` at
    first. Columns are placed one after the other, at the level of their hierarchy, and with the blanks, that cost
    least: rows of too small groups become blank, and where too few are blank others are drawn to be so too. Then each
    is placed anew beside all others. Three orders are tried; of these the cheapest is taken in each class.

    *Complexity.* For m = 2 and d known columns O(n d^2) for each level, order and size.

    *Departures.* None: no paper has this method.

    *Randomness.* Which cells are blank although their own groups are large enough, and one order of columns.

    Examples
    --------
    >>> from shoal.hierarchy import Hierarchy
    >>> flat = Hierarchy.from_paths("visits", [[text, "*"] for text in ("1", "2", "7")])
    >>> town = Hierarchy.from_paths("town", [["Bonn", "*"], ["Oslo", "*"]])
    >>> people = Table((
    ...     Column.of("town", "quasi", ["Bonn"] * 5), Column.of("visits", "known", ["1", "1", "2", "2", "7"])
    ... ))
    >>> rng = np.random.default_rng(1)
    >>> release = core(people, {"town": town, "visits": flat}, CoreAnonymity(2, 1), rng=rng).release
    >>> sorted(release.forms[1].labels[code] for code in release.codes[:, 1])
    ['*', '*', '*', '1', '1']
    """
    if not isinstance(claim, CoreAnonymity):
        raise refusal("core", claim)
    if not 0 <= balance <= 1:
        raise InputError("core: balance must be a number from 0 to 1")
    rng = np.random.default_rng() if rng is None else rng
    refuse_crowd("core", claim.k, *count_people(number_persons(table), table.n))
    known = table.role("known")
    sets = _list_sets(claim, [column.name for column in known])
    alone = replace(table, columns=table.core)
    tell = start_step(progress, "placing known columns")
    best: _Made | None = None
    losses: dict[str, float] = {}
    sizes = [size] if size is not None else _list_sizes(claim.k, table.n)
    for turn, rows_per_class in enumerate(sizes):
        least = KAnonymity(max(claim.k, rows_per_class))
        release = mondrian(alone, hierarchies, least, suppress=suppress, recode=recode, grid=grid).release
        columns = tuple(_KnownColumn.of(column, hierarchies[column.name], release.rows) for column in known)
        classes = _Classes(claim.k, _class_numbers(release), columns, sets, rng)
        labels, cost = _best_labels(classes, sweeps)
        weight = sum(column.weight for column in known) * classes.n
        core_loss = _core_cost(release, table, hierarchies)
        made = _Made(rows_per_class, release, labels, columns, core_loss, cost / weight if weight else 0.0)
        losses[f"loss of the core and of known columns, {rows_per_class} rows a class"] = made.loss(balance)
        if best is None or made.loss(balance) < best.loss(balance):
            best = made
        tell((turn + 1) / len(sizes))
    assert best is not None
    blank = sum(int((labels.node == 0).sum()) for labels in best.labels)
    facts = {"rows a class": best.rows_per_class, "blank cells of known columns": blank}
    shares = {"core loss": best.core_loss, "loss of known columns": best.known_loss}
    return Result(_write_release(best, table), claim, trace={**facts, **shares, **losses})


def _list_sizes(k: int, n: int) -> list[int]:
    """The least sizes of classes that are tried, the last of them all rows."""
    return [*dict.fromkeys(min(k * times, n) for times in _SIZES)]


def _list_sets(claim: CoreAnonymity, names: Sequence[str]) -> tuple[frozenset[int], ...]:
    """The closed sets of known columns that may be known at once, by their places."""
    if comb(len(names), min(claim.m, len(names))) > _SETS:
        raise InputError(
            f"core: there are too many sets of {claim.m} of {len(names)} known columns; let fewer be known at once"
        )
    place = {name: j for j, name in enumerate(names)}
    return tuple(frozenset(place[name] for name in known) for known in claim.list_sets(names))


def _write_release(made: _Made, table: Table) -> Recoded:
    """The release with all columns that others may know, in table order."""
    column_of_name = {column.name: j for j, column in enumerate(made.columns)}
    forms, codes = [], []
    for column in table.quasi:
        if column.name in column_of_name:
            j = column_of_name[column.name]
            column_forms, column_codes = _write_column(made.columns[j].hierarchy, made.labels[j])
        else:
            j = made.release.names.index(column.name)
            column_forms, column_codes = made.release.forms[j], made.release.codes[:, j]
        forms.append(column_forms)
        codes.append(column_codes)
    names = tuple(column.name for column in table.quasi)
    stacked = np.ascontiguousarray(np.stack(codes, axis=1).astype(np.int32))
    return Recoded(names, tuple(forms), stacked, made.release.rows, made.release.records)


def _write_column(hierarchy: Hierarchy, labels: _Labels) -> tuple[PublishedValues, I4]:
    """What a known column publishes: nodes of its hierarchy; those of one text are one."""
    is_blank = labels.node == 0
    level = np.where(is_blank, hierarchy.height, labels.level)
    node = np.where(is_blank, 0, labels.node - 1)
    pairs, code_of_row = np.unique(np.stack([level, node], axis=1), axis=0, return_inverse=True)
    number_of_label: dict[str, int] = {}
    spans, code_of_pair = [], []
    for pair_level, pair_node in pairs.tolist():
        label = hierarchy.labels[pair_level][pair_node]
        if label not in number_of_label:
            number_of_label[label] = len(spans)
            spans.append(hierarchy.spans[pair_level][pair_node])
        code_of_pair.append(number_of_label[label])
    forms = PublishedValues.of_spans(hierarchy, list(number_of_label), np.array(spans, dtype=np.int32))
    return forms, np.array(code_of_pair, dtype=np.int32)[code_of_row.reshape(-1)]
