"""Blank: leave single cells out, so that whoever knows some columns of a person finds k rows that look the same.

codes : int32[n, d]   the cells; 0 is blank
sets  : the sets of columns that may be known, by their numbers; none is a part of another
mask  : columns as bits

Where fewer than k rows show what a row shows in a set, that row must lose a cell of the set: blanks of others never
make rows equal to it, unless it was blank there from the start. So every row loses at least the cheapest columns that
meet all of these sets: a floor for all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Annotated, NamedTuple

import numpy as np

from shoal.algorithms.constraint import count_people, number_persons, refusal, refuse_crowd
from shoal.algorithms.knobs import OneOf, Share, suppression_limit
from shoal.base.errors import InputError
from shoal.base.naming import did_you_mean, suggest_name
from shoal.base.progress import Progress, no_progress
from shoal.data import Column, Table
from shoal.data.arrays import B1, F8, I4, I8, U8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import SubsetAnonymity
from shoal.release import Claim, PublishedValues, Recoded, Result
from shoal.risks.look_alikes import count_fits

__all__ = [
    "KnownColumns",
    "_blank_by_argus",
    "_blank_by_rounds",
    "_count_fitting_rows",
    "_price_blanks",
    "_search_fewest_blanks",
    "blank",
]


_MASKS = 1 << 13  # choices of columns that are looked at for each row
_SPACE = 4  # times the rows: keys up to that are counted, others sorted first


@dataclass(frozen=True, slots=True)
class KnownColumns:
    """What may be known, and what is asked for.

    sets       : the columns that are known together
    k          : how many rows must look the same
    importance : float64[d], what a cell of each column costs
    weight     : int64[n], 1 for a row that counts; of several rows of one person one does
    """

    sets: Sequence[tuple[int, ...]]
    k: int
    importance: F8
    weight: I8

    @property
    def masks(self) -> I8:
        """The sets as bits."""
        return np.array([sum(1 << j for j in known_set) for known_set in self.sets], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Blanked:
    """Cells after some were left out, the records that are kept, and what no choice of cells is cheaper than."""

    codes: I4
    kept: B1
    floor: float


def _group_codes(codes: I4, columns: Sequence[int]) -> tuple[I8, int]:
    """Number the rows so that equal ones, in these columns, have equal numbers; and how many numbers there may be."""
    key, width = np.zeros(len(codes), dtype=np.int64), 1
    for j in columns:
        radix = int(codes[:, j].max(initial=0)) + 1
        key, width = key * radix + codes[:, j], width * radix
        if width > _SPACE * len(codes) + 1024:
            distinct_keys, key = np.unique(key, return_inverse=True)
            key, width = key.reshape(-1).astype(np.int64), len(distinct_keys)
    return key, width


def _count_equal_rows(codes: I4, columns: Sequence[int], weight: I8) -> I8:
    """For every row, how many rows look the same in some columns."""
    key, width = _group_codes(codes, columns)
    return np.bincount(key, weights=weight, minlength=width)[key].astype(np.int64)


def _blank_masks(codes: I4) -> I8:
    """The columns in which every row is blank."""
    return np.asarray((codes == 0).astype(np.int64) @ (1 << np.arange(codes.shape[1], dtype=np.int64)))


def _price_blanks(before: I4, after: I4, kept: B1, importance: F8) -> float:
    """What cells cost that were left out; a record that is left out loses all of its cells."""
    is_blanked = (before > 0) & ((after == 0) | ~kept[:, None])
    return float(is_blanked.sum(axis=0) @ importance)


def _pack_families(small: B1) -> U8:
    """uint64[n, words]: for every row, the sets in which it is among too few, bool[n, sets], as bits."""
    packed = np.packbits(small, axis=1, bitorder="little")
    wide = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    wide[:, : packed.shape[1]] = packed
    return wide.view("<u8").astype(np.uint64)


class Hitting:
    """The cheapest columns that meet some sets, for many rows at once."""

    def __init__(self, known: KnownColumns, first: I8) -> None:
        """Of equally cheap columns those that stand `first` are taken: blanks in the same columns are alike."""
        importance, self._sets = known.importance, known.masks
        d = len(importance)
        sizes = [sum(comb(d, i) for i in range(size + 1)) for size in range(d + 1)]
        largest = max((size for size in range(d + 1) if sizes[size] <= _MASKS), default=1) or 1
        masks = [subset for size in range(1, largest + 1) for subset in combinations(range(d), size)]
        rank = np.empty(d)
        rank[first] = np.arange(d)
        cost = np.array([importance[list(subset)].sum() for subset in masks])
        order = np.lexsort(([rank[list(subset)].sum() for subset in masks], np.round(cost, 9)))
        self._row_cost = cost[order]
        self._masks = np.array([sum(1 << j for j in masks[index]) for index in order], dtype=np.int64)
        self._beyond = float(np.sort(importance)[: largest + 1].sum())  # of rows that need more columns
        self._columns = d

    def cheapest(self, family: U8, blank: I8) -> tuple[I8, F8]:
        """For every row a mask of columns that meets its sets, in none of which it is blank, and a floor of its cost.

        Sets in which a row is blank altogether cannot be met, and are passed over.
        """
        lines, line_of_row = np.unique(
            np.column_stack([family, blank.astype(np.uint64)]), axis=0, return_inverse=True
        )
        wanted_sets, blank_mask = lines[:, :-1].copy(), lines[:, -1].astype(np.int64)
        lost_sets = _pack_families(blank_mask[:, None] & self._sets == self._sets)
        wanted_sets &= ~lost_sets
        mask, cost = np.zeros(len(lines), dtype=np.int64), np.zeros(len(lines))
        unmet = np.flatnonzero(wanted_sets.any(axis=1))
        for candidate, candidate_cost in zip(self._masks.tolist(), self._row_cost.tolist(), strict=True):
            if not len(unmet):
                break
            missed_sets = _pack_families((self._sets & candidate == 0)[None, :])
            is_met = ~(wanted_sets[unmet] & missed_sets).any(axis=1) & (blank_mask[unmet] & candidate == 0)
            mask[unmet[is_met]], cost[unmet[is_met]] = candidate, candidate_cost
            unmet = unmet[~is_met]
        mask[unmet], cost[unmet] = ~blank_mask[unmet] & ((1 << self._columns) - 1), self._beyond
        line_of_row = line_of_row.reshape(-1)
        return mask[line_of_row], cost[line_of_row]


def _blank_by_rounds(original: I4, known: KnownColumns, allowed: int) -> Blanked:
    """Leave cells out, round by round, until at least k rows look the same in every set; then take back what can be.

    In each round every row that is among too few in some sets loses the cheapest columns that meet all of them. That
    makes others few, and so on; rounds end, for nothing is as blank as everything. `allowed` records may be left out.
    """
    codes, is_kept = original.copy(), np.ones(len(original), dtype=bool)
    small = _find_small_classes(codes, is_kept, known)
    records = small.sum(axis=0).tolist()
    demand = [
        -sum(count for known_set, count in zip(known.sets, records, strict=True) if j in known_set)
        for j in range(codes.shape[1])
    ]
    column_order = np.argsort(demand, kind="stable")
    hitting = Hitting(known, column_order)
    is_open = small & np.stack(
        [(codes[:, list(known_set)] > 0).all(axis=1) for known_set in known.sets], axis=1
    )
    floor = float(hitting.cheapest(_pack_families(is_open), _blank_masks(codes))[1].sum())
    while small.any():
        rows = np.flatnonzero(small.any(axis=1))
        mask, _ = hitting.cheapest(_pack_families(small[rows]), _blank_masks(codes[rows]))
        if not mask.any():
            allowed -= _join_small_classes(codes, is_kept, known, small, allowed)
        for j in range(codes.shape[1]):
            codes[rows[mask >> j & 1 == 1], j] = 0
        empty = rows[(codes[rows] == 0).all(axis=1) & (mask > 0)]
        allowed -= _leave_out(is_kept, empty[:allowed], known)
        small = _find_small_classes(codes, is_kept, known)
    _restore_cells(
        codes, original, is_kept, known, np.lexsort((-np.argsort(column_order), -known.importance))
    )
    return Blanked(codes, is_kept, floor)


def _find_small_classes(codes: I4, kept: B1, known: KnownColumns) -> B1:
    """bool[n, sets]: which rows are among fewer than k in which set."""
    weight = known.weight * kept
    return np.stack(
        [kept & (_count_equal_rows(codes, known_set, weight) < known.k) for known_set in known.sets], axis=1
    )


def _leave_out(kept: B1, rows: I8, known: KnownColumns) -> int:
    """Leave records out, unless fewer than k would be left; how many were."""
    if (known.weight * kept).sum() - known.weight[rows].sum() < known.k:
        return 0
    kept[rows] = False
    return len(rows)


def _join_small_classes(codes: I4, kept: B1, known: KnownColumns, small: B1, allowed: int) -> int:
    """Help rows that are blank in a whole set and among too few: they are left out, or others become blank, too."""
    stuck = np.flatnonzero(small.any(axis=1))
    left_out_count = _leave_out(kept, stuck[:allowed], known) if allowed else 0
    if left_out_count:
        return left_out_count
    columns = list(known.sets[int(small.any(axis=0).argmax())])
    shown_importance = (codes[:, columns] > 0) @ known.importance[columns]
    blank = (shown_importance == 0) & kept
    candidates = np.flatnonzero(~blank & kept & (known.weight > 0))
    lacking = known.k - int(known.weight[blank].sum())
    joining = candidates[np.argsort(shown_importance[candidates], kind="stable")][:lacking]
    for j in columns:
        codes[joining, j] = 0
    return 0


def _restore_cells(codes: I4, original: I4, kept: B1, known: KnownColumns, order: I8) -> None:
    """Show cells again, column by column, as far as k rows go on looking the same.

    All blanks of a column are shown at first. Whoever is then among too few, and whoever would leave too few blank rows
    behind, becomes blank again; that goes on until it concerns nobody.
    """
    weight = known.weight * kept
    for c in order.tolist():
        sets = [known_set for known_set in known.sets if c in known_set]
        is_restored = (codes[:, c] == 0) & (original[:, c] > 0) & kept
        before = [_group_codes(codes, known_set) for known_set in sets]
        is_tried = is_restored
        while is_tried.any():
            codes[:, c] = np.where(is_restored, original[:, c], np.where(is_tried, 0, codes[:, c]))
            bad = np.zeros(len(codes), dtype=bool)
            for known_set, (key, width) in zip(sets, before, strict=True):
                is_small = kept & (_count_equal_rows(codes, known_set, weight) < known.k)
                is_stuck = np.zeros(width, dtype=bool)
                is_stuck[key[is_small & ~is_restored]] = True
                bad |= is_small | is_stuck[key]
            is_tried = is_restored & bad
            is_restored = is_restored & ~bad


# --- The fewest cells to leave out of a small table, by branch and bound over its records.

_SMALL = 40
"""How many cells a table has at most of which the fewest are sought."""
_NODES = 20_000  # choices for a record that are looked at: some second
_OUT = -1


def _search_fewest_blanks(original: I4, known: KnownColumns, found: Blanked, allowed: int) -> Blanked | None:
    """The cheapest cells to leave out; `found` where nothing is cheaper, None where the search was given up.

    One record after the other loses some columns, or is left out. A branch is cut where it costs as much as the best
    that is known, the rest at its cheapest, and where rows can no longer be equal to k others.
    """
    search = _Search(
        original, known, allowed, _price_blanks(original, found.codes, found.kept, known.importance)
    )
    if not search.run():
        return None
    if search.best is None:
        return found
    row_masks = np.array(search.best)
    codes, is_kept = original.copy(), row_masks != _OUT
    for j in range(codes.shape[1]):
        codes[is_kept & (row_masks >> j & 1 == 1), j] = 0
    return Blanked(codes, is_kept, found.floor)


@dataclass
class _Search:
    """The state of the search: of the first records it is decided which columns they lose.

    most  : what the best choice that is known costs
    best  : that choice, the mask of every record; None while it is the one that came in
    equal : int64[n, n], the columns in which two originals are equal, as bits
    """

    original: I4
    known: KnownColumns
    allowed: int
    most: float
    best: list[int] | None = None
    nodes: int = 0
    chosen: list[int] = field(default_factory=list)

    def run(self) -> bool:
        """Search everything; False where that is too much."""
        n, d = self.original.shape
        is_equal = self.original[:, None, :] == self.original[None, :, :]
        self.equal: I8 = (is_equal << np.arange(d)).sum(axis=2).astype(np.int64)
        self.sets = self.known.masks
        self.gone = _blank_masks(self.original)
        masks = np.arange(1 << d)
        cost = ((masks[:, None] >> np.arange(d)) & 1) @ self.known.importance
        self.options = [self._list_options(row, masks, cost) for row in range(n)]
        cheapest_costs = [min(option_cost for option_cost, _ in options) for options in self.options]
        self.rest = np.concatenate([np.cumsum(cheapest_costs[::-1])[::-1], [0.0]])
        self.all = cost
        return self._next(0, 0.0)

    def _list_options(self, row: int, masks: I8, cost: np.ndarray) -> list[tuple[float, int]]:
        """The masks that meet all sets in which too few originals are equal to this one, the cheapest first."""
        inside = (self.sets & ~self.equal[row][:, None]) == 0
        small_sets = self.sets[self.known.weight @ inside < self.known.k]
        blank_mask = int(self.gone[row])
        options = [
            (float(cost[mask]), int(mask))
            for mask in masks
            if not mask & blank_mask
            and all(known_set & (mask | blank_mask) for known_set in small_sets.tolist())
        ]
        left_out_cost = float(cost[~blank_mask & (len(masks) - 1)])
        return sorted(options) + ([(left_out_cost, _OUT)] if self.allowed else [])

    def _next(self, row: int, paid: float) -> bool:
        if row == len(self.original):
            self.most, self.best = paid, list(self.chosen)
            return True
        twin = row and self.equal[row, row - 1] == len(self.all) - 1 and self.known.weight.all()
        for cost, mask in self.options[row]:
            if paid + cost + self.rest[row + 1] >= self.most - 1e-9:
                break
            if twin and (cost, mask) < (self._row_cost(row - 1), self.chosen[-1]):
                continue  # of equal records the order does not matter
            if mask == _OUT and self.chosen.count(_OUT) >= self.allowed:
                continue
            self.nodes += 1
            if self.nodes > _NODES:
                return False
            self.chosen.append(mask)
            going = not self._is_possible() or self._next(row + 1, paid + cost)
            self.chosen.pop()
            if not going:
                return False
        return True

    def _row_cost(self, row: int) -> float:
        mask = self.chosen[row]
        return float(self.all[~int(self.gone[row]) & (len(self.all) - 1)] if mask == _OUT else self.all[mask])

    def _is_possible(self) -> bool:
        """Whether every record that is decided can still be equal to k in every set."""
        decided = len(self.chosen)
        row_masks = np.array(self.chosen)
        rows = np.flatnonzero(row_masks != _OUT)
        if not len(rows):
            return True
        blank = (row_masks | self.gone[:decided])[rows]
        is_open = self.sets[None, None, :] & ~blank[:, None, None]
        may_match = (is_open & ~self.equal[rows][:, :, None]) == 0
        differing_blanks = blank[:, None] ^ blank[None, :]
        may_match[:, rows] &= (self.sets[None, None, :] & differing_blanks[:, :, None]) == 0
        may_match[:, np.flatnonzero(row_masks == _OUT)] = False
        return bool((np.einsum("y,xys->xs", self.known.weight, may_match) >= self.known.k).all())


# --- Cells to leave out by the count of mu-Argus and sdcMicro, for comparison: cells fit if equal, or if one is blank.
#
# It promises nothing: a row that is blank fits everybody, though whoever knows what the blank hides finds nobody else.

_WIDEST_COUNT = 14  # columns, of all sets of which the fits are counted


def _count_fitting_rows(codes: I4, columns: Sequence[int], weight: I8) -> I8:
    """For every row, how many rows fit it in some columns, if a blank fits everything on either side.

    >>> _count_fitting_rows(np.array([[0], [2], [2], [3]], dtype=np.int32), [0], np.ones(4, dtype=np.int64)).tolist()
    [4, 3, 3, 2]
    """
    known_codes = [codes[:, j] for j in columns]
    tuples = count_fits(known_codes, [cells == 0 for cells in known_codes], weight.astype(np.float64))
    return np.rint(tuples.people[tuples.of]).astype(np.int64)


def _blank_by_argus(original: I4, known: KnownColumns) -> Blanked:
    """Leave cells out until at least k rows fit every row in every set, those with the fewest first.

    Of these, whoever has too few in more sets comes first: an order that was picked by trying three of them.
    A row loses the cheapest columns such that enough rows fit in what is left of every set. Its blanks help others, who
    are counted anew when it is their turn.
    """
    n, d = original.shape
    if d > _WIDEST_COUNT:
        raise InputError(
            f'blank: count = "argus" compares up to {_WIDEST_COUNT} columns, and here are {d}; name fewer'
        )
    fit_counts = np.array(
        [_count_fitting_rows(original, known_set, known.weight) for known_set in known.sets]
    )
    fewest, small_counts = fit_counts.min(axis=0), (fit_counts < known.k).sum(axis=0)
    rows = np.flatnonzero(fewest < known.k)
    choices = _Choices.of(original[rows], known)
    codes, tuples = original.copy(), _Tuples.of(original, known.weight, len(rows))
    for row in rows[np.lexsort((-small_counts[rows], fewest[rows]))].tolist():
        mask = choices.cheapest(tuples.fits(codes[row], d), known.k)
        if mask:
            blanked_row = np.where(mask >> np.arange(d) & 1 == 1, 0, codes[row])
            tuples.change(row, blanked_row, int(known.weight[row]))
            codes[row] = blanked_row
    return Blanked(codes, np.ones(n, dtype=bool), 0.0)


class _Tuples:
    """The different rows, with how many each stands for; a row that loses cells becomes a new one."""

    def __init__(self, cells: I4, size: I8, of: I8, used: int) -> None:
        self._cells, self._size, self._of, self._used = cells, size, of, used

    @classmethod
    def of(cls, codes: I4, weight: I8, more: int) -> "_Tuples":
        """Number the rows, with room for some more tuples."""
        cells, tuple_of_row = np.unique(codes, axis=0, return_inverse=True)
        size = np.bincount(tuple_of_row.reshape(-1), weights=weight, minlength=len(cells) + more).astype(
            np.int64
        )
        room = np.zeros((more, codes.shape[1]), dtype=codes.dtype)
        return cls(
            np.asfortranarray(np.concatenate([cells, room])),
            size,
            tuple_of_row.reshape(-1).astype(np.int64),
            len(cells),
        )

    def fits(self, row: I4, d: int) -> I8:
        """How many rows fit one in each set of columns, by its mask."""
        cells = self._cells[: self._used]
        mask = np.zeros(self._used, dtype=np.int64)
        for j in range(d):
            is_fit = (
                (cells[:, j] == row[j]) | (cells[:, j] == 0) if row[j] else np.ones(self._used, dtype=bool)
            )
            mask |= is_fit.astype(np.int64) << j
        fit_counts = np.bincount(mask, weights=self._size[: self._used], minlength=1 << d)
        for j in range(d):  # what fits in more columns fits in these
            pairs = fit_counts.reshape(-1, 2, 1 << j)
            pairs[:, 0] += pairs[:, 1]
        return fit_counts.astype(np.int64)

    def change(self, row: int, cells: I4, weight: int) -> None:
        """Give a row other cells."""
        self._size[self._of[row]] -= weight
        self._cells[self._used], self._size[self._used], self._of[row] = cells, weight, self._used
        self._used += 1


class _Choices(NamedTuple):
    """All choices of columns, the cheapest first, and what is left of every set by each, as masks."""

    masks: I8
    left: I8

    @classmethod
    def of(cls, rows: I4, known: KnownColumns) -> "_Choices":
        """Of equally cheap ones, those come first whose columns have more values."""
        d = len(known.importance)
        masks = np.arange(1 << d, dtype=np.int64)
        inside = (masks[:, None] >> np.arange(d)) & 1
        values = np.array([len(np.unique(rows[:, j])) for j in range(d)])
        rank = np.argsort(np.argsort(-values, kind="stable"))
        masks = masks[np.lexsort((inside @ rank, inside.sum(axis=1), np.round(inside @ known.importance, 9)))]
        return cls(masks, known.masks[:, None] & ~masks)

    def cheapest(self, fits: I8, k: int) -> int:
        """The first choice that leaves every set with k rows that fit."""
        return int(self.masks[np.argmax((fits[self.left] >= k).all(axis=0))])


_COUNTS = ("alike", "argus")
Count = Annotated[str, OneOf(_COUNTS)]
_WIDEST = 62  # columns: a mask of them is one number


def blank(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    levels: int | Mapping[str, int] = 0,
    count: Count = "alike",
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Publish `table` as it is, but for few cells that are left blank.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier. Of columns that are important few cells are left out.
    claim
        k-anonymity of known subsets, and nothing else.
    suppress
        The share of records that may be left out, 0 <= suppress < 1. It is used only where a record would lose all of
        its cells, or would stand among too few rows that have lost them.
    levels
        The level of its hierarchy at which a column is published where it is not blank: one number for all columns, or
        one for each that is named. 0 is as it came.
    count
        What is counted: with `alike` rows that look the same in the columns that are known; with `argus` rows that fit
        as mu-Argus and sdcMicro count them, which promises nothing and is never published.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result[Recoded]
        The trace tells how many cells were left out, what a floor under that is, and whether fewer would not do.

    Raises
    ------
    InfeasibleError
        k exceeds the number of records.
    InputError
        A set of columns names one that is no quasi-identifier, or a level is none of its hierarchy.

    Notes
    -----
    *Guarantee.* In every set of columns that may be known at least k rows look the same, a blank being a value of its
    own; that implies the claim, in which a row also fits where it is blank and another is not. The claim alone would be
    kept by k rows that are blank in all columns, however much the others tell: so the method does not rest on it.

    *Method.* A row that is equal to fewer than k in some sets must lose a cell of each of them. In rounds, all such
    rows lose the cheapest columns that meet all of these sets; of equally cheap ones those that more rows need, so that
    blanks meet. Then cells are shown again, column by column, as far as everybody keeps k. Tables of up to 40 cells are
    searched for the fewest cells by branch and bound. What every row must lose by itself is a floor for all.

    *Complexity.* O(n) for each set of columns and round, and some ten rounds; 2^d choices of columns for each kind of
    row, or those of few columns where there are many.

    *Departures.* None: no paper has this method. Of several rows of one person only one is counted, so somewhat more
    cells are left out than must be.

    *Randomness.* None.

    References
    ----------
    .. [1] Hundepool et al. Statistical Disclosure Control. Wiley 2012, on local suppression.

    Examples
    --------
    >>> from shoal.hierarchy import Hierarchy
    >>> towns = ["Rome", "Rome", "Rome", "Oslo", "Bonn"]
    >>> flat = Hierarchy.from_paths("town", [[town, "*"] for town in ("Bonn", "Oslo", "Rome")])
    >>> people = Table((Column.of("town", "quasi", towns),))
    >>> release = blank(people, {"town": flat}, SubsetAnonymity(2, 1)).release
    >>> [release.forms[0].labels[code] for code in release.codes[:, 0]]
    ['Rome', 'Rome', 'Rome', None, None]
    """
    if not isinstance(claim, SubsetAnonymity):
        raise refusal("blank", claim)
    if count not in _COUNTS:
        raise InputError(
            f"blank: count must be one of {', '.join(_COUNTS)}{did_you_mean(count, _COUNTS)}", value=count
        )
    allowed = suppression_limit("blank", suppress, table.n)
    columns = table.quasi
    forms, codes = _encode_at_levels(columns, hierarchies, levels)
    refuse_crowd("blank", claim.k, *count_people(number_persons(table), table.n))
    order = np.lexsort(codes.T[::-1])  # so that the order of records decides nothing
    cells = codes[order]
    known_columns = KnownColumns(
        _list_known_sets(claim, [column.name for column in columns]),
        claim.k,
        np.array([column.importance for column in columns]),
        _person_weights(table.persons, order),
    )
    progress("leaving cells out")
    blanked, exact = (
        _find_fewest_blanks(cells, known_columns, allowed)
        if count == "alike"
        else (_blank_by_argus(cells, known_columns), False)
    )
    return Result(
        _make_release(blanked, order, forms, columns),
        claim,
        trace=_make_trace(cells, blanked, known_columns, exact, table, count),
    )


