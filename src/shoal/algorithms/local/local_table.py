"""A table as local methods see it: records by rising code, priced by column; classes of them, and their labels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import Annotated

import numpy as np

from shoal.algorithms._kernels import (
    NEVER,
    RANGE,
    SET,
    ClassConstraint,
    ClassTally,
    Rates,
    TupleLayout,
    empty_tally,
)
from shoal.algorithms.constraint import (
    Constraint,
    OverallCounts,
    compile_constraint,
    constraint_for_k,
    number_persons,
)
from shoal.algorithms.knobs import OneOf, suppression_limit
from shoal.algorithms.lattice.cube import Cube
from shoal.algorithms.local._kernels.clustering import cut_walk, repair
from shoal.algorithms.local.column_prices import (
    NO_PLACE,
    ColumnCosts,
    default_grid,
    node_costs,
    places_from_leaves,
    price_order,
    range_costs,
    rates_of,
    set_costs,
    shares_of,
    sort_records,
)
from shoal.base.errors import InputError
from shoal.base.naming import did_you_mean
from shoal.data import Table
from shoal.data.arrays import B1, I4, I8, row_of_entry
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.labels import (
    MISSING,
    can_say_missing,
    interval,
    leaves_of,
    numbers_of,
    open_sides,
    or_missing,
    refuse_lookalikes,
    set_label,
    spell_number,
    tail_of,
    to_units,
)
from shoal.hierarchy.labels import decimal_places as decimals_of
from shoal.release import Claim, PublishedValues, Recoded, Result

__all__ = [
    "CENTRES",
    "LABELS",
    "ON_GRID",
    "Grid",
    "LocalTable",
    "Partition",
    "Recode",
    "TableRecode",
    "prepare_classes",
    "without_outliers",
    "write_nodes",
    "write_ranges",
    "write_sets",
]

Grid = float | Mapping[str, float] | None
LABELS = ("hierarchy", "range", "span")
ON_GRID = ("range", "span")
CENTRES = ("mean", "median")
Recode = Annotated[str, OneOf(LABELS)]
TableRecode = Annotated[str, OneOf((*LABELS, *CENTRES))]

_REACH = 2_000  # classes on either side among which a class that breaks a claim looks for a partner


@dataclass(frozen=True, slots=True)
class Partition:
    """Records in classes: class c is walk[starts[c] : starts[c + 1]]."""

    walk: I8
    starts: I8

    @classmethod
    def of(cls, number: I8) -> "Partition":
        """Records with equal numbers are a class."""
        walk = np.argsort(number, kind="stable")
        return cls(walk, np.r_[0, np.flatnonzero(np.diff(number[walk])) + 1, len(number)].astype(np.int64))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> I8:
        """The records of each class."""
        return np.diff(self.starts)

    def of_records(self) -> I8:
        """The class of each record."""
        class_of_record = np.empty(len(self.walk), dtype=np.int64)
        class_of_record[self.walk] = row_of_entry(self.starts)
        return class_of_record

    def sort_classes(self) -> "Partition":
        """The same classes by smallest record: their order depends only on which records are together."""
        number = self.of_records()
        first = np.unique(number, return_index=True)[1]
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return Partition.of(rank[number])


@dataclass(frozen=True)
class LocalTable:
    """The records that are kept, by rising code: of two records the smaller one comes first.

    rows     : int64[n]     the original record behind each
    codes    : int32[n, d]  places of `scales`
    tuple_of : int64[n]     0, 1, ... equal where the quasi-identifiers are
    words    : int64[W, m]  the distinct tuples, packed as `layout` says
    recode   : how a class is written
    records  : how many records came in
    scaled   : prices the columns of records given as leaf codes
    """

    method: str
    names: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    scales: tuple[ColumnCosts, ...]
    rows: I8
    codes: I4
    tuple_of: I8
    words: I8
    layout: TupleLayout
    recode: str
    records: int
    scaled: Callable[[I4], tuple[ColumnCosts, ...]]

    @classmethod
    def of(
        cls,
        method: str,
        table: Table,
        hierarchies: Hierarchies,
        *,
        recode: str,
        grid: Grid,
        mix: bool,
        k: int = 1,
        recodes: tuple[str, ...] = (*LABELS, *CENTRES),
    ) -> "LocalTable":
        """Sort and price the quasi-identifiers of `table`; `recodes` are the ways to write a class that there are."""
        if recode not in recodes:
            *first_recodes, last = recodes
            choices = f"{', '.join(first_recodes)} or {last}"
            raise InputError(
                f"{method}: recode must be {choices}{did_you_mean(recode, recodes)}", value=recode
            )
        cube = Cube.of(method, replace(table, persons=None), hierarchies)
        rows, tuple_of, words = sort_records(cube.packed, table, mix=mix)
        leaves = cube.leaves[rows]
        steps = _grid_steps(method, dict(zip(cube.names, cube.hierarchies, strict=True)), recode, grid)
        people = 1 if table.persons is None else int(np.bincount(table.persons).max(initial=1))
        shares = shares_of(table)

        def price_columns(leaves: I4) -> tuple[ColumnCosts, ...]:
            return tuple(
                _price_column(hierarchy, leaves[:, j], recode, steps.get(name), float(shares[j]), k * people)
                for j, (name, hierarchy) in enumerate(zip(cube.names, cube.hierarchies, strict=True))
            )

        scales = price_columns(leaves)
        return cls(
            method,
            cube.names,
            cube.hierarchies,
            scales,
            rows,
            places_from_leaves(scales, leaves),
            tuple_of,
            words,
            cube.layout,
            recode,
            cube.n,
            price_columns,
        )

    @property
    def n(self) -> int:
        """The number of records kept."""
        return len(self.rows)

    @cached_property
    def rates(self) -> Rates:
        """What classes cost."""
        return rates_of(self.scales)

    @cached_property
    def first(self) -> I8:
        """The first record of each tuple."""
        return np.flatnonzero(np.r_[True, np.diff(self.tuple_of) > 0])

    @cached_property
    def tuples(self) -> I4:
        """int32[m, d]: the distinct tuples as places."""
        return np.ascontiguousarray(self.codes[self.first])

    @cached_property
    def counts(self) -> I8:
        """How many records each tuple stands for."""
        return np.asarray(np.diff(np.r_[self.first, self.n]), dtype=np.int64)

    @property
    def leaves(self) -> I4:
        """int32[n, d]: the records as leaf codes."""
        return np.stack([scale.leaf[self.codes[:, j]] for j, scale in enumerate(self.scales)], axis=1)

    def along(self, line: I8) -> I8:
        """The records along a line of tuples."""
        rank = np.empty(len(line), dtype=np.int64)
        rank[line] = np.arange(len(line))
        return np.argsort(rank[self.tuple_of], kind="stable")

    def keeping(self, kept: I8) -> "LocalTable":
        """The same table without the other records."""
        kept_tuples, tuple_of = np.unique(self.tuple_of[kept], return_inverse=True)
        leaves = self.leaves[kept]
        # What is left out sets no grid.
        scales = self.scaled(leaves) if self.recode != "hierarchy" else self.scales
        return replace(
            self,
            rows=self.rows[kept],
            scales=scales,
            codes=np.ascontiguousarray(places_from_leaves(scales, leaves)),
            tuple_of=tuple_of.astype(np.int64),
            words=np.ascontiguousarray(self.words[:, kept_tuples]),
        )

    def settle(
        self, classes: Partition, ask: ClassConstraint, tally: ClassTally | None
    ) -> tuple[Partition, int]:
        """Merge classes that break the claim, and count the mergers; classes written alike are one class.

        With k alone, and if every record is a person, classes of at least k keep the claim, and so do their unions.
        """
        is_k_only = not len(ask.who) and not len(ask.what)
        if is_k_only and classes.sizes.min() >= ask.k:
            return classes, 0
        mergers = 0
        while True:
            classes = classes.sort_classes()
            walk, starts, new_mergers = repair(
                self.codes, classes.walk, classes.starts, _REACH, self.rates, ask, tally
            )
            classes, mergers = Partition(walk, starts), mergers + new_mergers
            label_ids = self._number_by_label(classes)
            if is_k_only or label_ids.max() + 1 == len(classes):
                return classes, mergers
            classes = Partition.of(label_ids[classes.of_records()])

    def _write_classes(
        self, classes: Partition, levels: I8 | None = None
    ) -> tuple[tuple[PublishedValues, ...], I4]:
        """The forms of every column, and int32[classes, d]: which one each class has."""
        forms, class_forms, starts = [], [], classes.starts
        for j, (hierarchy, scale) in enumerate(zip(self.hierarchies, self.scales, strict=True)):
            places = self.codes[classes.walk, j]
            if len(scale.unnamed):
                values, form = write_sets(hierarchy, scale, places, starts)
            elif self.recode in CENTRES:
                values, form = _write_centres(hierarchy, self.recode, scale.leaf[places], starts)
            else:
                low, high = scale.join_places(places, starts)
                if self.recode in ON_GRID and scale.kind == RANGE:
                    values, form = write_ranges(hierarchy, scale, low, high)
                else:
                    values, form = write_nodes(
                        hierarchy, scale, low, high, None if levels is None else levels[:, j]
                    )
            forms.append(values)
            class_forms.append(form)
        return tuple(forms), np.stack(class_forms, axis=1).astype(np.int32)

    def _number_by_label(self, classes: Partition) -> I8:
        """Classes whose forms stand for the same leaves get the same number."""
        forms, class_forms = self._write_classes(classes)
        sets = np.stack([form.sets()[class_forms[:, j]] for j, form in enumerate(forms)], axis=1)
        return np.unique(sets, axis=0, return_inverse=True)[1].reshape(-1)

    def publish(
        self,
        classes: Partition,
        ask: ClassConstraint,
        tally: ClassTally | None,
        claim: Claim,
        **trace: object,
    ) -> Result[Recoded]:
        """Settle classes and write them as a release."""
        partition, merger_count = self.settle(classes, ask, tally)
        return self.release(partition, claim, **trace, merged=merger_count)

    def release(
        self, classes: Partition, claim: Claim, levels: I8 | None = None, /, **trace: object
    ) -> Result[Recoded]:
        """Write every class as a release; in labels of at least these `levels`, int64[classes, d], of hierarchies."""
        forms, class_forms = self._write_classes(classes, levels)
        order = np.argsort(self.rows)
        codes = np.ascontiguousarray(class_forms[classes.of_records()[order]])
        recoded = Recoded(self.names, forms, codes, self.rows[order], self.records)
        return Result(recoded, claim, trace={**trace, "classes": len(classes)})


def prepare_classes(
    method: str,
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: float,
    recode: str = "hierarchy",
    grid: Grid = None,
    mix: bool = False,
    recodes: tuple[str, ...] = (*LABELS, *CENTRES),
    whole: OverallCounts | None = None,
) -> tuple[LocalTable, ClassConstraint, ClassTally | None]:
    """The records that are to be put into classes, what the claim asks of every class, and an empty tally for it.

    With `mix` sensitive values of equal records take turns, where anything is asked of them.
    """
    constraint = Constraint.of(method, claim, table)
    k, mix = constraint.k, mix and constraint.sensitive
    local = LocalTable.of(method, table, hierarchies, recode=recode, grid=grid, mix=mix, k=k, recodes=recodes)
    local = without_outliers(local, table, k, suppress)
    return local, *compile_constraint(method, table, local.rows, constraint, whole)


def _price_column(
    hierarchy: Hierarchy, leaves: I4, recode: str, step: Decimal | None, weight: float, k: int
) -> ColumnCosts:
    """The column's prices under the way it will be written; a declared hierarchy has labels that people know."""
    if recode in CENTRES:
        _refuse_without_centre(hierarchy, np.unique(leaves).tolist(), recode)
        return range_costs(hierarchy, leaves, None, weight) or set_costs(hierarchy, leaves, weight, k)
    if recode in ON_GRID and not (recode == "range" and hierarchy.public and step is None):
        grid = default_grid(hierarchy, leaves, k) if step is None else step
        ranges = range_costs(hierarchy, leaves, grid, weight)
        if ranges is not None:
            return ranges.join_missing(hierarchy)
        if recode == "span" or (hierarchy.height == 1 and not hierarchy.public):
            return set_costs(hierarchy, leaves, weight, k)
        return node_costs(hierarchy, leaves, weight=weight).join_missing(hierarchy)
    return node_costs(hierarchy, leaves, weight=weight)


