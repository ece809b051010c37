"""What the values of a column are, and the hierarchy or the rule that people would have chosen for them.

Hierarchies are made from the values and from how many people hold each. A label names only values that many people
hold, and tells nothing of the others, neither how many there are nor how they are spelled: some of them may be of
people who are left out of a release. Rare words are told apart by fixed parts of the alphabet.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import chain, pairwise
from string import ascii_lowercase
from typing import Literal, TypeVar
from unicodedata import normalize

import numpy as np

from shoal.data.arrays import I8
from shoal.hierarchy.answers import are_amounts, is_aside, order_answers
from shoal.hierarchy.column_values import (
    EPOCH,
    ROOT,
    SERIAL,
    UNITS,
    are_bands,
    are_codes,
    date_formats,
    join_bands,
    parse_number,
    parse_number_and_side,
    parse_number_or_end,
    read_date,
    side_of,
    sort_bands,
)
from shoal.hierarchy.labels import class_label, number_classes, tail_share
from shoal.hierarchy.rules import dates
from shoal.hierarchy.tree import Hierarchy

__all__ = [
    "BY_FREQUENCY",
    "NAMED",
    "Kind",
    "calendar_units",
    "code_hierarchy",
    "date_hierarchy",
    "is_by_frequency",
    "kind_of",
    "number_hierarchy",
    "suggest_rule",
    "wants_groups",
    "word_hierarchy",
]

_FIRST = 500  # values that show whether all are short numbers or codes
_CODE = re.compile(r"(?=.*[0-9])[A-Za-z]{0,3}[0-9][A-Za-z0-9 ./-]{0,13}")
_SPOKEN = re.compile(r"\s[^\W\d_]{3,}|[^\W\d_]{5,}")  # 09 Bayern has a word in it, SW1A 2AB has none
_DIGITS = re.compile(r"[0-9]{4,5}")
_YEARS = range(1850, 2101)

# Rules: how they are written, and what values look like that want one.
_FEW = 8  # different values, of which each is a group: they need no rule
_LEVELS = '["month", "year"]'
_COMMA = re.compile(r"[+-]?[0-9.]*,[0-9]+|[+-]?[0-9]+")
_MASKED = re.compile(r"(?=.*[0-9])[A-Za-z0-9][A-Za-z0-9 ./-]{2,15}")
_MOST = 0.8

# Codes: zip codes, diagnoses, drugs, branches of trade.
_LETTERS = re.compile(r"^[^\W\d_]+")
_TWO_PARTS = re.compile(r"[^\W\d_]+[0-9]\w* \w+")  # SW1A 2AB
_FEWER = 0.95  # of the groups of the level below: a level that joins less is left out
_LONGEST = 16

# Dates: units of the calendar, and above decades spans of years.
_SMALL = ("day", "month", "quarter", "year")
_SPANS = (10, 20, 40)
_DateLabel = Callable[[datetime], str]

# Words.
NAMED = 20
"""How many people must hold a value that a label names."""
BY_FREQUENCY = "grouped by frequency, not by meaning; give a hierarchy to do better"
"""What every place says that shows groups of words which only their use has brought together."""
_RARE_VALUES = "rare values"
_LISTED = re.compile(r", | or ")
_GROUP = 3  # words, or groups, that are joined on each level
_NAME = 28  # characters of a value where several are named
_PARTS = (1, 2, 4, 13)  # of the alphabet
_RARE = 8  # rare values for each part
_OTHER = len(ascii_lowercase)  # the place of whatever is no letter from a to z

T = TypeVar("T")
Line = dict[str, str]
"""For each value its label on one level."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What values are; of dates how they are written, None for ISO, and in which other ways they could be."""

    name: Literal["number", "date", "code", "word"]
    format: str | None = None
    others: tuple[str, ...] = ()


