"""Column cut: disjoint groups in every column, of different width, so that tables can be made of the release."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from math import log2

import numpy as np

from shoal.algorithms._kernels import ClassConstraint, ClassTally, would_keep_constraint
from shoal.algorithms.constraint import Constraint, compile_constraint, keeps_average
from shoal.algorithms.knobs import Seconds, Share, suppression_limit
from shoal.algorithms.lattice.cube import Lattice
from shoal.algorithms.lattice.optimal import optimal
from shoal.algorithms.local.column_prices import shares_of
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.progress import Progress, no_progress, start_step
from shoal.data import Table
from shoal.data.arrays import B1, F8, I4, I8, prefix_sums
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Claim, PublishedValues, Recoded, Result

__all__ = ["column_cut"]

_VECTORS = 20_000  # vectors of levels that are looked through to the end, whatever time that takes
_ROUNDS = 4  # times that every column is made coarser and all are made finer again
_WORK = 60_000_000  # tuples looked at in splits, after which no column is made coarser again


@keeps_average
def column_cut(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    seconds: Seconds = 20.0,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Publish every column in disjoint groups: one cut of its hierarchy for all records.

    With one level per column (`optimal`) all groups of a column are equally high in its hierarchy; here the few old
    may be `>= 60` while the many young stay `[20, 25)`. Unlike with local recoding no two groups of a column overlap,
    so people can be counted by them.

    Parameters
    ----------
    table, hierarchies
        The records, and a hierarchy for each quasi-identifier.
    claim
        What every class must keep.
    suppress
        The share of records that may be left out.
    seconds
        How long the best levels are looked for, where their vectors are more than 20,000: the search begins there, too.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result
        The recoding; the trace has the classes and how many groups each column has.

    Raises
    ------
    InputError
        There are no quasi-identifiers, records or hierarchy; a number outside its range.
    InfeasibleError
        k exceeds the number of records, or not even one class of all records keeps the claim.

    Notes
    -----
    *Guarantee.* Every split is counted before it is made: a class that would break the claim keeps it from being made,
    or is left out where that is allowed and worth it. It never loses more (`ncp`) than the best levels that were found,
    where the search begins.

    *Complexity.* A split looks at the distinct tuples of one group; a group that cannot be split is tried again only
    after some column was made coarser.

    *Departures.* Top-down specialization [1]_ splits the group that gains most for what it costs in anonymity. Here
    gain is detail (`ncp`), cost is the information that classes gain, and the search begins at the roots and at the
    best levels; then each column in turn is made coarser and all are made finer again, as long as that loses less.

    *Randomness.* None. Beyond 20,000 vectors of levels `seconds` makes the start depend on the machine.

    References
    ----------
    .. [1] Fung, Wang, Yu. Top-down specialization for information and privacy preservation. ICDE 2005.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> from shoal.privacy import KAnonymity
    >>> ages = Column.of("age", "quasi", ["21", "21", "22", "22", "38", "39"])
    >>> paths = [["21", "2x", "*"], ["22", "2x", "*"], ["38", "3x", "*"], ["39", "3x", "*"]]
    >>> made = column_cut(Table((ages,)), {"age": Hierarchy.from_paths("age", paths)}, KAnonymity(2)).release
    >>> sorted(made.forms[0].labels)
    ['21', '22', '3x']
    """
    constraint = Constraint.of("column-cut", claim, table)
    columns = [_find_hierarchy(hierarchies, column.name) for column in table.quasi]
    if not columns:
        raise InputError(
            "column-cut: the table has no quasi-identifiers; give at least one column the role quasi"
        )
    if not seconds >= 0:
        raise InputError(f"column-cut: seconds={seconds}; give a number of at least 0")
    if table.n == 0:
        raise InputError("column-cut: the table has no records; give at least one")
    leaves = np.stack([h.encode(column) for h, column in zip(columns, table.quasi, strict=True)], axis=1)
    allowed = suppression_limit("column-cut", suppress, table.n)
    ask, tally = compile_constraint("column-cut", table, np.arange(table.n), constraint)
    search = _CutSearch.of(columns, leaves, shares_of(table), ask, tally)
    top = search.top()
    if search.breaks(top.class_of_tuple, np.arange(len(search.counts))).any():
        raise InfeasibleError("column-cut: not even one class of all records keeps the claim; ask for less")
    tell = start_step(progress, "splitting groups")
    best = search.find_best(
        [top, *_best_levels(search, table, hierarchies, claim, suppress, seconds)], allowed, tell
    )
    if not best.kept.all():
        kept_rows = np.flatnonzero(best.kept[search.tuple_of_row])
        ask, tally = compile_constraint("column-cut", table, kept_rows, constraint)
        classes = best.class_of_tuple[search.tuple_of_row[kept_rows]]
        if _breaks(classes, np.arange(len(kept_rows)), ask, tally).any():  # shares are of those who are kept
            best = search.find_best([top], 0, tell)
    tell(1.0)
    rows = np.flatnonzero(best.kept[search.tuple_of_row])
    forms, codes = search.write(best, rows)
    names = tuple(column.name for column in table.quasi)
    groups = {name: len(form.labels) for name, form in zip(names, forms, strict=True)}
    trace = {"classes": len(np.unique(best.class_of_tuple[best.kept])), "groups": groups}
    rule = {"cuts": {name: list(form.labels) for name, form in zip(names, forms, strict=True)}}
    return Result(Recoded(names, forms, codes, rows, table.n, rule), claim, trace=trace)


