"""Labels of published values: written, read again, and made anew after records were left out.

A published form that is no node of a hierarchy is a range of numbers (`interval` writes it), closed as
`[20, 34]` or open at one end as `>= 85` and `<= 17`, or a set, the JSON list of its values in order of text,
`["Bachelors", "Masters"]`. Where it stands for missing cells, too, it ends in " or missing", and `missing` stands for
these alone. Labels are read as hostile text: bounded, nothing is evaluated, and what cannot be read
stands for no leaf.

Every bound of an interval is a round number between values, or a value that is round: none gives an original value
away. Numbers are exact: decimals scaled to integers, `units` of 10^-places, so that 0.3 falls into [0.3, 0.6).

A label that was built may tell something of values that nobody may see: a mask is as long as the longest value, groups
are numbered, and round bounds lie between values. After records were left out, nodes get the labels that the values
still there call for.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import groupby, pairwise

import numpy as np

from shoal.base.errors import HierarchyError
from shoal.data.arrays import B1, I4, I8, prefix_sums
from shoal.hierarchy.column_values import are_codes, parse_number, parse_number_and_side, parse_number_or_end
from shoal.hierarchy.tree import Hierarchy, Labels, Naming

__all__ = [
    "MISSING",
    "BoundNaming",
    "Bounds",
    "MaskNaming",
    "OrdinalNaming",
    "_find_roundest",
    "can_say_missing",
    "class_label",
    "decimal_places",
    "group_numbers",
    "interval",
    "interval_of_units",
    "leaves_of",
    "number_classes",
    "numbers_of",
    "open_outer_bounds",
    "open_sides",
    "or_missing",
    "read_range",
    "refuse_lookalikes",
    "round_step",
    "set_label",
    "spell_number",
    "tail_of",
    "tail_share",
    "to_units",
    "without_missing",
]


# Classes of the first level by quantile, and of one width; about half as many on the next.
_BINS, _WIDTHS = 16, 20
_TAIL_SHARE, _PEOPLE = 0.01, 20  # share of the people in an open class, and how many they are at least
_CROWDED = 0.4  # of the people in one step: then steps of one width tell little
_NEAR = 0.3  # of a class by quantile: so far a bound may lie off, to be rounder
_NEARER = 0.2  # the same where somebody says how many classes there are
_FEWEST = 3  # classes of a level that is worth another above it

Bounds = tuple[Decimal | None, ...]
"""Where the classes of a level begin and end, from low to high; None where the first or last is open."""


def spell_number(number: Decimal) -> str:
    """A number as text, without an exponent or superfluous zeros.

    >>> spell_number(Decimal("1E+3")), spell_number(Decimal("2.50"))
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
        return "*" if high is None else f"{'<=' if closed else '<'} {spell_number(high)}"
    return (
        f">= {spell_number(low)}"
        if high is None
        else (f"[{spell_number(low)}, {spell_number(high)}{']' if closed else ')'}")
    )


def interval_of_units(low: int | None, high: int | None, places: int) -> str:
    """The label of the numbers from `low` to below `high`, both in units of 10^-places; None is an open end."""
    ends = (None if units is None else Decimal(f"{units}E-{places}") for units in (low, high))
    return interval(*ends)


def decimal_places(numbers: Iterable[Decimal]) -> int:
    """How many decimals write every number exactly."""
    return max(0, *(-int(value.as_tuple().exponent) for value in numbers))


def to_units(value: Decimal, places: int) -> int:
    """A number as so many 10^-places."""
    numerator, denominator = value.as_integer_ratio()
    units: int = numerator * 10**places // denominator
    return units