def kind_of(values: Sequence[str]) -> Kind:
    """What all of the values are.

    >>> kind_of(["31.12.1999", "05.03.2020"]).format, kind_of(["17", "42.5"]).name, kind_of(["01067", "80331"]).name
    ('%d.%m.%Y', 'number', 'code')
    """
    present = [value.strip() for value in values]
    if not all(_DIGITS.fullmatch(value) for value in present[:_FIRST]):  # else years, numbers, zip codes
        formats = date_formats(present, years=_YEARS)
        if None in formats and all("-" in value for value in present):
            return Kind("date")
        known_formats = [format for format in formats if format is not None]
        if known_formats:
            return Kind("date", known_formats[0], tuple(known_formats[1:]))
    if _are_numbers(present):
        return Kind("code" if are_codes(present) else "number")
    if are_bands(present) or are_amounts(present):
        return Kind("word")
    sample = present[:: max(1, len(present) // _FIRST)]
    code_count = sum(_CODE.fullmatch(value) is not None and _SPOKEN.search(value) is None for value in sample)
    return Kind("code" if code_count >= 0.9 * len(sample) and len(sample) > 2 else "word")


def _are_numbers(present: Sequence[str]) -> bool:
    """Whether all are numbers, but for ends of them such as 95+ beside more than a few."""
    ends = [value for value in present if parse_number(value) is None]
    return not ends or (
        len(present) - len(ends) > _FEW and all(parse_number_or_end(value) is not None for value in ends)
    )


def wants_groups(values: Sequence[str | None]) -> bool:
    """Whether a column wants groups of numbers: more than a few, and they are no codes.

    >>> wants_groups([str(age) for age in range(20, 40)]), wants_groups([f"{code:05}" for code in range(20)])
    (True, False)
    """
    present = [value for value in values if value is not None]
    return len(present) > _FEW and _are_numbers(present) and not are_codes(present)


def suggest_rule(values: Sequence[str | None]) -> str | None:
    """The rule that would make a column coarser step by step; None where it needs none, empty where no rule fits.

    >>> suggest_rule(["01069", "01097", "01099", "04103"])
    'hierarchy = { mask = "right" }'
    >>> suggest_rule(["05.03.1990", "31.12.1984", "07.07.2001", "01.02.1977"])
    'hierarchy = { dates = { format = "%d.%m.%Y", levels = ["month", "year"] } }'
    >>> suggest_rule(["f", "m"]) is None
    True
    """
    present = [value.strip() for value in values if value is not None and value.strip()]
    if len(present) > 3 and (rule := _date_rule(present) or _code_rule(present)):
        return f"hierarchy = {rule}"
    if len(present) <= _FEW:
        return None
    if all(_COMMA.fullmatch(value) for value in present) and any("," in value for value in present):
        return 'decimal = "," in [data] and hierarchy = { ranges = [10, 100] }'
    if not are_codes(present) and _are_mostly_true(parse_number(value) is not None for value in present):
        return "hierarchy = { ranges = [10, 100] }, with whatever is not a number listed in missing"
    return ""


def _date_rule(present: Sequence[str]) -> str | None:
    kind = kind_of(present)
    if kind.name != "date":
        return None
    if kind.format is None:
        return f"{{ dates = {_LEVELS} }}"
    alternatives = f" (or {', '.join(kind.others)})" if kind.others else ""
    return f'{{ dates = {{ format = "{kind.format}", levels = {_LEVELS} }} }}{alternatives}'


def _code_rule(present: Sequence[str]) -> str | None:
    numbers = all(parse_number(value) is not None for value in present)
    looks_coded = (
        are_codes(present)
        if numbers
        else _are_mostly_true(bool(_MASKED.fullmatch(value)) for value in present)
    )
    return '{ mask = "right" }' if looks_coded and max(map(len, present)) > 3 else None


def _are_mostly_true(found: Iterable[bool]) -> bool:
    flags = list(found)
    return sum(flags) >= _MOST * len(flags)


def code_hierarchy(name: str, values: Sequence[str]) -> Hierarchy | None:
    """One level per prefix that brings codes together; None where no prefix does, or a code is no code.

    Codes of one length keep it, as in 812**; a group of others is its prefix and one star.

    >>> code_hierarchy("zip", ["01067", "01069", "04103", "04109"]).labels[1:-1]
    (('0106*', '0410*', '*'), ('0****', '*'))
    >>> code_hierarchy("icd", ["E11", "E11.9", "E10.1", "I10"]).labels[1:-1]
    (('E10*', 'E11*', 'I10*', '*'), ('E1*', 'I1*', '*'))
    """
    codes = sorted(set(values))
    width = max(map(len, codes), default=0)
    if len(codes) < 3 or not 1 < width <= _LONGEST or any("*" in code for code in codes):
        return None
    levels: list[list[str]] = []
    finer_labels = [*codes]
    for prefix_labels in _prefix_levels(codes, width):
        if len(set(prefix_labels)) <= _FEWER * len(set(finer_labels)):
            levels.append(prefix_labels)
            finer_labels = prefix_labels
    if not levels:
        return None
    paths = [[code, *labels, ROOT] for code, *labels in zip(codes, *levels, strict=True)]
    return Hierarchy.from_paths(name, paths, public=False)


def _prefix_levels(codes: Sequence[str], width: int) -> Iterator[list[str]]:
    """What codes begin with, level by level; those in two parts are cut between them, then behind their letters.

    A code that is shorter than what a level shows stands as it is there.
    """
    if all(_TWO_PARTS.fullmatch(code) for code in codes):
        yield [f"{code.partition(' ')[0]} *" for code in codes]
        yield [f"{_LETTERS.findall(code)[0]}*" for code in codes]
        return
    has_one_length = len({len(code) for code in codes}) == 1
    for length in range(width - 1, 0, -1):
        stars = "*" * (width - length) if has_one_length else "*"
        yield [code if len(code) < length else code[:length] + stars for code in codes]


def number_hierarchy(
    name: str, values: Sequence[str], holders: I8, *, quantiles: int | None = None
) -> Hierarchy | None:
    """Intervals that grow from level to level; None where there are too few numbers to have any.

    `quantiles` asks for so many intervals of about as many people on the first level, with round bounds.

    >>> ages = [str(age) for age in range(18, 80)]
    >>> [labels[0] for labels in number_hierarchy("age", ages, np.full(62, 10)).labels[1:]]
    ['[15, 20)', '[10, 20)', '< 40', '< 40', '*']
    >>> number_hierarchy("age", ages, np.full(62, 10), quantiles=4).labels[1]
    ('[0, 35)', '[35, 50)', '[50, 65)', '>= 65', '*')
    """
    parsed_values = [
        (parse_number_and_side(value), value, holder_count)
        for value, holder_count in zip(values, holders.tolist(), strict=True)
    ]
    sorted_numbers = sorted(
        (*ends, value, holder_count) for ends, value, holder_count in parsed_values if ends is not None
    )
    people: Counter[Decimal] = Counter()
    for n, _, _, holder_count in sorted_numbers:
        people[n] += holder_count  # 28 and <29 are one number
    numbers, sides = (
        list(people),
        {side: [n for n, value_side, *_ in sorted_numbers if value_side == side] for side in (-1, 1)},
    )
    levels = number_classes(
        numbers,
        np.array(list(people.values())),
        max(sides[-1], default=None),
        min(sides[1], default=None),
        quantiles,
    )
    is_integral = not any(sides.values()) and all(n == n.to_integral_value() for n in numbers)
    paths = [
        [value, *(class_label(bounds, n, whole=is_integral) for bounds in levels), ROOT]
        for n, _, value, _ in sorted_numbers
    ]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True) if levels else None


def date_hierarchy(
    name: str, values: Sequence[str], holders: I8, format: str | None = None
) -> Hierarchy | None:
    """Month, quarter, year, decade, 20 and 40 years, as far as each joins dates that the one below keeps apart.

    From decades on, the first and the last class are open. Where some values have a time and others have none, days
    are no level: a day would be a value and a group.

    >>> births = [f"{year}-05-01" for year in (1931, 1938, 1945, 1952, 1969, 1978, 1990, 1999, 2001)]
    >>> date_hierarchy("birth", births, np.full(9, 30)).labels[-2][:-1]
    ('before 1960', '1960 to 1999', '2000 and later')
    """
    days = _read_days(values, format)
    years = np.array([day.year for day in days])
    labels: list[_DateLabel] = [UNITS[unit] for unit in _calendar_units_of(format)]
    labels += [_year_span_label(years, holders, width) for width in _SPANS]
    lines: list[list[str]] = []
    label_count = len(set(values))
    for label in labels:
        line = [label(day) for day in days]
        if 1 < len(set(line)) < label_count and not {*line}.intersection(values):
            label_count = len(set(line))
            lines.append(line)
    if not lines:
        return None
    order = np.argsort(np.array(days, dtype="datetime64[us]"), kind="stable").tolist()
    paths = [[values[index], *(line[index] for line in lines), ROOT] for index in order]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True)


