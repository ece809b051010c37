"""Ages and amounts in round steps: of one width where people are spread evenly, else by quantile; with a top class.

Every bound is a round number between values, or a value that is round; open classes hide the least and the largest.
"""

from bisect import bisect_right
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

import numpy as np

from shoal.data.types import I8
from shoal.hierarchy.column_values import ROOT
from shoal.hierarchy.ladders.round_numbers import interval, round_step, roundest, spelled
from shoal.hierarchy.number_ranges import number
from shoal.hierarchy.tree import Hierarchy

__all__ = ["classes_of_numbers", "number_ladder"]

Bounds = tuple[Decimal | None, ...]
"""Where the classes of a level begin and end, from low to high; None where the first or last is open."""

_BINS, _STEPS = (
    16,
    20,
)  # classes of the first level, by quantile and of one width; about half as many on the next
_TAIL, _PEOPLE = 0.01, 20  # share of the people in an open class, and how many they are at least
_CROWDED = 0.4  # of the people in one step: then steps of one width tell little
_NEAR = 0.3  # of a class by quantile: so far a bound may lie off, to be rounder
_FEWEST = 3  # classes of a level that is worth another above it


def number_ladder(name: str, values: Sequence[str], holders: I8) -> Hierarchy | None:
    """Intervals that grow from level to level; None where there are too few numbers to have any.

    >>> ages = [str(age) for age in range(18, 80)]
    >>> [labels[0] for labels in number_ladder("age", ages, np.full(62, 10)).labels[1:]]
    ['[15, 20)', '[10, 20)', '< 40', '< 40', '*']
    """
    read = [(number(value), value, held) for value, held in zip(values, holders.tolist(), strict=True)]
    found = sorted((n, value, held) for n, value, held in read if n is not None)
    levels = classes_of_numbers([n for n, _, _ in found], np.array([held for _, _, held in found]))
    whole = all(n == n.to_integral_value() for n, _, _ in found)
    paths = [[value, *(_label(bounds, n, whole) for bounds in levels), ROOT] for n, value, _ in found]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True) if levels else None


def classes_of_numbers(numbers: Sequence[Decimal], holders: I8) -> list[Bounds]:
    """The bounds of each level, those of the coarser among those of the finer; none where no level would help.

    `numbers` rise, `holders` says how many people hold each.

    >>> skewed = classes_of_numbers([Decimal(n) for n in (0, 1, 2, 5, 30, 700, 9000)], np.full(7, 30))
    >>> [[None if bound is None else int(bound) for bound in bounds] for bounds in skewed]
    [[0, 1, 2, 5, 20, 500, 5000, None], [0, 2, 20, 5000, None], [0, 20, None]]
    """
    if len(numbers) <= _FEWEST or numbers[0] == numbers[-1]:
        return []
    levels = _of_one_width(numbers, holders) or _by_quantile(numbers, holders)
    kept: list[Bounds] = []
    for bounds in levels:
        used = {bisect_right(_inner(bounds), n) for n in numbers}
        before = {bisect_right(_inner(kept[-1]), n) for n in numbers} if kept else set(range(len(numbers)))
        if 1 < len(used) < len(before) or (not kept and len(used) > 1):
            kept.append(bounds)
    return kept


def _of_one_width(numbers: Sequence[Decimal], holders: I8) -> list[Bounds]:
    """Steps of one round width, then of a wider one, then as many people in each; none where one step holds most."""
    tail = min(max(_TAIL, _PEOPLE / float(holders.sum())), 0.1)
    low, high = _quantile(numbers, holders, tail), _quantile(numbers, holders, 1 - tail)
    if high <= low:
        return []
    width = round_step((high - low) / _STEPS)
    if all(n == n.to_integral_value() for n in numbers):
        width = max(width, Decimal(2))
    steps = np.array([int((min(max(n, low), high) - low) // width) for n in numbers])
    if np.bincount(steps, holders).max() > _CROWDED * holders.sum():
        return []
    bottom, top = _floor(low, width), _floor(high, width)
    is_long = numbers[0] < bottom - 2 * width and numbers[0] < 0  # a few far below: they are one open class
    first = bottom if is_long else _floor(numbers[0], width)
    count = int((top - first) // width) + 1
    cuts = [first + width * step for step in range(0 if is_long else 1, count)]
    wider = width * (5 if width.scaleb(-width.adjusted()) == 2 else 2)
    rounder = [cut for cut in cuts if cut % wider == 0]
    levels = [cuts, *([rounder] if 1 < len(rounder) < len(cuts) else [])]
    while len(levels[-1]) > 1:
        levels.append(_halved(levels[-1], numbers, holders))
    starts = [None, None, None] if is_long else [first, _floor(first, wider), None]  # wide classes are open
    return [(starts[min(level, 2)], *cuts, None) for level, cuts in enumerate(levels) if cuts]


def _halved(cuts: Sequence[Decimal], numbers: Sequence[Decimal], holders: I8) -> list[Decimal]:
    """Half of the cuts: those that leave about as many people between them."""
    classes = (len(cuts) + 1) // 2
    below = np.r_[0, np.cumsum(holders)][
        np.searchsorted(np.array(numbers, dtype=float), np.array(cuts, dtype=float))
    ]
    targets = [holders.sum() * place / classes for place in range(1, classes)] or [holders.sum() / 2]
    return sorted({cuts[int(np.argmin(np.abs(below - target)))] for target in targets})


def _by_quantile(numbers: Sequence[Decimal], holders: I8) -> list[Bounds]:
    """Round bounds that leave about as many people between them, every second of them on the next level."""
    step = float(holders.sum()) / _BINS
    people = np.cumsum(holders)
    found: set[Decimal] = set()
    for place in range(1, _BINS):
        low, high = np.searchsorted(people, [(place - _NEAR) * step, (place + _NEAR) * step]).tolist()
        high = min(high, len(numbers) - 1)
        if low < high:
            found.add(roundest(numbers[low], numbers[high]))
        else:  # a value that so many people hold is a class of its own
            found |= {roundest(a, b) for a, b in pairwise(numbers[max(low - 1, 0) : low + 2])}
    cuts = sorted(found)
    first = Decimal(0) if numbers[0] >= 0 and cuts and cuts[0] > 0 else None
    levels: list[Bounds] = []
    while cuts:
        levels.append((first, *cuts, None))
        cuts = cuts[1::2] if len(cuts) >= _FEWEST else []
    return levels


def _label(bounds: Bounds, n: Decimal, whole: bool) -> str:
    place = bisect_right(_inner(bounds), n)
    low, high = bounds[place], bounds[place + 1]
    if whole and low is not None and high == low + 1:
        return spelled(n)  # the only number there is room for
    return interval(low, high)


def _inner(bounds: Bounds) -> list[Decimal]:
    """The bounds between two classes."""
    return [bound for bound in bounds[1:-1] if bound is not None]


def _quantile(numbers: Sequence[Decimal], holders: I8, share: float) -> Decimal:
    place = int(np.searchsorted(np.cumsum(holders), share * holders.sum()))
    return numbers[min(place, len(numbers) - 1)]


def _floor(n: Decimal, step: Decimal) -> Decimal:
    return (n / step).to_integral_value(rounding="ROUND_FLOOR") * step