def _find_fewest_blanks(cells: I4, known: KnownColumns, allowed: int) -> tuple[Blanked, bool]:
    """Few cells to leave out, and whether fewer would not do."""
    blanked = _blank_by_rounds(cells, known, allowed)
    best = _search_fewest_blanks(cells, known, blanked, allowed) if cells.size <= _SMALL else None
    return (blanked, False) if best is None else (best, True)


def _encode_at_levels(
    columns: Sequence[Column], hierarchies: Hierarchies, levels: int | Mapping[str, int]
) -> tuple[list[PublishedValues], I4]:
    """What every column may publish, the blank first, and the cells in it; an empty cell is blank from the start."""
    if not columns:
        raise InputError("blank: the table has no quasi-identifiers; give at least one column the role quasi")
    if len(columns) > _WIDEST:
        raise InputError(f"blank: {len(columns)} quasi-identifiers are too many; it takes up to {_WIDEST}")
    names = [column.name for column in columns]
    if not isinstance(levels, int):
        for name in levels:
            if name not in names:
                raise InputError(f"blank: levels: no quasi-identifier '{name}'; {suggest_name(name, names)}")
    forms, codes = [], []
    for column in columns:
        if column.name not in hierarchies:
            raise InputError(f"blank: column '{column.name}' has no hierarchy; give one")
        hierarchy = hierarchies[column.name]
        level = levels if isinstance(levels, int) else levels.get(column.name, 0)
        if not 0 <= level <= hierarchy.height:
            raise InputError(
                f"blank: column '{column.name}': level {level} is not in its hierarchy, which has levels 0 to "
                f"{hierarchy.height}"
            )
        column_forms, cells = _encode_column(column, hierarchy, level)
        forms.append(column_forms)
        codes.append(cells)
    return forms, np.stack(codes, axis=1).astype(np.int32)