def calendar_units(name: str, values: Sequence[str], format: str | None = None) -> list[str]:
    """The units of the calendar that bring these dates together, from small to large: for a rule."""
    candidates = [*_calendar_units_of(format), "decade"]
    full_hierarchy = dates(name, candidates, values, format)
    units, node_count = [], full_hierarchy.size
    for level, unit in enumerate(candidates, start=1):
        nodes = len(set(full_hierarchy.up[: full_hierarchy.size, level].tolist()))
        if 1 < nodes < node_count:
            units.append(unit)
            node_count = nodes
    return units


def _calendar_units_of(format: str | None) -> list[str]:
    """The units up to a year that dates of a format tell, and that are larger than what is written."""
    if format is None or format == EPOCH or "%H" in format:
        return list(_SMALL)
    signs = ("%d", "%b", "%B", "%m", SERIAL)
    return list(_SMALL[1:]) if any(sign in format for sign in signs) else ["year"]


def _read_days(values: Sequence[str], format: str | None) -> list[datetime]:
    """The values as dates; whoever calls knows that they are."""
    parsed_days = [read_date(value.strip(), format) for value in values]
    days = [day for day in parsed_days if day is not None]
    assert len(days) == len(values), "values of another kind"
    return days


def _year_span_label(years: I8, holders: I8, width: int) -> _DateLabel:
    """So many years together, from a multiple of them on; open where few people are left."""
    order = np.argsort(years)
    share = np.cumsum(holders[order]) / holders.sum()
    tail = tail_share(holders)
    low, high = (
        int(years[order][min(int(np.searchsorted(share, quantile)), len(order) - 1)])
        for quantile in (tail, 1 - tail)
    )
    first_year, last_year = -(-(low // 10 * 10) // width) * width, high // 10 * 10 // width * width
    begins = first_year if int(years.min()) < first_year else None

    def label(day: datetime) -> str:
        if begins is not None and day.year < begins:
            return f"before {begins}"
        if day.year >= last_year:
            return f"{last_year} and later"
        start = day.year // width * width
        return f"{start}s" if width == _SPANS[0] else f"{start} to {start + width - 1}"

    return label


def word_hierarchy(
    name: str, values: Sequence[str], holders: I8, order: Sequence[str] | None = None
) -> Hierarchy:
    """Values in groups of at most three, groups in groups of three, `*` on top.

    Neighbours are together where values are a scale: bands of numbers, or answers in an order. `order` is one that
    somebody knows; where it is empty, somebody knows that there is none, as among codes.

    >>> import numpy as np
    >>> drinks = ["tea", "milk", "juice", "beer", "cola", "mead"]
    >>> word_hierarchy("drink", drinks, np.array([50, 90, 40, 70, 30, 2])).labels[1:-1]
    (('milk or beer', 'tea, juice, cola and others', '*'),)
    >>> word_hierarchy("age", ["18-29", "30-44", "45-64", "65+"], np.full(4, 30)).labels[1:-1]
    (('18-44', '45+', '*'),)
    >>> answers = ["Often", "Never", "Sometimes", "Don't know"]
    >>> word_hierarchy("smoke", answers, np.full(4, 30)).labels[1:-1]
    (('Never to Sometimes', "Often or Don't know", '*'),)
    """
    holders_of_value = dict(zip(values, holders.tolist(), strict=True))
    scale = (
        sort_bands(values) or order_answers(values)
        if order is None
        else [value for value in order if value in holders_of_value] or None
    )
    sorted_values = _sort_by_holders(holders_of_value) if scale is None else scale
    lines: list[Line] = []
    for line in (
        _lines_by_frequency(holders_of_value, sorted_values)
        if scale is None
        else _lines_along_scale(scale, holders_of_value)
    ):
        finer_labels = set(lines[-1].values()) if lines else set(sorted_values)
        if 1 < len(set(line.values())) < len(finer_labels):
            lines.append(line)
    paths = [[value, *(line[value] for line in lines), ROOT] for value in sorted_values]
    return Hierarchy.from_paths(name, paths, public=False, ordered=scale is not None)


def _split_evenly(things: Sequence[T]) -> list[list[T]]:
    """Neighbours in groups of at most three, all of about one size."""
    count = -(-len(things) // _GROUP)
    ends = [len(things) * index // count for index in range(count + 1)]
    return [list(things[low:high]) for low, high in pairwise(ends)]


def _coarsen_groups(groups: list[list[str]]) -> Iterator[list[list[str]]]:
    """The groups, and groups of them, down to a single one."""
    yield groups
    while len(groups) > 1:
        groups = [list(chain(*neighbours)) for neighbours in _split_evenly(groups)]
        yield groups


def _lines_along_scale(scale: Sequence[str], held: Mapping[str, int]) -> Iterator[Line]:
    """Neighbours on a scale, told by the first and the last of them."""
    if len(scale) > _GROUP:
        for groups in _coarsen_groups(_split_evenly(scale)):
            yield {value: _scale_label(group, held, scale) for group in groups for value in group}


def _scale_label(group: Sequence[str], held: Mapping[str, int], scale: Sequence[str]) -> str:
    named_values = [value for value in group if held[value] >= NAMED]
    # An open band that is not at its end of the group may go beyond whatever is.
    is_open = any(side_of(value) > 0 for value in group[:-1]) or any(
        side_of(value) < 0 for value in group[1:]
    )
    has_no_answer = any(map(is_aside, group[1:]))  # "9 to unknown" would be a riddle
    if (
        is_open
        or has_no_answer
        or len(named_values) < 2
        or named_values[0] != group[0]
        or named_values[-1] != group[-1]
    ):
        return _name_group(named_values[:_GROUP], more=len(named_values) < len(group))
    joined_band = join_bands(named_values[0], named_values[-1], scale)
    return (
        f"{named_values[0]} to {named_values[-1]}"
        if joined_band is None or joined_band in held
        else joined_band
    )


def _sort_by_holders(held: Mapping[str, int]) -> list[str]:
    """Frequent values by how many people hold them, then the rare ones by the alphabet."""
    rare = {value: held[value] < NAMED for value in held}
    return sorted(
        held, key=lambda value: (rare[value], _letter_index(value) if rare[value] else -held[value], value)
    )


def _lines_by_frequency(held: Mapping[str, int], ordered: Sequence[str]) -> Iterator[Line]:
    """Frequent values in groups of three; rare ones by parts of the alphabet, then as one group."""
    if len(ordered) <= _GROUP:
        return
    frequent = [value for value in ordered if held[value] >= NAMED]
    rare = list(ordered[len(frequent) :])
    groups = _split_evenly(frequent) if frequent else []
    if groups and len(rare) <= _GROUP:  # too few to be a group
        groups[-1], rare = groups[-1] + rare, []
    parts = next((parts for parts in _PARTS if len(rare) <= _RARE * parts), _PARTS[-1])
    for level, level_groups in enumerate(_coarsen_groups(groups)):
        line = {value: _rare_label(value, parts if level == 0 else 1) for value in rare}
        for group in level_groups:
            named_values = sorted((v for v in group if held[v] >= NAMED), key=lambda v: (-held[v], v))
            shown_values = named_values[: _GROUP + level]
            line |= dict.fromkeys(group, _name_group(shown_values, more=len(shown_values) < len(group)))
        yield line


def _rare_label(value: str, parts: int) -> str:
    """The part of the alphabet that a value begins in; signs of other kinds are a part of their own."""
    if parts == 1:
        return _RARE_VALUES
    if _letter_index(value) == _OTHER:
        return f"{_RARE_VALUES}, other signs"
    part = _letter_index(value) * parts // _OTHER
    low, high = -(-part * _OTHER // parts), -(-(part + 1) * _OTHER // parts) - 1
    return f"{_RARE_VALUES}, {ascii_lowercase[low].upper()} to {ascii_lowercase[high].upper()}"


def _letter_index(value: str) -> int:
    """The place of the first letter in the alphabet, without its accents."""
    bare = normalize("NFKD", value.strip()[:1].casefold())[:1]
    letter_index = ascii_lowercase.find(bare) if bare else -1
    return _OTHER if letter_index < 0 else letter_index


def _name_group(known: Sequence[str], *, more: bool) -> str:
    """The names of a group: `a, b or c`, or where there are more `a, b and others`."""
    if not known:
        return _RARE_VALUES
    names = [value if len(value) <= _NAME else f"{value[: _NAME - 1].rstrip()}…" for value in known]
    if len(known) == 1 and not more:
        return known[0]
    return f"{', '.join(names)} and others" if more else f"{', '.join(names[:-1])} or {names[-1]}"


def is_by_frequency(hierarchy: Hierarchy) -> bool:
    """Whether groups are named by nothing but a list of their values, as `word_hierarchy` names them.

    At least half of the groups of the first level that has any must be; a file keeps its labels, so it tells this too.

    >>> import numpy as np
    >>> is_by_frequency(word_hierarchy("drink", ["tea", "milk", "beer", "cola"], np.array([50, 90, 70, 30])))
    True
    >>> is_by_frequency(Hierarchy.from_paths("drink", [["tea", "hot", "*"], ["mate", "hot", "*"], ["ale", "ale", "*"]]))
    False
    """
    for level in range(1, hierarchy.height):
        nodes = zip(hierarchy.labels[level], hierarchy.spans[level].tolist(), strict=True)
        groups = [
            (label, hierarchy.leaves[lo:hi]) for label, (lo, hi) in nodes if 1 < hi - lo < hierarchy.size
        ]
        if groups:
            return 2 * sum(_lists_values(label, group_values) for label, group_values in groups) >= len(
                groups
            )
    return False


def _lists_values(label: str, inside: Sequence[str]) -> bool:
    """Whether a label is made of names of the values in its group."""
    if label.startswith(_RARE_VALUES):
        return True
    remaining = label.removesuffix(" and others")
    if remaining == label and not _LISTED.search(label):
        return False
    for value in sorted(inside, key=len, reverse=True):
        remaining = remaining.replace(value if len(value) <= _NAME else f"{value[: _NAME - 1].rstrip()}…", "")
    return not _LISTED.sub("", remaining)
