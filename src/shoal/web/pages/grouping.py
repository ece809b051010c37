"""Groups for all values of a column at once, by a rule: which rules fit the values, and the tree that each makes.

The rules are those of a configuration, and what `init` makes of values. Where the configuration can name the rule it
does, so that `shoal run` groups other data the same way; else the tree is a file.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from shoal.base.errors import HierarchyError
from shoal.data.column_names import match_column_name
from shoal.hierarchy.answers import order_answers
from shoal.hierarchy.column_values import are_codes, parse_number, parse_number_or_end, sort_bands
from shoal.hierarchy.edit import Editable
from shoal.hierarchy.rules import build
from shoal.hierarchy.suggest import calendar_units, kind_of, number_hierarchy, word_hierarchy
from shoal.hierarchy.vocabularies import outside_vocabulary, suggest_vocabularies, vocabularies

__all__ = [
    "UNITS",
    "WAYS",
    "WIDTHS",
    "Grouping",
    "group_by_calendar",
    "group_by_digits",
    "group_by_order",
    "group_by_quantiles",
    "group_by_ranges",
    "group_by_vocabulary",
    "list_vocabularies",
    "list_ways",
    "name_buttons",
    "parse_numbers",
    "propose_lengths",
    "propose_order",
    "propose_units",
    "propose_widths",
]

WAYS: Mapping[str, str] = {
    "calendar": "Months, quarters, years",
    "ranges": "Ranges",
    "quantiles": "Quantiles",
    "digits": "First digits",
    "order": "Order of answers",
    "vocabulary": "Public vocabulary",
}
"""Every way to group all values of a column, and what its button says."""

UNITS = ("month", "quarter", "year", "decade")
WIDTHS = (5, 10, 100)
_LONGEST = 32  # signs of a code
_MOST_ANSWERS = 60
_MOST_NUMBERS = 2000  # that a public hierarchy lists


@dataclass(frozen=True, slots=True)
class Grouping:
    """A tree that a rule made of a column's values.

    rule   : as a configuration names it; None where the tree must be a file
    public : whether somebody declared its labels public
    note   : what to know of it, in a sentence
    """

    tree: Editable
    rule: Mapping[str, Any] | None = None
    public: bool = False
    note: str = ""


def list_ways(values: Sequence[str]) -> list[str]:
    """The ways that fit the values of a column, the likeliest first.

    >>> list_ways(["2015-01-31", "2016-02-01"]), list_ways(["01067", "04103", "04109"])
    (['calendar', 'vocabulary'], ['digits', 'ranges', 'quantiles', 'vocabulary'])
    >>> list_ways(["17", "30", "42"]), list_ways(["low", "mid", "high"])
    (['ranges', 'quantiles', 'digits', 'vocabulary'], ['order', 'vocabulary'])
    """
    if not values:
        return []
    kind = kind_of(values)
    if kind.name == "date":
        return ["calendar", "vocabulary"]
    are_numbers = all(parse_number_or_end(value) is not None for value in values)
    has_digits = all(any(sign.isdigit() for sign in value) for value in values)
    has_codes = kind.name == "code" or (are_numbers and has_digits)
    digits = ["digits"] if has_codes and max(map(len, values)) <= _LONGEST else []
    ways = ["ranges", "quantiles"] if are_numbers else []
    ways = [*digits, *ways] if kind.name == "code" else [*ways, *digits]
    if not are_numbers and 2 < len(values) <= _MOST_ANSWERS:
        ways.append("order")
    return [*ways, "vocabulary"]


def parse_numbers(text: str, what: str) -> list[int | float]:
    """The numbers of a line, with commas or blanks between them; `what` says what they are.

    >>> parse_numbers("5, 10 100", "widths")
    [5, 10, 100]

    Raises
    ------
    HierarchyError
        Something else stands there.
    """
    numbers = [parse_number(part) for part in text.replace(",", " ").split()]
    if None in numbers:
        raise HierarchyError(f"{what}: give numbers with commas between them")
    return [_plain(number) for number in numbers if number is not None]


def propose_widths(values: Sequence[str]) -> list[int]:
    """Those of the usual widths that bring numbers together, and do not bring all of them together."""
    numbers = sorted(
        {float(number) for value in values if (number := parse_number_or_end(value)) is not None}
    )
    if len(numbers) < 2:
        return []
    spans = {width: len({number // width for number in numbers}) for width in WIDTHS}
    return [width for width, count in spans.items() if 1 < count < len(numbers)]


def group_by_ranges(
    name: str,
    values: Sequence[str],
    widths: Sequence[int | float],
    *,
    bottom: float | None = None,
    top: float | None = None,
) -> Grouping:
    """Ranges of some widths, a level for each; all below `bottom` and all from `top` on are one group.

    Raises
    ------
    HierarchyError
        The widths do not nest, or values stand in their way.
    """
    ends = {"bottom": bottom, "top": top}
    rule: dict[str, Any] = {
        "ranges": sorted(set(widths)),
        **{end: bound for end, bound in ends.items() if bound is not None},
        **({"numbers": True} if are_codes(list(values)) else {}),
    }
    return _group_by_rule(name, values, rule)


def propose_units(name: str, values: Sequence[str]) -> list[str]:
    """The units of the calendar that bring these dates together."""
    return calendar_units(name, values, kind_of(values).format)


def group_by_calendar(
    name: str, values: Sequence[str], units: Sequence[str], *, bottom: int | None = None
) -> Grouping:
    """Units of the calendar, a level for each; all before the year `bottom` are one group.

    Raises
    ------
    HierarchyError
        No unit is named, or values are no dates.
    """
    format = kind_of(values).format
    levels = [unit for unit in UNITS if unit in units]
    rule: dict[str, Any] = {"dates": levels if format is None else {"format": format, "levels": levels}}
    return _group_by_rule(name, values, rule if bottom is None else {**rule, "bottom": bottom})


def propose_lengths(values: Sequence[str]) -> list[int]:
    """How many signs are worth keeping of codes: at most three, less than all.

    >>> propose_lengths(["01067", "80331"]), propose_lengths(["17", "42"])
    ([3, 2, 1], [1])
    """
    longest = max(map(len, values), default=0)
    return [length for length in (3, 2, 1) if length < longest]


def group_by_digits(name: str, values: Sequence[str], lengths: Sequence[float]) -> Grouping:
    """The first so many digits or letters, a level for each length.

    Raises
    ------
    HierarchyError
        A length leaves nothing out, or nothing.
    """
    longest = max(map(len, values), default=0)
    if not lengths or not all(length in range(1, longest) for length in lengths):
        raise HierarchyError(
            f"hierarchy '{name}': values have up to {longest} signs; give how many are kept, from 1 to {longest - 1}"
        )
    rule = {"mask": "right"}
    tree = Editable.of(build(name, rule, values))
    stars_dropped = [stars for stars in range(longest - 1, 0, -1) if longest - stars not in lengths]
    for level in stars_dropped:
        tree = tree.without_level(level)
    return Grouping(tree, None if stars_dropped else rule)


def list_vocabularies(name: str, values: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The vocabularies by name with their levels: those that know nearly all values, and all others."""
    meant = match_column_name(name)
    fitting = suggest_vocabularies(list(values), name, "" if meant is None else meant.what)
    words = {
        vocabulary: f"{vocabulary}: {', '.join(known.levels)}"
        for vocabulary, known in vocabularies().items()
        if known.levels
    }
    fits = {key: words[key] for key in fitting if key in words}
    return fits, {key: text for key, text in words.items() if key not in fits}