def _find_hierarchy(hierarchies: Hierarchies, name: str) -> Hierarchy:
    if name not in hierarchies:
        raise InputError(f"column-cut: quasi-identifier '{name}' has no hierarchy; give it one")
    return hierarchies[name]


def _best_levels(
    search: "_CutSearch",
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    suppress: float,
    seconds: float,
) -> "Iterator[_Cut]":
    """The best vector of levels, or the best one found in time."""
    try:
        size = Lattice.of([column.hierarchy for column in search.columns]).size
        limit = None if size <= _VECTORS else seconds
        if limit is None or limit > 0:
            release = optimal(table, hierarchies, claim, suppress=suppress, loss="ncp", seconds=limit).release
            levels = [release.rule["levels"][column.name] for column in table.quasi]
            kept = np.zeros(len(search.counts), dtype=bool)
            kept[search.tuple_of_row[release.rows]] = True
            yield search.at_levels(levels, kept)
    except (InputError, InfeasibleError):  # then the search begins at the roots alone
        return


@dataclass(frozen=True, slots=True)
class _ColumnNodes:
    """The nodes of a column that hold values of some record, parents before children.

    hierarchy : the column's
    tuple_leaf : int64[m]         the place of each tuple's leaf among those that occur
    node_at   : int64[levels, leaves]   the node over each of these leaves on each level
    level     : int64[nodes]      the lowest level it stands on
    label_id  : int64[nodes]      which node of that level it is
    price     : float64[nodes]    the share of the column's detail that it loses, by the column's weight
    child     : int64[nodes, leaves]  the node below it over each leaf; -1 where it has none
    """

    hierarchy: Hierarchy
    tuple_leaf: I8
    node_at: I8
    level: I8
    label_id: I8
    price: F8
    child: I8

    @classmethod
    def of(cls, hierarchy: Hierarchy, codes: I4, weight: float) -> "_ColumnNodes":
        """The nodes over the leaves `codes` of the distinct tuples."""
        present, tuple_leaf = np.unique(codes, return_inverse=True)
        above = hierarchy.up[present].astype(np.int64).T  # [level, leaf]
        has_missing = bool(
            (present == hierarchy.size).any()
        )  # a cell that no leaf covers: shown as the root alone
        root, missing = (0, hierarchy.size), (-1, -1)
        numbers: dict[tuple[int, int], int] = {}
        node_at = np.empty_like(above)
        level_of, label_of, prices = [], [], []
        for level in range(hierarchy.height, -1, -1):
            nodes = above[level].tolist()
            keys = [(int(lo), int(hi)) for lo, hi in hierarchy.spans[level][nodes].tolist()]
            if has_missing and any(key != root for key in keys):
                keys = [
                    missing if leaf == hierarchy.size else key
                    for leaf, key in zip(present, keys, strict=True)
                ]
            for place, (key, node) in enumerate(zip(keys, nodes, strict=True)):
                if key not in numbers:
                    numbers[key] = len(numbers)
                    width = hierarchy.size if key == missing else key[1] - key[0]
                    prices.append(weight * width / hierarchy.size if width > 1 or key == missing else 0.0)
                    level_of.append(level)
                    label_of.append(node)
                elif not (has_missing and key == root):  # which a node below the root does not stand for
                    level_of[numbers[key]], label_of[numbers[key]] = level, node
                node_at[level, place] = numbers[key]
        child = np.full((len(numbers), len(present)), -1, dtype=np.int64)
        for level in range(1, hierarchy.height + 1):
            differs = node_at[level] != node_at[level - 1]
            places = np.flatnonzero(differs)
            child[node_at[level, places], places] = node_at[level - 1, places]
        return cls(
            hierarchy,
            tuple_leaf.reshape(-1),
            node_at,
            np.array(level_of),
            np.array(label_of),
            np.array(prices),
            child,
        )


