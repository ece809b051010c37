"""Hierarchies over numbers: nested widths, and groups of a given size with round bounds.

Numbers are exact: decimals scaled to integers, `units` of 10^-places, so that 0.3 falls into [0.3, 0.6).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import cache
from itertools import count, groupby, pairwise, takewhile

from shoal.errors import HierarchyError
from shoal.hierarchy.built_labels import Numbered
from shoal.hierarchy.column_values import ROOT, are_codes, distinct, parsed
from shoal.hierarchy.tree import Hierarchy

__all__ = ["bounds_around", "fanout", "is_number", "number", "ranges"]

# Bounded, so that no text turns into an integer of a million digits.
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?")


def number(text: str) -> Decimal | None:
    """The number a text spells, None if it spells none."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def is_number(text: str) -> bool:
    """Whether a text spells a number."""
    return _NUMBER.fullmatch(text) is not None


def ranges(
    name: str,
    widths: Sequence[object],
    values: Sequence[str | None],
    *,
    top: object = None,
    bottom: object = None,
    numbers: bool = False,
) -> Hierarchy:
    """Half-open intervals aligned at 0, one level per width, `*` on top.

    From level 1 on, all values of at least `top` are one, and so are all below `bottom`: intervals end there.
    `numbers` says that digits which look like codes are numbers nevertheless.

    >>> ranges("age", [10, 20], ["23", "17", "31"]).labels[1:]
    (('[10, 20)', '[20, 30)', '[30, 40)', '*'), ('[0, 20)', '[20, 40)', '*'), ('*',))
    >>> ranges("age", [10], ["17", "23", "31", "96"], top=30, bottom=20).labels[1]
    ('< 20', '[20, 30)', '>= 30', '*')
    """
    steps, low, high = _nested(name, widths), _bound(name, "bottom", bottom), _bound(name, "top", top)
    if low is not None and high is not None and low >= high:
        raise HierarchyError(f"hierarchy '{name}': bottom={low} is not below top={high}; exchange them")
    if not numbers and are_codes(distinct(name, values)):
        raise HierarchyError(
            f"hierarchy '{name}': the values look like codes, with leading zeros or ten digits and more, not like "
            "numbers; use mask, or add numbers = true if they are numbers"
        )
    found = parsed(name, values, number, "numbers")
    ends = [end for end in (low, high) if end is not None]
    places = _places([*steps, *ends, *(value for value, _ in found)])
    units = [_units(step, places) for step in steps]
    least, most = (None if end is None else _units(end, places) for end in (low, high))

    @cache
    def label(cell: int, step: int) -> str:
        begin, end = cell * step, cell * step + step
        begin = begin if least is None else max(begin, least)
        return _interval(begin, end if most is None else min(end, most), places)

    def path(at: int) -> list[str]:
        if most is not None and at >= most:
            return [f">= {_spelled(most, places)}"] * len(units)
        if least is not None and at < least:
            return [f"< {_spelled(least, places)}"] * len(units)
        return [label(at // step, step) for step in units]

    paths = [[text, *path(_units(value, places)), ROOT] for value, text in found]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True)


def _bound(name: str, word: str, value: object) -> Decimal | None:
    """Where top or bottom coding begins."""
    bound = None if value is None or isinstance(value, bool) else number(str(value))
    if value is not None and bound is None:
        raise HierarchyError(f"hierarchy '{name}': {word} must be a number, such as {word} = 90")
    return bound


def fanout(name: str, size: int, values: Sequence[str | None]) -> Hierarchy:
    """Groups of at most `size` neighbouring numbers, `size` groups to a group above, `*` on top.

    Bounds must not give original values away, so they lie on a grid: its step is the largest of 1, 2, 5,
    10, 20, ... (times a power of ten) of which no cell holds more than `size` distinct numbers. A group is
    a run of whole cells, and between two groups stands the roundest number of the empty cells there. The
    outer bounds are the roundest numbers no farther out than the next group is in.

    >>> fanout("age", 5, [str(age) for age in range(17, 36)]).labels[1]
    ('[10, 20)', '[20, 25)', '[25, 30)', '[30, 35)', '[35, 40)', '*')
    """
    found = parsed(name, values, number, "numbers")
    places = _places(value for value, _ in found)
    units = [_units(value, places) for value, _ in found]
    groups, cuts = _groups(sorted(set(units)), size)
    group_of = {unit: place for place, group in enumerate(groups) for unit in group}
    widths = list(takewhile(lambda width: width < len(groups), (size**level for level in count())))

    @cache
    def label(place: int, width: int) -> str:
        return _interval(cuts[place * width], cuts[min((place + 1) * width, len(groups))], places)

    paths = [
        [text, *(label(group_of[unit] // width, width) for width in widths), ROOT]
        for unit, (_, text) in zip(units, found, strict=True)
    ]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True, naming=Numbered())


def bounds_around(groups: Sequence[Sequence[str]]) -> Callable[[int, int], str]:
    """Round bounds around and between rising groups of numbers; the answer writes groups a .. b-1 as one interval.

    >>> bounds_around([["11", "13"], ["22"]])(0, 2)
    '[0, 50)'
    """
    numbers = [[value for text in group if (value := number(text)) is not None] for group in groups]
    places = _places(value for group in numbers for value in group)
    units = [sorted(_units(value, places) for value in group) for group in numbers]
    steps = _steps(units[-1][-1] - units[0][0])
    flat, size = [unit for group in units for unit in group], max(map(len, units))
    apart = [*((a[-1], b[0]) for a, b in pairwise(units)), *zip(flat, flat[size:], strict=False)]
    step = next(s for s in steps if all(a // s != b // s for a, b in apart))
    cuts = _cuts([(group[0] // step * step, group[-1] // step * step + step) for group in units])
    return lambda a, b: _interval(cuts[a], cuts[b], places)


def _nested(name: str, widths: Sequence[object]) -> list[Decimal]:
    """The widths as numbers, each a multiple of the one before."""
    steps = [number(str(width)) for width in widths]
    whole = [step for step in steps if step is not None and step > 0]
    if not whole or len(whole) < len(steps):
        raise HierarchyError(f"hierarchy '{name}': ranges needs widths above 0, such as [10, 20, 100]")
    for low, high in pairwise(whole):
        places = _places([low, high])
        if high <= low or _units(high, places) % _units(low, places):
            raise HierarchyError(
                f"hierarchy '{name}': ranges do not nest, {high} is not a multiple of {low}; "
                "make each width a multiple of the one before"
            )
    return whole


def _places(numbers: Iterable[Decimal]) -> int:
    """How many decimals write every number exactly."""
    return max(0, *(-int(value.as_tuple().exponent) for value in numbers))


def _units(value: Decimal, places: int) -> int:
    above, below = value.as_integer_ratio()
    units: int = above * 10**places // below
    return units


def _interval(low: int, high: int, places: int) -> str:
    return f"[{_spelled(low, places)}, {_spelled(high, places)})"


def _spelled(units: int, places: int) -> str:
    """The number as text, without a superfluous zero or point."""
    whole, part = divmod(abs(units), 10**places)
    tail = f".{part:0{places}d}".rstrip("0") if part else ""
    return f"{'-' if units < 0 else ''}{whole}{tail}"


def _groups(units: Sequence[int], size: int) -> tuple[list[list[int]], list[int]]:
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
