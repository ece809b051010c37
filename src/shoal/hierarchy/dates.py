"""Dates: how they are written and read, which values are dates, and the units of the calendar.

Their hierarchies are made in `rules`, as somebody states them, and in `suggest`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta

__all__ = ["CENTURY_OPEN", "FORMATS", "SERIAL", "UNITS", "date_formats", "first_of_hundred", "read_date"]

FORMATS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y.%m.%d", "%d.%m.%y", "%d/%m/%y",
    "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%Y%m%d", "%m/%Y", "%Y-%m",
    "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S",
    "%Y/%m/%d %H:%M:%S", "%Y%m%dT%H%M%S", "%Y年%m月%d日",
)  # fmt: skip
"""How dates are written where they are not ISO 8601, for `strptime`; of two that fit the first is taken."""

SERIAL = "excel"
"""The format of dates that are days counted as spreadsheets do: 1 is the first of January 1900."""
_NOUGHT = datetime(1899, 12, 30)  # for every day since March 1900; there was no 29 February
_SERIALS = re.compile(r"[0-9]{4,5}(?:\.[0-9]+)?")  # of 1902 to 2173

_PROBE = 20  # values; only formats that these have are tried on all
_DATED = re.compile(r"(?=.*\d).{6}", re.DOTALL)  # no format that is tried reads less than this
_QUARTER = re.compile(r"([1-9][0-9]{3})-Q([1-4])")


def _week(day: datetime) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04d}-W{week:02d}"


UNITS: dict[str, Callable[[datetime], str]] = {
    "day": lambda day: day.date().isoformat(),
    "week": _week,
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"{day.year // 10 * 10:04d}s",
}


def read_date(text: str, format: str | None = None) -> datetime | None:
    """The moment that a text tells, on the day it is written with; None where it tells none. No format means ISO 8601.

    >>> read_date("2020-03-05"), read_date("05.03.2020", "%d.%m.%Y"), read_date("5 March")
    (datetime.datetime(2020, 3, 5, 0, 0), datetime.datetime(2020, 3, 5, 0, 0), None)
    >>> read_date("44927", SERIAL)
    datetime.datetime(2023, 1, 1, 0, 0)
    """
    if format == SERIAL:
        return _NOUGHT + timedelta(days=float(text)) if _SERIALS.fullmatch(text) else None
    if format is None and (quarter := _QUARTER.fullmatch(text)):
        return datetime(int(quarter[1]), 3 * int(quarter[2]) - 2, 1)
    try:
        read = datetime.fromisoformat(text) if format is None else datetime.strptime(text, format)
    except ValueError:
        return None
    return read.replace(tzinfo=None)


CENTURY_OPEN = "its years have two digits, and some may be of either century; write them with four"
_RECENT = 30  # a year of two digits up to this may be of this century
_APART = 15  # years without a date between the last of this century and the first of the one before


def first_of_hundred(years: Iterable[int], known: Collection[int] = ()) -> int | None:
    """The first of the hundred years in which years of two digits lie; None where both centuries are possible.

    They lie where `known` years do, of four digits, or near them. By themselves they end with a year of this century,
    if only one can be the last: years without a date follow it. Years of birth may be of both.

    >>> first_of_hundred([98, 99, 0, 1]), first_of_hundred([21, 25]), first_of_hundred(range(100))
    (1902, 1926, None)
    >>> first_of_hundred([57, 10], [1940, 2005]), first_of_hundred([57, 15], [1916, 2021])
    (1922, None)
    """
    used = sorted(set(years))
    if known:
        first = (min(known) + max(known)) // 2 - 50
        low, high = min(known) - _APART, max(max(known), min(max(known) + _APART, 2000 + _RECENT))
        settled = [first + (year - first) % 100 for year in used]
        return None if any(year - 100 >= low or year + 100 <= high for year in settled) else first
    if used[0] > _RECENT:
        return 1900
    following = [*used[1:], used[0] + 100]
    ends = [
        one for one, later in zip(used, following, strict=True) if one <= _RECENT and later - one >= _APART
    ]
    return 1901 + ends[0] if len(ends) == 1 else None


def date_formats(
    values: Sequence[str], least: float = 1.0, years: range = range(1, 10_000)
) -> list[str | None]:
    """The formats in which at least that share of the values can be read as dates of these years; None is ISO 8601.

    >>> date_formats(["05.03.2020", "31.12.1999"]), date_formats(["2020-03-05"]), date_formats(["3/4/2020", "x"])
    (['%d.%m.%Y'], [None], [])
    """

    def fits(format: str | None, some: Sequence[str]) -> bool:
        days = (read_date(value, format) for value in some if _DATED.match(value))
        return sum(day is not None and day.year in years for day in days) >= least * len(some)

    probe = values[:: max(len(values) // _PROBE, 1)]
    return [format for format in (None, *FORMATS) if values and fits(format, probe) and fits(format, values)]