@dataclass(frozen=True, slots=True)
class _Cut:
    """A cut of each column: the node of every tuple, int64[d, m], its class, and whether it is kept."""

    nodes: I8
    class_of_tuple: I8
    kept: B1


@dataclass(frozen=True, slots=True)
class _Split:
    """A group of a column in parts.

    tuples      : int64[m]  those of the group that are kept
    group       : int64[m]  the class of each of them afterwards, numbered from 0
    is_left_out : bool[m]   whether it is then left out
    gain        : the detail that is told more, in records
    """

    tuples: I8
    group: I8
    is_left_out: B1
    gain: float


@dataclass(slots=True)
class _CutSearch:
    """What a search for cuts looks at: the distinct tuples and what a class of them must keep."""

    columns: list[_ColumnNodes]
    counts: I8
    tuple_of_row: I8
    row_start: I8
    rows: I8
    ask: ClassConstraint
    tally: ClassTally | None
    work: int = 0

    @classmethod
    def of(
        cls,
        hierarchies: list[Hierarchy],
        leaves: I4,
        weights: F8,
        ask: ClassConstraint,
        tally: ClassTally | None,
    ) -> "_CutSearch":
        """Number the distinct tuples of `leaves`, int32[n, d]."""
        tuples, tuple_of_row, counts = np.unique(leaves, axis=0, return_inverse=True, return_counts=True)
        tuple_of_row = tuple_of_row.reshape(-1)
        columns = [
            _ColumnNodes.of(hierarchy, tuples[:, j], float(weights[j]))
            for j, hierarchy in enumerate(hierarchies)
        ]
        rows = np.argsort(tuple_of_row, kind="stable")
        return cls(columns, counts, tuple_of_row, prefix_sums(counts), rows, ask, tally)

    def top(self) -> _Cut:
        """Every column at its root."""
        return self.at_levels([c.hierarchy.height for c in self.columns], np.ones(len(self.counts), bool))

    def at_levels(self, levels: list[int], kept: B1) -> _Cut:
        """Every column at one level."""
        nodes = np.stack(
            [
                column.node_at[level, column.tuple_leaf]
                for column, level in zip(self.columns, levels, strict=True)
            ]
        )
        return _Cut(nodes, _number_classes(nodes), kept)

    def loss(self, state: _Cut) -> float:
        """The detail that is lost, in records; who is left out loses all."""
        lost = sum(column.price[state.nodes[j]] for j, column in enumerate(self.columns))
        return float(np.where(state.kept, lost, 1.0) @ self.counts)

    def breaks(self, group: I8, tuples: I8) -> B1:
        """For groups of tuples, numbered from 0, whether they break what is asked of a class."""
        if not len(self.ask.who) and not len(self.ask.what):
            return np.asarray(np.bincount(group, weights=self.counts[tuples]) < self.ask.k)
        lengths = self.counts[tuples]
        rows = np.concatenate([self.rows[self.row_start[t] : self.row_start[t + 1]] for t in tuples.tolist()])
        return _breaks(np.repeat(group, lengths), rows, self.ask, self.tally)

    def find_best(self, starts: list[_Cut], allowed: int, tell: Callable[[float], None]) -> _Cut:
        """The cut that loses least of those found from these starts."""
        self.work = 0
        found = [self.refine(start, allowed, careful) for start in starts for careful in (True, False)]
        best = min(found, key=self.loss)
        tell(0.3)
        for turn in range(_ROUNDS):
            before = self.loss(best)
            for j in range(len(self.columns)):
                if self.work > _WORK:
                    return best
                for coarser in self._coarser(best, j):
                    best = min(best, self.refine(coarser, allowed, careful=True), key=self.loss)
                    best = min(best, self.refine(coarser, allowed, careful=True, last=j), key=self.loss)
            tell(0.3 + 0.7 * (turn + 1) / _ROUNDS)
            if self.loss(best) >= before * (1 - 1e-9):
                break
        return best

    def _coarser(self, state: _Cut, j: int) -> Iterator[_Cut]:
        """The same cut with column j one level coarser where it is finest, and with it at its root."""
        column = self.columns[j]
        levels = column.level[state.nodes[j]]
        for level in sorted({min(int(levels.min()) + 1, column.hierarchy.height), column.hierarchy.height}):
            over = column.node_at[level, column.tuple_leaf]
            nodes = state.nodes.copy()
            nodes[j] = np.where(levels < level, over, state.nodes[j])
            yield _Cut(nodes, _number_classes(nodes), state.kept)

    def refine(self, state: _Cut, allowed: int, careful: bool, last: int = -1) -> _Cut:
        """Split groups as long as every class keeps the claim; column `last` after all others.

        The group that gains most is split first; with `careful` the one that gains most for how much finer it makes
        the classes, as these were when it came in line.
        """
        nodes, classes, kept = state.nodes.copy(), state.class_of_tuple.copy(), state.kept.copy()
        line: list[tuple[bool, float, int, int]] = []

        def stand_in_line(j: int, node: int) -> None:
            split = self._try_split(nodes, classes, kept, j, node, allowed)
            if split is not None:
                score = split.gain / self._finer(classes, split) if careful else split.gain
                heappush(line, (j == last, -score, j, node))

        for j in range(len(self.columns)):
            for node in np.unique(nodes[j, kept]).tolist():
                stand_in_line(j, node)
        next_class = int(classes.max()) + 1
        while line:
            _, _, j, node = heappop(line)
            split = self._try_split(nodes, classes, kept, j, node, allowed)
            if split is None:
                continue
            column = self.columns[j]
            everybody = np.flatnonzero(nodes[j] == node)
            parts = column.child[node, column.tuple_leaf[everybody]]
            nodes[j, everybody] = parts
            classes[split.tuples] = next_class + split.group
            next_class += int(split.group.max()) + 1
            kept[split.tuples[split.is_left_out]] = False
            for part in np.unique(parts).tolist():
                stand_in_line(j, part)
        return _Cut(nodes, classes, kept)

    def _try_split(self, nodes: I8, classes: I8, kept: B1, j: int, node: int, allowed: int) -> _Split | None:
        """What splitting a group would do; None where it has no parts, breaks the claim or gains nothing."""
        column = self.columns[j]
        tuples = np.flatnonzero((nodes[j] == node) & kept)
        below = column.child[node, column.tuple_leaf[tuples]]
        if not len(tuples) or (below < 0).any():
            return None
        self.work += len(tuples)
        gain = float((column.price[node] - column.price[below]) @ self.counts[tuples])
        key = classes[tuples] * (len(column.price) + 1) + below
        group = np.unique(key, return_inverse=True)[1].reshape(-1)
        is_left_out = self.breaks(group, tuples)[group]
        if is_left_out.any():
            left_out = tuples[is_left_out]
            records = int(self.counts[left_out].sum()) + int(self.counts[~kept].sum())
            if records > allowed:
                return None
            lost = sum(other.price[nodes[i, left_out]] for i, other in enumerate(self.columns))
            saved = column.price[node] - column.price[below[is_left_out]]
            gain -= float((1.0 - lost + saved) @ self.counts[left_out])
        return _Split(tuples, group, is_left_out, gain) if gain > 0 else None

    def _finer(self, classes: I8, split: _Split) -> float:
        """How much finer classes become: the information that the split adds, in bits times records."""
        counts = self.counts[split.tuples]
        old = np.unique(classes[split.tuples], return_inverse=True)[1].reshape(-1)
        bits = [
            float((sizes * np.log2(sizes)).sum())
            for sizes in (np.bincount(old, counts), np.bincount(split.group, counts))
        ]
        return max(bits[0] - bits[1], 1e-3 * log2(1 + float(counts.sum())))

    def write(self, state: _Cut, rows: I8) -> tuple[tuple[PublishedValues, ...], I4]:
        """The forms of every column, and int32[rows, d]: which one each row has."""
        forms, codes = [], []
        for j, column in enumerate(self.columns):
            used, code = np.unique(state.nodes[j, self.tuple_of_row[rows]], return_inverse=True)
            hierarchy = column.hierarchy
            places = list(zip(column.level[used].tolist(), column.label_id[used].tolist(), strict=True))
            labels = [hierarchy.labels[level][node] for level, node in places]
            spans = np.array([hierarchy.spans[level][node] for level, node in places], dtype=np.int32)
            forms.append(PublishedValues.of_spans(hierarchy, labels, spans.reshape(-1, 2)))
            codes.append(code.reshape(-1))
        return tuple(forms), np.stack(codes, axis=1).astype(np.int32)


def _number_classes(nodes: I8) -> I8:
    """The class of each tuple: equal numbers where all columns have the same node."""
    return np.unique(nodes, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _breaks(class_of_row: I8, rows: I8, ask: ClassConstraint, tally: ClassTally | None) -> B1:
    """Whether each class, numbered from 0, breaks what is asked."""
    number = np.unique(class_of_row, return_inverse=True)[1].reshape(-1)
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number))
    parts = np.split(rows[order], ends[:-1])
    return np.array([not would_keep_constraint(part, ask, tally) for part in parts], dtype=bool)
