"""Dates: how they are written and read, which values are dates, and the units of the calendar."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

__all__ = ["FORMATS", "UNITS", "date_formats", "date_likeness", "read_date"]

FORMATS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y.%m.%d", "%d.%m.%y", "%d/%m/%y",
    "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%Y%m%d", "%m/%Y", "%Y-%m",
    "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S",
    "%Y/%m/%d %H:%M:%S", "%Y%m%dT%H%M%S", "%Y年%m月%d日",
)  # fmt: skip
"""How dates are written where they are not ISO 8601, for `strptime`; of two that fit the first is taken."""

_PROBE = 20  # values; only formats that these have are tried on all
_GLANCE = 40  # values, one of which must look like a date of a format that is tried on all
_ALIKE = (
    "%d. %B %Y",
    "%m.%Y",
    "%Y年%m月",
    "%B %Y",
)  # they look like dates, but numbers do too, or nothing reads them
_MONTHS = (  # how their names begin in six languages
    "jan|feb|fév|fev|mar|mär|apr|avr|abr|may|mai|mag|jun|jui|giu|jul|lug|aug|aoû|aou|ago|ağu|agu|sep|set|eyl|"
    "oct|okt|ott|eki|nov|kas|dec|déc|dez|dic|ara|gen|ene|oca|şub|sub|nis|haz|tem"
)
_PIECES = {
    "%Y": r"(?:1[6-9]|20|21)\d\d",
    "%m": r"(?:0?[1-9]|1[0-2])",
    "%d": r"(?:0?[1-9]|[12]\d|3[01])",
    "%y": r"\d\d",
    "%b": rf"(?i:{_MONTHS})[^\W\d_]{{0,7}}\.?",
    "%B": rf"(?i:{_MONTHS})[^\W\d_]{{0,7}}\.?",
}
_TIME = r"(?:[T ]+\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[AaPp][Mm])?\s?(?:Z|UTC|[-+]\d\d:?\d\d)?)?"
_PLAIN = {"%Y%m%d": r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", "%Y": r"(?:1[89]|20)\d\d"}
_QUARTER = re.compile(r"([1-9][0-9]{3})-Q([1-4])")
_LIKE = re.compile(r"\d{1,4}[-./年]\d|\d{4}|\d{1,2}[-. ]|[^\W\d_]{3,10}\.? \d")  # a quick look


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
    """
    if format is None and (quarter := _QUARTER.fullmatch(text)):
        return datetime(int(quarter[1]), 3 * int(quarter[2]) - 2, 1)
    try:
        read = datetime.fromisoformat(text) if format is None else datetime.strptime(text, format)
    except ValueError:
        return None
    return read.replace(tzinfo=None)


def date_formats(
    values: Sequence[str], least: float = 1.0, years: range = range(1, 10_000)
) -> list[str | None]:
    """The formats in which at least that share of the values can be read as dates of these years; None is ISO 8601.

    >>> date_formats(["05.03.2020", "31.12.1999"]), date_formats(["2020-03-05"]), date_formats(["3/4/2020", "x"])
    (['%d.%m.%Y'], [None], [])
    """

    def fits(format: str | None, some: Sequence[str]) -> bool:
        days = (read_date(value, format) for value in some)
        return sum(day is not None and day.year in years for day in days) >= least * len(some)

    probe = values[:: max(len(values) // _PROBE, 1)]
    return [format for format in (None, *FORMATS) if values and fits(format, probe) and fits(format, values)]


def _likeness(format: str) -> re.Pattern[str]:
    text = re.escape(format)
    for piece, regex in _PIECES.items():
        text = text.replace(re.escape(piece), regex)
    return re.compile(text.replace(r"\ ", " ") + _TIME)


_LOOKS = {
    format: _likeness(format)
    for format in ("%Y-%m-%d", *(one for one in FORMATS if "%H" not in one), *_ALIKE)
    if format not in _PLAIN
} | {format: re.compile(regex) for format, regex in _PLAIN.items()}


def date_likeness(values: Sequence[str], least: float = 0.9) -> tuple[str, float] | None:
    """The writing of dates that most values look like, with their share; None where fewer than `least` do.

    A time of day may follow, and any word for a month counts, also one that nothing reads. Of day and month, the one
    that goes beyond twelve decides; where none does, the day comes first.

    >>> date_likeness(["31.12.1999", "01.02.2000"]), date_likeness(["12/31/1999", "01/02/2000"])
    (('%d.%m.%Y', 1.0), ('%m/%d/%Y', 1.0))
    """
    if not values or sum(map(bool, map(_LIKE.match, values))) < least * len(values):
        return None
    shares = {format: _share(regex, values) for format, regex in _LOOKS.items()}
    format = max(shares, key=shares.__getitem__)
    return (format, shares[format]) if shares[format] >= least else None


def _share(regex: re.Pattern[str], values: Sequence[str]) -> float:
    """The share of values that look so; 0 where none of the first ones does."""
    if not any(map(regex.fullmatch, values[:_GLANCE])):
        return 0.0
    return sum(regex.fullmatch(value) is not None for value in values) / len(values)
