"""Numbers of one column in two units, of which no cell says which: heights of 1.72 and 172, weights of 72 and 159.

Such numbers fall into two groups, and the smaller ones, converted, are spread as the larger ones are. A column is tried
for the pairs of units in which people write what it is about, so that incomes and other amounts are left alone.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.base.naming import resource_table
from shoal.data.arrays import F8, I8
from shoal.data.column_names import match_column_name

__all__ = ["MIXED_UNITS", "find_mixed_units"]

MIXED_UNITS = "its numbers fall into two groups that look like {units}; write all in one unit"
"""What is said of such a column."""
_FEWEST = 20  # cells
_GROUP = 5  # cells of each group, at least, and different numbers of them
_SHARE = 0.02  # of the cells are in each group, at least
_APART = 2.0  # times what the two deviations are together lies between the middles; an even spread cut in two has 1.7
_MIDDLE, _ENDS = (
    0.07,
    0.15,
)  # by how much the middles, and the tenths from both ends, may differ in large groups
_CHANCE, _CHANCE_ENDS = 2.0, 3.5  # deviations of a mean by which they may differ by chance beside that
_TENTHS = (0.1, 0.5, 0.9)
_IMPOSSIBLE = (
    2.0  # times as much chance where the larger ones can be nothing in the first unit: an age of 400
)


class UnitPair(NamedTuple):
    """Two units in which columns are written that are about one of `of`: `second = factor * first + offset`.

    Nearly all numbers in the first lie `between` two, and half of those in the second `above` one.
    """

    of: frozenset[str]
    units: str
    factor: float
    offset: float
    between: tuple[float, float]
    above: float


@cache
def _load_unit_pairs() -> tuple[UnitPair, ...]:
    """All pairs of units."""
    return tuple(
        UnitPair(
            frozenset(row["of"]),
            row["units"],
            row["factor"],
            row.get("offset", 0.0),
            tuple(row["between"]),
            row.get("above", 0.0),
        )
        for row in resource_table("shoal.io.read", "writings.toml")["pairs"]
    )


def find_mixed_units(name: str, values: Sequence[str | None], times: I8) -> str | None:
    """The two units that the numbers of a column seem to have, in words; None where they seem to have one.

    `values` are its different values, each of which stands in so many cells as `times` says.

    >>> heights = [f"{1.5 + place / 100:.2f}" for place in range(40)] + [str(150 + place) for place in range(40)]
    >>> find_mixed_units("height", heights, np.ones(80, dtype=np.int64))
    'metres and centimetres'
    >>> find_mixed_units("income", heights, np.ones(80, dtype=np.int64)) is None
    True
    """
    numbers = pl.Series(values, dtype=pl.String).cast(pl.Float64, strict=False).to_numpy().astype(np.float64)
    weights = np.asarray(times, dtype=np.float64)
    weights[[value is None for value in values]] = 0
    positive = np.isfinite(numbers) & (numbers > 0) & (weights > 0)
    if weights[positive].sum() < max(_FEWEST, (1 - _SHARE) * weights.sum()):
        return None
    order = np.argsort(numbers[positive])
    numbers, weights = numbers[positive][order], weights[positive][order]
    cut = _find_cut(np.log(numbers), weights)
    if cut is None:
        return None
    match = match_column_name(name)  # last: reading the words that columns are named by takes longer
    subject = "" if match is None else match.what
    pairs = [pair for pair in _load_unit_pairs() if subject in pair.of]
    smaller_group, larger_group = (numbers[:cut], weights[:cut]), (numbers[cut:], weights[cut:])
    differences = {
        pair.units: difference
        for pair in pairs
        if (difference := _difference(pair, smaller_group, larger_group)) is not None
    }
    return min(differences, key=differences.__getitem__, default=None)


def _find_cut(logs: F8, weights: F8) -> int | None:
    """Where sorted numbers part into two groups that lie closest around their means; None where none are apart."""
    if len(logs) < 2 * _GROUP:
        return None
    count, total, squares = (np.cumsum(weights * logs**power) for power in (0, 1, 2))
    count_above, total_above, squares_above = (
        count[-1] - count[:-1],
        total[-1] - total[:-1],
        squares[-1] - squares[:-1],
    )
    below = squares[:-1] - total[:-1] ** 2 / count[:-1]
    above = squares_above - total_above**2 / count_above
    cut_index = int(np.argmin(below + above))
    middles = total_above[cut_index] / count_above[cut_index] - total[cut_index] / count[cut_index]
    spread = np.sqrt(max(below[cut_index], 0.0) / count[cut_index]) + np.sqrt(
        max(above[cut_index], 0.0) / count_above[cut_index]
    )
    cells = min(count[cut_index], count_above[cut_index])
    enough = (
        cells >= max(_GROUP, _SHARE * count[-1]) and min(cut_index + 1, len(logs) - cut_index - 1) >= _GROUP
    )
    return cut_index + 1 if enough and middles >= _APART * spread else None


def _difference(pair: UnitPair, low: tuple[F8, F8], high: tuple[F8, F8]) -> float | None:
    """How far the middle of the smaller numbers, converted, is from that of the larger ones, as a logarithm.

    None where they are not spread alike, or no such numbers.
    """
    small, large = _quantiles(*low), _quantiles(*high)
    converted = small * pair.factor + pair.offset
    if (
        small[0] < pair.between[0]
        or small[-1] > pair.between[1]
        or large[1] < pair.above
        or converted[0] <= 0
    ):
        return None
    differences = np.abs(np.log(converted / large))
    chance = np.hypot(_deviation(*low), _deviation(*high))
    if pair.above:
        chance *= _IMPOSSIBLE
    alike = (
        differences[1] <= _MIDDLE + _CHANCE * chance and differences.max() <= _ENDS + _CHANCE_ENDS * chance
    )
    return float(differences[1]) if alike else None


def _deviation(numbers: F8, weights: F8) -> float:
    """The deviation of the mean of the logarithms."""
    logs = np.log(numbers)
    middle = np.average(logs, weights=weights)
    return float(np.sqrt(np.average((logs - middle) ** 2, weights=weights) / weights.sum()))


def _quantiles(numbers: F8, weights: F8) -> F8:
    """The tenth, the half and nine tenths of the cells."""
    share = np.cumsum(weights) / weights.sum()
    return numbers[np.minimum(np.searchsorted(share, _TENTHS), len(numbers) - 1)]
