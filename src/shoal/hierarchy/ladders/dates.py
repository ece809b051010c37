"""Dates by the units of the calendar that bring them together, and above decades by spans of years."""

from collections.abc import Callable, Sequence
from datetime import datetime

import numpy as np

from shoal.data.types import I8
from shoal.hierarchy.column_values import ROOT
from shoal.hierarchy.dates import UNITS, dates
from shoal.hierarchy.tree import Hierarchy

__all__ = ["date_ladder", "units_of"]

_SMALL = ("day", "month", "quarter", "year")
_SPANS = (10, 20, 40)
_TAIL, _PEOPLE = 0.01, 20  # share of the people in an open class at an end, and how many they are at least

Label = Callable[[datetime], str]


def date_ladder(name: str, values: Sequence[str], holders: I8, format: str | None = None) -> Hierarchy | None:
    """Month, quarter, year, decade, 20 and 40 years, as far as each joins dates that the one below keeps apart.

    From decades on, the first and the last class are open.

    >>> births = [f"{year}-05-01" for year in (1931, 1938, 1945, 1952, 1969, 1978, 1990, 1999, 2001)]
    >>> date_ladder("birth", births, np.full(9, 30)).labels[-2][:-1]
    ('before 1960', '1960 to 1999', '2000 and later')
    """
    days = [_moment(value, format) for value in values]
    years = np.array([day.year for day in days])
    labels: list[Label] = [UNITS[unit] for unit in _told(format)]
    labels += [_span(years, holders, width) for width in _SPANS]
    lines: list[list[str]] = []
    before = len(set(values))
    for label in labels:
        line = [label(day) for day in days]
        if 1 < len(set(line)) < before:
            before = len(set(line))
            lines.append(line)
    if not lines:
        return None
    order = np.argsort(np.array(days, dtype="datetime64[us]"), kind="stable").tolist()
    paths = [[values[place], *(line[place] for line in lines), ROOT] for place in order]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True)


def units_of(name: str, values: Sequence[str], format: str | None = None) -> list[str]:
    """The units of the calendar that bring these dates together, from small to large: for a rule."""
    told = [*_told(format), "decade"]
    whole = dates(name, told, values, format)
    units, before = [], whole.size
    for level, unit in enumerate(told, start=1):
        nodes = len(set(whole.up[: whole.size, level].tolist()))
        if 1 < nodes < before:
            units.append(unit)
            before = nodes
    return units


def _told(format: str | None) -> list[str]:
    """The units up to a year that dates of a format tell, and that are larger than what is written."""
    if format is None or "%H" in format:
        return list(_SMALL)
    return list(_SMALL[1:]) if any(sign in format for sign in ("%d", "%b", "%B", "%m")) else ["year"]


def _moment(text: str, format: str | None) -> datetime:
    day = datetime.fromisoformat(text.strip()) if format is None else datetime.strptime(text.strip(), format)
    return day.replace(tzinfo=None)


def _span(years: I8, holders: I8, width: int) -> Label:
    """So many years together, from a multiple of them on; open where few people are left."""
    order = np.argsort(years)
    share = np.cumsum(holders[order]) / holders.sum()
    tail = min(max(_TAIL, _PEOPLE / float(holders.sum())), 0.1)
    low, high = (
        int(years[order][min(int(np.searchsorted(share, at)), len(order) - 1)]) for at in (tail, 1 - tail)
    )
    first, last = -(-(low // 10 * 10) // width) * width, high // 10 * 10 // width * width
    begins = first if int(years.min()) < first else None

    def label(day: datetime) -> str:
        if begins is not None and day.year < begins:
            return f"before {begins}"
        if day.year >= last:
            return f"{last} and later"
        start = day.year // width * width
        return f"{start}s" if width == _SPANS[0] else f"{start} to {start + width - 1}"

    return label
