"""How well cells are guessed from what is known, and whether that is a rule or chance.

What is known of a value is also what anybody can read off it without the data: the month of a date, the beginning of
a code.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from shoal.data.arrays import F8, I4, I8, times
from shoal.data.spelling import alike
from shoal.hierarchy.column_values import FORMATS, are_codes, date_formats, read_date

__all__ = [
    "FEW",
    "Guess",
    "among_equal",
    "amounts_of",
    "is_rule",
    "lambda_of",
    "neighbours",
    "numbers_of",
    "order_of",
    "parts_of",
    "spelled",
]

FEW = 10
"""Wrong guesses; fewer of them may be chance."""

_CELLS = 8  # of a table of counts for each record, at most
_DEALT, _BEYOND = 20, 5.0  # times that cells are dealt out anew; deviations that a rule lies beyond them

Guess = Callable[[I8], tuple[float, float, float]]
"""From cells: how many are guessed right, how many without knowing anything, and how many are guessed at all."""


def lambda_of(told: object, given: object, counts: I8 | None = None) -> float:
    """Goodman and Kruskal's lambda: the share of wrong guesses of `told` that knowing `given` avoids.

    >>> lambda_of([0, 0, 1, 1], [5, 5, 7, 7])
    1.0
    >>> lambda_of([0, 0, 1, 1], [5, 7, 5, 7])
    0.0
    """
    given, told = (_packed(np.asarray(codes)) for codes in (given, told))
    if not len(told):
        return 0.0
    width = int(told.max()) + 1
    pairs = given * width + told
    if (int(given.max()) + 1) * width <= _CELLS * len(told):
        best = times(pairs, counts, (int(given.max()) + 1) * width).reshape(-1, width).max(axis=1)
    else:
        pairs, place = np.unique(pairs, return_inverse=True)
        best = np.zeros(int(given.max()) + 1, dtype=np.int64)
        np.maximum.at(best, pairs // width, times(place, counts))
    held = times(told, counts)
    blind, all_of_them = int(held.max()), int(held.sum())
    return float((best.sum() - blind) / (all_of_them - blind)) if blind < all_of_them else 0.0


def _packed(codes: NDArray[np.integer]) -> I8:
    """Codes as numbers from 0 that are not much larger than there are."""
    if len(codes) and (codes.min() < 0 or codes.max() > _CELLS * len(codes)):
        codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return np.asarray(codes, dtype=np.int64)


def is_rule(guess: Guess, codes: I8, sure: float) -> bool:
    """Whether cells are guessed right so often that it is a rule, and far more often than by chance."""
    right, blind, all_of_them = guess(codes)
    if all_of_them - blind < FEW / 2 or right - blind < sure * (all_of_them - blind):
        return False
    deal = np.random.default_rng(1)
    dealt = np.array([guess(deal.permutation(codes))[0] for _ in range(_DEALT)])
    return bool(right >= dealt.mean() + _BEYOND * max(float(dealt.std()), 1.0))


def among_equal(groups: I4 | I8) -> Guess:
    """Guess each person's cell from the others in the same group; whoever is alone in one is not guessed."""
    _, group = np.unique(groups, return_inverse=True)
    group = group.reshape(-1).astype(np.int64)
    shared = np.bincount(group)[group] > 1

    def guess(codes: I8) -> tuple[float, float, float]:
        there = codes[shared]
        if not len(there):
            return 0.0, 0.0, 0.0
        width = int(there.max()) + 1
        pairs, many = np.unique(group[shared] * width + there, return_counts=True)
        of = pairs // width
        order = np.lexsort((many, of))
        of, many = of[order], many[order]
        last = np.r_[of[1:] != of[:-1], True]
        second = np.where(np.r_[False, of[1:] == of[:-1]], np.r_[0, many[:-1]], 0)[last]
        first = many[last]
        right = first * ((first - 1 > second) + 0.5 * (first - 1 == second))
        return float(right.sum()), float(np.bincount(there).max()), float(len(there))

    return guess


def neighbours(order: I8, groups: I8 | None = None) -> Guess:
    """Guess each person's cell from the next below and above in an order, of the same group where groups are given."""
    beside = np.zeros(len(order), dtype=np.int64) if groups is None else groups
    line = np.lexsort((order, beside))
    near = np.diff(beside[line]) == 0
    below, above = np.r_[False, near], np.r_[near, False]

    def guess(codes: I8) -> tuple[float, float, float]:
        cells = codes[line]
        equal = cells[1:] == cells[:-1]
        like_below, like_above = np.r_[False, equal] & below, np.r_[equal, False] & above
        right = (like_below + 0.0 + like_above) / np.maximum(below + 0 + above, 1)
        there = below | above
        return float(right.sum()), float(np.bincount(cells).max()), float(there.sum())

    return guess


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
