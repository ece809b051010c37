"""Special uniques: the smallest sets of columns that single a record out, and what each record and column scores."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import prod

import numpy as np

from shoal.data.types import B1, F8, I8
from shoal.utility.column_sets import ColumnSets

__all__ = ["SpecialUniques", "matches_right", "special_uniques"]


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
    >>> from shoal.utility.column_sets import column_sets
    >>> sets = column_sets([np.array([1, 1, 2, 2]), np.array([7, 8, 7, 9])])
    >>> special = special_uniques(sets, 2)
    >>> special.people, special.score.tolist(), special.contribution
    ({(1,): 2, (0, 1): 2}, [1.0, 1.0, 1.0, 1.0], (0.5, 1.0))
    """
    largest = min(found.size, columns - 1)
    score = np.zeros(len(found.weight))
    by_column = np.zeros(columns)
    total = 0.0
    people: dict[tuple[int, ...], int] = {}
    records: dict[int, int] = {}
    for some in sorted(found.alone, key=lambda some: (len(some), some)):
        minimal = _minimal(found, some)
        count = int(minimal.sum())
        if not count:
            continue
        worth = float(prod(columns - i for i in range(len(some), largest + 1)))
        score[minimal] += worth
        by_column[list(some)] += worth * count
        total += worth * count
        people[some] = found.count(minimal)
        records[len(some)] = records.get(len(some), 0) + count
    shares = by_column / total if total else by_column
    return SpecialUniques(people, records, tuple(shares.tolist()), score[found.rows])


def _minimal(found: ColumnSets, some: tuple[int, ...]) -> B1:
    """The distinct rows that these columns single out and no fewer of them do."""
    packed = found.alone[some].copy()
    for part in combinations(some, len(some) - 1):
        if part:
            packed &= ~found.alone[part]
    return np.unpackbits(packed, count=len(found.weight)).astype(bool)


def matches_right(sizes: I8, fraction: float) -> float | None:
    """The chance that somebody of the population who matches one record alone is the person of that record.

    The data intrusion simulation: of the classes of size 1 and 2 in a sample of the fraction f, U f / (U f + R (1 - f))
    with U records alone and R records in pairs. None where there is nobody alone.

    References
    ----------
    .. [1] Skinner, Elliot. A measure of disclosure risk for microdata. J. of the Royal Statistical Society B 64(4),
       2002.

    Examples
    --------
    >>> matches_right(np.array([1, 1, 1, 2, 5]), 0.5)
    0.6
    """
    alone, paired = int((sizes == 1).sum()), 2 * int((sizes == 2).sum())
    if not alone:
        return None
    return alone * fraction / (alone * fraction + paired * (1 - fraction))