def _encode_column(column: Column, hierarchy: Hierarchy, level: int) -> tuple[PublishedValues, I8]:
    leaves = hierarchy.encode(column)
    nodes = PublishedValues.of_level(hierarchy, level)
    everything = np.arange(hierarchy.size + 1, dtype=np.int32)
    sets = [nodes.leaves[a:b] for a, b in zip(nodes.start[:-1], nodes.start[1:], strict=True)]
    gone = leaves == hierarchy.size
    if hierarchy.missing is not None:
        gone |= leaves == hierarchy.missing
    codes = np.where(gone, 0, hierarchy.up[leaves, level] + 1)
    return PublishedValues.of_sets([None, *nodes.labels], [everything, *sets]), codes.astype(np.int64)


def _list_known_sets(claim: SubsetAnonymity, names: Sequence[str]) -> list[tuple[int, ...]]:
    """The sets of columns that may be known, as numbers, without those that are a part of another."""
    if isinstance(claim.subsets, int):
        return list(combinations(range(len(names)), min(claim.subsets, len(names))))
    for name in (name for subset in claim.subsets for name in subset):
        if name not in names:
            raise InputError(f"subsets: no quasi-identifier '{name}'; {suggest_name(name, names)}")
    sets = {frozenset(names.index(name) for name in subset) for subset in claim.subsets}
    return sorted(tuple(sorted(subset)) for subset in sets if not any(subset < larger for larger in sets))