def group_by_vocabulary(name: str, values: Sequence[str], vocabulary: str) -> Grouping:
    """What a public vocabulary says of each value.

    Raises
    ------
    HierarchyError
        It knows none of them, or a value reads like one of its groups.
    """
    note = outside_vocabulary(name, vocabulary, values)
    grouping = _group_by_rule(name, values, {"vocabulary": vocabulary})
    return Grouping(grouping.tree, grouping.rule, note=note.partition(": ")[2])


def group_by_quantiles(name: str, holders: Mapping[str, int], classes: int) -> Grouping:
    """Classes with about as many people in each, between round bounds; whoever takes them declares them public.

    A public hierarchy may name its values, so it has every whole number up to a round one, whoever is in the data.
    Where numbers are not whole, or too many, the bounds are published all the same, and the values are not.

    Raises
    ------
    HierarchyError
        There are too few different numbers.
    """
    values = list(holders)
    counts = [max(holders[value], 1) for value in values]
    others = [value for value in _whole_numbers_around(values) if value not in holders]
    hierarchy = None
    if 1 < classes < len(values) and all(parse_number_or_end(value) is not None for value in values):
        people = np.array([*counts, *[0] * len(others)], dtype=np.int64)
        hierarchy = number_hierarchy(name, [*values, *others], people, quantiles=classes)
    if hierarchy is None:
        raise HierarchyError(
            f"hierarchy '{name}': so many classes of about as many people cannot be made of its numbers; give another "
            "number of classes, or use ranges"
        )
    return Grouping(Editable.of(hierarchy), public=bool(others))


