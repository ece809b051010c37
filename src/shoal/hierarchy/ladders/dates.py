"""Dates by the units of the calendar that bring them together."""

from collections.abc import Sequence

from shoal.hierarchy.dates import dates
from shoal.hierarchy.tree import Hierarchy

__all__ = ["date_ladder", "units_of"]

_UNITS = ("day", "month", "quarter", "year", "decade")


def date_ladder(name: str, values: Sequence[str], format: str | None = None) -> Hierarchy | None:
    """Month, quarter, year and decade, as far as each joins dates that the one below keeps apart.

    >>> date_ladder("birth", ["1990-03-05", "1990-04-01", "1999-12-31", "2001-01-01"]).labels[1:-1]
    (('1990', '1999', '2001', '*'), ('1990s', '2000s', '*'))
    """
    units = units_of(name, values, format)
    return dates(name, units, values, format) if units else None


def units_of(name: str, values: Sequence[str], format: str | None = None) -> list[str]:
    """The units of such a hierarchy, from small to large."""
    told = [unit for unit in _UNITS if unit != "day" or format is None or "%H" in format]
    if format is not None and not any(sign in format for sign in ("%d", "%b", "%B", "%m")):
        told = ["year", "decade"]
    whole = dates(name, told, values, format)
    units, before = [], whole.size
    for level, unit in enumerate(told, start=1):
        nodes = len(set(whole.up[: whole.size, level].tolist()))
        if 1 < nodes < before:
            units.append(unit)
            before = nodes
    return units