def group_numbers(units: Sequence[int], size: int) -> tuple[list[list[int]], list[int]]:
    """Runs of whole grid cells with at most `size` of the ascending `units`, and the bounds around them."""
    step = _grid_step(units, size)
    groups: list[list[int]] = [[]]
    for _, cell in groupby(units, key=lambda unit: unit // step):
        cell_units = list(cell)
        if groups[-1] and len(groups[-1]) + len(cell_units) > size:
            groups.append([])
        groups[-1] += cell_units
    return groups, _round_cuts(groups, step)


def _grid_step(units: Sequence[int], size: int, apart: Sequence[tuple[int, int]] = ()) -> int:
    """The largest round step of which no cell holds more than `size` of the units, or two that must be apart."""
    pairs = [*apart, *zip(units, units[size:], strict=False)]
    return next(s for s in _round_steps(units[-1] - units[0]) if all(a // s != b // s for a, b in pairs))


def _bounds_around(groups: Sequence[Sequence[str]]) -> Callable[[int, int], str]:
    """Round bounds around and between rising groups of numbers; the answer writes groups a .. b-1 as one interval.

    >>> _bounds_around([["11", "13"], ["22"]])(0, 2)
    '[0, 50)'
    """
    parsed_groups = [
        [value for text in group if (value := parse_number_and_side(text)) is not None] for group in groups
    ]
    decimals = decimal_places(value for group in parsed_groups for value, _ in group)
    units = [sorted(to_units(value, decimals) for value, _ in group) for group in parsed_groups]
    flat, size = [unit for group in units for unit in group], max(map(len, units))
    step = _grid_step(flat, size, [(a[-1], b[0]) for a, b in pairwise(units)])
    cuts = open_outer_bounds(_round_cuts(units, step), {side for group in parsed_groups for _, side in group})
    return lambda a, b: interval_of_units(cuts[a], cuts[b], decimals)


def open_outer_bounds(cuts: Sequence[int], sides: Collection[int]) -> list[int | None]:
    """The same bounds, without the last where one of the numbers is only an end (95+), and the first likewise (<20).

    Nobody knows how far beyond they are. The ends must be in the outer groups.
    """
    return [None if -1 in sides else cuts[0], *cuts[1:-1], None if 1 in sides else cuts[-1]]


def _round_cuts(groups: Sequence[Sequence[int]], step: int) -> list[int]:
    """Round bounds around and between groups of units, each of which takes up whole cells of a grid."""
    extents = [(group[0] // step * step, group[-1] // step * step + step) for group in groups]
    (low, _), (_, high) = extents[0], extents[-1]
    gaps = [(a[1], b[0]) for a, b in pairwise(extents)]
    # A lonely end is not to be seen, so the outer bounds may lie as far out as the nearest other group in.
    reach_low = gaps[0][1] - low if gaps else high - low
    reach_high = high - gaps[-1][0] if gaps else high - low
    gaps = [(low - reach_low, low), *gaps, (high, high + reach_high)]
    steps = _round_steps(max(abs(gap_end) for gap in gaps for gap_end in gap))
    # of each gap the multiple of the largest step in it, both ends included
    return [next(b // step * step for step in steps if b // step * step >= a) for a, b in gaps]


def _round_steps(top: int) -> list[int]:
    """Return 1, 2, 5, 10, 20, ... up to the first beyond `top`, the largest first."""
    steps = [1]
    while steps[-1] <= top:
        steps.append(steps[-1] * 5 // 2 if str(steps[-1])[0] == "2" else steps[-1] * 2)
    return steps[::-1]


def round_step(least: Decimal) -> Decimal:
    """The smallest of ..., 1, 2, 5, 10, 20, ... that is at least `least`.

    >>> [spell_number(round_step(Decimal(text))) for text in ("3.1", "20", "0.004")]
    ['5', '20', '0.005']
    """
    scale = Decimal(1).scaleb(least.adjusted())
    return next(step for m in (1, 2, 5, 10) if (step := m * scale) >= least)


def _find_roundest(low: Decimal, high: Decimal) -> Decimal:
    """The roundest number above `low` and not above `high`.

    >>> spell_number(_find_roundest(Decimal(17), Decimal(23)))
    '20'
    >>> spell_number(_find_roundest(Decimal("0.29"), Decimal("0.34")))
    '0.3'
    """
    if low < 0 <= high:
        return Decimal(0)
    exponent = max(low.adjusted(), high.adjusted(), (high - low).adjusted()) + 1
    while True:
        for mantissa in (5, 2, 1):
            step = mantissa * Decimal(1).scaleb(exponent)
            candidate = (high / step).to_integral_value(rounding="ROUND_FLOOR") * step
            if candidate > low:
                return candidate
        exponent -= 1


def number_classes(
    numbers: Sequence[Decimal],
    holders: I8,
    below: Decimal | None = None,
    above: Decimal | None = None,
    quantiles: int | None = None,
) -> list[Bounds]:
    """The bounds of each level, those of the coarser among those of the finer; none where no level would help.

    `numbers` rise, `holders` says how many people hold each. No bound lies above `above`, the least number that is
    only an end, as in 95+, nor up to `below`, the largest of the other kind: these are in the open classes.
    `quantiles` asks for so many classes of about as many people in place of classes of one width.

    >>> skewed = number_classes([Decimal(n) for n in (0, 1, 2, 5, 30, 700, 9000)], np.full(7, 30))
    >>> [[None if bound is None else int(bound) for bound in bounds] for bounds in skewed]
    [[0, 1, 2, 5, 20, 500, 5000, None], [0, 2, 20, 5000, None], [0, 20, None]]
    """
    if len(numbers) <= _FEWEST or numbers[0] == numbers[-1]:
        return []
    lowest, highest = numbers[0] if below is None else below, numbers[-1] if above is None else above
    levels: list[Bounds] = []
    classes = _equal_width_classes(numbers, holders) if quantiles is None else []
    classes = classes or _quantile_classes(
        numbers, holders, quantiles or _BINS, _NEAR if quantiles is None else _NEARER
    )
    for first_bound, *cuts, last_bound in classes:
        inner = [inner_cut for inner_cut in cuts if inner_cut is not None and lowest < inner_cut <= highest]
        bounds = (first_bound if below is None else None, *inner, last_bound)
        used_classes = {bisect_right(_inner_bounds(bounds), n) for n in numbers}
        classes_before = (
            {bisect_right(_inner_bounds(levels[-1]), n) for n in numbers}
            if levels
            else set(range(len(numbers)))
        )
        if 1 < len(used_classes) < len(classes_before) or (not levels and len(used_classes) > 1):
            levels.append(bounds)
    return levels


def class_label(bounds: Bounds, n: Decimal, *, whole: bool) -> str:
    """The label of the class that a number is in; `whole` says that there are whole numbers only."""
    class_index = bisect_right(_inner_bounds(bounds), n)
    low, high = bounds[class_index], bounds[class_index + 1]
    if whole and low is not None and high == low + 1:
        return spell_number(n)  # the only number there is room for
    return interval(low, high)


def _equal_width_classes(numbers: Sequence[Decimal], holders: I8) -> list[Bounds]:
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
    bottom, top = _floor_to_step(low, width), _floor_to_step(high, width)
    is_long = numbers[0] < bottom - 2 * width and numbers[0] < 0  # a few far below: they are one open class
    first_cut = bottom if is_long else _floor_to_step(numbers[0], width)
    count = int((top - first_cut) // width) + 1
    cuts = [first_cut + width * step for step in range(0 if is_long else 1, count)]
    wider = width * (5 if width.scaleb(-width.adjusted()) == 2 else 2)
    rounder = [rounder_cut for rounder_cut in cuts if rounder_cut % wider == 0]
    levels = [cuts, *([rounder] if 1 < len(rounder) < len(cuts) else [])]
    while len(levels[-1]) > 1:
        levels.append(_halve_cuts(levels[-1], numbers, holders))
    # Wide classes are open.
    starts = [None, None, None] if is_long else [first_cut, _floor_to_step(first_cut, wider), None]
    return [(starts[min(level, 2)], *cuts, None) for level, cuts in enumerate(levels) if cuts]


def _halve_cuts(cuts: Sequence[Decimal], numbers: Sequence[Decimal], holders: I8) -> list[Decimal]:
    """Half of the cuts: those that leave about as many people between them."""
    classes = (len(cuts) + 1) // 2
    people_below = prefix_sums(holders)[
        np.searchsorted(np.array(numbers, dtype=float), np.array(cuts, dtype=float))
    ]
    targets = [holders.sum() * index / classes for index in range(1, classes)] or [holders.sum() / 2]
    return sorted({cuts[int(np.argmin(np.abs(people_below - target)))] for target in targets})


def _quantile_classes(numbers: Sequence[Decimal], holders: I8, count: int, near: float) -> list[Bounds]:
    """Round bounds that leave about as many people between them, every second of them on the next level.

    `near` is how far a bound may lie off to be rounder, as a share of a class.
    """
    step = float(holders.sum()) / count
    people = np.cumsum(holders)
    chosen_cuts: set[Decimal] = set()
    for index in range(1, count):
        low, high = np.searchsorted(people, [(index - near) * step, (index + near) * step]).tolist()
        high = min(high, len(numbers) - 1)
        if low < high:
            chosen_cuts.add(_find_roundest(numbers[low], numbers[high]))
        else:  # a value that so many people hold is a class of its own
            chosen_cuts |= {_find_roundest(a, b) for a, b in pairwise(numbers[max(low - 1, 0) : low + 2])}
    cuts = sorted(chosen_cuts)
    first_bound = Decimal(0) if numbers[0] >= 0 and cuts and cuts[0] > 0 else None
    levels: list[Bounds] = []
    while cuts:
        levels.append((first_bound, *cuts, None))
        cuts = cuts[1::2] if len(cuts) >= _FEWEST else []
    return levels


def _inner_bounds(bounds: Bounds) -> list[Decimal]:
    """The bounds between two classes."""
    return [inner_bound for inner_bound in bounds[1:-1] if inner_bound is not None]


def tail_share(holders: I8) -> float:
    """The share of the people whom an open class at an end holds: few of them, but no handful."""
    return min(max(_TAIL_SHARE, _PEOPLE / float(holders.sum())), 0.1)


def _quantile(numbers: Sequence[Decimal], holders: I8, share: float) -> Decimal:
    index = int(np.searchsorted(np.cumsum(holders), share * holders.sum()))
    return numbers[min(index, len(numbers) - 1)]


def _floor_to_step(n: Decimal, step: Decimal) -> Decimal:
    return (n / step).to_integral_value(rounding="ROUND_FLOOR") * step


MISSING = "missing"
"""What stands for missing cells alone."""
_OR_MISSING = f" or {MISSING}"
_LONGEST = 1_000_000
_RANGE = re.compile(r"\[([^\s,\[\]]{1,100}), ([^\s,\[\]]{1,100})\]")
_OPEN = re.compile(r"(>=|<=) ([^\s,\[\]]{1,100})")
_TAIL = re.compile(r"(>=|<) ([^\s,\[\]]{1,100})")
_ENDLESS = Decimal("Infinity")


@dataclass(frozen=True, slots=True)
class MaskNaming(Naming):
    """Stars up to the longest value, at one end."""

    side: str

    def labels(self, hierarchy: Hierarchy, held: B1) -> Labels:
        """The same masks, as long as the longest value that is held."""
        lengths = [len(leaf) for leaf in hierarchy.leaves]
        spare = max(lengths) - max(length for length, is_held in zip(lengths, held, strict=True) if is_held)

        def shorter(label: str) -> str:
            if label == hierarchy.root or "*" not in label:
                return label
            return label[: len(label) - spare] if self.side == "right" else label[spare:]

        return tuple(tuple(map(shorter, level)) for level in hierarchy.labels)


@dataclass(frozen=True, slots=True)
class OrdinalNaming(Naming):
    """Groups that are numbered in order."""

    def labels(self, hierarchy: Hierarchy, held: B1) -> Labels:
        """The groups in which somebody is, numbered anew."""
        labels = [list(level) for level in hierarchy.labels]
        for level in range(1, hierarchy.height):
            visible = _visible_nodes(hierarchy, level, held)
            for group_number, node in enumerate(visible, start=1):
                labels[level][node] = f"group {group_number} of {len(visible)}"
        return tuple(map(tuple, labels))


@dataclass(frozen=True, slots=True)
class BoundNaming(Naming):
    """Groups of numbers between round bounds."""

    def labels(self, hierarchy: Hierarchy, held: B1) -> Labels:
        """Bounds between and around the numbers that are held."""
        labels = [list(level) for level in hierarchy.labels]
        if hierarchy.height < 2:
            return hierarchy.labels
        lowest = _visible_nodes(hierarchy, 1, held)
        interval_label = _bounds_around([_visible_leaves(hierarchy, node, held) for node in lowest])
        group_index = {node: index for index, node in enumerate(lowest)}
        for level in range(1, hierarchy.height):
            for node in _visible_nodes(hierarchy, level, held):
                lo, hi = hierarchy.spans[level][node].tolist()
                groups_below = [
                    group_index[n] for n in np.unique(hierarchy.up[lo:hi, 1]).tolist() if n in group_index
                ]
                labels[level][node] = interval_label(groups_below[0], groups_below[-1] + 1)
        return tuple(map(tuple, labels))


def _visible_nodes(hierarchy: Hierarchy, level: int, held: B1) -> list[int]:
    """The nodes of a level that have a leaf which is held."""
    nodes: list[int] = np.unique(hierarchy.up[: hierarchy.size, level][held]).tolist()
    return [node for node in nodes if hierarchy.labels[level][node] != hierarchy.root]


def _visible_leaves(hierarchy: Hierarchy, node: int, held: B1) -> list[str]:
    """The leaves of a node of the lowest level that are held."""
    lo, hi = hierarchy.spans[1][node].tolist()
    return [hierarchy.leaves[code] for code in range(lo, hi) if held[code]]


def set_label(values: Iterable[str]) -> str:
    """Write a set of values.

    >>> set_label(["Masters", "Bachelors"])
    '["Bachelors", "Masters"]'
    """
    return json.dumps(sorted(values), ensure_ascii=False)


def read_range(label: str) -> tuple[Decimal, Decimal] | None:
    """The ends of a written range, None if the label is none.

    >>> read_range("[20, 34.5]")
    (Decimal('20'), Decimal('34.5'))
    """
    beyond = _OPEN.fullmatch(label)
    if beyond is not None:
        end = parse_number(beyond[2])
        return None if end is None else (end, _ENDLESS) if beyond[1] == ">=" else (-_ENDLESS, end)
    match = _RANGE.fullmatch(label)
    if match is None:
        return None
    low, high = parse_number(match[1]), parse_number(match[2])
    return (low, high) if low is not None and high is not None and low <= high else None


def tail_of(hierarchy: Hierarchy, leaf: int) -> str | None:
    """The label that a value has in place of a range because of top or bottom coding; None where it has none.

    >>> from shoal.hierarchy.rules import build
    >>> ages = build("age", {"ranges": [10], "top": 90}, ["17", "95"])
    >>> tail_of(ages, 0), tail_of(ages, 1)
    (None, '>= 90')
    """
    if hierarchy.height < 2:
        return None
    label = hierarchy.labels[1][hierarchy.up[leaf, 1]]
    return label if _TAIL.fullmatch(label) else None


def leaves_of(label: str | None, hierarchy: Hierarchy, *, blanks: bool = False) -> I4:
    """The leaf codes a published label stands for, rising; none at all where it cannot be read.

    A node of the hierarchy comes first, then a range, then a set, each as it is written here: another order, number or
    blank makes it no label. The code D stands for missing cells that no leaf covers: it is among the root's, and among
    those of labels that say so. None, an empty cell, is the leaf that covers missing cells; with `blanks` it is
    a cell that was left out, and stands for whatever there is.
    """
    if label is None and blanks:
        return _leaf_range(0, hierarchy.size + 1)
    if label is None:
        return _leaf_range(
            *((0, 0) if hierarchy.missing is None else (hierarchy.missing, hierarchy.missing + 1))
        )
    if label in hierarchy.places:
        low, high = hierarchy.places[label]
        return _leaf_range(low, high + (label == hierarchy.root))
    if label.endswith(MISSING) and can_say_missing(hierarchy):
        return _read_with_missing(label, hierarchy)
    return _read_written_label(label, hierarchy)


def _read_with_missing(label: str, hierarchy: Hierarchy) -> I4:
    """The leaves of a label that also stands for missing cells, which no other label does but the root."""
    if label == MISSING:
        return _leaf_range(hierarchy.size, hierarchy.size + 1)
    other_label = without_missing(label)
    leaves = leaves_of(other_label, hierarchy)
    if (
        other_label == label
        or not len(leaves)
        or leaves[-1] == hierarchy.size
        or or_missing(other_label) != label
    ):
        return _leaf_range(0, 0)
    return np.append(leaves, np.int32(hierarchy.size))


@lru_cache(maxsize=64)
def can_say_missing(hierarchy: Hierarchy) -> bool:
    """Whether labels may end in "or missing": missing cells have no leaf, and no label of the hierarchy ends so."""
    return hierarchy.missing is None and not any(label.endswith(MISSING) for label in hierarchy.places)


def or_missing(label: str) -> str:
    """Write what a label stands for and missing cells.

    >>> or_missing("[20, 34]")
    '[20, 34] or missing'
    """
    return label + _OR_MISSING


def without_missing(label: str) -> str:
    """What a label stands for beside missing cells.

    >>> without_missing("[20, 34] or missing")
    '[20, 34]'
    """
    return label.removesuffix(_OR_MISSING)


@lru_cache(maxsize=64)
def numbers_of(hierarchy: Hierarchy) -> tuple[Decimal | None, ...] | None:
    """The leaves as numbers, None where they are names.

    They are numbers if every leaf, but the one for missing cells, spells one or its end (95+) and they rise in leaf
    order: so do ages in a file, while codes such as 01069 are names. The leaf for missing cells is None, and so are
    leaves beside it.
    """
    own_leaves = hierarchy.leaves[: hierarchy.size - hierarchy.strangers]
    leaves = [None if code == hierarchy.missing else leaf for code, leaf in enumerate(own_leaves)]
    if not hierarchy.ordered and are_codes(leaves):  # a rule that orders codes was told that they are numbers
        return None
    numbers = tuple(None if leaf is None else parse_number_or_end(leaf) for leaf in leaves)
    if any(value is None and leaf is not None for value, leaf in zip(numbers, leaves, strict=True)):
        return None
    present = [value for value in numbers if value is not None]
    return (*numbers, *[None] * hierarchy.strangers) if present and present == sorted(present) else None


@lru_cache(maxsize=64)
def open_sides(hierarchy: Hierarchy) -> tuple[int, ...]:
    """For each leaf that is a number 1 where it is only the lower end of what is meant (95+), -1 the upper, else 0."""
    parsed_leaves = [parse_number_and_side(leaf) for leaf in hierarchy.leaves]
    return tuple(0 if parsed_leaf is None else parsed_leaf[1] for parsed_leaf in parsed_leaves)


def refuse_lookalikes(hierarchy: Hierarchy) -> None:
    """Refuse a hierarchy with a label that reads like a range or a set but stands for other leaves.

    Raises
    ------
    HierarchyError
        There is such a label; it travels in the error's `value`.
    """
    for label, (low, high) in hierarchy.places.items():
        leaves = _read_written_label(label, hierarchy)
        if len(leaves) and not np.array_equal(leaves, np.arange(low, high)):
            raise HierarchyError(
                f"hierarchy '{hierarchy.name}': a label reads like a written range or set of other leaves; rename it, "
                'or use recode = "hierarchy"',
                value=label,
            )


def _read_written_label(label: str, hierarchy: Hierarchy) -> I4:
    """The leaves of a label read as a range, a mask or a set."""
    if isinstance(hierarchy.naming, MaskNaming) and "*" in label:
        return _read_mask(label, hierarchy.naming.side, hierarchy)
    half_open = isinstance(hierarchy.naming, BoundNaming) and (label.endswith(")") or label.startswith("< "))
    closed_label = label.replace("< ", "<= ").replace(")", "]") if half_open else label
    ends = read_range(closed_label)
    if ends is None:
        return _read_set(label, hierarchy)
    low, high = ends
    canonical = interval(None if low == -_ENDLESS else low, None if high == _ENDLESS else high, closed=True)
    numbers = numbers_of(hierarchy)
    if closed_label != canonical or numbers is None:  # another way to write it could mark whose row it is
        return _leaf_range(0, 0)

    def covers(value: Decimal, open_side: int) -> bool:
        """Whether the range holds a leaf; one that is only an end may be anything beyond it."""
        is_open_there = high == _ENDLESS if open_side > 0 else low == -_ENDLESS
        is_between = low <= value < high if half_open else low <= value <= high
        return is_between and (open_side == 0 or is_open_there)

    leaves = zip(numbers, open_sides(hierarchy), strict=True)
    covered = [code for code, (value, side) in enumerate(leaves) if value is not None and covers(value, side)]
    return np.array(covered, dtype=np.int32)


def _read_mask(label: str, side: str, hierarchy: Hierarchy) -> I4:
    """The leaves that a mask hides: longer than what it shows, and the same there."""
    visible_part = label.rstrip("*") if side == "right" else label.lstrip("*")
    if not visible_part or "*" in visible_part:
        return _leaf_range(0, 0)
    covered = [
        code
        for code, leaf in enumerate(hierarchy.leaves)
        if len(leaf) > len(visible_part)
        and (leaf.startswith(visible_part) if side == "right" else leaf.endswith(visible_part))
    ]
    return np.array(covered, dtype=np.int32)


def _read_set(label: str, hierarchy: Hierarchy) -> I4:
    """The leaves of a label read as a JSON list of leaves."""
    values: object = None
    if label.startswith('["') and len(label) <= _LONGEST:
        try:
            values = json.loads(label)
        except (ValueError, RecursionError):
            values = None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return _leaf_range(0, 0)
    codes = np.unique(hierarchy.look_up(values))
    one_way = len(codes) == len(values) and set_label(values) == label
    return codes if one_way and len(codes) and codes[0] >= 0 else _leaf_range(0, 0)


def _leaf_range(low: int, high: int) -> I4:
    return np.arange(low, high, dtype=np.int32)
