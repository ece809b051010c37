"""How dates are written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["FORMATS", "date_format"]


@dataclass(frozen=True, slots=True)
class Format:
    """One way of writing dates: for `strptime`, and as a regular expression."""

    format: str
    regex: re.Pattern[str]


_MONTHS = (  # how their names begin in six languages
    "jan|feb|fév|fev|mar|mär|apr|avr|abr|may|mai|mag|jun|jui|giu|jul|lug|aug|aoû|aou|ago|ağu|agu|sep|set|eyl|"
    "oct|okt|ott|eki|nov|kas|dec|déc|dez|dic|ara|gen|ene|oca|şub|sub|nis|haz|tem"
)
_PIECES = {
    "%Y": r"(?:1[6-9]|20|21)\d\d",
    "%m": r"(?:0?[1-9]|1[0-2])",
    "%d": r"(?:0?[1-9]|[12]\d|3[01])",
    "%y": r"\d\d",
    "%B": rf"(?i:{_MONTHS})[^\W\d_]{{0,7}}\.?",
    "%H": r"(?:[01]?\d|2[0-3])",
    "%M": r"[0-5]\d",
    "%S": r"[0-5]\d",
}
_TIME = r"(?:[T ]+\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[AaPp][Mm])?\s?(?:Z|UTC|[-+]\d\d:?\d\d)?)?"
_WRITTEN = (
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y年%m月%d日",
    "%d %B %Y",
    "%d. %B %Y",
    "%B %d, %Y",
    "%d-%B-%Y",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%Y-%m",
    "%m/%Y",
    "%m.%Y",
    "%Y年%m月",
    "%B %Y",
)
_LIKE = re.compile(r"\d{1,4}[-./年]\d|\d{4}|\d{1,2}[-. ]|[^\W\d_]{3,10}\.? \d")  # a quick look
_GLANCE = 40
_PLAIN = {"%Y%m%d": r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", "%Y": r"(?:1[89]|20)\d\d"}


def _regex(written: str) -> re.Pattern[str]:
    text = re.escape(written)
    for piece, regex in _PIECES.items():
        text = text.replace(re.escape(piece), regex)
    return re.compile(text.replace(r"\ ", " ") + _TIME)


FORMATS: tuple[Format, ...] = (
    *(Format(written, _regex(written)) for written in _WRITTEN),
    *(Format(written, re.compile(regex)) for written, regex in _PLAIN.items()),
)


def date_format(values: Sequence[str], least: float = 0.9) -> tuple[str, float] | None:
    """The writing that most values have, with their share; None where fewer than `least` have one.

    The format is for `strptime`, without a time of day; `%B` stands for any word for a month. Of day and month,
    the one that goes beyond twelve decides; where none does, the day comes first.

    >>> date_format(["31.12.1999", "01.02.2000"]), date_format(["12/31/1999", "01/02/2000"])
    (('%d.%m.%Y', 1.0), ('%m/%d/%Y', 1.0))
    """
    if not values or sum(map(bool, map(_LIKE.match, values))) < least * len(values):
        return None
    shares = [_share(one, values) for one in FORMATS]
    share = max(shares)
    return (FORMATS[shares.index(share)].format, share) if share >= least else None


def _share(one: Format, values: Sequence[str]) -> float:
    """The share of values that are written so; 0 where none of the first ones is."""
    if not any(map(one.regex.fullmatch, values[:_GLANCE])):
        return 0.0
    return sum(one.regex.fullmatch(value) is not None for value in values) / len(values)
