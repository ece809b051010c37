"""What values are: numbers, dates in some format, codes, or words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from shoal.hierarchy.column_values import are_codes
from shoal.hierarchy.number_ranges import is_number

__all__ = ["FORMATS", "Kind", "kind_of"]

_FIRST = 500  # values; only formats that these have are tried on all
FORMATS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y.%m.%d", "%d.%m.%y", "%d/%m/%y",
    "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%Y%m%d", "%m/%Y", "%Y-%m",
    "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S",
    "%Y/%m/%d %H:%M:%S", "%Y%m%dT%H%M%S", "%Y年%m月%d日",
)  # fmt: skip
"""How dates are written where they are not ISO 8601; of two that fit the first is taken."""
_CODE = re.compile(r"(?=.*[0-9])[A-Za-z]{0,3}[0-9][A-Za-z0-9 ./-]{0,13}")
_DIGITS = re.compile(r"[0-9]{4,5}")
_YEARS = range(1850, 2101)


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
    dates = _dates(present)
    if dates is not None:
        return dates
    if all(map(is_number, present)):
        return Kind("code" if are_codes(present) else "number")
    some = present[:: max(1, len(present) // _FIRST)]
    coded = sum(_CODE.fullmatch(value) is not None for value in some)
    return Kind("code" if coded >= 0.9 * len(some) and len(some) > 2 else "word")


def _dates(present: Sequence[str]) -> Kind | None:
    if all(_DIGITS.fullmatch(value) for value in present[:_FIRST]):
        return None  # years, numbers, zip codes
    if all(map(_is_iso, present[:_FIRST])):
        return Kind("date") if all(map(_is_iso, present)) else None
    some = [format for format in FORMATS if all(_is_of(format, value) for value in present[:_FIRST])]
    fits = [format for format in some if all(_is_of(format, value) for value in present)]
    return Kind("date", fits[0], tuple(fits[1:])) if fits else None


def _is_iso(value: str) -> bool:
    try:
        return "-" in value and datetime.fromisoformat(value).year in _YEARS
    except ValueError:
        return False


def _is_of(format: str, value: str) -> bool:
    try:
        return datetime.strptime(value, format).year in _YEARS
    except ValueError:
        return False
