"""Whom a few columns of a table single out: every small set of columns, and the special uniques that follow.

Special uniques are those whom small sets of quasi-identifiers single out. Every set of columns up to a size is counted
from the one that lacks its last column, so that all sets together are as fast as a few of them counted by
`shoal.risks.look_alikes`. Rows that look alike are one, with a weight. A row that is alone in its class
stays so whatever column is added, so it is counted once and left out from then on.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from shoal.base.errors import InputError
from shoal.base.progress import Progress, no_progress
from shoal.data.arrays import B1, F8, I8, count_codes, distinct_per_code
from shoal.utility.classes import class_ids, number_values

__all__ = [
    "ColumnSet",
    "ColumnSets",
    "SpecialUniques",
    "_largest_size",
    "measure_column_sets",
    "special_uniques",
    "uniqueness_with_others",
]

_MOST_CELLS = 1_000_000_000
"""Column sets times rows that are looked at; more would take minutes."""

_SIZE = 4  # columns that a set has at most, unless all sets are few
_FEW = 512
_WIDE = 40  # columns; of more, only those that differ most are joined
_SPARE, _SMALL = 4, 1 << 16  # a table of counts has so many places per row, or so many; else rows are sorted

_Packed = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """What a set of columns tells of n rows.

    columns     : their places, ascending
    distinction : different tuples / n
    separation  : share of pairs of rows that differ in some column
    unique      : persons who have a row that nobody else's row looks like
    fewer       : persons who have a row that rows of fewer than k persons look like
    """

    columns: tuple[int, ...]
    distinction: float
    separation: float
    unique: int
    fewer: int


@dataclass(frozen=True, slots=True)
class ColumnSets:
    """Every set of columns up to `size`, and the set of all.

    sets    : by size, then by place
    persons : how many there are
    unique  : by number of columns s, the persons whom some set of at most s columns singles out
    fewer   : by number of columns s, the persons for whom some set of at most s columns leaves fewer than k
    size    : the size up to which all sets were looked at
    rows    : int64[n], for each row of the table the distinct row that it is
    distinct : how many distinct rows there are
    count   : how many persons have one of some distinct rows
    alone   : by set of columns of at most `size`, which distinct rows look like nobody else's, as packed bits
    """

    sets: tuple[ColumnSet, ...]
    persons: int
    unique: dict[int, int]
    fewer: dict[int, int]
    size: int
    rows: I8 = field(repr=False)
    distinct: int = field(repr=False)
    count: Callable[[B1], int] = field(repr=False)
    alone: dict[tuple[int, ...], _Packed] = field(repr=False)


def _largest_size(columns: int, rows: int) -> int:
    """The size up to which all sets of columns are looked at.

    All of them where they are at most 512, else those of at most 4 columns; fewer columns where sets times rows
    would be more than `_MOST_CELLS`, but never less than 1.

    >>> [_largest_size(columns, 100_000) for columns in (8, 9, 16, 30, 60)]
    [8, 9, 4, 3, 2]
    """
    size = columns if 2**columns - 1 <= _FEW else min(_SIZE, columns)
    while size > 1 and rows * _count_sets(columns, size) > _MOST_CELLS:
        size -= 1
    return size


def _count_sets(columns: int, size: int) -> int:
    """How many sets of 1 to `size` columns there are."""
    return sum(comb(columns, set_size) for set_size in range(1, size + 1))


def measure_column_sets(
    columns: Sequence[NDArray[np.integer]],
    persons: NDArray[np.integer] | None = None,
    *,
    k: int = 5,
    progress: Progress = no_progress,
) -> ColumnSets:
    """Measure the sets of columns up to `_largest_size`, and the set of all.

    Parameters
    ----------
    columns
        One integer array per column, all of one length n.
    persons
        int[n], whom each row belongs to; None when every row is a person.
    k
        With fewer than so many look-alikes, counting themselves, persons are found easily.
    progress
        Told which share of the sets is done.

    Raises
    ------
    InputError
        There is no column.

    References
    ----------
    .. [1] Motwani, Xu. Efficient algorithms for masking and finding quasi-identifiers. VLDB workshop SDM, 2007:
       distinction and separation.

    Examples
    --------
    >>> found = measure_column_sets([np.array([1, 1, 2, 2]), np.array([7, 7, 7, 8])])
    >>> [(one.columns, one.distinction, one.unique) for one in found.sets]
    [((0,), 0.5, 0), ((1,), 0.5, 1), ((0, 1), 0.75, 2)]
    >>> found.sets[0].separation, found.unique
    (0.6666666666666666, {1: 1, 2: 2})
    """
    if not columns:
        raise InputError("column sets: no columns; give at least one quasi-identifier")
    walk = _Walk(columns, persons, k)
    size = _largest_size(len(columns), walk.n)
    walk.look(size, progress)
    return ColumnSets(
        tuple(sorted(walk.sets, key=lambda found: (len(found.columns), found.columns))),
        walk.everybody,
        _count_cumulative(walk.unique, walk.count),
        _count_cumulative(walk.fewer, walk.count),
        size,
        walk.rows,
        walk.n,
        walk.count,
        walk.alone,
    )


def uniqueness_with_others(
    columns: Mapping[str, NDArray[np.integer]],
) -> dict[str, tuple[tuple[str, ...], float]]:
    """For each column the one or two others with which it singles out most people, and their share.

    Pairs are all tried, and the best of them with every third column: where columns are many, all sets of three would
    take minutes.

    >>> uniqueness_with_others({"a": np.array([0, 0, 1, 1]), "b": np.array([0, 1, 0, 1])})["a"]
    (('b',), 1.0)
    """
    names = sorted(columns, key=lambda name: -int(columns[name].max(initial=0)))[:_WIDE]
    walk = _Walk([columns[name] for name in names], None, 2)
    unmarked = np.zeros(
        0, dtype=bool
    )  # every row is a person, so those who are alone are those that are gone
    start = replace(walk.start, alone=unmarked, fewer=unmarked)
    single = [walk.add(start, index)[0] for index in range(len(names))]
    best: list[tuple[tuple[int, ...], int]] = [((), prefix.gone) for prefix in single]
    for first, partner in combinations(range(len(names)), 2):
        count = walk.add(single[first], partner, last=True)[0].gone
        for index, companion in ((first, partner), (partner, first)):
            if count > best[index][1]:
                best[index] = (companion,), count
    for index, (partners, count) in enumerate(best):
        if partners and count < walk.total:
            pair = walk.add(single[index], *partners)[0]
            for third in range(len(names)):
                if third not in (index, *partners):
                    triple_count = walk.add(pair, third, last=True)[0].gone
                    if triple_count > best[index][1]:
                        best[index] = (*partners, third), triple_count
    return {
        names[index]: (tuple(names[partner] for partner in partners), count / max(walk.total, 1))
        for index, (partners, count) in enumerate(best)
    }


def _count_cumulative(by_size: dict[int, B1], count: Callable[[B1], int]) -> dict[int, int]:
    """Persons whom some set of each size, or of a smaller one, finds."""
    counts: dict[int, int] = {}
    mask = np.zeros(1, dtype=bool)
    for size in sorted(by_size):
        mask = mask | by_size[size]
        counts[size] = count(mask)
    return counts


@dataclass(frozen=True, slots=True)
class _Prefix:
    """A set of columns: the rows that it leaves in company, and the class of each; so many others are `gone`."""

    columns: tuple[int, ...]
    rows: I8 | None  # None: all
    ids: I8
    space: int
    alone: B1
    fewer: B1
    gone: int


class _Walk:
    """Walks the sets of columns depth first, columns of many values first: they settle most rows early."""

    def __init__(
        self, columns: Sequence[NDArray[np.integer]], persons: NDArray[np.integer] | None, k: int
    ) -> None:
        row_ids = class_ids(columns if persons is None else [*columns, persons])
        first_rows = np.zeros(int(row_ids.max(initial=-1)) + 1, dtype=np.int64)
        first_rows[row_ids[::-1]] = np.arange(len(row_ids))[::-1]
        self.rows, self.k = row_ids, k
        self.total = len(row_ids)
        self.weight = np.bincount(row_ids, minlength=len(first_rows))
        self.differ = len(first_rows) == self.total
        codes = [number_values(np.asarray(column)[first_rows]) for column in columns]
        self.order = sorted(range(len(codes)), key=lambda place: -codes[place][1])
        self.codes = codes
        person_ids = None if persons is None else class_ids([np.asarray(persons)[first_rows]])
        self.who = None if person_ids is None or len(np.unique(person_ids)) == len(row_ids) else person_ids
        self.everybody = self.total if self.who is None else int(self.who.max(initial=-1)) + 1
        self.n = len(first_rows)
        nobody = np.zeros(self.n, dtype=bool)
        self.start = _Prefix((), None, np.zeros(self.n, dtype=np.int64), 1, nobody, nobody, 0)
        self.sets: list[ColumnSet] = []
        self.alone: dict[tuple[int, ...], _Packed] = {}
        self.unique: dict[int, B1] = {}
        self.fewer: dict[int, B1] = {}

    def look(self, size: int, progress: Progress) -> None:
        """Measure every set of at most `size` columns, and that of all."""
        sets = _count_sets(len(self.order), size)
        for prefix, size_of in self._walk_below(self.start, 0, size):
            progress("sets of columns", len(self.sets) / sets)
            self._note(prefix, size_of)
            self.alone[tuple(sorted(prefix.columns))] = np.packbits(prefix.alone)
        if size < len(self.order):
            start = self.start
            for column in self.order:
                start, size_of = self.add(start, column)
            self._note(start, size_of)

    def count(self, rows: B1) -> int:
        """How many persons have one of these distinct rows."""
        if self.who is not None:
            return int((np.bincount(self.who[rows]) > 0).sum())
        return int(np.count_nonzero(rows) if self.differ else self.weight[rows].sum())

    def _walk_below(self, prefix: _Prefix, at: int, more: int) -> Iterator[tuple[_Prefix, I8]]:
        for index in range(at, len(self.order)):
            extension, size = self.add(prefix, self.order[index], last=more == 1)
            yield extension, size
            if more > 1:
                yield from self._walk_below(extension, index + 1, more - 1)

    def add(self, prefix: _Prefix, column: int, *, last: bool = False) -> tuple[_Prefix, I8]:
        """The set with one more column, and the sizes of the classes of the rows that were still in company.

        To the `last` column no other is added, so nobody asks which rows are left.
        """
        codes, width = self.codes[column]
        key = prefix.ids * width + (codes if prefix.rows is None else codes[prefix.rows])
        space = prefix.space * width
        rows, bare = prefix.rows, last and not len(prefix.alone)  # then only how many are gone is asked for
        weight = None if self.differ else self.weight if rows is None else self.weight[rows]
        if space <= max(_SPARE * len(key), _SMALL):
            size = count_codes(key, weight, space)
        elif bare and weight is None:
            size = np.unique(key, return_counts=True)[1]
        else:
            key, space = number_values(key)
            size = count_codes(key, weight, space)
        gone_count = prefix.gone + int(np.count_nonzero(size == 1))
        if bare:
            return replace(prefix, gone=gone_count), size
        class_size = size[key]
        people = class_size if self.who is None else self._people(key, space, rows)[key]
        unique = _mark_rows(prefix.alone, rows, people == 1)
        fewer = unique if self.k == 2 else _mark_rows(prefix.fewer, rows, people < self.k)
        in_company = class_size > 1
        if gone_count > prefix.gone and not last:
            rows, key = np.flatnonzero(in_company) if rows is None else rows[in_company], key[in_company]
        columns = *prefix.columns, column
        return _Prefix(columns, rows, key, space, unique, fewer, gone_count), size

    def _note(self, found: _Prefix, size: I8) -> None:
        """Write down what a set tells."""
        company = size[size > 1]
        pairs, equal_pairs = self.total * (self.total - 1), int((company * (company - 1)).sum())
        measured = ColumnSet(
            tuple(sorted(found.columns)),
            (found.gone + len(company)) / max(self.total, 1),
            (pairs - equal_pairs) / pairs if pairs else 0.0,
            self.count(found.alone),
            self.count(found.fewer),
        )
        self.sets.append(measured)
        for by_size, rows in ((self.unique, found.alone), (self.fewer, found.fewer)):
            width = len(measured.columns)
            by_size[width] = rows | by_size[width] if width in by_size else rows

    def _people(self, key: I8, space: int, rows: I8 | None) -> I8:
        """How many different persons are in each class."""
        assert self.who is not None
        person_ids = self.who if rows is None else self.who[rows]
        return distinct_per_code(key, person_ids, self.everybody, space)


def _mark_rows(before: B1, rows: I8 | None, which: B1) -> B1:
    """The marks so far and those of `rows` that are picked; none where none are wanted."""
    if rows is None or not len(before):
        return which if len(before) else before
    marked = before.copy()
    marked[rows[which]] = True
    return marked


# --- special uniques --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpecialUniques:
    """Minimal sample uniques: a record is unique by these columns, and by no part of them.

    people       : by set of columns, for how many persons it is minimal; sets that are so for nobody are left out
    records      : by size of the set, how many pairs of a distinct row and a minimal set there are
    contribution : by column, the share of all scores that stems from sets with that column
    score        : float64[n], the SUDA score of each row of the table; 0 where no set singles it out
    """

    people: Mapping[tuple[int, ...], int]
    records: Mapping[int, int]
    contribution: tuple[float, ...]
    score: F8 = field(repr=False)


def special_uniques(found: ColumnSets, columns: int) -> SpecialUniques:
    """Score the records by the minimal sets that single them out, as SUDA does.

    A minimal set of s columns scores (c - s)(c - s - 1)...(c - M) for c columns and sets of up to M columns, so
    small ones count most; M is one less than c where all sets were looked at, and the score then (c - s)!.

    Parameters
    ----------
    found
        The sets of columns, measured.
    columns
        How many columns there are.

    References
    ----------
    .. [1] Elliot, Manning, Ford. A computational algorithm for handling the special uniques problem. Int. J. of
       Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002.
    .. [2] Manning, Haglin, Keane. A recursive search algorithm for statistical disclosure assessment. Data Mining
       and Knowledge Discovery 16, 2008.

    Examples
    --------
    >>> sets = measure_column_sets([np.array([1, 1, 2, 2]), np.array([7, 8, 7, 9])])
    >>> special = special_uniques(sets, 2)
    >>> special.people, special.score.tolist(), special.contribution
    ({(1,): 2, (0, 1): 2}, [1.0, 1.0, 1.0, 1.0], (0.5, 1.0))
    """
    largest = min(found.size, columns - 1)
    score = np.zeros(found.distinct)
    by_column = np.zeros(columns)
    total = 0.0
    people: dict[tuple[int, ...], int] = {}
    records: dict[int, int] = {}
    for column_set in sorted(found.alone, key=lambda some: (len(some), some)):
        minimal = _find_minimal_rows(found, column_set)
        count = int(minimal.sum())
        if not count:
            continue
        worth = float(prod(columns - i for i in range(len(column_set), largest + 1)))
        score[minimal] += worth
        by_column[list(column_set)] += worth * count
        total += worth * count
        people[column_set] = found.count(minimal)
        records[len(column_set)] = records.get(len(column_set), 0) + count
    shares = by_column / total if total else by_column
    return SpecialUniques(people, records, tuple(shares.tolist()), score[found.rows])


def _find_minimal_rows(found: ColumnSets, some: tuple[int, ...]) -> B1:
    """The distinct rows that these columns single out and no fewer of them do."""
    packed = found.alone[some].copy()
    for part in combinations(some, len(some) - 1):
        if part:
            packed &= ~found.alone[part]
    return np.unpackbits(packed, count=found.distinct).astype(bool)
