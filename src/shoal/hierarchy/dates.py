"""Hierarchies over dates: each level a larger unit of the calendar."""

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise

from shoal.errors import HierarchyError
from shoal.hierarchy.column_values import ROOT, parsed
from shoal.hierarchy.tree import Hierarchy

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


def dates(name: str, units: Sequence[str], values: Sequence[str | None]) -> Hierarchy:
    """ISO dates or times under the calendar units named, from small to large, `*` on top.

    A time falls on the day it is written with, whatever its offset.

    >>> dates("birth", ["month", "year"], ["2020-03-05", "1999-12-31T23:00"]).labels[1:]
    (('1999-12', '2020-03', '*'), ('1999', '2020', '*'), ('*',))
    """
    _refuse_strange_units(name, units)
    paths = [
        [text, *(UNITS[unit](day) for unit in units), ROOT]
        for day, text in parsed(name, values, _moment, "ISO dates")
    ]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None


def _refuse_strange_units(name: str, units: Sequence[str]) -> None:
    """Each unit must be made of whole smaller ones; a week can belong to two months or years."""
    order = list(UNITS)
    if not units or any(unit not in order for unit in units):
        raise HierarchyError(f"hierarchy '{name}': dates takes units out of {', '.join(order)}")
    for low, high in pairwise(units):
        if low == "week" or order.index(low) >= order.index(high):
            raise HierarchyError(
                f"hierarchy '{name}': a {high} is not made of whole {low}s; "
                "name units from small to large, and nothing after week"
            )
