"""Hierarchies from a line of configuration and the values of a column.

A built hierarchy is not public: it lists values that occur. Its leaves are released only where level 0 is;
labels above come from masks, grids and the calendar, never from the least or largest value.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from functools import cache
from itertools import count, pairwise, takewhile
from typing import Any

from shoal.base.errors import HierarchyError
from shoal.base.naming import did_you_mean, nearest, suggest_name
from shoal.hierarchy.column_values import (
    CENTURY_OPEN,
    EPOCH,
    ROOT,
    SERIAL,
    UNITS,
    are_codes,
    distinct_values,
    first_year_of_century,
    parse_number,
    parse_number_and_side,
    parse_number_or_end,
    parse_values,
    read_date,
)
from shoal.hierarchy.labels import (
    BoundNaming,
    MaskNaming,
    OrdinalNaming,
    decimal_places,
    group_numbers,
    interval_of_units,
    open_outer_bounds,
    to_units,
)
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.vocabularies import vocabulary_hierarchy

__all__ = ["_RULES", "build", "dates", "fanout", "flat", "mapping", "mask", "ranges", "rule_of"]

_MAX_MASKED = 32
_MAX_DEPTH = 100

_RULES: dict[str, tuple[str, tuple[str, ...]]] = {
    "mask": ('{ mask = "right" }', ()),
    "ranges": ("{ ranges = [10, 20] }, each width a number", ("top", "bottom", "numbers")),
    "dates": (
        '{ dates = ["month", "year"] } or { dates = { format = "%d.%m.%Y", levels = ["month", "year"] } }',
        ("bottom",),
    ),
    "fanout": ("{ fanout = 5 }", ("numbers",)),
    "vocabulary": ('{ vocabulary = "icd10" }', ()),
}
"""For each rule, how it is written and what may stand beside it."""

_WRITTEN = 'say how they are written ({ format = "%d.%m.%Y", levels = [...] }), '
_TELLS = {
    "day": ("%d", "%j"),
    "week": ("%d", "%j"),
    "month": ("%m", "%b", "%B", "%j"),
    "quarter": ("%m", "%b", "%B", "%j"),
    "year": ("%Y", "%y"),
    "decade": ("%Y", "%y"),
}
"""For each unit, what a format must hold to tell it; whatever is smaller than a year needs the year as well."""

_ALMOST = 0.75  # how like a rule's name the name of a group must be to be taken for a slip


def build(name: str, spec: Mapping[str, Any], values: Sequence[str | None]) -> Hierarchy:
    """Build the hierarchy that a configuration asks for.

    Parameters
    ----------
    name
        The column it is for.
    spec
        One of `{"mask": "right" | "left"}`, `{"ranges": [10, 20]}` (with `top` and `bottom`),
        `{"dates": ["month", "year"]}` or `{"dates": {"format": "%d.%m.%Y", "levels": ["month", "year"]}}`,
        `{"fanout": 5}`, `{"vocabulary": "icd10"}`, or a nested mapping of groups down to lists of values.
        `numbers: True` beside ranges or fanout says that digits are numbers although they look like codes.
    values
        The values to cover; missing ones (None) are skipped.

    Raises
    ------
    HierarchyError
        The spec is wrong, or values do not fit it; those travel in the error's `value`.

    Examples
    --------
    >>> build("zip", {"mask": "right"}, ["1230", "1245", None]).labels[2]
    ('12**', '*')
    """
    rule = rule_of(spec)
    if rule is None:
        _refuse_slips(name, spec)
        return mapping(name, spec)
    _refuse_other_options(name, rule, spec)
    match {key: value for key, value in spec.items() if value is not None}:
        case {"mask": str(side)}:
            return mask(name, side, values)
        case {"ranges": [*widths], **rest}:
            return ranges(name, widths, values, **rest)
        case {"dates": [*units], **rest}:
            return dates(name, units, values, **rest)
        case {"dates": {"format": str(format), "levels": [*units], **more}, **rest} if not more:
            return dates(name, units, values, format, **rest)
        case {"fanout": int(size), **rest}:
            return fanout(name, size, values, **rest)
        case {"vocabulary": str(vocabulary)}:
            return vocabulary_hierarchy(name, vocabulary, values)
    raise HierarchyError(f"hierarchy '{name}': {rule} is written as {_RULES[rule][0]}")


def rule_of(spec: Mapping[str, Any]) -> str | None:
    """The rule by which a hierarchy is built from the values; None where it is a mapping of groups, which is declared.

    >>> rule_of({"mask": "right"}), rule_of({"mask": ["a"], "other": ["b"]})
    ('mask', None)
    """
    rule = next((key_word for key_word in _RULES if key_word in spec), None)
    has_groups = any(isinstance(value, Mapping | list | tuple) for key, value in spec.items() if key != rule)
    return None if has_groups else rule


def _refuse_slips(name: str, spec: Mapping[str, Any]) -> None:
    """A mapping whose only group is called almost like a rule is a rule with a slip."""
    first_key = next(iter(spec), "")
    suggestion = nearest(first_key, _RULES, _ALMOST)
    if suggestion is not None and set(spec) - {first_key} <= {"top", "bottom", "numbers"}:
        raise HierarchyError(
            f"hierarchy '{name}': no rule '{first_key}'; did you mean '{suggestion}'? there are {', '.join(_RULES)}"
        )


def _refuse_other_options(name: str, rule: str, spec: Mapping[str, Any]) -> None:
    """Refuse what a rule does not take."""
    known_options = _RULES[rule][1]
    for key, value in spec.items():
        if key != rule and key not in known_options:
            raise HierarchyError(
                f"hierarchy '{name}': {rule} takes no '{key}'; {suggest_name(key, known_options, 'it takes')}"
                if known_options
                else f"hierarchy '{name}': {rule} takes no '{key}'; leave it out"
            )
        if key == "numbers" and not isinstance(value, bool):
            raise HierarchyError(f"hierarchy '{name}': numbers must be true or false")
    levels = spec[rule]
    if rule == "dates" and isinstance(levels, Mapping):
        for key in levels:
            if key not in ("format", "levels"):
                raise HierarchyError(
                    f"hierarchy '{name}': dates takes no '{key}'; {suggest_name(key, ('format', 'levels'), 'it takes')}"
                )


def flat(name: str, values: Sequence[str | None]) -> Hierarchy:
    """The smallest hierarchy: a value, or `*`.

    >>> flat("sex", ["M", "F", None]).labels
    (('F', 'M', '*'), ('*',))
    """
    return Hierarchy.from_paths(name, [[value, ROOT] for value in _sort_values(name, values)], public=False)


def mask(name: str, side: str, values: Sequence[str | None]) -> Hierarchy:
    """Hide one character more on each level, from the right or the left end.

    Values are aligned at the other end: a level keeps the first (or last) so many characters, and a value
    that is no longer than that still stands as it is. So codes of different length share their prefixes.

    >>> mask("icd", "right", ["E11", "E119", "E10"]).labels[1:3]
    (('E10', 'E11', 'E11*', '*'), ('E1**', '*'))
    """
    if side not in ("left", "right"):
        raise HierarchyError(
            f"hierarchy '{name}': mask hides from the 'right' or the 'left'{did_you_mean(side, ('left', 'right'))}",
            value=side,
        )
    sorted_values = _refuse_stars(name, sorted(distinct_values(name, values)), lambda value: "*" in value)
    width = max(map(len, sorted_values))
    if width > _MAX_MASKED:
        raise HierarchyError(
            f"hierarchy '{name}': the longest value has {width} characters; mask takes at most {_MAX_MASKED}"
        )

    def mask_value(value: str, stars: int) -> str:
        keep = width - stars
        if len(value) <= keep:
            return value
        return value[:keep] + "*" * stars if side == "right" else "*" * stars + value[-keep:]

    paths = [
        [value, *(mask_value(value, stars) for stars in range(1, width)), ROOT] for value in sorted_values
    ]
    return Hierarchy.from_paths(name, paths, public=False, naming=MaskNaming(side))


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
    A class that holds an end, such as 95+, is open on its side.
    `numbers` says that digits which look like codes are numbers nevertheless.

    >>> ranges("age", [10, 20], ["23", "17", "31"]).labels[1:]
    (('[10, 20)', '[20, 30)', '[30, 40)', '*'), ('[0, 20)', '[20, 40)', '*'), ('*',))
    >>> ranges("age", [10], ["17", "23", "31", "96"], top=30, bottom=20).labels[1]
    ('< 20', '[20, 30)', '>= 30', '*')
    >>> ranges("age", [10], ["17", "23", "31+"]).labels[1]
    ('[10, 20)', '[20, 30)', '>= 30', '*')
    """
    steps, low, high = (
        _read_widths(name, widths),
        _read_bound(name, "bottom", bottom),
        _read_bound(name, "top", top),
    )
    if low is not None and high is not None and low >= high:
        raise HierarchyError(f"hierarchy '{name}': bottom={low} is not below top={high}; exchange them")
    if not numbers and are_codes(distinct_values(name, values)):
        raise HierarchyError(
            f"hierarchy '{name}': the values look like codes, with leading zeros or ten digits and more, not like "
            "numbers; use mask, or add numbers = true if they are numbers"
        )
    parsed_pairs = parse_values(name, values, parse_number_and_side, "numbers")
    ends = [end for end in (low, high) if end is not None]
    decimals = decimal_places([*steps, *ends, *(value for (value, _), _ in parsed_pairs)])
    grid = [to_units(step, decimals) for step in steps]
    units = [to_units(value, decimals) for (value, _), _ in parsed_pairs]
    least, greatest = (None if end is None else to_units(end, decimals) for end in (low, high))
    sides = [side for (_, side), _ in parsed_pairs]
    first_open_up = min((unit for unit, side in zip(units, sides, strict=True) if side > 0), default=None)
    last_open_down = max((unit for unit, side in zip(units, sides, strict=True) if side < 0), default=None)

    def bounds(at: int, step: int) -> tuple[int | None, int | None]:
        if greatest is not None and at >= greatest:
            return greatest, None
        if least is not None and at < least:
            return None, least
        begin, end = at // step * step, at // step * step + step
        return begin if least is None else max(begin, least), end if greatest is None else min(end, greatest)

    @cache
    def label(begin: int | None, end: int | None) -> str:
        # Nothing stands beyond it, see below.
        ends_above = first_open_up is not None and (end is None or end > first_open_up)
        ends_below = last_open_down is not None and (begin is None or begin <= last_open_down)
        return interval_of_units(None if ends_below else begin, None if ends_above else end, decimals)

    if (
        first_open_up is not None
        and (end := bounds(first_open_up, grid[0])[1]) is not None
        and units[-1] >= end
    ):
        raise _open_class_error(name, "larger", "top no higher than the least of them")
    if (
        last_open_down is not None
        and (begin := bounds(last_open_down, grid[0])[0]) is not None
        and units[0] < begin
    ):
        raise _open_class_error(name, "smaller", "bottom above the largest of them")
    paths = [
        [text, *(label(*bounds(unit, step)) for step in grid), ROOT]
        for unit, (_, text) in zip(units, parsed_pairs, strict=True)
    ]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True)


