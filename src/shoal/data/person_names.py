"""Which texts are names of people: by a title, by a frequent given name, or by how they are written.

The lists of person_names.toml are short, so that a name without a title and of no frequent given name is not found.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from shoal.base.naming import resource_table
from shoal.data.column_names import strip_accents

__all__ = ["given_name_share", "names_somebody", "person_name_share"]

_LONG = 200  # signs of a value that are read
_WORDED = re.compile(r"[^\W\d_][\w'’.-]*(?:,? [^\W\d_][\w'’.-]*){0,4}")
_INITIAL = re.compile(r"(?:[A-ZÄÖÜ]\. ?){1,2}[A-ZÄÖÜ][a-zß-ÿ'’-]{2,}(?: ?- ?[A-ZÄÖÜ][a-zß-ÿ]+)?")
_BEHIND = re.compile(r"([A-ZÄÖÜ]{4,}),? [A-ZÄÖÜ]\.?")
_SEPARATED = re.compile(r"([^\W\d_]+)(\W*)")
_HAN_NAME = re.compile(r"[\u3400-\u9fff]{2,4}")


class _Names(NamedTuple):
    """How names of people look: with a title, alone and among other words, and the words they are made of."""

    titled: re.Pattern[str]
    amid: re.Pattern[str]
    places: frozenset[str]  # words with which places begin
    surnames: frozenset[str]  # Chinese ones
    given: frozenset[str]
    only: frozenset[str]  # given names that are no other word


@cache
def _load_names() -> _Names:
    lists = resource_table("shoal.data", "person_names.toml")
    sure = "|".join(map(re.escape, lists["titles"]))
    titles = "|".join((sure, *lists["titles_or_words"]))
    titled = re.compile(rf"(?i:(?:[^\W\d_]+, )?(?:{titles})\b\.? )[^\W\d_].{{1,60}}")
    capital = "|".join(title.capitalize() for title in sure.split("|"))
    amid = re.compile(rf"\b(?:{capital})\b\.? ([^\W\d_]+)")
    first_names = frozenset(name for names in lists["given"].values() for name in names)
    places, surnames, words = (frozenset(lists[key]) for key in ("places", "surnames", "words"))
    return _Names(titled, amid, places, surnames, first_names, first_names - words)


def person_name_share(values: Sequence[str]) -> float | None:
    """The share of values that look like names of people; None where the values do not.

    Names of towns and jobs have the same capitals and commas, so a title or a frequent given name is needed.

    >>> person_name_share(["Dr. Anna Weber", "Mr. John Smith", "Frau Else Kern"])
    1.0
    >>> person_name_share(["R. Kern", "P. Koch"]), person_name_share(["KERN R", "KOCH P", "DEMIR A"])
    (1.0, 1.0)
    >>> person_name_share(["TYPE A", "TYPE B", "TYPE C"]), person_name_share(["E. coli", "S. aureus"])
    (None, None)
    >>> person_name_share(["Paris, France", "Rome, Italy", "Bern, Switzerland", "Turin, Italy", "Lyon, France"])
    """
    distinct = sorted(set(values))
    if not distinct:
        return None
    names = _load_names()
    titled = _share(bool(names.titled.fullmatch(value) or _INITIAL.fullmatch(value)) for value in distinct)
    if titled >= (0.5 if len(distinct) > 2 else 1.0):
        return titled
    if len(distinct) < 3:
        return None
    behind = [hit[1] for value in distinct if (hit := _BEHIND.fullmatch(value))]
    if len(behind) >= 0.9 * len(distinct) and len(set(behind)) > 0.9 * len(behind):  # TYPE A, TYPE B are none
        return len(behind) / len(distinct)
    han = _share(bool(_HAN_NAME.fullmatch(value)) and value[0] in names.surnames for value in distinct)
    if han >= 0.9 and len(distinct) >= 10:
        return han
    worded = [value for value in distinct if _WORDED.fullmatch(value)]
    if len(worded) < 0.9 * len(distinct) or len(distinct) < 5:
        return None
    spelled = [re.findall(r"[a-z]+", strip_accents(value).lower()) for value in worded]
    named = _share(
        bool(words) and len(words) <= 5 and words[0] not in names.places and not names.given.isdisjoint(words)
        for words in spelled
    )
    return named if named >= 0.5 else None


def given_name_share(values: Sequence[str]) -> float:
    """The share of values that begin or end with a frequent given name which is no other word.

    >>> given_name_share(["Anna", "Koch, Peter"]), given_name_share(["Angel", "Ulm"])
    (1.0, 0.0)
    """
    names = _load_names()
    spelled = [re.findall(r"[a-z]+", strip_accents(value).lower()) for value in values]
    return _share(bool(words) and not {words[0], words[-1]}.isdisjoint(names.only) for words in spelled)


def names_somebody(value: str) -> bool:
    """Whether somebody is named among the words of a cell: by a title, or by a frequent given name and a surname.

    >>> [names_somebody(text) for text in ("flu, seen by Dr. Weber", "chloe brown fell", "asks for Chloe Brown")]
    [True, False, True]
    >>> [names_somebody(text) for text in ("St. John's wort", "San Antonio Bay", "DR 5", "Type A influenza")]
    [False, False, False, False]
    """
    text, names = value[:_LONG], _load_names()
    if " " not in text.strip():
        return False
    if any(word.istitle() for word in names.amid.findall(text)):
        return True
    words = [("", ""), *_SEPARATED.findall(text)]
    return any(
        between == " "
        and word.istitle()
        and surname.istitle()
        and len(surname) > 1
        and strip_accents(word).lower() in names.only
        and strip_accents(before).lower() not in names.places
        for (before, _), (word, between), (surname, _) in zip(words, words[1:], words[2:], strict=False)
    )


def _share(found: Iterable[bool]) -> float:
    every = list(found)
    return sum(every) / len(every)
