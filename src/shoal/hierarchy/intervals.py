"""Intervals of numbers: how they are written, and where their bounds lie.

Every bound is a round number between values, or a value that is round: none gives an original value away. Numbers are
exact: decimals scaled to integers, `units` of 10^-places, so that 0.3 falls into [0.3, 0.6).
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import Decimal
from itertools import groupby, pairwise

import numpy as np

from shoal.data.arrays import I8, prefix_sums
from shoal.hierarchy.column_values import number_and_side

__all__ = [
    "Bounds",
    "bounds_around",
    "class_label",
    "group_numbers",
    "interval",
    "interval_of_units",
    "number_classes",
    "open_outside",
    "places_of",
    "round_step",
    "roundest",
    "spell",
    "tail_share",
    "units_of",
]

_BINS, _WIDTHS = (
    16,
    20,
)  # classes of the first level by quantile, and of one width; about half as many on the next
_TAIL, _PEOPLE = 0.01, 20  # share of the people in an open class, and how many they are at least
_CROWDED = 0.4  # of the people in one step: then steps of one width tell little
_NEAR = 0.3  # of a class by quantile: so far a bound may lie off, to be rounder
_FEWEST = 3  # classes of a level that is worth another above it

Bounds = tuple[Decimal | None, ...]
"""Where the classes of a level begin and end, from low to high; None where the first or last is open."""


def spell(number: Decimal) -> str:
    """A number as text, without an exponent or superfluous zeros.

    >>> spell(Decimal("1E+3")), spell(Decimal("2.50"))
    ('1000', '2.5')
    """
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def interval(low: Decimal | None, high: Decimal | None, *, closed: bool = False) -> str:
    """The label of the numbers from `low` to below `high`, or to `high` where it is closed; None is an open end.

    >>> interval(Decimal(20), Decimal(30)), interval(Decimal(90), None), interval(None, Decimal(5))
    ('[20, 30)', '>= 90', '< 5')
    >>> interval(Decimal("20.0"), Decimal("34.5"), closed=True), interval(None, Decimal(17), closed=True)
    ('[20, 34.5]', '<= 17')
    """
    if low is None:
        return "*" if high is None else f"{'<=' if closed else '<'} {spell(high)}"
    return f">= {spell(low)}" if high is None else f"[{spell(low)}, {spell(high)}{']' if closed else ')'}"


def interval_of_units(low: int | None, high: int | None, places: int) -> str:
    """The label of the numbers from `low` to below `high`, both in units of 10^-places; None is an open end."""
    ends = (None if units is None else Decimal(f"{units}E-{places}") for units in (low, high))
    return interval(*ends)


def places_of(numbers: Iterable[Decimal]) -> int:
    """How many decimals write every number exactly."""
    return max(0, *(-int(value.as_tuple().exponent) for value in numbers))


def units_of(value: Decimal, places: int) -> int:
    """A number as so many 10^-places."""
    above, below = value.as_integer_ratio()
    units: int = above * 10**places // below
    return units


def group_numbers(units: Sequence[int], size: int) -> tuple[list[list[int]], list[int]]:
    """Runs of whole grid cells with at most `size` of the ascending `units`, and the bounds around them."""
    step = _grid(units, size)
    groups: list[list[int]] = [[]]
    for _, cell in groupby(units, key=lambda unit: unit // step):
        inside = list(cell)
        if groups[-1] and len(groups[-1]) + len(inside) > size:
            groups.append([])
        groups[-1] += inside
    return groups, _cuts(groups, step)


def _grid(units: Sequence[int], size: int, apart: Sequence[tuple[int, int]] = ()) -> int:
    """The largest round step of which no cell holds more than `size` of the units, or two that must be apart."""
    pairs = [*apart, *zip(units, units[size:], strict=False)]
    return next(s for s in _steps(units[-1] - units[0]) if all(a // s != b // s for a, b in pairs))


def bounds_around(groups: Sequence[Sequence[str]]) -> Callable[[int, int], str]:
    """Round bounds around and between rising groups of numbers; the answer writes groups a .. b-1 as one interval.

    >>> bounds_around([["11", "13"], ["22"]])(0, 2)
    '[0, 50)'
    """
    read = [[value for text in group if (value := number_and_side(text)) is not None] for group in groups]
    places = places_of(value for group in read for value, _ in group)
    units = [sorted(units_of(value, places) for value, _ in group) for group in read]
    flat, size = [unit for group in units for unit in group], max(map(len, units))
    step = _grid(flat, size, [(a[-1], b[0]) for a, b in pairwise(units)])
    cuts = open_outside(_cuts(units, step), {side for group in read for _, side in group})
    return lambda a, b: interval_of_units(cuts[a], cuts[b], places)


def open_outside(cuts: Sequence[int], sides: Collection[int]) -> list[int | None]:
    """The same bounds, without the last where one of the numbers is only an end (95+), and the first likewise (<20).

    Nobody knows how far beyond they are. The ends must be in the outer groups.
    """
    return [None if -1 in sides else cuts[0], *cuts[1:-1], None if 1 in sides else cuts[-1]]


def _cuts(groups: Sequence[Sequence[int]], step: int) -> list[int]:
    """Round bounds around and between groups of units, each of which takes up whole cells of a grid."""
    extents = [(group[0] // step * step, group[-1] // step * step + step) for group in groups]
    (low, _), (_, high) = extents[0], extents[-1]
    gaps = [(a[1], b[0]) for a, b in pairwise(extents)]
    # A lonely end is not to be seen, so the outer bounds may lie as far out as the nearest other group in.
    reach_low = gaps[0][1] - low if gaps else high - low
    reach_high = high - gaps[-1][0] if gaps else high - low
    gaps = [(low - reach_low, low), *gaps, (high, high + reach_high)]
    steps = _steps(max(abs(bound) for gap in gaps for bound in gap))
    return [_roundest(a, b, steps) for a, b in gaps]


def _steps(top: int) -> list[int]:
    """Return 1, 2, 5, 10, 20, ... up to the first beyond `top`, the largest first."""
    steps = [1]
    while steps[-1] <= top:
        steps.append(steps[-1] * 5 // 2 if str(steps[-1])[0] == "2" else steps[-1] * 2)
    return steps[::-1]


def _roundest(low: int, high: int, steps: Sequence[int]) -> int:
    """The multiple of the largest step between `low` and `high`, both included."""
    return next(high // step * step for step in steps if high // step * step >= low)


def round_step(least: Decimal) -> Decimal:
    """The smallest of ..., 1, 2, 5, 10, 20, ... that is at least `least`.

    >>> [spell(round_step(Decimal(text))) for text in ("3.1", "20", "0.004")]
    ['5', '20', '0.005']
    """
    scale = Decimal(1).scaleb(least.adjusted())
    return next(step for m in (1, 2, 5, 10) if (step := m * scale) >= least)


def roundest(low: Decimal, high: Decimal) -> Decimal:
    """The roundest number above `low` and not above `high`.

    >>> spell(roundest(Decimal(17), Decimal(23))), spell(roundest(Decimal("0.29"), Decimal("0.34")))
    ('20', '0.3')
    """
    if low < 0 <= high:
        return Decimal(0)
    exponent = max(low.adjusted(), high.adjusted(), (high - low).adjusted()) + 1
    while True:
        for mantissa in (5, 2, 1):
            step = mantissa * Decimal(1).scaleb(exponent)
            found = (high / step).to_integral_value(rounding="ROUND_FLOOR") * step
            if found > low:
                return found
        exponent -= 1


def number_classes(
    numbers: Sequence[Decimal], holders: I8, below: Decimal | None = None, above: Decimal | None = None
) -> list[Bounds]:
    """The bounds of each level, those of the coarser among those of the finer; none where no level would help.

    `numbers` rise, `holders` says how many people hold each. No bound lies above `above`, the least number that is
    only an end, as in 95+, nor up to `below`, the largest of the other kind: these are in the open classes.

    >>> skewed = number_classes([Decimal(n) for n in (0, 1, 2, 5, 30, 700, 9000)], np.full(7, 30))
    >>> [[None if bound is None else int(bound) for bound in bounds] for bounds in skewed]
    [[0, 1, 2, 5, 20, 500, 5000, None], [0, 2, 20, 5000, None], [0, 20, None]]
    """
    if len(numbers) <= _FEWEST or numbers[0] == numbers[-1]:
        return []
    lowest, highest = numbers[0] if below is None else below, numbers[-1] if above is None else above
    kept: list[Bounds] = []
    for first, *cuts, last in _of_one_width(numbers, holders) or _by_quantile(numbers, holders):
        inner = [cut for cut in cuts if cut is not None and lowest < cut <= highest]
        bounds = (first if below is None else None, *inner, last)
        used = {bisect_right(_inner(bounds), n) for n in numbers}
        before = {bisect_right(_inner(kept[-1]), n) for n in numbers} if kept else set(range(len(numbers)))
        if 1 < len(used) < len(before) or (not kept and len(used) > 1):
            kept.append(bounds)
    return kept


def class_label(bounds: Bounds, n: Decimal, *, whole: bool) -> str:
    """The label of the class that a number is in; `whole` says that there are whole numbers only."""
    place = bisect_right(_inner(bounds), n)
    low, high = bounds[place], bounds[place + 1]
    if whole and low is not None and high == low + 1:
        return spell(n)  # the only number there is room for
    return interval(low, high)


def _of_one_width(numbers: Sequence[Decimal], holders: I8) -> list[Bounds]:
    """Steps of one round width, then of a wider one, then as many people in each; none where one step holds most."""
    tail = tail_share(holders)
    low, high = _quantile(numbers, holders, tail), _quantile(numbers, holders, 1 - tail)
    if high <= low:
        return []
    width = round_step((high - low) / _WIDTHS)
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
    below = prefix_sums(holders)[np.searchsorted(np.array(numbers, dtype=float), np.array(cuts, dtype=float))]
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


def _inner(bounds: Bounds) -> list[Decimal]:
    """The bounds between two classes."""
    return [bound for bound in bounds[1:-1] if bound is not None]


def tail_share(holders: I8) -> float:
    """The share of the people whom an open class at an end holds: few of them, but no handful."""
    return min(max(_TAIL, _PEOPLE / float(holders.sum())), 0.1)


def _quantile(numbers: Sequence[Decimal], holders: I8, share: float) -> Decimal:
    place = int(np.searchsorted(np.cumsum(holders), share * holders.sum()))
    return numbers[min(place, len(numbers) - 1)]


def _floor(n: Decimal, step: Decimal) -> Decimal:
    return (n / step).to_integral_value(rounding="ROUND_FLOOR") * step