def _person_weights(persons: I8 | None, order: I8) -> I8:
    """1 for one row of each person, 0 for the others: k of these rows are k persons."""
    if persons is None:
        return np.ones(len(order), dtype=np.int64)
    weight = np.zeros(len(order), dtype=np.int64)
    weight[np.unique(persons[order], return_index=True)[1]] = 1
    return weight


def _make_release(
    made: Blanked, order: I8, forms: Sequence[PublishedValues], columns: Sequence[Column]
) -> Recoded:
    """The cells in the order of the records."""
    back = np.argsort(order)
    rows = np.flatnonzero(made.kept[back])
    names = tuple(column.name for column in columns)
    return Recoded(names, tuple(forms), made.codes[back][rows], rows, len(order))


def _make_trace(
    before: I4, made: Blanked, known: KnownColumns, exact: bool, table: Table, count: str
) -> dict[str, object]:
    """How many cells were left out, and what is known about fewer."""
    is_blanked = (before > 0) & (made.codes == 0) & made.kept[:, None]
    facts: dict[str, object] = {"blanked cells": int(is_blanked.sum()), "left out": int((~made.kept).sum())}
    if count == "argus" or table.persons is not None:
        return facts
    total_cost = _price_blanks(before, made.codes, made.kept, known.importance)
    facts |= {"cost": total_cost, "floor": made.floor, "exact": exact or total_cost <= made.floor}
    return facts | ({"times the floor": round(total_cost / made.floor, 3)} if made.floor else {})
