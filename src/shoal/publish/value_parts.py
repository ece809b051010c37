"""What anybody can read off a value without knowing the data: the month of a date, the beginning of a code."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

import numpy as np

from shoal.data.arrays import F8, I8
from shoal.data.spelling import alike
from shoal.hierarchy.column_values import are_codes
from shoal.hierarchy.dates import FORMATS, date_formats, read_date

__all__ = ["amounts_of", "numbers_of", "order_of", "parts_of", "spelled"]

_MOST = 0.9  # of the values are written so
_LETTERS = 5  # of the beginning and the end of a text
_BREADTHS = (2, 5, 10, 20, 25, 50, 100, 1000)
_WORD = re.compile(r"[^\W_]+")

_OF_DATES: tuple[Callable[[datetime], str], ...] = (
    lambda day: str(day.year),
    lambda day: str(day.month),
    lambda day: str(day.day),
    lambda day: f"{day.year}-{day.month:02d}",
    lambda day: f"{day.month:02d}-{day.day:02d}",
    lambda day: str((day.month + 2) // 3),
    lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    lambda day: str(day.isoweekday()),
    lambda day: str(day.isocalendar()[1]),
    lambda day: str(day.year // 10 * 10),
)


def spelled(text: str | None) -> str:
    """A spelling that is equal where a part of a value and a published cell say the same: `05` and `5` do.

    >>> spelled("05") == spelled("5.0") == spelled(" 5"), spelled("0"), spelled(None)
    (True, '0', '')
    """
    plain = alike(text or "")
    return plain.lstrip("0") or plain[-1:]


def parts_of(values: Sequence[str | None]) -> list[list[str]]:
    """For each way of reading a part off values, the parts of all of them; what cannot be read is empty.

    >>> found = parts_of(["1990-05-17", "1971-12-01"])
    >>> ["5", "12"] in found, ["199", "197"] in found, ["fri", "sat"] in found
    (True, True, False)
    """
    texts = [(value or "").strip() for value in values]
    found = [[text[:many] for text in texts] for many in range(1, _LETTERS + 1)]
    found += [[text[-many:] for text in texts] for many in range(1, _LETTERS + 1)]
    words = [_WORD.findall(text) for text in texts]
    found += [[some[at] if some else "" for some in words] for at in (0, -1)]
    found.append([str(len(text)) for text in texts])
    days = _days(texts)
    if days is not None:
        found += [["" if day is None else part(day) for day in days] for part in _OF_DATES]
    amounts = None if days is not None else numbers_of(values)
    if amounts is not None:
        found += [_floored(amounts, breadth) for breadth in _BREADTHS]
        found += [_floored(amounts % breadth, 1) for breadth in (2, 10)]
    return found


def numbers_of(values: Sequence[str | None]) -> F8 | None:
    """The values as numbers, of dates the year; nan where one is missing, None where they are no numbers.

    >>> numbers_of(["31", None, "-2.5"]), numbers_of(["1990-05-17"]), numbers_of(["01069", "99999"])
    (array([31. ,  nan, -2.5]), array([1990.]), None)
    """
    texts = [(value or "").strip() for value in values]
    present = [text for text in texts if text]
    if not present:
        return None
    read = np.array([_number(text) for text in texts])
    if np.isfinite(read).sum() >= _MOST * len(present) and not are_codes(present):
        return read
    days = _days(texts)
    return None if days is None else np.array([np.nan if day is None else float(day.year) for day in days])


def amounts_of(values: Sequence[str | None]) -> F8:
    """The values as numbers, of dates the year, also where few of them are: what some people showed to be numbers.

    >>> amounts_of(["31", "about 40", "unknown"]), amounts_of(["1990-05-17", "in May"])
    (array([31., nan, nan]), array([1990.,   nan]))
    """
    read = numbers_of(values)
    if read is not None:
        return read
    texts = [(value or "").strip() for value in values]
    ways = (
        np.array([np.nan if day is None else float(day.year) for day in days])
        for days in ([read_date(text, format) for text in texts] for format in (None, *FORMATS))
    )
    return max(
        (np.array([_number(text) for text in texts]), *ways), key=lambda way: int(np.isfinite(way).sum())
    )


def order_of(values: Sequence[str | None]) -> I8:
    """The place of each value in the order of its numbers, of its dates, or of the alphabet.

    >>> order_of(["10", "9", "100"]).tolist(), order_of(["1.2.2020", "3.1.2020"]).tolist()
    ([1, 0, 2], [1, 0])
    """
    texts = [(value or "").strip() for value in values]
    days = _days(texts)
    keys: Sequence[object]
    if days is not None:
        keys = [day or datetime.min for day in days]
    else:
        read = numbers_of(values)
        keys = [alike(text) for text in texts] if read is None else np.nan_to_num(read, nan=-np.inf).tolist()
    place = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([place[key] for key in keys], dtype=np.int64)


def _number(text: str) -> float:
    try:
        read = float(text)
    except ValueError:
        return np.nan
    return read if abs(read) < 1e15 else np.nan


def _floored(amounts: F8, breadth: int) -> list[str]:
    lower = np.floor(amounts / breadth) * breadth
    return ["" if np.isnan(one) else str(int(one)) for one in lower]


def _days(texts: Sequence[str]) -> list[datetime | None] | None:
    """The values as dates; None where most are none."""
    formats = date_formats([text for text in texts if text], _MOST)
    return [read_date(text, formats[0]) for text in texts] if formats else None