def _grid_steps(method: str, hierarchies: Hierarchies, recode: str, grid: Grid) -> dict[str, Decimal | None]:
    """For each column, the step that ends of ranges lie on."""
    if recode not in ON_GRID:
        if grid is not None:
            raise InputError(
                f'{method}: grid is for recode = "range" or "span"; set one of them or leave grid out'
            )
        return {}
    step_of_column = dict(grid) if isinstance(grid, Mapping) else dict.fromkeys(hierarchies, grid)
    for name, step in step_of_column.items():
        if name not in hierarchies:
            suggestion = did_you_mean(name, hierarchies)
            raise InputError(f"{method}: grid names '{name}', which is not a quasi-identifier{suggestion}")
        if isinstance(grid, Mapping) and numbers_of(hierarchies[name]) is None:
            raise InputError(
                f"{method}: grid names '{name}', whose values are not numbers; leave it out of grid"
            )
        if step is not None and (isinstance(step, bool) or not isfinite(step) or step <= 0):
            raise InputError(f"{method}: a grid's step must be a number above 0")
    for hierarchy in hierarchies.values():
        refuse_lookalikes(hierarchy)
    return {
        name: None if step_of_column.get(name) is None else Decimal(str(step_of_column[name]))
        for name in hierarchies
    }


def _refuse_without_centre(hierarchy: Hierarchy, leaves: Sequence[int], centre: str) -> None:
    """Refuse numbers of which a mean cannot be told, or must not be."""
    numbers = numbers_of(hierarchy)
    if numbers is None:
        return
    if any((*numbers, None)[leaf] is None for leaf in leaves):
        raise InputError(
            f"recode: column '{hierarchy.name}' has empty cells, of which there is no {centre}; fill them, leave these "
            'records out, or use recode = "span"'
        )
    if any((*open_sides(hierarchy), 0)[leaf] for leaf in leaves):
        raise InputError(
            f"recode: column '{hierarchy.name}' has numbers that are only an end, as in n+ or <n, of which there is no "
            f'{centre}; leave these records out, or use recode = "span"'
        )
    if any(tail_of(hierarchy, leaf) is not None for leaf in leaves):
        raise InputError(
            f"recode: column '{hierarchy.name}' is coded at its top or bottom, and a {centre} would show how far "
            'values go beyond; leave top and bottom out, or use recode = "span"'
        )