def _open_class_error(name: str, others: str, remedy: str) -> HierarchyError:
    """No label is true of such numbers that leaves others out."""
    return HierarchyError(
        f"hierarchy '{name}': the column has numbers that are only an end, as in n+ or <n, and {others} ones stand in "
        f"classes beyond theirs, though each may be any of these; set {remedy}"
    )


def _read_bound(name: str, word: str, value: object) -> Decimal | None:
    """Where top or bottom coding begins."""
    limit = None if value is None or isinstance(value, bool) else parse_number(str(value))
    if value is not None and limit is None:
        raise HierarchyError(f"hierarchy '{name}': {word} must be a number, such as {word} = 90")
    return limit


def _read_widths(name: str, widths: Sequence[object]) -> list[Decimal]:
    """The widths as numbers, each a multiple of the one before."""
    steps = [parse_number(str(width)) for width in widths]
    widths_above_zero = [step for step in steps if step is not None and step > 0]
    if not widths_above_zero or len(widths_above_zero) < len(steps):
        raise HierarchyError(f"hierarchy '{name}': ranges needs widths above 0, such as [10, 20, 100]")
    for low, high in pairwise(widths_above_zero):
        decimals = decimal_places([low, high])
        if high <= low or to_units(high, decimals) % to_units(low, decimals):
            raise HierarchyError(
                f"hierarchy '{name}': ranges do not nest, {high} is not a multiple of {low}; "
                "make each width a multiple of the one before"
            )
    return widths_above_zero


