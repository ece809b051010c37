"""Which columns hold baskets: lists, or texts of several items with a sign between them."""

import re
from collections import Counter
from collections.abc import Sequence

import polars as pl

from shoal.publish.study.propose.seen import Seen

__all__ = ["holds_lists", "likely_separator", "separator_of"]

_SIGNS = ("|", ";", ",", " ")
_JSON = re.compile(r'\s*\[\s*(".*"|[0-9.,\s-]*)\s*\]\s*', re.S)
_FIRST = 2000
_REUSED = 3.0  # times each item occurs on average
_LONG = 30  # characters of an item; sentences are longer
_CODED = re.compile(r"[^\s]*[0-9][^\s]*")


def holds_lists(cells: pl.Series) -> bool:
    """Whether the cells are lists of single values."""
    kind = cells.dtype
    return isinstance(kind, pl.List | pl.Array) and not kind.inner.is_nested()


def separator_of(seen: Seen) -> str | None:
    """The sign between the items of a column's cells; "[" where they are JSON lists, None where they are no baskets.

    Items come back: each is in several cells, in cells of different length. Blanks separate codes only, for words with
    blanks between them are mostly one value.
    """
    cells = _some(seen)
    if not cells:
        return None
    if all(_JSON.fullmatch(cell) for cell in cells):
        return "["
    return next((sign for sign in _SIGNS if _separates(sign, cells)), None)


def likely_separator(seen: Seen) -> str | None:
    """The sign between items in cells that somebody says are baskets: the first that many of them hold."""
    cells = _some(seen)
    return next(
        (sign for sign in _SIGNS if sum(sign in cell.strip() for cell in cells) * 10 > len(cells)), None
    )


def _some(seen: Seen) -> list[str]:
    step = max(1, len(seen.values) // _FIRST)
    return list(seen.values[::step])


def _separates(sign: str, cells: Sequence[str]) -> bool:
    lists = [[item.strip() for item in cell.split(sign) if item.strip()] for cell in cells]
    several = [items for items in lists if len(items) > 1]
    if len(several) < max(3, len(cells) / 4) or len({len(items) for items in lists}) < 3:
        return False
    times = Counter(item for items in lists for item in set(items))
    if sum(times.values()) < _REUSED * len(times) or max(map(len, times)) > _LONG:
        return False
    if sign == " ":
        return sum(_CODED.fullmatch(item) is not None for item in times) >= 0.9 * len(times)
    return sign != "," or sum(" " not in item for item in times) >= len(times) / 2