def _write_centres(hierarchy: Hierarchy, centre: str, leaves: I4, starts: I8) -> tuple[PublishedValues, I8]:
    """Each class as its mean or median, half to even at the last decimal that the column's values have."""
    numbers = numbers_of(hierarchy) or ()
    decimals = decimals_of(value for value in numbers if value is not None)
    units = [None if value is None else to_units(value, decimals) for value in (*numbers, None)]
    values = [units[leaf] or 0 for leaf in leaves.tolist()]
    labels = []
    for first, last in pairwise(starts.tolist()):
        class_values = sorted(values[first:last])
        if centre == "median":
            class_values = class_values[(len(class_values) - 1) // 2 : len(class_values) // 2 + 1]
        quotient, remainder = divmod(sum(class_values), len(class_values))
        quotient += 2 * remainder > len(class_values) or (
            2 * remainder == len(class_values) and quotient % 2 == 1
        )
        labels.append(spell_number(Decimal(f"{quotient}E-{decimals}")))
    return PublishedValues.of_centres(centre, labels, row_of_entry(starts), leaves)


def write_nodes(
    hierarchy: Hierarchy, scale: ColumnCosts, low: I4 | I8, high: I4 | I8, least: I8 | None = None
) -> tuple[PublishedValues, I8]:
    """Each class as the lowest node over its lowest and highest leaf, or a higher one, at the level `least`."""
    has_missing, high = _split_high(scale, high)
    bottom, top = scale.leaf[low], scale.leaf[high]
    level = np.zeros(len(low), dtype=np.int64)
    for l in range(hierarchy.height):
        level += hierarchy.up[bottom, l] != hierarchy.up[top, l]
    level = level if least is None else np.maximum(level, least)
    widest = max(map(len, hierarchy.labels))
    keys, form = np.unique(
        (level * widest + hierarchy.up[bottom, level]) * 2 + has_missing, return_inverse=True
    )
    nodes = [divmod(key // 2, widest) for key in keys.tolist()]
    labels = [hierarchy.labels[level][node] for level, node in nodes]
    if scale.missing != NO_PLACE:
        joined_labels = [
            _join_missing(
                hierarchy, MISSING if label == hierarchy.root and level == 0 else label, bool(key % 2)
            )
            for key, label, (level, _) in zip(keys.tolist(), labels, nodes, strict=True)
        ]
        return _number_labels(hierarchy, joined_labels, form.reshape(-1))
    spans = np.array([hierarchy.spans[level][node] for level, node in nodes], dtype=np.int32)
    return PublishedValues.of_spans(hierarchy, labels, spans), form.reshape(-1)


def write_ranges(
    hierarchy: Hierarchy, scale: ColumnCosts, low: I4 | I8, high: I4 | I8
) -> tuple[PublishedValues, I8]:
    """Each class as a range with ends on the grid, and whether cells are missing; a value alone as itself."""
    has_missing, high = _split_high(scale, high)
    size = len(scale.leaf)
    keys, form = np.unique((low.astype(np.int64) * size + high) * 2 + has_missing, return_inverse=True)
    labels = [
        _join_missing(hierarchy, _label_of_range(hierarchy, scale, *divmod(key // 2, size)), bool(key % 2))
        for key in keys.tolist()
    ]
    return _number_labels(hierarchy, labels, form.reshape(-1))


def _split_high(scale: ColumnCosts, high: I4 | I8) -> tuple[B1, I8]:
    """Of extents, whether they hold missing cells beside others, and the highest place of the others."""
    high = high.astype(np.int64)
    has_missing = high > scale.missing
    return has_missing, np.where(has_missing, high - scale.missing - 1, high)


def _join_missing(hierarchy: Hierarchy, label: str | None, has_missing: bool) -> str | None:
    """The label, for missing cells as well; what stands for everything is the root."""
    if label is None or not has_missing or label == hierarchy.root:
        return label
    tells_nothing = len(leaves_of(label, hierarchy)) == hierarchy.size
    return hierarchy.root if tells_nothing else or_missing(label)


def _label_of_range(hierarchy: Hierarchy, scale: ColumnCosts, low: int, high: int) -> str | None:
    ends = scale.ends or ()
    first, last = ends[low], ends[high]
    if low == high:
        return _label_of_leaf(hierarchy, int(scale.leaf[low]))
    if first is None or last is None:
        return hierarchy.root
    # Top and bottom coding: how far values go beyond is not told.
    bottom_tail, top_tail = (
        tail_of(hierarchy, int(scale.leaf[low])),
        tail_of(hierarchy, int(scale.leaf[high])),
    )
    if bottom_tail is not None and bottom_tail == top_tail:
        return bottom_tail
    low_end = None if bottom_tail is not None or first[0].is_infinite() else first[0]
    high_end = None if top_tail is not None or last[1].is_infinite() else last[1]
    return (
        hierarchy.root if low_end is None and high_end is None else interval(low_end, high_end, closed=True)
    )


def write_sets(
    hierarchy: Hierarchy, scale: ColumnCosts, places: I4, starts: I8
) -> tuple[PublishedValues, I8]:
    """Each class as the set of its values, or where one of them must not be named as the node that it is priced as."""
    size = len(scale.leaf)
    class_of_record = row_of_entry(starts)
    present = np.unique(class_of_record * size + places)
    class_ids, value = np.divmod(present, size)
    cuts = np.flatnonzero(np.diff(class_ids)) + 1
    packed = value.astype(np.int32)
    begin, end = np.r_[0, cuts], np.r_[cuts, len(packed)]
    form_of_set: dict[bytes, int] = {}
    form = np.array(
        [
            form_of_set.setdefault(packed[a:b].tobytes(), len(form_of_set))
            for a, b in zip(begin.tolist(), end.tolist(), strict=True)
        ]
    )
    labels = [_label_of_set(hierarchy, scale, np.frombuffer(key, dtype=np.int32)) for key in form_of_set]
    return _number_labels(hierarchy, labels, form)


def _label_of_set(hierarchy: Hierarchy, scale: ColumnCosts, places: I4) -> str | None:
    leaves = scale.leaf[places]
    if len(leaves) == 1:
        return _label_of_leaf(hierarchy, int(leaves[0]))
    if not scale.unnamed[places].any():
        named_leaves = leaves[leaves < hierarchy.size]
        if len(named_leaves) == 1:
            return _join_missing(hierarchy, hierarchy.leaves[int(named_leaves[0])], has_missing=True)
        if len(named_leaves) == hierarchy.size:
            return hierarchy.root
        label = set_label(hierarchy.leaves[leaf] for leaf in named_leaves)
        return _join_missing(hierarchy, label, len(named_leaves) < len(leaves))
    if scale.kind == SET:
        return hierarchy.root
    level = int((hierarchy.up[leaves.min(), :-1] != hierarchy.up[leaves.max(), :-1]).sum())
    return hierarchy.labels[level][int(hierarchy.up[leaves[0], level])]


def _label_of_leaf(hierarchy: Hierarchy, leaf: int) -> str | None:
    """One value: its leaf, an empty cell where that covers missing ones; else a word for them, or the root."""
    if leaf == hierarchy.missing:
        return None
    if leaf == hierarchy.size:
        return MISSING if can_say_missing(hierarchy) else hierarchy.root
    return hierarchy.leaves[leaf]


def _number_labels(
    hierarchy: Hierarchy, labels: Sequence[str | None], form: I8
) -> tuple[PublishedValues, I8]:
    """Give each label one form: different extents may be written with the same label."""
    index_of_label = {label: index for index, label in enumerate(dict.fromkeys(labels))}
    forms = PublishedValues.of_sets(
        tuple(index_of_label), [leaves_of(label, hierarchy) for label in index_of_label]
    )
    return forms, np.array([index_of_label[label] for label in labels], dtype=np.int64)[form]


# Which records to leave out: those that make the other records lose more than leaving them out costs.

_LARGEST_K = 200  # a record that is far from 200 others is far from more
_ROUNDS = 12


def without_outliers(
    local: LocalTable, table: Table, k: int, suppress: float, *, share: float = 1.0
) -> LocalTable:
    """Leave out at most the share `suppress` of the records, and only where that lowers the loss `ncp`.

    The records are cut into classes along the price order, and leaving a record out costs what it counts in the loss:
    all of its columns, of which those of `local` are this `share`. If more records would be left out at this price than
    are allowed, the price is raised until they are few enough.
    """
    allowed = suppression_limit(local.method, suppress, local.records)
    ask = constraint_for_k(min(k, _LARGEST_K), number_persons(table, local.rows))
    person_count = local.n if not len(ask.who) else int(ask.who.max()) + 1
    if allowed == 0 or person_count <= k:
        return local
    walk = local.along(price_order(local.scales, local.tuples))
    price = round(int(local.rates.root.sum()) / share)
    outliers = _find_outliers(local, walk, ask, min(allowed, person_count - k), price)
    return local.keeping(np.setdiff1d(np.arange(local.n), outliers)) if len(outliers) else local


def _find_outliers(local: LocalTable, walk: I8, ask: ClassConstraint, most: int, low: int) -> I8:
    """At most `most` records whose absence lowers the cost of the walk, where each costs `low` or more."""
    bounds, tally = np.arange(local.n + 1), empty_tally(ask)
    # A class of k persons may need more rows.
    person_rows = int(np.bincount(ask.who).max()) if len(ask.who) else 1

    def leave_out(price: int) -> I8:
        best, class_begin = cut_walk(
            local.codes, walk, bounds, 2 * ask.k * person_rows, price, local.rates, ask, tally
        )
        return _find_skipped(walk, class_begin) if best[-1] < NEVER else walk[:0]

    outliers = leave_out(low)
    if len(outliers) <= most:
        return outliers
    high, outliers = 2 * low * ask.k * person_rows, walk[:0]
    for _ in range(_ROUNDS):  # the higher the price, the fewer are worth it
        middle = (low + high) // 2
        candidates = leave_out(middle)
        if len(candidates) > most:
            low = middle
        else:
            high, outliers = middle, candidates
    return outliers


def _find_skipped(walk: I8, behind: I8) -> I8:
    """The records that no class of the cheapest way holds."""
    skipped_records, position = [], len(behind) - 1
    while position > 0:
        if behind[position] < 0:
            skipped_records.append(int(walk[position - 1]))
            position -= 1
        else:
            position = int(behind[position])
    return np.array(skipped_records, dtype=np.int64)