def _whole_numbers_around(values: Sequence[str]) -> list[str]:
    """Every whole number from 0 to a round one above the values; none where they are others, or more than a few."""
    if not all(value.isascii() and value.isdecimal() and str(int(value)) == value for value in values):
        return []
    highest = max(map(int, values), default=_MOST_NUMBERS)
    unit = max(10 ** (len(str(highest)) - 1), 10)
    end = (highest // unit + 1) * unit
    return [str(number) for number in range(end)] if end <= _MOST_NUMBERS else []


def propose_order(name: str, values: Sequence[str]) -> list[str]:
    """The answers in their order where something tells it, else by the alphabet."""
    meant = match_column_name(name)
    is_nominal = meant is not None and meant.kind in ("word", "place")
    found = sort_bands(list(values)) or order_answers(list(values), numbered=not is_nominal)
    return list(found or sorted(values))


def group_by_order(name: str, holders: Mapping[str, int], order: Sequence[str]) -> Grouping:
    """Neighbours together, in an order that somebody stated.

    Raises
    ------
    HierarchyError
        A value is missing in the order, or stands in it twice, or something else does.
    """
    if sorted(order) != sorted(holders):
        raise HierarchyError(
            f"hierarchy '{name}': each value must stand in the order once, and nothing else; there are "
            f"{len(holders):,} values"
        )
    counts = np.array([holders[value] for value in order], dtype=np.int64)
    hierarchy = word_hierarchy(name, list(order), counts, list(order))
    if hierarchy.height == 1:
        raise HierarchyError(
            f"hierarchy '{name}': so few values need no groups; it is published as it is, or not at all"
        )
    return Grouping(Editable.of(hierarchy))


_RULE = re.compile(
    r"hierarchy = \{ (?P<rule>mask|ranges|dates|vocabulary|fanout) = (?P<words>(?:\{[^{}]*\}|[^{}])*?) \}"
)
_BUTTONS = {
    "mask": "digits",
    "ranges": "ranges",
    "dates": "calendar",
    "vocabulary": "vocabulary",
    "fanout": "ranges",
}
_SIGNS = str.maketrans("", "", '"[]')


def name_buttons(text: str) -> str:
    """A sentence that quotes a rule for shoal.toml, with the button of this page in its place.

    >>> name_buttons('which code it holds: hierarchy = { vocabulary = "icd10" }')
    'which code it holds: “Public vocabulary” under Hierarchies (icd10)'
    >>> name_buttons('zip codes take hierarchy = { mask = "right" } and level = 1')
    'zip codes take “First digits” under Hierarchies and level = 1'
    """

    def button(found: re.Match[str]) -> str:
        rule, words = found["rule"], found["words"].translate(_SIGNS)
        name = f"“{WAYS[_BUTTONS[rule]]}” under Hierarchies"
        return name if rule in ("mask", "fanout") or "{" in words else f"{name} ({words})"

    return _RULE.sub(button, text)


def _group_by_rule(name: str, values: Sequence[str], rule: Mapping[str, Any]) -> Grouping:
    return Grouping(Editable.of(build(name, rule, values)), rule)


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)