def fanout(name: str, size: int, values: Sequence[str | None], *, numbers: bool = False) -> Hierarchy:
    """Groups of `size` neighbours in order, `size` groups to a group above, `*` on top.

    Numbers are ordered as numbers, see `_number_fanout`; anything else as text, in groups that have an
    ordinal for a name, because a first and a last value would be originals. Digits that look like codes are text,
    unless `numbers` says otherwise.

    >>> fanout("town", 2, ["Bern", "Aachen", "Chur"]).labels
    (('Aachen', 'Bern', 'Chur', '*'), ('group 1 of 2', 'group 2 of 2', '*'), ('*',))
    """
    if isinstance(size, bool) or size < 2:
        raise HierarchyError(f"hierarchy '{name}': fanout={size}; give a whole number of at least 2")
    different = distinct_values(name, values)
    if all(parse_number_or_end(value) is not None for value in different) and (
        numbers or not are_codes(different)
    ):
        return _number_fanout(name, size, values)
    sorted_values = _sort_values(name, values)
    widths = list(takewhile(lambda width: width < len(sorted_values), (size**level for level in count(1))))

    def label(place: int, width: int) -> str:
        return f"group {place // width + 1} of {-(-len(sorted_values) // width)}"

    paths = [
        [value, *(label(index, width) for width in widths), ROOT] for index, value in enumerate(sorted_values)
    ]
    return Hierarchy.from_paths(name, paths, public=False, naming=OrdinalNaming())


