"""Hierarchies over dates: each level a larger unit of the calendar."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from itertools import pairwise

from shoal.errors import HierarchyError
from shoal.hierarchy.column_values import ROOT, parsed
from shoal.hierarchy.tree import Hierarchy
from shoal.naming import hint

__all__ = ["UNITS", "dates"]


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


_REMEDY = 'say how they are written ({ format = "%d.%m.%Y", levels = [...] }), '
_TELLS = {
    "day": ("%d", "%j"),
    "week": ("%d", "%j"),
    "month": ("%m", "%b", "%B", "%j"),
    "quarter": ("%m", "%b", "%B", "%j"),
    "year": ("%Y", "%y"),
    "decade": ("%Y", "%y"),
}
"""For each unit, what a format must hold to tell it; whatever is smaller than a year needs the year as well."""


def dates(
    name: str, units: Sequence[str], values: Sequence[str | None], format: str | None = None
) -> Hierarchy:
    """Dates or times under the calendar units named, from small to large, `*` on top.

    They are ISO 8601, or written as `format` says, in the letters of `datetime.strptime`. A time falls on the day it is
    written with, whatever its offset.

    >>> dates("birth", ["month", "year"], ["2020-03-05", "1999-12-31T23:00"]).labels[1:]
    (('1999-12', '2020-03', '*'), ('1999', '2020', '*'), ('*',))
    >>> dates("birth", ["year"], ["31.12.1999", "05.03.2020"], "%d.%m.%Y").labels
    (('31.12.1999', '05.03.2020', '*'), ('1999', '2020', '*'), ('*',))
    """
    _refuse_strange_units(name, units)
    parse, what = _moment, "ISO dates"
    if format is not None:
        _refuse_strange_format(name, format, units)
        parse, what = partial(_written, format), "dates of this format"
    paths = [
        [text, *(UNITS[unit](day) for unit in units), ROOT]
        for day, text in parsed(name, values, parse, what, _REMEDY)
    ]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None


def _written(format: str, text: str) -> datetime | None:
    try:
        return datetime.strptime(text.strip(), format).replace(tzinfo=None)
    except ValueError:
        return None


def _refuse_strange_format(name: str, format: str, units: Sequence[str]) -> None:
    """A format must be one that dates can be written in, and tell every unit that is asked for."""
    try:
        some = datetime(2001, 2, 3)
        datetime.strptime(some.strftime(format), format)
    except (ValueError, re.error):
        raise HierarchyError(
            f"hierarchy '{name}': the format of the dates cannot be read; write it as %d.%m.%Y or %m/%d/%Y"
        ) from None
    for unit in [*units, "year"]:
        if not any(sign in format for sign in _TELLS[unit]):
            raise HierarchyError(
                f"hierarchy '{name}': the format of the dates does not tell the {unit}; name larger units, or a format "
                f"with one of {', '.join(_TELLS[unit])}"
            )


def _refuse_strange_units(name: str, units: Sequence[str]) -> None:
    """Each unit must be made of whole smaller ones; a week can belong to two months or years."""
    order = list(UNITS)
    strange = [unit for unit in units if unit not in order]
    if not units or strange:
        near = hint(strange[0], order) if strange else ""
        raise HierarchyError(f"hierarchy '{name}': dates takes units out of {', '.join(order)}{near}")
    for low, high in pairwise(units):
        if low == "week" or order.index(low) >= order.index(high):
            raise HierarchyError(
                f"hierarchy '{name}': a {high} is not made of whole {low}s; "
                "name units from small to large, and nothing after week"
            )
