"""The order of answers: `1. Never`, `2 or more`, `less than 1 hour`, `Strongly agree`.

Whoever made a questionnaire listed its answers in an order, and neighbours belong together. Three things tell it:
numbers in front of the answers, the numbers that answers are about, and the words of a known scale. Where none does,
nothing is said.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import inf
from typing import NamedTuple

from shoal.base.naming import resource_table
from shoal.hierarchy.column_values import END_BEFORE, END_BEHIND, alternation_pattern, is_low_end
from shoal.hierarchy.vocabularies import rank_words, vocabulary_file

__all__ = ["are_amounts", "is_aside", "order_answers"]

_LEAST, _MOST = 3, 100  # different answers; of two, either order is as good
_NUMBERED = re.compile(
    r"[(\[]?(?P<number>\d{1,2})(?:[.):\]]\s+|\s*[.):\]=_–-]\s*(?=[^\W\d_]|[<>≤≥]))\S.*"
)  # 1. Never, 2) Often, 3 - Always; not 12.5 or 5-9 days
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_THOUSANDS = re.compile(r"(?<!\d)(\d{1,3}(?:,\d{3})+)(?!\d)")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|er|ère|ème|e|º|ª|\.(?!\d))(?![^\W\d_])")
_INTERVAL = re.compile(
    r"(?P<open>[\[(])\s*(?P<low>-?[\d.]+|-inf)\s*[,;]\s*(?P<high>-?[\d.]+|\+?inf)\s*[\])]", re.I
)
_WORDS = re.compile(r"[^\W\d_]+|[%$€£]")
_MOSTLY = 0.6  # of the answers are amounts; the others say none, or nothing


class _Amount(NamedTuple):
    """From where to where an answer goes, its unit of time or an empty text, and the other words beside its numbers."""

    low: float
    high: float
    unit: str = ""
    words: frozenset[str] = frozenset()


def order_answers(values: Sequence[str], *, numbered: bool = True) -> list[str] | None:
    """The answers in their order; None where nothing tells one.

    `numbered` says whether numbers in front of them do: those of towns and jobs are no order.

    >>> order_answers(["2. HS Grad", "3. College", "1. < HS Grad"])
    ['1. < HS Grad', '2. HS Grad', '3. College']
    >>> order_answers(["2 or more", "never", "1 time"]), order_answers(["StronglyAgree", "Agree", "Disagree", "other"])
    (['never', '1 time', '2 or more'], ['Disagree', 'Agree', 'StronglyAgree', 'other'])
    >>> order_answers(["apple", "pear", "2 plums"]) is None
    True
    """
    answers = [value for value in values if value.strip()]
    if not _LEAST <= len(answers) <= _MOST or len(set(answers)) < len(answers):
        return None
    by_number = _order_by_numbers_in_front(answers) if numbered else None
    return by_number or _order_by_amounts(answers) or _order_by_words(answers)


def are_amounts(values: Sequence[str]) -> bool:
    """Whether most values are bands or ends of amounts, in words or with units, that follow one another.

    >>> are_amounts(["10-14y", "15-19y", "20y+"]), are_amounts(["10a", "10b", "12c"])
    (True, False)
    """
    if not _LEAST <= len(values) <= _MOST or _order_by_amounts(values) is None:
        return False
    amounts = [amount for value in values if (amount := _read_amount(value)) is not None]
    return 2 * sum(amount.low < amount.high for amount in amounts) >= len(values)


def _order_by_numbers_in_front(answers: Sequence[str]) -> list[str] | None:
    """By the numbers that answers are numbered with, each once; what says nothing comes last."""
    numbers: dict[str, float] = {}
    for answer in answers:
        match = _NUMBERED.fullmatch(answer.strip())
        if match is not None:
            numbers[answer] = float(match["number"])
        elif is_aside(answer):
            numbers[answer] = inf
        else:
            return None
    counted = [number for number in numbers.values() if number < inf]
    if len(counted) < _LEAST or len(set(counted)) < len(counted):
        return None
    return sorted(answers, key=lambda answer: (numbers[answer], answer))


def _order_by_amounts(answers: Sequence[str]) -> list[str] | None:
    """By the amounts that answers are about, where no two overlap and all are about the same."""
    amounts: dict[str, _Amount] = {}
    ends: dict[str, float] = {}
    for answer, bare in zip(answers, _without_shared_words(answers), strict=True):
        if (amount := _read_amount(answer)) is not None:
            amounts[answer] = amount
        elif is_aside(answer) or is_aside(bare):
            ends[answer] = inf
        elif _is_none(answer) or _is_none(bare):
            ends[answer] = -inf
        else:
            return None
    if len(amounts) < 2 or len(amounts) < _MOSTLY * len(answers) or list(ends.values()).count(-inf) > 1:
        return None
    beside = [amount.words - _list_words("beside") for amount in amounts.values()]
    shared = {
        word
        for words in beside
        for word in words
        if 2 * sum(word in other for other in beside) >= len(beside)
    }
    if len({words for words in beside if words}) > 1 and any(not words <= shared for words in beside):
        return None
    spans_of_answer = _count_in_one_unit(amounts)
    scale = sorted(amounts, key=spans_of_answer.__getitem__)
    spans = [spans_of_answer[answer] for answer in scale]
    if any(span[1] > next_span[0] or span == next_span for span, next_span in pairwise(spans)):
        return None
    first = [answer for answer in answers if ends.get(answer) == -inf]
    last = sorted(answer for answer in answers if ends.get(answer) == inf)
    return [*first, *scale, *last]


def _order_by_words(answers: Sequence[str]) -> list[str] | None:
    """By the words of a scale, or of education; words that all answers have in common say nothing."""
    asides = sorted(answer for answer in answers if is_aside(answer))
    known = [answer for answer in answers if answer not in asides]
    for first in ([], *([answer] for answer in known if _is_none(answer))):
        rest = [answer for answer in known if answer not in first]
        for bare in (rest, _without_shared_words(rest)):
            ranks = rank_words(bare)
            if ranks is not None and len(set(ranks)) >= _LEAST - len(first):
                rank_of_answer = dict(zip(rest, ranks, strict=True))
                return [*first, *sorted(rest, key=lambda answer: (rank_of_answer[answer], answer)), *asides]
    return None


def _without_shared_words(answers: Sequence[str]) -> list[str]:
    """Answers without the words that they all have: low, medium and high, of low risk, medium risk, high risk."""
    words = [answer.replace("_", " ").casefold().split() for answer in answers]
    shared = set(words[0]).intersection(*words) if words else set()
    return [" ".join(word for word in own if word not in shared) for own in words]


def _read_amount(answer: str) -> _Amount | None:
    """The ends of an amount, which is open where it says less or more; None where there is none, or too many numbers.

    >>> _read_amount("less than 5 days")[:2], _read_amount("10+")[:2], _read_amount("2 to 3 years ago")[:2]
    ((-inf, 5.0), (10.0, inf), (2.0, 3.0))
    """
    interval = _INTERVAL.fullmatch(answer.strip())
    if interval is not None:
        low, high = float(interval["low"]), float(interval["high"])
        return _Amount(low, high) if low < high else None
    text = " ".join(answer.replace("_", " ").casefold().split())
    text = _ORDINAL.sub("", _THOUSANDS.sub(lambda match: match[1].replace(",", ""), text))
    found = list(_NUMBER.finditer(text))
    if not 1 <= len(found) <= 2:
        return None
    numbers = [float(match[0]) for match in found]
    before, behind = text[: found[0].start()].strip(), text[found[-1].end() :].strip()
    if before.endswith(("-", "−", ".")):
        return None  # below zero, or a number that is cut
    before, is_less, is_more = _cut_end(before)
    open_end, words_behind = _cut_end_behind(behind)
    is_less, is_more = is_less or open_end < 0, is_more or open_end > 0
    between = text[found[0].end() : found[-1].start()].strip() if len(found) == 2 else ""
    words = set(_WORDS.findall(before)) | set(_WORDS.findall(words_behind))
    if len(found) == 2:
        joints = {
            word for word in re.findall(r"[^\W\d_]+|[^\w\s]+", between) if word not in ("$", "€", "£", "%")
        }
        words |= joints - _list_words("between")
        if not joints or joints.isdisjoint(_list_words("between")) or numbers[0] >= numbers[1]:
            return None
        if is_less or is_more:
            return None
    units = [word for word in words if len(word) > 1 and word in _time_units()]
    unit = units[0] if len(units) == 1 else ""
    low, high = numbers[0], numbers[-1]
    low, high = (-inf, high) if is_less else (low, inf) if is_more else (low, high)
    return _Amount(low, high, unit, frozenset(words - {unit}))


def _cut_end(before: str) -> tuple[str, bool, bool]:
    """What stands before a number without the words for less or more, and whether there were some of each."""
    match = _ends_before().search(before)
    if match is None:
        return before, False, False
    is_less = is_low_end(match[1]) or match[1] in _list_words("less")
    return before[: match.start()], is_less, not is_less


def _cut_end_behind(behind: str) -> tuple[int, str]:
    """-1, 0 or 1 by whether what stands behind a number says less, nothing or more, and the other words."""
    match = _ends_behind().search(behind)
    if match is None:
        return 0, behind
    return (-1 if is_low_end(match[1]) else 1), behind[: match.start()] + " " + behind[match.end() :]


@cache
def _ends_before() -> re.Pattern[str]:
    words = [
        *(word for words in END_BEFORE.values() for word in words),
        *_list_words("less"),
        *_list_words("more"),
    ]
    return re.compile(rf"(?<![^\W\d_])({alternation_pattern(words)})\s*[$€£]?$")


@cache
def _ends_behind() -> re.Pattern[str]:
    return re.compile(rf"({alternation_pattern(END_BEHIND)})(?![^\W\d_])")


@cache
def _time_units() -> Mapping[str, float]:
    """How many seconds each unit of time has."""
    units = resource_table("shoal.io.read", "writings.toml")["units"]["time"]
    return {unit: float(seconds) for unit, seconds in units.items()}


def _count_in_one_unit(amounts: Mapping[str, _Amount]) -> dict[str, tuple[float, float]]:
    """The ends of each answer in seconds, one without a unit in that of most others; where none has any, as written."""
    units = Counter(amount.unit for amount in amounts.values() if amount.unit)
    usual = units.most_common(1)[0][0] if units else ""
    factors = {answer: _time_units().get(amount.unit or usual, 1.0) for answer, amount in amounts.items()}
    return {
        answer: (amount.low * factors[answer], amount.high * factors[answer])
        for answer, amount in amounts.items()
    }


def _is_none(answer: str) -> bool:
    """Whether an answer says that there is nothing of what the others count."""
    return _is_listed(answer, "none")


def is_aside(answer: str) -> bool:
    """Whether an answer says nothing about what is asked."""
    return _is_listed(answer, "aside")


def _is_listed(answer: str, list_name: str) -> bool:
    text = " ".join(answer.replace("_", " ").replace("’", "'").casefold().split())
    words = _list_words(list_name)
    return text in words or any(word.endswith(" ") and text.startswith(word) for word in words)


@cache
def _list_words(name: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in vocabulary_file("answers")[name])
