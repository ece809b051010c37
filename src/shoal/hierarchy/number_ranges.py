"""Intervals of numbers: round bounds around and between groups, and how they are written.

Numbers are exact: decimals scaled to integers, `units` of 10^-places, so that 0.3 falls into [0.3, 0.6).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import groupby, pairwise

__all__ = [
    "bounds_around",
    "group_numbers",
    "interval_of_units",
    "is_number",
    "number",
    "places_of",
    "spell_units",
    "units_of",
]

# Bounded, so that no text turns into an integer of a million digits.
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?")


def number(text: str) -> Decimal | None:
    """The number a text spells, None if it spells none."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def is_number(text: str) -> bool:
    """Whether a text spells a number."""
    return _NUMBER.fullmatch(text) is not None


def bounds_around(groups: Sequence[Sequence[str]]) -> Callable[[int, int], str]:
    """Round bounds around and between rising groups of numbers; the answer writes groups a .. b-1 as one interval.

    >>> bounds_around([["11", "13"], ["22"]])(0, 2)
    '[0, 50)'
    """
    numbers = [[value for text in group if (value := number(text)) is not None] for group in groups]
    places = places_of(value for group in numbers for value in group)
    units = [sorted(units_of(value, places) for value in group) for group in numbers]
    steps = _steps(units[-1][-1] - units[0][0])
    flat, size = [unit for group in units for unit in group], max(map(len, units))
    apart = [*((a[-1], b[0]) for a, b in pairwise(units)), *zip(flat, flat[size:], strict=False)]
    step = next(s for s in steps if all(a // s != b // s for a, b in apart))
    cuts = _cuts([(group[0] // step * step, group[-1] // step * step + step) for group in units])
    return lambda a, b: interval_of_units(cuts[a], cuts[b], places)


def places_of(numbers: Iterable[Decimal]) -> int:
    """How many decimals write every number exactly."""
    return max(0, *(-int(value.as_tuple().exponent) for value in numbers))


def units_of(value: Decimal, places: int) -> int:
    """A number as so many 10^-places."""
    above, below = value.as_integer_ratio()
    units: int = above * 10**places // below
    return units


def interval_of_units(low: int, high: int, places: int) -> str:
    """The label of the numbers from `low` to below `high`."""
    return f"[{spell_units(low, places)}, {spell_units(high, places)})"


def spell_units(units: int, places: int) -> str:
    """The number as text, without a superfluous zero or point."""
    whole, part = divmod(abs(units), 10**places)
    tail = f".{part:0{places}d}".rstrip("0") if part else ""
    return f"{'-' if units < 0 else ''}{whole}{tail}"


def group_numbers(units: Sequence[int], size: int) -> tuple[list[list[int]], list[int]]:
    """Runs of whole grid cells with at most `size` of the ascending `units`, and the bounds around them."""
    steps = _steps(units[-1] - units[0])
    step = next(s for s in steps if all(a // s != b // s for a, b in zip(units, units[size:], strict=False)))
    groups: list[list[int]] = [[]]
    for _, cell in groupby(units, key=lambda unit: unit // step):
        inside = list(cell)
        if groups[-1] and len(groups[-1]) + len(inside) > size:
            groups.append([])
        groups[-1] += inside
    return groups, _cuts([(group[0] // step * step, group[-1] // step * step + step) for group in groups])


def _cuts(extents: Sequence[tuple[int, int]]) -> list[int]:
    """Round bounds around and between groups, given where each begins and ends."""
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
