"""The second witness of what a column means: its values, and what other columns of the file say.

The name of a column proposes a meaning; words.toml says which kinds of values each meaning can have. Where the values
are of none of these kinds the name does not count: an employer is not a column of amounts.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from shoal.data.column_names import Meaning, concepts
from shoal.hierarchy.column_values import number_or_end
from shoal.hierarchy.suggest import Kind
from shoal.publish.study.propose.profile import ColumnProfile

__all__ = [
    "CONSTANT",
    "agrees",
    "differs_within",
    "grid",
    "is_counted",
    "is_named_by_numbers",
    "is_numbering",
    "kinds_of_values",
    "settle_weight",
    "words_of_kinds",
]

_LARGE = 1000  # numbers below are counts, ages or answers of a list
_LISTED = 200  # different whole numbers that a list of answers may have
_LENGTHS = 4  # different lengths of whole numbers that are amounts, not codes
_MANY = 500  # different ones
_SIGNED = 3  # different numbers below zero; one or two may stand for a missing value
_DECIMALS = 0.02  # of the values, which are no slips
_UNORDERED = ("word", "place")  # kinds of meanings whose numbers are names
_MEASURED = ("amount", "age", "coordinate")
_BODY = (1.5, 350.0)  # kilograms or pounds
_DEGREES = (0.01, 0.1, 1, 10)
_YES_NO = frozenset("yes no y n ja nein j oui non o si sí sì s true false evet hayır e h 是 否 t f".split())
_WORDS = {
    "answer": "yes or no",
    "date": "dates",
    "decimal": "numbers with decimals",
    "amount": "amounts",
    "number": "small whole numbers",
    "code": "codes",
    "word": "words",
}
CONSTANT = ("birth date", "birth year", "sex", "age")
"""What rows of one person have in common, but for years in which somebody is followed."""
_FOLLOWED = 15.0  # years, at most
_MOST = 0.5
_NUMBERING = re.compile(
    r"^(?i:n[°o]|nr)(?![^\W_])|[a-z](?:Nr|No|ID|Id)\.?$|(?:^|[\s_.-])(?i:nr|no|id|num|key)\.?$|(?i:nummer)$"
)
_REPEATS = 20  # twice as many pairs of equal amounts as one would find by chance
_METRES = (1_000, 10_000, 100_000, 1_000_000)


def kinds_of_values(seen: ColumnProfile, kind: Kind) -> frozenset[str]:
    """What the values of a column can be, in the words of words.toml; numbers are often several.

    >>> from shoal.hierarchy.suggest import kind_of
    >>> ages = tuple(map(str, range(18, 90)))
    >>> seen = ColumnProfile("age", ages, np.ones(72, dtype=np.int64), 72, 0, 72, 72)
    >>> sorted(kinds_of_values(seen, kind_of(ages)))
    ['code', 'number']
    """
    if kind.name == "date":
        years = all(len(value) == 4 and value.isdecimal() for value in seen.values)
        return frozenset({"date", "number", "code", "amount"} if years else {"date"})
    if kind.name != "number":
        spelled = any(map(str.isalpha, "".join(seen.values[:_MANY])))
        answers = {value.casefold() for value in seen.values} <= _YES_NO
        return frozenset({kind.name, "word"} | ({"answer"} if answers else set()) if spelled else {kind.name})
    numbers = _numbers(seen.values)
    if np.mean(numbers != np.floor(numbers)) > _DECIMALS:
        return frozenset({"decimal"})
    if len(np.unique(numbers[numbers < 0])) >= _SIGNED and numbers.min() < -_SIGNED:
        return frozenset({"amount"})
    lengths = {len(value) for value in seen.values}
    found = set()
    if np.abs(numbers).max(initial=0) < _LARGE or seen.distinct <= _LISTED:
        found.add("number")
    if numbers.max(initial=0) >= _LARGE:
        found.add("amount")
    if not (seen.distinct > _MANY and len(lengths) >= _LENGTHS):
        found.add("code")
    return frozenset(found)


@cache
def possible_values() -> dict[str, frozenset[str]]:
    """By what a column is about, the kinds of values that it can have."""
    return {concept.what: concept.values for concept in concepts()}


def agrees(told: Meaning, kinds: frozenset[str], distinct: int) -> bool:
    """Whether a column of such values can be what its name suggests; so many words are no bands of an amount."""
    if told.kind in _MEASURED and kinds <= {"word", "code"} and distinct > _LISTED:
        return False
    if told.kind == "place" and "answer" in kinds:
        return False  # free school meals, yes or no
    return not possible_values().get(told.what, kinds).isdisjoint(kinds)


def words_of_kinds(kinds: frozenset[str]) -> str:
    """What values are, for people."""
    return next(words for kind, words in _WORDS.items() if kind in kinds)


def is_named_by_numbers(told: Meaning | None, kinds: frozenset[str]) -> bool:
    """Whether whole numbers stand for names, so that a range of them means nothing: 1 is a woman, 2 a man."""
    return told is not None and told.kind in _UNORDERED and "code" in kinds and "date" not in kinds


def is_numbering(seen: ColumnProfile, kind: Kind) -> bool:
    """Whether a column is called a number of something, as BonNr or rx_no, and has codes or whole numbers."""
    if kind.name not in ("code", "number") or _NUMBERING.search(seen.name) is None:
        return False
    return not any("." in value for value in seen.values)


def differs_within(person: ColumnProfile, other: ColumnProfile, what: str) -> bool:
    """Whether most who have several rows would have several sexes, birthdays, or ages far apart: then it names nobody.

    `what` is one of CONSTANT.
    """
    if len(other.codes) != len(person.codes) or other.distinct != len(other.values):
        return False
    here = other.codes < other.distinct
    places, far = np.arange(other.distinct, dtype=np.float64), 0.0
    if what == "age":
        places, far = _numbers(other.values), _FOLLOWED
        if np.isnan(places).any():
            return False  # groups of ages
    who, rows = np.unique(person.codes[here], return_inverse=True)
    low, high = np.full(len(who), np.inf), np.full(len(who), -np.inf)
    np.minimum.at(low, rows, places[other.codes[here]])
    np.maximum.at(high, rows, places[other.codes[here]])
    several = np.bincount(rows, minlength=len(who)) > 1
    return bool(several.any() and np.mean((high - low > far)[several]) > _MOST)


def is_counted(seen: ColumnProfile) -> bool:
    """Whether numbers are those of a list: whole, and hardly one is left out between the least and the largest."""
    try:
        whole = [int(value) for value in seen.values]
    except ValueError:
        return False
    span = max(whole) - min(whole)
    if seen.alone == seen.distinct and len(whole) ** 2 > _REPEATS * span:
        return True  # so many amounts between these would not all differ
    return span < 2 * len(whole) or all(len(value) >= 6 for value in seen.values)


def settle_weight(
    told: Meaning | None, seen: ColumnProfile, kind: Kind, beside: Iterable[str]
) -> Meaning | None:
    """A column called weight is a body's or a sample's: by its values, and by what stands beside it.

    `beside` is what the other columns of the file are about.
    """
    if told is None or kind.name != "number" or told.what not in ("body", "sampling weight"):
        return told
    if told.what == "sampling weight" or not _is_weight(seen.name):
        return told
    low, middle, high = np.quantile(_numbers(seen.values), [0.01, 0.5, 0.99])
    human = low >= _BODY[0] and high <= _BODY[1]
    if human and (middle >= 20 or "medical measurement" in beside or "body" in beside):
        return told
    return replace(told, what="sampling weight", role="weight", kind="amount")


def _is_weight(name: str) -> bool:
    """Whether a name says weight and nothing more; a birth weight or a height is a body's."""
    plain = "".join(letter for letter in name.casefold() if letter.isalpha())
    return plain in (
        "weight",
        "wt",
        "gewicht",
        "poids",
        "peso",
        "weights",
        "gewichte",
        "ağırlık",
        "gewichten",
    )


def grid(columns: Mapping[str, ColumnProfile]) -> dict[str, Any]:
    """The rule that makes coordinates coarser, one for all columns of a place so that they make one grid.

    Numbers within 180 are degrees, larger ones metres; steps that would leave one cell are left out.
    """
    numbers = [_numbers(seen.values) for seen in columns.values()]
    degrees = all(np.abs(one).max(initial=0) <= 180 for one in numbers)
    span = max(float(one.max() - one.min()) for one in numbers)
    steps = [step for step in (_DEGREES if degrees else _METRES) if step < span]
    return {"ranges": steps or [_DEGREES[0] if degrees else _METRES[0]]}


def _numbers(values: Iterable[str]) -> Any:
    return np.array([number_or_end(value) for value in values], dtype=np.float64)