def _number_fanout(name: str, size: int, values: Sequence[str | None]) -> Hierarchy:
    """Groups of at most `size` neighbouring numbers, `size` groups to a group above, `*` on top.

    Bounds must not give original values away, so they lie on a grid: its step is the largest of 1, 2, 5,
    10, 20, ... (times a power of ten) of which no cell holds more than `size` distinct numbers. A group is
    a run of whole cells, and between two groups stands the roundest number of the empty cells there. The
    outer bounds are the roundest numbers no farther out than the next group is in.

    >>> _number_fanout("age", 5, [str(age) for age in range(17, 36)]).labels[1]
    ('[10, 20)', '[20, 25)', '[25, 30)', '[30, 35)', '[35, 40)', '*')
    """
    parsed_pairs = parse_values(name, values, parse_number_and_side, "numbers")
    decimals = decimal_places(value for (value, _), _ in parsed_pairs)
    units = [to_units(value, decimals) for (value, _), _ in parsed_pairs]
    groups, bounds = group_numbers(sorted(set(units)), size)
    group_of = {unit: index for index, group in enumerate(groups) for unit in group}
    sides = {(side, group_of[unit]) for unit, ((_, side), _) in zip(units, parsed_pairs, strict=True) if side}
    if not sides <= {(-1, 0), (1, len(groups) - 1)}:
        raise _open_class_error(name, "other", "ranges in place of fanout, with top or bottom at them")
    cuts = open_outer_bounds(bounds, {side for side, _ in sides})
    widths = list(takewhile(lambda width: width < len(groups), (size**level for level in count())))

    @cache
    def label(place: int, width: int) -> str:
        return interval_of_units(cuts[place * width], cuts[min((place + 1) * width, len(groups))], decimals)

    paths = [
        [text, *(label(group_of[unit] // width, width) for width in widths), ROOT]
        for unit, (_, text) in zip(units, parsed_pairs, strict=True)
    ]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True, naming=BoundNaming())


def dates(
    name: str,
    units: Sequence[str],
    values: Sequence[str | None],
    format: str | None = None,
    *,
    bottom: object = None,
) -> Hierarchy:
    """Dates or times under the calendar units named, from small to large, `*` on top.

    From level 1 on, all before the year `bottom` are one, up to `*`; the decade of that year begins with it.

    They are ISO 8601, or written as `format` says, in the letters of `datetime.strptime`; "excel" says that they are
    days counted as spreadsheets do, "unix" that they are seconds or milliseconds since 1970. A time falls on the day it
    is written with, whatever its offset.

    >>> dates("birth", ["month", "year"], ["2020-03-05", "1999-12-31T23:00"]).labels[1:]
    (('1999-12', '2020-03', '*'), ('1999', '2020', '*'), ('*',))
    >>> dates("birth", ["year"], ["31.12.1999", "05.03.2020"], "%d.%m.%Y").labels
    (('31.12.1999', '05.03.2020', '*'), ('1999', '2020', '*'), ('*',))
    """
    _refuse_strange_units(name, units)
    if format not in (None, SERIAL, EPOCH):
        _refuse_strange_format(name, format, units)

    @cache
    def read(text: str) -> datetime | None:
        return read_date(text if format is None else text.strip(), format)

    first_of_century = _first_year_of_dates(name, format, map(read, filter(None, values)))

    def parse(text: str) -> datetime | None:
        day = read(text)
        if day is None or first_of_century is None:
            return day
        with suppress(ValueError):  # there was no 29 February in 1900
            return day.replace(year=first_of_century + (day.year - first_of_century) % 100)
        return None

    first_year = 0 if bottom is None else bottom
    if not isinstance(first_year, int) or isinstance(first_year, bool):
        raise HierarchyError(f"hierarchy '{name}': bottom must be a year, such as bottom = 1937")

    def label(unit: str, day: datetime) -> str:
        if day.year < first_year:
            return f"< {first_year}"
        if unit == "decade" and day.year // 10 == first_year // 10 and first_year % 10:
            return (
                f"{first_year} to {first_year // 10 * 10 + 9}"  # "1930s" would tell the years before it, too
            )
        return UNITS[unit](day)

    date_words = "ISO dates" if format is None else "dates of this format"
    paths = [
        [text, *(label(unit, day) for unit in units), ROOT]
        for day, text in parse_values(name, values, parse, date_words, _WRITTEN)
    ]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True)


def _first_year_of_dates(name: str, format: str | None, days: Iterable[datetime | None]) -> int | None:
    """Where the format's years have two digits, the first of the hundred in which they lie."""
    if format is None or "%y" not in format:
        return None
    years = [day.year % 100 for day in days if day is not None]
    first_year = first_year_of_century(years) if years else None
    if years and first_year is None:
        raise HierarchyError(f"hierarchy '{name}': {CENTURY_OPEN}")
    return first_year


def _refuse_strange_format(name: str, format: str, units: Sequence[str]) -> None:
    """A format must be one that dates can be written in, and tell every unit that is asked for."""
    try:
        sample_day = datetime(2001, 2, 3)
        datetime.strptime(sample_day.strftime(format), format)
    except (ValueError, re.error):
        raise HierarchyError(
            f"hierarchy '{name}': the format of the dates cannot be read; write it as %d.%m.%Y or %m/%d/%Y"
        ) from None
    for unit in [*units, "year"]:
        if not any(sign in format for sign in _TELLS[unit]):
            raise HierarchyError(
                f"hierarchy '{name}': the format of the dates does not include the {unit}; name larger units, or a "
                "format "
                f"with one of {', '.join(_TELLS[unit])}"
            )


def _refuse_strange_units(name: str, units: Sequence[str]) -> None:
    """Each unit must be made of whole smaller ones; a week can belong to two months or years."""
    order = list(UNITS)
    strange = [unit for unit in units if unit not in order]
    if not units or strange:
        suggestion = did_you_mean(strange[0], order) if strange else ""
        raise HierarchyError(f"hierarchy '{name}': dates takes units out of {', '.join(order)}{suggestion}")
    for low, high in pairwise(units):
        if low == "week" or order.index(low) >= order.index(high):
            raise HierarchyError(
                f"hierarchy '{name}': a {high} is not made of whole {low}s; "
                "name units from small to large, and nothing after week"
            )


def mapping(name: str, groups: Mapping[str, Any]) -> Hierarchy:
    """Groups as the user declared them, `*` on top: a mapping of labels to mappings or lists of values.

    None, or an empty text, in a list covers missing cells.

    >>> mapping("land", {"Europe": {"South": ["Italy", "Spain"]}, "Asia": ["Japan"]}).labels[1]
    ('South', 'Japan', '*')
    """
    rows = list(_walk_groups(name, groups, (ROOT,)))
    width = max(map(len, rows), default=0)
    paths = [row[:1] * (width - len(row)) + row for row in rows]
    return Hierarchy.from_paths(name, paths).covering(())


def _walk_groups(name: str, node: object, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every value below `node` with its path."""
    if len(above) > _MAX_DEPTH:
        raise HierarchyError(f"hierarchy '{name}': more than {_MAX_DEPTH} levels of groups; flatten them")
    if not isinstance(node, Mapping | list | tuple) or not node:
        raise HierarchyError(
            f"hierarchy '{name}': a group is neither a mapping nor a list of values, or is empty; "
            f"write groups as docs/reference/hierarchies.md shows, or give exactly one of {', '.join(_RULES)}"
        )
    if isinstance(node, Mapping):
        for label, child in node.items():
            yield from _walk_groups(name, child, (_cell_text(name, label), *above))
    else:
        for value in node:
            yield _cell_text(name, value), *above


def _cell_text(name: str, value: object) -> str:
    """A value as cells spell it: an integral number has no `.0`."""
    match value:
        case None:
            return ""
        case str():
            return value
        case int() | float() if not isinstance(value, bool):
            return str(value).removesuffix(".0")
    raise HierarchyError(f"hierarchy '{name}': a listed value is neither text nor a number; quote it")


def _sort_values(name: str, values: Sequence[str | None]) -> list[str]:
    """Every distinct value, sorted; refuse one that reads like the root."""
    return _refuse_stars(name, sorted(distinct_values(name, values)), lambda value: value == ROOT)


def _refuse_stars(name: str, found: list[str], clashes: Callable[[str], bool]) -> list[str]:
    starred_values = tuple(filter(clashes, found))
    if starred_values:
        raise HierarchyError(
            f"hierarchy '{name}': {len(starred_values)} of {len(found)} distinct values read like a label with stars; "
            "replace the stars or give a file",
            value=starred_values,
        )
    return found
